//! The tap that prices a run.

use super::blocks::Blocks;
use super::counts::{Part, Priced};
use super::device_box::DeviceBox;
use super::graph::{Graph, Greedy, Scheduled};
use super::machine::{Machine, Times};
use super::provider::Provider;
use super::report::{Kernel, Report, Statement};
use super::sample::{Choice, HostLoops, Sampling, Share};
use super::trace::{At, Positions, Thread};
use crate::kit::derivation::Recorder;
use crate::kit::rules::Roll;
use crate::kit::tap::{Access, Inside, Launch, Space, Tap};
use crate::kit::text::Span;
use rustc_hash::FxHashMap;
use std::any::Any;
use std::collections::BTreeMap;

/// More than a price can be given for: which launch, and what of it is too much.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The statement of the launch.
    pub site: Span,
    /// What is too much, and how much may be.
    pub why: String,
}

/// Most accesses, and branches and rounds without one, that are held: of one warp or, where work groups have barriers, of
/// one group up to the next of them.
/// And most lines that are held of a group, and positions.
const MOST: u64 = 1 << 22;

/// Most rounds of all threads of a launch: sums of prices stay numbers.
const MOST_ROUNDS: u64 = 1 << 48;

/// Where kernels run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum World {
    /// On the device (world 𝔾): a launch is a device box.
    Device,
    /// On the host (world ℂ): the threads of a launch are parts of `⨂`, for its processors to take.
    Host,
}

/// Where the run stands.
enum State {
    Host,
    Device(Box<Running>),
}

/// A launch that runs.
struct Running {
    launch: Launch,
    device: DeviceBox,
    positions: Positions,
    /// Threads of a group, and of a warp.
    group: u64,
    width: u64,
    /// Threads that are held: those of a group, which barriers hold up, or those of a warp.
    holds: u64,
    /// The number of the first thread that is held, those that are, and the one of them that runs.
    first: u64,
    threads: Vec<Thread>,
    /// How many of them are threads that run; the others only have room.
    running: usize,
    own: usize,
    held: u64,
    /// What a thread may execute.
    share: Share,
    /// Some thread has more rounds than can be priced.
    endless: bool,
    /// Edges of each thread, if they are asked for.
    lengths: Option<Vec<u64>>,
}

/// Prices the run that it is told of.
pub struct Pricer {
    machine: Machine,
    world: World,
    sampling: Option<Sampling>,
    state: State,
    blocks: Blocks,
    /// The clock when something was told last.
    clock: u64,
    /// Edges of the host since the last launch, of weight 1.
    edges: u64,
    loops: HostLoops,
    host: Times,
    work: u64,
    depth: u64,
    graph: Vec<(u64, Graph)>,
    kernels: BTreeMap<Span, Kernel>,
    parts: FxHashMap<(Span, At), Part>,
    too_large: Option<TooLarge>,
}

impl Pricer {
    /// Prices by this machine, which [is one](Machine::check).
    pub fn new(machine: Machine, world: World) -> Self {
        Self {
            machine,
            world,
            sampling: None,
            state: State::Host,
            blocks: Blocks::default(),
            clock: 0,
            edges: 0,
            loops: HostLoops::new(None),
            host: Times::default(),
            work: 0,
            depth: 0,
            graph: Vec::new(),
            kernels: BTreeMap::new(),
            parts: FxHashMap::default(),
            too_large: None,
        }
    }

    /// Prices by a part of the run: of each launch some work groups are executed, and some rounds of long loops. Results
    /// of the run are not what the program computes. On the host no round is left out that allocates or launches, and
    /// nothing at all where the host takes the place of a device.
    #[must_use]
    pub fn sampled(mut self, sampling: Sampling) -> Self {
        self.sampling = (self.world == World::Device).then_some(sampling);
        self.loops = HostLoops::new(self.sampling.as_ref());
        self
    }

    /// The one that a recorder carries.
    pub fn taken_from<R: Roll>(recorder: &mut Recorder<R>) -> Option<Self> {
        let tap: Box<dyn Any + Send> = recorder.take_tap()?;
        tap.downcast().ok().map(|pricer| *pricer)
    }

    /// What the run cost, after so many statements.
    ///
    /// # Errors
    /// A launch was too large to be priced.
    pub fn report(mut self, clock: u64) -> Result<Report, TooLarge> {
        if let Some(too_large) = self.too_large {
            return Err(too_large);
        }
        self.host_goes_to(clock);
        self.host_edges();
        let host_is_sampled = self.loops.is_sampled();
        let Self { machine, world, blocks, host, graph, kernels, parts, .. } = self;
        let graph = Graph::Serial(graph);
        let schedules = match world {
            World::Device => None,
            World::Host => Some(scheduled(&graph, &machine)?),
        };
        let mut times = host;
        times += blocks.transfers.times;
        for kernel in kernels.values() {
            times += kernel.times;
        }
        let mut statements: Vec<Statement> = Vec::new();
        for ((kernel, at), Part { accesses, time }) in parts {
            statements.push(Statement { kernel, site: at.span(), accesses, time });
        }
        statements.sort_by_key(|statement| (statement.kernel, statement.site));
        Ok(Report {
            machine,
            schedules,
            host_is_sampled,
            times,
            host,
            transfers: blocks.transfers,
            work: self.work,
            depth: self.depth,
            peak: blocks.peak,
            allocated: blocks.allocated,
            kernels: kernels.into_values().collect(),
            statements,
            graph,
        })
    }

    /// Statements that the host executed since it was told of last.
    fn host_goes_to(&mut self, clock: u64) {
        let executed = (clock - self.clock).saturating_mul(self.loops.times());
        self.edges = self.edges.saturating_add(executed);
        self.clock = clock;
    }

    /// The edges of the host up to here become a chain of the graph.
    fn host_edges(&mut self) {
        let edges = std::mem::take(&mut self.edges);
        self.host += Times::same(edges);
        self.work += edges;
        self.depth += edges;
        match edges {
            _ if self.graph.is_empty() => self.graph.push((0, Graph::Chain { edges, weight: 1 })),
            0 => {}
            // The first of them leads there.
            _ => self.graph.push((1, Graph::Chain { edges: edges - 1, weight: 1 })),
        }
    }

    /// An edge of the host that takes so long.
    fn host_edge(&mut self, weight: u64) {
        self.host_edges();
        self.host += Times::same(weight);
        self.work += 1;
        self.depth += 1;
        self.graph.push((weight, Graph::VERTEX));
    }

    /// The running thread has come to where threads may part or meet; is what it did before one more event?
    #[inline]
    fn comes(&mut self, clock: u64, to: impl FnOnce(&mut Thread, &mut Positions) -> bool) {
        let executed = clock - self.clock;
        let State::Device(running) = &mut self.state else { return };
        self.clock = clock;
        let Running { threads, own, positions, .. } = &mut **running;
        let Some(own) = threads.get_mut(*own) else { return };
        own.executes(executed);
        if to(own, positions) {
            running.held += 1;
            self.holds();
        }
    }

    /// Refuses the launch if it makes the pricer hold too much.
    #[inline]
    fn holds(&mut self) {
        let State::Device(running) = &mut self.state else { return };
        if running.held.max(running.device.held() as u64) > MOST {
            // What is held is given up, so that the run goes on and ends.
            running.threads.iter_mut().for_each(Thread::passes);
            running.held = 0;
            running.device.phase_ends();
            let (site, holds) = (running.launch.site, running.holds);
            let what = "accesses, branches and rounds";
            let why = format!("{holds} threads that run at once make more than {MOST} {what}");
            self.refuse(site, why);
        }
    }

    fn refuse(&mut self, site: Span, why: String) {
        self.too_large.get_or_insert(TooLarge { site, why });
    }
}

/// What the processors of the host take for a graph, depth-first and breadth-first.
fn scheduled(graph: &Graph, machine: &Machine) -> Result<[Scheduled; 2], TooLarge> {
    let of = |greedy| graph.schedule(machine.processors, greedy);
    let both = [of(Greedy::DepthFirst), of(Greedy::BreadthFirst)];
    match both {
        [Ok(depth_first), Ok(breadth_first)] => Ok([depth_first, breadth_first]),
        [Err(vertices), _] | [_, Err(vertices)] => {
            let most = super::graph::MOST;
            let why = format!(
                "its graph has {vertices} vertices, and a schedule is made of {most} at most"
            );
            Err(TooLarge { site: Span::default(), why })
        }
    }
}

impl Running {
    fn new(launch: Launch, machine: &Machine, world: World, sampling: Option<&Sampling>) -> Self {
        let group = launch.group.map_or(machine.width * machine.warps, u64::from);
        let at_once = (machine.threads / group.next_multiple_of(machine.width)).max(1);
        let choice = Choice::new(launch.threads.div_ceil(group), at_once, sampling);
        Self {
            launch,
            device: DeviceBox::new(machine, choice),
            positions: Positions::new(At::of(launch.site)),
            group,
            width: machine.width,
            holds: if launch.group.is_some() { group } else { machine.width },
            first: 0,
            threads: Vec::new(),
            running: 0,
            own: 0,
            held: 0,
            share: Share::new(sampling),
            endless: false,
            lengths: (world == World::Host).then(Vec::new),
        }
    }

    /// The thread that runs.
    #[inline]
    fn own(&mut self) -> Option<&mut Thread> {
        self.threads[..self.running].get_mut(self.own)
    }

    /// The thread that runs has executed so many statements more.
    #[inline]
    fn executes(&mut self, statements: u64) {
        if let Some(own) = self.own() {
            own.executes(statements);
        }
    }

    /// All is told that the threads which are held do up to a barrier, or to their end.
    fn phase(&mut self) {
        let running = &mut self.threads[..self.running];
        running.iter_mut().for_each(|thread| thread.ends(&self.positions));
        for warp in running.chunks(self.width as usize) {
            self.device.warp(warp, &self.positions);
        }
        self.threads.iter_mut().for_each(Thread::passes);
        self.held = 0;
    }

    /// The threads that are held have ended; the next one that runs is this.
    fn threads_end(&mut self, next: Option<u64>) {
        if self.running == 0 {
            return;
        }
        self.phase();
        for warp in self.threads[..self.running].chunks(self.width as usize) {
            self.device.warp_ends(warp);
        }
        if let Some(lengths) = &mut self.lengths {
            lengths.extend(self.threads[..self.running].iter().map(Thread::length));
        }
        self.running = 0;
        if next.is_none_or(|next| next / self.group != self.first / self.group) {
            self.device.group_ends();
        }
        // Positions are the same in most groups: they are kept as long as they are few.
        if self.positions.count() as u64 > MOST {
            self.positions = Positions::new(At::of(self.launch.site));
        }
    }

    fn ends(mut self) -> (Launch, Priced, Option<Vec<u64>>) {
        self.threads_end(None);
        (self.launch, self.device.ends(), self.lengths)
    }
}

impl Tap for Pricer {
    fn alloc(&mut self, block: u32, words: u64, clock: u64) {
        let times = match &mut self.state {
            State::Host => 1,
            State::Device(running) => {
                let stands = running.device.stands_in_all();
                running.own().map_or(1, |own| own.times).saturating_mul(stands)
            }
        };
        self.blocks.alloc(block, words, times, self.machine.width);
        // Parameters are there before the run, and cost nothing (L49).
        if let (State::Host, 1..) = (&self.state, clock) {
            self.host_edge(self.machine.allocate(words));
        }
    }

    fn free(&mut self, block: u32) {
        self.blocks.free(block);
    }

    fn passes(&mut self, block: u32, writes: bool) {
        self.blocks.host(block, writes, &self.machine);
    }

    fn launch(&mut self, launch: Launch, clock: u64) {
        self.host_goes_to(clock);
        self.host_edges();
        self.blocks.launch();
        self.state = State::Device(Box::new(Running::new(
            launch,
            &self.machine,
            self.world,
            self.sampling.as_ref(),
        )));
    }

    fn is_over(&self) -> bool {
        self.too_large.is_some()
    }

    fn next_thread(&mut self, number: u64) -> u64 {
        if self.is_over() {
            return u64::MAX;
        }
        let State::Device(running) = &self.state else { return number };
        let group = number / running.group;
        match running.device.next_group(group) {
            own if own == group => number,
            next => next.saturating_mul(running.group),
        }
    }

    fn next_group(&mut self, number: u64) -> u64 {
        match &self.state {
            _ if self.is_over() => u64::MAX,
            State::Device(running) => running.device.next_group(number),
            State::Host => number,
        }
    }

    fn thread(&mut self, number: u64, clock: u64) {
        let executed = clock - self.clock;
        self.clock = clock;
        let State::Device(running) = &mut self.state else { return };
        running.executes(executed);
        let first = number - number % running.holds;
        if first != running.first {
            running.threads_end(Some(first));
            if first / running.group != running.first / running.group {
                running.device.group_starts(first / running.group);
            }
            running.first = first;
        }
        running.own = (number - first) as usize;
        let share = running.share;
        while running.running <= running.own {
            match running.threads.get_mut(running.running) {
                Some(thread) => thread.starts(share),
                None => running.threads.push(Thread::new(share)),
            }
            running.running += 1;
        }
    }

    fn barrier(&mut self, clock: u64) {
        let executed = clock - self.clock;
        self.clock = clock;
        let State::Device(running) = &mut self.state else { return };
        running.executes(executed);
        running.phase();
        running.device.barrier();
    }

    fn ends(&mut self, clock: u64) {
        let executed = clock - self.clock;
        self.clock = clock;
        let State::Device(mut running) = std::mem::replace(&mut self.state, State::Host) else {
            return;
        };
        running.executes(executed);
        let (launch, mut priced, lengths) = running.ends();
        priced.times.cal += self.machine.calibrated.launch;
        let at_once = launch.threads.min(self.machine.threads);
        let [there, back] = self.blocks.ends(at_once, &self.machine);
        self.work += priced.work;
        self.depth += priced.longest;
        self.graph.push(match lengths {
            None => (there.paper + priced.times.paper + back.paper, Graph::VERTEX),
            Some(lengths) => {
                let chain = |edges| Graph::Chain { edges, weight: 1 };
                (1, Graph::Parallel(lengths.into_iter().map(chain).collect()))
            }
        });
        for (at, part) in &priced.parts {
            let whole = self.parts.entry((launch.site, *at)).or_default();
            whole.accesses += part.accesses;
            whole.time += part.time;
        }
        let kernel = self.kernels.entry(launch.site).or_insert_with(|| Kernel::new(launch.site));
        kernel.add(&launch, &priced);
    }

    fn access(&mut self, access: Access, clock: u64) {
        let executed = clock - self.clock;
        self.clock = clock;
        let Access { space, block, offset, writes, site } = access;
        let State::Device(running) = &mut self.state else {
            // One edge for the access, and those of the statements before it.
            let edges = (executed + 1).saturating_mul(self.loops.times());
            self.edges = self.edges.saturating_add(edges);
            self.blocks.host(block, writes, &self.machine);
            return;
        };
        let address = match space {
            Space::Global => self.blocks.device(block, writes).saturating_add(offset),
            Space::Group => offset,
        };
        let Some(own) = running.own() else { return };
        own.executes(executed);
        own.access(At::of(site), space, address);
        running.held += 1;
        self.holds();
    }

    fn parts(&mut self, site: Span, clock: u64) {
        self.comes(clock, |own, positions| own.parts(positions, At::of(site), 0));
    }

    fn joins(&mut self, site: Span, side: u32, clock: u64) {
        self.comes(clock, |own, positions| own.parts(positions, At::of(site), 1 + side));
    }

    fn enter(&mut self, site: Span, inside: Inside, clock: u64) {
        let repeated = |site: Span| Some(*self.sampling.as_ref()?.loops.get(&site)?);
        let on_host = matches!(self.state, State::Host);
        let sampled = match inside {
            Inside::Unknown => None,
            Inside::Rounds(count) => repeated(site)
                .filter(|repeated| !(on_host && repeated.acts))
                .map(|repeated| (count, repeated.height)),
            Inside::Copy(count) => self.sampling.as_ref().map(|_| (count, 1)),
        };
        if on_host {
            self.host_goes_to(clock);
            self.loops.enter(sampled);
        }
        self.comes(clock, |own, positions| own.enter(positions, At::of(site), sampled));
    }

    fn next_round(&mut self, number: u64) -> u64 {
        if self.is_over() {
            return u64::MAX;
        }
        let State::Device(running) = &mut self.state else { return self.loops.next(number) };
        running.own().map_or(number, |own| own.next_round(number))
    }

    fn round(&mut self, clock: u64) {
        self.comes(clock, Thread::round);
        let State::Device(running) = &mut self.state else {
            self.host_goes_to(clock);
            self.loops.starts();
            return;
        };
        let Running { threads, own, launch, endless, .. } = &mut **running;
        let Some(own) = threads.get(*own) else { return };
        let all = own.times.saturating_mul(launch.threads);
        if all > MOST_ROUNDS && !std::mem::replace(endless, true) {
            let site = launch.site;
            let why = format!("its threads have more than {MOST_ROUNDS} rounds of loops");
            self.refuse(site, why);
        }
    }

    fn leave(&mut self, clock: u64) {
        if matches!(self.state, State::Host) {
            self.host_goes_to(clock);
            self.loops.leave();
        }
        self.comes(clock, |own, positions| own.leave(positions));
    }
}
