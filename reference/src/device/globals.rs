//! Variables of the program: which of them kernels and functions name, themselves or by what they call.

use super::parts::{ExpPart, Parts, StmPart};
use super::syntax::{Block, Kernel, Kind, Par, Program, Ty};
use super::visit;
use crate::kit::names::Var;
use std::borrow::Cow;

/// The variables of a program that its functions name.
pub struct Globals<'p> {
    program: &'p Program,
    /// For each function, also by what it calls.
    functions: Vec<Vec<Var>>,
}

impl<'p> Globals<'p> {
    /// Of any program: a call of what is no earlier function names nothing.
    pub fn of(program: &'p Program) -> Self {
        let mut globals = Self { program, functions: Vec::new() };
        for function in &program.functions {
            let mut named = globals.body(&function.body);
            if let Some((_, result)) = &function.result {
                globals.part(ExpPart::Exp(result), &mut named);
            }
            globals.functions.push(named);
        }
        globals
    }

    /// Those that a function names, each once.
    pub fn function(&self, number: u32) -> &[Var] {
        self.functions.get(number as usize).map_or(&[], Vec::as_slice)
    }

    /// Those that a body names, each once.
    pub fn body(&self, body: &Block) -> Vec<Var> {
        let mut named = Vec::new();
        if !self.program.workgroup.is_empty() || !self.program.private.is_empty() {
            self.block(body, &mut named);
        }
        named
    }

    /// Is it a work-group variable of the program?
    pub fn is_workgroup(&self, var: Var) -> bool {
        self.program.workgroup.iter().any(|(other, _)| *other == var)
    }

    /// Of these variables, in the order of the program, those that are named.
    fn only(of: &[(Var, Ty)], named: &[Var]) -> Vec<(Var, Ty)> {
        of.iter().filter(|(var, _)| named.contains(var)).cloned().collect()
    }

    /// The kernel as if the variables of the program that it names were its own, behind its own.
    pub fn kernel<'k>(&self, kernel: &'k Kernel) -> Cow<'k, Kernel> {
        let named = self.body(&kernel.body);
        if named.is_empty() {
            return Cow::Borrowed(kernel);
        }
        let mut kernel = kernel.clone();
        kernel.workgroup.extend(Self::only(&self.program.workgroup, &named));
        kernel.private.extend(Self::only(&self.program.private, &named));
        Cow::Owned(kernel)
    }

    /// The private variables of the program that a parallel loop of the host names.
    pub fn private_of_par(&self, par: &Par) -> Vec<(Var, Ty)> {
        Self::only(&self.program.private, &self.body(&par.body))
    }

    fn block(&self, body: &Block, named: &mut Vec<Var>) {
        visit::stms(body, &mut |stm| {
            if let Kind::Call { function, .. } = &stm.kind {
                self.function(*function).iter().for_each(|var| add(*var, named));
            }
            stm.kind.parts(&mut |part| {
                match part {
                    StmPart::Exp(e) => self.part(ExpPart::Exp(e), named),
                    StmPart::Place(at) => self.part(ExpPart::Place(at), named),
                    _ => {}
                }
                false
            });
        });
    }

    /// What an expression or a place names.
    fn part(&self, part: ExpPart<'_>, named: &mut Vec<Var>) {
        let mut inside = |part: ExpPart<'_>| {
            self.part(part, named);
            false
        };
        match part {
            ExpPart::Exp(e) => {
                e.parts(&mut inside);
            }
            ExpPart::Place(at) => {
                at.parts(&mut inside);
            }
            ExpPart::Uses(var) => {
                let mut of_program = self.program.workgroup.iter().chain(&self.program.private);
                if of_program.any(|(other, _)| other == var) {
                    add(*var, named);
                }
            }
            ExpPart::Ty(_) => {}
        }
    }
}

fn add(var: Var, named: &mut Vec<Var>) {
    if !named.contains(&var) {
        named.push(var);
    }
}
