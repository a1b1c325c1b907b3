//! Big-step evaluation of FUN: figs. 4 and 5, one function a rule.
//!
//! `E ⊢ b ⇓ (v, …, v)` leaves its values on a stack, from which the rule that asked takes them;
//! `E ⊢ e ⇓ (v, …, v)` leaves them at the names of the statement's pattern, for E-LET. E-LET is a
//! statement's node in a derivation and the rest of its body follows beside it, not below it, so
//! that derivations are as deep as programs are nested.

pub(crate) mod fit;
pub mod scalar;
mod state;
mod uses;

pub use fit::{fit, takes};

use super::arrays::{self, Cut, Source, locate};
use super::rules::Rule;
use super::syntax::{Atom, Body, Dim, Exp, Fun, Program, Se, Stm};
use super::values::{Array, Env, Shape, Val};
use crate::kit::derivation::Recorder;
use crate::kit::heap::Ledger;
use crate::kit::names::Var;
use crate::kit::outcome::{Budget, Cause, Cells, Outcome, Scalar, Value, cells};
use crate::kit::run::{Eval, Evaluator, State};
use scalar::ZeroDivisor;
use smallvec::SmallVec;
use state::{Part, conclusion};
use std::rc::Rc;
use uses::Uses;

/// Runs a well-typed program on an input that [fits](fit).
///
/// # Panics
/// If the program is not well typed or the input does not fit.
pub fn run(
    program: &Program<Fun>,
    input: &[Value],
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
) -> Outcome {
    let mut run = Run {
        state: State::new(&program.names, recorder, budget),
        env: Env::new(program.names.len()),
        stack: Vec::new(),
        ledger: Rc::new(Ledger::new(budget.memory)),
        uses: Uses::of(program),
        thread: Vec::new(),
        depth: 0,
        cuts: Vec::new(),
    };
    let ended = run.program(program, input);
    run.state.meter.stats.elements = run.ledger.peak();
    run.state.meter.outcome(ended)
}

/// The state of a run.
struct Run<'a> {
    state: State<'a, Rule>,
    /// `E`
    env: Env,
    /// Values of bodies.
    stack: Vec<Val>,
    ledger: Rc<Ledger>,
    uses: Uses,
    /// The running thread, outermost kernel first.
    thread: Vec<i32>,
    /// How many bodies are around the running one.
    depth: u32,
    /// The slice that is being taken; kept for its allocation.
    cuts: Vec<Cut>,
}

impl Run<'_> {
    /// `⊢ b ⇓ (v, …, v)`: the parameters are the initial environment.
    fn program(&mut self, program: &Program<Fun>, input: &[Value]) -> Eval<Vec<Value>> {
        for (param, value) in program.params.iter().zip(input) {
            let val = match value {
                Value::Scalar(Scalar::I32(k)) => Val::Int(*k),
                Value::Array { shape, cells: Cells::I32(data) } => {
                    self.ledger.admit(Some(data.len()))?;
                    self.array(Shape::new(shape.iter().copied()), data.clone())
                }
                other => unreachable!("the input fits, and is not {other}"),
            };
            self.env.bind(param.var, val);
        }
        self.body(&program.body)?;
        let ledger = Rc::clone(&self.ledger);
        let results = self.stack.drain(..).map(|val| match val {
            Val::Int(k) => Ok(Value::from(k)),
            Val::Array(array) => {
                ledger.observe(Some(array.data.len()))?;
                Ok(array.value())
            }
            Val::Unset => unreachable!("a body leaves values"),
        });
        results.collect()
    }

    /// `E ⊢ b ⇓ (v, …, v)`
    fn body(&mut self, body: &Body<Fun>) -> Eval {
        for stm in &body.stms {
            self.e_let(stm).map_err(|stop| self.state.meter.stops(stm.span, stop))?;
        }
        self.e_in(body);
        Ok(())
    }

    /// A body inside the running one.
    fn inner(&mut self, body: &Body<Fun>) -> Eval {
        self.depth += 1;
        self.body(body)?;
        self.depth -= 1;
        Ok(())
    }

    /// `E-LET`
    ///
    /// ```text
    /// E ⊢ e ⇓ (v₁ᵉ, …, vₙᵉ)        E, x₁ ↦ v₁ᵉ, …, xₙ ↦ vₙᵉ ⊢ b ⇓ (v₁ᵇ, …, vₘᵇ)
    /// ─────────────────────────────────────────────────────────────────────────
    /// E ⊢ let (x₁ : τ₁) ⋯ (xₙ : τₙ) = e b ⇓ (v₁ᵇ, …, vₘᵇ)
    /// ```
    #[inline]
    fn e_let(&mut self, stm: &Stm<Fun>) -> Eval {
        self.state.meter.statement()?;
        self.enter(Rule::ELet, stm);
        self.exp(stm)?;
        let (env, names) = (&self.env, self.state.names);
        self.state.recorder.leave(|| conclusion(env, names, stm));
        Ok(())
    }

    /// `E-IN`
    ///
    /// ```text
    /// E(xᵢ) = vᵢ   for 0 < i ≤ n
    /// ──────────────────────────────────────
    /// E ⊢ in (x₁, …, xₙ) ⇓ (v₁, …, vₙ)
    /// ```
    #[inline]
    fn e_in(&mut self, body: &Body<Fun>) {
        self.state.recorder.enter(Rule::EIn, String::new);
        for result in &body.results {
            // An int is one word of a value; the rest is not moved.
            match *result {
                Atom::Const(k) => self.stack.push(Val::Int(k)),
                Atom::Var(var) => match self.env.get(var) {
                    Val::Int(k) => self.stack.push(Val::Int(*k)),
                    // The names of this body are not used after its results.
                    _ if self.uses.moves(var, self.depth) => self.stack.push(self.env.take(var)),
                    val => self.stack.push(val.clone()),
                },
            }
        }
        self.state.recorder.leave(String::new);
    }

    /// `E ⊢ e ⇓ (v, …, v)`
    #[inline]
    fn exp(&mut self, stm: &Stm<Fun>) -> Eval {
        match &stm.exp {
            Exp::Scalar(se) => self.e_scalar(stm, se),
            Exp::Index { array, index } => self.e_index(stm, *array, index),
            Exp::Slice { array, slice } => self.e_slice(stm, *array, slice),
            Exp::Transpose(array) => self.e_transpose(stm, *array),
            Exp::If { cond, then, orelse } => {
                if self.int(*cond) != 0 {
                    self.e_if_true(stm, then)
                } else {
                    self.e_if_false(stm, orelse)
                }
            }
            Exp::Kernel { thread, count, body } => self.e_kernel(stm, *thread, *count, body),
            Exp::Loop { .. } => self.e_loop(stm),
            Exp::Update { array, slice, value } => self.e_update(stm, *array, slice, *value),
            Exp::Extra(never) => match *never {},
        }
    }

    /// `E-SCALAR`
    ///
    /// ```text
    /// v = conventional evaluation of se                                       (division)
    /// ──────────────────────────────────
    /// E ⊢ se ⇓ (v)
    /// ```
    #[inline]
    fn e_scalar(&mut self, stm: &Stm<Fun>, se: &Se) -> Eval {
        self.by(Rule::EScalar, stm, |run| {
            let env = &run.env;
            match scalar::wrapping(se, |var| env.int(var)) {
                Ok(v) => run.gives_int(stm, v),
                Err(zero) => {
                    run.stuck(Rule::EScalar, stm.span, ZeroDivisor::CAUSE, &zero.operands())
                }
            }
        })
    }

    /// `E-INDEX`
    ///
    /// ```text
    /// v = index(E(x), E(y₁), …, E(yₙ))                                           (index)
    /// ─────────────────────────────────
    /// E ⊢ x[y₁, …, yₙ] ⇓ (v)
    /// ```
    #[inline]
    fn e_index(&mut self, stm: &Stm<Fun>, x: Var, index: &[Atom]) -> Eval {
        self.by(Rule::EIndex, stm, |run| {
            let array = run.env.array(x);
            let ints = index.iter().map(|&atom| run.int(atom));
            match locate(array.shape.extents(), ints) {
                Ok(at) => {
                    let v = array.data[at];
                    run.gives_int(stm, v)
                }
                Err(operands) => run.stuck(Rule::EIndex, stm.span, Cause::Index, &operands),
            }
        })
    }

    /// `E-SLICE`, with strides (extension)
    ///
    /// ```text
    /// v = slice(E(x), E(y₁) : E(y₂), …, E(y₂ₙ₋₁) : E(y₂ₙ))                       (slice)
    /// ─────────────────────────────────────────────────────
    /// E ⊢ x[y₁ : y₂, …, y₂ₙ₋₁ : y₂ₙ] ⇓ (v)
    /// ```
    // Out of line, as all rules but those of ints, so that these keep to registers.
    #[inline(never)]
    fn e_slice(&mut self, stm: &Stm<Fun>, x: Var, slice: &[Dim]) -> Eval {
        self.by(Rule::ESlice, stm, |run| {
            let cuts = run.cuts(Rule::ESlice, stm, x, slice)?;
            let shape = run.env.array(x).shape.sliced(&cuts);
            run.copies(shape.elements())?;
            let array = run.env.array(x);
            let data = arrays::slice(array.shape.extents(), &array.data, &cuts);
            run.cuts = cuts;
            let v = run.array(shape, data);
            run.gives(stm, v)
        })
    }

    /// `E-TRANSPOSE`
    ///
    /// ```text
    /// v = tr(E(x))
    /// ─────────────────────
    /// E ⊢ transpose x ⇓ (v)
    /// ```
    #[inline(never)]
    fn e_transpose(&mut self, stm: &Stm<Fun>, x: Var) -> Eval {
        self.by(Rule::ETranspose, stm, |run| {
            run.copies(Some(run.env.array(x).data.len()))?;
            let array = run.env.array(x);
            let &[rows, columns] = array.shape.extents() else {
                unreachable!("T-TRANSPOSE wants a matrix")
            };
            let data = arrays::tr(rows, columns, &array.data);
            let v = run.array(Shape::new([columns, rows]), data);
            run.gives(stm, v)
        })
    }

    /// `E-IF-TRUE`
    ///
    /// ```text
    /// E(x) ≠ 0        E ⊢ b₁ ⇓ (v₁, …, vₙ)
    /// ───────────────────────────────────────────
    /// E ⊢ if x then b₁ else b₂ ⇓ (v₁, …, vₙ)
    /// ```
    #[inline(never)]
    fn e_if_true(&mut self, stm: &Stm<Fun>, b1: &Body<Fun>) -> Eval {
        self.by(Rule::EIfTrue, stm, |run| {
            run.inner(b1)?;
            run.assign(stm.pattern.iter().map(|binding| binding.var));
            Ok(())
        })
    }

    /// `E-IF-FALSE`
    ///
    /// ```text
    /// E(x) = 0        E ⊢ b₂ ⇓ (v₁, …, vₙ)
    /// ───────────────────────────────────────────
    /// E ⊢ if x then b₁ else b₂ ⇓ (v₁, …, vₙ)
    /// ```
    #[inline(never)]
    fn e_if_false(&mut self, stm: &Stm<Fun>, b2: &Body<Fun>) -> Eval {
        self.by(Rule::EIfFalse, stm, |run| {
            run.inner(b2)?;
            run.assign(stm.pattern.iter().map(|binding| binding.var));
            Ok(())
        })
    }

    /// `E-KERNEL`, with several results (extension)
    ///
    /// ```text
    /// E(y) = m ≥ 0, and so are the inner sizes of the pattern                     (size)
    /// E, x ↦ i ⊢ b ⇓ (vᵢ)    for i = 1, …, m
    /// ──────────────────────────────────────────────────────────────
    /// E ⊢ kernel x ≤ y do b ⇓ ([v₁, …, vₘ])
    /// ```
    #[inline(never)]
    fn e_kernel(&mut self, stm: &Stm<Fun>, x: Var, y: Atom, b: &Body<Fun>) -> Eval {
        self.by(Rule::EKernel, stm, |run| {
            let m = run.int(y);
            run.require(Rule::EKernel, stm.span, Cause::NegativeSize, [m.into()])?;
            // Most kernels have one result: it costs no allocation of its own.
            let mut parts: SmallVec<[Part; 1]> = SmallVec::new();
            for binding in &stm.pattern {
                parts.push(run.part(stm, m, &binding.ty)?);
            }
            let base = run.stack.len();
            run.thread.push(0);
            for i in 1..=m {
                *run.thread.last_mut().expect("pushed above") = i;
                run.charge(1)?;
                run.starts_thread();
                run.env.bind_int(x, i);
                run.inner(b)?;
                let mut copied = 0;
                for (part, value) in parts.iter_mut().zip(&run.stack[base..]) {
                    copied += part.append(value);
                }
                run.charge(cells(copied))?;
                run.stack.truncate(base);
                run.ends_thread();
            }
            run.thread.pop();
            for (binding, part) in stm.pattern.iter().zip(parts) {
                run.ledger.give_back(part.data.len());
                let v = run.array(part.shape, part.data);
                run.env.bind(binding.var, v);
            }
            Ok(())
        })
    }

    /// `E-LOOP` (extension)
    ///
    /// ```text
    /// E(n) = m ≥ 0                                                               (count)
    /// E(yⱼ) = vⱼ⁰
    /// E, x₁ ↦ v₁ⁱ⁻¹, …, xₖ ↦ vₖⁱ⁻¹, z ↦ i ⊢ b ⇓ (v₁ⁱ, …, vₖⁱ)    for i = 1, …, m
    /// ─────────────────────────────────────────────────────────────────────────
    /// E ⊢ loop (x₁ : τ₁ = y₁) ⋯ (xₖ : τₖ = yₖ) for z ≤ n do b ⇓ (v₁ᵐ, …, vₖᵐ)
    /// ```
    #[inline(never)]
    fn e_loop(&mut self, stm: &Stm<Fun>) -> Eval {
        let Exp::Loop { carried, counter, count, body } = &stm.exp else {
            unreachable!("the judgement dispatches on the expression")
        };
        self.by(Rule::ELoop, stm, |run| {
            let m = run.int(*count);
            run.require(Rule::ELoop, stm.span, Cause::NegativeCount, [m.into()])?;
            for (_, init) in carried {
                let val = match *init {
                    Atom::Const(k) => Val::Int(k),
                    Atom::Var(var) => run.env.get(var).clone(),
                };
                run.stack.push(val);
            }
            for i in 1..=m {
                run.starts_round();
                run.charge(1)?;
                run.assign(carried.iter().map(|(binding, _)| binding.var));
                run.env.bind_int(*counter, i);
                run.inner(body)?;
            }
            run.assign(stm.pattern.iter().map(|binding| binding.var));
            Ok(())
        })
    }

    /// `E-UPDATE` (extension)
    ///
    /// ```text
    /// v = E(x) with [E(y₁) : E(y₂), …] replaced by E(z)                          (slice)
    /// ──────────────────────────────────────────────────
    /// E ⊢ x with [y₁ : y₂, …] = z ⇓ (v)
    /// ```
    #[inline(never)]
    fn e_update(&mut self, stm: &Stm<Fun>, x: Var, slice: &[Dim], z: Atom) -> Eval {
        self.by(Rule::EUpdate, stm, |run| {
            let cuts = run.cuts(Rule::EUpdate, stm, x, slice)?;
            let sizes = run.env.array(x).shape.sliced(&cuts);
            run.charge(sizes.elements().map_or(u64::MAX, |elements| elements as u64))?;
            let fill = match z {
                Atom::Const(k) => Val::Int(k),
                Atom::Var(var) => run.env.get(var).clone(),
            };
            let source = match &fill {
                Val::Int(k) => Source::Fill(*k),
                Val::Array(array) => Source::Elements(&array.data),
                Val::Unset => unreachable!("T-UPDATE promised a value"),
            };
            let mut array = match run.env.get(x) {
                Val::Array(_) if run.uses.in_place(stm.pattern[0].var) => match run.env.take(x) {
                    Val::Array(array) => array,
                    _ => unreachable!("just looked at"),
                },
                _ => Rc::clone(run.env.array(x)),
            };
            if Rc::get_mut(&mut array).is_none() {
                run.copies(Some(array.data.len()))?;
                array = Rc::new(Array::new(array.shape.clone(), array.data.clone(), &run.ledger));
            }
            let own = Rc::get_mut(&mut array).expect("alone, or copied above");
            arrays::update(own.shape.extents(), &mut own.data, &cuts, source);
            run.cuts = cuts;
            run.gives(stm, Val::Array(array))
        })
    }
}
