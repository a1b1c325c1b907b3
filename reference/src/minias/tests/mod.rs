//! Tests of MiniAS.

mod corpus;
mod facts;
mod syntax;
mod types;
mod unification;
