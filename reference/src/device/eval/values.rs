//! What an execution of kernels consists of: values, places, invocations with what they still
//! have to do, and the ways in which a step fails.

use super::layout::Layout;
use crate::device::rules::Rule;
use crate::device::scalar::Cell;
use crate::device::syntax::{Element, Function, Kind, Loop, Par, Place, Sc, Scope, Space, Stm, Ty};
use crate::device::types::Typed;
use crate::kit::groups::Who;
use crate::kit::names::Var;
use crate::kit::outcome::Site;
use crate::kit::text::Span;

/// A value.
#[derive(Clone, Copy, Debug)]
pub(super) enum Val<'p> {
    /// A scalar.
    Scalar(Sc, Cell),
    /// A block: its elements, base in words, length in elements.
    Block(Element, u32, u32),
    /// A pointer into this space: a cell, or for storage a word of the region of its type; and what it
    /// points to.
    Ptr(Space, u32, &'p Ty),
    /// A vector, array or structure: the first of its cells, which are the invocation's.
    Many(u32, &'p Ty),
}

/// A place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Ref<'p> {
    /// A variable or a part of one, from this cell on; in the storage space, from this word on.
    At(Space, u32, Typed<'p>),
    /// An element of a block. Whether it lies inside is a premise of the access.
    Element { element: Element, base: u32, length: u32, index: Cell },
}

/// An invocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Invocation<'p> {
    /// `E`: the cells of its variables, and behind them those of the values that the current
    /// statement has made.
    pub(super) cells: Vec<Cell>,
    /// What it still has to do, innermost last.
    pub(super) frames: Vec<Frame<'p>>,
    /// Its number in the launch.
    pub(super) global: u32,
    /// Its number in the group.
    pub(super) local: u32,
    /// Rounds of loops so far.
    pub(super) rounds: u64,
    pub(super) state: State<'p>,
}

/// Can an invocation make a step?
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum State<'p> {
    /// It can.
    #[default]
    Ready,
    /// It waits at this barrier.
    Waits(Scope, &'p Stm<Kind>),
    /// It has nothing left to do.
    Ended,
    /// A premise failed.
    Stuck,
}

/// What an invocation is in the middle of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frame<'p> {
    /// The rest of a sequence.
    Seq(&'p [Stm<Kind>]),
    /// A loop, with the rounds that its fuel still allows; `inside` while a round is made.
    Loop { rounds: &'p Loop<Kind>, span: Span, left: Option<u32>, inside: bool },
    /// A parallel loop at this iteration of so many; `inside` while it is made.
    Par { par: &'p Par, iteration: i64, count: i64, inside: bool },
    /// A uniform load: it waits before it reads, and behind that once more.
    UniformLoad { stm: &'p Stm<Kind>, into: Var, place: &'p Place },
    /// The end of a side of a branch, of which a tap is told.
    Joins { span: Span, side: u32 },
    /// A call whose result goes into this variable.
    Call { function: &'p Function, into: Option<Var> },
}

/// The two times of an invocation: barriers of the arena's memory and of the group's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) arena: Who,
    pub(super) group: Who,
}

/// A premise that failed in an invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) site: Site,
    pub(super) rule: Rule,
    /// Behind the number of the invocation, unless a check with an order tells it.
    pub(super) path: Vec<i32>,
    pub(super) operands: Vec<i64>,
    /// Is it of a check with an order?
    pub(super) ordered: bool,
    /// Of the failures of a work group the least of these counts. Empty without an order.
    pub(super) order: Vec<i32>,
}

/// Why an invocation makes no step.
#[derive(Clone, Debug)]
pub(super) enum Halt {
    /// A premise failed.
    Stuck(Failure),
    /// Out of fuel.
    Fuel,
}

/// What is evaluated, or why it is not.
pub(super) type Eval<T = ()> = Result<T, Box<Halt>>;

impl<'p> Val<'p> {
    /// A value of this type whose cells are the invocation's from `at` on.
    #[inline]
    pub(super) fn at(cells: &[Cell], at: u32, ty: Typed<'p>) -> Self {
        let cell = |offset: usize| cells[at as usize + offset];
        match ty {
            Typed::Scalar(sc) => Val::Scalar(sc, cell(0)),
            Typed::Block(element) => Val::Block(element, cell(0) as u32, cell(1) as u32),
            Typed::Ptr(space, to) => Val::Ptr(space, cell(0) as u32, to),
            Typed::Other(ty) => Val::Many(at, ty),
        }
    }

    /// The cell of a scalar.
    #[inline]
    pub(super) fn cell(self) -> Cell {
        match self {
            Val::Scalar(_, cell) => cell,
            _ => unreachable!("validated: a scalar"),
        }
    }

    /// How many cells it has.
    pub(super) fn cells(self, layout: &Layout<'p>) -> u32 {
        match self {
            Val::Scalar(..) | Val::Ptr(..) => 1,
            Val::Block(..) => 2,
            Val::Many(_, ty) => layout.cells(Typed::Other(ty)),
        }
    }
}

impl Invocation<'_> {
    /// Can it make a step?
    pub(super) fn is_ready(&self) -> bool {
        matches!(self.state, State::Ready)
    }

    /// The iterations of the parallel loops that it is in, outermost first.
    pub(super) fn iterations(&self) -> Vec<i32> {
        self.frames
            .iter()
            .filter_map(|frame| match frame {
                Frame::Par { iteration, .. } => Some(*iteration as i32),
                _ => None,
            })
            .collect()
    }
}
