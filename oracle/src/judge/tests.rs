//! The classes, each by a shader that has something of it and one that has not.

use super::{Class, Judge, Level, NoShader, PlaceName, judge};

fn classes(wgsl: &str, groups: u32, buffers: &[(&str, &[u32])]) -> Vec<Class> {
    let mut judge = judge(wgsl).dispatch([groups, 1, 1]);
    for (place, words) in buffers {
        judge = judge.buffer(place, words);
    }
    let report = judge.run().expect("it can be judged");
    assert_eq!(report.unanswered, [""; 0]);
    report.verdicts.iter().map(|verdict| verdict.class).collect()
}

/// A kernel of four invocations over `tile` of a group, `n`, an atomic counter, and the buffer `a`.
fn kernel(body: &str) -> String {
    format!(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
         var<workgroup> tile: array<u32, 4>;
         var<workgroup> n: atomic<u32>;
         fn kept(i: u32) -> u32 {{ let k = tile[i]; return k + 1u; }}
         @compute @workgroup_size(4)
         fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) g: vec3u) {{ {body} }}"
    )
}

#[test]
fn each_class_is_found_and_its_pair_is_clean() {
    let turned = "let other = 3u - i;";
    for (class, wrong, right) in [
        (
            Class::Race,
            format!("{turned} tile[i] = a[i]; a[i] = tile[other];"),
            format!("{turned} tile[i] = a[i]; workgroupBarrier(); a[i] = tile[other];"),
        ),
        (
            Class::Race,
            format!("{turned} let x = a[other]; workgroupBarrier(); a[i] = x;"),
            format!("{turned} let x = a[other]; storageBarrier(); a[i] = x;"),
        ),
        (Class::SameValue, "tile[0] = 9u;".to_owned(), "if i == 0u { tile[0] = 9u; }".to_owned()),
        (
            Class::Barrier,
            "if i < 2u { workgroupBarrier(); }".to_owned(),
            "if g.x < 2u { workgroupBarrier(); }".to_owned(),
        ),
        (Class::OutOfBounds, "a[i + 1u] = 1u;".to_owned(), "a[i] = 1u;".to_owned()),
        (Class::OutOfBounds, "a[i] = tile[i + a[0]];".to_owned(), "a[i] = tile[i];".to_owned()),
        (
            Class::OrderDependent,
            "atomicAdd(&n, 1u); if i == 0u { a[0] = atomicLoad(&n); }".to_owned(),
            "atomicAdd(&n, 1u); workgroupBarrier(); if i == 0u { a[0] = atomicLoad(&n); }"
                .to_owned(),
        ),
        (
            Class::NeedsProgress,
            "if i == 0u { while atomicLoad(&n) == 0u { } } else { atomicStore(&n, 1u); }"
                .to_owned(),
            "atomicStore(&n, 1u);".to_owned(),
        ),
    ] {
        let words: &[u32] = &[1, 2, 3, 4];
        let of = |body: &str| {
            let mut judge = judge(kernel(body).as_str()).buffer("a", words);
            judge.fuel = 1000;
            let report = judge.run().expect("it can be judged");
            report.verdicts.iter().map(|verdict| verdict.class).collect::<Vec<_>>()
        };
        assert!(of(&wrong).contains(&class), "{wrong}: {:?}", of(&wrong));
        assert_eq!(of(&right), [], "{right}");
    }
}

#[test]
fn dispatches_go_over_the_same_buffers() {
    let report = judge(kernel("a[i] = a[i] + g.x + 1u;").as_str())
        .buffer("0.0", &[1, 2, 3, 4])
        .dispatch([1, 1, 1])
        .dispatch([1, 1, 1])
        .run()
        .expect("it can be judged");
    report.assert_clean();
    assert_eq!(report.buffer::<u32>("a"), Some(vec![3, 4, 5, 6]));
}

/// Buffers hold what the shader's types say: words, integers with a sign, floats, and vectors of these.
#[test]
fn buffers_are_given_and_read_by_the_types_of_their_elements() -> Result<(), NoShader> {
    let text = "override N: i32;
        @group(0) @binding(0) var<storage, read> points: array<vec2f>;
        @group(0) @binding(1) var<storage, read_write> lengths: array<f32>;
        @group(0) @binding(2) var<storage, read_write> signs: array<i32>;
        @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
          lengths[i] = dot(points[i], points[i]);
          signs[i] = -signs[i] * N;
        }";
    let signs = Vec::from([7, -9]);
    let report = judge(text)
        .entry("main")
        .constant("N", 2)
        .buffer("points", &[[3.0f32, 4.0], [0.5, 0.0]])
        .buffer("lengths", &[0.0f32; 2])
        .buffer("signs", &signs)
        .dispatch([1, 1, 1])
        .run()?;
    report.assert_clean();
    assert_eq!(report.buffer::<f32>("lengths"), Some(vec![25.0, 0.25]));
    assert_eq!(report.buffer::<i32>("signs"), Some(vec![-14, 18]));
    assert_eq!(report.buffer::<[f32; 2]>("0.0"), Some(vec![[3.0, 4.0], [0.5, 0.0]]));
    assert_eq!(report.buffer::<u32>("points").map(|words| words.len()), Some(4));
    assert_eq!(report.buffer::<u32>("length"), None);
    // The reason why nothing can be judged is an error like others.
    let no: Box<dyn std::error::Error> = judge("fn main() {}").run().expect_err("no entry").into();
    let no = no.to_string();
    assert!(no.starts_with("the shader has no compute entry point (one is written `@c"), "{no}");
    Ok(())
}

/// What is allowed is not told, and the report does not pass over it.
#[test]
fn what_is_allowed_is_named() {
    let body = kernel("tile[0] = i; a[i] = a[i] + 1u;");
    let mut judge = judge(body.as_str()).buffer("a", &[1, 2, 3, 4]);
    assert!(judge.run().expect("it can be judged").is_wrong());
    judge.levels.set(Class::Race, Level::Allow);
    let report = judge.run().expect("it can be judged");
    assert_eq!((report.verdicts.len(), report.allowed.as_slice()), (0, &[Class::Race][..]));
}

#[test]
fn what_is_made_up_only_warns() {
    let body = kernel("a[a[0] + 3u + i] = 1u;");
    let found = classes(&body, 1, &[("a", &[1, 2, 3, 4])]);
    assert_eq!(found, [Class::OutOfBounds]);
    let report = judge(body.as_str()).run().expect("it can be judged");
    assert!(!report.is_wrong() && report.made_up == ["a"]);
    let [verdict] = report.verdicts.as_slice() else { panic!("{report:?}") };
    assert!(verdict.help.as_deref().is_some_and(|help| help.contains("--buffer")), "{verdict:?}");
}

/// What is found whatever the buffers hold is denied, and so is what is denied by name.
#[test]
fn what_does_not_hang_on_what_is_made_up_is_denied() {
    let levels = |body: &str, deny: &[Class]| -> Vec<(Class, Level)> {
        let mut judge = judge(kernel(body).as_str());
        deny.iter().for_each(|class| judge.levels.set(*class, Level::Deny));
        let report = judge.run().expect("it can be judged");
        report.verdicts.iter().map(|verdict| (verdict.class, verdict.level)).collect()
    };
    let race = "tile[0] = i; a[i] = tile[3u - i];";
    assert_eq!(levels(race, &[]), [(Class::Race, Level::Deny)]);
    // With zeros only one invocation writes.
    let by_contents = "if a[i] != 0u || i == 0u { tile[0] = i; }";
    let by_contents = format!("{by_contents} workgroupBarrier(); a[i] = tile[0];");
    assert_eq!(levels(&by_contents, &[]), []);
    let by_contents = by_contents.replace("a[i] != 0u", "a[i] == 0u");
    assert_eq!(levels(&by_contents, &[]), [(Class::Race, Level::Warn)]);
    assert_eq!(levels(&by_contents, &[Class::Race]), [(Class::Race, Level::Deny)]);
    // A permutation, of which there are none in zeros and in numbers that look drawn.
    assert_eq!(levels("tile[a[i] % 4u] = i; a[i] = 1u;", &[]), [(Class::Race, Level::Warn)]);
    // By way of memory of the group, of a function, and of an atomic operation.
    for by in ["let k = tile[3u - i];", "let k = kept(i);", "let k = atomicAdd(&n, tile[0]);"] {
        let body = format!(
            "tile[i] = a[i]; workgroupBarrier(); {by} workgroupBarrier(); tile[k % 2u] = i; a[i] = 1u;"
        );
        assert_eq!(levels(&body, &[]), [(Class::Race, Level::Warn)], "{by}");
        let body = body.replace("tile[i] = a[i];", "tile[i] = 0u;");
        assert_eq!(levels(&body, &[]), [(Class::Race, Level::Deny)], "{by}");
    }
    // A longer array has the element.
    assert_eq!(levels("a[i + 1u] = 1u;", &[]), [(Class::OutOfBounds, Level::Warn)]);
    assert_eq!(levels("tile[i + 1u] = 1u; a[i] = 1u;", &[]), [(Class::OutOfBounds, Level::Deny)]);
}

/// What hangs on how a float is rounded, and is denied otherwise, only warns.
#[test]
fn what_comes_behind_an_open_float_only_warns() {
    let levels = |body: &str, deny: &[Class]| -> Vec<(Class, Level)> {
        let mut judge = judge(kernel(body).as_str()).buffer("a", &[1, 2, 3, 4]);
        deny.iter().for_each(|class| judge.levels.set(*class, Level::Deny));
        let report = judge.run().expect("it can be judged");
        report.verdicts.iter().map(|verdict| (verdict.class, verdict.level)).collect()
    };
    let index = "let x = u32(f32(a[0]) / 49.0 * 49.0);";
    let warned = [(Class::Race, Level::Warn), (Class::RoundingDependent, Level::Warn)];
    assert_eq!(levels(&format!("{index} tile[x] = i;"), &[]), warned);
    let denied = [(Class::Race, Level::Deny), (Class::RoundingDependent, Level::Warn)];
    assert_eq!(levels(&format!("{index} tile[x] = i;"), &[Class::Race]), denied);
    let before = format!("tile[0] = i; workgroupBarrier(); {index} tile[i] = x;");
    assert_eq!(levels(&before, &[]), denied);
    let counts = "var x = 16777216.0; while x < 16777220.0 { x += 1.0; } a[i] = u32(x);";
    let warned = [(Class::NeverEnds, Level::Warn), (Class::RoundingDependent, Level::Warn)];
    assert_eq!(levels(counts, &[]), warned);
    let zero = "let z = f32(a[0]) - 1.0;";
    for nan in
        ["!(z / z == 1.0)", "log(z) < 0.0", "bitcast<u32>(1.0 / z) > 7u", "u32(1.0 / z) > 7u"]
    {
        let found = levels(&format!("{zero} if {nan} {{ tile[0] = i; }}"), &[]);
        assert_eq!(found[0], (Class::Race, Level::Warn), "{nan}: {found:?}");
        let rest = &found[1..];
        assert!(rest.iter().any(|(class, _)| *class == Class::NotFinite), "{nan}: {found:?}");
        let kept = format!("tile[0] = i; workgroupBarrier(); {zero} if {nan} {{ tile[0] = 1u; }}");
        assert_eq!(levels(&kept, &[])[0], (Class::Race, Level::Deny), "{nan}");
    }
}

/// `--expect` takes an infinity for what IEEE 754 makes of it.
#[test]
fn an_infinity_is_expected_or_wrong() {
    let body = kernel("a[i] = bitcast<u32>(1.0 / f32(a[i]));");
    let classes = |expected: f32| -> Vec<Class> {
        let contents = format!("f32[{expected},1,1,1]").parse().expect("contents");
        let expected = vec![(PlaceName("a".to_owned()), contents)];
        let judge = judge(body.as_str()).buffer("a", &[0, 1, 1, 1]);
        let report = Judge { expected, ..judge }.run().expect("it can be judged");
        report.verdicts.iter().map(|verdict| verdict.class).collect()
    };
    assert_eq!(classes(f32::INFINITY), [Class::NotFinite]);
    assert_eq!(classes(1.0), [Class::WrongResult, Class::NotFinite]);
}

/// What is left of a run that does not end: invocations, a group from barrier to barrier, all groups, or nothing that is known.
#[test]
fn loops_without_an_end_are_told_from_waits() {
    let told = |body: &str, groups: u32| {
        let judge =
            judge(kernel(body).as_str()).buffer("a", &[1, 2, 3, 4]).dispatch([groups, 1, 1]);
        let report = Judge { fuel: 1 << 14, ..judge }.run().expect("it can be judged");
        let classes: Vec<Class> = report.verdicts.iter().map(|verdict| verdict.class).collect();
        (classes, report.unanswered.len())
    };
    let never = (vec![Class::NeverEnds], 0);
    let progress = (vec![Class::NeedsProgress], 0);
    // One by itself; all of a group; all groups.
    assert_eq!(told("if i == 2u { loop { if a[2] == 0u { break; } } }", 1), never);
    assert_eq!(told("loop { workgroupBarrier(); if i > 7u { break; } }", 2), never);
    assert_eq!(told("loop { if atomicLoad(&n) > 0u { break; } }", 2), never);
    // Others wait at a barrier, or are done.
    let some = "if i < 2u { loop { if atomicLoad(&n) > 0u { break; } } }";
    assert_eq!(told(some, 1), never);
    assert_eq!(told(&format!("{some} workgroupBarrier();"), 1), never);
    // The last one sets it.
    let set = "if i == 3u { atomicStore(&n, 1u); }";
    assert_eq!(told(&format!("{some} {set}"), 1), progress);
    assert_eq!(told(&format!("{set} loop {{ if atomicLoad(&n) > 0u {{ break; }} }}"), 1), progress);
    // Words change for ever.
    let (classes, unanswered) = told("loop { atomicAdd(&n, 1u); if i > 7u { break; } }", 1);
    assert_eq!((classes.len(), unanswered), (0, 1));
    let (classes, unanswered) =
        told("loop { atomicXor(&n, 1u); workgroupBarrier(); if i > 7u { break; } }", 1);
    assert_eq!((classes.len(), unanswered), (0, 1));
}

#[test]
fn races_are_told_of_by_the_names_of_the_source() {
    let body = kernel("let k = 3u - i;\ntile[i] = a[i];\na[i] = tile[k];");
    let report = judge(body.as_str()).buffer("a", &[1, 2, 3, 4]).run().expect("it can be judged");
    let first = &report.verdicts[0];
    let mut lines =
        [first.at.as_ref(), first.other.as_ref()].map(|spot| spot.map(|spot| spot.line));
    lines.sort_unstable();
    assert_eq!(lines, [Some(7), Some(8)], "{first:?}");
    assert!(first.element.as_deref().is_some_and(|name| name.starts_with("tile[")), "{first:?}");
    assert_eq!(report.verdicts.len(), 1, "one for a pair of lines: {report:?}");
}
