//! `if` and `loop`: where the block of an array is chosen at run time.

use super::builder::Builder;
use super::types::{Array, Range, Shape};
use reference::fun::syntax::{Atom, Binding, Exp, Fun, Se, Ty};
use reference::kit::scalar::BinOp;

/// A result of a branch, as the other branch has to give it.
enum Wanted {
    Int(Range),
    /// With a size where both branches agree on it, and none where the pattern names it.
    Array(Array, Vec<Option<Atom>>),
}

impl Builder<'_, '_> {
    /// Adds an `if` with one or more results.
    pub(super) fn branch(&mut self) {
        let cond = self.condition();
        let outside = self.mark();
        let span = self.span();
        let certain = std::mem::replace(&mut self.certain, false);
        let before: Vec<bool> = self.arrays.iter().map(|array| array.alive).collect();
        let size = self.draw.below(3);
        let (then, wanted) = self.body(|builder| {
            builder.statements(size);
            builder.branch_results(outside)
        });
        let mut after = Vec::with_capacity(before.len());
        for (array, before) in self.arrays.iter_mut().zip(&before) {
            after.push(std::mem::replace(&mut array.alive, *before));
        }
        let size = self.draw.below(3);
        let (orelse, pattern) = self.body(|builder| {
            builder.statements(size);
            builder.matching_results(&wanted)
        });
        for (array, after) in self.arrays.iter_mut().zip(after) {
            array.alive &= after;
        }
        self.certain = certain;
        let pattern = self.bind_joined(pattern);
        self.emit_at(span, pattern, Exp::If { cond, then, orelse });
    }

    /// Adds an `if` with an array of this shape, one that is there or one made in the branch.
    pub(super) fn either(&mut self, shape: &Shape) -> Array {
        let cond = self.condition();
        let span = self.span();
        let certain = std::mem::replace(&mut self.certain, false);
        let branch = |builder: &mut Self| {
            builder.body(|builder| {
                let array = match builder.draw.chance(35) && builder.may_construct(shape) {
                    true => builder.construct(*shape),
                    false => builder.fulfil(&fixed(shape)),
                };
                (vec![array.var.into()], array)
            })
        };
        let (then, one) = branch(self);
        let (orelse, other) = branch(self);
        self.certain = certain;
        let values = one.values.union(other.values);
        let joined = Array { values, roots: one.roots | other.roots, shape: *shape, ..one };
        let sizes = shape.dims().iter().copied().map(Size::Fixed).collect();
        let pattern = self.bind_joined(vec![Joined::Array(joined, sizes)]);
        let var = pattern[0].var;
        self.emit_at(span, pattern, Exp::If { cond, then, orelse });
        Array { var, joined: true, ..joined }
    }

    /// Adds an `if` that guards what would get stuck without it: an index that may be outside, a
    /// divisor that may be 0. A compiler must not move it out.
    pub(super) fn guarded(&mut self) {
        let any = self.leaf();
        let array = self.choose(|_, array| array.shape.rank() == 1);
        match array {
            Some(array) if self.draw.chance(70) => {
                let extent = array.shape.dims()[0];
                let access = |builder: &mut Self| {
                    let exp = Exp::Index { array: array.var, index: vec![any] };
                    builder.bind_int(exp, array.values, None).into()
                };
                let test = |op, by: Atom| Se::bin(op, any, by);
                let (low, high) = (test(BinOp::Ge, 1.into()), test(BinOp::Le, extent));
                let (below, above) = (test(BinOp::Lt, 1.into()), test(BinOp::Gt, extent));
                let tests = match self.draw.below(5) {
                    0 | 1 => vec![(Se::bin(BinOp::And, low, high), true)],
                    2 => vec![(Se::bin(BinOp::Or, below, above), false)],
                    3 => vec![(low, true), (above, false)],
                    _ => vec![(high, true), (below, false)],
                };
                self.guard(&tests, &access);
            }
            _ => {
                let dividend = self.leaf();
                let op = self.draw.pick(&[BinOp::Div, BinOp::Rem]);
                let divide = |builder: &mut Self| {
                    let exp = Exp::Scalar(Se::bin(op, dividend, any));
                    builder.bind_int(exp, Range::FULL, None).into()
                };
                self.guard(&[(any.into(), true)], &divide);
            }
        }
    }

    /// Adds an `if` for each of the tests, one in the other. Where each of them is as wanted stands what they
    /// guard, else another int.
    fn guard(&mut self, tests: &[(Se, bool)], guarded: &dyn Fn(&mut Self) -> Atom) -> Atom {
        let [(test, wanted), rest @ ..] = tests else { return guarded(self) };
        let cond = self.named(test.clone(), Range::BOOL, None);
        let span = self.span();
        let certain = std::mem::replace(&mut self.certain, false);
        let [(then, a), (orelse, b)] = [*wanted, !*wanted].map(|inside| {
            self.body(|builder| {
                let result = match inside {
                    true => builder.guard(rest, guarded),
                    false => builder.int_result(usize::MAX),
                };
                (vec![result], builder.range(result))
            })
        });
        self.certain = certain;
        let pattern = self.bind_joined(vec![Joined::Int(a.union(b))]);
        let var = pattern[0].var;
        self.emit_at(span, pattern, Exp::If { cond, then, orelse });
        var.into()
    }

    /// Results of the first branch: sizes that the pattern names stand before their array.
    fn branch_results(&mut self, outside: usize) -> (Vec<Atom>, Vec<Wanted>) {
        let number = [1, 2, 3][self.draw.weighed(&[12, 6, 2])];
        let (mut results, mut wanted) = (Vec::new(), Vec::new());
        for _ in 0..number {
            // Twice the same array: results that alias each other.
            let last = wanted.iter().rev().find_map(|wanted| match wanted {
                Wanted::Array(array, _) => Some(*array),
                Wanted::Int(_) => None,
            });
            let array = if last.is_some() && self.draw.chance(20) {
                last
            } else if self.draw.chance(78) {
                let local = self.draw.chance(50);
                let chosen = self.choose(|_, array| !local || array.var.slot() >= outside);
                Some(chosen.unwrap_or_else(|| {
                    let rank = 1 + self.draw.weighed(&[5, 4, 1]);
                    self.fulfil(&vec![None; rank])
                }))
            } else {
                None
            };
            let Some(array) = array else {
                let result = self.int_result(outside);
                results.push(result);
                wanted.push(Wanted::Int(self.range(result)));
                continue;
            };
            let mut fixed = Vec::with_capacity(array.shape.rank());
            for dim in array.shape.dims() {
                let is_outside = dim.var().is_none_or(|var| var.slot() < outside);
                // A size that the pattern names varies, so in kernels it is rare.
                let named = if self.threads.is_empty() { 40 } else { 8 };
                if is_outside && !self.draw.chance(named) {
                    fixed.push(Some(*dim));
                } else {
                    fixed.push(None);
                    results.push(*dim);
                }
            }
            results.push(array.var.into());
            wanted.push(Wanted::Array(array, fixed));
        }
        (results, wanted)
    }

    /// Results of the second branch, and what each is in either.
    fn matching_results(&mut self, wanted: &[Wanted]) -> (Vec<Atom>, Vec<Joined>) {
        let mut results = Vec::new();
        let mut pattern = Vec::new();
        for wanted in wanted {
            match wanted {
                Wanted::Int(range) => {
                    let result = self.int_result(0);
                    results.push(result);
                    pattern.push(Joined::Int(range.union(self.range(result))));
                }
                Wanted::Array(then, fixed) => {
                    let orelse = self.fulfil(fixed);
                    let mut sizes = Vec::with_capacity(fixed.len());
                    let dims = then.shape.dims().iter().zip(orelse.shape.dims());
                    for (fixed, (a, b)) in fixed.iter().zip(dims) {
                        sizes.push(match fixed {
                            Some(atom) => Size::Fixed(*atom),
                            None => {
                                results.push(*b);
                                Size::Named(self.range(*a).union(self.range(*b)))
                            }
                        });
                    }
                    results.push(orelse.var.into());
                    let array = Array {
                        values: then.values.union(orelse.values),
                        roots: then.roots | orelse.roots,
                        ..*then
                    };
                    pattern.push(Joined::Array(array, sizes));
                }
            }
        }
        (results, pattern)
    }

    /// The pattern that binds what comes out of an `if` or a `loop`, in scope from now on.
    pub(super) fn bind_joined(&mut self, joined: Vec<Joined>) -> Vec<Binding<Fun>> {
        let mut pattern = Vec::with_capacity(joined.len());
        for joined in joined {
            match joined {
                Joined::Int(range) => {
                    let var = self.fresh('v', range, None);
                    pattern.push(Binding { var, ty: Ty::Int });
                    self.ints.push(var);
                }
                Joined::Array(array, sizes) => {
                    let mut dims = Vec::with_capacity(sizes.len());
                    for size in sizes {
                        dims.push(match size {
                            Size::Fixed(atom) => atom,
                            Size::Named(range) => {
                                let var = self.fresh('n', range, None);
                                pattern.push(Binding { var, ty: Ty::Int });
                                self.ints.push(var);
                                var.into()
                            }
                        });
                    }
                    let shape = Shape::new(&dims);
                    let var = self.fresh('j', Range::FULL, None);
                    pattern.push(Binding { var, ty: shape.ty() });
                    self.arrays.push(Array {
                        var,
                        shape,
                        joined: true,
                        views: 0,
                        alive: true,
                        used: false,
                        ..array
                    });
                }
            }
        }
        pattern
    }
}

/// The sizes of a shape, all of them given.
pub(super) fn fixed(shape: &Shape) -> Vec<Option<Atom>> {
    shape.dims().iter().copied().map(Some).collect()
}

/// What comes out of an `if` or a `loop`.
pub(super) enum Joined {
    Int(Range),
    Array(Array, Vec<Size>),
}

/// A size of an array that comes out of an `if` or a `loop`.
pub(super) enum Size {
    /// Known outside.
    Fixed(Atom),
    /// Named by the pattern.
    Named(Range),
}
