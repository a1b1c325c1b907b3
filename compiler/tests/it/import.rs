//! FUN as terms over named axes: the corpus enters, or says why not, and means what it meant.

use compiler::rewrite::import::{import, segments, size_params};
use compiler::rewrite::plan;
use expect_test::expect;
use reference::axes::syntax::Program;
use reference::axes::{meaning, parse, print, types};
use reference::fun::syntax::{Fun, Ty};
use reference::imp::{self, Imp};
use reference::kit::derivation::Recorder;
use reference::kit::header;
use reference::kit::language::Language;
use reference::kit::names::Var;
use reference::kit::outcome::{Budget, Ending, Outcome, Scalar, Value};
use reference::kit::schedule::Order;
use std::collections::BTreeMap;
use std::path::PathBuf;

type Source = reference::fun::syntax::Program<Fun>;

fn run(program: &Source, input: &[Value]) -> Outcome {
    let input = reference::fun::eval::fit(program, input.to_vec()).expect("the input fits");
    reference::fun::eval::run(program, &input, &Budget::default(), &mut Recorder::counting())
}

/// The numbers that an input gives `int` parameters: all, or those that sizes depend on.
fn sizes(program: &Source, input: &[Value], all: bool) -> Vec<(String, i32)> {
    let wanted = size_params(program);
    let number = |(param, value): (&_, &Value)| {
        let reference::fun::syntax::Binding::<Fun> { var, ty } = param;
        let name = program.names.written(*var).to_owned();
        match (ty, value) {
            (Ty::Int, Value::Scalar(Scalar::I32(k))) if all || wanted.contains(&name) => {
                Some((name, *k))
            }
            _ => None,
        }
    };
    program.params.iter().zip(input).filter_map(number).collect()
}

/// The FUN program that a term means, which is read back as it is printed.
fn meant(program: &Program) -> Source {
    types::check(program).expect("it is well formed");
    let text = print::program(program);
    let again = parse::program(&text).unwrap_or_else(|no| panic!("{}\n{text}", no.message));
    assert_eq!(&again, program, "{text}");
    let fun = meaning::program(program)
        .unwrap_or_else(|no| panic!("{}\n{}", no.message, meaning::text(program)));
    Fun::check(&fun, &mut Recorder::counting())
        .unwrap_or_else(|no| panic!("{}\n{}", no.message, meaning::text(program)));
    fun
}

/// What the plan of a term gives.
fn planned(program: &Program, input: &[Value]) -> Ending {
    let plan = plan::plan(program).unwrap_or_else(|no| panic!("{no}\n{}", print::program(program)));
    Imp::check(&plan, &mut Recorder::counting()).unwrap_or_else(|no| panic!("{}", no.message));
    let input = Imp::takes(&plan).fit(input.to_vec()).expect("the input fits");
    let (budget, mut recorder) = (Budget::default(), Recorder::counting());
    imp::eval::run(&plan, &input, Order::InOrder, &budget, &mut recorder).ending
}

fn corpus(folder: &str) -> BTreeMap<String, String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpus/fun").join(folder);
    let files = std::fs::read_dir(folder).expect("the corpus can be read");
    let texts = files.map(|file| {
        let path = file.expect("the corpus can be read").path();
        let name = path.file_stem().expect("it is a file").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).expect("the corpus is text"))
    });
    texts.collect()
}

/// What becomes of each program of the corpus, for the sizes of its first input. Where that enters,
/// its term means the same program, for each input of these sizes.
#[test]
fn the_corpus_enters_or_says_why_not() {
    let mut lines = String::new();
    let mut held = 0;
    for (name, text) in corpus("pass") {
        let header = header::judged(&text, &[]).expect("it has a header");
        let program = Fun::parse(&text).expect("it is a program");
        let first = header.cases.first().map(|case| case.input.clone()).unwrap_or_default();
        let few = sizes(&program, &first, false);
        let (how, given, imported) = match import(&program, &few) {
            Ok(imported) => ("enters", few, imported),
            Err(_) => {
                let all = sizes(&program, &first, true);
                match import(&program, &all) {
                    Ok(imported) => ("enters if all ints are known", all, imported),
                    Err(out) => {
                        let at = reference::kit::text::place(&text, out.span.start);
                        lines.push_str(&format!("{name}: {at}: {out}\n"));
                        continue;
                    }
                }
            }
        };
        lines.push_str(&format!("{name}: {how}\n"));
        let fun = meant(&imported);
        for case in &header.cases {
            if sizes(&program, &case.input, given.len() > size_params(&program).len()) != given {
                continue;
            }
            let Some(result) = &case.result else { continue };
            let found = run(&fun, &case.input).ending;
            assert_eq!(
                found,
                Ending::Value(result.clone()),
                "{name}\n{}",
                print::program(&imported)
            );
            assert_eq!(
                planned(&imported, &case.input),
                found,
                "{name}\n{}",
                print::program(&imported)
            );
            held += 1;
        }
    }
    assert!(held >= 40, "only {held} results were held against a term's");
    expect![[r#"
        arithmetic: 8:28: a divisor is not shown to be other than 0
        array_in_branches: enters
        binary_search: 8:3: this loop carries 2 values
        block_of_matrix: enters
        branch_array_in_nested_kernel: enters
        branch_not_taken: enters if all ints are known
        broadcast: enters
        collatz_large: 9:3: this loop carries 2 values
        complement: enters
        concat: enters
        concat_rows: enters
        copy_of_flat_transpose: enters
        doubling_loop: 9:1: this loop carries 2 values
        edit_distance: 11:1: this loop carries an array
        element_read_before_row: 11:1: `with` writes into an array
        figure_2: enters if all ints are known
        game_of_life: 8:1: this loop carries an array
        gather_and_scatter: 6:7: index 1 of xs is not shown to be from 1 to 5
        histogram: enters
        index: enters if all ints are known
        index_into_concat: enters if all ints are known
        index_of_flat: enters
        iota: enters
        kernel_in_loop_in_kernel: 10:3: this loop carries an array
        kernel_of_kernels_large: enters
        literal_in_the_only_round: enters
        literal_updated_in_kernel: 10:3: `with` writes into an array
        literals: enters
        loop_of_views: 9:1: this loop carries an array
        mandelbrot: 12:5: this loop carries 3 values
        maps_of_maps: enters
        matrix_product: enters
        matrix_products: enters
        no_rounds: enters
        nothing: enters
        odd_even_sort: 9:1: this loop carries an array
        old_and_new_row: 11:1: `with` writes into an array
        only_ints: 9:1: this loop carries 2 values
        pascals_triangle: 8:1: this loop carries an array
        pattern_size_of_kernel: enters
        precedence: enters
        prefix_sums_by_doubling: 8:1: this loop carries 2 values
        prefix_sums_in_place: 9:1: this loop carries an array
        products_written_to_row: 10:1: `with` writes into an array
        rank_3_updated: 4:1: `with` writes into an array
        results_not_copied: enters
        reverse_large: enters
        row: enters if all ints are known
        row_at_given_place: 12:1: `with` writes into an array
        row_doubled_in_matrix: 10:1: `with` writes into an array
        row_made_of_itself: 13:1: `with` writes into an array
        row_of_empty_transpose: enters
        row_sums: 11:3: this loop carries an array
        row_through_transpose: 6:1: `with` writes into an array
        row_used_after_update: 9:1: `with` writes into an array
        saxpy_large: enters
        shortest_paths: 6:1: this loop carries an array
        shrinking_loop: 7:1: this loop carries 2 values
        sieve: 8:1: `with` writes into an array
        sizes_returned: enters if all ints are known
        slice_in_branches: enters if all ints are known
        slice_of_replicate: enters
        slice_of_slice: enters
        stencil: 9:1: this loop carries an array
        strided_slice: enters if all ints are known
        sum: enters
        sum_of_sums: enters
        sums_of_rows: enters
        sums_of_slices: 9:3: size, the size of this slice, is not a known number
        swap_in_loop: 9:1: this loop carries 4 values
        swapped_bounds: enters
        swapped_in_a_loop: 10:3: v25, the count of this loop, is not a known number
        three_rounds_with_a_check: 9:3: m, the count of this kernel, is not a known number
        transpose: enters
        transpose_outer: enters
        transposed_read: enters
        tree_reduction: 9:1: this loop carries 2 values
        two_results: enters
        update_after_branch: 11:1: `with` writes into an array
        update_backwards: 8:1: `with` writes into an array
        update_from_elsewhere: 12:1: `with` writes into an array
        update_one: 6:1: `with` writes into an array
        update_overlapping: 9:1: `with` writes into an array
        update_with_count: 13:1: `with` writes into an array
        views_in_branches: enters
        windows: enters
    "#]]
    .assert_eq(&lines);
}

/// The program as far as a number of outermost statements, with these results.
fn until(program: &Source, statements: usize, results: &[Var]) -> Source {
    let mut program = program.clone();
    program.body.stms.truncate(statements);
    program.body.results = results.iter().map(|var| (*var).into()).collect();
    program
}

/// Which outermost statements of each program that stays out enter. The term of each run gives what
/// these statements give.
#[test]
fn runs_of_statements_enter() {
    let mut lines = String::new();
    let mut held = 0;
    for (name, text) in corpus("pass") {
        let header = header::judged(&text, &[]).expect("it has a header");
        let program = Fun::parse(&text).expect("it is a program");
        let Some(case) = header.cases.first() else { continue };
        let given = sizes(&program, &case.input, false);
        let parts = segments(&program, &given).expect("the sizes are right");
        let ends = parts.iter().map(|part| part.statements.end);
        let starts: Vec<usize> = parts.iter().map(|part| part.statements.start).collect();
        assert!(starts.into_iter().eq(std::iter::once(0).chain(ends).take(parts.len())), "{name}");
        let mut entering = Vec::new();
        for part in &parts {
            let Ok(term) = &part.content else { continue };
            entering.push(format!("{:?}", part.statements));
            let fun = meant(term);
            let before = until(&program, part.statements.start, &part.inputs);
            let after = until(&program, part.statements.end, &part.outputs);
            let Ending::Value(input) = run(&before, &case.input).ending else { continue };
            let wanted = run(&after, &case.input).ending;
            let found = run(&fun, &input).ending;
            assert_eq!(found, wanted, "{name}, {:?}\n{}", part.statements, print::program(term));
            held += 1;
        }
        if import(&program, &given).is_err() {
            let all = program.body.stms.len();
            if entering.is_empty() {
                entering.push("none".to_owned());
            }
            lines.push_str(&format!("{name}: {} of 0..{all}\n", entering.join(", ")));
        } else {
            assert!(parts.len() <= 1, "{name}");
        }
    }
    assert!(held >= 40, "only {held} runs were held against their terms");
    expect![[r#"
        arithmetic: 1..3 of 0..3
        binary_search: none of 0..1
        branch_not_taken: 0..1 of 0..2
        collatz_large: none of 0..1
        doubling_loop: none of 0..1
        edit_distance: 0..2, 3..4 of 0..4
        element_read_before_row: 0..1, 2..3, 4..6 of 0..6
        figure_2: none of 0..1
        game_of_life: none of 0..1
        gather_and_scatter: 1..2 of 0..3
        index: none of 0..1
        index_into_concat: 0..5 of 0..6
        kernel_in_loop_in_kernel: none of 0..1
        literal_updated_in_kernel: none of 0..1
        loop_of_views: none of 0..1
        mandelbrot: none of 0..1
        odd_even_sort: none of 0..1
        old_and_new_row: 0..2, 5..6 of 0..6
        only_ints: none of 0..1
        pascals_triangle: 0..2 of 0..3
        prefix_sums_by_doubling: none of 0..1
        prefix_sums_in_place: 0..2 of 0..3
        products_written_to_row: 0..2 of 0..3
        rank_3_updated: 0..3 of 0..4
        row: none of 0..1
        row_at_given_place: 0..3 of 0..4
        row_doubled_in_matrix: 0..3 of 0..4
        row_made_of_itself: 0..5 of 0..6
        row_sums: none of 0..1
        row_through_transpose: 0..2, 3..4 of 0..4
        row_used_after_update: 0..5, 6..7 of 0..7
        shortest_paths: none of 0..1
        shrinking_loop: 0..1 of 0..3
        sieve: 0..1, 2..3 of 0..4
        sizes_returned: none of 0..1
        slice_in_branches: none of 0..1
        stencil: none of 0..1
        strided_slice: 0..1 of 0..2
        sums_of_slices: none of 0..1
        swap_in_loop: none of 0..1
        swapped_in_a_loop: none of 0..1
        three_rounds_with_a_check: none of 0..1
        tree_reduction: none of 0..2
        update_after_branch: 0..4 of 0..5
        update_backwards: 0..1 of 0..2
        update_from_elsewhere: 0..1 of 0..3
        update_one: 0..1 of 0..2
        update_overlapping: 0..3 of 0..4
        update_with_count: 0..2 of 0..3
    "#]]
    .assert_eq(&lines);
}

/// The text of the term of a program.
fn term(text: &str, given: &[(&str, i32)]) -> String {
    let program = Fun::parse(text).expect("it is a program");
    Fun::check(&program, &mut Recorder::counting()).unwrap_or_else(|no| panic!("{}", no.message));
    let given: Vec<_> = given.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    match import(&program, &given) {
        Ok(imported) => {
            meant(&imported);
            print::program(&imported)
        }
        Err(out) => format!("{}: {out}\n", reference::kit::text::place(text, out.span.start)),
    }
}

#[test]
fn a_matrix_product_is_its_loops() {
    let text = &corpus("pass")["matrix_product"];
    let found = term(text, &[("n", 64), ("m", 32), ("l", 16)]);
    expect![[r#"
        param (n : int = 64) (m : int = 32) (l : int = 16) (xs : [64][32]) (ys : [32][16])
        (out
          (build grid i 64
            (build seq j 16 (seq sum k 32 0 (+ sum (* (get xs i k) (get ys k j)))))) i j)
    "#]]
    .assert_eq(&found);
}

/// An array of a thread that is read is stored for all threads, so that it depends on nothing around.
#[test]
fn an_array_of_a_thread_is_stored_for_all() {
    let found = term(
        "param (n : int) (xs : [n])
         let (ys : [n]) = kernel i <= n do
           let (row : [n]) = kernel j <= n do in (xs[j] * i)
           let (sum : int) = loop (s : int = 0) for j <= n do in (s + row[n + 1 - j])
           in (sum)
         in (ys)",
        &[("n", 8)],
    );
    expect![[r#"
        param (n : int = 8) (xs : [8])
        (out
          (build grid i 8
            (seq s j_1 8 0
              (+ s
                (get
                  (store glob
                    (build grid i_1 8 (build seq j 8 (* (get xs j) {i_1 + 1}))) i_1 j) i {-j_1 + 7})))) i)
    "#]].assert_eq(&found);
}

/// An array that depends on the state of a loop is computed where it is read.
#[test]
fn an_array_of_a_state_is_not_stored() {
    let found = term(
        "param (n : int) (xs : [n])
         let (sum : int) = loop (s : int = 0) for r <= 3 do
           let (row : [n]) = kernel j <= n do in (xs[j] * s + r)
           in (s + row[r])
         in (sum)",
        &[("n", 8)],
    );
    expect![[r#"
        param (n : int = 8) (xs : [8])
        (out (seq s r 3 0 (+ s (+ (* (get xs r) s) {r + 1}))))
    "#]]
    .assert_eq(&found);
}

/// An array of a branch is only computed where the branch is taken: stored before, it may not get stuck.
#[test]
fn an_array_of_a_branch_is_guarded() {
    let found = term(
        "param (n : int) (c : int) (xs : [n])
         let (ys : [n]) = kernel i <= n do
           let (y : int) = if i > 3
             then
               let (back : [2]) = kernel j <= 2 do in (xs[i - j])
               in (back[1] + back[2] * c)
             else
               in (xs[i])
           in (y)
         in (ys)",
        &[("n", 8)],
    );
    expect![[r#"
        param (n : int = 8) (c : int) (xs : [8])
        (out
          (build grid i 8
            (if
              (> {i + 1} 3)
              (+
                (get
                  (store glob
                    (build grid i_1 8
                      (build seq j 2 (if (> {i_1 + 1} 3) (get xs {i_1 - j - 1}) 0))) i_1 j) i 0)
                (*
                  (get
                    (store glob
                      (build grid i_1 8
                        (build seq j 2 (if (> {i_1 + 1} 3) (get xs {i_1 - j - 1}) 0))) i_1 j) i 1) c))
              (get xs i))) i)
    "#]]
    .assert_eq(&found);
}

/// Names that are words of terms, and names that are bound twice.
#[test]
fn names_are_made_unique() {
    let found = term(
        "param (seq : int) (get : [4])
         let (a : [4]) = kernel out <= 4 do in (get[out] + seq)
         let (b : [4]) = kernel out <= 4 do in (a[out])
         in (b, b, a, get)",
        &[],
    );
    expect![[r#"
        param (seq_1 : int) (get_1 : [4])
        (results
          (out
            (build grid out_2 4
              (get
                (store glob (build grid out_1 4 (+ (get get_1 out_1) seq_1)) out_1) out_2)) out_2)
          (out
            (build grid out_2 4
              (get
                (store glob (build grid out_1 4 (+ (get get_1 out_1) seq_1)) out_1) out_2)) out_2)
          (out (build grid out_1 4 (+ (get get_1 out_1) seq_1)) out_1)
          (out (build grid i 4 (get get_1 i)) i))
    "#]]
    .assert_eq(&found);
}

#[test]
fn what_stays_out_says_why() {
    let map = "param (n : int) (c : int) (xs : [n])\nlet (ys : [n]) = kernel i <= n do\n  in (xs[i] / c)\nin (ys)";
    let mut found = String::new();
    for given in [
        &[][..],
        &[("n", 4)],
        &[("n", -4)],
        &[("n", 4), ("c", 0)],
        &[("n", 4), ("c", 3), ("n", 5)],
        &[("n", 4), ("m", 3)],
        &[("n", 4), ("xs", 3)],
    ] {
        found.push_str(&term(map, given));
    }
    let square = "param (n : int)\nlet (ys : [n][n]) = kernel i <= n do\n  in (iota n)\nin (ys)";
    found.push_str(&term(square, &[("n", 46341)]));
    found.push_str(&term(square, &[("n", i32::MAX)]));
    let unused = "param (n : int) (xs : [n]) (i : int)\nlet (x : int) = xs[i]\nin (n)";
    found.push_str(&term(unused, &[("n", 4)]));
    let slice = "param (n : int) (xs : [n])\nlet (ys : [2]) = xs[n : 2]\nin (n)";
    found.push_str(&term(slice, &[("n", 4)]));
    let negative =
        "param (n : int)\nlet (x : int) = loop (s : int = 0) for k <= n do\n  in (s)\nin (x)";
    found.push_str(&term(negative, &[("n", -1)]));
    // A chain in which each array is read twice is a term of twice the size.
    let mut chain = "param (n : int) (a0 : [n])\n".to_owned();
    for nth in 1..40 {
        let before = nth - 1;
        chain.push_str(&format!(
            "let (a{nth} : [n]) = kernel i <= n do in (a{before}[i] + a{before}[n + 1 - i])\n"
        ));
    }
    found.push_str(&term(&format!("{chain}in (a39)"), &[("n", 4)]));
    expect![[r#"
        4:1: n, a size of xs, is not a known number
        3:7: a divisor is not shown to be other than 0
        4:1: a size of xs is negative: -4
        3:7: a divisor is not shown to be other than 0
        4:1: two sizes are given for n
        4:1: a size is given for m, which is no int parameter
        4:1: a size is given for xs, which is no int parameter
        2:1: an array of sizes [46341][46341] has too many elements
        2:1: an array of sizes [2147483647][2147483647] has too many elements
        2:1: index 1 of xs is not shown to be from 1 to 4
        2:1: dimension 1 of this slice is not shown to be inside of xs
        2:1: the count of this loop is negative: -1
        12:40: its term would have more than 16384 nodes, or be nested over 100 deep
    "#]]
    .assert_eq(&found);
}
