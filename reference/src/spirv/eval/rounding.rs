//! Floats that are open: which devices may give another result, and by about how much.

use super::Running;
use crate::kit::faults::WrongJudge;
use crate::spirv::syntax::{Partial, Real, Rounding};
use crate::spirv::values::{Remark, Slot};

impl Running<'_> {
    /// The result of the operation in front of this one, which may be open. A comparison of what lies further apart than its
    /// errors is not.
    pub(super) fn rounded(
        &mut self,
        rounding: &Rounding,
        operands: [Slot; 4],
        result: Slot,
        at: usize,
    ) -> Slot {
        if result.is_undefined() {
            return result;
        }
        let reals =
            operands.map(|slot| Real { value: (rounding.decode)(slot.bits), error: slot.error() });
        let Some(estimate) = rounding.estimate else {
            let [a, b, ..] = reals;
            let apart = (a.value - b.value).abs();
            // Nothing compares with what is no number, on any device that has it.
            let decided = apart > a.error + b.error || apart.is_nan();
            return if decided { Slot::new(result.bits) } else { result };
        };
        let value = f64::from(f32::from_bits(result.bits as u32));
        if !value.is_finite() {
            if reals.iter().all(|real| real.value.is_finite()) {
                let text = "finite numbers give an infinity or NaN".to_owned();
                self.note(Remark::NotFinite, at, 0, text);
            }
            return Slot::new(result.bits);
        }
        let exact = self.wrong(WrongJudge::OpenIsExact);
        let error = if exact { 0.0 } else { estimate(&reals, value) };
        if error > 0.0 { Slot::open_at(result.bits, at, error) } else { Slot::new(result.bits) }
    }
}

/// Is a float that becomes an integer the same integer, whatever a device makes of the float?
pub(super) fn is_settled(partial: &Partial, operand: Slot) -> bool {
    let (value, error) = (f64::from(f32::from_bits(operand.bits as u32)), operand.error());
    let near = |value: f64| (partial.f)([u64::from((value as f32).to_bits()), 0, 0, 0]).0;
    near(value - error) == near(value + error)
}
