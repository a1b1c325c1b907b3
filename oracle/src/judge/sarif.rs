//! Reports as SARIF 2.1.0, which editors and code hosts show beside the lines.

use super::Report;
use super::class::{Class, Level};
use super::verdict::{Spot, Verdict};
use serde_json::{Value, json};

/// The log of the reports of these files.
pub fn sarif<'r>(reports: impl Iterator<Item = (&'r str, &'r Report)>) -> Value {
    let rules = Class::ALL.iter().map(|class| {
        let level = level(class.usual());
        json!({
            "id": class.name(),
            "shortDescription": { "text": class.name() },
            "fullDescription": { "text": sentences(*class) },
            "help": { "text": sentences(*class) },
            "defaultConfiguration": { "level": level },
        })
    });
    let results = reports.flat_map(|(file, report)| {
        report.verdicts.iter().map(move |verdict| result(file, verdict, report.spirv))
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "lockstep judge",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.collect::<Vec<_>>(),
            } },
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Allow => "none",
    }
}

/// What the specifications say of a class: that of WGSL, and that of SPIR-V if it is another one.
fn sentences(class: Class) -> String {
    match [false, true].map(|spirv| class.why(spirv)) {
        [wgsl, spirv] if wgsl == spirv => wgsl.to_owned(),
        [wgsl, spirv] => format!("{wgsl}\n{spirv}"),
    }
}

/// A verdict; the access that it clashes with is a related location. A rule has the sentences of WGSL and of SPIR-V, so the
/// message says which one it is here.
fn result(file: &str, verdict: &Verdict, spirv: bool) -> Value {
    let mut message = verdict.message.clone();
    for more in verdict.help.as_deref().into_iter().chain([verdict.class.why(spirv)]) {
        message.push('\n');
        message.push_str(more);
    }
    let related: Vec<Value> =
        verdict.other.iter().map(|spot| location(file, Some(spot), Some(&spot.label))).collect();
    json!({
        "ruleId": verdict.class.name(),
        "level": level(verdict.level),
        "message": { "text": message },
        "locations": [location(file, verdict.at.as_ref(), None)],
        "relatedLocations": related,
    })
}

fn location(file: &str, spot: Option<&Spot>, label: Option<&str>) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": file.replace('\\', "/") } });
    if let Some(spot) = spot {
        place["region"] = json!({ "startLine": spot.line });
    }
    match label {
        Some(label) => json!({ "physicalLocation": place, "message": { "text": label } }),
        None => json!({ "physicalLocation": place }),
    }
}
