//! `Δ ⊢ τ : κ`, for the types and levels that a program writes.

use super::terms::{Gamma, Kind, LevelNode, Node, Origin, Ty};
use super::{Checked, Entry, Infer, refusals};
use crate::fcl::print;
use crate::fcl::rules::Rule;
use crate::fcl::syntax::{Level, Scheme, Type};
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span};
use rustc_hash::FxHashSet;

/// The kind that a type must have, and the premise that fails if it has not.
#[derive(Clone, Copy)]
pub(super) struct Wants {
    kind: Kind,
    why: Option<Origin>,
}

impl<'p> Infer<'p, '_> {
    /// The type of a signature, whose own variables are rigid.
    pub(super) fn signature(&mut self, scheme: &'p Scheme) -> Checked<Ty> {
        let mut levels = FxHashSet::default();
        level_variables(&scheme.ty, &mut levels);
        for &var in &scheme.vars {
            self.entries[var.slot()] = if levels.contains(&var) {
                let node =
                    LevelNode::Rigid { rank: self.rank, name: Some(var), of_function: false };
                Entry::Level(self.arena.add_level(node))
            } else {
                let (kind, rank) = (Kind::Typ, self.rank);
                let node = Node::Var { kind, origin: None, rank, rigid: Some(var) };
                Entry::Type(self.arena.add(node))
            };
        }
        self.kind(&scheme.ty, Wants { kind: Kind::Typ, why: None }, scheme.span)
    }

    /// `Δ ⊢ τ : κ`; a type of a narrower kind is of a wider one:
    ///
    /// ```text
    /// Δ ⊢ τ : BT              Δ ⊢ τ : GT
    /// ────────── K-GT         ────────── K-TYP
    /// Δ ⊢ τ : GT              Δ ⊢ τ : TYP
    /// ```
    fn kind(&mut self, ty: &'p Type, wants: Wants, span: Span) -> Checked<Ty> {
        let own = match ty {
            Type::Int | Type::Double | Type::Bool => Kind::Bt,
            Type::Pull(_) | Type::Push(..) => Kind::Gt,
            Type::Fn(_) | Type::LevelFn(..) => Kind::Typ,
            // Those of what it is made of.
            Type::Var(_) | Type::Pair(_) => wants.kind,
        };
        if own > wants.kind {
            let why = wants.why.unwrap_or_else(|| unreachable!("every type is of kind TYP"));
            let what = print::ty(self.names, ty);
            return self.fail(why.rule, why.premise, not_of_kind(&what, wants.kind, span));
        }
        for (rule, wide) in [(Rule::KTyp, Kind::Typ), (Rule::KGt, Kind::Gt)] {
            if own < wide && wide <= wants.kind {
                self.to.enter(rule, String::new);
            }
        }
        let node = self.kind_by_form(ty, wants, span)?;
        for (rule, wide) in [(Rule::KGt, Kind::Gt), (Rule::KTyp, Kind::Typ)] {
            if own < wide && wide <= wants.kind {
                let names = self.names;
                self.to.leave(|| format!("{} : {}", print::ty(names, ty), rule_kind(rule)));
            }
        }
        Ok(node)
    }

    /// ```text
    /// ──────────── K-INT     ─────────────── K-DOUBLE     ───────────── K-BOOL
    /// Δ ⊢ int : BT           Δ ⊢ double : BT              Δ ⊢ bool : BT
    ///
    /// Δ(α) = κ       (scope)     Δ ⊢ τᵢ : κ
    /// ───────── K-VAR            ─────────────── K-PAIR
    /// Δ ⊢ α : κ                  Δ ⊢ (τ, τ') : κ
    ///
    ///                            Δ, α : LVL ⊢ τ : TYP
    /// ──────────────── K-FUN     ──────────────────── K-LFUN
    /// Δ ⊢ τ → τ' : TYP           Δ ⊢ <α> → τ : TYP
    ///
    /// Δ ⊢ τ : GT   (ground)      Δ ⊢ τ : BT   Δ ⊢ γ : LVL   (base)
    /// ──────────── K-PULL        ──────────────────────── K-PUSH
    /// Δ ⊢ [τ] : GT               Δ ⊢ [τ]<γ> : GT
    /// ```
    fn kind_by_form(&mut self, ty: &'p Type, wants: Wants, span: Span) -> Checked<Ty> {
        let any = Wants { kind: Kind::Typ, why: None };
        let below = |kind, rule, premise| {
            let why = Some(Origin { rule, premise, span });
            Wants { kind, why }
        };
        let (rule, kind) = match ty {
            Type::Int => (Rule::KInt, Kind::Bt),
            Type::Double => (Rule::KDouble, Kind::Bt),
            Type::Bool => (Rule::KBool, Kind::Bt),
            Type::Var(_) => (Rule::KVar, wants.kind),
            Type::Pair(_) => (Rule::KPair, wants.kind),
            Type::Fn(_) => (Rule::KFun, Kind::Typ),
            Type::LevelFn(..) => (Rule::KLevelFun, Kind::Typ),
            Type::Pull(_) => (Rule::KPull, Kind::Gt),
            Type::Push(..) => (Rule::KPush, Kind::Gt),
        };
        let names = self.names;
        self.to.enter(rule, || print::ty(names, ty));
        let node = match ty {
            Type::Int => self.arena.add(Node::Int),
            Type::Double => self.arena.add(Node::Double),
            Type::Bool => self.arena.add(Node::Bool),
            Type::Var(var) => self.k_var(*var, wants, span)?,
            Type::Pair(parts) => {
                let a = self.kind(&parts[0], wants, span)?;
                let b = self.kind(&parts[1], wants, span)?;
                self.arena.add(Node::Pair(a, b))
            }
            Type::Fn(parts) => {
                let (from, to) =
                    (self.kind(&parts[0], any, span)?, self.kind(&parts[1], any, span)?);
                self.arena.add(Node::Fn(from, to))
            }
            Type::LevelFn(var, inner) => {
                let level = self.arena.add_level(LevelNode::Bound);
                self.entries[var.slot()] = Entry::Level(level);
                let inner = self.kind(inner, any, span)?;
                self.arena.add(Node::LevelFn(level, inner))
            }
            Type::Pull(element) => {
                let element = self.kind(element, below(Kind::Gt, rule, "ground"), span)?;
                self.arena.add(Node::Pull(element))
            }
            Type::Push(element, level) => {
                let element = self.kind(element, below(Kind::Bt, rule, "base"), span)?;
                let level = self.level(*level, span)?;
                self.arena.add(Node::Push(element, level))
            }
        };
        self.to.leave(|| format!("{} : {}", print::ty(names, ty), kind.name()));
        Ok(node)
    }

    /// K-VAR for a type: it is of the narrowest kind that is asked of it.
    fn k_var(&mut self, var: Var, wants: Wants, span: Span) -> Checked<Ty> {
        let Entry::Type(ty) = self.entries[var.slot()] else {
            let refused = refusals::unbound(self.names, var, span);
            return self.fail(Rule::KVar, "scope", refused);
        };
        let origin = wants.why.map(|why| self.arena.add_origin(why));
        self.arena.be(ty, wants.kind, origin).map_err(|_| refusals::too_large(span))?;
        Ok(ty)
    }

    /// `Δ ⊢ γ : LVL`
    ///
    /// ```text
    ///                       Δ ⊢ γ : LVL
    /// ─────────── K-Z      ─────────────── K-SUCC
    /// Δ ⊢ Z : LVL          Δ ⊢ 1 + γ : LVL
    /// ```
    pub(super) fn level(&mut self, level: Level, span: Span) -> Checked<Gamma> {
        self.to.fire(Rule::KSucc, level.succs.into());
        let names = self.names;
        let Some(var) = level.var else {
            self.to.enter(Rule::KZero, || print::level(names, level));
            self.to.leave(|| "LVL".to_owned());
            return Ok(Gamma::number(level.succs));
        };
        self.to.enter(Rule::KVar, || print::level(names, level));
        let Entry::Level(var) = self.entries[var.slot()] else {
            return self.fail(Rule::KVar, "scope", refusals::unbound(names, var, span));
        };
        self.to.leave(|| "LVL".to_owned());
        Ok(Gamma { succs: level.succs, var: Some(var) })
    }
}

/// The kind that a rule of subsumption concludes.
fn rule_kind(rule: Rule) -> &'static str {
    if rule == Rule::KGt { "GT" } else { "TYP" }
}

/// A type that a program writes is not of the kind that it must have.
fn not_of_kind(what: &str, kind: Kind, span: Span) -> Rejected {
    let (message, help) = match kind {
        Kind::Bt => (
            format!("`{what}` is no type of elements of a push array"),
            "those are int, double, bool and pairs of them",
        ),
        _ => {
            (format!("`{what}` is no type of elements of an array"), "an array holds no functions")
        }
    };
    Rejected::new(span, message, "this type").help(help)
}

/// The variables that stand for levels in a type.
fn level_variables(ty: &Type, to: &mut FxHashSet<Var>) {
    match ty {
        Type::Int | Type::Double | Type::Bool | Type::Var(_) => {}
        Type::Pair(parts) | Type::Fn(parts) => {
            parts.iter().for_each(|part| level_variables(part, to))
        }
        Type::LevelFn(_, inner) | Type::Pull(inner) => level_variables(inner, to),
        Type::Push(inner, level) => {
            to.extend(level.var);
            level_variables(inner, to);
        }
    }
}
