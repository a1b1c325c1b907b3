//! How a kernel of work groups tells what failed.
//!
//! There are two ways ([`Telling`]). Mostly it does by a `check` of the device language with an order: the step of
//! the spine that it is of, then the element. A loop of the spine is a step, in which rounds come one after the other, and
//! then its own steps. What comes behind a failure goes on with what was not written, and if a check fails there, its order
//! is higher. A loop goes round as often as if nothing had failed: its lengths do not depend on what was written.
//!
//! But where that could end a kernel otherwise than by such a check, an invocation in which a check fails remembers it and
//! skips the rest of what it is at. The lowest element that failed is found by an atomic maximum. Where more of the spine
//! follows, all invocations ask whether one failed; at the end of the kernel the one whose failure is the lowest writes it
//! down.

use super::code::Item;
use super::group::Group;
use super::{Lower, Lowered, fold};
use reference::device::syntax::{Builtin, Check, Exp, Precedence, Sc};
use reference::kit::faults::WrongFcl;
use reference::kit::text::Span;

/// How a kernel of work groups tells what failed.
#[derive(Clone)]
pub(super) enum Telling {
    /// By checks with an order.
    Checks {
        /// The numbers of the chunks around, outermost first.
        path: Vec<Exp>,
        /// The steps that the loops around are, each with the round of the loop.
        rounds: Vec<Exp>,
        /// Which step of the spine is written.
        step: i32,
        /// Is there a check?
        fails: bool,
        /// Is there something that goes wrong otherwise behind a check that failed? A loop whose condition, a
        /// length or a place then comes of what was not written.
        trusts: bool,
    },
    /// By what invocations remember.
    Memory,
}

impl Telling {
    /// Telling by checks, of failures in these chunks.
    pub(super) fn by_checks(path: Vec<Exp>) -> Self {
        Self::Checks { path, rounds: Vec::new(), step: 0, fails: false, trusts: false }
    }

    /// Is it not the right way for the kernel that was written?
    pub(super) fn is_wrong(&self) -> bool {
        matches!(self, Self::Checks { fails: true, trusts: true, .. })
    }
}

impl Lower<'_> {
    /// What is written trusts what was written before it, see [`Telling::Checks`].
    pub(super) fn trusts(&mut self) {
        if let Some(Group { telling: Telling::Checks { trusts, .. }, .. }) = &mut self.group {
            *trusts = true;
        }
    }

    /// What follows is another step of the spine.
    pub(super) fn steps_on(&mut self) {
        if let Telling::Checks { step, .. } = &mut self.group().telling {
            *step += 1;
        }
    }

    /// Is there a check of the group already?
    pub(super) fn may_fail(&mut self) -> bool {
        matches!(self.group().telling, Telling::Checks { fails: true, .. })
    }

    /// What follows is a round of a loop of the spine. Gives how many numbers tell the rounds around it.
    pub(super) fn enters_rounds(&mut self, round: Exp) -> usize {
        self.steps_on();
        let Telling::Checks { rounds, step, .. } = &mut self.group().telling else { return 0 };
        rounds.extend([Exp::i32(*step), round]);
        rounds.len() - 2
    }

    /// The loop ends inside of which so many numbers told rounds before.
    pub(super) fn leaves_rounds(&mut self, outer: usize) {
        if let Telling::Checks { rounds, .. } = &mut self.group().telling {
            rounds.truncate(outer);
        }
    }

    /// A check at this site that a condition on these operands holds, in an element of this path; what follows is only reached
    /// where it does. `by_cause` says that the condition is that of the site's cause, which a `check` of the device language
    /// tests itself.
    pub(super) fn tests(
        &mut self,
        span: Span,
        (site, operands, element): (u32, Vec<Exp>, Vec<Exp>),
        cond: impl FnOnce(&[Exp]) -> Exp,
        by_cause: bool,
    ) -> Lowered {
        if self.context.is_spine() {
            self.steps_on();
        }
        let lowest_invocation = self.has(WrongFcl::LowestInvocation);
        let Telling::Checks { path, rounds, step, fails, .. } = &mut self.group().telling else {
            let cond = cond(&operands);
            return self.remember(span, site, cond, operands, element);
        };
        *fails = true;
        let first = match element.first() {
            _ if lowest_invocation => fold::cast(Sc::I32, Exp::Builtin(Builtin::LocalId)),
            Some(first) => first.clone(),
            None => Exp::i32(0),
        };
        let order = rounds.iter().cloned().chain([Exp::i32(*step), first]).collect();
        let order = Some(Box::new(Precedence(order)));
        let path = path.iter().cloned().chain(element).collect();
        let cond = (!by_cause).then(|| cond(&operands));
        let check = Item::Check(Check { site, operands, path, order });
        match cond {
            None => self.emit(span, check),
            Some(cond) => {
                self.emit(span, Item::If(fold::not(cond), vec![(span, check)], Vec::new()));
            }
        }
        Ok(())
    }
}
