//! What programs cost on a host with a device: the cost semantics of seed 003 (sections 5 to 7), over the accesses of
//! any room.
//!
//! A run that carries a [`Pricer`] as its [`Tap`](crate::kit::tap::Tap) tells it each access and each launch. The host is
//! a chain of edges of a [cost graph](graph), one for each statement and each access; a launch is a
//! device box, an edge of that graph, or its threads are parts of the graph ([`World`]). There are three [modes](Mode). Nothing here knows a language.

mod blocks;
mod counts;
mod device_box;
mod file;
mod flat;
pub mod graph;
mod lines;
mod machine;
mod order;
mod phase;
mod pricer;
mod provider;
mod report;
mod sample;
mod svg;
pub mod symbolic;
mod trace;

pub use blocks::Transfers;
pub use counts::{Accesses, Counted, Executed};
pub use file::{machine_of, machine_over_default};
pub use machine::{Calibrated, Linear, Machine, Mode, Times, Unfit, Unit};
pub use order::{MOST_DRAWN, Order};
pub use phase::{Phase, Spent};
pub use pricer::{Pricer, TooLarge, World};
pub use provider::{Formula, NAMED, Provider, Symbols};
pub use report::{Kernel, Report, Statement};
pub use sample::Sampling;
