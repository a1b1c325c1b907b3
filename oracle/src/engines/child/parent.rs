//! The parent's side: it starts the child, waits with a time limit and a memory budget, and ends
//! a child that keeps neither.

use super::protocol::{Answer, Request, frame, receive};
use super::settings::{SETTINGS, Setting};
use compiler::emit::wgsl::Writing;
use compiler::run::Adapter;
use reference::device::syntax::Program;
use reference::kit::outcome::{Broken, Budget, Ending, Outcome, Stats, Value, Why};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{self, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How children are started and what they may use.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The executable `lockstep`, which runs itself again.
    pub executable: PathBuf,
    /// How long one case may take.
    pub limit: Duration,
    /// Bytes that the process may hold.
    pub memory: u64,
    /// Bytes from which on a process is replaced between two cases.
    pub grown: u64,
    /// Cases after which a process is replaced.
    pub service: u64,
    /// Variables of its environment that say how drivers work, unless the user set them.
    pub settings: Vec<Setting>,
    /// Set from outside when no answer is wanted any more: who waits for one stops waiting, and
    /// what a child does from then on says nothing about its adapter.
    pub stop: Arc<AtomicBool>,
}

impl Launcher {
    /// Children of the running executable.
    ///
    /// # Errors
    /// The system does not say where the executable is.
    pub fn new() -> io::Result<Self> {
        Ok(Self::of(std::env::current_exe()?))
    }

    /// Children of an executable.
    pub fn of(executable: PathBuf) -> Self {
        let settings = SETTINGS.to_vec();
        let limit = Duration::from_secs(20);
        Self {
            executable,
            limit,
            memory: 8 << 30,
            grown: 2 << 30,
            service: 20_000,
            settings,
            stop: Arc::default(),
        }
    }

    /// The adapters of this machine, in the order of the system. A child asks for them: a driver
    /// can crash or hang as soon as it is loaded, and drivers print.
    ///
    /// # Errors
    /// How the child ended.
    pub fn adapters(&self) -> Result<Vec<Adapter>, String> {
        // A short limit for programs is none for loading drivers.
        let launcher = Launcher { limit: self.limit.max(Duration::from_secs(20)), ..self.clone() };
        let answer = Process::start(&launcher, &[]).and_then(|mut process| {
            let answer = process.wait(&launcher);
            process.end();
            answer
        });
        match answer {
            Ok(Answer::Adapters(adapters)) => Ok(adapters),
            Ok(other) => Err(format!("a child answered out of turn: {other:?}")),
            Err(Ending::Unknown(why)) => Err(crate::profiles::reason(&why)),
            Err(Ending::Broken(Broken::Hang)) => Err("a driver did not answer".to_owned()),
            Err(ending) => Err(format!("a child broke: {ending:?}")),
        }
    }
}

/// Why a child process ended before whoever asked it was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// It died, by a signal of its own or with a status.
    Crashed,
    /// It did not answer in time.
    Hung,
    /// It held more memory than it may.
    Memory,
    /// It broke a promise, or its device did.
    Broke,
    /// Somebody ended it: a person, or a system that had no memory left.
    Outside,
    /// It had served long, or had grown, and another took its place.
    Retired,
}

impl End {
    /// In words: `2 crashed`.
    pub fn text(self) -> &'static str {
        match self {
            End::Crashed => "crashed",
            End::Hung => "hung",
            End::Memory => "held too much memory",
            End::Broke => "broke",
            End::Outside => "ended by somebody else",
            End::Retired => "retired after long service",
        }
    }
}

/// A child process that serves one adapter. It is started when it is first asked, and again
/// after it broke.
pub struct Child {
    launcher: Launcher,
    adapter: String,
    process: Option<Process>,
    /// What the adapter says of itself, once it was started.
    pub described: Option<Adapter>,
    /// How often a process was started.
    pub started: u64,
    /// How its processes ended, in the order in which they did.
    pub ends: Vec<End>,
}

struct Process {
    process: process::Child,
    /// How many answers it has given.
    served: u64,
    /// How it ended, if it did.
    ended: Option<End>,
    requests: Sender<Vec<u8>>,
    answers: Receiver<io::Result<Answer>>,
    noise: Arc<Mutex<VecDeque<String>>>,
}

/// How many lines of a driver's noise are kept.
const NOISE: usize = 16;
/// How often the memory of a child is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How often, in answers, it is looked at whether a child has grown.
const GROWN: u64 = 16;

impl Child {
    /// A child for the adapter, not yet started.
    pub fn new(launcher: &Launcher, adapter: &str) -> Self {
        Self {
            launcher: launcher.clone(),
            adapter: adapter.to_owned(),
            process: None,
            described: None,
            started: 0,
            ends: Vec::new(),
        }
    }

    /// Another one for the same adapter, not yet started.
    pub fn fresh(&self) -> Self {
        Self::new(&self.launcher, &self.adapter)
    }

    /// Runs a program, its shaders written like this.
    pub fn run(
        &mut self,
        program: &Program,
        input: &[Value],
        budget: &Budget,
        writing: Writing,
    ) -> Outcome {
        let program = Box::new(program.clone());
        self.ask(&Request { program, input: input.to_vec(), budget: *budget, writing })
    }

    /// The processor time that its process has had so far, with all threads of the driver, where
    /// the system says so.
    pub fn processor_time(&self) -> Option<Duration> {
        processor_time(self.process.as_ref()?.process.id())
    }

    fn ask(&mut self, request: &Request) -> Outcome {
        let none = |ending| Outcome { ending, races: Vec::new(), stats: Stats::default() };
        let outcome = match self.exchange(request) {
            Ok(Answer::Outcome(outcome)) => *outcome,
            Ok(Answer::Unfit(reason)) => none(Ending::Unknown(Why::NoAdapter(reason))),
            Ok(Answer::Ready(_) | Answer::Adapters(_)) => {
                none(Ending::Broken(Broken::Crash("answered out of turn".to_owned())))
            }
            Err(ending) => none(ending),
        };
        // Of a process that broke, or whose device did, nothing is asked again.
        match &outcome.ending {
            Ending::Broken(Broken::Hang) => self.end(Some(End::Hung)),
            Ending::Broken(_) => self.end(Some(End::Broke)),
            _ => self.retire(),
        }
        outcome
    }

    /// Ends a process that has served long or has grown: drivers leak, and the next one does not
    /// take long to start.
    fn retire(&mut self) {
        let Some(process) = &mut self.process else { return };
        process.served += 1;
        let grown = || {
            let bytes = resident(process.process.id());
            process.served.is_multiple_of(GROWN) && bytes.is_some_and(|b| b > self.launcher.grown)
        };
        if process.served >= self.launcher.service || grown() {
            self.end(Some(End::Retired));
        }
    }

    fn exchange(&mut self, request: &Request) -> Result<Answer, Ending> {
        let bytes = frame(request).map_err(|error| {
            Ending::Unknown(Why::NotModelled(format!("the request cannot be sent: {error}")))
        })?;
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.start()?,
        };
        // If the child is gone, waiting for its answer says how it ended.
        let _ = process.requests.send(bytes);
        let answer = process.wait(&self.launcher);
        self.process = Some(process);
        answer
    }

    fn start(&mut self) -> Result<Process, Ending> {
        let mut process = Process::start(&self.launcher, &["--adapter", &self.adapter])?;
        self.started += 1;
        match process.wait(&self.launcher) {
            Ok(Answer::Ready(adapter)) => {
                self.described = adapter.map(|adapter| *adapter);
                Ok(process)
            }
            Ok(Answer::Unfit(reason)) => {
                process.end();
                Err(Ending::Unknown(Why::NoAdapter(reason)))
            }
            Ok(Answer::Outcome(_) | Answer::Adapters(_)) => {
                self.process = Some(process);
                Err(Ending::Broken(Broken::Crash("answered before it was asked".to_owned())))
            }
            Err(ending) => {
                self.process = Some(process);
                Err(ending)
            }
        }
    }

    /// Ends the process, if there is one, and notes how it ended: as it did by itself, else for
    /// this reason.
    fn end(&mut self, why: Option<End>) {
        if let Some(mut process) = self.process.take() {
            process.end();
            self.ends.extend(why.map(|why| process.ended.unwrap_or(why)));
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end(None);
    }
}

impl Process {
    /// Starts a process, with a thread for each of its pipes.
    fn start(launcher: &Launcher, args: &[&str]) -> Result<Self, Ending> {
        let no = |error: io::Error| {
            Ending::Unknown(Why::NoAdapter(format!("no child process could be started: {error}")))
        };
        let mut command = Command::new(&launcher.executable);
        // The window system's library complains without it, though no window is wanted.
        if std::env::var_os("XDG_RUNTIME_DIR").is_none() {
            command.env("XDG_RUNTIME_DIR", std::env::temp_dir());
        }
        for (name, value) in &launcher.settings {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        apart(&mut command);
        let mut child = command
            .arg("child")
            .arg("--limit")
            .arg(launcher.limit.as_secs_f64().to_string())
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(no)?;
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            unreachable!("all three were piped")
        };
        // Threads of their own for each pipe: no side waits for the other to read.
        let (requests, to_send) = channel::<Vec<u8>>();
        std::thread::spawn(move || {
            for bytes in to_send {
                if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        let (received, answers) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            loop {
                let answer = receive(&mut stdout);
                let last = !matches!(answer, Ok(Some(Ok(_))));
                let answer = answer.map(|answer| answer.map(|read| read.map_err(io::Error::other)));
                let gone = answer
                    .and_then(Option::transpose)
                    .transpose()
                    .is_some_and(|answer| received.send(answer).is_err());
                if last || gone {
                    break;
                }
            }
        });
        let noise = Arc::new(Mutex::new(VecDeque::new()));
        let kept = Arc::clone(&noise);
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.push_back(String::from_utf8_lossy(&line).into_owned());
                if kept.len() > NOISE {
                    kept.pop_front();
                }
            }
        });
        Ok(Process { process: child, served: 0, ended: None, requests, answers, noise })
    }

    fn wait(&mut self, launcher: &Launcher) -> Result<Answer, Ending> {
        let end = Instant::now() + launcher.limit;
        loop {
            match self.answers.recv_timeout(LOOK) {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) => return Err(self.garbled(&error)),
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if launcher.stop.load(Ordering::Relaxed) {
                self.end();
                return Err(Ending::Unknown(Why::NoAdapter("ended from outside".to_owned())));
            }
            if Instant::now() >= end {
                self.ended = Some(End::Hung);
                self.end();
                return Err(Ending::Broken(Broken::Hang));
            }
            if let Some(bytes) = resident(self.process.id())
                && bytes > launcher.memory
            {
                self.ended = Some(End::Memory);
                self.end();
                let text = format!("ended: it held more than {} MiB", launcher.memory >> 20);
                return Err(Ending::Broken(Broken::Crash(text)));
            }
        }
    }

    /// Ends the process and waits for it, so that nothing is left behind.
    fn end(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// The process is gone, or has closed its side.
    fn died(&mut self) -> Ending {
        let (ended, text) = match self.process.wait() {
            Ok(status) => (how(status), status.to_string()),
            Err(error) => (End::Crashed, error.to_string()),
        };
        self.ended = Some(ended);
        Ending::Broken(Broken::Crash(self.with_noise(text)))
    }

    /// What it said cannot be read: it may have died while it said it.
    fn garbled(&mut self, error: &io::Error) -> Ending {
        let soon = Instant::now() + Duration::from_millis(200);
        while Instant::now() < soon {
            if let Ok(Some(_)) = self.process.try_wait() {
                return self.died();
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        self.ended = Some(End::Crashed);
        Ending::Broken(Broken::Crash(self.with_noise(error.to_string())))
    }

    /// The text and what the driver said last.
    fn with_noise(&self, text: String) -> String {
        let noise = self.noise.lock().unwrap_or_else(PoisonError::into_inner);
        match noise.iter().rfind(|line| !line.trim().is_empty()) {
            Some(line) => format!("{text}; it said last: {}", line.trim()),
            None => text,
        }
    }
}

/// Did a process end by itself? Nothing in it raises these signals.
fn how(status: process::ExitStatus) -> End {
    #[cfg(unix)]
    {
        const HUP: i32 = 1;
        const INT: i32 = 2;
        const QUIT: i32 = 3;
        const KILL: i32 = 9;
        const TERM: i32 = 15;
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        if matches!(signal, Some(HUP | INT | QUIT | KILL | TERM)) {
            return End::Outside;
        }
    }
    let _ = status;
    End::Crashed
}

/// Keeps the process out of our group: Ctrl-C in a terminal is for all of a group, and means us.
/// We end our children ourselves, and they end when we are gone.
#[cfg_attr(not(any(unix, windows)), expect(unused_variables))]
fn apart(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(windows)]
    {
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
        std::os::windows::process::CommandExt::creation_flags(command, CREATE_NEW_PROCESS_GROUP);
    }
}

/// The bytes that a process holds in memory, where the system says so.
fn resident(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}

/// The processor time that a process has had, where the system says so: fields 14 and 15 of what
/// Linux tells, in hundredths of a second.
fn processor_time(process: u32) -> Option<Duration> {
    let told = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is the name in parentheses, and may hold anything.
    let mut fields = told.rsplit(')').next()?.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks()? + ticks()?)))
}
