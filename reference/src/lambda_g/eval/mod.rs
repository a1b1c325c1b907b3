//! `E; σ; T; ω; e ⇓ ℓ; σ'; T'; c`: values of expressions in regions, and the cost graphs of their runs (figs. 3, 5, 6
//! and 9).
//!
//! Evaluation goes from left to right and threads the configuration table `T` through all branches, so it is
//! deterministic and no two values have one place; what runs side by side shows in the graph (L15, L63). The local store
//! `σ` only decides what accesses cost, so it is no part of a run.
//!
//! [`Run::eval`] has an arm for each rule. What stands in tail position goes on in the same call, so that a function that
//! applies itself last is a loop; other calls are counted against [`MAX_DEPTH`]. [`memory`] has the rules of figs. 3 and 9,
//! [`exps`] and [`functions`] those of fig. 5, [`parallel`] those of fig. 6, [`device`] `on`, and [`border`] what goes in
//! and comes out.

mod border;
mod device;
mod exps;
mod functions;
mod memory;
mod parallel;
mod tail;
#[cfg(test)]
mod tests;

pub use super::graph::Wanted;
use super::graph::{Delta, Writer};
use super::print;
use super::rules::Rule;
use super::syntax::{Exp, Kind, Program, R0, World};
use super::trace::Access;
use super::types::{self, Pushes, Typed, found, shortened};
pub use super::values::Merged;
use super::values::{Bound, Counts, Env, Location, Name, Region, Table, Val};
use crate::cost::graph::Graph;
use crate::cost::{Formula, Machine, Mode, Spent};
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::names::{Names, Var};
use crate::kit::outcome::{Budget, Outcome, Value, Why};
use crate::kit::run::{Eval, Evaluator, State};
use crate::kit::tap::Space;
use crate::kit::text::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::thread;
use tail::Tail;

pub(super) use border::takes;
pub use parallel::MAX_BRANCHES;

/// The most evaluations in one another, but for those in tail position.
pub const MAX_DEPTH: usize = 1 << 14;

/// The stack of a run: bytes for each evaluation of [`MAX_DEPTH`], and for what it calls, in a build without
/// optimization. Only what is used of it is taken.
const STACK: usize = MAX_DEPTH * (16 << 10);

/// What a run depends on besides program and input.
#[derive(Clone, Debug)]
pub struct Setting {
    /// What accesses, allocations and transfers cost, and `BSIZE`.
    pub machine: Machine,
    /// How costs are counted.
    pub mode: Mode,
    /// The regions that lie in the memory of work groups while an `on` runs: some of its [`places`]. That makes a
    /// difference to costs only.
    pub groups: BTreeSet<(Span, Var)>,
    /// Does the host run what stands in an `on` too?
    pub host_alone: bool,
    /// The fault that the run carries.
    pub planted: Planted,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            machine: Machine::default(),
            mode: Mode::Paper,
            groups: BTreeSet::new(),
            host_alone: false,
            planted: Planted::NONE,
        }
    }
}

/// The regions that each `on` of a program uses, as it names them.
///
/// # Panics
/// If the program has no type.
pub fn places(program: &Program) -> BTreeSet<(Span, Var)> {
    let pushes = typed(program, Planted::NONE).pushes;
    let of = |(on, pushes): (Span, Pushes)| pushes.vars.into_iter().map(move |var| (on, var));
    pushes.into_iter().flat_map(of).collect()
}

fn typed(program: &Program, planted: Planted) -> Typed {
    let typed = types::typed_with(program, planted, &mut Recorder::counting());
    typed.unwrap_or_else(|no| panic!("the program has no type: {no}"))
}

/// Runs a program that has a type on an input that fits.
///
/// # Panics
/// If the program has no type.
pub fn run(
    program: &Program,
    input: &[Value],
    setting: &Setting,
    budget: &Budget,
    to: &mut Recorder<Rule>,
) -> Outcome {
    run_with_graph(program, input, setting, budget, to, Wanted::Nothing).outcome
}

/// The same, and the cost graph of the run as far as it came.
///
/// # Panics
/// If the program has no type.
pub fn run_with_graph(
    program: &Program,
    input: &[Value],
    setting: &Setting,
    budget: &Budget,
    to: &mut Recorder<Rule>,
    wanted: Wanted,
) -> Priced {
    with_stack(|| {
        let typed = typed(program, setting.planted);
        Run::new(program, &typed, setting, budget, to, wanted).program(input)
    })
}

/// Runs on a thread whose stack is large enough for [`MAX_DEPTH`].
fn with_stack(run: impl FnOnce() -> Priced + Send) -> Priced {
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, run).map(thread::ScopedJoinHandle::join) {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            Err(error) => {
                let why = Why::NotModelled(format!("a stack of {STACK} bytes: {error}"));
                Outcome::from(crate::kit::outcome::Ending::Unknown(why)).into()
            }
        }
    })
}

/// A run with its cost graph.
#[derive(Debug)]
pub struct Priced {
    /// The run.
    pub outcome: Outcome,
    /// Its graph, as far as it came; a vertex, if none was wanted.
    pub graph: Graph,
    /// The bytes that the graph takes, or would have taken where that was wanted.
    pub size: u64,
    /// The most bytes that the values took, with the input.
    pub values: u64,
    /// The words of the parameters, which were there before.
    pub given: u64,
    /// Each `on` that came to its end.
    pub ran: Vec<Ran>,
    /// Each merge of a region, the first one first where no branches are around.
    pub merged: Vec<Merged>,
    /// The first region of the device that was full.
    pub full: Option<Var>,
    /// What primitives of it cost, in the symbols of the paper.
    pub formula: Formula,
    /// What was done to regions, by where they are made, and how many there were.
    pub regions: BTreeMap<Var, (u64, Counts)>,
}

/// An `on` that ran.
#[derive(Clone, Copy, Debug)]
pub struct Ran {
    /// The expression.
    pub site: Span,
    /// `δ*` and its words: what is brought to the device.
    pub to_device: [u64; 2],
    /// `D`: how long it takes there.
    pub device: u64,
    /// `δ†` and its words: what is brought back.
    pub to_host: [u64; 2],
    /// What its threads do, in `umm` and `cal`.
    pub spent: Spent,
}

/// What applies a rule.
type Apply<'p, R> = fn(&mut R, &'p Exp, &Env) -> Eval<Val>;

/// The state of a run: `σ` aside, all that stands before `⇓`, and the graph that stands behind it.
struct Run<'p, 'r> {
    program: &'p Program,
    typed: &'r Typed,
    setting: &'r Setting,
    state: State<'r, Rule>,
    /// `T`
    table: Table<'p>,
    /// `ω`
    world: World,
    /// `E` of `r0` and the parameters, by variable.
    globals: Vec<Option<Bound>>,
    /// The name of the next region.
    next: u64,
    /// How many evaluations are around what runs.
    depth: usize,
    /// How many `||` and `parmap` of the host are around what runs.
    branches: usize,
    /// How many `||` and `parmap` of both worlds are around what runs.
    nesting: usize,
    /// The branches of the device that run, the outermost first, from 1.
    thread: Vec<i32>,
    /// The `parmap` that the threads of the one around it make together (L68).
    nested: Option<Span>,
    /// Bytes of all values, and the most that they were.
    bytes: u64,
    most: u64,
    /// The most bytes.
    memory: u64,
    /// `c`
    cost: Writer,
    /// The words of the parameters.
    given: u64,
    /// Regions that the running branches of the host touch, where that has a price; and how many of them are shared, of
    /// the branches that were joined last.
    touched: Option<BTreeSet<Name>>,
    shared: u64,
    ran: Vec<Ran>,
    merged: Vec<Merged>,
    full: Option<Var>,
    /// What they and other primitives cost, in the symbols of the paper.
    formula: Formula,
    /// What was done to regions that are over.
    regions: BTreeMap<Var, (u64, Counts)>,
}

impl<'r> Evaluator<'r> for Run<'_, 'r> {
    type Rule = Rule;
    type Subject = Exp;

    fn state(&mut self) -> &mut State<'r, Rule> {
        &mut self.state
    }

    fn text(names: &Names, subject: &Exp) -> String {
        shortened(print::exp(names, subject))
    }

    fn depth(&self) -> usize {
        self.thread.len()
    }

    fn thread(&self) -> Vec<i32> {
        self.thread.clone()
    }
}

impl<'p, 'r> Run<'p, 'r> {
    fn new(
        program: &'p Program,
        typed: &'r Typed,
        setting: &'r Setting,
        budget: &Budget,
        to: &'r mut Recorder<Rule>,
        wanted: Wanted,
    ) -> Self
    where
        'p: 'r,
    {
        let mut globals = vec![None; program.names.len()];
        globals[R0.slot()] = Some(Bound::Region(Name(0)));
        let mut table = Table::default();
        table.host.push(Name(0), Region::new(R0, u64::MAX));
        Self {
            program,
            typed,
            setting,
            state: State::new(&program.names, to, budget),
            table,
            world: World::C,
            globals,
            next: 1,
            depth: 0,
            branches: 0,
            nesting: 0,
            thread: Vec::new(),
            nested: None,
            bytes: 0,
            most: 0,
            memory: budget.memory,
            cost: Writer::new(wanted),
            given: 0,
            touched: None,
            shared: 0,
            ran: Vec::new(),
            merged: Vec::new(),
            full: None,
            formula: Formula::default(),
            regions: BTreeMap::new(),
        }
    }

    /// The whole run.
    fn program(mut self, input: &[Value]) -> Priced {
        let mut ended = self.result(input);
        while let Some((_, mut region)) = self.table.host.pop() {
            let over = self.over(&mut region);
            ended = ended.and_then(|values| over.map(|()| values));
        }
        let cost = std::mem::replace(&mut self.cost, Writer::new(Wanted::Nothing));
        let size = cost.size();
        let outcome = self.state.meter.outcome(ended);
        Priced {
            outcome,
            graph: cost.finish(),
            size,
            values: self.most,
            given: self.given,
            ran: self.ran,
            merged: self.merged,
            full: self.full,
            formula: self.formula,
            regions: self.regions,
        }
    }

    fn result(&mut self, input: &[Value]) -> Eval<Vec<Value>> {
        self.take(input)?;
        let program = self.program;
        let val = self.eval(&program.body, &Env::default())?;
        Ok(vec![self.observed(&found(&self.typed.ty), val)?])
    }

    /// An access of the device, and what it takes.
    fn of_device(&self, site: Span, at: Location, writes: bool) -> Delta {
        let machine = &self.setting.machine;
        let region = self.table.device.get(at.region);
        let (base, space) = region.map_or((0, Space::Global), |copy| (copy.base, copy.space));
        // Serial parts use global memory.
        let space = if self.thread.is_empty() { Space::Global } else { space };
        let weight = match space {
            Space::Group => machine.group_latency,
            Space::Global => machine.latency,
        };
        let address = base.saturating_add(at.offset);
        let access = Access { site, region: at.region, space, address, writes };
        Delta { weight, access: self.cost.is_traced().then_some(access) }
    }

    /// `E(x)`, `E(ρ)`
    fn bound(&self, env: &Env, var: Var) -> Bound {
        let bound = env.get(var).or_else(|| self.globals[var.slot()]);
        bound.unwrap_or_else(|| unreachable!("T-VAR, PLACE: it is in scope"))
    }

    /// The value of an expression. Its graph is written to what was written before.
    fn eval(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        if self.depth >= MAX_DEPTH {
            let why = format!("more than {MAX_DEPTH} evaluations in one another");
            return Err(self.state.meter.stops(e.span, Why::NotModelled(why).into()));
        }
        self.depth += 1;
        let val = self.on_and_on(e, env.clone());
        self.depth -= 1;
        val
    }

    /// The same, going on in tail position.
    fn on_and_on(&mut self, mut e: &'p Exp, mut env: Env) -> Eval<Val> {
        let mut open = 0;
        let mut tail = Tail::default();
        let val = loop {
            self.statement(e)?;
            (e, env) = match &e.kind {
                Kind::If(parts) => {
                    let branch = self.e_if(e, parts, &env)?;
                    tail.branches(&mut self.cost, e, &parts[0], branch);
                    (branch, env)
                }
                Kind::Let(var, parts) => {
                    let with = self.e_let(e, *var, &parts[0], &env)?;
                    (&parts[1], with)
                }
                Kind::App(parts) => {
                    let applied = self.e_app(e, parts, &env)?;
                    tail.calls(&mut self.cost, e);
                    applied
                }
                Kind::Instance(of, region) => {
                    let applied = self.e_inst(e, of, *region, &env)?;
                    tail.calls(&mut self.cost, e);
                    applied
                }
                _ => break self.value(e, &env)?,
            };
            open += 1;
        };
        tail.ends(&mut self.cost);
        for _ in 0..open {
            self.leave(val);
        }
        Ok(val)
    }

    /// Pays for an expression.
    fn statement(&mut self, e: &Exp) -> Eval {
        let bytes = self.bytes.saturating_add(self.cost.bytes());
        let paid = match bytes > self.memory {
            true => Err(Why::Memory(bytes).into()),
            false => self.state.meter.statement(),
        };
        paid.map_err(|stop| self.state.meter.stops(e.span, stop))
    }

    /// The rule of an expression without a tail position.
    fn value(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let (rule, apply): (Rule, Apply<'p, Self>) = match &e.kind {
            Kind::Int(..) => (Rule::EInt, Self::e_int),
            Kind::Bool(true) => (Rule::ETrue, Self::e_bool),
            Kind::Bool(false) => (Rule::EFalse, Self::e_bool),
            Kind::Var(_) => (Rule::EVar, Self::e_var),
            Kind::Binary(op, ..) if *op == super::syntax::Op::Mul => (Rule::EMult, Self::e_binary),
            Kind::Binary(..) => (Rule::EArith, Self::e_binary),
            Kind::Compare(op, _) if *op == super::syntax::Comparison::Lt => {
                (Rule::ELess, Self::e_compare)
            }
            Kind::Compare(..) => (Rule::ECompare, Self::e_compare),
            Kind::Fn(_) => (Rule::EFn, Self::e_closure),
            Kind::RegionFn(_) => (Rule::ERfn, Self::e_closure),
            Kind::Fix(..) => (Rule::EFix, Self::e_fix),
            Kind::Pair(..) => (Rule::EPair, Self::e_pair),
            Kind::Fst(_) => (Rule::EFst, Self::e_part),
            Kind::Snd(_) => (Rule::ESnd, Self::e_part),
            Kind::Vector(..) => (Rule::EVector, Self::e_vector),
            Kind::Index(_) => (Rule::EIndex, Self::e_index),
            Kind::Length(..) => (Rule::ELength, Self::e_length),
            Kind::Iota(..) => (Rule::EIota, Self::e_iota),
            Kind::Par(..) => (Rule::EPar, Self::e_par),
            Kind::ParMap(..) => (Rule::EParmap, Self::e_parmap),
            Kind::LetRegion(..) => (Rule::ELetregion, Self::e_letregion),
            Kind::On(..) => (Rule::EOn, Self::e_on),
            Kind::If(_) | Kind::Let(..) | Kind::App(_) | Kind::Instance(..) => {
                unreachable!("they have a tail position")
            }
        };
        self.enter(rule, e);
        let val = apply(self, e, env)?;
        self.leave(val);
        Ok(val)
    }

    /// A region of the host is over, or the run is.
    fn over(&mut self, region: &mut Region<'p>) -> Eval {
        self.merged.extend(region.merges());
        region.well_formed()?;
        let (made, counts) = self.regions.entry(region.binder).or_default();
        *made += 1;
        *counts += Counts { most: region.live, ..region.counts };
        Ok(())
    }

    /// Closes a node: the expression came to this value.
    fn leave(&mut self, val: Val) {
        self.state.recorder.leave(|| match val {
            Val::Bool(value) => value.to_string(),
            Val::At(at) => format!("(r{}, {})", at.region.0, at.offset),
        });
    }
}

impl From<Outcome> for Priced {
    fn from(outcome: Outcome) -> Self {
        Priced {
            outcome,
            graph: Graph::VERTEX,
            size: 0,
            values: 0,
            given: 0,
            ran: Vec::new(),
            merged: Vec::new(),
            full: None,
            formula: Formula::default(),
            regions: BTreeMap::new(),
        }
    }
}
