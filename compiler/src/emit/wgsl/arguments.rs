//! What a launch brings along: how many invocations there are, and the words of the arguments.

use super::held::Mark;
use super::scalars::bitcast_to;
use super::{For, Writer, terse};
use crate::pass::guard::is_of_launch;
use reference::device::syntax::{Exp, Kernel, Kind, Sc, Ty, U32};
use reference::device::visit;
use reference::kit::names::Var;

/// The word of a launch that tells how many invocations there are.
pub(super) const INVOCATIONS: usize = 0;
/// The word of a launch that tells how many work groups there are.
pub(super) const GROUPS: usize = 1;
/// The first word of a launch that is one of its arguments.
pub(super) const ARGUMENTS: usize = 2;

/// What a kernel asks for of a parameter; the parts only of a block.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    /// Its first word among those of the launch.
    pub(super) at: usize,
    /// Is it used once, and stands where it is used, even if that takes a conversion?
    pub(super) once: bool,
    /// Is it used so often that it is sooner read by a name?
    pub(super) often: bool,
    pub(super) base: bool,
    pub(super) length: bool,
    pub(super) whole: bool,
}

impl Writer<'_> {
    /// What is asked for of a parameter; of no other variable, and not of the record.
    pub(super) fn asked_mut(&mut self, var: Var) -> Option<&mut Asked> {
        self.asked.iter_mut().find(|(param, _)| *param == var).map(|(_, asked)| asked)
    }

    /// Are the parameters asked for by none but the invocations of the launch? Then what fills up
    /// a group need not read them.
    pub(super) fn only_inside(&self, kernel: &Kernel) -> bool {
        let asks = |exp: &Exp| match exp {
            Exp::Var(var) => {
                Some(*var) != self.record && kernel.params.iter().any(|(param, _)| param == var)
            }
            _ => false,
        };
        let inside = is_of_launch();
        let mut blocks = 0;
        kernel.body.iter().all(|stm| {
            if matches!(&stm.kind, Kind::If(branch) if branch.cond == inside && branch.orelse.is_empty())
            {
                blocks += 1;
                return blocks == 1;
            }
            let mut found = false;
            visit::kind(&stm.kind, &mut |exp| found |= asks(exp));
            !found
        })
    }

    /// Binds the number of the invocation and how many there are.
    pub(super) fn bind_numbers(&mut self, kernel: &Kernel, written_for: For) {
        if written_for == For::Few && self.is_plain() && !self.asks_for_group {
            match (self.terse, self.names_id) {
                (false, _) => self.line("let global_id = global.x;"),
                (true, true) => self.line("let g=i.x;"),
                (true, false) => {}
            }
        } else {
            let (name, group) = (self.global_id(), kernel.group);
            self.line(&format!("let {name} = group_id * {group}u + local_id;"));
        }
        if self.terse {
            return;
        }
        let invocations = match self.unwritten_zero(kernel) {
            Some(zero) => format!("{} + {zero}", self.brought(INVOCATIONS)),
            None => self.brought(INVOCATIONS),
        };
        self.line(&format!("let invocations = {invocations};"));
    }

    /// Does all of an argument stand where it is used?
    pub(super) fn stands_in_place(&self, ty: &Ty, asked: Asked) -> bool {
        self.terse && (asked.once || *ty == U32 && !asked.often)
    }

    /// Binds the arguments that do not stand where they are used.
    pub(super) fn arguments(&mut self, kernel: &Kernel) {
        let mut args = Vec::new();
        for (var, ty) in &kernel.params {
            let Some(asked) = self.asked_mut(*var) else { continue };
            let asked = *asked;
            let Asked { at, base, length, whole, often, .. } = asked;
            for (part, at, asked) in [("x", at, base), ("y", at + 1, length)] {
                if asked && (often || !self.terse) {
                    let from = self.held.mark();
                    self.put_brought(at);
                    let to = self.held.mark();
                    self.put_ident(*var);
                    self.held.put(part);
                    self.bind_argument(&mut args, (from, to), &U32);
                }
            }
            let ty = if self.bits.of(*var) { &U32 } else { ty };
            if whole && !self.stands_in_place(ty, asked) {
                let from = self.held.mark();
                self.put_argument(ty, at);
                let to = self.held.mark();
                self.put_ident(*var);
                self.bind_argument(&mut args, (from, to), ty);
            }
        }
        if !self.is_plain() {
            self.bind_styled(kernel, &args);
        }
    }

    /// Binds an argument: value and name are held. In a style all of them are bound later.
    fn bind_argument(
        &mut self,
        args: &mut Vec<(String, Ty, String)>,
        (from, to): (Mark, Mark),
        ty: &Ty,
    ) {
        if self.is_plain() {
            self.binding("let ", (from, to), "");
        } else {
            let name = self.held.take(to);
            args.push((name, ty.clone(), self.held.take(from)));
        }
    }

    /// Puts this word of the launch.
    pub(super) fn put_brought(&mut self, at: usize) {
        let number = match &mut self.read {
            None => at,
            Some(read) => read.iter().position(|word| *word == at).unwrap_or_else(|| {
                read.push(at);
                read.len() - 1
            }),
        };
        if self.terse {
            return terse::push_part(self.held.end(), number as u32);
        }
        self.held.put("launch[");
        self.held.put_number(number as u32);
        self.held.put("]");
    }

    pub(super) fn brought(&mut self, at: usize) -> String {
        self.text_of(|to| to.put_brought(at))
    }

    /// Puts the argument that starts at this word of the launch.
    pub(super) fn put_argument(&mut self, ty: &Ty, at: usize) {
        let begin = match ty {
            Ty::Scalar(Sc::I32) => self.conversion(Sc::I32),
            Ty::Scalar(Sc::F32) => bitcast_to(Sc::F32),
            Ty::Scalar(Sc::Bool | Sc::I64) | Ty::Block(_) => {
                let text = self.composed_argument(ty, at);
                return self.held.put_spaced(&text);
            }
            _ => return self.put_brought(at),
        };
        self.held.put(begin);
        self.put_brought(at);
        self.held.put(")");
    }

    fn composed_argument(&mut self, ty: &Ty, at: usize) -> String {
        let word = self.brought(at);
        match ty {
            Ty::Block(_) => format!("{}({word}, {})", self.pair(), self.brought(at + 1)),
            Ty::Scalar(Sc::Bool) => format!("({word} != 0u)"),
            _ => {
                let low = self.widened(&word);
                format!("((i64(bitcast<i32>({})) << 32u) | {low})", self.brought(at + 1))
            }
        }
    }
}
