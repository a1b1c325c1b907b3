//! How many programs a second of one core each language comes to: drawn from bytes, checked, and run by each engine of its
//! semantics. The programs are those of a campaign in this language alone: some are meant to get stuck, to race or to be
//! refused.

use super::SEED;
use super::rounds::until;
use crate::campaign::draw;
use crate::engine::{Case, Engine, Stage, StageId};
use crate::engines::LanguageEngine;
use crate::generate::Weights;
use crate::language::{Lang, Listed};
use crate::pricing::graph;
use crate::rolls::Rolls;
use cpu_time::ThreadTime;
use reference::lambda_g::LambdaG;
use reference::lambda_g::eval::Setting;
use reference::lambda_g::report::Asked;
use serde::Serialize;
use std::borrow::Cow;
use std::time::Duration;

/// Programs of a round.
const PROGRAMS: u64 = 500;

/// Programs a second of one core, of one language.
#[derive(Clone, Debug, Serialize)]
pub struct Speed {
    /// The language.
    pub language: String,
    /// Drawn from bytes.
    pub draw: f64,
    /// Their types, or what else the language checks before a run.
    pub check: f64,
    /// Run by one engine each.
    pub engines: Vec<OfEngine>,
    /// Run by all of them, one after the other.
    pub run: f64,
    /// Run and priced by the graph of the run, where the language has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// Drawn, checked, and run by all; with a price, run once and priced instead.
    pub all: f64,
}

/// Programs a second that an engine runs.
#[derive(Clone, Debug, Serialize)]
pub struct OfEngine {
    /// The engine.
    pub engine: String,
    /// Programs a second.
    pub run: f64,
}

/// The quickest time of each part over the rounds: of one round.
#[derive(Default)]
struct Parts {
    draw: Duration,
    check: Duration,
    engines: Vec<Duration>,
    price: Option<Duration>,
}

/// Measures every language for so long and hands each over when it is there.
pub fn speeds(time: Duration, each: &mut dyn FnMut(&Speed)) {
    for lang in Lang::ALL {
        each(&speed(*lang, time));
    }
}

/// One language.
pub fn speed(lang: Lang, time: Duration) -> Speed {
    let mut engines: Vec<_> =
        lang.variants().iter().map(|variant| LanguageEngine::new(lang, variant.name)).collect();
    let mut best: Option<Parts> = None;
    until(time, || {
        let round = round(lang, &mut engines);
        best = Some(match best.take() {
            None => round,
            Some(best) => best.least(round),
        });
    });
    let best = best.unwrap_or_default();
    let a_second = |took: Duration| PROGRAMS as f64 / took.as_secs_f64().max(1e-9);
    let run: Duration = best.engines.iter().sum();
    let of_engine = |(engine, took): (&LanguageEngine, &Duration)| OfEngine {
        engine: engine.id().to_string(),
        run: a_second(*took),
    };
    Speed {
        language: lang.name().to_owned(),
        draw: a_second(best.draw),
        check: a_second(best.check),
        engines: engines.iter().zip(&best.engines).map(of_engine).collect(),
        run: a_second(run),
        price: best.price.map(a_second),
        all: a_second(best.draw + best.check + best.price.unwrap_or(run)),
    }
}

impl Parts {
    /// The less of each.
    fn least(self, other: Self) -> Self {
        let engines = self.engines.into_iter().zip(other.engines);
        Self {
            draw: self.draw.min(other.draw),
            check: self.check.min(other.check),
            engines: engines.map(|(one, other)| one.min(other)).collect(),
            price: self.price.min(other.price),
        }
    }
}

/// What the same programs take once.
fn round(lang: Lang, engines: &mut [LanguageEngine]) -> Parts {
    let weights = Weights::of(Some(lang));
    let mut rolls = Rolls::default();
    let clock = ThreadTime::now();
    let cases: Vec<Case> = (0..PROGRAMS).map(|number| draw(SEED, number, &weights).case).collect();
    let draw = clock.elapsed();
    let clock = ThreadTime::now();
    let checked = cases.iter().filter(|case| case.program.check(&mut rolls).is_ok()).count();
    let check = clock.elapsed();
    // So that no compiler leaves a check out.
    std::hint::black_box(checked);
    let stages: Vec<Stage<'_>> = cases.iter().map(source).collect();
    let of_engine = |engine: &mut LanguageEngine| {
        let clock = ThreadTime::now();
        for (stage, case) in stages.iter().zip(&cases) {
            std::hint::black_box(engine.run(stage, case, &mut rolls));
        }
        clock.elapsed()
    };
    let engines = engines.iter_mut().map(of_engine).collect();
    let clock = ThreadTime::now();
    let priced = cases.iter().filter(|case| is_priced(case)).count();
    let price = (priced > 0).then(|| clock.elapsed());
    Parts { draw, check, engines, price }
}

fn source(case: &Case) -> Stage<'_> {
    Stage { id: StageId::SOURCE, artifact: Cow::Borrowed(&case.program) }
}

/// Runs and prices a program whose language has graphs of runs.
fn is_priced(case: &Case) -> bool {
    let Some(program) = LambdaG::of(&case.program) else { return false };
    let setting = Setting::default();
    graph::price(program, &case.input, &setting, &case.budget, Asked::Both).report.is_some()
}
