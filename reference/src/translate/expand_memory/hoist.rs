//! Out of `if` and `loop`.

use super::{Expansion, Header, allocation, shifted};
use crate::fun::syntax::{Atom, Se};
use crate::funmem::syntax::{Binding, Body, Exp, FunMem, MemExp, Stm};
use crate::kit::names::Var;
use crate::kit::scalar::BinOp;
use crate::kit::text::{Refused, Span};
use crate::translate::symbolic;
use rustc_hash::FxHashSet;

/// How the rounds of a loop share the block that each of them allocated.
enum Rounds {
    /// No round needs what another wrote.
    Same,
    /// A round needs what the one before it wrote.
    Turns,
    /// A round may need what any other wrote.
    Each,
}

/// Does an allocation stand in an `if` or a `loop` of a kernel in `body`, which is inside a kernel or
/// not?
pub(super) fn has_work(body: &Body<FunMem>, inside: bool) -> bool {
    let leaves = |body: &Body<FunMem>| {
        inside && body.stms.iter().any(|stm| matches!(stm.exp, Exp::Extra(MemExp::Alloc(_))))
            || has_work(body, inside)
    };
    body.stms.iter().any(|stm| match &stm.exp {
        Exp::If { then, orelse, .. } => leaves(then) || leaves(orelse),
        Exp::Loop { body, .. } => leaves(body),
        Exp::Kernel { body, .. } => has_work(body, true),
        _ => false,
    })
}

impl Expansion<'_> {
    /// An allocation in a branch may as well happen before the `if`.
    pub(super) fn leave_if(
        &mut self,
        branch: &mut Body<FunMem>,
        out: &mut Vec<Stm<FunMem>>,
    ) -> Result<(), Refused> {
        self.leave(Header::If, branch, out, |_, _, _, _, size, _| Ok((size, None)))
    }

    /// The rounds of a loop share a block.
    pub(super) fn leave_loop(
        &mut self,
        header: Header<'_>,
        body: &mut Body<FunMem>,
        out: &mut Vec<Stm<FunMem>>,
    ) -> Result<(), Refused> {
        let Header::Loop { carried, counter, count, results } = header else {
            unreachable!("called for loops only")
        };
        self.leave(header, body, out, |expansion, stms, span, z, size, out| {
            let (blocks, round) = match expansion.rounds(z, stms, results, carried) {
                Rounds::Same => return Ok((size, None)),
                Rounds::Turns => (Se::from(2), Se::bin(BinOp::And, counter, 1)),
                Rounds::Each => {
                    let all = symbolic::at_least_zero(count.into());
                    (all, symbolic::sub(counter.into(), 1.into()))
                }
            };
            let one = expansion.atom(span, z, &size, out);
            let all = symbolic::mul(symbolic::at_least_zero(size), blocks);
            Ok((all, Some(symbolic::mul(round, one.into()))))
        })
    }

    /// Moves the allocations of a body in front of the construct around it. For each, `share`
    /// says how large the block is then, and what is added to the offsets in it.
    fn leave(
        &mut self,
        header: Header<'_>,
        body: &mut Body<FunMem>,
        out: &mut Vec<Stm<FunMem>>,
        share: impl Fn(
            &mut Self,
            &[Stm<FunMem>],
            Span,
            Var,
            Se,
            &mut Vec<Stm<FunMem>>,
        ) -> Result<(Se, Option<Se>), Refused>,
    ) -> Result<(), Refused> {
        let mut first = Vec::new();
        let mut sizes = Vec::new();
        let mut at = 0;
        while at < body.stms.len() {
            let Some((z, se)) = allocation(&body.stms[at]) else {
                at += 1;
                continue;
            };
            let span = body.stms[at].span;
            // Hoisting alone leaves what cannot be moved where it is.
            let size = match self.moves(z, &se, header) {
                Ok(true) => {
                    self.size_outside(&se, span, z, &body.stms, at, header, &mut sizes, out)
                }
                Ok(false) => {
                    at += 1;
                    continue;
                }
                Err(reason) => Err(reason),
            };
            let size = match (size, self.form) {
                (Ok(size), _) => size,
                (Err(reason), Some(_)) => return Err(self.refuse(&body.stms[at], reason)),
                (Err(reason), None) => {
                    let block = self.names.text(z);
                    self.decisions.note(|| format!("`{block}` stays where it is: {reason}"));
                    at += 1;
                    continue;
                }
            };
            let (all, added) = share(self, &body.stms, span, z, size, out)?;
            if let Some(added) = added {
                let added: Se = self.name(span, z, "round", added, &mut first).into();
                self.move_residents(z, |lmad| shifted(lmad, &added))
                    .map_err(|reason| self.refuse(&body.stms[at], reason))?;
            }
            let mut alloc = body.stms.remove(at);
            alloc.exp = Exp::Extra(MemExp::Alloc(symbolic::at_least_zero(all)));
            out.push(alloc);
        }
        body.stms.splice(0..0, first);
        Ok(())
    }

    /// Shall a block move in front of the construct around it? For expansion it must; for hoisting alone it
    /// may if its size cannot get stuck there.
    fn moves(&mut self, block: Var, size: &Se, header: Header<'_>) -> Result<bool, String> {
        if self.form.is_some() {
            return Ok(true);
        }
        if !self.total(size) || !self.never_negative(size) {
            return Err("its size may be negative".to_owned());
        }
        let block = self.names.text(block);
        let around = match header {
            Header::If => "the `if`",
            Header::Loop { .. } => "the `loop`",
            Header::Kernel { .. } => "the kernel",
        };
        Ok(self.decisions.decide(|| {
            format!("`{block}` is allocated in front of {around}: its size cannot get stuck there")
        }))
    }

    /// For how many rounds a block that the body allocates may be needed.
    fn rounds(
        &self,
        z: Var,
        stms: &[Stm<FunMem>],
        results: &[Atom],
        carried: &[(Binding<FunMem>, Atom)],
    ) -> Rounds {
        if !self.of(z).escapes {
            return Rounds::Same;
        }
        let leaving = |from: FxHashSet<Var>| -> Vec<usize> {
            let reached = reaches(stms, from);
            let is_reached = |atom: &Atom| atom.var().is_some_and(|var| reached.contains(&var));
            (0..results.len()).filter(|&at| is_reached(&results[at])).collect()
        };
        let positions = leaving(FxHashSet::from_iter([z]));
        if positions.is_empty() {
            return Rounds::Same;
        }
        let next = positions.iter().map(|&at| carried[at].0.var).collect();
        if leaving(next).is_empty() { Rounds::Turns } else { Rounds::Each }
    }
}

/// Every block that may be one of `from` at the end of the statements. Blocks flow through `if`
/// and `loop` only, and never out of a kernel.
fn reaches(stms: &[Stm<FunMem>], from: FxHashSet<Var>) -> FxHashSet<Var> {
    let mut reached = from;
    loop {
        let before = reached.len();
        flow(stms, &mut reached);
        if reached.len() == before {
            return reached;
        }
    }
}

fn flow(stms: &[Stm<FunMem>], reached: &mut FxHashSet<Var>) {
    let pass = |from: Atom, to: Var, reached: &mut FxHashSet<Var>| {
        if from.var().is_some_and(|var| reached.contains(&var)) {
            reached.insert(to);
        }
    };
    for stm in stms {
        match &stm.exp {
            Exp::If { then, orelse, .. } => {
                for branch in [then, orelse] {
                    flow(&branch.stms, reached);
                    for (binding, &result) in stm.pattern.iter().zip(&branch.results) {
                        pass(result, binding.var, reached);
                    }
                }
            }
            Exp::Loop { carried, body, .. } => {
                for (binding, init) in carried {
                    pass(*init, binding.var, reached);
                }
                flow(&body.stms, reached);
                for ((binding, _), &result) in carried.iter().zip(&body.results) {
                    pass(result, binding.var, reached);
                }
                for (binding, (from, _)) in stm.pattern.iter().zip(carried) {
                    pass(from.var.into(), binding.var, reached);
                }
            }
            _ => {}
        }
    }
}
