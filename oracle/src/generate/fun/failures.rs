//! Places that get stuck on purpose: each cause, in some thread, not only the first.

use super::builder::Builder;
use super::types::{Range, Shape};
use reference::fun::syntax::{Atom, Binding, Dim, Exp, Fun, Se, Ty};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// Operators whose result one may take to be bounded; a remainder is asked for most often.
const CARELESS: [BinOp; 10] = [
    BinOp::Rem,
    BinOp::And,
    BinOp::Mul,
    BinOp::Sub,
    BinOp::Shr,
    BinOp::Min,
    BinOp::Max,
    BinOp::Or,
    BinOp::Div,
    BinOp::Rem,
];

impl Builder<'_, '_> {
    /// Adds statements of which one gets stuck, or at least may: in a kernel from some thread on or in just one.
    pub(super) fn get_stuck(&mut self) {
        self.trouble = self.trouble.saturating_sub(1);
        self.would_get_stuck();
    }

    /// Adds statements of which one would get stuck, or may. Where nothing runs, nothing does, unless a
    /// compiler moves them.
    pub(super) fn would_get_stuck(&mut self) {
        let flag = self.flag();
        match self.draw.weighed(&self.weights.causes) {
            0 => self.stuck_index(flag),
            1 => self.stuck_slice(flag),
            2 => self.stuck_division(flag),
            3 => self.stuck_size(flag),
            _ => self.stuck_count(flag),
        }
    }

    /// Is this the place for a statement that gets stuck?
    pub(super) fn wants_trouble(&mut self) -> bool {
        self.trouble > 0
            && self.certain
            && self.threads.is_empty() == self.trouble_outside
            && self.draw.chance(15)
    }

    /// 1 where it gets stuck, else 0.
    fn flag(&mut self) -> Se {
        let Some(thread) = (match self.threads.len() {
            0 => None,
            n => Some(self.threads[n - 1 - self.draw.below(n)]),
        }) else {
            return self.flag_outside();
        };
        let most = self.range(thread.count).lo.max(1);
        let at = self.draw.between(1, most) as i32;
        let op = self.draw.pick(&[BinOp::Eq, BinOp::Ge, BinOp::Eq, BinOp::Le]);
        Se::bin(op, thread.var, at)
    }

    fn flag_outside(&mut self) -> Se {
        let known = self.choose_int(|builder, var| builder.fact(var).range.is_exact());
        match known {
            Some(var) => Se::bin(BinOp::Eq, var, self.fact(var).range.lo as i32),
            None => 1.into(),
        }
    }

    fn stuck_index(&mut self, flag: Se) {
        let Some(array) = self.choose(|builder, array| builder.is_inhabited(&array.shape)) else {
            return self.stuck_division(flag);
        };
        let wrong = self.draw.below(array.shape.rank());
        let mut index = Vec::with_capacity(array.shape.rank());
        let careless = self.draw.chance(30);
        // Of two indices that are wrong the first counts.
        let also =
            self.draw.chance(self.weights.two_fail).then_some((wrong + 1) % array.shape.rank());
        for (at, extent) in array.shape.dims().iter().enumerate() {
            if at != wrong && also == Some(at) {
                let other = self.flag();
                index.push(self.wrong_index(other, *extent));
                continue;
            }
            if at != wrong {
                index.push(self.index_atom(*extent));
                continue;
            }
            index.push(match careless {
                true => self.careless_index(*extent),
                false => self.wrong_index(flag.clone(), *extent),
            });
        }
        let exp = Exp::Index { array: array.var, index };
        if !careless {
            self.first_in_vain(&flag, &exp, array.values);
        }
        self.bind_int(exp, array.values, None);
    }

    /// An index that leaves a dimension of this extent where the flag is 1, nearly always.
    fn wrong_index(&mut self, flag: Se, extent: Atom) -> Atom {
        let times = |by: Atom| Se::bin(BinOp::Add, 1, Se::bin(BinOp::Mul, flag.clone(), by));
        let se = match self.draw.below(5) {
            0 | 1 => times(extent),
            2 => Se::bin(BinOp::Sub, 1, flag),
            // The greatest, or the least.
            3 => times((i32::MAX - self.draw.below(2) as i32).into()),
            // Too large or too small, as it happens.
            _ => times(self.leaf()),
        };
        self.named(se, Range::FULL, None)
    }

    /// An index that may well leave a dimension of this extent, by what it is and no flag.
    fn careless_index(&mut self, extent: Atom) -> Atom {
        let most = self.range(extent).hi;
        match self.draw.below(8) {
            // It was inside of something longer, as a compiler may know.
            0..=2 => {
                let longer = self.choose_int(|builder, var| {
                    let range = builder.fact(var).range;
                    range.lo == 1 && most < range.hi && !range.is_exact()
                });
                if let Some(longer) = longer {
                    return longer.into();
                }
            }
            3 => return self.leaf(),
            4 => return Atom::Const(if self.draw.chance(70) { (most + 1) as i32 } else { 0 }),
            _ => {}
        }
        // Bounded from one side only where an operand has another sign than one thinks.
        let op = self.draw.pick(&CARELESS);
        let any = self.shifted_leaf();
        let (by, range) = match self.draw.below(5) {
            0 | 1 => {
                let by = self.draw.pick(&[3, 2, 7, 4, 1]);
                (by.into(), Range::exactly(by.into()))
            }
            2 | 3 => (extent.into(), self.range(extent)),
            _ => (self.shifted_leaf(), Range::FULL),
        };
        // A division by zero would come before the index.
        let by = if op.is_partial() && range.has(0) { Se::bin(BinOp::Or, by, 1) } else { by };
        let se = Se::bin(op, any, by);
        let se = if self.draw.chance(70) { Se::bin(BinOp::Add, se, 1) } else { se };
        self.named(se, Range::FULL, None)
    }

    /// An int, or one a little below it.
    fn shifted_leaf(&mut self) -> Se {
        let leaf = self.leaf();
        match self.draw.chance(40) {
            true => Se::bin(BinOp::Sub, leaf, self.draw.pick(&[2, 1, 3, 5])),
            false => leaf.into(),
        }
    }

    /// Two times of five, adds a statement in which `exp`, which gets stuck where the flag is 1, is not
    /// reached there: in a branch, a loop or a kernel. What comes behind gets stuck all the same, and a
    /// compiler must not take the test inside for the one outside. Only what gives an int is tried so.
    fn first_in_vain(&mut self, flag: &Se, exp: &Exp<Fun>, range: Range) {
        if !self.draw.chance(40) || self.depth >= 6 || self.here() < 4 {
            return;
        }
        let reached = Se::bin(BinOp::Sub, 1, flag.clone());
        let reached = self.named(reached, Range::BOOL, None);
        let result = |builder: &mut Self| builder.bind_int(exp.clone(), range, None).into();
        // In a kernel its size differs from thread to thread.
        let kernel = self.threads.is_empty() || self.varying && self.threads.len() < 3;
        match self.draw.weighed(&[3, 2, 3 * u32::from(kernel)]) {
            0 => self.branch_of(reached, range, result),
            1 => self.loop_of(reached, range, |builder, _| result(builder)),
            _ => self.kernel_of(reached, range, result),
        }
    }

    /// `if cond` with this result, or some int.
    fn branch_of(&mut self, cond: Atom, range: Range, result: impl FnOnce(&mut Self) -> Atom) {
        let span = self.span();
        let (then, ()) = self.body(|builder| (vec![result(builder)], ()));
        let (orelse, other) = self.body(|builder| {
            let other = builder.leaf();
            (vec![other], builder.range(other))
        });
        let var = self.fresh('v', range.union(other), None);
        let exp = Exp::If { cond, then, orelse };
        self.emit_at(span, vec![Binding { var, ty: Ty::Int }], exp);
        self.ints.push(var);
    }

    /// A loop that carries an int, with this result of its counter and of what it carries.
    fn loop_of(
        &mut self,
        count: Atom,
        range: Range,
        result: impl FnOnce(&mut Self, [Var; 2]) -> Atom,
    ) {
        let init = self.leaf();
        let span = self.span();
        let range = range.union(self.range(init));
        let counter = self.fresh('t', Range::new(1, 1), None);
        let carried = self.fresh('c', range, None);
        let (body, ()) = self.body(|builder| (vec![result(builder, [counter, carried])], ()));
        let binding = Binding { var: carried, ty: Ty::Int };
        let var = self.fresh('v', range, None);
        let exp = Exp::Loop { carried: vec![(binding, init)], counter, count, body };
        self.emit_at(span, vec![Binding { var, ty: Ty::Int }], exp);
        self.ints.push(var);
    }

    /// A kernel with this result, an int.
    fn kernel_of(&mut self, count: Atom, range: Range, result: impl FnOnce(&mut Self) -> Atom) {
        let shape = Shape::new(&[count]);
        let span = self.span();
        let (thread, body, ()) = self.threads_of(count, |builder| (vec![result(builder)], ()));
        let array = self.fresh_array('a', shape, range);
        let pattern = vec![Binding { var: array.var, ty: shape.ty() }];
        self.emit_at(span, pattern, Exp::Kernel { thread, count, body });
    }

    fn stuck_slice(&mut self, flag: Se) {
        let wants_update = self.draw.chance(60);
        let consumable = self.choose(|builder, array| {
            wants_update && builder.is_consumable(array.roots) && builder.is_inhabited(&array.shape)
        });
        let array =
            consumable.or_else(|| self.choose(|builder, array| builder.is_inhabited(&array.shape)));
        let Some(array) = array else { return self.stuck_division(flag) };
        let update = consumable.is_some();
        let wrong = self.draw.below(array.shape.rank());
        let mut slice = Vec::with_capacity(array.shape.rank());
        for (at, extent) in array.shape.dims().iter().enumerate() {
            let extent = *extent;
            if at != wrong {
                slice.push(Dim { offset: extent, size: extent, stride: (-1).into() });
                continue;
            }
            let scaled = |by: Atom| Se::bin(BinOp::Mul, flag.clone(), by);
            let dim = match self.draw.below(5) {
                // One to the right or, backward, to the left, the whole length.
                to @ 0..=1 => {
                    let (from, op, stride) = match to {
                        0 => (Atom::Const(1), BinOp::Add, 1),
                        _ => (extent, BinOp::Sub, -1),
                    };
                    let offset = self.named(Se::bin(op, from, flag.clone()), Range::FULL, None);
                    Dim { offset, size: extent, stride: stride.into() }
                }
                2 => {
                    let se = Se::bin(BinOp::Sub, 1, flag.clone());
                    let offset = self.named(se, Range::FULL, None);
                    Dim { offset, size: 1.into(), stride: 1.into() }
                }
                // A negative size.
                3 => {
                    let se = Se::bin(BinOp::Sub, 1, scaled(Atom::Const(4)));
                    let size = self.named(se, Range::new(0, 1), None);
                    Dim { offset: 1.into(), size, stride: 1.into() }
                }
                // A step too far.
                _ => {
                    let se = scaled(extent);
                    let stride = self.named(se, Range::FULL, None);
                    Dim { offset: 1.into(), size: 2.into(), stride }
                }
            };
            slice.push(dim);
        }
        if update {
            let value = self.leaf();
            let values = self.range(value);
            self.update_of(&array, slice, value, values);
            return;
        }
        self.slice_of(&array, slice);
    }

    fn stuck_division(&mut self, flag: Se) {
        let dividend = self.leaf();
        let op = self.draw.pick(&[BinOp::Div, BinOp::Rem]);
        let divisor = Se::bin(BinOp::Sub, 1, flag.clone());
        let se = if self.draw.chance(50) {
            let divisor = self.named(divisor, Range::BOOL, None);
            let se = Se::bin(op, dividend, divisor);
            self.first_in_vain(&flag, &Exp::Scalar(se.clone()), Range::FULL);
            se
        } else {
            let hash = self.hash();
            Se::bin(BinOp::Xor, Se::bin(op, dividend, divisor), hash)
        };
        let se = if self.draw.chance(self.weights.two_fail) { self.two_quotients(se) } else { se };
        self.bind_int(Exp::Scalar(se), Range::FULL, None);
    }

    /// What gets stuck with a division that does so too, in other threads perhaps: the one on the left counts,
    /// and of a division in a divisor that one.
    fn two_quotients(&mut self, one: Se) -> Se {
        let other = Se::bin(BinOp::Sub, 1, self.flag());
        let other = Se::bin(self.draw.pick(&[BinOp::Rem, BinOp::Div]), self.leaf(), other);
        let (a, b) = if self.draw.chance(50) { (one, other) } else { (other, one) };
        Se::bin(self.draw.pick(&[BinOp::Add, BinOp::Div, BinOp::Min, BinOp::Shl]), a, b)
    }

    /// A kernel of a negative number of threads, or of rows of a negative size.
    fn stuck_size(&mut self, flag: Se) {
        let se = Se::bin(BinOp::Sub, 2, Se::bin(BinOp::Mul, flag, 5));
        let size = self.named(se, Range::new(1, 2), None);
        let dims = if self.draw.chance(60) { vec![size] } else { vec![Atom::Const(2), size] };
        self.construct(Shape::new(&dims));
    }

    fn stuck_count(&mut self, flag: Se) {
        let se = Se::bin(BinOp::Sub, 1, Se::bin(BinOp::Mul, flag, 3));
        let count = self.named(se, Range::new(0, 1), None);
        self.loop_of(count, Range::FULL, |builder, inside| {
            builder.ints.extend(inside);
            let hash = builder.hash();
            builder.named(hash, Range::FULL, None)
        });
    }

    /// Adds a kernel of a few threads of which some get stuck, where nothing else did.
    pub(super) fn kernel_in_trouble(&mut self) {
        let count = Atom::Const(self.draw.pick(&[3, 1, 5, 70]));
        self.kernel_of(count, Range::FULL, |builder| {
            if builder.draw.chance(30) {
                let inner = Atom::Const(builder.draw.pick(&[2, 3, 1]));
                builder.kernel_of(inner, Range::FULL, |builder| {
                    builder.get_stuck();
                    builder.int_result(0)
                });
            } else {
                builder.get_stuck();
            }
            builder.int_result(0)
        });
    }
}
