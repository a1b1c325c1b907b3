//! MiniAS and MiniSYCL in the tester: what is drawn, what is refused, and that all readings agree.

#![allow(missing_docs)]

mod changed;
mod corpus;
mod ill_typed;
mod shares;
