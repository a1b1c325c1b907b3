//! FUNMEM programs: what insertion makes of a FUN program, or memory expansion after it, edited, so
//! that some race and some are invalid.

pub mod edit;
mod layout;

pub use layout::Layout;

use super::draw::Draw;
use super::weights::Weights;
use super::{Generate, Generator, Intent, Made, fun};
use arbitrary::Unstructured;
use edit::Edit;
use reference::funmem::syntax::{FunMem, Program};
use reference::kit::decisions::Decisions;
use reference::kit::faults::Planted;
use reference::translate::expand_memory::{Form, expand};
use reference::translate::fun_to_funmem::transform_program;

/// How many bytes the editor has.
const EDIT_BYTES: usize = 96;

impl Generate for FunMem {
    const GENERATOR: Generator<FunMem> = |bytes, weights| program(bytes, weights).0;
    const SHARE: u32 = 30;
}

/// Makes a program from bytes, with what was done to it.
pub fn program(
    bytes: &mut Unstructured<'_>,
    weights: &Weights,
) -> (Made<Program<FunMem>>, Vec<Edit>) {
    let editor = bytes.bytes(EDIT_BYTES.min(bytes.len())).unwrap_or(&[]);
    let made = fun::program(bytes, weights);
    let mut editor = Unstructured::new(editor);
    let inserted = transform_program(&made.program, Planted::NONE);
    let program = laid_out(inserted, &mut Draw::new(&mut editor));
    let (program, edits) = edit::edit(&program, &mut editor);
    (Made { program, input: made.input, intent: Intent::Anything }, edits)
}

/// The program as it is, or after memory expansion in one of its forms, where threads have shares
/// of blocks that an edit can mix up.
fn laid_out(program: Program<FunMem>, draw: &mut Draw<'_, '_>) -> Program<FunMem> {
    let form = match draw.below(5) {
        0..=2 => return program,
        3 => Form::Paper,
        _ => Form::Coalesced,
    };
    expand(program.clone(), form, Planted::NONE, &mut Decisions::default()).unwrap_or(program)
}
