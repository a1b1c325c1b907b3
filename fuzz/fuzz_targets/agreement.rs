//! Bytes make a program, and all semantic engines agree on it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use oracle::campaign::drawn_from;
use oracle::check::{Depth, Tester, Verdict};

fuzz_target!(|bytes: &[u8]| {
    let drawn = drawn_from(bytes);
    let seen = Tester::new(Vec::new(), Default::default()).examine(&drawn.case, Depth::Quick);
    if let Verdict::Finding(finding) = seen.verdict {
        panic!("{}: {}", finding.signature(), finding.text);
    }
});
