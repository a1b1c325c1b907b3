//! What the generator of FCL makes, in shares, and what its shrinker leaves. `--nocapture` shows them all.
#![allow(clippy::print_stdout)]

use crate::reach::came_short;
use crate::shares::{any_bytes_make_programs, at_least};
use arbitrary::Unstructured;
use oracle::campaign::draw;
use oracle::check::{Depth, Tester};
use oracle::generate::fcl::program;
use oracle::generate::{Intent, Made, Weights, case_bytes};
use oracle::language::{Artifact, Lang};
use oracle::shrink::{self, Effort};
use oracle::stages::Plan;
use reference::fcl::doubles::DOUBLES;
use reference::fcl::syntax::{Exp, Kind, Level, MAX_LEVEL, Op, Program};
use reference::fcl::{Fcl, parse, print, types};
use reference::kit::derivation::Recorder;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Outcome, Stuck, Value};
use reference::kit::same::same;
use std::collections::BTreeMap;

/// How many programs the shares are of.
const PROGRAMS: u64 = 10_000;
const BUDGET: Budget = Budget { fuel: 10_000_000, memory: 64 << 20 };

fn made(seed: u64, index: u64, weights: &Weights) -> Made<Program> {
    program(&mut Unstructured::new(&case_bytes(seed, index)), weights)
}

/// What a program that is shrunk may use: a smaller one may be on its way to run for ever.
const LITTLE: Budget = Budget { fuel: 100_000, memory: 64 << 20 };

/// Runs a program whose doubles are rounded to f32, as in most programs of a campaign.
fn run(
    program: &Program,
    input: &[Value],
    budget: &Budget,
    to: &mut Recorder<<Fcl as Language>::Rule>,
) -> Outcome {
    let mut settings = Settings::default();
    settings.set(Fcl::OPTIONS, DOUBLES.name, "f32").expect("it is a value of the option");
    let how = How {
        variant: "",
        schedule: 0,
        budget,
        settings: &settings,
        planted: Default::default(),
        memory: &mut Memory::default(),
    };
    Fcl::run(program, input, how, to)
}

/// What is in a program, in percent of programs at least.
const SHARES: [(&str, f64); 18] = [
    ("chunks within chunks", 30.0),
    ("an order that is not concat's", 15.0),
    ("a force below a concat", 25.0),
    ("a loop", 15.0),
    ("a loop at the grid", 5.0),
    ("a loop by content", 5.0),
    ("a loop over neighbours", 5.0),
    ("warps", 10.0),
    ("a definition at two levels", 10.0),
    ("one element that all read", 10.0),
    ("mapPush over a delayed array", 5.0),
    ("pairs", 10.0),
    ("bools", 10.0),
    ("doubles that are exact", 10.0),
    ("other doubles", 3.0),
    ("an empty array", 5.0),
    ("more elements than threads", 15.0),
    ("lengths known only when run", 25.0),
];

#[test]
fn fcl_programs_are_well_typed_and_do_what_they_are_made_for() {
    let mut fired: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut causes: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut shares: BTreeMap<&'static str, u64> = BTreeMap::new();
    let [mut meant_to_run, mut ran, mut stuck, mut near_misses] = [0; 4];
    for index in 0..PROGRAMS {
        let made = made(7, index, &Weights::default());
        let text = print::program(&made.program);
        let mut recorder = Recorder::counting();
        if let Err(error) = types::infer(&made.program, &mut recorder) {
            panic!("case {index}: {error}\n{text}");
        }
        let input = Fcl::fit(&made.program, made.input.clone()).expect("the input fits");
        let parsed = parse::program(&text).expect("what is printed parses");
        assert!(same(&made.program, &parsed), "{text}");
        let outcome = run(&made.program, &input, &BUDGET, &mut recorder);
        for (rule, times, _) in recorder.finish().0.lines() {
            *fired.entry(rule.name).or_default() += u64::from(times > 0);
        }
        for (share, has) in seen(&made, &outcome) {
            *shares.entry(share).or_default() += u64::from(has);
        }
        near_misses += u64::from(made.intent == Intent::Anything);
        if made.intent == Intent::Runs {
            meant_to_run += 1;
            let good = matches!(outcome.ending, Ending::Value(_));
            ran += u64::from(good);
            if !good {
                println!("{:?}\n{text}{:?}", outcome.ending, made.input);
            }
        }
        if let Ending::Stuck(at) = &outcome.ending {
            stuck += 1;
            *causes.entry(at.site.cause.name()).or_default() += 1;
        }
    }
    let percent = |count: u64| 100.0 * count as f64 / PROGRAMS as f64;
    at_least("of those meant to run do", 100.0 * ran as f64 / meant_to_run as f64, 99.9);
    at_least("stuck", percent(stuck), 12.0);
    at_least("near misses", percent(near_misses), 5.0);
    for cause in ["division", "inside", "size", "level", "length", "growth", "taken"] {
        at_least(&format!("stuck by {cause}"), percent(*causes.get(cause).unwrap_or(&0)), 0.3);
    }
    for (share, least) in SHARES {
        at_least(share, percent(*shares.get(share).unwrap_or(&0)), least);
    }
    // No value has the type of a function of a level but what a definition is.
    fired.remove("K-LFUN");
    for (rule, count) in &fired {
        at_least(rule, percent(*count), 0.5);
    }
}

/// How many of the programs meant to run are looked at by every engine, and the least percentage that reaches all.
const EXAMINED: u64 = 1_000;
const REACH: f64 = 90.0;

/// What keeps the others is counted by reason: `--nocapture` shows it.
#[test]
fn fcl_programs_reach_every_engine() {
    let mut tester = Tester::new(Vec::new(), Plan::default());
    let weights = Weights::of(Some(Lang::Fcl));
    let mut short: BTreeMap<String, u64> = BTreeMap::new();
    let drawn = (0..).map(|number| draw(7, number, &weights)).filter(|drawn| drawn.meant_to_run);
    for drawn in drawn.take(EXAMINED as usize) {
        let seen = tester.examine(&drawn.case, Depth::Quick);
        if let Some(reason) = came_short(&drawn, &seen, tester.plan) {
            *short.entry(reason).or_default() += 1;
        }
    }
    for (reason, programs) in &short {
        println!("{programs} of {EXAMINED} programs: {reason}");
    }
    let everywhere = EXAMINED - short.values().sum::<u64>();
    at_least("reach every engine", 100.0 * everywhere as f64 / EXAMINED as f64, REACH);
}

/// What is in a program.
fn seen(made: &Made<Program>, outcome: &Outcome) -> Vec<(&'static str, bool)> {
    let mut has = Has::default();
    for def in made.program.defs.iter().filter(|def| !def.prelude) {
        has.look(&def.body, 0);
    }
    let exact = outcome.tolerances.iter().all(|t| t.bounds.iter().all(|b| b.get() == 0.0));
    let empty = |value: &Value| matches!(value, Value::Array { cells, .. } if cells.is_empty());
    let results = match &outcome.ending {
        Ending::Value(values) => values.iter().any(empty),
        _ => false,
    };
    vec![
        ("chunks within chunks", has.chunks > 1),
        ("an order that is not concat's", has.order),
        ("a force below a concat", has.force_below),
        ("a loop", has.repeat),
        ("a loop at the grid", has.grid_loop),
        ("a loop by content", has.by_content),
        ("a loop over neighbours", has.neighbours),
        ("warps", has.levels.contains(&1)),
        ("a definition at two levels", has.uses.values().any(|levels| levels.len() > 1)),
        ("one element that all read", has.single),
        ("mapPush over a delayed array", has.map_delayed),
        ("pairs", has.pairs),
        ("bools", has.bools),
        ("doubles that are exact", has.doubles && exact),
        ("other doubles", has.doubles && !exact),
        ("an empty array", results || made.input.iter().any(empty)),
        ("more elements than threads", has.many),
        ("lengths known only when run", has.runtime),
    ]
}

#[derive(Default)]
struct Has {
    chunks: usize,
    order: bool,
    force_below: bool,
    repeat: bool,
    grid_loop: bool,
    by_content: bool,
    neighbours: bool,
    single: bool,
    map_delayed: bool,
    pairs: bool,
    bools: bool,
    doubles: bool,
    many: bool,
    runtime: bool,
    levels: std::collections::BTreeSet<u32>,
    uses: BTreeMap<u32, std::collections::BTreeSet<u32>>,
}

impl Has {
    fn look(&mut self, exp: &Exp, chunks: usize) {
        self.chunks = self.chunks.max(chunks);
        let mut inner = chunks;
        if let Some((op, level, args)) = exp.as_op() {
            inner += self.applied(op, level, &args, chunks);
        }
        match &exp.kind {
            Kind::Double(_) => self.doubles = true,
            Kind::Bool(_) => self.bools = true,
            Kind::Pair(_) => self.pairs = true,
            Kind::LevelApp(of, level) => {
                if let Kind::Var(var) = of.kind {
                    self.uses.entry(var.0).or_default().insert(level.succs);
                }
            }
            _ => {}
        }
        exp.parts().into_iter().for_each(|part| self.look(part, inner));
    }

    /// How many levels of chunks the arguments are below this.
    fn applied(&mut self, op: Op, level: Option<Level>, args: &[&Exp], chunks: usize) -> usize {
        let sizes = |op: Op| matches!(op, Op::Generate | Op::Concat | Op::Interleave);
        if sizes(op) && !args.is_empty() {
            self.runtime |= !matches!(args[0].kind, Kind::Int(_));
        }
        match (op, args) {
            (Op::Concat, [_, _]) => return 1,
            (Op::Interleave, [_, order, _]) => {
                self.order |= !is_concat(order);
                return 1;
            }
            (Op::Force, [of]) => {
                self.force_below |= chunks > 0;
                if let Some((Op::Push, _, args)) = of.as_op() {
                    self.single |= matches!(&args[..], [one] if matches!(&one.kind, Kind::Array(e) if e.len() == 1));
                }
            }
            (Op::While, [cond, step, first]) => {
                self.repeat = true;
                self.grid_loop |= level_of(first) == Some(3) || level_of(step) == Some(3);
                self.by_content |= mentions(cond, &|exp| matches!(exp.kind, Kind::Op(Op::Index)));
                self.neighbours |= mentions(
                    step,
                    &|exp| matches!(exp.as_op(), Some((Op::Mul, _, args)) if matches!(&args[..], [two, _] if two.kind == Kind::Int(2))),
                );
            }
            (Op::MapPush, [_, of]) => {
                self.map_delayed |= matches!(of.as_op(), Some((Op::Concat | Op::Interleave, _, _)));
            }
            (Op::Push, [of]) => {
                let level =
                    level.map_or(0, |level| if level.var.is_some() { 9 } else { level.succs });
                self.levels.insert(level);
                if let Some((Op::Generate, _, args)) = of.as_op()
                    && let Kind::Int(size) = args[0].kind
                {
                    let threads = [1, 32, 64, 256, 256][level.min(4) as usize];
                    self.many |= level > 0 && size > threads && size % threads != 0;
                }
            }
            (Op::Not | Op::B2i, _) => self.bools = true,
            (Op::AddD | Op::SubD | Op::MulD | Op::DivD | Op::I2d | Op::D2i, _) => {
                self.doubles = true
            }
            _ => {}
        }
        0
    }
}

/// The level of the first array that is pushed in it, or of the chunks around it.
fn level_of(exp: &Exp) -> Option<u32> {
    match exp.as_op() {
        Some((Op::Push, Some(level), _)) => Some(level.succs),
        Some((Op::Concat | Op::Interleave, _, args)) => {
            args.iter().find_map(|arg| level_of(arg)).map(|l| l + 1)
        }
        _ => exp.parts().into_iter().find_map(level_of),
    }
}

fn mentions(exp: &Exp, what: &dyn Fn(&Exp) -> bool) -> bool {
    what(exp) || exp.parts().into_iter().any(|part| mentions(part, what))
}

/// `fn p => fst p * m + snd p`
fn is_concat(order: &Exp) -> bool {
    let Kind::Fn(_, body) = &order.kind else { return false };
    let Some((Op::Add, _, sum)) = body.as_op() else { return false };
    let Some((Op::Mul, _, product)) = sum[0].as_op() else { return false };
    matches!(product[0].as_op(), Some((Op::Fst, _, _)))
        && matches!(sum[1].as_op(), Some((Op::Snd, _, _)))
}

fn stuck(program: &Program, input: &[Value]) -> Option<Stuck> {
    match run(program, input, &LITTLE, &mut Recorder::counting()).ending {
        Ending::Stuck(stuck) => Some(stuck),
        _ => None,
    }
}

#[test]
fn any_bytes_make_a_well_typed_fcl_program() {
    any_bytes_make_programs::<Fcl>();
}

/// A program that gets stuck is shrunk to one that gets stuck by the same cause, and what is read of its
/// text does so too.
#[test]
fn fcl_programs_that_get_stuck_shrink_to_a_few_bindings() {
    let weights = Weights { stuck: 100, ..Weights::default() };
    let found = (0..).filter_map(|index| {
        let made = made(9, index, &weights);
        stuck(&made.program, &made.input).map(|at| (made, at))
    });
    let mut left = Vec::new();
    for (made, at) in found.take(40) {
        let shows = |artifact: &Artifact, input: &[Value]| match artifact {
            Artifact::Fcl(program) => {
                stuck(program, input).is_some_and(|now| now.site.cause == at.site.cause)
            }
            _ => false,
        };
        let small = shrink::artifact(
            &Artifact::Fcl(made.program),
            &made.input,
            &mut |artifact, input| shows(&artifact, input),
            Effort::default(),
        );
        let text = small.program.print();
        let again = Lang::Fcl.parse(&text).expect("what is printed parses");
        assert!(shows(&again, &small.input), "what is read shows it no longer:\n{text}");
        let statements = shrink::statements(&small.program);
        assert!(statements <= 8, "{} {}:\n{text}", at.site.cause.name(), statements);
        left.push(statements);
    }
    println!("{left:?} bindings are left");
}

/// What mutants are made of is stored programs. None has a level that no text can have, or its printer would write
/// thousands of millions of `1+`.
#[test]
fn levels_that_cannot_be_written_are_not_read() {
    let stored = |succs: u32| serde_json::json!({"succs": succs, "var": null});
    let read = |succs| serde_json::from_value::<Level>(stored(succs)).ok();
    assert_eq!(read(MAX_LEVEL), Some(Level::number(MAX_LEVEL)));
    assert_eq!(read(MAX_LEVEL + 1), None);
}
