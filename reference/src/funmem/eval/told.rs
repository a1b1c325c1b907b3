//! What a run tells the tap that its recorder carries: nothing, for most recorders carry none.

use super::{Run, stay};
use crate::funmem::FunMem;
use crate::funmem::syntax::Body;
use crate::funmem::values::Array;
use crate::kit::heap::Label;
use crate::kit::run::Eval;
use crate::kit::tap::{Access, Inside, Launch, Space, Tap};
use crate::kit::text::Span;

impl Run<'_> {
    /// Tells the tap, with the clock.
    #[inline]
    pub(super) fn tells(&mut self, tell: impl FnOnce(&mut dyn Tap, u64)) {
        self.state.tells(tell);
    }

    /// A word is read or, if `writes`, written.
    #[inline]
    pub(super) fn tells_access(&mut self, (label, at, writes): (Label, usize, bool), site: Span) {
        let (block, offset) = (label.0, at as u64);
        let access = Access { space: Space::Global, block, offset, writes, site };
        self.tells(|tap, clock| tap.access(access, clock));
    }

    /// The body of a side of the branch at `site`, counted from 0.
    pub(super) fn side(&mut self, body: &Body<FunMem>, site: Span, side: u32) -> Eval {
        self.tells(|tap, clock| tap.parts(site, clock));
        self.body(body)?;
        self.tells(|tap, clock| tap.joins(site, side, clock));
        Ok(())
    }

    /// A loop starts, of so many rounds.
    #[inline]
    pub(super) fn tells_loop(&mut self, site: Span, rounds: u64) {
        self.tells(|tap, clock| tap.enter(site, Inside::Rounds(rounds), clock));
    }

    /// The thread of a kernel that comes next, from 1 on, of so many; `next` of them are behind. A tap may leave some out.
    #[inline]
    pub(super) fn next_thread(&mut self, around: usize, next: &mut u64, all: u64) -> Option<i32> {
        let at = self.state.next(*next, |tap| tap.next_of_kernel(around, *next));
        *next = at.saturating_add(1);
        (at < all).then_some(*next as i32)
    }

    /// The same of the rounds of a loop.
    #[inline]
    pub(super) fn next_round(&mut self, next: &mut u64, all: u64) -> Option<i32> {
        let at = self.state.next(*next, |tap| tap.next_round(*next));
        *next = at.saturating_add(1);
        (at < all).then_some(*next as i32)
    }

    /// Blocks since the mark are freed, but for those that stay.
    #[inline]
    pub(super) fn tells_release(&mut self, mark: usize, stays: impl Fn(&Self, Label) -> bool) {
        if self.state.recorder.tap().is_some() {
            let freed: Vec<_> =
                self.heap.since(mark).filter(|label| !stays(self, *label)).collect();
            self.tells(|tap, _| freed.iter().for_each(|label| tap.free(label.0)));
        }
    }

    /// A copy, or a slice that is filled: its elements count as threads (eq. 5). Where source and target are one place
    /// there is nothing to do.
    #[inline]
    pub(super) fn tells_copy(&mut self, site: Span, source: Option<&Array>, target: &Array) {
        let moves = source.is_none_or(|source| !stay(source, target));
        if moves && self.state.recorder.tap().is_some() {
            self.tells_elements(site, source, target);
        }
    }

    #[cold]
    fn tells_elements(&mut self, site: Span, source: Option<&Array>, target: &Array) {
        let around = self.path.len();
        let elements = target.lmad.elements().unwrap_or(usize::MAX) as u64;
        self.tells(|tap, clock| match around {
            0 => {
                let launch = Launch { site, threads: elements, group: None, group_words: 0 };
                tap.launch(launch, clock);
            }
            _ => tap.enter(site, Inside::Copy(elements), clock),
        });
        let mut number = 0;
        let mut next = self.state.next(0, |tap| tap.next_of_kernel(around, 0));
        let from = source.unwrap_or(target);
        let told: Result<(), ()> = from.lmad.pairs(&target.lmad, |a, b| {
            number += 1;
            if number <= next {
                return Ok(());
            }
            self.tells(|tap, clock| tap.thread_starts(around, number, clock));
            if let Some(source) = source {
                self.tells_access((source.label, a as usize, false), site);
            }
            self.tells_access((target.label, b as usize, true), site);
            next = self.state.next(number, |tap| tap.next_of_kernel(around, number));
            Ok(())
        });
        assert!(told.is_ok(), "nothing stops it");
        self.tells(|tap, clock| tap.kernel_ends(around, clock));
    }
}
