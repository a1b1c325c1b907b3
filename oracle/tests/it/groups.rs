//! Plans of work groups: terms that are run by them give what they mean, on every engine at hand.

use compiler::rewrite::plan::{Plan, device};
use oracle::check::{Depth, Tester, Verdict};
use oracle::engine::{Case, Origin};
use oracle::engines::AdapterEngine;
use oracle::engines::child::Launcher;
use oracle::stages;
use reference::axes::syntax::{Kind, Program};
use reference::axes::{meaning, parse};
use reference::cost::{Accesses, Machine, Pricer, World};
use reference::fun::Fun;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::languages::{Artifact, Listed};
use std::path::PathBuf;

/// A sum of 64 by groups of 4: a tree whose first level adds while it loads, then one thread.
const TREE: &str = "param (xs : [64])
(out
  (red + k 8
    (get
      (store glob
        (build group g 8
          (get
            (store group
              (build lane b 2
                (+
                  (get
                    (store group
                      (build lane a 4 (+ (get xs {8*g + a}) (get xs {8*g + a + 4})))
                      a)
                    b)
                  (get
                    (store group
                      (build lane a 4 (+ (get xs {8*g + a}) (get xs {8*g + a + 4})))
                      a)
                    {b + 2})))
              b)
            0))
        g)
      k)))
";

/// A transpose by tiles of `t` by `t`, whose rows are `pad` longer in the memory of the group.
fn transpose(n: u32, t: u32, place: &str) -> String {
    let tiles = n / t;
    format!(
        "param (xs : [{n}][{n}])
(out
  (merge i io ii (merge j jo ji
    (build group io {tiles} (build group jo {tiles}
      (build lane ii {t} (build lane ji {t}
        (get (store {place} (build lane jm {t} (build lane im {t} (get xs {{{t}*jo + jm}} {{{t}*io + im}}))) jm im) ji ii)))))))
  i j)
"
    )
}

/// A product of 8 by 8 in tiles of 4 by 4, both operands in the memory of the group.
const PRODUCT: &str = "param (xs : [8][8]) (ys : [8][8])
(out
  (merge i io ii (merge j jo ji
    (build group io 2 (build group jo 2 (build lane ii 4 (build lane ji 4
      (red + ko 2 (red + ki 4
        (* (get (store group (build lane a 4 (build lane b 4 (get xs {4*io + a} {4*ko + b}))) a b) ii ki)
           (get (store group (build lane c 4 (build lane d 4 (get ys {4*ko + c} {4*jo + d}))) c d) ki ji))))))))))
  i j)
";

/// The same with the sum over tiles outside of the lanes: it is in the memory of the result.
const ACCUMULATED: &str = "param (xs : [8][8]) (ys : [8][8])
(out
  (merge i io ii (merge j jo ji
    (build group io 2 (build group jo 2 (red + ko 2 (build lane ii 4 (build lane ji 4
      (red + ki 4
        (* (get (store group (build lane a 4 (build lane b 4 (get xs {4*io + a} {4*ko + b}))) a b) ii ki)
           (get (store group (build lane c 4 (build lane d 4 (get ys {4*ko + c} {4*jo + d}))) c d) ki ji))))))))))
  i j)
";

/// A store that is larger than the group, one that is smaller, and one of each invocation.
const UNEVEN: &str = "param (n : int) (xs : [40])
(out
  (build grid i 3 (build lane j 5
    (+ (get (store group (build lane a 40 (* n (get xs a))) a) {8*j + i})
       (+ (get (store group (build seq c 3 (max (get xs c) n)) c) i)
          (get (store priv (build seq b 4 (if (< b j) {b + 1} (- n b))) b) {j%4})))))
  i j)
";

fn program(text: &str) -> Program {
    parse::program(text).unwrap_or_else(|no| panic!("{text}: {}", no.message))
}

/// Made-up numbers for the parameters.
fn input(program: &Program) -> Vec<Value> {
    let fun = Fun::artifact(meaning::program(program).expect("it means something"));
    let ints = program.params.iter().filter(|param| matches!(param.kind, Kind::Int(_)));
    let sizes: Vec<(String, i32)> = ints.map(|param| (format!("p_{}", param.name), 7)).collect();
    fun.sized(&sizes).expect("there are sizes")
}

fn how<'h>(
    budget: &'h Budget,
    settings: &'h Settings,
    memory: &'h mut Memory,
    of: &Artifact,
) -> How<'h> {
    let variant = of.lang().variants()[0].name;
    How { variant, schedule: 0, budget, settings, planted: Planted::NONE, memory }
}

fn results(of: &Artifact, input: &[Value]) -> Vec<Value> {
    let (budget, settings, mut memory) =
        (Budget::default(), Settings::default(), Memory::default());
    let how = how(&budget, &settings, &mut memory, of);
    match of.run(input, how, &mut oracle::rolls::Rolls::default()).ending {
        Ending::Value(values) => values,
        other => panic!("{other:?} of\n{}", of.print()),
    }
}

/// Accesses of the memory of work groups, and the time in `umm`.
fn price(of: &Artifact, input: &[Value]) -> (Accesses, u64) {
    let (budget, settings, mut memory) =
        (Budget::default(), Settings::default(), Memory::default());
    let how = how(&budget, &settings, &mut memory, of);
    let (outcome, pricer) = of.price(input, how, Pricer::new(Machine::default(), World::Device));
    assert!(matches!(outcome.ending, Ending::Value(_)), "{:?}", outcome.ending);
    let report = pricer.report(outcome.stats.statements).expect("it is small");
    let mut accesses = Accesses::default();
    report.kernels.iter().for_each(|kernel| accesses += kernel.accesses);
    (accesses, report.times.umm)
}

/// Every engine at hand.
fn tester() -> Tester {
    let launcher = Launcher::of(PathBuf::from(env!("CARGO_BIN_EXE_lockstep")));
    let adapters = launcher.adapters().expect("the adapters can be listed");
    let engines = adapters.iter().map(|adapter| AdapterEngine::new(adapter, &launcher)).collect();
    Tester::new(engines, stages::Plan::default())
}

/// The engines on which a plan gives the same as on the reference.
fn same_on(tester: &mut Tester, plan: &Artifact, input: &[Value]) -> Vec<String> {
    let case = Case {
        program: plan.clone(),
        input: input.to_vec(),
        schedule: 0,
        settings: Settings::default(),
        budget: Budget::default(),
        origin: Origin::File("a plan".to_owned()),
    };
    let seen = tester.examine(&case, Depth::Whole);
    if let Verdict::Finding(finding) = &seen.verdict {
        panic!("{}\n{}", finding.text, plan.print());
    }
    let ended = seen.sides.iter().filter(|side| matches!(side.outcome.ending, Ending::Value(_)));
    ended.map(|side| side.engine.to_string()).collect()
}

fn plan(program: &Program) -> Artifact {
    match Plan::of(program) {
        Ok(plan @ Plan::Device(_)) => plan.artifact(),
        Ok(Plan::Imp(_)) => panic!("there are work groups"),
        Err(no) => panic!("{no}"),
    }
}

#[test]
fn plans_of_work_groups_give_what_terms_mean() {
    let mut tester = tester();
    for text in [
        TREE,
        PRODUCT,
        ACCUMULATED,
        UNEVEN,
        &transpose(8, 4, "group"),
        &transpose(8, 4, "group+1"),
        &transpose(64, 32, "group+1"),
    ] {
        let program = program(text);
        let input = input(&program);
        let wanted =
            results(&Fun::artifact(meaning::program(&program).expect("it is small")), &input);
        let plan = plan(&program);
        assert_eq!(results(&plan, &input), wanted, "{text}\n{}", plan.print());
        let engines = same_on(&mut tester, &plan, &input);
        for engine in ["device", "spirv"] {
            assert!(engines.iter().any(|name| name == engine), "{engines:?}\n{text}");
        }
    }
}

/// Without padding all lanes of a warp read one bank; with it each reads its own. In global memory the
/// transpose without a tile asks for a line a lane.
#[test]
fn padding_takes_the_conflicts_of_banks_away() {
    let of = |place: &str| {
        let program = program(&transpose(64, 32, place));
        price(&plan(&program), &input(&program))
    };
    let ((conflicts, slow), (padded, fast)) = (of("group"), of("group+1"));
    // Four tiles of 32 warps: each is written without conflicts, and read with or without.
    assert_eq!((conflicts.group, padded.group), (8192, 8192));
    assert_eq!(conflicts.group_requests, 128 + 128 * 32);
    assert_eq!(padded.group_requests, 128 + 128);
    assert_eq!((conflicts.requests, padded.requests), (256, 256));
    assert!(fast < slow, "{fast} {slow}");
}

#[test]
fn terms_that_no_work_group_can_run_are_told() {
    for (text, says) in [
        (
            "(out (build lane i 4 (build group j 4 1)) i j)",
            "level group stands in one of level lane",
        ),
        (
            "(out (build lane i 300 (red + t 4 (get (store group (build lane a 9 t) a) {i%9}))) i)",
            "not all of its invocations",
        ),
        (
            "(out (build group i 4 (+ (get (store group (build lane a 4096 1) a) i) (get (store group (build lane b 9 2) b) i))) i)",
            "4105 words are too many",
        ),
        ("(out (red + k 3 (build group i 4 (build lane j 4 k))) i j)", "inside of a loop"),
    ] {
        let no = device::text(&program(text)).expect_err(text);
        assert!(no.0.contains(says), "{no}");
    }
}
