//! Ways around in a program: its two kinds of statements, the places of their blocks, what is in
//! scope there.

use reference::device::levels::pars;
use reference::device::parts::Statement;
use reference::device::syntax::{Block, Carried, Exp, Host, HostBlock, Kind, Program, Stm, Ty};
use reference::kit::names::Var;
use reference::kit::text::Span;

/// Statements of the host, or those of kernels and functions.
pub(super) trait Code: Statement + Clone {
    /// The blocks that are in no other block of such statements.
    fn roots(program: &Program) -> Vec<&Vec<Stm<Self>>>;
    /// The same, to be changed.
    fn roots_mut(program: &mut Program) -> Vec<&mut Vec<Stm<Self>>>;
    /// What is in scope at the beginning of a root.
    fn outer(program: &Program, root: usize) -> Vec<Var>;
    /// What it binds for the statements after it.
    fn after(&self) -> Vec<Var>;
    /// `let x : ty = e`
    fn bind(var: Var, ty: Ty, exp: Exp) -> Self;
    /// The variable, and what it is bound to, of a `let`.
    fn bound(&self) -> Option<(Var, &Exp)>;
    /// What a loop carries, and what it starts the next round with.
    fn carried_mut(&mut self) -> Option<(&mut Vec<Carried>, &mut Vec<Exp>)>;
}

impl Code for Kind {
    fn roots(program: &Program) -> Vec<&Block> {
        let functions = program.functions.iter().map(|function| &function.body);
        let kernels = program.kernels.iter().map(|kernel| &kernel.body);
        let mut roots: Vec<&Block> = functions.chain(kernels).collect();
        roots.extend(pars(program).into_iter().map(|(_, par)| &par.body));
        roots
    }

    fn roots_mut(program: &mut Program) -> Vec<&mut Block> {
        fn go<'p>(body: &'p mut HostBlock, roots: &mut Vec<&'p mut Block>) {
            for stm in body {
                match &mut stm.kind {
                    Host::Par(par) => roots.push(&mut par.body),
                    kind => kind.blocks_mut().into_iter().for_each(|inner| go(inner, roots)),
                }
            }
        }
        let functions = program.functions.iter_mut().map(|function| &mut function.body);
        let kernels = program.kernels.iter_mut().map(|kernel| &mut kernel.body);
        let mut roots: Vec<&mut Block> = functions.chain(kernels).collect();
        go(&mut program.host, &mut roots);
        roots
    }

    fn outer(program: &Program, root: usize) -> Vec<Var> {
        let first = |list: &[(Var, Ty)]| list.iter().map(|(var, _)| *var).collect::<Vec<_>>();
        let of_program = [first(&program.workgroup), first(&program.private)].concat();
        if let Some(function) = program.functions.get(root) {
            return [first(&function.params), of_program].concat();
        }
        let root = root - program.functions.len();
        if let Some(kernel) = program.kernels.get(root) {
            let own = [&kernel.params[..], &kernel.workgroup, &kernel.private].concat();
            return [first(&own), of_program].concat();
        }
        // What is bound before on the host; what else is bound there the validator refuses.
        let mut vars: Vec<Var> = program.params.iter().map(|param| param.var).collect();
        program.host.iter().for_each(|stm| vars.extend(stm.kind.after()));
        let pars = pars(program);
        vars.extend(pars.get(root - program.kernels.len()).map(|(_, par)| par.var));
        vars
    }

    fn after(&self) -> Vec<Var> {
        if let Kind::Par(_) = self { Vec::new() } else { self.binds().to_vec() }
    }

    fn bind(var: Var, ty: Ty, exp: Exp) -> Self {
        Kind::Let(var, ty, exp)
    }

    fn bound(&self) -> Option<(Var, &Exp)> {
        match self {
            Kind::Let(var, _, exp) => Some((*var, exp)),
            _ => None,
        }
    }

    fn carried_mut(&mut self) -> Option<(&mut Vec<Carried>, &mut Vec<Exp>)> {
        match self {
            Kind::Loop(rounds) => Some((&mut rounds.carried, &mut rounds.next)),
            _ => None,
        }
    }
}

impl Code for Host {
    fn roots(program: &Program) -> Vec<&HostBlock> {
        vec![&program.host]
    }

    fn roots_mut(program: &mut Program) -> Vec<&mut HostBlock> {
        vec![&mut program.host]
    }

    fn outer(program: &Program, _: usize) -> Vec<Var> {
        program.params.iter().map(|param| param.var).collect()
    }

    fn after(&self) -> Vec<Var> {
        if let Host::Par(_) = self { Vec::new() } else { self.binds().to_vec() }
    }

    fn bind(var: Var, ty: Ty, exp: Exp) -> Self {
        Host::Let(var, ty, exp)
    }

    fn bound(&self) -> Option<(Var, &Exp)> {
        match self {
            Host::Let(var, _, exp) => Some((*var, exp)),
            _ => None,
        }
    }

    fn carried_mut(&mut self) -> Option<(&mut Vec<Carried>, &mut Vec<Exp>)> {
        match self {
            Host::Loop(rounds) => Some((&mut rounds.carried, &mut rounds.next)),
            _ => None,
        }
    }
}

/// The way to a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// The root, by its number.
    root: usize,
    /// At each level the statement, and which of its blocks.
    steps: Vec<(usize, usize)>,
}

/// The ways to all blocks, outer ones first.
pub(super) fn paths<C: Code>(program: &Program) -> Vec<Path> {
    fn go<C: Code>(body: &[Stm<C>], here: &Path, out: &mut Vec<Path>) {
        out.push(here.clone());
        for (at, stm) in body.iter().enumerate() {
            for (which, inner) in stm.kind.blocks().into_iter().enumerate() {
                let mut path = here.clone();
                path.steps.push((at, which));
                go(inner, &path, out);
            }
        }
    }
    let mut out = Vec::new();
    for (root, body) in C::roots(program).into_iter().enumerate() {
        go(body, &Path { root, steps: Vec::new() }, &mut out);
    }
    out
}

/// The block at the end of the way, if it is still there.
pub(super) fn block_at<'p, C: Code>(
    program: &'p mut Program,
    path: &Path,
) -> Option<&'p mut Vec<Stm<C>>> {
    let mut body = C::roots_mut(program).into_iter().nth(path.root)?;
    for &(at, which) in &path.steps {
        body = body.get_mut(at)?.kind.blocks_mut().into_iter().nth(which)?;
    }
    Some(body)
}

/// The same, to be looked at.
pub(super) fn look_at<'p, C: Code>(program: &'p Program, path: &Path) -> Option<&'p Vec<Stm<C>>> {
    let mut body = C::roots(program).into_iter().nth(path.root)?;
    for &(at, which) in &path.steps {
        body = body.get(at)?.kind.blocks().into_iter().nth(which)?;
    }
    Some(body)
}

/// The statement `at` of the block at the end of the way, if it is still there.
pub(super) fn stm_at<'p, C: Code>(
    program: &'p Program,
    path: &Path,
    at: usize,
) -> Option<&'p Stm<C>> {
    look_at(program, path)?.get(at)
}

/// What is in scope before statement `upto` of a block, outermost first.
pub(super) fn scope<C: Code>(program: &Program, path: &Path, upto: usize) -> Vec<Var> {
    fn before<C: Code>(body: &[Stm<C>], upto: usize) -> impl Iterator<Item = Var> {
        body.iter().take(upto).flat_map(|stm| stm.kind.after())
    }
    let mut scope = C::outer(program, path.root);
    let Some(mut body) = C::roots(program).into_iter().nth(path.root) else { return scope };
    for &(at, which) in &path.steps {
        let Some(stm) = body.get(at) else { return scope };
        scope.extend(before::<C>(body, at));
        if !stm.kind.blocks().is_empty() {
            scope.extend(stm.kind.binds());
        }
        let Some(inner) = stm.kind.blocks().into_iter().nth(which) else { return scope };
        body = inner;
    }
    scope.extend(before::<C>(body, upto));
    scope
}

/// Changes each statement in turn, inner ones first; it stands no more where the answer is no.
pub(super) fn retain<C: Code>(program: &mut Program, keep: &mut impl FnMut(&mut C) -> bool) {
    fn go<C: Code>(body: &mut Vec<Stm<C>>, keep: &mut impl FnMut(&mut C) -> bool) {
        body.retain_mut(|stm| {
            stm.kind.blocks_mut().into_iter().for_each(|inner| go(inner, keep));
            keep(&mut stm.kind)
        });
    }
    C::roots_mut(program).into_iter().for_each(|root| go(root, keep));
}

/// A new statement in the place of another.
pub(super) fn stm<C>(span: Span, kind: C) -> Stm<C> {
    Stm { span, kind }
}
