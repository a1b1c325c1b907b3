//! Removal of statements. What depends on them gets something simpler of the same type.

use super::super::Shrinking;
use super::dialect::Shrinks;
use super::walk;
use reference::fun::syntax::{Atom, Binding, Body, Exp, Program, Stm};
use reference::kit::names::Var;
use reference::kit::text::Span;
use std::collections::HashMap;

/// What stands for names that are no longer bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placeholder {
    /// 1 for an int, the last array in scope of the same type, else a plain kernel.
    Last,
    /// 0 for an int, the first array in scope of the same type, else a plain kernel.
    First,
    /// 1 for an int, a parameter for an array, else a plain kernel.
    Input,
    /// 2 for an int, a plain kernel for an array.
    Plain,
}

pub(super) const PLACEHOLDERS: [Placeholder; 4] =
    [Placeholder::Last, Placeholder::First, Placeholder::Input, Placeholder::Plain];

impl<D: Shrinks> Shrinking<'_, Program<D>> {
    /// Takes out runs of statements, long ones first, from the end of each body.
    pub(super) fn remove_chunks(&mut self) {
        let mut which = 0;
        loop {
            let paths = walk::paths(&self.program);
            let Some(path) = paths.get(which).cloned() else { break };
            let mut chunk = self.length(&path);
            while chunk > 0 {
                let mut end = self.length(&path);
                while end >= chunk {
                    let removed = self.remove(&path, end - chunk, chunk);
                    end = if removed { end.min(self.length(&path)) } else { end - 1 };
                }
                chunk /= 2;
            }
            which += 1;
        }
    }

    fn length(&self, path: &[(usize, usize)]) -> usize {
        walk::look_at(&self.program, path).map_or(0, |body| body.stms.len())
    }

    fn remove(&mut self, path: &walk::Path, at: usize, chunk: usize) -> bool {
        for stand in PLACEHOLDERS {
            let mut program = self.program.clone();
            let Some(body) = walk::body_at(&mut program, path) else { return false };
            let gone: Vec<Binding<D>> =
                body.stms.drain(at..at + chunk).flat_map(|stm| stm.pattern).collect();
            let uses = walk::uses(&mut program);
            let needed = gone.iter().any(|binding| uses[binding.var.slot()] > 0);
            put_placeholders(&mut program, path, at, gone, stand);
            if self.attempt(program, self.input.clone()) {
                return true;
            }
            if !needed {
                break;
            }
        }
        false
    }
}

/// Gives the uses of `gone`, which was bound before statement `at` of the body at `path`,
/// something of the same type. Where there is nothing the program is left ill typed.
pub(super) fn put_placeholders<D: Shrinks>(
    program: &mut Program<D>,
    path: &[(usize, usize)],
    at: usize,
    mut gone: Vec<Binding<D>>,
    stand: Placeholder,
) {
    let uses = walk::uses(program);
    gone.retain(|binding| uses[binding.var.slot()] > 0);
    if gone.is_empty() {
        return;
    }
    let int = match stand {
        Placeholder::Last | Placeholder::Input => 1,
        Placeholder::First => 0,
        Placeholder::Plain => 2,
    };
    let mut with: HashMap<Var, Atom> = gone
        .iter()
        .filter(|binding| binding.ty == D::int())
        .map(|binding| (binding.var, Atom::Const(int)))
        .collect();
    gone.retain(|binding| binding.ty != D::int());
    walk::substitute(program, &with);
    let mut scope = walk::scope(program, path, at);
    let mut made = Vec::new();
    for mut binding in gone {
        D::atoms_of_type(&mut binding.ty, &mut |atom| {
            if let Some(other) = atom.var().and_then(|var| with.get(&var)) {
                *atom = *other;
            }
        });
        let mut same = scope.iter().filter(|other| other.ty == binding.ty);
        let found = match stand {
            Placeholder::Last => same.next_back(),
            Placeholder::First => same.next(),
            Placeholder::Input | Placeholder::Plain => None,
        };
        if let Some(found) = found {
            with.insert(binding.var, found.var.into());
        } else if stand == Placeholder::Input && is_constant(D::shape(&binding.ty)) {
            // Its value is made where the input is brought to the sizes of the parameters.
            program.params.push(binding);
        } else if let Some(stm) = plain_kernel(program, &binding) {
            made.push(stm);
            scope.push(binding);
        }
    }
    walk::substitute(program, &with);
    if let Some(body) = walk::body_at(program, path) {
        for stm in made.into_iter().rev() {
            body.stms.insert(at, stm);
        }
    }
}

/// Is it a shape of constants?
fn is_constant(shape: Option<&[Atom]>) -> bool {
    shape.is_some_and(|shape| shape.iter().all(|size| size.var().is_none()))
}

/// A kernel that makes an array of the type of `binding`, if the shape is all there is to it.
pub(super) fn plain_kernel<D: Shrinks>(
    program: &mut Program<D>,
    binding: &Binding<D>,
) -> Option<Stm<D>> {
    let shape = D::shape(&binding.ty)?.to_vec();
    // The statement at hand is gone; its place is as good as any for what stands for it.
    let span = program.body.span;
    D::plain_array(&shape)?;
    let exp = plain_nest(program, &shape, span)?;
    Some(Stm { span, pattern: vec![binding.clone()], exp })
}

fn plain_nest<D: Shrinks>(program: &mut Program<D>, shape: &[Atom], span: Span) -> Option<Exp<D>> {
    let (count, rest) = shape.split_first()?;
    let thread = program.names.fresh("i");
    let body = if rest.is_empty() {
        Body { stms: Vec::new(), results: vec![thread.into()], span }
    } else {
        let var = program.names.fresh("row");
        let ty = D::plain_array(rest)?;
        let exp = plain_nest(program, rest, span)?;
        let pattern = vec![Binding { var, ty }];
        Body { stms: vec![Stm { span, pattern, exp }], results: vec![var.into()], span }
    };
    Some(Exp::Kernel { thread, count: *count, body })
}
