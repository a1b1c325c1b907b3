//! What the generators make, in shares.

use oracle::generate::fun::{Intent, Made};
use oracle::generate::{Weights, fun_case};
use reference::fun::rules::Rule;
use reference::fun::syntax::{Atom, Body, Exp, Fun, Ty};
use reference::fun::{eval, print, types};
use reference::kit::coverage::Coverage;
use reference::kit::derivation::Recorder;
use reference::kit::outcome::{Budget, Cause, Ending, Outcome, Value};
use std::collections::HashSet;

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
        assert_eq!(print::program(&parsed), text);
    }
}

/// Counts of programs with some property.
#[derive(Default)]
struct Shares {
    coverage: Option<Coverage>,
    meant_to_run: u64,
    run: u64,
    stuck_in_kernel: u64,
    causes: Vec<(Cause, u64)>,
    not_first_thread: u64,
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
        match &mut shares.coverage {
            Some(all) => all.add(&coverage),
            all => *all = Some(coverage),
        }
        shares.add(&made, &outcome);
    }
    shares
}

impl Shares {
    fn add(&mut self, made: &Made, outcome: &Outcome) {
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
                Value::Array { data, .. } => empty |= data.is_empty(),
                Value::Int(k) => {
                    if seen.counts.contains(&Atom::Var(param.var)) {
                        most = most.max(*k);
                    }
                }
            }
        }
        self.empty += u64::from(empty);
        self.beyond[0] += u64::from(most > 64);
        self.beyond[1] += u64::from(most > 256);
    }

    fn percent(&self, count: u64) -> f64 {
        100.0 * count as f64 / PROGRAMS as f64
    }
}

/// Does the body view or update an array that came out of an `if` or a `loop`?
fn views_joined(body: &Body<Fun>, joined: &mut HashSet<reference::kit::names::Var>) -> bool {
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

#[test]
fn fun_programs_have_the_shares_that_the_design_names() {
    let mut shares = measured();
    let coverage = shares.coverage.take().expect("programs were run");
    shares.statements.sort_unstable();
    let total: u64 = shares.statements.iter().sum();
    let at = |part: f64| shares.statements[(part * (PROGRAMS - 1) as f64) as usize];
    println!(
        "static {:.1}, executed: mean {:.0}; 10% {}, 25% {}, 50% {}, 75% {}, 90% {}, 99% {}, most {}",
        shares.size as f64 / PROGRAMS as f64,
        total as f64 / PROGRAMS as f64,
        at(0.1),
        at(0.25),
        at(0.5),
        at(0.75),
        at(0.9),
        at(0.99),
        at(1.0)
    );
    println!(
        "runs {}/{}, stuck in kernel {:.1}%, causes {:?}, past the first thread {:.1}%",
        shares.run,
        shares.meant_to_run,
        shares.percent(shares.stuck_in_kernel),
        shares.causes,
        shares.percent(shares.not_first_thread)
    );
    println!(
        "joined then viewed {:.1}%, ranks {:?}, empty {:.1}%, > 64 threads {:.1}%, > 256 {:.1}%, \
         kernel depths {:?}, allocates in a kernel {:.1}%",
        shares.percent(shares.joined_then_viewed),
        shares.ranks.map(|count| shares.percent(count)),
        shares.percent(shares.empty),
        shares.percent(shares.beyond[0]),
        shares.percent(shares.beyond[1]),
        shares.depths.map(|count| shares.percent(count)),
        shares.percent(shares.allocates_in_kernel)
    );
    let _ = Rule::EIn;
    for (rule, fired, failed) in coverage.lines() {
        println!(
            "{:12} {fired:9} {:?}",
            rule.name,
            rule.premises.iter().zip(failed).collect::<Vec<_>>()
        );
    }
}
