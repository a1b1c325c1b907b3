//! What plain text leaves out, and that it means the same.

use super::{Shaders, Writing};
use crate::emit::spirv::validate;
use crate::pipeline::{self, Artifact, PassCx};
use expect_test::{Expect, expect};
use reference::device::syntax::{Program, Ty};

/// The device program that a program of FUN becomes.
fn compiled(source: &str) -> Program {
    let program = reference::fun::parse::program(source).expect("the program parses");
    let stages = pipeline::stages(Artifact::Fun(program), &PassCx::default());
    stages.device().expect("it compiles").clone()
}

/// The quiet form of the first kernel for four invocations, of blocks of four elements at word 8
/// and integers that are 4.
fn quiet(source: &str) -> String {
    let program = compiled(source);
    let words = |ty: &Ty| match ty {
        Ty::Block(_) => vec![8, 4],
        _ => vec![4],
    };
    let args: Vec<u32> = program.kernels[0].params.iter().flat_map(|(_, ty)| words(ty)).collect();
    let shaders = Shaders::of(&program, Writing::default());
    let form = shaders.quiet(0, 4, &args).expect("it can be written").expect("it has checks");
    validate(&form.wgsl).unwrap_or_else(|error| panic!("{error}\n{}", form.wgsl));
    form.wgsl.clone()
}

fn check(source: &str, expected: &Expect) {
    expected.assert_eq(&quiet(source));
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
            @group(0) @binding(0) var<storage, read_write> arena: array<i32>;
            @group(0) @binding(1) var<storage, read> launch: array<u32, 9>;
            @compute @workgroup_size(64)
            fn main(@builtin(global_invocation_id) global: vec3<u32>) {
                let global_id = global.x;
                let invocations = launch[0];
                if global_id < invocations {
                    let v3_ = i32(launch[2]);
                    let v1_x = launch[3];
                    let v5_x = launch[5];
                    let v0_ = i32(global_id) + 1i;
                    let v2_ = arena[v1_x + global_id];
                    let v4_ = (v2_ - -7i) * (v2_ + v0_ * 3i) - (v2_ - (v0_ + v3_));
                    arena[v5_x + global_id] = v4_;
                }
            }
        "#]],
    );
}

/// A test that is left sets the header of the record, whatever the group.
#[test]
fn what_may_fail_tells_so() {
    let wgsl = quiet(
        "param (n : int) (xs : [n])
         let (ys : [n]) = kernel i <= n do
           let (x : int) = xs[i]
           let (y : int) = xs[x]
           in (y)
         in (ys)",
    );
    assert!(wgsl.contains("atomicMax(&records[0u], 1u);"), "{wgsl}");
    assert!(!wgsl.contains("group_id"), "{wgsl}");
}

/// A loop stops by the opposite comparison, which is as short as the one that goes on.
#[test]
fn loops_stop_by_a_comparison() {
    let wgsl = quiet(
        "param (n : int) (xs : [n])
         let (ys : [n]) = kernel i <= n do
           let (s : int) = loop (s : int = i) for j <= n do
             in (s * 3 + j)
           in (s)
         in (ys)",
    );
    assert!(wgsl.contains(") { break; }") && !wgsl.contains('!'), "{wgsl}");
}

/// The brackets around all of a text go, and no others.
#[test]
fn brackets_that_do_not_meet_stay() {
    let wgsl = quiet(
        "param (n : int) (xs : [n])
         let (ys : [n]) = kernel i <= n do
           let (x : int) = xs[i]
           in ((x + n) * (x - i))
         in (ys)",
    );
    assert!(wgsl.contains(") * ("), "{wgsl}");
}
