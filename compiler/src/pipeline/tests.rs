//! Tests of the routes, and of stages made along them.

use super::passes::{
    ELIDE_COPIES, EXPAND_MEMORY, EXPOSE_CHECKS, HOIST_ALLOCATIONS, INLINE_CALLS, LOWER, MAP_LEVELS,
    SIMPLIFY, TO_IMP,
};
use super::routes::FUN_TO_FUNMEM;
use super::*;
use crate::route::{Lang, Pass, Route, Step};
use reference::device::eval::{self, Order};
use reference::device::syntax::{Exp, Kind, Lit};
use reference::kit::decisions::Policy;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::kit::scalar::BinOp;
use std::collections::HashSet;

fn source() -> Artifact {
    let source = "param (n : int) let (xs : [n]) = kernel i <= n do in (i) in (xs)";
    Artifact::Fun(reference::fun::parse::program(source).expect("the program parses"))
}

fn tags(routes: Routes) -> Vec<&'static str> {
    routes.road(Lang::Fun).map(Position::tag).collect()
}

fn made(stages: &Stages) -> Vec<&'static str> {
    assert_eq!(stages.stop, None);
    stages.stages.iter().skip(1).map(Stage::by).collect()
}

#[test]
fn every_step_makes_a_stage() {
    let stages = stages(source(), &Plan::default());
    assert_eq!(made(&stages), tags(ROUTES));
    assert_eq!(stages.stages.last().map(|stage| stage.artifact.lang()), Some(Lang::Shaders));
}

/// Tags are unique, the first step takes what the route takes, each step what the one before it makes.
fn fits_together(routes: Routes) {
    let mut tags = HashSet::from([SOURCE]);
    let mut from = Vec::new();
    for Route { from: start, to, steps } in routes.first {
        let end = steps.iter().fold(*start, |lang, step| {
            assert_eq!(step.pass.from, lang, "{}", step.tag);
            assert!(tags.insert(step.tag), "{} stands on the routes twice", step.tag);
            step.pass.to
        });
        assert_eq!(end, *to);
        assert!(!from.contains(start), "two routes start at {start:?}");
        from.push(*start);
    }
}

#[test]
fn the_routes_fit_together() {
    fits_together(ROUTES);
    assert!(ROUTES.tagged(CHECKED).is_some());
}

/// Two passes occur twice here, one within FUNMEM and one within the device language.
const TWICE: Routes = Routes {
    beside: &[],
    first: &[
        FUN_TO_FUNMEM,
        Route {
            from: Lang::FunMem,
            to: Lang::Imp,
            steps: &[
                Step::of(&ELIDE_COPIES),
                Step::of(&HOIST_ALLOCATIONS),
                Step::again(&ELIDE_COPIES, "elide_copies:hoisted"),
                Step::of(&EXPAND_MEMORY),
                Step::again(&ELIDE_COPIES, "elide_copies:expanded"),
                Step::of(&TO_IMP),
            ],
        },
        Route {
            from: Lang::Imp,
            to: Lang::Device,
            steps: &[
                Step::of(&LOWER),
                Step::of(&INLINE_CALLS),
                Step::of(&EXPOSE_CHECKS),
                Step::of(&SIMPLIFY),
                Step::of(&MAP_LEVELS),
                Step::again(&SIMPLIFY, "simplify:mapped"),
            ],
        },
    ],
};

#[test]
fn a_pass_may_occur_more_than_once() {
    fits_together(TWICE);
    let stages = TWICE.stages(source(), &Plan::default());
    assert_eq!(made(&stages), tags(TWICE));
    for at in TWICE.places() {
        let stage = stages.by(at.tag()).expect("each place has a stage");
        assert_eq!(stage.at, Some(at));
        assert_eq!(stage.artifact.lang(), at.lang());
    }
    let again = TWICE.tagged("elide_copies:hoisted").expect("the tag is on a route");
    assert_eq!(again.step().pass.name, "elide_copies");
    assert_eq!(TWICE.next(again).map(Position::tag), Some("expand_memory"));
    let last = TWICE.last_in(Lang::FunMem, Lang::Fun).expect("the road leads through FUNMEM");
    assert_eq!(last.tag(), "elide_copies:expanded");
    assert!(TWICE.is_last_of_language(last) && !TWICE.is_last_of_language(again));
    assert_eq!(TWICE.last_in(Lang::Device, Lang::Imp).map(Position::tag), Some("simplify:mapped"));
    assert_eq!(TWICE.last_in(Lang::Fun, Lang::Imp), None);
}

/// A pass that refuses is named by its tag, so that one of two places is meant.
#[test]
fn a_place_that_refuses_is_named_by_its_tag() {
    const ROUTE: Routes = Routes {
        beside: &[],
        first: &[Route {
            from: Lang::Device,
            to: Lang::Device,
            steps: &[Step::again(&SIMPLIFY, "first"), Step::again(&SIMPLIFY, "second")],
        }],
    };
    let text = "kernel k(b : block[i32]) group 4 {\n  b.[0] = true;\n}\nlet b = alloc i32(4);\nlaunch k(b) for 1;";
    let program = reference::device::parse::program(text).expect("the program parses");
    let stage = Stage::source(Artifact::Device(program));
    let mut cx = PassCx::new(Plan::default());
    let first = ROUTE.step_unchecked(Cow::Owned(stage), &mut cx);
    let Ok(Some(first)) = first else { panic!("{first:?}") };
    assert!(matches!(first.validate(), Err(Stop::Broken("first", _))));
    let second = ROUTE.step(Cow::Owned(first), &mut cx);
    assert!(matches!(second, Err(Stop::Broken("second", _))), "{second:?}");
}

/// A pass that decides of each literal that is stored whether it is one more, and less again; of 13 it forgets
/// the half of it.
static WRONG: Pass = Pass::new("wrong", Lang::Device, Lang::Device, |artifact, cx| {
    let Artifact::Device(mut program) = artifact.into_owned() else {
        unreachable!("see the route")
    };
    for stm in program.kernels.iter_mut().flat_map(|kernel| &mut kernel.body) {
        let Kind::Store(_, exp) = &mut stm.kind else { continue };
        let Exp::Lit(Lit::I32(k)) = *exp else { continue };
        if cx.decisions.decide(|| format!("{k} is a difference")) {
            let less = if k == 13 { 0 } else { 1 };
            *exp = Exp::bin(BinOp::Sub, Exp::i32(k + 1), Exp::i32(less));
        }
    }
    Ok(Artifact::Device(program))
});

/// By the number of decisions the one is found after which a program is wrong, and the report says what it did.
#[test]
fn a_wrong_decision_is_found_by_its_number() {
    const ROUTE: Routes = Routes {
        beside: &[],
        first: &[Route {
            from: Lang::Device,
            to: Lang::Shaders,
            steps: &[
                Step::of(&SIMPLIFY),
                Step::of(&WRONG),
                Step::again(&SIMPLIFY, "simplify:wrong"),
            ],
        }],
    };
    let stores: String =
        (0..20).map(|k| format!("let i{k} : i32 = {k}; b.[{k}] = i{k};\n")).collect();
    let text = format!(
        "kernel k(b : block[i32]) group 1 {{\n{stores}}}\nlet b = alloc i32(20);\nlaunch k(b) for 1;\n\
         result b : [20] at 0 strides (1);\n"
    );
    let program = reference::device::parse::program(&text).expect("the program parses");
    let compiled = |limit: u64| {
        let decisions = Policy { limit: Some(limit), chaos: None };
        let mut cx = PassCx::reported(Plan { decisions, ..Plan::default() });
        let mut stage = Stage::source(Artifact::Device(program.clone()));
        for _ in 0..3 {
            let next = ROUTE.step(Cow::Owned(stage), &mut cx).expect("no pass refuses");
            stage = next.expect("there are three");
        }
        (stage.artifact, cx.decisions)
    };
    let is_wrong = |limit: u64| {
        let (artifact, _) = compiled(limit);
        let Artifact::Device(program) = artifact else { panic!("{artifact:?}") };
        let mut recorder = Recorder::counting();
        let budget = Budget::default();
        let outcome = eval::run(&program, &[], Order::InOrder, &budget, &mut recorder);
        let data = (0..20).collect();
        outcome.ending != Ending::Value(vec![Value::ints(vec![20], data)])
    };
    let all = compiled(u64::MAX).1.made();
    assert!(all >= 20 && is_wrong(all) && !is_wrong(0));
    let (mut right, mut wrong) = (0, all);
    while wrong - right > 1 {
        let middle = right.midpoint(wrong);
        *if is_wrong(middle) { &mut wrong } else { &mut right } = middle;
    }
    let (_, decisions) = compiled(wrong);
    let found = decisions.report().iter().find(|it| it.number == Some(wrong));
    let found = found.expect("it was made").to_string();
    assert_eq!(found, format!("wrong: {wrong}. 13 is a difference"));
}
