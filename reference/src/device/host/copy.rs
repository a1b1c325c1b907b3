//! `D-COPY`: which elements a copy copies, whether all of them are there, and whether they race.

use super::machine::Dim;
use super::run::Run;
use crate::device::rules::Rule;
use crate::device::scalar::clamp;
use crate::device::syntax::{Copy, Strided};
use crate::kit::derivation::RACEFREE;
use crate::kit::outcome::{Cause, Race, Side, Site, Why, cells};
use crate::kit::row::{Step, each_beyond};
use crate::kit::run::Eval;
use crate::kit::scalar::gcd;
use crate::kit::text::Span;
use std::collections::HashMap;

/// Most dimensions that a machine copies at once.
const MOST_DIMS: usize = 3;

/// Bytes that it takes to remember the accesses of a word.
const BYTES: u64 = 64;

/// A side of a copy, with exact numbers.
struct Answer {
    span: Span,
    /// Its address, in words.
    base: u32,
    /// Elements of the block.
    length: u32,
    offset: i128,
    strides: Vec<i128>,
}

impl Answer {
    /// The lowest index, from 0, whose element lies outside the block, and the offset of that.
    fn lowest_outside(&self, sizes: &[i128]) -> Option<(Vec<i128>, i128)> {
        let steps: Vec<(i128, i128)> =
            sizes.iter().copied().zip(self.strides.iter().copied()).collect();
        let length = i128::from(self.length);
        let fits = |at: i128, steps: &[(i128, i128)]| {
            let (low, high) = reach(at, steps);
            0 <= low && high < length
        };
        if fits(self.offset, &steps) {
            return None;
        }
        let (mut at, mut index) = (self.offset, Vec::new());
        for (dim, (_, stride)) in steps.iter().enumerate() {
            let inner = &steps[dim + 1..];
            let mut step = 0;
            if fits(at, inner) {
                // All that is inside moves by the stride, until one end of it is outside.
                let (low, high) = reach(at, inner);
                step = match *stride > 0 {
                    true => (length - high - 1) / stride + 1,
                    false => 1 - low / stride,
                };
            }
            at = at.saturating_add(stride.saturating_mul(step));
            index.push(step);
        }
        Some((index, at))
    }
}

/// The lowest and the highest offset from `at` on, by so many steps of so many elements each.
fn reach(at: i128, steps: &[(i128, i128)]) -> (i128, i128) {
    let way = |(size, stride): &(i128, i128)| (size - 1).saturating_mul(*stride);
    let of = |towards: fn(i128) -> i128| {
        let ways = steps.iter().map(|step| towards(way(step)));
        at.saturating_add(ways.fold(0, i128::saturating_add))
    };
    (of(|way| way.min(0)), of(|way| way.max(0)))
}

/// A copy of words, all of which are there.
struct Words {
    /// Outermost first; none has the size 1.
    dims: Vec<Dim>,
    from: u32,
    to: u32,
}

impl Words {
    /// The words of elements of so many words; dimensions of which one goes on where the other ends
    /// are one.
    fn of(element: u32, sizes: &[i128], from: &Answer, to: &Answer) -> Self {
        let words = i128::from(element);
        let address = |side: &Answer| side.base.wrapping_add((side.offset * words) as u32);
        let of_elements = sizes.iter().zip(&from.strides).zip(&to.strides);
        let of_elements = of_elements.map(|((size, from), to)| (*size, *from, *to));
        let mut dims: Vec<Dim> = Vec::new();
        let of_words = of_elements.filter(|(size, ..)| *size > 1).map(|(size, from, to)| {
            // Between two elements that are there lies less than the arena is long.
            Dim { size: size as u64, from: (from * words) as i64, to: (to * words) as i64 }
        });
        let inside = (element > 1).then_some(Dim { size: words as u64, from: 1, to: 1 });
        for dim in of_words.chain(inside) {
            let size = dim.size as i64;
            match dims.last_mut() {
                Some(outer) if (outer.from, outer.to) == (dim.from * size, dim.to * size) => {
                    *outer = Dim { size: outer.size * dim.size, ..dim };
                }
                _ => dims.push(dim),
            }
        }
        Self { dims, from: address(from), to: address(to) }
    }

    /// All words in the order of their indices: from where to where.
    fn each(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..Dim::words(&self.dims))
            .map(|number| Dim::moved(&self.dims, number, (self.from, self.to)))
    }

    /// Is it clear without a look at each word that no word is written twice, or written and read for
    /// another one?
    fn is_apart(&self) -> bool {
        self.keep_apart() && self.are_written_once()
    }

    /// Where words are read, is surely none written but for the same one.
    fn keep_apart(&self) -> bool {
        let end = |at: u32, stride: fn(&Dim) -> i64| {
            let way = |dim: &Dim| (dim.size as i64 - 1) * stride(dim);
            let of = |towards: fn(i64) -> i64| {
                self.dims.iter().map(|dim| towards(way(dim))).sum::<i64>() + i64::from(at)
            };
            (of(|way| way.min(0)), of(|way| way.max(0)))
        };
        let (read, written) = (end(self.from, |dim| dim.from), end(self.to, |dim| dim.to));
        let stays = self.from == self.to && self.dims.iter().all(|dim| dim.from == dim.to);
        if stays || written.1 < read.0 || read.1 < written.0 {
            return true;
        }
        // All that is read leaves one remainder, and what is written another.
        let strides = self.dims.iter().flat_map(|dim| [dim.from, dim.to]);
        let common = strides.map(i64::unsigned_abs).fold(0, gcd);
        u64::from(self.from.abs_diff(self.to)) % common.max(1) != 0
    }

    /// Each stride leads beyond all that the shorter ones reach.
    fn are_written_once(&self) -> bool {
        let step = |dim: &Dim| Step { count: dim.size as i64, stride: dim.to };
        let mut steps: Vec<Step> = self.dims.iter().map(step).collect();
        steps.sort_by_key(|step| step.stride.unsigned_abs());
        each_beyond(steps.into_iter())
    }
}

/// The element for which a word was accessed: 1 more than its number, 0 for none.
#[derive(Default)]
struct Accessed {
    /// The first that read it.
    read: u64,
    /// The last that wrote it.
    written: u64,
}

impl Run<'_> {
    /// `D-COPY`
    ///
    /// ```text
    /// I = {1, …, n₁} × … × {1, …, nᵣ}      0 ≤ nₖ, unless I is empty by the sizes before it  (size)
    /// a(i) = o + ∑ (iₖ - 1) · sₖ    a'(i) = p + ∑ (iₖ - 1) · tₖ    all exact
    /// b[a(i)] and c[a'(i)] lie inside their blocks for all i ∈ I               (inside)
    /// c[a'(i)] is neither c[a'(j)] nor b[a(j)] for any other j                 (racefree)
    /// M' = M with c[a'(i)] = M(b[a(i)]) for all i ∈ I
    /// ──────────────────────────────────────────────────────────────────────────
    /// M; E ⊢ copy (n₁, …) from b.[o] strides (s₁, …) to c.[p] strides (t₁, …) ⇓ M'; E
    /// ```
    ///
    /// What both sides and the sizes are is found first, in this order. What gets stuck does so in the lowest
    /// i, which reads before it writes, and is not looked at for races. `racefree` records a race and goes on,
    /// in the order of the indices.
    pub(super) fn copy(&mut self, span: Span, copy: &Copy) -> Eval {
        let (element, from) = self.side(span, &copy.from)?;
        let (_, to) = self.side(span, &copy.to)?;
        let sizes = copy.sizes.iter().map(|size| self.exact(span, &size.exp));
        let sizes = sizes.collect::<Eval<Vec<i128>>>()?;
        for (dim, (size, of)) in sizes.iter().zip(&copy.sizes).enumerate() {
            let site = Site { span: of.span, cause: Cause::NegativeSize };
            self.require_at(Rule::Copy, site, || vec![1; dim], &[clamp(*size)])?;
            if *size == 0 {
                return Ok(());
            }
        }
        self.inside(&sizes, &from, &to)?;
        let count = sizes.iter().copied().fold(1, i128::saturating_mul);
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        self.charge(cells(count))?;
        // An arena has no room for more, so that some race, which takes memory to find.
        if u32::try_from(count).is_err() {
            return Err(Why::Memory(count.saturating_mul(BYTES)).into());
        }
        let words = Words::of(element, &sizes, &from, &to);
        if words.is_apart() {
            return self.moved(&words.dims, (words.from, words.to));
        }
        let raced = self.races(span, element, &sizes, &words)?;
        if !raced && element == 1 {
            return self.moved(&words.dims, (words.from, words.to));
        }
        // Where there are several words in an element, one may be read where another is written.
        for (from, to) in words.each().step_by(element as usize) {
            self.machine.go_on()?;
            self.machine.copy(from, to, element)?;
        }
        Ok(())
    }

    /// Words of an element, and a side with exact numbers.
    fn side(&mut self, span: Span, strided: &Strided) -> Eval<(u32, Answer)> {
        let (element, base, length) = self.of_block(span, &strided.block)?;
        let offset = self.exact(span, &strided.offset)?;
        let strides = strided.strides.iter().map(|stride| self.exact(span, stride));
        let strides = strides.collect::<Eval<_>>()?;
        Ok((element.words(), Answer { span: strided.span, base, length, offset, strides }))
    }

    /// The premise `inside`; there are elements.
    fn inside(&mut self, sizes: &[i128], from: &Answer, to: &Answer) -> Eval {
        let read = from.lowest_outside(sizes).map(|lowest| (lowest, from));
        let written = to.lowest_outside(sizes).map(|lowest| (lowest, to));
        let lowest = match (read, written) {
            (Some(read), Some(written)) if written.0.0 < read.0.0 => Some(written),
            (read, written) => read.or(written),
        };
        let Some(((index, at), side)) = lowest else { return Ok(()) };
        let site = Site { span: side.span, cause: Cause::OutsideBlock };
        let thread = || index.iter().map(|k| from_one(*k)).collect();
        self.require_at(Rule::Copy, site, thread, &[clamp(at), side.length.into()])
    }

    /// Copies words whose accesses do not conflict, those in a row at once.
    fn moved(&mut self, dims: &[Dim], (from, to): (u32, u32)) -> Eval {
        match dims {
            [] => self.machine.copy(from, to, 1)?,
            [Dim { size, from: 1, to: 1 }] => self.machine.copy(from, to, *size as u32)?,
            [outer, inner @ ..] if dims.len() > MOST_DIMS => {
                for number in 0..outer.size {
                    self.machine.go_on()?;
                    let first = Dim::moved(std::slice::from_ref(outer), number, (from, to));
                    self.moved(inner, first)?;
                }
            }
            _ => self.machine.copy_strided(dims, from, to)?,
        }
        Ok(())
    }

    /// Looks at each word, and says which race, if any do.
    fn races(&mut self, span: Span, element: u32, sizes: &[i128], words: &Words) -> Eval<bool> {
        let bytes = Dim::words(&words.dims).saturating_mul(BYTES);
        if bytes > self.budget.memory {
            return Err(Why::Memory(bytes).into());
        }
        let mut accessed: HashMap<u32, Accessed> = HashMap::new();
        for (number, (from, to)) in (0_u64..).zip(words.each()) {
            self.machine.go_on()?;
            let me = number / u64::from(element) + 1;
            let source = accessed.entry(from).or_default();
            let mut clash = [(source.written, true), (0, false)];
            let mut raced = (from, false);
            if source.read == 0 {
                source.read = me;
            }
            let target = accessed.entry(to).or_default();
            if clash[0].0 == 0 || clash[0].0 == me {
                clash = [(target.written, true), (target.read, false)];
                raced = (to, true);
            }
            target.written = me;
            let clash = clash.into_iter().find(|(other, _)| *other != 0 && *other != me);
            let Some((other, other_wrote)) = clash else { continue };
            self.machine.fail(Rule::Copy, RACEFREE);
            let (block, offset) = self.named(raced.0, element);
            self.meter.saw(|| Race {
                span,
                first: Side {
                    thread: thread(sizes, other - 1),
                    wrote: other_wrote,
                    span: Some(span),
                },
                second: Side { thread: thread(sizes, me - 1), wrote: raced.1, span: Some(span) },
                block,
                offset,
            });
            return Ok(true);
        }
        Ok(false)
    }

    /// The block around a word, and which of its elements of so many words that belongs to.
    fn named(&self, word: u32, element: u32) -> (String, u64) {
        match self.blocks.range(..=word).next_back() {
            Some((base, block)) => {
                let name = self.program.names.written(block.var).to_owned();
                (name, ((word - base) / element).into())
            }
            None => (format!("word {word}"), 0),
        }
    }
}

/// The index from 1 that is `index` from 0, if it is an i32.
fn from_one(index: i128) -> i32 {
    i32::try_from(index.saturating_add(1)).unwrap_or(i32::MAX)
}

/// The indices, from 1, of the element with this number.
fn thread(sizes: &[i128], number: u64) -> Vec<i32> {
    let mut left = i128::from(number);
    let mut index: Vec<i32> = Vec::with_capacity(sizes.len());
    for size in sizes.iter().rev() {
        index.push(from_one(left % size));
        left /= size;
    }
    index.reverse();
    index
}
