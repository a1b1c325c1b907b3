//! Variables of functions that stand in the frame, and what is left out for them.

use super::{Fails, Sample, Words, body};
use crate::spirv::rules::Rule;

/// Three rounds, before each of which `%p` is what `%c` was in the one before.
macro_rules! again {
    ($round:literal) => {
        concat!(
            "OpBranch %head
            %head = OpLabel
            %p = OpPhi %u %7 %entry %c %again
            %k = OpLoad %u %n
            %go = OpULessThan %bool %k %3
            OpLoopMerge %done %again None
            OpBranchConditional %go %again %done
            %again = OpLabel
            %next = OpIAdd %u %k %1
            OpStore %n %next\n",
            $round,
            "\nOpBranch %head
            %done = OpLabel
            OpStore %mine %p"
        )
    };
}

pub(super) fn samples() -> Vec<Sample> {
    let with = |variables, sample| Sample { variables, ..sample };
    vec![
        with(
            "%v = OpVariable %fu Function %7\n%n = OpVariable %fu Function %0",
            body(
                "what was loaded before a loop that stores",
                "%old = OpLoad %u %v
                OpBranch %head
                %head = OpLabel
                %k = OpLoad %u %n
                %go = OpULessThan %bool %k %3
                OpLoopMerge %done %again None
                OpBranchConditional %go %again %done
                %again = OpLabel
                %more = OpIAdd %u %old %k
                OpStore %v %more
                %next = OpIAdd %u %k %1
                OpStore %n %next
                OpBranch %head
                %done = OpLabel
                %end = OpLoad %u %v
                OpStore %mine %end",
                Words(&[9, 9, 9, 9]),
            ),
        ),
        with(
            "%v = OpVariable %fu Function %7",
            body(
                "what is stored and asked for again",
                "%sum = OpIAdd %u %x %1
                OpStore %v %sum
                OpStore %v %7
                %seven = OpLoad %u %v
                %both = OpIAdd %u %sum %seven
                OpStore %mine %both",
                Words(&[18, 19, 20, 21]),
            ),
        ),
        with(
            "%v = OpVariable %fu Function %7\n%w = OpVariable %fu Function %1",
            body(
                "what is stored twice",
                "%sum = OpIAdd %u %x %1
                OpStore %v %sum
                %a = OpLoad %u %v
                OpStore %w %a
                %b = OpLoad %u %w
                %c = OpLoad %u %v
                %d = OpIAdd %u %b %c
                OpStore %mine %d",
                Words(&[22, 24, 26, 28]),
            ),
        ),
        with(
            "%v = OpVariable %fu Function %0\n%n = OpVariable %fu Function %0",
            body(
                "a phi of another name of what is stored",
                again!("%sum = OpIAdd %u %p %1\n%c = OpCopyObject %u %sum\nOpStore %v %sum"),
                Words(&[10, 10, 10, 10]),
            ),
        ),
        with(
            "%v = OpVariable %fu Function %0\n%n = OpVariable %fu Function %0",
            body(
                "a phi of another name of what was loaded before a store",
                again!(
                    "%old = OpLoad %u %v\n%c = OpCopyObject %u %old
                    %sum = OpIAdd %u %old %1\nOpStore %v %sum"
                ),
                Words(&[2, 2, 2, 2]),
            ),
        ),
        Sample {
            globals: "%yu = OpTypePointer Private %u\n%py = OpTypePointer Function %yu
                %y = OpVariable %yu Private %0\n%z = OpVariable %yu Private %0",
            variables: "%v = OpVariable %py Function %y",
            ..body(
                "a pointer that is kept and stored through",
                "%c = OpULessThan %bool %me %7
                %p = OpSelect %yu %c %z %y
                OpStore %v %p
                OpStore %p %7
                %r = OpLoad %u %p
                OpStore %mine %r",
                Words(&[7, 7, 7, 7]),
            )
        },
        body(
            "vectors that are compared, and a component of that",
            "%a = OpCompositeConstruct %v2 %x %me
            %b = OpCompositeConstruct %v2 %x %2
            %same = OpIEqual %b2 %a %b
            %all = OpAll %bool %same
            %first = OpCompositeExtract %bool %same 0
            %k = OpSelect %u %first %4 %0
            %l = OpSelect %u %all %1 %0
            %r = OpIAdd %u %k %l
            OpStore %mine %r",
            Words(&[4, 4, 5, 4]),
        ),
        body(
            "vectors that are compared",
            "%a = OpCompositeConstruct %v2 %x %me
            %b = OpCompositeConstruct %v2 %x %2
            %same = OpIEqual %b2 %a %b
            %all = OpAll %bool %same
            %l = OpSelect %u %all %1 %0
            OpStore %mine %l",
            Words(&[0, 0, 1, 0]),
        ),
        body(
            "a composite of one value twice",
            "%y = OpIAdd %u %x %1
            %a = OpCompositeConstruct %v2 %y %y
            %k = OpCompositeExtract %u %a 0
            %l = OpCompositeExtract %u %a 1
            %r = OpIAdd %u %k %l
            OpStore %mine %r",
            Words(&[22, 24, 26, 28]),
        ),
        with(
            "%v = OpVariable %fu Function %0",
            body(
                "a first block that is gone back to sets its variables again",
                "%a = OpLoad %u %v
                %b = OpIAdd %u %a %1
                OpStore %v %b
                %go = OpULessThan %bool %b %2
                OpLoopMerge %done %entry None
                OpBranchConditional %go %entry %done
                %done = OpLabel",
                Fails(Rule::Loop, "fuel"),
            ),
        ),
    ]
}
