//! A new cause is one line: this test declares one, and every part of the house knows it.

use crate::common::{compile_device, run_all};
use reference::device::rules::Rule;
use reference::device::{parse, print};
use reference::kit::cause::{Cause, holds};
use reference::kit::outcome::{Ending, Site};
use reference::kit::rules::Roll;
use reference::kit::text::Span;

reference::causes! {
    /// The cell `used` of a region of `size` cells is asked for, and all are used.
    FULL = "full", [used, size], (0 <= used, used < size), "all {size} cells of a region are used";
}

const SOURCE: &str = "kernel k(b : block[i32], n : i32) group 4 {
  check full(i32(global_id) + n, 4);
  b.[global_id] = 1;
}
param n : i32;
let b = alloc i32(4);
launch k(b, n) for 4;
result b : [4] at 0 strides (1);
";

/// What declares it: the name, the operands, the test and the sentence.
#[test]
fn a_cause_is_its_line() {
    assert_eq!((FULL.name(), FULL.operands()), ("full", &["used", "size"][..]));
    assert!(holds(FULL, &[3, 4]) && !holds(FULL, &[4, 4]) && !holds(FULL, &[-1, 4]));
    assert_eq!(FULL.sentence(&[4, 4]), "all 4 cells of a region are used");
    assert_eq!(Cause::named("full"), Ok(FULL));
    assert!(Rule::Check.info().premises().contains(&"full"), "D-CHECK has it");
}

/// Files keep it by its name.
#[test]
fn it_has_a_stable_name_in_files() {
    let site = Site { span: Span::new(1, 2), cause: FULL };
    let text = serde_json::to_string(&site).expect("it serializes");
    assert!(text.contains("\"full\""), "{text}");
    assert_eq!(serde_json::from_str::<Site>(&text).expect("and is read back"), site);
    let unknown = serde_json::from_str::<Site>(&text.replace("full", "fuller"));
    assert!(unknown.expect_err("no such cause").to_string().contains("fuller"));
}

/// Programs that check it are read, printed, compiled and run; every stage reports it alike.
#[test]
fn programs_check_it() {
    let program = parse::program(SOURCE).unwrap_or_else(|error| panic!("{error}"));
    let printed = print::program(&program);
    assert!(printed.contains("check full("), "{printed}");
    assert_eq!(print::program(&parse::program(&printed).expect("it is read back")), printed);

    let stages = compile_device(SOURCE);
    assert!(stages.stop.is_none(), "{:?}", stages.stop);
    let mut ran = 0;
    run_all(&stages, "0", |stage, outcome| {
        assert!(matches!(outcome.ending, Ending::Value(_)), "{stage}: {:?}", outcome.ending);
    });
    run_all(&stages, "2", |stage, outcome| {
        let Ending::Stuck(stuck) = &outcome.ending else {
            panic!("after {stage}: {:?}", outcome.ending)
        };
        assert_eq!((stuck.site.cause, &stuck.thread[..]), (FULL, &[3][..]), "after {stage}");
        assert_eq!(stuck.operands, [4, 4], "after {stage}");
        assert_eq!(stuck.sentence(), "all 4 cells of a region are used");
        ran += 1;
    });
    assert!(ran > 3, "only {ran} stages ran");
}
