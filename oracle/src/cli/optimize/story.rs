//! What `optimize` tells a person.

use super::{Laws, Told};
use crate::cli::cost::{things, thousands};
use crate::cli::out::Out;
use crate::optimize::price::Cost;
use crate::optimize::subject::Subject;
use crate::optimize::{Priced, Segment, Whole};
use compiler::rewrite::search::ASKED_FOR;
use reference::axes::laws::Law;
use reference::axes::print;
use reference::cost::Mode;
use reference::imp::Imp;
use reference::languages::Listed;
use reference::languages::place;

/// A part of a time.
type Part = fn(&Cost, Mode) -> f64;

/// The story of a program that became cheaper.
pub(super) fn tell(
    told: &Told<'_>,
    best: &Whole,
    same_on: &[String],
    timed: Option<&[super::timed::Timed]>,
    out: &mut Out,
) {
    let mode = told.args.mode;
    let original = &told.found.original.cost;
    out.line(format!("{}\n", told.name));
    costs(&[("original", original), ("optimized", &best.cost)], out);
    let [before, after] = [original, &best.cost].map(|cost| cost.times.of(mode).max(1.0));
    let (factor, than) =
        if after > before { (after / before, "more") } else { (before / after, "less") };
    out.line(format!("\nit costs {factor:.2} times {than} by {}; of that", mode.name()));
    let parts: [(&str, Part); 3] = [
        ("the host", |cost, mode| cost.host.of(mode)),
        ("transfers", |cost, mode| cost.transfers.of(mode)),
        ("kernels", |cost, mode| cost.kernels(mode)),
    ];
    for (what, of) in parts {
        let [before, after] = [original, &best.cost].map(|cost| thousands(of(cost, mode)));
        out.line(format!("  {what:<10}{before:>16} before {after:>16} after"));
    }
    if told.args.front {
        front(told, out);
    }
    for segment in told.used() {
        let Some(best) = segment.best(mode) else { continue };
        steps(told, segment, best, out);
    }
    for segment in told.found.segments.iter().filter(|of| !told.found.is_used(of, mode)) {
        let place = told.place(segment);
        let why = segment.ended();
        out.line(format!("\nat {place} nothing that costs less was found; {why}"));
    }
    if !told.found.outside.is_empty() {
        out.line("\nstays as it is:");
        for outside in &told.found.outside {
            out.line(format!("  {}: {}", place(told.text, outside.span.start), outside.reason));
        }
    }
    if matches!(told.args.laws, Laws::Exact | Laws::Assoc) {
        out.line(format!("not tried without --laws all: {}", ASKED_FOR.join(", ")));
    }
    let sizes = told.found.sizes.iter().map(|(name, size)| format!("{name} = {size}"));
    let sizes: Vec<String> = sizes.collect();
    if !sizes.is_empty() {
        let sizes = sizes.join(", ");
        out.line(match Imp::of(&best.program) {
            _ if !matches!(told.program, Subject::Fun(_)) => {
                format!("the plan is for {sizes} alone: it tests no sizes")
            }
            Some(_) => format!("the plan is for {sizes}; for other sizes the original runs"),
            None => {
                format!("the plan is for {sizes} alone: work groups run it, and it tests no sizes")
            }
        });
    }
    let several = if told.used().count() > 1 { "certificates were" } else { "certificate was" };
    let same = match told.found.compared {
        true => format!("the same results on {}", same_on.join(", ")),
        false => "results were not compared, since a part of the run was priced".to_owned(),
    };
    let run =
        told.not_run.as_ref().map(|why| format!(", but not all of its terms were run ({why})"));
    out.line(format!("the {several} replayed{}; {same}", run.unwrap_or_default()));
    if let Some(timed) = timed {
        super::timed::text(timed, out);
    }
}

/// A table of costs.
fn costs(rows: &[(&str, &Cost)], out: &mut Out) {
    let head = ["paper", "umm", "cal", "work", "depth", "requests", "words", "launches"]
        .map(|title| format!("{title:>14}"));
    out.line(format!("  {:<10}{}", "", head.concat()));
    for (what, cost) in rows {
        let [paper, umm, cal] = Mode::ALL.map(|mode| cost.times.of(mode));
        let whole = [cost.work, cost.depth, cost.requests, cost.peak_words, cost.launches];
        let [work, depth, requests, words, launches] = whole.map(|number| number as f64);
        let row = [paper, umm, cal, work, depth, requests, words, launches];
        let row = row.map(|number| format!("{:>14}", thousands(number)));
        out.line(format!("  {what:<10}{}", row.concat()));
    }
}

/// The plans of each segment that no other is better than in each part of the cost.
pub(super) fn front(told: &Told<'_>, out: &mut Out) {
    for segment in &told.found.segments {
        out.line(format!("\nthe front at {}, each plan alone:", told.place(segment)));
        let best: Vec<(usize, &Priced)> = segment
            .front
            .iter()
            .enumerate()
            .filter(|(nth, of)| {
                let others = segment.front.iter().enumerate();
                !others.into_iter().any(|(at, other)| {
                    other.cost.parts() == of.cost.parts() && at < *nth
                        || other.cost.covers(&of.cost)
                })
            })
            .collect();
        let names: Vec<String> = (1..=best.len()).map(|nth| format!("plan {nth}")).collect();
        let rows = names.iter().zip(&best).map(|(name, (_, of))| (name.as_str(), &of.cost));
        let rows = std::iter::once(("original", &segment.original)).chain(rows);
        costs(&rows.collect::<Vec<_>>(), out);
        for (name, (_, of)) in names.iter().zip(&best) {
            out.line(format!("{name}: {}", print::term(&of.program.term)));
        }
    }
}

/// The chain of a segment, and what each law did.
fn steps(told: &Told<'_>, segment: &Segment, best: &Priced, out: &mut Out) {
    let Ok(chain) = &segment.chain else { return };
    out.line(format!("\nat {}, the term of the plan:", told.place(segment)));
    out.text(&print::program(&best.program));
    match chain.len() as u64 {
        0 => out.line(
            "\nno law leads to it: as it is, the term costs less as a plan than as it is compiled",
        ),
        1 => out.line("\n1 step leads to it from"),
        steps => out.line(format!("\n{} lead to it from", things(steps, "step", "s"))),
    }
    out.line(print::term(&segment.region.term.term));
    for (nth, link) in chain.iter().enumerate() {
        let position: Vec<String> = link.step.position.iter().map(ToString::to_string).collect();
        let class = Law::named(&link.step.law).map_or("", |law| law.class.name());
        let at = match position.is_empty() {
            true => "at the root".to_owned(),
            false => format!("at {}", position.join(".")),
        };
        out.line(format!("{}. {} ({class}), {at}", nth + 1, link.step));
        out.line(print::term(&link.term));
    }
    let (nodes, classes) = segment.size;
    out.line(format!("\nsearched: {nodes} nodes in {classes} classes; {}", segment.stop.text()));
    out.line(format!("  {:<24}{:>10}{:>10}", "law", "applied", "merged"));
    for of in segment.profile.iter().filter(|of| of.applied > 0) {
        out.line(format!("  {:<24}{:>10}{:>10}", of.law, of.applied, of.merged));
    }
    if segment.unexplained > 0 {
        let plans = things(segment.unexplained as u64, "cheaper plan", "s");
        out.line(format!("{plans} left out: the steps lead through what is no term"));
    }
    let stopped = segment.profile.iter().filter(|of| of.stopped).map(|of| of.law);
    let stopped: Vec<&str> = stopped.collect();
    if !stopped.is_empty() {
        out.line(format!("their budget ended first: {}", stopped.join(", ")));
    }
}
