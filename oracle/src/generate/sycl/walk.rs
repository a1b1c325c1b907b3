//! The places of a program of MiniSYCL at which a premise can be broken: they are counted, one is drawn, and changed. All lie in
//! the kernels; what is in a lambda is left alone, since it is looked at when the lambda is called.

use super::ill_typed::Put;
use reference::kit::language::Language;
use reference::minias::syntax::Space;
use reference::sycl::Sycl;
use reference::sycl::syntax::{
    Base, Cond, Decl, Exp, Function, Init, Item, Kind, Place, Program, Stmt, StmtKind,
};

/// What a way changes, and how. Each says whether it can.
pub(super) enum At {
    /// An expression that has a value.
    Exp(fn(&mut Exp) -> bool),
    /// A statement.
    Stmt(fn(&mut Stmt) -> bool),
    /// A declaration.
    Decl(fn(&mut Decl) -> bool),
    /// Statements come between two others, and items before all others.
    Put(fn(&Bound) -> Option<Put>),
    /// An item; another one may come before all others.
    Item(fn(&mut Item, &mut Option<Item>) -> bool),
    /// The program.
    Program(fn(&mut Program)),
}

/// Names at a place.
#[derive(Clone, Default)]
pub(super) struct Bound {
    /// The parameters of the kernel that are pointers to ints, with their spaces, if they are not constant.
    pub(super) pointers: Vec<(String, Space)>,
    /// The variables that the innermost block has so far.
    pub(super) here: Vec<String>,
}

/// The text of the program after a change at one of the places where there is one.
pub(super) fn edited(program: &Program, at: &At, place: u64) -> Option<String> {
    let mut changed = program.clone();
    if let At::Program(change) = at {
        change(&mut changed);
        return Some(Sycl::print(&changed));
    }
    let mut walk = Walk { at, seen: 0, wanted: None, made: false, front: Vec::new() };
    walk.program(&mut changed);
    walk.wanted = Some(place.checked_rem(walk.seen)?);
    walk.seen = 0;
    walk.front.clear();
    let mut changed = program.clone();
    walk.program(&mut changed);
    changed.items.splice(0..0, walk.front);
    Some(Sycl::print(&changed))
}

struct Walk<'w> {
    at: &'w At,
    /// The places so far at which the change can be made.
    seen: u64,
    /// Which of them is changed.
    wanted: Option<u64>,
    made: bool,
    /// Items that come before all others.
    front: Vec<Item>,
}

impl Walk<'_> {
    /// Changes what stands here, if it can be changed and is what is wanted.
    fn offer<T: Clone>(
        &mut self,
        node: &mut T,
        change: impl FnOnce(&mut T, &mut Vec<Item>) -> bool,
    ) {
        let (mut other, mut front) = (node.clone(), Vec::new());
        if self.made || !change(&mut other, &mut front) {
            return;
        }
        if self.wanted == Some(self.seen) {
            *node = other;
            self.front = front;
            self.made = true;
        }
        self.seen += 1;
    }

    fn program(&mut self, program: &mut Program) {
        for item in &mut program.items {
            if let At::Item(change) = self.at {
                self.offer(item, |item, front| {
                    let mut other = None;
                    let changed = change(item, &mut other);
                    front.extend(other);
                    changed
                });
            }
            if let Item::Function(Function { kernel: true, params, body, .. }) = item {
                let pointer = |param: &reference::sycl::syntax::Param| match &param.ty.base {
                    Base::Pointer(Place::Named(space), to)
                        if to.base == Base::Int && *space != Space::Constant =>
                    {
                        param.name.as_ref().map(|name| (name.text.clone(), *space))
                    }
                    _ => None,
                };
                let pointers = params.iter().filter_map(pointer).collect();
                let names = params.iter().filter_map(|param| param.name.as_ref());
                let here = names.map(|name| name.text.clone()).collect();
                self.stmts(body, &mut Bound { pointers, here });
            }
        }
    }

    fn stmts(&mut self, body: &mut Vec<Stmt>, bound: &mut Bound) {
        let mut at = 0;
        loop {
            if let At::Put(change) = self.at {
                self.offer(body, |body, front| {
                    let Some(put) = change(bound) else { return false };
                    body.splice(at..at, put.stmts);
                    *front = put.front;
                    true
                });
            }
            if self.made {
                return;
            }
            let Some(stmt) = body.get_mut(at) else { return };
            self.stmt(stmt, bound);
            at += 1;
        }
    }

    /// A statement in a block of its own.
    fn inner(&mut self, stmt: &mut Stmt, bound: &Bound) {
        self.stmt(stmt, &mut Bound { here: Vec::new(), ..bound.clone() });
    }

    fn stmt(&mut self, stmt: &mut Stmt, bound: &mut Bound) {
        if let At::Stmt(change) = self.at {
            self.offer(stmt, |stmt, _| change(stmt));
        }
        match &mut stmt.kind {
            StmtKind::Empty | StmtKind::Barrier(_) | StmtKind::Assert(_) => {}
            StmtKind::Decl(decl) => {
                if let At::Decl(change) = self.at {
                    self.offer(decl, |decl, _| change(decl));
                }
                self.init(decl);
                bound.here.push(decl.name.text.clone());
            }
            StmtKind::Exp(exp) => self.exp(exp),
            StmtKind::Assign(_, value) => self.exp(value),
            StmtKind::Return(exp) => exp.iter_mut().for_each(|exp| self.exp(exp)),
            StmtKind::Block(body) => {
                self.stmts(body, &mut Bound { here: Vec::new(), ..bound.clone() });
            }
            StmtKind::If(cond, then, otherwise) => {
                match cond {
                    Cond::Exp(exp) => self.exp(exp),
                    Cond::Decl(decl) => self.init(decl),
                }
                self.inner(then, bound);
                otherwise.iter_mut().for_each(|stmt| self.inner(stmt, bound));
            }
            StmtKind::While(condition, body) => {
                self.exp(condition);
                self.inner(body, bound);
            }
            StmtKind::For(parts) => {
                if let Some(first) = &mut parts.first {
                    self.inner(first, bound);
                }
                self.exp(&mut parts.while_);
                self.inner(&mut parts.body, bound);
            }
        }
    }

    fn init(&mut self, decl: &mut Decl) {
        match &mut decl.init {
            None => {}
            Some(Init::One(exp)) => self.exp(exp),
            Some(Init::Many(exps)) => exps.iter_mut().for_each(|exp| self.exp(exp)),
        }
    }

    fn exp(&mut self, exp: &mut Exp) {
        if let At::Exp(change) = self.at {
            self.offer(exp, |exp, _| change(exp));
        }
        match &mut exp.kind {
            Kind::Int(_)
            | Kind::Null
            | Kind::Name(_)
            | Kind::Builtin(_)
            | Kind::Address(_)
            | Kind::Lambda(_) => {}
            Kind::Unary(_, part)
            | Kind::Load(part)
            | Kind::Cast(_, part)
            | Kind::Dynamic(_, part)
            | Kind::SpaceCast { of: part, .. }
            | Kind::Member(part, _) => self.exp(part),
            Kind::Binary(_, one, other) => {
                self.exp(one);
                self.exp(other);
            }
            Kind::Cond(parts) => parts.iter_mut().for_each(|part| self.exp(part)),
            Kind::Call(_, _, args) => args.iter_mut().for_each(|arg| self.exp(arg)),
        }
    }
}
