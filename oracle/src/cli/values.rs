//! Values for the parameters of programs, from the command line, a file or standard input.

use super::input::{is_standard, name_of, text_of};
use super::problem::Problem;
use reference::kit::outcome::Value;
use reference::kit::value::parse_values;
use std::path::{Path, PathBuf};

/// Where values come from, the same for every command that runs a program.
#[derive(clap::Args)]
pub(super) struct Input {
    /// Values for the parameters, for example "2, [1, 2]"; else those of the header
    #[arg(long = "input", value_name = "VALUES", allow_hyphen_values = true)]
    values: Option<String>,
    /// The same from a file, on as many lines as it has, or from standard input (`-`)
    #[arg(long = "input-file", value_name = "FILE", conflicts_with = "values")]
    file: Option<PathBuf>,
}

impl Input {
    /// Are there any?
    pub(super) fn is_given(&self) -> bool {
        self.values.is_some() || self.file.is_some()
    }

    /// The values, if there are any. `programs` are the paths of the programs: standard input is one of them, or
    /// the values, not both.
    pub(super) fn read(&self, programs: &[PathBuf]) -> Result<Option<Vec<Value>>, Problem> {
        let file = self.file.iter();
        let standard = programs.iter().chain(file).filter(|path| is_standard(path)).count();
        if standard > 1 {
            let no =
                Problem::new("standard input is read once, and `-` stands there more than once");
            return Err(no.help("name a file for the programs, or for --input-file"));
        }
        match (&self.values, &self.file) {
            (Some(text), _) => parse("the input", text).map(Some),
            (None, Some(path)) => parse(&name_of(path), &text(path)?).map(Some),
            (None, None) => Ok(None),
        }
    }
}

fn text(path: &Path) -> Result<String, Problem> {
    text_of(path, "values")
}

fn parse(name: &str, text: &str) -> Result<Vec<Value>, Problem> {
    parse_values(text).map_err(|error| Problem::rejected(error, name, text))
}
