//! Ways around in a program: places of bodies, uses of names, substitution, dead statements.

use super::dialect::{Shrinks, atoms_of_scalar, name};
use reference::fun::syntax::{Atom, Binding, Body, Exp, Program, Se, Stm};
use reference::kit::names::Var;
use std::collections::HashMap;

/// The way to a body: at each level the statement, and which of its bodies.
pub(super) type Path = Vec<(usize, usize)>;

/// The ways to all bodies, outer ones first.
pub(super) fn paths<D: Shrinks>(program: &Program<D>) -> Vec<Path> {
    fn go<D: Shrinks>(body: &Body<D>, here: &Path, out: &mut Vec<Path>) {
        out.push(here.clone());
        for (at, stm) in body.stms.iter().enumerate() {
            for (which, inner) in stm.exp.bodies().into_iter().enumerate() {
                let mut path = here.clone();
                path.push((at, which));
                go(inner, &path, out);
            }
        }
    }
    let mut out = Vec::new();
    go(&program.body, &Path::new(), &mut out);
    out
}

/// The body at the end of the way, if it is still there.
pub(super) fn body_at<'p, D: Shrinks>(
    program: &'p mut Program<D>,
    path: &[(usize, usize)],
) -> Option<&'p mut Body<D>> {
    let mut body = &mut program.body;
    for &(at, which) in path {
        body = body.stms.get_mut(at)?.exp.bodies_mut().into_iter().nth(which)?;
    }
    Some(body)
}

/// The same, to be looked at.
pub(super) fn look_at<'p, D: Shrinks>(
    program: &'p Program<D>,
    path: &[(usize, usize)],
) -> Option<&'p Body<D>> {
    let mut body = &program.body;
    for &(at, which) in path {
        body = body.stms.get(at)?.exp.bodies().into_iter().nth(which)?;
    }
    Some(body)
}

/// Visits every use of a name and every constant; what is bound is not a use.
pub(super) fn atoms<D: Shrinks>(program: &mut Program<D>, visit: &mut dyn FnMut(&mut Atom)) {
    for param in &mut program.params {
        D::atoms_of_type(&mut param.ty, visit);
    }
    atoms_of_body(&mut program.body, visit);
}

/// Looks at every use of a name and every constant, in the same order.
pub(super) fn each_atom<D: Shrinks>(program: &Program<D>, look: &mut dyn FnMut(Atom)) {
    // Only the mutable walk is written out; a copy of what it walks over costs little.
    let mut copy = Program {
        names: reference::kit::names::Names::new(),
        params: program.params.clone(),
        body: program.body.clone(),
    };
    atoms(&mut copy, &mut |atom| look(*atom));
}

fn atoms_of_body<D: Shrinks>(body: &mut Body<D>, visit: &mut dyn FnMut(&mut Atom)) {
    for stm in &mut body.stms {
        for binding in &mut stm.pattern {
            D::atoms_of_type(&mut binding.ty, visit);
        }
        atoms_of_exp(&mut stm.exp, visit);
    }
    body.results.iter_mut().for_each(visit);
}

fn atoms_of_exp<D: Shrinks>(exp: &mut Exp<D>, visit: &mut dyn FnMut(&mut Atom)) {
    match exp {
        Exp::Scalar(se) => atoms_of_scalar(se, visit),
        Exp::Index { array, index } => {
            name(array, visit);
            index.iter_mut().for_each(visit);
        }
        Exp::Slice { array, slice } => {
            name(array, visit);
            for dim in slice {
                [&mut dim.offset, &mut dim.size, &mut dim.stride].into_iter().for_each(&mut *visit);
            }
        }
        Exp::Transpose(array) => name(array, visit),
        Exp::If { cond, then, orelse } => {
            visit(cond);
            atoms_of_body(then, visit);
            atoms_of_body(orelse, visit);
        }
        Exp::Kernel { count, body, .. } => {
            visit(count);
            atoms_of_body(body, visit);
        }
        Exp::Loop { carried, count, body, .. } => {
            for (binding, init) in carried {
                D::atoms_of_type(&mut binding.ty, visit);
                visit(init);
            }
            visit(count);
            atoms_of_body(body, visit);
        }
        Exp::Update { array, slice, value } => {
            name(array, visit);
            for dim in slice {
                [&mut dim.offset, &mut dim.size, &mut dim.stride].into_iter().for_each(&mut *visit);
            }
            visit(value);
        }
        Exp::Extra(extra) => D::atoms_of_extra(extra, visit),
    }
}

/// Visits the scalar expressions of statements.
pub(super) fn scalars<D: Shrinks>(body: &mut Body<D>, visit: &mut dyn FnMut(&mut Se)) {
    for stm in &mut body.stms {
        match &mut stm.exp {
            Exp::Scalar(se) => visit(se),
            Exp::Extra(extra) => D::scalars_of_extra(extra, visit),
            exp => {
                for inner in exp.bodies_mut() {
                    scalars(inner, visit);
                }
            }
        }
    }
}

/// Puts atoms in the place of names, everywhere.
pub(super) fn substitute<D: Shrinks>(program: &mut Program<D>, with: &HashMap<Var, Atom>) {
    if with.is_empty() {
        return;
    }
    atoms(program, &mut |atom| {
        // A replacement may itself be replaced; no chain is longer than the map.
        for _ in 0..=with.len() {
            match atom.var().and_then(|var| with.get(&var)) {
                Some(other) => *atom = *other,
                None => break,
            }
        }
    });
}

/// How often each name is used, by slot.
pub(super) fn uses<D: Shrinks>(program: &mut Program<D>) -> Vec<u32> {
    let mut uses = vec![0; program.names.len()];
    atoms(program, &mut |atom| {
        if let Atom::Var(var) = atom {
            uses[var.slot()] += 1;
        }
    });
    uses
}

/// Takes out statements that bind only names that are not used, and unused parameters with their
/// values, until none is left. Did it find any?
pub(super) fn remove_unused<D: Shrinks>(
    program: &mut Program<D>,
    input: &mut Vec<reference::kit::outcome::Value>,
) -> bool {
    let mut any = false;
    loop {
        let uses = uses(program);
        let mut changed = remove_unused_in(&mut program.body, &uses);
        let mut value = 0;
        let mut keep_value = Vec::with_capacity(input.len());
        program.params.retain(|param| {
            let used = uses[param.var.slot()] > 0;
            if D::takes_input(&param.ty) {
                keep_value.push(used);
            }
            changed |= !used;
            used
        });
        input.retain(|_| {
            value += 1;
            keep_value.get(value - 1).copied().unwrap_or(true)
        });
        any |= changed;
        if !changed {
            return any;
        }
    }
}

fn remove_unused_in<D: Shrinks>(body: &mut Body<D>, uses: &[u32]) -> bool {
    let before = body.stms.len();
    body.stms.retain(|stm| stm.pattern.iter().any(|binding| uses[binding.var.slot()] > 0));
    let mut changed = body.stms.len() < before;
    for stm in &mut body.stms {
        for inner in stm.exp.bodies_mut() {
            changed |= remove_unused_in(inner, uses);
        }
    }
    changed
}

/// What is in scope before statement `upto` of the body at `path`, outermost first.
pub(super) fn scope<D: Shrinks>(
    program: &Program<D>,
    path: &[(usize, usize)],
    upto: usize,
) -> Vec<Binding<D>> {
    let mut scope: Vec<Binding<D>> = program.params.clone();
    let mut body = &program.body;
    let bound = |stms: &[Stm<D>], scope: &mut Vec<Binding<D>>| {
        scope.extend(stms.iter().flat_map(|stm| stm.pattern.iter().cloned()));
    };
    for &(at, which) in path {
        let Some(stm) = body.stms.get(at) else { return scope };
        bound(&body.stms[..at], &mut scope);
        match &stm.exp {
            Exp::Kernel { thread, .. } => scope.push(Binding { var: *thread, ty: D::int() }),
            Exp::Loop { carried, counter, .. } => {
                scope.push(Binding { var: *counter, ty: D::int() });
                scope.extend(carried.iter().map(|(binding, _)| binding.clone()));
            }
            _ => {}
        }
        let Some(inner) = stm.exp.bodies().into_iter().nth(which) else { return scope };
        body = inner;
    }
    bound(&body.stms[..upto.min(body.stms.len())], &mut scope);
    scope
}

/// The same program with only the names that it binds, in the order in which it binds them.
pub(super) fn compact<D: Shrinks>(mut program: Program<D>) -> Program<D> {
    let mut order = Vec::new();
    for param in &program.params {
        order.push(param.var);
    }
    binders(&mut program.body, &mut |var| order.push(*var));
    let mut place = vec![None; program.names.len()];
    let mut texts = Vec::with_capacity(order.len());
    for var in order {
        place[var.slot()] = Some(Var(texts.len() as u32));
        texts.push(program.names.text(var).to_owned());
    }
    let moved = |var: &mut Var| {
        // A name that is bound nowhere cannot be in a well-typed program.
        *var = place[var.slot()].unwrap_or(*var);
    };
    for param in &mut program.params {
        moved(&mut param.var);
    }
    binders(&mut program.body, &mut |var| moved(var));
    atoms(&mut program, &mut |atom| {
        if let Atom::Var(var) = atom {
            moved(var);
        }
    });
    program.names = reference::kit::names::Names::of_distinct(texts);
    program
}

/// Visits every place in a body that binds a name.
fn binders<D: Shrinks>(body: &mut Body<D>, visit: &mut dyn FnMut(&mut Var)) {
    for stm in &mut body.stms {
        match &mut stm.exp {
            Exp::Kernel { thread, .. } => visit(thread),
            Exp::Loop { carried, counter, .. } => {
                carried.iter_mut().for_each(|(binding, _)| visit(&mut binding.var));
                visit(counter);
            }
            _ => {}
        }
        for inner in stm.exp.bodies_mut() {
            binders(inner, visit);
        }
        stm.pattern.iter_mut().for_each(|binding| visit(&mut binding.var));
    }
}
