//! Operations that are not needed, since those just before them can do what they do.

use super::body::{Body, Here};
use crate::spirv::syntax::{At, Op};
use std::ops::Range;

/// The slot that an operation computes of others, if it is one that does no more. None of these
/// computes a pointer, whose uses nobody notes.
fn computed(op: &mut Op) -> Option<&mut At> {
    match op {
        Op::Unary { to, .. }
        | Op::Binary { to, .. }
        | Op::Add { to, .. }
        | Op::Subtract { to, .. }
        | Op::Multiply { to, .. }
        | Op::Equal { to, .. }
        | Op::Less { to, .. }
        | Op::NotLess { to, .. }
        | Op::And { to, .. }
        | Op::Or { to, .. }
        | Op::LoadWord { to, .. } => Some(to),
        _ => None,
    }
}

/// Does such an operation read one of these slots?
fn reads(op: &Op, slots: &Range<At>) -> bool {
    match op {
        Op::Unary { a, .. } | Op::LoadWord { pointer: a, .. } => slots.contains(a),
        Op::Binary { a, b, .. }
        | Op::Add { a, b, .. }
        | Op::Subtract { a, b, .. }
        | Op::Multiply { a, b, .. }
        | Op::Equal { a, b, .. }
        | Op::Less { a, b, .. }
        | Op::NotLess { a, b, .. }
        | Op::And { a, b, .. }
        | Op::Or { a, b, .. } => slots.contains(a) || slots.contains(b),
        _ => true,
    }
}

impl Body<'_> {
    /// Copies slots. If those before were computed just now and nothing asks for them anymore, they are
    /// computed where they are wanted.
    pub(super) fn copy(&mut self, at: &Here<'_>, to: At, from: At, count: u32) {
        if self.made_just_now(at, from, count).is_some_and(|first| self.redirect(first, to)) {
            self.leave_out(at);
        } else {
            self.emit(at, Op::Copy { to, from, count });
        }
    }

    /// The first of the last operations, if these compute one of the slots each and nothing behind the
    /// instruction asks for them.
    fn made_just_now(&mut self, at: &Here<'_>, from: At, count: u32) -> Option<usize> {
        let first = self.module.code.len().checked_sub(count as usize)?;
        for (i, number) in (0..count).zip(first..) {
            let id = self.module.sites[number].result;
            // Where an operation writes for another id, that may be asked for later.
            let own = self.slot_of(id) == from && self.last_use(id) as usize <= at.number;
            let to = computed(&mut self.module.code[number])?;
            if !own || *to != from + i {
                return None;
            }
        }
        Some(first)
    }

    /// Lets the operations from this one on write to these slots, unless one reads what is written
    /// before it there.
    fn redirect(&mut self, first: usize, to: At) -> bool {
        let ops = &mut self.module.code[first..];
        if (to..).zip(&*ops).any(|(end, op)| reads(op, &(to..end))) {
            return false;
        }
        for (to, place) in (to..).zip(ops.iter_mut().filter_map(computed)) {
            *place = to;
        }
        true
    }

    /// The operation that comes next branches on this slot. If the one before it is the comparison, it
    /// becomes the one that does both at once.
    pub(super) fn branch_at_once(&mut self, condition: At) {
        let Some(last) = self.module.code.last_mut() else { return };
        match *last {
            Op::Equal { to, a, b } if to == condition => *last = Op::IfEqual { to, a, b },
            Op::Less { to, a, b } if to == condition => *last = Op::IfLess { to, a, b },
            Op::NotLess { to, a, b } if to == condition => *last = Op::IfNotLess { to, a, b },
            Op::AllEqual { to, a, b, count } if to == condition => {
                *last = Op::IfAllEqual { to, a, b, count };
            }
            _ => {}
        }
    }

    /// The operation that comes next goes to a word by this pointer. If the one before it reckons that of
    /// an element, it becomes the one that does both at once.
    pub(super) fn element_at_once(&mut self, pointer: At, both: fn(At, At, At, u32) -> Op) {
        if let Some(last) = self.module.code.last_mut()
            && let Op::RuntimeElement { to, base, index, stride } = *last
            && to == pointer
        {
            *last = both(to, base, index, stride);
        }
    }

    /// `OpAll` of the comparison just before, of which nothing else asks for the components: what it
    /// compares, and their number.
    pub(super) fn all_equal(&mut self, at: &Here<'_>, to: At, from: At, count: u32) -> Option<Op> {
        let first = self.made_just_now(at, from, count)?;
        let Op::Equal { a, b, .. } = *self.module.code.get(first)? else { return None };
        let equal = |(i, op): (u32, &Op)| match *op {
            Op::Equal { a: x, b: y, .. } => (x, y) == (a + i, b + i),
            _ => false,
        };
        if !(0..).zip(&self.module.code[first..]).all(equal) {
            return None;
        }
        self.module.code.truncate(first);
        self.module.sites.truncate(first);
        Some(Op::AllEqual { to, a, b, count })
    }
}
