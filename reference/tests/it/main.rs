//! The tests of the semantics over whole programs, as one program.
#![allow(missing_docs)]

mod corpus;
mod cost;
mod sampled;
mod schedules;
mod unwritten;
