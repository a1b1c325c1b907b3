//! The border of the program: parameters with their values, and results, each of any type.

use super::host::{Hosting, Other, Owned};
use super::values::largest;
use reference::device::host::border::scalar_type;
use reference::device::syntax::{
    Copy, Element, Exp, Host, Lit, Param, Sc, Shown, Size, Strided, Ty,
};
use reference::kit::names::Var;
use reference::kit::outcome::{Cells, Scalar, Value};
use reference::kit::scalar::BinOp;

/// Most blocks that are shown.
const MOST_RESULTS: usize = 4;

/// Floats that are open to a kernel, or whose sums are. The host moves them as they are.
const OPEN: [f32; 12] = [
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    -0.0,
    f32::MIN_POSITIVE,
    f32::MIN_POSITIVE / 2.0,
    f32::from_bits(1),
    -1.0e-40,
    f32::MAX,
    0.1,
    -16_777_217.0,
    0.333_333_34,
];

/// Who does something with the values of a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// Floats are those that kernels compute with.
    Kernels,
    /// Any floats.
    Host,
}

impl Hosting<'_, '_, '_> {
    pub(super) fn parameters(&mut self) {
        for _ in 0..1 + self.making.draw.below(2) {
            let var = self.making.fresh('n');
            let value = self.making.draw.pick(&[3, 1, 4, 7, 8, 13, 16, 2]);
            self.making.program.params.push(Param::scalar(var, Sc::I32));
            self.input.push(Value::from(value));
            self.ints.push((var, Some(value)));
        }
        for _ in 0..1 + self.making.draw.below(2) {
            let sc = self.type_at_the_border([6, 3, 2, 4, 4]);
            let owned = self.array(sc, Of::Kernels);
            self.blocks.push(owned);
        }
        if self.making.floats && self.making.draw.chance(60) {
            let owned = self.array(Sc::F32, Of::Host);
            self.open.push(owned);
            if self.making.draw.chance(50) {
                self.scalar_of(Sc::F32, Of::Host);
            }
        }
        // Behind the arrays: their sizes are the numbers that stand before.
        for _ in 0..self.making.draw.below(3) {
            let sc = self.type_at_the_border([1, 3, 3, 4, 4]);
            self.scalar_of(sc, Of::Kernels);
        }
    }

    /// A type by weights of i32, u32, bool, floats and i64, of which a program may not have the last two.
    fn type_at_the_border(&mut self, weights: [u32; 5]) -> Sc {
        match self.making.draw.weighed(&weights) {
            1 => Sc::U32,
            2 => Sc::Bool,
            3 if self.making.floats => self.making.float_type(),
            4 if self.making.wide => Sc::I64,
            _ => Sc::I32,
        }
    }

    /// A parameter that is an array.
    fn array(&mut self, sc: Sc, of: Of) -> Owned {
        let rank = 1 + self.making.draw.below(2);
        let (mut sizes, mut shape) = (Vec::new(), Vec::new());
        for _ in 0..rank {
            let of_int = self.making.draw.chance(60);
            let extent = match of_int {
                true => self.making.draw.pick(&self.ints),
                false => (Var(0), Some(1 + self.making.draw.below(9) as i32)),
            };
            let value = extent.1.unwrap_or(1);
            sizes.push(if of_int { Exp::Var(extent.0) } else { Exp::i32(value) });
            shape.push(value as usize);
        }
        let elements: usize = shape.iter().product();
        let cells = self.data(sc, of, elements);
        let block = self.making.fresh('a');
        self.making.program.params.push(Param::array(block, sc, sizes));
        self.input.push(Value::Array { shape, cells });
        Owned::new(block, Element::Plain(sc.inside()), elements as u32)
    }

    /// A parameter that is a scalar.
    fn scalar_of(&mut self, sc: Sc, of: Of) {
        let var = self.making.fresh('c');
        let value = self.data(sc, of, 1).get(0).expect("one was made");
        self.making.program.params.push(Param::scalar(var, sc));
        self.input.push(Value::Scalar(value));
        match value {
            Scalar::Bool(truth) => self.ints.push((var, Some(truth.into()))),
            // It is too large to reckon with.
            Scalar::I32(_) => self.ints.push((var, None)),
            _ => self.others.push(Other { var, sc, kept: of == Of::Kernels }),
        }
    }

    /// So many elements: hashes, or small numbers.
    pub(super) fn data(&mut self, sc: Sc, of: Of, elements: usize) -> Cells {
        let seed = self.making.draw.word();
        let small = self.making.draw.chance(40);
        let mut cells = Cells::none(scalar_type(sc));
        for at in 0..elements {
            let x = seed.wrapping_add(at as u32 + 1).wrapping_mul(0x9e37_79b9);
            let hash = (x ^ x >> 15).wrapping_mul(0x85eb_ca6b);
            let little = (hash >> 28) as i32 - 4;
            let cell = match sc {
                Sc::F32 if of == Of::Host => Scalar::F32(open(hash, small).into()),
                Sc::F32 => Scalar::F32((whole(sc, hash, small) as f32).into()),
                Sc::F64 => Scalar::F64(whole(sc, hash, small).into()),
                Sc::Bool => Scalar::Bool(hash >> 31 == 1),
                _ if small => Scalar::of(scalar_type(sc), little),
                Sc::I64 => Scalar::I64(i64::from(hash as i32).wrapping_mul(0x1_0000_0001)),
                Sc::I32 | Sc::U32 => Scalar::of(scalar_type(sc), hash as i32),
            };
            cells.push(cell).expect("they are of one type");
        }
        cells
    }

    /// Something is done with floats that no kernel sees.
    pub(super) fn move_open(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let from = self.making.draw.pick(&self.open);
        let Owned { block, element, length, .. } = from;
        match self.making.draw.below(3) {
            0 => {
                let (size, last) = (self.exactly(length as i32), length as i32 - 1);
                let to = self.making.fresh('m');
                self.say(Host::Alloc { block: to, element, size });
                let span = self.making.span();
                let side = |block, first, stride| Strided {
                    span,
                    block: Exp::Var(block),
                    offset: Exp::i32(first),
                    strides: vec![Exp::i32(stride)],
                };
                let sizes = vec![Size { span, exp: Exp::i32(length as i32) }];
                let (from, to_side) = (side(block, last, -1), side(to, 0, 1));
                self.say(Host::Copy(Box::new(Copy { sizes, from, to: to_side })));
                self.open.push(Owned::new(to, element, length));
            }
            1 => {
                let offset = Exp::i32(self.making.draw.below(length as usize) as i32);
                let floats = self.others.iter().filter(|other| other.sc == Sc::F32);
                let floats: Vec<Var> = floats.map(|other| other.var).collect();
                let value = match floats.is_empty() {
                    true => Exp::Lit(Lit::F32(self.making.draw.pick(&OPEN).to_bits())),
                    false => Exp::Var(self.making.draw.pick(&floats)),
                };
                self.say(Host::Write { block: Exp::Var(block), offset, value });
            }
            _ => {
                let offset = Exp::i32(self.making.draw.below(length as usize) as i32);
                let into = self.making.fresh('e');
                self.say(Host::Read { into, block: Exp::Var(block), offset });
                self.others.push(Other { var: into, sc: Sc::F32, kept: false });
            }
        }
    }

    /// The host computes with a number of another type than i32: every device has the same of it.
    pub(super) fn compute(&mut self) {
        if self.others.is_empty() {
            return;
        }
        let Other { var, sc, .. } = self.making.draw.pick(&self.others);
        let op = self.making.draw.pick(&[BinOp::Add, BinOp::Mul, BinOp::Sub, BinOp::Max]);
        let exp = Exp::bin(op, Exp::Var(var), self.making.literal(sc));
        let new = self.making.fresh('e');
        self.say(Host::Let(new, Ty::Scalar(sc), exp));
        // A float may be too large now for kernels.
        self.others.push(Other { var: new, sc, kept: !sc.is_float() });
    }

    /// What can be seen of the blocks and numbers, the latest first.
    pub(super) fn results(&mut self) {
        let blocks = self.blocks.iter().rev().take(MOST_RESULTS);
        let blocks: Vec<Owned> = blocks.chain(self.open.iter().rev().take(2)).copied().collect();
        for Owned { block, element, length, .. } in blocks {
            let length = length as i32;
            let (shape, offset, strides) = match self.making.draw.below(4) {
                0 => (vec![length], length - 1, vec![-1]),
                1 if length % 2 == 0 => (vec![2, length / 2], 0, vec![1, 2]),
                _ => (vec![length], 0, vec![1]),
            };
            let numbers = |list: Vec<i32>| list.into_iter().map(Exp::i32).collect();
            let shown = Shown::Array {
                sc: self.shown_as(element.sc(), 10),
                block: Exp::Var(block),
                shape: numbers(shape),
                offset: Exp::i32(offset),
                strides: numbers(strides),
            };
            self.making.program.results.push(shown.into());
        }
        if let Some((var, None)) = self.ints.last().copied() {
            let sc = self.shown_as(Sc::I32, 30);
            self.making.program.results.push(Shown::Scalar(sc, Exp::Var(var)).into());
        }
        for Other { var, sc, .. } in self.others.iter().rev().take(2) {
            self.making.program.results.push(Shown::Scalar(*sc, Exp::Var(*var)).into());
        }
        self.nested();
    }

    /// The type of a result that is of this one in the program: of i32 so many percent are bools.
    fn shown_as(&mut self, sc: Sc, bools: u32) -> Sc {
        if sc == Sc::I32 && self.making.draw.chance(bools) { Sc::Bool } else { sc }
    }
}

/// A float of any bits, or one of [`OPEN`].
fn open(hash: u32, small: bool) -> f32 {
    if small { OPEN[hash as usize % OPEN.len()] } else { f32::from_bits(hash) }
}

/// A float that kernels compute with exactly: a whole number of at most the largest, or -0.
fn whole(sc: Sc, hash: u32, small: bool) -> f64 {
    let k = if small { hash % 9 } else { hash % (2 * largest(sc) as u32 + 1) };
    let x = f64::from(k / 2);
    if hash >> 31 == 1 { -x } else { x }
}
