//! The checks, one property a file, and the examination that puts a case through all of them. What
//! is held against what, the [`Judge`](judge::Judge) of each language says, in the file of its name.
//!
//! | property | file | blames |
//! |---|---|---|
//! | every stage is well typed under its own rules | [`types`] | the pass that made it |
//! | print and parse are inverse | [`round_trip`] | the printer or parser of its language |
//! | all engines give the same end | [`agree`] | the first pass after which an end differs |
//! | naga accepts every shader | [`emit`] | the emitter |
//! | their SPIR-V gives that end, and nothing in it is undefined | [`spirv`] | the emitter, or naga |
//! | adapters give that end too | [`adapters`] | the driver, or the emitter |
//! | where neither differs for a reason that is nobody's fault | [`excuse`] | |
//! | memory changes nothing (def. 3.1) | [`validity`] | the pass that placed the arrays |
//! | no pass makes a race, and IMP sees none that FUNMEM did not | [`race`] | the pass, or the check |
//! | no pass makes a read of memory that nothing wrote | [`unwritten`] | the pass |
//! | the order of threads cannot be told | [`order`] | the translation, or the check of races |
//! | what the laws of rewriting make of a term ends as it does | [`laws`] | the law |
//! | what a route beside the first makes ends as the program does | `beside` | the pass |
//! | or it can, and no order races or gets stuck: what all orders share | [`orders`] | nobody: it is order-dependent |

pub mod adapters;
pub mod agree;
mod axes;
mod beside;
mod device;
pub mod emit;
mod evidence;
mod examine;
mod excuse;
mod fcl;
mod fun;
mod funmem;
mod imp;
mod judge;
mod lambda_g;
pub mod laws;
mod look;
mod minias;
pub mod order;
pub mod orders;
pub mod race;
pub mod round_trip;
pub mod spirv;
mod sycl;
mod tester;
#[cfg(feature = "toy")]
mod toy;
pub mod types;
pub mod unwritten;
pub mod validity;
mod verdict;

#[cfg(feature = "cli")]
pub(crate) use judge::Judge;

pub use examine::{Answer, Class, Examination, Skipped};
pub use tester::{Depth, Tester};
pub use verdict::{End, Finding, Kind, OrderDependent, Part, Signature, ThreadOrder, Verdict};
