//! How what stands in buffers is laid out.

use super::listing::{Instruction, Listing};
use super::{Valid, wrong};
use crate::spirv::rules::Rule;
use rspirv::spirv::{Decoration, Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bytes of a type in a buffer: its size, none if it has no end, and what its place is a multiple of at least.
#[derive(Clone, Copy)]
struct Extent {
    size: Option<u64>,
    align: u64,
}

/// The column-by-column layout of matrices in a member: bytes from one to the next, and whether these are rows.
type Matrices = Option<(u32, bool)>;

/// The types that are laid out so far. Types come before those that they are part of.
struct Layout<'l> {
    listing: &'l Listing<'l>,
    extents: FxHashMap<Word, Extent>,
    /// Types that stand in buffers.
    shared: FxHashSet<Word>,
}

pub(super) fn check(listing: &Listing<'_>) -> Valid {
    let mut layout = Layout { listing, extents: FxHashMap::default(), shared: in_buffers(listing) };
    for (at, instruction) in listing.all.iter().enumerate() {
        match instruction.op {
            Op::TypeInt | Op::TypeFloat => {
                let bytes = u64::from(instruction.operand(0)) / 8;
                layout.insert(instruction.id, Some(bytes), bytes);
            }
            Op::TypeVector => {
                if let Some(Extent { size: Some(size), align }) = layout.of(instruction.operand(0))
                {
                    let size = size * u64::from(instruction.operand(1));
                    layout.insert(instruction.id, Some(size), align);
                }
            }
            Op::TypeArray | Op::TypeRuntimeArray => layout.array(at)?,
            Op::TypeStruct => {
                runtime_array(listing, at)?;
                layout.structure(at)?;
            }
            Op::Variable => is_block(listing, at)?,
            _ => {}
        }
    }
    Ok(())
}

/// The types of buffers and what they consist of.
fn in_buffers(listing: &Listing<'_>) -> FxHashSet<Word> {
    let variables = listing.all.iter().filter(|it| it.op == Op::Variable);
    let mut open: Vec<Word> = variables.filter_map(|it| buffer(listing, it)).collect();
    let mut shared = FxHashSet::default();
    while let Some(id) = open.pop() {
        let Some(ty) = listing.definition(id) else { continue };
        if shared.insert(id) {
            match ty.op {
                Op::TypeArray | Op::TypeRuntimeArray => open.push(ty.operand(0)),
                Op::TypeStruct => open.extend(ty.operands),
                _ => {}
            }
        }
    }
    shared
}

/// The type of the buffer that a variable is; of an array of buffers that of each.
fn buffer(listing: &Listing<'_>, variable: &Instruction<'_>) -> Option<Word> {
    let (class, pointee) = listing.pointer(variable.ty)?;
    let (StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PushConstant) = class
    else {
        return None;
    };
    match listing.definition(pointee)? {
        array if matches!(array.op, Op::TypeArray | Op::TypeRuntimeArray) => Some(array.operand(0)),
        _ => Some(pointee),
    }
}

/// Shader Interfaces: blocks
///
/// ```text
/// the type of a buffer is a structure with Block or BufferBlock     (block)
/// ──────────────────────────────────────────────────────────────────────────
/// it can be bound
/// ```
fn is_block(listing: &Listing<'_>, at: usize) -> Valid {
    let Some(id) = buffer(listing, &listing.all[at]) else { return Ok(()) };
    let structure = listing.definition(id).is_some_and(|ty| ty.op == Op::TypeStruct);
    match structure && is_decorated_as_block(listing, id) {
        true => Ok(()),
        false => {
            let text = "a buffer whose type is no structure with the decoration Block";
            wrong(Rule::Resource, "block", at, text)
        }
    }
}

fn is_decorated_as_block(listing: &Listing<'_>, id: Word) -> bool {
    [Decoration::Block, Decoration::BufferBlock].iter().any(|it| listing.said(id, *it).is_some())
}

/// OpTypeRuntimeArray
///
/// ```text
/// it is the last member of its structure                (last)
/// which has the decoration Block or BufferBlock         (block)
/// ───────────────────────────────────────────────────────────────
/// it ends with its buffer
/// ```
fn runtime_array(listing: &Listing<'_>, at: usize) -> Valid {
    let structure = &listing.all[at];
    let endless =
        |id: &Word| listing.definition(*id).is_some_and(|it| it.op == Op::TypeRuntimeArray);
    match structure.operands.iter().position(endless) {
        None => Ok(()),
        Some(member) if member + 1 < structure.operands.len() => {
            let text =
                format!("member {member} is an array of no stated length, and not the last member");
            wrong(Rule::RuntimeArray, "last", at, text)
        }
        Some(_) if !is_decorated_as_block(listing, structure.id) => {
            let text = "a structure with an array of no stated length has no decoration Block";
            wrong(Rule::RuntimeArray, "block", at, text)
        }
        Some(_) => Ok(()),
    }
}

impl Layout<'_> {
    fn insert(&mut self, id: Word, size: Option<u64>, align: u64) {
        self.extents.insert(id, Extent { size, align: align.max(1) });
    }

    fn of(&self, ty: Word) -> Option<Extent> {
        self.extents.get(&ty).copied()
    }

    /// The extent of a member: of matrices, and arrays of them, by what the member says of them.
    fn of_member(&self, mut ty: Word, matrices: Matrices) -> Option<Extent> {
        let mut before = 0u64;
        loop {
            if let Some(known) = self.of(ty) {
                return Some(Extent {
                    size: known.size.map(|size| size.saturating_add(before)),
                    ..known
                });
            }
            let instruction = self.listing.definition(ty)?;
            match instruction.op {
                Op::TypeArray => {
                    let stride = self.listing.said(ty, Decoration::ArrayStride)?.value;
                    let count = self.listing.constant(instruction.operand(1))?;
                    let skipped = count.saturating_sub(1).saturating_mul(u64::from(stride));
                    before = before.saturating_add(skipped);
                }
                Op::TypeRuntimeArray => return Some(Extent { size: None, align: 1 }),
                Op::TypeMatrix => {
                    let (stride, by_rows) = matrices?;
                    let column = self.listing.definition(instruction.operand(0))?;
                    let Extent { size, align } = self.of(column.operand(0))?;
                    let (columns, rows) = (instruction.operand(1), column.operand(1));
                    let (vectors, length) = if by_rows { (rows, columns) } else { (columns, rows) };
                    let skipped = u64::from(vectors.saturating_sub(1)) * u64::from(stride);
                    let size = size? * u64::from(length) + skipped;
                    return Some(Extent { size: Some(before.saturating_add(size)), align });
                }
                _ => return None,
            }
            ty = instruction.operand(0);
        }
    }

    /// Offset and Stride Assignment
    ///
    /// ```text
    /// an array in a buffer has ArrayStride                                       (stride)
    /// not less than the size of an element, and a multiple of its alignment      (apart)
    /// ─────────────────────────────────────────────────────────────────────────────────────
    /// its elements are laid out
    /// ```
    fn array(&mut self, at: usize) -> Valid {
        let array = &self.listing.all[at];
        let said = self.listing.said(array.id, Decoration::ArrayStride);
        let Some(stride) = said.map(|said| u64::from(said.value)) else {
            return match self.shared.contains(&array.id) {
                true => wrong(
                    Rule::Explicit,
                    "stride",
                    at,
                    "an array in a buffer without the decoration ArrayStride",
                ),
                false => Ok(()),
            };
        };
        let Some(Extent { size, align }) = self.of(array.operand(0)) else { return Ok(()) };
        if self.shared.contains(&array.id)
            && (size.is_some_and(|size| stride < size) || !stride.is_multiple_of(align))
        {
            let size = size.unwrap_or(0);
            let text = format!(
                "elements of {size} bytes lie {stride} bytes apart: ArrayStride is too small"
            );
            return wrong(Rule::Explicit, "apart", at, text);
        }
        let count = match array.op {
            Op::TypeArray => self.listing.constant(array.operand(1)),
            _ => None,
        };
        let size = size.zip(count).map(|(size, count)| {
            count.saturating_sub(1).saturating_mul(stride).saturating_add(size)
        });
        self.insert(array.id, size, align);
        Ok(())
    }

    /// Offset and Stride Assignment
    ///
    /// ```text
    /// a member of a structure in a buffer has an Offset, and MatrixStride for its matrices      (offset)
    /// that is a multiple of its alignment                                                       (aligned)
    /// members do not lie over each other                                                        (overlap)
    /// ────────────────────────────────────────────────────────────────────────────────────────────────────
    /// they are laid out
    /// ```
    fn structure(&mut self, at: usize) -> Valid {
        let structure = &self.listing.all[at];
        let shared = self.shared.contains(&structure.id);
        let mut laid = Vec::new();
        let mut align = 1;
        for (member, ty) in structure.operands.iter().enumerate() {
            let said = |decoration| self.listing.said_of(structure.id, member as u32, decoration);
            let Some(offset) = said(Decoration::Offset) else {
                return match shared {
                    true => {
                        let text =
                            format!("member {member} of a structure in a buffer has no Offset");
                        wrong(Rule::Explicit, "offset", at, text)
                    }
                    false => Ok(()),
                };
            };
            let matrices = said(Decoration::MatrixStride)
                .map(|stride| (stride, said(Decoration::RowMajor).is_some()));
            let Some(extent) = self.of_member(*ty, matrices) else { continue };
            if shared && !u64::from(offset).is_multiple_of(extent.align) {
                let text = format!(
                    "member {member} lies at byte {offset}, which is no multiple of {}",
                    extent.align
                );
                return wrong(Rule::Explicit, "aligned", at, text);
            }
            align = align.max(extent.align);
            laid.push((u64::from(offset), extent.size, member));
        }
        laid.sort_unstable();
        let end = |(offset, size, _): &(u64, Option<u64>, usize)| {
            size.map(|size| offset.saturating_add(size))
        };
        let over = laid.windows(2).find(|two| end(&two[0]).is_none_or(|end| end > two[1].0));
        if let (true, Some([(_, _, one), (offset, _, other)])) = (shared, over) {
            let text = format!("member {other} lies at byte {offset}, over member {one}");
            return wrong(Rule::Explicit, "overlap", at, text);
        }
        if laid.len() == structure.operands.len() {
            let size = laid.last().map_or(Some(0), end);
            self.insert(structure.id, size, align);
        }
        Ok(())
    }
}
