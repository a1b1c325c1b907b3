//! Ill-typed programs: a program that is well typed, with one premise broken, whose rule must be the one that refuses it.

use super::build::{self, Build};
use super::{Draw, program};
use crate::generate::Weights;
use arbitrary::Unstructured;
use reference::kit::scalar::BinOp;
use reference::minias::syntax::{
    Cond, Decl, Exp, Function, Init, Item, Kind, Program, Space, Spaces, Stmt, StmtKind, Type,
    UnOp, Written,
};

/// A program that is refused, and by which rule and premise.
#[derive(Clone, Debug)]
pub struct Broken {
    /// The program.
    pub program: Program,
    /// The rule.
    pub rule: &'static str,
    /// Its premise.
    pub premise: &'static str,
}

/// Makes an ill-typed program from bytes. The statement that breaks a premise stands first in the kernel, or is put into
/// another function.
pub fn ill_typed(bytes: &[u8]) -> Broken {
    let (first, rest) = bytes.split_at(bytes.len().min(8));
    let mut program = program(&mut Unstructured::new(rest), &Weights::default()).program;
    let mut bytes = Unstructured::new(first);
    let mut build = Build::new(Draw::new(&mut bytes));
    std::mem::swap(&mut build.names, &mut program.names);
    let (stmts, rule, premise) = broken(&mut build);
    std::mem::swap(&mut build.names, &mut program.names);
    let kernel = program.items.iter_mut().find_map(|item| match item {
        Item::Function(function) if function.kernel => Some(function),
        _ => None,
    });
    put(kernel.expect("a kernel is drawn"), stmts);
    Broken { program, rule, premise }
}

fn put(kernel: &mut Function, mut stmts: Vec<Stmt>) {
    // Variables of the kernel are called otherwise, since names are unique.
    let body = kernel.body.get_or_insert_default();
    stmts.append(body);
    *body = stmts;
}

/// Statements that break a premise.
fn broken(build: &mut Build<'_, '_>) -> (Vec<Stmt>, &'static str, &'static str) {
    let x = build.names.fresh("x");
    let p = build.names.fresh("p");
    let span = build.span();
    let k = build.draw.below(90) as i32;
    let int = build.number(k);
    let ints = build.declared(x, build::int(span), None, None);
    let pointers = build.declared(p, build::pointer_to(span, Space::Private), None, None);
    let (x_exp, p_exp) = (build.var(x), build.var(p));
    let load = |build: &mut Build<'_, '_>, of: Exp| build.exp(Kind::Load(Box::new(of)));
    let ways = 15;
    match build.draw.below(ways) {
        0 => {
            let exp = load(build, int);
            (vec![build.stmt(StmtKind::Exp(exp))], "T-LOAD", "pointer")
        }
        1 => {
            let place = load(build, x_exp);
            (vec![ints, build.stmt(StmtKind::Assign(place, int))], "T-STORE", "pointer")
        }
        2 => (vec![pointers, build.stmt(StmtKind::Assign(p_exp, int))], "T-ASSIGN", "unify"),
        3 => {
            let exp = build.exp(Kind::Unary(UnOp::Neg, Box::new(p_exp)));
            (vec![pointers, build.stmt(StmtKind::Exp(exp))], "T-OP", "operand")
        }
        4 => {
            let other = p_exp.clone();
            let exp = build.both(BinOp::Add, p_exp, other);
            (vec![pointers, build.stmt(StmtKind::Exp(exp))], "T-OFFSET", "operand")
        }
        5 => {
            let exp = build.both(BinOp::Eq, p_exp, int);
            (vec![pointers, build.stmt(StmtKind::Exp(exp))], "T-COMPARE", "pointee")
        }
        6 => {
            let l = build.names.fresh("l");
            let local = build.declared(l, build::pointer_to(span, Space::Local), None, None);
            let l = build.var(l);
            let exp = build.both(BinOp::Lt, p_exp, l);
            (vec![pointers, local, build.stmt(StmtKind::Exp(exp))], "T-COMPARE", "overlap")
        }
        7 => {
            let exp = build.exp(Kind::Cond(Box::new([int, p_exp, x_exp])));
            (vec![ints, pointers, build.stmt(StmtKind::Exp(exp))], "T-COND", "unify")
        }
        8 => {
            let ty = build::pointer_to(span, Space::Local);
            let exp = build.exp(Kind::Cast(ty, Box::new(p_exp)));
            (vec![pointers, build.stmt(StmtKind::Exp(exp))], "T-CAST", "unify")
        }
        9 => {
            let ty = build::pointer_to(span, Space::Constant);
            let exp = build.exp(Kind::Dynamic(ty, Box::new(p_exp)));
            (vec![pointers, build.stmt(StmtKind::Exp(exp))], "T-DYNAMIC", "target")
        }
        10 => {
            let ty = build::pointer_to(span, Space::Global);
            let exp = build.exp(Kind::Dynamic(ty, Box::new(int)));
            (vec![build.stmt(StmtKind::Exp(exp))], "T-DYNAMIC", "pointer")
        }
        11 => (vec![build.stmt(StmtKind::Return(Some(int)))], "T-RETURN", "void"),
        12 => {
            let lies = Written::Name(Space::Global);
            let mut ty = build::int(span);
            ty.lies.written = lies;
            let var = build.names.fresh("y");
            (vec![build.declared(var, ty, None, None)], "T-DECL", "place")
        }
        13 => {
            let row = Written::Row {
                names: Spaces::GENERIC.with(Space::Constant),
                twice: None,
                end: None,
            };
            let mut ty: Type = build::elided_pointer(span);
            ty.stars[0].written = row;
            let var = build.names.fresh("y");
            (vec![build.declared(var, ty, None, None)], "K-ROW", "constant")
        }
        _ => {
            let var = build.names.fresh("y");
            let many = vec![build.number(1), build.number(2), build.number(3)];
            let decl = build.declared(var, build::int(span), Some(2), Some(Init::Many(many)));
            let empty = build.stmt(StmtKind::Empty);
            let inner = build.stmt(StmtKind::If(Cond::Exp(int), Box::new(empty), None));
            (vec![inner, decl], "T-DECL", "initialiser")
        }
    }
}

impl Build<'_, '_> {
    fn declared(
        &mut self,
        var: reference::kit::names::Var,
        ty: Type,
        extent: Option<u32>,
        init: Option<Init>,
    ) -> Stmt {
        let span = self.span();
        Stmt { span, kind: StmtKind::Decl(Decl { span, var, ty, extent, init }) }
    }
}
