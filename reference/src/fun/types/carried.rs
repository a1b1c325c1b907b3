//! The roots of what a loop gives. A carried variable may end with what any other one starts from
//! or is given, if a path of rounds leads there; all of a cycle have the same roots, so cycles are
//! found first (Tarjan's algorithm), and each is looked at once.

use super::alias::Roots;
use crate::kit::names::Var;
use std::collections::HashMap;

/// The roots of each carried variable after the loop: `inits` and `results` are those of what it
/// starts from and of what the body gives for it.
pub(super) fn after_loop(carried: &[Var], inits: &[Roots], results: &[Roots]) -> Vec<Roots> {
    let place: HashMap<u32, usize> =
        carried.iter().enumerate().map(|(at, var)| (var.0, at)).collect();
    let flows = (0..carried.len()).map(|at| {
        let mut flow = Flow { own: Roots::none(), from: Vec::new() };
        let mut slots = Vec::new();
        for roots in [inits.get(at), results.get(at)].into_iter().flatten() {
            let Roots::Few(few) = roots else {
                return Flow { own: Roots::Any, from: Vec::new() };
            };
            for root in few.iter() {
                match place.get(root) {
                    Some(&other) => flow.from.push(other),
                    None => slots.push(*root),
                }
            }
        }
        flow.own = Roots::union([&Roots::Few(slots.into())]);
        flow
    });
    let mut search = Search {
        flows: flows.collect(),
        seen: vec![0; carried.len()],
        time: 0,
        open: Vec::new(),
        roots: vec![None; carried.len()],
    };
    (0..carried.len()).for_each(|at| search.visit(at));
    let closed = |roots: Option<Roots>| roots.expect("each variable was visited");
    search.roots.into_iter().map(closed).collect()
}

/// What a carried variable gets in a round, or starts from.
struct Flow {
    /// Roots outside of the loop, and those that the body makes.
    own: Roots,
    /// Carried variables whose roots are its own too.
    from: Vec<usize>,
}

/// The search for cycles. A variable is open from its visit on until its cycle is known.
struct Search {
    flows: Vec<Flow>,
    /// When each was visited, from 1 on.
    seen: Vec<usize>,
    time: usize,
    open: Vec<usize>,
    /// Those of variables that are not open any more.
    roots: Vec<Option<Roots>>,
}

/// A variable that is being visited.
struct Visit {
    at: usize,
    /// How many it gets something from have been looked at.
    next: usize,
    /// The earliest open variable that is known to be reached.
    low: usize,
}

impl Search {
    /// Visits a variable and all that it reaches. A path may be as long as the source, so it is no
    /// recursion.
    fn visit(&mut self, first: usize) {
        if self.seen[first] != 0 {
            return;
        }
        let mut path = vec![self.enter(first)];
        while let Some(visit) = path.last_mut() {
            let Some(&to) = self.flows[visit.at].from.get(visit.next) else {
                let Visit { at, low, .. } = *visit;
                path.pop();
                if low == self.seen[at] {
                    self.close(at);
                }
                if let Some(before) = path.last_mut() {
                    before.low = before.low.min(low);
                }
                continue;
            };
            visit.next += 1;
            if self.seen[to] == 0 {
                let inner = self.enter(to);
                path.push(inner);
            } else if self.roots[to].is_none() {
                visit.low = visit.low.min(self.seen[to]);
            }
        }
    }

    fn enter(&mut self, at: usize) -> Visit {
        self.time += 1;
        self.seen[at] = self.time;
        self.open.push(at);
        Visit { at, next: 0, low: self.time }
    }

    /// All that were opened since `first` reach one another; what else they reach is closed.
    fn close(&mut self, first: usize) {
        let since = self.open.iter().rposition(|&at| at == first);
        let cycle = self.open.split_off(since.expect("it is open"));
        let own = cycle.iter().map(|&at| &self.flows[at].own);
        let from = cycle.iter().flat_map(|&at| &self.flows[at].from);
        let roots = Roots::union(own.chain(from.filter_map(|&to| self.roots[to].as_ref())));
        for at in cycle {
            self.roots[at] = Some(roots.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn few(slots: &[u32]) -> Roots {
        let slots: BTreeSet<u32> = slots.iter().copied().collect();
        Roots::Few(slots.into_iter().collect())
    }

    fn slots(roots: &Roots) -> Option<Vec<u32>> {
        match roots {
            Roots::Few(few) => Some(few.to_vec()),
            Roots::Any => None,
        }
    }

    /// What is said of the first variable, by following each path from it.
    fn by_paths(count: u32, inits: &[Roots], results: &[Roots], first: usize) -> Option<Vec<u32>> {
        let (mut seen, mut todo) = (BTreeSet::new(), vec![first]);
        let mut found = BTreeSet::new();
        while let Some(at) = todo.pop() {
            if seen.insert(at) {
                for roots in [&inits[at], &results[at]] {
                    for root in slots(roots)? {
                        match root < count {
                            true => todo.push(root as usize),
                            false => _ = found.insert(root),
                        }
                    }
                }
            }
        }
        Some(found.into_iter().collect())
    }

    #[test]
    fn the_roots_are_those_of_every_path() {
        fn property(flows: Vec<(Vec<u8>, Vec<u8>, bool)>) -> bool {
            let count = flows.len() as u32;
            let carried: Vec<Var> = (0..count).map(Var).collect();
            let given = |to: &[u8]| -> Vec<u32> {
                to.iter().take(2).map(|&slot| u32::from(slot) % (count + 9)).collect()
            };
            let inits: Vec<Roots> = flows
                .iter()
                .map(|(init, ..)| few(&[count + u32::from(init.len() as u8)]))
                .collect();
            let results: Vec<Roots> = flows
                .iter()
                .map(|(_, to, any)| if *any && to.len() > 9 { Roots::Any } else { few(&given(to)) })
                .collect();
            let after = after_loop(&carried, &inits, &results);
            (0..flows.len()).all(|at| slots(&after[at]) == by_paths(count, &inits, &results, at))
        }
        quickcheck::quickcheck(property as fn(Vec<(Vec<u8>, Vec<u8>, bool)>) -> bool);
    }

    /// Each variable gets the next one's value, round and round, or up to the last one: to look
    /// at all of them for each of them would take minutes, to search for each name hours.
    #[test]
    fn a_hundred_thousand_variables() {
        let count = 100_000;
        let carried: Vec<Var> = (0..count).map(Var).collect();
        let inits = vec![few(&[count]); count as usize];
        for last in [0, count - 1] {
            let next = |at: u32| if at + 1 < count { at + 1 } else { last };
            let results: Vec<Roots> = (0..count).map(|at| few(&[next(at)])).collect();
            let after = after_loop(&carried, &inits, &results);
            assert!(after.iter().all(|roots| slots(roots) == Some(vec![count])));
        }
    }
}
