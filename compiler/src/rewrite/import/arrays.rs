//! Arrays: how an element is read, and when one is stored.

use super::terms::Terms;
use super::{Enters, Home, Importer, Value, bounded, out};
use reference::axes::apply::substituted;
use reference::axes::index::Index;
use reference::axes::syntax::{Head, Level, Name, Place, Term};
use reference::axes::total;
use reference::axes::types;
use reference::fun::syntax::{Atom, Dim};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// An array: its sizes, outermost first, and where its elements come from.
#[derive(Clone)]
pub(super) struct Array {
    pub(super) sizes: Vec<u32>,
    pub(super) view: View,
}

#[derive(Clone)]
pub(super) enum View {
    /// A parameter.
    Param(Name),
    /// Dimension `d` is axis `order[d]` of the tensor; it was made in the body `home`.
    Tensor { tensor: Rc<Tensor>, order: Vec<usize>, home: Home },
    /// Offset, from 0, and stride of each dimension.
    Slice { of: Rc<Array>, dims: Vec<(Term, Term)> },
    /// The other way round.
    Transposed(Rc<Array>),
}

/// What a nest of kernels makes.
pub(super) struct Tensor {
    /// Outermost first.
    axes: Vec<Name>,
    element: Term,
    /// What stands around the nest: axes, and conditions.
    around: Vec<Name>,
    given: Vec<(Term, bool)>,
    stored: OnceCell<Option<Stored>>,
}

/// An array in memory, whose first dimensions are axes around what makes it.
struct Stored {
    array: Term,
    around: Vec<Name>,
}

/// An element for all rounds of what stands around it.
pub(super) struct Hoisted {
    /// The axes around that it depends on.
    pub(super) around: Vec<Name>,
    /// Axes of its own for them.
    pub(super) own: Vec<Name>,
    pub(super) element: Term,
}

/// Axes of a nest, outermost first, which of them each dimension is, and its element.
type Nest = (Vec<Name>, Vec<usize>, Term);

impl Value {
    /// What was made in one body counts as made in another.
    pub(super) fn moved(&mut self, from: Home, to: Home) {
        if let Value::Array(Array { view: View::Tensor { home, .. }, .. }) = self
            && *home == from
        {
            *home = to;
        }
    }
}

impl Array {
    pub(super) fn transposed(&self) -> Array {
        let sizes = self.sizes.iter().rev().copied().collect();
        let view = match &self.view {
            View::Tensor { tensor, order, home } => View::Tensor {
                tensor: Rc::clone(tensor),
                order: order.iter().rev().copied().collect(),
                home: *home,
            },
            View::Transposed(of) => return Array::clone(of),
            View::Param(_) | View::Slice { .. } => View::Transposed(Rc::new(self.clone())),
        };
        Array { sizes, view }
    }
}

/// The tensor of a nest that is a launch of its own.
pub(super) fn built(axes: &[(Name, u32)], element: Term) -> Term {
    axes.iter().enumerate().rev().fold(element, |of, (nth, (axis, size))| {
        let level = if nth == 0 { Level::Grid } else { Level::Seq };
        Term::build(level, axis, *size, of)
    })
}

impl Terms {
    /// The array that a nest makes, in the body that is being imported.
    pub(super) fn tensor(
        &mut self,
        axes: Vec<Name>,
        order: Vec<usize>,
        element: Term,
        span: Span,
    ) -> Enters<Array> {
        let sizes: Vec<u32> = order.iter().map(|nth| self.size_of(&axes[*nth])).collect();
        self.fits(&sizes, span)?;
        let tensor = Rc::new(Tensor {
            axes,
            element,
            around: self.around.clone(),
            given: self.given.clone(),
            stored: OnceCell::new(),
        });
        Ok(Array { sizes, view: View::Tensor { tensor, order, home: self.home } })
    }

    pub(super) fn size_of(&self, axis: &Name) -> u32 {
        self.scope.size(axis).expect("an axis is declared when it is named")
    }

    pub(super) fn sized(&self, axes: &[Name]) -> Vec<(Name, u32)> {
        axes.iter().map(|axis| (axis.clone(), self.size_of(axis))).collect()
    }

    /// A result of the program.
    pub(super) fn out(&mut self, value: &Value, span: Span) -> Enters<Term> {
        match value {
            Value::Scalar(term) => Ok(Term::out(term.clone(), &[])),
            Value::Array(array) => {
                let (axes, order, element) = self.nest(array, self.home, span)?;
                let layout: Vec<Name> = order.iter().map(|nth| axes[*nth].clone()).collect();
                Ok(Term::out(built(&self.sized(&axes), element), &layout))
            }
            Value::Unsized => out(span, "the sizes of a result are not known numbers"),
        }
    }

    /// The array as a nest: its own, if the body at `home` made it, else one that copies.
    pub(super) fn nest(&mut self, array: &Array, home: Home, span: Span) -> Enters<Nest> {
        if let View::Tensor { tensor, order, home: made } = &array.view
            && *made == home
        {
            return Ok((tensor.axes.clone(), order.clone(), tensor.element.clone()));
        }
        let axes = self.fresh_axes(&array.sizes, span)?;
        let element = self.element(array, &axes, home, span)?;
        let order = (0..axes.len()).collect();
        Ok((axes, order, element))
    }

    /// New axes of these sizes.
    pub(super) fn fresh_axes(&mut self, sizes: &[u32], span: Span) -> Enters<Vec<Name>> {
        let mut axes = Vec::new();
        for (size, like) in sizes.iter().zip(["i", "j", "k", "l"].iter().cycle()) {
            let axis = self.naming.fresh(like);
            self.declare(&axis, *size, span)?;
            axes.push(axis);
        }
        Ok(axes)
    }

    /// The element at these axes, which are of the array's sizes. What the body at `home` made is not
    /// stored for this.
    pub(super) fn element(
        &mut self,
        array: &Array,
        axes: &[Name],
        home: Home,
        span: Span,
    ) -> Enters<Term> {
        if array.sizes.contains(&0) {
            // There is none, and no index is inside.
            return Ok(Term::constant(0));
        }
        let at: Vec<Term> = axes.iter().map(Term::at).collect();
        match &array.view {
            View::Tensor { tensor, order, home: made } if *made == home => {
                self.inlined(tensor, order, &at, span)
            }
            _ => self.read(array, &at, span),
        }
    }

    /// The element at these indices, which are inside.
    pub(super) fn read(&mut self, array: &Array, at: &[Term], span: Span) -> Enters<Term> {
        let term = match &array.view {
            View::Param(name) => {
                Term::get(Term::leaf(Head::Array(name.clone())), at.iter().cloned())
            }
            View::Slice { of, dims } => {
                let place = |((offset, stride), at): (&(Term, Term), &Term)| {
                    let step = self.apply(BinOp::Mul, stride.clone(), at.clone());
                    self.apply(BinOp::Add, offset.clone(), step)
                };
                let at: Vec<Term> = dims.iter().zip(at).map(place).collect();
                return self.read(of, &at, span);
            }
            View::Transposed(of) => {
                let at: Vec<Term> = at.iter().rev().cloned().collect();
                return self.read(of, &at, span);
            }
            View::Tensor { tensor, order, .. } => {
                if tensor.stored.get().is_none() {
                    let stored = self.stored(tensor, span)?;
                    tensor.stored.get_or_init(|| stored);
                }
                match tensor.stored.get() {
                    Some(Some(Stored { array, around })) => {
                        let mut own = at.to_vec();
                        order.iter().zip(at).for_each(|(nth, at)| own[*nth] = at.clone());
                        Term::get(array.clone(), around.iter().map(Term::at).chain(own))
                    }
                    _ => return self.inlined(tensor, order, at, span),
                }
            }
        };
        bounded(term, span)
    }

    /// The element of a tensor, computed where it is read.
    fn inlined(
        &mut self,
        tensor: &Tensor,
        order: &[usize],
        at: &[Term],
        span: Span,
    ) -> Enters<Term> {
        let mut element = tensor.element.clone();
        for (nth, at) in order.iter().zip(at) {
            let Some(at) = at.as_index() else {
                let reason = "an array that a round of a loop makes is read where a value says";
                return out(span, reason);
            };
            let next = substituted(&element, &tensor.axes[*nth], &at, &self.scope);
            element = next.map_or_else(|| out(span, "an index is too large"), Ok)?;
        }
        bounded(element, span)
    }

    /// The tensor in memory, before everything else.
    fn stored(&mut self, tensor: &Tensor, span: Span) -> Enters<Option<Stored>> {
        let Tensor { axes, element, around, given, .. } = tensor;
        let Some(hoisted) = self.hoisted((element, axes), around, given, span)? else {
            return Ok(None);
        };
        let Hoisted { around, mut own, element } = hoisted;
        own.extend(axes.iter().cloned());
        let array = Term::store(Place::Glob, built(&self.sized(&own), element), &own);
        let array = bounded(array, span)?;
        Ok(Some(Stored { array, around }))
    }

    /// The element of a tensor with these axes, for all rounds of the kernels and loops around that it depends on, and
    /// whatever the conditions around are. `None` if it depends on the state of a loop, or there would be too many.
    pub(super) fn hoisted(
        &mut self,
        (element, axes): (&Term, &[Name]),
        around: &[Name],
        given: &[(Term, bool)],
        span: Span,
    ) -> Enters<Option<Hoisted>> {
        let mut element = element.clone();
        if !total::is_total(&element, &self.scope) {
            // It is only computed under these conditions.
            for (cond, holds) in given.iter().rev() {
                let nothing = Term::constant(0);
                element = match holds {
                    true => Term::branch(cond.clone(), element, nothing),
                    false => Term::branch(cond.clone(), nothing, element),
                };
            }
        }
        let mut free: BTreeSet<Name> = types::free(&element);
        free.retain(|name| !self.scope.params.contains_key(name) && !axes.contains(name));
        let around: Vec<Name> =
            around.iter().filter(|axis| free.contains(*axis)).cloned().collect();
        if around.len() < free.len() || !total::is_total(&element, &self.scope) {
            return Ok(None);
        }
        let all = around.iter().chain(axes);
        let sizes: Vec<u32> = all.map(|axis| self.size_of(axis)).collect();
        if self.fits(&sizes, span).is_err() {
            return Ok(None);
        }
        let mut own = Vec::new();
        for axis in &around {
            let new = self.naming.fresh(axis.text());
            self.declare(&new, self.size_of(axis), span)?;
            let next = substituted(&element, axis, &Index::axis(&new), &self.scope);
            element = next.map_or_else(|| out(span, "an index is too large"), Ok)?;
            own.push(new);
        }
        Ok(Some(Hoisted { around, own, element }))
    }
}

impl Importer<'_> {
    /// `x[y, …]`
    pub(super) fn index(&mut self, x: Var, index: &[Atom], span: Span) -> Enters<Term> {
        let array = self.array(x, span)?;
        let mut at = Vec::new();
        for (nth, (atom, size)) in index.iter().zip(&array.sizes).enumerate() {
            let index = self.terms.counted_from_0(self.atom(*atom, span)?);
            let (least, largest) = self.terms.range(&index);
            if least < 0 || largest >= i64::from(*size) {
                let (nth, x) = (nth + 1, self.written(x));
                return out(
                    span,
                    format!("index {nth} of {x} is not shown to be from 1 to {size}"),
                );
            }
            at.push(index);
        }
        self.terms.read(&array, &at, span)
    }

    /// `x[offset : size : stride, …]`
    pub(super) fn slice(&mut self, x: Var, slice: &[Dim], span: Span) -> Enters<Array> {
        let array = self.array(x, span)?;
        let mut sizes = Vec::new();
        let mut dims = Vec::new();
        for (nth, (dim, extent)) in slice.iter().zip(&array.sizes).enumerate() {
            let size = self.size(dim.size, "the size of this slice", span)?;
            let offset = self.terms.counted_from_0(self.atom(dim.offset, span)?);
            let stride = self.atom(dim.stride, span)?;
            let extent = i64::from(*extent);
            // An empty slice may start one before or behind.
            let (ends, slack) = match size.checked_sub(1).map(i32::try_from) {
                None => (vec![self.terms.range(&offset)], 1),
                Some(Ok(rounds)) => {
                    let last = self.terms.apply(BinOp::Mul, stride.clone(), Term::constant(rounds));
                    let last = self.terms.apply(BinOp::Add, offset.clone(), last);
                    (vec![self.terms.range(&offset), self.terms.range(&last)], 0)
                }
                Some(Err(_)) => return out(span, "the size of this slice is too large"),
            };
            let inside =
                |(least, largest): &(i64, i64)| -slack <= *least && *largest < extent + slack;
            if !ends.iter().all(inside) {
                let (nth, x) = (nth + 1, self.written(x));
                let reason =
                    format!("dimension {nth} of this slice is not shown to be inside of {x}");
                return out(span, reason);
            }
            sizes.push(size);
            dims.push((offset, stride));
        }
        self.terms.fits(&sizes, span)?;
        Ok(Array { sizes, view: View::Slice { of: Rc::new(array), dims } })
    }
}
