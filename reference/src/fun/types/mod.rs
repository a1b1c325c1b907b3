//! The type rules of FUN (fig. 3), rule by rule, with those of the extensions.

mod alias;
mod carried;
mod context;
pub(crate) mod scope;

use super::print;
use super::rules::Rule;
use super::syntax::{Atom, Binding, Body, Dim, Exp, Fun, Program, Se, Stm, Ty};
use crate::kit::derivation::Recorder;
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span};
use alias::{Aliases, Roots};
use context::wanted;
use scope::{Described, Entry, Scope, copied, of_names};

/// `⊢ b : (r, …, r)`
///
/// # Errors
/// The first rule that does not apply, with the premise that fails and the place.
pub fn check(program: &Program<Fun>, recorder: &mut Recorder<Rule>) -> Result<(), Rejected> {
    let aliases = Aliases::new(program.names.len());
    let mut check = Check::new(&program.names, recorder, aliases);
    check.t_prog(program)
}

/// A type `τ`: the sizes of an array, or none for an int.
type Shape<'a> = &'a [Atom];

fn shape(ty: &Ty) -> Shape<'_> {
    match ty {
        Ty::Int => &[],
        Ty::Array(sizes) => sizes,
    }
}

/// What a pattern wants of a result: its name and its type.
type Wanted<'a> = (Var, Shape<'a>);

/// The state of a check: `Γ`, and which arrays share elements.
type Check<'a, 'r> = Scope<'a, 'r, Rule, Shape<'a>, Aliases>;

pub(crate) type Checked<T = ()> = Result<T, Rejected>;

impl<'a> Check<'a, '_> {
    /// `T-PROG`, with parameters (extension)
    ///
    /// ```text
    /// Γ₀ = p̄        Γ₀ ⊢ (x₁ : r₁) ⋯ (xₙ : rₙ) ← b                             (consumed)
    /// ──────────────────────────────────────────────
    /// ⊢ p̄ b : (r₁, …, rₙ)
    /// ```
    ///
    /// Sizes of results are constants, parameters, scalars of the top level, or sizes that are
    /// returned beside the array: whatever is in scope where the result is. The run evaluates
    /// them.
    fn t_prog(&mut self, program: &'a Program<Fun>) -> Checked {
        self.by(Rule::TProg, String::new, |check| {
            for param in &program.params {
                check.t_param(param, program.body.span)?;
            }
            check.aliases.enter();
            check.stms(&program.body)?;
            for &result in &program.body.results {
                check.lookup(Rule::TProg, result, program.body.span)?;
            }
            Ok(())
        })
    }

    /// `T-PARAM` (extension)
    ///
    /// ```text
    /// Γ ⊢ y : int   for y ∈ FV(τ)                                                       (type)
    /// ───────────────────────────
    /// Γ ⊢ param (x : τ)
    /// ```
    fn t_param(&mut self, param: &'a Binding<Fun>, span: Span) -> Checked {
        self.by(
            Rule::TParam,
            || self.names.written(param.var).to_owned(),
            |check| {
                for &size in shape(&param.ty) {
                    check.int(Rule::TParam, size, span)?;
                }
                check.bind(param.var, shape(&param.ty), span)?;
                check.aliases.makes(param.var);
                Ok(())
            },
        )
    }

    /// Statements of a body, each by T-STM.
    fn stms(&mut self, body: &'a Body<Fun>) -> Checked {
        body.stms.iter().try_for_each(|stm| self.t_stm(stm))
    }

    /// `Γ ⊢ p̄ ← b`, for a body in its own scope; answers with the roots of the results.
    ///
    /// `enter` binds what the body sees besides `Γ`.
    fn body(
        &mut self,
        wanted: &[Wanted<'a>],
        body: &'a Body<Fun>,
        enter: impl FnOnce(&mut Self) -> Checked,
    ) -> Checked<Vec<Roots>> {
        enter(self)?;
        self.stms(body)?;
        let roots = self.t_result(wanted, &body.results, body.span)?;
        for binding in body.stms.iter().flat_map(|stm| &stm.pattern) {
            self.gamma[binding.var.slot()] = Entry::Left;
        }
        Ok(roots)
    }

    /// `T-STM`
    ///
    /// ```text
    /// Γ ⊢ let p̄ˢ = e        Γ, p̄ˢ ⊢ p̄ ← b
    /// ─────────────────────────────────────
    /// Γ ⊢ p̄ ← let p̄ˢ = e b
    /// ```
    fn t_stm(&mut self, stm: &'a Stm<Fun>) -> Checked {
        let names = self.names;
        self.by(
            Rule::TStm,
            || print::statement(names, stm),
            |check| match &stm.exp {
                Exp::Scalar(se) => check.t_scalar(stm, se),
                Exp::Index { array, index } => check.t_index(stm, *array, index),
                Exp::Slice { array, slice } => check.t_slice(stm, *array, slice),
                Exp::Transpose(array) => check.t_transpose(stm, *array),
                Exp::If { cond, then, orelse } => check.t_if(stm, *cond, then, orelse),
                Exp::Kernel { thread, count, body } => check.t_kernel(stm, *thread, *count, body),
                Exp::Loop { .. } => check.t_loop(stm),
                Exp::Update { array, slice, value } => check.t_update(stm, *array, slice, *value),
                Exp::Extra(never) => match *never {},
            },
        )
    }

    /// `T-CONST`, `T-VAR`, `T-OP`
    ///
    /// ```text
    ///                  (x : int) ∈ Γ         (type)      Γ ⊢ se₁ : int   Γ ⊢ se₂ : int
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

    /// `T-SCALAR`
    ///
    /// ```text
    /// Γ ⊢ se : int
    /// ─────────────────────────                                                   (pattern)
    /// Γ ⊢ let (x : int) = se
    /// ```
    fn t_scalar(&mut self, stm: &'a Stm<Fun>, se: &Se) -> Checked {
        self.by(Rule::TScalar, String::new, |check| {
            let int = matches!(stm.pattern[..], [Binding { ty: Ty::Int, .. }]);
            check.scalar(se, stm.span).map_err(|error| copied(se, int, error))?;
            let x = check.one_int(Rule::TScalar, stm)?;
            if let Se::Atom(atom) = se {
                check.equal[x.slot()] = Some(check.canonical(*atom));
            }
            Ok(())
        })
    }

    /// `T-INDEX`
    ///
    /// ```text
    /// (y : [z₁] ⋯ [zₙ]) ∈ Γ        (yᵢ : int) ∈ Γ  for i = 1, …, n   (consumed, type, rank)
    /// ─────────────────────────────────────────────────────────
    /// Γ ⊢ let (x : int) = y[y₁, …, yₙ]                                            (pattern)
    /// ```
    fn t_index(&mut self, stm: &'a Stm<Fun>, y: Var, index: &[Atom]) -> Checked {
        self.by(Rule::TIndex, String::new, |check| {
            let sizes = check.array(Rule::TIndex, y, stm.span)?;
            check.rank(Rule::TIndex, y, sizes, index.len(), stm.span)?;
            for &atom in index {
                check.int(Rule::TIndex, atom, stm.span)?;
            }
            check.one_int(Rule::TIndex, stm).map(drop)
        })
    }

    /// `T-SLICE`, with strides (extension)
    ///
    /// ```text
    /// (yᵢ : int) ∈ Γ  for i = 1, …, 2n    (x : [x₁] ⋯ [xₙ]) ∈ Γ      (consumed, type, rank)
    /// ─────────────────────────────────────────────────────────────
    /// Γ ⊢ let (z : [y₂] ⋯ [y₂ₙ]) = x[y₁ : y₂, …, y₂ₙ₋₁ : y₂ₙ]                (pattern, size)
    /// ```
    fn t_slice(&mut self, stm: &'a Stm<Fun>, x: Var, slice: &[Dim]) -> Checked {
        self.by(Rule::TSlice, String::new, |check| {
            check.slice(Rule::TSlice, stm, x, slice)?;
            let sizes: Vec<_> = slice.iter().map(|dim| dim.size).collect();
            check.one_array(Rule::TSlice, stm, &sizes)?;
            let roots = check.aliases.of(x);
            check.aliases.views(stm.pattern[0].var, roots);
            Ok(())
        })
    }

    /// `T-TRANSPOSE`
    ///
    /// ```text
    /// (x : [x₁][x₂]) ∈ Γ                                                    (consumed, rank)
    /// ──────────────────────────────────────
    /// Γ ⊢ let (y : [x₂][x₁]) = transpose x                                    (pattern, size)
    /// ```
    fn t_transpose(&mut self, stm: &'a Stm<Fun>, x: Var) -> Checked {
        self.by(Rule::TTranspose, String::new, |check| {
            let sizes = check.lookup(Rule::TTranspose, x.into(), stm.span)?;
            check.rank(Rule::TTranspose, x, sizes, 2, stm.span)?;
            check.one_array(Rule::TTranspose, stm, &[sizes[1], sizes[0]])?;
            let roots = check.aliases.of(x);
            check.aliases.views(stm.pattern[0].var, roots);
            Ok(())
        })
    }

    /// `T-IF`
    ///
    /// ```text
    /// (x : int) ∈ Γ        Γ ⊢ p̄ ← b₁        Γ ⊢ p̄ ← b₂
    /// (y : int) ∈ Γ, p̄   for y ∈ FV(p̄)                                                (type)
    /// ───────────────────────────────────────────────────
    /// Γ ⊢ let p̄ = if x then b₁ else b₂
    /// ```
    fn t_if(
        &mut self,
        stm: &'a Stm<Fun>,
        x: Atom,
        b1: &'a Body<Fun>,
        b2: &'a Body<Fun>,
    ) -> Checked {
        self.by(Rule::TIf, String::new, |check| {
            check.int(Rule::TIf, x, stm.span)?;
            let wanted = wanted(&stm.pattern);
            let since = check.aliases.branch();
            let then = check.body(&wanted, b1, |_| Ok(()))?;
            let undone = check.aliases.undo(since);
            let orelse = check.body(&wanted, b2, |_| Ok(()))?;
            check.aliases.redo(undone);
            check.bind_pattern(Rule::TIf, &stm.pattern, stm.span)?;
            for ((binding, then), orelse) in stm.pattern.iter().zip(then).zip(orelse) {
                let roots = check.aliases.either(then, orelse);
                check.aliases.views(binding.var, roots);
            }
            Ok(())
        })
    }

    /// `T-KERNEL`, with several results (extension)
    ///
    /// ```text
    /// (y : int) ∈ Γ        Γ, (x : int) ⊢ (z : τ) ← b
    /// (y' : int) ∈ Γ   for y' ∈ FV(τ)                                                 (type)
    /// ─────────────────────────────────────────────────
    /// Γ ⊢ let (z : [y]τ) = kernel x ≤ y do b                                  (pattern, size)
    /// ```
    fn t_kernel(&mut self, stm: &'a Stm<Fun>, x: Var, y: Atom, b: &'a Body<Fun>) -> Checked {
        self.by(Rule::TKernel, String::new, |check| {
            check.int(Rule::TKernel, y, stm.span)?;
            let mut inner: Vec<Wanted<'a>> = Vec::new();
            for binding in &stm.pattern {
                let Some((&outer, rest)) = shape(&binding.ty).split_first() else {
                    let name = check.names.written(binding.var);
                    let message = format!("a kernel gives arrays, but `{name}` is an int");
                    return check.fail(Rule::TKernel, "pattern", stm.span, message);
                };
                check.same_size(Rule::TKernel, outer, y, stm.span)?;
                for &size in rest {
                    check.int(Rule::TKernel, size, stm.span)?;
                }
                inner.push((binding.var, rest));
            }
            let around = check.aliases.enter();
            check.body(&inner, b, |check| check.bind(x, &[], stm.span))?;
            check.aliases.leave(around);
            check.gamma[x.slot()] = Entry::Left;
            for binding in &stm.pattern {
                check.bind(binding.var, shape(&binding.ty), stm.span)?;
                check.aliases.makes(binding.var);
            }
            Ok(())
        })
    }

    /// `T-LOOP` (extension)
    ///
    /// ```text
    /// (n : int) ∈ Γ        (z : int) ∈ Γ, p̄   for z ∈ FV(p̄)                           (type)
    /// Γ ⊢ p̄ ← in (y₁, …, yₖ)        Γ, p̄, (i : int) ⊢ p̄ ← b
    /// where p̄ = (x₁ : τ₁) ⋯ (xₖ : τₖ)
    /// ──────────────────────────────────────────────────────────────────────
    /// Γ ⊢ let p̄[x ↦ z] = loop (x₁ : τ₁ = y₁) ⋯ (xₖ : τₖ = yₖ) for i ≤ n do b  (pattern, size)
    /// ```
    fn t_loop(&mut self, stm: &'a Stm<Fun>) -> Checked {
        let Exp::Loop { carried, counter, count, body } = &stm.exp else {
            unreachable!("the judgement dispatches on the expression")
        };
        let span = stm.span;
        self.by(Rule::TLoop, String::new, |check| {
            check.int(Rule::TLoop, *count, span)?;
            let vars: Vec<Var> = carried.iter().map(|(binding, _)| binding.var).collect();
            let p: Vec<Wanted<'a>> =
                carried.iter().map(|(binding, _)| (binding.var, shape(&binding.ty))).collect();
            let inits: Vec<Atom> = carried.iter().map(|(_, init)| *init).collect();
            let init_roots = check.t_result(&p, &inits, span)?;
            let around = check.aliases.enter();
            let roots = check.body(&p, body, |check| {
                check.bind_all(Rule::TLoop, &p, span)?;
                vars.iter().for_each(|&var| check.aliases.makes(var));
                check.bind(*counter, &[], span)
            })?;
            check.aliases.leave(around);
            let roots = carried::after_loop(&vars, &init_roots, &roots);
            for var in vars.iter().chain([counter]) {
                check.gamma[var.slot()] = Entry::Left;
            }
            check.renamed(stm, &p)?;
            check.bind_pattern(Rule::TLoop, &stm.pattern, span)?;
            for (binding, roots) in stm.pattern.iter().zip(roots) {
                check.aliases.views(binding.var, roots);
            }
            Ok(())
        })
    }

    /// The pattern of a loop is what it carries, under other names.
    fn renamed(&mut self, stm: &'a Stm<Fun>, carried: &[Wanted<'a>]) -> Checked {
        let pattern = wanted(&stm.pattern);
        let alike = pattern.len() == carried.len()
            && pattern.iter().zip(carried).all(|((_, z), (_, x))| z.len() == x.len());
        if !alike {
            let message = "the pattern of a loop has the types of what the loop carries".to_owned();
            return self.fail(Rule::TLoop, "pattern", stm.span, message);
        }
        for ((z, _), (x, _)) in pattern.iter().zip(carried) {
            self.substitution[x.slot()] = Some((*z).into());
        }
        let pairs = pattern.iter().zip(carried).flat_map(|((_, z), (_, x))| z.iter().zip(*x));
        let pairs: Vec<_> = pairs.map(|(&z, &x)| (z, self.substitute(x))).collect();
        for (x, _) in carried {
            self.substitution[x.slot()] = None;
        }
        pairs.into_iter().try_for_each(|(z, x)| self.same_size(Rule::TLoop, z, x, stm.span))
    }

    /// `T-UPDATE` (extension)
    ///
    /// ```text
    /// (x : [x₁] ⋯ [xₙ]) ∈ Γ    (yᵢ : int) ∈ Γ  for i = 1, …, 2n       (consumed, type, rank)
    /// (w : [y₂] ⋯ [y₂ₙ]) ∈ Γ   or   (w : int) ∈ Γ                                     (size)
    /// x and what may share its elements were made in this kernel or loop body   (consumable)
    /// ───────────────────────────────────────────────────────────────────────────
    /// Γ ⊢ let (z : [x₁] ⋯ [xₙ]) = x with [y₁ : y₂, …, y₂ₙ₋₁ : y₂ₙ] = w        (pattern, size)
    /// ```
    ///
    /// After it `x` and what may share its elements is out of scope.
    fn t_update(&mut self, stm: &'a Stm<Fun>, x: Var, slice: &[Dim], w: Atom) -> Checked {
        self.by(Rule::TUpdate, String::new, |check| {
            let sizes = check.slice(Rule::TUpdate, stm, x, slice)?;
            let value = check.lookup(Rule::TUpdate, w, stm.span)?;
            if !value.is_empty() {
                let wants: Vec<_> = slice.iter().map(|dim| dim.size).collect();
                check.same_shape(Rule::TUpdate, value, &wants, stm.span)?;
            }
            if !check.aliases.consumable(x) {
                let name = check.names.written(x);
                let message = format!(
                    "`{name}` cannot be updated here: it, or an array that shares its elements, \
                     was made outside this kernel or loop body, or is a parameter"
                );
                return check.fail(Rule::TUpdate, "consumable", stm.span, message);
            }
            check.one_array(Rule::TUpdate, stm, sizes)?;
            let roots = check.aliases.of(x);
            check.aliases.consume(x, stm.span);
            check.aliases.views(stm.pattern[0].var, roots);
            Ok(())
        })
    }

    /// `T-RESULT`; answers with the roots of the results.
    ///
    /// ```text
    /// S = [y₁ ↦ x₁, …, yₙ ↦ xₙ]                                                       (arity)
    /// (xᵢ : S(τᵢ)) ∈ Γ   for i = 1, …, n                               (consumed, type, size)
    /// ─────────────────────────────────────────────
    /// Γ ⊢ (y₁ : τ₁) ⋯ (yₙ : τₙ) ← in (x₁, …, xₙ)
    /// ```
    fn t_result(
        &mut self,
        wanted: &[Wanted<'a>],
        results: &[Atom],
        span: Span,
    ) -> Checked<Vec<Roots>> {
        self.by(Rule::TResult, String::new, |check| {
            if wanted.len() != results.len() {
                let message = of_names(results.len(), wanted.len());
                return check.fail(Rule::TResult, "arity", span, message);
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

    fn results(
        &mut self,
        wanted: &[Wanted<'a>],
        results: &[Atom],
        span: Span,
    ) -> Checked<Vec<Roots>> {
        let mut roots = Vec::new();
        for ((y, wants), &x) in wanted.iter().zip(results) {
            let found = self.lookup(Rule::TResult, x, span)?;
            if found.len() != wants.len() {
                let (y, found, wants) = (self.names.written(*y), found.what(), wants.what());
                let message = format!("`{y}` is {wants}, but its result is {found}");
                return self.fail(Rule::TResult, "type", span, message);
            }
            for (&size, &found) in wants.iter().zip(found) {
                let size = self.substitute(size);
                self.same_size(Rule::TResult, found, size, span)?;
            }
            roots.push(x.var().map_or_else(Roots::none, |var| self.aliases.of(var)));
        }
        Ok(roots)
    }
}
