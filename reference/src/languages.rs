//! The table of languages, and what is made from it: [`Lang`], [`Artifact`] and [`Rolls`].
//!
//! Nothing else lists the languages. Other crates call the table back with
//! [`languages!`](crate::languages), which passes its lines to a macro of theirs, and look into an
//! [`Artifact`] with [`with!`](crate::with).

use crate::cost::Pricer;
use crate::kit::coverage::Coverage;
use crate::kit::derivation::{Derivation, Recorder};
use crate::kit::language::{Choice, How, Judged, Language, Library, Operation, Settings, Variant};
use crate::kit::lex::{self, Lexicon, Token};
use crate::kit::outcome::{Outcome, Value};
use crate::kit::regular::{Irregular, Loops};
use crate::kit::sizes::Sizes;
use crate::kit::text::{self, Rejected, Span};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Passes the table of languages to a macro: `languages!(make)` becomes
/// `make! { Language = room; … }`, and `languages!({make} ARGUMENTS)` the same with arguments in front, where `reference::room::Language` implements
/// [`Language`](crate::kit::language::Language). They stand in the order of the compilation.
#[macro_export]
macro_rules! languages {
    ($make:ident) => {
        $crate::languages! { {$make} }
    };
    ({$($make:tt)*} $($arguments:tt)*) => {
        $($make)*! { $($arguments)*
            Axes = axes;
            Fun = fun;
            FunMem = funmem;
            Imp = imp;
            Fcl = fcl;
            LambdaG = lambda_g;
            Sycl = sycl;
            Minias = minias;
            Device = device;
            #[cfg(feature = "toy")]
            Toy = toy;
        }
    };
}

/// `with!(artifact, |L, program| body)`: the body with `L` for the language of an
/// [`Artifact`](crate::languages::Artifact) and `program` for its program.
#[macro_export]
macro_rules! with {
    ($artifact:expr, |$language:ident, $program:ident| $body:expr) => {
        $crate::languages! { {$crate::with_arms} [$artifact] [$language] [$program] [$body] }
    };
}

/// `with_language!(lang, |L| body)`: the body with `L` for the language that a
/// [`Lang`](crate::languages::Lang) names.
#[macro_export]
macro_rules! with_language {
    ($lang:expr, |$language:ident| $body:expr) => {
        $crate::languages! { {$crate::with_language_arms} [$lang] [$language] [$body] }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! with_arms {
    ([$artifact:expr] [$language:ident] [$program:ident] [$body:expr]
        $($(#[$meta:meta])* $name:ident = $room:ident;)*) => {
        match $artifact {
            $($(#[$meta])* $crate::languages::Artifact::$name($program) => {
                type $language = $crate::$room::$name;
                $body
            })*
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! with_language_arms {
    ([$lang:expr] [$language:ident] [$body:expr]
        $($(#[$meta:meta])* $name:ident = $room:ident;)*) => {
        match $lang {
            $($(#[$meta])* $crate::languages::Lang::$name => {
                type $language = $crate::$room::$name;
                $body
            })*
        }
    };
}

macro_rules! table {
    ($($(#[$meta:meta])* $name:ident = $room:ident;)*) => {
        /// A language.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
        )]
        #[serde(into = "&str", try_from = "String")]
        pub enum Lang {
            $($(#[$meta])* #[doc = concat!("That of [`", stringify!($room), "`](crate::", stringify!($room), ").")] $name,)*
        }

        impl Lang {
            /// Every language, in the order of the compilation.
            pub const ALL: &[Lang] = &[$($(#[$meta])* Lang::$name,)*];
        }

        /// A program of any language.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum Artifact {
            $($(#[$meta])* #[doc = concat!("Of [`", stringify!($room), "`](crate::", stringify!($room), ").")]
            $name(<crate::$room::$name as Language>::Program),)*
        }

        /// The recorders of all rooms side by side: what a campaign or a corpus run fires.
        pub struct Rolls {
            $($(#[$meta])* $room: Recorder<<crate::$room::$name as Language>::Rule>,)*
        }

        impl Default for Rolls {
            fn default() -> Self {
                Rolls { $($(#[$meta])* $room: Recorder::counting(),)* }
            }
        }

        impl Rolls {
            /// Recorders that ask for the statements of both accesses of races.
            pub fn locating() -> Self {
                Rolls { $($(#[$meta])* $room: Recorder::locating(),)* }
            }

            /// The counts so far, one coverage a room, in the order of the compilation.
            pub fn coverages(&self) -> Vec<Coverage> {
                vec![$($(#[$meta])* self.$room.coverage().clone(),)*]
            }
        }

        $(
            $(#[$meta])*
            impl Listed for crate::$room::$name {
                const LANG: Lang = Lang::$name;

                fn artifact(program: Self::Program) -> Artifact {
                    Artifact::$name(program)
                }

                fn of(artifact: &Artifact) -> Option<&Self::Program> {
                    match artifact {
                        Artifact::$name(program) => Some(program),
                        _ => None,
                    }
                }

                fn roll(rolls: &mut Rolls) -> &mut Recorder<Self::Rule> {
                    &mut rolls.$room
                }
            }
        )*
    };
}

languages!(table);

/// A language of the table.
pub trait Listed: Language {
    /// Its name as a value.
    const LANG: Lang;
    /// Its program as an artifact.
    fn artifact(program: Self::Program) -> Artifact;
    /// The program, if the artifact is one of this language.
    fn of(artifact: &Artifact) -> Option<&Self::Program>;
    /// Its recorder.
    fn roll(rolls: &mut Rolls) -> &mut Recorder<Self::Rule>;
}

impl Lang {
    /// Its name.
    pub fn name(self) -> &'static str {
        with_language!(self, |L| L::NAME)
    }

    /// The language of this name.
    pub fn named(name: &str) -> Option<Lang> {
        Lang::ALL.iter().copied().find(|lang| lang.name() == name)
    }

    /// The extension of its files, without the dot.
    pub fn extension(self) -> &'static str {
        with_language!(self, |L| L::EXTENSION)
    }

    /// The language of files with this extension.
    pub fn of_extension(extension: &str) -> Option<Lang> {
        Lang::ALL.iter().copied().find(|lang| lang.extension() == extension)
    }

    /// Do its programs have memory, of which a run tells a tap?
    pub fn has_memory(self) -> bool {
        with_language!(self, |L| L::HAS_MEMORY)
    }

    /// Do the rules of its semantics make the cost graphs of runs?
    pub fn makes_graphs(self) -> bool {
        with_language!(self, |L| L::MAKES_GRAPHS)
    }

    /// The engines of those of its variants that run a translation of the program.
    pub fn translations(self) -> &'static [&'static str] {
        with_language!(self, |L| L::TRANSLATIONS)
    }

    /// The ways to run its programs, the semantics first.
    pub fn variants(self) -> &'static [Variant] {
        with_language!(self, |L| L::VARIANTS)
    }

    /// What a user may choose about its semantics.
    pub fn options(self) -> &'static [Choice] {
        with_language!(self, |L| L::OPTIONS)
    }

    /// Reads a program.
    ///
    /// # Errors
    /// What is wrong with the syntax or the names, and where.
    pub fn parse(self, source: &str) -> Result<Artifact, Rejected> {
        with_language!(self, |L| L::parse(source).map(L::artifact))
    }

    /// Reads a program and holds it against its type rules; the rolls count as well what the parser
    /// refuses by a rule, because a name that is not in scope has no slot to check a program with.
    ///
    /// # Errors
    /// What is wrong with the syntax or the names, or the rule and premise that fail.
    pub fn read(self, source: &str, rolls: &mut Rolls) -> Result<Artifact, Rejected> {
        self.read_under(source, &Settings::default(), rolls)
    }

    /// The same, under options.
    ///
    /// # Errors
    /// As of [`Lang::read`].
    pub fn read_under(
        self,
        source: &str,
        settings: &Settings,
        rolls: &mut Rolls,
    ) -> Result<Artifact, Rejected> {
        let program = self.parse(source).inspect_err(|error| {
            with_language!(self, |L| L::roll(rolls).rejected(error));
        })?;
        let program = program.under(settings);
        program.check(rolls)?;
        Ok(program)
    }
}

/// A language is stored and sent as its name.
impl From<Lang> for &'static str {
    fn from(lang: Lang) -> Self {
        lang.name()
    }
}

impl TryFrom<String> for Lang {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Lang::named(&name).ok_or_else(|| format!("there is no language `{name}`"))
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Artifact {
    /// Its language.
    pub fn lang(&self) -> Lang {
        with!(self, |L, _program| L::LANG)
    }

    /// The program as its language's parser reads it back.
    pub fn print(&self) -> String {
        with!(self, |L, program| L::print(program))
    }

    /// The text of what the variant of one of [`Lang::translations`] runs, of a program that is well typed.
    pub fn translation(&self, variant: &str) -> String {
        with!(self, |L, program| L::translation(program, variant))
    }

    /// The program under options that decide whether it is well typed, or what it takes.
    #[must_use]
    pub fn under(self, settings: &Settings) -> Artifact {
        with!(self, |L, program| L::artifact(L::under(program, settings)))
    }

    /// The options that [`Artifact::under`] gave it.
    pub fn options(&self) -> Settings {
        with!(self, |L, program| L::options_of(program))
    }

    /// Holds the program against the type rules of its language.
    ///
    /// # Errors
    /// The rule and premise that fail, and where.
    pub fn check(&self, rolls: &mut Rolls) -> Result<(), Rejected> {
        with!(self, |L, program| L::check(program, L::roll(rolls)))
    }

    /// Is there something of it that runs?
    pub fn has_entry(&self) -> bool {
        with!(self, |L, program| L::has_entry(program))
    }

    /// The names of the parameters, in order.
    pub fn parameters(&self) -> Vec<String> {
        with!(self, |L, program| L::parameters(program))
    }

    /// The input as the program takes it, with the extents of empty arrays filled in.
    ///
    /// # Errors
    /// What does not fit the parameters.
    pub fn fit(&self, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
        with!(self, |L, program| L::fit(program, input))
    }

    /// Runs the program on an input that fits.
    pub fn run(&self, input: &[Value], how: How<'_>, rolls: &mut Rolls) -> Outcome {
        with!(self, |L, program| L::run(program, input, how, L::roll(rolls)))
    }

    /// Runs the program and says whether its memory is right, see [`Language::judge`].
    pub fn judge(&self, input: &[Value], how: How<'_>) -> Judged {
        with!(self, |L, program| L::judge(program, input, how, &mut Recorder::counting()))
    }

    /// May what the program computes depend on the order of its threads though none race? See
    /// [`Language::is_open_to_order`].
    pub fn is_open_to_order(&self) -> bool {
        with!(self, |L, program| L::is_open_to_order(program))
    }

    /// An input of these sizes, see [`Takes::sized`](crate::kit::fit::Takes::sized).
    ///
    /// # Errors
    /// What is said that the program does not take, or not said that it does.
    pub fn sized(&self, sizes: &Sizes) -> Result<Vec<Value>, Rejected> {
        with!(self, |L, program| L::takes(program).sized(sizes))
    }

    /// How many elements an input of these sizes has, see [`Takes::elements`](crate::kit::fit::Takes::elements).
    pub fn elements(&self, sizes: &Sizes) -> u64 {
        with!(self, |L, program| L::takes(program).elements(sizes))
    }

    /// Of which loops rounds may be left out where only a price is wanted, see [`Language::regular`].
    ///
    /// # Errors
    /// Why a part of a run does not tell what all of it accesses.
    pub fn regular(&self) -> Result<Loops, Irregular> {
        with!(self, |L, program| L::regular(program))
    }

    /// A run that a tap is told of, and the tap.
    pub fn price(&self, input: &[Value], how: How<'_>, pricer: Pricer) -> (Outcome, Pricer) {
        with!(self, |L, program| {
            let mut recorder = Recorder::tapped(Box::new(pricer));
            let outcome = L::run(program, input, how, &mut recorder);
            (outcome, Pricer::taken_from(&mut recorder).expect("the run leaves it there"))
        })
    }

    /// A run with the first `nodes` nodes of its derivation.
    pub fn explain(
        &self,
        input: &[Value],
        how: How<'_>,
        nodes: usize,
    ) -> (Outcome, Vec<Derivation>) {
        with!(self, |L, program| {
            let mut recorder = Recorder::tree(nodes);
            let outcome = L::run(program, input, how, &mut recorder);
            (outcome, recorder.finish().1)
        })
    }

    /// The derivation that the program is well typed, or where it is not: its first `nodes` nodes.
    pub fn explain_types(&self, nodes: usize) -> Vec<Derivation> {
        with!(self, |L, program| {
            let mut recorder = Recorder::tree(nodes);
            let _ = L::check(program, &mut recorder);
            recorder.finish().1
        })
    }

    /// Where its text uses the definition of its library that a place lies in, see [`Language::uses`].
    pub fn uses(&self, place: Span) -> Vec<Span> {
        with!(self, |L, program| L::uses(program, place))
    }

    /// The parameters and outermost bindings with their types, as the printer writes them.
    pub fn bindings(&self) -> Vec<String> {
        let text = with!(self, |L, program| {
            let mut shown = program.clone();
            shown.names = program.names.as_written();
            L::print(&shown)
        });
        let params = text.lines().filter(|line| line.starts_with("param")).map(str::to_owned);
        params.chain(with!(self, |L, program| L::bindings(program))).collect()
    }

    /// How often an operation occurs: its name, and `in kernel` or `in loop` for those inside of
    /// one.
    ///
    /// # Errors
    /// The language has no such operation.
    pub fn count(&self, operation: &str) -> Result<u64, String> {
        with!(self, |L, program| {
            let operation = Operation::of(operation, L::NAME, L::OPERATIONS)?;
            Ok(L::count(program, &operation))
        })
    }
}

/// The library that this place lies in, if it is not in a program.
pub fn library(at: u32) -> Option<Library> {
    let mut libraries = Lang::ALL.iter().filter_map(|lang| with_language!(lang, |L| L::LIBRARY));
    libraries
        .find(|library| (library.start..=library.start + library.text.len() as u32).contains(&at))
}

/// Line and column of a place, as [`text::place`] has them: in the program of this source, or `3:5 of the
/// prelude` in a library.
pub fn place(source: &str, at: u32) -> String {
    match library(at) {
        Some(Library { name, text, start }) => {
            format!("{} of the {name}", text::place(text, at - start))
        }
        None => text::place(source, at),
    }
}

/// The names of the parameters as they stand in the text of a program that was read, in order: each
/// behind `param`, or behind a bracket and before a colon.
pub fn parameters_in(text: &str) -> Vec<Span> {
    const WORDS: Lexicon =
        Lexicon { keywords: &["param"], opens: &[], closes: &[], largest: u64::MAX >> 1 };
    let tokens: Vec<_> = lex::tokens(text, &WORDS).into_iter().flatten().flatten().collect();
    let declared = |before: Token<'_>, after: Option<Token<'_>>| -> Vec<Span> {
        let windows = tokens.windows(3).filter_map(|window| match window {
            [(_, first, _), (start, Token::Name(_), end), (_, third, _)] => {
                let fits = *first == before && after.is_none_or(|after| *third == after);
                fits.then(|| Span::new(*start, *end))
            }
            _ => None,
        });
        windows.collect()
    };
    let named = declared(Token::Keyword("param"), None);
    if named.is_empty() { declared(Token::Symbol("("), Some(Token::Symbol(":"))) } else { named }
}
