//! Branches: `if` as `switch`, as a loop, or with an effect in its condition; `switch` as `if`; early
//! returns.

use super::super::Writer;
use super::super::place::Location;
use crate::emit::style::{Construct, EXTRA_ROUNDS};
use reference::device::syntax::{Block, If, Kind, Place, Stm, Switch};
use reference::device::visit::has_barrier;

impl Writer<'_> {
    /// Writes a branch, unless it is to be plain.
    pub(in super::super) fn styled_branch(&mut self, branch: &If<Kind>) -> bool {
        let mut could = vec![Construct::Switch];
        if branch.orelse.is_empty() {
            could.push(Construct::Effect);
            if self.styled.loops == 0 && !has_barrier(&branch.then) {
                could.push(Construct::Once);
            }
        }
        match self.one_of(&could) {
            Some(Construct::Switch) => self.branch_as_switch(branch),
            Some(Construct::Effect) => return self.with_effect(branch),
            Some(Construct::Once) => return self.once(branch),
            _ => return false,
        }
        true
    }

    /// `switch (u32(c)) { … }`: true is 1, and which clause is the default is free.
    fn branch_as_switch(&mut self, branch: &If<Kind>) {
        let turn = self.turn(Construct::Switch);
        let cond = self.argument(&branch.cond);
        let (ty, suffix) = if turn.is_multiple_of(2) { ("u32", "u") } else { ("i32", "i") };
        self.line(&format!("switch ({ty}({cond})) {{"));
        let otherwise = (&branch.orelse, "default".to_owned());
        let clauses = match turn % 3 {
            0 => vec![otherwise, (&branch.then, format!("case 1{suffix}"))],
            1 => vec![
                (&branch.orelse, format!("case 0{suffix}")),
                (&branch.then, "default".to_owned()),
            ],
            _ => vec![(&branch.then, format!("case 1{suffix}, 7{suffix}")), otherwise],
        };
        self.indented(|to| {
            for (body, clause) in clauses {
                to.line(&format!("{clause}: {{"));
                to.nested(body);
                to.line("}");
            }
        });
        self.line("}");
    }

    /// Writes a switch, unless it is to be plain: as `if (v == 1) { … } else if … else { … }`, where v is the
    /// value, or with its default first.
    pub(in super::super) fn styled_switch(&mut self, switch: &Switch) -> bool {
        if !self.stands(Construct::Chain) {
            return false;
        }
        let value = self.argument(&switch.value);
        if self.turn(Construct::Chain).is_multiple_of(2) && !switch.cases.is_empty() {
            let value = self.bound(&value);
            for (number, case) in switch.cases.iter().enumerate() {
                let literal = self.plain_integer(case.literal);
                let head = if number == 0 { "if" } else { "} else if" };
                self.line(&format!("{head} ({value} == {literal}) {{"));
                self.nested(&case.body);
            }
            self.line("} else {");
            self.nested(&switch.orelse);
            self.line("}");
            return true;
        }
        self.line(&format!("switch ({value}) {{"));
        self.indented(|to| {
            to.otherwise(switch);
            to.cases(switch);
        });
        self.line("}");
        true
    }

    /// `for (; c; ) { … break; }`, which runs at most one round. Only outside of loops: drivers
    /// that count rounds count these.
    fn once(&mut self, branch: &If<Kind>) -> bool {
        if self.styled.once >= EXTRA_ROUNDS {
            return false;
        }
        let Some(cond) = self.inline(&branch.cond) else { return false };
        self.styled.once += 1;
        self.line(&format!("for (; {cond}; ) {{"));
        self.nested(&branch.then);
        self.indented(|to| to.line("break;"));
        self.line("}");
        true
    }

    /// `if (c && f(…)) { … }`, where f makes the first store of the branch and is always true:
    /// it is called only if the left operand is true.
    fn with_effect(&mut self, branch: &If<Kind>) -> bool {
        let Some((first, rest)) = branch.then.split_first() else { return false };
        let Kind::Store(place, value) = &first.kind else { return false };
        let mark = self.mark();
        let cond = self.operand(&branch.cond);
        let before = self.mark();
        let Some(call) = self.storing_call(place, value).filter(|_| !self.wrote_since(before))
        else {
            self.back_to(mark);
            return false;
        };
        self.line(&format!("if ({cond} && {call}) {{"));
        self.nested_stms(rest);
        self.line("}");
        true
    }

    /// A call that stores and gives true.
    fn storing_call(
        &mut self,
        place: &Place,
        value: &reference::device::syntax::Exp,
    ) -> Option<String> {
        if let Some(var) = self.local(place) {
            let ty = self.ty(self.types.var(var));
            let value = self.argument(value);
            let function = self.function_of(format!(
                "(p: ptr<function, {ty}>, v: {ty}) -> bool {{ *p = v; return true; }}"
            ));
            return Some(format!("{function}(&{}, {value})", self.ident(var)));
        }
        let Place::Element(..) = place else { return None };
        let Location::Element { address, sc } = self.location(place) else { return None };
        if sc.words() != 1 {
            return None;
        }
        let value = self.argument(value);
        let function = self
            .function_of("(at: u32, v: u32) -> bool { arena[at] = v; return true; }".to_owned());
        Some(format!("{function}({address}, bitcast<u32>({value}))"))
    }

    /// The body of a kernel, which may end early in front of its last `if`.
    pub(in super::super) fn kernel_body(&mut self, body: &Block) {
        if let Some((last, before)) = body.split_last()
            && let Kind::If(branch) = &last.kind
            && branch.orelse.is_empty()
            && self.stands(Construct::Return)
        {
            self.body(before);
            let cond = self.value(&branch.cond);
            self.line(&format!("if (!({cond})) {{ return; }}"));
            self.line("{");
            self.nested(&branch.then);
            self.line("}");
        } else {
            self.body(body);
        }
    }

    fn nested_stms(&mut self, body: &[Stm<Kind>]) {
        let visible = self.styled.visible.len();
        self.indented(|to| to.body(body));
        self.styled.visible.truncate(visible);
    }
}
