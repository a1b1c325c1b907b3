//! What a run of λG costs: in all, by region and by `on`.

use super::eval::{Priced, Ran, Setting};
use super::syntax::Program;
pub use super::values::Counts;
use crate::cost::graph::{BYTES, Graph, Greedy, MOST, Scheduled};
use crate::cost::{Accesses, Formula, Machine, Mode, Order};
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a run costs. Times are in units of the machine, sizes in words of 32 bits.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The machine.
    pub machine: Machine,
    /// How costs are counted.
    pub mode: Mode,
    /// What schedules of the machine's processors take: those that were asked for.
    pub schedules: Vec<Schedule>,
    /// The sum of all weights of the graph.
    pub work: u64,
    /// The same in the symbols of the paper, where what a machine has numbers for is left as it is.
    pub formula: Formula,
    /// Its heaviest path.
    pub depth: u64,
    /// Its vertices, and those of its longest path.
    pub vertices: u64,
    /// Those of its longest path.
    pub longest: u64,
    /// The words of the parameters, which were there before.
    pub given: u64,
    /// The words that the run made, copies on the device too, and those that are left of them at its end.
    pub allocated: u64,
    /// Those that are left of them at its end.
    pub left: i64,
    /// What is brought to the device, in all.
    pub to_device: Moved,
    /// What is brought back.
    pub to_host: Moved,
    /// Regions, by where they are made: first `r0`, which has no place.
    pub regions: Vec<OfRegion>,
    /// What runs on the device, by place.
    pub on: Vec<OnDevice>,
    /// The cost graph.
    #[serde(skip)]
    pub graph: Graph,
}

/// Which schedules are asked for.
#[derive(Clone, Copy, Debug)]
pub enum Asked<'a> {
    /// Both greedy ones: depth-first, then breadth-first.
    Both,
    /// One of them.
    Greedy(Greedy),
    /// One that is given.
    Order(&'a Order),
}

/// What a schedule takes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Schedule {
    /// Its name: `depth_first`, `breadth_first` or `given`.
    pub name: &'static str,
    /// Its steps and its time.
    #[serde(flatten)]
    pub scheduled: Scheduled,
    /// The most words that are live in a step, beside those of the parameters.
    pub space: u64,
}

/// What is brought from one world to the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Moved {
    /// Words.
    pub words: u64,
    /// How long that takes.
    pub time: u64,
}

/// All regions that are made in one place.
#[derive(Clone, Debug, Serialize)]
pub struct OfRegion {
    /// What the program calls it.
    pub name: String,
    /// How many there were.
    pub made: u64,
    /// What was done to them.
    #[serde(flatten)]
    pub counts: Counts,
}

/// An `on`, each time that it ran.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OnDevice {
    /// The expression.
    pub site: Span,
    /// How often it ran.
    pub runs: u64,
    /// What is brought to the device.
    pub to_device: Moved,
    /// How long it takes there.
    pub device: u64,
    /// What is brought back.
    pub to_host: Moved,
    /// Accesses of the device; in `paper` they are not counted.
    pub accesses: Accesses,
    /// How often as many work groups as the device takes ran at once, serial parts included; in `paper` not counted.
    pub rounds: u64,
    /// Steps of warps in which some threads wait for others; in `paper` not counted.
    pub parted: u64,
}

impl Moved {
    fn adds(&mut self, [time, words]: [u64; 2]) {
        self.words = self.words.saturating_add(words);
        self.time = self.time.saturating_add(time);
    }
}

impl OnDevice {
    fn adds(&mut self, ran: &Ran) {
        self.runs += 1;
        self.to_device.adds(ran.to_device);
        self.device = self.device.saturating_add(ran.device);
        self.to_host.adds(ran.to_host);
        self.accesses += ran.spent.accesses;
        self.rounds += ran.spent.rounds;
        self.parted += ran.spent.parted;
    }
}

/// Why a run has no report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// Its graph has so many vertices, and scheduling them takes so many bytes beside those of the graph: that is too much.
    Large {
        /// Vertices.
        vertices: u64,
        /// Bytes.
        bytes: u64,
        /// Bytes of the graph.
        graph: u64,
    },
    /// The graph does not allow the schedule that is given.
    Order(Rejected),
}

/// What a run costs whose graph, with words, was wanted. Scheduling it may take so many bytes.
///
/// # Errors
/// That the graph is too large to be scheduled, or does not allow the schedule that is given.
pub fn report(
    program: &Program,
    priced: Priced,
    setting: &Setting,
    asked: Asked<'_>,
    memory: u64,
) -> Result<Report, Refused> {
    let Priced { graph, size, given, ran, regions, formula, .. } = priced;
    let schedules = schedules((&graph, size), setting.machine.processors, asked, memory)?;
    let (mut to_device, mut to_host) = (Moved::default(), Moved::default());
    let mut on: BTreeMap<Span, OnDevice> = BTreeMap::new();
    for ran in &ran {
        to_device.adds(ran.to_device);
        to_host.adds(ran.to_host);
        let new = OnDevice {
            site: ran.site,
            runs: 0,
            to_device: Moved::default(),
            device: 0,
            to_host: Moved::default(),
            accesses: Accesses::default(),
            rounds: 0,
            parted: 0,
        };
        on.entry(ran.site).or_insert(new).adds(ran);
    }
    let named = |(var, (made, counts)): (Var, (u64, Counts))| OfRegion {
        name: program.names.written(var).to_owned(),
        made,
        counts,
    };
    let (allocated, left) = graph.words();
    let device = ran.iter().map(|ran| ran.device).fold(0, u64::saturating_add);
    let work = graph.work();
    Ok(Report {
        machine: setting.machine.clone(),
        mode: setting.mode,
        schedules,
        work,
        formula: formula.beside(work, &setting.machine, device),
        depth: graph.depth(),
        vertices: graph.vertices(),
        longest: graph.longest(),
        given,
        allocated,
        left,
        to_device,
        to_host,
        regions: regions.into_iter().map(named).collect(),
        on: on.into_values().collect(),
        graph,
    })
}

fn schedules(
    (graph, size): (&Graph, u64),
    processors: u64,
    asked: Asked<'_>,
    memory: u64,
) -> Result<Vec<Schedule>, Refused> {
    let vertices = graph.vertices();
    let bytes = vertices.saturating_mul(BYTES);
    let large = |vertices| Refused::Large { vertices, bytes, graph: size };
    if vertices > MOST || bytes.saturating_add(size) > memory {
        return Err(large(vertices));
    }
    let greedy = |greedy| {
        let name = match greedy {
            Greedy::DepthFirst => "depth_first",
            Greedy::BreadthFirst => "breadth_first",
        };
        let (scheduled, space) = graph.scheduled(processors, greedy).map_err(large)?;
        Ok(Schedule { name, scheduled, space })
    };
    match asked {
        Asked::Both => [Greedy::DepthFirst, Greedy::BreadthFirst].into_iter().map(greedy).collect(),
        Asked::Greedy(one) => Ok(vec![greedy(one)?]),
        Asked::Order(order) => {
            let (scheduled, space) = graph.ordered(order, processors).map_err(Refused::Order)?;
            Ok(vec![Schedule { name: "given", scheduled, space }])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::derivation::Recorder;
    use crate::kit::language::Language;
    use crate::kit::outcome::{Budget, Ending, Value, Why};
    use crate::kit::value::parse_values;
    use crate::lambda_g::eval::{Wanted, run_with_graph};
    use crate::lambda_g::tests::programs;
    use crate::lambda_g::{LambdaG, parse};

    fn reported(program: &Program, input: Vec<Value>, setting: &Setting) -> Option<Report> {
        let input = LambdaG::fit(program, input).expect("it fits");
        let (budget, mut to) = (Budget::default(), Recorder::counting());
        let priced = run_with_graph(program, &input, setting, &budget, &mut to, Wanted::Space);
        let valued = matches!(priced.outcome.ending, Ending::Value(_));
        let memory = budget.memory;
        valued.then(|| report(program, priced, setting, Asked::Both, memory).expect("it is small"))
    }

    fn of(source: &str, text: &str, setting: &Setting) -> Report {
        let program = parse::program(source).unwrap_or_else(|no| panic!("{source}: {no:?}"));
        let input = if text.is_empty() { Vec::new() } else { parse_values(text).expect("values") };
        reported(&program, input, setting).expect("it comes to a value")
    }

    fn small() -> Setting {
        let machine = Machine { block: 16, ..Machine::default() };
        Setting { machine, mode: Mode::Umm, ..Setting::default() }
    }

    const TWO_REGIONS: &str = "param xs : (Vec (int, r0), r0);
        letregion q in
        let ys = on parmap (fn (x : (int, r0)) ! {r0, q} => x * x at q at q) xs at q at q in
        letregion s of 1 in
        let y = (ys ! 0 at s) + 1 at s at s in
        y < y";

    #[test]
    fn regions_and_devices_have_their_parts() {
        let report = of(TWO_REGIONS, "[1, 2, 3]", &small());
        let [r0, q, s] = &report.regions[..] else { panic!("{:?}", report.regions) };
        assert_eq!([&r0.name, &q.name, &s.name], ["r0", "q", "s"]);
        assert_eq!((report.given, r0.counts.words, r0.counts.most), (6, 0, 6));
        // Both operands of each product are `x`. The vector is read too.
        assert_eq!((r0.counts.device_reads, r0.counts.to_device, r0.counts.to_host), (7, 6, 0));
        // A closure of two words and an int for each, and the vector.
        assert_eq!((q.counts.device_writes, q.counts.device_reads, q.counts.words), (7, 3, 12));
        assert_eq!((q.counts.to_device, q.counts.to_host, q.counts.most), (0, 12, 12));
        // The vector and the int in it are read by the host.
        assert_eq!((q.counts.reads, q.counts.grown), (2, 0));
        // Of the three ints two do not fit; the region grows once, by 16 words.
        assert_eq!((s.counts.writes, s.counts.grown, s.counts.grown_words), (3, 1, 16));
        let [on] = &report.on[..] else { panic!("{:?}", report.on) };
        assert_eq!((on.runs, on.to_device.words, on.to_host.words, on.parted), (1, 6, 12, 0));
        let accesses = r0.counts.device_reads + q.counts.device_reads + q.counts.device_writes;
        assert_eq!(on.accesses.global, accesses);
        let shown = serde_json::to_value(&report).expect("JSON");
        assert_eq!(shown["mode"], "umm");
        assert_eq!(shown["regions"][1]["name"], "q");
        assert_eq!(shown["on"][0]["to_host"]["words"], 12);
        assert_eq!(shown["schedules"][0]["name"], "depth_first");
        assert!(shown["schedules"][1]["space"].as_u64() > Some(0));
    }

    /// A graph that is only measured is said to take what it takes; one that takes more than a run may is refused, and
    /// so is a schedule of it that does.
    #[test]
    fn graphs_that_are_too_large_are_refused_with_what_they_take() {
        let source = "param xs : (Vec (int, r0), r0);
            parmap (fn (x : (int, r0)) ! {r0} => x * x at r0 at r0) xs at r0";
        let program = parse::program(source).expect("it is read");
        let input = LambdaG::takes(&program).sized(&[("xs".to_owned(), 20_000)]);
        let input = input.expect("it is made");
        let run = |memory, wanted| {
            let budget = Budget { memory, ..Budget::default() };
            let (setting, mut to) = (Setting::default(), Recorder::counting());
            run_with_graph(&program, &input, &setting, &budget, &mut to, wanted)
        };
        let ends = |priced: &Priced| matches!(priced.outcome.ending, Ending::Value(_));
        // What the values take.
        let mut values = (1_u64..100).map(|mib| mib << 20);
        let values = values.find(|memory| ends(&run(*memory, Wanted::Nothing)));
        let values = values.expect("they take less than 100 MiB");
        let stopped = run(values, Wanted::Space);
        assert!(matches!(stopped.outcome.ending, Ending::Unknown(Why::Memory(_))));
        let size = run(values, Wanted::Size);
        assert!(ends(&size) && (20_000 * 50..20_000 * 2000).contains(&size.size), "{}", size.size);
        let whole = run(values + size.size, Wanted::Space);
        assert!(ends(&whole), "{:?}", whole.outcome.ending);
        let setting = Setting::default();
        let (vertices, whole_size) = (whole.graph.vertices(), whole.size);
        let refused = report(&program, whole, &setting, Asked::Both, vertices).expect_err("large");
        let (bytes, graph) = (vertices * BYTES, whole_size);
        assert_eq!(refused, Refused::Large { vertices, bytes, graph });
    }

    /// What is told of parts adds up to what is told of all, of every program of the corpus and in each mode; costs do not
    /// depend on names, and a greedy schedule is one that may be given.
    #[test]
    fn parts_add_up() {
        for (name, header, source) in programs("pass") {
            let program = parse::program(&source).expect("it is read");
            for mode in Mode::ALL {
                let setting = Setting { mode, ..Setting::default() };
                let input = header.cases[0].input.clone();
                let report = reported(&program, input, &setting).expect("it comes to a value");
                let sum = |of: fn(&Counts) -> u64| -> u64 {
                    report.regions.iter().map(|region| of(&region.counts)).sum()
                };
                assert_eq!(sum(|of| of.to_device), report.to_device.words, "{name}");
                assert_eq!(sum(|of| of.to_host), report.to_host.words, "{name}");
                assert!(sum(|of| of.words) <= report.allocated, "{name}");
                assert!(sum(|of| of.time) <= report.work, "{name}");
                let devices: u64 = report.on.iter().map(|on| on.device).sum();
                let moved = report.to_device.time + report.to_host.time;
                assert!(devices + moved <= report.work, "{name}");
                let accesses: u64 = report.on.iter().map(|on| on.accesses.global).sum();
                let counted = sum(|of| of.device_reads + of.device_writes);
                assert_eq!(accesses, if mode == Mode::Paper { 0 } else { counted }, "{name}");
                let Report { schedules, graph, machine, .. } = &report;
                let order = graph.order(machine.processors, Greedy::DepthFirst).expect("small");
                let text: Vec<String> = order.iter().map(u32::to_string).collect();
                let order = Order::read(&text.join("\n")).expect("an order");
                let one = machine.processors;
                let asked = Asked::Order(&order);
                let given =
                    super::schedules((graph, 0), one, asked, u64::MAX).expect("it is allowed");
                let [Schedule { name: "given", scheduled, space }] = given[..] else {
                    panic!("{given:?}")
                };
                assert_eq!((scheduled, space), (schedules[0].scheduled, schedules[0].space));
            }
        }
        let renamed = TWO_REGIONS.replace('q', "other").replace("xs", "numbers");
        let [one, other] = [TWO_REGIONS, &renamed].map(|source| of(source, "[1, 2]", &small()));
        assert_eq!((one.graph, one.allocated), (other.graph, other.allocated));
    }
}
