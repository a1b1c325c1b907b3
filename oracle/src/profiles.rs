//! What an adapter can be trusted with: its limits and known defects, held against what a
//! semantic engine counted for the same case.

use crate::engine::{Artifact, Stage, StageId};
use crate::stages::{CHECKED, End, Plan, Stages};
use compiler::emit::style::EXTRA_ROUNDS;
use compiler::target::defects::TOGETHER;
use compiler::target::{Adapter, Defect};
use reference::kit::outcome::{Stats, Why};

/// Does the adapter give the right answer for a case of these counts?
///
/// # Errors
/// Why not, in words that many cases share.
pub fn trusted(adapter: &Adapter, stats: &Stats) -> Result<(), String> {
    for defect in &adapter.defects {
        // Each may go round while the others wait.
        let together =
            stats.rounds.saturating_add(EXTRA_ROUNDS.into()).saturating_mul(TOGETHER.into());
        if defect.rounds().is_some_and(|rounds| together >= rounds) {
            return Err(known(adapter, defect));
        }
    }
    Ok(())
}

/// `lavapipe: all loops ... stop ... (known defect of Mesa 22.3.6)`
fn known(adapter: &Adapter, defect: &Defect) -> String {
    format!("{}: {}", adapter.id, defect.known())
}

/// The defect for which an adapter is trusted with few loop rounds only.
fn few_rounds(adapter: &Adapter) -> Option<&Defect> {
    adapter.defects.iter().find(|defect| defect.rounds().is_some())
}

/// Has the adapter a defect that depends on what a run does? Then a program whose run was not
/// counted has to be compiled for it.
pub fn wants_counts(adapter: &Adapter) -> bool {
    few_rounds(adapter).is_some()
}

/// The stage of a program that an adapter runs.
///
/// # Errors
/// The pass that the compilation did not get past; none if no pass leads to a shader.
pub fn compiled<'p>(
    program: &'p Artifact,
    plan: Plan,
) -> Result<Stage<'p>, Option<(StageId, End)>> {
    let mut stages = Stages::ends(program, plan, CHECKED);
    let last = stages.list.pop();
    last.filter(|stage| stage.id == CHECKED).ok_or(stages.end)
}

/// What to add where such a program gave up.
pub fn gave_up(adapter: &Adapter, why: Why) -> Why {
    match (few_rounds(adapter), why) {
        (Some(defect), Why::NotModelled(what)) => {
            Why::NotModelled(format!("{what}; {}", known(adapter, defect)))
        }
        (_, why) => why,
    }
}

/// One line a limit, for `lockstep engines`.
pub fn describe(adapter: &Adapter) -> Vec<(&'static str, String)> {
    let limits = &adapter.limits;
    let features = [
        ("i64", adapter.features.i64),
        ("f64", adapter.features.f64),
        ("f16", adapter.features.f16),
        ("subgroups", adapter.features.subgroups),
    ];
    let has: Vec<&str> = features.iter().filter(|(_, has)| *has).map(|(name, _)| *name).collect();
    vec![
        ("device", adapter.name.clone()),
        ("driver", format!("{} {}", adapter.driver, adapter.driver_info).trim_end().to_owned()),
        ("kind", format!("{}, {}", adapter.device_type, adapter.backend)),
        ("features", if has.is_empty() { "none".to_owned() } else { has.join(", ") }),
        ("storage buffers of a stage", limits.storage_buffers.to_string()),
        ("bytes of a binding", limits.binding_size.to_string()),
        ("bytes of a buffer", limits.buffer_size.to_string()),
        ("invocations of a work group", limits.invocations.to_string()),
        ("bytes of work-group memory", limits.group_memory.to_string()),
        ("work groups of a dimension", limits.groups.to_string()),
    ]
}

/// Why there is no answer, in words that many programs share.
pub fn reason(why: &Why) -> String {
    match why {
        Why::Fuel => "out of fuel".to_owned(),
        Why::Memory(_) => "beyond the memory budget".to_owned(),
        Why::NotModelled(what) => format!("not modelled: {what}"),
        Why::Refused(what) => format!("refused: {what}"),
        Why::NoAdapter(what) => what.clone(),
    }
}
