//! `lockstep certify`

use super::input::{Source, name_of, text_of};
use super::options::seconds;
use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status};
use crate::optimize::certificate::{Certificate, Refused};
use crate::optimize::claim::Claim;
use crate::optimize::lambda_g::certificate as of_lambda_g;
use crate::optimize::replay::{Replay, Replayed};
use reference::kit::language::Language;
use reference::kit::outcome::Budget;
use reference::kit::text::{Rejected, Span};
use reference::lambda_g::LambdaG;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep optimize corpus/fun/pass/matrix_product.fun --size n=8,m=8,l=8 \
    --emit certificate | lockstep certify -"
)]
pub(super) struct Args {
    /// Certificates, as `optimize --emit certificate` writes them; - for standard input
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// The program that the certificates are to be of; one of another program is refused
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// The seed of the arrays that terms are run on
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Write an object of JSON for each
    #[arg(long)]
    pub(super) json: bool,
    /// Statements that a run may execute
    #[arg(long, default_value_t = 10 * Budget::default().fuel, value_parser = clap::value_parser!(u64).range(1..))]
    fuel: u64,
    /// MiB that a run may take; the arrays that are drawn take at most half of it
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    memory: u64,
    /// Seconds after which no run of a certificate is begun
    #[arg(long, default_value = "600", value_parser = seconds)]
    seconds: Duration,
}

#[derive(Serialize)]
struct Line {
    file: String,
    steps: usize,
    /// The first step that is wrong, from 1; 0 is the program.
    wrong_step: Option<usize>,
    why: Option<String>,
    /// Why not all terms were run.
    not_run: Option<String>,
    /// What it claims of costs.
    costs: Option<Costs>,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let of = match &args.program {
        Some(path) => Some(Source::open(path, None, &[])?.program.print()),
        None => None,
    };
    let mut worst = Status::Clean;
    for path in &args.paths {
        let ended = one(args, path, of.as_deref(), out);
        worst = worst.max(out.status(ended));
    }
    Ok(worst)
}

/// A certificate of a plan, or of a program of λG.
enum Read {
    Plan(Box<Certificate>),
    LambdaG(Box<of_lambda_g::Certificate>),
}

/// What tells certificates apart: those of plans have no language of their own.
#[derive(Deserialize)]
struct Kind {
    #[serde(default)]
    language: Option<String>,
}

impl Read {
    /// The certificate that a text begins with, and how many bytes it takes; `None` if nothing is left.
    fn first(text: &str) -> Result<Option<(Self, usize)>, serde_json::Error> {
        let mut kinds = serde_json::Deserializer::from_str(text).into_iter::<Kind>();
        let of_lambda_g = match kinds.next() {
            None => return Ok(None),
            Some(Ok(kind)) => kind.language.as_deref() == Some(LambdaG::NAME),
            Some(Err(error)) if !error.is_data() => return Err(error),
            Some(Err(_)) => false,
        };
        if of_lambda_g {
            let mut all = serde_json::Deserializer::from_str(text).into_iter();
            let read = all.next().transpose()?;
            return Ok(read.map(|read| (Read::LambdaG(Box::new(read)), all.byte_offset())));
        }
        let mut all = serde_json::Deserializer::from_str(text).into_iter();
        let read = all.next().transpose()?;
        Ok(read.map(|read| (Read::Plan(Box::new(read)), all.byte_offset())))
    }

    fn version(&self) -> &str {
        match self {
            Read::Plan(read) => &read.lockstep,
            Read::LambdaG(read) => &read.lockstep,
        }
    }

    fn steps(&self) -> usize {
        match self {
            Read::Plan(read) => read.steps.len(),
            Read::LambdaG(read) => read.steps.len(),
        }
    }

    fn replay(&self, by: &Replay) -> Result<Replayed, Refused> {
        match self {
            Read::Plan(read) => read.replay(by),
            Read::LambdaG(read) => read.replay(by),
        }
    }

    /// Is its program this one, comments left aside?
    fn is_of(&self, wanted: &str) -> bool {
        let printed = match self {
            Read::Plan(read) => {
                let program = read.source.as_ref().and_then(|source| source.program().ok());
                program.map(|program| program.artifact().print())
            }
            Read::LambdaG(read) => {
                LambdaG::parse(&read.program).ok().map(|program| LambdaG::print(&program))
            }
        };
        printed.is_some_and(|printed| printed == wanted)
    }

    fn costs(&self) -> Option<Costs> {
        match self {
            Read::Plan(read) => read.costs.clone().map(Costs::Plan),
            Read::LambdaG(read) => Some(Costs::LambdaG(read.costs.clone())),
        }
    }
}

/// What a certificate claims of costs.
#[derive(Serialize)]
#[serde(untagged)]
enum Costs {
    Plan(Claim),
    LambdaG(of_lambda_g::Claim),
}

impl Costs {
    fn text(&self) -> String {
        match self {
            Costs::Plan(claim) => claim.text(),
            Costs::LambdaG(claim) => claim.text(),
        }
    }
}

/// The certificates of a file.
fn read(file: &str, text: &str) -> Result<Vec<Read>, Problem> {
    let mut all = Vec::new();
    let mut from = 0;
    let at = |from: usize, error: serde_json::Error| {
        let no = match error.classify() {
            serde_json::error::Category::Eof => "the certificate is truncated",
            _ => "this is no certificate",
        };
        let rest = &text[from..];
        let line: usize =
            rest.lines().take(error.line().saturating_sub(1)).map(|l| l.len() + 1).sum();
        let start = from + line + error.column().saturating_sub(1);
        let start = start.min(text.len().saturating_sub(1));
        let why = format!("{no}: {error}");
        Problem::rejected(Rejected::new(Span::new(start, start + 1), why, "here"), file, text)
    };
    while let Some((read, bytes)) = Read::first(&text[from..]).map_err(|error| at(from, error))? {
        all.push(read);
        from += bytes;
    }
    match all.is_empty() {
        true => Err(Problem::new(format!("{file} is empty"))),
        false => Ok(all),
    }
}

fn one(args: &Args, path: &Path, of: Option<&str>, out: &mut Out) -> Answer {
    let file = name_of(path);
    let text = text_of(path, "a certificate")?;
    let mut worst = Status::Clean;
    for read in read(&file, &text)? {
        if read.version() != crate::VERSION {
            let no =
                format!("{file} is of version {}, and this is {}", read.version(), crate::VERSION);
            return Err(Problem::new(no).help("laws change from one version to the next"));
        }
        let budget = Budget { fuel: args.fuel, memory: args.memory << 20 };
        let by = Replay { budget, seed: args.seed, time: args.seconds };
        let replayed = match of {
            Some(wanted) if !read.is_of(wanted) => {
                Err(Refused { step: 0, why: "it is of another program".to_owned() })
            }
            _ => read.replay(&by),
        };
        let not_run = replayed.as_ref().ok().and_then(|replayed| replayed.not_run.clone());
        let refused = replayed.err();
        let steps = read.steps();
        if args.json {
            let wrong_step = refused.as_ref().map(|refused| refused.step);
            let why = refused.as_ref().map(|refused| refused.why.clone());
            let costs = read.costs();
            let file = file.clone();
            out.json(&Line { file, steps, wrong_step, why, not_run: not_run.clone(), costs });
        } else {
            match &refused {
                None if not_run.is_some() => {}
                None => {
                    let costs = read.costs().map(|of| format!("; {}", of.text()));
                    let costs = costs.unwrap_or_default();
                    out.line(format!("{file}: {steps} steps, each right{costs}"));
                }
                Some(of) if of.step == 0 => out.line(format!("{file}: refused: {}", of.why)),
                Some(of) => out.line(format!("{file}: step {} is wrong: {}", of.step, of.why)),
            }
        }
        worst = worst.max(Status::wrong_if(refused.is_some()));
        if let Some(why) = not_run {
            let no = Problem::new(format!(
                "{file}: each of {steps} steps is an instance of its law, but not all terms were run: {why}"
            ));
            return Err(no.help("--fuel, --memory and --seconds give runs more"));
        }
    }
    Ok(worst)
}
