//! To the device language, one file a language; a term over named axes becomes FUN, or IMP by its plan.

mod address;
pub(crate) mod axes;
pub mod fcl;
pub mod imp;
pub mod lambda_g;
pub mod minias;
#[cfg(feature = "toy")]
mod toy;
