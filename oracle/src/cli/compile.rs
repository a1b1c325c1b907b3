//! `lockstep compile`

use super::options::{Deciding, Expansion, Programs, WorkAround, style};
use super::out::Out;
use super::problem::Problem;
use super::values::Input;
use super::{Answer, Status, rewriting};
use crate::engine::{Case, Stage, StageId};
use crate::engines::launch_facts::{self, Launched};
use crate::language::{Lang, Listed};
use crate::profiles::reason;
use crate::stages::{self, CHECKED, EMIT, End, Plan, Stages};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use compiler::emit;
use compiler::emit::style::Style;
use compiler::pass::poison_checks::Detail;
use compiler::run::forms::{Forms, LARGEST_GROUP};
use reference::device::Device;
use reference::kit::decisions::Decision;
use reference::kit::outcome::{Budget, Ending, Value};
use serde::Serialize;
use std::io::IsTerminal;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep compile corpus/fun/pass/matrix_product.fun --emit wgsl\n         \
    lockstep compile corpus/fun/pass/matrix_product.fun --emit spirv -o matrix_product.spv\n         \
    lockstep compile corpus/fun/pass/matrix_product.fun --stage expand_memory --report\n         \
    lockstep compile corpus/fun/pass/matrix_product.fun --emit wgsl --form full\n         \
    lockstep compile corpus/minias/pass/chain_of_casts.mas --emit minias:positions\n         \
    lockstep compile corpus/fun/pass/row_sums.fun --emit wgsl --input \"2, 3, [[1, 2, 3], [4, 5, 6]]\"\n         \
    lockstep compile corpus/fun/pass/matrix_product.fun --emit wgsl --style break-if,switch:odd"
)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) programs: Programs,
    /// The language to stop at; `minias:fixed` and `minias:positions` are what passes evidence of address spaces there. `wgsl` is the kernels in one module: entry point `main`, or `main_1`,
    /// `main_2` and so on; `spirv` is the same for a file or a pipe
    #[arg(long, default_value = "device", conflicts_with = "stage", value_parser = emitted())]
    emit: Emit,
    /// The pass to stop after
    #[arg(long)]
    stage: Option<String>,
    /// The form of kernels: the fast one sets a flag where a check fails, the full one records the site. By
    /// default shaders are in the fast form, and stages of the device language in the full one
    #[arg(long)]
    form: Option<Form>,
    /// With values for the parameters the fast form of each launch is printed, as it is compiled for them
    #[command(flatten)]
    input: Input,
    /// Rewrite the program by laws first, to the plan that costs least for the sizes of the input (docs/optimize.md)
    #[arg(long)]
    optimize: bool,
    /// Sizes for --optimize, such as n=64,m=8; else those of --input, else of the first input of the header
    #[arg(long, value_name = "NAME=SIZE,...", value_delimiter = ',', value_parser = super::sizes::size)]
    #[arg(requires = "optimize", conflicts_with_all = ["values", "file"])]
    size: Vec<(String, i32)>,
    /// The form of memory expansion
    #[arg(long, default_value = "coalesced")]
    expansion: Expansion,
    /// How shaders are written: names of constructs with commas between them, each with `:odd` or
    /// `:even` for every other place; `plain`; `full`; or a number that a style is drawn from
    #[arg(long, default_value = "plain", value_parser = style)]
    style: Style,
    /// Bugs of the toolchain that shaders work around
    #[arg(long, default_value = "all")]
    workarounds: WorkAround,
    #[command(flatten)]
    deciding: Deciding,
    /// Tell what each pass decided, and why
    #[arg(long)]
    report: bool,
    /// Write to a file and not to standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// What is emitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Emit {
    /// The last stage in a language.
    Language(Lang),
    /// What a variant of the semantics of that language translates it to.
    Translation(Lang, &'static str),
    /// The kernels in one module: entry point `main`, or `main_1`, `main_2` and so on.
    Wgsl,
    /// The same as SPIR-V.
    Spirv,
}

impl Emit {
    fn named(name: &str) -> Option<Self> {
        match name {
            "wgsl" => Some(Emit::Wgsl),
            "spirv" => Some(Emit::Spirv),
            name => match name.split_once(':') {
                None => Lang::named(name).map(Emit::Language),
                Some((lang, _)) => {
                    let lang = Lang::named(lang)?;
                    let found = lang.translations().iter().find(|engine| **engine == name)?;
                    Some(Emit::Translation(lang, found.split_once(':')?.1))
                }
            },
        }
    }
}

/// A language, or a language of shaders.
fn emitted() -> impl TypedValueParser<Value = Emit> {
    let of = |lang: &Lang| [lang.name()].into_iter().chain(lang.translations().iter().copied());
    PossibleValuesParser::new(Lang::ALL.iter().flat_map(of).chain(["wgsl", "spirv"]))
        .try_map(|name| Emit::named(&name).ok_or("neither a language nor shaders"))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Form {
    /// A failed check sets a flag
    Fast,
    /// A failed check is recorded
    Full,
}

impl Args {
    /// What kernels tell of a failed check.
    fn detail(&self) -> Detail {
        let shaders = self.stage.is_none() && matches!(self.emit, Emit::Wgsl | Emit::Spirv);
        match self.form {
            Some(Form::Fast) => Detail::Flag,
            None if shaders => Detail::Flag,
            Some(Form::Full) | None => Detail::Site,
        }
    }

    /// Is the input one that the command has a use for?
    fn has_use_for_input(&self) -> Result<(), Problem> {
        let shaders = self.stage.is_none() && matches!(self.emit, Emit::Wgsl | Emit::Spirv);
        if !self.input.is_given() || self.optimize || shaders && self.detail() == Detail::Flag {
            return Ok(());
        }
        let no = Problem::new("only the fast forms of shaders are made for an input");
        Err(no.help("use --emit wgsl or --emit spirv with --input, and not --form full"))
    }

    /// The last pass that has to be run for a program of this language.
    fn last(&self, source: Lang) -> StageId {
        let Some(name) = &self.stage else {
            return match self.emit {
                Emit::Language(lang) | Emit::Translation(lang, _) => stages::last_of(lang, source),
                Emit::Wgsl | Emit::Spirv => EMIT,
            };
        };
        stages::names().into_iter().find(|stage| stage == name).map_or(EMIT, StageId)
    }
}

#[derive(Serialize)]
struct Line {
    file: String,
    stage: String,
    text: String,
    /// What the passes decided, if that is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Vec<Decision>>,
}

/// What is told of a stage that is written to a file.
#[derive(Serialize)]
struct Written {
    file: String,
    stage: String,
    output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Vec<Decision>>,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    let files = args.programs.files();
    if args.output.is_some() && files.len() > 1 {
        return Err(Problem::new("--output takes one program"));
    }
    let binary = args.output.is_none() && args.emit == Emit::Spirv && args.stage.is_none();
    if binary && args.programs.json {
        let no = Problem::new("SPIR-V is binary, and JSON is text");
        return Err(no.help("--output FILE writes it to a file"));
    }
    if binary && std::io::stdout().is_terminal() {
        let no = Problem::new("SPIR-V is binary, and a terminal is for text");
        return Err(no.help("--output FILE writes it to a file, and a pipe takes it too"));
    }
    if binary && files.len() > 1 {
        return Err(Problem::new("one program becomes SPIR-V at a time"));
    }
    args.has_use_for_input()?;
    let given = args.input.read(&args.programs.paths)?;
    let several = files.len() > 1;
    let mut worst = Status::Clean;
    for path in files {
        let ended = one(args, &path, given.as_deref(), several, out);
        worst = worst.max(out.status(ended));
    }
    Ok(worst)
}

fn one(
    args: &Args,
    path: &std::path::Path,
    given: Option<&[Value]>,
    several: bool,
    out: &mut Out,
) -> Answer {
    let source = args.programs.open(path)?;
    let workarounds = args.workarounds.into();
    let (decisions, detail) = (args.deciding.policy(), args.detail());
    let plan = Plan { style: args.style, workarounds, decisions, detail, ..args.expansion.plan() }
        .with(source.settings());
    // What comes after the stage that is asked for may take long, or not come through.
    let last = args.last(source.program.lang());
    let optimized = match args.optimize {
        true => {
            let (budget, compile) = (Budget::default(), plan);
            let wanted =
                rewriting::Wanted { size: &args.size, given, several: false, budget, compile };
            rewriting::plan(&source, wanted, out)?
        }
        false => None,
    };
    let mut stages = match args.report {
        _ if let Some(made) = optimized => {
            Stages::optimized(&source.program, made, plan, last, args.report)
        }
        true => Stages::reported(&source.program, plan, last),
        false => Stages::up_to(&source.program, plan, last),
    };
    let report = std::mem::take(&mut stages.report);
    let launched = matches!(args.emit, Emit::Wgsl | Emit::Spirv) && detail == Detail::Flag;
    if let Some(input) = given.filter(|_| launched && args.stage.is_none()) {
        let cases = source.cases(Some(input), Budget::default())?;
        stages.shaders = Some(of_launches(&stages, plan, &cases)?);
    }
    let (stage, bytes) = wanted(args, &stages).map_err(|problem| problem.placed(&source))?;
    if let Some(path) = &args.output {
        if same_file::is_same_file(&source.path, path).unwrap_or(false) {
            let no = format!("{} is the program itself, and would be lost", path.display());
            return Err(Problem::new(no).help("--output names another file"));
        }
        std::fs::write(path, &bytes).map_err(|error| {
            Problem::new(format!("{} cannot be written: {error}", path.display()))
        })?;
        if args.programs.json {
            let (file, output) = (source.name(), path.display().to_string());
            let report = args.report.then_some(report);
            out.json(&Written { file, stage: stage.to_string(), output, report });
        } else {
            report.iter().for_each(|decision| out.line(decision.to_string()));
        }
    } else if args.programs.json {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let report = args.report.then_some(report);
        out.json(&Line { file: source.name(), stage: stage.to_string(), text, report });
    } else {
        let comment = if stage == EMIT { "//" } else { "--" };
        if several {
            out.line(format!("{comment} file: {}", source.name()));
        }
        let mut told: Vec<String> = report.iter().map(ToString::to_string).collect();
        if args.report && report.is_empty() {
            told.push("no pass reports a decision".to_owned());
        }
        for told in told {
            // What is printed stays a program.
            match args.emit {
                Emit::Spirv if args.stage.is_none() => out.message(&told),
                _ => out.line(format!("{comment} {told}")),
            }
        }
        out.bytes(&bytes);
    }
    Ok(Status::Clean)
}

/// The stage that is asked for, and its text or bytes.
fn wanted(args: &Args, stages: &Stages) -> Result<(StageId, Vec<u8>), Problem> {
    Ok(match &args.stage {
        Some(name) if name == EMIT.0 => (EMIT, wgsl(stages)?.into_bytes()),
        Some(name) => printed(named(stages, name)?),
        None => match args.emit {
            Emit::Language(lang) => printed(of(stages, lang)?),
            Emit::Translation(lang, variant) => {
                let stage = of(stages, lang)?;
                (stage.id, stage.artifact.translation(variant).into_bytes())
            }
            Emit::Wgsl => (EMIT, wgsl(stages)?.into_bytes()),
            Emit::Spirv => (EMIT, spirv(stages)?),
        },
    })
}

fn printed(stage: &Stage) -> (StageId, Vec<u8>) {
    (stage.id, stage.artifact.print().into_bytes())
}

/// The fast form of each launch of a program with these inputs; forms of the same text stand there once.
fn of_launches(
    stages: &Stages,
    plan: Plan,
    cases: &[Case],
) -> Result<Vec<compiler::emit::wgsl::Form>, Problem> {
    let stage = named(stages, CHECKED.0)?;
    let Some(program) = Device::of(&stage.artifact) else { return Err(ended(stages, "a shader")) };
    let forms = Forms::of(program, plan.kernels());
    let mut found: Vec<compiler::emit::wgsl::Form> = Vec::new();
    for case in cases {
        let (outcome, launched) = launch_facts::launches(program, case);
        if let Ending::Unknown(why) = outcome.ending {
            return Err(Problem::new(format!("the launches are not known: {}", reason(&why))));
        }
        for Launched { number, invocations, args } in launched {
            let number = number as usize;
            let group = forms.group(number, invocations, LARGEST_GROUP);
            let compiled = forms
                .fast(number, group, (invocations, &args))
                .map_err(|stop| Problem::new(format!("a launch is not compiled: {stop:?}")))?;
            if !found.iter().any(|form| form.wgsl == compiled.form.wgsl) {
                found.push(compiled.form.clone());
            }
        }
    }
    Ok(found)
}

/// The kernels of a program in one module of WGSL, with an entry point each.
pub(super) fn wgsl(stages: &Stages) -> Result<String, Problem> {
    let Some(shaders) = &stages.shaders else { return Err(ended(stages, "a shader")) };
    if shaders.is_empty() {
        return Err(Problem::new("this program has no kernel, so there is no shader"));
    }
    emit::bundle::bundle(shaders).map_err(unemitted)
}

/// The same as bytes of SPIR-V, the low byte of a word first.
fn spirv(stages: &Stages) -> Result<Vec<u8>, Problem> {
    let words = emit::spirv::for_vulkan(&wgsl(stages)?).map_err(unemitted)?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

fn unemitted(rejection: emit::spirv::Rejection) -> Problem {
    Problem::new(format!("this cannot be emitted: {rejection}"))
}

/// The last stage in a language.
pub(super) fn of<'s, 'p>(stages: &'s Stages<'p>, lang: Lang) -> Result<&'s Stage<'p>, Problem> {
    match stages.last(lang) {
        Some(at) => Ok(&stages.list[at]),
        None => Err(ended(stages, &format!("a stage of {lang}"))),
    }
}

/// The stage of this name.
pub(super) fn named<'s, 'p>(stages: &'s Stages<'p>, name: &str) -> Result<&'s Stage<'p>, Problem> {
    if let Some(stage) = stages.list.iter().find(|stage| stage.id.0 == name) {
        return Ok(stage);
    }
    if !stages::names().contains(&name) {
        return Err(Problem::new(format!("no stage is called `{name}`"))
            .help(format!("the stages are {}", stages::names().join(", "))));
    }
    Err(ended(stages, &format!("the stage {name}")))
}

/// Why a program has no such stage.
fn ended(stages: &Stages, wanted: &str) -> Problem {
    match &stages.end {
        Some((pass, End::Refused(refused))) => {
            Problem::new(format!("{pass} refuses `{}`: {}", refused.statement, refused.reason))
                .about(refused.span, refused.second.clone())
        }
        Some((pass, End::Panicked(text) | End::Invalid(text))) => {
            Problem::new(format!("{pass} has a bug: {text}"))
        }
        None => {
            let lang = stages.list[0].artifact.lang();
            let shaders = stages.shaders.is_some().then_some(EMIT);
            let has: Vec<&str> =
                stages.list.iter().map(|stage| stage.id).chain(shaders).map(|id| id.0).collect();
            Problem::new(format!("a program of {lang} does not become {wanted}"))
                .help(format!("its stages are {}", has.join(", ")))
        }
    }
}
