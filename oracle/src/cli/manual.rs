//! `lockstep completions` and `lockstep man`: what a shell and `man` want, made of the command line itself.

use super::out::Out;
use super::problem::Problem;
use super::{Answer, Cli, Status};
use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::Man;
use std::fs;
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep completions bash > ~/.local/share/bash-completion/completions/lockstep"
)]
pub(super) struct Completions {
    /// The shell
    shell: Shell,
}

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep man | man -l -\n         \
    lockstep man --output ~/.local/share/man/man1")]
pub(super) struct Manual {
    /// Write a page for each subcommand into this folder, which is made if it is not there, and print none
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub(super) fn completions(args: &Completions, out: &mut Out) -> Answer {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "lockstep", &mut script);
    out.bytes(&script);
    Ok(Status::Clean)
}

pub(super) fn manual(args: &Manual, out: &mut Out) -> Answer {
    if let Some(folder) = &args.output {
        let made = fs::create_dir_all(folder);
        made.and_then(|()| clap_mangen::generate_to(Cli::command(), folder)).map_err(|error| {
            Problem::new(format!("{} cannot be written: {error}", folder.display()))
        })?;
        return Ok(Status::Clean);
    }
    let mut page = Vec::new();
    Man::new(Cli::command())
        .render(&mut page)
        .map_err(|error| Problem::new(format!("the page cannot be written: {error}")))?;
    out.bytes(&page);
    Ok(Status::Clean)
}
