//! Doubles with a bound on what a device may make of them (reading FCL 17).
//!
//! The reference computes in binary64. Compiled code rounds in its own format, may fuse, and divides
//! inexactly, so each double carries how far the device's number may be from it. Where that decides
//! which way a program goes, its run has no answer that could be compared.

use crate::kit::language::{Choice, Values};
use crate::kit::outcome::Why;
use std::fmt::{self, Display, Formatter};

/// The format that compiled code computes doubles in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// binary64
    #[default]
    F64,
    /// binary32
    F32,
}

/// The format of doubles in compiled code.
pub const DOUBLES: Choice =
    Choice { name: "doubles", values: Values::OneOf(&["f64", "f32"]), default: "f64" };

/// What becomes of doubles that a device may have otherwise: no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open;

impl From<Open> for Why {
    fn from(Open: Open) -> Self {
        Why::NotModelled("open float".to_owned())
    }
}

/// A finite double, and the largest distance of the device's number from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Double {
    /// What the reference computes.
    pub value: f64,
    /// How far off a device may be; 0 if it has this number too, but for the sign of a zero.
    pub bound: f64,
}

/// What every device has where it has not less: numbers nearer to zero may be zero there.
const TINY: f64 = f32::MIN_POSITIVE as f64;

impl Format {
    /// The format of this name.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "f64" => Some(Self::F64),
            "f32" => Some(Self::F32),
            _ => None,
        }
    }

    /// The largest relative error of a rounding, in whatever direction.
    fn unit(self) -> f64 {
        match self {
            Self::F64 => f64::EPSILON,
            Self::F32 => f32::EPSILON.into(),
        }
    }

    fn largest(self) -> f64 {
        match self {
            Self::F64 => f64::MAX,
            Self::F32 => f32::MAX.into(),
        }
    }

    /// Does the format have this number, and every device too?
    fn has(self, x: f64) -> bool {
        match self {
            Self::F64 => x == 0.0 || x.abs() >= TINY,
            Self::F32 => x == 0.0 || x.abs() >= TINY && f64::from(x as f32) == x,
        }
    }

    /// `value`, whose operands may be off so far that it is off by `bound`, rounded by a device.
    /// `exact`: it is the exact result, and that of the device's operands too.
    fn rounded(self, value: f64, bound: f64, roundings: f64, exact: bool) -> Result<Double, Open> {
        let bound = match exact && self.has(value) {
            true => 0.0,
            false => bound + (roundings * self.unit() * (value.abs() + bound) + TINY),
        };
        self.known(Double { value, bound })
    }

    /// Is it a number on every device?
    fn known(self, x: Double) -> Result<Double, Open> {
        // A bound that is no number fails too.
        if x.value.abs() + x.bound <= self.largest() { Ok(x) } else { Err(Open) }
    }

    /// A number that a program or an input has.
    ///
    /// # Errors
    /// It is none, or beyond the format.
    pub fn of(self, value: f64) -> Result<Double, Open> {
        self.rounded(value, 0.0, 1.0, true)
    }

    /// `x + y`
    ///
    /// # Errors
    /// It overflows.
    pub fn add(self, x: Double, y: Double) -> Result<Double, Open> {
        let sum = x.value + y.value;
        // The error of the sum (Knuth), which is exact.
        let of_y = sum - x.value;
        let error = (x.value - (sum - of_y)) + (y.value - of_y);
        let exact = x.is_exact() && y.is_exact() && error == 0.0;
        self.rounded(sum, x.bound + y.bound, 1.0, exact)
    }

    /// `x - y`
    ///
    /// # Errors
    /// It overflows.
    pub fn sub(self, x: Double, y: Double) -> Result<Double, Open> {
        self.add(x, y.negated())
    }

    /// `x * y`
    ///
    /// # Errors
    /// It overflows.
    pub fn mul(self, x: Double, y: Double) -> Result<Double, Open> {
        let product = x.value * y.value;
        let (p, q) = (x.bound, y.bound);
        let bound = x.value.abs() * q + y.value.abs() * p + p * q;
        let is_zero = x.value == 0.0 || y.value == 0.0;
        let is_whole =
            is_zero || product.abs() >= TINY && x.value.mul_add(y.value, -product) == 0.0;
        self.rounded(product, bound, 1.0, x.is_exact() && y.is_exact() && is_whole)
    }

    /// `x / y`
    ///
    /// # Errors
    /// It overflows, or `y` may be zero.
    pub fn div(self, x: Double, y: Double) -> Result<Double, Open> {
        let quotient = x.value / y.value;
        let (p, q) = (x.bound, y.bound);
        // A divisor that is no number fails too.
        if q >= y.value.abs() || y.value == 0.0 {
            return Err(Open);
        }
        let bound = (p + quotient.abs() * q) / (y.value.abs() - q);
        // Other quotients, though exact, may be products with a reciprocal.
        let is_whole = is_power_of_two(y.value) && (x.value == 0.0 || quotient.abs() >= TINY);
        self.rounded(quotient, bound, 3.0, x.is_exact() && y.is_exact() && is_whole)
    }

    /// `k` as a double.
    pub fn of_int(self, k: i32) -> Double {
        let value = f64::from(k);
        let is_there = self.has(value);
        Double { value, bound: if is_there { 0.0 } else { self.unit() * value.abs() } }
    }
}

impl Double {
    /// Has every device this very number?
    pub fn is_exact(self) -> bool {
        self.bound == 0.0
    }

    /// `-x`
    #[must_use]
    pub fn negated(self) -> Self {
        Self { value: -self.value, ..self }
    }

    /// `|x|`
    #[must_use]
    pub fn abs(self) -> Self {
        Self { value: self.value.abs(), ..self }
    }

    /// May a device see them in another order, or equal where they are not?
    fn is_near(self, other: Self) -> bool {
        let bound = self.bound + other.bound;
        // The sum and the difference are rounded.
        bound > 0.0 && (self.value - other.value).abs() * (1.0 - f64::EPSILON) <= bound.next_up()
    }

    /// `test` of both.
    ///
    /// # Errors
    /// A device may come to another answer.
    pub fn compare(self, other: Self, test: impl FnOnce(&f64, &f64) -> bool) -> Result<bool, Open> {
        if self.is_near(other) { Err(Open) } else { Ok(test(&self.value, &other.value)) }
    }

    /// `other` if it is less, else this. A device that takes the other one of two that are near is no
    /// further off than the wider bound.
    #[must_use]
    pub fn min(self, other: Self) -> Self {
        let least = if other.value < self.value { other } else { self };
        self.of_near(other, least)
    }

    /// `other` if it is greater, else this.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        let greatest = if other.value > self.value { other } else { self };
        self.of_near(other, greatest)
    }

    fn of_near(self, other: Self, one: Self) -> Self {
        let wider = self.bound.max(other.bound);
        if self.is_near(other) { Self { bound: wider, ..one } } else { one }
    }

    /// Truncates toward zero, and saturates.
    ///
    /// # Errors
    /// A device may come to another int.
    pub fn to_int(self) -> Result<i32, Open> {
        let k = self.value as i32;
        let reaches = |x: f64| x as i32 == k;
        let (low, high) = match self.is_exact() {
            true => (self.value, self.value),
            false => ((self.value - self.bound).next_down(), (self.value + self.bound).next_up()),
        };
        if reaches(low) && reaches(high) { Ok(k) } else { Err(Open) }
    }
}

fn is_power_of_two(x: f64) -> bool {
    const FRACTION: u64 = (1 << (f64::MANTISSA_DIGITS - 1)) - 1;
    x.abs() >= TINY && x.to_bits() & FRACTION == 0
}

impl Display for Double {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.is_exact() {
            true => write!(f, "{:?}", self.value),
            false => write!(f, "{:?} ± {:.1e}", self.value, self.bound),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Double, Format, Open};

    fn of(format: Format, x: f64) -> Double {
        format.of(x).expect("a number")
    }

    #[test]
    fn what_is_exact_has_no_bound() {
        for format in [Format::F64, Format::F32] {
            let [half, three, eight] = [0.5, 3.0, 8.0].map(|x| of(format, x));
            for result in [
                format.add(half, three),
                format.sub(half, three),
                format.mul(half, three),
                format.div(three, eight),
                Ok(format.of_int(1 << 24)),
            ] {
                assert!(result.expect("no overflow").is_exact());
            }
            assert!(!format.div(eight, three).expect("no overflow").is_exact());
        }
        assert!(of(Format::F64, 0.1).is_exact() && !of(Format::F32, 0.1).is_exact());
        assert!(!Format::F32.of_int((1 << 24) + 1).is_exact());
        assert!(!of(Format::F64, 1.0e-300).is_exact());
    }

    #[test]
    fn what_a_device_may_decide_otherwise_is_open() {
        let format = Format::F32;
        let [tenth, one, three] = [0.1, 1.0, 3.0].map(|x| of(format, x));
        let thirds = format.mul(format.div(one, three).expect("3 is not 0"), three).expect("1");
        assert_eq!(thirds.compare(one, f64::lt), Err(Open));
        assert_eq!(thirds.compare(three, f64::lt), Ok(true));
        assert_eq!(thirds.to_int(), Err(Open));
        assert_eq!(format.add(thirds, tenth).expect("1.1").to_int(), Ok(1));
        assert_eq!(one.compare(one, f64::eq), Ok(true));
        assert_eq!(format.div(one, format.sub(thirds, one).expect("0")), Err(Open));
        assert_eq!(format.mul(of(format, 1.0e30), of(format, 1.0e30)), Err(Open));
        assert_eq!(format.of(f64::NAN), Err(Open));
        assert_eq!(Format::F64.div(one, Format::F64.of(-0.0).expect("0")), Err(Open));
    }

    #[test]
    fn conversions_saturate() {
        let of = |x| of(Format::F64, x);
        assert_eq!(of(3.0e9).to_int(), Ok(i32::MAX));
        assert_eq!(of(-3.0e9).to_int(), Ok(i32::MIN));
        assert_eq!(of(-2.9).to_int(), Ok(-2));
    }

    /// Random sums, products and quotients in binary32 stay within the bounds of their binary64 runs.
    #[test]
    fn binary32_stays_within_the_bounds() {
        let (mut seed, mut exact) = (7_u64, 0);
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as u32
        };
        for _ in 0..2000 {
            let mut pool: Vec<(Double, f32)> = Vec::new();
            for _ in 0..4 {
                let x = match next() % 2 {
                    0 => f64::from(next() % 64) / 8.0,
                    _ => f64::from(next() as i32) / f64::from(1 + next() % 1000),
                };
                pool.push((of(Format::F32, x), x as f32));
            }
            for _ in 0..12 {
                let pick = |k: u32| pool[k as usize % pool.len()];
                let ((x, dx), (y, dy)) = (pick(next()), pick(next()));
                let (made, device) = match next() % 4 {
                    0 => (Format::F32.add(x, y), dx + dy),
                    1 => (Format::F32.sub(x, y), dx - dy),
                    2 => (Format::F32.mul(x, y), dx * dy),
                    _ => (Format::F32.div(x, y), dx * (1.0 / dy)),
                };
                let Ok(made) = made else { continue };
                let off = (made.value - f64::from(device)).abs();
                assert!(off <= made.bound, "{made} and {device:?}");
                exact += u32::from(made.is_exact());
                pool.push((made, device));
            }
        }
        assert!(exact > 100, "{exact}");
    }
}
