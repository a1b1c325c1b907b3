//! Fewer parameters, smaller sizes, plainer data.

use super::Shrinking;
use super::dialect::Shrinks;
use super::remove::stand_in;
use super::{Stand, walk};
use reference::fun::syntax::{Atom, Binding, Program};
use reference::kit::outcome::Value;
use std::collections::HashMap;

impl<D: Shrinks> Shrinking<'_, D> {
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
            Value::Int(k) => {
                let with = HashMap::from([(param.var, Atom::Const(k))]);
                walk::substitute(&mut program, &with);
                self.attempt(program, input)
            }
            Value::Array { .. } => {
                let mut plain = program.clone();
                stand_in(&mut program, &[], 0, vec![param.clone()], Stand::Last);
                if self.attempt(program, input.clone()) {
                    return true;
                }
                stand_in(&mut plain, &[], 0, vec![param], Stand::Plain);
                self.attempt(plain, input)
            }
        }
    }

    /// Smaller values of int parameters, and smaller constants, everywhere at once; the input
    /// keeps the corner of each array that is left.
    pub(super) fn reduce_sizes(&mut self) {
        let mut at = 0;
        while at < self.input.len() {
            if let Value::Int(k) = self.input[at] {
                for smaller in smaller(k) {
                    let mut input = self.input.clone();
                    input[at] = Value::Int(smaller);
                    if self.attempt(self.program.clone(), input) {
                        break;
                    }
                }
            }
            at += 1;
        }
        let mut constants = Vec::new();
        walk::each_atom(&self.program, &mut |atom| {
            if let Atom::Const(k) = atom {
                constants.push(k);
            }
        });
        constants.sort_unstable_by_key(|k| std::cmp::Reverse(k.unsigned_abs()));
        constants.dedup();
        for k in constants {
            for smaller in smaller(k) {
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

    /// Data that is plainer: all 1, all 0, the numbers from 1 on.
    pub(super) fn simplify_data(&mut self) {
        for at in 0..self.input.len() {
            for plain in [|_| 1, |_| 0, |k: usize| k as i32 + 1] {
                let mut input = self.input.clone();
                let Value::Array { data, .. } = &mut input[at] else { continue };
                for (k, value) in data.iter_mut().enumerate() {
                    *value = plain(k);
                }
                if self.attempt(self.program.clone(), input) {
                    break;
                }
            }
            self.simplify_elements(at);
        }
    }

    fn simplify_elements(&mut self, at: usize) {
        let length = match &self.input[at] {
            Value::Array { data, .. } if data.len() <= 32 => data.len(),
            _ => return,
        };
        for k in 0..length {
            for plain in [1, 0, 2, -1] {
                let mut input = self.input.clone();
                let Value::Array { data, .. } = &mut input[at] else { return };
                if super::digits(data[k]) <= super::digits(plain) {
                    continue;
                }
                data[k] = plain;
                if self.attempt(self.program.clone(), input) {
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
    taking
        .zip(input)
        .filter_map(|(param, value)| match value {
            Value::Int(k) => Some((param.var, *k)),
            Value::Array { .. } => None,
        })
        .collect()
}

fn extent(dim: Atom, known: &HashMap<reference::kit::names::Var, i32>) -> Option<usize> {
    let k = match dim {
        Atom::Const(k) => k,
        Atom::Var(var) => *known.get(&var)?,
    };
    usize::try_from(k).ok()
}

/// Brings each array of the input to the sizes of its parameter: what is too much goes, what is
/// missing is made up of numbers that differ. `None` if a size is negative, or not known, or makes
/// too many elements.
pub(super) fn resize<D: Shrinks>(program: &Program<D>, input: &mut Vec<Value>) -> Option<()> {
    let known = known_ints::<D>(program, input);
    let taking = program.params.iter().filter(|param| D::takes_input(&param.ty));
    for (at, param) in taking.enumerate() {
        let Some(dims) = D::shape(&param.ty) else { continue };
        let wanted: Vec<usize> =
            dims.iter().map(|dim| extent(*dim, &known)).collect::<Option<_>>()?;
        let none = Value::Array { shape: vec![0; wanted.len()], data: Vec::new() };
        if at == input.len() {
            input.push(none);
        }
        let Value::Array { shape, data } = input.get_mut(at)? else { return None };
        if wanted == *shape {
            continue;
        }
        let elements = wanted.iter().try_fold(1usize, |n, k| n.checked_mul(*k))?;
        if elements > MOST_ELEMENTS || wanted.len() != shape.len() {
            return None;
        }
        let mut kept = Vec::with_capacity(elements);
        for at in 0..elements {
            let (mut rest, mut from, mut step, mut inside) = (at, 0, 1, true);
            for (wanted, old) in wanted.iter().zip(shape.iter()).rev() {
                let index = rest % wanted;
                rest /= wanted;
                inside &= index < *old;
                from += index * step;
                step *= old;
            }
            kept.push(if inside { data[from] } else { at as i32 * 7 + 2 });
        }
        *shape = wanted;
        *data = kept;
    }
    Some(())
}

/// Most elements of an array of an input that the shrinker makes.
const MOST_ELEMENTS: usize = 1 << 16;

/// Numbers that are tried in the place of `k`, the simplest first.
fn smaller(k: i32) -> Vec<i32> {
    let mut tries = vec![1, 0, 2, 3, k / 2, k.saturating_sub(1)];
    if k < 0 {
        tries.extend([-1, -2, k.saturating_add(1)]);
    }
    tries.retain(|other| {
        super::digits(*other) < super::digits(k) || (0 <= *other && *other < k && k > 1)
    });
    tries.dedup();
    tries
}
