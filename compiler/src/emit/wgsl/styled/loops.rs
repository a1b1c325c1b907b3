//! Loops. The device language tests before each round, then runs the body, then assigns all that
//! the loop carries; plain text is a `loop` that begins with the test.

use super::super::Writer;
use super::is_word;
use crate::emit::style::Construct;
use reference::device::syntax::{Block, Exp, Kind, Loop, Stm};
use reference::kit::scalar::BinOp;

impl Writer<'_> {
    /// Writes the rounds of a loop, whose carried variables and fuel are declared, unless they
    /// are to be plain.
    pub(in super::super) fn styled_rounds(
        &mut self,
        rounds: &Loop<Kind>,
        fuel: Option<&str>,
    ) -> bool {
        let any = [
            Construct::While,
            Construct::For,
            Construct::Continuing,
            Construct::BreakIf,
            Construct::Continue,
        ];
        match self.one_of(&any) {
            Some(Construct::While) => self.while_rounds(rounds, fuel),
            Some(Construct::For) => self.for_rounds(rounds, fuel),
            Some(Construct::BreakIf) => {
                self.tested_last(rounds, fuel);
                true
            }
            Some(construct) => {
                self.continuing_rounds(rounds, fuel, construct == Construct::Continue);
                true
            }
            None => false,
        }
    }

    /// `while (c) { … }`: the test is made at the start of each iteration.
    fn while_rounds(&mut self, rounds: &Loop<Kind>, fuel: Option<&str>) -> bool {
        let Some(cond) = self.inline(&rounds.cond) else { return false };
        self.line(&format!("while ({}) {{", goes_on(&cond, fuel)));
        self.indented(|to| {
            to.spend(fuel);
            to.round(&rounds.body);
            to.assign_next(rounds, None);
        });
        self.line("}");
        true
    }

    /// `for (i = a; c; i = i + k) { … }`: the update is the last of an iteration, so what else is
    /// carried has been assigned from the old counter. Without a counter the update spends fuel, if there is any.
    fn for_rounds(&mut self, rounds: &Loop<Kind>, fuel: Option<&str>) -> bool {
        let Some(cond) = self.inline(&rounds.cond) else { return false };
        let counter = counter(rounds);
        let (mut init, mut update) = (String::new(), String::new());
        if let Some(at) = counter {
            let carried = &rounds.carried[at];
            let name = self.ident(carried.var);
            if let Some(value) = self.inline(&carried.init) {
                init = format!("{name} = {value}");
            }
            let Some(next) = self.inline(&rounds.next[at]) else { return false };
            update = format!("{name} = {next}");
        } else if let Some(fuel) = fuel {
            update = format!("{fuel}--");
        }
        self.line(&format!("for ({init}; {}; {update}) {{", goes_on(&cond, fuel)));
        self.indented(|to| {
            if counter.is_some() {
                to.spend(fuel);
            }
            to.round(&rounds.body);
            to.assign_next(rounds, counter);
        });
        self.line("}");
        true
    }

    /// `loop { if (!c) { break; } … continuing { … } }`, whose rounds may end early.
    fn continuing_rounds(&mut self, rounds: &Loop<Kind>, fuel: Option<&str>, early: bool) {
        self.line("loop {");
        self.indented(|to| {
            let stops = to.stops(rounds, fuel);
            to.line(&format!("if ({stops}) {{ break; }}"));
            to.spend(fuel);
            if early {
                to.early_round(&rounds.body);
            } else {
                to.round(&rounds.body);
            }
            to.line("continuing {");
            to.indented(|to| to.assign_next(rounds, None));
            to.line("}");
        });
        self.line("}");
    }

    /// `if (c) { loop { … continuing { … break if !c; } } }`
    fn tested_last(&mut self, rounds: &Loop<Kind>, fuel: Option<&str>) {
        let cond = self.operand(&rounds.cond);
        self.line(&format!("if ({}) {{", goes_on(&cond, fuel)));
        self.indented(|to| {
            to.line("loop {");
            to.indented(|to| {
                to.spend(fuel);
                to.round(&rounds.body);
                to.line("continuing {");
                to.indented(|to| {
                    to.assign_next(rounds, None);
                    let stops = to.stops(rounds, fuel);
                    to.line(&format!("break if {stops};"));
                });
                to.line("}");
            });
            to.line("}");
        });
        self.line("}");
    }

    /// The body, which goes on to the next round by `continue`: from the branch that is its last
    /// statement, or else from its end. What is assigned between rounds stands in `continuing`,
    /// and uses nothing that is bound behind a `continue`. WGSL treats what follows a `continue`
    /// that only some invocations execute as non-uniform, later rounds too. So where the kernel has barriers it is at
    /// the end.
    fn early_round(&mut self, body: &Block) {
        self.round_of(|to| match body.split_last() {
            Some((Stm { kind: Kind::If(branch), .. }, before)) if !to.styled.waits => {
                to.body(before);
                let cond = to.value(&branch.cond);
                to.line(&format!("if ({cond}) {{"));
                to.nested(&branch.then);
                to.indented(|to| to.line("continue;"));
                to.line("}");
                to.line("{");
                to.nested(&branch.orelse);
                to.line("}");
            }
            _ => {
                to.body(body);
                to.line("continue;");
            }
        });
    }

    /// The body of a loop.
    pub(in super::super) fn round(&mut self, body: &Block) {
        self.round_of(|to| to.body(body));
    }

    fn round_of(&mut self, lines: impl FnOnce(&mut Self)) {
        let visible = self.styled.visible.len();
        self.styled.loops += 1;
        lines(self);
        self.styled.loops -= 1;
        self.styled.visible.truncate(visible);
    }
}

/// The test before a round.
fn goes_on(cond: &str, fuel: Option<&str>) -> String {
    match fuel {
        Some(fuel) => format!("{cond} && {fuel} != 0u"),
        None => cond.to_owned(),
    }
}

/// The carried variable that is stepped by a constant.
fn counter(rounds: &Loop<Kind>) -> Option<usize> {
    let steps = |at: &usize| {
        let var = rounds.carried[*at].var;
        is_word(&rounds.carried[*at].ty)
            && matches!(&rounds.next[*at], Exp::Bin(BinOp::Add, ab)
                if ab[0] == Exp::Var(var) && matches!(ab[1], Exp::Lit(_)))
    };
    (0..rounds.carried.len()).find(steps)
}
