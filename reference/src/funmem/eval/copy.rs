//! `memcopy` (eq. 5, reading FUNMEM 2): element j reads L_src(j) and writes L_dst(j), and the
//! elements count as parallel iterations.

use super::{Eval, Frame, Run, stay};
use crate::fun::eval::scalar::clamp;
use crate::funmem::memory::Lmad;
use crate::funmem::rules::Rule;
use crate::funmem::syntax::{FunMem, Stm};
use crate::funmem::values::Array;
use crate::kit::heap::Label;
use crate::kit::names::Var;
use crate::kit::outcome::Cause;
use crate::kit::run::Evaluator;
use crate::kit::shadow::Place;

impl Run<'_> {
    /// The copy of thread `i`'s result to its place in the array that the kernel makes, where the
    /// result is an int: `memcopy(H, k, ℓ, index_f(L, i))`.
    #[inline]
    pub(super) fn copy_int(&mut self, stm: &Stm<FunMem>, k: i32, array: &Array, i: i32) -> Eval {
        let at = array.lmad.place(i);
        let block = &mut self.heap.block_mut(array.label).data;
        let Some((at, cell)) = at.and_then(|at| Some((at, block.get_mut(at)?))) else {
            let operands = [clamp(array.lmad.apply(std::iter::once(i))), block.len() as i64];
            return self.stuck(Rule::EMemKernel, stm.span, Cause::OutsideBlock, &operands);
        };
        *cell = k;
        let length = block.len();
        self.at = stm.span;
        self.heap.wrote(array.label, at);
        self.writes(array.label, at);
        self.tells_access((array.label, at, true), stm.span);
        self.lives.writes(array.label, length, array.made, at, stm.span);
        Ok(())
    }

    /// Where it is an array: `memcopy(H, (ℓ_src, L_src), ℓ, index_f(L, i))`.
    pub(super) fn copy_array(
        &mut self,
        stm: &Stm<FunMem>,
        source: (Var, &Array),
        array: &Array,
        i: i32,
    ) -> Eval {
        let part = Array { label: array.label, lmad: array.lmad.index(i), made: array.made };
        self.memcopy(Rule::EMemKernel, stm, source, &part)
    }

    /// `memcopy(H, (ℓ_src, L_src), ℓ_dst, L_dst)`; the source has a name.
    pub(super) fn memcopy(
        &mut self,
        rule: Rule,
        stm: &Stm<FunMem>,
        (name, source): (Var, &Array),
        target: &Array,
    ) -> Eval {
        let elements = self.heap.admit(source.lmad.elements())?;
        self.charge(elements as u64)?;
        self.at = stm.span;
        self.all_inside(rule, stm, Some(source), target)?;
        // All of H is read before H' is written.
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        let block = &self.heap.block(source.label).data;
        source.lmad.rows(|row| row.gather(block, &mut buffer));
        let mut elements = buffer.as_slice();
        let block = &mut self.heap.block_mut(target.label).data;
        target.lmad.rows(|row| row.scatter(&mut elements, block));
        let length = block.len();
        self.buffer = buffer;
        self.looks(stm.span, source);
        self.wrote(target);
        self.trace(rule, stm, Some(source), target);
        self.tells_copy(stm.span, Some(source), target);
        self.lives.reads_all(name, source);
        if stay(source, target) {
            self.lives.keeps_all(target, length, stm.span);
        } else {
            self.lives.writes_all(target, length, stm.span);
        }
        Ok(())
    }

    /// `memcopy` of an int to each element of a slice.
    pub(super) fn fill(&mut self, rule: Rule, stm: &Stm<FunMem>, k: i32, target: &Array) -> Eval {
        // A slice with stride 0 may have more elements than memory.
        self.charge(target.lmad.elements().map_or(u64::MAX, |elements| elements as u64))?;
        self.all_inside(rule, stm, None, target)?;
        let block = &mut self.heap.block_mut(target.label).data;
        target.lmad.rows(|row| row.fill(k, block));
        let length = block.len();
        self.wrote(target);
        self.trace(rule, stm, None, target);
        self.tells_copy(stm.span, None, target);
        self.lives.writes_all(target, length, stm.span);
        Ok(())
    }

    /// The premise `inside` of every element; what fails is the first element's, and of that
    /// the read. What was accessed before it counts for `racefree` (reading FUNMEM 3).
    fn all_inside(
        &mut self,
        rule: Rule,
        stm: &Stm<FunMem>,
        source: Option<&Array>,
        target: &Array,
    ) -> Eval {
        let fits = |array: &Array| array.lmad.fits(self.heap.block(array.label).data.len());
        if source.is_none_or(fits) && fits(target) {
            return Ok(());
        }
        let traced = self.trace_each(rule, stm, source, target);
        traced.or_else(|operands| self.stuck(rule, stm.span, Cause::OutsideBlock, &operands))
    }

    /// The premise `inside` of one access, or its operands where it fails.
    #[inline]
    fn inside(&self, label: Label, at: i128) -> Result<usize, [i64; 2]> {
        let length = self.heap.block(label).data.len();
        if 0 <= at && at < length as i128 {
            return Ok(at as usize);
        }
        Err([clamp(at), length as i64])
    }

    /// The traces of the elements, which count as threads: they race if a place is written that
    /// another element reads or writes.
    fn trace(&mut self, rule: Rule, stm: &Stm<FunMem>, source: Option<&Array>, target: &Array) {
        let apart = target.lmad.is_surely_injective()
            && source.is_none_or(|source| {
                source.label != target.label
                    || source.lmad.same(&target.lmad)
                    || disjoint(&source.lmad, &target.lmad)
            });
        if apart {
            self.trace_together(source, target);
        } else {
            let traced = self.trace_each(rule, stm, source, target);
            assert!(traced.is_ok(), "every element is inside");
        }
    }

    /// No two elements meet, so only the threads around the copy can race.
    fn trace_together(&mut self, source: Option<&Array>, target: &Array) {
        if self.path.is_empty() {
            return;
        }
        if let Some(source) = source {
            source.lmad.rows(|row| self.traces(source.label, row, false));
        }
        target.lmad.rows(|row| self.traces(target.label, row, true));
    }

    /// Each element as a thread of its own, up to an access that is not inside its block.
    fn trace_each(
        &mut self,
        rule: Rule,
        stm: &Stm<FunMem>,
        source: Option<&Array>,
        target: &Array,
    ) -> Result<(), [i64; 2]> {
        let kernel = self.shadow.kernel();
        self.frames.push(Frame { span: stm.span, rule });
        self.path.push(Place { kernel, thread: 0 });
        let level = self.path.len() - 1;
        let from = source.unwrap_or(target);
        let traced = from.lmad.pairs(&target.lmad, |a, b| {
            self.path[level].thread += 1;
            if let Some(source) = source {
                let at = self.inside(source.label, a)?;
                self.reads(source.label, at);
            }
            let at = self.inside(target.label, b)?;
            self.writes(target.label, at);
            Ok(())
        });
        self.path.pop();
        self.frames.pop();
        traced
    }
}

/// Do the images surely have no address in common?
fn disjoint(a: &Lmad, b: &Lmad) -> bool {
    match (a.bounds(), b.bounds()) {
        (Some((low_a, high_a)), Some((low_b, high_b))) => high_a < low_b || high_b < low_a,
        _ => true,
    }
}
