//! Values for the parameters of a program over named axes.

use super::Draw;
use reference::axes::syntax::{Kind, Program};
use reference::kit::outcome::Value;

/// Numbers that are easy to get wrong.
const EDGES: [i32; 6] = [0, -1, i32::MAX, i32::MIN, 1, 1 << 30];

/// One value for each parameter.
pub(super) fn drawn(program: &Program, draw: &mut Draw<'_, '_>) -> Vec<Value> {
    let mut number = |nth: usize| match draw.weighed(&[40, 40, 20]) {
        0 => nth as i32 + 1,
        1 => draw.between(-9, 9) as i32,
        _ => draw.pick(&EDGES),
    };
    let mut value = |kind: &Kind| match kind {
        Kind::Int(Some(k)) => Value::from(*k),
        Kind::Int(None) => Value::from(number(0)),
        Kind::Array(sizes) => {
            let shape: Vec<usize> = sizes.iter().map(|size| *size as usize).collect();
            let cells = (0..shape.iter().product()).map(&mut number).collect();
            Value::ints(shape, cells)
        }
    };
    let kinds: Vec<&Kind> = program.params.iter().map(|param| &param.kind).collect();
    kinds.into_iter().map(&mut value).collect()
}
