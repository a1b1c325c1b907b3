//! What a kernel uses of its surroundings, found before any of it is written.

use super::shared_bools::holds_bool;
use crate::pass::poison_checks::holds;
use crate::pass::types::Types;
use reference::device::syntax::{
    Block, Builtin, Element, Exp, Kernel, Kind, Lit, Place, Program, Sc, Space, Ty,
};
use reference::device::visit::{self, any_exp, any_stm};
use reference::kit::names::Var;

/// What a kernel uses.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// The numbers of the functions that it calls, directly or not; callees come before callers.
    pub(super) functions: Vec<usize>,
    /// Those of them in which a check may fail, or in a function that they call.
    pub(super) failing: Vec<usize>,
    /// Its parameters, but for the failure record.
    params: Vec<(Var, Param)>,
    /// Does it use its failure record?
    pub(super) record: bool,
    /// Does it have checks, whose failure sets the first word of the record?
    pub(super) checks: bool,
    /// Its variables in work-group memory with bools in them.
    pub(super) shared_bools: Vec<Var>,
    /// The parameter that is its failure record.
    pub(super) record_parameter: Option<Var>,
    /// Do atomic operations work on elements of blocks?
    pub(super) atomics: bool,
    /// Does it use the number of its group, or that of an invocation in its group?
    pub(super) group: bool,
    /// Does it use the number of invocations?
    pub(super) invocations: bool,
    /// Does it compute with 64-bit integers? What reads and writes 64-bit floats in blocks does.
    pub(super) i64: bool,
    /// Does it compute with 64-bit floats?
    pub(super) f64: bool,
}

/// Which parts of a parameter are used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Param {
    /// The base of a block.
    pub(super) base: bool,
    /// The length of a block.
    pub(super) length: bool,
    /// The value of a scalar.
    pub(super) whole: bool,
}

/// How often a parameter is named in all, and how often of these only for the base or the length of its block.
#[derive(Clone, Copy, Default)]
struct Count {
    all: u32,
    bases: u32,
    lengths: u32,
}

impl Uses {
    /// Of a kernel, of which this parameter is the failure record.
    pub(super) fn of(
        program: &Program,
        kernel: &Kernel,
        record: Option<Var>,
        types: &Types,
    ) -> Self {
        let mut uses = Uses { record_parameter: record, ..Uses::default() };
        let fields = program.structs.iter().flat_map(|declared| &declared.fields);
        let variables = [&kernel.params, &kernel.private, &kernel.workgroup].into_iter().flatten();
        fields.map(|(_, ty)| ty).chain(variables.map(|(_, ty)| ty)).for_each(|ty| uses.holds(ty));
        let has_bool = |(_, ty): &&(Var, Ty)| holds_bool(program, ty);
        uses.shared_bools = kernel.workgroup.iter().filter(has_bool).map(|(var, _)| *var).collect();
        let mut counts = vec![Count::default(); kernel.params.len()];
        let mut count = |exp: &Exp, add: fn(&mut Count)| {
            if let Exp::Var(var) = exp
                && let Some(at) = kernel.params.iter().position(|(param, _)| param == var)
            {
                add(&mut counts[at]);
            }
        };
        visit::block(&kernel.body, &mut |exp| uses.expression(exp, &mut count));
        uses.statements(program, &kernel.body, types, &mut count);
        for ((var, _), Count { all, bases, lengths }) in kernel.params.iter().zip(counts) {
            if Some(*var) == record {
                uses.record |= all > 0;
                continue;
            }
            let whole = all > bases + lengths;
            let param = Param { base: whole || bases > 0, length: whole || lengths > 0, whole };
            uses.params.push((*var, param));
        }
        uses
    }

    /// How a parameter is used.
    pub(super) fn param(&self, var: Var) -> Param {
        let found = self.params.iter().find(|(param, _)| *param == var);
        found.map(|(_, param)| *param).unwrap_or_default()
    }

    /// Is it a parameter, and not the failure record?
    pub(super) fn is_argument(&self, var: Var) -> bool {
        self.params.iter().any(|(param, _)| *param == var)
    }

    fn expression(&mut self, exp: &Exp, count: &mut impl FnMut(&Exp, fn(&mut Count))) {
        match exp {
            Exp::Var(_) => count(exp, |count| count.all += 1),
            Exp::Base(block) => count(block, |count| count.bases += 1),
            Exp::Length(block) => count(block, |count| count.lengths += 1),
            Exp::Load(place) | Exp::Ref(place) => {
                if let Place::Element(block, _) = &**place {
                    count(block, |count| count.bases += 1);
                }
            }
            Exp::Builtin(Builtin::LocalId | Builtin::GroupId) => self.group = true,
            Exp::Builtin(Builtin::Invocations) => self.invocations = true,
            Exp::Lit(lit) => self.wide(lit.sc()),
            Exp::Cast(sc, _) | Exp::Bitcast(sc, _) | Exp::Block(Element::Plain(sc), _) => {
                self.wide(*sc);
            }
            _ => {}
        }
    }

    fn statements(
        &mut self,
        program: &Program,
        body: &Block,
        types: &Types,
        count: &mut impl FnMut(&Exp, fn(&mut Count)),
    ) {
        any_stm(body, &mut |kind| {
            match kind {
                Kind::Let(_, ty, _) | Kind::Var(_, ty, _) => self.holds(ty),
                Kind::Loop(rounds) => {
                    rounds.carried.iter().for_each(|carried| self.holds(&carried.ty));
                }
                Kind::Store(Place::Element(block, _), _) => count(block, |count| count.bases += 1),
                Kind::Atomic { place, .. } => {
                    if let Place::Element(block, _) = place {
                        count(block, |count| count.bases += 1);
                    }
                    let of_record = matches!(place, Place::Element(Exp::Var(block), _)
                        if Some(*block) == self.record_parameter);
                    self.atomics |= types.space(place) == Space::Storage && !of_record;
                }
                Kind::Call { function, .. } => {
                    self.function(program, *function as usize, types, count);
                }
                Kind::Check(check) => {
                    self.checks = true;
                    self.record = true;
                    // The test may compute in 64 bits where the operands do not.
                    let cause = program.sites[check.site as usize].cause;
                    if let Some(test) = holds(cause, &check.operands, types) {
                        self.i64 |= any_exp(&test, &mut |part| {
                            matches!(part, Exp::Lit(Lit::I64(_)) | Exp::Cast(Sc::I64, _))
                        });
                    }
                }
                _ => {}
            }
            false
        });
    }

    /// A function that is called, and those that it calls.
    fn function(
        &mut self,
        program: &Program,
        number: usize,
        types: &Types,
        count: &mut impl FnMut(&Exp, fn(&mut Count)),
    ) {
        if self.functions.contains(&number) {
            return;
        }
        let function = &program.functions[number];
        let result = function.result.iter().map(|(ty, _)| ty);
        function.params.iter().map(|(_, ty)| ty).chain(result).for_each(|ty| self.holds(ty));
        visit::block(&function.body, &mut |exp| self.expression(exp, count));
        if let Some((_, result)) = &function.result {
            visit::exp(result, &mut |exp| self.expression(exp, count));
        }
        self.statements(program, &function.body, types, count);
        let fails = any_stm(&function.body, &mut |kind| match kind {
            Kind::Call { function, .. } => self.failing.contains(&(*function as usize)),
            kind => matches!(kind, Kind::Check(_)),
        });
        if fails {
            self.failing.push(number);
        }
        self.functions.push(number);
    }

    /// There is a variable of this type. Structures are looked at where they are declared.
    fn holds(&mut self, ty: &Ty) {
        match ty {
            Ty::Scalar(sc) => self.wide(*sc),
            Ty::Block(element) => self.wide(element.sc()),
            Ty::Array(inner, _) | Ty::Ptr(_, inner) => self.holds(inner),
            _ => {}
        }
    }

    /// There is a scalar of this type.
    fn wide(&mut self, sc: Sc) {
        self.i64 |= matches!(sc, Sc::I64 | Sc::F64);
        self.f64 |= sc == Sc::F64;
    }
}
