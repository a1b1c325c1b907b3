//! Known bugs of the toolchain below us that would spoil results, and that emitted code avoids. With
//! `--workarounds none` it does not, so that the tester finds them again.

use serde::{Deserialize, Serialize};

/// A bug that emitted code avoids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workaround {
    /// Name of the workaround.
    pub name: &'static str,
    /// Whose bug it is.
    pub tool: &'static str,
    /// Releases that have it.
    pub releases: &'static str,
    /// Where it is discussed, if anywhere.
    pub thread: Option<&'static str>,
    /// What goes wrong, and what is emitted instead.
    pub text: &'static str,
}

/// Shift amounts are masked.
pub const MASKED_SHIFTS: Workaround = Workaround {
    name: "masked-shifts",
    tool: "naga",
    releases: "0.9 to 30",
    thread: None,
    text: "an amount of 32 or more at run time is an undefined shift in SPIR-V; `& 31u` is emitted",
};

/// Pointers to parts of variables are not passed to functions.
pub const WHOLE_POINTERS: Workaround = Workaround {
    name: "whole-pointers",
    tool: "naga",
    releases: "0.9 to 30",
    thread: Some("https://github.com/gfx-rs/wgpu/issues/4540"),
    text: "`f(&x[1])` passes the validator and panics the SPIR-V writer; the part is copied in and out",
};

/// Local variables have an initialiser; those that a style leaves without are outside of loops.
pub const INITIALISED_VARIABLES: Workaround = Workaround {
    name: "initialised-variables",
    tool: "naga, Tint",
    releases: "naga 0.9 to 29; Tint of the npm package webgpu 0.6.2",
    thread: Some("https://github.com/gfx-rs/wgpu/issues/9489"),
    text: "a `var` without initialiser inside of a loop is not zeroed again each time round",
};

/// By-value arrays are indexed in a variable.
pub const INDEXED_IN_VARIABLES: Workaround = Workaround {
    name: "indexed-in-variables",
    tool: "naga",
    releases: "23 to 24",
    thread: Some("https://github.com/gfx-rs/wgpu/issues/7048"),
    text: "a by-value array indexed at run time twice in one function is invalid SPIR-V",
};

/// A u32 is widened through a mask.
pub const ZERO_EXTENSION: Workaround = Workaround {
    name: "zero-extension",
    tool: "naga",
    releases: "0.20 to 30",
    thread: None,
    text: "`i64(x)` of a u32 becomes OpSConvert, which extends by the sign; the high word is masked off",
};

/// The table.
pub const TABLE: &[Workaround] =
    &[MASKED_SHIFTS, WHOLE_POINTERS, INITIALISED_VARIABLES, INDEXED_IN_VARIABLES, ZERO_EXTENSION];

/// Which of them are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Workarounds {
    /// The whole table.
    #[default]
    All,
    /// None: what is emitted is plain WGSL, right by the standard.
    None,
    /// All but the one at this index of the table, to see the effect of a single one. It has no name, so it
    /// is in no file.
    #[serde(skip)]
    Without(usize),
}

impl Workarounds {
    /// Its name on the command line and in headers.
    pub fn name(self) -> &'static str {
        match self {
            Workarounds::All => "all",
            Workarounds::None => "none",
            Workarounds::Without(_) => "all but one",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        [Workarounds::All, Workarounds::None].into_iter().find(|one| one.name() == name)
    }

    /// Is it used?
    pub(crate) fn uses(self, workaround: &Workaround) -> bool {
        let place = TABLE.iter().position(|one| one == workaround);
        match self {
            Workarounds::All => place.is_some(),
            Workarounds::None => false,
            Workarounds::Without(other) => place.is_some_and(|place| place != other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{TABLE, Workarounds};

    #[test]
    fn all_but_one_are_used() {
        for (at, left_out) in TABLE.iter().enumerate() {
            for other in TABLE {
                let used = Workarounds::Without(at).uses(other);
                assert_eq!(used, other != left_out, "{other:?}");
            }
            assert!(Workarounds::All.uses(left_out) && !Workarounds::None.uses(left_out));
        }
    }
}
