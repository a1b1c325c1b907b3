//! Where the threads of a warp part and meet in what stands in tail position (L69).

use crate::kit::text::Span;
use crate::lambda_g::graph::Writer;
use crate::lambda_g::syntax::Exp;

/// What a thread of the device is in that goes on in tail position. A function that applies another one last is a round of
/// a loop.
#[derive(Default)]
pub(super) struct Tail {
    /// The branches that it took, and which side of each, around the first call and in the last one.
    outside: Vec<(Span, u32)>,
    inside: Vec<(Span, u32)>,
    in_call: bool,
}

impl Tail {
    /// It goes into a branch of an `if`.
    pub(super) fn branches(&mut self, cost: &mut Writer, e: &Exp, condition: &Exp, branch: &Exp) {
        if cost.is_traced() {
            cost.traced(|trace| trace.parts(condition.span, 0));
            let branches = if self.in_call { &mut self.inside } else { &mut self.outside };
            // Sides are told apart by where they are.
            branches.push((e.span, branch.span.start));
        }
    }

    /// It goes into the body of a function.
    pub(super) fn calls(&mut self, cost: &mut Writer, e: &Exp) {
        if cost.is_traced() {
            self.inside.clear();
            match std::mem::replace(&mut self.in_call, true) {
                false => cost.traced(|trace| trace.enter(e.span)),
                true => cost.traced(|trace| trace.round()),
            }
        }
    }

    /// It has come to a value.
    pub(super) fn ends(self, cost: &mut Writer) {
        if !cost.is_traced() {
            return;
        }
        let ends = |cost: &mut Writer, branches: Vec<(Span, u32)>| {
            for (site, side) in branches.into_iter().rev() {
                cost.traced(|trace| trace.parts(site, side));
            }
        };
        ends(cost, self.inside);
        if self.in_call {
            cost.traced(|trace| trace.leave());
        }
        ends(cost, self.outside);
    }
}
