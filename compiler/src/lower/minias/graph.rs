//! Who calls whom with which rows: the instances of functions that a kernel needs, and what each needs in private memory.

use super::scan::Body;
use super::{Form, Lowered, refused};
use reference::kit::faults::{Fault, Planted, WrongMinias};
use reference::kit::names::Var;
use reference::minias::rows::{Row, RowVar, Ty};
use reference::minias::syntax::{Exp, Function, Program, Space, Spaces, Written};
use reference::minias::types::{More, Note, Scheme, Typed};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// The most instances of functions.
pub const MOST_INSTANCES: usize = 1_000;

/// Instances are counted up to here, to tell how many there would be.
const MOST_COUNTED: usize = 100_000;

/// Cells of private memory that are there for what calls in loops keep, of ints and of pointers.
const ROOM: [u32; 2] = [256, 64];

/// The most cells that calls outside of loops are given to keep.
const MOST_KEPT: u32 = 1_024;

/// What row variables stand for.
pub(super) type Rows = Vec<(RowVar, Row)>;

/// A function for some rows.
pub(super) struct Instance {
    /// The number of its function.
    pub(super) body: usize,
    pub(super) rows: Rows,
    /// Its cells in private memory, of ints and of pointers.
    pub(super) frame: [u32; 2],
    /// May a pointer to one of them be there when it has returned? Then each call has cells of its own.
    pub(super) keeps: bool,
    /// Where its cells start; of one that keeps them it is said while it runs.
    pub(super) base: [u32; 2],
}

/// The functions that a kernel calls, and their instances.
pub(super) struct Graph<'p> {
    form: Form,
    planted: Planted,
    /// The functions with a body, callees first.
    pub(super) bodies: Vec<Body<'p>>,
    /// Do they ask which item runs them, by themselves or by what they call?
    pub(super) asks: Vec<bool>,
    /// The constants that they name so.
    pub(super) constants: Vec<BTreeSet<Var>>,
    /// The instances that are called, callees first; the last is the kernel.
    pub(super) instances: Vec<Instance>,
    numbers: FxHashMap<(usize, Vec<Spaces>), usize>,
    positions: FxHashMap<Var, usize>,
    /// Cells of private memory, of ints and of pointers, and of these how many come before what calls keep.
    pub(super) cells: [u32; 2],
    pub(super) fixed: [u32; 2],
    /// May calls want to keep more than there is?
    pub(super) short: [bool; 2],
    lacks: FxHashMap<RowVar, Spaces>,
}

impl<'p> Graph<'p> {
    /// Of the kernel and what it calls.
    pub(super) fn of(
        program: &'p Program,
        typed: &'p Typed,
        kernel: &'p Function,
        (form, planted): (Form, Planted),
    ) -> Lowered<Self> {
        let functions: FxHashMap<Var, &Function> = program
            .functions()
            .filter(|function| function.body.is_some())
            .map(|function| (function.name, function))
            .collect();
        let bodies = typed.bodies.iter().map(|(name, notes)| Body::of(functions[name], notes));
        let bodies: Vec<Body<'p>> = bodies.collect();
        let names = typed.bodies.iter().enumerate();
        let positions = names.map(|(at, (name, _))| (*name, at)).collect();
        let mut lacks: FxHashMap<RowVar, Spaces> = FxHashMap::default();
        for (row, space, _) in typed.schemes.iter().flat_map(|(_, scheme)| &scheme.lacks) {
            let known = lacks.entry(*row).or_default();
            *known = known.with(*space);
        }
        let mut graph = Graph {
            form,
            planted,
            asks: vec![false; bodies.len()],
            constants: vec![BTreeSet::new(); bodies.len()],
            bodies,
            instances: Vec::new(),
            numbers: FxHashMap::default(),
            positions,
            cells: [0; 2],
            fixed: [0; 2],
            short: [false; 2],
            lacks,
        };
        let kernel = graph.positions[&kernel.name];
        graph.calls_end(program, kernel)?;
        graph.finds_instances(program, kernel)?;
        graph.asked(program);
        let schemes: FxHashMap<Var, &Scheme> =
            typed.schemes.iter().map(|(name, scheme)| (*name, scheme)).collect();
        graph.frames(&schemes);
        graph.places();
        Ok(graph)
    }

    /// The spaces that a pointer of the row may point to.
    pub(super) fn spaces(&self, row: Row) -> Spaces {
        let Some(end) = row.end else { return row.names };
        let lacks = self.lacks.get(&end).copied().unwrap_or_default();
        let all = Spaces::GENERIC.with(Space::Constant).minus(lacks);
        if row.names.is_empty() { all } else { row.names.or(all.without(Space::Constant)) }
    }

    /// The functions that a kernel reaches call none that is not before them; those that do call in a circle.
    fn calls_end(&self, program: &Program, kernel: usize) -> Lowered {
        let mut seen = vec![false; self.bodies.len()];
        let mut left = vec![kernel];
        while let Some(at) = left.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            for call in &self.bodies[at].calls {
                let name = program.names.written(call.function);
                let Some(&to) = self.positions.get(&call.function) else {
                    let reason = "the prototype has no body";
                    return Err(refused(call.note.span, &format!("{name}(…)"), reason));
                };
                if to >= at {
                    let circle = self.circle(program, to, at);
                    let reason = format!("it is recursive: {circle}");
                    return Err(refused(call.note.span, &format!("{name}(…)"), reason));
                }
                left.push(to);
            }
        }
        Ok(())
    }

    /// `f calls g calls f`
    fn circle(&self, program: &Program, from: usize, to: usize) -> String {
        let mut before: Vec<Option<usize>> = vec![None; self.bodies.len()];
        let mut left = VecDeque::from([from]);
        while let Some(at) = left.pop_front() {
            for call in &self.bodies[at].calls {
                if let Some(&next) = self.positions.get(&call.function)
                    && next != from
                    && before[next].is_none()
                {
                    before[next] = Some(at);
                    left.push_back(next);
                }
            }
        }
        let mut path = vec![to];
        while let Some(at) = before[path[path.len() - 1]].filter(|_| path[path.len() - 1] != from) {
            path.push(at);
        }
        let name =
            |at: &usize| format!("`{}`", program.names.written(self.bodies[*at].function.name));
        let mut names: Vec<String> = path.iter().rev().map(name).collect();
        names.push(name(&from));
        names.join(" calls ")
    }

    /// The instances that are called, callers first.
    fn finds_instances(&mut self, program: &Program, kernel: usize) -> Lowered {
        let mut wanted: Vec<Vec<Rows>> = vec![Vec::new(); self.bodies.len()];
        wanted[kernel].push(Vec::new());
        let mut known = std::collections::HashSet::new();
        let mut count = 0;
        for at in (0..=kernel).rev() {
            let mut next = 0;
            while let Some(rows) = wanted[at].get(next).cloned() {
                next += 1;
                count += 1;
                if count > MOST_COUNTED {
                    break;
                }
                for call in &self.bodies[at].calls {
                    let to = self.positions[&call.function];
                    let passed = passed(call.note, &rows, self.form);
                    if known.insert((to, self.key(&passed))) {
                        wanted[to].push(passed);
                    }
                }
            }
        }
        if count > MOST_INSTANCES {
            let more = if count > MOST_COUNTED { "more than " } else { "" };
            let count = count.min(MOST_COUNTED);
            let each = match self.form {
                Form::Specialised => ", one for the rows of each call,",
                Form::Evidence => "",
            };
            let reason = format!(
                "it needs {more}{count} functions{each} and at most {MOST_INSTANCES} are made"
            );
            let function = self.bodies[kernel].function;
            let name = program.names.written(function.name);
            return Err(refused(function.span, &format!("kernel {name}"), reason));
        }
        for (body, rows) in wanted.into_iter().enumerate() {
            for rows in rows {
                self.numbers.insert((body, self.key(&rows)), self.instances.len());
                let (frame, base) = ([0; 2], [0; 2]);
                self.instances.push(Instance { body, rows, frame, keeps: false, base });
            }
        }
        Ok(())
    }

    /// The instance that a call in another one calls.
    pub(super) fn called(&self, function: Var, note: &Note, rows: &Rows) -> usize {
        self.numbers[&(self.positions[&function], self.key(&passed(note, rows, self.form)))]
    }

    fn key(&self, rows: &Rows) -> Vec<Spaces> {
        if self.planted.is(Fault::Minias(WrongMinias::OneClone)) {
            return Vec::new();
        }
        rows.iter().map(|(_, row)| row.names).collect()
    }

    /// What functions ask for that they are not told by their arguments.
    fn asked(&mut self, program: &Program) {
        let constants: BTreeSet<Var> = program.constants().map(|decl| decl.var).collect();
        for at in 0..self.bodies.len() {
            let body = &self.bodies[at];
            let mut asks = body.asks;
            let mut named: BTreeSet<Var> =
                body.read.iter().copied().filter(|var| constants.contains(var)).collect();
            for call in &body.calls {
                if let Some(to) = self.positions.get(&call.function).filter(|to| **to < at) {
                    asks |= self.asks[*to];
                    named.extend(&self.constants[*to]);
                }
            }
            (self.asks[at], self.constants[at]) = (asks, named);
        }
    }

    /// May a value of the type be a pointer to private memory, or to one?
    fn holds_private(&self, ty: &Ty, rows: &Rows) -> bool {
        let Ty::Pointer(pointer) = ty else { return false };
        self.spaces(pointer.row.under(rows)).has(Space::Private)
            || self.holds_private(&pointer.to, rows)
    }

    fn calls_of(&self, instance: usize) -> impl Iterator<Item = (usize, bool)> {
        let Instance { body, rows, .. } = &self.instances[instance];
        let calls = self.bodies[*body].calls.iter();
        calls.map(|call| (self.called(call.function, call.note, rows), call.in_loop))
    }

    /// What instances have in private memory, and whether it is kept.
    fn frames(&mut self, schemes: &FxHashMap<Var, &Scheme>) {
        let mut stores = vec![false; self.instances.len()];
        for at in 0..self.instances.len() {
            let Instance { body, rows, .. } = &self.instances[at];
            let body = &self.bodies[*body];
            stores[at] = body.stores.iter().any(|ty| self.holds_private(ty, rows))
                || self.calls_of(at).any(|(to, _)| stores[to]);
            let result = &schemes[&body.function.name].result;
            let keeps = !body.function.kernel && (stores[at] || self.holds_private(result, rows));
            let mut frame = [0u32; 2];
            for param in &body.function.params {
                if param.var.is_some_and(|var| body.addressed.contains(&var)) {
                    frame[usize::from(!param.ty.stars.is_empty())] += 1;
                }
            }
            for decl in &body.decls {
                let local = decl.ty.lies.written == Written::Name(Space::Local);
                if !local && (decl.extent.is_some() || body.addressed.contains(&decl.var)) {
                    let cells = &mut frame[usize::from(!decl.ty.stars.is_empty())];
                    *cells = cells.saturating_add(decl.extent.unwrap_or(1));
                }
            }
            let keeps = keeps && frame != [0; 2];
            let instance = &mut self.instances[at];
            (instance.frame, instance.keeps) = (frame, keeps);
        }
    }

    /// Where the cells of instances start: behind those of all that may call them. Those that are kept come behind all others.
    fn places(&mut self) {
        // How often each is called, unless that depends on a loop.
        let mut calls: Vec<Option<u32>> = vec![Some(0); self.instances.len()];
        if let Some(kernel) = calls.last_mut() {
            *kernel = Some(1);
        }
        let mut kept: [Option<u32>; 2] = [Some(0); 2];
        for at in (0..self.instances.len()).rev() {
            let Instance { frame, keeps, base, .. } = self.instances[at];
            let called: Vec<(usize, bool)> = self.calls_of(at).collect();
            for part in 0..2 {
                let end = base[part].saturating_add(if keeps { 0 } else { frame[part] });
                self.fixed[part] = self.fixed[part].max(end);
                for (to, _) in &called {
                    let base = &mut self.instances[*to].base[part];
                    *base = (*base).max(end);
                }
                if keeps && frame[part] > 0 {
                    let all = calls[at].and_then(|calls| calls.checked_mul(frame[part]));
                    kept[part] = kept[part].zip(all).and_then(|(kept, all)| kept.checked_add(all));
                }
            }
            for (to, in_loop) in called {
                let times = calls[at].filter(|_| !in_loop);
                calls[to] =
                    calls[to].zip(times).and_then(|(known, times)| known.checked_add(times));
            }
        }
        for part in 0..2 {
            let (room, short) = match kept[part] {
                Some(cells) if cells <= MOST_KEPT => (cells, false),
                Some(_) => (MOST_KEPT, true),
                None => (ROOM[part], true),
            };
            self.cells[part] = self.fixed[part].saturating_add(room);
            self.short[part] = short;
        }
    }

    /// What is inferred of an expression of an instance's function.
    pub(super) fn note(&self, instance: usize, exp: &Exp) -> &'p Note {
        self.bodies[self.instances[instance].body].note(exp)
    }
}

/// What the row variables of a function that is called stand for; by evidence they stay what they are.
fn passed(note: &Note, rows: &Rows, form: Form) -> Rows {
    match (&note.more, form) {
        (More::Instance(instance), Form::Specialised) => {
            instance.iter().map(|(var, row)| (*var, row.under(rows))).collect()
        }
        _ => Vec::new(),
    }
}
