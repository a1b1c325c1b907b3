//! The parts of a program that enter, and the program with plans in their place.

use super::No;
use crate::pricing::no_results;
use crate::rolls::Rolls;
use crate::stages::{self, Plan, Stages};
use compiler::rewrite::import::{self, Segment, StaysOut};
use compiler::rewrite::whole::{Piece, cut, whole};
use reference::axes::syntax::Program;
use reference::fun::eval;
use reference::fun::syntax::{self as fun, Fun};
use reference::imp::syntax::Program as Plans;
use reference::imp::{self, Imp};
use reference::kit::derivation::Recorder;
use reference::kit::names::Var;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::kit::text::Span;
use reference::languages::{Artifact, Listed};
use std::ops::Range;

/// A run of outermost statements as a term.
pub struct Region {
    /// Which statements, from 0.
    pub statements: Range<usize>,
    /// Where they stand.
    pub span: Span,
    /// The term.
    pub term: Program,
    /// What its parameters are in the program.
    inputs: Vec<Var>,
    /// What its results are.
    outputs: Vec<Option<Var>>,
}

/// The values that a region is run on.
pub struct Values {
    /// Of the parameters of its term.
    pub of_term: Vec<Value>,
    /// Of the parameters of its statements as a program.
    pub of_part: Vec<Value>,
}

/// What enters of a program: all of it, or some runs of its statements; and what does not.
///
/// # Errors
/// Nothing enters.
pub fn regions(
    program: &fun::Program<Fun>,
    sizes: &[(String, i32)],
) -> Result<(Vec<Region>, Vec<StaysOut>), No> {
    let whole = match import::import(program, sizes) {
        Ok(term) => {
            let inputs = program.params.iter().map(|param| param.var).collect();
            let outputs = program.body.results.iter().map(|result| result.var()).collect();
            let statements = 0..program.body.stms.len();
            let span = span(program, &statements);
            return Ok((vec![Region { statements, span, term, inputs, outputs }], Vec::new()));
        }
        Err(no) => no,
    };
    let parts = import::segments(program, sizes)
        .map_err(|no| No::StaysOut(Box::new(no.into()), Vec::new()))?;
    let mut found = Vec::new();
    let mut outside = Vec::new();
    for Segment { statements, inputs, outputs, content } in parts {
        match content {
            Ok(term) if !outputs.is_empty() => {
                let span = span(program, &statements);
                let outputs = outputs.into_iter().map(Some).collect();
                found.push(Region { statements, span, term, inputs, outputs });
            }
            Ok(_) => {}
            Err(no) => outside.push(no),
        }
    }
    match found.is_empty() {
        true => Err(No::StaysOut(Box::new(whole.into()), outside)),
        false => Ok((found, outside)),
    }
}

/// Where statements stand.
fn span(program: &fun::Program<Fun>, statements: &Range<usize>) -> Span {
    let stms = &program.body.stms[statements.clone()];
    match (stms.first(), stms.last()) {
        (Some(first), Some(last)) => first.span.to(last.span),
        _ => program.body.span,
    }
}

impl Region {
    /// A program that enters as a whole.
    pub(super) fn whole(span: Span, term: Program) -> Self {
        Region { statements: 0..1, span, term, inputs: Vec::new(), outputs: Vec::new() }
    }

    /// Is it all of the program?
    pub fn is_whole(&self, program: &fun::Program<Fun>) -> bool {
        self.statements == (0..program.body.stms.len())
    }

    /// Its statements as a program, compiled to IMP.
    pub(super) fn compiled(
        &self,
        program: &fun::Program<Fun>,
        compile: &Plan,
    ) -> Result<Artifact, String> {
        let part = cut::part(program, self.statements.clone());
        Ok(Imp::artifact(compiled(&part.program, compile)?))
    }

    /// What it is run on when the program is run on this input.
    pub fn values(
        &self,
        program: &fun::Program<Fun>,
        input: &[Value],
        budget: &Budget,
    ) -> Result<Values, String> {
        let before = |vars: &[Var]| {
            let before = cut::until(program, self.statements.start, vars);
            let run = eval::run(&before, input, budget, &mut Recorder::counting());
            match run.ending {
                Ending::Value(values) => Ok(values),
                ended => Err(no_results(&ended)),
            }
        };
        let part = cut::part(program, self.statements.clone());
        Ok(Values { of_term: before(&self.inputs)?, of_part: before(&part.inputs)? })
    }
}

/// A FUN program as it is compiled to IMP.
fn compiled(program: &fun::Program<Fun>, compile: &Plan) -> Result<Plans, String> {
    let source = Fun::artifact(program.clone());
    source
        .check(&mut Rolls::default())
        .map_err(|no| format!("a part of the program is none: {}", no.message))?;
    let last = stages::last_of(Imp::LANG, source.lang());
    let stages = Stages::up_to(&source, *compile, last);
    let stage = stages.last(Imp::LANG).map(|at| &stages.list[at].artifact);
    stage
        .and_then(|artifact| Imp::of(artifact).cloned())
        .ok_or_else(|| "the program is not compiled to IMP".to_owned())
}

/// The program as it is compiled without rewriting.
pub struct Original {
    imp: Plans,
}

impl Original {
    /// Compiles it.
    ///
    /// # Errors
    /// It is not compiled to IMP.
    pub fn new(program: &fun::Program<Fun>, compile: &Plan) -> Result<Self, String> {
        Ok(Original { imp: compiled(program, compile)? })
    }

    /// It alone.
    pub fn program(&self) -> Artifact {
        Imp::artifact(self.imp.clone())
    }

    /// The program with plans for some of its regions, in their order.
    pub fn with(
        &self,
        program: &fun::Program<Fun>,
        chosen: &[(&Region, &Plans)],
        sizes: &[(String, i32)],
        compile: &Plan,
    ) -> Result<Plans, String> {
        let mut pieces = Vec::new();
        let mut at = 0;
        let end = program.body.stms.len();
        for (region, plan) in chosen {
            pieces.extend(rest(program, at..region.statements.start, compile)?);
            pieces.push(Piece {
                program: (*plan).clone(),
                inputs: region.inputs.clone(),
                outputs: region.outputs.clone(),
                span: Some(region.span),
                alive: cut::alive(program, region.statements.end),
            });
            at = region.statements.end;
        }
        pieces.extend(rest(program, at..end, compile)?);
        whole(program, &pieces, &self.imp, sizes)
    }
}

/// Statements that stay as they are.
fn rest(
    program: &fun::Program<Fun>,
    statements: Range<usize>,
    compile: &Plan,
) -> Result<Option<Piece>, String> {
    if statements.is_empty() {
        return Ok(None);
    }
    let part = cut::part(program, statements.clone());
    Ok(Some(Piece {
        program: compiled(&part.program, compile)?,
        inputs: part.inputs,
        outputs: part.outputs,
        span: None,
        alive: cut::alive(program, statements.end),
    }))
}

/// The program as its text is read, so that each statement has a place of its own: a price tells
/// statements apart by their places.
pub fn read_again(program: &Plans) -> Result<Artifact, String> {
    let text = imp::print::program(program);
    let read = imp::parse::program(&text).map_err(|no| format!("{}: {text}", no.message))?;
    Ok(Imp::artifact(read))
}
