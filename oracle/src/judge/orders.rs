//! Runs of a shader, each in an order of its own.

use super::Judge;
use super::contents::Contents;
use super::devices::Asked;
use super::shader::Loaded;
use compiler::emit::foreign::Resource;
use reference::kit::derivation::Recorder;
use reference::kit::faults::{Fault, Planted, WrongJudge};
use reference::kit::schedule::Order;
use reference::spirv::eval::Executor;
use reference::spirv::values::{Buffer, Cell, Finding, Launch, Note, Place, Repeats, Strictness};

/// A run.
pub(super) struct Run {
    /// In which order, with which size of subgroups.
    pub(super) order: String,
    pub(super) subgroup: u32,
    pub(super) buffers: Vec<Vec<u32>>,
    pub(super) findings: Vec<Finding>,
    pub(super) notes: Vec<Note>,
    /// By how much words of each buffer may differ from one device to another.
    pub(super) errors: Vec<Vec<f64>>,
    /// Where atomic loads gave older values, if they might.
    pub(super) stale: Vec<Place>,
    /// How many words atomic operations stored to, if so.
    pub(super) atomic_words: usize,
    /// What the run was doing when its fuel was gone, if it did not end.
    pub(super) endless: Option<Finding>,
    /// What comes back to a state in which it was.
    pub(super) repeats: Option<Repeats>,
    /// Where an invocation waits that has no fuel left.
    pub(super) waits: Option<Place>,
    /// How many instructions were executed, and might be by an invocation.
    instructions: u64,
    fuel: u64,
}

impl Run {
    /// Has it come to its end and found nothing?
    pub(super) fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.endless.is_none()
    }

    /// Would it go on for ever, whatever the order?
    pub(super) fn never_ends(&self) -> bool {
        self.repeats.as_ref().is_some_and(|repeats| repeats.settled)
    }

    /// Was there too little fuel, so that nothing is known of its end?
    pub(super) fn is_cut(&self) -> bool {
        self.endless.is_some() && self.repeats.is_none()
    }
}

/// The orders that are tried: fair ones, and in the place of one of them one in which invocations starve.
pub(super) fn orders(judge: &Judge) -> impl Iterator<Item = Order> {
    let starving = match judge.planted.is(Fault::Judge(WrongJudge::NobodyStarves)) {
        true => None,
        false => Some(STARVING),
    };
    let fair = (0..).zip(fair_orders(judge));
    fair.map(move |(number, order)| if starving == Some(number) { Order::Starving } else { order })
}

/// As they are counted, backwards, then by turns drawn orders and drawn steps.
pub(super) fn fair_orders(judge: &Judge) -> impl Iterator<Item = Order> {
    let seed = judge.seed;
    (0..judge.orders.max(1)).map(move |number| {
        let drawn = seed.wrapping_mul(4_096).wrapping_add(u64::from(number));
        match number {
            0 => Order::InOrder,
            1 => Order::Reversed,
            _ if number % 4 == 2 => Order::Shuffled(drawn),
            _ => Order::Interleaved(drawn),
        }
    })
}

/// The runs of a shader with subgroups of this size. Each order is run with little fuel first, which shows most loops that make
/// no progress. An order that neither ends then nor shows such a loop is run again with all fuel, unless runs before it took too
/// many instructions.
pub(super) fn tried(
    judge: &Judge,
    loaded: &Loaded,
    asked: Asked<'_>,
    (orders, subgroup): (&[Order], u32),
) -> Vec<Run> {
    let run = |order, fuel| {
        let how = How { order, subgroup, fuel, relaxed: None, planted: judge.planted };
        let quick = once(loaded, asked, how, None);
        let clashes = quick.findings.iter().filter_map(|finding| finding.clash.as_ref());
        let raced: Vec<Cell> = clashes.map(|clash| clash.cell).collect();
        // Again, for the earlier accesses of races, unless that comes later.
        match raced.is_empty() || quick.is_cut() && fuel < judge.fuel {
            true => quick,
            false => once(loaded, asked, how, Some(raced)),
        }
    };
    let little = judge.fuel.min(LITTLE);
    let first = orders.iter().map(|order| run(*order, little));
    let mut runs: Vec<(Order, Run)> = orders.iter().copied().zip(first).collect();
    if judge.fuel > little && !runs.iter().any(|(_, run)| run.never_ends()) {
        again(&mut runs, (judge.fuel, run));
    }
    runs.into_iter()
        .filter_map(|(_, run)| (run.fuel == judge.fuel || !run.is_cut()).then_some(run))
        .collect()
}

/// Runs again, with all fuel, what was cut. One that others go on in meanwhile comes second.
fn again(runs: &mut [(Order, Run)], (fuel, run): (u64, impl Fn(Order, u64) -> Run)) {
    let mut left: Vec<usize> = (0..runs.len()).filter(|n| runs[*n].1.is_cut()).collect();
    let preempts = |n: &usize| matches!(runs[*n].0, Order::Interleaved(_));
    if let Some(at) = left.iter().skip(1).position(preempts) {
        left[1..=at + 1].rotate_right(1);
    }
    let (mut instructions, mut fruitless, mut wrong) = (0, 0, 0);
    let most = fuel.saturating_mul(MOST).saturating_mul(RUNS);
    for (before, number) in left.into_iter().enumerate() {
        let (order, cut) = &mut runs[number];
        *cut = run(*order, fuel);
        instructions += cut.instructions;
        fruitless += usize::from(cut.is_cut());
        wrong += usize::from(!cut.findings.is_empty());
        let fruitless = (fruitless, before + 1) == (ENDLESS, ENDLESS);
        if cut.never_ends() || fruitless || wrong == WRONG || instructions > most {
            return;
        }
    }
}

/// Why no run can end: there are more invocations than instructions that a dispatch may have.
pub(super) fn too_many(judge: &Judge, loaded: &Loaded, dispatches: &[[u32; 3]]) -> Option<String> {
    let size = product(loaded.module.group_size());
    let most = dispatches.iter().map(|groups| size.saturating_mul(product(*groups))).max()?;
    let fuel = judge.fuel.saturating_mul(MOST);
    (most > fuel).then(|| {
        format!("a dispatch has {most} invocations, and {fuel} instructions at most (--fuel)")
    })
}

fn product(extents: [u32; 3]) -> u64 {
    extents.iter().map(|extent| u64::from(*extent)).fold(1, u64::saturating_mul)
}

/// The number of the order in which invocations starve.
const STARVING: usize = 5;

/// If something is wrong in so many long runs, no more are made.
const WRONG: usize = 4;

/// If so many runs, and none before them, do not end with all their fuel, no more are made.
const ENDLESS: usize = 2;

/// All of them together execute no more instructions than so many without an end.
const RUNS: u64 = 2;

/// Instructions of an invocation within which a loop that makes no progress is looked for first.
const LITTLE: u64 = 1 << 10;

/// How a run is made.
#[derive(Clone, Copy)]
pub(super) struct How {
    pub(super) order: Order,
    pub(super) subgroup: u32,
    /// Instructions of an invocation.
    pub(super) fuel: u64,
    /// By what older values of atomic loads are drawn, if they may give any.
    pub(super) relaxed: Option<u64>,
    pub(super) planted: Planted,
}

/// The run in order with subgroups of this size.
pub(super) fn one_of_size(
    (judge, loaded): (&Judge, &Loaded),
    asked: Asked<'_>,
    subgroup: u32,
) -> Run {
    let (order, fuel, planted) = (Order::InOrder, judge.fuel, judge.planted);
    once(loaded, asked, How { order, subgroup, fuel, relaxed: None, planted }, None)
}

/// A run. Of `traced` cells, if there are any, it is kept who accessed them before, which takes time.
pub(super) fn once(
    loaded: &Loaded,
    (first, dispatches): Asked<'_>,
    How { order, subgroup, fuel, relaxed, planted }: How,
    traced: Option<Vec<Cell>>,
) -> Run {
    let mut buffers: Vec<Buffer> = loaded.resources.iter().zip(first).map(buffer).collect();
    let size = product(loaded.module.group_size());
    let mut schedule = relaxed.map_or_else(|| order.schedule(), |seed| order.relaxed(seed));
    let is_traced = traced.is_some();
    let mut executor = traced.map_or_else(Executor::new, Executor::tracing);
    let strictness = match loaded.is_spirv() {
        false => Strictness::Wgsl,
        true => Strictness::Values,
    };
    let mut run = Run {
        order: told_as(order),
        subgroup,
        buffers: Vec::new(),
        findings: Vec::new(),
        notes: Vec::new(),
        errors: Vec::new(),
        endless: None,
        stale: Vec::new(),
        atomic_words: 0,
        repeats: None,
        waits: None,
        instructions: 0,
        fuel,
    };
    for groups in dispatches {
        let invocations = size.saturating_mul(product(*groups));
        let fuel = fuel.saturating_mul(invocations.min(MOST));
        let launch =
            Launch { groups: *groups, fuel, subgroup, traced: is_traced, strictness, planted };
        let mut report = executor.launch(
            &loaded.module,
            &mut buffers,
            &launch,
            &mut *schedule,
            &mut Recorder::counting(),
        );
        if report.out_of_fuel() {
            run.endless = report.findings.pop();
            (run.repeats, run.waits) = (report.repeats, report.waits);
        }
        run.instructions += report.instructions;
        run.stale.append(&mut report.stale);
        run.atomic_words = run.atomic_words.max(report.atomic_words);
        run.findings.append(&mut report.findings);
        run.notes.append(&mut report.notes);
        if !run.is_clean() {
            break;
        }
    }
    let errors = |(number, buffer): (usize, &Buffer)| {
        (0..buffer.words.len()).map(|word| executor.error(number, word)).collect()
    };
    run.errors = buffers.iter().enumerate().map(errors).collect();
    run.buffers = buffers.into_iter().map(|buffer| buffer.words).collect();
    run
}

/// A launch has the fuel of so many invocations at most.
const MOST: u64 = 1 << 10;

fn buffer((resource, contents): (&Resource, &Contents)) -> Buffer {
    Buffer { set: resource.group, binding: resource.binding, words: contents.words.clone() }
}

fn told_as(order: Order) -> String {
    match order {
        Order::InOrder => "in order".to_owned(),
        Order::Reversed => "reversed".to_owned(),
        Order::Shuffled(seed) => format!("shuffled by {seed}"),
        Order::Interleaved(seed) => format!("interleaved by {seed}"),
        Order::Starving => "starving".to_owned(),
    }
}

/// How a run in this order is called in a sentence.
pub(super) fn told_in(order: &str) -> String {
    match order {
        "in order" => "with the invocations in order".to_owned(),
        "starving" => "in the order that lets invocations starve".to_owned(),
        order => format!("with the invocations {order}"),
    }
}
