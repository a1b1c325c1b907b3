//! From MiniAS to text: what [`parse`](super::parse) reads back as the same program.

use super::syntax::{
    Cond, Decl, Exp, Function, INFIX, Init, Item, Kind, Op, Program, Stmt, StmtKind, Type, UnOp,
    Written,
};
use crate::kit::names::{Names, Var};
use crate::kit::scalar::BinOp;
use std::fmt::Write;

/// Expressions that have a text.
pub(super) trait Text {
    /// The expression as text.
    fn text(&self, names: &Names) -> String;
}

impl Text for Exp {
    fn text(&self, names: &Names) -> String {
        exp(names, self)
    }
}

/// The program as text.
pub fn program(program: &Program) -> String {
    with_passed(program, &|_| Vec::new())
}

/// The program as text, with what each function is passed before its parameters.
pub(super) fn with_passed<E: Text>(
    program: &Program<E>,
    passed: &dyn Fn(Var) -> Vec<String>,
) -> String {
    let mut printer = Printer { names: &program.names, passed, text: String::new(), depth: 0 };
    for item in &program.items {
        match item {
            Item::Constant(decl) => {
                let text = decl_text(printer.names, decl);
                printer.line(&format!("{text};"));
            }
            Item::Function(function) => printer.function(function),
        }
    }
    printer.text
}

/// A space as it is written; nothing, if it is elided.
pub fn space(names: &Names, written: Written) -> String {
    match written {
        Written::Elided => String::new(),
        Written::Generic => "generic".to_owned(),
        Written::Name(space) => space.name().to_owned(),
        Written::Row { names: spaces, twice: None, end: Some(end) } if spaces.is_empty() => {
            format!("ASpace {}", names.text(end))
        }
        Written::Row { names: spaces, twice, end } => {
            let again = twice.map_or(String::new(), |space| format!(", {space}"));
            let end = end.map_or(String::new(), |end| format!(" | {}", names.text(end)));
            format!("ASpace {{{}{again}{end}}}", spaces.text())
        }
    }
}

/// A type as it stands before a name, without a blank behind it where it ends in a star.
pub fn ty(names: &Names, ty: &Type) -> String {
    if ty.void {
        return "void".to_owned();
    }
    let spaces = ty.stars.iter().chain([&ty.lies]).map(|at| space(names, at.written));
    let mut text = String::new();
    for (at, space) in spaces.enumerate() {
        if at == 0 {
            if !space.is_empty() {
                text += &space;
                text.push(' ');
            }
            text += "int";
        } else {
            text += if text.ends_with('*') { "*" } else { " *" };
            if !space.is_empty() {
                text.push(' ');
                text += &space;
            }
        }
    }
    text
}

/// The expression.
pub fn exp(names: &Names, exp: &Exp) -> String {
    let mut text = String::new();
    write_exp(names, exp, 0, &mut text);
    text
}

/// The statement on one line, without what stands in it.
pub fn statement(names: &Names, stmt: &Stmt) -> String {
    head(names, stmt)
}

/// The same of any expressions.
pub(super) fn head<E: Text>(names: &Names, stmt: &Stmt<E>) -> String {
    match &stmt.kind {
        StmtKind::Empty => ";".to_owned(),
        StmtKind::Block(_) => "{ … }".to_owned(),
        StmtKind::If(cond, ..) => format!("if ({}) …", cond_text(names, cond)),
        StmtKind::While(condition, _) => format!("while ({}) …", condition.text(names)),
        StmtKind::For(parts) => format!("for (…; {}; …) …", parts.while_.text(names)),
        StmtKind::Return(None) => "return;".to_owned(),
        StmtKind::Return(Some(result)) => format!("return {};", result.text(names)),
        StmtKind::Barrier(space) => format!("barrier({space});"),
        StmtKind::Decl(_) | StmtKind::Exp(_) | StmtKind::Assign(..) => {
            format!("{};", simple(names, stmt))
        }
    }
}

/// How tightly a conditional, a prefix and a postfix bind; infix operators lie between the first two.
const COND: u8 = 0;
const UNARY: u8 = 11;
const POSTFIX: u8 = 12;

/// How an infix operator is written, and how tightly it binds.
pub(super) fn infix(op: Op) -> (&'static str, u8) {
    let found = INFIX.iter().find(|(.., known)| *known == op);
    let (text, strength, _) = found.expect("MiniAS writes all of its operators infix");
    (text, *strength)
}

/// The expression, in brackets if it does not bind at least as tightly as `at_least`.
fn write_exp(names: &Names, exp: &Exp, at_least: u8, to: &mut String) {
    let strength = match &exp.kind {
        Kind::Cond(_) => COND,
        Kind::Binary(op, ..) => infix(*op).1,
        Kind::Load(sum) if indexed(sum).is_some() => POSTFIX,
        Kind::Int(k) if *k < 0 => UNARY,
        Kind::Unary(..) | Kind::Load(_) | Kind::Address(_) | Kind::Cast(..) => UNARY,
        _ => POSTFIX,
    };
    if strength < at_least {
        to.push('(');
        write_exp(names, exp, 0, to);
        to.push(')');
        return;
    }
    match &exp.kind {
        Kind::Int(k) => write!(to, "{k}").expect("a string takes all"),
        Kind::Null => to.push_str("NULL"),
        Kind::Var(var) => to.push_str(names.text(*var)),
        Kind::Unary(op, part) => {
            to.push_str(op.text());
            // `-5` is a number, and `--` starts a comment.
            let number = *op == UnOp::Neg && matches!(part.kind, Kind::Int(k) if k >= 0);
            if *op == UnOp::Neg && matches!(part.kind, Kind::Int(..0) | Kind::Unary(UnOp::Neg, _)) {
                to.push(' ');
            }
            write_exp(names, part, if number { POSTFIX + 1 } else { UNARY }, to);
        }
        Kind::Binary(op, left, right) => {
            let (text, strength) = infix(*op);
            write_exp(names, left, strength, to);
            write!(to, " {text} ").expect("a string takes all");
            write_exp(names, right, strength + 1, to);
        }
        Kind::Load(sum) => match indexed(sum) {
            Some((base, index)) => {
                write_exp(names, base, POSTFIX, to);
                to.push('[');
                write_exp(names, index, 0, to);
                to.push(']');
            }
            None => {
                to.push('*');
                write_exp(names, sum, UNARY, to);
            }
        },
        Kind::Address(place) => {
            to.push('&');
            if matches!(place.kind, Kind::Address(_)) {
                to.push(' ');
            }
            write_exp(names, place, UNARY, to);
        }
        Kind::Cond(parts) => {
            let [condition, then, otherwise] = &**parts;
            write_exp(names, condition, COND + 1, to);
            to.push_str(" ? ");
            write_exp(names, then, COND, to);
            to.push_str(" : ");
            write_exp(names, otherwise, COND, to);
        }
        Kind::Call(function, args) => {
            to.push_str(names.text(*function));
            to.push('(');
            write_list(names, args, to);
            to.push(')');
        }
        Kind::Builtin(builtin) => write!(to, "{}(0)", builtin.name()).expect("a string takes all"),
        Kind::Cast(target, part) => {
            write!(to, "({}) ", ty(names, target)).expect("a string takes all");
            write_exp(names, part, UNARY, to);
        }
        Kind::Dynamic(target, part) => {
            write!(to, "dynamic_cast<{}>(", ty(names, target)).expect("a string takes all");
            write_exp(names, part, 0, to);
            to.push(')');
        }
    }
}

/// `p` and `i` of `p[i]`, which is `*(p + i)`.
fn indexed(sum: &Exp) -> Option<(&Exp, &Exp)> {
    match &sum.kind {
        Kind::Binary(Op::Scalar(BinOp::Add), base, index) => Some((base, index)),
        _ => None,
    }
}

fn write_list(names: &Names, exps: &[Exp], to: &mut String) {
    for (at, exp) in exps.iter().enumerate() {
        if at > 0 {
            to.push_str(", ");
        }
        write_exp(names, exp, 0, to);
    }
}

/// `τ x[n] = e`
fn decl_text<E: Text>(names: &Names, decl: &Decl<E>) -> String {
    let mut text = declared(&ty(names, &decl.ty), names.text(decl.var));
    if let Some(extent) = decl.extent {
        write!(text, "[{extent}]").expect("a string takes all");
    }
    match &decl.init {
        None => {}
        Some(Init::One(init)) => {
            text.push_str(" = ");
            text.push_str(&init.text(names));
        }
        Some(Init::Many(inits)) => {
            text.push_str(" = {");
            let inits: Vec<String> = inits.iter().map(|init| init.text(names)).collect();
            text.push_str(&inits.join(", "));
            text.push('}');
        }
    }
    text
}

/// `int x`, `int *x`
fn declared(ty: &str, name: &str) -> String {
    let blank = if ty.ends_with('*') { "" } else { " " };
    format!("{ty}{blank}{name}")
}

fn cond_text<E: Text>(names: &Names, cond: &Cond<E>) -> String {
    match cond {
        Cond::Exp(condition) => condition.text(names),
        Cond::Decl(decl) => decl_text(names, decl),
    }
}

/// A declaration, an expression or an assignment, without its semicolon.
fn simple<E: Text>(names: &Names, stmt: &Stmt<E>) -> String {
    match &stmt.kind {
        StmtKind::Decl(decl) => decl_text(names, decl),
        StmtKind::Assign(place, value) => format!("{} = {}", place.text(names), value.text(names)),
        StmtKind::Exp(value) => value.text(names),
        _ => unreachable!("no statement stands in a simple one"),
    }
}

struct Printer<'p> {
    names: &'p Names,
    passed: &'p dyn Fn(Var) -> Vec<String>,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        let indent = "    ".repeat(self.depth);
        writeln!(self.text, "{indent}{text}").expect("a string takes all");
    }

    fn function<E: Text>(&mut self, function: &Function<E>) {
        let names = self.names;
        let params = function.params.iter().map(|param| {
            let ty = ty(names, &param.ty);
            param.var.map_or(ty.clone(), |var| declared(&ty, names.text(var)))
        });
        let mut all = (self.passed)(function.name);
        all.extend(params);
        let params = all.join(", ");
        let kernel = if function.kernel { "kernel " } else { "" };
        let name = declared(&ty(names, &function.result), names.text(function.name));
        let head = format!("{kernel}{name}({params})");
        match &function.body {
            None => self.line(&format!("{head};")),
            Some(body) => {
                self.line(&format!("{head} {{"));
                self.stmts(body);
                self.line("}");
            }
        }
    }

    fn stmts<E: Text>(&mut self, stmts: &[Stmt<E>]) {
        self.depth += 1;
        stmts.iter().for_each(|stmt| self.stmt(stmt));
        self.depth -= 1;
    }

    fn stmt<E: Text>(&mut self, stmt: &Stmt<E>) {
        let names = self.names;
        match &stmt.kind {
            StmtKind::Block(body) => {
                self.line("{");
                self.stmts(body);
                self.line("}");
            }
            StmtKind::If(cond, then, otherwise) => {
                self.line(&format!("if ({})", cond_text(names, cond)));
                // An `else` behind a conditional in brackets is its own.
                self.branch(then, otherwise.is_some());
                if let Some(otherwise) = otherwise {
                    self.line("else");
                    self.branch(otherwise, false);
                }
            }
            StmtKind::While(condition, body) => {
                self.line(&format!("while ({})", condition.text(names)));
                self.branch(body, false);
            }
            StmtKind::For(parts) => {
                let first = parts.first.as_ref().map_or(String::new(), |stmt| simple(names, stmt));
                let next = parts.next.as_ref().map_or(String::new(), |stmt| simple(names, stmt));
                let condition = parts.while_.text(names);
                self.line(&format!("for ({first}; {condition}; {next})"));
                self.branch(&parts.body, false);
            }
            _ => self.line(&head(names, stmt)),
        }
    }

    /// A statement below another one.
    fn branch<E: Text>(&mut self, stmt: &Stmt<E>, before_else: bool) {
        let block = matches!(stmt.kind, StmtKind::Block(_));
        assert!(
            !before_else || !swallows_else(stmt),
            "the parser gives an `else` to the nearest `if`"
        );
        self.depth += usize::from(!block);
        self.stmt(stmt);
        self.depth -= usize::from(!block);
    }
}

/// Would an `else` behind the statement be taken for its own?
fn swallows_else<E>(stmt: &Stmt<E>) -> bool {
    match &stmt.kind {
        StmtKind::If(_, _, None) => true,
        StmtKind::If(_, _, Some(otherwise)) => swallows_else(otherwise),
        StmtKind::While(_, body) => swallows_else(body),
        StmtKind::For(parts) => swallows_else(&parts.body),
        _ => false,
    }
}
