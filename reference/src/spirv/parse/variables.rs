//! Function variables that are kept in the frame, like values.
//!
//! A variable that is only loaded and stored as a whole needs no address. If it also has an initializer, it
//! is never read before it is written. A load from it only makes another name for its slots, if nothing is
//! stored there before the last use of what was loaded, and no loop begins in between.

use super::Read;
use super::body::{Body, Here};
use crate::spirv::syntax::{At, Input, Op};
use crate::spirv::types::Type;
use rspirv::spirv::{Op as Opcode, StorageClass, Word};

/// The most slots of such a variable. Of larger ones most uses take one part.
const MOST: u32 = 4;

/// Where an input is used.
#[derive(Clone, Copy, Default)]
pub(super) struct Whereabouts {
    /// Its slots in the frame of the entry point.
    frame: Option<At>,
    /// Is it, in memory?
    memory: bool,
}

impl Body<'_> {
    /// Puts a variable with this initial value into the frame; false if it needs an address.
    pub(super) fn in_frame(&mut self, at: &Here<'_>, init: At, count: u32) -> Read<bool> {
        let id = at.result();
        let ty = self.reader.types.get(at.ty());
        let function = matches!(ty, Some(Type::Pointer { class: StorageClass::Function, .. }));
        // A constant pointer would not find it in memory.
        if self.reader.constant_pointers || !function || count > MOST || self.last_use(id) > 0 {
            return Ok(false);
        }
        let to = self.slots(count);
        self.alias(at, to);
        self.current_variables().push(id);
        let value = at.id(1).and_then(|init| self.reader.known_value(init));
        match value.filter(|_| self.in_first_block()) {
            Some(value) => {
                self.module.initial.extend((to..).zip(value.iter().copied()));
                self.leave_out(at);
            }
            None => self.emit(at, Op::Copy { to, from: init, count }),
        }
        Ok(true)
    }

    /// Is the operand a variable in the frame?
    pub(super) fn names_variable(&mut self, at: &Here<'_>) -> bool {
        let id = at.id(0);
        id.is_some_and(|id| self.current_variables().contains(&id))
    }

    /// A load from a variable in the frame.
    pub(super) fn load_in_frame(&mut self, at: &Here<'_>, from: At, count: u32) -> Read<()> {
        let source = self.reader.source;
        let pointer = at.id(0);
        let until = self.last_use(at.result()) as usize;
        let stored =
            |at: usize| source.opcode(at) == Some(Opcode::Store) && source.id(at, 0) == pointer;
        if until < self.stretch() && !(at.number + 1..until).any(stored) {
            self.alias(at, from);
            self.leave_out(at);
            return Ok(());
        }
        let to = self.define(at)?;
        self.emit(at, Op::Copy { to, from, count });
        Ok(())
    }

    /// An input, which the entry point loads whole; is it in its frame?
    pub(super) fn input_in_frame(&mut self, at: &Here<'_>, count: u32) -> bool {
        let Some(id) = at.id(0) else { return false };
        let address = self.reader.address(id);
        let same = |(_, at): &(Input, u32)| Some(u64::from(*at)) == address;
        let Some(number) = self.reader.inputs.iter().position(same) else { return false };
        if self.reader.function != self.reader.entry || !self.needs_no_memory(number, id, count) {
            self.inputs[number].memory = true;
            return false;
        }
        let known = self.inputs[number].frame;
        let to = known.unwrap_or_else(|| self.slots(count));
        self.inputs[number].frame = Some(to);
        self.alias(at, to);
        self.leave_out(at);
        true
    }

    fn needs_no_memory(&self, number: usize, id: Word, count: u32) -> bool {
        let (input, _) = self.reader.inputs[number];
        let whole = input.components() == count as usize;
        whole && !self.reader.constant_pointers && self.last_use(id) == 0
    }

    /// Says where an invocation finds its inputs.
    pub(super) fn place_inputs(&mut self) {
        for ((input, at), whereabouts) in self.reader.inputs.iter().zip(&self.inputs) {
            match whereabouts {
                Whereabouts { frame: Some(_), memory: false } => {}
                _ => self.module.inputs.push((*input, *at)),
            }
            self.module.framed.extend(whereabouts.frame.map(|at| (*input, at)));
        }
    }
}
