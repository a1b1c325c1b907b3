//! What a run does to memory, and where its threads stand when they do it, told while it runs. The cost semantics
//! ([`cost`](crate::cost)) listens; rooms tell it, and know no costs.
//!
//! A run tells a tap only if its recorder [carries](super::derivation::Recorder::tapped) one. The threads of a launch
//! are those of an outermost kernel. A room may tell the events of one thread in pieces, between those of others.

use super::text::Span;
use std::any::Any;

/// Which memory an access is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// Blocks that all threads and the host reach.
    Global,
    /// Memory of a work group.
    Group,
}

/// One access of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Which memory.
    pub space: Space,
    /// The number of its block, as it was told when the block was [allocated](Tap::alloc); 0 in the memory of a work
    /// group.
    pub block: u32,
    /// The word, counted from the start of the block or of the group's memory.
    pub offset: u64,
    /// Does it write?
    pub writes: bool,
    /// The statement.
    pub site: Span,
}

/// An outermost kernel, or a copy that the host orders, whose elements count as threads (eq. 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The statement.
    pub site: Span,
    /// How many threads.
    pub threads: u64,
    /// Threads of a work group, in a language that has work groups.
    pub group: Option<u32>,
    /// Words of the memory of a work group.
    pub group_words: u32,
}

/// What the running thread, or the host, comes to, in which it may stand in several rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// A call, or a loop whose rounds are not known before.
    Unknown,
    /// A loop or an inner kernel of so many rounds.
    Rounds(u64),
    /// A copy inside of a thread, of so many elements, which count as rounds.
    Copy(u64),
}

/// Who listens to a run. `clock` is always the number of statements that the run has executed so far, so the
/// statements of a thread are the differences between the clocks of what it tells.
///
/// A tap that wants a price and no results may leave threads and rounds out: a run asks it which one comes next
/// ([`Tap::next_thread`], [`Tap::next_group`], [`Tap::next_round`]). What is left out is not executed, and what it
/// would have written is not there.
pub trait Tap: Any {
    /// A block of so many words lives from now on. Its number is free again after [`Tap::free`]. One that is told of
    /// before the first statement, at clock 0, is that of a parameter.
    fn alloc(&mut self, block: u32, words: u64, clock: u64);

    /// The block lives no more.
    fn free(&mut self, block: u32);

    /// The host has filled the block, or reads all of it, besides what statements do: parameters and results.
    fn passes(&mut self, block: u32, writes: bool);

    /// A launch starts.
    fn launch(&mut self, launch: Launch, clock: u64);

    /// Of a launch in a language without work groups: the first thread from this one on, counted from 0, that is to
    /// run; any number beyond the last for none.
    fn next_thread(&mut self, number: u64) -> u64 {
        number
    }

    /// Of a launch in a language with work groups: the first one from this one on that is to run, likewise.
    fn next_group(&mut self, number: u64) -> u64 {
        number
    }

    /// What follows is told of this thread of the launch, counted from 0.
    fn thread(&mut self, number: u64, clock: u64);

    /// The threads of the running work group have all reached a barrier.
    fn barrier(&mut self, clock: u64);

    /// The launch is over.
    fn ends(&mut self, clock: u64);

    /// The running thread, or the host outside of launches, accesses a word.
    fn access(&mut self, access: Access, clock: u64);

    /// The running thread comes to a branch: what follows is one of its sides.
    fn parts(&mut self, site: Span, clock: u64);

    /// It comes to the end of a side of the branch, counted from 0: what follows is behind all of them.
    fn joins(&mut self, site: Span, side: u32, clock: u64);

    /// The running thread comes to a loop, an inner kernel or a call: what follows is inside.
    fn enter(&mut self, site: Span, inside: Inside, clock: u64);

    /// The first round from this one on, counted from 0, of the innermost of these that is to run; any number beyond the
    /// last for none. It starts with [`Tap::round`].
    fn next_round(&mut self, number: u64) -> u64 {
        number
    }

    /// Does it listen no more, so that the run may end?
    fn is_over(&self) -> bool {
        false
    }

    /// The next round of the innermost of these starts.
    fn round(&mut self, clock: u64);

    /// The innermost of these is left.
    fn leave(&mut self, clock: u64);

    /// A kernel starts, in a language without work groups and with so many kernels around it: a launch, or an inner
    /// kernel, whose threads are rounds of the thread around it.
    fn kernel_starts(&mut self, around: usize, site: Span, threads: u64, clock: u64) {
        match around {
            0 => self.launch(Launch { site, threads, group: None, group_words: 0 }, clock),
            _ => self.enter(site, Inside::Rounds(threads), clock),
        }
    }

    /// The first thread from this one on, counted from 0, of the innermost of these that is to run.
    fn next_of_kernel(&mut self, around: usize, number: u64) -> u64 {
        match around {
            0 => self.next_thread(number),
            _ => self.next_round(number),
        }
    }

    /// A thread of the innermost of these starts, counted from 1.
    fn thread_starts(&mut self, around: usize, number: u64, clock: u64) {
        match around {
            0 => self.thread(number - 1, clock),
            _ => self.round(clock),
        }
    }

    /// The innermost of these is over.
    fn kernel_ends(&mut self, around: usize, clock: u64) {
        match around {
            0 => self.ends(clock),
            _ => self.leave(clock),
        }
    }
}
