//! Options that several subcommands share.

use super::Status;
use super::engines::to_have_adapters;
use super::input::{Headed, Source, language_of, programs};
use super::problem::Problem;
use super::show::Races;
use super::values::Input;
use crate::check::Tester;
use crate::engine::{EngineId, NotRun};
use crate::engines::child::{Launcher, MockAdapter};
use crate::engines::{AdapterEngine, dawn};
use crate::faults::Entry;
use crate::language::Lang;
use crate::stages::Plan;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use compiler::emit::style::{Construct, Style};
use compiler::emit::workarounds::Workarounds;
use compiler::target::Adapter;
use reference::kit::decisions::Policy;
use reference::kit::faults::Planted;
use reference::kit::outcome::Budget;
use reference::translate::expand_memory::Form;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Programs, their language and whether JSON is wanted.
#[derive(clap::Args)]
pub(super) struct Programs {
    /// Files, folders with all programs in them, or `-` for a program on standard input
    #[arg(required = true)]
    pub(super) paths: Vec<PathBuf>,
    /// The language of the programs; else it goes by their extensions
    #[arg(long, value_parser = named(Lang::ALL.iter().copied()))]
    language: Option<Lang>,
    /// Set an option of the language, if it has any; else the header sets it
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) set: Vec<String>,
    /// Print objects of JSON, one a line
    #[arg(long)]
    pub(super) json: bool,
}

/// One of these languages, by its name.
pub(super) fn named(languages: impl Iterator<Item = Lang>) -> impl TypedValueParser<Value = Lang> {
    PossibleValuesParser::new(languages.map(Lang::name))
        .try_map(|name| Lang::named(&name).ok_or("no such language"))
}

impl Programs {
    /// The files.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        programs(&self.paths)
    }

    /// The language of one of them.
    pub(super) fn language(&self, path: &std::path::Path) -> Result<Lang, Problem> {
        language_of(path, self.language)
    }

    /// Reads one of them, which may be a finding whose program is not well typed.
    pub(super) fn open_finding(&self, path: &std::path::Path) -> Result<Source, Problem> {
        Source::open_finding(path, self.language, &self.set)
    }

    /// Reads one of them.
    pub(super) fn open(&self, path: &std::path::Path) -> Result<Source, Problem> {
        Source::open(path, self.language, &self.set)
    }
}

/// Input and budget.
#[derive(clap::Args)]
pub(super) struct Running {
    #[command(flatten)]
    pub(super) input: Input,
    #[command(flatten)]
    limits: Limits,
    /// Show every race, not only the first
    #[arg(long)]
    all: bool,
}

impl Running {
    /// Which races are shown.
    pub(super) fn races(&self) -> Races {
        if self.all { Races::All } else { Races::First }
    }

    /// The budget.
    pub(super) fn budget(&self) -> Budget {
        self.limits.of(Budget::default())
    }
}

/// What a run may use.
#[derive(Clone, Copy, Default, clap::Args)]
pub(super) struct Limits {
    /// Statements that a run may execute; else 100,000,000, in `test` and `rules` 200,000,000, in `cost` 300,000,000
    #[arg(long)]
    fuel: Option<u64>,
    /// MiB that the arrays of a run may take; else 2048, in `test` and `rules` 1024
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
}

impl Limits {
    /// The budget, where the command has this one unless it is told otherwise.
    pub(super) fn of(self, usual: Budget) -> Budget {
        let memory = self.memory.map(|mib| mib.saturating_mul(1 << 20));
        Budget { fuel: self.fuel.unwrap_or(usual.fuel), memory: memory.unwrap_or(usual.memory) }
    }
}

/// What is wrong though nobody is to blame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Denied {
    /// A program whose results depend on the order of its threads, though none race
    OrderDependent,
}

/// What counts as wrong.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct Denying {
    /// Let the exit status be 1 if there is a program like this, though it is no finding
    #[arg(long, value_name = "WHAT")]
    deny: Vec<Denied>,
}

impl Denying {
    /// The exit status if a program is like this.
    pub(super) fn status(&self, what: Denied) -> Status {
        if self.deny.contains(&what) { Status::Wrong } else { Status::Clean }
    }
}

/// How memory is expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Expansion {
    /// Each thread's cells beside each other, as in the paper
    Paper,
    /// Each cell's threads beside each other
    Coalesced,
}

impl Expansion {
    fn form(self) -> Form {
        match self {
            Expansion::Paper => Form::Paper,
            Expansion::Coalesced => Form::Coalesced,
        }
    }

    /// A plan with it and no fault.
    pub(super) fn plan(self) -> Plan {
        Plan { form: self.form(), ..Plan::default() }
    }
}

/// Whether known bugs of the toolchain are worked around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum WorkAround {
    /// All that are known
    All,
    /// None: plain WGSL, to test the toolchain itself
    None,
}

impl From<WorkAround> for Workarounds {
    fn from(said: WorkAround) -> Self {
        match said {
            WorkAround::All => Workarounds::All,
            WorkAround::None => Workarounds::None,
        }
    }
}

impl From<Workarounds> for WorkAround {
    fn from(kept: Workarounds) -> Self {
        match kept {
            // No file has all but one.
            Workarounds::All | Workarounds::Without(_) => WorkAround::All,
            Workarounds::None => WorkAround::None,
        }
    }
}

/// How passes decide what they may do and need not.
#[derive(Clone, Copy, Default, clap::Args)]
pub(super) struct Deciding {
    /// Choose by this seed which optional changes the passes make
    #[arg(long, value_name = "SEED")]
    pub(super) chaos: Option<u64>,
    /// Let the passes make this many optional decisions, and behind them only the changes that they must make
    #[arg(long, value_name = "N")]
    pub(super) decisions: Option<u64>,
}

impl Deciding {
    /// As the plan of a compilation says it.
    pub(super) fn policy(self) -> Policy {
        Policy { chaos: self.chaos, limit: self.decisions }
    }
}

/// How a program is compiled again: as its header says, unless it is said otherwise here.
#[derive(clap::Args)]
pub(super) struct Replaying {
    /// The form of memory expansion; else that of the header, else coalesced
    #[arg(long)]
    expansion: Option<Expansion>,
    /// How shaders are written (see `lockstep compile --help`); else as the header says, else
    /// plain
    #[arg(long, value_parser = style)]
    style: Option<Style>,
    /// Bugs of the toolchain that shaders work around; else those of the header, else all
    #[arg(long)]
    workarounds: Option<WorkAround>,
    #[command(flatten)]
    deciding: Deciding,
    /// Rewrite the program by laws first, as a campaign does; else where the header says so
    #[arg(long)]
    optimize: bool,
    /// Plant a fault; else that of the header, else none (built with --features faults)
    #[arg(long, value_name = "ID")]
    fault: Option<String>,
}

impl Replaying {
    /// Lets the tester compile as it is said, and gives the fault that is planted then.
    pub(super) fn plan(
        &self,
        tester: &mut Tester,
        headed: &Headed<'_>,
    ) -> Result<Option<String>, Problem> {
        let form = match self.expansion {
            Some(expansion) => Some(expansion.form()),
            None => headed.noted("expansion", |name| {
                let no = || format!("a form of expansion is paper or coalesced, not `{name}`");
                Form::named(name).ok_or_else(|| Problem::new(no()))
            })?,
        };
        let style = match self.style {
            Some(style) => Some(style),
            None => headed.noted("style", |text| style(text).map_err(Problem::new))?,
        };
        let plant = |id: &str| super::fuzz::fault(id, &tester.only);
        let fault = match &self.fault {
            Some(id) => Some(plant(id)?),
            None => headed.noted("fault", plant)?,
        };
        let workarounds = match self.workarounds {
            Some(workarounds) => Some(workarounds.into()),
            None => headed.noted("workarounds", |name| {
                let no = || format!("workarounds are all or none, not `{name}`");
                Workarounds::named(name).ok_or_else(|| Problem::new(no()))
            })?,
        };
        let number = |key: &str, said: Option<u64>| match said {
            Some(said) => Ok(Some(said)),
            None => headed.noted(key, |text| {
                text.parse().map_err(|_| Problem::new(format!("`{key}` is a number, not `{text}`")))
            }),
        };
        let chaos = number("chaos", self.deciding.chaos)?;
        let decisions = Policy { chaos, limit: number("decisions", self.deciding.decisions)? };
        let noted = headed.noted("optimize", |text| match text {
            "yes" => Ok(true),
            "no" => Ok(false),
            _ => Err(Problem::new(format!("`optimize` is yes or no, not `{text}`"))),
        })?;
        let optimize = self.optimize || noted == Some(true);
        let form = form.unwrap_or(Form::Coalesced);
        let style = style.unwrap_or(Style::PLAIN);
        let planted = fault.map_or(Planted::NONE, Entry::planted);
        let workarounds = workarounds.unwrap_or_default();
        tester.plan =
            Plan { form, planted, style, workarounds, decisions, optimize, ..Plan::default() };
        Ok(fault.map(|fault| fault.id.to_owned()))
    }
}

/// A style: names of constructs, or a number that one is drawn from as a campaign draws it.
pub(super) fn style(text: &str) -> Result<Style, String> {
    match text.parse() {
        Ok(seed) => Ok(crate::generate::style(seed, 0)),
        Err(_) => text.parse::<Style>().map_err(|error| {
            let names: Vec<&str> = Construct::ALL.iter().map(|c| c.name()).collect();
            format!("{error}; there are {}, plain and full, or a number", names.join(", "))
        }),
    }
}

/// Which adapters are used.
#[derive(Clone, clap::Args)]
pub(super) struct Adapters {
    /// Engines to ask, by name (see `lockstep engines`) or by the part before the colon; all at
    /// hand without it
    #[arg(long, value_delimiter = ',', value_name = "ENGINE")]
    pub(super) engines: Vec<String>,
    #[command(flatten)]
    limit: Limit,
}

/// How long an adapter may take for one program.
#[derive(Clone, Copy, clap::Args)]
pub(super) struct Limit {
    /// Seconds that an adapter may take for one program; on Linux longer where it finds no processor
    #[arg(long = "limit", default_value = "20", value_parser = limit_seconds)]
    #[arg(value_name = "SECONDS")]
    time: Duration,
}

impl Default for Limit {
    fn default() -> Self {
        Limit { time: Duration::from_secs(20) }
    }
}

/// A number of seconds on the command line; what is longer than anybody waits is cut.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if number.is_nan() || number < 0.0 {
        return Err("a time is not negative".to_owned());
    }
    Ok(Duration::from_secs_f64(number.min(1e9)))
}

/// The same of a time in which something has to be done: without any everything would be too slow.
fn limit_seconds(text: &str) -> Result<Duration, String> {
    match seconds(text)? {
        limit if limit < Duration::from_millis(1) => {
            Err("a limit is a millisecond or more: 0.001".to_owned())
        }
        limit => Ok(limit),
    }
}

/// The adapters that are wanted.
pub(super) struct Found {
    /// Those that are here.
    pub(super) adapters: Vec<Adapter>,
    /// Why Dawn is not among them, if it is wanted.
    pub(super) absent: Option<NotRun>,
}

impl Adapters {
    /// These engines.
    pub(super) fn only(engines: Vec<String>, limit: Limit) -> Self {
        Self { engines, limit }
    }

    /// Are the names those of engines, or of their kinds?
    pub(super) fn known(&self) -> Result<(), Problem> {
        for name in &self.engines {
            let kind = name == "wgpu" || Lang::named(name).is_some();
            if !kind && let Err(error) = name.parse::<EngineId>() {
                return Err(Problem::new(error));
            }
        }
        Ok(())
    }

    /// The adapters at hand that are wanted. One that is named and not there is a problem; that
    /// there is none at all is one only where adapters are asked for.
    pub(super) fn find(&self) -> Result<Found, Problem> {
        self.known()?;
        let mut adapters = self.through_wgpu()?;
        let named = self.engines.iter().any(|name| [dawn::NAME, dawn::TINT].contains(&&**name));
        if !named && !self.engines.is_empty() {
            return Ok(Found { adapters, absent: None });
        }
        let absent = match dawn::find(&self.launcher()?) {
            Ok(adapter) => {
                adapters.push(adapter);
                None
            }
            Err(reason) if named => {
                return Err(Problem::new(format!("Dawn is not here: {reason}")));
            }
            Err(reason) => Some(NotRun { engine: EngineId::Dawn, reason }),
        };
        Ok(Found { adapters, absent })
    }

    fn through_wgpu(&self) -> Result<Vec<Adapter>, Problem> {
        if !self.engines.is_empty() && !self.engines.iter().any(|name| name.starts_with("wgpu")) {
            return Ok(Vec::new());
        }
        let named = self.engines.iter().filter_map(|name| name.strip_prefix("wgpu:"));
        // A mock adapter is there when it is named, and needs no driver.
        let (mut adapters, named): (Vec<_>, Vec<_>) =
            named.map(|id| MockAdapter::adapter(id).ok_or(id)).partition(Result::is_ok);
        let mut wanted: Vec<Adapter> = adapters.drain(..).flatten().collect();
        let named: Vec<&str> = named.into_iter().filter_map(Result::err).collect();
        let all = self.engines.is_empty() || self.engines.iter().any(|name| name == "wgpu");
        if !all && named.is_empty() {
            return Ok(wanted);
        }
        let found = self.launcher()?.adapters().map_err(unlisted)?;
        let absent = named.iter().find(|name| found.iter().all(|adapter| adapter.id != **name));
        if let Some(name) = absent {
            return Err(Problem::new(format!("there is no adapter `{name}` here"))
                .help("`lockstep engines` lists them"));
        }
        // Where adapters are asked for, it is an error that there is none.
        if found.is_empty() && !self.engines.is_empty() {
            return Err(Problem::new("there is no adapter here").help(to_have_adapters()));
        }
        let asked = |adapter: &Adapter| all || named.contains(&adapter.id.as_str());
        wanted.extend(found.into_iter().filter(asked));
        Ok(wanted)
    }

    /// How their children are started.
    pub(super) fn launcher(&self) -> Result<Launcher, Problem> {
        let mut launcher = Launcher::new()
            .map_err(|error| Problem::new(format!("no child can be started: {error}")))?;
        launcher.limit = self.limit.time;
        Ok(launcher)
    }

    /// A tester with the engines that are asked for.
    pub(super) fn tester(&self) -> Result<Tester, Problem> {
        self.tester_until(&Arc::default())
    }

    /// The same, whose adapters are asked until `stop` is set.
    pub(super) fn tester_until(&self, stop: &Arc<AtomicBool>) -> Result<Tester, Problem> {
        self.tester_on(&self.find()?, stop)
    }

    /// The same, on what was found.
    pub(super) fn tester_on(
        &self,
        found: &Found,
        stop: &Arc<AtomicBool>,
    ) -> Result<Tester, Problem> {
        let mut tester = Tester::new(self.open(found, stop)?, Plan::default());
        tester.only.clone_from(&self.engines);
        Ok(tester)
    }

    /// The engines of the adapters that were found.
    pub(super) fn open(
        &self,
        found: &Found,
        stop: &Arc<AtomicBool>,
    ) -> Result<Vec<AdapterEngine>, Problem> {
        let launcher = Launcher { stop: Arc::clone(stop), ..self.launcher()? };
        let adapters = found.adapters.iter();
        Ok(adapters.map(|adapter| AdapterEngine::new(adapter, &launcher)).collect())
    }
}

/// What to say when a driver breaks as soon as it is asked for its devices.
pub(super) fn unlisted(text: String) -> Problem {
    Problem::new(format!("the adapters of this machine cannot be listed: {text}")).help(
        "--engines fun,funmem,imp,device,spirv does without them; VK_DRIVER_FILES chooses drivers",
    )
}
