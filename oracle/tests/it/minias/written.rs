//! Rows that are written down: those that were inferred change nothing, and where all are written no predicate is kept.

use super::changed::corpus;
use arbitrary::Unstructured;
use oracle::generate::{Made, Weights, case_bytes, minias};
use reference::kit::derivation::Recorder;
use reference::kit::header;
use reference::kit::language::Language;
use reference::kit::names::{Names, Var};
use reference::kit::outcome::{Budget, Value};
use reference::kit::schedule::Order;
use reference::minias::rows::{Row, RowVar, Ty};
use reference::minias::syntax::{
    Cond, Decl, Item, Program, Space, Spaces, Stmt, StmtKind, Type, Written,
};
use reference::minias::types::{Scheme, Typed};
use reference::minias::{Minias, eval, infer};
use std::collections::HashMap;

/// Writes the inferred rows of variables down, each with its row variable, and those of parameters if that is asked for;
/// how many.
pub(super) fn write_rows(program: &mut Program, typed: &Typed, params: bool) -> usize {
    let (mut ends, mut count) = (HashMap::new(), 0);
    let mut write = |row: Row, names: &mut Names| {
        let end = row.end.map(|end: RowVar| *ends.entry(end).or_insert_with(|| names.fresh("r")));
        count += 1;
        Written::Row { names: row.names, twice: None, end }
    };
    elided(program, typed, params, &mut write);
    count
}

/// Puts something in the place of each row that is elided in the type of a variable, by the row that was inferred.
fn elided(
    program: &mut Program,
    typed: &Typed,
    params: bool,
    instead: &mut dyn FnMut(Row, &mut Names) -> Written,
) {
    let types: HashMap<Var, Ty> = typed.variables.iter().cloned().collect();
    let names = &mut program.names;
    let mut write = |var: Option<Var>, written: &mut Type, is_array: bool| {
        let Some(mut ty) = var.and_then(|var| types.get(&var)).cloned() else { return };
        if let (true, Ty::Pointer(array)) = (is_array, &ty) {
            ty = array.to.clone();
        }
        for star in written.stars.iter_mut().rev() {
            let Ty::Pointer(pointer) = ty else { return };
            if star.written == Written::Elided {
                star.written = instead(pointer.row, names);
            }
            ty = pointer.to.clone();
        }
    };
    for item in &mut program.items {
        let Item::Function(function) = item else { continue };
        for param in function.params.iter_mut().filter(|_| params) {
            write(param.var, &mut param.ty, false);
        }
        for stmt in function.body.iter_mut().flatten() {
            declarations(stmt, &mut |decl| {
                write(Some(decl.var), &mut decl.ty, decl.extent.is_some());
            });
        }
    }
}

fn declarations(stmt: &mut Stmt, visit: &mut dyn FnMut(&mut Decl)) {
    match &mut stmt.kind {
        StmtKind::Decl(decl) => visit(decl),
        StmtKind::Block(body) => body.iter_mut().for_each(|stmt| declarations(stmt, visit)),
        StmtKind::If(cond, then, otherwise) => {
            if let Cond::Decl(decl) = cond {
                visit(decl);
            }
            declarations(then, visit);
            otherwise.iter_mut().for_each(|stmt| declarations(stmt, visit));
        }
        StmtKind::While(_, body) => declarations(body, visit),
        StmtKind::For(parts) => {
            parts.first.iter_mut().for_each(|first| declarations(first, visit));
            declarations(&mut parts.body, visit);
        }
        StmtKind::Empty
        | StmtKind::Exp(_)
        | StmtKind::Assign(..)
        | StmtKind::Return(_)
        | StmtKind::Barrier(_) => {}
    }
}

fn drawn(seed: u64, index: u64) -> (Program, Vec<Value>, Typed) {
    let bytes = case_bytes(seed, index);
    let Made { program, input, .. } =
        minias::program(&mut Unstructured::new(&bytes), &Weights::default());
    let typed = infer::infer(&program, program.options.mode, &mut Recorder::counting());
    let typed = typed.unwrap_or_else(|no| panic!("{no:?}\n{}", Minias::print(&program)));
    (program, input, typed)
}

/// Do the rows that were inferred, written into variables that are no parameters, change no access and no end of a program?
/// Only two pointers that are compared may be refused then, if their written rows have no space in common. How many rows
/// are written, and whether the programs were run.
fn change_nothing(program: &Program, inputs: &[Vec<Value>], typed: &Typed) -> (usize, bool) {
    let mut other = program.clone();
    let written = write_rows(&mut other, typed, false);
    let text = || Minias::print(&other);
    if let Err(no) = infer::infer(&other, other.options.mode, &mut Recorder::counting()) {
        let compares = matches!(no.rule, Some(("T-COMPARE" | "T-DIFF", "overlap")));
        assert!(compares, "{no:?}\n{}", text());
        return (written, false);
    }
    for input in inputs {
        let [one, two] = [program, &other].map(|program| {
            let (launch, budget) = (&program.options.launch, Budget::default());
            let order = Order::InOrder;
            eval::run_touching(program, launch, input, order, &budget, &mut Recorder::counting())
        });
        assert_eq!(one, two, "{}", text());
    }
    (written, !inputs.is_empty())
}

#[test]
fn rows_written_into_variables_change_nothing() {
    let (mut written, mut compared) = (0, 0);
    for index in 0..400 {
        let (program, input, typed) = drawn(47, index);
        let (rows, ran) = change_nothing(&program, &[input], &typed);
        written += rows;
        compared += usize::from(ran);
    }
    assert!(written > 400 && compared > 300, "{written} {compared}");
}

#[test]
fn rows_written_into_variables_of_the_corpus_change_nothing() {
    let (mut written, mut compared) = (0, 0);
    for text in corpus(Minias::NAME) {
        let header = header::parse(&text, Minias::OPTIONS).expect("it has a header");
        let Ok(program) = Minias::parse(&text) else { continue };
        let program = Minias::under(program, &header.settings(Minias::OPTIONS));
        let typed = infer::infer(&program, program.options.mode, &mut Recorder::counting());
        let Ok(typed) = typed else { continue };
        let fit = |case: header::Case| Minias::fit(&program, case.input).expect("the input fits");
        let inputs: Vec<Vec<Value>> = header.cases.into_iter().map(fit).collect();
        let (rows, ran) = change_nothing(&program, &inputs, &typed);
        written += rows;
        compared += usize::from(ran);
    }
    assert!(written > 20 && compared > 30, "{written} {compared}");
}

/// A program that writes every space keeps no predicate (2.2, reading M13). Each row that is elided is written as that of
/// global, local and private memory, and of constant memory alone where constant came in.
#[test]
fn where_all_spaces_are_written_no_predicate_is_kept() {
    let constant = Spaces::NONE.with(Space::Constant);
    let all = [Space::Global, Space::Local, Space::Private];
    let all = all.into_iter().fold(Spaces::NONE, Spaces::with);
    let row = |names| Written::Row { names, twice: None, end: None };
    let is_open = |scheme: &Scheme| !scheme.rows.is_empty() || !scheme.lacks.is_empty();
    let (mut open, mut accepted) = (0, 0);
    for index in 0..400 {
        let (mut program, _, typed) = drawn(48, index);
        for kernel in program.kernels() {
            let scheme = typed.schemes.iter().find(|(name, _)| *name == kernel.name);
            assert!(scheme.is_some_and(|(_, scheme)| !is_open(scheme)), "a kernel has no caller");
        }
        let before = typed.schemes.iter().any(|(_, scheme)| is_open(scheme));
        elided(&mut program, &typed, true, &mut |inferred, _| {
            row(if inferred.names == constant { constant } else { all })
        });
        for item in &mut program.items {
            let Item::Function(function) = item else { continue };
            for star in &mut function.result.stars {
                if star.written == Written::Elided {
                    star.written = row(all);
                }
            }
        }
        let typed = infer::infer(&program, program.options.mode, &mut Recorder::counting());
        // What is local has no pointers to private memory, and what takes constants takes no others then.
        let Ok(typed) = typed else { continue };
        accepted += 1;
        open += usize::from(before);
        let kept = typed.schemes.iter().any(|(_, scheme)| is_open(scheme));
        assert!(!kept, "{index}: {:?}", typed.lines(&program.names));
    }
    assert!(accepted > 100 && open > 50, "{accepted} {open}");
}
