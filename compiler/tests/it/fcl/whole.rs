//! A whole array, of more elements than a machine has threads and of no multiple of them.

use super::{TARGET, compiled, signature};
use crate::common::run_from;
use compiler::pass::specialise::specialise;
use compiler::pipeline::CHECKED;
use compiler::route::Plan;
use compiler::target::Fcl;
use reference::fcl::location::Machine;
use reference::fcl::parse;
use reference::kit::outcome::Ending;
use reference::kit::value::parse_values;

/// Elements: more than 128 blocks of twice 256 take, and a part of one more.
const ELEMENTS: i32 = (1 << 16) + 37;

#[test]
fn a_scan_of_an_odd_length() {
    let program = parse::program(
        "sig main : [int] -> [int]<grid>
         fun main xs = scanAll addi xs",
    );
    let special = specialise(&program.expect("it parses")).expect("it is specialised");
    let machine = Machine { warp: 32, block: 8, grid: 256 };
    let target = Fcl { machine, ..TARGET };
    let stages = compiled(&special, &signature(&special), target).expect("it is lowered");
    let element = |k: i32| k.wrapping_mul(1_103_515_245).wrapping_add(12_345);
    let elements: Vec<i32> = (0..ELEMENTS).map(element).collect();
    let sums = elements.iter().scan(0_i32, |sum, element| {
        *sum = sum.wrapping_add(*element);
        Some(*sum)
    });
    let wanted = parse_values(&format!("{:?}", sums.collect::<Vec<_>>())).expect("they are ints");
    let mut ran = 0;
    run_from(&stages, &Plan::default(), CHECKED, &format!("{elements:?}"), |stage, outcome| {
        let Ending::Value(found) = &outcome.ending else { panic!("{stage}: {:?}", outcome.ending) };
        assert!(*found == wanted, "the sums differ after {stage}");
        assert_eq!(outcome.races, [], "after {stage}");
        ran += 1;
    });
    assert!(ran > 0, "it runs nowhere");
}
