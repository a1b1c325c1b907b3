//! Arithmetic, bits, comparisons and conversions: one entry an opcode, applied a component at a
//! time.

use super::Read;
use super::body::{Body, Here};
use super::conversions::conversion;
use super::functions::real;
use super::words::Operand;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, Op, Partial, PartialFn};
use crate::spirv::types::{Scalar, Width};
use crate::spirv::values::Slot;
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

/// Integers of each width: `f` is written once, over unsigned or signed operands.
macro_rules! int {
    ($width:expr, $back:ident, $s:ident, |$($x:ident),+| $f:expr) => {
        match $width {
            Width::W64 => |$($x: u64),+| { $(let $x = int!(@from $s, $x, u64, i64);)+ int!(@$back u64, $f) },
            Width::W32 => |$($x: u64),+| { $(let $x = int!(@from $s, $x, u32, i32);)+ int!(@$back u32, $f) },
            Width::W16 => |$($x: u64),+| { $(let $x = int!(@from $s, $x, u16, i16);)+ int!(@$back u16, $f) },
            Width::W8 => |$($x: u64),+| { $(let $x = int!(@from $s, $x, u8, i8);)+ int!(@$back u8, $f) },
        }
    };
    (@from u, $x:ident, $u:ty, $i:ty) => { $x as $u };
    (@from s, $x:ident, $u:ty, $i:ty) => { $x as $u as $i };
    (@int $u:ty, $f:expr) => { ($f) as $u as u64 };
    (@bool $u:ty, $f:expr) => { ($f) as u64 };
}

/// Numbers of each width. Those of 16 bits are computed in 64 bits and rounded, which gives the nearest
/// result of the operators that are written so.
macro_rules! float {
    ($width:expr, $back:ident, |$($x:ident),+| $f:expr) => {
        match $width {
            Width::W64 => |$($x: u64),+| {
                $(let $x = f64::from_bits($x);)+
                float!(@$back f64::to_bits, $f)
            },
            Width::W32 => |$($x: u64),+| {
                $(let $x = f32::from_bits($x as u32);)+
                float!(@$back f32::to_bits, $f)
            },
            _ => |$($x: u64),+| {
                $(let $x = $crate::spirv::half::from_bits($x as u16);)+
                float!(@$back $crate::spirv::half::to_bits, $f)
            },
        }
    };
    (@float $bits:expr, $f:expr) => { u64::from($bits($f)) };
    (@bool $bits:expr, $f:expr) => { ($f) as u64 };
}

/// Integers of each width with premises: `f` answers with a value and 0, or with the premise.
macro_rules! partial {
    ($width:expr, $s:ident, |$($x:ident),+| $f:expr) => {
        match $width {
            Width::W64 => partial!(@of $s, u64, i64, |$($x),+| $f),
            Width::W32 => partial!(@of $s, u32, i32, |$($x),+| $f),
            Width::W16 => partial!(@of $s, u16, i16, |$($x),+| $f),
            Width::W8 => partial!(@of $s, u8, i8, |$($x),+| $f),
        }
    };
    (@of $s:ident, $u:ty, $i:ty, |$($x:ident),+| $f:expr) => {
        |operands| {
            let [$($x),+, ..] = operands;
            $(let $x = int!(@from $s, $x, $u, $i);)+
            let (value, premise) = $f;
            (value as $u as u64, premise)
        }
    };
}

/// The function of which the width is a parameter.
macro_rules! of_width {
    ($width:expr, $f:ident) => {
        match $width {
            Width::W8 => $f::<8>,
            Width::W16 => $f::<16>,
            Width::W32 => $f::<32>,
            Width::W64 => $f::<64>,
        }
    };
}
pub(super) use {float, int, of_width, partial};

fn entry(rule: Rule, operand: Kind, result: Kind, apply: Apply) -> Option<Entry> {
    Some(Entry { rule, operand, result, apply })
}

/// What an opcode does to operands of this width.
pub(super) fn table(opcode: Opcode, width: Width) -> Option<Entry> {
    // The specification's sections, one behind the other.
    if opcode <= Opcode::FMod {
        integers(opcode, width)
            .or_else(|| divisions(opcode, width))
            .or_else(|| floats(opcode, width))
    } else if opcode <= Opcode::FUnordGreaterThanEqual {
        comparisons(opcode, width).or_else(|| floats(opcode, width))
    } else {
        bits(opcode, width)
    }
}

fn integers(opcode: Opcode, width: Width) -> Option<Entry> {
    let binary = |f| entry(Rule::Arithmetic, Kind::Int, Kind::Int, Apply::Binary(f));
    match opcode {
        Opcode::IAdd => binary(int!(width, int, u, |a, b| a.wrapping_add(b))),
        Opcode::ISub => binary(int!(width, int, u, |a, b| a.wrapping_sub(b))),
        Opcode::IMul => binary(int!(width, int, u, |a, b| a.wrapping_mul(b))),
        Opcode::SNegate => entry(
            Rule::Arithmetic,
            Kind::Int,
            Kind::Int,
            Apply::Unary(int!(width, int, u, |a| a.wrapping_neg())),
        ),
        _ => None,
    }
}

/// `OpSRem` and `OpSMod` with a negative operand are undefined in Vulkan.
fn divisions(opcode: Opcode, width: Width) -> Option<Entry> {
    let (rule, f): (Rule, PartialFn) = match opcode {
        Opcode::UDiv => {
            (Rule::UDiv, partial!(width, u, |a, b| a.checked_div(b).map_or((0, 1), |c| (c, 0))))
        }
        Opcode::UMod => {
            (Rule::UMod, partial!(width, u, |a, b| a.checked_rem(b).map_or((0, 1), |c| (c, 0))))
        }
        Opcode::SDiv => {
            let f: PartialFn = partial!(width, s, |a, b| match a.checked_div(b) {
                Some(c) => (c, 0),
                None => (0, if b == 0 { 1 } else { 2 }),
            });
            (Rule::SDiv, f)
        }
        Opcode::SRem | Opcode::SMod => {
            let f: PartialFn = partial!(width, s, |a, b| match (a, b) {
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

fn bits(opcode: Opcode, width: Width) -> Option<Entry> {
    let same = |rule, apply| entry(rule, Kind::Int, Kind::Int, apply);
    match opcode {
        Opcode::BitwiseAnd => same(Rule::Bits, Apply::And),
        Opcode::BitwiseOr => same(Rule::Bits, Apply::Or),
        Opcode::BitwiseXor => same(Rule::Bits, Apply::Binary(|a, b| a ^ b)),
        Opcode::Not => same(Rule::Bits, Apply::Unary(int!(width, int, u, |a| !a))),
        Opcode::BitCount => same(Rule::Bits, Apply::Unary(int!(width, int, u, |a| a.count_ones()))),
        Opcode::BitReverse => {
            same(Rule::Bits, Apply::Unary(int!(width, int, u, |a| a.reverse_bits())))
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

fn comparisons(opcode: Opcode, width: Width) -> Option<Entry> {
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
        O::IEqual => int!(width, bool, u, |a, b| a == b),
        O::INotEqual => int!(width, bool, u, |a, b| a != b),
        O::ULessThan => int!(width, bool, u, |a, b| a < b),
        O::ULessThanEqual => int!(width, bool, u, |a, b| a <= b),
        O::UGreaterThan => int!(width, bool, u, |a, b| a > b),
        O::UGreaterThanEqual => int!(width, bool, u, |a, b| a >= b),
        O::SLessThan => int!(width, bool, s, |a, b| a < b),
        O::SLessThanEqual => int!(width, bool, s, |a, b| a <= b),
        O::SGreaterThan => int!(width, bool, s, |a, b| a > b),
        O::SGreaterThanEqual => int!(width, bool, s, |a, b| a >= b),
        _ => return None,
    };
    entry(Rule::Compare, Kind::Int, Kind::Bool, Apply::Binary(f))
}

fn floats(opcode: Opcode, width: Width) -> Option<Entry> {
    use Opcode as O;
    let f: fn(u64, u64) -> u64 = match opcode {
        O::FNegate => {
            let f = float!(width, float, |a| -a);
            return entry(Rule::Arithmetic, Kind::Float, Kind::Float, Apply::Unary(f));
        }
        O::IsNan | O::IsInf => {
            let f: fn(u64) -> u64 = match opcode {
                O::IsNan => float!(width, bool, |a| a.is_nan()),
                _ => float!(width, bool, |a| a.is_infinite()),
            };
            return entry(Rule::Compare, Kind::Float, Kind::Bool, Apply::Unary(f));
        }
        O::FAdd | O::FSub | O::FMul | O::FDiv | O::FRem | O::FMod => {
            let f: fn(u64, u64) -> u64 = match opcode {
                O::FAdd => float!(width, float, |a, b| a + b),
                O::FSub => float!(width, float, |a, b| a - b),
                O::FMul => float!(width, float, |a, b| a * b),
                O::FDiv => float!(width, float, |a, b| a / b),
                O::FRem => float!(width, float, |a, b| a % b),
                // With the sign of the divisor.
                _ => real!(width, |a, b| match a % b {
                    rest if rest != 0.0 && (rest < 0.0) != (b < 0.0) => rest + b,
                    rest => rest,
                }),
            };
            return entry(Rule::Arithmetic, Kind::Float, Kind::Float, Apply::Binary(f));
        }
        O::FOrdEqual => float!(width, bool, |a, b| a == b),
        O::FUnordNotEqual => float!(width, bool, |a, b| a != b),
        O::FOrdNotEqual => {
            float!(width, bool, |a, b| matches!(a.partial_cmp(&b), Some(o) if o.is_ne()))
        }
        O::FUnordEqual => {
            float!(width, bool, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_ne()))
        }
        O::FOrdLessThan => float!(width, bool, |a, b| a < b),
        O::FOrdLessThanEqual => float!(width, bool, |a, b| a <= b),
        O::FOrdGreaterThan => float!(width, bool, |a, b| a > b),
        O::FOrdGreaterThanEqual => float!(width, bool, |a, b| a >= b),
        O::FUnordLessThan => {
            float!(width, bool, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_ge()))
        }
        O::FUnordLessThanEqual => {
            float!(width, bool, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_gt()))
        }
        O::FUnordGreaterThan => {
            float!(width, bool, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_le()))
        }
        O::FUnordGreaterThanEqual => {
            float!(width, bool, |a, b| !matches!(a.partial_cmp(&b), Some(o) if o.is_lt()))
        }
        _ => return None,
    };
    entry(Rule::Compare, Kind::Float, Kind::Bool, Apply::Binary(f))
}

/// Shifts: the amount may be of another width than the base.
pub(super) fn shift(opcode: Opcode, width: Width) -> Option<(Rule, PartialFn)> {
    Some(match opcode {
        Opcode::ShiftLeftLogical => (Rule::ShiftLeft, of_width!(width, left)),
        Opcode::ShiftRightLogical => (Rule::ShiftRight, of_width!(width, right)),
        Opcode::ShiftRightArithmetic => (Rule::ShiftArithmetic, of_width!(width, right_signed)),
        _ => return None,
    })
}

fn left<const BITS: u64>([a, by, ..]: [u64; 4]) -> (u64, u8) {
    if by < BITS { (a << by & u64::MAX >> (64 - BITS), 0) } else { (0, 1) }
}

fn right<const BITS: u64>([a, by, ..]: [u64; 4]) -> (u64, u8) {
    if by < BITS { (a >> by, 0) } else { (0, 1) }
}

fn right_signed<const BITS: u64>([a, by, ..]: [u64; 4]) -> (u64, u8) {
    let unused = 64 - BITS;
    let a = (a << unused) as i64 >> unused;
    if by < BITS { ((a >> by) as u64 & u64::MAX >> unused, 0) } else { (0, 1) }
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
fn operation(opcode: Opcode, width: Width, to: At, a: At, b: At) -> Option<Op> {
    let single = width == Width::W32;
    Some(match opcode {
        Opcode::IAdd if single => Op::Add { to, a, b },
        Opcode::ISub if single => Op::Subtract { to, a, b },
        Opcode::IMul if single => Op::Multiply { to, a, b },
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
    pub(super) fn scalars(
        &mut self,
        at: &Here<'_>,
        n: usize,
        kind: Kind,
    ) -> Read<(At, Width, u32)> {
        let value = self.operand(at, n)?;
        match self.reader.types.scalars(value.ty) {
            Some(it) if kind.admits(it.scalar) => Ok((value.at, it.width, it.count)),
            _ => Err(self.other_type(at, n)),
        }
    }

    /// The result's width and number of components.
    pub(super) fn result(&self, at: &Here<'_>, kind: Kind) -> Read<(Width, u32)> {
        match self.reader.types.scalars(at.ty()) {
            Some(it) if kind.admits(it.scalar) => Ok((it.width, it.count)),
            _ => Err(self.reader.ill_typed(at.number, "the result is of another type")),
        }
    }

    /// The width of the scalars of a type, as far as operators ask for it.
    pub(super) fn width(&self, ty: Word) -> Width {
        self.reader.types.scalars(ty).map_or(Width::W32, |it| it.width)
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
            let (from, to) = (self.width(from), self.width(at.ty()));
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
        let (result_width, count) = self.result(at, entry.result)?;
        let mut operands = Places::new();
        let mut width = None;
        for n in from..until {
            let (value, own, components) = self.scalars(at, n, entry.operand)?;
            let differs = uniform && width.is_some_and(|width| width != own);
            if components != count || differs {
                let text = format!("operand {} is of another width", n - from + 1);
                return Err(self.reader.ill_typed(at.number, &text));
            }
            width = Some(own);
            operands.push(value);
        }
        if uniform && entry.operand == entry.result && width != Some(result_width) {
            return Err(self.reader.ill_typed(at.number, "the result is of another width"));
        }
        let to = self.define(at)?;
        for to in to..to + count {
            self.component(at, entry, to, &operands, result_width)?;
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
        width: Width,
    ) -> Read<()> {
        let op = match (&entry.apply, operands) {
            (Apply::Unary(f), &[a]) => Op::Unary { f: *f, to, a },
            (Apply::Binary(f), &[a, b]) => {
                let op = operation(at.opcode(), width, to, a, b);
                op.unwrap_or(Op::Binary { f: *f, to, a, b })
            }
            (Apply::And, &[a, b]) => Op::And { to, a, b },
            (Apply::Or, &[a, b]) => {
                let ones = if entry.operand == Kind::Bool { 1 } else { width.mask() };
                Op::Or { to, a, b, ones }
            }
            (Apply::Partial(f), &[first, ..]) if operands.len() <= 4 => {
                let mut all = [first; 4];
                all[..operands.len()].copy_from_slice(operands);
                let from = self.operand(at, 0).map(|value| self.width(value.ty));
                let half = entry.rule == Rule::FloatToInt && from == Ok(Width::W16);
                self.partial(at, Partial { f: *f, to, operands: all, rule: entry.rule, half });
                self.rounding(at, to, operands, width);
                return Ok(());
            }
            _ => return Err(self.reader.ill_typed(at.number, "another number of operands")),
        };
        self.emit(at, op);
        self.rounding(at, to, operands, width);
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
        let (width, count) = self.result(at, Kind::Int)?;
        if width != Width::W32 {
            return Err(self.reader.unsupported(at.number, "a bit field of what has not 32 bits"));
        }
        let mut places = Vec::new();
        for n in 0..operands {
            let (value, width, components) = self.scalars(at, n, Kind::Int)?;
            let single = n + 2 >= operands;
            if width != Width::W32 || components != if single { 1 } else { count } {
                return Err(self.reader.ill_typed(at.number, "the operands do not fit"));
            }
            places.push((value, single));
        }
        let to = self.define(at)?;
        for i in 0..count {
            let component = |(value, single): &(At, bool)| if *single { *value } else { value + i };
            let at_component: Places = places.iter().map(component).collect();
            self.component(at, &entry, to + i, &at_component, Width::W32)?;
        }
        Ok(entry.rule)
    }

    /// Between numbers of one width the bits stay where they are. The first ones of several are the lowest
    /// of one that is wider.
    fn bitcast(&mut self, at: &Here<'_>) -> Read<Rule> {
        let (from, width, count) = self.scalars(at, 0, Kind::Number)?;
        let (other, others) = self.result(at, Kind::Number)?;
        if width.bits() * count != other.bits() * others {
            return Err(self.reader.ill_typed(at.number, "the types are not of one size"));
        }
        if width == other {
            self.alias(at, from);
            return Ok(Rule::Convert);
        }
        let to = self.define(at)?;
        if width > other {
            let parts = width.bits() / other.bits();
            let f = of_width!(other, part);
            for i in 0..others {
                let b = self.constant_slot(Slot::new((i % parts * other.bits()).into()));
                self.emit(at, Op::Binary { f, to: to + i, a: from + i / parts, b });
            }
        } else {
            let parts = other.bits() / width.bits();
            let f = of_width!(width, behind);
            for i in 0..others {
                let (to, first) = (to + i, from + i * parts);
                let last = first + parts - 1;
                self.emit(at, Op::Copy { to, from: last, count: 1 });
                for b in (first..last).rev() {
                    self.emit(at, Op::Binary { f, to, a: to, b });
                }
            }
        }
        Ok(Rule::Convert)
    }
}

/// The bits from this place on.
fn part<const BITS: u64>(whole: u64, from: u64) -> u64 {
    whole >> from & u64::MAX >> (64 - BITS)
}

/// The lower bits with the higher ones before them.
fn behind<const BITS: u64>(high: u64, low: u64) -> u64 {
    high.wrapping_shl(BITS as u32) | low
}
