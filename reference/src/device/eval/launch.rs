//! A launch: its work groups one after the other, the invocations of a group from barrier to
//! barrier.

use super::Evaluator;
use super::code::{Code, GLOBAL_ID, GROUP_ID, INVOCATIONS, LOCAL_ID, OPEN, ROUNDS};
use super::exec::{Cells, Failure, Memory, Raced, Step, Times};
use crate::device::host::Halt;
use crate::device::rules::Rule;
use crate::device::scalar::{Cell, from_words};
use crate::device::syntax::{Scope, Ty};
use crate::kit::derivation::RACEFREE;
use crate::kit::groups::{Order, Who, order};
use crate::kit::outcome::{Broken, MAX_RACES, Race, Stuck, Why, cells};
use crate::kit::rules::Roll;

/// A group that runs.
struct Group<'c> {
    code: &'c Code,
    number: u32,
    /// Invocations of the launch.
    invocations: u32,
    order: Order,
}

/// The lowest invocation that got stuck.
type Lowest = Option<(u32, Failure)>;

impl Evaluator<'_, '_> {
    /// `D-LAUNCH`, the part of the machine.
    ///
    /// ```text
    /// M, zeroed work-group memory ⊢ group g of k ⇓ M'      for each work group, one after the other
    /// no two accesses conflict                          (racefree)
    /// ─────────────────────────────────────────────────────────────
    /// M ⊢ launch k<n>(v̄) ⇓ M'
    /// ```
    ///
    /// `racefree` records a race and goes on. Answers with the failure of the lowest invocation
    /// that got stuck; the others ran on.
    pub(super) fn grid(
        &mut self,
        code: &Code,
        invocations: u32,
        args: &[u32],
    ) -> Result<Option<Stuck>, Halt> {
        self.launches += 1;
        let mut frame = code.frame.clone();
        frame[INVOCATIONS as usize] = invocations.into();
        bind(code, args, &mut frame);
        let frames = if code.barriers { code.group as usize } else { 1 };
        let cells = frame.len().saturating_mul(frames) + code.workgroup as usize;
        let bytes = cells as u64 * 8;
        if bytes > self.budget.memory {
            return Err(Halt::Unknown(Why::Memory(bytes)));
        }
        self.makes(code, invocations, cells as u64)?;
        let mut frames = frame.repeat(frames);
        let mut memory = vec![0; code.workgroup as usize];
        let mut counts = vec![0; code.counters.len()];
        let mut lowest = None;
        self.shadow.start(self.words.len());
        let groups = invocations.div_ceil(code.group);
        let numbers = order(groups, self.order, self.launches);
        let mut result = Ok(());
        let mut raced = Vec::new();
        for number in numbers {
            self.recorder.enter(Rule::Group, || number.to_string());
            memory.fill(0);
            self.group_shadow.start(memory.len());
            let group = Group { code, number, invocations, order: self.order };
            let mut memory = Memory {
                arena: &mut self.words,
                shadow: &mut self.shadow,
                group: &mut memory,
                group_shadow: &mut self.group_shadow,
                fuel: &mut self.fuel,
                counts: &mut counts,
                raced: &mut raced,
            };
            result = match code.barriers {
                false => group.straight(&mut memory, &mut frames, &mut lowest),
                true => group.phases(&mut memory, &mut frames, frame.len(), &mut lowest),
            };
            self.recorder.leave(String::new);
            if result.is_err() {
                break;
            }
        }
        self.count(code, &counts);
        for frame in frames.chunks(frame.len()) {
            self.report.rounds = self.report.rounds.max(frame[ROUNDS as usize]);
            self.report.open_floats |= frame[OPEN as usize] != 0;
        }
        self.races(code, &raced);
        result?;
        Ok(lowest.map(|(invocation, failure)| self.stuck(invocation, failure)))
    }

    /// An invocation that got stuck, as it is told.
    fn stuck(&mut self, invocation: u32, failure: Failure) -> Stuck {
        if failure.site.cause.gives_up().is_none() {
            self.recorder.fail(failure.rule, premise(&failure));
        }
        let mut thread = vec![invocation.wrapping_add(1) as i32];
        thread.extend(failure.path);
        Stuck {
            site: failure.site,
            rule: failure.rule.info().name.to_owned(),
            thread,
            operands: failure.operands,
        }
    }

    /// Charges for the cells of the frames and of work-group memory, which is zeroed for each group
    /// as private memory is for each invocation.
    fn makes(&mut self, code: &Code, invocations: u32, frames: u64) -> Result<(), Halt> {
        let groups = u64::from(invocations.div_ceil(code.group));
        let private = cells(code.private.1.into()).saturating_mul(code.group.into());
        let group = cells(code.workgroup.into()).saturating_add(private);
        let fuel = groups.saturating_mul(group).saturating_add(cells(frames));
        self.charge(fuel)
    }

    /// Adds the counts of a launch to the coverage.
    fn count(&mut self, code: &Code, counts: &[u64]) {
        for (rules, count) in code.counters.iter().zip(counts) {
            for rule in rules {
                self.recorder.fire(*rule, *count);
            }
        }
        self.report.statements += counts.iter().sum::<u64>();
    }

    /// One race for each block or variable.
    fn races(&mut self, code: &Code, raced: &[Raced]) {
        let mut seen = Vec::new();
        for race in raced {
            let (block, offset) = match race.at {
                Cells::Arena(at) => match self.arena.around(at as u32) {
                    Some((base, placed)) => {
                        let words = i64::from(placed.element.words());
                        let offset = (at as i64 - i64::from(base)) / words;
                        let block = self.types.program.names.text(placed.block);
                        (block.to_owned(), offset.max(0) as u64)
                    }
                    None => (format!("word {at}"), 0),
                },
                Cells::Group(at) => {
                    let at = at as u32;
                    let variable = code.variables.iter().rev().find(|(first, _)| *first <= at);
                    let (first, var) = variable.copied().expect("its cells are a variable's");
                    (self.types.program.names.text(var).to_owned(), (at - first).into())
                }
            };
            if seen.contains(&block) {
                continue;
            }
            seen.push(block.clone());
            self.recorder.fail(Rule::Launch, RACEFREE);
            let thread = |invocation: u32| vec![invocation.wrapping_add(1) as i32];
            if self.report.races.len() < MAX_RACES {
                self.report.races.push(Race {
                    span: code.span,
                    first: (thread(race.conflict.other), race.conflict.other_wrote),
                    second: (thread(race.who.invocation), race.wrote),
                    block,
                    offset,
                });
            }
        }
    }
}

impl Group<'_> {
    fn who(&self, local: u32, epoch: u32) -> Who {
        let group = self.number * self.code.group;
        Who { invocation: group + local, group, size: self.code.group, epoch }
    }

    /// How many invocations of the group run.
    fn size(&self) -> u32 {
        let first = self.number * self.code.group;
        match self.code.exact {
            true => self.code.group.min(self.invocations - first),
            false => self.code.group,
        }
    }

    fn start(&self, frame: &mut [Cell], local: u32) {
        let (private, cells) = self.code.private;
        frame[GLOBAL_ID as usize] = (self.number * self.code.group + local).into();
        frame[LOCAL_ID as usize] = local.into();
        frame[GROUP_ID as usize] = self.number.into();
        frame[private as usize..(private + cells) as usize].fill(0);
    }

    fn locals(&self) -> impl Iterator<Item = u32> + use<> {
        order(self.size(), self.order, self.number.into())
    }

    /// Without barriers each invocation runs to its end.
    fn straight(
        &self,
        memory: &mut Memory<'_>,
        frame: &mut [Cell],
        lowest: &mut Lowest,
    ) -> Result<(), Halt> {
        let mut rounds = frame[ROUNDS as usize];
        for local in self.locals() {
            self.start(frame, local);
            frame[ROUNDS as usize] = 0;
            let times = Times { arena: self.who(local, 0), group: self.who(local, 0) };
            match memory.run(self.code, frame, self.code.entry, times) {
                Step::End => {}
                Step::Stuck(failure) => stuck(lowest, times.arena.invocation, failure),
                Step::Fuel => return Err(Halt::Unknown(Why::Fuel)),
                Step::Barrier(..) => unreachable!("the code has no barriers"),
            }
            rounds = rounds.max(frame[ROUNDS as usize]);
        }
        frame[ROUNDS as usize] = rounds;
        Ok(())
    }

    /// `D-BARRIER`: when every invocation of the group that is not stuck has come to the barrier,
    /// all go on.
    fn phases(
        &self,
        memory: &mut Memory<'_>,
        frames: &mut [Cell],
        cells: usize,
        lowest: &mut Lowest,
    ) -> Result<(), Halt> {
        let size = self.size();
        // Where each waits; none once it is stuck.
        let mut waiting = vec![Some(self.code.entry); size as usize];
        for local in 0..size {
            self.start(&mut frames[local as usize * cells..][..cells], local);
        }
        let (mut arena, mut group) = (0, 0);
        loop {
            let mut barrier = None;
            let mut ended = None;
            for local in self.locals() {
                let Some(pc) = waiting[local as usize] else { continue };
                let frame = &mut frames[local as usize * cells..][..cells];
                let times = Times { arena: self.who(local, arena), group: self.who(local, group) };
                match memory.run(self.code, frame, pc, times) {
                    Step::End => ended = Some(local),
                    Step::Barrier(scope, pc) => {
                        waiting[local as usize] = Some(pc);
                        if barrier.is_some_and(|(_, other, _)| other != pc) {
                            return Err(diverged(self, local));
                        }
                        barrier = Some((scope, pc, local));
                    }
                    Step::Stuck(failure) => {
                        waiting[local as usize] = None;
                        stuck(lowest, times.arena.invocation, failure);
                    }
                    Step::Fuel => return Err(Halt::Unknown(Why::Fuel)),
                }
            }
            match (barrier, ended) {
                (None, _) => return Ok(()),
                (Some((_, _, local)), Some(_)) => return Err(diverged(self, local)),
                (Some((Scope::Workgroup, ..)), None) => group += 1,
                (Some((Scope::Storage, ..)), None) => arena += 1,
            }
        }
    }
}

fn stuck(lowest: &mut Lowest, invocation: u32, failure: Failure) {
    if lowest.as_ref().is_none_or(|(other, _)| invocation < *other) {
        *lowest = Some((invocation, failure));
    }
}

/// What validation excludes: a barrier that only some invocations of a group reach.
fn diverged(group: &Group<'_>, local: u32) -> Halt {
    let number = group.number;
    let text = format!("invocation {local} of work group {number} waits at a barrier alone");
    Halt::Broken(Broken::Panic(text))
}

/// The premise on the roll.
fn premise(failure: &Failure) -> &'static str {
    failure.site.cause.name()
}

/// Writes the arguments into the frame.
fn bind(code: &Code, args: &[u32], frame: &mut [Cell]) {
    let mut words = args.iter().copied();
    let mut word = || words.next().expect("a launch has as many arguments as parameters");
    for (reg, ty) in &code.params {
        let reg = *reg as usize;
        match ty {
            Ty::Scalar(sc) => {
                let low = word();
                let high = if sc.words() == 2 { word() } else { 0 };
                frame[reg] = from_words(*sc, low, high);
            }
            Ty::Block(_) => {
                frame[reg] = word().into();
                frame[reg + 1] = word().into();
            }
            _ => unreachable!("validated: parameters are scalars and blocks"),
        }
    }
}
