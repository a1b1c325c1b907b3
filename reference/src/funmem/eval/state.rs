//! What the rules do with the state of a run: bind names as their annotations say, trace accesses,
//! test premises.

use super::{Eval, Frame, Run};
use crate::fun::arrays::{Cut, check_slice};
use crate::fun::eval::scalar::{self, ZeroDivisor};
use crate::fun::syntax::Atom;
use crate::funmem::memory::Lmad;
use crate::funmem::print;
use crate::funmem::rules::Rule;
use crate::funmem::syntax::{ArrayTy, Binding, Dim, FunMem, MemTy, Stm};
use crate::funmem::values::{Array, Env, Val};
use crate::kit::derivation::RACEFREE;
use crate::kit::heap::Label;
use crate::kit::names::{Names, Var};
use crate::kit::outcome::{Cause, Unwritten, cells};
use crate::kit::row::Row;
use crate::kit::run::{Evaluator, State};
use crate::kit::shadow::{Conflict, threads};
use crate::kit::text::Span;

impl<'a> Evaluator<'a> for Run<'a> {
    type Rule = Rule;
    type Subject = Stm<FunMem>;

    #[inline]
    fn state(&mut self) -> &mut State<'a, Rule> {
        &mut self.state
    }

    fn text(names: &Names, stm: &Stm<FunMem>) -> String {
        print::statement(names, stm)
    }

    #[inline]
    fn depth(&self) -> usize {
        self.path.len()
    }

    fn thread(&self) -> Vec<i32> {
        threads(&self.path)
    }
}

impl Run<'_> {
    /// The premises of a slice of `x`; its dimensions, evaluated, are then in `cuts`.
    pub(super) fn cuts(&mut self, rule: Rule, stm: &Stm<FunMem>, x: Var, slice: &[Dim]) -> Eval {
        let mut cuts = std::mem::take(&mut self.cuts);
        cuts.clear();
        cuts.extend(slice.iter().map(|dim| Cut {
            offset: self.int(dim.offset),
            size: self.int(dim.size),
            stride: self.int(dim.stride),
        }));
        let extents = self.env.array(x).lmad.dims().iter().map(|dim| dim.extent);
        let tested = check_slice(extents, &cuts);
        self.cuts = cuts;
        tested.or_else(|operands| self.stuck(rule, stm.span, Cause::Slice, &operands))
    }

    /// `E, x₁ ↦ v₁, …, xₙ ↦ vₙ`, all at once, of the values on the stack: ints and blocks first,
    /// since annotations may name them.
    pub(super) fn bind_all<'s>(
        &mut self,
        rule: Rule,
        stm: &Stm<FunMem>,
        pattern: impl ExactSizeIterator<Item = &'s Binding<FunMem>> + Clone,
    ) -> Eval {
        let base = self.stack.len() - pattern.len();
        for (at, binding) in pattern.clone().enumerate() {
            match &self.stack[base + at] {
                Val::Int(k) => self.env.bind_int(binding.var, *k),
                Val::Label(label) => self.env.bind(binding.var, Val::Label(*label)),
                Val::Array(_) | Val::Unset => {}
            }
        }
        for (at, binding) in pattern.enumerate() {
            if let Val::Array(array) = std::mem::take(&mut self.stack[base + at]) {
                self.bind_array(rule, stm, binding, array)?;
            }
        }
        self.stack.truncate(base);
        Ok(())
    }

    /// `E, x ↦ (ℓ, L)`, where the annotation says so (reading FUNMEM 5).
    pub(super) fn bind_array(
        &mut self,
        rule: Rule,
        stm: &Stm<FunMem>,
        binding: &Binding<FunMem>,
        array: Array,
    ) -> Eval {
        if !self.says(array_ty(binding), &array) {
            return self.stuck(rule, stm.span, Cause::Annotation, &[]);
        }
        self.env.bind(binding.var, Val::Array(array));
        Ok(())
    }

    /// `(ℓ, L) = (E(m), E(L))`
    fn says(&self, ty: &ArrayTy, array: &Array) -> bool {
        let same = array.lmad.is(&ty.lmad, |var| self.env.int(var));
        self.env.label(ty.block) == array.label
            && same.expect("T-MEM-LMAD: index functions do not divide")
    }

    /// `(E(m), E(L))`, which begins to be made.
    pub(super) fn annotation(&mut self, ty: &ArrayTy) -> Array {
        let lmad = Lmad::eval(&ty.lmad, |var| self.env.int(var));
        Array {
            label: self.env.label(ty.block),
            lmad: lmad.expect("T-MEM-LMAD: index functions do not divide"),
            made: self.lives.begins(),
        }
    }

    /// `H, ℓ ↦ [0, …, 0]`: the running thread owns the block.
    pub(super) fn allocate(&mut self, length: Option<usize>, name: Var) -> Eval<Label> {
        let label = self.heap.allocate(length, name)?;
        let length = self.heap.block(label).data.len();
        let made = self.shadow.made().saturating_add(length as u64);
        self.charge(cells(made.saturating_add(self.lives.makes(length))))?;
        self.shadow.allocate(&self.path, label.number(), length);
        self.lives.allocated(label);
        self.tells(|tap, clock| tap.alloc(label.0, length as u64, clock));
        Ok(label)
    }

    /// The elements of a result, row-major. Outside of any kernel, so nothing is traced.
    pub(super) fn elements(&mut self, array: &Array) -> Eval<Vec<i32>> {
        let elements = self.heap.observe(array.lmad.elements())?;
        self.charge(elements as u64)?;
        let mut data = Vec::with_capacity(elements);
        let block = &self.heap.block(array.label).data;
        array.lmad.rows(|row| row.gather(block, &mut data));
        Ok(data)
    }

    /// All elements of the array are read: was each of them written?
    pub(super) fn looks(&mut self, span: Span, array: &Array) {
        if !self.heap.watches() {
            return;
        }
        let (label, mut lacks) = (array.label, None);
        array.lmad.rows(|row| {
            lacks = lacks.or_else(|| row.places().find(|k| self.heap.lacks(label, *k)));
        });
        if let Some(k) = lacks {
            self.lacked(span, label, k);
        }
    }

    /// All elements of the array are written.
    pub(super) fn wrote(&mut self, array: &Array) {
        if self.heap.watches() {
            array.lmad.rows(|row| row.places().for_each(|k| self.heap.wrote(array.label, k)));
        }
    }

    /// A cell is read that nothing wrote.
    #[cold]
    pub(super) fn lacked(&mut self, span: Span, label: Label, k: usize) {
        let State { names, meter, .. } = &mut self.state;
        let block = names.text(self.heap.block(label).name).to_owned();
        let thread = threads(&self.path);
        meter.lacked(|| Unwritten { span, thread, block, offset: k as u64 });
    }

    /// `(ℓ, k) ∈ R`
    #[inline]
    pub(super) fn reads(&mut self, label: Label, k: usize) {
        if let Some(conflict) = self.shadow.read(&self.path, label.number(), k) {
            self.race(conflict, label, k);
        }
        if let Some(located) = &mut self.located {
            located.note(&self.path, (label.number(), k, false), self.at);
        }
    }

    /// `(ℓ, k) ∈ R`, or `∈ W`, for all of the row.
    pub(super) fn traces(&mut self, label: Label, row: Row, writes: bool) {
        let mut found = Vec::new();
        let number = label.number();
        self.shadow.row(&self.path, number, row, writes, |conflict, k| found.push((conflict, k)));
        for (conflict, k) in found {
            self.race(conflict, label, k);
        }
        if let Some(located) = &mut self.located {
            row.places().for_each(|k| located.note(&self.path, (number, k, writes), self.at));
        }
    }

    /// `(ℓ, k) ∈ W`
    #[inline]
    pub(super) fn writes(&mut self, label: Label, k: usize) {
        if let Some(conflict) = self.shadow.write(&self.path, label.number(), k) {
            self.race(conflict, label, k);
        }
        if let Some(located) = &mut self.located {
            located.note(&self.path, (label.number(), k, true), self.at);
        }
    }

    /// `racefree` fails, which is noted; the run goes on.
    #[cold]
    pub(super) fn race(&mut self, conflict: Conflict, label: Label, k: usize) {
        let Frame { span, rule } = self.frames[conflict.level];
        let State { names, recorder, meter } = &mut self.state;
        recorder.fail(rule, RACEFREE);
        let name = names.written(self.heap.block(label).name);
        let located = self.located.as_ref();
        meter.saw(|| {
            let at = located.map(|located| {
                [located.earlier(conflict, &self.path, (label.number(), k)), Some(self.at)]
            });
            conflict.race(&self.path, (span, at.unwrap_or_default()), (name, k as u64))
        });
    }

    #[inline]
    pub(super) fn int(&self, atom: Atom) -> i32 {
        scalar::atom(atom, |var| self.env.int(var))
    }

    #[inline]
    pub(super) fn value(&self, atom: Atom) -> Val {
        match atom {
            Atom::Const(k) => Val::Int(k),
            Atom::Var(var) => self.env.get(var).clone(),
        }
    }

    #[cold]
    pub(super) fn zero_divisor<T>(&mut self, rule: Rule, span: Span, zero: ZeroDivisor) -> Eval<T> {
        self.stuck(rule, span, ZeroDivisor::CAUSE, &zero.operands())
    }
}

/// The pattern of a statement that binds one name.
#[inline]
pub(super) fn one(stm: &Stm<FunMem>) -> &Binding<FunMem> {
    &stm.pattern[0]
}

pub(super) fn array_ty(binding: &Binding<FunMem>) -> &ArrayTy {
    match &binding.ty {
        MemTy::Array(ty) => ty,
        other => unreachable!("typing promised an array, not {other:?}"),
    }
}

/// What a statement bound, for a derivation.
pub(super) fn conclusion(env: &Env, names: &Names, stm: &Stm<FunMem>) -> String {
    let bound = |var: Var| {
        let value = match env.get(var) {
            Val::Unset => String::from("⊥"),
            Val::Int(k) => k.to_string(),
            Val::Label(label) => label.to_string(),
            Val::Array(array) => {
                let dims = array.lmad.dims().iter();
                let dims: Vec<_> =
                    dims.map(|dim| format!("({} : {})", dim.extent, dim.stride)).collect();
                let (label, offset) = (array.label.0, array.lmad.offset());
                format!("(ℓ{label}, {offset} + {{{}}})", dims.join(" "))
            }
        };
        format!("{} ↦ {value}", names.text(var))
    };
    stm.pattern.iter().map(|binding| bound(binding.var)).collect::<Vec<_>>().join(", ")
}

/// Is the block among the values that a loop carries on?
pub(super) fn carries(next: &[Val], label: Label) -> bool {
    next.iter().any(|val| match val {
        Val::Label(carried) => *carried == label,
        Val::Array(carried) => carried.label == label,
        _ => false,
    })
}
