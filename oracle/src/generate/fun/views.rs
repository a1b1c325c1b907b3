//! Reads, slices, transpositions and updates.

use super::builder::Builder;
use super::types::{Array, MAX_RANK, Range, Shape};
use reference::fun::syntax::{Atom, Binding, Dim, Exp, Fun};
use reference::kit::names::Var;

impl Builder<'_, '_> {
    /// Adds `let (v : int) = a[…]`, if some array surely has an element.
    pub(super) fn read(&mut self) -> Option<Var> {
        let array = self.choose(|builder, array| builder.is_inhabited(&array.shape))?;
        Some(self.read_of(&array))
    }

    /// Adds a read of this array, which surely has an element.
    pub(super) fn read_of(&mut self, array: &Array) -> Var {
        let index = array.shape.dims().iter().map(|dim| self.index_atom(*dim)).collect();
        self.bind_int(Exp::Index { array: array.var, index }, array.values, None)
    }

    /// Adds a slice.
    pub(super) fn slice(&mut self) -> Option<Array> {
        let array = self.choose(|_, array| array.views < 6)?;
        let slice: Vec<Dim> = array.shape.dims().iter().map(|dim| self.dim(*dim, false)).collect();
        Some(self.slice_of(&array, slice))
    }

    /// Adds this slice.
    pub(super) fn slice_of(&mut self, array: &Array, slice: Vec<Dim>) -> Array {
        let mut sizes = [Atom::Const(0); MAX_RANK];
        for (size, dim) in sizes.iter_mut().zip(&slice) {
            *size = dim.size;
        }
        let shape = Shape::new(&sizes[..slice.len()]);
        let exp = Exp::Slice { array: array.var, slice };
        self.view(exp, Array { shape, views: array.views + 1, ..*array })
    }

    /// Adds a transposition.
    pub(super) fn transposition(&mut self) -> Option<Array> {
        let array = self.choose(|_, array| array.shape.rank() == 2 && array.views < 6)?;
        let dims = array.shape.dims();
        let shape = Shape::new(&[dims[1], dims[0]]);
        let exp = Exp::Transpose(array.var);
        Some(self.view(exp, Array { shape, views: array.views + 1, ..array }))
    }

    fn view(&mut self, exp: Exp<Fun>, mut view: Array) -> Array {
        view.used = false;
        view.var = self.fresh('a', Range::FULL, None);
        self.emit(vec![Binding { var: view.var, ty: view.shape.ty() }], exp);
        self.arrays.push(view);
        view
    }

    /// Adds an update of an array that was made here.
    pub(super) fn update(&mut self) -> Option<Array> {
        let array = self.choose(|builder, array| builder.is_consumable(array.roots))?;
        if self.draw.chance(45)
            && let Some((source, slice)) = self.fitting_source(&array)
        {
            return Some(self.update_of(&array, slice, source.var.into(), source.values));
        }
        let slice: Vec<Dim> = array.shape.dims().iter().map(|dim| self.dim(*dim, true)).collect();
        let sizes: Vec<Atom> = slice.iter().map(|dim| dim.size).collect();
        let (value, values) = if self.draw.chance(35) {
            let value = self.leaf();
            (value, self.range(value))
        } else {
            let fixed: Vec<Option<Atom>> = sizes.iter().copied().map(Some).collect();
            let source = self.fulfil(&fixed);
            (source.var.into(), source.values)
        };
        // What was made for the value may be out of one block with the array, but the array
        // itself is alive until here.
        Some(self.update_of(&array, slice, value, values))
    }

    /// An array that was there before, and a part of `array` that it fits into.
    fn fitting_source(&mut self, array: &Array) -> Option<(Array, Vec<Dim>)> {
        let extents = array.shape;
        let fits = |builder: &Self, source: &Array| {
            source.var != array.var
                && source.shape.rank() == extents.rank()
                && source.shape.dims().iter().zip(extents.dims()).all(|(size, extent)| {
                    let (inner, outer) = (builder.range(*size), builder.range(*extent));
                    size == extent || (inner.lo >= 0 && inner.hi <= outer.lo)
                })
        };
        // One that may share elements with the array has to be copied first.
        let shares = |builder: &Self, source: &Array| {
            source.roots & array.roots != 0 && fits(builder, source)
        };
        let sharing = if self.draw.chance(40) { self.choose(shares) } else { None };
        let source = sharing.or_else(|| self.choose(fits))?;
        let dims = source.shape.dims().iter().zip(extents.dims());
        let slice = dims
            .map(|(&size, &extent)| {
                let back = self.draw.chance(30);
                let stride = Atom::Const(if back { -1 } else { 1 });
                if size == extent || self.draw.chance(30) {
                    let offset = if back { extent } else { Atom::Const(1) };
                    return Dim { offset, size, stride };
                }
                // Somewhere inside; an empty one fits anywhere.
                let spare = self.range(extent).lo - self.range(size).hi;
                let first = self.draw.between(1, spare + 1);
                let last = first + self.range(size).hi - 1;
                match back && self.range(size).is_exact() && last >= 1 {
                    true => Dim { offset: Atom::Const(last as i32), size, stride },
                    false => {
                        Dim { offset: Atom::Const(first as i32), size, stride: Atom::Const(1) }
                    }
                }
            })
            .collect();
        Some((source, slice))
    }

    /// Adds this update.
    pub(super) fn update_of(
        &mut self,
        array: &Array,
        slice: Vec<Dim>,
        value: Atom,
        values: Range,
    ) -> Array {
        let exp = Exp::Update { array: array.var, slice, value };
        let var = self.fresh('u', Range::FULL, None);
        self.emit(vec![Binding { var, ty: array.shape.ty() }], exp);
        self.consume(array.roots);
        let updated =
            Array { var, values: array.values.union(values), alive: true, used: false, ..*array };
        self.arrays.push(updated);
        updated
    }
}
