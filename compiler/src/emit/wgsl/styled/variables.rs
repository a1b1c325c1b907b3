//! Variables: declared without a value, declared again, assigned by operators.

use super::super::Writer;
use super::is_word;
use crate::emit::style::Construct;
use crate::emit::workarounds::INITIALISED_VARIABLES;
use reference::device::syntax::{Exp, Lit, Place, Ty};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

impl Writer<'_> {
    /// Declares `var` without an initialiser and adds its value to the zero that it holds; unless
    /// that is to be plain, or is no integer.
    pub(in super::super) fn styled_declaration(
        &mut self,
        var: Var,
        ty: &Ty,
        value: Option<&Exp>,
    ) -> bool {
        if self.is_plain()
            || !(value.is_none() || is_word(ty))
            || !self.stands(Construct::Uninitialised)
        {
            return false;
        }
        if self.forgets_zero() {
            return false;
        }
        let value = value.map(|value| self.value(value));
        let name = self.ident(var);
        self.line(&format!("var {name}: {};", self.ty(ty)));
        if let Some(value) = value {
            self.line(&format!("{name} += {value};"));
        }
        true
    }

    /// May a variable that has no initialiser here not be zero?
    pub(in super::super) fn forgets_zero(&self) -> bool {
        self.styled.loops > 0 && self.workarounds.uses(&INITIALISED_VARIABLES)
    }

    /// Notes a let-bound value, and may declare its name again in a block of its own.
    pub(in super::super) fn declared(&mut self, var: Var, ty: &Ty) {
        if self.styled.plain || !matches!(ty, Ty::Scalar(_)) {
            return;
        }
        let name = self.ident(var);
        if is_word(ty) && self.stands(Construct::Shadow) {
            self.line(&format!("{{ var {name} = {name}; {name}++; }}"));
        }
        self.styled.visible.push((name, ty.clone()));
    }

    /// At the head of an inner block a value of an outer one may get its name again.
    pub(in super::super) fn shadowed(&mut self) {
        let Some((name, ty)) = self.styled.visible.last().cloned() else { return };
        if self.stands(Construct::Shadow) {
            self.line(&format!("let {name}: {} = {name};", self.ty(&ty)));
        }
    }

    /// Leaves a block that began when so many values were visible.
    pub(in super::super) fn out_of_scope(&mut self, visible: usize) {
        self.styled.visible.truncate(visible);
    }

    /// How many values are visible.
    pub(in super::super) fn visible(&self) -> usize {
        self.styled.visible.len()
    }

    /// Assigns to a variable of the function by an operator, unless that is to be plain.
    pub(in super::super) fn styled_assignment(&mut self, place: &Place, value: &Exp) -> bool {
        if self.is_plain() {
            return false;
        }
        let Some(var) = self.local(place) else { return false };
        let ty = self.types.var(var).clone();
        if !is_word(&ty) || !self.stands(Construct::Compound) {
            return false;
        }
        let name = self.ident(var);
        let operator = match value {
            Exp::Bin(op, ab) if reads(&ab[0], var) => operator(*op),
            _ => None,
        };
        match (operator, value) {
            (Some("+"), Exp::Bin(_, ab))
                if matches!(ab[1], Exp::Lit(Lit::I32(1) | Lit::U32(1))) =>
            {
                self.line(&format!("{name}++;"));
            }
            (Some(operator), Exp::Bin(_, ab)) => {
                let operand = self.value(&ab[1]);
                self.line(&format!("{name} {operator}= {operand};"));
            }
            _ => self.assign_by_effect(&name, &ty, value),
        }
        true
    }

    /// `x += f(&x, v)`, where f changes x and gives the difference of v from what x was: the
    /// left operand is read before f is called.
    fn assign_by_effect(&mut self, name: &str, ty: &Ty, value: &Exp) {
        let ty = self.ty(ty);
        let value = self.argument(value);
        let function = self.function_of(format!(
            "(p: ptr<function, {ty}>, v: {ty}) -> {ty} {{ let d = v - *p; *p = ~v; return d; }}"
        ));
        self.line(&format!("{name} += {function}(&{name}, {value});"));
    }
}

/// Is it what the variable holds, carried or not?
fn reads(exp: &Exp, var: Var) -> bool {
    match exp {
        Exp::Var(read) => *read == var,
        Exp::Load(place) => **place == Place::Var(var),
        _ => false,
    }
}

fn operator(op: BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
        _ => return None,
    })
}
