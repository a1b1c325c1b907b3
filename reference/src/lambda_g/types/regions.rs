//! The judgements about regions and effects (fig. 15), and contexts (fig. 17).

use super::ty::{Phi, Rho, Ty};
use super::{Check, Checked, Entry, refusals};
use crate::kit::faults::{Fault, WrongLambdaG};
use crate::kit::names::Var;
use crate::kit::text::Span;
use crate::lambda_g::rules::Rule;
use crate::lambda_g::syntax::{Binder, R0, Region, World};

impl Check<'_, '_> {
    /// A node without premises of its own.
    fn leaf(&mut self, rule: Rule, subject: impl FnOnce() -> String) {
        self.to.enter(rule, subject);
        self.to.leave(String::new);
    }

    /// The contexts of a program before its parameters.
    ///
    /// ```text
    /// ────────── REG-BASE    ──────────── RC-EMPTY    ─────────────── VC-EMPTY
    /// ⊢reg {r0}              Ω ⊢rctxt ·               Ω; Δ ⊢vctxt ·
    /// ```
    pub(super) fn begin(&mut self) {
        self.omega.push((R0, None));
        self.leaf(Rule::RegBase, || "r0".to_owned());
        self.leaf(Rule::RcEmpty, String::new);
        self.leaf(Rule::VcEmpty, String::new);
        self.formed();
    }

    /// `CTXT`, which holds since each context was extended by what is well formed.
    ///
    /// ```text
    /// ⊢reg Ω    Ω ⊢rctxt Δ    Ω; Δ ⊢vctxt Γ    Ω; Δ ⊢eff φ
    /// ─────────────────────────────────────────────────────
    /// ⊢ctxt Ω; Δ; Γ; φ
    /// ```
    fn formed(&mut self) {
        self.leaf(Rule::Ctxt, String::new);
    }

    /// `REG-CONS` and `RC-CONS`: a region comes into scope. That it is fresh is known since the program was read.
    ///
    /// ```text
    /// ⊢reg Ω    ρ ∉ Ω  (fresh)               Ω ⊢rctxt Δ    Ω ⊢place ρ    ρ ∉ dom(Δ)    Ω; Δ ⊢eff φ
    /// ──────────────────────── REG-CONS      ───────────────────────────────────────────────── RC-CONS
    /// ⊢reg ρ, Ω                              Ω ⊢rctxt Δ, ρ >= φ
    /// ```
    pub(super) fn bind_region(&mut self, binder: Binder, bound: Phi) {
        let names = self.names;
        let text = || names.written(binder.var).to_owned();
        self.leaf(Rule::RegCons, text);
        self.leaf(Rule::RcCons, || format!("{} >= {}", text(), bound.text(names)));
        self.omega.push((binder.var, Some(binder.span)));
        self.delta[binder.var.slot()] = Some(bound);
        self.formed();
    }

    /// The region that came into scope last goes.
    pub(super) fn unbind_region(&mut self) {
        let Some((var, _)) = self.omega.pop() else { unreachable!("it came into scope") };
        self.delta[var.slot()] = None;
    }

    /// `VC-CONS`: a variable comes into scope. Variables have names of their own since the program was read.
    ///
    /// ```text
    /// Ω; Δ ⊢vctxt Γ    Ω; Δ ⊢type τ    x ∉ dom(Γ)
    /// ─────────────────────────────────────────────
    /// Ω; Δ ⊢vctxt Γ, x : τ
    /// ```
    pub(super) fn bind(&mut self, var: Var, ty: Ty) {
        let names = self.names;
        self.leaf(Rule::VcCons, || format!("{} : {}", names.written(var), ty.text(names)));
        self.gamma[var.slot()] = Some(Entry { ty });
        self.formed();
    }

    /// `PLACE`. That a region is in scope is known since the program was read.
    ///
    /// ```text
    /// ρ ∈ Ω    ω is the world of the judgement                                      (scope, world)
    /// ─────────────────────────────────────────
    /// Ω ⊢place ρ_ω
    /// ```
    pub(super) fn place(&mut self, region: Region) -> Checked<Var> {
        self.placed(region.var, region.world, region.span)
    }

    /// `PLACE` for a region where it is bound.
    pub(super) fn placed(&mut self, var: Var, written: Option<World>, span: Span) -> Checked<Var> {
        let names = self.names;
        self.to.enter(Rule::Place, || names.written(var).to_owned());
        match written {
            Some(world) if world != self.world => {
                let refused = refusals::world(self, var, world, span);
                self.fail(Rule::Place, "world", refused)
            }
            _ => {
                self.to.leave(String::new);
                Ok(var)
            }
        }
    }

    /// `Ω; Δ ⊢rr ρ >= ρ'`: wherever `ρ` is alive, `ρ'` is.
    ///
    /// ```text
    /// Δ(ρ) = {…, ρ', …}              Ω ⊢place ρ               Ω; Δ ⊢rr ρ >= ρ''    Ω; Δ ⊢rr ρ'' >= ρ'
    /// ────────────────── RR-BOUND    ─────────────── RR-REFL  ────────────────────────────── RR-TRANS
    /// Ω; Δ ⊢rr ρ >= ρ'               Ω; Δ ⊢rr ρ >= ρ          Ω; Δ ⊢rr ρ >= ρ'
    /// ```
    pub(super) fn outlived(&mut self, region: Var, by: Var) -> bool {
        let Some(steps) = self.steps(region, by) else { return false };
        let rule = match steps {
            0 => Rule::RrRefl,
            1 => Rule::RrBound,
            _ => Rule::RrTrans,
        };
        let names = self.names;
        let text = |var| names.written(var);
        self.leaf(rule, || format!("{} >= {}", text(region), text(by)));
        true
    }

    /// How many constraints lead from a region to another one.
    fn steps(&self, from: Var, to: Var) -> Option<usize> {
        let (mut seen, mut front) = (vec![false; self.delta.len()], vec![from]);
        for steps in 0.. {
            if front.contains(&to) {
                return Some(steps);
            }
            let mut next = Vec::new();
            for region in front {
                for var in self.delta[region.slot()].iter().flat_map(Phi::vars) {
                    if !std::mem::replace(&mut seen[var.slot()], true) {
                        next.push(var);
                    }
                }
            }
            if next.is_empty() {
                return None;
            }
            front = next;
        }
        None
    }

    /// `Ω; Δ ⊢re ρ >= φ`, or the first region of `φ` of which it does not hold.
    ///
    /// ```text
    /// Ω; Δ ⊢rr ρ >= ρᵢ  for all ρᵢ ∈ φ
    /// ───────────────────────────────── RE
    /// Ω; Δ ⊢re ρ >= φ
    /// ```
    pub(super) fn all_outlive(&mut self, region: Var, phi: &Phi) -> Result<(), Var> {
        let names = self.names;
        self.to.enter(Rule::Re, || format!("{} >= {}", names.written(region), phi.text(names)));
        for other in phi.vars() {
            if !self.outlived(region, other) {
                return Err(other);
            }
        }
        self.to.leave(String::new);
        Ok(())
    }

    /// `Ω; Δ ⊢er φ ∋ ρ`, for the `φ` of the judgement (L54).
    ///
    /// ```text
    /// ρ ∈ φ                  ρ' ∈ φ    Ω; Δ ⊢rr ρ' >= ρ
    /// ────────────── ER-IN   ─────────────────────────── ER-OUTLIVES
    /// Ω; Δ ⊢er φ ∋ ρ         Ω; Δ ⊢er φ ∋ ρ
    /// ```
    pub(super) fn covers(&mut self, region: Var) -> bool {
        let names = self.names;
        let text = || names.written(region).to_owned();
        if self.bound.phi.contains(region) {
            self.leaf(Rule::ErIn, text);
            return true;
        }
        let through = self.bound.phi.vars().find(|other| self.steps(*other, region).is_some());
        let Some(other) = through else { return false };
        self.to.enter(Rule::ErOutlives, text);
        self.outlived(other, region);
        self.to.leave(String::new);
        true
    }

    /// `Ω; Δ ⊢ee φ ⊇ φ'`, for the `φ` of the judgement, or what of `φ'` is not in it.
    ///
    /// ```text
    /// Ω; Δ ⊢er φ ∋ ρᵢ  for all ρᵢ ∈ φ'    host ∈ φ if host ∈ φ'
    /// ────────────────────────────────────────────────────────── EE
    /// Ω; Δ ⊢ee φ ⊇ φ'
    /// ```
    pub(super) fn includes(&mut self, phi: &Phi) -> Result<(), Outside> {
        let names = self.names;
        self.to.enter(Rule::Ee, || phi.text(names));
        for region in phi.vars() {
            if !self.covers(region) {
                return Err(Outside::Region(region));
            }
        }
        if phi.host && !self.bound.phi.host {
            return Err(Outside::Host);
        }
        self.to.leave(String::new);
        Ok(())
    }

    /// The `on` around reads or writes a region.
    pub(super) fn uses(&mut self, region: Var) {
        let around = &self.omega[..self.used.around];
        if around.iter().any(|(var, _)| *var == region) && !self.used.vars.contains(&region) {
            self.used.vars.push(region);
        }
    }

    /// The `on` around applies what has this effect, so it may read all regions that outlive those of the effect.
    pub(super) fn uses_all(&mut self, latent: &Phi) {
        if self.planted.is(Fault::LambdaG(WrongLambdaG::LatentNotPushed)) {
            return;
        }
        for region in latent.vars() {
            if self.used.around == 0 || self.used.latent.contains(&region) {
                continue;
            }
            self.used.latent.push(region);
            for at in 0..self.used.around {
                let (var, _) = self.omega[at];
                let itself = self.planted.is(Fault::LambdaG(WrongLambdaG::OlderNotPushed));
                if self.steps(region, var).is_some() && (!itself || var == region) {
                    self.uses(var);
                }
            }
        }
    }

    /// The variable of a region of a judgement: none is bound by a `Pi` around it.
    pub(super) fn free(region: Rho) -> Var {
        match region {
            Rho::Free(var) => var,
            Rho::Bound(_) => unreachable!("types of judgements are opened"),
        }
    }
}

/// What is not in an effect.
#[derive(Clone, Copy)]
pub(super) enum Outside {
    Region(Var),
    Host,
}
