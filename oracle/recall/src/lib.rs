//! Recall: naga's past, held against a semantics. Seventeen releases of naga are shown the programs
//! that `lockstep fuzz` draws, no bug worked around, and what each makes of them is executed and
//! judged as the engine `spirv` does it.
//!
//! | | |
//! |---|---|
//! | [`releases`] | the releases, each asked as the wgpu of its time asked it |
//! | [`program`], [`subject`] | a program with the end that it must have; a release that is shown it |
//! | [`signature`], [`known`], [`lacks`] | what makes two findings one fault; what explains it; what is none |
//! | [`campaign`], [`shrinking`] | programs, clocks, buckets; small programs that show a fault |
//! | [`cli`] | the command line, which alone prints |

pub mod campaign;
pub mod cli;
pub mod known;
pub mod lacks;
pub mod program;
pub mod releases;
pub mod shrinking;
pub mod signature;
pub mod subject;
