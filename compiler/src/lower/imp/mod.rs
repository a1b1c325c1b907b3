//! IMP to the device language.
//!
//! Statements outside of kernels become the host's; an outermost kernel is a `par` of the host,
//! a nested one a `par` of its thread. Both languages count threads and rounds from 1, blocks
//! from 0, and get stuck at the same statement for the same reason: what the device language
//! tests itself (a zero divisor, an access outside of a block, the size of an allocation) is left
//! to it, counts of kernels and loops get a `check`.
//!
//! A kernel restores the environment after each iteration. So a variable from outside that its
//! body assigns is copied into one of the iteration. Nests of kernels that copy become copies of the
//! host (`copies.rs`), and a variable is declared with its first value (`begin.rs`).

mod begin;
mod copies;
mod host;
mod kernel;

use super::address::{self, Scope};
use begin::Assignments;
use reference::device::syntax::{
    Carried, Check, Element, Exp, I32, If, Loop, Output, Param, Place, Program, Sc, Shown, Site,
    Stm, Ty, U32,
};
use reference::fun::syntax::{Atom, Se};
use reference::imp::syntax as imp;
use reference::kit::decisions::Decisions;
use reference::kit::faults::{Fault, Planted};
use reference::kit::names::{Names, Var, Wish};
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::{Refused, Span};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// Sites that a program of many has room for without growing their table.
const SITES: usize = 56;

/// `program` in the device language.
///
/// # Errors
/// An `alloc` inside of a kernel: blocks are made by the host.
pub fn lower(
    program: &imp::Program,
    planted: Planted,
    decisions: &mut Decisions,
) -> Result<Program, Refused> {
    let mut to = Lower {
        names: program.names.clone(),
        sites: Vec::new(),
        numbers: FxHashMap::with_capacity_and_hasher(SITES, FxBuildHasher),
        bound: vec![None; program.names.len()],
        assigned: Assigned::default(),
        assignments: Assignments::of(program),
        known: Known::default(),
        less_one: FxHashMap::default(),
        planted,
        decisions,
    };
    let params = program.params.iter().map(|param| to.param(param)).collect();
    let host = to.host_block(&program.body)?;
    let results = program.results.iter().map(|output| to.output(output)).collect();
    Ok(Program { names: to.names, sites: to.sites, params, host, results, ..Program::default() })
}

/// What an IMP variable is in the device program, where the lowering stands.
#[derive(Clone, Copy)]
enum Bound {
    /// A value: a host variable, or what an iteration binds.
    Value(Var, imp::Ty),
    /// A thread or a round: a value that is at least 1.
    Count(Var),
    /// A variable of a thread.
    Place(Var, imp::Ty),
}

impl Bound {
    fn value(self) -> Exp {
        match self {
            Bound::Value(var, _) | Bound::Count(var) => Exp::Var(var),
            Bound::Place(var, _) => Exp::load(Place::Var(var)),
        }
    }

    fn ty(self) -> imp::Ty {
        match self {
            Bound::Value(_, ty) | Bound::Place(_, ty) => ty,
            Bound::Count(_) => imp::Ty::Int,
        }
    }
}

/// Variables that surely hold a block, by slot.
#[derive(Clone, Default)]
struct Assigned(Vec<bool>);

impl Assigned {
    /// Whether it was not known before.
    fn insert(&mut self, var: Var) -> bool {
        if self.0.len() <= var.slot() {
            self.0.resize(var.slot() + 1, false);
        }
        !std::mem::replace(&mut self.0[var.slot()], true)
    }

    fn has(&self, var: Var) -> bool {
        self.0.get(var.slot()).is_some_and(|known| *known)
    }

    fn remove(&mut self, var: Var) {
        if let Some(known) = self.0.get_mut(var.slot()) {
            *known = false;
        }
    }

    /// Those of both.
    fn and(&mut self, other: &Assigned) {
        self.0.truncate(other.0.len());
        self.0.iter_mut().zip(&other.0).for_each(|(known, other)| *known &= other);
    }
}

struct Lower<'p> {
    names: Names,
    sites: Vec<Site>,
    /// Numbers of the sites.
    numbers: FxHashMap<Site, u32>,
    /// What IMP's variables are, by slot.
    bound: Vec<Option<Bound>>,
    /// Variables that surely hold a block where the lowering stands.
    assigned: Assigned,
    /// How often variables are assigned to.
    assignments: Assignments,
    known: Known<'p>,
    /// Variables of kernels that hold 1 less than others.
    less_one: FxHashMap<Var, Var>,
    planted: Planted,
    decisions: &'p mut Decisions,
}

/// What checks on the way to where the lowering stands tell of variables that have the same values since.
#[derive(Clone, Default)]
struct Known<'p> {
    /// Offsets for which 32 bits do.
    exact: Vec<&'p Se>,
    /// Variables that are at least 1.
    positive: Vec<Var>,
}

impl Known<'_> {
    fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.positive.is_empty()
    }

    /// Behind this check an index and its extent are at least 1.
    fn checks_index(&mut self, operands: &[Se]) {
        for operand in operands {
            if let Se::Atom(Atom::Var(var)) = operand
                && !self.positive.contains(var)
            {
                self.positive.push(*var);
            }
        }
    }

    /// The variable has another value from now on.
    fn forget(&mut self, var: Var) {
        self.exact.retain(|se| !address::mentions(se, var));
        self.positive.retain(|positive| *positive != var);
    }
}

impl Scope for Lower<'_> {
    fn value(&self, var: Var) -> Exp {
        self.find(var).value()
    }

    fn counts(&self, var: Var) -> bool {
        matches!(self.find(var), Bound::Count(_)) || self.known.positive.contains(&var)
    }

    fn less_one(&self, var: Var) -> Option<Exp> {
        self.less_one.get(&var).map(|less| Exp::Var(*less))
    }
}

impl<'p> Lower<'p> {
    /// # Panics
    /// If the program is not well typed: every name is declared before it is used.
    fn find(&self, var: Var) -> Bound {
        self.bound[var.slot()]
            .unwrap_or_else(|| panic!("`{}` is used before it is declared", self.names.text(var)))
    }

    /// Is it declared already, where the lowering stands?
    fn is_declared(&self, var: Var) -> bool {
        matches!(self.bound.get(var.slot()), Some(Some(_)))
    }

    fn bind(&mut self, var: Var, bound: Bound) {
        if self.bound.len() <= var.slot() {
            self.bound.resize(var.slot() + 1, None);
        }
        self.bound[var.slot()] = Some(bound);
    }

    fn atom(&self, atom: Atom) -> Exp {
        address::wrapping(&Se::Atom(atom), self)
    }

    fn se(&self, se: &Se) -> Exp {
        address::wrapping(se, self)
    }

    fn site(&mut self, span: Span, cause: Cause) -> u32 {
        let site = Site { span, cause };
        let next = self.sites.len() as u32;
        let number = *self.numbers.entry(site).or_insert(next);
        if number == next {
            self.sites.push(site);
        }
        number
    }

    fn check(&mut self, span: Span, cause: Cause, operands: Vec<Exp>, path: &[Var]) -> Check {
        let path = path.iter().map(|var| Exp::Var(*var)).collect();
        Check { site: self.site(span, cause), operands, path, order: None }
    }

    /// A block that is about to be used. Unless it surely is one, the test that it is comes
    /// first, as a statement of the host or of a thread (`check` says which).
    fn block_of<K>(
        &mut self,
        span: Span,
        var: Var,
        path: &[Var],
        statement: impl Fn(If<K>) -> K,
        check: impl Fn(Check) -> K,
        out: &mut Vec<Stm<K>>,
    ) -> Exp {
        let block = self.value(var);
        if self.assigned.insert(var) {
            let stuck = self.check(span, Cause::NoBlock, Vec::new(), path);
            let then = vec![Stm { span, kind: check(stuck) }];
            let base = Exp::Base(Box::new(block.clone()));
            let cond = Exp::bin(BinOp::Eq, base, Exp::u32(0));
            out.push(Stm { span, kind: statement(If { cond, then, orelse: Vec::new() }) });
        }
        block
    }

    /// A variable is declared anew: it holds no block.
    fn declare(&mut self, var: Var, bound: Bound) {
        self.assigned.remove(var);
        self.bind(var, bound);
    }

    /// Is this check dropped by the planted fault?
    fn dropped(&self, cause: Cause) -> bool {
        self.planted.is(Fault::B1) && cause == Cause::Index
    }

    /// A new variable, called like `var`.
    fn like(&mut self, var: Var) -> Var {
        self.names.fresh(Wish::Like(var))
    }

    fn param(&mut self, param: &'p imp::Param) -> Param {
        let ty = if param.shape.is_some() { imp::Ty::Mem } else { imp::Ty::Int };
        self.bind(param.var, Bound::Value(param.var, ty));
        if ty == imp::Ty::Mem {
            self.assigned.insert(param.var);
        }
        match &param.shape {
            None => Param::scalar(param.var, Sc::I32),
            Some(sizes) => {
                let sizes = sizes.iter().map(|size| self.atom(*size)).collect();
                Param::array(param.var, Sc::I32, sizes)
            }
        }
    }

    fn output(&self, output: &imp::Output) -> Output {
        let shown = match output {
            imp::Output::Int(atom) => Shown::Scalar(Sc::I32, self.atom(*atom)),
            imp::Output::Array { block, shape, offset, strides } => Shown::Array {
                sc: Sc::I32,
                block: self.value(*block),
                shape: shape.iter().map(|size| self.atom(*size)).collect(),
                offset: self.se(offset),
                strides: strides.iter().map(|stride| self.se(stride)).collect(),
            },
        };
        shown.into()
    }
}

/// A `τ` that was declared and not assigned.
fn nothing(ty: imp::Ty) -> Exp {
    match ty {
        imp::Ty::Int => Exp::i32(0),
        imp::Ty::Mem => Exp::block(Element::Plain(Sc::I32), Exp::u32(0), Exp::u32(0)),
    }
}

fn device_type(ty: imp::Ty) -> Ty {
    match ty {
        imp::Ty::Int => I32,
        imp::Ty::Mem => Ty::Block(Element::Plain(Sc::I32)),
    }
}

/// The round `i` of a loop whose carried `u32` counts from 0.
fn round(rounds: Var) -> Exp {
    Exp::bin(BinOp::Add, Exp::Cast(Sc::I32, Box::new(Exp::Var(rounds))), Exp::i32(1))
}

/// `loop (r : u32 = 0) while r < u32(n) { … } next (r + 1)`: `n` rounds, and as `r` never
/// exceeds `n` it never wraps, whatever `n ≥ 0` is.
fn counted<K>(rounds: Var, count: Exp, body: Vec<Stm<K>>) -> Loop<K> {
    let count = Exp::Cast(Sc::U32, Box::new(count));
    Loop {
        carried: vec![Carried { var: rounds, ty: U32, init: Exp::u32(0) }],
        cond: Exp::bin(BinOp::Lt, Exp::Var(rounds), count),
        fuel: None,
        body,
        next: vec![Exp::bin(BinOp::Add, Exp::Var(rounds), Exp::u32(1))],
    }
}
