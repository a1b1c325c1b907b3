//! Rewriting a program that was read: for `optimize`, and for commands that take `--optimize`.

use super::input::Source;
use super::out::Out;
use super::problem::Problem;
use super::sizes;
use crate::campaign::values;
use crate::optimize::certificate::{Certificate, Refused};
use crate::optimize::replay::Replay;
use crate::optimize::subject::Subject;
use crate::optimize::{No, Optimized, Request, optimize};
use crate::stages::{Plan, last_of, leads};
use compiler::rewrite::sketch::Astray;
use reference::fun::syntax::Fun;
use reference::kit::outcome::{Budget, Value};
use reference::languages::place;
use reference::languages::{Artifact, Listed};
use std::time::{Duration, Instant};

/// Searches for a cheaper program, and says at its place why nothing can be. `called` is what the program is
/// called where there is no place.
pub(super) fn found(
    source: &Source,
    called: &str,
    input: &[Value],
    request: &Request,
) -> Result<Optimized, Problem> {
    let Some(program) = Subject::of(&source.program, source.settings()) else {
        let (name, lang) = (source.name(), source.program.lang());
        let no = Problem::new(format!(
            "{name} is written in {lang}: programs of fun, fcl and lambda_g and terms of axes are optimized"
        ));
        return Err(match leads(lang, Fun::LANG) {
            true => no.help(format!(
                "`lockstep compile {name} --stage {}` prints one that does the same",
                last_of(Fun::LANG, lang)
            )),
            false => no,
        });
    };
    optimize(&program, input, request).map_err(|no| match no {
        No::StaysOut(why, others) => {
            let problem = Problem::rejected(*why, &source.name(), &source.text);
            let others = others
                .iter()
                .skip(1)
                .map(|out| format!("{}: {}", place(&source.text, out.span.start), out.reason));
            match others.collect::<Vec<_>>() {
                others if others.is_empty() => problem,
                others => problem.help(format!("nor can what stands at {}", others.join(", "))),
            }
        }
        No::Unpriced(why) => Problem::new(format!("{called}: {why}")),
        No::Astray(Astray::Wrong(sketch, wrong)) => {
            Problem::rejected(*wrong, "--sketch", sketch.text())
        }
        No::Astray(why) => Problem::new(format!("{called}: {why}")),
    })
}

/// Which plan is looked for.
pub(super) struct Wanted<'a> {
    /// The sizes that are said.
    pub(super) size: &'a [(String, i32)],
    /// The input, if it is given.
    pub(super) given: Option<&'a [Value]>,
    /// Is it one of several inputs? Then messages name it.
    pub(super) several: bool,
    /// What a run may use.
    pub(super) budget: Budget,
    /// How what stays as it is is compiled.
    pub(super) compile: Plan,
}

/// The program with the plans that cost least for these sizes, and how long that took; `None` if nothing
/// costs less.
pub(super) fn plan(
    source: &Source,
    wanted: Wanted<'_>,
    out: &mut Out,
) -> Result<Option<(Artifact, Duration)>, Problem> {
    let Wanted { size, given, several, budget, compile } = wanted;
    let start = Instant::now();
    let input = sizes::input(size, source, given)?;
    let case = source.case(input, budget)?;
    let called = match several {
        true => format!("{} on input {}", source.name(), values(&case.input)),
        false => source.name(),
    };
    let source = source.clone().meant();
    let request = Request { budget, compile, shorten: Duration::ZERO, ..Request::default() };
    let found = found(&source, &called, &case.input, &request)?;
    if found.segments.iter().any(|segment| !segment.wrong.is_empty()) || found.wrong.is_some() {
        let why = "a plan gives other results than the program: a law is wrong";
        return Err(Problem::new(format!("{called}: {why}")).help("`lockstep optimize` shows it"));
    }
    if let Err(refused) = certificates(&found, &source, &case.input, &request, 0)? {
        let no = Problem::new(format!("{called}: {}", refused.text()));
        return Err(no.help("`lockstep optimize` shows the plan"));
    }
    let sizes = found.sizes.iter().map(|(name, size)| format!("{name} = {size}"));
    let sizes = sizes.collect::<Vec<_>>().join(", ");
    match found.best {
        Some(best) => {
            if Fun::of(&source.program).is_none() {
                out.message(&format!("{called}: the plan is for {sizes} alone: it tests no sizes"));
            }
            Ok(Some((best.program, start.elapsed())))
        }
        None => {
            let why = "nothing that costs less was found, so it stays as it is";
            out.message(&format!("{called}: {why}"));
            Ok(None)
        }
    }
}

/// The certificates of the plans that are used, which were replayed.
pub(super) struct Certificates {
    /// One for each segment whose plan is used.
    pub(super) of_segments: Vec<Option<Certificate>>,
    /// Why not all of their terms were run.
    pub(super) not_run: Option<String>,
}

/// Writes the certificates of what was found, and replays them on arrays that are drawn from a seed; or says which is
/// refused.
///
/// # Errors
/// A plan has no certificate.
pub(super) fn certificates(
    found: &Optimized,
    source: &Source,
    input: &[Value],
    request: &Request,
    seed: u64,
) -> Result<Result<Certificates, Refused>, Problem> {
    let mut all = Certificates { of_segments: Vec::new(), not_run: None };
    let text = source.of_language();
    let unknown = || Problem::new(format!("{} is not rewritten", source.name()));
    let program = Subject::of(&source.program, source.settings()).ok_or_else(unknown)?;
    for segment in &found.segments {
        if !found.is_used(segment, request.mode) {
            all.of_segments.push(None);
            continue;
        }
        let chain = segment.chain.as_ref();
        let chain = chain.map_err(|why| Problem::new(format!("no certificate: {why}")))?;
        let certificate = Certificate::of(&segment.region.term, chain).from(
            &program,
            &text,
            &found.sizes,
            &segment.region,
        );
        let known = segment
            .best(request.mode)
            .map(|best| [&segment.original, &best.cost].map(|cost| cost.times.of(request.mode)));
        let certificate = certificate.priced(input, request, known).map_err(Problem::new)?;
        let by = Replay { budget: request.budget, seed, time: request.limits.time };
        match certificate.replay(&by) {
            Ok(replayed) => all.not_run = all.not_run.or(replayed.not_run),
            Err(refused) => return Ok(Err(refused)),
        }
        all.of_segments.push(Some(certificate));
    }
    Ok(Ok(all))
}
