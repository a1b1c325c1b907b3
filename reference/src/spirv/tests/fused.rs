//! What is executed in one step where it stands together, and is not where it does not.

use super::{LAUNCH, Sample, Words, assemble, body, launch};
use crate::kit::derivation::Recorder;
use crate::spirv::rules::Rule;

/// Stores 7 in the invocations whose numbers, 0 to 3, have this relation to 2.
macro_rules! those_that {
    ($relation:literal) => {
        concat!(
            "%c = ",
            $relation,
            " %bool %me %2
            OpSelectionMerge %done None
            OpBranchConditional %c %yes %done
            %yes = OpLabel
            OpStore %mine %7
            OpBranch %done
            %done = OpLabel"
        )
    };
}

pub(super) fn samples() -> Vec<Sample> {
    let mut samples = comparisons();
    samples.extend(vec![
        body(
            "another pointer between",
            "%one = OpAccessChain %pu %data %0 %me
            %two = OpAccessChain %pu %data %0 %0
            OpStore %one %7",
            Words(&[7, 7, 7, 7]),
        ),
        body(
            "a branch on an older comparison",
            "%c = OpIEqual %bool %x %x
            %d = OpIEqual %bool %x %72
            OpSelectionMerge %done None
            OpBranchConditional %c %yes %done
            %yes = OpLabel
            %e = OpSelect %u %d %1 %2
            OpStore %mine %e
            OpBranch %done
            %done = OpLabel",
            Words(&[2, 2, 2, 2]),
        ),
        body(
            "a comparison that is a value too",
            "%c = OpULessThan %bool %me %2
            OpSelectionMerge %done None
            OpBranchConditional %c %yes %done
            %yes = OpLabel
            %e = OpSelect %u %c %1 %2
            OpStore %mine %e
            OpBranch %done
            %done = OpLabel",
            Words(&[1, 1, 12, 13]),
        ),
        body(
            "a component that decides for one that is undefined",
            "%k = OpCompositeConstruct %v2 %x %undefined
            %l = OpCompositeConstruct %v2 %264 %x
            %c = OpIEqual %b2 %k %l
            %d = OpAll %bool %c
            %e = OpSelect %u %d %1 %2
            OpStore %mine %e",
            Words(&[2, 2, 2, 2]),
        ),
        body(
            "a block that only jumps",
            "OpSelectionMerge %done None
            OpBranchConditional %true %far %done
            %far = OpLabel
            OpBranch %near
            %near = OpLabel
            OpStore %mine %7
            OpBranch %done
            %done = OpLabel",
            Words(&[7, 7, 7, 7]),
        ),
    ]);
    samples
}

fn comparisons() -> Vec<Sample> {
    vec![
        body("below", those_that!("OpULessThan"), Words(&[7, 7, 12, 13])),
        body("at most", those_that!("OpULessThanEqual"), Words(&[7, 7, 7, 13])),
        body("above", those_that!("OpUGreaterThan"), Words(&[10, 11, 12, 7])),
        body("at least", those_that!("OpUGreaterThanEqual"), Words(&[10, 11, 7, 7])),
        body("signed, below", those_that!("OpSLessThan"), Words(&[7, 7, 12, 13])),
        body("signed, at most", those_that!("OpSLessThanEqual"), Words(&[7, 7, 7, 13])),
        body("signed, above", those_that!("OpSGreaterThan"), Words(&[10, 11, 12, 7])),
        body("signed, at least", those_that!("OpSGreaterThanEqual"), Words(&[10, 11, 7, 7])),
        body("equal", those_that!("OpIEqual"), Words(&[10, 11, 7, 13])),
        body("unequal", those_that!("OpINotEqual"), Words(&[7, 7, 12, 7])),
    ]
}

/// An element's address and the access there are one step, and the access is to blame.
#[test]
fn the_read_of_a_race_is_named() {
    let source = "%p = OpAccessChain %pu %data %0 %0\n%r = OpLoad %u %p\nOpStore %p %r";
    let racing = assemble(&body("", source, Words(&[])).text());
    let (_, report) = launch(&racing, &[], &LAUNCH, &mut Recorder::counting());
    let findings = report.expect("it is a module").findings;
    let reads = findings.iter().find(|finding| finding.clash.as_ref().is_some_and(|it| !it.wrote));
    let finding = reads.expect("one reads what another wrote");
    assert_eq!((finding.rule, finding.place.opcode.as_str()), (Rule::Race, "OpLoad"));
}
