//! Evaluators take any schedule: here one that they do not know, which switches between threads now and then.

use reference::kit::derivation::Recorder;
use reference::kit::dice::Dice;
use reference::kit::outcome::{Budget, Ending, Outcome, Value};
use reference::kit::schedule::{Order, Permutation, Schedule, Step};
use reference::{device, imp};

/// Takes the threads in turns. It leaves one after so many steps, and behind each atomic operation.
struct Switching {
    every: Option<u32>,
    steps: u32,
    turn: usize,
}

impl Switching {
    fn every(every: Option<u32>) -> Box<dyn Schedule> {
        Box::new(Switching { every, steps: 0, turn: 0 })
    }
}

impl Schedule for Switching {
    fn order(&mut self, n: u64) -> Permutation {
        Permutation::shuffled(n, &mut Dice::new(1))
    }

    fn preempts(&self) -> bool {
        true
    }

    fn next(&mut self, ready: usize) -> usize {
        self.turn += 1;
        self.turn % ready
    }

    fn stays(&mut self, step: Step) -> bool {
        self.steps += 1;
        let enough = self.every.is_some_and(|every| self.steps.is_multiple_of(every));
        step == Step::Plain && !enough
    }
}

fn results(outcome: &Outcome) -> String {
    match &outcome.ending {
        Ending::Value(results) => {
            results.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        other => format!("{other:?}"),
    }
}

/// How far apart are the places that an invocation draws? One draws both before another comes where each runs
/// on, and else there is another one's between.
#[test]
fn the_device_evaluator_switches_behind_atomics() {
    let source = |barrier: &str| {
        format!(
            "kernel k(c : block[atomic[u32]], ys : block[u32]) group 2 {{
               let a = atomic add(c.[0], u32 1);
               {barrier}
               let b = atomic add(c.[0], u32 1);
               ys.[local_id] = b - a;
             }}
             let c = alloc atomic[u32](1); let ys = alloc u32(2);
             launch k(c, ys) for 2; result ys : u32[2] at 0 strides (1);"
        )
    };
    let told = |[a, b]: [u32; 2]| format!("[{a}u32, {b}u32]");
    for (barrier, alone) in [("", [1, 1]), ("barrier workgroup;", [2, 2])] {
        let program = device::parse::program(&source(barrier)).expect("it parses");
        device::validate::check(&program, &mut Recorder::counting()).expect("it is valid");
        let run = |schedule: Box<dyn Schedule>| {
            let mut recorder = Recorder::counting();
            results(&device::eval::run(&program, &[], schedule, &Budget::default(), &mut recorder))
        };
        for order in [Order::InOrder, Order::Reversed, Order::Shuffled(3)] {
            assert_eq!(run(order.schedule()), told(alone), "{order:?}");
        }
        assert_eq!(run(Switching::every(None)), told([2, 2]));
        assert_eq!(run(Switching::every(Some(1))), told([2, 2]));
    }
}

/// Each thread reads a counter and writes what comes next, which races: an update is lost where threads are
/// switched between the two, as every step does and every second one does not.
#[test]
fn imp_switches_after_so_many_steps() {
    let source = "param (n : int)
        var c : mem; c <- alloc 1;
        kernel i <= n do var x : int; x <- c[0]; c[0] <- x + 1 done
        results (c : [1] @ 0 + {(1 : 1)})";
    let program = imp::parse::program(source).expect("it parses");
    let run = |n: i32, schedule: Box<dyn Schedule>| {
        let mut recorder = Recorder::counting();
        let input = [Value::from(n)];
        imp::eval::run(&program, &input, schedule, &Budget::default(), &mut recorder)
    };
    for (n, all) in [(2, "[2]"), (7, "[7]")] {
        let alone = run(n, Order::Reversed.schedule());
        assert_eq!(results(&alone), all);
        // A declaration, a read and a write are three steps.
        let unbroken = run(n, Switching::every(Some(3)));
        assert_eq!(results(&unbroken), all);
        let lost = run(n, Switching::every(Some(1)));
        assert_eq!(results(&lost), "[1]");
        for outcome in [alone, unbroken, lost] {
            assert!(!outcome.races.is_empty(), "it races in every order");
        }
    }
}
