//! Terms over named axes, well-formed by construction, and instances of laws in a random context.

mod entered;
mod groups;
mod input;
mod instance;
mod terms;

pub use instance::{Instance, instance};

use super::Draw;
use arbitrary::Unstructured;
use groups::Around;
use reference::axes::syntax::{Head, Kind, Name, Param, Place, Program, Term};
use reference::axes::types::Scope;
use reference::kit::outcome::Value;
use reference::kit::scalar::BinOp;
use std::collections::{BTreeMap, BTreeSet};

/// A program over named axes with its input; few bytes make a small one. One in twenty may have a
/// read or a division that gets stuck.
pub fn program(bytes: &mut Unstructured<'_>) -> (Program, Vec<Value>) {
    let mut terms = Terms::new(bytes);
    terms.groups |= !terms.partial && terms.draw.chance(60);
    let term = terms.results();
    let program = Program { params: terms.params, term };
    let input = input::drawn(&program, &mut terms.draw);
    (program, input)
}

/// Sizes of axes and arrays, the simplest first.
const SIZES: [u32; 12] = [2, 1, 3, 4, 0, 6, 5, 8, 7, 9, 12, 16];

/// How many rounds may stand in one another before sizes are small.
const ROUNDS: u64 = 300;

/// Operators that combine in any order, the simplest first.
const COMBINES: [BinOp; 7] =
    [BinOp::Add, BinOp::Max, BinOp::Min, BinOp::Mul, BinOp::Xor, BinOp::And, BinOp::Or];

/// What is drawn.
struct Terms<'u, 'b> {
    draw: Draw<'u, 'b>,
    params: Vec<Param>,
    /// Sizes of all axes so far.
    sizes: BTreeMap<Name, u32>,
    /// Axes that are bound around, and states.
    bound: Vec<Name>,
    states: Vec<Name>,
    /// How many names there are.
    names: usize,
    /// How many nodes there may be from here on.
    fuel: usize,
    /// How many rounds stand around.
    rounds: u64,
    /// May something get stuck?
    partial: bool,
    /// Are there levels and places of work groups?
    groups: bool,
    /// Which of them may stand here.
    around: Around,
    /// Axes that tell the invocations of a group apart.
    lanes: BTreeSet<Name>,
    /// The pattern whose instance is to stand below so many nodes, until it stands.
    goal: Option<(Term, usize)>,
    /// Where we are, and where the instance is.
    path: Vec<usize>,
    place: Option<Vec<usize>>,
    holes: BTreeMap<Name, Term>,
    /// What holes of the law want to stand for.
    wishes: instance::Wishes,
}

impl<'u, 'b> Terms<'u, 'b> {
    fn new(bytes: &'u mut Unstructured<'b>) -> Self {
        let mut draw = Draw::new(bytes);
        let percentile = draw.percentile();
        let partial = percentile < 10;
        // What may get stuck has no plan, and only plans heed work groups.
        let groups = !partial && percentile.is_multiple_of(4);
        let mut terms = Terms {
            draw,
            params: Vec::new(),
            sizes: BTreeMap::new(),
            bound: Vec::new(),
            states: Vec::new(),
            names: 0,
            fuel: 40,
            rounds: 1,
            partial,
            groups,
            around: Around::NOTHING,
            lanes: BTreeSet::new(),
            goal: None,
            path: Vec::new(),
            place: None,
            holes: BTreeMap::new(),
            wishes: instance::Wishes::default(),
        };
        for nth in 0..terms.draw.below(4) {
            let kind = match terms.draw.below(4) {
                3 => {
                    let known = terms.draw.chance(30);
                    Kind::Int(known.then(|| terms.draw.between(0, 9) as i32))
                }
                rank => Kind::Array((0..=rank).map(|_| terms.draw.pick(&SIZES[..9])).collect()),
            };
            terms.params.push(Param { name: Name::new(["xs", "ys", "zs"][nth]), kind });
        }
        terms
    }

    /// One or two results.
    fn results(&mut self) -> Term {
        let several = self.goal.is_none() && self.draw.chance(15);
        let count = if several { 2 } else { 1 };
        let outs = (0..count).map(|nth| {
            let rank = self.draw.pick(&[1, 2, 0, 3]);
            let axes: Vec<Name> = (0..rank).map(|_| self.axis()).collect();
            if several {
                self.path.push(nth);
            }
            let of = self.child(0, |terms| terms.tensor(&axes));
            if several {
                self.path.pop();
            }
            Term::out(of, &axes)
        });
        let outs = outs.collect();
        Term::results(outs)
    }

    /// What stands as an argument, with the path to it.
    fn child<R>(&mut self, nth: usize, make: impl FnOnce(&mut Self) -> R) -> R {
        self.path.push(nth);
        let made = make(self);
        self.path.pop();
        made
    }

    /// What stands in a loop.
    fn round<R>(&mut self, axis: &Name, nth: usize, make: impl FnOnce(&mut Self) -> R) -> R {
        let around = self.rounds;
        self.rounds = around * u64::from(self.sizes[axis].max(1));
        self.bound.push(axis.clone());
        let made = self.child(nth, make);
        self.bound.pop();
        self.rounds = around;
        made
    }

    fn name(&mut self, stem: &str) -> Name {
        self.names += 1;
        Name::new(&format!("{stem}{}", self.names))
    }

    fn size(&mut self) -> u32 {
        let size = self.draw.pick(&SIZES);
        if self.rounds * u64::from(size) > ROUNDS { size.min(1 + size % 2) } else { size }
    }

    /// A new axis.
    fn axis(&mut self) -> Name {
        let size = self.size();
        self.axis_of(size)
    }

    fn axis_of(&mut self, size: u32) -> Name {
        let name = self.name("i");
        self.sizes.insert(name.clone(), size);
        name
    }

    fn has_goal(&self) -> bool {
        self.goal.is_some()
    }

    /// The scope of what was drawn so far.
    fn scope(&self) -> Scope {
        let params = self.params.iter().map(|param| (param.name.clone(), param.kind.clone()));
        Scope { sizes: self.sizes.clone(), params: params.collect(), ..Scope::default() }
    }
}

/// A store of a tensor over new axes.
fn stored(terms: &mut Terms<'_, '_>, rank: usize) -> (Term, Vec<Name>) {
    let axes: Vec<Name> = (0..rank).map(|_| terms.axis()).collect();
    let sizes: Vec<u32> = axes.iter().map(|axis| terms.sizes[axis]).collect();
    let place = Some(terms.some_place()).filter(|place| place.words(&sizes) <= place.most_words());
    let place = place.unwrap_or(Place::Glob);
    let of = terms.in_store(place, |terms| terms.child(1, |terms| terms.tensor(&axes)));
    (Term::store(place, of, &axes), axes)
}

/// Is it a leaf?
fn is_leaf(term: &Term) -> bool {
    term.args.is_empty() && !matches!(term.head, Head::Hole(_))
}
