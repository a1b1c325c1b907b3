//! `P | Γ ⊢ e : τ`, one rule a function.

use super::{Entry, Goal, Infer, Inferred, Variable};
use crate::kit::faults::WrongMinias;
use crate::kit::names::Var;
use crate::kit::scalar::BinOp;
use crate::kit::text::{Rejected, Span};
use crate::minias::print;
use crate::minias::rows::{Because, Clash, Origin, Pointer, Row, Ty};
use crate::minias::rules::Rule;
use crate::minias::syntax::{Exp, Kind, Op, Space, Spaces, Type, UnOp};
use crate::minias::types::{Mode, More, Note};
use std::rc::Rc;

impl Infer<'_, '_> {
    /// The type of an expression, which is noted before what is inferred of its parts.
    pub(super) fn exp(&mut self, exp: &Exp) -> Inferred<Ty> {
        let at = self.notes.len();
        self.notes.push(Note { span: exp.span, ty: Ty::Void, more: More::Nothing });
        let ty = self.rule(exp)?;
        self.notes[at].ty = ty.clone();
        Ok(ty)
    }

    fn rule(&mut self, exp: &Exp) -> Inferred<Ty> {
        match &exp.kind {
            Kind::Int(_) => self.by(Rule::TInt, exp, |_| Ok(Ty::Int)),
            Kind::Builtin(_) => self.by(Rule::TBuiltin, exp, |_| Ok(Ty::Int)),
            Kind::Null => self.by(Rule::TNull, exp, |infer| {
                let row = Row::var(infer.rows.fresh());
                Ok(Ty::pointer(row, false, infer.rows.fresh_type()))
            }),
            Kind::Var(var) => self.by(Rule::TVar, exp, |infer| infer.t_var(*var, exp.span)),
            Kind::Unary(op, part) => self.by(Rule::TOp, exp, |infer| infer.t_unary(*op, part)),
            Kind::Binary(op, left, right) => self.t_binary(*op, exp, left, right),
            Kind::Load(part) => self.by(Rule::TLoad, exp, |infer| {
                let ty = infer.exp(part)?;
                Ok(infer.pointer(&ty, part, Rule::TLoad)?.to.clone())
            }),
            Kind::Address(place) => self.by(Rule::TAddress, exp, |infer| infer.t_address(place)),
            Kind::Cond(parts) => self.by(Rule::TCond, exp, |infer| infer.t_cond(parts)),
            Kind::Call(name, args) => {
                self.by(Rule::TApp, exp, |infer| infer.t_app(*name, args, exp.span))
            }
            Kind::Cast(target, part) => {
                self.by(Rule::TCast, exp, |infer| infer.t_cast(target, part))
            }
            Kind::Dynamic(target, part) => {
                self.by(Rule::TDynamic, exp, |infer| infer.t_dynamic(target, part))
            }
        }
    }

    /// `T-VAR`: `(x : σ) ∈ Γ` (scope)
    fn t_var(&mut self, var: Var, span: Span) -> Inferred<Ty> {
        match &self.entries[var.slot()] {
            Entry::Variable(variable) => {
                let ty = variable.ty.clone();
                Ok(if self.is_wrong(WrongMinias::LocalsGeneralised) {
                    self.renewed(&ty)
                } else {
                    ty
                })
            }
            _ => {
                let message = format!("`{}` is a function, no variable", self.name(var));
                let refused = Rejected::new(span, message, "not called").help("call it, `f(e)`");
                self.refuse(Rule::TVar, "scope", refused)
            }
        }
    }

    /// A planted fault: the type, with a row of its own.
    fn renewed(&mut self, ty: &Ty) -> Ty {
        let Ty::Pointer(pointer) = self.rows.shape(ty) else { return ty.clone() };
        let Row { names, end: Some(_) } = self.rows.row(pointer.row) else { return ty.clone() };
        let end = Some(self.rows.fresh());
        Ty::pointer(Row { names, end }, pointer.written, pointer.to.clone())
    }

    /// `T-OP` of one operand, which is an int; of `!` any condition.
    fn t_unary(&mut self, op: UnOp, part: &Exp) -> Inferred<Ty> {
        let ty = self.exp(part)?;
        let right = self.is_int(&ty) || op == UnOp::Not && self.is_condition(&ty);
        if right {
            return Ok(Ty::Int);
        }
        let wanted = if op == UnOp::Not { "an int or a pointer" } else { "an int" };
        let what = format!("`{}` takes {wanted}", op.text());
        self.wrong_operand(Rule::TOp, &what, &ty, part)
    }

    /// `e ⊕ e`, of ints or of pointers.
    fn t_binary(&mut self, op: Op, exp: &Exp, left: &Exp, right: &Exp) -> Inferred<Ty> {
        let Op::Scalar(scalar) = op else {
            return self.by(Rule::TOp, exp, |infer| {
                for part in [left, right] {
                    let ty = infer.exp(part)?;
                    if !infer.is_condition(&ty) {
                        let what = format!("`{}` takes ints and pointers", print::infix(op).0);
                        return infer.wrong_operand(Rule::TOp, &what, &ty, part);
                    }
                }
                Ok(Ty::Int)
            });
        };
        let types = [self.exp(left)?, self.exp(right)?];
        let pointers = [0, 1].map(|at| matches!(self.rows.shape(&types[at]), Ty::Pointer(_)));
        let parts = [left, right];
        match (scalar, pointers) {
            (BinOp::Sub, [true, true]) => {
                self.by(Rule::TDiff, exp, |infer| infer.same_pointees(Rule::TDiff, &types, parts))
            }
            (BinOp::Add | BinOp::Sub, [true, _] | [_, true]) => {
                self.by(Rule::TOffset, exp, |infer| infer.t_offset(scalar, &types, parts))
            }
            (op, [true, _] | [_, true]) if !op.associates() => {
                self.by(Rule::TCompare, exp, |infer| {
                    infer.same_pointees(Rule::TCompare, &types, parts)
                })
            }
            _ => self.by(Rule::TOp, exp, |infer| {
                for (ty, part) in types.iter().zip(parts) {
                    if !infer.is_int(ty) {
                        let what = format!("`{}` takes ints", print::infix(op).0);
                        return infer.wrong_operand(Rule::TOp, &what, ty, part);
                    }
                }
                Ok(Ty::Int)
            }),
        }
    }

    /// `T-OFFSET`
    ///
    /// ```text
    /// P|Γ ⊢ e : ρ·τ    P|Γ ⊢ e' : int    (operand)
    /// ─────────────────────────────
    /// P|Γ ⊢ e ± e' : ρ·τ      P|Γ ⊢ e' + e : ρ·τ
    /// ```
    fn t_offset(&mut self, op: BinOp, types: &[Ty; 2], parts: [&Exp; 2]) -> Inferred<Ty> {
        let pointer = usize::from(!matches!(self.rows.shape(&types[0]), Ty::Pointer(_)));
        let offset = 1 - pointer;
        // `i - p` is nothing.
        if !self.is_int(&types[offset]) || op == BinOp::Sub && pointer == 1 {
            let at = if self.is_int(&types[offset]) { pointer } else { offset };
            let what = "what is added to a pointer or taken from one is an int";
            return self.wrong_operand(Rule::TOffset, what, &types[at], parts[at]);
        }
        Ok(types[pointer].clone())
    }

    /// `T-DIFF`, `T-COMPARE`: the pointees are the same (pointee); rows are not unified, but two written ones share a name
    /// (overlap).
    fn same_pointees(&mut self, rule: Rule, types: &[Ty; 2], parts: [&Exp; 2]) -> Inferred<Ty> {
        let shapes = [self.rows.shape(&types[0]), self.rows.shape(&types[1])];
        let [Ty::Pointer(left), Ty::Pointer(right)] = &shapes else {
            let message = "a pointer and an int are not compared";
            let label = |at: usize| {
                if matches!(shapes[at], Ty::Pointer(_)) { "a pointer" } else { "no pointer" }
            };
            let refused =
                Rejected::new(parts[1].span, message, label(1)).with(parts[0].span, label(0));
            return self.refuse(rule, "pointee", refused.help("compare with `NULL`, or with `*p`"));
        };
        let goal = Goal { rule, premise: "pointee", span: Some(parts[0].span), to: None };
        self.unify(&right.to, parts[1], &left.to, goal)?;
        if left.written && right.written && left.row.names.and(right.row.names).is_empty() {
            return self.disjoint(rule, [left, right], parts);
        }
        Ok(Ty::Int)
    }

    /// Two written rows have no name in common, or neither contains the other.
    fn disjoint(
        &mut self,
        rule: Rule,
        pointers: [&Rc<Pointer>; 2],
        parts: [&Exp; 2],
    ) -> Inferred<Ty> {
        let [left, right] = pointers.map(|pointer| pointer.row.names.text());
        let message = match rule {
            Rule::TCond => format!("the arms of `?:` point to {left} and to {right}"),
            _ => format!("pointers to {left} and to {right} are never the same"),
        };
        let refused = Rejected::new(parts[1].span, message, right).with(parts[0].span, left);
        self.refuse(rule, "overlap", refused)
    }

    /// `T-COND`
    ///
    /// ```text
    /// P|Γ ⊢ e : int or ρ·τ      (condition)
    /// e' and e'' flow to τ      (unify)
    /// outside `infer`, of two written rows of the arms one contains the other   (overlap)
    /// ───────────────────────
    /// P|Γ ⊢ e ? e' : e'' : τ
    /// ```
    fn t_cond(&mut self, parts: &[Exp; 3]) -> Inferred<Ty> {
        let [condition, then, otherwise] = parts;
        self.condition(condition, Rule::TCond)?;
        let types = [self.exp(then)?, self.exp(otherwise)?];
        let shapes = [self.rows.shape(&types[0]), self.rows.shape(&types[1])];
        if let [Ty::Pointer(left), Ty::Pointer(right)] = &shapes
            && self.mode != Mode::Infer
            && left.written
            && right.written
        {
            let both = left.row.names.and(right.row.names);
            if both != left.row.names && both != right.row.names {
                return self.disjoint(Rule::TCond, [left, right], [then, otherwise]);
            }
        }
        let first = self.opened(&types[0], then.span);
        if self.rows.shape(&first) == Ty::Void {
            return self.wrong_operand(Rule::TCond, "an arm of `?:` has a value", &first, then);
        }
        let goal = Goal { rule: Rule::TCond, premise: "unify", span: Some(then.span), to: None };
        self.flow(&types[1], otherwise, &first, goal)?;
        Ok(first)
    }

    /// `T-ADDRESS`: the operand is a variable, or what a pointer points to (place).
    fn t_address(&mut self, place: &Exp) -> Inferred<Ty> {
        if let Kind::Load(part) = &place.kind {
            let ty = self.exp(part)?;
            let pointer = self.pointer(&ty, part, Rule::TLoad)?;
            return Ok(Ty::Pointer(pointer));
        }
        if let Kind::Var(var) = place.kind
            && let Entry::Variable(Variable { ty, lies, array: false, .. }) =
                &self.entries[var.slot()]
        {
            return Ok(Ty::pointer(Row::closed(Spaces::one(*lies)), true, ty.clone()));
        }
        let message = format!("`{}` has no address", self.text(place));
        let refused = Rejected::new(place.span, message, "no place")
            .help("a variable, `*p` and `p[i]` have one; the name of an array is one");
        self.refuse(Rule::TAddress, "place", refused)
    }

    /// `T-DYNAMIC`
    ///
    /// ```text
    /// a is global, local or private                  (target)
    /// P|Γ ⊢ e : ρ·τ                                  (pointer)
    /// P|Γ ⊢ e flows to {a | r}·τ    P ⊨ r\a          (unify)
    /// ─────────────────────────────────────
    /// P|Γ ⊢ dynamic_cast<a τ *>(e) : {a}·τ
    /// ```
    fn t_dynamic(&mut self, target: &Type, part: &Exp) -> Inferred<Ty> {
        let ty = self.ty(target)?;
        let Some(space) = target.points_to().filter(|space| *space != Space::Constant) else {
            let message = "a `dynamic_cast` is to a pointer of one space, which is not constant";
            let refused = Rejected::new(target.span, message, "no such pointer")
                .help("for example `dynamic_cast<local int *>(p)`");
            return self.refuse(Rule::TDynamic, "target", refused);
        };
        let note = self.notes.len() - 1;
        let from = self.exp(part)?;
        self.pointer(&from, part, Rule::TDynamic)?;
        let opened = self.opened(&from, part.span);
        self.notes[note].more = More::Opened(opened.clone());
        self.cast(&opened, space, (target, &ty), part, Rule::TDynamic)?;
        Ok(ty)
    }

    /// `T-CAST`
    ///
    /// ```text
    /// P|Γ ⊢ e : ρ·τ       (pointer)
    /// ρ ~ {a | r}         P ⊨ r\a      (unify)
    /// ─────────────────────────
    /// P|Γ ⊢ (a τ *) e : {a}·τ
    /// ```
    ///
    /// To several names or an elided space it is a flow (reading M15).
    fn t_cast(&mut self, target: &Type, part: &Exp) -> Inferred<Ty> {
        let ty = self.ty(target)?;
        let from = self.exp(part)?;
        let Ty::Pointer(_) = &ty else {
            let message = "a cast is to a pointer";
            return self.refuse(
                Rule::TCast,
                "pointer",
                Rejected::new(target.span, message, "no pointer"),
            );
        };
        self.pointer(&from, part, Rule::TCast)?;
        match target.points_to() {
            Some(space) => self.cast(&from, space, (target, &ty), part, Rule::TCast)?,
            None => {
                let goal =
                    Goal { rule: Rule::TCast, premise: "unify", span: Some(target.span), to: None };
                self.flow(&from, part, &ty, goal)?;
            }
        }
        Ok(ty)
    }

    /// The operand of a cast to the space has the type `{a | r}·τ`; constant is alone.
    fn cast(
        &mut self,
        from: &Ty,
        space: Space,
        (target, ty): (&Type, &Ty),
        part: &Exp,
        rule: Rule,
    ) -> Inferred<()> {
        let Ty::Pointer(to) = ty else { unreachable!("the target is a pointer") };
        let names = Spaces::one(space);
        let origin = Origin { span: target.span, because: Because::Cast(space) };
        let row = match space {
            Space::Constant => Row::closed(names),
            _ => self.rows.extended(names, origin),
        };
        let wanted = Ty::pointer(row, false, to.to.clone());
        self.unify(
            from,
            part,
            &wanted,
            Goal { rule, premise: "unify", span: Some(target.span), to: None },
        )
    }

    /// `T-APP`
    ///
    /// ```text
    /// (f : ∀r…. P' ⇒ τ, … → τ') ∈ Γ      (function)
    /// as many eᵢ as τᵢ                   (arity)
    /// eᵢ flows to τᵢ    P ⊨ P'           (unify)
    /// ───────────────────────
    /// P|Γ ⊢ f(e, …) : τ'
    /// ```
    fn t_app(&mut self, name: Var, args: &[Exp], span: Span) -> Inferred<Ty> {
        let note = self.notes.len() - 1;
        let (params, result, places) = match self.entries[name.slot()].clone() {
            Entry::Mono(mono) => {
                self.notes[note].more = More::Same;
                (mono.params, mono.result, mono.spans)
            }
            Entry::Poly(scheme, places) => {
                let (params, result, more) = self.instance(&scheme);
                self.notes[note].more = more;
                (params, result, places)
            }
            entry => {
                let is_kernel = matches!(entry, Entry::Kernel);
                let what = if is_kernel { "a kernel" } else { "a variable" };
                let message = format!("`{}` is {what}, no function", self.name(name));
                let mut refused = Rejected::new(span, message, "called here");
                if is_kernel {
                    refused = refused.help("kernels are launched, not called");
                }
                return self.refuse(Rule::TApp, "function", refused);
            }
        };
        if params.len() != args.len() {
            let wanted = crate::kit::text::counted(params.len(), "parameter");
            let message = format!("`{}` has {wanted}", self.name(name));
            let label = crate::kit::text::counted(args.len(), "argument");
            return self.refuse(Rule::TApp, "arity", Rejected::new(span, message, label));
        }
        for ((arg, param), place) in args.iter().zip(&params).zip(places) {
            let ty = self.exp(arg)?;
            let goal = Goal { rule: Rule::TApp, premise: "unify", span: Some(place), to: None };
            self.flow(&ty, arg, param, goal)?;
        }
        Ok(result)
    }

    /// The pointer that the expression is (pointer).
    pub(super) fn pointer(&mut self, ty: &Ty, exp: &Exp, rule: Rule) -> Inferred<Rc<Pointer>> {
        match self.rows.shape(ty) {
            Ty::Pointer(pointer) => Ok(pointer),
            var @ Ty::Var(_) => {
                let row = Row::var(self.rows.fresh());
                let pointer = Rc::new(Pointer { row, written: false, to: self.rows.fresh_type() });
                let bound = self.rows.unify(&var, &Ty::Pointer(pointer.clone()), self.to);
                assert_eq!(bound, Ok(()), "a new pointer holds no old variable");
                Ok(pointer)
            }
            other => {
                let what = if other == Ty::Void { "has no value" } else { "is an int" };
                let message = format!("`{}` {what}, and a pointer is wanted", self.text(exp));
                let refused = Rejected::new(exp.span, message, self.told(&other));
                self.refuse(rule, "pointer", self.with_declared(refused, exp))
            }
        }
    }

    /// A condition is an int or a pointer (condition).
    pub(super) fn condition(&mut self, exp: &Exp, rule: Rule) -> Inferred<()> {
        let ty = self.exp(exp)?;
        if self.is_condition(&ty) {
            return Ok(());
        }
        let message = format!("`{}` is no condition", self.text(exp));
        let refused = Rejected::new(exp.span, message, "neither int nor pointer");
        self.refuse(rule, "condition", self.with_declared(refused, exp))
    }

    fn is_condition(&mut self, ty: &Ty) -> bool {
        self.rows.shape(ty) != Ty::Void
    }

    /// Is it an int? What NULL points to becomes one.
    fn is_int(&mut self, ty: &Ty) -> bool {
        match self.rows.shape(ty) {
            Ty::Int => true,
            var @ Ty::Var(_) => self.rows.unify(&var, &Ty::Int, self.to) == Ok(()),
            Ty::Void | Ty::Pointer(_) => false,
        }
    }

    /// An operand has another type than those that `what` takes.
    fn wrong_operand(&mut self, rule: Rule, what: &str, ty: &Ty, exp: &Exp) -> Inferred<Ty> {
        let premise = if rule == Rule::TCond { "unify" } else { "operand" };
        let ty = self.told(ty);
        let message = format!("{what}, and `{}` is {ty}", self.text(exp));
        let refused = Rejected::new(exp.span, message, ty);
        self.refuse(rule, premise, self.with_declared(refused, exp))
    }

    /// A store through the row (constant).
    pub(super) fn stores(&mut self, row: Row, span: Span) -> Result<(), Clash> {
        self.rows.forbid(row, Space::Constant, Origin { span, because: Because::Stored })
    }
}
