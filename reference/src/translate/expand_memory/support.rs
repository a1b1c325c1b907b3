//! Before an expansion: which arrays are in which block, and where blocks flow. After it: each
//! `if` and `loop` from which an array in a moved block comes, at first hand or out of another `if`
//! or `loop`, gets the new offset and the new strides as supporting results.

use super::{Expansion, size, symbolic};
use crate::fun::syntax::{Atom, Se};
use crate::funmem::syntax::{ArrayTy, Binding, Body, Exp, FunMem, MemExp, MemTy, Program, Stm};
use crate::kit::names::Var;
use crate::kit::text::{Refused, Span};
use crate::translate::fun_to_funmem::LARGE;
use smallvec::SmallVec;
use std::sync::Arc;

/// Where an array and its supporting information stand in a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    array: usize,
    offset: usize,
    strides: Vec<usize>,
}

/// The variables that an expression names.
pub(super) fn names(se: &Se, into: &mut SmallVec<[Var; 8]>) {
    match se {
        Se::Atom(atom) => into.extend(atom.var()),
        Se::Bin(_, ab) => ab.iter().for_each(|part| names(part, into)),
    }
}

impl Expansion<'_> {
    /// Notes what the expansion asks of the program's names.
    pub(super) fn note_program(&mut self, program: &Program<FunMem>) {
        self.note_bindings(&program.params);
        self.note_body(&program.body, false);
        // Each array goes in front of those of its block that have higher slots.
        for slot in (0..self.noted.len()).rev() {
            if let MemTy::Array(ty) = &self.noted[slot].ty {
                let block = ty.block;
                self.noted[slot].next = self.of_mut(block).first.replace(Var(slot as u32));
            }
        }
        if self.flows {
            self.count_bindings(&program.params);
            self.count_body(&program.body);
        }
    }

    fn note_bindings<'a>(&mut self, bindings: impl IntoIterator<Item = &'a Binding<FunMem>>) {
        for binding in bindings {
            self.of_mut(binding.var).ty = binding.ty.clone();
        }
    }

    /// Notes atoms that flow into an `if` or a `loop`.
    fn note_flow<'a>(&mut self, atoms: impl IntoIterator<Item = &'a Atom>) {
        for var in atoms.into_iter().filter_map(|atom| atom.var()) {
            self.of_mut(var).escapes = true;
            self.flows |= self.of(var).in_kernel;
        }
    }

    /// Notes what a body binds, which is inside a kernel or not.
    fn note_body(&mut self, body: &Body<FunMem>, inside: bool) {
        for stm in &body.stms {
            self.note_bindings(&stm.pattern);
            match &stm.exp {
                Exp::Extra(MemExp::Alloc(_)) => self.of_mut(stm.pattern[0].var).in_kernel = inside,
                Exp::If { then, orelse, .. } => {
                    for branch in [then, orelse] {
                        self.note_body(branch, inside);
                        self.note_flow(&branch.results);
                    }
                }
                Exp::Kernel { body, .. } => self.note_body(body, true),
                Exp::Loop { carried, body, .. } => {
                    self.note_bindings(carried.iter().map(|(binding, _)| binding));
                    self.note_flow(carried.iter().map(|(_, init)| init));
                    self.note_body(body, inside);
                    self.note_flow(&body.results);
                }
                _ => {}
            }
        }
    }

    fn count_bindings<'a>(&mut self, bindings: impl IntoIterator<Item = &'a Binding<FunMem>>) {
        for binding in bindings {
            if let MemTy::Array(ty) = &binding.ty {
                let parts = ty.lmad.dims.iter().map(|dim| &dim.stride);
                self.count_scalars([&ty.lmad.offset].into_iter().chain(parts));
            }
        }
    }

    fn count_atoms<'a>(&mut self, atoms: impl IntoIterator<Item = &'a Atom>) {
        for var in atoms.into_iter().filter_map(|atom| atom.var()) {
            self.of_mut(var).uses += 1;
        }
    }

    /// Counts what expressions that stand together name. They may name a variable twice; once or more is
    /// all that matters here.
    fn count_scalars<'a>(&mut self, all: impl Iterator<Item = &'a Se>) {
        let mut used: SmallVec<[Var; 8]> = SmallVec::new();
        all.for_each(|se| names(se, &mut used));
        used.sort_unstable();
        used.dedup();
        used.into_iter().for_each(|var| self.of_mut(var).uses += 1);
    }

    fn note_view(&mut self, z: Var, x: Var, is_view: impl Fn(&ArrayTy, &ArrayTy) -> bool) {
        if let (MemTy::Array(x), MemTy::Array(z_ty)) = (&self.of(x).ty, &self.of(z).ty)
            && x.block == z_ty.block
            && is_view(x, z_ty)
        {
            self.of_mut(z).view = true;
        }
    }

    /// Counts the uses in a body, and notes its views.
    fn count_body(&mut self, body: &Body<FunMem>) {
        for stm in &body.stms {
            self.count_bindings(&stm.pattern);
            match &stm.exp {
                Exp::Scalar(se) | Exp::Extra(MemExp::Alloc(se)) => {
                    self.count_scalars([se].into_iter());
                }
                Exp::Index { index, .. } => self.count_atoms(index),
                Exp::Slice { array, slice } => {
                    slice.iter().for_each(|dim| self.count_atoms(&size::atoms(dim)));
                    self.note_view(stm.pattern[0].var, *array, |_, _| true);
                }
                Exp::Transpose(array) => self.note_view(stm.pattern[0].var, *array, |_, _| true),
                Exp::Update { array, slice, value } => {
                    slice.iter().for_each(|dim| self.count_atoms(&size::atoms(dim)));
                    self.count_atoms([value]);
                    // With another index function it is a copy.
                    self.note_view(stm.pattern[0].var, *array, |x, z| x.lmad == z.lmad);
                }
                Exp::If { cond, then, orelse } => {
                    self.count_atoms([cond]);
                    for branch in [then, orelse] {
                        self.count_body(branch);
                        self.count_atoms(&branch.results);
                    }
                }
                Exp::Kernel { count, body, .. } => {
                    self.count_atoms([count]);
                    self.count_body(body);
                    self.count_atoms(&body.results);
                }
                Exp::Loop { carried, count, body, .. } => {
                    self.count_atoms([count]);
                    self.count_bindings(carried.iter().map(|(binding, _)| binding));
                    self.count_atoms(carried.iter().map(|(_, init)| init));
                    self.count_body(body);
                    self.count_atoms(&body.results);
                }
                Exp::Extra(MemExp::Copy(_)) => {}
            }
        }
    }

    /// What comes out of an `if` or a `loop` with a moved block is in a moved block too: it has to follow
    /// where it flows on. Says whether there is such a one.
    pub(super) fn follow(&mut self, body: &Body<FunMem>) -> bool {
        let mut any = false;
        while self.follow_body(body) {
            any = true;
        }
        any
    }

    /// Follows moved blocks through the body, and says whether one came further than before.
    fn follow_body(&mut self, body: &Body<FunMem>) -> bool {
        let mut further = false;
        for stm in &body.stms {
            let pattern = stm.pattern.iter().map(|binding| binding.var);
            match &stm.exp {
                Exp::If { then, orelse, .. } => {
                    further |= self.follow_body(then);
                    further |= self.follow_body(orelse);
                    for ((var, a), b) in pattern.zip(&then.results).zip(&orelse.results) {
                        further |= self.follow_flow(*a, var);
                        further |= self.follow_flow(*b, var);
                    }
                }
                Exp::Loop { carried, body, .. } => {
                    further |= self.follow_body(body);
                    for ((var, (inside, init)), next) in pattern.zip(carried).zip(&body.results) {
                        for from in [*init, *next] {
                            further |= self.follow_flow(from, inside.var);
                            further |= self.follow_flow(from, var);
                        }
                    }
                }
                Exp::Kernel { body, .. } => further |= self.follow_body(body),
                _ => {}
            }
        }
        further
    }

    fn follow_flow(&mut self, from: Atom, to: Var) -> bool {
        let further = from.var().is_some_and(|var| self.of(var).moved) && !self.of(to).moved;
        if further {
            let to = self.of_mut(to);
            (to.moved, to.handed_on) = (true, true);
        }
        further
    }

    /// Writes the index functions of the expansion into the patterns of a body, and renews the
    /// supporting results.
    pub(super) fn settle(&mut self, body: &mut Body<FunMem>) -> Result<(), Refused> {
        let mut out = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            self.view_again(&stm, &mut out).map_err(|reason| self.refuse(&stm, reason))?;
            self.retype(&mut stm.pattern);
            if let Exp::Loop { carried, .. } = &mut stm.exp {
                self.retype(carried.iter_mut().map(|(binding, _)| binding));
            }
            for inner in stm.exp.bodies_mut() {
                self.settle(inner)?;
            }
            self.renew_stm(&mut stm, &mut out).map_err(|reason| self.refuse(&stm, reason))?;
            out.push(stm);
        }
        body.stms = out;
        Ok(())
    }

    /// A view in a block that comes out of an `if` or a `loop` gets the index function that its operand
    /// gives it, if it is not written so: the program may have written it with numbers that hold only before
    /// the block is moved.
    fn view_again(&mut self, stm: &Stm<FunMem>, out: &mut Vec<Stm<FunMem>>) -> Result<(), String> {
        let of = match &stm.exp {
            Exp::Slice { array, .. } | Exp::Transpose(array) | Exp::Update { array, .. } => *array,
            _ => return Ok(()),
        };
        let view = stm.pattern[0].var;
        let (MemTy::Array(from), MemTy::Array(to)) = (&self.of(of).ty, &self.of(view).ty) else {
            return Ok(());
        };
        if !self.of(view).view || !self.of(to.block).handed_on {
            return Ok(());
        }
        let given = match &stm.exp {
            Exp::Slice { slice, .. } => symbolic::slice(&from.lmad, slice),
            Exp::Transpose(_) => symbolic::transpose(&from.lmad),
            _ => from.lmad.clone(),
        };
        let mut lmad = to.lmad.clone();
        let strides = lmad.dims.iter_mut().map(|dim| &mut dim.stride);
        let given_strides = given.dims.into_iter().map(|dim| dim.stride);
        for (written, given) in std::iter::once(&mut lmad.offset)
            .chain(strides)
            .zip([given.offset].into_iter().chain(given_strides))
        {
            if *written == given || stands_for(written, &given, out) {
                continue;
            }
            self.makes(symbolic::size(&given))?;
            *written = match symbolic::size(&given) > LARGE {
                true => self.name(stm.span, view, "view", given, out).into(),
                false => given,
            };
        }
        if let MemTy::Array(to) = &mut self.of_mut(view).ty {
            Arc::make_mut(to).lmad = lmad;
        }
        Ok(())
    }

    /// Renews the supporting information that flows into a statement.
    fn renew_stm(
        &mut self,
        stm: &mut Stm<FunMem>,
        out: &mut Vec<Stm<FunMem>>,
    ) -> Result<(), String> {
        let span = stm.span;
        match &mut stm.exp {
            Exp::If { then, orelse, .. } => {
                for Body { stms, results, .. } in [then, orelse] {
                    self.renew(span, &[&stm.pattern], results, stms)?;
                }
            }
            Exp::Loop { carried, body, .. } => {
                let inner: Vec<_> = carried.iter().map(|(binding, _)| binding.clone()).collect();
                let patterns = [&inner[..], &stm.pattern[..]];
                let mut inits: Vec<Atom> = carried.iter().map(|(_, init)| *init).collect();
                self.renew(span, &patterns, &mut inits, out)?;
                for ((_, init), new) in carried.iter_mut().zip(inits) {
                    *init = new;
                }
                self.renew(span, &patterns, &mut body.results, &mut body.stms)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Writes the index functions of the expansion into the patterns of a body, where no supporting results
    /// change.
    pub(super) fn retype_body(&self, body: &mut Body<FunMem>) {
        for stm in &mut body.stms {
            self.retype(&mut stm.pattern);
            if let Exp::Loop { carried, .. } = &mut stm.exp {
                self.retype(carried.iter_mut().map(|(binding, _)| binding));
            }
            for inner in stm.exp.bodies_mut() {
                self.retype_body(inner);
            }
        }
    }

    pub(super) fn retype<'a>(&self, pattern: impl IntoIterator<Item = &'a mut Binding<FunMem>>) {
        for binding in pattern {
            if let MemTy::Array(ty) = &mut binding.ty
                && let MemTy::Array(new) = &self.of(binding.var).ty
                && !Arc::ptr_eq(ty, new)
            {
                *ty = Arc::clone(new);
            }
        }
    }

    /// Renews the supporting information in `list`, which flows into each of the patterns, for
    /// arrays in moved blocks. What computes it stands at the end of `out`.
    fn renew(
        &mut self,
        span: Span,
        patterns: &[&[Binding<FunMem>]],
        list: &mut [Atom],
        out: &mut Vec<Stm<FunMem>>,
    ) -> Result<(), String> {
        for at in 0..list.len() {
            let Some(block) = list[at].var().filter(|var| self.of(*var).moved) else {
                continue;
            };
            let entries = self.entries(patterns[0], at)?;
            for other in &patterns[1..] {
                if self.entries(other, at)? != entries {
                    return Err("its patterns hold supporting results in different orders".into());
                }
            }
            for entry in entries {
                let array = list[entry.array].var().and_then(|array| match &self.of(array).ty {
                    MemTy::Array(ty) if ty.block == block => Some(ty),
                    _ => None,
                });
                let Some(lmad) = array.map(|ty| ty.lmad.clone()) else {
                    return Err("an array comes out of it with the block of another".to_owned());
                };
                self.makes(super::nodes(&lmad))?;
                self.support(span, block, &mut list[entry.offset], lmad.offset, out);
                for (&at, dim) in entry.strides.iter().zip(lmad.dims) {
                    self.support(span, block, &mut list[at], dim.stride, out);
                }
            }
        }
        Ok(())
    }

    /// `atom` becomes a name with the value of `se`. A statement that binds it for this list
    /// only, and cannot get stuck, is changed, and moves to the end, where everything is in scope.
    fn support(
        &mut self,
        span: Span,
        block: Var,
        atom: &mut Atom,
        se: Se,
        out: &mut Vec<Stm<FunMem>>,
    ) {
        if let Atom::Var(var) = *atom
            && self.of(var).uses == 1
            && let Some(at) = out.iter().rposition(|stm| binds_int(stm, var))
            && matches!(&out[at].exp, Exp::Scalar(before) if self.total(before))
        {
            let mut stm = out.remove(at);
            stm.exp = Exp::Scalar(se);
            out.push(stm);
            return;
        }
        *atom = match se {
            Se::Atom(same) => same,
            Se::Bin(..) => self.name(span, block, "support", se, out).into(),
        };
    }

    /// The arrays of a pattern that are in the block bound at `at`.
    ///
    /// # Errors
    /// Some array in the block is not described by names of the pattern alone, so that it could
    /// not follow when the block is moved.
    fn entries(&self, pattern: &[Binding<FunMem>], at: usize) -> Result<Vec<Entry>, String> {
        let block = pattern[at].var;
        let find = |se: &Se| match se {
            Se::Atom(Atom::Var(var)) => pattern.iter().position(|binding| binding.var == *var),
            _ => None,
        };
        let mut entries: Vec<Entry> = Vec::new();
        for array in self.residents(block) {
            let Some(place) = pattern.iter().position(|binding| binding.var == array) else {
                if self.of(array).view {
                    continue;
                }
                return Err("another array is placed in a block that comes out of it".to_owned());
            };
            let MemTy::Array(ty) = &pattern[place].ty else { unreachable!("residents are arrays") };
            let strides: Option<Vec<usize>> =
                ty.lmad.dims.iter().map(|dim| find(&dim.stride)).collect();
            let (Some(offset), Some(strides)) = (find(&ty.lmad.offset), strides) else {
                return Err("an array that comes out of it has no offset and strides as results \
                            of their own"
                    .to_owned());
            };
            entries.push(Entry { array: place, offset, strides });
        }
        let mut places: Vec<usize> =
            entries.iter().flat_map(|e| e.strides.iter().copied().chain([e.offset])).collect();
        let all = places.len();
        places.sort_unstable();
        places.dedup();
        if places.len() != all {
            return Err("arrays that come out of it share supporting results".to_owned());
        }
        Ok(entries)
    }
}

/// Is it a name that the latest of these statements bind to `se`?
fn stands_for(name: &Se, se: &Se, stms: &[Stm<FunMem>]) -> bool {
    let Se::Atom(Atom::Var(var)) = name else { return false };
    let bound = stms.iter().rev().find(|stm| binds_int(stm, *var));
    bound.is_some_and(|stm| matches!(&stm.exp, Exp::Scalar(bound) if bound == se))
}

/// Is the statement `let x = se`?
fn binds_int(stm: &Stm<FunMem>, x: Var) -> bool {
    matches!(&stm.exp, Exp::Scalar(_)) && stm.pattern[0].var == x
}
