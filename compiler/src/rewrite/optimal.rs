//! How near what is extracted comes to the best: where all terms of an e-graph can be listed, each is
//! estimated by itself, and the cheapest is held against what a few ways of extraction choose.

use super::estimate::{Around, Candidate, of_term, over};
use super::front::{Fronts, Keep};
use super::node::{Graph, Node};
use super::search::Searched;
use egg::Id;
use good_lp::solvers::WithTimeLimit;
use good_lp::{
    Expression, ProblemVariables, Solution, SolverModel, Variable, constraint, variable,
};
use reference::axes::syntax::{Head, Level, Term};
use reference::axes::types::free;
use reference::cost::Machine;
use reference::kit::faults::Planted;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::time::Duration;

/// A way to choose a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The cheapest term of each class, where an array is paid for wherever it is read.
    Tree,
    /// The cheapest term of each class, where an array is paid for once.
    Dag,
    /// The best so many terms of each class and kind.
    Front(usize),
    /// An integer program: nodes are chosen so that the sum of their costs is least.
    Program,
}

impl Way {
    /// Every way that is compared.
    pub const ALL: [Way; 6] =
        [Way::Tree, Way::Dag, Way::Front(1), Way::Front(4), Way::Front(16), Way::Program];

    /// What it is called.
    pub fn text(self) -> String {
        match self {
            Way::Tree => "greedy, as a tree".to_owned(),
            Way::Dag => "greedy, arrays paid once".to_owned(),
            Way::Front(most) => format!("front of {most}"),
            Way::Program => "integer program".to_owned(),
        }
    }
}

/// What the ways gave for an e-graph.
pub struct Compared {
    /// How many terms there are.
    pub terms: usize,
    /// What the cheapest costs.
    pub best: f64,
    /// What the term of each way costs, in the order of [`Way::ALL`]; `None` if a way gave no term that has
    /// a plan, or no answer in time.
    pub chosen: Vec<Option<f64>>,
}

/// Lists all terms of a search's program in which no class is part of itself, and compares the ways. `None` if
/// there are more than `most`, or parts of them are many times as many.
pub fn compare(
    searched: &Searched,
    machine: &Machine,
    most: usize,
    time: Duration,
) -> Option<Compared> {
    let graph = &searched.graph;
    let root = graph.find(searched.root);
    let around = Around { scope: searched.scope(), machine, as_tree: false };
    let cost = |of: &Candidate| of.total(around).time(machine);
    let reach = reach(graph);
    let mut list =
        List { graph, around, reach: &reach, known: FxHashMap::default(), most, parts: 0 };
    let all = list.all(root, &mut Vec::new())?;
    let best = all.iter().map(cost).fold(f64::INFINITY, f64::min);
    let by_keep = |most: usize, by_kind: bool, as_tree: bool| {
        let around = Around { as_tree, ..around };
        let keep = Keep { around, most, by_kind, planted: Planted::NONE };
        let fronts = Fronts::new(graph, keep);
        let term = fronts.best(root).first()?.term.clone();
        of_term(&term, around).as_ref().map(cost)
    };
    let chosen = Way::ALL.into_iter().map(|way| match way {
        Way::Tree => by_keep(1, false, true),
        Way::Dag => by_keep(1, false, false),
        Way::Front(most) => by_keep(most, true, false),
        Way::Program => {
            let term = program(graph, root, around, &reach, time)?;
            of_term(&term, around).as_ref().map(cost)
        }
    });
    Some(Compared { terms: all.len(), best, chosen: chosen.collect() })
}

/// The classes that are part of each class.
type Reach = FxHashMap<Id, FxHashSet<Id>>;

fn reach(graph: &Graph) -> Reach {
    let below = |id: Id| {
        let mut seen = FxHashSet::default();
        let mut left = vec![id];
        while let Some(id) = left.pop() {
            for node in &graph[id].nodes {
                let args = node.args.iter().map(|arg| graph.find(*arg));
                left.extend(args.filter(|arg| seen.insert(*arg)));
            }
        }
        seen
    };
    graph.classes().map(|class| (class.id, below(class.id))).collect()
}

/// All terms of classes.
struct List<'a> {
    graph: &'a Graph,
    around: Around<'a>,
    reach: &'a Reach,
    /// By the class, and the classes around it that could be part of it.
    known: FxHashMap<(Id, Vec<Id>), Rc<Vec<Candidate>>>,
    most: usize,
    parts: usize,
}

/// How many times as many parts as terms are listed.
const PARTS: usize = 4;

impl List<'_> {
    fn all(&mut self, class: Id, path: &mut Vec<Id>) -> Option<Rc<Vec<Candidate>>> {
        if path.contains(&class) {
            return Some(Rc::new(Vec::new()));
        }
        let mut around: Vec<Id> =
            path.iter().copied().filter(|id| self.reach[&class].contains(id)).collect();
        around.sort_unstable();
        let key = (class, around);
        if let Some(known) = self.known.get(&key) {
            return Some(Rc::clone(known));
        }
        path.push(class);
        let mut list: Vec<Candidate> = Vec::new();
        let nodes: Vec<Node> = self.graph[class].nodes.clone();
        for node in &nodes {
            let args: Option<Vec<Rc<Vec<Candidate>>>> =
                node.args.iter().map(|arg| self.all(self.graph.find(*arg), path)).collect();
            let args = args?;
            let products = args.iter().try_fold(1_usize, |n, of| n.checked_mul(of.len()))?;
            if products.saturating_add(list.len()) > self.most {
                return None;
            }
            for nth in 0..products {
                let mut rest = nth;
                let chosen = args.iter().map(|of| {
                    let one = &of[rest % of.len()];
                    rest /= of.len();
                    one
                });
                let chosen: Vec<&Candidate> = chosen.collect();
                list.extend(over(&node.head, &chosen, self.around));
            }
        }
        path.pop();
        self.parts += list.len();
        if self.parts > PARTS * self.most {
            return None;
        }
        let list = Rc::new(list);
        self.known.insert(key, Rc::clone(&list));
        Some(list)
    }
}

/// What a node costs where costs can only be summed: a loop of one thread waits in each round, and an
/// operation or an access counts as often as the axes say that its class has.
fn weight(node: &Node, graph: &Graph, rounds: f64, around: Around<'_>) -> f64 {
    let leaf = |nth: usize| &graph[node.args[nth]].data.term;
    match node.head {
        Head::Apply | Head::If | Head::Get => rounds,
        Head::Build if leaf(0).head == Head::Level(Level::Grid) => 1.0,
        Head::Build | Head::Red | Head::Seq => {
            around.machine.latency as f64 * leaf(2).as_size().map_or(1.0, f64::from)
        }
        _ => 0.0,
    }
}

/// The largest e-graph that becomes an integer program.
const NODES: usize = 500;

/// The term whose nodes have the least sum of costs, arrays paid once.
fn program(
    graph: &Graph,
    root: Id,
    around: Around<'_>,
    reach: &Reach,
    time: Duration,
) -> Option<Term> {
    let mut classes: Vec<Id> = reach[&root].iter().copied().chain([root]).collect();
    classes.sort_unstable();
    classes.dedup();
    if classes.iter().map(|id| graph[*id].nodes.len()).sum::<usize>() > NODES {
        return None;
    }
    let mut vars = ProblemVariables::new();
    let mut chosen: FxHashMap<Id, Vec<Variable>> = FxHashMap::default();
    let mut place: FxHashMap<Id, Variable> = FxHashMap::default();
    let count = classes.len() as f64;
    let mut sum = Expression::from(0.0);
    for id in &classes {
        let axes = free(&graph[*id].data.term);
        let sizes = axes.iter().filter_map(|axis| around.scope.size(axis));
        let rounds: f64 = sizes.map(f64::from).product();
        let of: Vec<Variable> =
            graph[*id].nodes.iter().map(|_| vars.add(variable().binary())).collect();
        for (node, variable) in graph[*id].nodes.iter().zip(&of) {
            sum += weight(node, graph, rounds, around) * *variable;
        }
        chosen.insert(*id, of);
        place.insert(*id, vars.add(variable().min(0.0).max(count)));
    }
    let mut model = vars.minimise(sum).using(good_lp::microlp).with_time_limit(time.as_secs_f64());
    let of_class = |id: &Id| chosen[id].iter().fold(Expression::from(0.0), |sum, of| sum + *of);
    model = model.with(constraint!(of_class(&root) == 1.0));
    for id in &classes {
        for (node, variable) in graph[*id].nodes.iter().zip(&chosen[id]) {
            for arg in node.args.iter().map(|arg| graph.find(*arg)) {
                model = model.with(constraint!(of_class(&arg) >= *variable));
                // Only classes that are part of each other can make a term that never ends.
                if arg == *id || reach[&arg].contains(id) {
                    let steps = place[id] - place[&arg];
                    let far = count + 1.0;
                    model = model.with(constraint!(steps >= 1.0 - far + far * *variable));
                }
            }
        }
    }
    let solution = model.solve().ok()?;
    let node = |id: Id| {
        let of = chosen[&id].iter().position(|of| solution.value(*of) > 0.5)?;
        Some(&graph[id].nodes[of])
    };
    term(root, graph, &node, classes.len())
}

fn term<'g>(
    id: Id,
    graph: &'g Graph,
    chosen: &impl Fn(Id) -> Option<&'g Node>,
    deep: usize,
) -> Option<Term> {
    let node = chosen(id)?;
    let deep = deep.checked_sub(1)?;
    let args = node.args.iter().map(|arg| term(graph.find(*arg), graph, chosen, deep));
    Some(Term::new(node.head.clone(), args.collect::<Option<Vec<_>>>()?))
}
