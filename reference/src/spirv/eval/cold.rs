//! The cold path of the executor: operations that few shaders execute often, in a function of their own.

use super::exec::{absorbing, fail, no_element};
use super::{Failure, Invocation, Running};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, NONE, Op, Space};
use crate::spirv::values::Slot;

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
                if premise == 0 || origin > 0 {
                    slot!(partial.to) = Slot { bits, origin };
                } else {
                    slot!(partial.to) = Slot { bits, origin: at as u32 + 1 };
                    self.undefined(at, partial.rule, premise);
                }
            }
            Op::Undefine { to, count } => {
                registers[range!(to, count)].fill(Slot { bits: 0, origin: at as u32 + 1 });
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
                if index.origin > 0 || index.bits >= count.into() {
                    return Err(no_element(index, count.into(), "bounds", at));
                }
                let base = slot!(base);
                slot!(to) = Slot { bits: base.bits + index.bits * u64::from(stride), ..base };
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
                    slot!(atomic.to) = Slot::new(old);
                }
            }
            _ => unreachable!("it is done where it is met"),
        }
        Ok(())
    }

    /// The component of a vector; one that is not there is an undefined value.
    fn component(&mut self, index: Slot, count: u32, at: usize) -> Result<u32, Slot> {
        if index.origin > 0 {
            return Err(index);
        }
        if index.bits >= u64::from(count) {
            self.undefined(at, Rule::Dynamic, 1);
            return Err(Slot { bits: 0, origin: at as u32 + 1 });
        }
        Ok(index.bits as u32)
    }
}
