//! Invocations that never end: one that is again in a state in which it was, while nobody else can change what it reads.

use super::exec::Stopped;
use super::{Failure, Invocation, Running};
use crate::kit::faults::WrongJudge;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::Op;

/// How many blocks are executed at most until the state is there again.
const BLOCKS: usize = 1 << 14;

impl Running<'_> {
    /// The run is out of fuel in this invocation: does it come back to where it is? That is only asked of runs that are
    /// traced, since it takes time.
    pub(super) fn unless_it_repeats(
        &mut self,
        ended: Result<Stopped, Box<Failure>>,
        invocation: &mut Invocation,
    ) -> Result<Stopped, Box<Failure>> {
        if let Err(failure) = &ended
            && failure.rule == Rule::Loop
            && self.trace.is_some()
            && !self.wrong(WrongJudge::RepeatsUnseen)
        {
            self.repeats = self.comes_back(invocation).map(|at| self.place(at));
        }
        ended
    }

    /// Executes block by block. Of two equal states of the invocation and of all memory the second leads to a third. With
    /// atomic operations between them somebody else may still change what they read, if there is anybody. It is told where:
    /// the first line among the operations that are repeated.
    fn comes_back(&mut self, invocation: &mut Invocation) -> Option<usize> {
        let home = self.stopped;
        let atomics = self.atomics;
        let before = invocation.clone();
        let group = self.group.clone();
        let buffers: Vec<Vec<u32>> =
            self.buffers.iter().map(|buffer| buffer.words.clone()).collect();
        let mut first: Option<(u32, usize)> = None;
        for _ in 0..BLOCKS {
            self.fuel = 0;
            invocation.next = self.blocks[self.stopped as usize].start as usize;
            let line = self.line_behind(invocation.next);
            first = first.into_iter().chain(line).min();
            match self.run(invocation) {
                Err(failure) if failure.rule == Rule::Loop => {}
                _ => return None,
            }
            if self.stopped == home && is_same(&before, invocation) {
                let memory = self.buffers.iter().map(|buffer| &buffer.words);
                let same = memory.eq(&buffers) && *self.group == group;
                let settled = self.alone
                    || self.atomics == atomics
                    || self.wrong(WrongJudge::OthersForgotten);
                return (same && settled).then(|| first.map_or(invocation.next, |(_, at)| at));
            }
        }
        None
    }

    /// The first operation of a block that has a line, and that.
    fn line_behind(&self, start: usize) -> Option<(u32, usize)> {
        let ends = |op: &Op| matches!(op, Op::Jump { .. } | Op::Branch { .. } | Op::Switch(_));
        let length = self.module.code[start..].iter().position(ends)?;
        let lines = (start..=start + length).map(|at| (self.module.sites[at].line, at));
        lines.into_iter().find(|(line, _)| *line > 0)
    }
}

/// Do both go on alike from the same block?
fn is_same(a: &Invocation, b: &Invocation) -> bool {
    let calls = |of: &Invocation| -> Vec<usize> { of.calls.iter().map(|call| call.next).collect() };
    a.frame == b.frame
        && a.memory == b.memory
        && a.registers == b.registers
        && a.own == b.own
        && calls(a) == calls(b)
}
