//! Constants, functions and kernels that break a premise.

use super::super::build;
use super::exps::number;
use super::sites::{At, Edit};
use super::{ALL, Way, way};
use reference::kit::scalar::BinOp;
use reference::minias::syntax::{
    Exp, Function, Init, Item, Kind, Op, Space, Spaces, Stmt, StmtKind, Written,
};

pub(super) const WAYS: &[Way] = &[
    way("T-FUNCTION", "once", ALL, At::Item(parameter_twice)),
    way("T-FUNCTION", "place", ALL, At::Item(parameter_elsewhere)),
    way("T-FUNCTION", "returns", ALL, At::Item(path_without_a_result)),
    way("T-FUNCTION", "prototype", ALL, At::Item(other_prototype)),
    way("T-KERNEL", "parameter", ALL, At::Item(kernel_parameter)),
    way("T-CONST", "constant", ALL, At::Item(constant_that_is_no_literal)),
    way("T-PROGRAM", "once", ALL, At::Item(item_twice)),
];

fn function(item: &mut Item) -> Option<&mut Function> {
    match item {
        Item::Function(function) => Some(function),
        Item::Constant(_) => None,
    }
}

/// A parameter has the name of another one.
fn parameter_twice(item: &mut Item, edit: &mut Edit<'_>) -> bool {
    let Some(function) = function(item) else { return false };
    let [first, second, ..] = &mut function.params[..] else { return false };
    let (Some(first), Some(second)) = (first.var, &mut second.var) else { return false };
    *second = edit.names.fresh("zzz");
    edit.same = Some((*second, first));
    true
}

fn parameter_elsewhere(item: &mut Item, edit: &mut Edit<'_>) -> bool {
    let Some(function) = function(item) else { return false };
    let count = function.params.len() as u64;
    if count == 0 {
        return false;
    }
    let space = [Space::Global, Space::Local, Space::Constant][edit.dice.below(3) as usize];
    let at = edit.dice.below(count) as usize;
    function.params[at].ty.lies.written = Written::Name(space);
    true
}

/// Takes the last statement away, which is the only one that returns on every path.
fn path_without_a_result(item: &mut Item, _: &mut Edit<'_>) -> bool {
    let Some(Function { body: Some(body), kernel: false, result, .. }) = function(item) else {
        return false;
    };
    let may_return = |stmt: &Stmt| {
        matches!(stmt.kind, StmtKind::Return(_) | StmtKind::Block(_) | StmtKind::If(_, _, Some(_)))
    };
    let Some((last, before)) = body.split_last() else { return false };
    let is_last = matches!(last.kind, StmtKind::Return(Some(_))) && !before.iter().any(may_return);
    if is_last && !result.void {
        body.pop();
    }
    is_last
}

/// A prototype of the function with another parameter, or with one too many.
fn other_prototype(item: &mut Item, edit: &mut Edit<'_>) -> bool {
    let Some(function) = function(item) else { return false };
    if function.kernel || function.body.is_none() || !edit.alone.contains(&function.name) {
        return false;
    }
    let mut prototype = Function { body: None, ..function.clone() };
    let count = prototype.params.len() as u64;
    let at = edit.dice.below(count + 1) as usize;
    for param in &mut prototype.params {
        param.var = None;
    }
    let ty = build::int(prototype.span);
    match prototype.params.get_mut(at) {
        Some(param) if param.ty.stars.is_empty() => {
            param.ty = build::elided_pointer(prototype.span);
        }
        Some(param) => param.ty = ty,
        None => {
            let param = reference::minias::syntax::Param { span: prototype.span, var: None, ty };
            prototype.params.push(param);
        }
    }
    edit.front.push(Item::Function(prototype));
    true
}

/// A parameter of a kernel whose space is elided, private or several, or a pointer to pointers.
fn kernel_parameter(item: &mut Item, edit: &mut Edit<'_>) -> bool {
    let Some(function) = function(item) else { return false };
    let params = function.params.iter_mut().filter(|param| !param.ty.stars.is_empty());
    let mut params: Vec<_> = params.collect();
    if !function.kernel || params.is_empty() {
        return false;
    }
    let at = edit.dice.below(params.len() as u64) as usize;
    let ty = &mut params[at].ty;
    let several = Spaces::one(Space::Global).with(Space::Local);
    match edit.dice.below(4) {
        0 => ty.stars[0].written = Written::Elided,
        1 => ty.stars[0].written = Written::Name(Space::Private),
        2 => ty.stars[0].written = Written::Row { names: several, twice: None, end: None },
        _ => ty.stars.push(ty.stars[0]),
    }
    true
}

/// A constant that starts with a sum, with too many values or with none.
fn constant_that_is_no_literal(item: &mut Item, edit: &mut Edit<'_>) -> bool {
    if let Item::Function(Function { kernel: true, span, .. }) = item {
        // Of a program without constants.
        let name = edit.constant(*span);
        let Some(Item::Constant(decl)) = edit.front.first_mut() else { return false };
        debug_assert_eq!(decl.var, name);
        decl.ty.lies.written = Written::Elided;
        return true;
    }
    let Item::Constant(decl) = item else { return false };
    let span = decl.span;
    let sum = |exp: Exp| {
        let kind = Kind::Binary(Op::Scalar(BinOp::Add), Box::new(exp), Box::new(number(span, 1)));
        Exp { span, kind }
    };
    match (edit.dice.below(3), &mut decl.init) {
        (0, Some(Init::Many(exps))) => {
            let most = decl.extent.unwrap_or(1) as usize;
            exps.resize(most + 1, number(span, 5));
        }
        (1, Some(Init::Many(exps))) => exps[0] = sum(exps[0].clone()),
        _ => decl.ty.lies.written = Written::Elided,
    }
    true
}

fn item_twice(item: &mut Item, edit: &mut Edit<'_>) -> bool {
    let new = edit.names.fresh("zzz");
    let mut other = item.clone();
    let name = match &mut other {
        Item::Constant(decl) => &mut decl.var,
        Item::Function(function) => &mut function.name,
    };
    edit.same = Some((new, std::mem::replace(name, new)));
    edit.front.push(other);
    true
}
