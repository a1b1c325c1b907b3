//! What one thread of control still has to do: the term that it evaluates, taken apart.
//!
//! The term is what is evaluated ([`Control`]) in the context that the frames are, the innermost last.

use super::code::Code;
use crate::fcl::doubles::Double;
use crate::fcl::location::Location;
use crate::fcl::values::Id;
use crate::fcl::values::{Cells, Delayed, Env, Pull, Thunk, Val};
use crate::kit::text::Span;
use std::rc::Rc;

/// What stands at the hole of the context.
#[derive(Debug)]
pub(crate) enum Control {
    /// `e`, in an environment.
    Eval(Id, Env),
    /// `v`
    Return(Val),
    /// `v v`
    Apply(Val, Val, Span),
}

impl Default for Control {
    fn default() -> Self {
        Control::Return(Val::Int(0))
    }
}

/// A frame of the context; `□` is the hole.
#[derive(Debug)]
pub(crate) enum Frame {
    /// `□ e`
    Fun(Id, Env, Span),
    /// `v □`
    Arg(Val, Span),
    /// `□ v`
    To(Val, Span),
    /// `□ <γ>`
    Level(u32),
    /// `(□, e)`
    Left(Id, Env),
    /// `(v, □)`
    Right(Val),
    /// `let x = □ in e`
    Let(Id, Env),
    /// `if □ then e else e`
    If(Id, Id, Env),
    /// `op v … v □ e … e`: the values are the last operands, and which expression comes next.
    Operand(Id, u32, Env),
    /// `lengthPush (concatDelay □ e)`
    LengthSize(Rc<Delayed>, Span),
    /// `lengthPush (concatDelay m □)`
    LengthChunks(i32),
    /// `force [bv, …, □, …, e]<thread>`
    Sequential(Box<Sequential>),
    /// `force (concatDelay □ e)`
    Size(Rc<Delayed>, Span),
    /// `force (concatDelay m □)`
    Chunks(Rc<Delayed>, i32, Span),
    /// `force (concatDelay m [v, …, □, …, e])`
    Chunk(Box<Chunks>),
    /// A loop.
    Loop(Box<Loop>),
}

impl Frame {
    /// The place of what waits there, if it has one.
    pub(super) fn place(&self, code: &Code<'_>) -> Option<Span> {
        Some(match self {
            Frame::Fun(_, _, span)
            | Frame::Arg(_, span)
            | Frame::To(_, span)
            | Frame::LengthSize(_, span)
            | Frame::Size(_, span)
            | Frame::Chunks(_, _, span) => *span,
            Frame::Left(id, _) | Frame::Let(id, _) | Frame::If(id, ..) | Frame::Operand(id, ..) => {
                code.span(*id)
            }
            Frame::Chunk(chunks) => chunks.span,
            Frame::Loop(rounds) => rounds.span,
            Frame::Level(_) | Frame::Right(_) | Frame::LengthChunks(_) | Frame::Sequential(_) => {
                return None;
            }
        })
    }
}

/// What is done with each element that is forced.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The elements. Without these, only their targets are asked for.
    pub(crate) elements: Option<Rc<Pull>>,
    /// How many there are.
    pub(crate) count: i32,
    /// Where they go, in a chunk of `interleave`.
    pub(crate) target: Option<Target>,
}

/// The order of an `interleave`, in one chunk.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// `g`
    pub(crate) order: Thunk,
    /// `i`
    pub(crate) chunk: i32,
    /// `m * n`
    pub(crate) all: i32,
    /// The application of `interleave`.
    pub(crate) span: Span,
}

/// A force by one thread.
#[derive(Debug)]
pub(crate) struct Sequential {
    pub(crate) job: Job,
    /// The element that is evaluated.
    pub(crate) at: i32,
    /// Its value, while its target is evaluated.
    pub(crate) val: Option<Val>,
    pub(crate) cells: Cells,
    pub(crate) targets: Vec<i32>,
}

/// A force of a delayed array.
#[derive(Debug)]
pub(crate) struct Chunks {
    pub(crate) delayed: Rc<Delayed>,
    /// How long each chunk is.
    pub(crate) m: i32,
    /// Where the group is.
    pub(crate) place: Location,
    pub(crate) chunks: Rc<Pull>,
    /// The chunk that is evaluated, or forced if it is.
    pub(crate) at: i32,
    /// Those before this one are.
    pub(crate) end: i32,
    /// Is this one of the chunks, which go in another order?
    pub(crate) is_part: bool,
    pub(crate) is_forced: bool,
    pub(crate) cells: Cells,
    /// Where the cells go, if it is an `interleave`.
    pub(crate) targets: Vec<i32>,
    /// The force.
    pub(crate) span: Span,
}

/// A chunk that is forced.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) cells: Cells,
    /// Where the cells go, if it is of an `interleave`.
    pub(crate) targets: Vec<i32>,
}

/// `while c f a`
#[derive(Debug)]
pub(crate) struct Loop {
    pub(crate) condition: Val,
    pub(crate) step: Val,
    /// How long the first array is, once it is forced.
    pub(crate) first: Option<i32>,
    pub(crate) stage: Stage,
    pub(crate) span: Span,
}

/// What of a loop is evaluated.
#[derive(Debug)]
pub(crate) enum Stage {
    /// The array is forced.
    Force,
    /// `c v`
    Condition(Rc<Pull>),
    /// `f v`
    Step,
}

/// A thread of control.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    pub(crate) control: Control,
    pub(crate) frames: Vec<Frame>,
    /// Values of operands, of all operators around what is evaluated.
    pub(crate) operands: Vec<Val>,
    /// Rounds of loops.
    pub(crate) rounds: u64,
}

impl Machine {
    /// The chunks and elements that are around what is evaluated, outermost first, from 1.
    pub(crate) fn path(&self, path: &mut Vec<i32>) {
        for frame in &self.frames {
            match frame {
                Frame::Sequential(force) => path.push(force.at + 1),
                Frame::Chunk(chunks) => path.push(chunks.at + 1),
                _ => {}
            }
        }
    }

    /// The next of the last operands.
    #[inline]
    pub(crate) fn operand(&mut self) -> Val {
        self.operands.pop().expect("an operator has its operands")
    }

    pub(crate) fn int(&mut self) -> i32 {
        self.operand().int()
    }
}

impl Val {
    /// # Panics
    /// If it is no int, as typing promises.
    #[inline]
    pub(crate) fn int(self) -> i32 {
        match self {
            Val::Int(k) => k,
            other => unreachable!("typing promises an int, not {other:?}"),
        }
    }

    /// # Panics
    /// If it is no bool, as typing promises.
    #[inline]
    pub(crate) fn bool(self) -> bool {
        match self {
            Val::Bool(b) => b,
            other => unreachable!("typing promises a bool, not {other:?}"),
        }
    }

    /// # Panics
    /// If it is no double, as typing promises.
    #[inline]
    pub(crate) fn double(self) -> Double {
        match self {
            Val::Double(x) => x,
            other => unreachable!("typing promises a double, not {other:?}"),
        }
    }

    /// # Panics
    /// If it is no pull array, as typing promises.
    #[inline]
    pub(crate) fn pull(self) -> Rc<Pull> {
        match self {
            Val::Pull(pull) => pull,
            other => unreachable!("typing promises a pull array, not {other:?}"),
        }
    }
}
