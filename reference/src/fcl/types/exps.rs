//! `Δ, Γ ⊢γ e : τ`

use super::refusals::{self, mismatch};
use super::terms::{Clash, Gamma, Kind as TypeKind, LevelNode, Node, Origin, Ty};
use super::{Checked, Entry, Infer};
use crate::fcl::rules::Rule;
use crate::fcl::syntax::{Exp, Kind, Let, Level, Op};
use crate::kit::names::Var;
use crate::kit::rules::Roll;
use crate::kit::text::{Rejected, Span};
use std::rc::Rc;

/// The type that a signature gives an expression, and the premise that fails if it has another.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) ty: Ty,
    pub(super) rule: Rule,
    pub(super) span: Span,
}

impl<'p> Infer<'p, '_> {
    /// `Δ, Γ ⊢γ e : τ`. The types that a signature gives to parameters are known while the body is looked at.
    pub(super) fn exp(&mut self, e: &'p Exp, at: Gamma, wanted: Option<Wanted>) -> Checked<Ty> {
        self.room(e.span)?;
        let slot = self.slot();
        let spine = std::mem::take(&mut self.spine);
        if let (true, Some(Wanted { ty, .. })) = (spine, wanted)
            && let Node::Push(_, level) = self.arena.node(ty)
        {
            // The level of `main` is known from its signature. T-MAIN looks at whether it is this one.
            self.arena.unify_levels(level, at).map_err(|_| refusals::too_large(e.span))?;
        }
        let ty = match &e.kind {
            Kind::Let(parts) => return self.lets(e, parts, slot, at, wanted),
            Kind::Fn(var, body) => self.t_fn(e, *var, body, at, wanted, spine)?,
            Kind::LevelFn(var, body) => self.t_level_fn(e, *var, body, at, wanted)?,
            _ => {
                let ty = self.by_form(e, at)?;
                if let Some(wanted) = wanted {
                    self.as_signed(e, ty, wanted)?;
                }
                ty
            }
        };
        self.settle(slot, ty);
        Ok(ty)
    }

    /// The rule of the form of an expression.
    fn by_form(&mut self, e: &'p Exp, at: Gamma) -> Checked<Ty> {
        let (rule, node) = match &e.kind {
            Kind::Int(_) => (Rule::TInt, Node::Int),
            Kind::Double(_) => (Rule::TDouble, Node::Double),
            Kind::Bool(_) => (Rule::TBool, Node::Bool),
            Kind::Var(var) => return self.t_var(e, *var, at),
            Kind::Op(op) => return self.t_operator(e, *op, at),
            Kind::Array(elements) => return self.t_array(e, elements, at),
            Kind::Pair(parts) => return self.t_pair(e, parts, at),
            Kind::App(parts) => return self.application(e, parts, at),
            Kind::LevelApp(head, level) => return self.t_level_app(e, head, *level, at),
            Kind::If(parts) => return self.t_if(e, parts, at),
            Kind::Fn(..) | Kind::LevelFn(..) | Kind::Let(_) => {
                unreachable!("they are looked at where their signature is known")
            }
        };
        self.constant(e, rule, node, at)
    }

    /// ```text
    /// ───────────────── T-INT    ──────────────────── T-DOUBLE    ────────────────── T-BOOL
    /// Δ, Γ ⊢γ i : int            Δ, Γ ⊢γ d : double               Δ, Γ ⊢γ b : bool
    /// ```
    fn constant(&mut self, e: &'p Exp, rule: Rule, node: Node, at: Gamma) -> Checked<Ty> {
        self.enter(rule, e);
        let ty = self.arena.add(node);
        self.leave(ty, at);
        Ok(ty)
    }

    /// `T-VAR`
    ///
    /// ```text
    /// Γ(x) = σ    σ ≻ τ    Δ ⊢ τ : TYP                       (scope)
    /// ────────────────────────────────
    /// Δ, Γ ⊢γ x : τ
    /// ```
    fn t_var(&mut self, e: &'p Exp, var: Var, at: Gamma) -> Checked<Ty> {
        self.enter(Rule::TVar, e);
        let ty = match self.entries[var.slot()].clone() {
            Entry::Mono(ty) => ty,
            Entry::Poly(poly) => self.instance(&poly, e.span)?,
            Entry::None | Entry::Type(_) | Entry::Level(_) => {
                let refused = refusals::unbound(self.names, var, e.span);
                return self.fail(Rule::TVar, "scope", refused);
            }
        };
        self.leave(ty, at);
        Ok(ty)
    }

    /// T-VAR for an operator, whose scheme is in figure 3. `concat` and `interleave` are used at `1 + γ`.
    fn t_operator(&mut self, e: &'p Exp, op: Op, at: Gamma) -> Checked<Ty> {
        let rule = match op {
            Op::Concat => Rule::TConcat,
            Op::Interleave => Rule::TInterleave,
            _ => Rule::TVar,
        };
        self.enter(rule, e);
        let poly = self.operator(op);
        let ty = self.instance(&poly, e.span)?;
        if rule != Rule::TVar {
            let Some(level) = self.result_level(ty) else { unreachable!("it makes a push array") };
            self.turnstile(rule, e, level, at)?;
        }
        self.leave(ty, at);
        Ok(ty)
    }

    /// The level of the array that a function comes to.
    fn result_level(&self, mut ty: Ty) -> Option<Gamma> {
        loop {
            match self.arena.node(ty) {
                Node::Fn(_, to) => ty = to,
                Node::Push(_, level) => return Some(level),
                _ => return None,
            }
        }
    }

    /// `T-ARRAY`
    ///
    /// ```text
    /// Δ, Γ ⊢γ eᵢ : τ  for all i    Δ ⊢ τ : GT                 (element, ground)
    /// ───────────────────────────────────────
    /// Δ, Γ ⊢γ [e₁, …, eₙ] : [τ]
    /// ```
    fn t_array(&mut self, e: &'p Exp, elements: &'p [Exp], at: Gamma) -> Checked<Ty> {
        let rule = Rule::TArray;
        self.enter(rule, e);
        let mut element = None;
        for part in elements {
            let ty = self.exp(part, at, None)?;
            let Some((first, span)) = element else {
                element = Some((ty, part.span));
                continue;
            };
            if let Err(clash) = self.arena.unify(ty, first, self.rank) {
                let refused = self.meeting(ty, first, part.span, span, "the first element is");
                return self.clash(clash, rule, "element", refused);
            }
        }
        let (element, span) = element.unwrap_or_else(|| (self.arena.fresh(self.rank), e.span));
        self.be(element, TypeKind::Gt, Origin { rule, premise: "ground", span })?;
        let ty = self.arena.add(Node::Pull(element));
        self.leave(ty, at);
        Ok(ty)
    }

    /// `Δ ⊢ τ : κ`, or else a premise fails.
    fn be(&mut self, ty: Ty, kind: TypeKind, origin: Origin) -> Checked {
        let id = self.arena.add_origin(origin);
        match self.arena.be(ty, kind, Some(id)) {
            Ok(()) => Ok(()),
            Err(clash) => {
                let refused = Rejected::new(origin.span, String::new(), String::new());
                self.clash(clash, origin.rule, origin.premise, refused)
            }
        }
    }

    /// `T-PAIR`
    ///
    /// ```text
    /// Δ, Γ ⊢γ e₁ : τ₁    Δ, Γ ⊢γ e₂ : τ₂
    /// ──────────────────────────────────
    /// Δ, Γ ⊢γ (e₁, e₂) : (τ₁, τ₂)
    /// ```
    fn t_pair(&mut self, e: &'p Exp, parts: &'p [Exp; 2], at: Gamma) -> Checked<Ty> {
        self.enter(Rule::TPair, e);
        let (a, b) = (self.exp(&parts[0], at, None)?, self.exp(&parts[1], at, None)?);
        let ty = self.arena.add(Node::Pair(a, b));
        self.leave(ty, at);
        Ok(ty)
    }

    /// `T-LET`, for all that follow one another: there may be many.
    ///
    /// ```text
    /// Δ, Γ ⊢γ e₁ : τ    ᾱ = ftv(τ) ∖ (ftv(Γ) ∪ Δ)    Δ, (Γ, x : ∀ᾱ. τ) ⊢γ e₂ : τ'     (signature)
    /// ───────────────────────────────────────────────────────────────────────────
    /// Δ, Γ ⊢γ let x = e₁ in e₂ : τ'
    /// ```
    fn lets(
        &mut self,
        e: &'p Exp,
        parts: &'p Let,
        slot: usize,
        at: Gamma,
        wanted: Option<Wanted>,
    ) -> Checked<Ty> {
        let (mut parts, mut e, mut slots) = (parts, e, vec![slot]);
        let body = loop {
            self.enter(Rule::TLet, e);
            self.rank += 1;
            let bound = match &parts.sig {
                None => self.exp(&parts.bound, at, None)?,
                Some(sig) => {
                    let ty = self.signature(sig)?;
                    let wanted = Wanted { ty, rule: Rule::TLet, span: sig.span };
                    self.exp(&parts.bound, at, Some(wanted))?;
                    ty
                }
            };
            self.rank -= 1;
            let bound = self.apart(bound, parts.bound.span)?;
            let poly = self.generalise(bound, parts.bound.span)?;
            self.entries[parts.var.slot()] = Entry::Poly(Rc::new(poly));
            e = &parts.body;
            match &e.kind {
                Kind::Let(next) => {
                    slots.push(self.slot());
                    parts = next;
                }
                _ => break e,
            }
        };
        let ty = self.exp(body, at, wanted)?;
        for slot in slots {
            self.settle(slot, ty);
            self.leave(ty, at);
        }
        Ok(ty)
    }

    /// `T-FN`: the body has a turnstile of its own, but for that of `main`, which is at the program's level.
    ///
    /// ```text
    /// Δ, (Γ, x : τ') ⊢γ' e : τ
    /// ─────────────────────────
    /// Δ, Γ ⊢γ fn x => e : τ' → τ
    /// ```
    fn t_fn(
        &mut self,
        e: &'p Exp,
        var: Var,
        body: &'p Exp,
        at: Gamma,
        wanted: Option<Wanted>,
        spine: bool,
    ) -> Checked<Ty> {
        self.enter(Rule::TFn, e);
        let signed = wanted.and_then(|wanted| match self.arena.node(wanted.ty) {
            Node::Fn(from, to) => Some((from, Wanted { ty: to, ..wanted })),
            _ => None,
        });
        let from = signed.map_or_else(|| self.arena.fresh(self.rank), |(from, _)| from);
        self.entries[var.slot()] = Entry::Mono(from);
        let inside = if spine { at } else { self.arena.fresh_level(self.rank) };
        self.spine = spine;
        let to = self.exp(body, inside, signed.map(|(_, to)| to))?;
        let ty = self.arena.add(Node::Fn(from, to));
        if let (None, Some(wanted)) = (signed, wanted) {
            self.as_signed(e, ty, wanted)?;
        }
        self.leave(ty, at);
        Ok(ty)
    }

    /// `T-LFN`: the body has a turnstile of its own here too.
    ///
    /// ```text
    /// (Δ, α : LVL), Γ ⊢γ' e : τ                              (escape)
    /// ─────────────────────────────
    /// Δ, Γ ⊢γ fn <α> => e : <α> → τ
    /// ```
    fn t_level_fn(
        &mut self,
        e: &'p Exp,
        var: Var,
        body: &'p Exp,
        at: Gamma,
        wanted: Option<Wanted>,
    ) -> Checked<Ty> {
        self.enter(Rule::TLevelFn, e);
        self.rank += 1;
        let rigid = LevelNode::Rigid { rank: self.rank, name: Some(var), of_function: true };
        let level = self.arena.add_level(rigid);
        self.entries[var.slot()] = Entry::Level(level);
        let signed = match wanted.map(|wanted| (wanted, self.arena.node(wanted.ty))) {
            Some((wanted, Node::LevelFn(bound, to))) => {
                let ty = self.arena.substitute(to, bound, Gamma::of(level));
                let ty = ty.map_err(|_| refusals::too_large(e.span))?;
                Some(Wanted { ty, ..wanted })
            }
            _ => None,
        };
        let inside = self.arena.fresh_level(self.rank);
        let to = self.exp(body, inside, signed)?;
        self.rank -= 1;
        let ty = self.arena.level_function(level, to);
        self.arena.lower(ty, self.rank, None).map_err(|_| refusals::too_large(e.span))?;
        if let (None, Some(wanted)) = (signed, wanted) {
            self.as_signed(e, ty, wanted)?;
        }
        self.leave(ty, at);
        Ok(ty)
    }

    /// Application, and the forms that are applications in the core.
    fn application(&mut self, e: &'p Exp, parts: &'p [Exp; 2], at: Gamma) -> Checked<Ty> {
        let [f, argument] = parts;
        match &f.kind {
            Kind::Op(Op::Fst) => return self.t_part(e, parts, Rule::TFst, at),
            Kind::Op(Op::Snd) => return self.t_part(e, parts, Rule::TSnd, at),
            Kind::App(inner) => match &inner[0].kind {
                Kind::Op(Op::Concat) => {
                    return self.t_concat(e, Rule::TConcat, &[&inner[1], argument], at);
                }
                Kind::App(innermost) if innermost[0].kind == Kind::Op(Op::Interleave) => {
                    let arguments = [&innermost[1], &inner[1], argument];
                    return self.t_concat(e, Rule::TInterleave, &arguments, at);
                }
                _ => {}
            },
            _ => {}
        }
        self.t_app(e, f, argument, at)
    }

    /// `T-APP`
    ///
    /// ```text
    /// Δ, Γ ⊢γ e₁ : τ' → τ    Δ, Γ ⊢γ e₂ : τ'                 (function, argument)
    /// ──────────────────────────────────────
    /// Δ, Γ ⊢γ e₁ e₂ : τ
    /// ```
    fn t_app(&mut self, e: &'p Exp, f: &'p Exp, argument: &'p Exp, at: Gamma) -> Checked<Ty> {
        let rule = Rule::TApp;
        self.enter(rule, e);
        let function = self.exp(f, at, None)?;
        let (from, to) = match self.arena.node(function) {
            Node::Fn(from, to) => (from, to),
            _ => {
                let parts = (self.arena.fresh(self.rank), self.arena.fresh(self.rank));
                let wanted = self.arena.add(Node::Fn(parts.0, parts.1));
                if let Err(clash) = self.arena.unify(function, wanted, self.rank) {
                    let show = self.show();
                    let refused = refusals::no_function(&show, function, f, argument.span);
                    return self.clash(clash, rule, "function", refused);
                }
                parts
            }
        };
        let given = self.exp(argument, at, None)?;
        if let Err(clash) = self.arena.unify(given, from, self.rank) {
            let refused = self.meeting(given, from, argument.span, f.span, "takes");
            return self.clash(clash, rule, "argument", refused);
        }
        self.leave(to, at);
        Ok(to)
    }

    /// `T-FST`, `T-SND`
    ///
    /// ```text
    /// Δ, Γ ⊢γ e : (τ₁, τ₂)   (pair)           Δ, Γ ⊢γ e : (τ₁, τ₂)   (pair)
    /// ──────────────────── T-FST              ──────────────────── T-SND
    /// Δ, Γ ⊢γ fst e : τ₁                      Δ, Γ ⊢γ snd e : τ₂
    /// ```
    fn t_part(&mut self, e: &'p Exp, parts: &'p [Exp; 2], rule: Rule, at: Gamma) -> Checked<Ty> {
        self.enter(rule, e);
        let operator = self.slot();
        let pair = self.exp(&parts[1], at, None)?;
        let (a, b) = match self.arena.node(pair) {
            Node::Pair(a, b) => (a, b),
            _ => {
                let (a, b) = (self.arena.fresh(self.rank), self.arena.fresh(self.rank));
                let wanted = self.arena.add(Node::Pair(a, b));
                if let Err(clash) = self.arena.unify(pair, wanted, self.rank) {
                    let refused = self.meeting(pair, wanted, parts[1].span, parts[0].span, "takes");
                    return self.clash(clash, rule, "pair", refused);
                }
                (a, b)
            }
        };
        let ty = if rule == Rule::TFst { a } else { b };
        self.settle_function(operator, &[pair], ty);
        self.leave(ty, at);
        Ok(ty)
    }

    /// `T-LAPP`: that `e` is a function of a level must be known.
    ///
    /// ```text
    /// Δ, Γ ⊢γ e : <α> → τ    Δ ⊢ γ' : LVL                    (function)
    /// ───────────────────────────────────
    /// Δ, Γ ⊢γ e <γ'> : τ[α ↦ γ']
    /// ```
    fn t_level_app(&mut self, e: &'p Exp, head: &'p Exp, level: Level, at: Gamma) -> Checked<Ty> {
        self.enter(Rule::TLevelApp, e);
        let function = self.exp(head, at, None)?;
        let Node::LevelFn(bound, body) = self.arena.node(function) else {
            let refused = refusals::no_level_function(&self.show(), function, head, e.span);
            return self.fail(Rule::TLevelApp, "function", refused);
        };
        let level = self.level(level, e.span)?;
        let ty = self.arena.substitute(body, bound, level);
        let ty = ty.map_err(|_| refusals::too_large(e.span))?;
        self.leave(ty, at);
        Ok(ty)
    }

    /// `T-CONCAT`, `T-INTERLEAVE` (extension)
    ///
    /// ```text
    /// Δ, Γ ⊢1+γ e₁ : int    Δ, Γ ⊢γ e₂ : [[α]<γ>]                       (size, array, turnstile)
    /// ─────────────────────────────────────────── T-CONCAT
    /// Δ, Γ ⊢1+γ concat e₁ e₂ : [α]<1 + γ>
    ///
    /// Δ, Γ ⊢1+γ e₁ : int    Δ, Γ ⊢1+γ e₂ : (int, int) → int    Δ, Γ ⊢γ e₃ : [[α]<γ>]     (order)
    /// ────────────────────────────────────────────────────── T-INTERLEAVE
    /// Δ, Γ ⊢1+γ interleave e₁ e₂ e₃ : [α]<1 + γ>
    /// ```
    fn t_concat(&mut self, e: &'p Exp, rule: Rule, args: &[&'p Exp], at: Gamma) -> Checked<Ty> {
        self.enter(rule, e);
        let spine: Vec<usize> = args.iter().map(|_| self.slot()).collect();
        let below = self.arena.fresh_level(self.rank);
        self.turnstile(rule, e, below.above(), at)?;
        let element = self.arena.fresh(self.rank);
        self.kinded_at(element, TypeKind::Bt, rule, "array", e.span);
        let chunk = self.arena.add(Node::Push(element, below));
        let chunks = self.arena.add(Node::Pull(chunk));
        let int = self.arena.add(Node::Int);
        let mut params = vec![int];
        self.argument(rule, "size", args[0], int, at)?;
        if let [_, order, _] = args {
            let pair = self.arena.add(Node::Pair(int, int));
            let wanted = self.arena.add(Node::Fn(pair, int));
            params.push(wanted);
            self.argument(rule, "order", order, wanted, at)?;
        }
        params.push(chunks);
        self.argument(rule, "array", args[args.len() - 1], chunks, below)?;
        let ty = self.arena.add(Node::Push(element, below.above()));
        // The innermost is the operator itself; each one around has an argument less to take.
        for (taken, slot) in spine.into_iter().rev().enumerate() {
            self.settle_function(slot, &params[taken..], ty);
        }
        self.leave(ty, at);
        Ok(ty)
    }

    /// An argument of a form has the type that it must have.
    fn argument(
        &mut self,
        rule: Rule,
        premise: &'static str,
        e: &'p Exp,
        wanted: Ty,
        at: Gamma,
    ) -> Checked {
        let ty = self.exp(e, at, None)?;
        match self.arena.unify(ty, wanted, self.rank) {
            Ok(()) => Ok(()),
            Err(clash) => {
                let refused = mismatch(&self.show(), ty, wanted, e.span);
                self.clash(clash, rule, premise, refused)
            }
        }
    }

    /// The turnstile is at the level of the array that is put together.
    fn turnstile(&mut self, rule: Rule, e: &'p Exp, level: Gamma, at: Gamma) -> Checked {
        match self.arena.unify_levels(level, at) {
            Ok(()) => Ok(()),
            Err(clash) => {
                let refused = refusals::turnstile(&self.show(), level, at, e.span);
                self.clash(clash, rule, "turnstile", refused)
            }
        }
    }

    /// `T-IF` (extension)
    ///
    /// ```text
    /// Δ, Γ ⊢γ e₁ : bool    Δ, Γ ⊢γ e₂ : τ    Δ, Γ ⊢γ e₃ : τ   (condition, branches)
    /// ─────────────────────────────────────────────────────
    /// Δ, Γ ⊢γ if e₁ then e₂ else e₃ : τ
    /// ```
    fn t_if(&mut self, e: &'p Exp, parts: &'p [Exp; 3], at: Gamma) -> Checked<Ty> {
        let rule = Rule::TIf;
        self.enter(rule, e);
        let [cond, then, orelse] = parts;
        let bool = self.arena.add(Node::Bool);
        self.argument(rule, "condition", cond, bool, at)?;
        let ty = self.exp(then, at, None)?;
        let other = self.exp(orelse, at, None)?;
        if let Err(clash) = self.arena.unify(other, ty, self.rank) {
            let refused = self.meeting(other, ty, orelse.span, then.span, "the other branch is");
            return self.clash(clash, rule, "branches", refused);
        }
        self.leave(ty, at);
        Ok(ty)
    }

    /// The type of an expression is that of its signature.
    fn as_signed(&mut self, e: &'p Exp, ty: Ty, wanted: Wanted) -> Checked {
        match self.arena.unify(ty, wanted.ty, self.rank) {
            Ok(()) => Ok(()),
            Err(clash) => {
                let refused =
                    self.meeting(ty, wanted.ty, e.span, wanted.span, "the signature says");
                self.clash(clash, wanted.rule, "signature", refused)
            }
        }
    }

    /// A refusal where two types meet: what is found, and what stands at the other place.
    fn meeting(&self, ty: Ty, wanted: Ty, span: Span, other: Span, what: &str) -> Rejected {
        let show = self.show();
        let label = format!("{what} `{}`", show.ty(wanted));
        refusals::with(mismatch(&show, ty, wanted, span), other, label)
    }

    /// A premise fails, since two types are not the same or one is not of its kind.
    pub(super) fn clash<T>(
        &mut self,
        clash: Clash,
        rule: Rule,
        premise: &'static str,
        refused: Rejected,
    ) -> Checked<T> {
        let (rule, premise, refused) = match clash {
            Clash::Large => return Err(refusals::too_large(refused.span)),
            Clash::Kind(ty, kind, why) => {
                let why = why.map(|id| self.arena.origin(id));
                let (rule, premise) = why.map_or((rule, premise), |why| (why.rule, why.premise));
                let refused = refusals::kind(&self.show(), ty, kind, why, refused.span);
                (rule, premise, refused)
            }
            Clash::LevelEscapes(var) => match self.arena.level_node(var) {
                LevelNode::Rigid { of_function: true, .. } => {
                    let refused = refusals::escape(&self.show(), var, refused);
                    (Rule::TLevelFn, "escape", refused)
                }
                _ => (rule, premise, refusals::escape(&self.show(), var, refused)),
            },
            other => (rule, premise, refusals::detailed(&self.show(), other, refused)),
        };
        debug_assert!(rule.info().premises().contains(&premise), "{premise} is on the roll");
        self.fail(rule, premise, refused)
    }

    /// A place for the type of the expression that is next in preorder.
    fn slot(&mut self) -> usize {
        if self.keeps {
            self.exps.push(Ty::default());
        }
        self.exps.len().wrapping_sub(1)
    }

    fn settle(&mut self, slot: usize, ty: Ty) {
        if self.keeps {
            self.exps[slot] = ty;
        }
    }

    /// The type of an operator that takes these.
    fn settle_function(&mut self, slot: usize, from: &[Ty], to: Ty) {
        if self.keeps {
            let ty = from.iter().rfold(to, |to, from| self.arena.add(Node::Fn(*from, to)));
            self.exps[slot] = ty;
        }
    }
}
