//! Ill-typed programs: a program that is well typed, with one premise broken, whose rule must be the one that refuses it.

use super::build::{self, Build};
use super::{Draw, program};
use crate::generate::Weights;
use arbitrary::Unstructured;
use reference::kit::dice::Dice;
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

/// Percentage of programs of which a campaign breaks a premise.
const BROKEN: u64 = 20;

/// The place of the schedule from which the premise is drawn.
const PREMISE_AT: u64 = 1 << 21;

/// The premise that a campaign breaks besides, of a program of this schedule in the mode `infer`: bytes that choose it.
pub fn premise(schedule: u64) -> Option<[u8; 8]> {
    let mut dice = Dice::new(Dice::at(schedule, PREMISE_AT));
    (dice.below(100) < BROKEN).then(|| dice.roll().to_le_bytes())
}

/// Makes an ill-typed program from bytes.
///
/// # Panics
/// If what is drawn has no kernel.
pub fn ill_typed(bytes: &[u8]) -> Broken {
    let (first, rest) = bytes.split_at(bytes.len().min(8));
    let program = program(&mut Unstructured::new(rest), &Weights::default()).program;
    broken(program, first).expect("a kernel is drawn")
}

/// A program that is well typed in the mode `infer`, with a premise broken that the bytes choose. The statements that break
/// it stand first in the kernel. Nothing of a program without one.
pub fn broken(mut program: Program, bytes: &[u8]) -> Option<Broken> {
    let mut bytes = Unstructured::new(bytes);
    let mut build = Build::new(Draw::new(&mut bytes));
    std::mem::swap(&mut build.names, &mut program.names);
    let (constant, (stmts, rule, premise)) = match build.draw.below(WAYS + OF_ROWS) {
        way if way < WAYS => (None, statements(&mut build, way)),
        way => rows(&mut build, way - WAYS),
    };
    std::mem::swap(&mut build.names, &mut program.names);
    let kernel = program.items.iter_mut().find_map(|item| match item {
        Item::Function(function) if function.kernel => Some(function),
        _ => None,
    });
    put(kernel?, stmts);
    program.items.splice(0..0, constant);
    Some(Broken { program, rule, premise })
}

fn put(kernel: &mut Function, mut stmts: Vec<Stmt>) {
    let body = kernel.body.get_or_insert_default();
    stmts.append(body);
    *body = stmts;
}

/// Ways to break a premise of a rule of types, and ways to break one of rows.
const WAYS: usize = 15;
const OF_ROWS: usize = 5;

/// Statements, and the rule and premise that refuse them.
type Refused = (Vec<Stmt>, &'static str, &'static str);

/// Statements that break a premise of rows, with a constant that they need.
fn rows(build: &mut Build<'_, '_>, way: usize) -> (Option<Item>, Refused) {
    let span = build.span();
    let [x, y, t, r] = ["x", "y", "t", "r"].map(|text| build.names.fresh(text));
    let row = |names: Spaces, end| {
        let mut ty = build::elided_pointer(span);
        ty.stars[0].written = Written::Row { names, twice: None, end };
        ty
    };
    let [local, private] = [Space::Local, Space::Private];
    let (first, second) = match way {
        // The row of `x` is closed, and what is assigned is of another space.
        0 => (build::pointer_to(span, private), build::pointer_to(span, local)),
        // Rows with other names before one end.
        1 => (row(Spaces::one(private), Some(r)), row(Spaces::one(local), Some(r))),
        // A row in its own end.
        2 => (row(Spaces::NONE, Some(r)), row(Spaces::one(local), Some(r))),
        _ => (build::elided_pointer(span), build::elided_pointer(span)),
    };
    let mut stmts =
        vec![build.declared(x, first, None, None), build.declared(y, second, None, None)];
    let mut assign = |build: &mut Build<'_, '_>, to: Exp, from: Exp| {
        stmts.push(build.stmt(StmtKind::Assign(to, from)));
    };
    let [x, y, name] = [x, y, t].map(|var| build.var(var));
    if way < 3 {
        assign(build, x, y);
        return (None, (stmts, "T-ASSIGN", "unify"));
    }
    let constant = {
        let mut ty = build::int(span);
        ty.lies.written = Written::Name(Space::Constant);
        let init = Some(Init::Many(vec![build.number(3)]));
        Some(Item::Constant(Decl { span, var: t, ty, extent: Some(2), init }))
    };
    if way == 3 {
        // What is stored to is not constant, and is what `y` is.
        let (place, one) = (build.exp(Kind::Load(Box::new(x.clone()))), build.number(1));
        assign(build, place, one);
        assign(build, y.clone(), x);
        assign(build, y, name);
        return (constant, (stmts, "T-STORE", "constant"));
    }
    // Constant stands in no row with another name.
    let p = build.names.fresh("p");
    let from = build.var(p);
    assign(build, x.clone(), from);
    assign(build, x, name);
    stmts.insert(0, build.declared(p, build::pointer_to(span, private), None, None));
    (constant, (stmts, "=>E", "lacks"))
}

/// Statements that break a premise.
fn statements(build: &mut Build<'_, '_>, way: usize) -> Refused {
    let x = build.names.fresh("x");
    let p = build.names.fresh("p");
    let span = build.span();
    let k = build.draw.below(90) as i32;
    let int = build.number(k);
    let ints = build.declared(x, build::int(span), None, None);
    let pointers = build.declared(p, build::pointer_to(span, Space::Private), None, None);
    let (x_exp, p_exp) = (build.var(x), build.var(p));
    let load = |build: &mut Build<'_, '_>, of: Exp| build.exp(Kind::Load(Box::new(of)));
    match way {
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
