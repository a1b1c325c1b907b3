//! What a run of FUN consists of: values `v`, the environment `E`, and the ledger that keeps live
//! arrays within the budget.

use crate::kit::names::Var;
use crate::kit::outcome::{Value, Why};
use std::cell::Cell;
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
        Value::Array { shape: self.shape.extents().to_vec(), data: self.data.clone() }
    }
}

impl Drop for Array {
    fn drop(&mut self) {
        self.ledger.give_back(self.data.len());
    }
}

/// Extents, outermost first. Up to three stand inside, so that small arrays cost no allocation.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    rank: usize,
    inside: [usize; 3],
    beyond: Vec<usize>,
}

impl Shape {
    /// The shape of these extents.
    pub(crate) fn new(extents: impl IntoIterator<Item = usize>) -> Self {
        let mut shape = Self { rank: 0, inside: [0; 3], beyond: Vec::new() };
        for extent in extents {
            if shape.rank < 3 {
                shape.inside[shape.rank] = extent;
            } else {
                if shape.rank == 3 {
                    shape.beyond.extend(shape.inside);
                }
                shape.beyond.push(extent);
            }
            shape.rank += 1;
        }
        shape
    }

    /// The extents.
    #[inline]
    pub(crate) fn extents(&self) -> &[usize] {
        if self.rank <= 3 { &self.inside[..self.rank] } else { &self.beyond }
    }

    /// How many elements; `None` if that is beyond any memory.
    pub(crate) fn elements(&self) -> Option<usize> {
        elements(self.extents())
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.extents() == other.extents()
    }
}

/// The product of extents; `None` if it is beyond any memory.
pub(crate) fn elements(extents: &[usize]) -> Option<usize> {
    if extents.contains(&0) {
        return Some(0);
    }
    extents.iter().try_fold(1usize, |product, &extent| product.checked_mul(extent))
}

/// Elements of live arrays or blocks, held against the memory budget.
#[derive(Debug)]
pub(crate) struct Ledger {
    live: Cell<u64>,
    peak: Cell<u64>,
    /// Bytes.
    limit: u64,
}

/// Bytes of an element.
pub(crate) const ELEMENT: u64 = 4;

impl Ledger {
    /// Nothing lives; `limit` is in bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self { live: Cell::new(0), peak: Cell::new(0), limit }
    }

    /// May so many elements more live? Asked before they are allocated.
    #[inline]
    pub(crate) fn admit(&self, elements: Option<usize>) -> Result<usize, Why> {
        let wanted = elements.map_or(u64::MAX, |more| self.live.get().saturating_add(more as u64));
        let bytes = wanted.saturating_mul(ELEMENT);
        match elements {
            Some(elements) if bytes <= self.limit => Ok(elements),
            _ => Err(Why::Memory(bytes)),
        }
    }

    /// So many elements live from now on.
    #[inline]
    pub(crate) fn take(&self, elements: usize) {
        let live = self.live.get() + elements as u64;
        self.live.set(live);
        if live > self.peak.get() {
            self.peak.set(live);
        }
    }

    /// So many elements live no longer.
    #[inline]
    pub(crate) fn give_back(&self, elements: usize) {
        self.live.set(self.live.get() - elements as u64);
    }

    /// The most elements that lived at once.
    pub(crate) fn peak(&self) -> u64 {
        self.peak.get()
    }
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

    /// `E(x)`, which nobody will ask for again.
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
