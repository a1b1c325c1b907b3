//! Fewer parameters, smaller sizes, plainer data.

use super::super::Shrinking;
use super::super::{data, numbers};
use super::dialect::Shrinks;
use super::remove::Placeholder;
use super::remove::put_placeholders;
use super::walk;
use reference::fun::syntax::{Atom, Binding, Program};
use reference::kit::outcome::{Scalar, Value};
use reference::kit::value::ScalarType;
use std::collections::HashMap;

impl<D: Shrinks> Shrinking<'_, Program<D>> {
    /// Parameters become constants or other arrays.
    pub(super) fn cut_parameters(&mut self) {
        let mut at = self.program.params.len();
        while at > 0 {
            at -= 1;
            if at < self.program.params.len() {
                self.cut_parameter(at);
            }
        }
    }

    fn cut_parameter(&mut self, at: usize) -> bool {
        let mut program = self.program.clone();
        let mut input = self.input.clone();
        let param = program.params.remove(at);
        if !D::takes_input(&param.ty) {
            return false;
        }
        let place = place_of::<D>(&self.program.params, at);
        let value = input.remove(place);
        match value {
            Value::Scalar(Scalar::I32(k)) => {
                let with = HashMap::from([(param.var, Atom::Const(k))]);
                walk::substitute(&mut program, &with);
                self.attempt(program, input)
            }
            Value::Array { .. } => {
                let mut plain = program.clone();
                put_placeholders(&mut program, &[], 0, vec![param.clone()], Placeholder::Last);
                if self.attempt(program, input.clone()) {
                    return true;
                }
                put_placeholders(&mut plain, &[], 0, vec![param], Placeholder::Plain);
                self.attempt(plain, input)
            }
            _ => false,
        }
    }

    /// Smaller values of int parameters, and smaller constants, everywhere at once; the input
    /// keeps the corner of each array that is left.
    pub(super) fn reduce_sizes(&mut self) {
        self.reduce_scalars();
        let mut constants = Vec::new();
        walk::each_atom(&self.program, &mut |atom| {
            if let Atom::Const(k) = atom {
                constants.push(k);
            }
        });
        constants.sort_unstable_by_key(|k| std::cmp::Reverse(k.unsigned_abs()));
        constants.dedup();
        for k in constants {
            for smaller in numbers::smaller_i32(k) {
                let mut program = self.program.clone();
                walk::atoms(&mut program, &mut |atom| {
                    if *atom == Atom::Const(k) {
                        *atom = Atom::Const(smaller);
                    }
                });
                if self.attempt(program, self.input.clone()) {
                    break;
                }
            }
        }
    }
}

/// The place of a parameter's value in the input.
fn place_of<D: Shrinks>(params: &[Binding<D>], at: usize) -> usize {
    params[..at].iter().filter(|param| D::takes_input(&param.ty)).count()
}

/// Values of the int parameters.
fn known_ints<D: Shrinks>(
    program: &Program<D>,
    input: &[Value],
) -> HashMap<reference::kit::names::Var, i32> {
    let taking = program.params.iter().filter(|param| D::takes_input(&param.ty));
    taking.zip(input).filter_map(|(param, value)| Some((param.var, value.as_int()?))).collect()
}

fn extent(dim: Atom, known: &HashMap<reference::kit::names::Var, i32>) -> Option<usize> {
    let k = match dim {
        Atom::Const(k) => k,
        Atom::Var(var) => *known.get(&var)?,
    };
    usize::try_from(k).ok()
}

/// Brings each array of the input to the sizes of its parameter. `None` if a size is negative, or
/// not known, or makes too many elements.
pub(super) fn resize<D: Shrinks>(program: &Program<D>, input: &mut Vec<Value>) -> Option<()> {
    let known = known_ints::<D>(program, input);
    let taking = program.params.iter().filter(|param| D::takes_input(&param.ty));
    for (at, param) in taking.enumerate() {
        let Some(dims) = D::shape(&param.ty) else { continue };
        let wanted = dims.iter().map(|dim| extent(*dim, &known)).collect::<Option<_>>()?;
        data::resize(input, at, ScalarType::I32, wanted)?;
    }
    Some(())
}
