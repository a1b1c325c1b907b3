//! Floats that are open: which devices may give another result, and by about how much.

use super::Running;
use crate::kit::faults::WrongJudge;
use crate::spirv::half;
use crate::spirv::open::{Choice, Opens, Real, Rounding};
use crate::spirv::parse::HALF;
use crate::spirv::syntax::Partial;
use crate::spirv::values::{OPEN, Remark, Slot};

/// What is remarked of an operation whose result is no finite number.
pub(super) const NOT_FINITE: &str = "finite numbers give an infinity or NaN";

/// What is remarked of one whose result is finite, but need not be on a device that computes it by parts.
const PASSED: &str = "finite numbers may give an infinity or NaN on the way to the result";

/// An operand: its number, and since where it is open.
#[derive(Clone, Copy)]
struct Operand {
    real: Real,
    origin: u32,
}

impl Running<'_> {
    /// The result of the operation in front of this one, which may be open. A comparison of what lies further apart than its
    /// errors is not.
    pub(super) fn rounded(
        &mut self,
        rounding: &Rounding,
        slots: [Slot; 4],
        result: Slot,
        at: usize,
    ) -> Slot {
        if result.is_undefined() {
            return result;
        }
        let decode = rounding.decode;
        let operands = slots.map(|slot| Operand {
            real: Real { value: decode(slot.bits), error: slot.error() },
            origin: slot.origin,
        });
        let [a, b, c, _] = operands;
        let bounded = self.wrong(WrongJudge::InfinityIsExact);
        let unbounded = !bounded && slots.iter().any(|slot| slot.is_unbounded());
        match rounding.opens {
            Opens::Estimated(estimate) => {
                // Estimates are of 32 bits.
                let scale = if rounding.half { HALF } else { 1.0 };
                let reals = operands.map(|it| Real { error: it.real.error / scale, ..it.real });
                let value = float(result.bits, rounding.half);
                let finite = reals.iter().all(|real| real.value.is_finite());
                let error = match rounding.half {
                    _ if self.wrong(WrongJudge::OpenIsExact) => 0.0,
                    _ if unbounded || finite && !bounded && !value.is_finite() => f64::INFINITY,
                    // An infinity or NaN that was given.
                    _ if !value.is_finite() => 0.0,
                    // What is not normal may be flushed to 0.
                    true if value != 0.0 && value.abs() < half::LEAST_NORMAL => value.abs(),
                    _ => scale * estimate(&reals, value),
                };
                if finite && !value.is_finite() {
                    self.note(Remark::NotFinite, at, 0, NOT_FINITE.to_owned());
                } else if finite && !unbounded && error == f64::INFINITY {
                    self.note(Remark::NotFinite, at, 0, PASSED.to_owned());
                }
                // By how much a result of a given infinity or NaN differs no estimate says.
                let is_estimate = error.is_finite() || finite || unbounded;
                match error > 0.0 && is_estimate {
                    true => Slot::open_at(result.bits, at, error),
                    false => Slot::new(result.bits),
                }
            }
            Opens::Compared => {
                let apart = (a.real.value - b.real.value).abs();
                // Nothing compares with what is no number, on any device that has it, and all that is one with itself.
                let [first, second, ..] = rounding.operands;
                let apart = apart > a.real.error + b.real.error || apart.is_nan();
                let decided = !unbounded && (apart || first == second);
                if decided { Slot::new(result.bits) } else { result }
            }
            Opens::Chosen(choice) => {
                let chosen = match choice {
                    Choice::Max => extreme(a, b, 1.0),
                    Choice::Min => extreme(a, b, -1.0),
                    Choice::Clamp => extreme(extreme(a, b, 1.0), c, -1.0),
                };
                Slot { origin: chosen.origin, ..result }
            }
            Opens::Selected => selected([a, b, c], result),
            Opens::Jumps(_) if unbounded => result,
            Opens::Jumps(f) => {
                let end = |sign: f64| {
                    let [a, b] = [(a, -sign), (b, sign)]
                        .map(|(it, sign)| it.real.value + sign * it.real.error);
                    f([a, b])
                };
                let value = float(result.bits, rounding.half);
                let error = (end(1.0) - value).abs().max((end(-1.0) - value).abs());
                match (error > 0.0, Slot::since(result.origin)) {
                    (true, Some(since)) => Slot::open_at(result.bits, since, error),
                    _ => Slot::new(result.bits),
                }
            }
            Opens::Packed { f, halves } => {
                if halves && self.packed(slots, result.bits, at) {
                    return Slot::open_at(result.bits, at, f64::INFINITY);
                }
                let end = |sign: f64| f(slots.map(|slot| moved(slot, sign, false))).0;
                let settled = result.origin > 0 && !unbounded && end(1.0) == end(-1.0);
                if settled { Slot::new(result.bits) } else { result }
            }
            Opens::Passed(may_overflow) => {
                let reals = operands.map(|it| it.real);
                if !may_overflow(&reals, f64::from_bits(result.bits)) {
                    return result;
                }
                self.note(Remark::NotFinite, at, 0, PASSED.to_owned());
                Slot::open_at(result.bits, at, f64::INFINITY)
            }
        }
    }

    /// Is one of two halves in an integer an infinity that comes of a finite number?
    fn packed(&mut self, [low, high, ..]: [Slot; 4], packed: u64, at: usize) -> bool {
        let beyond = [(low, packed), (high, packed >> 16)].iter().any(|(slot, half)| {
            float(slot.bits, false).is_finite() && !float(*half, true).is_finite()
        });
        if beyond {
            self.note(Remark::NotFinite, at, 0, NOT_FINITE.to_owned());
        }
        beyond
    }
}

fn float(bits: u64, is_half: bool) -> f64 {
    if is_half { half::from_bits(bits as u16) } else { f32::from_bits(bits as u32).into() }
}

/// The greater one of two operands, or the less one if the sign is negative. If each may be it, it is open as that is which
/// may differ more.
fn extreme(a: Operand, b: Operand, sign: f64) -> Operand {
    let [x, y] = [a, b].map(|it| Real { value: sign * it.real.value, ..it.real });
    if x.value - x.error >= y.value + y.error {
        return a;
    }
    if y.value - y.error >= x.value + x.error {
        return b;
    }
    let nearest = if x.value >= y.value { a } else { b };
    let real = Real { value: nearest.real.value, error: a.real.error.max(b.real.error) };
    Operand { real, origin: a.origin.max(b.origin) }
}

/// What a condition selects. If that is open, the result may be either one.
fn selected([condition, a, b]: [Operand; 3], result: Slot) -> Slot {
    let since = Slot::since(condition.origin);
    let (true, Some(since)) = (condition.origin <= OPEN, since) else { return result };
    let apart = (a.real.value - b.real.value).abs();
    let error = apart + a.real.error.max(b.real.error);
    match error {
        0.0 => Slot::new(result.bits),
        _ if error.is_finite() => Slot::open_at(result.bits, since, error),
        // One is no number, or it is undefined.
        _ => result,
    }
}

/// Is a float that becomes an integer the same integer, whatever a device makes of the float?
pub(super) fn is_settled(partial: &Partial, operand: Slot) -> bool {
    if operand.is_unbounded() {
        return false;
    }
    let near = |sign: f64| (partial.f)([moved(operand, sign, partial.half), 0, 0, 0]).0;
    near(-1.0) == near(1.0)
}

/// The float that is so many errors away.
fn moved(slot: Slot, errors: f64, is_half: bool) -> u64 {
    let value = float(slot.bits, is_half) + errors * slot.error();
    match is_half {
        true => u64::from(half::to_bits(value)),
        false => u64::from((value as f32).to_bits()),
    }
}
