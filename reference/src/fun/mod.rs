//! FUN, the functional array language without memory: figs. 1 to 5 of the paper.

pub mod rules;
pub mod syntax;
