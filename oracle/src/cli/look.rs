//! How text for people looks: with colours or without, drawn in Unicode or in ASCII.

use indicatif::ProgressStyle;
use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Colours {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Colours {
    /// As the command line says it, before it is read: help and usage errors have colours too.
    pub(super) fn said(words: &[OsString]) -> Self {
        let mut words = words.iter().skip(1).take_while(|word| *word != "--");
        let mut said = Colours::Auto;
        while let Some(word) = words.next() {
            let word = word.to_string_lossy().into_owned();
            let value = match word.strip_prefix("--color") {
                Some("") => words.next().map(|value| value.to_string_lossy().into_owned()),
                Some(rest) => rest.strip_prefix('=').map(str::to_owned),
                None => None,
            };
            let value = value.and_then(|value| clap::ValueEnum::from_str(&value, false).ok());
            said = value.unwrap_or(said);
        }
        said
    }
}

impl From<Colours> for clap::ColorChoice {
    fn from(said: Colours) -> Self {
        match said {
            Colours::Auto if forbidden() => clap::ColorChoice::Never,
            Colours::Auto => clap::ColorChoice::Auto,
            Colours::Always => clap::ColorChoice::Always,
            Colours::Never => clap::ColorChoice::Never,
        }
    }
}

/// How text on standard error looks, and how what is drawn on standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// Are there colours on standard error?
    pub(super) colours: bool,
    /// Are lines drawn in ASCII?
    pub(super) ascii: bool,
    /// Is progress drawn on standard error, in place of what was drawn before?
    pub(super) progress: bool,
}

impl Look {
    /// How a bar of progress is drawn.
    pub(super) fn bar(self, style: ProgressStyle) -> ProgressStyle {
        if self.ascii { style.progress_chars("=> ") } else { style }
    }

    /// As the command line and the environment want it.
    pub(super) fn new(said: Colours) -> Self {
        let terminal = io::stderr().is_terminal();
        let colours = match said {
            Colours::Auto => terminal && !forbidden(),
            Colours::Always => true,
            Colours::Never => false,
        };
        Self { colours, ascii: !is_unicode(), progress: terminal && !is_dumb() }
    }
}

/// Does the environment forbid colours? (no-color.org)
fn forbidden() -> bool {
    is_dumb() || env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// A terminal that knows no escapes.
fn is_dumb() -> bool {
    env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// Is the locale one of UTF-8? The first of these variables that is set decides, as POSIX has it. Where none is, as
/// in containers and on Windows, it is taken for one.
fn is_unicode() -> bool {
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(env::var_os);
    let Some(locale) = set.into_iter().find(|locale| !locale.is_empty()) else { return true };
    let locale = locale.to_string_lossy().to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}
