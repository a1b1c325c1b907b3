//! Evaluation of the statements that have no statements inside. One step each, and the same for
//! the big and the small steps.

use super::rules::Rule;
use super::syntax::{Kind, Stm, Ty};
use super::values::{Env, Path, Shared};
use crate::fun::print::scalar;
use crate::fun::syntax::Se;
use crate::kit::names::Var;
use crate::kit::outcome::{Cause, holds};
use crate::kit::run::Eval;
use crate::kit::text::Span;

impl Shared<'_> {
    /// A statement without statements inside, by the rule of its name.
    ///
    /// # Panics
    /// If it has some: those are the judgements' own.
    #[inline(always)]
    pub fn simple(&mut self, stm: &Stm, env: &mut Env, path: &Path) -> Eval {
        let span = stm.span;
        match &stm.kind {
            Kind::Skip => self.e_imp_skip(),
            Kind::Var(x, Ty::Int) => self.e_imp_dec_int(*x, env),
            Kind::Var(x, Ty::Mem) => self.e_imp_dec_mem(*x, env),
            Kind::Assign(x, se) => return self.e_imp_assign_int(span, *x, se, env, path),
            Kind::AssignMem(x, y) => return self.e_imp_assign_mem(span, *x, *y, env, path),
            Kind::Alloc(x, se) => return self.e_imp_alloc(span, *x, se, env, path),
            Kind::Read { into, block, offset } => {
                return self.e_imp_read(span, *into, (*block, offset), env, path);
            }
            Kind::Write { block, offset, value } => {
                return self.e_imp_write(span, (*block, offset), value, env, path);
            }
            Kind::Check { cause, operands } => {
                return self.e_imp_check(span, *cause, operands, env, path);
            }
            Kind::If { .. } | Kind::Kernel { .. } | Kind::For { .. } => {
                unreachable!("a statement with statements inside is not a simple one")
            }
        }
        Ok(())
    }

    /// `E-IMP-SKIP`
    ///
    /// ```text
    /// ───────────────────
    /// H; E ⊢ skip → H; E
    /// ```
    #[inline]
    fn e_imp_skip(&mut self) {
        self.state.recorder.enter(Rule::ESkip, || "skip".to_owned());
        self.state.recorder.leave(|| "H; E".to_owned());
    }

    /// `E-IMP-DEC-INT`
    ///
    /// ```text
    /// ──────────────────────────────────
    /// H; E ⊢ var x : int → H; E, x ↦ 0
    /// ```
    #[inline]
    fn e_imp_dec_int(&mut self, x: Var, env: &mut Env) {
        let names = self.state.names;
        self.state.recorder.enter(Rule::EDecInt, move || format!("var {} : int", names.text(x)));
        env.set_int(x, 0);
        self.state.recorder.leave(move || format!("{} ↦ 0", names.text(x)));
    }

    /// `E-IMP-DEC-MEM`
    ///
    /// ```text
    /// ──────────────────────────────────
    /// H; E ⊢ var x : mem → H; E, x ↦ ⊥
    /// ```
    #[inline]
    fn e_imp_dec_mem(&mut self, x: Var, env: &mut Env) {
        let names = self.state.names;
        self.state.recorder.enter(Rule::EDecMem, move || format!("var {} : mem", names.text(x)));
        env.set_block(x, None);
        self.state.recorder.leave(move || format!("{} ↦ ⊥", names.text(x)));
    }

    /// `E-IMP-ASSIGN-INT`
    ///
    /// ```text
    /// E(se) = k                                                    (division)
    /// ───────────────────────────
    /// H; E ⊢ x ← se → H; E, x ↦ k
    /// ```
    #[inline]
    fn e_imp_assign_int(
        &mut self,
        span: Span,
        x: Var,
        se: &Se,
        env: &mut Env,
        path: &Path,
    ) -> Eval {
        let names = self.state.names;
        self.state
            .recorder
            .enter(Rule::EAssignInt, move || format!("{} ← {}", names.text(x), scalar(names, se)));
        let k = self.int(Rule::EAssignInt, span, se, env, path)?;
        env.set_int(x, k);
        self.state.recorder.leave(move || format!("{} ↦ {k}", names.text(x)));
        Ok(())
    }

    /// `E-IMP-ASSIGN-MEM`
    ///
    /// ```text
    /// E(y) = ℓ                                                     (block)
    /// ──────────────────────────
    /// H; E ⊢ x ← y → H; E, x ↦ ℓ
    /// ```
    #[inline]
    fn e_imp_assign_mem(&mut self, span: Span, x: Var, y: Var, env: &mut Env, path: &Path) -> Eval {
        let names = self.state.names;
        self.state
            .recorder
            .enter(Rule::EAssignMem, move || format!("{} ← {}", names.text(x), names.text(y)));
        let Some(label) = env.block(y) else {
            return Err(self.stuck(Rule::EAssignMem, span, Cause::NoBlock, &[], path));
        };
        env.set_block(x, Some(label));
        self.state.recorder.leave(move || format!("{} ↦ {label}", names.text(x)));
        Ok(())
    }

    /// `E-IMP-ALLOC`
    ///
    /// ```text
    /// E(se) = k                                                    (division)
    /// k ≥ 0                                                        (size)
    /// ℓ fresh      H' = H, ℓ ↦ [0, …, 0] (k of them)
    /// ──────────────────────────────────────────────
    /// H; E ⊢ x ← alloc se → H'; E, x ↦ ℓ
    /// ```
    #[inline]
    fn e_imp_alloc(&mut self, span: Span, x: Var, se: &Se, env: &mut Env, path: &Path) -> Eval {
        let names = self.state.names;
        self.state.recorder.enter(Rule::EAlloc, move || {
            format!("{} ← alloc {}", names.text(x), scalar(names, se))
        });
        let k = self.exact(Rule::EAlloc, span, se, env, path)?;
        if !holds(Cause::NegativeSize, &[k]) {
            return Err(self.stuck(Rule::EAlloc, span, Cause::NegativeSize, &[k], path));
        }
        let label = self.alloc(x, k, path)?;
        env.set_block(x, Some(label));
        self.state.recorder.leave(move || format!("{} ↦ {label}, a block of {k}", names.text(x)));
        Ok(())
    }

    /// `E-IMP-READ`
    ///
    /// ```text
    /// E(se) = k                                                    (division)
    /// E(y) = ℓ                                                     (block)
    /// k is inside H(ℓ)                                             (inside)
    /// ──────────────────────────────────────
    /// H; E ⊢ x ← y[se] → H; E, x ↦ H[ℓ, k]
    /// ```
    #[inline]
    fn e_imp_read(
        &mut self,
        span: Span,
        x: Var,
        from: (Var, &Se),
        env: &mut Env,
        path: &Path,
    ) -> Eval {
        let names = self.state.names;
        self.state.recorder.enter(Rule::ERead, move || {
            format!("{} ← {}[{}]", names.text(x), names.text(from.0), scalar(names, from.1))
        });
        let (label, offset) = self.address(Rule::ERead, span, from, env, path)?;
        let k = self.read(span, (label, offset), path);
        self.looks(span, label, offset, path);
        env.set_int(x, k);
        self.state
            .recorder
            .leave(move || format!("{} ↦ H[{label}, {offset}] = {k}", names.text(x)));
        Ok(())
    }

    /// `E-IMP-WRITE`
    ///
    /// ```text
    /// E(seⱼ) = j      E(seᵢ) = i                                   (division)
    /// E(x) = ℓ                                                     (block)
    /// i is inside H(ℓ)                                             (inside)
    /// ───────────────────────────────────────
    /// H; E ⊢ x[seᵢ] ← seⱼ → H[ℓ, i] ↦ j; E
    /// ```
    #[inline]
    fn e_imp_write(
        &mut self,
        span: Span,
        to: (Var, &Se),
        value: &Se,
        env: &Env,
        path: &Path,
    ) -> Eval {
        let names = self.state.names;
        self.state.recorder.enter(Rule::EWrite, move || {
            format!("{}[{}] ← {}", names.text(to.0), scalar(names, to.1), scalar(names, value))
        });
        let k = self.int(Rule::EWrite, span, value, env, path)?;
        let (label, offset) = self.address(Rule::EWrite, span, to, env, path)?;
        self.write(span, (label, offset), k, path);
        self.state.recorder.leave(move || format!("H[{label}, {offset}] ↦ {k}"));
        Ok(())
    }

    /// `E-IMP-CHECK`
    ///
    /// ```text
    /// E(se₁) = k₁  ⋯  E(seₙ) = kₙ                                  (division)
    /// cause holds for k₁, …, kₙ                                    (cause)
    /// ─────────────────────────────────────
    /// H; E ⊢ check cause(se₁, …, seₙ) → H; E
    /// ```
    #[inline]
    fn e_imp_check(
        &mut self,
        span: Span,
        cause: Cause,
        operands: &[Se],
        env: &Env,
        path: &Path,
    ) -> Eval {
        let names = self.state.names;
        self.state.recorder.enter(Rule::ECheck, move || {
            let operands: Vec<String> = operands.iter().map(|se| scalar(names, se)).collect();
            format!("check {}({})", cause.name(), operands.join(", "))
        });
        let mut values = [0; 4];
        for (value, se) in values.iter_mut().zip(operands) {
            *value = self.exact(Rule::ECheck, span, se, env, path)?;
        }
        let values = &values[..operands.len()];
        if !holds(cause, values) {
            return Err(self.stuck(Rule::ECheck, span, cause, values, path));
        }
        self.state.recorder.leave(|| "H; E".to_owned());
        Ok(())
    }
}
