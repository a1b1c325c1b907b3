//! The type rules of FUNMEM (fig. 8): FUN's, with scoping of annotations. By design they do not
//! exclude races or memory that is overwritten while it is in use, and they do not compare the
//! annotation of a slice with that of its array: whether a program is valid is for
//! [`validity`](super::validity) to say.

mod annotation;
mod context;

use super::print;
use super::rules::Rule;
use super::syntax::{ArrayTy, Binding, Body, Dim, Exp, FunMem, Lmad, MemExp, MemTy, Program, Stm};
use crate::fun::syntax::{Atom, Se};
use crate::fun::types::Checked;
use crate::fun::types::scope::{Described, Entry, Scope, copied, of_names};
use crate::kit::derivation::Recorder;
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span};
use context::wanted;

/// `⊢ b : (r, …, r)`
///
/// # Errors
/// The first rule that does not apply, with the premise that fails and the place.
pub fn check(program: &Program<FunMem>, recorder: &mut Recorder<Rule>) -> Result<(), Rejected> {
    let mut check = Check::new(&program.names, recorder, ());
    check.t_mem_prog(program)
}

/// A type without its annotation.
#[derive(Clone, Copy, Debug)]
enum Kind<'a> {
    Int,
    Mem,
    Array(&'a [Atom]),
}

impl<'a> Kind<'a> {
    fn of(ty: &'a MemTy) -> Self {
        match ty {
            MemTy::Int => Kind::Int,
            MemTy::Mem => Kind::Mem,
            MemTy::Array(array) => Kind::Array(&array.shape),
        }
    }
}

impl Described for Kind<'_> {
    fn rank(self) -> usize {
        match self {
            Kind::Int | Kind::Mem => 0,
            Kind::Array(shape) => shape.len(),
        }
    }

    fn what(self) -> String {
        match self {
            Kind::Int => "an int".to_owned(),
            Kind::Mem => "a block".to_owned(),
            Kind::Array(shape) => shape.what(),
        }
    }
}

/// What a pattern wants of a result: its name and its type.
type Wanted<'a> = (Var, Kind<'a>);

/// The state of a check: `Γ`.
type Check<'a, 'r> = Scope<'a, 'r, Rule, Kind<'a>>;

impl<'a> Check<'a, '_> {
    /// `T-MEM-PROG`, with parameters (extension)
    ///
    /// ```text
    /// Γ₀ = p̄        Γ₀ ⊢ (x₁ : r₁) ⋯ (xₙ : rₙ) ← b
    /// ──────────────────────────────────────────────
    /// ⊢ p̄ b : (r₁, …, rₙ)
    /// ```
    fn t_mem_prog(&mut self, program: &'a Program<FunMem>) -> Checked {
        self.by(Rule::TMemProg, String::new, |check| {
            let span = program.body.span;
            for (at, param) in program.params.iter().enumerate() {
                check.t_mem_param(&program.params, at, param, span)?;
            }
            program.body.stms.iter().try_for_each(|stm| check.t_stm(stm))?;
            for &result in &program.body.results {
                check.lookup(result, span)?;
            }
            Ok(())
        })
    }

    /// `T-MEM-PARAM` (extension)
    ///
    /// ```text
    /// Γ ⊢ τ
    /// τ = d̄ @ m → R(d̄), and m is the parameter before x                             (block)
    /// ──────────────────────────────────────────────────
    /// Γ ⊢ param (x : τ)
    /// ```
    fn t_mem_param(
        &mut self,
        params: &'a [Binding<FunMem>],
        at: usize,
        param: &'a Binding<FunMem>,
        span: Span,
    ) -> Checked {
        self.by(Rule::TMemParam, || self.names.written(param.var).to_owned(), |check| {
            check.t_mem_type(&param.ty, span)?;
            let own = |array: &ArrayTy, at: usize| {
                at > 0 && params[at - 1].var == array.block && params[at - 1].ty == MemTy::Mem
            };
            let fits = match &param.ty {
                MemTy::Int => true,
                MemTy::Mem => matches!(
                    params.get(at + 1),
                    Some(Binding { ty: MemTy::Array(array), .. }) if array.block == param.var
                ),
                MemTy::Array(array) => {
                    own(array, at) && array.lmad == Lmad::row_major(&array.shape)
                }
            };
            if !fits {
                let name = check.names.written(param.var);
                let message = format!(
                    "parameter `{name}`: each array comes right after a block of its own and is \
                     row-major in it"
                );
                return check.fail(Rule::TMemParam, "block", span, message);
            }
            check.bind(param.var, Kind::of(&param.ty), span)
        })
    }

    /// `Γ ⊢ p̄ ← b`, for a body in its own scope. `enter` binds what it sees besides `Γ`.
    fn body(
        &mut self,
        wanted: &[Wanted<'a>],
        body: &'a Body<FunMem>,
        enter: impl FnOnce(&mut Self) -> Checked,
    ) -> Checked {
        enter(self)?;
        body.stms.iter().try_for_each(|stm| self.t_stm(stm))?;
        self.t_mem_result(wanted, &body.results, body.span)?;
        for binding in body.stms.iter().flat_map(|stm| &stm.pattern) {
            self.gamma[binding.var.slot()] = Entry::Left;
        }
        Ok(())
    }

    /// `T-STM`
    ///
    /// ```text
    /// Γ ⊢ let p̄ˢ = e        Γ, p̄ˢ ⊢ p̄ ← b
    /// ─────────────────────────────────────
    /// Γ ⊢ p̄ ← let p̄ˢ = e b
    /// ```
    fn t_stm(&mut self, stm: &'a Stm<FunMem>) -> Checked {
        let names = self.names;
        self.by(
            Rule::TStm,
            || print::statement(names, stm),
            |check| match &stm.exp {
                Exp::Scalar(se) => check.t_mem_scalar(stm, se),
                Exp::Index { array, index } => check.t_mem_index(stm, *array, index),
                Exp::Slice { array, slice } => check.t_mem_slice(stm, *array, slice),
                Exp::Transpose(array) => check.t_mem_transpose(stm, *array),
                Exp::If { cond, then, orelse } => check.t_mem_if(stm, *cond, then, orelse),
                Exp::Kernel { thread, count, body } => {
                    check.t_mem_kernel(stm, *thread, *count, body)
                }
                Exp::Loop { .. } => check.t_mem_loop(stm),
                Exp::Update { array, slice, value } => {
                    check.t_mem_update(stm, *array, slice, *value)
                }
                Exp::Extra(MemExp::Alloc(se)) => check.t_mem_alloc(stm, se),
                Exp::Extra(MemExp::Copy(array)) => check.t_mem_copy(stm, *array),
            },
        )
    }

    /// `T-CONST`, `T-VAR`, `T-OP`
    ///
    /// ```text
    ///                  (x : int) ∈ Γ   (scope, type)      Γ ⊢ se₁ : int   Γ ⊢ se₂ : int
    /// ───────────      ─────────────                      ─────────────────────────────
    /// Γ ⊢ k : int      Γ ⊢ x : int                        Γ ⊢ se₁ ⊕ se₂ : int
    /// ```
    fn scalar(&mut self, se: &Se, span: Span) -> Checked {
        match se {
            Se::Atom(Atom::Const(k)) => self.by(Rule::TConst, || k.to_string(), |_| Ok(())),
            Se::Atom(atom @ Atom::Var(x)) => self.by(
                Rule::TVar,
                || self.names.written(*x).to_owned(),
                |check| check.int(Rule::TVar, *atom, span),
            ),
            Se::Bin(_, ab) => self.by(Rule::TOp, String::new, |check| {
                ab.iter().try_for_each(|operand| check.scalar(operand, span))
            }),
        }
    }

    /// `T-MEM-SCALAR`
    ///
    /// ```text
    /// Γ ⊢ se : int
    /// ─────────────────────────                                                   (pattern)
    /// Γ ⊢ let (x : int) = se
    /// ```
    fn t_mem_scalar(&mut self, stm: &'a Stm<FunMem>, se: &Se) -> Checked {
        self.by(Rule::TMemScalar, String::new, |check| {
            let int = matches!(stm.pattern[..], [Binding { ty: MemTy::Int, .. }]);
            check.scalar(se, stm.span).map_err(|error| copied(se, int, error))?;
            let x = check.one_int(Rule::TMemScalar, stm)?;
            if let Se::Atom(atom) = se {
                check.equal[x.slot()] = Some(check.canonical(*atom));
            }
            Ok(())
        })
    }

    /// `T-MEM-ALLOC`
    ///
    /// ```text
    /// Γ ⊢ se : int
    /// ───────────────────────────────                                             (pattern)
    /// Γ ⊢ let (y : mem) = alloc se
    /// ```
    fn t_mem_alloc(&mut self, stm: &'a Stm<FunMem>, se: &Se) -> Checked {
        self.by(Rule::TMemAlloc, String::new, |check| {
            check.scalar(se, stm.span)?;
            match stm.pattern.as_slice() {
                [Binding { var, ty: MemTy::Mem }] => check.bind(*var, Kind::Mem, stm.span),
                _ => {
                    let message = "the pattern is one block".to_owned();
                    check.fail(Rule::TMemAlloc, "pattern", stm.span, message)
                }
            }
        })
    }

    /// `T-MEM-COPY` (extension)
    ///
    /// ```text
    /// (x : d̄ @ m' → L') ∈ Γ        Γ ⊢ d̄ @ m → L                                      (type)
    /// ──────────────────────────────────────────
    /// Γ ⊢ let (z : d̄ @ m → L) = copy x                                        (pattern, size)
    /// ```
    fn t_mem_copy(&mut self, stm: &'a Stm<FunMem>, x: Var) -> Checked {
        self.by(Rule::TMemCopy, String::new, |check| {
            let sizes = check.array(Rule::TMemCopy, x, stm.span)?;
            check.one_array(Rule::TMemCopy, stm, sizes)
        })
    }

    /// `T-MEM-INDEX`
    ///
    /// ```text
    /// (y : [z₁] ⋯ [zₙ] @ m → L) ∈ Γ    (yᵢ : int) ∈ Γ  for i = 1, …, n          (type, rank)
    /// ─────────────────────────────────────────────────────────
    /// Γ ⊢ let (x : int) = y[y₁, …, yₙ]                                             (pattern)
    /// ```
    fn t_mem_index(&mut self, stm: &'a Stm<FunMem>, y: Var, index: &[Atom]) -> Checked {
        self.by(Rule::TMemIndex, String::new, |check| {
            let sizes = check.array(Rule::TMemIndex, y, stm.span)?;
            check.rank(Rule::TMemIndex, y, sizes, index.len(), stm.span)?;
            for &atom in index {
                check.int(Rule::TMemIndex, atom, stm.span)?;
            }
            check.one_int(Rule::TMemIndex, stm).map(drop)
        })
    }

    /// `T-MEM-SLICE`, with strides (extension)
    ///
    /// ```text
    /// (yᵢ : int) ∈ Γ  for i = 1, …, 2n    (x : [x₁] ⋯ [xₙ] @ m' → L') ∈ Γ       (type, rank)
    /// Γ ⊢ [y₂] ⋯ [y₂ₙ] @ m → L
    /// ────────────────────────────────────────────────────────────────────
    /// Γ ⊢ let (z : [y₂] ⋯ [y₂ₙ] @ m → L) = x[y₁ : y₂, …, y₂ₙ₋₁ : y₂ₙ]         (pattern, size)
    /// ```
    fn t_mem_slice(&mut self, stm: &'a Stm<FunMem>, x: Var, slice: &[Dim]) -> Checked {
        self.by(Rule::TMemSlice, String::new, |check| {
            check.slice(Rule::TMemSlice, stm, x, slice)?;
            let sizes: Vec<_> = slice.iter().map(|dim| dim.size).collect();
            check.one_array(Rule::TMemSlice, stm, &sizes)
        })
    }

    /// `T-MEM-TRANSPOSE`
    ///
    /// ```text
    /// (x : [x₁][x₂] @ m' → L') ∈ Γ        Γ ⊢ [x₂][x₁] @ m → L                        (rank)
    /// ─────────────────────────────────────────────────────────
    /// Γ ⊢ let (y : [x₂][x₁] @ m → L) = transpose x                            (pattern, size)
    /// ```
    fn t_mem_transpose(&mut self, stm: &'a Stm<FunMem>, x: Var) -> Checked {
        self.by(Rule::TMemTranspose, String::new, |check| {
            let sizes = match check.lookup(x.into(), stm.span)? {
                Kind::Array(sizes) => sizes,
                Kind::Int | Kind::Mem => &[],
            };
            check.rank(Rule::TMemTranspose, x, sizes, 2, stm.span)?;
            check.one_array(Rule::TMemTranspose, stm, &[sizes[1], sizes[0]])
        })
    }

    /// `T-MEM-IF`
    ///
    /// ```text
    /// (x : int) ∈ Γ        Γ ⊢ p̄ ← b₁        Γ ⊢ p̄ ← b₂                               (type)
    /// Γ, p̄ ⊢ τ   for τ in p̄
    /// ───────────────────────────────────────────────────
    /// Γ ⊢ let p̄ = if x then b₁ else b₂
    /// ```
    fn t_mem_if(
        &mut self,
        stm: &'a Stm<FunMem>,
        x: Atom,
        b1: &'a Body<FunMem>,
        b2: &'a Body<FunMem>,
    ) -> Checked {
        self.by(Rule::TMemIf, String::new, |check| {
            check.int(Rule::TMemIf, x, stm.span)?;
            let wanted = wanted(stm.pattern.iter());
            check.body(&wanted, b1, |_| Ok(()))?;
            check.body(&wanted, b2, |_| Ok(()))?;
            check.bind_all(stm.pattern.iter(), stm.span)
        })
    }

    /// `T-MEM-KERNEL`, with several results (extension)
    ///
    /// ```text
    /// (y : int) ∈ Γ        Γ, (x : int) ⊢ (z : d̄) ← b                                (type)
    /// Γ ⊢ [y]d̄ @ m → L
    /// ─────────────────────────────────────────────────
    /// Γ ⊢ let (z : [y]d̄ @ m → L) = kernel x ≤ y do b                          (pattern, size)
    /// ```
    ///
    /// The index function is free: this is where arrays are laid out.
    fn t_mem_kernel(
        &mut self,
        stm: &'a Stm<FunMem>,
        x: Var,
        y: Atom,
        b: &'a Body<FunMem>,
    ) -> Checked {
        self.by(Rule::TMemKernel, String::new, |check| {
            check.int(Rule::TMemKernel, y, stm.span)?;
            let mut inner: Vec<Wanted<'a>> = Vec::new();
            for binding in &stm.pattern {
                let Kind::Array([outer, rest @ ..]) = Kind::of(&binding.ty) else {
                    let name = check.names.written(binding.var);
                    let message = format!("a kernel gives arrays, but `{name}` is none");
                    return check.fail(Rule::TMemKernel, "pattern", stm.span, message);
                };
                check.same_size(Rule::TMemKernel, *outer, y, stm.span)?;
                check.t_mem_type(&binding.ty, stm.span)?;
                let result = if rest.is_empty() { Kind::Int } else { Kind::Array(rest) };
                inner.push((binding.var, result));
            }
            check.body(&inner, b, |check| check.bind(x, Kind::Int, stm.span))?;
            check.gamma[x.slot()] = Entry::Left;
            for binding in &stm.pattern {
                check.bind(binding.var, Kind::of(&binding.ty), stm.span)?;
            }
            Ok(())
        })
    }

    /// `T-MEM-LOOP` (extension)
    ///
    /// ```text
    /// (n : int) ∈ Γ        Γ, p̄ ⊢ τ   for τ in p̄                                      (type)
    /// Γ ⊢ p̄ ← in (y₁, …, yₖ)        Γ, p̄, (i : int) ⊢ p̄ ← b        Γ, p̄' ⊢ τ   for τ in p̄'
    /// where p̄ = (x₁ : τ₁) ⋯ (xₖ : τₖ), and p̄' has the shapes of p̄[x ↦ z]
    /// ──────────────────────────────────────────────────────────────────────
    /// Γ ⊢ let p̄' = loop (x₁ : τ₁ = y₁) ⋯ (xₖ : τₖ = yₖ) for i ≤ n do b        (pattern, size)
    /// ```
    fn t_mem_loop(&mut self, stm: &'a Stm<FunMem>) -> Checked {
        let Exp::Loop { carried, counter, count, body } = &stm.exp else {
            unreachable!("the judgement dispatches on the expression")
        };
        let span = stm.span;
        self.by(Rule::TMemLoop, String::new, |check| {
            check.int(Rule::TMemLoop, *count, span)?;
            let p = wanted(carried.iter().map(|(binding, _)| binding));
            let inits: Vec<Atom> = carried.iter().map(|(_, init)| *init).collect();
            check.t_mem_result(&p, &inits, span)?;
            check.body(&p, body, |check| {
                check.bind_all(carried.iter().map(|(binding, _)| binding), span)?;
                check.bind(*counter, Kind::Int, span)
            })?;
            for var in p.iter().map(|(var, _)| var).chain([counter]) {
                check.gamma[var.slot()] = Entry::Left;
            }
            check.renamed(stm, &p)?;
            check.bind_all(stm.pattern.iter(), span)
        })
    }

    /// The pattern of a loop is what it carries, under other names.
    fn renamed(&mut self, stm: &'a Stm<FunMem>, carried: &[Wanted<'a>]) -> Checked {
        let pattern = wanted(stm.pattern.iter());
        let alike = pattern.len() == carried.len()
            && pattern.iter().zip(carried).all(|((_, z), (_, x))| match (z, x) {
                (Kind::Int, Kind::Int) | (Kind::Mem, Kind::Mem) => true,
                (Kind::Array(z), Kind::Array(x)) => z.len() == x.len(),
                _ => false,
            });
        if !alike {
            let message = "the pattern of a loop has the types of what the loop carries".to_owned();
            return self.fail(Rule::TMemLoop, "pattern", stm.span, message);
        }
        for ((z, _), (x, _)) in pattern.iter().zip(carried) {
            self.substitution[x.slot()] = Some((*z).into());
        }
        let mut pairs = Vec::new();
        for ((_, z), (_, x)) in pattern.iter().zip(carried) {
            if let (Kind::Array(z), Kind::Array(x)) = (z, x) {
                pairs.extend(z.iter().zip(*x).map(|(&z, &x)| (z, self.substitute(x))));
            }
        }
        for (x, _) in carried {
            self.substitution[x.slot()] = None;
        }
        pairs.into_iter().try_for_each(|(z, x)| self.same_size(Rule::TMemLoop, z, x, stm.span))
    }

    /// `T-MEM-UPDATE` (extension)
    ///
    /// ```text
    /// (x : [x₁] ⋯ [xₙ] @ m' → L') ∈ Γ    (yᵢ : int) ∈ Γ  for i = 1, …, 2n       (type, rank)
    /// (w : [y₂] ⋯ [y₂ₙ] @ m'' → L'') ∈ Γ   or   (w : int) ∈ Γ                          (size)
    /// Γ ⊢ [x₁] ⋯ [xₙ] @ m → L
    /// ────────────────────────────────────────────────────────────────────────────────
    /// Γ ⊢ let (z : [x₁] ⋯ [xₙ] @ m → L) = x with [y₁ : y₂, …] = w             (pattern, size)
    /// ```
    ///
    /// Consumption is FUN's: a program that uses what it has overwritten is not valid.
    fn t_mem_update(&mut self, stm: &'a Stm<FunMem>, x: Var, slice: &[Dim], w: Atom) -> Checked {
        self.by(Rule::TMemUpdate, String::new, |check| {
            let sizes = check.slice(Rule::TMemUpdate, stm, x, slice)?;
            match check.lookup(w, stm.span)? {
                Kind::Int => {}
                Kind::Array(value) => {
                    let wants: Vec<_> = slice.iter().map(|dim| dim.size).collect();
                    check.same_shape(Rule::TMemUpdate, value, &wants, stm.span)?;
                }
                Kind::Mem => {
                    let message = "a block is no value of an update".to_owned();
                    return check.fail(Rule::TMemUpdate, "type", stm.span, message);
                }
            }
            check.one_array(Rule::TMemUpdate, stm, sizes)
        })
    }

    /// `T-MEM-RESULT`
    ///
    /// ```text
    /// S = [y₁ ↦ x₁, …, yₙ ↦ xₙ]                                                       (arity)
    /// (xᵢ : S(τᵢ)) ∈ Γ, up to annotations, for i = 1, …, n                       (type, size)
    /// ─────────────────────────────────────────────
    /// Γ ⊢ (y₁ : τ₁) ⋯ (yₙ : τₙ) ← in (x₁, …, xₙ)
    /// ```
    fn t_mem_result(&mut self, wanted: &[Wanted<'a>], results: &[Atom], span: Span) -> Checked {
        self.by(Rule::TMemResult, String::new, |check| {
            if wanted.len() != results.len() {
                let message = of_names(results.len(), wanted.len());
                return check.fail(Rule::TMemResult, "arity", span, message);
            }
            for ((y, _), &x) in wanted.iter().zip(results) {
                check.substitution[y.slot()] = Some(x);
            }
            let outcome = check.results(wanted, results, span);
            for (y, _) in wanted {
                check.substitution[y.slot()] = None;
            }
            outcome
        })
    }

    fn results(&mut self, wanted: &[Wanted<'a>], results: &[Atom], span: Span) -> Checked {
        for (&(y, wants), &x) in wanted.iter().zip(results) {
            match (wants, self.lookup(x, span)?) {
                (Kind::Int, Kind::Int) | (Kind::Mem, Kind::Mem) => {}
                (Kind::Array(wants), Kind::Array(found)) if wants.len() == found.len() => {
                    for (&size, &found) in wants.iter().zip(found) {
                        let size = self.substitute(size);
                        self.same_size(Rule::TMemResult, found, size, span)?;
                    }
                }
                (wants, found) => {
                    let (y, found, wants) = (self.names.written(y), found.what(), wants.what());
                    let message = format!("`{y}` is {wants}, but its result is {found}");
                    return self.fail(Rule::TMemResult, "type", span, message);
                }
            }
        }
        Ok(())
    }
}
