//! Each fault that is planted in λG's types, semantics or compiler is found without a driver, its stage is blamed, and the
//! witness is small.
//! `--nocapture` shows when.

use super::fcl::{is_found, is_found_from};

/// Expressions of a program that shows one.
const EXPRESSIONS: usize = 20;

macro_rules! faults {
    ($($name:ident $id:literal)*) => {
        $(#[test] fn $name() { is_found($id, EXPRESSIONS); })*

        /// Those that programs of a campaign show.
        pub(super) const DRAWN: &[&str] = &[$($id,)* "G11", "G24"];
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
    a_merge_of_one_word "G15"
    environments_that_are_shifted "G16"
    a_frame_in_reverse_order "G17"
    threads_that_overlap "G18"
    an_index_without_a_test "G19"
    a_full_region_that_nobody_notices "G20"
    a_stack_that_is_forgotten "G21"
    a_copy_that_is_short "G22"
    a_growth_that_loses "G23"
}

/// One program in some hundreds shows it.
#[test]
fn older_regions_that_are_not_pushed() {
    is_found_from(2, "G11", EXPRESSIONS);
}
