//! Certificates are replayed: each step by its law, and each term by running it.

use super::certificate::{Certificate, MAX_STEPS, Refused, UNSOURCED};
use super::certificate::{book, goal, guard, params, partial};
use super::claim::NoCost;
use super::subject::Subject;
use crate::pricing::no_results;
use crate::profiles::reason;
use crate::rolls::Rolls;
use compiler::rewrite::plan::Plan;
use reference::axes::apply::holds;
use reference::axes::laws::Class;
use reference::axes::syntax::{Kind, Program};
use reference::axes::{meaning, parse};
use reference::fun::syntax::Fun;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Scalar, Value, Why};
use reference::languages::{Artifact, Listed};
use std::time::{Duration, Instant};

/// What a replay may use, and what it runs on.
#[derive(Clone, Copy, Debug)]
pub struct Replay {
    /// Of each run. The arrays of all inputs take at most half of its memory.
    pub budget: Budget,
    /// Of the arrays, and of ints for which the program holds whatever they are.
    pub seed: u64,
    /// No run is begun after this time.
    pub time: Duration,
}

impl Default for Replay {
    fn default() -> Self {
        Replay { budget: Budget::default(), seed: 0, time: Duration::MAX }
    }
}

/// What a replay saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Why some terms were not run, so that only the laws of their steps were looked at, or costs not priced again.
    pub not_run: Option<String>,
}

impl Certificate {
    /// Replays it without the search: each law leads from one term to the next, and both run in
    /// FUN, and their plans, to the same results on drawn inputs. A run that does not end within the budget shows nothing.
    ///
    /// # Errors
    /// The first step that is wrong, and why.
    pub fn replay(&self, by: &Replay) -> Result<Replayed, Refused> {
        let refused = |step: usize| move |why: String| Refused { step, why };
        if self.steps.len() > MAX_STEPS {
            let why =
                format!("it has {} steps, and at most {MAX_STEPS} are read", self.steps.len());
            return Err(Refused { step: 0, why });
        }
        if self.laws != book() {
            let why = format!("it is of law book {}, and this one is {}", self.laws, book());
            return Err(Refused { step: 0, why });
        }
        let mut before = parse::program(&self.program).map_err(|no| refused(0)(no.message))?;
        if let Some(source) = &self.source {
            source.enters_as(&before).map_err(refused(0))?;
        }
        if partial(&before) != self.partial {
            let why = "it says of other parts of the program that they may get stuck".to_owned();
            return Err(Refused { step: 0, why });
        }
        let mut runs = Runs::of(&before, by).map_err(refused(0))?;
        if let Some(source) = self.source.as_ref().filter(|source| !source.is_meaning()) {
            runs.source(&source.program().map_err(refused(0))?).map_err(refused(0))?;
        }
        runs.compare(&before).map_err(refused(0))?;
        let head = params(&before);
        for (nth, certified) in self.steps.iter().enumerate() {
            let no = refused(nth + 1);
            if certified.guard != guard(&certified.step) {
                return Err(no("the guard of its law is another one".to_owned()));
            }
            let text = format!("{head}{}", certified.term);
            let after = parse::program(&text).map_err(|wrong| no(wrong.message))?;
            holds(&certified.step, &before, &after, &Class::ALL).map_err(no)?;
            runs.compare(&after).map_err(no)?;
            before = after;
        }
        if self.goal != goal(&before) {
            return Err(refused(0)("its steps do not lead to the goal that it names".to_owned()));
        }
        let Some(costs) = &self.costs else { return Ok(Replayed { not_run: runs.unanswered }) };
        let source = self.source.as_ref().ok_or_else(|| refused(0)(UNSOURCED.to_owned()))?;
        let time_is_up = runs.time_is_up();
        if time_is_up.is_some() {
            return Ok(Replayed { not_run: runs.unanswered.or(time_is_up) });
        }
        let unpriced = match costs.holds(source, &before, &by.budget) {
            Ok(()) => None,
            Err(NoCost::Unpriced(why)) => Some(why),
            Err(NoCost::Wrong(why)) => return Err(refused(0)(why)),
        };
        Ok(Replayed { not_run: runs.unanswered.or(unpriced) })
    }
}

/// Ints for which a law may fail that holds for others.
const EDGES: [i32; 6] = [0, 1, -1, 2, i32::MAX, i32::MIN];

/// Inputs that a program is replayed on where the number of an int is not known.
const INPUTS: u64 = 3;

/// What a program is replayed on: arrays of numbers of all sizes, so that sums overflow. Where an int has no number, there
/// are several inputs: a small number, one at an edge, and any. `None` if the arrays take more than this memory.
fn drawn(program: &Program, seed: u64, memory: u64) -> Result<Option<Vec<Vec<Value>>>, String> {
    let fun = meaning::program(program).map_err(|no| no.message)?;
    let names = fun.params.iter().map(|param| fun.names.written(param.var).to_owned());
    let ints = program.params.iter().zip(names).enumerate();
    let mut open = Vec::new();
    let sizes: Vec<(String, i32)> = ints
        .filter_map(|(nth, (param, name))| match param.kind {
            Kind::Int(Some(k)) => Some((name, k)),
            Kind::Int(None) => {
                open.push(nth);
                Some((name, 3 + 7 * i32::try_from(nth).unwrap_or(0)))
            }
            Kind::Array(_) => None,
        })
        .collect();
    let inputs = if open.is_empty() { 1 } else { INPUTS };
    let cells = Fun::takes(&fun).elements(&sizes).saturating_mul(inputs);
    if cells.saturating_mul(size_of::<i32>() as u64) > memory {
        return Ok(None);
    }
    let made_up = Fun::artifact(fun).sized(&sizes).map_err(|no| no.message)?;
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 32) as i32
    };
    let inputs = (0..inputs).map(|input| {
        let values = made_up.iter().enumerate().map(|(nth, value)| match value {
            Value::Array { shape, cells } => {
                Value::ints(shape.clone(), cells.iter().map(|_| next()).collect())
            }
            Value::Scalar(_) if input > 0 && open.contains(&nth) => {
                let any = next();
                let edge = EDGES[any.unsigned_abs() as usize % EDGES.len()];
                Value::Scalar(Scalar::I32(if input == 1 { edge } else { any }))
            }
            scalar => scalar.clone(),
        });
        values.collect()
    });
    Ok(Some(inputs.collect()))
}

/// Runs of terms that are to give the same.
#[derive(Debug)]
struct Runs {
    inputs: Vec<Vec<Value>>,
    /// What the first one gave on each input.
    wanted: Vec<Option<Ran>>,
    /// Why the first of them did not end that did not.
    unanswered: Option<String>,
    budget: Budget,
    start: Instant,
    time: Duration,
}

/// What came of a run.
#[derive(Debug, PartialEq)]
enum Ran {
    Results(Vec<Value>),
    Stuck,
}

impl Runs {
    /// On these inputs.
    fn on(inputs: Vec<Vec<Value>>, budget: Budget, time: Duration) -> Self {
        let wanted = inputs.iter().map(|_| None).collect();
        Runs { inputs, wanted, unanswered: None, budget, start: Instant::now(), time }
    }

    /// On inputs that are drawn for a program. If they are too large nothing is run.
    ///
    /// # Errors
    /// The program means nothing that can be run.
    fn of(program: &Program, by: &Replay) -> Result<Self, String> {
        let memory = by.budget.memory / 2;
        let inputs = drawn(program, by.seed, memory)?;
        let unanswered = inputs.is_none().then(|| reason(&Why::Memory(memory)));
        let runs = Runs::on(inputs.unwrap_or_default(), by.budget, by.time);
        Ok(Runs { unanswered, ..runs })
    }

    fn time_is_up(&self) -> Option<String> {
        (self.start.elapsed() >= self.time).then(|| "the time was up".to_owned())
    }

    /// Is the time up, or did a run not end? Then none is run.
    fn is_late(&mut self) -> bool {
        self.unanswered = self.unanswered.take().or_else(|| self.time_is_up());
        self.unanswered.is_some()
    }

    /// Runs a program that means what the first term is to mean, by its own semantics.
    ///
    /// # Errors
    /// It breaks.
    fn source(&mut self, program: &Subject) -> Result<(), String> {
        let (source, settings) = (program.artifact(), program.settings());
        for nth in 0..self.inputs.len() {
            let input = program.taken(&self.inputs[nth]);
            let input = input.ok_or("its term does not take what its source takes")?;
            let Some(found) = self.run_on(&source, &settings, &input)? else { return Ok(()) };
            self.wanted[nth] = match found {
                Ran::Results(results) => program.as_of_plans(results).map(Ran::Results),
                Ran::Stuck => Some(Ran::Stuck),
            };
            if self.wanted[nth].is_none() {
                return Err("its source gives what no term gives".to_owned());
            }
        }
        Ok(())
    }

    /// Runs the meaning of a program in FUN, and its plan, where there is one.
    ///
    /// # Errors
    /// The plan gives something else, or the program something else than those before it.
    fn compare(&mut self, program: &Program) -> Result<(), String> {
        if self.is_late() {
            return Ok(());
        }
        let fun = Fun::artifact(meaning::program(program).map_err(|no| no.message)?);
        let plan = Plan::of(program).ok().map(|plan| plan.artifact());
        let settings = Settings::default();
        for nth in 0..self.inputs.len() {
            let Some(found) = self.run(&fun, &settings, nth)? else { return Ok(()) };
            if let Some(plan) = &plan
                && self.run(plan, &settings, nth)?.is_some_and(|of_plan| of_plan != found)
            {
                return Err("its plan gives other results than FUN".to_owned());
            }
            match &self.wanted[nth] {
                Some(wanted) if *wanted != found => {
                    return Err("the program behind it gives other results".to_owned());
                }
                Some(_) => {}
                None => self.wanted[nth] = Some(found),
            }
        }
        Ok(())
    }

    /// Runs a program on an input. Once one did not end within the budget none is run: the others are as long.
    ///
    /// # Errors
    /// It breaks.
    fn run(
        &mut self,
        program: &Artifact,
        settings: &Settings,
        nth: usize,
    ) -> Result<Option<Ran>, String> {
        let input = std::mem::take(&mut self.inputs[nth]);
        let ran = self.run_on(program, settings, &input);
        self.inputs[nth] = input;
        ran
    }

    /// The same on any input.
    fn run_on(
        &mut self,
        program: &Artifact,
        settings: &Settings,
        input: &[Value],
    ) -> Result<Option<Ran>, String> {
        if self.is_late() {
            return Ok(None);
        }
        let how = How {
            variant: program.lang().variants()[0].name,
            schedule: 0,
            budget: &self.budget,
            settings,
            planted: Planted::NONE,
            memory: &mut Memory::default(),
        };
        let ended = program.run(input, how, &mut Rolls::default()).ending;
        match ended {
            Ending::Value(results) => Ok(Some(Ran::Results(results))),
            Ending::Stuck(_) => Ok(Some(Ran::Stuck)),
            Ending::Unknown(why) => {
                self.unanswered = Some(reason(&why));
                Ok(None)
            }
            Ending::Broken(_) => Err(no_results(&ended)),
        }
    }
}

/// The first of these programs that is not equal to the one before it on this input, or whose plan is not
/// equal to it, and what differs.
pub fn differs(programs: &[Program], input: &[Value], budget: &Budget) -> Option<(usize, String)> {
    let mut runs = Runs::on(vec![input.to_vec()], *budget, Duration::MAX);
    programs.iter().enumerate().find_map(|(nth, program)| Some((nth, runs.compare(program).err()?)))
}

#[cfg(test)]
mod tests {
    use super::{Program, Value, differs, drawn};
    use reference::axes::parse;
    use reference::kit::outcome::Budget;

    fn program(term: &str) -> Program {
        let text = format!("param (xs : [6])\n{term}");
        parse::program(&text).unwrap_or_else(|no| panic!("{}: {text}", no.message))
    }

    /// Of a chain the first term that computes something else is found, whatever is behind it.
    #[test]
    fn the_first_wrong_term_of_a_chain_is_found() {
        let right = program("(out (red + k 6 (get xs k)))");
        let same = program("(out (red + k 3 (+ (get xs k) (get xs {k + 3}))))");
        // As if the rounds beyond the half were lost.
        let wrong = program("(out (red + k 3 (get xs k)))");
        let budget = Budget::default();
        let inputs =
            drawn(&right, 0, budget.memory).expect("it has arrays").expect("of some bytes");
        let [input] = <[Vec<Value>; 1]>::try_from(inputs).expect("it has no ints");
        assert_eq!(differs(&[right.clone(), same.clone()], &input, &budget), None);
        let chain = [right, same.clone(), wrong, same];
        let (nth, why) = differs(&chain, &input, &budget).expect("one is wrong");
        assert_eq!((nth, why.as_str()), (2, "the program behind it gives other results"));
    }

    /// An int without a number has a small one, one at an edge, and any.
    #[test]
    fn ints_without_numbers_have_several() {
        let program = parse::program("param (a : int) (n : int = 6) (xs : [6])\n(out (+ a n))");
        let program = program.expect("it is a term");
        let inputs = drawn(&program, 0, 1 << 20).expect("it has arrays").expect("of some bytes");
        let firsts = |at: usize| inputs.iter().map(move |input| input[at].as_int());
        let (open, known): (Vec<_>, Vec<_>) = (firsts(0).collect(), firsts(1).collect());
        assert_eq!((open.len(), open[0], &known[..]), (3, Some(3), &[Some(6); 3][..]));
        assert!(open[1] != open[0] && open[2] != open[1], "{open:?}");
        assert_eq!(drawn(&program, 0, 71), Ok(None));
        assert!(drawn(&program, 0, 72).is_ok_and(|inputs| inputs.is_some()));
    }
}
