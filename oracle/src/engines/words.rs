//! A machine of the device language whose words the host holds: all blocks in one buffer, the
//! arena, with guard words around each. A launch takes the words of the arena, those of its arguments
//! and those of its record, and gives them back as the shader left them; who runs shaders so is a
//! [`Runner`].

use compiler::emit::wgsl::{Form, Shaders};
use reference::device::arena::{Arena, GUARD, Where, guard};
use reference::device::host::{Code, Halt, Machine, Report};
use reference::device::syntax::Sc;
use reference::kit::names::Var;
use reference::kit::outcome::{Broken, Stuck, Why};
use reference::kit::text::Refused;
use std::ops::Range;

/// What the shaders of a program work on.
#[derive(Default)]
pub(super) struct Words {
    /// Which blocks lie where.
    pub(super) placed: Arena,
    /// The words of the arena: binding 0.
    pub(super) arena: Vec<u32>,
    /// The words of a launch: invocations, work groups, arguments. Binding 1.
    pub(super) launch: Vec<u32>,
    /// The record of a launch, zeros before it: binding 2. Empty for a kernel that keeps none.
    pub(super) records: Vec<u32>,
}

/// A form of a kernel, and how often it is to run.
pub(super) struct Launched<'s> {
    /// The number of the kernel.
    pub(super) kernel: usize,
    /// Is it a quiet form?
    pub(super) quiet: bool,
    /// The shader.
    pub(super) form: &'s Form,
    /// Work groups, and invocations in each.
    pub(super) groups: u32,
    pub(super) group: u32,
}

/// What runs shaders.
pub(super) trait Runner {
    /// Most words that the arena may have.
    fn most(&self) -> u64;

    /// Why there is no room for a block of so many words beside those that are taken.
    fn no_room(&self, name: &str, words: u64, taken: u64) -> Why;

    /// Runs one form of a kernel over the words.
    ///
    /// # Errors
    /// It gave no answer, or broke.
    fn run(&mut self, launched: &Launched<'_>, words: &mut Words) -> Result<(), Halt>;

    /// Is there time for more? ([`Machine::go_on`])
    ///
    /// # Errors
    /// [`Why::Fuel`] if there is none.
    fn go_on(&mut self) -> Result<(), Halt> {
        Ok(())
    }

    /// What was seen since the runner was made.
    fn report(&mut self) -> Report {
        Report::default()
    }
}

/// A runner with the memory of a program.
pub(super) struct HostArena<'s, R> {
    /// What runs the shaders.
    pub(super) runner: R,
    /// What they work on.
    pub(super) words: Words,
    shaders: &'s Shaders<'s>,
    /// Whether the quiet form of a kernel is launched first, where there is one.
    quiet_first: bool,
}

impl<'s, R: Runner> HostArena<'s, R> {
    /// With the shaders of the program.
    pub(super) fn new(runner: R, shaders: &'s Shaders<'s>, quiet_first: bool) -> Self {
        Self { runner, words: Words::default(), shaders, quiet_first }
    }

    fn range(&self, at: u32, count: u32) -> Result<Range<usize>, Halt> {
        let range = at as usize..at as usize + count as usize;
        if range.end > self.words.arena.len() {
            let text = format!("words {range:?} of an arena of {}", self.words.arena.len());
            return Err(Halt::Broken(Broken::Panic(text)));
        }
        Ok(range)
    }

    /// Runs one form, and puts its record where the program looks for it: block and words.
    fn dispatch(
        &mut self,
        launched: &Launched<'_>,
        record: Option<(u32, u32)>,
    ) -> Result<(), Halt> {
        self.words.records.clear();
        self.words.records.resize(record.map_or(0, |(_, words)| words as usize), 0);
        let ran = self.runner.run(launched, &mut self.words);
        let Words { arena, records, .. } = &mut self.words;
        if let Some((base, _)) = record {
            arena[base as usize..base as usize + records.len()].copy_from_slice(records);
        }
        ran?;
        self.verify()
    }

    /// Every guard word is as it was.
    fn verify(&self) -> Result<(), Halt> {
        let Words { placed, arena, .. } = &self.words;
        for (base, block) in placed.blocks() {
            for at in Arena::guards(base, block.words) {
                if arena[at as usize] != guard(at) {
                    let text = placed.broken(at, self.shaders.names());
                    return Err(Halt::Broken(Broken::Guard(text)));
                }
            }
        }
        Ok(())
    }
}

impl<R: Runner> Machine for HostArena<'_, R> {
    fn alloc(&mut self, block: (Var, Where), element: Sc, words: u64) -> Result<u32, Halt> {
        let Words { placed, arena, .. } = &mut self.words;
        let Some(base) = placed.place(block, element, words, self.runner.most()) else {
            let (name, taken) = (self.shaders.names().text(block.0), placed.words().into());
            return Err(Halt::Unknown(self.runner.no_room(name, words, taken)));
        };
        let words = words as u32;
        let end = (base + words + GUARD) as usize;
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
        if self.words.placed.remove(base) {
            return Ok(());
        }
        Err(Halt::Broken(Broken::Panic(format!("no block lies at {base}"))))
    }

    fn write(&mut self, at: u32, words: &[u32]) -> Result<(), Halt> {
        let range = self.range(at, words.len() as u32)?;
        self.words.arena[range].copy_from_slice(words);
        Ok(())
    }

    fn read(&mut self, at: u32, count: u32) -> Result<Vec<u32>, Halt> {
        let range = self.range(at, count)?;
        Ok(self.words.arena[range].to_vec())
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), Halt> {
        let from = self.range(from, words)?;
        let to = self.range(to, words)?;
        self.words.arena.copy_within(from, to.start);
        Ok(())
    }

    fn launch(
        &mut self,
        code: Code,
        invocations: u32,
        args: &[u32],
    ) -> Result<Option<Stuck>, Halt> {
        let Code::Kernel(kernel) = code else {
            let text = "a shader is a kernel; `map_levels` makes them".to_owned();
            return Err(Halt::Broken(Broken::Panic(text)));
        };
        let (shaders, kernel) = (self.shaders, kernel as usize);
        let refused = |refused: Refused| Halt::Unknown(Why::Refused(refused.to_string()));
        let group = shaders.group(kernel);
        let groups = invocations.div_ceil(group);
        let record = shaders.record(kernel).map(|at| (args[at], args[at + 1]));
        let launch = &mut self.words.launch;
        launch.clear();
        launch.extend([invocations, groups]);
        launch.extend_from_slice(args);
        if let (true, Some((base, _))) = (self.quiet_first, record)
            && let Some(form) = shaders.quiet(kernel, invocations, args).map_err(refused)?
        {
            // As on a GPU: first whether some check fails, then, from the words before, which.
            let before = self.words.arena.clone();
            let quiet = Launched { kernel, quiet: true, form: &form, groups, group };
            self.dispatch(&quiet, record)?;
            if self.words.arena[base as usize] == 0 {
                return Ok(None);
            }
            self.words.arena = before;
        }
        let form = shaders.full(kernel).map_err(refused)?;
        let full = Launched { kernel, quiet: false, form: &form, groups, group };
        self.dispatch(&full, record)?;
        Ok(None)
    }

    fn go_on(&mut self) -> Result<(), Halt> {
        self.runner.go_on()
    }

    fn report(&mut self) -> Report {
        self.runner.report()
    }
}
