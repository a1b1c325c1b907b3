//! Arrays that are written without elements. Nobody reaches what computes with an element of one, but it has a type.

use super::arrays::zero;
use super::value::{Pull, Push, Val};
use super::{Lower, Lowered, refused};
use reference::device::syntax::Sc;
use reference::fcl::syntax::{self as fcl, Kind, Type};
use reference::fcl::types;
use reference::kit::derivation::Recorder;
use reference::kit::names::Var;
use reference::kit::text::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The types of elements that the arrays of `main` would have, by where they are written.
pub(super) type Elements = FxHashMap<*const fcl::Exp, Type>;

/// What elements would be. None is known where what a `let` binds to such an array is used at several types.
pub(super) fn elements(program: &fcl::Program) -> Elements {
    let Some(main) = program.main().filter(|main| contains(&main.body, &is_empty)) else {
        return Elements::default();
    };
    let (mut alike, mut written, mut bound) = (program.clone(), Vec::new(), FxHashSet::default());
    let body = alike.defs.iter_mut().find(|def| def.name == main.name).map(|def| &mut def.body);
    let Some(body) = body else { return Elements::default() };
    with_one_type(body, &main.body, &mut bound, &mut written);
    let (mut numbers, mut number) = (Vec::new(), 0);
    body.walk(&mut |exp| {
        numbers.extend(is_empty(exp).then_some(number));
        number += 1;
    });
    let Ok(typed) = types::infer(&alike, &mut Recorder::counting()) else {
        return Elements::default();
    };
    let element = |(exp, number)| match typed.exp(number) {
        Some(Type::Pull(element)) => Some((exp, *element)),
        _ => None,
    };
    written.into_iter().zip(numbers).filter_map(element).collect()
}

/// Makes of each `let x = e in b` an application `(fn x => b) e`, where `e` has an array without elements: so x has one
/// type. These arrays are `written` in the order in which they stand then.
fn with_one_type(
    exp: &mut fcl::Exp,
    from: &fcl::Exp,
    bound: &mut FxHashSet<Var>,
    written: &mut Vec<*const fcl::Exp>,
) {
    written.extend(is_empty(from).then_some(std::ptr::from_ref(from)));
    if let Kind::Let(of) = &from.kind {
        let shows = |part: &fcl::Exp| match &part.kind {
            Kind::Var(var) => bound.contains(var),
            _ => is_empty(part),
        };
        if of.sig.is_none() && contains(&of.bound, &shows) {
            bound.insert(of.var);
            let [mut body, mut value] = [&of.body, &of.bound].map(fcl::Exp::clone);
            with_one_type(&mut body, &of.body, bound, written);
            with_one_type(&mut value, &of.bound, bound, written);
            let function = fcl::Exp::new(from.span, Kind::Fn(of.var, Box::new(body)));
            exp.kind = Kind::App(Box::new([function, value]));
            return;
        }
    }
    for (part, from) in exp.parts_mut().into_iter().zip(from.parts()) {
        with_one_type(part, from, bound, written);
    }
}

fn is_empty(exp: &fcl::Exp) -> bool {
    matches!(&exp.kind, Kind::Array(elements) if elements.is_empty())
}

fn contains(exp: &fcl::Exp, is: &dyn Fn(&fcl::Exp) -> bool) -> bool {
    let mut found = false;
    exp.walk(&mut |part| found |= is(part));
    found
}

impl<'p> Lower<'p> {
    /// An element of an array without elements.
    pub(super) fn missing(&self, span: Span, ty: Option<&Type>) -> Lowered<Val<'p>> {
        Ok(match ty {
            Some(Type::Int) => Val::Scalar(Sc::I32, zero(Sc::I32)),
            Some(Type::Bool) => Val::Scalar(Sc::Bool, zero(Sc::Bool)),
            Some(Type::Double) => Val::Scalar(self.double(), zero(self.double())),
            Some(Type::Pair(parts)) => {
                let [first, second] = &**parts;
                let first = self.missing(span, Some(first))?;
                Val::Pair(Rc::new([first, self.missing(span, Some(second))?]))
            }
            Some(Type::Pull(element)) => Val::pull(Pull::Empty(Some((**element).clone()))),
            Some(Type::Push(element, level)) => {
                let pull = Pull::Empty(Some((**element).clone()));
                Val::Push(Rc::new(Push::Elements(level.succs, Rc::new(pull))))
            }
            _ => {
                let reason =
                    "into an array that is written without elements, of which several types may be";
                return Err(refused(span, "an index", reason));
            }
        })
    }
}
