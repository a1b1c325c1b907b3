//! What is told of a program of λG that was rewritten to another one of λG.

use super::{Args, Told};
use crate::check::{Depth, Verdict};
use crate::cli::cost::things;
use crate::cli::out::Out;
use crate::cli::problem::Problem;
use crate::cli::{Answer, Status};
use crate::engine::Case;
use crate::optimize::lambda_g::certificate::Certificate;
use crate::optimize::lambda_g::said::{self, Said};
use crate::optimize::lambda_g::{Found, Link, Request, search};
use crate::optimize::replay::Replay;
use crate::optimize::said::Unsaid;
use crate::optimize::subject::Subject;
use reference::cost::{Machine, Mode};
use reference::kit::outcome::{Budget, Ending};
use reference::kit::text::{Span, place};
use reference::lambda_g::LambdaG;
use reference::lambda_g::print;
use reference::lambda_g::syntax::Program;
use reference::languages::Listed;
use serde::Serialize;

/// What came of the laws from λG to λG.
pub(super) struct Rewritten {
    found: Found,
    /// The steps to the cheaper program, if there is one; it was replayed.
    certificate: Option<Certificate>,
    /// Why not all of its programs were run.
    not_run: Option<String>,
    /// The engines that gave the results of the original.
    same_on: Vec<String>,
}

/// What `--json` tells of it.
#[derive(Serialize)]
pub(super) struct Line {
    before: u64,
    after: Option<u64>,
    program: Option<String>,
    certificate: Option<Certificate>,
    priced: usize,
    stop: &'static str,
    not_run: Option<String>,
    same_on: Vec<String>,
}

/// A program of which no term was searched.
#[derive(Serialize)]
struct Alone {
    file: String,
    mode: Mode,
    lambda_g: Line,
    /// Why it is no term that is searched.
    no_term: String,
}

/// A plan as a program of λG, or why λG cannot say it.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Plan {
    Said {
        program: String,
        /// By its cost graph, if that is known.
        time: Option<u64>,
        /// Did it give the results of the original? Not if a run did not end within the budget.
        compared: bool,
    },
    Beyond {
        why: String,
    },
}

impl Plan {
    pub(super) fn of(plan: &Result<Said, Unsaid>) -> Self {
        match plan {
            Ok(said) => Plan::Said {
                program: print::program(&said.program),
                time: said.time.clone().ok(),
                compared: said.compared,
            },
            Err(Unsaid::Beyond(why) | Unsaid::Wrong(why)) => Plan::Beyond { why: why.clone() },
        }
    }
}

/// What is asked for by the command.
pub(super) fn request(args: &Args, machine: Machine) -> Request {
    Request {
        mode: args.mode,
        machine,
        programs: args.most_programs as usize,
        time: args.seconds,
        budget: Budget { fuel: args.fuel, ..Budget::default() },
        ..Request::default()
    }
}

/// Plans that are said in λG, the cheapest as they are compiled first.
const PLANS: usize = 4;

impl Told<'_> {
    /// The plan of a program of λG as a program of λG, of the first few the one that costs least by its cost graph; nothing for
    /// other languages, and where nothing is cheaper.
    pub(super) fn plan_in_lambda_g(&self, case: &Case) -> Option<Result<Said, Unsaid>> {
        let Subject::LambdaG(program) = &self.program else { return None };
        let segment = self.used().next()?;
        let machine = self.machine().ok()?;
        let request = request(self.args, machine);
        let plans = segment.front.iter().take(if segment.asked_for { 1 } else { PLANS });
        let mut all: Vec<_> =
            plans.map(|plan| said::said(&plan.program, program, &case.input, &request)).collect();
        if let Some(at) = all.iter().position(|said| matches!(said, Err(Unsaid::Wrong(_)))) {
            return Some(all.swap_remove(at));
        }
        let cost = |said: &Result<Said, Unsaid>| match said {
            Ok(Said { time: Ok(time), .. }) => *time,
            Ok(_) => u64::MAX - 1,
            Err(_) => u64::MAX,
        };
        all.into_iter().min_by_key(cost)
    }

    fn machine(&self) -> Result<Machine, Problem> {
        crate::cli::cost::machine(self.args.machine.as_deref(), None)
    }

    /// Prints the program of λG that costs least, and nothing else.
    pub(super) fn emit_lambda_g(
        &self,
        plan: Option<&Result<Said, Unsaid>>,
        out: &mut Out,
    ) -> Answer {
        let name = &self.name;
        let said = plan.and_then(|plan| plan.as_ref().ok());
        match (&self.in_lambda_g, said) {
            (Some(rewritten), said) => rewritten.emit(name, said, out),
            (None, Some(said)) => {
                out.text(&print::program(&said.program));
                Ok(Status::Clean)
            }
            (None, None) => {
                let why = match plan {
                    Some(Err(Unsaid::Beyond(why) | Unsaid::Wrong(why))) => why.clone(),
                    _ if matches!(self.program, Subject::LambdaG(_)) => {
                        "it has no price".to_owned()
                    }
                    _ => "it is no program of λG".to_owned(),
                };
                let no = Problem::new(format!(
                    "{name}: there is no program of λG that does the same: {why}"
                ));
                Err(no.help("--emit axes prints the term of the plan"))
            }
        }
    }
}

/// Tells the plan as a program of λG, or why it cannot be said.
pub(super) fn tell_plan(plan: &Result<Said, Unsaid>, mode: Mode, out: &mut Out) {
    match plan {
        Ok(Said { program, time, compared }) => {
            let mode = mode.name();
            let cost = match time {
                Ok(time) => format!("it costs {time} by {mode}"),
                Err(why) => format!("what it costs is not known ({why})"),
            };
            let same = match compared {
                true => "it gives the same results",
                false => "it was not compared with the original, whose run is too long",
            };
            out.line(format!("\na plan as a program of λG; {cost}, and {same}:"));
            out.text(&print::program(program));
        }
        Err(Unsaid::Beyond(why) | Unsaid::Wrong(why)) => {
            out.line(format!("\nλG cannot say the plan: {why}"));
        }
    }
}

/// Searches; `Err` says what is wrong, which is a bug of a law or of a pass.
pub(super) fn rewritten(
    args: &Args,
    program: &Program,
    case: &Case,
    request: &Request,
) -> Result<Result<Result<Rewritten, String>, String>, Problem> {
    let found = match search(program, &case.input, request) {
        Ok(found) => found,
        // It has no price.
        Err(why) => return Ok(Ok(Err(why))),
    };
    if let Some((chain, why)) = &found.wrong {
        let last = chain.last().map(|link| (link.law.name, print::program(&link.program)));
        let (law, text) = last.unwrap_or_default();
        return Ok(Err(format!("law {law} is wrong, for {why}:\n{text}")));
    }
    let Some((best, _)) = found.best() else {
        let nothing = Rewritten { found, certificate: None, not_run: None, same_on: Vec::new() };
        return Ok(Ok(Ok(nothing)));
    };
    let same_on = match same_on(args, program, best, case)? {
        Ok(same_on) => same_on,
        Err(why) => return Ok(Err(format!("{why}:\n{}", print::program(best)))),
    };
    let certificate = Certificate::of(&found, &case.input, request);
    let by = Replay { budget: request.budget, seed: args.seed, time: request.time };
    let not_run = match certificate.replay(&by) {
        Ok(replayed) => replayed.not_run,
        Err(refused) => return Ok(Err(refused.text())),
    };
    Ok(Ok(Ok(Rewritten { found, certificate: Some(certificate), not_run, same_on })))
}

/// The engines that run the program and give the results of the original, or what is wrong.
fn same_on(
    args: &Args,
    original: &Program,
    best: &Program,
    case: &Case,
) -> Result<Result<Vec<String>, String>, Problem> {
    let mut tester = args.adapters.tester()?;
    let case = Case { program: LambdaG::artifact(best.clone()), ..case.clone() };
    let seen = tester.examine(&case, Depth::Whole);
    if let Verdict::Finding(finding) = &seen.verdict {
        return Ok(Err(format!("the program is compiled wrongly: {}", finding.text)));
    }
    let own = seen.sides.first().map(|side| &side.outcome.ending);
    let wanted = Subject::LambdaG(original.clone());
    let wanted = wanted.run(&case.input, &case.budget);
    match (own, &wanted) {
        (Some(Ending::Value(own)), Ending::Value(wanted)) if own != wanted => {
            return Ok(Err("the program gives other results".to_owned()));
        }
        _ => {}
    }
    let mut names = Vec::new();
    let values = seen.sides.iter().filter(|side| matches!(side.outcome.ending, Ending::Value(_)));
    for side in values {
        let name = side.engine.to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(Ok(names))
}

impl Rewritten {
    /// The certificate, if something costs less.
    pub(super) fn certificate(&self) -> Option<&Certificate> {
        self.certificate.as_ref()
    }

    /// What `--json` tells.
    pub(super) fn line(&self) -> Line {
        let best = self.found.best();
        Line {
            before: self.found.before,
            after: best.map(|(_, time)| time),
            program: best.map(|(program, _)| print::program(program)),
            certificate: self.certificate.clone(),
            priced: self.found.priced,
            stop: self.found.stop.text(),
            not_run: self.not_run.clone(),
            same_on: self.same_on.clone(),
        }
    }

    /// Prints the cheapest program alone: one that the laws lead to, or the plan as one.
    pub(super) fn emit(&self, name: &str, plan: Option<&Said>, out: &mut Out) -> Answer {
        let plan = plan.and_then(|said| Some((&said.program, said.time.clone().ok()?)));
        let cheaper = plan.filter(|(_, time)| *time < self.found.before);
        let best = self.found.best().into_iter().chain(cheaper).min_by_key(|(_, time)| *time);
        if best.is_none() {
            let why = self.found.stop.text();
            out.message(&format!("{name}: nothing that costs less was found; {why}"));
        }
        out.text(&print::program(best.map_or(&self.found.original, |(program, _)| program)));
        Ok(Status::Clean)
    }

    /// Tells a person.
    pub(super) fn tell(&self, mode: Mode, out: &mut Out) {
        let Found { before, chain, priced, stop, .. } = &self.found;
        let searched = format!(
            "{} of λG priced by the cost graph of their runs; {}",
            things(*priced as u64, "program", "s"),
            stop.text()
        );
        let Some((best, after)) = self.found.best() else {
            out.line(format!("\nas a program of λG nothing costs less: {searched}"));
            return;
        };
        let factor = *before as f64 / (after as f64).max(1.0);
        let mode = mode.name();
        out.line(format!(
            "\nas a program of λG it costs {factor:.2} times less by {mode}, {before} before and {after} after:"
        ));
        out.text(&print::program(best));
        let steps = chain.len() as u64;
        let lead = if steps == 1 { "leads" } else { "lead" };
        out.line(format!("\n{} {lead} to it", things(steps, "step", "s")));
        let mut text = print::program(&self.found.original);
        for (nth, link) in chain.iter().enumerate() {
            out.line(format!("{}. {}", nth + 1, step(link, &text)));
            text = print::program(&link.program);
        }
        out.line(searched);
        let run = self.not_run.as_ref();
        let run = run.map(|why| format!(", but not all of its programs were run ({why})"));
        let same_on = self.same_on.join(", ");
        let run = run.unwrap_or_default();
        out.line(format!("its certificate was replayed{run}; the same results on {same_on}"));
    }

    /// Tells what there is to tell where no term was searched, and why not.
    pub(super) fn alone(&self, args: &Args, name: &str, no: &Problem, out: &mut Out) -> Answer {
        let no_term = no.line();
        if args.programs.json {
            let lambda_g = self.line();
            out.json(&Alone { file: name.to_owned(), mode: args.mode, lambda_g, no_term });
            return Ok(Status::Clean);
        }
        out.line(name);
        self.tell(args.mode, out);
        out.line(format!("no plan was searched: {no_term}"));
        Ok(Status::Clean)
    }
}

/// A step: the law, where it was applied, and to what.
fn step(link: &Link, before: &str) -> String {
    let Link { law, span, region, .. } = link;
    let region = region.as_ref().map_or(String::new(), |name| format!(" at {name}"));
    let at = place(before, span.start);
    let left = shown(before, *span);
    format!("{}{region} ({}), at {at} of the program before: {left}", law.name, law.class.name())
}

/// A part of a text in one line.
fn shown(text: &str, span: Span) -> String {
    const MOST: usize = 100;
    let part = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    let words: Vec<&str> = part.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} …", &line[..at]),
        None => line,
    }
}
