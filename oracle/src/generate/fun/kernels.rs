//! Kernels, and arrays made to order.

use super::builder::{Builder, Thread};
use super::types::{Array, MAX_RANK, Range, Shape};
use reference::fun::syntax::{Atom, Binding, Body, Dim, Exp, Fun, Se, Ty};
use reference::kit::names::Var;
use reference::kit::text::Span;

/// Most elements of an array that is made, and of all copies of it in one kernel.
const MOST_ELEMENTS: i64 = 1024;

/// Percentage of results of kernels that are a literal: arrays that are initialised, mostly with 0.
const LITERALS: u32 = 6;

impl Builder<'_, '_> {
    /// Adds a kernel with a body of its own builder.
    pub(super) fn kernel(&mut self) {
        let size = 1 + self.draw.below(if self.threads.is_empty() { 5 } else { 3 });
        let wide = if self.depth <= 1 { self.wide.take() } else { None };
        let most = (self.here() / (size as i64 + 2)).clamp(1, 64);
        let count = wide.unwrap_or_else(|| self.count_atom(most));
        let never = self.range(count) == Range::exactly(0);
        let outside = self.mark();
        let span = self.span();
        let (thread, body, results) = self.threads_of(count, |builder| {
            if builder.draw.chance(70) {
                builder.read_along(count);
            }
            builder.statements(size);
            if builder.trouble > 0 && builder.certain && builder.draw.chance(60) {
                builder.get_stuck();
            } else if never && builder.draw.chance(40) {
                builder.would_get_stuck();
            }
            builder.kernel_results(outside, count)
        });
        let mut pattern = Vec::with_capacity(results.len());
        for (shape, values) in results {
            let array = self.fresh_array('a', shape, values);
            pattern.push(Binding { var: array.var, ty: shape.ty() });
        }
        self.emit_at(span, pattern, Exp::Kernel { thread, count, body });
    }

    /// Makes the body of a kernel of so many threads and gives its thread variable. Nothing from
    /// outside is consumable in it, and statements inside know that there is a thread.
    pub(super) fn threads_of<T>(
        &mut self,
        count: Atom,
        make: impl FnOnce(&mut Self) -> (Vec<Atom>, T),
    ) -> (Var, Body<Fun>, T) {
        let range = self.range(count);
        let (certain, times, mark) = (self.certain, self.times, self.kernel_mark);
        if self.threads.is_empty() {
            self.kernel_mark = self.mark();
        }
        let owned = std::mem::replace(&mut self.owned, 0);
        self.certain &= range.lo >= 1;
        self.times = self.times.saturating_mul(range.hi.max(1));
        let inside = Range::new(range.lo.max(1), range.hi.max(1));
        if let Some(var) = count.var() {
            self.set_range(var, inside);
        }
        let thread = self.fresh('i', Range::new(1, inside.hi), Some(count));
        self.threads.push(Thread { var: thread, count });
        let (body, rest) = self.body(|builder| {
            builder.ints.push(thread);
            make(builder)
        });
        self.threads.pop();
        if let Some(var) = count.var() {
            self.set_range(var, range);
        }
        self.owned = owned;
        self.certain = certain;
        self.times = times;
        self.kernel_mark = mark;
        (thread, body, rest)
    }

    /// Adds a read of an array that has a dimension of this extent.
    fn read_along(&mut self, count: Atom) {
        let array = self.choose(|builder, array| {
            array.shape.dims().contains(&count) && builder.is_inhabited(&array.shape)
        });
        match array {
            Some(array) => {
                self.read_of(&array);
            }
            None => {
                self.read();
            }
        }
    }

    /// One to three results of a kernel's body, whose sizes are bound outside of it, with their
    /// shapes and values as they are after the kernel.
    fn kernel_results(&mut self, outside: usize, count: Atom) -> (Vec<Atom>, Vec<(Shape, Range)>) {
        let number = [1, 2, 3][self.draw.weighed(&[15, 4, 1])];
        let threads = self.range(count).hi.max(1);
        let mut results = Vec::with_capacity(number);
        let mut shapes = Vec::with_capacity(number);
        for _ in 0..number {
            if let Some(literal) = self.literal_result() {
                results.push(Atom::Const(literal));
                shapes.push((Shape::new(&[count]), Range::exactly(literal.into())));
                continue;
            }
            let most = (MOST_ELEMENTS / threads).min(4 * MOST_ELEMENTS / self.times.max(1));
            let fits = |builder: &Self, array: &Array| {
                array.shape.rank() < MAX_RANK
                    && array
                        .shape
                        .dims()
                        .iter()
                        .all(|dim| dim.var().is_none_or(|var| var.slot() < outside))
                    && builder.elements(&array.shape) <= most
            };
            let inner = self.draw.chance(45);
            let local = self.choose(|builder, array| {
                inner && array.var.slot() >= outside && fits(builder, array)
            });
            let free = inner && self.draw.chance(12);
            let array = local.or_else(|| if free { self.choose(fits) } else { None });
            if let Some(array) = array {
                results.push(array.var.into());
                shapes.push((array.shape.under(count), array.values));
                continue;
            }
            let result = self.int_result(outside);
            results.push(result);
            shapes.push((Shape::new(&[count]), self.range(result)));
        }
        (results, shapes)
    }

    /// What an array is initialised with, where a kernel does nothing but that.
    fn literal_result(&mut self) -> Option<i32> {
        self.draw.chance(LITERALS).then(|| self.draw.pick(&[0, 0, 0, 1, -1]))
    }

    /// An int that depends on what was made since `mark`.
    pub(super) fn int_result(&mut self, mark: usize) -> Atom {
        if self.draw.chance(70)
            && let Some(digest) = self.digest(mark)
        {
            let range = match &digest {
                Se::Atom(atom) => self.range(*atom),
                Se::Bin(..) => Range::FULL,
            };
            return self.named(digest, range, None);
        }
        let local = self.choose_int(|_, var| var.slot() >= mark);
        match local {
            Some(var) if self.draw.chance(55) => var.into(),
            _ if self.draw.chance(40) => {
                let hash = self.hash();
                self.named(hash, Range::FULL, None)
            }
            _ => {
                let (se, range) = self.expression(2);
                self.named(se, range, None)
            }
        }
    }

    /// A fresh array in scope, not yet bound by a statement.
    pub(super) fn fresh_array(&mut self, letter: char, shape: Shape, values: Range) -> Array {
        let roots = self.fresh_root();
        self.owned |= roots;
        let var = self.fresh(letter, Range::FULL, None);
        let array =
            Array { var, shape, values, roots, joined: false, views: 0, alive: true, used: false };
        self.arrays.push(array);
        array
    }

    /// Adds a nest of kernels that makes an array of this shape, each element a hash, or a read.
    ///
    /// Where that is too much work it is one element, shown again and again.
    pub(super) fn construct(&mut self, shape: Shape) -> Array {
        let hashed = Range::FULL;
        if self.elements(&shape) > 32.max(2 * self.here()) {
            let one = self.construct(Shape::new(&[Atom::Const(1); MAX_RANK][..shape.rank()]));
            let slice = shape.dims().iter().map(|size| Dim {
                offset: 1.into(),
                size: *size,
                stride: 0.into(),
            });
            return self.slice_of(&one, slice.collect());
        }
        let result = self.nest(shape.dims());
        let array = self.fresh_array('a', shape, hashed);
        let (span, exp) = result;
        self.emit_at(span, vec![Binding { var: array.var, ty: shape.ty() }], exp);
        array
    }

    fn nest(&mut self, dims: &[Atom]) -> (Span, Exp<Fun>) {
        let count = dims[0];
        let span = self.span();
        let thread_mark = self.mark();
        let (thread, body, ()) = self.threads_of(count, |builder| {
            if dims.len() > 1 {
                let (span, exp) = builder.nest(&dims[1..]);
                let row = builder.fresh('a', Range::FULL, None);
                let ty = Ty::Array(dims[1..].to_vec());
                builder.emit_at(span, vec![Binding { var: row, ty }], exp);
                return (vec![row.into()], ());
            }
            if let Some(literal) = builder.literal_result() {
                return (vec![Atom::Const(literal)], ());
            }
            if builder.draw.chance(60) {
                builder.read_along(count);
            }
            let result = match builder.digest(thread_mark) {
                Some(digest) if builder.draw.chance(60) => digest,
                _ => builder.hash(),
            };
            (vec![builder.named(result, Range::FULL, None)], ())
        });
        (span, Exp::Kernel { thread, count, body })
    }

    /// An array whose sizes are these, where they are given: one in scope, or one made to order.
    pub(super) fn fulfil(&mut self, fixed: &[Option<Atom>]) -> Array {
        let rank = fixed.len();
        let fits = |_: &Self, array: &Array| {
            array.shape.rank() == rank
                && fixed
                    .iter()
                    .zip(array.shape.dims())
                    .all(|(fixed, dim)| fixed.is_none_or(|fixed| fixed == *dim))
        };
        if self.draw.chance(75)
            && let Some(array) = self.choose(fits)
        {
            return array;
        }
        let most = self.here().clamp(1, 256);
        let given = fixed.iter().flatten();
        let elements = given.fold(1, |n: i64, dim| n.saturating_mul(self.range(*dim).hi.max(1)));
        let free: Vec<Atom> = {
            let open = fixed.iter().filter(|dim| dim.is_none()).count();
            self.any_shape(open, (most / elements.max(1)).max(1)).dims().to_vec()
        };
        let mut free = free.into_iter();
        let dims: Vec<Atom> = fixed
            .iter()
            // `any_shape` gave one for each that is open.
            .map(|dim| dim.or_else(|| free.next()).unwrap_or(Atom::Const(1)))
            .collect();
        let shape = Shape::new(&dims);
        let views = self.draw.chance(25) || !self.may_allocate(&shape);
        if (views || self.elements(&shape) > self.here().max(4))
            && let Some(view) = self.stretched(shape)
        {
            return view;
        }
        self.construct(shape)
    }

    /// May a kernel allocate an array of this shape here?
    fn may_allocate(&self, shape: &Shape) -> bool {
        let invariant = |dim: &Atom| self.is_invariant(*dim);
        self.threads.is_empty() || self.varying || shape.dims().iter().all(invariant)
    }

    /// May an array of this shape be made here, and is there room for it?
    pub(super) fn may_construct(&self, shape: &Shape) -> bool {
        self.may_allocate(shape) && self.elements(shape) <= self.here()
    }

    /// Adds a view of this shape that shows one element, or one row, again and again.
    fn stretched(&mut self, shape: Shape) -> Option<Array> {
        let array = self.choose(|builder, array| {
            array.shape.rank() == shape.rank()
                && array.views < 6
                && builder.is_inhabited(&array.shape)
        })?;
        let slice = shape
            .dims()
            .iter()
            .zip(array.shape.dims())
            .map(|(size, extent)| {
                let fits = size == extent || self.range(*size).hi <= self.range(*extent).lo;
                let size_at_least_0 = self.range(*size).lo >= 0;
                if fits && size_at_least_0 {
                    let reversed = size == extent && self.draw.chance(40);
                    let offset = if reversed { *extent } else { Atom::Const(1) };
                    let stride = Atom::Const(if reversed { -1 } else { 1 });
                    Dim { offset, size: *size, stride }
                } else {
                    let offset = self.index_atom(*extent);
                    Dim { offset, size: *size, stride: Atom::Const(0) }
                }
            })
            .collect();
        Some(self.slice_of(&array, slice))
    }
}
