//! Before an expansion is settled: what comes out of an `if` or a `loop` in a moved block gets another
//! offset and other strides, so their names stand for other numbers than before. They may be used for
//! nothing but index functions in that block, and to hand its arrays on.

use super::support::names;
use super::{Expansion, size};
use crate::fun::syntax::{Atom, Se};
use crate::funmem::syntax::{ArrayTy, Binding, Body, Exp, FunMem, MemExp, MemTy, Stm};
use crate::kit::names::Var;
use crate::kit::text::Refused;
use smallvec::SmallVec;

/// For each name, by slot: of which block it is, if the expansion gives it another number or it is
/// computed of such a name.
struct Changed(Vec<Option<Var>>);

impl Changed {
    fn of(&self, var: Var) -> Option<Var> {
        self.0[var.slot()]
    }

    fn note(&mut self, var: Var, block: Var) {
        self.0[var.slot()] = Some(block);
    }
}

const ELSEWHERE: &str = "offset or strides of an array in a block that comes out of an `if` or a `loop` are used \
                         for something else";

impl Expansion<'_> {
    /// Are the names of supporting results that change used for nothing else?
    ///
    /// # Errors
    /// The first statement that uses one otherwise.
    pub(super) fn confined(&self, body: &Body<FunMem>) -> Result<(), Refused> {
        self.confined_body(body, &mut Changed(vec![None; self.noted.len()]))
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
                let names = names_of([se]);
                let mut blocks = names.into_iter().filter_map(|var| changed.of(var));
                if let Some(block) = blocks.next() {
                    // With another number it might get stuck.
                    check(self.total(se) && blocks.all(|other| other == block))?;
                    changed.note(stm.pattern[0].var, block);
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
                check(names_of([se]).into_iter().all(|var| changed.of(var).is_none()))?;
            }
            Exp::Transpose(_) | Exp::Extra(MemExp::Copy(_)) => {}
        }
        check(self.indexed_alike(&pattern, changed))
    }

    /// Notes the supporting results of what comes out in a moved block. False if two blocks share one.
    fn note_changed(&self, pattern: &[&Binding<FunMem>], changed: &mut Changed) -> bool {
        let bound = |var: Var| pattern.iter().any(|binding| binding.var == var);
        let mut alone = true;
        for binding in pattern {
            let MemTy::Array(ty) = &binding.ty else { continue };
            if !self.of(ty.block).handed_on || !bound(ty.block) {
                continue;
            }
            for var in index_names(ty).into_iter().filter(|var| bound(*var)) {
                match changed.of(var) {
                    Some(block) => alone &= block == ty.block,
                    None => changed.note(var, ty.block),
                }
            }
        }
        alone
    }

    /// Do results that change flow only to supporting results of an array that comes out of the same block?
    fn hands_on(&self, to: &[&Binding<FunMem>], list: &[Atom], changed: &Changed) -> bool {
        let block_of = |atom: Atom| match &self.of(atom.var()?).ty {
            MemTy::Array(ty) => Some(ty.block),
            _ => None,
        };
        let supports = |var: Var, block: Var| {
            to.iter().zip(list).any(|(binding, array)| match &binding.ty {
                MemTy::Array(ty) => {
                    block_of(*array) == Some(block) && index_names(ty).contains(&var)
                }
                _ => false,
            })
        };
        to.iter().zip(list).all(|(binding, atom)| {
            let Some(from) = atom.var().and_then(|var| changed.of(var)) else { return true };
            changed.of(binding.var).is_some() && supports(binding.var, from)
        })
    }

    /// Do index functions use only what changes with their own block, and sizes nothing of it?
    fn indexed_alike(&self, pattern: &[&Binding<FunMem>], changed: &Changed) -> bool {
        pattern.iter().all(|binding| {
            // With the thread's share in it, if the block was moved.
            let MemTy::Array(ty) = &self.of(binding.var).ty else { return true };
            let mut of = index_names(ty).into_iter().filter_map(|var| changed.of(var));
            of.all(|block| block == ty.block) && unchanged(&ty.shape, changed)
        })
    }
}

/// Is no atom among those that change?
fn unchanged<'a>(atoms: impl IntoIterator<Item = &'a Atom>, changed: &Changed) -> bool {
    atoms.into_iter().all(|atom| atom.var().is_none_or(|var| changed.of(var).is_none()))
}

fn names_of<'a>(all: impl IntoIterator<Item = &'a Se>) -> SmallVec<[Var; 8]> {
    let mut found = SmallVec::new();
    all.into_iter().for_each(|se| names(se, &mut found));
    found
}

/// The names in an array's index function, but for its extents.
fn index_names(ty: &ArrayTy) -> SmallVec<[Var; 8]> {
    names_of([&ty.lmad.offset].into_iter().chain(ty.lmad.dims.iter().map(|dim| &dim.stride)))
}
