//! λG in the tester: what is drawn, and what holds of it.

mod calibrate;
mod costs;
mod docs;
mod laws;
mod left_out;
mod merges;
mod optimized;
mod reach;
mod rewriting;
mod searched;
mod shares;
mod shrink;
mod told;
mod written;
