//! Our evaluator of the device language in the place of an adapter. What is said here of children
//! is tested with it on machines without a driver, and so is what the tester makes of adapters
//! that are wrong: a mock adapter may break, on purpose, on programs of three kernels and more.

use super::mock_shader::execute;
use compiler::emit::style::{Construct, Style};
use compiler::run::bound::{Access, Bound};
use compiler::target::{Adapter, Features, Limits};
use reference::device::eval::{self, Order};
use reference::device::syntax::Program;
use reference::kit::derivation::Recorder;
use reference::kit::outcome::{Broken, Budget, Ending, Outcome, Scalar, Value, Why};
use std::time::{Duration, Instant};

/// The evaluator as an adapter: `evaluator`, or `evaluator-HOW` for one that breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MockAdapter {
    breaks: Option<Breaks>,
    /// How many programs it has run.
    ran: u64,
}

/// Ways to break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breaks {
    /// Ends the process by a signal.
    Abort,
    /// Never answers.
    Hang,
    /// Answers late, for it finds a processor a fifth of the time.
    Late,
    /// Takes memory without end.
    Exhaust,
    /// Panics as a broken promise does.
    Panic,
    /// Loses its device.
    Lose,
    /// Gives the first result wrong.
    Wrong,
    /// Does so where it ran something before, as a driver whose caches mix things up.
    Flaky,
    /// Does so where a style writes `short-circuit`, as a compiler with a bug does.
    Style,
}

impl MockAdapter {
    /// The mock adapter of this name.
    pub fn named(id: &str) -> Option<Self> {
        let breaks = match id.strip_prefix("evaluator")? {
            "" => None,
            "-abort" => Some(Breaks::Abort),
            "-hang" => Some(Breaks::Hang),
            "-late" => Some(Breaks::Late),
            "-exhaust" => Some(Breaks::Exhaust),
            "-panic" => Some(Breaks::Panic),
            "-lose" => Some(Breaks::Lose),
            "-wrong" => Some(Breaks::Wrong),
            "-flaky" => Some(Breaks::Flaky),
            "-style" => Some(Breaks::Style),
            _ => return None,
        };
        Some(Self { breaks, ran: 0 })
    }

    /// What is said of it where adapters are listed. It is in no list: it has to be named.
    pub fn adapter(id: &str) -> Option<Adapter> {
        Self::named(id)?;
        let limits = Limits {
            storage_buffers: u32::MAX,
            binding_size: u64::MAX,
            buffer_size: u64::MAX,
            invocations: u32::MAX,
            group_size: u32::MAX,
            group_memory: u32::MAX,
            groups: u32::MAX,
        };
        Some(Adapter {
            id: id.to_owned(),
            name: "our evaluator of the device language, in a child process".to_owned(),
            driver: "lockstep".to_owned(),
            driver_info: crate::VERSION.to_owned(),
            backend: "none".to_owned(),
            device_type: "cpu".to_owned(),
            limits,
            features: Features { i64: true, ..Features::default() },
            defects: Vec::new(),
        })
    }

    /// Runs a shader that somebody wrote, or breaks.
    ///
    /// # Errors
    /// How it broke, or why there is no answer.
    pub(super) fn run_bound(self, bound: &Bound) -> Result<Vec<Vec<u32>>, Ending> {
        match self.breaks {
            Some(Breaks::Abort) => std::process::abort(),
            Some(Breaks::Hang) => loop {
                std::thread::park();
            },
            Some(Breaks::Panic) => panic!("a panic on purpose"),
            Some(Breaks::Lose) => {
                return Err(Ending::Broken(Broken::Lost("lost on purpose".to_owned())));
            }
            _ => {}
        }
        let mut words = execute(bound)?;
        if self.breaks == Some(Breaks::Wrong) {
            let written = bound.buffers.iter().position(|it| it.access == Access::Write);
            if let Some(first) = written.and_then(|at| words[at].first_mut()) {
                *first = first.wrapping_add(1);
            }
        }
        Ok(words)
    }

    /// Runs a program, or breaks.
    pub(super) fn run(
        &mut self,
        program: &Program,
        input: &[Value],
        budget: &Budget,
        style: Style,
    ) -> Outcome {
        let styled = style.constructs().any(|construct| construct == Construct::ShortCircuit);
        let breaks = self
            .breaks
            .filter(|_| program.kernels.len() >= 3)
            .filter(|breaks| styled || *breaks != Breaks::Style)
            .filter(|breaks| self.ran > 0 || *breaks != Breaks::Flaky);
        self.ran += 1;
        match breaks {
            Some(Breaks::Abort) => std::process::abort(),
            Some(Breaks::Hang) => loop {
                std::thread::park();
            },
            Some(Breaks::Late) => (0..30).for_each(|_| {
                let start = Instant::now();
                while start.elapsed() < Duration::from_millis(10) {}
                std::thread::sleep(Duration::from_millis(40));
            }),
            Some(Breaks::Exhaust) => return exhaust(),
            Some(Breaks::Panic) => panic!("a panic on purpose"),
            Some(Breaks::Lose) => {
                return Ending::Broken(Broken::Lost("lost on purpose".to_owned())).into();
            }
            Some(Breaks::Wrong | Breaks::Flaky | Breaks::Style) | None => {}
        }
        let mut recorder = Recorder::counting();
        let mut outcome = eval::run(program, input, Order::InOrder, budget, &mut recorder);
        let wrong = breaks.is_some_and(|breaks| breaks != Breaks::Late);
        if let (true, Ending::Value(results)) = (wrong, &mut outcome.ending) {
            match results.first_mut() {
                Some(Value::Scalar(first)) => *first = another(*first),
                Some(Value::Array { cells, .. }) => {
                    *cells = cells.map(|at, cell| if at == 0 { another(cell) } else { cell });
                }
                _ => {}
            }
        }
        outcome
    }
}

/// Another scalar of the same type, which does not agree with this one.
fn another(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::I32(k) => Scalar::I32(k.wrapping_add(1)),
        other => match Scalar::of(other.ty(), 1) {
            one if one == other => Scalar::of(other.ty(), 0),
            one => one,
        },
    }
}

/// Takes 64 GiB, unless it is ended before.
fn exhaust() -> Outcome {
    let mut taken = Vec::new();
    while taken.len() < 4096 {
        // Ones, not zeros: a page of zeros is not taken before it is written.
        taken.push(vec![1_u8; 16 << 20]);
        std::thread::sleep(Duration::from_millis(1));
    }
    Ending::Unknown(Why::Memory(taken.len() as u64 * (16 << 20))).into()
}
