//! No program, and no shader as text or words, makes a whole command line panic or hang, or end with a status that it does not
//! have. Files of the corpus are its seeds.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Err(problem) = oracle::cli::mutated::try_bytes(bytes) {
        panic!("{problem}");
    }
});
