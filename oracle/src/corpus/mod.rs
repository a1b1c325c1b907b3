//! Programs that say what they mean: the judge holds a file against its header on every engine
//! at hand.

mod counted;
mod judge;

pub use judge::{Fault, Instead, Judged, budget, judge, judge_with, schedule};
