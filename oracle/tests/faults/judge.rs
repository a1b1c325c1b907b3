//! Each fault that is planted in the judge gives a shader of the corpus another verdict than it says.

use std::path::Path;
use std::process::Command;

/// A fault, and the shader that shows it.
const SHOWN: &[(&str, &str)] = &[
    ("J1", "race/barrier_of_one_space.wgsl"),
    ("J2", "clean/array_copy.wgsl"),
    ("J3", "clean/broadcast_reused.wgsl"),
    ("J4", "barrier/guard_return.wgsl"),
    ("J5", "race/message_in_same_dispatch.wgsl"),
    ("J6", "race/vector_components.wgsl"),
    ("J7", "clean/matrix_by_components.wgsl"),
    ("J8", "needs-progress/grid_barrier.wgsl"),
    ("J9", "rounding-dependent/tenths.wgsl"),
    ("J10", "rounding-dependent/sum_in_buffer.wgsl"),
    ("J11", "out-of-bounds/select_chosen.wgsl"),
    ("J12", "discarded-read/select_neighbour.wgsl"),
    ("J13", "out-of-bounds/ticket_overflow.wgsl"),
    ("J14", "uninitialised/tile_half_written.spvasm"),
    ("J15", "race/flag_in_group.wgsl"),
    ("J16", "race/spirv_counter_reset.spvasm"),
    ("J17", "never-ends/subtractive_gcd.wgsl"),
    ("J18", "needs-progress/producer_consumer.wgsl"),
    ("J19", "same-value/sieve.wgsl"),
    ("J20", "translator/rotate.wgsl"),
    ("J21", "subgroup-dependent/sum_of_group.wgsl"),
    ("J22", "indeterminate/shuffle_inactive.wgsl"),
    ("J23", "not-finite/nan_check.wgsl"),
    ("J24", "not-finite/race_behind_nan.wgsl"),
    ("J25", "needs-progress/lock_in_a_group.wgsl"),
    ("J26", "needs-progress/barrier_of_twenty_groups.wgsl"),
];

/// Those that are shown.
pub(super) fn shown() -> impl Iterator<Item = &'static str> {
    SHOWN.iter().map(|(fault, _)| *fault)
}

fn judge(args: &[&str]) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lockstep")).args(args).output();
    let output = output.expect("lockstep starts");
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn shaders_of_the_corpus_show_faults_of_the_judge() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/wgsl");
    for (fault, shader) in SHOWN {
        let path = corpus.join(shader);
        let path = path.to_str().expect("a plain name");
        let (status, told) = judge(&["judge", path]);
        assert_eq!(status, 0, "{shader}: {told}");
        let (status, told) = judge(&["judge", path, "--fault", fault]);
        assert_eq!(status, 1, "{fault} is not shown by {shader}: {told}");
        assert!(told.contains("which is not what the judge finds"), "{fault}: {told}");
    }
}

/// A fault of a compiler is none of the judge, and the other way round.
#[test]
fn a_fault_of_another_is_refused() {
    let (status, told) = judge(&["fuzz", "--programs", "1", "--fault", "J1"]);
    assert!(status == 2 && told.contains("lockstep judge --fault J1"), "{told}");
    let shader = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/wgsl/clean/array_copy.wgsl");
    let (status, told) = judge(&["judge", shader, "--fault", "X1"]);
    assert!(status == 2 && told.contains("X1 is no fault of the judge"), "{told}");
}
