//! Faults planted in shaders, by their WGSL through naga: each is caught by its rule, and the same
//! shader without it passes, in every order of its invocations.

use compiler::emit::spirv::for_vulkan;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::schedule::Order;
use reference::spirv::eval::Executor;
use reference::spirv::parse::load;
use reference::spirv::rules::Rule;
use reference::spirv::values::{Buffer, Finding, Launch, Strictness};

/// Two work groups of four invocations; what they do stands in the place of `BODY`.
const SHADER: &str = "
@group(0) @binding(0) var<storage, read_write> data: array<u32>;
var<workgroup> shared_: array<u32, 4>;
@compute @workgroup_size(4)
fn main(
    @builtin(global_invocation_id) global: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let me = global.x;
BODY
}
";

fn words(body: &str) -> Vec<u32> {
    let wgsl = SHADER.replace("BODY", body);
    for_vulkan(&wgsl).unwrap_or_else(|error| panic!("{error}"))
}

/// What a module shows, in each of four orders.
fn shown(words: &[u32]) -> Vec<Vec<Finding>> {
    let orders = [Order::InOrder, Order::Reversed, Order::Shuffled(5), Order::Interleaved(5)];
    let run = |order: Order| {
        let (groups, fuel) = ([2, 1, 1], 100_000);
        let launch = Launch {
            groups,
            fuel,
            subgroup: 4,
            traced: false,
            strictness: Strictness::Accesses,
            planted: Planted::NONE,
        };
        let mut recorder = Recorder::counting();
        let module = load(words, "main", &mut recorder).expect("naga writes a module");
        let mut data = [Buffer { set: 0, binding: 0, words: (10..18).collect() }];
        let mut schedule = order.schedule();
        Executor::new().launch(&module, &mut data, &launch, &mut *schedule, &mut recorder).findings
    };
    orders.map(run).into()
}

fn passes(words: &[u32]) {
    for findings in shown(words) {
        assert_eq!(findings, []);
    }
}

fn is_caught(words: &[u32], rule: Rule, premise: &str) {
    for findings in shown(words) {
        let first = findings.first().unwrap_or_else(|| panic!("nothing is found"));
        assert_eq!((first.rule, first.premise), (rule, premise), "{first}");
    }
}

#[test]
fn a_race() {
    passes(&words("data[me] = data[me] + 1u;"));
    is_caught(&words("data[me & 1u] = me;"), Rule::Race, "race");
}

const EXCHANGE: &str = "
    shared_[local] = data[me];
    workgroupBarrier();
    data[me] = shared_[3u - local];";

#[test]
fn a_missing_barrier() {
    passes(&words(EXCHANGE));
    is_caught(&words(&EXCHANGE.replace("workgroupBarrier();", "")), Rule::Race, "race");
}

#[test]
fn a_barrier_that_not_all_reach() {
    let everybody = "if (global.y == 0u) { workgroupBarrier(); }\ndata[me] = 1u;";
    passes(&words(everybody));
    let some = everybody.replace("global.y == 0u", "local < 2u");
    is_caught(&words(&some), Rule::Barrier, "all");
}

/// WGSL has no memory that nothing wrote: the fault is that the compiler leaves the initialiser of a
/// variable out, as naga did up to 0.10.
#[test]
fn an_uninitialised_read() {
    let module = words("data[me] = shared_[local];");
    passes(&module);
    is_caught(&without_initialisers(&module), Rule::Load, "written");
}

/// The module, its variables of work groups without initialisers.
fn without_initialisers(words: &[u32]) -> Vec<u32> {
    const VARIABLE: u32 = 59;
    const WORKGROUP: u32 = 4;
    let mut left = words[..5].to_vec();
    let mut rest = &words[5..];
    while let [head, ..] = rest {
        let (instruction, others) = rest.split_at((head >> 16) as usize);
        match instruction {
            [head, ty, id, WORKGROUP, _] if head & 0xffff == VARIABLE => {
                left.extend([4 << 16 | VARIABLE, *ty, *id, WORKGROUP]);
            }
            other => left.extend_from_slice(other),
        }
        rest = others;
    }
    assert_ne!(left.len(), words.len(), "it has such a variable");
    left
}
