//! The rules of functions and of region abstractions (figs. 2 and 14).

use super::refusals::{self, Use};
use super::ty::{Called, Mu, Phi, Ty};
use super::{Bound, Check, Checked};
use crate::kit::faults::{Fault, WrongLambdaG};
use crate::kit::names::Var;
use crate::kit::text::Span;
use crate::lambda_g::rules::Rule;
use crate::lambda_g::syntax::{Effect, Exp, Kind, Lambda, Over, Region, RegionLambda, Type, World};

impl<'p> Check<'p, '_> {
    /// `T-FN`
    ///
    /// ```text
    /// Ω; Δ ⊢type τ₁    Ω; Δ ⊢eff φ'    host ∉ φ' in world G                           (host)
    /// Ω; Δ; Γ, x : τ₁ ⊢ω e : τ₂, φ'    Ω ⊢place ρ    Ω; Δ ⊢er φ ∋ ρ                 (effect)
    /// ─────────────────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω fn (x : τ₁) ! φ' => e at ρ : (τ₁ -> φ' τ₂, ρ), φ
    /// ```
    pub(super) fn t_fn(&mut self, e: &Exp, lambda: &'p Lambda) -> Checked<Ty> {
        self.enter(Rule::TFn, e);
        let from = self.ty(&lambda.ty)?;
        let latent = self.latent(Rule::TFn, &lambda.latent)?;
        self.bind(lambda.param, from.clone());
        let to = self.body(&lambda.body, &latent, lambda.latent.span)?;
        let region = self.writes(Rule::TFn, lambda.at)?;
        let forgotten = self.planted.is(Fault::LambdaG(WrongLambdaG::LatentForgotten));
        let latent = if forgotten { Phi::default() } else { latent };
        let ty = Ty::boxed(Mu::Fn(from, latent, to), region);
        self.leave(&ty);
        Ok(ty)
    }

    /// A latent effect that is written: in world G without `host` (L55).
    fn latent(&mut self, rule: Rule, effect: &Effect) -> Checked<Phi> {
        let latent = self.effect(effect)?;
        if latent.host && self.world == World::G {
            let refused = refusals::host_latent(self, effect);
            return self.fail(rule, "host", refused);
        }
        Ok(latent)
    }

    /// The body of a function, which does what is written behind `!`.
    fn body(&mut self, body: &'p Exp, latent: &Phi, span: Span) -> Checked<Ty> {
        let inner = Bound { phi: latent.clone(), span: Some(span) };
        let outer = std::mem::replace(&mut self.bound, inner);
        let ty = self.exp(body)?;
        self.bound = outer;
        Ok(ty)
    }

    /// `T-RFN` (L46)
    ///
    /// ```text
    /// Ω; Δ ⊢eff φ''    host ∉ φ''    host ∉ φ' in world G                       (bound, host)
    /// ρ', Ω; Δ, ρ' >= φ''; Γ ⊢ω e : τ, φ'    Ω ⊢place ρ    Ω; Δ ⊢er φ ∋ ρ           (effect)
    /// ──────────────────────────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω rfn ρ' >= φ'' ! φ' => e at ρ : (Pi ρ' >= φ'' ! φ' . τ, ρ), φ
    /// ```
    pub(super) fn t_rfn(&mut self, e: &Exp, lambda: &'p RegionLambda) -> Checked<Ty> {
        self.enter(Rule::TRfn, e);
        let bound = self.effect(&lambda.bound)?;
        if bound.host {
            let refused = refusals::host_in_bound(&lambda.bound);
            return self.fail(Rule::TRfn, "bound", refused);
        }
        let binder = lambda.region;
        self.placed(binder.var, binder.world, binder.span)?;
        self.bind_region(binder, bound.clone());
        let latent = self.latent(Rule::TRfn, &lambda.latent)?;
        let of = self.body(&lambda.body, &latent, lambda.latent.span)?;
        self.unbind_region();
        let region = self.writes(Rule::TRfn, lambda.at)?;
        let var = binder.var;
        let mu = Mu::Pi(Called(var), bound, latent.closed(var), of.closed(var));
        let ty = Ty::boxed(mu, region);
        self.leave(&ty);
        Ok(ty)
    }

    /// A function that is applied: its parameter's type and its result's. Premises `function`, `effect` and `latent`
    /// of a rule.
    fn function(&mut self, rule: Rule, f: &'p Exp) -> Checked<(Ty, Ty)> {
        let ty = self.exp(f)?;
        match &ty {
            Ty::Boxed(node, region) if let Mu::Fn(from, latent, to) = &node.mu => {
                self.may(rule, *region, Use::Read, f.span)?;
                self.does(rule, latent, (&ty, f.span))?;
                Ok((from.clone(), to.clone()))
            }
            _ => {
                let refused = refusals::no(self, "a function", &ty, f.span);
                self.fail(rule, "function", refused)
            }
        }
    }

    /// The premise `latent` of a rule: `Ω; Δ ⊢ee φ ⊇ φ'`.
    fn does(&mut self, rule: Rule, latent: &Phi, of: (&Ty, Span)) -> Checked {
        self.uses_all(latent);
        match self.includes(latent) {
            Ok(()) => Ok(()),
            Err(outside) => {
                let refused = refusals::latent(self, outside, of);
                self.fail(rule, "latent", refused)
            }
        }
    }

    /// An argument of the type that is taken.
    fn argument(&mut self, rule: Rule, found: (&Ty, Span), wanted: (&Ty, Span)) -> Checked {
        if found.0 == wanted.0 {
            return Ok(());
        }
        let refused = refusals::argument(self, found, wanted);
        self.fail(rule, "argument", refused)
    }

    /// `T-APP` (L44)
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω e₁ : (τ₁ -> φ' τ₂, ρ), φ    Ω; Δ ⊢er φ ∋ ρ               (function, effect)
    /// Ω; Δ; Γ ⊢ω e₂ : τ₁, φ    Ω; Δ ⊢ee φ ⊇ φ'                            (argument, latent)
    /// ──────────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω e₁ e₂ : τ₂, φ
    /// ```
    pub(super) fn t_app(&mut self, e: &Exp, parts: &'p [Exp; 2]) -> Checked<Ty> {
        self.enter(Rule::TApp, e);
        let [f, argument] = parts;
        let (from, to) = self.function(Rule::TApp, f)?;
        let found = self.exp(argument)?;
        self.argument(Rule::TApp, (&found, argument.span), (&from, f.span))?;
        self.leave(&to);
        Ok(to)
    }

    /// `T-INST`
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω e : (Pi ρ >= φ'' ! φ' . τ, ρ₁), φ    Ω; Δ ⊢er φ ∋ ρ₁   (abstraction, effect)
    /// Ω ⊢place ρ₂    Ω; Δ ⊢re ρ₂ >= φ''    Ω; Δ ⊢ee φ ⊇ φ'[ρ₂/ρ]              (bound, latent)
    /// ───────────────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω e [ρ₂] : τ[ρ₂/ρ], φ
    /// ```
    pub(super) fn t_inst(&mut self, e: &Exp, of: &'p Exp, region: Region) -> Checked<Ty> {
        let rule = Rule::TInst;
        self.enter(rule, e);
        let abstraction = self.exp(of)?;
        let opened = match &abstraction {
            Ty::Boxed(node, at) if let Mu::Pi(_, bound, latent, inner) = &node.mu => {
                self.may(rule, *at, Use::Read, of.span)?;
                let with = self.place(region)?;
                if let Err(other) = self.all_outlive(with, bound) {
                    let refused = refusals::bound(self, region, other, (&abstraction, of.span));
                    return self.fail(rule, "bound", refused);
                }
                self.does(rule, &latent.opened(with), (&abstraction, of.span))?;
                inner.opened(with)
            }
            _ => {
                let wanted = "a region abstraction";
                let refused = refusals::no(self, wanted, &abstraction, of.span);
                return self.fail(rule, "abstraction", refused);
            }
        };
        self.leave(&opened);
        Ok(opened)
    }

    /// `T-FIX` (L13, L59)
    ///
    /// ```text
    /// Ω; Δ ⊢type τ    u is an fn or rfn    Ω; Δ; Γ, f : τ ⊢ω u : τ, φ         (function, type)
    /// ──────────────────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω fix f : τ . u : τ, φ
    /// ```
    pub(super) fn t_fix(
        &mut self,
        e: &Exp,
        var: Var,
        written: &'p Type,
        body: &'p Exp,
    ) -> Checked<Ty> {
        let rule = Rule::TFix;
        self.enter(rule, e);
        let ty = self.ty(written)?;
        if !matches!(body.kind, Kind::Fn(_) | Kind::RegionFn(_)) {
            let refused = refusals::fix_of(body.span);
            return self.fail(rule, "function", refused);
        }
        self.bind(var, ty.clone());
        let found = self.exp(body)?;
        if found != ty {
            let refused = refusals::differs(self, (&found, body.span), (&ty, written.span()));
            return self.fail(rule, "type", refused);
        }
        self.leave(&ty);
        Ok(ty)
    }

    /// `T-PARMAP`, over fig. 6's literal or over a vector (L51)
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω e : (τ₁ -> φ' τ₂, ρ'), φ    Ω; Δ ⊢er φ ∋ ρ'              (function, effect)
    /// Ω; Δ ⊢ee φ ⊇ φ'                                                               (latent)
    /// Ω; Δ; Γ ⊢ω eᵢ : τ₁, φ                                                       (argument)
    ///   or Ω; Δ; Γ ⊢ω e' : (Vec τ₁, ρ''), φ    Ω; Δ ⊢er φ ∋ ρ''   (vector, effect, argument)
    /// Ω ⊢place ρ    Ω; Δ ⊢er φ ∋ ρ                                                  (effect)
    /// ─────────────────────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω parmap e [e₁, …, eₙ] at ρ : (Vec τ₂, ρ), φ
    /// ```
    pub(super) fn t_parmap(
        &mut self,
        e: &Exp,
        f: &'p Exp,
        over: &'p Over,
        at: Region,
    ) -> Checked<Ty> {
        let rule = Rule::TParmap;
        self.enter(rule, e);
        let (from, to) = self.function(rule, f)?;
        match over {
            Over::Elements(elements) => {
                for element in elements {
                    let found = self.exp(element)?;
                    self.argument(rule, (&found, element.span), (&from, f.span))?;
                }
            }
            Over::Vector(vector) => {
                let found = self.elements(rule, vector)?;
                if found != from {
                    let refused = refusals::mapped(self, (&found, vector.span), (&from, f.span));
                    return self.fail(rule, "argument", refused);
                }
            }
        }
        let ty = Ty::boxed(Mu::Vec(to), self.writes(rule, at)?);
        self.leave(&ty);
        Ok(ty)
    }
}
