//! A launch: its work groups one after the other, or some of them together.

use super::Evaluator;
use super::code::Code;
use super::group::{Group, Lowest};
use super::memory::{Cells, Lacked, Raced, Shared};
use super::values::{Failure, Invocation};
use crate::device::host::Halt;
use crate::device::rules::Rule;
use crate::device::scalar::{Cell, from_words};
use crate::device::types::{Bound, Typed};
use crate::kit::accesses::Accesses;
use crate::kit::derivation::RACEFREE;
use crate::kit::heap::has_room;
use crate::kit::outcome::{MAX_RACES, Race, Side, Stuck, Why, cells};
use crate::kit::rules::Roll;
use crate::kit::schedule::Step;
use crate::kit::tap;

/// So many work groups make their steps together where the schedule leaves invocations that could go on.
const TOGETHER: u64 = 8;

impl<'p> Evaluator<'p, '_> {
    /// `D-LAUNCH`, the part of the machine
    ///
    /// ```text
    /// M ⊢ group g of k ⇓ M'      for each work group, by steps of any of them
    /// no two accesses conflict                                                  (racefree)
    /// ─────────────────────────────────────────────────────────────
    /// M ⊢ launch k<n>(v̄) ⇓ M'
    /// ```
    ///
    /// `racefree` records a race and goes on. Answers with the failure that is told, the [lowest](Lowest) one;
    /// the other invocations ran on.
    pub(super) fn grid(
        &mut self,
        code: &Code<'p>,
        invocations: u32,
        args: &[u32],
    ) -> Result<Option<Stuck>, Halt> {
        let preempts = self.schedule.preempts();
        // All of a group where they wait for each other, and one where each runs to its end before the next starts.
        let at_once = if preempts || code.barriers { code.group } else { 1 };
        let made = u64::from(code.cells).saturating_mul(at_once.into());
        let made = made.saturating_add(code.workgroup.into());
        let bytes = made.saturating_mul(8);
        let groups = invocations.div_ceil(code.group);
        let together = match preempts {
            true => TOGETHER.min(groups.into()).min(self.budget.memory / bytes.max(1)).max(1),
            false => 1,
        };
        let (made, bytes) = (made.saturating_mul(together), bytes.saturating_mul(together));
        if bytes > self.budget.memory || !has_room(bytes) {
            return Err(Halt::Unknown(Why::Memory(bytes)));
        }
        self.makes(code, invocations, made)?;
        let one = Invocation { cells: bound(code, args), ..Invocation::default() };
        self.shadow.start(self.words.plain.len());
        let located = Accesses::wanted(self.recorder);
        let mut shared = Shared {
            layout: &self.layout,
            arena: &self.arena,
            words: &mut self.words,
            shadow: &mut self.shadow,
            group: vec![0; code.workgroup as usize],
            group_shadow: &mut self.group_shadow,
            fuel: &mut self.fuel,
            recorder: self.recorder,
            statements: 0,
            made_up: false,
            open_floats: false,
            raced: Vec::new(),
            span: code.span,
            located,
            written: self.written.as_mut(),
            lacked: None,
            invocations,
            number: 0,
            step: Step::Plain,
            before: self.executed + self.report.statements,
        };
        let launch = tap::Launch {
            site: code.span,
            threads: invocations.into(),
            group: Some(code.group).filter(|_| code.iteration.is_none()),
            group_words: code.workgroup,
        };
        shared.tells(|tap, clock| tap.launch(launch, clock));
        let mut lowest: Lowest = None;
        let mut result = Ok(());
        let mut rounds = 0;
        let numbers = self.schedule.order(groups.into()).numbers(groups);
        let mut group = Group {
            code,
            shared: &mut shared,
            schedule: &mut *self.schedule,
            lowest: &mut lowest,
            rounds: &mut rounds,
            epochs: [0, 0],
        };
        if preempts {
            result = group.together(numbers, together as usize, &one);
        } else {
            let mut all = vec![one; at_once as usize];
            for number in numbers {
                let next = group.shared.recorder.tap().map(|tap| tap.next_group(number.into()));
                if next.is_some_and(|next| next != u64::from(number)) {
                    continue;
                }
                result = group.run(number, &mut all);
                if result.is_err() {
                    break;
                }
            }
        }
        shared.tells(|tap, clock| tap.ends(clock));
        let Shared { statements, open_floats, raced, lacked, .. } = shared;
        if let Some(Lacked { span, thread, at }) = lacked {
            self.lacks(span, thread, at);
        }
        self.report.statements += statements;
        self.report.open_floats |= open_floats;
        self.report.rounds = self.report.rounds.max(rounds);
        self.races(code, &raced);
        result?;
        Ok(lowest.map(|(invocation, failure)| stuck(invocation, failure)))
    }

    /// Charges for the cells of invocations and of work-group memory, which is zeroed for each group
    /// as private memory is for each invocation. An invocation that does nothing costs something,
    /// or else any number of them would be free.
    fn makes(&mut self, code: &Code<'_>, invocations: u32, made: u64) -> Result<(), Halt> {
        let groups = u64::from(invocations.div_ceil(code.group));
        let private = cells(code.private.1.into()).saturating_mul(code.group.into());
        let group = cells(code.workgroup.into()).saturating_add(private);
        let idle = if code.body.is_empty() { invocations } else { 0 };
        let fuel = groups.saturating_mul(group).saturating_add(cells(made));
        self.charge(fuel.saturating_add(idle.into()))
    }

    /// One race for each block or variable.
    fn races(&mut self, code: &Code<'_>, raced: &[Raced]) {
        let mut seen = Vec::new();
        for race in raced {
            let (block, offset) = match race.at {
                Cells::Arena(at) => match self.arena.around(at as u32) {
                    Some((base, placed)) => {
                        let words = i64::from(placed.element.words());
                        let offset = (at as i64 - i64::from(base)) / words;
                        let block = self.layout.program().names.written(placed.block);
                        (block.to_owned(), offset.max(0) as u64)
                    }
                    None => (format!("word {at}"), 0),
                },
                Cells::Atomic(_) => unreachable!("atomic operations do not conflict"),
                Cells::Group(at) => {
                    let at = at as u32;
                    let variable = code.variables.iter().rev().find(|(first, _)| *first <= at);
                    let (first, var) = variable.copied().expect("its cells are a variable's");
                    (self.layout.program().names.written(var).to_owned(), (at - first).into())
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
                    first: Side {
                        thread: thread(race.conflict.other),
                        wrote: race.conflict.other_wrote,
                        span: race.spans[0],
                    },
                    second: Side {
                        thread: thread(race.who.invocation),
                        wrote: race.wrote,
                        span: race.spans[1],
                    },
                    block,
                    offset,
                });
            }
        }
    }
}

/// An invocation that got stuck, as it is told.
fn stuck(invocation: u32, failure: Failure) -> Stuck {
    let mut thread = failure.path;
    if !failure.ordered {
        thread.insert(0, invocation.wrapping_add(1) as i32);
    }
    Stuck {
        site: failure.site,
        rule: failure.rule.info().name.to_owned(),
        thread,
        operands: failure.operands,
    }
}

/// The cells of an invocation whose parameters have these words for arguments.
fn bound(code: &Code<'_>, args: &[u32]) -> Vec<Cell> {
    let mut cells = vec![0; code.cells as usize];
    let mut words = args.iter().copied();
    let mut word = || words.next().expect("a launch has as many arguments as parameters");
    for param in &code.params {
        let slot = code.slot(*param);
        let at = slot.at as usize;
        match slot.bound {
            Bound::Value(Typed::Scalar(sc)) => {
                let low = word();
                let high = if sc.words() == 2 { word() } else { 0 };
                cells[at] = from_words(sc, low, high);
            }
            Bound::Value(Typed::Block(_)) => {
                cells[at] = word().into();
                cells[at + 1] = word().into();
            }
            _ => unreachable!("validated: parameters are scalars and blocks"),
        }
    }
    cells
}
