//! What the merges of a run of λG brought from which side, as `lockstep check` tells it.

use super::cost::{count, place, things};
use super::input::Source;
use super::out::Out;
use crate::engine::Case;
use crate::language::Listed;
use crate::panics::catch;
use reference::kit::derivation::Recorder;
use reference::lambda_g::LambdaG;
use reference::lambda_g::eval::{Merged, Setting, Wanted, run_with_graph};
use serde::Serialize;

/// Merges that are told as text.
const MOST: usize = 20;

/// A region of which the copy on the device was merged back.
#[derive(Serialize)]
pub(super) struct Merge {
    /// The `on` that was over.
    place: String,
    region: String,
    both_words: u64,
    device_from: u64,
    device_words: u64,
    host_from: u64,
    host_words: u64,
}

/// The merges of a case, in the order of the run. Nothing, if its language has none.
pub(super) fn of(source: &Source, case: &Case) -> Option<Vec<Merge>> {
    let program = LambdaG::of(&case.program)?;
    let (setting, mut to) = (Setting::default(), Recorder::counting());
    // What is wrong with the run is told by who judges it.
    let run = catch(|| {
        run_with_graph(program, &case.input, &setting, &case.budget, &mut to, Wanted::Nothing)
    });
    let told = |merged: Merged| {
        let Merged { site, region, both, device, host } = merged;
        Merge {
            place: place(source, site),
            region: program.names.written(region).to_owned(),
            both_words: both,
            device_from: device[0],
            device_words: device[1],
            host_from: host[0],
            host_words: host[1],
        }
    };
    Some(run.ok()?.merged.into_iter().map(told).collect())
}

impl Merge {
    /// In one line: `on 3:12, r0: 4 words of both sides, then 3 of the device from word 4 on, 2 of the host from word 64 on`.
    fn line(&self) -> String {
        let part = |words, side, from| match words {
            0 => format!("none of the {side}"),
            _ => format!("{} of the {side} from word {} on", count(words), count(from)),
        };
        format!(
            "merge of {} behind the `on` at {}: {} of both sides, {}, {}",
            self.region,
            self.place,
            things(self.both_words, "word", "s"),
            part(self.device_words, "device", self.device_from),
            part(self.host_words, "host", self.host_from)
        )
    }
}

/// Tells the first ones.
pub(super) fn text(merges: &[Merge], out: &mut Out) {
    for merge in merges.iter().take(MOST) {
        out.line(format!("    {}", merge.line()));
    }
    if let Some(more) = merges.len().checked_sub(MOST + 1) {
        let more = things(more as u64 + 1, "more merge", "s");
        out.line(format!("    {more}: --json tells all"));
    }
}
