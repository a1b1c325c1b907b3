//! Kernels in WGSL, one module a kernel.
//!
//! ```text
//! binding 0   the arena: words of 32 bits; a block is vec2<u32>(base, length)
//! binding 1   the launch: number of invocations, number of work groups, words of the arguments
//! binding 2   the record block of a kernel that keeps one
//! ```
//!
//! Constant expressions of WGSL must not overflow, divide by zero or shift too far. So where an
//! operator has only constants, one of them goes through a `var`, and what is computed is computed
//! at run time, where all of that is defined.

mod arguments;
mod bits;
mod checked;
mod exp;
mod held;
mod place;
mod scalars;
mod shaders;
mod shapes;
mod stm;
mod styled;
mod terse;
#[cfg(test)]
mod tests;
mod wide;

use super::style::Style;
use super::workarounds::Workarounds;
use crate::pass::guard::guards_itself;
use crate::pass::quiet::Uses;
use crate::pass::types::{Types, words};
use arguments::Asked;
use bits::names_of_bits;
use held::Held;
use place::Alias;
use reference::device::syntax::{Block, Exp, Kernel, Kind, Place, Program, Sc, Space, Ty};
use reference::device::visit;
use reference::kit::names::{Names, Var};
use reference::kit::text::Refused;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use styled::Styled;

pub use checked::{Checked, Compiled};
pub use shaders::{Form, Shader, Shaders};
pub use shapes::Shape;

/// Deepest nesting of blocks that is emitted: parsers of WGSL have limits of their own.
const MAX_DEPTH: usize = 90;

/// Length from which on an expression is bound to a name, so that none nests deeply.
const MAX_TEXT: usize = 160;

/// How kernels are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Writing {
    /// Which bugs of the toolchain are worked around.
    pub workarounds: Workarounds,
    /// Which constructs stand where plain text would.
    pub style: Style,
}

/// What a form of a kernel is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    /// Every launch, with the names of the program.
    Reading,
    /// Every launch. Names are numbers.
    All,
    /// Launches whose work groups need no second dimension. Names are numbers.
    Few,
}

/// Which words of its arguments a launch brings along.
#[derive(Clone, Copy)]
enum Brings<'u> {
    /// All of them.
    All,
    /// Those that the kernel reads, which uses its parameters that often: kernels that do the same are
    /// the same text, whatever else they are given.
    Read(&'u Uses),
}

/// One form of a kernel, of which that parameter is the record.
fn module<'p>(
    program: &'p Program,
    (kernel, record): (&Kernel, Option<usize>),
    types: &'p Types,
    writing: Writing,
    (written_for, brings): (For, Brings<'_>),
) -> Result<Form, Refused> {
    let mut writer = Writer::of(program, (kernel, record), types, writing, written_for);
    if let Brings::Read(uses) = brings {
        writer.brings_read(uses);
    }
    let functions = writer.functions(kernel);
    // No `return` for the groups that fold a grid up: drivers compile one slowly.
    let folds = written_for != For::Few && !guards_itself(&kernel.body);
    let blocked = folds || !writer.is_plain();
    writer.depth = 1 + usize::from(blocked);
    writer.kernel_body(&kernel.body);
    let mut body = std::mem::take(&mut writer.text);
    if writer.deepest > MAX_DEPTH {
        return Err(Refused {
            span: kernel.span,
            statement: kernel.name.clone(),
            reason: format!("its blocks nest deeper than {MAX_DEPTH}"),
        });
    }
    writer.bind_numbers(kernel, written_for);
    let numbers = std::mem::take(&mut writer.text);
    let inside = writer.inside.filter(|_| writer.only_inside(kernel));
    writer.depth += usize::from(inside.is_some());
    writer.arguments(kernel);
    let mut arguments = std::mem::take(&mut writer.text);
    if let Some(at) = inside {
        body.insert_str(at, &arguments);
        arguments.clear();
    }
    let mut head = writer.header(kernel);
    head.push_str(&writer.styled.declarations());
    head.push_str(&functions);
    writer.entry(kernel, written_for, &mut head);
    if blocked {
        match folds {
            true => _ = writeln!(head, "    if (group_id < {}[1]) {{", writer.launch()),
            false => head.push_str("    {\n"),
        }
    }
    let end = match blocked {
        true if writer.terse => "}\n}\n",
        true => "    }\n}\n",
        false => "}\n",
    };
    let parts = [&numbers, &arguments, &body, end];
    let length = parts.iter().map(|part| part.len()).sum::<usize>();
    let mut wgsl = String::with_capacity(head.len() + length);
    match writer.terse {
        true => _ = terse::add_dense(&mut wgsl, &head),
        false => wgsl.push_str(&head),
    }
    wgsl.extend(parts);
    let own: u64 = kernel.workgroup.iter().map(|(_, ty)| writer.bytes(ty)).sum();
    let tells = writer.read.is_some() && writer.records;
    Ok(Form {
        wgsl,
        args: writer.read.take(),
        tells,
        group: kernel.group,
        i64: writer.i64,
        shapes: writer.shapes(kernel),
        group_memory: own + writer.styled.shared_bytes(),
    })
}

/// The parameter that the pass `poison_checks` gave a kernel: only atomic operations use it.
fn record_parameter(kernel: &Kernel) -> Option<usize> {
    kernel.record?;
    let last = kernel.params.len().checked_sub(1)?;
    let (var, ty) = &kernel.params[last];
    let mut uses = 0;
    visit::block(&kernel.body, &mut |exp| {
        uses += usize::from(matches!(exp, Exp::Var(used) if used == var));
    });
    let mut atomics = 0;
    crate::pass::walk::any_stm(&kernel.body, &mut |kind| {
        let Kind::Atomic { place: Place::Element(Exp::Var(block), _), .. } = kind else {
            return false;
        };
        atomics += usize::from(block == var);
        false
    });
    (*ty == Ty::Block(Sc::U32) && uses == atomics).then_some(last)
}

/// Marks the functions that `body` calls, and those that they call.
fn called(program: &Program, body: &Block, used: &mut [bool]) {
    crate::pass::walk::any_stm(body, &mut |kind| {
        if let Kind::Call { function, .. } = kind {
            let number = *function as usize;
            if !std::mem::replace(&mut used[number], true) {
                called(program, &program.functions[number].body, used);
            }
        }
        false
    });
}

struct Writer<'p> {
    program: &'p Program,
    names: &'p Names,
    types: &'p Types,
    workarounds: Workarounds,
    styled: Styled,
    /// The parameter that is the record.
    record: Option<Var>,
    /// The numbers of the variables, in the order in which they are first named, if they are
    /// called by numbers.
    numbers: Option<FxHashMap<Var, u32>>,
    /// Are the words of the arena atomic?
    atomic_arena: bool,
    /// Are the words of the arena i32? They are u32 where elements of other types are looked at.
    signed: bool,
    /// Which of its parameters a kernel asks for, and of blocks which parts.
    asked: FxHashMap<Var, Asked>,
    /// Names of the kernel that are i32 and written as the u32 of the same bits.
    bits: FxHashSet<Var>,
    /// Where only these words of the arguments are brought along: which, as far as it is written.
    read: Option<Vec<usize>>,
    /// Is it text for none but compilers?
    terse: bool,
    /// Is the record asked for?
    records: bool,
    /// Does it matter which group it is, or which invocation of it?
    asks_for_group: bool,
    /// Where, in the body of a kernel, the block starts that invocations of the launch execute.
    inside: Option<usize>,
    i64: bool,
    /// Let-bound pointers stand for their places.
    aliases: FxHashMap<Var, Alias>,
    /// Variables of the private space that stand for parts of others while a function has them.
    copies: Vec<(String, Ty)>,
    /// The lines that are written.
    text: String,
    /// What is to become the next line.
    held: Held,
    depth: usize,
    deepest: usize,
    temporaries: u32,
}

impl<'p> Writer<'p> {
    /// For a form of this kernel. Nothing is written yet.
    fn of(
        program: &'p Program,
        (kernel, record): (&Kernel, Option<usize>),
        types: &'p Types,
        writing: Writing,
        written_for: For,
    ) -> Self {
        let record = record.map(|at| kernel.params[at].0);
        let mut next = 0;
        let asked = kernel.params.iter().map(|(var, ty)| {
            let at = next;
            next += words(ty);
            (*var, Asked { at, ..Asked::default() })
        });
        let mut writer = Self {
            program,
            names: &program.names,
            types,
            workarounds: writing.workarounds,
            styled: Styled::new(writing.style, kernel),
            record,
            numbers: (written_for != For::Reading).then(FxHashMap::default),
            atomic_arena: false,
            signed: false,
            i64: false,
            asked: asked.filter(|(var, _)| Some(*var) != record).collect(),
            bits: FxHashSet::default(),
            read: None,
            terse: false,
            records: false,
            asks_for_group: false,
            inside: None,
            aliases: FxHashMap::default(),
            copies: Vec::new(),
            text: String::new(),
            held: Held::default(),
            depth: 1,
            deepest: 1,
            temporaries: 0,
        };
        writer.atomic_arena = writer.has_atomic_elements(&kernel.body);
        writer.i64 = writer.uses_i64(kernel);
        if writer.is_plain() {
            writer.bits = names_of_bits(kernel, types);
        }
        writer
    }

    /// The functions that the kernel calls. Only with them is it known of which type the words of the
    /// arena are.
    fn functions(&mut self, kernel: &Kernel) -> String {
        let program = self.program;
        let mut used = vec![false; program.functions.len()];
        called(program, &kernel.body, &mut used);
        self.signed = self.is_plain() && self.has_signed_elements(kernel, &used);
        for (number, function) in program.functions.iter().enumerate() {
            if used[number] {
                self.function(number, function);
            }
        }
        std::mem::take(&mut self.text)
    }

    /// Is every construct plain?
    fn is_plain(&self) -> bool {
        self.styled.is_plain()
    }

    /// The head of the entry point, up to where it knows its group.
    fn entry(&self, kernel: &Kernel, written_for: For, wgsl: &mut String) {
        let _ = writeln!(wgsl, "@compute @workgroup_size({})", kernel.group);
        if written_for == For::Few && self.is_plain() && !self.asks_for_group {
            let vector = if self.terse { "vec3u" } else { "vec3<u32>" };
            let _ = writeln!(wgsl, "fn main(@builtin(global_invocation_id) global: {vector}) {{");
            return;
        }
        let (groups, group_id) = match written_for {
            For::Few => ("", "group.x"),
            _ => (
                "    @builtin(num_workgroups) groups: vec3<u32>,\n",
                "group.x + group.y * groups.x",
            ),
        };
        let _ = write!(
            wgsl,
            "fn main(\n    @builtin(workgroup_id) group: vec3<u32>,\n{groups}    \
             @builtin(local_invocation_index) local_id: u32,\n) {{\n    \
             let group_id = {group_id};\n"
        );
    }

    /// What a variable is called.
    fn ident(&mut self, var: Var) -> String {
        self.text_of(|to| to.put_ident(var))
    }

    /// Puts what a variable is called. No name of our own ends in `_`, and no word of WGSL.
    fn put_ident(&mut self, var: Var) {
        let text = self.held.end();
        let Some(numbers) = &mut self.numbers else {
            let begin = text.len();
            for c in self.names.text(var).chars() {
                if c.is_ascii_alphanumeric() || c == '_' {
                    text.push(c);
                } else {
                    let _ = write!(text, "u{:x}", u32::from(c));
                }
            }
            if !text[begin..].starts_with(|c: char| c.is_ascii_alphabetic()) {
                text.insert(begin, 'v');
            }
            return text.push('_');
        };
        let next = numbers.len() as u32;
        let number = *numbers.entry(var).or_insert(next);
        if self.terse {
            terse::push_name(text, number);
        } else {
            text.push('v');
            held::push_number(text, number);
            text.push('_');
        }
    }

    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    fn ty(&self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(sc) => scalar(*sc).to_owned(),
            Ty::Vector(sc, n) => format!("vec{n}<{}>", scalar(*sc)),
            Ty::Array(inner, n) => format!("array<{}, {n}>", self.ty(inner)),
            Ty::Struct(number) => format!("S{number}"),
            Ty::Ptr(space, inner) => {
                let space = match space {
                    Space::Function => "function",
                    Space::Private => "private",
                    Space::Workgroup => "workgroup",
                    Space::Storage => "storage",
                };
                format!("ptr<{space}, {}>", self.ty(inner))
            }
            Ty::Block(_) => "vec2<u32>".to_owned(),
            Ty::Atomic(sc) => format!("atomic<{}>", scalar(*sc)),
        }
    }

    /// Bytes of a variable, at least; vectors of three lie like those of four.
    fn bytes(&self, ty: &Ty) -> u64 {
        match ty {
            Ty::Scalar(sc) | Ty::Atomic(sc) => 4 * u64::from(sc.words()),
            Ty::Vector(_, 2) | Ty::Block(_) => 8,
            Ty::Vector(..) => 16,
            Ty::Array(inner, n) => self.bytes(inner).saturating_mul(u64::from(*n)),
            Ty::Struct(number) => {
                let fields = &self.program.structs[*number as usize].fields;
                fields.iter().map(|(_, ty)| self.bytes(ty)).sum()
            }
            Ty::Ptr(..) => 0,
        }
    }

    /// Everything before the functions.
    fn header(&mut self, kernel: &Kernel) -> String {
        let mut text = String::new();
        let word = match (self.atomic_arena, self.signed) {
            (true, _) => "atomic<u32>",
            (false, true) => "i32",
            (false, false) => "u32",
        };
        // Of known length, so that reading it takes no test; nobody tests what is read of a bare form.
        let length = match &self.read {
            None => {
                format!(", {}", 2 + kernel.params.iter().map(|(_, ty)| words(ty)).sum::<usize>())
            }
            Some(_) => String::new(),
        };
        // It is read anyway where nothing else is said.
        let read = if self.terse { "" } else { ", read" };
        let (arena, launch) = (self.arena(), self.launch());
        text.extend(["@group(0) @binding(0) var<storage, read_write> ", arena, ": array<", word]);
        text.extend([">;\n@group(0) @binding(1) var<storage", read, "> ", launch]);
        text.extend([": array<u32", &length, ">;\n"]);
        if self.records {
            text.push_str(
                "@group(0) @binding(2) var<storage, read_write> records: array<atomic<u32>>;\n",
            );
        }
        for (number, declared) in self.program.structs.iter().enumerate() {
            let fields: Vec<String> = declared
                .fields
                .iter()
                .enumerate()
                .map(|(i, (_, ty))| format!("m{i}: {}", self.ty(ty)))
                .collect();
            let _ = writeln!(text, "struct S{number} {{ {} }}", fields.join(", "));
        }
        for (space, vars) in [("workgroup", &kernel.workgroup), ("private", &kernel.private)] {
            for (var, ty) in vars {
                let _ = writeln!(text, "var<{space}> {}: {};", self.ident(*var), self.ty(ty));
            }
        }
        for (name, ty) in &self.copies {
            let _ = writeln!(text, "var<private> {name}: {};", self.ty(ty));
        }
        text
    }

    /// Does an atomic operation work on an element of a block other than the record?
    fn has_atomic_elements(&self, body: &Block) -> bool {
        crate::pass::walk::any_stm(body, &mut |kind| match kind {
            Kind::Atomic { place, .. } => match place {
                Place::Element(Exp::Var(block), _) => Some(*block) != self.record,
                Place::Element(..) => true,
                Place::Deref(pointer) => {
                    matches!(self.types.exp(pointer), Ty::Ptr(Space::Storage, _))
                }
                _ => false,
            },
            _ => false,
        })
    }

    /// Are all elements of blocks that a kernel and the functions `used` by it look at i32, none of
    /// them atomic?
    fn has_signed_elements(&self, kernel: &Kernel, used: &[bool]) -> bool {
        let functions = self.program.functions.iter().zip(used).filter(|(_, used)| **used);
        let functions = || functions.clone().map(|(function, _)| function);
        let params = functions().flat_map(|function| &function.params);
        let mut params = params.chain(&kernel.params).filter(|(var, _)| Some(*var) != self.record);
        let mut signed = !self.atomic_arena
            && params.all(|(_, ty)| !matches!(ty, Ty::Block(sc) if *sc != Sc::I32));
        let bodies = functions().map(|function| &function.body).chain([&kernel.body]);
        bodies.for_each(|body| {
            visit::block(body, &mut |exp| {
                signed &= !matches!(exp, Exp::Block(sc, ..) if *sc != Sc::I32);
            });
        });
        signed
    }
}

fn scalar(sc: Sc) -> &'static str {
    match sc {
        Sc::Bool => "bool",
        Sc::I32 => "i32",
        Sc::U32 => "u32",
        Sc::I64 => "i64",
        Sc::F32 => "f32",
    }
}
