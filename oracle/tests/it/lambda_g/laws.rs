//! The laws of λG on programs that are drawn.

use super::shares::drawn;
use oracle::generate::Made;
use reference::cost::Mode;
use reference::cost::graph::Greedy;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::Language;
use reference::kit::names::Names;
use reference::kit::outcome::{Budget, Value};
use reference::lambda_g::eval::{Setting, Wanted, run_with_graph};
use reference::lambda_g::syntax::{Exp, Kind, Program, RegionLambda};
use reference::lambda_g::visit::parts;
use reference::lambda_g::{LambdaG, laws};

const BUDGET: Budget = Budget { fuel: 100_000, memory: 1 << 24 };

/// Theorems 4.2 and 4.4, region safety, and the laws of costs.
#[test]
fn laws_hold_of_what_is_drawn() {
    let mut bounded = 0;
    for index in 0..1_000 {
        let Made { program, input, .. } = drawn(40, index);
        bounded += usize::from(has_bound(&program.body));
        let input = LambdaG::fit(&program, input).expect("the input fits");
        let held = laws::hold(&program, &input, &BUDGET, Planted::NONE);
        assert_eq!(held, Ok(()), "{index}: {}", LambdaG::print(&program));
    }
    assert!(bounded >= 50, "{bounded} programs have region abstractions with a bound");
}

/// Is there a region abstraction whose region other ones are to outlive?
fn has_bound(e: &Exp) -> bool {
    let bounded = |of: &RegionLambda| !of.bound.items.is_empty();
    matches!(&e.kind, Kind::RegionFn(of) if bounded(of)) || parts(e).into_iter().any(has_bound)
}

/// What a program costs does not depend on how its variables and regions are called.
#[test]
fn costs_do_not_depend_on_names() {
    for index in 0..300 {
        let Made { program, input, .. } = drawn(41, index);
        let input = LambdaG::fit(&program, input).expect("the input fits");
        let mut renamed = program.clone();
        let names = (0..renamed.names.len()).map(|slot| match slot {
            0 => "r0".to_owned(),
            slot => format!("{}{slot}", ["a", "long_name_", "z_"][slot % 3]),
        });
        renamed.names = Names::of_distinct(names.collect());
        let [one, other] = [program, renamed].map(|program| {
            let text = LambdaG::print(&program);
            LambdaG::parse(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}"))
        });
        let text = LambdaG::print(&one);
        assert_eq!(costs(&one, &input), costs(&other, &input), "{index}: {text}");
    }
}

/// Time, space, work and depth in `paper` and `umm`, and what each `on` takes.
fn costs(program: &Program, input: &[Value]) -> Vec<u64> {
    let mut all = Vec::new();
    for mode in [Mode::Paper, Mode::Umm] {
        let setting = Setting { mode, ..Setting::default() };
        let mut recorder = Recorder::counting();
        let priced =
            run_with_graph(program, input, &setting, &BUDGET, &mut recorder, Wanted::Space);
        let graph = &priced.graph;
        let scheduled = graph.schedule(2, Greedy::DepthFirst).expect("it is small");
        let space = graph.space(2, Greedy::DepthFirst).expect("it is small");
        all.extend([graph.work(), graph.depth(), scheduled.time, scheduled.steps, space]);
        all.extend(
            priced.ran.iter().flat_map(|ran| [ran.device, ran.to_device[1], ran.to_host[1]]),
        );
    }
    all
}
