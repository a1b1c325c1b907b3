//! Other invocations: races, barriers, atomics. Each fault is beside the same program without it.

use super::{Fails, LAUNCH, Sample, Words, assemble, body};
use crate::kit::derivation::Recorder;
use crate::kit::schedule::{Order, Permutation, Schedule, Step};
use crate::spirv::eval::Executor;
use crate::spirv::parse::load;
use crate::spirv::rules::Rule;
use crate::spirv::values::{Buffer, Launch};

/// Memory of the group.
const SHARED: &str = "
%two = OpTypeArray %u %2
%w_two = OpTypePointer Workgroup %two
%shared = OpVariable %w_two Workgroup
%count = OpVariable %wu Workgroup
%w_v2 = OpTypePointer Workgroup %v2
%vector = OpVariable %w_v2 Workgroup
%v2s = OpTypeArray %v2 %2
%w_v2s = OpTypePointer Workgroup %v2s
%vectors = OpVariable %w_v2s Workgroup";

const EXCHANGE: &str = "
%other = OpISub %u %1 %local
%a = OpAccessChain %wu %shared %local
OpStore %a %x
OpControlBarrier %2 %2 %264
%b = OpAccessChain %wu %shared %other
%r = OpLoad %u %b
OpStore %mine %r";

const EXCHANGE_WITHOUT: &str = "
%other = OpISub %u %1 %local
%a = OpAccessChain %wu %shared %local
OpStore %a %x
%b = OpAccessChain %wu %shared %local
%r = OpLoad %u %b
OpStore %a %r
%c = OpAccessChain %wu %shared %other
OpStore %c %r";

pub(super) fn samples() -> Vec<Sample> {
    let shared = |name, text, want| Sample { globals: SHARED, ..body(name, text, want) };
    vec![
        shared("an exchange with a barrier", EXCHANGE, Words(&[11, 10, 13, 12])),
        shared("an exchange without a barrier", EXCHANGE_WITHOUT, Fails(Rule::Race, "race")),
        shared(
            "an exchange with a barrier of the wrong memory",
            "%other = OpISub %u %1 %local
            %a = OpAccessChain %wu %shared %local
            OpStore %a %x
            OpControlBarrier %2 %2 %72
            %b = OpAccessChain %wu %shared %other
            %r = OpLoad %u %b
            OpStore %mine %r",
            Fails(Rule::Race, "race"),
        ),
        shared(
            "components of a vector, by one invocation each",
            "%a = OpAccessChain %wu %vector %local
            OpStore %a %x",
            Fails(Rule::Race, "race"),
        ),
        shared(
            "components of vectors, each by one invocation",
            "%pointer = OpAccessChain %w_v2 %vectors %local
            %a = OpAccessChain %wu %pointer %0
            %b = OpAccessChain %wu %pointer %1
            OpStore %a %x
            OpStore %b %7
            %r = OpLoad %u %b
            OpStore %mine %r",
            Words(&[7, 7, 7, 7]),
        ),
        shared(
            "a component of one vector of an array, by all",
            "%pointer = OpAccessChain %w_v2 %vectors %1
            %a = OpAccessChain %wu %pointer %local
            OpStore %a %x",
            Fails(Rule::Race, "race"),
        ),
        shared(
            "memory of the group that nothing wrote",
            "%r = OpLoad %u %count",
            Fails(Rule::Load, "written"),
        ),
        shared(
            "an undefined value in memory of the group",
            "OpStore %count %undefined",
            Fails(Rule::Store, "defined"),
        ),
        body(
            "neighbours in a buffer",
            "%other = OpBitwiseXor %u %me %1
            %p = OpAccessChain %pu %data %0 %other
            OpControlBarrier %2 %2 %72
            OpStore %p %x",
            Words(&[11, 10, 13, 12]),
        ),
        body(
            "neighbours in a buffer without a barrier",
            "%other = OpBitwiseXor %u %me %1
            %p = OpAccessChain %pu %data %0 %other
            OpStore %p %x",
            Fails(Rule::Race, "race"),
        ),
        body(
            "other groups, whatever barrier there is",
            "OpControlBarrier %2 %2 %72
            %p = OpAccessChain %pu %data %0 %0
            %r = OpLoad %u %p
            OpControlBarrier %2 %2 %72
            OpSelectionMerge %done None
            %c = OpIEqual %bool %me %0
            OpBranchConditional %c %yes %done
            %yes = OpLabel
            OpStore %p %7
            OpBranch %done
            %done = OpLabel",
            Fails(Rule::Race, "race"),
        ),
        body(
            "a barrier that all reach",
            "OpControlBarrier %2 %2 %264
            OpStore %mine %1",
            Words(&[1, 1, 1, 1]),
        ),
        body(
            "a barrier that not all reach",
            "%c = OpIEqual %bool %local %0
            OpSelectionMerge %done None
            OpBranchConditional %c %yes %done
            %yes = OpLabel
            OpControlBarrier %2 %2 %264
            OpBranch %done
            %done = OpLabel",
            Fails(Rule::Barrier, "all"),
        ),
        body(
            "two barriers, and each reaches another one",
            "%c = OpIEqual %bool %local %0
            OpSelectionMerge %done None
            OpBranchConditional %c %yes %no
            %yes = OpLabel
            OpControlBarrier %2 %2 %264
            OpBranch %done
            %no = OpLabel
            OpControlBarrier %2 %2 %264
            OpBranch %done
            %done = OpLabel",
            Fails(Rule::Barrier, "all"),
        ),
        body(
            "atomics race with what is none",
            "%p = OpAccessChain %pu %data %0 %3
            %a = OpAtomicIAdd %u %p %1 %72 %1
            %b = OpAtomicUMax %u %p %1 %72 %2",
            Fails(Rule::Race, "race"),
        ),
        Sample {
            globals: SHARED,
            ..body(
                "atomics of the group",
                "%c = OpIEqual %bool %local %0
                OpSelectionMerge %done None
                OpBranchConditional %c %yes %done
                %yes = OpLabel
                OpAtomicStore %count %2 %264 %7
                OpBranch %done
                %done = OpLabel
                OpControlBarrier %2 %2 %264
                %a = OpAtomicIAdd %u %count %2 %264 %2
                OpControlBarrier %2 %2 %264
                %b = OpAtomicLoad %u %count %2 %264
                OpControlBarrier %2 %2 %264
                %e = OpAtomicCompareExchange %u %count %2 %264 %264 %1 %b
                OpStore %mine %b",
                Words(&[11]),
            )
        },
        shared(
            "an atomic on what nothing wrote",
            "%a = OpAtomicIAdd %u %count %2 %264 %1",
            Fails(Rule::Load, "written"),
        ),
        shared(
            "an atomic of a value that is undefined",
            "OpAtomicStore %count %2 %264 %1
                %a = OpAtomicIAdd %u %count %2 %264 %undefined",
            Fails(Rule::Atomic, "defined"),
        ),
    ]
}

/// Takes the invocations in turns, and leaves each behind an atomic operation.
struct Switching(usize);

impl Schedule for Switching {
    fn order(&mut self, _: u64) -> Permutation {
        Permutation::Forward
    }

    fn preempts(&self) -> bool {
        true
    }

    fn next(&mut self, ready: usize) -> usize {
        self.0 += 1;
        self.0 % ready
    }

    fn stays(&mut self, step: Step) -> bool {
        step == Step::Plain
    }
}

/// Each invocation draws two numbers, one right behind the other if it is not left between them.
#[test]
fn an_invocation_is_left_behind_an_atomic_operation() {
    for (barrier, alone) in [("", 1), ("OpControlBarrier %2 %2 %264", 2)] {
        let drawn = format!(
            "%count = OpAccessChain %pu %data %0 %3
             %a = OpAtomicIAdd %u %count %1 %72 %1
             {barrier}
             %b = OpAtomicIAdd %u %count %1 %72 %1
             %apart = OpISub %u %b %a
             OpStore %mine %apart"
        );
        let words = assemble(&body("", drawn.leak(), Words(&[])).text());
        let module = load(&words, "main", &mut Recorder::counting()).expect("it is a module");
        let run = |schedule: &mut dyn Schedule| {
            let mut buffers = [Buffer { set: 0, binding: 0, words: vec![0; 4] }];
            let launch = Launch { groups: [1, 1, 1], ..LAUNCH };
            let mut recorder = Recorder::counting();
            let mut executor = Executor::new();
            let report = executor.launch(&module, &mut buffers, &launch, schedule, &mut recorder);
            assert_eq!(report.findings, []);
            buffers[0].words.clone()
        };
        for order in [Order::InOrder, Order::Reversed, Order::Shuffled(3)] {
            assert_eq!(run(&mut *order.schedule()), [alone, alone, 0, 4], "{order:?}");
        }
        assert_eq!(run(&mut Switching(0)), [2, 2, 0, 4]);
    }
}
