//! A process that answers: its pipes, its time limit, its memory budget, and its end.

use super::parent::Launcher;
use super::timeout::Timeout;
use reference::kit::outcome::{Broken, Ending, Why};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{self, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Why a child process ended before its parent was done.
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
    /// It was ended from outside: by a person, or by a system that had no memory left.
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

/// A process whose answers are `A`s. It is ended when it is dropped.
pub(in crate::engines) struct Process<A> {
    process: process::Child,
    /// How many cases it has served.
    served: u64,
    /// How it ended, if it did.
    ended: Option<End>,
    requests: Sender<Vec<u8>>,
    answers: Receiver<io::Result<A>>,
    noise: Noise,
}

/// What a process says beside its answers: its last lines, which a thread reads.
struct Noise {
    lines: Arc<Mutex<VecDeque<String>>>,
    reader: thread::JoinHandle<()>,
}

/// How many lines of a driver's noise are kept.
const NOISE: usize = 16;
/// How long the last lines of a process that is gone are waited for. One of its own children may
/// hold the pipe open.
const LAST_LINES: Duration = Duration::from_millis(500);
/// How often the memory of a child is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How often, in cases, it is looked at whether a process has grown.
const GROWN: u64 = 16;

/// What becomes of a process after a case that ended like this. Of one that broke, or whose device
/// did, nothing is asked again, nor of one that is old: it is ended, and how it ended is told, by
/// itself or for this reason.
pub(in crate::engines) fn settle<A>(
    held: &mut Option<Process<A>>,
    ending: &Ending,
    launcher: &Launcher,
) -> Option<End> {
    let why = match ending {
        Ending::Broken(Broken::Hang) => End::Hung,
        Ending::Broken(_) => End::Broke,
        _ if held.as_mut()?.is_old(launcher) => End::Retired,
        _ => return None,
    };
    let process = held.take()?;
    Some(process.ended.unwrap_or(why))
}

impl<A> Drop for Process<A> {
    fn drop(&mut self) {
        self.end();
    }
}

impl<A> Process<A> {
    /// Starts `command`, with a thread for each of its pipes. `read` takes the next answer from its
    /// standard output; none at the end.
    ///
    /// # Errors
    /// It cannot be started.
    pub(in crate::engines) fn start(
        launcher: &Launcher,
        mut command: Command,
        read: impl FnMut(&mut BufReader<ChildStdout>) -> io::Result<Option<A>> + Send + 'static,
    ) -> Result<Self, Ending>
    where
        A: Send + 'static,
    {
        let program = command.get_program().to_string_lossy().into_owned();
        let no = |error: io::Error| {
            Ending::Unknown(Why::NoAdapter(format!("{program} could not be started: {error}")))
        };
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
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(no)?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            unreachable!("all three were piped")
        };
        // Threads of their own for each pipe: no side waits for the other to read.
        let pipes = written_to(stdin).and_then(|requests| {
            let answers = read_from(BufReader::new(stdout), read)?;
            Ok((requests, answers, last_lines_of(stderr)?))
        });
        let (requests, answers, noise) = match pipes {
            Ok(pipes) => pipes,
            // The system starts no thread.
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(no(error));
            }
        };
        Ok(Process { process: child, served: 0, ended: None, requests, answers, noise })
    }

    /// Sends a request. If the process is gone, waiting for its answer says how it ended.
    pub(in crate::engines) fn send(&self, request: Vec<u8>) {
        let _ = self.requests.send(request);
    }

    /// The next answer. A process that has none in time, counted from `start`, or takes more memory
    /// than it may, is ended.
    ///
    /// # Errors
    /// How it broke.
    pub(in crate::engines) fn wait(
        &mut self,
        launcher: &Launcher,
        start: Instant,
    ) -> Result<A, Ending> {
        let mut timeout = Timeout::new(start, launcher.limit);
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
            if timeout.is_over(Instant::now(), self.processor_time()) {
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

    /// The processor time that it has had so far, with all threads of the driver, where the system
    /// says so.
    pub(in crate::engines) fn processor_time(&self) -> Option<Duration> {
        processor_time(self.process.id())
    }

    /// Ends the process and waits for it, so that nothing is left behind.
    pub(in crate::engines) fn end(&mut self) {
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

    /// Has it served long, or grown? Drivers leak, and the next one does not take long to start.
    fn is_old(&mut self, launcher: &Launcher) -> bool {
        self.served += 1;
        let grown = || {
            let bytes = resident(self.process.id());
            self.served.is_multiple_of(GROWN) && bytes.is_some_and(|b| b > launcher.grown)
        };
        self.served >= launcher.service || grown()
    }

    /// The text and what the driver said last. The end of a process is known before all of its
    /// pipe is read.
    fn with_noise(&self, text: String) -> String {
        let start = Instant::now();
        while !self.noise.reader.is_finished() && start.elapsed() < LAST_LINES {
            thread::sleep(Duration::from_millis(1));
        }
        let lines = self.noise.lines.lock().unwrap_or_else(PoisonError::into_inner);
        match lines.iter().rfind(|line| !line.trim().is_empty()) {
            Some(line) => format!("{text}; it said last: {}", line.trim()),
            None => text,
        }
    }
}

/// Sends to a pipe what is asked of the process.
fn written_to(mut stdin: ChildStdin) -> io::Result<Sender<Vec<u8>>> {
    let (requests, to_send) = channel::<Vec<u8>>();
    thread::Builder::new().spawn(move || {
        for bytes in to_send {
            if stdin.write_all(&bytes).and_then(|()| stdin.flush()).is_err() {
                break;
            }
        }
    })?;
    Ok(requests)
}

/// The answers that come out of a pipe, up to the first that is none.
fn read_from<R: Send + 'static, A: Send + 'static>(
    mut stdout: R,
    mut read: impl FnMut(&mut R) -> io::Result<Option<A>> + Send + 'static,
) -> io::Result<Receiver<io::Result<A>>> {
    let (received, answers) = channel();
    thread::Builder::new().spawn(move || {
        while let Some(answer) = read(&mut stdout).transpose() {
            let last = answer.is_err();
            if received.send(answer).is_err() || last {
                break;
            }
        }
    })?;
    Ok(answers)
}

/// The last lines that came out of a pipe.
fn last_lines_of(stderr: ChildStderr) -> io::Result<Noise> {
    let lines = Arc::new(Mutex::new(VecDeque::new()));
    let kept = Arc::clone(&lines);
    let reader = thread::Builder::new().spawn(move || {
        for line in BufReader::new(stderr).split(b'\n').map_while(Result::ok) {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push_back(String::from_utf8_lossy(&line).into_owned());
            if kept.len() > NOISE {
                kept.pop_front();
            }
        }
    })?;
    Ok(Noise { lines, reader })
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
