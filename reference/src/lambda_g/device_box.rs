//! Device boxes in mode `paper` (section 6.4, eqs. 6 and 7, fig. 8): what the graph of an `on` takes on the device.
//!
//! The phases of a graph are its serial parts, which one thread runs, and its outermost `⨂`, whose branches are the
//! threads (L27, L68). Threads make warps of `w`, warps work groups of `p` (L25, L26), and as many groups run at once as
//! the device has threads for. In a group all threads go on together, an edge a step, and a step takes as long as the
//! heaviest edge of its threads (L36); groups that run at once take as long as the longest of them.
//!
//! A region in the memory of work groups is read into it before the threads of a group and written back behind them, each
//! by `p` requests of warps, one behind the other (section 7 checked: `p + l - 1`).

use crate::cost::Machine;
use crate::cost::graph::Graph;

/// So many edges of this weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Edges {
    count: u64,
    weight: u64,
}

/// `D`: the time of the graph on the device, where so many regions lie in the memory of work groups.
pub(super) fn time(graph: &Graph, machine: &Machine, regions: u64) -> u64 {
    match graph {
        Graph::Chain { edges, weight } => edges.saturating_mul(*weight),
        Graph::Serial(parts) => {
            let between = parts.iter().skip(1).map(|(weight, _)| *weight);
            let inside = parts.iter().map(|(_, part)| time(part, machine, regions));
            between.chain(inside).fold(0, u64::saturating_add)
        }
        Graph::Parallel(branches) => phase(branches, machine, regions),
        Graph::Words { of, .. } => time(of, machine, regions),
    }
}

/// Threads side by side, in rounds of as many work groups as run at once.
fn phase(branches: &[Graph], machine: &Machine, regions: u64) -> u64 {
    let group = machine.width.saturating_mul(machine.warps);
    let at_once = (machine.threads / group).max(1);
    let group = usize::try_from(group).unwrap_or(usize::MAX);
    let at_once = usize::try_from(at_once).unwrap_or(usize::MAX);
    let boxes: Vec<u64> = branches.chunks(group).map(warps).collect();
    let transfer = regions.saturating_mul(2 * (machine.warps + machine.latency - 1));
    let longest = |round: &[u64]| round.iter().copied().max().unwrap_or(0);
    let rounds = boxes.chunks(at_once).map(|round| longest(round).saturating_add(transfer));
    rounds.fold(0, u64::saturating_add)
}

/// A work group: the sum over the steps of the heaviest edge of each.
fn warps(threads: &[Graph]) -> u64 {
    let mut heaviest: Vec<Edges> = Vec::new();
    for thread in threads {
        let mut path = Vec::new();
        edges(thread, &mut path);
        heaviest = wider(&heaviest, &path);
    }
    heaviest.iter().fold(0_u64, |sum, run| sum.saturating_add(run.count.saturating_mul(run.weight)))
}

/// The edges of a thread, in order; branches in it run one after the other.
fn edges(graph: &Graph, to: &mut Vec<Edges>) {
    match graph {
        Graph::Chain { edges: 0, .. } => {}
        Graph::Chain { edges, weight } => to.push(Edges { count: *edges, weight: *weight }),
        Graph::Serial(parts) => {
            for (number, (weight, part)) in parts.iter().enumerate() {
                if number > 0 {
                    to.push(Edges { count: 1, weight: *weight });
                }
                edges(part, to);
            }
        }
        Graph::Parallel(branches) => branches.iter().for_each(|branch| edges(branch, to)),
        Graph::Words { of, .. } => edges(of, to),
    }
}

/// The heavier edge of each step of two paths.
fn wider(one: &[Edges], other: &[Edges]) -> Vec<Edges> {
    let (mut one, mut other) = (one.iter().copied(), other.iter().copied());
    let (mut a, mut b) = (one.next(), other.next());
    let mut both: Vec<Edges> = Vec::new();
    loop {
        let run = match (a, b) {
            (None, None) => return both,
            (Some(run), None) => {
                a = one.next();
                run
            }
            (None, Some(run)) => {
                b = other.next();
                run
            }
            (Some(x), Some(y)) => {
                let count = x.count.min(y.count);
                let rest = |run: Edges, next: Option<Edges>| match run.count - count {
                    0 => next,
                    count => Some(Edges { count, ..run }),
                };
                a = if x.count == count { one.next() } else { rest(x, None) };
                b = if y.count == count { other.next() } else { rest(y, None) };
                Edges { count, weight: x.weight.max(y.weight) }
            }
        };
        match both.last_mut() {
            Some(last) if last.weight == run.weight => last.count += run.count,
            _ => both.push(run),
        }
    }
}

/// The phases of branches that end in a `⨂` each: what is before it, the threads of all of them, what is behind it.
pub(super) fn flattened(branches: Vec<Graph>) -> [Vec<Graph>; 3] {
    let [mut before, mut inside, mut behind] = [const { Vec::new() }; 3];
    for branch in branches {
        let mut parts = match branch {
            Graph::Serial(parts) => parts,
            alone => vec![(0, alone)],
        };
        let fork = parts.iter().rposition(|(_, part)| matches!(part, Graph::Parallel(_)));
        let Some(fork) = fork else {
            before.push(Graph::Serial(parts));
            continue;
        };
        let mut rest = parts.split_off(fork);
        if let Some((weight, Graph::Parallel(threads))) = rest.first_mut() {
            inside.append(threads);
            parts.push((*weight, Graph::VERTEX));
            rest[0] = (0, Graph::VERTEX);
        }
        before.push(Graph::Serial(parts));
        behind.push(Graph::Serial(rest));
    }
    [before, inside, behind]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(weights: &[u64]) -> Graph {
        let edge = |weight| (weight, Graph::VERTEX);
        Graph::Serial(
            [(0, Graph::VERTEX)].into_iter().chain(weights.iter().copied().map(edge)).collect(),
        )
    }

    fn machine(width: u64, warps: u64, threads: u64) -> Machine {
        Machine { width, warps, threads, ..Machine::default() }
    }

    /// Fig. 8: all threads of a group take a step, then all take the next one; one that is at its end waits.
    #[test]
    fn a_step_takes_as_long_as_its_heaviest_edge() {
        let of = |machine: &Machine| {
            let threads = vec![thread(&[400, 1]), thread(&[1, 400]), thread(&[1, 1, 7])];
            time(&Graph::Parallel(threads), machine, 0)
        };
        assert_eq!(of(&machine(32, 8, 1024)), 400 + 400 + 7);
        // In groups of their own that run at once the longest one counts, and one after the other all of them do.
        assert_eq!(of(&machine(1, 1, 1024)), 401);
        assert_eq!(of(&machine(1, 1, 1)), 401 + 401 + 9);
        assert_eq!(of(&machine(1, 2, 2)), 800 + 9);
        // A machine with fewer threads than a group runs one group at once.
        assert_eq!(of(&machine(1, 2, 1)), 800 + 9);
    }

    #[test]
    fn phases_come_one_after_the_other() {
        let phase = |weight| Graph::Parallel(vec![thread(&[weight]); 3]);
        let graph =
            Graph::Serial(vec![(0, thread(&[5])), (1, phase(7)), (2, phase(9)), (3, thread(&[]))]);
        assert_eq!(time(&graph, &machine(32, 8, 1024), 0), 5 + 1 + 7 + 2 + 9 + 3);
        // Branches of a thread run one after the other.
        let inner = Graph::Parallel(vec![Graph::Serial(vec![(0, phase(7)), (1, phase(9))]); 2]);
        assert_eq!(time(&inner, &machine(32, 8, 1024), 0), 3 * 7 + 1 + 3 * 9);
    }

    #[test]
    fn threads_of_the_same_steps_are_one_run_of_edges() {
        let chain = Graph::Chain { edges: 1000, weight: 3 };
        let mut path = Vec::new();
        edges(&chain, &mut path);
        assert_eq!(wider(&path, &path), path);
        let other = [Edges { count: 400, weight: 1 }, Edges { count: 800, weight: 9 }];
        let both = [Edges { count: 400, weight: 3 }, Edges { count: 800, weight: 9 }];
        assert_eq!(wider(&path, &other), both);
    }
}
