//! The recorder of derivations. It builds the tree of rules that `lockstep explain` prints, or
//! only counts, which is what campaigns do.

use super::coverage::Coverage;
use super::rules::Roll;
use super::tap::Tap;
use super::text::Rejected;
use serde::Serialize;

/// A node of a derivation: a rule, what it concluded, and the derivations of its premises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Derivation {
    /// Name of the rule.
    pub rule: &'static str,
    /// What the rule was applied to.
    pub subject: String,
    /// What it concluded; empty while open, or if the run got stuck at a premise.
    pub conclusion: String,
    /// The premise that failed. At [`RACEFREE`] nothing gets stuck.
    pub failed: Option<&'static str>,
    /// Derivations of the premises, in order.
    pub premises: Vec<Derivation>,
}

/// The premise that no threads race: where it fails the run goes on, as a race is observed beside
/// the ending.
pub const RACEFREE: &str = "racefree";

impl Derivation {
    /// Did the run get stuck here?
    pub fn is_stuck(&self) -> bool {
        self.failed.is_some_and(|premise| premise != RACEFREE)
    }
}

/// A text that is made when it is wanted.
type Text<'t> = Box<dyn FnOnce() -> String + 't>;

struct Tree {
    open: Vec<Derivation>,
    roots: Vec<Derivation>,
    left: usize,
    /// How many nodes above the leaves were not recorded: depth below the last recorded node.
    skipped: usize,
}

/// Records which rules fire and which premises fail.
pub struct Recorder<R: Roll> {
    coverage: Coverage,
    tree: Option<Tree>,
    locates: bool,
    tap: Option<Box<dyn Tap + Send>>,
    room: std::marker::PhantomData<R>,
}

impl<R: Roll> Recorder<R> {
    /// Counts only.
    pub fn counting() -> Self {
        let coverage = Coverage::new::<R>();
        Self { coverage, tree: None, locates: false, tap: None, room: std::marker::PhantomData }
    }

    /// Counts, and asks the run for the statements of both accesses of each race. Such a run takes memory and time
    /// for each access.
    pub fn locating() -> Self {
        Self { locates: true, ..Self::counting() }
    }

    /// Are the statements of both accesses of each race asked for?
    pub fn locates(&self) -> bool {
        self.locates
    }

    /// Counts, and carries a tap, which the run tells what it does to memory.
    pub fn tapped(tap: Box<dyn Tap + Send>) -> Self {
        Self { tap: Some(tap), ..Self::counting() }
    }

    /// The tap that it carries.
    #[inline]
    pub fn tap(&mut self) -> Option<&mut (dyn Tap + Send + 'static)> {
        self.tap.as_deref_mut()
    }

    /// Takes the tap away.
    pub fn take_tap(&mut self) -> Option<Box<dyn Tap + Send>> {
        self.tap.take()
    }

    /// Is the tree of rules kept?
    pub fn keeps_tree(&self) -> bool {
        self.tree.is_some()
    }

    /// Counts and keeps the first `nodes` nodes of the tree.
    pub fn tree(nodes: usize) -> Self {
        let tree = Tree { open: Vec::new(), roots: Vec::new(), left: nodes, skipped: 0 };
        Self { tree: Some(tree), ..Self::counting() }
    }

    /// Opens a node: `rule` is being applied to `subject`.
    #[inline]
    pub fn enter(&mut self, rule: R, subject: impl FnOnce() -> String) {
        self.coverage.fire(rule);
        if let Some(tree) = &mut self.tree {
            tree.enter(rule.info().name, Box::new(subject));
        }
    }

    /// Notes that `rule` was applied so many times, without nodes for them.
    pub fn fire(&mut self, rule: R, times: u64) {
        self.coverage.fire_times(rule, times);
    }

    /// Closes the innermost node.
    #[inline]
    pub fn leave(&mut self, conclusion: impl FnOnce() -> String) {
        if let Some(tree) = &mut self.tree {
            tree.leave(Box::new(conclusion));
        }
    }

    /// Notes that a premise of `rule` failed, at the innermost open node of that rule.
    ///
    /// # Panics
    /// If the roll does not name the premise.
    #[cold]
    pub fn fail(&mut self, rule: R, premise: &'static str) {
        self.coverage.fail(rule, premise);
        if let Some(tree) = &mut self.tree {
            let node = tree.open.iter_mut().rev().find(|node| node.rule == rule.info().name);
            if let Some(node) = node {
                node.failed = Some(premise);
            }
        }
    }

    /// Notes that a parser rejected a program by a type rule (see [`Coverage::rejected`]).
    pub fn rejected(&mut self, rejected: &Rejected) {
        self.coverage.rejected(rejected);
    }

    /// The counts.
    pub fn coverage(&self) -> &Coverage {
        &self.coverage
    }

    /// A recorder for what another room does for this one: it keeps as much of the tree as is left, and counts on the roll of
    /// its own.
    pub fn lend<S: Roll>(&self) -> Recorder<S> {
        match &self.tree {
            Some(tree) => Recorder::tree(tree.left),
            None if self.locates => Recorder::locating(),
            None => Recorder::counting(),
        }
    }

    /// Takes the tree of a recorder that was lent.
    pub fn take_back<S: Roll>(&mut self, lent: Recorder<S>) {
        let left = lent.tree.as_ref().map_or(0, |tree| tree.left);
        let (_, roots) = lent.finish();
        let Some(tree) = &mut self.tree else { return };
        tree.left = left;
        match tree.open.last_mut() {
            Some(node) => node.premises.extend(roots),
            None => tree.roots.extend(roots),
        }
    }

    /// The counts and the roots of the tree; nodes that are still open are closed.
    pub fn finish(self) -> (Coverage, Vec<Derivation>) {
        let roots = self.tree.map_or_else(Vec::new, |mut tree| {
            tree.skipped = 0;
            while !tree.open.is_empty() {
                tree.leave(Box::new(String::new));
            }
            tree.roots
        });
        (self.coverage, roots)
    }
}

impl Tree {
    // Trees are kept by few runs: out of the way of those that only count, and texts boxed, so that
    // what they are made of stays in registers there.
    #[cold]
    #[inline(never)]
    fn enter(&mut self, rule: &'static str, subject: Text<'_>) {
        if self.left == 0 {
            self.skipped += 1;
            return;
        }
        self.left -= 1;
        self.open.push(Derivation {
            rule,
            subject: subject(),
            conclusion: String::new(),
            failed: None,
            premises: Vec::new(),
        });
    }

    #[cold]
    #[inline(never)]
    fn leave(&mut self, conclusion: Text<'_>) {
        if self.skipped > 0 {
            self.skipped -= 1;
            return;
        }
        let Some(mut node) = self.open.pop() else { return };
        if !node.is_stuck() {
            node.conclusion = conclusion();
        }
        match self.open.last_mut() {
            Some(parent) => parent.premises.push(node),
            None => self.roots.push(node),
        }
    }
}
