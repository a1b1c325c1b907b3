//! `lockstep engines`

use super::options::Adapters;
use super::out::Out;
use super::{Answer, Status};
use crate::engine::EngineId;
use crate::engines::SEMANTIC;
use crate::profiles;
use serde_json::json;

#[derive(clap::Args)]
#[command(after_help = "Example: lockstep engines --json")]
pub(super) struct Args {
    /// Print objects of JSON, one a line
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    for (engine, about) in SEMANTIC {
        if args.json {
            out.json(&json!({ "engine": engine, "about": about }));
        } else {
            out.line(format!("{:<16} {about}", engine.to_string()));
        }
    }
    let adapters = Adapters::only(Vec::new()).find()?;
    for adapter in &adapters {
        let engine = EngineId::Wgpu(adapter.id.clone());
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
    if adapters.is_empty() && !args.json {
        out.line("no adapter: no Vulkan, Metal or DirectX driver was found; .ci/install-drivers");
        out.line("installs software ones; without any, `spirv` executes the shaders");
    }
    Ok(Status::Clean)
}
