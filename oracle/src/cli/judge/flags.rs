//! Options of `lockstep judge`, which may stand in a shader too.

use super::super::fuzz::fault;
use super::super::problem::Problem;
use super::Args;
use crate::faults::JUDGE;
use crate::judge::{Class, Contents, Judge, Level, PlaceName, Source, Spec, judge};
use clap::Parser;
use reference::kit::text::Span;

/// What may stand in a shader too.
#[derive(clap::Args, Clone, Default)]
pub(super) struct Flags {
    /// The entry point, if there are several
    #[arg(long, value_name = "NAME")]
    pub(super) entry: Option<String>,
    /// Work groups of a dispatch; several dispatches go over the same buffers
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = groups)]
    groups: Vec<[u32; 3]>,
    /// A constant of the pipeline, by its name or its number
    #[arg(long, value_name = "NAME|ID=VALUE", value_parser = constant)]
    pub(super) constant: Vec<(String, f64)>,
    /// Sizes of subgroups [default: 32]
    #[arg(long, value_name = "SIZE", value_delimiter = ',')]
    subgroup: Vec<u32>,
    /// What a buffer holds: @FILE, u32[1,2], i32[..], f32[..], f16[..], zero:N, iota:N, random:N (words)
    #[arg(long, value_name = "PLACE=SPEC", value_parser = placed)]
    buffer: Vec<(PlaceName, Spec)>,
    /// What it is to hold behind the dispatches
    #[arg(long, value_name = "PLACE=SPEC", value_parser = placed)]
    expect: Vec<(PlaceName, Spec)>,
    /// By how much of itself a float may differ from what is expected [default: 0]
    #[arg(long, value_name = "REL", value_parser = share)]
    tolerance: Option<f32>,
    /// A buffer whose words may come in any order
    #[arg(long, value_name = "PLACE")]
    any_order: Vec<String>,
    /// Print the different contents that the runs left in a buffer, or in these words of it
    #[arg(long, value_name = "PLACE[A..B]", value_parser = ranged)]
    pub(super) outcomes: Vec<(String, Option<(usize, usize)>)>,
    /// Print what the first run left in a buffer
    #[arg(long, value_name = "PLACE")]
    pub(super) dump: Vec<String>,
    /// How many orders of invocations are tried [default: 16]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    orders: Option<u32>,
    /// By what they are drawn [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// Instructions of an invocation; a dispatch has 1024 times as many at most [default: 1048576]
    #[arg(long)]
    fuel: Option<u64>,
    /// MiB that a run may take [default: 1024]
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// Say nothing of a class
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = class())]
    allow: Vec<String>,
    /// Only warn of a class
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = class())]
    warn: Vec<String>,
    /// Take a shader with something of a class for wrong
    #[arg(long, value_name = "CLASS", value_delimiter = ',', value_parser = class())]
    deny: Vec<String>,
    /// Deny what warns
    #[arg(long)]
    strict: bool,
    /// Plant a fault in the judge (built with --features faults)
    #[arg(long, value_name = "ID")]
    pub(super) fault: Option<String>,
}

/// The options in the first lines of a shader.
#[derive(clap::Parser)]
#[command(no_binary_name = true, disable_help_flag = true, name = "// judge:")]
struct Header {
    #[command(flatten)]
    flags: Flags,
}

fn class() -> clap::builder::PossibleValuesParser {
    Class::ALL.iter().map(|class| class.name()).collect::<Vec<_>>().into()
}

fn groups(text: &str) -> Result<[u32; 3], String> {
    let mut groups = [1; 3];
    let numbers: Vec<_> = text.split(',').collect();
    if numbers.len() > 3 {
        return Err("a dispatch has one to three dimensions".to_owned());
    }
    for (to, number) in groups.iter_mut().zip(numbers) {
        *to =
            number.trim().parse().map_err(|_| format!("`{number}` is no number of work groups"))?;
    }
    Ok(groups)
}

fn constant(text: &str) -> Result<(String, f64), String> {
    let (key, value) = text.split_once('=').ok_or("a constant is NAME=VALUE or ID=VALUE")?;
    let value = match value {
        "true" => 1.0,
        "false" => 0.0,
        value => value.parse().map_err(|_| format!("`{value}` is no number"))?,
    };
    Ok((key.to_owned(), value))
}

fn share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok().filter(|share: &f32| share.is_finite() && *share >= 0.0);
    share.ok_or_else(|| format!("`{text}` is no share such as 0.001"))
}

fn placed(text: &str) -> Result<(PlaceName, Spec), String> {
    let (place, spec) =
        text.split_once('=').ok_or("a buffer is PLACE=SPEC, such as data=iota:8")?;
    Ok((PlaceName(place.to_owned()), spec.parse()?))
}

fn ranged(text: &str) -> Result<(String, Option<(usize, usize)>), String> {
    let Some((place, range)) = text.strip_suffix(']').and_then(|text| text.split_once('[')) else {
        return Ok((text.to_owned(), None));
    };
    let ends = range.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let (start, end): (usize, usize) =
        ends.filter(|(a, b)| a < b).ok_or_else(|| format!("`{range}` is no range such as 2..4"))?;
    Ok((place.to_owned(), Some((start, end))))
}
/// How comments begin, in WGSL with two strokes and in text of SPIR-V with a semicolon.
const COMMENT: [char; 2] = ['/', ';'];

/// The lines of a shader's first comments behind this word; blank lines may stand between.
pub(super) fn header<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = (usize, &'t str)> {
    lines(text).take_while(|(_, line)| is_comment(line)).filter_map(move |(at, line)| {
        let said = line.trim_start().trim_start_matches(COMMENT).trim_start().strip_prefix(word)?;
        Some((at, said.trim()))
    })
}

/// A line behind those that says one of these words too, which nothing reads.
pub(super) fn unread<'t>(text: &'t str, words: &[&str]) -> Option<(usize, &'t str)> {
    let says = |(at, line): (usize, &'t str)| {
        let said = line.trim_start();
        let behind = said.trim_start_matches(COMMENT).trim_start();
        let says = behind.len() < said.len() && words.iter().any(|word| behind.starts_with(word));
        says.then(|| (at, line.trim_end()))
    };
    lines(text).skip_while(|(_, line)| is_comment(line)).find_map(says)
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    })
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with(COMMENT)
}

/// The options of the command line, before those of the shader.
pub(super) fn flags(args: &Args, text: &str, name: &str) -> Result<Flags, Problem> {
    let mut words = Vec::new();
    let mut at = 0;
    for (start, line) in header(text, "judge:") {
        at = start;
        words.extend(line.split_whitespace());
    }
    if let Some((at, line)) = unread(text, &["judge:", "verdict:"]) {
        let problem = Problem::new("what the judge is told stands in front of the shader");
        return Err(problem.at(Span::new(at, at + line.len()), name, text));
    }
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let header = Header::try_parse_from(words)
        .map_err(|error| Problem::usage(&error).at(Span::new(at, end), name, text))?;
    let mut flags = header.flags;
    let said = &args.flags;
    macro_rules! before {
        ($($list:ident)*; $($single:ident)*) => {
            $(if !said.$list.is_empty() { flags.$list = said.$list.clone(); })*
            $(if said.$single.is_some() { flags.$single = said.$single.clone(); })*
        };
    }
    before!(groups subgroup any_order outcomes dump; entry tolerance orders seed fuel memory fault);
    let known = |place: &PlaceName| said.buffer.iter().any(|(other, _)| other == place);
    flags.buffer.retain(|(place, _)| !known(place));
    flags.buffer.extend(said.buffer.iter().cloned());
    if !said.expect.is_empty() {
        flags.expect = said.expect.clone();
    }
    let known = |key: &str| said.constant.iter().any(|(other, _)| other == key);
    flags.constant.retain(|(key, _)| !known(key));
    flags.constant.extend(said.constant.iter().cloned());
    flags.allow.extend(said.allow.iter().cloned());
    flags.warn.extend(said.warn.iter().cloned());
    flags.deny.extend(said.deny.iter().cloned());
    flags.strict |= said.strict;
    Ok(flags)
}

pub(super) fn set(source: Source, flags: &Flags) -> Result<Judge, Problem> {
    let mut judge = judge(source);
    if let Some(id) = &flags.fault {
        judge.planted = fault(id, &[JUDGE.to_owned()])?.planted();
    }
    judge.entry = flags.entry.clone();
    judge.dispatches = flags.groups.clone();
    judge.constants = flags.constant.clone();
    judge.any_order = flags.any_order.iter().cloned().map(PlaceName).collect();
    judge.tolerance = flags.tolerance.unwrap_or(judge.tolerance);
    judge.orders = flags.orders.unwrap_or(judge.orders);
    judge.seed = flags.seed.unwrap_or(judge.seed);
    judge.fuel = flags.fuel.unwrap_or(judge.fuel);
    judge.memory = flags.memory.map_or(judge.memory, |mib| mib.saturating_mul(1 << 20));
    (judge.buffers, judge.expected) = contents(flags, judge.memory)?;
    if !flags.subgroup.is_empty() {
        judge.subgroups = flags.subgroup.clone();
    }
    judge.levels.strict = flags.strict;
    let said =
        [(&flags.allow, Level::Allow), (&flags.warn, Level::Warn), (&flags.deny, Level::Deny)];
    for (classes, level) in said {
        for class in classes.iter().filter_map(|name| Class::named(name)) {
            judge.levels.set(class, level);
        }
    }
    Ok(judge)
}

/// Contents of buffers, given and expected.
type Filled = Vec<(PlaceName, Contents)>;

/// What buffers hold and are to hold, if they take no more than a run may take.
fn contents(flags: &Flags, memory: u64) -> Result<(Filled, Filled), Problem> {
    let all = flags.buffer.iter().chain(&flags.expect);
    let bytes = all.map(|(_, spec)| spec.words()).fold(0, u64::saturating_add).saturating_mul(4);
    if bytes > memory {
        let (asked, has) = (bytes.div_ceil(1 << 20), memory >> 20);
        let why = format!("the contents of buffers take {asked} MiB, and a run may take {has}");
        return Err(Problem::new(why).help(format!("--memory {asked} lets it take more")));
    }
    let filled = |of: &[(PlaceName, Spec)]| {
        of.iter().map(|(place, spec)| (place.clone(), spec.contents())).collect()
    };
    Ok((filled(&flags.buffer), filled(&flags.expect)))
}
