//! How much work-group memory an entry point takes.

use super::words::Source;
use super::{MAX_IDS, Reader};
use crate::spirv::types::{Type, Types};
use crate::spirv::validate::used_by;
use rspirv::spirv::{StorageClass, Word};
use rustc_hash::FxHashMap;

/// What the size of a variable is rounded up to, as WebGPU counts them.
const UNIT: u64 = 16;

/// Bytes of the work-group variables that an entry point and the functions that it calls use, under these specialisation
/// constants, as storage buffers are laid out; 0 if the module cannot be read.
pub fn group_bytes(words: &[u32], main: &str, constants: &[(u32, u64)]) -> u64 {
    let Ok(mut source) = Source::read(words) else { return 0 };
    if source.bound > MAX_IDS {
        return 0;
    }
    let ids = std::mem::take(&mut source.ids);
    let mut reader = Reader::new(&source, ids, constants);
    if reader.declare(main).is_err() {
        return 0;
    }
    let used = used_by(words, reader.entry).into_iter();
    let shared = used.filter(|(_, class)| *class == StorageClass::Workgroup);
    let mut known = FxHashMap::default();
    let bytes = shared.map(|(id, _)| {
        let ty = reader.ids.get(id as usize).map_or(0, |known| known.ty);
        match reader.types.get(ty) {
            Some(Type::Pointer { pointee, .. }) => size(&reader.types, *pointee, &mut known).0,
            _ => 0,
        }
    });
    bytes.map(|bytes| up_to(bytes, UNIT)).fold(0, u64::saturating_add)
}

/// Bytes of a value, and what divides the byte at which it begins. A truth value is as large as a number of 32 bits.
type Size = (u64, u64);

/// The size of a type. One that stands in others many times is asked once.
fn size(types: &Types, ty: Word, known: &mut FxHashMap<Word, Size>) -> Size {
    if let Some(size) = known.get(&ty) {
        return *size;
    }
    let reckoned = match types.get(ty) {
        Some(Type::Int { width, .. } | Type::Float { width }) => {
            (u64::from(width / 8), u64::from(width / 8).max(1))
        }
        Some(Type::Vector { element, count }) => {
            let (bytes, align) = size(types, *element, known);
            let lanes = if *count == 3 { 4 } else { u64::from(*count) };
            (u64::from(*count).saturating_mul(bytes), lanes.saturating_mul(align).max(1))
        }
        Some(Type::Matrix { column: element, count } | Type::Array { element, count }) => {
            let (bytes, align) = size(types, *element, known);
            (u64::from(*count).saturating_mul(up_to(bytes, align)), align)
        }
        Some(Type::Struct { members }) => {
            let (end, align) = members.iter().fold((0, 1), |(end, most), member| {
                let (bytes, align) = size(types, *member, known);
                (up_to(end, align).saturating_add(bytes), align.max(most))
            });
            (up_to(end, align), align)
        }
        Some(Type::Void | Type::RuntimeArray { .. } | Type::Function { .. }) | None => (0, 1),
        Some(Type::Bool) => (4, 4),
        Some(Type::Pointer { .. }) => (8, 8),
    };
    known.insert(ty, reckoned);
    reckoned
}

/// The next multiple.
fn up_to(bytes: u64, unit: u64) -> u64 {
    bytes.checked_next_multiple_of(unit).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::group_bytes;
    use crate::spirv::assemble::assemble;

    /// A structure of a vector of three and a number, an array of these whose length is given, and a variable that nothing uses.
    #[test]
    fn variables_are_counted_as_they_would_lie_in_a_buffer() {
        let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450
            OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1
            OpDecorate %n SpecId 7\n%void = OpTypeVoid\n%fn = OpTypeFunction %void
            %bool = OpTypeBool\n%u = OpTypeInt 32 0\n%v3 = OpTypeVector %u 3
            %zero = OpConstant %u 0\n%n = OpSpecConstant %u 2\n%pair = OpTypeStruct %v3 %bool
            %wide = OpTypeStruct %u %v3\n%many = OpTypeArray %wide %n
            %p1 = OpTypePointer Workgroup %pair\n%p2 = OpTypePointer Workgroup %many
            %a = OpVariable %p1 Workgroup\n%b = OpVariable %p2 Workgroup
            %c = OpVariable %p2 Workgroup\n%main = OpFunction %void None %fn\n%entry = OpLabel
            %x = OpLoad %pair %a\n%y = OpLoad %many %b\nOpReturn\nOpFunctionEnd\n";
        let words = assemble(text).expect("it is understood");
        for (given, bytes) in [(&[][..], 16 + 2 * 32), (&[(7, 100)], 16 + 100 * 32)] {
            assert_eq!(group_bytes(&words, "main", given), bytes);
        }
        assert_eq!(
            (group_bytes(&words, "other", &[]), group_bytes(&words[..9], "main", &[])),
            (0, 0)
        );
    }
}
