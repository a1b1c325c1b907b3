//! What goes in and comes out: the arrays of a nested value, one for each component.

use super::values::{Cells, Of, Rows, Val};
use super::{Importer, import};
use crate::rewrite::import::Enters;
use crate::rewrite::import::arrays::{Array, View};
use reference::axes::syntax::{Head, Kind, Param, Term};
use reference::kit::nested::Nested;
use reference::kit::outcome::{Scalar, Value};
use reference::kit::scalar::BinOp;
use reference::lambda_g::syntax::Program as Source;
use reference::lambda_g::types::facts;
use std::rc::Rc;

/// The sizes of an input: how long vectors are, by the names of parameters, those of rows by `x.row`, of components by
/// `x.fst` and `x.snd`; and the ints for whose numbers alone the program enters.
pub fn sizes(program: &Source, input: &[Value]) -> Vec<(String, i32)> {
    let Ok(facts) = facts(program) else { return Vec::new() };
    let mut sizes = Vec::new();
    let mut ints = Vec::new();
    for ((param, ty), value) in program.params.iter().zip(&facts.params).zip(input) {
        let name = program.names.text(param.var);
        lengths(ty, name, std::slice::from_ref(value), (&mut sizes, &mut ints));
    }
    // Each is left out for which it enters as well.
    let mut needed = ints.clone();
    for (name, _) in &ints {
        let without = needed.iter().filter(|(other, _)| other != name).cloned().collect::<Vec<_>>();
        if import(program, &[&sizes[..], &without].concat()).is_ok() {
            needed = without;
        }
    }
    sizes.extend(needed);
    sizes
}

type Named = Vec<(String, i32)>;

/// Adds the lengths of vectors that are equally long, and numbers.
fn lengths(ty: &Nested, name: &str, values: &[Value], (sizes, ints): (&mut Named, &mut Named)) {
    match ty {
        Nested::Int => {
            if let [Value::Scalar(Scalar::I32(k))] = values {
                ints.push((name.to_owned(), *k));
            }
        }
        Nested::Bool | Nested::Function => {}
        Nested::Pair(parts) => {
            for (nth, (part, word)) in parts.iter().zip(["fst", "snd"]).enumerate() {
                let own = values.iter().filter_map(|value| component(value, nth));
                let own: Vec<Value> = own.collect();
                lengths(part, &format!("{name}.{word}"), &own, (sizes, ints));
            }
        }
        Nested::Vector(of) => {
            let rows: Vec<Vec<Value>> = values.iter().map(elements).collect();
            let length = rows.first().map_or(0, Vec::len);
            let Ok(k) = i32::try_from(length) else { return };
            if rows.iter().all(|row| row.len() == length) {
                sizes.push((name.to_owned(), k));
                // Its ints are no numbers that can be said.
                lengths(of, &format!("{name}.row"), &rows.concat(), (sizes, &mut Vec::new()));
            }
        }
    }
}

fn component(value: &Value, nth: usize) -> Option<Value> {
    match value {
        Value::Tuple(parts) => parts.get(nth).cloned(),
        _ => None,
    }
}

fn elements(value: &Value) -> Vec<Value> {
    match value {
        Value::Array { cells, .. } => cells.iter().map(Value::Scalar).collect(),
        Value::List(parts) => parts.clone(),
        _ => Vec::new(),
    }
}

/// Nested values as the arrays and ints of their components; `None` where vectors in a vector have other lengths, or a
/// function is among them.
pub fn flat(types: &[Nested], values: &[Value]) -> Option<Vec<Value>> {
    let mut arrays = Vec::new();
    for (ty, value) in types.iter().zip(values) {
        components(ty, vec![value.clone()], &mut Vec::new(), &mut arrays)?;
    }
    Some(arrays)
}

fn components(
    ty: &Nested,
    values: Vec<Value>,
    shape: &mut Vec<usize>,
    to: &mut Vec<Value>,
) -> Option<()> {
    match ty {
        Nested::Int | Nested::Bool => {
            let int = |value: &Value| match value {
                Value::Scalar(Scalar::I32(k)) => Some(*k),
                Value::Scalar(Scalar::Bool(truth)) => Some(i32::from(*truth)),
                _ => None,
            };
            let ints = values.iter().map(int).collect::<Option<Vec<i32>>>()?;
            to.push(match shape.is_empty() {
                true => Value::from(*ints.first()?),
                false => Value::ints(shape.clone(), ints),
            });
        }
        Nested::Pair(parts) => {
            for (nth, part) in parts.iter().enumerate() {
                let own = values.iter().map(|value| component(value, nth));
                components(part, own.collect::<Option<_>>()?, shape, to)?;
            }
        }
        Nested::Vector(of) => {
            let rows: Vec<Vec<Value>> = values.iter().map(elements).collect();
            let length = rows.first().map_or(0, Vec::len);
            if rows.iter().any(|row| row.len() != length) {
                return None;
            }
            shape.push(length);
            components(of, rows.concat(), shape, to)?;
            shape.pop();
        }
        Nested::Function => return None,
    }
    Some(())
}

/// The nested values of such arrays and ints; `None` if they are none.
pub fn nested(types: &[Nested], arrays: &[Value]) -> Option<Vec<Value>> {
    let mut rest = arrays;
    let values = types.iter().map(|ty| {
        let (own, others) = rest.split_at_checked(leaves(ty))?;
        rest = others;
        built(ty, own, 0, 0)
    });
    values.collect()
}

/// How many arrays the values of a type are.
fn leaves(ty: &Nested) -> usize {
    match ty {
        Nested::Int | Nested::Bool => 1,
        Nested::Pair(parts) => parts.iter().map(leaves).sum(),
        Nested::Vector(of) => leaves(of),
        Nested::Function => 0,
    }
}

/// The value below so many dimensions, by its place among all those.
fn built(ty: &Nested, arrays: &[Value], depth: usize, at: usize) -> Option<Value> {
    match ty {
        Nested::Int | Nested::Bool => {
            let k = match arrays.first()? {
                Value::Scalar(scalar) => *scalar,
                Value::Array { cells, .. } => cells.iter().nth(at)?,
                _ => return None,
            };
            let Scalar::I32(k) = k else { return None };
            Some(if *ty == Nested::Bool { Value::from(k != 0) } else { Value::from(k) })
        }
        Nested::Pair(parts) => {
            let (first, second) = arrays.split_at_checked(leaves(&parts[0]))?;
            let both = [built(&parts[0], first, depth, at)?, built(&parts[1], second, depth, at)?];
            Some(Value::Tuple(both.into()))
        }
        Nested::Vector(of) => {
            let Value::Array { shape, .. } = arrays.first()? else { return None };
            let length = *shape.get(depth)?;
            let rows = (0..length).map(|k| built(of, arrays, depth + 1, at * length + k));
            Some(of.vector(rows.collect::<Option<Vec<Value>>>()?))
        }
        Nested::Function => None,
    }
}

impl<'p> Importer<'p> {
    /// A parameter: what the term has for it, and its value. It is called so, and its sizes so.
    pub(super) fn param(
        &mut self,
        ty: &Nested,
        (name, sized): (&str, &str),
        sizes: &[(String, i32)],
        made: &mut Vec<Param>,
    ) -> Enters<Val<'p>> {
        let said = sizes.iter().find(|(of, _)| of == sized).map(|(_, k)| *k);
        match ty {
            Nested::Int | Nested::Bool => {
                let kind = Kind::Int(said.filter(|_| *ty == Nested::Int));
                let own = self.named(name);
                self.terms.scope.params.insert(own.clone(), kind.clone());
                made.push(Param { name: own.clone(), kind: kind.clone() });
                let leaf = Term::leaf(Head::Scalar(own));
                Ok(match kind {
                    Kind::Int(Some(k)) => Val::Int(Term::constant(k)),
                    _ if *ty == Nested::Bool => Val::Bool(self.truth(leaf)),
                    _ => Val::Int(leaf),
                })
            }
            Nested::Pair(parts) => {
                let part = |nth: usize| format!("{sized}.{}", ["fst", "snd"][nth]);
                let a = self.param(&parts[0], (name, &part(0)), sizes, made)?;
                Ok(Val::pair(a, self.param(&parts[1], (name, &part(1)), sizes, made)?))
            }
            Nested::Vector(of) => {
                let length = self.length(sized, sizes)?;
                let row = format!("{sized}.row");
                let cells = self.cells(of, (name, &row), vec![length], sizes, made)?;
                Ok(Val::Vector(Rows { length, of: Rc::new(Of::Cells(cells)), at: Vec::new() }))
            }
            Nested::Function => self.refuse("a parameter is a function"),
        }
    }

    fn length(&self, sized: &str, sizes: &[(String, i32)]) -> Enters<u32> {
        let said = sizes.iter().find(|(of, _)| of == sized);
        match (said.map(|(_, k)| u32::try_from(*k)), sized.strip_suffix(".row")) {
            (Some(Ok(length)), _) => Ok(length),
            (Some(Err(_)), _) => self.refuse(format!("the length of {sized} is negative")),
            (None, Some(of)) => self.refuse(format!("the rows of {of} are not equally long")),
            (None, None) => self.refuse(format!("no size is given for {sized}")),
        }
    }

    fn cells(
        &mut self,
        element: &Nested,
        (name, sized): (&str, &str),
        shape: Vec<u32>,
        sizes: &[(String, i32)],
        made: &mut Vec<Param>,
    ) -> Enters<Cells> {
        match element {
            Nested::Int | Nested::Bool => {
                self.terms.fits(&shape, self.at)?;
                let own = self.named(name);
                let kind = Kind::Array(shape.clone());
                self.terms.scope.params.insert(own.clone(), kind.clone());
                made.push(Param { name: own.clone(), kind });
                let array = Array { sizes: shape, view: View::Param(own) };
                let is_int = *element == Nested::Int;
                Ok(if is_int { Cells::Int(array) } else { Cells::Bool { array, given: true } })
            }
            Nested::Pair(parts) => {
                let sized = ["fst", "snd"].map(|word| format!("{sized}.{word}"));
                let a = self.cells(&parts[0], (name, &sized[0]), shape.clone(), sizes, made)?;
                let b = self.cells(&parts[1], (name, &sized[1]), shape, sizes, made)?;
                Ok(Cells::Pair(Box::new([a, b])))
            }
            Nested::Vector(of) => {
                let length = self.length(sized, sizes)?;
                let shape = [shape, vec![length]].concat();
                let cells = self.cells(of, (name, &format!("{sized}.row")), shape, sizes, made)?;
                Ok(Cells::Vector(length, Rc::new(cells)))
            }
            Nested::Function => self.refuse("a parameter is a function"),
        }
    }

    /// 1 where it is not 0.
    pub(super) fn truth(&self, term: Term) -> Term {
        self.terms.apply(BinOp::Ne, term, Term::constant(0))
    }
}
