//! The machine by which a command prices programs.

use crate::cli::input::{name_of, text_of};
use crate::cli::problem::Problem;
use reference::cost::{Machine, NAMED, machine_over_default};
use reference::kit::text::Rejected;
use std::path::Path;

/// A file that describes a machine, or one of the machines that have a name.
pub(in crate::cli) struct MachineFile {
    name: String,
    text: String,
}

impl MachineFile {
    pub(in crate::cli) fn read(path: &Path) -> Result<Self, Problem> {
        if let Some((name, text)) = NAMED.iter().find(|(name, _)| path.as_os_str() == *name) {
            return Ok(Self { name: (*name).to_owned(), text: (*text).to_owned() });
        }
        let names = NAMED.map(|(name, _)| name).join(", ");
        let text =
            text_of(path, "a machine").map_err(|no| no.help(format!("{names} need no file")))?;
        Ok(Self { name: name_of(path), text })
    }
}

/// The machine that is meant; what a file does not say is as in the default one.
pub(in crate::cli) fn machine(
    said: Option<&Path>,
    processors: Option<u64>,
) -> Result<Machine, Problem> {
    let file = said.map(MachineFile::read).transpose()?;
    machine_in(file.as_ref(), machine_over_default, processors)
}

/// The machine that is meant, as this reads it from its file.
pub(in crate::cli) fn machine_in(
    file: Option<&MachineFile>,
    read: fn(&str) -> Result<Machine, Rejected>,
    processors: Option<u64>,
) -> Result<Machine, Problem> {
    let mut machine = match file {
        None => Machine::default(),
        Some(MachineFile { name, text }) => read(text)
            .map_err(|no| Problem::rejected(no, name, text).help("docs/cost.md has the keys"))?,
    };
    machine.processors = processors.unwrap_or(machine.processors);
    Ok(machine)
}
