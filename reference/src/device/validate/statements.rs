//! Rules of statements: `Γ ⊢ s ⊣ Γ'`.

use super::{Check, Checked, integer};
use crate::device::print;
use crate::device::rules::Rule;
use crate::device::syntax::{
    self, AtomicOp, BOOL, Block, Exp, I32, If, Kind, Loop, Par, Place, Program, Sc, Space, Stm,
    Switch, Ty, U32,
};
use crate::device::types::{Bound, Context, Typed, wrong, wrong_with};
use crate::kit::names::Var;

impl<'p> Check<'p> {
    pub(super) fn block(&mut self, body: &'p Block) -> Checked {
        self.scoped(|check| body.iter().try_for_each(|stm| check.stm(stm)))
    }

    pub(super) fn stm(&mut self, stm: &'p Stm<Kind>) -> Checked {
        self.span = stm.span;
        let text = |program: &Program| print::statement(program, &stm.kind);
        match &stm.kind {
            Kind::Let(var, ty, exp) => self.by(Rule::TLet, text, |to| to.t_let(*var, ty, exp)),
            Kind::Var(var, ty, init) => {
                self.by(Rule::TVariable, text, |to| to.t_variable(*var, ty, init.as_ref()))
            }
            Kind::Store(place, exp) => self.by(Rule::TStore, text, |to| to.t_store(place, exp)),
            Kind::Atomic { into, op, place, operands } => {
                self.by(Rule::TAtomic, text, |to| to.t_atomic(*into, *op, place, operands))
            }
            Kind::If(branch) => self.by(Rule::TIf, text, |to| to.t_if(branch)),
            Kind::Switch(switch) => self.by(Rule::TSwitch, text, |to| to.t_switch(switch)),
            Kind::Loop(rounds) => self.by(Rule::TLoop, text, |to| to.t_loop(rounds)),
            Kind::Call { into, function, args } => {
                self.by(Rule::TCall, text, |to| to.t_call(*into, *function, args))
            }
            Kind::Check(check) => self.by(Rule::TCheck, text, |to| to.t_check(check)),
            Kind::Barrier(_) => self.by(Rule::TBarrier, text, Self::t_barrier),
            Kind::UniformLoad { into, place } => {
                self.by(Rule::TUniformLoad, text, |to| to.t_uniform_load(*into, place))
            }
            Kind::Par(par) => self.by(Rule::TPar, text, |to| to.t_par(par)),
        }
    }

    /// The type of an expression is `ty`.
    pub(super) fn of_type(&mut self, rule: Rule, exp: &Exp, ty: &Ty) -> Checked {
        self.typed(rule, exp, Typed::of(ty))
    }

    /// The same of a type that was found.
    pub(super) fn typed(&mut self, rule: Rule, exp: &Exp, ty: Typed<'_>) -> Checked {
        let given = self.types.exp(exp)?;
        if given != ty {
            return self.types.other_type(rule, given, ty);
        }
        Ok(())
    }

    /// `D-T-LET`
    ///
    /// ```text
    /// Γ ⊢ e : τ                                  (type)
    /// ─────────────────────────────────────────────────
    /// Γ ⊢ let x : τ = e ⊣ Γ, x : τ
    /// ```
    fn t_let(&mut self, var: Var, ty: &'p Ty, exp: &Exp) -> Checked {
        self.of_type(Rule::TLet, exp, ty)?;
        if let Some(root) = self.root(exp) {
            self.roots.insert(var, root);
        }
        self.bind(var, Bound::Value(Typed::of(ty)))
    }

    /// `D-T-VARIABLE`
    ///
    /// ```text
    /// τ can be stored      Γ ⊢ e : τ             (type)
    /// ─────────────────────────────────────────────────
    /// Γ ⊢ var x : τ = e ⊣ Γ, x : ref(function, τ)
    /// ```
    ///
    /// Likewise for the private variables of a kernel and those of a work group, which may also be
    /// atomic and have no e.
    fn t_variable(&mut self, var: Var, ty: &'p Ty, init: Option<&Exp>) -> Checked {
        if !self.types.storable(ty) {
            return wrong(
                Rule::TVariable,
                "type",
                format!("no variable is of {}", self.types.said(Typed::of(ty))),
            );
        }
        if let Some(exp) = init {
            self.of_type(Rule::TVariable, exp, ty)?;
        }
        self.bind(var, Bound::Place(Space::Function, Typed::of(ty)))
    }

    /// `D-T-STORE`
    ///
    /// ```text
    /// Γ ⊢ place : ref(space, τ), without atomics      Γ ⊢ e : τ      (type)
    /// ─────────────────────────────────────────────────────────────────────
    /// Γ ⊢ place = e ⊣ Γ
    /// ```
    fn t_store(&mut self, place: &Place, exp: &Exp) -> Checked {
        let (_, ty) = self.types.place(place)?;
        if let Typed::Other(of) = ty
            && !self.types.storable(of)
        {
            return wrong(Rule::TStore, "type", "atomics are written by `atomic store`");
        }
        self.typed(Rule::TStore, exp, ty)
    }

    /// `D-T-ATOMIC`
    ///
    /// ```text
    /// Γ ⊢ place : ref(workgroup, atomic[T]) or ref(storage, atomic[T])  (place)
    /// as many operands as the operation wants  (arity), each Γ ⊢ eᵢ : T  (type)
    /// a store has no result  (result)
    /// ───────────────────────────────────────────────────────────────
    /// Γ ⊢ x = atomic op(place, e₁, …) ⊣ Γ, x : T
    /// ```
    fn t_atomic(
        &mut self,
        into: Option<Var>,
        op: AtomicOp,
        place: &Place,
        operands: &[Exp],
    ) -> Checked {
        let sc = match self.types.place(place)? {
            (Space::Workgroup | Space::Storage, Typed::Other(Ty::Atomic(sc))) => *sc,
            (space, ty) => {
                let message = format!(
                    "no atomics on {} of the {} space",
                    self.types.said(ty),
                    print::space(space)
                );
                return wrong(Rule::TAtomic, "place", message);
            }
        };
        if operands.len() != op.arity() {
            let message = format!("{} takes {} operands", op.name(), op.arity());
            return wrong(Rule::TAtomic, "arity", message);
        }
        for operand in operands {
            self.typed(Rule::TAtomic, operand, Typed::Scalar(sc))?;
        }
        let Some(into) = into else { return Ok(()) };
        if op == AtomicOp::Store {
            return wrong(Rule::TAtomic, "result", "a store gives no old value");
        }
        self.bind(into, Bound::Value(Typed::Scalar(sc)))
    }

    /// `D-T-IF`
    ///
    /// ```text
    /// Γ ⊢ e : bool      (type)      Γ ⊢ s̄ ⊣ Γ'      Γ ⊢ s̄' ⊣ Γ''
    /// ────────────────────────────────────────────────────────────
    /// Γ ⊢ if e { s̄ } else { s̄' } ⊣ Γ
    /// ```
    fn t_if(&mut self, branch: &'p If<Kind>) -> Checked {
        self.of_type(Rule::TIf, &branch.cond, &BOOL)?;
        self.block(&branch.then)?;
        self.block(&branch.orelse)
    }

    /// `D-T-SWITCH`
    ///
    /// ```text
    /// Γ ⊢ e : τ      τ is i32 or u32      Γ ⊢ kᵢ : τ      (type)
    /// kᵢ ≠ kⱼ for i ≠ j                               (distinct)
    /// Γ ⊢ s̄ᵢ ⊣ Γᵢ      Γ ⊢ s̄' ⊣ Γ'
    /// ──────────────────────────────────────────────────────────
    /// Γ ⊢ switch e { k₁ { s̄₁ } … else { s̄' } } ⊣ Γ
    /// ```
    fn t_switch(&mut self, switch: &'p Switch) -> Checked {
        let given = self.types.exp(&switch.value)?;
        if !matches!(given, Typed::Scalar(Sc::I32 | Sc::U32)) {
            let message = format!("no switch by {}", self.types.said(given));
            return wrong(Rule::TSwitch, "type", message);
        }
        for (number, case) in switch.cases.iter().enumerate() {
            let literal = Typed::Scalar(case.literal.sc());
            if literal != given {
                let (literal, given) = (self.types.said(literal), self.types.said(given));
                let message = format!("a case of {literal} in a switch by {given}");
                return wrong(Rule::TSwitch, "type", message);
            }
            if switch.cases[..number].iter().any(|other| other.literal == case.literal) {
                return wrong(Rule::TSwitch, "distinct", "two cases have the same literal");
            }
        }
        switch.cases.iter().try_for_each(|case| self.block(&case.body))?;
        self.block(&switch.orelse)
    }

    /// `D-T-LOOP`
    ///
    /// ```text
    /// Γ ⊢ eᵢ : τᵢ      Γ, x̄ : τ̄ ⊢ c : bool      Γ ⊢ f : u32      (type)
    /// Γ, x̄ : τ̄ ⊢ s̄ ⊣ Γ'      as many next as carried  (arity)      Γ' ⊢ e'ᵢ : τᵢ
    /// ──────────────────────────────────────────────────────────────
    /// Γ ⊢ loop (xᵢ : τᵢ = eᵢ) while c fuel f { s̄ } next (e'ᵢ) ⊣ Γ, x̄ : τ̄
    /// ```
    fn t_loop(&mut self, rounds: &'p Loop<Kind>) -> Checked {
        self.loop_head(rounds)?;
        let span = self.span;
        self.scoped(|check| {
            rounds.body.iter().try_for_each(|stm| check.stm(stm))?;
            check.span = span;
            check.loop_next(rounds)
        })
    }

    /// The carried variables, the condition and the fuel.
    pub(super) fn loop_head<K>(&mut self, rounds: &'p Loop<K>) -> Checked {
        if rounds.next.len() != rounds.carried.len() {
            let message =
                format!("{} carried, but {} next", rounds.carried.len(), rounds.next.len());
            return wrong(Rule::TLoop, "arity", message);
        }
        for carried in &rounds.carried {
            if !matches!(carried.ty, Ty::Scalar(_) | Ty::Vector(..) | Ty::Block(_)) {
                let message =
                    format!("{} is not carried by a loop", self.types.said(Typed::of(&carried.ty)));
                return wrong(Rule::TLoop, "type", message);
            }
            self.of_type(Rule::TLoop, &carried.init, &carried.ty)?;
        }
        if let Some(fuel) = &rounds.fuel {
            self.of_type(Rule::TLoop, fuel, &U32)?;
        }
        for carried in &rounds.carried {
            self.bind(carried.var, Bound::Value(Typed::of(&carried.ty)))?;
        }
        self.of_type(Rule::TLoop, &rounds.cond, &BOOL)
    }

    /// What is assigned after a round.
    pub(super) fn loop_next<K>(&mut self, rounds: &Loop<K>) -> Checked {
        for (carried, next) in rounds.carried.iter().zip(&rounds.next) {
            self.of_type(Rule::TLoop, next, &carried.ty)?;
        }
        Ok(())
    }

    /// `D-T-CALL`
    ///
    /// ```text
    /// f stands before the caller  (earlier)      as many arguments as parameters  (arity)
    /// Γ ⊢ eᵢ : τᵢ  (type)      x only if f has a result  (result)
    /// no two pointers into one variable, and none into a variable of the program that f names  (alias)
    /// f names no work-group variable, or the call stands in no parallel loop of the host  (group)
    /// ──────────────────────────────────────────────────────────────
    /// Γ ⊢ x = call f(e₁, …) ⊣ Γ, x : τ
    /// ```
    ///
    /// A function names what it accesses itself, and what the functions name that it calls
    /// ([`Globals`](crate::device::globals::Globals)).
    fn t_call(&mut self, into: Option<Var>, number: u32, args: &[Exp]) -> Checked {
        let program = self.types.program;
        if number >= self.callable {
            let message = "a function is called in itself, or above its declaration";
            let help =
                "a function may call those that are declared above it: there is no recursion";
            return wrong_with(Rule::TCall, "earlier", message, help);
        }
        let function = &program.functions[number as usize];
        if args.len() != function.params.len() {
            let message = format!("`{}` takes {} arguments", function.name, function.params.len());
            return wrong(Rule::TCall, "arity", message);
        }
        let mut roots = Vec::new();
        for (arg, (_, ty)) in args.iter().zip(&function.params) {
            let given = self.types.exp(arg)?;
            if given != Typed::of(ty) {
                return self.types.other_type(Rule::TCall, given, Typed::of(ty));
            }
            let Some(root) = self.root(arg) else { continue };
            if roots.contains(&root) {
                let name = program.names.written(root);
                let message = format!("two pointers into `{name}`");
                return wrong(Rule::TCall, "alias", message);
            }
            if self.globals.function(number).contains(&root) {
                let (name, function) = (program.names.written(root), &function.name);
                let message = format!("a pointer into `{name}`, which `{function}` names itself");
                return wrong(Rule::TCall, "alias", message);
            }
            roots.push(root);
        }
        let mut named = self.globals.function(number).iter();
        let of_group = named.find(|var| self.globals.is_workgroup(**var));
        if let (Some(var), Context::HostPar) = (of_group, self.types.context) {
            let (name, function) = (program.names.written(*var), &function.name);
            let message = format!("`{function}` names `{name}`, and there is no work group here");
            return wrong(Rule::TCall, "group", message);
        }
        let Some(into) = into else { return Ok(()) };
        match &function.result {
            Some((ty, _)) => self.bind(into, Bound::Value(Typed::of(ty))),
            None => {
                let message = format!("`{}` has no result", function.name);
                wrong(Rule::TCall, "result", message)
            }
        }
    }

    /// The variable that a pointer points into; none for blocks and what is no pointer.
    fn root(&self, exp: &Exp) -> Option<Var> {
        match exp {
            Exp::Ref(place) => self.place_root(place),
            Exp::Var(var) => match (self.roots.get(var), self.types.bound(*var)) {
                (Some(root), _) => Some(*root),
                (None, Some(Bound::Value(Typed::Ptr(..)))) => Some(*var),
                _ => None,
            },
            _ => None,
        }
    }

    fn place_root(&self, place: &Place) -> Option<Var> {
        match place {
            Place::Var(var) => Some(*var),
            Place::Deref(pointer) => self.root(pointer),
            Place::Element(..) => None,
            Place::At(inner, _) | Place::Field(inner, _) => self.place_root(inner),
        }
    }

    /// `D-T-CHECK`
    ///
    /// ```text
    /// as many operands as the site's cause takes              (arity)
    /// operands are integers, the path and the order are of i32   (type)
    /// it has no order, or it stands in the body of a kernel    (kernel)
    /// ──────────────────────────────────────────────────────────────
    /// Γ ⊢ check site(e₁, …) at path order (e'₁, …) ⊣ Γ
    /// ```
    ///
    /// An order is one of the checks of a work group, and it is not said how many iterations of a parallel loop of
    /// the host make one. A function may be called there. On the host nothing happens at once.
    pub(super) fn t_check(&mut self, check: &syntax::Check) -> Checked {
        let site = self.types.program.sites.get(check.site as usize);
        if !site.is_some_and(|site| site.cause.takes(check.operands.len())) {
            let message = match site {
                Some(site) => format!("`{}` has other operands", site.cause.name()),
                None => format!("there is no site {}", check.site),
            };
            return wrong(Rule::TCheck, "arity", message);
        }
        for operand in &check.operands {
            let ty = self.types.exp(operand)?;
            if !integer(ty) {
                return wrong(
                    Rule::TCheck,
                    "type",
                    format!("{} is no integer", self.types.said(ty)),
                );
            }
        }
        for index in check.path.iter().chain(check.components()) {
            self.of_type(Rule::TCheck, index, &I32)?;
        }
        if check.order.is_some() && self.types.context != Context::Kernel {
            let message = "a check with an order stands in a kernel only";
            return wrong(Rule::TCheck, "kernel", message);
        }
        Ok(())
    }

    /// `D-T-BARRIER`
    ///
    /// ```text
    /// it stands in the body of a kernel, in no parallel loop     (kernel)
    /// all invocations of a group come to it or none do          (uniform)
    /// ───────────────────────────────────────────────────────────────────
    /// Γ ⊢ barrier m ⊣ Γ
    /// ```
    ///
    /// The second premise is tested for the whole kernel, [where control flow is uniform](super::uniform).
    fn t_barrier(&mut self) -> Checked {
        if self.types.context != Context::Kernel || self.nested {
            return wrong(Rule::TBarrier, "kernel", "a barrier stands in a kernel only");
        }
        Ok(())
    }

    /// `D-T-UNIFORM-LOAD`
    ///
    /// ```text
    /// it stands in the body of a kernel, in no parallel loop                       (kernel)
    /// place is a variable, or a field of one, and Γ ⊢ place : ref(workgroup, τ)      (place)
    /// τ is a scalar and not bool, or a vector                                        (type)
    /// all invocations of a group come to it or none do                            (uniform)
    /// ───────────────────────────────────────────────────────────────────────────────────
    /// Γ ⊢ x = uniform load place ⊣ Γ, x : τ
    /// ```
    ///
    /// The last premise is tested as that of `D-T-BARRIER` is; x counts as uniform there.
    fn t_uniform_load(&mut self, into: Var, place: &'p Place) -> Checked {
        if self.types.context != Context::Kernel || self.nested {
            let message = "a uniform load stands in a kernel only";
            return wrong(Rule::TUniformLoad, "kernel", message);
        }
        let (space, ty) = self.types.place(place)?;
        if space != Space::Workgroup || !place.is_fixed() {
            let message = "a uniform load is of a work-group variable or a field of one";
            return wrong(Rule::TUniformLoad, "place", message);
        }
        if !matches!(ty, Typed::Scalar(Sc::I32 | Sc::U32 | Sc::I64 | Sc::F32 | Sc::F64))
            && !matches!(ty, Typed::Other(Ty::Vector(..)))
        {
            let message = format!("no uniform load of {}", self.types.said(ty));
            return wrong(Rule::TUniformLoad, "type", message);
        }
        self.bind(into, Bound::Value(ty))
    }

    /// `D-T-PAR`
    ///
    /// ```text
    /// Γ ⊢ e : i32      (type)      Γ, x : i32 ⊢ s̄ ⊣ Γ'
    /// ─────────────────────────────────────────────────
    /// Γ ⊢ par x <= e { s̄ } ⊣ Γ
    /// ```
    ///
    /// Where the loop stands on the host, so does e.
    pub(super) fn t_par(&mut self, par: &'p Par) -> Checked {
        self.of_type(Rule::TPar, &par.count, &I32)?;
        let around = self.types.context;
        if around == Context::Host {
            self.types.context = Context::HostPar;
            self.callable = self.types.program.functions.len() as u32;
        }
        let nested = std::mem::replace(&mut self.nested, true);
        self.scoped(|check| {
            check.bind(par.var, Bound::Value(Typed::Scalar(Sc::I32)))?;
            par.body.iter().try_for_each(|stm| check.stm(stm))
        })?;
        self.nested = nested;
        self.types.context = around;
        Ok(())
    }
}
