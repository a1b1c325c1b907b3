//! The tests of the room.

mod corpus;
mod infer;
mod mutations;
pub(super) use corpus::programs;
mod syntax;
mod types;
