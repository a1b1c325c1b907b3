//! Devices whose memory the host holds: all blocks in two buffers, one for each region, with guard words around
//! each. A launch takes the words of memory, those of the launch and those of its record, and gives them back
//! as the shader left them. Implement [`Runner`] to run shaders so.

use compiler::pass::poison_checks::Detail;
use compiler::run::launcher::{Device, Dispatch};
use reference::device::arena::{Arena, Where, Words as Memory};
use reference::device::host::{Halt, Report};
use reference::device::syntax::Element;
use reference::kit::names::{Names, Var};
use reference::kit::outcome::{Broken, Why};

/// What the shaders of a program work on.
#[derive(Default)]
pub(super) struct Words {
    /// Which blocks lie where.
    pub(super) placed: Arena,
    /// The words of the arena, binding 0, and of the region of atomic blocks, binding 3.
    pub(super) memory: Memory,
    /// The words of a launch: invocations, work groups, arguments. Binding 1.
    pub(super) launch: Vec<u32>,
    /// The record of a launch, zeros before it: binding 2. Empty for a shader that has none.
    pub(super) records: Vec<u32>,
}

/// What runs shaders.
pub(super) trait Runner {
    /// Most words that memory may have.
    fn most(&self) -> u64;

    /// The most invocations in a work group.
    fn largest_group(&self) -> u32;

    /// The most work groups in a dimension of a grid.
    fn longest_grid(&self) -> u32;

    /// Are copies of words that do not lie in a row made by a shader?
    fn copies_by_shader(&self, detail: Detail) -> bool {
        let _ = detail;
        true
    }

    /// A program starts, perhaps again.
    fn begin(&mut self) {}

    /// Why there is no room for a block of so many words beside those that are taken.
    fn no_room(&self, name: &str, words: u64, taken: u64) -> Why;

    /// Runs a shader over the words.
    ///
    /// # Errors
    /// It gave no answer, or broke.
    fn run(&mut self, dispatch: &Dispatch<'_>, words: &mut Words) -> Result<(), Halt>;

    /// Is there time for more? ([`reference::device::host::Machine::go_on`])
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
pub(super) struct HostArena<'p, R> {
    /// What runs the shaders.
    pub(super) runner: R,
    /// What they work on.
    pub(super) words: Words,
    names: &'p Names,
}

impl<'p, R: Runner> HostArena<'p, R> {
    /// For a program with these names.
    pub(super) fn new(runner: R, names: &'p Names) -> Self {
        Self { runner, words: Words::default(), names }
    }

    /// Every guard word is as it was.
    fn verify(&self) -> Result<(), Halt> {
        let Words { placed, memory, .. } = &self.words;
        match memory.broken(placed) {
            Some(at) => Err(Halt::Broken(Broken::Guard(placed.broken(at, self.names)))),
            None => Ok(()),
        }
    }
}

/// A host that leaves memory broke.
fn beyond(at: u32, count: u32) -> Halt {
    Halt::Broken(Broken::Panic(format!("{count} words from {at} on are beyond memory")))
}

impl<R: Runner> Device for HostArena<'_, R> {
    fn largest_group(&self) -> u32 {
        self.runner.largest_group()
    }

    fn longest_grid(&self) -> u32 {
        self.runner.longest_grid()
    }

    fn clear(&mut self) {
        self.runner.begin();
        self.words.placed = Arena::default();
        self.words.memory = Memory::default();
        self.words.records.clear();
    }

    fn alloc(&mut self, block: (Var, Where), element: Element, words: u64) -> Result<u32, Halt> {
        let Words { placed, memory, .. } = &mut self.words;
        let Some(base) = placed.place(block, element, words, self.runner.most()) else {
            let (name, taken) = (self.names.text(block.0), placed.words().into());
            return Err(Halt::Unknown(self.runner.no_room(name, words, taken)));
        };
        memory.fresh(base, words as u32);
        Ok(base)
    }

    fn free(&mut self, base: u32) -> Result<(), Halt> {
        if self.words.placed.remove(base) {
            return Ok(());
        }
        Err(Halt::Broken(Broken::Panic(format!("no block lies at {base}"))))
    }

    fn write(&mut self, at: u32, words: &[u32]) -> Result<(), Halt> {
        self.words.memory.write(at, words).ok_or_else(|| beyond(at, words.len() as u32))
    }

    fn read(&mut self, at: u32, count: u32) -> Result<Vec<u32>, Halt> {
        self.words.memory.read(at, count).map(<[u32]>::to_vec).ok_or_else(|| beyond(at, count))
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), Halt> {
        self.words.memory.copy(from, to, words).ok_or_else(|| beyond(from.max(to), words))
    }

    fn copies_by_shader(&self, detail: Detail) -> bool {
        self.runner.copies_by_shader(detail)
    }

    fn has_room(&self, record: u64) -> Result<(), Halt> {
        let taken = self.words.placed.words().into();
        match record.saturating_add(taken) <= self.runner.most() {
            true => Ok(()),
            false => Err(Halt::Unknown(self.runner.no_room("record", record, taken))),
        }
    }

    fn dispatch(&mut self, dispatch: &Dispatch<'_>) -> Result<u32, Halt> {
        let Words { launch, records, .. } = &mut self.words;
        records.clear();
        records.resize(dispatch.record as usize, 0);
        launch.clear();
        launch.extend_from_slice(dispatch.launch);
        self.runner.run(dispatch, &mut self.words)?;
        self.verify()?;
        Ok(self.words.records.first().copied().unwrap_or(0))
    }

    fn record(&mut self, at: u32, words: u32) -> Result<Vec<u32>, Halt> {
        let told =
            self.words.records.get(at as usize..).and_then(|told| told.get(..words as usize));
        let short = || Halt::Broken(Broken::Panic("a record beyond its buffer".to_owned()));
        told.map(<[u32]>::to_vec).ok_or_else(short)
    }

    fn go_on(&mut self) -> Result<(), Halt> {
        self.runner.go_on()
    }

    fn report(&mut self) -> Report {
        self.runner.report()
    }
}
