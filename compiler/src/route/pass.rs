//! A pass, with the languages that it leads between.

use super::{Artifact, Lang, PassCx};
use reference::kit::text::Refused;
use std::borrow::Cow;
use std::fmt;

/// A pass. What must hold before it and holds after it stands at the head of its file; it gets stuck
/// where its program does: the same site, thread and operands.
pub struct Pass {
    /// Its name.
    pub name: &'static str,
    /// The language that it takes.
    pub from: Lang,
    /// The language that it makes.
    pub to: Lang,
    run: Run,
}

/// What a pass does. The program is of the language that it takes.
type Run = fn(Cow<'_, Artifact>, &mut PassCx) -> Result<Artifact, Refused>;

impl Pass {
    /// A pass.
    pub const fn new(name: &'static str, from: Lang, to: Lang, run: Run) -> Self {
        Self { name, from, to, run }
    }

    /// The pass itself. One within a language changes the program that it is given, so a borrowed one is
    /// copied; one that translates reads it.
    ///
    /// # Errors
    /// A statement that it cannot translate, and why.
    ///
    /// # Panics
    /// The program is of another language than [`Pass::from`].
    pub fn run(&self, from: Cow<'_, Artifact>, cx: &mut PassCx) -> Result<Artifact, Refused> {
        (self.run)(from, cx)
    }
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// `takes` for a pass that changes its program, `reads` for one that makes another.
macro_rules! run {
    (takes $from:ident => $to:ident, |$program:ident, $cx:ident| $body:expr) => {
        |artifact, $cx| match artifact.into_owned() {
            $crate::route::Artifact::$from($program) => Ok($crate::route::Artifact::$to($body?)),
            other => unreachable!("a route leads here from {:?}", other.lang()),
        }
    };
    (reads $from:ident => $to:ident, |$program:ident, $cx:ident| $body:expr) => {
        |artifact, $cx| match &*artifact {
            $crate::route::Artifact::$from($program) => Ok($crate::route::Artifact::$to($body?)),
            other => unreachable!("a route leads here from {:?}", other.lang()),
        }
    };
}

pub(crate) use run;
