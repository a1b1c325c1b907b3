//! Rules of the host's statements, of parameters and of results.

use super::{Check, Checked, integer};
use crate::device::print;
use crate::device::rules::Rule;
use crate::device::syntax::{
    BOOL, Copy, Element, Exp, Given, Host, HostBlock, I32, If, Launch, Loop, Output, Param,
    Program, Sc, Shown, Stm, Strided, Ty,
};
use crate::device::types::{Bound, Context, Typed, wrong};
use crate::kit::names::Var;
use std::collections::HashSet;

impl<'p> Check<'p> {
    /// Parameters, the host's statements, results.
    pub(super) fn t_host(&mut self) -> Checked {
        let program = self.types.program;
        self.types.context = Context::Host;
        let bools =
            program.params.iter().filter(|param| matches!(param.given, Given::Scalar(Sc::Bool)));
        let bools: HashSet<Var> = bools.map(|param| param.var).collect();
        for param in &program.params {
            let text = |program: &Program| print::parameter(program, param);
            self.by(Rule::TParam, text, |to| to.t_param(param, &bools))?;
        }
        for stm in &program.host {
            self.host_stm(stm)?;
        }
        program.results.iter().try_for_each(|output| {
            let text = |program: &Program| print::result(program, output);
            self.by(Rule::TResult, text, |to| to.t_result(output))
        })
    }

    /// `D-T-PARAM`
    ///
    /// ```text
    /// ⟦bool⟧ = i32      ⟦T⟧ = T for the other scalar types T
    /// nᵢ is a literal of i32 or an earlier parameter of i32, or k = 1 and n₁ is length(x)      k ≥ 1  (type)
    /// ──────────────────────────────────────────────────────────────────────────────────────────
    /// Γ ⊢ param x : T[n₁]⋯[nₖ] ⊣ Γ, x : block[⟦T⟧]      Γ ⊢ param x : T ⊣ Γ, x : ⟦T⟧
    ///
    /// N has no function, since nobody could give one                                        (type)
    /// ──────────────────────────────────────────────────────────────────────────────────────────
    /// Γ ⊢ param x : words N ⊣ Γ, x : block[i32]
    /// ```
    ///
    /// `bools` are the parameters of bool: they are of i32 in the program, and no sizes.
    fn t_param(&mut self, param: &'p Param, bools: &HashSet<Var>) -> Checked {
        self.declared(param.var);
        match &param.given {
            Given::Scalar(_) => {}
            Given::Array(_, shape) => self.t_sizes(param, shape, bools)?,
            Given::Words(nested) if nested.has_function() => {
                return wrong(Rule::TParam, "type", "no parameter is a function, or has one");
            }
            Given::Words(_) => {}
        }
        self.bind(param.var, Bound::Value(Typed::of_param(param)))
    }

    fn t_sizes(&mut self, param: &'p Param, shape: &'p [Exp], bools: &HashSet<Var>) -> Checked {
        let known = shape.iter().all(|size| match size {
            Exp::Lit(_) => true,
            Exp::Var(var) => !bools.contains(var),
            _ => false,
        });
        let any = param.is_of_any_length();
        if !known && !any || shape.is_empty() {
            return wrong(Rule::TParam, "type", "sizes are literals or earlier parameters of i32");
        }
        shape.iter().filter(|_| !any).try_for_each(|size| self.of_type(Rule::TParam, size, &I32))
    }

    /// `D-T-RESULT`
    ///
    /// ```text
    /// Γ ⊢ e : ⟦T⟧, or Γ ⊢ e : block[⟦T⟧] or block[atomic[⟦T⟧]], each Γ ⊢ nᵢ : i32, and o and
    ///   each sᵢ an integer, one for each of k ≥ 1 dimensions                           (type)
    /// ─────────────────────────────────────────────────────────────────────────────────────
    /// Γ ⊢ result e : T      Γ ⊢ result e : T[n₁]⋯[nₖ] at o strides (s₁, …, sₖ)
    ///
    /// Γ ⊢ e : block[i32] or block[atomic[i32]]                                           (type)
    /// ─────────────────────────────────────────────────────────────────────────────────────
    /// Γ ⊢ result e : words N
    /// ```
    ///
    /// ⟦T⟧ is as in `D-T-PARAM`.
    fn t_result(&mut self, output: &Output) -> Checked {
        self.span = output.span;
        match &output.shown {
            Shown::Scalar(sc, exp) => self.typed(Rule::TResult, exp, Typed::Scalar(sc.inside())),
            Shown::Words(_, block) => self.t_shown(block, Sc::I32),
            Shown::Array { sc, block, shape, offset, strides } => {
                self.t_shown(block, sc.inside())?;
                if shape.is_empty() || shape.len() != strides.len() {
                    let message = "an array has sizes, and a stride for each";
                    return wrong(Rule::TResult, "type", message);
                }
                for size in shape {
                    self.of_type(Rule::TResult, size, &I32)?;
                }
                self.integer(Rule::TResult, offset)?;
                strides.iter().try_for_each(|stride| self.integer(Rule::TResult, stride))
            }
        }
    }

    fn t_shown(&mut self, block: &Exp, sc: Sc) -> Checked {
        if self.of_block(Rule::TResult, block)?.sc() != sc {
            let message = format!("a block of {} is wanted", print::scalar(sc));
            return wrong(Rule::TResult, "type", message);
        }
        Ok(())
    }

    fn integer(&mut self, rule: Rule, exp: &Exp) -> Checked {
        let ty = self.types.exp(exp)?;
        if !integer(ty) {
            return wrong(rule, "type", format!("{} is no integer", self.types.said(ty)));
        }
        Ok(())
    }

    fn of_block(&mut self, rule: Rule, exp: &Exp) -> Checked<Element> {
        match self.types.exp(exp)? {
            Typed::Block(element) => Ok(element),
            ty => wrong(rule, "type", format!("{} is no block", self.types.said(ty))),
        }
    }

    fn host_block(&mut self, body: &'p HostBlock) -> Checked {
        self.scoped(|check| body.iter().try_for_each(|stm| check.host_stm(stm)))
    }

    fn host_stm(&mut self, stm: &'p Stm<Host>) -> Checked {
        self.span = stm.span;
        let text = |program: &Program| print::host_statement(program, &stm.kind);
        match &stm.kind {
            Host::Let(var, ty, exp) => self.by(Rule::TLet, text, |to| to.t_host_let(*var, ty, exp)),
            Host::Assign(pairs) => self.by(Rule::TAssign, text, |to| to.t_assign(pairs)),
            Host::Alloc { block, element, size } => {
                self.by(Rule::TAlloc, text, |to| to.t_alloc(*block, *element, size))
            }
            Host::Free(block) => self.by(Rule::TFree, text, |to| to.t_free(block)),
            Host::Launch(launch) => self.by(Rule::TLaunch, text, |to| to.t_launch(launch)),
            Host::Copy(copy) => self.by(Rule::TCopy, text, |to| to.t_copy(copy)),
            Host::Read { into, block, offset } => {
                self.by(Rule::TRead, text, |to| to.t_read(*into, block, offset))
            }
            Host::Write { block, offset, value } => {
                self.by(Rule::TWrite, text, |to| to.t_write(block, offset, value))
            }
            Host::If(branch) => self.by(Rule::TIf, text, |to| to.t_host_if(branch)),
            Host::Loop(rounds) => self.by(Rule::TLoop, text, |to| to.t_host_loop(rounds)),
            Host::Check(check) => self.by(Rule::TCheck, text, |to| to.t_check(check)),
            Host::Par(par) => self.by(Rule::TPar, text, |to| to.t_par(par)),
        }
    }

    /// `D-T-LET` on the host, for scalars and blocks.
    fn t_host_let(&mut self, var: Var, ty: &'p Ty, exp: &Exp) -> Checked {
        if !matches!(ty, Ty::Scalar(_) | Ty::Block(_)) {
            let message = format!("the host has no {}", self.types.said(Typed::of(ty)));
            return wrong(Rule::TLet, "type", message);
        }
        self.of_type(Rule::TLet, exp, ty)?;
        self.bind(var, Bound::Value(Typed::of(ty)))
    }

    /// `D-T-ALLOC`
    ///
    /// ```text
    /// Γ ⊢ e : i32, u32 or i64      ⊢ block[T]                    (type)
    /// ─────────────────────────────────────────────────────────────────
    /// Γ ⊢ x = alloc T(e) ⊣ Γ, x : block[T]
    /// ```
    fn t_alloc(&mut self, var: Var, element: Element, size: &Exp) -> Checked {
        self.integer(Rule::TAlloc, size)?;
        self.bind(var, Bound::Value(Typed::Block(element)))
    }

    /// `D-T-FREE`
    ///
    /// ```text
    /// Γ ⊢ e : block[T]                          (type)
    /// ────────────────────────────────────────────────
    /// Γ ⊢ free e ⊣ Γ
    /// ```
    fn t_free(&mut self, block: &Exp) -> Checked {
        self.of_block(Rule::TFree, block)?;
        Ok(())
    }

    /// `D-T-READ`
    ///
    /// ```text
    /// Γ ⊢ e : block[T] or block[atomic[T]]      Γ ⊢ e' : i32, u32 or i64      (type)
    /// ─────────────────────────────────────────────────────────────────
    /// Γ ⊢ x = read e[e'] ⊣ Γ, x : T
    /// ```
    ///
    /// No kernel runs while the host does, so it reads and writes atomics as it does the rest.
    fn t_read(&mut self, into: Var, block: &Exp, offset: &Exp) -> Checked {
        let sc = self.of_block(Rule::TRead, block)?.sc();
        self.integer(Rule::TRead, offset)?;
        self.bind(into, Bound::Value(Typed::Scalar(sc)))
    }

    /// `D-T-WRITE`
    ///
    /// ```text
    /// Γ ⊢ e : block[T] or block[atomic[T]]      Γ ⊢ e' : i32, u32 or i64      Γ ⊢ e'' : T   (type)
    /// ───────────────────────────────────────────────────────────────────────────
    /// Γ ⊢ write e[e'] = e'' ⊣ Γ
    /// ```
    fn t_write(&mut self, block: &Exp, offset: &Exp, value: &Exp) -> Checked {
        let sc = self.of_block(Rule::TWrite, block)?.sc();
        self.integer(Rule::TWrite, offset)?;
        self.typed(Rule::TWrite, value, Typed::Scalar(sc))
    }

    /// `D-T-ASSIGN`
    ///
    /// ```text
    /// xᵢ : τᵢ ∈ Γ      no two of them the same  (once)      Γ ⊢ eᵢ : τᵢ  (type)
    /// ───────────────────────────────────────────────────────────────
    /// Γ ⊢ x₁, … = e₁, … ⊣ Γ
    /// ```
    fn t_assign(&mut self, pairs: &[(Var, Exp)]) -> Checked {
        for (i, (var, exp)) in pairs.iter().enumerate() {
            if pairs[..i].iter().any(|(other, _)| other == var) {
                return wrong(Rule::TAssign, "once", "a variable is assigned twice at once");
            }
            let ty = self.types.t_var(*var)?;
            self.typed(Rule::TAssign, exp, ty)?;
        }
        Ok(())
    }

    /// `D-T-LAUNCH`
    ///
    /// ```text
    /// k is a kernel  (kernel)      as many arguments as parameters  (arity)
    /// Γ ⊢ eᵢ : τᵢ      Γ ⊢ n : an integer  (type)
    /// b is a block of atomic u32, given exactly if k has records  (record)
    /// ─────────────────────────────────────────────────────
    /// Γ ⊢ launch k(e₁, …) for n record b ⊣ Γ
    /// ```
    fn t_launch(&mut self, launch: &Launch) -> Checked {
        let Some(kernel) = self.types.program.kernels.get(launch.kernel as usize) else {
            return wrong(Rule::TLaunch, "kernel", format!("no kernel {}", launch.kernel));
        };
        if launch.args.len() != kernel.params.len() {
            let message = format!("`{}` takes {} arguments", kernel.name, kernel.params.len());
            return wrong(Rule::TLaunch, "arity", message);
        }
        for (arg, (_, ty)) in launch.args.iter().zip(&kernel.params) {
            self.of_type(Rule::TLaunch, arg, ty)?;
        }
        self.integer(Rule::TLaunch, &launch.count)?;
        let record = match &launch.record {
            Some(record) => Some(self.types.exp(record)?),
            None => None,
        };
        let wanted = kernel.record.map(|_| Typed::Block(Element::Atomic(Sc::U32)));
        if record != wanted {
            let message = match wanted {
                Some(_) => "the kernel writes records: a block of atomic u32 is wanted",
                None => "the kernel writes no records",
            };
            return wrong(Rule::TLaunch, "record", message);
        }
        Ok(())
    }

    /// `D-T-COPY`
    ///
    /// ```text
    /// as many strides as sizes, and some  (arity)
    /// both blocks have elements of one type, atomic or not, the rest are integers  (type)
    /// ──────────────────────────────────────────────────────
    /// Γ ⊢ copy (n₁, …) from b.[o] strides (s₁, …) to c.[p] strides (t₁, …) ⊣ Γ
    /// ```
    fn t_copy(&mut self, copy: &'p Copy) -> Checked {
        let Copy { sizes, from: source, to: target } = copy;
        for side in [source, target] {
            if sizes.is_empty() || sizes.len() != side.strides.len() {
                let message = format!("{} sizes and {} strides", sizes.len(), side.strides.len());
                return wrong(Rule::TCopy, "arity", message);
            }
        }
        let from = self.of_block(Rule::TCopy, &source.block)?.sc();
        let to = self.of_block(Rule::TCopy, &target.block)?.sc();
        if from != to {
            return wrong(
                Rule::TCopy,
                "type",
                format!("from {} to {}", print::scalar(from), print::scalar(to)),
            );
        }
        let of_side = |side: &'p Strided| side.strides.iter().chain([&side.offset]);
        let sizes = sizes.iter().map(|size| &size.exp);
        sizes
            .chain(of_side(source))
            .chain(of_side(target))
            .try_for_each(|exp| self.integer(Rule::TCopy, exp))
    }

    /// `D-T-IF` on the host.
    fn t_host_if(&mut self, branch: &'p If<Host>) -> Checked {
        self.of_type(Rule::TIf, &branch.cond, &BOOL)?;
        self.host_block(&branch.then)?;
        self.host_block(&branch.orelse)
    }

    /// `D-T-LOOP` on the host.
    fn t_host_loop(&mut self, rounds: &'p Loop<Host>) -> Checked {
        self.loop_head(rounds)?;
        let span = self.span;
        self.scoped(|check| {
            rounds.body.iter().try_for_each(|stm| check.host_stm(stm))?;
            check.span = span;
            check.loop_next(rounds)
        })
    }
}
