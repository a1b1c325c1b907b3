//! What the rules do with the state of a run: take values, bind them, test premises.

use super::scalar;
use super::{Eval, Run};
use crate::fun::arrays::{Cut, check_slice};
use crate::fun::print;
use crate::fun::rules::Rule;
use crate::fun::syntax::{Atom, Dim, Fun, Stm, Ty};
use crate::fun::values::{Array, Env, Shape, Val};
use crate::kit::names::{Names, Var};
use crate::kit::outcome::Cause;
use crate::kit::run::{Evaluator, State};
use std::rc::Rc;

impl<'a> Evaluator<'a> for Run<'a> {
    type Rule = Rule;
    type Subject = Stm<Fun>;

    #[inline]
    fn state(&mut self) -> &mut State<'a, Rule> {
        &mut self.state
    }

    fn text(names: &Names, stm: &Stm<Fun>) -> String {
        print::statement(names, stm)
    }

    #[inline]
    fn depth(&self) -> usize {
        self.thread.len()
    }

    fn thread(&self) -> Vec<i32> {
        self.thread.clone()
    }
}

impl Run<'_> {
    /// The premises of a slice of `x`: its dimensions, evaluated.
    pub(super) fn cuts(
        &mut self,
        rule: Rule,
        stm: &Stm<Fun>,
        x: Var,
        slice: &[Dim],
    ) -> Eval<Vec<Cut>> {
        let mut cuts = std::mem::take(&mut self.cuts);
        cuts.clear();
        cuts.extend(slice.iter().map(|dim| Cut {
            offset: self.int(dim.offset),
            size: self.int(dim.size),
            stride: self.int(dim.stride),
        }));
        let extents = self.env.array(x).shape.extents().iter().map(|&extent| extent as i64);
        match check_slice(extents, &cuts) {
            Ok(()) => Ok(cuts),
            Err(operands) => self.stuck(rule, stm.span, Cause::Slice, &operands),
        }
    }

    /// The array that a kernel of `m` threads builds for one name of its pattern.
    pub(super) fn part(&mut self, stm: &Stm<Fun>, m: i32, ty: &Ty) -> Eval<Part> {
        let Ty::Array(sizes) = ty else { unreachable!("T-KERNEL concludes arrays") };
        let mut shape = Shape::of_rank(sizes.len(), m as usize);
        for (extent, &size) in shape.extents_mut().iter_mut().zip(sizes).skip(1) {
            let size = self.int(size);
            self.require(Rule::EKernel, stm.span, Cause::NegativeSize, [size.into()])?;
            *extent = size as usize;
        }
        let elements = self.ledger.admit(shape.elements())?;
        // Until the array itself takes them over.
        self.ledger.take(elements);
        let data = Vec::with_capacity(elements);
        Ok(Part { shape, data })
    }

    /// All at once: the values on the stack go to `vars`.
    pub(super) fn assign(&mut self, vars: impl DoubleEndedIterator<Item = Var>) {
        for var in vars.rev() {
            match self.pop() {
                Val::Int(k) => self.env.bind_int(var, k),
                val => self.env.bind(var, val),
            }
        }
    }

    /// `⇓ (v)`
    #[inline]
    pub(super) fn gives(&mut self, stm: &Stm<Fun>, v: Val) -> Eval {
        self.env.bind(stm.pattern[0].var, v);
        Ok(())
    }

    /// `⇓ (k)`
    #[inline]
    pub(super) fn gives_int(&mut self, stm: &Stm<Fun>, k: i32) -> Eval {
        self.env.bind_int(stm.pattern[0].var, k);
        Ok(())
    }

    #[inline]
    pub(super) fn int(&self, atom: Atom) -> i32 {
        scalar::atom(atom, |var| self.env.int(var))
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Val {
        self.stack.pop().expect("an expression leaves as many values as its pattern has names")
    }

    pub(super) fn array(&self, shape: Shape, data: Vec<i32>) -> Val {
        Val::Array(Rc::new(Array::new(shape, data, &self.ledger)))
    }

    /// So many elements are about to be copied to a new array.
    pub(super) fn copies(&mut self, elements: Option<usize>) -> Eval {
        let elements = self.ledger.admit(elements)?;
        self.charge(elements as u64)
    }
}

/// The result of a kernel as far as its threads have run.
pub(super) struct Part {
    pub(super) shape: Shape,
    pub(super) data: Vec<i32>,
}

impl Part {
    /// Puts the value of a thread behind those before it; so many cells are copied at once.
    pub(super) fn append(&mut self, value: &Val) -> u64 {
        match value {
            Val::Int(k) => {
                self.data.push(*k);
                0
            }
            Val::Array(array) => {
                assert_eq!(array.shape.extents(), &self.shape.extents()[1..], "T-KERNEL");
                self.data.extend_from_slice(&array.data);
                array.data.len() as u64
            }
            Val::Unset => unreachable!("a body leaves values"),
        }
    }
}

/// What a statement bound, for a derivation.
pub(super) fn conclusion(env: &Env, names: &Names, stm: &Stm<Fun>) -> String {
    let bound = |var| format!("{} ↦ {}", names.text(var), show(env.get(var)));
    stm.pattern.iter().map(|binding| bound(binding.var)).collect::<Vec<_>>().join(", ")
}

/// A value in a derivation, cut short.
pub(super) fn show(val: &Val) -> String {
    match val {
        Val::Unset => String::from("⊥"),
        Val::Int(k) => k.to_string(),
        Val::Array(array) => {
            const SHOWN: usize = 12;
            let mut text: Vec<_> = array.data.iter().take(SHOWN).map(i32::to_string).collect();
            if array.data.len() > SHOWN {
                text.push(String::from("…"));
            }
            let shape: String = array.shape.extents().iter().map(|k| format!("[{k}]")).collect();
            format!("{shape} {}", text.join(" "))
        }
    }
}
