//! Schemes `σ`: what a type is generalised over, and `σ ≻ σ'`.

use super::terms::{GENERIC, Gamma, Kind, LevelNode, LevelVar, Node, Origin, Ty, children};
use super::{Checked, Infer, MAX_TYPE, refusals, show};
use crate::fcl::rules::Rule;
use crate::kit::faults::{Fault, WrongFcl};
use crate::kit::text::{MAX_NESTING, Span};

/// `∀ᾱ. τ`
#[derive(Clone, Debug)]
pub(super) struct Poly {
    pub(super) ty: Ty,
    pub(super) types: Vec<Ty>,
    pub(super) levels: Vec<LevelVar>,
}

impl Infer<'_, '_> {
    /// `∀ᾱ. τ`, of the variables of `τ` that are not in `Γ` or `Δ`. Those have a higher rank than is now.
    pub(super) fn generalise(&mut self, ty: Ty, span: Span) -> Checked<Poly> {
        let mut poly = Poly { ty, types: Vec::new(), levels: Vec::new() };
        let mut parts = Vec::new();
        let (mut open, mut size) = (vec![(ty, 0)], 0);
        while let Some((part, depth)) = open.pop() {
            size += 1;
            if size > MAX_TYPE || depth > MAX_NESTING {
                return Err(refusals::too_large(span));
            }
            let part = self.arena.find(part);
            match self.arena.node(part) {
                Node::Var { kind, origin, rank, rigid } if rank > self.rank && rank != GENERIC => {
                    poly.types.push(part);
                    self.arena.set(part, Node::Var { kind, origin, rank: GENERIC, rigid });
                }
                Node::Push(element, level) => {
                    self.generalise_level(level, &mut poly);
                    open.push((element, depth + 1));
                }
                node => {
                    children(node, &mut parts);
                    open.extend(parts.drain(..).map(|part| (part, depth + 1)));
                }
            }
        }
        Ok(poly)
    }

    /// The type; by a planted fault with variables of its own in the place of those of `Γ`, which are generalised then.
    pub(super) fn apart(&mut self, ty: Ty, span: Span) -> Checked<Ty> {
        if !self.planted.is(Fault::Fcl(WrongFcl::GeneralisesContext)) {
            return Ok(ty);
        }
        let (mut open, mut parts, mut own) = (vec![ty], Vec::new(), Vec::new());
        while let Some(part) = open.pop() {
            self.room(span)?;
            let part = self.arena.find(part);
            match self.arena.node(part) {
                Node::Var { kind, rank, rigid: None, origin } if rank <= self.rank => {
                    let fresh = self.arena.fresh(self.rank + 1);
                    let rank = self.rank + 1;
                    self.arena.set(fresh, Node::Var { kind, origin, rank, rigid: None });
                    own.push((part, fresh));
                }
                node => children(node, &mut parts),
            }
            open.append(&mut parts);
        }
        self.arena.copy(own, [], ty).map_err(|_| refusals::too_large(span))
    }

    fn generalise_level(&mut self, level: Gamma, poly: &mut Poly) {
        let Some(var) = self.arena.level(level).var else { return };
        let node = match self.arena.level_node(var) {
            LevelNode::Free { rank } if rank > self.rank && rank != GENERIC => {
                LevelNode::Free { rank: GENERIC }
            }
            LevelNode::Rigid { rank, name, of_function: false }
                if rank > self.rank && rank != GENERIC =>
            {
                LevelNode::Rigid { rank: GENERIC, name, of_function: false }
            }
            _ => return,
        };
        self.arena.set_level(var, node);
        poly.levels.push(var);
    }

    /// `σ ≻ τ` for a type that is not known yet.
    ///
    /// ```text
    /// Δ ⊢ τ : κ                                              (kind)
    /// ───────────────────── I-VAR      ───── I-REFL
    /// ∀α : κ. σ ≻ σ[α ↦ τ]             σ ≻ σ
    ///
    /// σ ≻ σ'    σ' ≻ σ''
    /// ────────────────── I-TRANS
    /// σ ≻ σ''
    /// ```
    ///
    /// The kind of a variable is seen to when it becomes known.
    pub(super) fn instance(&mut self, poly: &Poly, span: Span) -> Checked<Ty> {
        let count = poly.types.len() + poly.levels.len();
        if count == 0 {
            let arena = self.solved.as_ref().unwrap_or(&self.arena);
            let names = self.names;
            self.to.enter(Rule::IRefl, || show::Show::new(arena, names).ty(poly.ty));
            self.to.leave(String::new);
            return Ok(poly.ty);
        }
        if count > 1 {
            self.to.enter(Rule::ITrans, String::new);
        }
        let mut types = Vec::with_capacity(poly.types.len());
        for &var in &poly.types {
            let Node::Var { kind, .. } = self.arena.node(var) else {
                unreachable!("a scheme is over variables")
            };
            let fresh = self.arena.fresh(self.rank);
            self.kinded_at(fresh, kind, Rule::IVar, "kind", span);
            types.push((self.arena.find(var), fresh));
            self.i_var(kind.name(), |show| show.ty(fresh));
        }
        let mut levels = Vec::with_capacity(poly.levels.len());
        for &var in &poly.levels {
            let fresh = self.arena.fresh_level(self.rank);
            levels.push((var, fresh));
            self.i_var("LVL", |show| show.level(fresh));
        }
        if count > 1 {
            self.to.leave(String::new);
        }
        self.arena.copy(types, levels, poly.ty).map_err(|_| refusals::too_large(span))
    }

    /// A node of I-VAR.
    fn i_var(&mut self, kind: &'static str, shown: impl FnOnce(&show::Show<'_>) -> String) {
        let arena = self.solved.as_ref().unwrap_or(&self.arena);
        let names = self.names;
        self.to.enter(Rule::IVar, || kind.to_owned());
        self.to.leave(|| shown(&show::Show::new(arena, names)));
    }

    /// A variable that was just made is of a kind, or else this premise fails.
    pub(super) fn kinded_at(
        &mut self,
        var: Ty,
        kind: Kind,
        rule: Rule,
        premise: &'static str,
        span: Span,
    ) {
        if kind < Kind::Typ {
            let origin = Some(self.arena.add_origin(Origin { rule, premise, span }));
            let node = Node::Var { kind, origin, rank: self.rank, rigid: None };
            self.arena.set(var, node);
        }
    }
}
