//! Cost graphs (seed 003, fig. 4) and their schedules (section 6.3): series-parallel, with weights on the edges. A
//! device box is an edge of it.

use super::flat::Flat;
use serde::Serialize;
use std::fmt::Write;

/// A cost graph, with a first and a last vertex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Graph {
    /// So many vertices after the first one, each at an edge of this weight behind the last; `[u]` where there are none.
    Chain {
        /// How many edges.
        edges: u64,
        /// The weight of each.
        weight: u64,
    },
    /// `c₁ ⊕_δ c₂ ⊕_δ' ⋯`: the weight stands beside the graph that the edge leads to; that of the first one is not used.
    Serial(Vec<(u64, Graph)>),
    /// `⨂ᵢ cᵢ`, from the right: `c₁ ⊗ (c₂ ⊗ ⋯)` (L16). A fork and a join for each `⊗`, with edges of weight 1. Without
    /// parts it is one vertex.
    Parallel(Vec<Graph>),
    /// A graph at whose first vertex the number of words that are live changes (eq. 8, L71).
    Words {
        /// By how much in the step of the vertex.
        now: i64,
        /// By how much more behind that step.
        behind: i64,
        /// The graph.
        of: Box<Graph>,
    },
}

/// In which order a processor takes what is ready (L70).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Greedy {
    /// What comes first in the sequential order, left before right.
    DepthFirst,
    /// What was ready first; of those the one that comes first in the sequential order.
    BreadthFirst,
}

/// What a schedule takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Scheduled {
    /// Steps (eq. 3).
    pub steps: u64,
    /// The sum over the steps of the heaviest edge that leads into one (eq. 5, L41).
    pub time: u64,
}

/// Most vertices of a graph of which all schedules are looked at.
pub const FEW: u64 = 10;

/// Most vertices of a graph that is scheduled.
pub const MOST: u64 = 1 << 26;

/// Roughly the bytes that a schedule takes for each vertex of a graph, and for each of which the words change.
pub const BYTES: u64 = 96;

impl Graph {
    /// `[u]`
    pub const VERTEX: Graph = Graph::Chain { edges: 0, weight: 0 };

    /// How many vertices it has.
    pub fn vertices(&self) -> u64 {
        match self {
            Graph::Chain { edges, .. } => edges.saturating_add(1),
            Graph::Serial(parts) => sum(parts.iter().map(|(_, part)| part.vertices())),
            Graph::Parallel(parts) => {
                let inner = sum(parts.iter().map(Graph::vertices));
                match parts.len() as u64 {
                    0 => 1,
                    n => inner.saturating_add(2 * (n - 1)),
                }
            }
            Graph::Words { of, .. } => of.vertices(),
        }
    }

    /// The sum of all weights.
    pub fn work(&self) -> u64 {
        match self {
            Graph::Chain { edges, weight } => edges.saturating_mul(*weight),
            Graph::Serial(parts) => {
                let between = sum(parts.iter().skip(1).map(|(weight, _)| *weight));
                sum(parts.iter().map(|(_, part)| part.work())).saturating_add(between)
            }
            Graph::Parallel(parts) => {
                let forks = (parts.len() as u64).saturating_sub(1);
                sum(parts.iter().map(Graph::work)).saturating_add(4 * forks)
            }
            Graph::Words { of, .. } => of.work(),
        }
    }

    /// The heaviest path.
    pub fn depth(&self) -> u64 {
        self.path(|weight| weight)
    }

    /// The vertices of the longest path.
    pub fn longest(&self) -> u64 {
        self.path(|_| 1).saturating_add(1)
    }

    /// The heaviest path, if edges weigh what is said of them.
    fn path(&self, weigh: impl Fn(u64) -> u64 + Copy) -> u64 {
        match self {
            Graph::Chain { edges, weight } => edges.saturating_mul(weigh(*weight)),
            Graph::Serial(parts) => {
                let between = sum(parts.iter().skip(1).map(|(weight, _)| weigh(*weight)));
                sum(parts.iter().map(|(_, part)| part.path(weigh))).saturating_add(between)
            }
            Graph::Parallel(parts) => {
                let paths = parts
                    .iter()
                    .enumerate()
                    .map(|(at, part)| part.path(weigh).saturating_add(beside(at, parts.len())));
                paths.max().unwrap_or(0)
            }
            Graph::Words { of, .. } => of.path(weigh),
        }
    }

    /// The words that are made in a run, and those that are left of them behind its end.
    pub fn words(&self) -> (u64, i64) {
        let all = |parts: &mut dyn Iterator<Item = &Graph>| {
            parts.map(Graph::words).fold((0, 0), |(made, left), (more, change)| {
                (u64::saturating_add(made, more), i64::saturating_add(left, change))
            })
        };
        match self {
            Graph::Chain { .. } => (0, 0),
            Graph::Serial(parts) => all(&mut parts.iter().map(|(_, part)| part)),
            Graph::Parallel(parts) => all(&mut parts.iter()),
            Graph::Words { now, behind, of } => {
                let (made, left) = of.words();
                let here = u64::try_from(*now).unwrap_or(0);
                (made.saturating_add(here), left.saturating_add(*now).saturating_add(*behind))
            }
        }
    }

    /// What so many processors take, none of which idles while something is ready.
    ///
    /// # Errors
    /// How many vertices there are, if they are more than [`MOST`].
    pub fn schedule(&self, processors: u64, greedy: Greedy) -> Result<Scheduled, u64> {
        Ok(self.scheduled(processors, greedy)?.0)
    }

    /// The most words that are live in a step of such a schedule (eq. 9), beside those that were before.
    ///
    /// # Errors
    /// As [`Graph::schedule`].
    pub fn space(&self, processors: u64, greedy: Greedy) -> Result<u64, u64> {
        Ok(self.scheduled(processors, greedy)?.1)
    }

    /// What [`Graph::schedule`] and [`Graph::space`] say of one schedule.
    ///
    /// # Errors
    /// As these.
    pub fn scheduled(&self, processors: u64, greedy: Greedy) -> Result<(Scheduled, u64), u64> {
        let vertices = self.vertices();
        if vertices > MOST {
            return Err(vertices);
        }
        Ok(Flat::of(self).schedule(processors, greedy, |_| {}))
    }

    /// The least and the most time of all schedules of so many processors, of a graph of at most [`FEW`] vertices: each step
    /// runs one or more of the vertices that are ready, and need not run as many as it could.
    ///
    /// # Errors
    /// How many vertices there are, if they are more.
    pub fn fastest_and_slowest(&self, processors: u64) -> Result<(u64, u64), u64> {
        match self.vertices() {
            vertices if vertices > FEW => Err(vertices),
            _ => Ok(Flat::of(self).fastest_and_slowest(processors)),
        }
    }

    /// The graph for `dot`, each chain of more than a few edges as one.
    pub fn dot(&self) -> String {
        let mut dot = Dot { text: String::from("digraph cost {\n"), next: 0 };
        dot.add(self);
        dot.text.push_str("}\n");
        dot.text
    }
}

/// The edges from the first fork of so many branches to one of them, and from it to the last join. The last branch stands
/// below all forks but has no own.
pub(super) fn beside(at: usize, branches: usize) -> u64 {
    match branches.saturating_sub(1) {
        0 => 0,
        last => 2 * (at.min(last - 1) as u64 + 1),
    }
}

fn sum(of: impl Iterator<Item = u64>) -> u64 {
    of.fold(0, u64::saturating_add)
}

struct Dot {
    text: String,
    next: u64,
}

/// Edges of a chain that are drawn each on its own.
const DRAWN: u64 = 8;

impl Dot {
    fn vertex(&mut self) -> u64 {
        self.next += 1;
        let _ = writeln!(self.text, "  v{} [shape=point]", self.next);
        self.next
    }

    fn edge(&mut self, from: u64, label: &str, to: u64) {
        let _ = writeln!(self.text, "  v{from} -> v{to} [label=\"{label}\"]");
    }

    fn add(&mut self, graph: &Graph) -> (u64, u64) {
        match graph {
            Graph::Chain { edges, weight } if *edges > DRAWN => {
                let (first, last) = (self.vertex(), self.vertex());
                self.edge(first, &format!("{edges} × {weight}"), last);
                (first, last)
            }
            Graph::Chain { edges, weight } => {
                let first = self.vertex();
                let last = (0..*edges).fold(first, |last, _| {
                    let next = self.vertex();
                    self.edge(last, &weight.to_string(), next);
                    next
                });
                (first, last)
            }
            Graph::Serial(parts) => {
                let mut ends: Option<(u64, u64)> = None;
                for (weight, part) in parts {
                    let (first, last) = self.add(part);
                    ends = Some(match ends {
                        None => (first, last),
                        Some((start, end)) => {
                            self.edge(end, &weight.to_string(), first);
                            (start, last)
                        }
                    });
                }
                ends.unwrap_or_else(|| self.add(&Graph::VERTEX))
            }
            Graph::Parallel(parts) => {
                let (fork, join) = (self.vertex(), self.vertex());
                for part in parts {
                    let (first, last) = self.add(part);
                    self.edge(fork, "1", first);
                    self.edge(last, "1", join);
                }
                (fork, join)
            }
            Graph::Words { of, .. } => self.add(of),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `parmap` over `n` elements of section 7: five accesses and one unit edge each, δ = 1.
    fn section_7(n: usize) -> Graph {
        Graph::Parallel(vec![Graph::Chain { edges: 6, weight: 1 }; n])
    }

    fn time(graph: &Graph, processors: u64, greedy: Greedy) -> u64 {
        graph.schedule(processors, greedy).expect("it is small").time
    }

    /// The paper's `(4(n - 1) + 6n) / 2` (7.1.1): of depth-first schedules for even `n`, of breadth-first ones for all
    /// `n` but 1, for which it is wrong (see `readings_lambda_g`, *Section 7 checked*).
    #[test]
    fn two_processors_take_what_section_7_says() {
        for n in 1..=100 {
            let graph = section_7(n);
            let n = n as u64;
            assert_eq!(graph.work(), 4 * (n - 1) + 6 * n);
            let formula = 5 * n - 2;
            let depth_first = time(&graph, 2, Greedy::DepthFirst);
            let breadth_first = time(&graph, 2, Greedy::BreadthFirst);
            match n {
                1 => assert_eq!((formula, depth_first, breadth_first), (3, 6, 6)),
                _ if n.is_multiple_of(2) => assert_eq!([depth_first, breadth_first], [formula; 2]),
                _ => assert_eq!([depth_first, breadth_first], [formula + 3, formula]),
            }
        }
    }

    /// One processor pays a join once, not for both edges: `9n - 3`, not the work `10n - 4`.
    #[test]
    fn one_processor_takes_a_step_for_each_vertex() {
        for n in [1, 2, 3, 16] {
            let graph = section_7(n);
            let scheduled = graph.schedule(1, Greedy::DepthFirst).expect("it is small");
            assert_eq!(scheduled.steps, graph.vertices());
            assert_eq!(scheduled.time, 9 * n as u64 - 3);
        }
    }

    /// Brent's bound, which holds of vertices: steps ≤ vertices / P + the longest path in vertices (L72). And with as
    /// many processors as vertices the time is at least the heaviest path.
    #[test]
    fn greedy_schedules_keep_brents_bound() {
        let chain = |edges, weight| Graph::Chain { edges, weight };
        let uneven = Graph::Parallel(vec![
            chain(3, 2),
            Graph::Serial(vec![(0, chain(0, 1)), (7, section_7(5)), (1, chain(2, 9))]),
            Graph::Parallel(vec![]),
        ]);
        for graph in [section_7(7), uneven] {
            let longest = graph.depth();
            for processors in 1..12 {
                for greedy in [Greedy::DepthFirst, Greedy::BreadthFirst] {
                    let scheduled = graph.schedule(processors, greedy).expect("it is small");
                    let bound = graph.vertices().div_ceil(processors) + longest + 1;
                    assert!(scheduled.steps <= bound, "{scheduled:?} {processors}");
                    assert!(scheduled.time >= longest, "{scheduled:?}");
                }
            }
        }
    }

    /// All schedules of small graphs, and the greedy ones among them.
    #[test]
    fn greedy_schedules_are_some_of_all() {
        let chain = |edges, weight| Graph::Chain { edges, weight };
        let graphs = [
            Graph::VERTEX,
            chain(9, 3),
            Graph::Parallel(vec![chain(2, 5), chain(1, 100)]),
            Graph::Parallel(vec![chain(1, 1), Graph::VERTEX, chain(2, 7)]),
            Graph::Serial(vec![
                (0, Graph::Parallel(vec![chain(1, 2), chain(2, 4)])),
                (9, chain(1, 1)),
            ]),
        ];
        for graph in graphs {
            for processors in 1..4 {
                let (least, most) = graph.fastest_and_slowest(processors).expect("it is small");
                assert!(graph.depth() <= least && most <= graph.work(), "{graph:?}");
                for greedy in [Greedy::DepthFirst, Greedy::BreadthFirst] {
                    let greedy = time(&graph, processors, greedy);
                    assert!((least..=most).contains(&greedy), "{graph:?}: {greedy}");
                }
            }
        }
        // An edge of 100 beside ones of 5: it is quickest to have all of them wait for one step of 100.
        let graph = Graph::Parallel(vec![chain(2, 5), chain(1, 100)]);
        assert_eq!(graph.fastest_and_slowest(2), Ok((1 + 100 + 5 + 1, 1 + 1 + 5 + 5 + 100 + 1)));
        assert_eq!(chain(10, 1).fastest_and_slowest(2), Err(11));
    }

    #[test]
    fn a_graph_of_too_many_vertices_is_refused() {
        let graph = Graph::Chain { edges: MOST, weight: 1 };
        assert_eq!(graph.schedule(1, Greedy::DepthFirst), Err(MOST + 1));
    }

    #[test]
    fn a_drawing_has_every_edge() {
        let graph = Graph::Serial(vec![
            (0, Graph::Chain { edges: 20, weight: 1 }),
            (5, Graph::Parallel(vec![Graph::VERTEX; 2])),
        ]);
        let dot = graph.dot();
        assert_eq!(dot.matches("->").count(), 1 + 1 + 4, "{dot}");
        assert!(dot.contains("label=\"20 × 1\""), "{dot}");
    }
}
