//! What evidence costs: a program compiled with a clone for the rows of each call, and with evidence that is passed when it
//! runs. Both call their functions, but those with loops, and all those of kernels with barriers: these are put where they are
//! called, since they may fail (`inline_calls`, `inline_failing`).

use crate::engine::{Artifact, Case};
use crate::language::Listed;
use crate::pricing::{Pricing, Sample};
use crate::stages::{CHECKED, Plan, Stages};
use compiler::emit::spirv;
use compiler::lower::minias::{Form, lower};
use compiler::run::Gpu;
use compiler::run::forms::{Forms, LARGEST_GROUP};
use reference::cost::{Machine, World};
use reference::device::Device;
use reference::device::syntax as device;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::language::How;
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending};
use reference::minias::rows::Row;
use reference::minias::syntax::Program;
use reference::minias::types::Typed;
use reference::minias::{Minias, infer};
use reference::sycl::{Sycl, elaborated};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// A program in both forms.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// The file.
    pub file: String,
    /// Its variables that are pointers, and those of them that need a tag since their row has not one name.
    pub pointers: usize,
    /// As said.
    pub tagged: usize,
    /// The row variables that its functions are general in: where there are none no call passes a tag or evidence, so evidence
    /// is to cost nothing (2.2).
    pub general: usize,
    /// With clones.
    pub specialised: Compiled,
    /// With evidence.
    pub evidence: Compiled,
}

/// What became of one form.
#[derive(Clone, Debug, Serialize)]
pub struct Compiled {
    /// Functions besides the kernel: with clones, so many.
    pub functions: usize,
    /// Switches over spaces in the shader.
    pub switches: usize,
    /// Bytes of WGSL.
    pub wgsl: usize,
    /// Bytes of SPIR-V.
    pub spirv: usize,
    /// Work and time of the run by `lockstep cost`: of the device program, by the model `umm`.
    pub work: u64,
    /// As said.
    pub umm: u64,
    /// Microseconds of the launch, by adapter.
    pub us: BTreeMap<String, f64>,
}

/// The program in both forms; the adapters time it.
///
/// # Errors
/// Why it is not compared.
pub fn compare(file: String, case: &Case, gpus: &mut [(String, Gpu)]) -> Result<Compared, String> {
    let program = match (Minias::of(&case.program), Sycl::of(&case.program)) {
        (Some(program), _) => program.clone(),
        (_, Some(program)) => elaborated(program).map_err(|no| no.message)?,
        _ => return Err("it is written in another language".to_owned()),
    };
    let mode = program.options.mode;
    let typed = infer::types_of(&program, mode, &mut Recorder::counting());
    let typed = typed.map_err(|no| no.message)?;
    let rows: Vec<Row> = typed.variables.iter().filter_map(|(_, ty)| ty.row()).collect();
    let tagged = rows.iter().filter(|row| row.end.is_some() || row.names.len() != 1).count();
    let general = typed.schemes.iter().map(|(_, scheme)| scheme.rows.len()).sum();
    let mut form = |form| compiled(&program, &typed, form, case, gpus);
    Ok(Compared {
        file,
        pointers: rows.len(),
        tagged,
        general,
        specialised: form(Form::Specialised)?,
        evidence: form(Form::Evidence)?,
    })
}

fn compiled(
    program: &Program,
    typed: &Typed,
    form: Form,
    case: &Case,
    gpus: &mut [(String, Gpu)],
) -> Result<Compiled, String> {
    let launch = &program.options.launch;
    launch.kernel(program).map_err(|no| no.message)?;
    let lowered = lower(program, typed, launch, form, Planted::NONE);
    let lowered = lowered.map_err(|no| format!("{}: {}", no.statement, no.reason))?;
    let functions = lowered.functions.len();
    let artifact = Device::artifact(lowered);
    let plan = Plan::default();
    let stages = Stages::ends(&artifact, plan, CHECKED);
    let last = stages.list.iter().find(|stage| stage.id == CHECKED);
    let Some(checked) = last.and_then(|stage| Device::of(&stage.artifact)) else {
        return Err("it is not compiled".to_owned());
    };
    let forms = Forms::of(checked, plan.kernels());
    let group = forms.group(0, launch.items, LARGEST_GROUP);
    let shader = forms.fast_for_all(0, group).map_err(|no| format!("{no:?}"))?;
    let words = spirv::for_vulkan(&shader.form.wgsl).map_err(|no| format!("{no:?}"))?;
    let (work, umm) = priced(&artifact, case)?;
    let us = gpus.iter_mut().map(|(name, gpu)| Ok((name.clone(), timed(gpu, checked, case)?)));
    Ok(Compiled {
        functions,
        switches: shader.form.wgsl.matches("switch ").count(),
        wgsl: shader.form.wgsl.len(),
        spirv: 4 * words.len(),
        work,
        umm,
        us: us.collect::<Result<_, String>>()?,
    })
}

/// Work and time of the device program.
fn priced(artifact: &Artifact, case: &Case) -> Result<(u64, u64), String> {
    let machine = Machine::default();
    let pricing = Pricing { machine, world: World::Device, sample: Sample::Never };
    let how = How {
        variant: "",
        schedule: case.schedule,
        budget: &case.budget,
        settings: &Default::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    let priced = pricing.price(artifact, &case.input, how);
    priced.price().map(|report| (report.work, report.times.umm))
}

/// How often a launch is timed; the quickest counts, since other work on the machine only adds time.
const TURNS: usize = 7;

/// How long all of them may take.
const LIMIT: Duration = Duration::from_secs(10);

/// Microseconds of the launch.
fn timed(gpu: &mut Gpu, program: &device::Program, case: &Case) -> Result<f64, String> {
    let budget = Budget::default();
    let mut quickest = Duration::MAX;
    for _ in 0..TURNS {
        gpu.set_timed(LIMIT);
        let ending = gpu.run(program, &case.input, &budget).ending;
        let times = gpu.take_times().ok_or("its launches take too long")?;
        if !matches!(ending, Ending::Value(_)) {
            return Err(format!("it has no result when it is timed: {ending:?}"));
        }
        quickest = quickest.min(times.into_iter().sum());
    }
    Ok(1e6 * quickest.as_secs_f64())
}
