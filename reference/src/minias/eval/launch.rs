//! `E-LAUNCH`: groups, and in them items from barrier to barrier.

use super::stmts::{Flow, Frame};
use super::{Form, Item, Run, State, of_item};
use crate::kit::cause::Cause;
use crate::kit::outcome::{Cells, Scalar, Stuck, Value};
use crate::kit::run::Eval;
use crate::kit::schedule::{Order, Schedule};
use crate::minias::rules::Rule;
use crate::minias::syntax::{Function, Init, Kind, Program, Space};
use crate::minias::values::{Layout, Pointer, Word};

/// What the memory of a group starts with: names and lengths of the arrays that the parameters point to, in local memory.
type LocalParams = Vec<(crate::kit::names::Var, u64)>;

impl<'p, E: Form> Run<'p, '_, E> {
    /// `E-LAUNCH`
    ///
    /// ```text
    /// each group: its items make a step each, to their end or a barrier;
    ///   all that are not stuck are at their end, or all wait at one barrier       (together)
    ///   and go on behind it
    /// of two items that access a location, neither writes, or a barrier that both passed lies between  (racefree)
    /// ─────────────────────────────────────────────
    /// M ⊢ kernel void k(…) { s̄ } over groups ⇓ M'
    /// ```
    pub(super) fn e_launch(
        &mut self,
        kernel: &'p Function<E>,
        input: &[Value],
        order: Order,
    ) -> Eval<Vec<Value>> {
        let names = &self.program.names;
        self.to.enter(Rule::ELaunch, || names.written(kernel.name).to_owned());
        self.constants(self.program)?;
        let (args, local_params) = self.arguments(kernel, input)?;
        let number = self.code.functions[kernel.name.slot()].expect("a kernel has a body");
        let code = self.code;
        let layout = &code.layouts[number];
        self.shadows[0].start(self.global.cells.len());
        self.meter.stats.elements = (self.global.cells.len() + self.constant.cells.len()) as u64;
        let mut schedule = order.schedule();
        let groups = self.launch.items / self.launch.size;
        let mut lowest: Option<Stuck> = None;
        let turns = schedule.order(groups.into());
        for place in 0..groups {
            let group = turns.at(place.into()) as u32;
            let found = self.group(group, layout, &args, &local_params, &mut *schedule)?;
            lowest = match (lowest, found) {
                (Some(one), Some(other)) if other.thread < one.thread => Some(other),
                (None, found) => found,
                (lowest, _) => lowest,
            };
        }
        self.to.leave(String::new);
        match lowest {
            Some(stuck) => Err(stuck.into()),
            None => Ok(self.results(kernel)),
        }
    }

    /// The constants of the program, each a block.
    fn constants(&mut self, program: &Program<E>) -> Eval {
        for constant in program.constants() {
            let length = constant.extent.unwrap_or(1);
            self.take(length.into())?;
            let values = constant.init.iter().flat_map(Init::exps).map(|exp| match exp.kind {
                Kind::Int(k) => Word::Int(k),
                ref other => unreachable!("{other:?} is no literal"),
            });
            let cells = values.chain(std::iter::repeat(Word::Int(0))).take(length as usize);
            self.constant.block(constant.var, cells);
        }
        Ok(())
    }

    /// What the parameters of the kernel are: ints, and blocks.
    fn arguments(
        &mut self,
        kernel: &Function<E>,
        input: &[Value],
    ) -> Eval<(Vec<Word>, LocalParams)> {
        let number = self.code.functions[kernel.name.slot()].expect("a kernel has a body");
        let first_local = self.code.layouts[number].local.len();
        let (mut args, mut local) = (Vec::new(), Vec::new());
        for (param, value) in kernel.params.iter().zip(input) {
            let var = param.var.expect("a kernel names its parameters");
            let word = match (param.ty.points_to(), value) {
                (None, Value::Scalar(Scalar::I32(k))) => Word::Int(*k),
                (Some(Space::Local), Value::Scalar(Scalar::I32(length))) => {
                    local.push((var, *length as u64));
                    let block = (first_local + local.len() - 1) as u32;
                    E::argument(Pointer { space: Space::Local, block, offset: 0 })
                }
                (Some(space), Value::Array { cells: Cells::I32(cells), .. }) => {
                    self.take(cells.len() as u64)?;
                    let block =
                        self.store_mut(space).block(var, cells.iter().map(|k| Word::Int(*k)));
                    E::argument(Pointer { space, block, offset: 0 })
                }
                (space, value) => unreachable!("{value:?} was made to fit {space:?}"),
            };
            args.push(word);
        }
        Ok((args, local))
    }

    /// `E-GROUP`: a group, and its lowest item that is stuck.
    fn group(
        &mut self,
        group: u32,
        layout: &Layout<'p, E>,
        args: &[Word],
        local_params: &LocalParams,
        schedule: &mut dyn Schedule,
    ) -> Eval<Option<Stuck>> {
        let before = self.memory;
        self.local.clear();
        for slot in &layout.local {
            let length = slot.extent.unwrap_or(1);
            self.take(length.into())?;
            self.local.block(slot.var, std::iter::repeat_n(slot.zero, length as usize));
        }
        for (var, length) in local_params {
            self.take(*length)?;
            self.local.block(*var, std::iter::repeat_n(Word::Int(0), *length as usize));
        }
        self.shadows[1].start(self.local.cells.len());
        self.passed = [0, 0];
        let size = self.launch.size;
        let mut items = Vec::new();
        for at in 0..size {
            items.push(self.item(group * size + at, layout, args)?);
        }
        let mut lowest: Option<Stuck> = None;
        self.to.enter(Rule::EGroup, || format!("group {group}"));
        loop {
            let turns = schedule.order(size.into());
            for place in 0..u64::from(size) {
                let at = turns.at(place) as usize;
                if items[at].state == State::Ready
                    && let Some(stuck) = self.step(&mut items[at])?
                    && lowest.as_ref().is_none_or(|lowest| stuck.thread < lowest.thread)
                {
                    lowest = Some(stuck);
                }
            }
            match self.meet(&mut items) {
                Ok(true) => {}
                Ok(false) => break,
                Err(stop) => {
                    let stuck = of_item(*stop)?;
                    if lowest.as_ref().is_none_or(|lowest| stuck.thread < lowest.thread) {
                        lowest = Some(stuck);
                    }
                    break;
                }
            }
        }
        self.to.leave(String::new);
        self.memory = before;
        Ok(lowest)
    }

    /// An item before its first step.
    fn item(&mut self, number: u32, layout: &Layout<'p, E>, args: &[Word]) -> Eval<Item<'p, E>> {
        self.meter.charge(1)?;
        self.meter.stats.threads += 1;
        let body = layout.function.body.as_deref().expect("a kernel has a body");
        self.item = Item { number, frames: vec![Frame::Stmts(body)], ..Item::default() };
        self.activate(layout, args)?;
        Ok(std::mem::take(&mut self.item))
    }

    /// `E-ITEM`: a step of an item, to its end or a barrier, or until it is stuck. The statements that it is in at a barrier
    /// end there in the derivation, and the next step starts behind the barrier.
    fn step(&mut self, item: &mut Item<'p, E>) -> Eval<Option<Stuck>> {
        std::mem::swap(&mut self.item, item);
        let mut frames = std::mem::take(&mut self.item.frames);
        let number = self.item.number;
        self.to.enter(Rule::EItem, || format!("item {number}"));
        let flow = self.frames(&mut frames);
        frames.retain(|frame| !matches!(frame, Frame::Ends));
        self.item.frames = frames;
        let (state, stuck) = match flow {
            Ok(Flow::Barrier(space, span)) => (State::Waits(space, span), None),
            Ok(Flow::End | Flow::Return(_)) => (State::Ended, None),
            Err(stop) => {
                let stuck = of_item(*stop)?;
                self.depth = 0;
                (State::Stuck, Some(stuck))
            }
        };
        self.close(0);
        self.to.leave(|| match state {
            State::Waits(space, _) => format!("waits at barrier({space})"),
            State::Ready | State::Ended | State::Stuck => String::new(),
        });
        self.item.state = state;
        std::mem::swap(&mut self.item, item);
        Ok(stuck)
    }

    /// All items that are not stuck wait at one barrier and go on, or all are at their end (together). Does one go on?
    fn meet(&mut self, items: &mut [Item<'p, E>]) -> Eval<bool> {
        let waits = |item: &Item<'_, E>| match item.state {
            State::Waits(space, span) => Some((item.number, space, span)),
            _ => None,
        };
        let Some((number, space, span)) = items.iter().find_map(waits) else { return Ok(false) };
        let there = |item: &Item<'_, E>| {
            matches!(item.state, State::Stuck) || item.state == State::Waits(space, span)
        };
        if !items.iter().all(there) {
            self.item.number = number;
            return self.stuck(Rule::ELaunch, span, Cause::Together, &[]);
        }
        self.passed[usize::from(space == Space::Local)] += 1;
        for item in items.iter_mut().filter(|item| item.state != State::Stuck) {
            item.state = State::Ready;
        }
        Ok(true)
    }

    /// The global arrays, in the order of the parameters.
    fn results(&self, kernel: &Function<E>) -> Vec<Value> {
        let global =
            kernel.params.iter().filter(|param| param.ty.points_to() == Some(Space::Global));
        let array = |(block, _)| {
            let cells: Vec<i32> = self.global.cells[self.global.range(block as u32)]
                .iter()
                .map(|word| word.int())
                .collect();
            Value::Array { shape: vec![cells.len()], cells: Cells::I32(cells) }
        };
        global.enumerate().map(array).collect()
    }
}
