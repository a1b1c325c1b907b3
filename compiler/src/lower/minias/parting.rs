//! Which assignment makes items of a group part, for the message of a barrier that is refused. That it is refused the device
//! program says, in which a variable may have become a select of its values; here they are still assignments.

use super::scan;
use reference::kit::names::Var;
use reference::kit::text::Span;
use reference::minias::syntax::{Builtin, Cond, Decl, Exp, Function, Init, Kind, Stmt, StmtKind};
use rustc_hash::{FxHashMap, FxHashSet};

/// What makes items part at a statement, beside what the statement says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// A variable in it has another value for some items, since this assignment or declaration.
    Assigned(Var, Span),
    /// Some items return here.
    Returns(Span),
}

/// What makes items part at this `if` or loop of a kernel, if it stands elsewhere.
pub(super) fn why(kernel: &Function, control: Span) -> Option<Why> {
    let body = kernel.body.as_deref().unwrap_or_default();
    let mut flow = Flow { control, changed: true, ..Flow::default() };
    // Variables only ever become varying, so this ends.
    while flow.changed {
        flow.changed = false;
        flow.parted = 0;
        body.iter().for_each(|stmt| flow.stmt(stmt));
    }
    match &scan::at(kernel, control)?.kind {
        StmtKind::If(Cond::Exp(exp), ..) | StmtKind::While(exp, _) => flow.known(exp),
        StmtKind::If(Cond::Decl(decl), ..) => {
            let exps = decl.init.iter().flat_map(Init::exps);
            flow.any_varies(exps).and_then(assigned)
        }
        StmtKind::For(parts) => flow.known(&parts.while_),
        _ => flow.returns.map(Why::Returns),
    }
}

/// Why a value differs among items.
#[derive(Clone, Copy)]
enum Varies {
    /// By the number of the item, or by what is read of memory or returned.
    Itself,
    /// By a variable, since it was assigned here.
    Since(Var, Span),
}

fn assigned(varies: Varies) -> Option<Why> {
    match varies {
        Varies::Itself => None,
        Varies::Since(var, span) => Some(Why::Assigned(var, span)),
    }
}

#[derive(Default)]
struct Flow {
    /// The statement in question.
    control: Span,
    /// Variables whose address is taken: they are in memory.
    addressed: FxHashSet<Var>,
    varying: FxHashMap<Var, Span>,
    /// In how many statements in which items part variables are declared.
    declared: FxHashMap<Var, usize>,
    /// In how many the walk is.
    parted: usize,
    /// The first `return` in the statement in question that only some items reach.
    returns: Option<Span>,
    changed: bool,
}

impl Flow {
    /// What makes items part at a statement with this condition.
    fn known(&self, condition: &Exp) -> Option<Why> {
        match self.varies(condition) {
            Some(varies) => assigned(varies),
            None => self.returns.map(Why::Returns),
        }
    }

    fn varies(&self, exp: &Exp) -> Option<Varies> {
        match &exp.kind {
            Kind::Builtin(Builtin::GlobalId | Builtin::LocalId) => Some(Varies::Itself),
            Kind::Load(_) | Kind::Call(..) => Some(Varies::Itself),
            Kind::Int(_) | Kind::Null | Kind::Builtin(_) => None,
            Kind::Var(var) if self.addressed.contains(var) => Some(Varies::Itself),
            Kind::Var(var) => self.varying.get(var).map(|at| Varies::Since(*var, *at)),
            Kind::Address(place) => match &place.kind {
                Kind::Load(part) => self.varies(part),
                _ => None,
            },
            Kind::Unary(_, part) | Kind::Cast(_, part) | Kind::Dynamic(_, part) => {
                self.varies(part)
            }
            Kind::Binary(_, one, other) => self.any_varies([&**one, &**other]),
            Kind::Cond(parts) => self.any_varies(parts.iter()),
        }
    }

    /// What differs by itself is told before a variable that does: it needs no other place.
    fn any_varies<'e>(&self, exps: impl IntoIterator<Item = &'e Exp>) -> Option<Varies> {
        let found = exps.into_iter().filter_map(|exp| self.varies(exp));
        found.reduce(|first, next| if matches!(next, Varies::Itself) { next } else { first })
    }

    fn mark(&mut self, var: Var, at: Span) {
        let known = self.varying.len();
        self.varying.entry(var).or_insert(at);
        self.changed |= self.varying.len() > known;
    }

    fn addresses(&mut self, exp: &Exp) {
        match &exp.kind {
            Kind::Int(_) | Kind::Null | Kind::Builtin(_) | Kind::Var(_) => {}
            Kind::Address(place) => match &place.kind {
                Kind::Var(var) => self.changed |= self.addressed.insert(*var),
                _ => self.addresses(place),
            },
            Kind::Unary(_, part)
            | Kind::Load(part)
            | Kind::Cast(_, part)
            | Kind::Dynamic(_, part) => self.addresses(part),
            Kind::Binary(_, one, other) => {
                [one, other].into_iter().for_each(|part| self.addresses(part))
            }
            Kind::Cond(parts) => parts.iter().for_each(|part| self.addresses(part)),
            Kind::Call(_, args) => args.iter().for_each(|arg| self.addresses(arg)),
        }
    }

    fn decl(&mut self, decl: &Decl, at: Span) {
        self.declared.insert(decl.var, self.parted);
        for exp in decl.init.iter().flat_map(Init::exps) {
            self.addresses(exp);
            // An array is the pointer to its first element.
            if decl.extent.is_none() && self.varies(exp).is_some() {
                self.mark(decl.var, at);
            }
        }
    }

    /// Runs over what stands behind a condition.
    fn under(&mut self, varies: bool, inside: impl FnOnce(&mut Self)) {
        self.parted += usize::from(varies);
        inside(self);
        self.parted -= usize::from(varies);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Barrier(_) => {}
            StmtKind::Exp(exp) => self.addresses(exp),
            StmtKind::Decl(decl) => self.decl(decl, stmt.span),
            StmtKind::Assign(place, value) => {
                self.addresses(place);
                self.addresses(value);
                if let Kind::Var(var) = place.kind {
                    let around = self.declared.get(&var).copied().unwrap_or_default();
                    if self.parted > around || self.varies(value).is_some() {
                        self.mark(var, stmt.span);
                    }
                }
            }
            StmtKind::Return(_) => {
                let (at, control) = (stmt.span, self.control);
                let is_inside = control.start <= at.start && at.end <= control.end;
                if is_inside && self.parted > 0 && self.returns.is_none() {
                    self.returns = Some(at);
                }
            }
            StmtKind::Block(body) => body.iter().for_each(|stmt| self.stmt(stmt)),
            StmtKind::If(cond, then, otherwise) => {
                let varies = match cond {
                    Cond::Exp(exp) => {
                        self.addresses(exp);
                        self.varies(exp).is_some()
                    }
                    Cond::Decl(decl) => {
                        self.decl(decl, decl.span);
                        self.varying.contains_key(&decl.var)
                    }
                };
                self.under(varies, |flow| {
                    flow.stmt(then);
                    otherwise.iter().for_each(|otherwise| flow.stmt(otherwise));
                });
            }
            StmtKind::While(condition, body) => {
                self.addresses(condition);
                self.under(self.varies(condition).is_some(), |flow| flow.stmt(body));
            }
            StmtKind::For(parts) => {
                parts.first.iter().for_each(|first| self.stmt(first));
                self.addresses(&parts.while_);
                self.under(self.varies(&parts.while_).is_some(), |flow| {
                    flow.stmt(&parts.body);
                    parts.next.iter().for_each(|next| flow.stmt(next));
                });
            }
        }
    }
}
