//! Numbers in WGSL: literals, and what becomes of a number of another type.

use super::exp::is_constant;
use super::{Writer, scalar};
use crate::emit::workarounds::ZERO_EXTENSION;
use reference::device::syntax::{Exp, I32, Lit, Sc, Ty, Wide};

impl Writer<'_> {
    pub(super) fn put_literal(&mut self, lit: Lit) {
        if !self.is_plain()
            && matches!(lit, Lit::I32(_) | Lit::U32(_))
            && let Some(text) = self.styled_integer(lit)
        {
            return self.held.put_spaced(&text);
        }
        match lit {
            Lit::Bool(b) => {
                let plain = if b { "true" } else { "false" };
                let text = self.styled_bool(b).unwrap_or(plain);
                self.held.put(text);
            }
            // Without a suffix: -2147483648i would be the negation of what is no i32.
            Lit::I32(i32::MIN) => self.held.put("i32(-2147483648)"),
            Lit::I32(k) => {
                let brackets = k < 0 && !self.is_plain();
                if brackets {
                    self.held.put("(");
                }
                if k < 0 {
                    self.held.put_operator('-');
                }
                self.held.put_number(k.unsigned_abs());
                self.held.put(if brackets { "i)" } else { "i" });
            }
            Lit::U32(k) => {
                self.held.put_number(k);
                self.held.put("u");
            }
            Lit::I64(_) | Lit::F32(_) => {
                let text = self.long_or_float(lit);
                self.held.put_spaced(&text);
            }
        }
    }

    fn long_or_float(&mut self, lit: Lit) -> String {
        self.i64 |= lit.sc() == Sc::I64;
        match lit {
            Lit::I64(Wide(i64::MIN)) => {
                let least = self.variable("(-9223372036854775807li)");
                format!("({least} - 1li)")
            }
            Lit::I64(Wide(k @ ..0)) => format!("({k}li)"),
            Lit::I64(Wide(k)) => format!("{k}li"),
            Lit::F32(bits) => {
                let x = f32::from_bits(bits);
                if x == 0.0 && bits == 0 {
                    "0.0f".to_owned()
                } else if x.is_normal() && x > 0.0 && self.is_plain() {
                    format!("{x:?}f")
                } else if x.is_normal() {
                    format!("({x:?}f)")
                } else {
                    let bits = self.variable(&format!("{bits}u"));
                    format!("bitcast<f32>({bits})")
                }
            }
            other => unreachable!("{other:?} is short"),
        }
    }

    pub(super) fn cast(&mut self, to: Sc, a: &Exp) {
        self.i64 |= to == Sc::I64;
        let from = self.types.exp(a);
        if from == Ty::Scalar(to) {
            return self.put(a);
        }
        if (&from, to) == (&I32, Sc::U32) && self.is_plain() {
            return self.put_bits(a);
        }
        let float = from == Ty::Scalar(Sc::F32);
        let long = from == Ty::Scalar(Sc::I64) || to == Sc::I64;
        // naga converts no constants between widths.
        if long || float && to != Sc::Bool {
            let a = self.text_of(|to| to.put_computed(a));
            let text = match to {
                Sc::Bool => format!("({a} != 0li)"),
                Sc::I64 if from == Ty::Scalar(Sc::U32) => self.widened(&a),
                _ if float => self.truncated(to, &a),
                // The low word, whatever the others hold.
                Sc::U32 => format!("u32({a} & 4294967295li)"),
                Sc::I32 => format!("bitcast<i32>(u32({a} & 4294967295li))"),
                _ => [conversion_to(to), &a, ")"].concat(),
            };
            return self.held.put_spaced(&text);
        }
        self.held.put(conversion_to(to));
        if float {
            self.put_computed(a)
        } else if self.terse && from == Ty::Scalar(Sc::Bool) {
            self.put_alone(a)
        } else {
            self.put_argument_of(a)
        }
        self.held.put(")");
    }

    /// A u32 in 64 bits.
    pub(super) fn widened(&self, a: &str) -> String {
        if self.workarounds.uses(&ZERO_EXTENSION) {
            format!("(i64({a}) & 4294967295li)")
        } else {
            format!("i64({a})")
        }
    }

    /// A float as an integer. Out of range WGSL gives the nearest *float* inside, and what
    /// becomes of NaN it leaves open; here it is the nearest integer, and 0.
    fn truncated(&self, to: Sc, a: &str) -> String {
        let (beyond, greatest) = match to {
            Sc::U32 => ("4294967296.0f", "4294967295u"),
            Sc::I64 => ("9223372036854775808.0f", "9223372036854775807li"),
            _ => ("2147483648.0f", "2147483647i"),
        };
        let ty = scalar(to);
        let inside = format!("select({ty}({a}), {greatest}, {a} >= {beyond})");
        format!("select({ty}(0), {inside}, {a} == {a})")
    }

    pub(super) fn bitcast(&mut self, to: Sc, a: &Exp) {
        let from = self.types.sc(a);
        let constant = is_constant(a);
        if (from, to) == (Some(Sc::I32), Sc::U32) && self.is_plain() && !constant {
            return self.put_bits(a);
        }
        let same_bits = matches!((from, to), (Some(Sc::I32 | Sc::U32), Sc::I32 | Sc::U32));
        let begin = if same_bits { self.conversion(to) } else { bitcast_to(to) };
        self.held.put(begin);
        if constant {
            self.put_computed(a)
        } else {
            self.put_argument_of(a)
        }
        self.held.put(")");
    }

    /// The begin of an integer of 32 bits as the other one with the same bits. In plain text that is its
    /// conversion, which is the same: a list of templates a compiler reads twice. What is rare stays a
    /// `bitcast`.
    pub(super) fn conversion(&self, to: Sc) -> &'static str {
        if self.is_plain() { conversion_to(to) } else { bitcast_to(to) }
    }
}

/// The begin of a conversion to a type.
fn conversion_to(to: Sc) -> &'static str {
    match to {
        Sc::Bool => "bool(",
        Sc::I32 => "i32(",
        Sc::U32 => "u32(",
        Sc::I64 => "i64(",
        Sc::F32 => "f32(",
    }
}

/// The begin of the same bits as a type.
pub(super) fn bitcast_to(to: Sc) -> &'static str {
    match to {
        Sc::Bool => "bitcast<bool>(",
        Sc::I32 => "bitcast<i32>(",
        Sc::U32 => "bitcast<u32>(",
        Sc::I64 => "bitcast<i64>(",
        Sc::F32 => "bitcast<f32>(",
    }
}
