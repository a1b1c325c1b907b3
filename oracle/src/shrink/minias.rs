//! The shrinker of MiniAS: functions, statements, parts of statements, expressions and inputs go one by one.

use super::{Effort, Shrink, Shrunk, Test};
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::kit::outcome::Value;
use reference::minias::Minias;
use reference::minias::syntax::{Cond, Exp, Function, Item, Kind, Program, Stmt, StmtKind};

impl Shrink for Minias {
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
            let Some(program) = edited(&shrunk.program, at) else {
                at += 1;
                continue;
            };
            if !is_valid(&program, &shrunk.input, effort) {
                at += 1;
                continue;
            }
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
        let mut program = program.clone();
        visit(&mut program, &mut |_| count += 1, &mut |_| {});
        count
    }
}

/// Is it a program that a text can be, well typed, and does the input fit it?
fn is_valid(program: &Program, input: &[Value], effort: Effort) -> bool {
    let Ok(read) = Minias::parse(&Minias::print(program)) else { return false };
    if effort.ill_typed {
        return true;
    }
    let read = Minias::under(read, &Minias::options_of(program));
    Minias::check(&read, &mut Recorder::counting()).is_ok()
        && Minias::fit(&read, input.to_vec()).is_ok()
}

/// How many changes there are: each item, and of each statement and each expression a few.
fn edits(program: &Program) -> usize {
    let (mut stmts, mut exps) = (0, 0);
    visit(&mut program.clone(), &mut |_| stmts += 1, &mut |_| exps += 1);
    ITEM * program.items.len() + STMT * stmts + EXP * exps
}

/// Changes of an item, of a statement and of an expression.
const ITEM: usize = 2;
const STMT: usize = 3;
const EXP: usize = 4;

/// The program after a change; `None` if it is none.
fn edited(program: &Program, at: usize) -> Option<Program> {
    let mut program = program.clone();
    let Some(at) = at.checked_sub(ITEM * program.items.len()) else {
        return smaller_item(&mut program.items, at).then_some(program);
    };
    let (mut stmts, mut changed) = (0, false);
    visit(
        &mut program,
        &mut |stmt| {
            if stmts == at / STMT {
                changed |= smaller_stmt(stmt, at % STMT);
            }
            stmts += 1;
        },
        &mut |_| {},
    );
    let Some(at) = at.checked_sub(STMT * stmts) else { return changed.then_some(program) };
    let mut exps = 0;
    visit(&mut program, &mut |_| {}, &mut |exp| {
        if exps == at / EXP {
            changed |= smaller_exp(exp, at % EXP);
        }
        exps += 1;
    });
    changed.then_some(program)
}

/// Leaves an item out, or the empty statements of its body, if it has any.
fn smaller_item(items: &mut Vec<Item>, at: usize) -> bool {
    let Some(at) = at.checked_sub(items.len()) else {
        items.remove(at);
        return true;
    };
    let Item::Function(Function { body: Some(body), .. }) = &mut items[at] else { return false };
    let before = body.len();
    body.retain(|stmt| stmt.kind != StmtKind::Empty);
    body.len() < before
}

/// Makes the statement smaller in this way, if there is such a way.
fn smaller_stmt(stmt: &mut Stmt, way: usize) -> bool {
    let kind = std::mem::replace(&mut stmt.kind, StmtKind::Empty);
    let (kind, changed) = match (way, kind) {
        (_, StmtKind::Empty) => (StmtKind::Empty, false),
        (0, _) => return true,
        (1, StmtKind::If(_, then, _)) => (then.kind, true),
        (2, StmtKind::If(cond, then, Some(otherwise))) if otherwise.kind == StmtKind::Empty => {
            (StmtKind::If(cond, then, None), true)
        }
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
        (1, StmtKind::Decl(mut decl)) => {
            let changed = decl.init.take().is_some();
            (StmtKind::Decl(decl), changed)
        }
        (_, kind) => (kind, false),
    };
    stmt.kind = kind;
    changed
}

/// Makes the expression one of its parts, or a small number.
fn smaller_exp(exp: &mut Exp, way: usize) -> bool {
    let part = match (way, &mut exp.kind) {
        (0, Kind::Int(0) | Kind::Null) => return false,
        (0, _) => Some(Exp { span: exp.span, kind: Kind::Int(0) }),
        (1, Kind::Int(k)) if k.unsigned_abs() > 1 => {
            *k /= 2;
            return true;
        }
        (1, Kind::Binary(_, one, _)) => Some((**one).clone()),
        (2, Kind::Binary(_, _, other)) => Some((**other).clone()),
        (1, Kind::Unary(_, part) | Kind::Cast(_, part)) => Some((**part).clone()),
        (way @ 1..=2, Kind::Cond(parts)) => Some(parts[way].clone()),
        (way @ 1..=3, Kind::Call(_, args)) => args.get(way - 1).cloned(),
        _ => None,
    };
    let changed = part.is_some();
    if let Some(part) = part {
        *exp = part;
    }
    changed
}

/// Each statement before its parts, and each expression before its own.
fn visit(program: &mut Program, stmts: &mut dyn FnMut(&mut Stmt), exps: &mut dyn FnMut(&mut Exp)) {
    for item in &mut program.items {
        if let Item::Function(function) = item {
            for stmt in function.body.iter_mut().flatten() {
                of_stmt(stmt, stmts, exps);
            }
        }
    }
}

fn of_stmt(stmt: &mut Stmt, stmts: &mut dyn FnMut(&mut Stmt), exps: &mut dyn FnMut(&mut Exp)) {
    stmts(stmt);
    let init = |decl: &mut reference::minias::syntax::Decl, exps: &mut dyn FnMut(&mut Exp)| {
        use reference::minias::syntax::Init;
        match &mut decl.init {
            None => {}
            Some(Init::One(exp)) => of_exp(exp, exps),
            Some(Init::Many(many)) => many.iter_mut().for_each(|exp| of_exp(exp, exps)),
        }
    };
    match &mut stmt.kind {
        StmtKind::Empty | StmtKind::Barrier(_) => {}
        StmtKind::Decl(decl) => init(decl, exps),
        StmtKind::Exp(exp) => of_exp(exp, exps),
        StmtKind::Assign(place, value) => {
            // A place stays one: only what is in it changes.
            if let Kind::Load(address) = &mut place.kind {
                of_exp(address, exps);
            }
            of_exp(value, exps);
        }
        StmtKind::Return(exp) => exp.iter_mut().for_each(|exp| of_exp(exp, exps)),
        StmtKind::Block(body) => body.iter_mut().for_each(|stmt| of_stmt(stmt, stmts, exps)),
        StmtKind::If(cond, then, otherwise) => {
            match cond {
                Cond::Exp(exp) => of_exp(exp, exps),
                Cond::Decl(decl) => init(decl, exps),
            }
            of_stmt(then, stmts, exps);
            otherwise.iter_mut().for_each(|stmt| of_stmt(stmt, stmts, exps));
        }
        StmtKind::While(condition, body) => {
            of_exp(condition, exps);
            of_stmt(body, stmts, exps);
        }
        StmtKind::For(parts) => {
            // What a loop starts with and goes on with stays what it is.
            for stmt in parts.first.iter_mut().chain(&mut parts.next) {
                of_stmt(stmt, &mut |_| {}, exps);
            }
            of_exp(&mut parts.while_, exps);
            of_stmt(&mut parts.body, stmts, exps);
        }
    }
}

fn of_exp(exp: &mut Exp, exps: &mut dyn FnMut(&mut Exp)) {
    exps(exp);
    match &mut exp.kind {
        Kind::Int(_) | Kind::Null | Kind::Var(_) | Kind::Builtin(_) | Kind::Address(_) => {}
        Kind::Unary(_, part) | Kind::Load(part) | Kind::Cast(_, part) | Kind::Dynamic(_, part) => {
            of_exp(part, exps)
        }
        Kind::Binary(_, one, other) => {
            of_exp(one, exps);
            of_exp(other, exps);
        }
        Kind::Cond(parts) => parts.iter_mut().for_each(|part| of_exp(part, exps)),
        Kind::Call(_, args) => args.iter_mut().for_each(|arg| of_exp(arg, exps)),
    }
}
