//! A program as one of the language: its term, and the FUN program that it means. That is run.

use super::meaning::{self, Meaning};
use super::rules::Rule;
use super::syntax::{Head, Kind, Program, Term};
use super::types::{self, Wrong};
use super::{parse, print};
use crate::fun::Fun;
use crate::kit::derivation::Recorder;
use crate::kit::fit::{Param, Size, Takes, Type};
use crate::kit::language::{How, Language};
use crate::kit::names::{Names, Var};
use crate::kit::outcome::{Ending, Outcome, Value};
use crate::kit::rules::Roll;
use crate::kit::text::{Rejected, Span};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A term with what it means.
#[derive(Clone, Debug)]
pub struct Meant {
    program: Program,
    /// Of the parameters.
    pub(crate) names: Names,
    params: Vec<Var>,
    places: Vec<Span>,
    meaning: Meaning,
}

impl Meant {
    /// A program that has no text: its nodes stand where they are counted, outer ones first.
    ///
    /// # Errors
    /// It is no term, or what it means is larger or nested more deeply than a FUN program may be.
    pub fn of(program: Program) -> Result<Self, Rejected> {
        types::check(&program).map_err(Wrong::rejected)?;
        let places = (0..program.term.nodes()).map(|nth| Span::nth(nth as u32)).collect();
        Self::placed(program, places)
    }

    /// A program that was made of this one: all of it stands where this one does.
    ///
    /// # Errors
    /// As of [`Meant::of`].
    pub fn made(&self, program: Program) -> Result<Self, Rejected> {
        types::check(&program).map_err(Wrong::rejected)?;
        let whole = self.places.first().copied().unwrap_or_default();
        let places = vec![whole; program.term.nodes()];
        Self::placed(program, places)
    }

    /// The program that a text writes.
    ///
    /// # Errors
    /// As of [`parse::program`] and [`Meant::of`].
    pub fn read(source: &str) -> Result<Self, Rejected> {
        let (program, places) = parse::placed(source)?;
        Self::placed(program, places)
    }

    fn placed(program: Program, places: Vec<Span>) -> Result<Self, Rejected> {
        let meaning = meaning::placed(&program, &places)?;
        let mut names = Names::new();
        let params = program.params.iter().map(|param| names.fresh(param.name.text().to_owned()));
        let params = params.collect();
        Ok(Meant { program, names, params, places, meaning })
    }

    /// The term.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The FUN program that it means.
    pub fn meaning(&self) -> &Meaning {
        &self.meaning
    }

    /// The parameters that a user gives values for.
    pub fn takes(&self) -> Takes<'_> {
        let params = self.program.params.iter().zip(&self.params).map(|(param, var)| {
            let sizes = match &param.kind {
                Kind::Int(Some(k)) => return Param { var: *var, ty: Type::Known(*k) },
                Kind::Int(None) => None,
                Kind::Array(sizes) => Some(sizes.iter().map(|n| Size::Const(*n as i32)).collect()),
            };
            Param::of_ints(*var, sizes)
        });
        let span = self.places.first().copied().unwrap_or_default();
        Takes { names: &self.names, params: params.collect(), span }
    }
}

/// Programs are equal by their terms.
impl PartialEq for Meant {
    fn eq(&self, other: &Self) -> bool {
        self.program == other.program
    }
}

/// What is kept of a program: its text, from which it is read again, and where its nodes stand.
#[derive(Serialize, Deserialize)]
struct Kept {
    text: String,
    nodes: Vec<Node>,
}

#[derive(Serialize, Deserialize)]
struct Node {
    span: Span,
}

impl Serialize for Meant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let nodes = self.places.iter().map(|span| Node { span: *span }).collect();
        Kept { text: print::program(&self.program), nodes }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Meant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Kept { text, nodes } = Kept::deserialize(deserializer)?;
        let program = parse::program(&text).map_err(D::Error::custom)?;
        if nodes.len() != program.term.nodes() {
            return Err(D::Error::custom("the term has another number of nodes"));
        }
        let places = nodes.into_iter().map(|node| node.span).collect();
        Self::placed(program, places).map_err(D::Error::custom)
    }
}

/// The derivation that a program is a term: only such a one is [`Meant`].
pub fn derive(program: &Program, to: &mut Recorder<Rule>) {
    to.enter(Rule::TProgram, || "the program".to_owned());
    derive_term(&program.term, to);
    to.leave(|| "results".to_owned());
}

fn derive_term(term: &Term, to: &mut Recorder<Rule>) {
    let (rule, by) = match &term.head {
        Head::Const(_) => (Rule::TNumber, &[][..]),
        Head::Index(_) => (Rule::TIndex, &[][..]),
        Head::Scalar(_) => (Rule::TName, &[][..]),
        Head::Array(_) => (Rule::TArray, &[][..]),
        Head::Apply => (Rule::TApply, &[Rule::TScalar][..]),
        Head::If => (Rule::TIf, &[Rule::TScalar, Rule::TTensor][..]),
        Head::Get => (Rule::TGet, &[Rule::TScalar][..]),
        Head::Seq => (Rule::TSeq, &[Rule::TScalar, Rule::TBind][..]),
        Head::Build => (Rule::TBuild, &[Rule::TTensor, Rule::TBind][..]),
        Head::Red => (Rule::TRed, &[Rule::TTensor, Rule::TBind][..]),
        Head::Merge => (Rule::TMerge, &[Rule::TTensor][..]),
        Head::Keep => (Rule::TKeep, &[Rule::TTensor][..]),
        Head::Store => (Rule::TStore, &[Rule::TTensor, Rule::TLayout][..]),
        Head::Out => (Rule::TOut, &[Rule::TTensor, Rule::TLayout][..]),
        Head::Results => (Rule::TResults, &[][..]),
        Head::Axis(_)
        | Head::State(_)
        | Head::Size(_)
        | Head::Op(_)
        | Head::Level(_)
        | Head::Place(_)
        | Head::Hole(_) => return,
    };
    to.enter(rule, || one_line(term));
    by.iter().for_each(|rule| to.fire(*rule, 1));
    term.args.iter().for_each(|arg| derive_term(arg, to));
    to.leave(|| {
        let axes: Vec<String> = types::axes(term).iter().map(ToString::to_string).collect();
        match (&term.head, axes.as_slice()) {
            (Head::Array(_) | Head::Store, _) => "array".to_owned(),
            (Head::Out | Head::Results, _) => "results".to_owned(),
            (_, []) => "scalar".to_owned(),
            (_, axes) => format!("tensor over {}", axes.join(", ")),
        }
    });
}

/// A term as a node of a derivation tells it.
fn one_line(term: &Term) -> String {
    print::term(term).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs what the program means. Sizes are numbers, so it gets stuck at an index or a division alone.
///
/// ```text
/// E ⊢ FUN(P) ⇓ (v, …, v)
/// ────────────────────── E-AX-MEANING
/// E ⊢ P ⇓ (v, …, v)
/// ```
pub fn run(program: &Meant, input: &[Value], how: How<'_>, to: &mut Recorder<Rule>) -> Outcome {
    to.enter(Rule::EMeaning, || one_line(&program.program.term));
    let how = How { variant: Fun::VARIANTS[0].name, ..how };
    let mut outcome = Fun::run(&program.meaning, input, how, &mut Recorder::counting());
    match &mut outcome.ending {
        Ending::Value(values) => {
            to.leave(|| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "));
        }
        Ending::Stuck(stuck) => {
            Rule::EMeaning.info().name.clone_into(&mut stuck.rule);
            to.fail(Rule::EMeaning, stuck.site.cause.name());
        }
        Ending::Unknown(_) | Ending::Broken(_) => {}
    }
    outcome
}
