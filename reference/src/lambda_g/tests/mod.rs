//! The tests of the room.

mod corpus;
pub(super) use corpus::programs;
mod syntax;
mod types;
