//! Warps of a group that differ: control flow that is one for all of them.
//!
//! A barrier is one of the whole group, and all invocations come to it. So what warps do with barriers in it is written
//! for all of them at once: the statements between barriers stand in branches on a *mask*, which says whether the
//! invocation's warp does them.
//!
//! | what a warp does | what all do |
//! |---|---|
//! | a branch | both sides, each under a mask |
//! | a loop | a round as long as one warp goes round, under a mask |
//! | what is the same for all warps | the same |
//!
//! A value that is computed under a mask and used behind a barrier becomes a variable.

use super::code::{Item, Items};
use super::group::{atomic_load, is_first, load};
use super::{Lower, fold};
use reference::device::parts::Statement;
use reference::device::syntax::{
    AtomicOp, BOOL, Block, Carried, Exp, If, Kind, Loop, Place, Scope, Stm, Ty, U32,
};
use reference::device::visit;
use reference::device::visit_mut::change_block;
use reference::kit::faults::WrongFcl;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use rustc_hash::FxHashSet;

/// What warps do, while it is written for all of them.
struct Masks<'l, 'p> {
    lower: &'l mut Lower<'p>,
    span: Span,
    /// Values that became variables.
    kept: FxHashSet<Var>,
}

/// Statements that all invocations come to.
struct Flow<'m> {
    written: Block,
    /// The next ones that only those do which the mask holds for.
    masked: Block,
    mask: &'m Exp,
}

impl Flow<'_> {
    /// What all do. It does not depend on what is done under a mask, but where all do that too it may.
    fn push(&mut self, span: Span, kind: Kind) {
        if fold::truth(self.mask) == Some(true) {
            self.flush();
        }
        self.written.push(Stm { span, kind });
    }

    fn push_masked(&mut self, span: Span, kind: Kind) {
        self.masked.push(Stm { span, kind });
    }

    /// A variable, and what is assigned to it under the mask.
    fn variable(&mut self, span: Span, (var, ty): (Var, Ty), exp: Exp) {
        self.push(span, Kind::Var(var, ty, None));
        self.push_masked(span, Kind::Store(Place::Var(var), exp));
    }

    /// What comes next is for all.
    fn flush(&mut self) {
        let masked = std::mem::take(&mut self.masked);
        match (fold::truth(self.mask), masked.first()) {
            (_, None) => {}
            (Some(true), _) => self.written.extend(masked),
            (_, Some(Stm { span, .. })) => self.push(*span, branch(self.mask.clone(), masked)),
        }
    }
}

impl Lower<'_> {
    /// What invocations do for which the mask holds.
    pub(super) fn under_mask(&mut self, span: Span, mask: Exp, body: Block) -> Items {
        let written = match visit::has_barrier(&body) {
            false => vec![Stm { span, kind: branch(mask, body) }],
            true => {
                let var = self.names.fresh("takes_part");
                let (mut written, mask) = match fold::truth(&mask) {
                    Some(true) => (Vec::new(), mask),
                    _ => (vec![Stm { span, kind: Kind::Let(var, BOOL, mask) }], Exp::Var(var)),
                };
                let mut masks = Masks { lower: self, span, kept: FxHashSet::default() };
                written.extend(masks.block(body, &mask));
                let kept = masks.kept;
                change_block(&mut written, &mut |exp| {
                    if let Exp::Var(var) = *exp
                        && kept.contains(&var)
                    {
                        *exp = load(var);
                    }
                });
                written
            }
        };
        written.into_iter().map(|stm| (stm.span, Item::Kernel(stm.kind))).collect()
    }
}

impl Masks<'_, '_> {
    /// The statements, as all invocations do them.
    fn block(&mut self, body: Block, mask: &Exp) -> Block {
        let mut to = Flow { written: Vec::new(), masked: Vec::new(), mask };
        for stm in body {
            self.statement(stm, &mut to);
        }
        to.flush();
        to.written
    }

    fn statement(&mut self, stm: Stm<Kind>, to: &mut Flow<'_>) {
        let for_all = fold::truth(to.mask) == Some(true);
        let barrier = has_barrier(&stm.kind);
        let Stm { span, kind } = stm;
        match kind {
            Kind::Let(var, ty, exp) => match self.is_same_for_all(&exp) {
                true => to.push(span, Kind::Let(var, ty, exp)),
                false if for_all => to.push_masked(span, Kind::Let(var, ty, exp)),
                false => {
                    self.keep(var);
                    to.variable(span, (var, ty), exp);
                }
            },
            Kind::Var(var, ty, None) => to.push(span, Kind::Var(var, ty, None)),
            Kind::Var(var, ty, Some(exp)) => to.variable(span, (var, ty), exp),
            Kind::Atomic { into: Some(var), op, place, operands } if !for_all => {
                let old = self.lower.names.fresh("old");
                self.keep(var);
                to.push(span, Kind::Var(var, U32, None));
                to.push_masked(span, Kind::Atomic { into: Some(old), op, place, operands });
                to.push_masked(span, Kind::Store(Place::Var(var), Exp::Var(old)));
            }
            kind if !barrier => to.push_masked(span, kind),
            Kind::If(branch) if self.lower.is_uniform(&branch.cond) => {
                to.flush();
                let [then, orelse] =
                    [branch.then, branch.orelse].map(|side| self.block(side, to.mask));
                to.push(span, Kind::If(If { cond: branch.cond, then, orelse }));
            }
            Kind::If(branch) => self.sides(span, branch, to),
            Kind::Loop(rounds) => self.rounds(span, *rounds, to),
            kind => {
                to.flush();
                to.push(span, kind);
            }
        }
    }

    /// Do all invocations have the same value, and may all compute it?
    fn is_same_for_all(&self, exp: &Exp) -> bool {
        let divides = |part: &Exp| matches!(part, Exp::Bin(BinOp::Div | BinOp::Rem, _));
        self.lower.is_uniform(exp) && !visit::any_exp(exp, &mut |part| divides(part))
    }

    /// The value is one of a variable from now on.
    fn keep(&mut self, var: Var) {
        self.lower.vary(var);
        self.kept.insert(var);
    }

    /// Both sides of a branch.
    fn sides(&mut self, span: Span, branch: If<Kind>, to: &mut Flow<'_>) {
        let If { cond, then, orelse } = branch;
        let sides = [(cond.clone(), then), (fold::not(cond), orelse)];
        let sides = sides.into_iter().filter(|(_, side)| !side.is_empty());
        let masks: Vec<(Var, Block)> = sides
            .map(|(cond, side)| {
                let var = self.lower.names.fresh("takes_part");
                to.variable(span, (var, BOOL), cond);
                (var, side)
            })
            .collect();
        to.flush();
        for (var, side) in masks {
            let written = self.block(side, &self.mask_of(var, to.mask));
            to.written.extend(written);
        }
    }

    /// The mask of what only some of the warps do which do what is around it.
    fn mask_of(&self, var: Var, around: &Exp) -> Exp {
        match self.lower.has(WrongFcl::WithoutMasks) {
            true => around.clone(),
            false => load(var),
        }
    }

    /// Rounds as long as one warp goes round.
    fn rounds(&mut self, span: Span, rounds: Loop<Kind>, to: &mut Flow<'_>) {
        let Loop { carried, cond, fuel, body, next } = rounds;
        for Carried { var, ty, init } in &carried {
            self.keep(*var);
            to.variable(span, (*var, ty.clone()), init.clone());
        }
        let [goes, again] = ["goes", "again"].map(|wish| self.lower.names.fresh(wish));
        to.variable(span, (goes, BOOL), cond.clone());
        to.flush();
        let first = self.any(load(goes), &mut to.written);
        let mask = self.mask_of(goes, to.mask);
        let mut round = self.block(body, &mask);
        let (mut computed, mut assigned) = (Block::new(), Block::new());
        for (Carried { var, ty, .. }, exp) in carried.into_iter().zip(next) {
            let value = self.lower.names.fresh("next");
            computed.push(Stm { span, kind: Kind::Let(value, ty, exp) });
            let store = Kind::Store(Place::Var(var), Exp::Var(value));
            assigned.push(Stm { span, kind: store });
        }
        computed.extend(assigned);
        computed.push(Stm { span, kind: Kind::Store(Place::Var(goes), cond) });
        round.push(Stm { span, kind: branch(mask, computed) });
        let on = self.any(load(goes), &mut round);
        let carried = vec![Carried { var: again, ty: U32, init: Exp::Var(first) }];
        let cond = Exp::bin(BinOp::Ne, Exp::Var(again), Exp::u32(0));
        let next = vec![Exp::Var(on)];
        to.push(span, Kind::Loop(Box::new(Loop { carried, cond, fuel, body: round, next })));
    }

    /// Does the condition hold for an invocation of the group? Not 0 if it does, for all of them.
    fn any(&mut self, cond: Exp, to: &mut Block) -> Var {
        let span = self.span;
        let mut push = |kind| to.push(Stm { span, kind });
        self.lower.warps().differ = true;
        let goes = Place::Var(self.lower.warps().goes);
        let atomic = |op, k| Kind::Atomic {
            into: None,
            op,
            place: goes.clone(),
            operands: vec![Exp::u32(k)],
        };
        push(branch(cond, vec![Stm { span, kind: atomic(AtomicOp::Max, 1) }]));
        push(Kind::Barrier(Scope::Workgroup));
        let (now, on) = (self.lower.names.fresh("one_goes"), self.lower.names.fresh("goes_now"));
        self.lower.group().settles = true;
        let flag = self.lower.group().flag;
        let first = [
            atomic_load(now, goes.clone()),
            Kind::Store(Place::Var(flag), Exp::Var(now)),
            atomic(AtomicOp::Store, 0),
        ];
        push(branch(is_first(), first.map(|kind| Stm { span, kind }).into()));
        push(Kind::UniformLoad { into: on, place: Place::Var(flag) });
        self.lower.mark_uniform(on);
        on
    }
}

/// Is it a barrier, or does one stand in it?
fn has_barrier(kind: &Kind) -> bool {
    matches!(kind, Kind::Barrier(_) | Kind::UniformLoad { .. })
        || kind.blocks().into_iter().any(visit::has_barrier)
}

fn branch(cond: Exp, then: Block) -> Kind {
    Kind::If(If { cond, then, orelse: Block::new() })
}
