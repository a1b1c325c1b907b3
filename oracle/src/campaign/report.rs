//! The folder of a finding of a shader, as somebody who has no Lockstep can use it: program, inputs, WGSL and
//! SPIR-V of each launch, its buffers, a small host program that launches it, and what each side answered.

use super::finding::{Record, values};
use crate::VERSION;
use crate::engine::EngineId;
use crate::engines::SpirvEngine;
use crate::engines::spirv::{Options, Trace, Traced};
use crate::language::Listed;
use crate::panics::catch;
use crate::stages::{CHECKED, EMIT, Plan, Stages};
use compiler::emit::spirv::for_vulkan;
use compiler::pass::poison_checks::Detail;
use reference::device::Device;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The program that launches the shaders.
const HOST: &str = include_str!("report/host.mjs");

/// Is the finding one of shaders, so that it may be the affair of somebody else?
pub fn is_of_shaders(record: &Record) -> bool {
    match record.finding.engine {
        EngineId::Spirv | EngineId::Tint | EngineId::Wgpu(_) | EngineId::Dawn => true,
        EngineId::Semantic(..) => record.finding.stage == EMIT,
    }
}

/// The folder of a finding, beside its file.
pub fn folder(record: &Record, findings: &Path) -> PathBuf {
    findings.join(format!("{}.report", record.file_name()))
}

/// Takes the folder of a finding away.
pub(super) fn remove(record: &Record, findings: &Path) {
    // That it is not there, or stays, harms nobody.
    let _ = fs::remove_dir_all(folder(record, findings));
}

/// Writes the folder, in place of one that is there. `plan` is how the program was compiled.
///
/// # Errors
/// It cannot be written.
pub fn write(record: &Record, plan: Plan, to: &Path) -> io::Result<()> {
    // That there is none harms nobody.
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to)?;
    let trace = trace(record, plan.with(&record.case.settings));
    let mut launches = Vec::new();
    let mut about = String::new();
    for (number, launch) in trace.launches.iter().enumerate() {
        let name = name(number + 1, launch);
        fs::write(to.join(format!("{name}.wgsl")), &launch.wgsl)?;
        let [x, y] = launch.grid;
        let _ = write!(about, "- `{name}.wgsl`: {}, in {x} x {y} work groups", what(launch));
        match catch(|| for_vulkan(&launch.wgsl)) {
            Ok(Ok(words)) => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                fs::write(to.join(format!("{name}.spv")), bytes)?;
                let _ = writeln!(about, "; `{name}.spv` is what naga makes of it");
            }
            Ok(Err(rejection)) => {
                let _ = writeln!(about, "; naga makes no SPIR-V of it: {rejection}");
            }
            Err(text) => {
                let _ = writeln!(about, "; naga panics on it: {text}");
            }
        }
        launches.push(data(&name, launch));
    }
    if trace.more > 0 {
        let _ = writeln!(about, "- {} more launches are left out", trace.more);
    }
    let program = format!("program.{}.txt", record.case.program.lang().extension());
    fs::write(to.join(&program), record.text())?;
    fs::write(to.join("launches.json"), serde_json::to_string(&launches)?)?;
    fs::write(to.join("host.mjs"), HOST)?;
    fs::write(to.join("README.md"), readme(record, &program, &about))
}

/// The launches of the program, in the forms in which they were found.
fn trace(record: &Record, plan: Plan) -> Trace {
    let stages = Stages::up_to(&record.case.program, plan, CHECKED);
    let checked = stages.list.iter().find(|stage| stage.id == CHECKED);
    let Some(program) = checked.and_then(|stage| Device::of(&stage.artifact)) else {
        return Trace::default();
    };
    let options = Options { plan, ..Options::default() };
    SpirvEngine::new(options).traced(program, &record.case)
}

/// `1-fast-k`
fn name(number: usize, launch: &Traced) -> String {
    let form = match launch.detail {
        Detail::Flag => "fast",
        Detail::Site => "full",
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let kernel: String = launch.kernel.as_deref().unwrap_or("copy").chars().map(plain).collect();
    format!("{number}-{form}-{kernel}")
}

fn what(launch: &Traced) -> String {
    let form = match launch.detail {
        Detail::Flag => "fast form, which sets a flag where a check fails",
        Detail::Site => "full form, which records the place where a check fails",
    };
    match &launch.kernel {
        Some(kernel) => format!("kernel `{kernel}`, {form}"),
        None => "the shader that copies".to_owned(),
    }
}

/// A launch as the host program reads it.
fn data(name: &str, launch: &Traced) -> Value {
    let buffers = launch.before.iter().enumerate().map(|(binding, before)| {
        let after = launch.after.as_ref().map(|after| &after[binding]);
        json!({ "binding": binding, "before": before, "after": after })
    });
    let buffers: Vec<Value> = buffers.collect();
    json!({ "shader": format!("{name}.wgsl"), "groups": launch.grid, "buffers": buffers })
}

fn readme(record: &Record, program: &str, about: &str) -> String {
    let finding = &record.finding;
    let mut text = format!("# {}\n\n{}\n\n", finding.signature(), finding.text);
    let _ = writeln!(text, "Found by {VERSION}, {}.", record.case.origin);
    if let Some(adapter) = &record.adapter {
        let _ = writeln!(text, "Adapter: {adapter}.");
    }
    let input = values(&record.case.input);
    let _ = writeln!(text, "Input: {}.", if input.is_empty() { "none" } else { &input });
    let _ = writeln!(text, "\n## What each side answered\n");
    for answer in record.told() {
        let _ = writeln!(text, "- {}", answer.line());
    }
    let _ = writeln!(
        text,
        "\n## Files\n\n- `{program}`: the program of the finding, and how it was compiled\n{about}\
         - `launches.json`: for each launch the words of its buffers before it, and behind it as the SPIR-V that \
         naga makes, executed by Lockstep, leaves them\n\
         - `host.mjs`: launches them by WebGPU and compares: `deno run -A host.mjs`, or `npm install webgpu` and \
         `node host.mjs`"
    );
    text
}
