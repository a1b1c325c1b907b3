//! `while`.
//!
//! It is `let x = force a in if c x then while c f (f x) else x`, but for the length of the first array.

use super::Run;
use super::machine::{Control, Frame, Loop, Stage};
use crate::fcl::rules::Rule;
use crate::fcl::values::{Pull, Val};
use crate::kit::run::Eval;
use crate::kit::text::Span;
use std::rc::Rc;

impl Run<'_> {
    /// `E-WHILE`: the first array is forced.
    ///
    /// ```text
    /// force v ↪* [bv₁, …, bvₙ]
    /// ─────────────────────────────────────────────────
    /// while c f v ↪* whileLoop n c f [bv₁, …, bvₙ]
    /// ```
    pub(super) fn e_while(&mut self, span: Span) -> Eval {
        let array = self.machine.operand();
        let (step, condition) = (self.machine.operand(), self.machine.operand());
        self.opens(Rule::EWhile, |told| {
            format!("while {} {} {}", told.val(&condition), told.val(&step), told.val(&array))
        })?;
        self.closes()?;
        let rounds = Loop { condition, step, first: None, stage: Stage::Force, span };
        self.push(Frame::Loop(Box::new(rounds)))?;
        self.force(array, span)
    }

    /// What a loop evaluated is a value: true if that was a step.
    pub(super) fn round(&mut self, mut rounds: Box<Loop>, val: Val) -> Eval<bool> {
        let span = rounds.span;
        match std::mem::replace(&mut rounds.stage, Stage::Step) {
            Stage::Force => {
                let array = val.pull();
                rounds.first.get_or_insert(array.len());
                let condition = rounds.condition.clone();
                rounds.stage = Stage::Condition(Rc::clone(&array));
                self.push(Frame::Loop(rounds))?;
                self.machine.control = Control::Apply(condition, Val::Pull(array), span);
                Ok(false)
            }
            Stage::Condition(array) => match val.bool() {
                true => self.e_while_step(rounds, array),
                false => self.e_while_end(array),
            },
            Stage::Step => {
                rounds.stage = Stage::Force;
                self.push(Frame::Loop(rounds))?;
                self.force(val, span)?;
                Ok(true)
            }
        }
    }

    /// `E-WHILE-STEP`: the new array is forced, which reads the old one only (reading 15).
    ///
    /// ```text
    /// c [bv₁, …, bvₖ] ↪* true
    /// f [bv₁, …, bvₖ] ↪* v, no longer than n                                     (growth)
    /// force v ↪* [bv'₁, …, bv'ₗ]
    /// ─────────────────────────────────────────────────────────────────────────
    /// whileLoop n c f [bv₁, …, bvₖ] ↪* whileLoop n c f [bv'₁, …, bv'ₗ]
    /// ```
    fn e_while_step(&mut self, rounds: Box<Loop>, array: Rc<Pull>) -> Eval<bool> {
        let (step, span) = (rounds.step.clone(), rounds.span);
        let array = Val::Pull(array);
        self.opens(Rule::EWhileStep, |told| format!("while … … {}", told.val(&array)))?;
        self.machine.rounds += 1;
        self.push(Frame::Loop(rounds))?;
        self.machine.control = Control::Apply(step, array, span);
        self.closes()?;
        Ok(true)
    }

    /// `E-WHILE-END`
    ///
    /// ```text
    /// c [bv₁, …, bvₖ] ↪* false
    /// ─────────────────────────────────────────────────────────────
    /// whileLoop n c f [bv₁, …, bvₖ] ↪* [bv₁, …, bvₖ]
    /// ```
    fn e_while_end(&mut self, array: Rc<Pull>) -> Eval<bool> {
        let array = Val::Pull(array);
        self.opens(Rule::EWhileEnd, |told| format!("while … … {}", told.val(&array)))?;
        self.gives(array)?;
        Ok(true)
    }
}
