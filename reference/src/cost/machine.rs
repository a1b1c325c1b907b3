//! Machines as data: the abstract machine of seed 003 (section 5), and its primitive cost providers (section 6.6).

use serde::{Deserialize, Serialize};

/// A host with one device. Times are in units of the host's and the device's step; sizes are in words of 32 bits.
///
/// The letters are those of the paper, as readings L25 to L29 take them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Machine {
    /// What it is called.
    pub name: String,
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
    /// `Δᵃ`: time to allocate.
    pub allocate: Linear,
    /// `ω*`: time to bring words to the device.
    pub to_device: Linear,
    /// `ω†`: time to bring words back to the host.
    pub to_host: Linear,
    /// What [`Mode::Cal`] makes of what is counted.
    pub calibrated: Calibrated,
}

/// `base + ⌈words / per⌉` for some words, 0 for none (L62).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Linear {
    /// Time of a call.
    pub base: u64,
    /// Words in a unit of time.
    pub words_per_unit: u64,
}

impl Linear {
    /// Time for so many words.
    pub fn of(self, words: u64) -> u64 {
        match words {
            0 => 0,
            _ => self.base.saturating_add(words.div_ceil(self.words_per_unit)),
        }
    }
}

/// Time per thing counted on the device: what is fitted to measurements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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

impl Default for Machine {
    /// Of the size of a GPU of today, with the latency that readings L31 and section 7 are tried with.
    fn default() -> Self {
        let latency = 400;
        Self {
            name: "default".to_owned(),
            processors: 2,
            width: 32,
            warps: 8,
            threads: 16_384,
            latency,
            group_latency: 1,
            lines: 256,
            allocate: Linear { base: 0, words_per_unit: 1 << 20 },
            to_device: Linear { base: 10_000, words_per_unit: 4 },
            to_host: Linear { base: 10_000, words_per_unit: 4 },
            // `umm`, until measurements say better.
            calibrated: Calibrated {
                launch: 0.0,
                request: 1.0,
                wait: latency as f64 - 1.0,
                group_request: 1.0,
                unit: 1.0,
                miss: 0.0,
            },
        }
    }
}

/// Most of any count of a machine: products of two of them stay numbers.
const MOST: u64 = 1 << 31;

impl Machine {
    /// Is it a machine?
    ///
    /// # Errors
    /// The constant that is none, and what it may be.
    pub fn check(&self) -> Result<(), String> {
        let counts = [
            ("processors", self.processors, 1),
            ("width", self.width, 1),
            ("warps", self.warps, 1),
            ("threads", self.threads, 1),
            ("latency", self.latency, 1),
            ("group_latency", self.group_latency, 1),
            ("lines", self.lines, 0),
            ("allocate.words_per_unit", self.allocate.words_per_unit, 1),
            ("to_device.words_per_unit", self.to_device.words_per_unit, 1),
            ("to_host.words_per_unit", self.to_host.words_per_unit, 1),
            ("allocate.base", self.allocate.base, 0),
            ("to_device.base", self.to_device.base, 0),
            ("to_host.base", self.to_host.base, 0),
        ];
        let wrong = counts.iter().find(|(_, count, least)| !(*least..=MOST).contains(count));
        if let Some((name, count, least)) = wrong {
            return Err(format!("`{name}` is {count}; it may be {least} to {MOST}"));
        }
        let Calibrated { launch, request, wait, group_request, unit, miss } = self.calibrated;
        let prices = [
            ("launch", launch),
            ("request", request),
            ("wait", wait),
            ("group_request", group_request),
            ("unit", unit),
            ("miss", miss),
        ];
        match prices.iter().find(|(_, price)| !(price.is_finite() && *price >= 0.0)) {
            Some((name, price)) => {
                Err(format!("`calibrated.{name}` is {price}; it may be 0 or a positive number"))
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
        assert_eq!(no.check(), Err(format!("`width` is 0; it may be 1 to {MOST}")));
        let mut no = Machine::default();
        no.calibrated.miss = f64::NAN;
        let told = "`calibrated.miss` is NaN; it may be 0 or a positive number";
        assert_eq!(no.check(), Err(told.to_owned()));
    }

    #[test]
    fn nothing_to_bring_takes_no_time() {
        let linear = Linear { base: 100, words_per_unit: 4 };
        assert_eq!([0, 1, 4, 5].map(|words| linear.of(words)), [0, 101, 101, 102]);
    }
}
