//! Walks over all of a program.

use reference::fun::syntax::{Atom, Se};
use reference::imp::syntax::{Kind, Output, Program, Stm};
use reference::kit::names::Var;
use std::sync::Arc;

/// How many statements there are, those inside of others included.
pub(super) fn statements(body: &[Stm]) -> usize {
    let inside = |stm: &Stm| match &stm.kind {
        Kind::If { then, orelse, .. } => statements(then) + statements(orelse),
        Kind::Kernel { body, .. } | Kind::For { body, .. } => statements(body),
        _ => 0,
    };
    body.iter().map(|stm| 1 + inside(stm)).sum()
}

/// Calls `each` for every sequence of statements, the outer ones first.
pub(super) fn bodies(body: &mut Vec<Stm>, each: &mut dyn FnMut(&mut Vec<Stm>)) {
    each(body);
    for stm in body {
        match &mut stm.kind {
            Kind::If { then, orelse, .. } => {
                bodies(then, each);
                bodies(orelse, each);
            }
            Kind::Kernel { body, .. } | Kind::For { body, .. } => bodies(body, each),
            _ => {}
        }
    }
}

/// The sequence of this number, as [`bodies`] counts them.
pub(super) fn body_at(program: &mut Program, number: usize) -> Option<&mut Vec<Stm>> {
    fn find<'b>(body: &'b mut Vec<Stm>, left: &mut usize) -> Option<&'b mut Vec<Stm>> {
        if *left == 0 {
            return Some(body);
        }
        *left -= 1;
        body.iter_mut().find_map(|stm| match &mut stm.kind {
            Kind::If { then, orelse, .. } => {
                if let Some(found) = find(then, left) {
                    return Some(found);
                }
                find(orelse, left)
            }
            Kind::Kernel { body, .. } | Kind::For { body, .. } => find(body, left),
            _ => None,
        })
    }
    find(&mut program.body, &mut { number })
}

/// Calls `each` for every outermost expression.
pub(super) fn expressions(program: &mut Program, each: &mut dyn FnMut(&mut Se)) {
    bodies(&mut program.body, &mut |body| {
        for stm in body {
            match &mut stm.kind {
                Kind::Assign(_, se)
                | Kind::Alloc(_, se)
                | Kind::Read { offset: se, .. }
                | Kind::Kernel { count: se, .. }
                | Kind::For { count: se, .. } => each(se),
                Kind::Write { offset, value, .. } => {
                    each(offset);
                    each(value);
                }
                Kind::Check { operands, .. } => operands.iter_mut().for_each(&mut *each),
                Kind::Skip | Kind::Var(..) | Kind::AssignMem(..) | Kind::If { .. } => {}
            }
        }
    });
    for output in &mut program.results {
        if let Output::Array { offset, strides, .. } = output {
            each(offset);
            strides.iter_mut().for_each(&mut *each);
        }
    }
}

/// Calls `each` for every name or number that stands where no expression may.
pub(super) fn atoms(program: &mut Program, each: &mut dyn FnMut(&mut Atom)) {
    program
        .params
        .iter_mut()
        .filter_map(|param| param.shape.as_mut())
        .flatten()
        .for_each(&mut *each);
    bodies(&mut program.body, &mut |body| {
        for stm in body {
            if let Kind::If { cond, .. } = &mut stm.kind {
                each(cond);
            }
        }
    });
    for output in &mut program.results {
        match output {
            Output::Int(atom) => each(atom),
            Output::Array { shape, .. } => shape.iter_mut().for_each(&mut *each),
        }
    }
}

/// Changes every name and number of an expression.
pub(super) fn within(se: &mut Se, each: &mut dyn FnMut(&mut Atom)) {
    match se {
        Se::Atom(atom) => each(atom),
        Se::Bin(_, parts) => {
            Arc::make_mut(parts).iter_mut().for_each(|part| within(part, each));
        }
    }
}

/// Calls `each` for every name, where it is declared and where it is used.
pub(super) fn names(program: &mut Program, each: &mut dyn FnMut(Var)) {
    program.params.iter().for_each(|param| each(param.var));
    let used = |atom: &mut Atom, each: &mut dyn FnMut(Var)| {
        atom.var().into_iter().for_each(each);
    };
    expressions(program, &mut |se| within(se, &mut |atom| used(atom, each)));
    atoms(program, &mut |atom| used(atom, each));
    bodies(&mut program.body, &mut |body| {
        for stm in body {
            match &stm.kind {
                Kind::Var(var, _)
                | Kind::Assign(var, _)
                | Kind::Alloc(var, _)
                | Kind::Write { block: var, .. }
                | Kind::Kernel { thread: var, .. }
                | Kind::For { counter: var, .. } => each(*var),
                Kind::AssignMem(var, other) | Kind::Read { into: var, block: other, .. } => {
                    each(*var);
                    each(*other);
                }
                Kind::Skip | Kind::If { .. } | Kind::Check { .. } => {}
            }
        }
    });
    for output in &program.results {
        if let Output::Array { block, .. } = output {
            each(*block);
        }
    }
}
