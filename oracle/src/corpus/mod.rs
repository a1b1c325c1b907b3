//! Programs that say what they mean: the judge holds a file against its header on every engine
//! at hand.

mod count;
mod judge;

pub use count::count;
pub use judge::{Fault, Judged, budget, judge, schedule};
