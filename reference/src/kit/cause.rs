//! Causes of getting stuck: the premises that can fail while a program runs.
//!
//! The same cause is reported by every stage that a program passes through, so it has one name, one
//! list of operands and one test for all of them. [`causes!`](crate::causes) declares a cause in one
//! line, on the roll of the room that needs it; those of several rooms stand here. From that line
//! come the parsers and printers of checks, the premises of `D-CHECK`, the test that compiled code
//! makes, the proofs that it holds, the sentence that a user reads and the name in files. The
//! declared causes of a binary are collected by the linker ([`inventory`]).

use super::outcome::Why;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

#[doc(hidden)]
pub use inventory;

crate::causes! {
    impl Cause {
        /// An index outside `1..=extent`, of the first wrong dimension.
        Index = "index", [index, extent], (1 <= index, index <= extent),
            "index {index} is not in 1 to {extent}";
        /// A slice that leaves its array, or one of negative size, of the first wrong dimension.
        Slice = "slice", [offset, size, stride, extent], fits,
            "a slice of size {size} from {offset} on, stride {stride}, does not fit into 1 to {extent}";
        /// A zero divisor.
        DivisionByZero = "division", [dividend, divisor], (divisor != 0),
            "{dividend} is divided by zero";
        /// A kernel, an array or a block of negative size.
        NegativeSize = "size", [size], (0 <= size), "a size of {size}";
        /// A loop of a negative number of rounds.
        NegativeCount = "count", [count], (0 <= count), "a loop of {count} rounds";
        /// A read or write outside a block; both counted in elements from 0.
        OutsideBlock = "inside", [offset, length], (0 <= offset, offset < length),
            "offset {offset}, counted from 0, is not one of {length} elements";
        /// A use of a block that was declared and not assigned, or that is not one.
        NoBlock = "block", [], never, "there is no block";
        /// A use of NULL: a load, a store or an offset.
        Null = "null", [], never, "NULL points nowhere";
        /// A cast to a space that the pointer is not of.
        Space = "space", [found, wanted], (found <= wanted, wanted <= found),
            "a pointer to space {found} instead of {wanted}";
        /// A difference or an order of pointers to two blocks.
        SameBlock = "same_block", [], never, "two pointers are not to one block";
        /// A region is full that cannot grow. Whether one fills up depends on what all threads put into it, and who meets it
        /// on their order.
        RegionFull = "region_full", [wanted, free], (wanted <= free),
            "a value of {wanted} words goes into a region with {free} words left, which cannot grow",
            met_by anyone;
        /// A region is not there: it ended, or it was not copied to the device.
        RegionGone = "region_gone", [], never, "the region is not there";
        /// The items of a group are at different barriers, or some at none.
        Together = "together", [], never, "the items of a group are not at one barrier";
    }
}

/// The names of the spaces that the operands of [`Cause::Space`] number.
const SPACES: [&str; 4] = ["global", "local", "private", "constant"];

/// A cause, as [`causes!`](crate::causes) declared it. Two are the same if their names are.
#[derive(Clone, Copy)]
pub struct Cause(&'static Declaration);

/// The line of a cause.
#[doc(hidden)]
#[derive(Debug)]
pub struct Declaration {
    pub name: &'static str,
    pub operands: &'static [&'static str],
    pub test: Test,
    pub holds: fn(&[i64]) -> bool,
    pub sentence: fn(&[i64]) -> String,
    pub met_by_anyone: bool,
    /// What it gave up at; are the operands told with it?
    pub gives_up: Option<(&'static str, bool)>,
}

/// When a premise holds, over the operands of its cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Never: where it is tested, the run is stuck.
    Never,
    /// If all of these hold.
    All(&'static [Comparison]),
    /// If the slice of these offset, size and stride fits into `1..=extent` ([`fits`]).
    Fits,
}

/// `left ⊕ right`, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The left side.
    pub left: Term,
    /// `⊕`
    pub relation: Relation,
    /// The right side.
    pub right: Term,
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// The operand with this number, from 0.
    Operand(usize),
    /// A constant.
    Number(i64),
}

/// How two numbers are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<=`
    Le,
    /// `<`
    Lt,
    /// `!=`
    Ne,
}

/// A cause that some module of the binary declares.
#[doc(hidden)]
pub struct Declared(pub Cause);

inventory::collect!(Declared);

impl Cause {
    /// For [`causes!`](crate::causes).
    #[doc(hidden)]
    pub const fn declared(line: &'static Declaration) -> Self {
        Self(line)
    }

    /// Every declared cause, by name.
    ///
    /// # Panics
    /// If two have the same name.
    pub fn all() -> &'static [Cause] {
        static ALL: OnceLock<Vec<Cause>> = OnceLock::new();
        ALL.get_or_init(|| {
            let mut all: Vec<Cause> =
                inventory::iter::<Declared>.into_iter().map(|declared| declared.0).collect();
            all.sort();
            for pair in all.windows(2) {
                assert_ne!(pair[0], pair[1], "a cause is declared twice");
            }
            all
        })
    }

    /// The names of all causes that are premises of a check ([`Cause::is_premise`]).
    pub fn premises() -> &'static [&'static str] {
        static NAMES: OnceLock<Vec<&'static str>> = OnceLock::new();
        NAMES.get_or_init(|| {
            Self::all()
                .iter()
                .filter(|cause| cause.is_premise())
                .map(|cause| cause.name())
                .collect()
        })
    }

    /// The cause of this name.
    ///
    /// # Errors
    /// Which there are.
    pub fn named(name: &str) -> Result<Cause, String> {
        let found = Self::all().iter().find(|cause| cause.name() == name).copied();
        found.ok_or_else(|| format!("there are {}", Self::premises().join(", ")))
    }

    /// The name of the premise, as programs, headers of corpus files, rolls and JSON write it.
    #[inline]
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Names of the operands, in order.
    pub fn operands(self) -> &'static [&'static str] {
        self.0.operands
    }

    /// When it holds.
    pub fn test(self) -> Test {
        self.0.test
    }

    /// The sentence shown to the user for these operands.
    pub fn sentence(self, operands: &[i64]) -> String {
        let space = |number: i64| SPACES.get(usize::try_from(number).ok()?);
        if let (true, &[found, wanted]) = (self == Cause::Space, operands)
            && let Some((found, wanted)) = space(found).zip(space(wanted))
        {
            return format!("a pointer to {found} memory instead of {wanted}");
        }
        (self.0.sentence)(operands)
    }

    /// May a check have so many operands? One that gives up may have none, and never holds then.
    pub fn takes(self, operands: usize) -> bool {
        operands == self.operands().len() || operands == 0 && !self.is_premise()
    }

    /// Is it a premise of some rule? Others are limits of compiled code ([`Cause::gives_up`]).
    pub fn is_premise(self) -> bool {
        self.0.gives_up.is_none()
    }

    /// May any thread be the first to meet it? Then runs agree that get stuck of it, whatever the statement, the thread and
    /// the operands are.
    pub fn is_met_by_anyone(self) -> bool {
        self.0.met_by_anyone
    }

    /// Why there is no answer, for the causes that are no premise: compiled code gave up.
    pub fn gives_up(self) -> Option<Why> {
        self.0.gives_up.map(|(what, _)| Why::NotModelled(what.to_owned()))
    }

    /// The same with these operands, of a cause that tells them. A check that gives up may have none.
    pub fn gives_up_at(self, operands: &[i64]) -> Option<Why> {
        let (what, is_told) = self.0.gives_up?;
        if is_told && operands.len() == self.0.operands.len() {
            return Some(Why::NotModelled(format!("{what}: {}", self.sentence(operands))));
        }
        self.gives_up()
    }
}

/// Does the premise `cause` hold for these operands? The one test that the rooms, the checks of
/// IMP and of the device language share; it is exact.
///
/// # Panics
/// If the cause does not take so many operands.
#[inline]
pub fn holds(cause: Cause, operands: &[i64]) -> bool {
    (cause.0.holds)(operands)
}

/// Is every element of the slice inside `1..=extent`? An empty slice may start anywhere from 0 to
/// one past the end (reading FUN 2).
#[inline]
pub fn fits(offset: i64, size: i64, stride: i64, extent: i64) -> bool {
    let last = i128::from(offset) + (i128::from(size) - 1) * i128::from(stride);
    let inside = |at: i128| 1 <= at && at <= i128::from(extent);
    match size {
        ..0 => false,
        0 => 0 <= offset && offset <= extent + 1,
        _ => inside(offset.into()) && inside(last),
    }
}

/// Where an operand stands among those of its cause.
#[doc(hidden)]
pub const fn position(operands: &[&str], wanted: &str) -> usize {
    let wanted = wanted.as_bytes();
    let mut at = 0;
    while at < operands.len() {
        let operand = operands[at].as_bytes();
        let mut same = if operand.len() == wanted.len() { 0 } else { usize::MAX };
        while same < wanted.len() && operand[same] == wanted[same] {
            same += 1;
        }
        if same == wanted.len() {
            return at;
        }
        at += 1;
    }
    panic!("the test of a cause is about its operands and numbers")
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for Cause {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0) || self.name() == other.name()
    }
}

impl Eq for Cause {}

impl Ord for Cause {
    fn cmp(&self, other: &Self) -> Ordering {
        self.name().cmp(other.name())
    }
}

impl PartialOrd for Cause {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Cause {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

impl Serialize for Cause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Cause {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::named(&name).map_err(|there| de::Error::custom(format!("no cause {name}: {there}")))
    }
}

/// Declares causes, one line each: the name of the constant, the name in texts, the operands, the
/// test, the sentence. The test is `never`, comparisons (`<=`, `<`, `!=`) of operands and numbers
/// that must all hold, or `fits`. Behind the sentence, `met_by anyone` says that any thread may be the first to meet
/// it ([`Cause::is_met_by_anyone`]). A cause that is no premise but a limit of compiled code ends with
/// `gives_up` and what was met.
///
/// ```
/// reference::causes! {
///     /// A region without room.
///     pub FULL = "full", [used, size], (used < size), "all {size} cells of a region are used";
/// }
/// use reference::kit::cause::{Cause, holds};
/// assert!(holds(FULL, &[2, 3]) && !holds(FULL, &[3, 3]));
/// assert_eq!(Cause::named("full"), Ok(FULL));
/// assert_eq!(FULL.sentence(&[3, 3]), "all 3 cells of a region are used");
/// ```
///
/// The rooms write `impl Cause { .. }` around the lines, so that all of theirs are called
/// `Cause::Name`.
#[macro_export]
macro_rules! causes {
    (impl Cause { $(
        $(#[$meta:meta])*
        $name:ident = $text:literal, [$($operand:ident),*], $test:tt, $sentence:literal
        $(, met_by $who:ident)? $(, gives_up $what:literal $(with $how:ident)?)?;
    )* }) => {
        #[allow(non_upper_case_globals)] // They are written like the variants of an enum.
        impl $crate::kit::cause::Cause { $(
            $(#[$meta])*
            pub const $name: $crate::kit::cause::Cause =
                $crate::causes!(@cause $text, [$($operand),*], $test, $sentence, [$($who)?], [$($what $($how)?)?]);
        )* }
        $( $crate::causes!(@collect $crate::kit::cause::Cause::$name); )*
    };
    ($(
        $(#[$meta:meta])*
        $vis:vis $name:ident = $text:literal, [$($operand:ident),*], $test:tt, $sentence:literal
        $(, met_by $who:ident)? $(, gives_up $what:literal $(with $how:ident)?)?;
    )*) => { $(
        $(#[$meta])*
        $vis const $name: $crate::kit::cause::Cause =
            $crate::causes!(@cause $text, [$($operand),*], $test, $sentence, [$($who)?], [$($what $($how)?)?]);
        $crate::causes!(@collect $name);
    )* };
    (@collect $cause:expr) => {
        $crate::kit::cause::inventory::submit! { $crate::kit::cause::Declared($cause) }
    };
    (@cause $text:literal, [$($operand:ident),*], $test:tt, $sentence:literal, $who:tt, $what:tt) => {{
        const GIVES_UP: Option<(&str, bool)> = $crate::causes!(@what $what);
        #[inline]
        #[allow(unused_variables)]
        fn holds(operands: &[i64]) -> bool {
            if let &[$($operand),*] = operands {
                return $crate::causes!(@holds [$($operand),*] $test);
            }
            assert!(operands.is_empty() && GIVES_UP.is_some(), "{} of {operands:?}", $text);
            false
        }
        #[allow(unused_variables)]
        fn sentence(operands: &[i64]) -> String {
            match operands {
                &[$($operand),*] => std::fmt::format(format_args!($sentence)),
                _ => format!("{} {operands:?}", $text),
            }
        }
        $crate::kit::cause::Cause::declared(&$crate::kit::cause::Declaration {
            name: $text,
            operands: &[$(stringify!($operand)),*],
            test: $crate::causes!(@test [$($operand),*] $test),
            holds,
            sentence,
            met_by_anyone: $crate::causes!(@who $who),
            gives_up: GIVES_UP,
        })
    }};
    (@who []) => { false };
    (@who [anyone]) => { true };
    (@what []) => { None };
    (@what [$what:literal]) => { Some(($what, false)) };
    (@what [$what:literal operands]) => { Some(($what, true)) };
    (@holds [$($operand:ident),*] never) => { false };
    (@holds [$offset:ident, $size:ident, $stride:ident, $extent:ident] fits) => {
        $crate::kit::cause::fits($offset, $size, $stride, $extent)
    };
    (@holds [$($operand:ident),*] ($($left:tt $relation:tt $right:tt),+)) => {
        $($left $relation $right)&&+
    };
    (@test $operands:tt never) => { $crate::kit::cause::Test::Never };
    (@test $operands:tt fits) => { $crate::kit::cause::Test::Fits };
    (@test $operands:tt ($($left:tt $relation:tt $right:tt),+)) => {
        $crate::kit::cause::Test::All(&[$($crate::kit::cause::Comparison {
            left: $crate::causes!(@term $operands $left),
            relation: $crate::causes!(@relation $relation),
            right: $crate::causes!(@term $operands $right),
        }),+])
    };
    (@term [$($operand:ident),*] $name:ident) => {
        $crate::kit::cause::Term::Operand($crate::kit::cause::position(
            &[$(stringify!($operand)),*],
            stringify!($name),
        ))
    };
    (@term $operands:tt $number:expr) => { $crate::kit::cause::Term::Number($number) };
    (@relation <=) => { $crate::kit::cause::Relation::Le };
    (@relation <) => { $crate::kit::cause::Relation::Lt };
    (@relation !=) => { $crate::kit::cause::Relation::Ne };
}
