//! `lockstep judge`

mod flags;
mod loads;
mod said;
mod words;

use super::options::{Adapters, Limit};
use super::out::Out;
use super::problem::{Problem, plain};
use super::show::report;
use super::{Answer, Status};
use crate::engine::{DAWN, EngineId};
use crate::judge::{
    Class, Devices, Heard, Launched, Level, NoShader, PlaceName, Report, Source, Verdict, sarif,
    written,
};
use flags::{Flags, flags, set};
use loads::{REFUSED, RUNS, loaded};
use miette::Severity;
use reference::kit::text::{Rejected, Span, counted};
use said::{said, unsaid};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};
use walkdir::WalkDir;
use words::Words;

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep judge sort.wgsl --groups 2 --buffer data=u32[4,3,2,1]\n\n\
    Options may stand in the shader, behind `// judge:` in its first lines; what is said here goes before. A line \
    `// verdict: race tile 4 5` there, `// verdict: clean`, says what the judge is to find: a class, and of it words and \
    lines if they are said. Several such lines say several classes."
)]
pub(super) struct Args {
    /// Shaders: WGSL (.wgsl) and SPIR-V (.spv, and .spvasm as spirv-dis prints it), and folders of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    flags: Flags,
    /// Only say which entry points can be executed, and what keeps the others from it
    #[arg(long)]
    load_only: bool,
    /// Launch shaders of which nothing is told on these adapters too (wgpu, wgpu:NAME, dawn: see `lockstep engines`)
    #[arg(long, value_delimiter = ',', value_name = "LIST", conflicts_with = "load_only")]
    engines: Vec<String>,
    /// Also write the verdicts there, as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// Print objects of JSON, one a line
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Serialize)]
struct Line<'r> {
    file: String,
    status: u8,
    /// What the shader says of itself that is not so.
    differs: Option<&'r str>,
    #[serde(flatten)]
    report: &'r Report,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    args.flags.check().map_err(|unfit| Words::of("", "").unfit(&unfit, &args.flags))?;
    let mut worst = Status::Clean;
    let mut loads: BTreeMap<String, usize> = BTreeMap::new();
    let files = shaders(&args.files)?;
    let alone = files.len() == 1;
    let mut reports = Vec::new();
    let mut devices = devices(&args.engines)?;
    if let Some(path) = &args.sarif {
        // Before anything is run.
        let opened = fs::OpenOptions::new().write(true).create(true).truncate(false).open(path);
        opened.map_err(|error| unwritten(path, &error))?;
    }
    for file in files {
        let ended = match args.load_only {
            true => loaded(args, &file, &mut loads, out),
            false => one((args, devices.as_mut()), &file, (alone, &mut reports), out),
        };
        if args.load_only && ended.is_err() {
            *loads.entry(REFUSED.to_owned()).or_default() += 1;
        }
        worst = worst.max(out.status(ended));
    }
    if let Some(path) = &args.sarif {
        let log = sarif(reports.iter().map(|(file, report)| (file.as_str(), report)));
        fs::write(path, format!("{log:#}\n")).map_err(|error| unwritten(path, &error))?;
    }
    if args.load_only && !args.json {
        let all: usize = loads.values().sum();
        let runs = loads.get(RUNS).copied().unwrap_or_default();
        out.line(format!("{runs} of {} can be executed", counted(all, "entry point")));
        for (why, times) in loads.iter().filter(|(why, _)| *why != RUNS) {
            out.line(format!("{times:>5}  {}", plain(why)));
        }
    }
    Ok(worst)
}

fn unwritten(path: &Path, error: &io::Error) -> Problem {
    Problem::new(format!("--sarif {}: it cannot be written: {error}", path.display()))
        .help("name a file in a folder that there is")
}

/// The adapters of these names, if any are named.
fn devices(engines: &[String]) -> Result<Option<Devices>, Problem> {
    if engines.is_empty() {
        return Ok(None);
    }
    let adapters = |name: &&String| *name == DAWN || name.split(':').next() == Some("wgpu");
    if let Some(name) = engines.iter().find(|name| !adapters(name)) {
        let why = format!("--engines: `{name}` is no adapter that shaders are launched on");
        return Err(Problem::new(why)
            .help("one is wgpu, wgpu:NAME or dawn; `lockstep engines` lists those at hand"));
    }
    let wanted = Adapters::only(engines.to_vec(), Limit::default());
    Ok(Some(Devices::new(&wanted.launcher()?, &wanted.find()?.adapters)))
}

/// The files that are named, and those below folders, in the order of their names.
fn shaders(named: &[PathBuf]) -> Result<Vec<PathBuf>, Problem> {
    let mut files = Vec::new();
    for path in named {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        for entry in WalkDir::new(path).sort_by_file_name() {
            let entry = entry.map_err(|error| Problem::new(error.to_string()))?;
            let is_shader =
                entry.path().extension().is_some_and(|of| SHADERS.iter().any(|it| of == *it));
            if entry.file_type().is_file() && is_shader {
                files.push(entry.into_path());
            }
        }
        if files.len() == before {
            let problem = Problem::new(format!("there is no shader in {}", path.display()));
            return Err(problem.help(ENDS));
        }
    }
    Ok(files)
}

/// What the names of shaders end with.
const SHADERS: [&str; 3] = ["wgsl", "spv", "spvasm"];

const ENDS: &str =
    "the name of a shader ends with .wgsl (WGSL), .spv (SPIR-V), or .spvasm (its text)";

/// Bytes of a file that are read at most.
const LARGEST: u64 = 64 << 20;

/// A shader, and its text, if it has one.
fn source(file: &Path) -> Result<(Source, String), Problem> {
    let name = file.display();
    let unread = |error: io::Error| {
        Problem::new(format!("{name} cannot be read: {error}")).help("name a file or a folder")
    };
    let about = fs::metadata(file).map_err(unread)?;
    if !about.is_file() {
        return Err(Problem::new(format!("{name} is no file")).help("name a file or a folder"));
    }
    let size = about.len();
    if size > LARGEST {
        let why = format!("{name} has {size} bytes: a shader has {LARGEST} at most");
        return Err(Problem::new(why).help("leave out what its entry points do not use"));
    }
    let bytes = fs::read(file).map_err(unread)?;
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("spv") => {
            let source = Source::binary(&bytes).map_err(|no| {
                Problem::new(format!("{name} is no module of SPIR-V: {no}")).help(
                    "a .spv has the words of a whole module, as compilers write them; a text of SPIR-V ends with .spvasm",
                )
            })?;
            let text = source.text().unwrap_or_default().to_owned();
            Ok((source, text))
        }
        Some("wgsl") => {
            let text = utf8(bytes, file)?;
            Ok((Source::Wgsl(text.clone()), text))
        }
        Some("spvasm") => {
            let text = utf8(bytes, file)?;
            let source = Source::assembly(&text).map_err(|unread| {
                let place = Span::new(unread.part.start, unread.part.end);
                let problem = Problem::new(unread.what).at(place, &name.to_string(), &text);
                unread.help.iter().fold(problem, |problem, help| problem.help(help))
            });
            Ok((source?, text))
        }
        _ => {
            let why = format!("{name} is neither WGSL (.wgsl) nor SPIR-V (.spv, .spvasm)");
            Err(Problem::new(why).help(ENDS))
        }
    }
}

fn utf8(bytes: Vec<u8>, file: &Path) -> Result<String, Problem> {
    String::from_utf8(bytes).map_err(|error| {
        let (name, at) = (file.display(), error.utf8_error().valid_up_to());
        Problem::new(format!("{name} is no text of UTF-8: byte {at} begins no character"))
            .help("the words of a module of SPIR-V are in a file whose name ends with .spv")
    })
}

/// Judges a shader. Of several, those that are what they say are told in a line.
fn one(
    (args, devices): (&Args, Option<&mut Devices>),
    file: &Path,
    (alone, reports): (bool, &mut Vec<(String, Report)>),
    out: &mut Out,
) -> Answer {
    let (source, text) = source(file)?;
    let name = file.display().to_string();
    let words = Words::of(&text, &name);
    let flags = flags(args, &words, &text, &name)?;
    let all_said = said(&text, &name)?;
    let said = all_said.first();
    let judge = set(source, &flags, (&args.flags, &words))?;
    let report = match devices {
        Some(devices) => judge.run_on(devices),
        None => judge.run(),
    };
    let report = match report {
        Ok(report) => report,
        Err(no) => return Err(refused(no, &words, args, (&name, &text))),
    };
    let status = match (report.is_wrong(), report.is_answered()) {
        (true, _) => Status::Wrong,
        (false, false) => Status::Unusable,
        (false, true) => Status::Clean,
    };
    let by_tint = all_said.iter().any(|said| said.is_of(Class::Uniformity));
    let unasked = by_tint && !args.engines.iter().any(|engine| engine == DAWN);
    // Tint alone says that, so without it the shader has to be clean.
    let differs = match unasked && is_clean(&report) {
        true => None,
        false => all_said
            .iter()
            .find_map(|said| said.differs(&report, &judge))
            .or_else(|| unsaid(&all_said, &report)),
    };
    if args.json {
        let (status, differs) = (status.code(), differs.as_ref().map(|it| it.what.as_str()));
        out.json(&Line { file: name.clone(), status, differs, report: &report });
    } else if let (true, None) = (unasked, &differs) {
        let class = Class::Uniformity.name();
        out.line(plain(&format!("{name}: not asked whether it has {class} (--engines {DAWN})")));
    } else if let (Some(said), None, false) = (said, &differs, alone) {
        let but = allowed(&report).map_or_else(String::new, |of| format!(" (allowed: {of})"));
        out.line(plain(&format!("{name}: {}, as it says{but}", said.word())));
        launched(&report, &name, out);
    } else {
        tell(&report, &flags, (&name, &text), out);
    }
    if let Some(differs) = &differs {
        out.diagnostic(&differs.problem(&report, (&name, &text)));
    }
    // That Tint refuses the shader is what is said of it.
    let as_said = |engine: &EngineId| by_tint && differs.is_none() && *engine == EngineId::Dawn;
    let silent = |of: &Launched| of.heard == Heard::NoAnswer && !as_said(&of.engine);
    let silent = match report.engines.iter().any(silent) {
        true => Status::Unusable,
        false => Status::Clean,
    };
    reports.push((name, report));
    Ok(match said {
        Some(_) => Status::wrong_if(differs.is_some()).max(silent),
        None => status,
    })
}

/// Why a shader cannot be judged.
fn refused(no: NoShader, words: &Words<'_>, args: &Args, (name, text): (&str, &str)) -> Problem {
    match no {
        NoShader::Refused(why) => {
            let message = format!("naga refuses the shader: {}", why.message);
            let help = why.help.as_deref().unwrap_or(REFUSED_BY_NAGA);
            let span = |place: &Range<usize>| Span::new(place.start, place.end);
            let Some(((place, label), others)) = why.places.split_first() else {
                return Problem::new(format!("{name}: {message}")).help(help);
            };
            let label = if label.is_empty() { "here" } else { label };
            let mut rejected = Rejected::new(span(place), message, label);
            for (place, label) in others {
                rejected = rejected.with(span(place), label);
            }
            Problem::rejected(rejected, name, text).help(help)
        }
        NoShader::Asked(unfit) => words.unfit(&unfit, &args.flags),
        NoShader::Invalid(finding) => {
            let problem = Problem::new(format!("{name}: {finding}")).help(NO_MODULE);
            match finding.place.line.and_then(|line| line_of(text, line as usize)) {
                Some(span) => Problem::new(&finding.text).help(NO_MODULE).at(span, name, text),
                None => problem,
            }
        }
        NoShader::NotModelled(ref why) => {
            let lined = why.rsplit_once(", line ");
            let lined = lined.and_then(|(_, line)| line_of(text, line.parse().ok()?));
            match lined {
                Some(span) => Problem::new(no.to_string()).help(LOADS).at(span, name, text),
                None => Problem::new(format!("{name}: {no}")).help(LOADS),
            }
        }
        no => Problem::new(format!("{name}: {no}")).help(LOADS),
    }
}

const REFUSED_BY_NAGA: &str =
    "naga reads WGSL as browsers do: mend the text, or what it is made from";
const NO_MODULE: &str = "spirv-val says what a module has to be";
const LOADS: &str =
    "`lockstep judge --load-only` says of each entry point whether it can be executed";

/// The line with this number, without the blanks around it.
fn line_of(text: &str, number: usize) -> Option<Span> {
    let start = text.split_inclusive('\n').take(number.checked_sub(1)?).map(str::len).sum();
    let line = text.get(start..)?.lines().next()?;
    let indent = line.len() - line.trim_start().len();
    Some(Span::new(start + indent, start + line.trim_end().len().max(indent)))
}

fn tell(report: &Report, flags: &Flags, (name, text): (&str, &str), out: &mut Out) {
    for verdict in &report.verdicts {
        shown((verdict, report.spirv), name, text, out);
    }
    for why in &report.unanswered {
        out.message(&plain(&format!("{name}: no answer: {why}")));
    }
    launched(report, name, out);
    if !report.made_up.is_empty() {
        let buffers = report.made_up.join(", ");
        out.line(plain(&format!("{name}: the contents of {buffers} are made up (--buffer)")));
    }
    // Where nothing was run there is nothing to show.
    let ran = report.runs > 0;
    for place in flags.dump.iter().filter(|_| ran) {
        // The judge refuses other places.
        let Some(buffer) = report.buffered(place) else { continue };
        out.line(format!("{place}={}", written(&buffer.words, buffer.element)));
    }
    for (place, range) in flags.outcomes.iter().filter(|_| ran) {
        outcomes(report, place, *range, out);
    }
    let runs = match report.asked_runs > report.runs {
        true => format!("{} of {}", report.runs, counted(report.asked_runs, "run")),
        false => counted(report.runs, "run"),
    };
    match (is_clean(report), allowed(report)) {
        (true, None) => out.line(plain(&format!("{name}: clean in {runs}"))),
        (true, Some(classes)) => {
            out.line(plain(&format!("{name}: nothing in {runs} but what is allowed: {classes}")));
        }
        (false, Some(classes)) => out.line(plain(&format!("{name}: allowed: {classes}"))),
        (false, None) => {}
    }
}

/// Is nothing told of the shader?
fn is_clean(report: &Report) -> bool {
    report.verdicts.is_empty() && report.unanswered.is_empty()
}

/// The classes of which something was found that is not told, if there are any.
fn allowed(report: &Report) -> Option<String> {
    let names: Vec<_> = report.allowed.iter().map(|class| class.name()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// What the adapters say.
fn launched(report: &Report, name: &str, out: &mut Out) {
    for launched in &report.engines {
        let line = plain(&format!("{name}: {launched}"));
        match launched.heard {
            Heard::Agrees | Heard::NotAsked => out.line(line),
            Heard::Differs | Heard::NoAnswer => out.message(&line),
        }
    }
}

fn outcomes(report: &Report, place: &str, range: Option<(usize, usize)>, out: &mut Out) {
    let number = PlaceName(place.to_owned());
    let number = report.resources.iter().position(|resource| number.names(resource));
    // The judge refuses other places, and words that a buffer does not have.
    let Some(number) = number else { return };
    let mut seen = BTreeMap::new();
    for buffers in &report.outcomes {
        let buffer = &buffers[number];
        let (start, end) = range.unwrap_or((0, buffer.words.len()));
        let words = buffer.words.get(start..end).unwrap_or_default();
        seen.insert(words.to_vec(), written(words, buffer.element));
    }
    let shown: Vec<_> = seen.into_values().collect();
    out.line(format!("{place}: {} seen: {}", counted(shown.len(), "outcome"), shown.join(" ")));
}

/// A verdict with its places in the shader.
fn shown((verdict, spirv): (&Verdict, bool), name: &str, text: &str, out: &mut Out) {
    let Verdict { class, level, message, at, other, help, order, .. } = verdict;
    let (severity, word) = match level {
        Level::Deny => (Severity::Error, "finding"),
        _ => (Severity::Warning, "warning"),
    };
    let message = plain(&format!("{word} {}: {message}", class.name()));
    let mut labels: Vec<(Span, String)> = Vec::new();
    for spot in other.iter().chain(at) {
        match labels.iter_mut().find(|(span, _)| *span == spot.span) {
            Some((_, label)) => label.push_str(&format!(", and {}", spot.label)),
            None => labels.push((spot.span, spot.label.clone())),
        }
    }
    let mut advice: Vec<String> = help.iter().cloned().collect();
    advice.push(class.why(spirv).to_owned());
    advice.extend(order.iter().map(|order| format!("seen with the invocations {order}")));
    let advice = plain(&advice.join("\n"));
    if labels.is_empty() {
        out.message(&format!(
            "{}: {message}\n  help: {}",
            plain(name),
            advice.replace('\n', "\n        ")
        ));
        return;
    }
    report(out, (severity, &message), name, text, &labels, Some(&advice));
}
