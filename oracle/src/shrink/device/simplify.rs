//! Simpler expressions: operands, literals, what is known, in their place; and statements that say
//! less.

use super::super::{Shrinking, numbers};
use super::code::retain;
use super::measure::weight_of;
use super::placeholder::plain;
use reference::device::scalar::{self, Cell};
use reference::device::syntax::{
    AtomicOp, Exp, Host, Kind, Lit, Precedence, Program, Sc, Ty, Wide,
};
use reference::device::types::Types;
use reference::device::visit;
use reference::device::visit_mut::{self, Visitor};

/// Does something to the expression of this number.
struct Nth<'f> {
    left: usize,
    found: &'f mut dyn FnMut(&mut Exp),
}

impl Visitor for Nth<'_> {
    fn exp(&mut self, exp: &mut Exp) -> bool {
        if self.left == 0 {
            (self.found)(exp);
        }
        // Far below zero nothing is found any more.
        self.left = self.left.wrapping_sub(1);
        true
    }
}

fn nth(program: &mut Program, number: usize, found: &mut dyn FnMut(&mut Exp)) {
    visit_mut::program(program, &mut Nth { left: number, found });
}

/// Most parts of an expression that are tried in its place.
const MOST_PARTS: usize = 12;

impl Shrinking<'_, Program> {
    /// Puts something simpler of the same type in the place of each expression.
    pub(super) fn simplify_exps(&mut self) {
        let mut number = 0;
        while !self.is_spent() {
            let mut here = None;
            nth(&mut self.program, number, &mut |exp| here = Some(exp.clone()));
            let Some(exp) = here else { break };
            let taken = simpler(&exp, &self.program).into_iter().any(|simpler| {
                let mut program = self.program.clone();
                nth(&mut program, number, &mut |exp| *exp = simpler.clone());
                self.attempt(program, self.input.clone())
            });
            // What has come to its place may be simpler still.
            if !taken {
                number += 1;
            }
        }
    }

    /// Loops without a bound, variables that start from zero, checks without a path, atomic
    /// stores in the place of other atomic operations.
    pub(super) fn simplify_statements(&mut self) {
        let mut number = 0;
        loop {
            let mut program = self.program.clone();
            let mut left = number;
            retain::<Kind>(&mut program, &mut |kind| {
                each(&mut left, simpler_kind(kind), kind);
                true
            });
            retain::<Host>(&mut program, &mut |host| {
                each(&mut left, simpler_host(host), host);
                true
            });
            if left != usize::MAX {
                break;
            }
            if !self.attempt(program, self.input.clone()) {
                number += 1;
            }
        }
    }

    /// Kernels that keep no records.
    pub(super) fn cut_records(&mut self) {
        for number in 0..self.program.kernels.len() {
            let mut program = self.program.clone();
            let Some(kernel) = program.kernels.get_mut(number) else { return };
            if kernel.record.take().is_none() {
                continue;
            }
            retain::<Host>(&mut program, &mut |host| {
                if let Host::Launch(launch) = host
                    && launch.kernel as usize == number
                {
                    launch.record = None;
                }
                true
            });
            self.attempt(program, self.input.clone());
        }
    }
}

/// Replaces the statement that is number `left` of those that can be; then `left` is the largest
/// number.
fn each<C>(left: &mut usize, simpler: Option<C>, stm: &mut C) {
    let Some(simpler) = simpler else { return };
    match *left {
        usize::MAX => {}
        0 => {
            *stm = simpler;
            *left = usize::MAX;
        }
        _ => *left -= 1,
    }
}

fn simpler_kind(kind: &Kind) -> Option<Kind> {
    let mut simpler = kind.clone();
    match &mut simpler {
        Kind::Var(_, _, init @ Some(_)) => *init = None,
        Kind::Loop(rounds) if rounds.fuel.is_some() => rounds.fuel = None,
        Kind::Check(check) if check.order.is_some() => {
            let Precedence(mut order) = *check.order.take()?;
            if order.pop().is_some() {
                check.order = Some(Box::new(Precedence(order)));
            }
        }
        Kind::Check(check) if !check.path.is_empty() => {
            check.path.pop();
        }
        Kind::Atomic { into: None, op, operands, .. }
            if !matches!(op, AtomicOp::Load | AtomicOp::Store) =>
        {
            // The last operand of those that there are is what is stored.
            let stored = operands.pop()?;
            *operands = vec![stored];
            *op = AtomicOp::Store;
        }
        _ => return None,
    }
    Some(simpler)
}

fn simpler_host(host: &Host) -> Option<Host> {
    let mut simpler = host.clone();
    match &mut simpler {
        Host::Loop(rounds) if rounds.fuel.is_some() => rounds.fuel = None,
        Host::Check(check) if !check.path.is_empty() => {
            check.path.pop();
        }
        _ => return None,
    }
    Some(simpler)
}

/// What may stand in the place of an expression, the simplest first.
fn simpler(exp: &Exp, program: &Program) -> Vec<Exp> {
    let mut types = Types::of(program);
    let Ok(typed) = types.exp(exp) else { return Vec::new() };
    let ty = typed.ty();
    let mut tries: Vec<Exp> = [1, 0].into_iter().filter_map(|k| plain(program, &ty, k)).collect();
    if let Exp::Lit(lit) = exp {
        tries.extend(smaller(*lit).into_iter().map(Exp::Lit));
    }
    let mut parts = Vec::new();
    visit::exp(exp, &mut |part| parts.push(part));
    let same = parts.into_iter().skip(1).filter(|part| types.exp(part).as_ref() == Ok(&typed));
    tries.extend(same.take(MOST_PARTS).cloned());
    tries.extend(folded(exp, &ty));
    let weight = weight_of(exp);
    tries.retain(|simpler| weight_of(simpler) < weight);
    tries
}

/// Smaller literals of the same type.
fn smaller(lit: Lit) -> Vec<Lit> {
    let ints = |k: i64, to: fn(i64) -> Option<Lit>| numbers::smaller(k).into_iter().filter_map(to);
    match lit {
        Lit::Bool(_) => Vec::new(),
        Lit::I32(k) => ints(k.into(), |k| k.try_into().ok().map(Lit::I32)).collect(),
        Lit::U32(k) => ints(k.into(), |k| k.try_into().ok().map(Lit::U32)).collect(),
        Lit::I64(Wide(k)) => ints(k, |k| Some(Lit::I64(Wide(k)))).collect(),
        Lit::F32(bits) => {
            let whole = |k: i64| Some(Lit::F32((k as f32).to_bits()));
            ints(f32::from_bits(bits) as i64, whole)
                .chain(whole(f32::from_bits(bits) as i64))
                .collect()
        }
        Lit::F64(Wide(bits)) => {
            let whole = |k: i64| Some(Lit::F64(Wide((k as f64).to_bits() as i64)));
            let nearest = f64::from_bits(bits as u64) as i64;
            ints(nearest, whole).chain(whole(nearest)).collect()
        }
    }
}

/// What an operation on literals gives.
fn folded(exp: &Exp, ty: &Ty) -> Option<Exp> {
    let literal = |exp: &Exp| match exp {
        Exp::Lit(lit) => Some((lit.sc(), scalar::literal(*lit))),
        _ => None,
    };
    let &Ty::Scalar(to) = ty else { return None };
    let cell = match exp {
        Exp::Bin(op, ab) => {
            let [a, b] = &**ab;
            let ((sc, a), (_, b)) = (literal(a)?, literal(b)?);
            match scalar::binary(*op, sc) {
                Some(apply) => apply(a, b),
                None => scalar::divide(*op, sc, a, b)?,
            }
        }
        Exp::Un(op, a) => {
            let (sc, a) = literal(a)?;
            scalar::unary(*op, sc)?(a)
        }
        Exp::Cast(to, a) => {
            let (sc, a) = literal(a)?;
            scalar::cast(sc, *to)(a)
        }
        Exp::Bitcast(to, a) => {
            let (sc, a) = literal(a)?;
            scalar::bitcast(sc, *to)?(a)
        }
        _ => return None,
    };
    Some(Exp::Lit(of_cell(to, cell)))
}

fn of_cell(sc: Sc, cell: Cell) -> Lit {
    match sc {
        Sc::Bool => Lit::Bool(cell != 0),
        Sc::I32 => Lit::I32(cell as i32),
        Sc::U32 => Lit::U32(cell as u32),
        Sc::I64 => Lit::I64(Wide(cell as i64)),
        Sc::F32 => Lit::F32(cell as u32),
        Sc::F64 => Lit::F64(Wide(cell as i64)),
    }
}
