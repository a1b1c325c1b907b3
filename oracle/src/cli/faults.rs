//! `lockstep faults`

use super::out::Out;
use super::{Answer, Status};
use crate::faults::{BUILT, FAULTS};

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep faults --json")]
pub(super) struct Args {
    /// Print a list of objects of JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    if args.json {
        out.json(&FAULTS);
        return Ok(Status::Clean);
    }
    for fault in FAULTS {
        out.line(format!(
            "{}  in {}, shown by {}",
            fault.id,
            fault.pass,
            fault.shown_by.join(", ")
        ));
        out.line(format!("    {}", fault.cause));
        out.line(format!("    after {}", fault.reference));
    }
    if !BUILT {
        out.line("This build cannot plant them: cargo run --release --features faults -- ...");
    }
    Ok(Status::Clean)
}
