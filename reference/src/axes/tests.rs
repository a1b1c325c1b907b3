//! Terms are read as they are printed, and are refused with their place.

use super::apply::rights;
use super::laws::Law;
use super::{meaning, parse, print};
use crate::fun::Fun;
use crate::kit::derivation::Recorder;
use crate::kit::language::Language;

const MATRIX: &str = "param (n : int = 8) (xs : [8][4]) (ys : [4][6])
(out
  (build grid i 8
    (build seq j 6 (red + k 4 (* (get xs i k) (get ys k j)))))
  i j)
";

#[test]
fn a_program_is_read_as_it_is_printed() {
    let program = parse::program(MATRIX).unwrap();
    let text = print::program(&program);
    assert_eq!(parse::program(&text).unwrap(), program, "{text}");
}

/// A factor before a quotient, and a constant index behind the name of an axis.
#[test]
fn indices_are_read_as_they_are_printed() {
    for index in ["2*((i + 2)/3)", "-3*((i + 1)%4) + 5", "i/2 - (i + 1)/2 + 1"] {
        let text = format!(
            "param (xs : [90][9])\n(out (build grid i 8 (* (get xs i 1) (get xs {{{index}}} 0))) i)"
        );
        let program = parse::program(&text).unwrap();
        let printed = print::program(&program);
        assert_eq!(parse::program(&printed).unwrap(), program, "{printed}");
        assert!(printed.contains(index) || index.starts_with("i/2"), "{printed}");
    }
}

#[test]
fn an_index_beside_a_number_is_no_binder() {
    // Taken for one, `i 2 {` would give i the size 2, and its quotient by 4 would be 0.
    let text = "param (xs : [8][8][8])\n(out (build seq i 8 (get xs i 2 {i/4})) i)\n";
    let program = parse::program(text).unwrap();
    let printed = print::program(&program);
    assert!(printed.contains("/4"), "{printed}");
    assert_eq!(parse::program(&printed).unwrap(), program, "{printed}");
}

#[test]
fn a_term_means_a_fun_program() {
    let program = parse::program(MATRIX).unwrap();
    let text = meaning::text(&program);
    let fun = meaning::program(&program).unwrap_or_else(|no| panic!("{}\n{text}", no.message));
    Fun::check(&fun, &mut Recorder::counting())
        .unwrap_or_else(|no| panic!("{}\n{text}", no.message));
}

#[test]
fn an_axis_is_split() {
    let (program, mut scope) = parse::scoped(MATRIX).unwrap();
    let law = Law::named("split-build").unwrap();
    let mut split = rights(law, 4, &program.term.args[0], &mut scope);
    let term = program.term.replaced(&[0], split.remove(0)).unwrap();
    let text = print::term(&term);
    assert!(text.contains("(get xs {i_i4 + 4*i_o4} k)"), "{text}");
    let again = super::syntax::Program { params: program.params, term };
    assert_eq!(parse::program(&print::program(&again)).unwrap(), again);
    meaning::program(&again).unwrap();
}

#[test]
fn what_is_no_term_is_refused_with_its_place() {
    for (text, says) in [
        ("(out (build seq i 4 (build seq i 4 1)) i)", "i is bound around"),
        ("(out (build seq i 4 i))", "axis i has no place"),
        ("(out j)", "j is not bound"),
        ("(out (red - k 4 k))", "identity"),
        ("(out (build seq i 4 (red + i 5 1)) i)", "axis i has size 5 elsewhere"),
        ("(out (merge i a b (build seq a 4 1)) i)", "b is no axis"),
        ("param (xs : [4])\n(out (get xs 1 2))", "rank 1 has 2 indices"),
        ("(out (+ 1", "a term is wanted, and here is the end"),
        ("(out {2147483647*2})", "too large"),
    ] {
        let no = parse::program(text).expect_err(text);
        assert!(no.message.contains(says), "{text}: {}", no.message);
    }
}

/// A condition bounds an index that is an axis more than what it compares.
#[test]
fn a_condition_bounds_a_part_of_an_index() {
    for (condition, is_total) in [("(> i 1)", true), ("(> i 0)", false), ("(<= i 1)", false)] {
        let text = format!(
            "param (xs : [8])\n(out (build grid i 8 (build seq j 3 (if {condition} (get xs {{i - j}}) 0))) i j)"
        );
        let (program, scope) = parse::scoped(&text).unwrap();
        assert_eq!(super::total::is_total(&program.term, &scope), is_total, "{condition}");
    }
}

/// Why a term cannot be run as work groups, and where.
fn levels_of(text: &str) -> Result<(), (Vec<usize>, String)> {
    let (program, scope) =
        parse::scoped(text).unwrap_or_else(|no| panic!("{text}: {}", no.message));
    super::levels::check(&program, &scope).map_err(|no| (no.position, no.message))
}

#[test]
fn levels_and_places_stand_where_work_groups_can_run_them() {
    for right in [
        "(out (build grid i 4 (build group j 4 (build lane k 4 (build seq l 4 1)))) i j k l)",
        "(out (build group i 4 (build lane j 4 (get (store group (build lane k 4 i) k) j))) i j)",
        "(out (build group i 4 (build lane j 4 (red + t 4 (get (store group+1 (build lane k 4 t) k) j)))) i j)",
        "(out (build lane i 4 (get (store priv (build seq k 4 {i + k}) k) 1)) i)",
        "(out (build grid i 4 (get (store glob (build grid k 4 k) k) i)) i)",
        "(out (build group i 4 (seq s j 3 i (+ s (get (store group (build lane k 4 s) k) 0)))) i)",
    ] {
        assert_eq!(levels_of(right), Ok(()), "{right}");
    }
    for (wrong, at, says) in [
        (
            "(out (build lane i 4 (build group j 4 1)) i j)",
            &[0, 3][..],
            "level group stands in one of level lane",
        ),
        (
            "(out (build seq i 4 (build grid j 4 1)) i j)",
            &[0, 3],
            "level grid stands in one of level seq",
        ),
        (
            "(out (build seq i 4 (get (store group (build lane k 4 k) k) i)) i)",
            &[0, 3, 0],
            "in no work group",
        ),
        (
            "(out (build group i 4 (build lane j 4 (get (store group (build lane k 4 j) k) 0))) i j)",
            &[0, 3, 3, 0],
            "depends on j",
        ),
        (
            "(out (build lane i 4 (seq s j 3 i (+ s (get (store group (build lane k 4 s) k) 0)))) i)",
            &[0, 3, 4, 2, 0],
            "depends on s",
        ),
        (
            "(out (build grid i 4 (get (store glob (build seq k 4 i) k) 0)) i)",
            &[0, 3, 0],
            "the loop of i",
        ),
        (
            "(out (build lane i 4 (get (store priv (build lane k 4 k) k) 0)) i)",
            &[0, 3, 0, 1],
            "level lane stands in one of level seq",
        ),
    ] {
        let (position, message) = levels_of(wrong).expect_err(wrong);
        assert!(position == at && message.contains(says), "{wrong}: {message} at {position:?}");
    }
}

#[test]
fn an_array_has_room_in_its_place() {
    for (text, says) in [
        (
            "(out (build group i 2 (get (store group (build lane k 64 (build lane l 65 1)) k l) 0 i)) i)",
            "4160 words",
        ),
        (
            "(out (build group i 2 (get (store group+1 (build lane k 64 (build lane l 64 1)) k l) 0 i)) i)",
            "4160 words",
        ),
        ("(out (build grid i 2 (get (store priv (build seq k 65 1) k) i)) i)", "65 words"),
    ] {
        let no = parse::program(text).expect_err(text);
        assert!(no.message.contains(says), "{}", no.message);
    }
}
