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
use std::borrow::Cow;

/// What a variable stands for, with its type as the program has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound<'p> {
    /// A value: let-bound, a parameter, carried, or a variable of the host.
    Value(&'p Ty),
    /// A place of this space.
    Place(Space, &'p Ty),
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

/// What is found, or why it is not. It is boxed, for nearly all that is asked has a type.
pub(super) type Found<T> = Result<T, Box<Wrong>>;

pub(super) fn wrong<T>(rule: Rule, premise: &'static str, message: impl Into<String>) -> Found<T> {
    Err(Box::new(Wrong { rule, premise, message: message.into() }))
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
    bound: Vec<Option<Bound<'p>>>,
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
            let ty = if param.shape.is_some() { Sc::I32.block() } else { &I32 };
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
    pub(super) fn bind(&mut self, var: Var, bound: Bound<'p>) {
        self.bound[var.slot()] = Some(bound);
    }

    /// Takes a variable out of scope.
    pub(super) fn unbind(&mut self, var: Var) {
        self.bound[var.slot()] = None;
    }

    /// What a variable in scope stands for.
    #[inline]
    pub fn bound(&self, var: Var) -> Option<Bound<'p>> {
        self.bound[var.slot()]
    }

    pub(super) fn values(&mut self, vars: &'p [(Var, Ty)]) {
        for (var, ty) in vars {
            self.bind(*var, Bound::Value(ty));
        }
    }

    pub(super) fn places(&mut self, space: Space, vars: &'p [(Var, Ty)]) {
        for (var, ty) in vars {
            self.bind(*var, Bound::Place(space, ty));
        }
    }

    fn host(&mut self, body: &'p HostBlock) {
        for stm in body {
            match &stm.kind {
                Host::Let(var, ty, _) => self.bind(*var, Bound::Value(ty)),
                Host::Alloc { block, element, .. } => {
                    self.bind(*block, Bound::Value(element.block()));
                }
                Host::Read { into, block, .. } => {
                    if let Ok(Ty::Block(element)) = self.exp(block).as_deref() {
                        self.bind(*into, Bound::Value(element.scalar()));
                    }
                }
                Host::If(branch) => {
                    self.host(&branch.then);
                    self.host(&branch.orelse);
                }
                Host::Loop(rounds) => {
                    for carried in &rounds.carried {
                        self.bind(carried.var, Bound::Value(&carried.ty));
                    }
                    self.host(&rounds.body);
                }
                Host::Par(par) => {
                    self.bind(par.var, Bound::Value(&I32));
                    self.block(&par.body);
                }
                _ => {}
            }
        }
    }

    fn block(&mut self, body: &'p Block) {
        for stm in body {
            match &stm.kind {
                Kind::Let(var, ty, _) => self.bind(*var, Bound::Value(ty)),
                Kind::Var(var, ty, _) => {
                    self.bind(*var, Bound::Place(Space::Function, ty));
                }
                Kind::Atomic { into: Some(into), place, .. } => {
                    if let Ok((_, ty)) = self.place(place)
                        && let Ty::Atomic(sc) | Ty::Scalar(sc) = *ty
                    {
                        self.bind(*into, Bound::Value(sc.scalar()));
                    }
                }
                Kind::Call { into: Some(into), function, .. } => {
                    let function = self.program.functions.get(*function as usize);
                    if let Some((ty, _)) = function.and_then(|function| function.result.as_ref()) {
                        self.bind(*into, Bound::Value(ty));
                    }
                }
                Kind::If(branch) => {
                    self.block(&branch.then);
                    self.block(&branch.orelse);
                }
                Kind::Loop(rounds) => {
                    for carried in &rounds.carried {
                        self.bind(carried.var, Bound::Value(&carried.ty));
                    }
                    self.block(&rounds.body);
                }
                Kind::Par(par) => {
                    self.bind(par.var, Bound::Value(&I32));
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
    pub fn exp<'e>(&mut self, exp: &'e Exp) -> Found<Cow<'e, Ty>>
    where
        'p: 'e,
    {
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
            Exp::Lit(lit) => Ok(scalar_type(lit.sc())),
            Exp::Var(var) => self.t_var(*var).map(Cow::Borrowed),
            Exp::Builtin(builtin) => self.t_builtin(*builtin).map(Cow::Borrowed),
            Exp::Un(op, a) => {
                self.by(Rule::TUn);
                match &*self.exp(a)? {
                    Ty::Scalar(sc) if scalar::unary(*op, *sc).is_some() => Ok(scalar_type(*sc)),
                    ty => wrong(
                        Rule::TUn,
                        "type",
                        format!("no `{}` of {}", print::unary(*op), self.said(ty)),
                    ),
                }
            }
            Exp::Bin(op, a, b) => self.t_bin(*op, a, b),
            Exp::Select(c, a, b) => self.t_select(c, a, b),
            Exp::Cast(to, a) => {
                self.by(Rule::TCast);
                match &*self.exp(a)? {
                    Ty::Scalar(_) => Ok(scalar_type(*to)),
                    ty => wrong(Rule::TCast, "type", format!("{} is not converted", self.said(ty))),
                }
            }
            Exp::Bitcast(to, a) => {
                self.by(Rule::TBitcast);
                match &*self.exp(a)? {
                    Ty::Scalar(sc) if scalar::bitcast(*sc, *to).is_some() => Ok(scalar_type(*to)),
                    ty => wrong(
                        Rule::TBitcast,
                        "type",
                        format!("{} has no bits of {}", self.said(ty), print::scalar(*to)),
                    ),
                }
            }
            Exp::Make(made) => self.t_make(&made.0, &made.1).map(Cow::Borrowed),
            Exp::At(a, i) => {
                let ty = self.exp(a)?;
                self.t_at(ty, i)
            }
            Exp::Field(a, k) => {
                let ty = self.exp(a)?;
                self.t_field(&ty, *k).map(Cow::Borrowed)
            }
            Exp::Load(place) => {
                self.by(Rule::TLoad);
                let (_, ty) = self.place(place)?;
                match self.has_atomic(&ty) {
                    false => Ok(ty),
                    true => wrong(Rule::TLoad, "type", "atomics are read by `atomic load`"),
                }
            }
            Exp::Ref(place) => self.t_ref(place).map(Cow::Owned),
            Exp::Length(b) => self.t_part(Rule::TLength, b).map(Cow::Borrowed),
            Exp::Base(b) => self.t_part(Rule::TBase, b).map(Cow::Borrowed),
            Exp::Block(element, base, length) => {
                self.by(Rule::TBlock);
                if *self.exp(base)? != U32 || *self.exp(length)? != U32 || *element == Sc::Bool {
                    return wrong(Rule::TBlock, "type", "a block has u32 base and length");
                }
                Ok(Cow::Borrowed(element.block()))
            }
        }
    }

    /// `D-T-VAR`: `x : τ ∈ Γ`  (scope)
    fn t_var(&mut self, var: Var) -> Found<&'p Ty> {
        self.by(Rule::TVar);
        match self.bound(var) {
            Some(Bound::Value(ty)) => Ok(ty),
            Some(Bound::Place(..)) => {
                let name = self.program.names.text(var);
                wrong(Rule::TPlace, "place", format!("`{name}` is a place, not a value"))
            }
            None => self.unbound(var),
        }
    }

    fn unbound<T>(&self, var: Var) -> Found<T> {
        let name = self.program.names.text(var);
        wrong(Rule::TVar, "scope", format!("`{name}` is not in scope"))
    }

    /// `D-T-BUILTIN`: in the body of a kernel only  (kernel)
    fn t_builtin(&mut self, _: Builtin) -> Found<&'static Ty> {
        self.by(Rule::TBuiltin);
        match self.context {
            Context::Kernel => Ok(&U32),
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
    fn t_bin<'e>(&mut self, op: BinOp, a: &'e Exp, b: &'e Exp) -> Found<Cow<'e, Ty>>
    where
        'p: 'e,
    {
        self.by(Rule::TBin);
        let (a, b) = (self.exp(a)?, self.exp(b)?);
        let result = match (&*a, &*b) {
            (Ty::Scalar(x), Ty::Scalar(y)) if x == y => scalar::result(op, *x).map(scalar_type),
            (Ty::Vector(sc, _), same) if *a == *same && by_components(op, *sc) => Some(a.clone()),
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
    fn t_select<'e>(&mut self, c: &'e Exp, a: &'e Exp, b: &'e Exp) -> Found<Cow<'e, Ty>>
    where
        'p: 'e,
    {
        self.by(Rule::TSelect);
        let (c, a, b) = (self.exp(c)?, self.exp(a)?, self.exp(b)?);
        let chooses = matches!(*a, Ty::Scalar(_) | Ty::Vector(..) | Ty::Block(_));
        if *c != BOOL || a != b || !chooses {
            return wrong(
                Rule::TSelect,
                "type",
                format!("no select({}, {}, {})", self.said(&c), self.said(&a), self.said(&b)),
            );
        }
        Ok(a)
    }

    /// `D-T-MAKE`
    fn t_make<'e>(&mut self, ty: &'e Ty, parts: &[Exp]) -> Found<&'e Ty> {
        self.by(Rule::TMake);
        self.well_formed(ty)?;
        let program = self.program;
        let (wanted, fields) = match ty {
            Ty::Vector(_, n) => (usize::from(*n), None),
            Ty::Array(_, n) => (*n as usize, None),
            Ty::Struct(k) => {
                let fields = &program.structs[*k as usize].fields;
                (fields.len(), Some(fields))
            }
            _ => return wrong(Rule::TMake, "type", format!("{} has no parts", self.said(ty))),
        };
        if wanted != parts.len() {
            let message = format!("{wanted} parts, but {} are given", parts.len());
            return wrong(Rule::TMake, "arity", message);
        }
        for (at, part) in parts.iter().enumerate() {
            let part = self.exp(part)?;
            let wanted = match (ty, fields) {
                (Ty::Vector(sc, _), _) => sc.scalar(),
                (Ty::Array(part, _), _) => part,
                (_, Some(fields)) => &fields[at].1,
                _ => unreachable!("it has parts"),
            };
            if *part != *wanted {
                return wrong(
                    Rule::TMake,
                    "type",
                    format!("{} where {} is wanted", self.said(&part), self.said(wanted)),
                );
            }
        }
        Ok(ty)
    }

    /// `D-T-AT`, of values and of places.
    fn t_at<'e>(&mut self, ty: Cow<'e, Ty>, index: &Exp) -> Found<Cow<'e, Ty>> {
        self.by(Rule::TAt);
        let index = self.exp(index)?;
        if *index == I32 || *index == U32 {
            match ty {
                Cow::Borrowed(Ty::Array(part, _)) => return Ok(Cow::Borrowed(part)),
                Cow::Owned(Ty::Array(part, _)) => return Ok(Cow::Owned(*part)),
                Cow::Borrowed(Ty::Vector(sc, _)) => return Ok(scalar_type(*sc)),
                Cow::Owned(Ty::Vector(sc, _)) => return Ok(scalar_type(sc)),
                _ => {}
            }
        }
        let message = format!("no index of {} into {}", self.said(&index), self.said(&ty));
        wrong(Rule::TAt, "type", message)
    }

    /// `D-T-FIELD`, of values and of places.
    fn t_field(&mut self, ty: &Ty, field: u32) -> Found<&'p Ty> {
        self.by(Rule::TField);
        if let Ty::Struct(k) = ty
            && let Some(declared) = self.program.structs.get(*k as usize)
            && let Some((_, ty)) = declared.fields.get(field as usize)
        {
            return Ok(ty);
        }
        wrong(Rule::TField, "type", format!("{} has no field {field}", self.said(ty)))
    }

    /// `D-T-REF`: a component of a vector has no pointer  (place)
    fn t_ref(&mut self, place: &Place) -> Found<Ty> {
        self.by(Rule::TRef);
        if let Place::At(inner, _) = place
            && let Ty::Vector(..) = *self.place(inner)?.1
        {
            return wrong(Rule::TRef, "place", "a component of a vector has no pointer");
        }
        let (space, ty) = self.place(place)?;
        Ok(Ty::Ptr(space, Box::new(ty.into_owned())))
    }

    /// `D-T-LENGTH`, `D-T-BASE`
    fn t_part(&mut self, rule: Rule, block: &Exp) -> Found<&'static Ty> {
        self.by(rule);
        match &*self.exp(block)? {
            Ty::Block(_) => Ok(&U32),
            ty => wrong(rule, "type", format!("{} is no block", self.said(ty))),
        }
    }

    /// `Γ ⊢ place : ref(space, τ)`
    ///
    /// # Errors
    /// The first premise that fails.
    pub fn place<'e>(&mut self, place: &'e Place) -> Found<(Space, Cow<'e, Ty>)>
    where
        'p: 'e,
    {
        match place {
            Place::Var(var) => {
                self.by(Rule::TPlace);
                match self.bound(*var) {
                    Some(Bound::Place(space, ty)) => Ok((space, Cow::Borrowed(ty))),
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
                    Cow::Borrowed(Ty::Ptr(space, ty)) => Ok((*space, Cow::Borrowed(&**ty))),
                    Cow::Owned(Ty::Ptr(space, ty)) => Ok((space, Cow::Owned(*ty))),
                    ty => wrong(Rule::TDeref, "type", format!("{} is no pointer", self.said(&ty))),
                }
            }
            Place::Element(block, index) => {
                self.by(Rule::TElement);
                let (block, index) = (self.exp(block)?, self.exp(index)?);
                match *block {
                    Ty::Block(sc) if *index == I32 || *index == U32 || *index == I64 => {
                        Ok((Space::Storage, scalar_type(sc)))
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
                Ok((space, self.t_at(ty, index)?))
            }
            Place::Field(inner, k) => {
                let (space, ty) = self.place(inner)?;
                Ok((space, Cow::Borrowed(self.t_field(&ty, *k)?)))
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
    pub(super) fn well_formed(&mut self, ty: &Ty) -> Found<()> {
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

/// The type of scalars.
fn scalar_type<'e>(sc: Sc) -> Cow<'e, Ty> {
    Cow::Borrowed(sc.scalar())
}

/// Does the operator go by components on vectors?
fn by_components(op: BinOp, sc: Sc) -> bool {
    !matches!(op, BinOp::Shl | BinOp::Shr)
        && scalar::result(op, sc) == Some(sc)
        && !scalar::is_partial(op, sc)
}
