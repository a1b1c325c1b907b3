//! Cost graphs: of each rule, and of section 7.

use super::{input, program};
use crate::cost::Mode;
use crate::cost::graph::{Graph, Greedy};
use crate::cost::{Linear, Machine};
use crate::kit::derivation::Recorder;
use crate::kit::outcome::{Budget, Ending, Why};
use crate::kit::tap::Space;
use crate::lambda_g::eval::{MAX_BRANCHES, Priced, Setting, Wanted, places, run_with_graph};
use crate::lambda_g::laws;
use expect_test::expect;
use std::collections::BTreeSet;

/// The machine of section 7: accesses and units of the host cost 1, an access of the device `l`, a transfer 1.
fn machine() -> Machine {
    let one = Linear { base: 0, words_per_unit: 2_147_483_648.0 };
    Machine { latency: 400, to_device: one, to_host: one, ..Machine::default() }
}

fn graph(source: &str, text: &str) -> Graph {
    priced(source, text, Wanted::Time).graph
}

fn priced(source: &str, text: &str, wanted: Wanted) -> Priced {
    priced_in(source, text, wanted, Space::Global)
}

/// With all regions of the device in this memory.
fn priced_in(source: &str, text: &str, wanted: Wanted, space: Space) -> Priced {
    priced_as(source, text, wanted, &Setting { machine: machine(), ..Setting::default() }, space)
}

fn priced_as(source: &str, text: &str, wanted: Wanted, setting: &Setting, space: Space) -> Priced {
    let program = program(source);
    let input = input(&program, text);
    let groups = match space {
        Space::Global => BTreeSet::new(),
        Space::Group => places(&program),
    };
    let setting = Setting { groups, ..setting.clone() };
    let mut recorder = Recorder::counting();
    let budget = Budget::default();
    let priced = run_with_graph(&program, &input, &setting, &budget, &mut recorder, wanted);
    assert!(matches!(priced.outcome.ending, Ending::Value(_)), "{:?}", priced.outcome.ending);
    priced
}

fn shown(graph: &Graph) -> String {
    match graph {
        Graph::Chain { edges: 0, .. } => "u".to_owned(),
        Graph::Chain { edges, weight } => format!("u {edges}×{weight}"),
        Graph::Serial(parts) => {
            let parts = parts.iter().enumerate().map(|(number, (weight, part))| {
                if number == 0 { shown(part) } else { format!("-{weight}- {}", shown(part)) }
            });
            parts.collect::<Vec<_>>().join(" ")
        }
        Graph::Parallel(parts) => {
            let parts: Vec<String> = parts.iter().map(shown).collect();
            format!("({})", parts.join(" | "))
        }
        Graph::Words { now, behind, of } => format!("{now:+}{behind:+}:{}", shown(of)),
    }
}

const SECTION_7: &str = "param arrs : (Vec ((int, r0) * (int, r0), r0), r0);
    parmap (fn (p : ((int, r0) * (int, r0), r0)) ! {r0} => fst p * snd p at r0 at r0) arrs at r0";

fn pairs(n: usize) -> String {
    let pairs: Vec<String> = (0..n).map(|k| format!("({k}, 2)")).collect();
    format!("{{{}}}", pairs.join(", "))
}

/// Fig. 11: the read of the vector, `n` threads of six edges, the merge, the write of the result.
#[test]
fn the_graph_of_section_7_is_figure_11() {
    assert_eq!(shown(&graph(SECTION_7, &pairs(2))), "u -1- (u 6×1 | u 6×1) -1- u 1×1");
    assert_eq!(shown(&graph(SECTION_7, "[]")), "u -1- () -1- u 1×1");
}

/// 7.1.1: `(4(n - 1) + 6n) / 2` of the branches, beside the read of the vector, the merge and the write of the result:
/// depth-first for even `n`, breadth-first for every `n` from 2 on.
#[test]
fn two_processors_take_what_section_7_says() {
    for n in 1..=40_u64 {
        let graph = graph(SECTION_7, &pairs(n as usize));
        let [depth, breadth] = [Greedy::DepthFirst, Greedy::BreadthFirst]
            .map(|greedy| graph.schedule(2, greedy).expect("it is small").time - 3);
        let formula = 5 * n - 2;
        match n {
            1 => assert_eq!((formula, depth, breadth), (3, 6, 6)),
            _ if n % 2 == 0 => assert_eq!([depth, breadth], [formula; 2]),
            _ => assert_eq!([depth, breadth], [formula + 3, formula]),
        }
    }
}

/// What holds of every graph and schedule (L72).
pub(super) fn laws(graph: &Graph) {
    laws::of_graph(graph).unwrap_or_else(|broken| panic!("{broken}"));
}

/// By eq. (5) a step takes as long as its heaviest edge, so `time <= work / P + depth` is no law: one of four chains has
/// an edge of 100 in each step, each chain in another one.
#[test]
fn a_schedule_may_take_more_than_work_and_depth_say() {
    let chain = |heavy: usize| {
        let edge = |at: usize| if at % 4 == heavy { 100 } else { 1 };
        Graph::Serial((0..41).map(|at| (edge(at), Graph::VERTEX)).collect())
    };
    // A chain begins a step behind the one before it, and the last two begin together.
    let graph = Graph::Parallel([0, 0, 1, 0].map(chain).to_vec());
    let scheduled = graph.schedule(4, Greedy::DepthFirst).expect("it is small");
    assert_eq!((scheduled.time, graph.work() / 4 + graph.depth()), (4006, 2069));
    laws(&graph);
}

/// 7.1.1 and 7.1.2: on the host 3 words for each element are made, 2 of its closure and 1 of its result; with the device
/// 6, since both worlds hold them until the copies go; with the memory of groups 9, which holds them too. The vector itself is not counted there, nor is what was there before.
#[test]
fn space_is_what_section_7_says() {
    let kernel = SECTION_7.replace("parmap", "on parmap") + " at r0";
    for n in [1, 2, 7, 64_u64] {
        let space = |source: &str, space: Space| {
            let pairs = pairs(n as usize);
            let Priced { graph, given, .. } = priced_in(source, &pairs, Wanted::Space, space);
            assert_eq!(given, 5 * n);
            let of = |greedy| graph.space(2, greedy).expect("it is small");
            assert_eq!(of(Greedy::DepthFirst), of(Greedy::BreadthFirst));
            of(Greedy::DepthFirst)
        };
        assert_eq!(space(SECTION_7, Space::Global) - n, 3 * n);
        let copies = 5 * n;
        assert_eq!(space(&kernel, Space::Global) - copies - 2 * n, 6 * n);
        assert_eq!(space(&kernel, Space::Group) - copies - 3 * n, 9 * n);
    }
}

/// What lies in a region is live until its end, and branches that run at once are live at once.
#[test]
fn space_depends_on_the_schedule() {
    let source = "(letregion q in let v = iota (9 at q) at q in true) ||
        (letregion s in let w = iota (9 at s) at s in true) at r0";
    let graph = priced(source, "", Wanted::Space).graph;
    let space = |processors, greedy| graph.space(processors, greedy).expect("it is small");
    // The number of elements, the elements, the vector; the pair at the end.
    let region = 1 + 9 + 9;
    assert_eq!(space(1, Greedy::DepthFirst), region);
    assert_eq!(space(2, Greedy::DepthFirst), 2 * region);
    assert_eq!(graph.words(), (2 * region + 2, 2));
}

/// Readings of section 6 that are taken literally: each is absurd (L31, L34, and the term `l * k` of 7.1.2).
#[test]
fn literal_readings_are_absurd() {
    let l = machine().latency;
    // L31: an access in conflict costs 2, so in global memory it is cheaper than one that is not.
    assert!(2 < l);
    // L34: `max(0, (n - k) * 2)` is taken from a step, where `k` of `n` threads access one address. One thread alone that
    // accesses its own address takes negative time in a group of 256, a broadcast to all of them is not corrected.
    let corrected = |n: i64, k: i64| l as i64 - ((n - k) * 2).max(0);
    assert!(corrected(256, 1) < 0);
    assert_eq!(corrected(256, 256), l as i64);
    // 7.1.2: one thread writes the results of each group, one group after the other: group memory is better for at most
    // four groups, however many run at once.
    let [global, local] = [|l: u64, _: u64| 5 * l + 1, |l: u64, k: u64| 6 + l * k];
    let better: Vec<u64> = (1..100).filter(|k| local(l, *k) < global(l, *k)).collect();
    assert_eq!(better, [1, 2, 3, 4]);
}

/// Branches in branches without end are stopped too, so that a graph is not too deep to be walked.
#[test]
fn branches_in_one_another_are_limited() {
    let source = "param n : (int, r0); let f = fix f : ((int, r0) -> {r0} bool, r0) .
        fn (i : (int, r0)) ! {r0} => fst (f (i - 1 at r0 at r0) || true at r0) at r0 in f n";
    let program = program(source);
    let (input, setting) = (input(&program, "1"), Setting::default());
    let mut to = Recorder::counting();
    let budget = Budget::default();
    let priced = run_with_graph(&program, &input, &setting, &budget, &mut to, Wanted::Space);
    let why = format!("more than {MAX_BRANCHES} `||` and `parmap` in one another");
    assert_eq!(priced.outcome.ending, Ending::Unknown(Why::NotModelled(why)));
}

/// The weight of the one edge that an `on` is.
fn on_device(source: &str, text: &str) -> u64 {
    on_device_in(source, text, Space::Global)
}

fn on_device_in(source: &str, text: &str, space: Space) -> u64 {
    match priced_in(source, text, Wanted::Time, space).graph {
        Graph::Chain { edges: 1, weight } => weight,
        other => panic!("{}", shown(&other)),
    }
}

/// 7.1.2: each thread takes `5l + 1`, and that once for each round of as many threads as the device runs (L25); beside
/// it the transfers, the read of the vector, the merge and the write of the result. Literally the rounds are `(n / H) / k`, which does
/// not depend on `n`.
#[test]
fn threads_of_the_device_take_what_section_7_says() {
    let kernel = SECTION_7.replace("parmap", "on parmap") + " at r0";
    let l = machine().latency;
    let [group, at_once] = [machine().width * machine().warps, machine().threads];
    for n in [1, 32, 1000, at_once, at_once + 1, 2 * at_once + 5] {
        let rounds = n.div_ceil(at_once).max(1);
        let time = on_device(&kernel, &pairs(n as usize));
        assert_eq!(time, 1 + (5 * l + 1) * rounds + (l + 1 + l) + 1, "{n}");
        let literally = |n: f64| ((n / at_once as f64) / (n / group as f64)).ceil();
        assert_eq!(literally(n as f64), 1.0);
    }
}

/// 7.1.2 with the memory of groups: 6 for each round, and what is read and written back, `2(p + l - 1)` (section 7
/// checked). The paper's `l * k`, a sum over all groups, is in `literal_readings_are_absurd`.
#[test]
fn memory_of_groups_takes_what_section_7_says() {
    let kernel = SECTION_7.replace("parmap", "on parmap") + " at r0";
    let (l, p, at_once) = (machine().latency, machine().warps, machine().threads);
    for n in [1, 300, at_once + 1] {
        let rounds = n.div_ceil(at_once);
        let time = on_device_in(&kernel, &pairs(n as usize), Space::Group);
        assert_eq!(time, 1 + rounds * (6 + 2 * (p + l - 1)) + (l + 1 + l) + 1, "{n}");
    }
}

#[test]
fn graphs_are_those_of_the_rules() {
    let of = |source: &str| format!("{source}\n    {}\n", shown(&graph(source, "")));
    let sources = [
        "true",
        "1 at r0",
        "let x = 1 at r0 in x",
        "1 at r0 * 2 at r0 at r0",
        "let x = 1 at r0 in x * x at r0",
        "let x = 1 at r0 in x < x",
        "if true then true else false",
        "let x = true in if x then x else x",
        "(fn (x : bool) ! {} => x at r0) true",
        "let x = true in (fn (y : bool) ! {} => y at r0) x",
        "let f = fn (x : bool) ! {r0} => (x, x) at r0 at r0 in true",
        "(1 at r0, true) at r0",
        "let p = (true, true) at r0 in fst p",
        "(true || false at r0)",
        "let x = true in (x || x at r0)",
        "letregion q in true",
        "let x = true in letregion q in x",
        "(rfn q >= {} ! {q} => 1 at q at r0) [r0]",
        "iota (2 at r0) at r0",
        "[true, false] at r0 ! 1 at r0",
        "length ([true] at r0) at r0",
        "parmap (fn (x : bool) ! {} => x at r0) [true, false] at r0",
        "fix f : (bool -> {} bool, r0) . fn (x : bool) ! {} => x at r0",
    ];
    expect![[r#"
        true
            u
        1 at r0
            u 1×1
        let x = 1 at r0 in x
            u 1×1
        1 at r0 * 2 at r0 at r0
            u 4×1
        let x = 1 at r0 in x * x at r0
            u 2×1
        let x = 1 at r0 in x < x
            u 1×1
        if true then true else false
            u 1×1
        let x = true in if x then x else x
            u
        (fn (x : bool) ! {} => x at r0) true
            u 2×1
        let x = true in (fn (y : bool) ! {} => y at r0) x
            u 2×1
        let f = fn (x : bool) ! {r0} => (x, x) at r0 at r0 in true
            u 1×1
        (1 at r0, true) at r0
            u 3×1
        let p = (true, true) at r0 in fst p
            u 3×1
        (true || false at r0)
            (u | u) -1- u 1×1
        let x = true in (x || x at r0)
            (u | u) -1- u 1×1
        letregion q in true
            u 3×1
        let x = true in letregion q in x
            u 2×1
        (rfn q >= {} ! {q} => 1 at q at r0) [r0]
            u 3×1
        iota (2 at r0) at r0
            u 4×1
        [true, false] at r0 ! 1 at r0
            u 5×1
        length ([true] at r0) at r0
            u 3×1
        parmap (fn (x : bool) ! {} => x at r0) [true, false] at r0
            (u 2×1 | u 2×1) -1- u 1×1
        fix f : (bool -> {} bool, r0) . fn (x : bool) ! {} => x at r0
            u 1×1
    "#]]
    .assert_eq(&sources.map(of).concat());
}

/// Threads of nested `parmap`s that do nothing else run side by side: before, all pairs, behind (L68). Otherwise the
/// inner one runs one after the other.
#[test]
fn nested_threads_are_laid_flat() {
    let l = machine().latency;
    let nested = |body: &str| {
        format!(
            "on parmap (fn (i : (int, r0)) ! {{r0}} => {body} at r0) [0 at r0, 0 at r0, 0 at r0] at r0 at r0"
        )
    };
    let inner = "parmap (fn (j : (int, r0)) ! {r0} => i at r0) [0 at r0, 1 at r0] at r0";
    // Before: the closure is written and read, and the elements for it. A pair: the same.
    let before = 3 * l;
    let pair = 3 * l;
    // Behind: the merge and the write of the row, then those of all rows, which are brought back.
    let behind = 1 + l;
    let flat = on_device(&nested(inner), "");
    assert_eq!(flat, before + pair + 2 * behind + 1);
    let in_turn = on_device(&nested(&format!("let x = {inner} in x")), "");
    assert!(in_turn > flat, "{in_turn} {flat}");
}

fn umm() -> Setting {
    Setting { machine: machine(), mode: Mode::Umm, ..Setting::default() }
}

fn shown_in(setting: &Setting, source: &str) -> String {
    shown(&priced_as(source, "", Wanted::Time, setting, Space::Global).graph)
}

/// L5, L9, L15 and L52: operands are read, a region that grows is written too, and a merge counts the regions that are
/// shared and touched. What takes how long is said by the machine.
#[test]
fn umm_reads_operands() {
    let of = |source: &str| format!("{source}\n    {}\n", shown_in(&umm(), source));
    let sources = [
        "1 at r0 * 2 at r0 at r0",
        "let x = 1 at r0 in x * x at r0",
        "let x = 1 at r0 in x < x",
        "iota (2 at r0) at r0",
        "[true, false] at r0 ! 1 at r0",
        "letregion q of 1 in let x = 1 at q in let y = 2 at q in true",
        "letregion q in let x = 1 at q in (x < x || (let y = 1 at r0 in y < x) at r0)",
        "(true || false at r0)",
    ];
    expect![[r#"
        1 at r0 * 2 at r0 at r0
            u 6×1
        let x = 1 at r0 in x * x at r0
            u 4×1
        let x = 1 at r0 in x < x
            u 4×1
        iota (2 at r0) at r0
            u 5×1
        [true, false] at r0 ! 1 at r0
            u 6×1
        letregion q of 1 in let x = 1 at q in let y = 2 at q in true
            u 3×1 -2- u -1- u
        letregion q in let x = 1 at q in (x < x || (let y = 1 at r0 in y < x) at r0)
            u 2×1 -1- (u 3×1 | u 4×1) -2- u -1- u 1×1
        (true || false at r0)
            (u | u) -1- u 1×1
    "#]]
    .assert_eq(&sources.map(of).concat());
    let machine = Machine { merge: 5, gather: 7, block: 64, ..machine() };
    let setting = Setting { machine, ..Setting::default() };
    let branches = shown_in(&setting, "(true || false at r0)");
    assert_eq!(branches, "(u | u) -5- u -7- u");
    let grows = "letregion q of 1 in let x = 1 at q in let y = 2 at q in true";
    // In `paper` the words that are written where a region grows cost no more.
    assert_eq!(shown_in(&setting, grows), "u 5×1");
}

/// Section 7 in `umm`: the closure and the result of a thread lie one behind the other, so the accesses of a warp are of
/// several address groups.
#[test]
fn umm_counts_address_groups() {
    let kernel = SECTION_7.replace("parmap", "on parmap") + " at r0";
    let (l, p) = (machine().latency, machine().warps);
    let ran = |n: usize, space: Space, mode: Mode| {
        let setting = Setting { mode, ..umm() };
        let priced = priced_as(&kernel, &pairs(n), Wanted::Time, &setting, space);
        assert_eq!(priced.ran.len(), 1);
        priced.ran[0]
    };
    // The read of the vector, the merge, the write of the result. A thread: five accesses and two of the operands.
    let (serial, thread) = (2 * l + 1, 7 * l + 1);
    assert_eq!(ran(1, Space::Global, Mode::Umm).device, serial + thread);
    // A warp: ints and pairs are four words apart, so four accesses are of four address groups; closures and results are
    // three apart, so three are of three.
    let warp = 4 * (4 - 1) + 3 * (3 - 1);
    assert_eq!(ran(32, Space::Global, Mode::Umm).device, serial + thread + warp);
    // In the memory of a group four accesses are of eight banks, four words each; what is read and written back takes a
    // request for each warp of a group.
    let brought = 2 * (p + l - 1);
    assert_eq!(ran(1, Space::Group, Mode::Umm).device, serial + 8 + brought);
    assert_eq!(ran(32, Space::Group, Mode::Umm).device, serial + 8 + 4 * (4 - 1) + brought);
    for space in [Space::Global, Space::Group] {
        for n in [1, 32, 256, 300] {
            let [paper, umm, cal] = Mode::ALL.map(|mode| ran(n, space, mode));
            assert_eq!((umm.spent.parted, umm.device), (0, cal.device), "{n}");
            assert!(umm.device >= paper.device, "{n}");
        }
    }
}

/// L72: where a warp diverges `umm` may take less than `paper`, which aligns threads by the number of their steps: those
/// that meet again one unit edge apart pay each access twice.
#[test]
fn paper_takes_more_where_threads_meet_one_edge_apart() {
    let source = "param q : (bool * bool, r0); param bs : (Vec bool, r0);
        on parmap (fn (b : bool) ! {r0} =>
            let c = if b then true else if true then true else true in
            fst q and fst q and fst q and fst q and fst q and fst q and fst q and fst q at r0)
        bs at r0 at r0";
    let bools = vec!["true, false"; 16].join(", ");
    let text = format!("(true, true), [{bools}]");
    let ran = |mode: Mode| {
        let setting = Setting { mode, ..umm() };
        priced_as(source, &text, Wanted::Time, &setting, Space::Global).ran[0]
    };
    let (paper, umm) = (ran(Mode::Paper), ran(Mode::Umm));
    assert!(umm.spent.parted > 0 && umm.device < paper.device, "{paper:?} {umm:?}");
}
