//! A walk over everything that a program is made of, in the order of its text, by who may change it.

use super::syntax::{
    Block, Carried, Check, Exp, Function, Host, HostBlock, If, Kernel, Kind, Launch, Loop, Output,
    Par, Param, Place, Program, Stm, Strided, Struct, Ty,
};
use crate::kit::names::Var;

/// Who walks. What is changed where it is visited is what the walk goes on with.
pub trait Visitor {
    /// An expression, before its parts. Are its parts visited too?
    fn exp(&mut self, _: &mut Exp) -> bool {
        true
    }

    /// A place, before its parts. Are its parts visited too?
    fn place(&mut self, _: &mut Place) -> bool {
        true
    }

    /// A variable where it is used: in an expression, as a place, or assigned to by the host.
    fn uses(&mut self, _: &mut Var) {}

    /// A variable where it is bound.
    fn binds(&mut self, _: &mut Var) {}

    /// A type that is written down, before its parts.
    fn ty(&mut self, _: &mut Ty) {}
}

/// Visits a program.
pub fn program(program: &mut Program, to: &mut impl Visitor) {
    for Struct { fields, .. } in &mut program.structs {
        fields.iter_mut().for_each(|(_, part)| ty(part, to));
    }
    for Function { params, body, result, .. } in &mut program.functions {
        typed(params, to);
        block(body, to);
        if let Some((of, e)) = result {
            ty(of, to);
            exp(e, to);
        }
    }
    for Kernel { params, workgroup, private, body, .. } in &mut program.kernels {
        [params, workgroup, private].into_iter().for_each(|variables| typed(variables, to));
        block(body, to);
    }
    for Param { var, shape, .. } in &mut program.params {
        exps(shape.iter_mut().flatten(), to);
        to.binds(var);
    }
    host(&mut program.host, to);
    for result in &mut program.results {
        output(result, to);
    }
}

fn typed(variables: &mut [(Var, Ty)], to: &mut impl Visitor) {
    for (var, of) in variables {
        ty(of, to);
        to.binds(var);
    }
}

fn output(output: &mut Output, to: &mut impl Visitor) {
    match output {
        Output::Scalar(_, e) => exp(e, to),
        Output::Array { block, shape, offset, strides, .. } => {
            exp(block, to);
            exps(shape, to);
            exp(offset, to);
            exps(strides, to);
        }
    }
}

/// Visits a type and the types that it is made of.
pub fn ty(of: &mut Ty, to: &mut impl Visitor) {
    to.ty(of);
    match of {
        Ty::Array(part, _) | Ty::Ptr(_, part) => ty(part, to),
        Ty::Scalar(_) | Ty::Vector(..) | Ty::Struct(_) | Ty::Block(_) | Ty::Atomic(_) => {}
    }
}

/// Visits statements of kernels and functions.
pub fn block(body: &mut Block, to: &mut impl Visitor) {
    body.iter_mut().for_each(|stm| kind(&mut stm.kind, to));
}

/// Visits statements of the host.
pub fn host(body: &mut HostBlock, to: &mut impl Visitor) {
    body.iter_mut().for_each(|stm| host_kind(&mut stm.kind, to));
}

/// Visits a statement of a kernel or function.
pub fn kind(stm: &mut Kind, to: &mut impl Visitor) {
    match stm {
        Kind::Let(var, of, e) => {
            ty(of, to);
            exp(e, to);
            to.binds(var);
        }
        Kind::Var(var, of, init) => {
            ty(of, to);
            exps(init, to);
            to.binds(var);
        }
        Kind::Store(at, e) => {
            place(at, to);
            exp(e, to);
        }
        Kind::Atomic { into, place: at, operands, .. } => {
            place(at, to);
            exps(operands, to);
            into.iter_mut().for_each(|var| to.binds(var));
        }
        Kind::If(branch) => either(branch, block, to),
        Kind::Loop(rounds) => round(rounds, block, to),
        Kind::Call { into, args, .. } => {
            exps(args, to);
            into.iter_mut().for_each(|var| to.binds(var));
        }
        Kind::Check(check) => checked(check, to),
        Kind::UniformLoad { into, place: at } => {
            place(at, to);
            to.binds(into);
        }
        Kind::Barrier(_) => {}
        Kind::Par(par) => iterations(par, to),
    }
}

/// Visits a statement of the host.
pub fn host_kind(stm: &mut Host, to: &mut impl Visitor) {
    match stm {
        Host::Let(var, of, e) => {
            ty(of, to);
            exp(e, to);
            to.binds(var);
        }
        Host::Assign(pairs) => {
            for (var, e) in pairs {
                to.uses(var);
                exp(e, to);
            }
        }
        Host::Alloc { block, size, .. } => {
            exp(size, to);
            to.binds(block);
        }
        Host::Free(block) => exp(block, to),
        Host::Launch(Launch { count, args, record, .. }) => {
            exps(args, to);
            exp(count, to);
            exps(record, to);
        }
        Host::Copy(copy) => {
            exps(copy.sizes.iter_mut().map(|size| &mut size.exp), to);
            for Strided { block, offset, strides, .. } in [&mut copy.from, &mut copy.to] {
                exps([block, offset].into_iter().chain(strides), to);
            }
        }
        Host::Read { into, block, offset } => {
            exps([block, offset], to);
            to.binds(into);
        }
        Host::Write { block, offset, value } => exps([block, offset, value], to),
        Host::If(branch) => either(branch, host, to),
        Host::Loop(rounds) => round(rounds, host, to),
        Host::Check(check) => checked(check, to),
        Host::Par(par) => iterations(par, to),
    }
}

fn either<K, V: Visitor>(branch: &mut If<K>, body: fn(&mut Vec<Stm<K>>, &mut V), to: &mut V) {
    exp(&mut branch.cond, to);
    body(&mut branch.then, to);
    body(&mut branch.orelse, to);
}

fn round<K, V: Visitor>(rounds: &mut Loop<K>, body: fn(&mut Vec<Stm<K>>, &mut V), to: &mut V) {
    for Carried { ty: of, init, .. } in &mut rounds.carried {
        ty(of, to);
        exp(init, to);
    }
    rounds.carried.iter_mut().for_each(|carried| to.binds(&mut carried.var));
    exp(&mut rounds.cond, to);
    exps(&mut rounds.fuel, to);
    body(&mut rounds.body, to);
    exps(&mut rounds.next, to);
}

fn checked(check: &mut Check, to: &mut impl Visitor) {
    exps(check.operands.iter_mut().chain(&mut check.path), to);
}

fn iterations(par: &mut Par, to: &mut impl Visitor) {
    exp(&mut par.count, to);
    to.binds(&mut par.var);
    block(&mut par.body, to);
}

fn exps<'p>(list: impl IntoIterator<Item = &'p mut Exp>, to: &mut impl Visitor) {
    list.into_iter().for_each(|e| exp(e, to));
}

/// Visits an expression and what is inside.
pub fn exp(e: &mut Exp, to: &mut impl Visitor) {
    if !to.exp(e) {
        return;
    }
    match e {
        Exp::Lit(_) | Exp::Builtin(_) => {}
        Exp::Var(var) => to.uses(var),
        Exp::Load(at) | Exp::Ref(at) => place(at, to),
        Exp::Un(_, a)
        | Exp::Cast(_, a)
        | Exp::Bitcast(_, a)
        | Exp::Field(a, _)
        | Exp::Length(a)
        | Exp::Base(a) => exp(a, to),
        Exp::Bin(_, parts) | Exp::At(parts) | Exp::Block(_, parts) => exps(parts.iter_mut(), to),
        Exp::Select(parts) => exps(parts.iter_mut(), to),
        Exp::Make(made) => {
            ty(&mut made.0, to);
            exps(&mut made.1, to);
        }
    }
}

/// Visits a place and what is inside.
pub fn place(at: &mut Place, to: &mut impl Visitor) {
    if !to.place(at) {
        return;
    }
    match at {
        Place::Var(var) => to.uses(var),
        Place::Deref(pointer) => exp(pointer, to),
        Place::Element(of, index) => {
            exp(of, to);
            exp(index, to);
        }
        Place::At(inner, index) => {
            place(inner, to);
            exp(index, to);
        }
        Place::Field(inner, _) => place(inner, to),
    }
}
