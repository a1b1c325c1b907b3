//! What plain text leaves out, and that it means the same.

use super::{Form, Grid, Writing, module, shaders};
use crate::emit::spirv::{for_vulkan, validate};
use crate::pass::types::Types;
use crate::pipeline::{self, CHECKED};
use crate::route::{Artifact, KernelOptions, Plan};
use crate::run::forms::Forms;
use expect_test::{Expect, expect};
use reference::device::syntax::{Program, Ty};

/// The device program that a program of FUN becomes.
fn compiled(source: &str) -> Program {
    let program = reference::fun::parse::program(source).expect("the program parses");
    let stages = pipeline::stages(Artifact::Fun(program), &Plan::default());
    match stages.by(CHECKED).map(|stage| &stage.artifact) {
        Some(Artifact::Device(program)) => program.clone(),
        _ => panic!("it compiles: {:?}", stages.stop),
    }
}

/// The text of the first kernel as it stands in the program.
fn as_it_stands(program: &Program) -> Form {
    let (kernel, types) = (&program.kernels[0], Types::of(program));
    module(program, kernel, &types, Writing::default(), Grid::Folded).expect("it is written")
}

/// Of the first kernel: blocks of four elements at word 8, and integers that are 4.
fn args_of(program: &Program) -> Vec<u32> {
    let words = |ty: &Ty| match ty {
        Ty::Block(_) => vec![8, 4],
        _ => vec![4],
    };
    program.kernels[0].params.iter().flat_map(|(_, ty)| words(ty)).collect()
}

/// The fast form of the first kernel for four invocations of these arguments.
fn fast(source: &str) -> String {
    let program = compiled(source);
    let args = args_of(&program);
    let forms = Forms::of(&program, KernelOptions::default());
    let form = &forms.fast(0, 64, (4, &args)).expect("it can be written").form;
    validate(&form.wgsl).unwrap_or_else(|error| panic!("{error}\n{}", form.wgsl));
    form.wgsl.clone()
}

fn check(source: &str, expected: &Expect) {
    expected.assert_eq(&fast(source));
}

/// Neither a record nor a group, arguments only for invocations of the launch, of blocks only
/// where they start, elements as they are, and brackets only where the grammar wants them.
#[test]
fn what_needs_no_check_is_short() {
    check(
        "param (n : int) (xs : [n])
         let (ys : [n]) = kernel i <= n do
           let (x : int) = xs[i]
           in ((x - (-7)) * (x + i * 3) - (x - (i + n)))
         in (ys)",
        &expect![[r#"
            @group(0) @binding(0) var<storage, read_write> arena: array<u32>;
            @group(0) @binding(1) var<storage, read> launch: array<u32, 7>;
            @compute @workgroup_size(64)
            fn main(@builtin(global_invocation_id) global: vec3<u32>) {
                let global_id = global.x;
                let invocations = launch[0];
                if global_id < invocations {
                    let n_2_ = i32(launch[2]);
                    let xs_mem_1_base = launch[3];
                    let ys_mem_1_base = launch[5];
                    let i_ = i32(global_id) + 1i;
                    let index_ = i_ - 1i;
                    let x_ = i32(arena[xs_mem_1_base + u32(index_)]);
                    let t_ = (x_ - -7i) * (x_ + i_ * 3i) - (x_ - (i_ + n_2_));
                    arena[ys_mem_1_base + u32(index_)] = u32(t_);
                }
            }
        "#]],
    );
}

/// An address is u32 from the start, whatever it is made of; what is looked at as a number besides is
/// converted where it is added.
#[test]
fn addresses_are_words() {
    check(
        "param (n : int) (xs : [n][n])
         let (ys : [n]) = kernel i <= n do
           let (k : int) = max(1, min(n, i * 7))
           let (x : int) = xs[n + 1 - i, k]
           in (x - k)
         in (ys)",
        &expect![[r#"
            @group(0) @binding(0) var<storage, read_write> arena: array<u32>;
            @group(0) @binding(1) var<storage, read> launch: array<u32, 7>;
            @group(0) @binding(2) var<storage, read_write> records: array<atomic<u32>>;
            @compute @workgroup_size(64)
            fn main(@builtin(global_invocation_id) global: vec3<u32>) {
                let global_id = global.x;
                let invocations = launch[0];
                if global_id < invocations {
                    let n_2_ = i32(launch[2]);
                    let xs_mem_1_base = launch[3];
                    let xs_mem_1_length = launch[4];
                    let ys_mem_1_base = launch[5];
                    let i_ = i32(global_id) + 1i;
                    let k_ = max(1i, min(n_2_, i_ * 7i));
                    let t_ = n_2_ + 1i - i_;
                    let index_ = (t_ - 1i) * n_2_ + (k_ - 1i);
                    if u32(index_) >= xs_mem_1_length {
                        atomicStore(&records[0], 1u);
                        return;
                    }
                    let x_ = i32(arena[xs_mem_1_base + u32(index_)]);
                    let t_1_ = x_ - k_;
                    let index_1_ = i_ - 1i;
                    arena[ys_mem_1_base + u32(index_1_)] = u32(t_1_);
                }
            }
        "#]],
    );
}

/// Constants are not added up, since that could overflow, and what is negative is the word that it is.
#[test]
fn constants_of_addresses_do_not_overflow() {
    let source = "kernel k(xs : block[i32]) group 4 {
          let a : i32 = i32(global_id) * (-3);
          xs.[(a + (-2147483648)) - (-2147483648) - a] = 7;
          xs.[(2147483647 + 1) + (2147483647 + 1)] = 8;
        }
        param xs : [4];
        launch k(xs) for 1;
        result xs : [4] at 0 strides (1);";
    let program = reference::device::parse::program(source).expect("the program parses");
    let stages = pipeline::stages(Artifact::Device(program), &Plan::default());
    let program = stages.device().expect("it compiles");
    let full = &shaders(program, Writing::default()).expect("it is written")[0];
    validate(&full.wgsl).unwrap_or_else(|error| panic!("{error}\n{}", full.wgsl));
}

/// A test that is left sets the header of the record, whatever the group.
#[test]
fn what_may_fail_tells_so() {
    let wgsl = fast(
        "param (n : int) (xs : [n])
         let (ys : [n]) = kernel i <= n do
           let (x : int) = xs[i]
           let (y : int) = xs[x]
           in (y)
         in (ys)",
    );
    assert!(wgsl.contains("atomicStore(&records[0], 1u);"), "{wgsl}");
    assert!(!wgsl.contains("group_id"), "{wgsl}");
}

/// A loop stops by the opposite comparison, which is as short as the one that goes on.
#[test]
fn loops_stop_by_a_comparison() {
    let wgsl = fast(
        "param (n : int) (xs : [n])
         let (ys : [n]) = kernel i <= n do
           let (s : int) = loop (s : int = i) for j <= n do
             in (s * 3 + j)
           in (s)
         in (ys)",
    );
    assert!(wgsl.contains(" >= ") && wgsl.contains(" { break; }"), "{wgsl}");
    assert!(!wgsl.contains('!') && !wgsl.contains("if ("), "{wgsl}");
}

/// A round ends early where one of two comparisons fails, not where both together do not hold: of the negation of a
/// conjunction Mesa 22.3.6 takes the constant comparison for the end of the loop.
#[test]
fn a_round_ends_by_one_of_two_comparisons() {
    let wgsl = fast(
        "param (n : int) (xs : [n])
         let (zs : [n]) = kernel i <= n do
           let (m : int) = xs[i]
           let (ys : [m]) = kernel k <= m do
             in (k)
           let (s : int) = loop (s : int = 0) for j <= 3 do
             let (y : int) = ys[j]
             in (s + y)
           in (s)
         in (zs)",
    );
    assert!(wgsl.contains("(1i > j_) | (j_ > m_)"), "{wgsl}");
    assert!(!wgsl.contains("!(("), "{wgsl}");
}

/// What only counts does so in short, and is the same module.
#[test]
fn a_counter_goes_up() {
    let wgsl = fast(
        "param (n : int) (xs : [n])
         let (ys : [n][n]) = kernel i <= n do
           let (zs : [n]) = kernel j <= n do
             let (x : int) = xs[j]
             in (x - i)
           in (zs)
         in (ys)",
    );
    let long = wgsl.lines().map(|line| match line.trim().strip_suffix("++;") {
        Some(name) => format!("{name} = {name} + 1u;\n"),
        None => format!("{line}\n"),
    });
    let long: String = long.collect();
    assert_ne!(long, wgsl);
    assert_eq!(for_vulkan(&long).expect("naga takes it"), for_vulkan(&wgsl).expect("and this"));
}

/// The brackets around all of a text go, and no others.
#[test]
fn brackets_that_do_not_meet_stay() {
    let wgsl = fast(
        "param (n : int) (xs : [n])
         let (ys : [n]) = kernel i <= n do
           let (x : int) = xs[i]
           in ((x + n) * (x - i))
         in (ys)",
    );
    assert!(wgsl.contains(") * ("), "{wgsl}");
}

/// `abs` of what is never -0.0, of which the greater of both signs is -0.0.
#[test]
fn a_magnitude_is_written_where_it_is_one_to_the_bit() {
    let program = reference::device::parse::program(
        "kernel k(a : i32, xs : block[f32]) group 1 {
           xs.[0] = max(f32(a), neg(f32(a)));
           xs.[1] = max(f32(a) - 1.0, neg(f32(a) - 1.0));
           let x : f32 = xs.[2];
           xs.[2] = max(x, neg(x));
           xs.[3] = max(f32(a), neg(x));
         }
         param a : i32;
         let xs = alloc f32(4);
         launch k(a, xs) for 1;",
    )
    .expect("the program parses");
    let form = as_it_stands(&program);
    validate(&form.wgsl).unwrap_or_else(|error| panic!("{error}\n{}", form.wgsl));
    let stores = form.wgsl.lines().filter(|line| line.contains("] = bitcast"));
    let stores: Vec<&str> = stores.map(str::trim_start).collect();
    expect![[r#"
        arena[xs_base + 0u] = bitcast<u32>(abs(f32(a_)));
        arena[xs_base + 1u] = bitcast<u32>(abs(f32(a_) - 1.0f));
        arena[xs_base + 2u] = bitcast<u32>(max(x_, -x_));
        arena[xs_base + 3u] = bitcast<u32>(max(f32(a_), -x_));"#]]
    .assert_eq(&stores.join("\n"));
}

/// Operators of one kind need no brackets on the left, nor does a negation; two kinds that meet keep
/// them, and so do comparisons and shifts in a list, where two could be read as one of templates.
#[test]
fn brackets_of_other_operators_stay() {
    let program = reference::device::parse::program(
        "kernel k(a : i32, p : bool, q : bool, r : bool, xs : block[i32], fs : block[f32]) group 1 {
           xs.[0] = select(p & q & not(r), 1, 2);
           xs.[1] = select(p & (q & r), 1, 2);
           xs.[2] = select(p & q | r, a, 2);
           xs.[3] = max(a << 3, i32(a < 3));
           xs.[4] = select(a < 1, min(a + 1, 7), i32(p == (a > 2)));
           xs.[5] = bitcast i32(bitcast u32(a) + u32 1);
           fs.[0] = f32(a) * 1.0e-7 + 1.0e20 - (0.5 - f32(a));
         }
         param a : i32;
         let xs = alloc i32(6);
         let fs = alloc f32(1);
         launch k(a, a < 0, a < 1, a < 2, xs, fs) for 1;
         result xs : [6] at 0 strides (1);",
    )
    .expect("the program parses");
    let form = as_it_stands(&program);
    validate(&form.wgsl).unwrap_or_else(|error| panic!("{error}\n{}", form.wgsl));
    let stores = form.wgsl.lines().filter(|line| line.contains("arena["));
    let stores: Vec<&str> = stores.map(str::trim_start).collect();
    expect![[r#"
        arena[xs_base + 0u] = u32(select(2i, 1i, p_ & q_ & !r_));
        arena[xs_base + 1u] = u32(select(2i, 1i, p_ & (q_ & r_)));
        arena[xs_base + 2u] = u32(select(2i, a_, (p_ & q_) | r_));
        arena[xs_base + 3u] = u32(max((a_ << 3u), i32((a_ < 3i))));
        arena[xs_base + 4u] = u32(select(i32((p_ == (a_ > 2i))), min(a_ + 1i, 7i), (a_ < 1i)));
        arena[xs_base + 5u] = u32(i32(u32(a_) + 1u));
        arena[fs_base + 0u] = bitcast<u32>(f32(a_) * 1e-7f + 1e20f - (0.5f - f32(a_)));"#]]
    .assert_eq(&stores.join("\n"));
}

/// WGSL does not mix `&&` with `&`: an operand that a style may write with `&&` has its brackets.
#[test]
fn brackets_keep_and_from_and() {
    let program = reference::device::parse::program(
        "kernel k(p : bool, q : bool, r : bool, xs : block[i32]) group 1 {
           xs.[0] = select(p & q & r, 1, 2);
         }
         param a : i32;
         let xs = alloc i32(1);
         launch k(a < 0, a < 1, a < 2, xs) for 1;",
    )
    .expect("the program parses");
    let (kernel, types) = (&program.kernels[0], Types::of(&program));
    let conditions = ["short-circuit:even", "short-circuit:odd", "short-circuit"].map(|style| {
        let style = style.parse().expect("a style");
        let writing = Writing { style, ..Writing::default() };
        let form = module(&program, kernel, &types, writing, Grid::Flat).expect("it is written");
        validate(&form.wgsl).unwrap_or_else(|error| panic!("{error}\n{}", form.wgsl));
        let line = form.wgsl.lines().find(|line| line.contains("select(")).unwrap_or_default();
        line.trim_start().to_owned()
    });
    expect![[r#"
        arena[xs_base + 0u] = bitcast<u32>(select(2i, 1i, (p_ && q_) & r_));
        arena[xs_base + 0u] = bitcast<u32>(select(2i, 1i, (p_ & q_) && r_));
        arena[xs_base + 0u] = bitcast<u32>(select(2i, 1i, (p_ && q_) && r_));"#]]
    .assert_eq(&conditions.join("\n"));
}

/// The bits of an amount are those of its sum, and a literal divisor is none of a name.
#[test]
fn amounts_and_divisors_are_words() {
    let wgsl = fast(
        "param (n : int)
         let (ys : [n]) = kernel i <= n do
           let (k : int) = (i + 7) % 6
           in ((i << i + 2) ^ k)
         in (ys)",
    );
    for part in ["<< (u32(", " + 2i) & 31u)"] {
        assert!(wgsl.contains(part), "no `{part}` in\n{wgsl}");
    }
    assert!(!wgsl.contains("var t"), "{wgsl}");
}

/// Only a form that records sites finds out which order is the least: it has a barrier for each component and for the
/// length. The work group stays as it is written.
#[test]
fn orders_take_nothing_in_a_fast_form() {
    let source = "
kernel k(n : i32) group 4 {
  check index(i32(local_id), n) at (1) order (i32(local_id), n);
}
launch k(3) for 4;";
    let program = reference::device::parse::program(source).expect("it parses");
    let forms = Forms::of(&program, KernelOptions::default());
    assert_eq!(forms.group(0, 4, 256), 4);
    let fast = forms.fast(0, 4, (4, &args_of(&program))).expect("it can be written");
    let full = forms.full(0, 4).expect("it can be written");
    let barriers = [&fast, &full].map(|made| {
        let wgsl = &made.form.wgsl;
        validate(wgsl).unwrap_or_else(|error| panic!("{error}\n{wgsl}"));
        wgsl.matches("workgroupBarrier").count()
    });
    assert_eq!(barriers, [0, 3]);
}

/// The caller of a function that fails returns too, before it stores anything. A full form calls none.
#[test]
fn a_failure_returns_through_all_callers() {
    let source = "fn get(b : block[i32], i : i32) -> vec2[i32] { return make vec2[i32](b.[i], 1); }
        fn put(b : block[i32], i : i32) { let x = call get(b, i); b.[0] = x[0]; }
        kernel k(xs : block[i32], i : i32) group 1 { call put(xs, i); xs.[1] = 1; }
        param xs : [4]; param i : i32; launch k(xs, i) for 1;";
    let program = reference::device::parse::program(source).expect("the program parses");
    let stages = pipeline::stages(Artifact::Device(program), &Plan::default());
    let Some(Artifact::Device(program)) = stages.by(CHECKED).map(|stage| &stage.artifact) else {
        panic!("it compiles: {:?}", stages.stop)
    };
    let forms = Forms::of(program, KernelOptions::default());
    let fast = &forms.fast_for_all(0, 64).expect("it can be written").form;
    validate(&fast.wgsl).unwrap_or_else(|error| panic!("{error}\n{}", fast.wgsl));
    assert!(fast.sets_flag);
    let (_, functions) = fast.wgsl.split_once("fn f_1").expect("there are functions");
    let (functions, _) = functions.split_once("@compute").expect("the kernel follows");
    expect![[r#"
        fn f_1(b_1_: vec2<u32>, i_1_: i32) {
            let x_ = f_0(b_1_, i_1_);
            if failed {
                return;
            }
            var t1 = 0i;
            if u32(t1) >= b_1_.y {
                failed = true;
                atomicStore(&records[0], 1u);
                return;
            }
            var t2 = x_;
            arena[b_1_.x + 0u] = u32(t2[0i]);
        }
    "#]]
    .assert_eq(&format!("fn f_1{functions}"));
    let full = &forms.full(0, 64).expect("it can be written").form;
    assert!(!full.wgsl.contains("fn f_") && !full.wgsl.contains("if failed {"), "{}", full.wgsl);
}
