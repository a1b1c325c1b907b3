//! How many instructions a second the judge of shaders executes, one core: in the order of invocations, with what reports of
//! races need, and with a switch wherever another invocation may go on.

use super::Row;
use super::rounds::{Quickest, in_a_second, until};
use compiler::emit::spirv::for_vulkan;
use cpu_time::ThreadTime;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::schedule::Order;
use reference::spirv::eval::Executor;
use reference::spirv::parse::load;
use reference::spirv::values::{Buffer, Launch, Strictness};
use std::collections::BTreeMap;
use std::time::Duration;

/// A product of two matrices of `SIZE` rows and columns by tiles of 16 by 16 in the memory of work groups.
const PRODUCT: &str = "
const SIZE = 64u;
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> c: array<u32>;
var<workgroup> of_a: array<array<u32, 16>, 16>;
var<workgroup> of_b: array<array<u32, 16>, 16>;
@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_id) here: vec3u) {
    var sum = 0u;
    for (var tile = 0u; tile < SIZE; tile += 16u) {
        of_a[here.y][here.x] = a[at.y * SIZE + tile + here.x];
        of_b[here.y][here.x] = b[(tile + here.y) * SIZE + at.x];
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) { sum += of_a[here.y][k] * of_b[k][here.x]; }
        workgroupBarrier();
    }
    c[at.y * SIZE + at.x] = sum;
}
";

/// Rows and columns.
const SIZE: u32 = 64;

/// Each way to run it: what it is called, in which order, whether traced, and how many million instructions a second are wanted.
const WAYS: [(&str, Order, bool, f64); 3] = [
    ("in order", Order::InOrder, false, 600.0),
    ("traced", Order::InOrder, true, 300.0),
    ("switching", Order::Interleaved(1), false, 100.0),
];

/// A row for each way.
///
/// # Panics
/// If the shader is not one, or is found wrong: then the executor is.
pub fn rows(time: Duration, each: &mut dyn FnMut(&Row)) {
    let words = for_vulkan(PRODUCT).expect("it is a shader");
    let module = load(&words, "main", &mut Recorder::counting()).expect("the module is executed");
    for (what, order, traced, wanted) in WAYS {
        let mut executor = Executor::new();
        let mut quickest = Quickest::default();
        until(time, || {
            let buffer = |binding| {
                let words = (0..SIZE * SIZE).map(|word| word % 7 + binding).collect();
                Buffer { set: 0, binding, words }
            };
            let mut buffers = [0, 1, 2].map(buffer);
            let groups = [SIZE / 16, SIZE / 16, 1];
            let launch = Launch {
                groups,
                fuel: u64::MAX,
                subgroup: 32,
                traced,
                strictness: Strictness::Wgsl,
                planted: Planted::NONE,
            };
            let mut schedule = order.schedule();
            let mut recorder = Recorder::counting();
            let clock = ThreadTime::now();
            let report =
                executor.launch(&module, &mut buffers, &launch, &mut *schedule, &mut recorder);
            let took = clock.elapsed();
            assert!(report.findings.is_empty(), "{:?}", report.findings);
            quickest.add(took, report.instructions, ());
        });
        let Some(((), figure, rounds)) = quickest.ends(|each| in_a_second(each) / 1e6) else {
            continue;
        };
        each(&Row {
            what: format!("instructions of a product by tiles, {what}"),
            figure,
            unit: "million/s",
            wanted: Some(wanted),
            more: true,
            rounds: Some(rounds),
            sizes: BTreeMap::new(),
        });
    }
}
