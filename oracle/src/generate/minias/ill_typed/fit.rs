//! What of a program is well typed in a mode.

use reference::kit::derivation::Recorder;
use reference::minias::infer;
use reference::minias::syntax::{Function, Item, Program, Stmt};
use reference::minias::types::Mode;

/// The program, of whose first kernel only that is left which is well typed in the mode. If something else in it is not,
/// there are only constants beside that kernel.
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
        let first = program.kernels().next().map(|kernel| kernel.name);
        let stays = |item: &Item| match item {
            Item::Function(function) => function.kernel && Some(function.name) == first,
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

#[cfg(test)]
mod tests {
    use super::*;
    use reference::kit::language::Language;
    use reference::minias::Minias;

    /// The function, which a kernel that is not the first calls, is well typed in the mode `infer` alone.
    #[test]
    fn what_is_left_of_several_kernels_is_well_typed() {
        let text = "kernel void k(global int *g) { *g = 1; }
            int load(int *p) { int *q = p; return *(global int *) q; }
            kernel void l(global int *g, local int *h) { int *r = h; r = g; *g = load(r); }";
        let program = Minias::parse(text).expect("it is read");
        for mode in Mode::ALL {
            let left = fitting(&program, mode);
            let kernels = left.kernels().count();
            assert_eq!(
                kernels,
                if mode == Mode::Infer || mode == Mode::Generic { 2 } else { 1 },
                "{mode:?}"
            );
            assert!(infer::types_of(&left, mode, &mut Recorder::counting()).is_ok(), "{mode:?}");
        }
    }
}
