//! Loops of a quiet form: how many rounds they have, what is known in each, and who pays for them.
//!
//! A loop that counts up to what is known of every invocation, and has few rounds, is *plain*: it needs
//! neither fuel nor a look at `alive`, for the loop around it, or the kernel, pays for all of its rounds at
//! once.

use super::{Prove, is_load};
use crate::pass::quiet::held;
use crate::pass::quiet::intervals::{Interval, Name};
use crate::pass::walk::{any_exp, any_stm, change_exp, has_barrier};
use reference::device::syntax::{Block, Carried, Exp, Kind, Lit, Loop, Place, Stm, U32};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

/// Rounds, with those inside, up to which a loop is not counted by itself.
const PLAIN: u32 = 1 << 12;

impl<'p> Prove<'p> {
    /// A loop.
    pub(super) fn rounds(&mut self, span: Span, rounds: &Loop<Kind>, out: &mut Block) {
        let fuel = self.fuel.filter(|_| !has_barrier(&rounds.body));
        let is_counted = fuel.is_some() || self.alive.is_none();
        let counted = is_counted.then(|| self.counted(rounds, fuel)).flatten();
        if let Some(Counted { counter, most: 0, .. }) = counted {
            // Nobody comes to what stands in it.
            return self.intervals.learn(Name::Var(counter), Interval::plain((0, 0)));
        }
        let before = std::mem::take(&mut self.unpaid);
        let stored = match self.tracks {
            true => self.intervals.stored(&[&rounds.body]),
            false => Vec::new(),
        };
        let only = counted.as_ref().filter(|counted| counted.exact && counted.most == 1);
        let only = only.map(|counted| counted.counter);
        let mut tried = None;
        if only.is_none() && !stored.is_empty() {
            let (held, trial) = self.held_in_rounds(rounds, &stored);
            self.intervals.hold_all(&stored, &held);
            tried = trial;
        }
        let init = |carried: &Carried| Carried {
            init: self.changed(&carried.init),
            ty: carried.ty.clone(),
            ..*carried
        };
        let carried = rounds.carried.iter().map(init).collect();
        let (mut rounds, held) = match tried {
            Some(Trial { after, round, left }) => {
                // What the loop begins with was looked at since.
                let asks = self.asks_for_group.get() || after.asks_for_group.get();
                *self = Prove { trying: self.trying, asks_for_group: asks.into(), ..after };
                (Box::new(Loop { carried, ..round }), left)
            }
            None => self.round((rounds, carried), only, &stored),
        };
        if only.is_some() {
            self.intervals.hold_all(&stored, &held);
        }
        let inside = std::mem::replace(&mut self.unpaid, before);
        let few = counted.and_then(|counted| Some((self.few(&counted, inside)?, counted)));
        match (fuel, few) {
            (_, Some((all, counted))) => {
                self.plain += all;
                self.unpaid += all;
                rounds.body.retain(|stm| !fuel.is_some_and(|(fuel, _)| is_spent(&stm.kind, fuel)));
                return self.plainly(span, rounds, counted, out);
            }
            (None, None) if self.alive.is_none() => self.unproved = true,
            (Some((fuel, _)), None) if inside > 0 => self.pay(&mut rounds, fuel, inside),
            (Some(_), None) => {}
            (None, _) => self.unpaid += inside,
        }
        out.push(Stm { span, kind: Kind::Loop(rounds) });
    }

    /// The loop by one round, which may be the only one, by this counter, and what is known at its end by
    /// the names `stored`.
    fn round(
        &mut self,
        (rounds, carried): (&Loop<Kind>, Vec<Carried>),
        only: Option<Var>,
        stored: &[Name],
    ) -> (Box<Loop<Kind>>, Vec<Option<Interval>>) {
        let fuel = rounds.fuel.as_ref().map(|fuel| self.changed(fuel));
        let cond = self.changed(&rounds.cond);
        let (mark, scope) = (self.intervals.mark(), self.intervals.names.scope());
        self.intervals.assume(&cond, true, false);
        if let Some(counter) = only {
            self.intervals.learn(Name::Var(counter), Interval::plain((0, 0)));
        }
        let mut body = Vec::with_capacity(rounds.body.len());
        self.stms(&rounds.body, &mut body);
        let next = rounds.next.iter().map(|exp| self.changed(exp)).collect();
        let held = self.intervals.all(stored);
        // Together: a name whose value is known to be a literal is not bound at all.
        self.intervals.forget(mark);
        self.intervals.names.leave(scope, &mut body);
        (Box::new(Loop { carried, cond, fuel, body, next }), held)
    }

    /// What is known by the names `stored` before and behind each round of a loop; and the trial that
    /// knew just that, where another round of this would be the same.
    fn held_in_rounds(
        &self,
        rounds: &Loop<Kind>,
        stored: &[Name],
    ) -> (Vec<Option<Interval>>, Option<Trial<'p>>) {
        if self.trying == held::NESTED {
            return (vec![None; stored.len()], None);
        }
        let mut known = self.intervals.all(stored);
        for nth in 1.. {
            let mut trial = Prove { trying: self.trying + 1, ..self.clone() };
            trial.intervals.hold_all(stored, &known);
            let (round, left) = trial.round((rounds, Vec::new()), None, stored);
            if trial.unproved {
                // The rounds inside of which nobody tries, so the loop itself may be proved.
                return (vec![None; stored.len()], None);
            }
            let mut joined = held::each(&known, &left);
            if joined == known {
                // Of loops inside less may be tried than in the loop itself.
                let same = !any_stm(&rounds.body, &mut |kind| matches!(kind, Kind::Loop(_)));
                let trial = same.then_some(Trial { after: trial, round: *round, left });
                return (known, trial);
            }
            if nth >= held::TRIED {
                let new = joined.iter_mut().zip(&known).filter(|(joined, known)| *joined != *known);
                new.for_each(|(joined, _)| *joined = None);
            }
            known = joined;
        }
        unreachable!("what is new is given up")
    }

    /// All rounds of a loop, with those inside of it, if they are few enough not to be counted.
    fn few(&self, counted: &Counted, inside: u32) -> Option<u32> {
        let limit = self.fuel.map_or(2 * PLAIN, |(_, limit)| limit);
        let all = (1 + inside).checked_mul(counted.most)?;
        (all <= PLAIN && self.plain + all <= limit / 2).then_some(all)
    }

    /// The loop, if it counts up to what is known of every invocation.
    fn counted(&self, rounds: &Loop<Kind>, fuel: Option<(Var, u32)>) -> Option<Counted> {
        let [Carried { var, init, .. }] = rounds.carried.as_slice() else { return None };
        let counter = Exp::Var(*var);
        let one_more = Exp::bin(BinOp::Add, counter.clone(), Exp::u32(1));
        if *init != Exp::u32(0) || rounds.next != [one_more] || rounds.fuel.is_some() {
            return None;
        }
        let mut found: Option<(Exp, Interval)> = None;
        let mut parts = vec![&rounds.cond];
        while let Some(part) = parts.pop() {
            match part {
                Exp::Bin(BinOp::And, ab) => parts.extend(&**ab),
                Exp::Bin(BinOp::Lt, ab) if ab[0] == counter && found.is_none() => {
                    let [_, bound] = &**ab;
                    let changes = |part: &Exp| *part == counter || matches!(part, Exp::Load(_));
                    // As it stands: what is loaded is known for now only, and may be folded away.
                    if any_exp(bound, &mut |part| changes(part)) {
                        return None;
                    }
                    // Of a name that says nothing new nothing is known but by what stands for it.
                    let mut bound = bound.clone();
                    self.exp(&mut bound);
                    let interval = self.intervals.int(&bound)?;
                    if interval.tested || any_exp(&bound, &mut |part| changes(part)) {
                        return None;
                    }
                    found = Some((part.clone(), interval));
                }
                Exp::Bin(BinOp::Gt, ab) if fuel.is_some_and(|(var, _)| is_load(&ab[0], var)) => {}
                alive if self.alive.is_some_and(|var| is_load(alive, var)) => {}
                _ => return None,
            }
        }
        let (cond, interval) = found?;
        let most = u32::try_from(interval.range.1).ok()?;
        Some(Counted { counter: *var, cond, most, exact: interval.only().is_some() })
    }

    /// A loop of few rounds, without fuel.
    fn plainly(
        &mut self,
        span: Span,
        mut rounds: Box<Loop<Kind>>,
        Counted { counter, mut cond, most, exact }: Counted,
        out: &mut Block,
    ) {
        let left = i64::from(most);
        match (exact, most) {
            (true, 1) => {
                out.append(&mut rounds.body);
                self.intervals.learn(Name::Var(counter), Interval::plain((left, left)));
            }
            _ => {
                self.exp(&mut cond);
                let least = if exact { left } else { 0 };
                self.intervals.learn(Name::Var(counter), Interval::of_launch((least, left)));
                self.ended.push(cond.clone());
                rounds.cond = cond;
                out.push(Stm { span, kind: Kind::Loop(rounds) });
            }
        }
    }

    /// Each round pays for so many rounds inside of it too, before it starts.
    fn pay(&mut self, rounds: &mut Loop<Kind>, fuel: Var, inside: u32) {
        change_exp(&mut rounds.cond, &mut |part| {
            if let Exp::Bin(BinOp::Gt, ab) = part
                && is_load(&ab[0], fuel)
            {
                ab[1] = Exp::u32(inside);
            }
        });
        for stm in &mut rounds.body {
            if is_spent(&stm.kind, fuel) {
                let left = Exp::load(Place::Var(fuel));
                let paid = Exp::bin(BinOp::Sub, left, Exp::u32(1 + inside));
                stm.kind = Kind::Store(Place::Var(fuel), paid);
            }
        }
        self.heaviest = self.heaviest.max(inside);
    }

    /// The test behind a loop that it was not cut short. A loop whose rounds pay for others stops
    /// while there is something left; of what stood before it that may be as much as any pays for.
    pub(super) fn paid(&self, test: &mut Exp) {
        let Some((fuel, _)) = self.fuel.filter(|_| self.heaviest > 0) else { return };
        change_exp(test, &mut |part| {
            if let Exp::Bin(op @ BinOp::Eq, ab) = part
                && is_load(&ab[0], fuel)
                && ab[1] == Exp::u32(0)
            {
                *op = BinOp::Le;
                ab[1] = Exp::u32(self.heaviest);
            }
        });
    }
}

/// A round of a loop that was tried.
struct Trial<'p> {
    /// All that is known behind it.
    after: Prove<'p>,
    /// The loop by this round, without the variables that it carries.
    round: Loop<Kind>,
    /// What is known at its end of what it stores.
    left: Vec<Option<Interval>>,
}

/// A loop that only counts, from 0, while there is fuel and the invocation lives.
struct Counted {
    /// What counts.
    counter: Var,
    /// The condition, but for fuel and life.
    cond: Exp,
    /// The most rounds, also of a poisoned invocation.
    most: u32,
    /// Are there as many for sure?
    exact: bool,
}

/// `left = left - 1`
fn is_spent(kind: &Kind, fuel: Var) -> bool {
    match kind {
        Kind::Store(Place::Var(var), Exp::Bin(BinOp::Sub, ab)) => {
            *var == fuel && is_load(&ab[0], fuel)
        }
        _ => false,
    }
}

/// The variable that the pass `bound_loops` counts rounds with, and what it starts from: the one
/// that the condition of some loop looks at.
pub(super) fn fuel_of(body: &Block, alive: Var) -> Option<(Var, u32)> {
    let declared = |stm: &Stm<Kind>| match stm.kind {
        Kind::Var(var, U32, Some(Exp::Lit(Lit::U32(rounds)))) if var != alive => {
            Some((var, rounds))
        }
        _ => None,
    };
    let looked_at = |&(var, _): &(Var, u32)| {
        any_stm(body, &mut |kind| match kind {
            Kind::Loop(rounds) => any_exp(&rounds.cond, &mut |part| match part {
                Exp::Bin(BinOp::Gt, ab) => is_load(&ab[0], var) && ab[1] == Exp::u32(0),
                _ => false,
            }),
            _ => false,
        })
    };
    body.iter().filter_map(declared).find(looked_at)
}
