//! `bound_loops`: no invocation has more loop rounds than it is given, so no launch hangs.
//!
//! | | |
//! |---|---|
//! | before | any kernel without `par`; conditions of loops cannot get stuck; no function that is called has a loop |
//! | after | all loops of an invocation together have at most a given number of rounds; each loop that barriers depend on has that many to itself, nested ones together; an invocation that would need more gives up, cause `fuel` |
//! | stuck | the same site, or `fuel` |
//!
//! A loop that [counts](super::eliminate_checks) up to a bound has no more rounds than that. If these are
//! few it needs no check: the loop around it pays for them with each of its rounds, or else the kernel does
//! before it starts.
//!
//! A loop with a barrier in it must have as many rounds in every invocation of the work group, and so
//! must one that [controls](super::control_dependence) which barriers are reached. Such a loop has a limit of its
//! own. If they are nested `n` deep, the limit of each is the `n`-th root of the kernel's. Where iterations are limited
//! ([`Limit::iterations`]) such loops have half of them, and what invocations have of the others suffices for all that
//! run together.

use super::control_dependence::ControlDependence;
use super::eliminate_checks::{Counted, Facts, Known};
use super::poison_checks::number_of;
use super::types::Types;
use crate::target::defects::TOGETHER;
use reference::device::parts::Statement;
use reference::device::record::Layout;
use reference::device::syntax::{
    Block, Check, Exp, If, Kernel, Kind, Loop, Place, Program, Site, Stm, U32,
};
use reference::device::visit::any_stm;
use reference::kit::names::{Names, Var};
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use serde::{Deserialize, Serialize};

/// Rounds, with those inside of them, up to which a counted loop is not bounded.
const FEW: u64 = 1 << 12;

/// What an invocation is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limit {
    /// Loop rounds, at least 1.
    pub rounds: u32,
    /// Rounds, with the last look at the condition of each loop that is entered, which a driver
    /// may count too, of all invocations that it runs together ([`TOGETHER`]).
    pub iterations: Option<u32>,
}

/// What a kernel is given of a limit.
struct Given {
    /// Rounds of each invocation, but for loops that barriers depend on.
    shared: u32,
    /// Rounds of each loop that barriers depend on.
    own: u32,
}

impl Limit {
    /// What a kernel with this body is given. At its end come the iterations of the invocation that writes down what
    /// failed, one for each of `told` words.
    fn of(self, body: &Block, control: &ControlDependence, told: u32) -> Given {
        let (rounds, depth) = (self.rounds.max(1), control.depth(body));
        let Some(most) = self.iterations else {
            return Given { shared: rounds, own: root(rounds, depth) };
        };
        let loops = loops(body);
        let most = most.saturating_sub(told.saturating_add(1));
        // Between two rounds each loop is looked at for the last time once at most, so `r` rounds are at most
        // `r + loops * (r + 1)` iterations.
        let all = most.saturating_sub(loops) / loops.saturating_add(1);
        let steering = loops_by(body, &mut |rounds| control.by_rounds(rounds));
        let (shared, own) = match all.checked_div(2 * steering) {
            // The invocations that run together go round such a loop as often as one of them.
            None if !any_nested(body) => ((most / loops.max(1)).saturating_sub(1), rounds),
            None => (all / TOGETHER, rounds),
            Some(each) => {
                let own = root(each, depth);
                let steered = own.saturating_pow(depth.max(1)).saturating_mul(steering);
                (all.saturating_sub(steered) / TOGETHER, own)
            }
        };
        Given { shared: rounds.min(shared).max(1), own: root(rounds, depth).min(own).max(1) }
    }
}

/// The pass.
pub fn bound_loops(program: Program, limit: Limit) -> Program {
    let types = Types::of(&program);
    let known = Known { types: &types, sites: &program.sites, facts: &Facts::default() };
    let has_loops = |kernel: &Kernel| loops(&kernel.body) > 0;
    let counted = |kernel: &Kernel| match has_loops(kernel) {
        true => known.eliminate(kernel, true).1,
        false => Counted::default(),
    };
    let counted: Vec<Counted> = program.kernels.iter().map(counted).collect();
    bound(program, limit, &counted)
}

/// The same, where it is known for each kernel which of its loops are counted.
pub(crate) fn bound(mut program: Program, limit: Limit, counted: &[Counted]) -> Program {
    let rounds = limit.rounds.max(1);
    let mut bound = Bound {
        names: std::mem::take(&mut program.names),
        sites: std::mem::take(&mut program.sites),
        left: None,
        control: ControlDependence::default(),
        steered: rounds,
        free: Free::default(),
    };
    let told = |kernel: &Kernel| Layout::of(&program, &kernel.body).words_told();
    let told: Vec<u32> = match limit.iterations {
        Some(_) => program.kernels.iter().map(told).collect(),
        None => vec![0; program.kernels.len()],
    };
    for ((kernel, told), counted) in program.kernels.iter_mut().zip(told).zip(counted) {
        if loops(&kernel.body) == 0 {
            continue;
        }
        bound.control = ControlDependence::of(&kernel.body);
        let Given { shared, own } = limit.of(&kernel.body, &bound.control, told);
        bound.steered = own;
        bound.free = Free::of(&kernel.body, counted, shared.min(own));
        let is_bounded = |rounds: &Loop<Kind>| !bound.free.has(rounds);
        if !any_loop(&kernel.body, &mut |rounds| is_bounded(rounds)) {
            continue;
        }
        let left = bound.names.fresh("rounds_left");
        bound.left = Some(left);
        let paid = bound.free.rounds(&kernel.body) as u32;
        bound.block(&mut kernel.body);
        let init = Some(Exp::u32(shared - paid));
        kernel.body.insert(0, Stm { span: kernel.span, kind: Kind::Var(left, U32, init) });
    }
    // A function has no way to its caller's count: each of its loops has the whole.
    bound.left = None;
    bound.control = ControlDependence::default();
    bound.steered = rounds;
    bound.free = Free::default();
    for function in &mut program.functions {
        bound.block(&mut function.body);
    }
    program.names = bound.names;
    program.sites = bound.sites;
    program
}

/// Has the kernel, of whose loops these are counted, one that has to be bounded?
pub(crate) fn has_bounded(kernel: &Kernel, limit: Limit, counted: &Counted) -> bool {
    if loops(&kernel.body) == 0 {
        return false;
    }
    let Given { shared, own } = limit.of(&kernel.body, &ControlDependence::of(&kernel.body), 0);
    let free = Free::of(&kernel.body, counted, shared.min(own));
    any_loop(&kernel.body, &mut |rounds| !free.has(rounds))
}

/// The counted loops of a kernel that have few rounds.
#[derive(Default)]
struct Free(Counted);

impl Free {
    /// Those of a kernel with this body, which is given so many rounds in all.
    fn of(body: &Block, counted: &Counted, given: u32) -> Self {
        let mut free = Self::default();
        if !counted.is_empty() {
            free.add(body, counted);
            // What is paid for before the kernel starts, or with a round, leaves at least as much.
            let mut heaviest = free.rounds(body);
            any_loop(body, &mut |rounds| {
                if !free.has(rounds) {
                    heaviest = heaviest.max(1 + free.rounds(&rounds.body));
                }
                false
            });
            if heaviest > u64::from(given / 2) {
                return Self::default();
            }
        }
        free
    }

    /// Adds the loops of a body, inner ones first.
    fn add(&mut self, body: &Block, counted: &Counted) {
        for stm in body {
            stm.kind.blocks().into_iter().for_each(|inner| self.add(inner, counted));
            let Kind::Loop(rounds) = &stm.kind else { continue };
            let most = rounds.carried.iter().find_map(|carried| {
                let most = *counted.get(&carried.var)?;
                Some((carried.var, most))
            });
            if let Some((counter, most)) = most
                && u64::from(most) * (1 + self.rounds(&rounds.body)) <= FEW
            {
                self.0.insert(counter, most);
            }
        }
    }

    /// The most rounds of a loop, if it is one of these.
    fn most(&self, rounds: &Loop<Kind>) -> Option<u64> {
        rounds
            .carried
            .iter()
            .find_map(|carried| self.0.get(&carried.var))
            .map(|most| (*most).into())
    }

    fn has(&self, rounds: &Loop<Kind>) -> bool {
        self.most(rounds).is_some()
    }

    /// The most rounds of these loops each time a body is run, without those in loops that are bounded.
    fn rounds(&self, body: &Block) -> u64 {
        let rounds = |kind: &Kind| match kind {
            Kind::Loop(rounds) => {
                self.most(rounds).map_or(0, |most| most * (1 + self.rounds(&rounds.body)))
            }
            // Of several blocks one is run.
            other => other.blocks().into_iter().map(|inner| self.rounds(inner)).max().unwrap_or(0),
        };
        body.iter().map(|stm| rounds(&stm.kind)).sum()
    }
}

/// The largest number whose power of `depth` is at most `rounds`.
fn root(rounds: u32, depth: u32) -> u32 {
    let depth = depth.max(1);
    let fits = |root: u64| root.checked_pow(depth).is_some_and(|all| all <= rounds.into());
    let estimate = f64::from(rounds).powf(1.0 / f64::from(depth)) as u64;
    let found = (estimate.saturating_sub(1)..=estimate + 1).rev().find(|root| fits(*root));
    found.and_then(|root| u32::try_from(root).ok()).unwrap_or(1).max(1)
}

/// Loops in the text of a body.
fn loops(body: &Block) -> u32 {
    loops_by(body, &mut |_| true)
}

/// Those that `are` wanted.
fn loops_by(body: &Block, are: &mut impl FnMut(&Loop<Kind>) -> bool) -> u32 {
    let mut loops = 0;
    any_loop(body, &mut |rounds| {
        loops += u32::from(are(rounds));
        false
    });
    loops
}

/// Does a loop stand in another one?
fn any_nested(body: &Block) -> bool {
    any_loop(body, &mut |rounds| loops(&rounds.body) > 0)
}

/// Is a loop in the text of a body one that `is` wanted?
fn any_loop(body: &Block, is: &mut impl FnMut(&Loop<Kind>) -> bool) -> bool {
    any_stm(body, &mut |kind| matches!(kind, Kind::Loop(rounds) if is(rounds)))
}

struct Bound {
    names: Names,
    sites: Vec<Site>,
    /// The variable that counts what is left.
    left: Option<Var>,
    /// The values that control which barriers of the kernel are reached.
    control: ControlDependence,
    /// The rounds of a loop with a limit of its own.
    steered: u32,
    /// The loops that are not bounded.
    free: Free,
}

impl Bound {
    fn block(&mut self, body: &mut Block) {
        let mut out = Vec::with_capacity(body.len() + 1);
        for Stm { span, mut kind } in std::mem::take(body) {
            match kind {
                Kind::Loop(rounds) => self.rounds(span, rounds, &mut out),
                ref mut other => {
                    other.blocks_mut().into_iter().for_each(|inner| self.block(inner));
                    out.push(Stm { span, kind });
                }
            }
        }
        *body = out;
    }

    fn rounds(&mut self, span: Span, mut rounds: Box<Loop<Kind>>, out: &mut Block) {
        // Rounds of the loops inside that are not bounded, for each of this one.
        let inside = self.free.rounds(&rounds.body) as u32;
        let shared = self.left.filter(|_| !self.control.by_rounds(&rounds));
        self.block(&mut rounds.body);
        if self.free.has(&rounds) {
            out.push(Stm { span, kind: Kind::Loop(rounds) });
            return;
        }
        // The loop was cut short if it could go on and too little is left.
        let could_go_on = rounds.cond.clone();
        let spent = match shared {
            Some(left) => {
                let left_now = || Exp::load(Place::Var(left));
                let enough = Exp::bin(BinOp::Gt, left_now(), Exp::u32(inside));
                rounds.cond = Exp::bin(BinOp::And, rounds.cond, enough);
                let fewer = Exp::bin(BinOp::Sub, left_now(), Exp::u32(1 + inside));
                let spend = Kind::Store(Place::Var(left), fewer);
                rounds.body.insert(0, Stm { span, kind: spend });
                Some(match inside {
                    0 => Exp::bin(BinOp::Eq, left_now(), Exp::u32(0)),
                    _ => Exp::bin(BinOp::Le, left_now(), Exp::u32(inside)),
                })
            }
            None => {
                let most = Exp::u32((self.steered / (1 + inside)).max(1));
                let own = rounds.fuel.take().map(|fuel| {
                    let own = self.names.fresh("fuel");
                    out.push(Stm { span, kind: Kind::Let(own, U32, fuel) });
                    Exp::Var(own)
                });
                rounds.fuel = Some(match &own {
                    Some(own) => Exp::bin(BinOp::Min, own.clone(), most.clone()),
                    None => most.clone(),
                });
                own.map(|own| Exp::bin(BinOp::Gt, own, most))
            }
        };
        out.push(Stm { span, kind: Kind::Loop(rounds) });
        let cond = match spent {
            Some(spent) => Exp::bin(BinOp::And, could_go_on, spent),
            None => could_go_on,
        };
        let then = vec![Stm { span, kind: Kind::Check(self.give_up(span)) }];
        out.push(Stm { span, kind: Kind::If(If { cond, then, orelse: Vec::new() }) });
    }

    fn give_up(&mut self, span: Span) -> Check {
        let site = number_of(Site { span, cause: Cause::Fuel }, &mut self.sites);
        Check { site, operands: Vec::new(), path: Vec::new(), order: None }
    }
}

#[cfg(test)]
mod tests {
    use super::root;

    /// Loops in loops have together what one has alone, and each at least one round.
    #[test]
    fn nested_loops_share_their_rounds() {
        assert_eq!([0, 1, 2, 3].map(|depth| root(1 << 24, depth)), [1 << 24, 1 << 24, 4096, 256]);
        assert_eq!([1, 2, 40].map(|depth| root(u32::MAX, depth)), [u32::MAX, 65_535, 1]);
        assert_eq!([1, 2, 5].map(|depth| root(1, depth)), [1, 1, 1]);
    }
}
