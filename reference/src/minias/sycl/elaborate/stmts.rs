//! Statements and declarations.

use super::convert::since;
use super::exps::Value;
use super::structs::private_if_raw;
use super::types::{Pointer, Points, Ty, plain};
use super::{Elaborated, Elaborator, Variable};
use crate::kit::text::{Rejected, Span};
use crate::minias::sycl::print;
use crate::minias::sycl::rules::Rule;
use crate::minias::sycl::syntax::{self as cpp, Cond, Decl, Init, StmtKind};
use crate::minias::syntax::{self as mas, Exp, Kind, Space, Stmt};
use std::rc::Rc;

impl<'p> Elaborator<'p, '_> {
    /// Statements in a block of their own.
    pub(super) fn block(&mut self, stmts: &'p [cpp::Stmt]) -> Elaborated<Vec<Stmt>> {
        self.function.blocks.push(Default::default());
        let made = self.stmts(stmts)?;
        self.function.blocks.pop();
        Ok(made)
    }

    /// Statements in the innermost block; the body of a function is in that of its parameters.
    pub(super) fn stmts(&mut self, stmts: &'p [cpp::Stmt]) -> Elaborated<Vec<Stmt>> {
        let mut made = Vec::new();
        stmts.iter().try_for_each(|stmt| self.stmt(stmt, &mut made))?;
        Ok(made)
    }

    /// A statement that is a part of another one.
    fn part(&mut self, stmt: &'p cpp::Stmt) -> Elaborated<Stmt> {
        self.function.blocks.push(Default::default());
        let mut made = Vec::new();
        self.stmt(stmt, &mut made)?;
        self.function.blocks.pop();
        Ok(whole(made, stmt.span))
    }

    fn stmt(&mut self, stmt: &'p cpp::Stmt, into: &mut Vec<Stmt>) -> Elaborated<()> {
        self.descends(stmt.span)?;
        self.stmt_within(stmt, into)?;
        self.depth -= 1;
        Ok(())
    }

    fn stmt_within(&mut self, stmt: &'p cpp::Stmt, into: &mut Vec<Stmt>) -> Elaborated<()> {
        let span = stmt.span;
        self.count(1, span)?;
        let kind = match &stmt.kind {
            StmtKind::Empty => mas::StmtKind::Empty,
            StmtKind::Decl(decl) => return self.decl(decl, span, into),
            StmtKind::Exp(exp) => {
                let value = self.exp(exp)?;
                let leaves = value.leaves.into_iter();
                into.extend(leaves.map(|leaf| Stmt { span, kind: mas::StmtKind::Exp(leaf) }));
                return Ok(());
            }
            StmtKind::Assign(place, value) => return self.assign(place, value, span, into),
            StmtKind::Return(exp) => self.returned(exp.as_ref(), span)?,
            StmtKind::Block(body) => mas::StmtKind::Block(self.block(body)?),
            StmtKind::If(cond, then, otherwise) => {
                self.function.blocks.push(Default::default());
                let cond = match cond {
                    Cond::Exp(exp) => mas::Cond::Exp(self.single(exp)?.1),
                    Cond::Decl(decl) => mas::Cond::Decl(Box::new(self.decl_of_condition(decl)?)),
                };
                let then = Box::new(self.part(then)?);
                let otherwise = match otherwise {
                    Some(otherwise) => Some(Box::new(self.part(otherwise)?)),
                    None => None,
                };
                self.function.blocks.pop();
                mas::StmtKind::If(cond, then, otherwise)
            }
            StmtKind::While(condition, body) => {
                let (_, condition) = self.single(condition)?;
                mas::StmtKind::While(condition, Box::new(self.part(body)?))
            }
            StmtKind::For(parts) => return self.for_loop(parts, span, into),
            StmtKind::Barrier(space) => mas::StmtKind::Barrier(*space),
            StmtKind::Assert(assert) => return self.assertion(assert, span),
        };
        into.push(Stmt { span, kind });
        Ok(())
    }

    /// `Y-DECL`
    ///
    /// A variable has the space of what it starts with; a raw pointer that starts with nothing is private, unless its space
    /// is inferred later. An array and a struct start with values in brackets, anything else with one (initialiser).
    fn decl(&mut self, decl: &'p Decl, span: Span, into: &mut Vec<Stmt>) -> Elaborated<()> {
        self.to.enter(Rule::YDecl, || format!("{} {}", print::ty(&decl.ty), decl.name.text));
        if let Some(extent) = decl.extent {
            self.array(decl, extent, span, into)?;
            self.to.leave(String::new);
            return Ok(());
        }
        let (ty, init) = match &decl.init {
            None => {
                let ty = self.ty(&decl.ty, None)?;
                let ty = self.late(ty);
                if self.holds_reference(&ty) {
                    return self.needs_init(decl, "a reference is bound to something");
                }
                if ty.is_const() {
                    return self.needs_init(decl, "what is const starts with a value");
                }
                (ty, None)
            }
            Some(Init::Many(exps)) if self.is_struct(&decl.ty)? => {
                let ty = self.ty(&decl.ty, None)?;
                let (ty, leaves) = self.fields(ty, exps, decl)?;
                (ty, Some(leaves))
            }
            Some(Init::Many(exps)) if exps.len() > 1 => {
                return self.needs_init(decl, "a variable starts with one value");
            }
            Some(init) => {
                let exp = match init {
                    Init::One(exp) => exp,
                    Init::Many(exps) => &exps[0],
                };
                let value = self.exp(exp)?;
                let (ty, leaves) = self.starts_with(decl, value, into)?;
                (ty, Some(leaves.into_iter().map(Some).collect()))
            }
        };
        self.declares(&decl.name, ty, init, span, into)?;
        self.to.leave(String::new);
        Ok(())
    }

    /// The type of a variable and what its parts start with.
    fn starts_with(
        &mut self,
        decl: &'p Decl,
        value: Value,
        into: &mut Vec<Stmt>,
    ) -> Elaborated<(Ty, Vec<Exp>)> {
        let auto = self.auto(&decl.ty, &value);
        let ty = self.ty(&decl.ty, Some(&auto))?;
        let ty = match (ty, value.place) {
            (Ty::Reference(reference), _) if Self::takes_value(&reference, &value) => {
                return self.temporary(&decl.name, &reference, value, into);
            }
            (Ty::Reference(reference), Some(known)) => {
                let points = match reference.points {
                    Points::Raw { .. } => Points::raw(known),
                    points => points,
                };
                let to = reference.to.deduced(value.ty.known());
                Ty::Reference(Rc::new(Pointer { points, is_const: false, to }))
            }
            (ty, _) => ty.deduced(value.ty.known()),
        };
        let span = value.span;
        let leaves = self.converted(value, &ty, span)?;
        Ok((ty, leaves))
    }

    /// What `auto` stands for in a type, where a variable of the type starts with this.
    pub(super) fn auto(&self, ty: &cpp::Type, value: &Value) -> Ty {
        let mut auto = match ty.behind.contains(&cpp::Behind::Reference) {
            true => value.ty.clone(),
            false => value.ty.copied(),
        };
        for _ in ty.behind.iter().filter(|behind| **behind == cpp::Behind::Star) {
            if let Ty::Pointer(pointer) = auto {
                auto = pointer.to.clone();
            }
        }
        if auto == Ty::Null { Ty::pointer(Points::raw(None), super::types::INT) } else { auto }
    }

    /// A reference to const that is bound to a value: to a variable of its own.
    fn temporary(
        &mut self,
        name: &cpp::Name,
        reference: &Pointer,
        value: Value,
        into: &mut Vec<Stmt>,
    ) -> Elaborated<(Ty, Vec<Exp>)> {
        let span = value.span;
        let ty = reference.to.copied().deduced(value.ty.known());
        let leaves = self.converted(value, &ty, span)?;
        let mut addresses = Vec::new();
        for (exp, (behind, leaf)) in leaves.into_iter().zip(self.leaves(&ty, span)) {
            let var = self.fresh(&format!("{}{behind}", name.text));
            into.push(declaration(span, var, leaf, Some(exp)));
            let var = self.made(span, Kind::Var(var))?;
            addresses.push(self.address_of(var, span)?);
        }
        let ty = ty.with_const(true);
        Ok((Ty::reference(Points::raw(Some(Space::Private)), ty), addresses))
    }

    /// The type of a variable that starts with nothing.
    fn late(&self, ty: Ty) -> Ty {
        match ty {
            Ty::Pointer(pointer) if !self.answers.late_infer && !self.answers.generic_space => {
                let points = private_if_raw(pointer.points);
                Ty::Pointer(Rc::new(Pointer { points, ..(*pointer).clone() }))
            }
            other => other,
        }
    }

    fn needs_init<T>(&mut self, decl: &Decl, message: &str) -> Elaborated<T> {
        let refused = Rejected::new(decl.span, message, "declared here");
        self.refuse(Rule::YDecl, "initialiser", refused)
    }

    /// Is it the type of a struct? `auto` and pointers are not.
    fn is_struct(&mut self, ty: &'p cpp::Type) -> Elaborated<bool> {
        if !ty.behind.is_empty() || !matches!(ty.base, cpp::Base::Named(..)) {
            return Ok(false);
        }
        Ok(matches!(self.ty(ty, None)?, Ty::Struct { .. }))
    }

    /// A struct that starts with values for its first fields. The fields of the variable have the spaces of these, where
    /// their types do not say otherwise.
    #[allow(clippy::type_complexity)]
    fn fields(
        &mut self,
        ty: Ty,
        exps: &'p [cpp::Exp],
        decl: &Decl,
    ) -> Elaborated<(Ty, Vec<Option<Exp>>)> {
        let Ty::Struct { number, is_const } = ty else {
            unreachable!("it was asked whether it is a struct")
        };
        let mut fields = self.made_structs[number].fields.clone();
        if exps.len() > fields.len() {
            return self.needs_init(decl, "a struct starts with more values than it has fields");
        }
        let mut leaves = Vec::new();
        for (at, (_, field)) in fields.iter_mut().enumerate() {
            match exps.get(at) {
                Some(exp) => {
                    let value = self.exp(exp)?;
                    *field = field.deduced(value.ty.known());
                    let span = value.span;
                    leaves.extend(self.converted(value, field, span)?.into_iter().map(Some));
                }
                None if self.holds_reference(field) => {
                    return self.needs_init(decl, "a reference is bound to something");
                }
                None => {
                    *field = self.late(field.clone());
                    leaves.extend(self.leaves(field, decl.span).iter().map(|_| None));
                }
            }
        }
        let number = self.with_fields(number, fields);
        Ok((Ty::Struct { number, is_const }, leaves))
    }

    fn array(
        &mut self,
        decl: &'p Decl,
        extent: u32,
        span: Span,
        into: &mut Vec<Stmt>,
    ) -> Elaborated<()> {
        let mut ty = self.ty(&decl.ty, None)?;
        if !matches!(ty, Ty::Scalar(_) | Ty::Pointer(_)) {
            return self.needs_init(decl, "an array has ints or pointers for elements");
        }
        let init = match &decl.init {
            None if ty.is_const() => {
                return self.needs_init(decl, "what is const starts with a value");
            }
            None => {
                ty = self.late(ty);
                None
            }
            Some(Init::One(_)) => {
                return self.needs_init(decl, "an array starts with values in brackets");
            }
            Some(Init::Many(exps)) => {
                let mut values = Vec::new();
                for exp in exps {
                    let value = self.exp(exp)?;
                    ty = ty.deduced(value.ty.known());
                    values.extend(self.converted(value, &ty, exp.span)?);
                }
                Some(mas::Init::Many(values))
            }
        };
        let var = self.fresh(&decl.name.text);
        let element = plain(&ty, decl.ty.span);
        let made = mas::Decl { span, var, ty: element, extent: Some(extent), init };
        into.push(Stmt { span, kind: mas::StmtKind::Decl(made) });
        let leaf = self.made(decl.name.span, Kind::Var(var))?;
        let ty = self.pointer(Points::raw(Some(Space::Private)), ty, decl.span)?;
        let (leaves, span) = (vec![leaf], decl.name.span);
        let variable = Variable { ty, leaves, array: true, copied_const: None, span };
        self.bind(&decl.name, variable)
    }

    /// Declares the variables that a variable of the type becomes.
    fn declares(
        &mut self,
        name: &'p cpp::Name,
        ty: Ty,
        init: Option<Vec<Option<Exp>>>,
        span: Span,
        into: &mut Vec<Stmt>,
    ) -> Elaborated<()> {
        if ty == Ty::Void {
            return self.no_value(&format!("`{}`", name.text), name.span);
        }
        let leaves = self.leaves(&ty, name.span);
        self.count(leaves.len(), span)?;
        let mut init = init.into_iter().flatten();
        let mut vars = Vec::new();
        for (behind, leaf) in leaves {
            let var = self.fresh(&format!("{}{behind}", name.text));
            into.push(declaration(span, var, leaf, init.next().flatten()));
            vars.push(Exp { span: name.span, kind: Kind::Var(var) });
        }
        let span = name.span;
        self.bind(name, Variable { ty, leaves: vars, array: false, copied_const: None, span })
    }

    fn decl_of_condition(&mut self, decl: &'p Decl) -> Elaborated<mas::Decl> {
        let mut made = Vec::new();
        self.decl(decl, decl.span, &mut made)?;
        match (made.pop().map(|stmt| stmt.kind), made.is_empty()) {
            (Some(mas::StmtKind::Decl(decl)), true) => Ok(decl),
            _ => self.needs_init(decl, "a condition declares an int or a pointer"),
        }
    }

    fn for_loop(
        &mut self,
        parts: &'p cpp::For,
        span: Span,
        into: &mut Vec<Stmt>,
    ) -> Elaborated<()> {
        self.function.blocks.push(Default::default());
        let mut before = Vec::new();
        if let Some(first) = &parts.first {
            self.stmt(first, &mut before)?;
        }
        let (_, while_) = self.single(&parts.while_)?;
        let mut next = Vec::new();
        if let Some(stmt) = &parts.next {
            self.stmt(stmt, &mut next)?;
        }
        if next.len() > 1 {
            let message = "a `for` assigns an int or a pointer";
            let refused = Rejected::new(span, message, "a struct is assigned here");
            return self.refuse(Rule::YConvert, "type", refused);
        }
        let body = self.part(&parts.body)?;
        self.function.blocks.pop();
        let first = if before.len() == 1 { before.pop() } else { None };
        let parts = mas::For { first, while_, next: next.pop(), body };
        before.push(Stmt { span, kind: mas::StmtKind::For(Box::new(parts)) });
        into.push(whole(before, span));
        Ok(())
    }

    /// `Y-ASSIGN`: what is assigned to is a place (place) that is not const, and no struct with a field that is const or stays
    /// what it is bound to (const).
    fn assign(
        &mut self,
        place: &'p cpp::Exp,
        value: &'p cpp::Exp,
        span: Span,
        into: &mut Vec<Stmt>,
    ) -> Elaborated<()> {
        self.to.enter(Rule::YAssign, || print::exp(place));
        let to = self.exp(place)?;
        if to.place.is_none() || matches!(to.ty, Ty::Closure { .. }) {
            let message = format!("`{}` is not assigned to", print::exp(place));
            let refused = Rejected::new(place.span, message, "no place that changes");
            return self.refuse(Rule::YAssign, "place", refused);
        }
        if to.ty.is_const() {
            let message = format!("`{}` is const", print::exp(place));
            let refused = Rejected::new(place.span, message, "it stays as it is");
            return self.refuse(Rule::YAssign, "const", since(refused, to.since));
        }
        if let Some((field, why)) = self.stays(&to.ty) {
            let message = format!("`{}` is not assigned to: {why}", print::exp(place));
            let refused = Rejected::new(place.span, message, "a struct is its fields");
            let refused = refused.with(field, "the field is declared here");
            return self.refuse(Rule::YAssign, "const", refused);
        }
        let value = self.exp(value)?;
        self.learns(place, value.ty.known());
        let leaves = self.converted(value, &to.ty, span)?;
        for (place, value) in to.leaves.into_iter().zip(leaves) {
            into.push(Stmt { span, kind: mas::StmtKind::Assign(place, value) });
        }
        self.to.leave(String::new);
        Ok(())
    }

    /// A variable whose space is inferred later has that of what is assigned to it first.
    fn learns(&mut self, place: &cpp::Exp, known: Option<Space>) {
        let cpp::Kind::Name(name) = &place.kind else { return };
        let variable =
            self.function.blocks.iter_mut().rev().find_map(|block| block.get_mut(&**name));
        if let Some(variable) = variable {
            variable.ty = variable.ty.deduced(known);
        }
    }

    fn returned(&mut self, exp: Option<&'p cpp::Exp>, span: Span) -> Elaborated<mas::StmtKind> {
        let Some(exp) = exp else {
            if self.function.deduces_result && self.function.result.is_none() {
                self.function.result = Some(Ty::Void);
                self.result_is(&Ty::Void);
            }
            return Ok(mas::StmtKind::Return(None));
        };
        let value = self.exp(exp)?;
        let found = match value.ty.copied() {
            Ty::Null => Ty::pointer(Points::raw(None), super::types::INT),
            found => found,
        };
        let wanted = match self.function.result.take() {
            None => found,
            Some(Ty::Reference(reference)) => {
                let known = value.place.flatten();
                Ty::Reference(Rc::new(match reference.points {
                    Points::Raw { .. } => {
                        Pointer { points: Points::raw(known), ..(*reference).clone() }
                    }
                    _ => (*reference).clone(),
                }))
            }
            Some(wanted) => wanted.deduced(value.ty.known()),
        };
        self.function.result = Some(wanted.clone());
        self.result_is(&wanted);
        let (span_of, mut leaves) = (value.span, Vec::new());
        if wanted == Ty::Void {
            // MiniAS refuses it.
            leaves.push(self.one(value)?.1);
        } else {
            leaves.extend(self.converted(value, &wanted, span_of)?);
        }
        match (leaves.pop(), leaves.is_empty()) {
            (Some(leaf), true) => Ok(mas::StmtKind::Return(Some(leaf))),
            _ => self.no_result(span),
        }
    }

    /// `Y-ASSERT`: the types are the same (same).
    fn assertion(&mut self, assert: &'p cpp::Assert, span: Span) -> Elaborated<()> {
        let [one, other] = &assert.types;
        self.to.enter(Rule::YAssert, || format!("{}, {}", print::ty(one), print::ty(other)));
        let types = (self.ty(one, None)?, self.ty(other, None)?);
        if !self.same(&types.0, &types.1) {
            let said = assert.text.as_ref().or(assert.and.as_ref()).filter(|text| !text.is_empty());
            let said = said.map_or(String::new(), |text| format!(": {text}"));
            let message = format!("the types are not the same{said}");
            let label = format!("`{}` and `{}`", self.told(&types.0), self.told(&types.1));
            let refused = Rejected::new(span, message, label);
            return self.refuse(Rule::YAssert, "same", refused);
        }
        self.to.leave(String::new);
        Ok(())
    }

    /// A type as a message has it.
    pub(super) fn told(&self, ty: &Ty) -> String {
        match ty {
            Ty::Void => "void".to_owned(),
            Ty::Null => "nullptr_t".to_owned(),
            Ty::Scalar(scalar) => {
                let lies = scalar.lies.map_or(String::new(), |space| format!("{space} "));
                let is_const = if scalar.is_const { "const " } else { "" };
                format!("{is_const}{lies}{}", if scalar.is_bool { "bool" } else { "int" })
            }
            Ty::Pointer(pointer) | Ty::Reference(pointer) => {
                let sign = if matches!(ty, Ty::Pointer(_)) { '*' } else { '&' };
                let space = match pointer.points {
                    Points::Named(space) | Points::Deduced(space) => format!("{space} "),
                    Points::Generic => "generic ".to_owned(),
                    Points::Raw { .. } => String::new(),
                };
                format!("{space}{} {sign}", self.told(&pointer.to))
            }
            Ty::Struct { number, is_const } => {
                let is_const = if *is_const { "const " } else { "" };
                format!("{is_const}{}", self.made_structs[*number].item.name.text)
            }
            Ty::Closure { .. } => "a lambda".to_owned(),
        }
    }
}

/// The statement that these are.
pub(super) fn whole(mut stmts: Vec<Stmt>, span: Span) -> Stmt {
    match stmts.len() {
        0 => Stmt { span, kind: mas::StmtKind::Empty },
        1 => stmts.remove(0),
        _ => Stmt { span, kind: mas::StmtKind::Block(stmts) },
    }
}

fn declaration(span: Span, var: crate::kit::names::Var, ty: mas::Type, init: Option<Exp>) -> Stmt {
    let init = init.map(mas::Init::One);
    Stmt { span, kind: mas::StmtKind::Decl(mas::Decl { span, var, ty, extent: None, init }) }
}
