//! `P|Γ ⊢_t s̄ ⇝ s̄'`: statements stay what they are.

use super::Translation;
use crate::minias::rows::Ty;
use crate::minias::syntax::{self, Cond, Decl, For, Init, Kind, Stmt, StmtKind};
use crate::minias::target::{self, Exp};

impl Translation<'_, '_> {
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) -> Vec<Stmt<Exp>> {
        stmts.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn boxed(&mut self, stmt: &Stmt) -> Box<Stmt<Exp>> {
        Box::new(self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Stmt<Exp> {
        let kind = match &stmt.kind {
            StmtKind::Empty => StmtKind::Empty,
            StmtKind::Barrier(space) => StmtKind::Barrier(*space),
            StmtKind::Decl(decl) => StmtKind::Decl(self.decl(decl)),
            StmtKind::Exp(exp) => StmtKind::Exp(self.exp(exp).0),
            StmtKind::Assign(place, value) => self.assign(place, value),
            StmtKind::Return(exp) => {
                let result = &self.schemes[&self.function].result;
                StmtKind::Return(exp.as_ref().map(|exp| self.flows(exp, result, false)))
            }
            StmtKind::Block(body) => StmtKind::Block(self.stmts(body)),
            StmtKind::If(cond, then, otherwise) => {
                let cond = match cond {
                    Cond::Exp(exp) => Cond::Exp(self.exp(exp).0),
                    Cond::Decl(decl) => Cond::Decl(Box::new(self.decl(decl))),
                };
                let then = self.boxed(then);
                StmtKind::If(cond, then, otherwise.as_ref().map(|stmt| self.boxed(stmt)))
            }
            StmtKind::While(condition, body) => {
                StmtKind::While(self.exp(condition).0, self.boxed(body))
            }
            StmtKind::For(parts) => StmtKind::For(Box::new(For {
                first: parts.first.as_ref().map(|stmt| self.stmt(stmt)),
                while_: self.exp(&parts.while_).0,
                next: parts.next.as_ref().map(|stmt| self.stmt(stmt)),
                body: self.stmt(&parts.body),
            })),
        };
        Stmt { span: stmt.span, kind }
    }

    /// Arrays hold pairs, and so do variables whose address is taken.
    fn decl(&mut self, decl: &Decl) -> Decl<Exp> {
        let mut ty = self.types[&decl.var];
        if decl.extent.is_some() {
            self.arrays.insert(decl.var);
            let Ty::Pointer(name) = ty else { unreachable!("the name of an array is a pointer") };
            ty = &name.to;
        }
        let pairs = decl.extent.is_some() || self.addressed.contains(&decl.var);
        let init = match &decl.init {
            None => None,
            Some(Init::One(exp)) => Some(Init::One(self.flows(exp, ty, pairs))),
            Some(Init::Many(exps)) => {
                Some(Init::Many(exps.iter().map(|exp| self.flows(exp, ty, pairs)).collect()))
            }
        };
        Decl { span: decl.span, var: decl.var, ty: decl.ty.clone(), extent: decl.extent, init }
    }

    fn assign(&mut self, place: &syntax::Exp, value: &syntax::Exp) -> StmtKind<Exp> {
        let span = place.span;
        match &place.kind {
            Kind::Load(address) => {
                let (pointer, ty) = self.exp(address);
                let Ty::Pointer(to) = ty else {
                    unreachable!("what is stored through is a pointer")
                };
                let at = self.at(to.row);
                let value = self.flows(value, &to.to, true);
                let place = Exp { span, kind: target::Kind::Load(at, Box::new(pointer)) };
                StmtKind::Assign(place, value)
            }
            Kind::Var(var) => {
                let pairs = self.addressed.contains(var);
                let value = self.flows(value, self.types[var], pairs);
                StmtKind::Assign(Exp { span, kind: target::Kind::Var(*var) }, value)
            }
            other => unreachable!("typing promised a place, and there is {other:?}"),
        }
    }
}
