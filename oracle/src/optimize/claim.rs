//! What a certificate says of costs: those of the statements as they are compiled without rewriting, and those of the
//! plan, by one mode and machine on one input. Both are priced again where it is replayed.

use super::certificate::Source;
use super::subject::Subject;
use super::{Request, sample};
use crate::profiles::reason;
use compiler::rewrite::plan::Plan;
use reference::axes::syntax::Program;
use reference::cost::{Machine, Mode};
use reference::kit::outcome::{Budget, Value, Why};
use reference::kit::value::parse_values;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Costs that are claimed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// The cost model.
    pub mode: Mode,
    /// The machine.
    pub machine: Machine,
    /// What the source is run on, one text a parameter: its value, or [`MADE_UP`].
    pub input: Vec<String>,
    /// What its statements cost as they are compiled without rewriting.
    pub before: f64,
    /// What the plan costs.
    pub after: f64,
}

/// How an array is written whose numbers are made up for its size, as `--size` does it.
pub const MADE_UP: &str = "made up";

/// By how much a price may differ that was written and read as text.
const ROUNDED: f64 = 1e-9;

/// Why a claim is not found right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NoCost {
    /// It is wrong, or no claim of what it is said of.
    Wrong(String),
    /// A run does not end with a price, so it may be right.
    Unpriced(String),
}

impl NoCost {
    /// Why.
    pub(super) fn text(self) -> String {
        match self {
            NoCost::Wrong(why) | NoCost::Unpriced(why) => why,
        }
    }
}

impl From<String> for NoCost {
    fn from(why: String) -> Self {
        NoCost::Wrong(why)
    }
}

impl Claim {
    /// These costs of a source and of the term of its plan, when the source is run on this input; those that they have if
    /// none are known.
    ///
    /// # Errors
    /// The source, or the plan, has no price.
    pub(super) fn of(
        source: &Source,
        last: &Program,
        input: &[Value],
        request: &Request,
        known: Option<[f64; 2]>,
    ) -> Result<Claim, String> {
        let program = source.program()?;
        let ints = program.ints(input.iter().enumerate());
        let made_up = program.artifact().sized(&ints).unwrap_or_default();
        let input = input.iter().enumerate().map(|(nth, value)| match value {
            Value::Array { .. } | Value::List(_) if made_up.get(nth) == Some(value) => {
                MADE_UP.to_owned()
            }
            other => other.to_string(),
        });
        let claim = |[before, after]: [f64; 2], input: Vec<String>| Claim {
            mode: request.mode,
            machine: request.machine.clone(),
            input,
            before,
            after,
        };
        let claimed = claim(known.unwrap_or_default(), input.collect());
        match known {
            Some(_) => Ok(claimed),
            None => {
                let costs = claimed.costs(source, last, &request.budget).map_err(NoCost::text)?;
                Ok(claim(costs, claimed.input))
            }
        }
    }

    /// What is claimed, in one sentence.
    pub fn text(&self) -> String {
        let Claim { mode, machine, before, after, .. } = self;
        format!(
            "{before} before and {after} after in {} on machine `{}`",
            mode.name(),
            machine.name
        )
    }

    /// Do they cost that?
    ///
    /// # Errors
    /// What costs something else, or has no price.
    pub(super) fn holds(
        &self,
        source: &Source,
        last: &Program,
        budget: &Budget,
    ) -> Result<(), NoCost> {
        let [before, after] = self.costs(source, last, budget)?;
        for (what, said, found) in
            [("the original", self.before, before), ("the plan", self.after, after)]
        {
            let far = (said - found).abs() > ROUNDED * found.abs();
            if far || !said.is_finite() {
                let mode = self.mode.name();
                let why =
                    format!("it says that {what} costs {said} in {mode}, and that is {found}");
                return Err(NoCost::Wrong(why));
            }
        }
        Ok(())
    }

    /// What they cost.
    fn costs(&self, source: &Source, last: &Program, budget: &Budget) -> Result<[f64; 2], NoCost> {
        let program = source.program()?;
        self.machine.check().map_err(|no| format!("its machine is none: {no}"))?;
        let input = self.input(source, &program, budget)?;
        if program.sizes(&input).into_iter().collect::<BTreeMap<_, _>>() != source.sizes {
            return Err(NoCost::Wrong("its input has other sizes than its source".to_owned()));
        }
        let request = Request {
            mode: self.mode,
            machine: self.machine.clone(),
            budget: *budget,
            ..Request::default()
        };
        let region = source.region(&program)?;
        let values = program.values(&region, &input, budget).map_err(NoCost::Unpriced)?;
        let alone = program.alone(&region, (&input, &values), &request);
        let (before, wanted) = alone.map_err(NoCost::Unpriced)?;
        let plan = Plan::of(last).map_err(|no| format!("its last term has no plan: {no}"))?;
        let plan = plan.artifact();
        let of_term = plan.fit(values.of_term).map_err(|no| no.message)?;
        let sample = sample(&request, wanted.is_some());
        let priced = program.price(&plan, &of_term, &request, sample);
        let (after, _) = priced.map_err(NoCost::Unpriced)?;
        Ok([before.times.of(self.mode), after.times.of(self.mode)])
    }

    /// The input that is said. Its arrays take at most half of the memory.
    fn input(
        &self,
        source: &Source,
        program: &Subject,
        budget: &Budget,
    ) -> Result<Vec<Value>, NoCost> {
        let texts = self.input.iter().enumerate();
        let said = texts.filter(|(_, text)| *text != MADE_UP).map(|(nth, text)| {
            let mut values =
                parse_values(text).map_err(|no| format!("its input: {}", no.message))?;
            match (values.pop(), values.is_empty()) {
                (Some(value), true) => Ok((nth, value)),
                _ => Err(format!("`{text}` is no value of its input")),
            }
        });
        let said = said.collect::<Result<Vec<(usize, Value)>, String>>()?;
        let artifact = program.artifact();
        let ints = match program {
            Subject::Fun(_) => program.ints(said.iter().map(|(nth, value)| (*nth, value))),
            Subject::Fcl(..) => source.sizes(),
            // An int without a number in the sizes is said in the input.
            Subject::LambdaG(_) => {
                let names = artifact.parameters();
                let lengths = source.sizes().into_iter().filter(|(name, _)| names.contains(name));
                let ints = program.ints(said.iter().map(|(nth, value)| (*nth, value)));
                let open = ints.into_iter().filter(|(name, _)| !source.sizes.contains_key(name));
                lengths.chain(open.collect::<Vec<_>>()).collect()
            }
        };
        let bytes = artifact.elements(&ints).saturating_mul(size_of::<i32>() as u64);
        if bytes > budget.memory / 2 {
            return Err(NoCost::Unpriced(reason(&Why::Memory(bytes))));
        }
        let made_up = match said.len() == self.input.len() {
            true => Vec::new(),
            false => artifact.sized(&ints).unwrap_or_default(),
        };
        let mut said = said.into_iter().peekable();
        let input = (0..self.input.len()).map(|nth| match said.next_if(|(at, _)| *at == nth) {
            Some((_, value)) => Ok(value),
            None => {
                let array = made_up.get(nth).cloned();
                array.ok_or_else(|| "no input can be made up for its ints".to_owned())
            }
        });
        let input = input.collect::<Result<Vec<Value>, String>>()?;
        artifact.fit(input).map_err(|no| NoCost::Wrong(format!("its input: {}", no.message)))
    }
}
