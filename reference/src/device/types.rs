//! Types of expressions and places, with their rules. The validator, the evaluator and whoever
//! emits code ask here.

use super::print;
use super::rules::Rule;
use super::scalar;
use super::syntax::{
    Block, Builtin, Exp, Function, Host, HostBlock, Kind, Place, Program, Sc, Space, Ty, UnOp,
};
use crate::kit::names::Var;
use crate::kit::rules::Roll;
use crate::kit::scalar::BinOp;
use std::fmt;

mod typed;
mod well_formed;

pub use typed::Typed;
pub use well_formed::MAX_CELLS;

/// What a variable stands for, with its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound<'p> {
    /// A value: let-bound, a parameter, carried, or a variable of the host.
    Value(Typed<'p>),
    /// A place of this space.
    Place(Space, Typed<'p>),
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

#[cold]
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
            let ty = match param.shape {
                Some(_) => Typed::Block(Sc::I32),
                None => Typed::Scalar(Sc::I32),
            };
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
            self.bind(*var, Bound::Value(Typed::of(ty)));
        }
    }

    pub(super) fn places(&mut self, space: Space, vars: &'p [(Var, Ty)]) {
        for (var, ty) in vars {
            self.bind(*var, Bound::Place(space, Typed::of(ty)));
        }
    }

    fn host(&mut self, body: &'p HostBlock) {
        for stm in body {
            match &stm.kind {
                Host::Let(var, ty, _) => self.bind(*var, Bound::Value(Typed::of(ty))),
                Host::Alloc { block, element, .. } => {
                    self.bind(*block, Bound::Value(Typed::Block(*element)));
                }
                Host::Read { into, block, .. } => {
                    if let Ok(Typed::Block(element)) = self.exp(block) {
                        self.bind(*into, Bound::Value(Typed::Scalar(element)));
                    }
                }
                Host::If(branch) => {
                    self.host(&branch.then);
                    self.host(&branch.orelse);
                }
                Host::Loop(rounds) => {
                    for carried in &rounds.carried {
                        self.bind(carried.var, Bound::Value(Typed::of(&carried.ty)));
                    }
                    self.host(&rounds.body);
                }
                Host::Par(par) => {
                    self.bind(par.var, Bound::Value(Typed::Scalar(Sc::I32)));
                    self.block(&par.body);
                }
                _ => {}
            }
        }
    }

    fn block(&mut self, body: &'p Block) {
        for stm in body {
            match &stm.kind {
                Kind::Let(var, ty, _) => self.bind(*var, Bound::Value(Typed::of(ty))),
                Kind::Var(var, ty, _) => {
                    self.bind(*var, Bound::Place(Space::Function, Typed::of(ty)));
                }
                Kind::Atomic { into: Some(into), place, .. } => {
                    if let Ok((_, Typed::Other(Ty::Atomic(sc)))) = self.place(place) {
                        self.bind(*into, Bound::Value(Typed::Scalar(*sc)));
                    } else if let Ok((_, Typed::Scalar(sc))) = self.place(place) {
                        self.bind(*into, Bound::Value(Typed::Scalar(sc)));
                    }
                }
                Kind::Call { into: Some(into), function, .. } => {
                    let function = self.program.functions.get(*function as usize);
                    if let Some((ty, _)) = function.and_then(|function| function.result.as_ref()) {
                        self.bind(*into, Bound::Value(Typed::of(ty)));
                    }
                }
                Kind::If(branch) => {
                    self.block(&branch.then);
                    self.block(&branch.orelse);
                }
                Kind::Loop(rounds) => {
                    for carried in &rounds.carried {
                        self.bind(carried.var, Bound::Value(Typed::of(&carried.ty)));
                    }
                    self.block(&rounds.body);
                }
                Kind::Par(par) => {
                    self.bind(par.var, Bound::Value(Typed::Scalar(Sc::I32)));
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
    /// Rules are no part of it, so that for a name or a literal next to nothing is done.
    ///
    /// # Errors
    /// The first premise that fails.
    pub fn exp<'e>(&mut self, exp: &'e Exp) -> Found<Typed<'e>>
    where
        'p: 'e,
    {
        match exp {
            Exp::Lit(lit) => Ok(Typed::Scalar(lit.sc())),
            Exp::Var(var) => self.t_var(*var),
            Exp::Builtin(builtin) => self.t_builtin(*builtin),
            Exp::Un(op, a) => self.t_un(*op, a),
            Exp::Bin(op, ab) => self.t_bin(*op, ab),
            Exp::Select(parts) => self.t_select(parts),
            Exp::Cast(to, a) => self.t_cast(*to, a),
            Exp::Bitcast(to, a) => self.t_bitcast(*to, a),
            Exp::Make(made) => self.t_make(&made.0, &made.1),
            Exp::At(parts) => self.at_of_value(parts),
            Exp::Field(a, k) => self.field_of_value(a, *k),
            Exp::Load(place) => self.t_load(place),
            Exp::Ref(place) => self.t_ref(place),
            Exp::Length(b) => self.t_part(Rule::TLength, b),
            Exp::Base(b) => self.t_part(Rule::TBase, b),
            Exp::Block(element, parts) => self.t_block(*element, parts),
        }
    }

    /// `D-T-HOST`: the host has no places, and no values with parts  (host)
    fn off_host(&mut self) -> Found<()> {
        if self.context == Context::Host {
            self.by(Rule::THost);
            return wrong(Rule::THost, "host", "the host has scalars and blocks only");
        }
        Ok(())
    }

    /// `D-T-VAR`: `x : τ ∈ Γ`  (scope)
    pub(super) fn t_var(&mut self, var: Var) -> Found<Typed<'p>> {
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

    #[cold]
    fn unbound<T>(&self, var: Var) -> Found<T> {
        let name = self.program.names.text(var);
        wrong(Rule::TVar, "scope", format!("`{name}` is not in scope"))
    }

    /// `D-T-BUILTIN`: in the body of a kernel only  (kernel)
    fn t_builtin(&mut self, _: Builtin) -> Found<Typed<'static>> {
        self.by(Rule::TBuiltin);
        match self.context {
            Context::Kernel => Ok(Typed::Scalar(Sc::U32)),
            _ => wrong(Rule::TBuiltin, "kernel", "only a kernel knows where it runs"),
        }
    }

    /// `D-T-UN`: `Γ ⊢ a : τ`, which has the operator  (type)
    #[inline(never)]
    fn t_un(&mut self, op: UnOp, a: &Exp) -> Found<Typed<'static>> {
        self.by(Rule::TUn);
        match self.exp(a)? {
            Typed::Scalar(sc) if scalar::unary(op, sc).is_some() => Ok(Typed::Scalar(sc)),
            ty => self.none_of(Rule::TUn, format_args!("no `{}` of", print::unary(op)), &[ty]),
        }
    }

    /// `D-T-BIN`
    ///
    /// ```text
    /// Γ ⊢ a : τ      Γ ⊢ b : τ      ⊕ : τ × τ → τ'    (type)
    /// ──────────────────────────────────────────────────
    /// Γ ⊢ a ⊕ b : τ'
    /// ```
    #[inline(never)]
    fn t_bin<'e>(&mut self, op: BinOp, [a, b]: &'e [Exp; 2]) -> Found<Typed<'e>>
    where
        'p: 'e,
    {
        self.by(Rule::TBin);
        let (a, b) = (self.exp(a)?, self.exp(b)?);
        let result = match (a, b) {
            (Typed::Scalar(x), Typed::Scalar(y)) if x == y => {
                scalar::result(op, x).map(Typed::Scalar)
            }
            (Typed::Other(Ty::Vector(sc, _)), _) if a == b => by_components(op, *sc).then_some(a),
            _ => None,
        };
        match result {
            Some(ty) => Ok(ty),
            None => {
                self.none_of(Rule::TBin, format_args!("no `{}` of", print::binary(op)), &[a, b])
            }
        }
    }

    /// `D-T-SELECT`
    #[inline(never)]
    fn t_select<'e>(&mut self, [c, a, b]: &'e [Exp; 3]) -> Found<Typed<'e>>
    where
        'p: 'e,
    {
        self.by(Rule::TSelect);
        let (c, a, b) = (self.exp(c)?, self.exp(a)?, self.exp(b)?);
        let chooses =
            matches!(a, Typed::Scalar(_) | Typed::Block(_) | Typed::Other(Ty::Vector(..)));
        if c != Typed::Scalar(Sc::Bool) || a != b || !chooses {
            return wrong(
                Rule::TSelect,
                "type",
                format!("no select({}, {}, {})", self.said(c), self.said(a), self.said(b)),
            );
        }
        Ok(a)
    }

    /// `D-T-CAST`: of a scalar  (type)
    #[inline(never)]
    fn t_cast(&mut self, to: Sc, a: &Exp) -> Found<Typed<'static>> {
        self.by(Rule::TCast);
        match self.exp(a)? {
            Typed::Scalar(_) => Ok(Typed::Scalar(to)),
            ty => wrong(Rule::TCast, "type", format!("{} is not converted", self.said(ty))),
        }
    }

    /// `D-T-BITCAST`: of a scalar with as many bits  (type)
    #[inline(never)]
    fn t_bitcast(&mut self, to: Sc, a: &Exp) -> Found<Typed<'static>> {
        self.by(Rule::TBitcast);
        match self.exp(a)? {
            Typed::Scalar(sc) if scalar::bitcast(sc, to).is_some() => Ok(Typed::Scalar(to)),
            ty => wrong(
                Rule::TBitcast,
                "type",
                format!("{} has no bits of {}", self.said(ty), print::scalar(to)),
            ),
        }
    }

    /// `D-T-MAKE`
    #[inline(never)]
    fn t_make<'e>(&mut self, ty: &'e Ty, parts: &[Exp]) -> Found<Typed<'e>> {
        self.off_host()?;
        self.by(Rule::TMake);
        self.well_formed(ty)?;
        let program = self.program;
        let (wanted, fields) = match ty {
            Ty::Vector(_, n) => (usize::from(*n), &[][..]),
            Ty::Array(_, n) => (*n as usize, &[][..]),
            Ty::Struct(k) => {
                let fields = &program.structs[*k as usize].fields;
                (fields.len(), &fields[..])
            }
            _ => {
                let message = format!("{} has no parts", self.said(Typed::of(ty)));
                return wrong(Rule::TMake, "type", message);
            }
        };
        if wanted != parts.len() {
            let message = format!("{wanted} parts, but {} are given", parts.len());
            return wrong(Rule::TMake, "arity", message);
        }
        for (at, part) in parts.iter().enumerate() {
            let part = self.exp(part)?;
            let wanted = match ty {
                Ty::Vector(sc, _) => Typed::Scalar(*sc),
                Ty::Array(part, _) => Typed::of(part),
                _ => Typed::of(&fields[at].1),
            };
            if part != wanted {
                return wrong(
                    Rule::TMake,
                    "type",
                    format!("{} where {} is wanted", self.said(part), self.said(wanted)),
                );
            }
        }
        Ok(Typed::of(ty))
    }

    #[inline(never)]
    fn at_of_value<'e>(&mut self, [array, index]: &'e [Exp; 2]) -> Found<Typed<'e>>
    where
        'p: 'e,
    {
        self.off_host()?;
        let ty = self.exp(array)?;
        self.t_at(ty, index)
    }

    #[inline(never)]
    fn field_of_value<'e>(&mut self, value: &'e Exp, field: u32) -> Found<Typed<'p>>
    where
        'p: 'e,
    {
        self.off_host()?;
        let ty = self.exp(value)?;
        self.t_field(ty, field)
    }

    /// `D-T-AT`, of values and of places.
    fn t_at<'e>(&mut self, ty: Typed<'e>, index: &Exp) -> Found<Typed<'e>> {
        self.by(Rule::TAt);
        let index = self.exp(index)?;
        match ty {
            Typed::Other(Ty::Array(part, _)) if index.is_index() => Ok(Typed::of(part)),
            Typed::Other(Ty::Vector(sc, _)) if index.is_index() => Ok(Typed::Scalar(*sc)),
            _ => {
                let message = format!("no index of {} into {}", self.said(index), self.said(ty));
                wrong(Rule::TAt, "type", message)
            }
        }
    }

    /// `D-T-FIELD`, of values and of places.
    fn t_field(&mut self, ty: Typed<'_>, field: u32) -> Found<Typed<'p>> {
        self.by(Rule::TField);
        if let Typed::Other(Ty::Struct(k)) = ty
            && let Some(declared) = self.program.structs.get(*k as usize)
            && let Some((_, ty)) = declared.fields.get(field as usize)
        {
            return Ok(Typed::of(ty));
        }
        wrong(Rule::TField, "type", format!("{} has no field {field}", self.said(ty)))
    }

    /// `D-T-LOAD`: of a place without atomics  (type)
    #[inline(never)]
    fn t_load<'e>(&mut self, place: &'e Place) -> Found<Typed<'e>>
    where
        'p: 'e,
    {
        self.off_host()?;
        self.by(Rule::TLoad);
        let (_, ty) = self.place(place)?;
        match ty {
            Typed::Other(of) if self.has_atomic(of) => {
                wrong(Rule::TLoad, "type", "atomics are read by `atomic load`")
            }
            _ => Ok(ty),
        }
    }

    /// `D-T-REF`: a component of a vector has no pointer  (place)
    #[inline(never)]
    fn t_ref<'e>(&mut self, place: &'e Place) -> Found<Typed<'e>>
    where
        'p: 'e,
    {
        self.off_host()?;
        self.by(Rule::TRef);
        if let Place::At(inner, _) = place
            && let (_, Typed::Other(Ty::Vector(..))) = self.place(inner)?
        {
            return wrong(Rule::TRef, "place", "a component of a vector has no pointer");
        }
        let (space, ty) = self.place(place)?;
        match ty.pointed() {
            Some(to) => Ok(Typed::Ptr(space, to)),
            None => wrong(Rule::TType, "type", "pointers are not stored"),
        }
    }

    /// `D-T-LENGTH`, `D-T-BASE`
    #[inline(never)]
    fn t_part(&mut self, rule: Rule, block: &Exp) -> Found<Typed<'static>> {
        self.by(rule);
        match self.exp(block)? {
            Typed::Block(_) => Ok(Typed::Scalar(Sc::U32)),
            ty => wrong(rule, "type", format!("{} is no block", self.said(ty))),
        }
    }

    /// `D-T-BLOCK`: base and length are u32, elements no bools  (type)
    #[inline(never)]
    fn t_block(&mut self, element: Sc, [base, length]: &[Exp; 2]) -> Found<Typed<'static>> {
        const U32: Typed<'_> = Typed::Scalar(Sc::U32);
        self.by(Rule::TBlock);
        if self.exp(base)? != U32 || self.exp(length)? != U32 || element == Sc::Bool {
            return wrong(Rule::TBlock, "type", "a block has u32 base and length");
        }
        Ok(Typed::Block(element))
    }

    /// `Γ ⊢ place : ref(space, τ)`
    ///
    /// # Errors
    /// The first premise that fails.
    pub fn place<'e>(&mut self, place: &'e Place) -> Found<(Space, Typed<'e>)>
    where
        'p: 'e,
    {
        match place {
            Place::Var(var) => {
                self.by(Rule::TPlace);
                match self.bound(*var) {
                    Some(Bound::Place(space, ty)) => Ok((space, ty)),
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
                    Typed::Ptr(space, ty) => Ok((space, Typed::of(ty))),
                    ty => wrong(Rule::TDeref, "type", format!("{} is no pointer", self.said(ty))),
                }
            }
            Place::Element(block, index) => {
                self.by(Rule::TElement);
                match (self.exp(block)?, self.exp(index)?) {
                    (Typed::Block(sc), Typed::Scalar(Sc::I32 | Sc::U32 | Sc::I64)) => {
                        Ok((Space::Storage, Typed::Scalar(sc)))
                    }
                    (block, index) => {
                        let message =
                            format!("no index of {} into {}", self.said(index), self.said(block));
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
                Ok((space, self.t_field(ty, *k)?))
            }
        }
    }

    /// There is no such operator for these types.
    #[cold]
    fn none_of<T>(&self, rule: Rule, what: fmt::Arguments<'_>, types: &[Typed<'_>]) -> Found<T> {
        let types: Vec<String> = types.iter().map(|ty| self.said(*ty)).collect();
        wrong(rule, "type", format!("{what} {}", types.join(" and ")))
    }

    /// How a type is written.
    #[cold]
    pub(super) fn said(&self, ty: Typed<'_>) -> String {
        print::ty(&self.program.structs, &ty.ty())
    }
}

/// Does the operator go by components on vectors?
fn by_components(op: BinOp, sc: Sc) -> bool {
    !matches!(op, BinOp::Shl | BinOp::Shr)
        && scalar::result(op, sc) == Some(sc)
        && !scalar::is_partial(op, sc)
}
