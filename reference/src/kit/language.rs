//! What every language offers. A room ends with its `impl Language`, and one line in the table of
//! [`languages!`](crate::languages) brings the language to the tester and the command line.

use super::derivation::Recorder;
use super::faults::Planted;
use super::fit::Takes;
use super::memory::Memory;
use super::outcome::{Budget, Outcome, Value};
use super::regular::{Irregular, Loops};
use super::rules::Roll;
use super::text::{Rejected, Span};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::{self, Debug};

/// A language with an executable semantics.
pub trait Language: Sized + 'static {
    /// Its name: of its folders, on the command line, and of its roll.
    const NAME: &'static str;
    /// The extension of its files, without the dot.
    const EXTENSION: &'static str = Self::NAME;
    /// The ways to run a program. The first is the semantics; others are held against it.
    const VARIANTS: &'static [Variant];
    /// The engines of those variants that run a translation of the program, which [`Language::translation`] prints.
    const TRANSLATIONS: &'static [&'static str] = &[];
    /// The rule at which threads are seen to race, of a roll that names no premise
    /// [`RACEFREE`](super::derivation::RACEFREE).
    const RACES_AT: &'static str = "";
    /// Do runs access memory, and [tell](super::tap) of it? A program of a language that has none is priced by what it
    /// becomes.
    const HAS_MEMORY: bool = true;
    /// Do the rules of the semantics make the cost graph of a run? Then a program is priced by that.
    const MAKES_GRAPHS: bool = false;
    /// What a user may choose about the semantics.
    const OPTIONS: &'static [Choice] = &[];
    /// The operations that [`Language::count`] knows, in the words of the printer.
    const OPERATIONS: &'static [&'static str] = &[];
    /// The text of the definitions that its programs may use without writing them.
    const LIBRARY: Option<Library> = None;
    /// Does [`Language::judge`] say whether the memory of a program is valid?
    const JUDGES_MEMORY: bool = false;
    /// A program. Its statements keep their places in the text in fields called `span`: by that name campaigns find
    /// places in the serialized program.
    type Program: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync;
    /// The rules.
    type Rule: Roll;

    /// Reads a program.
    ///
    /// # Errors
    /// What is wrong with the syntax or the names, and where.
    fn parse(text: &str) -> Result<Self::Program, Rejected>;

    /// The program as [`Language::parse`] reads it back.
    fn print(program: &Self::Program) -> String;

    /// The text of what the variant of one of [`Language::TRANSLATIONS`] runs, of a program that is well typed.
    fn translation(program: &Self::Program, _variant: &str) -> String {
        Self::print(program)
    }

    /// The program under options that decide whether it is well typed, or what it takes. The others a run is
    /// told.
    fn under(program: Self::Program, _: &Settings) -> Self::Program {
        program
    }

    /// The options that [`Language::under`] gave the program.
    fn options_of(_: &Self::Program) -> Settings {
        Settings::default()
    }

    /// Is there a rule of this name, by which programs are refused or get stuck?
    fn has_rule(name: &str) -> bool {
        Self::Rule::ALL.iter().any(|rule| rule.info().name == name)
    }

    /// Holds a program against the type rules.
    ///
    /// # Errors
    /// The rule and premise that fail, and where.
    fn check(program: &Self::Program, to: &mut Recorder<Self::Rule>) -> Result<(), Rejected>;

    /// Is there something of it that runs? A program may be functions alone, which have types and no run; if its options
    /// name what is launched, that is asked of a run.
    fn has_entry(_: &Self::Program) -> bool {
        true
    }

    /// The names of the parameters, in order.
    fn parameters(program: &Self::Program) -> Vec<String>;

    /// The parameters that a user gives values for.
    fn takes(program: &Self::Program) -> Takes<'_>;

    /// The input as the parameters take it, with the extents of empty arrays filled in.
    ///
    /// # Errors
    /// What does not fit the parameters.
    fn fit(program: &Self::Program, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
        Self::takes(program).fit(input)
    }

    /// Runs a well-typed program on an input that fits.
    fn run(
        program: &Self::Program,
        input: &[Value],
        how: How<'_>,
        to: &mut Recorder<Self::Rule>,
    ) -> Outcome;

    /// Runs the program by its semantics and, where [`Language::JUDGES_MEMORY`], says whether its memory changes
    /// what it computes.
    fn judge(
        program: &Self::Program,
        input: &[Value],
        how: How<'_>,
        to: &mut Recorder<Self::Rule>,
    ) -> Judged {
        Judged { outcome: Self::run(program, input, how, to), validity: None }
    }

    /// May what the program computes depend on the order of its threads though none race? Where this is
    /// false, one order stands for all; where it is true, the program is run in several before anybody is
    /// blamed. In a language without atomics it is false: each thread then reads what no other one
    /// wrote meanwhile.
    fn is_open_to_order(_: &Self::Program) -> bool {
        false
    }

    /// Of which loops rounds may be left out, and of which launches threads, if only accesses and their number are wanted.
    ///
    /// # Errors
    /// Why a part of a run does not tell what all of it accesses.
    fn regular(_: &Self::Program) -> Result<Loops, Irregular> {
        let why = "it is not known what the accesses of its programs depend on";
        Err(Irregular { site: Span::default(), why })
    }

    /// What is to be said of the number of a thread, where programs of the language count their threads
    /// otherwise than from 1.
    fn about_thread(_: &[i32]) -> Option<String> {
        None
    }

    /// Where the text of a program uses the definition of its library that a place lies in, itself or by others of
    /// the library.
    fn uses(_: &Self::Program, _: Span) -> Vec<Span> {
        Vec::new()
    }

    /// The outermost bindings with their types, as `lockstep check` lists them.
    fn bindings(_: &Self::Program) -> Vec<String> {
        Vec::new()
    }

    /// How often an operation out of [`Language::OPERATIONS`] occurs.
    fn count(_: &Self::Program, _: &Operation<'_>) -> u64 {
        0
    }
}

/// A text of a language, whose definitions become those of the programs that use them.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// What it is called.
    pub name: &'static str,
    /// The text.
    pub text: &'static str,
    /// Where its places begin, behind the end of every program.
    pub start: u32,
}

/// A way to run the programs of a language: its semantics, another judgement, or another order of
/// threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// Its name. The engine is called `LANGUAGE:NAME`, or `LANGUAGE` where this is empty.
    pub name: &'static str,
    /// What it is, for `lockstep engines`.
    pub about: &'static str,
}

/// How a program is run.
pub struct How<'a> {
    /// The name of the variant.
    pub variant: &'static str,
    /// Seeds the orders of threads that a variant draws.
    pub schedule: u64,
    /// What the run may use.
    pub budget: &'a Budget,
    /// The values of the language's options.
    pub settings: &'a Settings,
    /// The fault that the semantics carry, if any.
    pub planted: Planted,
    /// The memory of earlier runs, used again.
    pub memory: &'a mut Memory,
}

/// A run, and whether the memory of the program is right.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The run.
    pub outcome: Outcome,
    /// Why the memory is invalid, if it is: it changes what the program computes (def. 3.1), or an array is overwritten
    /// that is still read. `None` for a language without this notion.
    pub validity: Option<Result<(), Invalid>>,
}

/// Why the memory of a program is not valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// One sentence.
    pub text: String,
    /// What of validity does not hold.
    pub help: &'static str,
    /// The statement that overwrote what was alive, if that is why.
    pub span: Option<Span>,
}

/// An option of a language: a key of corpus headers, and `--set NAME=VALUE` on the command line.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Its name: small letters and `_`.
    pub name: &'static str,
    /// The values.
    pub values: Values,
    /// The value that holds where none is set.
    pub default: &'static str,
}

/// The values that an option may have.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One of these.
    OneOf(&'static [&'static str]),
    /// Any text that is admitted. A value has one text only.
    Form {
        /// What it is, with an example, as in "it is …".
        form: &'static str,
        /// Is the text a value?
        admits: fn(&str) -> bool,
    },
}

impl Values {
    /// The values, where they can be listed.
    pub fn listed(self) -> &'static [&'static str] {
        match self {
            Values::OneOf(values) => values,
            Values::Form { .. } => &[],
        }
    }

    /// Is it one of them?
    pub(super) fn admit(self, value: &str) -> bool {
        match self {
            Values::OneOf(values) => values.contains(&value),
            Values::Form { admits, .. } => admits(value),
        }
    }
}

/// The options that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// The value of an option.
    pub fn get(&self, option: &Choice) -> &str {
        self.0.get(option.name).map_or(option.default, String::as_str)
    }

    /// Sets one of the options of a language.
    ///
    /// # Errors
    /// Which options or values there are, if this is none of them.
    pub fn set(&mut self, options: &[Choice], name: &str, value: &str) -> Result<(), String> {
        let Some(option) = options.iter().find(|option| option.name == name) else {
            let names: Vec<_> = options.iter().map(|option| option.name).collect();
            return Err(match names[..] {
                [] => format!("there is no option `{name}`: the language has none"),
                _ => format!("there is no option `{name}`; there are {}", names.join(", ")),
            });
        };
        if !option.values.admit(value) {
            let there = match option.values {
                Values::OneOf(values) => format!("its values are {}", values.join(", ")),
                Values::Form { form, .. } => format!("it is {form}"),
            };
            return Err(format!("`{name}` cannot be `{value}`; {there}"));
        }
        self.0.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    /// Sets what is set of the others.
    pub fn put(&mut self, others: &Settings) {
        let others = others.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
        self.0.extend(others);
    }

    /// Name and value of each option that is set.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

/// An operation to be counted: `alloc`, or `alloc in kernel` for those inside of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation<'a> {
    /// The operation, in the words of the printer.
    pub name: &'a str,
    /// What it has to stand in.
    pub inside: Option<Inside>,
}

/// What a counted operation stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// A kernel.
    Kernel,
    /// A loop.
    Loop,
}

/// What stands around a statement whose operations are counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Around {
    /// It is in a kernel.
    pub(crate) kernel: bool,
    /// It is in a loop.
    pub(crate) repeat: bool,
}

impl Operation<'_> {
    /// Is a statement of this name, with this around it, to be counted?
    pub(crate) fn counts(&self, name: &str, around: Around) -> u64 {
        let inside = match self.inside {
            None => true,
            Some(Inside::Kernel) => around.kernel,
            Some(Inside::Loop) => around.repeat,
        };
        u64::from(inside && name == self.name)
    }

    /// Reads an operation of a language: one of its words, perhaps with `in kernel` or `in loop`.
    ///
    /// # Errors
    /// The language has no such operation, and which it has.
    pub fn of<'a>(text: &'a str, language: &str, words: &[&str]) -> Result<Operation<'a>, String> {
        let (name, inside) = match text.split_once(" in ") {
            None => (text, None),
            Some((name, "kernel")) => (name, Some(Inside::Kernel)),
            Some((name, "loop")) => (name, Some(Inside::Loop)),
            Some(_) => return Err(format!("`{text}`: in kernel, or in loop")),
        };
        if !words.contains(&name) {
            let words = words.join(", ");
            return Err(format!("{language} has no operation `{name}`; it has {words}"));
        }
        Ok(Operation { name, inside })
    }
}

impl fmt::Display for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set: Vec<String> = self.iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(&set.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::{Choice, Settings, Values};

    #[test]
    fn an_unknown_setting_says_which_there_are() {
        let values = Values::OneOf(&["one", "two"]);
        let options = [Choice { name: "arena", values, default: "one" }];
        let mut settings = Settings::default();
        assert_eq!(settings.set(&options, "arena", "two"), Ok(()));
        assert_eq!((settings.get(&options[0]), settings.to_string()), ("two", "arena=two".into()));
        let error = settings.set(&options, "arenas", "two").unwrap_err();
        assert_eq!(error, "there is no option `arenas`; there are arena");
        let error = settings.set(&options, "arena", "three").unwrap_err();
        assert_eq!(error, "`arena` cannot be `three`; its values are one, two");
        // The default can be set too: it takes the place of a value that was drawn.
        let mut drawn = settings.clone();
        assert_eq!(settings.set(&options, "arena", "one"), Ok(()));
        drawn.put(&settings);
        assert_eq!((drawn.get(&options[0]), drawn.to_string()), ("one", "arena=one".into()));
    }
}
