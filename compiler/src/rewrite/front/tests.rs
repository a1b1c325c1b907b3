//! The fronts of random e-graphs, with cycles, against all terms up to a height.

use super::super::estimate::{Around, Candidate, of_term};
use super::super::node::{Graph, Known, Node, expression};
use super::{Fronts, Keep};
use egg::{EGraph, Id};
use quickcheck::{Arbitrary, Gen, quickcheck};
use reference::axes::syntax::{Head, Kind, Name, Place, Term};
use reference::axes::types::Scope;
use reference::cost::Machine;
use reference::kit::faults::Planted;
use reference::kit::scalar::BinOp;
use rustc_hash::FxHashMap;

/// What is added to an e-graph, one after the other; numbers say which of the classes so far.
#[derive(Clone, Debug)]
enum Step {
    Apply(u8, u8),
    If(u8, u8, u8),
    Red(u8, u8),
    /// A read of an array of one element that has it.
    Stored(u8),
    Union(u8, u8),
}

#[derive(Clone, Debug)]
struct Steps(Vec<Step>);

impl Arbitrary for Steps {
    fn arbitrary(g: &mut Gen) -> Self {
        let count = 1 + usize::arbitrary(g) % 12;
        let mut byte = || u8::arbitrary(g);
        let step = |_| match byte() % 8 {
            0 | 1 => Step::Apply(byte(), byte()),
            2 => Step::If(byte(), byte(), byte()),
            3 => Step::Red(byte(), byte()),
            4 => Step::Stored(byte()),
            _ => Step::Union(byte(), byte()),
        };
        Steps((0..count).map(step).collect())
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        let steps = self.0.clone();
        Box::new((0..steps.len()).map(move |at| {
            let mut fewer = steps.clone();
            fewer.remove(at);
            Steps(fewer)
        }))
    }
}

/// The rounds of the axes `k0`, `k1`, …
const ROUNDS: [u32; 4] = [1, 2, 7, 40];

fn scope() -> Scope {
    let mut scope = Scope::default();
    scope.params.insert(Name::new("xs"), Kind::Array(vec![8]));
    for (nth, size) in ROUNDS.into_iter().enumerate() {
        scope.sizes.insert(Name::new(&format!("k{nth}")), size);
    }
    scope
}

fn graph(steps: &Steps) -> Graph {
    let mut graph = EGraph::new(Known { scope: scope() });
    let leaf = |graph: &mut Graph, head| graph.add(Node { head, args: [].into() });
    let array = leaf(&mut graph, Head::Array(Name::new("xs")));
    let first = leaf(&mut graph, Head::Const(0));
    let read = graph.add(Node { head: Head::Get, args: [array, first].into() });
    let mut all = vec![first, read];
    for step in &steps.0 {
        let of = |nth: &u8| all[usize::from(*nth) % all.len()];
        let made = match step {
            Step::Apply(a, b) => {
                let op = leaf(&mut graph, Head::Op(BinOp::Add));
                graph.add(Node { head: Head::Apply, args: [op, of(a), of(b)].into() })
            }
            Step::If(c, a, b) => {
                graph.add(Node { head: Head::If, args: [of(c), of(a), of(b)].into() })
            }
            Step::Red(k, of_round) => {
                let nth = usize::from(*k) % ROUNDS.len();
                let op = leaf(&mut graph, Head::Op(BinOp::Add));
                let axis = leaf(&mut graph, Head::Axis(Name::new(&format!("k{nth}"))));
                let size = leaf(&mut graph, Head::Size(ROUNDS[nth]));
                graph.add(Node { head: Head::Red, args: [op, axis, size, of(of_round)].into() })
            }
            Step::Stored(element) => {
                let place = leaf(&mut graph, Head::Place(Place::Glob));
                let store = Node { head: Head::Store, args: [place, of(element)].into() };
                let store = graph.add(store);
                graph.add(Node { head: Head::Get, args: [store].into() })
            }
            Step::Union(a, b) => {
                graph.union(of(a), of(b));
                graph.rebuild();
                continue;
            }
        };
        all.push(made);
    }
    graph.rebuild();
    graph
}

/// Terms of each class that are not higher than this, some of them if there are many.
fn terms(graph: &Graph, height: usize) -> FxHashMap<Id, Vec<Term>> {
    const MOST: usize = 400;
    let mut known: FxHashMap<Id, Vec<Term>> = FxHashMap::default();
    for _ in 0..height {
        let mut next: FxHashMap<Id, Vec<Term>> = FxHashMap::default();
        for class in graph.classes() {
            let to = next.entry(class.id).or_default();
            for node in &class.nodes {
                let args: Option<Vec<&Vec<Term>>> =
                    node.args.iter().map(|arg| known.get(&graph.find(*arg))).collect();
                let Some(args) = args else { continue };
                let mut made = vec![Vec::new()];
                for choices in args {
                    let longer = |front: &Vec<Term>| {
                        let front = front.clone();
                        choices
                            .iter()
                            .map(move |arg| [&front[..], std::slice::from_ref(arg)].concat())
                    };
                    made = made.iter().flat_map(longer).take(MOST).collect();
                }
                to.extend(made.into_iter().map(|args| Term::new(node.head.clone(), args)));
            }
            to.truncate(MOST);
        }
        known = next;
    }
    known
}

fn keep<'a>(scope: &'a Scope, machine: &'a Machine, most: usize) -> Keep<'a> {
    let around = Around { scope, machine, as_tree: false };
    Keep { around, most, by_kind: true, planted: Planted::NONE }
}

quickcheck! {
    /// What a front holds are members of their class, at the cost that they have by themselves.
    fn a_front_holds_members_at_their_cost(steps: Steps) -> bool {
        let (graph, scope, machine) = (graph(&steps), scope(), Machine::default());
        let keep = keep(&scope, &machine, 4);
        let fronts = Fronts::new(&graph, keep);
        let is_right = |class: Id, of: &Candidate| {
            let found = graph.lookup_expr(&expression(&of.term));
            let again = of_term(&of.term, keep.around).expect("it was made once");
            found == Some(graph.find(class)) && again.total(keep.around) == of.total(keep.around)
        };
        let mut classes = graph.classes();
        classes.all(|class| {
            let best = fronts.best(class.id);
            let sorted = best.is_sorted_by_key(|of| {
                ordered(of.total(keep.around).time(&machine))
            });
            sorted && best.iter().all(|of| is_right(class.id, of))
        })
    }

    /// Without arrays, where nothing is shared, a front begins with the cheapest of all terms.
    fn a_front_begins_with_the_cheapest(steps: Steps) -> bool {
        let plain = steps.0.into_iter().filter(|step| !matches!(step, Step::Stored(_)));
        let steps = Steps(plain.collect());
        let (graph, scope, machine) = (graph(&steps), scope(), Machine::default());
        let keep = keep(&scope, &machine, 1);
        let fronts = Fronts::new(&graph, keep);
        let time = |of: &Candidate| of.total(keep.around).time(&machine);
        let all = terms(&graph, 6);
        let mut classes = graph.classes();
        classes.all(|class| {
            let costs = all[&class.id].iter().filter_map(|term| of_term(term, keep.around));
            let least = costs.map(|of| time(&of)).fold(f64::INFINITY, f64::min);
            match fronts.best(class.id).first() {
                Some(first) => time(first) <= least,
                None => least == f64::INFINITY,
            }
        })
    }
}

/// A time as a number that is ordered.
fn ordered(time: f64) -> u64 {
    time.to_bits()
}
