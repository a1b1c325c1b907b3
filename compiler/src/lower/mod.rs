//! To the device language, one file a language.

mod address;
pub mod imp;
#[cfg(feature = "toy")]
mod toy;
