//! The shrinker of MiniSYCL: functions, structs and statements go one by one.

use super::{Effort, Shrink, Shrunk, Test};
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::kit::outcome::Value;
use reference::sycl::Sycl;
use reference::sycl::syntax::{Item, Program, Stmt, StmtKind};

impl Shrink for Sycl {
    fn shrink(
        program: &Program,
        input: &[Value],
        test: &mut Test<'_, Program>,
        effort: Effort,
    ) -> Shrunk<Program> {
        let (program, input) = (program.clone(), input.to_vec());
        let mut shrunk = Shrunk { program, input, steps: 0, tests: 0 };
        let (mut at, mut made, mut since) = (0, 0, 0);
        // Round and round through all changes, until none of a whole round helps.
        while since <= edits(&shrunk.program)
            && made < effort.candidates
            && shrunk.tests < effort.tests
        {
            if at >= edits(&shrunk.program) {
                at = 0;
            }
            made += 1;
            since += 1;
            let program =
                edited(&shrunk.program, at).filter(|it| is_valid(it, &shrunk.input, effort));
            let Some(program) = program else {
                at += 1;
                continue;
            };
            shrunk.tests += 1;
            if test(&program, &shrunk.input) {
                shrunk.program = program;
                shrunk.steps += 1;
                since = 0;
            } else {
                at += 1;
            }
        }
        shrunk
    }

    fn resize(_: &Program, _: &mut Vec<Value>) -> Option<()> {
        Some(())
    }

    fn statements(program: &Program) -> usize {
        let mut count = 0;
        visit(&mut program.clone(), &mut |_| count += 1);
        count
    }
}

/// Is it a program that a text can be, accepted, and does the input fit it?
fn is_valid(program: &Program, input: &[Value], effort: Effort) -> bool {
    let Ok(read) = Sycl::parse(&Sycl::print(program)) else { return false };
    if effort.ill_typed {
        return true;
    }
    let read = Sycl::under(read, &Sycl::options_of(program));
    Sycl::check(&read, &mut Recorder::counting()).is_ok()
        && Sycl::fit(&read, input.to_vec()).is_ok()
}

/// Changes of a statement.
const STMT: usize = 3;

/// How many changes there are: each item, and of each statement a few.
fn edits(program: &Program) -> usize {
    program.items.len() + STMT * Sycl::statements(program)
}

/// The program after a change; `None` if it is none.
fn edited(program: &Program, at: usize) -> Option<Program> {
    let mut program = program.clone();
    let Some(at) = at.checked_sub(program.items.len()) else {
        // The names of the parameters of kernels stand in order.
        let kernel = matches!(&program.items[at], Item::Function(function) if function.kernel);
        program.items.remove(at);
        return (!kernel).then_some(program);
    };
    let (mut stmts, mut changed) = (0, false);
    visit(&mut program, &mut |stmt| {
        if stmts == at / STMT {
            changed |= smaller(stmt, at % STMT);
        }
        stmts += 1;
    });
    changed.then_some(program)
}

/// Makes the statement smaller in this way, if there is such a way.
fn smaller(stmt: &mut Stmt, way: usize) -> bool {
    let kind = std::mem::replace(&mut stmt.kind, StmtKind::Empty);
    let (kind, changed) = match (way, kind) {
        (_, StmtKind::Empty) => (StmtKind::Empty, false),
        (0, _) => return true,
        (1, StmtKind::If(_, then, _)) => (then.kind, true),
        (2, StmtKind::If(_, _, Some(otherwise))) => (otherwise.kind, true),
        (1, StmtKind::While(_, body)) => (body.kind, true),
        (1, StmtKind::For(parts)) => (parts.body.kind, true),
        (1, StmtKind::Block(mut stmts)) => {
            let before = stmts.len();
            stmts.retain(|stmt| stmt.kind != StmtKind::Empty);
            let changed = stmts.len() < before;
            (StmtKind::Block(stmts), changed)
        }
        (2, StmtKind::Block(mut stmts)) if stmts.len() == 1 => (stmts.remove(0).kind, true),
        (_, kind) => (kind, false),
    };
    stmt.kind = kind;
    changed
}

/// Each statement before its parts.
fn visit(program: &mut Program, stmts: &mut dyn FnMut(&mut Stmt)) {
    for item in &mut program.items {
        if let Item::Function(function) = item {
            function.body.iter_mut().for_each(|stmt| of_stmt(stmt, stmts));
        }
    }
}

fn of_stmt(stmt: &mut Stmt, stmts: &mut dyn FnMut(&mut Stmt)) {
    stmts(stmt);
    match &mut stmt.kind {
        StmtKind::Block(body) => body.iter_mut().for_each(|stmt| of_stmt(stmt, stmts)),
        StmtKind::If(_, then, otherwise) => {
            of_stmt(then, stmts);
            otherwise.iter_mut().for_each(|stmt| of_stmt(stmt, stmts));
        }
        StmtKind::While(_, body) => of_stmt(body, stmts),
        StmtKind::For(parts) => of_stmt(&mut parts.body, stmts),
        _ => {}
    }
}
