//! Fewer parameters: of kernels and functions with their arguments, of the program with their
//! values.

use super::super::Shrinking;
use super::code::retain;
use super::dead_code::{drop_of_function, drop_of_kernel};
use super::placeholder::substitute;
use reference::device::globals::Globals;
use reference::device::host::border::given;
use reference::device::syntax::{Exp, Given, Host, Kind, Launch, Param, Place, Program, Shown, Ty};
use reference::device::types::Types;
use reference::device::visit_mut::{self, Visitor};
use reference::kit::names::Var;
use reference::kit::outcome::Value;
use std::collections::HashMap;

/// Kernels or functions.
#[derive(Clone, Copy)]
enum Of {
    Kernels,
    Functions,
}

impl Of {
    /// The parameters of each.
    fn params(self, program: &Program) -> Vec<&[(Var, Ty)]> {
        match self {
            Of::Kernels => program.kernels.iter().map(|kernel| &kernel.params[..]).collect(),
            Of::Functions => {
                program.functions.iter().map(|function| &function.params[..]).collect()
            }
        }
    }

    fn count(self, program: &Program, number: usize) -> usize {
        self.params(program).get(number).map_or(0, |params| params.len())
    }

    /// What it is given for a parameter, if that is a literal.
    fn argument(self, program: &mut Program, number: usize, at: usize) -> Option<Exp> {
        let mut found = None;
        let mut look = |called: u32, args: &[Exp]| {
            if called as usize == number
                && let Some(literal @ Exp::Lit(_)) = args.get(at)
            {
                found = Some(literal.clone());
            }
        };
        retain::<Host>(program, &mut |host| {
            if let (Of::Kernels, Host::Launch(Launch { kernel, args, .. })) = (self, host) {
                look(*kernel, args);
            }
            true
        });
        retain::<Kind>(program, &mut |kind| {
            if let (Of::Functions, Kind::Call { function, args, .. }) = (self, kind) {
                look(*function, args);
            }
            true
        });
        found
    }
}

impl Shrinking<'_, Program> {
    /// Parameters of kernels and functions become literals, or other parameters.
    pub(super) fn cut_arguments(&mut self) {
        for of in [Of::Kernels, Of::Functions] {
            let mut number = 0;
            while number < of.params(&self.program).len() {
                let mut at = of.count(&self.program, number);
                while at > 0 {
                    at -= 1;
                    if at < of.count(&self.program, number) {
                        self.cut_argument(of, number, at);
                    }
                }
                number += 1;
            }
        }
    }

    fn cut_argument(&mut self, of: Of, number: usize, at: usize) -> bool {
        let mut plain = self.program.clone();
        let argument = of.argument(&mut plain, number, at);
        let (var, _) = match of {
            Of::Kernels => drop_of_kernel(&mut plain, number, at),
            Of::Functions => drop_of_function(&mut plain, number, at),
        };
        if let Some(argument) = argument {
            let mut program = plain.clone();
            substitute(&mut program, HashMap::from([(var, argument)]));
            if self.attempt(program, self.input.clone()) {
                return true;
            }
        }
        let scope: Vec<Var> = of.params(&plain)[number].iter().map(|(var, _)| *var).collect();
        self.attempt_stands(&plain, &[var], &scope, self.input.clone())
    }

    /// Variables of kernels and of the program: what is done with them goes, or another one stands for them.
    /// One of the program becomes that of the only kernel that names it.
    pub(super) fn cut_variables(&mut self) {
        for number in 0..self.program.kernels.len() {
            self.make_local(number);
        }
        for number in 0..=self.program.kernels.len() {
            for which in 0..2 {
                let mut at = 0;
                while self.cut_variable(number, which, at).is_some_and(|cut| {
                    at += usize::from(!cut);
                    true
                }) {}
            }
        }
    }

    /// Is it cut? `None` where there is no such variable.
    fn cut_variable(&mut self, number: usize, which: usize, at: usize) -> Option<bool> {
        let mut plain = self.program.clone();
        let [workgroup, private] = match plain.kernels.get_mut(number) {
            Some(kernel) => [&mut kernel.workgroup, &mut kernel.private],
            // Behind the kernels come those of the program.
            None => [&mut plain.workgroup, &mut plain.private],
        };
        let variables = [workgroup, private].into_iter().nth(which)?;
        if at >= variables.len() {
            return None;
        }
        let (var, _) = variables.remove(at);
        let scope: Vec<Var> = variables.iter().map(|(var, _)| *var).collect();
        let cut = self.attempt_stands(&plain, &[var], &scope, self.input.clone());
        Some(cut || self.forward(var, &plain))
    }

    /// Variables of the program that this kernel names become its own, if nothing else names them.
    fn make_local(&mut self, number: usize) {
        let mut program = self.program.clone();
        let globals = Globals::of(&self.program);
        let Some(kernel) = program.kernels.get_mut(number) else { return };
        let own = globals.kernel(kernel).into_owned();
        if own == *kernel {
            return;
        }
        *kernel = own;
        let moved = |(var, _): &(Var, Ty)| {
            let own = &program.kernels[number];
            own.workgroup.iter().chain(&own.private).any(|(other, _)| other == var)
        };
        let workgroup = program.workgroup.iter().filter(|it| !moved(it)).cloned().collect();
        let private = program.private.iter().filter(|it| !moved(it)).cloned().collect();
        (program.workgroup, program.private) = (workgroup, private);
        // The validator refuses it if something else names one of them.
        self.attempt(program, self.input.clone());
    }

    /// Structures with fewer fields. One is left: no shader has a structure without.
    pub(super) fn cut_fields(&mut self) {
        for number in 0..self.program.structs.len() {
            let count = |program: &Program| {
                program.structs.get(number).map_or(0, |declared| declared.fields.len())
            };
            let mut at = count(&self.program);
            while at > 0 {
                at -= 1;
                if at < count(&self.program) && count(&self.program) > 1 {
                    let mut program = self.program.clone();
                    let types = Types::of(&self.program);
                    visit_mut::program(&mut program, &mut Without { types, number, at });
                    program.structs[number].fields.remove(at);
                    self.attempt(program, self.input.clone());
                }
            }
        }
    }

    /// Parameters of the program become literals, or other blocks.
    pub(super) fn cut_params(&mut self) {
        let mut at = self.program.params.len();
        while at > 0 {
            at -= 1;
            if at < self.program.params.len() && at < self.input.len() {
                self.cut_param(at);
            }
        }
    }

    fn cut_param(&mut self, at: usize) -> bool {
        let (mut program, mut input) = (self.program.clone(), self.input.clone());
        let Param { var, given: what } = program.params.remove(at);
        match (what, input.remove(at)) {
            (Given::Scalar(_), Value::Scalar(scalar)) => {
                let lit = given(scalar);
                substitute(&mut program, HashMap::from([(var, Exp::Lit(lit))]));
                self.attempt(program, input)
            }
            (Given::Array(..) | Given::Words(_), _) => {
                let scope: Vec<Var> = program.params.iter().map(|param| param.var).collect();
                self.attempt_stands(&program, &[var], &scope, input)
            }
            (Given::Scalar(_), _) => false,
        }
    }

    /// Arrays with fewer dimensions: parameters hold the same elements in a row or fewer of them,
    /// results show the beginning, forwards.
    pub(super) fn cut_dimensions(&mut self) {
        for at in 0..self.program.params.len() {
            self.flatten(at);
        }
        for at in 0..self.program.results.len() {
            while self.cut_dimension(at) {}
            self.straighten(at);
        }
    }

    fn flatten(&mut self, at: usize) -> bool {
        let (mut program, mut input) = (self.program.clone(), self.input.clone());
        let Some(Param { given: Given::Array(_, sizes), .. }) = program.params.get_mut(at) else {
            return false;
        };
        let Some(Value::Array { shape, cells }) = input.get_mut(at) else { return false };
        let Ok(length) = i32::try_from(cells.len()) else { return false };
        if sizes.len() < 2 {
            return false;
        }
        *sizes = vec![Exp::i32(length)];
        *shape = vec![cells.len()];
        self.attempt(program, input)
    }

    fn cut_dimension(&mut self, at: usize) -> bool {
        let dims = match self.program.results.get(at).map(|output| &output.shown) {
            Some(Shown::Array { shape, .. }) if shape.len() > 1 => shape.len(),
            _ => return false,
        };
        (0..dims).any(|dim| {
            let mut program = self.program.clone();
            if let Some(Shown::Array { shape, strides, .. }) =
                program.results.get_mut(at).map(|output| &mut output.shown)
            {
                shape.remove(dim);
                strides.remove(dim);
            }
            self.attempt(program, self.input.clone())
        })
    }

    /// A result of one dimension shows its block from the first element on, so that sizes need not
    /// go together with an offset.
    fn straighten(&mut self, at: usize) {
        let mut program = self.program.clone();
        if let Some(Shown::Array { offset, strides, .. }) =
            program.results.get_mut(at).map(|output| &mut output.shown)
            && let [stride] = &mut strides[..]
        {
            (*offset, *stride) = (Exp::i32(0), Exp::i32(1));
            self.attempt(program, self.input.clone());
        }
    }
}

/// A structure without one of its fields. What asks for the field asks for the next one then, which
/// the validator may refuse.
struct Without<'p> {
    types: Types<'p>,
    number: usize,
    at: usize,
}

impl Without<'_> {
    fn field(&self, of: &Ty, field: &mut u32) {
        let is = matches!(of, Ty::Struct(number) if *number as usize == self.number);
        *field -= u32::from(is && *field as usize > self.at);
    }
}

impl Visitor for Without<'_> {
    fn exp(&mut self, exp: &mut Exp) -> bool {
        match exp {
            Exp::Field(value, field) => {
                if let Ok(ty) = self.types.exp(value) {
                    self.field(&ty.ty(), field);
                }
            }
            Exp::Make(made) => {
                let is = made.0 == Ty::Struct(self.number as u32);
                if is && self.at < made.1.len() {
                    made.1.remove(self.at);
                }
            }
            _ => {}
        }
        true
    }

    fn place(&mut self, place: &mut Place) -> bool {
        if let Place::Field(inner, field) = place
            && let Ok((_, ty)) = self.types.place(inner)
        {
            self.field(&ty.ty(), field);
        }
        true
    }
}
