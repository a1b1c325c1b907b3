//! The constructs of a [`Style`], one file for each kind.
//!
//! Wherever a construct could replace plain text, the writer asks whether the style has it there
//! ([`Writer::one_of`]). The places of each construct are counted, so a style is always the same text.

mod branches;
mod calls;
mod conditions;
mod groups;
mod literals;
mod loops;
mod selections;
mod variables;

use super::Writer;
use crate::emit::style::{Construct, Style};
use reference::device::syntax::{Exp, Kernel, Place, Sc, Ty};
use reference::device::visit::has_barrier;
use reference::kit::names::Var;

/// Depth of blocks from which on only plain text is written: constructs add blocks.
const DEEPEST: usize = 24;

/// The style of a module, and what its constructs have added so far.
#[derive(Default)]
pub(super) struct Styled {
    style: Style,
    /// Is every construct plain?
    plain: bool,
    /// How many places each construct had so far, by its number.
    places: [u32; Construct::ALL.len()],
    /// Functions that were written for constructs, without `fn` and name: number `n` is `h{n}`.
    functions: Vec<String>,
    /// Constants that were written, without `const` and name: number `n` is `c{n}`.
    constants: Vec<String>,
    /// Declarations of work-group variables that were written, and their bytes.
    shared: Vec<String>,
    shared_bytes: u64,
    /// Variables of the module, which are not in the function space.
    outside: Vec<Var>,
    /// The number of loops around the current statement. A function counts as one.
    loops: usize,
    /// Ifs that were written as loops.
    once: u32,
    /// Does the kernel wait at barriers?
    waits: bool,
    /// Let-bound values in scope.
    visible: Vec<(String, Ty)>,
}

impl Styled {
    /// For a form of this kernel.
    pub(super) fn new(style: Style, kernel: &Kernel) -> Self {
        let outside = kernel.workgroup.iter().chain(&kernel.private).map(|(var, _)| *var).collect();
        let plain = style.is_plain();
        let waits = !plain && has_barrier(&kernel.body);
        Self { style, plain, outside, waits, ..Self::default() }
    }

    /// The declarations that constructs need.
    pub(super) fn declarations(&self) -> String {
        let constants = self.constants.iter().enumerate();
        let constants = constants.map(|(number, constant)| format!("const c{number}{constant}\n"));
        let functions = self.functions.iter().enumerate();
        let functions = functions.map(|(number, function)| format!("fn h{number}{function}\n"));
        constants.chain(self.shared.iter().cloned()).chain(functions).collect()
    }

    /// Is every construct plain?
    pub(super) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Bytes of work-group memory that constructs take.
    pub(super) fn shared_bytes(&self) -> u64 {
        self.shared_bytes
    }
}

impl Writer<'_> {
    /// Picks one of these constructs, each of which could be used here, among those that the style enables at this
    /// place; `None` for plain text. Counts a place for each. The choice rotates by the count of the last one.
    fn one_of(&mut self, constructs: &[Construct]) -> Option<Construct> {
        if self.styled.plain || self.depth() > DEEPEST {
            return None;
        }
        let mut stand = Vec::new();
        let mut number = 0;
        for construct in constructs {
            let place = &mut self.styled.places[*construct as usize];
            if self.styled.style.sites(*construct).hold(*place) {
                stand.push(*construct);
            }
            number = *place;
            *place += 1;
        }
        stand.get(number as usize % stand.len().max(1)).copied()
    }

    /// Is the construct used here?
    fn stands(&mut self, construct: Construct) -> bool {
        self.one_of(&[construct]).is_some()
    }

    /// How many places the construct had before this one. It varies the form of a construct.
    fn turn(&self, construct: Construct) -> u32 {
        self.styled.places[construct as usize].saturating_sub(1)
    }

    /// The text of `exp` as an operand, if nothing has to be bound before it.
    pub(super) fn inline(&mut self, exp: &Exp) -> Option<String> {
        let mark = self.mark();
        let text = self.operand(exp);
        if !self.wrote_since(mark) {
            return Some(text);
        }
        self.back_to(mark);
        None
    }

    /// The name of a function with these parameters, result and body; the same one is written
    /// once.
    pub(super) fn function_of(&mut self, function: String) -> String {
        format!("h{}", number_of(&mut self.styled.functions, function))
    }

    /// The name of a constant of the module with this type and value.
    fn constant_of(&mut self, constant: String) -> String {
        format!("c{}", number_of(&mut self.styled.constants, constant))
    }

    /// A variable of the function space, so that a function may be given a pointer to it.
    fn local(&self, place: &Place) -> Option<Var> {
        match place {
            Place::Var(var) if !self.styled.outside.contains(var) => Some(*var),
            _ => None,
        }
    }
}

/// The index of a text in a list, to which it is added if it is not there.
fn number_of(list: &mut Vec<String>, text: String) -> usize {
    list.iter().position(|known| *known == text).unwrap_or_else(|| {
        list.push(text);
        list.len() - 1
    })
}

/// Is it an integer of 32 bits?
fn is_word(ty: &Ty) -> bool {
    matches!(ty, Ty::Scalar(Sc::I32 | Sc::U32))
}
