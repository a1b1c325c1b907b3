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
        let mut could = vec![Construct::Const, Construct::ConstChain, Construct::Overflow];
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
    use super::wrapping_sum;
    use reference::device::syntax::Lit;

    #[test]
    fn sums_wrap_around_to_the_integer() {
        let sum = |lit| wrapping_sum(lit).expect("it has 32 bits");
        assert_eq!(sum(Lit::I32(-5)), ("2147483647i".into(), "2147483644i".into(), "i32"));
        assert_eq!(sum(Lit::I32(5)), ("(-2147483647i)".into(), "(-2147483644i)".into(), "i32"));
        assert_eq!(sum(Lit::I32(1)).1, "i32(-2147483648)");
        assert_eq!(sum(Lit::U32(7)), ("4294967295u".into(), "8u".into(), "u32"));
    }
}
