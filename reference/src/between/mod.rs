//! The paper's translations between the rooms.
//!
//! | file | what |
//! |---|---|
//! | [`fun_to_funmem`] | insertion of memory (section 3.5) |
//! | [`funmem_to_imp`] | translation to IMP (section 4) |

mod alias;
pub mod fun_to_funmem;
pub mod funmem_to_imp;
mod symbolic;

#[cfg(test)]
mod tests;
