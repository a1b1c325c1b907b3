//! A program that was made is no deeper than one that is read: everything later may recurse over it.

use crate::kit::text::{MAX_NESTING, Rejected};
use crate::minias::cursor::too_tall;
use crate::minias::syntax::{Cond, Exp, Kind, Program, Stmt, StmtKind};

pub(super) fn check(program: &Program) -> Result<(), Rejected> {
    let mut stmts: Vec<&Stmt> = program.functions().flat_map(|f| f.body.iter().flatten()).collect();
    while let Some(stmt) = stmts.pop() {
        let mut exps: Vec<&Exp> = Vec::new();
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Barrier(_) => {}
            StmtKind::Decl(decl) => exps.extend(decl.init.iter().flat_map(|init| init.exps())),
            StmtKind::Exp(exp) => exps.push(exp),
            StmtKind::Assign(place, value) => exps.extend([place, value]),
            StmtKind::Return(exp) => exps.extend(exp),
            StmtKind::Block(body) => stmts.extend(body),
            StmtKind::If(cond, then, otherwise) => {
                match cond {
                    Cond::Exp(exp) => exps.push(exp),
                    Cond::Decl(decl) => exps.extend(decl.init.iter().flat_map(|init| init.exps())),
                }
                stmts.extend([&**then].into_iter().chain(otherwise.as_deref()));
            }
            StmtKind::While(exp, body) => {
                exps.push(exp);
                stmts.push(body);
            }
            StmtKind::For(parts) => {
                exps.push(&parts.while_);
                stmts.extend(parts.first.iter().chain(&parts.next));
                stmts.push(&parts.body);
            }
        }
        exps.into_iter().try_for_each(of_exp)?;
    }
    Ok(())
}

fn of_exp(exp: &Exp) -> Result<(), Rejected> {
    let mut left = vec![(exp, 1)];
    while let Some((exp, height)) = left.pop() {
        if height > MAX_NESTING {
            return Err(too_tall(exp.span));
        }
        match &exp.kind {
            Kind::Int(_) | Kind::Null | Kind::Var(_) | Kind::Builtin(_) => {}
            Kind::Unary(_, part)
            | Kind::Load(part)
            | Kind::Address(part)
            | Kind::Cast(_, part)
            | Kind::Dynamic(_, part) => left.push((part, height + 1)),
            Kind::Binary(_, one, other) => {
                left.extend([&**one, &**other].map(|part| (part, height + 1)));
            }
            Kind::Cond(parts) => left.extend(parts.iter().map(|part| (part, height + 1))),
            Kind::Call(_, args) => left.extend(args.iter().map(|part| (part, height + 1))),
        }
    }
    Ok(())
}
