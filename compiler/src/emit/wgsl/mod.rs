//! Kernels in WGSL, one module a kernel.
//!
//! ```text
//! binding 0   the arena: words of 32 bits; a block is vec2<u32>(base, length)
//! binding 1   the launch: number of invocations, number of work groups, words of the arguments; of a
//!             bare form those that it reads
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
mod survey;
mod terse;
#[cfg(test)]
mod tests;
mod wide;

use super::style::Style;
use super::workarounds::Workarounds;
use crate::pass::guard::guards_itself;
use crate::pass::quiet::Uses;
use crate::pass::slots::Slots;
use crate::pass::types::{Types, words};
use crate::target::Shape;
use arguments::{ARGUMENTS, Asked, GROUPS};
use held::{Held, push_number};
use place::Alias;
use reference::device::syntax::{
    Block, Exp, Function, Kernel, Kind, Place, Program, Sc, Space, Ty,
};
use reference::device::visit;
use reference::kit::names::{Names, Var};
use reference::kit::text::Refused;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;
use styled::Styled;
use survey::{Survey, are_signed};

pub use checked::{Checked, Compiled};
pub use shaders::{Form, Shader, Shaders};

/// Deepest nesting of blocks that is emitted: parsers of WGSL have limits of their own.
const MAX_DEPTH: usize = 90;

/// Length from which on an expression is bound to a name, so that none nests deeply.
const MAX_TEXT: usize = 160;

/// Characters in front of the functions, about.
const HEAD: usize = 256;

/// Characters of the others that are not too many to make room for.
const LENGTH: usize = 1024;

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

/// Which of its words a launch brings along.
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
    writer.functions(kernel, written_for);
    let to_body = writer.text.len();
    // No `return` for the groups that fold a grid up: drivers compile one slowly.
    let folds = written_for != For::Few && !guards_itself(&kernel.body);
    let blocked = folds || !writer.is_plain();
    writer.depth = 1 + usize::from(blocked);
    writer.kernel_body(&kernel.body);
    let to_numbers = writer.text.len();
    if writer.deepest > MAX_DEPTH {
        return Err(Refused {
            span: kernel.span,
            statement: kernel.name.clone(),
            reason: format!("its blocks nest deeper than {MAX_DEPTH}"),
        });
    }
    writer.bind_numbers(kernel, written_for);
    let groups = folds.then(|| writer.brought(GROUPS));
    let to_arguments = writer.text.len();
    let inside = writer.inside.filter(|_| writer.only_inside(kernel));
    writer.depth += usize::from(inside.is_some());
    writer.arguments(kernel);
    // Now that it is known what they need, all of them come where they belong.
    let lines = std::mem::take(&mut writer.text);
    writer.text.reserve(HEAD + lines.len());
    writer.header(kernel);
    writer.text.push_str(&writer.styled.declarations());
    writer.text.push_str(&lines[..to_body]);
    writer.entry(kernel, written_for);
    writer.depth = 1;
    if writer.terse {
        writer.bind_vectors();
    }
    if blocked {
        writer.line(&match groups {
            Some(groups) => format!("if (group_id < {groups}) {{"),
            None => "{".to_owned(),
        });
    }
    let at = inside.unwrap_or(to_body);
    let before = [&lines[to_numbers..to_arguments], &lines[to_body..at]];
    writer.text.extend(before);
    writer.text.extend([&lines[to_arguments..], &lines[at..to_numbers]]);
    if blocked {
        writer.line("}");
    }
    writer.text.push_str("}\n");
    debug_assert!(!writer.terse || terse::is_dense(&writer.text), "{}", writer.text);
    let own: u64 = kernel.workgroup.iter().map(|(_, ty)| writer.bytes(ty)).sum();
    let tells = writer.read.is_some() && writer.records;
    Ok(Form {
        wgsl: writer.text,
        brings: writer.read,
        tells,
        group: kernel.group,
        i64: writer.i64,
        shapes: writer.shapes,
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
    /// The numbers of the variables from 1 on, in the order in which they are first named, if they are
    /// called by numbers.
    numbers: Option<Slots<u32>>,
    /// How many have a number.
    numbered: u32,
    /// Does the number of the invocation have a name, in terse text?
    names_id: bool,
    /// Are the words of the arena atomic?
    atomic_arena: bool,
    /// Are the words of the arena i32? They are u32 where elements of other types are looked at, and in
    /// terse text.
    signed: bool,
    /// Which of its parameters a kernel asks for, and of blocks which parts.
    asked: Vec<(Var, Asked)>,
    /// Names of the kernel that are i32 and written as the u32 of the same bits.
    bits: Slots<bool>,
    /// Where only these words of the launch are brought along: which, as far as it is written.
    read: Option<Vec<usize>>,
    /// Is it text for none but compilers?
    terse: bool,
    /// Is the record asked for?
    records: bool,
    /// Does it matter which group it is, or which invocation of it?
    asks_for_group: bool,
    /// Where, in the body of a kernel, the block starts that invocations of the launch execute.
    inside: Option<usize>,
    /// Does it compute in 64 bits, as far as it is written?
    i64: bool,
    /// Which shapes it has, as far as it is written.
    shapes: Vec<Shape>,
    /// Are there private variables?
    has_private: bool,
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
        let mut next = ARGUMENTS;
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
            numbers: (written_for != For::Reading).then(Slots::default),
            numbered: 0,
            names_id: true,
            atomic_arena: false,
            signed: false,
            i64: false,
            shapes: Vec::new(),
            has_private: !kernel.private.is_empty(),
            asked: asked.filter(|(var, _)| Some(*var) != record).collect(),
            bits: Slots::default(),
            read: None,
            terse: false,
            records: false,
            asks_for_group: false,
            inside: None,
            aliases: FxHashMap::default(),
            copies: Vec::new(),
            text: String::with_capacity(LENGTH),
            held: Held::new(),
            depth: 1,
            deepest: 1,
            temporaries: 0,
        };
        writer.i64 = writer.declares_i64(kernel);
        writer
    }

    /// Looks at the kernel, and writes the functions that it calls. Only with them is it known of which type
    /// the words of the arena are.
    fn functions(&mut self, kernel: &Kernel, written_for: For) {
        let survey = Survey::of(kernel, self.record, self.types, self.terse);
        self.atomic_arena = survey.has_atomic_elements;
        self.names_id =
            written_for != For::Few || survey.asks_for_group || survey.ids > terse::SELDOM;
        let program = self.program;
        let mut used = vec![false; program.functions.len()];
        if survey.calls {
            called(program, &kernel.body, &mut used);
        }
        let functions = program.functions.iter().enumerate().filter(|(number, _)| used[*number]);
        if self.is_plain() {
            let mut called = functions.clone().map(|(_, function)| function);
            let signed = survey.all_signed && called.all(is_signed);
            self.signed = signed && !self.atomic_arena && !self.terse;
            self.bits = survey.bits;
        }
        functions.for_each(|(number, function)| self.function(number, function));
    }

    /// Is every construct plain?
    fn is_plain(&self) -> bool {
        self.styled.is_plain()
    }

    /// Writes the head of the entry point, up to where it knows its group.
    fn entry(&mut self, kernel: &Kernel, written_for: For) {
        let (begin, end) = match self.terse {
            true => ("@compute@workgroup_size(", "i)\n"),
            false => ("@compute @workgroup_size(", ")\n"),
        };
        self.text.push_str(begin);
        push_number(&mut self.text, kernel.group);
        self.text.push_str(end);
        if written_for == For::Few && self.is_plain() && !self.asks_for_group {
            self.text.push_str(match self.terse {
                true => "fn main(@builtin(global_invocation_id)i:vec3u){\n",
                false => "fn main(@builtin(global_invocation_id) global: vec3<u32>) {\n",
            });
            return;
        }
        let (groups, group_id) = match written_for {
            For::Few => ("", "group.x"),
            _ => (
                "    @builtin(num_workgroups) groups: vec3<u32>,\n",
                "group.x + group.y * groups.x",
            ),
        };
        let head = format!(
            "fn main(\n    @builtin(workgroup_id) group: vec3<u32>,\n{groups}    \
             @builtin(local_invocation_index) local_id: u32,\n) {{\n    \
             let group_id = {group_id};"
        );
        self.depth = 0;
        self.line(&head);
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
        let number = numbers.of_mut(var);
        if *number == 0 {
            self.numbered += 1;
            *number = self.numbered;
        }
        let number = *number - 1;
        if self.terse {
            terse::push_name(text, number);
        } else {
            text.push('v');
            push_number(text, number);
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

    /// Declares the words of a launch.
    fn declare_launch(&mut self, kernel: &Kernel) {
        self.text.push_str("@group(0) @binding(1) var<storage, read> launch: array<u32");
        // Of known length, so that reading it takes no test; nobody tests what is read of a bare form.
        if self.read.is_none() {
            let words = ARGUMENTS + kernel.params.iter().map(|(_, ty)| words(ty)).sum::<usize>();
            self.text.push_str(", ");
            push_number(&mut self.text, words as u32);
        }
        self.text.push_str(">;\n");
    }

    /// Writes everything before the functions.
    fn header(&mut self, kernel: &Kernel) {
        let word = match (self.atomic_arena, self.signed) {
            (true, _) => "atomic<u32>",
            (false, true) => "i32",
            (false, false) => "u32",
        };
        // What is launched is read anyway where nothing else is said.
        let arena = match self.terse {
            true => "@group(0i)@binding(0i)var<storage,read_write>w:array<",
            false => "@group(0) @binding(0) var<storage, read_write> arena: array<",
        };
        self.text.extend([arena, word, ">;\n"]);
        if self.terse {
            self.declare_vectors();
        } else {
            self.declare_launch(kernel);
        }
        self.depth = 0;
        if self.records {
            self.line(
                "@group(0) @binding(2) var<storage, read_write> records: array<atomic<u32>>;",
            );
        }
        for (number, declared) in self.program.structs.iter().enumerate() {
            let fields = declared.fields.iter().enumerate();
            let fields: Vec<String> =
                fields.map(|(i, (_, ty))| format!("m{i}: {}", self.ty(ty))).collect();
            self.line(&format!("struct S{number} {{ {} }}", fields.join(", ")));
        }
        for (space, vars) in [("workgroup", &kernel.workgroup), ("private", &kernel.private)] {
            for (var, ty) in vars {
                let line = format!("var<{space}> {}: {};", self.ident(*var), self.ty(ty));
                self.line(&line);
            }
        }
        for (name, ty) in std::mem::take(&mut self.copies) {
            self.line(&format!("var<private> {name}: {};", self.ty(&ty)));
        }
    }
}

/// Are the elements of all blocks that a function looks at i32?
fn is_signed(function: &Function) -> bool {
    let mut signed = function.params.iter().all(|(_, ty)| are_signed(ty));
    visit::block(&function.body, &mut |exp| {
        signed &= !matches!(exp, Exp::Block(sc, ..) if *sc != Sc::I32);
    });
    signed
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
