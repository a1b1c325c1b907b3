//! What the threads of an `on` do, for modes `umm` and `cal` (L28, L36, L69): their accesses by symbolic address, in
//! phases.
//!
//! Threads run in their order, and regions are filled by a bump pointer, so each access has an address: where the copy of
//! the region begins, a multiple of the width of a warp, and the offset in it (L29). Threads of a warp go together while
//! they are at one place of one call; of expressions the inner ones come before what is around them, so a place is the
//! end of an expression.
//!
//! What a region in the memory of work groups holds is read into it once for each group, and written back once (L32): a
//! request for each address group of it that threads of the group read before they write it, and for each that they write,
//! and no fewer than one for each warp that a group can have.

use super::values::Name;
use crate::cost::{Machine, Phase, Spent};
use crate::kit::tap::Space;
use crate::kit::text::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// An access of the device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// The expression behind which it is.
    pub(super) site: Span,
    pub(super) region: Name,
    pub(super) space: Space,
    pub(super) address: u64,
    pub(super) writes: bool,
}

/// Threads side by side, or the one thread of a serial part, and what the running group does to its regions.
struct Open {
    phase: Phase,
    lines: FxHashMap<Name, Lines>,
    /// Requests of the groups that are over.
    requests: u64,
}

/// Address groups of a region in the memory of a group.
#[derive(Default)]
struct Lines {
    read: FxHashSet<u64>,
    written: FxHashSet<u64>,
}

/// The device box of an `on` that runs.
pub(super) struct Trace {
    machine: Machine,
    /// The regions in the memory of work groups.
    groups: Vec<Name>,
    /// The phases that run: several where nested `parmap`s are laid flat.
    open: Vec<Open>,
    /// The one of the running thread.
    own: usize,
    spent: Spent,
}

impl Trace {
    /// An `on` that uses these regions in the memory of work groups. It begins with a serial part.
    pub(super) fn new(machine: &Machine, groups: Vec<Name>) -> Self {
        let (machine, spent) = (machine.clone(), Spent::default());
        let mut trace = Self { machine, groups, open: Vec::new(), own: 0, spent };
        trace.opens(1);
        trace.open[0].phase.thread();
        trace
    }

    fn opens(&mut self, phases: usize) {
        let open =
            || Open { phase: Phase::new(&self.machine), lines: FxHashMap::default(), requests: 0 };
        self.open = (0..phases).map(|_| open()).collect();
        self.own = 0;
    }

    /// The serial part is over, and so many phases begin whose threads are side by side.
    pub(super) fn forks(&mut self, phases: usize) {
        self.closes(false);
        self.opens(phases);
    }

    /// These phases are over, and a serial part begins.
    pub(super) fn joins(&mut self) {
        self.closes(true);
        self.opens(1);
        self.open[0].phase.thread();
    }

    /// The next thread of a phase starts.
    pub(super) fn thread(&mut self, phase: usize) {
        self.own = phase;
        let group = self.machine.width.saturating_mul(self.machine.warps);
        let open = &mut self.open[phase];
        if open.phase.started().is_multiple_of(group) {
            open.group_ends(&self.groups, self.machine.warps);
        }
        open.phase.thread();
    }

    fn closes(&mut self, threads: bool) {
        for mut open in std::mem::take(&mut self.open) {
            open.group_ends(&self.groups, self.machine.warps);
            let requests = open.requests;
            let mut spent = open.phase.ends();
            // Serial parts use global memory.
            if threads {
                let waits = 2 * self.groups.len() as u64 * spent.rounds;
                let prices = self.machine.calibrated;
                spent.times.umm += requests + waits * (self.machine.latency - 1);
                spent.times.cal += prices.request * requests as f64 + prices.wait * waits as f64;
                spent.accesses.requests += requests;
            }
            self.spent += spent;
        }
    }

    fn phase(&mut self) -> &mut Phase {
        &mut self.open[self.own].phase
    }

    pub(super) fn executes(&mut self, edges: u64) {
        self.phase().executes(edges);
    }

    pub(super) fn access(&mut self, access: Access) {
        let Access { site, region, space, address, writes } = access;
        let line = address / self.machine.width;
        if space == Space::Group {
            let lines = self.open[self.own].lines.entry(region).or_default();
            if writes {
                lines.written.insert(line);
            } else if !lines.written.contains(&line) {
                lines.read.insert(line);
            }
        }
        self.phase().access(behind(site), space, address);
    }

    /// Threads part behind an expression, or meet again there: they come from this side, from 1 on.
    pub(super) fn parts(&mut self, site: Span, side: u32) {
        self.phase().parts(behind(site), side);
    }

    /// The running thread goes into a call.
    pub(super) fn enter(&mut self, site: Span) {
        self.phase().enter(behind(site));
    }

    /// It goes into branches, which it runs one after the other. The value of the expression is written behind them.
    pub(super) fn enter_branches(&mut self, site: Span) {
        self.phase().enter(behind(Span { end: site.end.saturating_sub(1), ..site }));
    }

    /// The next branch starts, or the function that runs applies another one last.
    pub(super) fn round(&mut self) {
        self.phase().round();
    }

    pub(super) fn leave(&mut self) {
        self.phase().leave();
    }

    /// Roughly what is held, in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.open.iter().map(|open| open.phase.bytes()).sum()
    }

    /// The `on` is over.
    pub(super) fn ends(mut self) -> Spent {
        self.closes(false);
        self.spent.times.cal += self.machine.calibrated.launch;
        self.spent
    }
}

impl Open {
    /// The threads of a group are over, if there were any.
    fn group_ends(&mut self, regions: &[Name], warps: u64) {
        if self.phase.started() == 0 {
            return;
        }
        for region in regions {
            let Lines { read, written } = self.lines.remove(region).unwrap_or_default();
            let of = |lines: FxHashSet<u64>| warps.max(lines.len() as u64);
            self.requests += of(read) + of(written);
        }
    }
}

/// A site that is behind those of the parts of the expression, and before what is around it.
fn behind(Span { start, end }: Span) -> Span {
    Span { start: end, end: u32::MAX - start }
}
