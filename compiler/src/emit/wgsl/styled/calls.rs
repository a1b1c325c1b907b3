//! Functions in the place of operators and assignments.

use super::super::Writer;
use super::is_word;
use crate::emit::style::Construct;
use reference::device::syntax::{BOOL, Exp, Place, Ty};
use reference::kit::scalar::BinOp;

impl Writer<'_> {
    /// A call of a function that computes `a op b` of integers, unless it is to be plain. Of the
    /// smaller and the greater it returns early.
    pub(in super::super) fn operator_call(
        &mut self,
        op: BinOp,
        a: &Exp,
        b: &Exp,
    ) -> Option<String> {
        if self.is_plain() {
            return None;
        }
        let ty = self.types.exp(a);
        if !is_word(&ty) {
            return None;
        }
        let body = match op {
            BinOp::Min => "if (a < b) { return a; } return b;".to_owned(),
            BinOp::Max => "if (a < b) { return b; } else { return a; }".to_owned(),
            _ => format!("return a {} b;", symbol(op)?),
        };
        if !self.stands(Construct::Function) {
            return None;
        }
        let compares = self.types.exp(&Exp::bin(op, a.clone(), b.clone()));
        let result = if compares == BOOL { "bool".to_owned() } else { self.ty(&ty) };
        let ty = self.ty(&ty);
        let function = self.function_of(format!("(a: {ty}, b: {ty}) -> {result} {{ {body} }}"));
        let (a, b) = (self.argument(a), self.argument(b));
        Some(format!("{function}({a}, {b})"))
    }

    /// Assigns to a variable of the function through a pointer that a function is given, unless
    /// that is to be plain.
    pub(in super::super) fn assigned_by_pointer(&mut self, place: &Place, value: &Exp) -> bool {
        let Some(var) = self.local(place) else { return false };
        let ty = self.types.var(var).clone();
        if !matches!(ty, Ty::Scalar(_)) || !self.stands(Construct::Pointer) {
            return false;
        }
        let value = self.argument(value);
        let (name, ty) = (self.ident(var), self.ty(&ty));
        let function = self.function_of(format!("(p: ptr<function, {ty}>, v: {ty}) {{ *p = v; }}"));
        self.line(&format!("{function}(&{name}, {value});"));
        true
    }
}

/// The operators on two integers of 32 bits that are the same at compile time and at run time,
/// and have no text of their own.
fn symbol(op: BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::And => "&",
        BinOp::Or => "|",
        BinOp::Xor => "^",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        BinOp::Lt => "<",
        BinOp::Le => "<=",
        BinOp::Gt => ">",
        BinOp::Ge => ">=",
        _ => return None,
    })
}
