//! Expressions, from left to right; `&&`, `||` and `?:` are lazy.

use super::value::{Pointer, Val, tag};
use super::{Form, Lower, Lowered, fold};
use reference::device::syntax::{self as device, Builtin as DeviceBuiltin, Exp, I32, Sc};
use reference::kit::cause::Cause;
use reference::kit::faults::WrongMinias;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use reference::minias::rows::{Row, Ty};
use reference::minias::syntax::{self, Builtin, Kind, Op, Space, Type, UnOp};
use reference::minias::types::More;

impl<'p> Lower<'p> {
    /// The value of an expression, and its type here.
    pub(super) fn exp(&mut self, exp: &'p syntax::Exp) -> Lowered<(Val, Ty)> {
        let note = self.graph.note(self.around.instance, exp);
        let ty = self.here(&note.ty);
        let val = match &exp.kind {
            Kind::Int(k) => Val::Int(Exp::i32(*k)),
            Kind::Null => match &ty {
                Ty::Pointer(_) => Val::Pointer(Pointer::null(self.spaces(&ty))),
                other => unreachable!("NULL is a pointer, and here of {other:?}"),
            },
            Kind::Var(var) => self.var(*var, exp.span, &ty),
            Kind::Builtin(builtin) => Val::Int(self.builtin(*builtin)),
            Kind::Unary(op, part) => self.unary(*op, part)?,
            Kind::Binary(Op::Scalar(op), left, right) => {
                let (left, of_left) = self.exp(left)?;
                let (right, of_right) = self.exp(right)?;
                self.binary(*op, exp.span, [(left, of_left), (right, of_right)])
            }
            Kind::Binary(op, left, right) => self.lazy(*op, exp.span, left, right)?,
            Kind::Load(part) => {
                let (pointer, from) = self.exp(part)?;
                self.load(exp.span, &pointer.pointer(), &from, &ty)
            }
            Kind::Address(place) => match &place.kind {
                Kind::Load(part) => self.exp(part)?.0,
                Kind::Var(var) => Val::Pointer(self.address_of(*var)),
                other => unreachable!("typing promised a place, and there is {other:?}"),
            },
            Kind::Cond(parts) => self.cond(exp.span, parts, &ty)?,
            Kind::Call(name, args) => self.call(exp.span, *name, args, &ty, note)?,
            Kind::Cast(target, part) => self.cast(exp.span, target, part, &ty)?,
            Kind::Dynamic(target, part) => {
                let More::Opened(opened) = &note.more else { unreachable!("a cast is noted so") };
                let opened = self.here(opened);
                self.dynamic(exp.span, target, part, &opened)?
            }
        };
        Ok((val, ty))
    }

    /// An expression whose value flows where a type is wanted.
    pub(super) fn flows(&mut self, exp: &'p syntax::Exp, wanted: &Ty) -> Lowered<Val> {
        let (val, from) = self.exp(exp)?;
        Ok(self.flow(val, &from, wanted))
    }

    /// `C-OPEN`: where a pointer to one space flows into an open row its tag is the evidence of that space.
    fn flow(&self, val: Val, from: &Ty, wanted: &Ty) -> Val {
        let (Val::Pointer(pointer), Some(from), Some(wanted)) = (&val, from.row(), wanted.row())
        else {
            return val;
        };
        match from.names.first() {
            Some(space) if is_thin(from) && !is_thin(wanted) => {
                Val::Pointer(Pointer { tag: self.evidence(wanted, space), ..pointer.clone() })
            }
            _ => val,
        }
    }

    /// The evidence that the row, of which the space is a name, lacks it elsewhere: its id, passed or not.
    pub(super) fn evidence(&self, row: Row, space: Space) -> Exp {
        let passed = row.end.filter(|_| self.form == Form::Evidence).and_then(|end| {
            self.around.evidence.iter().find(|(predicate, _)| *predicate == (end, space))
        });
        passed.map_or_else(|| tag(space), |(_, exp)| exp.clone())
    }

    fn var(&mut self, var: Var, span: Span, ty: &Ty) -> Val {
        if let Some(block) = self.around.constants.get(&var).cloned() {
            if Self::is_pointer(ty) {
                return Val::Pointer(self.constant(var, block));
            }
            let place = device::Place::Element(block, Exp::i32(0));
            return Val::Int(self.bound(span, "loaded", I32, Exp::load(place)));
        }
        match self.around.homes.get(&var).cloned() {
            Some(home) if home.extent.is_some() => Val::Pointer(Self::address(&home)),
            Some(home) => self.variable(span, &home, ty),
            None => self.code.get(var).clone(),
        }
    }

    fn address_of(&self, var: Var) -> Pointer {
        match self.around.homes.get(&var) {
            Some(home) => Self::address(home),
            None => self.constant(var, self.around.constants[&var].clone()),
        }
    }

    /// The address of a constant.
    fn constant(&self, var: Var, block: Exp) -> Pointer {
        let number = self.program.constants().position(|decl| decl.var == var);
        let number = number.expect("it is a constant");
        Pointer {
            tag: tag(Space::Constant),
            block,
            start: Exp::i32(number as i32 + 1),
            size: Exp::i32(0),
            offset: Exp::i32(0),
            is_some: true,
        }
    }

    fn builtin(&self, builtin: Builtin) -> Exp {
        let (items, size) = (self.launch.items as i32, self.launch.size as i32);
        let of_kernel = |builtin| Exp::Cast(Sc::I32, Box::new(Exp::Builtin(builtin)));
        match (builtin, &self.around.item) {
            (Builtin::GlobalSize, _) => Exp::i32(items),
            (Builtin::LocalSize, _) => Exp::i32(size),
            (Builtin::NumGroups, _) => Exp::i32(items / size),
            (Builtin::GlobalId, None) => of_kernel(DeviceBuiltin::GlobalId),
            (Builtin::LocalId, None) => of_kernel(DeviceBuiltin::LocalId),
            (Builtin::GroupId, None) => of_kernel(DeviceBuiltin::GroupId),
            (Builtin::GlobalId, Some(item)) => item.clone(),
            (Builtin::LocalId, Some(item)) => Exp::bin(BinOp::Rem, item.clone(), Exp::i32(size)),
            (Builtin::GroupId, Some(item)) => Exp::bin(BinOp::Div, item.clone(), Exp::i32(size)),
        }
    }

    /// The number of the item, to be passed on.
    pub(super) fn item(&self) -> Exp {
        self.builtin(Builtin::GlobalId)
    }

    fn unary(&mut self, op: UnOp, part: &'p syntax::Exp) -> Lowered<Val> {
        let (val, _) = self.exp(part)?;
        Ok(match op {
            UnOp::Not => Val::Truth(fold::not(val.truth())),
            UnOp::Neg => match val.int() {
                Exp::Lit(device::Lit::I32(k)) => Val::Int(Exp::i32(k.wrapping_neg())),
                exp => Val::Int(Exp::Un(device::UnOp::Neg, Box::new(exp))),
            },
            UnOp::Flip => Val::Int(Exp::Un(device::UnOp::Complement, Box::new(val.int()))),
        })
    }

    fn binary(&mut self, op: BinOp, span: Span, sides: [(Val, Ty); 2]) -> Val {
        match sides {
            [(Val::Pointer(left), _), (Val::Pointer(right), _)] => match op {
                BinOp::Eq => Val::Truth(equal(&left, &right)),
                BinOp::Ne => Val::Truth(fold::not(equal(&left, &right))),
                _ => self.apart(op, span, &left, &right),
            },
            [(Val::Pointer(pointer), _), (by, _)] | [(by, _), (Val::Pointer(pointer), _)] => {
                Val::Pointer(self.offset(op, span, pointer, by.int()))
            }
            [(left, _), (right, _)] => self.ints(op, span, left.int(), right.int()),
        }
    }

    /// `E-OP` of ints (division).
    fn ints(&mut self, op: BinOp, span: Span, left: Exp, right: Exp) -> Val {
        if !op.associates() {
            return Val::Truth(fold::bin(op, left, right));
        }
        if !op.is_partial() {
            return Val::Int(fold::bin(op, left, right));
        }
        let [left, right] = [left, right].map(|side| self.named(span, "operand", I32, side));
        if let (Some(a), Some(b)) = (fold::literal(&left), fold::literal(&right))
            && let Some(k) = op.checked(a, b)
        {
            return Val::Int(Exp::i32(k));
        }
        Val::Int(self.bound(span, "quotient", I32, Exp::bin(op, left, right)))
    }

    /// `E-OFFSET`: the pointer is not NULL (null). An offset that is beyond 32 bits gives up.
    fn offset(&mut self, op: BinOp, span: Span, pointer: Pointer, by: Exp) -> Pointer {
        self.fails_if(span, pointer.is_null(), Cause::Null, Vec::new());
        let by = self.named(span, "by", I32, by);
        let from = &pointer.offset;
        let known = fold::literal(from).zip(fold::literal(&by));
        let known = known.and_then(|(from, by)| match op {
            BinOp::Sub => from.checked_sub(by),
            _ => from.checked_add(by),
        });
        if let Some(offset) = known {
            return Pointer { offset: Exp::i32(offset), is_some: true, ..pointer };
        }
        if fold::literal(&by) == Some(0) {
            return Pointer { is_some: true, ..pointer };
        }
        let from_start = fold::literal(from) == Some(0) && op != BinOp::Sub;
        if !from_start {
            let wide = |exp: &Exp| Exp::Cast(Sc::I64, Box::new(exp.clone()));
            let number = Exp::bin(op, wide(from), wide(&by));
            self.check(span, Cause::Width, vec![number]);
        }
        let offset = fold::bin(op, from.clone(), by);
        let offset = self.named(span, "offset", I32, offset);
        Pointer { offset, is_some: true, ..pointer }
    }

    /// `E-DIFF`, `E-COMPARE` by an order: both point to one block, or both are NULL (same_block).
    fn apart(&mut self, op: BinOp, span: Span, left: &Pointer, right: &Pointer) -> Val {
        let fails = fold::not(left.same_block(right));
        self.fails_if(span, fails, Cause::SameBlock, Vec::new());
        let (left, right) = (left.offset.clone(), right.offset.clone());
        if op == BinOp::Sub {
            return Val::Int(fold::bin(op, left, right));
        }
        Val::Truth(fold::bin(op, left, right))
    }

    fn lazy(
        &mut self,
        op: Op,
        span: Span,
        left: &'p syntax::Exp,
        right: &'p syntax::Exp,
    ) -> Lowered<Val> {
        let left = self.exp(left)?.0.truth();
        let mut right = |lower: &mut Self| Ok(Val::Truth(lower.exp(right)?.0.truth()));
        if op == Op::Or {
            let mut decided = |_: &mut Self| Ok(Val::Truth(fold::bool(true)));
            self.either(span, &left, &mut decided, &mut right)
        } else {
            let mut decided = |_: &mut Self| Ok(Val::Truth(fold::bool(false)));
            self.either(span, &left, &mut right, &mut decided)
        }
    }

    fn cond(&mut self, span: Span, parts: &'p [syntax::Exp; 3], ty: &Ty) -> Lowered<Val> {
        let [condition, then, otherwise] = parts;
        let condition = self.exp(condition)?.0.truth();
        self.either(span, &condition, &mut |lower| lower.flows(then, ty), &mut |lower| {
            lower.flows(otherwise, ty)
        })
    }

    /// `E-CAST`: to one space, the pointer is NULL or of that space (space). To several it flows.
    fn cast(&mut self, span: Span, target: &Type, part: &'p syntax::Exp, ty: &Ty) -> Lowered<Val> {
        let Some(space) = target.points_to() else { return self.flows(part, ty) };
        let (val, from) = self.exp(part)?;
        let pointer = val.pointer();
        let row = from.row().expect("what is cast is a pointer");
        let wanted = self.evidence(row, space);
        let other = fold::bin(BinOp::Ne, pointer.tag.clone(), wanted);
        let fails = fold::and(fold::not(pointer.is_null()), other);
        let fails =
            if self.is_wrong(WrongMinias::CastUntested) { fold::bool(false) } else { fails };
        self.fails_if(span, fails, Cause::Space, vec![pointer.tag.clone(), tag(space)]);
        Ok(Val::Pointer(Pointer { tag: tag(space), ..pointer }))
    }

    /// `E-DYNAMIC`: the pointer, if it is of the space; else NULL.
    fn dynamic(
        &mut self,
        span: Span,
        target: &Type,
        part: &'p syntax::Exp,
        opened: &Ty,
    ) -> Lowered<Val> {
        let space = target.points_to().expect("typing promised that it names a space");
        let pointer = self.flows(part, opened)?.pointer();
        let row = opened.row().expect("what is cast is a pointer");
        let wanted = self.evidence(row, space);
        let mut is = fold::bin(BinOp::Eq, pointer.tag.clone(), wanted);
        if self.is_wrong(WrongMinias::DynamicKeeps) {
            is = fold::bool(true);
        }
        let [start, offset] =
            [("start", &pointer.start), ("offset", &pointer.offset)].map(|(wish, part)| {
                let part = fold::select(&is, part.clone(), Exp::i32(0));
                self.named(span, wish, I32, part)
            });
        let is_some = pointer.is_some && fold::truth(&is) == Some(true);
        Ok(Val::Pointer(Pointer { tag: tag(space), start, offset, is_some, ..pointer }))
    }
}

/// Is a pointer of this row to one space?
pub(super) fn is_thin(row: Row) -> bool {
    row.end.is_none() && row.names.len() == 1
}

/// `p == q`
fn equal(left: &Pointer, right: &Pointer) -> Exp {
    let offset = fold::bin(BinOp::Eq, left.offset.clone(), right.offset.clone());
    fold::and(left.same_block(right), offset)
}
