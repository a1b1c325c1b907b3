//! MiniAS and MiniSYCL in the tester: what is drawn, what is refused, and that all readings agree.

mod accesses;
mod bad_input;
mod changed;
mod command_line;
mod corpus;
mod docs;
mod ill_typed;
mod linear;
mod names;
mod reach;
mod shares;
mod written;
