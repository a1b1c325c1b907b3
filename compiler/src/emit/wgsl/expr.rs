//! Expressions.

use super::Writer;
use crate::emit::workarounds::INDEXED_IN_VARIABLES;
use crate::pass::stuck::extent;
use reference::device::syntax::{Builtin, Exp, Lit, Sc, Ty, UnOp, Wide};
use reference::kit::scalar::BinOp;

/// Length from which on a part of an expression is bound to a name, so that no expression nests deeply.
const MAX_TEXT: usize = 160;

/// The text of an expression, without brackets around it.
pub(super) struct Text {
    text: String,
    /// Does it need brackets around it as an operand?
    is_open: bool,
}

impl Text {
    /// Text that can be an operand as it is.
    pub(super) fn closed(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_open: false }
    }

    /// Text that needs brackets around it as an operand.
    pub(super) fn open(text: String) -> Self {
        Self { text, is_open: true }
    }

    /// The text itself.
    pub(super) fn value(self) -> String {
        self.text
    }
}

impl Writer<'_> {
    /// The value of a statement: no part of a larger expression.
    pub(super) fn value(&mut self, exp: &Exp) -> String {
        self.text(exp).value()
    }

    /// An operand: short, and with brackets around it where it needs them.
    pub(super) fn operand(&mut self, exp: &Exp) -> String {
        let text = self.text(exp);
        self.operand_of(text)
    }

    /// The same of what is text already.
    pub(super) fn operand_of(&mut self, Text { text, is_open }: Text) -> String {
        if text.len() > MAX_TEXT {
            self.bound(&text)
        } else if is_open {
            format!("({text})")
        } else {
            text
        }
    }

    /// A complete argument or index: no operator stands beside it, so it needs no brackets.
    pub(super) fn alone(&mut self, exp: &Exp) -> String {
        let text = self.value(exp);
        if text.len() > MAX_TEXT { self.bound(&text) } else { text }
    }

    /// An argument of a call. Comparisons and shifts keep brackets: in a list, `<` and `>` of two of them
    /// would be parsed as the brackets of a template.
    pub(super) fn argument(&mut self, exp: &Exp) -> String {
        match exp {
            Exp::Bin(op, _) if compares_or_shifts(*op) => self.operand(exp),
            other => self.alone(other),
        }
    }

    /// An operand that is no constant expression of WGSL.
    pub(super) fn computed(&mut self, exp: &Exp) -> String {
        let text = self.operand(exp);
        if is_constant(exp) { self.variable(&text) } else { text }
    }

    /// An expression.
    pub(super) fn text(&mut self, exp: &Exp) -> Text {
        Text::closed(match exp {
            Exp::Lit(lit) => self.literal(*lit),
            Exp::Var(var) => match self.types.var(*var) {
                // The parts of a parameter are bound one by one.
                Ty::Block(_) if self.uses.is_argument(*var) => {
                    let name = self.ident(*var);
                    format!("vec2<u32>({name}base, {name}length)")
                }
                _ => self.ident(*var),
            },
            Exp::Builtin(builtin) => match builtin {
                Builtin::GlobalId => "global_id",
                Builtin::LocalId => "local_id",
                Builtin::GroupId => "group_id",
                Builtin::Invocations => "invocations",
            }
            .to_owned(),
            Exp::Un(op, a) => {
                let sign = match op {
                    UnOp::Neg => "-",
                    UnOp::Not => "!",
                    UnOp::Complement => "~",
                };
                return Text::open(format!("{sign}{}", self.computed(a)));
            }
            Exp::Bin(op, ab) => return self.binary(*op, ab),
            Exp::Select(parts) => self.select(parts),
            Exp::Cast(to, a) => return self.cast(*to, a),
            Exp::Bitcast(to, a) => return self.bitcast(*to, a),
            Exp::Load(place) => return self.load(place),
            Exp::Length(block) => self.part(block, "length", "y"),
            Exp::Base(block) => self.part(block, "base", "x"),
            Exp::Make(made) => {
                let (ty, parts) = &**made;
                let parts: Vec<String> = parts.iter().map(|part| self.argument(part)).collect();
                format!("{}({})", self.ty(ty), parts.join(", "))
            }
            Exp::At(parts) => self.element_of_value(parts),
            Exp::Field(value, field) => format!("{}.m{field}", self.operand(value)),
            Exp::Ref(place) => {
                let location = self.location(place);
                return Text::open(format!("&{}", location.reference()));
            }
            Exp::Block(_, parts) => {
                let [base, length] = parts.each_ref().map(|part| self.argument(part));
                format!("vec2<u32>({base}, {length})")
            }
        })
    }

    /// A part of a block: of a parameter the name that it is bound to, else a component of the vector.
    pub(super) fn part(&mut self, block: &Exp, name: &str, component: &str) -> String {
        match block {
            Exp::Var(var) if self.uses.is_argument(*var) => format!("{}{name}", self.ident(*var)),
            other => format!("{}.{component}", self.operand(other)),
        }
    }

    /// An element of an array or vector that is a value.
    fn element_of_value(&mut self, [array, index]: &[Exp; 2]) -> String {
        let ty = self.types.exp(array);
        let mut array = self.operand(array);
        let index = self.index(&ty, index);
        if self.workarounds.uses(&INDEXED_IN_VARIABLES) {
            array = self.variable(&array);
        }
        format!("{array}[{index}]")
    }

    /// An index into an array or vector of this type. A constant outside of it does not compile.
    pub(super) fn index(&mut self, ty: &Ty, index: &Exp) -> String {
        let constant = match index {
            Exp::Lit(Lit::I32(k)) => Some(i64::from(*k)),
            Exp::Lit(Lit::U32(k)) => Some(i64::from(*k)),
            _ => None,
        };
        let text = self.alone(index);
        let is_outside = |k| !extent(ty).is_some_and(|n| (0..i64::from(n)).contains(&k));
        if constant.is_some_and(is_outside) { self.variable(&text) } else { text }
    }

    fn select(&mut self, [c, a, b]: &[Exp; 3]) -> String {
        if let Some(text) = self.styled_select(c, a, b) {
            return text;
        }
        let [c, a, b] = [c, a, b].map(|part| self.argument(part));
        format!("select({b}, {a}, {c})")
    }

    fn binary(&mut self, op: BinOp, ab: &[Exp; 2]) -> Text {
        let [a, b] = ab;
        let sc = match self.types.exp(a) {
            Ty::Scalar(sc) | Ty::Vector(sc, _) => sc,
            other => panic!("an operand of type {other:?}"),
        };
        if let Some(call) = self.operator_call(op, a, b) {
            return Text::closed(call);
        }
        let Some(sign) = sign(op, sc) else { return Text::closed(self.extremum(op, a, b)) };
        let is_logical = sc == Sc::Bool && matches!(op, BinOp::And | BinOp::Or);
        let short_circuits = is_logical && self.may_short_circuit();
        // In a style an operand may be written with `&&`, which WGSL does not mix with `&`.
        let may_mix = is_logical && !self.is_plain();
        let left = match () {
            () if is_constant(a) && is_constant(b) => self.computed(a),
            () if !may_mix && needs_no_brackets((op, sc), a, true) => self.alone(a),
            () => self.operand(a),
        };
        if short_circuits && let Some(right) = self.inline(b) {
            let sign = if op == BinOp::And { "&&" } else { "||" };
            return Text::open(format!("{left} {sign} {right}"));
        }
        let right = match op {
            BinOp::Shl | BinOp::Shr => self.amount(sc, b),
            // A constant zero does not compile, even where nothing divides by it.
            BinOp::Div | BinOp::Rem if is_zero(b) => self.computed(b),
            _ if !may_mix && needs_no_brackets((op, sc), b, false) => self.alone(b),
            _ => self.operand(b),
        };
        Text::open(format!("{left} {sign} {right}"))
    }

    /// The smaller or the greater of two values.
    fn extremum(&mut self, op: BinOp, a: &Exp, b: &Exp) -> String {
        let is_max = op == BinOp::Max;
        if is_max && self.is_plain() && is_negated(b, a) && self.is_never_minus_zero(a) {
            return format!("abs({})", self.argument(a));
        }
        let constant = is_constant(a) && is_constant(b);
        let a = if constant { self.computed(a) } else { self.argument(a) };
        format!("{}({a}, {})", if is_max { "max" } else { "min" }, self.argument(b))
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

    /// The negation of a condition, as it is written.
    pub(super) fn negated(&mut self, cond: &Exp) -> String {
        self.value(&self.negation(cond))
    }

    /// The negation of a condition: of two integers the opposite comparison, of a conjunction the disjunction of the
    /// negations. As the negation of a conjunction, Mesa 22.3.6 takes an exit of a loop for one that is left by the
    /// comparison with a constant in it, and drops the other exits.
    pub(super) fn negation(&self, cond: &Exp) -> Exp {
        if let Exp::Bin(op, ab) = cond {
            let sc = self.types.sc(&ab[0]);
            if *op == BinOp::And && sc == Some(Sc::Bool) {
                return Exp::bin(BinOp::Or, self.negation(&ab[0]), self.negation(&ab[1]));
            }
            if let Some(opposite) = opposite(*op)
                && matches!(sc, Some(Sc::I32 | Sc::U32 | Sc::I64))
            {
                return Exp::bin(opposite, ab[0].clone(), ab[1].clone());
            }
        }
        Exp::Un(UnOp::Not, Box::new(cond.clone()))
    }
}

/// What is written between two operands, unless the operator is a function.
fn sign(op: BinOp, sc: Sc) -> Option<&'static str> {
    Some(match op {
        BinOp::Min | BinOp::Max => return None,
        BinOp::Xor if sc == Sc::Bool => "!=",
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Rem => "%",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
        BinOp::Shl => "<<",
        BinOp::Shr => ">>",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        BinOp::Lt => "<",
        BinOp::Le => "<=",
        BinOp::Gt => ">",
        BinOp::Ge => ">=",
    })
}

/// Does an operand of `outer`, which has operands of type `sc`, need no brackets? Products in sums need none,
/// and neither does what is left of an operator of its own kind: operators group from the left.
fn needs_no_brackets((outer, sc): (BinOp, Sc), exp: &Exp, is_left: bool) -> bool {
    let inner = match exp {
        Exp::Un(UnOp::Not, _) => return sc == Sc::Bool,
        Exp::Bin(inner, _) => *inner,
        _ => return false,
    };
    let is_sum = matches!(inner, BinOp::Add | BinOp::Sub);
    match outer {
        BinOp::And | BinOp::Or => sc == Sc::Bool && is_left && inner == outer,
        _ if sc == Sc::Bool => false,
        BinOp::Add | BinOp::Sub => inner == BinOp::Mul || is_left && is_sum,
        BinOp::Mul => is_left && inner == BinOp::Mul,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
            is_sum || inner == BinOp::Mul
        }
        _ => false,
    }
}

/// The comparison that holds where this one does not, of integers.
fn opposite(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        BinOp::Ge => BinOp::Lt,
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        _ => return None,
    })
}

fn compares_or_shifts(op: BinOp) -> bool {
    use BinOp::{Eq, Ge, Gt, Le, Lt, Ne, Shl, Shr};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge | Shl | Shr)
}

/// Is it the integer zero?
fn is_zero(exp: &Exp) -> bool {
    matches!(exp, Exp::Lit(Lit::I32(0) | Lit::U32(0) | Lit::I64(Wide(0))))
}

/// Is `exp` the negation of `x`?
fn is_negated(exp: &Exp, x: &Exp) -> bool {
    matches!(exp, Exp::Un(UnOp::Neg, negated) if **negated == *x)
}

/// Is its text a constant expression of WGSL? An operator never makes one: where all of its operands are constants,
/// one of them is put into a `var`.
pub(super) fn is_constant(exp: &Exp) -> bool {
    match exp {
        Exp::Lit(Lit::I64(Wide(i64::MIN))) => false,
        Exp::Lit(Lit::F32(bits)) => *bits == 0 || f32::from_bits(*bits).is_normal(),
        Exp::Lit(Lit::F64(bits)) => bits.0 == 0 || f64::from_bits(bits.0 as u64).is_normal(),
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
