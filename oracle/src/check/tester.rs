//! The tester: the engines at hand, and what it does with a case.
//!
//! The stages are run from the first to the last, and each is held against the end of the first,
//! so that the first difference names the pass. What is run of a stage, and what is held against
//! what, the [`Judge`] of its language says.

use super::examine::{Class, Examination};
use super::judge::Judge;
use super::look::Look;
use super::verdict::{Finding, Kind, Step, Verdict};
use super::{beside, orders, round_trip, types};
use crate::engine::{Case, Engine, EngineId, Stage, StageId};
use crate::engines::{AdapterEngine, LanguageEngine, SpirvEngine};
use crate::language::Listed;
use crate::optimize::blame::Blame;
use crate::optimize::small;
use crate::optimize::subject::Subject;
use crate::panics::catch;
use crate::rolls::Rolls;
use crate::stages::{CHECKED, EMIT, End, OPTIMIZE, Plan, Stages};
use reference::device::Device;
use reference::kit::memory::Memory;
use reference::kit::outcome::Ending;
use reference::with_language;
use std::borrow::Cow;
use std::iter;
use std::mem::take;
use std::time::Instant;

/// Classes the program by the orders of its threads that were run: if one races or gets stuck the program does, else two
/// may end differently.
///
/// # Errors
/// It is order-dependent.
fn by_orders(look: &mut Look) -> Step {
    let Some(orders) = &look.seen.orders else { return Ok(()) };
    if let Some((_, wrong)) = orders.wrong(look.wanted()) {
        look.seen.class = match wrong.races.is_empty() {
            true => Class::of(&wrong.ending),
            false => Class::Race,
        };
        return Ok(());
    }
    let own = look.seen.sides[look.expected].engine.clone();
    let Some(found) = orders.differ(own, look.wanted()) else { return Ok(()) };
    look.seen.class = Class::OrderDependent;
    Err(Verdict::OrderDependent(found))
}

/// How much of a case is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Every run of every stage, its types and its printed form.
    Whole,
    /// One run a language: the last stage of each. A difference is then looked at whole. Where
    /// the semantics alone are asked, no pass but insertion and translation is run.
    Quick,
}

/// The engines at hand and the rolls that they fire.
pub struct Tester {
    /// What has fired so far.
    pub rolls: Rolls,
    /// The executor of SPIR-V, with the modules that it has made.
    pub spirv: SpirvEngine,
    /// The same of what Tint writes, where Dawn is among the adapters.
    pub tint: Option<SpirvEngine>,
    /// The adapters, each in its child process.
    pub adapters: Vec<AdapterEngine>,
    /// How programs are compiled.
    pub plan: Plan,
    /// The engines that are asked, by name or by the part before the colon; empty for all. The
    /// engine of a program's own language is always asked.
    pub only: Vec<String>,
    /// Why the adapters are left out for now, if they are.
    pub rest: Option<String>,
    /// Do the semantics look for reads of memory that nothing wrote ([`unwritten`](super::unwritten))?
    pub watches: bool,
    /// What the semantics run in.
    pub(super) memory: Memory,
}

impl Tester {
    /// A tester with these adapters.
    pub fn new(adapters: Vec<AdapterEngine>, plan: Plan) -> Self {
        let spirv = SpirvEngine::default();
        let tint = adapters.iter().find_map(AdapterEngine::tint).map(SpirvEngine::of);
        let (rolls, memory) = (Rolls::default(), Memory::default());
        Self {
            rolls,
            spirv,
            tint,
            adapters,
            plan,
            only: Vec::new(),
            rest: None,
            watches: true,
            memory,
        }
    }

    /// Puts a case through all checks. A finding of a quick look is looked at whole, so that the
    /// first stage that differs is blamed.
    pub fn examine(&mut self, case: &Case, depth: Depth) -> Examination {
        let mut seen = Examination::default();
        self.plan = self.plan.with(&case.settings);
        self.memory = take(&mut self.memory).watched(self.watches);
        let look = &mut Look { case, depth, expected: 0, seen: &mut seen };
        if let Err(verdict) = with_language!(case.program.lang(), |L| self.program::<L>(look)) {
            seen.verdict = verdict;
        }
        if let (Depth::Whole, Verdict::Finding(finding)) = (depth, &mut seen.verdict)
            && finding.stage == OPTIMIZE
            && finding.kind != Kind::Certificate
            && let Ok(Some(blamed)) = catch(|| self.law_to_blame(case))
        {
            finding.text = format!("{}; {}", finding.text, blamed.text);
            finding.instruction = blamed.law;
        }
        if depth == Depth::Quick && matches!(seen.verdict, Verdict::Finding(_)) {
            let whole = self.examine(case, Depth::Whole);
            // More orders are run where all is looked at, and one may show that the program itself is wrong.
            if matches!(whole.verdict, Verdict::Finding(_) | Verdict::OrderDependent(_))
                || whole.class == Class::Race
                || whole.wrong_order().is_some()
            {
                return whole;
            }
        }
        seen
    }

    /// Is the engine among those that are asked?
    pub fn asked(&self, engine: &EngineId) -> bool {
        let name = engine.to_string();
        let room = name.split(':').next().unwrap_or_default();
        self.only.is_empty() || self.only.iter().any(|only| *only == name || only == room)
    }

    /// What runs shaders, but for Tint's, which is asked beside naga's only.
    fn shader_engines(&self) -> impl Iterator<Item = EngineId> {
        iter::once(EngineId::Spirv).chain(self.adapters.iter().map(AdapterEngine::id))
    }

    /// Is neither the evaluator of the device language asked nor what runs shaders?
    fn only_semantics(&self) -> bool {
        let behind = [EngineId::own(Device::LANG), EngineId::Tint].into_iter();
        !behind.chain(self.shader_engines()).any(|engine| self.asked(&engine))
    }

    /// Runs a variant of a language, in the memory of earlier runs; the number of the side.
    pub(super) fn run_variant(
        &mut self,
        engine: EngineId,
        stage: &Stage,
        look: &mut Look,
    ) -> usize {
        let EngineId::Semantic(lang, variant) = engine else {
            unreachable!("{engine} is no semantics")
        };
        let engine = LanguageEngine::new(lang, variant);
        let mut engine = engine.with(self.plan.planted, take(&mut self.memory));
        let at = look.run(&mut engine, stage, &mut self.rolls);
        self.memory = engine.into_memory();
        at
    }

    /// Judges a program of the language `L` and what the passes make of it.
    fn program<L: Judge>(&mut self, look: &mut Look) -> Step {
        let source = Stage { id: StageId::SOURCE, artifact: Cow::Borrowed(&look.case.program) };
        let own = EngineId::own(L::LANG);
        types::check(&source, own.clone(), &mut self.rolls, look.seen)?;
        if look.depth == Depth::Whole {
            round_trip::check(&source, own.clone(), look.seen)?;
        }
        look.expected = L::execute(self, look, &source);
        let outcome = &look.seen.sides[look.expected].outcome;
        look.seen.class = Class::of(&outcome.ending);
        match &outcome.ending {
            Ending::Unknown(why) => return Err(Verdict::Unknown(why.clone())),
            Ending::Broken(broken) => {
                let text = format!("{own} broke: {broken:?}");
                let finding = Finding::of(source.id, own, broken.into(), text);
                return Err(Verdict::Finding(Box::new(finding)));
            }
            Ending::Value(_) | Ending::Stuck(_) => {}
        }
        if !outcome.races.is_empty() {
            look.seen.class = Class::Race;
            return L::race(self, look);
        }
        look.seen.orders =
            orders::run(&source, look.case, look.wanted(), look.depth, &mut self.rolls);
        // Two orders that end differently are no verdict yet: what all share is compared.
        let _ = by_orders(look);
        if look.seen.class == Class::Race {
            return L::race(self, look);
        }
        let passes = self.passes::<L>(look, &source);
        // Orders that were run since, before anybody was blamed, may show more.
        let orders = by_orders(look);
        passes.and(orders)
    }

    /// Judges what the passes make of a program of the language `L` that does not race.
    fn passes<L: Judge>(&mut self, look: &mut Look, source: &Stage) -> Step {
        L::source(self, look, source)?;
        beside::check(self, look)?;
        let stages = self.compiled(look.case, look.depth, &look.seen.class);
        look.seen.passes.extend(stages.took.iter().copied());
        for (number, stage) in stages.list.iter().enumerate().skip(1) {
            with_language!(stage.artifact.lang(), |L| L::stage(self, look, &stages, number))?;
        }
        if stages.list.iter().any(|stage| stage.id == OPTIMIZE) {
            self.certified(look)?;
        }
        self.end_of_passes(&stages, look)?;
        L::behind(self, look)
    }

    /// The stages of a program that are looked at.
    fn compiled<'p>(&self, case: &'p Case, depth: Depth, class: &Class) -> Stages<'p> {
        let program = &case.program;
        // A plan is made for a run that comes to its end.
        if let (true, Class::Value) = (self.plan.optimize, class)
            && let Some(stages) = self.optimized(case, depth)
        {
            return stages;
        }
        match (class, depth) {
            // Memory that is wrong may read what no pass promises to keep; but IMP reads the same.
            (Class::Invalid, _) => Stages::translated(program, self.plan),
            // What the other passes make would not be run.
            (_, Depth::Quick) if self.only_semantics() => Stages::translated(program, self.plan),
            // Engines for shaders compile at launch, from this stage.
            (_, Depth::Quick) => Stages::ends(program, self.plan, CHECKED),
            (_, Depth::Whole) => Stages::of(program, self.plan),
        }
    }

    /// The stages of a program that is rewritten by laws first, if anything of it can be.
    fn optimized<'p>(&self, case: &'p Case, depth: Depth) -> Option<Stages<'p>> {
        let start = Instant::now();
        let subject = Subject::of(&case.program, &case.settings)?;
        let made = catch(|| small::rewritten(&subject, &case.input, &self.plan));
        let took = start.elapsed();
        let last = match depth {
            _ if self.only_semantics() => OPTIMIZE,
            Depth::Quick => CHECKED,
            Depth::Whole => EMIT,
        };
        match made {
            Ok(made) => {
                Some(Stages::optimized(&case.program, (made?, took), self.plan, last, false))
            }
            Err(text) => {
                let mut stages = Stages::up_to(&case.program, self.plan, StageId::SOURCE);
                stages.end = Some((OPTIMIZE, End::Panicked(text)));
                Some(stages)
            }
        }
    }

    /// The law by which a plan of the case computes something else.
    fn law_to_blame(&self, case: &Case) -> Option<Blame> {
        let subject = Subject::of(&case.program, &case.settings)?;
        small::blamed(&subject, &case.input, &case.budget, self.plan.planted)
    }

    /// Replays the certificates of the plans that the program was rewritten to.
    fn certified(&self, look: &Look) -> Step {
        let Case { program, input, budget, settings, .. } = look.case;
        let Some(subject) = Subject::of(program, settings) else { return Ok(()) };
        let replayed = catch(|| small::certified(&subject, input, budget, &self.plan));
        let wrong = |kind, text: String| {
            let engine = EngineId::own(program.lang());
            let text = format!("a certificate of {OPTIMIZE} is refused: {text}");
            Err(Verdict::Finding(Box::new(Finding::of(OPTIMIZE, engine, kind, text))))
        };
        match replayed {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(why)) => wrong(Kind::Certificate, why),
            Err(text) => wrong(Kind::Panic, text),
        }
    }

    /// What the passes came to. One that broke the program is a finding; where one refused it, all that would have
    /// run what lies behind is counted as skipped.
    pub(super) fn end_of_passes(&self, stages: &Stages, look: &mut Look) -> Step {
        if let Some((stage, End::Refused(refused))) = &stages.end {
            let reason = format!("{stage} refused: {}", refused.reason);
            let semantics = stages.missing().map(EngineId::own);
            for engine in semantics.chain(self.shader_engines()) {
                look.seen.skip(*stage, engine, reason.clone());
            }
        }
        Ok(broken(stages)?)
    }
}

/// A pass broke the program.
///
/// # Errors
/// Which one, and how.
pub(super) fn broken(stages: &Stages) -> Result<(), Box<Finding>> {
    let (stage, kind, text) = match &stages.end {
        None | Some((_, End::Refused(_))) => return Ok(()),
        Some((stage, End::Panicked(text))) => (*stage, Kind::Panic, format!("panicked: {text}")),
        Some((stage, End::Invalid(text))) => {
            (*stage, Kind::Types, format!("made an ill typed program: {text}"))
        }
    };
    let engine = EngineId::own(Device::LANG);
    Err(Box::new(Finding::of(stage, engine, kind, format!("{stage} {text}"))))
}
