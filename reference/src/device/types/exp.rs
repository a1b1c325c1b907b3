//! `Γ ⊢ e : τ`: the type rules of expressions, a function each.

use super::{Bound, Context, Found, Typed, Types, conversion, wrong};
use crate::device::print;
use crate::device::rules::Rule;
use crate::device::scalar;
use crate::device::syntax::{Builtin, Element, Exp, Place, Sc, Ty, UnOp};
use crate::kit::names::Var;
use crate::kit::scalar::BinOp;

impl<'p> Types<'p> {
    /// `Γ ⊢ e : τ`
    ///
    /// Rules are no part of it, so that for a name or a literal next to nothing is done.
    ///
    /// # Errors
    /// The first premise that fails.
    pub fn exp<'e>(&mut self, exp: &'e Exp) -> Found<Typed<'e>>
    where
        'p: 'e,
    {
        match exp {
            Exp::Lit(lit) => Ok(Typed::Scalar(lit.sc())),
            Exp::Var(var) => self.t_var(*var),
            Exp::Builtin(builtin) => self.t_builtin(*builtin),
            Exp::Un(op, a) => self.t_un(*op, a),
            Exp::Bin(op, ab) => self.t_bin(*op, ab),
            Exp::Select(parts) => self.t_select(parts),
            Exp::Cast(to, a) => self.t_cast(*to, a),
            Exp::Bitcast(to, a) => self.t_bitcast(*to, a),
            Exp::Make(made) => self.t_make(&made.0, &made.1),
            Exp::At(parts) => self.at_of_value(parts),
            Exp::Field(a, k) => self.field_of_value(a, *k),
            Exp::Load(place) => self.t_load(place),
            Exp::Ref(place) => self.t_ref(place),
            Exp::Length(b) => self.t_length(b),
            Exp::Base(b) => self.t_base(b),
            Exp::Block(element, parts) => self.t_block(*element, parts),
        }
    }

    /// `D-T-HOST`
    ///
    /// ```text
    /// e does not stand among the statements of the host                              (host)
    /// ────────────────────────────────────────────────────────────────────────────────────
    /// Γ ⊢ e may have places and parts
    /// ```
    fn off_host(&mut self) -> Found<()> {
        if self.context == Context::Host {
            self.by(Rule::THost);
            return wrong(Rule::THost, "host", "the host has scalars and blocks only");
        }
        Ok(())
    }

    /// `D-T-VAR`
    ///
    /// ```text
    /// x : τ ∈ Γ                                  (scope)
    /// ──────────────────────────────────────────────────
    /// Γ ⊢ x : τ
    /// ```
    pub(in crate::device) fn t_var(&mut self, var: Var) -> Found<Typed<'p>> {
        self.by(Rule::TVar);
        match self.bound(var) {
            Some(Bound::Value(ty)) => Ok(ty),
            Some(Bound::Place(..)) => {
                let name = self.program.names.written(var);
                wrong(Rule::TPlace, "place", format!("`{name}` is a place, not a value"))
            }
            None => self.unbound(var),
        }
    }

    #[cold]
    pub(super) fn unbound<T>(&self, var: Var) -> Found<T> {
        let name = self.program.names.written(var);
        wrong(Rule::TVar, "scope", format!("`{name}` is not in scope"))
    }

    /// `D-T-BUILTIN`
    ///
    /// ```text
    /// it stands in the body of a kernel                        (kernel)
    /// ─────────────────────────────────────────────────────────────────
    /// Γ ⊢ global_id : u32, and so the others
    /// ```
    fn t_builtin(&mut self, _: Builtin) -> Found<Typed<'static>> {
        self.by(Rule::TBuiltin);
        match self.context {
            Context::Kernel => Ok(Typed::Scalar(Sc::U32)),
            _ => wrong(Rule::TBuiltin, "kernel", "only a kernel knows where it runs"),
        }
    }

    /// `D-T-UN`
    ///
    /// ```text
    /// Γ ⊢ a : T      ⊖ : T → T                   (type)
    /// ─────────────────────────────────────────────────
    /// Γ ⊢ ⊖a : T
    /// ```
    #[inline(never)]
    fn t_un(&mut self, op: UnOp, a: &Exp) -> Found<Typed<'static>> {
        self.by(Rule::TUn);
        match self.exp(a)? {
            Typed::Scalar(sc) if scalar::unary(op, sc).is_some() => Ok(Typed::Scalar(sc)),
            ty => self.none_of(Rule::TUn, format_args!("no `{}` of", print::unary(op)), &[ty]),
        }
    }

    /// `D-T-BIN`
    ///
    /// ```text
    /// Γ ⊢ a : τ      Γ ⊢ b : τ      ⊕ : τ × τ → τ'    (type)
    /// ──────────────────────────────────────────────────
    /// Γ ⊢ a ⊕ b : τ'
    /// ```
    #[inline(never)]
    fn t_bin<'e>(&mut self, op: BinOp, [a, b]: &'e [Exp; 2]) -> Found<Typed<'e>>
    where
        'p: 'e,
    {
        self.by(Rule::TBin);
        let (a, b) = (self.exp(a)?, self.exp(b)?);
        let result = match (a, b) {
            (Typed::Scalar(x), Typed::Scalar(y)) if x == y => {
                scalar::result(op, x).map(Typed::Scalar)
            }
            (Typed::Other(Ty::Vector(sc, _)), _) if a == b => by_components(op, *sc).then_some(a),
            _ => None,
        };
        match result {
            Some(ty) => Ok(ty),
            None => {
                let none = self.none_of(
                    Rule::TBin,
                    format_args!("no `{}` of", print::binary(op)),
                    &[a, b],
                );
                none.map_err(|mut wrong| {
                    // A literal without a type is of i32, so that is the side to convert.
                    let from_i32 = b == Typed::Scalar(Sc::I32);
                    let (given, wanted) = if from_i32 { (b, a) } else { (a, b) };
                    wrong.help = (a != b).then(|| conversion(given, wanted)).flatten();
                    wrong
                })
            }
        }
    }

    /// `D-T-SELECT`
    ///
    /// ```text
    /// Γ ⊢ c : bool      Γ ⊢ a : τ      Γ ⊢ b : τ, a scalar, a vector or a block      (type)
    /// ────────────────────────────────────────────────────────────────────────────────────
    /// Γ ⊢ select(c, a, b) : τ
    /// ```
    #[inline(never)]
    fn t_select<'e>(&mut self, [c, a, b]: &'e [Exp; 3]) -> Found<Typed<'e>>
    where
        'p: 'e,
    {
        self.by(Rule::TSelect);
        let (c, a, b) = (self.exp(c)?, self.exp(a)?, self.exp(b)?);
        let chooses =
            matches!(a, Typed::Scalar(_) | Typed::Block(_) | Typed::Other(Ty::Vector(..)));
        if c != Typed::Scalar(Sc::Bool) || a != b || !chooses {
            return wrong(
                Rule::TSelect,
                "type",
                format!("no select({}, {}, {})", self.said(c), self.said(a), self.said(b)),
            );
        }
        Ok(a)
    }

    /// `D-T-CAST`
    ///
    /// ```text
    /// Γ ⊢ a : T, a scalar                        (type)
    /// ─────────────────────────────────────────────────
    /// Γ ⊢ T'(a) : T'
    /// ```
    #[inline(never)]
    fn t_cast(&mut self, to: Sc, a: &Exp) -> Found<Typed<'static>> {
        self.by(Rule::TCast);
        match self.exp(a)? {
            Typed::Scalar(_) => Ok(Typed::Scalar(to)),
            ty => wrong(Rule::TCast, "type", format!("{} is not converted", self.said(ty))),
        }
    }

    /// `D-T-BITCAST`
    ///
    /// ```text
    /// Γ ⊢ a : T, and T and T' are i32, u32 or f32      (type)
    /// ───────────────────────────────────────────────────────
    /// Γ ⊢ bitcast T'(a) : T'
    /// ```
    #[inline(never)]
    fn t_bitcast(&mut self, to: Sc, a: &Exp) -> Found<Typed<'static>> {
        self.by(Rule::TBitcast);
        match self.exp(a)? {
            Typed::Scalar(sc) if scalar::bitcast(sc, to).is_some() => Ok(Typed::Scalar(to)),
            ty => wrong(
                Rule::TBitcast,
                "type",
                format!("{} has no bits of {}", self.said(ty), print::scalar(to)),
            ),
        }
    }

    /// `D-T-MAKE`
    ///
    /// ```text
    /// τ has parts τ₁, …, τₙ      Γ ⊢ eᵢ : τᵢ                     (type)
    /// there are n of them                                      (arity)
    /// ─────────────────────────────────────────────────────────────────
    /// Γ ⊢ make τ(e₁, …, eₙ) : τ
    /// ```
    #[inline(never)]
    fn t_make<'e>(&mut self, ty: &'e Ty, parts: &[Exp]) -> Found<Typed<'e>> {
        self.off_host()?;
        self.by(Rule::TMake);
        self.well_formed(ty)?;
        let program = self.program;
        let (wanted, fields) = match ty {
            Ty::Vector(_, n) => (usize::from(*n), &[][..]),
            Ty::Array(_, n) => (*n as usize, &[][..]),
            Ty::Struct(k) => {
                let fields = &program.structs[*k as usize].fields;
                (fields.len(), &fields[..])
            }
            _ => {
                let message = format!("{} has no parts", self.said(Typed::of(ty)));
                return wrong(Rule::TMake, "type", message);
            }
        };
        if wanted != parts.len() {
            let message = format!("{wanted} parts, but {} are given", parts.len());
            return wrong(Rule::TMake, "arity", message);
        }
        for (at, part) in parts.iter().enumerate() {
            let part = self.exp(part)?;
            let wanted = match ty {
                Ty::Vector(sc, _) => Typed::Scalar(*sc),
                Ty::Array(part, _) => Typed::of(part),
                _ => Typed::of(&fields[at].1),
            };
            if part != wanted {
                return self.other_type(Rule::TMake, part, wanted);
            }
        }
        Ok(Typed::of(ty))
    }

    #[inline(never)]
    fn at_of_value<'e>(&mut self, [array, index]: &'e [Exp; 2]) -> Found<Typed<'e>>
    where
        'p: 'e,
    {
        self.off_host()?;
        let ty = self.exp(array)?;
        self.t_at(ty, index)
    }

    #[inline(never)]
    fn field_of_value<'e>(&mut self, value: &'e Exp, field: u32) -> Found<Typed<'p>>
    where
        'p: 'e,
    {
        self.off_host()?;
        let ty = self.exp(value)?;
        self.t_field(ty, field)
    }

    /// `D-T-AT`
    ///
    /// ```text
    /// τ is an array or vector of τ'      Γ ⊢ e : i32 or u32      (type)
    /// ─────────────────────────────────────────────────────────────────
    /// Γ ⊢ a[e] : τ', for a value or a place a : τ
    /// ```
    pub(super) fn t_at<'e>(&mut self, ty: Typed<'e>, index: &Exp) -> Found<Typed<'e>> {
        self.by(Rule::TAt);
        let index = self.exp(index)?;
        match ty {
            Typed::Other(Ty::Array(part, _)) if index.is_index() => Ok(Typed::of(part)),
            Typed::Other(Ty::Vector(sc, _)) if index.is_index() => Ok(Typed::Scalar(*sc)),
            _ => {
                let mut message =
                    format!("no index of {} into {}", self.said(index), self.said(ty));
                if matches!(ty, Typed::Block(_)) {
                    message.push_str(": an element of a block is written `e.[i]`");
                }
                wrong(Rule::TAt, "type", message)
            }
        }
    }

    /// `D-T-FIELD`
    ///
    /// ```text
    /// τ is a structure { f₁ : τ₁, …, fₙ : τₙ }                   (type)
    /// ─────────────────────────────────────────────────────────────────
    /// Γ ⊢ a.fₖ : τₖ, for a value or a place a : τ
    /// ```
    pub(super) fn t_field(&mut self, ty: Typed<'_>, field: u32) -> Found<Typed<'p>> {
        self.by(Rule::TField);
        if let Typed::Other(Ty::Struct(k)) = ty
            && let Some(declared) = self.program.structs.get(*k as usize)
            && let Some((_, ty)) = declared.fields.get(field as usize)
        {
            return Ok(Typed::of(ty));
        }
        wrong(Rule::TField, "type", format!("{} has no field {field}", self.said(ty)))
    }

    /// `D-T-LOAD`
    ///
    /// ```text
    /// Γ ⊢ place : ref(space, τ)      no atomic is in τ           (type)
    /// ─────────────────────────────────────────────────────────────────
    /// Γ ⊢ load place : τ
    /// ```
    #[inline(never)]
    fn t_load<'e>(&mut self, place: &'e Place) -> Found<Typed<'e>>
    where
        'p: 'e,
    {
        self.off_host()?;
        self.by(Rule::TLoad);
        let (_, ty) = self.place(place)?;
        match ty {
            Typed::Other(of) if self.has_atomic(of) => {
                wrong(Rule::TLoad, "type", "atomics are read by `atomic load`")
            }
            _ => Ok(ty),
        }
    }

    /// `D-T-REF`
    ///
    /// ```text
    /// Γ ⊢ place : ref(space, τ)      it is no component of a vector      (place)
    /// ──────────────────────────────────────────────────────────────────────────
    /// Γ ⊢ &place : ptr[space, τ]
    /// ```
    #[inline(never)]
    fn t_ref<'e>(&mut self, place: &'e Place) -> Found<Typed<'e>>
    where
        'p: 'e,
    {
        self.off_host()?;
        self.by(Rule::TRef);
        if let Place::At(inner, _) = place
            && let (_, Typed::Other(Ty::Vector(..))) = self.place(inner)?
        {
            return wrong(Rule::TRef, "place", "a component of a vector has no pointer");
        }
        let (space, ty) = self.place(place)?;
        match ty.pointed() {
            Some(to) => Ok(Typed::Ptr(space, to)),
            None => wrong(Rule::TType, "type", "pointers are not stored"),
        }
    }

    /// `D-T-LENGTH`
    ///
    /// ```text
    /// Γ ⊢ b : block[T]                          (type)
    /// ────────────────────────────────────────────────
    /// Γ ⊢ length(b) : u32
    /// ```
    fn t_length(&mut self, block: &Exp) -> Found<Typed<'static>> {
        self.by(Rule::TLength);
        self.part(Rule::TLength, block)
    }

    /// `D-T-BASE`
    ///
    /// ```text
    /// Γ ⊢ b : block[T]                          (type)
    /// ────────────────────────────────────────────────
    /// Γ ⊢ base(b) : u32
    /// ```
    fn t_base(&mut self, block: &Exp) -> Found<Typed<'static>> {
        self.by(Rule::TBase);
        self.part(Rule::TBase, block)
    }

    /// The premise of both.
    #[inline(never)]
    fn part(&mut self, rule: Rule, block: &Exp) -> Found<Typed<'static>> {
        match self.exp(block)? {
            Typed::Block(_) => Ok(Typed::Scalar(Sc::U32)),
            ty => wrong(rule, "type", format!("{} is no block", self.said(ty))),
        }
    }

    /// `D-T-BLOCK`
    ///
    /// ```text
    /// Γ ⊢ e : u32      Γ ⊢ e' : u32      ⊢ block[T]              (type)
    /// ─────────────────────────────────────────────────────────────────
    /// Γ ⊢ block(T, e, e') : block[T]
    /// ```
    #[inline(never)]
    fn t_block(&mut self, element: Element, [base, length]: &[Exp; 2]) -> Found<Typed<'static>> {
        const U32: Typed<'_> = Typed::Scalar(Sc::U32);
        self.by(Rule::TBlock);
        if self.exp(base)? != U32 || self.exp(length)? != U32 || !self.is_element(element) {
            return wrong(Rule::TBlock, "type", "a block has u32 base and length");
        }
        Ok(Typed::Block(element))
    }
}

/// Does the operator go by components on vectors?
fn by_components(op: BinOp, sc: Sc) -> bool {
    !matches!(op, BinOp::Shl | BinOp::Shr)
        && scalar::result(op, sc) == Some(sc)
        && !scalar::is_partial(op, sc)
}
