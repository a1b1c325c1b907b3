//! Statements that are being written, and what the variables of the function are where they stand.

use super::fold;
use super::value::Val;
use reference::device::syntax::{Block, Exp, Kind, Stm};
use reference::device::visit;
use reference::kit::names::Var;
use reference::kit::text::Span;
use rustc_hash::FxHashMap;

/// The most statements of a branch that are done whether it is taken or not, if they do nothing but compute.
const MOST_HOISTED: usize = 8;

/// Blocks that are open, the innermost last, and values of variables.
#[derive(Default)]
pub(super) struct Code {
    open: Vec<Block>,
    /// In how many blocks a variable of the device program is bound.
    depths: FxHashMap<Var, usize>,
    values: FxHashMap<Var, Val>,
    /// The values that variables had before, in the order in which they changed.
    changes: Vec<(Var, Option<Val>)>,
    /// How many statements were written.
    pub(super) written: usize,
}

impl Code {
    pub(super) fn open(&mut self) {
        self.open.push(Block::new());
    }

    pub(super) fn close(&mut self) -> Block {
        self.open.pop().expect("a block is open")
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn emit(&mut self, span: Span, kind: Kind) {
        self.written += 1;
        self.open.last_mut().expect("a block is open").push(Stm { span, kind });
    }

    /// A variable of the device program is bound here.
    pub(super) fn binds(&mut self, var: Var) {
        self.depths.insert(var, self.open.len());
    }

    /// A value of a variable of the function.
    pub(super) fn set(&mut self, var: Var, val: Val) {
        let before = self.values.insert(var, val);
        self.changes.push((var, before));
    }

    /// The value of a variable that has one.
    ///
    /// # Panics
    /// If it has none.
    pub(super) fn get(&self, var: Var) -> &Val {
        &self.values[&var]
    }

    /// Has the variable a value?
    pub(super) fn has(&self, var: Var) -> bool {
        self.values.contains_key(&var)
    }

    /// For another function: no variable has a value.
    pub(super) fn forget(&mut self) {
        self.values.clear();
        self.changes.clear();
        self.depths.clear();
    }

    /// Where the changes from now on begin.
    pub(super) fn mark(&self) -> usize {
        self.changes.len()
    }

    /// The values of what changed since then, and those from before again.
    pub(super) fn undo(&mut self, mark: usize) -> Changes {
        let mut changes = Changes::default();
        for (var, before) in self.changes.split_off(mark).into_iter().rev() {
            let now = match before {
                Some(before) => self.values.insert(var, before),
                None => self.values.remove(&var),
            };
            let now = now.expect("it was changed to a value");
            if !changes.values.contains_key(&var) {
                changes.order.push(var);
                changes.values.insert(var, now);
            }
        }
        changes.order.reverse();
        changes
    }

    /// Does the expression stand for the same here as where it was made?
    pub(super) fn reaches(&self, exp: &Exp) -> bool {
        let mut reaches = true;
        visit::exp(exp, &mut |part| {
            if let Exp::Var(var) = part {
                reaches &= self.depths.get(var).is_none_or(|depth| *depth <= self.open.len());
            }
        });
        reaches
    }

    /// Writes the statements of a branch here, if they do nothing but compute a little.
    pub(super) fn hoists(&mut self, block: &mut Block) {
        let computes = |stm: &Stm<Kind>| matches!(&stm.kind, Kind::Let(_, _, exp) if is_total(exp));
        if block.len() > MOST_HOISTED || !block.iter().all(computes) {
            return;
        }
        for stm in std::mem::take(block) {
            if let Kind::Let(var, ..) = &stm.kind {
                self.binds(*var);
            }
            self.emit(stm.span, stm.kind);
        }
    }
}

/// What changed in a branch, and to what.
#[derive(Default)]
pub(super) struct Changes {
    /// In the order in which they changed for the last time.
    pub(super) order: Vec<Var>,
    pub(super) values: FxHashMap<Var, Val>,
}

/// Is it a value in any case, and the same wherever it stands?
fn is_total(exp: &Exp) -> bool {
    let mut total = true;
    visit::exp(exp, &mut |part| {
        total &= match part {
            Exp::Load(_) | Exp::At(_) | Exp::Ref(_) | Exp::Field(..) | Exp::Make(_) => false,
            Exp::Bin(op, parts) => {
                !op.is_partial() || fold::literal(&parts[1]).is_some_and(|k| k > 0)
            }
            _ => true,
        };
    });
    total
}
