//! Tests of the room.

mod corpus;
mod mutations;
mod syntax;
mod types;
