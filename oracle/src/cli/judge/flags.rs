//! Options of `lockstep judge`, which may stand in a shader too.

use super::super::fuzz::fault;
use super::super::problem::Problem;
use super::super::with_negative_numbers;
use super::Args;
use super::said::is_verdict;
use super::words::Words;
use crate::faults::JUDGE;
use crate::judge::{Class, Contents, Judge, Level, PlaceName, Source, Spec, Unfit, judge};
use clap::{CommandFactory, FromArgMatches};
use reference::kit::text::Span;
use std::fmt::Display;

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
    #[arg(long, value_name = "SIZE", value_delimiter = ',', value_parser = subgroup)]
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
    #[arg(long, value_parser = orders)]
    orders: Option<u32>,
    /// By what they are drawn [default: 1]
    #[arg(long, value_parser = seed)]
    seed: Option<u64>,
    /// Instructions of an invocation; a dispatch has 1024 times as many at most [default: 1048576]
    #[arg(long, value_parser = fuel)]
    fuel: Option<u64>,
    /// MiB that a run may take [default: 1024]
    #[arg(long, value_name = "MIB", value_parser = memory)]
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

/// Why a value is none, and what would be one, as clap shows both.
fn no(why: impl Display, tip: impl Display) -> String {
    format!("{why}\n\n  tip: {tip}")
}

/// The most work groups in a dimension of a grid.
const GROUPS: u32 = 65_535;

fn groups(text: &str) -> Result<[u32; 3], String> {
    let mut groups = [1; 3];
    let numbers: Vec<_> = text.split(',').collect();
    let tip = "such as --groups 4, or --groups 65535,2 for more of them";
    if numbers.len() > 3 {
        return Err(no("a dispatch has one to three dimensions", tip));
    }
    for (to, number) in groups.iter_mut().zip(numbers) {
        let fits = |groups: &u32| (1..=GROUPS).contains(groups);
        let why = || format!("`{number}` is no number of work groups from 1 to {GROUPS}");
        *to = number.trim().parse().ok().filter(fits).ok_or_else(|| no(why(), tip))?;
    }
    Ok(groups)
}

fn constant(text: &str) -> Result<(String, f64), String> {
    let form = "a constant is NAME=VALUE or ID=VALUE";
    let example = |name: &str| format!("such as --constant {name}=64, or {name}=true");
    let (key, value) = text.split_once('=').ok_or_else(|| {
        let why = format!("`{text}` has no value: {form}");
        no(why, example(if text.is_empty() { "N" } else { text }))
    })?;
    if key.is_empty() {
        return Err(no(format!("`{text}` names no constant: {form}"), example("N")));
    }
    let value = match value {
        "true" => 1.0,
        "false" => 0.0,
        value => value.parse().map_err(|_| {
            no(format!("`{value}` is neither a number nor true or false"), example(key))
        })?,
    };
    Ok((key.to_owned(), value))
}

fn subgroup(text: &str) -> Result<u32, String> {
    let fits = |size: &u32| size.is_power_of_two() && *size <= 128;
    text.trim().parse().ok().filter(fits).ok_or_else(|| {
        let why = format!("`{text}` is no power of two from 4 to 128, nor 1 or 2 for a module");
        no(why, "such as --subgroup 32,64")
    })
}

fn share(text: &str) -> Result<f32, String> {
    let share = text.parse().ok().filter(|share: &f32| share.is_finite() && *share >= 0.0);
    share.ok_or_else(|| {
        let tip = "by so much of itself a float may differ: a finite number from 0 on";
        no(format!("`{text}` is no share such as 0.001"), tip)
    })
}

/// A number from one to another.
fn within(text: &str, (least, most): (u64, u64), what: &str, tip: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| no(format!("`{text}` is no {what} from {least} to {most}"), tip))
}

fn orders(text: &str) -> Result<u32, String> {
    let tip = "the usual number of runs is 16";
    within(text, (1, 100_000), "number of orders", tip).map(|orders| orders as u32)
}

fn seed(text: &str) -> Result<u64, String> {
    within(text, (0, u64::MAX), "number", "the usual seed is 1")
}

fn fuel(text: &str) -> Result<u64, String> {
    within(text, (1, u64::MAX), "number of instructions", "the usual fuel is 1048576")
}

/// MiB that a system may have.
const MIB: u64 = 1 << 24;

fn memory(text: &str) -> Result<u64, String> {
    within(
        text,
        (1, MIB),
        "number of MiB",
        "a run takes 1 MiB at least, and may take 1024 unless this says otherwise",
    )
}

fn placed(text: &str) -> Result<(PlaceName, Spec), String> {
    let tip =
        "such as data=u32[1,2], 0.1=f32[0.5], data=zero:64, data=iota:8, data=random:8, data=@FILE";
    let form = || no(format!("`{text}` is no PLACE=SPEC"), tip);
    let (place, spec) = text.split_once('=').ok_or_else(form)?;
    if place.is_empty() {
        return Err(form());
    }
    Ok((PlaceName(place.to_owned()), spec.parse().map_err(|why: String| no(why, tip))?))
}

fn ranged(text: &str) -> Result<(String, Option<(usize, usize)>), String> {
    let Some((place, range)) = text.strip_suffix(']').and_then(|text| text.split_once('[')) else {
        return Ok((text.to_owned(), None));
    };
    let ends = range.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let (start, end): (usize, usize) = ends.filter(|(a, b)| a < b).ok_or_else(|| {
        let tip = format!("{place}[0..4] are the first four words");
        no(format!("`{range}` is no range such as 2..4"), tip)
    })?;
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

/// The first comment that misspells `judge:` or `verdict:`: its start, its text, and the word that is meant. The text behind the
/// word decides: options follow `judge:`, and a class or `clean` follows `verdict:`.
fn misspelt(text: &str) -> Option<(usize, &str, &'static str)> {
    let header = lines(text).take_while(|(_, line)| is_comment(line));
    header.into_iter().find_map(|(at, line)| {
        let said = line.trim_start_matches(|c: char| c.is_whitespace() || COMMENT.contains(&c));
        let end = said.find(|c: char| !c.is_alphabetic())?;
        let (key, rest) = said.split_at(end);
        let is_exact = rest.starts_with(':');
        let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ':');
        let is_rest_of = |word: &str| match word {
            "judge" => rest.starts_with("--"),
            _ => rest.split_whitespace().next().is_some_and(is_verdict),
        };
        let slip = |word: &str| {
            let key = key.to_lowercase();
            key.starts_with(&word[..1]) && strsim::osa_distance(word, &key) <= 2
        };
        let slips = |word: &&str| !(is_exact && key == *word) && slip(word) && is_rest_of(word);
        Some((at, line.trim_end(), ["judge", "verdict"].into_iter().find(slips)?))
    })
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

impl Flags {
    /// The option by which a command line with these asks for something, if it does.
    pub(super) fn asks(&self, option: &'static str, value: &str) -> Option<&'static str> {
        let names = |said: &[(PlaceName, Spec)]| said.iter().any(|(place, _)| place.0 == value);
        let shows = |option: &'static str| match option {
            "dump" => self.dump.iter().any(|place| place == value),
            _ => self.outcomes.iter().any(|(place, _)| place == value),
        };
        let asks = match option {
            "entry" => self.entry.is_some(),
            "groups" => !self.groups.is_empty(),
            "subgroup" => !self.subgroup.is_empty(),
            "constant" => self.constant.iter().any(|(key, _)| key == value),
            "buffer" => names(&self.buffer),
            "expect" => names(&self.expect),
            "any-order" => !self.any_order.is_empty(),
            "dump" => return ["dump", "outcomes"].into_iter().find(|option| shows(option)),
            "outcomes" => !self.outcomes.is_empty(),
            "memory" => self.memory.is_some(),
            "fault" => self.fault.is_some(),
            _ => self.levels().iter().any(|(of, classes)| *of == option && !classes.is_empty()),
        };
        asks.then_some(option)
    }

    fn levels(&self) -> [(&'static str, &[String]); 3] {
        [("allow", &self.allow), ("warn", &self.warn), ("deny", &self.deny)]
    }

    /// They do not say one thing twice.
    ///
    /// # Errors
    /// What they say twice.
    pub(super) fn check(&self) -> Result<(), Unfit> {
        let again = |mut keys: Vec<String>| {
            keys.sort_unstable();
            keys.windows(2).find(|two| two[0] == two[1]).map(|two| two[0].clone())
        };
        let placed = |said: &[(PlaceName, Spec)]| said.iter().map(|(it, _)| it.0.clone()).collect();
        let keys = self.constant.iter().map(|(key, _)| key.clone()).collect();
        for (option, what, keys) in [
            ("buffer", "the buffer", placed(&self.buffer)),
            ("expect", "what is expected of the buffer", placed(&self.expect)),
            ("constant", "the constant", keys),
        ] {
            if let Some(key) = again(keys) {
                let unfit = Unfit::new(format!("{what} `{key}` is given twice"));
                return Err(unfit.help("leave out one of both").said(option, key));
            }
        }
        let levels = self.levels();
        let mut said: Vec<(&str, &str)> = Vec::new();
        for (option, class) in
            levels.iter().flat_map(|(of, all)| all.iter().map(move |it| (*of, it)))
        {
            match said.iter().find(|(known, other)| known == class && *other != option) {
                Some((_, other)) => {
                    let why = format!("--{other} says another level of `{class}`");
                    let help = "a class has one level: leave out one of both";
                    return Err(Unfit::new(why).help(help).said(option, class));
                }
                None => said.push((class, option)),
            }
        }
        Ok(())
    }
}

/// The options of the command line, before those of the shader.
pub(super) fn flags(
    args: &Args,
    words: &Words<'_>,
    text: &str,
    name: &str,
) -> Result<Flags, Problem> {
    if let Some((at, line)) = unread(text, &["judge:", "verdict:"]) {
        let problem = Problem::new("what the judge is told stands in front of the shader")
            .help("move the line up, to the comments before the first line of code");
        return Err(problem.at(Span::new(at, at + line.len()), name, text));
    }
    if let Some((at, line, word)) = misspelt(text) {
        let problem = Problem::new("this line is nearly one that the judge reads")
            .help(format!("such a line begins with `{word}:`"));
        return Err(problem.at(Span::new(at, at + line.len()), name, text));
    }
    let command = with_negative_numbers(Header::command());
    let header = command.try_get_matches_from(words.iter());
    let header = header.and_then(|matches| Header::from_arg_matches(&matches));
    let header = header.map_err(|error| words.refused(&error))?;
    header.flags.check().map_err(|unfit| words.unfit(&unfit, &Flags::default()))?;
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
    let known = |class: &String| said.levels().iter().any(|(_, all)| all.contains(class));
    for (own, of_line) in [
        (&mut flags.allow, &said.allow),
        (&mut flags.warn, &said.warn),
        (&mut flags.deny, &said.deny),
    ] {
        own.retain(|class| !known(class));
        own.extend(of_line.iter().cloned());
    }
    flags.strict |= said.strict;
    Ok(flags)
}

/// The judge that these ask for, of which those of the command line are some.
pub(super) fn set(
    source: Source,
    flags: &Flags,
    (line, words): (&Flags, &Words<'_>),
) -> Result<Judge, Problem> {
    let mut judge = judge(source);
    if let Some(id) = &flags.fault {
        let fault =
            fault(id, &[JUDGE.to_owned()]).map_err(|no| words.placed(no, line, ("fault", id)));
        judge.planted = fault?.planted();
    }
    judge.entry = flags.entry.clone();
    judge.dispatches = flags.groups.clone();
    judge.constants = flags.constant.clone();
    judge.any_order = flags.any_order.iter().cloned().map(PlaceName).collect();
    let whole = flags.dump.iter().map(|place| (place.clone(), None));
    let shown = whole.chain(flags.outcomes.iter().cloned());
    judge.shown = shown.map(|(place, range)| (PlaceName(place), range)).collect();
    judge.tolerance = flags.tolerance.unwrap_or(judge.tolerance);
    judge.orders = flags.orders.unwrap_or(judge.orders);
    judge.seed = flags.seed.unwrap_or(judge.seed);
    judge.fuel = flags.fuel.unwrap_or(judge.fuel);
    judge.memory = flags.memory.map_or(judge.memory, |mib| mib.saturating_mul(1 << 20));
    (judge.buffers, judge.expected) =
        contents(flags, judge.memory).map_err(|unfit| words.unfit(&unfit, line))?;
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
fn contents(flags: &Flags, memory: u64) -> Result<(Filled, Filled), Unfit> {
    let all = flags.buffer.iter().chain(&flags.expect);
    let bytes = all.map(|(_, spec)| spec.words()).fold(0, u64::saturating_add).saturating_mul(4);
    if bytes > memory {
        let (asked, has) = (bytes.div_ceil(1 << 20), memory >> 20);
        let why = format!("the contents of buffers take {asked} MiB, and a run may take {has}");
        let largest = flags.buffer.iter().map(|it| ("buffer", it));
        let largest = largest.chain(flags.expect.iter().map(|it| ("expect", it)));
        let largest = largest.max_by_key(|(_, (_, spec))| spec.words());
        let unfit = Unfit::new(why).help(format!("--memory {asked} lets it take more"));
        return Err(match largest {
            Some((option, (place, _))) => unfit.said(option, &place.0),
            None => unfit,
        });
    }
    let filled = |of: &[(PlaceName, Spec)]| {
        of.iter().map(|(place, spec)| (place.clone(), spec.contents())).collect()
    };
    Ok((filled(&flags.buffer), filled(&flags.expect)))
}
