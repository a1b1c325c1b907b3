//! Statements. What is left to do of a body is a stack of frames, so that an item can stop at a barrier in the midst of it.

use super::{Form, Run};
use crate::kit::run::Eval;
use crate::kit::text::Span;
use crate::minias::rules::Rule;
use crate::minias::syntax::{Cond, Decl, For, Init, Space, Stmt, StmtKind};
use crate::minias::values::{Layout, Word};

/// What is left to do.
#[derive(Debug)]
pub(super) enum Frame<'p, E: Form> {
    /// These statements.
    Stmts(&'p [Stmt<E>]),
    /// This loop, from its condition on.
    While(&'p Stmt<E>, &'p E, &'p Stmt<E>),
    /// This loop, from its first part on, or from its last one.
    For(&'p Stmt<E>, &'p For<E>, bool),
    /// The end of a statement, whose node of the derivation is open.
    Ends,
}

/// Why a step ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum Flow {
    /// Nothing is left to do.
    End,
    /// A function returns, with a value unless it is of `void`.
    Return(Option<Word>),
    /// A kernel waits at a barrier of this memory.
    Barrier(Space, Span),
}

impl<'p, E: Form> Run<'p, '_, E> {
    /// Makes what is left to do, up to its end, a `return` or a barrier.
    pub(super) fn frames(&mut self, frames: &mut Vec<Frame<'p, E>>) -> Eval<Flow> {
        while let Some(frame) = frames.last_mut() {
            match frame {
                Frame::Stmts(left) => match left.split_first() {
                    None => {
                        frames.pop();
                    }
                    Some((stmt, rest)) => {
                        *left = rest;
                        if let Some(flow) = self.stmt(stmt, frames)? {
                            return Ok(flow);
                        }
                    }
                },
                Frame::While(stmt, condition, body) => {
                    let (stmt, condition, body) = (*stmt, *condition, *body);
                    self.meter.charge(1)?;
                    self.starts(Rule::EWhile, stmt);
                    self.round(condition, body, frames)?;
                }
                Frame::For(stmt, parts, again) => {
                    let (stmt, parts) = (*stmt, *parts);
                    let before = if std::mem::replace(again, true) {
                        parts.next.as_ref()
                    } else {
                        parts.first.as_ref()
                    };
                    self.starts(Rule::EFor, stmt);
                    before.map_or(Ok(()), |before| self.simple(before))?;
                    self.meter.charge(1)?;
                    self.round(&parts.while_, &parts.body, frames)?;
                }
                Frame::Ends => {
                    frames.pop();
                    self.close(self.open - 1);
                }
            }
        }
        Ok(Flow::End)
    }

    /// A round of the loop whose node is open, if the condition holds; else the loop is over.
    fn round(
        &mut self,
        condition: &'p E,
        body: &'p Stmt<E>,
        frames: &mut Vec<Frame<'p, E>>,
    ) -> Eval {
        if self.exp(condition)?.holds() {
            self.body(std::slice::from_ref(body), frames);
        } else {
            frames.pop();
            self.close(self.open - 1);
        }
        Ok(())
    }

    /// What is left to do of a statement whose node is open. Where no tree is kept the node ends here, and no frame says so.
    fn body(&mut self, left: &'p [Stmt<E>], frames: &mut Vec<Frame<'p, E>>) {
        if self.to.keeps_tree() {
            frames.push(Frame::Ends);
        } else {
            self.close(self.open - 1);
        }
        frames.push(Frame::Stmts(left));
    }

    /// A statement, or the frames that it becomes.
    fn stmt(&mut self, stmt: &'p Stmt<E>, frames: &mut Vec<Frame<'p, E>>) -> Eval<Option<Flow>> {
        match &stmt.kind {
            StmtKind::Block(body) => {
                self.starts(Rule::EBlock, stmt);
                self.body(body, frames);
            }
            StmtKind::If(cond, then, otherwise) => {
                self.meter.statement()?;
                self.starts(Rule::EIf, stmt);
                let holds = match cond {
                    Cond::Exp(exp) => self.exp(exp)?.holds(),
                    Cond::Decl(decl) => {
                        self.e_decl(decl)?;
                        let (at, _) = self.home(decl.var);
                        self.read(Rule::EVar, Word::Pointer(at), decl.span)?.holds()
                    }
                };
                let arm = if holds { Some(&**then) } else { otherwise.as_deref() };
                self.body(arm.map_or(&[], std::slice::from_ref), frames);
            }
            StmtKind::While(condition, body) => frames.push(Frame::While(stmt, condition, body)),
            StmtKind::For(parts) => frames.push(Frame::For(stmt, parts, false)),
            StmtKind::Return(exp) => {
                self.meter.statement()?;
                self.starts(Rule::EReturn, stmt);
                let word = exp.as_ref().map(|exp| self.exp(exp)).transpose()?;
                match word {
                    Some(word) => self.leave(word),
                    None => self.close(self.open - 1),
                }
                frames.clear();
                return Ok(Some(Flow::Return(word)));
            }
            StmtKind::Barrier(space) => {
                self.meter.statement()?;
                self.starts(Rule::EBarrier, stmt);
                return Ok(Some(Flow::Barrier(*space, stmt.span)));
            }
            StmtKind::Empty | StmtKind::Decl(_) | StmtKind::Exp(_) | StmtKind::Assign(..) => {
                self.simple(stmt)?;
            }
        }
        Ok(None)
    }

    /// A statement without statements in it.
    fn simple(&mut self, stmt: &'p Stmt<E>) -> Eval {
        self.meter.statement()?;
        match &stmt.kind {
            StmtKind::Empty => self.starts(Rule::EEmpty, stmt),
            StmtKind::Exp(exp) => {
                self.starts(Rule::EExpr, stmt);
                self.exp(exp)?;
            }
            StmtKind::Decl(decl) => {
                self.starts(Rule::EDecl, stmt);
                self.e_decl(decl)?;
            }
            StmtKind::Assign(place, value) => self.e_assign(stmt, place, value)?,
            other => unreachable!("{other:?} is no simple statement"),
        }
        self.close(self.open - 1);
        Ok(())
    }

    /// `E-DECL`: the values, then the variable is set anew. Local memory stays as it is.
    fn e_decl(&mut self, decl: &'p Decl<E>) -> Eval {
        let mut words = Vec::new();
        for exp in decl.init.iter().flat_map(Init::exps) {
            words.push(self.exp(exp)?);
        }
        let (at, _) = self.home(decl.var);
        if at.space == Space::Local {
            return Ok(());
        }
        let zero = if decl.ty.stars.is_empty() { Word::Int(0) } else { Word::Null };
        let range = self.item.private.range(at.block);
        self.meter.charge(crate::kit::outcome::cells(range.len() as u64))?;
        let cells = &mut self.item.private.cells[range];
        cells.fill(zero);
        cells[..words.len()].copy_from_slice(&words);
        Ok(())
    }

    /// `E-ASSIGN` to a variable, `E-STORE` through a pointer: first the place, then the value, then the access.
    fn e_assign(&mut self, stmt: &'p Stmt<E>, place: &'p E, value: &'p E) -> Eval {
        let (rule, at) = match place.variable() {
            None => {
                self.starts(E::STORE, stmt);
                (E::STORE, E::place(self, place)?)
            }
            Some(var) => {
                self.starts(Rule::EAssign, stmt);
                (Rule::EAssign, Word::Pointer(self.home(var).0))
            }
        };
        let word = self.exp(value)?;
        self.write(rule, at, word, place.span())
    }

    /// The private blocks of an activation, the parameters first.
    pub(super) fn activate(&mut self, layout: &Layout<'p, E>, args: &[Word]) -> Eval {
        self.item.base = self.item.private.blocks();
        for slot in &layout.private {
            let length = slot.extent.unwrap_or(1);
            self.take(length.into())?;
            self.item.private.block(slot.var, std::iter::repeat_n(slot.zero, length as usize));
        }
        for (at, arg) in args.iter().enumerate() {
            let block = (self.item.base + at) as u32;
            let place = self.item.private.place(block, 0);
            self.item.private.cells[place] = *arg;
        }
        Ok(())
    }

    /// A call: an activation, whose blocks live on only if a pointer to one may. None if it is of `void`.
    pub(super) fn call(&mut self, layout: &Layout<'p, E>, args: &[Word]) -> Eval<Option<Word>> {
        let (base, blocks) = (self.item.base, self.item.private.blocks());
        let left = self.memory;
        self.activate(layout, args)?;
        let body = layout.function.body.as_deref().expect("a function that is called has a body");
        let mut frames = vec![Frame::Stmts(body)];
        let open = self.open;
        let word = match self.frames(&mut frames)? {
            Flow::Return(word) => word,
            Flow::End => None,
            Flow::Barrier(..) => unreachable!("typing promised that barriers stand in kernels"),
        };
        self.close(open);
        self.item.base = base;
        if !layout.escapes {
            let kept = self.item.private.blocks();
            // What the callees of this function keep stays too.
            if kept == blocks + layout.private.len() {
                self.item.private.truncate(blocks);
                self.memory = left;
            }
        }
        Ok(word)
    }
}
