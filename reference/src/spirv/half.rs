//! Floating-point numbers of 16 bits: one bit of sign, five of exponent, ten of significand.

/// Bits of the significand, without the one before the point.
const SIGNIFICAND: i32 = 10;

/// The least exponent of a normal number.
const LEAST: i32 = -14;

/// The least normal number above zero.
pub(super) const LEAST_NORMAL: f64 = 6.103_515_625e-5;

/// The greatest number.
pub(super) const GREATEST: f64 = 65504.0;

/// The number with these bits.
pub fn from_bits(bits: u16) -> f64 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let significand = f64::from(bits & 0x3ff);
    sign * match exponent {
        0 => significand * power(LEAST - SIGNIFICAND),
        31 if significand == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (significand + 1024.0) * power(exponent - 15 - SIGNIFICAND),
    }
}

/// The bits of the nearest number, of two the even one.
pub fn to_bits(x: f64) -> u16 {
    let sign = u16::from(x.is_sign_negative()) << 15;
    let size = x.abs();
    if x.is_nan() {
        return sign | 0x7e00;
    }
    // Numbers below the normal ones stand as far apart as the least of those.
    let small = size < LEAST_NORMAL;
    let exponent = if small { LEAST } else { (size.to_bits() >> 52) as i32 - 1023 };
    if exponent > 15 {
        return sign | 0x7c00;
    }
    let steps = (size / power(exponent - SIGNIFICAND)).round_ties_even() as u16;
    // A carry out of the significand is one into the exponent, up to infinity.
    match small {
        true => sign | steps,
        false => sign | ((((exponent + 14) as u16) << SIGNIFICAND) + steps),
    }
}

/// Of two, exact.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::{LEAST_NORMAL, from_bits, to_bits};

    #[test]
    fn all_numbers_stay_what_they_are() {
        for bits in 0..=u16::MAX {
            let number = from_bits(bits);
            match number.is_nan() {
                true => assert_eq!(to_bits(number) & 0x7e00, 0x7e00),
                false => assert_eq!(to_bits(number), bits),
            }
        }
    }

    /// Between two neighbours: at the middle the even one, else the nearer.
    #[test]
    fn the_nearest_number_is_taken() {
        for bits in 0..0x7bff {
            let (low, high) = (from_bits(bits), from_bits(bits + 1));
            let middle = low + (high - low) / 2.0;
            let even = bits + (bits & 1);
            assert_eq!(to_bits(middle), even);
            assert_eq!(to_bits(-middle), even | 0x8000);
            assert_eq!(to_bits(middle.next_down()), bits);
            assert_eq!(to_bits(middle.next_up()), bits + 1);
        }
        assert_eq!(to_bits(65519.9), 0x7bff);
        assert_eq!(to_bits(65520.0), 0x7c00);
        assert_eq!(to_bits(f64::MAX), 0x7c00);
        assert_eq!(to_bits(f64::from_bits(1)), 0);
        assert_eq!(from_bits(0x0400), LEAST_NORMAL);
        assert_eq!(from_bits(0x3c00), 1.0);
        assert_eq!(from_bits(0xc000), -2.0);
    }
}
