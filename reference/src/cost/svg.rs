//! Cost graphs as SVG. Chains are one line, equal branches one branch, and what is still too much is a box with its
//! extent, so that a graph of any size can be read. The heaviest path is marked.

use super::graph::{Graph, beside};
use std::fmt::Write;

/// Most edges and branches, boxes included, that stand one behind the other, and of those that are beside each other.
const BEHIND: usize = 24;
const BESIDE: usize = 8;
/// Kinds of branches that a branch is compared with.
const KINDS: usize = 32;
/// Most `⊗` in one another that are drawn, and most lines of a drawing.
const DEEP: usize = 12;
const LINES: usize = 1500;

/// What stands between two vertices.
enum Item {
    /// So many edges of this weight, one behind the other.
    Edges { count: u64, weight: u64 },
    /// Branches from a fork to a join.
    Split { branches: Vec<Branch>, extent: Extent },
    /// What is not drawn.
    Rest(Extent),
}

/// Branches that look the same.
struct Branch {
    times: u64,
    /// Does the heaviest path of the graph from the fork to the join go through one of them?
    heaviest: bool,
    of: Vec<Item>,
}

/// How much of a graph something is.
#[derive(Clone, Copy, Default, PartialEq)]
struct Extent {
    vertices: u64,
    work: u64,
    depth: u64,
}

impl Extent {
    fn of(graph: &Graph) -> Self {
        Self { vertices: graph.vertices(), work: graph.work(), depth: graph.depth() }
    }

    /// Of the edges of one that is behind another, or of both.
    fn then(self, other: Extent) -> Self {
        Self {
            vertices: self.vertices.saturating_add(other.vertices),
            work: self.work.saturating_add(other.work),
            depth: self.depth.saturating_add(other.depth),
        }
    }
}

impl PartialEq for Item {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Item::Edges { count, weight },
                Item::Edges { count: other_count, weight: other_weight },
            ) => (count, weight) == (other_count, other_weight),
            (Item::Split { branches, extent }, Item::Split { branches: others, extent: other }) => {
                let same = |(a, b): (&Branch, &Branch)| a.times == b.times && a.of == b.of;
                extent == other
                    && branches.len() == others.len()
                    && branches.iter().zip(others).all(same)
            }
            (Item::Rest(extent), Item::Rest(other)) => extent == other,
            _ => false,
        }
    }
}

impl Item {
    fn extent(&self) -> Extent {
        match self {
            Item::Edges { count, weight } => {
                let work = count.saturating_mul(*weight);
                Extent { vertices: *count, work, depth: work }
            }
            Item::Split { extent, .. } | Item::Rest(extent) => *extent,
        }
    }

    /// What is written beside it.
    fn label(&self) -> String {
        match self {
            Item::Edges { count: 1, weight } => weight.to_string(),
            Item::Edges { count, weight } => format!("{count} × {weight}"),
            Item::Split { .. } => String::new(),
            Item::Rest(Extent { vertices, work, depth }) => {
                format!("{vertices} vertices, work {work}, depth {depth}")
            }
        }
    }
}

/// What is drawn of a graph.
struct Folding {
    /// Lines that may still be drawn.
    lines: usize,
    deep: usize,
}

impl Folding {
    /// What is behind the first vertex of a graph.
    fn add(&mut self, graph: &Graph, to: &mut Vec<Item>) {
        match graph {
            Graph::Chain { edges, weight } => edge(to, *edges, *weight),
            Graph::Serial(parts) => {
                for (number, (weight, part)) in parts.iter().enumerate() {
                    if number > 0 {
                        edge(to, 1, *weight);
                    }
                    self.add(part, to);
                }
            }
            Graph::Words { of, .. } => self.add(of, to),
            Graph::Parallel(parts) => match &parts[..] {
                [] => {}
                [alone] => self.add(alone, to),
                _ if self.deep >= DEEP => to.push(Item::Rest(Extent::of(graph))),
                parts => {
                    self.deep += 1;
                    let branches = self.branches(parts);
                    self.deep -= 1;
                    to.push(Item::Split { branches, extent: Extent::of(graph) });
                }
            },
        }
    }

    fn series(&mut self, graph: &Graph) -> Vec<Item> {
        let mut items = Vec::new();
        self.add(graph, &mut items);
        if items.len() > BEHIND {
            let from = BEHIND / 2;
            let to = items.len() - (BEHIND - from - 1);
            let middle = items[from..to].iter().map(Item::extent);
            let rest = middle.fold(Extent::default(), Extent::then);
            items.splice(from..to, [Item::Rest(rest)]);
        }
        items
    }

    /// Branches that are equal become one; of many that differ the first ones and the heaviest are drawn.
    fn branches(&mut self, parts: &[Graph]) -> Vec<Branch> {
        let heaviest = (0..parts.len())
            .rev()
            .max_by_key(|at| parts[*at].depth().saturating_add(beside(*at, parts.len())));
        let mut kinds: Vec<Branch> = Vec::new();
        let mut before: Option<(&Graph, usize)> = None;
        for (at, part) in parts.iter().enumerate() {
            let kind = match before {
                Some((same, kind)) if same == part => kind,
                _ => {
                    let of = self.series(part);
                    let kind = kinds.iter().take(KINDS).position(|kind| kind.of == of);
                    kind.unwrap_or_else(|| {
                        kinds.push(Branch { times: 0, heaviest: false, of });
                        kinds.len() - 1
                    })
                }
            };
            kinds[kind].times += 1;
            kinds[kind].heaviest |= heaviest == Some(at);
            before = Some((part, kind));
        }
        let drawn = kinds.iter().map(|kind| kind.of.len() + 2);
        let lines: usize = drawn.take(BESIDE).sum();
        let most = if lines > self.lines { 1 } else { BESIDE };
        self.lines = self.lines.saturating_sub(lines);
        if kinds.len() > most {
            fewer(&mut kinds, most);
        }
        kinds
    }
}

/// Leaves so many of the kinds of branches, the one on the heaviest path among them; a box stands for the others.
fn fewer(kinds: &mut Vec<Branch>, most: usize) {
    let heaviest = kinds.iter().position(|kind| kind.heaviest).unwrap_or(0);
    let kept = |at: usize| at == heaviest || at + 1 < most;
    let mut rest = Branch { times: 0, heaviest: false, of: Vec::new() };
    let mut extent = Extent::default();
    let mut at = 0;
    kinds.retain(|kind| {
        at += 1;
        if kept(at - 1) {
            return true;
        }
        rest.times += kind.times;
        let of = kind.of.iter().map(Item::extent).fold(Extent::default(), Extent::then);
        extent.vertices += kind.times * (of.vertices + 1);
        extent.work = extent.work.saturating_add(kind.times.saturating_mul(of.work));
        extent.depth = extent.depth.max(of.depth);
        false
    });
    rest.of.push(Item::Rest(extent));
    kinds.push(rest);
}

/// So many edges more of this weight.
fn edge(to: &mut Vec<Item>, more: u64, weight: u64) {
    match to.last_mut() {
        _ if more == 0 => {}
        Some(Item::Edges { count, weight: same }) if *same == weight => *count += more,
        _ => to.push(Item::Edges { count: more, weight }),
    }
}

const EDGE: f64 = 36.0;
const FORK: f64 = 30.0;
const BOX: f64 = 26.0;
const GAP: f64 = 16.0;
const LETTER: f64 = 7.0;

fn wide(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}

/// Width and height of what stands one behind the other. It is drawn around the middle.
fn size(items: &[Item]) -> (f64, f64) {
    let sizes = items.iter().map(|item| match item {
        Item::Edges { .. } => (2.0 * (wide(&item.label()) + 10.0), EDGE),
        Item::Rest(_) => (wide(&item.label()) + 16.0, BOX + EDGE),
        Item::Split { branches, .. } => {
            let sizes: Vec<_> = branches.iter().map(branch).collect();
            let width: f64 = sizes.iter().map(|(width, _)| width + GAP).sum();
            let height = sizes.iter().map(|(_, height)| *height).fold(0.0, f64::max);
            (width - GAP, height + 2.0 * FORK)
        }
    });
    sizes.fold((12.0, 0.0), |(width, height), (one, more)| (one.max(width), height + more))
}

fn branch(branch: &Branch) -> (f64, f64) {
    let (width, height) = size(&branch.of);
    (width.max(2.0 * (wide(&times(branch.times)) + 10.0)), height)
}

fn times(times: u64) -> String {
    if times == 1 { String::new() } else { format!("× {times}") }
}

/// Elements of SVG.
struct Drawing(String);

impl Drawing {
    fn line(&mut self, from: (f64, f64), to: (f64, f64), heavy: bool) {
        let class = if heavy { " class=\"heaviest\"" } else { "" };
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = writeln!(
            self.0,
            "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"{class}/>"
        );
    }

    fn vertex(&mut self, (x, y): (f64, f64), heavy: bool) {
        let class = if heavy { " class=\"heaviest\"" } else { "" };
        let _ = writeln!(self.0, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"{class}/>");
    }

    fn text(&mut self, (x, y): (f64, f64), anchor: &str, text: &str) {
        if !text.is_empty() {
            let _ = writeln!(
                self.0,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{text}</text>"
            );
        }
    }

    /// Draws what is behind a vertex; where the last vertex is.
    fn series(&mut self, items: &[Item], (x, mut y): (f64, f64), heavy: bool) -> f64 {
        self.vertex((x, y), heavy);
        for item in items {
            match item {
                Item::Edges { .. } => {
                    self.line((x, y), (x, y + EDGE), heavy);
                    self.text((x + 8.0, y + EDGE / 2.0 + 4.0), "start", &item.label());
                    y += EDGE;
                }
                Item::Rest(_) => {
                    let (label, half) = (item.label(), EDGE / 2.0);
                    let width = wide(&label) + 16.0;
                    self.line((x, y), (x, y + half), heavy);
                    let class = if heavy { " class=\"heaviest\"" } else { "" };
                    let (left, top) = (x - width / 2.0, y + half);
                    let _ = writeln!(
                        self.0,
                        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{BOX}\" rx=\"4\"{class}/>"
                    );
                    self.text((x, top + BOX / 2.0 + 4.0), "middle", &label);
                    self.line((x, top + BOX), (x, top + BOX + half), heavy);
                    y += BOX + EDGE;
                }
                Item::Split { branches, .. } => y = self.split(branches, (x, y), heavy),
            }
            self.vertex((x, y), heavy);
        }
        y
    }

    fn split(&mut self, branches: &[Branch], (x, y): (f64, f64), heavy: bool) -> f64 {
        let sizes: Vec<_> = branches.iter().map(branch).collect();
        let width: f64 = sizes.iter().map(|(width, _)| width + GAP).sum::<f64>() - GAP;
        let height = sizes.iter().map(|(_, height)| *height).fold(0.0, f64::max);
        let end = y + height + 2.0 * FORK;
        let mut left = x - width / 2.0;
        for (of, (width, _)) in branches.iter().zip(&sizes) {
            let middle = left + width / 2.0;
            let heavy = heavy && of.heaviest;
            self.line((x, y), (middle, y + FORK), heavy);
            self.text((middle + 8.0, y + FORK - 4.0), "start", &times(of.times));
            let last = self.series(&of.of, (middle, y + FORK), heavy);
            self.line((middle, last), (middle, end - FORK), heavy);
            self.line((middle, end - FORK), (x, end), heavy);
            left += width + GAP;
        }
        end
    }
}

impl Graph {
    /// The graph as SVG: vertices from above, with the weights of edges beside them; an edge without a number has weight 1.
    /// The heaviest path is red. Equal branches are drawn once, with their number.
    pub fn svg(&self) -> String {
        let mut folding = Folding { lines: LINES, deep: 0 };
        let items = folding.series(self);
        let Extent { vertices, work, depth } = Extent::of(self);
        let title = format!("{vertices} vertices, work {work}, depth {depth} (red)");
        let (width, height) = size(&items);
        let (width, height) = (width.max(wide(&title)) + 40.0, height + 70.0);
        let mut drawing = Drawing(format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\">\n<title>cost graph</title>\n<style>\
             text {{ font: 11px monospace; fill: #222 }} line {{ stroke: #666 }} circle {{ fill: #444 }} \
             rect {{ fill: #f2f2f2; stroke: #666 }} line.heaviest, rect.heaviest {{ stroke: #c00; stroke-width: 2.5 }} \
             circle.heaviest {{ fill: #c00 }}</style>\n<rect width=\"100%\" height=\"100%\" style=\"fill:#fff;stroke:none\"/>\n"
        ));
        drawing.text((20.0, 22.0), "start", &title);
        drawing.series(&items, (width / 2.0, 44.0), true);
        drawing.0.push_str("</svg>\n");
        drawing.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(edges: u64, weight: u64) -> Graph {
        Graph::Chain { edges, weight }
    }

    #[test]
    fn chains_and_equal_branches_are_folded() {
        let graph = Graph::Serial(vec![
            (0, chain(3, 1)),
            (1, Graph::Parallel(vec![chain(6, 1); 1000])),
            (400, Graph::VERTEX),
        ]);
        let svg = graph.svg();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
        for label in [">4 × 1<", ">× 1000<", ">6 × 1<", ">400<"] {
            assert_eq!(svg.matches(label).count(), 1, "{label}: {svg}");
        }
        let (work, depth) = (graph.work(), graph.depth());
        assert!(
            svg.contains(&format!(">9003 vertices, work {work}, depth {depth} (red)<")),
            "{svg}"
        );
        // All of it is on a heaviest path.
        assert!(!svg.lines().any(|line| line.starts_with("<line") && !line.contains("heaviest")));
    }

    #[test]
    fn the_heaviest_branch_is_marked() {
        let graph = Graph::Parallel(vec![chain(1, 5), chain(1, 100), chain(2, 7)]);
        let svg = graph.svg();
        let marked =
            svg.lines().filter(|line| line.starts_with("<line") && line.contains("heaviest"));
        // To the branch, its edge, and from its end to the join by two lines.
        assert_eq!(marked.count(), 4, "{svg}");
        assert_eq!(svg.matches("<line").count(), 12, "{svg}");
    }

    /// However large a graph is, its drawing is not: long series, many branches that differ, branches in one another.
    #[test]
    fn large_graphs_have_small_drawings() {
        let series = (0..10_000).map(|weight| (weight, Graph::VERTEX)).collect();
        let differing = |from: u64| (0..50).map(|at| chain(1, from + at)).collect::<Vec<_>>();
        let deep = (0..1000).fold(Graph::VERTEX, |inner, weight| {
            Graph::Serial(vec![
                (0, Graph::Parallel(vec![inner, chain(1, weight)])),
                (weight, Graph::VERTEX),
            ])
        });
        let wide = (0..50).map(|at| Graph::Parallel(differing(at)));
        let wider = (0..8).map(|at| {
            let more = wide.clone().map(|of| Graph::Serial(vec![(0, of), (at, chain(2, at))]));
            Graph::Parallel(more.collect())
        });
        let all = [
            Graph::Serial(series),
            Graph::Parallel(differing(1)),
            deep,
            Graph::Parallel(wide.clone().collect()),
            Graph::Parallel(wider.collect()),
        ];
        for graph in all {
            let svg = graph.svg();
            assert!(svg.lines().count() < 8 * LINES, "{}", svg.lines().count());
            assert!(svg.contains("<rect x=") && svg.contains(" vertices, work "), "{svg}");
        }
    }

    #[test]
    fn a_vertex_is_drawn() {
        assert_eq!(Graph::VERTEX.svg().matches("<circle").count(), 1);
    }
}
