//! Types of a device program's variables and expressions. Names are bound once in a program, so
//! one table holds them all, and a pass enters the names that it makes.

use reference::device::syntax::{
    BOOL, Block, Element, Exp, F32, F64, Host, HostBlock, I32, I64, Kernel, Kind, Loop, Place,
    Program, Sc, Space, Ty, U32,
};
use reference::device::visit;
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

/// Words of an argument.
pub(crate) fn words(ty: &Ty) -> usize {
    match ty {
        Ty::Block(_) | Ty::Scalar(Sc::I64 | Sc::F64) => 2,
        _ => 1,
    }
}

/// Types that nearly all variables have: scalars and, behind them, plain blocks, in the order of [`Sc`].
static COMMON: [Ty; 12] = [
    BOOL,
    I32,
    U32,
    I64,
    F32,
    F64,
    Ty::Block(Element::Plain(Sc::Bool)),
    Ty::Block(Element::Plain(Sc::I32)),
    Ty::Block(Element::Plain(Sc::U32)),
    Ty::Block(Element::Plain(Sc::I64)),
    Ty::Block(Element::Plain(Sc::F32)),
    Ty::Block(Element::Plain(Sc::F64)),
];

/// The type of each variable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Types {
    /// By slot the number of its type, from 1 on: first those of the common types, then those of the others.
    /// 0 if it is bound nowhere.
    vars: Vec<u32>,
    /// Each once.
    others: Vec<Ty>,
    structs: Vec<Vec<Ty>>,
    results: Vec<Option<Ty>>,
}

impl Types {
    /// Of a program that the validator accepts.
    pub(crate) fn of(program: &Program) -> Self {
        let mut types = Self::of_params(program);
        types.host(&program.host, true);
        for function in &program.functions {
            types.enter_all(&function.params);
            types.block(&function.body);
        }
        for kernel in &program.kernels {
            types.enter_kernel(kernel);
            types.block(&kernel.body);
        }
        types
    }

    /// The variables of the host alone.
    pub(crate) fn of_host(program: &Program) -> Self {
        let mut types = Self::of_params(program);
        types.host(&program.host, false);
        types
    }

    /// The parameters of a program alone, for a pass that goes over its kernels and enters what they bind.
    pub(crate) fn of_params(program: &Program) -> Self {
        let fields = |declared: &reference::device::syntax::Struct| {
            declared.fields.iter().map(|(_, ty)| ty.clone()).collect()
        };
        let mut types = Self {
            vars: vec![0; program.names.len()],
            others: Vec::new(),
            structs: program.structs.iter().map(fields).collect(),
            results: program
                .functions
                .iter()
                .map(|function| function.result.as_ref().map(|(ty, _)| ty.clone()))
                .collect(),
        };
        types.enter_all(&program.workgroup);
        types.enter_all(&program.private);
        for param in &program.params {
            types.enter(param.var, &param.ty());
        }
        types
    }

    /// A variable that was made.
    pub(crate) fn enter(&mut self, var: Var, ty: &Ty) {
        if self.vars.len() <= var.slot() {
            self.vars.resize(var.slot() + 1, 0);
        }
        self.vars[var.slot()] = match ty {
            Ty::Scalar(sc) => 1 + *sc as u32,
            Ty::Block(Element::Plain(sc)) => 1 + (COMMON.len() / 2) as u32 + *sc as u32,
            other => 1 + (COMMON.len() + self.other(other)) as u32,
        };
    }

    /// Where a type stands that is not common.
    fn other(&mut self, ty: &Ty) -> usize {
        self.others.iter().position(|other| other == ty).unwrap_or_else(|| {
            self.others.push(ty.clone());
            self.others.len() - 1
        })
    }

    /// Slots of variables up to the last one that has a type.
    pub(crate) fn slots(&self) -> usize {
        self.vars.len()
    }

    /// Is the variable one of the table?
    pub(crate) fn has(&self, var: Var) -> bool {
        self.vars.get(var.slot()).is_some_and(|number| *number > 0)
    }

    /// The type of a variable; of a place, what it holds.
    ///
    /// # Panics
    /// If it is bound nowhere.
    pub(crate) fn var(&self, var: Var) -> &Ty {
        let number = self.vars.get(var.slot()).map_or(0, |number| *number as usize);
        assert!(number > 0, "variable {} is used and bound nowhere", var.0);
        match COMMON.get(number - 1) {
            Some(ty) => ty,
            None => &self.others[number - 1 - COMMON.len()],
        }
    }

    /// What the statements bind; and what parallel loops bind, where that is `inside`.
    fn host(&mut self, body: &HostBlock, inside: bool) {
        visit::stms(body, &mut |stm| match &stm.kind {
            Host::Let(var, ty, _) => self.enter(*var, ty),
            Host::Alloc { block, element, .. } => self.enter(*block, &Ty::Block(*element)),
            Host::Read { into, block, .. } => {
                let element = self.element(block);
                self.enter(*into, &Ty::Scalar(element.sc()));
            }
            Host::Loop(rounds) => self.enter_carried(rounds),
            Host::Par(par) if inside => {
                self.enter(par.var, &I32);
                self.block(&par.body);
            }
            _ => {}
        });
    }

    fn enter_carried<K>(&mut self, rounds: &Loop<K>) {
        for carried in &rounds.carried {
            self.enter(carried.var, &carried.ty);
        }
    }

    fn block(&mut self, body: &Block) {
        visit::stms(body, &mut |stm| self.binds(&stm.kind));
    }

    /// What a kernel has before its body.
    pub(crate) fn enter_kernel(&mut self, kernel: &Kernel) {
        self.enter_all(&kernel.params);
        self.enter_all(&kernel.workgroup);
        self.enter_all(&kernel.private);
    }

    /// Variables of these types.
    pub(crate) fn enter_all(&mut self, bindings: &[(Var, Ty)]) {
        for (var, ty) in bindings {
            self.enter(*var, ty);
        }
    }

    /// What a statement itself binds, for a pass that comes to each before any that uses it.
    pub(crate) fn binds(&mut self, stm: &Kind) {
        match stm {
            Kind::Let(var, ty, _) | Kind::Var(var, ty, _) => self.enter(*var, ty),
            Kind::Atomic { into: Some(into), place, .. } => {
                let sc = match self.place(place) {
                    Ty::Atomic(sc) => sc,
                    other => panic!("an atomic operation on {other:?}"),
                };
                self.enter(*into, &Ty::Scalar(sc));
            }
            Kind::UniformLoad { into, place } => {
                let ty = self.place(place);
                self.enter(*into, &ty);
            }
            Kind::Loop(rounds) => self.enter_carried(rounds),
            Kind::Call { into: Some(into), function, .. } => {
                if let Some(ty) = self.results[*function as usize].clone() {
                    self.enter(*into, &ty);
                }
            }
            Kind::Par(par) => self.enter(par.var, &I32),
            _ => {}
        }
    }

    /// The elements of an expression that is a block.
    pub(crate) fn element(&self, block: &Exp) -> Element {
        if let Exp::Var(var) = block
            && let Ty::Block(element) = self.var(*var)
        {
            return *element;
        }
        match self.exp(block) {
            Ty::Block(element) => element,
            other => panic!("{other:?} is no block"),
        }
    }

    /// The type of an expression.
    ///
    /// # Panics
    /// If it has none, which the validator excludes.
    pub(crate) fn exp(&self, exp: &Exp) -> Ty {
        match exp {
            Exp::Lit(lit) => Ty::Scalar(lit.sc()),
            Exp::Var(var) => self.var(*var).clone(),
            Exp::Builtin(_) | Exp::Length(_) | Exp::Base(_) => U32,
            Exp::Un(_, a) => self.exp(a),
            Exp::Bin(op, ab) => match op {
                BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => BOOL,
                _ => self.exp(&ab[0]),
            },
            Exp::Select(parts) => self.exp(&parts[1]),
            Exp::Cast(sc, _) | Exp::Bitcast(sc, _) => Ty::Scalar(*sc),
            Exp::Make(made) => made.0.clone(),
            Exp::At(parts) => self.inner(&self.exp(&parts[0])),
            Exp::Field(value, field) => self.field(&self.exp(value), *field),
            Exp::Load(place) => self.place(place),
            Exp::Ref(place) => Ty::Ptr(self.space(place), Box::new(self.place(place))),
            Exp::Block(element, _) => Ty::Block(*element),
        }
    }

    /// The type of an expression, if it is a scalar.
    ///
    /// # Panics
    /// As [`Types::exp`].
    pub(crate) fn sc(&self, exp: &Exp) -> Option<Sc> {
        let of = |ty: &Ty| match ty {
            Ty::Scalar(sc) => Some(*sc),
            _ => None,
        };
        match exp {
            Exp::Lit(lit) => Some(lit.sc()),
            Exp::Var(var) => of(self.var(*var)),
            Exp::Builtin(_) | Exp::Length(_) | Exp::Base(_) => Some(Sc::U32),
            Exp::Bin(BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, ..) => {
                Some(Sc::Bool)
            }
            Exp::Un(_, a) => self.sc(a),
            Exp::Bin(_, ab) => self.sc(&ab[0]),
            Exp::Select(parts) => self.sc(&parts[1]),
            Exp::Cast(sc, _) | Exp::Bitcast(sc, _) => Some(*sc),
            Exp::Load(place) => match &**place {
                Place::Var(var) => of(self.var(*var)),
                Place::Element(block, _) => Some(self.element(block).sc()),
                other => of(&self.place(other)),
            },
            Exp::Make(..) | Exp::At(..) | Exp::Field(..) | Exp::Ref(_) | Exp::Block(..) => {
                of(&self.exp(exp))
            }
        }
    }

    /// The type of what a place holds.
    pub(crate) fn place(&self, place: &Place) -> Ty {
        match place {
            Place::Var(var) => self.var(*var).clone(),
            Place::Deref(pointer) => match self.exp(pointer) {
                Ty::Ptr(_, ty) => *ty,
                other => panic!("{other:?} is no pointer"),
            },
            Place::Element(block, _) => self.element(block).ty(),
            Place::At(array, _) => self.inner(&self.place(array)),
            Place::Field(value, field) => self.field(&self.place(value), *field),
        }
    }

    fn inner(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Array(inner, _) => (**inner).clone(),
            Ty::Vector(sc, _) => Ty::Scalar(*sc),
            other => panic!("{other:?} has no elements"),
        }
    }

    fn field(&self, ty: &Ty, field: u32) -> Ty {
        match ty {
            Ty::Struct(number) => self.structs[*number as usize][field as usize].clone(),
            other => panic!("{other:?} has no fields"),
        }
    }

    /// The space that a place lies in.
    pub(crate) fn space(&self, place: &Place) -> Space {
        match place {
            Place::Deref(pointer) => match self.exp(pointer) {
                Ty::Ptr(space, _) => space,
                other => panic!("{other:?} is no pointer"),
            },
            Place::Element(..) => Space::Storage,
            Place::At(place, _) | Place::Field(place, _) => self.space(place),
            // Only the declaration knows; a pass that needs it asks where it was declared.
            Place::Var(_) => Space::Function,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{COMMON, Types};
    use reference::device::syntax::{Sc, Ty};
    use reference::kit::names::Var;

    #[test]
    fn a_variable_has_the_type_that_it_was_entered_with() {
        let others = [Ty::Struct(1), Ty::Vector(Sc::F32, 3), Ty::Struct(0), Ty::Vector(Sc::F32, 3)];
        let mut types = Types::default();
        let entered = || COMMON.iter().chain(&others).rev().enumerate();
        for (slot, ty) in entered() {
            types.enter(Var(slot as u32), ty);
        }
        for (slot, ty) in entered() {
            assert_eq!(types.var(Var(slot as u32)), ty);
        }
    }
}
