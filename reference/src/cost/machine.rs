//! Machines as data: the abstract machine of seed 003 (section 5), and its primitive cost providers (section 6.6).

use serde::{Deserialize, Serialize};

/// A host with one device. Times are in units of the host's and the device's step ([`Unit`]); sizes are in words of 32 bits.
///
/// The letters are those of the paper, as readings L25 to L29 take them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Said")]
pub struct Machine {
    /// What it is called.
    pub name: String,
    /// What a unit of time is.
    pub unit: Unit,
    /// `P`: processors of the host.
    pub processors: u64,
    /// `w`: threads of a warp, words of an address group, and banks of group memory.
    pub width: u64,
    /// `p`: warps of a work group, where a language has no work groups of its own.
    pub warps: u64,
    /// `H`: threads that the device runs at once.
    pub threads: u64,
    /// `l`: time of an access of global memory.
    pub latency: u64,
    /// Time of an access of group memory.
    pub group_latency: u64,
    /// Lines of `width` words that a work group keeps at hand, the least recently used of which goes first. Only what
    /// misses them is told; in [`Mode::Cal`] a miss has a price.
    pub lines: u64,
    /// `BSIZE`: words of a new region, and the least by which one grows, where a language has regions.
    pub block: u64,
    /// `δm`: time to merge what branches of the host did, for each region that they share and touch; in `paper` once.
    pub merge: u64,
    /// `δa`: time to write what branches of the host came to, unless the region has to grow for it.
    pub gather: u64,
    /// `Δᵃ`: time to allocate.
    pub allocate: Linear,
    /// `ω*`: time to bring words to the device.
    pub to_device: Linear,
    /// `ω†`: time to bring words back to the host.
    pub to_host: Linear,
    /// What [`Mode::Cal`] makes of what is counted.
    pub calibrated: Calibrated,
}

/// What a unit of time is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Unit {
    /// A step of the host, which has no length: `step`.
    #[default]
    Step,
    /// The same, and costs are told by symbols too: `symbol`.
    Symbol,
    /// So many nanoseconds, of which there are more than 0: `1 ns`.
    Nanoseconds(f64),
}

impl TryFrom<String> for Unit {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let number = text.strip_suffix(" ns").and_then(|number| number.parse::<f64>().ok());
        match (text.as_str(), number) {
            ("step", _) => Ok(Unit::Step),
            ("symbol", _) => Ok(Unit::Symbol),
            (_, Some(ns)) if ns.is_finite() && ns > 0.0 => Ok(Unit::Nanoseconds(ns)),
            _ => Err(format!("`{text}` is no unit: a unit is `step`, `symbol`, or as `1.5 ns`")),
        }
    }
}

impl From<Unit> for String {
    fn from(unit: Unit) -> String {
        match unit {
            Unit::Step => "step".to_owned(),
            Unit::Symbol => "symbol".to_owned(),
            Unit::Nanoseconds(ns) => format!("{ns} ns"),
        }
    }
}

/// `base + ⌈words / per⌉` for some words, 0 for none (L62).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Linear {
    /// Time of a call.
    pub base: u64,
    /// Words in a unit of time, which need not be a whole number.
    pub words_per_unit: f64,
}

impl Linear {
    /// Time for so many words.
    pub fn of(self, words: u64) -> u64 {
        match words {
            0 => 0,
            // A quotient of whole numbers below 2^53 that is none is not rounded to one.
            _ => self.base.saturating_add((words as f64 / self.words_per_unit).ceil() as u64),
        }
    }
}

/// Time per thing counted on the device: what is fitted to measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Calibrated {
    /// A launch.
    pub launch: f64,
    /// A request to global memory: an address group that a warp accesses in a step.
    pub request: f64,
    /// A step in which some warp waits for global memory.
    pub wait: f64,
    /// A request to group memory, where it decides how long the step takes.
    pub group_request: f64,
    /// A step without an access.
    pub unit: f64,
    /// A line that was not at hand.
    pub miss: f64,
}

/// What is said of a machine.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Said {
    name: Option<String>,
    unit: Unit,
    processors: Option<u64>,
    width: Option<u64>,
    warps: Option<u64>,
    threads: Option<u64>,
    latency: Option<u64>,
    group_latency: Option<u64>,
    lines: Option<u64>,
    block: Option<u64>,
    merge: Option<u64>,
    gather: Option<u64>,
    allocate: SaidLinear,
    to_device: SaidLinear,
    to_host: SaidLinear,
    calibrated: SaidCalibrated,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SaidLinear {
    base: Option<u64>,
    words_per_unit: Option<f64>,
}

impl SaidLinear {
    /// What is not said is as in these.
    fn or(self, base: u64, words_per_unit: f64) -> Linear {
        Linear {
            base: self.base.unwrap_or(base),
            words_per_unit: self.words_per_unit.unwrap_or(words_per_unit),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SaidCalibrated {
    launch: Option<f64>,
    request: Option<f64>,
    wait: Option<f64>,
    group_request: Option<f64>,
    unit: Option<f64>,
    miss: Option<f64>,
}

impl From<Said> for Machine {
    /// What is not said is of the size of a GPU of today, with the latency that readings L31 and section 7 are tried with.
    fn from(said: Said) -> Self {
        let latency = said.latency.unwrap_or(400);
        let group_latency = said.group_latency.unwrap_or(1);
        let SaidCalibrated { launch, request, wait, group_request, unit, miss } = said.calibrated;
        Self {
            name: said.name.unwrap_or_else(|| "default".to_owned()),
            unit: said.unit,
            processors: said.processors.unwrap_or(2),
            width: said.width.unwrap_or(32),
            warps: said.warps.unwrap_or(8),
            threads: said.threads.unwrap_or(16_384),
            latency,
            group_latency,
            lines: said.lines.unwrap_or(256),
            block: said.block.unwrap_or(1024),
            merge: said.merge.unwrap_or(1),
            gather: said.gather.unwrap_or(1),
            allocate: said.allocate.or(0, 1_048_576.0),
            to_device: said.to_device.or(10_000, 4.0),
            to_host: said.to_host.or(10_000, 4.0),
            // `umm`, until measurements say better.
            calibrated: Calibrated {
                launch: launch.unwrap_or(0.0),
                request: request.unwrap_or(1.0),
                wait: wait.unwrap_or(latency.saturating_sub(1) as f64),
                group_request: group_request.unwrap_or(group_latency as f64),
                unit: unit.unwrap_or(1.0),
                miss: miss.unwrap_or(0.0),
            },
        }
    }
}

impl Default for Machine {
    fn default() -> Self {
        Said::default().into()
    }
}

/// A constant of a machine that cannot be what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// Its keys in the JSON, from the outside: `calibrated.miss`.
    pub key: &'static str,
    /// What it is, and what it may be.
    pub why: String,
}

impl std::fmt::Display for Unfit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "`{}` is {}", self.key, self.why)
    }
}

/// Most of any count of a machine: products of two of them stay numbers.
const MOST: u64 = 1 << 31;

impl Machine {
    /// Is it a machine?
    ///
    /// # Errors
    /// The constant that is none, and what it may be.
    pub fn check(&self) -> Result<(), Unfit> {
        let counts = [
            ("processors", self.processors, 1),
            ("width", self.width, 1),
            ("warps", self.warps, 1),
            ("threads", self.threads, 1),
            ("latency", self.latency, 1),
            ("group_latency", self.group_latency, 1),
            ("lines", self.lines, 0),
            ("block", self.block, 1),
            ("merge", self.merge, 0),
            ("gather", self.gather, 0),
            ("allocate.base", self.allocate.base, 0),
            ("to_device.base", self.to_device.base, 0),
            ("to_host.base", self.to_host.base, 0),
        ];
        let wrong = counts.iter().find(|(_, count, least)| !(*least..=MOST).contains(count));
        if let Some((name, count, least)) = wrong {
            let why = format!("{count}; it may be {least} to {MOST}");
            return Err(Unfit { key: name, why });
        }
        let rates = [
            ("allocate.words_per_unit", self.allocate.words_per_unit),
            ("to_device.words_per_unit", self.to_device.words_per_unit),
            ("to_host.words_per_unit", self.to_host.words_per_unit),
        ];
        if let Some((key, rate)) =
            rates.iter().find(|(_, rate)| !(*rate > 0.0 && *rate <= MOST as f64))
        {
            return Err(Unfit {
                key,
                why: format!("{rate}; it may be above 0, and at most {MOST}"),
            });
        }
        let Calibrated { launch, request, wait, group_request, unit, miss } = self.calibrated;
        let prices = [
            ("calibrated.launch", launch),
            ("calibrated.request", request),
            ("calibrated.wait", wait),
            ("calibrated.group_request", group_request),
            ("calibrated.unit", unit),
            ("calibrated.miss", miss),
        ];
        match prices.iter().find(|(_, price)| !(*price >= 0.0 && *price <= MOST as f64)) {
            Some((name, price)) => {
                let why = format!("{price}; it may be 0 to {MOST}");
                Err(Unfit { key: name, why })
            }
            None => Ok(()),
        }
    }
}

/// How costs are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The paper, with the least repair that makes every rule well defined.
    Paper,
    /// What the machine of Nakano says: the requests of all warps, one after the other, then the latency.
    Umm,
    /// The same counts, with the prices of [`Calibrated`].
    Cal,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 3] = [Mode::Paper, Mode::Umm, Mode::Cal];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Paper => "paper",
            Mode::Umm => "umm",
            Mode::Cal => "cal",
        }
    }
}

/// A time in each mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Times {
    /// [`Mode::Paper`]
    pub paper: u64,
    /// [`Mode::Umm`]
    pub umm: u64,
    /// [`Mode::Cal`]
    pub cal: f64,
}

impl Times {
    /// The same in every mode.
    pub fn same(time: u64) -> Self {
        Self { paper: time, umm: time, cal: time as f64 }
    }

    /// The time in this mode.
    pub fn of(self, mode: Mode) -> f64 {
        match mode {
            Mode::Paper => self.paper as f64,
            Mode::Umm => self.umm as f64,
            Mode::Cal => self.cal,
        }
    }
}

impl std::ops::AddAssign for Times {
    fn add_assign(&mut self, other: Self) {
        self.paper = self.paper.saturating_add(other.paper);
        self.umm = self.umm.saturating_add(other.umm);
        self.cal += other.cal;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_is_none_is_told_by_the_constant() {
        assert_eq!(Machine::default().check(), Ok(()));
        let no = Machine { width: 0, ..Machine::default() };
        let told = no.check().expect_err("it has no warps").to_string();
        assert_eq!(told, format!("`width` is 0; it may be 1 to {MOST}"));
        let mut no = Machine::default();
        for price in [f64::NAN, -1.0, 1e308] {
            no.calibrated.miss = price;
            let told = format!("`calibrated.miss` is {price}; it may be 0 to {MOST}");
            assert_eq!(no.check().expect_err("it is no price").to_string(), told);
        }
    }

    #[test]
    fn nothing_to_bring_takes_no_time() {
        let linear = Linear { base: 100, words_per_unit: 4.0 };
        assert_eq!([0, 1, 4, 5].map(|words| linear.of(words)), [0, 101, 101, 102]);
        let slow = Linear { base: 0, words_per_unit: 0.5 };
        assert_eq!([1, 3].map(|words| slow.of(words)), [2, 6]);
    }

    #[test]
    fn units_are_read_and_told() {
        for text in ["step", "symbol", "1 ns", "57.25 ns"] {
            let unit = Unit::try_from(text.to_owned()).expect("it is one");
            assert_eq!(String::from(unit), text);
        }
        for text in ["", "ns", "0 ns", "-1 ns", "NaN ns", "inf ns", "1ns", "1 s"] {
            assert!(Unit::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
