//! Which parts of a program to run on the device, which regions to hold in the memory of work groups meanwhile, and how
//! large work groups are to be: each way to do so, by what it costs.

use super::graph::time;
use rayon::prelude::*;
use reference::cost::Machine;
use reference::cost::Mode;
use reference::cost::graph::Greedy;
use reference::kit::names::Var;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::kit::text::Span;
use reference::lambda_g::eval::{Setting, places};
use reference::lambda_g::placement::{Spot, Spots};
use reference::lambda_g::region_sizes::needed;
use reference::lambda_g::syntax::Program;
use std::collections::{BTreeMap, BTreeSet};

/// Most ways that are priced.
pub const MOST: usize = 4096;

/// A way may take this many times the steps of the longer of the first two runs: an `on` is a step, and what is in it is
/// another one at least.
const TIMES: u64 = 2;
/// Steps of the ways that are priced, together: some minutes of a core at most.
const ALL: u64 = 1 << 31;
/// Ways that are priced however long they take.
const FEWEST: usize = 32;

/// Ways of which it is found out how large regions have to be.
const ADVISED: usize = 16;

/// Most warps of a work group that are tried beside those of the machine.
const WARPS: u64 = 32;

/// A way to run a program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    /// The expressions with an `on`, by their numbers in [`Placing::spots`].
    pub on: Vec<usize>,
    /// The regions in the memory of work groups, each with the `on` that uses it.
    pub groups: BTreeSet<(Span, Var)>,
    /// Warps of a work group.
    pub warps: u64,
}

/// What a way costs.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The way.
    pub way: Way,
    /// Its time, or why it has none.
    pub time: Result<u64, String>,
    /// The region that is full on the device, if it has none because of that.
    pub full: Option<Full>,
}

/// A region of the device that is full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Full {
    /// The region.
    pub region: Var,
    /// What would be put into it.
    pub site: Span,
    /// The regions that need more words than their `letregion` says, with the words. Of a few ways it is found out.
    pub needed: Vec<(Var, u64)>,
}

/// A way that was run.
struct Tried {
    placed: Placed,
    /// The steps of the run.
    steps: u64,
    /// Does it end, also where it gets stuck?
    ends: bool,
}

fn cost(placed: &Placed) -> u64 {
    placed.time.clone().unwrap_or(u64::MAX)
}

/// All ways that were priced.
#[derive(Clone, Debug)]
pub struct Found {
    /// The cheapest first, those without a price last.
    pub all: Vec<Placed>,
    /// Are these all that there are? Otherwise the first one is the best that was found.
    pub whole: bool,
    /// The way that is written.
    pub written: Way,
}

impl Found {
    /// The cheapest way that runs something on the device, or the cheapest that does not.
    pub fn best(&self, on_device: bool) -> Option<&Placed> {
        self.all.iter().find(|placed| placed.way.on.is_empty() != on_device && placed.time.is_ok())
    }
}

/// A program whose ways are to be priced.
pub struct Placing<'a> {
    spots: Spots,
    machine: &'a Machine,
    mode: Mode,
    greedy: Greedy,
    budget: Budget,
}

impl<'a> Placing<'a> {
    /// A program that has a type.
    pub fn new(
        program: &'a Program,
        machine: &'a Machine,
        mode: Mode,
        greedy: Greedy,
        budget: Budget,
    ) -> Self {
        Self { spots: Spots::of(program), machine, mode, greedy, budget }
    }

    /// The expressions that may have an `on`.
    pub fn spots(&self) -> &[Spot] {
        &self.spots.all
    }

    /// The program that a way runs, if it has a type.
    pub fn program(&self, way: &Way) -> Option<Program> {
        let on: Vec<Spot> = way.on.iter().map(|at| self.spots.all[*at]).collect();
        self.spots.placed(&on)
    }

    /// The way that is written.
    fn written(&self) -> Way {
        let on = (0..self.spots.all.len()).filter(|at| self.spots.all[*at].written).collect();
        Way { on, groups: BTreeSet::new(), warps: self.machine.warps }
    }

    /// What a way costs on an input that fits.
    pub fn price(&self, way: &Way, input: &[Value]) -> Placed {
        self.tried(way, input, &self.budget).placed
    }

    fn tried(&self, way: &Way, input: &[Value], budget: &Budget) -> Tried {
        let Some(program) = self.program(way) else {
            let time = Err("it has no type".to_owned());
            let placed = Placed { way: way.clone(), time, full: None };
            return Tried { placed, steps: 0, ends: true };
        };
        let run = time(&program, input, &self.setting(way), budget, self.greedy);
        let ends = !matches!(run.ending, Ending::Unknown(_));
        let full = match (run.full, &run.ending) {
            (Some(region), Ending::Stuck(stuck)) => {
                Some(Full { region, site: stuck.site.span, needed: Vec::new() })
            }
            _ => None,
        };
        let placed = Placed { way: way.clone(), time: run.time, full };
        Tried { placed, steps: run.steps, ends }
    }

    fn setting(&self, way: &Way) -> Setting {
        let machine = Machine { warps: way.warps, ..self.machine.clone() };
        Setting { machine, mode: self.mode, groups: way.groups.clone(), ..Setting::default() }
    }

    /// Finds out of some ways how large the regions have to be that are full.
    fn advise(&self, all: &mut [Placed], input: &[Value], budget: &Budget) {
        for Placed { way, full, .. } in all.iter_mut().filter(|it| it.full.is_some()).take(ADVISED)
        {
            if let (Some(full), Some(program)) = (full, self.program(way)) {
                full.needed = needed(&program, full.region, input, &self.setting(way), budget);
            }
        }
    }

    /// Prices all ways on an input that fits; of more than [`MOST`], or of long runs, some.
    ///
    /// The host alone and the way that is written come first, with all of the budget. If neither comes to an end, no other is
    /// tried. The others have [`TIMES`] the steps of these.
    pub fn search(&self, input: &[Value]) -> Found {
        let written = self.written();
        let host = Way { on: Vec::new(), ..written.clone() };
        let starts = [host, written.clone()].map(|way| self.tried(&way, input, &self.budget));
        let steps = starts.iter().filter(|tried| tried.ends).map(|tried| tried.steps).max();
        let known = starts.map(|tried| (tried.placed.way.clone(), tried.placed));
        let mut known: BTreeMap<Way, Placed> = known.into();
        let (mut whole, mut budget) = (false, self.budget);
        if let Some(steps) = steps {
            let fuel = steps.saturating_mul(TIMES).min(self.budget.fuel);
            budget.fuel = fuel;
            let price = |way: &Way| self.tried(way, input, &budget).placed;
            let room = usize::try_from(ALL / steps.max(1)).unwrap_or(MOST).clamp(FEWEST, MOST);
            match self.ways().filter(|ways| ways.len() <= room) {
                Some(ways) => {
                    whole = self.spots.whole;
                    let new: Vec<&Way> =
                        ways.iter().filter(|way| !known.contains_key(way)).collect();
                    let priced: Vec<Placed> = new.into_par_iter().map(price).collect();
                    known.extend(priced.into_iter().map(|placed| (placed.way.clone(), placed)));
                }
                None => self.climb(&mut known, room, price),
            }
        }
        let mut all: Vec<Placed> = known.into_values().collect();
        all.sort_by(|a, b| {
            let order = |placed: &Placed| (placed.time.is_err(), cost(placed), placed.way.clone());
            order(a).cmp(&order(b))
        });
        self.advise(&mut all, input, &budget);
        Found { all, whole, written }
    }

    /// Sizes of work groups that are tried.
    fn sizes(&self) -> Vec<u64> {
        let fits = |warps: &u64| self.machine.width.saturating_mul(*warps) <= self.machine.threads;
        let powers = (0..).map(|power| 1 << power).take_while(|warps| *warps <= WARPS);
        let mut sizes: Vec<u64> = powers.filter(fits).chain([self.machine.warps]).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    /// The regions that the `on` of these places use.
    fn regions(&self, on: &[usize]) -> Option<Vec<(Span, Var)>> {
        let way = Way { on: on.to_vec(), groups: BTreeSet::new(), warps: self.machine.warps };
        Some(places(&self.program(&way)?).into_iter().collect())
    }

    /// All ways, if they are few.
    fn ways(&self) -> Option<Vec<Way>> {
        let (mut ways, sizes, usual) = (Vec::new(), self.sizes(), [self.machine.warps]);
        let mut open = vec![(0, Vec::new())];
        while let Some((next, on)) = open.pop() {
            if next < self.spots.all.len() {
                let beside = |at: &usize| self.spots.all[*at].is_beside(&self.spots.all[next]);
                if on.iter().all(beside) {
                    open.push((next + 1, [&on[..], &[next]].concat()));
                }
                open.push((next + 1, on));
                // Each of these leads to a way at least.
                if open.len() + ways.len() > MOST {
                    return None;
                }
                continue;
            }
            let Some(regions) = self.regions(&on) else { continue };
            let sizes: &[u64] = if on.is_empty() { &usual } else { &sizes };
            let more = 1_usize.checked_shl(regions.len() as u32).unwrap_or(usize::MAX);
            if more.saturating_mul(sizes.len()).saturating_add(ways.len()) > MOST {
                return None;
            }
            for some in 0..more {
                let in_groups = regions.iter().enumerate().filter(|(at, _)| some >> at & 1 == 1);
                let groups: BTreeSet<_> = in_groups.map(|(_, place)| *place).collect();
                let way =
                    |warps: &u64| Way { on: on.clone(), groups: groups.clone(), warps: *warps };
                ways.extend(sizes.iter().map(way));
            }
        }
        Some(ways)
    }

    /// From each of the ways that are known to the next best one until none is better, or so many are known.
    fn climb(
        &self,
        known: &mut BTreeMap<Way, Placed>,
        room: usize,
        price: impl Fn(&Way) -> Placed + Sync,
    ) {
        let starts: Vec<Placed> = known.values().cloned().collect();
        for mut best in starts {
            loop {
                let near = self.near(&best.way).into_iter();
                let new = near.filter(|way| !known.contains_key(way));
                let new: BTreeSet<Way> = new.take(room.saturating_sub(known.len())).collect();
                let priced: Vec<Placed> = new.par_iter().map(&price).collect();
                let better = priced.iter().min_by_key(|placed| cost(placed)).cloned();
                known.extend(priced.into_iter().map(|placed| (placed.way.clone(), placed)));
                match better.filter(|better| cost(better) < cost(&best)) {
                    Some(better) => best = better,
                    None => break,
                }
            }
        }
    }

    /// The ways that differ from one in an `on`, a region or the size of work groups.
    fn near(&self, way: &Way) -> Vec<Way> {
        let mut near = Vec::new();
        for at in 0..self.spots.all.len() {
            let beside = |other: &usize| self.spots.all[*other].is_beside(&self.spots.all[at]);
            let on: Vec<usize> = match way.on.contains(&at) {
                true => way.on.iter().copied().filter(|other| *other != at).collect(),
                // What is in it, or around it, goes.
                false => way.on.iter().copied().filter(beside).chain([at]).collect(),
            };
            let kept =
                |(span, _): &&(Span, Var)| on.iter().any(|at| self.spots.all[*at].span == *span);
            let groups = way.groups.iter().filter(kept).copied().collect();
            let mut on = on;
            on.sort_unstable();
            let near_by = Way { on, groups, warps: way.warps };
            // A new one holds its regions in global memory, or all of them in that of work groups.
            if near_by.on.contains(&at) {
                let regions = self.regions(&near_by.on).unwrap_or_default();
                let own = regions.into_iter().filter(|(span, _)| *span == self.spots.all[at].span);
                let groups = near_by.groups.iter().copied().chain(own).collect();
                near.push(Way { groups, ..near_by.clone() });
            }
            near.push(near_by);
        }
        for place in self.regions(&way.on).unwrap_or_default() {
            let mut groups = way.groups.clone();
            if !groups.remove(&place) {
                groups.insert(place);
            }
            near.push(Way { groups, ..way.clone() });
        }
        if !way.on.is_empty() {
            let other = |warps: &u64| *warps != way.warps;
            near.extend(
                self.sizes().into_iter().filter(other).map(|warps| Way { warps, ..way.clone() }),
            );
        }
        near
    }
}

/// The least size from `from` to `to` at which `device` is less than `host`, if it stays so from there on: by halving.
///
/// # Errors
/// Why a size has no price.
pub fn crossover(
    (from, to): (i32, i32),
    mut cheaper: impl FnMut(i32) -> Result<bool, String>,
) -> Result<Option<i32>, String> {
    if cheaper(from)? {
        return Ok(Some(from));
    }
    if from == to || !cheaper(to)? {
        return Ok(None);
    }
    let (mut not, mut yes) = (from, to);
    while yes - not > 1 {
        let middle = not + (yes - not) / 2;
        if cheaper(middle)? { yes = middle } else { not = middle }
    }
    Ok(Some(yes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use reference::kit::language::Language;
    use reference::kit::value::parse_values;
    use reference::lambda_g::LambdaG;

    const SECTION_7: &str = "param arrs : (Vec ((int, r0) * (int, r0), r0), r0);
        on parmap (fn (p : ((int, r0) * (int, r0), r0)) ! {r0} => fst p * snd p at r0 at r0) arrs at r0 at r0";

    fn found(source: &str, text: &str, mode: Mode) -> Found {
        let program = LambdaG::parse(source).expect("it is read");
        let input = LambdaG::fit(&program, parse_values(text).expect("values")).expect("it fits");
        let machine = Machine::default();
        let placing = Placing::new(&program, &machine, mode, Greedy::DepthFirst, Budget::default());
        let found = placing.search(&input);
        let written = placing.price(&found.written, &input).time;
        let listed = found.all.iter().find(|placed| placed.way == found.written);
        assert_eq!(listed.map(|placed| placed.time.clone()), Some(written));
        found
    }

    /// On the host; the whole or the function on the device, with `r0` in either memory, in groups of six sizes.
    #[test]
    fn every_way_is_priced_and_the_cheapest_is_first() {
        for mode in Mode::ALL {
            let found = found(SECTION_7, "{(2, 3), (4, 5)}", mode);
            assert!(found.whole);
            assert_eq!(found.all.len(), 1 + 2 * 2 * 6);
            let times: Vec<u64> =
                found.all.iter().map(|placed| placed.time.clone().expect("a price")).collect();
            assert!(times.is_sorted());
            // Two pairs are not worth the transfers: `5n - 2`, and 3 around the branches.
            assert_eq!(found.all[0].way.on, Vec::<usize>::new());
            if mode == Mode::Paper {
                assert_eq!(times[0], 5 * 2 - 2 + 3);
            }
        }
    }

    /// Of many ways some are priced, and none of those near the best one is better.
    #[test]
    fn of_many_ways_the_best_that_is_found_is_told() {
        let sums = (0..14).fold("1 at r0".to_owned(), |sum, _| format!("({sum}) + 2 at r0 at r0"));
        let found = found(&sums, "", Mode::Umm);
        assert!(!found.whole && found.all.len() <= MOST);
        assert!(found.all[0].way.on.is_empty());
    }

    /// What does not end is not run in every way.
    #[test]
    fn of_a_program_that_loops_no_more_ways_are_tried() {
        let source = "let f = fix f : ((int, r0) -> {r0} (int, r0), r0) . fn (n : (int, r0)) ! {r0} => f n at r0 in
            let v = parmap (fn (n : (int, r0)) ! {r0} => n + n at r0 at r0) [1 at r0, 2 at r0] at r0 in f (v ! 0 at r0)";
        let program = LambdaG::parse(source).expect("it is read");
        let machine = Machine::default();
        let budget = Budget { fuel: 10_000, ..Budget::default() };
        let placing = Placing::new(&program, &machine, Mode::Paper, Greedy::DepthFirst, budget);
        let found = placing.search(&[]);
        assert!(!found.whole && found.all.len() <= 2, "{found:?}");
        assert!(found.all.iter().all(|placed| placed.time.is_err()), "{found:?}");
    }

    /// An `on` in each of many branches pushes the region as often. That has a price, and takes no longer to find out.
    #[test]
    fn ways_that_push_a_region_again_and_again_have_a_price() {
        let source = SECTION_7.replace("on parmap", "parmap");
        let source = source.strip_suffix(" at r0").expect("that of the `on`");
        let pairs = vec!["(2, 3)"; 4000].join(", ");
        let found = found(source, &format!("{{{pairs}}}"), Mode::Paper);
        assert!(found.whole && found.all.iter().all(|placed| placed.time.is_ok()), "{found:?}");
    }

    /// With the words that are told each way that was stuck has a price, and with one less not.
    #[test]
    fn a_region_that_is_full_is_told_with_the_words_that_fit() {
        let sized = |said: &str| {
            format!("letregion q{said} in let v = parmap (fn (n : (int, r0)) ! {{r0, q}} => n * n at q at q)
                (iota (50 at r0) at r0) at q in (v ! 3 at r0) + 1 at r0 at r0")
        };
        let told = |source: &str| {
            let found = found(source, "", Mode::Paper);
            let full: Vec<Full> =
                found.all.iter().filter_map(|placed| placed.full.clone()).collect();
            let priced = found.all.iter().filter(|placed| placed.time.is_ok()).count();
            (found.all.len(), priced, full)
        };
        let (all, priced, full) = told(&sized(" of 8"));
        assert!(priced < all && !full.is_empty(), "{full:?}");
        let most = full.iter().flat_map(|full| &full.needed).map(|(_, words)| *words).max();
        let most = most.expect("it is told");
        assert_eq!(told(&sized(&format!(" of {most}"))).1, all);
        let (_, priced, full) = told(&sized(&format!(" of {}", most - 1)));
        assert!(priced < all && full.iter().any(|full| full.needed.iter().any(|of| of.1 == most)));
    }

    #[test]
    fn a_crossover_is_found_by_halving() {
        let at = |least| crossover((1, 1 << 20), |size| Ok(size >= least));
        assert_eq!(at(1), Ok(Some(1)));
        assert_eq!(at(77_777), Ok(Some(77_777)));
        assert_eq!(at(1 << 20), Ok(Some(1 << 20)));
        assert_eq!(at((1 << 20) + 1), Ok(None));
        assert!(crossover((1, 2), |_| Err("stuck".to_owned())).is_err());
    }
}
