//! Removal of memory (fig. 9), and with it the value run of a FUNMEM program.

use super::syntax::{Binding, Body, Exp, FunMem, MemExp, MemTy, Program, Stm};
use crate::fun::rules::Rule;
use crate::fun::syntax::{self as fun, Atom, Fun, Se, Ty};
use crate::kit::derivation::Recorder;
use crate::kit::names::{Names, Var};
use crate::kit::outcome::{Budget, Ending, Outcome, Value};

/// `⇒unmem`: blocks become ints, allocations 0, arrays lose block and index function, and a copy
/// becomes the nest of kernels that FUN defines it by.
pub fn unmem(program: &Program<FunMem>) -> fun::Program<Fun> {
    let mut names = program.names.clone();
    let params = bindings(&program.params);
    let body = body(&program.body, &mut names);
    fun::Program { names, params, body }
}

/// The run by values: FUN's, on the program without memory. `input` has no values for blocks,
/// and the outcome none either.
pub fn value_run(
    program: &Program<FunMem>,
    input: &[Value],
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
) -> Outcome {
    let mut values = input.iter().cloned();
    let params = program.params.iter().map(|param| match param.ty {
        MemTy::Mem => Value::from(0),
        _ => values.next().expect("the input fits"),
    });
    let input: Vec<Value> = params.collect();
    let outcome = crate::fun::eval::run(&unmem(program), &input, budget, recorder);
    let ending = match outcome.ending {
        Ending::Value(results) => {
            let blocks = blocks(program);
            let observed = program.body.results.iter().zip(results);
            let observed = observed.filter(|(result, _)| match result {
                Atom::Var(var) => !blocks[var.slot()],
                Atom::Const(_) => true,
            });
            Ending::Value(observed.map(|(_, value)| value).collect())
        }
        other => other,
    };
    Outcome { ending, ..outcome }
}

/// Which names of the outermost body are blocks.
fn blocks(program: &Program<FunMem>) -> Vec<bool> {
    let mut blocks = vec![false; program.names.len()];
    let bound = program.body.stms.iter().flat_map(|stm| &stm.pattern);
    for binding in program.params.iter().chain(bound) {
        blocks[binding.var.slot()] = binding.ty == MemTy::Mem;
    }
    blocks
}

fn ty(ty: &MemTy) -> Ty {
    match ty {
        MemTy::Int | MemTy::Mem => Ty::Int,
        MemTy::Array(array) => Ty::Array(array.shape.clone()),
    }
}

fn bindings(pattern: &[Binding<FunMem>]) -> Vec<fun::Binding<Fun>> {
    pattern.iter().map(|binding| fun::Binding { var: binding.var, ty: ty(&binding.ty) }).collect()
}

fn body(source: &Body<FunMem>, names: &mut Names) -> fun::Body<Fun> {
    let stms = source.stms.iter().map(|stm| statement(stm, names)).collect();
    fun::Body { stms, results: source.results.clone(), span: source.span }
}

fn statement(stm: &Stm<FunMem>, names: &mut Names) -> fun::Stm<Fun> {
    let pattern = bindings(&stm.pattern);
    let exp = match &stm.exp {
        Exp::Scalar(se) => fun::Exp::Scalar(se.clone()),
        Exp::Index { array, index } => fun::Exp::Index { array: *array, index: index.clone() },
        Exp::Slice { array, slice } => fun::Exp::Slice { array: *array, slice: slice.clone() },
        Exp::Transpose(array) => fun::Exp::Transpose(*array),
        Exp::If { cond, then, orelse } => {
            let (then, orelse) = (body(then, names), body(orelse, names));
            fun::Exp::If { cond: *cond, then, orelse }
        }
        Exp::Kernel { thread, count, body: inner } => {
            fun::Exp::Kernel { thread: *thread, count: *count, body: body(inner, names) }
        }
        Exp::Loop { carried, counter, count, body: inner } => fun::Exp::Loop {
            carried: carried
                .iter()
                .map(|(binding, init)| {
                    (fun::Binding { var: binding.var, ty: ty(&binding.ty) }, *init)
                })
                .collect(),
            counter: *counter,
            count: *count,
            body: body(inner, names),
        },
        Exp::Update { array, slice, value } => {
            fun::Exp::Update { array: *array, slice: slice.clone(), value: *value }
        }
        Exp::Extra(MemExp::Alloc(_)) => fun::Exp::Scalar(Se::from(0)),
        Exp::Extra(MemExp::Copy(array)) => {
            let sizes = match &pattern[0].ty {
                Ty::Array(sizes) => sizes.clone(),
                Ty::Int => unreachable!("T-MEM-COPY wants an array"),
            };
            copy(stm, *array, &sizes, &mut Vec::new(), names)
        }
    };
    fun::Stm { span: stm.span, pattern, exp }
}

/// `copy x ≡ kernel y₁ ≤ z₁ ⋯ kernel yₙ ≤ zₙ do in (x[y₁, …, yₙ])`
fn copy(
    stm: &Stm<FunMem>,
    array: Var,
    sizes: &[Atom],
    index: &mut Vec<Atom>,
    names: &mut Names,
) -> fun::Exp<Fun> {
    let span = stm.span;
    let Some((&count, rest)) = sizes.split_first() else {
        return fun::Exp::Index { array, index: index.clone() };
    };
    let thread = names.fresh("i");
    index.push(thread.into());
    let exp = copy(stm, array, rest, index, names);
    let result = names.fresh("e");
    let ty = if rest.is_empty() { Ty::Int } else { Ty::Array(rest.to_vec()) };
    let pattern = vec![fun::Binding { var: result, ty }];
    let body = fun::Body {
        stms: vec![fun::Stm { span, pattern, exp }],
        results: vec![result.into()],
        span,
    };
    fun::Exp::Kernel { thread, count, body }
}
