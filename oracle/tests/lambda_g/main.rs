//! λG in the tester: what is drawn, and what holds of it.

#![allow(missing_docs)]

mod costs;
mod docs;
mod laws;
mod reach;
mod shares;
mod shrink;
