//! Statements, in the order in which they run.

use super::value::Val;
use super::{Lower, Lowered, fold};
use reference::device::syntax::{Exp, Kind, Scope};
use reference::kit::faults::WrongMinias;
use reference::kit::names::Var;
use reference::kit::text::Span;
use reference::minias::rows::Ty;
use reference::minias::syntax::{
    Cond, Decl, Exp as Source, Function, Init, Kind as SourceKind, Space, Stmt, StmtKind, Written,
};

impl<'p> Lower<'p> {
    /// The body of a function or kernel, and what it returns.
    pub(super) fn body(&mut self, function: &'p Function) -> Lowered<Val> {
        let result = &self.schemes[&function.name].result;
        let zero = self.zero(&self.here(result));
        self.code.set(self.returned, Val::Truth(fold::bool(false)));
        self.code.set(self.result, zero);
        self.stmts(function.body.as_deref().unwrap_or_default())?;
        Ok(self.code.get(self.result).clone())
    }

    /// Has the function returned?
    pub(super) fn has_returned(&self) -> Exp {
        self.code.get(self.returned).clone().truth()
    }

    /// Statements, one after the other until one returns.
    fn stmts(&mut self, stmts: &'p [Stmt]) -> Lowered {
        for (at, stmt) in stmts.iter().enumerate() {
            let returned = self.has_returned();
            if fold::truth(&returned).is_none() {
                // The statement before it may have returned.
                let parts = stmts[at.saturating_sub(1)].span;
                return self.unless_returned(parts, &mut |lower| lower.stmts(&stmts[at..]));
            }
            if fold::truth(&returned) == Some(true) {
                return Ok(());
            }
            self.stmt(stmt)?;
        }
        Ok(())
    }

    /// What is done if the function has not returned yet.
    pub(super) fn unless_returned(
        &mut self,
        span: Span,
        write: &mut dyn FnMut(&mut Self) -> Lowered,
    ) -> Lowered {
        let goes_on = fold::not(self.has_returned());
        let returned = self.returned;
        self.branch(
            span,
            &goes_on,
            &mut |lower| {
                lower.code.set(returned, Val::Truth(fold::bool(false)));
                write(lower)
            },
            &mut |lower| {
                lower.code.set(returned, Val::Truth(fold::bool(true)));
                Ok(())
            },
        )
    }

    pub(super) fn stmt(&mut self, stmt: &'p Stmt) -> Lowered {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Empty => Ok(()),
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::Exp(exp) => self.exp(exp).map(drop),
            StmtKind::Assign(place, value) => self.assign(place, value),
            StmtKind::Return(exp) => self.returns(span, exp.as_ref()),
            StmtKind::Block(body) => self.stmts(body),
            StmtKind::If(cond, then, otherwise) => {
                let holds = match cond {
                    Cond::Exp(exp) => self.exp(exp)?.0.truth(),
                    Cond::Decl(decl) => {
                        self.decl(decl)?;
                        self.declared(decl).truth()
                    }
                };
                self.branch(span, &holds, &mut |lower| lower.stmt(then), &mut |lower| {
                    otherwise.iter().try_for_each(|otherwise| lower.stmt(otherwise))
                })
            }
            StmtKind::While(condition, body) => self.rounds(span, condition, None, body),
            StmtKind::For(parts) => {
                parts.first.iter().try_for_each(|first| self.stmt(first))?;
                self.rounds(span, &parts.while_, parts.next.as_ref(), &parts.body)
            }
            StmtKind::Barrier(space) => {
                let scope = match space {
                    Space::Local if !self.is_wrong(WrongMinias::BarrierScope) => Scope::Workgroup,
                    _ => Scope::Storage,
                };
                self.emit(span, Kind::Barrier(scope));
                Ok(())
            }
        }
    }

    /// What a variable holds that was just declared.
    fn declared(&mut self, decl: &Decl) -> Val {
        match self.around.homes.get(&decl.var).cloned() {
            Some(home) => {
                let ty = self.here(self.types[&decl.var]);
                self.variable(decl.span, &home, &ty)
            }
            None => self.code.get(decl.var).clone(),
        }
    }

    fn returns(&mut self, span: Span, exp: Option<&'p Source>) -> Lowered {
        if let Some(exp) = exp {
            let body = self.graph.instances[self.around.instance].body;
            let function = self.graph.bodies[body].function.name;
            let wanted = self.here(&self.schemes[&function].result);
            let val = self.flows(exp, &wanted)?;
            let val = self.with_names(span, val);
            self.code.set(self.result, val);
        }
        self.code.set(self.returned, Val::Truth(fold::bool(true)));
        Ok(())
    }

    /// The value, with a name for each part that is more than one.
    fn with_names(&mut self, span: Span, mut val: Val) -> Val {
        let types: Vec<_> = val.parts().into_iter().map(|(name, ty, _)| (name, ty)).collect();
        for (part, (name, ty)) in val.parts_mut().into_iter().zip(types) {
            *part = self.named(span, name, ty, part.clone());
        }
        val
    }

    /// A variable is set, in memory or not.
    pub(super) fn sets(&mut self, span: Span, var: Var, val: Val) {
        match self.around.homes.get(&var).cloned() {
            Some(home) => self.set_cell(span, &home, 0, val),
            None => {
                let val = self.with_names(span, val);
                self.code.set(var, val);
            }
        }
    }

    /// `E-DECL`: the values, then the variable is set anew. Local memory stays as it is.
    fn decl(&mut self, decl: &'p Decl) -> Lowered {
        let mut ty = self.here(self.types[&decl.var]);
        if let (true, Ty::Pointer(name)) = (decl.extent.is_some(), &ty) {
            ty = name.to.clone();
        }
        let mut vals = Vec::new();
        for exp in decl.init.iter().flat_map(Init::exps) {
            vals.push(self.flows(exp, &ty)?);
        }
        if decl.ty.lies.written == Written::Name(Space::Local) {
            return Ok(());
        }
        let Some(home) = self.around.homes.get(&decl.var).cloned() else {
            let val = vals.pop().unwrap_or_else(|| self.zero(&ty));
            self.sets(decl.span, decl.var, val);
            return Ok(());
        };
        let count = vals.len() as u32;
        for (at, val) in vals.into_iter().enumerate() {
            self.set_cell(decl.span, &home, at as u32, val);
        }
        self.clear(decl.span, &home, count, &ty);
        Ok(())
    }

    /// `E-ASSIGN`, `E-STORE`: first the place, then the value, then the access.
    fn assign(&mut self, place: &'p Source, value: &'p Source) -> Lowered {
        match &place.kind {
            SourceKind::Load(address) => {
                let (pointer, from) = self.exp(address)?;
                let Ty::Pointer(to) = &from else {
                    unreachable!("what is stored through is a pointer")
                };
                let val = self.flows(value, &to.to)?;
                self.store(place.span, &pointer.pointer(), &from, val);
            }
            SourceKind::Var(var) => {
                let ty = self.here(self.types[var]);
                let val = self.flows(value, &ty)?;
                self.sets(place.span, *var, val);
            }
            other => unreachable!("typing promised a place, and there is {other:?}"),
        }
        Ok(())
    }
}
