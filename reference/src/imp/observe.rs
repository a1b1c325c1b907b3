//! The initial environment of a program, from its input, and what is observed at its end.

use super::rules::Rule;
use super::syntax::{Output, Param, Program};
use super::values::{Env, Path, Shared};
use crate::fun::eval::fit::atoms;
use crate::fun::eval::scalar::clamp;
use crate::fun::syntax::{Atom, Se};
use crate::funmem::memory::{Dim, Lmad};
use crate::kit::fit::{self, Takes};
use crate::kit::heap::Label;
use crate::kit::memory::Memory;
use crate::kit::outcome::{Cause, Cells, Outcome, Scalar, Value, Why, holds};
use crate::kit::run::{Eval, Stop};
use crate::kit::text::{Rejected, Span};

/// The input as the parameters want it, with the extents of empty arrays filled in.
///
/// # Errors
/// Says which parameter an input does not fit, and why.
pub fn fit(program: &Program, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
    takes(program).fit(input)
}

/// What a program takes.
pub fn takes(program: &Program) -> Takes<'_> {
    let params = program.params.iter();
    let params =
        params.map(|Param { var, shape }| fit::Param::of_ints(*var, shape.as_deref().map(atoms)));
    Takes { names: &program.names, params: params.collect(), span: Span::default() }
}

/// The environment and heap in which the body starts.
pub(super) fn start(
    shared: &mut Shared<'_>,
    program: &Program,
    input: &[Value],
    env: &mut Env,
) -> Eval {
    let input = fit(program, input.to_vec())
        .map_err(|refused| Box::<Stop>::from(Why::NotModelled(refused.message)))?;
    for (Param { var, .. }, value) in program.params.iter().zip(input) {
        match value {
            Value::Scalar(Scalar::I32(k)) => env.set_int(*var, k),
            Value::Array { cells: Cells::I32(data), .. } => {
                let label = shared.alloc(*var, data.len() as i64, &Path::default())?;
                shared.cells(label).copy_from_slice(&data);
                shared.wrote_all(label);
                shared.state.tells(|tap, _| tap.passes(label.0, true));
                env.set_block(*var, Some(label));
            }
            other => unreachable!("the input fits, and is not {other}"),
        }
    }
    Ok(())
}

/// The outcome of a run whose body ended like this.
pub(super) fn outcome(
    memory: &mut Memory,
    mut shared: Shared<'_>,
    program: &Program,
    env: &Env,
    body: Eval,
) -> Outcome {
    let results =
        body.and_then(|()| program.results.iter().map(|r| shared.e_imp_result(r, env)).collect());
    shared.end(memory, results)
}

impl Shared<'_> {
    /// `E-IMP-RESULT`
    ///
    /// ```text
    /// E(m) = ℓ                                                     (block)
    /// E(zᵢ) = kᵢ ≥ 0                                               (size)
    /// E(se + ∑ (yᵢ - 1) · sᵢ) is inside H(ℓ) for all 1 ≤ yᵢ ≤ kᵢ   (division, inside)
    /// ───────────────────────────────────────────────────────────────────────────────
    /// H; E ⊢ m : [z̄] @ se + {(z : s)⋯} is the array of those cells, row-major
    /// ```
    fn e_imp_result(&mut self, output: &Output, env: &Env) -> Eval<Value> {
        let path = Path::default();
        let span = Span::default();
        let rule = Rule::EResult;
        self.state.recorder.enter(rule, || "a result".to_owned());
        let value = match output {
            Output::Int(atom) => Value::from(env.atom(*atom)),
            Output::Array { block, shape, offset, strides } => {
                let Some(label) = env.block(*block) else {
                    return Err(self.stuck(rule, span, Cause::NoBlock, &[], &path));
                };
                self.state.tells(|tap, _| tap.passes(label.0, false));
                let sizes = self.sizes(shape, env, &path)?;
                let offset = self.exact(rule, span, offset, env, &path)?;
                let mut dims = Vec::with_capacity(sizes.len());
                for (&size, stride) in sizes.iter().zip(strides) {
                    let stride = self.exact(rule, span, stride, env, &path)?;
                    dims.push(Dim { extent: size as i64, stride });
                }
                let data = self.gather(label, &Lmad::new(offset, dims), &path)?;
                Value::ints(sizes, data)
            }
        };
        self.state.recorder.leave(|| "observed".to_owned());
        Ok(value)
    }

    fn sizes(&mut self, shape: &[Atom], env: &Env, path: &Path) -> Eval<Vec<usize>> {
        let mut sizes = Vec::new();
        for &size in shape {
            let size = self.exact(Rule::EResult, Span::default(), &Se::Atom(size), env, path)?;
            if !holds(Cause::NegativeSize, &[size]) {
                let span = Span::default();
                let cause = Cause::NegativeSize;
                return Err(self.stuck(Rule::EResult, span, cause, &[size], path));
            }
            sizes.push(size as usize);
        }
        Ok(sizes)
    }

    /// The cells at the addresses of the index function, row-major.
    fn gather(&mut self, label: Label, lmad: &Lmad, path: &Path) -> Eval<Vec<i32>> {
        let elements = self.observe(lmad.elements())?;
        self.charge(elements as u64)?;
        let mut data = Vec::with_capacity(elements);
        let cells = self.cells(label);
        let length = cells.len();
        if lmad.fits(length) {
            lmad.rows(|row| row.gather(cells, &mut data));
            if self.watches() {
                lmad.rows(|row| {
                    row.places().for_each(|at| self.looks(Span::default(), label, at, path));
                });
            }
            return Ok(data);
        }
        let inside = |at: i128| 0 <= at && at < length as i128;
        let outside = lmad.pairs(lmad, |at, _| if inside(at) { Ok(()) } else { Err(at) });
        let at = outside.expect_err("it does not fit");
        let operands = [clamp(at), length as i64];
        Err(self.stuck(Rule::EResult, Span::default(), Cause::OutsideBlock, &operands, path))
    }
}
