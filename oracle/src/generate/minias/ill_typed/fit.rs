//! What of a program is well typed in a mode.

use reference::kit::derivation::Recorder;
use reference::minias::infer;
use reference::minias::syntax::{Function, Item, Program, Stmt};
use reference::minias::types::Mode;

/// The program, of whose kernel and functions only that is left which is well typed in the mode.
pub(super) fn fitting(program: &Program, mode: Mode) -> Program {
    let mut program = program.clone();
    program.options.mode = mode;
    let is_well_typed =
        |program: &Program| infer::types_of(program, mode, &mut Recorder::counting()).is_ok();
    if is_well_typed(&program) {
        return program;
    }
    let stmts = kernel(&mut program).map(std::mem::take).unwrap_or_default();
    if !is_well_typed(&program) {
        let stays = |item: &Item| match item {
            Item::Function(function) => function.kernel,
            Item::Constant(_) => true,
        };
        program.items.retain(stays);
    }
    // What uses a variable whose declaration has gone goes too.
    for stmt in stmts {
        let put = |program: &mut Program, stmt| kernel(program).map(|body| body.push(stmt));
        put(&mut program, stmt);
        if !is_well_typed(&program) {
            kernel(&mut program).and_then(Vec::pop);
        }
    }
    program
}

/// The body of the first kernel.
fn kernel(program: &mut Program) -> Option<&mut Vec<Stmt>> {
    program.items.iter_mut().find_map(|item| match item {
        Item::Function(Function { kernel: true, body, .. }) => body.as_mut(),
        _ => None,
    })
}
