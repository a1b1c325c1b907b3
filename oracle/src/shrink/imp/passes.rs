//! What is tried to make a program smaller.

use super::super::{Shrinking, numbers};
use super::{is_array, walk};
use reference::fun::syntax::{Atom, Se};
use reference::imp::syntax::{Kind, Program, Stm, Ty};
use reference::kit::names::Var;
use reference::kit::outcome::{Scalar, Value};
use std::sync::Arc;

impl Shrinking<'_, Program> {
    fn attempt_with(&mut self, change: impl FnOnce(&mut Program) -> Option<()>) -> bool {
        let mut program = self.program.clone();
        change(&mut program).is_some() && self.attempt(program, self.input.clone())
    }

    /// Fewer results; of a last array an int.
    pub(super) fn cut_results(&mut self) {
        for at in (0..self.program.results.len()).rev() {
            if self.program.results.len() > 1 {
                self.attempt_with(|program| {
                    program.results.remove(at);
                    Some(())
                });
            }
        }
        if self.program.results.iter().any(is_array) {
            self.attempt_with(|program| {
                program.results = vec![reference::imp::syntax::Output::Int(1.into())];
                Some(())
            });
        }
    }

    /// Takes out runs of statements, long ones first, from the end of each sequence.
    pub(super) fn remove_statements(&mut self) {
        let mut number = 0;
        while let Some(length) = walk::body_at(&mut self.program, number).map(|body| body.len()) {
            let mut chunk = length;
            while chunk > 0 {
                let mut end = self.length(number);
                while end >= chunk {
                    let start = end - chunk;
                    self.attempt_with(|program| {
                        walk::body_at(program, number)?.drain(start..end);
                        Some(())
                    });
                    end = (end - 1).min(self.length(number));
                }
                chunk /= 2;
            }
            number += 1;
        }
    }

    fn length(&mut self, number: usize) -> usize {
        walk::body_at(&mut self.program, number).map_or(0, |body| body.len())
    }

    /// Puts the statements of a branch, a kernel or a loop in its place; its number is 1 there.
    pub(super) fn unwrap_bodies(&mut self) {
        let mut number = 0;
        while walk::body_at(&mut self.program, number).is_some() {
            let mut at = 0;
            while at < self.length(number) {
                let taken = [0, 1].iter().any(|which| {
                    self.attempt_with(|program| {
                        let body = walk::body_at(program, number)?;
                        let inner = opened(body.get(at)?.clone(), *which)?;
                        body.splice(at..=at, inner);
                        Some(())
                    })
                });
                if !taken {
                    at += 1;
                }
            }
            number += 1;
        }
    }

    /// Parameters become constants, or blocks of zeros.
    pub(super) fn cut_parameters(&mut self) {
        for at in (0..self.program.params.len()).rev() {
            let (mut program, mut input) = (self.program.clone(), self.input.clone());
            if at >= program.params.len() || program.params.len() != input.len() {
                continue;
            }
            let param = program.params.remove(at);
            match input.remove(at) {
                Value::Scalar(Scalar::I32(k)) => {
                    substitute(&mut program, param.var, k);
                    self.attempt(program, input);
                }
                Value::Array { cells, .. } => {
                    let (span, size) = (Default::default(), Se::from(cells.len() as i32));
                    let made = [Kind::Var(param.var, Ty::Mem), Kind::Alloc(param.var, size)];
                    let made = made.map(|kind| Stm { span, kind });
                    program.body.splice(0..0, made);
                    self.attempt(program, input);
                }
                _ => {}
            }
        }
    }

    /// Operands in the place of operations, small numbers in the place of names and numbers.
    pub(super) fn simplify_expressions(&mut self) {
        let mut at = 0;
        loop {
            let mut count = 0;
            walk::expressions(&mut self.program, &mut |se| nodes(se, &mut |_| count += 1));
            if at >= count {
                break;
            }
            let taken = (0..5).any(|simpler| {
                self.attempt_with(|program| {
                    let mut left = Some(at);
                    let mut changed = None;
                    walk::expressions(program, &mut |se| {
                        nodes(se, &mut |se| match left {
                            Some(0) => {
                                left = None;
                                changed = simplified(se, simpler);
                            }
                            Some(more) => left = Some(more - 1),
                            None => {}
                        });
                    });
                    changed
                })
            });
            if !taken {
                at += 1;
            }
        }
        let mut atoms = 0;
        walk::atoms(&mut self.program, &mut |_| atoms += 1);
        for at in 0..atoms {
            let _ = [1, 0, 2].iter().any(|k| {
                self.attempt_with(|program| {
                    let mut number = 0;
                    walk::atoms(program, &mut |atom| {
                        if number == at {
                            *atom = Atom::Const(*k);
                        }
                        number += 1;
                    });
                    Some(())
                })
            });
        }
    }

    /// Smaller constants, everywhere at once.
    pub(super) fn reduce_constants(&mut self) {
        let mut constants = Vec::new();
        let mut note = |atom: &mut Atom| constants.extend(constant(*atom));
        walk::expressions(&mut self.program, &mut |se| walk::within(se, &mut note));
        walk::atoms(&mut self.program, &mut note);
        constants.sort_unstable_by_key(|k: &i32| std::cmp::Reverse(k.unsigned_abs()));
        constants.dedup();
        for k in constants {
            let _ = numbers::smaller_i32(k).into_iter().any(|smaller| {
                self.attempt_with(|program| {
                    let mut put = |atom: &mut Atom| {
                        if *atom == Atom::Const(k) {
                            *atom = Atom::Const(smaller);
                        }
                    };
                    walk::expressions(program, &mut |se| walk::within(se, &mut put));
                    walk::atoms(program, &mut put);
                    Some(())
                })
            });
        }
    }
}

fn constant(atom: Atom) -> Option<i32> {
    match atom {
        Atom::Const(k) => Some(k),
        Atom::Var(_) => None,
    }
}

/// The statements that stand in a statement: of a branch one side or the other.
fn opened(stm: Stm, which: usize) -> Option<Vec<Stm>> {
    let span = stm.span;
    match (stm.kind, which) {
        (Kind::If { then, .. }, 0) => Some(then),
        (Kind::If { orelse, .. }, _) => Some(orelse),
        (
            Kind::Kernel { thread: var, mut body, .. } | Kind::For { counter: var, mut body, .. },
            0,
        ) => {
            let first = [Kind::Var(var, Ty::Int), Kind::Assign(var, 1.into())];
            body.splice(0..0, first.map(|kind| Stm { span, kind }));
            Some(body)
        }
        _ => None,
    }
}

/// Calls `each` for an expression and all in it, until one was changed in its place.
fn nodes(se: &mut Se, each: &mut dyn FnMut(&mut Se)) {
    each(se);
    if let Se::Bin(_, parts) = se {
        Arc::make_mut(parts).iter_mut().for_each(|part| nodes(part, each));
    }
}

/// Makes an expression simpler in one of five ways, if there is this way.
fn simplified(se: &mut Se, way: usize) -> Option<()> {
    *se = match (&*se, way) {
        (Se::Bin(_, parts), 0 | 1) => parts[way].clone(),
        (Se::Atom(_), 0 | 1) => return None,
        (_, way) => Se::from([1, 0, 2][way - 2]),
    };
    Some(())
}

/// Puts a number in the place of a name, wherever it is read.
fn substitute(program: &mut Program, var: Var, k: i32) {
    let mut put = |atom: &mut Atom| {
        if *atom == Atom::Var(var) {
            *atom = Atom::Const(k);
        }
    };
    walk::expressions(program, &mut |se| walk::within(se, &mut put));
    walk::atoms(program, &mut put);
}
