//! The executor as what runs the shaders of a program, laid out like a GPU.

use super::fault::{Fault, Form};
use super::modules::Modules;
use super::trace::Trace;
use crate::engines::words::{Runner, Words};
use compiler::pass::poison_checks::Detail;
use compiler::run::launcher::Dispatch;
use reference::device::arena::Arena;
use reference::device::host::{Halt, Report};
use reference::device::syntax::{MAX_GROUP, Program};
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::outcome::{Broken, Budget, MAX_RACES, Race, Side, Why};
use reference::kit::schedule::{Order, Schedule};
use reference::spirv::eval::{Executor, WORD_BYTES};
use reference::spirv::rules::Rule;
use reference::spirv::syntax::Module;
use reference::spirv::values::{self, Buffer, Cell, Finding, Launch, Strictness};
use std::sync::Arc;

/// Work groups in a dimension of a grid, as WebGPU requires it of every adapter.
const GROUPS: u32 = 65_535;

/// Invocations of a subgroup, as many drivers have it.
const SUBGROUP: u32 = 32;

/// Instructions that a run may execute for each unit of its fuel.
const INSTRUCTIONS: u64 = 10;

/// What a launch takes besides its instructions.
const LAUNCH: u64 = 1000;

/// What outlives a run.
pub(super) struct Used<'e> {
    pub(super) modules: &'e mut Modules,
    pub(super) executor: &'e mut Executor,
    pub(super) recorder: &'e mut Recorder<Rule>,
    pub(super) faults: &'e mut Vec<Fault>,
}

/// The executor, for one run of a program.
pub(super) struct Executing<'e> {
    program: &'e Program,
    order: Order,
    schedule: Box<dyn Schedule>,
    /// Modules have names and lines, and launches are traced.
    lines: bool,
    memory: u64,
    /// Instructions that a run may execute, and how many of these are left.
    given: u64,
    fuel: u64,
    used: Used<'e>,
    races: Vec<Race>,
    instructions: u64,
    /// The most bytes that a launch took.
    pub(super) most: u64,
    /// What the launches worked on, where that is kept.
    trace: Option<&'e mut Trace>,
}

impl<'e> Executing<'e> {
    pub(super) fn new(
        program: &'e Program,
        order: Order,
        lines: bool,
        budget: &Budget,
        used: Used<'e>,
        trace: Option<&'e mut Trace>,
    ) -> Self {
        Self {
            trace,
            program,
            order,
            schedule: order.schedule(),
            lines,
            memory: budget.memory,
            given: budget.fuel.saturating_mul(INSTRUCTIONS),
            fuel: 0,
            used,
            races: Vec::new(),
            instructions: 0,
            most: 0,
        }
    }

    fn module(&mut self, dispatch: &Dispatch<'_>) -> Result<Arc<Module>, Halt> {
        let Used { modules, recorder, .. } = &mut self.used;
        let wgsl = &dispatch.form.wgsl;
        let made = match self.lines {
            false => modules.of(wgsl, recorder),
            true => modules.lined(wgsl, recorder),
        };
        made.map_err(|refusal| {
            let by = self.used.modules.by();
            let (fault, broken) = match Fault::refused(refusal, self.form(dispatch), by.name()) {
                Ok(refused) => refused,
                Err(text) => return Halt::Unknown(Why::NotModelled(text)),
            };
            self.used.faults.push(fault);
            Halt::Broken(broken)
        })
    }

    /// What is dispatch, as reports name it.
    fn form<'s>(&'s self, dispatch: &'s Dispatch<'_>) -> Form<'s> {
        Form {
            kernel: dispatch.kernel.map(|kernel| self.program.kernels[kernel].name.as_str()),
            detail: dispatch.detail,
            wgsl: &dispatch.form.wgsl,
            maker: self.used.modules.by().maker(),
        }
    }

    /// What the launch showed.
    fn judge(
        &mut self,
        dispatch: &Dispatch<'_>,
        placed: &Arena,
        report: values::Report,
    ) -> Result<(), Halt> {
        if let Some((set, binding)) = report.missing {
            let text = format!("the shader asks for a buffer at {set}.{binding}");
            return Err(Halt::Broken(Broken::Panic(text)));
        }
        for finding in report.findings {
            if finding.rule == Rule::Loop {
                return Err(Halt::Unknown(Why::Fuel));
            }
            let race = dispatch.kernel.and_then(|kernel| self.race(kernel, &finding, placed));
            let fault = Fault::of(finding, self.form(dispatch));
            let text = fault.text.clone();
            self.used.faults.push(fault);
            match race {
                Some(race) if self.races.len() < MAX_RACES => self.races.push(race),
                Some(_) => {}
                None => return Err(Halt::Broken(Broken::Undefined(text))),
            }
        }
        Ok(())
    }

    /// The race that a finding is, if it is one, in the terms of the program.
    fn race(&self, number: usize, finding: &Finding, placed: &Arena) -> Option<Race> {
        let clash = finding.clash.as_ref()?;
        let (block, offset) = match clash.cell {
            Cell::Buffer(0, 0, word) => match placed.around(word) {
                Some((base, placed)) => {
                    let offset = word.saturating_sub(base) / placed.element.words();
                    (self.program.names.written(placed.block).to_owned(), offset.into())
                }
                None => (format!("word {word}"), 0),
            },
            Cell::Buffer(_, binding, word) => (format!("binding {binding}"), word.into()),
            Cell::Group(slot) => ("work-group memory".to_owned(), slot.into()),
        };
        let thread = |invocation: u32| vec![invocation.wrapping_add(1) as i32];
        Some(Race {
            span: self.program.kernels[number].span,
            first: Side { thread: thread(clash.other), wrote: clash.other_wrote, span: None },
            second: Side { thread: thread(finding.invocation?), wrote: clash.wrote, span: None },
            block,
            offset,
        })
    }
}

impl Runner for Executing<'_> {
    fn most(&self) -> u64 {
        self.memory / WORD_BYTES
    }

    fn largest_group(&self) -> u32 {
        MAX_GROUP
    }

    fn longest_grid(&self) -> u32 {
        GROUPS
    }

    /// The shader that copies is always the same one: full forms are enough to look at it.
    fn copies_by_shader(&self, detail: Detail) -> bool {
        detail == Detail::Site
    }

    fn begin(&mut self) {
        self.fuel = self.given;
        self.schedule = self.order.schedule();
        self.races.clear();
        self.used.faults.clear();
    }

    fn no_room(&self, _: &str, words: u64, taken: u64) -> Why {
        Why::Memory(taken.saturating_add(words).saturating_mul(WORD_BYTES))
    }

    fn run(&mut self, dispatch: &Dispatch<'_>, words: &mut Words) -> Result<(), Halt> {
        if dispatch.form.i64 && !self.used.modules.by().takes_i64() {
            let text = format!("64-bit integers, by {}", self.used.modules.by().name());
            return Err(Halt::Unknown(Why::NotModelled(text)));
        }
        if let Some(trace) = &mut self.trace {
            let kernel = dispatch.kernel.map(|kernel| self.program.kernels[kernel].name.as_str());
            trace.begin(kernel, dispatch, words);
        }
        let module = self.module(dispatch)?;
        let bytes = module.bytes(self.schedule.preempts());
        if bytes > self.memory {
            return Err(Halt::Unknown(Why::Memory(bytes)));
        }
        self.most = self.most.max(bytes);
        self.fuel = self.fuel.checked_sub(LAUNCH).ok_or(Halt::Unknown(Why::Fuel))?;
        let launch = Launch {
            groups: [dispatch.grid[0], dispatch.grid[1], 1],
            fuel: self.fuel,
            // None of our shaders asks for it.
            subgroup: SUBGROUP,
            traced: self.lines,
            strictness: Strictness::Accesses,
            planted: Planted::NONE,
        };
        let Words { memory, launch: arguments, records, .. } = &mut *words;
        let taken = [&mut memory.plain, arguments, records, &mut memory.atomic];
        let mut binding = 0..;
        let mut buffers = taken.map(|words| Buffer {
            set: 0,
            binding: binding.next().unwrap_or(0),
            words: std::mem::take(words),
        });
        let Used { executor, recorder, .. } = &mut self.used;
        let report = executor.launch(&module, &mut buffers, &launch, &mut *self.schedule, recorder);
        let Words { memory, launch: arguments, records, .. } = &mut *words;
        [memory.plain, *arguments, *records, memory.atomic] = buffers.map(|buffer| buffer.words);
        self.fuel = self.fuel.saturating_sub(report.instructions);
        self.instructions += report.instructions;
        if let Some(trace) = &mut self.trace {
            trace.end(words);
        }
        self.judge(dispatch, &words.placed, report)
    }

    fn report(&mut self) -> Report {
        let races = std::mem::take(&mut self.races);
        Report { races, statements: self.instructions, ..Report::default() }
    }
}
