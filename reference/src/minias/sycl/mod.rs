//! MiniSYCL: C++ whose pointers do not say their space, deduced as SYCL 1.2.1 does (seed 001, readings Y1 to Y4).
//!
//! [`parse`] reads the text as [`syntax`], whose names are words, since templates are instantiated before names stand for
//! something; [`print`] writes it. A room of its own rules it has not: what it means is what it becomes in MiniAS.

mod lex;
pub mod parse;
pub mod print;
pub mod syntax;

#[cfg(test)]
mod tests;
