//! The parent's side: it starts the child, waits with a time limit and a memory budget, and ends
//! a child that keeps neither.

use super::process::{End, Process, settle};
use super::protocol::{Answer, Request, frame, receive};
use super::settings::{SETTINGS, Setting};
use compiler::route::KernelOptions;
use compiler::run::bound::Bound;
use compiler::target::Adapter;
use reference::device::syntax::Program;
use reference::kit::outcome::{Broken, Budget, Ending, Outcome, Value, Why};
use std::io;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// How children are started and what they may use.
#[derive(Clone, Debug)]
pub struct Launcher {
    /// The executable `lockstep`, which runs itself again.
    pub executable: PathBuf,
    /// How long one case may take, on a machine that has time for it.
    pub limit: Duration,
    /// Bytes that the process may hold.
    pub memory: u64,
    /// Bytes from which on a process is replaced between two cases.
    pub grown: u64,
    /// Cases after which a process is replaced.
    pub service: u64,
    /// Variables of its environment that say how drivers work, unless the user set them.
    pub settings: Vec<Setting>,
    /// Set from outside when no answer is wanted any more: a worker that waits for one stops waiting, and
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
        let launcher = self.patient();
        let answer = start(&launcher, &[]).and_then(|mut process| {
            let answer = process.wait(&launcher, Instant::now());
            process.end();
            answer
        });
        match answer {
            Ok(Answer::Adapters(adapters)) => Ok(adapters),
            Ok(other) => Err(format!("a child answered out of turn: {other:?}")),
            Err(ending) => Err(unlisted(ending)),
        }
    }

    /// The same, with the time that loading drivers may take: a short limit for programs is none
    /// for that.
    pub(in crate::engines) fn patient(&self) -> Launcher {
        Launcher { limit: self.limit.max(Duration::from_secs(20)), ..self.clone() }
    }
}

/// Why a process did not say which adapters there are.
pub(in crate::engines) fn unlisted(ending: Ending) -> String {
    match ending {
        Ending::Unknown(why) => crate::profiles::reason(&why),
        Ending::Broken(Broken::Hang) => "a driver did not answer".to_owned(),
        ending => format!("a child broke: {ending:?}"),
    }
}

/// A child process that serves one adapter. It is started when it is first asked, and again
/// after it broke.
pub struct Child {
    launcher: Launcher,
    adapter: String,
    process: Option<Process<Answer>>,
    /// What the adapter says of itself, once it was started.
    pub described: Option<Adapter>,
    /// How often a process was started.
    pub started: u64,
    /// How its processes ended, in the order in which they did.
    pub ends: Vec<End>,
}

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
        options: KernelOptions,
    ) -> Outcome {
        let program = Box::new(program.clone());
        self.ask(&Request::Program { program, input: input.to_vec(), budget: *budget, options })
    }

    /// Runs a shader that somebody wrote, and gives what its buffers hold then.
    ///
    /// # Errors
    /// How it broke, or why there is no answer.
    pub fn launch(&mut self, bound: &Bound) -> Result<Vec<Vec<u32>>, Ending> {
        let ran = match self.exchange(&Request::Shader(bound.clone())) {
            Ok(Answer::Words(words)) => Ok(words),
            Ok(Answer::Outcome(outcome)) => Err(outcome.ending),
            Ok(Answer::Unfit(reason)) => Err(Ending::Unknown(Why::NoAdapter(reason))),
            Ok(Answer::Ready(_) | Answer::Adapters(_)) => Err(out_of_turn()),
            Err(ending) => Err(ending),
        };
        let done = Ending::Value(Vec::new());
        let ending = ran.as_ref().err().unwrap_or(&done);
        self.ends.extend(settle(&mut self.process, ending, &self.launcher));
        ran
    }

    /// The processor time that its process has had so far, with all threads of the driver, where
    /// the system says so.
    pub fn processor_time(&self) -> Option<Duration> {
        self.process.as_ref()?.processor_time()
    }

    fn ask(&mut self, request: &Request) -> Outcome {
        let none = |ending: Ending| Outcome::from(ending);
        let outcome = match self.exchange(request) {
            Ok(Answer::Outcome(outcome)) => *outcome,
            Ok(Answer::Unfit(reason)) => none(Ending::Unknown(Why::NoAdapter(reason))),
            Ok(Answer::Ready(_) | Answer::Adapters(_) | Answer::Words(_)) => none(out_of_turn()),
            Err(ending) => none(ending),
        };
        self.ends.extend(settle(&mut self.process, &outcome.ending, &self.launcher));
        outcome
    }

    fn exchange(&mut self, request: &Request) -> Result<Answer, Ending> {
        let bytes = frame(request).map_err(|error| {
            Ending::Unknown(Why::NotModelled(format!("the request cannot be sent: {error}")))
        })?;
        let mut process = match self.process.take() {
            Some(process) => process,
            None => self.start()?,
        };
        process.send(bytes);
        let answer = process.wait(&self.launcher, Instant::now());
        self.process = Some(process);
        answer
    }

    fn start(&mut self) -> Result<Process<Answer>, Ending> {
        let mut process = start(&self.launcher, &["--adapter", &self.adapter])?;
        self.started += 1;
        match process.wait(&self.launcher, Instant::now()) {
            Ok(Answer::Ready(adapter)) => {
                self.described = adapter.map(|adapter| *adapter);
                Ok(process)
            }
            Ok(Answer::Unfit(reason)) => {
                process.end();
                Err(Ending::Unknown(Why::NoAdapter(reason)))
            }
            Ok(Answer::Outcome(_) | Answer::Adapters(_) | Answer::Words(_)) => {
                self.process = Some(process);
                Err(Ending::Broken(Broken::Crash("answered before it was asked".to_owned())))
            }
            Err(ending) => {
                self.process = Some(process);
                Err(ending)
            }
        }
    }
}

/// The child answered something else than it was asked.
fn out_of_turn() -> Ending {
    Ending::Broken(Broken::Crash("answered out of turn".to_owned()))
}

/// The executable again, as a child.
fn start(launcher: &Launcher, args: &[&str]) -> Result<Process<Answer>, Ending> {
    let mut command = Command::new(&launcher.executable);
    command.arg("child").arg("--limit").arg(launcher.limit.as_secs_f64().to_string()).args(args);
    Process::start(launcher, command, |stdout| {
        receive(stdout)?.transpose().map_err(io::Error::other)
    })
}
