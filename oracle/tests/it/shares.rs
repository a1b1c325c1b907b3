//! What the generators make, in shares. `--nocapture` shows them all.
#![allow(clippy::print_stdout)]

use arbitrary::Unstructured;
use oracle::generate::funmem::{self as edited, edit::Edit};
use oracle::generate::{Generate, Intent, Made, Weights, case, case_bytes, fun_case};
use oracle::language::Lang;
use reference::fun::syntax::{Atom, Body, Exp, Fun, Program, Se, Ty};
use reference::fun::{eval, print, types};
use reference::funmem;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::names::Var;
use reference::kit::outcome::{Budget, Cause, Cells, Ending, Outcome, Scalar, Value};
use reference::kit::same::same;
use reference::kit::text::Span;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How many programs the shares are of.
const PROGRAMS: u64 = 10_000;

#[test]
fn a_case_is_the_same_again() {
    let weights = Weights::default();
    for index in 0..200 {
        let (a, b) = (fun_case(7, index, &weights), fun_case(7, index, &weights));
        assert_eq!(a.program, b.program);
        assert_eq!(a.input, b.input);
        assert_ne!(a.program, fun_case(8, index, &weights).program);
    }
}

#[test]
fn a_printed_program_parses_to_itself() {
    for index in 0..1000 {
        let made = fun_case(3, index, &Weights::default());
        let text = print::program(&made.program);
        let parsed = reference::fun::parse::program(&text).expect("what is printed parses");
        assert!(same(&made.program, &parsed), "{text}");
    }
}

/// Counts of programs with some property.
#[derive(Default)]
struct Shares {
    /// In how many programs each rule fired.
    rules: Vec<(&'static str, u64)>,
    meant_to_run: u64,
    run: u64,
    stuck_in_kernel: u64,
    causes: Vec<(Cause, u64)>,
    not_first_thread: u64,
    /// The same stood before in vain: in a branch, a loop, a kernel.
    in_vain: [u64; 3],
    joined_then_viewed: u64,
    ranks: [u64; 4],
    empty: u64,
    beyond: [u64; 2],
    allocates_in_kernel: u64,
    depths: [u64; 4],
    statements: Vec<u64>,
    size: u64,
}

fn measured() -> Shares {
    let weights = Weights::default();
    let mut shares = Shares::default();
    for index in 0..PROGRAMS {
        let made = fun_case(7, index, &weights);
        let mut recorder = Recorder::counting();
        if let Err(error) = types::check(&made.program, &mut recorder) {
            panic!("case {index}: {error} {:?}\n{}", error.rule, print::program(&made.program));
        }
        let budget = Budget { fuel: 10_000_000, memory: 64 << 20 };
        let outcome = eval::run(&made.program, &made.input, &budget, &mut recorder);
        let (coverage, _) = recorder.finish();
        shares.rules.resize(coverage.lines().count(), ("", 0));
        for (share, (rule, fired, _)) in shares.rules.iter_mut().zip(coverage.lines()) {
            *share = (rule.name, share.1 + u64::from(fired > 0));
        }
        shares.add(&made, &outcome);
    }
    shares
}

impl Shares {
    fn add(&mut self, made: &Made<Program<Fun>>, outcome: &Outcome) {
        self.statements.push(outcome.stats.statements);
        self.size += made.program.body.size() as u64;
        if made.intent == Intent::Runs {
            self.meant_to_run += 1;
            if matches!(outcome.ending, Ending::Value(_)) {
                self.run += 1;
            } else {
                println!("{:?}\n{}", outcome.ending, print::program(&made.program));
            }
        }
        if let Ending::Stuck(stuck) = &outcome.ending {
            self.stuck_in_kernel += u64::from(!stuck.thread.is_empty());
            self.not_first_thread += u64::from(stuck.thread.iter().any(|thread| *thread > 1));
            let stood = in_vain(&made.program.body, stuck.site.span);
            for (count, stood) in self.in_vain.iter_mut().zip(stood) {
                *count += u64::from(stood);
            }
            match self.causes.iter_mut().find(|(cause, _)| *cause == stuck.site.cause) {
                Some((_, count)) => *count += 1,
                None => self.causes.push((stuck.site.cause, 1)),
            }
        }
        let mut joined = HashSet::new();
        self.joined_then_viewed += u64::from(views_joined(&made.program.body, &mut joined));
        let mut seen = Seen::default();
        seen.body(&made.program.body, 0);
        for param in &made.program.params {
            seen.ty(&param.ty);
        }
        for (rank, count) in self.ranks.iter_mut().enumerate() {
            *count += u64::from(seen.ranks[rank]);
        }
        self.depths[seen.depth.min(3)] += 1;
        self.allocates_in_kernel += u64::from(seen.allocates_in_kernel);
        let mut empty = seen.zero;
        let mut most = seen.most_threads;
        for (param, value) in made.program.params.iter().zip(&made.input) {
            match value {
                Value::Array { cells: Cells::I32(data), .. } => empty |= data.is_empty(),
                Value::Scalar(Scalar::I32(k)) => {
                    if seen.counts.contains(&Atom::Var(param.var)) {
                        most = most.max(*k);
                    }
                }
                other => unreachable!("FUN has ints and arrays of them, not {other}"),
            }
        }
        self.empty += u64::from(empty);
        self.beyond[0] += u64::from(most > 64);
        self.beyond[1] += u64::from(most > 256);
    }

    fn percent(&self, count: u64) -> f64 {
        100.0 * count as f64 / PROGRAMS as f64
    }

    fn rule(&self, name: &str) -> f64 {
        let found = self.rules.iter().find(|(rule, _)| *rule == name);
        self.percent(found.map_or(0, |(_, count)| *count))
    }
}

/// Does what gets stuck at `span` stand before it too: in a branch, a loop, a kernel that it is not in
/// itself?
fn in_vain(body: &Body<Fun>, span: Span) -> [bool; 3] {
    let mut exps = Vec::new();
    exps_of(body, None, &mut exps);
    let mut stood = [false; 3];
    let Some((_, stuck, home)) = exps.iter().find(|(at, ..)| *at == span) else { return stood };
    for (at, exp, around) in &exps {
        let elsewhere = around.map(std::ptr::from_ref) != home.map(std::ptr::from_ref);
        if *at < span && elsewhere && exp == stuck {
            match around {
                Some(Exp::If { .. }) => stood[0] = true,
                Some(Exp::Loop { .. }) => stood[1] = true,
                _ => stood[2] = true,
            }
        }
    }
    stood
}

/// The statement at the place without each of its parts in turn: an operand or an index is 1 instead.
fn without_a_part(program: &Program<Fun>, at: Span) -> Vec<Program<Fun>> {
    fn exp_at(body: &mut Body<Fun>, at: Span) -> Option<&mut Exp<Fun>> {
        body.stms.iter_mut().find_map(|stm| match stm.span == at {
            true => Some(&mut stm.exp),
            false => stm.exp.bodies_mut().into_iter().find_map(|body| exp_at(body, at)),
        })
    }
    let less = |part: usize| {
        let mut program = program.clone();
        match exp_at(&mut program.body, at)? {
            Exp::Scalar(Se::Bin(_, parts)) => *Arc::make_mut(parts).get_mut(part)? = 1.into(),
            Exp::Index { index, .. } => *index.get_mut(part)? = 1.into(),
            _ => return None,
        }
        Some(program)
    };
    (0..).map_while(less).collect()
}

/// Of the operators and indices that get stuck many do so by two of their parts, each alone: which of them is told
/// depends on the order of evaluation.
#[test]
fn two_parts_of_a_statement_fail() {
    let weights = Weights { stuck: 100, ..Weights::default() };
    let budget = Budget { fuel: 10_000_000, memory: 64 << 20 };
    let stuck = |program: &Program<Fun>, input: &[Value]| match eval::run(
        program,
        input,
        &budget,
        &mut Recorder::counting(),
    )
    .ending
    {
        Ending::Stuck(stuck) => Some(stuck.site.span),
        _ => None,
    };
    let [mut statements, mut twice] = [0; 2];
    for index in 0..PROGRAMS / 10 {
        let made = fun_case(5, index, &weights);
        let Some(at) = stuck(&made.program, &made.input) else { continue };
        let less = without_a_part(&made.program, at);
        statements += u64::from(!less.is_empty());
        let still = less.iter().filter(|less| stuck(less, &made.input) == Some(at)).count();
        twice += u64::from(less.len() > 1 && still == less.len());
    }
    println!("{statements} statements with parts");
    at_least("two parts fail", 100.0 * twice as f64 / statements as f64, 25.0);
}

/// What a statement computes, with its place, and what it stands in.
type Standing<'p> = (Span, &'p Exp<Fun>, Option<&'p Exp<Fun>>);

fn exps_of<'p>(body: &'p Body<Fun>, around: Option<&'p Exp<Fun>>, exps: &mut Vec<Standing<'p>>) {
    for stm in &body.stms {
        exps.push((stm.span, &stm.exp, around));
        stm.exp.bodies().into_iter().for_each(|inner| exps_of(inner, Some(&stm.exp), exps));
    }
}

/// Does the body view or update an array that came out of an `if` or a `loop`?
fn views_joined(body: &Body<Fun>, joined: &mut HashSet<Var>) -> bool {
    let mut any = false;
    for stm in &body.stms {
        match &stm.exp {
            Exp::Slice { array, .. }
            | Exp::Index { array, .. }
            | Exp::Transpose(array)
            | Exp::Update { array, .. } => any |= joined.contains(array),
            exp => {
                for inner in exp.bodies() {
                    any |= views_joined(inner, joined);
                }
            }
        }
        if matches!(stm.exp, Exp::If { .. } | Exp::Loop { .. }) {
            let arrays = stm.pattern.iter().filter(|binding| binding.ty != Ty::Int);
            joined.extend(arrays.map(|binding| binding.var));
        }
    }
    any
}

/// What stands in a program.
#[derive(Default)]
struct Seen {
    ranks: [bool; 4],
    zero: bool,
    depth: usize,
    most_threads: i32,
    counts: HashSet<Atom>,
    allocates_in_kernel: bool,
}

impl Seen {
    fn ty(&mut self, ty: &Ty) {
        if let Ty::Array(shape) = ty {
            self.ranks[shape.len().min(3)] = true;
            self.zero |= shape.contains(&Atom::Const(0));
        }
    }

    fn body(&mut self, body: &Body<Fun>, kernels: usize) {
        self.depth = self.depth.max(kernels);
        for stm in &body.stms {
            stm.pattern.iter().for_each(|binding| self.ty(&binding.ty));
            let is_kernel = matches!(stm.exp, Exp::Kernel { .. });
            if let Exp::Kernel { count, .. } = &stm.exp {
                self.allocates_in_kernel |= kernels > 0;
                if kernels == 0 {
                    self.counts.insert(*count);
                    if let Atom::Const(k) = count {
                        self.most_threads = self.most_threads.max(*k);
                    }
                }
            }
            for inner in stm.exp.bodies() {
                self.body(inner, kernels + usize::from(is_kernel));
            }
        }
    }
}

/// Prints what was measured and asserts that it is at least so many percent.
#[track_caller]
pub(crate) fn at_least(what: &str, percent: f64, least: f64) {
    println!("{what}: {percent:.2}%");
    assert!(percent >= least, "{what}: {percent:.2}% is less than {least}%");
}

#[test]
fn fun_programs_have_the_shares_that_the_design_names() {
    let mut shares = measured();
    shares.statements.sort_unstable();
    let total: u64 = shares.statements.iter().sum();
    let at = |part: f64| shares.statements[(part * (PROGRAMS - 1) as f64) as usize];
    let parts = [0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0];
    println!(
        "{:.1} statements in a program; executed: mean {:.0}, at {parts:?}: {:?}",
        shares.size as f64 / PROGRAMS as f64,
        total as f64 / PROGRAMS as f64,
        parts.map(at)
    );
    assert!(at(1.0) < 30_000, "no program is large");
    let ran = 100.0 * shares.run as f64 / shares.meant_to_run as f64;
    at_least("of those meant to run do", ran, 99.9);
    at_least("meant to run", shares.percent(shares.meant_to_run), 80.0);
    at_least("some kernel", shares.rule("T-KERNEL"), 99.0);
    at_least("stuck in a kernel", shares.percent(shares.stuck_in_kernel), 10.0);
    at_least("stuck past a first thread", shares.percent(shares.not_first_thread), 5.0);
    for (place, count, least) in [("branch", 0, 0.3), ("loop", 1, 0.2), ("kernel", 2, 0.04)] {
        let what = format!("stuck by what stood before in a {place}");
        at_least(&what, shares.percent(shares.in_vain[count]), least);
    }
    for (cause, count) in &shares.causes {
        at_least(&format!("stuck by {}", cause.name()), shares.percent(*count), 0.5);
    }
    assert_eq!(shares.causes.len(), 5, "{:?}", shares.causes);
    let joined = shares.percent(shares.joined_then_viewed);
    at_least("view or update what came out of `if` or `loop`", joined, 20.0);
    for (rank, count) in shares.ranks.iter().enumerate().skip(1) {
        at_least(&format!("rank {rank}"), shares.percent(*count), 10.0);
    }
    at_least("an empty extent", shares.percent(shares.empty), 5.0);
    at_least("more than 64 threads", shares.percent(shares.beyond[0]), 10.0);
    at_least("more than 256 threads", shares.percent(shares.beyond[1]), 10.0);
    at_least("two kernels deep", shares.percent(shares.depths[2]), 10.0);
    at_least("three kernels deep", shares.percent(shares.depths[3]), 10.0);
    let allocates = shares.percent(shares.allocates_in_kernel);
    at_least("allocates in a kernel", allocates, 20.0);
    for (rule, count) in &shares.rules {
        at_least(rule, shares.percent(*count), 0.1);
    }
}

/// What edited programs do.
#[derive(Default)]
struct Edited {
    programs: u64,
    race: u64,
    invalid: u64,
    valid: u64,
    /// Kinds of edits and how many programs have one.
    kinds: HashMap<&'static str, u64>,
}

#[test]
fn edited_programs_have_the_shares_that_the_design_names() {
    let weights = Weights::default();
    let budget = Budget { fuel: 10_000_000, memory: 64 << 20 };
    let mut shares = Edited::default();
    for index in 0..PROGRAMS {
        let bytes = case_bytes(7, index);
        let (made, edits) = edited::program(&mut Unstructured::new(&bytes), &weights);
        let program = made.program;
        if edits.is_empty() {
            continue;
        }
        let mut recorder = Recorder::counting();
        if let Err(error) = funmem::types::check(&program, &mut recorder) {
            panic!("case {index}, {edits:?}: {error}\n{}", funmem::print::program(&program));
        }
        let judgement =
            funmem::validity::judge(&program, &made.input, &budget, &mut recorder, Planted::NONE);
        shares.programs += 1;
        for edit in edits {
            *shares.kinds.entry(kind(edit)).or_default() += 1;
        }
        let count = match (judgement.heap.races.is_empty(), judgement.invalid) {
            (false, _) => &mut shares.race,
            (true, Some(_)) => &mut shares.invalid,
            (true, None) => &mut shares.valid,
        };
        *count += 1;
    }
    let percent = |count: u64| 100.0 * count as f64 / PROGRAMS as f64;
    at_least("edited", percent(shares.programs), 99.0);
    at_least("race", percent(shares.race), 10.0);
    at_least("invalid", percent(shares.invalid), 10.0);
    at_least("valid", percent(shares.valid), 30.0);
    for kind in ["layout", "merge", "from kernel", "from loop", "from branch", "thread", "move"] {
        let count = shares.kinds.get(kind).copied().unwrap_or(0);
        at_least(&format!("edit: {kind}"), percent(count), 1.0);
    }
}

fn kind(edit: Edit) -> &'static str {
    match edit {
        Edit::Layout(..) => "layout",
        Edit::Merge => "merge",
        Edit::HoistFromKernel => "from kernel",
        Edit::HoistFromLoop => "from loop",
        Edit::HoistFromBranch => "from branch",
        Edit::DropThread => "thread",
        Edit::Move => "move",
    }
}

/// How many of 1,000 programs are drawn in a language that has this share.
fn dealt(lang: Lang, percent: u32) -> usize {
    let weights = Weights { shares: [(lang, percent)].into(), ..Weights::default() };
    let cases = (0..1000).map(|index| case(1, index, &weights));
    cases.filter(|case| case.program.lang() == lang).count()
}

#[test]
fn the_stream_deals_the_shares_that_it_is_told() {
    for lang in [Lang::FunMem, Lang::Imp, Lang::Device] {
        assert_eq!(dealt(lang, 0), 0);
        assert!((80..160).contains(&dealt(lang, 12)), "{}", dealt(lang, 12));
        assert!((250..350).contains(&dealt(lang, 30)), "{}", dealt(lang, 30));
        assert_eq!(dealt(lang, 100), 1000);
    }
}

/// Any bytes make a well-typed program of the language, with an input that fits it.
pub(crate) fn any_bytes_make_programs<L: Generate>() {
    fn holds<L: Generate>(bytes: Vec<u8>) -> bool {
        let made = (L::GENERATOR)(&mut Unstructured::new(&bytes), &Weights::default());
        L::check(&made.program, &mut Recorder::counting()).is_ok()
            && L::fit(&made.program, made.input).is_ok()
    }
    quickcheck::QuickCheck::new().tests(500).quickcheck(holds::<L> as fn(Vec<u8>) -> bool);
    assert!(holds::<L>(Vec::new()));
    assert!(holds::<L>(vec![0xff; 4096]));
}

#[test]
fn any_bytes_make_a_well_typed_program() {
    any_bytes_make_programs::<reference::fun::Fun>();
}

#[test]
fn what_never_happened_weighs_more_afterwards() {
    let before = Weights::default();
    let mut after = before.clone();
    after.steer(&["E-TRANSPOSE", "E-KERNEL size", "E-LOOP count"].map(|line| ("fun", line)));
    assert!(after.transpose > before.transpose);
    assert!(after.kernel > before.kernel && after.causes[3] > before.causes[3]);
    assert!(after.repeat > before.repeat && after.causes[4] > before.causes[4]);
    assert_eq!((after.slice, after.index), (before.slice, before.index));
    for _ in 0..100 {
        after.steer(&["E-TRANSPOSE", "E-KERNEL size"].map(|line| ("fun", line)));
    }
    assert!(after.transpose <= 60 && after.stuck <= 25, "steering has a bound: {after:?}");
}
