//! Builds a program: its names, its scope, the body that statements are added to, and how
//! much of it may still be made and run.

use super::super::draw::Draw;
use super::super::weights::Weights;
use super::types::{Array, Fact, Range, Roots, Shape};
use reference::fun::syntax::{Atom, Binding, Body, Exp, Fun, Se, Stm, Ty};
use reference::kit::names::{Names, Var, Wish};
use reference::kit::text::Span;

/// The root that arrays share which have none of their own.
const SHARED: u32 = 127;

/// A thread variable and the number of its threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    pub(super) var: Var,
    pub(super) count: Atom,
}

/// A FUN program that is being built.
pub(super) struct Builder<'u, 'b> {
    pub(super) draw: Draw<'u, 'b>,
    pub(super) weights: &'u Weights,
    names: Names,
    facts: Vec<Fact>,
    /// Ints in scope.
    pub(super) ints: Vec<Var>,
    /// Arrays in scope.
    pub(super) arrays: Vec<Array>,
    /// Statements of the body that is being made.
    pub(super) stms: Vec<Stm<Fun>>,
    spans: u32,
    /// How many more statements it may have.
    pub(super) left: i64,
    /// How many more statements it may execute.
    pub(super) room: i64,
    /// How often the body that is being made runs, at most.
    pub(super) times: i64,
    /// Kernels around the place, outermost first.
    pub(super) threads: Vec<Thread>,
    /// The first variable that is bound inside the outermost kernel around the place.
    pub(super) kernel_mark: usize,
    /// How many bodies are around the place.
    pub(super) depth: usize,
    /// Does every run come to this place, in every thread?
    pub(super) certain: bool,
    /// Roots of arrays made in the same kernel body or loop body, or carried by the loop.
    pub(super) owned: Roots,
    roots: u32,
    /// May kernels allocate sizes that vary with the thread or the round?
    pub(super) varying: bool,
    /// How many places that get stuck are still to be made.
    pub(super) trouble: u32,
    /// May they stand outside kernels?
    pub(super) trouble_outside: bool,
    /// The number of threads of a wide kernel that is still to be made.
    pub(super) wide: Option<Atom>,
}

impl<'u, 'b> Builder<'u, 'b> {
    pub(super) fn new(draw: Draw<'u, 'b>, weights: &'u Weights) -> Self {
        Self {
            draw,
            weights,
            names: Names::with_capacity(64),
            facts: Vec::with_capacity(64),
            ints: Vec::with_capacity(32),
            arrays: Vec::with_capacity(32),
            stms: Vec::new(),
            spans: 0,
            left: 0,
            room: 0,
            times: 1,
            threads: Vec::new(),
            kernel_mark: usize::MAX,
            depth: 0,
            certain: true,
            owned: 0,
            roots: 0,
            varying: false,
            trouble: 0,
            trouble_outside: false,
            wide: None,
        }
    }

    /// The names of all that was made.
    pub(super) fn names(&mut self) -> Names {
        std::mem::take(&mut self.names)
    }

    /// A new name that starts with `letter`.
    pub(super) fn fresh(&mut self, letter: char, range: Range, bound: Option<Atom>) -> Var {
        self.facts.push(Fact { range, bound, used: false });
        self.names.fresh(Wish::Numbered(letter))
    }

    /// How many names there are: what is bound from now on is not below.
    pub(super) fn mark(&self) -> usize {
        self.facts.len()
    }

    /// A root that no array has yet, or the one that many share.
    pub(super) fn fresh_root(&mut self) -> Roots {
        self.roots += 1;
        1 << self.roots.min(SHARED + 1).saturating_sub(1)
    }

    /// May what has these roots be consumed here? The shared root may be anybody's.
    pub(super) fn is_consumable(&self, roots: Roots) -> bool {
        roots & !(self.owned & !(1 << SHARED)) == 0
    }

    pub(super) fn fact(&self, var: Var) -> Fact {
        self.facts[var.slot()]
    }

    pub(super) fn set_range(&mut self, var: Var, range: Range) {
        self.facts[var.slot()].range = range;
    }

    pub(super) fn set_used(&mut self, var: Var) {
        self.facts[var.slot()].used = true;
    }

    /// What an atom may be.
    pub(super) fn range(&self, atom: Atom) -> Range {
        match atom {
            Atom::Const(k) => Range::exactly(k.into()),
            Atom::Var(var) => self.facts[var.slot()].range,
        }
    }

    /// Is the atom an int in `1..=extent`, whatever the extent is?
    pub(super) fn is_index_of(&self, var: Var, extent: Atom) -> bool {
        self.facts[var.slot()].bound == Some(extent)
    }

    /// How many elements an array of the shape has, at most; empty dimensions count as 1, since
    /// those around them still run.
    pub(super) fn elements(&self, shape: &Shape) -> i64 {
        shape.dims().iter().fold(1, |n, dim| self.range(*dim).hi.max(1).saturating_mul(n))
    }

    /// Has an array of the shape an element?
    pub(super) fn is_inhabited(&self, shape: &Shape) -> bool {
        shape.dims().iter().all(|dim| self.range(*dim).lo >= 1)
    }

    /// Is the atom the same in every thread and round of the outermost kernel around the place?
    pub(super) fn is_invariant(&self, atom: Atom) -> bool {
        atom.var().is_none_or(|var| var.slot() < self.kernel_mark)
    }

    /// How many statements may be executed in one run of the body that is being made.
    pub(super) fn here(&self) -> i64 {
        self.room / self.times.max(1)
    }

    pub(super) fn span(&mut self) -> Span {
        self.spans += 1;
        Span::nth(self.spans - 1)
    }

    /// Adds a statement.
    pub(super) fn emit(&mut self, pattern: Vec<Binding<Fun>>, exp: Exp<Fun>) {
        let span = self.span();
        self.emit_at(span, pattern, exp);
    }

    /// Adds a statement whose place was numbered before its bodies were made.
    pub(super) fn emit_at(&mut self, span: Span, pattern: Vec<Binding<Fun>>, exp: Exp<Fun>) {
        self.left -= 1;
        self.room -= self.times;
        self.stms.push(Stm { span, pattern, exp });
    }

    /// `let (v : int) = e`, in scope from now on.
    pub(super) fn bind_int(&mut self, exp: Exp<Fun>, range: Range, bound: Option<Atom>) -> Var {
        let var = self.fresh('v', range, bound);
        self.emit(vec![Binding { var, ty: Ty::Int }], exp);
        self.ints.push(var);
        var
    }

    /// The scalar expression as an atom: named, unless it is one.
    pub(super) fn named(&mut self, se: Se, range: Range, bound: Option<Atom>) -> Atom {
        match se {
            Se::Atom(atom) => atom,
            Se::Bin(..) => self.bind_int(Exp::Scalar(se), range, bound).into(),
        }
    }

    /// Makes a body: what `make` adds to it and the results that `make` gives. What it binds is
    /// out of scope afterwards.
    pub(super) fn body<T>(
        &mut self,
        make: impl FnOnce(&mut Self) -> (Vec<Atom>, T),
    ) -> (Body<Fun>, T) {
        let outer = std::mem::take(&mut self.stms);
        let (ints, arrays) = (self.ints.len(), self.arrays.len());
        self.depth += 1;
        let (results, rest) = make(self);
        self.depth -= 1;
        self.ints.truncate(ints);
        self.arrays.truncate(arrays);
        let stms = std::mem::replace(&mut self.stms, outer);
        let span = self.span();
        (Body { stms, results, span }, rest)
    }

    /// One of the arrays in scope that pass the test: the later the more often, and often one
    /// out of an `if` or a `loop`.
    pub(super) fn choose(&mut self, test: impl Fn(&Self, &Array) -> bool) -> Option<Array> {
        let mut passing = Few::default();
        let mut joined = Few::default();
        for (at, array) in self.arrays.iter().enumerate().skip(first_of(self.arrays.len())) {
            if array.alive && test(self, array) {
                passing.push(at);
                if array.joined {
                    joined.push(at);
                }
            }
        }
        let some = joined.count > 0 && joined.count < passing.count;
        let from = if some && self.draw.chance(self.weights.joined) { joined } else { passing };
        let array = &mut self.arrays[from.late(&mut self.draw)?];
        array.used = true;
        Some(*array)
    }

    /// One of the ints in scope that pass the test, the later the more often.
    pub(super) fn choose_int(&mut self, test: impl Fn(&Self, Var) -> bool) -> Option<Var> {
        let mut passing = Few::default();
        for (at, var) in self.ints.iter().enumerate().skip(first_of(self.ints.len())) {
            if test(self, *var) {
                passing.push(at);
            }
        }
        let var = self.ints[passing.late(&mut self.draw)?];
        self.set_used(var);
        Some(var)
    }

    /// One of the ints in scope, the later the more often.
    pub(super) fn any_int(&mut self) -> Option<Var> {
        let count = self.ints.len();
        if count == 0 {
            return None;
        }
        let at = self.draw.below(count).max(self.draw.below(count));
        self.set_used(self.ints[at]);
        Some(self.ints[at])
    }

    /// Takes the array, and whatever may be the same, out of scope.
    pub(super) fn consume(&mut self, roots: Roots) {
        for array in &mut self.arrays {
            array.alive &= array.roots & roots == 0;
        }
    }
}

/// Of what is in scope only so much is chosen from, the latest.
const MOST: usize = 64;

fn first_of(count: usize) -> usize {
    count.saturating_sub(MOST)
}

/// Some places.
struct Few {
    places: [u32; MOST],
    count: usize,
}

impl Default for Few {
    fn default() -> Self {
        Self { places: [0; MOST], count: 0 }
    }
}

impl Few {
    fn push(&mut self, place: usize) {
        self.places[self.count] = place as u32;
        self.count += 1;
    }

    /// One of them, the later the more often.
    fn late(&self, draw: &mut Draw<'_, '_>) -> Option<usize> {
        match self.count {
            0 => None,
            count => Some(self.places[draw.below(count).max(draw.below(count))] as usize),
        }
    }
}
