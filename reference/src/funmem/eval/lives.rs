//! Which array of a heap run is overwritten while it lives: it is read, and an element of it stands no more where it
//! was put.
//!
//! Each cell has a stamp: when it was written last, by which statement, and of which array the element is. An array
//! keeps when it was made. An update in place makes a newer version of the same array, and what it writes is an
//! element of that version only. So an element is there if its cell was not written since the array began to
//! be made, or was written as one of its own, not by a later version.
//!
//! A copy of elements to where they stand is no write.

use crate::funmem::print;
use crate::funmem::syntax::{Body, Exp, FunMem, MemExp, Program};
use crate::funmem::values::{Array, Made};
use crate::kit::heap::Label;
use crate::kit::names::{Names, Var};
use crate::kit::text::Span;
use rustc_hash::FxHashMap;
use std::fmt;

/// A living array that was overwritten: the first that was read thereafter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overwritten {
    /// The name by which it was read.
    pub array: String,
    /// The statement that overwrote it, without the bodies in it.
    pub by: String,
    /// Where that stands.
    pub span: Span,
}

impl fmt::Display for Overwritten {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` is overwritten while it lives, by `{}`", self.array, self.by)
    }
}

/// Of a cell.
#[derive(Clone, Copy, Debug, Default)]
struct Stamp {
    /// When it was written last; 0: not at all.
    time: u32,
    /// When the array began to be made of which the element is.
    began: u32,
    /// What wrote it.
    by: Span,
}

impl Stamp {
    fn is_of(self, made: Made) -> bool {
        self.time <= made.began || self.began == made.began && self.time <= made.there
    }
}

/// What is remembered of a run.
#[derive(Debug, Default)]
pub(super) struct Lives {
    /// Is anything?
    watches: bool,
    clock: u32,
    /// By label, then by cell; those of a block that was not written may be missing.
    cells: Vec<Vec<Stamp>>,
    /// Bytes that more stamps may take.
    left: u64,
    /// When the newest version was made of what was updated in place, by when that began.
    newest: FxHashMap<u32, u32>,
    /// The name by which an array was read, and what had overwritten it.
    found: Option<(Var, Span)>,
}

impl Lives {
    /// Of a run that has not begun; stamps take at most `limit` bytes.
    pub(super) fn watching(limit: u64) -> Self {
        Self { watches: true, left: limit, ..Self::default() }
    }

    /// An array begins to be made.
    pub(super) fn begins(&mut self) -> Made {
        self.clock = self.clock.saturating_add(1);
        Made { began: self.clock, there: 0 }
    }

    /// The array, or a new version of it, is there.
    pub(super) fn is_there(&self, made: Made) -> Made {
        Made { there: self.clock, ..made }
    }

    /// How much is made for a block of this length when it is written, in cells of 32 bits.
    pub(super) fn makes(&self, length: usize) -> u64 {
        let stamp = if self.watches { size_of::<Stamp>() / size_of::<i32>() } else { 0 };
        length as u64 * stamp as u64
    }

    /// The block is fresh.
    pub(super) fn allocated(&mut self, label: Label) {
        if let Some(cells) = self.cells.get_mut(label.number()) {
            self.left += (size_of::<Stamp>() * cells.len()) as u64;
            *cells = Vec::new();
        }
    }

    /// A cell of a block of this length is written, as an element of an array.
    #[inline]
    pub(super) fn writes(&mut self, label: Label, length: usize, made: Made, k: usize, by: Span) {
        if self.watches && self.makes_room(label, length) {
            self.clock = self.clock.saturating_add(1);
            let (time, began) = (self.clock, made.began);
            self.cells[label.number()][k] = Stamp { time, began, by };
        }
    }

    /// The same of all cells of an array.
    pub(super) fn writes_all(&mut self, array: &Array, length: usize, by: Span) {
        self.each(array, length, |_| true, by);
    }

    /// Elements are copied to where they stand. Those that are younger than the array become its own.
    pub(super) fn keeps_all(&mut self, array: &Array, length: usize, by: Span) {
        self.each(array, length, |stamp| stamp.time > array.made.began, by);
    }

    fn each(
        &mut self,
        array: &Array,
        length: usize,
        is_written: impl Fn(&Stamp) -> bool,
        by: Span,
    ) {
        if !self.watches || !self.makes_room(array.label, length) {
            return;
        }
        self.clock = self.clock.saturating_add(1);
        let stamp = Stamp { time: self.clock, began: array.made.began, by };
        let cells = &mut self.cells[array.label.number()];
        array.lmad.rows(|row| {
            for k in row.places() {
                if is_written(&cells[k]) {
                    cells[k] = stamp;
                }
            }
        });
    }

    /// Makes stamps for a block of this length; where there is no room for them, nothing is remembered any more.
    fn makes_room(&mut self, label: Label, length: usize) -> bool {
        let number = label.number();
        if self.cells.len() <= number {
            self.cells.resize_with(number + 1, Vec::new);
        }
        let cells = &mut self.cells[number];
        if cells.len() < length {
            let bytes = (size_of::<Stamp>() * (length - cells.len())) as u64;
            if bytes > self.left {
                *self = Self { found: self.found, ..Self::default() };
                return false;
            }
            self.left -= bytes;
            cells.resize(length, Stamp::default());
        }
        true
    }

    /// A cell is read as an element of an array.
    #[inline]
    pub(super) fn reads(&mut self, name: Var, label: Label, made: Made, k: usize) {
        if self.watches
            && let Some(cells) = self.cells.get(label.number())
            && let Some(stamp) = cells.get(k)
            && !stamp.is_of(made)
        {
            self.finds(name, stamp.by);
        }
    }

    /// All elements of an array are read.
    pub(super) fn reads_all(&mut self, name: Var, array: &Array) {
        let Some(cells) = self.cells.get(array.label.number()) else { return };
        if !self.watches || cells.is_empty() {
            return;
        }
        let mut found = None;
        array.lmad.rows(|row| {
            if found.is_none() {
                let stamps = row.places().filter_map(|k| cells.get(k));
                found = stamps.into_iter().find(|stamp| !stamp.is_of(array.made)).copied();
            }
        });
        if let Some(stamp) = found {
            self.finds(name, stamp.by);
        }
    }

    /// Is there a newer version of an array that is to be updated in place? Then [all of it is read](Self::reads_all):
    /// the newer one wrote to it.
    pub(super) fn is_outdated(&self, array: &Array) -> bool {
        let newest = self.newest.get(&array.made.began).copied();
        self.watches && newest.is_some_and(|newest| newest > array.made.there)
    }

    /// It is updated: there is a new version.
    pub(super) fn updated(&mut self, made: Made) {
        if self.watches {
            self.newest.insert(made.began, made.there);
        }
    }

    /// The first is what is told.
    #[cold]
    fn finds(&mut self, name: Var, by: Span) {
        *self = Self { found: Some((name, by)), ..Self::default() };
    }

    /// What was found in a run of the program.
    pub(super) fn overwritten(&self, program: &Program<FunMem>) -> Option<Overwritten> {
        let (name, span) = self.found?;
        let array = program.names.written(name).to_owned();
        let by = writer(&program.body, &program.names.as_written(), span).unwrap_or_default();
        Some(Overwritten { array, by, span })
    }
}

/// Do two arrays have each element at the same place?
pub(super) fn stay(source: &Array, target: &Array) -> bool {
    source.label == target.label && source.lmad.same(&target.lmad)
}

/// The text of the first statement here that writes elements.
fn writer(body: &Body<FunMem>, names: &Names, span: Span) -> Option<String> {
    body.stms.iter().find_map(|stm| {
        let inner = || stm.exp.bodies().into_iter().find_map(|body| writer(body, names, span));
        let writes = match &stm.exp {
            Exp::Kernel { .. } | Exp::Update { .. } => true,
            Exp::Extra(extra) => matches!(extra, MemExp::Copy(_)),
            _ => false,
        };
        let here = (writes && stm.span == span).then(|| print::statement(names, stm));
        here.or_else(inner)
    })
}
