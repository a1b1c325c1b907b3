//! What hangs on relaxed atomic operations: runs in which atomic loads may give older values leave something else than those
//! in which they do not.

use super::Judge;
use super::class::Class;
use super::contents::{part, scalar};
use super::devices::Asked;
use super::orders::{How, Run, fair_orders, once};
use super::shader::{Loaded, called};
use super::verdict::{Verdict, spot};

/// Runs the shader with relaxed loads, if those without agree. If the answer hangs on them it is told: of one word, of which
/// then more than one value is right, as a verdict; of several words there is no answer.
pub(super) fn compare(
    (judge, loaded): (&Judge, &Loaded),
    asked: Asked<'_>,
    agreed: &Run,
    (verdicts, unanswered): (&mut Vec<Verdict>, &mut Vec<String>),
) {
    let differ = verdicts
        .iter()
        .any(|verdict| matches!(verdict.class, Class::OrderDependent | Class::SubgroupDependent));
    if differ || loaded.is_spirv() || !loaded.module.loads_atomically() {
        return;
    }
    let subgroup = judge.subgroups.first().copied().unwrap_or(1);
    for (seed, order) in (judge.seed..).zip(fair_orders(judge)) {
        let planted = judge.planted;
        let how = How { order, subgroup, fuel: judge.fuel, relaxed: Some(seed), planted };
        let run = once(loaded, asked, how, None);
        if run.stale.is_empty() || run.endless.is_some() {
            continue;
        }
        let Some((element, what)) = other(judge, loaded, agreed, &run) else { continue };
        if run.atomic_words == 1 {
            let mut spots = run.stale.iter().filter_map(|place| {
                spot(place, loaded, "nothing orders this load behind all stores".to_owned())
            });
            let message = format!("{what} if an atomic load gives the value of an older store");
            let help = "a barrier of the memory in which the word is orders its stores and loads";
            verdicts.push(Verdict {
                at: spots.next(),
                other: spots.next(),
                element,
                help: Some(help.to_owned()),
                ..Verdict::new(Class::OrderDependent, message)
            });
            return;
        }
        let mut lines: Vec<u32> = run.stale.iter().filter_map(|place| place.line).collect();
        lines.sort_unstable();
        lines.dedup();
        let lines: Vec<_> = lines.iter().map(u32::to_string).collect();
        let text = match lines.as_slice() {
            [line] => format!("the load in line {line} gives"),
            lines => format!("loads in lines {} give", lines.join(", ")),
        };
        unanswered.push(format!(
            "not modelled: relaxed atomics: {what} if {text} what an older store left"
        ));
        return;
    }
}

/// What the run leaves that the others do not.
fn other(
    judge: &Judge,
    loaded: &Loaded,
    agreed: &Run,
    run: &Run,
) -> Option<(Option<String>, String)> {
    if let Some(finding) = run.findings.first() {
        return Some((None, format!("something is wrong ({})", finding.text)));
    }
    for (number, resource) in loaded.resources.iter().enumerate() {
        let any_order = judge.any_order.iter().any(|place| place.names(resource));
        let left = |run: &Run| {
            let mut words = run.buffers[number].clone();
            if any_order {
                words.sort_unstable();
            }
            words
        };
        let (wanted, got) = (left(agreed), left(run));
        let Some(at) = wanted.iter().zip(&got).position(|(a, b)| a != b) else { continue };
        let part = part(got[at], wanted[at], resource.element);
        let element = match (&loaded.translated, any_order) {
            (Some(translated), false) => translated.byte_of(resource, 4 * at as u32 + part),
            _ => format!("{}[{at}]", called(resource)),
        };
        let value = |words: &[u32]| scalar(words[at], part, resource.element);
        let what = format!("`{element}` is {} in each run, and {}", value(&wanted), value(&got));
        return Some((Some(element), what));
    }
    None
}
