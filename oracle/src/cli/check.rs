//! `lockstep check`

use super::input::Source;
use super::merges::Merge;
use super::options::{Denied, Denying, Expansion, Programs, Running};
use super::out::Out;
use super::own::Own;
use super::problem::Problem;
use super::{Answer, Status, data, merges, show};
use crate::campaign::order_dependent;
use crate::check::{Judge, OrderDependent, ThreadOrder};
use crate::engine::{Case, StageId};
use crate::stages::Stages;
use reference::kit::language::Invalid;
use reference::kit::outcome::{Ending, Outcome, Value};
use reference::with_language;
use serde::Serialize;

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep check corpus/funmem/race/reverse_in_place.funmem")]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) programs: Programs,
    #[command(flatten)]
    running: Running,
    #[command(flatten)]
    denying: Denying,
    /// Print the types of parameters and outermost bindings, and run nothing
    #[arg(long, conflicts_with_all = ["values", "file"])]
    types: bool,
    /// Print under which answers to the questions of SYCL's deduction a MiniSYCL program is accepted, or each of the
    /// paper's examples, and what decides
    #[arg(long, value_name = "FILE", num_args = 0..=1, conflicts_with_all = ["paths", "set", "language", "types", "values",
        "file", "fuel", "memory", "all", "deny"])]
    sycl_table: Option<Option<std::path::PathBuf>>,
}

#[derive(Serialize)]
struct Line {
    file: String,
    types: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    bindings: Option<Vec<String>>,
    memory: Vec<Judgement>,
}

/// What is said of types.
const WELL_TYPED: &str = "well typed";

/// What the memory of a program does on one input.
#[derive(Serialize)]
struct Judgement {
    input: Vec<String>,
    /// The stage whose memory it is: the program, or what a pass made of it.
    stage: StageId,
    valid: Option<bool>,
    race_free: Option<bool>,
    /// Two orders of threads that give different results, though none races or gets stuck.
    order_dependent: Option<data::Orders>,
    /// Where this run ends well: another order, in which threads race or one gets stuck.
    other_order: Option<data::Ordered>,
    /// Why it is not valid.
    #[serde(flatten)]
    invalid: data::Invalid,
    #[serde(flatten)]
    end: data::End,
    /// A read of memory that nothing wrote, which is zero by definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    unwritten: Option<data::Unwritten>,
    /// What the merges of the run brought from which side, in a language that has them.
    #[serde(skip_serializing_if = "Option::is_none")]
    merges: Option<Vec<Merge>>,
    #[serde(skip)]
    outcome: Outcome,
    #[serde(skip)]
    orders: Option<OrderDependent>,
    #[serde(skip)]
    other: Option<(ThreadOrder, Outcome)>,
    #[serde(skip)]
    why: Option<Invalid>,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    if let Some(file) = &args.sycl_table {
        return super::sycl_table::run(file.as_deref(), args.programs.json, out);
    }
    let mut worst = Status::Clean;
    let given = args.running.input.read(&args.programs.paths)?;
    for path in args.programs.files() {
        let ended = one(args, &path, given.as_deref(), out);
        worst = worst.max(out.status(ended));
    }
    Ok(worst)
}

fn one(args: &Args, path: &std::path::Path, given: Option<&[Value]>, out: &mut Out) -> Answer {
    let source = args.programs.open(path)?;
    if args.types {
        return types(args, &source, out);
    }
    let mut memory = Vec::new();
    let mut worst = Status::Clean;
    // Without an input, or a kernel, there is nothing that could be run, and the types stand alone.
    let is_run = source.program.has_entry() && source.program.parameters().is_empty();
    if given.is_some() || !source.header.cases.is_empty() || is_run {
        for case in source.cases(given, args.running.budget())? {
            let judgement = judge(&source, &case);
            worst = worst.max(judgement.status(args));
            memory.push(judgement);
        }
    }
    let line = Line { file: source.name(), types: WELL_TYPED, bindings: None, memory };
    if args.programs.json {
        out.json(&line);
        return Ok(worst);
    }
    out.line(format!("{}: well typed", line.file));
    for binding in source.program.bindings() {
        out.line(format!("  {binding}"));
    }
    for judgement in &line.memory {
        out.line(format!("  {}", judgement.line()));
        if let Some(read) = &judgement.unwritten {
            out.line(format!("  note: {}", read.line()));
        }
        merges::text(judgement.merges.as_deref().unwrap_or_default(), out);
        show::wrong(out, &source, &judgement.outcome, args.running.races());
        if let Some((order, end)) = &judgement.other {
            show::in_order(out, &source, order, end, args.running.races());
        }
        if let Some(invalid) = &judgement.why {
            show::invalid(out, &source, invalid);
        }
    }
    if !source.program.has_entry() {
        out.line("  no kernel: nothing is run");
    } else if line.memory.is_empty() {
        out.line("  no input: validity and race-freedom are of a run, so give one with --input");
    }
    Ok(worst)
}

/// Prints the types of a program that is well typed.
fn types(args: &Args, source: &Source, out: &mut Out) -> Answer {
    let (file, bindings) = (source.name(), source.program.bindings());
    if bindings.is_empty() {
        let lang = source.program.lang();
        let no = format!("{file} has no types to print: as a program of {lang} it declares none");
        return Err(Problem::new(no).help("without --types it is checked, and run"));
    }
    match args.programs.json {
        true => out.json(&Line {
            file,
            types: WELL_TYPED,
            bindings: Some(bindings),
            memory: Vec::new(),
        }),
        false => bindings.iter().for_each(|binding| out.line(binding)),
    }
    Ok(Status::Clean)
}

/// Runs the program and says whether threads race and, in a language with memory, whether that is
/// valid. A language without it may have a pass that inserts memory, and is judged behind that.
fn judge(source: &Source, case: &Case) -> Judgement {
    let memory = with_language!(case.program.lang(), |L| L::MEMORY);
    let stages =
        Stages::up_to(&case.program, Expansion::Coalesced.plan().with(&case.settings), memory);
    let stage = stages.list.iter().find(|stage| stage.id == memory).unwrap_or(&stages.list[0]);
    let Own { outcome, validity, other, order_dependent, .. } = Own::of(stage, case);
    let answered = matches!(outcome.ending, Ending::Value(_) | Ending::Stuck(_));
    let raced = |outcome: &Outcome| !outcome.races.is_empty();
    let race_free = match raced(&outcome) || other.as_ref().is_some_and(|(_, end)| raced(end)) {
        true => Some(false),
        false => answered.then_some(true),
    };
    let valid = validity.as_ref().map(Result::is_ok);
    let why = validity.and_then(Result::err);
    Judgement {
        input: data::texts(&case.input),
        stage: stage.id,
        valid,
        race_free,
        order_dependent: order_dependent.as_ref().map(data::Orders::of),
        orders: order_dependent,
        other_order: other.as_ref().map(|(order, end)| data::Ordered::of(source, order, end)),
        other,
        invalid: data::Invalid::of(source, why.as_ref()),
        unwritten: outcome.unwritten.as_ref().map(|read| {
            // A stage that a pass made has no places of the text.
            data::Unwritten::of(source, read, stage.id == StageId::SOURCE)
        }),
        end: data::End::of(source, &outcome),
        merges: merges::of(source, case),
        outcome,
        why,
    }
}

impl Judgement {
    fn status(&self, args: &Args) -> Status {
        let wrong = [self.valid, self.race_free].contains(&Some(false)) || self.other.is_some();
        let denied = match self.orders {
            Some(_) => args.denying.status(Denied::OrderDependent),
            None => Status::Clean,
        };
        show::status(&self.outcome).max(Status::wrong_if(wrong)).max(denied)
    }

    /// In one line: `on 3, [4, 5, 6]: valid, race-free`.
    fn line(&self) -> String {
        let mut said = Vec::new();
        if self.valid == Some(true) {
            said.push("valid".to_owned());
        }
        match self.race_free {
            Some(true) => said.push("race-free".to_owned()),
            Some(false) => said.push("races".to_owned()),
            None => {}
        }
        let other = self.other.as_ref().map(|(_, end)| end);
        match &other.unwrap_or(&self.outcome).ending {
            Ending::Value(_) => {}
            Ending::Stuck(_) => said.push("stuck".to_owned()),
            Ending::Unknown(_) => said.push("no answer".to_owned()),
            Ending::Broken(_) => said.push("broken".to_owned()),
        }
        if self.valid == Some(false) {
            said.push("but invalid".to_owned());
        }
        said.extend(self.orders.as_ref().map(order_dependent));
        let input =
            if self.input.is_empty() { "no input".to_owned() } else { self.input.join(", ") };
        let after = match self.stage {
            StageId::SOURCE => String::new(),
            stage => format!(", after {stage}"),
        };
        format!("on {input}{after}: {}", said.join(", "))
    }
}
