//! `lockstep bench fcl`

use super::out::Out;
use super::problem::Problem;
use super::{Answer, Status, sizes};
use crate::bench::yardsticks::{
    ELEMENTS, FEWEST, MOST, Measured, Unmeasured, WORKS, measure, open,
};
use compiler::target::Adapter;
use serde::Serialize;

/// What `--json` tells of a work on an adapter.
#[derive(Serialize)]
struct Row<'a> {
    #[serde(flatten)]
    measured: &'a Measured,
    gigabytes_per_second: f64,
    hand_gigabytes_per_second: f64,
    of_copy: f64,
    of_hand: f64,
}

impl<'a> Row<'a> {
    /// Beside the rate of a copy that is written by hand.
    fn new(measured: &'a Measured, copy: f64) -> Self {
        let (own, hand) = (measured.rate(), measured.hand_rate());
        Self {
            measured,
            gigabytes_per_second: own,
            hand_gigabytes_per_second: hand,
            of_copy: own / copy,
            of_hand: measured.ms / measured.hand_ms,
        }
    }
}

/// Measures all work on each adapter.
pub(super) fn run(
    elements: Option<u32>,
    adapters: &[Adapter],
    json: bool,
    out: &mut Out,
) -> Answer {
    let mut worst = Status::Clean;
    for adapter in adapters {
        let usual = ELEMENTS[usize::from(adapter.device_type != "cpu")];
        let status = on(adapter, elements.unwrap_or(usual), json, out);
        worst = worst.max(status);
    }
    Ok(worst)
}

/// How many elements are wanted, if that is said.
pub(super) fn elements(size: &[sizes::Size]) -> Result<Option<u32>, Problem> {
    match size {
        [] => Ok(None),
        [sizes::Size::Elements(elements)] if (FEWEST..=MOST).contains(elements) => {
            Ok(Some(*elements))
        }
        [sizes::Size::Elements(_)] => {
            Err(Problem::new(format!("--size is a number of elements from {FEWEST} to {MOST}")))
        }
        _ => Err(Problem::new("`lockstep bench fcl` takes one number of elements: --size 1048576")),
    }
}

fn on(adapter: &Adapter, elements: u32, json: bool, out: &mut Out) -> Status {
    let mut worst = Status::Clean;
    let mut copy = None;
    let mut gpu = None;
    for work in &WORKS {
        let opened = match gpu.take() {
            Some(gpu) => Ok(gpu),
            None => open(adapter).map_err(Unmeasured::Unknown),
        };
        let measured = opened.and_then(|mut opened| {
            let measured = measure(work, elements, &mut opened)?;
            // One that gave no answer is opened again.
            gpu = Some(opened);
            Ok(measured)
        });
        let measured = match measured {
            Ok(measured) => measured,
            Err(why) => {
                let (why, status) = match why {
                    Unmeasured::Wrong(why) => (why, Status::Wrong),
                    Unmeasured::Unknown(why) => (why, Status::Unusable),
                };
                out.message(&format!("{} on {}: {why}", work.name, adapter.id));
                worst = worst.max(status);
                if copy.is_none() {
                    // The first work is the copy that the others are compared with.
                    return worst;
                }
                continue;
            }
        };
        if copy.is_none() && !json {
            head(&measured.adapter, out);
        }
        let row = Row::new(&measured, *copy.get_or_insert(measured.hand_rate()));
        if json {
            out.json(&row);
        } else {
            line(&row, out);
        }
    }
    worst
}

fn head(adapter: &str, out: &mut Out) {
    out.line(adapter);
    out.line(format!(
        "  {:<16}{:>14}{:>11}{:>9}{:>11}{:>9}{:>9}{:>9}{:>9}  {}",
        "", "size", "ms", "launches", "hand ms", "launches", "factor", "GB/s", "of copy", "paper"
    ));
}

fn line(row: &Row<'_>, out: &mut Out) {
    let Measured { work, size, ms, launches, hand_ms, hand_launches, paper, .. } = row.measured;
    let text = format!(
        "  {work:<16}{size:>14}{ms:>11.3}{launches:>9}{hand_ms:>11.3}{hand_launches:>9}{:>9.2}{:>9.2}{:>8.0}%  {paper}",
        row.of_hand,
        row.gigabytes_per_second,
        100.0 * row.of_copy,
    );
    out.line(text.trim_end());
}
