//! The editor of FUNMEM programs. FUN cannot race and insertion makes valid programs, so this is
//! where races and invalid programs come from: it moves blocks, LMADs and allocations, as a pass
//! of a compiler that optimizes memory does, and keeps the program well typed.

use super::super::draw::Draw;
use super::layout::{Layout, Reannotation};
use arbitrary::Unstructured;
use reference::fun::syntax::{Atom, Se};
use reference::funmem::syntax::{ArrayTy, Body, Exp, FunMem, MemExp, MemTy, Program, Stm};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::sync::Arc;

/// An edit that was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Another layout of a fresh array; whether its block got the room that it needs.
    Layout(Layout, bool),
    /// One block in the place of another.
    Merge,
    /// An allocation moved out of its kernel.
    HoistFromKernel,
    /// An allocation moved out of its loop.
    HoistFromLoop,
    /// An allocation moved out of its branch.
    HoistFromBranch,
    /// A thread left out of an offset.
    DropThread,
    /// One array moved to another block.
    Move,
}

/// Edits a program, once to three times. The edits that found a place are returned.
pub fn edit(
    program: &Program<FunMem>,
    bytes: &mut Unstructured<'_>,
) -> (Program<FunMem>, Vec<Edit>) {
    let mut editing = Editing { draw: Draw::new(bytes), program: program.clone() };
    let mut edits = Vec::new();
    let wanted = [1, 2, 3][editing.draw.weighed(&[6, 3, 1])];
    for _ in 0..12 {
        edits.extend(editing.edit());
        if edits.len() >= wanted {
            break;
        }
    }
    number(&mut editing.program.body, &mut 0);
    (editing.program, edits)
}

/// Numbers the statements anew: all that insertion makes for a statement has its number, and here they
/// are statements of their own, of which one gets stuck.
fn number(body: &mut Body<FunMem>, next: &mut u32) {
    let mut nth = || {
        *next += 1;
        Span::nth(*next - 1)
    };
    body.span = nth();
    for stm in &mut body.stms {
        stm.span = nth();
    }
    for inner in body.stms.iter_mut().flat_map(|stm| stm.exp.bodies_mut()) {
        number(inner, next);
    }
}

/// Where a statement stands: the way to its body, and its number there.
#[derive(Clone, Debug)]
struct Place {
    path: Vec<(usize, usize)>,
    at: usize,
}

/// An array that a kernel or a copy makes in a block that is allocated in the same body.
struct Fresh {
    place: Place,
    entry: usize,
    alloc: usize,
    rank: usize,
    var: Var,
}

/// An allocation.
struct Alloc {
    place: Place,
    block: Var,
}

struct Editing<'u, 'b> {
    draw: Draw<'u, 'b>,
    program: Program<FunMem>,
}

impl Editing<'_, '_> {
    fn edit(&mut self) -> Option<Edit> {
        match self.draw.weighed(&[6, 4, 4, 2, 1, 4, 2]) {
            0 => self.lay_out(),
            1 => self.merge(),
            2 => self.hoist(|exp| matches!(exp, Exp::Kernel { .. }), Edit::HoistFromKernel),
            3 => self.hoist(|exp| matches!(exp, Exp::Loop { .. }), Edit::HoistFromLoop),
            4 => self.hoist(|exp| matches!(exp, Exp::If { .. }), Edit::HoistFromBranch),
            5 => self.drop_thread(),
            _ => self.relocate(),
        }
    }

    /// Gives a fresh array another layout.
    fn lay_out(&mut self) -> Option<Edit> {
        let fresh = fresh_arrays(&self.program);
        let fresh = one(&mut self.draw, fresh)?;
        let dim = self.draw.below(fresh.rank);
        let layout = match self.draw.below(10) {
            0 | 1 if fresh.rank >= 2 => Layout::Swapped,
            0..=3 => Layout::Reversed(dim),
            4 | 5 => Layout::Shifted([1, 3, -1][self.draw.below(3)]),
            6 => Layout::Flat(dim),
            7 => Layout::Tight(dim),
            _ => Layout::Spread([2, 3][self.draw.below(2)]),
        };
        let grows = self.draw.chance(65);
        let body = body_at(&mut self.program.body, &fresh.place.path)?;
        let (before, rest) = body.stms.split_at_mut(fresh.place.at);
        let Exp::Extra(MemExp::Alloc(room)) = &mut before[fresh.alloc].exp else { return None };
        let MemTy::Array(ty) = &mut rest[0].pattern[fresh.entry].ty else { return None };
        let (lmad, needed) = layout.of(&ty.lmad, room.clone());
        Arc::make_mut(ty).lmad = lmad;
        if grows {
            *room = needed;
        }
        Reannotation::run(&mut self.program, &[fresh.var]);
        Some(Edit::Layout(layout, grows))
    }

    /// Puts one block in the place of another that is allocated later, in the same body or inside.
    fn merge(&mut self) -> Option<Edit> {
        let mut allocs = allocations(&self.program);
        // Blocks of parameters can be overwritten, too.
        let params = self.program.params.iter().filter(|param| param.ty == MemTy::Mem);
        let place = Place { path: Vec::new(), at: 0 };
        let params = params.map(|param| Alloc { place: place.clone(), block: param.var });
        let first = params.clone().count();
        let mut all: Vec<Alloc> = params.collect();
        all.append(&mut allocs);
        if all.len() < 2 || first == all.len() {
            return None;
        }
        let later = first + self.draw.below(all.len() - first);
        let gone = &all[later];
        // What is allocated earlier on the way to it is in scope there.
        let kept: Vec<&Alloc> = all[..later]
            .iter()
            .filter(|alloc| {
                gone.place.path.starts_with(&alloc.place.path)
                    && (alloc.place.path.len() == gone.place.path.len()
                        || alloc.place.at <= gone.place.path[alloc.place.path.len()].0)
            })
            .collect();
        if kept.is_empty() {
            return None;
        }
        // Near ones more often: those live together.
        let near = self.draw.below(kept.len()).max(self.draw.below(kept.len()));
        let (kept, gone) = (kept[near], &all[later]);
        let (block, place) = (kept.block, kept.place.clone());
        let (old, gone) = (gone.block, gone.place.clone());
        let body = body_at(&mut self.program.body, &gone.path)?;
        let Exp::Extra(MemExp::Alloc(needed)) = body.stms.remove(gone.at).exp else { return None };
        rename_block(&mut self.program.body, old, block);
        if self.draw.chance(70) && place.path == gone.path && place.at < gone.at {
            let body = body_at(&mut self.program.body, &place.path)?;
            if is_known_before(&body.stms[place.at..gone.at], &needed)
                && let Exp::Extra(MemExp::Alloc(room)) = &mut body.stms[place.at].exp
            {
                *room = Se::bin(BinOp::Max, room.clone(), needed);
            }
        }
        Some(Edit::Merge)
    }

    /// Moves an allocation before the statement whose body it stands in.
    fn hoist(&mut self, of: fn(&Exp<FunMem>) -> bool, edit: Edit) -> Option<Edit> {
        let allocs = allocations(&self.program);
        let allocs: Vec<Alloc> = allocs
            .into_iter()
            .filter(|alloc| {
                let Some((&(at, _), outer)) = alloc.place.path.split_last() else { return false };
                let around = look_at(&self.program.body, outer);
                around.is_some_and(|body| of(&body.stms[at].exp))
            })
            .collect();
        let alloc = one(&mut self.draw, allocs)?;
        let (&(around, _), outer) = alloc.place.path.split_last()?;
        let body = body_at(&mut self.program.body, &alloc.place.path)?;
        let Exp::Extra(MemExp::Alloc(size)) = &body.stms[alloc.place.at].exp else { return None };
        let size = size.clone();
        let bound_inside = bound_in(&look_at(&self.program.body, outer)?.stms[around]);
        if mentions(&size, &bound_inside) {
            return None;
        }
        let body = body_at(&mut self.program.body, &alloc.place.path)?;
        let stm = body.stms.remove(alloc.place.at);
        body_at(&mut self.program.body, outer)?.stms.insert(around, stm);
        Some(edit)
    }

    /// Leaves a thread variable out of the offsets of the arrays of one block, as memory
    /// expansion did that knew one level of threads only.
    fn drop_thread(&mut self) -> Option<Edit> {
        let mut found = Vec::new();
        threads_in_offsets(&self.program.body, &mut Vec::new(), &mut found);
        found.sort_unstable();
        found.dedup();
        let (block, thread) = one(&mut self.draw, found)?;
        let mut changed = Vec::new();
        each_fresh(&mut self.program.body, &mut |var, ty| {
            if ty.block == block && replace(&mut ty.lmad.offset, thread) {
                changed.push(var);
            }
        });
        Reannotation::run(&mut self.program, &changed);
        Some(Edit::DropThread)
    }

    /// Moves a fresh array alone to the block of another.
    fn relocate(&mut self) -> Option<Edit> {
        let fresh = fresh_arrays(&self.program);
        let fresh = one(&mut self.draw, fresh)?;
        let mut blocks: Vec<Var> = self
            .program
            .params
            .iter()
            .filter(|param| param.ty == MemTy::Mem)
            .map(|param| param.var)
            .collect();
        let body = look_at(&self.program.body, &fresh.place.path)?;
        let before = body.stms[..fresh.place.at].iter().flat_map(|stm| &stm.pattern);
        blocks.extend(before.filter(|binding| binding.ty == MemTy::Mem).map(|b| b.var));
        let block = one(&mut self.draw, blocks)?;
        let body = body_at(&mut self.program.body, &fresh.place.path)?;
        let MemTy::Array(ty) = &mut body.stms[fresh.place.at].pattern[fresh.entry].ty else {
            return None;
        };
        if ty.block == block {
            return None;
        }
        let old = ty.block;
        Arc::make_mut(ty).block = block;
        // What is derived from it, and the results that name its block, follow.
        rename_block_after(&mut self.program, &fresh, old, block);
        Some(Edit::Move)
    }
}

/// One of them; the first when nothing is left to choose by.
fn one<T>(draw: &mut Draw<'_, '_>, mut of: Vec<T>) -> Option<T> {
    if of.is_empty() {
        return None;
    }
    let at = draw.below(of.len());
    Some(of.swap_remove(at))
}

fn body_at<'p>(
    mut body: &'p mut Body<FunMem>,
    path: &[(usize, usize)],
) -> Option<&'p mut Body<FunMem>> {
    for &(at, which) in path {
        body = body.stms.get_mut(at)?.exp.bodies_mut().into_iter().nth(which)?;
    }
    Some(body)
}

fn look_at<'p>(mut body: &'p Body<FunMem>, path: &[(usize, usize)]) -> Option<&'p Body<FunMem>> {
    for &(at, which) in path {
        body = body.stms.get(at)?.exp.bodies().into_iter().nth(which)?;
    }
    Some(body)
}

/// Visits every body with the way to it, outer ones first.
fn each_body<'p>(
    body: &'p Body<FunMem>,
    path: &mut Vec<(usize, usize)>,
    visit: &mut impl FnMut(&'p Body<FunMem>, &[(usize, usize)]),
) {
    visit(body, path);
    for (at, stm) in body.stms.iter().enumerate() {
        for (which, inner) in stm.exp.bodies().into_iter().enumerate() {
            path.push((at, which));
            each_body(inner, path, visit);
            path.pop();
        }
    }
}

fn fresh_arrays(program: &Program<FunMem>) -> Vec<Fresh> {
    let mut found = Vec::new();
    each_body(&program.body, &mut Vec::new(), &mut |body, path| {
        for (at, stm) in body.stms.iter().enumerate() {
            let makes = makes(stm);
            for (entry, binding) in stm.pattern.iter().enumerate() {
                let MemTy::Array(ty) = &binding.ty else { continue };
                let alloc = body.stms[..at].iter().position(|stm| {
                    matches!(stm.exp, Exp::Extra(MemExp::Alloc(_)))
                        && stm.pattern[0].var == ty.block
                });
                if let (true, Some(alloc)) = (makes, alloc) {
                    let place = Place { path: path.to_vec(), at };
                    let rank = ty.shape.len();
                    found.push(Fresh { place, entry, alloc, rank, var: binding.var });
                }
            }
        }
    });
    found
}

/// Every allocation, in the order of the text.
fn allocations(program: &Program<FunMem>) -> Vec<Alloc> {
    let mut found = Vec::new();
    each_body(&program.body, &mut Vec::new(), &mut |body, path| {
        for (at, stm) in body.stms.iter().enumerate() {
            if let Exp::Extra(MemExp::Alloc(_)) = stm.exp {
                let place = Place { path: path.to_vec(), at };
                found.push(Alloc { place, block: stm.pattern[0].var });
            }
        }
    });
    let order = |alloc: &Alloc| {
        let mut way: Vec<usize> = Vec::new();
        for (at, which) in &alloc.place.path {
            way.extend([*at, *which]);
        }
        way.push(alloc.place.at);
        way
    };
    found.sort_by_key(order);
    found
}

/// Does the statement make arrays, rather than show them in another way?
fn makes(stm: &Stm<FunMem>) -> bool {
    matches!(stm.exp, Exp::Kernel { .. } | Exp::Extra(MemExp::Copy(_)))
}

/// Visits the type of every array that is made.
fn each_fresh(body: &mut Body<FunMem>, visit: &mut dyn FnMut(Var, &mut ArrayTy)) {
    for stm in &mut body.stms {
        if makes(stm) {
            for binding in &mut stm.pattern {
                if let MemTy::Array(ty) = &mut binding.ty {
                    visit(binding.var, Arc::make_mut(ty));
                }
            }
        }
        for inner in stm.exp.bodies_mut() {
            each_fresh(inner, visit);
        }
    }
}

/// Puts one block in the place of another, everywhere in the body.
fn rename_block(body: &mut Body<FunMem>, old: Var, new: Var) {
    let rename = |atom: &mut Atom| {
        if *atom == Atom::Var(old) {
            *atom = new.into();
        }
    };
    for stm in &mut body.stms {
        for binding in &mut stm.pattern {
            if let MemTy::Array(ty) = &mut binding.ty
                && ty.block == old
            {
                Arc::make_mut(ty).block = new;
            }
        }
        if let Exp::Loop { carried, .. } = &mut stm.exp {
            for (binding, init) in carried {
                rename(init);
                if let MemTy::Array(ty) = &mut binding.ty
                    && ty.block == old
                {
                    Arc::make_mut(ty).block = new;
                }
            }
        }
        for inner in stm.exp.bodies_mut() {
            rename_block(inner, old, new);
        }
    }
    body.results.iter_mut().for_each(rename);
}

/// Puts `new` in the place of `old` in the body of `fresh`, from its statement on.
fn rename_block_after(program: &mut Program<FunMem>, fresh: &Fresh, old: Var, new: Var) {
    let Some(body) = body_at(&mut program.body, &fresh.place.path) else { return };
    let mut after = Body {
        stms: body.stms.split_off(fresh.place.at),
        results: std::mem::take(&mut body.results),
        span: body.span,
    };
    rename_block(&mut after, old, new);
    body.stms.append(&mut after.stms);
    body.results = after.results;
}

/// Is nothing that `se` mentions bound by these statements?
fn is_known_before(stms: &[Stm<FunMem>], se: &Se) -> bool {
    let bound: Vec<Var> = stms.iter().flat_map(bound_in).collect();
    !mentions(se, &bound)
}

/// What a statement binds, in its bodies too.
fn bound_in(stm: &Stm<FunMem>) -> Vec<Var> {
    let mut bound: Vec<Var> = stm.pattern.iter().map(|binding| binding.var).collect();
    match &stm.exp {
        Exp::Kernel { thread, .. } => bound.push(*thread),
        Exp::Loop { carried, counter, .. } => {
            bound.push(*counter);
            bound.extend(carried.iter().map(|(binding, _)| binding.var));
        }
        _ => {}
    }
    for body in stm.exp.bodies() {
        bound.extend(body.stms.iter().flat_map(bound_in));
    }
    bound
}

fn mentions(se: &Se, vars: &[Var]) -> bool {
    match se {
        Se::Atom(Atom::Var(var)) => vars.contains(var),
        Se::Atom(Atom::Const(_)) => false,
        Se::Bin(_, ab) => ab.iter().any(|operand| mentions(operand, vars)),
    }
}

/// Pairs of a block and a thread variable that stands in the offset of an array in it.
fn threads_in_offsets(body: &Body<FunMem>, threads: &mut Vec<Var>, found: &mut Vec<(Var, Var)>) {
    for stm in &body.stms {
        for binding in stm.pattern.iter().filter(|_| makes(stm)) {
            if let MemTy::Array(ty) = &binding.ty {
                for thread in threads.iter() {
                    if mentions(&ty.lmad.offset, &[*thread]) {
                        found.push((ty.block, *thread));
                    }
                }
            }
        }
        if let Exp::Kernel { thread, .. } = &stm.exp {
            threads.push(*thread);
        }
        for inner in stm.exp.bodies() {
            threads_in_offsets(inner, threads, found);
        }
        if matches!(stm.exp, Exp::Kernel { .. }) {
            threads.pop();
        }
    }
}

/// Puts 1 in the place of the thread. Was it there?
fn replace(se: &mut Se, thread: Var) -> bool {
    match se {
        Se::Atom(atom) if *atom == Atom::Var(thread) => {
            *atom = Atom::Const(1);
            true
        }
        Se::Atom(_) => false,
        Se::Bin(_, ab) => {
            let [a, b] = Arc::make_mut(ab);
            replace(a, thread) | replace(b, thread)
        }
    }
}
