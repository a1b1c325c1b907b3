//! Instances of laws: the holes of a left side filled, in a random context.

use super::{COMBINES, Terms, is_leaf};
use arbitrary::Unstructured;
use reference::axes::laws::Law;
use reference::axes::syntax::{Head, Kind, Level, Name, Param, Program, Term, identity};
use reference::kit::outcome::Value;
use reference::kit::scalar::BinOp;
use std::collections::BTreeMap;

/// An instance of the left side of a law.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The program in which it stands.
    pub program: Program,
    /// Where.
    pub position: Vec<usize>,
    /// The size of a tile; 0 for a law that takes none.
    pub parameter: u32,
    /// One value for each parameter.
    pub input: Vec<Value>,
}

/// What a hole wants to stand for, so that guards hold more often than by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wish {
    /// The identity of the operator.
    Identity,
    /// A small number.
    Small,
    /// An axis of the pattern.
    OwnAxis,
    /// The state of the pattern.
    OwnState,
    /// An index that is never negative.
    Natural,
    /// A comparison.
    Condition,
    /// Any operator.
    Operator,
    /// The partner of the operator: of min, max.
    Partner,
    /// An array parameter of rank 2.
    Array,
    /// A read of a parameter.
    Read,
}

/// What the holes of a law want.
pub(super) type Wishes = BTreeMap<Name, Wish>;

fn wishes(law: &str) -> Wishes {
    let of: &[(&str, Wish)] = match law {
        "unit" => &[("u", Wish::Identity)],
        "absorb" => &[("p", Wish::Partner)],
        "shift-mul" => &[("k", Wish::Small)],
        "div-tile" | "rem-tile" => {
            &[("t", Wish::Small), ("a", Wish::Natural), ("b", Wish::Natural)]
        }
        "if-const" => &[("c", Wish::Small)],
        "if-range" => &[("c", Wish::Condition)],
        "red-mask" => &[("x", Wish::OwnAxis), ("m", Wish::Small), ("u", Wish::Identity)],
        "fold" | "fold-right" | "split-seq-start" => &[("x", Wish::OwnState)],
        "if-push" | "if-push-right" => &[("o", Wish::Operator)],
        "inline" => &[
            ("x", Wish::Natural),
            ("y", Wish::Natural),
            ("z", Wish::Natural),
            ("w", Wish::Natural),
        ],
        "pack" | "pack-rows" | "pack-columns" => &[("X", Wish::Array)],
        "materialise" => &[("e", Wish::Read)],
        _ => &[],
    };
    of.iter().map(|(hole, wish)| (Name::new(hole), *wish)).collect()
}

/// An instance of a left side of the law. `None` if the bytes lead to none.
pub fn instance(law: &Law, bytes: &mut Unstructured<'_>) -> Option<Instance> {
    let mut terms = Terms::new(bytes);
    let left = law.left[terms.draw.below(law.left.len())].clone();
    terms.wishes = wishes(law.name);
    // What a guard asks to be total is now and then not.
    terms.partial |= law.guard.contains("total") && terms.draw.chance(50);
    let parameter = match (law.tiles, law.words) {
        (true, _) => terms.draw.pick(&[2, 3, 4, 5, 7]),
        (_, true) => terms.draw.pick(&[1, 2, 5, 33]),
        _ => 0,
    };
    terms.array_of_tiles(law.name, parameter);
    let below = terms.draw.pick(&[0, 1, 2, 3]);
    terms.goal = Some((left, below));
    let term = terms.results();
    let position = terms.place.take()?;
    let program = Program { params: terms.params, term };
    let input = super::input::drawn(&program, &mut terms.draw);
    Some(Instance { program, position, parameter, input })
}

impl Terms<'_, '_> {
    /// Mostly, for a law that copies an array in tiles: an array which they divide, in front of the others.
    fn array_of_tiles(&mut self, law: &str, tile: u32) {
        let is_long = |nth| match law {
            "pack-rows" => Some(nth == 0),
            "pack-columns" => Some(nth == 1),
            _ => None,
        };
        let [Some(rows), Some(columns)] = [is_long(0), is_long(1)] else { return };
        if self.draw.chance(80) {
            let sizes = [rows, columns].map(|long| match long {
                true => tile * self.draw.pick(&[2, 3, 4]),
                false => self.draw.pick(&[1, 2, 3, 5, 0]),
            });
            let kind = Kind::Array(sizes.to_vec());
            self.params.insert(0, Param { name: Name::new("ts"), kind });
        }
    }

    /// An instance of a pattern as a tensor over these axes; what cannot be one is no term, which
    /// the rules of terms see.
    pub(super) fn fill(&mut self, pattern: &Term, want: &[Name]) -> Term {
        if let Head::Hole(hole) = &pattern.head {
            if let Some(term) = self.holes.get(hole) {
                return term.clone();
            }
            let term = self.wished(hole, want);
            self.holes.insert(hole.clone(), term.clone());
            return term;
        }
        let args = &pattern.args;
        match pattern.head {
            Head::Build => {
                let drawn = self.level();
                let level = self.leaf_of(&args[0], |_| Head::Level(drawn));
                let known = self.known_axis(&args[1]);
                let nth = self.draw.below(want.len());
                let axis = match (known, want.get(nth)) {
                    (Some(axis), _) => axis,
                    (None, Some(axis)) => axis.clone(),
                    (None, None) => self.axis(),
                };
                self.set_axis(&args[1], &axis);
                let size = self.size_of(&args[2], &axis);
                let rest: Vec<Name> = want.iter().filter(|name| **name != axis).cloned().collect();
                let of = self.in_build(drawn, &axis, |terms| terms.fill(&args[3], &rest));
                Term::new(Head::Build, [level, Term::axis(&axis), size, of])
            }
            Head::Red => {
                let op = self.draw.pick(&COMBINES);
                let op = self.leaf_of(&args[0], |_| Head::Op(op));
                let axis = self.loop_axis(&args[1], &args[2]);
                let size = self.size_of(&args[2], &axis);
                let of = self.round(&axis, 3, |terms| terms.fill(&args[3], want));
                Term::new(Head::Red, [op, Term::axis(&axis), size, of])
            }
            Head::Seq => {
                let state = self.name("s");
                let state = self.leaf_of(&args[0], |_| Head::State(state));
                let axis = self.loop_axis(&args[1], &args[2]);
                let size = self.size_of(&args[2], &axis);
                let start = self.child(3, |terms| terms.fill(&args[3], &[]));
                if let Head::State(name) = &state.head {
                    self.states.push(name.clone());
                }
                let next = self.round(&axis, 4, |terms| terms.fill(&args[4], &[]));
                self.states.pop();
                Term::new(Head::Seq, [state, Term::axis(&axis), size, start, next])
            }
            Head::Merge => {
                let axis = match (self.known_axis(&args[0]), want.len()) {
                    (Some(axis), _) => axis,
                    (None, 0) => self.axis(),
                    (None, count) => want[self.draw.below(count)].clone(),
                };
                let known = (self.known_axis(&args[1]), self.known_axis(&args[2]));
                let (outer, inner) = match known {
                    (Some(outer), Some(inner)) => (outer, inner),
                    // Now and then an axis that has a name already.
                    _ => match self.draw.chance(8) {
                        true => self.alias(&axis),
                        false => self.factors(&axis),
                    },
                };
                for (hole, name) in args.iter().zip([&axis, &outer, &inner]) {
                    self.set_axis(hole, name);
                }
                let rest = want.iter().filter(|name| **name != axis);
                let axes: Vec<Name> = [&outer, &inner].into_iter().chain(rest).cloned().collect();
                let of = self.child(3, |terms| terms.fill(&args[3], &axes));
                Term::merge(&axis, &outer, &inner, of)
            }
            Head::Store => {
                let place = self.leaf_of(&args[0], |terms| Head::Place(terms.some_place()));
                let axes: Vec<Name> = args[2..]
                    .iter()
                    .map(|hole| {
                        let axis = self.known_axis(hole).unwrap_or_else(|| self.axis());
                        self.set_axis(hole, &axis);
                        axis
                    })
                    .collect();
                // A loop for each axis, and nothing else, can be put in the place of a read.
                let plain = self.draw.chance(50).then(|| self.nest_of(&args[1], &axes)).flatten();
                let of =
                    plain.unwrap_or_else(|| self.child(1, |terms| terms.fill(&args[1], &axes)));
                let front = [place, of];
                let layout = axes.iter().map(Term::axis);
                Term::new(Head::Store, front.into_iter().chain(layout).collect::<Vec<_>>())
            }
            Head::If => {
                let cond = self.child(0, |terms| terms.fill(&args[0], &[]));
                let then = self.child(1, |terms| terms.fill(&args[1], want));
                Term::branch(cond, then, self.child(2, |terms| terms.fill(&args[2], want)))
            }
            Head::Apply => {
                let op = match self.wish(&args[0]) {
                    Some(Wish::Operator) => self.draw.pick(&BinOp::ALL),
                    Some(Wish::Partner) => self.partner(),
                    _ if self.draw.chance(20) => self.draw.pick(&BinOp::ALL),
                    _ => self.draw.pick(&COMBINES),
                };
                let op = self.leaf_of(&args[0], |_| Head::Op(op));
                let a = self.child(1, |terms| terms.fill(&args[1], &[]));
                Term::new(Head::Apply, [op, a, self.child(2, |terms| terms.fill(&args[2], &[]))])
            }
            Head::Get => {
                let of = self.child(0, |terms| terms.fill(&args[0], &[]));
                let sizes: Vec<u32> = self.sizes_of(&of);
                let rest = args[1..].iter().enumerate().map(|(nth, hole)| {
                    let size = sizes.get(nth).copied().unwrap_or(1);
                    self.index_for(hole, size)
                });
                let rest: Vec<Term> = rest.collect();
                Term::get(of, rest)
            }
            _ if is_leaf(pattern) => pattern.clone(),
            _ => {
                let filled = (0..args.len())
                    .map(|nth| self.child(nth, |terms| terms.fill(&args[nth], want)));
                let filled: Vec<Term> = filled.collect();
                Term::new(pattern.head.clone(), filled)
            }
        }
    }

    /// The plain nest of these axes for a hole.
    fn nest_of(&mut self, hole: &Term, axes: &[Name]) -> Option<Term> {
        let Head::Hole(hole) = &hole.head else { return None };
        let outer = self.bound.len();
        let around = self.rounds;
        self.bound.extend(axes.iter().cloned());
        self.rounds *= axes.iter().map(|axis| u64::from(self.sizes[axis].max(1))).product::<u64>();
        let body = self.scalar();
        self.bound.truncate(outer);
        self.rounds = around;
        let nest = axes
            .iter()
            .rev()
            .fold(body, |of, axis| Term::build(Level::Seq, axis, self.sizes[axis], of));
        self.holes.insert(hole.clone(), nest.clone());
        Some(nest)
    }

    fn wish(&self, pattern: &Term) -> Option<Wish> {
        match &pattern.head {
            Head::Hole(hole) => self.wishes.get(hole).copied(),
            _ => None,
        }
    }

    /// What a hole stands for where a tensor stands.
    fn wished(&mut self, hole: &Name, want: &[Name]) -> Term {
        let wish = self.wishes.get(hole).copied().filter(|_| self.draw.chance(80));
        let own = |terms: &Self, name: &str| terms.holes.get(&Name::new(name)).cloned();
        match wish {
            Some(Wish::Identity) => {
                let op = own(self, "o").and_then(|op| op.as_op()).and_then(identity);
                Term::constant(op.unwrap_or(0))
            }
            Some(Wish::Small) => Term::constant(self.draw.pick(&[2, 1, 3, 4, 0, 8, 5, 16, -1, 33])),
            Some(Wish::OwnAxis) => match own(self, "k").and_then(|axis| axis.as_axis().cloned()) {
                Some(axis) => Term::at(&axis),
                None => self.leaf(),
            },
            Some(Wish::OwnState) => match own(self, "s").map(|state| state.head) {
                Some(Head::State(name)) => Term::leaf(Head::Scalar(name)),
                _ => self.leaf(),
            },
            Some(Wish::Natural) => {
                let size = self.draw.pick(&[2, 1, 3, 4, 8]);
                self.inside(size)
            }
            Some(Wish::Condition) => self.condition(),
            Some(Wish::Read) if want.is_empty() && self.partial => self.read(),
            Some(Wish::Array) => {
                let rank =
                    |param: &&Param| matches!(&param.kind, Kind::Array(sizes) if sizes.len() == 2);
                let array = self.params.iter().find(rank).map(|param| param.name.clone());
                array.map_or_else(|| self.scalar(), |name| Term::leaf(Head::Array(name)))
            }
            _ => self.tensor(want),
        }
    }

    /// An index of an axis of this size for a hole; a bound axis now and then as it is.
    fn index_for(&mut self, hole: &Term, size: u32) -> Term {
        let Head::Hole(name) = &hole.head else { return hole.clone() };
        if let Some(term) = self.holes.get(name) {
            return term.clone();
        }
        let term = match self.draw.chance(75) {
            true => self.inside(size),
            false => self.leaf(),
        };
        self.holes.insert(name.clone(), term.clone());
        term
    }

    fn sizes_of(&self, array: &Term) -> Vec<u32> {
        match &array.head {
            Head::Array(name) => match self.scope().params.get(name) {
                Some(Kind::Array(sizes)) => sizes.clone(),
                _ => Vec::new(),
            },
            _ => {
                let axes = array.args.iter().skip(2).filter_map(Term::as_axis);
                axes.map(|axis| self.sizes[axis]).collect()
            }
        }
    }

    /// The operator that absorbs with the one of the pattern.
    fn partner(&mut self) -> BinOp {
        let op = self.holes.get(&Name::new("o")).and_then(Term::as_op);
        match op {
            Some(BinOp::Min) => BinOp::Max,
            Some(BinOp::Max) => BinOp::Min,
            Some(BinOp::And) => BinOp::Or,
            Some(BinOp::Or) => BinOp::And,
            _ => self.draw.pick(&COMBINES),
        }
    }

    /// The axis that a loop of the pattern binds: a new one, of the size that the pattern says.
    fn loop_axis(&mut self, axis: &Term, size: &Term) -> Name {
        let known = self.known_axis(axis);
        let said = match &size.head {
            Head::Size(n) => Some(*n),
            Head::Hole(hole) => self.holes.get(hole).and_then(Term::as_size),
            _ => None,
        };
        let name = match (known, said) {
            (Some(name), _) => name,
            (None, Some(n)) => self.axis_of(n),
            (None, None) => self.axis(),
        };
        self.set_axis(axis, &name);
        name
    }

    /// Two names of axes of the pattern in the place of new ones.
    fn alias(&mut self, axis: &Name) -> (Name, Name) {
        let (outer, inner) = self.factors(axis);
        let names: Vec<Name> = self.holes.values().filter_map(Term::as_axis).cloned().collect();
        let nth = self.draw.below(names.len());
        match (names.get(nth), self.draw.chance(50)) {
            (Some(name), true) => (name.clone(), inner),
            (Some(name), false) => (outer, name.clone()),
            (None, _) => (outer, inner),
        }
    }

    fn known_axis(&self, pattern: &Term) -> Option<Name> {
        let Head::Hole(hole) = &pattern.head else { return pattern.as_axis().cloned() };
        self.holes.get(hole)?.as_axis().cloned()
    }

    fn set_axis(&mut self, pattern: &Term, axis: &Name) {
        if let Head::Hole(hole) = &pattern.head {
            self.holes.insert(hole.clone(), Term::axis(axis));
        }
    }

    fn size_of(&mut self, pattern: &Term, axis: &Name) -> Term {
        let size = Term::size(self.sizes[axis]);
        match &pattern.head {
            Head::Hole(hole) => {
                self.holes.entry(hole.clone()).or_insert_with(|| size.clone());
                size
            }
            _ => pattern.clone(),
        }
    }

    /// A leaf that is no term: an operator, a level.
    fn leaf_of(&mut self, pattern: &Term, drawn: impl FnOnce(&mut Self) -> Head) -> Term {
        let Head::Hole(hole) = &pattern.head else { return pattern.clone() };
        if let Some(leaf) = self.holes.get(hole) {
            return leaf.clone();
        }
        let leaf = Term::leaf(drawn(self));
        self.holes.insert(hole.clone(), leaf.clone());
        leaf
    }
}
