//! The names that the body of a lambda uses and does not declare: what `[=]` and `[&]` capture. What stands in `decltype` is
//! not evaluated, so it captures nothing, and may name what is not captured.

use crate::kit::text::Span;
use crate::minias::sycl::syntax::{
    Base, Captures, Cond, Decl, Exp, Init, Kind, Lambda, Stmt, StmtKind, Type,
};

/// The names, in the order of their first use.
#[derive(Default)]
pub(super) struct Names<'p> {
    /// Those that are evaluated.
    pub(super) used: Vec<(&'p str, Span)>,
    /// Those in `decltype`.
    pub(super) mentioned: Vec<(&'p str, Span)>,
}

/// The names of a lambda.
pub(super) fn names(lambda: &Lambda) -> Names<'_> {
    let mut walk = Walk { blocks: Vec::new(), unevaluated: 0, found: Names::default() };
    walk.lambda(lambda);
    walk.found
}

struct Walk<'p> {
    /// What the open blocks declare.
    blocks: Vec<Vec<&'p str>>,
    /// In how many `decltype` it is.
    unevaluated: usize,
    found: Names<'p>,
}

impl<'p> Walk<'p> {
    fn uses(&mut self, name: &'p str, span: Span) {
        let declared = self.blocks.iter().flatten().any(|known| *known == name);
        let Names { used, mentioned } = &mut self.found;
        let found = if self.unevaluated > 0 { mentioned } else { used };
        if !declared && found.iter().all(|(known, _)| *known != name) {
            found.push((name, span));
        }
    }

    fn ty(&mut self, ty: &'p Type) {
        match &ty.base {
            Base::Int | Base::Bool | Base::Void | Base::Auto => {}
            Base::Decltype(exp) => {
                self.unevaluated += 1;
                self.exp(exp);
                self.unevaluated -= 1;
            }
            Base::Pointer(_, to) => self.ty(to),
            Base::Named(_, args) => args.iter().for_each(|arg| self.ty(arg)),
        }
    }

    fn lambda(&mut self, lambda: &'p Lambda) {
        if let Captures::Names(names) = &lambda.captures
            && !self.blocks.is_empty()
        {
            names.iter().for_each(|name| self.uses(&name.text, name.span));
            // Its body names what it captures, and mentions what is around.
            let used = std::mem::take(&mut self.found.used);
            self.body(lambda);
            self.found.used = used;
            return;
        }
        self.body(lambda);
    }

    fn body(&mut self, lambda: &'p Lambda) {
        lambda.params.iter().for_each(|param| self.ty(&param.ty));
        let params = lambda.params.iter().filter_map(|param| param.name.as_ref());
        self.blocks.push(params.map(|name| &*name.text).collect());
        self.block(&lambda.body);
        self.blocks.pop();
    }

    fn block(&mut self, stmts: &'p [Stmt]) {
        self.blocks.push(Vec::new());
        stmts.iter().for_each(|stmt| self.stmt(stmt));
        self.blocks.pop();
    }

    fn decl(&mut self, decl: &'p Decl) {
        self.ty(&decl.ty);
        match &decl.init {
            None => {}
            Some(Init::One(exp)) => self.exp(exp),
            Some(Init::Many(exps)) => exps.iter().for_each(|exp| self.exp(exp)),
        }
        self.blocks.last_mut().expect("a block is open").push(&decl.name.text);
    }

    fn stmt(&mut self, stmt: &'p Stmt) {
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Barrier(_) => {}
            StmtKind::Assert(assert) => assert.types.iter().for_each(|ty| self.ty(ty)),
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::Exp(exp) => self.exp(exp),
            StmtKind::Assign(place, value) => {
                self.exp(place);
                self.exp(value);
            }
            StmtKind::Return(exp) => exp.iter().for_each(|exp| self.exp(exp)),
            StmtKind::Block(body) => self.block(body),
            StmtKind::If(cond, then, otherwise) => {
                self.blocks.push(Vec::new());
                match cond {
                    Cond::Exp(exp) => self.exp(exp),
                    Cond::Decl(decl) => self.decl(decl),
                }
                self.part(then);
                otherwise.iter().for_each(|otherwise| self.part(otherwise));
                self.blocks.pop();
            }
            StmtKind::While(condition, body) => {
                self.exp(condition);
                self.part(body);
            }
            StmtKind::For(parts) => {
                self.blocks.push(Vec::new());
                parts.first.iter().for_each(|first| self.stmt(first));
                self.exp(&parts.while_);
                parts.next.iter().for_each(|next| self.stmt(next));
                self.part(&parts.body);
                self.blocks.pop();
            }
        }
    }

    fn part(&mut self, stmt: &'p Stmt) {
        self.block(std::slice::from_ref(stmt));
    }

    fn exp(&mut self, exp: &'p Exp) {
        match &exp.kind {
            Kind::Int(_) | Kind::Null | Kind::Builtin(_) => {}
            Kind::Name(name) => self.uses(name, exp.span),
            Kind::Cast(ty, part) | Kind::Dynamic(ty, part) => {
                self.ty(ty);
                self.exp(part);
            }
            Kind::Unary(_, part)
            | Kind::Load(part)
            | Kind::Address(part)
            | Kind::SpaceCast { of: part, .. }
            | Kind::Member(part, _) => self.exp(part),
            Kind::Binary(_, one, other) => {
                self.exp(one);
                self.exp(other);
            }
            Kind::Cond(parts) => parts.iter().for_each(|part| self.exp(part)),
            Kind::Call(name, types, args) => {
                types.iter().for_each(|ty| self.ty(ty));
                self.uses(&name.text, name.span);
                args.iter().for_each(|arg| self.exp(arg));
            }
            Kind::Lambda(lambda) => self.lambda(lambda),
        }
    }
}
