//! Chunks of warps: each is made by consecutive invocations, and warps of a group may differ.

use super::{MACHINE, TARGET, agrees, compared, lowered_for, signature};
use compiler::target::Fcl;
use reference::fcl::location::Machine;
use reference::fcl::parse;

/// The text of the program in the device language.
fn text(source: &str) -> String {
    let program = parse::program(source).expect("it parses");
    let lowered = lowered_for(TARGET, &program, &signature(&program)).expect("it is lowered");
    reference::device::print::program(&lowered)
}

/// Locations whose groups have one warp, several, warps of odd numbers, and invocations in no warp.
fn agrees_everywhere(source: &str, inputs: &[&str]) {
    for (warp, block) in [(4, 2), (3, 5), (1, 1)] {
        let machine = Machine { warp, block, ..MACHINE };
        compared(source, inputs, Fcl { machine, ..TARGET })
            .unwrap_or_else(|no| panic!("{source}\n{no:?}"));
    }
}

const ROWS: &str =
    "[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7]";

/// Warps that only write need no barrier.
#[test]
fn warps_that_agree() {
    let plain = "sig main : [int] -> [int]<grid>
         fun main xs = concat 10 (map (fn c => concat 5 (generate 2 (fn w =>
             push <warp> (generate 5 (fn i => w * i + length c))))) (splitUp 10 xs))";
    agrees_everywhere(plain, &[ROWS]);
    let plain = text(plain);
    assert!(!plain.contains("barrier"), "{plain}");
    let forced = "sig main : [int] -> [int]<grid>
         fun main xs = concat 10 (map (fn c => concat 5 (generate 2 (fn w =>
             let a = force (push <warp> (generate 9 (fn i => w * i + length c)))
                 b = force (push <warp> (generate 5 (fn i => index a (8 - i) + index a i)))
             in push <warp> (generate 5 (fn i => index b (4 - i) - index a (i + 1)))))) (splitUp 10 xs))";
    agrees_everywhere(forced, &[ROWS]);
    let forced = text(forced);
    assert!(forced.contains("barrier workgroup"), "{forced}");
    assert!(!forced.contains("takes_part"), "two warps make two chunks: {forced}");
}

/// The number of rounds, the branch and the length of an array depend on the chunk.
#[test]
fn warps_that_differ() {
    agrees_everywhere(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 15 (map (fn c => concat 5 (map (fn w =>
             let k = index w 0
                 r = while (fn a => index a 0 < k)
                       (fn a => push <warp> (generate 5 (fn i =>
                           if i == 0 then index a 0 + 1 else index a i + index a ((i + 1) % 5))))
                       (push <warp> (map (fn x => x - k) w))
             in push <warp> (generate 5 (fn i => index r (4 - i)))) (splitUp 5 c))) (splitUp 15 xs))",
        &[ROWS, "[]"],
    );
    agrees_everywhere(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 15 (map (fn c => concat 5 (map (fn w =>
             if index w 0 > 4
             then let a = force (push <warp> (generate 7 (fn i => index w (i % 5) + i)))
                      b = force (push <warp> (generate 7 (fn i => index a (6 - i) + index a i)))
                  in push <warp> (generate 5 (fn i => index b (i + 1)))
             else let a = force (push <warp> (generate 11 (fn i => index w (i % 5) * i)))
                  in push <warp> (generate 5 (fn i => index a (10 - i)))) (splitUp 5 c))) (splitUp 15 xs))",
        &[ROWS],
    );
    agrees_everywhere(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 15 (map (fn c => concat 5 (map (fn w =>
             let n = mini 9 (maxi 1 (index w 1))
                 a = force (push <warp> (generate n (fn i => i + index w 0)))
                 r = while (fn s => 1 < length s)
                       (fn s => push <warp> (generate (length s / 2) (fn i => index s (2 * i) + index s (2 * i + 1))))
                       (push <warp> a)
             in push <warp> (generate 5 (fn i => index r 0 * i))) (splitUp 5 c))) (splitUp 15 xs))",
        &[ROWS],
    );
}

/// Loops in loops, of which each warp has its own number, and branches in them.
#[test]
fn warps_that_differ_in_loops_of_loops() {
    agrees_everywhere(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 15 (map (fn c => concat 5 (map (fn w =>
             let r = while (fn a => index a 0 < index w 0)
                       (fn a =>
                         let t = while (fn b => index b 1 < index w 1 + index a 0)
                               (fn b => if index b 0 % 2 == 0
                                 then push <warp> (generate 5 (fn i => index b i + 1))
                                 else let d = force (push <warp> (generate 5 (fn i => index b (4 - i))))
                                      in push <warp> (generate 5 (fn i => index d (4 - i) + i)))
                               (push <warp> (map (fn x => x / 2) w))
                         in push <warp> (generate 5 (fn i =>
                              if i == 0 then index a 0 + 1 else index a i + index t ((i + 1) % 5))))
                       (push <warp> (generate 5 (fn i => i)))
             in push <warp> (generate 5 (fn i => index r (4 - i)))) (splitUp 5 c))) (splitUp 15 xs))",
        &[ROWS],
    );
}

/// Chunks of threads in a warp, in an order of their own, and warps in one.
#[test]
fn orders_of_warps() {
    agrees_everywhere(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 15 (map (fn c => interleave 5 (fn (i, j) => j * 3 + i) (map (fn w =>
             interleave 1 (fn (i, j) => (i + index w 0) % 5) (generate 5 (fn k =>
               push <thread> [index w k * 2 + length c]))) (splitUp 5 c))) (splitUp 15 xs))",
        &[ROWS],
    );
    agrees_everywhere(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 15 (map (fn c =>
             let a = force (concat 3 (generate 5 (fn w =>
                       let k = index c w % 3
                           b = force (push <warp> (generate 3 (fn i => index c (3 * w + i) + k)))
                       in if k == 0 then push <warp> b else push <warp> (generate 3 (fn i => index b (2 - i) - 1)))))
             in interleave 5 (fn (i, j) => j * 3 + i) (generate 3 (fn w => push <warp> (generate 5 (fn i =>
                  index a (i * 3 + w)))))) (splitUp 15 xs))",
        &[ROWS],
    );
}

/// Of the warps that fail the lowest chunk is told, of its first array that fails the lowest element.
#[test]
fn warps_that_fail() {
    let failing = |place: &str| {
        format!(
            "sig main : [int] -> [int]<grid>
             fun main xs = concat 15 (map (fn c => concat 5 (map (fn w =>
                 let z = index w 0
                     a = force (push <warp> (generate 13 (fn i => {place})))
                     b = force (push <warp> (generate 5 (fn i => 1 / (index a i - 3))))
                 in push <warp> (generate 5 (fn i => index b (4 - i) + index w (index a i - 5)))) (splitUp 5 c)))
                 (splitUp 15 xs))"
        )
    };
    let elements = failing("if z == 9 && i > 4 then 1 / (12 - i - i / 12) else i + 5");
    agrees_everywhere(&elements, &[ROWS]);
    let later = failing("if z == 9 && i == 11 || z == 3 && i == 12 then 1 / 0 else 5 + i % 5");
    agrees_everywhere(&later, &[ROWS]);
    agrees_everywhere(&failing("if z == 5 then i else i + 5"), &[ROWS]);
    agrees_everywhere(&failing("if z == 3 && i == 4 then 10 else i + 5"), &[ROWS]);
    // The spine of a warp, and its length.
    agrees_everywhere(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 15 (map (fn c => concat 5 (map (fn w =>
             let a = force (push <warp> (generate 5 (fn i => index w i - 9)))
                 q = 10 / index a 0
             in push <warp> (generate 5 (fn i => index a i + q))) (splitUp 5 c))) (splitUp 15 xs))",
        &[ROWS, "[1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 1, 2, 3, 4, 5]"],
    );
    agrees_everywhere(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 15 (map (fn c => concat 5 (map (fn w =>
             let a = force (push <warp> (generate 5 (fn i => index w i + i)))
             in push <warp> (generate (mini 5 (index a 1)) (fn i => index a i))) (splitUp 5 c))) (splitUp 15 xs))",
        &[ROWS, "[1, 9, 3, 4, 5, 6, 7, 8, 8, 7, 1, 5, 3, 4, 5]"],
    );
}

/// A failure in the elements of the group that follow warps, and in warps that follow them.
#[test]
fn elements_beside_warps_that_fail() {
    agrees_everywhere(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 15 (map (fn c =>
             let a = force (concat 5 (map (fn w =>
                       let b = force (push <warp> (generate 5 (fn i => 60 / index w i)))
                       in push <warp> (generate 5 (fn i => index b (4 - i)))) (splitUp 5 c)))
             in push <block> (generate 15 (fn i => index a i / (index c i - 2)))) (splitUp 15 xs))",
        &[
            ROWS,
            "[1, 3, 3, 4, 5, 6, 7, 8, 8, 7, 1, 5, 3, 4, 5]",
            "[1, 3, 3, 4, 5, 6, 7, 0, 8, 0, 1, 5, 3, 0, 0]",
        ],
    );
}

/// Arrays of warps for which a group has no room are shares of a block, one for each warp.
#[test]
fn arrays_of_warps_in_a_block() {
    let source = "sig main : int -> [int] -> [int]<grid>
         fun main n xs = concat 15 (map (fn c => concat 5 (map (fn w =>
             let a = force (push <warp> (generate n (fn i => index w (i % 5) * i)))
                 r = while (fn s => index s 0 < index w 1)
                       (fn s => push <warp> (generate n (fn i => if i == 0 then index s 0 + 1 else index s (n - i))))
                       (push <warp> a)
             in push <warp> (generate 5 (fn i => index r (n - 1 - i)))) (splitUp 5 c))) (splitUp 15 xs))";
    let inputs = [&format!("9, {ROWS}") as &str, &format!("5, {ROWS}"), &format!("4, {ROWS}")];
    agrees(source, &inputs);
    assert!(text(source).contains("slab"));
    for group_memory in [4 * 20, 4 * 40, 4 * 60] {
        compared(source, &inputs, Fcl { group_memory, ..TARGET }).expect("it is lowered");
    }
}
