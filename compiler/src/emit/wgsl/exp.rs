//! Expressions in WGSL.

use super::arguments::INVOCATIONS;
use super::held::Mark;
use super::place::Part;
use super::{MAX_TEXT, Writer};
use crate::emit::workarounds::{INDEXED_IN_VARIABLES, MASKED_SHIFTS};
use crate::pass::walk::extent;
use reference::device::syntax::{Builtin, Exp, Lit, Sc, Ty, U32, UnOp, Wide};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

impl Writer<'_> {
    /// The text of `exp`, with all blanks; long parts are bound before. It can stand as an operand.
    pub(super) fn exp(&mut self, exp: &Exp) -> String {
        self.text_of(|to| to.put(exp))
    }

    /// The text of `exp` where nothing stands beside it.
    pub(super) fn alone(&mut self, exp: &Exp) -> String {
        self.text_of(|to| to.put_alone(exp))
    }

    /// The text of an argument, as [`Writer::put_argument_of`] puts it.
    pub(super) fn argument_of(&mut self, exp: &Exp) -> String {
        self.text_of(|to| to.put_argument_of(exp))
    }

    /// What this puts, with all blanks: for what is rare, and put together of texts.
    pub(super) fn text_of(&mut self, put: impl FnOnce(&mut Self)) -> String {
        let dense = std::mem::take(&mut self.held.dense);
        let from = self.held.mark();
        put(self);
        self.held.dense = dense;
        self.held.take(from)
    }

    /// Puts `exp`; long parts are bound before. It can stand as an operand.
    pub(super) fn put(&mut self, exp: &Exp) {
        let from = self.held.mark();
        self.put_at_length(exp, true);
        self.shorten(from, 0);
    }

    /// Puts `exp` where nothing stands beside it.
    pub(super) fn put_alone(&mut self, exp: &Exp) {
        match exp {
            Exp::Bin(op, ab) if self.is_plain() => self.put_binary_alone(*op, ab),
            Exp::Un(..) if self.is_plain() => {
                let from = self.held.mark();
                self.put_at_length(exp, false);
                self.shorten(from, BRACKETS);
            }
            _ => {
                let from = self.held.mark();
                self.put(exp);
                self.unbracket(from);
            }
        }
    }

    /// The same of an operation, in plain text.
    pub(super) fn put_binary_alone(&mut self, op: BinOp, ab: &[Exp; 2]) {
        let from = self.held.mark();
        self.binary(op, ab, false);
        let is_call = matches!(op, BinOp::Min | BinOp::Max);
        self.shorten(from, if is_call { 0 } else { BRACKETS });
    }

    /// Puts a name in the place of what was put since then, which is bound to it, if that is long; of it
    /// so many characters were left out.
    pub(super) fn shorten(&mut self, from: Mark, left_out: usize) {
        if self.held.length_since(from) + left_out > MAX_TEXT {
            self.unbracket(from);
            self.bind_temporary("let ", from);
        }
    }

    /// Puts an argument. A comparison keeps its brackets, and a shift, lest two of them be read as a list
    /// of templates.
    pub(super) fn put_argument_of(&mut self, exp: &Exp) {
        match exp {
            Exp::Bin(op, ..) if !compares_or_shifts(*op) => self.put_alone(exp),
            other => self.put(other),
        }
    }

    /// Takes off the brackets around all that was put since then. Each costs a compiler a walk over all
    /// the levels of its grammar. Styles keep theirs.
    pub(super) fn unbracket(&mut self, from: Mark) {
        if self.is_plain() {
            self.held.unbracket(from);
        }
    }

    /// Puts an operand of `outer`, without brackets where the grammar reads it the same.
    fn put_operand(&mut self, outer: BinOp, exp: &Exp, on_the_left: bool) {
        if needs_no_brackets(outer, exp, on_the_left) {
            self.put_alone(exp);
        } else {
            self.put(exp);
        }
    }

    /// The same of bools: a negation, and on the left the same operator.
    fn put_truth(&mut self, outer: BinOp, exp: &Exp, on_the_left: bool) {
        let same = match exp {
            Exp::Un(UnOp::Not, _) => true,
            Exp::Bin(inner, ..) => {
                on_the_left && *inner == outer && matches!(outer, BinOp::And | BinOp::Or)
            }
            _ => false,
        };
        if same {
            self.put_alone(exp);
        } else {
            self.put(exp);
        }
    }

    /// Puts `exp`, however long it is; with the brackets around it only if they are wanted.
    fn put_at_length(&mut self, exp: &Exp, brackets: bool) {
        match exp {
            Exp::Lit(lit) => self.put_literal(*lit),
            Exp::Var(var) => self.put_var(*var),
            Exp::Builtin(builtin) => self.put_builtin(*builtin),
            Exp::Un(op, a) => {
                if brackets {
                    self.held.put("(");
                }
                self.held.put_operator(match op {
                    UnOp::Neg => '-',
                    UnOp::Not => '!',
                    UnOp::Complement => '~',
                });
                self.put_computed(a);
                if brackets {
                    self.held.put(")");
                }
            }
            Exp::Bin(op, ab) => self.binary(*op, ab, brackets),
            Exp::Select(parts) => self.select(parts),
            Exp::Cast(to, a) => self.cast(*to, a),
            Exp::Bitcast(to, a) => self.bitcast(*to, a),
            Exp::Load(place) => self.put_load(place),
            Exp::Length(block) => self.put_part(block, Part::Length),
            Exp::Base(block) => self.put_part(block, Part::Base),
            Exp::Make(_) | Exp::At(_) | Exp::Field(..) | Exp::Ref(_) | Exp::Block(..) => {
                let text = self.composed(exp);
                self.held.put_spaced(&text);
            }
        }
    }

    /// Puts a name. An i32 of which the bits are bound is made one again.
    fn put_var(&mut self, var: Var) {
        if !self.bits.of(var) {
            return self.put_name(var);
        }
        self.held.put(self.conversion(Sc::I32));
        self.put_name(var);
        self.held.put(")");
    }

    /// Puts a name for what is bound to it.
    pub(super) fn put_name(&mut self, var: Var) {
        if let Some(asked) = self.asked_mut(var) {
            asked.whole = true;
            let asked = *asked;
            let ty = if self.bits.of(var) { &U32 } else { self.types.var(var) };
            if self.stands_in_place(ty, asked) {
                return self.put_argument(ty, asked.at);
            }
        }
        self.put_ident(var);
    }

    fn put_builtin(&mut self, builtin: Builtin) {
        match builtin {
            Builtin::GlobalId => self.held.put(self.global_id()),
            Builtin::LocalId | Builtin::GroupId => {
                self.asks_for_group = true;
                let is_local = builtin == Builtin::LocalId;
                self.held.put(if is_local { "local_id" } else { "group_id" });
            }
            Builtin::Invocations if self.terse => self.put_brought(INVOCATIONS),
            Builtin::Invocations => self.held.put("invocations"),
        }
    }

    /// What has parts, and pointers: rare, and put together of texts.
    fn composed(&mut self, exp: &Exp) -> String {
        match exp {
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
            Exp::Ref(place) => {
                let place = self.place(place);
                format!("(&{})", self.reference(&place))
            }
            Exp::Block(_, parts) => {
                let [base, length] = parts.each_ref().map(|part| self.exp(part));
                format!("{}({base}, {length})", self.pair())
            }
            other => unreachable!("{other:?} is not put together of texts"),
        }
    }

    /// The condition is computed first, and stands last.
    fn select(&mut self, [c, a, b]: &[Exp; 3]) {
        if !self.is_plain()
            && let Some(text) = self.styled_select(c, a, b)
        {
            return self.held.put_spaced(&text);
        }
        let from = self.held.mark();
        self.put(c);
        let cond = self.held.mark();
        self.put_argument_of(a);
        let yes = self.held.mark();
        self.put_argument_of(b);
        let no = self.held.mark();
        self.held.put("select(");
        self.held.put_again(yes, no);
        self.held.put_comma();
        self.held.put_again(cond, yes);
        self.held.put_comma();
        self.held.put_again(from, cond);
        self.held.put(")");
        self.held.take_out(from, no);
    }

    /// Puts an operand that is not a constant of WGSL, so that nothing is computed at compile time.
    pub(super) fn put_computed(&mut self, exp: &Exp) {
        let from = self.held.mark();
        self.put(exp);
        if is_constant(exp) {
            self.bind_temporary("var ", from);
        }
    }

    /// A name of a variable that holds this.
    pub(super) fn variable(&mut self, text: &str) -> String {
        let name = self.temporary();
        self.line(&format!("var {name} = {text};"));
        name
    }

    fn binary(&mut self, op: BinOp, ab: &[Exp; 2], brackets: bool) {
        let [a, b] = ab;
        let ty = self.types.exp(a);
        self.note_shape(op, ab, &ty);
        let sc = match ty {
            Ty::Scalar(sc) | Ty::Vector(sc, _) => sc,
            // Blocks are not compared.
            _ => Sc::U32,
        };
        if !self.is_plain()
            && let Some(call) = self.operator_call(op, a, b)
        {
            return self.held.put_spaced(&call);
        }
        if self.put_by_bits(op, ab, brackets) {
            return;
        }
        let Some(sign) = sign(op, sc) else { return self.extremum(op, a, b) };
        let from = self.held.mark();
        if brackets {
            self.held.put("(");
        }
        if is_constant(a) && is_constant(b) {
            self.put_computed(a);
        } else if sc == Sc::Bool {
            self.put_truth(op, a, true);
        } else {
            self.put_operand(op, a, true);
        }
        if sc == Sc::Bool && matches!(op, BinOp::And | BinOp::Or) && !self.is_plain() {
            let left = self.held.since(from)[1..].to_owned();
            if let Some(text) = self.short_circuit(op, &left, b) {
                self.held.rewind(from);
                return self.held.put_spaced(&text);
            }
        }
        self.held.put_sign(sign);
        match op {
            BinOp::Shl | BinOp::Shr => self.put_amount(sc, b),
            // A constant zero does not compile, even where nothing divides by it.
            BinOp::Div | BinOp::Rem if is_zero(b) => self.put_computed(b),
            _ if sc == Sc::Bool => self.put_truth(op, b, false),
            _ => self.put_operand(op, b, false),
        }
        if brackets {
            self.held.put(")");
        }
    }

    /// The smaller or the greater.
    fn extremum(&mut self, op: BinOp, a: &Exp, b: &Exp) {
        let is_max = op == BinOp::Max;
        if is_max && self.is_plain() && is_negated(b, a) && self.is_never_minus_zero(a) {
            self.held.put("abs(");
            self.put_alone(a);
            return self.held.put(")");
        }
        self.held.put(if is_max { "max(" } else { "min(" });
        if is_constant(a) && is_constant(b) {
            self.put_computed(a)
        } else {
            self.put(a)
        }
        self.held.put_comma();
        self.put_argument_of(b);
        self.held.put(")");
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

    /// Puts the amount of a shift: its low five bits count, of i64 the low six. A constant on the left
    /// would be shifted at compile time.
    pub(super) fn put_amount(&mut self, sc: Sc, amount: &Exp) {
        let mask = if sc == Sc::I64 { 63 } else { 31 };
        let constant = match amount {
            Exp::Lit(Lit::I32(k)) => Some(*k as u32),
            Exp::Lit(Lit::U32(k)) => Some(*k),
            Exp::Lit(Lit::I64(k)) => {
                self.i64 = true;
                Some(k.0 as u32)
            }
            _ => None,
        };
        if let Some(k) = constant {
            self.held.put_number(k & mask);
            return self.held.put("u");
        }
        let masked = self.workarounds.uses(&MASKED_SHIFTS);
        if masked {
            self.held.put("(");
        }
        match self.types.sc(amount) {
            Some(Sc::I32) if self.is_plain() => self.put_bits(amount),
            Some(Sc::U32) if self.is_plain() => self.put(amount),
            _ => {
                self.held.put("u32(");
                self.put(amount);
                self.held.put(")");
            }
        }
        if masked {
            self.held.put_sign(" & ");
            self.held.put_number(mask);
            self.held.put("u)");
        }
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
}

/// Characters of two brackets.
pub(super) const BRACKETS: usize = 2;

/// What stands between two operands, unless that is a function.
pub(super) fn sign(op: BinOp, sc: Sc) -> Option<&'static str> {
    Some(match op {
        BinOp::Min | BinOp::Max => return None,
        BinOp::Xor if sc == Sc::Bool => " != ",
        BinOp::Add => " + ",
        BinOp::Sub => " - ",
        BinOp::Mul => " * ",
        BinOp::Div => " / ",
        BinOp::Rem => " % ",
        BinOp::And => " & ",
        BinOp::Or => " | ",
        BinOp::Xor => " ^ ",
        BinOp::Shl => " << ",
        BinOp::Shr => " >> ",
        BinOp::Eq => " == ",
        BinOp::Ne => " != ",
        BinOp::Lt => " < ",
        BinOp::Le => " <= ",
        BinOp::Gt => " > ",
        BinOp::Ge => " >= ",
    })
}

/// Does an operand of `outer` need no brackets? Products in sums, and what stands on the left of its own
/// kind. Floats are computed in the order that the grammar gives.
pub(super) fn needs_no_brackets(outer: BinOp, exp: &Exp, on_the_left: bool) -> bool {
    let Exp::Bin(inner, ..) = exp else { return false };
    match outer {
        BinOp::Add | BinOp::Sub => *inner == BinOp::Mul || on_the_left && is_sum(*inner),
        BinOp::Mul => on_the_left && *inner == BinOp::Mul,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
            is_sum(*inner) || *inner == BinOp::Mul
        }
        _ => false,
    }
}

/// Is it the integer zero?
fn is_zero(exp: &Exp) -> bool {
    matches!(exp, Exp::Lit(Lit::I32(0) | Lit::U32(0) | Lit::I64(Wide(0))))
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
        Exp::Cast(_, a) | Exp::Bitcast(_, a) => is_constant(a),
        Exp::Field(value, _) => is_constant(value),
        Exp::Block(_, parts) => parts.iter().all(is_constant),
        Exp::Length(block) | Exp::Base(block) => is_constant(block),
        Exp::At(parts) => is_constant(&parts[0]),
        _ => false,
    }
}
