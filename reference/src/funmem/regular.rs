//! How values flow in a program of FUNMEM, see [`regular`](crate::kit::regular).

use super::syntax::{Binding, Body, Dim, Exp, FunMem, MemExp, MemTy, Program, Stm};
use crate::fun::regular::{divisors, vars};
use crate::fun::syntax::Atom;
use crate::kit::names::Var;
use crate::kit::regular::Flow;
use crate::kit::text::Span;
use rustc_hash::FxHashSet;

/// How values flow.
pub(super) fn flow(program: &Program<FunMem>) -> Flow {
    let mut look = Look::default();
    program.params.iter().for_each(|param| look.binds(param, Span::default()));
    look.body(&program.body, 0);
    look.flow
}

#[derive(Default)]
struct Look {
    flow: Flow,
    arrays: FxHashSet<Var>,
}

impl Look {
    /// A binding: of an array its place in memory steers.
    fn binds(&mut self, binding: &Binding<FunMem>, site: Span) {
        let MemTy::Array(ty) = &binding.ty else { return };
        self.arrays.insert(binding.var);
        let dims = ty.lmad.dims.iter().flat_map(|dim| vars(&dim.stride));
        let sizes = ty.shape.iter().filter_map(|size| size.var());
        let place: Vec<Var> =
            dims.chain(sizes).chain(vars(&ty.lmad.offset)).chain([ty.block]).collect();
        self.flow.sets(binding.var, place.iter().copied());
        self.flow.steers(place, site);
    }

    fn body(&mut self, body: &Body<FunMem>, kernels: usize) {
        body.stms.iter().for_each(|stm| self.statement(stm, kernels));
    }

    /// Each name of the pattern depends on these.
    fn sets(&mut self, stm: &Stm<FunMem>, from: &[Var]) {
        for binding in &stm.pattern {
            self.flow.sets(binding.var, from.iter().copied());
        }
    }

    fn slice(&mut self, slice: &[Dim], site: Span) {
        let atoms = slice.iter().flat_map(|dim| [dim.offset, dim.size, dim.stride]);
        self.flow.steers(atoms.filter_map(Atom::var), site);
    }

    fn statement(&mut self, stm: &Stm<FunMem>, kernels: usize) {
        let site = stm.span;
        stm.pattern.iter().for_each(|binding| self.binds(binding, site));
        match &stm.exp {
            Exp::Scalar(se) => {
                self.flow.steers(divisors(se), site);
                self.sets(stm, &vars(se));
            }
            Exp::Index { array, index } => {
                self.flow.steers(index.iter().filter_map(|at| at.var()).chain([*array]), site);
                stm.pattern.iter().for_each(|binding| self.flow.reads(binding.var));
            }
            Exp::Slice { array, slice } => {
                self.slice(slice, site);
                self.sets(stm, &[*array]);
            }
            Exp::Transpose(array) => self.sets(stm, &[*array]),
            Exp::If { cond, then, orelse } => {
                self.flow.steers(cond.var(), site);
                let mark = cond.var();
                for side in [then, orelse] {
                    self.under(mark, |look| look.body(side, kernels));
                    for (binding, result) in stm.pattern.iter().zip(&side.results) {
                        self.flow.sets(binding.var, result.var().into_iter().chain(mark));
                    }
                }
            }
            Exp::Kernel { thread, count, body } => {
                self.flow.acts();
                if kernels == 0 {
                    self.flow.is_thread(*thread);
                }
                // Arrays are copied to where the results are.
                let arrays = body.results.iter().filter_map(|result| result.var());
                let arrays: Vec<Var> = arrays.filter(|var| self.arrays.contains(var)).collect();
                self.flow.steers(arrays, site);
                self.repeats(site, *count, true, |look| look.body(body, kernels + 1));
            }
            Exp::Loop { carried, counter, count, body } => {
                self.flow.sets(*counter, []);
                for ((binding, init), result) in carried.iter().zip(&body.results) {
                    self.binds(binding, site);
                    self.flow.sets(binding.var, init.var().into_iter().chain(result.var()));
                }
                for (binding, (carried, _)) in stm.pattern.iter().zip(carried) {
                    self.flow.sets(binding.var, [carried.var]);
                }
                self.repeats(site, *count, false, |look| {
                    carried.iter().for_each(|(binding, _)| look.flow.carries(binding.var));
                    look.body(body, kernels);
                });
            }
            Exp::Update { array, slice, value } => {
                self.flow.acts();
                self.slice(slice, site);
                let value = value.var().filter(|var| self.arrays.contains(var));
                self.flow.steers(value.into_iter().chain([*array]), site);
                self.sets(stm, &[*array]);
            }
            Exp::Extra(MemExp::Alloc(size)) => {
                self.flow.acts();
                self.flow.steers(vars(size), site);
                self.sets(stm, &[]);
            }
            Exp::Extra(MemExp::Copy(array)) => {
                self.flow.acts();
                self.flow.steers([*array], site);
            }
        }
    }

    fn under(&mut self, condition: Option<Var>, look: impl FnOnce(&mut Self)) {
        let mut own = std::mem::take(&mut self.flow);
        own.under(condition, |flow| {
            self.flow = std::mem::take(flow);
            look(self);
            *flow = std::mem::take(&mut self.flow);
        });
        self.flow = own;
    }

    fn repeats(&mut self, site: Span, count: Atom, alike: bool, look: impl FnOnce(&mut Self)) {
        let mut own = std::mem::take(&mut self.flow);
        own.repeats(site, count.var(), alike, |flow| {
            self.flow = std::mem::take(flow);
            look(self);
            *flow = std::mem::take(&mut self.flow);
        });
        self.flow = own;
    }
}
