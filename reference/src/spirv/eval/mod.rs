//! The executor: work groups one after the other, the invocations of a group from barrier to
//! barrier. If the [`Schedule`] preempts, several groups are [under way](together) at once, and invocations are left at
//! atomic operations.

mod cold;
mod exec;
mod memory;
mod parts;
mod planted;
mod relaxed;
mod repeats;
mod rounding;
mod subgroups;
mod together;

use super::rules::Rule;
use super::syntax::{Block, Input, Module, NONE};
use super::values::{
    Buffer, Cell, Clash, Finding, Launch, MAX_FINDINGS, MAX_NOTES, Note, Place, Remark, Repeats,
    Report, Slot, Strictness, error_of,
};
use crate::kit::derivation::Recorder;
use crate::kit::faults::{Planted, WrongJudge};
use crate::kit::groups::{self, Shadow};
use crate::kit::schedule::Schedule;
use exec::Stopped;
use relaxed::Relaxed;
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes that a word of a buffer takes, with its shadow, where no number in buffers has less than 32 bits.
pub const WORD_BYTES: u64 = 4 + groups::BYTES;

/// An invocation, as far as it has come.
#[derive(Clone, Debug, Default)]
struct Invocation {
    /// Frames, the running function's last.
    registers: Vec<Slot>,
    /// Inputs, private variables, and the variables of functions.
    own: Vec<Slot>,
    calls: Vec<Return>,
    /// The next operation.
    next: usize,
    /// Where its frame starts.
    frame: usize,
    function: u32,
    /// Where the variables of its function start.
    memory: usize,
    state: State,
}

/// Where a call returns to.
#[derive(Clone, Copy, Debug)]
struct Return {
    next: usize,
    frame: usize,
    function: u32,
    memory: usize,
    to: u32,
}

/// How far an invocation has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ready,
    /// At the barrier that is this operation.
    Waiting(usize),
    Done,
}

impl State {
    /// The barrier at which it waits, or the subgroup operation.
    fn barrier(self) -> Option<usize> {
        match self {
            State::Waiting(at) => Some(at),
            State::Ready | State::Done => None,
        }
    }
}

/// A premise that failed, before it is put into words.
#[derive(Debug)]
struct Failure {
    rule: Rule,
    premise: &'static str,
    at: usize,
    text: String,
    /// Of the undefined value.
    origin: u32,
}

/// Memory that launches share, so that none is made anew for each.
#[derive(Default)]
pub struct Executor {
    invocations: Vec<Invocation>,
    group: Vec<Slot>,
    group_shadow: Shadow,
    shadows: Vec<Shadow>,
    /// Bytes at which what is open begins in the buffers, from one launch to the next.
    open: FxHashMap<(usize, usize), u32>,
    /// The only cells of which traced launches keep who accessed them, if there are such.
    traces: Option<Vec<Cell>>,
}

/// The buffer of a binding, and whether it may be written.
struct Binding {
    buffer: usize,
    written: bool,
}

/// What is asked of a block when it is entered, and how often it was.
struct Entry {
    count: u64,
    start: u32,
    cost: u32,
    onward: u32,
}

impl Entry {
    fn of(block: &Block) -> Self {
        Self { count: 0, start: block.start, cost: block.cost, onward: block.onward }
    }
}

/// By cell, invocation and whether it wrote: the operation, and what the cell held behind it.
type Trace = FxHashMap<(Cell, u32, bool), (u32, u64)>;

/// A launch that runs.
struct Running<'m> {
    module: &'m Module,
    buffers: &'m mut [Buffer],
    /// Of each binding of the module.
    bound: Vec<Binding>,
    shadows: &'m mut [Shadow],
    group: &'m mut Vec<Slot>,
    group_shadow: &'m mut Shadow,
    /// Invocations of a group.
    size: u32,
    /// Number of the group's first invocation, and of the running one.
    first: u32,
    invocation: u32,
    /// Barriers passed by the group: of buffers, and of its own memory.
    epochs: [u32; 2],
    fuel: u64,
    /// Invocations of a subgroup.
    subgroup: u32,
    schedule: &'m mut dyn Schedule,
    /// Of the schedule: is an invocation left where it could go on?
    preempts: bool,
    blocks: Vec<Entry>,
    strictness: Strictness,
    planted: Planted,
    /// Of the schedule: the stores that atomic loads may give.
    relaxed: Option<Box<Relaxed>>,
    findings: Vec<Finding>,
    notes: Vec<Note>,
    noted: FxHashSet<(Remark, usize)>,
    repeats: Option<Repeats>,
    /// Words of memory that may be looked at to see whether it repeats.
    looks_at: u64,
    /// The block for which there was no fuel.
    stopped: u32,
    /// Atomic operations so far, those of them that changed a word, and the last one.
    atomics: u64,
    changed: u64,
    last_atomic: usize,
    /// Of indices that were outside: the element, and what is wrong with it in a sentence.
    elements: FxHashMap<usize, (Option<String>, String)>,
    /// Is there no other invocation that could change what this one reads?
    alone: bool,
    /// Bytes at which what is open begins in buffers, by the number of the buffer, and since which operation.
    open: &'m mut FxHashMap<(usize, usize), u32>,
    /// Premises of arithmetic that failed, and at which operations.
    partial: Vec<(usize, Rule, u8)>,
    traces: Option<&'m [Cell]>,
    /// By which operation an invocation read or wrote a cell last, and what it held behind that, if that is kept.
    trace: Option<Trace>,
}

impl Executor {
    /// Nothing is kept yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// One of which traced launches keep only who accessed these cells.
    pub fn tracing(cells: Vec<Cell>) -> Self {
        Self { traces: Some(cells), ..Self::default() }
    }

    /// By about how much devices may differ in the float that is a word of a buffer, or in one of the two of 16 bits there, by
    /// the buffer's number, behind the launches; 0 if it is the same on all of them.
    pub fn error(&self, buffer: usize, word: usize) -> f64 {
        let of = |byte| error_of(self.open.get(&(buffer, byte)).copied().unwrap_or(0));
        of(4 * word).max(of(4 * word + 2))
    }

    /// Runs the entry point of the module over the buffers, its groups and invocations as the schedule has
    /// them.
    pub fn launch(
        &mut self,
        module: &Module,
        buffers: &mut [Buffer],
        launch: &Launch,
        schedule: &mut dyn Schedule,
        recorder: &mut Recorder<Rule>,
    ) -> Report {
        let mut bound = Vec::new();
        for wanted in &module.bound {
            let place = (wanted.set, wanted.binding);
            match buffers.iter().position(|buffer| (buffer.set, buffer.binding) == place) {
                Some(buffer) => bound.push(Binding { buffer, written: wanted.written }),
                None => return Report { missing: Some(place), ..Report::default() },
            }
        }
        self.shadows.resize_with(buffers.len().max(self.shadows.len()), Shadow::default);
        for (shadow, buffer) in self.shadows.iter_mut().zip(buffers.iter()) {
            shadow.start(buffer.words.len() * module.cells as usize);
        }
        let relaxed = schedule.relaxes().then(Box::default);
        let mut running = Running {
            module,
            buffers,
            bound,
            shadows: &mut self.shadows,
            group: &mut self.group,
            group_shadow: &mut self.group_shadow,
            size: module.size.iter().product(),
            first: 0,
            invocation: 0,
            epochs: [0, 0],
            fuel: launch.fuel,
            subgroup: planted::subgroup(launch).max(1),
            preempts: planted::preempts(launch, schedule),
            schedule,
            blocks: module.blocks.iter().map(Entry::of).collect(),
            strictness: launch.strictness,
            planted: launch.planted,
            relaxed,
            findings: Vec::new(),
            notes: Vec::new(),
            noted: FxHashSet::default(),
            repeats: None,
            looks_at: 0,
            last_atomic: usize::MAX,
            elements: FxHashMap::default(),
            stopped: NONE,
            atomics: 0,
            changed: 0,
            alone: module.size.iter().chain(&launch.groups).all(|n| *n == 1),
            open: &mut self.open,
            partial: Vec::new(),
            traces: self.traces.as_deref(),
            trace: launch.traced.then(FxHashMap::default),
        };
        let ended = running.groups(launch, &mut self.invocations);
        if let Err(failure) = ended {
            let finding = running.finding(*failure);
            running.findings.push(finding);
        }
        running.report(recorder)
    }
}

impl Running<'_> {
    fn groups(
        &mut self,
        launch: &Launch,
        invocations: &mut Vec<Invocation>,
    ) -> Result<(), Box<Failure>> {
        let count: u64 = launch.groups.iter().map(|groups| u64::from(*groups)).product();
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        if self.preempts {
            return self.together(launch, count, invocations);
        }
        let places = self.module.at_once() as usize;
        if invocations.len() < places {
            invocations.resize_with(places, Invocation::default);
        }
        for invocation in &mut invocations[..places] {
            self.frame(invocation);
        }
        // What another module left there.
        self.group.clear();
        for group in self.schedule.order(count.into()).numbers(count) {
            self.first = group.wrapping_mul(self.size);
            self.epochs = [0, 0];
            if !self.module.group.is_empty() {
                self.group.clone_from(&self.module.group);
                self.group_shadow.start(self.group.len());
            }
            let id = group_id(group, launch.groups);
            if self.module.barriers {
                for number in 0..self.size {
                    self.prepare(&mut invocations[number as usize], number, id, launch.groups);
                }
                let ended = self.phases(&mut invocations[..places]);
                if self.is_asked(&ended) {
                    self.group_repeats(&mut invocations[..places], count > 1);
                }
                ended?;
            } else {
                for number in self.schedule.order(self.size.into()).numbers(self.size) {
                    self.invocation = self.first.wrapping_add(number);
                    self.prepare(&mut invocations[0], number, id, launch.groups);
                    let ended = self.go(&mut invocations[0]);
                    if self.is_asked(&ended) {
                        self.invocation_repeats(&mut invocations[0]);
                    }
                    ended?;
                }
            }
        }
        Ok(())
    }

    /// From barrier to barrier, until all invocations of the group are done.
    fn phases(&mut self, invocations: &mut [Invocation]) -> Result<(), Box<Failure>> {
        loop {
            let order = self.schedule.order(self.size.into()).numbers(self.size);
            for number in order {
                if invocations[number as usize].state == State::Ready {
                    self.turn(invocations, number)?;
                }
            }
            if !self.go_on(invocations)? {
                return Ok(());
            }
        }
    }

    /// All invocations of the group wait or are done: what they wait for takes place. False if all are done.
    fn go_on(&mut self, invocations: &mut [Invocation]) -> Result<bool, Box<Failure>> {
        if self.subgroups(invocations) {
            return Ok(true);
        }
        let Some((group, buffers)) = self.barrier(invocations)? else { return Ok(false) };
        let waiting = invocations.iter_mut().filter(|other| other.state != State::Done);
        waiting.for_each(|other| other.state = State::Ready);
        if buffers {
            self.passes();
        }
        self.epochs[0] += u32::from(buffers);
        self.epochs[1] += u32::from(group);
        Ok(true)
    }

    /// An invocation goes on as far as it can, or until it is left.
    fn turn(&mut self, invocations: &mut [Invocation], number: u32) -> Result<(), Box<Failure>> {
        self.invocation = self.first.wrapping_add(number);
        let invocation = &mut invocations[number as usize];
        invocation.state = match self.go(invocation)? {
            Stopped::Done => State::Done,
            Stopped::Waiting(at) => State::Waiting(at),
            Stopped::Left => State::Ready,
        };
        Ok(())
    }

    /// `OpControlBarrier`
    ///
    /// ```text
    /// all invocations of the group wait at it, or none does  (all)
    /// ────────────────────────────────────────────────────────────
    /// the next epoch of the memory that it orders begins
    /// ```
    fn barrier(
        &mut self,
        invocations: &[Invocation],
    ) -> Result<Option<(bool, bool)>, Box<Failure>> {
        let waiting = invocations.iter().position(|other| other.state.barrier().is_some());
        let Some(waiting) = waiting else { return Ok(None) };
        let at = invocations[waiting].state.barrier().unwrap_or(0);
        if let Some(other) = invocations.iter().position(|o| o.state != State::Waiting(at))
            && !self.wrong(WrongJudge::BarrierForSome)
        {
            self.invocation = self.first + waiting as u32;
            let elsewhere = match invocations[other].state.barrier() {
                Some(at) => format!("waits at {}", self.place(at)),
                None => "has returned".to_owned(),
            };
            let text = format!(
                "not all invocations of the work group reach the barrier: invocation {} {elsewhere}",
                self.first + other as u32
            );
            let rule = Rule::Barrier;
            let elsewhere = invocations[other].state.barrier();
            let origin = elsewhere.map_or(0, |at| Slot::undefined_at(at).origin);
            return Err(Box::new(Failure { rule, premise: "all", at, text, origin }));
        }
        match self.module.code[at] {
            super::syntax::Op::Barrier { group, buffers } => {
                Ok(Some(self.ordered(at, (group, buffers))))
            }
            _ => Ok(None),
        }
    }

    /// The frame of the entry point, and memory. An invocation writes the slots that are no constants before it
    /// reads them, so the next one may have it as it is.
    fn frame(&self, to: &mut Invocation) {
        let frame = &self.module.functions[self.module.entry as usize].frame;
        to.registers.resize(self.module.depth.0 as usize, Slot::UNDEFINED);
        to.registers[..frame.len()].copy_from_slice(frame);
        to.own.clone_from(&self.module.own);
    }

    /// Before the first instruction of an invocation.
    fn prepare(&self, to: &mut Invocation, number: u32, group: [u32; 3], groups: [u32; 3]) {
        let module = self.module;
        if module.phis_at_entry || module.writes_own {
            self.frame(to);
        }
        to.memory = to.own.len() - module.depth.1 as usize;
        to.calls.clear();
        to.frame = 0;
        to.function = module.entry;
        to.state = State::Ready;
        to.next = NONE as usize;
        let [x, y, _] = module.size;
        let local = [number % x, number / x % y, number / x / y];
        let value = |input: &Input| {
            let global = |d: usize| group[d].wrapping_mul(module.size[d]).wrapping_add(local[d]);
            match input {
                Input::GlobalId => [global(0), global(1), global(2)],
                Input::LocalId => local,
                Input::LocalIndex => [number, 0, 0],
                Input::GroupId => group,
                Input::Groups => groups,
                Input::GroupSize => module.size,
                Input::SubgroupSize => [self.subgroup, 0, 0],
                Input::SubgroupLocalId => [number % self.subgroup, 0, 0],
                Input::Subgroups => [self.size.div_ceil(self.subgroup), 0, 0],
                Input::SubgroupId => [number / self.subgroup, 0, 0],
            }
        };
        let put = |slots: &mut [Slot], (input, at): &(Input, u32)| {
            let slots = slots[*at as usize..].iter_mut().take(input.components());
            for (slot, k) in slots.zip(value(input)) {
                *slot = Slot::new(k.into());
            }
        };
        module.inputs.iter().for_each(|input| put(&mut to.own, input));
        module.framed.iter().for_each(|input| put(&mut to.registers, input));
        module.initial.iter().for_each(|(at, slot)| to.registers[*at as usize] = *slot);
    }

    fn place(&self, at: usize) -> Place {
        let module = self.module;
        let Some(site) = module.sites.get(at) else {
            return Place {
                opcode: "an undefined constant".to_owned(),
                result: None,
                name: None,
                line: None,
                function: String::new(),
            };
        };
        let function = module.function_ids[site.function as usize];
        Place {
            opcode: format!("Op{:?}", site.opcode),
            result: (site.result > 0).then_some(site.result),
            name: module.names.get(&site.result).cloned(),
            line: (site.line > 0).then_some(site.line),
            function: module.names.get(&function).cloned().unwrap_or(format!("%{function}")),
        }
    }

    fn finding(&self, failure: Failure) -> Finding {
        let Failure { rule, premise, at, mut text, origin } = failure;
        let origin = Slot::since(origin);
        let failed = self.partial.iter().find(|(failed, ..)| Some(*failed) == origin);
        let open = self.notes.iter().find(|note| {
            matches!(note.remark, Remark::Rounding | Remark::NotFinite) && note.origin.is_some()
        });
        let mut element = None;
        if let Some((of, outside)) = origin.and_then(|origin| self.elements.get(&origin)) {
            (element, text) = (of.clone(), outside.clone());
        }
        Finding {
            rule,
            premise,
            place: self.place(at),
            invocation: Some(self.invocation),
            text,
            origin: origin.map(|origin| self.place(origin)),
            failed: failed.map(|(_, rule, premise)| premise_of(*rule, *premise)),
            clash: None,
            element,
            behind: open.map(|note| note.place.clone()),
        }
    }

    /// Keeps a race, unless there are many.
    #[cold]
    fn race(&mut self, at: usize, text: String, clash: Clash) {
        if clash.equal && self.wrong(WrongJudge::EqualIsNoRace) {
            return;
        }
        if self.findings.len() < MAX_FINDINGS {
            let rule = Rule::Race;
            let failure = Failure { rule, premise: "race", at, text, origin: 0 };
            let finding = self.finding(failure);
            self.findings.push(Finding { clash: Some(clash), ..finding });
        }
    }

    /// Keeps a remark on an instruction, once.
    #[cold]
    fn note(&mut self, remark: Remark, at: usize, origin: u32, text: String) {
        if self.is_blind_to(remark) {
            return;
        }
        if self.notes.len() < MAX_NOTES && self.noted.insert((remark, at)) {
            let origin = Slot::since(origin).map(|origin| self.place(origin));
            let (place, invocation) = (self.place(at), self.invocation);
            let element = self.elements.get(&at).and_then(|(element, _)| element.clone());
            self.notes.push(Note { remark, place, invocation, origin, text, element });
        }
    }

    /// An index is outside of an array.
    #[cold]
    fn outside(&mut self, at: usize, index: i32, count: u64) {
        let array = self.module.named(self.module.sites[at].result);
        let text = match array {
            Some(array) => format!("`{array}` has no element {index}: it has {count}"),
            None => format!("index {index} of an array of {count}"),
        };
        let element = array.map(|array| format!("{array}[{index}]"));
        self.elements.entry(at).or_insert((element, text.clone()));
        self.note(Remark::BadRead, at, 0, text);
    }

    fn report(self, recorder: &mut Recorder<Rule>) -> Report {
        recorder.fire(Rule::Race, 1);
        let mut instructions = 0;
        for (block, Entry { count, .. }) in self.module.blocks.iter().zip(&self.blocks) {
            if *count == 0 {
                continue;
            }
            instructions += count * u64::from(block.cost);
            for (rule, each) in self.module.rules_of(block) {
                recorder.fire(*rule, count * u64::from(*each));
            }
        }
        for (_, rule, premise) in &self.partial {
            recorder.fail(*rule, premise_of(*rule, *premise));
        }
        for finding in &self.findings {
            recorder.fail(finding.rule, finding.premise);
        }
        let (stale, atomic_words) = (self.stale(), self.atomic_words());
        let waits = (self.last_atomic != usize::MAX).then(|| self.place(self.last_atomic));
        Report {
            findings: self.findings,
            notes: self.notes,
            waits,
            stale,
            atomic_words,
            repeats: self.repeats,
            instructions,
            missing: None,
        }
    }
}

/// The name of a premise, which operations give by its number, from 1.
fn premise_of(rule: Rule, number: u8) -> &'static str {
    crate::kit::rules::Roll::info(rule).premises()[usize::from(number) - 1]
}

/// The number of a work group in each dimension.
fn group_id(group: u32, [x, y, _]: [u32; 3]) -> [u32; 3] {
    [group % x, group / x % y, group / x / y]
}
