//! The heap run of FUNMEM: fig. 10, one function a rule, with eq. 4 and eq. 5.
//!
//! `E; H ⊢ s ⇓ E'; H'; ⟨R, W⟩`: environment and heap are threaded as one `&mut`, and the traces
//! are not sets but [shadow memory](crate::kit::shadow), which finds each violation of eq. 4 where
//! it happens. E-STMS is a statement's node in a derivation; below it stands the rule of its
//! expression.

mod copy;
mod lives;
mod state;
mod told;

pub use lives::Overwritten;

use super::memory::Lmad;
use super::rules::Rule;
use super::syntax::{Body, Dim, Exp, FunMem, MemExp, MemTy, Program, Stm};
use super::values::{Array, Env, Made, Val};
use crate::fun::arrays::Cut;
use crate::fun::eval::fit::atoms;
use crate::fun::eval::scalar;
use crate::fun::syntax::{Atom, Se};
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::fit::{Param, Takes};
use crate::kit::heap::Heap;
use crate::kit::memory::Memory;
use crate::kit::names::Var;
use crate::kit::outcome::{Budget, Cause, Cells, Ending, Outcome, Scalar, Value, Why, holds};
use crate::kit::run::{Eval, Evaluator, State};
use crate::kit::shadow::{Located, Place, Shadow};
use crate::kit::text::{Rejected, Span};
use lives::{Lives, stay};
use smallvec::SmallVec;
use state::{array_ty, carries, conclusion, one};

/// The input as the parameters want it: one value for each parameter that is no block.
///
/// # Errors
/// Says which parameter an input does not fit, and why.
pub fn fit(program: &Program<FunMem>, input: Vec<Value>) -> Result<Vec<Value>, Rejected> {
    takes(program).fit(input)
}

/// What a program takes: its parameters that are no blocks.
pub fn takes(program: &Program<FunMem>) -> Takes<'_> {
    let params = program.params.iter().filter_map(|param| match &param.ty {
        MemTy::Int => Some(Param::of_ints(param.var, None)),
        MemTy::Mem => None,
        MemTy::Array(array) => Some(Param::of_ints(param.var, Some(atoms(&array.shape)))),
    });
    Takes { names: &program.names, params: params.collect(), span: program.body.span }
}

/// Runs a well-typed program on an input that [fits](fit).
///
/// # Panics
/// If the program is not well typed or the input does not fit.
pub fn run(
    program: &Program<FunMem>,
    input: &[Value],
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
    planted: Planted,
) -> Outcome {
    heap_run(&mut Memory::default(), program, input, budget, recorder, planted, Watch::Nothing).0
}

/// What a heap run looks at besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// Nothing.
    Nothing,
    /// Whether an array is overwritten while it lives.
    Lives,
}

/// Where an array of the results lies when the run is over.
pub(crate) struct Placement {
    /// Which of the results that are observed.
    pub(crate) result: usize,
    /// Its index function.
    pub(crate) lmad: Lmad,
    /// How long its block is.
    pub(crate) length: usize,
}

/// [`run`] in the memory of runs before, with where the arrays of the results stand, and which living array
/// was overwritten, if that is asked for.
pub(crate) fn heap_run(
    memory: &mut Memory,
    program: &Program<FunMem>,
    input: &[Value],
    budget: &Budget,
    recorder: &mut Recorder<Rule>,
    planted: Planted,
    watch: Watch,
) -> (Outcome, Vec<Placement>, Option<Overwritten>) {
    let (heap, shadow) = memory.take(planted, budget.memory);
    let mut run = Run {
        at: Span::default(),
        located: Located::wanted(recorder),
        state: State::new(&program.names, recorder, budget),
        env: Env::new(program.names.len()),
        heap,
        stack: Vec::new(),
        shadow,
        path: Vec::new(),
        frames: Vec::new(),
        cuts: Vec::new(),
        buffer: Vec::new(),
        lives: match watch {
            Watch::Nothing => Lives::default(),
            Watch::Lives => Lives::watching(budget.memory),
        },
    };
    let mut placed = Vec::new();
    let ended = run.e_mem_prog(program, input, &mut placed);
    run.state.meter.stats.elements = run.heap.peak();
    let mut outcome = run.state.meter.outcome(ended);
    if let Some(bytes) = run.shadow.missing() {
        outcome.ending = Ending::Unknown(Why::Memory(budget.memory.saturating_add(bytes)));
    }
    let overwritten = run.lives.overwritten(program);
    memory.put_back(run.heap, run.shadow);
    (outcome, placed, overwritten)
}

/// What runs threads at one level of the path: the statement, and the rule with `racefree`.
#[derive(Clone, Copy)]
struct Frame {
    span: Span,
    rule: Rule,
}

/// The state of a run.
struct Run<'a> {
    state: State<'a, Rule>,
    /// `E`
    env: Env,
    /// `H`
    heap: Heap,
    /// Results of bodies.
    stack: Vec<Val>,
    /// The traces.
    shadow: Shadow,
    /// The running thread, and for each level what runs it.
    path: Vec<Place>,
    frames: Vec<Frame>,
    /// The statement that accesses memory, and the statements of earlier accesses if they are asked for.
    at: Span,
    located: Option<Located>,
    /// The slice that is being taken, and elements on their way; kept for their allocation.
    cuts: Vec<Cut>,
    buffer: Vec<i32>,
    /// When cells were written.
    lives: Lives,
}

impl Run<'_> {
    /// `E-MEM-PROG`, with parameters (extension): each array in its own row-major block
    ///
    /// ```text
    /// E₀; H₀ ⊢ s̄ ⇓ E; H; ⟨R, W⟩
    /// ─────────────────────────────────────────────
    /// ⊢ s̄ in (x₁, …, xₙ) ⇓ (E(x₁), …, E(xₙ)); H
    /// ```
    fn e_mem_prog(
        &mut self,
        program: &Program<FunMem>,
        input: &[Value],
        placed: &mut Vec<Placement>,
    ) -> Eval<Vec<Value>> {
        self.state.recorder.enter(Rule::EMemProg, String::new);
        let mut input = input.iter();
        for param in &program.params {
            // A block is bound with its array, which comes after it.
            let value = match &param.ty {
                MemTy::Mem => continue,
                _ => input.next().expect("the input fits"),
            };
            match (&param.ty, value) {
                (MemTy::Int, Value::Scalar(Scalar::I32(k))) => {
                    self.env.bind(param.var, Val::Int(*k))
                }
                (MemTy::Array(array), Value::Array { shape, cells: Cells::I32(data) }) => {
                    let label = self.allocate(Some(data.len()), array.block)?;
                    self.tells(|tap, _| tap.passes(label.0, true));
                    self.heap.block_mut(label).data.copy_from_slice(data);
                    self.heap.wrote_all(label);
                    self.env.bind(array.block, Val::Label(label));
                    let (lmad, made) = (Lmad::row_major(shape), Made::default());
                    self.env.bind(param.var, Val::Array(Array { label, lmad, made }));
                }
                _ => unreachable!("the input fits"),
            }
        }
        self.stms(&program.body)?;
        let mut results = Vec::new();
        for &result in &program.body.results {
            match self.value(result) {
                Val::Int(k) => results.push(Value::from(k)),
                Val::Label(_) => {}
                Val::Array(array) => {
                    let data = self.elements(&array)?;
                    self.lives.reads_all(result.var().expect("an array has a name"), &array);
                    self.looks(Span::default(), &array);
                    self.tells(|tap, _| tap.passes(array.label.0, false));
                    let shape = array.lmad.dims().iter().map(|dim| dim.extent as usize).collect();
                    let length = self.heap.block(array.label).data.len();
                    placed.push(Placement { result: results.len(), lmad: array.lmad, length });
                    results.push(Value::ints(shape, data));
                }
                Val::Unset => unreachable!("results are bound"),
            }
        }
        self.state.recorder.leave(String::new);
        Ok(results)
    }

    /// `E; H ⊢ s̄ ⇓ E'; H'; ⟨R, W⟩`
    #[inline]
    fn stms(&mut self, body: &Body<FunMem>) -> Eval {
        for stm in &body.stms {
            self.e_stms(stm).map_err(|stop| self.state.meter.stops(stm.span, stop))?;
        }
        Ok(())
    }

    /// The statements of a body; the values of its results are left on the stack.
    fn body(&mut self, body: &Body<FunMem>) -> Eval {
        self.stms(body)?;
        for &result in &body.results {
            // An int is one word of a value; the rest is not moved.
            match result {
                Atom::Const(k) => self.stack.push(Val::Int(k)),
                Atom::Var(var) => match self.env.get(var) {
                    Val::Int(k) => self.stack.push(Val::Int(*k)),
                    val => self.stack.push(val.clone()),
                },
            }
        }
        Ok(())
    }

    /// `E-STMS`
    ///
    /// ```text
    /// E; H ⊢ let p̄₁ = e₁ ⇓ E₁; H₁; ⟨R₁, W₁⟩   ⋯   Eₙ₋₁; Hₙ₋₁ ⊢ let p̄ₙ = eₙ ⇓ Eₙ; Hₙ; ⟨Rₙ, Wₙ⟩
    /// ───────────────────────────────────────────────────────────────────────────────────────
    /// E; H ⊢ let p̄₁ = e₁ ⋯ let p̄ₙ = eₙ ⇓ Eₙ; Hₙ; ⟨⋃ᵢ Rᵢ, ⋃ᵢ Wᵢ⟩
    /// ```
    #[inline(always)] // A statement costs no call of its own.
    fn e_stms(&mut self, stm: &Stm<FunMem>) -> Eval {
        self.state.meter.statement()?;
        self.at = stm.span;
        self.enter(Rule::EStms, stm);
        match &stm.exp {
            Exp::Scalar(se) => self.e_mem_scalar(stm, se),
            Exp::Index { array, index } => self.e_mem_index(stm, *array, index),
            Exp::Slice { array, slice } => self.e_mem_slice(stm, *array, slice),
            Exp::Transpose(array) => self.e_mem_transpose(stm, *array),
            Exp::If { cond, then, orelse } => {
                if self.int(*cond) != 0 {
                    self.e_mem_if_true(stm, then)
                } else {
                    self.e_mem_if_false(stm, orelse)
                }
            }
            Exp::Kernel { thread, count, body } => self.e_mem_kernel(stm, *thread, *count, body),
            Exp::Loop { .. } => self.e_mem_loop(stm),
            Exp::Update { array, slice, value } => self.e_mem_update(stm, *array, slice, *value),
            Exp::Extra(MemExp::Alloc(se)) => self.e_mem_alloc(stm, se),
            Exp::Extra(MemExp::Copy(array)) => self.e_mem_copy(stm, *array),
        }?;
        let (env, names) = (&self.env, self.state.names);
        self.state.recorder.leave(|| conclusion(env, names, stm));
        Ok(())
    }

    /// `E-MEM-SCALAR`
    ///
    /// ```text
    /// k = conventional evaluation of se                                          (division)
    /// ─────────────────────────────────────────────────────
    /// E; H ⊢ let (x : int) = se ⇓ E, x ↦ k; H; ⟨∅, ∅⟩
    /// ```
    #[inline]
    fn e_mem_scalar(&mut self, stm: &Stm<FunMem>, se: &Se) -> Eval {
        self.by(Rule::EMemScalar, stm, |run| {
            let env = &run.env;
            match scalar::wrapping(se, |var| env.int(var)) {
                Ok(k) => {
                    run.env.bind_int(one(stm).var, k);
                    Ok(())
                }
                Err(zero) => run.zero_divisor(Rule::EMemScalar, stm.span, zero),
            }
        })
    }

    /// `E-MEM-ALLOC`
    ///
    /// ```text
    /// E(se) = m ≥ 0, exactly        ℓ fresh                                (division, size)
    /// ────────────────────────────────────────────────────────────────────────────
    /// E; H ⊢ let (y : mem) = alloc se ⇓ E, y ↦ ℓ; H, ℓ ↦ [0, …, 0]; ⟨∅, ∅⟩
    /// ```
    // Out of line, as all rules but those of ints, so that these keep to registers.
    #[inline(never)]
    fn e_mem_alloc(&mut self, stm: &Stm<FunMem>, se: &Se) -> Eval {
        self.by(Rule::EMemAlloc, stm, |run| {
            let env = &run.env;
            let m = match scalar::exact(se, |var| env.int(var)) {
                Ok(m) => m,
                Err(zero) => return run.zero_divisor(Rule::EMemAlloc, stm.span, zero),
            };
            run.require(Rule::EMemAlloc, stm.span, Cause::NegativeSize, [m])?;
            let y = one(stm).var;
            let label = run.allocate(usize::try_from(m).ok(), y)?;
            run.env.bind(y, Val::Label(label));
            Ok(())
        })
    }

    /// `E-MEM-INDEX`
    ///
    /// ```text
    /// E(x) = (ℓ, L)        k = L(E(y₁), …, E(yₙ))        (E(y₁), …, E(yₙ)) ∈ dom(L)   (index)
    /// ──────────────────────────────────────────────────────────────────────────────
    /// E; H ⊢ let (z : int) = x[y₁, …, yₙ] ⇓ E, z ↦ H[ℓ, k]; H; ⟨{(ℓ, k)}, ∅⟩
    /// ```
    #[inline]
    fn e_mem_index(&mut self, stm: &Stm<FunMem>, x: Var, index: &[Atom]) -> Eval {
        self.by(Rule::EMemIndex, stm, |run| {
            let Array { label, lmad, made } = run.env.array(x);
            let (label, made) = (*label, *made);
            let mut k = lmad.offset();
            for (&atom, dim) in index.iter().zip(lmad.dims()) {
                let y = i64::from(run.int(atom));
                if !holds(Cause::Index, &[y, dim.extent]) {
                    let operands = [y, dim.extent];
                    return run.stuck(Rule::EMemIndex, stm.span, Cause::Index, &operands);
                }
                // Each cell was written when the array was made, so none of this overflows but
                // in a dimension of one element, where it is multiplied by 0.
                k = k.wrapping_add((y - 1).wrapping_mul(dim.stride));
            }
            let value = run.heap.block(label).data[k as usize];
            run.reads(label, k as usize);
            run.tells_access((label, k as usize, false), stm.span);
            run.lives.reads(x, label, made, k as usize);
            if run.heap.lacks(label, k as usize) {
                run.lacked(stm.span, label, k as usize);
            }
            run.env.bind_int(one(stm).var, value);
            Ok(())
        })
    }

    /// `E-MEM-SLICE`, with strides (extension)
    ///
    /// ```text
    /// E(x) = (ℓ, L)        L' = slice_f(L, [E(y₁) : E(y₂), …, E(y₂ₙ₋₁) : E(y₂ₙ)])     (slice)
    /// (ℓ, L') is what τ says                                                  (annotation)
    /// ──────────────────────────────────────────────────────────────────────────────────
    /// E; H ⊢ let (z : τ) = x[y₁ : y₂, …, y₂ₙ₋₁ : y₂ₙ] ⇓ E, z ↦ (ℓ, L'); H; ⟨∅, ∅⟩
    /// ```
    #[inline(never)]
    fn e_mem_slice(&mut self, stm: &Stm<FunMem>, x: Var, slice: &[Dim]) -> Eval {
        self.by(Rule::EMemSlice, stm, |run| {
            run.cuts(Rule::EMemSlice, stm, x, slice)?;
            let Array { label, lmad, made } = run.env.array(x);
            let array = Array { label: *label, lmad: lmad.slice(&run.cuts), made: *made };
            run.bind_array(Rule::EMemSlice, stm, one(stm), array)
        })
    }

    /// `E-MEM-TRANSPOSE`
    ///
    /// ```text
    /// E(x) = (ℓ, k₀ + {(k₁ : k₂) (k₃ : k₄)})        L' = k₀ + {(k₃ : k₄) (k₁ : k₂)}
    /// (ℓ, L') is what τ says                                                  (annotation)
    /// ─────────────────────────────────────────────────────────────────────
    /// E; H ⊢ let (y : τ) = transpose x ⇓ E, y ↦ (ℓ, L'); H; ⟨∅, ∅⟩
    /// ```
    #[inline(never)]
    fn e_mem_transpose(&mut self, stm: &Stm<FunMem>, x: Var) -> Eval {
        self.by(Rule::EMemTranspose, stm, |run| {
            let Array { label, lmad, made } = run.env.array(x);
            let array = Array { label: *label, lmad: lmad.transpose(), made: *made };
            run.bind_array(Rule::EMemTranspose, stm, one(stm), array)
        })
    }

    /// `E-MEM-IF-T`
    ///
    /// ```text
    /// E(x) ≠ 0        E; H ⊢ s̄ ⇓ Eₛ; Hₛ; ⟨R, W⟩
    /// E' = E, x₁ ↦ Eₛ(y₁), …, xₙ ↦ Eₛ(yₙ)        E'(xᵢ) is what τᵢ says       (annotation)
    /// ──────────────────────────────────────────────────────────────────────────────
    /// E; H ⊢ let (x₁ : τ₁) ⋯ (xₙ : τₙ) = if x then s̄ in (y₁, …, yₙ) else b₂
    ///      ⇓ E'; Hₛ; ⟨R, W⟩
    /// ```
    #[inline(never)]
    fn e_mem_if_true(&mut self, stm: &Stm<FunMem>, b1: &Body<FunMem>) -> Eval {
        self.by(Rule::EMemIfTrue, stm, |run| {
            run.side(b1, stm.span, 0)?;
            run.bind_all(Rule::EMemIfTrue, stm, stm.pattern.iter())
        })
    }

    /// `E-MEM-IF-F`
    ///
    /// ```text
    /// E(x) = 0        E; H ⊢ s̄ ⇓ Eₛ; Hₛ; ⟨R, W⟩
    /// E' = E, x₁ ↦ Eₛ(y₁), …, xₙ ↦ Eₛ(yₙ)        E'(xᵢ) is what τᵢ says       (annotation)
    /// ──────────────────────────────────────────────────────────────────────────────
    /// E; H ⊢ let (x₁ : τ₁) ⋯ (xₙ : τₙ) = if x then b₁ else s̄ in (y₁, …, yₙ)
    ///      ⇓ E'; Hₛ; ⟨R, W⟩
    /// ```
    #[inline(never)]
    fn e_mem_if_false(&mut self, stm: &Stm<FunMem>, b2: &Body<FunMem>) -> Eval {
        self.by(Rule::EMemIfFalse, stm, |run| {
            run.side(b2, stm.span, 1)?;
            run.bind_all(Rule::EMemIfFalse, stm, stm.pattern.iter())
        })
    }

    /// `E-MEM-KERNEL`, with several results (extension)
    ///
    /// ```text
    /// E(y) = k ≥ 0, and so are the inner sizes of the pattern                        (size)
    /// E, x ↦ i; H'ᵢ₋₁ ⊢ s̄ ⇓ Eᵢ; Hᵢ; ⟨Rᵢ, Wᵢ⟩              for i = 1, …, k, where H'₀ = H
    /// (H'ᵢ, R'ᵢ, W'ᵢ) = memcopy(Hᵢ, Eᵢ(r), E(m), index_f(E(L), i))                  (inside)
    /// racefree(R₁ ∪ R'₁, …, Rₖ ∪ R'ₖ, W₁ ∪ W'₁, …, Wₖ ∪ W'ₖ)                     (racefree)
    /// ──────────────────────────────────────────────────────────────────────────────
    /// E; H ⊢ let (z : [y]d̄ @ m → L) = kernel x ≤ y do s̄ in (r)
    ///      ⇓ E, z ↦ (E(m), E(L)); H'ₖ; ⟨⋃ᵢ Rᵢ ∪ R'ᵢ, ⋃ᵢ Wᵢ ∪ W'ᵢ⟩
    /// ```
    #[inline(never)]
    fn e_mem_kernel(&mut self, stm: &Stm<FunMem>, x: Var, y: Atom, b: &Body<FunMem>) -> Eval {
        self.by(Rule::EMemKernel, stm, |run| {
            let k = run.int(y);
            run.require(Rule::EMemKernel, stm.span, Cause::NegativeSize, [k.into()])?;
            // Most kernels have one result: it costs no allocation.
            let mut fresh: SmallVec<[Array; 1]> = SmallVec::new();
            for binding in &stm.pattern {
                let ty = array_ty(binding);
                for &size in &ty.shape[1..] {
                    let size = run.int(size).into();
                    run.require(Rule::EMemKernel, stm.span, Cause::NegativeSize, [size])?;
                }
                fresh.push(run.annotation(ty));
            }
            let kernel = run.shadow.kernel();
            run.frames.push(Frame { span: stm.span, rule: Rule::EMemKernel });
            run.path.push(Place { kernel, thread: 0 });
            let level = run.path.len() - 1;
            let threads = k as u64;
            run.tells(|tap, clock| tap.kernel_starts(level, stm.span, threads, clock));
            let mut next = 0;
            while let Some(i) = run.next_thread(level, &mut next, threads) {
                run.charge(1)?;
                run.path[level].thread = i;
                run.starts_thread();
                run.tells(|tap, clock| tap.thread_starts(level, next, clock));
                let mark = run.heap.mark();
                run.env.bind_int(x, i);
                run.stms(b)?;
                for (&r, array) in b.results.iter().zip(&fresh) {
                    match (r, array.lmad.dims()) {
                        (Atom::Var(r), [_, _, ..]) => {
                            let source = run.env.array(r).clone();
                            run.copy_array(stm, (r, &source), array, i)?;
                        }
                        _ => run.copy_int(stm, run.int(r), array, i)?,
                    }
                }
                run.tells_release(mark, |_, _| false);
                run.heap.release(mark, |_| false);
                run.ends_thread();
            }
            run.tells(|tap, clock| tap.kernel_ends(level, clock));
            run.path.pop();
            run.frames.pop();
            for (binding, mut array) in stm.pattern.iter().zip(fresh) {
                array.made = run.lives.is_there(array.made);
                run.env.bind(binding.var, Val::Array(array));
            }
            Ok(())
        })
    }

    /// `E-MEM-LOOP` (extension)
    ///
    /// ```text
    /// E(n) = k ≥ 0                                                                  (count)
    /// E(yⱼ) = vⱼ⁰
    /// Eᵢ = E, x₁ ↦ v₁ⁱ⁻¹, …, xₘ ↦ vₘⁱ⁻¹, z ↦ i        Eᵢ(xⱼ) is what τⱼ says    (annotation)
    /// Eᵢ; Hᵢ₋₁ ⊢ s̄ ⇓ E'ᵢ; Hᵢ; ⟨Rᵢ, Wᵢ⟩    vⱼⁱ = E'ᵢ(rⱼ)        for i = 1, …, k, where H₀ = H
    /// E' = E, w₁ ↦ v₁ᵏ, …, wₘ ↦ vₘᵏ        E'(wⱼ) is what τ'ⱼ says              (annotation)
    /// ──────────────────────────────────────────────────────────────────────────────
    /// E; H ⊢ let (w̄ : τ̄') = loop (x₁ : τ₁ = y₁) ⋯ (xₘ : τₘ = yₘ) for z ≤ n do s̄ in (r̄)
    ///      ⇓ E'; Hₖ; ⟨⋃ᵢ Rᵢ, ⋃ᵢ Wᵢ⟩
    /// ```
    #[inline(never)]
    fn e_mem_loop(&mut self, stm: &Stm<FunMem>) -> Eval {
        let Exp::Loop { carried, counter, count, body } = &stm.exp else {
            unreachable!("the judgement dispatches on the expression")
        };
        self.by(Rule::EMemLoop, stm, |run| {
            let k = run.int(*count);
            run.require(Rule::EMemLoop, stm.span, Cause::NegativeCount, [k.into()])?;
            for (_, init) in carried {
                let val = run.value(*init);
                run.stack.push(val);
            }
            let mark = run.heap.mark();
            let (mut next, rounds) = (0, k as u64);
            run.tells_loop(stm.span, rounds);
            while let Some(i) = run.next_round(&mut next, rounds) {
                run.charge(1)?;
                run.starts_round();
                run.tells(|tap, clock| tap.round(clock));
                run.bind_all(Rule::EMemLoop, stm, carried.iter().map(|(binding, _)| binding))?;
                run.env.bind_int(*counter, i);
                run.body(body)?;
                let carried = run.stack.len() - carried.len();
                run.tells_release(mark, |run, label| carries(&run.stack[carried..], label));
                run.heap.release(mark, |label| carries(&run.stack[carried..], label));
            }
            run.tells(|tap, clock| tap.leave(clock));
            run.bind_all(Rule::EMemLoop, stm, stm.pattern.iter())
        })
    }

    /// `E-MEM-COPY` (extension, reading FUNMEM 9)
    ///
    /// ```text
    /// (H', R, W) = memcopy(H, E(x), E(m), E(L))                          (inside, racefree)
    /// ────────────────────────────────────────────────────────────────────────────
    /// E; H ⊢ let (z : d̄ @ m → L) = copy x ⇓ E, z ↦ (E(m), E(L)); H'; ⟨R, W⟩
    /// ```
    #[inline(never)]
    fn e_mem_copy(&mut self, stm: &Stm<FunMem>, x: Var) -> Eval {
        self.by(Rule::EMemCopy, stm, |run| {
            let mut fresh = run.annotation(array_ty(one(stm)));
            let source = run.env.array(x).clone();
            run.memcopy(Rule::EMemCopy, stm, (x, &source), &fresh)?;
            fresh.made = run.lives.is_there(fresh.made);
            run.env.bind(one(stm).var, Val::Array(fresh));
            Ok(())
        })
    }

    /// `E-MEM-UPDATE` (extension)
    ///
    /// ```text
    /// E(x) = (ℓ, Lₓ)        E(L) = L'        S = slice_f(L', [E(y₁) : E(y₂), …])         (slice)
    /// (H₁, R₁, W₁) = memcopy(H, (ℓ, Lₓ), E(m), L'), or (H, ∅, ∅) where (E(m), L') = (ℓ, Lₓ)
    /// (H', R₂, W₂) = memcopy(H₁, E(w), E(m), S)                          (inside, racefree)
    /// ─────────────────────────────────────────────────────────────────────────────────
    /// E; H ⊢ let (z : d̄ @ m → L) = x with [y₁ : y₂, …] = w
    ///      ⇓ E, z ↦ (E(m), L'); H'; ⟨R₁ ∪ R₂, W₁ ∪ W₂⟩
    /// ```
    ///
    /// An int `w` fills the slice.
    #[inline(never)]
    fn e_mem_update(&mut self, stm: &Stm<FunMem>, x: Var, slice: &[Dim], w: Atom) -> Eval {
        self.by(Rule::EMemUpdate, stm, |run| {
            run.cuts(Rule::EMemUpdate, stm, x, slice)?;
            let mut fresh = run.annotation(array_ty(one(stm)));
            let array = run.env.array(x);
            if stay(array, &fresh) {
                fresh.made = array.made;
                if run.lives.is_outdated(array) {
                    let array = array.clone();
                    run.charge(array.lmad.elements().map_or(u64::MAX, |elements| elements as u64))?;
                    run.lives.reads_all(x, &array);
                }
            } else {
                let array = array.clone();
                run.memcopy(Rule::EMemUpdate, stm, (x, &array), &fresh)?;
            }
            let part = Array { lmad: fresh.lmad.slice(&run.cuts), ..fresh.clone() };
            match (run.value(w), w) {
                (Val::Int(k), _) => run.fill(Rule::EMemUpdate, stm, k, &part)?,
                (Val::Array(source), Atom::Var(w)) => {
                    run.memcopy(Rule::EMemUpdate, stm, (w, &source), &part)?;
                }
                (other, _) => unreachable!("T-MEM-UPDATE promised a value, not {other:?}"),
            }
            fresh.made = run.lives.is_there(fresh.made);
            run.lives.updated(fresh.made);
            run.env.bind(one(stm).var, Val::Array(fresh));
            Ok(())
        })
    }
}
