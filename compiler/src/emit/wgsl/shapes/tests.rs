//! Each shape of a driver's fault, and what is nearest to it and compiled rightly.

use crate::emit::wgsl::{Writing, shaders};
use crate::target::Shape;

/// Does the only kernel of a program have the shape?
fn has(shape: Shape, source: &str) -> bool {
    let program = reference::device::parse::program(source)
        .unwrap_or_else(|error| panic!("{error}\n{source}"));
    let form = &shaders(&program, Writing::default()).expect("it is written")[0];
    form.shapes.contains(&shape)
}

fn corpus(name: &str) -> String {
    let path = format!("{}/../corpus/device/pass/{name}.dev", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("it is in the corpus")
}

#[test]
fn the_programs_of_the_corpus_have_their_shapes() {
    let known = [
        ("i64_literals", Shape::I64Literals),
        ("vector_bits", Shape::VectorBits),
        ("stored_components", Shape::StoredComponents),
        ("negated_extrema", Shape::NegatedExtrema),
        ("indexed_arguments", Shape::IndexedArguments),
        ("nested_values", Shape::NestedValues),
        ("stored_behind_loops", Shape::StoredBehindLoops),
        ("deep_branches", Shape::DeepBranches),
        ("many_checks", Shape::DeepBranches),
    ];
    for (name, shape) in known {
        for (_, other) in known {
            assert_eq!(has(other, &corpus(name)), other == shape, "{name}: {other:?}");
        }
    }
}

#[test]
fn only_extrema_of_one_kind_with_a_negation_count() {
    let check = |body: &str, expected: bool| {
        let source = format!(
            "kernel k(xs : block[i32], m : i32, n : i32) group 1 {{ {body} }}
             let xs = alloc i32(2); launch k(xs, 1, 2) for 1;"
        );
        assert_eq!(has(Shape::NegatedExtrema, &source), expected, "{body}");
    };
    check("xs.[0] = max(m, max(n, neg(n)));", true);
    check("xs.[0] = max(max(neg(n), n), m);", true);
    check("xs.[0] = min(min(m, neg(m)), min(n, neg(n)));", true);
    check("let a : i32 = neg(n); let b : i32 = max(n, a); xs.[0] = max(b, m);", true);
    check("var s : i32 = m; s = max(n, neg(n)); xs.[0] = max(m, s);", true);
    check(
        "loop (i : i32 = 0, s : i32 = 0) while i < 3 {
           xs.[0] = max(m, s);
         } next (i + 1, max(i, neg(i)));",
        true,
    );
    let of_result = "fn f(m : i32, n : i32) -> i32 { return max(m, max(n, neg(n))); }
        kernel k(xs : block[i32]) group 1 { let x = call f(1, 2); xs.[0] = x; }
        let xs = alloc i32(1); launch k(xs) for 1;";
    assert!(has(Shape::NegatedExtrema, of_result));
    // One alone, a literal, a minimum of a maximum, no negation, floats.
    check("xs.[0] = max(n, neg(n)); xs.[1] = max(m, neg(m));", false);
    check("xs.[0] = max(5, max(n, neg(n)));", false);
    check("xs.[0] = min(m, max(n, neg(n)));", false);
    check("xs.[0] = max(m, max(n, 0 - n)); xs.[1] = neg(m);", false);
    check("let x : f32 = f32(n); xs.[0] = i32(max(f32(m), max(x, neg(x))));", false);
}

#[test]
fn only_a_store_behind_a_read_of_the_component_counts() {
    let check = |body: &str, expected: bool| {
        let source = format!(
            "fn f(p : ptr[private, array[vec2[i32], 3]]) {{ (*p)[0][1] = 1; }}
             kernel k(xs : block[i32]) group 2 {{
               private q : array[vec2[i32], 3];
               private v : vec2[i32];
               private a : array[array[i32, 2], 3];
               {body}
             }}
             let xs = alloc i32(2); launch k(xs) for 2;"
        );
        assert_eq!(has(Shape::StoredComponents, &source), expected, "{body}");
    };
    check("xs.[0] = q[local_id][1]; q[1][1] = 1;", true);
    check("xs.[0] = q[local_id][1]; q[0][u32 1] = 1;", true);
    check("if q[local_id][1] > 0 { q[2][1] = 1; }", true);
    check("loop (i : i32 = 0) while i < 2 { q[1][1] = i; xs.[0] = q[i][1]; } next (i + 1);", true);
    // In the other order, the first component, another one, a run-time index, a constant one.
    check("q[1][1] = 1; xs.[0] = q[local_id][1];", false);
    check("xs.[0] = q[local_id][0]; q[1][0] = 1;", false);
    check("xs.[0] = q[local_id][0]; q[1][1] = 1;", false);
    check("xs.[0] = q[local_id][1]; q[local_id][1] = 1;", false);
    check("xs.[0] = q[2][1]; q[1][1] = 1;", false);
    // Another branch, another variable, no array of vectors.
    check("if xs.[0] > 0 { xs.[0] = q[local_id][1]; } else { q[1][1] = 1; }", false);
    check("xs.[0] = q[local_id][1]; v[1] = 1;", false);
    check("xs.[0] = a[local_id][1]; a[1][1] = 1;", false);
}

#[test]
fn only_what_a_group_holds_and_indexes_itself_counts() {
    let check = |index: &str, argument: &str, expected: bool| {
        let source = format!(
            "struct S {{ a : u32, b : array[i32, 2] }}
             fn f(s : array[S, 2], k : u32) -> i32 {{ return s[{index}]#1[0]; }}
             kernel k(xs : block[i32]) group 2 {{
               workgroup w : array[S, 2];
               private p : array[S, 2];
               let s : array[S, 2] = make array[S, 2]({argument});
               let x = call f(s, local_id);
               xs.[0] = x;
             }}
             let xs = alloc i32(2); launch k(xs) for 2;"
        );
        assert_eq!(has(Shape::IndexedArguments, &source), expected, "{index}, {argument}");
    };
    check("s[0]#0 % u32 2", "w[local_id], w[0]", true);
    check("k", "w[local_id], w[0]", false);
    check("s[0]#0 % u32 2", "p[local_id], p[0]", false);
}

#[test]
fn only_two_elements_of_nested_values_at_an_unwritten_index_count() {
    let check = |body: &str, expected: bool| {
        let source = format!(
            "fn row() -> array[i32, 2] {{ return make array[i32, 2](1, 2); }}
             kernel k(xs : block[i32]) group 1 {{
               private q : vec2[u32];
               let r : array[array[i32, 2], 2] = make array[array[i32, 2], 2](make array[i32, 2](1, 2),
                 make array[i32, 2](3, 4));
               let a : array[array[array[i32, 2], 2], 1] = make array[array[array[i32, 2], 2], 1](r);
               {body}
             }}
             let xs = alloc i32(2); launch k(xs) for 1;"
        );
        assert_eq!(has(Shape::NestedValues, &source), expected, "{body}");
    };
    check("xs.[0] = a[group_id][group_id][1] + a[0][q[1]][1];", true);
    check("let i : u32 = q[0]; xs.[0] = select(a[0][i][group_id] > 1, a[0][0][0], 1);", true);
    // A single element, a variable that is stored to, another index, two arrays in each other.
    check("xs.[0] = a[0][q[1]][1];", false);
    check("q[1] = u32 1; xs.[0] = a[group_id][0][1] + a[0][q[1]][1];", false);
    check("xs.[0] = a[group_id][group_id][1] + a[0][group_id][1];", false);
    check("xs.[0] = r[group_id][1] + r[q[1]][1];", false);
}

#[test]
fn only_a_store_behind_a_loop_counts() {
    let check = |shared: &str, body: &str, expected: bool| {
        let source = format!(
            "kernel k(xs : block[i32]) group 2 {{
               {shared}
               private q : vec4[i32];
               private a : array[i32, 4];
               {body}
             }}
             let xs = alloc i32(2); launch k(xs) for 2;"
        );
        assert_eq!(has(Shape::StoredBehindLoops, &source), expected, "{body}");
    };
    let shared = "workgroup w : i32;";
    let rounds = "loop (i : i32 = 1) while i != 1 { } next (0);";
    for (name, whole) in
        [("q", "make vec4[i32](1, 1, 1, q[1])"), ("a", "make array[i32, 4](1, 1, 1, a[1])")]
    {
        check(shared, &format!("{rounds} {name}[3] = {name}[local_id] + {name}[1];"), true);
        check(shared, &format!("{rounds} xs.[0] = {name}[local_id]; {name} = {whole};"), true);
        check(
            shared,
            &format!(
                "{rounds} if local_id == u32 1 {{ {name}[1] = {name}[local_id] + {name}[0]; }}"
            ),
            true,
        );
        // No work-group variable, a loop that comes later, one kind of index alone.
        check("", &format!("{rounds} {name}[3] = {name}[local_id] + {name}[1];"), false);
        check(shared, &format!("{name}[3] = {name}[local_id] + {name}[1]; {rounds}"), false);
        check(shared, &format!("{rounds} {name}[3] = {name}[local_id];"), true);
        check(shared, &format!("{rounds} xs.[0] = {name}[local_id];"), false);
        check(shared, &format!("{rounds} {name}[3] = {name}[1];"), false);
    }
}

/// What a kernel reads and a function stores to, and branches around a call of what has more.
#[test]
fn shapes_are_seen_through_calls() {
    let stored = |store: &str| {
        format!(
            "private q : array[vec2[i32], 2];
             fn f() {{ {store} }}
             kernel k(xs : block[i32]) group 1 {{ xs.[0] = q[xs.[1]][1]; call f(); }}
             let xs = alloc i32(2); launch k(xs) for 1;"
        )
    };
    assert!(has(Shape::StoredComponents, &stored("q[1][1] = 3;")));
    assert!(!has(Shape::StoredComponents, &stored("q[1][0] = 3;")));
    let branches = |count: usize, inside: &str| {
        format!("{}{inside}{}", "if xs.[0] < 1 { ".repeat(count), " }".repeat(count))
    };
    let deep = |count: usize| {
        format!(
            "fn f(xs : block[i32]) {{ {} }}
             kernel k(xs : block[i32]) group 1 {{ {} }}
             let xs = alloc i32(2); launch k(xs) for 1;",
            branches(count, "xs.[0] = 1;"),
            branches(count, "call f(xs);"),
        )
    };
    assert!(has(Shape::DeepBranches, &deep(41)));
    assert!(!has(Shape::DeepBranches, &deep(40)));
    let checks = |count: usize, around: [&str; 2]| {
        let [before, behind] = around;
        format!(
            "kernel k(xs : block[i32]) group 1 {{ {before} {} {behind} }}
             let xs = alloc i32(2); launch k(xs) for 1;",
            "check index(xs.[0], 2);".repeat(count)
        )
    };
    assert!(has(Shape::DeepBranches, &checks(80, ["", ""])));
    assert!(!has(Shape::DeepBranches, &checks(70, ["", ""])));
    let rounds = ["loop (i : u32 = u32 0) while i < u32 2 {", "} next (i + u32 1);"];
    assert!(!has(Shape::DeepBranches, &checks(200, rounds)));
}
