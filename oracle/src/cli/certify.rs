//! `lockstep certify`

use super::input::{name_of, text_of};
use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status};
use crate::optimize::certificate::Certificate;
use reference::kit::outcome::Budget;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep optimize corpus/fun/pass/matrix_product.fun --size n=8,m=8,l=8 \
    --emit certificate | lockstep certify -"
)]
pub(super) struct Args {
    /// Certificates, as `optimize --emit certificate` writes them; - for standard input
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Write an object of JSON for each
    #[arg(long)]
    pub(super) json: bool,
    /// Statements that a run may execute
    #[arg(long, default_value_t = 10 * Budget::default().fuel)]
    fuel: u64,
}

#[derive(Serialize)]
struct Line {
    file: String,
    steps: usize,
    /// The first step that is wrong, from 1; 0 is the program.
    wrong_step: Option<usize>,
    why: Option<String>,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let mut worst = Status::Clean;
    for path in &args.paths {
        let ended = one(args, path, out);
        worst = worst.max(out.status(ended));
    }
    Ok(worst)
}

fn one(args: &Args, path: &Path, out: &mut Out) -> Answer {
    let file = name_of(path);
    let text = text_of(path, "a certificate")?;
    let read: Certificate = serde_json::from_str(&text)
        .map_err(|error| Problem::new(format!("{file} is no certificate: {error}")))?;
    if read.lockstep != crate::VERSION {
        let no = format!("{file} is of version {}, and this is {}", read.lockstep, crate::VERSION);
        return Err(Problem::new(no).help("laws change from one version to the next"));
    }
    let budget = Budget { fuel: args.fuel, ..Budget::default() };
    let refused = read.replay(&budget).err();
    let steps = read.steps.len();
    if args.json {
        let wrong_step = refused.as_ref().map(|refused| refused.step);
        let why = refused.as_ref().map(|refused| refused.why.clone());
        out.json(&Line { file, steps, wrong_step, why });
    } else {
        match &refused {
            None => out.line(format!("{file}: {steps} steps, each right")),
            Some(of) if of.step == 0 => out.line(format!("{file}: its program: {}", of.why)),
            Some(of) => out.line(format!("{file}: step {} is wrong: {}", of.step, of.why)),
        }
    }
    Ok(Status::wrong_if(refused.is_some()))
}
