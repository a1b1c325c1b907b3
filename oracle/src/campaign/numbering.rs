//! Which program comes next, and with which weights it is drawn. However many workers there are,
//! and however often the campaign is ended and goes on, each number counts once, and is drawn with
//! the same weights.

use crate::generate::Weights;
use crate::rolls::Counts;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// After so many programs the coverage steers the weights.
const STEER: u64 = 2000;

/// How far a campaign has come, as it is kept on the disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// The number of the first program.
    pub first: u64,
    /// The number after the last that was drawn.
    pub next: u64,
    /// Numbers before that which do not count yet: they are drawn again.
    pub open: BTreeSet<u64>,
    /// The weights, once they were steered.
    pub weights: Option<Weights>,
}

impl Position {
    /// Of a campaign that begins with this program.
    pub fn start(first: u64) -> Self {
        Self { first, next: first, open: BTreeSet::new(), weights: None }
    }
}

/// The numbering of a campaign.
pub(super) struct Numbering {
    first: u64,
    next: u64,
    /// Drawn before the campaign was ended, and to be drawn again.
    again: BTreeSet<u64>,
    /// Drawn and not counted yet, each with its worker as long as that lives.
    open: BTreeMap<u64, Option<usize>>,
    weights: Option<Weights>,
    /// The weights before.
    unsteered: Weights,
    /// How many more may be drawn.
    left: Option<u64>,
}

/// What a worker does next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Draws this program with these weights.
    Program(u64, Box<Weights>),
    /// Waits for the programs of other workers, which decide on the weights.
    Wait,
    /// Nothing: all were drawn.
    Nothing,
}

impl Numbering {
    /// Goes on from here, for at most so many programs; these weights are steered.
    pub(super) fn new(from: Position, programs: Option<u64>, unsteered: Weights) -> Self {
        let Position { first, next, open, weights } = from;
        Self { first, next, again: open, open: BTreeMap::new(), weights, unsteered, left: programs }
    }

    /// How far it has come.
    pub(super) fn position(&self) -> Position {
        Position {
            first: self.first,
            next: self.next,
            open: self.open.keys().chain(&self.again).copied().collect(),
            weights: self.weights.clone(),
        }
    }

    /// The next program of a worker. `fired` is what has fired in all that count.
    pub(super) fn next(&mut self, worker: usize, fired: &Counts) -> Next {
        if self.left == Some(0) {
            return Next::Nothing;
        }
        let number = self.again.first().copied().unwrap_or(self.next);
        let steered = self.first.saturating_add(STEER);
        let weights = match &self.weights {
            _ if number < steered => self.unsteered.clone(),
            Some(weights) => weights.clone(),
            None if self.open.range(..steered).any(|(_, worker)| worker.is_some()) => {
                return Next::Wait;
            }
            None => {
                let mut weights = self.unsteered.clone();
                weights.steer(&fired.missing());
                self.weights.insert(weights).clone()
            }
        };
        if !self.again.remove(&number) {
            let Some(next) = self.next.checked_add(1) else { return Next::Nothing };
            self.next = next;
        }
        self.left = self.left.map(|left| left - 1);
        self.open.insert(number, Some(worker));
        Next::Program(number, Box::new(weights))
    }

    /// The program counts from now on.
    pub(super) fn counts(&mut self, number: u64) {
        self.open.remove(&number);
    }

    /// The worker is lost: its programs are not waited for, and stay open.
    pub(super) fn lost(&mut self, worker: usize) {
        self.open.values_mut().filter(|of| **of == Some(worker)).for_each(|of| *of = None);
    }
}

#[cfg(test)]
mod tests {
    use super::{Next, Numbering, Position, STEER};
    use crate::generate::Weights;
    use crate::rolls::Counts;

    fn number(next: Next) -> u64 {
        match next {
            Next::Program(number, _) => number,
            other => panic!("{other:?} is no program"),
        }
    }

    #[test]
    fn what_was_open_is_drawn_again() {
        let none = Counts::default();
        let mut numbering = Numbering::new(Position::start(7), None, Weights::default());
        let drawn: Vec<u64> = (0..4).map(|at| number(numbering.next(at % 2, &none))).collect();
        assert_eq!(drawn, [7, 8, 9, 10]);
        numbering.counts(7);
        numbering.counts(9);
        let kept = numbering.position();
        assert_eq!((kept.next, kept.open.iter().copied().collect()), (11, vec![8, 10]));
        let mut again = Numbering::new(kept, Some(3), Weights::default());
        let drawn: Vec<u64> = (0..3).map(|_| number(again.next(0, &none))).collect();
        assert_eq!(drawn, [8, 10, 11]);
        assert_eq!(again.next(0, &none), Next::Nothing);
        assert_eq!(again.position().open.iter().copied().collect::<Vec<_>>(), [8, 10, 11]);
    }

    /// The weights are those that all programs before them make, whichever worker examined these.
    #[test]
    fn weights_wait_for_the_programs_that_steer_them() {
        let none = Counts::default();
        let mut numbering = Numbering::new(Position::start(0), None, Weights::default());
        for at in 0..STEER {
            assert_eq!(number(numbering.next((at % 2) as usize, &none)), at);
            if at > 1 {
                numbering.counts(at);
            }
        }
        assert_eq!(numbering.next(0, &none), Next::Wait);
        numbering.counts(0);
        assert_eq!(numbering.next(0, &none), Next::Wait);
        // A worker that is lost is not waited for; its program stays open.
        numbering.lost(1);
        let Next::Program(at, weights) = numbering.next(0, &none) else { panic!("it waits") };
        assert_eq!(at, STEER);
        assert_ne!(*weights, Weights::default());
        let kept = numbering.position();
        assert!(kept.open.contains(&1));
        // Steered once: what fires later changes nothing. What comes before keeps its own.
        let mut again = Numbering::new(kept, None, Weights::default());
        assert_eq!(again.next(0, &none), Next::Program(1, Box::default()));
        assert_eq!(again.next(0, &none), Next::Program(STEER, weights.clone()));
        assert_eq!(again.next(0, &none), Next::Program(STEER + 1, weights));
    }
}
