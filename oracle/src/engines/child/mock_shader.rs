//! What the mock adapter does with a shader that somebody wrote: naga translates it, and the executor of SPIR-V runs it.

use compiler::emit::foreign::Foreign;
use compiler::run::bound::Bound;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::outcome::{Broken, Ending, Why};
use reference::kit::schedule::Order;
use reference::spirv::eval::Executor;
use reference::spirv::parse::{Floats, specialized};
use reference::spirv::values::{Buffer, Launch, Strictness};

/// Instructions that a dispatch may execute.
const FUEL: u64 = 1 << 26;
/// Invocations of a subgroup.
const SUBGROUP: u32 = 32;

/// The words that its buffers hold behind all dispatches.
pub(super) fn execute(bound: &Bound) -> Result<Vec<Vec<u32>>, Ending> {
    let invalid = |text: String| Ending::Broken(Broken::Invalid(text));
    let foreign = Foreign::read(&bound.wgsl).map_err(|no| invalid(no.to_string()))?;
    let translated =
        foreign.translate(&bound.entry, &bound.constants).map_err(|no| invalid(no.to_string()))?;
    let mut recorder = Recorder::counting();
    let module = specialized(&translated.words, &bound.entry, &[], Floats::Open, &mut recorder)
        .map_err(|error| Ending::Unknown(Why::NotModelled(error.to_string())))?;
    let buffers = bound.buffers.iter().map(|buffer| Buffer {
        set: buffer.group,
        binding: buffer.binding,
        words: buffer.words.clone(),
    });
    let mut buffers: Vec<Buffer> = buffers.collect();
    let mut executor = Executor::new();
    for groups in &bound.dispatches {
        let launch = Launch {
            groups: *groups,
            fuel: FUEL,
            subgroup: SUBGROUP,
            traced: false,
            strictness: Strictness::Wgsl,
            planted: Planted::NONE,
        };
        let mut schedule = Order::InOrder.schedule();
        let report = executor.launch(&module, &mut buffers, &launch, &mut *schedule, &mut recorder);
        if report.out_of_fuel() {
            return Err(Ending::Broken(Broken::Hang));
        }
    }
    Ok(buffers.into_iter().map(|buffer| buffer.words).collect())
}
