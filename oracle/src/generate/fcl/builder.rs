//! What is in scope where an expression is made, and the expressions that every part makes.

use super::super::draw::Draw;
use super::super::range::Range;
use super::stuck::Trouble;
use reference::fcl::syntax::{Def, Exp, Kind, Let, Level, Op};
use reference::kit::names::{Names, Var, Wish};
use reference::kit::text::Span;

/// A base type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Base {
    Int,
    Bool,
    Double,
    Pair(Box<[Base; 2]>),
}

/// A scalar in scope.
#[derive(Clone, Debug)]
pub(super) struct Scalar {
    pub(super) var: Var,
    pub(super) ty: Base,
    /// What an int may be, if that is known.
    pub(super) range: Option<Range>,
}

/// A pull array in scope.
#[derive(Clone, Debug)]
pub(super) struct Array {
    pub(super) var: Var,
    pub(super) ty: Base,
    /// How many elements it has.
    pub(super) len: i64,
    /// How much it costs to read an element: 0 for one that is in memory.
    pub(super) cost: i64,
}

/// Who evaluates the expression that is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The location of an array of this level: arrays up to it may be forced.
    Spine(u32),
    /// A thread, as an element of an array.
    Element,
}

impl Place {
    /// The level of an array that may be forced here.
    pub(super) fn level(self) -> u32 {
        match self {
            Place::Spine(level) => level,
            Place::Element => 0,
        }
    }
}

/// What has to be in a program, because its share is pinned.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted {
    /// `concat` or `interleave` within another.
    pub(super) two_levels: bool,
    /// An `interleave` in an order that is not that of `concat`.
    pub(super) order: bool,
    /// A `force` in a chunk.
    pub(super) force_below: bool,
    /// A loop, and which one.
    pub(super) repeat: bool,
    /// A loop at the grid.
    pub(super) grid_loop: bool,
    /// A loop that ends by what the array holds.
    pub(super) by_content: bool,
    /// A loop that combines neighbours.
    pub(super) neighbours: bool,
    /// An array at the level of warps.
    pub(super) warps: bool,
    /// At how many levels the definition that takes a level is still to be used: first at that of the program.
    pub(super) uses: u8,
    /// A forced array of one element that all read.
    pub(super) single: bool,
    /// An array of more elements than its level has threads, and no multiple of them.
    pub(super) many: bool,
    /// `mapPush` over a delayed array.
    pub(super) map_delayed: bool,
}

/// A program that is being made.
pub(super) struct Builder<'u, 'b> {
    pub(super) draw: Draw<'u, 'b>,
    pub(super) names: Names,
    pub(super) defs: Vec<Def>,
    pub(super) scalars: Vec<Scalar>,
    pub(super) arrays: Vec<Array>,
    pub(super) wanted: Wanted,
    /// Element types beside int that the program may have.
    pub(super) types: Vec<Base>,
    /// May doubles come to what is not exact in f32?
    pub(super) inexact: bool,
    /// Are sizes preferably such as are known only when the program runs?
    pub(super) runtime: bool,
    /// A definition `fun f <l> xs`, and from which type to which it leads.
    pub(super) poly: Option<(Var, Base, Base)>,
    /// Does what was made just now force an array of its thread? A spine must not read such an element.
    pub(super) private: bool,
    /// What is still to get stuck.
    pub(super) trouble: Option<Trouble>,
    /// How often an expression here is evaluated, at most.
    pub(super) times: i64,
    /// How many expressions with parts are left.
    pub(super) left: i64,
    next: u32,
}

/// How many scalars and arrays are in scope.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize, usize);

impl<'u, 'b> Builder<'u, 'b> {
    pub(super) fn new(draw: Draw<'u, 'b>) -> Self {
        Self {
            draw,
            names: Names::new(),
            defs: Vec::new(),
            scalars: Vec::new(),
            arrays: Vec::new(),
            wanted: Wanted::default(),
            types: vec![Base::Int],
            inexact: false,
            runtime: false,
            poly: None,
            private: false,
            trouble: None,
            times: 1,
            left: 60,
            next: 0,
        }
    }

    /// Is a program that is large enough made already?
    pub(super) fn is_full(&self) -> bool {
        self.left <= 0 || self.draw.is_spent()
    }

    pub(super) fn mark(&self) -> Mark {
        Mark(self.scalars.len(), self.arrays.len())
    }

    /// Takes what was bound since then out of scope.
    pub(super) fn reset(&mut self, mark: Mark) {
        self.scalars.truncate(mark.0);
        self.arrays.truncate(mark.1);
    }

    pub(super) fn fresh(&mut self, letter: char) -> Var {
        self.names.fresh(Wish::Numbered(letter))
    }

    pub(super) fn exp(&mut self, kind: Kind) -> Exp {
        let span = Span::nth(self.next);
        self.next += 1;
        Exp { span, kind }
    }

    pub(super) fn int(&mut self, k: i64) -> Exp {
        self.exp(Kind::Int(k as i32))
    }

    pub(super) fn var(&mut self, var: Var) -> Exp {
        self.exp(Kind::Var(var))
    }

    pub(super) fn op(&mut self, op: Op) -> Exp {
        self.exp(Kind::Op(op))
    }

    /// `f a`
    pub(super) fn app(&mut self, f: Exp, a: Exp) -> Exp {
        self.exp(Kind::App(Box::new([f, a])))
    }

    /// `op a`
    pub(super) fn call1(&mut self, op: Op, a: Exp) -> Exp {
        let op = self.op(op);
        self.app(op, a)
    }

    /// `op a b`
    pub(super) fn call2(&mut self, op: Op, a: Exp, b: Exp) -> Exp {
        let call = self.call1(op, a);
        self.app(call, b)
    }

    /// `op a b c`
    pub(super) fn call3(&mut self, op: Op, a: Exp, b: Exp, c: Exp) -> Exp {
        let call = self.call2(op, a, b);
        self.app(call, c)
    }

    /// `push <level> xs`
    pub(super) fn push_at(&mut self, level: Level, of: Exp) -> Exp {
        let op = self.op(Op::Push);
        let at = self.exp(Kind::LevelApp(Box::new(op), level));
        self.app(at, of)
    }

    /// `fn x => e`
    pub(super) fn lambda(&mut self, var: Var, body: Exp) -> Exp {
        self.exp(Kind::Fn(var, Box::new(body)))
    }

    /// `let x = bound in body`
    pub(super) fn bind(&mut self, var: Var, bound: Exp, body: Exp) -> Exp {
        self.exp(Kind::Let(Box::new(Let { var, sig: None, bound, body })))
    }

    /// `if c then a else b`
    pub(super) fn branch(&mut self, cond: Exp, then: Exp, orelse: Exp) -> Exp {
        self.exp(Kind::If(Box::new([cond, then, orelse])))
    }

    /// `fn x => …` over an int of this range; what is made inside is evaluated so often.
    pub(super) fn over(
        &mut self,
        range: Range,
        times: i64,
        body: impl FnOnce(&mut Self, Var) -> Exp,
    ) -> Exp {
        let var = self.fresh('i');
        self.scoped(times, |builder| {
            builder.scalars.push(Scalar { var, ty: Base::Int, range: Some(range) });
            let body = body(builder, var);
            builder.lambda(var, body)
        })
    }

    /// What is made inside is evaluated so often, and what it binds is not in scope behind it.
    pub(super) fn scoped<T>(&mut self, times: i64, make: impl FnOnce(&mut Self) -> T) -> T {
        let (mark, before) = (self.mark(), self.times);
        self.times = self.times.saturating_mul(times.max(1));
        let made = make(self);
        self.times = before;
        self.reset(mark);
        made
    }

    /// One of the element types of the program; int as often as all others.
    pub(super) fn base(&mut self) -> Base {
        let others = self.types.len() - 1;
        match others > 0 && self.draw.chance(50) {
            true => self.types[1 + self.draw.below(others)].clone(),
            false => Base::Int,
        }
    }

    /// An int that is this size: a number, a parameter, the length of an array, or computed of those.
    pub(super) fn size(&mut self, size: i64) -> Exp {
        let prefer = if self.runtime { 90 } else { 25 };
        if self.draw.chance(prefer) {
            let known = |scalar: &&Scalar| scalar.range == Some(Range::exactly(size));
            let ints: Vec<Var> = self.scalars.iter().filter(known).map(|s| s.var).collect();
            let has = |array: &&Array| array.len == size;
            let arrays: Vec<Var> = self.arrays.iter().filter(has).map(|a| a.var).collect();
            match (ints.is_empty(), arrays.is_empty()) {
                (false, true) => return self.picked(&ints),
                (false, false) if self.draw.chance(50) => return self.picked(&ints),
                (_, false) => {
                    let array = self.picked(&arrays);
                    return self.call1(Op::LengthPull, array);
                }
                (true, true) => {
                    if let Some(exp) = self.computed_size(size) {
                        return exp;
                    }
                }
            }
        }
        self.int(size)
    }

    fn picked(&mut self, vars: &[Var]) -> Exp {
        let var = self.draw.pick(vars);
        self.var(var)
    }

    /// The size as a known int, or a length, and what is missing of it.
    fn computed_size(&mut self, size: i64) -> Option<Exp> {
        let exact = |scalar: &Scalar| {
            scalar.range.filter(|range| range.lo == range.hi).map(|range| (scalar.var, range.lo))
        };
        let known: Vec<(Var, i64)> = self.scalars.iter().filter_map(exact).collect();
        let (var, k) = *known.get(self.draw.below(known.len()))?;
        let exp = self.var(var);
        let (op, by) = match size - k {
            0 => return Some(exp),
            more @ 1.. => (Op::Add, more),
            less => (Op::Sub, -less),
        };
        let by = self.int(by);
        Some(self.call2(op, exp, by))
    }
}
