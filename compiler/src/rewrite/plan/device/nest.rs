//! Tensors as loops of a kernel, and the stores that they read.

use super::super::{NoPlan, merged, no, number, without_single};
use super::kernel::{Flow, Kernel};
use super::scalars::{apply, index};
use super::{Array, Destination, Env, Memory, Mode, builds, padded};
use reference::axes::print;
use reference::axes::syntax::{Head, Level, Name, Place, Term, identity};
use reference::axes::types;

impl Kernel<'_> {
    /// Fills the destination with a tensor.
    pub(super) fn tensor(&mut self, of: &Term, to: &Destination, env: &Env) -> Result<(), NoPlan> {
        match of.head {
            Head::Build if builds(of, Level::Lane) => self.dealt(of, to, env),
            Head::Build if builds(of, Level::Grid) || builds(of, Level::Group) => {
                no("a launch stands inside of a loop or a condition")
            }
            Head::Build => {
                let (axis, size) = of.binds().expect("the term was checked");
                let body = &of.args[3];
                let prepared = (!matches!(to.mode, Mode::Fill(_))).then_some(body);
                self.rounds(axis, size, env, prepared, |kernel, env| kernel.tensor(body, to, env))
            }
            Head::Merge => {
                let (inner, offset) = merged(of, &to.offset, self.scope)?;
                let to = Destination { offset, ..to.clone() };
                self.tensor(inner, &to, env)
            }
            Head::Keep => self.tensor(&of.args[0], to, env),
            Head::If if !types::axes(of).is_empty() => self.sides(of, to, env),
            Head::Red if !types::axes(of).is_empty() => self.accumulate(of, to, env),
            _ => self.element(of, to, env),
        }
    }

    /// The loop of an axis; the stores of `prepared` that depend on it are filled in each round.
    pub(super) fn rounds(
        &mut self,
        axis: &Name,
        size: u32,
        env: &Env,
        prepared: Option<&Term>,
        body: impl FnOnce(&mut Self, &Env) -> Result<(), NoPlan>,
    ) -> Result<(), NoPlan> {
        let round = self.fresh("k");
        let mut env = env.clone();
        env.insert(axis.clone(), round.clone());
        let open = format!("loop ({round} : i32 = 0) while {round} < {size} {{");
        self.within(&open, &format!("}} next ({round} + 1);"), |kernel| {
            let (outer, stored) = (std::mem::take(&mut kernel.filled), kernel.stored.clone());
            if let Some(of) = prepared {
                kernel.prepare(of, &env)?;
            }
            body(kernel, &env)?;
            // Nobody fills an array for the next round while another one still reads it.
            if std::mem::replace(&mut kernel.filled, outer) {
                kernel.line("barrier workgroup;");
            }
            kernel.stored = stored;
            Ok(())
        })
    }

    /// The builds of lanes that follow on each other, dealt to the invocations of the group.
    fn dealt(&mut self, of: &Term, to: &Destination, env: &Env) -> Result<(), NoPlan> {
        if self.flow != Flow::Together {
            return no("lanes stand inside of lanes, with something between");
        }
        let mut axes: Vec<(Name, u32)> = Vec::new();
        let (mut of, mut to) = (of, to.clone());
        loop {
            match of.head {
                Head::Build if builds(of, Level::Lane) => {
                    let (axis, size) = of.binds().expect("the term was checked");
                    axes.push((axis.clone(), size));
                    of = &of.args[3];
                }
                Head::Merge => (of, to.offset) = merged(of, &to.offset, self.scope)?,
                Head::Keep => of = &of.args[0],
                _ => break,
            }
        }
        let rounds =
            axes.iter().try_fold(1_i32, |n, (_, size)| n.checked_mul(i32::try_from(*size).ok()?));
        let rounds = rounds.ok_or_else(|| NoPlan("there are too many lanes".to_owned()))?;
        let lanes = self.lanes;
        let mut env = env.clone();
        let stored = self.stored.clone();
        let mut body = |kernel: &mut Self, number: &str| {
            kernel.counted(&axes, number, &mut env);
            if !matches!(to.mode, Mode::Fill(_)) {
                kernel.prepare(of, &env)?;
            }
            kernel.tensor(of, &to, &env)
        };
        match u64::try_from(rounds).unwrap_or(0) {
            all if all == lanes => {
                self.flow = Flow::Apart;
                body(self, "i32(local_id)")?;
            }
            less if less < lanes => {
                self.flow = Flow::Some;
                let open = format!("if local_id < u32 {less} {{");
                self.within(&open, "}", |kernel| body(kernel, "i32(local_id)"))?;
            }
            more => {
                self.flow = Flow::Some;
                let lane = self.fresh("l");
                let open = format!("loop ({lane} : u32 = local_id) while {lane} < u32 {more} {{");
                let close = format!("}} next ({lane} + u32 {lanes});");
                self.within(&open, &close, |kernel| body(kernel, &format!("i32({lane})")))?;
            }
        }
        self.flow = Flow::Together;
        self.stored = stored;
        Ok(())
    }

    fn sides(&mut self, of: &Term, to: &Destination, env: &Env) -> Result<(), NoPlan> {
        if let Mode::Fill(_) = to.mode {
            return self.tensor(&of.args[1], to, env);
        }
        let cond = self.scalar(&of.args[0], env)?;
        let cond = self.named(&cond);
        let (open, stored) = (format!("if {cond} != 0 {{"), self.stored.clone());
        self.within(&open, "} else {", |kernel| kernel.tensor(&of.args[1], to, env))?;
        self.stored = stored.clone();
        self.within("", "}", |kernel| kernel.tensor(&of.args[2], to, env))?;
        self.stored = stored;
        Ok(())
    }

    /// A reduction over a tensor, in the memory of the destination.
    fn accumulate(&mut self, of: &Term, to: &Destination, env: &Env) -> Result<(), NoPlan> {
        let op = of.args[0].as_op().expect("the term was checked");
        let (axis, size) = of.binds().expect("the term was checked");
        let body = &of.args[3];
        match to.mode {
            Mode::Fill(_) => return self.tensor(body, to, env),
            Mode::Write => {
                // An element is filled by the invocation that adds to it.
                if self.flow == Flow::Together && is_uneven(body) {
                    return no("a reduction over lanes that a condition chooses");
                }
                let fill = Mode::Fill(identity(op).unwrap_or(0));
                self.tensor(body, &Destination { mode: fill, ..to.clone() }, env)?;
            }
            Mode::Combine(outer) if outer == op => {}
            Mode::Combine(_) => return no("a reduction over arrays in one by another operator"),
        }
        let to = Destination { mode: Mode::Combine(op), ..to.clone() };
        self.rounds(axis, size, env, Some(body), |kernel, env| kernel.tensor(body, &to, env))
    }

    /// One element. Where all invocations do the same the first one writes it.
    fn element(&mut self, of: &Term, to: &Destination, env: &Env) -> Result<(), NoPlan> {
        if self.flow != Flow::Together || self.lanes == 1 {
            return self.write(Ok(of), to, env);
        }
        // The group has to come to the stores that are still to be filled.
        let value = match self.has_open(of) && !matches!(to.mode, Mode::Fill(_)) {
            true => {
                let value = self.scalar(of, env)?;
                Err(self.named(&value))
            }
            false => Ok(of),
        };
        self.flow = Flow::Some;
        self.within("if local_id == u32 0 {", "}", |kernel| kernel.write(value, to, env))?;
        self.flow = Flow::Together;
        Ok(())
    }

    /// Writes an element: a scalar, or what has a name already.
    fn write(
        &mut self,
        of: Result<&Term, String>,
        to: &Destination,
        env: &Env,
    ) -> Result<(), NoPlan> {
        let value = match (to.mode, of) {
            (Mode::Fill(k), _) => number(k),
            (_, Ok(of)) => self.scalar(of, env)?,
            (_, Err(name)) => name,
        };
        let offset = index(&without_single(&to.offset, self.scope)?, env);
        let value = match to.mode {
            Mode::Write | Mode::Fill(_) => value,
            Mode::Combine(op) => {
                let before = self.loaded(&to.array, &offset);
                apply(op, &before, &value)
            }
        };
        self.store(&to.array, &offset, &value);
        Ok(())
    }

    /// Is there a store of the group below that is not filled yet?
    fn has_open(&self, of: &Term) -> bool {
        let own = matches!(local(of), Some(Place::Group { .. }))
            && !self.stored.contains_key(&print::term(of));
        own || of.args.iter().any(|arg| self.has_open(arg))
    }

    /// Fills the stores below, inner ones first, that depend on what has a name here and nothing else.
    pub(super) fn prepare(&mut self, of: &Term, env: &Env) -> Result<(), NoPlan> {
        let is_glob = of.head == Head::Store && local(of).is_none();
        if is_glob {
            return Ok(());
        }
        of.args.iter().try_for_each(|arg| self.prepare(arg, env))?;
        let Some(place) = local(of) else { return Ok(()) };
        let known = |name: &Name| env.contains_key(name) || self.scope.params.contains_key(name);
        if !types::free(of).iter().all(known) || self.stored.contains_key(&print::term(of)) {
            return Ok(());
        }
        let array = self.fill(of, place, env)?;
        self.stored.insert(print::term(of), array);
        Ok(())
    }

    fn fill(&mut self, store: &Term, place: Place, env: &Env) -> Result<Array, NoPlan> {
        let axes: Vec<&Name> = store.args[2..].iter().filter_map(Term::as_axis).collect();
        let sizes: Vec<u32> = axes.iter().filter_map(|axis| self.scope.size(axis)).collect();
        let flow = self.flow;
        let (name, strides) = match place {
            Place::Group { pad } => {
                if flow == Flow::Some {
                    return no("a store of the group stands where not all of its invocations come");
                }
                self.flow = Flow::Together;
                let (strides, words) = padded(&sizes, pad);
                (self.share(words), strides)
            }
            _ => {
                self.flow = Flow::Some;
                let (strides, words) = padded(&sizes, 0);
                (self.keep(words), strides)
            }
        };
        let array = Array { name, memory: Memory::Variable, strides };
        let to = array.clone().filled(&axes)?;
        self.tensor(&store.args[1], &to, env)?;
        self.flow = flow;
        if let Place::Group { .. } = place {
            self.line("barrier workgroup;");
            self.filled = true;
        }
        Ok(array)
    }
}

/// The place of a store that a kernel fills itself.
fn local(of: &Term) -> Option<Place> {
    match (&of.head, of.args.first().map(|arg| &arg.head)) {
        (Head::Store, Some(Head::Place(place))) if *place != Place::Glob => Some(*place),
        _ => None,
    }
}

/// Does a condition choose between tensors over lanes?
fn is_uneven(of: &Term) -> bool {
    let has_lanes = |of: &Term| {
        let mut found = false;
        of.walk(&mut |term| found |= builds(term, Level::Lane));
        found
    };
    match of.head {
        Head::If => !types::axes(of).is_empty() && has_lanes(of),
        Head::Store => false,
        _ => of.args.iter().any(is_uneven),
    }
}
