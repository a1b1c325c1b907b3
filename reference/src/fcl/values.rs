//! What a run of FCL consists of: values `v`, what is not evaluated yet, and environments.
//!
//! ```text
//! v ::= bv | (v, v) | fn x => e | fn <α> => e | op v … v
//!     | [e, …, e]                                         pull array
//!     | [e, …, e]<γ>                                      push array
//!     | concatDelay e e | interleaveDelay e e e           delayed
//! ```
//!
//! Elements stay unevaluated, so an array is kept as the expression that it was made by: an array of a
//! million elements that `generate` makes is as small as one of three. Only what was forced, or given
//! as input, has its elements in memory.

use super::doubles::Double;
use super::syntax::Op;
use crate::kit::heap::Ledger;
use crate::kit::outcome::{Why, cells};
use crate::kit::text::Span;
use smallvec::SmallVec;
use std::rc::Rc;

/// An expression of the code that is run: its number there.
pub(crate) type Id = u32;

/// Values `v`.
#[derive(Clone, Debug)]
pub(crate) enum Val {
    /// `i`
    Int(i32),
    /// `b`
    Bool(bool),
    /// `d`
    Double(Double),
    /// What a level variable stands for.
    Level(u32),
    /// `(v, v)`
    Pair(Rc<Pair>),
    /// `fn x => e`
    Fn(Rc<Closure>),
    /// `fn <α> => e`
    LevelFn(Rc<Closure>),
    /// An operator that lacks all of its arguments.
    Op(Op),
    /// `push <γ>`
    PushAt(u32),
    /// An operator that has some of its arguments.
    Partial(Rc<Partial>),
    /// `[e, …, e]`
    Pull(Rc<Pull>),
    /// `[e, …, e]<γ>`
    Push(Rc<Push>),
    /// `concatDelay e e`, `interleaveDelay e e e`
    Delayed(Rc<Delayed>),
}

/// `(v, v)`
#[derive(Debug)]
pub(crate) struct Pair {
    pub(crate) parts: [Val; 2],
    depth: u32,
}

/// A body, and the environment that it is evaluated in.
#[derive(Debug)]
pub(crate) struct Closure {
    pub(crate) body: Id,
    pub(crate) env: Env,
}

/// An operator with some of its arguments.
#[derive(Debug)]
pub(crate) struct Partial {
    pub(crate) op: Op,
    pub(crate) args: SmallVec<[Arg; 2]>,
    depth: u32,
}

/// An argument: those of `concat` and `interleave` are not evaluated.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    Val(Val),
    Thunk(Thunk),
}

/// `[e, …, e]`, by what made it. Spans are those of the applications that the elements are.
#[derive(Debug)]
pub(crate) enum Pull {
    /// An array of the program: where its elements begin in the code, and how many there are.
    Literal { first: u32, count: u32, env: Env },
    /// `[f 0, …, f (n - 1)]`
    Generate { count: i32, f: Val, span: Span },
    /// `[f e, …, f e]`
    Map { count: i32, f: Val, of: Rc<Pull>, span: Span, depth: u32 },
    /// `[bv, …, bv]`
    Cells(Cells),
}

/// `[e, …, e]<γ>`
#[derive(Debug)]
pub(crate) struct Push {
    pub(crate) elements: Rc<Pull>,
    pub(crate) level: u32,
}

/// `concatDelay e₁ e₂`, and `interleaveDelay e₁ g e₂` if there is an order `g`.
#[derive(Debug)]
pub(crate) struct Delayed {
    pub(crate) size: Thunk,
    pub(crate) order: Option<Thunk>,
    pub(crate) chunks: Thunk,
    /// The application that made it.
    pub(crate) span: Span,
    depth: u32,
}

/// An expression that is not evaluated.
#[derive(Clone, Debug)]
pub(crate) enum Thunk {
    /// `e`, in an environment.
    Code(Id, Env),
    /// `v`
    Val(Val),
    /// An element of an array.
    Element(Rc<Pull>, i32),
    /// `mapPull (mapPush f) e`
    MapChunks { f: Val, of: Rc<Thunk>, span: Span, depth: u32 },
}

/// Values in one another, at most: what drops them is recursive, and so is what shows them.
pub(crate) const DEPTH: u32 = 1000;

/// What is nested deeper than [`DEPTH`] has no room.
fn within(depth: u32) -> Result<u32, Why> {
    if depth < DEPTH { Ok(depth + 1) } else { Err(Why::Memory(depth.into())) }
}

impl Val {
    /// How many values are in one another here.
    fn depth(&self) -> u32 {
        match self {
            Val::Int(_) | Val::Bool(_) | Val::Double(_) | Val::Level(_) => 0,
            Val::Op(_) | Val::PushAt(_) => 0,
            Val::Pair(pair) => pair.depth,
            Val::Fn(closure) | Val::LevelFn(closure) => closure.env.depth(),
            Val::Partial(partial) => partial.depth,
            Val::Pull(pull) => pull.depth(),
            Val::Push(push) => push.elements.depth(),
            Val::Delayed(delayed) => delayed.depth,
        }
    }

    /// `(a, b)`
    pub(crate) fn pair(parts: [Val; 2]) -> Result<Val, Why> {
        let depth = within(parts[0].depth().max(parts[1].depth()))?;
        Ok(Val::Pair(Rc::new(Pair { parts, depth })))
    }

    /// An operator with these arguments.
    pub(crate) fn partial(op: Op, args: SmallVec<[Arg; 2]>) -> Result<Val, Why> {
        let depth = within(args.iter().map(Arg::depth).max().unwrap_or(0))?;
        Ok(Val::Partial(Rc::new(Partial { op, args, depth })))
    }

    /// `[f e, …, f e]` of the elements `e, …, e`.
    pub(crate) fn map(f: Val, of: Rc<Pull>, span: Span) -> Result<Rc<Pull>, Why> {
        let depth = within(f.depth().max(of.depth()))?;
        Ok(Rc::new(Pull::Map { count: of.len(), f, of, span, depth }))
    }

    /// `concatDelay size chunks`, or `interleaveDelay size order chunks`.
    pub(crate) fn delayed(
        size: Thunk,
        order: Option<Thunk>,
        chunks: Thunk,
        span: Span,
    ) -> Result<Val, Why> {
        let order_depth = order.as_ref().map_or(0, Thunk::depth);
        let depth = within(size.depth().max(chunks.depth()).max(order_depth))?;
        Ok(Val::Delayed(Rc::new(Delayed { size, order, chunks, span, depth })))
    }
}

impl Arg {
    fn depth(&self) -> u32 {
        match self {
            Arg::Val(val) => val.depth(),
            Arg::Thunk(thunk) => thunk.depth(),
        }
    }
}

impl Thunk {
    fn depth(&self) -> u32 {
        match self {
            Thunk::Code(_, env) => env.depth(),
            Thunk::Val(val) => val.depth(),
            Thunk::Element(of, _) => of.depth(),
            Thunk::MapChunks { depth, .. } => *depth,
        }
    }

    /// `mapPull (mapPush f) of`
    pub(crate) fn map_chunks(f: Val, of: Thunk, span: Span) -> Result<Thunk, Why> {
        let depth = within(f.depth().max(of.depth()))?;
        Ok(Thunk::MapChunks { f, of: Rc::new(of), span, depth })
    }
}

impl Pull {
    fn depth(&self) -> u32 {
        match self {
            Pull::Literal { env, .. } => env.depth(),
            Pull::Generate { f, .. } => f.depth(),
            Pull::Map { depth, .. } => *depth,
            Pull::Cells(_) => 0,
        }
    }

    /// How many elements it has.
    pub(crate) fn len(&self) -> i32 {
        match self {
            Pull::Literal { count, .. } => *count as i32,
            Pull::Generate { count, .. } | Pull::Map { count, .. } => *count,
            Pull::Cells(cells) => cells.len() as i32,
        }
    }
}

/// An environment: values of the variables in scope, the innermost first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Env(Option<Rc<Bound>>);

#[derive(Debug)]
struct Bound {
    val: Val,
    outer: Env,
    depth: u32,
}

impl Env {
    /// The value of the variable that so many others are inside of.
    ///
    /// # Panics
    /// If there is none: variables are bound.
    #[inline]
    pub(crate) fn get(&self, mut index: u32) -> &Val {
        let mut env = self;
        loop {
            let bound = env.0.as_deref().expect("T-VAR: a variable is bound");
            if index == 0 {
                return &bound.val;
            }
            index -= 1;
            env = &bound.outer;
        }
    }

    /// With one variable more.
    #[inline]
    pub(crate) fn bind(self, val: Val) -> Result<Env, Why> {
        let inside = match &val {
            Val::Int(_) | Val::Bool(_) | Val::Double(_) | Val::Level(_) => 0,
            other => within(other.depth())?,
        };
        let depth = inside.max(self.depth());
        Ok(Env(Some(Rc::new(Bound { val, outer: self, depth }))))
    }

    /// How deep its values are.
    fn depth(&self) -> u32 {
        self.0.as_ref().map_or(0, |bound| bound.depth)
    }
}

impl Drop for Env {
    // As many variables as a program nests are dropped in turn.
    #[inline]
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut bound) = next.and_then(Rc::into_inner) {
            next = bound.outer.0.take();
        }
    }
}

/// Base values in memory.
#[derive(Debug)]
pub(crate) struct Cells {
    data: Data,
    /// Elements of the ledger that they take.
    taken: usize,
    ledger: Rc<Ledger>,
}

#[derive(Debug)]
enum Data {
    Ints(Vec<i32>),
    Vals(Vec<Val>),
}

/// Elements of the ledger, which are ints, that a value takes.
const UNITS: usize = size_of::<Val>() / size_of::<i32>();

impl Cells {
    /// No cells yet.
    pub(crate) fn new(ledger: &Rc<Ledger>) -> Self {
        Self { data: Data::Ints(Vec::new()), taken: 0, ledger: Rc::clone(ledger) }
    }

    /// These ints.
    pub(crate) fn ints(ints: Vec<i32>, ledger: &Rc<Ledger>) -> Result<Self, Why> {
        let taken = ledger.admit(Some(ints.len()))?;
        ledger.take(taken);
        Ok(Self { data: Data::Ints(ints), taken, ledger: Rc::clone(ledger) })
    }

    pub(crate) fn len(&self) -> usize {
        match &self.data {
            Data::Ints(ints) => ints.len(),
            Data::Vals(vals) => vals.len(),
        }
    }

    /// The ints, if they are ints.
    pub(crate) fn as_ints(&self) -> Option<&[i32]> {
        match &self.data {
            Data::Ints(ints) => Some(ints),
            Data::Vals(_) => None,
        }
    }

    /// The cell at a place that is inside.
    #[inline]
    pub(crate) fn get(&self, at: usize) -> Val {
        match &self.data {
            Data::Ints(ints) => Val::Int(ints[at]),
            Data::Vals(vals) => vals[at].clone(),
        }
    }

    /// One more cell, of as many as `all`.
    pub(crate) fn push(&mut self, val: Val, all: usize) -> Result<(), Why> {
        if self.len() == 0 {
            let is_int = matches!(val, Val::Int(_));
            let units = if is_int { 1 } else { UNITS };
            let wanted = all.checked_mul(units);
            self.ledger.admit(wanted.map(|wanted| wanted.saturating_sub(self.taken)))?;
            let wanted = wanted.expect("it was admitted");
            self.ledger.take(wanted.saturating_sub(self.taken));
            self.taken = self.taken.max(wanted);
            self.data = match is_int {
                true => Data::Ints(Vec::with_capacity(all)),
                false => Data::Vals(Vec::with_capacity(all)),
            };
        }
        match (&mut self.data, val) {
            (Data::Ints(ints), Val::Int(k)) => ints.push(k),
            (Data::Vals(vals), val) => vals.push(val),
            (Data::Ints(_), val) => unreachable!("T-ARRAY: {val:?} among ints"),
        }
        Ok(())
    }

    /// The fuel that it takes to copy them: ints are copied at once.
    pub(crate) fn fuel(&self) -> u64 {
        match &self.data {
            Data::Ints(ints) => cells(ints.len() as u64),
            Data::Vals(vals) => vals.len() as u64,
        }
    }

    /// The cells of a chunk behind these, of as many as `all`.
    pub(crate) fn append(&mut self, chunk: &Cells, all: usize) -> Result<(), Why> {
        if let (Data::Ints(ints), Data::Ints(more)) = (&mut self.data, &chunk.data)
            && !ints.is_empty()
        {
            ints.extend_from_slice(more);
            return Ok(());
        }
        (0..chunk.len()).try_for_each(|at| self.push(chunk.get(at), all))
    }

    /// The cells, that at `at` where `targets[at]` says.
    pub(crate) fn permuted(&self, targets: &[i32]) -> Result<Cells, Why> {
        let mut from = vec![0; targets.len()];
        for (at, target) in targets.iter().enumerate() {
            from[*target as usize] = at;
        }
        let mut cells = Cells::new(&self.ledger);
        from.into_iter().try_for_each(|at| cells.push(self.get(at), targets.len()))?;
        Ok(cells)
    }
}

impl Drop for Cells {
    fn drop(&mut self) {
        self.ledger.give_back(self.taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nested_too_deep_has_no_room() {
        let mut val = Val::Int(0);
        let mut depth = 0;
        let why = loop {
            let before = val.clone();
            match Val::pair([val, before]) {
                Ok(pair) => val = pair,
                Err(why) => break why,
            }
            depth += 1;
        };
        assert_eq!((depth, why), (DEPTH, Why::Memory(DEPTH.into())));
    }

    #[test]
    fn many_variables_are_dropped_in_turn() {
        let mut env = Env::default();
        for k in 0..1_000_000 {
            env = env.bind(Val::Int(k)).expect("ints are not deep");
        }
        assert!(matches!(env.get(999), Val::Int(999_000)));
    }

    #[test]
    fn cells_take_room_while_they_live() {
        let ledger = Rc::new(Ledger::new(100));
        let mut cells = Cells::new(&ledger);
        assert_eq!(cells.push(Val::Bool(true), 5), Err(Why::Memory(120)));
        (0..5).for_each(|k| cells.push(Val::Int(k), 5).expect("there is room"));
        let reversed = cells.permuted(&[4, 3, 2, 1, 0]).expect("there is room");
        assert_eq!(reversed.as_ints(), Some(&[4, 3, 2, 1, 0][..]));
        drop((cells, reversed));
        assert_eq!(ledger.admit(Some(25)), Ok(25));
    }
}
