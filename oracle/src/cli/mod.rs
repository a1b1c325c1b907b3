//! The command line: one file a subcommand. Nothing else in the project prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod bench_cost;
mod bench_evidence;
mod bench_fcl;
mod bench_whole;
mod calibrate;
mod certify;
mod check;
mod compile;
mod cost;
mod data;
mod engines;
mod explain;
mod facts;
mod faults;
mod fuzz;
mod input;
mod interrupt;
mod judge;
mod laws;
mod look;
mod manual;
mod merges;
pub mod mutated;
mod optimize;
mod options;
mod out;
mod own;
mod place;
mod problem;
mod replay;
mod resume;
mod rewriting;
mod rules;
mod run;
mod show;
mod shrink;
mod sizes;
mod summary;
mod sycl_table;
mod test;
mod values;
mod window;

use clap::{ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand};
use look::{Colours, Look};
use out::Out;
use problem::Problem;
use std::ffi::OsString;
use std::process::ExitCode;

/// How a command ends: nothing wrong; a finding, a program that is stuck or races, a corpus file
/// that does not do what it says; input that cannot be used, or no answer; ended by a signal. The worst of several counts, and they stand here
/// in that order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// 0
    Clean,
    /// 1
    Wrong,
    /// 2
    Unusable,
    /// Ended by this signal: 128 and its number, as shells have it.
    Signal(u8),
}

impl Status {
    /// Of something that is wrong, or is not.
    fn wrong_if(wrong: bool) -> Self {
        if wrong { Status::Wrong } else { Status::Clean }
    }

    /// As the system has it.
    fn code(self) -> u8 {
        match self {
            Status::Clean => 0,
            Status::Wrong => 1,
            Status::Unusable => 2,
            Status::Signal(signal) => 128 + signal,
        }
    }
}

type Answer = Result<Status, Problem>;

/// The version, with the commit of a release.
const BUILD: &str = concat!(env!("CARGO_PKG_VERSION"), env!("LOCKSTEP_COMMIT"));

/// Executable semantics of GPU languages, a compiler from them to the GPU, and a tester that compares
/// the two.
#[derive(Parser)]
#[command(name = "lockstep", version = BUILD, max_term_width = 100)]
#[command(
    after_help = "Exit status: 0 nothing wrong; 1 a finding, a program that is stuck, races or has \
    invalid memory, a corpus file that does not do what it says, with `--deny order-dependent` a \
    program that is; 2 unusable input, or no answer; 130 or 143 \
    ended by Ctrl-C or SIGTERM."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// When messages have colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: Colours,
}

#[derive(Subcommand)]
enum Command {
    /// Run a program and print its results
    Run(run::Args),
    /// Check a program: its types, the validity of its memory, race-freedom
    Check(check::Args),
    /// Compile a program and print a stage of the compilation
    Compile(compile::Args),
    /// Price a program: time by three cost models, work, depth, space, transfers
    Cost(cost::Args),
    /// Price a program with other parts of it on the device, and say where it costs least
    Place(place::Args),
    /// Measure the constants of a machine on an adapter, as a file that `cost` and `place` take
    Calibrate(calibrate::Args),
    /// Rewrite a program by laws to one that costs less, and show why each step is right
    Optimize(optimize::Args),
    /// Replay certificates of `optimize` without the search
    Certify(certify::Args),
    /// Judge compute shaders that others wrote: races, barriers, bounds, results that depend on the order
    Judge(judge::Args),
    /// Print the derivation of a run
    Explain(explain::Args),
    /// Judge programs by their headers on every engine at hand
    Test(test::Args),
    /// Make random programs and hold all engines against each other
    Fuzz(fuzz::Args),
    /// Make the program of a finding smaller
    Shrink(shrink::Args),
    /// See whether a finding is still there
    Replay(replay::Args),
    /// List the engines and adapters at hand
    Engines(engines::Args),
    /// List the rules of the languages, and which of them a corpus fires
    Rules(rules::Args),
    /// List the faults that can be planted to test the tester
    Faults(faults::Args),
    /// List the laws of rewriting, and run instances of them
    Laws(laws::Args),
    /// Measure the speed of the tester
    Bench(bench::Args),
    /// Print what a shell completes command lines by
    Completions(manual::Completions),
    /// Print the manual page
    Man(manual::Manual),
    /// Serve an adapter to the process that started this one
    #[command(hide = true)]
    Child {
        /// The adapter; without one the adapters are listed
        #[arg(long)]
        adapter: Option<String>,
        /// Seconds that a program may take
        #[arg(long, default_value = "20", value_parser = options::seconds)]
        limit: std::time::Duration,
    },
}

/// Runs the command line.
pub fn main() -> ExitCode {
    crate::panics::install();
    let status = line(std::env::args_os().collect(), false);
    ExitCode::from(status)
}

/// Status of a command line that broke a promise of ours.
const BROKEN: u8 = 101;

/// Bytes that a command takes beside its stack, whatever it is asked for. A process that is refused memory by the
/// way ends at once.
const AROUND: usize = 48 << 20;

/// Runs a command line, the name of the command first; `quiet` writes nothing. The answer is its exit status.
fn line(words: Vec<OsString>, quiet: bool) -> u8 {
    let said = Out::new(wants_json(&words), Look::new(Colours::said(&words)));
    let mut out = if quiet { said.quiet() } else { said };
    if Vec::<u8>::new().try_reserve_exact(crate::STACK + AROUND).is_err() {
        let mib = (crate::STACK + AROUND) >> 20;
        out.problem(&Problem::new(format!(
            "no thread could be started: the system has not the {mib} MiB of memory for it"
        )));
        return Status::Unusable.code();
    }
    // A deep program is a deep recursion: a stack of our own size, on every system the same.
    let ended = std::thread::scope(|scope| {
        let worker = std::thread::Builder::new().stack_size(crate::STACK);
        let worker =
            worker.spawn_scoped(scope, || crate::panics::catch(|| parsed(words, &mut out)));
        worker.map(std::thread::ScopedJoinHandle::join)
    });
    match ended {
        Ok(Ok(Ok(status))) => status.code(),
        Ok(Ok(Err(text))) => broken_promise(&text),
        Ok(Err(_)) => broken_promise("the main thread was lost"),
        // The system refuses it: a limit of processes or of memory.
        Err(error) => {
            out.problem(&Problem::new(format!("no thread could be started: {error}")));
            Status::Unusable.code()
        }
    }
}

/// Reads the command line, and does what it says.
fn parsed(words: Vec<OsString>, out: &mut Out) -> Status {
    let colours = Colours::said(&words);
    let parsed = command_line().color(colours.into()).try_get_matches_from(words);
    let mut status = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => {
            let ended = cli.command.run(out);
            out.status(ended)
        }
        Err(error) if error.use_stderr() => {
            out.usage(&error);
            Status::Unusable
        }
        // What was asked for: --help, --version.
        Err(text) => {
            out.asked(&text);
            Status::Clean
        }
    };
    if let Some(problem) = out.failure() {
        out.problem(&problem);
        status = Status::Unusable;
    }
    status
}

/// The command line. What looks like a negative number behind an option is its value, and told to be none that fits.
fn command_line() -> clap::Command {
    Cli::command().mut_subcommands(with_negative_numbers)
}

fn with_negative_numbers(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| match arg.get_action() {
        ArgAction::Set | ArgAction::Append if !arg.is_positional() => {
            arg.allow_negative_numbers(true)
        }
        _ => arg,
    })
}

/// Does a command line that is none ask for JSON?
fn wants_json(words: &[OsString]) -> bool {
    words.iter().skip(1).take_while(|word| *word != "--").any(|word| word == "--json")
}

fn broken_promise(text: &str) -> u8 {
    eprintln!("lockstep has a bug: a promise of its own was broken.\n  {text}");
    eprintln!("Please report it with the command line and the program that led to it.");
    BROKEN
}

impl Command {
    fn run(self, out: &mut Out) -> Answer {
        match self {
            Command::Run(args) => run::run(&args, out),
            Command::Check(args) => check::run(&args, out),
            Command::Compile(args) => compile::run(&args, out),
            Command::Cost(args) => cost::run(&args, out),
            Command::Place(args) => place::run(&args, out),
            Command::Calibrate(args) => calibrate::run(&args, out),
            Command::Optimize(args) => optimize::run(&args, out),
            Command::Certify(args) => certify::run(&args, out),
            Command::Judge(args) => judge::run(&args, out),
            Command::Explain(args) => explain::run(&args, out),
            Command::Test(args) => test::run(&args, out),
            Command::Fuzz(args) => fuzz::run(&args, out),
            Command::Shrink(args) => shrink::run(&args, out),
            Command::Replay(args) => replay::run(&args, out),
            Command::Engines(args) => engines::run(&args, out),
            Command::Rules(args) => rules::run(&args, out),
            Command::Faults(args) => faults::run(&args, out),
            Command::Laws(args) => laws::run(&args, out),
            Command::Bench(args) => bench::run(&args, out),
            Command::Completions(args) => manual::completions(&args, out),
            Command::Man(args) => manual::manual(&args, out),
            Command::Child { adapter, limit } => {
                match crate::engines::child::serve(adapter.as_deref(), limit) {
                    Ok(()) => Ok(Status::Clean),
                    Err(error) => Err(Problem::new(format!("the parent is gone: {error}"))),
                }
            }
        }
    }
}
