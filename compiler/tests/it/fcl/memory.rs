//! Where arrays of a work group are, and what orders accesses to them.

use super::{MACHINE, TARGET, agrees, compared, lowered_for, signature};
use compiler::lower::fcl as lowering;
use compiler::target::Fcl;
use reference::fcl::doubles::Format;
use reference::fcl::location::Machine;
use reference::fcl::parse;
use reference::kit::decisions::{Decisions, Policy};
use reference::kit::faults::Planted;

/// An array that the work-group memory of the adapter has no room for is a share of a block.
#[test]
fn memory_of_a_work_group() {
    let source = "sig main : [int] -> [int]<grid>
         fun main xs = concat 20 (map (fn c =>
             let a = force (push <block> (generate 20 (fn i => index c i + index c 0)))
             in push <block> (generate 20 (fn i => index a (19 - i)))) (splitUp 20 xs))";
    let program = parse::program(source).expect("it parses");
    let input = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]";
    for (group_memory, in_a_block) in [(4 * 23, false), (4 * 22, true)] {
        let target = Fcl { group_memory, ..TARGET };
        let lowered = lowered_for(target, &program, &signature(&program)).expect("it is lowered");
        let text = reference::device::print::program(&lowered);
        assert_eq!(text.contains("slab"), in_a_block, "{text}");
        let mut decisions = Decisions::reported(Policy::default());
        lowering::lower(&program, &signature(&program), target, Planted::NONE, &mut decisions)
            .expect("it is lowered");
        assert_eq!(decisions.report().len(), usize::from(in_a_block), "it tells of the block");
        compared(source, &[input], target).expect("it is lowered");
    }
}

#[test]
fn locations_that_no_work_group_has() {
    let program = parse::program("sig main : [int] -> [int]<block>\nfun main xs = push <block> xs");
    let program = program.expect("it parses");
    for (warp, is_lowered) in [(512, true), (513, false)] {
        let target = Fcl { machine: Machine { warp, ..MACHINE }, ..TARGET };
        let lowered = lowered_for(target, &program, &signature(&program));
        assert_eq!(lowered.is_ok(), is_lowered, "{:?}", lowered.err());
    }
}

/// Of four arrays, each made of the one before, two live at the same time; in a loop one more does.
#[test]
fn arrays_that_share_memory() {
    let chain = "let a = force (push <block> (generate 20 (fn i => index c i + index c 0)))
                 b = force (push <block> (generate 20 (fn i => index a (19 - i) * 2)))
                 d = force (push <block> (generate 20 (fn i => index b i - index b ((i + 7) % 20))))
                 e = force (push <block> (generate 20 (fn i => index d (19 - i) + index d i)))
             in push <block> (generate 20 (fn i => index e ((i * 3) % 20)))";
    let loops = "let a = force (push <block> (generate 20 (fn i => index c i + index c 0)))
                 b = force (push <block> (generate 20 (fn i => index a (19 - i) * 2)))
                 r = while (fn s => index s 0 < 500)
                       (fn s => let t = force (push <block> (generate 20 (fn i => index s (19 - i) + index b i)))
                                in push <block> (generate 20 (fn i => index t ((i + 3) % 20) + index s i)))
                       (push <block> b)
             in push <block> r";
    let input = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, \
                 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]";
    for (body, words) in [(chain, 40), (loops, 80)] {
        let source = format!(
            "sig main : [int] -> [int]<grid>\nfun main xs = concat 20 (map (fn c => {body}) (splitUp 20 xs))"
        );
        let program = parse::program(&source).expect("it parses");
        let lowered = lowered_for(TARGET, &program, &signature(&program)).expect("it is lowered");
        let text = reference::device::print::program(&lowered);
        assert!(text.contains(&format!("array[u32, {words}]")), "{text}");
        agrees(&source, &[input]);
    }
}

/// Between what invocations write and what others read stands one barrier, and no check is left that always holds.
#[test]
fn barriers_where_others_read() {
    let source = "sig main : [int] -> [int]<grid>
         fun main xs =
           concat 8 (map (fn c =>
             let a = force (push <block> (map (fn x => x + 1) c))
             in push <block> (generate 8 (fn i => index a (7 - i) + index a i))) (splitUp 8 xs))";
    let program = parse::program(source).expect("it parses");
    let lowered = lowered_for(TARGET, &program, &signature(&program)).expect("it is lowered");
    let text = reference::device::print::program(&lowered);
    assert_eq!(text.matches("barrier").count(), 1, "{text}");
    assert_eq!(text.matches("check").count(), 0, "{text}");
    agrees(source, &["[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17]", "[]"]);
}

/// Tiles that are read along columns have a word more behind each 32, where there is room for them.
#[test]
fn tiles_are_padded() {
    let tiles = |rows: i32, cols: i32, read: &str, element: &str| {
        let size = rows * cols;
        format!(
            "sig main : [int] -> [int]<grid>
             fun main xs = concat {size} (map (fn c =>
               let a = force (push <block> (map (fn x => {element}) c))
               in push <block> (generate {size} (fn i => 60 / ({read})))) (splitUp {size} xs))"
        )
    };
    let few = Fcl { group_memory: 4 * (262 + 3), ..TARGET };
    let doubles = Fcl { doubles: Format::F64, ..TARGET };
    let (column, row) = ("index a (i % 16 * 16 + i / 16)", "index a (255 - i)");
    let double = "d2i (index a (i % 16 * 16 + i / 16))";
    let pair = "let p = index a (i % 16 * 16 + i / 16) in if snd p then fst p else 7";
    let elements: Vec<String> = (1..=512).map(|k| (k * 7 % 61).to_string()).collect();
    let zero = [elements[..300].join(", "), "0".to_owned(), elements[..300].join(", ")].join(", ");
    for (source, target, words) in [
        (tiles(16, 16, column, "x"), TARGET, 256 + 7),
        (tiles(16, 16, column, "x"), few, 256),
        (tiles(16, 16, row, "x"), TARGET, 256),
        (tiles(32, 8, "index a (i % 32 * 8 + i / 32)", "x"), TARGET, 256 + 7),
        (tiles(4, 64, "index a (i % 4 * 64 + i / 4)", "x"), TARGET, 256 + 7),
        (tiles(64, 4, "index a (i % 64 * 4 + i / 64)", "x"), TARGET, 256),
        (tiles(16, 16, double, "i2d x"), doubles, 512 + 15),
        (tiles(16, 16, pair, "(x, x % 2 == 0)"), TARGET, 512 + 15),
    ] {
        let program = parse::program(&source).expect("it parses");
        let lowered = lowered_for(target, &program, &signature(&program)).expect("it is lowered");
        let text = reference::device::print::program(&lowered);
        assert!(text.contains(&format!("array[u32, {words}]")), "{words} words:\n{text}");
        compared(&source, &[&format!("[{}]", elements.join(", ")), &format!("[{zero}]")], target)
            .expect("it is lowered");
    }
}

/// Both copies of a loop's array, the arrays of each warp, and others beside them.
#[test]
fn padded_arrays_beside_others() {
    let elements: Vec<String> = (0..64).map(|k| (k * 5 % 23).to_string()).collect();
    let input = elements.join(", ");
    agrees(
        "sig main : int -> [int] -> [int]<block>
         fun main n xs =
           let a = force (push <block> (generate 5 (fn i => index xs i)))
               b = while (fn s => index s 0 < n)
                     (fn s => push <block> (generate 64 (fn i => index s (i % 8 * 8 + i / 8) + 1)))
                     (push <block> (generate 64 (fn i => index xs i)))
           in push <block> (generate 64 (fn i => index b i * 100 + index a (i % 5)))",
        &[&format!("4, [{input}]"), &format!("9, [{input}]"), "3, [5]"],
    );
    agrees(
        "sig main : [int] -> [int]<grid>
         fun main xs = concat 64 (map (fn c => concat 32 (map (fn w =>
             let a = force (push <warp> w)
             in push <warp> (generate 32 (fn i => index a (i % 4 * 8 + i / 4) * 2 + index c i))) (splitUp 32 c)))
           (splitUp 64 xs))",
        &[&format!("[{input}, {input}]"), &format!("[{input}]"), "[1]"],
    );
}
