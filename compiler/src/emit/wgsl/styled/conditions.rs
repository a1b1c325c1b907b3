//! Conditions.

use super::super::Writer;
use crate::emit::style::Construct;

impl Writer<'_> {
    /// Are `a & b` and `a | b` of bools to be written as `a && b` and `a || b`? They are the same, since `b`
    /// has no effect. What has to be bound before `b` would be computed in any case.
    pub(in super::super) fn may_short_circuit(&mut self) -> bool {
        self.stands(Construct::ShortCircuit)
    }

    /// `true` or `false` as a comparison of constants, unless it is to be plain.
    pub(in super::super) fn styled_bool(&mut self, value: bool) -> Option<&'static str> {
        if !self.stands(Construct::Equal) {
            return None;
        }
        // Without a suffix the operands are abstract, which compilers treat otherwise.
        Some(match (value, self.turn(Construct::Equal) % 4) {
            (true, 0) => "(1 == 1)",
            (true, 1) => "(5i == 5i)",
            (true, 2) => "(3 != 4)",
            (true, _) => "(3u != 4u)",
            (false, 0) => "(1 == 2)",
            (false, 1) => "(5i == 6i)",
            (false, 2) => "(4 != 4)",
            (false, _) => "(4u != 4u)",
        })
    }
}
