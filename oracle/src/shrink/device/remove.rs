//! Fewer results and fewer statements. What depends on them gets something simpler of its type.

use super::super::Shrinking;
use super::code::{Code, Path, block_at, look_at, paths, scope};
use super::dead_code::{Declared, retain_declarations, used_declarations, uses};
use super::placeholder::{PLACEHOLDERS, put_placeholders};
use reference::device::syntax::{Output, Program};
use reference::device::types::Types;
use reference::kit::names::Var;
use reference::kit::outcome::Value;

impl Shrinking<'_, Program> {
    /// No result, one alone, then one less.
    pub(super) fn cut_results(&mut self) {
        let mut tries: Vec<Vec<Output>> = vec![Vec::new()];
        tries.extend(self.program.results.iter().map(|output| vec![output.clone()]));
        for results in tries {
            let program = Program { results, ..self.program.clone() };
            if self.attempt(program, self.input.clone()) {
                return;
            }
        }
        let mut at = self.program.results.len();
        while at > 0 {
            at -= 1;
            let mut program = self.program.clone();
            if at < program.results.len() {
                program.results.remove(at);
                self.attempt(program, self.input.clone());
            }
        }
    }

    /// Takes out, one after the other, kernels that are not launched, functions that are not called, structures
    /// that are not named: one of them may be what is compiled wrongly, so that they cannot all go.
    pub(super) fn cut_declared(&mut self) {
        type List = fn(&mut Declared) -> &mut Vec<bool>;
        let lists: [List; 3] =
            [|used| &mut used.kernels, |used| &mut used.functions, |used| &mut used.structs];
        for list in lists {
            let mut at = list(&mut used_declarations(&mut self.program.clone())).len();
            while at > 0 {
                at -= 1;
                let mut program = self.program.clone();
                let mut used = used_declarations(&mut program);
                if list(&mut used).get(at) != Some(&false) {
                    continue;
                }
                for all in [&mut used.kernels, &mut used.functions, &mut used.structs] {
                    all.fill(true);
                }
                list(&mut used)[at] = false;
                retain_declarations(&mut program, &used);
                self.attempt(program, self.input.clone());
            }
        }
    }

    /// Takes out runs of statements, long ones first, from the end of each block.
    pub(super) fn remove_chunks<C: Code>(&mut self) {
        let mut which = 0;
        loop {
            let paths = paths::<C>(&self.program);
            let Some(path) = paths.get(which) else { break };
            let mut chunk = self.length::<C>(path);
            while chunk > 0 && !self.is_spent() {
                let mut end = self.length::<C>(path);
                while end >= chunk {
                    let removed = self.remove::<C>(path, end - chunk, chunk);
                    end = if removed { end.min(self.length::<C>(path)) } else { end - 1 };
                }
                chunk /= 2;
            }
            which += 1;
        }
    }

    fn length<C: Code>(&self, path: &Path) -> usize {
        look_at::<C>(&self.program, path).map_or(0, Vec::len)
    }

    fn remove<C: Code>(&mut self, path: &Path, at: usize, chunk: usize) -> bool {
        let mut plain = self.program.clone();
        let scope = scope::<C>(&plain, path, at);
        let Some(body) = block_at::<C>(&mut plain, path) else { return false };
        let gone = body.drain(at..at + chunk).flat_map(|stm| stm.kind.after());
        let mut gone: Vec<Var> = gone.collect();
        let uses = uses(&mut plain);
        gone.retain(|var| uses[var.slot()] > 0);
        self.attempt_stands(&plain, &gone, &scope, self.input.clone())
            || (chunk == 1 && !gone.is_empty() && self.forward_one::<C>(path, at))
    }

    /// Takes the program if it shows it with something in the place of names that are no longer
    /// bound in it.
    pub(super) fn attempt_stands(
        &mut self,
        plain: &Program,
        gone: &[Var],
        scope: &[Var],
        input: Vec<Value>,
    ) -> bool {
        let mut tried: Vec<Program> = Vec::new();
        PLACEHOLDERS.into_iter().any(|stand| {
            let mut program = plain.clone();
            put_placeholders(&mut program, &mut Types::of(&self.program), gone, scope, stand);
            // Where there are no places two ways to stand in come to the same.
            if tried.contains(&program) {
                return false;
            }
            tried.push(program.clone());
            self.attempt(program, input.clone())
        })
    }

    /// Takes out a variable that is read where it is stored to.
    fn forward_one<C: Code>(&mut self, path: &Path, at: usize) -> bool {
        let mut plain = self.program.clone();
        let Some(body) = block_at::<C>(&mut plain, path) else { return false };
        match body.remove(at).kind.after()[..] {
            [var] => self.forward(var, &plain),
            _ => false,
        }
    }
}
