//! Memory of an invocation, of its group, and buffers, with the shadow memory that finds races.

use super::exec::{fail, undefined};
use super::relaxed::Word;
use super::{Failure, Running};
use crate::kit::faults::WrongJudge;
use crate::kit::groups::{Access, Conflict, Who};
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{Atomic, AtomicKind, Space};
use crate::spirv::values::{Cell, Clash, MAX_FINDINGS, Slot};
use std::ops::Range;

pub(super) type Outcome<T> = Result<T, Box<Failure>>;

/// The number of a buffer and the word that a pointer names.
#[inline]
fn address(pointer: Slot, word: u32) -> (usize, usize) {
    ((pointer.bits >> 32) as usize, (pointer.bits as u32 as usize) + word as usize)
}

#[cold]
fn outside(rule: Rule, at: usize, word: usize, words: usize) -> Box<Failure> {
    let text = format!("word {word} of memory of {words}");
    fail(rule, "inside", at, text, 0)
}

/// The slots that a pointer names in memory of slots, unless some lie beyond it.
#[inline]
pub(super) fn place_of(pointer: Slot, count: u32, memory: &[Slot]) -> Option<Range<usize>> {
    let place = pointer.bits as usize;
    let end = place + count as usize;
    (!pointer.is_undefined() && end <= memory.len()).then_some(place..end)
}

#[cold]
pub(super) fn misplaced(rule: Rule, pointer: Slot, slots: usize, at: usize) -> Box<Failure> {
    let failure = outside(rule, at, pointer.bits as usize, slots);
    Box::new(Failure { origin: pointer.origin, ..*failure })
}

impl Running<'_> {
    pub(super) fn who(&self, group: bool) -> Who {
        let epoch = self.epochs[usize::from(group)];
        if self.wrong(WrongJudge::BarrierOrdersGroups) {
            return Who { invocation: self.invocation, group: 0, size: u32::MAX, epoch };
        }
        Who { invocation: self.invocation, group: self.first, size: self.size, epoch }
    }

    /// A write outside of memory.
    #[cold]
    fn miswritten(&self, pointer: Slot, slots: usize, at: usize) -> Outcome<()> {
        match self.wrong(WrongJudge::WritesDropped) {
            true => Ok(()),
            false => Err(misplaced(Rule::Store, pointer, slots, at)),
        }
    }

    /// The earlier accesses of the cell.
    #[cold]
    fn conflict(&mut self, conflict: Conflict, cell: Cell, wrote: bool, at: usize) {
        if self.findings.len() >= MAX_FINDINGS {
            return;
        }
        let access = |wrote: bool| if wrote { "wrote" } else { "read" };
        let same = conflict.other.wrapping_sub(self.first) < self.size;
        let parted = match (same, cell) {
            (true, Cell::Buffer(..)) => "no barrier of buffers parts them",
            (true, Cell::Group(_)) => "no barrier of the group's memory parts them",
            (false, _) => "no barrier parts work groups",
        };
        let text = format!(
            "invocation {} {} {cell}, which invocation {} {}: {parted}",
            self.invocation,
            if wrote { "writes" } else { "reads" },
            conflict.other,
            access(conflict.other_wrote),
        );
        let Conflict { other, other_wrote } = conflict;
        let before = self.traced(cell, other, other_wrote);
        let other_place = before.map(|(at, _)| self.place(at as usize));
        let equal = wrote && other_wrote && before.is_some_and(|(_, held)| held == self.held(cell));
        self.race(at, text, Clash { cell, wrote, other, other_wrote, other_place, equal });
    }

    /// The operation by which an invocation accessed a cell last, and what the cell held behind that.
    fn traced(&self, cell: Cell, invocation: u32, wrote: bool) -> Option<(u32, u64)> {
        self.trace.as_ref()?.get(&(cell, invocation, wrote)).copied()
    }

    /// What a cell holds.
    fn held(&self, cell: Cell) -> u64 {
        match cell {
            Cell::Group(slot) => self.group[slot as usize].bits,
            Cell::Buffer(set, binding, word) => {
                let place = (set, binding);
                let held = self.buffers.iter().find(|buffer| (buffer.set, buffer.binding) == place);
                held.map_or(0, |buffer| buffer.words[word as usize].into())
            }
        }
    }

    /// An access of a buffer; one that is never written has no races.
    #[inline(always)]
    fn access_buffer(&mut self, access: Access, buffer: usize, word: usize, at: usize) {
        if self.bound[buffer].written {
            self.shadowed(access, buffer, word, at);
        }
    }

    /// An access of the cell of a buffer with this number.
    pub(super) fn shadowed(&mut self, access: Access, buffer: usize, number: usize, at: usize) {
        if self.is_unseen(access) {
            return;
        }
        let who = self.who(false);
        let conflict = self.shadows[self.bound[buffer].buffer].access(access, number, who);
        if conflict.is_some() || self.trace.is_some() {
            let bound = self.module.bound[buffer];
            let word = number as u32 / self.module.cells;
            let cell = Cell::Buffer(bound.set, bound.binding, word);
            self.accessed(access, cell, conflict, at);
        }
    }

    #[inline]
    fn access_group(&mut self, access: Access, slot: usize, at: usize) {
        if self.is_unseen(access) {
            return;
        }
        let who = self.who(true);
        let conflict = self.group_shadow.access(access, slot, who);
        if conflict.is_some() || self.trace.is_some() {
            self.accessed(access, Cell::Group(slot as u32), conflict, at);
        }
    }

    #[cold]
    fn accessed(&mut self, access: Access, cell: Cell, conflict: Option<Conflict>, at: usize) {
        let wrote = matches!(access, Access::Write | Access::AtomicWrite);
        if let Some(conflict) = conflict {
            self.conflict(conflict, cell, wrote, at);
        }
        if self.trace.is_some() && self.traces.is_none_or(|cells| cells.contains(&cell)) {
            let held = self.held(cell);
            if let Some(trace) = &mut self.trace {
                trace.insert((cell, self.invocation, wrote), (at as u32, held));
            }
        }
    }

    /// Do so many words stand in a buffer behind the pointer, and behind them an element of so many more?
    #[inline]
    pub(super) fn has_words(&self, base: Slot, words: u64, stride: u32) -> bool {
        let (buffer, word) = address(base, 0);
        let all = self.bound.get(buffer).map_or(0, |bound| self.buffers[bound.buffer].words.len());
        words.saturating_add(u64::from(stride)) <= all.saturating_sub(word) as u64
    }

    /// Elements of an array that ends with its buffer, so many words behind the pointer.
    pub(super) fn elements(&self, base: Slot, offset: u32, stride: u32) -> u32 {
        let (buffer, word) = address(base, offset);
        let words =
            self.bound.get(buffer).map_or(0, |bound| self.buffers[bound.buffer].words.len());
        (words.saturating_sub(word) / stride as usize) as u32
    }

    /// `OpLoad`, of a word of a buffer
    ///
    /// ```text
    /// the word lies in the buffer  (inside)
    /// ─────────────────────────────────────
    /// its bits, which are defined
    /// ```
    #[inline]
    pub(super) fn read_word(&mut self, pointer: Slot, word: u32, at: usize) -> Outcome<Slot> {
        let (buffer, word) = address(pointer, word);
        let words = &self.buffers[self.bound[buffer].buffer].words;
        let Some(&value) = words.get(word) else {
            return self.misread(pointer, words.len(), at);
        };
        self.access_buffer(Access::Read, buffer, word, at);
        let origin = if self.open.is_empty() { 0 } else { self.opened(buffer, 4 * word) };
        Ok(Slot { bits: value.into(), origin })
    }

    /// Since where what begins at a byte of a buffer is open.
    #[cold]
    pub(super) fn opened(&self, buffer: usize, byte: usize) -> u32 {
        let key = (self.bound[buffer].buffer, byte);
        self.open.get(&key).copied().unwrap_or(0)
    }

    /// What begins at a byte of a buffer has this origin now.
    #[cold]
    pub(super) fn reopen(&mut self, buffer: usize, byte: usize, origin: u32) {
        let key = (self.bound[buffer].buffer, byte);
        match origin {
            _ if self.wrong(WrongJudge::ExactInMemory) => None,
            0 => self.open.remove(&key),
            origin => self.open.insert(key, origin),
        };
    }

    /// `OpStore`, of a word of a buffer
    ///
    /// ```text
    /// the value is defined  (defined)      the word lies in the buffer  (inside)
    /// ──────────────────────────────────────────────────────────────────────────
    /// the word holds the value
    /// ```
    #[inline]
    pub(super) fn write_word(
        &mut self,
        pointer: Slot,
        word: u32,
        value: Slot,
        at: usize,
    ) -> Outcome<()> {
        if value.is_undefined() {
            return Err(undefined(Rule::Store, "value", value, at));
        }
        let (buffer, word) = address(pointer, word);
        let words = &mut self.buffers[self.bound[buffer].buffer].words;
        match words.get_mut(word) {
            Some(entry) => *entry = value.bits as u32,
            None => {
                let slots = words.len();
                return self.miswritten(pointer, slots, at);
            }
        }
        if value.origin > 0 || !self.open.is_empty() {
            self.reopen(buffer, 4 * word, value.origin);
        }
        self.access_buffer(Access::Write, buffer, word, at);
        Ok(())
    }

    pub(super) fn load_laid(
        &mut self,
        pointer: Slot,
        to: &mut [Slot],
        layout: u32,
        at: usize,
    ) -> Outcome<()> {
        for leaf in &self.module.layouts[layout as usize] {
            let mut value = self.read_word(pointer, leaf.word, at)?;
            if leaf.wide {
                let high = self.read_word(pointer, leaf.word + 1, at)?;
                value.bits |= high.bits << 32;
                value.origin = value.origin.max(high.origin);
            }
            to[leaf.slot as usize] = value;
        }
        Ok(())
    }

    pub(super) fn store_laid(
        &mut self,
        pointer: Slot,
        from: &[Slot],
        layout: u32,
        at: usize,
    ) -> Outcome<()> {
        for leaf in &self.module.layouts[layout as usize] {
            let value = from[leaf.slot as usize];
            self.write_word(pointer, leaf.word, value, at)?;
            if leaf.wide {
                let high = Slot { bits: value.bits >> 32, ..value };
                self.write_word(pointer, leaf.word + 1, high, at)?;
            }
        }
        Ok(())
    }

    pub(super) fn load_group(&mut self, pointer: Slot, to: &mut [Slot], at: usize) -> Outcome<()> {
        let Some(Range { start: place, .. }) = place_of(pointer, to.len() as u32, self.group)
        else {
            to.fill(self.misread(pointer, self.group.len(), at)?);
            return Ok(());
        };
        for (i, to) in to.iter_mut().enumerate() {
            *to = self.group[place + i];
            if to.origin == u32::MAX {
                *to = self.unwritten(at)?;
            }
            self.access_group(Access::Read, place + i, at);
        }
        Ok(())
    }

    pub(super) fn store_group(&mut self, pointer: Slot, from: &[Slot], at: usize) -> Outcome<()> {
        let Some(Range { start: place, .. }) = place_of(pointer, from.len() as u32, self.group)
        else {
            return self.miswritten(pointer, self.group.len(), at);
        };
        for (i, value) in from.iter().enumerate() {
            if value.is_undefined() {
                return Err(undefined(Rule::Store, "value", *value, at));
            }
            self.group[place + i] = *value;
            self.access_group(Access::Write, place + i, at);
        }
        Ok(())
    }

    /// The same of a vector in a buffer.
    pub(super) fn rewrite_buffer(&mut self, vector: Slot, stored: Slot, count: u32, at: usize) {
        for word in 0..self.touched(count) {
            let (buffer, place) = address(vector, word);
            let inside = self.buffers[self.bound[buffer].buffer].words.len() > place;
            if inside && address(stored, 0).1 != place {
                self.access_buffer(Access::Write, buffer, place, at);
            }
        }
    }

    /// A component of a vector was stored: all others are written with what they hold.
    pub(super) fn rewrite_group(&mut self, vector: Slot, stored: Slot, count: u32, at: usize) {
        let own = place_of(stored, 1, self.group).map(|place| place.start);
        let count = self.touched(count);
        for place in place_of(vector, count, self.group).into_iter().flatten() {
            if Some(place) != own {
                self.access_group(Access::Write, place, at);
            }
        }
    }

    /// `OpAtomicIAdd` and the others
    ///
    /// ```text
    /// operands and memory are defined  (defined)      the word lies in its memory  (inside)
    /// ─────────────────────────────────────────────────────────────────────────────────────
    /// the old value; the word holds the new one
    /// ```
    pub(super) fn atomic(
        &mut self,
        atomic: &Atomic,
        pointer: Slot,
        value: Slot,
        comparator: Slot,
        at: usize,
    ) -> Outcome<Slot> {
        for operand in [pointer, value, comparator] {
            if operand.origin > 0 {
                self.hangs(Rule::Atomic, "operand", operand, at)?;
            }
        }
        self.atomics += 1;
        self.behind_atomic();
        self.last_atomic = at;
        let update = |old: u64| match atomic.kind {
            AtomicKind::Load => old,
            AtomicKind::Store => value.bits,
            AtomicKind::Update(f) => f(old, value.bits),
            AtomicKind::CompareExchange if old == comparator.bits => value.bits,
            AtomicKind::CompareExchange => old,
        };
        let access = match atomic.kind {
            AtomicKind::Load => Access::AtomicRead,
            _ => Access::AtomicWrite,
        };
        if atomic.space == Space::Group {
            let place = pointer.bits as usize;
            let Some(&held) = self.group.get(place) else {
                return Err(outside(Rule::Atomic, at, place, 0));
            };
            let old = match atomic.kind {
                AtomicKind::Store => held,
                _ if held.origin == u32::MAX => self.unwritten(at)?,
                _ if held.is_undefined() => {
                    return Err(undefined(Rule::Atomic, "memory", held, at));
                }
                _ => held,
            };
            let bits = update(old.bits);
            self.group[place] = Slot { bits, origin: kept(old, bits, value) };
            self.changed += u64::from(bits != old.bits);
            self.access_group(access, place, at);
            let (word, new) = (Word::Group(self.first, place), self.group[place]);
            return Ok(self.relaxed(atomic, word, (old, new), at));
        }
        let (buffer, word) = address(pointer, 0);
        let words = &mut self.buffers[self.bound[buffer].buffer].words;
        let last = word + usize::from(atomic.wide);
        if last >= words.len() {
            return Err(outside(Rule::Atomic, at, last, words.len()));
        }
        let high = |word: u32| u64::from(word) << 32;
        let old = u64::from(words[word]) | if atomic.wide { high(words[last]) } else { 0 };
        let new = update(old);
        words[word] = new as u32;
        self.changed += u64::from(new != old);
        let origin = if self.open.is_empty() { 0 } else { self.opened(buffer, 4 * word) };
        let old = Slot { bits: old, origin };
        if origin > 0 || value.origin > 0 {
            self.reopen(buffer, 4 * word, kept(old, new, value));
        }
        self.access_bytes(access, buffer, 4 * word..4 * word + 4, at);
        if atomic.wide {
            self.buffers[self.bound[buffer].buffer].words[last] = (new >> 32) as u32;
            self.access_bytes(access, buffer, 4 * last..4 * last + 4, at);
        }
        let origin = if self.open.is_empty() { 0 } else { self.opened(buffer, 4 * word) };
        let word = Word::Buffer(self.bound[buffer].buffer, word);
        Ok(self.relaxed(atomic, word, (old, Slot { bits: new, origin }), at))
    }
}

/// The origin of what an atomic operation leaves: that of the old value where it leaves that, else that of both.
fn kept(old: Slot, new: u64, value: Slot) -> u32 {
    match new == old.bits {
        true => old.origin,
        false if new == value.bits => value.origin,
        false => old.origin.max(value.origin),
    }
}
