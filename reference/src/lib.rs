//! Executable reference semantics of the languages that Lockstep implements. It depends on
//! nothing else of the workspace, knows no GPU and does no input or output.
//!
//! | room | paper | judgements |
//! |---|---|---|
//! | [`axes`] | ours | what is rewritten; it means a program of FUN |
//! | [`fun`] | FUN, figs. 1, 3 to 5 | `Γ ⊢ s`, `E ⊢ e ⇓ (v, …, v)` |
//! | [`funmem`] | FUNMEM, figs. 6, 8 to 10 | `Γ ⊢ s`, `E; H ⊢ s ⇓ E'; H'; ⟨R, W⟩`, validity, race-freedom |
//! | [`imp`] | IMP, figs. 11, 12 | `H; E ⊢ s → H'; E'`, small steps |
//! | [`device`] | ours | what all of them compile to |
//! | [`spirv`] | the SPIR-V and Vulkan specifications | what a driver is given |
//!
//! [`cost`] prices what the runs of a room do to memory. [`kit`] is what the rooms share; [`translate`] holds the paper's own translations; [`languages`] is
//! the table of those in which programs are written.

pub mod axes;
pub mod cost;
pub mod device;
pub mod fcl;
pub mod fun;
pub mod funmem;
pub mod imp;
pub mod kit;
pub mod lambda_g;
pub mod languages;
pub mod minias;
pub use minias::sycl;
pub mod spirv;
#[cfg(feature = "toy")]
pub mod toy;
pub mod translate;
