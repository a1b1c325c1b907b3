//! Row 3: what row 2 does, with shaders emitted, through naga, and executed as SPIR-V; and how
//! many instructions of SPIR-V are executed.

use super::{Row, SEED, engines};
use crate::campaign::draw;
use crate::check::agree::{StuckPolicy, agree};
use crate::check::stages::{LAST, Plan, Stages};
use crate::engine::{Case, Engine, Origin};
use crate::engines::SpirvEngine;
use crate::generate::Weights;
use crate::language::{self, Lang};
use crate::rolls::Rolls;
use cpu_time::ThreadTime;
use reference::kit::outcome::{Budget, Outcome, Value};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What the programs cost.
#[derive(Default)]
struct Parts {
    /// Drawn and typed.
    draw: Duration,
    passes: Duration,
    /// The three semantic runs.
    three: Duration,
    /// Emission of what is launched, naga, the reader, and the run; of the run alone is known what
    /// it executed.
    spirv: Duration,
    instructions: u64,
    count: u64,
    /// Programs whose ends differ.
    disagree: u64,
}

/// Generate, type, run the three, emit, let naga write SPIR-V, execute it, compare.
pub(super) fn programs(time: Duration) -> Row {
    let mut engines = engines();
    let mut spirv = SpirvEngine::default();
    let mut rolls = Rolls::new();
    let mut parts = Parts::default();
    let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
    let weights = Weights::default();
    let start = Instant::now();
    for number in 0.. {
        if start.elapsed() >= time {
            break;
        }
        let clock = ThreadTime::now();
        let drawn = draw(SEED, number, &weights);
        if !drawn.meant_to_run {
            continue;
        }
        let case = drawn.case;
        let typed = language::types(&case.program, &mut rolls).is_ok();
        let drawn = clock.elapsed();
        let stages = Stages::ends(&case.program, Plan::default());
        let compiled = clock.elapsed();
        let first = |lang| stages.list.iter().find(|stage| stage.artifact.lang() == lang);
        let last = stages.list.last().filter(|stage| stage.id == LAST);
        let (Some(funmem), Some(imp), Some(device), true) =
            (first(Lang::FunMem), first(Lang::Imp), last, typed)
        else {
            continue;
        };
        let three: Vec<Outcome> = engines
            .iter_mut()
            .zip([&stages.list[0], funmem, imp])
            .map(|(engine, stage)| engine.run(stage, &case, &mut rolls))
            .collect();
        let ran = clock.elapsed();
        let executed = spirv.run(device, &case, &mut rolls);
        let same = |other| agree(&three[0], other, StuckPolicy::Same).is_ok();
        parts.disagree += u64::from(!three[1..].iter().chain([&executed]).all(same));
        parts.instructions += executed.stats.statements;
        let mean = three.iter().map(|outcome| outcome.stats.statements).sum::<u64>() / 3;
        drop((case, stages, three, executed));
        *sizes.entry(mean.max(1).ilog2()).or_default() += 1;
        parts.count += 1;
        parts.draw += drawn;
        parts.passes += compiled - drawn;
        parts.three += ran - compiled;
        parts.spirv += clock.elapsed() - ran;
    }
    parts.row(sizes)
}

impl Parts {
    fn row(&self, sizes: BTreeMap<u32, u64>) -> Row {
        let count = self.count.max(1) as f64;
        let each = |part: Duration| part.as_secs_f64() * 1e6 / count;
        let all = self.draw + self.passes + self.three + self.spirv;
        let disagree = match self.disagree {
            0 => String::new(),
            number => format!(", {number} disagree"),
        };
        Row {
            what: format!(
                "the same with shaders: generate and type {:.0} µs, passes {:.0} µs, run three {:.0} \
                 µs, emit, naga and run SPIR-V {:.0} µs ({:.0} instructions on the mean{disagree})",
                each(self.draw),
                each(self.passes),
                each(self.three),
                each(self.spirv),
                self.instructions as f64 / count,
            ),
            figure: self.count as f64 / all.as_secs_f64().max(1e-9),
            unit: "programs/s",
            wanted: Some(2_000.0),
            more: true,
            sizes,
        }
    }
}

/// 2,000 rounds in each of 2,000 threads: what a launch costs besides is no part of the figure.
const ROUNDS: &str = "param (n : int)
let (ys : [n]) = kernel i <= n do
  let (s : int) = loop (x : int = i) for j <= n do
    in (x * 3 + j)
  in (s)
in (ys)
";

/// Millions of instructions of SPIR-V that are executed in a second, in a loop.
pub(super) fn instructions(time: Duration) -> Option<Row> {
    let program = Lang::Fun.parse(ROUNDS).ok()?;
    let mut stages = Stages::up_to(&program, Plan::default(), LAST);
    let last = stages.last(Lang::Device)?;
    let stage = stages.list.swap_remove(last);
    let input = vec![Value::Int(2_000)];
    let origin = Origin::File(String::new());
    let case = Case { program, input, schedule: 0, budget: Budget::default(), origin };
    let mut engine = SpirvEngine::default();
    let mut rolls = Rolls::new();
    let (mut executed, mut took) = (0, Duration::ZERO);
    let start = Instant::now();
    while start.elapsed() < time {
        let clock = ThreadTime::now();
        executed += engine.run(&stage, &case, &mut rolls).stats.statements;
        took += clock.elapsed();
    }
    Some(Row {
        what: "executed instructions of SPIR-V".to_owned(),
        figure: executed as f64 / took.as_secs_f64().max(1e-9) / 1e6,
        unit: "million/s",
        wanted: Some(60.0),
        more: true,
        sizes: BTreeMap::new(),
    })
}
