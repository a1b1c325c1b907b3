//! The type rules of IMP, which the paper elides: every name is declared before it is used, and
//! is an int or a block.

use super::rules::Rule;
use super::syntax::{Kind, Output, Program, Stm, Ty};
use crate::fun::syntax::{Atom, Se};
use crate::kit::derivation::Recorder;
use crate::kit::names::{Names, Var};
use crate::kit::rules::Roll;
use crate::kit::text::{Rejected, Span};

type Judged = Result<(), Rejected>;

/// `⊢ p`, rule `T-IMP-PROG`: is the program well typed?
///
/// ```text
/// Γ = x̄ : τ̄ of the parameters      Γ ⊢ s̄ ⊣ Γ'      Γ' ⊢ results
/// ──────────────────────────────────────────────────────────────
/// ⊢ param (x̄ : τ̄) s̄ results
/// ```
///
/// # Errors
/// The rule and the premise that fail first.
pub fn check(program: &Program, recorder: &mut Recorder<Rule>) -> Judged {
    recorder.enter(Rule::TProg, || "the program".to_owned());
    let n = program.names.len();
    let types = vec![None; n];
    let mut typing = Typing { names: &program.names, types, order: Vec::new(), recorder };
    for param in &program.params {
        typing.t_imp_param(param.var, param.shape.as_deref())?;
    }
    typing.sequence(&program.body)?;
    for output in &program.results {
        typing.t_imp_result(output)?;
    }
    recorder.leave(|| "well typed".to_owned());
    Ok(())
}

/// `Γ`, by slot, and how to leave a scope.
struct Typing<'a> {
    names: &'a Names,
    types: Vec<Option<Ty>>,
    order: Vec<Var>,
    recorder: &'a mut Recorder<Rule>,
}

impl Typing<'_> {
    /// `premise` of `rule` fails for the name.
    fn reject(&mut self, rule: Rule, premise: &'static str, span: Span, what: String) -> Rejected {
        self.recorder.fail(rule, premise);
        Rejected::new(span, what, "in this statement").by_rule(rule.info().name, premise)
    }

    fn bind(&mut self, var: Var, ty: Ty) {
        self.types[var.slot()] = Some(ty);
        self.order.push(var);
    }

    /// `(x : τ) ∈ Γ`
    fn name(&mut self, rule: Rule, span: Span, var: Var, ty: Ty) -> Judged {
        let text = self.names.written(var);
        match self.types[var.slot()] {
            None => Err(self.reject(rule, "scope", span, format!("`{text}` is not declared here"))),
            Some(have) if have != ty => {
                let (is, wanted) = match ty {
                    Ty::Int => ("a block", "an int"),
                    Ty::Mem => ("an int", "a block"),
                };
                let what = format!("`{text}` is {is}, and {wanted} is wanted");
                Err(self.reject(rule, "type", span, what))
            }
            Some(_) => Ok(()),
        }
    }

    fn by(
        &mut self,
        rule: Rule,
        subject: &str,
        within: impl FnOnce(&mut Self) -> Judged,
    ) -> Judged {
        self.recorder.enter(rule, || subject.to_owned());
        within(self)?;
        self.recorder.leave(String::new);
        Ok(())
    }

    /// `T-IMP-PARAM`
    ///
    /// ```text
    /// (zᵢ : int) ∈ Γ                                               (scope, type)
    /// ───────────────────────────────────────────────────────
    /// Γ ⊢ (x : int) ⊣ Γ, x : int      Γ ⊢ (x : mem [z̄]) ⊣ Γ, x : mem
    /// ```
    fn t_imp_param(&mut self, var: Var, shape: Option<&[Atom]>) -> Judged {
        let rule = Rule::TParam;
        self.by(rule, self.names.written(var), |typing| {
            for size in shape.unwrap_or_default().iter().filter_map(|size| size.var()) {
                typing.name(rule, Span::default(), size, Ty::Int)?;
            }
            typing.bind(var, if shape.is_some() { Ty::Mem } else { Ty::Int });
            Ok(())
        })
    }

    /// `T-IMP-RESULT`
    ///
    /// ```text
    /// (m : mem) ∈ Γ      (zᵢ : int) ∈ Γ                            (scope, type)
    /// as many strides as sizes                                     (rank)
    /// Γ ⊢ se : int      Γ ⊢ sᵢ : int
    /// ──────────────────────────────────────────────────
    /// Γ ⊢ (m : [z̄] @ se + {(z : s)⋯})      Γ ⊢ (x), for an int x
    /// ```
    fn t_imp_result(&mut self, output: &Output) -> Judged {
        let (rule, span) = (Rule::TResult, Span::default());
        self.by(rule, "a result", |typing| match output {
            Output::Int(Atom::Var(var)) => typing.name(rule, span, *var, Ty::Int),
            Output::Int(Atom::Const(_)) => Ok(()),
            Output::Array { block, shape, offset, strides } => {
                typing.name(rule, span, *block, Ty::Mem)?;
                for size in shape.iter().filter_map(|size| size.var()) {
                    typing.name(rule, span, size, Ty::Int)?;
                }
                if shape.len() != strides.len() {
                    let (sizes, strides) = (shape.len(), strides.len());
                    let what = format!("a result has {sizes} sizes and {strides} strides");
                    return Err(typing.reject(rule, "rank", span, what));
                }
                typing.scalar(span, offset)?;
                strides.iter().try_for_each(|stride| typing.scalar(span, stride))
            }
        })
    }

    /// `Γ ⊢ s; s ⊣ Γ'`
    fn sequence(&mut self, stms: &[Stm]) -> Judged {
        stms.iter().try_for_each(|stm| self.stm(stm))
    }

    /// `Γ ⊢ s` where what `s` declares is in scope in `s` only.
    fn scoped(&mut self, own: Option<Var>, stms: &[Stm]) -> Judged {
        let outer = self.order.len();
        if let Some(var) = own {
            self.bind(var, Ty::Int);
        }
        self.sequence(stms)?;
        for var in self.order.drain(outer..) {
            self.types[var.slot()] = None;
        }
        Ok(())
    }

    /// `T-IMP-CONST`, `T-IMP-VAR`, `T-IMP-OP`
    ///
    /// ```text
    ///                  (x : int) ∈ Γ (scope, type)      Γ ⊢ se₁ : int   Γ ⊢ se₂ : int
    /// ───────────      ─────────────                    ─────────────────────────────
    /// Γ ⊢ k : int      Γ ⊢ x : int                      Γ ⊢ se₁ ⊕ se₂ : int
    /// ```
    fn scalar(&mut self, span: Span, se: &Se) -> Judged {
        match se {
            Se::Atom(Atom::Const(_)) => self.by(Rule::TConst, "a number", |_| Ok(())),
            Se::Atom(Atom::Var(var)) => self.by(Rule::TVar, self.names.written(*var), |typing| {
                typing.name(Rule::TVar, span, *var, Ty::Int)
            }),
            Se::Bin(_, ab) => self.by(Rule::TOp, "an operator", |typing| {
                ab.iter().try_for_each(|operand| typing.scalar(span, operand))
            }),
        }
    }

    /// `Γ ⊢ s ⊣ Γ'`, one arm for each rule:
    ///
    /// ```text
    /// T-IMP-SKIP         Γ ⊢ skip ⊣ Γ
    /// T-IMP-DEC          Γ ⊢ var x : τ ⊣ Γ, x : τ
    /// T-IMP-ASSIGN-INT   Γ ⊢ x ← se ⊣ Γ          if (x : int) ∈ Γ and Γ ⊢ se : int
    /// T-IMP-ASSIGN-MEM   Γ ⊢ x ← y ⊣ Γ           if (x : mem) ∈ Γ and (y : mem) ∈ Γ
    /// T-IMP-ALLOC        Γ ⊢ x ← alloc se ⊣ Γ    if (x : mem) ∈ Γ and Γ ⊢ se : int
    /// T-IMP-READ         Γ ⊢ x ← y[se] ⊣ Γ       if (x : int), (y : mem) ∈ Γ and Γ ⊢ se : int
    /// T-IMP-WRITE        Γ ⊢ x[se] ← se' ⊣ Γ     if (x : mem) ∈ Γ and Γ ⊢ se, se' : int
    /// T-IMP-IF           Γ ⊢ if x then s else s' fi ⊣ Γ        if Γ ⊢ x : int, Γ ⊢ s and Γ ⊢ s'
    /// T-IMP-KERNEL       Γ ⊢ kernel x ≤ se do s done ⊣ Γ   if Γ ⊢ se : int and Γ, x : int ⊢ s
    /// T-IMP-FOR          Γ ⊢ for x ≤ se do s done ⊣ Γ      likewise
    /// T-IMP-CHECK        Γ ⊢ check c(se₁, …, seₙ) ⊣ Γ     if Γ ⊢ seᵢ : int, c can be tested
    ///                                                     (cause) and takes n operands (arity)
    /// ```
    fn stm(&mut self, stm: &Stm) -> Judged {
        let span = stm.span;
        match &stm.kind {
            Kind::Skip => self.by(Rule::TSkip, "skip", |_| Ok(())),
            Kind::Var(x, ty) => self.by(Rule::TDec, self.names.written(*x), |typing| {
                typing.bind(*x, *ty);
                Ok(())
            }),
            Kind::Assign(x, se) => self.by(Rule::TAssignInt, self.names.written(*x), |typing| {
                typing.name(Rule::TAssignInt, span, *x, Ty::Int)?;
                typing.scalar(span, se)
            }),
            Kind::AssignMem(x, y) => self.by(Rule::TAssignMem, self.names.written(*x), |typing| {
                typing.name(Rule::TAssignMem, span, *x, Ty::Mem)?;
                typing.name(Rule::TAssignMem, span, *y, Ty::Mem)
            }),
            Kind::Alloc(x, se) => self.by(Rule::TAlloc, self.names.written(*x), |typing| {
                typing.name(Rule::TAlloc, span, *x, Ty::Mem)?;
                typing.scalar(span, se)
            }),
            Kind::Read { into, block, offset } => {
                self.by(Rule::TRead, self.names.written(*into), |typing| {
                    typing.name(Rule::TRead, span, *into, Ty::Int)?;
                    typing.name(Rule::TRead, span, *block, Ty::Mem)?;
                    typing.scalar(span, offset)
                })
            }
            Kind::Write { block, offset, value } => {
                self.by(Rule::TWrite, self.names.written(*block), |typing| {
                    typing.name(Rule::TWrite, span, *block, Ty::Mem)?;
                    typing.scalar(span, offset)?;
                    typing.scalar(span, value)
                })
            }
            Kind::If { cond, then, orelse } => self.by(Rule::TIf, "if", |typing| {
                typing.scalar(span, &Se::Atom(*cond))?;
                typing.scoped(None, then)?;
                typing.scoped(None, orelse)
            }),
            Kind::Kernel { thread, count, body } => {
                self.by(Rule::TKernel, self.names.written(*thread), |typing| {
                    typing.scalar(span, count)?;
                    typing.scoped(Some(*thread), body)
                })
            }
            Kind::For { counter, count, body } => {
                self.by(Rule::TFor, self.names.written(*counter), |typing| {
                    typing.scalar(span, count)?;
                    typing.scoped(Some(*counter), body)
                })
            }
            Kind::Check { cause, operands } => self.by(Rule::TCheck, cause.name(), |typing| {
                let (name, want, have) = (cause.name(), cause.operands().len(), operands.len());
                if !Rule::ECheck.info().premises().contains(&name) {
                    let what = format!("`{name}` is not a cause that a `check` can test");
                    return Err(typing.reject(Rule::TCheck, "cause", span, what));
                }
                if want != have {
                    let what = format!("`{name}` takes {want} operands, not {have}");
                    return Err(typing.reject(Rule::TCheck, "arity", span, what));
                }
                operands.iter().try_for_each(|se| typing.scalar(span, se))
            }),
        }
    }
}
