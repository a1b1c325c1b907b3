//! Instructions by their opcodes; control flow, calls and barriers.

use super::Read;
use super::body::{Body, Here};
use super::words::Operand;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{Call, NONE, Op, Switch};
use crate::spirv::types::Type;
use rspirv::spirv::{MemorySemantics, Op as Opcode, Scope, Word};

impl Body<'_> {
    /// The operations of an instruction.
    pub(super) fn translate(&mut self, at: &Here<'_>) -> Read<()> {
        use Opcode as O;
        let rule = match at.opcode() {
            O::SelectionMerge => return Ok(()),
            O::LoopMerge => Rule::Loop,
            O::Phi => {
                self.define(at)?;
                Rule::Phi
            }
            O::Branch => {
                let block = self.id(at, 0)?;
                let block = self.target(at, block)?;
                self.emit(at, Op::Jump { block });
                return Ok(());
            }
            O::BranchConditional => self.branch(at)?,
            O::Switch => self.switch(at)?,
            O::Return | O::ReturnValue => self.returned(at)?,
            O::Unreachable => {
                self.emit(at, Op::Unreachable);
                Rule::Unreachable
            }
            O::FunctionCall => self.call(at)?,
            O::ControlBarrier => self.barrier(at)?,
            O::MemoryBarrier => {
                let semantics = self.id(at, 1)?;
                self.module.releases |= self.orders(at, semantics)?.is_some();
                return Ok(());
            }
            O::Undef => {
                let to = self.define(at)?;
                let count = self.size(at, at.ty())?;
                self.emit(at, Op::Undefine { to, count });
                Rule::Undef
            }
            O::Variable => self.variable(at)?,
            O::Load => self.load(at)?,
            O::Store => self.store(at)?,
            O::CopyMemory => self.copy_memory(at)?,
            O::AccessChain | O::InBoundsAccessChain => self.access_chain(at)?,
            O::ArrayLength => self.array_length(at)?,
            O::CompositeExtract
            | O::CompositeConstruct
            | O::CompositeInsert
            | O::CopyObject
            | O::CopyLogical
            | O::VectorShuffle
            | O::VectorExtractDynamic
            | O::VectorInsertDynamic
            | O::Select => self.composite(at)?,
            O::AtomicLoad
            | O::AtomicStore
            | O::AtomicExchange
            | O::AtomicCompareExchange
            | O::AtomicIAdd
            | O::AtomicISub
            | O::AtomicIIncrement
            | O::AtomicIDecrement
            | O::AtomicSMin
            | O::AtomicSMax
            | O::AtomicUMin
            | O::AtomicUMax
            | O::AtomicAnd
            | O::AtomicOr
            | O::AtomicXor => self.atomic(at)?,
            O::ExtInst => self.extended(at)?,
            _ if self.of_subgroup(at) => self.subgroup(at)?,
            _ => self.arithmetic(at)?,
        };
        self.rule(rule);
        Ok(())
    }

    fn branch(&mut self, at: &Here<'_>) -> Read<Rule> {
        let condition = self.operand(at, 0)?;
        if self.reader.types.get(condition.ty) != Some(&Type::Bool) {
            return Err(self.reader.ill_typed(at.number, "the condition is no truth value"));
        }
        let (yes, no) = (self.id(at, 1)?, self.id(at, 2)?);
        let (yes, no) = (self.target(at, yes)?, self.target(at, no)?);
        self.emit(at, Op::Branch { condition: condition.at, yes, no });
        Ok(Rule::Branch)
    }

    fn switch(&mut self, at: &Here<'_>) -> Read<Rule> {
        let selector = self.operand(at, 0)?;
        if !matches!(self.reader.types.get(selector.ty), Some(Type::Int { .. })) {
            return Err(self.reader.ill_typed(at.number, "the selector is no integer"));
        }
        let default = self.id(at, 1)?;
        let default = self.target(at, default)?;
        let mut cases = Vec::new();
        let operands = at.operands.get(2..).unwrap_or_default();
        for pair in operands.chunks(2) {
            let (case, label) = match pair {
                [Operand::LiteralBit32(k), Operand::IdRef(label)] => {
                    (u64::from(*k) & self.width(selector.ty).mask(), *label)
                }
                [Operand::LiteralBit64(k), Operand::IdRef(label)] => {
                    (self.reader.source.wide(*k), *label)
                }
                _ => return Err(self.reader.unsupported(at.number, "")),
            };
            cases.push((case, self.target(at, label)?));
        }
        self.module.switches.push(Switch { selector: selector.at, cases, default });
        self.emit(at, Op::Switch(self.module.switches.len() as u32 - 1));
        Ok(Rule::Switch)
    }

    fn returned(&mut self, at: &Here<'_>) -> Read<Rule> {
        let ty = self.result_type();
        let count = self.size(at, ty)?;
        let from = match at.opcode() {
            Opcode::Return if self.reader.types.get(ty) == Some(&Type::Void) => 0,
            Opcode::Return => {
                return Err(self.reader.ill_typed(at.number, "a value is to be returned"));
            }
            _ => self.typed(at, 0, ty)?,
        };
        self.emit(at, Op::Return { from, count });
        Ok(Rule::Return)
    }

    fn call(&mut self, at: &Here<'_>) -> Read<Rule> {
        let id = self.id(at, 0)?;
        let Some(function) = self.function_number(id) else {
            return Err(self
                .reader
                .ill_typed(at.number, &format!("{} is no function", self.reader.called(id))));
        };
        let declared = self.reader.ids[id as usize].defined as usize;
        let ty = self.reader.id(declared, 1)?;
        let Some(Type::Function { result, params }) = self.reader.types.get(ty).cloned() else {
            return Err(self
                .reader
                .ill_typed(at.number, "what is called has no type of a function"));
        };
        if params.len() + 1 != at.operands.len() || result != at.ty() {
            return Err(self.reader.ill_typed(at.number, "the call does not fit the function"));
        }
        let mut arguments = Vec::new();
        for (n, ty) in params.into_iter().enumerate() {
            let count = self.size(at, ty)?;
            arguments.push((self.typed(at, n + 1, ty)?, count));
        }
        let to = self.define(at)?;
        self.module.calls.push(Call { function, arguments, to });
        self.emit(at, Op::Call(self.module.calls.len() as u32 - 1));
        Ok(Rule::Call)
    }

    fn barrier(&mut self, at: &Here<'_>) -> Read<Rule> {
        let scope = self.id(at, 0)?;
        let semantics = self.id(at, 2)?;
        if self.reader.constant(at.number, scope)? != Scope::Workgroup as u32 {
            return Err(self.reader.unsupported(at.number, "a scope other than the work group"));
        }
        let ordered = self.orders(at, semantics)?.unwrap_or(MemorySemantics::RELAXED);
        self.module.barriers = true;
        self.emit(
            at,
            Op::Barrier {
                group: ordered.contains(MemorySemantics::WORKGROUP_MEMORY),
                buffers: ordered.contains(MemorySemantics::UNIFORM_MEMORY),
            },
        );
        Ok(Rule::Barrier)
    }

    /// The memory whose accesses a semantics orders, if it orders any.
    pub(super) fn orders(&self, at: &Here<'_>, semantics: Word) -> Read<Option<MemorySemantics>> {
        let bits = self.reader.constant(at.number, semantics)?;
        let semantics = MemorySemantics::from_bits_truncate(bits);
        let orders = MemorySemantics::ACQUIRE
            | MemorySemantics::RELEASE
            | MemorySemantics::ACQUIRE_RELEASE
            | MemorySemantics::SEQUENTIALLY_CONSISTENT;
        Ok(semantics.intersects(orders).then_some(semantics))
    }

    fn variable(&mut self, at: &Here<'_>) -> Read<Rule> {
        let ty = at.ty();
        let Some(&Type::Pointer { pointee, .. }) = self.reader.types.get(ty) else {
            return Err(self.reader.ill_typed(at.number, "a variable whose type is no pointer"));
        };
        let count = self.size(at, pointee)?;
        let offset = self.reserve(count);
        let init = match at.operands.len() {
            0 | 1 => NONE,
            _ => self.typed(at, 1, pointee)?,
        };
        if init != NONE && self.in_frame(at, init, count)? {
            return Ok(Rule::Variable);
        }
        let to = self.define(at)?;
        self.emit(at, Op::Variable { to, offset, count, init });
        Ok(Rule::Variable)
    }
}
