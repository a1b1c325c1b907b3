//! Programs to test with: well-typed, with inputs, made from a string of bytes. One generator
//! serves quickcheck, the seeded campaign and libFuzzer.

pub mod device;
mod draw;
pub mod edit;
mod expr;
pub mod fun;
mod input;
mod joins;
mod kernels;
mod layout;
mod making;
mod repeat;
mod sizes;
mod trouble;
mod types;
mod views;
mod weights;

pub use layout::Layout;
pub use weights::Weights;

use arbitrary::Unstructured;
use compiler::emit::style::Style;
use compiler::emit::style::choices::STYLE_BYTES;
use draw::Draw;
use fun::{Intent, Made};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reference::between::expand_memory::{Form, expand};
use reference::between::fun_to_funmem::transform_program;
use reference::fun::syntax::{Fun, Program};
use reference::funmem::syntax::FunMem;
use reference::kit::decisions::Decisions;
use reference::kit::faults::Planted;
use reference::kit::outcome::Value;

/// How many bytes a case of a seeded stream is made of. A generator that comes to the end of
/// them comes to its own.
pub const CASE_BYTES: usize = 2048;

/// How many of them the editor of FUNMEM has.
const EDIT_BYTES: usize = 96;

/// A program in the language that it starts from.
#[derive(Clone, Debug)]
pub enum Start {
    /// A FUN program.
    Fun(Program<Fun>),
    /// A FUNMEM program: what insertion, or memory expansion after it, gave, edited.
    FunMem {
        /// The program.
        program: Program<FunMem>,
        /// What was done to it.
        edits: Vec<edit::Edit>,
    },
    /// A program of the device language.
    Device(reference::device::syntax::Program),
}

/// What a case is made of: a program with its input.
#[derive(Clone, Debug)]
pub struct Material {
    /// The program.
    pub start: Start,
    /// One value for each parameter but blocks.
    pub input: Vec<Value>,
    /// What the FUN program, or that of the device language, was made for. An edited one may do anything.
    pub intent: Intent,
    /// How its shaders are written.
    pub style: Style,
}

/// The bytes of case `index` of the stream of `seed`: the same ones on every machine.
pub fn case_bytes(seed: u64, index: u64) -> Vec<u8> {
    bytes_of(seed, index, 0, CASE_BYTES)
}

/// The style of case `index` of the stream of `seed`.
pub fn style(seed: u64, index: u64) -> Style {
    Style::drawn(&bytes_of(seed, index, 1, STYLE_BYTES))
}

fn bytes_of(seed: u64, index: u64, stream: u8, count: usize) -> Vec<u8> {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&index.to_le_bytes());
    key[16] = stream;
    let mut bytes = vec![0; count];
    StdRng::from_seed(key).fill_bytes(&mut bytes);
    bytes
}

/// Case `index` of the stream of `seed`.
pub fn case(seed: u64, index: u64, weights: &Weights) -> Material {
    let bytes = case_bytes(seed, index);
    let material = made_of(&mut Unstructured::new(&bytes), weights);
    Material { style: style(seed, index), ..material }
}

/// A case from any bytes; the last of them are those of its style.
pub fn material(bytes: &[u8], weights: &Weights) -> Material {
    let (program, style) = bytes.split_at(bytes.len().saturating_sub(STYLE_BYTES));
    let material = made_of(&mut Unstructured::new(program), weights);
    Material { style: Style::drawn(style), ..material }
}

/// A case of plain style: FUN, or edited FUNMEM or the device language in the shares that the weights give
/// them.
fn made_of(bytes: &mut Unstructured<'_>, weights: &Weights) -> Material {
    let share = Draw::new(bytes).percentile();
    let edited = share < weights.edited;
    if !edited && share < weights.edited + weights.device {
        let device::Made { program, input, intent } = device::program(bytes, weights);
        return Material { start: Start::Device(program), input, intent, style: Style::PLAIN };
    }
    let editor = match edited {
        true => bytes.bytes(EDIT_BYTES.min(bytes.len())).unwrap_or(&[]),
        false => &[],
    };
    let Made { program, input, intent } = fun::program(bytes, weights);
    let start = if edited {
        let mut bytes = Unstructured::new(editor);
        let inserted = transform_program(&program, Planted::NONE);
        let program = laid_out(inserted, &mut Draw::new(&mut bytes));
        let (program, edits) = edit::edit(&program, &mut bytes);
        Start::FunMem { program, edits }
    } else {
        Start::Fun(program)
    };
    Material { start, input, intent, style: Style::PLAIN }
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

/// The FUN program of case `index` of the stream of `seed`, which no edit follows.
pub fn fun_case(seed: u64, index: u64, weights: &Weights) -> Made {
    fun::program(&mut Unstructured::new(&case_bytes(seed, index)), weights)
}
