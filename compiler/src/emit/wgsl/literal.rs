//! Literals, and conversions between types.

use super::expr::{Text, is_constant};
use super::{Writer, scalar};
use crate::emit::workarounds::{MASKED_SHIFTS, ZERO_EXTENSION};
use reference::device::syntax::{Exp, Lit, Sc, Ty, Wide};

impl Writer<'_> {
    /// A literal.
    pub(super) fn literal(&mut self, lit: Lit) -> String {
        if let Some(text) = self.styled_integer(lit) {
            return text;
        }
        match lit {
            Lit::Bool(value) => {
                let plain = if value { "true" } else { "false" };
                self.styled_bool(value).unwrap_or(plain).to_owned()
            }
            Lit::I32(_) | Lit::U32(_) => self.plain_integer(lit),
            Lit::I64(Wide(i64::MIN)) => {
                let least = self.variable("-9223372036854775807li");
                format!("({least} - 1li)")
            }
            Lit::I64(Wide(k)) => format!("{k}li"),
            Lit::F32(bits) => {
                let x = f32::from_bits(bits);
                if bits == 0 || x.is_normal() {
                    format!("{x:?}f")
                } else {
                    let bits = self.variable(&format!("{bits}u"));
                    format!("bitcast<f32>({bits})")
                }
            }
            Lit::F64(Wide(bits)) => {
                let x = f64::from_bits(bits as u64);
                if bits == 0 || x.is_normal() {
                    format!("{x:?}lf")
                } else {
                    let bits = self.variable(&format!("{}lu", bits as u64));
                    format!("bitcast<f64>({bits})")
                }
            }
        }
    }

    /// An integer of 32 bits, whatever the style is.
    ///
    /// # Panics
    /// If it is none.
    pub(super) fn plain_integer(&self, lit: Lit) -> String {
        match lit {
            // Without a suffix: -2147483648i would be the negation of what is no i32.
            Lit::I32(i32::MIN) => "i32(-2147483648)".to_owned(),
            Lit::I32(k) => format!("{k}i"),
            Lit::U32(k) => format!("{k}u"),
            other => panic!("{other:?} is no integer of 32 bits"),
        }
    }

    /// The conversion of `a` to another type.
    pub(super) fn cast(&mut self, to: Sc, a: &Exp) -> Text {
        let from = self.types.exp(a);
        if from == Ty::Scalar(to) {
            return self.text(a);
        }
        let of_float = matches!(from, Ty::Scalar(sc) if sc.is_float());
        let of_wide = matches!(from, Ty::Scalar(sc) if sc.words() == 2);
        // naga converts no constants between widths.
        if of_wide || to.words() == 2 || of_float && to != Sc::Bool {
            let a = self.computed(a);
            return Text::closed(match to {
                Sc::Bool if of_float => format!("({a} != 0.0lf)"),
                Sc::Bool => format!("({a} != 0li)"),
                Sc::F64 if from == Ty::Scalar(Sc::Bool) => format!("select(0.0lf, 1.0lf, {a})"),
                Sc::F32 | Sc::F64 => format!("{}({a})", scalar(to)),
                Sc::I64 if from == Ty::Scalar(Sc::U32) => self.widened(&a),
                _ if of_float => truncated(to, &a, if of_wide { "lf" } else { "f" }),
                // The low word, whatever the high word holds.
                Sc::U32 => format!("u32({a} & 4294967295li)"),
                Sc::I32 => format!("bitcast<i32>(u32({a} & 4294967295li))"),
                _ => format!("{}({a})", scalar(to)),
            });
        }
        let a = if of_float { self.computed(a) } else { self.argument(a) };
        Text::closed(format!("{}({a})", scalar(to)))
    }

    /// The bits of `a` as another type of 32 bits.
    pub(super) fn bitcast(&mut self, to: Sc, a: &Exp) -> Text {
        let from = self.types.sc(a);
        let bits = if is_constant(a) { self.computed(a) } else { self.argument(a) };
        let of_integers = matches!((from, to), (Some(Sc::I32 | Sc::U32), Sc::I32 | Sc::U32));
        Text::closed(match of_integers {
            true => self.same_bits(to, &bits),
            false => format!("bitcast<{}>({bits})", scalar(to)),
        })
    }

    /// A 32-bit integer as the other one with the same bits. Plain text converts it, which gives the same and
    /// is parsed sooner than a list of templates.
    pub(super) fn same_bits(&self, to: Sc, integer: &str) -> String {
        let ty = scalar(to);
        if self.is_plain() {
            format!("{ty}({integer})")
        } else {
            format!("bitcast<{ty}>({integer})")
        }
    }

    /// An integer index as u32.
    pub(super) fn index_word(&mut self, index: &Exp) -> Text {
        match index {
            Exp::Lit(Lit::I32(k)) => Text::closed(format!("{}u", *k as u32)),
            Exp::Cast(Sc::I32, word) if self.types.sc(word) == Some(Sc::U32) => self.text(word),
            other => self.cast(Sc::U32, other),
        }
    }

    /// The amount of a shift of a value of this type: its low five bits count, of i64 the low six. Of a
    /// literal they are taken here, since a constant amount must not be too large.
    pub(super) fn amount(&mut self, sc: Sc, amount: &Exp) -> String {
        let mask = if sc == Sc::I64 { 63 } else { 31 };
        let literal = match amount {
            Exp::Lit(Lit::I32(k)) => Some(*k as u32),
            Exp::Lit(Lit::U32(k)) => Some(*k),
            Exp::Lit(Lit::I64(k)) => Some(k.0 as u32),
            _ => None,
        };
        if let Some(k) = literal {
            return format!("{}u", k & mask);
        }
        let amount = match self.types.sc(amount) {
            Some(Sc::U32) => self.operand(amount),
            _ => format!("u32({})", self.argument(amount)),
        };
        if self.workarounds.uses(&MASKED_SHIFTS) { format!("({amount} & {mask}u)") } else { amount }
    }

    /// A u32 in 64 bits.
    pub(super) fn widened(&self, a: &str) -> String {
        if self.workarounds.uses(&ZERO_EXTENSION) {
            format!("(i64({a}) & 4294967295li)")
        } else {
            format!("i64({a})")
        }
    }
}

/// A float, whose literals have this suffix, as an integer. Out of range WGSL gives the nearest *float* inside, and
/// leaves open what becomes of NaN; here it is the nearest integer, and 0.
fn truncated(to: Sc, a: &str, suffix: &str) -> String {
    let (beyond, greatest) = match to {
        Sc::U32 => ("4294967296.0", "4294967295u"),
        Sc::I64 => ("9223372036854775808.0", "9223372036854775807li"),
        _ => ("2147483648.0", "2147483647i"),
    };
    let ty = scalar(to);
    let inside = format!("select({ty}({a}), {greatest}, {a} >= {beyond}{suffix})");
    format!("select({ty}(0), {inside}, {a} == {a})")
}
