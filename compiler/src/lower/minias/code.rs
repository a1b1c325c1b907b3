//! Statements that are being written, and what the variables of the function are where they stand.

use super::fold;
use super::value::Val;
use reference::device::syntax::{Block, Exp, Kind, Stm};
use reference::device::visit;
use reference::device::visit_mut::change_exp;
use reference::kit::names::Var;
use reference::kit::text::Span;
use rustc_hash::FxHashMap;

/// The most statements of a branch that are done whether it is taken or not, if they do nothing but compute.
const MOST_HOISTED: usize = 8;

/// How often definitions are put in the place of variables to compute something again, and of how many parts that is.
const MOST_AGAIN: usize = 4;
const MOST_PARTS: usize = 12;

/// Blocks that are open, the innermost last, and values of variables.
#[derive(Default)]
pub(super) struct Code {
    open: Vec<Block>,
    /// In how many blocks a variable of the device program is bound.
    depths: FxHashMap<Var, usize>,
    /// What they are bound to, if that is a value in any case.
    definitions: FxHashMap<Var, Exp>,
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

    /// It is bound to this.
    pub(super) fn defines(&mut self, var: Var, exp: &Exp) {
        self.binds(var);
        if is_total(exp) {
            self.definitions.insert(var, exp.clone());
        }
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
        self.definitions.clear();
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

    /// The expression as it can be written here, if it can: what is bound in a branch that is closed is computed again, if
    /// that takes little.
    pub(super) fn reached(&self, exp: &Exp) -> Option<Exp> {
        let mut exp = exp.clone();
        for _ in 0..=MOST_AGAIN {
            let (mut reaches, mut size) = (true, 0);
            visit::exp(&exp, &mut |part| {
                size += 1;
                if let Exp::Var(var) = part {
                    reaches &= self.is_bound(*var);
                }
            });
            if reaches {
                return Some(exp);
            }
            if size > MOST_PARTS {
                return None;
            }
            let mut known = true;
            change_exp(&mut exp, &mut |part| {
                if let Exp::Var(var) = part
                    && !self.is_bound(*var)
                {
                    match self.definitions.get(var) {
                        Some(definition) => *part = definition.clone(),
                        None => known = false,
                    }
                }
            });
            if !known {
                return None;
            }
        }
        None
    }

    /// Is the variable bound in a block that is open?
    fn is_bound(&self, var: Var) -> bool {
        self.depths.get(&var).is_none_or(|depth| *depth <= self.open.len())
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
