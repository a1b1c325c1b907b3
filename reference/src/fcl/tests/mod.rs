//! Tests of the room.

mod corpus;
mod mutations;
mod prelude;
mod syntax;
mod types;
