//! Parallel loops of the host: their numbers and what they capture. The pass `map_levels` makes
//! the captured variables parameters of a kernel; the evaluator launches the loops as they are.

use super::syntax::{Block, Check, Exp, Host, HostBlock, Kind, Par, Place, Program};
use crate::kit::names::Var;

/// The parallel loops of the host, in the order of the text.
pub fn pars(program: &Program) -> Vec<&Par> {
    fn collect<'a>(body: &'a HostBlock, pars: &mut Vec<&'a Par>) {
        for stm in body {
            match &stm.kind {
                Host::Par(par) => pars.push(par),
                Host::If(branch) => {
                    collect(&branch.then, pars);
                    collect(&branch.orelse, pars);
                }
                Host::Loop(rounds) => collect(&rounds.body, pars),
                _ => {}
            }
        }
    }
    let mut pars = Vec::new();
    collect(&program.host, &mut pars);
    pars
}

/// The variables that the body of `par` uses and does not bind, sorted: its arguments.
pub fn captured(par: &Par) -> Vec<Var> {
    let mut free = Free::default();
    free.bound.push(par.var);
    free.block(&par.body);
    free.used.sort_unstable();
    free.used.dedup();
    free.bound.sort_unstable();
    free.used.retain(|var| free.bound.binary_search(var).is_err());
    free.used
}

/// Variables used and bound. Names are unique, so scopes do not matter.
#[derive(Default)]
struct Free {
    used: Vec<Var>,
    bound: Vec<Var>,
}

impl Free {
    fn block(&mut self, body: &Block) {
        for stm in body {
            self.stm(&stm.kind);
        }
    }

    fn stm(&mut self, kind: &Kind) {
        match kind {
            Kind::Let(var, _, exp) => {
                self.bound.push(*var);
                self.exp(exp);
            }
            Kind::Var(var, _, init) => {
                self.bound.push(*var);
                init.iter().for_each(|exp| self.exp(exp));
            }
            Kind::Store(place, exp) => {
                self.place(place);
                self.exp(exp);
            }
            Kind::Atomic { into, place, operands, .. } => {
                self.bound.extend(into);
                self.place(place);
                operands.iter().for_each(|exp| self.exp(exp));
            }
            Kind::If(branch) => {
                self.exp(&branch.cond);
                self.block(&branch.then);
                self.block(&branch.orelse);
            }
            Kind::Loop(rounds) => {
                for carried in &rounds.carried {
                    self.bound.push(carried.var);
                    self.exp(&carried.init);
                }
                self.exp(&rounds.cond);
                rounds.fuel.iter().for_each(|exp| self.exp(exp));
                self.block(&rounds.body);
                rounds.next.iter().for_each(|exp| self.exp(exp));
            }
            Kind::Call { into, args, .. } => {
                self.bound.extend(into);
                args.iter().for_each(|exp| self.exp(exp));
            }
            Kind::Check(Check { operands, path, .. }) => {
                operands.iter().chain(path).for_each(|exp| self.exp(exp));
            }
            Kind::Barrier(_) => {}
            Kind::Par(par) => {
                self.bound.push(par.var);
                self.exp(&par.count);
                self.block(&par.body);
            }
        }
    }

    fn exp(&mut self, exp: &Exp) {
        if let Exp::Var(var) = exp {
            self.used.push(*var);
        }
        if let Exp::Load(place) | Exp::Ref(place) = exp {
            self.place(place);
        }
        exp.parts().for_each(|part| self.exp(part));
    }

    fn place(&mut self, place: &Place) {
        match place {
            Place::Var(var) => self.used.push(*var),
            Place::Deref(pointer) => self.exp(pointer),
            Place::Element(block, index) => {
                self.exp(block);
                self.exp(index);
            }
            Place::At(place, index) => {
                self.place(place);
                self.exp(index);
            }
            Place::Field(place, _) => self.place(place),
        }
    }
}
