//! Equality saturation: laws are applied until nothing is new or a limit is met.
//!
//! A law works on the smallest term of each class that its holes match, and adds both sides with that
//! very term. So a guard is decided on the term that is used, and an explanation is a chain of
//! instances of laws. The same program, laws and limits give the same e-graph, unless the time ends it.

use super::groups;
use super::node::{Graph, Known, Node, expression, found, ground, pattern};
use egg::{EGraph, Id, Pattern, Searcher, Subst};
use reference::axes::apply::{At, Match, instance, right};
use reference::axes::laws::{Class, Group, Law, book};
use reference::axes::syntax::{Head, Level, Name, Program, Term};
use reference::axes::types::{Scope, Wrong, axes, binders, check, free};
use reference::kit::faults::Planted;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// What a search may do.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Nodes of the e-graph.
    pub nodes: usize,
    /// Bytes that the e-graph may take, as it is estimated.
    pub bytes: u64,
    /// How long it may take.
    pub time: Duration,
    /// How often all laws are tried.
    pub rounds: usize,
    /// How often a law may add something.
    pub budget: usize,
    /// Sizes of tiles.
    pub tiles: Vec<u32>,
    /// Laws of these classes are applied.
    pub classes: Vec<Class>,
    /// Laws that are left out, by name.
    pub without: Vec<String>,
    /// The fault that a law carries, if any.
    pub planted: Planted,
}

/// Laws that make a term larger, or lead to as many forms as it has operands. A search that tries them
/// finds little else before it meets its limits, so they are tried where they are asked for.
pub const ASKED_FOR: [&str; 21] = [
    "assoc",
    "comm",
    "distribute",
    "minus",
    "unroll",
    "unroll-seq",
    "peel-red",
    "permute-red",
    "permute-red-stride",
    "halve-red",
    "halve-red-near",
    "split-red-rest",
    "split-red-ceil",
    "seq-split",
    "halve-red-stored",
    "hoist",
    "level-group",
    "level-lane",
    "pad",
    "place-group",
    "place-priv",
];

impl Default for Limits {
    fn default() -> Self {
        Limits {
            nodes: 50_000,
            bytes: 256 << 20,
            time: Duration::from_secs(10),
            rounds: 24,
            budget: 20_000,
            tiles: vec![4, 32],
            classes: Class::ALL.to_vec(),
            without: ASKED_FOR.map(str::to_owned).to_vec(),
            planted: Planted::NONE,
        }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Nothing is new: every term that the laws reach is there.
    Saturated,
    /// A law has used its budget up, and the others add nothing new.
    Budget,
    /// The limit of nodes.
    Nodes,
    /// The limit of memory.
    Memory,
    /// The time.
    Time,
    /// The limit of rounds.
    Rounds,
}

impl Stop {
    /// One sentence.
    pub fn text(self) -> &'static str {
        match self {
            Stop::Saturated => "every term that the laws reach was looked at",
            Stop::Budget => "the budget of a law was used up",
            Stop::Nodes => "the limit of nodes was met",
            Stop::Memory => "the limit of memory was met",
            Stop::Time => "the time was up",
            Stop::Rounds => "the limit of rounds was met",
        }
    }
}

/// What a law did.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Its name.
    pub law: &'static str,
    /// How many instances were added.
    pub applied: usize,
    /// How many of them made two classes one.
    pub merged: usize,
    /// Did its budget end before its matches?
    pub stopped: bool,
}

/// A finished search.
pub struct Searched {
    pub(super) graph: Graph,
    pub(super) root: Id,
    /// The program that was searched.
    pub program: Program,
    /// Why it ended.
    pub stop: Stop,
    /// What each law did.
    pub profile: Vec<Profile>,
}

impl Searched {
    /// Nodes and classes.
    pub fn size(&self) -> (usize, usize) {
        (self.graph.total_number_of_nodes(), self.graph.number_of_classes())
    }

    /// The axes and parameters.
    pub fn scope(&self) -> &Scope {
        &self.graph.analysis.scope
    }

    /// Is the term known to be equal to the program's?
    pub fn holds(&self, term: &Term) -> bool {
        let class = self.graph.lookup_expr(&expression(term));
        class.is_some_and(|class| self.graph.find(class) == self.graph.find(self.root))
    }
}

/// A law with one of its left sides as egg's pattern.
struct Rule {
    law: &'static Law,
    nth: usize,
    left: Pattern<Node>,
    /// From right to left.
    back: bool,
    parameter: u32,
}

/// The symbol by which a law is named in an explanation.
pub(super) fn symbol(law: &Law, parameter: u32) -> String {
    match parameter {
        0 => law.name.to_owned(),
        parameter => format!("{} {parameter}", law.name),
    }
}

fn rules(limits: &Limits) -> Vec<Rule> {
    let mut rules = Vec::new();
    let wanted = |law: &&Law| {
        limits.classes.contains(&law.class) && !limits.without.iter().any(|name| name == law.name)
    };
    for law in book(limits.planted).filter(wanted) {
        let parameters = match (law.tiles, law.words) {
            (true, _) => limits.tiles.clone(),
            (_, true) => vec![1],
            _ => vec![0],
        };
        for parameter in parameters {
            for (nth, left) in law.left.iter().enumerate() {
                rules.push(Rule { law, nth, left: pattern(left), back: false, parameter });
            }
            if let (true, Some(right)) = (law.both, law.pattern()) {
                rules.push(Rule { law, nth: 0, left: pattern(right), back: true, parameter });
            }
        }
    }
    rules
}

/// Searches from a program on.
///
/// # Errors
/// The program is no term.
pub fn search(program: &Program, limits: &Limits) -> Result<Searched, Wrong> {
    let scope = check(program)?;
    let graph = EGraph::new(Known { scope });
    Ok(run(graph, program, limits))
}

/// The same with what explanations need.
///
/// # Errors
/// The program is no term.
pub fn search_explained(program: &Program, limits: &Limits) -> Result<Searched, Wrong> {
    let scope = check(program)?;
    let graph = EGraph::new(Known { scope }).with_explanations_enabled();
    Ok(run(graph, program, limits))
}

fn run(mut graph: Graph, program: &Program, limits: &Limits) -> Searched {
    let start = Instant::now();
    let root = graph.add_expr(&expression(&program.term));
    graph.rebuild();
    let rules = rules(limits);
    let mut origins = Origins {
        own: binders(&program.term),
        groups: groups::are_searched(limits),
        ..Origins::default()
    };
    let mut done: Vec<FxHashSet<Term>> = rules.iter().map(|_| FxHashSet::default()).collect();
    let mut profile: Vec<Profile> = Vec::new();
    let mut stop = Stop::Rounds;
    'rounds: for _ in 0..limits.rounds {
        let before = (graph.total_number_of_nodes(), graph.number_of_classes());
        let mut new = false;
        let mut out_of_budget = false;
        for (rule, done) in rules.iter().zip(&mut done) {
            let all = rule.left.search_with_limit(&graph, MATCHES);
            let all: Vec<Subst> = all.into_iter().flat_map(|class| class.substs).collect();
            let at = match profile.iter().position(|of| of.law == rule.law.name) {
                Some(at) => at,
                None => {
                    let law = rule.law.name;
                    profile.push(Profile { law, applied: 0, merged: 0, stopped: false });
                    profile.len() - 1
                }
            };
            if all.len() >= MATCHES {
                profile[at].stopped = true;
                out_of_budget = true;
            }
            for subst in all {
                if profile[at].applied >= limits.budget {
                    profile[at].stopped = true;
                    out_of_budget = true;
                    break;
                }
                if let Some(merged) = apply(rule, &subst, &mut graph, done, &mut origins) {
                    profile[at].applied += 1;
                    profile[at].merged += usize::from(merged);
                    new = true;
                }
                let limit = match () {
                    () if graph.total_number_of_nodes() > limits.nodes => Some(Stop::Nodes),
                    () if bytes(&graph) > limits.bytes => Some(Stop::Memory),
                    () if start.elapsed() > limits.time => Some(Stop::Time),
                    () => None,
                };
                if let Some(limit) = limit {
                    stop = limit;
                    break 'rounds;
                }
            }
            graph.rebuild();
        }
        let after = (graph.total_number_of_nodes(), graph.number_of_classes());
        if !new && before == after {
            stop = if out_of_budget { Stop::Budget } else { Stop::Saturated };
            break;
        }
    }
    graph.rebuild();
    Searched { graph, root, program: program.clone(), stop, profile }
}

/// What a node takes, with its class, its term and the tables that it is in.
const NODE: u64 = 1_500;

/// What the e-graph takes, by an estimate.
fn bytes(graph: &Graph) -> u64 {
    let factor = if graph.are_explanations_enabled() { 2 } else { 1 };
    graph.total_number_of_nodes() as u64 * NODE * factor
}

/// How many matches of a law are looked at in a round. More of them take memory before any limit is
/// looked at.
const MATCHES: usize = 1_000_000;

/// Where the axes come from.
#[derive(Default)]
struct Origins {
    /// Those of the program.
    own: BTreeSet<Name>,
    /// Those of tiles, with the axis that was split.
    parts: BTreeMap<Name, Name>,
    /// Those of arrays that a law made.
    copies: BTreeSet<Name>,
    /// Are plans of work groups searched?
    groups: bool,
}

impl Origins {
    /// Is this instance looked at? A loop is moved while it is `seq`: the laws of levels make the
    /// others of it, so that orders and levels do not multiply. A tile is not split again, nor an axis
    /// of an array that a law made. What is put into memory is a part of a reduction, and parameters by
    /// `pack`: in tiles, where the axis that is read is split by them.
    fn are_searched(&self, rule: &Rule, found: &Match, scope: &Scope) -> bool {
        let hole = |name: &str| found.get(&Name::new(name));
        if self.groups
            && let Some(looked_at) = groups::is_searched(rule.law.name, found, &self.own)
        {
            return looked_at;
        }
        let moved = |term: &Term| matches!(term.head, Head::Level(level) if level != Level::Seq);
        if found.values().any(moved) {
            return false;
        }
        match rule.law.name {
            "materialise" => hole("e").is_some_and(|of| self.is_partial_sum(of, scope)),
            "keep" => hole("T").is_some_and(|of| !axes(of).is_empty()),
            "pack" => !self.reads_copies(found),
            "pack-rows" => !self.reads_copies(found) && is_split(hole("x"), rule, scope),
            "pack-columns" => !self.reads_copies(found) && is_split(hole("y"), rule, scope),
            _ if rule.law.tiles => {
                let mut split = ["i", "k"].iter().filter_map(|name| hole(name)?.as_axis());
                split.all(|axis| self.own.contains(axis))
            }
            _ => true,
        }
    }

    fn reads_copies(&self, found: &Match) -> bool {
        found.values().any(|term| free(term).iter().any(|axis| self.copies.contains(axis)))
    }

    /// Is it a part of a reduction that was split, with at most one axis beside that of its parts?
    fn is_partial_sum(&self, of: &Term, scope: &Scope) -> bool {
        let Some((summed, _)) = of.binds().filter(|_| of.head == Head::Red) else { return false };
        let around = free(of).into_iter().filter(|name| !scope.params.contains_key(name));
        let around: Vec<Name> = around.collect();
        let parent = self.parts.get(summed);
        let is_other = |name: &Name| self.parts.get(name) == parent;
        // An array of an array is another one of the same.
        let is_copy = around.iter().any(|name| self.copies.contains(name));
        parent.is_some() && around.len() <= 2 && around.iter().any(is_other) && !is_copy
    }

    /// Notes the axes that a law has made.
    fn note(&mut self, law: &Law, found: &Match, before: &Scope, after: &Scope) {
        let new = || after.sizes.keys().filter(|name| !before.sizes.contains_key(*name));
        match law.group {
            Group::Arrays => self.copies.extend(new().cloned()),
            _ => {
                let split = ["i", "k"].iter().find_map(|name| found.get(&Name::new(name)));
                let split = split.and_then(Term::as_axis).filter(|_| law.tiles);
                self.parts.extend(
                    new()
                        .zip(split.into_iter().cycle())
                        .map(|(new, split)| (new.clone(), split.clone())),
                );
            }
        }
    }
}

/// Is an index that of a tile and of an element in it, each an axis?
fn is_split(index: Option<&Term>, rule: &Rule, scope: &Scope) -> bool {
    let parts = index.and_then(Term::as_index).and_then(|index| {
        let (outer, inner) = index.divided(rule.parameter, &scope.sizes)?;
        Some(outer.as_axis().is_some() && inner.as_axis().is_some())
    });
    parts == Some(true)
}

/// Adds an instance of a law. `None` if it is not new, or its guard does not hold.
fn apply(
    rule: &Rule,
    subst: &Subst,
    graph: &mut Graph,
    done: &mut FxHashSet<Term>,
    origins: &mut Origins,
) -> Option<bool> {
    let law = rule.law;
    let side = if rule.back { law.pattern()? } else { &law.left[rule.nth] };
    let found = found(side, subst, graph);
    if !origins.are_searched(rule, &found, &graph.analysis.scope) {
        return None;
    }
    let matched = instance(side, &found)?;
    if !done.insert(matched) {
        return None;
    }
    let left = instance(&law.left[rule.nth], &found)?;
    let mut scope = graph.analysis.scope.clone();
    let parameter = rule.parameter;
    let to = right(law, &mut At::new(&found, parameter, &mut scope))?;
    origins.note(law, &found, &graph.analysis.scope, &scope);
    graph.analysis.scope = scope;
    let subst = Subst::default();
    let name = symbol(law, parameter);
    Some(graph.union_instantiations(&ground(&left), &ground(&to), &subst, name).1)
}
