//! Before an expansion is settled: what comes out of an `if` or a `loop` in a moved block gets another
//! offset and other strides, so their names stand for other numbers than before. They may be used for
//! nothing but index functions in that block, and to hand its arrays on.

use super::{Expansion, size};
use crate::fun::syntax::{Atom, Se};
use crate::funmem::syntax::{Binding, Body, Exp, FunMem, MemExp, MemTy, Stm};
use crate::kit::names::Var;
use crate::kit::text::Refused;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// Names that the expansion gives other numbers, and what is computed of them: of which block.
type Changed = FxHashMap<Var, Var>;

const ELSEWHERE: &str = "offset or strides of an array in a block that comes out of an `if` or a `loop` are used \
                         for something else";

impl Expansion {
    /// Are the names of supporting results that change used for nothing else?
    ///
    /// # Errors
    /// The first statement that uses one otherwise.
    pub(super) fn confined(&self, body: &Body<FunMem>) -> Result<(), Refused> {
        match self.handed_on.is_empty() {
            true => Ok(()),
            false => self.confined_body(body, &mut Changed::default()),
        }
    }

    fn confined_body(&self, body: &Body<FunMem>, changed: &mut Changed) -> Result<(), Refused> {
        for stm in &body.stms {
            self.confined_stm(stm, changed)?;
        }
        Ok(())
    }

    fn confined_stm(&self, stm: &Stm<FunMem>, changed: &mut Changed) -> Result<(), Refused> {
        let refuse = || self.refuse(stm, ELSEWHERE);
        let check = |holds: bool| if holds { Ok(()) } else { Err(refuse()) };
        let pattern: Vec<&Binding<FunMem>> = stm.pattern.iter().collect();
        check(self.note_changed(&pattern, changed))?;
        match &stm.exp {
            Exp::Scalar(se) => {
                let mut blocks = vars(se).into_iter().filter_map(|var| changed.get(&var).copied());
                if let Some(block) = blocks.next() {
                    // With another number it might get stuck.
                    check(self.total(se) && blocks.all(|other| other == block))?;
                    changed.insert(stm.pattern[0].var, block);
                }
            }
            Exp::If { cond, then, orelse } => {
                check(unchanged([cond], changed))?;
                for branch in [then, orelse] {
                    self.confined_body(branch, changed)?;
                    check(self.hands_on(&pattern, &branch.results, changed))?;
                }
            }
            Exp::Loop { carried, count, body, .. } => {
                let inside: Vec<&Binding<FunMem>> =
                    carried.iter().map(|(inside, _)| inside).collect();
                let inits: Vec<Atom> = carried.iter().map(|(_, init)| *init).collect();
                check(unchanged([count], changed))?;
                check(self.note_changed(&inside, changed))?;
                self.confined_body(body, changed)?;
                for to in [&inside, &pattern] {
                    check(self.hands_on(to, &inits, changed))?;
                    check(self.hands_on(to, &body.results, changed))?;
                }
                check(self.indexed_alike(&inside, changed))?;
            }
            Exp::Kernel { count, body, .. } => {
                check(unchanged([count], changed))?;
                self.confined_body(body, changed)?;
                check(unchanged(&body.results, changed))?;
            }
            Exp::Index { index, .. } => check(unchanged(index, changed))?,
            Exp::Slice { slice, .. } => {
                check(slice.iter().all(|dim| unchanged(&size::atoms(dim), changed)))?;
            }
            Exp::Update { slice, value, .. } => {
                check(slice.iter().all(|dim| unchanged(&size::atoms(dim), changed)))?;
                check(unchanged([value], changed))?;
            }
            Exp::Extra(MemExp::Alloc(se)) => {
                check(vars(se).iter().all(|var| !changed.contains_key(var)))?;
            }
            Exp::Transpose(_) | Exp::Extra(MemExp::Copy(_)) => {}
        }
        check(self.indexed_alike(&pattern, changed))
    }

    /// Notes the supporting results of what comes out in a moved block. False if two blocks share one.
    fn note_changed(&self, pattern: &[&Binding<FunMem>], changed: &mut Changed) -> bool {
        let bound: BTreeSet<Var> = pattern.iter().map(|binding| binding.var).collect();
        let mut alone = true;
        for binding in pattern {
            let MemTy::Array(ty) = &binding.ty else { continue };
            if !bound.contains(&ty.block) || !self.handed_on.contains(&ty.block) {
                continue;
            }
            for var in index_vars(&binding.ty).into_iter().filter(|var| bound.contains(var)) {
                alone &= *changed.entry(var).or_insert(ty.block) == ty.block;
            }
        }
        alone
    }

    /// Do results that change flow only to supporting results of an array that comes out of the same block?
    fn hands_on(&self, to: &[&Binding<FunMem>], list: &[Atom], changed: &Changed) -> bool {
        let block_of = |atom: Atom| match &self.types[atom.var()?.slot()] {
            MemTy::Array(ty) => Some(ty.block),
            _ => None,
        };
        let supported: FxHashSet<(Var, Var)> = to
            .iter()
            .zip(list)
            .filter_map(|(binding, array)| Some((binding, block_of(*array)?)))
            .flat_map(|(binding, block)| {
                index_vars(&binding.ty).into_iter().map(move |var| (var, block))
            })
            .collect();
        to.iter().zip(list).all(|(binding, atom)| {
            let Some(from) = atom.var().and_then(|var| changed.get(&var)) else { return true };
            changed.contains_key(&binding.var) && supported.contains(&(binding.var, *from))
        })
    }

    /// Do index functions use only what changes with their own block, and sizes nothing of it?
    fn indexed_alike(&self, pattern: &[&Binding<FunMem>], changed: &Changed) -> bool {
        pattern.iter().all(|binding| {
            // With the thread's share in it, if the block was moved.
            let ty = &self.types[binding.var.slot()];
            let MemTy::Array(array) = ty else { return true };
            let mut of = index_vars(ty).into_iter().filter_map(|var| changed.get(&var));
            of.all(|block| *block == array.block) && unchanged(&array.shape, changed)
        })
    }
}

/// Is no atom among those that change?
fn unchanged<'a>(atoms: impl IntoIterator<Item = &'a Atom>, changed: &Changed) -> bool {
    atoms.into_iter().all(|atom| atom.var().is_none_or(|var| !changed.contains_key(&var)))
}

fn vars(se: &Se) -> BTreeSet<Var> {
    let mut vars = BTreeSet::new();
    size::vars(se, &mut vars);
    vars
}

/// The names in an array's index function, but for its extents.
fn index_vars(ty: &MemTy) -> BTreeSet<Var> {
    let MemTy::Array(ty) = ty else { return BTreeSet::new() };
    let strides = ty.lmad.dims.iter().flat_map(|dim| vars(&dim.stride));
    vars(&ty.lmad.offset).into_iter().chain(strides).collect()
}
