//! The languages that a file can be written in, and what every one of them offers: to be read,
//! printed, and checked by its type rules.

use crate::engine::Artifact;
use crate::rolls::Rolls;
use reference::kit::lex::{self, Lexicon, Token};
use reference::kit::names::Names;
use reference::kit::outcome::Value;
use reference::kit::text::{Rejected, Span};
use reference::{device, fun, funmem, imp};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// A language.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Lang {
    /// FUN, `.fun`
    Fun,
    /// FUNMEM, `.funmem`
    #[value(name = "funmem")]
    FunMem,
    /// IMP, `.imp`
    Imp,
    /// The device language, `.dev`
    Device,
}

impl Lang {
    /// Every language, in the order of the compilation.
    pub const ALL: [Lang; 4] = [Lang::Fun, Lang::FunMem, Lang::Imp, Lang::Device];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Lang::Fun => "fun",
            Lang::FunMem => "funmem",
            Lang::Imp => "imp",
            Lang::Device => "device",
        }
    }

    /// The extension of its files, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Lang::Device => "dev",
            _ => self.name(),
        }
    }

    /// The language of a file, by its extension.
    pub fn of(path: &Path) -> Option<Lang> {
        let extension = path.extension()?.to_str()?;
        Lang::ALL.into_iter().find(|lang| lang.extension() == extension)
    }

    /// Reads a program.
    ///
    /// # Errors
    /// What is wrong with the syntax or the names, and where.
    pub fn parse(self, source: &str) -> Result<Artifact, Rejected> {
        Ok(match self {
            Lang::Fun => Artifact::Fun(fun::parse::program(source)?),
            Lang::FunMem => Artifact::FunMem(funmem::parse::program(source)?),
            Lang::Imp => Artifact::Imp(imp::parse::program(source)?),
            Lang::Device => Artifact::Device(device::parse::program(source)?),
        })
    }
}

impl fmt::Display for Lang {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The core of a program, as its language's parser reads it back.
pub fn print(program: &Artifact) -> String {
    match program {
        Artifact::Fun(program) => fun::print::program(program),
        Artifact::FunMem(program) => funmem::print::program(program),
        Artifact::Imp(program) => imp::print::program(program),
        Artifact::Device(program) => device::print::program(program),
    }
}

/// Holds a program against the type rules of its language (the device language: its validator).
///
/// # Errors
/// The rule and premise that fail, and where.
pub fn types(program: &Artifact, rolls: &mut Rolls) -> Result<(), Rejected> {
    match program {
        Artifact::Fun(program) => fun::types::check(program, &mut rolls.fun),
        Artifact::FunMem(program) => funmem::types::check(program, &mut rolls.funmem),
        Artifact::Imp(program) => imp::types::check(program, &mut rolls.imp),
        Artifact::Device(program) => device::validate::check(program, &mut rolls.device),
    }
}

/// Reads a program and holds it against its type rules; the rolls count as well what the parser
/// refuses by a rule, because a name that is not in scope has no slot to check a program with.
///
/// # Errors
/// What is wrong with the syntax or the names, or the rule and premise that fail.
pub fn read(lang: Lang, source: &str, rolls: &mut Rolls) -> Result<Artifact, Rejected> {
    let program = lang.parse(source).inspect_err(|error| match lang {
        Lang::Fun => rolls.fun.rejected(error),
        Lang::FunMem => rolls.funmem.rejected(error),
        Lang::Imp => rolls.imp.rejected(error),
        Lang::Device => rolls.device.rejected(error),
    })?;
    types(&program, rolls)?;
    Ok(program)
}

/// The input as the program takes it, with the extents of empty arrays filled in.
///
/// # Errors
/// What does not fit the parameters.
pub fn fit(program: &Artifact, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
    match program {
        Artifact::Fun(program) => fun::eval::fit(program, input),
        Artifact::FunMem(program) => funmem::eval::fit(program, input),
        Artifact::Imp(program) => imp::eval::fit(program, input),
        Artifact::Device(program) => device::host::fit(program, input),
    }
}

/// The names of the parameters as they stand in the text of a program that was read, in order: those
/// behind a bracket, or of a device program behind `param`, and before a colon.
pub fn parameters_in(text: &str, lang: Lang) -> Vec<Span> {
    const WORDS: Lexicon =
        Lexicon { keywords: &["param"], opens: &[], closes: &[], largest: u64::MAX >> 1 };
    let before = match lang {
        Lang::Device => Token::Keyword("param"),
        Lang::Fun | Lang::FunMem | Lang::Imp => Token::Symbol("("),
    };
    let tokens: Vec<_> = lex::tokens(text, &WORDS).into_iter().flatten().flatten().collect();
    let declared = tokens.windows(3).filter_map(|window| match window {
        [(_, first, _), (start, Token::Name(_), end), (_, Token::Symbol(":"), _)] => {
            (*first == before).then(|| Span::new(*start, *end))
        }
        _ => None,
    });
    declared.collect()
}

/// The names of the parameters.
pub fn parameters(program: &Artifact) -> Vec<String> {
    let text = |names: &Names, var| names.text(var).to_owned();
    match program {
        Artifact::Fun(it) => it.params.iter().map(|p| text(&it.names, p.var)).collect(),
        Artifact::FunMem(it) => it.params.iter().map(|p| text(&it.names, p.var)).collect(),
        Artifact::Imp(it) => it.params.iter().map(|p| text(&it.names, p.var)).collect(),
        Artifact::Device(it) => it.params.iter().map(|p| text(&it.names, p.var)).collect(),
    }
}

/// The parameters and outermost bindings with their types, as the printer writes them.
pub fn bindings(program: &Artifact) -> Vec<String> {
    let params = print(program);
    let params = params.lines().filter(|line| line.starts_with("param")).map(str::to_owned);
    // `let (x : τ) = e` without the expression.
    let head = |text: String| {
        let end = text.find(" =").unwrap_or(text.len());
        text[..end].trim_start_matches("let ").to_owned()
    };
    let bound: Vec<String> = match program {
        Artifact::Fun(program) => {
            let stms = program.body.stms.iter();
            stms.map(|stm| head(fun::print::statement(&program.names, stm))).collect()
        }
        Artifact::FunMem(program) => {
            let stms = program.body.stms.iter();
            stms.map(|stm| head(funmem::print::statement(&program.names, stm))).collect()
        }
        Artifact::Imp(_) | Artifact::Device(_) => Vec::new(),
    };
    params.chain(bound).collect()
}
