//! A machine of the device language whose words the host holds: all blocks in one buffer, the
//! arena, with guard words around each. A launch takes the words of the arena, those of its arguments
//! and those of its record, and gives them back as the shader left them; who runs shaders so is a
//! [`Runner`].

use compiler::emit::copy;
use compiler::emit::wgsl::{Checked, Form, Shaders};
use compiler::pipeline::Stop;
use reference::device::arena::{Arena, GUARD, Where, guard};
use reference::device::host::{Code, Dim, Halt, Machine, Report};
use reference::device::record;
use reference::device::syntax::Sc;
use reference::kit::names::{Names, Var};
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
    /// The words of a launch: invocations, work groups, arguments, or which of them the form takes.
    /// Binding 1.
    pub(super) launch: Vec<u32>,
    /// The record of a launch, zeros before it: binding 2. Empty for a kernel that keeps none.
    pub(super) records: Vec<u32>,
}

/// What a form is one of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// The kernel itself.
    Full,
    /// It only tells that some check failed.
    Quiet,
    /// It has no checks but those that may fail, and only tells that some check failed.
    Bare,
}

impl Which {
    /// What stands in front of the kernel in reports.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Which::Full => "",
            Which::Quiet => "the quiet form of ",
            Which::Bare => "the bare form of ",
        }
    }
}

/// The kernels of a program.
#[derive(Clone, Copy)]
pub(super) enum Kernels<'s> {
    /// That all passes went over.
    Compiled(&'s Shaders<'s>),
    /// In which their checks stand.
    Checked(&'s Checked<'s>),
}

impl<'s> Kernels<'s> {
    fn names(self) -> &'s Names {
        match self {
            Kernels::Compiled(shaders) => shaders.names(),
            Kernels::Checked(kernels) => &kernels.program().names,
        }
    }
}

/// A launch, with so many words for its record.
#[derive(Clone, Copy)]
struct Launching<'a> {
    /// The number of the kernel; none is the shader that copies for the host.
    kernel: Option<usize>,
    invocations: u32,
    args: &'a [u32],
    words: u32,
    /// Did a form of it tell that some check fails?
    told: bool,
}

fn refused(refused: Refused) -> Halt {
    Halt::Unknown(Why::Refused(refused.to_string()))
}

/// A form of a kernel, and how often it is to run.
pub(super) struct Launched<'s> {
    /// The number of the kernel; none is the shader that copies for the host.
    pub(super) kernel: Option<usize>,
    /// What it is of the kernel.
    pub(super) which: Which,
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
    kernels: Kernels<'s>,
    /// Whether forms that do less are launched first, where there are such: the bare form of a kernel, or
    /// the quiet one.
    quiet_first: bool,
}

impl<'s, R: Runner> HostArena<'s, R> {
    /// With the kernels of the program.
    pub(super) fn new(runner: R, kernels: Kernels<'s>, quiet_first: bool) -> Self {
        Self { runner, words: Words::default(), kernels, quiet_first }
    }

    fn range(&self, at: u32, count: u32) -> Result<Range<usize>, Halt> {
        let range = at as usize..at as usize + count as usize;
        if range.end > self.words.arena.len() {
            let text = format!("words {range:?} of an arena of {}", self.words.arena.len());
            return Err(Halt::Broken(Broken::Panic(text)));
        }
        Ok(range)
    }

    /// Launches a kernel whose checks stand in it. If one fails, this reads the record itself, for the
    /// host knows of none.
    fn checked(
        &mut self,
        kernels: &'s Checked<'s>,
        number: usize,
        invocations: u32,
        args: &[u32],
    ) -> Result<Option<Stuck>, Halt> {
        let mut told = false;
        if self.quiet_first
            && let Some(form) = kernels.bare(number, invocations, args).map_err(refused)?
        {
            told = self.bare(&form, number, invocations, args)?;
            if !told {
                return Ok(None);
            }
        }
        let compiled = kernels.compiled(number).map_err(|stop| match stop {
            Stop::Refused(pass, why) => {
                refused(Refused { reason: format!("{pass}: {}", why.reason), ..why })
            }
            Stop::Broken(pass, text) => Halt::Broken(Broken::Panic(format!("{pass}: {text}"))),
        })?;
        let shaders = &compiled.shaders;
        let Some(layout) = compiled.record else {
            let kernel = Some(number);
            let launched = Launching { kernel, invocations, args, words: 0, told };
            return self.forms(shaders, 0, &launched).map(|()| None);
        };
        let groups = invocations.div_ceil(shaders.group(0));
        let (words, taken) = (layout.words(groups.into()), self.words.placed.words().into());
        let fits = u32::try_from(words).ok().filter(|_| words + taken <= self.runner.most());
        let words =
            fits.ok_or_else(|| Halt::Unknown(self.runner.no_room("record", words, taken)))?;
        // Wherever it lay in the arena: no shader looks for it there.
        let args = [args, &[GUARD, words]].concat();
        let launching = Launching { kernel: Some(number), invocations, args: &args, words, told };
        self.forms(shaders, 0, &launching)?;
        let records = &self.words.records;
        let Some(group) = record::lowest_group(records[0]) else { return Ok(None) };
        let at = layout.record(group) as usize;
        let told = records.get(at..at + layout.stride() as usize).unwrap_or_default();
        let stuck = layout.decode(&compiled.sites, told);
        stuck.map(Some).map_err(|text| Halt::Broken(Broken::Panic(text)))
    }

    /// Launches the bare form of a kernel. Did some check fail? Then the words are those of before.
    fn bare(
        &mut self,
        form: &Form,
        number: usize,
        invocations: u32,
        args: &[u32],
    ) -> Result<bool, Halt> {
        let kernel = Some(number);
        let words = form.tells.into();
        let launching = Launching { kernel, invocations, args, words, told: false };
        let before = form.tells.then(|| self.words.arena.clone());
        self.dispatch(&launching, Which::Bare, form)?;
        let told = self.words.records.first().is_some_and(|word| *word != 0);
        if let Some(before) = before.filter(|_| told) {
            self.words.arena = before;
        }
        Ok(told)
    }

    /// Launches the kernel that has the number `of` among the shaders: first in its quiet form where that is
    /// wanted and nobody told yet that some check fails, then, from the words before, itself, if one
    /// failed. The record is among the words.
    fn forms(
        &mut self,
        shaders: &Shaders<'_>,
        of: usize,
        launching: &Launching<'_>,
    ) -> Result<(), Halt> {
        let Launching { invocations, args, words, told, .. } = *launching;
        if self.quiet_first
            && !told
            && words > 0
            && let Some(form) = shaders.quiet(of, invocations, args).map_err(refused)?
        {
            // As on a GPU: first whether some check fails, then, from the words before, which.
            let before = self.words.arena.clone();
            self.dispatch(launching, Which::Quiet, &form)?;
            if self.words.records[0] == 0 {
                return Ok(());
            }
            self.words.arena = before;
        }
        let form = shaders.full(of).map_err(refused)?;
        self.dispatch(launching, Which::Full, &form)
    }

    /// Runs one form for a launch.
    fn dispatch(
        &mut self,
        launching: &Launching<'_>,
        which: Which,
        form: &Form,
    ) -> Result<(), Halt> {
        let Launching { kernel, invocations, args, words, .. } = *launching;
        self.words.records.clear();
        self.words.records.resize(words as usize, 0);
        let (groups, group) = (invocations.div_ceil(form.group), form.group);
        let launch = &mut self.words.launch;
        launch.clear();
        launch.extend([invocations, groups]);
        launch.extend_from_slice(args);
        let launched = Launched { kernel, which, form, groups, group };
        self.runner.run(&launched, &mut self.words)?;
        self.verify()
    }

    /// Every guard word is as it was.
    fn verify(&self) -> Result<(), Halt> {
        let Words { placed, arena, .. } = &self.words;
        for (base, block) in placed.blocks() {
            for at in Arena::guards(base, block.words) {
                if arena[at as usize] != guard(at) {
                    let text = placed.broken(at, self.kernels.names());
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
            let (name, taken) = (self.kernels.names().text(block.0), placed.words().into());
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

    fn copy_strided(&mut self, dims: &[Dim], from: u32, to: u32) -> Result<(), Halt> {
        if self.quiet_first && matches!(self.kernels, Kernels::Checked(_)) {
            // A quick look is at the kernels of the program, and this shader is always the same one.
            return (0..Dim::words(dims)).try_for_each(|number| {
                let (from, to) = Dim::moved(dims, number, (from, to));
                self.copy(from, to, 1)
            });
        }
        let Some((invocations, args)) = copy::launch(dims, from, to) else {
            return Err(Halt::Unknown(Why::Fuel));
        };
        let form = copy::form();
        let launching = Launching { kernel: None, invocations, args: &args, words: 0, told: false };
        self.dispatch(&launching, Which::Full, form)
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
        let number = kernel as usize;
        match self.kernels {
            Kernels::Compiled(shaders) => {
                let record = shaders.record(number).map(|at| (args[at], args[at + 1]));
                let words = record.map_or(0, |(_, words)| words);
                let kernel = Some(number);
                let launched = Launching { kernel, invocations, args, words, told: false };
                let ran = self.forms(shaders, number, &launched);
                let Words { arena, records, .. } = &mut self.words;
                if let Some((base, _)) = record {
                    arena[base as usize..base as usize + records.len()].copy_from_slice(records);
                }
                ran.map(|()| None)
            }
            Kernels::Checked(kernels) => self.checked(kernels, number, invocations, args),
        }
    }

    fn go_on(&mut self) -> Result<(), Halt> {
        self.runner.go_on()
    }

    fn report(&mut self) -> Report {
        self.runner.report()
    }
}
