//! What generators and translations make prints to text that parses to the same program.

use oracle::generate::{Weights, fun_case};
use reference::kit::faults::Planted;
use reference::translate::{fun_to_funmem::transform_program, funmem_to_imp::translate};
use reference::{fun, funmem, imp};

/// `text` parses, and what it parses to prints as `text`. Two programs that print alike are the
/// same up to the numbering of their names and to spans: the printer leaves nothing else out.
fn round_trip<P>(
    text: &str,
    parse: impl Fn(&str) -> Result<P, reference::kit::text::Rejected>,
    print: impl Fn(&P) -> String,
) {
    let program = parse(text).unwrap_or_else(|error| panic!("{error:?} in\n{text}"));
    assert_eq!(print(&program), text);
}

#[test]
fn prints_parse() {
    let weights = Weights::default();
    for index in 0..400 {
        let program = fun_case(11, index, &weights).program;
        round_trip(&fun::print::program(&program), fun::parse::program, fun::print::program);
        let memory = transform_program(&program, Planted::NONE);
        let text = funmem::print::program(&memory);
        round_trip(&text, funmem::parse::program, funmem::print::program);
        let code = translate(&memory, Planted::NONE);
        round_trip(&imp::print::program(&code), imp::parse::program, imp::print::program);
    }
}
