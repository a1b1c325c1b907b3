//! Steps of statements with statements inside: branches, switches, loops and parallel loops.

use super::Thread;
use crate::device::eval::values::{Eval, Frame, State, Val};
use crate::device::scalar::{int, literal};
use crate::device::syntax::{If, Kind, Loop, Par, Sc, Stm, Switch};
use crate::device::types::Typed;
use crate::kit::tap::Inside;

impl<'p> Thread<'_, '_, 'p> {
    /// `D-IF`
    ///
    /// ```text
    /// M; E ⊢ e ⇓ b      M; E ⊢ s̄_b ⇓ M'; E'
    /// ───────────────────────────────────────────────
    /// M; E ⊢ if e { s̄_true } else { s̄_false } ⇓ M'; E'
    /// ```
    pub(super) fn d_if(&mut self, branch: &'p If<Kind>) -> Eval<State<'p>> {
        let side = u32::from(self.scalar(&branch.cond)? == 0);
        self.takes(if side == 0 { &branch.then } else { &branch.orelse }, side);
        Ok(State::Ready)
    }

    /// Goes on with a side of a branch.
    fn takes(&mut self, taken: &'p [Stm<Kind>], side: u32) {
        if self.shared.recorder.tap().is_some() {
            let span = self.shared.span;
            self.shared.tells(|tap, clock| tap.parts(span, clock));
            self.own.frames.push(Frame::Joins { span, side });
        }
        self.own.frames.push(Frame::Seq(taken));
    }

    /// `D-SWITCH`
    ///
    /// ```text
    /// M; E ⊢ e ⇓ k      s̄ = s̄ᵢ where k = kᵢ, or s̄ = s̄' where k is no kᵢ      M; E ⊢ s̄ ⇓ M'; E'
    /// ─────────────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ switch e { k₁ { s̄₁ } … else { s̄' } } ⇓ M'; E'
    /// ```
    pub(super) fn d_switch(&mut self, switch: &'p Switch) -> Eval<State<'p>> {
        let k = self.scalar(&switch.value)?;
        let case = switch.cases.iter().position(|case| literal(case.literal) == k);
        let taken = case.map_or(&switch.orelse, |case| &switch.cases[case].body);
        self.takes(taken, case.unwrap_or(switch.cases.len()) as u32);
        Ok(State::Ready)
    }

    /// `D-LOOP`
    ///
    /// ```text
    /// M; E ⊢ eᵢ ⇓ vᵢ⁰      M; E ⊢ f ⇓ m, or m = ∞ without an f
    /// Eⱼ = E, x̄ ↦ v̄ʲ      Mⱼ; Eⱼ ⊢ c ⇓ true      Mⱼ; Eⱼ ⊢ s̄ ⇓ Mⱼ₊₁; E'ⱼ      Mⱼ₊₁; E'ⱼ ⊢ e'ᵢ ⇓ vᵢʲ⁺¹
    ///                                         for j = 0, …, k - 1, where M₀ = M
    /// k = m, or k < m and Mₖ; Eₖ ⊢ c ⇓ false
    /// ──────────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ loop (xᵢ : τᵢ = eᵢ) while c fuel f { s̄ } next (e'ᵢ) ⇓ Mₖ; Eₖ
    /// ```
    pub(super) fn d_loop(&mut self, rounds: &'p Loop<Kind>) -> Eval<State<'p>> {
        for carried in &rounds.carried {
            let v = self.exp(&carried.init)?;
            self.bind(carried.var, v)?;
        }
        let left = match &rounds.fuel {
            Some(fuel) => Some(self.scalar(fuel)? as u32),
            None => None,
        };
        let span = self.shared.span;
        self.own.frames.push(Frame::Loop { rounds, span, left, inside: false });
        self.shared.tells(|tap, clock| tap.enter(span, Inside::Unknown, clock));
        Ok(State::Ready)
    }

    /// `D-LOOP` from one look at the condition to the next.
    pub(super) fn d_loop_round(
        &mut self,
        rounds: &'p Loop<Kind>,
        mut left: Option<u32>,
        inside: bool,
    ) -> Eval<State<'p>> {
        if inside {
            self.round();
            self.d_loop_next(rounds)?;
            left = left.map(|left| left - 1);
        }
        self.counted()?;
        self.shared.tells(|tap, clock| tap.round(clock));
        self.shared.is_heard()?;
        let goes_on = left != Some(0) && self.scalar(&rounds.cond)? != 0;
        let depth = self.own.frames.len() - 1;
        if goes_on {
            let span = self.shared.span;
            self.own.frames[depth] = Frame::Loop { rounds, span, left, inside: true };
            self.own.frames.push(Frame::Seq(&rounds.body));
        } else {
            self.round();
            self.own.frames.pop();
            self.shared.tells(|tap, clock| tap.leave(clock));
        }
        Ok(State::Ready)
    }

    /// All carried variables are assigned at once.
    #[inline(never)]
    fn d_loop_next(&mut self, rounds: &'p Loop<Kind>) -> Eval {
        if let ([carried], [next]) = (&rounds.carried[..], &rounds.next[..]) {
            let v = self.exp(next)?;
            return self.bind(carried.var, v);
        }
        // The new values stand behind the variables until all of them are there.
        let first = self.own.cells.len() as u32;
        for next in &rounds.next {
            let mark = self.own.cells.len();
            let v = self.exp(next)?;
            let n = v.cells(self.shared.layout);
            let value = self.reserve(n);
            self.put_cells(value, v);
            // What the expression made besides is not kept.
            self.own.cells.copy_within(value as usize..(value + n) as usize, mark);
            self.own.cells.truncate(mark + n as usize);
        }
        let mut from = first as usize;
        for carried in &rounds.carried {
            let n = self.shared.layout.cells(Typed::of(&carried.ty)) as usize;
            let to = self.code.slot(carried.var).at as usize;
            self.own.cells.copy_within(from..from + n, to);
            from += n;
        }
        Ok(())
    }

    /// `D-PAR`: a nested parallel loop runs its iterations in order.
    ///
    /// ```text
    /// M; E ⊢ e ⇓ n      Mᵢ₋₁; E, x ↦ i ⊢ s̄ ⇓ Mᵢ; Eᵢ      for i = 1, …, n, where M₀ = M
    /// ────────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ par x <= e { s̄ } ⇓ Mₙ; E
    /// ```
    #[inline(never)]
    pub(super) fn d_par(&mut self, par: &'p Par) -> Eval<State<'p>> {
        let count = self.scalar(&par.count)? as i64;
        self.own.frames.push(Frame::Par { par, iteration: 1, count, inside: false });
        let span = self.shared.span;
        self.shared.tells(|tap, clock| tap.enter(span, Inside::Unknown, clock));
        Ok(State::Ready)
    }

    /// `D-PAR` from one iteration to the next.
    #[inline(never)]
    pub(super) fn d_par_iteration(
        &mut self,
        par: &'p Par,
        iteration: i64,
        count: i64,
        inside: bool,
    ) -> Eval<State<'p>> {
        let iteration = iteration + i64::from(inside);
        if inside {
            self.round();
        }
        if iteration > count {
            self.round();
            self.own.frames.pop();
            self.shared.tells(|tap, clock| tap.leave(clock));
            return Ok(State::Ready);
        }
        self.shared.tells(|tap, clock| tap.round(clock));
        if par.body.is_empty() {
            // Else a loop over nothing would cost nothing, however long it is.
            self.shared.charge(1)?;
        }
        self.bind(par.var, Val::Scalar(Sc::I32, int(iteration)))?;
        let depth = self.own.frames.len() - 1;
        self.own.frames[depth] = Frame::Par { par, iteration, count, inside: true };
        self.own.frames.push(Frame::Seq(&par.body));
        Ok(State::Ready)
    }
}
