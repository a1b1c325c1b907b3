//! All that a run of λG consists of (fig. 1, def. 4.1): values, regions, region stacks and configuration tables.

use super::syntax::{Lambda, RegionLambda, World};
use crate::kit::names::Var;
use crate::kit::outcome::Broken;
use crate::kit::run::{Eval, Stop};
use crate::kit::tap::Space;
use serde::Serialize;
use std::collections::BTreeMap;
use std::rc::Rc;

/// `ℓ = (r, o)`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Location {
    /// `r`
    pub(super) region: Name,
    /// `o`, in words
    pub(super) offset: u64,
}

/// `r`: a region of the run. The younger of two has the greater name, and a region and its copy have the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Name(pub(super) u64);

/// What an expression comes to: a bool, or where the value lies (L10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Val {
    Bool(bool),
    At(Location),
}

/// `v`: what lies in a region.
#[derive(Clone, Debug)]
pub(super) enum Stored<'p> {
    Int(i32),
    Pair(Val, Val),
    Vector(Rc<[Val]>),
    /// `clos(x, e, E)`
    Closure(Code<'p>, Env),
}

/// The code of a closure.
#[derive(Clone, Copy, Debug)]
pub(super) enum Code<'p> {
    Fn(&'p Lambda),
    Region(&'p RegionLambda),
}

impl Stored<'_> {
    /// `|v|`, in words (L6).
    pub(super) fn words(&self) -> u64 {
        match self {
            Stored::Int(_) => 1,
            Stored::Pair(..) | Stored::Closure(..) => 2,
            Stored::Vector(elements) => (elements.len() as u64).max(1),
        }
    }

    /// Roughly what it takes of the memory of the run, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        let elements = match self {
            Stored::Vector(elements) => elements.len(),
            _ => 0,
        };
        64 + (elements * size_of::<Val>()) as u64
    }
}

/// What a name of the program stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    Val(Val),
    Region(Name),
}

/// `E`, but for what the whole program knows. It has an entry for each binder around a place, so it is short.
#[derive(Clone, Debug, Default)]
pub(super) struct Env(Option<Rc<Entry>>);

#[derive(Debug)]
struct Entry {
    var: Var,
    bound: Bound,
    outer: Env,
}

impl Env {
    /// `E[x ↦ v]`
    pub(super) fn with(&self, var: Var, bound: Bound) -> Self {
        Env(Some(Rc::new(Entry { var, bound, outer: self.clone() })))
    }

    /// `E(x)`
    pub(super) fn get(&self, var: Var) -> Option<Bound> {
        let mut env = self;
        while let Some(entry) = &env.0 {
            if entry.var == var {
                return Some(entry.bound);
            }
            env = &entry.outer;
        }
        None
    }
}

/// What was done to a region, its copies on the device included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Words of all values that were made in it.
    pub words: u64,
    /// The most words of values that were in it.
    pub most: u64,
    /// How often it grew, and by how many words.
    pub grown: u64,
    /// By how many words.
    pub grown_words: u64,
    /// Reads and writes of the host.
    pub reads: u64,
    /// Writes of the host.
    pub writes: u64,
    /// Reads and writes of the device.
    pub device_reads: u64,
    /// Writes of the device.
    pub device_writes: u64,
    /// Words that were brought to the device, gaps included, and back.
    pub to_device: u64,
    /// Words that were brought back.
    pub to_host: u64,
    /// How long the accesses of the host, allocation and transfers take; not those of the device, whose threads wait for
    /// several regions at once.
    pub time: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.words += other.words;
        self.most = self.most.max(other.most);
        self.grown += other.grown;
        self.grown_words = self.grown_words.saturating_add(other.grown_words);
        self.reads += other.reads;
        self.writes += other.writes;
        self.device_reads += other.device_reads;
        self.device_writes += other.device_writes;
        self.to_device += other.to_device;
        self.to_host += other.to_host;
        self.time = self.time.saturating_add(other.time);
    }
}

/// `R = (ap, s, refcnt, ν)` (def. 4.1, L3).
#[derive(Clone, Debug)]
pub(super) struct Region<'p> {
    /// `ap`: where the next value goes.
    pub(super) ap: u64,
    /// `s`: words.
    pub(super) size: u64,
    /// Threads that hold it (L53).
    pub(super) refcnt: u64,
    /// `ν`
    pub(super) values: BTreeMap<u64, Stored<'p>>,
    /// The words of all values.
    pub(super) live: u64,
    /// While branches of a `||` or `parmap` of the host run: the words from the first number on, up to the second one,
    /// are reserved for what an earlier branch ran on the device (L63).
    pub(super) reserved: Option<(u64, u64)>,
    /// Was it ever copied to the device? Then words may be left free between values.
    pub(super) was_pushed: bool,
    /// Of a copy on the device: the address of its first word, and the memory that its threads find it in (L29, L32).
    pub(super) base: u64,
    pub(super) space: Space,
    /// Where the program makes it.
    pub(super) binder: Var,
    pub(super) counts: Counts,
}

impl<'p> Region<'p> {
    /// A region of so many words.
    pub(super) fn new(binder: Var, size: u64) -> Self {
        let (values, space, counts) = (BTreeMap::new(), Space::Global, Counts::default());
        let refcnt = 1;
        Self {
            ap: 0,
            size,
            refcnt,
            values,
            live: 0,
            reserved: None,
            was_pushed: false,
            base: 0,
            space,
            binder,
            counts,
        }
    }

    /// Words that are left.
    pub(super) fn free(&self) -> u64 {
        self.size - self.ap
    }

    /// `ν[ap ↦ v]`: puts a value that fits behind the others.
    pub(super) fn put(&mut self, value: Stored<'p>) -> u64 {
        let (offset, words) = (self.ap, value.words());
        self.ap += words;
        self.live += words;
        self.counts.words += words;
        self.values.insert(offset, value);
        offset
    }

    /// What holds of every region (theorem 4.4): values lie apart, before `ap`, which is not behind `s`, and words between
    /// them are only left free where a copy was on the device.
    ///
    /// # Errors
    /// What does not hold.
    pub(super) fn well_formed(&self) -> Eval {
        let (mut end, mut words) = (0, 0);
        let mut apart = true;
        for (offset, value) in &self.values {
            apart &= end <= *offset;
            end = offset + value.words();
            words += value.words();
        }
        let gaps = self.ap.saturating_sub(words);
        let broken = match self {
            _ if !apart || words != self.live => "two values of a region have one place",
            _ if end > self.ap || self.ap > self.size => "a value lies outside of its region",
            _ if gaps > 0 && !self.was_pushed => "words are left free between values",
            _ => return Ok(()),
        };
        broke(broken)
    }

    /// Bytes of the run's memory.
    pub(super) fn bytes(&self) -> u64 {
        self.values.values().map(Stored::bytes).sum()
    }
}

/// A theorem of the paper does not hold of the run.
pub(super) fn broke<T>(what: &str) -> Eval<T> {
    Err(Box::new(Stop::Broken(Broken::Panic(what.to_owned()))))
}

/// `S`: regions, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack<'p> {
    regions: Vec<(Name, Region<'p>)>,
}

impl<'p> Stack<'p> {
    /// `S, r ↦ R`
    pub(super) fn push(&mut self, name: Name, region: Region<'p>) {
        debug_assert!(self.regions.last().is_none_or(|(last, _)| *last < name));
        self.regions.push((name, region));
    }

    /// `S ∖ r` for the youngest region.
    pub(super) fn pop(&mut self) -> Option<(Name, Region<'p>)> {
        self.regions.pop()
    }

    /// `S(r)`
    pub(super) fn get(&self, name: Name) -> Option<&Region<'p>> {
        let at = self.regions.binary_search_by_key(&name, |(name, _)| *name).ok()?;
        Some(&self.regions[at].1)
    }

    /// `S(r)`, to be changed in place.
    pub(super) fn get_mut(&mut self, name: Name) -> Option<&mut Region<'p>> {
        let at = self.regions.binary_search_by_key(&name, |(name, _)| *name).ok()?;
        Some(&mut self.regions[at].1)
    }

    /// The youngest region.
    pub(super) fn last(&self) -> Option<&Region<'p>> {
        self.regions.last().map(|(_, region)| region)
    }

    /// How many regions there are.
    pub(super) fn len(&self) -> usize {
        self.regions.len()
    }

    /// Each region, the oldest first.
    pub(super) fn regions_mut(&mut self) -> impl Iterator<Item = &mut Region<'p>> {
        self.regions.iter_mut().map(|(_, region)| region)
    }
}

/// `T = {C ↦ S₁, G ↦ S₂}`
#[derive(Debug, Default)]
pub(super) struct Table<'p> {
    pub(super) host: Stack<'p>,
    pub(super) device: Stack<'p>,
}

impl<'p> Table<'p> {
    /// `T(ω)`
    pub(super) fn of(&mut self, world: World) -> &mut Stack<'p> {
        match world {
            World::C => &mut self.host,
            World::G => &mut self.device,
        }
    }
}
