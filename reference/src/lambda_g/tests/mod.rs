//! The tests of the room.

mod corpus;
mod syntax;
mod types;
