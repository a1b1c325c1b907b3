//! No program makes a whole command line panic or hang, or end with a status that it does not have. Files of the
//! corpus are its seeds.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Err(problem) = oracle::cli::mutated::try_text(text) {
        panic!("{problem}");
    }
});
