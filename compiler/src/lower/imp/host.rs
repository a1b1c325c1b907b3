//! Statements outside of kernels. On the host every expression of an offset, a size or a count is
//! evaluated exactly, and gets stuck as IMP does, so expressions stay as they are.

use super::begin::{Begun, begun};
use super::copies::Copy;
use super::{Bound, Lower, counted, device_type, nothing, round};
use crate::lower::address;
use reference::device::syntax::{Element, Exp, Host, HostBlock, I32, I64, If, Sc, Stm, Ty};
use reference::fun::syntax::Se;
use reference::imp::syntax as imp;
use reference::kit::names::Var;
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::{Refused, Span};

impl<'p> Lower<'p> {
    pub(super) fn host_block(&mut self, stms: &'p [imp::Stm]) -> Result<HostBlock, Refused> {
        let mut out = Vec::with_capacity(stms.len());
        self.host_stms(stms, &mut out)?;
        Ok(out)
    }

    fn host_stms(&mut self, stms: &'p [imp::Stm], out: &mut HostBlock) -> Result<(), Refused> {
        for stm in begun(stms) {
            self.begins(stm).try_for_each(|stm| self.host_stm(stm, out))?;
        }
        Ok(())
    }

    /// A variable is given a value; its type, if it is declared here.
    fn host_assign(&mut self, var: Var, declares: Option<imp::Ty>, value: Exp) -> Host {
        let Some(ty) = declares else { return Host::Assign(vec![(var, value)]) };
        self.declare(var, Bound::Value(var, ty));
        Host::Let(var, device_type(ty), value)
    }

    /// The variable that a statement makes for a value of `var`; and if that is another one, `var` is to be
    /// given its value.
    fn made(&mut self, var: Var, declares: Option<imp::Ty>) -> (Var, Option<Exp>) {
        match declares {
            Some(ty) if self.assignments.is_once(var) => {
                self.declare(var, Bound::Value(var, ty));
                (var, None)
            }
            _ => {
                let made = self.like(var);
                (made, Some(Exp::Var(made)))
            }
        }
    }

    fn host_stm(
        &mut self,
        Begun { stm, declares, .. }: Begun<'p>,
        out: &mut HostBlock,
    ) -> Result<(), Refused> {
        let span = stm.span;
        let kind = match &stm.kind {
            imp::Kind::Skip => return Ok(()),
            imp::Kind::Var(var, ty) => {
                self.declare(*var, Bound::Value(*var, *ty));
                Host::Let(*var, device_type(*ty), nothing(*ty))
            }
            imp::Kind::Assign(var, se) => {
                let value = self.se(se);
                self.host_assign(*var, declares, value)
            }
            imp::Kind::AssignMem(var, from) => {
                let from = self.host_block_of(span, *from, out);
                let kind = self.host_assign(*var, declares, from);
                self.assigned.insert(*var);
                kind
            }
            imp::Kind::Alloc(var, size) => {
                let size = self.se(size);
                let (block, other) = self.made(*var, declares);
                out.push(Stm {
                    span,
                    kind: Host::Alloc { block, element: Element::Plain(Sc::I32), size },
                });
                let other = other.map(|made| self.host_assign(*var, declares, made));
                self.assigned.insert(*var);
                let Some(kind) = other else { return Ok(()) };
                kind
            }
            imp::Kind::Read { into, block, offset } => {
                let (block, offset) = self.host_element(span, *block, offset, out);
                let (read, other) = self.made(*into, declares);
                out.push(Stm { span, kind: Host::Read { into: read, block, offset } });
                let Some(made) = other else { return Ok(()) };
                self.host_assign(*into, declares, made)
            }
            imp::Kind::Write { block, offset, value } => {
                let mut written = self.se(value);
                if address::partial(value) {
                    written = self.host_name(span, I32, written, "value", out);
                }
                let (block, offset) = self.host_element(span, *block, offset, out);
                Host::Write { block, offset, value: written }
            }
            imp::Kind::If { cond, then, orelse } => {
                let cond = Exp::bin(BinOp::Ne, self.atom(*cond), Exp::i32(0));
                let before = self.assigned.clone();
                let then = self.host_block(then)?;
                let after_then = std::mem::replace(&mut self.assigned, before);
                let orelse = self.host_block(orelse)?;
                self.assigned.and(&after_then);
                Host::If(If { cond, then, orelse })
            }
            imp::Kind::For { counter, count, body } => {
                let n = self.host_count(span, Cause::NegativeCount, count, out);
                let before = self.assigned.clone();
                let rounds = self.names.fresh("rounds");
                self.bind(*counter, Bound::Count(*counter));
                if self.reassigns(*counter, body) {
                    self.bind(*counter, Bound::Value(*counter, imp::Ty::Int));
                }
                let first = Stm { span, kind: Host::Let(*counter, I32, round(rounds)) };
                let mut inner = Vec::with_capacity(body.len() + 1);
                inner.push(first);
                self.host_stms(body, &mut inner)?;
                self.assigned = before;
                Host::Loop(Box::new(counted(rounds, n, inner)))
            }
            imp::Kind::Kernel { thread, count, body } => {
                let copy = Copy::of(stm).filter(|copy| self.has_blocks(copy));
                let what = || "a kernel that only copies is a copy by the host".to_owned();
                match copy.filter(|_| self.decisions.decide(what)) {
                    Some(copy) => self.copy(&copy),
                    None => {
                        let n = self.host_count(span, Cause::NegativeSize, count, out);
                        Host::Par(self.par(span, *thread, n, body, &mut Vec::new())?)
                    }
                }
            }
            imp::Kind::Check { cause, .. } if self.dropped(*cause) => return Ok(()),
            imp::Kind::Check { cause, operands } => {
                let operands = operands.iter().map(|se| self.host_exact(se)).collect();
                Host::Check(self.check(span, *cause, operands, &[]))
            }
        };
        out.push(Stm { span, kind });
        Ok(())
    }

    fn host_block_of(&mut self, span: Span, var: Var, out: &mut HostBlock) -> Exp {
        self.block_of(span, var, &[], Host::If, Host::Check, out)
    }

    /// A block and an offset in it, which is evaluated before it is asked whether there is a block.
    fn host_element(
        &mut self,
        span: Span,
        block: Var,
        offset: &Se,
        out: &mut HostBlock,
    ) -> (Exp, Exp) {
        let at = if address::partial(offset) && !self.assigned.has(block) {
            let exact = self.host_exact(offset);
            self.host_name(span, I64, exact, "offset", out)
        } else {
            self.se(offset)
        };
        (self.host_block_of(span, block, out), at)
    }

    /// A name for a value.
    fn host_name(
        &mut self,
        span: Span,
        ty: Ty,
        value: Exp,
        wish: &'static str,
        out: &mut HostBlock,
    ) -> Exp {
        let var = self.names.fresh(wish);
        out.push(Stm { span, kind: Host::Let(var, ty, value) });
        Exp::Var(var)
    }

    /// An operand of a check: an i32, or in 64 bits where 32 bits could wrap.
    fn host_exact(&self, se: &Se) -> Exp {
        match se {
            Se::Atom(atom) => self.atom(*atom),
            Se::Bin(..) => address::wide(se, self),
        }
    }

    /// Binds a count, checks it, and gives up where it is beyond 32 bits.
    fn host_count(&mut self, span: Span, cause: Cause, count: &Se, out: &mut HostBlock) -> Exp {
        let mut push = |kind: Host| out.push(Stm { span, kind });
        let mut n = self.names.fresh("n");
        if let Se::Atom(atom) = count {
            push(Host::Let(n, I32, self.atom(*atom)));
            push(Host::Check(self.check(span, cause, vec![Exp::Var(n)], &[])));
        } else {
            push(Host::Let(n, I64, self.host_exact(count)));
            push(Host::Check(self.check(span, cause, vec![Exp::Var(n)], &[])));
            push(Host::Check(self.check(span, Cause::Width, vec![Exp::Var(n)], &[])));
            let narrow = Exp::Cast(Sc::I32, Box::new(Exp::Var(n)));
            n = self.names.fresh("n");
            push(Host::Let(n, I32, narrow));
        }
        Exp::Var(n)
    }
}
