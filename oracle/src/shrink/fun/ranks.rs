//! Arrays with a dimension less: of one dimension only the first index is left, wherever the array
//! goes.

use super::super::Shrinking;
use super::dialect::Shrinks;
use super::walk;
use reference::fun::syntax::{Atom, Binding, Body, Dim, Exp, Program, Se, Stm};
use reference::kit::names::Var;
use reference::kit::outcome::{Cells, Value};
use std::collections::HashMap;

impl<D: Shrinks> Shrinking<'_, Program<D>> {
    /// Fixes dimensions of arrays, one after the other.
    pub(super) fn reduce_ranks(&mut self) {
        let mut tried = 0;
        loop {
            let arrays = arrays(&self.program);
            let Some(&(array, dim)) = arrays.get(tried) else { break };
            if !self.fix(array, dim) {
                tried += 1;
            }
        }
    }

    fn fix(&mut self, array: Var, dim: usize) -> bool {
        let Some(fixed) = Fixed::of(&self.program, array, dim) else { return false };
        let (mut program, mut input) = (self.program.clone(), self.input.clone());
        let taking = program.params.iter().filter(|param| D::takes_input(&param.ty));
        for (param, value) in taking.zip(&mut input) {
            if let Some(&dim) = fixed.dims.get(&param.var) {
                match first(value, dim) {
                    Some(row) => *value = row,
                    None => return false,
                }
            }
        }
        fixed.bindings(program.params.iter_mut());
        let mut with = HashMap::new();
        fixed.body(&mut program.body, &mut with);
        walk::substitute(&mut program, &with);
        self.attempt(program, input)
    }
}

/// The arrays of a program, each with the number of each of its dimensions, inner ones first.
fn arrays<D: Shrinks>(program: &Program<D>) -> Vec<(Var, usize)> {
    fn of<'b, D: Shrinks>(
        bindings: impl IntoIterator<Item = &'b Binding<D>>,
        out: &mut Vec<(Var, usize)>,
    ) {
        for binding in bindings {
            let rank = D::shape(&binding.ty).map_or(0, <[Atom]>::len);
            out.extend((0..rank).rev().map(|dim| (binding.var, dim)));
        }
    }
    let mut out = Vec::new();
    of(&program.params, &mut out);
    for path in walk::paths(program) {
        for stm in walk::look_at(program, &path).map_or(&[][..], |body| &body.stms) {
            of(&stm.pattern, &mut out);
            if let Exp::Loop { carried, .. } = &stm.exp {
                of(carried.iter().map(|(binding, _)| binding), &mut out);
            }
        }
    }
    out
}

/// What is left of a value when only the first index of a dimension is; `None` if there is none.
fn first(value: &Value, dim: usize) -> Option<Value> {
    let Value::Array { shape, cells: Cells::I32(data) } = value else { return None };
    if shape[dim] == 0 {
        return None;
    }
    let inner: usize = shape[dim + 1..].iter().product();
    let rows = data.chunks(inner.max(1) * shape[dim]);
    let data: Vec<i32> = rows.flat_map(|rows| rows.iter().take(inner)).copied().collect();
    let mut shape = shape.clone();
    shape.remove(dim);
    match shape.is_empty() {
        true => data.first().map(|k| Value::from(*k)),
        false => Some(Value::ints(shape, data)),
    }
}

/// For each array that loses a dimension which one.
struct Fixed {
    dims: HashMap<Var, usize>,
    /// How many dimensions each array has.
    ranks: HashMap<Var, usize>,
    grown: bool,
}

impl Fixed {
    /// What loses a dimension together with this one; `None` if some array would lose two.
    fn of<D: Shrinks>(program: &Program<D>, array: Var, dim: usize) -> Option<Self> {
        let ranks = arrays(program).into_iter().fold(HashMap::new(), |mut ranks, (array, _)| {
            *ranks.entry(array).or_default() += 1;
            ranks
        });
        let mut fixed = Self { dims: HashMap::from([(array, dim)]), ranks, grown: true };
        while std::mem::take(&mut fixed.grown) {
            fixed.follow(&program.body)?;
        }
        Some(fixed)
    }

    /// The array loses this dimension.
    fn lose(&mut self, array: Var, dim: usize) -> Option<()> {
        match self.dims.insert(array, dim) {
            None => self.grown = true,
            Some(before) if before != dim => return None,
            Some(_) => {}
        }
        Some(())
    }

    /// Dimension `dim + more` of `a` is dimension `dim` of `b`. An int has none.
    fn same(&mut self, a: Var, more: usize, b: Atom) -> Option<()> {
        let Some(b) = b.var().filter(|b| self.ranks.contains_key(b)) else { return Some(()) };
        if let Some(dim) = self.dims.get(&a).and_then(|dim| dim.checked_sub(more)) {
            self.lose(b, dim)?;
        }
        match self.dims.get(&b) {
            Some(&dim) => self.lose(a, dim + more),
            None => Some(()),
        }
    }

    fn transposed(&mut self, a: Var, b: Var) -> Option<()> {
        for (a, b) in [(a, b), (b, a)] {
            if let Some(&dim) = self.dims.get(&a) {
                self.lose(b, 1_usize.checked_sub(dim)?)?;
            }
        }
        Some(())
    }

    fn follow<D: Shrinks>(&mut self, body: &Body<D>) -> Option<()> {
        body.stms.iter().try_for_each(|stm| {
            self.follow_stm(stm)?;
            stm.exp.bodies().into_iter().try_for_each(|inner| self.follow(inner))
        })
    }

    fn follow_stm<D: Shrinks>(&mut self, stm: &Stm<D>) -> Option<()> {
        let made = stm.pattern.first()?.var;
        match &stm.exp {
            Exp::Scalar(_) | Exp::Index { .. } => Some(()),
            Exp::Slice { array, .. } => self.same(made, 0, (*array).into()),
            Exp::Transpose(array) => self.transposed(made, *array),
            Exp::Update { array, value, .. } => {
                self.same(made, 0, (*array).into())?;
                self.same(made, 0, *value)
            }
            Exp::If { then, orelse, .. } => {
                self.results(&stm.pattern, 0, then)?;
                self.results(&stm.pattern, 0, orelse)
            }
            Exp::Loop { carried, body, .. } => {
                for (binding, (carried, init)) in stm.pattern.iter().zip(carried) {
                    self.same(binding.var, 0, carried.var.into())?;
                    self.same(carried.var, 0, *init)?;
                }
                self.results(&stm.pattern, 0, body)
            }
            Exp::Kernel { body, .. } => {
                // One thread is left for all results, or all of them are.
                if stm.pattern.iter().any(|binding| self.dims.get(&binding.var) == Some(&0)) {
                    stm.pattern.iter().try_for_each(|binding| self.lose(binding.var, 0))?;
                }
                self.results(&stm.pattern, 1, body)
            }
            Exp::Extra(extra) => match D::copied(extra) {
                Some(array) => self.same(made, 0, array.into()),
                None => Some(()),
            },
        }
    }

    fn results<D: Shrinks>(
        &mut self,
        pattern: &[Binding<D>],
        more: usize,
        body: &Body<D>,
    ) -> Option<()> {
        let mut pairs = pattern.iter().zip(&body.results);
        pairs.try_for_each(|(binding, result)| self.same(binding.var, more, *result))
    }

    /// Takes the dimensions out of types.
    fn bindings<'b, D: Shrinks>(&self, bindings: impl Iterator<Item = &'b mut Binding<D>>) {
        for binding in bindings {
            if let Some(&dim) = self.dims.get(&binding.var) {
                D::lose_dimension(&mut binding.ty, dim);
            }
        }
    }

    /// Takes the dimensions out of a body; `with` is what then stands for names.
    fn body<D: Shrinks>(&self, body: &mut Body<D>, with: &mut HashMap<Var, Atom>) {
        for mut stm in std::mem::take(&mut body.stms) {
            for inner in stm.exp.bodies_mut() {
                self.body(inner, with);
            }
            let one_thread = stm.pattern.iter().any(|p| self.dims.get(&p.var) == Some(&0));
            self.bindings(stm.pattern.iter_mut());
            match stm.exp {
                Exp::Kernel { thread, body: of_thread, .. } if one_thread => {
                    with.insert(thread, Atom::Const(1));
                    body.stms.extend(of_thread.stms);
                    for (binding, result) in stm.pattern.into_iter().zip(of_thread.results) {
                        let copy = result.var().filter(|_| D::shape(&binding.ty).is_some());
                        match copy.and_then(D::copy) {
                            Some(exp) => {
                                let (span, pattern) = (stm.span, vec![binding]);
                                body.stms.push(Stm { span, pattern, exp: Exp::Extra(exp) });
                            }
                            None => {
                                with.insert(binding.var, result);
                            }
                        }
                    }
                }
                exp => body.stms.push(Stm { exp: self.exp(exp, &stm.pattern), ..stm }),
            }
        }
    }

    /// Takes the dimensions out of an expression, whose bodies and pattern have lost theirs.
    fn exp<D: Shrinks>(&self, exp: Exp<D>, pattern: &[Binding<D>]) -> Exp<D> {
        let alone = |atom: Atom| Exp::Scalar(Se::Atom(atom));
        let is_int = pattern.first().is_some_and(|binding| D::shape(&binding.ty).is_none());
        match exp {
            Exp::Index { array, mut index } => match self.dims.get(&array) {
                Some(&dim) => {
                    index.remove(dim);
                    match index.is_empty() {
                        true => alone(array.into()),
                        false => Exp::Index { array, index },
                    }
                }
                None => Exp::Index { array, index },
            },
            Exp::Slice { array, mut slice } => {
                if let Some(&dim) = self.dims.get(&array) {
                    slice.remove(dim);
                }
                if is_int { alone(array.into()) } else { Exp::Slice { array, slice } }
            }
            Exp::Transpose(array) if self.dims.contains_key(&array) => {
                let sizes = pattern.first().and_then(|binding| D::shape(&binding.ty));
                let whole = |&size| Dim { offset: Atom::Const(1), size, stride: Atom::Const(1) };
                Exp::Slice { array, slice: sizes.unwrap_or_default().iter().map(whole).collect() }
            }
            Exp::Update { array, mut slice, value } => {
                if let Some(&dim) = self.dims.get(&array) {
                    slice.remove(dim);
                }
                if is_int { alone(value) } else { Exp::Update { array, slice, value } }
            }
            Exp::Loop { mut carried, counter, count, body } => {
                self.bindings(carried.iter_mut().map(|(binding, _)| binding));
                Exp::Loop { carried, counter, count, body }
            }
            Exp::Extra(extra) => match D::copied(&extra).filter(|_| is_int) {
                Some(array) => alone(array.into()),
                None => Exp::Extra(extra),
            },
            other => other,
        }
    }
}
