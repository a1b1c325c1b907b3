//! Statements with bodies, replaced by one of their bodies or by something plain.

use super::super::Shrinking;
use super::dialect::Shrinks;
use super::remove::{PLACEHOLDERS, plain_kernel, put_placeholders};
use super::walk;
use reference::fun::syntax::{Atom, Exp, Program};
use std::collections::HashMap;

impl<D: Shrinks> Shrinking<'_, Program<D>> {
    /// Branches, one round of a loop or none, one thread of a kernel, in the place of the whole.
    pub(super) fn inline(&mut self) {
        let mut which = 0;
        loop {
            let paths = walk::paths(&self.program);
            let Some(path) = paths.get(which).cloned() else { break };
            let mut at = 0;
            while walk::look_at(&self.program, &path).is_some_and(|body| at < body.stms.len()) {
                let mut tries = 0;
                while tries < 8 && self.inline_one(&path, at) {
                    tries += 1;
                }
                at += 1;
            }
            which += 1;
        }
    }

    fn inline_one(&mut self, path: &walk::Path, at: usize) -> bool {
        let stm = match walk::look_at(&self.program, path).and_then(|body| body.stms.get(at)) {
            Some(stm) => stm.clone(),
            None => return false,
        };
        match stm.exp {
            Exp::If { then, orelse, .. } => [then, orelse].into_iter().any(|branch| {
                let with = stm
                    .pattern
                    .iter()
                    .zip(&branch.results)
                    .map(|(binding, result)| (binding.var, *result))
                    .collect();
                self.splice(path, at, branch.stms, &with)
            }),
            Exp::Loop { carried, counter, body, .. } => {
                let none: HashMap<_, _> = stm
                    .pattern
                    .iter()
                    .zip(&carried)
                    .map(|(binding, (_, init))| (binding.var, *init))
                    .collect();
                if self.splice(path, at, Vec::new(), &none) {
                    return true;
                }
                let mut once: HashMap<_, _> =
                    carried.iter().map(|(binding, init)| (binding.var, *init)).collect();
                once.insert(counter, Atom::Const(1));
                let results = stm.pattern.iter().zip(&body.results);
                once.extend(results.map(|(binding, result)| (binding.var, *result)));
                self.splice(path, at, body.stms, &once)
            }
            Exp::Kernel { thread, body, .. } => {
                if body.stms.len() > 1 && self.make_plain(path, at) {
                    return true;
                }
                PLACEHOLDERS.into_iter().any(|stand| {
                    let mut program = self.program.clone();
                    let Some(outer) = walk::body_at(&mut program, path) else { return false };
                    let length = body.stms.len();
                    outer.stms.splice(at..=at, body.stms.clone());
                    let with = HashMap::from([(thread, Atom::Const(1))]);
                    walk::substitute(&mut program, &with);
                    put_placeholders(&mut program, path, at + length, stm.pattern.clone(), stand);
                    self.attempt(program, self.input.clone())
                })
            }
            _ => false,
        }
    }

    /// Puts statements in the place of statement `at`, and atoms in the place of names.
    fn splice(
        &mut self,
        path: &walk::Path,
        at: usize,
        stms: Vec<reference::fun::syntax::Stm<D>>,
        with: &HashMap<reference::kit::names::Var, Atom>,
    ) -> bool {
        let mut program = self.program.clone();
        let Some(body) = walk::body_at(&mut program, path) else { return false };
        body.stms.splice(at..=at, stms);
        walk::substitute(&mut program, with);
        self.attempt(program, self.input.clone())
    }

    /// A kernel whose threads give their own number.
    fn make_plain(&mut self, path: &walk::Path, at: usize) -> bool {
        let mut program = self.program.clone();
        let Some(body) = walk::body_at(&mut program, path) else { return false };
        let stm = body.stms.remove(at);
        let mut made = Vec::new();
        for binding in &stm.pattern {
            match plain_kernel(&mut program, binding) {
                Some(mut plain) => {
                    plain.span = stm.span;
                    made.push(plain);
                }
                None => return false,
            }
        }
        if let Some(body) = walk::body_at(&mut program, path) {
            body.stms.splice(at..at, made);
        }
        self.attempt(program, self.input.clone())
    }
}
