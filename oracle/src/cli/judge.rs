//! `lockstep judge`

mod flags;
mod loads;

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
use flags::{Flags, flags, header, set};
use loads::{RUNS, loaded};
use miette::Severity;
use reference::kit::text::{Rejected, Span, counted};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{fs, io};
use walkdir::WalkDir;

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

/// What a shader is said to be of which there is no answer.
const NOT_MODELLED: &str = "not-modelled";

/// What a shader is said to be.
enum Said {
    Clean,
    /// Words and lines that its report has.
    Found(Class, Vec<String>),
    /// There is no answer, for a reason that has these words.
    NotModelled(Vec<String>),
}

impl Said {
    fn word(&self) -> &'static str {
        match self {
            Said::Clean => "clean",
            Said::Found(class, _) => class.name(),
            Said::NotModelled(_) => NOT_MODELLED,
        }
    }
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
    let mut worst = Status::Clean;
    let mut loads: BTreeMap<String, usize> = BTreeMap::new();
    let files = shaders(&args.files)?;
    let alone = files.len() == 1;
    let mut reports = Vec::new();
    let mut devices = devices(&args.engines)?;
    for file in files {
        let ended = match args.load_only {
            true => loaded(args, &file, &mut loads, out),
            false => one((args, devices.as_mut()), &file, (alone, &mut reports), out),
        };
        worst = worst.max(out.status(ended));
    }
    if let Some(path) = &args.sarif {
        let log = sarif(reports.iter().map(|(file, report)| (file.as_str(), report)));
        fs::write(path, format!("{log:#}\n")).map_err(|error| {
            Problem::new(format!("{} cannot be written: {error}", path.display()))
        })?;
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

/// The adapters of these names, if any are named.
fn devices(engines: &[String]) -> Result<Option<Devices>, Problem> {
    if engines.is_empty() {
        return Ok(None);
    }
    let adapters = |name: &&String| *name == DAWN || name.split(':').next() == Some("wgpu");
    if let Some(name) = engines.iter().find(|name| !adapters(name)) {
        return Err(Problem::new(format!("`{name}` is no adapter that shaders are launched on"))
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
            return Err(Problem::new(format!("there is no shader in {}", path.display())));
        }
    }
    Ok(files)
}

/// What the names of shaders end with.
const SHADERS: [&str; 3] = ["wgsl", "spv", "spvasm"];

/// Bytes of a file that are read at most.
const LARGEST: u64 = 64 << 20;

/// A shader, and its text, if it has one.
fn source(file: &Path) -> Result<(Source, String), Problem> {
    let name = file.display();
    let unread = |error: io::Error| Problem::new(format!("{name} cannot be read: {error}"));
    let about = fs::metadata(file).map_err(unread)?;
    if !about.is_file() {
        return Err(Problem::new(format!("{name} is no file")));
    }
    let size = about.len();
    if size > LARGEST {
        return Err(Problem::new(format!(
            "{name} has {size} bytes: a shader has {LARGEST} at most"
        )));
    }
    let bytes = fs::read(file).map_err(unread)?;
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("spv") => {
            let no = |no| Problem::new(format!("{name} is no module of SPIR-V: {no}"));
            let source = Source::binary(&bytes).map_err(no)?;
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
                let lines = text.split_inclusive('\n').take(unread.line);
                let end = lines.clone().map(str::len).sum();
                let start = end - lines.last().map_or(0, str::len);
                Problem::new(unread.what).at(Span::new(start, end), &name.to_string(), &text)
            });
            Ok((source?, text))
        }
        _ => {
            Err(Problem::new(format!("{name} is neither WGSL (.wgsl) nor SPIR-V (.spv, .spvasm)")))
        }
    }
}

fn utf8(bytes: Vec<u8>, file: &Path) -> Result<String, Problem> {
    String::from_utf8(bytes)
        .map_err(|_| Problem::new(format!("{} is no text of UTF-8", file.display())))
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
    let flags = flags(args, &text, &name)?;
    let all_said = said(&text, &name)?;
    let said = all_said.first();
    let judge = set(source, &flags)?;
    let report = match devices {
        Some(devices) => judge.run_on(devices),
        None => judge.run(),
    };
    let report = match report {
        Ok(report) => report,
        Err(no) => return refused(no, (&name, &text)),
    };
    let status = match (report.is_wrong(), report.is_answered()) {
        (true, _) => Status::Wrong,
        (false, false) => Status::Unusable,
        (false, true) => Status::Clean,
    };
    let by_tint = all_said.iter().any(|said| matches!(said, Said::Found(Class::Uniformity, _)));
    let unasked = by_tint && !args.engines.iter().any(|engine| engine == DAWN);
    // Tint alone says that, so without it the shader has to be clean.
    let differs = match unasked && is_clean(&report) {
        true => None,
        false => all_said
            .iter()
            .find_map(|said| differs(said, &report))
            .or_else(|| unsaid(&all_said, &report)),
    };
    if args.json {
        let (status, differs) = (status.code(), differs.as_deref());
        out.json(&Line { file: name.clone(), status, differs, report: &report });
    } else if let (true, None) = (unasked, &differs) {
        let class = Class::Uniformity.name();
        out.line(plain(&format!("{name}: not asked whether it has {class} (--engines {DAWN})")));
    } else if let (Some(said), None, false) = (said, &differs, alone) {
        let but = allowed(&report).map_or_else(String::new, |of| format!(" (allowed: {of})"));
        out.line(plain(&format!("{name}: {}, as it says{but}", said.word())));
        launched(&report, &name, out);
    } else {
        tell(&report, &flags, &name, &text, out)?;
    }
    if let Some(differs) = &differs {
        let what = format!("{name}: the shader {differs}, which is not what the judge finds");
        out.message(&plain(&what));
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
fn refused(no: NoShader, (name, text): (&str, &str)) -> Answer {
    match no {
        NoShader::Refused(why) => {
            let message = format!("naga refuses the shader: {}", why.message);
            let span = |place: &Range<usize>| Span::new(place.start, place.end);
            let Some(((place, label), others)) = why.places.split_first() else {
                let problem = Problem::new(format!("{name}: {message}"));
                return Err(why.help.iter().fold(problem, |problem, help| problem.help(help)));
            };
            let label = if label.is_empty() { "here" } else { label };
            let mut rejected = Rejected::new(span(place), message, label);
            for (place, label) in others {
                rejected = rejected.with(span(place), label);
            }
            if let Some(help) = &why.help {
                rejected = rejected.help(help);
            }
            Err(Problem::rejected(rejected, name, text))
        }
        NoShader::Asked(why, help) => {
            let problem = Problem::new(format!("{name}: {why}"));
            Err(match help {
                Some(help) => problem.help(help),
                None => problem,
            })
        }
        no => Err(Problem::new(format!("{name}: {no}"))),
    }
}

fn tell(
    report: &Report,
    flags: &Flags,
    name: &str,
    text: &str,
    out: &mut Out,
) -> Result<(), Problem> {
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
        let buffer = report.buffered(place).ok_or_else(|| no_buffer(place))?;
        out.line(format!("{place}={}", written(&buffer.words, buffer.element)));
    }
    for (place, range) in flags.outcomes.iter().filter(|_| ran) {
        outcomes(report, place, *range, out)?;
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
    Ok(())
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

fn no_buffer(place: &str) -> Problem {
    Problem::new(format!("the shader has no buffer `{place}`"))
}

fn outcomes(
    report: &Report,
    place: &str,
    range: Option<(usize, usize)>,
    out: &mut Out,
) -> Result<(), Problem> {
    let number = PlaceName(place.to_owned());
    let number = report.resources.iter().position(|resource| number.names(resource));
    let number = number.ok_or_else(|| no_buffer(place))?;
    let mut seen = BTreeMap::new();
    for buffers in &report.outcomes {
        let buffer = &buffers[number];
        let (start, end) = range.unwrap_or((0, buffer.words.len()));
        let words = buffer.words.get(start..end).ok_or_else(|| {
            let has = buffer.words.len();
            Problem::new(format!("`{place}` has {has} words, so none of {start}..{end}"))
        })?;
        seen.insert(words.to_vec(), written(words, buffer.element));
    }
    let shown: Vec<_> = seen.into_values().collect();
    out.line(format!("{place}: {} seen: {}", counted(shown.len(), "outcome"), shown.join(" ")));
    Ok(())
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

/// What a shader says that the judge is to find: a line each.
fn said(text: &str, name: &str) -> Result<Vec<Said>, Problem> {
    header(text, "verdict:")
        .map(|(at, line)| {
            let mut words = line.split_whitespace();
            let first = words.next().unwrap_or_default();
            let words = words.map(str::to_owned).collect();
            match (first, Class::named(first)) {
                ("clean", _) => Ok(Said::Clean),
                (NOT_MODELLED, _) => Ok(Said::NotModelled(words)),
                (_, Some(class)) => Ok(Said::Found(class, words)),
                (_, None) => {
                    let known: Vec<_> = Class::ALL.iter().map(|class| class.name()).collect();
                    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
                    let problem = Problem::new(format!("`{first}` is no class of verdicts"));
                    let help = format!("one is `clean`, `{NOT_MODELLED}`, {}", known.join(", "));
                    Err(problem.help(help).at(Span::new(at, end), name, text))
                }
            }
        })
        .collect()
}

/// A finding of a class that the shader says nothing of, though it says others.
fn unsaid(said: &[Said], report: &Report) -> Option<String> {
    let is_said = |class: Class| said.iter().any(|said| said.word() == class.name());
    let finding = |verdict: &&Verdict| verdict.level == Level::Deny && !is_said(verdict.class);
    let finding = report.verdicts.iter().find(finding).filter(|_| !said.is_empty())?;
    Some(format!("says nothing of {}", finding.class.name()))
}

/// What the shader says that the report does not hold.
fn differs(said: &Said, report: &Report) -> Option<String> {
    match said {
        Said::Clean if is_clean(report) => None,
        Said::Clean => Some("is said to be clean".to_owned()),
        Said::NotModelled(words) => {
            let has = |why: &String| {
                why.starts_with("not modelled: ") && words.iter().all(|word| why.contains(word))
            };
            let found = report.verdicts.is_empty() && report.unanswered.iter().any(has);
            (!found).then(|| "is said to be not modelled".to_owned())
        }
        Said::Found(class, words) => {
            let has = |verdict: &Verdict| {
                let spots = verdict.at.iter().chain(&verdict.other);
                let lines: Vec<String> = spots.map(|spot| spot.line.to_string()).collect();
                let element = verdict.element.as_deref().unwrap_or_default();
                let holds = |word: &String| {
                    lines.contains(word) || *word == element || *word == verdict.variable()
                };
                verdict.class == *class && words.iter().all(holds)
            };
            let found = report.verdicts.iter().any(has);
            (!found).then(|| {
                let words: String = words.iter().map(|word| format!(" {word}")).collect();
                format!("is said to have {}{words}", class.name())
            })
        }
    }
}
