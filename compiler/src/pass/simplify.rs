//! `simplify`: kernels with less in them that compute the same.
//!
//! | | |
//! |---|---|
//! | before | kernels in which whatever can get stuck stands behind a check |
//! | after | variables that are given one value are names; names of literals, of other names and of what has a name already are gone; what literals make is computed; a check is gone that holds for literals, or that an earlier one on the same way made |
//! | stuck | the same site: a check that is gone could not fail where the earlier one held |
//!
//! Drivers compile each kernel anew, and what they take for it grows with what stands in it.

use super::bind_once::bind_once;
use super::fold::fold;
use super::types::Types;
use super::walk::map_exp;
use reference::device::syntax::{
    Block, Check, Exp, If, Kind, Lit, Loop, Place, Program, Site, Stm, Ty,
};
use reference::device::visit;
use reference::kit::names::Var;
use reference::kit::outcome::{Cause, holds};
use reference::kit::scalar::BinOp;
use std::collections::HashMap;

/// The pass.
pub fn simplify(mut program: Program) -> Program {
    for kernel in &mut program.kernels {
        bind_once(&mut kernel.body);
    }
    let types = Types::of(&program);
    for kernel in &mut program.kernels {
        let mut simplify = Simplify {
            types: &types,
            sites: &program.sites,
            values: HashMap::new(),
            known: Vec::new(),
            named: Vec::new(),
        };
        kernel.body = simplify.block(std::mem::take(&mut kernel.body));
    }
    program
}

struct Simplify<'p> {
    types: &'p Types,
    sites: &'p [Site],
    /// What names stand for: literals and other names.
    values: HashMap<Var, Exp>,
    /// What checks on the way made sure of. Operands that nothing changes.
    known: Vec<(Cause, Vec<Exp>)>,
    /// Names of values that nothing changes.
    named: Vec<(Exp, Var)>,
}

impl Simplify<'_> {
    fn block(&mut self, body: Block) -> Block {
        let (known, named) = (self.known.len(), self.named.len());
        let mut out = Vec::with_capacity(body.len());
        for stm in body {
            self.stm(stm, &mut out);
        }
        self.known.truncate(known);
        self.named.truncate(named);
        out
    }

    fn exp(&self, exp: Exp) -> Exp {
        map_exp(exp, &mut |part| match part {
            Exp::Var(var) => self.values.get(&var).cloned().unwrap_or(part),
            Exp::Bin(BinOp::Max, a, b) if *b == Exp::i32(0) && self.is_size(&a) => *a,
            other => fold(other, self.types),
        })
    }

    /// Did a check make sure that it is not negative?
    fn is_size(&self, exp: &Exp) -> bool {
        self.known.iter().any(|(cause, operands)| {
            *cause == Cause::NegativeSize && operands.as_slice() == std::slice::from_ref(exp)
        })
    }

    fn exps(&self, exps: Vec<Exp>) -> Vec<Exp> {
        exps.into_iter().map(|exp| self.exp(exp)).collect()
    }

    fn place(&self, place: Place) -> Place {
        match self.exp(Exp::load(place)) {
            Exp::Load(place) => *place,
            _ => unreachable!("a load is not folded"),
        }
    }

    fn stm(&mut self, Stm { span, kind }: Stm<Kind>, out: &mut Block) {
        let kind = match kind {
            Kind::Let(var, ty, exp) => {
                let exp = self.exp(exp);
                if matches!(exp, Exp::Lit(_) | Exp::Var(_)) && !matches!(ty, Ty::Ptr(..)) {
                    self.values.insert(var, exp);
                    return;
                }
                if is_constant(&exp) {
                    if let Some((_, same)) = self.named.iter().find(|(named, _)| *named == exp) {
                        self.values.insert(var, Exp::Var(*same));
                        return;
                    }
                    self.named.push((exp.clone(), var));
                }
                Kind::Let(var, ty, exp)
            }
            Kind::Var(var, ty, init) => Kind::Var(var, ty, init.map(|exp| self.exp(exp))),
            Kind::Store(place, exp) => Kind::Store(self.place(place), self.exp(exp)),
            Kind::Atomic { into, op, place, operands } => {
                let (place, operands) = (self.place(place), self.exps(operands));
                Kind::Atomic { into, op, place, operands }
            }
            Kind::If(branch) => {
                let cond = self.exp(branch.cond);
                let then = self.block(branch.then);
                let orelse = self.block(branch.orelse);
                match cond {
                    Exp::Lit(Lit::Bool(taken)) => {
                        out.extend(if taken { then } else { orelse });
                        return;
                    }
                    cond => Kind::If(If { cond, then, orelse }),
                }
            }
            Kind::Loop(rounds) => Kind::Loop(self.rounds(rounds)),
            Kind::Call { into, function, args } => {
                Kind::Call { into, function, args: self.exps(args) }
            }
            Kind::Check(check) => match self.check(check) {
                Some(check) => Kind::Check(check),
                None => return,
            },
            other @ (Kind::Barrier(_) | Kind::Par(_)) => other,
        };
        out.push(Stm { span, kind });
    }

    fn rounds(&mut self, mut rounds: Loop<Kind>) -> Loop<Kind> {
        for carried in &mut rounds.carried {
            let init = std::mem::replace(&mut carried.init, Exp::u32(0));
            carried.init = self.exp(init);
        }
        rounds.fuel = rounds.fuel.map(|fuel| self.exp(fuel));
        rounds.cond = self.exp(rounds.cond);
        rounds.body = self.block(rounds.body);
        rounds.next = self.exps(rounds.next);
        rounds
    }

    /// The check, unless it cannot fail.
    fn check(&mut self, check: Check) -> Option<Check> {
        let check = Check {
            site: check.site,
            operands: self.exps(check.operands),
            path: self.exps(check.path),
        };
        let cause = self.sites[check.site as usize].cause;
        if let Some(operands) = integers(&check.operands)
            && cause.operands().len() == operands.len()
            && !operands.is_empty()
            && holds(cause, &operands)
        {
            return None;
        }
        if check.operands.is_empty() || !check.operands.iter().all(is_constant) {
            return Some(check);
        }
        let fact = (test(cause), check.operands.clone());
        if self.known.contains(&fact) {
            return None;
        }
        self.known.push(fact);
        Some(check)
    }
}

/// Counts and sizes are tested alike.
fn test(cause: Cause) -> Cause {
    if cause == Cause::NegativeCount { Cause::NegativeSize } else { cause }
}

/// The literals, if all are integers.
fn integers(exps: &[Exp]) -> Option<Vec<i64>> {
    let integer = |exp: &Exp| match exp {
        Exp::Lit(Lit::I32(k)) => Some(i64::from(*k)),
        Exp::Lit(Lit::U32(k)) => Some(i64::from(*k)),
        Exp::Lit(Lit::I64(k)) => Some(*k),
        _ => None,
    };
    exps.iter().map(integer).collect()
}

/// Is the value the same wherever the expression stands? Carried variables change between the
/// rounds and behind their loop, but checks of a round are known in no other, and no check in
/// front of a loop has its variables.
pub(crate) fn is_constant(exp: &Exp) -> bool {
    let mut constant = true;
    visit::exp(exp, &mut |part| constant &= !matches!(part, Exp::Load(_) | Exp::Ref(_)));
    constant
}
