//! Visits every expression of a body: each before its parts, those inside of places too.

use super::syntax::{Block, Check, Exp, Host, HostBlock, Kind, Output, Place, Program, Strided};

/// Visits the expressions of a program, but for the sizes of its parameters.
pub fn program<'p>(program: &'p Program, visit: &mut impl FnMut(&'p Exp)) {
    for function in &program.functions {
        block(&function.body, visit);
        function.result.iter().for_each(|(_, e)| exp(e, visit));
    }
    program.kernels.iter().for_each(|kernel| block(&kernel.body, visit));
    host(&program.host, visit);
    for output in &program.results {
        match output {
            Output::Scalar(_, e) => exp(e, visit),
            Output::Array { block, shape, offset, strides, .. } => {
                let numbers = shape.iter().chain([offset]).chain(strides);
                [block].into_iter().chain(numbers).for_each(|e| exp(e, visit));
            }
        }
    }
}

/// Visits the expressions of statements of the host.
pub fn host<'p>(body: &'p HostBlock, visit: &mut impl FnMut(&'p Exp)) {
    for stm in body {
        match &stm.kind {
            Host::Let(_, _, e) | Host::Free(e) | Host::Alloc { size: e, .. } => exp(e, visit),
            Host::Assign(pairs) => pairs.iter().for_each(|(_, e)| exp(e, visit)),
            Host::Launch(launch) => {
                let rest = launch.args.iter().chain(&launch.record);
                [&launch.count].into_iter().chain(rest).for_each(|e| exp(e, visit));
            }
            Host::Copy(copy) => {
                copy.sizes.iter().for_each(|size| exp(&size.exp, visit));
                for Strided { block, offset, strides, .. } in [&copy.from, &copy.to] {
                    [block, offset].into_iter().chain(strides).for_each(|e| exp(e, visit));
                }
            }
            Host::Read { block, offset, .. } => {
                [block, offset].into_iter().for_each(|e| exp(e, visit));
            }
            Host::Write { block, offset, value } => {
                [block, offset, value].into_iter().for_each(|e| exp(e, visit));
            }
            Host::If(branch) => {
                exp(&branch.cond, visit);
                host(&branch.then, visit);
                host(&branch.orelse, visit);
            }
            Host::Loop(rounds) => {
                rounds.carried.iter().for_each(|carried| exp(&carried.init, visit));
                rounds.fuel.iter().for_each(|e| exp(e, visit));
                exp(&rounds.cond, visit);
                host(&rounds.body, visit);
                rounds.next.iter().for_each(|e| exp(e, visit));
            }
            Host::Check(Check { operands, path, .. }) => {
                operands.iter().chain(path).for_each(|e| exp(e, visit));
            }
            Host::Par(par) => {
                exp(&par.count, visit);
                block(&par.body, visit);
            }
        }
    }
}

/// Visits the expressions of a body.
pub fn block<'p>(body: &'p Block, visit: &mut impl FnMut(&'p Exp)) {
    for stm in body {
        kind(&stm.kind, visit);
    }
}

/// Visits the expressions of a statement.
pub fn kind<'p>(stm: &'p Kind, visit: &mut impl FnMut(&'p Exp)) {
    match stm {
        Kind::Let(_, _, e) => exp(e, visit),
        Kind::Var(_, _, init) => init.iter().for_each(|e| exp(e, visit)),
        Kind::Store(to, e) => {
            place(to, visit);
            exp(e, visit);
        }
        Kind::Atomic { place: at, operands, .. } => {
            place(at, visit);
            operands.iter().for_each(|e| exp(e, visit));
        }
        Kind::If(branch) => {
            exp(&branch.cond, visit);
            block(&branch.then, visit);
            block(&branch.orelse, visit);
        }
        Kind::Loop(rounds) => {
            rounds.carried.iter().for_each(|carried| exp(&carried.init, visit));
            rounds.fuel.iter().for_each(|e| exp(e, visit));
            exp(&rounds.cond, visit);
            block(&rounds.body, visit);
            rounds.next.iter().for_each(|e| exp(e, visit));
        }
        Kind::Call { args, .. } => args.iter().for_each(|e| exp(e, visit)),
        Kind::Check(Check { operands, path, .. }) => {
            operands.iter().chain(path).for_each(|e| exp(e, visit));
        }
        Kind::UniformLoad { place: at, .. } => place(at, visit),
        Kind::Barrier(_) => {}
        Kind::Par(par) => {
            exp(&par.count, visit);
            block(&par.body, visit);
        }
    }
}

/// Visits an expression and what is inside.
#[inline]
pub fn exp<'p>(e: &'p Exp, visit: &mut impl FnMut(&'p Exp)) {
    visit(e);
    if !e.is_leaf() {
        parts(e, visit);
    }
}

/// Visits what is inside of an expression.
fn parts<'p>(e: &'p Exp, visit: &mut impl FnMut(&'p Exp)) {
    match e {
        Exp::Lit(_) | Exp::Var(_) | Exp::Builtin(_) => {}
        Exp::Load(at) | Exp::Ref(at) => place(at, visit),
        Exp::Un(_, a)
        | Exp::Cast(_, a)
        | Exp::Bitcast(_, a)
        | Exp::Field(a, _)
        | Exp::Length(a)
        | Exp::Base(a) => exp(a, visit),
        Exp::Bin(_, parts) | Exp::At(parts) | Exp::Block(_, parts) => {
            parts.iter().for_each(|part| exp(part, visit));
        }
        Exp::Select(parts) => parts.iter().for_each(|part| exp(part, visit)),
        Exp::Make(made) => made.1.iter().for_each(|part| exp(part, visit)),
    }
}

/// Visits the expressions inside of a place.
pub fn place<'p>(at: &'p Place, visit: &mut impl FnMut(&'p Exp)) {
    match at {
        Place::Var(_) => {}
        Place::Deref(pointer) => exp(pointer, visit),
        Place::Element(of, index) => {
            exp(of, visit);
            exp(index, visit);
        }
        Place::At(inner, index) => {
            place(inner, visit);
            exp(index, visit);
        }
        Place::Field(inner, _) => place(inner, visit),
    }
}
