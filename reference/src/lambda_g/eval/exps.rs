//! The serial rules (fig. 5) but those of functions, and the extensions of L51.
//!
//! In the doc blocks `E; e ⇓ ℓ; c` stands for `E; σ; T; ω; e ⇓ ℓ; σ'; T'; c`, with `σ` and `T` threaded from left to right.

use super::Run;
use crate::kit::cause::Cause;
use crate::kit::names::Var;
use crate::kit::outcome::Why;
use crate::kit::run::{Eval, Evaluator};
use crate::kit::scalar::BinOp;
use crate::lambda_g::rules::Rule;
use crate::lambda_g::syntax::{Comparison, Exp, Kind, Op};
use crate::lambda_g::values::{Bound, Env, Stored, Val};
use std::rc::Rc;

/// An expression that a rule was not made for.
pub(super) fn misplaced<T>() -> T {
    unreachable!("a rule is applied to its form")
}

impl<'p> Run<'p, '_> {
    /// `E-INT`
    ///
    /// ```text
    /// R; σ; i ↓δ o @ R'; σ'    R = T(ω)(E(ρ))
    /// ───────────────────────────────────────
    /// E; i at ρ ⇓ (E(ρ), o); [u₁] ⊕_δ [u₂]
    /// ```
    pub(super) fn e_int(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::Int(k, at) = e.kind else { return misplaced() };
        let mark = self.cost.mark();
        self.write(mark, e, self.region(env, at), Stored::Int(k))
    }

    /// `E-TRUE`, `E-FALSE`: a bool is a value (L10)
    ///
    /// ```text
    /// ──────────────────────
    /// E; true ⇓ true; [u]
    /// ```
    pub(super) fn e_bool(&mut self, e: &'p Exp, _: &Env) -> Eval<Val> {
        let Kind::Bool(value) = e.kind else { return misplaced() };
        self.cost.vertex();
        Ok(Val::Bool(value))
    }

    /// `E-VAR`: the empty graph (L7)
    ///
    /// ```text
    /// x ∈ dom(E)
    /// ─────────────────
    /// E; x ⇓ E(x); ∅
    /// ```
    pub(super) fn e_var(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::Var(var) = e.kind else { return misplaced() };
        match self.bound(env, var) {
            Bound::Val(val) => Ok(val),
            Bound::Region(_) => unreachable!("T-VAR: it is a variable"),
        }
    }

    /// `E-IF` (L10): the branch that is taken.
    ///
    /// ```text
    /// E; e₁ ⇓ true; c₁    E; e₂ ⇓ ℓ; c₂
    /// ──────────────────────────────────────────
    /// E; if e₁ then e₂ else e₃ ⇓ ℓ; c₁ ⊕ c₂
    /// ```
    pub(super) fn e_if(&mut self, e: &'p Exp, parts: &'p [Exp; 3], env: &Env) -> Eval<&'p Exp> {
        self.enter(Rule::EIf, e);
        let mark = self.cost.mark();
        let Val::Bool(cond) = self.eval(&parts[0], env)? else {
            unreachable!("T-IF: the condition is a bool")
        };
        self.cost.then(mark);
        Ok(if cond { &parts[1] } else { &parts[2] })
    }

    /// `E-LET` (L51): the environment of the body.
    ///
    /// ```text
    /// E; e₁ ⇓ ℓ₁; c₁    E[x ↦ ℓ₁]; e₂ ⇓ ℓ; c₂
    /// ───────────────────────────────────────────
    /// E; let x = e₁ in e₂ ⇓ ℓ; c₁ fused with c₂
    /// ```
    pub(super) fn e_let(&mut self, e: &'p Exp, var: Var, bound: &'p Exp, env: &Env) -> Eval<Env> {
        self.enter(Rule::ELet, e);
        let mark = self.cost.mark();
        let val = self.eval(bound, env)?;
        self.cost.fuse(mark);
        Ok(env.with(var, Bound::Val(val)))
    }

    /// `E-MULT`, and `E-ARITH` for the other operators (L9)
    ///
    /// ```text
    /// E; e₁ ⇓ ℓ₁; c₁    E; e₂ ⇓ ℓ₂; c₂    the ints at ℓ₁ and ℓ₂ are i₁ and i₂        (division)
    /// R; σ; i₁ * i₂ ↓δ o @ R'; σ'    R = T(ω)(E(ρ))
    /// ─────────────────────────────────────────────────
    /// E; e₁ * e₂ at ρ ⇓ (E(ρ), o); c₁ ⊕ c₂ ⊕_δ [u]
    /// ```
    pub(super) fn e_binary(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::Binary(op, parts, at) = &e.kind else { return misplaced() };
        let mark = self.cost.mark();
        let (a, of_a) = self.operand(&parts[0], env)?;
        self.cost.then(mark);
        let (b, of_b) = self.operand(&parts[1], env)?;
        self.operands(mark, e, &[of_a, of_b]);
        let op = match op {
            Op::Add => BinOp::Add,
            Op::Sub => BinOp::Sub,
            Op::Mul => BinOp::Mul,
            Op::Div => BinOp::Div,
            Op::Mod => BinOp::Rem,
            Op::Min => BinOp::Min,
            Op::Max => BinOp::Max,
        };
        let Some(k) = op.checked(a, b) else {
            let operands = [a, b].map(i64::from);
            return self.stuck(Rule::EArith, e.span, Cause::DivisionByZero, &operands);
        };
        self.write(mark, e, self.region(env, *at), Stored::Int(k))
    }

    /// `E-LESS`, and `E-COMPARE` for the other comparisons (L9)
    ///
    /// ```text
    /// E; e₁ ⇓ ℓ₁; c₁    E; e₂ ⇓ ℓ₂; c₂    the ints at ℓ₁ and ℓ₂ are i₁ and i₂
    /// ────────────────────────────────────────────────────────
    /// E; e₁ < e₂ ⇓ i₁ < i₂; c₁ ⊕ c₂ ⊕ [u]
    /// ```
    pub(super) fn e_compare(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::Compare(op, parts) = &e.kind else { return misplaced() };
        let mark = self.cost.mark();
        let (a, of_a) = self.operand(&parts[0], env)?;
        self.cost.then(mark);
        let (b, of_b) = self.operand(&parts[1], env)?;
        self.operands(mark, e, &[of_a, of_b]);
        self.cost.then(mark);
        self.cost.vertex();
        Ok(Val::Bool(match op {
            Comparison::Lt => a < b,
            Comparison::Le => a <= b,
            Comparison::Eq => a == b,
            Comparison::Ne => a != b,
        }))
    }

    /// `E-PAIR` (L12)
    ///
    /// ```text
    /// E; e₁ ⇓ ℓ₁; c₁    E; e₂ ⇓ ℓ₂; c₂    R; σ; (ℓ₁, ℓ₂) ↓δ o @ R'; σ'    R = T(ω)(E(ρ))
    /// ─────────────────────────────────────────────────────────────────
    /// E; (e₁, e₂) at ρ ⇓ (E(ρ), o); c₁ ⊕ c₂ ⊕_δ [u]
    /// ```
    pub(super) fn e_pair(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::Pair(parts, at) = &e.kind else { return misplaced() };
        let mark = self.cost.mark();
        let first = self.eval(&parts[0], env)?;
        self.cost.then(mark);
        let second = self.eval(&parts[1], env)?;
        self.write(mark, e, self.region(env, *at), Stored::Pair(first, second))
    }

    /// `E-FST`, `E-SND`
    ///
    /// ```text
    /// E; e ⇓ ℓ; c    T(ω); σ; ℓ ↑δ (ℓ₁, ℓ₂); σ'
    /// ─────────────────────────────────────────
    /// E; fst e ⇓ ℓ₁; c ⊕_δ [u]
    /// ```
    pub(super) fn e_part(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let (of, second) = match &e.kind {
            Kind::Fst(of) => (of, false),
            Kind::Snd(of) => (of, true),
            _ => return misplaced(),
        };
        let mark = self.cost.mark();
        let val = self.eval(of, env)?;
        let Stored::Pair(a, b) = self.accessed(mark, e, val)? else {
            unreachable!("T-FST, T-SND: it is a pair")
        };
        self.cost.vertex();
        Ok(if second { b } else { a })
    }

    /// `E-VECTOR` (L12)
    ///
    /// ```text
    /// E; eᵢ ⇓ ℓᵢ; cᵢ    R; σ; [ℓ₁, …, ℓₙ] ↓δ o @ R'; σ'    R = T(ω)(E(ρ))
    /// ──────────────────────────────────────────────────────────
    /// E; [e₁, …, eₙ] at ρ ⇓ (E(ρ), o); (⨁ᵢ cᵢ) ⊕_δ [u]
    /// ```
    pub(super) fn e_vector(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::Vector(elements, at) = &e.kind else { return misplaced() };
        let mark = self.cost.mark();
        let mut vals = Vec::with_capacity(elements.len());
        for element in elements {
            self.cost.then(mark);
            vals.push(self.eval(element, env)?);
        }
        self.write(mark, e, self.region(env, *at), Stored::Vector(vals.into()))
    }

    /// The elements of a vector that is read, `c ⊕_δ …` where `c` was written since.
    pub(super) fn elements(
        &mut self,
        mark: crate::lambda_g::graph::Mark,
        e: &Exp,
        val: Val,
    ) -> Eval<Rc<[Val]>> {
        match self.accessed(mark, e, val)? {
            Stored::Vector(elements) => Ok(elements),
            _ => unreachable!("typing: it is a vector"),
        }
    }

    /// `E-INDEX` (L51, L52)
    ///
    /// ```text
    /// E; e₁ ⇓ ℓ₁; c₁    E; e₂ ⇓ ℓ₂; c₂    the int at ℓ₂ is i
    /// T(ω); σ; ℓ₁ ↑δ [ℓ'₀, …, ℓ'ₙ₋₁]; σ'    0 <= i < n                            (inside)
    /// ──────────────────────────────────────────────────
    /// E; e₁ ! e₂ ⇓ ℓ'ᵢ; c₁ ⊕ c₂ ⊕_δ [u]
    /// ```
    pub(super) fn e_index(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::Index(parts) = &e.kind else { return misplaced() };
        let mark = self.cost.mark();
        let vector = self.eval(&parts[0], env)?;
        self.cost.then(mark);
        let (index, of_index) = self.operand(&parts[1], env)?;
        self.operands(mark, &parts[1], &[of_index]);
        let elements = self.elements(mark, &parts[0], vector)?;
        let operands = [i64::from(index), elements.len() as i64];
        self.require(Rule::EIndex, e.span, Cause::OutsideBlock, operands)?;
        self.cost.vertex();
        Ok(elements[index as usize])
    }

    /// `E-LENGTH` (L51, L52)
    ///
    /// ```text
    /// E; e ⇓ ℓ; c    T(ω); σ; ℓ ↑δ [ℓ₀, …, ℓₙ₋₁]; σ'    R; σ'; n ↓δ' o @ R'; σ''    R = T(ω)(E(ρ))
    /// ─────────────────────────────────────────────────────────────────────────
    /// E; length e at ρ ⇓ (E(ρ), o); c ⊕_δ [u] ⊕_δ' [u']
    /// ```
    pub(super) fn e_length(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::Length(of, at) = &e.kind else { return misplaced() };
        let mark = self.cost.mark();
        let vector = self.eval(of, env)?;
        let length = self.elements(mark, of, vector)?.len();
        let length = i32::try_from(length).map_err(|_| Why::Memory(u64::MAX))?;
        self.write(mark, e, self.region(env, *at), Stored::Int(length))
    }

    /// `E-IOTA` (L51, L52, L65)
    ///
    /// ```text
    /// E; e ⇓ ℓ; c    the int at ℓ is i    n = max(0, i)
    /// Rₖ; σ; k ↓δₖ oₖ @ Rₖ₊₁; σ'  for k = 0, …, n - 1    r = E(ρ), R₀ = T(ω)(r)
    /// Rₙ; σ; [(r, o₀), …, (r, oₙ₋₁)] ↓δ o @ R'; σ'
    /// ───────────────────────────────────────────────────────────
    /// E; iota e at ρ ⇓ (r, o); c ⊕_δ₀ [u₀] ⊕_δ₁ … ⊕_δ [u]
    /// ```
    pub(super) fn e_iota(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::Iota(of, at) = &e.kind else { return misplaced() };
        let mark = self.cost.mark();
        let (count, of_count) = self.operand(of, env)?;
        self.operands(mark, of, &[of_count]);
        let count = count.max(0);
        let paid = self.charge(count as u64);
        paid.map_err(|stop| self.state.meter.stops(e.span, stop))?;
        let at = self.region(env, *at);
        let mut elements = Vec::new();
        for k in 0..count {
            elements.push(self.write(mark, e, at, Stored::Int(k))?);
        }
        self.write(mark, e, at, Stored::Vector(elements.into()))
    }
}
