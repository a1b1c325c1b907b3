//! The cold path of the executor: operations that few shaders execute often, in a function of their own.

use super::exec::{absorbing, fail, nowhere};
use super::rounding::is_settled;
use super::{Failure, Invocation, Running};
use crate::spirv::parse::{FINITE, ORDER, ORIGIN};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, NONE, Op, Partial, Premise, Space};
use crate::spirv::values::{Remark, Slot, Strictness};

impl Running<'_> {
    /// Executes one of these operations. Execution goes on with the next operation.
    #[inline(never)]
    pub(super) fn cold(
        &mut self,
        op: &Op,
        invocation: &mut Invocation,
        at: usize,
    ) -> Result<(), Box<Failure>> {
        let module = self.module;
        let registers = &mut invocation.registers[invocation.frame..];
        macro_rules! slot {
            ($at:expr) => {
                registers[$at as usize]
            };
        }
        macro_rules! range {
            ($at:expr, $count:expr) => {
                $at as usize..$at as usize + $count as usize
            };
        }
        match *op {
            Op::Or { to, a, b, ones } => {
                slot!(to) = absorbing(slot!(a), slot!(b), ones, |a, b| a | b);
            }
            Op::Partial(number) => {
                let partial = &module.partials[number as usize];
                let operands = partial.operands.map(|operand| slot!(operand));
                let origin = operands.iter().map(|slot| slot.origin).max().unwrap_or(0);
                let (bits, premise) = (partial.f)(operands.map(|slot| slot.bits));
                let mut result = Slot { bits, origin };
                if premise > 0 && !result.is_undefined() {
                    result = match wgsl(self.strictness, partial, premise, operands) {
                        Some(bits) => {
                            if let Some(text) = mended(partial.rule, premise, operands) {
                                self.note(Remark::Translator, at, 0, text);
                            }
                            Slot { bits, origin }
                        }
                        None => {
                            self.undefined(at, partial.rule, premise);
                            Slot { bits, ..Slot::undefined_at(at) }
                        }
                    };
                }
                if partial.rule == Rule::FloatToInt && origin > 0 && !result.is_undefined() {
                    if !is_settled(partial, operands[0]) {
                        self.hangs(Rule::FloatToInt, "conversion", result, at)?;
                    }
                    result.origin = 0;
                }
                slot!(partial.to) = result;
            }
            Op::Rounding(number) => {
                let rounding = &module.roundings[number as usize];
                let operands = rounding.operands.map(|operand| slot!(operand));
                slot!(rounding.to) = self.rounded(rounding, operands, slot!(rounding.to), at);
            }
            Op::Undefine { to, count } => {
                registers[range!(to, count)].fill(Slot::undefined_at(at));
            }
            Op::Extract { to, vector, index, count } => {
                let index = slot!(index);
                slot!(to) = match self.component(index, count, at) {
                    Ok(k) => slot!(vector + k),
                    Err(undefined) => undefined,
                };
            }
            Op::Insert { to, vector, index, value, count } => {
                let index = slot!(index);
                for i in 0..count {
                    slot!(to + i) = slot!(vector + i);
                }
                match self.component(index, count, at) {
                    Ok(k) => slot!(to + k) = slot!(value),
                    Err(undefined) => registers[range!(to, count)].fill(undefined),
                }
            }
            Op::Variable { to, offset, count, init } => {
                let place = invocation.memory + offset as usize;
                slot!(to) = Slot::new(place as u64);
                let variable = &mut invocation.own[place..place + count as usize];
                match init {
                    NONE => variable.fill(Slot::UNWRITTEN),
                    _ => variable.copy_from_slice(&registers[range!(init, count)]),
                }
            }
            Op::Element { to, base, index, count, stride } => {
                let index = slot!(index);
                let base = slot!(base);
                let inside = index.origin == 0 && index.bits < count.into();
                slot!(to) = if base.is_undefined() {
                    base
                } else if inside || self.element(index, count.into(), "bounds", at)? {
                    Slot { bits: base.bits + index.bits * u64::from(stride), ..base }
                } else {
                    nowhere(base, at)
                };
            }
            Op::ByteElement { to, base, index, count, stride } => {
                slot!(to) = self.byte_element(slot!(base), slot!(index), (count, stride), at)?;
            }
            Op::Length { to, base, offset, stride } => {
                let base = slot!(base);
                let length = self.elements(base, offset, stride);
                slot!(to) = Slot { bits: length.into(), ..base };
            }
            Op::LoadGroup { to, pointer, count } => {
                let pointer = slot!(pointer);
                self.load_group(pointer, &mut registers[range!(to, count)], at)?;
            }
            Op::StoreGroup { pointer, from, count } => {
                let pointer = slot!(pointer);
                self.store_group(pointer, &registers[range!(from, count)], at)?;
            }
            Op::StoreComponent { pointer, from, vector, count } => {
                let (pointer, vector) = (slot!(pointer), slot!(vector));
                self.store_group(pointer, &registers[range!(from, 1)], at)?;
                self.rewrite_group(vector, pointer, count, at);
            }
            Op::LoadLaid { to, pointer, layout } if module.cells > 1 => {
                let pointer = slot!(pointer);
                self.load_parts(pointer, &mut registers[to as usize..], layout, at)?;
            }
            Op::StoreLaid { pointer, from, layout } if module.cells > 1 => {
                let pointer = slot!(pointer);
                self.store_parts(pointer, &registers[from as usize..], layout, at)?;
            }
            Op::RewriteBuffer { vector, stored, count, bytes } if module.cells > 1 => {
                let (vector, stored) = (slot!(vector), slot!(stored));
                self.rewrite_parts(vector, stored, (count, bytes), at);
            }
            Op::RewriteBuffer { vector, stored, count, .. } => {
                let (vector, stored) = (slot!(vector), slot!(stored));
                self.rewrite_buffer(vector, stored, count, at);
            }
            Op::LoadLaid { to, pointer, layout } => {
                let pointer = slot!(pointer);
                self.load_laid(pointer, &mut registers[to as usize..], layout, at)?;
            }
            Op::StoreLaid { pointer, from, layout } => {
                let pointer = slot!(pointer);
                self.store_laid(pointer, &registers[from as usize..], layout, at)?;
            }
            Op::Atomic(number) => {
                let atomic = &module.atomics[number as usize];
                let operand = |operand: At| match operand {
                    NONE => Slot::new(0),
                    _ => slot!(operand),
                };
                let pointer = slot!(atomic.pointer);
                let (value, comparator) = (operand(atomic.value), operand(atomic.comparator));
                let old = match atomic.space {
                    Space::Own => {
                        let text = "memory of one invocation";
                        return Err(fail(Rule::Atomic, "inside", at, text, 0));
                    }
                    _ => self.atomic(atomic, pointer, value, comparator, at)?,
                };
                if atomic.to != NONE {
                    slot!(atomic.to) = old;
                }
            }
            _ => unreachable!("it is done where it is met"),
        }
        Ok(())
    }

    /// The component of a vector; one that is not there is an undefined value.
    fn component(&mut self, index: Slot, count: u32, at: usize) -> Result<u32, Slot> {
        if index.is_undefined() {
            return Err(index);
        }
        if index.bits >= u64::from(count) {
            self.undefined(at, Rule::Dynamic, 1);
            return Err(Slot::undefined_at(at));
        }
        Ok(index.bits as u32)
    }
}

/// Of what WGSL has a value and SPIR-V none. An infinity or NaN is told behind the operation.
fn mended(rule: Rule, premise: Premise, [_, b, ..]: [Slot; 4]) -> Option<String> {
    Some(match rule {
        Rule::ShiftLeft | Rule::ShiftRight | Rule::ShiftArithmetic => format!(
            "a shift by {} of 32 bits: WGSL takes the amount modulo 32, and SPIR-V gives no value",
            b.bits
        ),
        Rule::FloatToInt => {
            "a float beyond the integers: WGSL takes the nearest one, and SPIR-V gives no value"
                .to_owned()
        }
        Rule::Domain if premise == ORDER => {
            "a smoothstep whose first edge is the higher one: WGSL gives a value, and SPIR-V none"
                .to_owned()
        }
        Rule::Domain => return None,
        _ => "a clamp whose lower bound is the higher one: WGSL gives a value, and SPIR-V none"
            .to_owned(),
    })
}

/// The value that WGSL gives where a premise of the SPIR-V failed: the number of places of a shift is taken modulo the width, a
/// float saturates, low and high of a clamp may be any. A function has the value of IEEE 754 outside of its domain, if there is one.
fn wgsl(
    strictness: Strictness,
    partial: &Partial,
    premise: Premise,
    operands: [Slot; 4],
) -> Option<u64> {
    if strictness != Strictness::Wgsl {
        return None;
    }
    let [a, b, c, _] = operands.map(|slot| slot.bits);
    match partial.rule {
        Rule::ShiftLeft | Rule::ShiftRight | Rule::ShiftArithmetic => {
            Some((partial.f)([a, b % 32, c, 0]).0)
        }
        // The greatest float below 2^31 and 2^32.
        Rule::FloatToInt => {
            let (bits, _) = (partial.f)([a, b, c, 0]);
            Some(match bits {
                0x7fff_ffff => 0x7fff_ff80,
                0xffff_ffff if f32::from_bits(a as u32) > 0.0 => 0xffff_ff00,
                bits => bits,
            })
        }
        Rule::Clamp => Some((partial.f)([a, b, c, 0]).0),
        Rule::Domain if matches!(premise, FINITE | ORDER | ORIGIN) => {
            Some((partial.f)([a, b, c, 0]).0)
        }
        _ => None,
    }
}
