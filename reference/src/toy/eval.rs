//! What programs of the toy language mean.

use super::EVALUATION;
use super::print;
use super::rules::Rule;
use super::syntax::{Program, Term};
use crate::kit::derivation::Recorder;
use crate::kit::language::How;
use crate::kit::outcome::{Ending, Outcome, Scalar, Stats, Value, Why};
use crate::kit::text::{Rejected, Span};

/// `T-TOY-VAR`: every variable is bound earlier.
///
/// # Errors
/// A variable that is not.
pub fn check(program: &Program, to: &mut Recorder<Rule>) -> Result<(), Rejected> {
    let mut bound = vec![false; program.names.len()];
    program.params.iter().for_each(|var| bound[var.slot()] = true);
    let result = [(None, &program.result)];
    let lets = program.lets.iter().map(|(var, sum)| (Some(*var), sum));
    for (binds, sum) in lets.chain(result) {
        for term in sum {
            let Term::Var(var) = term else { continue };
            to.enter(Rule::TVar, || program.names.written(*var).to_owned());
            if !bound[var.slot()] {
                to.fail(Rule::TVar, "scope");
                let message = format!("`{}` is not in scope", program.names.written(*var));
                let rejected = Rejected::new(Span::default(), message, "not bound");
                return Err(rejected.by_rule("T-TOY-VAR", "scope"));
            }
            to.leave(String::new);
        }
        binds.into_iter().for_each(|var| bound[var.slot()] = true);
    }
    Ok(())
}

/// Evaluates the bindings in order, or only those that the result needs.
///
/// ```text
/// E ⊢ s ⇓ v    E, x = v ⊢ p ⇓ r          x is not needed    E ⊢ p ⇓ r
/// ───────────────────────────── E-TOY-LET ──────────────────────────── E-TOY-SKIP
/// E ⊢ let x = s p ⇓ r                     E ⊢ let x = s p ⇓ r
/// ```
pub fn run(program: &Program, input: &[Value], how: &How<'_>, to: &mut Recorder<Rule>) -> Outcome {
    let mut needed = vec![how.settings.get(&EVALUATION) == "by-value"; program.names.len()];
    need(&mut needed, &program.result);
    for (var, sum) in program.lets.iter().rev() {
        if needed[var.slot()] {
            need(&mut needed, sum);
        }
    }
    let mut env = vec![0; program.names.len()];
    for (var, value) in program.params.iter().zip(input) {
        let Value::Scalar(Scalar::I32(k)) = value else { unreachable!("the input fits") };
        env[var.slot()] = *k;
    }
    let mut stats = Stats::default();
    for (var, terms) in &program.lets {
        if !needed[var.slot()] {
            to.fire(Rule::ESkip, 1);
            continue;
        }
        if stats.statements == how.budget.fuel {
            return Ending::Unknown(Why::Fuel).into();
        }
        stats.statements += 1;
        let subject =
            || format!("let {} = {}", program.names.written(*var), print::sum(program, terms));
        to.enter(Rule::ELet, subject);
        env[var.slot()] = sum(program, &env, terms, to);
        to.leave(|| env[var.slot()].to_string());
    }
    let result = Value::from(sum(program, &env, &program.result, to));
    Outcome { stats, ..Ending::Value(vec![result]).into() }
}

fn need(needed: &mut [bool], sum: &[Term]) {
    for term in sum {
        if let Term::Var(var) = term {
            needed[var.slot()] = true;
        }
    }
}

/// `E-TOY-SUM`
fn sum(program: &Program, env: &[i32], terms: &[Term], to: &mut Recorder<Rule>) -> i32 {
    to.enter(Rule::ESum, || print::sum(program, terms));
    let value = |term: &Term| match term {
        Term::Var(var) => env[var.slot()],
        Term::Int(k) => *k,
    };
    let sum = terms.iter().map(value).fold(0, i32::wrapping_add);
    to.leave(|| sum.to_string());
    sum
}
