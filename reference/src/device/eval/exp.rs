//! `M; E ⊢ e ⇓ v`: the rules of expressions, a function each. `M` is what invocations share, `E`
//! the cells of this one. Expressions have no effect.

use super::memory::Lacked;
use super::step::Thread;
use super::values::{Eval, Ref, Val};
use crate::device::floats;
use crate::device::rules::Rule;
use crate::device::scalar::{self, Cell};
use crate::device::syntax::{Builtin, Element, Exp, Lit, Place, Sc, Space, Ty, UnOp};
use crate::device::types::{Bound, Typed};
use crate::kit::names::Var;
use crate::kit::outcome::Cause;
use crate::kit::scalar::BinOp;

impl<'p> Thread<'_, '_, 'p> {
    /// `M; E ⊢ e ⇓ v`
    #[inline] // Names and literals, most of what is evaluated, cost no call.
    pub(super) fn exp(&mut self, exp: &'p Exp) -> Eval<Val<'p>> {
        match exp {
            Exp::Lit(lit) => Ok(self.d_lit(*lit)),
            Exp::Var(x) => Ok(self.d_var(*x)),
            _ => self.compound(exp),
        }
    }

    /// The same of other expressions.
    #[inline(never)]
    fn compound(&mut self, exp: &'p Exp) -> Eval<Val<'p>> {
        match exp {
            Exp::Lit(lit) => Ok(self.d_lit(*lit)),
            Exp::Var(x) => Ok(self.d_var(*x)),
            Exp::Builtin(builtin) => Ok(self.d_builtin(*builtin)),
            Exp::Un(op, a) => self.d_un(*op, a),
            Exp::Bin(op, ab) => self.d_bin(*op, ab),
            Exp::Select(parts) => self.d_select(parts),
            Exp::Cast(to, a) => self.d_cast(*to, a),
            Exp::Bitcast(to, a) => self.d_bitcast(*to, a),
            Exp::Make(made) => self.d_make(&made.0, &made.1),
            Exp::At(parts) => self.d_at_of_value(parts),
            Exp::Field(a, k) => self.d_field_of_value(a, *k),
            Exp::Load(place) => self.d_load(place),
            Exp::Ref(place) => self.d_ref(place),
            Exp::Length(b) => self.d_length(b),
            Exp::Base(b) => self.d_base(b),
            Exp::Block(element, parts) => self.d_block(*element, parts),
        }
    }

    /// The value of a scalar expression.
    #[inline]
    pub(super) fn scalar(&mut self, exp: &'p Exp) -> Eval<Cell> {
        Ok(self.exp(exp)?.cell())
    }

    /// `D-LIT`
    ///
    /// ```text
    /// ────────────────
    /// M; E ⊢ k ⇓ k
    /// ```
    #[inline]
    fn d_lit(&mut self, lit: Lit) -> Val<'p> {
        self.fire(Rule::Lit);
        Val::Scalar(lit.sc(), scalar::literal(lit))
    }

    /// `D-VAR`
    ///
    /// ```text
    /// E(x) = v
    /// ────────────────
    /// M; E ⊢ x ⇓ v
    /// ```
    #[inline]
    fn d_var(&mut self, x: Var) -> Val<'p> {
        self.fire(Rule::Var);
        let slot = self.code.slot(x);
        match slot.bound {
            Bound::Value(ty) => Val::at(&self.own.cells, slot.at, ty),
            Bound::Place(..) => unreachable!("validated: a value is bound"),
        }
    }

    /// `D-BUILTIN`
    ///
    /// ```text
    /// this is invocation l of work group g, of a launch of n in groups of s
    /// ───────────────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ global_id ⇓ g · s + l      local_id ⇓ l      group_id ⇓ g      invocations ⇓ n
    /// ```
    fn d_builtin(&mut self, builtin: Builtin) -> Val<'p> {
        self.fire(Rule::Builtin);
        let number = match builtin {
            Builtin::GlobalId => self.own.global,
            Builtin::LocalId => self.own.local,
            Builtin::GroupId => self.shared.number,
            Builtin::Invocations => self.shared.invocations,
        };
        Val::Scalar(Sc::U32, number.into())
    }

    /// `D-UN`
    ///
    /// ```text
    /// M; E ⊢ a ⇓ v
    /// ──────────────────
    /// M; E ⊢ ⊖a ⇓ ⊖v
    /// ```
    #[inline(never)]
    fn d_un(&mut self, op: UnOp, a: &'p Exp) -> Eval<Val<'p>> {
        self.fire(Rule::Un);
        let Val::Scalar(sc, v) = self.exp(a)? else { unreachable!("validated: a scalar") };
        if sc.is_float() {
            self.shared.open_floats |= floats::unary(sc)(v, v);
        }
        let f = scalar::unary(op, sc).expect("validated: the operator exists");
        Ok(Val::Scalar(sc, f(v)))
    }

    /// `D-BIN`
    ///
    /// ```text
    /// M; E ⊢ a ⇓ v      M; E ⊢ b ⇓ w      v ⊕ w is defined                       (division)
    /// ─────────────────────────────────────────────────────
    /// M; E ⊢ a ⊕ b ⇓ v ⊕ w
    /// ```
    ///
    /// Of vectors, by components.
    #[inline]
    fn d_bin(&mut self, op: BinOp, [a, b]: &'p [Exp; 2]) -> Eval<Val<'p>> {
        self.fire(Rule::Bin);
        let (a, b) = (self.exp(a)?, self.exp(b)?);
        match (a, b) {
            (Val::Scalar(sc, v), Val::Scalar(_, w)) => {
                if let Some((sc, cell)) = scalar::common(op, sc, v, w) {
                    return Ok(Val::Scalar(sc, cell));
                }
                let cell = self.operator(op, sc, v, w)?;
                let sc = scalar::result(op, sc).expect("validated: the operator exists");
                Ok(Val::Scalar(sc, cell))
            }
            (Val::Many(v, ty @ Ty::Vector(sc, n)), Val::Many(w, _)) => {
                let result = self.reserve((*n).into());
                for i in 0..usize::from(*n) {
                    let cell = |at: u32| self.own.cells[at as usize + i];
                    let cell = self.operator(op, *sc, cell(v), cell(w))?;
                    self.own.cells[result as usize + i] = cell;
                }
                Ok(Val::Many(result, ty))
            }
            _ => unreachable!("validated: operands are scalars or vectors"),
        }
    }

    /// `v ⊕ w`
    #[inline(never)]
    fn operator(&mut self, op: BinOp, sc: Sc, v: Cell, w: Cell) -> Eval<Cell> {
        if sc.is_float() {
            self.shared.open_floats |= floats::binary(op, sc)(v, w);
        }
        if let Some(f) = scalar::binary(op, sc) {
            return Ok(f(v, w));
        }
        match scalar::divide(op, sc, v, w) {
            Some(cell) => Ok(cell),
            None => Err(self.stuck(Rule::Bin, Cause::DivisionByZero, vec![v as i64, 0])),
        }
    }

    /// `D-SELECT`
    ///
    /// ```text
    /// M; E ⊢ c ⇓ b      M; E ⊢ e₁ ⇓ v₁      M; E ⊢ e₀ ⇓ v₀
    /// ───────────────────────────────────────────────────
    /// M; E ⊢ select(c, e₁, e₀) ⇓ v_b
    /// ```
    #[inline(never)]
    fn d_select(&mut self, [c, a, b]: &'p [Exp; 3]) -> Eval<Val<'p>> {
        self.fire(Rule::Select);
        let (c, a, b) = (self.scalar(c)?, self.exp(a)?, self.exp(b)?);
        Ok(if c != 0 { a } else { b })
    }

    /// `D-CAST`
    ///
    /// ```text
    /// M; E ⊢ a ⇓ v      w = v as a T
    /// ──────────────────────────────
    /// M; E ⊢ T(a) ⇓ w
    /// ```
    #[inline(never)]
    fn d_cast(&mut self, to: Sc, a: &'p Exp) -> Eval<Val<'p>> {
        self.fire(Rule::Cast);
        let Val::Scalar(from, v) = self.exp(a)? else { unreachable!("validated: a scalar") };
        if let Some(open) = floats::cast(from, to) {
            self.shared.open_floats |= open(v, v);
        }
        Ok(Val::Scalar(to, scalar::cast(from, to)(v)))
    }

    /// `D-BITCAST`
    ///
    /// ```text
    /// M; E ⊢ a ⇓ v      w : T has the bits of v
    /// ─────────────────────────────────────────
    /// M; E ⊢ bitcast T(a) ⇓ w
    /// ```
    #[inline(never)]
    fn d_bitcast(&mut self, to: Sc, a: &'p Exp) -> Eval<Val<'p>> {
        self.fire(Rule::Bitcast);
        let Val::Scalar(from, v) = self.exp(a)? else { unreachable!("validated: a scalar") };
        if let Some(open) = floats::bitcast(from, to) {
            self.shared.open_floats |= open(v, v);
        }
        let f = scalar::bitcast(from, to).expect("validated: as wide");
        Ok(Val::Scalar(to, f(v)))
    }

    /// `D-MAKE`
    ///
    /// ```text
    /// M; E ⊢ eᵢ ⇓ vᵢ      for i = 1, …, n
    /// ──────────────────────────────────────────────
    /// M; E ⊢ make τ(e₁, …, eₙ) ⇓ (v₁, …, vₙ)
    /// ```
    #[inline(never)]
    fn d_make(&mut self, ty: &'p Ty, parts: &'p [Exp]) -> Eval<Val<'p>> {
        self.fire(Rule::Make);
        let value = self.reserve(self.shared.layout.cells(Typed::Other(ty)));
        let mut at = value;
        for part in parts {
            let part = self.exp(part)?;
            self.put(at, part)?;
            at += part.cells(self.shared.layout);
        }
        Ok(Val::Many(value, ty))
    }

    /// `D-AT`, of a value
    ///
    /// ```text
    /// M; E ⊢ a ⇓ (v₀, …, vₙ₋₁)      M; E ⊢ e ⇓ i      0 ≤ i < n                  (inside)
    /// ─────────────────────────────────────────────────────────
    /// M; E ⊢ a[e] ⇓ vᵢ
    /// ```
    #[inline(never)]
    fn d_at_of_value(&mut self, [a, index]: &'p [Exp; 2]) -> Eval<Val<'p>> {
        self.fire(Rule::At);
        let Val::Many(at, ty) = self.exp(a)? else { unreachable!("validated: it has elements") };
        let (before, part) = self.index(Typed::Other(ty), index)?;
        Ok(Val::at(&self.own.cells, at + before, part))
    }

    /// The premise of `D-AT` for the index `e`: the cells before the element, and its type.
    pub(super) fn index(&mut self, ty: Typed<'p>, e: &'p Exp) -> Eval<(u32, Typed<'p>)> {
        let i = self.scalar(e)?;
        let (n, part) = self.shared.layout.element(ty);
        if i >= n.into() {
            return Err(self.outside(Rule::At, i, n));
        }
        Ok((i as u32 * self.shared.layout.cells(part), part))
    }

    /// `D-FIELD`, of a value
    ///
    /// ```text
    /// M; E ⊢ a ⇓ (v₀, …, vₙ₋₁)
    /// ─────────────────────────────────
    /// M; E ⊢ a.fₖ ⇓ vₖ
    /// ```
    #[inline(never)]
    fn d_field_of_value(&mut self, a: &'p Exp, k: u32) -> Eval<Val<'p>> {
        self.fire(Rule::Field);
        let Val::Many(at, ty) = self.exp(a)? else { unreachable!("validated: it has fields") };
        let (before, field) = self.shared.layout.field(Typed::Other(ty), k);
        Ok(Val::at(&self.own.cells, at + before, field))
    }

    /// `D-LOAD`
    ///
    /// ```text
    /// M; E ⊢ place ⇓ r      M(r) = v
    /// ──────────────────────────────
    /// M; E ⊢ load place ⇓ v
    /// ```
    fn d_load(&mut self, place: &'p Place) -> Eval<Val<'p>> {
        self.fire(Rule::Load);
        self.load(place)
    }

    /// A scalar of the storage space.
    #[inline]
    fn load_word(&mut self, sc: Sc, at: u32) -> Cell {
        if let Some(written) = &self.shared.written
            && written.lacks(at, sc.words())
        {
            self.lacked(at);
        }
        self.shared.load(sc, at, self.times)
    }

    /// A word is read that nothing wrote.
    #[cold]
    fn lacked(&mut self, at: u32) {
        let mut thread = vec![self.own.global.wrapping_add(1) as i32];
        thread.extend(self.own.iterations());
        let span = self.shared.span;
        self.shared.lacked.get_or_insert(Lacked { span, thread, at });
    }

    /// The premises of `D-LOAD`.
    pub(super) fn load(&mut self, place: &'p Place) -> Eval<Val<'p>> {
        let times = self.times;
        match self.place(place)? {
            Ref::Element { element, base, length, index } => {
                let (at, sc) = (self.inside(element, (base, length), index)?, element.sc());
                Ok(Val::Scalar(sc, self.load_word(sc, at)))
            }
            Ref::At(Space::Storage, at, Typed::Scalar(sc)) => {
                Ok(Val::Scalar(sc, self.load_word(sc, at)))
            }
            Ref::At(Space::Storage, ..) => unreachable!("validated: blocks have scalars"),
            Ref::At(Space::Function | Space::Private, at, ty) => {
                // Nothing changes it before the value is used, so its own cells are the value's.
                if !place.is_fixed() {
                    self.pay_for(self.shared.layout.cells(ty))?;
                }
                Ok(Val::at(&self.own.cells, at, ty))
            }
            Ref::At(Space::Workgroup, at, Typed::Scalar(sc)) => {
                Ok(Val::Scalar(sc, self.shared.load_group(at, times)))
            }
            Ref::At(Space::Workgroup, at, ty) => self.load_from_group(at, ty),
        }
    }

    /// A value of the group's memory that is no scalar.
    #[inline(never)]
    fn load_from_group(&mut self, at: u32, ty: Typed<'p>) -> Eval<Val<'p>> {
        let n = self.shared.layout.cells(ty);
        self.pay_for(n)?;
        let value = self.reserve(n);
        for i in 0..n {
            let cell = self.shared.load_group(at + i, self.times);
            self.own.cells[(value + i) as usize] = cell;
        }
        Ok(Val::at(&self.own.cells, value, ty))
    }

    /// `D-REF`
    ///
    /// ```text
    /// M; E ⊢ place ⇓ r
    /// ───────────────────
    /// M; E ⊢ &place ⇓ r
    /// ```
    #[inline(never)]
    fn d_ref(&mut self, place: &'p Place) -> Eval<Val<'p>> {
        self.fire(Rule::Ref);
        let (space, at, ty) = match self.place(place)? {
            Ref::At(space, at, ty) => (space, at, ty),
            Ref::Element { element, base, length, index } => {
                let at = self.inside(element, (base, length), index)?;
                (Space::Storage, at, Typed::element(element))
            }
        };
        Ok(Val::Ptr(space, at, ty.pointed().expect("validated: pointers are not stored")))
    }

    /// `D-LENGTH`
    ///
    /// ```text
    /// M; E ⊢ e ⇓ a block with n elements
    /// ──────────────────────────────────
    /// M; E ⊢ length(e) ⇓ n
    /// ```
    #[inline(never)]
    fn d_length(&mut self, b: &'p Exp) -> Eval<Val<'p>> {
        self.fire(Rule::Length);
        let (_, _, length) = self.block(b)?;
        Ok(Val::Scalar(Sc::U32, length.into()))
    }

    /// `D-BASE`
    ///
    /// ```text
    /// M; E ⊢ e ⇓ a block from word w on
    /// ─────────────────────────────────
    /// M; E ⊢ base(e) ⇓ w
    /// ```
    #[inline(never)]
    fn d_base(&mut self, b: &'p Exp) -> Eval<Val<'p>> {
        self.fire(Rule::Base);
        let (_, base, _) = self.block(b)?;
        Ok(Val::Scalar(Sc::U32, base.into()))
    }

    /// `D-BLOCK`
    ///
    /// ```text
    /// M; E ⊢ e ⇓ w      M; E ⊢ e' ⇓ n
    /// ──────────────────────────────────────────────────────────────────
    /// M; E ⊢ block(T, e, e') ⇓ the block of n elements from word w on
    /// ```
    #[inline(never)]
    fn d_block(&mut self, element: Element, [base, length]: &'p [Exp; 2]) -> Eval<Val<'p>> {
        self.fire(Rule::Block);
        let (base, length) = (self.scalar(base)?, self.scalar(length)?);
        self.shared.made_up |= length > 0;
        Ok(Val::Block(element, base as u32, length as u32))
    }

    /// A block: its elements, base and length.
    pub(super) fn block(&mut self, exp: &'p Exp) -> Eval<(Element, u32, u32)> {
        match self.exp(exp)? {
            Val::Block(element, base, length) => Ok((element, base, length)),
            _ => unreachable!("validated: a block"),
        }
    }
}
