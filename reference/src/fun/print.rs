//! From the core to text that parses to the same core, up to the numbering of names and to
//! spans. FUNMEM prints with it too.

use super::syntax::{Atom, Binding, Body, Dialect, Dim, Exp, Fun, Never, Program, Se, Stm, Ty};
use crate::kit::names::{Names, Var};
use crate::kit::scalar::{BinOp, Notation};
use std::fmt::Write;

/// The text of `program`.
pub fn program(program: &Program<Fun>) -> String {
    print(program)
}

/// What the printer must know of a dialect.
pub(crate) trait Print: Dialect {
    /// Writes a type.
    fn ty(to: &mut Printer<'_>, ty: &Self::Ty);
    /// Writes an expression that only this dialect has.
    fn extra(to: &mut Printer<'_>, extra: &Self::Extra);
}

/// The text of a program of either dialect.
pub(crate) fn print<D: Print>(program: &Program<D>) -> String {
    let mut to = Printer::new(&program.names);
    if !program.params.is_empty() {
        to.word("param");
        to.pattern(&program.params);
        to.line();
    }
    to.body(&program.body);
    to.text.push('\n');
    to.text
}

/// The scalar expression as text.
pub fn scalar(names: &Names, se: &Se) -> String {
    let mut to = Printer::new(names);
    to.scalar(se);
    to.text
}

/// The statement without the bodies in it, as a diagnostic or a derivation shows it.
pub fn statement(names: &Names, stm: &Stm<Fun>) -> String {
    head(names, stm)
}

/// The head of a statement of either dialect.
pub(crate) fn head<D: Print>(names: &Names, stm: &Stm<D>) -> String {
    let mut to = Printer::new(names);
    to.stm_head(stm);
    to.text
}

/// The outermost bindings of a program, `(x : τ)`.
pub(crate) fn bindings<D: Print>(program: &Program<D>) -> Vec<String> {
    let names = program.names.as_written();
    // `let (x : τ) = e` without the expression.
    let binding = |stm| {
        let text = head(&names, stm);
        let end = text.find(" =").unwrap_or(text.len());
        text[..end].trim_start_matches("let ").to_owned()
    };
    program.body.stms.iter().map(binding).collect()
}

/// Text so far, and how deep the current line is indented.
pub(crate) struct Printer<'a> {
    names: &'a Names,
    text: String,
    indent: usize,
}

impl<'a> Printer<'a> {
    fn new(names: &'a Names) -> Self {
        Self { names, text: String::new(), indent: 0 }
    }

    pub(crate) fn word(&mut self, word: &str) {
        self.text.push_str(word);
    }

    fn line(&mut self) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n("  ", self.indent));
    }

    pub(crate) fn name(&mut self, var: Var) {
        self.text.push_str(self.names.text(var));
    }

    pub(crate) fn atom(&mut self, atom: Atom) {
        match atom {
            Atom::Var(var) => self.name(var),
            Atom::Const(k) => write!(self.text, "{k}").expect("a string takes all text"),
        }
    }

    /// The parts with commas between them.
    pub(crate) fn list<T>(&mut self, parts: &[T], mut part: impl FnMut(&mut Self, &T)) {
        for (nth, each) in parts.iter().enumerate() {
            if nth > 0 {
                self.word(", ");
            }
            part(self, each);
        }
    }

    /// `[x][y]`
    pub(crate) fn sizes(&mut self, sizes: &[Atom]) {
        for &size in sizes {
            self.word("[");
            self.atom(size);
            self.word("]");
        }
    }

    pub(crate) fn scalar(&mut self, se: &Se) {
        self.tight(se, 0);
    }

    /// A scalar expression where only operators that bind tighter than `than` may stand without
    /// parentheses.
    pub(crate) fn tight(&mut self, se: &Se, than: u8) {
        match se {
            // `--` would start a comment.
            Se::Atom(Atom::Const(k)) if *k < 0 && than > 0 => {
                write!(self.text, "({k})").expect("a string takes all text");
            }
            Se::Atom(atom) => self.atom(*atom),
            Se::Bin(op, ab) => self.operation(*op, ab, than),
        }
    }

    /// `a ⊕ b`, in parentheses unless it binds tighter than `than`.
    fn operation(&mut self, op: BinOp, [a, b]: &[Se; 2], than: u8) {
        match op.notation() {
            Notation::Call(name) => {
                self.word(name);
                self.word("(");
                self.scalar(a);
                self.word(", ");
                self.scalar(b);
                self.word(")");
            }
            Notation::Infix(symbol, strength) => {
                let bare = strength > than;
                if !bare {
                    self.word("(");
                }
                // To the left the same operator needs none, unless it is a comparison.
                self.tight(a, if op.associates() { strength - 1 } else { strength });
                self.word(" ");
                self.word(symbol);
                self.word(" ");
                self.tight(b, strength);
                if !bare {
                    self.word(")");
                }
            }
        }
    }

    fn pattern<D: Print>(&mut self, pattern: &[Binding<D>]) {
        for binding in pattern {
            self.word(" (");
            self.name(binding.var);
            self.word(" : ");
            D::ty(self, &binding.ty);
            self.word(")");
        }
    }

    fn body<D: Print>(&mut self, body: &Body<D>) {
        for stm in &body.stms {
            self.stm_head(stm);
            self.bodies(&stm.exp);
            self.line();
        }
        self.word("in (");
        self.list(&body.results, |to, result| to.atom(*result));
        self.word(")");
    }

    /// A body on lines of its own.
    fn indented<D: Print>(&mut self, body: &Body<D>) {
        self.indent += 1;
        self.line();
        self.body(body);
        self.indent -= 1;
    }

    /// All of a statement but the bodies in it.
    fn stm_head<D: Print>(&mut self, stm: &Stm<D>) {
        self.word("let");
        self.pattern(&stm.pattern);
        self.word(" = ");
        self.head(&stm.exp);
        if matches!(stm.exp, Exp::Kernel { .. } | Exp::Loop { .. }) {
            self.word(" do");
        }
    }

    fn bodies<D: Print>(&mut self, exp: &Exp<D>) {
        match exp {
            Exp::If { then, orelse, .. } => {
                self.indent += 1;
                self.line();
                self.word("then");
                self.indented(then);
                self.line();
                self.word("else");
                self.indented(orelse);
                self.indent -= 1;
            }
            Exp::Kernel { body, .. } | Exp::Loop { body, .. } => {
                self.indented(body);
            }
            _ => {}
        }
    }

    /// All of an expression but its bodies.
    fn head<D: Print>(&mut self, exp: &Exp<D>) {
        match exp {
            Exp::Scalar(se) => self.scalar(se),
            Exp::Index { array, index } => {
                self.name(*array);
                self.word("[");
                self.list(index, |to, at| to.atom(*at));
                self.word("]");
            }
            Exp::Slice { array, slice } => {
                self.name(*array);
                self.slice(slice);
            }
            Exp::Transpose(array) => {
                self.word("transpose ");
                self.name(*array);
            }
            Exp::If { cond, .. } => {
                self.word("if ");
                self.atom(*cond);
            }
            Exp::Kernel { thread, count, .. } => {
                self.word("kernel ");
                self.name(*thread);
                self.word(" <= ");
                self.atom(*count);
            }
            Exp::Loop { carried, counter, count, .. } => {
                self.word("loop");
                for (binding, init) in carried {
                    self.word(" (");
                    self.name(binding.var);
                    self.word(" : ");
                    D::ty(self, &binding.ty);
                    self.word(" = ");
                    self.atom(*init);
                    self.word(")");
                }
                self.word(" for ");
                self.name(*counter);
                self.word(" <= ");
                self.atom(*count);
            }
            Exp::Update { array, slice, value } => {
                self.name(*array);
                self.word(" with ");
                self.slice(slice);
                self.word(" = ");
                self.atom(*value);
            }
            Exp::Extra(extra) => D::extra(self, extra),
        }
    }

    fn slice(&mut self, slice: &[Dim]) {
        self.word("[");
        self.list(slice, |to, dim| {
            to.atom(dim.offset);
            to.word(" : ");
            to.atom(dim.size);
            if dim.stride != Atom::Const(1) {
                to.word(" : ");
                to.atom(dim.stride);
            }
        });
        self.word("]");
    }
}

impl Print for Fun {
    fn ty(to: &mut Printer<'_>, ty: &Ty) {
        match ty {
            Ty::Int => to.word("int"),
            Ty::Array(sizes) => to.sizes(sizes),
        }
    }

    fn extra(_: &mut Printer<'_>, extra: &Never) {
        match *extra {}
    }
}
