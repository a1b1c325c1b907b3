//! `P | Γ ⊢_t s̄`, one rule a function; t is the result of the function.

use super::refusals::written_with;
use super::{Entry, Goal, Infer, Inferred, Variable};
use crate::kit::faults::WrongMinias;
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span};
use crate::minias::rows::{Because, Origin, Row, Ty};
use crate::minias::rules::Rule;
use crate::minias::syntax::{
    Cond, Decl, Exp, For, Init, Kind, Space, Spaces, Stmt, StmtKind, Type, Written,
};

impl Infer<'_, '_> {
    pub(super) fn stmts(&mut self, stmts: &[Stmt]) -> Inferred<()> {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Inferred<()> {
        match &stmt.kind {
            StmtKind::Empty => self.by_stmt(Rule::TEmpty, stmt, |_| Ok(())),
            StmtKind::Exp(exp) => self.by_stmt(Rule::TExpr, stmt, |infer| infer.exp(exp).map(drop)),
            StmtKind::Decl(decl) => self.by_stmt(Rule::TDecl, stmt, |infer| infer.t_decl(decl)),
            StmtKind::Assign(place, value) => match &place.kind {
                Kind::Load(address) => self
                    .by_stmt(Rule::TStore, stmt, |infer| infer.t_store(address, value, place.span)),
                _ => self.by_stmt(Rule::TAssign, stmt, |infer| infer.t_assign(place, value)),
            },
            StmtKind::Return(exp) => {
                self.by_stmt(Rule::TReturn, stmt, |infer| infer.t_return(exp.as_ref(), stmt.span))
            }
            StmtKind::Block(body) => {
                self.by_stmt(Rule::TBlock, stmt, |infer| infer.inside(|infer| infer.stmts(body)))
            }
            StmtKind::If(cond, then, otherwise) => {
                self.by_stmt(Rule::TIf, stmt, |infer| infer.t_if(cond, then, otherwise.as_deref()))
            }
            StmtKind::While(condition, body) => self.by_stmt(Rule::TWhile, stmt, |infer| {
                infer.condition(condition, Rule::TWhile)?;
                infer.inside(|infer| infer.stmt(body))
            }),
            StmtKind::For(parts) => self.by_stmt(Rule::TFor, stmt, |infer| infer.t_for(parts)),
            StmtKind::Barrier(_) => {
                self.by_stmt(Rule::TBarrier, stmt, |infer| infer.t_barrier(stmt.span))
            }
        }
    }

    /// Statements that are not in the outermost block of the function.
    fn inside(&mut self, stmts: impl FnOnce(&mut Self) -> Inferred<()>) -> Inferred<()> {
        let outermost = std::mem::replace(&mut self.around.outermost, false);
        stmts(self)?;
        self.around.outermost = outermost;
        Ok(())
    }

    /// A variable comes into scope.
    pub(super) fn binds(&mut self, var: Var, variable: Variable) {
        self.entries[var.slot()] = Entry::Variable(variable);
        self.bound.push(var);
    }

    /// `T-DECL`
    ///
    /// ```text
    /// a is private, or local in the outermost block of a kernel       (place)
    /// a local variable starts with nothing, an int or a pointer with one value,
    /// an array with at most as many as elements                       (initialiser)
    /// each eᵢ flows to τ                                              (unify)
    /// a pointer in local memory lacks private                         (private)
    /// ──────────────────────────────────────
    /// P|Γ ⊢ τ a x = e
    /// ```
    ///
    /// That no other variable of the block has the name (once) the parser says.
    fn t_decl(&mut self, decl: &Decl) -> Inferred<()> {
        let lies = self.place_of(decl)?;
        let ty = self.ty(&decl.ty)?;
        self.initialiser(decl, lies)?;
        for init in decl.init.iter().flat_map(Init::exps) {
            let found = self.exp(init)?;
            let goal = Goal {
                rule: Rule::TDecl,
                premise: "unify",
                span: Some(decl.ty.span),
                to: Some(decl.var),
            };
            self.flow(&found, init, &ty, goal)?;
        }
        if let (Space::Local, Ty::Pointer(pointer)) = (lies, &ty) {
            let origin = Origin { span: decl.span, because: Because::KeptLocal };
            if let Err(clash) = self.rows.forbid(pointer.row, Space::Private, origin) {
                let told = self.came_into(pointer.row, Space::Private);
                return self.breaks_predicate(clash, decl.ty.span, None, told);
            }
        }
        if self.is_wrong(WrongMinias::ClosedEarly)
            && let Some(end) = ty.row().and_then(|row| self.rows.row(row).end)
            && decl.init.is_some()
        {
            self.rows.close(end, self.to);
        }
        let array = decl.extent.is_some();
        let ty = if array { Ty::pointer(Row::closed(Spaces::one(lies)), true, ty) } else { ty };
        self.binds(decl.var, Variable { ty, span: decl.span, lies, array });
        Ok(())
    }

    fn place_of(&mut self, decl: &Decl) -> Inferred<Space> {
        let at = decl.ty.lies;
        let (message, help) = match at.written {
            Written::Elided | Written::Name(Space::Private) => return Ok(Space::Private),
            Written::Name(Space::Local) if self.around.kernel && self.around.outermost => {
                return Ok(Space::Local);
            }
            Written::Name(Space::Local) => (
                "a local variable stands in the outermost block of a kernel",
                "pass a pointer to it instead",
            ),
            Written::Name(Space::Constant) => {
                ("a constant stands outside of functions", "move it before the function")
            }
            _ => (
                "a variable lies in local or private memory",
                "global memory comes in by the parameters of a kernel",
            ),
        };
        let refused = Rejected::new(at.span, message, "declared here").help(help);
        self.refuse(Rule::TDecl, "place", refused)
    }

    fn initialiser(&mut self, decl: &Decl, lies: Space) -> Inferred<()> {
        let Some(init) = &decl.init else { return Ok(()) };
        let at = init.exps().last().map_or(decl.span, |exp| exp.span);
        let (message, label) = match (init, decl.extent) {
            _ if lies == Space::Local => ("local memory starts with zeros", "no initialiser here"),
            (Init::One(_), None) => return Ok(()),
            (Init::Many(exps), Some(extent)) if exps.len() <= extent as usize => return Ok(()),
            (Init::Many(_), Some(_)) => {
                ("an array starts with more values than it has elements", "one value too many")
            }
            (Init::One(_), Some(_)) => ("an array starts with values in brackets", "one value"),
            (Init::Many(_), None) => ("a variable starts with one value", "several values"),
        };
        self.refuse(Rule::TDecl, "initialiser", Rejected::new(at, message, label))
    }

    /// `T-ASSIGN`: the variable is no array, function or constant (assignable), and e flows to its type (unify).
    fn t_assign(&mut self, place: &Exp, value: &Exp) -> Inferred<()> {
        let variable = match place.kind {
            Kind::Var(var) => match &self.entries[var.slot()] {
                Entry::Variable(variable) => Some((var, variable.clone())),
                _ => None,
            },
            _ => None,
        };
        let assignable =
            |(_, variable): &(Var, Variable)| !variable.array && variable.lies != Space::Constant;
        let Some((var, variable)) = variable.filter(assignable) else {
            let message = format!("`{}` is not assigned to", self.text(place));
            let refused = Rejected::new(place.span, message, "no place that changes")
                .help("a variable, `*p` and `p[i]` are assigned to");
            return self.refuse(Rule::TAssign, "assignable", refused);
        };
        let found = self.exp(value)?;
        let goal = Goal {
            rule: Rule::TAssign,
            premise: "unify",
            span: Some(variable.span),
            to: Some(var),
        };
        let wanted = match self.is_wrong(WrongMinias::WritesOpened) {
            true => self.opened(&variable.ty, variable.span),
            false => variable.ty,
        };
        self.flow(&found, value, &wanted, goal)
    }

    /// `T-STORE`
    ///
    /// ```text
    /// P|Γ ⊢ e : ρ·τ                 (pointer)
    /// P|Γ ⊢ e' flows to τ           (unify)
    /// P ⊨ ρ\constant                (constant)
    /// ────────────────
    /// P|Γ ⊢ *e = e'
    /// ```
    fn t_store(&mut self, address: &Exp, value: &Exp, span: Span) -> Inferred<()> {
        let ty = self.exp(address)?;
        let pointer = self.pointer(&ty, address, Rule::TStore)?;
        let found = self.exp(value)?;
        let goal =
            Goal { rule: Rule::TStore, premise: "unify", span: Some(address.span), to: None };
        self.flow(&found, value, &pointer.to, goal)?;
        match self.stores(pointer.row, span) {
            Ok(()) => Ok(()),
            Err(clash) => {
                let mut told = self.came_into(pointer.row, Space::Constant);
                if told.is_empty() {
                    let declared = self.declared(address).into_iter();
                    told.extend(declared.map(|span| written_with(span, Space::Constant)));
                }
                self.breaks_predicate(clash, address.span, None, told)
            }
        }
    }

    /// `T-RETURN`: e flows to the result (unify); a function without a result returns nothing, and others something (void).
    fn t_return(&mut self, exp: Option<&Exp>, span: Span) -> Inferred<()> {
        let (wanted, at) = self.around.result.clone().expect("a function is around its statements");
        match exp {
            None if wanted == Ty::Void => Ok(()),
            Some(exp) if wanted != Ty::Void => {
                let found = self.exp(exp)?;
                let goal = Goal { rule: Rule::TReturn, premise: "unify", span: Some(at), to: None };
                self.flow(&found, exp, &wanted, goal)
            }
            _ => {
                let message = match exp {
                    None => "the function returns nothing where it has a result",
                    Some(_) => "the function has no result and returns one",
                };
                let refused = Rejected::new(span, message, "returns here").with(at, "its result");
                self.refuse(Rule::TReturn, "void", refused)
            }
        }
    }

    /// `T-IF`: the condition is an int, a pointer, or a declaration whose variable is in scope in both arms (condition).
    fn t_if(&mut self, cond: &Cond, then: &Stmt, otherwise: Option<&Stmt>) -> Inferred<()> {
        self.inside(|infer| {
            match cond {
                Cond::Exp(exp) => infer.condition(exp, Rule::TIf)?,
                Cond::Decl(decl) => {
                    let names = &infer.program.names;
                    infer.to.enter(Rule::TDecl, || names.written(decl.var).to_owned());
                    infer.t_decl(decl)?;
                    infer.to.leave(String::new);
                }
            }
            infer.stmt(then)?;
            otherwise.map_or(Ok(()), |otherwise| infer.stmt(otherwise))
        })
    }

    /// `T-FOR`: as its first statement and a `while` (condition).
    fn t_for(&mut self, parts: &For) -> Inferred<()> {
        self.inside(|infer| {
            parts.first.iter().try_for_each(|first| infer.stmt(first))?;
            infer.condition(&parts.while_, Rule::TFor)?;
            parts.next.iter().try_for_each(|next| infer.stmt(next))?;
            infer.stmt(&parts.body)
        })
    }

    /// `T-BARRIER`: it stands in a kernel (kernel).
    fn t_barrier(&mut self, span: Span) -> Inferred<()> {
        if self.around.kernel {
            return Ok(());
        }
        let message = "a barrier stands in a kernel only";
        let refused = Rejected::new(span, message, "in a function");
        self.refuse(
            Rule::TBarrier,
            "kernel",
            refused.help("move it to the kernel that calls the function"),
        )
    }
}

/// A kernel takes ints, and int pointers to one named space that is not private.
pub(super) fn is_kernel_parameter(ty: &Type) -> bool {
    let named = ty.points_to().is_some_and(|space| space != Space::Private);
    ty.stars.is_empty() || ty.stars.len() == 1 && named
}
