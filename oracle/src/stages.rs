//! The stages of a case: the program, and what each pass makes of it. The passes are the
//! compiler's; a pass that panics is caught here, so that it can be blamed.

use crate::engine::{Artifact, Stage, StageId};
use crate::language::Lang;
use crate::language::Listed;
use crate::panics::catch;
use compiler::emit::wgsl::Form;
use compiler::pipeline::ROUTES;
use compiler::pipeline::{self, Stop};
pub use compiler::route::Plan;
use compiler::route::{self, Position, TRUNK};
use compiler::route::{Artifact as Made, PassCx};
use reference::imp::Imp;
use reference::kit::decisions::Decision;
use reference::kit::text::Refused;
use std::borrow::Cow;
use std::time::{Duration, Instant};

/// Insertion of memory.
pub const INSERT_MEMORY: StageId = StageId("insert_memory");
/// Allocations moved out of kernels.
pub const EXPAND_MEMORY: StageId = StageId("expand_memory");
/// The translation to IMP.
pub const TO_IMP: StageId = StageId("to_imp");
/// Lowering of FCL to the device language.
pub const LOWER_FCL: StageId = StageId("lower_fcl");
/// Lowering of λG to the device language.
pub const LOWER_LAMBDA_G: StageId = StageId("lower_lambda_g");
/// Lowering to the device language.
pub const LOWER: StageId = StageId("lower");
/// The last pass to the device language: what it makes is what shaders are made of.
pub const LAST: StageId = StageId("poison_checks");
/// The pass behind which all checks stand in the kernels: what runs shaders makes the forms of kernels of it.
pub const CHECKED: StageId = StageId(pipeline::CHECKED);
/// The pass that eliminates checks.
pub const ELIMINATE_CHECKS: StageId = StageId("eliminate_checks");
/// Rewriting by laws: from FUN to plans in IMP, in the place of all passes up to there.
pub const OPTIMIZE: StageId = StageId("optimize");
/// Shaders of the kernels.
pub const EMIT: StageId = StageId("emit");

/// The last stage in this language of a program of the language `source`: the program itself where no step
/// makes one, and the shaders where its road does not lead through the language at all.
pub fn last_of(lang: Lang, source: Lang) -> StageId {
    match ROUTES.last_in(lang.into(), source.into()) {
        Some(at) => StageId(at.tag()),
        None if lang == source => StageId::SOURCE,
        None => EMIT,
    }
}

/// Is a program of the language `source` compiled through the other language?
pub fn leads(source: Lang, lang: Lang) -> bool {
    last_of(lang, source) != EMIT
}

/// The names of all stages, in order.
pub fn names() -> Vec<&'static str> {
    let passes = ROUTES.places().map(Position::tag);
    [StageId::SOURCE.0].into_iter().chain(passes).chain([OPTIMIZE.0]).collect()
}

/// The language of the stage with this name, of a program of the language `source`. `None` for a name that
/// no stage has, and for the shaders.
pub fn language_of(stage: &str, source: Lang) -> Option<Lang> {
    if stage == StageId::SOURCE.0 {
        return Some(source);
    }
    if stage == OPTIMIZE.0 {
        return Some(Imp::LANG);
    }
    let made = ROUTES.tagged(stage)?.lang();
    Lang::ALL.iter().copied().find(|lang| route::Lang::from(*lang) == made)
}

/// What the passes make of a program.
pub struct Stages<'p> {
    /// The stages, the program itself first.
    pub list: Vec<Stage<'p>>,
    /// The shaders of the last stage, if the compilation came that far.
    pub shaders: Option<Vec<Form>>,
    /// How long each pass took.
    pub took: Vec<(StageId, Duration)>,
    /// The pass that the compilation did not get past, if there was one.
    pub end: Option<(StageId, End)>,
    /// What the passes did, and why, if a report was asked for.
    pub report: Vec<Decision>,
}

/// Why a compilation ends early.
#[derive(Clone, Debug)]
pub enum End {
    /// The pass refused a statement.
    Refused(Refused),
    /// The pass made what the validator of the device language refuses.
    Invalid(String),
    /// The pass panicked.
    Panicked(String),
}

impl<'p> Stages<'p> {
    /// Runs every pass from the language of the program on.
    pub fn of(program: &'p Artifact, plan: Plan) -> Self {
        Self::up_to(program, plan, EMIT)
    }

    /// Runs the passes from the language of the program up to one of them, to the end where it is
    /// not among them; none for [`StageId::SOURCE`].
    pub fn up_to(program: &'p Artifact, plan: Plan, last_pass: StageId) -> Self {
        Self::run(program, None, PassCx::new(plan), last_pass)
    }

    /// The stages of a program whose plan, in IMP, was made by rewriting: the program, the plan, and what
    /// the passes make of that.
    pub fn optimized(
        program: &'p Artifact,
        (made, took): (Artifact, Duration),
        plan: Plan,
        last_pass: StageId,
        report: bool,
    ) -> Self {
        let cx = if report { PassCx::reported(plan) } else { PassCx::new(plan) };
        let mut stages = Self::run(program, Some(made), cx, last_pass);
        stages.took.insert(0, (OPTIMIZE, took));
        stages
    }

    /// The same with a report of every pass.
    pub fn reported(program: &'p Artifact, plan: Plan, last_pass: StageId) -> Self {
        Self::run(program, None, PassCx::reported(plan), last_pass)
    }

    fn run(
        program: &'p Artifact,
        optimized: Option<Artifact>,
        mut cx: PassCx,
        last_pass: StageId,
    ) -> Self {
        let cx = &mut cx;
        let mut stages = Stages::start(program);
        let from = optimized.clone().unwrap_or_else(|| program.clone());
        let mut first = ROUTES.towards(last_pass.0, from.lang().into());
        let mut last = pipeline::Stage::source(from.into());
        let ends = last_pass == OPTIMIZE || last_pass == StageId::SOURCE;
        if let Some(made) = optimized {
            stages.list.push(Stage { id: OPTIMIZE, artifact: Cow::Owned(made) });
        }
        while !ends && last.by() != last_pass.0 {
            let start = Instant::now();
            let next = catch(|| match first.take() {
                Some(at) => pipeline::step_to(at, &last, cx).map(Some),
                None => pipeline::next(Cow::Borrowed(&last), cx),
            });
            let end = match next {
                Ok(Ok(None)) => break,
                Ok(Ok(Some(stage))) => {
                    stages.took.push((StageId(stage.by()), start.elapsed()));
                    stages.push(std::mem::replace(&mut last, stage));
                    continue;
                }
                Ok(Err(Stop::Refused(pass, refused))) => (StageId(pass), End::Refused(refused)),
                Ok(Err(Stop::Broken(pass, text))) => (StageId(pass), End::Invalid(text)),
                // The pass did not come back to say its name: it is the one after the last.
                Err(text) => {
                    let next = ROUTES.behind(&last).map_or(EMIT, |at| StageId(at.tag()));
                    (next, End::Panicked(text))
                }
            };
            stages.end = Some(end);
            break;
        }
        stages.push(last);
        // A program whose memory cannot be expanded is not compiled, but IMP runs it as it is.
        if matches!(stages.end, Some((EXPAND_MEMORY, End::Refused(_)))) {
            stages.translate(cx);
        }
        stages.report = cx.decisions.report().to_vec();
        stages
    }

    /// Runs the passes up to one of the device language, and keeps of each language the last stage: what a
    /// quick look compares. Only the last of all is validated. Where that is wrong, or a pass does not come
    /// through, each pass is run and validated as [`Stages::up_to`] does it, and all stages before
    /// the one that is to be blamed are kept.
    pub fn ends(source: &'p Artifact, plan: Plan, last_pass: StageId) -> Self {
        let cx = &mut PassCx::new(plan);
        let mut stages = Stages::start(source);
        let mut last = pipeline::Stage::source(source.clone().into());
        while last.by() != last_pass.0 {
            let start = Instant::now();
            let (kept, next) = if last.at.is_some_and(|at| ROUTES.is_last_of_language(at)) {
                let next = catch(|| pipeline::unchecked(Cow::Borrowed(&last), cx));
                (Some(last), next)
            } else {
                (None, catch(|| pipeline::unchecked(Cow::Owned(last), cx)))
            };
            let Ok(Ok(Some(stage))) = next else { return Self::up_to(source, plan, last_pass) };
            stages.took.push((StageId(stage.by()), start.elapsed()));
            kept.into_iter().for_each(|kept| stages.push(kept));
            last = stage;
        }
        if !matches!(catch(|| last.validate()), Ok(Ok(()))) {
            return Self::up_to(source, plan, last_pass);
        }
        stages.push(last);
        stages
    }

    /// The program and its translations, with no pass that improves it: what the semantic engines run.
    pub fn translated(program: &'p Artifact, plan: Plan) -> Self {
        let mut stages = Stages::start(program);
        stages.translate(&mut PassCx::new(plan));
        stages
    }

    fn start(program: &'p Artifact) -> Self {
        let source = Stage { id: StageId::SOURCE, artifact: Cow::Borrowed(program) };
        Stages {
            list: vec![source],
            shaders: None,
            took: Vec::new(),
            end: None,
            report: Vec::new(),
        }
    }

    /// Keeps what a pass made; the source is there from the start.
    fn push(&mut self, stage: pipeline::Stage) {
        if let Some(at) = stage.at {
            self.insert(StageId(at.tag()), stage.artifact);
        }
    }

    fn insert(&mut self, id: StageId, artifact: Made) {
        match artifact.program() {
            Ok(program) => self.list.push(Stage { id, artifact: Cow::Owned(program) }),
            Err(shaders) => self.shaders = Some(shaders),
        }
    }

    /// Translates the last stage from language to language, up to those that shaders are made from.
    fn translate(&mut self, cx: &mut PassCx) {
        let lang = |stages: &Self| stages.list.last().map(|last| last.artifact.lang().into());
        let Some(from) = lang(self) else { return };
        for at in ROUTES.road(from).take_while(|at| at.lang() != TRUNK) {
            let pass = at.step().pass;
            let Some(last) = self.list.last().filter(|_| lang(self) == Some(pass.from)) else {
                return;
            };
            if pass.from != pass.to {
                let start = Instant::now();
                let program = Cow::Owned((*last.artifact).clone().into());
                let made = catch(|| pipeline::alone(at, program, cx));
                self.keep(StageId(at.tag()), start, made);
            }
        }
    }

    /// Keeps what a pass made, or why it made nothing.
    fn keep(&mut self, id: StageId, start: Instant, made: Result<Result<Made, Refused>, String>) {
        match made {
            Ok(Ok(artifact)) => {
                self.insert(id, artifact);
                self.took.push((id, start.elapsed()));
            }
            Ok(Err(refused)) => self.end = Some((id, End::Refused(refused))),
            Err(text) => self.end = Some((id, End::Panicked(text))),
        }
    }

    /// The languages on the road of the program whose last stage was not made.
    pub fn missing(&self) -> impl Iterator<Item = Lang> {
        let source = self.list[0].artifact.lang();
        let made = move |last| self.list.iter().any(|stage| stage.id == last);
        let listed = Lang::ALL.iter().copied();
        listed.filter(move |lang| leads(source, *lang) && !made(last_of(*lang, source)))
    }

    /// The last stage of this kind of artifact.
    pub fn last(&self, lang: Lang) -> Option<usize> {
        self.list.iter().rposition(|stage| stage.artifact.lang() == lang)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quick look validates the last stage alone, and still names the first that is wrong.
    #[test]
    fn the_first_stage_that_is_not_valid_is_blamed() {
        let source = "kernel k(b : block[i32]) group 4 {\n  b.[0] = true;\n}\nlet b = alloc i32(4);\nlaunch k(b) for 1;";
        let program = Lang::Device.parse(source).expect("the program parses");
        let stages = Stages::ends(&program, Plan::default(), LAST);
        let Some((stage, End::Invalid(_))) = stages.end else { panic!("{:?}", stages.end) };
        assert_eq!(stage.0, "inline_calls");
    }

    /// The stages that are known by name here stand on the routes, where they are said to stand.
    #[test]
    fn named_stages_are_on_the_routes() {
        let passes =
            [INSERT_MEMORY, EXPAND_MEMORY, TO_IMP, LOWER, LAST, CHECKED, ELIMINATE_CHECKS, EMIT];
        for stage in passes {
            assert!(names().contains(&stage.0), "{stage}");
        }
        assert_eq!(last_of(Lang::FunMem, Lang::Fun), EXPAND_MEMORY);
        assert_eq!(last_of(Lang::FunMem, Lang::FunMem), EXPAND_MEMORY);
        assert_eq!(last_of(Lang::Imp, Lang::Fun), TO_IMP);
        assert_eq!(last_of(Lang::Device, Lang::Imp), LAST);
        assert_eq!(last_of(Lang::Imp, Lang::Imp), StageId::SOURCE);
        assert_eq!(last_of(Lang::FunMem, Lang::Device), EMIT);
        assert_eq!(language_of(CHECKED.0, Lang::Fun), Some(Lang::Device));
        assert_eq!(language_of(StageId::SOURCE.0, Lang::Imp), Some(Lang::Imp));
        assert_eq!(language_of(EMIT.0, Lang::Fun), None);
    }

    /// What is asked for in a language takes no pass that does not lead there.
    #[test]
    fn no_pass_is_run_in_vain() {
        let source = "param (n : int) let (xs : [n]) = iota n in (xs)";
        let program = Lang::Fun.parse(source).expect("the program parses");
        let passes = |program: &Artifact, lang: Lang| {
            let last = last_of(lang, program.lang());
            Stages::up_to(program, Plan::default(), last).took.len()
        };
        assert_eq!(passes(&program, Lang::Fun), 0);
        assert_eq!(passes(&program, Lang::FunMem), 4);
        assert_eq!(passes(&program, Lang::Imp), 5);
        assert_eq!(passes(&program, Lang::Device), ROUTES.road(route::Lang::Fun).count() - 1);
        let stages = Stages::up_to(&program, Plan::default(), LAST);
        let Some(at) = stages.last(Lang::Device) else { panic!("{:?}", stages.end) };
        let device = &stages.list[at].artifact;
        assert!(passes(device, Lang::Fun) > 0, "no pass leads there, and the end says so");
    }
}
