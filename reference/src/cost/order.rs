//! Schedules that are given: an order in which the processors of the host take the vertices of a graph (eq. 1).
//!
//! Vertices are numbered from 0 on in the sequential order, left before right, as [`Graph::dot_of_vertices`] shows them. A
//! step takes the next vertices of the order, as many as there are processors, up to the first one that is not ready:
//! that one waits for the next step.

use super::flat::{Flat, NONE, Stepped};
use super::graph::{Graph, Greedy, MOST, Scheduled};
use crate::kit::text::{Rejected, Span};
use std::fmt::Write;

/// An order of vertices, with the place of each in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    vertices: Vec<(u64, Span)>,
    /// Behind the last one.
    end: Span,
}

/// Most vertices of a graph that is drawn vertex by vertex.
pub const MOST_DRAWN: u64 = 4096;

fn refused(span: Span, message: String, label: &str) -> Rejected {
    let (label, rule, limit) = (label.to_owned(), None, None);
    Rejected { message, rule, limit, span, label, second: None, help: None }
}

impl Order {
    /// Reads numbers with white space or commas between them; `#` begins a comment up to the end of its line.
    ///
    /// # Errors
    /// The place of what is no number.
    pub fn read(text: &str) -> Result<Self, Rejected> {
        let mut vertices = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let said = line.split('#').next().unwrap_or_default();
            let mut at = start;
            for word in said.split_inclusive(|c: char| c.is_whitespace() || c == ',') {
                let number = word.trim_end_matches(|c: char| c.is_whitespace() || c == ',');
                let span = Span::new(at, at + number.len());
                at += word.len();
                if number.is_empty() {
                    continue;
                }
                let vertex = number.parse().map_err(|_| {
                    refused(
                        span,
                        format!("`{number}` is no number of a vertex"),
                        "expected a number",
                    )
                })?;
                vertices.push((vertex, span));
            }
            start += line.len();
        }
        Ok(Self { vertices, end: Span::new(text.len(), text.len()) })
    }
}

impl Graph {
    /// The order in which so many greedy processors take the vertices.
    ///
    /// # Errors
    /// How many vertices there are, if they are more than [`MOST`].
    pub fn order(&self, processors: u64, greedy: Greedy) -> Result<Vec<u32>, u64> {
        let vertices = self.vertices();
        if vertices > MOST {
            return Err(vertices);
        }
        let mut order = Vec::new();
        Flat::of(self).schedule(processors, greedy, |step| order.extend_from_slice(step));
        Ok(order)
    }

    /// What so many processors take that follow an order, and the most words that are live in a step (eq. 9).
    ///
    /// # Errors
    /// The place of a vertex that is none of the graph, that was taken before, or that comes before one from which an
    /// edge leads to it; a vertex that is left out; a graph of more than [`MOST`] vertices.
    pub fn ordered(&self, order: &Order, processors: u64) -> Result<(Scheduled, u64), Rejected> {
        let vertices = self.vertices();
        if vertices > MOST {
            let why =
                format!("the graph has {vertices} vertices, and {MOST} are scheduled at most");
            return Err(refused(order.end, why, "an order of all of them"));
        }
        let mut taken = vec![false; vertices as usize];
        let mut stepped = Stepped::new(Flat::of(self));
        let mut step: Vec<u32> = Vec::new();
        for &(number, span) in &order.vertices {
            let vertex = u32::try_from(number).ok().filter(|_| number < vertices);
            let Some(vertex) = vertex else {
                let why =
                    format!("the graph has no vertex {number}: they are 0 to {}", vertices - 1);
                return Err(refused(span, why, "no vertex"));
            };
            if std::mem::replace(&mut taken[vertex as usize], true) {
                let why = format!("vertex {vertex} is taken twice");
                return Err(refused(span, why, "it was taken before"));
            }
            if step.len() as u64 >= processors || !stepped.is_ready(vertex) {
                stepped.step(&step, |_| {});
                step.clear();
            }
            if !stepped.is_ready(vertex) {
                let mut before = stepped.before(vertex).filter(|from| !taken[*from]);
                let before = before.next().map_or(String::new(), |from| format!(" {from}"));
                let why = format!(
                    "the graph does not allow this order: vertex {vertex} waits for vertex{before}"
                );
                return Err(refused(span, why, "it comes too early"));
            }
            step.push(vertex);
        }
        if let Some(left_out) = taken.iter().position(|taken| !taken) {
            let why = format!("the order ends without vertex {left_out}");
            return Err(refused(order.end, why, "vertices are left out"));
        }
        stepped.step(&step, |_| {});
        Ok(stepped.ends())
    }

    /// The graph for `dot`, vertex by vertex, with the numbers by which an [`Order`] names them.
    ///
    /// # Errors
    /// How many vertices there are, if they are more than [`MOST_DRAWN`].
    pub fn dot_of_vertices(&self) -> Result<String, u64> {
        let vertices = self.vertices();
        if vertices > MOST_DRAWN {
            return Err(vertices);
        }
        let mut text = String::from("digraph cost {\n  node [shape=circle]\n");
        let flat = Flat::of(self);
        for (from, edges) in flat.next.iter().enumerate() {
            let _ = match flat.change(from as u32) {
                (0, 0) => writeln!(text, "  {from}"),
                (now, behind) => {
                    writeln!(text, "  {from} [xlabel=\"{now:+} words, then {behind:+}\"]")
                }
            };
            for (to, weight) in edges.iter().filter(|(to, _)| *to != NONE.0) {
                let _ = writeln!(text, "  {from} -> {to} [label=\"{weight}\"]");
            }
        }
        text.push_str("}\n");
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph() -> Graph {
        let chain = |edges, weight| Graph::Chain { edges, weight };
        Graph::Serial(vec![
            (0, chain(1, 2)),
            (9, Graph::Parallel(vec![chain(2, 5), chain(1, 100)])),
            (3, Graph::VERTEX),
        ])
    }

    fn told(text: &str) -> String {
        let refused = Order::read(text).and_then(|order| graph().ordered(&order, 2));
        let no = refused.expect_err("it is refused");
        format!("{}: {}", no.span.start, no.message)
    }

    /// What greedy processors take is what they take in the order in which they take it.
    #[test]
    fn the_order_of_a_greedy_schedule_is_that_schedule() {
        let graphs = [Graph::VERTEX, graph(), Graph::Parallel(vec![graph(); 5])];
        for graph in graphs {
            for processors in 1..6 {
                for greedy in [Greedy::DepthFirst, Greedy::BreadthFirst] {
                    let order = graph.order(processors, greedy).expect("it is small");
                    let text: Vec<String> = order.iter().map(u32::to_string).collect();
                    let order = Order::read(&text.join(" ")).expect("it is an order");
                    let ordered = graph.ordered(&order, processors).expect("it is allowed");
                    let scheduled = graph.schedule(processors, greedy).expect("it is small");
                    let space = graph.space(processors, greedy).expect("it is small");
                    assert_eq!(ordered, (scheduled, space));
                }
            }
        }
    }

    /// The vertices are 0 and 1, the fork 2, 3 to 5 of one branch, 6 and 7 of the other, the join 8, and 9.
    #[test]
    fn an_order_may_be_better_than_greedy_ones() {
        let greedy = graph().schedule(2, Greedy::DepthFirst).expect("it is small");
        assert_eq!(greedy.time, 2 + 9 + 1 + 100 + 5 + 1 + 3);
        let order = Order::read("0 1 2 # one after the other\n3, 4, 5 6 7 8 9").expect("an order");
        let (ordered, _) = graph().ordered(&order, 2).expect("it is allowed");
        assert_eq!((ordered.steps, ordered.time), (9, 2 + 9 + 1 + 5 + 5 + 100 + 1 + 3));
    }

    #[test]
    fn what_the_graph_does_not_allow_is_refused_with_its_place() {
        assert_eq!(
            told("0 1 3 2"),
            "4: the graph does not allow this order: vertex 3 waits for vertex 2"
        );
        assert_eq!(
            told("0 1 2 3 4 5 8"),
            "12: the graph does not allow this order: vertex 8 waits for vertex 7"
        );
        assert_eq!(told("0 1 1"), "4: vertex 1 is taken twice");
        assert_eq!(told("0 10"), "2: the graph has no vertex 10: they are 0 to 9");
        assert_eq!(told("0 1 2"), "5: the order ends without vertex 3");
        assert_eq!(told(""), "0: the order ends without vertex 0");
        assert_eq!(told("0 # 1\n  -1"), "8: `-1` is no number of a vertex");
        let large = Graph::Chain { edges: MOST, weight: 1 };
        let order = Order::read("0").expect("an order");
        assert!(large.ordered(&order, 1).is_err());
    }

    #[test]
    fn a_drawing_of_vertices_has_their_numbers() {
        let words = Graph::Words { now: 3, behind: -1, of: Box::new(Graph::VERTEX) };
        let dot = Graph::Serial(vec![(0, graph()), (4, words)]).dot_of_vertices();
        let dot = dot.expect("it is small");
        assert_eq!(dot.matches("->").count(), 11, "{dot}");
        for part in ["  1 -> 2 [label=\"9\"]", "  2 -> 6 [label=\"1\"]", "  10 [xlabel=\"+3 words"]
        {
            assert!(dot.contains(part), "{dot}");
        }
        let large = Graph::Chain { edges: MOST_DRAWN, weight: 1 };
        assert_eq!(large.dot_of_vertices(), Err(MOST_DRAWN + 1));
    }
}
