//! Reads, slices, transpositions and updates.

use super::making::Making;
use super::types::{Array, MAX_RANK, Range, Shape};
use reference::fun::syntax::{Atom, Binding, Dim, Exp, Fun};
use reference::kit::names::Var;

impl Making<'_, '_> {
    /// Adds `let (v : int) = a[…]`, if some array surely has an element.
    pub(super) fn read(&mut self) -> Option<Var> {
        let array = self.choose(|making, array| making.is_inhabited(&array.shape))?;
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
        let array = self.choose(|making, array| making.is_consumable(array.roots))?;
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
