//! Floats that are open: which devices may give another result, and by about how much.

use super::Running;
use crate::kit::faults::WrongJudge;
use crate::spirv::half;
use crate::spirv::parse::HALF;
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
        // Estimates are of 32 bits.
        let scale = if rounding.half { HALF } else { 1.0 };
        let reals = operands
            .map(|slot| Real { value: (rounding.decode)(slot.bits), error: slot.error() / scale });
        let Some(estimate) = rounding.estimate else {
            let [a, b, ..] = reals;
            let apart = (a.value - b.value).abs();
            // Nothing compares with what is no number, on any device that has it.
            let decided = apart > a.error + b.error || apart.is_nan();
            return if decided { Slot::new(result.bits) } else { result };
        };
        let value = float(result.bits, rounding.half);
        if !value.is_finite() {
            if reals.iter().all(|real| real.value.is_finite()) {
                let text = "finite numbers give an infinity or NaN".to_owned();
                self.note(Remark::NotFinite, at, 0, text);
            }
            return Slot::new(result.bits);
        }
        let exact = self.wrong(WrongJudge::OpenIsExact);
        let error = match rounding.half {
            _ if exact => 0.0,
            false => estimate(&reals, value),
            // What is not normal may be flushed to 0.
            true if value != 0.0 && value.abs() < half::LEAST_NORMAL => value.abs(),
            true => scale * estimate(&reals, value),
        };
        if error > 0.0 { Slot::open_at(result.bits, at, error) } else { Slot::new(result.bits) }
    }
}

fn float(bits: u64, is_half: bool) -> f64 {
    if is_half { half::from_bits(bits as u16) } else { f32::from_bits(bits as u32).into() }
}

/// Is a float that becomes an integer the same integer, whatever a device makes of the float?
pub(super) fn is_settled(partial: &Partial, operand: Slot) -> bool {
    let (value, error) = (float(operand.bits, partial.half), operand.error());
    let bits = |value: f64| match partial.half {
        true => u64::from(half::to_bits(value)),
        false => u64::from((value as f32).to_bits()),
    };
    let near = |value: f64| (partial.f)([bits(value), 0, 0, 0]).0;
    near(value - error) == near(value + error)
}
