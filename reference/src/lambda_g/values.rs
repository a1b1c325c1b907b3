//! All that a run of λG consists of (fig. 1, def. 4.1): values, regions, region stacks and configuration tables.

use super::syntax::{Lambda, RegionLambda, World};
use crate::kit::names::Var;
use crate::kit::outcome::Broken;
use crate::kit::run::{Eval, Stop};
use crate::kit::tap::Space;
use crate::kit::text::Span;
use serde::Serialize;
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

/// Roughly the bytes that a heap takes beside what is in it: its own, and counts of references.
pub(super) const HEAP: usize = 32;

/// What grows leaves one place free for so many that it has, so that what is free is little and counted.
pub(super) const SPARE: usize = 4;

/// Makes room for one more.
pub(super) fn grow<T>(of: &mut Vec<T>) {
    if of.len() == of.capacity() {
        of.reserve_exact((of.len() / SPARE).max(4));
    }
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

    /// Roughly what it takes of the memory of the run, in bytes, with its part of what is left free for the next values.
    pub(super) fn bytes(&self) -> u64 {
        let beside = match self {
            Stored::Int(_) | Stored::Pair(..) => 0,
            Stored::Vector(elements) => HEAP + size_of_val(&**elements),
            Stored::Closure(..) => HEAP + size_of::<Entry>(),
        };
        let entry = size_of::<(u64, Stored<'_>)>();
        (entry + entry / SPARE + beside) as u64
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
    /// `ν`; of a copy on the device what was made there. No one writes what both sides have, so they share it.
    values: Rc<Values<'p>>,
    /// Of a copy: `ν` of the region as it was pushed.
    pushed: Option<Rc<Values<'p>>>,
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
    /// The regions that its `letregion` says to outlive it.
    pub(super) older: Rc<[Name]>,
    pub(super) counts: Counts,
    /// Words of all values that were put on this side, without those that a merge brought.
    put: u64,
    /// Merges that branches around may still put something behind: what this side has put is that of then.
    open: Vec<Merged>,
}

/// What a region has after a merge, and which side it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The `on` that was over.
    pub site: Span,
    /// The region, where the program makes it.
    pub region: Var,
    /// Words of what both sides had: all values of the region when it was copied.
    pub both: u64,
    /// The first word behind them, and the words of what the device made from there on.
    pub device: [u64; 2],
    /// The first word that the host could use meanwhile, and the words of what later branches made there until all
    /// branches were joined.
    pub host: [u64; 2],
}

impl<'p> Region<'p> {
    /// A region of so many words.
    pub(super) fn new(binder: Var, size: u64) -> Self {
        let (space, counts) = (Space::Global, Counts::default());
        let refcnt = 1;
        Self {
            ap: 0,
            size,
            refcnt,
            values: Rc::default(),
            pushed: None,
            live: 0,
            reserved: None,
            was_pushed: false,
            base: 0,
            space,
            binder,
            older: Rc::default(),
            counts,
            put: 0,
            open: Vec::new(),
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
        self.put += words;
        self.counts.words += words;
        Rc::make_mut(&mut self.values).put(offset, value);
        offset
    }

    /// `ν(o)`
    pub(super) fn get(&self, offset: u64) -> Option<&Stored<'p>> {
        let pushed = || self.pushed.as_ref()?.get(offset);
        self.values.get(offset).or_else(pushed)
    }

    /// A copy that is not written yet, and shares what the region has.
    pub(super) fn copy(&self) -> Self {
        let (values, pushed) = (Rc::default(), Some(self.values.clone()));
        let (counts, open) = (Counts::default(), Vec::new());
        let older = self.older.clone();
        Region { counts, values, pushed, older, put: 0, open, ..*self }
    }

    /// An `on` is over, of which the copy had so many words when it was made: see [`Region::merges`].
    pub(super) fn merging(&mut self, site: Span, both: u64, copy: &Region<'p>) {
        let Some((start, end)) = self.reserved else { unreachable!("it was pushed") };
        let (region, device, host) = (self.binder, [start, copy.put], [end, self.put]);
        self.open.push(Merged { site, region, both, device, host });
    }

    /// All branches are joined, or the region is over: the merges since that was so before.
    pub(super) fn merges(&mut self) -> impl Iterator<Item = Merged> {
        let put = self.put;
        self.open.drain(..).map(move |mut merged| {
            merged.host[1] = put - merged.host[1];
            merged
        })
    }

    /// What was made in a copy, which is over.
    pub(super) fn made(self) -> Values<'p> {
        Rc::unwrap_or_clone(self.values)
    }

    /// Takes what was made in a copy, at the same places.
    pub(super) fn take(&mut self, made: Values<'p>) {
        self.live += made.all.iter().map(|(_, value)| value.words()).sum::<u64>();
        let values = Rc::make_mut(&mut self.values);
        made.all.into_iter().for_each(|(offset, value)| values.put(offset, value));
    }

    /// What holds of every region (theorem 4.4): values lie apart, before `ap`, which is not behind `s`, and words between
    /// them are only left free where a copy was on the device.
    ///
    /// # Errors
    /// What does not hold.
    pub(super) fn well_formed(&self) -> Eval {
        let gaps = self.ap.saturating_sub(self.live);
        let broken = match self {
            _ if !self.values.apart => "two values of a region have one place",
            _ if self.values.end() > self.ap || self.ap > self.size => {
                "a value lies outside of its region"
            }
            _ if gaps > 0 && !self.was_pushed => "words are left free between values",
            _ => return Ok(()),
        };
        broke(broken)
    }

    /// Bytes of the run's memory, but for what a copy shares with its region.
    pub(super) fn bytes(&self) -> u64 {
        self.values.bytes
    }
}

/// Values by their offsets.
#[derive(Clone, Debug)]
pub(super) struct Values<'p> {
    /// The offset of each is greater than that of the one before.
    all: Vec<(u64, Stored<'p>)>,
    /// Did each lie apart from the others where it was put?
    apart: bool,
    /// What they take of the memory of the run.
    bytes: u64,
}

impl Default for Values<'_> {
    fn default() -> Self {
        Self { all: Vec::new(), apart: true, bytes: 0 }
    }
}

impl<'p> Values<'p> {
    /// The value at an offset.
    pub(super) fn get(&self, offset: u64) -> Option<&Stored<'p>> {
        let at = self.all.binary_search_by_key(&offset, |(at, _)| *at).ok()?;
        Some(&self.all[at].1)
    }

    /// Puts a value, which mostly lies behind all others; over another one, if both have one place.
    fn put(&mut self, offset: u64, value: Stored<'p>) {
        let behind = self.all.last().is_none_or(|(last, _)| *last < offset);
        let at =
            if behind { self.all.len() } else { self.all.partition_point(|(at, _)| *at < offset) };
        let before = at.checked_sub(1).map_or(0, |before| end(&self.all[before]));
        let next = self.all.get(at).map_or(u64::MAX, |(next, _)| *next);
        self.apart &= before <= offset && offset + value.words() <= next;
        self.bytes += value.bytes();
        match self.all.get_mut(at) {
            Some((there, other)) if *there == offset => *other = value,
            _ => {
                grow(&mut self.all);
                self.all.insert(at, (offset, value));
            }
        }
    }

    /// Where the last one ends.
    fn end(&self) -> u64 {
        self.all.last().map_or(0, end)
    }

    /// Takes the last one away.
    pub(super) fn pop(&mut self) {
        self.all.pop();
    }

    /// The values, in order.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Stored<'p>> {
        self.all.iter_mut().map(|(_, value)| value)
    }
}

/// Where a value ends that lies there.
fn end((offset, value): &(u64, Stored<'_>)) -> u64 {
    offset + value.words()
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
