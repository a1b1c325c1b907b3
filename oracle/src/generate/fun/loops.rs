//! Loops: ints and arrays that swap, arrays updated in place, arrays that grow.

use super::branches::{Joined, Size, fixed};
use super::builder::Builder;
use super::types::{Array, Range, Roots, Shape};
use reference::fun::syntax::{Atom, Binding, Body, Dim, Exp, Fun, Se, Ty};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// What a loop carries.
enum Carry {
    Int(Atom),
    Array(Array),
}

/// How the size of a growing array changes in each round.
#[derive(Clone, Copy)]
struct Law {
    op: BinOp,
    by: i32,
    /// The size never shrinks.
    grows: bool,
}

const LAWS: [Law; 7] = [
    Law { op: BinOp::Add, by: 1, grows: true },
    Law { op: BinOp::Mul, by: 2, grows: true },
    Law { op: BinOp::Add, by: 2, grows: true },
    Law { op: BinOp::Max, by: 5, grows: true },
    Law { op: BinOp::Div, by: 2, grows: false },
    Law { op: BinOp::Min, by: 3, grows: false },
    Law { op: BinOp::Rem, by: 4, grows: false },
];

impl Builder<'_, '_> {
    /// Adds a loop.
    pub(super) fn repeat(&mut self) {
        let count = self.rounds();
        let varies = self.threads.is_empty() || self.varying;
        if varies && self.draw.chance(22) && self.growing(count) {
            return;
        }
        self.steady(count);
    }

    /// A small number of rounds.
    fn rounds(&mut self) -> Atom {
        let most = (self.here() / 4).clamp(0, 8);
        let fits = |builder: &Self, var| {
            let range = builder.fact(var).range;
            0 <= range.lo && range.hi <= most
        };
        match self.draw.below(8) {
            0 | 1 => {
                if let Some(var) = self.choose_int(fits) {
                    return var.into();
                }
            }
            2 if most >= 3 => {
                let int = self.leaf();
                let se = Se::bin(BinOp::And, int, 3);
                let range = Range::of(BinOp::And, self.range(int), Range::exactly(3));
                return self.named(se, range, None);
            }
            _ => {}
        }
        let rounds = [2, 3, 1, 4, 5, 0][self.draw.weighed(&[6, 6, 3, 3, 2, 1])];
        Atom::Const(rounds.min(most as i32))
    }

    /// Opens the body of a loop: `make` gets the counter.
    fn rounds_of(
        &mut self,
        count: Atom,
        owned: Roots,
        make: impl FnOnce(&mut Self) -> Vec<Atom>,
    ) -> (Var, Body<Fun>) {
        let range = self.range(count);
        let counter = self.fresh('t', Range::new(1, range.hi.max(1)), Some(count));
        let certain = self.certain;
        let times = self.times;
        let outer = std::mem::replace(&mut self.owned, owned);
        self.certain &= range.lo >= 1;
        self.times *= range.hi.max(1);
        let (body, ()) = self.body(|builder| {
            builder.ints.push(counter);
            if range == Range::exactly(0) && builder.draw.chance(40) {
                builder.would_get_stuck();
            }
            (make(builder), ())
        });
        self.certain = certain;
        self.times = times;
        // What the loop made or carried is consumable after it like what was made here.
        self.owned |= outer;
        (counter, body)
    }

    /// A loop whose arrays keep their sizes: updated in place, made anew, or swapped.
    fn steady(&mut self, count: Atom) {
        let carries = self.carries();
        let span = self.span();
        let mut carried = Vec::with_capacity(carries.len());
        let mut vars = Vec::with_capacity(carries.len());
        let mut entries = Vec::new();
        let (mut roots, mut inside): (Roots, Roots) = (0, 0);
        for carry in &carries {
            match carry {
                Carry::Int(init) => {
                    let var = self.fresh('c', Range::FULL, None);
                    carried.push((Binding { var, ty: Ty::Int }, *init));
                    vars.push((var, None));
                }
                Carry::Array(array) => {
                    roots |= array.roots;
                    let entry = self.carried_array(array.shape);
                    inside |= entry.roots;
                    let ty = array.shape.ty();
                    carried.push((Binding { var: entry.var, ty }, array.var.into()));
                    vars.push((entry.var, Some(array.shape)));
                    entries.push(entry);
                }
            }
        }
        let size = 1 + self.draw.below(3);
        let (counter, body) = self.rounds_of(count, inside, |builder| {
            let mark = builder.mark();
            let ints = vars.iter().filter(|(_, shape)| shape.is_none());
            builder.ints.extend(ints.map(|(var, _)| *var));
            builder.arrays.extend(entries);
            builder.statements(size);
            let mut results = Vec::with_capacity(vars.len());
            for (at, (_, shape)) in vars.iter().enumerate() {
                results.push(match shape {
                    None => builder.next_int(&vars, at, mark),
                    Some(shape) => {
                        let array = builder.next_steady(&vars, at, shape);
                        roots |= array.roots;
                        array.var.into()
                    }
                });
            }
            results
        });
        let joined = carries
            .into_iter()
            .map(|carry| match carry {
                Carry::Int(_) => Joined::Int(Range::FULL),
                Carry::Array(array) => {
                    let sizes = array.shape.dims().iter().copied().map(Size::Fixed).collect();
                    Joined::Array(Array { values: Range::FULL, roots, ..array }, sizes)
                }
            })
            .collect();
        let pattern = self.bind_joined(joined);
        self.emit_at(span, pattern, Exp::Loop { carried, counter, count, body });
    }

    /// What a steady loop carries: often two arrays of one shape, which can be swapped.
    fn carries(&mut self) -> Vec<Carry> {
        let mut carries = Vec::new();
        let mut like: Option<Shape> = None;
        for _ in 0..[0, 1, 2, 3][self.draw.weighed(&[4, 6, 4, 1])] {
            let fixed: Vec<Option<Atom>> = match like {
                Some(shape) if self.draw.chance(70) => {
                    shape.dims().iter().copied().map(Some).collect()
                }
                _ => vec![None; 1 + self.draw.weighed(&[5, 4, 1])],
            };
            let array = self.fulfil(&fixed);
            like = Some(array.shape);
            carries.push(Carry::Array(array));
        }
        let ints = self.draw.weighed(&[if carries.is_empty() { 0 } else { 4 }, 3, 6, 2]);
        for _ in 0..ints {
            let init = self.leaf();
            let at = self.draw.below(carries.len() + 1);
            carries.insert(at, Carry::Int(init));
        }
        carries
    }

    /// A carried array inside its loop: it belongs to the loop, whatever it started from.
    fn carried_array(&mut self, shape: Shape) -> Array {
        let roots = self.fresh_root();
        let var = self.fresh('s', Range::FULL, None);
        Array {
            var,
            shape,
            values: Range::FULL,
            roots,
            joined: true,
            views: 0,
            alive: true,
            used: false,
        }
    }

    /// What a carried array is in the next round: often another one that is carried, or one made in this
    /// round, perhaps out of an `if`.
    fn next_steady(&mut self, vars: &[(Var, Option<Shape>)], at: usize, shape: &Shape) -> Array {
        if self.draw.chance(35) {
            let other = self.choose(|_, array| {
                array.shape == *shape
                    && vars
                        .iter()
                        .enumerate()
                        .any(|(place, (var, _))| place != at && *var == array.var)
            });
            if let Some(other) = other {
                return other;
            }
        }
        match self.draw.below(8) {
            7 if self.depth < 6 => self.either(shape),
            5 | 6 if self.may_construct(shape) => self.construct(*shape),
            _ => self.fulfil(&fixed(shape)),
        }
    }

    /// What a carried int is in the next round: often another one that is carried.
    fn next_int(&mut self, vars: &[(Var, Option<Shape>)], at: usize, mark: usize) -> Atom {
        let others: Vec<Var> = vars
            .iter()
            .enumerate()
            .filter(|(place, (_, shape))| shape.is_none() && *place != at)
            .map(|(_, (var, _))| *var)
            .collect();
        if !others.is_empty() && self.draw.chance(65) {
            let other = self.draw.pick(&others);
            if self.draw.chance(50) {
                return other.into();
            }
            let by = self.draw.pick(&[31, 0x01f1_23bb]);
            let se = Se::bin(BinOp::Mul, vars[at].0, by);
            return self.named(Se::bin(BinOp::Xor, se, other), Range::FULL, None);
        }
        self.int_result(mark)
    }

    /// A loop whose array has another size in each round. False if there is no room for one.
    fn growing(&mut self, count: Atom) -> bool {
        let law = self.draw.pick(&LAWS);
        let rank = 1 + self.draw.weighed(&[6, 3]);
        let array = self.fulfil(&vec![None; rank]);
        let start = array.shape.dims()[0];
        let mut whole = self.range(start);
        let mut last = whole;
        for _ in 0..self.range(count).hi.max(0) {
            last = Range::of(law.op, last, Range::exactly(law.by.into()));
            whole = whole.union(last);
        }
        let rest: Vec<Atom> = array.shape.dims()[1..].to_vec();
        let row = self.elements(&Shape::new(&rest));
        let rounds = self.range(count).hi.max(1);
        let cost = whole.hi.saturating_mul(row.max(1)).saturating_mul(rounds);
        if whole.lo < 0 || whole.hi > 128 || cost > self.here().max(8) {
            return false;
        }
        let span = self.span();
        let size = self.fresh('n', whole, None);
        let mut dims = vec![Atom::Var(size)];
        dims.extend(&rest);
        let shape = Shape::new(&dims);
        let entry = self.carried_array(shape);
        let carried = vec![
            (Binding { var: size, ty: Ty::Int }, start),
            (Binding { var: entry.var, ty: shape.ty() }, array.var.into()),
        ];
        let mut roots = array.roots;
        let (counter, body) = self.rounds_of(count, entry.roots, |builder| {
            builder.ints.push(size);
            builder.arrays.push(entry);
            builder.statements(1);
            let next = builder.bind_int(Exp::Scalar(Se::bin(law.op, size, law.by)), whole, None);
            // The carried array, or what it was updated to.
            let old = builder.choose(|_, array| array.shape == shape);
            let grown = match old {
                Some(old) => builder.next_array(&old, size, next, law),
                None => builder.construct(shape.with_first(next.into())),
            };
            roots |= grown.roots;
            vec![next.into(), grown.var.into()]
        });
        let mut sizes = vec![Size::Named(whole)];
        sizes.extend(rest.iter().copied().map(Size::Fixed));
        let joined = Array { values: Range::FULL, roots, ..array };
        let pattern = self.bind_joined(vec![Joined::Array(joined, sizes)]);
        self.emit_at(span, pattern, Exp::Loop { carried, counter, count, body });
        true
    }

    /// The array of the next round: a view where it shrinks, else made, and then often with the
    /// old one in front.
    fn next_array(&mut self, old: &Array, size: Var, next: Var, law: Law) -> Array {
        let shape = old.shape.with_first(next.into());
        let all = |dim: &Atom| Dim { offset: 1.into(), size: *dim, stride: 1.into() };
        let rest = old.shape.dims()[1..].iter().map(all);
        if !law.grows && self.draw.chance(60) {
            let first = if self.draw.chance(50) {
                Dim { offset: 1.into(), size: next.into(), stride: 1.into() }
            } else {
                Dim { offset: size.into(), size: next.into(), stride: (-1).into() }
            };
            let slice = std::iter::once(first).chain(rest).collect();
            return self.slice_of(old, slice);
        }
        let made = self.construct(shape);
        if law.grows && self.draw.chance(70) {
            let first = Dim { offset: 1.into(), size: size.into(), stride: 1.into() };
            let slice = std::iter::once(first).chain(rest).collect();
            return self.update_of(&made, slice, old.var.into(), Range::FULL);
        }
        made
    }
}
