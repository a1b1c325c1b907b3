//! Fewer results: of the program, of kernels, branches and loops.

use super::super::Shrinking;
use super::dialect::Shrinks;
use super::walk;
use reference::fun::syntax::{Atom, Exp, Program};
use std::collections::HashMap;

impl<D: Shrinks> Shrinking<'_, Program<D>> {
    /// One result alone, then one result less. In FUNMEM a block and its array count as two.
    pub(super) fn cut_results(&mut self) {
        let count = self.program.body.results.len();
        for width in [1, 2] {
            if count <= width {
                break;
            }
            for at in 0..=count - width {
                let mut program = self.program.clone();
                program.body.results = program.body.results[at..at + width].to_vec();
                if self.attempt(program, self.input.clone()) {
                    return;
                }
            }
        }
        let mut program = self.program.clone();
        program.body.results = vec![Atom::Const(1)];
        if self.attempt(program, self.input.clone()) {
            return;
        }
        for width in [2, 1] {
            let mut at = self.program.body.results.len();
            while at > 0 {
                at -= 1;
                let mut program = self.program.clone();
                if at + width > program.body.results.len() || program.body.results.len() <= width {
                    continue;
                }
                program.body.results.drain(at..at + width);
                self.attempt(program, self.input.clone());
            }
        }
    }

    /// Kernels whose threads give 1 instead of a result that is not used.
    pub(super) fn cut_unused_results(&mut self) {
        for path in walk::paths(&self.program) {
            let mut at = 0;
            while let Some(stm) = walk::look_at(&self.program, &path).and_then(|b| b.stms.get(at)) {
                for entry in 0..stm.pattern.len() {
                    self.cut_unused_result(&path, at, entry);
                }
                at += 1;
            }
        }
    }

    fn cut_unused_result(&mut self, path: &walk::Path, at: usize, entry: usize) {
        let mut program = self.program.clone();
        let uses = walk::uses(&mut program);
        let Some(body) = walk::body_at(&mut program, path) else { return };
        let stm = &mut body.stms[at];
        let Exp::Kernel { count, body, .. } = &mut stm.exp else { return };
        let binding = &mut stm.pattern[entry];
        let Some(ty) = D::plain_array(&[*count]) else { return };
        if uses[binding.var.slot()] == 0 && body.results[entry] != Atom::Const(1) {
            binding.ty = ty;
            body.results[entry] = Atom::Const(1);
            self.attempt(program, self.input.clone());
        }
    }

    /// Patterns with fewer entries: those of kernels, branches and loops that nobody uses, or
    /// that constants can replace.
    pub(super) fn cut_entries(&mut self) {
        for path in walk::paths(&self.program) {
            let mut at = 0;
            while walk::look_at(&self.program, &path).is_some_and(|body| at < body.stms.len()) {
                self.cut_entries_of(&path, at);
                at += 1;
            }
        }
    }

    fn cut_entries_of(&mut self, path: &walk::Path, at: usize) {
        let entries = |shrinking: &Self| {
            walk::look_at(&shrinking.program, path)
                .and_then(|body| body.stms.get(at))
                .filter(|stm| !stm.exp.bodies().is_empty())
                .map_or(0, |stm| stm.pattern.len())
        };
        // From several at once, which belong together as a size, a block and an array do, to
        // single ones.
        let mut width = entries(self).saturating_sub(1);
        while width > 0 {
            let mut entry = entries(self);
            while entry >= width && entries(self) > 0 {
                entry -= 1;
                let first = entry + 1 - width;
                if first + width <= entries(self) {
                    self.cut_entry(path, at, first, width);
                }
            }
            width /= 2;
        }
    }

    fn cut_entry(&mut self, path: &walk::Path, at: usize, first: usize, width: usize) {
        let mut program = self.program.clone();
        let mut with = HashMap::new();
        let Some(body) = walk::body_at(&mut program, path) else { return };
        let Some(stm) = body.stms.get_mut(at) else { return };
        if stm.pattern.len() <= width {
            return;
        }
        let gone = first..first + width;
        for binding in stm.pattern.drain(gone.clone()) {
            with.insert(binding.var, Atom::Const(1));
        }
        match &mut stm.exp {
            Exp::If { then, orelse, .. } => {
                then.results.drain(gone.clone());
                orelse.results.drain(gone);
            }
            Exp::Kernel { body, .. } => {
                body.results.drain(gone);
            }
            Exp::Loop { carried, body, .. } => {
                for (binding, init) in carried.drain(gone.clone()) {
                    with.insert(binding.var, init);
                }
                body.results.drain(gone);
            }
            _ => return,
        }
        walk::substitute(&mut program, &with);
        self.attempt(program, self.input.clone());
    }
}
