//! Orders of `interleave` that go through tiles.

use super::nest::{Nest, divisor};
use super::values::Val;
use super::{Enters, Importer};
use crate::radix;
use reference::axes::index::{Atom, Index};
use reference::axes::syntax::{Name, Term};

/// The most loops that an order goes through.
const MOST_LOOPS: usize = 12;

impl<'p> Importer<'p> {
    /// The nest of these loops in which the element goes to `target`: an index that is, with loops in parts where it
    /// divides them, the place in an array with the loops as its dimensions. So each place is there once.
    pub(super) fn by_tiles(
        &mut self,
        target: Term,
        loops: Vec<Name>,
        element: Val<'p>,
        length: u32,
    ) -> Enters<Nest<'p>> {
        let (mut target, mut loops) = (target, loops);
        let Some(mut terms) = element.scalars() else {
            unreachable!("T-INTERLEAVE: elements are base values")
        };
        while loops.len() < MOST_LOOPS {
            let found = loops.iter().find_map(|axis| {
                let divisor = divisor(&target, axis, self.terms.size_of(axis))?;
                Some((axis.clone(), divisor))
            });
            let Some((axis, divisor)) = found else { break };
            let (parts, by) = self.halves(&axis, divisor)?;
            target = self.replaced(&target, &axis, &by)?;
            for term in &mut terms {
                *term = self.replaced(term, &axis, &by)?;
            }
            let at = loops.iter().position(|of| *of == axis).unwrap_or_default();
            loops.splice(at..=at, parts);
        }
        let Some(dims) = target.as_index().and_then(|target| self.dimensions(&target, &loops))
        else {
            return self.refuse("the order of `interleave` is not shown to go through tiles");
        };
        let element = element.with(&mut terms.into_iter());
        let mut dims = dims.into_iter().rev();
        let mut axis = dims.next().expect("there is a loop of chunks");
        let mut merges = Vec::new();
        for outer in dims {
            let whole = self.named("i");
            let size = self.product(self.terms.size_of(&outer), self.terms.size_of(&axis))?;
            self.terms.declare(&whole, size, self.at)?;
            merges.push([whole.clone(), outer, axis]);
            axis = whole;
        }
        merges.reverse();
        Ok(Nest { length, axis, loops, merges, element })
    }

    /// The loops as dimensions, outermost first, of an array in which the index is the place; a loop of one round is
    /// anywhere.
    fn dimensions(&self, place: &Index, loops: &[Name]) -> Option<Vec<Name>> {
        let digit = |axis: &Name| {
            let found =
                place.parts().find(|(atom, _)| matches!(atom, Atom::Axis(of) if of == axis));
            (found.map_or(0, |(_, factor)| factor), i64::from(self.terms.size_of(axis)))
        };
        if place.offset() != 0 || place.parts().any(|(atom, _)| !matches!(atom, Atom::Axis(_))) {
            return None;
        }
        let digits: Vec<(i64, i64)> = loops.iter().map(digit).collect();
        let dims = radix::dimensions(&digits)?;
        Some(dims.into_iter().rev().map(|at| loops[at].clone()).collect())
    }
}
