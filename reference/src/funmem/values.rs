//! What a heap run of FUNMEM consists of beside the heap: arrays as a label and an LMAD, and the
//! environment.

use super::memory::Lmad;
use crate::kit::heap::Label;
use crate::kit::names::Var;

/// When an array was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Made {
    /// When it began to be made; all versions of it have this. 0: before the run.
    pub(crate) began: u32,
    /// When this version was there.
    pub(crate) there: u32,
}

/// `(ℓ, L)`
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub(crate) label: Label,
    pub(crate) lmad: Lmad,
    /// When it was made, where that is asked for.
    pub(crate) made: Made,
}

/// Values `v`. `Unset` is what a name has before it is bound; no rule can meet it.
#[derive(Clone, Debug, Default)]
pub(crate) enum Val {
    #[default]
    Unset,
    Int(i32),
    Label(Label),
    Array(Array),
}

/// The environment `E`: a value for each slot.
pub(crate) struct Env(Vec<Val>);

impl Env {
    /// Every name is unset.
    pub(crate) fn new(names: usize) -> Self {
        Self(vec![Val::Unset; names])
    }

    /// `E(x)`
    #[inline]
    pub(crate) fn get(&self, var: Var) -> &Val {
        &self.0[var.slot()]
    }

    /// `E(x)`, an int.
    #[inline]
    pub(crate) fn int(&self, var: Var) -> i32 {
        match &self.0[var.slot()] {
            Val::Int(k) => *k,
            other => broken("an int", other),
        }
    }

    /// `E(x)`, a label.
    #[inline]
    pub(crate) fn label(&self, var: Var) -> Label {
        match &self.0[var.slot()] {
            Val::Label(label) => *label,
            other => broken("a block", other),
        }
    }

    /// `E(x)`, an array.
    #[inline]
    pub(crate) fn array(&self, var: Var) -> &Array {
        match &self.0[var.slot()] {
            Val::Array(array) => array,
            other => broken("an array", other),
        }
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

    /// `E, x ↦ v`
    #[inline]
    pub(crate) fn bind(&mut self, var: Var, val: Val) {
        self.0[var.slot()] = val;
    }
}

#[cold]
fn broken(wanted: &str, found: &Val) -> ! {
    panic!("a well-typed program has {wanted} here, not {found:?}")
}
