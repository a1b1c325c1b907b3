//! No text panics or hangs the parser of the device language, and what it reads is printed and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use oracle::language::Lang;

fuzz_target!(|text: &str| {
    if let Err(problem) = oracle::check::round_trip::text(Lang::Device, text) {
        panic!("{problem}");
    }
});
