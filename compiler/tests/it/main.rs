//! The tests of the compiler, as one program: each is linked with all of it, and linking takes longest.
#![allow(missing_docs)]

mod common;

mod cause;
mod copies;
mod device;
mod fcl;
mod functions;
mod groups;
mod imp;
mod import;
mod lambda_g;
mod minias;
mod pointers;
mod search;
mod styles;
