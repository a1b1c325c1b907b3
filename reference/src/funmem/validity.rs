//! Validity: the value run and the heap run give the same, each array of the results is row-major over the whole of
//! its block (def. 3.1), and no array is overwritten that is still read.
//!
//! ```text
//! b ⇒unmem b'    ⊢ b' ⇓ (v₁, …, vₙ)    ⊢ b ⇓ ((ℓ₁, L₁), …, (ℓₙ, Lₙ)); H
//! nest(H(ℓᵢ), [k₁] ⋯ [kₘ]) = vᵢ   for each array of the results, and ints are equal
//! ──────────────────────────────────────────────────────────────────────────────
//! b is valid
//! ```
//!
//! The definition asks for results only, and these may be right by luck: two errors cancel out, or an element is
//! overwritten with an equal one. So a run in which an array is overwritten while it lives, which is that it is read
//! thereafter, is not taken for valid either. It says which statement did so.

use super::eval::heap_run;
pub use super::eval::{Overwritten, Watch};
use super::rules::Rule;
use super::syntax::{FunMem, Program};
use super::unmem::value_run;
use crate::fun;
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::memory::Memory;
use crate::kit::outcome::{Budget, Cells, Ending, Outcome, Scalar, Value};
use crate::kit::value::index_of;
use std::fmt;

/// Both runs, and what makes the program invalid on this input, if anything.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The run by values.
    pub value: Outcome,
    /// The run on the heap, with its races.
    pub heap: Outcome,
    /// `None`: valid on this input, as far as both runs have an answer.
    pub invalid: Option<Invalid>,
}

/// Why a program is not valid on an input: one of both at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// How the two runs differ, or which result stands wrong.
    pub difference: Option<Difference>,
    /// What was overwritten.
    pub overwritten: Option<Overwritten>,
}

impl Invalid {
    /// Neither is no reason.
    fn of(difference: Option<Difference>, overwritten: Option<Overwritten>) -> Option<Self> {
        (difference.is_some() || overwritten.is_some()).then_some(Self { difference, overwritten })
    }

    /// With what a run by values shows besides.
    pub fn against(of_heap: Option<Self>, value: &Ending, heap: &Ending) -> Option<Self> {
        let (crooked, overwritten) =
            of_heap.map_or((None, None), |invalid| (invalid.difference, invalid.overwritten));
        Self::of(difference(value, heap).or(crooked), overwritten)
    }

    /// What of validity does not hold, in one sentence.
    pub fn help(&self) -> &'static str {
        match self.difference {
            Some(Difference::Layout { .. }) => {
                "an array of the results is row-major over the whole of its block (def. 3.1)"
            }
            Some(
                Difference::Ending
                | Difference::Int { .. }
                | Difference::Element { .. }
                | Difference::Shape { .. },
            ) => "the memory of the program changes what it computes (def. 3.1)",
            None => {
                "an array is overwritten that is still read; the definition (3.1) asks for results \
                 only, and these are right by luck"
            }
        }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.difference, &self.overwritten) {
            (Some(difference), Some(overwritten)) => write!(out, "{difference}; {overwritten}"),
            (Some(difference), None) => difference.fmt(out),
            (None, Some(overwritten)) => write!(out, "{overwritten}, though the results are right"),
            (None, None) => unreachable!("there is a reason"),
        }
    }
}

/// What makes the results wrong. They are numbered from 1 and leave blocks out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The runs end differently: one with values, the other stuck, or stuck differently.
    Ending,
    /// Two ints differ.
    Int {
        /// Which result.
        result: usize,
        /// What the value run says.
        value: i32,
        /// What the heap run says.
        heap: i32,
    },
    /// An element differs.
    Element {
        /// Which result.
        result: usize,
        /// The index of the first element that differs, from 1.
        index: Vec<usize>,
        /// What the value run says.
        value: i32,
        /// What the heap run says.
        heap: i32,
    },
    /// The shapes of two arrays differ.
    Shape {
        /// Which result.
        result: usize,
    },
    /// The array is right, but not row-major over the whole of its block.
    Layout {
        /// Which result.
        result: usize,
        /// How long its block is.
        length: usize,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Ending => write!(out, "the value run and the heap run end differently"),
            Difference::Int { result, value, heap } => {
                write!(out, "result {result}: {value} by values, {heap} on the heap")
            }
            Difference::Element { result, index, value, heap } => write!(
                out,
                "result {result}, element {index:?}: {value} by values, {heap} on the heap"
            ),
            Difference::Shape { result } => write!(out, "result {result}: the shapes differ"),
            Difference::Layout { result, length } => write!(
                out,
                "result {result} is not row-major over the whole of its block of {length}"
            ),
        }
    }
}

/// The run on the heap, and what is wrong with its memory: an array of its results that is not row-major over
/// the whole of its block, or one that was overwritten while it lived, if that is asked for. It runs in the memory of
/// runs before. This is the half of [`judge`] that needs no run by values.
///
/// # Panics
/// If the program is not well typed or the input does not fit.
pub fn heap(
    memory: &mut Memory,
    program: &Program<FunMem>,
    input: &[Value],
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
    (planted, watch): (Planted, Watch),
) -> (Outcome, Option<Invalid>) {
    let (heap, placed, overwritten) =
        heap_run(memory, program, input, budget, recorder, planted, watch);
    let crooked = placed.iter().find(|array| !array.lmad.covers(array.length));
    let crooked =
        crooked.map(|array| Difference::Layout { result: array.result + 1, length: array.length });
    // Where threads race, what they read is not told by the order in which this run has them.
    let overwritten = overwritten.filter(|_| heap.races.is_empty());
    (heap, Invalid::of(crooked, overwritten))
}

/// Runs a well-typed program both ways on an input that fits, and compares.
///
/// # Panics
/// If the program is not well typed or the input does not fit.
pub fn judge(
    program: &Program<FunMem>,
    input: &[Value],
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
    planted: Planted,
) -> Judgement {
    judge_in(&mut Memory::default(), program, input, budget, recorder, planted)
}

/// [`judge`] in the memory of runs before.
///
/// # Panics
/// If the program is not well typed or the input does not fit.
pub fn judge_in(
    memory: &mut Memory,
    program: &Program<FunMem>,
    input: &[Value],
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
    planted: Planted,
) -> Judgement {
    let mut values = Recorder::<fun::rules::Rule>::counting();
    let value = value_run(program, input, budget, &mut values);
    let how = (planted, Watch::Lives);
    let (heap, of_heap) = self::heap(memory, program, input, budget, recorder, how);
    let invalid = Invalid::against(of_heap, &value.ending, &heap.ending);
    Judgement { value, heap, invalid }
}

/// The first difference between two endings, where both have an answer.
fn difference(value: &Ending, heap: &Ending) -> Option<Difference> {
    match (value, heap) {
        (Ending::Value(value), Ending::Value(heap)) if value.len() == heap.len() => {
            let mut pairs = value.iter().zip(heap).enumerate();
            pairs.find_map(|(at, (value, heap))| results(at + 1, value, heap))
        }
        (Ending::Stuck(value), Ending::Stuck(heap)) if value.agrees(heap) => None,
        (Ending::Unknown(_) | Ending::Broken(_), _)
        | (_, Ending::Unknown(_) | Ending::Broken(_)) => None,
        _ => Some(Difference::Ending),
    }
}

fn results(result: usize, value: &Value, heap: &Value) -> Option<Difference> {
    match (value, heap) {
        (Value::Scalar(Scalar::I32(value)), Value::Scalar(Scalar::I32(heap))) => {
            (value != heap).then_some(Difference::Int { result, value: *value, heap: *heap })
        }
        (
            Value::Array { shape, cells: Cells::I32(values) },
            Value::Array { shape: heap_shape, cells: Cells::I32(heap_values) },
        ) => {
            if shape != heap_shape {
                return Some(Difference::Shape { result });
            }
            let at = values.iter().zip(heap_values).position(|(value, heap)| value != heap)?;
            let index = index_of(at, shape);
            Some(Difference::Element { result, index, value: values[at], heap: heap_values[at] })
        }
        _ => Some(Difference::Shape { result }),
    }
}
