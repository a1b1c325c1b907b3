//! Tests of MiniAS.

mod corpus;
mod facts;
mod mutations;
mod run;
mod syntax;
mod types;
mod unification;
