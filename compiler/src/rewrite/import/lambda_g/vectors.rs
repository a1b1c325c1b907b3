//! Vectors: how an element is read, and what `parmap` makes.

use super::values::{Cells, Of, Rows, Val};
use super::{Enters, Importer};
use crate::rewrite::import::arrays::{Array, built};
use crate::rewrite::import::{Home, bounded};
use reference::axes::syntax::{Name, Term};
use reference::kit::nested::Nested;
use reference::kit::scalar::BinOp;
use std::rc::Rc;

/// The most elements of a vector that is written out, if it is read where a value says.
const MOST_WRITTEN: usize = 64;

/// Loops that compute the elements of a vector, one nest for each component; or a scalar, without loops.
enum Nest {
    /// Axes outermost first, which of them each dimension is, the element, and whether it is an int.
    Scalars(Vec<Name>, Vec<usize>, Term, bool),
    Pair(Box<[Nest; 2]>),
    Vector(u32, Box<Nest>),
}

impl<'p> Importer<'p> {
    /// `v ! i`, for an index that is inside.
    pub(super) fn element(&mut self, rows: &Rows<'p>, index: &Term) -> Enters<Val<'p>> {
        match &*rows.of {
            Of::Counted => Ok(Val::Int(index.clone())),
            Of::Elements(elements) => {
                let known = index.as_index().and_then(|index| index.constant());
                if let Some(k) = known.and_then(|k| usize::try_from(k).ok()) {
                    return Ok(elements[k].clone());
                }
                if elements.len() > MOST_WRITTEN {
                    return self.refuse(format!(
                        "a vector of more than {MOST_WRITTEN} elements is written out"
                    ));
                }
                let mut rest = elements.iter().enumerate().rev();
                let Some((_, last)) = rest.next() else { unreachable!("the index is inside") };
                let mut value = last.clone();
                for (nth, element) in rest {
                    let k = Term::constant(nth as i32);
                    let cond = self.terms.apply(BinOp::Eq, index.clone(), k);
                    value = self.chosen(&cond, element, &value)?;
                }
                Ok(value)
            }
            Of::Cells(cells) => {
                let at = [&rows.at[..], std::slice::from_ref(index)].concat();
                self.read(cells, &at)
            }
        }
    }

    fn read(&mut self, cells: &Cells, at: &[Term]) -> Enters<Val<'p>> {
        Ok(match cells {
            Cells::Int(array) => Val::Int(self.terms.read(array, at, self.at)?),
            Cells::Bool { array, given } => {
                let cell = self.terms.read(array, at, self.at)?;
                Val::Bool(if *given { self.truth(cell) } else { cell })
            }
            Cells::Pair(parts) => {
                let a = self.read(&parts[0], at)?;
                Val::pair(a, self.read(&parts[1], at)?)
            }
            Cells::Vector(length, of) => {
                let of = Rc::new(Of::Cells(Cells::clone(of)));
                Val::Vector(Rows { length: *length, of, at: at.to_vec() })
            }
        })
    }

    /// The first value where the condition holds, else the second.
    pub(super) fn chosen(&mut self, cond: &Term, a: &Val<'p>, b: &Val<'p>) -> Enters<Val<'p>> {
        let scalar = |a: &Term, b: &Term| match a == b {
            true => Ok(a.clone()),
            false => bounded(Term::branch(cond.clone(), a.clone(), b.clone()), self.at),
        };
        Ok(match (a, b) {
            (Val::Int(a), Val::Int(b)) => Val::Int(scalar(a, b)?),
            (Val::Bool(a), Val::Bool(b)) => Val::Bool(scalar(a, b)?),
            (Val::Pair(a), Val::Pair(b)) => {
                let first = self.chosen(cond, &a[0], &b[0])?;
                Val::pair(first, self.chosen(cond, &a[1], &b[1])?)
            }
            (Val::Vector(a), Val::Vector(b)) => {
                if a.length != b.length {
                    let why = "vectors of different lengths are chosen from by what is not known";
                    return self.refuse(why);
                }
                self.made("i", a.length, |to, at| {
                    let (a, b) = (to.element(a, at)?, to.element(b, at)?);
                    to.chosen(cond, &a, &b)
                })?
            }
            _ => return self.refuse("which function it is depends on what is not known"),
        })
    }

    /// `parmap f v`
    pub(super) fn mapped(&mut self, f: &Val<'p>, over: &Rows<'p>) -> Enters<Val<'p>> {
        let like = match f {
            Val::Fn(_, lambda) => self.program.names.written(lambda.param),
            Val::Fix(_, fix) => self.program.names.written(fix.lambda.param),
            _ => "i",
        };
        self.made(like, over.length, |to, at| {
            let element = to.element(over, at)?;
            to.apply(f, element)
        })
    }

    /// A vector of so many elements, each of which is evaluated in a round of a new axis.
    fn made(
        &mut self,
        like: &str,
        length: u32,
        eval: impl FnOnce(&mut Self, &Term) -> Enters<Val<'p>>,
    ) -> Enters<Val<'p>> {
        if length == 0 {
            return Ok(Val::elements(Vec::new()));
        }
        let axis = self.axis(like, length)?;
        let nest = self.inside(Some(&axis), |to| {
            let home = to.terms.home;
            let value = eval(to, &Term::at(&axis))?;
            to.nest(&value, home)
        })?;
        let of = Rc::new(Of::Cells(self.cells_of(nest, &axis)?));
        Ok(Val::Vector(Rows { length, of, at: Vec::new() }))
    }

    /// A value as loops. What the body at `home` made is not stored for this.
    fn nest(&mut self, value: &Val<'p>, home: Home) -> Enters<Nest> {
        Ok(match value {
            Val::Int(term) => Nest::Scalars(Vec::new(), Vec::new(), term.clone(), true),
            Val::Bool(term) => Nest::Scalars(Vec::new(), Vec::new(), term.clone(), false),
            Val::Pair(parts) => {
                let a = self.nest(&parts[0], home)?;
                Nest::Pair(Box::new([a, self.nest(&parts[1], home)?]))
            }
            Val::Vector(rows) => Nest::Vector(rows.length, Box::new(self.nest_of(rows, home)?)),
            _ => return self.refuse("a function is in a vector that is made, or in the result"),
        })
    }

    fn nest_of(&mut self, rows: &Rows<'p>, home: Home) -> Enters<Nest> {
        match &*rows.of {
            Of::Cells(cells) => self.nest_of_cells(cells, &rows.at, home),
            Of::Elements(elements) if elements.is_empty() => {
                self.refuse("a vector in another value is empty")
            }
            Of::Elements(_) | Of::Counted => {
                let axis = self.axis("i", rows.length)?;
                let nest = self.inside(Some(&axis), |to| {
                    let home = to.terms.home;
                    let element = to.element(rows, &Term::at(&axis))?;
                    to.nest(&element, home)
                })?;
                Ok(nest.within(&axis))
            }
        }
    }

    fn nest_of_cells(&mut self, cells: &Cells, at: &[Term], home: Home) -> Enters<Nest> {
        Ok(match cells {
            Cells::Int(array) => self.nest_of_array(array, at, home, true)?,
            Cells::Bool { array, given } => {
                let Nest::Scalars(axes, order, element, is_int) =
                    self.nest_of_array(array, at, home, false)?
                else {
                    unreachable!("an array is a nest of scalars")
                };
                let element = if *given { self.truth(element) } else { element };
                Nest::Scalars(axes, order, element, is_int)
            }
            Cells::Pair(parts) => {
                let a = self.nest_of_cells(&parts[0], at, home)?;
                Nest::Pair(Box::new([a, self.nest_of_cells(&parts[1], at, home)?]))
            }
            Cells::Vector(length, of) => {
                Nest::Vector(*length, Box::new(self.nest_of_cells(of, at, home)?))
            }
        })
    }

    fn nest_of_array(
        &mut self,
        array: &Array,
        at: &[Term],
        home: Home,
        is_int: bool,
    ) -> Enters<Nest> {
        if at.is_empty() {
            let (axes, order, element) = self.terms.nest(array, home, self.at)?;
            return Ok(Nest::Scalars(axes, order, element, is_int));
        }
        let axes = self.terms.fresh_axes(&array.sizes[at.len()..], self.at)?;
        let at: Vec<Term> = at.iter().cloned().chain(axes.iter().map(Term::at)).collect();
        let element = match array.sizes.contains(&0) {
            true => Term::constant(0),
            false => self.terms.read(array, &at, self.at)?,
        };
        let order = (0..axes.len()).collect();
        Ok(Nest::Scalars(axes, order, element, is_int))
    }

    /// Arrays of what is computed in each round of an axis.
    fn cells_of(&mut self, nest: Nest, axis: &Name) -> Enters<Cells> {
        Ok(match nest {
            Nest::Scalars(..) => {
                let Nest::Scalars(axes, order, element, is_int) = nest.within(axis) else {
                    unreachable!("it is a nest of scalars")
                };
                let array = self.terms.tensor(axes, order, element, self.at)?;
                if is_int { Cells::Int(array) } else { Cells::Bool { array, given: false } }
            }
            Nest::Pair(parts) => {
                let [a, b] = *parts;
                let a = self.cells_of(a, axis)?;
                Cells::Pair(Box::new([a, self.cells_of(b, axis)?]))
            }
            Nest::Vector(length, of) => Cells::Vector(length, Rc::new(self.cells_of(*of, axis)?)),
        })
    }

    /// The results of the program: one for each component.
    pub(super) fn outs(&mut self, value: &Val<'p>, ty: &Nested) -> Enters<Vec<Term>> {
        match (value, ty) {
            (Val::Pair(parts), Nested::Pair(types)) => {
                let a = self.outs(&parts[0], &types[0])?;
                Ok([a, self.outs(&parts[1], &types[1])?].concat())
            }
            (Val::Vector(rows), _) if rows.length == 0 => self.nothing(ty, &mut Vec::new()),
            _ => {
                let nest = self.nest(value, self.terms.home)?;
                let mut outs = Vec::new();
                self.written(nest, &mut outs);
                Ok(outs)
            }
        }
    }

    /// Arrays without elements.
    fn nothing(&mut self, ty: &Nested, axes: &mut Vec<Name>) -> Enters<Vec<Term>> {
        match ty {
            Nested::Int | Nested::Bool => {
                let sized = self.terms.sized(axes);
                Ok(vec![Term::out(built(&sized, Term::constant(0)), axes)])
            }
            Nested::Pair(parts) => {
                let a = self.nothing(&parts[0], &mut axes.clone())?;
                Ok([a, self.nothing(&parts[1], axes)?].concat())
            }
            Nested::Vector(of) => {
                axes.push(self.axis("i", 0)?);
                self.nothing(of, axes)
            }
            Nested::Function => unreachable!("functions are refused"),
        }
    }

    fn written(&self, nest: Nest, outs: &mut Vec<Term>) {
        match nest {
            Nest::Scalars(axes, order, element, _) => {
                let layout: Vec<Name> = order.iter().map(|nth| axes[*nth].clone()).collect();
                outs.push(Term::out(built(&self.terms.sized(&axes), element), &layout));
            }
            Nest::Pair(parts) => parts.into_iter().for_each(|part| self.written(part, outs)),
            Nest::Vector(_, of) => self.written(*of, outs),
        }
    }
}

impl Nest {
    /// It in each round of an axis.
    fn within(self, axis: &Name) -> Nest {
        match self {
            Nest::Scalars(axes, order, element, is_int) => {
                let axes = [axis].into_iter().chain(&axes).cloned().collect();
                let order = std::iter::once(0).chain(order.iter().map(|nth| nth + 1)).collect();
                Nest::Scalars(axes, order, element, is_int)
            }
            Nest::Pair(parts) => Nest::Pair(Box::new(parts.map(|part| part.within(axis)))),
            Nest::Vector(length, of) => Nest::Vector(length, Box::new(of.within(axis))),
        }
    }
}
