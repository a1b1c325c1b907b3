//! The roll: every rule of a room, named before it has code.

use super::cause::Cause;

/// One line of a roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleInfo {
    /// The name in the paper, for example `E-MEM-KERNEL`.
    pub name: &'static str,
    /// Where it stands: figure, equation or section.
    pub source: &'static str,
    /// Premises that can fail.
    pub premises: Premises,
    /// An extension of ours, not in the paper.
    pub extension: bool,
}

/// The premises of a rule that can fail at run time (evaluation rules) or that can reject a program
/// (type rules).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Premises {
    /// These.
    Named(&'static [&'static str]),
    /// One for each declared [`Cause`], by name: the rule is that of a check.
    Causes,
}

impl RuleInfo {
    /// The names of the premises, in order.
    #[inline]
    pub fn premises(&self) -> &'static [&'static str] {
        match self.premises {
            Premises::Named(names) => names,
            Premises::Causes => Cause::premises(),
        }
    }
}

/// A roll: an enum of rules, declared by [`roll!`](crate::roll).
pub trait Roll: Copy + 'static {
    /// The room, for example `funmem`.
    const ROOM: &'static str;
    /// Every rule, in the order of their numbers.
    const ALL: &'static [Self];
    /// Its line.
    fn info(self) -> &'static RuleInfo;
    /// Its number, the place in [`Roll::ALL`].
    fn number(self) -> usize;
}

/// Declares the roll of a room.
///
/// ```
/// reference::roll! {
///     /// Rules of a language.
///     pub enum Rule in "example" {
///         EIndex = "E-INDEX", "fig. 4", ["index"];
///         ELoop = "E-LOOP", "extension", ["count"], extension;
///     }
/// }
/// use reference::kit::rules::Roll;
/// assert_eq!(Rule::ELoop.info().name, "E-LOOP");
/// assert!(Rule::ELoop.info().extension);
/// ```
#[macro_export]
macro_rules! roll {
    (@premises [$($premise:literal),*]) => {
        $crate::kit::rules::Premises::Named(&[$($premise),*])
    };
    (@premises causes) => { $crate::kit::rules::Premises::Causes };
    (@extension) => { false };
    (@extension extension) => { true };
    ($(#[$meta:meta])* $vis:vis enum $name:ident in $room:literal {
        $($rule:ident = $text:literal, $source:literal, $premises:tt $(, $ext:ident)?;)*
    }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        $vis enum $name { $(#[doc = $text] $rule),* }

        impl $crate::kit::rules::Roll for $name {
            const ROOM: &'static str = $room;
            const ALL: &'static [Self] = &[$(Self::$rule),*];
            fn info(self) -> &'static $crate::kit::rules::RuleInfo {
                const TABLE: &[$crate::kit::rules::RuleInfo] = &[$($crate::kit::rules::RuleInfo {
                    name: $text,
                    source: $source,
                    premises: $crate::roll!(@premises $premises),
                    extension: $crate::roll!(@extension $($ext)?),
                }),*];
                &TABLE[self as usize]
            }
            fn number(self) -> usize { self as usize }
        }
    };
}
