//! Each fault that is planted in MiniAS's types, translations or compiler is found without a driver, its stage is blamed, and
//! the witness is small. `--nocapture` shows when.

use super::fcl::is_found;

/// Statements of a program that shows one, those of its functions among them.
const STATEMENTS: usize = 12;

macro_rules! faults {
    ($($name:ident $id:literal)*) => {
        $(#[test] fn $name() { is_found($id, STATEMENTS); })*

        /// Those that programs of a campaign show.
        pub(super) const DRAWN: &[&str] = &[$($id),*];
    };
}

faults! {
    a_row_in_its_own_end "S1"
    rows_before_one_end "S2"
    a_predicate_that_is_lost "S3"
    writes_that_are_opened "S4"
    constant_in_a_row "S5"
    locals_that_are_generalised "S6"
    rows_that_close_early "S7"
    places_that_are_swapped "S8"
    tags_that_stay "S9"
    tables_out_of_order "S10"
    a_cast_without_a_test "S11"
    a_failed_cast_that_keeps_its_pointer "S12"
    a_switch_that_falls "S13"
    private_arrays_that_overlap "S14"
    local_arrays_that_overlap "S15"
    a_barrier_of_another_memory "S16"
    one_clone_for_two_rows "S17"
}
