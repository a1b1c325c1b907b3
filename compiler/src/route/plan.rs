//! How programs are compiled, and what a pass is told.

use crate::emit::style::{EXTRA_ROUNDS, Style};
use crate::emit::wgsl::Writing;
use crate::emit::workarounds::Workarounds;
use crate::pass::bound_loops::Limit;
use crate::pass::poison_checks::Detail;
use crate::target::{Adapter, Defect, Fcl};
use reference::fcl::doubles::{DOUBLES, Format};
use reference::fcl::location::{LOCATION, Machine};
use reference::kit::decisions::{Decisions, Policy};
use reference::kit::faults::Planted;
use reference::kit::language::Settings;
use reference::translate::expand_memory::Form;
use serde::{Deserialize, Serialize};

/// How programs are compiled.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Invocations in a work group.
    pub group: u32,
    /// Loop rounds that an invocation is given.
    pub rounds: Limit,
    /// What kernels tell of a failed check.
    pub detail: Detail,
    /// How memory expansion lays out the blocks of threads.
    pub form: Form,
    /// Which bugs of the toolchain are worked around.
    pub workarounds: Workarounds,
    /// How shaders are written.
    pub style: Style,
    /// How passes decide what they may do and need not.
    pub decisions: Policy,
    /// The fault that is planted, if any.
    pub planted: Planted,
    /// What a program of FCL is compiled for.
    pub fcl: Fcl,
    /// Is a program of FUN rewritten by laws first? Who drives the passes does it: it takes an input.
    pub optimize: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            group: 64,
            rounds: Limit { rounds: 1 << 24, iterations: None },
            detail: Detail::Site,
            form: Form::Coalesced,
            workarounds: Workarounds::All,
            style: Style::PLAIN,
            decisions: Policy::default(),
            planted: Planted::NONE,
            fcl: Fcl::default(),
            optimize: false,
        }
    }
}

/// How the forms of kernels are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelOptions {
    /// Loop rounds that an invocation is given.
    pub rounds: Limit,
    /// How shaders are written.
    pub writing: Writing,
    /// How is decided whether the checks of a kernel are eliminated.
    pub decisions: Policy,
}

impl Default for KernelOptions {
    fn default() -> Self {
        Plan::default().kernels()
    }
}

impl Plan {
    /// The same for what is set of the options of a language.
    pub fn with(self, settings: &Settings) -> Self {
        let machine = Machine::parse(settings.get(&LOCATION)).unwrap_or(self.fcl.machine);
        let doubles = Format::named(settings.get(&DOUBLES)).unwrap_or(self.fcl.doubles);
        Self { fcl: Fcl { machine, doubles, ..self.fcl }, ..self }
    }

    /// How shaders are written.
    pub fn writing(&self) -> Writing {
        Writing { workarounds: self.workarounds, style: self.style, planted: self.planted }
    }

    /// How the forms of kernels are made.
    pub fn kernels(&self) -> KernelOptions {
        KernelOptions { rounds: self.rounds, writing: self.writing(), decisions: self.decisions }
    }

    /// The same, made to fit an adapter: work groups and their memory within its limits, and fewer iterations of
    /// loops than a known defect of its driver takes, so that a program with more of them gives up
    /// rather than goes wrong.
    pub fn fit(self, adapter: &Adapter) -> Self {
        let group = adapter.limits.invocations.min(adapter.limits.group_size);
        let defects = adapter.defects.iter().filter_map(Defect::rounds);
        let most = |wrong: u64| {
            let right = wrong.saturating_sub(1 + u64::from(EXTRA_ROUNDS));
            u32::try_from(right).unwrap_or(u32::MAX)
        };
        let iterations = defects.min().map(most);
        let iterations = self.rounds.iterations.into_iter().chain(iterations).min();
        Self {
            group: self.group.min(group),
            rounds: Limit { iterations, ..self.rounds },
            fcl: Fcl { group_memory: adapter.limits.group_memory, ..self.fcl },
            ..self
        }
    }
}

/// What a pass is told: the plan, and the decisions of the compilation so far.
#[derive(Clone, Debug)]
pub struct PassCx {
    /// How the program is compiled.
    pub plan: Plan,
    /// What the pass may choose, and where it reports what it did.
    pub decisions: Decisions,
}

impl PassCx {
    /// Nothing is decided yet; no report is wanted.
    pub fn new(plan: Plan) -> Self {
        Self { plan, decisions: Decisions::new(plan.decisions) }
    }

    /// Nothing is decided yet; every pass reports what it does, and why.
    pub fn reported(plan: Plan) -> Self {
        Self { plan, decisions: Decisions::reported(plan.decisions) }
    }
}
