//! Emission styles: the same kernel as different WGSL with the same meaning.
//!
//! Users get plain text. But plain text uses few constructs of WGSL, and a compiler that is tested with it alone
//! is little tested. A style replaces some of the plain constructs by others. Each construct names the
//! section of the WGSL specification by which it means the same. A style is written as the names of its
//! constructs, so that a finding keeps its meaning when styles are drawn differently.

pub mod choices;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

macro_rules! constructs {
    ($($construct:ident $name:literal, $section:literal, $text:literal;)*) => {
        /// A way of writing that is not plain.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Construct {
            $(#[doc = $text] $construct,)*
        }

        impl Construct {
            /// Every construct.
            pub const ALL: &[Construct] = &[$(Construct::$construct),*];

            /// Its name.
            pub fn name(self) -> &'static str {
                match self { $(Construct::$construct => $name,)* }
            }

            /// The section of the WGSL specification, by its title, that makes it equal to
            /// plain text.
            pub fn section(self) -> &'static str {
                match self { $(Construct::$construct => $section,)* }
            }

            /// What is written.
            pub fn text(self) -> &'static str {
                match self { $(Construct::$construct => $text,)* }
            }
        }
    };
}

constructs! {
    While "while", "While Statement", "a loop as `while`";
    For "for", "For Statement", "a loop as `for`, its counter stepped in the header";
    Continuing "continuing", "Continuing Statement",
        "a loop that assigns what it carries in `continuing`";
    BreakIf "break-if", "Break-If Statement",
        "a loop tested before it and then at the end of each round by `break if`";
    Continue "continue", "Continue Statement",
        "a round that is left by `continue`, which `continuing` follows";
    Return "return", "Return Statement",
        "the `if` that a kernel ends with as `if (!c) { return; }`";
    Once "once", "Break Statement", "an `if` outside of loops as a `for` that ends in `break`";
    Switch "switch", "Switch Statement", "an `if` as `switch`, the default first or last";
    Chain "chain", "If Statement", "a `switch` as a chain of `if`, or with its default first";
    Uninitialised "uninitialised", "var Declarations",
        "a `var` without initialiser, which is zero each time it is reached, then added to";
    Shadow "shadow", "Declaration and Scope", "a name declared again in an inner scope";
    Compound "compound", "Compound Assignment",
        "`x += e`, `x++`, and `x += f(&x)` where f changes x";
    ShortCircuit "short-circuit", "Logical Expressions", "`&&` and `||` for `&` and `|`";
    Effect "effect", "Logical Expressions",
        "the store in an `if` done by a function that its condition calls behind `&&`";
    Equal "equal", "Comparison Expressions", "`true` and `false` by a constant `==` or `!=`";
    Const "const", "const Declarations", "a literal by a name of the module";
    ConstChain "const-chain", "const Declarations",
        "a literal by constants of which one is a sum that wraps around";
    Overflow "overflow", "Arithmetic Expressions",
        "a literal as a constant sum that wraps around";
    ShiftedOne "shifted-one", "Bit Expressions", "a power of two as `1 << n`";
    Remainder "remainder", "Arithmetic Expressions",
        "a negative literal as what `%` gives of a negative operand";
    Quotient "quotient", "Arithmetic Expressions",
        "a literal as what division gives that has no quotient: by 0, or of the least i32 by -1";
    Function "function", "Function Calls",
        "an operator by a function, of which some return early";
    Pointer "pointer", "Function Calls", "an assignment by a function that is given a pointer";
    ByValue "by-value", "Array Access Expression",
        "`select`, and values of `let`, by arrays that are indexed as values at run time";
    ByReference "by-reference", "Array Access Expression",
        "`select` by an array in a variable that a function is given a pointer to";
    Choice "choice", "If Statement", "`select` by `if`, into a variable";
    ChoiceCase "choice-case", "Switch Statement", "`select` by `switch`, into a variable";
    Staged "staged", "Synchronization Built-in Functions",
        "an argument that one invocation reads and hands to the others in work-group memory";
    GroupZero "group-zero", "var Declarations",
        "a zero that is read from work-group memory before anything is written there";
}

/// The places that a construct is used at, of those where it could be.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub enum Sites {
    /// Nowhere.
    #[default]
    None,
    /// Everywhere.
    All,
    /// At the first place, the third, and so on.
    Odd,
    /// At the second place, the fourth, and so on.
    Even,
}

impl Sites {
    /// Is a construct used at place `number`, counted from 0?
    pub(crate) fn hold(self, number: u32) -> bool {
        match self {
            Sites::None => false,
            Sites::All => true,
            Sites::Odd => number.is_multiple_of(2),
            Sites::Even => !number.is_multiple_of(2),
        }
    }
}

/// The most rounds of loops that a style adds to those of the program, in each invocation.
pub const EXTRA_ROUNDS: u32 = 32;

/// How many constructs there are.
const COUNT: usize = Construct::ALL.len();

/// Which constructs are used, and where; plain by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Style {
    sites: [Sites; COUNT],
}

impl Style {
    /// No construct.
    pub const PLAIN: Style = Style { sites: [Sites::None; COUNT] };

    /// Every construct wherever it can be used.
    pub const FULL: Style = Style { sites: [Sites::All; COUNT] };

    /// The same, with a construct at these places.
    #[must_use]
    pub fn with(mut self, construct: Construct, sites: Sites) -> Style {
        self.sites[construct as usize] = sites;
        self
    }

    /// The places that a construct is used at.
    pub fn sites(&self, construct: Construct) -> Sites {
        self.sites[construct as usize]
    }

    /// Has it no construct?
    pub fn is_plain(&self) -> bool {
        *self == Style::PLAIN
    }

    /// The constructs that are used somewhere.
    pub fn constructs(&self) -> impl Iterator<Item = Construct> {
        let style = *self;
        Construct::ALL.iter().copied().filter(move |c| style.sites(*c) != Sites::None)
    }

    /// Styles that are nearer to plain, the nearest first: plain itself, then without one
    /// construct each.
    pub fn smaller(&self) -> Vec<Style> {
        let mut styles: Vec<Style> = Vec::new();
        if !self.is_plain() {
            styles.push(Style::PLAIN);
        }
        let one_less = self.constructs().map(|construct| self.with(construct, Sites::None));
        styles.extend(one_less.filter(|style| !style.is_plain()));
        styles
    }
}

/// `while, switch:odd`; `plain`
impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_plain() {
            return f.write_str("plain");
        }
        for (number, construct) in self.constructs().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            let sites = match self.sites(construct) {
                Sites::Odd => ":odd",
                Sites::Even => ":even",
                Sites::None | Sites::All => "",
            };
            write!(f, "{comma}{}{sites}", construct.name())?;
        }
        Ok(())
    }
}

/// No style is written so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no construct of a style")]
pub struct NoStyle(pub String);

/// Names of constructs with commas between them, each with `:odd` or `:even` if it stands at
/// every other place only; `plain`, `full`.
impl FromStr for Style {
    type Err = NoStyle;

    fn from_str(text: &str) -> Result<Style, NoStyle> {
        match text.trim() {
            "plain" => return Ok(Style::PLAIN),
            "full" => return Ok(Style::FULL),
            _ => {}
        }
        let mut style = Style::PLAIN;
        for part in text.split(',').map(str::trim) {
            let (name, sites) = match part.split_once(':') {
                None => (part, Sites::All),
                Some((name, "odd")) => (name, Sites::Odd),
                Some((name, "even")) => (name, Sites::Even),
                Some(_) => return Err(NoStyle(part.to_owned())),
            };
            let named = |construct: &&Construct| construct.name() == name;
            let Some(construct) = Construct::ALL.iter().find(named) else {
                return Err(NoStyle(part.to_owned()));
            };
            style = style.with(*construct, sites);
        }
        Ok(style)
    }
}

#[cfg(test)]
mod tests {
    use super::{Construct, Sites, Style};

    #[test]
    fn a_style_is_read_as_it_is_written() {
        let style = Style::PLAIN
            .with(Construct::While, Sites::All)
            .with(Construct::Switch, Sites::Odd)
            .with(Construct::Shadow, Sites::Even);
        assert_eq!(style.to_string(), "while, switch:odd, shadow:even");
        for style in [Style::PLAIN, Style::FULL, style] {
            assert_eq!(style.to_string().parse(), Ok(style));
        }
        for bad in ["", "whole", "while:some", "while,,for"] {
            assert!(bad.parse::<Style>().is_err(), "{bad}");
        }
    }

    #[test]
    fn smaller_styles_lead_to_plain() {
        let style: Style = "for, equal".parse().expect("these are constructs");
        let smaller: Vec<String> = style.smaller().iter().map(ToString::to_string).collect();
        assert_eq!(smaller, ["plain", "equal", "for"]);
        assert_eq!(Style::PLAIN.smaller(), []);
    }
}
