//! The faults that can be planted: how the tester is tested. Those of passes but U1 repeat one that a compiler of
//! this family once had; the others are laws of rewriting that are wrong, a wrong front of the search by them, and those of the judge of shaders.

use crate::check::laws::FRONT;
use crate::check::race::RACE_CHECK;
use crate::engine::StageId;
use crate::language::{Lang, Listed};
use crate::stages::LOWER_FCL;
use crate::stages::{EMIT, EXPAND_MEMORY, INSERT_MEMORY, LOWER, TO_IMP};
use reference::axes::Axes;
use reference::device::Device;
use reference::fcl::Fcl;
use reference::kit::faults::WrongFcl;
use reference::kit::faults::{Fault, Planted, WrongLaw};
use reference::lambda_g::rewriting;
use serde::Serialize;

mod judge;
mod lambda_g;
mod minias;

/// A fault, where it is planted and what it repeats.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Entry {
    /// Its identifier.
    pub id: &'static str,
    /// The pass that carries it, which is the one to blame.
    pub pass: StageId,
    /// Where the history that it repeats is told.
    pub reference: &'static str,
    /// What goes wrong.
    pub cause: &'static str,
    /// The engines that can show it, by the part of their names before the colon.
    pub shown_by: &'static [&'static str],
    /// The language whose programs show it, if it is one alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Lang>,
    /// The fault itself.
    #[serde(skip)]
    pub fault: Fault,
}

/// A law of rewriting that is wrong: the law is to blame.
const fn law(id: &'static str, name: &'static str, cause: &'static str, wrong: WrongLaw) -> Entry {
    Entry {
        id,
        pass: StageId(name),
        reference: "none: a law that looks right, most of them without their guard",
        cause,
        // By plans in IMP, where programs are rewritten first.
        shown_by: &["axes", "imp"],
        language: Some(Axes::LANG),
        fault: Fault::Law(wrong),
    }
}

/// FCL compiled wrong, as the implementation of 2017 does.
const fn fcl(id: &'static str, cause: &'static str, wrong: WrongFcl) -> Entry {
    let reference = "dybber/fcl of 2017";
    Entry { reference, ..fcl_of_ours(id, LOWER_FCL, cause, wrong) }
}

/// FCL typed or compiled wrong in a way that no implementation had.
const fn fcl_of_ours(
    id: &'static str,
    pass: StageId,
    cause: &'static str,
    wrong: WrongFcl,
) -> Entry {
    Entry {
        id,
        pass,
        reference: "none: a step of a compiler of FCL that is easily left out",
        cause,
        shown_by: &["device", "fcl"],
        language: Some(Fcl::LANG),
        fault: Fault::Fcl(wrong),
    }
}

/// Every fault that can be planted.
pub const FAULTS: &[Entry] = &{
    const LISTS: [&[Entry]; 4] = [OF_OTHERS, minias::FAULTS, lambda_g::FAULTS, judge::FAULTS];
    const ALL: usize = LISTS[0].len() + LISTS[1].len() + LISTS[2].len() + LISTS[3].len();
    let mut all = [OF_OTHERS[0]; ALL];
    let (mut at, mut list, mut behind) = (0, 0, 0);
    while at < all.len() {
        while at - behind == LISTS[list].len() {
            behind = at;
            list += 1;
        }
        all[at] = LISTS[list][at - behind];
        at += 1;
    }
    all
};

/// What shows the faults of the judge of shaders, which is no engine.
pub const JUDGE: &str = "judge";

/// Those of all other languages.
const OF_OTHERS: &[Entry] = &[
    Entry {
        id: "X1",
        pass: EXPAND_MEMORY,
        reference: "diku-dk/futhark#1328, 4b66041b3, 2021-05 (0.19.5)",
        cause: "memory expansion leaves the thread's share out of the offset, so that threads \
                share memory",
        shown_by: &["funmem", "imp"],
        language: None,
        fault: Fault::X1,
    },
    Entry {
        id: "L3",
        pass: INSERT_MEMORY,
        reference: "diku-dk/futhark#1054, d7d02a995, 2020-07",
        cause: "insertion permutes the shape of a transposed array, but not its strides",
        shown_by: &["funmem", "imp"],
        language: None,
        fault: Fault::L3,
    },
    Entry {
        id: "L1",
        pass: INSERT_MEMORY,
        reference: "diku-dk/futhark#243, 7e53e9df4, 2016-10",
        cause: "insertion forgets the offset of the array that a slice is taken of",
        shown_by: &["funmem", "imp"],
        language: None,
        fault: Fault::L1,
    },
    Entry {
        id: "R1",
        pass: RACE_CHECK,
        reference: "3f71baa5c of diku-dk/futhark, 2017-08: interferences in kernels were missed",
        cause: "the check of race-freedom ignores reads, so that only two writes race",
        shown_by: &["imp"],
        language: None,
        fault: Fault::R1,
    },
    Entry {
        id: "D2",
        pass: TO_IMP,
        reference: "the lost copy of loop-carried values; like 586009322 of diku-dk/futhark, 2016-11",
        cause: "the translation assigns a loop's carried values one after the other, so that a \
                swap loses one",
        shown_by: &["imp"],
        language: None,
        fault: Fault::D2,
    },
    Entry {
        id: "U1",
        pass: TO_IMP,
        reference: "none: blocks of ours are zeroed, so no result shows it, and the compilers of the history zero none",
        cause: "the translation leaves out the results of a kernel that are 0, as if fresh memory \
                were written already",
        shown_by: &["imp"],
        language: None,
        fault: Fault::U1,
    },
    Entry {
        id: "B1",
        pass: LOWER,
        reference: "diku-dk/futhark#1808, 74a1fa6a2, 2022-12; #1758",
        cause: "lowering drops the bounds check of an index",
        shown_by: &["device"],
        language: None,
        fault: Fault::B1,
    },
    Entry {
        id: "W1",
        pass: EMIT,
        reference: "none: a step of a failure through the callers that is easily left out",
        cause: "a check that fails in a function of a shader sets no flag of the launch",
        shown_by: &["spirv"],
        language: Some(Device::LANG),
        fault: Fault::W1,
    },
    law(
        "A1",
        "split-red",
        "a reduction is split into tiles that do not make it up, so that rounds are lost",
        WrongLaw::SplitRed,
    ),
    law(
        "A2",
        "split-build",
        "an axis is split into tiles that do not make it up",
        WrongLaw::SplitBuild,
    ),
    law(
        "A3",
        "seq-split",
        "each tile of a loop begins with the start of the loop, not with what the one before gives",
        WrongLaw::SeqSplit,
    ),
    law("A4", "red-const", "the minimum of no number is said to be the number", WrongLaw::RedConst),
    law(
        "A5",
        "inline",
        "a body is put in the place of a read though it may get stuck, or the index is outside",
        WrongLaw::InlinePartial,
    ),
    law("A6", "unit", "0 is taken for the identity of every operator", WrongLaw::Unit),
    law("A7", "factor", "a factor leaves the reduction whose axis it mentions", WrongLaw::Factor),
    law(
        "A8",
        "halve-red",
        "two rounds become one where there is an odd number of them",
        WrongLaw::HalveRed,
    ),
    law("A9", "peel-red", "the rounds behind the first one begin with it again", WrongLaw::PeelRed),
    law("A10", "comm", "the operands of `-` and of other operators change places", WrongLaw::Comm),
    law(
        "A11",
        "layout-2",
        "the axes of an array change places, and the indices that read it do not",
        WrongLaw::Layout,
    ),
    Entry {
        id: "C1",
        pass: FRONT,
        reference: "none: egraphs-good/extraction-gym#49 and others keep costs that are not those of the term",
        cause: "a front of an e-graph keeps the cost of a class after a better term has come into it",
        shown_by: &["axes"],
        language: Some(Axes::LANG),
        fault: Fault::Front,
    },
    fcl(
        "F1",
        "a `while` below the grid writes over the array that it reads",
        WrongFcl::GroupLoopInPlace,
    ),
    fcl(
        "F2",
        "a `while` at the grid writes over the array that it reads",
        WrongFcl::GridLoopInPlace,
    ),
    fcl(
        "F3",
        "each array of a work group has room for 2,048 bytes, however long it is",
        WrongFcl::GroupArraysCut,
    ),
    fcl("F4", "(a / c) * d is folded to a / (c / d)", WrongFcl::QuotientFolded),
    fcl(
        "F5",
        "/ and % by a power of two are a shift and a mask, of negative numbers too",
        WrongFcl::SignedShift,
    ),
    fcl("F6", "e / e is folded to 1, though e may be 0", WrongFcl::QuotientOfItself),
    fcl(
        "F7",
        "`mapPush` over `interleave` puts elements at i * m + j, whatever the order",
        WrongFcl::MapForgetsOrder,
    ),
    fcl(
        "F8",
        "an array of a group with one element is the first invocation's alone",
        WrongFcl::OneElementPrivate,
    ),
    fcl(
        "F9",
        "no barrier between a condition by content and what it steers",
        WrongFcl::ConditionWithoutBarrier,
    ),
    fcl_of_ours(
        "F10",
        LOWER_FCL,
        "no barrier orders accesses to arrays that are no longer than a warp",
        WrongFcl::WarpWithoutBarrier,
    ),
    fcl_of_ours(
        "F11",
        LOWER_FCL,
        "the arrays of all threads are at the same place",
        WrongFcl::ThreadsShareArrays,
    ),
    fcl_of_ours(
        "F12",
        LOWER_FCL,
        "liveness of arrays of a work group forgets the back edge of a loop",
        WrongFcl::BackEdge,
    ),
    fcl_of_ours(
        "F13",
        LOWER_FCL,
        "the last round of elements, if it is incomplete, is left out",
        WrongFcl::IncompleteRound,
    ),
    fcl_of_ours(
        "F14",
        LOWER_FCL,
        "the failure of the lowest invocation is told, not that of the lowest element",
        WrongFcl::LowestInvocation,
    ),
    fcl_of_ours(
        "F15",
        LOWER_FCL,
        "the lengths of the chunks of a `concat` are not tested",
        WrongFcl::NoLengthTest,
    ),
    fcl_of_ours(
        "F16",
        StageId::SOURCE,
        "a `let` is generalised over the variables of its context too, as rule 25 is printed",
        WrongFcl::GeneralisesContext,
    ),
    fcl_of_ours(
        "F17",
        StageId::SOURCE,
        "unification ignores `1 +`, so that levels are alike",
        WrongFcl::LevelsWithoutSuccessor,
    ),
    fcl_of_ours("F18", LOWER_FCL, "warps that differ run without masks", WrongFcl::WithoutMasks),
];

/// Can faults be planted in this build?
pub const BUILT: bool = cfg!(feature = "faults");

impl Entry {
    /// Is it a law from λG to λG? Only programs that are rewritten show it.
    pub fn is_law_of_lambda_g(&self) -> bool {
        rewriting::Law::named(self.pass.0).is_some()
    }

    /// The fault of this name.
    pub fn find(id: &str) -> Option<&'static Entry> {
        FAULTS.iter().find(|entry| entry.id.eq_ignore_ascii_case(id))
    }

    /// What passes and runs carry; nothing in a build without the feature.
    pub fn planted(&self) -> Planted {
        #[cfg(feature = "faults")]
        return Planted::new(self.fault);
        #[cfg(not(feature = "faults"))]
        Planted::NONE
    }

    /// Is one of the engines that can show it asked for? `only` is as in
    /// [`Tester::only`](crate::check::Tester::only).
    pub fn can_be_shown(&self, only: &[String]) -> bool {
        only.is_empty()
            || only.iter().any(|name| {
                let room = name.split(':').next().unwrap_or_default();
                self.shown_by.contains(&room)
            })
    }
}
