//! Types of expressions and places, with their rules. The validator, the evaluator and whoever
//! emits code ask here.

use super::print;
use super::rules::Rule;
use super::scalar;
use super::syntax::{
    BOOL, Block, Builtin, Exp, Function, Host, HostBlock, I32, I64, Kind, Place, Program, Sc,
    Space, Ty, U32,
};
use crate::kit::names::Var;
use crate::kit::rules::Roll;
use crate::kit::scalar::BinOp;

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bound {
    /// A value: let-bound, a parameter, carried, or a variable of the host.
    Value(Ty),
    /// A place of this space.
    Place(Space, Ty),
}

/// Why something has no type: the premise of a rule that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The rule.
    pub rule: Rule,
    /// The premise.
    pub premise: &'static str,
    /// One sentence.
    pub message: String,
}

pub(super) fn wrong<T>(
    rule: Rule,
    premise: &'static str,
    message: impl Into<String>,
) -> Result<T, Wrong> {
    Err(Wrong { rule, premise, message: message.into() })
}

/// Where an expression stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Context {
    /// Among the statements of the host.
    Host,
    /// In the body of a parallel loop of the host.
    HostPar,
    /// In a kernel.
    Kernel,
    /// In a function.
    Function,
}

/// The environment `Γ`: what variables stand for, and which are in scope.
pub struct Types<'p> {
    /// The program.
    pub program: &'p Program,
    /// Where the expressions stand.
    pub context: Context,
    bound: Vec<Option<Bound>>,
    /// Cells of each structure; a wrong structure has too many.
    structs: Vec<u64>,
    /// How often each rule applied.
    pub(super) applied: Vec<u64>,
}

impl<'p> Types<'p> {
    /// Nothing in scope.
    pub(super) fn empty(program: &'p Program) -> Self {
        let mut types = Self {
            program,
            context: Context::Host,
            bound: vec![None; program.names.len()],
            structs: Vec::new(),
            applied: vec![0; Rule::ALL.len()],
        };
        for declared in &program.structs {
            let cells = declared.fields.iter().map(|(_, ty)| types.cells(ty));
            let cells = cells.fold(0, u64::saturating_add);
            types.structs.push(cells);
        }
        types
    }

    /// Every variable of a valid program.
    pub fn of(program: &'p Program) -> Self {
        let mut types = Self::empty(program);
        // Of a valid program each expression stands where it may; a kernel may have any.
        types.context = Context::Kernel;
        for param in &program.params {
            let ty = if param.shape.is_some() { Ty::Block(Sc::I32) } else { I32 };
            types.bind(param.var, Bound::Value(ty));
        }
        types.host(&program.host);
        for Function { params, body, .. } in &program.functions {
            types.values(params);
            types.block(body);
        }
        for kernel in &program.kernels {
            types.values(&kernel.params);
            types.places(Space::Workgroup, &kernel.workgroup);
            types.places(Space::Private, &kernel.private);
            types.block(&kernel.body);
        }
        types
    }

    /// Brings a variable into scope.
    pub(super) fn bind(&mut self, var: Var, bound: Bound) {
        self.bound[var.slot()] = Some(bound);
    }

    /// Takes a variable out of scope.
    pub(super) fn unbind(&mut self, var: Var) {
        self.bound[var.slot()] = None;
    }

    /// What a variable in scope stands for.
    pub fn bound(&self, var: Var) -> Option<&Bound> {
        self.bound[var.slot()].as_ref()
    }

    pub(super) fn values(&mut self, vars: &[(Var, Ty)]) {
        for (var, ty) in vars {
            self.bind(*var, Bound::Value(ty.clone()));
        }
    }

    pub(super) fn places(&mut self, space: Space, vars: &[(Var, Ty)]) {
        for (var, ty) in vars {
            self.bind(*var, Bound::Place(space, ty.clone()));
        }
    }

    fn host(&mut self, body: &HostBlock) {
        for stm in body {
            match &stm.kind {
                Host::Let(var, ty, _) => self.bind(*var, Bound::Value(ty.clone())),
                Host::Alloc { block, element, .. } => {
                    self.bind(*block, Bound::Value(Ty::Block(*element)));
                }
                Host::Read { into, block, .. } => {
                    let element = match self.exp(block) {
                        Ok(Ty::Block(element)) => Ty::Scalar(element),
                        _ => continue,
                    };
                    self.bind(*into, Bound::Value(element));
                }
                Host::If(branch) => {
                    self.host(&branch.then);
                    self.host(&branch.orelse);
                }
                Host::Loop(rounds) => {
                    for carried in &rounds.carried {
                        self.bind(carried.var, Bound::Value(carried.ty.clone()));
                    }
                    self.host(&rounds.body);
                }
                Host::Par(par) => {
                    self.bind(par.var, Bound::Value(I32));
                    self.block(&par.body);
                }
                _ => {}
            }
        }
    }

    fn block(&mut self, body: &Block) {
        for stm in body {
            match &stm.kind {
                Kind::Let(var, ty, _) => self.bind(*var, Bound::Value(ty.clone())),
                Kind::Var(var, ty, _) => {
                    self.bind(*var, Bound::Place(Space::Function, ty.clone()));
                }
                Kind::Atomic { into: Some(into), place, .. } => {
                    if let Ok((_, Ty::Atomic(sc) | Ty::Scalar(sc))) = self.place(place) {
                        self.bind(*into, Bound::Value(Ty::Scalar(sc)));
                    }
                }
                Kind::Call { into: Some(into), function, .. } => {
                    let function = self.program.functions.get(*function as usize);
                    if let Some((ty, _)) = function.and_then(|function| function.result.as_ref()) {
                        self.bind(*into, Bound::Value(ty.clone()));
                    }
                }
                Kind::If(branch) => {
                    self.block(&branch.then);
                    self.block(&branch.orelse);
                }
                Kind::Loop(rounds) => {
                    for carried in &rounds.carried {
                        self.bind(carried.var, Bound::Value(carried.ty.clone()));
                    }
                    self.block(&rounds.body);
                }
                Kind::Par(par) => {
                    self.bind(par.var, Bound::Value(I32));
                    self.block(&par.body);
                }
                _ => {}
            }
        }
    }

    /// Applies a rule.
    pub(super) fn by(&mut self, rule: Rule) {
        self.applied[rule.number()] += 1;
    }

    /// `Γ ⊢ e : τ`
    ///
    /// # Errors
    /// The first premise that fails.
    pub fn exp(&mut self, exp: &Exp) -> Result<Ty, Wrong> {
        if self.context == Context::Host
            && matches!(
                exp,
                Exp::Make(..) | Exp::At(..) | Exp::Field(..) | Exp::Load(_) | Exp::Ref(_)
            )
        {
            self.by(Rule::THost);
            return wrong(Rule::THost, "host", "the host has scalars and blocks only");
        }
        match exp {
            Exp::Lit(lit) => Ok(Ty::Scalar(lit.sc())),
            Exp::Var(var) => self.t_var(*var),
            Exp::Builtin(builtin) => self.t_builtin(*builtin),
            Exp::Un(op, a) => {
                self.by(Rule::TUn);
                match self.exp(a)? {
                    Ty::Scalar(sc) if scalar::unary(*op, sc).is_some() => Ok(Ty::Scalar(sc)),
                    ty => wrong(
                        Rule::TUn,
                        "type",
                        format!("no `{}` of {}", print::unary(*op), self.said(&ty)),
                    ),
                }
            }
            Exp::Bin(op, a, b) => self.t_bin(*op, a, b),
            Exp::Select(c, a, b) => self.t_select(c, a, b),
            Exp::Cast(to, a) => {
                self.by(Rule::TCast);
                match self.exp(a)? {
                    Ty::Scalar(_) => Ok(Ty::Scalar(*to)),
                    ty => {
                        wrong(Rule::TCast, "type", format!("{} is not converted", self.said(&ty)))
                    }
                }
            }
            Exp::Bitcast(to, a) => {
                self.by(Rule::TBitcast);
                match self.exp(a)? {
                    Ty::Scalar(sc) if scalar::bitcast(sc, *to).is_some() => Ok(Ty::Scalar(*to)),
                    ty => wrong(
                        Rule::TBitcast,
                        "type",
                        format!("{} has no bits of {}", self.said(&ty), print::scalar(*to)),
                    ),
                }
            }
            Exp::Make(made) => self.t_make(&made.0, &made.1),
            Exp::At(a, i) => {
                let ty = self.exp(a)?;
                self.t_at(&ty, i)
            }
            Exp::Field(a, k) => {
                let ty = self.exp(a)?;
                self.t_field(&ty, *k)
            }
            Exp::Load(place) => {
                self.by(Rule::TLoad);
                let (_, ty) = self.place(place)?;
                match self.has_atomic(&ty) {
                    false => Ok(ty),
                    true => wrong(Rule::TLoad, "type", "atomics are read by `atomic load`"),
                }
            }
            Exp::Ref(place) => self.t_ref(place),
            Exp::Length(b) => self.t_part(Rule::TLength, b),
            Exp::Base(b) => self.t_part(Rule::TBase, b),
            Exp::Block(element, base, length) => {
                self.by(Rule::TBlock);
                if self.exp(base)? != U32 || self.exp(length)? != U32 || *element == Sc::Bool {
                    return wrong(Rule::TBlock, "type", "a block has u32 base and length");
                }
                Ok(Ty::Block(*element))
            }
        }
    }

    /// `D-T-VAR`: `x : τ ∈ Γ`  (scope)
    fn t_var(&mut self, var: Var) -> Result<Ty, Wrong> {
        self.by(Rule::TVar);
        match self.bound(var) {
            Some(Bound::Value(ty)) => Ok(ty.clone()),
            Some(Bound::Place(..)) => {
                let name = self.program.names.text(var);
                wrong(Rule::TPlace, "place", format!("`{name}` is a place, not a value"))
            }
            None => self.unbound(var),
        }
    }

    fn unbound<T>(&self, var: Var) -> Result<T, Wrong> {
        let name = self.program.names.text(var);
        wrong(Rule::TVar, "scope", format!("`{name}` is not in scope"))
    }

    /// `D-T-BUILTIN`: in the body of a kernel only  (kernel)
    fn t_builtin(&mut self, _: Builtin) -> Result<Ty, Wrong> {
        self.by(Rule::TBuiltin);
        match self.context {
            Context::Kernel => Ok(U32),
            _ => wrong(Rule::TBuiltin, "kernel", "only a kernel knows where it runs"),
        }
    }

    /// `D-T-BIN`
    ///
    /// ```text
    /// Γ ⊢ a : τ      Γ ⊢ b : τ      ⊕ : τ × τ → τ'    (type)
    /// ──────────────────────────────────────────────────
    /// Γ ⊢ a ⊕ b : τ'
    /// ```
    fn t_bin(&mut self, op: BinOp, a: &Exp, b: &Exp) -> Result<Ty, Wrong> {
        self.by(Rule::TBin);
        let (a, b) = (self.exp(a)?, self.exp(b)?);
        let result = match &a {
            _ if a != b => None,
            Ty::Scalar(sc) => scalar::result(op, *sc).map(Ty::Scalar),
            Ty::Vector(sc, _) if by_components(op, *sc) => Some(a.clone()),
            _ => None,
        };
        match result {
            Some(ty) => Ok(ty),
            None => wrong(
                Rule::TBin,
                "type",
                format!("no `{}` of {} and {}", print::binary(op), self.said(&a), self.said(&b)),
            ),
        }
    }

    /// `D-T-SELECT`
    fn t_select(&mut self, c: &Exp, a: &Exp, b: &Exp) -> Result<Ty, Wrong> {
        self.by(Rule::TSelect);
        let (c, a, b) = (self.exp(c)?, self.exp(a)?, self.exp(b)?);
        let chooses = matches!(a, Ty::Scalar(_) | Ty::Vector(..) | Ty::Block(_));
        if c != BOOL || a != b || !chooses {
            return wrong(
                Rule::TSelect,
                "type",
                format!("no select({}, {}, {})", self.said(&c), self.said(&a), self.said(&b)),
            );
        }
        Ok(a)
    }

    /// `D-T-MAKE`
    fn t_make(&mut self, ty: &Ty, parts: &[Exp]) -> Result<Ty, Wrong> {
        self.by(Rule::TMake);
        self.well_formed(ty)?;
        let wanted: Vec<Ty> = match ty {
            Ty::Vector(sc, n) => vec![Ty::Scalar(*sc); usize::from(*n)],
            Ty::Array(part, n) => vec![(**part).clone(); *n as usize],
            Ty::Struct(k) => {
                let fields = &self.program.structs[*k as usize].fields;
                fields.iter().map(|(_, ty)| ty.clone()).collect()
            }
            _ => return wrong(Rule::TMake, "type", format!("{} has no parts", self.said(ty))),
        };
        if wanted.len() != parts.len() {
            let message = format!("{} parts, but {} are given", wanted.len(), parts.len());
            return wrong(Rule::TMake, "arity", message);
        }
        for (part, wanted) in parts.iter().zip(&wanted) {
            let part = self.exp(part)?;
            if part != *wanted {
                return wrong(
                    Rule::TMake,
                    "type",
                    format!("{} where {} is wanted", self.said(&part), self.said(wanted)),
                );
            }
        }
        Ok(ty.clone())
    }

    /// `D-T-AT`, of values and of places.
    fn t_at(&mut self, ty: &Ty, index: &Exp) -> Result<Ty, Wrong> {
        self.by(Rule::TAt);
        let index = self.exp(index)?;
        match ty {
            Ty::Array(part, _) if index == I32 || index == U32 => Ok((**part).clone()),
            Ty::Vector(sc, _) if index == I32 || index == U32 => Ok(Ty::Scalar(*sc)),
            _ => wrong(
                Rule::TAt,
                "type",
                format!("no index of {} into {}", self.said(&index), self.said(ty)),
            ),
        }
    }

    /// `D-T-FIELD`, of values and of places.
    fn t_field(&mut self, ty: &Ty, field: u32) -> Result<Ty, Wrong> {
        self.by(Rule::TField);
        if let Ty::Struct(k) = ty
            && let Some(declared) = self.program.structs.get(*k as usize)
            && let Some((_, ty)) = declared.fields.get(field as usize)
        {
            return Ok(ty.clone());
        }
        wrong(Rule::TField, "type", format!("{} has no field {field}", self.said(ty)))
    }

    /// `D-T-REF`: a component of a vector has no pointer  (place)
    fn t_ref(&mut self, place: &Place) -> Result<Ty, Wrong> {
        self.by(Rule::TRef);
        if let Place::At(inner, _) = place
            && let (_, Ty::Vector(..)) = self.place(inner)?
        {
            return wrong(Rule::TRef, "place", "a component of a vector has no pointer");
        }
        let (space, ty) = self.place(place)?;
        Ok(Ty::Ptr(space, Box::new(ty)))
    }

    /// `D-T-LENGTH`, `D-T-BASE`
    fn t_part(&mut self, rule: Rule, block: &Exp) -> Result<Ty, Wrong> {
        self.by(rule);
        match self.exp(block)? {
            Ty::Block(_) => Ok(U32),
            ty => wrong(rule, "type", format!("{} is no block", self.said(&ty))),
        }
    }

    /// `Γ ⊢ place : ref(space, τ)`
    ///
    /// # Errors
    /// The first premise that fails.
    pub fn place(&mut self, place: &Place) -> Result<(Space, Ty), Wrong> {
        match place {
            Place::Var(var) => {
                self.by(Rule::TPlace);
                match self.bound(*var) {
                    Some(Bound::Place(space, ty)) => Ok((*space, ty.clone())),
                    Some(Bound::Value(_)) => {
                        let name = self.program.names.text(*var);
                        wrong(Rule::TPlace, "place", format!("`{name}` is a value, not a place"))
                    }
                    None => self.unbound(*var),
                }
            }
            Place::Deref(pointer) => {
                self.by(Rule::TDeref);
                match self.exp(pointer)? {
                    Ty::Ptr(space, ty) => Ok((space, *ty)),
                    ty => wrong(Rule::TDeref, "type", format!("{} is no pointer", self.said(&ty))),
                }
            }
            Place::Element(block, index) => {
                self.by(Rule::TElement);
                let (block, index) = (self.exp(block)?, self.exp(index)?);
                match block {
                    Ty::Block(sc) if index == I32 || index == U32 || index == I64 => {
                        Ok((Space::Storage, Ty::Scalar(sc)))
                    }
                    _ => {
                        let message =
                            format!("no index of {} into {}", self.said(&index), self.said(&block));
                        wrong(Rule::TElement, "type", message)
                    }
                }
            }
            Place::At(inner, index) => {
                let (space, ty) = self.place(inner)?;
                if let Ty::Array(part, _) = &ty
                    && let Ty::Atomic(_) = **part
                {
                    self.t_at(&ty, index)?;
                    return Ok((space, (**part).clone()));
                }
                Ok((space, self.t_at(&ty, index)?))
            }
            Place::Field(inner, k) => {
                let (space, ty) = self.place(inner)?;
                Ok((space, self.t_field(&ty, *k)?))
            }
        }
    }

    fn has_atomic(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Atomic(_) => true,
            Ty::Array(part, _) => self.has_atomic(part),
            _ => false,
        }
    }

    /// `D-T-TYPE`: `⊢ τ`, no larger than [`MAX_CELLS`]  (type)
    ///
    /// # Errors
    /// If it is not.
    pub(super) fn well_formed(&mut self, ty: &Ty) -> Result<(), Wrong> {
        self.by(Rule::TType);
        let good = match ty {
            Ty::Scalar(_) => true,
            Ty::Vector(sc, n) => matches!(sc, Sc::I32 | Sc::U32 | Sc::F32) && (2..=4).contains(n),
            Ty::Array(part, n) => {
                if let Ty::Ptr(..) = **part {
                    return wrong(Rule::TType, "type", "pointers are not stored");
                }
                self.well_formed(part)?;
                *n >= 1
            }
            Ty::Struct(k) => (*k as usize) < self.program.structs.len(),
            Ty::Ptr(_, to) => {
                if let Ty::Ptr(..) = **to {
                    return wrong(Rule::TType, "type", "pointers are not stored");
                }
                self.well_formed(to)?;
                true
            }
            Ty::Block(sc) => *sc != Sc::Bool,
            Ty::Atomic(sc) => matches!(sc, Sc::I32 | Sc::U32),
        };
        if !good || self.cells(ty) > MAX_CELLS {
            return wrong(Rule::TType, "type", format!("there is no {}", self.said(ty)));
        }
        Ok(())
    }

    /// Can values of this type be stored in the function or private space?
    pub(super) fn storable(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Ptr(..) | Ty::Atomic(_) => false,
            Ty::Array(part, _) => self.storable(part),
            _ => true,
        }
    }

    /// How a type is written.
    pub(super) fn said(&self, ty: &Ty) -> String {
        print::ty(&self.program.structs, ty)
    }

    /// How many scalars a value is made of; a block is two.
    pub fn cells(&self, ty: &Ty) -> u64 {
        match ty {
            Ty::Scalar(_) | Ty::Ptr(..) | Ty::Atomic(_) => 1,
            Ty::Vector(_, n) => u64::from(*n),
            Ty::Array(part, n) => self.cells(part).saturating_mul(u64::from(*n)),
            Ty::Struct(k) => self.structs.get(*k as usize).copied().unwrap_or(u64::MAX),
            Ty::Block(_) => 2,
        }
    }
}

/// Most scalars in a value or variable.
pub const MAX_CELLS: u64 = 1 << 16;

/// Does the operator go by components on vectors?
fn by_components(op: BinOp, sc: Sc) -> bool {
    !matches!(op, BinOp::Shl | BinOp::Shr)
        && scalar::result(op, sc) == Some(sc)
        && !scalar::is_partial(op, sc)
}
