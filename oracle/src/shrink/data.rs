//! Plainer values of the input, whatever language the program is of.

use super::{Shrinking, Subject, numbers};
use reference::kit::outcome::Value;

impl<P: Subject> Shrinking<'_, P> {
    /// Smaller values of int parameters.
    pub(super) fn reduce_ints(&mut self) {
        let mut at = 0;
        while at < self.input.len() {
            if let Value::Int(k) = self.input[at] {
                for smaller in numbers::smaller_i32(k) {
                    let mut input = self.input.clone();
                    input[at] = Value::Int(smaller);
                    if self.attempt(self.program.clone(), input) {
                        break;
                    }
                }
            }
            at += 1;
        }
    }

    /// Data that is plainer: all 1, all 0, the numbers from 1 on.
    pub(super) fn simplify_data(&mut self) {
        let mut at = 0;
        while at < self.input.len() {
            for plain in [|_| 1, |_| 0, |k: usize| k as i32 + 1] {
                let mut input = self.input.clone();
                let Some(Value::Array { data, .. }) = input.get_mut(at) else { break };
                for (k, value) in data.iter_mut().enumerate() {
                    *value = plain(k);
                }
                if self.attempt(self.program.clone(), input) {
                    break;
                }
            }
            self.simplify_elements(at);
            at += 1;
        }
    }

    fn simplify_elements(&mut self, at: usize) {
        let length = match self.input.get(at) {
            Some(Value::Array { data, .. }) if data.len() <= 32 => data.len(),
            _ => return,
        };
        for k in 0..length {
            for plain in [1, 0, 2, -1] {
                let mut input = self.input.clone();
                let Some(Value::Array { data, .. }) = input.get_mut(at) else { return };
                let Some(element) = data.get_mut(k) else { return };
                if numbers::digits((*element).into()) <= numbers::digits(plain.into()) {
                    continue;
                }
                *element = plain;
                if self.attempt(self.program.clone(), input) {
                    break;
                }
            }
        }
    }
}

/// Brings the value at a place of the input to a shape, or makes one there if it is the place behind
/// the last: what is too much goes, what is missing is made up of numbers that differ. `None` if it
/// makes too many elements, or the value has not as many dimensions.
pub(super) fn resize(input: &mut Vec<Value>, at: usize, wanted: Vec<usize>) -> Option<()> {
    let none = Value::Array { shape: vec![0; wanted.len()], data: Vec::new() };
    if at == input.len() {
        input.push(none);
    }
    let Value::Array { shape, data } = input.get_mut(at)? else { return None };
    if wanted == *shape {
        return Some(());
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
    Some(())
}

/// Most elements of an array of an input that the shrinker makes.
const MOST_ELEMENTS: usize = 1 << 16;
