//! The places of a program at which a premise can be broken: they are counted, one is drawn, and changed.

use super::super::build;
use reference::kit::dice::Dice;
use reference::kit::language::Language;
use reference::kit::names::{Names, Var};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use reference::minias::Minias;
use reference::minias::syntax::{
    Cond, Decl, Exp, Function, Init, Item, Kind, Op, Param, Program, Space, Stmt, StmtKind, Type,
};
use std::collections::{HashMap, HashSet};

/// What a way changes, and how. Each says whether it can.
pub(super) enum At {
    /// An expression that has a value.
    Exp(fn(&mut Exp, &mut Edit<'_>) -> bool),
    /// A statement.
    Stmt(fn(&mut Stmt, &mut Edit<'_>) -> bool),
    /// Statements come between two others.
    Put(fn(&mut Edit<'_>) -> Option<Vec<Stmt>>),
    /// A type of a pointer, which is not that of a kernel's parameter.
    Type(fn(&mut Type, &mut Edit<'_>) -> bool),
    /// A constant, a function or a kernel.
    Item(fn(&mut Item, &mut Edit<'_>) -> bool),
}

/// A variable in scope.
#[derive(Clone, Copy)]
pub(super) struct Known {
    pub(super) var: Var,
    /// How many stars its value has; of an array one more than its elements.
    pub(super) depth: usize,
    pub(super) array: bool,
    pub(super) lies: Space,
    /// The space that the outermost star is written with.
    pub(super) space: Option<Space>,
}

/// What is in scope at a place.
#[derive(Clone, Default)]
pub(super) struct Scope {
    pub(super) known: Vec<Known>,
    /// How many of them the innermost block does not bind.
    pub(super) outer: usize,
    pub(super) kernel: bool,
    /// Is it the outermost block of a function?
    pub(super) outermost: bool,
    /// The stars of the result; nothing of `void`.
    pub(super) result: Option<usize>,
}

/// What an edit sees, and what it makes besides.
pub(super) struct Edit<'p> {
    pub(super) scope: &'p Scope,
    pub(super) kernel: Var,
    /// Functions that are declared once.
    pub(super) alone: &'p HashSet<Var>,
    results: &'p HashMap<Var, Option<usize>>,
    pub(super) names: &'p mut Names,
    pub(super) dice: Dice,
    /// Items that come before all others.
    pub(super) front: Vec<Item>,
    /// The first variable is printed as the second.
    pub(super) same: Option<(Var, Var)>,
}

/// The text of the program after a change at one of the places where there is one.
pub(super) fn edited(program: &Program, at: &At, place: u64) -> Option<String> {
    let kernel = program.kernels().next()?.name;
    let results = program.functions().map(|function| (function.name, stars(&function.result)));
    let results = results.collect();
    let mut alone = HashSet::new();
    for function in program.functions() {
        if !alone.insert(function.name) {
            alone.remove(&function.name);
        }
    }
    let alone = &alone;
    let results = &results;
    let mut walk = Walk { at, kernel, alone, results, place, seen: 0, wanted: None, made: None };
    walk.program(&mut program.clone());
    walk.wanted = Some(place.checked_rem(walk.seen)?);
    walk.seen = 0;
    let mut changed = program.clone();
    walk.program(&mut changed);
    let Made { names, front, same } = walk.made?;
    changed.names = names;
    changed.items.splice(0..0, front);
    let text = Minias::print(&changed);
    Some(match same {
        Some((one, other)) => text.replace(changed.names.text(one), changed.names.text(other)),
        None => text,
    })
}

/// The stars of a type; nothing of `void`.
pub(super) fn stars(ty: &Type) -> Option<usize> {
    (!ty.void).then_some(ty.stars.len())
}

/// What an edit that was made made besides.
struct Made {
    names: Names,
    front: Vec<Item>,
    same: Option<(Var, Var)>,
}

struct Walk<'w> {
    at: &'w At,
    kernel: Var,
    alone: &'w HashSet<Var>,
    results: &'w HashMap<Var, Option<usize>>,
    place: u64,
    /// The places so far at which the change can be made.
    seen: u64,
    /// Which of them is changed.
    wanted: Option<u64>,
    made: Option<Made>,
}

impl Walk<'_> {
    /// Changes what stands here, if it can be changed and is what is wanted.
    fn offer<T: Clone>(
        &mut self,
        node: &mut T,
        (scope, names): (&Scope, &Names),
        change: impl FnOnce(&mut T, &mut Edit<'_>) -> bool,
    ) {
        if self.made.is_some() {
            return;
        }
        let (mut names, mut other) = (names.clone(), node.clone());
        let mut edit = Edit {
            scope,
            kernel: self.kernel,
            alone: self.alone,
            results: self.results,
            names: &mut names,
            dice: Dice::new(Dice::at(self.place, 1 + self.seen)),
            front: Vec::new(),
            same: None,
        };
        if !change(&mut other, &mut edit) {
            return;
        }
        let (front, same) = (std::mem::take(&mut edit.front), edit.same);
        if self.wanted == Some(self.seen) {
            *node = other;
            self.made = Some(Made { names, front, same });
        }
        self.seen += 1;
    }

    fn program(&mut self, program: &mut Program) {
        let names = program.names.clone();
        let mut scope = Scope::default();
        for item in &mut program.items {
            if let At::Item(change) = self.at {
                self.offer(item, (&scope, &names), change);
            }
            match item {
                Item::Constant(decl) => scope.known.push(known(decl, Space::Constant)),
                Item::Function(function) => self.function(function, scope.clone(), &names),
            }
        }
    }

    fn function(&mut self, function: &mut Function, mut scope: Scope, names: &Names) {
        scope.outer = scope.known.len();
        scope.kernel = function.kernel;
        scope.outermost = true;
        scope.result = stars(&function.result);
        for param in &mut function.params {
            if !function.kernel {
                self.ty(&mut param.ty, &scope, names);
            }
            scope.known.extend(param.var.map(|var| Known {
                var,
                depth: param.ty.stars.len(),
                array: false,
                lies: Space::Private,
                space: param.ty.points_to(),
            }));
        }
        self.ty(&mut function.result, &scope, names);
        if let Some(body) = &mut function.body {
            self.stmts(body, &mut scope, names);
        }
    }

    fn ty(&mut self, ty: &mut Type, scope: &Scope, names: &Names) {
        if let At::Type(change) = self.at
            && !ty.stars.is_empty()
        {
            self.offer(ty, (scope, names), change);
        }
    }

    fn stmts(&mut self, body: &mut Vec<Stmt>, scope: &mut Scope, names: &Names) {
        let mut at = 0;
        loop {
            if let At::Put(change) = self.at {
                self.offer(body, (scope, names), |body, edit| {
                    let Some(stmts) = change(edit) else { return false };
                    body.splice(at..at, stmts);
                    true
                });
                if self.made.is_some() {
                    return;
                }
            }
            let Some(stmt) = body.get_mut(at) else { return };
            self.stmt(stmt, scope, names);
            at += 1;
        }
    }

    /// A statement in a scope of its own.
    fn inner(&mut self, stmt: &mut Stmt, scope: &Scope, names: &Names) {
        let mut scope = Scope { outermost: false, ..scope.clone() };
        self.stmt(stmt, &mut scope, names);
    }

    fn stmt(&mut self, stmt: &mut Stmt, scope: &mut Scope, names: &Names) {
        if let At::Stmt(change) = self.at {
            self.offer(stmt, (scope, names), change);
        }
        match &mut stmt.kind {
            StmtKind::Empty | StmtKind::Barrier(_) => {}
            StmtKind::Decl(decl) => self.decl(decl, scope, names),
            StmtKind::Exp(exp) => self.exp(exp, scope, names),
            StmtKind::Assign(place, value) => {
                if let Kind::Load(address) = &mut place.kind {
                    self.exp(address, scope, names);
                }
                self.exp(value, scope, names);
            }
            StmtKind::Return(exp) => exp.iter_mut().for_each(|exp| self.exp(exp, scope, names)),
            StmtKind::Block(body) => {
                let mut scope = Scope { outermost: false, ..scope.clone() };
                scope.outer = scope.known.len();
                self.stmts(body, &mut scope, names);
            }
            StmtKind::If(cond, then, otherwise) => {
                let mut scope = Scope { outermost: false, ..scope.clone() };
                match cond {
                    Cond::Exp(exp) => self.exp(exp, &scope, names),
                    Cond::Decl(decl) => self.decl(decl, &mut scope, names),
                }
                self.inner(then, &scope, names);
                otherwise.iter_mut().for_each(|stmt| self.inner(stmt, &scope, names));
            }
            StmtKind::While(condition, body) => {
                self.exp(condition, scope, names);
                self.inner(body, scope, names);
            }
            StmtKind::For(parts) => {
                let mut scope = Scope { outermost: false, ..scope.clone() };
                if let Some(first) = &mut parts.first {
                    self.stmt(first, &mut scope, names);
                }
                self.exp(&mut parts.while_, &scope, names);
                if let Some(next) = &mut parts.next {
                    self.stmt(next, &mut scope, names);
                }
                self.inner(&mut parts.body, &scope, names);
            }
        }
    }

    fn decl(&mut self, decl: &mut Decl, scope: &mut Scope, names: &Names) {
        self.ty(&mut decl.ty, scope, names);
        match &mut decl.init {
            None => {}
            Some(Init::One(exp)) => self.exp(exp, scope, names),
            Some(Init::Many(exps)) => exps.iter_mut().for_each(|exp| self.exp(exp, scope, names)),
        }
        let lies = decl.ty.lies.name().unwrap_or(Space::Private);
        scope.known.push(known(decl, lies));
    }

    fn exp(&mut self, exp: &mut Exp, scope: &Scope, names: &Names) {
        if let At::Exp(change) = self.at {
            self.offer(exp, (scope, names), change);
        }
        match &mut exp.kind {
            Kind::Int(_) | Kind::Null | Kind::Var(_) | Kind::Builtin(_) => {}
            Kind::Address(place) => {
                if let Kind::Load(address) = &mut place.kind {
                    self.exp(address, scope, names);
                }
            }
            Kind::Cast(ty, part) | Kind::Dynamic(ty, part) => {
                self.ty(ty, scope, names);
                self.exp(part, scope, names);
            }
            Kind::Unary(_, part) | Kind::Load(part) => self.exp(part, scope, names),
            Kind::Binary(_, one, other) => {
                self.exp(one, scope, names);
                self.exp(other, scope, names);
            }
            Kind::Cond(parts) => parts.iter_mut().for_each(|part| self.exp(part, scope, names)),
            Kind::Call(_, args) => args.iter_mut().for_each(|arg| self.exp(arg, scope, names)),
        }
    }
}

fn known(decl: &Decl, lies: Space) -> Known {
    let array = decl.extent.is_some();
    Known {
        var: decl.var,
        depth: decl.ty.stars.len() + usize::from(array),
        array,
        lies,
        space: if array { Some(lies) } else { decl.ty.points_to() },
    }
}

impl Edit<'_> {
    /// The stars of the expression's type: nothing of NULL, or of what has no value.
    pub(super) fn depth(&self, exp: &Exp) -> Option<usize> {
        match &exp.kind {
            Kind::Int(_) | Kind::Builtin(_) | Kind::Unary(..) => Some(0),
            Kind::Null => None,
            Kind::Var(var) => self.known(*var).map(|known| known.depth),
            Kind::Binary(Op::Scalar(BinOp::Add | BinOp::Sub), one, other) => {
                match (self.depth(one)?, self.depth(other)?) {
                    (0, depth) | (depth, 0) => Some(depth),
                    _ => Some(0),
                }
            }
            Kind::Binary(..) => Some(0),
            Kind::Load(part) => self.depth(part)?.checked_sub(1),
            Kind::Address(place) => Some(self.depth(place)? + 1),
            Kind::Cond(parts) => self.depth(&parts[1]).or_else(|| self.depth(&parts[2])),
            Kind::Call(name, _) => self.results.get(name).copied().flatten(),
            Kind::Cast(ty, _) | Kind::Dynamic(ty, _) => Some(ty.stars.len()),
        }
    }

    /// The variable, if it is in scope.
    pub(super) fn known(&self, var: Var) -> Option<Known> {
        self.scope.known.iter().rev().find(|known| known.var == var).copied()
    }

    /// One of the variables in scope of which this holds.
    pub(super) fn one(&mut self, holds: impl Fn(&Known) -> bool) -> Option<Known> {
        let fitting: Vec<Known> =
            self.scope.known.iter().filter(|known| holds(known)).copied().collect();
        let count = fitting.len() as u64;
        (count > 0).then(|| fitting[self.dice.below(count) as usize])
    }

    /// A pointer to ints that is a variable in scope.
    pub(super) fn pointer(&mut self, span: Span) -> Option<Exp> {
        let known = self.one(|known| known.depth == 1)?;
        Some(Exp { span, kind: Kind::Var(known.var) })
    }

    /// A function without a result, which comes first in the program: its name.
    pub(super) fn void(&mut self, span: Span) -> Var {
        let (name, param) = (self.names.fresh("nothing"), self.names.fresh("n"));
        let int = build::int(span);
        let result = Type { void: true, ..int.clone() };
        let params = vec![Param { span, var: Some(param), ty: int }];
        let body = Some(Vec::new());
        let function = Function { span, name, kernel: false, result, params, body };
        self.front.push(Item::Function(function));
        name
    }

    /// An array of constants: one of the program, or a new one that comes first in it.
    pub(super) fn constant(&mut self, span: Span) -> Var {
        if let Some(known) = self.one(|known| known.array && known.lies == Space::Constant) {
            return known.var;
        }
        let var = self.names.fresh("c");
        let init = Some(Init::Many(vec![Exp { span, kind: Kind::Int(3) }]));
        let ty = build::constant_int(span);
        self.front.push(Item::Constant(Decl { span, var, ty, extent: Some(2), init }));
        var
    }
}
