//! Arithmetic, bits, comparisons and conversions: one entry an opcode, applied a component at a
//! time.

use super::Read;
use super::body::{Body, Here};
use super::conversions::conversion;
use super::functions::real;
use super::words::Operand;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, Op, Partial, PartialFn};
use crate::spirv::types::Scalar;
use rspirv::spirv::{Op as Opcode, Word};
use smallvec::SmallVec;

/// What kind of scalar an operand or a result is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Int,
    Float,
    Bool,
    /// Any number, for its bits.
    Number,
}

/// The function of an entry.
pub(super) enum Apply {
    Unary(fn(u64) -> u64),
    Binary(fn(u64, u64) -> u64),
    Partial(PartialFn),
    And,
    Or,
}

/// Operands of an operation.
type Places = SmallVec<[At; 4]>;

/// What an opcode does: its rule, its operands' kind, its result's, and the function.
pub(super) struct Entry {
    pub(super) rule: Rule,
    pub(super) operand: Kind,
    pub(super) result: Kind,
    pub(super) apply: Apply,
}

/// Integers of both widths: `f` is written once, over unsigned or signed operands.
macro_rules! int {
    ($wide:expr, $u:ident, $s:ident, |$($x:ident),+| $f:expr) => {
        if $wide {
            |$($x: u64),+| { $(let $x = $x as int!(@wide $s);)+ ($f) as u64 }
        } else {
            |$($x: u64),+| { $(let $x = $x as u32 as int!(@narrow $s);)+ int!(@back $u, $f) }
        }
    };
    (@wide u) => { u64 };
    (@wide s) => { i64 };
    (@narrow u) => { u32 };
    (@narrow s) => { i32 };
    (@back int, $f:expr) => { ($f) as u32 as u64 };
    (@back bool, $f:expr) => { ($f) as u64 };
}

/// Numbers of both widths.
macro_rules! float {
    ($wide:expr, float, |$($x:ident),+| $f:expr) => {
        if $wide {
            |$($x: u64),+| { $(let $x = f64::from_bits($x);)+ f64::to_bits($f) }
        } else {
            |$($x: u64),+| { $(let $x = f32::from_bits($x as u32);)+ f32::to_bits($f) as u64 }
        }
    };
    ($wide:expr, bool, |$($x:ident),+| $f:expr) => {
        if $wide {
            |$($x: u64),+| { $(let $x = f64::from_bits($x);)+ ($f) as u64 }
        } else {
            |$($x: u64),+| { $(let $x = f32::from_bits($x as u32);)+ ($f) as u64 }
        }
    };
}

/// Integers of both widths with premises: `f` answers with a value and 0, or with the premise.
macro_rules! partial {
    ($wide:expr, $s:ident, |$($x:ident),+| $f:expr) => {
        if $wide {
            |operands| { let [$($x),+, ..] = operands; $(let $x = $x as int!(@wide $s);)+
                let (value, premise) = $f; (value as u64, premise) }
        } else {
            |operands| { let [$($x),+, ..] = operands; $(let $x = $x as u32 as int!(@narrow $s);)+
                let (value, premise) = $f; (value as u32 as u64, premise) }
        }
    };
}
pub(super) use {float, int, partial};

fn entry(rule: Rule, operand: Kind, result: Kind, apply: Apply) -> Option<Entry> {
    Some(Entry { rule, operand, result, apply })
}

/// What an opcode does to operands of 32 or 64 bits.
pub(super) fn table(opcode: Opcode, wide: bool) -> Option<Entry> {
    // The specification's sections, one behind the other.
    if opcode <= Opcode::FMod {
        integers(opcode, wide).or_else(|| divisions(opcode, wide)).or_else(|| floats(opcode, wide))
    } else if opcode <= Opcode::FUnordGreaterThanEqual {
        comparisons(opcode, wide).or_else(|| floats(opcode, wide))
    } else {
        bits(opcode, wide)
    }
}

fn integers(opcode: Opcode, wide: bool) -> Option<Entry> {
    let binary = |f| entry(Rule::Arithmetic, Kind::Int, Kind::Int, Apply::Binary(f));
    match opcode {
        Opcode::IAdd => binary(int!(wide, int, u, |a, b| a.wrapping_add(b))),
        Opcode::ISub => binary(int!(wide, int, u, |a, b| a.wrapping_sub(b))),
        Opcode::IMul => binary(int!(wide, int, u, |a, b| a.wrapping_mul(b))),
        Opcode::SNegate => entry(
            Rule::Arithmetic,
            Kind::Int,
            Kind::Int,
            Apply::Unary(int!(wide, int, u, |a| a.wrapping_neg())),
        ),
        _ => None,
    }
}

/// `OpSRem` and `OpSMod` with a negative operand are undefined in Vulkan.
fn divisions(opcode: Opcode, wide: bool) -> Option<Entry> {
    let (rule, f): (Rule, PartialFn) = match opcode {
        Opcode::UDiv => {
            (Rule::UDiv, partial!(wide, u, |a, b| a.checked_div(b).map_or((0, 1), |c| (c, 0))))
        }
        Opcode::UMod => {
            (Rule::UMod, partial!(wide, u, |a, b| a.checked_rem(b).map_or((0, 1), |c| (c, 0))))
        }
        Opcode::SDiv => {
            let f: PartialFn = partial!(wide, s, |a, b| match a.checked_div(b) {
                Some(c) => (c, 0),
                None => (0, if b == 0 { 1 } else { 2 }),
            });
            (Rule::SDiv, f)
        }
        Opcode::SRem | Opcode::SMod => {
            let f: PartialFn = partial!(wide, s, |a, b| match (a, b) {
                (_, 0) => (0, 1),
                (a, b) if a < 0 || b < 0 => (a.wrapping_rem(b), 2),
                (a, b) => (a % b, 0),
            });
            (if opcode == Opcode::SRem { Rule::SRem } else { Rule::SMod }, f)
        }
        _ => return None,
    };
    entry(rule, Kind::Int, Kind::Int, Apply::Partial(f))
}

fn bits(opcode: Opcode, wide: bool) -> Option<Entry> {
    let same = |rule, apply| entry(rule, Kind::Int, Kind::Int, apply);
    match opcode {
        Opcode::BitwiseAnd => same(Rule::Bits, Apply::And),
        Opcode::BitwiseOr => same(Rule::Bits, Apply::Or),
        Opcode::BitwiseXor => same(Rule::Bits, Apply::Binary(|a, b| a ^ b)),
        Opcode::Not => same(Rule::Bits, Apply::Unary(int!(wide, int, u, |a| !a))),
        Opcode::BitCount => same(Rule::Bits, Apply::Unary(int!(wide, int, u, |a| a.count_ones()))),
        Opcode::BitReverse => {
            same(Rule::Bits, Apply::Unary(int!(wide, int, u, |a| a.reverse_bits())))
        }
        Opcode::BitFieldUExtract => same(Rule::BitField, Apply::Partial(extract_unsigned)),
        Opcode::BitFieldSExtract => same(Rule::BitField, Apply::Partial(extract_signed)),
        Opcode::BitFieldInsert => same(Rule::BitField, Apply::Partial(insert)),
        _ => None,
    }
}

/// The mask of a bit field; the premise fails if it leaves the 32 bits.
fn field(offset: u64, count: u64) -> (u32, u8) {
    if offset + count > 32 {
        return (0, 1);
    }
    (((1u64 << count) - 1) as u32, 0)
}

fn extract_unsigned([base, offset, count, _]: [u64; 4]) -> (u64, u8) {
    match field(offset, count) {
        (_, 1) => (0, 1),
        (mask, _) => ((base >> offset) & u64::from(mask), 0),
    }
}

fn extract_signed(operands: [u64; 4]) -> (u64, u8) {
    let (field, premise) = extract_unsigned(operands);
    let unused = 32u32.saturating_sub(operands[2] as u32);
    let value = match unused {
        32.. => 0,
        unused => (((field as u32) << unused) as i32 >> unused) as u32,
    };
    (value.into(), premise)
}

fn insert([base, new, offset, count]: [u64; 4]) -> (u64, u8) {
    match field(offset, count) {
        (_, 1) => (0, 1),
        (mask, _) => {
            let mask = u64::from(mask) << offset;
            ((base & !mask) | ((new << offset) & mask), 0)
        }
    }
}

fn comparisons(opcode: Opcode, wide: bool) -> Option<Entry> {
    use Opcode as O;
    let f: fn(u64, u64) -> u64 = match opcode {
        O::LogicalAnd | O::LogicalOr => {
            let apply = if opcode == O::LogicalAnd { Apply::And } else { Apply::Or };
            return entry(Rule::Compare, Kind::Bool, Kind::Bool, apply);
        }
        O::LogicalNot => {
            return entry(Rule::Compare, Kind::Bool, Kind::Bool, Apply::Unary(|a| a ^ 1));
        }
        O::LogicalEqual | O::LogicalNotEqual => {
            let f: fn(u64, u64) -> u64 = match opcode {
                O::LogicalEqual => |a, b| u64::from(a == b),
                _ => |a, b| u64::from(a != b),
            };
            return entry(Rule::Compare, Kind::Bool, Kind::Bool, Apply::Binary(f));
        }
        O::IEqual => int!(wide, bool, u, |a, b| a == b),
        O::INotEqual => int!(wide, bool, u, |a, b| a != b),
        O::ULessThan => int!(wide, bool, u, |a, b| a < b),
        O::ULessThanEqual => int!(wide, bool, u, |a, b| a <= b),
        O::UGreaterThan => int!(wide, bool, u, |a, b| a > b),
        O::UGreaterThanEqual => int!(wide, bool, u, |a, b| a >= b),
        O::SLessThan => int!(wide, bool, s, |a, b| a < b),
        O::SLessThanEqual => int!(wide, bool, s, |a, b| a <= b),
        O::SGreaterThan => int!(wide, bool, s, |a, b| a > b),
        O::SGreaterThanEqual => int!(wide, bool, s, |a, b| a >= b),
        _ => return None,
    };
    entry(Rule::Compare, Kind::Int, Kind::Bool, Apply::Binary(f))
}

fn floats(opcode: Opcode, wide: bool) -> Option<Entry> {
    use Opcode as O;
    let f: fn(u64, u64) -> u64 = match opcode {
        O::FNegate => {
            let f = float!(wide, float, |a| -a);
            return entry(Rule::Arithmetic, Kind::Float, Kind::Float, Apply::Unary(f));
        }
        O::IsNan | O::IsInf => {
            let f: fn(u64) -> u64 = match opcode {
                O::IsNan => float!(wide, bool, |a| a.is_nan()),
                _ => float!(wide, bool, |a| a.is_infinite()),
            };
            return entry(Rule::Compare, Kind::Float, Kind::Bool, Apply::Unary(f));
        }
        O::FAdd | O::FSub | O::FMul | O::FDiv | O::FRem | O::FMod => {
            let f: fn(u64, u64) -> u64 = match opcode {
                O::FAdd => float!(wide, float, |a, b| a + b),
                O::FSub => float!(wide, float, |a, b| a - b),
                O::FMul => float!(wide, float, |a, b| a * b),
                O::FDiv => float!(wide, float, |a, b| a / b),
                O::FRem => float!(wide, float, |a, b| a % b),
                // With the sign of the divisor.
                _ => real!(wide, |a, b| match a % b {
                    rest if rest != 0.0 && (rest < 0.0) != (b < 0.0) => rest + b,
                    rest => rest,
                }),
            };
            return entry(Rule::Arithmetic, Kind::Float, Kind::Float, Apply::Binary(f));
        }
        O::FOrdEqual => float!(wide, bool, |a, b| a == b),
        O::FUnordNotEqual => float!(wide, bool, |a, b| a != b),
        O::FOrdNotEqual => {
            float!(wide, bool, |a, b| matches!(a.partial_cmp(&b), Some(o) if o.is_ne()))
        }
        O::FUnordEqual => {
            float!(wide, bool, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_ne()))
        }
        O::FOrdLessThan => float!(wide, bool, |a, b| a < b),
        O::FOrdLessThanEqual => float!(wide, bool, |a, b| a <= b),
        O::FOrdGreaterThan => float!(wide, bool, |a, b| a > b),
        O::FOrdGreaterThanEqual => float!(wide, bool, |a, b| a >= b),
        O::FUnordLessThan => {
            float!(wide, bool, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_ge()))
        }
        O::FUnordLessThanEqual => {
            float!(wide, bool, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_gt()))
        }
        O::FUnordGreaterThan => {
            float!(wide, bool, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_le()))
        }
        O::FUnordGreaterThanEqual => {
            float!(wide, bool, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_lt()))
        }
        _ => return None,
    };
    entry(Rule::Compare, Kind::Float, Kind::Bool, Apply::Binary(f))
}

/// Shifts: the amount may be of another width than the base.
pub(super) fn shift(opcode: Opcode, wide: bool) -> Option<(Rule, PartialFn)> {
    Some(match opcode {
        Opcode::ShiftLeftLogical => (
            Rule::ShiftLeft,
            if wide {
                |[a, by, ..]| if by < 64 { (a << by, 0) } else { (0, 1) }
            } else {
                |[a, by, ..]| if by < 32 { (u64::from((a as u32) << by), 0) } else { (0, 1) }
            },
        ),
        Opcode::ShiftRightLogical => (
            Rule::ShiftRight,
            if wide {
                |[a, by, ..]| if by < 64 { (a >> by, 0) } else { (0, 1) }
            } else {
                |[a, by, ..]| if by < 32 { (a >> by, 0) } else { (0, 1) }
            },
        ),
        Opcode::ShiftRightArithmetic => (
            Rule::ShiftArithmetic,
            if wide {
                |[a, by, ..]| if by < 64 { ((a as i64 >> by) as u64, 0) } else { (0, 1) }
            } else {
                |[a, by, ..]| {
                    if by < 32 { (u64::from((a as u32 as i32 >> by) as u32), 0) } else { (0, 1) }
                }
            },
        ),
        _ => return None,
    })
}

impl Kind {
    pub(super) fn admits(self, scalar: Scalar) -> bool {
        match self {
            Kind::Int => scalar == Scalar::Int,
            Kind::Float => scalar == Scalar::Float,
            Kind::Bool => scalar == Scalar::Bool,
            Kind::Number => scalar != Scalar::Bool,
        }
    }
}

/// The operation of an operator that has one of its own, without a call: on 32 bits, or on truth values
/// whatever the width.
fn operation(opcode: Opcode, wide: bool, to: At, a: At, b: At) -> Option<Op> {
    Some(match opcode {
        Opcode::IAdd if !wide => Op::Add { to, a, b },
        Opcode::ISub if !wide => Op::Subtract { to, a, b },
        Opcode::IMul if !wide => Op::Multiply { to, a, b },
        // Bits above the width are 0.
        Opcode::IEqual => Op::Equal { to, a, b },
        Opcode::ULessThan => Op::Less { to, a, b },
        Opcode::UGreaterThan => Op::Less { to, a: b, b: a },
        Opcode::UGreaterThanEqual => Op::NotLess { to, a, b },
        Opcode::ULessThanEqual => Op::NotLess { to, a: b, b: a },
        _ => return None,
    })
}

impl Body<'_> {
    /// An operand's kind, width and number of components, as the entry asks for them.
    pub(super) fn scalars(&mut self, at: &Here<'_>, n: usize, kind: Kind) -> Read<(At, bool, u32)> {
        let value = self.operand(at, n)?;
        match self.reader.types.scalars(value.ty) {
            Some(it) if kind.admits(it.scalar) => Ok((value.at, it.wide, it.count)),
            _ => Err(self.other_type(at, n)),
        }
    }

    /// The result's width and number of components.
    pub(super) fn result(&self, at: &Here<'_>, kind: Kind) -> Read<(bool, u32)> {
        match self.reader.types.scalars(at.ty()) {
            Some(it) if kind.admits(it.scalar) => Ok((it.wide, it.count)),
            _ => Err(self.reader.ill_typed(at.number, "the result is of another type")),
        }
    }

    /// Does a value of this type consist of what takes 64 bits?
    pub(super) fn is_wide(&self, ty: Word) -> bool {
        self.reader.types.scalars(ty).is_some_and(|it| it.wide)
    }

    pub(super) fn arithmetic(&mut self, at: &Here<'_>) -> Read<Rule> {
        let opcode = at.opcode();
        if opcode == Opcode::Bitcast {
            return self.bitcast(at);
        }
        match opcode {
            Opcode::All | Opcode::Any => return self.all_or_any(at),
            Opcode::Dot => return self.dot_product(at),
            Opcode::VectorTimesScalar | Opcode::MatrixTimesScalar => return self.times_scalar(at),
            Opcode::MatrixTimesVector
            | Opcode::VectorTimesMatrix
            | Opcode::MatrixTimesMatrix
            | Opcode::OuterProduct
            | Opcode::Transpose => return self.matrix(at),
            Opcode::SDot | Opcode::UDot | Opcode::SUDot => return self.integer_dot_product(at),
            Opcode::IAddCarry
            | Opcode::ISubBorrow
            | Opcode::UMulExtended
            | Opcode::SMulExtended => return self.double(at),
            _ => {}
        }
        if matches!(at.operands.first(), Some(Operand::IdRef(_)))
            && at.instruction.result_type.is_some()
        {
            let from = self.operand(at, 0)?.ty;
            let (from, to) = (self.is_wide(from), self.is_wide(at.ty()));
            if let Some((rule, operand, result, apply)) = conversion(opcode, from, to) {
                return self.each(at, Entry { rule, operand, result, apply }, false);
            }
            if let Some((rule, f)) = shift(opcode, from) {
                let entry =
                    Entry { rule, operand: Kind::Int, result: Kind::Int, apply: Apply::Partial(f) };
                return self.each(at, entry, false);
            }
            if let Some(entry) = table(opcode, from) {
                if entry.rule == Rule::BitField {
                    return self.bit_field(at, entry);
                }
                return self.each(at, entry, true);
            }
        }
        Err(self.reader.unsupported(at.number, ""))
    }

    /// Applies an entry to each component. `uniform`: all operands are of one width, and so is a
    /// result that is of their kind.
    pub(super) fn each(&mut self, at: &Here<'_>, entry: Entry, uniform: bool) -> Read<Rule> {
        let operands = at.operands.len();
        self.apply(at, &entry, (0, operands), uniform)?;
        Ok(entry.rule)
    }

    /// The same, to some of the operands.
    pub(super) fn apply(
        &mut self,
        at: &Here<'_>,
        entry: &Entry,
        (from, until): (usize, usize),
        uniform: bool,
    ) -> Read<()> {
        let (result_wide, count) = self.result(at, entry.result)?;
        let mut operands = Places::new();
        let mut width = None;
        for n in from..until {
            let (value, wide, components) = self.scalars(at, n, entry.operand)?;
            let differs = uniform && width.is_some_and(|width| width != wide);
            if components != count || differs {
                let text = format!("operand {} is of another width", n - from + 1);
                return Err(self.reader.ill_typed(at.number, &text));
            }
            width = Some(wide);
            operands.push(value);
        }
        if uniform && entry.operand == entry.result && width != Some(result_wide) {
            return Err(self.reader.ill_typed(at.number, "the result is of another width"));
        }
        let to = self.define(at)?;
        for to in to..to + count {
            self.component(at, entry, to, &operands, result_wide)?;
            operands.iter_mut().for_each(|operand| *operand += 1);
        }
        Ok(())
    }

    fn component(
        &mut self,
        at: &Here<'_>,
        entry: &Entry,
        to: At,
        operands: &[At],
        wide: bool,
    ) -> Read<()> {
        let op = match (&entry.apply, operands) {
            (Apply::Unary(f), &[a]) => Op::Unary { f: *f, to, a },
            (Apply::Binary(f), &[a, b]) => {
                let op = operation(at.opcode(), wide, to, a, b);
                op.unwrap_or(Op::Binary { f: *f, to, a, b })
            }
            (Apply::And, &[a, b]) => Op::And { to, a, b },
            (Apply::Or, &[a, b]) => Op::Or { to, a, b, wide, truth: entry.operand == Kind::Bool },
            (Apply::Partial(f), &[first, ..]) if operands.len() <= 4 => {
                let mut all = [first; 4];
                all[..operands.len()].copy_from_slice(operands);
                self.partial(at, Partial { f: *f, to, operands: all, rule: entry.rule });
                return Ok(());
            }
            _ => return Err(self.reader.ill_typed(at.number, "another number of operands")),
        };
        self.emit(at, op);
        Ok(())
    }

    /// Adds an operation with premises.
    pub(super) fn partial(&mut self, at: &Here<'_>, partial: Partial) {
        self.module.partials.push(partial);
        self.emit(at, Op::Partial(self.module.partials.len() as u32 - 1));
    }

    /// Offset and count are single numbers, for all components.
    fn bit_field(&mut self, at: &Here<'_>, entry: Entry) -> Read<Rule> {
        let operands = at.operands.len();
        let (wide, count) = self.result(at, Kind::Int)?;
        if wide {
            return Err(self.reader.unsupported(at.number, "a bit field of what has not 32 bits"));
        }
        let mut places = Vec::new();
        for n in 0..operands {
            let (value, wide, components) = self.scalars(at, n, Kind::Int)?;
            let single = n + 2 >= operands;
            if wide || components != if single { 1 } else { count } {
                return Err(self.reader.ill_typed(at.number, "the operands do not fit"));
            }
            places.push((value, single));
        }
        let to = self.define(at)?;
        for i in 0..count {
            let component = |(value, single): &(At, bool)| if *single { *value } else { value + i };
            let at_component: Places = places.iter().map(component).collect();
            self.component(at, &entry, to + i, &at_component, false)?;
        }
        Ok(entry.rule)
    }

    /// Between numbers of one width the bits stay where they are.
    fn bitcast(&mut self, at: &Here<'_>) -> Read<Rule> {
        let (from, from_wide, from_count) = self.scalars(at, 0, Kind::Number)?;
        let (to_wide, to_count) = self.result(at, Kind::Number)?;
        let bits = |wide, count| if wide { 2 * count } else { count };
        if bits(from_wide, from_count) != bits(to_wide, to_count) {
            return Err(self.reader.ill_typed(at.number, "the types are not of one size"));
        }
        if from_wide != to_wide {
            return Err(self.reader.unsupported(at.number, "components of another width"));
        }
        self.alias(at, from);
        Ok(Rule::Convert)
    }
}
