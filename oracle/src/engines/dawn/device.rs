//! A device of Dawn, in a process of its own: what is asked of it, and how its failures come back.

use super::protocol::{Answer, Asks, Failure, Ready, Says, out_of_turn, request, start};
use crate::engines::child::{End, Launcher, Process, settle};
use crate::engines::words::{Runner, Words};
use compiler::run::bound::Bound;
use compiler::run::launcher::Dispatch;
use compiler::target::Adapter;
use reference::device::host::Halt;
use reference::kit::outcome::{Broken, Ending, Why};
use std::time::{Duration, Instant};

/// After so many steps of the host the clock is looked at.
const SOME_STEPS: u32 = 1 << 10;

/// A device; its process is started when it is first asked, and again after it broke.
pub(super) struct Device {
    launcher: Launcher,
    /// What Dawn is told, as its package wants it.
    toggles: &'static [&'static str],
    process: Option<Process<Answer>>,
    /// How its processes ended, in the order in which they did.
    pub(super) ends: Vec<End>,
    /// When the program began: from then on its time counts.
    began: Instant,
}

impl Device {
    pub(super) fn new(launcher: &Launcher, toggles: &'static [&'static str]) -> Self {
        Self {
            launcher: launcher.clone(),
            toggles,
            process: None,
            ends: Vec::new(),
            began: Instant::now(),
        }
    }

    pub(super) fn launcher(&self) -> &Launcher {
        &self.launcher
    }

    /// What it says of itself. Loading drivers may take its time.
    ///
    /// # Errors
    /// It is not there, or broke.
    pub(super) fn describe(&mut self) -> Result<Ready, Ending> {
        let launcher = self.launcher.patient();
        start(&mut self.process, &launcher, self.toggles, Instant::now())
    }

    /// What is asked from now on belongs to one program.
    pub(super) fn begin(&mut self) {
        self.began = Instant::now();
    }

    /// The moment from which on nothing more is started: the second half of a program's time is for
    /// what was.
    pub(super) fn last_start(&self) -> Instant {
        self.began + self.launcher.limit / 2
    }

    pub(super) fn processor_time(&self) -> Option<Duration> {
        self.process.as_ref()?.processor_time()
    }

    /// A program ended like this: a process that broke is replaced, and one that is old.
    pub(super) fn settle(&mut self, ending: &Ending) {
        self.ends.extend(settle(&mut self.process, ending, &self.launcher));
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// How it broke, or why it gives no answer.
    pub(super) fn ask(&mut self, asks: &Asks, parts: &[&[u8]]) -> Result<Answer, Halt> {
        let bytes = request(asks, parts).map_err(|error| {
            Halt::Unknown(Why::NotModelled(format!("the request cannot be sent: {error}")))
        })?;
        if self.process.is_none() {
            start(&mut self.process, &self.launcher, self.toggles, self.began).map_err(halt)?;
        }
        let Some(process) = &mut self.process else { unreachable!("it was started") };
        process.send(bytes);
        let answer = process.wait(&self.launcher, self.began).map_err(halt)?;
        match answer.says {
            Says::Done {} => Ok(answer),
            Says::Failed(Failure::Invalid, text) => {
                Err(Halt::Broken(Broken::Invalid(format!("Dawn refuses it: {text}"))))
            }
            Says::Failed(Failure::Lost, text) => Err(Halt::Broken(Broken::Lost(text))),
            Says::Failed(Failure::Memory, _) => {
                Err(Halt::Unknown(Why::NoAdapter("the device has no memory left".to_owned())))
            }
            other => Err(halt(out_of_turn(&other))),
        }
    }
}

impl Device {
    /// Runs a shader that somebody wrote, and gives what its buffers hold then.
    ///
    /// # Errors
    /// How it broke, or why there is no answer.
    pub(super) fn launch(&mut self, bound: &Bound) -> Result<Vec<Vec<u32>>, Ending> {
        let parts = bound.buffers.iter().map(|buffer| {
            let mut part = bytes(&buffer.words);
            part.resize(4 * buffer.room(), 0);
            part
        });
        let parts: Vec<Vec<u8>> =
            [bound.wgsl.as_bytes().to_vec()].into_iter().chain(parts).collect();
        let asks: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        let answer = self.ask(&Asks::bound(bound), &asks).map_err(|halt| match halt {
            Halt::Broken(broken) => Ending::Broken(broken),
            Halt::Unknown(why) => Ending::Unknown(why),
        })?;
        let room: usize = bound.buffers.iter().map(|buffer| 4 * buffer.room()).sum();
        if answer.bytes.len() != room {
            let text = format!("it gave {} bytes back", answer.bytes.len());
            return Err(Ending::Broken(Broken::Crash(text)));
        }
        let mut rest = &answer.bytes[..];
        let taken = bound.buffers.iter().map(|buffer| {
            let (own, behind) = rest.split_at(4 * buffer.room());
            rest = behind;
            let mut words = vec![0; buffer.words.len()];
            take(&mut words, own);
            words
        });
        Ok(taken.collect())
    }
}

/// A process only breaks, or gives no answer.
fn halt(ending: Ending) -> Halt {
    match ending {
        Ending::Broken(broken) => Halt::Broken(broken),
        Ending::Unknown(why) => Halt::Unknown(why),
        other => Halt::Broken(Broken::Crash(format!("{other:?}"))),
    }
}

/// A device that runs the shaders of one program.
pub(super) struct Running<'d> {
    pub(super) device: &'d mut Device,
    pub(super) adapter: &'d Adapter,
    /// What the host has done, in statements and rounds.
    pub(super) steps: u32,
}

impl Running<'_> {
    fn in_time(&self) -> Result<(), Halt> {
        if Instant::now() < self.device.last_start() {
            return Ok(());
        }
        Err(Halt::Unknown(Why::Fuel))
    }
}

impl Runner for Running<'_> {
    fn most(&self) -> u64 {
        self.adapter.words()
    }

    fn largest_group(&self) -> u32 {
        self.adapter.largest_group()
    }

    fn longest_grid(&self) -> u32 {
        self.adapter.limits.groups
    }

    fn no_room(&self, name: &str, words: u64, taken: u64) -> Why {
        Why::NoAdapter(self.adapter.no_room(name, words, taken))
    }

    fn run(&mut self, dispatch: &Dispatch<'_>, words: &mut Words) -> Result<(), Halt> {
        self.in_time()?;
        self.adapter.takes(dispatch.form.needs(), dispatch.form.group)?;
        let groups = [dispatch.grid[0], dispatch.grid[1], 1];
        let Words { memory, launch, records: told, .. } = &mut *words;
        let records = told.len() * 4;
        let asks = Asks::Launch { launch: true, groups, records };
        let [launch, arena, atomics] =
            [&*launch, &memory.plain, &memory.atomic].map(|words| bytes(words));
        let parts = [dispatch.form.wgsl.as_bytes(), &launch, &arena, &atomics];
        let answer = self.device.ask(&asks, &parts)?;
        if answer.bytes.len() != arena.len() + records + atomics.len() {
            let text = format!("it gave {} bytes back", answer.bytes.len());
            return Err(Halt::Broken(Broken::Crash(text)));
        }
        let (arena, rest) = answer.bytes.split_at(arena.len());
        let (records, atomics) = rest.split_at(records);
        take(&mut memory.plain, arena);
        take(told, records);
        take(&mut memory.atomic, atomics);
        Ok(())
    }

    fn go_on(&mut self) -> Result<(), Halt> {
        self.steps = self.steps.wrapping_add(1);
        if self.steps.is_multiple_of(SOME_STEPS) { self.in_time() } else { Ok(()) }
    }
}

/// Words in bytes, as the device takes them.
fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Takes as many words from bytes of the device.
fn take(words: &mut [u32], bytes: &[u8]) {
    for (word, four) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_le_bytes([four[0], four[1], four[2], four[3]]);
    }
}
