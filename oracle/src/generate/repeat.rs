//! Loops: ints and arrays that swap, arrays updated in place, arrays that grow.

use super::joins::{Joined, Size};
use super::making::Making;
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

impl Making<'_, '_> {
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
        let fits = |making: &Self, var| {
            let range = making.fact(var).range;
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
        let (body, ()) = self.body(|making| {
            making.ints.push(counter);
            (make(making), ())
        });
        self.certain = certain;
        self.times = times;
        self.owned = outer;
        (counter, body)
    }

    /// A loop whose arrays keep their sizes.
    fn steady(&mut self, count: Atom) {
        let mut carries = Vec::new();
        let mut roots: Roots = 0;
        // In place: what starts the loop is consumed by it.
        let in_place = self.draw.chance(60);
        for _ in 0..[0, 1, 2][self.draw.weighed(&[4, 6, 4])] {
            let like = carries.iter().rev().find_map(|carry| match carry {
                Carry::Array(array) => Some(array.shape),
                Carry::Int(_) => None,
            });
            let fixed: Vec<Option<Atom>> = match like {
                // Two arrays of one shape can be swapped.
                Some(shape) if self.draw.chance(70) => {
                    shape.dims().iter().copied().map(Some).collect()
                }
                _ => vec![None; 1 + self.draw.weighed(&[5, 4, 1])],
            };
            let array = self.fulfil(&fixed, in_place.then_some(roots));
            roots |= array.roots;
            carries.push(Carry::Array(array));
        }
        let ints = self.draw.weighed(&[if carries.is_empty() { 0 } else { 5 }, 4, 4, 1]);
        for _ in 0..ints {
            let init = self.leaf();
            let at = self.draw.below(carries.len() + 1);
            carries.insert(at, Carry::Int(init));
        }
        let outside_owned = self.owned;
        let in_place = in_place && roots & !outside_owned == 0 && roots != 0;
        let span = self.span();
        let mut inside: Roots = 0;
        let mut carried = Vec::with_capacity(carries.len());
        let mut entries = Vec::with_capacity(carries.len());
        for carry in &carries {
            match carry {
                Carry::Int(init) => {
                    let var = self.fresh('c', Range::FULL, None);
                    carried.push((Binding { var, ty: Ty::Int }, *init));
                }
                Carry::Array(array) => {
                    let root = if in_place { self.fresh_root() } else { array.roots };
                    inside |= root;
                    let var = self.fresh('s', Range::FULL, None);
                    let ty = array.shape.ty();
                    carried.push((Binding { var, ty }, array.var.into()));
                    let values = Range::FULL;
                    entries.push(Array { var, values, roots: root, joined: true, ..*array });
                }
            }
        }
        if in_place {
            self.consume(roots);
        }
        let size = 1 + self.draw.below(3);
        let mut all = roots;
        let vars: Vec<(Var, bool)> =
            carried.iter().map(|(binding, _)| (binding.var, binding.ty == Ty::Int)).collect();
        let owned = if in_place { inside } else { 0 };
        let (counter, body) = self.rounds_of(count, owned, |making| {
            let mark = making.mark();
            making.ints.extend(vars.iter().filter(|(_, int)| *int).map(|(var, _)| *var));
            making.arrays.extend(entries.iter().map(|array| Array {
                alive: true,
                views: 0,
                ..*array
            }));
            making.statements(size);
            let mut used: Roots = 0;
            let mut results = Vec::with_capacity(vars.len());
            for (at, (_, int)) in vars.iter().enumerate() {
                if *int {
                    results.push(making.next_int(&vars, at, mark));
                    continue;
                }
                let place = vars[..at].iter().filter(|(_, int)| !*int).count();
                let shape = entries[place].shape;
                let fixed: Vec<Option<Atom>> = shape.dims().iter().copied().map(Some).collect();
                let array = making.fulfil(&fixed, in_place.then_some(used));
                used |= array.roots;
                all |= array.roots;
                results.push(array.var.into());
            }
            results
        });
        if in_place {
            // Made in the loop or carried by it, so nobody else has it.
            let fresh = self.fresh_root();
            self.owned |= fresh;
            all = roots | fresh;
        }
        let joined = carries
            .into_iter()
            .map(|carry| match carry {
                Carry::Int(_) => Joined::Int(Range::FULL),
                Carry::Array(array) => {
                    let sizes = array.shape.dims().iter().copied().map(Size::Fixed).collect();
                    Joined::Array(Array { values: Range::FULL, roots: all, ..array }, sizes)
                }
            })
            .collect();
        let pattern = self.bind_joined(joined);
        self.emit_at(span, pattern, Exp::Loop { carried, counter, count, body });
    }

    /// What a carried int is in the next round: often another one that is carried.
    fn next_int(&mut self, vars: &[(Var, bool)], at: usize, mark: usize) -> Atom {
        let others: Vec<Var> = vars
            .iter()
            .enumerate()
            .filter(|(place, (_, int))| *int && *place != at)
            .map(|(_, (var, _))| *var)
            .collect();
        if !others.is_empty() && self.draw.chance(50) {
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
        let array = self.fulfil(&vec![None; rank], None);
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
        let var = self.fresh('s', Range::FULL, None);
        let mut dims = vec![Atom::Var(size)];
        dims.extend(&rest);
        let shape = Shape::new(&dims);
        let carried = vec![
            (Binding { var: size, ty: Ty::Int }, start),
            (Binding { var, ty: shape.ty() }, array.var.into()),
        ];
        let entry =
            Array { var, shape, values: Range::FULL, joined: true, views: 0, alive: true, ..array };
        let (counter, body) = self.rounds_of(count, 0, |making| {
            making.ints.push(size);
            making.arrays.push(entry);
            making.statements(1);
            let next = making.bind_int(Exp::Scalar(Se::bin(law.op, size, law.by)), whole, None);
            let grown = making.next_array(&entry, size, next, law);
            vec![next.into(), grown.var.into()]
        });
        let mut sizes = vec![Size::Named(whole)];
        sizes.extend(rest.iter().copied().map(Size::Fixed));
        let fresh = self.fresh_root();
        self.owned |= fresh;
        let roots = array.roots | fresh;
        let joined = Array { values: Range::FULL, roots, ..array };
        let pattern = self.bind_joined(vec![Joined::Array(joined, sizes)]);
        self.emit_at(span, pattern, Exp::Loop { carried, counter, count, body });
        true
    }

    /// The array of the next round: a view where it shrinks, else made, and then often with the
    /// old one in front.
    fn next_array(&mut self, old: &Array, size: Var, next: Var, law: Law) -> Array {
        let mut dims: Vec<Atom> = old.shape.dims().to_vec();
        dims[0] = next.into();
        let shape = Shape::new(&dims);
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
