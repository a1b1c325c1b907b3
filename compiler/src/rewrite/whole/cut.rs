//! Runs of outermost statements of a FUN program as programs of their own.

use super::super::import::uses;
use reference::fun::syntax::{Atom, Binding, Body, Fun, Program, Ty};
use reference::kit::names::Var;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// A run of outermost statements as a program.
pub struct Part {
    /// The program. One of which nothing is used gives 0.
    pub program: Program<Fun>,
    /// What its parameters are in the whole, in their order.
    pub inputs: Vec<Var>,
    /// What its results are.
    pub outputs: Vec<Option<Var>>,
}

/// The run as a program: it takes what its statements use, and gives what is used behind them.
pub fn part(program: &Program<Fun>, statements: Range<usize>) -> Part {
    let behind = alive(program, statements.end);
    let stms = &program.body.stms[statements.clone()];
    let own = stms.iter().flat_map(|stm| &stm.pattern).map(|binding| binding.var);
    let outputs: Vec<Var> = own.filter(|var| behind.contains(var)).collect();
    let mut used = FxHashSet::default();
    stms.iter().for_each(|stm| {
        uses(stm, &mut |var| {
            used.insert(var);
        })
    });
    with_sizes(program, &mut used);
    let inputs = inputs(program, statements.start, &used);
    let results: Vec<Atom> = match outputs.is_empty() {
        true => vec![Atom::Const(0)],
        false => outputs.iter().map(|var| (*var).into()).collect(),
    };
    let body = Body { stms: stms.to_vec(), results, span: program.body.span };
    let vars = inputs.iter().map(|param| param.var).collect();
    let outputs = outputs.into_iter().map(Some).collect();
    Part {
        program: Program { names: program.names.clone(), params: inputs, body },
        inputs: vars,
        outputs,
    }
}

/// The program up to this statement, with these results.
pub fn until(program: &Program<Fun>, end: usize, results: &[Var]) -> Program<Fun> {
    let results = results.iter().map(|var| (*var).into()).collect();
    let stms = program.body.stms[..end].to_vec();
    let body = Body { stms, results, span: program.body.span };
    Program { names: program.names.clone(), params: program.params.clone(), body }
}

/// What is bound outermost, with its type, in its order.
pub fn bound(program: &Program<Fun>) -> Vec<(Var, &Ty)> {
    let stms = program.body.stms.iter().flat_map(|stm| &stm.pattern);
    program.params.iter().chain(stms).map(|binding| (binding.var, &binding.ty)).collect()
}

/// What is used from this outermost statement on, with the sizes of its arrays.
pub fn alive(program: &Program<Fun>, from: usize) -> FxHashSet<Var> {
    let mut used: FxHashSet<Var> =
        program.body.results.iter().filter_map(|result| result.var()).collect();
    for stm in &program.body.stms[from..] {
        uses(stm, &mut |var| {
            used.insert(var);
        });
    }
    with_sizes(program, &mut used);
    used
}

/// Adds the sizes of arrays.
fn with_sizes(program: &Program<Fun>, used: &mut FxHashSet<Var>) {
    for (var, ty) in bound(program) {
        if let (true, Ty::Array(sizes)) = (used.contains(&var), ty) {
            used.extend(sizes.iter().filter_map(|size| size.var()));
        }
    }
}

/// What is used and bound before this statement, as parameters: ints first, for they are sizes.
fn inputs(program: &Program<Fun>, start: usize, used: &FxHashSet<Var>) -> Vec<Binding<Fun>> {
    let stms = program.body.stms[..start].iter().flat_map(|stm| &stm.pattern);
    let before = program.params.iter().chain(stms);
    let used: Vec<&Binding<Fun>> = before.filter(|binding| used.contains(&binding.var)).collect();
    let (ints, arrays): (Vec<_>, Vec<_>) =
        used.into_iter().partition(|binding| binding.ty == Ty::Int);
    ints.into_iter().chain(arrays).cloned().collect()
}
