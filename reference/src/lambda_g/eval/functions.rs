//! The rules of functions and of region abstractions (fig. 5).

use super::Run;
use super::exps::misplaced;
use crate::kit::faults::WrongLambdaG;
use crate::kit::names::Var;
use crate::kit::run::{Eval, Evaluator};
use crate::lambda_g::rules::Rule;
use crate::lambda_g::syntax::{Exp, Item, Kind, Region};
use crate::lambda_g::values::{Bound, Code, Env, Location, Name, Stored, Val, broke};

impl<'p> Run<'p, '_> {
    /// `E-FN`, and `E-RFN` for `rfn` (L60)
    ///
    /// ```text
    /// R; σ; clos(x, e, E) ↓δ o @ R'; σ'    R = T(ω)(E(ρ))
    /// ───────────────────────────────────────────────────────
    /// E; fn (x : τ) ! φ => e at ρ ⇓ (E(ρ), o); [u₁] ⊕_δ [u₂]
    /// ```
    pub(super) fn e_closure(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let (code, at) = code(e);
        let mark = self.cost.mark();
        let region = self.region(env, at);
        self.write(mark, e, region, Stored::Closure(code, env.clone()))
    }

    /// `E-FIX` (L13): the closure knows the place where it lies itself.
    ///
    /// ```text
    /// u = fn (x : τ) ! φ => e at ρ    R = T(ω)(E(ρ))    ℓ = (E(ρ), ap)
    /// R; σ; clos(x, e, E[f ↦ ℓ]) ↓δ ap @ R'; σ'
    /// ────────────────────────────────────────────
    /// E; fix f : τ . u ⇓ ℓ; [u₁] ⊕_δ [u₂]
    /// ```
    pub(super) fn e_fix(&mut self, e: &'p Exp, env: &Env) -> Eval<Val> {
        let Kind::Fix(var, _, body) = &e.kind else { return misplaced() };
        let (code, at) = code(body);
        let mark = self.cost.mark();
        let region = self.region(env, at);
        let offset = self.table.of(self.world).get(region).map_or(0, |region| region.ap);
        let own = Val::At(Location { region, offset });
        let env = match self.carries(WrongLambdaG::FixForgetsItself) {
            true => env.clone(),
            false => env.with(*var, Bound::Val(own)),
        };
        self.write(mark, body, region, Stored::Closure(code, env))
    }

    /// A function that is read: `c ⊕_δ …`, where `c` is its graph.
    pub(super) fn function(&mut self, f: &'p Exp, env: &Env) -> Eval<(Var, &'p Exp, Env)> {
        let mark = self.cost.mark();
        let val = self.eval(f, env)?;
        match self.accessed(mark, f, val)? {
            Stored::Closure(Code::Fn(lambda), env) => Ok((lambda.param, &lambda.body, env)),
            _ => unreachable!("T-APP, T-PARMAP: it is a function"),
        }
    }

    /// `E-APP` (L11, L66): the body and its environment.
    ///
    /// ```text
    /// E; e₁ ⇓ ℓ₁; c₁    T(ω); σ; ℓ₁ ↑δ clos(x, e, E'); σ'
    /// E; e₂ ⇓ ℓ₂; c₂    E'[x ↦ ℓ₂]; e ⇓ ℓ; c₃
    /// ─────────────────────────────────────────────────────
    /// E; e₁ e₂ ⇓ ℓ; c₁ ⊕_δ c₂ fused with c₃
    /// ```
    pub(super) fn e_app(
        &mut self,
        e: &'p Exp,
        parts: &'p [Exp; 2],
        env: &Env,
    ) -> Eval<(&'p Exp, Env)> {
        self.enter(Rule::EApp, e);
        let mark = self.cost.mark();
        let (param, body, inner) = self.function(&parts[0], env)?;
        let argument = self.eval(&parts[1], env)?;
        self.cost.fuse(mark);
        let inner = if self.carries(WrongLambdaG::DynamicScope) { env.clone() } else { inner };
        Ok((body, inner.with(param, Bound::Val(argument))))
    }

    /// `E-INST` (L60, L66): the body and its environment.
    ///
    /// ```text
    /// E; e ⇓ ℓ₁; c₁    T(ω); σ; ℓ₁ ↑δ clos(ρ', e', E'); σ'    E'[ρ' ↦ E(ρ)]; e' ⇓ ℓ; c₂
    /// ───────────────────────────────────────────────────────────────────────
    /// E; e [ρ] ⇓ ℓ; c₁ ⊕_δ c₂
    /// ```
    pub(super) fn e_inst(
        &mut self,
        e: &'p Exp,
        of: &'p Exp,
        region: Region,
        env: &Env,
    ) -> Eval<(&'p Exp, Env)> {
        self.enter(Rule::EInst, e);
        let mark = self.cost.mark();
        let val = self.eval(of, env)?;
        let Stored::Closure(Code::Region(lambda), inner) = self.accessed(mark, of, val)? else {
            unreachable!("T-INST: it is a region abstraction")
        };
        let with: Name = self.region(env, region);
        // Theorem 4.2, as far as it holds (L58): what outlives a region by its bound is older, or is the same.
        let is_older = |item: &Item| match item {
            Item::Region(older) => self.region(&inner, *older) <= with,
            Item::Host { .. } => false,
        };
        if !lambda.bound.items.iter().all(is_older) {
            return broke("a region outlives an older one by the bound of an instance");
        }
        Ok((&lambda.body, inner.with(lambda.region.var, Bound::Region(with))))
    }
}

/// The code of a function or a region abstraction, and where its closure goes.
fn code(e: &Exp) -> (Code<'_>, Region) {
    match &e.kind {
        Kind::Fn(lambda) => (Code::Fn(lambda), lambda.at),
        Kind::RegionFn(lambda) => (Code::Region(lambda), lambda.at),
        _ => unreachable!("T-FIX: it is a function"),
    }
}
