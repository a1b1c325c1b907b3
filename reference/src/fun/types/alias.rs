//! Which arrays may share elements, and which are consumed: the premises `scope` and
//! `consumable` of T-UPDATE (reading "Extensions of FUN").
//!
//! The roots of an array are the bindings that may have made its elements. A kernel, a parameter
//! and a carried variable are their own root; a slice, a transposition and an update have their
//! operand's; an `if` has the union over its branches, a loop the union over what it starts from
//! and what its body gives. Inside its body a carried variable belongs to the loop, whatever it
//! started from: where that is needed elsewhere, insertion of memory copies it.

use crate::kit::names::Var;
use crate::kit::text::Span;
use std::rc::Rc;

/// The roots of an array.
#[derive(Clone, Debug)]
pub(super) enum Roots {
    /// Slots, in ascending order.
    Few(Rc<[u32]>),
    /// Too many to tell apart: any array.
    Any,
}

/// More roots than these are no longer told apart, so that long programs stay linear.
const MANY: usize = 512;

impl Roots {
    /// No array at all.
    pub(super) fn none() -> Self {
        Roots::Few(Rc::from([]))
    }

    /// All of these.
    pub(super) fn union<'a>(all: impl IntoIterator<Item = &'a Roots>) -> Self {
        let mut slots = Vec::new();
        for roots in all {
            match roots {
                Roots::Few(few) => slots.extend_from_slice(few),
                Roots::Any => return Roots::Any,
            }
        }
        slots.sort_unstable();
        slots.dedup();
        if slots.len() > MANY { Roots::Any } else { Roots::Few(slots.into()) }
    }
}

/// When something happened: statements are counted.
type Time = u32;

/// What is known so far of the arrays of a program, by slot.
pub(super) struct Aliases {
    roots: Vec<Roots>,
    /// The kernel or loop body that made a root; parameters have 0. Bodies inside others have
    /// higher numbers, and of the names in scope only what was made in a body or inside it has
    /// its number or more.
    region: Vec<u32>,
    /// When a name was bound, and when a root was consumed last, and where.
    bound: Vec<Time>,
    consumed: Vec<(Time, Span)>,
    /// Roots that were consumed, with what stood there before: a branch is undone before the
    /// other one is looked at.
    journal: Vec<(u32, (Time, Span))>,
    last: (Time, Span),
    now: Time,
    here: u32,
    regions: u32,
}

impl Aliases {
    /// Nothing is bound.
    pub(super) fn new(names: usize) -> Self {
        Self {
            roots: vec![Roots::none(); names],
            region: vec![0; names],
            bound: vec![0; names],
            consumed: vec![(0, Span::default()); names],
            journal: Vec::new(),
            last: (0, Span::default()),
            now: 0,
            here: 0,
            regions: 0,
        }
    }

    /// Enters the body of the program, of a kernel or of a loop; answers with the body around it.
    pub(super) fn enter(&mut self) -> u32 {
        self.regions += 1;
        std::mem::replace(&mut self.here, self.regions)
    }

    /// Leaves it again.
    pub(super) fn leave(&mut self, outer: u32) {
        self.here = outer;
    }

    /// `var` is an array of its own.
    pub(super) fn makes(&mut self, var: Var) {
        self.now += 1;
        self.roots[var.slot()] = Roots::Few(Rc::from([var.0]));
        self.region[var.slot()] = self.here;
        self.bound[var.slot()] = self.now;
    }

    /// `var` has these roots.
    pub(super) fn views(&mut self, var: Var, roots: Roots) {
        self.now += 1;
        self.roots[var.slot()] = roots;
        self.bound[var.slot()] = self.now;
    }

    /// The roots of an array.
    pub(super) fn of(&self, var: Var) -> Roots {
        self.roots[var.slot()].clone()
    }

    /// Where the array, or one that may share elements with it, was consumed since it was bound.
    pub(super) fn consumed(&self, var: Var) -> Option<Span> {
        let bound = self.bound[var.slot()];
        let after = |(time, span): (Time, Span)| (time > bound).then_some(span);
        match &self.roots[var.slot()] {
            Roots::Few(few) => few.iter().find_map(|&root| after(self.consumed[root as usize])),
            Roots::Any => after(self.last),
        }
    }

    /// Was the array made in this kernel or loop body, or is it carried by this loop?
    pub(super) fn consumable(&self, var: Var) -> bool {
        match &self.roots[var.slot()] {
            Roots::Few(few) => few.iter().all(|&root| self.region[root as usize] >= self.here),
            Roots::Any => false,
        }
    }

    /// Consumes the array and all that may share elements with it.
    pub(super) fn consume(&mut self, var: Var, span: Span) {
        self.now += 1;
        self.last = (self.now, span);
        if let Roots::Few(few) = self.of(var) {
            for &root in few.iter() {
                self.stamp(root, (self.now, span));
            }
        }
    }

    fn stamp(&mut self, root: u32, stamp: (Time, Span)) {
        let entry = &mut self.consumed[root as usize];
        self.journal.push((root, *entry));
        if stamp.0 > entry.0 {
            *entry = stamp;
        }
    }

    /// Before the first branch of an `if`.
    pub(super) fn branch(&self) -> usize {
        self.journal.len()
    }

    /// After the first branch: what it consumed, which the other one still has.
    pub(super) fn undo(&mut self, since: usize) -> Vec<(u32, (Time, Span))> {
        let mut undone = Vec::new();
        while self.journal.len() > since {
            let (root, before) = self.journal.pop().expect("it is longer than `since`");
            undone.push((root, std::mem::replace(&mut self.consumed[root as usize], before)));
        }
        undone
    }

    /// After the other branch: the first one may have been taken.
    pub(super) fn redo(&mut self, undone: Vec<(u32, (Time, Span))>) {
        for (root, stamp) in undone {
            self.stamp(root, stamp);
        }
    }

    /// The roots of what an `if` gives.
    pub(super) fn either(&self, then: Roots, orelse: Roots) -> Roots {
        Roots::union([&then, &orelse])
    }
}
