//! `poison_checks`: what a failed check does, with one of two levels of [detail](Detail).
//!
//! | | |
//! |---|---|
//! | before | kernels without `par` and without a record, in which whatever can get stuck stands behind a check; those whose invocations go on behind a failed check call total functions only |
//! | after | with [`Detail::Site`] no `check` in kernels: each keeps a record, laid out as [`record`](reference::device::record) says, that its launches bring along; with [`Detail::Flag`] a failed check ends its invocation, and in a kernel with barriers the only `check` stands at the end |
//! | stuck | [`Detail::Site`]: the same site, of the lowest group, the least order and the lowest invocation; [`Detail::Flag`]: at any check |
//!
//! A kernel without barriers whose detail is a flag needs nothing, nor do the functions that it calls: the writer of WGSL has an
//! invocation set the flag and return, through all its callers. Elsewhere an invocation whose check failed is *poisoned*, and its variable `alive` is false:
//! - It accesses neither blocks nor, but in the conditions of loops, shared variables: others may write where it would
//!   read.
//! - Nothing that stood behind a check is evaluated.
//! - Its loops end, but for those that barriers depend on. Control flow around barriers stays uniform, so a poisoned
//!   invocation computes what that [depends](super::control_dependence) on as all others do.
//! - It remembers what failed, and writes that to the record at its end.
//!
//! The record is of the lowest invocation of a work group that failed. That needs no barrier: each word is
//! written by an atomic maximum, and is laid out as follows:
//!
//! | half | holds |
//! |---|---|
//! | high | the invocation, counted downwards, so that the lowest has the greatest number |
//! | low | a half word of the record |
//!
//! Where checks have orders, the invocations first agree on the least order of those that failed, one component after the
//! other, and only those whose failure has it write. That takes a barrier for each component, at the end of
//! the kernel, and only with [`Detail::Site`].

use super::control_dependence::{self, ControlDependence};
use super::stuck::{inside, may_stick};
use super::take;
use super::types::Types;
use failing::{Checks, Memory, bring_records};
use reference::device::parts::Statement;
use reference::device::record::Layout;
use reference::device::syntax::{
    Block, Check, Element, Exp, If, Kernel, Kind, Loop, Place, Program, Sc, Site, Space, Stm,
    Switch, Ty, U32, UnOp,
};
use reference::device::visit::{any_exp, has_barrier};
use reference::device::visit_mut::{change_exp, change_own};
use reference::kit::names::{Names, Var};
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::{Refused, Span};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

mod failing;

pub(crate) use failing::holds;

/// What a kernel tells of a failed check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Detail {
    /// That some check failed: a flag is set.
    Flag,
    /// Which one failed first in the lowest invocation, where, and with which operands.
    #[default]
    Site,
}

/// The pass.
///
/// # Errors
/// A kernel that keeps a record already: what failed in it would be told twice. A check of a slice whose
/// operands are not all i32.
pub fn poison_checks(mut program: Program, detail: Detail) -> Result<Program, Refused> {
    if let Some(kernel) = program.kernels.iter().find(|kernel| kernel.record.is_some()) {
        return Err(Refused {
            span: kernel.span,
            statement: format!("kernel {}", kernel.name),
            reason: "a kernel that keeps a record already".to_owned(),
            second: None,
        });
    }
    let mut types = Types::of(&program);
    let of_kernel = |kernel: &Kernel| Checks::of(kernel, &program.sites, &types);
    let checks = program.kernels.iter().map(of_kernel).collect::<Result<Vec<_>, _>>()?;
    let mut names = std::mem::take(&mut program.names);
    let mut kernels = std::mem::take(&mut program.kernels);
    for (kernel, checks) in kernels.iter_mut().zip(checks) {
        let waits = has_barrier(&kernel.body);
        match detail {
            _ if !checks.any => {}
            // A check ends its invocation, for which no other one waits.
            Detail::Flag if !waits => {}
            Detail::Flag => {
                let site = Site { span: kernel.span, cause: Cause::Fuel };
                let last = number_of(site, &mut program.sites);
                let tells = Tells::Flag(last);
                let of = (program.workgroup.as_slice(), program.sites.as_slice());
                names = poison(kernel, tells, of, &mut types, names);
            }
            Detail::Site => {
                let layout = Layout { narrow: checks.narrow, ..Layout::of(&program, &kernel.body) };
                let tells = Tells::Record(layout, checks.order);
                let of = (program.workgroup.as_slice(), program.sites.as_slice());
                names = poison(kernel, tells, of, &mut types, names);
            }
        }
    }
    bring_records(&mut program.host, &kernels, &mut names);
    program.names = names;
    program.kernels = kernels;
    Ok(program)
}

/// The number of a site, which may be new.
pub(crate) fn number_of(site: Site, sites: &mut Vec<Site>) -> u32 {
    let known = sites.iter().position(|known| *known == site);
    known.unwrap_or_else(|| {
        sites.push(site);
        sites.len() - 1
    }) as u32
}

/// Let-bound values that became variables, since only live invocations evaluate them, by slot.
#[derive(Default)]
struct Guarded(Vec<bool>);

impl Guarded {
    fn insert(&mut self, var: Var) {
        if self.0.len() <= var.slot() {
            self.0.resize(var.slot() + 1, false);
        }
        self.0[var.slot()] = true;
    }

    /// What is in a variable is read from there.
    #[inline]
    fn read(&self, exp: &mut Exp) {
        if let Exp::Var(var) = exp
            && self.0.get(var.slot()) == Some(&true)
        {
            *exp = Exp::load(Place::Var(*var));
        }
    }
}

struct Poison<'p> {
    types: &'p mut Types,
    sites: &'p [Site],
    memory: Memory,
    names: Names,
    /// Variables of the work group.
    shared: FxHashSet<Var>,
    guarded: Guarded,
    /// The values that control which barriers are reached: poisoned invocations compute them as well.
    control: ControlDependence,
}

/// What a kernel tells.
#[derive(Clone, Copy)]
enum Tells {
    /// That a check failed, by one at this site.
    Flag(u32),
    /// A record of this layout, where the longest order of a check has so many components.
    Record(Layout, u32),
}

/// Poisons a kernel.
fn poison(
    kernel: &mut Kernel,
    tells: Tells,
    (of_program, sites): (&[(Var, Ty)], &[Site]),
    types: &mut Types,
    mut names: Names,
) -> Names {
    let memory = Memory::new(tells, &mut names);
    let span = kernel.span;
    let declared = memory.declare(span);
    let shared = kernel.workgroup.iter().chain(of_program).map(|(var, _)| *var).collect();
    let guarded = Guarded::default();
    let control = ControlDependence::of(&kernel.body);
    let mut poison = Poison { types, sites, memory, names, shared, guarded, control };
    let mut body = poison.block(std::mem::take(&mut kernel.body));
    body.splice(0..0, declared);
    match tells {
        Tells::Flag(site) => body.push(poison.memory.set_flag(span, site)),
        Tells::Record(layout, _) => {
            let record = poison.names.fresh("record");
            let (chosen, variables) = poison.memory.choose(span, &mut poison.names);
            body.extend(chosen);
            kernel.workgroup.extend(variables);
            body.push(poison.memory.write_down(span, record, &mut poison.names));
            kernel.params.push((record, Ty::Block(Element::Atomic(Sc::U32))));
            kernel.record = Some(layout);
        }
    }
    kernel.body = body;
    poison.names
}

/// May a statement for live invocations be appended to this branch, which only they take? Not where one may have been
/// poisoned in it.
pub(crate) fn may_grow(living: &If<Kind>, alive: Var) -> bool {
    let dies = |stm: &Stm<Kind>| match &stm.kind {
        Kind::Store(place, _) => *place == Place::Var(alive),
        other => !other.blocks().is_empty(),
    };
    living.orelse.is_empty() && !living.then.iter().any(dies)
}

fn not(exp: Exp) -> Exp {
    Exp::Un(UnOp::Not, Box::new(exp))
}

impl Poison<'_> {
    fn alive(&self) -> Exp {
        Exp::load(Place::Var(self.memory.alive))
    }

    fn is_alive(&self, exp: &Exp) -> bool {
        matches!(exp, Exp::Load(place) if **place == Place::Var(self.memory.alive))
    }

    /// Appends a statement that only live invocations execute.
    fn guard(&self, span: Span, kind: Kind, out: &mut Block) {
        if let Some(Stm { kind: Kind::If(last), .. }) = out.last_mut()
            && self.is_alive(&last.cond)
            && may_grow(last, self.memory.alive)
        {
            last.then.push(Stm { span, kind });
            return;
        }
        let then = vec![Stm { span, kind }];
        let alive = self.alive();
        out.push(Stm { span, kind: Kind::If(If { cond: alive, then, orelse: Vec::new() }) });
    }

    /// A variable of this name with the value of an expression that only live invocations evaluate.
    fn by_the_living(&mut self, span: Span, exp: Exp, names: (Var, Ty), out: &mut Block) {
        let (var, ty) = names;
        self.guarded.insert(var);
        out.push(Stm { span, kind: Kind::Var(var, ty, None) });
        self.guard(span, Kind::Store(Place::Var(var), exp), out);
    }

    fn block(&mut self, body: Block) -> Block {
        let mut out = Vec::with_capacity(body.len());
        for Stm { span, mut kind } in body {
            let mut sticks = false;
            change_own(&mut kind, &mut |exp| {
                self.guarded.read(exp);
                sticks |= may_stick(exp, self.types) || self.reads_shared(exp);
            });
            self.stm(span, kind, sticks, &mut out);
        }
        out
    }

    /// Does `exp` itself, its parts aside, read a variable of the work group?
    fn reads_shared(&self, exp: &Exp) -> bool {
        let mut place = match exp {
            Exp::Load(place) => &**place,
            _ => return false,
        };
        loop {
            match place {
                Place::Var(var) => return self.shared.contains(var),
                Place::Deref(pointer) => {
                    return matches!(self.types.exp(pointer), Ty::Ptr(Space::Workgroup, _));
                }
                Place::Element(..) => return false,
                Place::At(inner, _) | Place::Field(inner, _) => place = inner,
            }
        }
    }

    /// Do only live invocations evaluate it, since it can get stuck or reads a variable of the work group?
    fn is_for_the_living(&self, exp: &Exp) -> bool {
        any_exp(exp, &mut |part| may_stick(part, self.types) || self.reads_shared(part))
    }

    /// A statement; `sticks` if what it evaluates before the statements in it, the places apart that it
    /// stores to, is for live invocations only.
    fn stm(&mut self, span: Span, kind: Kind, sticks: bool, out: &mut Block) {
        let kind = match kind {
            Kind::Let(var, Ty::Ptr(space, ty), exp) => {
                Kind::Let(var, Ty::Ptr(space, ty), self.safe_pointer(exp))
            }
            Kind::Let(var, ty, exp) if self.control.has(var) => {
                Kind::Let(var, ty, control_dependence::total(exp, self.types))
            }
            Kind::Let(var, ty, exp) if sticks => {
                return self.by_the_living(span, exp, (var, ty), out);
            }
            Kind::Var(var, ty, Some(exp)) if self.control.has(var) => {
                Kind::Var(var, ty, Some(control_dependence::total(exp, self.types)))
            }
            Kind::Var(var, ty, Some(exp)) if sticks => {
                out.push(Stm { span, kind: Kind::Var(var, ty, None) });
                return self.guard(span, Kind::Store(Place::Var(var), exp), out);
            }
            Kind::Store(place, exp) if self.control.by_store(&place) => Kind::Store(
                control_dependence::total_place(place, self.types),
                control_dependence::total(exp, self.types),
            ),
            Kind::Store(place, exp) => {
                // What only the invocation itself sees it may go on to change.
                let own = matches!(&place, Place::Var(var) if !self.shared.contains(var));
                let store = Kind::Store(place, exp);
                if sticks || !own {
                    return self.guard(span, store, out);
                }
                store
            }
            Kind::Atomic { into, op, place, operands } => {
                let Some(into) = into else {
                    return self.guard(span, Kind::Atomic { into, op, place, operands }, out);
                };
                let ty = self.types.var(into).clone();
                self.guarded.insert(into);
                out.push(Stm { span, kind: Kind::Var(into, ty, None) });
                let old = self.names.fresh("old");
                let atomic = Kind::Atomic { into: Some(old), op, place, operands };
                self.guard(span, atomic, out);
                return self.guard(span, Kind::Store(Place::Var(into), Exp::Var(old)), out);
            }
            Kind::If(mut branch) => {
                let only_fails = self.only_fails(&branch);
                let steers =
                    self.control.gathers(&branch.then) || self.control.gathers(&branch.orelse);
                if steers {
                    branch.cond = control_dependence::total(branch.cond, self.types);
                }
                branch.then = self.block(branch.then);
                branch.orelse = self.block(branch.orelse);
                if !steers && sticks {
                    // Only a live invocation evaluates the condition. A poisoned one has nothing to do
                    // inside, since no barrier is there, nor a store that controls one.
                    return self.guard(span, Kind::If(branch), out);
                }
                // `if alive & fails { remember }` for `if fails { if alive { remember } }`
                if let [Stm { kind: Kind::If(inner), .. }] = branch.then.as_mut_slice()
                    && only_fails
                {
                    branch.cond = Exp::bin(BinOp::And, self.alive(), branch.cond);
                    branch.then = std::mem::take(&mut inner.then);
                }
                Kind::If(branch)
            }
            Kind::Switch(switch) => return self.switch(span, switch, sticks, out),
            Kind::Loop(rounds) => return self.rounds(span, rounds, out),
            Kind::Call { into, function, mut args } => {
                for arg in &mut args {
                    *arg = self.argument(span, take(arg), out);
                }
                Kind::Call { into, function, args }
            }
            Kind::Check(mut check) => {
                for operand in check.operands.iter_mut().filter(|_| sticks) {
                    *operand = self.argument(span, take(operand), out);
                }
                self.check(span, check)
            }
            other => other,
        };
        out.push(Stm { span, kind });
    }

    fn switch(&mut self, span: Span, switch: Switch, sticks: bool, out: &mut Block) {
        let mut kind = Kind::Switch(switch);
        let steers = self.control.gathers_in(&kind);
        for inner in kind.blocks_mut() {
            *inner = self.block(std::mem::take(inner));
        }
        if sticks && !steers {
            return self.guard(span, kind, out);
        }
        if let Kind::Switch(switch) = &mut kind
            && steers
        {
            switch.value = control_dependence::total(take(&mut switch.value), self.types);
        }
        out.push(Stm { span, kind });
    }

    /// Does a branch nothing but fail, whatever the operands?
    fn only_fails(&self, branch: &If<Kind>) -> bool {
        let [Stm { kind: Kind::Check(check), .. }] = branch.then.as_slice() else { return false };
        let cause = self.sites[check.site as usize].cause;
        let holds = failing::holds(cause, &check.operands, self.types);
        holds.is_none() && branch.orelse.is_empty()
    }

    fn rounds(&mut self, span: Span, mut rounds: Box<Loop<Kind>>, out: &mut Block) {
        let steers = self.control.by_rounds(&rounds);
        for carried in &mut rounds.carried {
            let init = take(&mut carried.init);
            carried.init = self.joined(span, init, (carried.var, &carried.ty), out);
        }
        if let Some(fuel) = rounds.fuel.take() {
            rounds.fuel = Some(match self.is_for_the_living(&fuel) {
                true if steers => control_dependence::total(fuel, self.types),
                true => self.bind_total(span, fuel, U32, out),
                false => fuel,
            });
        }
        if !steers {
            rounds.cond = Exp::bin(BinOp::And, take(&mut rounds.cond), self.alive());
        }
        let mut body = self.block(std::mem::take(&mut rounds.body));
        for (carried, next) in rounds.carried.iter().zip(&mut rounds.next) {
            change_exp(next, &mut |exp| self.guarded.read(exp));
            let value = take(next);
            *next = self.joined(span, value, (carried.var, &carried.ty), &mut body);
        }
        rounds.body = body;
        out.push(Stm { span, kind: Kind::Loop(rounds) });
    }

    /// What a carried variable is given. If the variable controls barriers, poisoned invocations evaluate it too.
    fn joined(&mut self, span: Span, exp: Exp, carried: (Var, &Ty), out: &mut Block) -> Exp {
        match self.is_for_the_living(&exp) {
            true if self.control.has(carried.0) => control_dependence::total(exp, self.types),
            true => self.bind_total(span, exp, carried.1.clone(), out),
            false => exp,
        }
    }

    /// The same, in a variable of its own.
    fn bind_total(&mut self, span: Span, exp: Exp, ty: Ty, out: &mut Block) -> Exp {
        let var = self.names.fresh("value");
        self.types.enter(var, &ty);
        self.by_the_living(span, exp, (var, ty), out);
        Exp::load(Place::Var(var))
    }

    /// What poisoned invocations, too, hand to a function, or to a check, as well.
    fn argument(&mut self, span: Span, exp: Exp, out: &mut Block) -> Exp {
        match self.safe_pointer(exp) {
            exp if !matches!(exp, Exp::Ref(_)) && self.is_for_the_living(&exp) => {
                let ty = self.types.exp(&exp);
                self.bind_total(span, exp, ty, out)
            }
            exp => exp,
        }
    }

    /// A pointer that poisoned invocations may hold too: indices become 0, which every array has.
    fn safe_pointer(&self, exp: Exp) -> Exp {
        let Exp::Ref(place) = exp else { return exp };
        Exp::Ref(Box::new(self.safe_place(*place)))
    }

    fn safe_place(&self, place: Place) -> Place {
        match place {
            Place::At(array, index) => {
                let zero = match self.types.exp(&index) {
                    Ty::Scalar(Sc::U32) => Exp::u32(0),
                    _ => Exp::i32(0),
                };
                let index = match inside(&self.types.place(&array), &index) {
                    true => index,
                    false => Exp::select(self.alive(), index, zero),
                };
                Place::At(Box::new(self.safe_place(*array)), index)
            }
            Place::Field(value, field) => Place::Field(Box::new(self.safe_place(*value)), field),
            other => other,
        }
    }

    /// A check: an invocation that fails it, and failed none before, remembers it and is poisoned.
    fn check(&self, span: Span, check: Check) -> Kind {
        let site = &self.sites[check.site as usize];
        let holds = failing::holds(site.cause, &check.operands, self.types);
        let cond = match holds {
            Some(holds) => Exp::bin(BinOp::And, self.alive(), not(holds)),
            None => self.alive(),
        };
        let then = self.memory.remember(span, check, self.types);
        Kind::If(If { cond, then, orelse: Vec::new() })
    }
}
