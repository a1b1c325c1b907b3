//! Definitions, and the program that the last one or `main` is.

use super::exps::Wanted;
use super::instances::Poly;
use super::refusals;
use super::terms::{Arena, Gamma, Node, Ty};
use super::typed::{Param, Typed, number, scheme, written};
use super::{Checked, Entry, Infer, MAX_TYPE};
use crate::fcl::rules::Rule;
use crate::fcl::syntax::{Def, Exp, Kind, Type};
use crate::kit::names::Var;
use crate::kit::text::Rejected;
use std::rc::Rc;

/// What a program is: its parameters and its body.
struct Main<'p> {
    params: Vec<Var>,
    body: &'p Exp,
}

impl<'p> Main<'p> {
    fn of(def: &'p Def) -> Self {
        let (mut params, mut body) = (Vec::new(), &def.body);
        while let Kind::Fn(var, inner) = &body.kind {
            params.push(*var);
            body = inner;
        }
        Self { params, body }
    }
}

impl<'p> Infer<'p, '_> {
    /// The types of the program, and all that is known of types at the end.
    pub(super) fn program(mut self) -> (Checked<Typed>, Arena) {
        let mut schemes = Vec::new();
        let main = self.program.main().map(|def| def.name);
        let mut ends = None;
        for def in &self.program.defs {
            let is_main = Some(def.name) == main;
            match self.t_def(def, is_main) {
                Ok((poly, end)) => {
                    schemes.push((def.name, poly));
                    ends = end.or(ends);
                }
                Err(refused) => return (Err(refused), self.arena),
            }
        }
        let Some((params, element, level)) = ends else {
            let refused = Rejected::new(Default::default(), "there is no definition", "nothing");
            return (Err(refused), self.arena);
        };
        let Self { arena, exps, .. } = self;
        let known = arena.clone();
        (Ok(Typed { arena, schemes, exps, params, element, level }), known)
    }

    /// `T-DEF` (extension): definitions are unfolded where they are used, so the body has a turnstile of its own.
    ///
    /// ```text
    /// Δ, Γ ⊢γ e : τ    ᾱ = ftv(τ)    Δ, (Γ, f : ∀ᾱ. τ) ⊢ d̄             (signature)
    /// ─────────────────────────────────────────────────
    /// Δ, Γ ⊢ f = e d̄
    /// ```
    fn t_def(&mut self, def: &'p Def, is_main: bool) -> Checked<(Poly, Option<Ends>)> {
        let names = self.names;
        self.to.enter(Rule::TDef, || names.written(def.name).to_owned());
        self.rank += 1;
        let at = self.arena.fresh_level(self.rank);
        (self.keeps, self.spine) = (is_main, is_main);
        let ty = match &def.sig {
            None => self.exp(&def.body, at, None)?,
            Some(sig) => {
                let ty = self.signature(sig)?;
                let wanted = Wanted { ty, rule: Rule::TDef, span: sig.span };
                self.exp(&def.body, at, Some(wanted))?;
                ty
            }
        };
        (self.keeps, self.spine) = (false, false);
        let ends = if is_main { Some(self.t_main(def, ty, at)?) } else { None };
        self.rank -= 1;
        let poly = self.generalise(ty, def.span)?;
        let arena = self.solved.as_ref().unwrap_or(&self.arena);
        self.to.leave(|| scheme(arena, names, &poly));
        self.entries[def.name.slot()] = Entry::Poly(Rc::new(poly.clone()));
        Ok((poly, ends))
    }

    /// `T-MAIN` (extension): what is not known is int, and a level grid.
    ///
    /// ```text
    /// ⊢γ fn x₁ … xₙ => e : τ₁ → … → τₙ → [bt]<γ>    τᵢ = bt or τᵢ = [bt]  for all i    (result, parameter)
    /// ──────────────────────────────────────────────────────────────────────────
    /// ⊢ fn x₁ … xₙ => e
    /// ```
    fn t_main(&mut self, def: &'p Def, ty: Ty, at: Gamma) -> Checked<Ends> {
        let names = self.names;
        self.to.enter(Rule::TMain, || names.written(def.name).to_owned());
        let main = Main::of(def);
        let (mut params, mut result) = (Vec::new(), ty);
        for var in main.params {
            let Node::Fn(from, to) = self.arena.node(result) else {
                unreachable!("T-FN gives functions the types of functions")
            };
            let Some(ty) = self.parameter(from) else {
                let refused = refusals::parameter(&self.show(), var, from, def.span);
                return self.fail(Rule::TMain, "parameter", refused);
            };
            params.push(Param { var, ty });
            result = to;
        }
        let Node::Push(element, level) = self.arena.node(result) else {
            let refused = refusals::result(&self.show(), result, main.body.span);
            return self.fail(Rule::TMain, "result", refused);
        };
        if let Err(clash) = self.arena.unify_levels(level, at) {
            let refused = refusals::other_level(&self.show(), level, at, main.body.span);
            return self.clash(clash, Rule::TMain, "result", refused);
        }
        let Some(element) = written(&self.arena, element, &mut { MAX_TYPE }) else {
            return Err(refusals::too_large(main.body.span));
        };
        self.to.leave(|| "a program".to_owned());
        Ok((params, element, number(&self.arena, level)))
    }

    /// The type of a parameter, if a parameter may be of it.
    fn parameter(&self, ty: Ty) -> Option<Type> {
        let ty = written(&self.arena, ty, &mut { MAX_TYPE })?;
        let cell = if let Type::Pull(element) = &ty { element } else { &ty };
        is_base(cell).then_some(ty)
    }
}

/// Parameters, base type of the elements of the result, and its level.
type Ends = (Vec<Param>, Type, u32);

fn is_base(ty: &Type) -> bool {
    match ty {
        Type::Int | Type::Double | Type::Bool => true,
        Type::Pair(parts) => parts.iter().all(is_base),
        _ => false,
    }
}
