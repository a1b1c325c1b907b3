//! Other inputs for a program.

use super::typed::INTERESTING;
use crate::generate::Draw;
use crate::language::Artifact;
use crate::shrink;
use reference::kit::outcome::{Scalar, Value};

/// Sizes that arrays of an input may get.
const SIZES: [i32; 12] = [0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 65, 33];

/// Changes values of the input, up to three, and brings arrays to the sizes that the program then wants. The
/// input stays as it is where that cannot be.
pub(super) fn changed(program: &Artifact, input: &[Value], draw: &mut Draw<'_, '_>) -> Vec<Value> {
    let mut new = input.to_vec();
    if !new.is_empty() {
        for _ in 0..1 + draw.below(3) {
            let at = draw.below(new.len());
            change(&mut new[at], draw);
        }
    }
    shrink::fitted(program, new).unwrap_or_else(|| input.to_vec())
}

fn change(value: &mut Value, draw: &mut Draw<'_, '_>) {
    match value {
        Value::Scalar(scalar) => {
            let k = match draw.chance(70) {
                true => draw.pick(&SIZES),
                false => draw.pick(&INTERESTING) as i32,
            };
            *scalar = Scalar::of(scalar.ty(), k);
        }
        Value::Array { cells, .. } => {
            let ty = cells.ty();
            let one = draw.below(cells.len());
            let k = draw.pick(&INTERESTING) as i32;
            let all = draw.chance(30);
            *cells = cells.map(|at, cell| match (at == one, all) {
                (true, false) => Scalar::of(ty, k),
                (_, true) => Scalar::of(ty, (at as i32).wrapping_mul(k | 1) & 7),
                _ => cell,
            });
        }
        Value::Tuple(parts) | Value::List(parts) => {
            if !parts.is_empty() {
                let at = draw.below(parts.len());
                change(&mut parts[at], draw);
            }
        }
        Value::Opaque(_) => {}
    }
}
