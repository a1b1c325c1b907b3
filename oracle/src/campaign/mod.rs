//! A campaign: programs drawn from a seed, examined by one worker a core, findings kept as files.

mod again;
mod causes;
mod confirm;
mod course;
mod draw;
pub mod file;
pub mod finding;
mod places;
mod reply;
mod run;
mod shrinking;
pub mod state;
mod tally;
mod worker;

pub use again::{not_compared, nothing_compared};
pub use confirm::{Shown, TRIES};
pub use draw::{Drawn, digest, draw, drawn_from, turn};
pub use finding::{Record, values};
pub use reply::{Reply, Told, unanswered};
pub use run::{Elapsed, Kept, Settings, Summary, Watch, run};
pub use shrinking::shrink;
pub use state::{Known, State};
pub use tally::{Count, Flakes, Tally};
