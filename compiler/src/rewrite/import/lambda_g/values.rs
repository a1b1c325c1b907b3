//! What expressions of λG are while a program is evaluated for its term.

use crate::rewrite::import::arrays::Array;
use reference::axes::syntax::Term;
use reference::kit::names::Var;
use reference::lambda_g::syntax::{Exp, Lambda, RegionLambda, Type};
use std::rc::Rc;

/// A value.
#[derive(Clone)]
pub(super) enum Val<'p> {
    Int(Term),
    /// 0 or 1.
    Bool(Term),
    Pair(Rc<[Val<'p>; 2]>),
    Vector(Rows<'p>),
    /// `fn`
    Fn(Env<'p>, &'p Lambda),
    /// `rfn`
    RegionFn(Env<'p>, &'p RegionLambda),
    /// `fix`
    Fix(Env<'p>, Fix<'p>),
    /// The function whose fold is being found, by its number.
    Again(usize, &'p Type),
}

/// `fix f : τ . fn …`
#[derive(Clone, Copy)]
pub(super) struct Fix<'p> {
    pub(super) name: Var,
    pub(super) ty: &'p Type,
    pub(super) lambda: &'p Lambda,
}

/// A vector of so many elements.
#[derive(Clone)]
pub(super) struct Rows<'p> {
    pub(super) length: u32,
    pub(super) of: Rc<Of<'p>>,
    /// If it is a row of an array, which one.
    pub(super) at: Vec<Term>,
}

/// Where the elements of a vector come from.
pub(super) enum Of<'p> {
    /// `iota`
    Counted,
    /// `[e, …]`
    Elements(Vec<Val<'p>>),
    /// Arrays.
    Cells(Cells),
}

/// The elements of a vector, or of its rows: an array for each component.
#[derive(Clone)]
pub(super) enum Cells {
    Int(Array),
    /// Of 0 and 1; an array that is given is true where it is not 0.
    Bool {
        array: Array,
        given: bool,
    },
    Pair(Box<[Cells; 2]>),
    /// Rows of so many elements.
    Vector(u32, Rc<Cells>),
}

impl<'p> Val<'p> {
    pub(super) fn pair(a: Val<'p>, b: Val<'p>) -> Self {
        Val::Pair(Rc::new([a, b]))
    }

    /// A vector of these elements.
    pub(super) fn elements(elements: Vec<Val<'p>>) -> Self {
        // A source is too short to have more.
        let length = u32::try_from(elements.len()).unwrap_or(u32::MAX);
        Val::Vector(Rows { length, of: Rc::new(Of::Elements(elements)), at: Vec::new() })
    }

    /// Its ints and bools, from left to right, if it has nothing else.
    pub(super) fn scalars(&self) -> Option<Vec<Term>> {
        match self {
            Val::Int(term) | Val::Bool(term) => Some(vec![term.clone()]),
            Val::Pair(parts) => {
                let [a, b] = [parts[0].scalars()?, parts[1].scalars()?];
                Some([a, b].concat())
            }
            _ => None,
        }
    }

    /// The same with other ints and bools.
    pub(super) fn with(&self, scalars: &mut impl Iterator<Item = Term>) -> Self {
        let mut next = |old: &Term| scalars.next().unwrap_or_else(|| old.clone());
        match self {
            Val::Int(old) => Val::Int(next(old)),
            Val::Bool(old) => Val::Bool(next(old)),
            Val::Pair(parts) => {
                let a = parts[0].with(scalars);
                Val::pair(a, parts[1].with(scalars))
            }
            other => other.clone(),
        }
    }
}

/// What variables stand for. Every variable is bound at one place, so the innermost one counts.
#[derive(Clone, Default)]
pub(super) struct Env<'p>(Option<Rc<Bound<'p>>>);

struct Bound<'p> {
    var: Var,
    value: Val<'p>,
    next: Env<'p>,
}

impl<'p> Env<'p> {
    pub(super) fn with(&self, var: Var, value: Val<'p>) -> Self {
        Env(Some(Rc::new(Bound { var, value, next: self.clone() })))
    }

    pub(super) fn get(&self, var: Var) -> Option<&Val<'p>> {
        let mut at = self;
        while let Some(bound) = &at.0 {
            if bound.var == var {
                return Some(&bound.value);
            }
            at = &bound.next;
        }
        None
    }
}

/// Does an expression mention a variable?
pub(super) fn mentions(exp: &Exp, var: Var) -> bool {
    use reference::lambda_g::{syntax::Kind, visit::parts};
    exp.kind == Kind::Var(var) || parts(exp).into_iter().any(|part| mentions(part, var))
}
