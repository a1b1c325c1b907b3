//! The languages that a file can be written in: the table of the reference, and what the command
//! line asks of it.

pub use reference::languages::{Artifact, Lang, Listed, parameters_in};

use std::path::Path;

/// The language of a file, by its extension.
pub fn of(path: &Path) -> Option<Lang> {
    Lang::of_extension(path.extension()?.to_str()?)
}
