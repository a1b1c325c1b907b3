//! MiniAS typed, translated by evidence or compiled wrong.

use super::Entry;
use crate::engine::StageId;
use crate::language::Listed;
use reference::kit::faults::{Fault, WrongMinias};
use reference::minias::Minias;

/// The pass that makes a clone for the rows of each call.
const SPECIALISE: StageId = StageId("specialise_rows");

/// The pass that passes evidence: what both passes do wrong is seen there first.
const EVIDENCE: StageId = StageId("pass_evidence");

const fn wrong(id: &'static str, pass: StageId, cause: &'static str, wrong: WrongMinias) -> Entry {
    Entry {
        id,
        pass,
        reference: "none: a step of inference or compilation that is easily left out",
        cause,
        shown_by: &["device", "minias"],
        language: Some(Minias::LANG),
        fault: Fault::Minias(wrong),
    }
}

/// Faults of MiniAS.
pub(super) const FAULTS: &[Entry] = &[
    wrong(
        "S1",
        StageId::SOURCE,
        "a row variable is bound to a row that it ends",
        WrongMinias::NoOccurs,
    ),
    wrong(
        "S2",
        StageId::SOURCE,
        "rows with other names before one end are taken for the same",
        WrongMinias::NoTail,
    ),
    wrong(
        "S3",
        StageId::SOURCE,
        "what a row variable lacks is forgotten where another one takes its place",
        WrongMinias::PredicateLost,
    ),
    wrong(
        "S4",
        StageId::SOURCE,
        "the row of a variable that is assigned to is opened, as that of its value is",
        WrongMinias::WritesOpened,
    ),
    wrong(
        "S5",
        StageId::SOURCE,
        "constant may stand in a row with other names",
        WrongMinias::ConstantInRow,
    ),
    wrong(
        "S6",
        StageId::SOURCE,
        "each use of a local variable has a row of its own",
        WrongMinias::LocalsGeneralised,
    ),
    wrong(
        "S7",
        StageId::SOURCE,
        "the row of a variable is closed where it is declared",
        WrongMinias::ClosedEarly,
    ),
    wrong(
        "S8",
        StageId::SOURCE,
        "e and e + 1 of fig. 9 have changed places",
        WrongMinias::PlacesSwapped,
    ),
    wrong(
        "S9",
        StageId::SOURCE,
        "a pointer keeps its tag where its row of several names is opened",
        WrongMinias::NoRetag,
    ),
    wrong(
        "S10",
        StageId::SOURCE,
        "a row table has its spaces in another order than the tags",
        WrongMinias::TableUnsorted,
    ),
    wrong("S11", EVIDENCE, "a cast to a space does not test", WrongMinias::CastUntested),
    wrong(
        "S12",
        EVIDENCE,
        "a dynamic_cast to another space keeps the pointer",
        WrongMinias::DynamicKeeps,
    ),
    wrong("S13", EVIDENCE, "a switch over spaces falls to the wrong one", WrongMinias::SwitchFalls),
    wrong("S14", EVIDENCE, "arrays of private memory overlap", WrongMinias::PrivateOverlaps),
    wrong(
        "S15",
        EVIDENCE,
        "an array of local memory overlaps those of the parameters",
        WrongMinias::LocalOverlaps,
    ),
    wrong(
        "S16",
        EVIDENCE,
        "a barrier of local memory orders global memory",
        WrongMinias::BarrierScope,
    ),
    wrong("S17", SPECIALISE, "calls with different rows share one clone", WrongMinias::OneClone),
];
