//! What is tried to make a program smaller.

use super::super::{Shrinking, numbers};
use super::walk;
use reference::fcl::syntax::{Exp, Kind, Program};
use reference::kit::outcome::{Cells, Scalar, Value};

impl Shrinking<'_, Program> {
    fn attempt_with(&mut self, change: impl FnOnce(&mut Program) -> Option<()>) -> bool {
        let mut program = self.program.clone();
        change(&mut program).is_some() && self.attempt(program, self.input.clone())
    }

    /// Tries `way` for ways 0, 1, … at every expression, outer ones first; where one is taken the same place is
    /// tried again.
    fn everywhere(&mut self, way: fn(&Exp, usize) -> Way) {
        let mut number = 0;
        while number < walk::count(&self.program) && !self.is_spent() {
            let mut nth = 0;
            loop {
                let mut program = self.program.clone();
                let Some(exp) = walk::nth_mut(&mut program, number) else { return };
                match way(exp, nth) {
                    Way::None => {
                        number += 1;
                        break;
                    }
                    Way::By(by) => {
                        *exp = by;
                        match self.attempt(program, self.input.clone()) {
                            true => nth = 0,
                            false => nth += 1,
                        }
                    }
                }
            }
        }
    }

    /// An expression gives way to one of its parts; of a function applied, to an argument.
    pub(super) fn replace_by_parts(&mut self) {
        self.everywhere(|exp, nth| {
            let parts = parts_within(exp);
            parts.get(nth).map_or(Way::None, |part| Way::By((*part).clone()))
        });
    }

    /// A binding or an applied function gives way to its body, a definition to what it is.
    pub(super) fn unfold(&mut self) {
        self.everywhere(|exp, nth| match (nth, unfolded(exp)) {
            (0, Some(unfolded)) => Way::By(unfolded),
            _ => Way::None,
        });
        for at in (0..self.program.defs.len()).rev() {
            self.attempt_with(|program| {
                let def = program.defs.get(at).filter(|def| !def.prelude)?.clone();
                let used: usize = walk::bodies(program).map(|exp| walk::uses(exp, def.name)).sum();
                if used != 1 {
                    return None;
                }
                program.defs.remove(at);
                walk::all_mut(program, &mut |exp| {
                    if matches!(exp.kind, Kind::Var(var) if var == def.name) {
                        *exp = def.body.clone();
                    }
                });
                Some(())
            });
        }
    }

    /// Array literals lose elements.
    pub(super) fn shorten_literals(&mut self) {
        self.everywhere(|exp, nth| match &exp.kind {
            Kind::Array(elements) if nth < elements.len() => {
                let mut fewer = elements.clone();
                fewer.remove(nth);
                Way::By(Exp { span: exp.span, kind: Kind::Array(fewer) })
            }
            _ => Way::None,
        });
    }

    /// Constants in the place of scalars, and functions that are constant.
    pub(super) fn replace_by_constants(&mut self) {
        self.everywhere(|exp, nth| {
            let constants = [
                Kind::Int(1),
                Kind::Int(0),
                Kind::Bool(false),
                Kind::Bool(true),
                Kind::Double(1.0.into()),
            ];
            match (&exp.kind, constants.into_iter().nth(nth)) {
                (Kind::Int(_) | Kind::Double(_) | Kind::Bool(_), _) | (_, None) => Way::None,
                (_, Some(kind)) => Way::By(Exp { span: exp.span, kind }),
            }
        });
    }

    /// All levels become one less.
    pub(super) fn lower_levels(&mut self) {
        while self.attempt_with(|program| {
            let mut can = true;
            for def in program.defs.iter_mut().filter(|def| !def.prelude) {
                walk::levels_mut(&mut def.body, &mut |level| {
                    if level.var.is_none() {
                        can &= level.succs > 0;
                        level.succs = level.succs.saturating_sub(1);
                    }
                });
            }
            can.then_some(())
        }) {}
    }

    /// Arrays of the input become shorter.
    pub(super) fn shorten_inputs(&mut self) {
        for at in 0..self.input.len() {
            while let Some(Value::Array { cells, .. }) = self.input.get(at) {
                let len = cells.len();
                let shorter = [0, 1, len / 2, len.saturating_sub(1)];
                let taken = shorter.into_iter().filter(|short| *short < len).any(|short| {
                    let mut input = self.input.clone();
                    let Some(Value::Array { shape, cells }) = input.get_mut(at) else {
                        return false;
                    };
                    let mut fewer = Cells::none(cells.ty());
                    for cell in cells.iter().take(short) {
                        let _ = fewer.push(cell);
                    }
                    (*shape, *cells) = (vec![short], fewer);
                    self.attempt(self.program.clone(), input)
                });
                if !taken {
                    break;
                }
            }
        }
    }

    /// Smaller numbers, everywhere at once and then one by one.
    pub(super) fn reduce_numbers(&mut self) {
        let mut constants = Vec::new();
        walk::all(&self.program, &mut |exp| {
            if let Kind::Int(k) = exp.kind {
                constants.push(k);
            }
        });
        constants.sort_unstable_by_key(|k| std::cmp::Reverse(k.unsigned_abs()));
        constants.dedup();
        for k in constants {
            let _ = numbers::smaller_i32(k).into_iter().any(|smaller| {
                self.attempt_with(|program| {
                    walk::all_mut(program, &mut |exp| {
                        if exp.kind == Kind::Int(k) {
                            exp.kind = Kind::Int(smaller);
                        }
                    });
                    Some(())
                })
            });
        }
        self.everywhere(|exp, nth| {
            let plainer = match exp.kind {
                Kind::Int(k) => numbers::plainer(Scalar::I32(k)),
                Kind::Double(x) => numbers::plainer(Scalar::F64(x)),
                Kind::Bool(truth) => numbers::plainer(Scalar::Bool(truth)),
                _ => return Way::None,
            };
            let kind = match plainer.get(nth) {
                Some(Scalar::I32(k)) => Kind::Int(*k),
                Some(Scalar::F64(x)) => Kind::Double(*x),
                Some(Scalar::Bool(truth)) => Kind::Bool(*truth),
                _ => return Way::None,
            };
            Way::By(Exp { span: exp.span, kind })
        });
    }
}

/// What is tried at an expression.
enum Way {
    /// There are no more ways.
    None,
    /// The expression becomes this one.
    By(Exp),
}

/// The parts that may stand for an expression: those of an applied function are its arguments, and what its
/// function bodies come to.
fn parts_within(exp: &Exp) -> Vec<&Exp> {
    let mut found = Vec::new();
    let mut head = exp;
    while let Kind::App(parts) = &head.kind {
        found.push(&parts[1]);
        head = &parts[0];
    }
    if std::ptr::eq(head, exp) {
        found = exp.parts();
    }
    let bodies: Vec<&Exp> = found.iter().filter_map(|part| body(part)).collect();
    found.extend(bodies);
    found
}

/// The body below the functions.
fn body(exp: &Exp) -> Option<&Exp> {
    match &exp.kind {
        Kind::Fn(_, inner) | Kind::LevelFn(_, inner) => Some(body(inner).unwrap_or(inner)),
        _ => None,
    }
}

/// A binding or an applied function without it, where nothing is made twice.
fn unfolded(exp: &Exp) -> Option<Exp> {
    let (var, bound, body) = match &exp.kind {
        Kind::Let(inner) => (inner.var, &inner.bound, &inner.body),
        Kind::App(parts) => match &parts[0].kind {
            Kind::Fn(var, body) => (*var, &parts[1], &**body),
            _ => return None,
        },
        _ => return None,
    };
    if walk::uses(body, var) > 1 && !walk::binds_nothing(bound) {
        return None;
    }
    let mut body = body.clone();
    walk::substitute(&mut body, var, bound);
    Some(body)
}
