//! The paper's translations between the rooms.
//!
//! | file | what |
//! |---|---|
//! | [`fun_to_funmem`] | insertion of memory (section 3.5) |
//! | [`expand_memory`] | MemoryExpand (section 5), and the hoisting of allocations |
//! | [`funmem_to_imp`] | translation to IMP (section 4) |
//! | [`symbolic`] | scalar expressions and LMADs as these build them |

mod alias;
pub mod expand_memory;
pub mod fun_to_funmem;
pub mod funmem_to_imp;
pub mod symbolic;

#[cfg(test)]
mod tests;
