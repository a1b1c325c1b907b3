//! What a run of FUN consists of: values `v` and the environment `E`.

use super::arrays::Cut;
use crate::kit::heap::Ledger;
use crate::kit::names::Var;
use crate::kit::outcome::Value;
use smallvec::SmallVec;
use std::rc::Rc;

/// Values `v`. `Unset` is what a name has before it is bound; no rule can meet it.
#[derive(Clone, Debug, Default)]
pub(crate) enum Val {
    #[default]
    Unset,
    Int(i32),
    Array(Rc<Array>),
}

/// `[v, …, v]`: rectangular, so a shape and the elements row-major. A value carries its shape:
/// the transposition of a `[0][m]` is a `[m][0]` (reading FUN 3).
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) shape: Shape,
    pub(crate) data: Vec<i32>,
    ledger: Rc<Ledger>,
}

impl Array {
    /// An array whose elements the ledger has [admitted](Ledger::admit).
    pub(crate) fn new(shape: Shape, data: Vec<i32>, ledger: &Rc<Ledger>) -> Self {
        debug_assert_eq!(shape.elements(), Some(data.len()));
        ledger.take(data.len());
        Self { shape, data, ledger: Rc::clone(ledger) }
    }

    /// The array as a user writes it.
    pub(crate) fn value(&self) -> Value {
        Value::ints(self.shape.extents().to_vec(), self.data.clone())
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        self.ledger.give_back(self.data.len());
    }
}

/// Extents, outermost first. Those of most arrays cost no allocation.
#[derive(Debug, PartialEq)]
pub(crate) struct Shape(SmallVec<[usize; 3]>);

impl Clone for Shape {
    // Extents are words: copied as such, and not one by one.
    fn clone(&self) -> Self {
        Self(SmallVec::from_slice(&self.0))
    }
}

impl Shape {
    /// So many extents, all of them this.
    pub(crate) fn of_rank(rank: usize, extent: usize) -> Self {
        Self(SmallVec::from_elem(extent, rank))
    }

    /// The shape of a slice of an array of this shape.
    pub(crate) fn sliced(&self, slice: &[Cut]) -> Self {
        let mut sliced = self.clone();
        for (extent, cut) in sliced.0.iter_mut().zip(slice) {
            *extent = cut.size as usize;
        }
        sliced
    }

    /// The extents, to be changed.
    pub(crate) fn extents_mut(&mut self) -> &mut [usize] {
        &mut self.0
    }

    /// The shape of these extents.
    pub(crate) fn new(extents: impl IntoIterator<Item = usize>) -> Self {
        Self(extents.into_iter().collect())
    }

    /// The extents.
    #[inline]
    pub(crate) fn extents(&self) -> &[usize] {
        &self.0
    }

    /// How many elements; `None` if that is beyond any memory.
    pub(crate) fn elements(&self) -> Option<usize> {
        elements(self.extents())
    }
}

/// The product of extents; `None` if it is beyond any memory.
pub(crate) fn elements(extents: &[usize]) -> Option<usize> {
    if extents.contains(&0) {
        return Some(0);
    }
    extents.iter().try_fold(1usize, |product, &extent| product.checked_mul(extent))
}

/// The environment `E`: a value for each slot. Names are unique, so one vector is the
/// environment of every thread in turn, and nothing is cloned when a thread starts.
pub(crate) struct Env(Vec<Val>);

impl Env {
    /// Every name is unset.
    pub(crate) fn new(names: usize) -> Self {
        Self(vec![Val::Unset; names])
    }

    /// `E(x)`, an int.
    ///
    /// # Panics
    /// If it is none: T-VAR promised it.
    #[inline]
    pub(crate) fn int(&self, var: Var) -> i32 {
        match &self.0[var.slot()] {
            Val::Int(k) => *k,
            other => broken("an int", other),
        }
    }

    /// `E(x)`, an array.
    ///
    /// # Panics
    /// If it is none: the type rules promised it.
    #[inline]
    pub(crate) fn array(&self, var: Var) -> &Rc<Array> {
        match &self.0[var.slot()] {
            Val::Array(array) => array,
            other => broken("an array", other),
        }
    }

    /// `E(x)`.
    #[inline]
    pub(crate) fn get(&self, var: Var) -> &Val {
        &self.0[var.slot()]
    }

    /// `E(x)`, which is not read again.
    #[inline]
    pub(crate) fn take(&mut self, var: Var) -> Val {
        std::mem::take(&mut self.0[var.slot()])
    }

    /// `E, x ↦ k`. Most names are bound to an int again and again: one word is written then,
    /// where a whole value would be built and moved.
    #[inline]
    pub(crate) fn bind_int(&mut self, var: Var, k: i32) {
        match &mut self.0[var.slot()] {
            Val::Int(old) => *old = k,
            other => *other = Val::Int(k),
        }
    }

    /// `E, x ↦ v`.
    #[inline]
    pub(crate) fn bind(&mut self, var: Var, val: Val) {
        self.0[var.slot()] = val;
    }
}

#[cold]
fn broken(wanted: &str, found: &Val) -> ! {
    panic!("a well-typed program has {wanted} here, not {found:?}")
}
