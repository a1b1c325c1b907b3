//! Programs of λG, well typed by construction, that come to an end.
//!
//! A program takes some ints, vectors and pairs, makes a region or two, and binds what a few steps come to: values of both
//! sides, closures that are applied on the other side, functions that apply themselves, branches in branches, regions that
//! both sides put values into, and what gets stuck. Its result is what some of the bindings come to. Of some programs
//! annotations are left out, and they are as inference makes them whole.

mod build;
mod exps;
mod recursion;
mod steps;
mod types;

use super::draw::Draw;
use super::{Generate, Generator, Intent, Made, Weights};
use arbitrary::Unstructured;
use build::{Build, Known};
use reference::kit::names::Var;
use reference::kit::outcome::Value;
use reference::lambda_g::infer::erase::erase;
use reference::lambda_g::syntax::{Exp, Param, Program, R0};
use reference::lambda_g::{LambdaG, parse, print};
use types::Ty;

impl Generate for LambdaG {
    const GENERATOR: Generator<LambdaG> = program;
    const SHARE: u32 = 3;
}

/// Expressions of a program that are more than leaves, at most.
const SIZE: usize = 60;

/// What a binding is made for.
#[derive(Clone, Copy)]
enum Step {
    Any,
    Device,
    TwoRegions,
    Across,
    Recursion,
    Polymorphic,
    Branches,
    Both,
    Stuck,
    Full,
}

/// Each with the percentage of programs that have it.
const STEPS: [(Step, u32); 10] = [
    (Step::Any, 60),
    (Step::Device, 25),
    (Step::TwoRegions, 30),
    (Step::Across, 13),
    (Step::Recursion, 15),
    (Step::Polymorphic, 10),
    (Step::Branches, 20),
    (Step::Both, 23),
    (Step::Stuck, 8),
    (Step::Full, 2),
];

/// Makes a program from bytes.
pub fn program(bytes: &mut Unstructured<'_>, _: &Weights) -> Made<Program> {
    let mut build = Build::new(Draw::new(bytes));
    build.left = SIZE;
    build.marks = build.draw.chance(10);
    let mut steps: Vec<Step> = Vec::new();
    for (step, percent) in STEPS {
        if build.draw.chance(percent) {
            let at = build.draw.below(steps.len() + 1);
            steps.insert(at, step);
        }
    }
    let stuck = steps.iter().any(|step| matches!(step, Step::Stuck | Step::Full));
    let (params, input) = params(&mut build);
    let regions = [0, 1, 1, 2][build.draw.below(4)];
    let body = within(&mut build, regions, Vec::new(), &steps);
    let intent = if stuck { Intent::Stuck } else { Intent::Runs };
    let program = Program { names: build.names, params, body, inferred: false };
    Made { program: left_out(program, &mut build.draw), input, intent }
}

/// The percentage of programs that leave annotations out, and of these the percentages of annotations that stay.
const LEFT_OUT: u32 = 22;
const KEPT: [u32; 4] = [0, 0, 50, 80];

/// The program, or what inference makes of it where it leaves annotations out. One that inference refuses has all of them.
fn left_out(program: Program, draw: &mut Draw<'_, '_>) -> Program {
    if !draw.chance(LEFT_OUT) {
        return program;
    }
    let kept = draw.pick(&KEPT);
    let text = print::program(&erase(&program, &mut || draw.chance(kept)));
    parse::program(&text).unwrap_or(program)
}

/// Parameters, and a value for each.
fn params(build: &mut Build<'_, '_>) -> (Vec<Param>, Vec<Value>) {
    let (mut params, mut input) = (Vec::new(), Vec::new());
    for _ in 0..build.draw.below(4) {
        let int = Ty::int(R0);
        let (ty, value, least) = match build.draw.below(5) {
            0 | 1 => {
                let k = build.draw.between(-3, 12) as i32;
                (int, k.into(), 0)
            }
            2 | 3 => {
                let count = 1 + build.draw.below(5);
                let cells: Vec<i32> =
                    (0..count).map(|_| build.draw.between(-9, 9) as i32).collect();
                (Ty::vec(int, R0), Value::ints(vec![count], cells), count)
            }
            _ => {
                let k = Value::from(build.draw.between(-3, 12) as i32);
                let value = Value::Tuple(vec![k, build.draw.chance(50).into()]);
                (Ty::pair(int, Ty::Bool, R0), value, 0)
            }
        };
        let var = build.names.fresh("a");
        let (span, written) = (build.span(), build.written(&ty));
        params.push(Param { span, var, ty: written });
        input.push(value);
        build.vars.push(Known { var, ty, least });
    }
    (params, input)
}

/// `letregion q in …` so many times, and in these the steps.
fn within(build: &mut Build<'_, '_>, regions: usize, mut made: Vec<Var>, steps: &[Step]) -> Exp {
    if regions == 0 {
        return bindings(build, &made, steps, 0);
    }
    let of = build.words();
    build.letregion(of, |build, q| {
        made.push(q);
        within(build, regions - 1, made, steps)
    })
}

/// `let x = e in …` for each step, and what they come to.
fn bindings(build: &mut Build<'_, '_>, made: &[Var], steps: &[Step], bound: usize) -> Exp {
    let Some((step, rest)) = steps.split_first() else { return result(build, bound) };
    build.left = build.left.max(SIZE / 4);
    let inner = made.last().copied().unwrap_or(R0);
    let (e, ty) = match step {
        Step::Any => build.any(),
        Step::Device => build.device(),
        Step::TwoRegions => build.two_regions(R0, inner),
        Step::Across => build.across(),
        Step::Recursion => build.recursion(),
        Step::Polymorphic => build.polymorphic(),
        Step::Branches => build.branches(),
        Step::Both => build.both(inner),
        Step::Stuck => build.stuck(),
        Step::Full => build.full(),
    };
    build.bind(ty, e, 0, |build| bindings(build, made, rest, bound + 1))
}

/// What the last bindings come to, in `r0`.
fn result(build: &mut Build<'_, '_>, bound: usize) -> Exp {
    let last: Vec<Known> = build.vars.iter().rev().take(bound.min(4)).cloned().collect();
    let mut all: Option<Exp> = None;
    for Known { var, ty, .. } in last {
        let var = build.var(var);
        let (shown, _) = build.shown(var, &ty, R0);
        all = Some(match all {
            Some(rest) => build.pair(shown, rest, R0),
            None => shown,
        });
    }
    match all {
        Some(all) => all,
        None => build.exp(&Ty::int(R0), steps::DEPTH),
    }
}
