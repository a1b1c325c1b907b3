//! A choice between two values: by arrays, by `if`, by `switch`.

use super::super::Writer;
use crate::emit::style::Construct;
use reference::device::syntax::{Exp, Ty};

impl Writer<'_> {
    /// `select(c, a, b)` as another expression, unless it is to be plain. Both values are computed in
    /// any case.
    pub(in super::super) fn styled_select(&mut self, c: &Exp, a: &Exp, b: &Exp) -> Option<String> {
        if self.is_plain() {
            return None;
        }
        let ty = self.types.exp(a);
        if !matches!(ty, Ty::Scalar(_)) {
            return None;
        }
        let could =
            [Construct::ByValue, Construct::ByReference, Construct::Choice, Construct::ChoiceCase];
        let construct = self.one_of(&could)?;
        let ty = self.ty(&ty);
        let [c, a, b] = [c, a, b].map(|part| self.argument(part));
        Some(match construct {
            Construct::ByValue => format!("array<{ty}, 2>({b}, {a})[u32({c})]"),
            Construct::ByReference => self.by_reference(&ty, &format!("{b}, {a}"), &c),
            Construct::Choice => {
                self.by_statement(&ty, &format!("if ({c}) {{"), &a, "} else {", &b)
            }
            _ => {
                let head = format!("switch (i32({c})) {{ case 1: {{");
                self.by_statement(&ty, &head, &a, "} default: {", &b)
            }
        })
    }

    /// The value of a `let`, twice in an array, unless it is to be plain: the array is indexed as a value,
    /// by itself and by the other index.
    pub(in super::super) fn within_array(&mut self, ty: &Ty, value: String) -> String {
        if self.is_plain() || !super::is_word(ty) || !self.stands(Construct::ByValue) {
            return value;
        }
        let ty = self.ty(ty);
        let (part, array, index) = (self.temporary(), self.temporary(), self.temporary());
        self.line(&format!("let {part} = {value};"));
        self.line(&format!("let {array} = array<{ty}, 2>({part}, {part});"));
        self.line(&format!("let {index} = u32({part}) & 1u;"));
        format!("{array}[{index}] & {array}[1u - {index}]")
    }

    /// An array in a variable, of which a function reads an element through a pointer.
    fn by_reference(&mut self, ty: &str, parts: &str, index: &str) -> String {
        let array = self.variable(&format!("array<{ty}, 2>({parts})"));
        let function = self.function_of(format!(
            "(p: ptr<function, array<{ty}, 2>>, i: u32) -> {ty} {{ return (*p)[i]; }}"
        ));
        format!("{function}(&{array}, u32({index}))")
    }

    /// A variable that gets one value or the other.
    fn by_statement(&mut self, ty: &str, head: &str, a: &str, between: &str, b: &str) -> String {
        let name = self.temporary();
        let ends = if head.starts_with("switch") { "} }" } else { "}" };
        self.line(&format!("var {name}: {ty};"));
        self.line(&format!("{head} {name} = {a}; {between} {name} = {b}; {ends}"));
        name
    }
}
