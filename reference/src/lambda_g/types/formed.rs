//! Well-formed types (fig. 16): from the types of the syntax to those of judgements.

use super::ty::{Called, Mu, Phi, Rho, Ty};
use super::{Check, Checked, refusals};
use crate::lambda_g::rules::Rule;
use crate::lambda_g::syntax::{Boxed, Effect, Item, Type};

impl Check<'_, '_> {
    /// `Ω; Δ ⊢type τ`
    ///
    /// ```text
    /// Ω ⊢rctxt Δ                   Ω; Δ ⊢btype μ    Ω ⊢place ρ
    /// ───────────────── TY-BOOL    ──────────────────────────── TY-BOXED
    /// Ω; Δ ⊢type bool              Ω; Δ ⊢type (μ, ρ)
    /// ```
    pub(super) fn ty(&mut self, ty: &Type) -> Checked<Ty> {
        let Type::Boxed { of, region, .. } = ty else {
            self.to.enter(Rule::TyBool, || "bool".to_owned());
            self.to.leave(String::new);
            return Ok(Ty::Bool);
        };
        self.to.enter(Rule::TyBoxed, String::new);
        let mu = self.boxed(of)?;
        let region = self.place(*region)?;
        let ty = Ty::boxed(mu, Rho::Free(region));
        let names = self.names;
        self.to.leave(|| super::shortened(ty.text(names)));
        Ok(ty)
    }

    /// `Ω; Δ ⊢btype μ`, by the rule of its form: `BT-INT`, `BT-FN`, `BT-PAIR`, `BT-VEC` and `BT-PI`. Its parts are well
    /// formed.
    ///
    /// ```text
    /// Ω; Δ ⊢eff φ'    host ∉ φ'    ρ, Ω; Δ, ρ >= φ' ⊢eff φ    ρ, Ω; Δ, ρ >= φ' ⊢type τ       (bound)
    /// ──────────────────────────────────────────────────────────────────────────────── BT-PI
    /// Ω; Δ ⊢btype Pi ρ >= φ' ! φ . τ
    /// ```
    fn boxed(&mut self, boxed: &Boxed) -> Checked<Mu> {
        let rule = match boxed {
            Boxed::Int => Rule::BtInt,
            Boxed::Vec(_) => Rule::BtVec,
            Boxed::Pair(..) => Rule::BtPair,
            Boxed::Fn(..) => Rule::BtFn,
            Boxed::Pi(..) => Rule::BtPi,
        };
        self.to.enter(rule, String::new);
        let mu = match boxed {
            Boxed::Int => Mu::Int,
            Boxed::Vec(of) => Mu::Vec(self.ty(of)?),
            Boxed::Pair(a, b) => Mu::Pair(self.ty(a)?, self.ty(b)?),
            Boxed::Fn(from, latent, to) => {
                Mu::Fn(self.ty(from)?, self.effect(latent)?, self.ty(to)?)
            }
            Boxed::Pi(binder, bound, latent, of) => {
                let phi = self.effect(bound)?;
                if phi.host {
                    let refused = refusals::host_in_bound(bound);
                    return self.fail(Rule::BtPi, "bound", refused);
                }
                self.placed(binder.var, binder.world, binder.span)?;
                self.bind_region(*binder, phi.clone());
                let (latent, of) = (self.effect(latent)?, self.ty(of)?);
                self.unbind_region();
                let var = binder.var;
                Mu::Pi(Called(var), phi, latent.closed(var), of.closed(var))
            }
        };
        self.to.leave(String::new);
        Ok(mu)
    }

    /// `Ω; Δ ⊢eff φ`
    ///
    /// ```text
    /// Ω ⊢rctxt Δ    Ω ⊢place ρᵢ  for all i
    /// ───────────────────────────────────── EFF
    /// Ω; Δ ⊢eff {ρ₁, …, ρₙ}
    /// ```
    pub(super) fn effect(&mut self, effect: &Effect) -> Checked<Phi> {
        self.to.enter(Rule::Eff, String::new);
        let (mut regions, mut host) = (Vec::new(), false);
        for item in &effect.items {
            match item {
                Item::Region(region) => regions.push(Rho::Free(self.place(*region)?)),
                Item::Host { .. } => host = true,
            }
        }
        let phi = Phi::new(regions, host);
        let names = self.names;
        self.to.leave(|| phi.text(names));
        Ok(phi)
    }
}
