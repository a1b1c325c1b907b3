//! Declarations: decorations, types, constants, global variables, the entry point.

use super::words::{Instruction, Operand};
use super::{Fixed, MAX_SLOTS, Read, Reader, Refusal};
use crate::spirv::bindings::Bound;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::Input;
use crate::spirv::types::{Type, Width};
use crate::spirv::values::{LoadError, PUSH_CONSTANTS, Slot};
use rspirv::spirv::{BuiltIn, Decoration, ExecutionMode, ExecutionModel};
use rspirv::spirv::{Op as Opcode, StorageClass, Word};
use smallvec::{SmallVec, smallvec};

/// Deepest nesting of types, as the specification's universal limit of structures.
const MAX_NESTING: u32 = 255;

/// The components of a constant.
pub(super) type Constant = SmallVec<[Slot; 4]>;

/// The decorations of an id. They come before its definition.
#[derive(Clone, Copy, Default)]
pub(super) struct Decorations {
    set: Option<u32>,
    binding: Option<u32>,
    builtin: Option<BuiltIn>,
    /// The number by which a specialisation constant is given.
    pub(super) spec_id: Option<u32>,
    read_only: bool,
    buffer_block: bool,
    /// Members of a struct that are not written.
    read_only_members: u32,
}

impl Reader<'_> {
    /// Reads everything before the first function.
    pub(super) fn declare(&mut self, main: &str) -> Read<()> {
        for (at, instruction) in self.source.instructions.iter().enumerate() {
            if instruction.opcode == Opcode::Function {
                self.first_function = at;
                break;
            }
            self.define(at, instruction)?;
            self.declaration(at, instruction, main)?;
        }
        if let Some(at) = self.size_by_ids {
            self.size_by_ids(at)?;
        }
        if self.entry == 0 {
            return Err(Refusal::new(LoadError::Unsupported(format!(
                "no compute entry point `{main}`"
            ))));
        }
        Ok(())
    }

    /// An instruction that defines an id is the only one, and the type of the id is one.
    #[inline]
    pub(super) fn define(&self, at: usize, instruction: &Instruction) -> Read<()> {
        let Some(id) = instruction.result_id else { return Ok(()) };
        match self.ids.get(id as usize) {
            Some(known) if known.defined == at as u32 => {}
            entry => return Err(self.not_new(at, id, entry.is_some())),
        }
        // What is a type so far is defined so far.
        match instruction.result_type {
            Some(ty) if self.types.get(ty).is_none() => {
                self.known(at, ty)?;
                Err(self.no_type(at, ty))
            }
            _ => Ok(()),
        }
    }

    #[cold]
    fn not_new(&self, at: usize, id: Word, twice: bool) -> Refusal {
        match twice {
            true => self.invalid(
                at,
                Rule::Ids,
                "once",
                &format!("{} is defined twice", self.called(id)),
            ),
            false => {
                let text = format!("%{id} is not below the bound of ids");
                self.invalid(at, Rule::Physical, "words", &text)
            }
        }
    }

    #[cold]
    fn no_type(&self, at: usize, id: Word) -> Refusal {
        self.ill_typed(at, &format!("{} is no type", self.called(id)))
    }

    /// The id is defined up to here.
    #[inline]
    pub(super) fn known(&self, at: usize, id: Word) -> Read<()> {
        match self.ids.get(id as usize) {
            Some(known) if known.defined <= at as u32 => Ok(()),
            _ => Err(self.unknown(at, id)),
        }
    }

    #[cold]
    pub(super) fn unknown(&self, at: usize, id: Word) -> Refusal {
        self.invalid(at, Rule::Ids, "defined", &format!("{} is not defined", self.called(id)))
    }

    fn declaration(&mut self, at: usize, instruction: &Instruction, main: &str) -> Read<()> {
        use Opcode as O;
        match instruction.opcode {
            O::Capability | O::MemoryModel | O::String => Ok(()),
            O::ExtInstImport => {
                if let Some(Operand::LiteralString(name)) = self.source.operands(at).first()
                    && self.source.text(*name) == "GLSL.std.450"
                {
                    self.glsl = instruction.result_id.unwrap_or(0);
                }
                Ok(())
            }
            O::EntryPoint => {
                if let [
                    Operand::ExecutionModel(model),
                    Operand::IdRef(id),
                    Operand::LiteralString(name),
                    ..,
                ] = self.source.operands(at)
                    && self.source.text(*name) == main
                    && *model == ExecutionModel::GLCompute
                {
                    self.entry = *id;
                }
                Ok(())
            }
            O::ExecutionMode | O::ExecutionModeId => self.execution_mode(at),
            O::Decorate => self.decorate(at),
            O::MemberDecorate => {
                self.decorate_member(at);
                Ok(())
            }
            O::TypeVoid
            | O::TypeBool
            | O::TypeInt
            | O::TypeFloat
            | O::TypeVector
            | O::TypeMatrix
            | O::TypeArray
            | O::TypeRuntimeArray
            | O::TypeStruct
            | O::TypePointer
            | O::TypeFunction => self.type_declaration(at, instruction),
            O::Constant
            | O::SpecConstant
            | O::ConstantTrue
            | O::SpecConstantTrue
            | O::ConstantFalse
            | O::SpecConstantFalse
            | O::ConstantNull
            | O::ConstantComposite
            | O::SpecConstantComposite
            | O::SpecConstantOp
            | O::Undef => self.constant_declaration(at, instruction),
            O::Variable => self.global(at),
            _ => Err(self.unsupported(at, "")),
        }
    }

    fn execution_mode(&mut self, at: usize) -> Read<()> {
        let ids = match self.source.operands(at).get(1) {
            Some(Operand::ExecutionMode(ExecutionMode::LocalSize)) => false,
            Some(Operand::ExecutionMode(ExecutionMode::LocalSizeId)) => true,
            _ => return Err(self.unsupported(at, "")),
        };
        let here = self.entry == self.id(at, 0)?;
        if ids {
            // The constants come later.
            self.size_by_ids = here.then_some(at).or(self.size_by_ids);
            return Ok(());
        }
        let size = [self.literal(at, 2)?, self.literal(at, 3)?, self.literal(at, 4)?];
        if here {
            self.size = size;
        }
        self.fits(at, size)
    }

    /// `LocalSizeId`: the size of a group, by constants.
    fn size_by_ids(&mut self, at: usize) -> Read<()> {
        let mut size = [1; 3];
        for (n, extent) in size.iter_mut().enumerate() {
            let id = self.id(at, 2 + n)?;
            *extent = self.constant(at, id)?;
        }
        self.size = size;
        self.fits(at, size)
    }

    fn fits(&self, at: usize, size: [u32; 3]) -> Read<()> {
        let invocations = size.iter().try_fold(1u32, |product, n| product.checked_mul(*n));
        match invocations {
            Some(1..=65_536) => Ok(()),
            _ => Err(self.unsupported(at, "a group of 0 or of more than 65,536 invocations")),
        }
    }

    fn decorate(&mut self, at: usize) -> Read<()> {
        let id = self.id(at, 0)?;
        let Some(Operand::Decoration(decoration)) = self.source.operands(at).get(1) else {
            return Ok(());
        };
        let number = match decoration {
            Decoration::DescriptorSet
            | Decoration::Binding
            | Decoration::SpecId
            | Decoration::ArrayStride => self.literal(at, 2)?,
            _ => 0,
        };
        // Nothing asks for an id that is not below the bound: it cannot be defined.
        let Some(said) = self.decorations.entry(id) else { return Ok(()) };
        match decoration {
            Decoration::DescriptorSet => said.set = Some(number),
            Decoration::Binding => said.binding = Some(number),
            Decoration::SpecId => said.spec_id = Some(number),
            Decoration::ArrayStride => self.types.lay_elements(id, number),
            Decoration::NonWritable => said.read_only = true,
            Decoration::BufferBlock => said.buffer_block = true,
            Decoration::BuiltIn => {
                if let Some(Operand::BuiltIn(builtin)) = self.source.operands(at).get(2) {
                    said.builtin = Some(*builtin);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What decorations say of an id.
    pub(super) fn said(&self, id: Word) -> Decorations {
        self.decorations.get(id).copied().unwrap_or_default()
    }

    fn decorate_member(&mut self, at: usize) {
        match self.source.operands(at) {
            [
                Operand::IdRef(id),
                Operand::LiteralBit32(member),
                Operand::Decoration(Decoration::Offset),
                Operand::LiteralBit32(offset),
            ] => {
                self.types.lay_member(*id, *member, *offset);
            }
            [
                Operand::IdRef(id),
                Operand::LiteralBit32(member),
                Operand::Decoration(Decoration::MatrixStride),
                Operand::LiteralBit32(stride),
            ] => self.types.lay_matrices(*id, *member, *stride),
            [
                Operand::IdRef(id),
                Operand::LiteralBit32(member),
                Operand::Decoration(Decoration::RowMajor),
            ] => self.types.lay_by_rows(*id, *member),
            [
                Operand::IdRef(id),
                Operand::LiteralBit32(_),
                Operand::Decoration(Decoration::NonWritable),
            ] => {
                if let Some(said) = self.decorations.entry(*id) {
                    said.read_only_members += 1;
                }
            }
            _ => {}
        }
    }

    fn type_declaration(&mut self, at: usize, instruction: &Instruction) -> Read<()> {
        use Opcode as O;
        let id = instruction.result_id.unwrap_or(0);
        self.nesting = 0;
        let ty = match instruction.opcode {
            O::TypeVoid => Type::Void,
            O::TypeBool => Type::Bool,
            O::TypeInt => Type::Int { width: self.bits(at, 8)?, signed: self.literal(at, 1)? == 1 },
            O::TypeFloat => Type::Float { width: self.bits(at, 16)? },
            O::TypeVector => {
                Type::Vector { element: self.type_operand(at, 0)?, count: self.literal(at, 1)? }
            }
            O::TypeMatrix => {
                Type::Matrix { column: self.type_operand(at, 0)?, count: self.literal(at, 1)? }
            }
            O::TypeArray => {
                let element = self.type_operand(at, 0)?;
                let count = self.id(at, 1)?;
                self.known(at, count)?;
                Type::Array { element, count: self.constant(at, count)? }
            }
            O::TypeRuntimeArray => Type::RuntimeArray { element: self.type_operand(at, 0)? },
            O::TypeStruct => Type::Struct { members: self.type_operands(at, 0)? },
            O::TypeFunction => Type::Function {
                result: self.type_operand(at, 0)?,
                params: self.type_operands(at, 1)?,
            },
            _ => match self.source.operands(at).first() {
                Some(Operand::StorageClass(class)) => {
                    Type::Pointer { class: *class, pointee: self.type_operand(at, 1)? }
                }
                _ => return Err(self.unsupported(at, "")),
            },
        };
        if matches!(ty, Type::Vector { element, .. } if self.types.slots(element) != Some(1)) {
            return Err(self.ill_typed(at, "a vector of what is no scalar"));
        }
        if let Type::Matrix { column, count } = ty
            && !(self.types.is_vector_of_floats(column) && (2..=4).contains(&count))
        {
            return Err(self.ill_typed(at, "a matrix whose columns are no vectors of numbers"));
        }
        if let Type::Pointer { class, pointee } = ty
            && let StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PushConstant =
                class
        {
            let [smallest, _] = self.types.bytes(pointee);
            self.cells = self.cells.max(4 / smallest);
        }
        self.types.insert(id, ty, self.nesting);
        if self.types.slots(id).is_some_and(|slots| slots > MAX_SLOTS) {
            return Err(self.unsupported(at, "a value that is too large"));
        }
        Ok(())
    }

    /// The bits of a number, at least so many.
    fn bits(&self, at: usize, least: u32) -> Read<u32> {
        match self.literal(at, 0)? {
            bits @ (8 | 16 | 32 | 64) if bits >= least && self.source.operands(at).len() < 3 => {
                Ok(bits)
            }
            _ => Err(self.unsupported(at, "a number of another width")),
        }
    }

    /// The width of the scalars of a type.
    pub(super) fn width_of(&self, ty: Word) -> Width {
        self.types.scalars(ty).map_or(Width::W32, |it| it.width)
    }

    /// The type that is operand number `n`; notes how deeply types nest.
    fn type_operand(&mut self, at: usize, n: usize) -> Read<Word> {
        let id = self.id(at, n)?;
        self.known(at, id)?;
        if self.types.get(id).is_none() {
            return Err(self.no_type(at, id));
        }
        let depth = 1 + self.types.nesting(id);
        self.nesting = self.nesting.max(depth);
        if depth > MAX_NESTING {
            return Err(self.unsupported(at, "types nest too deeply"));
        }
        Ok(id)
    }

    fn type_operands(&mut self, at: usize, from: usize) -> Read<Vec<Word>> {
        (from..self.source.operands(at).len()).map(|n| self.type_operand(at, n)).collect()
    }

    fn constant_declaration(&mut self, at: usize, instruction: &Instruction) -> Read<()> {
        use Opcode as O;
        let id = instruction.result_id.unwrap_or(0);
        let ty = instruction.result_type.unwrap_or(0);
        let Some(slots) = self.types.slots(ty) else {
            return Err(self.ill_typed(at, "a constant of no size"));
        };
        let value: Constant = match instruction.opcode {
            O::SpecConstant | O::SpecConstantTrue | O::SpecConstantFalse
                if let Some(value) = self.given(at, id, ty)? =>
            {
                smallvec![value]
            }
            O::ConstantTrue | O::SpecConstantTrue => smallvec![Slot::new(1)],
            O::ConstantFalse | O::SpecConstantFalse => smallvec![Slot::new(0)],
            O::ConstantNull => smallvec![Slot::new(0); slots as usize],
            O::Undef => smallvec![Slot::UNDEFINED; slots as usize],
            O::SpecConstantOp => self.folded(at, instruction, slots)?,
            O::Constant | O::SpecConstant => match self.source.operands(at).first() {
                // One of fewer bits stands in a word with its sign.
                Some(Operand::LiteralBit32(k)) => {
                    smallvec![Slot::new(u64::from(*k) & self.width_of(ty).mask())]
                }
                Some(Operand::LiteralBit64(k)) => smallvec![Slot::new(self.source.wide(*k))],
                _ => return Err(self.unsupported(at, "")),
            },
            _ => {
                let mut value = Constant::new();
                for part in self.ids(at, 0)? {
                    self.known(at, part)?;
                    match self.known_value(part) {
                        Some(slots) => value.extend_from_slice(slots),
                        None => return Err(self.ill_typed(at, "a part that is no constant")),
                    }
                }
                value
            }
        };
        if value.len() != slots as usize {
            return Err(self.ill_typed(at, "a constant of another size than its type"));
        }
        if self.said(id).builtin == Some(BuiltIn::WorkgroupSize)
            && let [x, y, z] = value[..]
        {
            let size = [x, y, z].map(|slot| slot.bits as u32);
            self.fits(at, size)?;
            self.size = size;
        }
        self.constant_pointers |= self.types.holds_pointer(ty);
        let start = self.slots.len() as u32;
        self.slots.extend_from_slice(&value);
        self.fixed.insert(id, Fixed::Constant(start..self.slots.len() as u32));
        Ok(())
    }

    fn global(&mut self, at: usize) -> Read<()> {
        let instruction = &self.source.instructions[at];
        let (id, ty) = (instruction.result_id.unwrap_or(0), instruction.result_type.unwrap_or(0));
        let Some(&Type::Pointer { class, pointee }) = self.types.get(ty) else {
            return Err(self.ill_typed(at, "a variable whose type is no pointer"));
        };
        let address = match class {
            StorageClass::StorageBuffer | StorageClass::Uniform => {
                let Decorations { set, binding, read_only, .. } = self.said(id);
                let Some(binding) = binding else {
                    return Err(self.unsupported(at, "a buffer without a binding"));
                };
                let members = match self.types.get(pointee) {
                    Some(Type::Struct { members }) => members.len() as u32,
                    _ => return Err(self.unsupported(at, "a buffer that is no block")),
                };
                let read_only =
                    read_only || members > 0 && self.said(pointee).read_only_members == members;
                let set = set.unwrap_or(0);
                // Before version 1.3 a buffer that is written is of this class too.
                let uniform = class == StorageClass::Uniform && !self.said(pointee).buffer_block;
                self.bind((set, binding), (!read_only, uniform), [id, pointee])
            }
            StorageClass::PushConstant => self.bind(PUSH_CONSTANTS, (false, true), [id, pointee]),
            StorageClass::Private | StorageClass::Input => {
                let address = self.own.len() as u64;
                let memory = std::mem::take(&mut self.own);
                self.own = self.initial(at, pointee, memory)?;
                if class == StorageClass::Input {
                    let input = self.input(at, id)?;
                    self.inputs.push((input, address as u32));
                }
                address
            }
            StorageClass::Workgroup => {
                if self.types.is_laid_out(pointee) {
                    let text = "the type of a work-group variable is laid out";
                    self.invalid_unless_excused(at, Rule::Interface, "laid out", text)?;
                }
                let address = self.group.len() as u64;
                self.group_variables.push((address as u32, id));
                let memory = std::mem::take(&mut self.group);
                self.group = self.initial(at, pointee, memory)?;
                address
            }
            _ => return Err(self.unsupported(at, "")),
        };
        if self.own.len().max(self.group.len()) > MAX_SLOTS as usize {
            return Err(self.unsupported(at, "variables are too large"));
        }
        self.fixed.insert(id, Fixed::Global(address));
        Ok(())
    }

    /// One more buffer: a variable and the block that is its type. The address where it begins.
    fn bind(
        &mut self,
        (set, binding): (u32, u32),
        (written, uniform): (bool, bool),
        ids: [Word; 2],
    ) -> u64 {
        let (extent, numbers) = (self.types.extent(ids[1], None), self.types.numbers(ids[1]));
        self.bound.push(Bound { set, binding, written, uniform, ids, extent, numbers });
        (self.bound.len() as u64 - 1) << 32
    }

    /// The memory with what a global variable holds there at first, behind those before it.
    fn initial(&self, at: usize, pointee: Word, mut memory: Vec<Slot>) -> Read<Vec<Slot>> {
        let Some(slots) = self.types.slots(pointee) else {
            return Err(self.ill_typed(at, "a variable of no size"));
        };
        if self.source.operands(at).len() < 2 {
            memory.resize(memory.len() + slots as usize, Slot::UNWRITTEN);
            return Ok(memory);
        }
        let id = self.id(at, 1)?;
        self.known(at, id)?;
        match self.known_value(id) {
            Some(value) if value.len() == slots as usize => memory.extend_from_slice(value),
            _ => return Err(self.ill_typed(at, "an initialiser that is no constant of the type")),
        }
        Ok(memory)
    }

    fn input(&self, at: usize, id: Word) -> Read<Input> {
        Ok(match self.said(id).builtin {
            Some(BuiltIn::GlobalInvocationId) => Input::GlobalId,
            Some(BuiltIn::LocalInvocationId) => Input::LocalId,
            Some(BuiltIn::LocalInvocationIndex) => Input::LocalIndex,
            Some(BuiltIn::WorkgroupId) => Input::GroupId,
            Some(BuiltIn::NumWorkgroups) => Input::Groups,
            Some(BuiltIn::WorkgroupSize) => Input::GroupSize,
            Some(BuiltIn::SubgroupSize) => Input::SubgroupSize,
            Some(BuiltIn::SubgroupLocalInvocationId) => Input::SubgroupLocalId,
            Some(BuiltIn::NumSubgroups) => Input::Subgroups,
            Some(BuiltIn::SubgroupId) => Input::SubgroupId,
            Some(other) => return Err(self.unsupported(at, &format!("builtin {other:?}"))),
            None => return Err(self.unsupported(at, "an input that is no builtin")),
        })
    }
}
