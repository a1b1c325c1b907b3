//! Runs of outermost statements of a FUN program as programs of their own.

use super::super::import::uses;
use reference::fun::syntax::{Atom, Binding, Body, Exp, Fun, Program, Stm, Ty};
use reference::kit::names::{Names, Var, Wish};
use reference::kit::text::Span;
use rustc_hash::FxHashSet;
use std::ops::Range;

/// A run of outermost statements as a program. It has a copy of each array of which it may consume the elements: a
/// program consumes no parameter.
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
    let mut params = inputs(program, statements.start, &used);
    let vars = params.iter().map(|param| param.var).collect();
    let consumed = consumed(stms);
    let mut names = program.names.clone();
    let mut copies = Vec::new();
    for param in &mut params {
        let Ty::Array(sizes) = &param.ty else { continue };
        if consumed.contains(&param.var) {
            let own = param.var;
            param.var = names.fresh(Wish::Like(own));
            let span = stms.first().map_or(program.body.span, |stm| stm.span);
            let pattern = vec![Binding { var: own, ty: param.ty.clone() }];
            let exp = copy(param.var, sizes, &mut Vec::new(), &mut names, span);
            copies.push(Stm { span, pattern, exp });
        }
    }
    let results: Vec<Atom> = match outputs.is_empty() {
        true => vec![Atom::Const(0)],
        false => outputs.iter().map(|var| (*var).into()).collect(),
    };
    let stms = copies.into_iter().chain(stms.iter().cloned()).collect();
    let body = Body { stms, results, span: program.body.span };
    let outputs = outputs.into_iter().map(Some).collect();
    Part { program: Program { names, params, body }, inputs: vars, outputs }
}

/// The elements of an array, each read at its index.
fn copy(
    from: Var,
    sizes: &[Atom],
    index: &mut Vec<Atom>,
    names: &mut Names,
    span: Span,
) -> Exp<Fun> {
    let Some((count, inner)) = sizes.split_first() else {
        return Exp::Index { array: from, index: index.clone() };
    };
    let thread = names.fresh("k");
    index.push(thread.into());
    let exp = copy(from, inner, index, names, span);
    index.pop();
    let (ty, wish) = match inner {
        [] => (Ty::Int, "x"),
        inner => (Ty::Array(inner.to_vec()), "row"),
    };
    let var = names.fresh(wish);
    let stm = Stm { span, pattern: vec![Binding { var, ty }], exp };
    Exp::Kernel {
        thread,
        count: *count,
        body: Body { stms: vec![stm], results: vec![var.into()], span },
    }
}

/// The arrays whose elements statements may consume: what is updated, and what may share its elements.
fn consumed(stms: &[Stm<Fun>]) -> FxHashSet<Var> {
    let mut same = Vec::new();
    let mut all = FxHashSet::default();
    share(stms, &mut same, &mut all);
    loop {
        let before = all.len();
        for (a, b) in &same {
            if all.contains(a) || all.contains(b) {
                all.extend([*a, *b]);
            }
        }
        if all.len() == before {
            return all;
        }
    }
}

/// Adds pairs that may share elements, and what is updated.
fn share(stms: &[Stm<Fun>], same: &mut Vec<(Var, Var)>, updated: &mut FxHashSet<Var>) {
    for stm in stms {
        let own = stm.pattern.iter().map(|binding| binding.var);
        match &stm.exp {
            Exp::Slice { array, .. } | Exp::Transpose(array) => {
                same.extend(own.map(|var| (var, *array)));
            }
            Exp::Update { array, .. } => {
                updated.insert(*array);
                same.extend(own.map(|var| (var, *array)));
            }
            Exp::If { then, orelse, .. } => {
                for (nth, var) in own.enumerate() {
                    let results =
                        [then, orelse].into_iter().filter_map(|body| body.results.get(nth));
                    same.extend(results.filter_map(|result| Some((var, result.var()?))));
                }
            }
            Exp::Loop { carried, body, .. } => {
                for (nth, (var, (state, start))) in own.zip(carried).enumerate() {
                    same.push((var, state.var));
                    let both = [Some(start), body.results.get(nth)].into_iter().flatten();
                    same.extend(both.filter_map(|atom| Some((state.var, atom.var()?))));
                }
            }
            Exp::Scalar(_) | Exp::Index { .. } | Exp::Kernel { .. } => {}
            Exp::Extra(never) => match *never {},
        }
        stm.exp.bodies().into_iter().for_each(|body| share(&body.stms, same, updated));
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
