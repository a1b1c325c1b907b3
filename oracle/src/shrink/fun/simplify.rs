//! Simpler scalar expressions and operands.

use super::super::Shrinking;
use super::super::numbers;
use super::dialect::Shrinks;
use super::walk;
use reference::fun::syntax::{Atom, Binding, Body, Exp, Program, Se};
use reference::kit::names::Var;
use std::collections::HashMap;
use std::sync::Arc;

impl<D: Shrinks> Shrinking<'_, Program<D>> {
    /// Folds what is known, names nothing that is a name already, puts an expression where it is
    /// used, and an operand or a small constant in the place of an operation.
    pub(super) fn simplify_scalars(&mut self) {
        let mut folded = self.program.clone();
        fold(&mut folded);
        self.attempt(folded, self.input.clone());
        self.inline_scalars();
        let mut at = 0;
        loop {
            let mut operations = 0;
            walk::scalars(&mut self.program.body, &mut |se| operations += count(se));
            if at >= operations {
                break;
            }
            let taken = (0..4).any(|simpler| {
                let mut program = self.program.clone();
                let mut left = Some(at);
                walk::scalars(&mut program.body, &mut |se| replace_nth(se, &mut left, simpler));
                self.attempt(program, self.input.clone())
            });
            if !taken {
                at += 1;
            }
        }
    }

    /// Puts each expression that has a name in the place of the name, where only scalar
    /// expressions use it.
    fn inline_scalars(&mut self) {
        let mut tried = 0;
        loop {
            let mut named = Vec::new();
            scalar_statements(&self.program.body, &mut named);
            if tried >= named.len() {
                break;
            }
            // From the last on, so that what goes is put into what stays.
            let (var, se) = named[named.len() - 1 - tried].clone();
            let mut program = self.program.clone();
            if let Se::Atom(atom) = se {
                remove_binding(&mut program.body, var);
                walk::substitute(&mut program, &HashMap::from([(var, atom)]));
            } else {
                remove_binding(&mut program.body, var);
                walk::scalars(&mut program.body, &mut |other| put(other, var, &se));
            }
            if !self.attempt(program, self.input.clone()) {
                tried += 1;
            }
        }
    }

    /// Small constants, and other ints in scope, in the place of single operands.
    pub(super) fn simplify_atoms(&mut self) {
        let mut at = 0;
        loop {
            let mut number = 0;
            let mut here = None;
            walk::each_atom(&self.program, &mut |atom| {
                if number == at {
                    here = Some(atom);
                }
                number += 1;
            });
            let Some(atom) = here else { break };
            for simpler in [1, 0, 2] {
                if let Atom::Const(k) = atom
                    && numbers::digits(k.into()) <= numbers::digits(simpler.into())
                {
                    continue;
                }
                let mut program = self.program.clone();
                let mut number = 0;
                walk::atoms(&mut program, &mut |atom| {
                    if number == at {
                        *atom = Atom::Const(simpler);
                    }
                    number += 1;
                });
                if self.attempt(program, self.input.clone()) {
                    break;
                }
            }
            at += 1;
        }
    }
}

/// How many operations.
fn count(se: &Se) -> usize {
    match se {
        Se::Atom(_) => 0,
        Se::Bin(_, ab) => 1 + ab.iter().map(count).sum::<usize>(),
    }
}

/// Replaces the operation number `left`: by its operands, or by 1 or 0.
fn replace_nth(se: &mut Se, left: &mut Option<usize>, simpler: usize) {
    let Se::Bin(_, ab) = se else { return };
    let [a, b] = Arc::make_mut(ab);
    match left {
        None => return,
        Some(0) => {
            *left = None;
            *se = match simpler {
                0 => a.clone(),
                1 => b.clone(),
                2 => Se::from(1),
                _ => Se::from(0),
            };
            return;
        }
        Some(left) => *left -= 1,
    }
    replace_nth(a, left, simpler);
    replace_nth(b, left, simpler);
}

/// Puts `with` in the place of `var`.
fn put(se: &mut Se, var: Var, with: &Se) {
    match se {
        Se::Atom(Atom::Var(other)) if *other == var => *se = with.clone(),
        Se::Atom(_) => {}
        Se::Bin(_, ab) => {
            Arc::make_mut(ab).iter_mut().for_each(|operand| put(operand, var, with));
        }
    }
}

/// The statements `let (v : int) = se`.
fn scalar_statements<D: Shrinks>(body: &Body<D>, out: &mut Vec<(Var, Se)>) {
    for stm in &body.stms {
        if let (Exp::Scalar(se), [Binding { var, .. }]) = (&stm.exp, &stm.pattern[..]) {
            out.push((*var, se.clone()));
        }
        for inner in stm.exp.bodies() {
            scalar_statements(inner, out);
        }
    }
}

fn remove_binding<D: Shrinks>(body: &mut Body<D>, var: Var) {
    body.stms.retain(|stm| stm.pattern.iter().all(|binding| binding.var != var));
    for stm in &mut body.stms {
        for inner in stm.exp.bodies_mut() {
            remove_binding(inner, var);
        }
    }
}

/// Operations on constants become constants, and names of atoms the atoms.
fn fold<D: Shrinks>(program: &mut Program<D>) {
    loop {
        walk::scalars(&mut program.body, &mut fold_scalar);
        let mut named = Vec::new();
        scalar_statements(&program.body, &mut named);
        let with: HashMap<Var, Atom> = named
            .into_iter()
            .filter_map(|(var, se)| match se {
                Se::Atom(atom) => Some((var, atom)),
                Se::Bin(..) => None,
            })
            .collect();
        if with.is_empty() {
            break;
        }
        for var in with.keys() {
            remove_binding(&mut program.body, *var);
        }
        walk::substitute(program, &with);
    }
}

fn fold_scalar(se: &mut Se) {
    let Se::Bin(op, ab) = se else { return };
    let [a, b] = Arc::make_mut(ab);
    fold_scalar(a);
    fold_scalar(b);
    if let (Se::Atom(Atom::Const(a)), Se::Atom(Atom::Const(b))) = (&*a, &*b)
        && let Ok(k) = op.apply(*a, *b)
    {
        *se = Se::from(k);
    }
}
