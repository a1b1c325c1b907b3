//! FUN, the functional array language without memory: figs. 1 to 5 of the paper.

pub(crate) mod arrays;
pub(crate) mod elaborate;
pub mod eval;
pub mod laws;
pub mod parse;
pub mod print;
pub mod rules;
pub(crate) mod surface;
pub mod syntax;
#[cfg(test)]
mod tests;
pub mod types;
pub(crate) mod values;

lalrpop_util::lalrpop_mod!(
    #[allow(clippy::all, clippy::pedantic, missing_docs, unreachable_pub, unused)]
    grammar,
    "/fun/grammar.rs"
);
