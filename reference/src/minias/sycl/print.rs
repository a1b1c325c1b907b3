//! From MiniSYCL to text: what [`parse`](super::parse) reads back as the same program.

use super::syntax::{
    Base, Behind, Captures, Cond, Decl, Exp, Function, Init, Item, Kind, Name, Param, Place,
    Program, Stmt, StmtKind, Struct, Type,
};
use crate::kit::scalar::BinOp;
use crate::minias::print::infix;
use crate::minias::syntax::{Op, UnOp};
use std::fmt::Write;

/// The program as text.
pub fn program(program: &Program) -> String {
    let mut printer = Printer::default();
    for item in &program.items {
        match item {
            Item::Struct(item) => printer.structure(item),
            Item::Function(item) => printer.function(item),
        }
    }
    printer.text
}

fn place(place: Place) -> &'static str {
    match place {
        Place::Named(space) => space.name(),
        Place::Generic => "generic",
    }
}

/// The type, without a blank behind it.
pub fn ty(of: &Type) -> String {
    let mut text = if of.is_const { "const ".to_owned() } else { String::new() };
    match &of.base {
        Base::Int => text += "int",
        Base::Bool => text += "bool",
        Base::Void => text += "void",
        Base::Auto => text += "auto",
        Base::Decltype(of) => text += &format!("decltype({})", exp(of)),
        Base::Named(name, types) => text += &format!("{}{}", name.text, args_of_types(types)),
        Base::Pointer(Place::Named(space), to) => text += &format!("{space}_ptr<{}>", ty(to)),
        Base::Pointer(Place::Generic, to) => {
            text += &format!("multi_ptr<{}, generic_space>", ty(to));
        }
    }
    if !of.behind.is_empty() {
        text.push(' ');
    }
    for behind in &of.behind {
        text.push(if *behind == Behind::Star { '*' } else { '&' });
    }
    text
}

/// `<τ, …>`, if there are some.
fn args_of_types(types: &[Type]) -> String {
    if types.is_empty() {
        return String::new();
    }
    format!("<{}>", types.iter().map(ty).collect::<Vec<_>>().join(", "))
}

/// `int x`, `int *x`
fn declared(of: &Type, name: &Name) -> String {
    let blank = if of.behind.is_empty() { " " } else { "" };
    format!("{}{blank}{}", ty(of), name.text)
}

fn params(params: &[Param]) -> String {
    let param = |param: &Param| {
        param.name.as_ref().map_or_else(|| ty(&param.ty), |name| declared(&param.ty, name))
    };
    params.iter().map(param).collect::<Vec<_>>().join(", ")
}

/// The expression.
pub fn exp(of: &Exp) -> String {
    let mut printer = Printer::default();
    printer.exp(of, 0);
    printer.text
}

/// How tightly a conditional, a prefix and a postfix bind; infix operators lie between the first two.
const COND: u8 = 0;
const UNARY: u8 = 11;
const POSTFIX: u8 = 12;

fn strength(of: &Exp) -> u8 {
    match &of.kind {
        Kind::Cond(_) => COND,
        Kind::Binary(op, ..) => infix(*op).1,
        Kind::Load(sum) if indexed(sum).is_some() => POSTFIX,
        Kind::Int(k) if *k < 0 => UNARY,
        Kind::Unary(..) | Kind::Load(_) | Kind::Address(_) | Kind::Cast(..) => UNARY,
        _ => POSTFIX,
    }
}

/// `p` and `i` of `p[i]`, which is `*(p + i)`.
fn indexed(sum: &Exp) -> Option<(&Exp, &Exp)> {
    match &sum.kind {
        Kind::Binary(Op::Scalar(BinOp::Add), base, index) => Some((base, index)),
        _ => None,
    }
}

#[derive(Default)]
struct Printer {
    text: String,
    depth: usize,
}

impl Printer {
    fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// The expression, in brackets if it does not bind at least as tightly as `at_least`.
    fn exp(&mut self, of: &Exp, at_least: u8) {
        if strength(of) < at_least {
            self.put("(");
            self.exp(of, 0);
            self.put(")");
            return;
        }
        match &of.kind {
            Kind::Int(k) => write!(self.text, "{k}").expect("a string takes all"),
            Kind::Null => self.put("nullptr"),
            Kind::Name(name) => self.put(name),
            Kind::Unary(op, part) => self.prefix(*op, part),
            Kind::Binary(op, left, right) => {
                let (text, strength) = infix(*op);
                self.exp(left, strength);
                write!(self.text, " {text} ").expect("a string takes all");
                self.exp(right, strength + 1);
            }
            Kind::Load(sum) => match indexed(sum) {
                Some((base, index)) => {
                    self.exp(base, POSTFIX);
                    self.put("[");
                    self.exp(index, 0);
                    self.put("]");
                }
                None => {
                    self.put("*");
                    self.exp(sum, UNARY);
                }
            },
            Kind::Address(place) => {
                self.put(if matches!(place.kind, Kind::Address(_)) { "& " } else { "&" });
                self.exp(place, UNARY);
            }
            Kind::Cond(parts) => {
                self.exp(&parts[0], COND + 1);
                self.put(" ? ");
                self.exp(&parts[1], COND);
                self.put(" : ");
                self.exp(&parts[2], COND);
            }
            Kind::Call(function, types, args) => {
                self.put(&function.text);
                self.put(&args_of_types(types));
                self.put("(");
                self.list(args);
                self.put(")");
            }
            Kind::Builtin(builtin) => {
                write!(self.text, "{}(0)", builtin.name()).expect("a string takes all");
            }
            Kind::Cast(target, part) => {
                write!(self.text, "({}) ", ty(target)).expect("a string takes all");
                self.exp(part, UNARY);
            }
            Kind::Dynamic(target, part) => self.cast("dynamic_cast", &ty(target), part),
            Kind::SpaceCast { dynamic, to, of } => {
                let name = if *dynamic { "dynamic_addrspace_cast" } else { "address_space_cast" };
                self.cast(name, &format!("{}_space", place(*to)), of);
            }
            Kind::Member(of, field) => {
                self.exp(of, POSTFIX);
                write!(self.text, ".{}", field.text).expect("a string takes all");
            }
            Kind::Lambda(lambda) => {
                let captures = match &lambda.captures {
                    Captures::Nothing => String::new(),
                    Captures::Copies => "=".to_owned(),
                    Captures::References => "&".to_owned(),
                    Captures::Names(names) => {
                        names.iter().map(|name| &*name.text).collect::<Vec<_>>().join(", ")
                    }
                };
                write!(self.text, "[{captures}]({}) ", params(&lambda.params))
                    .expect("a string takes all");
                self.body(&lambda.body);
            }
        }
    }

    fn prefix(&mut self, op: UnOp, part: &Exp) {
        self.put(op.text());
        // `-5` is a number, and `--` starts a comment.
        let number = op == UnOp::Neg && matches!(part.kind, Kind::Int(k) if k >= 0);
        if op == UnOp::Neg && matches!(part.kind, Kind::Int(..0) | Kind::Unary(UnOp::Neg, _)) {
            self.put(" ");
        }
        self.exp(part, if number { POSTFIX + 1 } else { UNARY });
    }

    fn cast(&mut self, name: &str, to: &str, part: &Exp) {
        write!(self.text, "{name}<{to}>(").expect("a string takes all");
        self.exp(part, 0);
        self.put(")");
    }

    fn list(&mut self, exps: &[Exp]) {
        for (at, exp) in exps.iter().enumerate() {
            if at > 0 {
                self.put(", ");
            }
            self.exp(exp, 0);
        }
    }

    fn line(&mut self) {
        self.put("\n");
        self.put(&"    ".repeat(self.depth));
    }

    /// `{ s … }`
    fn body(&mut self, stmts: &[Stmt]) {
        self.put("{");
        self.depth += 1;
        for stmt in stmts {
            self.line();
            self.stmt(stmt);
        }
        self.depth -= 1;
        if !stmts.is_empty() {
            self.line();
        }
        self.put("}");
    }

    fn template(&mut self, types: &[Name]) {
        if types.is_empty() {
            return;
        }
        let types: Vec<String> =
            types.iter().map(|name| format!("typename {}", name.text)).collect();
        writeln!(self.text, "template<{}>", types.join(", ")).expect("a string takes all");
    }

    fn structure(&mut self, item: &Struct) {
        self.template(&item.types);
        writeln!(self.text, "struct {} {{", item.name.text).expect("a string takes all");
        for (ty, name) in &item.fields {
            writeln!(self.text, "    {};", declared(ty, name)).expect("a string takes all");
        }
        self.put("};\n");
    }

    fn function(&mut self, item: &Function) {
        self.template(&item.types);
        let kernel = if item.kernel { "kernel " } else { "" };
        let head = declared(&item.result, &item.name);
        write!(self.text, "{kernel}{head}({}) ", params(&item.params)).expect("a string takes all");
        self.body(&item.body);
        self.put("\n");
    }

    fn decl(&mut self, decl: &Decl) {
        self.put(&declared(&decl.ty, &decl.name));
        if let Some(extent) = decl.extent {
            write!(self.text, "[{extent}]").expect("a string takes all");
        }
        match &decl.init {
            None => {}
            Some(Init::One(init)) => {
                self.put(" = ");
                self.exp(init, 0);
            }
            Some(Init::Many(inits)) => {
                self.put(" = {");
                self.list(inits);
                self.put("}");
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Empty => self.put(";"),
            StmtKind::Block(body) => self.body(body),
            StmtKind::If(cond, then, otherwise) => {
                self.put("if (");
                match cond {
                    Cond::Exp(condition) => self.exp(condition, 0),
                    Cond::Decl(decl) => self.decl(decl),
                }
                self.put(") ");
                self.stmt(then);
                if let Some(otherwise) = otherwise {
                    self.put(" else ");
                    self.stmt(otherwise);
                }
            }
            StmtKind::While(condition, body) => {
                self.put("while (");
                self.exp(condition, 0);
                self.put(") ");
                self.stmt(body);
            }
            StmtKind::For(parts) => {
                self.put("for (");
                parts.first.iter().for_each(|first| self.simple(first));
                self.put("; ");
                self.exp(&parts.while_, 0);
                self.put("; ");
                parts.next.iter().for_each(|next| self.simple(next));
                self.put(") ");
                self.stmt(&parts.body);
            }
            StmtKind::Return(result) => {
                self.put("return");
                if let Some(result) = result {
                    self.put(" ");
                    self.exp(result, 0);
                }
                self.put(";");
            }
            StmtKind::Barrier(space) => {
                write!(self.text, "barrier({space});").expect("a string takes all");
            }
            StmtKind::Assert(of) => {
                let [one, other] = [0, 1].map(|at| ty(&of.types[at]));
                write!(self.text, "static_assert(std::is_same<{one}, {other}>::value")
                    .expect("a string takes all");
                of.and.iter().for_each(|text| self.put(&format!(" && \"{text}\"")));
                of.text.iter().for_each(|text| self.put(&format!(", \"{text}\"")));
                self.put(");");
            }
            StmtKind::Decl(_) | StmtKind::Assign(..) | StmtKind::Exp(_) => {
                self.simple(stmt);
                self.put(";");
            }
        }
    }

    /// A declaration, an expression or an assignment, without its semicolon.
    fn simple(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::Assign(place, value) => {
                self.exp(place, 0);
                self.put(" = ");
                self.exp(value, 0);
            }
            StmtKind::Exp(value) => self.exp(value, 0),
            other => unreachable!("{other:?} is no simple statement"),
        }
    }
}
