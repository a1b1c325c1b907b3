//! The paper's translations between the rooms.
//!
//! | file | what |
//! |---|---|
//! | [`fun_to_funmem`] | insertion of memory (section 3.5) |

mod alias;
pub mod fun_to_funmem;
mod symbolic;
