//! What is forced: arrays in memory, results, and loops whose number of rounds is known.

use super::nest::Nest;
use super::values::{Cells, Of, Pull, Val};
use super::{Enters, Importer};
use crate::rewrite::import::arrays::{Hoisted, built};
use crate::rewrite::import::bounded;
use reference::axes::apply::substituted;
use reference::axes::index::Index;
use reference::axes::syntax::{Head, Name, Place, Term};
use reference::axes::types;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An axis of which another one counts through two.
pub(super) type Merge = [Name; 3];

/// An array of scalars that was forced.
pub(super) struct Forced {
    /// The axis of its elements.
    pub(super) axis: Name,
    /// The loops that compute them, outermost first.
    pub(super) loops: Vec<Name>,
    /// How the axis counts through the loops, from the axis on.
    pub(super) merges: Vec<Merge>,
    pub(super) element: Term,
    /// What stood around it: axes, and conditions.
    around: Vec<Name>,
    given: Vec<(Term, bool)>,
    stored: OnceCell<Option<Stored>>,
    single: bool,
}

impl Forced {
    /// Is it of one element?
    pub(super) fn is_single(&self) -> bool {
        self.single
    }
}

/// An array in memory, whose first dimensions are axes around what makes it.
struct Stored {
    array: Term,
    around: Vec<Name>,
}

/// A tensor in which an axis counts through others.
pub(super) fn merged(of: Term, merges: &[Merge]) -> Term {
    let merge = |of, [axis, outer, inner]: &Merge| Term::merge(axis, outer, inner, of);
    merges.iter().rev().fold(of, merge)
}

impl<'p> Importer<'p> {
    /// `force v`
    pub(super) fn force(&mut self, array: &Val<'p>) -> Enters<Val<'p>> {
        if let Val::Push(of, level) = array
            && let Of::Cells(_) = of.of
        {
            self.respects(*level)?;
            return Ok(Val::Pull(Rc::clone(of)));
        }
        let nest = self.nest(array)?;
        let length = nest.length;
        let element = nest.element.clone();
        let cells = self.cells_of(&element, &nest)?;
        Ok(Val::Pull(Rc::new(Pull::cells(length, cells))))
    }

    fn cells_of(&self, of: &Val<'p>, nest: &Nest<'p>) -> Enters<Cells> {
        match of {
            Val::Scalar(element) => Ok(Cells::Forced(Rc::new(Forced {
                axis: nest.axis.clone(),
                loops: nest.loops.clone(),
                merges: nest.merges.clone(),
                element: element.clone(),
                around: self.terms.around.clone(),
                given: self.terms.given.clone(),
                stored: OnceCell::new(),
                single: nest.length == 1,
            }))),
            Val::Pair(parts) => {
                let first = self.cells_of(&parts[0], nest)?;
                Ok(Cells::Pair(Box::new([first, self.cells_of(&parts[1], nest)?])))
            }
            _ => unreachable!("T-FORCE: elements are base values"),
        }
    }

    /// The results of the program: one for each component of its elements.
    pub(super) fn results(&mut self, result: Val<'p>, count: usize) -> Enters<Vec<Term>> {
        let Nest { axis, loops, merges, element, length } = self.nest(&result)?;
        let mut elements = element.scalars().expect("T-MAIN: elements are base values");
        if length == 0 {
            elements.resize(count, Term::constant(0));
        }
        let loops = self.terms.sized(&loops);
        let outs = elements.into_iter().map(|element| {
            let of = merged(built(&loops, element), &merges);
            Term::out(of, std::slice::from_ref(&axis))
        });
        Ok(outs.collect())
    }

    /// The element of an array that was forced. One that is known is that, and the one of a single array is computed where it
    /// is read, unless that is in a loop in which it was not forced.
    pub(super) fn read(&mut self, array: &Forced, at: &Term) -> Enters<Term> {
        if let Head::Const(_) = array.element.head {
            return Ok(array.element.clone());
        }
        let rounds = |axis: &&Name| self.terms.size_of(axis) > 1;
        let loops = |around: &[Name]| around.iter().filter(rounds).cloned().collect::<Vec<_>>();
        if array.is_single() && loops(&array.around) == loops(&self.terms.around) {
            return bounded(self.inlined(array, at)?, self.at);
        }
        if array.stored.get().is_none() {
            let stored = self.stored(array)?;
            array.stored.get_or_init(|| stored);
        }
        let term = match array.stored.get() {
            Some(Some(Stored { array, around })) => {
                let around = around.iter().map(Term::at);
                Term::get(array.clone(), around.chain([at.clone()]))
            }
            _ => self.inlined(array, at)?,
        };
        bounded(term, self.at)
    }

    /// The array in memory, before everything else. `None` if it depends on the state of a loop.
    fn stored(&mut self, of: &Forced) -> Enters<Option<Stored>> {
        let Forced { axis, loops, merges, element, around, given, .. } = of;
        let hoisted = self.terms.hoisted((element, loops), around, given, self.at)?;
        let Some(Hoisted { around, own, element }) = hoisted else { return Ok(None) };
        let nest: Vec<Name> = own.iter().chain(loops).cloned().collect();
        let layout: Vec<Name> = own.into_iter().chain([axis.clone()]).collect();
        let tensor = merged(built(&self.terms.sized(&nest), element), merges);
        let array = bounded(Term::store(Place::Glob, tensor, &layout), self.at)?;
        Ok(Some(Stored { array, around }))
    }

    /// The element of an array, computed where it is read.
    fn inlined(&self, array: &Forced, at: &Term) -> Enters<Term> {
        let Some(at) = at.as_index() else {
            return self.refuse("an array that a round of a loop makes is read where a value says");
        };
        let mut places = BTreeMap::from([(array.axis.clone(), at)]);
        for [axis, outer, inner] in &array.merges {
            let parts = places[axis].divided(self.terms.size_of(inner), &self.terms.scope.sizes);
            let Some((whole, rest)) = parts else { return self.refuse("an index is too large") };
            places.extend([(outer.clone(), whole), (inner.clone(), rest)]);
        }
        let mut element = array.element.clone();
        for axis in &array.loops {
            let next = substituted(&element, axis, &places[axis], &self.terms.scope);
            element = next.map_or_else(|| self.refuse("an index is too large"), Ok)?;
        }
        Ok(element)
    }

    /// The array of a value that was forced.
    pub(super) fn forced(&mut self, array: &Val<'p>) -> Enters<Rc<Pull<'p>>> {
        match self.force(array)? {
            Val::Pull(array) => Ok(array),
            _ => unreachable!("E-FORCE-DONE gives an array"),
        }
    }

    /// An array in memory of one element, which is computed here.
    pub(super) fn single(&mut self, element: &Val<'p>) -> Enters<Rc<Pull<'p>>> {
        let axis = self.named("i");
        self.terms.declare(&axis, 1, self.at)?;
        let (loops, merges, element) = (vec![axis.clone()], Vec::new(), element.clone());
        let nest = Nest { length: 1, axis, loops, merges, element };
        let cells = self.cells_of(&nest.element, &nest)?;
        Ok(Rc::new(Pull::cells(1, cells)))
    }

    /// The number that a scalar is, if it is known.
    pub(super) fn constant(&self, term: &Term) -> Option<i32> {
        match term.head {
            Head::Const(k) => Some(k),
            _ => {
                let (least, largest) = self.terms.range(term);
                i32::try_from(least).ok().filter(|_| least == largest)
            }
        }
    }

    /// Can what evaluates force an array of this level?
    pub(super) fn respects(&self, level: u32) -> Enters {
        match self.level == level {
            true => Ok(()),
            false => self.refuse(format!(
                "an array of level {level} is forced at level {}, which is stuck",
                self.level
            )),
        }
    }

    /// `term[axis := by]`
    pub(super) fn replaced(&self, term: &Term, axis: &Name, by: &Index) -> Enters<Term> {
        if !types::free(term).contains(axis) {
            return Ok(term.clone());
        }
        let next = substituted(term, axis, by, &self.terms.scope);
        next.map_or_else(|| self.refuse("an index is too large"), Ok)
    }
}
