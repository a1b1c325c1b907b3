//! Tests of the room.

mod syntax;
