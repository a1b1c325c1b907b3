//! Smaller work groups, arrays and literals, and inputs of the sizes of their parameters.

use super::super::{Shrinking, data, numbers};
use reference::device::host::border::scalar_type;
use reference::device::syntax::{Exp, Given, Lit, MAX_GROUP, Program, Sc, Ty};
use reference::device::visit_mut::{self, Visitor};
use reference::kit::names::Var;
use reference::kit::outcome::{Scalar, Value};
use std::collections::{BTreeSet, HashMap};

impl Shrinking<'_, Program> {
    /// Smaller numbers, each everywhere at once, so that sizes that belong together stay together;
    /// then the sizes of single work groups and arrays.
    pub(super) fn reduce_sizes(&mut self) {
        self.reduce_scalars();
        let mut seen = Numbers { with: None, found: BTreeSet::new() };
        visit_mut::program(&mut self.program, &mut seen);
        seen.found.extend(self.program.kernels.iter().map(|kernel| i64::from(kernel.group)));
        for k in seen.found.into_iter().rev() {
            for smaller in numbers::smaller(k) {
                let mut program = self.program.clone();
                replace(&mut program, k, smaller);
                if self.attempt(program, self.input.clone()) {
                    break;
                }
            }
        }
        self.reduce_groups();
        self.reduce_extents();
        self.reduce_words();
    }

    /// Shorter arrays where a parameter takes an array of any length as words.
    fn reduce_words(&mut self) {
        for at in 0..self.input.len() {
            let Some(Given::Words(_)) = self.program.params.get(at).map(|param| &param.given)
            else {
                continue;
            };
            let Some(Value::Array { shape, cells }) = self.input.get(at) else { continue };
            let (ty, length) = (cells.ty(), shape.iter().product::<usize>());
            for smaller in numbers::smaller(length as i64) {
                let Ok(smaller) = usize::try_from(smaller) else { continue };
                let mut input = self.input.clone();
                if data::resize(&mut input, at, ty, vec![smaller]).is_some()
                    && self.attempt(self.program.clone(), input)
                {
                    break;
                }
            }
        }
    }

    fn reduce_groups(&mut self) {
        for at in 0..self.program.kernels.len() {
            let Some(kernel) = self.program.kernels.get(at) else { return };
            for smaller in numbers::smaller(kernel.group.into()) {
                let mut program = self.program.clone();
                program.kernels[at].group = group(smaller).unwrap_or(1);
                if self.attempt(program, self.input.clone()) {
                    break;
                }
            }
        }
    }

    fn reduce_extents(&mut self) {
        let mut number = 0;
        loop {
            let mut here = None;
            extent(&mut self.program, number, &mut |n| here = Some(*n));
            let Some(n) = here else { break };
            for smaller in numbers::smaller(n.into()) {
                let mut program = self.program.clone();
                let Ok(smaller @ 1..) = u32::try_from(smaller) else { continue };
                extent(&mut program, number, &mut |n| *n = smaller);
                if self.attempt(program, self.input.clone()) {
                    break;
                }
            }
            number += 1;
        }
    }
}

/// The size of a work group that a number can be.
fn group(k: i64) -> Option<u32> {
    u32::try_from(k).ok().filter(|k| (1..=MAX_GROUP).contains(k))
}

/// Puts a number in the place of another one: in literals, extents and sizes of work groups.
fn replace(program: &mut Program, k: i64, by: i64) {
    visit_mut::program(program, &mut Numbers { with: Some((k, by)), found: BTreeSet::new() });
    for kernel in &mut program.kernels {
        if i64::from(kernel.group) == k {
            kernel.group = group(by).unwrap_or(kernel.group);
        }
    }
}

/// Finds numbers, or replaces one.
struct Numbers {
    with: Option<(i64, i64)>,
    found: BTreeSet<i64>,
}

impl Numbers {
    /// What stands for a number.
    fn meet(&mut self, k: i64) -> i64 {
        match self.with {
            Some((old, new)) if old == k => new,
            Some(_) => k,
            None => {
                self.found.insert(k);
                k
            }
        }
    }
}

impl Visitor for Numbers {
    fn exp(&mut self, exp: &mut Exp) -> bool {
        match exp {
            Exp::Lit(Lit::I32(k)) => *k = self.meet((*k).into()).try_into().unwrap_or(*k),
            Exp::Lit(Lit::U32(k)) => *k = self.meet((*k).into()).try_into().unwrap_or(*k),
            Exp::Lit(Lit::I64(k)) => k.0 = self.meet(k.0),
            // An array of fewer elements is made of fewer.
            Exp::Make(made) => {
                let (ty, parts) = &mut **made;
                self.ty(ty);
                if let Ty::Array(_, n) = ty {
                    parts.truncate(*n as usize);
                }
            }
            _ => {}
        }
        true
    }

    fn ty(&mut self, ty: &mut Ty) {
        if let Ty::Array(_, n) = ty {
            *n = u32::try_from(self.meet((*n).into())).unwrap_or(*n).max(1);
        }
    }
}

/// Does something to the extent of this number, of those that are written down.
fn extent(program: &mut Program, number: usize, found: &mut dyn FnMut(&mut u32)) {
    struct Extent<'f>(usize, &'f mut dyn FnMut(&mut u32));
    impl Visitor for Extent<'_> {
        fn ty(&mut self, ty: &mut Ty) {
            if let Ty::Array(_, n) = ty {
                if self.0 == 0 {
                    (self.1)(n);
                }
                self.0 = self.0.wrapping_sub(1);
            }
        }
    }
    visit_mut::program(program, &mut Extent(number, found));
}

/// Brings each array of the input to the sizes of its parameter. `None` if a size is negative, or
/// not known, or makes too many elements, or if a value is missing or of another type.
pub(super) fn resize(program: &Program, input: &mut Vec<Value>) -> Option<()> {
    let mut known: HashMap<Var, i32> = HashMap::new();
    for (at, param) in program.params.iter().enumerate() {
        let (sc, sizes) = match &param.given {
            Given::Scalar(sc) => {
                match input.get(at)? {
                    Value::Scalar(Scalar::I32(k)) if *sc == Sc::I32 => {
                        known.insert(param.var, *k);
                    }
                    Value::Scalar(scalar) if scalar.ty() == scalar_type(*sc) => {}
                    _ => return None,
                }
                continue;
            }
            // A value is of any size.
            Given::Words(_) => {
                input.get(at)?;
                continue;
            }
            Given::Array(sc, sizes) => (*sc, sizes),
        };
        let ty = scalar_type(sc);
        if param.is_of_any_length() {
            let Value::Array { shape, .. } = input.get(at)? else { return None };
            let shape = shape.clone();
            data::resize(input, at, ty, shape)?;
            continue;
        }
        let size = |size: &Exp| match size {
            Exp::Lit(Lit::I32(k)) => usize::try_from(*k).ok(),
            Exp::Var(var) => usize::try_from(*known.get(var)?).ok(),
            _ => None,
        };
        data::resize(input, at, ty, sizes.iter().map(size).collect::<Option<_>>()?)?;
    }
    Some(())
}
