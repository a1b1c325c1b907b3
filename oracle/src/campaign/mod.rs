//! A campaign: programs drawn from a seed, examined by one worker a core, findings kept as files.

mod draw;
pub mod finding;
mod run;
mod shrinking;
mod tally;

pub use draw::{Drawn, draw, drawn_from};
pub use finding::{Record, VERSION, statements, values};
pub use run::{Kept, Settings, Summary, Watch, run};
pub use shrinking::shrink;
pub use tally::{Count, Tally};
