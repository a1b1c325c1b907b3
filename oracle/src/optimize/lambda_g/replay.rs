//! Certificates of programs of λG are replayed: each step by its law, each program by its types and by running it, and both
//! costs by pricing the runs again.

use super::certificate::{Certificate, Certified, book, goal, guard};
use super::{Request, differs, read, timed};
use crate::optimize::certificate::{MAX_STEPS, Refused};
use crate::optimize::replay::{Replay, Replayed};
use crate::profiles::reason;
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::kit::outcome::{Budget, Ending, Scalar, Value};
use reference::kit::value::parse_values;
use reference::lambda_g::eval::{Setting, run};
use reference::lambda_g::rewriting::{Law, regions_at};
use reference::lambda_g::syntax::Program;
use reference::lambda_g::{LambdaG, print, types};
use std::time::Instant;

impl Certificate {
    /// Replays it without the search: each law leads from one program to the next, all have one type and end alike on the
    /// input that is claimed and on others of its sizes, and both costs are what is claimed.
    ///
    /// # Errors
    /// The first step that is wrong, and why.
    pub fn replay(&self, by: &Replay) -> Result<Replayed, Refused> {
        let refused = |step: usize| move |why: String| Refused { step, why };
        let start = refused(0);
        if self.language != LambdaG::NAME {
            return Err(start(format!("its programs are of {}", self.language)));
        }
        if self.steps.len() > MAX_STEPS {
            let steps = self.steps.len();
            return Err(start(format!("it has {steps} steps, and at most {MAX_STEPS} are read")));
        }
        if self.laws != book() {
            return Err(start(format!(
                "it is of law book {}, and this one is {}",
                self.laws,
                book()
            )));
        }
        let original = program(&self.program).map_err(start)?;
        let ty = type_of(&original).map_err(start)?;
        let input = self.input(&original).map_err(start)?;
        let mut runs = Runs::new(&original, &input, by);
        let mut before = original.clone();
        for (nth, certified) in self.steps.iter().enumerate() {
            let no = refused(nth + 1);
            let after = program(&certified.program).map_err(no)?;
            applies(certified, &before, &after).map_err(no)?;
            let other = type_of(&after).map_err(no)?;
            if other != ty {
                return Err(no(format!("the program behind it has type {other}, and not {ty}")));
            }
            runs.compare(&after).map_err(no)?;
            before = after;
        }
        if self.goal != goal(&before) {
            return Err(start("its steps do not lead to the goal that it names".to_owned()));
        }
        let unpriced = self.holds(&original, &before, &input, by, &runs).map_err(start)?;
        Ok(Replayed { not_run: runs.unanswered.or(unpriced) })
    }

    fn input(&self, program: &Program) -> Result<Vec<Value>, String> {
        let values = self.costs.input.iter().map(|text| {
            let mut values =
                parse_values(text).map_err(|no| format!("its input: {}", no.message))?;
            match (values.pop(), values.is_empty()) {
                (Some(value), true) => Ok(value),
                _ => Err(format!("`{text}` is no value of its input")),
            }
        });
        let values = values.collect::<Result<Vec<Value>, String>>()?;
        LambdaG::fit(program, values).map_err(|no| format!("its input: {}", no.message))
    }

    /// Do both programs cost what is claimed? If a run has no price, why.
    fn holds(
        &self,
        original: &Program,
        last: &Program,
        input: &[Value],
        by: &Replay,
        runs: &Runs,
    ) -> Result<Option<String>, String> {
        let claim = &self.costs;
        claim.machine.check().map_err(|no| format!("its machine is none: {no}"))?;
        let request = Request {
            mode: claim.mode,
            machine: claim.machine.clone(),
            greedy: claim.schedule.greedy(),
            ..Request::default()
        };
        for (what, program, said) in
            [("the original", original, claim.before), ("the last program", last, claim.after)]
        {
            if runs.is_late() {
                return Ok(Some(LATE.to_owned()));
            }
            match timed(program, input, &request, by.budget).time {
                Err(why) => return Ok(Some(why)),
                Ok(found) if found != said => {
                    let mode = claim.mode.name();
                    return Err(format!(
                        "it says that {what} costs {said} in {mode}, and that is {found}"
                    ));
                }
                Ok(_) => {}
            }
        }
        Ok(None)
    }
}

const LATE: &str = "the time was up";

fn program(text: &str) -> Result<Program, String> {
    LambdaG::parse(text).map_err(|no| no.message)
}

fn type_of(program: &Program) -> Result<String, String> {
    let ty = types::check(program, &mut Recorder::counting());
    ty.map_err(|no| format!("it has no type: {}", no.message))
}

/// Does the law of a step lead from one program to the other?
fn applies(step: &Certified, before: &Program, after: &Program) -> Result<(), String> {
    let law = Law::named(&step.law).ok_or_else(|| format!("there is no law {}", step.law))?;
    if step.guard != guard(law) {
        return Err("the guard of its law is another one".to_owned());
    }
    let region = match &step.region {
        Some(name) => {
            let mut regions = regions_at(before, step.position).into_iter();
            let found = regions.find(|var| before.names.text(*var) == *name);
            Some(found.ok_or_else(|| format!("there is no region {name} in scope"))?)
        }
        None => None,
    };
    let made = law.applied(before, step.position, region);
    let made = made.ok_or_else(|| format!("{} does not apply there", law.name))?;
    match print::program(&read(&made)?) == print::program(after) {
        true => Ok(()),
        false => Err(format!("{} leads to another program", law.name)),
    }
}

/// Inputs that programs are run on beside the one that is claimed.
const DRAWN: u64 = 2;

/// Runs of programs that are to end as the first one.
struct Runs {
    inputs: Vec<Vec<Value>>,
    /// How the first one ends on each; no other is run where that is not known.
    wanted: Vec<Ending>,
    /// Why one had no end.
    unanswered: Option<String>,
    budget: Budget,
    start: Instant,
    by: Replay,
}

impl Runs {
    fn new(original: &Program, input: &[Value], by: &Replay) -> Self {
        let mut inputs = vec![input.to_vec()];
        inputs.extend((0..DRAWN).map(|nth| drawn(input, by.seed.wrapping_add(nth), nth == 0)));
        inputs.dedup();
        let mut runs = Runs {
            inputs,
            wanted: Vec::new(),
            unanswered: None,
            budget: by.budget,
            start: Instant::now(),
            by: *by,
        };
        for nth in 0..runs.inputs.len() {
            let ending = runs.run(original, nth);
            runs.wanted.push(ending);
        }
        runs
    }

    fn is_late(&self) -> bool {
        self.start.elapsed() >= self.by.time
    }

    fn run(&mut self, program: &Program, nth: usize) -> Ending {
        if self.is_late() {
            self.unanswered.get_or_insert_with(|| LATE.to_owned());
            return Ending::Unknown(reference::kit::outcome::Why::Fuel);
        }
        let mut to = Recorder::counting();
        let ending =
            run(program, &self.inputs[nth], &Setting::default(), &self.budget, &mut to).ending;
        // A drawn number may ask for a run that is longer than any.
        if let (Ending::Unknown(why), 0) = (&ending, nth) {
            self.unanswered.get_or_insert_with(|| reason(why));
        }
        ending
    }

    /// Does a program end as the first one, on each input?
    fn compare(&mut self, program: &Program) -> Result<(), String> {
        for nth in 0..self.inputs.len() {
            if matches!(self.wanted[nth], Ending::Unknown(_)) {
                continue;
            }
            let found = self.run(program, nth);
            if let Some(why) = differs(&self.wanted[nth], &found) {
                return Err(format!("the program behind it is another one: {why}"));
            }
        }
        Ok(())
    }
}

/// Values of the same sizes: the ints of vectors are drawn, small ones or any, and what is no vector stays, for it may be a
/// size.
fn drawn(input: &[Value], seed: u64, small: bool) -> Vec<Value> {
    let mut state = seed;
    let mut next = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let any = (mixed >> 32) as i32;
        if small { any.rem_euclid(8) } else { any }
    };
    input.iter().map(|value| redrawn(value, false, &mut next)).collect()
}

fn redrawn(value: &Value, in_vector: bool, next: &mut impl FnMut() -> i32) -> Value {
    match value {
        Value::Array { shape, cells } => {
            let ints: Option<Vec<i32>> =
                cells.iter().map(|cell| matches!(cell, Scalar::I32(_)).then(&mut *next)).collect();
            ints.map_or_else(|| value.clone(), |ints| Value::ints(shape.clone(), ints))
        }
        Value::List(parts) => {
            Value::List(parts.iter().map(|part| redrawn(part, true, next)).collect())
        }
        Value::Tuple(parts) => {
            Value::Tuple(parts.iter().map(|part| redrawn(part, in_vector, next)).collect())
        }
        Value::Scalar(Scalar::I32(_)) if in_vector => Value::from(next()),
        other => other.clone(),
    }
}
