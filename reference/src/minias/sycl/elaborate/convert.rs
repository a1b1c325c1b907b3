//! What a value becomes where a type is wanted, and what two types have in common.

use super::exps::{Since, Value};
use super::types::{BOOL, INT, Pointer, Ty};
use super::{Elaborated, Elaborator};
use crate::kit::scalar::BinOp;
use crate::kit::text::{Rejected, Span};
use crate::minias::sycl::rules::Rule;
use crate::minias::syntax::{Exp, Kind, Op};
use std::rc::Rc;

impl<'p> Elaborator<'p, '_> {
    /// The value as one of a type: an expression for each of its parts.
    ///
    /// `Y-CONVERT`: a struct or a lambda is of that type, and a pointer or a reference to a bool is none to an int (type);
    /// what a pointer or a reference points to does not lose its `const` (const). Whether an int is a pointer, MiniAS says,
    /// but the literal 0 is NULL.
    pub(super) fn converted(&mut self, value: Value, to: &Ty, span: Span) -> Elaborated<Vec<Exp>> {
        self.to.enter(Rule::YConvert, String::new);
        let parts = self.parts(value, to, span)?;
        self.to.leave(String::new);
        Ok(parts)
    }

    fn parts(&mut self, mut value: Value, to: &Ty, span: Span) -> Elaborated<Vec<Exp>> {
        match (to, &value.ty) {
            (Ty::Reference(reference), _) => return self.bound(value, reference, span),
            (Ty::Struct { .. } | Ty::Closure { .. }, of) if self.alike(of, to) => {
                return Ok(value.leaves);
            }
            (Ty::Struct { .. } | Ty::Closure { .. }, _) => {
                let message = "a value of another type than the struct or lambda that is wanted";
                let refused = Rejected::new(value.span, message, "not that struct");
                return self.refuse(Rule::YConvert, "type", refused);
            }
            (Ty::Pointer(to), Ty::Pointer(of)) => self.points_alike(&of.to, &to.to, &value)?,
            (Ty::Pointer(_), _) => value = self.null_if_zero(value)?,
            _ => {}
        }
        let of = value.ty.copied();
        let (_, exp) = self.one(value)?;
        let exp = match (to.copied() == BOOL, of) {
            (true, Ty::Pointer(_) | Ty::Null) => {
                let null = self.made(span, Kind::Null)?;
                self.different(exp, null)?
            }
            (true, of) if of != BOOL => {
                let zero = self.made(span, Kind::Int(0))?;
                self.different(exp, zero)?
            }
            _ => exp,
        };
        Ok(vec![exp])
    }

    pub(super) fn different(&mut self, exp: Exp, from: Exp) -> Elaborated<Exp> {
        let span = exp.span;
        self.made(span, Kind::Binary(Op::Scalar(BinOp::Ne), Box::new(exp), Box::new(from)))
    }

    /// NULL for the literal 0; any other value is what it is.
    pub(super) fn null_if_zero(&mut self, value: Value) -> Elaborated<Value> {
        match (&value.ty, &value.leaves[..]) {
            (Ty::Scalar(_), [Exp { kind: Kind::Int(0), span }]) => {
                Ok(Value::of(Ty::Null, self.made(*span, Kind::Null)?))
            }
            _ => Ok(value),
        }
    }

    /// A pointer or a reference to this as one to that: both end in an int or both in a bool (type), and no `const` is lost
    /// (const).
    pub(super) fn points_alike(&mut self, of: &Ty, to: &Ty, value: &Value) -> Elaborated<()> {
        if ends_differ(of, to) {
            return self.other_end(value.span, &[]);
        }
        if loses_const(of, to) {
            let message = "what is const does not become what is not";
            let refused = Rejected::new(value.span, message, "const is lost here");
            let refused = since(refused, value.since);
            return self.refuse(Rule::YConvert, "const", refused);
        }
        Ok(())
    }

    fn other_end<T>(&mut self, span: Span, other: &[Span]) -> Elaborated<T> {
        let message = "a pointer or a reference to a `bool` is none to an `int`";
        let mut refused = Rejected::new(span, message, "of the other type");
        for other in other {
            refused = refused.with(*other, "this one points elsewhere");
        }
        self.refuse(Rule::YConvert, "type", refused)
    }

    /// Of two pointers that are compared or subtracted both point to ints or both to bools (type). A pointer is compared
    /// with the literal 0 as with NULL.
    pub(super) fn compares(
        &mut self,
        op: Op,
        one: &mut Value,
        other: &mut Value,
    ) -> Elaborated<()> {
        let zero = matches!(op, Op::Scalar(BinOp::Eq | BinOp::Ne));
        match (&one.ty, &other.ty) {
            (Ty::Pointer(to), Ty::Pointer(from)) if ends_differ(&to.to, &from.to) => {
                return self.other_end(one.span, &[other.span]);
            }
            (Ty::Pointer(_), Ty::Scalar(_)) if zero => *other = self.null_if_zero(other.clone())?,
            (Ty::Scalar(_), Ty::Pointer(_)) if zero => *one = self.null_if_zero(one.clone())?,
            _ => {}
        }
        Ok(())
    }

    /// The type that two arms have: of two pointers, to what is const where it is in one of them.
    pub(super) fn of_both(&mut self, one: &mut Value, other: &mut Value) -> Elaborated<Ty> {
        match (&one.ty, &other.ty) {
            (Ty::Pointer(to), Ty::Pointer(from)) if ends_differ(&to.to, &from.to) => {
                return self.other_end(one.span, &[other.span]);
            }
            (Ty::Pointer(_), Ty::Scalar(_)) => *other = self.null_if_zero(other.clone())?,
            (Ty::Scalar(_), Ty::Pointer(_)) => *one = self.null_if_zero(one.clone())?,
            _ => {}
        }
        Ok(match (&one.ty, &other.ty) {
            (Ty::Null, _) => other.ty.copied(),
            (Ty::Pointer(_), _) => composite(&one.ty, &other.ty).deduced(other.ty.known()),
            (Ty::Scalar(_), Ty::Scalar(_)) => {
                let bools = one.ty.copied() == BOOL && other.ty.copied() == BOOL;
                if bools { BOOL } else { INT }
            }
            _ => one.ty.copied(),
        })
    }

    /// Is the reference bound to a variable of its own? One to const is where what it is bound to is no place, or is an int
    /// where a bool is wanted, or a bool where an int is.
    pub(super) fn takes_value(reference: &Pointer, value: &Value) -> bool {
        reference.to.is_const() && (value.place.is_none() || is_other_scalar(reference, &value.ty))
    }

    /// `Y-REFERENCE`: a reference is bound to a place (place).
    fn bound(&mut self, value: Value, reference: &Pointer, span: Span) -> Elaborated<Vec<Exp>> {
        self.to.enter(Rule::YReference, String::new);
        if value.place.is_none() || Self::takes_value(reference, &value) {
            let message = "a reference is bound to a place";
            let refused = Rejected::new(value.span, message, "a value, which lies nowhere")
                .help("give it a variable, or make it a reference to const");
            return self.refuse(Rule::YReference, "place", refused);
        }
        self.points_alike(&value.ty, &reference.to, &value)?;
        let parts = (self.leaves(&reference.to, span).len(), value.leaves.len());
        let named = matches!(reference.to, Ty::Struct { .. } | Ty::Closure { .. });
        if parts.0 != parts.1 || named && !self.alike(&reference.to, &value.ty) {
            let message = "a reference to another type";
            let refused = Rejected::new(value.span, message, "not of the type that is wanted");
            return self.refuse(Rule::YConvert, "type", refused);
        }
        let mut addresses = Vec::new();
        for leaf in value.leaves {
            addresses.push(self.address_of(leaf, span)?);
        }
        self.to.leave(String::new);
        Ok(addresses)
    }

    /// Is it a reference, or a struct with a field that is one?
    pub(super) fn holds_reference(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Reference(_) => true,
            Ty::Struct { number, .. } => {
                self.made_structs[*number].fields.iter().any(|(_, ty)| self.holds_reference(ty))
            }
            _ => false,
        }
    }

    /// The first field because of which a struct is not assigned to, and why.
    pub(super) fn stays(&self, ty: &Ty) -> Option<(Span, String)> {
        let Ty::Struct { number, .. } = ty else { return None };
        let made = &self.made_structs[*number];
        made.fields.iter().zip(&made.item.fields).find_map(|((name, ty), (_, at))| {
            let why = match ty {
                Ty::Reference(_) => format!("its field `{name}` is a reference"),
                Ty::Closure { .. } => format!("its field `{name}` is a lambda"),
                _ if ty.is_const() => format!("its field `{name}` is const"),
                _ => return self.stays(ty),
            };
            Some((at.span, why))
        })
    }
}

impl Pointer {
    /// Does it end in a bool where the other type ends in an int, or the other way around?
    pub(super) fn is_of_another(&self, other: &Ty) -> bool {
        matches!(other, Ty::Pointer(other) if ends_differ(&self.to, &other.to))
    }
}

/// The refusal, with the place that says the type.
pub(super) fn since(refused: Rejected, since: Option<Since>) -> Rejected {
    match since {
        None => refused,
        Some(Since::Variable(span)) => refused.with(span, "declared here"),
        Some(Since::Field(span)) => refused.with(span, "the field is declared here"),
        Some(Since::Captured(span)) => {
            refused.with(span, "copied here").help("what a lambda copies is const in it")
        }
    }
}

/// Does one end in an int, and the other in a bool? Depths that differ MiniAS refuses.
fn ends_differ(one: &Ty, other: &Ty) -> bool {
    match (one, other) {
        (Ty::Pointer(one), Ty::Pointer(other)) => ends_differ(&one.to, &other.to),
        (Ty::Scalar(one), Ty::Scalar(other)) => one.is_bool != other.is_bool,
        _ => false,
    }
}

fn is_other_scalar(reference: &Pointer, of: &Ty) -> bool {
    match (&reference.to, of) {
        (Ty::Scalar(to), Ty::Scalar(of)) => to.is_bool != of.is_bool,
        (Ty::Scalar(_), Ty::Pointer(_)) => true,
        _ => false,
    }
}

/// Does a pointer to one, as a pointer to the other, lose a `const`? By C++'s qualification conversions, one that is added
/// behind a star makes all before it const: through an `int **` as a `const int **`, an `int *` might be made to point to
/// what is const.
fn loses_const<'t>(mut of: &'t Ty, mut to: &'t Ty) -> bool {
    let mut all_before = true;
    loop {
        let (was, is) = (of.is_const(), to.is_const());
        if was && !is || was != is && !all_before {
            return true;
        }
        all_before &= is;
        match (of, to) {
            (Ty::Pointer(inner), Ty::Pointer(wanted)) => (of, to) = (&inner.to, &wanted.to),
            _ => return false,
        }
    }
}

/// The type of a pointer that is one of two: const where either is, and before each place at which they differ.
fn composite(one: &Ty, other: &Ty) -> Ty {
    let (ones, others) = (consts(one), consts(other));
    if ones.len() != others.len() {
        return one.copied();
    }
    let differ = (0..ones.len()).rev().find(|at| ones[*at] != others[*at]);
    let both = (0..ones.len()).map(|at| ones[at] || others[at] || Some(at) < differ);
    with_consts(one, &both.collect::<Vec<_>>()).copied()
}

/// Which types are const that a type consists of, from the outermost pointer on. That one is copied.
fn consts(ty: &Ty) -> Vec<bool> {
    let (mut consts, mut inner) = (vec![false], ty);
    while let Ty::Pointer(pointer) = inner {
        inner = &pointer.to;
        consts.push(inner.is_const());
    }
    consts
}

fn with_consts(ty: &Ty, consts: &[bool]) -> Ty {
    let Some((is_const, rest)) = consts.split_first() else { return ty.clone() };
    let ty = match ty {
        Ty::Pointer(pointer) => {
            let to = with_consts(&pointer.to, rest);
            Ty::Pointer(Rc::new(Pointer { to, ..(**pointer).clone() }))
        }
        other => other.clone(),
    };
    ty.with_const(*is_const)
}
