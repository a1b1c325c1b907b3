//! How values flow in a program of the device language, see [`regular`](crate::kit::regular). Loops are executed whole:
//! their rounds are not numbered.

use super::syntax::{Block, Exp, Function, Host, HostBlock, Kind, Place, Program};
use super::visit;
use crate::kit::names::Var;
use crate::kit::regular::Flow;
use crate::kit::text::Span;

/// How values flow.
pub(super) fn flow(program: &Program) -> Flow {
    let mut look = Look { flow: Flow::default(), program };
    let of_groups = program.kernels.iter().flat_map(|kernel| &kernel.workgroup);
    for (var, _) in program.workgroup.iter().chain(of_groups) {
        look.flow.reads(*var);
    }
    // What a pointer leads to may change it.
    visit::program(program, &mut |e| {
        if let Exp::Ref(place) = e {
            root(place).into_iter().for_each(|var| look.flow.reads(var));
        }
    });
    program.functions.iter().for_each(|function| look.block(&function.body));
    program.kernels.iter().for_each(|kernel| look.block(&kernel.body));
    look.host(&program.host);
    look.flow
}

/// The variable that a place is a part of, if it is not reached by a pointer or in a block.
fn root(place: &Place) -> Option<Var> {
    match place {
        Place::Var(var) => Some(*var),
        Place::At(inner, _) | Place::Field(inner, _) => root(inner),
        Place::Deref(_) | Place::Element(..) => None,
    }
}

struct Look<'p> {
    flow: Flow,
    program: &'p Program,
}

impl Look<'_> {
    /// An expression that is evaluated: what it reads steers by its address. Its variables, and does it read memory?
    fn exp(&mut self, e: &Exp, site: Span) -> (Vec<Var>, bool) {
        let (mut all, mut memory, mut steers) = (Vec::new(), false, Vec::new());
        visit::exp(e, &mut |e| match e {
            Exp::Var(var) => all.push(*var),
            Exp::Load(place) | Exp::Ref(place) => {
                visit::place(place, &mut |e| steers.extend(used(e)));
                match root(place) {
                    Some(var) => all.push(var),
                    None => memory = true,
                }
            }
            Exp::Bin(op, parts) if op.is_partial() => {
                visit::exp(&parts[1], &mut |e| steers.extend(used(e)));
            }
            _ => {}
        });
        self.flow.steers(steers, site);
        (all, memory)
    }

    fn sets(&mut self, var: Var, e: &Exp, site: Span) {
        let (from, memory) = self.exp(e, site);
        self.flow.sets(var, from);
        if memory {
            self.flow.reads(var);
        }
    }

    /// What is done, or which word is accessed, depends on it.
    fn steers(&mut self, e: &Exp, site: Span) {
        let (vars, memory) = self.exp(e, site);
        self.flow.steers(vars, site);
        if memory {
            self.flow.is_irregular(site);
        }
    }

    fn place(&mut self, place: &Place, site: Span) {
        let mut inside = Vec::new();
        visit::place(place, &mut |e| inside.extend(used(e)));
        self.flow.steers(inside, site);
    }

    fn conditions(&mut self, e: &Exp) -> Vec<Var> {
        let mut all = Vec::new();
        visit::exp(e, &mut |e| all.extend(used(e)));
        all
    }

    fn under(&mut self, conditions: Vec<Var>, look: impl FnOnce(&mut Self)) {
        let mut own = std::mem::take(&mut self.flow);
        own.under(conditions, |flow| {
            self.flow = std::mem::take(flow);
            look(self);
            *flow = std::mem::take(&mut self.flow);
        });
        self.flow = own;
    }

    fn block(&mut self, block: &Block) {
        for stm in block {
            self.statement(&stm.kind, stm.span);
        }
    }

    fn statement(&mut self, kind: &Kind, site: Span) {
        match kind {
            Kind::Let(var, _, e) | Kind::Var(var, _, Some(e)) => self.sets(*var, e, site),
            Kind::Var(_, _, None) | Kind::Barrier(_) => {}
            Kind::Store(place, e) => {
                self.place(place, site);
                match root(place) {
                    Some(var) => self.sets(var, e, site),
                    None => {
                        self.exp(e, site);
                    }
                }
            }
            Kind::Atomic { into, place, operands, .. } => {
                self.place(place, site);
                operands.iter().for_each(|e| {
                    self.exp(e, site);
                });
                into.iter().for_each(|var| self.flow.reads(*var));
            }
            Kind::If(branch) => {
                self.steers(&branch.cond, site);
                let conditions = self.conditions(&branch.cond);
                self.under(conditions, |look| {
                    look.block(&branch.then);
                    look.block(&branch.orelse);
                });
            }
            Kind::Switch(switch) => {
                self.steers(&switch.value, site);
                let conditions = self.conditions(&switch.value);
                self.under(conditions, |look| {
                    switch.cases.iter().for_each(|case| look.block(&case.body));
                    look.block(&switch.orelse);
                });
            }
            Kind::Loop(rounds) => {
                for (carried, next) in rounds.carried.iter().zip(&rounds.next) {
                    self.sets(carried.var, &carried.init, site);
                    self.sets(carried.var, next, site);
                }
                self.steers(&rounds.cond, site);
                rounds.fuel.iter().for_each(|fuel| self.steers(fuel, site));
                let conditions = self.conditions(&rounds.cond);
                self.under(conditions, |look| look.block(&rounds.body));
            }
            Kind::Call { into, function, args } => {
                let Function { params, result, .. } = &self.program.functions[*function as usize];
                for ((param, _), arg) in params.iter().zip(args) {
                    self.sets(*param, arg, site);
                }
                if let (Some(into), Some((_, e))) = (into, result) {
                    self.sets(*into, e, site);
                }
            }
            Kind::Check(check) => {
                check.operands.iter().for_each(|operand| self.steers(operand, site));
            }
            Kind::UniformLoad { into, .. } => self.flow.reads(*into),
            Kind::Par(par) => {
                self.steers(&par.count, site);
                self.block(&par.body);
            }
        }
    }

    fn host(&mut self, block: &HostBlock) {
        for stm in block {
            self.host_statement(&stm.kind, stm.span);
        }
    }

    fn host_statement(&mut self, kind: &Host, site: Span) {
        match kind {
            Host::Let(var, _, e) => self.sets(*var, e, site),
            Host::Assign(all) => all.iter().for_each(|(var, e)| self.sets(*var, e, site)),
            Host::Alloc { size, .. } => self.steers(size, site),
            Host::Free(e) => self.steers(e, site),
            Host::Launch(launch) => {
                self.steers(&launch.count, site);
                let params = &self.program.kernels[launch.kernel as usize].params;
                for ((param, _), arg) in params.iter().zip(&launch.args) {
                    self.sets(*param, arg, site);
                }
            }
            Host::Copy(copy) => {
                copy.sizes.iter().for_each(|size| self.steers(&size.exp, site));
                for side in [&copy.from, &copy.to] {
                    self.steers(&side.block, site);
                    self.steers(&side.offset, site);
                    side.strides.iter().for_each(|stride| self.steers(stride, site));
                }
            }
            Host::Read { into, block, offset } => {
                self.steers(block, site);
                self.steers(offset, site);
                self.flow.reads(*into);
            }
            Host::Write { block, offset, value } => {
                self.steers(block, site);
                self.steers(offset, site);
                self.exp(value, site);
            }
            Host::If(branch) => {
                self.steers(&branch.cond, site);
                let conditions = self.conditions(&branch.cond);
                self.under(conditions, |look| {
                    look.host(&branch.then);
                    look.host(&branch.orelse);
                });
            }
            Host::Loop(rounds) => {
                for (carried, next) in rounds.carried.iter().zip(&rounds.next) {
                    self.sets(carried.var, &carried.init, site);
                    self.sets(carried.var, next, site);
                }
                self.steers(&rounds.cond, site);
                self.host(&rounds.body);
            }
            Host::Check(check) => {
                check.operands.iter().for_each(|operand| self.steers(operand, site));
            }
            Host::Par(par) => {
                self.steers(&par.count, site);
                self.block(&par.body);
            }
        }
    }
}

/// The variable that an expression itself uses.
fn used(e: &Exp) -> Option<Var> {
    match e {
        Exp::Var(var) => Some(*var),
        Exp::Load(place) | Exp::Ref(place) => root(place),
        _ => None,
    }
}
