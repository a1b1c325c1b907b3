//! Loops: what is known in each round, and how many rounds there are at most.
//!
//! A loop is *counted* if one of the variables that it carries counts up from 0 to a bound of which
//! every invocation knows the same interval, poisoned ones too. `bound_loops` need not bound it.

use super::intervals::{Interval, Name};
use super::{Eliminate, held};
use reference::device::syntax::{Block, Carried, Exp, Kind, Loop, Stm, U32};
use reference::device::visit::{any_exp, any_stm};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

impl Eliminate<'_> {
    pub(super) fn rounds(&mut self, span: Span, rounds: &Loop<Kind>, out: &mut Block) {
        let count = self.count(rounds);
        if count.is_some_and(|count| count.most == 0) {
            // No round: what it carries keeps what it starts from.
            for Carried { var, ty, init } in &rounds.carried {
                self.bind(*var, ty, init);
                out.push(Stm { span, kind: Kind::Let(*var, ty.clone(), init.clone()) });
            }
            return;
        }
        let stored = self.intervals.stored(&[&rounds.body], self.followed);
        self.tries(stored.len());
        let mut tried = None;
        if !stored.is_empty() {
            let (held, trial) = self.held_in_rounds(rounds, &stored);
            self.intervals.hold_all(&stored, &held);
            tried = trial;
        }
        let body = match tried {
            Some(Trial { after, body }) => {
                *self = Eliminate { trying: self.trying, ..after };
                body
            }
            None => self.round(rounds, &stored).0,
        };
        if let Some(Count { counter, least, most }) = count {
            self.counted.insert(counter, most);
            let rounds = Interval::certain((least.into(), most.into()));
            self.intervals.learn(Name::Var(counter), rounds);
        }
        let kind = Kind::Loop(Box::new(Loop {
            carried: rounds.carried.clone(),
            cond: rounds.cond.clone(),
            fuel: rounds.fuel.clone(),
            body,
            next: rounds.next.clone(),
        }));
        out.push(Stm { span, kind });
    }

    /// The body of a round, and what is known at its end by the names `stored`.
    fn round(&mut self, rounds: &Loop<Kind>, stored: &[Name]) -> (Block, Vec<Option<Interval>>) {
        let mark = self.intervals.mark();
        self.intervals.assume(&rounds.cond, true, self.differs_for_poisoned(&rounds.cond));
        let mut body = Vec::with_capacity(rounds.body.len());
        self.stms(&rounds.body, &mut body);
        let held = self.intervals.all(stored);
        self.intervals.forget(mark);
        (body, held)
    }
}

impl<'p> Eliminate<'p> {
    /// What is known by the names `stored` before and behind each round of a loop. With it the last trial, which
    /// started from just that, if it can be used as the result.
    fn held_in_rounds(
        &self,
        rounds: &Loop<Kind>,
        stored: &[Name],
    ) -> (Vec<Option<Interval>>, Option<Trial<'p>>) {
        if self.trying == held::NESTED || self.tries.get() == 0 {
            return (vec![None; stored.len()], None);
        }
        let mut known = self.intervals.all(stored);
        for nth in 1.. {
            let mut trial = Eliminate { trying: self.trying + 1, ..self.clone() };
            trial.intervals.hold_all(stored, &known);
            let (body, left) = trial.round(rounds, stored);
            let mut joined = held::each(&known, &left);
            if joined == known {
                // During a trial a loop inside may get fewer trials of its own, so with such loops the round is
                // made again.
                let same = !any_stm(&rounds.body, &mut |kind| matches!(kind, Kind::Loop(_)));
                return (known, same.then_some(Trial { after: trial, body }));
            }
            if nth >= held::TRIED {
                let new = joined.iter_mut().zip(&known).filter(|(joined, known)| *joined != *known);
                new.for_each(|(joined, _)| *joined = None);
            }
            known = joined;
        }
        unreachable!("what is new is given up")
    }
}

impl Eliminate<'_> {
    /// How many rounds the loop has, if it is counted.
    fn count(&self, rounds: &Loop<Kind>) -> Option<Count> {
        let counts = |(Carried { var, init, .. }, next): (&Carried, &Exp)| {
            let one_more = Exp::bin(BinOp::Add, Exp::Var(*var), Exp::u32(1));
            (*init == Exp::u32(0) && *next == one_more).then_some(*var)
        };
        let counter = rounds.carried.iter().zip(&rounds.next).find_map(counts)?;
        debug_assert!(
            rounds.carried.iter().any(|carried| carried.var == counter && carried.ty == U32)
        );
        let mut parts = vec![&rounds.cond];
        let alone = !matches!(rounds.cond, Exp::Bin(BinOp::And, _)) && rounds.fuel.is_none();
        while let Some(part) = parts.pop() {
            match part {
                Exp::Bin(BinOp::And, ab) => parts.extend(&**ab),
                Exp::Bin(BinOp::Lt, ab) if ab[0] == Exp::Var(counter) => {
                    // The same in each round: a bound that is loaded, or carried, may change.
                    let changes = |part: &Exp| match part {
                        Exp::Load(_) => true,
                        Exp::Var(var) => rounds.carried.iter().any(|carried| carried.var == *var),
                        _ => false,
                    };
                    if any_exp(&ab[1], &mut |part| changes(part))
                        || self.differs_for_poisoned(&ab[1])
                    {
                        continue;
                    }
                    let bound = self.intervals.certainly(|known| known.int(&ab[1]))?.range;
                    let most = u32::try_from(bound.1).ok()?;
                    let least = if alone { u32::try_from(bound.0).unwrap_or(0) } else { 0 };
                    return Some(Count { counter, least, most });
                }
                _ => {}
            }
        }
        None
    }
}

/// A round of a loop that was tried.
struct Trial<'p> {
    /// All that is known behind it.
    after: Eliminate<'p>,
    /// What is left of the loop's body.
    body: Block,
}

/// The rounds of a loop that counts.
#[derive(Clone, Copy)]
struct Count {
    /// What counts, from 0.
    counter: Var,
    /// The fewest rounds.
    least: u32,
    /// The most rounds.
    most: u32,
}
