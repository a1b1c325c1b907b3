//! Finds the shapes of a shader that some driver is known to compile wrongly ([`Shape`]). A shader with
//! such a shape is not run on that driver, so each shape is as narrow as the fault.

mod arguments;
mod behind_loops;
mod components;
mod extrema;
mod in_place;
mod nested;
#[cfg(test)]
mod tests;

use crate::pass::types::Types;
use crate::target::Shape;
use reference::device::parts::Statement;
use reference::device::syntax::{Block, Exp, Function, Kernel, Kind, Place, Program, Sc, Ty};
use reference::device::visit;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// A kernel, or a function with its result.
struct Code<'p> {
    body: &'p Block,
    result: Option<&'p Exp>,
}

impl<'p> Code<'p> {
    /// Visits every expression.
    fn visit(&self, visit: &mut impl FnMut(&'p Exp)) {
        visit::block(self.body, visit);
        self.result.iter().for_each(|result| visit::exp(result, visit));
    }
}

/// The shapes of a kernel and of the functions that it calls, by their numbers.
pub(super) fn of(
    program: &Program,
    kernel: &Kernel,
    functions: &[usize],
    types: &Types,
) -> Vec<Shape> {
    let mut codes = vec![Code { body: &kernel.body, result: None }];
    for number in functions {
        let Function { body, result, .. } = &program.functions[*number];
        codes.push(Code { body, result: result.as_ref().map(|(_, result)| result) });
    }
    let mut shapes = Vec::new();
    for code in &codes {
        of_operators(code, !kernel.private.is_empty(), types, &mut shapes);
    }
    let mut note = |shape, has: bool| {
        if has {
            shapes.push(shape);
        }
    };
    let (has_private, has_shared) = (!kernel.private.is_empty(), !kernel.workgroup.is_empty());
    if has_shared && !functions.is_empty() {
        let mut bodies = codes.iter().map(|code| code.body);
        let indexed = bodies.any(|body| arguments::any_indexed(body, program, kernel, types));
        note(Shape::IndexedArguments, indexed);
    }
    // Of what is too large it is not known, so it may have all shapes.
    let body = in_place::body(program, &kernel.body);
    let is = |has: &dyn Fn(&Block) -> bool| body.as_deref().is_none_or(has);
    note(Shape::DeepBranches, is(&|body| branches(body) > MOST_BRANCHES));
    note(Shape::NegatedExtrema, is(&|body| extrema::any_negated(body, types)));
    let stored = |body: &Block| components::any_stored(body, kernel, types);
    note(Shape::StoredComponents, has_private && is(&stored));
    note(Shape::NestedValues, has_private && is(&|body| nested::any_indexed(body, kernel, types)));
    let behind = |body: &Block| behind_loops::any_stored(body, kernel);
    note(Shape::StoredBehindLoops, has_shared && is(&behind));
    shapes
}

/// The private variable that a place lies in, where no pointer hides it.
fn private_of(place: &Place, kernel: &Kernel) -> Option<Var> {
    match place {
        Place::Var(var) => kernel.private.iter().any(|(private, _)| private == var).then_some(*var),
        Place::At(inner, _) | Place::Field(inner, _) => private_of(inner, kernel),
        Place::Deref(Exp::Ref(inner)) => private_of(inner, kernel),
        Place::Deref(_) | Place::Element(..) => None,
    }
}

/// The most branches in each other that every driver takes.
const MOST_BRANCHES: usize = 80;

/// The depth of nested branches, where each case of a `switch` counts as one. A check that fails returns from the kernel,
/// and drivers put the statements behind a `return` into a branch.
fn branches(body: &Block) -> usize {
    nested(body, false).0
}

/// The depth of nested branches, and whether the block contains a check. In a loop a check ends the rounds, as the
/// condition of the loop does, so the statements behind it stand in no branch.
fn nested(body: &Block, in_loop: bool) -> (usize, bool) {
    let (mut deepest, mut behind) = (0, 0);
    let mut checks = false;
    for stm in body {
        let in_loop_inside = in_loop || matches!(stm.kind, Kind::Loop(_));
        let blocks = stm.kind.blocks();
        let inside = blocks.into_iter().map(|block| nested(block, in_loop_inside));
        let inside = inside.reduce(|a, b| (a.0.max(b.0), a.1 || b.1));
        let (depth, leaves) = match (&stm.kind, inside) {
            (Kind::Check(_), _) => (1, true),
            (Kind::Switch(switch), inside) => {
                let (depth, leaves) = inside.unwrap_or_default();
                (depth + switch.cases.len(), leaves)
            }
            (_, Some((depth, leaves))) => (depth + 1, leaves),
            (_, None) => (0, false),
        };
        deepest = deepest.max(behind + depth);
        if leaves {
            checks = true;
            behind += usize::from(!in_loop);
        }
    }
    // The branch behind the last check.
    (deepest.max(behind + usize::from(behind > 0)), checks)
}

/// Does the expression name nothing? A driver may fold it to a literal.
fn is_folded(exp: &Exp) -> bool {
    match exp {
        Exp::Lit(_) => true,
        Exp::Cast(_, a) | Exp::Bitcast(_, a) | Exp::Un(_, a) => is_folded(a),
        Exp::Bin(_, ab) => ab.iter().all(is_folded),
        _ => false,
    }
}

/// Shapes of single operators.
fn of_operators(code: &Code<'_>, has_private: bool, types: &Types, shapes: &mut Vec<Shape>) {
    let of_operator = |exp: &Exp| {
        let Exp::Bin(op, ab) = exp else { return None };
        let is_literal = |exp: &Exp| is_folded(exp) && types.sc(exp) == Some(Sc::I64);
        match op {
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                ab.iter().any(is_literal).then_some(Shape::I64Literals)
            }
            BinOp::Or | BinOp::Xor => {
                let of_vectors = || matches!(types.exp(&ab[0]), Ty::Vector(..));
                (has_private && of_vectors()).then_some(Shape::VectorBits)
            }
            _ => None,
        }
    };
    code.visit(&mut |exp| {
        shapes.extend(of_operator(exp).filter(|shape| !shapes.contains(shape)));
    });
}
