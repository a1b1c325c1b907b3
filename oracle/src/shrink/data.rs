//! Plainer values of the input, whatever language the program is of.

use super::{Shrinking, Subject, numbers};
use reference::kit::outcome::{Cells, Scalar, Value};
use reference::kit::value::ScalarType;

impl<P: Subject> Shrinking<'_, P> {
    /// Smaller values of scalar parameters.
    pub(super) fn reduce_scalars(&mut self) {
        let mut at = 0;
        while at < self.input.len() {
            if let Value::Scalar(scalar) = self.input[at] {
                for plainer in numbers::plainer(scalar) {
                    let mut input = self.input.clone();
                    input[at] = Value::Scalar(plainer);
                    if self.attempt(self.program.clone(), input) {
                        break;
                    }
                }
            }
            at += 1;
        }
    }

    /// Data that is plainer: all 1, all 0, the numbers from 1 on; fewer and plainer parts of tuples
    /// and lists.
    pub(super) fn simplify_data(&mut self) {
        let mut at = 0;
        while at < self.input.len() {
            for plain in [|_| 1, |_| 0, |k: usize| k as i32 + 1] {
                let mut input = self.input.clone();
                let Some(Value::Array { cells, .. }) = input.get_mut(at) else { break };
                let ty = cells.ty();
                *cells = cells.map(|k, _| Scalar::of(ty, plain(k)));
                if self.attempt(self.program.clone(), input) {
                    break;
                }
            }
            self.simplify_elements(at);
            self.simplify_parts(at);
            at += 1;
        }
    }

    fn simplify_elements(&mut self, at: usize) {
        let length = match self.input.get(at) {
            Some(Value::Array { cells, .. }) if cells.len() <= 32 => cells.len(),
            _ => return,
        };
        for k in 0..length {
            for plain in [1, 0, 2, -1] {
                let mut input = self.input.clone();
                let Some(Value::Array { cells, .. }) = input.get_mut(at) else { return };
                let plain = Scalar::of(cells.ty(), plain);
                let Some(element) = cells.get(k) else { return };
                if numbers::weight(element) <= numbers::weight(plain) {
                    continue;
                }
                *cells = cells.map(|at, cell| if at == k { plain } else { cell });
                if self.attempt(self.program.clone(), input) {
                    break;
                }
            }
        }
    }

    /// Takes one simpler value after another as long as one will do.
    fn simplify_parts(&mut self, at: usize) {
        'again: while let Some(value @ (Value::Tuple(_) | Value::List(_))) = self.input.get(at) {
            for simpler in simpler(&value.clone()) {
                let mut input = self.input.clone();
                input[at] = simpler;
                if self.attempt(self.program.clone(), input) {
                    continue 'again;
                }
            }
            return;
        }
    }
}

/// How much a value weighs in the measure of what is shrunk.
pub(super) fn weight(value: &Value) -> u64 {
    match value {
        Value::Scalar(scalar) => 1 + numbers::weight(*scalar),
        Value::Array { cells, .. } => {
            cells.iter().map(|cell| 1 + numbers::weight(cell).min(4)).sum()
        }
        Value::Tuple(parts) | Value::List(parts) => 1 + parts.iter().map(weight).sum::<u64>(),
        Value::Opaque(_) => 1,
    }
}

/// Values of the same type that weigh less, the simplest first: lists with fewer parts, and one part
/// simpler than it is.
fn simpler(value: &Value) -> Vec<Value> {
    let one_simpler = |parts: &[Value]| -> Vec<Vec<Value>> {
        let each = parts
            .iter()
            .enumerate()
            .flat_map(|(at, part)| simpler(part).into_iter().map(move |simpler| (at, simpler)));
        each.map(|(at, simpler)| {
            let mut parts = parts.to_vec();
            parts[at] = simpler;
            parts
        })
        .collect()
    };
    let all = match value {
        Value::Scalar(scalar) => numbers::plainer(*scalar).into_iter().map(Value::Scalar).collect(),
        Value::Array { shape, cells } => {
            let zeros = cells.map(|_, cell| Scalar::of(cell.ty(), 0));
            let ones = cells.map(|_, cell| Scalar::of(cell.ty(), 1));
            [ones, zeros].map(|cells| Value::Array { shape: shape.clone(), cells }).to_vec()
        }
        Value::Tuple(parts) => one_simpler(parts).into_iter().map(Value::Tuple).collect(),
        Value::List(parts) => {
            let without = |at| {
                let mut parts = parts.clone();
                parts.remove(at);
                parts
            };
            let fewer = [Vec::new(), parts[..parts.len() / 2].to_vec()].into_iter();
            let fewer = fewer.chain((0..parts.len()).map(without));
            fewer.chain(one_simpler(parts)).map(Value::List).collect()
        }
        Value::Opaque(_) => Vec::new(),
    };
    let weighs = weight(value);
    all.into_iter().filter(|simpler| weight(simpler) < weighs).collect()
}

/// Brings the value at a place of the input to a shape, or makes one there if it is the place behind
/// the last: what is too much goes, what is missing is made up of numbers that differ. `None` if it
/// makes too many elements, or the value is no array of this type, or has not as many dimensions.
pub(super) fn resize(
    input: &mut Vec<Value>,
    at: usize,
    ty: ScalarType,
    wanted: Vec<usize>,
) -> Option<()> {
    if at == input.len() {
        input.push(Value::Array { shape: vec![0; wanted.len()], cells: Cells::none(ty) });
    }
    let Value::Array { shape, cells } = input.get_mut(at)? else { return None };
    // `[]` is empty in any dimensions, of any type.
    if cells.is_empty() {
        (*shape, *cells) = (vec![0; wanted.len()], Cells::none(ty));
    }
    if cells.ty() != ty {
        return None;
    }
    if wanted == *shape {
        return Some(());
    }
    let elements = wanted.iter().try_fold(1usize, |n, k| n.checked_mul(*k))?;
    if elements > MOST_ELEMENTS || wanted.len() != shape.len() {
        return None;
    }
    let mut kept = Cells::none(cells.ty());
    for at in 0..elements {
        let (mut rest, mut from, mut step, mut inside) = (at, 0, 1, true);
        for (wanted, old) in wanted.iter().zip(shape.iter()).rev() {
            let index = rest % wanted;
            rest /= wanted;
            inside &= index < *old;
            from += index * step;
            step *= old;
        }
        let made_up = Scalar::of(cells.ty(), at as i32 * 7 + 2);
        let cell = if inside { cells.get(from)? } else { made_up };
        kept.push(cell).ok()?;
    }
    *shape = wanted;
    *cells = kept;
    Some(())
}

/// Most elements of an array of an input that the shrinker makes.
const MOST_ELEMENTS: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;
    use reference::kit::value::parse_values;

    /// Always the first simpler value that still has a 7 in it.
    fn shrunk(text: &str) -> String {
        let mut value = parse_values(text).expect("it parses").remove(0);
        let seven = |value: &Value| value.to_string().contains('7');
        while let Some(next) = simpler(&value).into_iter().find(seven) {
            assert!(weight(&next) < weight(&value), "{next} is no simpler than {value}");
            value = next;
        }
        value.to_string()
    }

    #[test]
    fn tuples_and_lists_lose_what_does_not_matter() {
        assert_eq!(shrunk("{[1, 2], [7, 9], [3]}"), "{[7, 9]}");
        assert_eq!(
            shrunk("(true, 5i64, {(7u32, 2.5), (8u32, 1.0)})"),
            "(false, 1i64, {(7u32, 1.0)})"
        );
        assert_eq!(shrunk("{{1}, {2, 7}, {}}"), "{{7}}");
    }
}
