//! The tests of the room.

mod corpus;
mod mutations;
pub(super) use corpus::programs;
mod syntax;
mod types;
