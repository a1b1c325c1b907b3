//! Uniformity: which values are the same in all invocations of a work group that compute them,
//! and so which statements all of them reach or none.
//!
//! Literals, parameters, the number of the group and of all invocations are uniform, and what is
//! computed of uniform values; what is read from memory is not, but by a uniform load. A carried variable is uniform
//! if what it starts from, all that is assigned to it, and how often the loop goes round are. What is read of a
//! variable of the function space is uniform if the variable is.

use crate::device::parts::{Parts, StmPart};
use crate::device::rules::Rule;
use crate::device::syntax::{Block, Builtin, Exp, Kernel, Kind, Loop, Place, Stm};
use crate::device::visit;
use crate::kit::names::Var;
use crate::kit::text::Span;

/// A barrier that only some invocations of a group may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parted {
    /// Where it stands.
    pub barrier: Span,
    /// The rule of the barrier.
    pub rule: Rule,
    /// The outermost statement around it in which they part.
    pub control: Span,
    /// The variable by which they part there, if it is by one that might be uniform.
    pub variable: Option<Spoiled>,
}

/// Why a variable of the function space is not uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spoiled {
    /// The variable.
    pub var: Var,
    /// The premise of `D-T-UNIFORM-VARIABLE` that fails.
    pub premise: &'static str,
    /// The store of what varies, the statement around a store in which invocations part, or where a pointer is made.
    pub at: Span,
}

/// Do all barriers of a kernel stand in uniform control flow? So many variables has its program.
///
/// Of a kernel with barriers, how many variables of the function space are uniform.
///
/// # Errors
/// The first barrier that does not.
pub fn uniform(kernel: &Kernel, variables: usize) -> Result<u64, Parted> {
    if !visit::has_barrier(&kernel.body) {
        return Ok(0);
    }
    let mut flow = Flow {
        varying: vec![None; variables],
        declared: vec![None; variables],
        changed: true,
        parts: Vec::new(),
        fault: None,
    };
    flow.pointers(&kernel.body);
    // Variables only ever become varying, so this ends.
    while flow.changed {
        flow.changed = false;
        flow.fault = None;
        flow.block(&kernel.body);
    }
    let of_function = flow.declared.iter().zip(&flow.varying);
    let uniform = of_function.filter(|(declared, why)| declared.is_some() && why.is_none());
    flow.fault.map_or(Ok(uniform.count() as u64), Err)
}

/// Why a value varies.
#[derive(Clone, Copy)]
enum Why {
    /// By the number of the invocation, or by what is read of memory.
    Itself,
    /// By a variable of the function space.
    Variable(Spoiled),
}

struct Flow {
    /// Why variables vary, by slot. A variable of the function space stands for what is read of it.
    varying: Vec<Option<Why>>,
    /// Of variables of the function space, how many statements of `parts` their declaration stands in.
    declared: Vec<Option<usize>>,
    changed: bool,
    /// The statements around in which invocations part, the outermost first.
    parts: Vec<(Span, Why)>,
    /// The first barrier that stands in one.
    fault: Option<Parted>,
}

impl Flow {
    /// Notes the variables of the function space into which pointers are made.
    fn pointers(&mut self, body: &Block) {
        visit::stms(body, &mut |stm| {
            let mut look = |exp: &Exp| {
                if let Exp::Ref(place) = exp
                    && let Some(var) = place.variable()
                {
                    self.spoil(var, "address", stm.span);
                }
            };
            stm.kind.parts(&mut |part| {
                match part {
                    StmPart::Exp(exp) => visit::exp(exp, &mut look),
                    StmPart::Place(place) => visit::place(place, &mut look),
                    _ => {}
                }
                false
            });
        });
    }

    /// Why the value varies, if it does.
    fn varies(&self, exp: &Exp) -> Option<Why> {
        let mut varies = None;
        visit::exp(exp, &mut |part| {
            let why = match part {
                Exp::Var(var) => self.varying[var.slot()],
                Exp::Builtin(Builtin::GlobalId | Builtin::LocalId) | Exp::Ref(_) => {
                    Some(Why::Itself)
                }
                Exp::Load(place) => match self.of_function(place) {
                    Some(var) => self.varying[var.slot()],
                    None => Some(Why::Itself),
                },
                _ => None,
            };
            varies = varies.or(why);
        });
        varies
    }

    /// Why the indices in a place vary, if one does.
    fn place_varies(&self, place: &Place) -> Option<Why> {
        match place {
            Place::At(inner, index) => self.varies(index).or_else(|| self.place_varies(inner)),
            Place::Field(inner, _) => self.place_varies(inner),
            Place::Var(_) | Place::Deref(_) | Place::Element(..) => None,
        }
    }

    /// The variable of the function space that the place is or is in.
    fn of_function(&self, place: &Place) -> Option<Var> {
        place.variable().filter(|var| self.declared[var.slot()].is_some())
    }

    fn mark(&mut self, var: Var, why: Option<Why>) {
        let varying = &mut self.varying[var.slot()];
        if varying.is_none() && why.is_some() {
            *varying = why;
            self.changed = true;
        }
    }

    /// `D-T-UNIFORM-VARIABLE`
    ///
    /// ```text
    /// x is of the function space, and no pointer into it is made                        (address)
    /// its first value, and each e and i of a store x = e or x[i] = e, is uniform          (value)
    /// each store to x stands in uniform control flow, from the declaration of x on      (control)
    /// ───────────────────────────────────────────────────────────────────────────────────────────
    /// x is uniform
    /// ```
    ///
    /// From the declaration on: if that stands in a branch which only some invocations enter, these are meant. All parts of a
    /// variable have one uniformity. WGSL's analysis of variables of the function space accepts more: there
    /// a variable is uniform at one statement and not at another.
    ///
    /// A premise fails by which the variable would be uniform.
    fn spoil(&mut self, var: Var, premise: &'static str, at: Span) {
        self.mark(var, Some(Why::Variable(Spoiled { var, premise, at })));
    }

    /// Runs over `inside`, in which invocations part if something varies.
    fn under(&mut self, span: Span, varies: Option<Why>, inside: impl FnOnce(&mut Self)) {
        let around = self.parts.len();
        self.parts.extend(varies.map(|why| (span, why)));
        inside(self);
        self.parts.truncate(around);
    }

    /// A statement that all invocations have to reach.
    fn waits(&mut self, barrier: Span, rule: Rule) {
        if let (Some((control, why)), None) = (self.parts.first(), self.fault) {
            let variable = match why {
                Why::Variable(spoiled) => Some(*spoiled),
                Why::Itself => None,
            };
            self.fault = Some(Parted { barrier, rule, control: *control, variable });
        }
    }

    fn block(&mut self, body: &Block) {
        body.iter().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &Stm<Kind>) {
        match &stm.kind {
            Kind::Let(var, _, exp) => self.mark(*var, self.varies(exp)),
            Kind::Var(var, _, init) => {
                self.declared[var.slot()] = Some(self.parts.len());
                if init.as_ref().is_some_and(|exp| self.varies(exp).is_some()) {
                    self.spoil(*var, "value", stm.span);
                }
            }
            Kind::Store(place, exp) => self.store(stm.span, place, exp),
            Kind::Atomic { into: Some(var), .. } | Kind::Call { into: Some(var), .. } => {
                self.mark(*var, Some(Why::Itself));
            }
            Kind::If(branch) => self.under(stm.span, self.varies(&branch.cond), |flow| {
                flow.block(&branch.then);
                flow.block(&branch.orelse);
            }),
            Kind::Switch(switch) => self.under(stm.span, self.varies(&switch.value), |flow| {
                switch.cases.iter().for_each(|case| flow.block(&case.body));
                flow.block(&switch.orelse);
            }),
            Kind::Loop(rounds) => self.rounds(stm.span, rounds),
            Kind::Barrier(_) => self.waits(stm.span, Rule::TBarrier),
            Kind::UniformLoad { .. } => self.waits(stm.span, Rule::TUniformLoad),
            // Its iterations run in order, all of them in each invocation that comes here.
            Kind::Par(par) => {
                let varies = self.varies(&par.count);
                self.mark(par.var, varies);
                self.under(stm.span, varies, |flow| flow.block(&par.body));
            }
            Kind::Atomic { into: None, .. } | Kind::Call { into: None, .. } | Kind::Check(_) => {}
        }
    }

    fn store(&mut self, span: Span, place: &Place, exp: &Exp) {
        let Some(var) = self.of_function(place) else { return };
        let around = self.declared[var.slot()].unwrap_or_default();
        if self.varies(exp).is_some() || self.place_varies(place).is_some() {
            self.spoil(var, "value", span);
        } else if let Some((control, _)) = self.parts.get(around) {
            self.spoil(var, "control", *control);
        }
    }

    fn rounds(&mut self, span: Span, rounds: &Loop<Kind>) {
        let fuel = rounds.fuel.as_ref().and_then(|fuel| self.varies(fuel));
        let parts = fuel.or_else(|| self.varies(&rounds.cond));
        self.under(span, parts, |flow| flow.block(&rounds.body));
        for (carried, next) in rounds.carried.iter().zip(&rounds.next) {
            let varies = parts.or_else(|| self.varies(&carried.init));
            self.mark(carried.var, varies.or_else(|| self.varies(next)));
        }
    }
}
