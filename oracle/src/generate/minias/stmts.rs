//! Statements, and what gets stuck.

use super::build::{Build, elided_pointer, int, pointer_to};
use super::{REGION, Written};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::minias::syntax::{
    Builtin, Cond, Decl, Exp, For, Init, Kind, Space, Spaces, Stmt, StmtKind, Type, Written as Way,
};

/// Spaces that a cast may name.
const SPACES: [Space; 3] = [Space::Global, Space::Local, Space::Private];

impl Build<'_, '_> {
    /// Up to so many statements, nested so deep.
    pub(super) fn stmts(&mut self, depth: usize, most: usize) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for _ in 0..1 + self.draw.below(most) {
            if self.draw.is_spent() {
                break;
            }
            self.one(depth, &mut stmts);
        }
        stmts
    }

    fn one(&mut self, depth: usize, into: &mut Vec<Stmt>) {
        let deeper = if depth > 0 { 1 } else { 0 };
        let has = |some: bool, weight: u32| if some { weight } else { 0 };
        let weights = [
            12,
            has(!self.scope.ints.is_empty(), 8),
            24,
            has(!self.scope.elided.is_empty(), 18),
            16,
            10 * deeper,
            12 * deeper,
            has(!self.functions.is_empty(), 8),
            has(!self.scope.elided.is_empty(), 7 * deeper),
            4,
            has(!self.scope.arrays.is_empty(), 10),
            has(self.scope.written.len() > 1, 5),
            2,
        ];
        match self.draw.weighed(&weights) {
            0 => {
                let init = self.int(2);
                let var = self.names.fresh("x");
                let stmt = self.declare(var, int, None, Some(Init::One(init)));
                self.scope.ints.push(var);
                into.push(stmt);
            }
            1 => {
                let var = self.draw.pick(&self.scope.ints.clone());
                let value = self.int(2);
                let stmt = self.assign(var, value);
                into.push(stmt);
            }
            2 => {
                let init = self.pointer(2);
                let var = self.names.fresh("p");
                let stmt = self.declare(var, elided_pointer, None, Some(Init::One(init)));
                self.scope.elided.push(var);
                into.push(stmt);
            }
            3 => {
                let var = self.draw.pick(&self.scope.elided.clone());
                let value = self.pointer(2);
                let stmt = self.assign(var, value);
                into.push(stmt);
            }
            5 => self.branch(depth, into),
            6 => self.counted(depth, into),
            7 => {
                let call = self.call(false, 2).or_else(|| self.call(true, 2));
                let call = call.expect("there is a function");
                let stmt = self.stmt(StmtKind::Exp(call));
                into.push(stmt);
            }
            8 => self.cast(depth, into),
            9 => {
                let init = vec![self.pointer(1), self.pointer(1)];
                let var = self.names.fresh("t");
                let stmt = self.declare(var, elided_pointer, Some(2), Some(Init::Many(init)));
                self.scope.arrays.push(var);
                into.push(stmt);
            }
            10 => {
                let (array, index) = (self.draw.pick(&self.scope.arrays.clone()), self.index(1, 2));
                let (array, value) = (self.var(array), self.pointer(1));
                let stmt = self.store_at(array, index, value);
                into.push(stmt);
            }
            11 => self.of_two_spaces(into),
            12 => {
                let stmt = self.stmt(StmtKind::Empty);
                into.push(stmt);
            }
            _ => {
                let (pointer, index, value) = (self.pointer(1), self.index(1, 4), self.int(2));
                let stmt = self.store_at(pointer, index, value);
                into.push(stmt);
            }
        }
    }

    /// `ASpace {global, local} int *w = r; if (…) { w = s; }`: a row that is written and closed.
    fn of_two_spaces(&mut self, into: &mut Vec<Stmt>) {
        let written = self.scope.written.clone();
        let ((one, space), (other, second)) = (self.draw.pick(&written), self.draw.pick(&written));
        let init = self.var(one);
        let var = self.names.fresh("w");
        let mut declared = self.declare(var, elided_pointer, None, Some(Init::One(init)));
        if let StmtKind::Decl(decl) = &mut declared.kind {
            let names = Spaces::one(space).with(second);
            decl.ty.stars[0].written = Way::Row { names, twice: None, end: None };
        }
        into.push(declared);
        let (condition, value) = (self.int(1), self.var(other));
        let then = self.assign(var, value);
        let stmt = self.stmt(StmtKind::If(Cond::Exp(condition), Box::new(then), None));
        into.push(stmt);
        self.scope.cast.push((var, space));
    }

    fn declare(
        &mut self,
        var: Var,
        ty: fn(reference::kit::text::Span) -> Type,
        extent: Option<u32>,
        init: Option<Init>,
    ) -> Stmt {
        let span = self.span();
        Stmt { span, kind: StmtKind::Decl(Decl { span, var, ty: ty(span), extent, init }) }
    }

    fn assign(&mut self, var: Var, value: Exp) -> Stmt {
        let place = self.var(var);
        self.stmt(StmtKind::Assign(place, value))
    }

    /// `p[i] = e;`
    fn store_at(&mut self, pointer: Exp, index: Exp, value: Exp) -> Stmt {
        let sum = self.both(BinOp::Add, pointer, index);
        let place = self.exp(Kind::Load(Box::new(sum)));
        self.stmt(StmtKind::Assign(place, value))
    }

    pub(super) fn store(&mut self, pointer: Var, index: Exp, value: Exp) -> Stmt {
        let pointer = self.var(pointer);
        self.store_at(pointer, index, value)
    }

    fn block(&mut self, depth: usize) -> Stmt {
        self.enter();
        let stmts = self.stmts(depth - 1, 3);
        self.leave();
        self.stmt(StmtKind::Block(stmts))
    }

    fn branch(&mut self, depth: usize, into: &mut Vec<Stmt>) {
        let condition = if self.draw.chance(15) { self.pointer(1) } else { self.int(2) };
        let then = self.block(depth);
        let otherwise = self.draw.chance(60).then(|| Box::new(self.block(depth)));
        let stmt = self.stmt(StmtKind::If(Cond::Exp(condition), Box::new(then), otherwise));
        into.push(stmt);
    }

    /// `for (int i = 0; i < k; i = i + 1) { … }`, or the same by `while`.
    fn counted(&mut self, depth: usize, into: &mut Vec<Stmt>) {
        let i = self.names.fresh("i");
        let zero = self.number(0);
        let first = self.declare(i, int, None, Some(Init::One(zero)));
        let rounds = 1 + self.draw.below(4) as i32;
        let (var, bound) = (self.var(i), self.number(rounds));
        let while_ = self.both(BinOp::Lt, var, bound);
        let (var, one) = (self.var(i), self.number(1));
        let sum = self.both(BinOp::Add, var, one);
        let next = self.assign(i, sum);
        self.enter();
        self.scope.counters.push(i);
        let body = self.block(depth);
        self.leave();
        let kind = match self.draw.chance(75) {
            true => {
                StmtKind::For(Box::new(For { first: Some(first), while_, next: Some(next), body }))
            }
            false => {
                let body = self.stmt(StmtKind::Block(vec![body, next]));
                let inner = self.stmt(StmtKind::While(while_, Box::new(body)));
                StmtKind::Block(vec![first, inner])
            }
        };
        let stmt = self.stmt(kind);
        into.push(stmt);
    }

    /// `if (global int *c = dynamic_cast<global int *>(p)) { … } else { … }`
    fn cast(&mut self, depth: usize, into: &mut Vec<Stmt>) {
        let space = self.draw.pick(&SPACES);
        let of = self.draw.pick(&self.scope.elided.clone());
        let of = self.var(of);
        let span = self.span();
        let ty = pointer_to(span, space);
        let cast = self.exp(Kind::Dynamic(ty.clone(), Box::new(of)));
        let var = self.names.fresh("c");
        let decl = Decl { span, var, ty, extent: None, init: Some(Init::One(cast)) };
        self.enter();
        self.scope.cast.push((var, space));
        let then = self.block(depth);
        self.leave();
        // The variable is in scope here too, and is NULL.
        let otherwise = self.draw.chance(50).then(|| Box::new(self.block(depth)));
        let stmt = self.stmt(StmtKind::If(Cond::Decl(Box::new(decl)), Box::new(then), otherwise));
        into.push(stmt);
    }

    /// `global int *r = g + get_global_id(0) * 8;`: the first cell of the item's region.
    pub(super) fn region(&mut self, of: Var, space: Space, id: Builtin) -> Stmt {
        let (base, id, size) = (self.var(of), self.exp(Kind::Builtin(id)), self.number(REGION));
        let offset = self.both(BinOp::Mul, id, size);
        let sum = self.both(BinOp::Add, base, offset);
        let var = self.names.fresh("r");
        self.scope.written.push((var, space));
        let span = self.span();
        let ty = pointer_to(span, space);
        let decl = Decl { span, var, ty, extent: None, init: Some(Init::One(sum)) };
        Stmt { span, kind: StmtKind::Decl(decl) }
    }

    /// `local int m[16]; local int *r = m + get_local_id(0) * 8;`
    pub(super) fn local_region(&mut self, size: u32) -> [Stmt; 2] {
        let var = self.names.fresh("m");
        let mut declared = self.declare(var, int, Some(size * REGION as u32), None);
        if let StmtKind::Decl(decl) = &mut declared.kind {
            decl.ty.lies.written = Way::Name(Space::Local);
        }
        [declared, self.region(var, Space::Local, Builtin::LocalId)]
    }

    /// `int a[8] = {…};`
    pub(super) fn private_region(&mut self) -> Stmt {
        let init = (0..self.draw.below(4)).map(|k| self.number(k as i32 * 7)).collect::<Vec<_>>();
        let var = self.names.fresh("a");
        self.scope.written.push((var, Space::Private));
        let init = if init.is_empty() { None } else { Some(Init::Many(init)) };
        self.declare(var, int, Some(REGION as u32), init)
    }

    /// Between two barriers each item reads what the next one of its group has in local memory.
    pub(super) fn exchange(&mut self, local: Var) -> Vec<Stmt> {
        let (id, one) = (self.exp(Kind::Builtin(Builtin::LocalId)), self.number(1));
        let next = self.both(BinOp::Add, id, one);
        let size = self.exp(Kind::Builtin(Builtin::LocalSize));
        let next = self.both(BinOp::Rem, next, size);
        let region = self.number(REGION);
        let offset = self.both(BinOp::Mul, next, region);
        let local = self.var(local);
        let sum = self.both(BinOp::Add, local, offset);
        let load = self.exp(Kind::Load(Box::new(sum)));
        let before = self.stmt(StmtKind::Barrier(Space::Local));
        let var = self.names.fresh("x");
        let read = self.declare(var, int, None, Some(Init::One(load)));
        self.scope.ints.push(var);
        let behind = self.stmt(StmtKind::Barrier(Space::Local));
        vec![before, read, behind]
    }

    /// A barrier at which only some items of a group may arrive.
    pub(super) fn parted(&mut self) -> Stmt {
        let condition = match self.draw.chance(50) {
            true => self.exp(Kind::Builtin(Builtin::LocalId)),
            false => self.int(2),
        };
        let barrier = self.stmt(StmtKind::Barrier(Space::Local));
        self.stmt(StmtKind::If(Cond::Exp(condition), Box::new(barrier), None))
    }

    /// A statement at which some items get stuck.
    pub(super) fn stuck(&mut self) -> Stmt {
        let written: Vec<Written> = self.scope.written.clone();
        let (base, _) = self.draw.pick(&written);
        let exp = match self.draw.below(5) {
            0 => {
                let (base, far) = (self.var(base), self.number(1 << 20));
                let sum = self.both(BinOp::Add, base, far);
                self.exp(Kind::Load(Box::new(sum)))
            }
            1 => {
                let null = self.exp(Kind::Null);
                let ty = pointer_to(self.span(), Space::Global);
                let null = self.exp(Kind::Cast(ty, Box::new(null)));
                self.exp(Kind::Load(Box::new(null)))
            }
            2 => {
                let (one, zero) = (self.int(1), self.number(0));
                self.both(BinOp::Div, one, zero)
            }
            3 => {
                let [(one, _), .., (other, _)] = written[..] else {
                    unreachable!("a kernel has regions")
                };
                let (first, other) = (self.elided(one), self.elided(other));
                self.both(BinOp::Sub, first, other)
            }
            _ => {
                let condition = self.number(0);
                let [(one, _), .., (other, _)] = written[..] else {
                    unreachable!("a kernel has regions")
                };
                let (first, other) = (self.var(one), self.var(other));
                let either = self.exp(Kind::Cond(Box::new([condition, first, other])));
                let ty = pointer_to(self.span(), Space::Global);
                let cast = self.exp(Kind::Cast(ty, Box::new(either)));
                self.exp(Kind::Load(Box::new(cast)))
            }
        };
        let (id, item) = (self.exp(Kind::Builtin(Builtin::GlobalId)), self.draw.below(2) as i32);
        let item = self.number(item);
        let some = self.both(BinOp::Ge, id, item);
        let exp = self.stmt(StmtKind::Exp(exp));
        self.stmt(StmtKind::If(Cond::Exp(some), Box::new(exp), None))
    }

    /// A pointer whose space is not written: comparisons across two that are written are refused.
    fn elided(&mut self, var: Var) -> Exp {
        let (condition, one, other) = (self.number(1), self.var(var), self.var(var));
        self.exp(Kind::Cond(Box::new([condition, one, other])))
    }
}
