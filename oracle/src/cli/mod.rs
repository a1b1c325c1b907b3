//! The command line: one file a subcommand. Nothing else in the project prints.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod bench;
mod check;
mod compile;
mod engines;
mod explain;
mod faults;
mod fuzz;
mod input;
mod interrupt;
mod options;
mod out;
mod problem;
mod replay;
mod resume;
mod rules;
mod run;
mod show;
mod shrink;
mod summary;
mod test;

use clap::{Parser, Subcommand};
use out::Out;
use problem::Problem;
use std::process::ExitCode;

/// How a command ends: nothing wrong; a finding, a program that is stuck or races, a corpus file
/// that does not do what it says; input that cannot be used, or no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// 0
    Clean,
    /// 1
    Wrong,
    /// 2
    Unusable,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status as u8)
    }
}

type Answer = Result<Status, Problem>;

/// Executable semantics of GPU languages, a compiler from them to the GPU, and a tester that compares
/// the two.
#[derive(Parser)]
#[command(name = "lockstep", version, max_term_width = 100)]
#[command(after_help = "Exit status: 0 nothing wrong; 1 a finding, a stuck or racing program, a \
    corpus file that does not do what it says; 2 unusable input, or no answer.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a program and print its results
    Run(run::Args),
    /// Check a program: its types, the validity of its memory, race-freedom
    Check(check::Args),
    /// Compile a program and print a stage of the compilation
    Compile(compile::Args),
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
    /// Measure the speed of the tester
    Bench(bench::Args),
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
    // A deep program is a deep recursion: a stack of our own size, on every system the same.
    let worker = std::thread::Builder::new().stack_size(crate::STACK).spawn(|| {
        crate::panics::catch(|| {
            let parsed = Cli::try_parse();
            let mut out = Out::new(parsed.as_ref().is_ok_and(|cli| cli.command.json()));
            let mut status = match parsed {
                Ok(cli) => {
                    let ended = cli.command.run(&mut out);
                    out.status(ended)
                }
                Err(error) if error.use_stderr() => {
                    let _ = error.print();
                    Status::Unusable
                }
                // What was asked for: --help, --version.
                Err(text) => {
                    out.wrote(text.print());
                    Status::Clean
                }
            };
            if let Some(problem) = out.failure() {
                out.problem(&problem);
                status = Status::Unusable;
            }
            status
        })
    });
    let ended = worker.map(std::thread::JoinHandle::join);
    match ended {
        Ok(Ok(Ok(status))) => status.into(),
        Ok(Ok(Err(text))) => broken_promise(&text),
        Ok(Err(_)) => broken_promise("the main thread was lost"),
        Err(error) => broken_promise(&format!("no thread could be started: {error}")),
    }
}

fn broken_promise(text: &str) -> ExitCode {
    eprintln!("lockstep has a bug: a promise of its own was broken.\n  {text}");
    eprintln!("Please report it with the command line and the program that led to it.");
    ExitCode::from(101)
}

impl Command {
    /// Is what it writes for a machine?
    fn json(&self) -> bool {
        match self {
            Command::Run(args) => args.programs.json,
            Command::Check(args) => args.programs.json,
            Command::Compile(args) => args.programs.json,
            Command::Explain(args) => args.programs.json,
            Command::Test(args) => args.json,
            Command::Fuzz(args) => args.json,
            Command::Shrink(args) => args.programs.json,
            Command::Replay(args) => args.programs.json,
            Command::Engines(args) => args.json,
            Command::Rules(args) => args.json,
            Command::Faults(args) => args.json,
            Command::Bench(args) => args.json,
            Command::Child { .. } => false,
        }
    }

    fn run(self, out: &mut Out) -> Answer {
        match self {
            Command::Run(args) => run::run(&args, out),
            Command::Check(args) => check::run(&args, out),
            Command::Compile(args) => compile::run(&args, out),
            Command::Explain(args) => explain::run(&args, out),
            Command::Test(args) => test::run(&args, out),
            Command::Fuzz(args) => fuzz::run(&args, out),
            Command::Shrink(args) => shrink::run(&args, out),
            Command::Replay(args) => replay::run(&args, out),
            Command::Engines(args) => engines::run(&args, out),
            Command::Rules(args) => rules::run(&args, out),
            Command::Faults(args) => faults::run(&args, out),
            Command::Bench(args) => bench::run(&args, out),
            Command::Child { adapter, limit } => {
                match crate::engines::child::serve(adapter.as_deref(), limit) {
                    Ok(()) => Ok(Status::Clean),
                    Err(error) => Err(Problem::new(format!("the parent is gone: {error}"))),
                }
            }
        }
    }
}
