//! Blocks as values: selected, carried, stored in variables, handed about, and made of parts of others.
//! Only those that all read go these ways, and each has an element at least.

use super::scope::{Held, Making, Mode};
use reference::device::syntax::{Element, Exp, Kind, Place, Sc, Ty, U32};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;

impl Making<'_, '_> {
    /// Is there a block that all read?
    pub(super) fn reads_blocks(&self) -> bool {
        self.held.iter().any(|held| held.mode == Mode::Input)
    }

    /// The type of elements of some block that all read, if there is one.
    pub(super) fn input_element(&mut self) -> Option<Sc> {
        let open = self.held.iter().filter(|held| held.mode == Mode::Input);
        let open: Vec<Sc> = open.map(|held| held.element).collect();
        (!open.is_empty()).then(|| self.draw.pick(&open))
    }

    /// A block of such elements that all may read, if there is one.
    pub(super) fn input_block(&mut self, element: Sc, depth: u32) -> Option<Exp> {
        let open = self.held.iter().filter(|it| it.mode == Mode::Input && it.element == element);
        let open: Vec<Held> = open.cloned().collect();
        if open.is_empty() {
            return None;
        }
        if depth > 0 && self.draw.chance(30) {
            let (a, b) = (self.input_block(element, depth - 1)?, self.input_block(element, 0)?);
            if self.draw.chance(60) {
                let cond = self.condition();
                return Some(Exp::select(cond, a, b));
            }
            let both =
                Exp::make(Ty::Array(Box::new(Ty::Block(Element::Plain(element))), 2), vec![a, b]);
            return Some(Exp::at(both, self.unsigned_below(2)));
        }
        Some(open[self.draw.below(open.len())].exp())
    }

    /// From here on all may read this block.
    pub(super) fn hold(&mut self, block: Var, element: Sc) {
        self.held.push(Held { block, element, mode: Mode::Input, variable: false });
    }

    /// A name for a block that all read, or for a part of one; or another block for such a variable.
    pub(super) fn block_value(&mut self) -> bool {
        let Some(element) = self.input_element() else { return false };
        let ty = Ty::Block(Element::Plain(element));
        match self.draw.below(6) {
            0 => self.rest(element),
            1 | 2 => {
                let Some(exp) = self.input_block(element, 2) else { return false };
                let block = self.fresh('b');
                self.emit(Kind::Let(block, ty, exp));
                self.hold(block, element);
                true
            }
            3 | 4 => {
                let Some(exp) = self.input_block(element, 1) else { return false };
                let block = self.fresh('x');
                self.emit(Kind::Var(block, ty, Some(exp)));
                self.held.push(Held { block, element, mode: Mode::Input, variable: true });
                true
            }
            _ => {
                let open = self.held.iter().filter(|it| it.variable && it.element == element);
                let open: Vec<_> = open.map(|it| it.block).collect();
                if open.is_empty() {
                    return self.rest(element);
                }
                let to = self.draw.pick(&open);
                let Some(exp) = self.input_block(element, 1) else { return false };
                self.emit(Kind::Store(Place::Var(to), exp));
                true
            }
        }
    }

    /// `let b : block[T] = block(T, base(c) + k, length(c) - o)`: a block from some element of another on.
    fn rest(&mut self, element: Sc) -> bool {
        let Some(from) = self.input_block(element, 0) else { return false };
        let of = || Box::new(from.clone());
        let (offset, words) = if self.draw.chance(40) {
            (Exp::u32(0), Exp::u32(0))
        } else {
            let offset = self.fresh('o');
            let within = Exp::bin(BinOp::Rem, self.scalar(Sc::U32, 1), Exp::Length(of()));
            self.emit(Kind::Let(offset, U32, within));
            let words = match element.words() {
                1 => Exp::Var(offset),
                words => Exp::bin(BinOp::Mul, Exp::Var(offset), Exp::u32(words)),
            };
            (Exp::Var(offset), words)
        };
        let base = Exp::bin(BinOp::Add, Exp::Base(of()), words);
        let length = Exp::bin(BinOp::Sub, Exp::Length(of()), offset);
        let block = self.fresh('b');
        let made = Exp::block(Element::Plain(element), base, length);
        self.emit(Kind::Let(block, Ty::Block(Element::Plain(element)), made));
        self.hold(block, element);
        true
    }
}
