//! `M; E ⊢ s̄ ⇓ M'; E'` by small steps: a statement without statements inside is one step, and
//! so is the choice of a branch, each round of a loop, and a call. What an invocation is in the
//! middle of stands in its frames, so another one may make the next step.

mod control;

use super::code::Code;
use super::memory::{Cells, Shared};
use super::values::{Eval, Failure, Frame, Halt, Invocation, Ref, State, Times, Val};
use crate::device::print;
use crate::device::rules::Rule;
use crate::device::scalar::Cell;
use crate::device::syntax::{AtomicOp, Check, Exp, Function, Kind, Place, Scope, Space, Stm, Ty};
use crate::device::types::Typed;
use crate::kit::names::Var;
use crate::kit::outcome::{Cause, Site, holds};
use crate::kit::tap::Inside;
use smallvec::SmallVec;

/// Cells that a statement makes for nothing; more are paid for.
const FREE_CELLS: u32 = 16;

/// An invocation that makes steps.
pub(super) struct Thread<'t, 'm, 'p> {
    pub(super) code: &'t Code<'p>,
    pub(super) own: &'t mut Invocation<'p>,
    pub(super) shared: &'t mut Shared<'m, 'p>,
    pub(super) times: Times,
}

impl<'p> Thread<'_, '_, 'p> {
    /// Makes steps until the invocation cannot make another.
    ///
    /// # Errors
    /// [`Halt::Fuel`]; a premise that fails is a state of the invocation.
    pub(super) fn run(&mut self) -> Eval<Option<Failure>> {
        while let State::Ready = self.own.state {
            if let Some(failure) = self.advance()? {
                return Ok(Some(failure));
            }
        }
        Ok(None)
    }

    /// Makes one step, and says which premise failed if one did.
    ///
    /// # Errors
    /// [`Halt::Fuel`]
    pub(super) fn advance(&mut self) -> Eval<Option<Failure>> {
        let step = self.step();
        self.own.cells.truncate(self.code.cells as usize);
        match step {
            Ok(state) => {
                self.own.state = state;
                Ok(None)
            }
            Err(halt) => match *halt {
                Halt::Stuck(failure) => {
                    self.own.state = State::Stuck;
                    Ok(Some(failure))
                }
                Halt::Fuel => Err(halt),
            },
        }
    }

    fn step(&mut self) -> Eval<State<'p>> {
        loop {
            match self.own.frames.last_mut() {
                None => return Ok(State::Ended),
                Some(Frame::Seq([])) => {
                    self.own.frames.pop();
                }
                Some(Frame::Seq(stms)) => {
                    let [first, rest @ ..] = *stms else { unreachable!("it is not empty") };
                    *stms = rest;
                    return self.stm(first);
                }
                Some(&mut Frame::Loop { rounds, span, left, inside }) => {
                    self.shared.span = span;
                    return self.d_loop_round(rounds, left, inside);
                }
                Some(&mut Frame::Par { par, iteration, count, inside }) => {
                    return self.d_par_iteration(par, iteration, count, inside);
                }
                Some(&mut Frame::UniformLoad { stm, into, place }) => {
                    self.own.frames.pop();
                    self.shared.span = stm.span;
                    return self.d_uniform_load_read(stm, into, place);
                }
                Some(&mut Frame::Joins { span, side }) => {
                    self.own.frames.pop();
                    self.shared.tells(|tap, clock| tap.joins(span, side, clock));
                }
                Some(&mut Frame::Call { function, into }) => {
                    self.shared.span = function.span;
                    return self.d_call_return(function, into);
                }
            }
        }
    }

    /// `M; E ⊢ s ⇓ M'; E'`
    fn stm(&mut self, stm: &'p Stm<Kind>) -> Eval<State<'p>> {
        self.shared.span = stm.span;
        self.counted()?;
        match &stm.kind {
            Kind::Let(x, _, e) => self.by(Rule::Let, stm, |thread| thread.d_let(*x, e)),
            Kind::Var(x, ty, e) => {
                self.by(Rule::Variable, stm, |thread| thread.d_variable(*x, ty, e.as_ref()))
            }
            Kind::Store(place, e) => self.by(Rule::Store, stm, |thread| thread.d_store(place, e)),
            Kind::Atomic { into, op, place, operands } => {
                self.by(Rule::Atomic, stm, |thread| thread.d_atomic(*into, *op, place, operands))
            }
            Kind::If(branch) => self.by(Rule::If, stm, |thread| thread.d_if(branch)),
            Kind::Switch(switch) => self.by(Rule::Switch, stm, |thread| thread.d_switch(switch)),
            Kind::Loop(rounds) => self.by(Rule::Loop, stm, |thread| thread.d_loop(rounds)),
            Kind::Call { into, function, args } => {
                self.by(Rule::Call, stm, |thread| thread.d_call(*into, *function, args))
            }
            Kind::Check(check) => self.by(Rule::Check, stm, |thread| thread.d_check(check)),
            Kind::Barrier(scope) => self.by(Rule::Barrier, stm, |_| Ok(d_barrier(*scope, stm))),
            Kind::UniformLoad { into, place } => self
                .by(Rule::UniformLoad, stm, |thread| Ok(thread.d_uniform_load(stm, *into, place))),
            Kind::Par(par) => self.by(Rule::Par, stm, |thread| thread.d_par(par)),
        }
    }

    /// `D-LET`
    ///
    /// ```text
    /// M; E ⊢ e ⇓ v
    /// ────────────────────────────────────────
    /// M; E ⊢ let x : τ = e ⇓ M; E, x ↦ v
    /// ```
    fn d_let(&mut self, x: Var, e: &'p Exp) -> Eval<State<'p>> {
        let v = self.exp(e)?;
        self.bind(x, v)?;
        Ok(State::Ready)
    }

    /// `D-VARIABLE`
    ///
    /// ```text
    /// M; E ⊢ e ⇓ v, or v is the zero of τ without an e
    /// ────────────────────────────────────────────────
    /// M; E ⊢ var x : τ = e ⇓ M; E, x ↦ v
    /// ```
    #[inline(never)]
    fn d_variable(&mut self, x: Var, ty: &'p Ty, e: Option<&'p Exp>) -> Eval<State<'p>> {
        match e {
            Some(e) => {
                let v = self.exp(e)?;
                self.bind(x, v)?;
            }
            None => {
                let n = self.shared.layout.cells(Typed::of(ty));
                self.pay_for(n)?;
                let at = self.code.slot(x).at as usize;
                self.own.cells[at..at + n as usize].fill(0);
            }
        }
        Ok(State::Ready)
    }

    /// `D-STORE`
    ///
    /// ```text
    /// M; E ⊢ place ⇓ r      M; E ⊢ e ⇓ v
    /// ──────────────────────────────────
    /// M; E ⊢ place = e ⇓ M, r ↦ v; E
    /// ```
    ///
    /// Variables of the function and private space are in `E`. To store a component of a vector is an access of all of
    /// it ([WGSL, 13.2](https://www.w3.org/TR/WGSL/#memory-access-operation)), though the others keep their values.
    fn d_store(&mut self, place: &'p Place, e: &'p Exp) -> Eval<State<'p>> {
        let (r, vector) = self.target(place)?;
        let v = self.exp(e)?;
        let times = self.times;
        match (r, v) {
            (Ref::Element { element, base, length, index }, v) => {
                let at = self.inside(element, (base, length), index)?;
                self.shared.store(element.sc(), at, v.cell(), times);
            }
            (Ref::At(Space::Storage, at, _), Val::Scalar(sc, v)) => {
                self.shared.store(sc, at, v, times);
            }
            (Ref::At(Space::Storage, ..), _) => unreachable!("validated: blocks have scalars"),
            (Ref::At(Space::Function | Space::Private, at, _), v) => {
                if place.is_fixed() {
                    self.pay_for(v.cells(self.shared.layout))?;
                }
                self.put(at, v)?;
            }
            (Ref::At(Space::Workgroup, at, _), Val::Scalar(_, v)) => {
                self.shared.store_group(at, v, times);
                vector.filter(|other| *other != at).for_each(|other| {
                    self.shared.rewrite_group(other, times);
                });
            }
            (Ref::At(Space::Workgroup, at, _), v) => {
                let n = v.cells(self.shared.layout);
                self.pay_for(n)?;
                let from = self.reserve(n);
                self.put_cells(from, v);
                for i in 0..n {
                    let cell = self.own.cells[(from + i) as usize];
                    self.shared.store_group(at + i, cell, times);
                }
            }
        }
        Ok(State::Ready)
    }

    /// `D-ATOMIC`
    ///
    /// ```text
    /// M; E ⊢ place ⇓ r      M; E ⊢ eᵢ ⇓ vᵢ      M(r) = v      M' = M, r ↦ op(v, v̄)
    /// ────────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ x = atomic op(place, e₁, …) ⇓ M'; E, x ↦ v
    /// ```
    ///
    /// It is one access, and every access of r is such a one: none conflicts.
    #[inline(never)]
    fn d_atomic(
        &mut self,
        into: Option<Var>,
        op: AtomicOp,
        place: &'p Place,
        operands: &'p [Exp],
    ) -> Eval<State<'p>> {
        let r = self.place(place)?;
        let mut values = [0; 2];
        for (value, operand) in values.iter_mut().zip(operands) {
            *value = self.scalar(operand)?;
        }
        let (sc, at) = match r {
            Ref::Element { element, base, length, index } => {
                let at = self.inside(element, (base, length), index)?;
                (element.sc(), Cells::Atomic(at as usize))
            }
            Ref::At(Space::Storage, at, Typed::Other(Ty::Atomic(sc))) => {
                (*sc, Cells::Atomic(at as usize))
            }
            Ref::At(Space::Workgroup, at, Typed::Other(Ty::Atomic(sc))) => {
                (*sc, Cells::Group(at as usize))
            }
            Ref::At(..) => unreachable!("validated: a place of atomic type"),
        };
        let old = self.shared.atomic(op, sc, at, values, self.times);
        if let Some(x) = into {
            self.bind(x, Val::Scalar(sc, old))?;
        }
        Ok(State::Ready)
    }

    /// `D-CALL`
    ///
    /// ```text
    /// f(x̄ : τ̄) -> τ is { s̄; return e }      M; E ⊢ eᵢ ⇓ vᵢ
    /// M; x̄ ↦ v̄ ⊢ s̄ ⇓ M'; E'      M'; E' ⊢ e ⇓ v
    /// ───────────────────────────────────────────
    /// M; E ⊢ x = call f(e₁, …) ⇓ M'; E, x ↦ v
    /// ```
    ///
    /// What pointers among the arguments point to is changed in `E`.
    #[inline(never)]
    fn d_call(&mut self, into: Option<Var>, f: u32, args: &'p [Exp]) -> Eval<State<'p>> {
        let function = &self.shared.layout.program().functions[f as usize];
        for (arg, (param, _)) in args.iter().zip(&function.params) {
            let v = self.exp(arg)?;
            self.bind(*param, v)?;
        }
        self.own.frames.push(Frame::Call { function, into });
        let span = self.shared.span;
        self.shared.tells(|tap, clock| tap.enter(span, Inside::Unknown, clock));
        self.own.frames.push(Frame::Seq(&function.body));
        Ok(State::Ready)
    }

    /// `D-CALL` from the end of the body on.
    #[inline(never)]
    fn d_call_return(&mut self, function: &'p Function, into: Option<Var>) -> Eval<State<'p>> {
        if let Some((_, e)) = &function.result {
            self.counted()?;
            let v = self.exp(e)?;
            let n = v.cells(self.shared.layout);
            self.pay_for(n)?;
            if let Some(x) = into {
                self.bind(x, v)?;
            }
        }
        self.own.frames.pop();
        self.shared.tells(|tap, clock| tap.leave(clock));
        Ok(State::Ready)
    }

    /// `D-CHECK`
    ///
    /// ```text
    /// M; E ⊢ eᵢ ⇓ vᵢ      M; E ⊢ e'ⱼ ⇓ kⱼ      M; E ⊢ e''ₕ ⇓ oₕ      holds(cause of the site, v̄)    (the cause)
    /// ────────────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ check site(e₁, …) at (e'₁, …) order (e''₁, …) ⇓ M; E
    /// ```
    ///
    /// Where it does not, the invocation is stuck at the site with the operands `v̄`, in the
    /// thread `k̄`, which stands behind its own number if the check has no order. Of the failures of the work group
    /// that with the least `ō` is told, see [`Lowest`](super::group::Lowest).
    fn d_check(&mut self, check: &'p Check) -> Eval<State<'p>> {
        let mut operands: SmallVec<[i64; 4]> = SmallVec::new();
        for e in &check.operands {
            operands.push(self.scalar(e)? as i64);
        }
        let mut path: SmallVec<[i32; 4]> = SmallVec::new();
        for e in &check.path {
            path.push(self.scalar(e)? as i32);
        }
        let mut order = Vec::new();
        for e in check.components() {
            order.push(self.scalar(e)? as i32);
        }
        let site = self.shared.layout.program().sites[check.site as usize];
        if holds(site.cause, &operands) {
            return Ok(State::Ready);
        }
        let (path, operands) = (path.to_vec(), operands.to_vec());
        let ordered = check.order.is_some();
        Err(self.failed(Failure { site, rule: Rule::Check, path, operands, ordered, order }))
    }

    /// `D-UNIFORM-LOAD`
    ///
    /// ```text
    /// M; E ⊢ barrier workgroup; let x : τ = load place; barrier workgroup ⇓ M'; E'
    /// ────────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ x = uniform load place ⇓ M'; E'
    /// ```
    fn d_uniform_load(&mut self, stm: &'p Stm<Kind>, into: Var, place: &'p Place) -> State<'p> {
        self.own.frames.push(Frame::UniformLoad { stm, into, place });
        State::Waits(Scope::Workgroup, stm)
    }

    /// `D-UNIFORM-LOAD` behind the first barrier.
    fn d_uniform_load_read(
        &mut self,
        stm: &'p Stm<Kind>,
        into: Var,
        place: &'p Place,
    ) -> Eval<State<'p>> {
        let v = self.load(place)?;
        self.bind(into, v)?;
        Ok(State::Waits(Scope::Workgroup, stm))
    }

    /// Applies the rule of a statement.
    #[inline]
    fn by(
        &mut self,
        rule: Rule,
        stm: &'p Stm<Kind>,
        premises: impl FnOnce(&mut Self) -> Eval<State<'p>>,
    ) -> Eval<State<'p>> {
        let (number, program) = (self.own.global, self.shared.layout.program());
        self.shared.recorder.enter(rule, || {
            format!("invocation {number}: {}", print::statement(program, &stm.kind))
        });
        let state = premises(self);
        self.shared.recorder.leave(String::new);
        state
    }

    /// A rule of an expression or place applies; it has no node of its own.
    #[inline]
    pub(super) fn fire(&mut self, rule: Rule) {
        self.shared.recorder.fire(rule, 1);
    }

    /// A statement is counted, and paid for.
    #[inline]
    fn counted(&mut self) -> Eval {
        self.shared.statements += 1;
        self.shared.charge(1)
    }

    /// A round of a loop was made, or the loop was left.
    #[inline]
    fn round(&mut self) {
        self.shared.statements += 1;
        self.own.rounds += 1;
    }

    /// Pays for so many cells that are made or moved.
    #[inline]
    pub(super) fn pay_for(&mut self, cells: u32) -> Eval {
        if cells < FREE_CELLS { Ok(()) } else { self.shared.charge((cells / FREE_CELLS).into()) }
    }

    /// `E, x ↦ v`
    #[inline]
    fn bind(&mut self, x: Var, v: Val<'p>) -> Eval {
        let at = self.code.slot(x).at;
        self.put(at, v)
    }

    /// Writes a value into the cells from `at` on, and pays for it.
    #[inline]
    pub(super) fn put(&mut self, at: u32, v: Val<'p>) -> Eval {
        if let Val::Many(_, ty) = v {
            self.pay_for(self.shared.layout.cells(Typed::Other(ty)))?;
        }
        self.put_cells(at, v);
        Ok(())
    }

    #[inline]
    fn put_cells(&mut self, at: u32, v: Val<'p>) {
        let at = at as usize;
        let cells = &mut self.own.cells;
        match v {
            Val::Scalar(_, cell) => cells[at] = cell,
            Val::Ptr(_, to, _) => cells[at] = to.into(),
            Val::Block(_, base, length) => {
                cells[at] = base.into();
                cells[at + 1] = length.into();
            }
            Val::Many(from, ty) => {
                let n = self.shared.layout.cells(Typed::Other(ty)) as usize;
                cells.copy_within(from as usize..from as usize + n, at);
            }
        }
    }

    /// So many cells for what the statement makes.
    pub(super) fn reserve(&mut self, cells: u32) -> u32 {
        let at = self.own.cells.len();
        self.own.cells.resize(at + cells as usize, 0);
        at as u32
    }

    /// An index that lies outside of so many elements.
    #[cold]
    pub(super) fn outside(&mut self, rule: Rule, index: Cell, length: u32) -> Box<Halt> {
        self.stuck(rule, Cause::OutsideBlock, vec![index as i64, length.into()])
    }

    /// A premise of the rule of an expression fails, in the iterations that the invocation is in.
    #[cold]
    pub(super) fn stuck(&mut self, rule: Rule, cause: Cause, operands: Vec<i64>) -> Box<Halt> {
        let site = Site { span: self.shared.span, cause };
        let path = self.own.iterations();
        self.failed(Failure { site, rule, path, operands, ordered: false, order: Vec::new() })
    }

    #[cold]
    fn failed(&mut self, failure: Failure) -> Box<Halt> {
        // Where compiled code gives up no premise fails.
        if failure.site.cause.gives_up().is_none() {
            self.shared.recorder.fail(failure.rule, failure.site.cause.name());
        }
        Box::new(Halt::Stuck(failure))
    }
}

/// `D-BARRIER`
///
/// ```text
/// every invocation of the group that is not stuck is at this barrier
/// ──────────────────────────────────────────────────────────────────
/// M; E ⊢ barrier m ⇓ M; E, where the accesses of m so far are before those to come
/// ```
///
/// The invocation waits; the group lets all go on at once. Validation ensures the premise: control flow around
/// barriers is uniform. A group that finds otherwise is *broken*, not *stuck*.
fn d_barrier<'p>(scope: Scope, stm: &'p Stm<Kind>) -> State<'p> {
    State::Waits(scope, stm)
}
