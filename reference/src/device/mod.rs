//! The device language.
