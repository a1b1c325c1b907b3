//! What a heap run of FUNMEM consists of: labels, arrays as a label and an LMAD, the environment
//! and the heap.

use super::memory::Lmad;
use crate::fun::values::Ledger;
use crate::kit::names::Var;
use crate::kit::outcome::Why;

/// A heap label `ℓ`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Label(pub(crate) u32);

impl Label {
    pub(crate) fn number(self) -> usize {
        self.0 as usize
    }
}

/// `(ℓ, L)`
#[derive(Clone, Debug)]
pub(crate) struct Array {
    pub(crate) label: Label,
    pub(crate) lmad: Lmad,
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

/// A memory block, and the name that was bound to it where it was allocated.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) data: Vec<i32>,
    pub(crate) name: Var,
}

/// The heap `H`. Blocks that nothing can name any more are freed, and their labels taken again:
/// what a thread allocated when it is over, what a round of a loop allocated when it is over and
/// does not carry it on.
pub(crate) struct Heap {
    blocks: Vec<Block>,
    free: Vec<Label>,
    /// Labels that are not free, in the order of their allocation.
    live: Vec<Label>,
    ledger: Ledger,
}

/// A freed block keeps at most so many cells for the next one of its label.
const KEPT: usize = 1024;

impl Heap {
    /// No blocks; `limit` is in bytes.
    pub(crate) fn new(limit: u64) -> Self {
        Self { blocks: Vec::new(), free: Vec::new(), live: Vec::new(), ledger: Ledger::new(limit) }
    }

    /// `H, ℓ ↦ [0, …, 0]` with a fresh ℓ.
    pub(crate) fn allocate(&mut self, length: Option<usize>, name: Var) -> Result<Label, Why> {
        let length = self.ledger.admit(length)?;
        self.ledger.take(length);
        let label = match self.free.pop() {
            Some(label) => {
                let block = &mut self.blocks[label.number()];
                if length <= block.data.capacity() {
                    block.data.resize(length, 0);
                } else {
                    block.data = vec![0; length];
                }
                block.name = name;
                label
            }
            None => {
                self.blocks.push(Block { data: vec![0; length], name });
                Label(self.blocks.len() as u32 - 1)
            }
        };
        self.live.push(label);
        Ok(label)
    }

    /// What is allocated from now on lies beyond this mark.
    pub(crate) fn mark(&self) -> usize {
        self.live.len()
    }

    /// Frees what was allocated since the mark, but for what is to stay.
    pub(crate) fn release(&mut self, mark: usize, stays: impl Fn(Label) -> bool) {
        let mut kept = mark;
        for at in mark..self.live.len() {
            let label = self.live[at];
            if stays(label) {
                self.live[kept] = label;
                kept += 1;
                continue;
            }
            let block = &mut self.blocks[label.number()];
            self.ledger.give_back(block.data.len());
            if block.data.capacity() > KEPT {
                block.data = Vec::new();
            } else {
                block.data.clear();
            }
            self.free.push(label);
        }
        self.live.truncate(kept);
    }

    /// `H(ℓ)`
    #[inline]
    pub(crate) fn block(&self, label: Label) -> &Block {
        &self.blocks[label.number()]
    }

    /// `H(ℓ)`, to be changed.
    #[inline]
    pub(crate) fn block_mut(&mut self, label: Label) -> &mut Block {
        &mut self.blocks[label.number()]
    }

    /// May so many elements more live? Asked before a value outside the heap is made.
    pub(crate) fn admit(&self, elements: Option<usize>) -> Result<usize, Why> {
        self.ledger.admit(elements)
    }

    /// The most elements that lived at once.
    pub(crate) fn peak(&self) -> u64 {
        self.ledger.peak()
    }
}
