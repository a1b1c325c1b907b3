//! The command line. Nothing else in this package prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod keep;
mod show;

use crate::campaign::{Bucket, Campaign, Doing, Results, Settings, Watch};
use crate::releases::{RELEASES, Release, named};
use crate::shrinking::Small;
use clap::Parser;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Shows the programs that `lockstep fuzz` draws to seventeen releases of naga, no bug worked
/// around, executes and judges the SPIR-V that each writes, and lists each release's faults.
#[derive(Parser)]
#[command(name = "recall", version, max_term_width = 100)]
#[command(after_help = "Example: recall --seconds 60 --release 22,23 --seed 1\n\n\
    Exit status: 0 everything found is explained; 1 something found is not; 2 unusable input.")]
struct Args {
    /// Seconds of processor time for each release, its share of the common work included
    #[arg(long, default_value = "60", value_parser = seconds, allow_negative_numbers = true)]
    seconds: Duration,
    /// How many programs at most
    #[arg(long)]
    programs: Option<u64>,
    /// Releases, by the start of their versions; all of them without it
    #[arg(long = "release", value_delimiter = ',', value_name = "VERSION", value_parser = release)]
    releases: Vec<&'static Release>,
    /// The seed that programs are drawn from; drawn itself without it
    #[arg(long)]
    seed: Option<u64>,
    /// The number of the first program
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Seconds for which a fault is shrunk
    #[arg(long, default_value = "10", value_parser = seconds, allow_negative_numbers = true)]
    shrink: Duration,
    /// The folder that faults are written to
    #[arg(long, default_value = "findings", value_name = "DIR")]
    findings: PathBuf,
    /// Write one object of JSON
    #[arg(long)]
    json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if number.is_nan() || number < 0.0 {
        return Err("a time is not negative".to_owned());
    }
    Ok(Duration::from_secs_f64(number.min(1e9)))
}

fn release(text: &str) -> Result<&'static Release, String> {
    named(text).ok_or_else(|| {
        let all: Vec<&str> = RELEASES.iter().map(|release| release.version).collect();
        format!("no release; there are {}", all.join(", "))
    })
}

/// Prints the progress on the command line.
struct Looker {
    findings: PathBuf,
    quiet: bool,
}

impl Watch for Looker {
    fn found(&self, version: &str, bucket: &Bucket, small: &Small) {
        match keep::write(&self.findings, version, bucket, small) {
            Ok(path) if !self.quiet => eprintln!("{}", show::found(version, bucket, &path)),
            Ok(_) => {}
            Err(error) => {
                let folder = self.findings.display();
                eprintln!("a fault cannot be written to {folder}: {error}");
            }
        }
    }

    fn progress(&self, results: &Results) {
        if !self.quiet && io::stderr().is_terminal() {
            eprint!("\r{}\r", show::progress(results));
        }
    }
}

/// How much processor time a release may take for one program before it is said to hang. Old releases
/// need half a minute for some, and other work may take the processor.
const HANG: Duration = Duration::from_secs(120);
/// How long one may take that waits for something, and uses no processor.
const WAITS: Duration = Duration::from_secs(1200);

/// Runs the command line.
pub fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    oracle::panics::install();
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    let listens = ctrlc::set_handler(move || {
        // The second one ends the process at once.
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
    if let Err(error) = listens {
        eprintln!("Ctrl-C cannot be listened to: {error}");
        return ExitCode::from(2);
    }
    run(args, &stop)
}

fn run(args: Args, stop: &Arc<AtomicBool>) -> ExitCode {
    let Args { releases, findings, json, .. } = args;
    let mut releases = if releases.is_empty() { RELEASES.iter().collect() } else { releases };
    releases.sort_by_key(|release| release.number);
    releases.dedup();
    let drawn = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let settings = Settings {
        releases,
        time: args.seconds,
        programs: args.programs,
        seed: args.seed.unwrap_or_else(drawn),
        first: args.first,
        shrink: args.shrink,
    };
    let campaign = Arc::new(Campaign::new(settings));
    let (done, ended) = channel();
    let (worker, stop) = (Arc::clone(&campaign), Arc::clone(stop));
    let looker = Looker { findings, quiet: json };
    let started = std::thread::Builder::new().stack_size(oracle::STACK).spawn(move || {
        let ran = oracle::panics::catch(|| worker.run(&stop, &looker));
        let _ = done.send(ran);
    });
    if let Err(error) = started {
        eprintln!("no thread could be started: {error}");
        return ExitCode::from(2);
    }
    let mut lost = false;
    loop {
        match ended.recv_timeout(Duration::from_secs(1)) {
            Ok(Ok(())) => break,
            Ok(Err(text)) => {
                eprintln!("recall has a bug: {text}");
                lost = true;
                break;
            }
            // A thread that hangs cannot be ended: what there is is said, and the process ends.
            Err(RecvTimeoutError::Timeout) => match campaign.doing() {
                Some(doing) if hangs(&doing) => {
                    campaign.hangs(doing);
                    break;
                }
                _ => {}
            },
            Err(RecvTimeoutError::Disconnected) => {
                lost = true;
                break;
            }
        }
    }
    let results = campaign.results();
    let text = match json {
        true => serde_json::to_string(&results).unwrap_or_else(|error| error.to_string()) + "\n",
        false => show::results(&results),
    };
    // A reader that closes its end is no error.
    let _ = io::stdout().lock().write_all(text.as_bytes());
    match (lost, results.is_explained()) {
        (true, _) => ExitCode::from(101),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(1),
    }
}

fn hangs(doing: &Doing) -> bool {
    doing.clock.elapsed() > HANG || doing.since.elapsed() > WAITS
}
