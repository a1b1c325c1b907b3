//! The initial environment of a program, from its input, and what is observed at its end.

use super::rules::Rule;
use super::syntax::{Output, Param, Program};
use super::values::{Env, Halt, Path, Run, Shared};
use crate::fun::eval::scalar::clamp;
use crate::fun::syntax::{Atom, Se};
use crate::funmem::memory::{Dim, Lmad};
use crate::kit::heap::Label;
use crate::kit::outcome::{Cause, Ending, Outcome, Stats, Value, Why, holds};
use crate::kit::text::{Rejected, Span, counted};

/// Does the input fit the parameters? Gives it back with the sizes of empty arrays as the
/// parameters want them.
///
/// # Errors
/// Too many values or too few, or one of another type or size.
pub fn fit(program: &Program, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
    let refuse = |message: String| Err(Rejected::new(Span::default(), message, "the program"));
    if input.len() != program.params.len() {
        let (want, have) = (program.params.len(), input.len());
        let (want, have) = (counted(want, "parameter"), counted(have, "input value"));
        return refuse(format!("{have} for {want}"));
    }
    let mut env = Env::new(&program.names);
    let mut fitting = Vec::new();
    for (param, value) in program.params.iter().zip(input) {
        let name = program.names.text(param.var);
        match (&param.shape, value) {
            (None, Value::Int(k)) => {
                env.set_int(param.var, k);
                fitting.push(Value::Int(k));
            }
            (None, Value::Array { .. }) => {
                return refuse(format!("parameter `{name}` wants an int, not an array"));
            }
            (Some(_), Value::Int(_)) => {
                return refuse(format!("parameter `{name}` wants an array, not an int"));
            }
            (Some(sizes), Value::Array { shape, data }) => {
                let want: Vec<i32> = sizes.iter().map(|&size| env.atom(size)).collect();
                let exact = want.len() == shape.len()
                    && want.iter().zip(&shape).all(|(&want, &have)| want as usize == have);
                // `[]` has no inner sizes of its own.
                let empty = want.len() >= shape.len() && data.is_empty() && want.contains(&0);
                if want.iter().any(|&size| size < 0) || !(exact || empty) {
                    let (want, have) = (extents(&want), extents(&shape));
                    return refuse(format!("parameter `{name}` wants {want}, not {have}"));
                }
                let shape = want.iter().map(|&size| size as usize).collect();
                fitting.push(Value::Array { shape, data });
            }
        }
    }
    Ok(fitting)
}

/// `[2][3]`
fn extents<T: std::fmt::Display>(sizes: &[T]) -> String {
    sizes.iter().map(|size| format!("[{size}]")).collect()
}

/// The environment and heap in which the body starts.
pub(super) fn start(
    shared: &mut Shared<'_>,
    program: &Program,
    input: &[Value],
    env: &mut Env,
) -> Run<()> {
    let input = fit(program, input.to_vec())
        .map_err(|refused| Box::<Halt>::from(Why::NotModelled(refused.message)))?;
    for (Param { var, .. }, value) in program.params.iter().zip(input) {
        match value {
            Value::Int(k) => env.set_int(*var, k),
            Value::Array { data, .. } => {
                let label = shared.alloc(*var, data.len() as i64, &Path::default())?;
                shared.cells(label).copy_from_slice(&data);
                env.set_block(*var, Some(label));
            }
        }
    }
    Ok(())
}

/// The outcome of a run whose body ended like this.
pub(super) fn outcome(
    mut shared: Shared<'_>,
    program: &Program,
    env: &Env,
    body: Run<()>,
) -> Outcome {
    let results =
        body.and_then(|()| program.results.iter().map(|r| shared.e_imp_result(r, env)).collect());
    let ending = match results {
        Ok(values) => Ending::Value(values),
        Err(halt) => match *halt {
            Halt::Stuck(stuck) => Ending::Stuck(stuck),
            Halt::Unknown(why) => Ending::Unknown(why),
        },
    };
    let stats = Stats { elements: shared.peak(), ..shared.stats };
    Outcome { ending, races: shared.races, stats }
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
    fn e_imp_result(&mut self, output: &Output, env: &Env) -> Run<Value> {
        let path = Path::default();
        let span = Span::default();
        let rule = Rule::EResult;
        self.recorder.enter(rule, || "a result".to_owned());
        let value = match output {
            Output::Int(atom) => Value::Int(env.atom(*atom)),
            Output::Array { block, shape, offset, strides } => {
                let Some(label) = env.block(*block) else {
                    return Err(self.stuck(rule, span, Cause::NoBlock, Vec::new(), &path));
                };
                let sizes = self.sizes(shape, env, &path)?;
                let offset = self.exact(rule, span, offset, env, &path)?;
                let mut dims = Vec::with_capacity(sizes.len());
                for (&size, stride) in sizes.iter().zip(strides) {
                    let stride = self.exact(rule, span, stride, env, &path)?;
                    dims.push(Dim { extent: size as i64, stride });
                }
                let data = self.gather(label, &Lmad::new(offset, dims), &path)?;
                Value::Array { shape: sizes, data }
            }
        };
        self.recorder.leave(|| "observed".to_owned());
        Ok(value)
    }

    fn sizes(&mut self, shape: &[Atom], env: &Env, path: &Path) -> Run<Vec<usize>> {
        let mut sizes = Vec::new();
        for &size in shape {
            let size = self.exact(Rule::EResult, Span::default(), &Se::Atom(size), env, path)?;
            if !holds(Cause::NegativeSize, &[size]) {
                let span = Span::default();
                let cause = Cause::NegativeSize;
                return Err(self.stuck(Rule::EResult, span, cause, vec![size], path));
            }
            sizes.push(size as usize);
        }
        Ok(sizes)
    }

    /// The cells at the addresses of the index function, row-major.
    fn gather(&mut self, label: Label, lmad: &Lmad, path: &Path) -> Run<Vec<i32>> {
        let mut data = Vec::with_capacity(self.admit(lmad.elements())?);
        let cells = self.cells(label);
        let length = cells.len();
        if lmad.fits(length) {
            lmad.rows(|row| row.gather(cells, &mut data));
            return Ok(data);
        }
        let inside = |at: i128| 0 <= at && at < length as i128;
        let outside = lmad.pairs(lmad, |at, _| if inside(at) { Ok(()) } else { Err(at) });
        let at = outside.expect_err("it does not fit");
        let operands = vec![clamp(at), length as i64];
        Err(self.stuck(Rule::EResult, Span::default(), Cause::OutsideBlock, operands, path))
    }
}
