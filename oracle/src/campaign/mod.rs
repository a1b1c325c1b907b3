//! A campaign: programs drawn from a seed, examined by one worker a core, findings kept as files.

mod absence;
mod answers;
mod cases;
mod causes;
mod confirm;
pub mod file;
pub mod finding;
mod numbering;
pub mod report;
mod run;
mod shrinking;
mod source_map;
pub mod state;
mod tally;
mod worker;

pub use absence::{not_compared, nothing_compared};
pub use answers::{AnswerLine, AnswerText, order_dependent, unanswered, wrong};
pub use cases::{Drawn, OPTIMIZED, draw, draw_with, drawn_from, turn};
pub use confirm::{Shown, TRIES};
pub use finding::{Record, values};
pub use run::{Elapsed, Failed, Kept, Settings, Summary, Watch, run};
pub use shrinking::shrink;
pub use state::{Known, State};
pub use tally::{Count, Flakes, Tally};
