//! Tests of MiniAS.

mod corpus;
mod evidence;
mod facts;
mod given;
mod laws;
mod mutations;
mod refusals;
mod run;
mod syntax;
mod translate;
mod types;
mod unification;
