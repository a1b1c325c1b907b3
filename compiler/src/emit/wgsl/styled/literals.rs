//! Literals: constants by name, constants that are computed, and values computed at run time.

use super::super::Writer;
use crate::emit::style::Construct;
use reference::device::syntax::Lit;

impl Writer<'_> {
    /// An integer as another expression, unless it is to be plain.
    pub(in super::super) fn styled_integer(&mut self, lit: Lit) -> Option<String> {
        if self.is_plain() || !matches!(lit, Lit::I32(_) | Lit::U32(_)) {
            return None;
        }
        let mut could =
            vec![Construct::Const, Construct::ConstChain, Construct::Overflow, Construct::Quotient];
        if power(lit).is_some() {
            could.push(Construct::ShiftedOne);
        }
        if negative(lit).is_some() {
            could.push(Construct::Remainder);
        }
        match self.one_of(&could)? {
            Construct::Const => self.constant(lit),
            Construct::ConstChain => self.constant_chain(lit),
            Construct::Overflow => {
                let (a, b, _) = wrapping_sum(lit)?;
                Some(format!("({a} + {b})"))
            }
            Construct::ShiftedOne => {
                let amount = self.variable(&format!("{}u", power(lit)?));
                // Without a suffix it is abstract, and becomes an i32 beside what is no constant.
                let one = match lit {
                    Lit::U32(_) => "1u",
                    _ if self.turn(Construct::ShiftedOne).is_multiple_of(2) => "1",
                    _ => "1i",
                };
                Some(format!("({one} << {amount})"))
            }
            Construct::Quotient => {
                let (dividend, op, divisor) = no_quotient(lit, self.turn(Construct::Quotient))?;
                // At run time: a constant divisor of 0 is an error.
                let [dividend, divisor] = [dividend, divisor].map(|text| self.variable(&text));
                Some(format!("({dividend} {op} {divisor})"))
            }
            _ => {
                // k = (k - m) rem m for k < 0 and m > |k|: a remainder has the sign of what is
                // divided.
                let k = negative(lit)?;
                let m = 13 - k;
                let dividend = self.variable(&format!("({}i)", k - m));
                Some(format!("({dividend} % {m}i)"))
            }
        }
    }

    /// `const c: i32 = 5i;`
    fn constant(&mut self, lit: Lit) -> Option<String> {
        let (ty, text) = typed(lit)?;
        Some(self.constant_of(format!(": {ty} = {text};")))
    }

    /// `const a: i32 = 2147483647i; const b: i32 = a + 7i;`: a sum that wraps around.
    fn constant_chain(&mut self, lit: Lit) -> Option<String> {
        let (a, b, ty) = wrapping_sum(lit)?;
        let a = self.constant_of(format!(": {ty} = {a};"));
        Some(self.constant_of(format!(": {ty} = {a} + {b};")))
    }
}

/// The type and the plain text of an integer of 32 bits.
fn typed(lit: Lit) -> Option<(&'static str, String)> {
    match lit {
        Lit::I32(k) => Some(("i32", signed(k))),
        Lit::U32(k) => Some(("u32", format!("{k}u"))),
        _ => None,
    }
}

fn signed(k: i32) -> String {
    match k {
        i32::MIN => "i32(-2147483648)".to_owned(),
        k if k < 0 => format!("({k}i)"),
        k => format!("{k}i"),
    }
}

/// Two integers whose sum is this one, and their type. All sums but few are beyond the range of
/// the type: integers of known width wrap around.
fn wrapping_sum(lit: Lit) -> Option<(String, String, &'static str)> {
    match lit {
        Lit::I32(k) => {
            let a = if k < 0 { i32::MAX } else { -i32::MAX };
            Some((signed(a), signed(k.wrapping_sub(a)), "i32"))
        }
        Lit::U32(k) => {
            Some((format!("{}u", u32::MAX), format!("{}u", k.wrapping_sub(u32::MAX)), "u32"))
        }
        _ => None,
    }
}

/// A division without a quotient in its type, which gives this integer all the same: `x / 0` is `x` and
/// `x % 0` is 0, of the least i32 the quotient by -1 is itself and the remainder 0. Of those that do, the one
/// of this turn.
fn no_quotient(lit: Lit, turn: u32) -> Option<(String, char, String)> {
    let (ty, text) = typed(lit)?;
    let zero = if ty == "i32" { "0i" } else { "0u" }.to_owned();
    let least = || (signed(i32::MIN), signed(-1));
    Some(match (lit, turn % 3) {
        (Lit::I32(i32::MIN), 1) => (least().0, '/', least().1),
        (Lit::I32(0), 1) => (least().0, '%', least().1),
        (Lit::I32(0), 2) => ("7i".to_owned(), '%', zero),
        (Lit::U32(0), 1) => ("7u".to_owned(), '%', zero),
        _ => (text, '/', zero),
    })
}

/// The exponent of a power of two, from 2 on.
fn power(lit: Lit) -> Option<u32> {
    let k = match lit {
        Lit::I32(k) => u32::try_from(k).ok()?,
        Lit::U32(k) => k,
        _ => return None,
    };
    (k >= 2 && k.is_power_of_two()).then(|| k.ilog2())
}

/// A negative i32 with room below it.
fn negative(lit: Lit) -> Option<i32> {
    match lit {
        Lit::I32(k) if (-1_000_000_000..0).contains(&k) => Some(k),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{no_quotient, wrapping_sum};
    use reference::device::syntax::Lit;

    #[test]
    fn sums_wrap_around_to_the_integer() {
        let sum = |lit| wrapping_sum(lit).expect("it has 32 bits");
        assert_eq!(sum(Lit::I32(-5)), ("2147483647i".into(), "2147483644i".into(), "i32"));
        assert_eq!(sum(Lit::I32(5)), ("(-2147483647i)".into(), "(-2147483644i)".into(), "i32"));
        assert_eq!(sum(Lit::I32(1)).1, "i32(-2147483648)");
        assert_eq!(sum(Lit::U32(7)), ("4294967295u".into(), "8u".into(), "u32"));
    }

    /// Of 0 a remainder too, and of what a division by -1 gives that too.
    #[test]
    fn integers_are_what_is_left_where_there_is_no_quotient() {
        let all = |lit| {
            let texts = (0..3).map(|turn| no_quotient(lit, turn).expect("it has 32 bits"));
            texts.map(|(a, op, b)| format!("{a} {op} {b}")).collect::<Vec<_>>()
        };
        let least = "i32(-2147483648)";
        assert_eq!(all(Lit::I32(-5)), ["(-5i) / 0i"; 3]);
        assert_eq!(all(Lit::U32(5)), ["5u / 0u"; 3]);
        assert_eq!(
            all(Lit::I32(0)),
            ["0i / 0i".to_owned(), format!("{least} % (-1i)"), "7i % 0i".to_owned()]
        );
        assert_eq!(all(Lit::U32(0)), ["0u / 0u", "7u % 0u", "0u / 0u"]);
        let [by_zero, by_one] = ["0i", "(-1i)"].map(|divisor| format!("{least} / {divisor}"));
        assert_eq!(all(Lit::I32(i32::MIN)), [by_zero.as_str(), &by_one, &by_zero]);
    }
}
