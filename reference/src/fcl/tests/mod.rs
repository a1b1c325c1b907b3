//! Tests of the room.

mod syntax;
mod types;
