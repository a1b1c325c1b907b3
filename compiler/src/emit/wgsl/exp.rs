//! Expressions in WGSL.

use super::place::Part;
use super::{MAX_TEXT, Writer, scalar};
use crate::emit::workarounds::{INDEXED_IN_VARIABLES, MASKED_SHIFTS, ZERO_EXTENSION};
use crate::pass::walk::extent;
use reference::device::syntax::{Builtin, Exp, I32, Lit, Sc, Ty, U32, UnOp, Wide};
use reference::kit::scalar::BinOp;

impl Writer<'_> {
    /// The text of `exp`; long parts are bound before. It can stand as an operand.
    pub(super) fn exp(&mut self, exp: &Exp) -> String {
        let text = self.exp_plain(exp);
        self.shortened(text)
    }

    /// The text, or a name that it is bound to if it is long.
    pub(super) fn shortened(&mut self, text: String) -> String {
        if text.len() <= MAX_TEXT {
            return text;
        }
        let name = self.temporary();
        let text = self.unbracketed(text);
        self.line_of(&["let ", &name, " = ", &text, ";"]);
        name
    }

    /// The text of `exp` where nothing stands beside it.
    pub(super) fn alone(&mut self, exp: &Exp) -> String {
        let text = self.exp(exp);
        self.unbracketed(text)
    }

    /// The text of an argument. A comparison keeps its brackets, and a shift, lest two of them be read
    /// as a list of templates.
    pub(super) fn argument_of(&mut self, exp: &Exp) -> String {
        match exp {
            Exp::Bin(op, ..) if !compares_or_shifts(*op) => self.alone(exp),
            other => self.exp(other),
        }
    }

    /// A text without the brackets around all of it. Each costs a compiler a walk over all the
    /// levels of its grammar. Styles keep theirs.
    pub(super) fn unbracketed(&self, mut text: String) -> String {
        if !self.is_plain() || !text.starts_with('(') || !text.ends_with(')') {
            return text;
        }
        let mut open = 0;
        let closes = text.bytes().position(|byte| {
            open += i32::from(byte == b'(') - i32::from(byte == b')');
            open == 0
        });
        if closes == Some(text.len() - 1) {
            text.pop();
            text.remove(0);
        }
        text
    }

    /// The text of an operand of `outer`, without brackets where the grammar reads it the same:
    /// products in sums, and what stands on the left of its own kind. Floats are computed in the order
    /// that the grammar gives.
    pub(super) fn operand(
        &self,
        outer: BinOp,
        exp: &Exp,
        on_the_left: bool,
        text: String,
    ) -> String {
        let Exp::Bin(inner, ..) = exp else { return text };
        let same = match outer {
            BinOp::Add | BinOp::Sub => *inner == BinOp::Mul || on_the_left && is_sum(*inner),
            BinOp::Mul => on_the_left && *inner == BinOp::Mul,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                is_sum(*inner) || *inner == BinOp::Mul
            }
            _ => false,
        };
        if same { self.unbracketed(text) } else { text }
    }

    /// The same of bools: a negation, and on the left the same operator.
    fn truth(&self, outer: BinOp, exp: &Exp, on_the_left: bool, text: String) -> String {
        let same = match exp {
            Exp::Un(UnOp::Not, _) => true,
            Exp::Bin(inner, ..) => {
                on_the_left && *inner == outer && matches!(outer, BinOp::And | BinOp::Or)
            }
            _ => false,
        };
        if same { self.unbracketed(text) } else { text }
    }

    fn exp_plain(&mut self, exp: &Exp) -> String {
        match exp {
            Exp::Lit(lit) => self.literal(*lit),
            Exp::Var(var) => {
                if let Some(asked) = self.asked.get_mut(var) {
                    if asked.once {
                        let at = asked.at;
                        let ty = if self.bits.contains(var) { &U32 } else { self.types.var(*var) };
                        return self.argument(ty, at);
                    }
                    asked.whole = true;
                }
                self.ident(*var)
            }
            Exp::Builtin(builtin) => match builtin {
                Builtin::GlobalId => self.global_id(),
                Builtin::LocalId | Builtin::GroupId => return self.place_in_grid(*builtin),
                Builtin::Invocations if self.terse => return [self.launch(), "[0u]"].concat(),
                Builtin::Invocations => "invocations",
            }
            .to_owned(),
            Exp::Un(op, a) => {
                let operator = match op {
                    UnOp::Neg => '-',
                    UnOp::Not => '!',
                    UnOp::Complement => '~',
                };
                let a = self.computed(a);
                format!("({operator}{a})")
            }
            Exp::Bin(op, ab) => self.binary(*op, ab),
            Exp::Select(parts) => {
                let [c, a, b] = &**parts;
                if let Some(text) = self.styled_select(c, a, b) {
                    return text;
                }
                let (c, a, b) = (self.exp(c), self.argument_of(a), self.argument_of(b));
                ["select(", &b, ", ", &a, ", ", &c, ")"].concat()
            }
            Exp::Cast(to, a) => self.cast(*to, a),
            Exp::Bitcast(to, a) => {
                let from = self.types.sc(a);
                if (from, to) == (Some(Sc::I32), &Sc::U32) && self.is_plain() && !is_constant(a) {
                    return self.bits(a);
                }
                let a = if is_constant(a) { self.computed(a) } else { self.argument_of(a) };
                match (from, to) {
                    (Some(Sc::I32 | Sc::U32), Sc::I32 | Sc::U32) => self.same_bits(*to, &a),
                    _ => format!("bitcast<{}>({a})", scalar(*to)),
                }
            }
            Exp::Make(made) => {
                let (ty, parts) = &**made;
                let parts: Vec<String> = parts.iter().map(|part| self.exp(part)).collect();
                format!("{}({})", self.ty(ty), parts.join(", "))
            }
            Exp::At(parts) => {
                let [array, index] = &**parts;
                let ty = self.types.exp(array);
                let mut array = self.exp(array);
                let index = self.index(&ty, index);
                if self.workarounds.uses(&INDEXED_IN_VARIABLES) {
                    let name = self.temporary();
                    self.line(&format!("var {name} = {array};"));
                    array = name;
                }
                format!("{array}[{index}]")
            }
            Exp::Field(value, field) => {
                let value = self.exp(value);
                format!("{value}.m{field}")
            }
            Exp::Load(place) => {
                let place = self.place(place);
                self.read(&place)
            }
            Exp::Ref(place) => {
                let place = self.place(place);
                format!("(&{})", self.reference(&place))
            }
            Exp::Length(block) => self.part_of(block, Part::Length),
            Exp::Base(block) => self.part_of(block, Part::Base),
            Exp::Block(_, parts) => {
                let [base, length] = parts.each_ref().map(|part| self.exp(part));
                format!("vec2<u32>({base}, {length})")
            }
        }
    }

    /// An integer of 32 bits as the other one with the same bits. In plain text that is its conversion,
    /// which is the same: a list of templates a compiler reads twice. What is rare stays a `bitcast`.
    pub(super) fn same_bits(&self, to: Sc, integer: &str) -> String {
        let (before, after) = if self.is_plain() { ("", "(") } else { ("bitcast<", ">(") };
        [before, scalar(to), after, integer, ")"].concat()
    }

    fn place_in_grid(&mut self, builtin: Builtin) -> String {
        self.asks_for_group = true;
        if builtin == Builtin::LocalId { "local_id" } else { "group_id" }.to_owned()
    }

    /// An operand that is not a constant of WGSL, so that nothing is computed at compile time.
    fn computed(&mut self, exp: &Exp) -> String {
        let text = self.exp(exp);
        if is_constant(exp) { self.variable(&text) } else { text }
    }

    pub(super) fn variable(&mut self, text: &str) -> String {
        let name = self.temporary();
        self.line(&format!("var {name} = {text};"));
        name
    }

    fn binary(&mut self, op: BinOp, [a, b]: &[Exp; 2]) -> String {
        let sc = match self.types.exp(a) {
            Ty::Scalar(sc) | Ty::Vector(sc, _) => sc,
            // Blocks are not compared.
            _ => Sc::U32,
        };
        if let Some(call) = self.operator_call(op, a, b) {
            return call;
        }
        let constant = is_constant(a) && is_constant(b);
        let left = if constant { self.computed(a) } else { self.exp(a) };
        let symbol = match op {
            BinOp::Shl | BinOp::Shr => return self.shift(op, sc, &left, b),
            BinOp::Max if self.is_plain() && is_negated(b, a) && self.is_never_minus_zero(a) => {
                return ["abs(", &self.unbracketed(left), ")"].concat();
            }
            BinOp::Min | BinOp::Max => {
                let right = self.argument_of(b);
                let name = if op == BinOp::Min { "min" } else { "max" };
                return [name, "(", &left, ", ", &right, ")"].concat();
            }
            BinOp::Div | BinOp::Rem if sc != Sc::F32 => {
                // A constant zero does not compile, even where nothing divides by it.
                let zero = matches!(b, Exp::Lit(Lit::I32(0) | Lit::U32(0) | Lit::I64(Wide(0))));
                let right = if zero { self.computed(b) } else { self.exp(b) };
                let symbol = if op == BinOp::Div { "/" } else { "%" };
                return ["(", &left, " ", symbol, " ", &right, ")"].concat();
            }
            BinOp::Xor if sc == Sc::Bool => "!=",
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::And => "&",
            BinOp::Or => "|",
            BinOp::Xor => "^",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
        };
        if sc == Sc::Bool
            && matches!(op, BinOp::And | BinOp::Or)
            && let Some(text) = self.short_circuit(op, &left, b)
        {
            return text;
        }
        let right = self.exp(b);
        let (left, right) = match sc {
            Sc::Bool => (self.truth(op, a, true, left), self.truth(op, b, false, right)),
            _ => (self.operand(op, a, true, left), self.operand(op, b, false, right)),
        };
        ["(", &left, " ", symbol, " ", &right, ")"].concat()
    }

    /// Is it a float of an integer, or one less a literal? Of these the greater of `x` and `-x` is the
    /// magnitude to the bit; of -0.0 it is -0.0.
    fn is_never_minus_zero(&self, exp: &Exp) -> bool {
        match exp {
            Exp::Cast(Sc::F32, from) => {
                matches!(self.types.sc(from), Some(Sc::I32 | Sc::U32 | Sc::I64))
            }
            Exp::Bin(BinOp::Sub, ab) => {
                matches!(ab[1], Exp::Lit(Lit::F32(_))) && self.is_never_minus_zero(&ab[0])
            }
            _ => false,
        }
    }

    /// The low five bits of the amount count, of i64 the low six.
    fn shift(&mut self, op: BinOp, sc: Sc, left: &str, amount: &Exp) -> String {
        let mask = if sc == Sc::I64 { 63 } else { 31 };
        let constant = match amount {
            Exp::Lit(Lit::I32(k)) => Some(*k as u32),
            Exp::Lit(Lit::U32(k)) => Some(*k),
            Exp::Lit(Lit::I64(k)) => Some(k.0 as u32),
            _ => None,
        };
        let amount = match constant {
            Some(k) => format!("{}u", k & mask),
            None => {
                let amount = self.exp(amount);
                if self.workarounds.uses(&MASKED_SHIFTS) {
                    format!("(u32({amount}) & {mask}u)")
                } else {
                    format!("u32({amount})")
                }
            }
        };
        let symbol = if op == BinOp::Shl { "<<" } else { ">>" };
        // A constant on the left would be shifted at compile time.
        format!("({left} {symbol} {amount})")
    }

    fn cast(&mut self, to: Sc, a: &Exp) -> String {
        let from = self.types.exp(a);
        if from == Ty::Scalar(to) {
            return self.exp(a);
        }
        if (from.clone(), to) == (I32, Sc::U32) && self.is_plain() {
            return self.bits(a);
        }
        let float = from == Ty::Scalar(Sc::F32);
        let long = from == Ty::Scalar(Sc::I64) || to == Sc::I64;
        // naga converts no constants between widths.
        let a = if long || float { self.computed(a) } else { self.argument_of(a) };
        match to {
            Sc::Bool if long => format!("({a} != 0li)"),
            Sc::I64 if from == Ty::Scalar(Sc::U32) => self.widened(&a),
            _ if float && to != Sc::Bool => self.truncated(to, a),
            // The low word, whatever the others hold.
            Sc::U32 if long => format!("u32({a} & 4294967295li)"),
            Sc::I32 if long => format!("bitcast<i32>(u32({a} & 4294967295li))"),
            _ => [scalar(to), "(", &a, ")"].concat(),
        }
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
    fn truncated(&mut self, to: Sc, a: String) -> String {
        let (beyond, greatest) = match to {
            Sc::U32 => ("4294967296.0f", "4294967295u"),
            Sc::I64 => ("9223372036854775808.0f", "9223372036854775807li"),
            _ => ("2147483648.0f", "2147483647i"),
        };
        let ty = scalar(to);
        let inside = format!("select({ty}({a}), {greatest}, {a} >= {beyond})");
        format!("select({ty}(0), {inside}, {a} == {a})")
    }

    /// An index into an array or vector of type `ty`. A constant outside of it does not compile.
    pub(super) fn index(&mut self, ty: &Ty, index: &Exp) -> String {
        let constant = match index {
            Exp::Lit(Lit::I32(k)) => Some(i64::from(*k)),
            Exp::Lit(Lit::U32(k)) => Some(i64::from(*k)),
            _ => None,
        };
        let text = self.exp(index);
        let outside = |k| !extent(ty).is_some_and(|n| (0..i64::from(n)).contains(&k));
        if constant.is_some_and(outside) { self.variable(&text) } else { text }
    }

    fn literal(&mut self, lit: Lit) -> String {
        if matches!(lit, Lit::I32(_) | Lit::U32(_))
            && let Some(text) = self.styled_integer(lit)
        {
            return text;
        }
        match lit {
            Lit::Bool(b) => match self.styled_bool(b) {
                Some(text) => text.to_owned(),
                None => b.to_string(),
            },
            // Without a suffix: -2147483648i would be the negation of what is no i32.
            Lit::I32(i32::MIN) => "i32(-2147483648)".to_owned(),
            Lit::I32(k) if k < 0 && !self.is_plain() => format!("({k}i)"),
            Lit::I32(k) => [&k.to_string(), "i"].concat(),
            Lit::U32(k) => [&k.to_string(), "u"].concat(),
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
        }
    }
}

fn compares_or_shifts(op: BinOp) -> bool {
    use BinOp::{Eq, Ge, Gt, Le, Lt, Ne, Shl, Shr};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge | Shl | Shr)
}

/// Is `exp` the number `x` with the other sign?
fn is_negated(exp: &Exp, x: &Exp) -> bool {
    matches!(exp, Exp::Un(UnOp::Neg, negated) if **negated == *x)
}

fn is_sum(op: BinOp) -> bool {
    matches!(op, BinOp::Add | BinOp::Sub)
}

/// Is it a constant expression of WGSL? Operators have none left.
pub(super) fn is_constant(exp: &Exp) -> bool {
    match exp {
        Exp::Lit(Lit::I64(Wide(i64::MIN))) => false,
        Exp::Lit(Lit::F32(bits)) => *bits == 0 || f32::from_bits(*bits).is_normal(),
        Exp::Lit(_) => true,
        Exp::Make(made) => made.1.iter().all(is_constant),
        Exp::Select(parts) => parts.iter().all(is_constant),
        Exp::Cast(_, a) => is_constant(a),
        Exp::Field(value, _) => is_constant(value),
        Exp::Block(_, parts) => parts.iter().all(is_constant),
        Exp::Length(block) | Exp::Base(block) => is_constant(block),
        Exp::At(parts) => is_constant(&parts[0]),
        _ => false,
    }
}
