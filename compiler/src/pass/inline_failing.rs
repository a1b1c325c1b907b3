//! `inline_failing`: failing functions stand where they are called, in kernels whose invocations go on behind a failed check.
//!
//! | | |
//! |---|---|
//! | before | functions that are called have no loops and no `par`; whatever can get stuck stands behind a check |
//! | after | a kernel whose invocations [go on](super::eliminate_checks) behind a failed check calls [total](super::inline_calls) functions only |
//! | stuck | the same site |
//!
//! An invocation that goes on remembers in variables of the kernel that it failed, and what stands behind a check is guarded by
//! these. Where a failed check ends its invocation, a function need not be in place: the writer of WGSL has a function return
//! early, and its caller behind it.
//!
//! A kernel that changes is [simplified](super::simplify) once more: arguments and results are bound to names, and no name of a literal
//! may come to the shaders.

use super::eliminate_checks::goes_on;
use super::inline_calls::{Inline, calls, failing};
use super::poison_checks::Detail;
use super::simplify::simplify;
use reference::device::syntax::{Function, Kernel, Program};
use reference::kit::decisions::Decisions;
use reference::kit::names::Names;

/// The pass, for kernels whose failed checks are to be treated with this detail.
pub fn inline_failing(mut program: Program, detail: Detail, decisions: &mut Decisions) -> Program {
    let failing = failing(&program);
    let calls_failing = |kernel: &Kernel| {
        let mut any = false;
        calls(&kernel.body, &mut |callee, _| any |= failing[callee]);
        any
    };
    let changes = |kernel: &Kernel| goes_on(kernel, detail) && calls_failing(kernel);
    let changed: Vec<bool> = program.kernels.iter().map(changes).collect();
    if !changed.contains(&true) {
        return program;
    }
    let mut shall = |_: &Function, number: usize, _: &Names| failing[number];
    let mut names = std::mem::take(&mut program.names);
    // The functions of the program stay as they are, for kernels that call them.
    let mut whole: Vec<Function> = Vec::with_capacity(program.functions.len());
    for function in &program.functions {
        let mut function = function.clone();
        let mut inline = Inline { names, functions: &whole };
        function.body = inline.block(function.body, &mut shall);
        names = inline.names;
        whole.push(function);
    }
    let mut inline = Inline { names, functions: &whole };
    for (kernel, _) in program.kernels.iter_mut().zip(changed).filter(|(_, changed)| *changed) {
        kernel.body = inline.block(std::mem::take(&mut kernel.body), &mut shall);
    }
    program.names = inline.names;
    simplify(program, decisions)
}
