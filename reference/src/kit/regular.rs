//! Does what a program accesses, and how often, depend on data? If it does not, a part of its threads and rounds tells
//! what all of them access.
//!
//! A room says how values flow between variables ([`Flow`]): what *steers* a run, as indices, conditions and counts do, and
//! what is read from memory. The answer holds for every run, so it is coarse: the order of statements is not looked at.

use super::names::Var;
use super::text::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// Why a part of a run does not tell what all of it accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Irregular {
    /// The statement that depends on data, if it is one.
    pub site: Span,
    /// One sentence.
    pub why: &'static str,
}

/// Loops of which rounds may be left out.
pub type Loops = FxHashMap<Span, Repeated>;

/// A loop of which rounds may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// How many loops are nested in it at most, itself counted.
    pub height: u32,
    /// Does it allocate, or launch a kernel? On the host all rounds of such a loop count.
    pub acts: bool,
}

impl Repeated {
    /// What holds of both, of two loops that came from one statement.
    fn or(self, other: Self) -> Self {
        Self { height: self.height.max(other.height), acts: self.acts || other.acts }
    }
}

/// How values flow in a program.
#[derive(Debug, Default)]
pub struct Flow {
    from: FxHashMap<Var, FxHashSet<Var>>,
    steers: Vec<(Var, Span)>,
    data: FxHashSet<Var>,
    irregular: Vec<Span>,
    threads: FxHashSet<Var>,
    /// Conditions around what is looked at.
    conditions: Vec<Var>,
    open: Vec<Open>,
    loops: Vec<Closed>,
}

/// A loop that is being looked at.
#[derive(Debug, Default)]
struct Open {
    carried: FxHashSet<Var>,
    declared: FxHashSet<Var>,
    height: u32,
    acts: bool,
}

/// A loop that was looked at.
#[derive(Debug)]
struct Closed {
    site: Span,
    carried: FxHashSet<Var>,
    count: Vec<Var>,
    own: Repeated,
}

impl Flow {
    /// The value of a variable depends on these, and on the conditions around the statement.
    pub fn sets(&mut self, var: Var, from: impl IntoIterator<Item = Var>) {
        let all = self.from.entry(var).or_default();
        all.extend(from);
        all.extend(self.conditions.iter().copied());
    }

    /// The statement at `site` accesses, or does, what depends on these variables.
    pub fn steers(&mut self, vars: impl IntoIterator<Item = Var>, site: Span) {
        self.steers.extend(vars.into_iter().map(|var| (var, site)));
    }

    /// The value of a variable is read from memory, or may be.
    pub fn reads(&mut self, var: Var) {
        self.data.insert(var);
        self.sets(var, []);
    }

    /// The statement at `site` depends on what is read from memory itself.
    pub fn is_irregular(&mut self, site: Span) {
        self.irregular.push(site);
    }

    /// The variable tells threads of a launch apart.
    pub fn is_thread(&mut self, var: Var) {
        self.threads.insert(var);
    }

    /// What `look` looks at happens under these conditions.
    pub fn under(
        &mut self,
        conditions: impl IntoIterator<Item = Var>,
        look: impl FnOnce(&mut Self),
    ) {
        let mark = self.conditions.len();
        self.conditions.extend(conditions);
        look(self);
        self.conditions.truncate(mark);
    }

    /// A variable is made anew in each round of the innermost loop.
    pub fn declares(&mut self, var: Var) {
        if let Some(open) = self.open.last_mut() {
            open.declared.insert(var);
        }
    }

    /// A variable is handed from one round of the innermost loop to the next, unless it is declared in it.
    pub fn carries(&mut self, var: Var) {
        if let Some(open) = self.open.last_mut() {
            open.carried.insert(var);
        }
    }

    /// A block is allocated, or a kernel launched where this is on the host.
    pub fn acts(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.acts = true;
        }
    }

    /// A loop, or an inner kernel, whose count depends on these variables. If its rounds all start alike, none hands anything
    /// on.
    pub fn repeats(
        &mut self,
        site: Span,
        count: impl IntoIterator<Item = Var>,
        alike: bool,
        look: impl FnOnce(&mut Self),
    ) {
        let count: Vec<Var> = count.into_iter().chain(self.conditions.iter().copied()).collect();
        self.steers(count.iter().copied(), site);
        self.open.push(Open::default());
        look(self);
        let Open { mut carried, declared, height, acts } = self.open.pop().expect("it was opened");
        carried.retain(|var| !declared.contains(var));
        if alike {
            carried.clear();
        }
        let height = height + 1;
        if let Some(around) = self.open.last_mut() {
            around.height = around.height.max(height);
            around.acts |= acts;
            around.carried.extend(carried.iter().copied());
        }
        self.loops.push(Closed { site, carried, count, own: Repeated { height, acts } });
    }

    /// The loops of which rounds may be left out: those whose count is the same in all threads, and which hand nothing
    /// on that steers.
    ///
    /// # Errors
    /// The first statement that depends on data.
    pub fn regular(&self) -> Result<Loops, Irregular> {
        let steering = self.steering()?;
        let differs = self.differing();
        let mut loops: FxHashMap<Span, Option<Repeated>> = FxHashMap::default();
        for Closed { site, carried, count, own } in &self.loops {
            let may =
                carried.is_disjoint(&steering) && !count.iter().any(|var| differs.contains(var));
            let own = may.then_some(*own);
            // Of two loops that came from one statement both have to be such.
            loops
                .entry(*site)
                .and_modify(|there| *there = there.zip(own).map(|(a, b)| a.or(b)))
                .or_insert(own);
        }
        Ok(loops.into_iter().filter_map(|(site, own)| Some((site, own?))).collect())
    }

    /// What steers depends on these.
    fn steering(&self) -> Result<FxHashSet<Var>, Irregular> {
        let why = "what it accesses, or whether, depends on what is read from memory";
        if let Some(site) = self.irregular.iter().min() {
            return Err(Irregular { site: *site, why });
        }
        let mut found = FxHashSet::default();
        let mut left = self.steers.clone();
        left.sort_by_key(|(var, site)| (*site, *var));
        // The first in the text is looked at first.
        left.reverse();
        while let Some((var, site)) = left.pop() {
            if !found.insert(var) {
                continue;
            }
            if self.data.contains(&var) {
                return Err(Irregular { site, why });
            }
            let from = self.from.get(&var).into_iter().flatten();
            left.extend(from.map(|from| (*from, site)));
        }
        Ok(found)
    }

    /// What is not the same in all threads.
    fn differing(&self) -> FxHashSet<Var> {
        let mut differs = self.threads.clone();
        loop {
            let new: Vec<Var> = self
                .from
                .iter()
                .filter(|(var, from)| !differs.contains(var) && !from.is_disjoint(&differs))
                .map(|(var, _)| *var)
                .collect();
            if new.is_empty() {
                return differs;
            }
            differs.extend(new);
        }
    }
}
