//! `lockstep engines`

use super::options::{Adapters, Limit};
use super::out::Out;
use super::{Answer, Status};
use crate::engine::{EngineId, NotRun};
use crate::engines;
use crate::profiles;
use compiler::run::HAS_WGPU;
use reference::kit::rules::Roll;
use reference::spirv::excused::{EXCUSED, Excused};
use serde_json::json;

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep engines --json")]
pub(super) struct Args {
    /// Print objects of JSON, one a line
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    for (engine, about) in engines::without_adapter() {
        let excused = if engine == EngineId::Spirv { &EXCUSED[..] } else { &[] };
        without(&engine, about, excused, args.json, out);
    }
    let found = Adapters::only(Vec::new(), Limit::default()).find()?;
    let mut through_wgpu = false;
    for adapter in &found.adapters {
        let engine = EngineId::of(adapter);
        through_wgpu |= engine != EngineId::Dawn;
        if engine == EngineId::Dawn {
            without(&EngineId::Tint, TINT, &[], args.json, out);
        }
        if args.json {
            out.json(&json!({ "engine": engine, "adapter": adapter }));
            continue;
        }
        out.line(engine.to_string());
        for (what, value) in profiles::describe(adapter) {
            out.line(format!("    {what:<28} {value}"));
        }
        if adapter.defects.is_empty() {
            out.line("    known defects                none");
        }
        for defect in &adapter.defects {
            out.line(format!("    known defect                 {}", defect.text));
        }
    }
    // Tint comes with Dawn.
    let tint = |absent: &NotRun| NotRun { engine: EngineId::Tint, ..absent.clone() };
    let absent: Vec<NotRun> =
        found.absent.iter().flat_map(|absent| [absent.clone(), tint(absent)]).collect();
    if args.json {
        for NotRun { engine, reason } in absent {
            out.json(&json!({ "engine": engine, "absent": reason }));
        }
        return Ok(Status::Clean);
    }
    if !through_wgpu {
        let why = if HAS_WGPU {
            "no Vulkan, Metal or DirectX driver was found"
        } else {
            "no driver was looked for"
        };
        out.line(format!("no adapter: {why}; {};", to_have_adapters()));
        out.line("without any, `spirv` executes the shaders");
    }
    for NotRun { engine, reason } in absent {
        out.line(format!("{:<20} not here: {reason}", engine.to_string()));
    }
    Ok(Status::Clean)
}

/// What `spirv:tint` is.
const TINT: &str = "the shaders, as Tint hands them to a driver: executed and judged";

/// What is told of an engine that has no limits, and which known faults of a compiler it lets pass.
fn without(engine: &EngineId, about: &str, excused: &[Excused], json: bool, out: &mut Out) {
    if !json {
        out.line(format!("{:<20} {about}", engine.to_string()));
        for Excused { rule, premise, about, .. } in excused {
            let rule = rule.info().name;
            out.line(format!(
                "    {:<28} {about} ({rule}, premise {premise})",
                "not held against a shader"
            ));
        }
        return;
    }
    let mut object = json!({ "engine": engine, "about": about });
    if !excused.is_empty() {
        let each = excused.iter().map(|Excused { rule, premise, about, .. }| {
            json!({ "rule": rule.info().name, "premise": premise, "text": about })
        });
        object["excused"] = each.collect();
    }
    out.json(&object);
}

/// What to do to have adapters.
pub(super) fn to_have_adapters() -> &'static str {
    if HAS_WGPU {
        "`bash .ci/install-drivers` installs software drivers"
    } else {
        "this build is without wgpu, which the default features have"
    }
}
