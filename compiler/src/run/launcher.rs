//! The one way in which a program is run on a device: its host here, its kernels there.
//!
//! A run launches the fast forms of kernels. If a check fails in one, the program starts again from its
//! input, with the full forms, which record what failed. So nothing is copied for the case that a launch
//! has to be repeated: the flag, one word, is cleared before each launch of a fast form, and records of sites are
//! cleared and read in the second run only.

use super::forms::{Compiled, Forms};
use crate::emit::copy;
use crate::emit::wgsl::Form;
use crate::pass::poison_checks::Detail;
use crate::pipeline::Stop;
use reference::device::arena::{GUARD, Region, Where};
use reference::device::host::{self, Code, Dim, Halt, Machine, Report};
use reference::device::record;
use reference::device::syntax::Element;
use reference::kit::names::Var;
use reference::kit::outcome::{Broken, Budget, Ending, Outcome, Stuck, Value, Why};
use reference::kit::text::Refused;
use std::rc::Rc;

/// The reason that is given where a fast form reports a failed check and the full forms do not.
pub const UNCONFIRMED: &str = "a failed check that the full forms of the kernels do not confirm";

/// Is there no answer for that reason?
pub fn is_unconfirmed(ending: &Ending) -> bool {
    matches!(ending, Ending::Unknown(Why::NotModelled(why)) if why == UNCONFIRMED)
}

/// One launch of a shader.
#[derive(Clone, Copy, Debug)]
pub struct Dispatch<'d> {
    /// The number of the kernel; none is the shader that copies for the host.
    pub kernel: Option<usize>,
    /// Which form of the kernel it is.
    pub detail: Detail,
    /// The shader.
    pub form: &'d Form,
    /// Work groups in the two dimensions of the grid.
    pub grid: [u32; 2],
    /// The words of the launch, binding 1.
    pub launch: &'d [u32],
    /// Words of the failure record, binding 2, all zero before the launch; 0 if the shader has none. The record
    /// of a fast form is one word, the flag.
    pub record: u32,
}

/// Memory and shaders of a device. Blocks are as [`Machine`] has them.
pub trait Device {
    /// The most invocations in a work group.
    fn largest_group(&self) -> u32;

    /// The most work groups in a dimension of a grid, at least 65,535.
    fn longest_grid(&self) -> u32;

    /// Takes everything of the run before away.
    fn clear(&mut self);

    /// As [`Machine::alloc`].
    ///
    /// # Errors
    /// As there.
    fn alloc(&mut self, block: (Var, Where), element: Element, words: u64) -> Result<u32, Halt>;

    /// As [`Machine::free`].
    ///
    /// # Errors
    /// As there.
    fn free(&mut self, base: u32) -> Result<(), Halt>;

    /// As [`Machine::write`].
    ///
    /// # Errors
    /// As there.
    fn write(&mut self, at: u32, words: &[u32]) -> Result<(), Halt>;

    /// As [`Machine::read`].
    ///
    /// # Errors
    /// As there.
    fn read(&mut self, at: u32, count: u32) -> Result<Vec<u32>, Halt>;

    /// As [`Machine::copy`].
    ///
    /// # Errors
    /// As there.
    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), Halt>;

    /// Does a shader make strided copies? Otherwise they are copied word by word.
    fn copies_by_shader(&self, detail: Detail) -> bool {
        let _ = detail;
        true
    }

    /// Is there room for a record of so many words?
    ///
    /// # Errors
    /// Why not.
    fn has_room(&self, record: u64) -> Result<(), Halt>;

    /// Runs a shader, and verifies the guard words of every block. The answer is the first word of the record, 0
    /// if there is none.
    ///
    /// # Errors
    /// It gave no answer, or broke.
    fn dispatch(&mut self, dispatch: &Dispatch<'_>) -> Result<u32, Halt>;

    /// Words of the record of the last launch.
    ///
    /// # Errors
    /// If the device broke.
    fn record(&mut self, at: u32, words: u32) -> Result<Vec<u32>, Halt>;

    /// As [`Machine::go_on`].
    ///
    /// # Errors
    /// As there.
    fn go_on(&mut self) -> Result<(), Halt> {
        Ok(())
    }

    /// As [`Machine::report`].
    fn report(&mut self) -> Report {
        Report::default()
    }
}

/// Runs a program on a device with the forms of kernels that `first` says. If a fast form reports a failed check, the
/// program runs again with full forms.
pub fn run(
    forms: &Forms<'_>,
    input: &[Value],
    device: &mut dyn Device,
    first: Detail,
    budget: &Budget,
) -> Outcome {
    let mut once = |detail| {
        device.clear();
        let mut launcher = Launcher { forms, device: &mut *device, detail, flagged: false };
        let outcome = host::run(forms.program(), input, &mut launcher, budget);
        (outcome, launcher.flagged)
    };
    let (outcome, flagged) = once(first);
    if !flagged {
        return outcome;
    }
    let (outcome, _) = once(Detail::Site);
    match outcome.ending {
        Ending::Value(_) => {
            let ending = Ending::Unknown(Why::NotModelled(UNCONFIRMED.to_owned()));
            Outcome { ending, ..outcome }
        }
        _ => outcome,
    }
}

/// Splits the groups of a launch into a grid of two dimensions, with at most so many in each and as few padding
/// groups as possible; `None` if there are too many.
fn grid(groups: u32, most: u32) -> Option<[u32; 2]> {
    let rows = groups.div_ceil(most).max(1);
    (rows <= most).then(|| [groups.div_ceil(rows), rows])
}

/// A kernel cannot be compiled.
fn stopped(stop: Stop) -> Halt {
    match stop {
        Stop::Refused(pass, why) => {
            let refused = Refused { reason: format!("{pass}: {}", why.reason), ..why };
            Halt::Unknown(Why::Refused(refused.to_string()))
        }
        Stop::Broken(pass, text) => Halt::Broken(Broken::Panic(format!("{pass}: {text}"))),
    }
}

/// A device that launches one of the two forms of each kernel.
struct Launcher<'l, 'p> {
    forms: &'l Forms<'p>,
    device: &'l mut dyn Device,
    detail: Detail,
    /// Did a fast form report a failed check?
    flagged: bool,
}

impl Launcher<'_, '_> {
    fn dispatch(
        &mut self,
        kernel: Option<usize>,
        form: &Form,
        (groups, record): (u32, u32),
        launch: &[u32],
    ) -> Result<u32, Halt> {
        let grid = grid(groups, self.device.longest_grid()).ok_or(Halt::Unknown(Why::Fuel))?;
        let detail = self.detail;
        self.device.dispatch(&Dispatch { kernel, detail, form, grid, launch, record })
    }

    /// What failed in a launch of a full form whose record has this for its first word.
    fn failure(
        &mut self,
        compiled: &Compiled,
        first: u32,
        words: u32,
    ) -> Result<Option<Stuck>, Halt> {
        let (Some(group), Some(layout)) = (record::lowest_group(first), compiled.record) else {
            return Ok(None);
        };
        let broken = |text| Halt::Broken(Broken::Panic(text));
        let (at, stride) = (layout.record(group), layout.stride());
        if at + u64::from(stride) > u64::from(words) {
            return Err(broken(format!("a record of work group {group} in {words} words")));
        }
        let told = self.device.record(at as u32, stride)?;
        layout.decode(&compiled.sites, &told).map(Some).map_err(broken)
    }
}

impl Machine for Launcher<'_, '_> {
    fn alloc(&mut self, block: (Var, Where), element: Element, words: u64) -> Result<u32, Halt> {
        self.device.alloc(block, element, words)
    }

    fn free(&mut self, base: u32) -> Result<(), Halt> {
        self.device.free(base)
    }

    fn write(&mut self, at: u32, words: &[u32]) -> Result<(), Halt> {
        self.device.write(at, words)
    }

    fn read(&mut self, at: u32, count: u32) -> Result<Vec<u32>, Halt> {
        self.device.read(at, count)
    }

    fn copy(&mut self, from: u32, to: u32, words: u32) -> Result<(), Halt> {
        self.device.copy(from, to, words)
    }

    fn copy_strided(&mut self, dims: &[Dim], from: u32, to: u32) -> Result<(), Halt> {
        // The shader has the arena only.
        let plain = [from, to].iter().all(|at| Region::split(*at).0 == Region::Plain);
        if !plain || !self.device.copies_by_shader(self.detail) {
            return (0..Dim::words(dims)).try_for_each(|number| {
                let (from, to) = Dim::moved(dims, number, (from, to));
                self.device.copy(from, to, 1)
            });
        }
        let (invocations, args) = copy::launch(dims, from, to).ok_or(Halt::Unknown(Why::Fuel))?;
        let form = copy::form();
        let groups = invocations.div_ceil(form.group);
        let launch = [&[invocations, groups], args.as_slice()].concat();
        self.dispatch(None, form, (groups, 0), &launch).map(|_| ())
    }

    fn launch(
        &mut self,
        code: Code,
        invocations: u32,
        args: &[u32],
    ) -> Result<Option<Stuck>, Halt> {
        let Code::Kernel(number) = code else {
            let text = "a device launches kernels; `map_levels` makes them".to_owned();
            return Err(Halt::Broken(Broken::Panic(text)));
        };
        let number = number as usize;
        let group = self.forms.group(number, invocations, self.device.largest_group());
        let compiled: Rc<Compiled> = match self.detail {
            Detail::Flag => self.forms.fast(number, group, (invocations, args)),
            Detail::Site => self.forms.full(number, group),
        }
        .map_err(stopped)?;
        let groups = invocations.div_ceil(group);
        let mut launch = Vec::with_capacity(4 + args.len());
        launch.extend([invocations, groups]);
        launch.extend_from_slice(args);
        let mut words = u32::from(compiled.form.sets_flag);
        if let Some(layout) = compiled.record {
            let all = layout.words(groups.into());
            self.device.has_room(all)?;
            words = u32::try_from(all).map_err(|_| Halt::Unknown(Why::Memory(all)))?;
            // The record is the last block argument. It has a binding of its own and no place in the arena, so its
            // base is `GUARD`; its length is `words`.
            launch.extend([GUARD, words]);
        }
        let first = self.dispatch(Some(number), &compiled.form, (groups, words), &launch)?;
        match self.detail {
            _ if first == 0 => Ok(None),
            Detail::Site => self.failure(&compiled, first, words),
            Detail::Flag => {
                // This only ends the run: `run` sees `flagged`, and starts again with full forms.
                self.flagged = true;
                Err(Halt::Unknown(Why::NotModelled("a check failed".to_owned())))
            }
        }
    }

    fn go_on(&mut self) -> Result<(), Halt> {
        self.device.go_on()
    }

    fn report(&mut self) -> Report {
        self.device.report()
    }
}

#[cfg(test)]
mod tests {
    use super::grid;

    /// A long grid has two dimensions, and at most one group a row too many.
    #[test]
    fn long_grids_are_folded() {
        assert_eq!(grid(1, 65_535), Some([1, 1]));
        assert_eq!(grid(65_535, 65_535), Some([65_535, 1]));
        assert_eq!(grid(65_536, 65_535), Some([32_768, 2]));
        assert_eq!(grid(65_537, 65_535), Some([32_769, 2]));
        for groups in [1_u32 << 20, (1 << 26) - 1, 65_535 * 65_535 - 5] {
            let [x, y] = grid(groups, 65_535).expect("it fits");
            let all = u64::from(x) * u64::from(y);
            assert!(x <= 65_535 && y <= 65_535 && all >= groups.into(), "{groups}");
            assert!(all < u64::from(groups) + u64::from(y), "{groups}");
        }
        assert_eq!(grid(u32::MAX, 65_535), None);
    }
}
