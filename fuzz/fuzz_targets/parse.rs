//! No text panics or hangs a parser, and what it reads is printed and read again. The first byte names
//! the language.
#![no_main]

use libfuzzer_sys::fuzz_target;
use oracle::language::Lang;

fuzz_target!(|input: (u8, &str)| {
    let (first, text) = input;
    let lang = Lang::ALL[usize::from(first) % Lang::ALL.len()];
    if let Err(problem) = oracle::check::round_trip::text(lang, text) {
        panic!("{problem}");
    }
});
