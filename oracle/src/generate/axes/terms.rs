//! Terms by what is wanted: a tensor over these axes, a scalar, an index that is inside.

use super::{COMBINES, Terms, stored};
use reference::axes::index::Index;
use reference::axes::syntax::{Head, Kind, Name, Term};
use reference::kit::scalar::BinOp;

/// Constants, the simplest first.
const NUMBERS: [i32; 12] = [1, 0, 2, -1, 3, 5, 4, 31, i32::MAX, i32::MIN, 32, 1 << 30];

/// Conditions.
const COMPARES: [BinOp; 6] = [BinOp::Lt, BinOp::Eq, BinOp::Ge, BinOp::Le, BinOp::Gt, BinOp::Ne];

impl Terms<'_, '_> {
    /// A tensor over exactly these axes, of which none is bound around.
    pub(super) fn tensor(&mut self, want: &[Name]) -> Term {
        if let Some((pattern, below)) = self.goal.take() {
            if below > 0 {
                self.goal = Some((pattern, below - 1));
            } else {
                self.place = Some(self.path.clone());
                return self.fill(&pattern, want);
            }
        }
        let Some((first, rest)) = want.split_first() else { return self.scalar() };
        let spent = self.fuel == 0;
        self.fuel = self.fuel.saturating_sub(1);
        match if spent { 0 } else { self.draw.weighed(&[60, 12, 12, 5, 8]) } {
            1 => {
                let (op, axis) = (self.draw.pick(&COMBINES), self.axis());
                let of = self.in_loop(|terms| terms.round(&axis, 3, |terms| terms.tensor(want)));
                Term::red(op, &axis, self.sizes[&axis], of)
            }
            2 if self.is_split(first) => {
                let (outer, inner) = self.factors(first);
                let axes: Vec<Name> = [&outer, &inner].into_iter().chain(rest).cloned().collect();
                let of = self.child(3, |terms| terms.tensor(&axes));
                Term::merge(first, &outer, &inner, of)
            }
            3 => Term::new(Head::Keep, [self.child(0, |terms| terms.tensor(want))]),
            4 => {
                let (cond, then, other) = self.sides(want);
                Term::branch(cond, then, other)
            }
            _ => {
                let nth = self.draw.below(want.len());
                let (level, axis) = (self.level(), want[nth].clone());
                let rest: Vec<Name> = want.iter().filter(|name| **name != axis).cloned().collect();
                let of = self.in_build(level, &axis, |terms| terms.tensor(&rest));
                Term::build(level, &axis, self.sizes[&axis], of)
            }
        }
    }

    /// A condition and two sides; a pattern that waits stands in the first of them.
    fn sides(&mut self, want: &[Name]) -> (Term, Term, Term) {
        let waits = self.goal.take();
        let cond = self.child(0, Self::condition);
        self.goal = waits;
        self.in_loop(|terms| {
            let then = terms.child(1, |terms| terms.tensor(want));
            (cond, then, terms.child(2, |terms| terms.tensor(want)))
        })
    }

    fn is_split(&self, axis: &Name) -> bool {
        self.sizes[axis] > 0
    }

    /// Two new axes that make up this one.
    pub(super) fn factors(&mut self, axis: &Name) -> (Name, Name) {
        let size = self.sizes[axis];
        let outer: Vec<u32> = match size {
            0 => vec![0, 2],
            _ => (1..=size).filter(|outer| size.is_multiple_of(*outer)).collect(),
        };
        let outer = self.draw.pick(&outer);
        let inner = size.checked_div(outer).unwrap_or(3);
        (self.axis_of(outer), self.axis_of(inner))
    }

    /// A scalar.
    pub(super) fn scalar(&mut self) -> Term {
        if let Some((pattern, below)) = self.goal.take() {
            if below > 0 {
                self.goal = Some((pattern, below - 1));
                // What may get stuck stands often where it is not always evaluated.
                if self.partial && self.draw.chance(40) {
                    let (cond, then, other) = self.sides(&[]);
                    return Term::branch(cond, then, other);
                }
            } else {
                self.place = Some(self.path.clone());
                return self.fill(&pattern, &[]);
            }
        }
        let spent = self.fuel == 0;
        self.fuel = self.fuel.saturating_sub(1);
        let weights = match (self.has_goal(), spent) {
            (true, _) => [0, 0, 0, 30, 24, 20, 10, 12],
            (false, true) => [30, 20, 10, 0, 0, 0, 0, 0],
            (false, false) => [22, 10, 14, 30, 8, 6, 4, 4],
        };
        match self.draw.weighed(&weights) {
            0 => self.leaf(),
            1 => self.named().unwrap_or_else(|| Term::constant(self.number())),
            2 => self.read(),
            3 => self.operation(),
            4 => {
                let (cond, then, other) = self.sides(&[]);
                Term::branch(cond, then, other)
            }
            5 => {
                let (op, axis) = (self.draw.pick(&COMBINES), self.axis());
                let of = self.round(&axis, 3, Self::scalar);
                Term::red(op, &axis, self.sizes[&axis], of)
            }
            6 => {
                let (state, axis) = (self.name("s"), self.axis());
                let waits = self.goal.take();
                let start = self.child(3, Self::scalar);
                self.goal = waits;
                self.states.push(state.clone());
                let next = self.round(&axis, 4, Self::scalar);
                self.states.pop();
                Term::seq(&state, &axis, self.sizes[&axis], start, next)
            }
            _ => {
                let rank = 1 + self.draw.below(3);
                let (store, axes) = self.child(0, |terms| stored(terms, rank));
                let at: Vec<Term> = axes.iter().map(|axis| self.inside(self.sizes[axis])).collect();
                Term::get(store, at)
            }
        }
    }

    fn operation(&mut self) -> Term {
        let other = self.draw.chance(40);
        let op = if other { self.draw.pick(&BinOp::ALL) } else { self.draw.pick(&COMBINES) };
        let a = self.child(1, Self::scalar);
        // A divisor is a number but 0, where nothing gets stuck.
        let divides = op.is_partial() && !self.partial;
        let b = if divides {
            Term::constant(self.draw.pick(&[2, 1, 3, -1, 4, i32::MIN, 7]))
        } else {
            self.child(2, Self::scalar)
        };
        Term::apply(op, a, b)
    }

    /// A condition, mostly a comparison.
    pub(super) fn condition(&mut self) -> Term {
        let op = self.draw.pick(&COMPARES);
        match self.draw.below(4) {
            0 | 1 => {
                let (a, k) = (self.leaf(), self.draw.between(0, 8) as i32);
                Term::apply(op, a, Term::constant(k))
            }
            2 => {
                let a = self.child(1, Self::scalar);
                Term::apply(op, a, self.child(2, Self::scalar))
            }
            _ => self.scalar(),
        }
    }

    pub(super) fn number(&mut self) -> i32 {
        match self.draw.chance(5) {
            true => self.draw.word() as i32,
            false => self.draw.pick(&NUMBERS),
        }
    }

    /// A number, an axis, or an index of axes.
    pub(super) fn leaf(&mut self) -> Term {
        match self.draw.below(4) {
            1 if !self.bound.is_empty() => Term::at(&self.near()),
            2 if !self.bound.is_empty() => self.index(),
            0 if !self.bound.is_empty() => Term::at(&self.near()),
            _ => Term::constant(self.number()),
        }
    }

    /// An axis that is bound around, the nearest first.
    fn near(&mut self) -> Name {
        let nth = self.draw.below(self.bound.len());
        self.bound[self.bound.len() - 1 - nth].clone()
    }

    /// A sum of axes with factors, with a quotient or a remainder in it.
    fn index(&mut self) -> Term {
        let mut sum = Index::number(self.draw.between(0, 5) as i32);
        for _ in 0..1 + self.draw.below(3) {
            let axis = Index::axis(&self.near());
            let by = 1 + self.draw.below(6) as u32;
            let part = match self.draw.below(4) {
                2 => axis.divided(by, &self.sizes).map(|(div, _)| div),
                3 => axis.divided(by, &self.sizes).map(|(_, rem)| rem),
                _ => Some(axis),
            };
            let factor = self.draw.pick(&[1, 2, -1, 4, 32]);
            sum = part.and_then(|part| sum.plus(&part, factor)).unwrap_or(sum);
        }
        Term::index(sum)
    }

    /// A parameter or a state.
    fn named(&mut self) -> Option<Term> {
        let ints = self.params.iter().filter(|param| matches!(param.kind, Kind::Int(_)));
        let mut names: Vec<Name> = self.states.iter().rev().cloned().collect();
        names.extend(ints.map(|param| param.name.clone()));
        let nth = self.draw.below(names.len());
        Some(Term::leaf(Head::Scalar(names.get(nth)?.clone())))
    }

    /// A read of a parameter that has elements.
    pub(super) fn read(&mut self) -> Term {
        let arrays = self.params.iter().filter_map(|param| match &param.kind {
            Kind::Array(sizes) if self.partial || !sizes.contains(&0) => {
                Some((param.name.clone(), sizes.clone()))
            }
            _ => None,
        });
        let arrays: Vec<_> = arrays.collect();
        let nth = self.draw.below(arrays.len());
        let Some((name, sizes)) = arrays.get(nth).cloned() else { return self.leaf() };
        let at: Vec<Term> = sizes.iter().map(|size| self.inside(*size)).collect();
        Term::get(Term::leaf(Head::Array(name)), at)
    }

    /// An index of an axis of this size: mostly inside.
    pub(super) fn inside(&mut self, size: u32) -> Term {
        if self.partial && self.draw.chance(25) {
            return self.leaf();
        }
        let Some(last) = size.checked_sub(1) else { return Term::constant(0) };
        let fits = |name: &&Name| self.sizes[*name] <= size;
        let near: Vec<Name> = self.bound.iter().rev().filter(fits).cloned().collect();
        let nth = self.draw.below(near.len());
        match (near.get(nth), self.draw.below(5)) {
            (Some(axis), 0..=2) => Term::at(axis),
            (Some(axis), 3) => {
                let at = Index::number(last as i32).plus(&Index::axis(axis), -1);
                at.map_or(Term::constant(0), Term::index)
            }
            _ => {
                let wide = self.leaf().as_index();
                let rem = wide.and_then(|index| index.divided(size, &self.sizes));
                rem.map_or(Term::constant(0), |(_, rem)| Term::index(rem))
            }
        }
    }
}
