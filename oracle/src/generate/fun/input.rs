//! Parameters and the values that a program is run with.

use super::builder::Builder;
use super::types::{Array, Range, Shape};
use reference::fun::syntax::{Atom, Binding, Fun, Ty};
use reference::kit::outcome::Value;

/// Values of int parameters: mostly sizes.
const INTS: [i64; 16] = [3, 2, 4, 5, 1, 7, 8, 6, 9, 13, 16, 17, 31, 33, 15, 11];

impl Builder<'_, '_> {
    /// Makes the parameters and their values.
    pub(super) fn parameters(&mut self) -> (Vec<Binding<Fun>>, Vec<Value>) {
        let (mut params, mut input) = (Vec::new(), Vec::new());
        let ints = 1 + self.draw.weighed(&[4, 5, 2]);
        let empty =
            if self.draw.chance(self.weights.empty) { Some(self.draw.below(ints)) } else { None };
        for at in 0..ints {
            let value = match empty {
                Some(place) if place == at => 0,
                _ => self.draw.pick(&INTS),
            };
            let var = self.fresh('n', Range::exactly(value), None);
            self.ints.push(var);
            params.push(Binding { var, ty: Ty::Int });
            input.push(Value::from(value as i32));
        }
        if self.draw.chance(self.weights.wide) {
            let threads: i64 = if self.draw.chance(self.weights.very_wide) {
                self.draw.pick(&[257, 300, 256, 258, 263, 320])
            } else {
                self.draw.pick(&[65, 127, 128, 129, 100, 67, 191, 255])
            };
            let as_parameter = self.draw.chance(60);
            self.wide = Some(if as_parameter {
                let var = self.fresh('w', Range::exactly(threads), None);
                self.ints.push(var);
                params.push(Binding { var, ty: Ty::Int });
                input.push(Value::from(threads as i32));
                var.into()
            } else {
                Atom::Const(threads as i32)
            });
        }
        for _ in 0..1 + self.draw.weighed(&[4, 4, 1]) {
            let shape = self.parameter_shape();
            let extents: Vec<usize> =
                shape.dims().iter().map(|dim| self.range(*dim).lo as usize).collect();
            let elements = extents.iter().product();
            let (values, data) = self.data(elements);
            let roots = self.fresh_root();
            let var = self.fresh('p', Range::FULL, None);
            params.push(Binding { var, ty: shape.ty() });
            input.push(Value::ints(extents, data));
            self.arrays.push(Array {
                var,
                shape,
                values,
                roots,
                joined: false,
                views: 0,
                alive: true,
                used: false,
            });
        }
        (params, input)
    }

    fn parameter_shape(&mut self) -> Shape {
        let rank = 1 + self.draw.weighed(&[5, 5, 2]);
        let mut dims = Vec::with_capacity(rank);
        let mut elements = 1;
        for at in 0..rank {
            let wide = self.wide.filter(|_| at == 0 && rank < 3);
            let dim = match (wide, self.draw.below(8)) {
                (Some(wide), 0..=3) => wide,
                (_, 7) => Atom::Const(self.draw.pick(&[3, 2, 1, 5, 4, 8])),
                _ => self.any_int().map_or(Atom::Const(2), Atom::from),
            };
            let extent = self.range(dim).hi.max(1);
            let fits = elements * extent <= 320;
            let dim = if fits { dim } else { Atom::Const(2) };
            elements *= self.range(dim).hi.max(1);
            dims.push(dim);
        }
        Shape::new(&dims)
    }

    /// So many elements: hashes, or small numbers that serve as indices, or corner cases.
    fn data(&mut self, elements: usize) -> (Range, Vec<i32>) {
        let seed = u64::from(self.draw.word());
        let hash = |at: usize| {
            let mut x = seed.wrapping_add((at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (x ^ (x >> 31)) as u32
        };
        match self.draw.weighed(&[7, 3, 2]) {
            1 => {
                let most = self.draw.pick(&[3, 2, 5, 8, 1]);
                let data = (0..elements).map(|at| 1 + (hash(at) % most) as i32).collect();
                (Range::new(1, most.into()), data)
            }
            2 => {
                const CORNERS: [i32; 8] = [i32::MIN, i32::MAX, -1, 0, 1, 31, 32, -2];
                let data = (0..elements).map(|at| CORNERS[hash(at) as usize % 8]).collect();
                (Range::FULL, data)
            }
            _ => (Range::FULL, (0..elements).map(|at| hash(at) as i32).collect()),
        }
    }
}
