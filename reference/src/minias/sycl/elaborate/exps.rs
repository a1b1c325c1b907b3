//! Expressions: what they become, their types, and where places lie as far as that is known.

use super::types::{BOOL, INT, Points, Ty, plain};
use super::{Elaborated, Elaborator, Variable};
use crate::kit::scalar::BinOp;
use crate::kit::text::{Rejected, Span};
use crate::minias::sycl::print;
use crate::minias::sycl::rules::Rule;
use crate::minias::sycl::syntax::{self as cpp, Place};
use crate::minias::syntax::{Exp, Kind, Op, Space, Type, UnOp};

/// What an expression becomes: an expression for each int and pointer that its value consists of.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) span: Span,
    pub(super) ty: Ty,
    pub(super) leaves: Vec<Exp>,
    /// Is it a place? Then the space that it lies in, as far as it is known.
    pub(super) place: Option<Option<Space>>,
    /// What says its type, if a declaration does.
    pub(super) since: Option<Since>,
}

/// Where the type of a place is said, and with it that the place is const.
#[derive(Clone, Copy, Debug)]
pub(super) enum Since {
    /// The declaration of a variable, or of the pointer through which it is known.
    Variable(Span),
    /// The lambda that copied it.
    Captured(Span),
    /// The declaration of a field.
    Field(Span),
}

impl Value {
    /// A value that is one expression.
    pub(super) fn of(ty: Ty, exp: Exp) -> Self {
        Value { span: exp.span, ty, leaves: vec![exp], place: None, since: None }
    }
}

impl<'p> Elaborator<'p, '_> {
    /// An expression.
    pub(super) fn exp(&mut self, exp: &'p cpp::Exp) -> Elaborated<Value> {
        self.descends(exp.span)?;
        let value = self.exp_within(exp)?;
        self.depth -= 1;
        Ok(value)
    }

    fn exp_within(&mut self, exp: &'p cpp::Exp) -> Elaborated<Value> {
        let span = exp.span;
        match &exp.kind {
            cpp::Kind::Int(k) => Ok(Value::of(INT, self.made(span, Kind::Int(*k))?)),
            cpp::Kind::Null => Ok(Value::of(Ty::Null, self.made(span, Kind::Null)?)),
            cpp::Kind::Builtin(builtin) => {
                Ok(Value::of(INT, self.made(span, Kind::Builtin(*builtin))?))
            }
            cpp::Kind::Name(name) => self.name(name, span),
            cpp::Kind::Unary(op, part) => {
                let part = self.single(part)?;
                let ty = if *op == UnOp::Not { BOOL } else { INT };
                Ok(Value::of(ty, self.made(span, Kind::Unary(*op, Box::new(part.1)))?))
            }
            cpp::Kind::Binary(op, one, other) => self.binary(*op, one, other, span),
            cpp::Kind::Load(part) => {
                let part = self.exp(part)?;
                let since = part.since;
                let (ty, part) = self.one(part)?;
                let (to, known) = match &ty {
                    Ty::Pointer(pointer) => (pointer.to.clone(), ty.known()),
                    // MiniAS refuses it.
                    _ => (INT, None),
                };
                let load = self.made(span, Kind::Load(Box::new(part)))?;
                Ok(Value { place: Some(known), since, ..Value::of(to, load) })
            }
            cpp::Kind::Address(part) => self.address(part, span),
            cpp::Kind::Cond(parts) => self.cond(parts, span),
            cpp::Kind::Call(name, types, args) => self.call(name, types, args, span),
            cpp::Kind::Cast(ty, part) => self.cast(ty, part, span),
            cpp::Kind::Dynamic(ty, part) => {
                let to = self.ty(ty, None)?;
                let part = self.exp(part)?;
                if let (Ty::Pointer(to), Ty::Pointer(of)) = (&to, &part.ty) {
                    self.points_alike(&of.to, &to.to, &part)?;
                }
                let (of, part) = self.one(part)?;
                let to = to.deduced(of.known());
                let kind = Kind::Dynamic(plain(&to, ty.span), Box::new(part));
                Ok(Value::of(to, self.made(span, kind)?))
            }
            cpp::Kind::SpaceCast { dynamic, to, of } => self.space_cast(*dynamic, *to, of, span),
            cpp::Kind::Member(of, name) => self.member(of, name, span),
            cpp::Kind::Lambda(lambda) => self.lambda(lambda, span),
        }
    }

    /// An expression that is one int or pointer: its type and what it becomes.
    pub(super) fn single(&mut self, exp: &'p cpp::Exp) -> Elaborated<(Ty, Exp)> {
        let value = self.exp(exp)?;
        self.one(value)
    }

    pub(super) fn one(&mut self, mut value: Value) -> Elaborated<(Ty, Exp)> {
        match (value.leaves.pop(), value.leaves.is_empty(), &value.ty) {
            (Some(leaf), true, Ty::Scalar(_) | Ty::Pointer(_) | Ty::Null | Ty::Void) => {
                Ok((value.ty, leaf))
            }
            _ => {
                let message = "a struct or a lambda where an int or a pointer is wanted";
                let refused = Rejected::new(value.span, message, "of several parts");
                self.refuse(Rule::YConvert, "type", refused)
            }
        }
    }

    pub(super) fn name(&mut self, name: &str, span: Span) -> Elaborated<Value> {
        let variable = self.find(name, span)?.clone();
        let since = Some(match variable.copied_const {
            None => Since::Variable(variable.span),
            Some(_) => Since::Captured(variable.span),
        });
        let Variable { ty, leaves, array, .. } = variable;
        self.count(leaves.len(), span)?;
        let leaves = leaves.into_iter().map(|leaf| Exp { span, ..leaf });
        if let Ty::Reference(pointer) = &ty {
            let loads = leaves.map(|leaf| Exp { span, kind: Kind::Load(Box::new(leaf)) });
            let (to, known) = (pointer.to.clone(), pointer.points.known());
            let place = Some(known);
            return Ok(Value { span, ty: to, leaves: loads.collect(), place, since });
        }
        let place = (!array).then_some(Some(Space::Private));
        Ok(Value { span, ty, leaves: leaves.collect(), place, since })
    }

    fn binary(
        &mut self,
        op: Op,
        one: &'p cpp::Exp,
        other: &'p cpp::Exp,
        span: Span,
    ) -> Elaborated<Value> {
        let (mut one, mut other) = (self.exp(one)?, self.exp(other)?);
        self.compares(op, &mut one, &mut other)?;
        let since = if matches!(one.ty, Ty::Pointer(_)) { one.since } else { other.since };
        let (of_one, one) = self.one(one)?;
        let (of_other, other) = self.one(other)?;
        let ty = match (op, &of_one, &of_other) {
            (Op::Or | Op::And, ..) => BOOL,
            (Op::Scalar(op), ..) if is_comparison(op) => BOOL,
            (_, Ty::Pointer(_), Ty::Pointer(_)) => INT,
            (_, Ty::Pointer(_), _) => of_one.copied(),
            (_, _, Ty::Pointer(_)) => of_other.copied(),
            _ => INT,
        };
        let kind = Kind::Binary(op, Box::new(one), Box::new(other));
        Ok(Value { since, ..Value::of(ty, self.made(span, kind)?) })
    }

    fn address(&mut self, part: &'p cpp::Exp, span: Span) -> Elaborated<Value> {
        let value = self.exp(part)?;
        let Some(known) = value.place else {
            let message = format!("`{}` is no place, so it has no address", print::exp(part));
            let refused = Rejected::new(span, message, "a value");
            return self.refuse(Rule::YReference, "place", refused);
        };
        let since = value.since;
        let (ty, leaf) = self.one(value)?;
        let ty = self.pointer(Points::raw(known), ty, span)?;
        Ok(Value { since, ..Value::of(ty, self.address_of(leaf, span)?) })
    }

    /// The address of a place.
    pub(super) fn address_of(&mut self, place: Exp, span: Span) -> Elaborated<Exp> {
        match place.kind {
            Kind::Load(address) => Ok(Exp { span, ..*address }),
            _ => self.made(span, Kind::Address(Box::new(place))),
        }
    }

    fn cond(&mut self, parts: &'p [cpp::Exp; 3], span: Span) -> Elaborated<Value> {
        let (_, condition) = self.single(&parts[0])?;
        let (mut one, mut other) = (self.exp(&parts[1])?, self.exp(&parts[2])?);
        let ty = self.of_both(&mut one, &mut other)?;
        let ((_, then), (_, otherwise)) = (self.one(one)?, self.one(other)?);
        let kind = Kind::Cond(Box::new([condition, then, otherwise]));
        Ok(Value::of(ty, self.made(span, kind)?))
    }

    /// `Y-CAST`: a cast goes to an int or a pointer (pointer).
    fn cast(&mut self, ty: &'p cpp::Type, part: &'p cpp::Exp, span: Span) -> Elaborated<Value> {
        self.to.enter(Rule::YCast, || print::ty(ty));
        let to = self.ty(ty, None)?;
        let value = self.exp(part)?;
        let known = value.ty.known();
        let made = match &to {
            Ty::Scalar(_) if !matches!(value.ty, Ty::Pointer(_)) => {
                let leaves = self.converted(value, &to, span)?;
                leaves.into_iter().next()
            }
            Ty::Pointer(pointer) if !pointer.is_of_another(&value.ty) => {
                let value = self.null_if_zero(value)?;
                let (_, part) = self.one(value)?;
                Some(self.made(span, Kind::Cast(plain(&to, ty.span), Box::new(part)))?)
            }
            _ => None,
        };
        let Some(made) = made else {
            let message = format!("nothing is cast from this to `{}`", print::ty(ty));
            let refused = Rejected::new(span, message, "a cast")
                .help("pointers are cast to pointers, and ints to ints; memory has one type");
            return self.refuse(Rule::YCast, "pointer", refused);
        };
        self.to.leave(String::new);
        Ok(Value::of(to.deduced(known), made))
    }

    /// `Y-CAST`: only a pointer is cast to a space (pointer). `address_space_cast` has the types of C's cast, which refuses
    /// spaces that no pointer is in, and is then a `dynamic_cast`, as `dynamic_addrspace_cast` is alone: where the space is
    /// another one, the result is NULL.
    fn space_cast(
        &mut self,
        dynamic: bool,
        to: Place,
        of: &'p cpp::Exp,
        span: Span,
    ) -> Elaborated<Value> {
        self.to.enter(Rule::YCast, || print::exp(of));
        let (ty, part) = self.single(of)?;
        let Ty::Pointer(pointer) = &ty else {
            let message = "only a pointer is cast to a space";
            let refused = Rejected::new(of.span, message, "no pointer");
            return self.refuse(Rule::YCast, "pointer", refused);
        };
        let points = match to {
            Place::Named(space) => Points::Named(space),
            Place::Generic => Points::Generic,
        };
        let to_ty = Ty::pointer(points, pointer.to.clone());
        let written: Type = plain(&to_ty, span);
        let cast = |part: Exp| Kind::Cast(written.clone(), Box::new(part));
        let exp = match (to, dynamic) {
            (Place::Generic, _) => self.made(span, cast(part))?,
            (Place::Named(_), true) => self.made(span, Kind::Dynamic(written, Box::new(part)))?,
            (Place::Named(_), false) => {
                self.count(size(&part), span)?;
                // Never evaluated: it is there for its type.
                let checked = self.made(span, cast(part.clone()))?;
                let tested = self.made(span, Kind::Dynamic(written, Box::new(part)))?;
                let never = self.made(span, Kind::Int(0))?;
                self.made(span, Kind::Cond(Box::new([never, checked, tested])))?
            }
        };
        self.to.leave(String::new);
        Ok(Value::of(to_ty, exp))
    }

    fn member(&mut self, of: &'p cpp::Exp, name: &cpp::Name, span: Span) -> Elaborated<Value> {
        Ok(self.field_of(of, name, span)?.0)
    }

    /// `Y-MEMBER`: the struct has the field (field), which is const if the struct is, unless it is a reference. The type of
    /// its declaration stands beside.
    pub(super) fn field_of(
        &mut self,
        of: &'p cpp::Exp,
        name: &cpp::Name,
        span: Span,
    ) -> Elaborated<(Value, Ty)> {
        self.to.enter(Rule::YMember, || name.text.clone());
        let value = self.exp(of)?;
        let (fields, declared) = match &value.ty {
            Ty::Struct { number, .. } => {
                let made = &self.made_structs[*number];
                (made.fields.clone(), &made.item.fields[..])
            }
            _ => (Vec::new(), &[][..]),
        };
        let mut start = 0;
        for ((field, ty), (_, at)) in fields.into_iter().zip(declared) {
            let end = start + self.leaves(&ty, span).len();
            if *field == *name.text {
                self.to.leave(String::new);
                let leaves = value.leaves[start..end].to_vec();
                let since = Some(Since::Field(at.span));
                if let Ty::Reference(pointer) = &ty {
                    let loads = leaves.into_iter();
                    let loads = loads.map(|leaf| Exp { span, kind: Kind::Load(Box::new(leaf)) });
                    let (place, to) = (Some(pointer.points.known()), pointer.to.clone());
                    let leaves = loads.collect();
                    return Ok((Value { span, ty: to, leaves, place, since }, ty));
                }
                let by_struct = value.ty.is_const() && !ty.is_const();
                let since = if by_struct { value.since } else { since };
                let found = if by_struct { ty.clone().with_const(true) } else { ty.clone() };
                return Ok((Value { span, ty: found, leaves, place: value.place, since }, ty));
            }
            start = end;
        }
        let message = format!("there is no field `{}`", name.text);
        let refused = Rejected::new(name.span, message, "of this value");
        self.refuse(Rule::YMember, "field", refused)
    }
}

fn is_comparison(op: BinOp) -> bool {
    matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
}

/// How many expressions an expression is.
fn size(exp: &Exp) -> usize {
    let (mut left, mut size) = (vec![exp], 0);
    while let Some(exp) = left.pop() {
        size += 1;
        match &exp.kind {
            Kind::Int(_) | Kind::Null | Kind::Var(_) | Kind::Builtin(_) => {}
            Kind::Unary(_, part)
            | Kind::Load(part)
            | Kind::Address(part)
            | Kind::Cast(_, part)
            | Kind::Dynamic(_, part) => left.push(part),
            Kind::Binary(_, one, other) => left.extend([&**one, &**other]),
            Kind::Cond(parts) => left.extend(parts.iter()),
            Kind::Call(_, args) => left.extend(args),
        }
    }
    size
}
