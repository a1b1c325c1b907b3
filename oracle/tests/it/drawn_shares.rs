//! Shares of what wrong verdicts were about that no campaign saw, because no generator drew it: results that depend on
//! the order of threads, reads of memory that nothing wrote, records of failures that are written by hand. `--nocapture`
//! shows them all.

use crate::shares::at_least;
use arbitrary::Unstructured;
use oracle::generate::{Generate, Intent, Made, Weights, case_bytes};
use reference::device::Device;
use reference::device::eval::{self, Order};
use reference::device::syntax::{self, Kind, Place, Program};
use reference::device::visit;
use reference::fun::Fun;
use reference::fun::syntax::{Atom, Body, Exp};
use reference::funmem::FunMem;
use reference::imp::Imp;
use reference::imp::syntax::{self as imp, Stm};
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::names::Var;
use reference::kit::outcome::{Budget, Ending, Outcome};

const BUDGET: Budget = Budget { fuel: 10_000_000, memory: 64 << 20 };

fn made<L: Generate>(index: u64) -> Made<L::Program> {
    (L::GENERATOR)(&mut Unstructured::new(&case_bytes(7, index)), &Weights::default())
}

fn percent(count: u64, of: u64) -> f64 {
    100.0 * count as f64 / of as f64
}

/// The end of a device program in an order of its invocations.
fn ends(made: &Made<Program>, order: Order) -> Outcome {
    eval::run(&made.program, &made.input, order, &BUDGET, &mut Recorder::counting())
}

/// Of the programs that are meant to depend on an order most do, whether an old value decides a place, a winner or what
/// a thread sees, and none race.
#[test]
fn results_depend_on_the_order_of_invocations() {
    const PROGRAMS: u64 = 3_000;
    let [mut meant, mut depend, mut of_groups] = [0; 3];
    for index in 0..PROGRAMS {
        let made = made::<Device>(index);
        if made.intent != Intent::OrderDependent {
            continue;
        }
        meant += 1;
        let orders = [Order::InOrder, Order::Reversed, Order::Shuffled(index)];
        let ends = orders.map(|order| ends(&made, order));
        assert!(ends.iter().all(|end| end.races.is_empty()), "case {index} races");
        let ran = ends.iter().all(|end| matches!(end.ending, Ending::Value(_)));
        assert!(ran, "case {index}: {:?}", ends.map(|end| end.ending));
        if ends[1..].iter().any(|end| end.ending != ends[0].ending) {
            depend += 1;
            let shared = |kernel: &syntax::Kernel| {
                kernel.workgroup.iter().any(|(_, ty)| matches!(ty, syntax::Ty::Atomic(_)))
            };
            of_groups += u64::from(made.program.kernels.iter().any(shared));
        }
    }
    at_least("meant to depend on an order", percent(meant, PROGRAMS), 6.0);
    at_least("depend on an order", percent(depend, PROGRAMS), 3.0);
    at_least("with an atomic of a work group", percent(of_groups, PROGRAMS), 1.0);
}

/// Records that are right, that nobody writes, and that are none.
#[test]
fn records_are_written_by_hand() {
    const PROGRAMS: u64 = 3_000;
    let [mut records, mut ran, mut told, mut none, mut beyond] = [0; 5];
    for index in 0..PROGRAMS {
        let made = made::<Device>(index);
        if made.program.kernels.iter().all(|kernel| kernel.record.is_none()) {
            continue;
        }
        records += 1;
        let outcome = ends(&made, Order::InOrder);
        assert!(outcome.races.is_empty(), "case {index} races");
        match &outcome.ending {
            Ending::Value(_) => ran += 1,
            Ending::Stuck(stuck) if stuck.rule == "D-CHECK" => told += 1,
            Ending::Stuck(stuck) if stuck.rule == "D-LAUNCH" => none += 1,
            Ending::Stuck(stuck) if stuck.rule == "D-ELEMENT" => beyond += 1,
            other => panic!("case {index}: {other:?}"),
        }
    }
    at_least("records", percent(records, PROGRAMS), 5.0);
    at_least("a record that nobody writes", percent(ran, PROGRAMS), 0.5);
    at_least("a record of a failed check", percent(told, PROGRAMS), 1.0);
    at_least("a record that is none", percent(none, PROGRAMS), 1.0);
    at_least("a record beyond its block", percent(beyond, PROGRAMS), 0.1);
}

/// Invocations that write a component each of one vector of the work group.
#[test]
fn components_of_a_vector_race() {
    const PROGRAMS: u64 = 3_000;
    let mut race = 0;
    for index in 0..PROGRAMS {
        let made = made::<Device>(index);
        let mut vectors: Vec<Var> = Vec::new();
        for kernel in &made.program.kernels {
            let of_vectors =
                kernel.workgroup.iter().filter(|(_, ty)| matches!(ty, syntax::Ty::Vector(..)));
            let of_vectors: Vec<Var> = of_vectors.map(|(var, _)| *var).collect();
            visit::stms(&kernel.body, &mut |stm| {
                if let Kind::Store(Place::At(of, syntax::Exp::Builtin(_)), _) = &stm.kind
                    && let Place::Var(var) = **of
                    && of_vectors.contains(&var)
                {
                    vectors.push(var);
                }
            });
        }
        if vectors.is_empty() || made.intent != Intent::Races {
            continue;
        }
        race += u64::from(!ends(&made, Order::InOrder).races.is_empty());
    }
    at_least("components of a vector race", percent(race, PROGRAMS), 1.0);
}

/// Does a run read memory that nothing wrote?
fn reads_unwritten<L: Language>(made: &Made<L::Program>) -> bool {
    let how = How {
        variant: L::VARIANTS[0].name,
        schedule: 1,
        budget: &BUDGET,
        settings: &Settings::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default().watched(true),
    };
    L::run(&made.program, &made.input, how, &mut Recorder::counting()).unwritten.is_some()
}

/// How many percent of the programs of a language do so.
fn unwritten<L: Generate>() -> f64 {
    const PROGRAMS: u64 = 1_500;
    let reads = (0..PROGRAMS).filter(|index| reads_unwritten::<L>(&made::<L>(*index)));
    percent(reads.count() as u64, PROGRAMS)
}

/// Programs that are written with memory read some that nothing wrote.
#[test]
fn memory_that_nothing_wrote_is_read() {
    at_least("IMP reads unwritten memory", unwritten::<Imp>(), 40.0);
    at_least("device programs read unwritten memory", unwritten::<Device>(), 35.0);
}

/// Passes are watched behind programs that read nothing of the kind.
#[test]
fn memory_that_is_read_was_written() {
    at_least("IMP reads what is written", 100.0 - unwritten::<Imp>(), 35.0);
    at_least("device programs read what is written", 100.0 - unwritten::<Device>(), 30.0);
    assert_eq!(unwritten::<FunMem>(), 0.0, "passes of FUN and edits write what they read");
}

/// A pass that forgets to initialise shows only where an array is initialised.
#[test]
fn kernels_initialise_arrays() {
    const PROGRAMS: u64 = 3_000;
    let [mut zeros, mut others] = [0; 2];
    for index in 0..PROGRAMS {
        let literals = literals(&made::<Fun>(index).program.body);
        zeros += u64::from(literals.contains(&0));
        others += u64::from(literals.iter().any(|k| *k != 0));
    }
    at_least("a kernel gives zeros", percent(zeros, PROGRAMS), 8.0);
    at_least("a kernel gives another literal", percent(others, PROGRAMS), 5.0);
}

/// The literals that kernels give for every thread.
fn literals(body: &Body<reference::fun::syntax::Fun>) -> Vec<i32> {
    let mut found = Vec::new();
    for stm in &body.stms {
        if let Exp::Kernel { body, .. } = &stm.exp {
            found.extend(body.results.iter().filter_map(|result| match result {
                Atom::Const(k) => Some(*k),
                Atom::Var(_) => None,
            }));
        }
        stm.exp.bodies().into_iter().for_each(|body| found.extend(literals(body)));
    }
    found
}

/// Kernels and loops of IMP whose body assigns the index.
#[test]
fn indices_are_assigned() {
    const PROGRAMS: u64 = 3_000;
    let [mut kernels, mut loops] = [0; 2];
    for index in 0..PROGRAMS {
        let mut seen = [false; 2];
        assigned(&made::<Imp>(index).program.body, &mut Vec::new(), &mut seen);
        kernels += u64::from(seen[0]);
        loops += u64::from(seen[1]);
    }
    at_least("a kernel assigns its index", percent(kernels, PROGRAMS), 10.0);
    at_least("a loop assigns its counter", percent(loops, PROGRAMS), 6.0);
}

/// Is an index of the statements around assigned, of a kernel or of a loop?
fn assigned(body: &[Stm], around: &mut Vec<(Var, usize)>, seen: &mut [bool; 2]) {
    for stm in body {
        match &stm.kind {
            imp::Kind::Assign(var, _) | imp::Kind::Read { into: var, .. } => {
                around
                    .iter()
                    .filter(|(index, _)| index == var)
                    .for_each(|(_, at)| seen[*at] = true);
            }
            imp::Kind::Kernel { thread: index, body, .. }
            | imp::Kind::For { counter: index, body, .. } => {
                let at = usize::from(matches!(stm.kind, imp::Kind::For { .. }));
                around.push((*index, at));
                assigned(body, around, seen);
                around.pop();
            }
            imp::Kind::If { then, orelse, .. } => {
                assigned(then, around, seen);
                assigned(orelse, around, seen);
            }
            _ => {}
        }
    }
}
