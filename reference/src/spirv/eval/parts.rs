//! Buffers of modules that have numbers of less than 32 bits there: a word of such a buffer has several cells.

use super::Running;
use super::exec::{nowhere, undefined};
use super::memory::{Outcome, misplaced};
use crate::kit::groups::Access;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::NONE;
use crate::spirv::types::Leaf;
use crate::spirv::values::{Slot, byte_of_word};
use std::ops::Range;

/// The number of a buffer and the byte in it that a pointer names.
fn place(pointer: Slot) -> (usize, usize) {
    let byte = (pointer.bits >> 62) as usize;
    ((pointer.bits << 2 >> 34) as usize, pointer.bits as u32 as usize * 4 + byte)
}

impl Running<'_> {
    /// `OpAccessChain`: an element of an array in a buffer, as [`Running::element`] states it.
    pub(super) fn byte_element(
        &mut self,
        base: Slot,
        index: Slot,
        (count, stride): (u32, u32),
        at: usize,
    ) -> Outcome<Slot> {
        if base.is_undefined() {
            return Ok(base);
        }
        let (buffer, first) = place(base);
        let (count, premise) = match count {
            NONE => {
                let bound = self.bound.get(buffer);
                let bytes = bound.map_or(0, |bound| 4 * self.buffers[bound.buffer].words.len());
                ((bytes.saturating_sub(first) as u64) / u64::from(stride), "length")
            }
            count => (u64::from(count), "bounds"),
        };
        if (index.origin > 0 || index.bits >= count) && !self.element(index, count, premise, at)? {
            return Ok(nowhere(base, at));
        }
        let byte = first as u64 + index.bits * u64::from(stride);
        let word = (byte / 4).min(u32::MAX.into());
        let bits = (buffer as u64) << 32 | word | byte_of_word((byte % 4) as u32);
        Ok(Slot { bits, ..base })
    }

    /// The bytes of a scalar behind a pointer, if they lie in the buffer, or else the words of that.
    fn part(&self, pointer: Slot, leaf: &Leaf) -> Result<(usize, Range<usize>), usize> {
        let (buffer, first) = place(pointer);
        let first = first + 4 * leaf.word as usize + usize::from(leaf.byte);
        let end = first + usize::from(leaf.bytes);
        let bound = self.bound.get(buffer);
        let words = bound.map_or(0, |bound| self.buffers[bound.buffer].words.len());
        if end <= 4 * words { Ok((buffer, first..end)) } else { Err(words) }
    }

    /// `OpLoad`, as [`Running::read_word`] states it, byte by byte.
    pub(super) fn load_parts(
        &mut self,
        pointer: Slot,
        to: &mut [Slot],
        layout: u32,
        at: usize,
    ) -> Outcome<()> {
        let module = self.module;
        for leaf in &module.layouts[layout as usize] {
            let (buffer, bytes) = match self.part(pointer, leaf) {
                Ok(part) => part,
                Err(words) => {
                    to[leaf.slot as usize] = self.misread(pointer, words, at)?;
                    continue;
                }
            };
            let words = &self.buffers[self.bound[buffer].buffer].words;
            let byte = |byte: usize| u64::from(words[byte / 4].to_le_bytes()[byte % 4]);
            let bits = bytes.clone().rev().fold(0, |bits, at| bits << 8 | byte(at));
            let origin = if self.open.is_empty() { 0 } else { self.opened(buffer, bytes.start) };
            to[leaf.slot as usize] = Slot { bits, origin };
            self.access_bytes(Access::Read, buffer, bytes, at);
        }
        Ok(())
    }

    /// `OpStore`, as [`Running::write_word`] states it, byte by byte.
    pub(super) fn store_parts(
        &mut self,
        pointer: Slot,
        from: &[Slot],
        layout: u32,
        at: usize,
    ) -> Outcome<()> {
        let module = self.module;
        for leaf in &module.layouts[layout as usize] {
            let value = from[leaf.slot as usize];
            if value.is_undefined() {
                return Err(undefined(Rule::Store, "value", value, at));
            }
            let (buffer, bytes) = self
                .part(pointer, leaf)
                .map_err(|words| misplaced(Rule::Store, pointer, words, at))?;
            let words = &mut self.buffers[self.bound[buffer].buffer].words;
            for (byte, bits) in bytes.clone().zip(value.bits.to_le_bytes()) {
                let shift = byte % 4 * 8;
                let word = &mut words[byte / 4];
                *word = *word & !(0xff << shift) | u32::from(bits) << shift;
            }
            if value.origin > 0 || !self.open.is_empty() {
                self.reopen(buffer, bytes.start, value.origin);
            }
            self.access_bytes(Access::Write, buffer, bytes, at);
        }
        Ok(())
    }

    /// A component of a vector was stored, of so many of so many bytes: all others are written with what they hold.
    pub(super) fn rewrite_parts(
        &mut self,
        vector: Slot,
        stored: Slot,
        (count, bytes): (u32, u32),
        at: usize,
    ) {
        let ((buffer, first), (_, own)) = (place(vector), place(stored));
        let Some(bound) = self.bound.get(buffer) else { return };
        let end = 4 * self.buffers[bound.buffer].words.len();
        let bytes = bytes as usize;
        for component in 0..self.touched(count) as usize {
            let start = first + component * bytes;
            if start != own && start + bytes <= end {
                self.access_bytes(Access::Write, buffer, start..start + bytes, at);
            }
        }
    }

    /// An access of the cells in which these bytes lie.
    pub(super) fn access_bytes(
        &mut self,
        access: Access,
        buffer: usize,
        bytes: Range<usize>,
        at: usize,
    ) {
        if !self.bound[buffer].written {
            return;
        }
        let cells = self.module.cells as usize;
        for cell in bytes.start * cells / 4..bytes.end * cells / 4 {
            self.shadowed(access, buffer, cell, at);
        }
    }
}
