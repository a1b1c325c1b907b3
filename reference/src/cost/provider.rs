//! Primitive cost providers (section 6.6): what the primitives cost of which the semantics makes the costs of programs.
//!
//! A [`Machine`] provides numbers, [`Symbols`] the symbols of the paper.

use super::machine::{Machine, Unit};
use std::collections::BTreeMap;
use std::fmt;
use std::iter::Sum;
use std::ops::AddAssign;

/// What primitives cost. Sizes are in words of 32 bits (L61).
pub trait Provider {
    /// A cost. The default is that of nothing.
    type Cost: Default + Sum;

    /// `Δᵃ`: a region is made, or grows, by so many words.
    fn allocate(&self, words: u64) -> Self::Cost;
    /// `ω*`: so many words of a region go to the device (L62).
    fn to_device(&self, words: u64) -> Self::Cost;
    /// `ω†`: so many words of a region come back (L19, L62).
    fn to_host(&self, words: u64) -> Self::Cost;
    /// `δm`: branches of the host that share so many regions are merged (L15).
    fn merge(&self, regions: u64) -> Self::Cost;
    /// `δa`: what branches of the host came to is written, into a region with room for it.
    fn gather(&self) -> Self::Cost;
}

impl Provider for Machine {
    type Cost = u64;

    fn allocate(&self, words: u64) -> u64 {
        self.allocate.of(words)
    }

    fn to_device(&self, words: u64) -> u64 {
        self.to_device.of(words)
    }

    fn to_host(&self, words: u64) -> u64 {
        self.to_host.of(words)
    }

    fn merge(&self, regions: u64) -> u64 {
        self.merge.saturating_mul(regions)
    }

    fn gather(&self) -> u64 {
        self.gather
    }
}

/// The provider whose costs are the symbols of the paper.
#[derive(Clone, Copy, Debug, Default)]
pub struct Symbols;

/// A symbol, with the words that it is a function of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Symbol {
    Allocate(u64),
    ToDevice(u64),
    Device,
    ToHost(u64),
    Merge,
    Gather,
}

/// A sum of units and symbols: `30 + ω*(15) + D + ω†(12)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formula {
    units: u64,
    symbols: BTreeMap<Symbol, u64>,
}

impl Formula {
    /// `D`: what runs on the device, once.
    pub fn device() -> Self {
        Self::of(Symbol::Device, 1)
    }

    fn of(symbol: Symbol, times: u64) -> Self {
        let nothing = times == 0;
        let symbols = if nothing { BTreeMap::new() } else { BTreeMap::from([(symbol, times)]) };
        Self { units: 0, symbols }
    }

    /// The same with units of time beside it: what is left of all if its symbols cost what a machine says, and all that runs
    /// on the device takes so long together.
    #[must_use]
    pub fn beside(mut self, all: u64, machine: &Machine, device: u64) -> Self {
        let cost = |(symbol, times): (&Symbol, &u64)| {
            let once = match symbol {
                Symbol::Allocate(words) => Provider::allocate(machine, *words),
                Symbol::ToDevice(words) => Provider::to_device(machine, *words),
                Symbol::ToHost(words) => Provider::to_host(machine, *words),
                Symbol::Merge => Provider::merge(machine, 1),
                Symbol::Gather => Provider::gather(machine),
                Symbol::Device => 0,
            };
            once.saturating_mul(*times)
        };
        let symbols = self.symbols.iter().map(cost).fold(device, u64::saturating_add);
        self.units = all.saturating_sub(symbols);
        self
    }
}

impl Provider for Symbols {
    type Cost = Formula;

    fn allocate(&self, words: u64) -> Formula {
        Formula::of(Symbol::Allocate(words), words.min(1))
    }

    fn to_device(&self, words: u64) -> Formula {
        Formula::of(Symbol::ToDevice(words), words.min(1))
    }

    fn to_host(&self, words: u64) -> Formula {
        Formula::of(Symbol::ToHost(words), words.min(1))
    }

    fn merge(&self, regions: u64) -> Formula {
        Formula::of(Symbol::Merge, regions)
    }

    fn gather(&self) -> Formula {
        Formula::of(Symbol::Gather, 1)
    }
}

impl AddAssign for Formula {
    fn add_assign(&mut self, other: Self) {
        self.units = self.units.saturating_add(other.units);
        for (symbol, times) in other.symbols {
            let own = self.symbols.entry(symbol).or_default();
            *own = own.saturating_add(times);
        }
    }
}

impl Sum for Formula {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Symbol::Allocate(words) => write!(f, "Δᵃ({words})"),
            Symbol::ToDevice(words) => write!(f, "ω*({words})"),
            Symbol::Device => write!(f, "D"),
            Symbol::ToHost(words) => write!(f, "ω†({words})"),
            Symbol::Merge => write!(f, "δm"),
            Symbol::Gather => write!(f, "δa"),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.units > 0 || self.symbols.is_empty() {
            write!(f, "{}", self.units)?;
        }
        for (number, (symbol, times)) in self.symbols.iter().enumerate() {
            let plus = if number > 0 || self.units > 0 { " + " } else { "" };
            match times {
                1 => write!(f, "{plus}{symbol}")?,
                times => write!(f, "{plus}{times} {symbol}")?,
            }
        }
        Ok(())
    }
}

impl serde::Serialize for Formula {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// A machine that is known by its name, as the text of its file: that of section 7, whose costs are symbols, and one of each
/// class. Constants of classes are orders of magnitude; `lockstep calibrate` measures those of a machine at hand.
pub const NAMED: [(&str, &str); 4] = [
    ("paper", include_str!("machines/paper.json")),
    ("integrated", include_str!("machines/integrated.json")),
    ("discrete", include_str!("machines/discrete.json")),
    ("software", include_str!("machines/software.json")),
];

impl Machine {
    /// Are costs on it told by symbols?
    pub fn has_symbols(&self) -> bool {
        self.unit == Unit::Symbol
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::machine_of;
    use super::*;

    #[test]
    fn machines_with_a_name_say_every_constant() {
        for (name, text) in NAMED {
            let machine = machine_of(text).unwrap_or_else(|no| panic!("{name}: {}", no.message));
            assert_eq!(machine.name, name);
            assert_eq!(machine.has_symbols(), name == "paper", "{name}");
        }
    }

    /// Both providers are asked for the same; units are what symbols do not stand for.
    #[test]
    fn a_formula_is_what_its_symbols_cost_and_units() {
        fn cost<P: Provider>(of: &P) -> P::Cost {
            let all =
                [of.allocate(1024), of.to_device(15), of.to_host(0), of.merge(2), of.gather()];
            all.into_iter().sum()
        }
        let machine = Machine::default();
        let (number, mut formula) = (cost(&machine), cost(&Symbols));
        assert_eq!(formula.to_string(), "Δᵃ(1024) + ω*(15) + 2 δm + δa");
        formula += Formula::device();
        let told = formula.beside(number + 7 + 900, &machine, 900).to_string();
        assert_eq!(told, "7 + Δᵃ(1024) + ω*(15) + D + 2 δm + δa");
        assert_eq!(Formula::default().to_string(), "0");
    }
}
