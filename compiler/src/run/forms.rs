//! The two forms of a kernel, compiled when they are launched.
//!
//! The *fast* form is made for one launch: checks that hold by what the host knows of it are gone, and the
//! others only set a flag. The *full* form serves every launch and records the site of a failed check. Both
//! are made by the last passes of the pipeline from the stage [`CHECKED`](crate::pipeline::CHECKED).

use crate::emit::wgsl::{Form, Grid, module};
use crate::pass::bound_loops;
use crate::pass::eliminate_checks::{Counted, Facts, Known, goes_on, of_functions};
use crate::pass::inline_failing::inline_failing;
use crate::pass::narrow_checks::narrow_checks;
use crate::pass::padding::skips_padding;
use crate::pass::poison_checks::{Detail, poison_checks};
use crate::pass::types::Types;
use crate::pipeline::Stop;
use crate::route::KernelOptions;
use reference::device::globals::Globals;
use reference::device::record::Layout;
use reference::device::syntax::{Block, Builtin, Exp, Function, Kernel, Kind, Program, Site};
use reference::device::validate;
use reference::device::visit::{self, any_stm, has_barrier};
use reference::kit::decisions::Decisions;
use reference::kit::derivation::Recorder;
use reference::kit::text::Refused;
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

/// The most fast forms of a kernel that are made for one launch each. A kernel that is launched in a loop may get
/// new arguments each time; later launches share one generic form, made without facts of a launch.
const MOST_FAST: usize = 4;

/// Invocations of a work group that hide the latency of memory on every GPU, so more than these bring nothing.
pub const LARGEST_GROUP: u32 = 256;

/// Invocations of the smallest work group: the width of a subgroup on most GPUs. In a work group of no
/// multiple of eight, lavapipe ends loops too early (`corpus/fun/pass/swapped_in_a_loop.fun`). It runs the loops of the
/// lanes beyond the group, and counts their rounds towards the 65,535 after which it stops all loops. Padding invocations of a
/// larger group run no loops.
const SMALLEST_GROUP: u32 = 32;

/// Work groups that every adapter takes in one dimension of a grid.
const LEAST_GROUPS: u32 = 65_535;

/// The kernels of a program in which all checks still stand.
pub struct Forms<'p> {
    program: &'p Program,
    calling: Source<'p>,
    inlined: Source<'p>,
    options: KernelOptions,
    kernels: Vec<Made>,
}

/// What forms are made of.
struct Source<'p> {
    program: Cow<'p, Program>,
    types: Types,
}

impl<'p> Source<'p> {
    /// A program in which functions have no checks that always hold. Answers of the policy are counted as if the pass
    /// went over the kernels first.
    fn of(program: Cow<'p, Program>, options: KernelOptions) -> Self {
        let types = Types::of(&program);
        if program.functions.is_empty() {
            return Self { program, types };
        }
        let mut program = program.into_owned();
        let mut decisions = Decisions::new(options.decisions);
        decisions.begin("eliminate_checks");
        program.kernels.iter().for_each(|_| _ = decisions.decide(String::new));
        of_functions(&mut program, &types, &mut decisions);
        Self { program: Cow::Owned(program), types }
    }
}

/// What was made of a kernel so far.
#[derive(Default)]
struct Made {
    fast: RefCell<Vec<(Facts, u32, Rc<Compiled>)>>,
    full: RefCell<Vec<(u32, Rc<Compiled>)>>,
}

/// A form of a kernel.
#[derive(Debug)]
pub struct Compiled {
    /// The shader.
    pub form: Form,
    /// How its record is laid out, if it is a full form with checks: the block of it is its last parameter.
    pub record: Option<Layout>,
    /// The sites of its checks: those of the program, and those that passes added.
    pub sites: Vec<Site>,
}

impl<'p> Forms<'p> {
    /// Of a program of the stage [`CHECKED`](crate::pipeline::CHECKED). Nothing is compiled yet.
    pub fn of(program: &'p Program, options: KernelOptions) -> Self {
        let kernels = program.kernels.iter().map(|_| Made::default()).collect();
        let inlined = match program.functions.is_empty() {
            true => Cow::Borrowed(program),
            false => {
                let mut decisions = Decisions::new(options.decisions);
                decisions.begin("inline_failing");
                Cow::Owned(inline_failing(program.clone(), Detail::Site, &mut decisions))
            }
        };
        let calling = Source::of(Cow::Borrowed(program), options);
        Self { program, calling, inlined: Source::of(inlined, options), options, kernels }
    }

    /// The program with failing functions where they are called: its names are those of what [`eliminated`](Self::eliminated)
    /// gives too.
    pub fn inlined(&self) -> &Program {
        &self.inlined.program
    }

    /// What a kernel of this detail is made of.
    fn source(&self, number: usize, detail: Detail) -> &Source<'p> {
        match goes_on(&self.program.kernels[number], detail) {
            true => &self.inlined,
            false => &self.calling,
        }
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.program
    }

    /// Invocations in the work groups of a launch of so many: a power of two, and at least a subgroup, on a
    /// device that takes at most `most` in a group. A kernel keeps its own where it asks for them, or where
    /// the invocations that only fill up a group do something.
    pub fn group(&self, number: usize, invocations: u32, most: u32) -> u32 {
        let kernel = &self.program.kernels[number];
        let largest = LARGEST_GROUP.min(1 << most.max(1).ilog2());
        let smallest = SMALLEST_GROUP.min(largest);
        let group = invocations.clamp(smallest, largest).next_power_of_two().min(largest);
        let full = |group: u32| invocations.is_multiple_of(group);
        let no_padding = || full(kernel.group) && full(group) || skips_padding(&kernel.body);
        if !self.asks_for_group(kernel) && no_padding() { group } else { kernel.group }
    }

    /// Does the kernel see how invocations are grouped, or is that told of what fails in it?
    fn asks_for_group(&self, kernel: &Kernel) -> bool {
        let sees = |body: &Block| {
            let mut sees = false;
            visit::block(body, &mut |exp| {
                sees |= matches!(exp, Exp::Builtin(Builtin::LocalId | Builtin::GroupId));
            });
            sees
        };
        let (mut calls, mut ordered) = (false, false);
        any_stm(&kernel.body, &mut |kind| {
            calls |= matches!(kind, Kind::Call { .. });
            ordered |= matches!(kind, Kind::Check(check) if check.order.is_some());
            false
        });
        let called = || self.program.functions.iter().any(|function| sees(&function.body));
        has_barrier(&kernel.body)
            || ordered
            || !Globals::of(self.program).kernel(kernel).workgroup.is_empty()
            || sees(&kernel.body)
            || calls && called()
    }

    /// The fast form of a kernel, in groups of so many invocations, for a launch of so many with these words
    /// of its arguments.
    ///
    /// # Errors
    /// A pass refuses it, or breaks it.
    pub fn fast(
        &self,
        number: usize,
        group: u32,
        (invocations, args): (u32, &[u32]),
    ) -> Result<Rc<Compiled>, Stop> {
        let kernel = &self.program.kernels[number];
        let facts = Facts::of(kernel, group, invocations, args);
        let mut known = self.kernels[number].fast.borrow_mut();
        let same = |known: &&(Facts, u32, Rc<Compiled>)| known.0 == facts && known.1 == group;
        if let Some((.., compiled)) = known.iter().find(same) {
            return Ok(Rc::clone(compiled));
        }
        if known.len() >= MOST_FAST {
            drop(known);
            return self.fast_for_all(number, group);
        }
        let flat = invocations.div_ceil(group) <= LEAST_GROUPS;
        let grid = if flat { Grid::Flat } else { Grid::Folded };
        let compiled = Rc::new(self.compile(number, group, &facts, (Detail::Flag, grid))?);
        known.push((facts, group, Rc::clone(&compiled)));
        Ok(compiled)
    }

    /// The fast form of a kernel for every launch in groups of so many invocations.
    ///
    /// # Errors
    /// A pass refuses it, or breaks it.
    pub fn fast_for_all(&self, number: usize, group: u32) -> Result<Rc<Compiled>, Stop> {
        let facts = Facts::default();
        let mut known = self.kernels[number].fast.borrow_mut();
        let same = |known: &&(Facts, u32, Rc<Compiled>)| known.0 == facts && known.1 == group;
        if let Some((.., compiled)) = known.iter().find(same) {
            return Ok(Rc::clone(compiled));
        }
        let compiled =
            Rc::new(self.compile(number, group, &facts, (Detail::Flag, Grid::Folded))?);
        known.push((facts, group, Rc::clone(&compiled)));
        Ok(compiled)
    }

    /// The full form of a kernel, in groups of so many invocations.
    ///
    /// # Errors
    /// A pass refuses it, or breaks it.
    pub fn full(&self, number: usize, group: u32) -> Result<Rc<Compiled>, Stop> {
        let mut known = self.kernels[number].full.borrow_mut();
        if let Some((_, compiled)) = known.iter().find(|(of, _)| *of == group) {
            return Ok(Rc::clone(compiled));
        }
        let facts = Facts::default();
        let compiled =
            Rc::new(self.compile(number, group, &facts, (Detail::Site, Grid::Folded))?);
        known.push((group, Rc::clone(&compiled)));
        Ok(compiled)
    }

    /// A kernel without the checks that hold by these facts of a launch: what its fast form is made of, for
    /// an evaluator.
    pub fn eliminated(&self, number: usize, facts: &Facts) -> Kernel {
        self.eliminate(number, facts, Detail::Flag).0
    }

    /// A kernel without the checks that hold by these facts, and its counted loops. Answers of the policy are
    /// counted anew for each kernel, as if the pass went over the program up to it and no other pass had asked.
    fn eliminate(&self, number: usize, facts: &Facts, detail: Detail) -> (Kernel, Counted) {
        let Source { program, types } = self.source(number, detail);
        let kernel = &program.kernels[number];
        let mut decisions = Decisions::new(self.options.decisions);
        decisions.begin("eliminate_checks");
        let decided = (0..=number).fold(true, |_, _| decisions.decide(String::new));
        if !decided {
            return (kernel.clone(), Counted::default());
        }
        let known = Known { types, sites: &program.sites, facts };
        known.eliminate(kernel, goes_on(kernel, detail))
    }

    fn compile(
        &self,
        number: usize,
        group: u32,
        facts: &Facts,
        (detail, grid): (Detail, Grid),
    ) -> Result<Compiled, Stop> {
        let Source { program, types } = self.source(number, detail);
        let (mut kernel, counted) = self.eliminate(number, facts, detail);
        kernel.group = group;
        // A record that the program itself keeps is one of its blocks, and the host reads it.
        kernel.record = None;
        let (rounds, writing) = (self.options.rounds, self.options.writing);
        let checks = |kind: &Kind| matches!(kind, Kind::Check(_));
        let fails = |function: &Function| any_stm(&function.body, &mut |kind| checks(kind));
        let has_check = any_stm(&kernel.body, &mut |kind| match kind {
            Kind::Call { .. } => program.functions.iter().any(fails),
            kind => checks(kind),
        });
        let emit = |program: &Program, kernel: &Kernel, types: &Types| {
            module(program, kernel, types, writing, grid).map_err(refused("emit"))
        };
        if !has_check && !bound_loops::has_bounded(&kernel, rounds, &counted) {
            // The last passes have nothing to do.
            let form = emit(program, &kernel, types)?;
            return Ok(Compiled { form, record: None, sites: Vec::new() });
        }
        let program = alone(program, kernel);
        let program = bound_loops::bound(program, rounds, &[counted]);
        let program =
            poison_checks(narrow_checks(program), detail).map_err(refused("poison_checks"))?;
        validate::check(&program, &mut Recorder::counting())
            .map_err(|rejected| Stop::Broken("poison_checks", rejected.to_string()))?;
        let form = emit(&program, &program.kernels[0], &Types::of(&program))?;
        Ok(Compiled { form, record: program.kernels[0].record, sites: program.sites })
    }
}

/// A program with this kernel alone, and no host.
fn alone(program: &Program, kernel: Kernel) -> Program {
    let Program { names, structs, workgroup, private, functions, sites, .. } = program;
    Program {
        names: names.clone(),
        structs: structs.clone(),
        workgroup: workgroup.clone(),
        private: private.clone(),
        functions: functions.clone(),
        kernels: vec![kernel],
        sites: sites.clone(),
        ..Program::default()
    }
}

/// A pass refuses a kernel.
fn refused(pass: &'static str) -> impl Fn(Refused) -> Stop {
    move |refused| Stop::Refused(pass, refused)
}
