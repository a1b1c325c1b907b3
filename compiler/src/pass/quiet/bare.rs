//! The bare form of a kernel: without the checks that cannot fail in a launch. Where one may, an invocation
//! in which it does tells so and ends, and the words of before are launched again with the kernel itself.
//!
//! | | |
//! |---|---|
//! | before | a kernel of the passes before `bound_loops`, which has all of its checks |
//! | after | the same results, in launches of these facts in which no check fails; it has no fuel, and of its checks those that nothing proves, each with its test for an operand |
//!
//! It is made of less than a quiet form, which has to be made of what the last passes make: most kernels
//! need neither these nor the other. An invocation of a bare form does no more rounds than a launch of the
//! kernel itself is given.

use super::facts::Facts;
use super::forward::{self, Uses};
use super::{held, prove, trim, with_body};
use crate::pass::guard::stands_aside;
use crate::pass::types::Types;
use crate::pass::walk::any_stm;
use reference::device::syntax::{Kernel, Kind, Site};

/// Work groups that any machine takes in one dimension of a grid.
const GROUPS: u32 = 65_535;

/// The kernel without fuel and without the checks that hold, for launches of so many invocations of which
/// this is known, and how often it uses its parameters; `None` if a check fails for whoever comes to it,
/// or nobody can tell how many rounds a loop has. The kernel is one of the passes before `bound_loops`.
pub(crate) fn bare(
    kernel: &Kernel,
    sites: &[Site],
    types: &Types,
    (facts, invocations): (&Facts, u32),
) -> Option<(Kernel, Uses)> {
    let (mut has_variables, mut has_pointers) = (false, false);
    let calls = any_stm(&kernel.body, &mut |kind| {
        has_variables |= matches!(kind, Kind::Var(..));
        has_pointers |= held::goes_by_pointer(kind);
        matches!(kind, Kind::Call { .. } | Kind::Barrier(_) | Kind::UniformLoad { .. })
    });
    if calls || !kernel.workgroup.is_empty() {
        return None;
    }
    let proved = |alone| prove::prove_all(kernel, (sites, types), facts, alone, !has_pointers);
    let mut alone = may_be_alone(kernel, invocations);
    let (mut body, asks_for_group) = proved(alone.then_some(invocations))?;
    if alone && asks_for_group {
        alone = false;
        (body, _) = proved(None)?;
    }
    let uses = trim::without_unused(&mut body, has_variables);
    forward::substitute(&mut body, &uses);
    let mut kernel = with_body(kernel, body);
    if alone {
        kernel.group = 1;
    }
    Some((kernel, uses))
}

/// May each invocation be a group of its own? A bare form is executed one invocation after the other, those
/// too that only fill up a group. They are not there then, and no other has to ask whether it is of the
/// launch: if those do nothing, or a launch has none. Nor may anybody ask for a place in a group.
fn may_be_alone(kernel: &Kernel, invocations: u32) -> bool {
    (1..=GROUPS).contains(&invocations)
        && (invocations.is_multiple_of(kernel.group) || stands_aside(&kernel.body))
}

#[cfg(test)]
mod tests {
    use super::super::{Facts, Types};
    use super::{GROUPS, bare};
    use crate::pass::walk::any_stm;
    use crate::pipeline::{self, Artifact, CHECKED, Plan};
    use reference::device::syntax::{Kind, Ty};
    use reference::device::{parse, print, validate};
    use reference::kit::derivation::Recorder;

    /// The bare form of a kernel with this body, in four invocations; `xs` and `ys` have so many elements,
    /// and `n` is that number too.
    fn form(body: &str, length: u32) -> Option<String> {
        let source = format!(
            "kernel k(xs : block[i32], ys : block[i32], n : i32) group 4 {{\n{body}\n}}\n\
             param a : [8];\nparam b : [8];\nparam n : i32;\nlaunch k(a, b, n) for 4;"
        );
        let program = parse::program(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let stages = pipeline::stages(Artifact::Device(program), &Plan::default());
        let checked = stages.by(CHECKED).expect("it compiles").artifact.clone();
        let Artifact::Device(mut program) = checked else { panic!("a pass to that language") };
        let kernel = &program.kernels[0];
        let words = |ty: &Ty| match ty {
            Ty::Block(_) => vec![8, length],
            _ => vec![length],
        };
        let args: Vec<u32> = kernel.params.iter().flat_map(|(_, ty)| words(ty)).collect();
        let facts = Facts::of(kernel, 4, &args);
        let known = (&facts, 4);
        let (form, _) = bare(kernel, &program.sites, &Types::of(&program), known)?;
        let is_check = |kind: &Kind| matches!(kind, Kind::Check(_));
        let checks = any_stm(&form.body, &mut |kind| is_check(kind));
        program.kernels[0] = form;
        if !checks {
            validate::check(&program, &mut Recorder::counting()).expect("it is valid");
        }
        Some(print::program(&program))
    }

    /// Is nothing left of its checks?
    fn proved(body: &str, length: u32) -> bool {
        form(body, length).is_some_and(|text| !text.contains("check"))
    }

    /// A number of 64 bits is followed through sums and products, and through what a 0 excludes.
    #[test]
    fn a_number_that_fits_32_bits_is_proved() {
        let checked = |number: &str, n| {
            let body = format!("check width({number}); xs.[0] = n;");
            proved(&body, n)
        };
        assert!(checked("i64(n) * i64 300000000", 7) && !checked("i64(n) * i64 300000000", 8));
        assert!(checked("i64(n) * i64 300000000 - i64 400000000", 8));
        assert!(!checked("i64 0 - i64(n) * i64 300000000", 8));
        let unless_zero = "select(n - 7 == 0, i64 0, i64(n) * i64(2147483647 + n * 0))";
        assert!(checked(unless_zero, 7) && !checked(unless_zero, 8));
        // Beyond 64 bits nothing is known.
        assert!(!checked("i64(n) * i64 9223372036854775807 - i64(n) * i64 9223372036854775807", 7));
    }

    /// It is bare where the blocks have `enough` elements, and not where they have one less.
    #[track_caller]
    fn check(body: &str, enough: u32) {
        assert!(proved(body, enough) && !proved(body, enough - 1), "{body}");
    }

    #[test]
    fn what_the_length_proves_is_not_checked() {
        check("xs.[3] = 7;", 4);
        check("if global_id < u32 3 { xs.[i32(global_id)] = ys.[0]; }", 3);
    }

    /// Behind a test that is left it held, to the end of the block it stands in, and no more is asked.
    #[test]
    fn what_nothing_proves_is_tested() {
        let tests = |body: &str| {
            let text = form(body, 4).expect("it may come through");
            text.matches("check").count()
        };
        let once = "let i : i32 = ys.[0]; xs.[i] = 1;";
        assert_eq!(tests(once), 1);
        assert_eq!(tests(&format!("{once} xs.[i] = 2; let j : i32 = i - 3; ys.[j + 3] = 1;")), 1);
        assert_eq!(
            tests("let i : i32 = ys.[0]; if n == 4 { xs.[i] = 1; } else { xs.[9] = 1; }"),
            1
        );
        assert_eq!(tests("let i : i32 = ys.[0]; if i != 5 { xs.[i] = 1; } xs.[i] = 2;"), 2);
        // Just what a check made sure of is known, and no more.
        for (check, least, most) in [
            ("xs.[i] = 1;", 0, 3),
            ("check index(i, 4);", 1, 4),
            ("check size(i);", 0, i32::MAX),
            ("check division(n, i); check index(i, 4);", 1, 4),
        ] {
            let left = |cond: String| {
                let body = format!("let i : i32 = ys.[0]; {check} if {cond} {{ ys.[1] = 7; }}");
                form(&body, 4).is_some_and(|text| text.contains("= 7"))
            };
            assert!(left(format!("i <= {least}")) && left(format!("i >= {most}")), "{check}");
            assert!(!left(format!("i < {least}")), "{check}");
            assert!(most == i32::MAX || !left(format!("i > {most}")), "{check}");
        }
        assert_eq!(
            tests("let i : i32 = ys.[0]; check division(n, i); if i < 0 { ys.[1] = 7; }"),
            1
        );
        // Who comes to what cannot hold gets stuck there.
        assert_eq!(form("xs.[4] = 1;", 4), None);
    }

    /// What is loaded may be another value each time, whatever is computed of it.
    #[test]
    fn what_may_change_is_named_each_time() {
        let loads = |between: &str| {
            let body = format!(
                "let x : i32 = ys.[0] + n; {between} let y : i32 = ys.[0] + n;
                 xs.[0] = x * x; xs.[1] = y * y;"
            );
            let text = form(&body, 4).expect("it comes through");
            text.matches("ys.[0]").count()
        };
        assert_eq!(loads("ys.[0] = n;"), 3);
        assert_eq!(loads(""), 2);
    }

    /// A name that turns out to be a number is bound no more; what is bound in its place keeps its value.
    #[test]
    fn what_is_left_out_does_not_come_back_elsewhere() {
        let body = "loop (r : u32 = u32 0) while r < u32 3 {
               let none : i32 = min(i32(r), 0); let first : i32 = ys.[0];
               xs.[0] = first * first + none;
             } next (r + u32 1);";
        let text = form(body, 4).expect("it comes through");
        assert!(text.contains("ys.[0]") && !text.contains("min"), "{text}");
    }

    /// An array that comes out of a branch is one of two, at one of two places.
    #[test]
    fn a_variable_holds_what_it_does_on_either_side() {
        check(
            "var b : block[i32]; var o : i32 = 4;
             if global_id < u32 2 { b = xs; o = 1; } else { b = ys; }
             xs.[0] = b.[o];",
            5,
        );
        check("var o : i32 = 2; if global_id < u32 2 { o = 6; } xs.[o] = 1;", 7);
    }

    /// Behind its declaration it holds zero, and no block has no elements.
    #[test]
    fn a_variable_starts_as_zero() {
        check("var o : i32; xs.[o] = 1;", 1);
        assert!(!proved("var b : block[i32]; xs.[0] = b.[0];", 8));
    }

    #[test]
    fn a_variable_of_a_loop_holds_what_any_round_leaves() {
        let rounds = |body: &str, n: u32| {
            format!(
                "var o : i32 = 1;
                 loop (r : u32 = u32 0) while r < u32 {n} {{ xs.[o] = 1; {body} }} next (r + u32 1);
                 ys.[o] = 2;"
            )
        };
        check(&rounds("o = 4 - o;", 3), 4);
        // It grows, and nobody counts how often.
        assert!(!proved(&rounds("o = o + 1;", 3), 64));
        // In the only round it is not yet changed, and behind it it is.
        check(&rounds("o = o + 4;", 1), 6);
        check(&rounds("o = o + 4;", 0), 2);
    }

    /// What a loop counts up to may not be what a variable holds before it.
    #[test]
    fn a_bound_that_rounds_change_is_not_counted() {
        for bound in
            ["select(x != 0, u32 2, u32 1)", "select(x < 5, u32 1, u32(n))", "u32(x) + u32 1"]
        {
            let body = format!(
                "var x : i32;
                 loop (r : u32 = u32 0) while r < {bound} {{ xs.[x] = 1; x = 1; }} next (r + u32 1);"
            );
            assert!(!proved(&body, 8), "{body}");
        }
    }

    /// Rounds of loops too deep are not tried, so nothing is known of what they store, nor is around them.
    #[test]
    fn what_is_not_tried_is_not_known() {
        let body = "var x : i32 = 0; var y : i32 = 0;
            loop (i : u32 = u32 0) while i < u32(n) {
              xs.[x] = 5;
              loop (j : u32 = u32 0) while j < u32(n) {
                x = 7; y = 0;
                loop (k : u32 = u32 0) while k < u32(n) { xs.[y] = 1; y = i32(k); } next (k + u32 1);
              } next (j + u32 1);
            } next (i + u32 1);";
        assert!(!proved(body, 5));
    }

    /// Loops around loops: what the inner one leaves the outer one starts from.
    #[test]
    fn a_variable_of_nested_loops_is_followed() {
        check(
            "var o : i32 = 0; var p : i32 = 3;
             loop (r : u32 = u32 0) while r < u32 3 {
               loop (s : u32 = u32 0) while s < u32 2 { let old : i32 = o; o = p; p = old; } next (s + u32 1);
               xs.[p] = o;
             } next (r + u32 1);",
            4,
        );
    }

    #[test]
    fn nobody_comes_to_what_has_no_rounds() {
        let body = "loop (r : u32 = u32 0) while r < u32(n) { xs.[0 - 1] = 1; } next (r + u32 1);";
        assert!(form(body, 0).is_some_and(|text| !text.contains("loop")));
        assert!(!proved(body, 1));
    }

    /// A loop of many rounds has fuel.
    #[test]
    fn many_rounds_are_not_proved() {
        let body = |n: u32| {
            format!("loop (r : u32 = u32 0) while r < u32 {n} {{ xs.[0] = 1; }} next (r + u32 1);")
        };
        assert!(form(&body(4096), 1).is_some());
        assert_eq!(form(&body(4097), 1), None);
    }

    #[test]
    fn a_guard_in_an_integer_is_known() {
        check(
            "let i : i32 = ys.[0];
             let inside : i32 = i32(i >= 2) & i32(i <= 5);
             if inside != 0 { xs.[i] = 1; }",
            6,
        );
        let one_side = "let i : i32 = ys.[0]; let some : i32 = i32(i >= 2) | i32(i <= 5);
                        if some != 0 { xs.[i] = 1; }";
        assert!(!proved(one_side, 64));
    }

    #[test]
    fn a_divisor_that_a_guard_excludes_is_not_zero() {
        let divided = "let x : i32 = ys.[0]; if x != 0 { xs.[0] = 7 / x; }";
        assert!(proved(divided, 1));
        let behind = "let x : i32 = ys.[0]; if x != 0 { xs.[0] = 1; } xs.[0] = 7 / x;";
        assert!(!proved(behind, 1));
        let other = "let x : i32 = ys.[0]; if x != 0 { xs.[0] = 1; } else { xs.[0] = 7 / x; }";
        assert!(!proved(other, 1));
    }

    /// What is changed by a pointer is not followed.
    #[test]
    fn pointers_end_it() {
        let body = "var o : i32 = 0; let p : ptr[function, i32] = &o; *p = 9; xs.[o] = 1;";
        assert!(!proved(body, 8));
    }

    /// Floats stay where somebody asks for them.
    #[test]
    fn floats_that_are_looked_at_stay() {
        let body = "let f : f32 = f32(n) * 2.0; xs.[0] = i32(f);";
        assert!(form(body, 1).is_some_and(|text| text.contains("* 2.0")));
    }

    /// Who asks for a place in a group is in the same as ever.
    #[test]
    fn groups_that_are_asked_for_stay() {
        let group = |value: &str, invocations| {
            let source = format!(
                "kernel k(xs : block[i32]) group 64 {{
                   if global_id < invocations {{ xs.[i32(global_id)] = i32({value}); }}
                 }}
                 param a : [64];\nlaunch k(a) for 64;"
            );
            let program = parse::program(&source).expect("the test's program parses");
            let kernel = &program.kernels[0];
            let facts = Facts::of(kernel, invocations, &[8, 64]);
            let known = (&facts, invocations);
            let (form, _) = bare(kernel, &program.sites, &Types::of(&program), known)?;
            let asks = any_stm(&form.body, &mut |kind| matches!(kind, Kind::If(_)));
            Some((form.group, asks))
        };
        for (value, wanted) in
            [("global_id", (1, false)), ("local_id", (64, true)), ("group_id", (64, true))]
        {
            assert_eq!(group(value, 64), Some(wanted), "{value}");
        }
        assert_eq!(group("global_id", GROUPS), Some((1, false)));
        assert_eq!(group("global_id", GROUPS + 1), Some((64, true)));
    }

    /// What only fills up a group is there where it does something.
    #[test]
    fn what_fills_up_a_group_stays() {
        let group = |body: &str, invocations| {
            let source = format!(
                "kernel k(xs : block[u32]) group 8 {{ {body} }}
                 let a = alloc u32(4);\nlaunch k(a) for 8;"
            );
            let program = parse::program(&source).expect("the test's program parses");
            let kernel = &program.kernels[0];
            let known = (&Facts::of(kernel, invocations, &[8, 4]), invocations);
            let form = bare(kernel, &program.sites, &Types::of(&program), known);
            form.expect("it has no check").0.group
        };
        let counts = "atomic add(xs.[0], u32 1);";
        assert_eq!(group(counts, 16), 1);
        assert_eq!(group(counts, 15), 8);
        let guarded = format!("if global_id < invocations {{ {counts} }}");
        assert_eq!(group(&guarded, 15), 1);
        assert_eq!(group(&format!("{guarded} {counts}"), 15), 8);
        assert_eq!(group(&format!("if global_id < invocations {{ }} else {{ {counts} }}"), 15), 8);
    }

    #[test]
    fn nothing_is_bare_that_others_see_the_inside_of() {
        assert_eq!(form("xs.[0] = 1; barrier storage;", 4), None);
    }

    /// Where `n` is 1 nothing is left of a product with it.
    #[test]
    fn neutral_operands_of_a_launch_go() {
        let text = form("let k : i32 = n * 3; if n == 1 { xs.[k * n - 3] = n; }", 1);
        assert!(text.as_ref().is_some_and(|text| text.contains("xs.[0] = n;")), "{text:?}");
    }
}
