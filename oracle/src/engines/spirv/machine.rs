//! The executor as a machine of the device language, laid out like a GPU: all blocks in one
//! buffer, the arena, with guard words around each; the words of a launch; its records.

use super::Options;
use super::fault::{Fault, Form};
use super::modules::Modules;
use compiler::emit::wgsl::Shaders;
use reference::device::arena::{Arena, GUARD, guard};
use reference::device::host::{Code, Halt, Machine, Report};
use reference::device::syntax::{Program, Sc};
use reference::kit::derivation::Recorder;
use reference::kit::groups::Order;
use reference::kit::outcome::{Broken, Budget, MAX_RACES, Race, Stuck, Why};
use reference::kit::text::Refused;
use reference::spirv::eval::{Executor, WORD_BYTES};
use reference::spirv::rules::Rule;
use reference::spirv::syntax::Module;
use reference::spirv::values::{self, Buffer, Cell, Finding, Launch};
use std::ops::Range;
use std::sync::Arc;

/// Work groups of one dimension of a grid, as WebGPU wants it of every adapter.
const GROUPS: u32 = 65_535;

/// Instructions that a run may execute for each unit of its fuel.
const INSTRUCTIONS: u64 = 10;

/// What a launch takes besides its instructions.
const LAUNCH: u64 = 1000;

/// Bytes of a run's memory above which the executor does not keep it.
const LARGE: u64 = 16 << 20;

/// What outlives a run.
pub(super) struct Used<'e> {
    pub(super) modules: &'e mut Modules,
    pub(super) executor: &'e mut Executor,
    pub(super) recorder: &'e mut Recorder<Rule>,
    pub(super) faults: &'e mut Vec<Fault>,
}

/// The executor with the memory of a program.
pub(super) struct SpirvMachine<'e> {
    program: &'e Program,
    options: Options,
    order: Order,
    /// Modules have names and lines, and launches are traced.
    lines: bool,
    memory: u64,
    fuel: u64,
    used: Used<'e>,
    shaders: &'e Shaders<'e>,
    placed: Arena,
    /// The arena, the words of a launch, its records.
    buffers: [Buffer; 3],
    races: Vec<Race>,
    instructions: u64,
    /// The most bytes that a launch took.
    most: u64,
}

/// The record of a launch: address and words of its block in the arena.
#[derive(Clone, Copy)]
struct Record {
    base: u32,
    words: u32,
}

impl<'e> SpirvMachine<'e> {
    pub(super) fn new(
        program: &'e Program,
        options: Options,
        order: Order,
        lines: bool,
        budget: &Budget,
        shaders: &'e Shaders<'e>,
        used: Used<'e>,
    ) -> Self {
        Self {
            program,
            options,
            order,
            lines,
            memory: budget.memory,
            fuel: budget.fuel.saturating_mul(INSTRUCTIONS),
            used,
            shaders,
            placed: Arena::new(),
            buffers: [0, 1, 2].map(|binding| Buffer { set: 0, binding, words: Vec::new() }),
            races: Vec::new(),
            instructions: 0,
            most: 0,
        }
    }

    /// Did it take so much memory that it should be given back?
    pub(super) fn is_large(&self) -> bool {
        self.most.max(self.words().len() as u64 * WORD_BYTES) > LARGE
    }

    fn words(&self) -> &Vec<u32> {
        &self.buffers[0].words
    }

    fn words_mut(&mut self) -> &mut Vec<u32> {
        &mut self.buffers[0].words
    }

    fn range(&self, at: u32, count: u32) -> Result<Range<usize>, Halt> {
        let range = at as usize..at as usize + count as usize;
        if range.end > self.words().len() {
            let text = format!("words {range:?} of an arena of {}", self.words().len());
            return Err(Halt::Broken(Broken::Panic(text)));
        }
        Ok(range)
    }

    fn module(&mut self, number: u32, quiet: bool, wgsl: &str) -> Result<Arc<Module>, Halt> {
        let made = match self.lines {
            false => self.used.modules.of(wgsl, self.used.recorder),
            true => self.used.modules.lined(wgsl, self.used.recorder),
        };
        made.map_err(|refusal| {
            let form = Form { kernel: self.name(number), quiet, wgsl };
            let (fault, broken) = match Fault::refused(refusal, form, self.used.modules.by()) {
                Ok(refused) => refused,
                Err(text) => return Halt::Unknown(Why::NotModelled(text)),
            };
            self.used.faults.push(fault);
            Halt::Broken(broken)
        })
    }

    fn name(&self, number: u32) -> &str {
        &self.program.kernels[number as usize].name
    }

    /// Runs one form of a kernel.
    fn dispatch(
        &mut self,
        number: u32,
        quiet: bool,
        wgsl: &str,
        groups: u32,
        record: Option<Record>,
    ) -> Result<(), Halt> {
        let module = self.module(number, quiet, wgsl)?;
        let bytes = module.bytes();
        if bytes > self.memory {
            return Err(Halt::Unknown(Why::Memory(bytes)));
        }
        self.most = self.most.max(bytes);
        self.fuel = self.fuel.checked_sub(LAUNCH).ok_or(Halt::Unknown(Why::Fuel))?;
        let records = &mut self.buffers[2].words;
        records.clear();
        records.resize(record.map_or(0, |record| record.words as usize), 0);
        let launch = Launch {
            groups: [groups.min(GROUPS), groups.div_ceil(GROUPS), 1],
            fuel: self.fuel,
            order: self.order,
            traced: self.lines,
            // The quiet form of a kernel may read anywhere once a check has failed.
            robust: quiet,
        };
        let Used { executor, recorder, .. } = &mut self.used;
        let report = executor.launch(&module, &mut self.buffers, &launch, recorder);
        self.fuel = self.fuel.saturating_sub(report.instructions);
        self.instructions += report.instructions;
        if let Some(record) = record {
            let base = record.base as usize;
            let [arena, _, records] = &mut self.buffers;
            arena.words[base..base + records.words.len()].copy_from_slice(&records.words);
        }
        self.judge(number, quiet, wgsl, report)?;
        self.verify()
    }

    /// What the launch showed.
    fn judge(
        &mut self,
        number: u32,
        quiet: bool,
        wgsl: &str,
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
            let race = self.race(number, &finding);
            let fault = Fault::of(finding, Form { kernel: self.name(number), quiet, wgsl });
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
    fn race(&self, number: u32, finding: &Finding) -> Option<Race> {
        let clash = finding.clash.as_ref()?;
        let (block, offset) = match clash.cell {
            Cell::Buffer(0, 0, word) => match self.placed.around(word) {
                Some((base, placed)) => {
                    let offset = word.saturating_sub(base) / placed.element.words();
                    (placed.name.clone(), offset.into())
                }
                None => (format!("word {word}"), 0),
            },
            Cell::Buffer(_, binding, word) => (format!("binding {binding}"), word.into()),
            Cell::Group(slot) => ("work-group memory".to_owned(), slot.into()),
        };
        let thread = |invocation: u32| vec![invocation.wrapping_add(1) as i32];
        Some(Race {
            span: self.program.kernels[number as usize].span,
            first: (thread(clash.other), clash.other_wrote),
            second: (thread(finding.invocation?), clash.wrote),
            block,
            offset,
        })
    }

    /// Every guard word is as it was.
    fn verify(&self) -> Result<(), Halt> {
        for (base, placed) in self.placed.blocks() {
            for at in Arena::guards(base, placed.words) {
                if self.words()[at as usize] != guard(at) {
                    return Err(Halt::Broken(Broken::Guard(self.placed.broken(at))));
                }
            }
        }
        Ok(())
    }
}

impl Machine for SpirvMachine<'_> {
    fn alloc(&mut self, name: &str, element: Sc, words: u64) -> Result<u32, Halt> {
        let limit = self.memory / WORD_BYTES;
        let Some(base) = self.placed.place(name, element, words, limit) else {
            let bytes = (u64::from(self.placed.words()) + words).saturating_mul(WORD_BYTES);
            return Err(Halt::Unknown(Why::Memory(bytes)));
        };
        let words = words as u32;
        let end = (base + words + GUARD) as usize;
        let arena = self.words_mut();
        if arena.len() < end {
            arena.resize(end, 0);
        }
        arena[base as usize..][..words as usize].fill(0);
        for at in Arena::guards(base, words) {
            arena[at as usize] = guard(at);
        }
        Ok(base)
    }

    fn free(&mut self, base: u32) -> Result<(), Halt> {
        if self.placed.remove(base) {
            return Ok(());
        }
        Err(Halt::Broken(Broken::Panic(format!("no block lies at {base}"))))
    }

    fn write(&mut self, at: u32, words: &[u32]) -> Result<(), Halt> {
        let range = self.range(at, words.len() as u32)?;
        self.words_mut()[range].copy_from_slice(words);
        Ok(())
    }

    fn read(&mut self, at: u32, count: u32) -> Result<Vec<u32>, Halt> {
        let range = self.range(at, count)?;
        Ok(self.words()[range].to_vec())
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), Halt> {
        let from = self.range(from, words)?;
        let to = self.range(to, words)?;
        self.words_mut().copy_within(from, to.start);
        Ok(())
    }

    fn launch(
        &mut self,
        code: Code,
        invocations: u32,
        args: &[u32],
    ) -> Result<Option<Stuck>, Halt> {
        let Code::Kernel(number) = code else {
            let text = "a shader is a kernel; `map_levels` makes them".to_owned();
            return Err(Halt::Broken(Broken::Panic(text)));
        };
        let (shaders, at) = (self.shaders, number as usize);
        let refused = |refused: Refused| Halt::Unknown(Why::Refused(refused.to_string()));
        let groups = invocations.div_ceil(shaders.group(at));
        let record = shaders.record(at).map(|at| Record { base: args[at], words: args[at + 1] });
        let launch = &mut self.buffers[1].words;
        launch.clear();
        launch.extend([invocations, groups]);
        launch.extend_from_slice(args);
        if let (true, Some(record)) = (self.options.quiet_first, record)
            && let Some(quiet) = shaders.quiet(at, invocations, args).map_err(refused)?
        {
            // As on a GPU: first whether some check fails, then, from the words before, which.
            let before = self.words().clone();
            self.dispatch(number, true, &quiet.wgsl, groups, Some(record))?;
            if self.words()[record.base as usize] == 0 {
                return Ok(None);
            }
            *self.words_mut() = before;
        }
        let full = shaders.full(at).map_err(refused)?;
        self.dispatch(number, false, &full.wgsl, groups, record)?;
        Ok(None)
    }

    fn report(&mut self) -> Report {
        let races = std::mem::take(&mut self.races);
        Report { races, statements: self.instructions, rounds: 0 }
    }
}
