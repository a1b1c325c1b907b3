//! `lockstep compile`

use super::options::{Expansion, Programs};
use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status};
use crate::check::stages::{self, End, Stages};
use crate::engine::Stage;
use crate::language::{self, Lang};
use compiler::emit;
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep compile corpus/fun/pass/matmul.fun --emit wgsl\n         \
    lockstep compile corpus/fun/pass/matmul.fun --stage expand_memory"
)]
pub(super) struct Args {
    #[command(flatten)]
    programs: Programs,
    /// The language to stop at
    #[arg(long, default_value = "device", conflicts_with = "stage")]
    emit: Emit,
    /// The pass to stop after
    #[arg(long)]
    stage: Option<String>,
    /// The form of memory expansion
    #[arg(long, default_value = "coalesced")]
    expansion: Expansion,
    /// Write to a file and not to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    /// FUN
    Fun,
    /// FUNMEM
    Funmem,
    /// IMP
    Imp,
    /// The device language
    Device,
    /// The shaders that wgpu is given
    Wgsl,
    /// The same as SPIR-V
    Spirv,
}

#[derive(Serialize)]
struct Line {
    file: String,
    stage: String,
    text: String,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let files = args.programs.files()?;
    if args.output.is_some() && files.len() > 1 {
        return Err(Problem::new("--output takes one program"));
    }
    let mut worst = Status::Clean;
    for path in files {
        worst = worst.max(match one(args, &path, out) {
            Ok(status) => status,
            Err(problem) => {
                out.problem(&problem);
                Status::Unusable
            }
        });
    }
    Ok(worst)
}

fn one(args: &Args, path: &std::path::Path, out: &mut Out) -> Answer {
    let source = args.programs.open(path)?;
    let stages = Stages::of(&source.program, args.expansion.plan());
    let stage = match &args.stage {
        Some(name) => find(&stages, |stage| stage.id.0 == name.as_str(), name)?,
        None => {
            let lang = match args.emit {
                Emit::Fun => Lang::Fun,
                Emit::Funmem => Lang::FunMem,
                Emit::Imp => Lang::Imp,
                Emit::Device | Emit::Wgsl | Emit::Spirv => Lang::Device,
            };
            find(&stages, |stage| stage.artifact.lang() == lang, lang.name())?
        }
    };
    let bytes = match args.emit {
        Emit::Wgsl | Emit::Spirv if args.stage.is_none() => shaders(args, &stages)?,
        _ => language::print(&stage.artifact).into_bytes(),
    };
    if let Some(path) = &args.output {
        std::fs::write(path, &bytes).map_err(|error| {
            Problem::new(format!("{} cannot be written: {error}", path.display()))
        })?;
    } else if args.programs.json {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(_) => return Err(Problem::new("SPIR-V is no text: use --output")),
        };
        out.json(&Line { file: source.name(), stage: stage.id.to_string(), text });
    } else {
        out.bytes(&bytes);
    }
    Ok(Status::Clean)
}

/// The shaders of a program, one after the other; of SPIR-V a file holds one module.
fn shaders(args: &Args, stages: &Stages) -> Result<Vec<u8>, Problem> {
    let Some(shaders) = &stages.shaders else {
        return Err(find(stages, |_| false, "a shader")
            .err()
            .unwrap_or_else(|| Problem::new("no shader was emitted")));
    };
    if args.emit == Emit::Wgsl {
        let texts: Vec<String> = shaders
            .iter()
            .enumerate()
            .map(|(number, shader)| format!("// kernel {number}\n{}", shader.wgsl))
            .collect();
        return Ok(texts.join("\n").into_bytes());
    }
    let [shader] = shaders.as_slice() else {
        let kernels = shaders.len();
        return Err(Problem::new(format!("a SPIR-V file holds one kernel, this has {kernels}")));
    };
    let words = emit::spirv::spirv(&shader.wgsl)
        .map_err(|error| Problem::new(format!("this cannot be emitted: {error}")))?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// The last stage that is meant, or why there is none.
fn find<'a>(
    stages: &'a Stages,
    meant: impl Fn(&Stage) -> bool,
    name: &str,
) -> Result<&'a Stage, Problem> {
    if let Some(stage) = stages.list.iter().rev().find(|stage| meant(stage)) {
        return Ok(stage);
    }
    match &stages.end {
        Some((pass, End::Refused(refused))) => {
            Err(Problem::new(format!("{pass} refuses `{}`: {}", refused.statement, refused.reason)))
        }
        Some((pass, End::Panicked(text) | End::Invalid(text))) => {
            Err(Problem::new(format!("{pass} has a bug: {text}")))
        }
        None => Err(Problem::new(format!("no stage of this program is {name}"))
            .help(format!("the stages are {}", stages::names().join(", ")))),
    }
}
