//! Expressions.

use super::scope::Making;
use reference::device::syntax::{BOOL, Exp, Lit, Sc, Ty, UnOp, Wide};
use reference::kit::scalar::BinOp;

/// The largest float of a type that is kept: products of two and sums of a few of them are exact. Numbers of both words
/// of an f64 are among them.
pub(super) const fn largest(sc: Sc) -> i32 {
    if matches!(sc, Sc::F64) { 1 << 25 } else { 1 << 10 }
}

/// Literals of i32 that are corners.
const CORNERS: [i32; 12] = [0, 1, -1, 2, 3, 7, 31, 32, i32::MAX, i32::MIN, 65_535, -2];

/// Operators of integers that go from two of a type to one.
const ARITHMETIC: [BinOp; 8] =
    [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Xor, BinOp::And, BinOp::Or, BinOp::Min, BinOp::Max];

const COMPARISONS: [BinOp; 6] = [BinOp::Lt, BinOp::Eq, BinOp::Le, BinOp::Ne, BinOp::Gt, BinOp::Ge];

impl Making<'_, '_> {
    /// A value of a type that variables have; its parts are nested so deep.
    pub(super) fn value(&mut self, ty: &Ty, depth: u32) -> Exp {
        match ty {
            Ty::Scalar(sc) => self.scalar(*sc, depth),
            Ty::Vector(sc, n) => self.vector_of(*sc, *n, depth),
            Ty::Block(element) => match self.input_block(element.sc(), depth) {
                Some(block) => block,
                // Where there is none, none is asked for.
                None => Exp::block(*element, Exp::u32(0), Exp::u32(0)),
            },
            _ => match self.draw.chance(60).then(|| self.leaf(ty)).flatten() {
                Some(leaf) => leaf,
                None => self.made(ty, depth),
            },
        }
    }

    /// The value by its parts.
    fn made(&mut self, ty: &Ty, depth: u32) -> Exp {
        let depth = depth.saturating_sub(1);
        let parts = match ty {
            Ty::Vector(sc, n) => (0..*n).map(|_| self.scalar(*sc, depth)).collect(),
            Ty::Array(part, n) => (0..*n).map(|_| self.value(part, depth)).collect(),
            Ty::Struct(k) => {
                let fields = self.program.structs[*k as usize].fields.clone();
                fields.iter().map(|(_, ty)| self.value(ty, depth)).collect()
            }
            _ => unreachable!("it has parts"),
        };
        Exp::make(ty.clone(), parts)
    }

    fn vector_of(&mut self, sc: Sc, n: u8, depth: u32) -> Exp {
        let ty = Ty::Vector(sc, n);
        let kind = if depth == 0 { 0 } else { self.draw.below(5) };
        match kind {
            1 => self.made(&ty, depth),
            2 => self.chosen(&ty, depth),
            3 | 4 => {
                // Sums of f32 could become too large.
                let op = match sc {
                    Sc::F32 => self.draw.pick(&[BinOp::Min, BinOp::Max]),
                    _ => self.draw.pick(&ARITHMETIC),
                };
                Exp::bin(op, self.value(&ty, depth - 1), self.value(&ty, depth - 1))
            }
            _ => match self.leaf(&ty) {
                Some(leaf) => leaf,
                None => self.made(&ty, depth),
            },
        }
    }

    /// `select`
    fn chosen(&mut self, ty: &Ty, depth: u32) -> Exp {
        let cond = self.scalar(Sc::Bool, depth - 1);
        let (a, b) = (self.value(ty, depth - 1), self.value(ty, depth - 1));
        Exp::select(cond, a, b)
    }

    /// A scalar of an expression that is nested so deep; a float is one that is kept.
    pub(super) fn scalar(&mut self, sc: Sc, depth: u32) -> Exp {
        if depth == 0 || self.draw.chance(20) {
            return match self.draw.chance(75).then(|| self.leaf(&Ty::Scalar(sc))).flatten() {
                Some(leaf) => leaf,
                None => self.literal(sc),
            };
        }
        if self.draw.chance(10) {
            return self.chosen(&Ty::Scalar(sc), depth);
        }
        match sc {
            Sc::Bool => self.truth(depth),
            Sc::F32 | Sc::F64 => {
                let (most, least) =
                    (float_literal(sc, largest(sc)), float_literal(sc, -largest(sc)));
                Exp::bin(BinOp::Max, least, Exp::bin(BinOp::Min, most, self.float(sc, depth)))
            }
            Sc::I32 | Sc::U32 | Sc::I64 => self.whole(sc, depth),
        }
    }

    fn truth(&mut self, depth: u32) -> Exp {
        match self.draw.below(6) {
            0 => Exp::Un(UnOp::Not, Box::new(self.scalar(Sc::Bool, depth - 1))),
            1 => {
                let op = self.draw.pick(&[BinOp::And, BinOp::Or, BinOp::Xor, BinOp::Ne]);
                Exp::bin(op, self.scalar(Sc::Bool, depth - 1), self.scalar(Sc::Bool, depth - 1))
            }
            _ => {
                let sc = match self.scalar_type() {
                    Sc::Bool => Sc::U32,
                    sc => sc,
                };
                let op = self.draw.pick(&COMPARISONS);
                Exp::bin(op, self.scalar(sc, depth - 1), self.scalar(sc, depth - 1))
            }
        }
    }

    /// A float that may be larger than what is kept: at most 2²¹ for a depth of 2, or 2⁵¹ of 64 bits.
    fn float(&mut self, sc: Sc, depth: u32) -> Exp {
        match self.draw.below(6) {
            0 | 1 if depth > 1 => {
                let op = self.draw.pick(&[BinOp::Add, BinOp::Sub]);
                Exp::bin(op, self.float(sc, depth.min(2) - 1), self.float(sc, depth.min(2) - 1))
            }
            0..=2 => {
                let op = self.draw.pick(&[BinOp::Mul, BinOp::Add, BinOp::Sub]);
                Exp::bin(op, self.scalar(sc, 0), self.scalar(sc, 0))
            }
            3 => Exp::Un(UnOp::Neg, Box::new(self.scalar(sc, depth - 1))),
            4 => {
                let op = self.draw.pick(&[BinOp::Min, BinOp::Max]);
                Exp::bin(op, self.scalar(sc, depth - 1), self.scalar(sc, depth - 1))
            }
            _ if self.draw.chance(30) => {
                let word = if sc == Sc::F64 { Sc::I64 } else { Sc::U32 };
                let bits = Exp::Bitcast(word, Box::new(self.natural(sc, depth)));
                Exp::Bitcast(sc, Box::new(bits))
            }
            _ => self.natural(sc, depth),
        }
    }

    /// A float that is a number from 0 to below the largest, and no negative zero: all see the same bits of it.
    fn natural(&mut self, sc: Sc, depth: u32) -> Exp {
        let mask = Exp::i32(largest(sc) - 1);
        let small = Exp::bin(BinOp::And, self.scalar(Sc::I32, depth - 1), mask);
        Exp::Cast(sc, Box::new(small))
    }

    fn whole(&mut self, sc: Sc, depth: u32) -> Exp {
        match self.draw.below(12) {
            0 => {
                let op = if sc == Sc::U32 || self.draw.chance(50) {
                    UnOp::Complement
                } else {
                    UnOp::Neg
                };
                Exp::Un(op, Box::new(self.scalar(sc, depth - 1)))
            }
            1 => {
                let op = self.draw.pick(&[BinOp::Div, BinOp::Rem]);
                let divisor = match self.draw.below(3) {
                    0 => Exp::bin(BinOp::Or, self.scalar(sc, depth - 1), one(sc)),
                    _ => self.nonzero(sc),
                };
                Exp::bin(op, self.scalar(sc, depth - 1), divisor)
            }
            2 => {
                let op = self.draw.pick(&[BinOp::Shl, BinOp::Shr]);
                Exp::bin(op, self.scalar(sc, depth - 1), self.scalar(sc, 0))
            }
            3 => {
                let from = self.scalar_type();
                Exp::Cast(sc, Box::new(self.scalar(from, depth - 1)))
            }
            4 if sc == Sc::U32 => Exp::Bitcast(sc, Box::new(self.scalar(Sc::I32, depth - 1))),
            4 if sc == Sc::I32 => Exp::Bitcast(sc, Box::new(self.scalar(Sc::U32, depth - 1))),
            5 if sc != Sc::I64 && self.floats => {
                Exp::Bitcast(sc, Box::new(self.natural(Sc::F32, depth)))
            }
            5 if sc == Sc::I64 && self.doubles => {
                Exp::Bitcast(sc, Box::new(self.natural(Sc::F64, depth)))
            }
            _ => {
                let op = self.draw.pick(&ARITHMETIC);
                Exp::bin(op, self.scalar(sc, depth - 1), self.scalar(sc, depth - 1))
            }
        }
    }

    /// A literal.
    pub(super) fn literal(&mut self, sc: Sc) -> Exp {
        let k = match self.draw.below(3) {
            0 => self.draw.word() as i32,
            1 => self.draw.pick(&CORNERS),
            _ => self.draw.between(-9, 20) as i32,
        };
        let wide = sc == Sc::I64 && self.draw.chance(40);
        Exp::Lit(match sc {
            Sc::Bool => Lit::Bool(k & 1 == 1),
            Sc::I32 => Lit::I32(k),
            Sc::U32 => Lit::U32(k as u32),
            Sc::I64 if wide => Lit::I64(Wide(i64::from(k).wrapping_mul(0x1_0000_0001))),
            Sc::I64 => Lit::I64(Wide(k.into())),
            Sc::F32 | Sc::F64 => return float_literal(sc, k % largest(sc)),
        })
    }

    /// A literal that is not 0.
    pub(super) fn nonzero(&mut self, sc: Sc) -> Exp {
        let k = self.draw.pick(&[2, 3, -1, 7, 10, 1, 16, -5, i32::MAX, i32::MIN]);
        Exp::Lit(match sc {
            Sc::U32 => Lit::U32(k as u32),
            Sc::I64 => Lit::I64(Wide(k.into())),
            _ => Lit::I32(k),
        })
    }

    /// A condition, for an `if` or in a larger one.
    pub(super) fn condition(&mut self) -> Exp {
        self.value(&BOOL, 2)
    }
}

fn one(sc: Sc) -> Exp {
    match sc {
        Sc::U32 => Exp::u32(1),
        Sc::I64 => Exp::i64(1),
        _ => Exp::i32(1),
    }
}

/// The literal of a type of floats.
fn float_literal(sc: Sc, k: i32) -> Exp {
    Exp::Lit(match sc {
        Sc::F64 => Lit::F64(Wide(f64::from(k).to_bits() as i64)),
        _ => Lit::F32((k as f32).to_bits()),
    })
}
