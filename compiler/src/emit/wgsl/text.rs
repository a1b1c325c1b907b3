//! The writer: lines, names, and types as text.

use super::Writing;
use super::place::Location;
use super::styled::Styled;
use super::uses::Uses;
use crate::emit::workarounds::Workarounds;
use crate::pass::types::Types;
use reference::device::syntax::{Kernel, Program, Sc, Space, Ty};
use reference::kit::faults::Planted;
use reference::kit::names::Var;
use rustc_hash::FxHashMap;

/// Deepest nesting of blocks that is emitted: parsers of WGSL have limits of their own.
pub(super) const MAX_DEPTH: usize = 90;

/// Writes the functions and the kernel of one module.
pub(super) struct Writer<'p> {
    pub(super) program: &'p Program,
    pub(super) types: &'p Types,
    pub(super) uses: &'p Uses,
    pub(super) workarounds: Workarounds,
    pub(super) planted: Planted,
    pub(super) styled: Styled,
    /// What let-bound pointers point to: WGSL has no variable that holds a pointer.
    pub(super) pointers: FxHashMap<Var, Location>,
    /// Private variables that hold parts of others while a function has a pointer to them.
    pub(super) copies: Vec<(String, Ty)>,
    /// How what is written ends early, behind a failed check: `return zero;` in a function with a result.
    pub(super) leaves: String,
    /// Is a function written, and not the kernel?
    pub(super) in_function: bool,
    /// How many temporaries there are: `t1`, `t2` and so on.
    pub(super) temporaries: u32,
    lines: String,
    /// How many blocks are open, and how many were at most.
    depth: usize,
    deepest: usize,
}

/// The lines that were written up to some time.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    length: usize,
    temporaries: u32,
}

impl<'p> Writer<'p> {
    /// Nothing is written yet.
    pub(super) fn new(
        program: &'p Program,
        kernel: &Kernel,
        types: &'p Types,
        writing: Writing,
        uses: &'p Uses,
    ) -> Self {
        Self {
            program,
            types,
            uses,
            workarounds: writing.workarounds,
            planted: writing.planted,
            styled: Styled::new(writing.style, kernel),
            pointers: FxHashMap::default(),
            copies: Vec::new(),
            leaves: "return;".to_owned(),
            in_function: false,
            temporaries: 0,
            lines: String::with_capacity(1024),
            depth: 0,
            deepest: 0,
        }
    }

    /// Is every construct plain?
    pub(super) fn is_plain(&self) -> bool {
        self.styled.is_plain()
    }

    /// A line, indented by the blocks that are open.
    pub(super) fn line(&mut self, line: &str) {
        (0..self.depth).for_each(|_| self.lines.push_str("    "));
        self.lines.push_str(line);
        self.lines.push('\n');
    }

    /// Lines that are indented once more.
    pub(super) fn indented(&mut self, lines: impl FnOnce(&mut Self)) {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        lines(self);
        self.depth -= 1;
    }

    /// A block in braces, with this in front.
    pub(super) fn braced(&mut self, head: &str, lines: impl FnOnce(&mut Self)) {
        self.line(&format!("{head} {{"));
        self.indented(lines);
        self.line("}");
    }

    /// How many blocks are open.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// How many blocks were open at most.
    pub(super) fn deepest(&self) -> usize {
        self.deepest
    }

    /// Hands out the lines that are written.
    pub(super) fn take_lines(&mut self) -> String {
        std::mem::take(&mut self.lines)
    }

    /// What is written so far.
    pub(super) fn mark(&self) -> Mark {
        Mark { length: self.lines.len(), temporaries: self.temporaries }
    }

    /// Were lines written since then?
    pub(super) fn wrote_since(&self, mark: Mark) -> bool {
        self.lines.len() > mark.length
    }

    /// Drops the lines that were written since then.
    pub(super) fn back_to(&mut self, mark: Mark) {
        self.lines.truncate(mark.length);
        self.temporaries = mark.temporaries;
    }

    /// The name of a variable: that of the program with `_` behind it. So it is no word of WGSL, and no
    /// name that the writer makes.
    pub(super) fn ident(&self, var: Var) -> String {
        let name = self.program.names.text(var);
        let mut ident = String::with_capacity(name.len() + 1);
        for c in name.chars() {
            if c.is_ascii_alphanumeric() || c == '_' {
                ident.push(c);
            } else {
                ident.push_str(&format!("u{:x}", u32::from(c)));
            }
        }
        if !ident.starts_with(|c: char| c.is_ascii_alphabetic()) {
            ident.insert(0, 'v');
        }
        ident.push('_');
        ident
    }

    /// A new name.
    pub(super) fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t{}", self.temporaries)
    }

    /// Binds a value to a new name, which is returned.
    pub(super) fn bound(&mut self, value: &str) -> String {
        let name = self.temporary();
        self.line(&format!("let {name} = {value};"));
        name
    }

    /// A new variable that holds a value. What is computed from it is computed at run time.
    pub(super) fn variable(&mut self, value: &str) -> String {
        let name = self.temporary();
        self.line(&format!("var {name} = {value};"));
        name
    }

    /// A type.
    pub(super) fn ty(&self, ty: &Ty) -> String {
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
                let inner =
                    if space == "workgroup" { self.shared_ty(inner) } else { self.ty(inner) };
                format!("ptr<{space}, {inner}>")
            }
            Ty::Block(_) => "vec2<u32>".to_owned(),
            Ty::Atomic(sc) => format!("atomic<{}>", scalar(*sc)),
        }
    }

    /// The type annotation of what is bound to a name. Plain text leaves out that of scalars.
    pub(super) fn annotation(&self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(_) if self.is_plain() => String::new(),
            other => format!(": {}", self.ty(other)),
        }
    }

    /// Bytes of a variable, at least. Vectors of three are aligned like those of four.
    pub(super) fn bytes(&self, ty: &Ty) -> u64 {
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
}

/// A scalar type.
pub(super) fn scalar(sc: Sc) -> &'static str {
    match sc {
        Sc::Bool => "bool",
        Sc::I32 => "i32",
        Sc::U32 => "u32",
        Sc::I64 => "i64",
        Sc::F32 => "f32",
        Sc::F64 => "f64",
    }
}
