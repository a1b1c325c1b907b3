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
}

impl Value {
    /// A value that is one expression.
    pub(super) fn of(ty: Ty, exp: Exp) -> Self {
        Value { span: exp.span, ty, leaves: vec![exp], place: None }
    }
}

impl<'p> Elaborator<'p, '_> {
    /// An expression.
    pub(super) fn exp(&mut self, exp: &'p cpp::Exp) -> Elaborated<Value> {
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
                let (ty, part) = self.single(part)?;
                let (to, known) = match &ty {
                    Ty::Pointer(pointer) => (pointer.to.clone(), ty.known()),
                    // MiniAS refuses it.
                    _ => (INT, None),
                };
                let load = self.made(span, Kind::Load(Box::new(part)))?;
                Ok(Value { place: Some(known), ..Value::of(to, load) })
            }
            cpp::Kind::Address(part) => self.address(part, span),
            cpp::Kind::Cond(parts) => self.cond(parts, span),
            cpp::Kind::Call(name, types, args) => self.call(name, types, args, span),
            cpp::Kind::Cast(ty, part) => self.cast(ty, part, span),
            cpp::Kind::Dynamic(ty, part) => {
                let to = self.ty(ty, None)?;
                let (of, part) = self.single(part)?;
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
        let Variable { ty, leaves, array, .. } = self.find(name, span)?.clone();
        self.count(leaves.len(), span)?;
        let leaves = leaves.into_iter().map(|leaf| Exp { span, ..leaf });
        if let Ty::Reference(pointer) = &ty {
            let loads = leaves.map(|leaf| Exp { span, kind: Kind::Load(Box::new(leaf)) });
            let (to, known) = (pointer.to.clone(), pointer.points.known());
            return Ok(Value { span, ty: to, leaves: loads.collect(), place: Some(known) });
        }
        let place = (!array).then_some(Some(Space::Private));
        Ok(Value { span, ty, leaves: leaves.collect(), place })
    }

    fn binary(
        &mut self,
        op: Op,
        one: &'p cpp::Exp,
        other: &'p cpp::Exp,
        span: Span,
    ) -> Elaborated<Value> {
        let (of_one, one) = self.single(one)?;
        let (of_other, other) = self.single(other)?;
        let ty = match (op, &of_one, &of_other) {
            (Op::Or | Op::And, ..) => BOOL,
            (Op::Scalar(op), ..) if is_comparison(op) => BOOL,
            (_, Ty::Pointer(_), Ty::Pointer(_)) => INT,
            (_, Ty::Pointer(_), _) => of_one.copied(),
            (_, _, Ty::Pointer(_)) => of_other.copied(),
            _ => INT,
        };
        let kind = Kind::Binary(op, Box::new(one), Box::new(other));
        Ok(Value::of(ty, self.made(span, kind)?))
    }

    fn address(&mut self, part: &'p cpp::Exp, span: Span) -> Elaborated<Value> {
        let value = self.exp(part)?;
        let Some(known) = value.place else {
            let message = format!("`{}` is no place, so it has no address", print::exp(part));
            let refused = Rejected::new(span, message, "a value");
            return self.refuse(Rule::YReference, "place", refused);
        };
        let (ty, leaf) = self.one(value)?;
        let ty = self.pointer(Points::raw(known), ty, span)?;
        Ok(Value::of(ty, self.address_of(leaf, span)?))
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
        let (one, then) = self.single(&parts[1])?;
        let (other, otherwise) = self.single(&parts[2])?;
        let ty = match (&one, &other) {
            (Ty::Null, _) => other.copied(),
            (Ty::Pointer(_), _) => one.copied().deduced(other.known()),
            _ if one.copied() == BOOL && other.copied() == BOOL => BOOL,
            _ => one.copied(),
        };
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
            Ty::Pointer(_) => {
                let (_, part) = self.one(value)?;
                Some(self.made(span, Kind::Cast(plain(&to, ty.span), Box::new(part)))?)
            }
            _ => None,
        };
        let Some(made) = made else {
            let message = format!("nothing is cast from this to `{}`", print::ty(ty));
            let refused = Rejected::new(span, message, "a cast")
                .help("pointers are cast to pointers, and ints to ints");
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

    /// `Y-MEMBER`: the struct has the field (field).
    fn member(&mut self, of: &'p cpp::Exp, name: &cpp::Name, span: Span) -> Elaborated<Value> {
        self.to.enter(Rule::YMember, || name.text.clone());
        let value = self.exp(of)?;
        let fields = match &value.ty {
            Ty::Struct(number) => self.made_structs[*number].fields.clone(),
            _ => Vec::new(),
        };
        let mut start = 0;
        for (field, ty) in fields {
            let end = start + self.leaves(&ty, span).len();
            if *field == *name.text {
                self.to.leave(String::new);
                let leaves = value.leaves[start..end].to_vec();
                if let Ty::Reference(pointer) = ty {
                    let loads = leaves.into_iter();
                    let loads = loads.map(|leaf| Exp { span, kind: Kind::Load(Box::new(leaf)) });
                    let place = Some(pointer.points.known());
                    return Ok(Value {
                        span,
                        ty: pointer.to.clone(),
                        leaves: loads.collect(),
                        place,
                    });
                }
                return Ok(Value { span, ty, leaves, place: value.place });
            }
            start = end;
        }
        let message = format!("there is no field `{}`", name.text);
        let refused = Rejected::new(name.span, message, "of this value");
        self.refuse(Rule::YMember, "field", refused)
    }

    /// The value as one of a type: an expression for each of its parts.
    ///
    /// `Y-CONVERT`: a struct or a lambda is of that type (type); what a pointer or a reference points to does not lose its
    /// `const` (const). Whether an int is a pointer, MiniAS says.
    pub(super) fn converted(&mut self, value: Value, to: &Ty, span: Span) -> Elaborated<Vec<Exp>> {
        self.to.enter(Rule::YConvert, String::new);
        let parts = self.parts(value, to, span)?;
        self.to.leave(String::new);
        Ok(parts)
    }

    fn parts(&mut self, value: Value, to: &Ty, span: Span) -> Elaborated<Vec<Exp>> {
        match (to, &value.ty) {
            (Ty::Reference(reference), _) => return self.bound(value, reference, span),
            (Ty::Struct(_) | Ty::Closure(_), of) if self.alike(of, to) => return Ok(value.leaves),
            (Ty::Struct(_) | Ty::Closure(_), _) => {
                let message = "a value of another type than the struct or lambda that is wanted";
                let refused = Rejected::new(value.span, message, "not that struct");
                return self.refuse(Rule::YConvert, "type", refused);
            }
            (Ty::Pointer(to), Ty::Pointer(of)) if of.to.is_const() && !to.to.is_const() => {
                return self.drops_const(value.span);
            }
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

    fn different(&mut self, exp: Exp, from: Exp) -> Elaborated<Exp> {
        let span = exp.span;
        self.made(span, Kind::Binary(Op::Scalar(BinOp::Ne), Box::new(exp), Box::new(from)))
    }

    fn drops_const<T>(&mut self, span: Span) -> Elaborated<T> {
        let message = "what is const does not become what is not";
        let refused = Rejected::new(span, message, "points to what is const");
        self.refuse(Rule::YConvert, "const", refused)
    }

    /// `Y-REFERENCE`: a reference is bound to a place (place).
    fn bound(
        &mut self,
        value: Value,
        reference: &super::types::Pointer,
        span: Span,
    ) -> Elaborated<Vec<Exp>> {
        self.to.enter(Rule::YReference, String::new);
        if value.place.is_none() {
            let message = "a reference is bound to a place";
            let refused = Rejected::new(value.span, message, "a value, which lies nowhere")
                .help("give it a variable, or make it a reference to const");
            return self.refuse(Rule::YReference, "place", refused);
        }
        if value.ty.is_const() && !reference.to.is_const() {
            return self.drops_const(value.span);
        }
        let parts = (self.leaves(&reference.to, span).len(), value.leaves.len());
        let named = matches!(reference.to, Ty::Struct(_) | Ty::Closure(_));
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
