//! What is known of a function before it is lowered: the notes of its expressions, whom it calls, which of its
//! variables are in memory.

use reference::kit::names::Var;
use reference::kit::text::Span;
use reference::minias::rows::Ty;
use reference::minias::syntax::{
    Builtin, Cond, Decl, Exp, For, Function, Init, Kind, Stmt, StmtKind,
};
use reference::minias::types::Note;
use rustc_hash::{FxHashMap, FxHashSet};

/// A function with a body.
pub(super) struct Body<'p> {
    pub(super) function: &'p Function,
    /// What is inferred of its expressions, by where they are.
    notes: FxHashMap<*const Exp, &'p Note>,
    pub(super) calls: Vec<Call<'p>>,
    /// The variables whose address is taken.
    pub(super) addressed: FxHashSet<Var>,
    /// The declarations.
    pub(super) decls: Vec<&'p Decl>,
    /// The variables that are read by name.
    pub(super) read: FxHashSet<Var>,
    /// Does it ask which item runs it?
    pub(super) asks: bool,
    /// The types of what it stores through pointers.
    pub(super) stores: Vec<&'p Ty>,
}

/// A call.
pub(super) struct Call<'p> {
    pub(super) function: Var,
    pub(super) note: &'p Note,
    pub(super) in_loop: bool,
}

impl<'p> Body<'p> {
    /// Of a function, with its notes.
    pub(super) fn of(function: &'p Function, notes: &'p [Note]) -> Self {
        let mut body = Body {
            function,
            notes: FxHashMap::default(),
            calls: Vec::new(),
            addressed: FxHashSet::default(),
            decls: Vec::new(),
            read: FxHashSet::default(),
            asks: false,
            stores: Vec::new(),
        };
        let mut notes = notes.iter();
        stmts(function.body.as_deref().unwrap_or_default(), false, &mut |found| match found {
            Found::Exp(exp, in_loop) => {
                let note = notes.next().expect("each expression has a note");
                assert_eq!(note.span, exp.span, "the notes are in the order of the expressions");
                body.exp(exp, note, in_loop);
            }
            Found::Stmt(_) => {}
            Found::Decl(decl) => body.decls.push(decl),
            Found::Store(value) => {
                let note = body.note(value);
                body.stores.push(&note.ty);
            }
        });
        body
    }

    fn exp(&mut self, exp: &'p Exp, note: &'p Note, in_loop: bool) {
        self.notes.insert(exp, note);
        match &exp.kind {
            Kind::Call(function, _) => {
                self.calls.push(Call { function: *function, note, in_loop });
            }
            Kind::Address(place) => {
                if let Kind::Var(var) = place.kind {
                    self.addressed.insert(var);
                    self.read.insert(var);
                }
            }
            Kind::Var(var) => drop(self.read.insert(*var)),
            Kind::Builtin(Builtin::GlobalId | Builtin::LocalId | Builtin::GroupId) => {
                self.asks = true;
            }
            _ => {}
        }
    }

    /// What is inferred of one of its expressions.
    ///
    /// # Panics
    /// If it is no expression that has a note.
    pub(super) fn note(&self, exp: &Exp) -> &'p Note {
        self.notes[&(exp as *const Exp)]
    }
}

/// The statement of a function at this place.
pub(super) fn at(function: &Function, span: Span) -> Option<&Stmt> {
    let mut known = None;
    stmts(function.body.as_deref().unwrap_or_default(), false, &mut |found| {
        if let Found::Stmt(stmt) = found
            && stmt.span == span
        {
            known = Some(stmt);
        }
    });
    known
}

/// What a body has.
enum Found<'p> {
    /// An expression that has a note, before its parts; is it in a loop?
    Exp(&'p Exp, bool),
    /// A declaration.
    Decl(&'p Decl),
    /// A statement, before what stands in it.
    Stmt(&'p Stmt),
    /// A value that was stored through a pointer.
    Store(&'p Exp),
}

type Visit<'v, 'p> = &'v mut dyn FnMut(Found<'p>);

fn stmts<'p>(body: &'p [Stmt], in_loop: bool, visit: Visit<'_, 'p>) {
    body.iter().for_each(|stmt| self::stmt(stmt, in_loop, visit));
}

fn stmt<'p>(stmt: &'p Stmt, in_loop: bool, visit: Visit<'_, 'p>) {
    visit(Found::Stmt(stmt));
    match &stmt.kind {
        StmtKind::Empty | StmtKind::Barrier(_) => {}
        StmtKind::Decl(decl) => self::decl(decl, in_loop, visit),
        StmtKind::Exp(exp) => self::exp(exp, in_loop, visit),
        StmtKind::Assign(place, value) => {
            if let Kind::Load(address) = &place.kind {
                self::exp(address, in_loop, visit);
                self::exp(value, in_loop, visit);
                visit(Found::Store(value));
            } else {
                self::exp(value, in_loop, visit);
            }
        }
        StmtKind::Return(exp) => exp.iter().for_each(|exp| self::exp(exp, in_loop, visit)),
        StmtKind::Block(body) => stmts(body, in_loop, visit),
        StmtKind::If(cond, then, otherwise) => {
            match cond {
                Cond::Exp(exp) => self::exp(exp, in_loop, visit),
                Cond::Decl(decl) => self::decl(decl, in_loop, visit),
            }
            self::stmt(then, in_loop, visit);
            otherwise.iter().for_each(|stmt| self::stmt(stmt, in_loop, visit));
        }
        StmtKind::While(condition, body) => {
            self::exp(condition, true, visit);
            self::stmt(body, true, visit);
        }
        StmtKind::For(parts) => {
            let For { first, while_, next, body } = &**parts;
            first.iter().for_each(|first| self::stmt(first, in_loop, visit));
            self::exp(while_, true, visit);
            next.iter().for_each(|next| self::stmt(next, true, visit));
            self::stmt(body, true, visit);
        }
    }
}

fn decl<'p>(decl: &'p Decl, in_loop: bool, visit: Visit<'_, 'p>) {
    decl.init.iter().flat_map(Init::exps).for_each(|exp| self::exp(exp, in_loop, visit));
    visit(Found::Decl(decl));
}

fn exp<'p>(exp: &'p Exp, in_loop: bool, visit: Visit<'_, 'p>) {
    visit(Found::Exp(exp, in_loop));
    match &exp.kind {
        Kind::Int(_) | Kind::Null | Kind::Var(_) | Kind::Builtin(_) => {}
        Kind::Address(place) => {
            if let Kind::Load(part) = &place.kind {
                self::exp(part, in_loop, visit);
            }
        }
        Kind::Unary(_, part) | Kind::Load(part) | Kind::Cast(_, part) | Kind::Dynamic(_, part) => {
            self::exp(part, in_loop, visit);
        }
        Kind::Binary(_, left, right) => {
            self::exp(left, in_loop, visit);
            self::exp(right, in_loop, visit);
        }
        Kind::Cond(parts) => parts.iter().for_each(|part| self::exp(part, in_loop, visit)),
        Kind::Call(_, args) => args.iter().for_each(|arg| self::exp(arg, in_loop, visit)),
    }
}

/// The variables that a loop assigns and that are declared outside of it, and whether it returns.
pub(super) fn assigned(body: &Stmt, next: Option<&Stmt>) -> (Vec<Var>, bool) {
    let mut found = Assigned::default();
    found.stmt(body);
    next.into_iter().for_each(|next| found.stmt(next));
    let Assigned { mut vars, declared, returns } = found;
    vars.retain(|var| !declared.contains(var));
    (vars, returns)
}

#[derive(Default)]
struct Assigned {
    vars: Vec<Var>,
    declared: FxHashSet<Var>,
    returns: bool,
}

impl Assigned {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(place, _) => {
                if let Kind::Var(var) = place.kind
                    && !self.vars.contains(&var)
                {
                    self.vars.push(var);
                }
            }
            StmtKind::Decl(decl) => drop(self.declared.insert(decl.var)),
            StmtKind::Return(_) => self.returns = true,
            StmtKind::Block(body) => body.iter().for_each(|stmt| self.stmt(stmt)),
            StmtKind::If(cond, then, otherwise) => {
                if let Cond::Decl(decl) = cond {
                    self.declared.insert(decl.var);
                }
                self.stmt(then);
                otherwise.iter().for_each(|stmt| self.stmt(stmt));
            }
            StmtKind::While(_, body) => self.stmt(body),
            StmtKind::For(parts) => {
                for stmt in parts.first.iter().chain(&parts.next).chain([&parts.body]) {
                    self.stmt(stmt);
                }
            }
            StmtKind::Empty | StmtKind::Exp(_) | StmtKind::Barrier(_) => {}
        }
    }
}
