//! `Ω; Δ; Γ ⊢ω e : τ, φ` (figs. 2 and 14), but for functions.

use super::refusals::{self, Use};
use super::ty::{Mu, Rho, Ty};
use super::{Check, Checked, MAX_TYPE, Pushes, Used};
use crate::kit::faults::{Fault, WrongLambdaG};
use crate::kit::names::Var;
use crate::kit::text::Span;
use crate::lambda_g::rules::Rule;
use crate::lambda_g::syntax::{Binder, Comparison, Exp, Kind, Op, Region, World};

impl<'p> Check<'p, '_> {
    /// The type of an expression, which does no more than `φ`.
    pub(super) fn exp(&mut self, e: &'p Exp) -> Checked<Ty> {
        let ty = match &e.kind {
            Kind::Int(_, at) => self.t_int(e, *at),
            Kind::Bool(value) => Ok(self.t_bool(e, *value)),
            Kind::Var(var) => Ok(self.t_var(e, *var)),
            Kind::Binary(op, parts, at) => self.t_binary(e, *op, parts, *at),
            Kind::Compare(op, parts) => self.t_compare(e, *op, parts),
            Kind::If(parts) => self.t_if(e, parts),
            Kind::Let(var, parts) => self.t_let(e, *var, parts),
            Kind::Fn(lambda) => self.t_fn(e, lambda),
            Kind::RegionFn(lambda) => self.t_rfn(e, lambda),
            Kind::App(parts) => self.t_app(e, parts),
            Kind::Instance(of, region) => self.t_inst(e, of, *region),
            Kind::Fix(var, ty, body) => self.t_fix(e, *var, ty, body),
            Kind::Pair(parts, at) => self.t_pair(e, Rule::TPair, parts, *at),
            Kind::Par(parts, at) => self.t_pair(e, Rule::TPar, parts, *at),
            Kind::Fst(of) => self.t_part(e, Rule::TFst, of),
            Kind::Snd(of) => self.t_part(e, Rule::TSnd, of),
            Kind::LetRegion(region, _, body) => self.t_letregion(e, *region, body),
            Kind::Vector(elements, at) => self.t_vector(e, elements, *at),
            Kind::ParMap(f, over, at) => self.t_parmap(e, f, over, *at),
            Kind::On(body, at) => self.t_on(e, body, *at),
            Kind::Index(parts) => self.t_index(e, parts),
            Kind::Length(of, at) => self.t_length(e, of, *at),
            Kind::Iota(of, at) => self.t_iota(e, of, *at),
        }?;
        if ty.size() > MAX_TYPE { Err(refusals::too_large(e.span)) } else { Ok(ty) }
    }

    /// The premise `effect` of a rule: `Ω; Δ ⊢er φ ∋ ρ`.
    pub(super) fn may(&mut self, rule: Rule, region: Rho, used: Use, span: Span) -> Checked {
        let region = Self::free(region);
        self.uses(region);
        if self.covers(region) {
            return Ok(());
        }
        let refused = refusals::effect(self, region, used, span);
        self.fail(rule, "effect", refused)
    }

    /// `Ω ⊢place ρ` and `Ω; Δ ⊢er φ ∋ ρ`: a value is written to a region.
    pub(super) fn writes(&mut self, rule: Rule, at: Region) -> Checked<Rho> {
        let region = Rho::Free(self.place(at)?);
        self.may(rule, region, Use::Written, at.span)?;
        Ok(region)
    }

    /// An operand that is an int, and is read.
    fn operand(&mut self, rule: Rule, e: &'p Exp) -> Checked {
        let ty = self.exp(e)?;
        match &ty {
            Ty::Boxed(node, region) if node.mu == Mu::Int => {
                self.may(rule, *region, Use::Read, e.span)
            }
            _ => {
                let refused = refusals::no(self, "an int", &ty, e.span);
                self.fail(rule, "operand", refused)
            }
        }
    }

    /// The type of the elements of a vector that is read.
    pub(super) fn elements(&mut self, rule: Rule, e: &'p Exp) -> Checked<Ty> {
        let ty = self.exp(e)?;
        match &ty {
            Ty::Boxed(node, region) if let Mu::Vec(element) = &node.mu => {
                self.may(rule, *region, Use::Read, e.span)?;
                Ok(element.clone())
            }
            _ => {
                let refused = refusals::no(self, "a vector", &ty, e.span);
                self.fail(rule, "vector", refused)
            }
        }
    }

    /// `T-INT`
    ///
    /// ```text
    /// ⊢ctxt Ω; Δ; Γ; φ    Ω ⊢place ρ    Ω; Δ ⊢er φ ∋ ρ                             (effect)
    /// ────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω i at ρ : (int, ρ), φ
    /// ```
    fn t_int(&mut self, e: &Exp, at: Region) -> Checked<Ty> {
        self.enter(Rule::TInt, e);
        let ty = Ty::boxed(Mu::Int, self.writes(Rule::TInt, at)?);
        self.leave(&ty);
        Ok(ty)
    }

    /// `T-TRUE`, `T-FALSE`
    ///
    /// ```text
    /// ⊢ctxt Ω; Δ; Γ; φ
    /// ─────────────────────────────
    /// Ω; Δ; Γ ⊢ω true : bool, φ
    /// ```
    fn t_bool(&mut self, e: &Exp, value: bool) -> Ty {
        self.enter(if value { Rule::TTrue } else { Rule::TFalse }, e);
        self.leave(&Ty::Bool);
        Ty::Bool
    }

    /// `T-VAR`. That a variable is in scope is known since the program was read.
    ///
    /// ```text
    /// ⊢ctxt Ω; Δ; Γ; φ    Γ(x) = τ                                                 (scope)
    /// ────────────────────────────
    /// Ω; Δ; Γ ⊢ω x : τ, φ
    /// ```
    fn t_var(&mut self, e: &Exp, var: Var) -> Ty {
        self.enter(Rule::TVar, e);
        let Some(entry) = &self.gamma[var.slot()] else { unreachable!("T-VAR: it is bound") };
        let ty = entry.ty.clone();
        self.leave(&ty);
        ty
    }

    /// `T-MULT`, and `T-ARITH` for the other operators (L51)
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω eᵢ : (int, ρᵢ), φ    Ω; Δ ⊢er φ ∋ ρᵢ                       (operand, effect)
    /// Ω ⊢place ρ    Ω; Δ ⊢er φ ∋ ρ                                                  (effect)
    /// ───────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω e₁ * e₂ at ρ : (int, ρ), φ
    /// ```
    fn t_binary(&mut self, e: &Exp, op: Op, parts: &'p [Exp; 2], at: Region) -> Checked<Ty> {
        let rule = if op == Op::Mul { Rule::TMult } else { Rule::TArith };
        self.enter(rule, e);
        self.operand(rule, &parts[0])?;
        self.operand(rule, &parts[1])?;
        let ty = Ty::boxed(Mu::Int, self.writes(rule, at)?);
        self.leave(&ty);
        Ok(ty)
    }

    /// `T-LESS`, and `T-COMPARE` for the other comparisons (L51)
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω eᵢ : (int, ρᵢ), φ    Ω; Δ ⊢er φ ∋ ρᵢ                       (operand, effect)
    /// ───────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω e₁ < e₂ : bool, φ
    /// ```
    fn t_compare(&mut self, e: &Exp, op: Comparison, parts: &'p [Exp; 2]) -> Checked<Ty> {
        let rule = if op == Comparison::Lt { Rule::TLess } else { Rule::TCompare };
        self.enter(rule, e);
        self.operand(rule, &parts[0])?;
        self.operand(rule, &parts[1])?;
        self.leave(&Ty::Bool);
        Ok(Ty::Bool)
    }

    /// `T-IF`
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω e_b : bool, φ                                                  (condition)
    /// Ω; Δ; Γ ⊢ω e_t : τ, φ    Ω; Δ; Γ ⊢ω e_f : τ, φ                              (branches)
    /// ──────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω if e_b then e_t else e_f : τ, φ
    /// ```
    fn t_if(&mut self, e: &Exp, parts: &'p [Exp; 3]) -> Checked<Ty> {
        self.enter(Rule::TIf, e);
        let [cond, then, orelse] = parts;
        let of_cond = self.exp(cond)?;
        if of_cond != Ty::Bool {
            let refused = refusals::no(self, "a bool", &of_cond, cond.span);
            return self.fail(Rule::TIf, "condition", refused);
        }
        let (ty, other) = (self.exp(then)?, self.exp(orelse)?);
        if ty != other {
            let refused = refusals::differs(self, (&other, orelse.span), (&ty, then.span));
            return self.fail(Rule::TIf, "branches", refused);
        }
        self.leave(&ty);
        Ok(ty)
    }

    /// `T-LET` (L51)
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω e₁ : τ', φ    Ω; Δ; Γ, x : τ' ⊢ω e₂ : τ, φ
    /// ─────────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω let x = e₁ in e₂ : τ, φ
    /// ```
    fn t_let(&mut self, e: &Exp, var: Var, parts: &'p [Exp; 2]) -> Checked<Ty> {
        self.enter(Rule::TLet, e);
        let bound = self.exp(&parts[0])?;
        self.bind(var, bound);
        let ty = self.exp(&parts[1])?;
        self.leave(&ty);
        Ok(ty)
    }

    /// `T-PAIR`, and `T-PAR` for `e₁ || e₂ at ρ`
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω e₁ : τ₁, φ    Ω; Δ; Γ ⊢ω e₂ : τ₂, φ
    /// Ω ⊢place ρ    Ω; Δ ⊢er φ ∋ ρ                                                  (effect)
    /// ──────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω (e₁, e₂) at ρ : (τ₁ * τ₂, ρ), φ
    /// ```
    fn t_pair(&mut self, e: &Exp, rule: Rule, parts: &'p [Exp; 2], at: Region) -> Checked<Ty> {
        self.enter(rule, e);
        let (first, second) = (self.exp(&parts[0])?, self.exp(&parts[1])?);
        let ty = Ty::boxed(Mu::Pair(first, second), self.writes(rule, at)?);
        self.leave(&ty);
        Ok(ty)
    }

    /// `T-FST`, `T-SND`
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω e : (τ₁ * τ₂, ρ), φ    Ω; Δ ⊢er φ ∋ ρ                        (pair, effect)
    /// ─────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω fst e : τ₁, φ
    /// ```
    fn t_part(&mut self, e: &Exp, rule: Rule, of: &'p Exp) -> Checked<Ty> {
        self.enter(rule, e);
        let pair = self.exp(of)?;
        let ty = match &pair {
            Ty::Boxed(node, region) if let Mu::Pair(first, second) = &node.mu => {
                self.may(rule, *region, Use::Read, of.span)?;
                if rule == Rule::TFst { first.clone() } else { second.clone() }
            }
            _ => {
                let refused = refusals::no(self, "a pair", &pair, of.span);
                return self.fail(rule, "pair", refused);
            }
        };
        self.leave(&ty);
        Ok(ty)
    }

    /// `T-VECTOR`
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω eᵢ : τ, φ  for all i                                             (element)
    /// Ω ⊢place ρ    Ω; Δ ⊢er φ ∋ ρ                                                  (effect)
    /// ─────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω [e₁, …, eₙ] at ρ : (Vec τ, ρ), φ
    /// ```
    fn t_vector(&mut self, e: &Exp, elements: &'p [Exp], at: Region) -> Checked<Ty> {
        self.enter(Rule::TVector, e);
        let mut first: Option<(Ty, Span)> = None;
        for element in elements {
            let ty = self.exp(element)?;
            match &first {
                None => first = Some((ty, element.span)),
                Some((wanted, place)) if *wanted != ty => {
                    let refused = refusals::differs(self, (&ty, element.span), (wanted, *place));
                    return self.fail(Rule::TVector, "element", refused);
                }
                Some(_) => {}
            }
        }
        let Some((element, _)) = first else { unreachable!("the syntax asks for an element") };
        let ty = Ty::boxed(Mu::Vec(element), self.writes(Rule::TVector, at)?);
        self.leave(&ty);
        Ok(ty)
    }

    /// `T-INDEX` (L51)
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω e₁ : (Vec τ, ρ₁), φ    Ω; Δ ⊢er φ ∋ ρ₁                     (vector, effect)
    /// Ω; Δ; Γ ⊢ω e₂ : (int, ρ₂), φ    Ω; Δ ⊢er φ ∋ ρ₂                      (operand, effect)
    /// ──────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω e₁ ! e₂ : τ, φ
    /// ```
    fn t_index(&mut self, e: &Exp, parts: &'p [Exp; 2]) -> Checked<Ty> {
        self.enter(Rule::TIndex, e);
        let ty = self.elements(Rule::TIndex, &parts[0])?;
        self.operand(Rule::TIndex, &parts[1])?;
        self.leave(&ty);
        Ok(ty)
    }

    /// `T-LENGTH` (L51)
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω e : (Vec τ, ρ'), φ    Ω; Δ ⊢er φ ∋ ρ'                      (vector, effect)
    /// Ω ⊢place ρ    Ω; Δ ⊢er φ ∋ ρ                                                  (effect)
    /// ─────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω length e at ρ : (int, ρ), φ
    /// ```
    fn t_length(&mut self, e: &Exp, of: &'p Exp, at: Region) -> Checked<Ty> {
        self.enter(Rule::TLength, e);
        self.elements(Rule::TLength, of)?;
        let ty = Ty::boxed(Mu::Int, self.writes(Rule::TLength, at)?);
        self.leave(&ty);
        Ok(ty)
    }

    /// `T-IOTA` (L51)
    ///
    /// ```text
    /// Ω; Δ; Γ ⊢ω e : (int, ρ'), φ    Ω; Δ ⊢er φ ∋ ρ'                       (operand, effect)
    /// Ω ⊢place ρ    Ω; Δ ⊢er φ ∋ ρ                                                  (effect)
    /// ─────────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢ω iota e at ρ : (Vec (int, ρ), ρ), φ
    /// ```
    fn t_iota(&mut self, e: &Exp, of: &'p Exp, at: Region) -> Checked<Ty> {
        self.enter(Rule::TIota, e);
        self.operand(Rule::TIota, of)?;
        let region = self.writes(Rule::TIota, at)?;
        let ty = Ty::boxed(Mu::Vec(Ty::boxed(Mu::Int, region)), region);
        self.leave(&ty);
        Ok(ty)
    }

    /// `T-LETREGION`
    ///
    /// ```text
    /// ω = C    host ∈ φ    φ = {ρ₁, …, ρₙ, host}                            (world, host)
    /// ρ, Ω; Δ, ρ >= {ρ₁, …, ρₙ}; Γ ⊢C e : τ, φ ∪ {ρ}    Ω; Δ ⊢type τ             (escape)
    /// ─────────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢C letregion ρ in e : τ, φ
    /// ```
    fn t_letregion(&mut self, e: &Exp, region: Binder, body: &'p Exp) -> Checked<Ty> {
        let rule = Rule::TLetregion;
        self.enter(rule, e);
        self.on_the_host(rule, e.span, "makes a region")?;
        self.placed(region.var, region.world, region.span)?;
        let outer = self.bound.phi.clone();
        self.bounds.insert(e.span, outer.vars().collect());
        self.bind_region(region, outer.clone().without_host());
        self.bound.phi = outer.with(region.var);
        let ty = self.exp(body)?;
        self.bound.phi = outer;
        self.unbind_region();
        if ty.names(region.var) {
            let refused = refusals::escape(self, region, &ty, body.span);
            return self.fail(rule, "escape", refused);
        }
        self.leave(&ty);
        Ok(ty)
    }

    /// The premises `world` and `host` of what only the host does (L55).
    fn on_the_host(&mut self, rule: Rule, span: Span, does: &str) -> Checked {
        if self.world == World::G {
            let refused = refusals::only_host(self, span, does);
            return self.fail(rule, "world", refused);
        }
        if !self.bound.phi.host {
            let refused = refusals::host_effect(self, span, does);
            return self.fail(rule, "host", refused);
        }
        Ok(())
    }

    /// `T-ON` (L43, L56). The regions of all contexts are those of world G, under the same names.
    ///
    /// ```text
    /// host ∈ φ    Ω ⊢place ρ_C    Ω; Δ ⊢er φ ∋ ρ_C                    (world, host, effect)
    /// Ω_G; Δ_G; Γ_G ⊢G e : (μ, ρ_G), φ_G ∖ {host}                           (boxed, region)
    /// ────────────────────────────────────────────
    /// Ω; Δ; Γ ⊢C on e at ρ_C : (μ_C, ρ_C), φ
    /// ```
    fn t_on(&mut self, e: &Exp, body: &'p Exp, at: Region) -> Checked<Ty> {
        let rule = Rule::TOn;
        self.enter(rule, e);
        self.on_the_host(rule, e.span, "runs something on the device")?;
        let region = self.writes(rule, at)?;
        let outer = self.bound.clone();
        self.used = Used { around: self.omega.len(), ..Used::default() };
        (self.world, self.on) = (World::G, Some(keyword(e.span)));
        self.bound.phi = outer.phi.clone().without_host();
        let ty = self.exp(body)?;
        (self.world, self.on) = (World::C, None);
        let used = std::mem::take(&mut self.used);
        let Used { vars, mut latent, .. } = used;
        let itself = self.planted.is(Fault::LambdaG(WrongLambdaG::OlderNotPushed));
        latent.retain(|var| vars.contains(var) && !itself);
        self.pushes.insert(e.span, Pushes { vars, latent });
        self.bound = outer;
        match &ty {
            Ty::Bool => {
                let refused = refusals::unboxed(body.span);
                return self.fail(rule, "boxed", refused);
            }
            Ty::Boxed(_, lies) if *lies != region => {
                let refused = refusals::elsewhere(self, (&ty, body.span), at);
                return self.fail(rule, "region", refused);
            }
            Ty::Boxed(..) => {}
        }
        self.leave(&ty);
        Ok(ty)
    }
}

/// The `on` of an expression that begins with it: the whole would lie around what is shown in it.
fn keyword(on: Span) -> Span {
    Span { end: on.end.min(on.start + 2), ..on }
}
