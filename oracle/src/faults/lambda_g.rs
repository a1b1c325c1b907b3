//! λG typed or run wrong, mostly as the paper has it literally: laws of its programs show it, since it has one semantics.
//! And λG compiled wrong, which the device program shows.

use super::Entry;
use crate::engine::StageId;
use crate::language::Listed;
use crate::stages::LOWER_LAMBDA_G;
use reference::kit::faults::{Fault, WrongLambdaG};
use reference::lambda_g::LambdaG;

const fn wrong(id: &'static str, cause: &'static str, wrong: WrongLambdaG) -> Entry {
    Entry {
        id,
        pass: StageId::SOURCE,
        reference: "none: a reading of the paper on λG, or a step of its semantics that is easily left out",
        cause,
        shown_by: &["lambda_g"],
        language: Some(LambdaG::LANG),
        fault: Fault::LambdaG(wrong),
    }
}

const fn lowered(id: &'static str, cause: &'static str, fault: WrongLambdaG) -> Entry {
    Entry {
        pass: LOWER_LAMBDA_G,
        reference: "none: a step of a compiler of λG that is easily left out",
        shown_by: &["device"],
        ..wrong(id, cause, fault)
    }
}

/// Faults of λG.
pub(super) const FAULTS: &[Entry] = &[
    wrong(
        "G1",
        "a value leaves a word free behind it, as fig. 3 is printed",
        WrongLambdaG::SkipsWord,
    ),
    wrong("G2", "a region of the host grows by a word too few", WrongLambdaG::GrowsTooLittle),
    wrong(
        "G3",
        "the body of a function is evaluated in the environment of the application, as fig. 5 is printed",
        WrongLambdaG::DynamicScope,
    ),
    wrong("G4", "the closure of a `fix` does not know itself", WrongLambdaG::FixForgetsItself),
    wrong(
        "G5",
        "all branches of the host start from one configuration table, as fig. 6 is printed",
        WrongLambdaG::OneTable,
    ),
    wrong(
        "G6",
        "no words are reserved for what the device makes, as def. 4.3 is printed",
        WrongLambdaG::NothingReserved,
    ),
    wrong("G7", "a merge loses the last value that the device made", WrongLambdaG::MergeLoses),
    wrong("G8", "a merge brings two ints back in each other's place", WrongLambdaG::MergeReorders),
    wrong("G9", "a region of the device grows where it is full", WrongLambdaG::DeviceGrows),
    wrong(
        "G10",
        "what a function does that an `on` applies is not looked at where regions are pushed",
        WrongLambdaG::LatentNotPushed,
    ),
    wrong(
        "G11",
        "regions that outlive those of an effect are not pushed",
        WrongLambdaG::OlderNotPushed,
    ),
    wrong("G12", "the type of a function has no effects", WrongLambdaG::LatentForgotten),
    wrong("G13", "of several threads that fail the last one is told", WrongLambdaG::LastThread),
    wrong(
        "G14",
        "the results of the threads of a `parmap` are turned round",
        WrongLambdaG::ThreadsReversed,
    ),
    lowered(
        "G15",
        "only the first new word of a region is brought back from the device",
        WrongLambdaG::MergesFirst,
    ),
    lowered(
        "G16",
        "the environment of a closure is read from a word too far on",
        WrongLambdaG::EnvironmentShifted,
    ),
    lowered(
        "G17",
        "what waited on the stack is read again in reverse order",
        WrongLambdaG::FrameReversed,
    ),
    lowered(
        "G18",
        "what a thread allocates begins with the last word of what was allocated before",
        WrongLambdaG::ThreadsOverlap,
    ),
    lowered("G19", "the index of `!` is not tested", WrongLambdaG::IndexUnchecked),
    lowered(
        "G20",
        "nobody notices that a region of the device is full",
        WrongLambdaG::FullUnnoticed,
    ),
    lowered(
        "G21",
        "behind threads, the kernel that asked for them goes on with the stack that it began with",
        WrongLambdaG::StackForgotten,
    ),
    lowered(
        "G22",
        "the last word of a region is not copied to the device",
        WrongLambdaG::CopyShort,
    ),
    lowered(
        "G23",
        "a region of the host that grows loses what is in it",
        WrongLambdaG::GrowthLoses,
    ),
    Entry {
        pass: StageId("par-seq"),
        reference: "none: a law of rewriting with its sides mixed up",
        ..wrong(
            "G24",
            "the law that evaluates branches one after the other lets them change places",
            WrongLambdaG::BranchesSwapped,
        )
    },
];
