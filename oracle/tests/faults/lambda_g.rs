//! Each fault that is planted in λG's types or semantics is found, its stage is blamed, and the witness is small.
//! `--nocapture` shows when.

use super::fcl::{is_found, is_found_from};

/// Expressions of a program that shows one.
const EXPRESSIONS: usize = 20;

macro_rules! faults {
    ($($name:ident $id:literal)*) => {
        $(#[test] fn $name() { is_found($id, EXPRESSIONS); })*

        /// Those that programs of a campaign show.
        pub(super) const DRAWN: &[&str] = &[$($id,)* "G11"];
    };
}

faults! {
    words_that_are_skipped "G1"
    a_region_that_grows_too_little "G2"
    dynamic_scope "G3"
    a_fix_that_forgets_itself "G4"
    branches_from_one_table "G5"
    nothing_is_reserved "G6"
    a_merge_that_loses "G7"
    a_merge_that_reorders "G8"
    a_region_of_the_device_that_grows "G9"
    effects_that_are_not_pushed "G10"
    functions_without_effects "G12"
    the_last_thread "G13"
    threads_that_are_turned_round "G14"
}

/// One program in some hundreds shows it.
#[test]
fn older_regions_that_are_not_pushed() {
    is_found_from(2, "G11", EXPRESSIONS);
}
