//! How far generated programs come, and what they fire on the way. `--nocapture` shows all of it.
#![allow(clippy::print_stdout)]

use compiler::emit::spirv;
use compiler::run::forms::Forms;
use oracle::campaign::{Drawn, draw, turn};
use oracle::check::{Answer, Depth, Examination, Tester, Verdict};
use oracle::engine::{Artifact, EngineId, StageId};
use oracle::generate::{Weights, rest};
use oracle::language::Lang;
use oracle::rolls::Counts;
use oracle::stages::{CHECKED, Plan, Stages, leads};
use reference::kit::outcome::Ending;
use std::collections::BTreeMap;

/// How many programs the shares are of: fewer where nothing is optimized.
const PROGRAMS: u64 = if cfg!(debug_assertions) { 1_200 } else { 10_000 };

/// So many are drawn beside them in each language that a campaign draws where it is asked to only.
const BESIDE: u64 = if cfg!(debug_assertions) { 150 } else { 1_000 };

/// The seed that they are drawn from.
const SEED: u64 = 7;

/// What was seen of some programs.
#[derive(Default)]
struct Reach {
    programs: u64,
    runnable: u64,
    looked_at_whole: u64,
    /// In how many of these a rule fired, by room and rule: elsewhere the stages between the languages are
    /// not typed.
    fired: BTreeMap<(&'static str, &'static str), u64>,
    /// Runnable programs that reached every engine.
    everywhere: u64,
    /// Terms that may be drawn, and those of which work groups have run a plan.
    terms: u64,
    run_by_groups: u64,
    /// Why the others did not: how many for each reason.
    short: BTreeMap<String, u64>,
}

impl Reach {
    fn add(&mut self, other: Reach) {
        self.programs += other.programs;
        self.runnable += other.runnable;
        self.looked_at_whole += other.looked_at_whole;
        self.everywhere += other.everywhere;
        self.terms += other.terms;
        self.run_by_groups += other.run_by_groups;
        for (reason, count) in other.short {
            *self.short.entry(reason).or_default() += count;
        }
        for (rule, count) in other.fired {
            *self.fired.entry(rule).or_default() += count;
        }
    }

    /// Draws and examines one program as a campaign does, at this depth.
    fn program(&mut self, tester: &mut Tester, number: u64, weights: &Weights, depth: Depth) {
        let drawn = draw(SEED, number, weights);
        tester.plan.form = turn(number).1;
        let whole = depth == Depth::Whole;
        let before = Counts::of(&tester.rolls);
        let seen = tester.examine(&drawn.case, depth);
        self.programs += 1;
        if drawn.case.program.lang() == Lang::Axes {
            self.terms += 1;
            self.run_by_groups += u64::from(is_run_by_groups(&seen));
        }
        if whole {
            self.looked_at_whole += 1;
            self.fires(&before, &Counts::of(&tester.rolls));
        }
        if drawn.meant_to_run {
            self.runnable += 1;
            match came_short(&drawn, &seen, tester.plan) {
                None => self.everywhere += 1,
                Some(reason) => *self.short.entry(reason).or_default() += 1,
            }
        }
    }

    fn fires(&mut self, before: &Counts, after: &Counts) {
        for (before, after) in before.rooms.iter().zip(&after.rooms) {
            for ((_, was, _), (rule, is, _)) in before.lines().zip(after.lines()) {
                *self.fired.entry((after.room, rule.name)).or_default() += u64::from(is > was);
            }
        }
    }
}

/// The engines that need no adapter, for a program of the language; of IMP's orders one.
fn engines(program: &Artifact) -> Vec<EngineId> {
    let through = Lang::ALL.iter().filter(|lang| leads(program.lang(), **lang));
    through.map(|lang| EngineId::own(*lang)).chain([EngineId::Spirv]).collect()
}

/// What kept a runnable program from some engine, if something did. It reaches the adapters if all
/// of its kernels are shaders that naga accepts.
pub(crate) fn came_short(drawn: &Drawn, seen: &Examination, plan: Plan) -> Option<String> {
    if !matches!(seen.verdict, Verdict::Agree) {
        return Some(format!("{:?}", seen.verdict));
    }
    for engine in engines(&drawn.case.program) {
        let ran = |side: &Answer| matches!(side.outcome.ending, Ending::Value(_));
        if !seen.side(&engine).is_some_and(ran) {
            let said = seen.skipped.iter().find(|skipped| skipped.not_run.engine == engine);
            let said = said.map_or("no answer", |skipped| &skipped.not_run.reason);
            return Some(format!("{engine}: {said}"));
        }
    }
    let stages = Stages::of(&drawn.case.program, plan);
    let checked = stages.list.iter().find(|stage| stage.id == CHECKED);
    let Some(Artifact::Device(program)) = checked.map(|stage| &*stage.artifact) else {
        return Some("no shaders".to_owned());
    };
    let forms = Forms::of(program, plan.kernels());
    (0..program.kernels.len()).find_map(|number| refused(&forms, number))
}

/// What naga says against the fast form of a kernel or the full one.
fn refused(forms: &Forms<'_>, number: usize) -> Option<String> {
    let group = forms.program().kernels[number].group;
    let both = [forms.fast_for_all(number, group), forms.full(number, group)];
    both.into_iter().find_map(|compiled| match compiled {
        Ok(compiled) => spirv::for_vulkan(&compiled.form.wgsl).err().map(|error| error.to_string()),
        Err(stop) => Some(format!("{stop:?}")),
    })
}

/// Did work groups run the plan of a term?
fn is_run_by_groups(seen: &Examination) -> bool {
    seen.sides.iter().any(|side| {
        side.stage == StageId("plan_groups")
            && side.engine == EngineId::own(Lang::Device)
            && matches!(side.outcome.ending, Ending::Value(_))
    })
}

/// A language with a smaller percentage of a campaign has programs beside them.
const FEW: u32 = 10;

/// The example of the recipe for a language, which has tests of its own and no place in a campaign.
const TOY: &str = "toy";

/// What draws programs of one language that has no share of a campaign, or a small one, for each.
fn beside() -> Vec<Weights> {
    let shares = Weights::default().shares;
    let has_many = |lang: &Lang| shares.get(lang).is_some_and(|share| *share >= FEW);
    let is_drawn = |lang: &Lang| has_many(lang) || *lang == rest();
    let asked_for = Lang::ALL.iter().filter(|lang| !is_drawn(lang) && lang.name() != TOY);
    asked_for.map(|lang| Weights { shares: [(*lang, 100)].into(), ..Weights::default() }).collect()
}

/// All programs, over the cores of the machine.
fn reach() -> Reach {
    let workers = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let work = |first: u64| {
        let mut tester = Tester::new(Vec::new(), Plan::default());
        let mut reach = Reach::default();
        for number in (first..PROGRAMS).step_by(workers as usize) {
            reach.program(&mut tester, number, &Weights::default(), turn(number).0);
        }
        for weights in beside() {
            for number in (first..BESIDE).step_by(workers as usize) {
                reach.program(&mut tester, number, &weights, Depth::Whole);
            }
        }
        reach
    };
    let mut all = Reach::default();
    std::thread::scope(|scope| {
        let started: Vec<_> = (0..workers)
            .map(|first| {
                let worker = std::thread::Builder::new().stack_size(oracle::STACK);
                worker.spawn_scoped(scope, move || work(first)).expect("a thread starts")
            })
            .collect();
        for worker in started {
            all.add(worker.join().expect("no worker panics"));
        }
    });
    all
}

/// Rules that no generated program fires, by room and by why that is right. Programs of the corpus
/// fire them.
const NEVER: [(&str, &[&str], &str); 2] = [
    ("device", &["D-T-HOST"], "it fires where it fails, and programs are well typed"),
    ("fcl", &["K-LFUN"], "only a definition has the type of a function of a level"),
];

#[test]
fn programs_reach_every_engine_and_fire_every_rule() {
    let reach = reach();
    assert_eq!(reach.programs, PROGRAMS + BESIDE * beside().len() as u64);
    let percent = |count: u64, all: u64| 100.0 * count as f64 / all as f64;
    let everywhere = percent(reach.everywhere, reach.runnable);
    println!("of {} runnable programs reach every engine: {everywhere:.2}%", reach.runnable);
    println!("the others: {:#?}", reach.short);
    assert!(everywhere >= 90.0, "{everywhere:.2}% reach every engine: {:#?}", reach.short);
    let by_groups = percent(reach.run_by_groups, reach.terms);
    println!("of {} terms work groups run {by_groups:.2}%", reach.terms);
    assert!(by_groups >= 5.0, "work groups run {by_groups:.2}% of terms");
    let mut wrong = Vec::new();
    for ((room, rule), count) in reach.fired.iter().filter(|((room, _), _)| *room != TOY) {
        let share = percent(*count, reach.looked_at_whole);
        println!("{room}: {rule}: {share:.2}%");
        let never = NEVER.iter().any(|(other, rules, _)| other == room && rules.contains(rule));
        if never != (*count == 0) || !never && share < 0.1 {
            wrong.push(format!("{room}: {rule}: {share:.2}%"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
