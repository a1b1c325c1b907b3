//! The host: blocks, and what happens between launches.

use super::scope::Making;
use reference::device::syntax::{
    Check, Copy, Element, Exp, Host, HostBlock, I32, Sc, Site, Size, Stm, Strided, Ty,
};
use reference::kit::names::Var;
use reference::kit::outcome::{Cause, Value};
use reference::kit::scalar::BinOp;

/// A block of the host and how many elements it has at least.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned {
    pub(super) block: Var,
    pub(super) element: Element,
    pub(super) length: u32,
    /// What it may be the same as, or a part of: itself, where it was allocated under this name.
    pub(super) of: [Var; 2],
}

impl Owned {
    pub(super) fn new(block: Var, element: Element, length: u32) -> Self {
        Self { block, element, length, of: [block; 2] }
    }

    /// May the two have elements in common?
    pub(super) fn meets(&self, other: &Owned) -> bool {
        self.of.iter().any(|var| other.of.contains(var))
    }

    /// May it be this, or a part of it?
    pub(super) fn may_be_of(&self, block: Var) -> bool {
        self.of.contains(&block)
    }

    /// Is it a name for what has other names?
    pub(super) fn is_view(&self) -> bool {
        self.of != [self.block; 2]
    }
}

/// A host variable that is no i32.
#[derive(Clone, Copy, Debug)]
pub(super) struct Other {
    pub(super) var: Var,
    pub(super) sc: Sc,
    /// May a kernel compute with it?
    pub(super) kept: bool,
}

/// The host in the making.
pub(super) struct Hosting<'m, 'u, 'b> {
    pub(super) making: &'m mut Making<'u, 'b>,
    pub(super) stms: HostBlock,
    pub(super) blocks: Vec<Owned>,
    /// Blocks of f32 that no kernel is given: what it made of them would be open.
    pub(super) open: Vec<Owned>,
    /// Host variables of i32, with their values where these are known.
    pub(super) ints: Vec<(Var, Option<i32>)>,
    /// Host variables of u32, i64 and floats.
    pub(super) others: Vec<Other>,
    pub(super) input: Vec<Value>,
    /// Are we in no branch and no loop?
    pub(super) outermost: bool,
}

impl Making<'_, '_> {
    /// Makes kernels, the host that launches them, and the input that it starts from.
    pub(super) fn host(&mut self) -> Vec<Value> {
        let kernels = 1 + self.draw.weighed(&[5, 4, 2]);
        let mut host = Hosting {
            making: self,
            stms: Vec::new(),
            blocks: Vec::new(),
            open: Vec::new(),
            ints: Vec::new(),
            others: Vec::new(),
            input: Vec::new(),
            outermost: true,
        };
        host.parameters();
        for number in 0..kernels {
            host.making.kernel();
            for _ in 0..host.making.draw.weighed(&[0, 6, 2]) {
                host.between();
                host.launch(number);
            }
        }
        if host.making.draw.chance(25) {
            host.parallel();
        }
        if host.making.trouble {
            host.get_stuck();
        }
        host.results();
        let Hosting { stms, input, .. } = host;
        self.program.host = stms;
        input
    }
}

impl Hosting<'_, '_, '_> {
    pub(super) fn say(&mut self, kind: Host) {
        let span = self.making.span();
        self.stms.push(Stm { span, kind });
    }

    /// Makes a body of its own, whose names are out of scope afterwards.
    pub(super) fn body(&mut self, make: impl FnOnce(&mut Self)) -> HostBlock {
        let outer = std::mem::take(&mut self.stms);
        let (blocks, ints) = (self.blocks.len(), self.ints.len());
        let (open, others) = (self.open.len(), self.others.len());
        let outermost = std::mem::replace(&mut self.outermost, false);
        make(self);
        self.outermost = outermost;
        self.blocks.truncate(blocks);
        self.ints.truncate(ints);
        self.open.truncate(open);
        self.others.truncate(others);
        std::mem::replace(&mut self.stms, outer)
    }

    /// An i32 of this value.
    pub(super) fn exactly(&mut self, value: i32) -> Exp {
        let known = self.ints.iter().filter_map(|(var, k)| k.map(|k| (*var, k)));
        let known: Vec<(Var, i32)> = known.collect();
        if known.is_empty() || self.making.draw.chance(50) {
            return Exp::i32(value);
        }
        let (var, k) = self.making.draw.pick(&known);
        if value == k {
            return Exp::Var(var);
        }
        match k != 0 && value % k == 0 {
            true => Exp::bin(BinOp::Mul, Exp::Var(var), Exp::i32(value / k)),
            false => Exp::bin(BinOp::Add, Exp::Var(var), Exp::i32(value.wrapping_sub(k))),
        }
    }

    /// A block of at least so many elements that has none of those that are taken.
    pub(super) fn block(&mut self, element: Element, length: u32, taken: &[Owned]) -> Owned {
        let length = length.max(1);
        let fits = |it: &&Owned| {
            let free = !taken.iter().any(|other| other.meets(it));
            it.element == element && it.length >= length && free
        };
        let fitting: Vec<Owned> = self.blocks.iter().filter(fits).copied().collect();
        if !fitting.is_empty() && self.making.draw.chance(65) {
            return self.making.draw.pick(&fitting);
        }
        let length = length + self.making.draw.below(3) as u32;
        let size = self.exactly(length as i32);
        let block = self.making.fresh('m');
        self.say(Host::Alloc { block, element, size });
        let owned = Owned::new(block, element, length);
        self.blocks.push(owned);
        if self.making.initialises {
            self.fill(owned);
        }
        owned
    }

    /// Writes a literal to each element.
    fn fill(&mut self, Owned { block, element, length, .. }: Owned) {
        let (round, span) = (self.making.fresh('i'), self.making.span());
        let value = self.making.literal(element.sc());
        let write = Host::Write { block: Exp::Var(block), offset: Exp::Var(round), value };
        let body = self.body(|host| host.say(write));
        self.loop_of((round, span), length as i32, (Vec::new(), Vec::new()), body);
    }

    /// Something between two launches.
    pub(super) fn between(&mut self) {
        match self.making.draw.below(12) {
            0 => {
                let Owned { block, element, length, .. } = self.making.draw.pick(&self.blocks);
                let offset = self.making.draw.below(length as usize) as i32;
                let value = self.making.literal(element.sc());
                let offset = self.exactly(offset);
                self.say(Host::Write { block: Exp::Var(block), offset, value });
            }
            1 => {
                let Owned { block, element, length, .. } = self.making.draw.pick(&self.blocks);
                let offset = self.making.draw.below(length as usize) as i32;
                let offset = self.exactly(offset);
                let into = self.making.fresh('e');
                self.say(Host::Read { into, block: Exp::Var(block), offset });
                match element.sc() {
                    Sc::I32 => self.ints.push((into, None)),
                    sc => self.others.push(Other { var: into, sc, kept: true }),
                }
            }
            2 => {
                let from = self.making.draw.pick(&self.blocks);
                if self.making.forgetful && from.length > 2 {
                    return self.shift(from);
                }
                let count = 1 + self.making.draw.below(from.length.min(20) as usize) as u32;
                let to = self.copied(from.element);
                let to = self.block(to, count, &[from]);
                let offsets = [from, to]
                    .map(|it| self.making.draw.below((it.length - count + 1) as usize) as i32);
                if self.making.draw.chance(40) {
                    return self.copy_rows(count, (from.block, offsets[0]), (to.block, offsets[1]));
                }
                let [from_offset, to_offset] = offsets.map(|offset| self.exactly(offset));
                let count = self.exactly(count as i32);
                let from = (Exp::Var(from.block), from_offset);
                let to = (Exp::Var(to.block), to_offset);
                self.copy(count, from, to);
            }
            4 if self.outermost && self.blocks.len() > 2 => self.free(),
            5 | 6 => self.view(),
            7 => self.check(),
            8 => self.move_open(),
            9 => self.compute(),
            3 => {
                let (var, _) = self.making.draw.pick(&self.ints);
                let exp = Exp::bin(BinOp::Mul, Exp::Var(var), Exp::i32(-7));
                let new = self.making.fresh('e');
                self.say(Host::Let(new, I32, exp));
                self.ints.push((new, None));
            }
            _ => {}
        }
    }

    /// Elements that are copied to from these: of the same type, atomic or not.
    fn copied(&mut self, from: Element) -> Element {
        match from {
            Element::Atomic(sc) if self.making.draw.chance(50) => Element::Plain(sc),
            Element::Plain(sc @ (Sc::I32 | Sc::U32)) if self.making.draw.chance(15) => {
                Element::Atomic(sc)
            }
            same => same,
        }
    }

    /// Copies elements in a row.
    fn copy(&mut self, count: Exp, from: (Exp, Exp), to: (Exp, Exp)) {
        let copy = Copy::in_a_row(self.making.span(), count, from, to);
        self.say(Host::Copy(Box::new(copy)));
    }

    /// Copies each element to the place of the next one, which is read as well.
    fn shift(&mut self, Owned { block, length, .. }: Owned) {
        let count = self.exactly(length as i32 - 1);
        let [from, to] = [0, 1].map(|offset| (Exp::Var(block), self.exactly(offset)));
        self.copy(count, from, to);
    }

    /// Copies rows of elements, at most so many of them in all, with the lowest ones at these offsets.
    fn copy_rows(&mut self, most: u32, from: (Var, i32), to: (Var, i32)) {
        let rows = 1 + self.making.draw.below(most.min(5) as usize) as i32;
        let columns = most as i32 / rows;
        let (from, to) = (self.laid_out((rows, columns), from), self.laid_out((rows, columns), to));
        let span = self.making.span();
        let sizes = [rows, columns].map(|size| Size { span, exp: self.exactly(size) }).into();
        self.say(Host::Copy(Box::new(Copy { sizes, from, to })));
    }

    /// Rows in some order, or columns.
    fn laid_out(&mut self, (rows, columns): (i32, i32), (block, lowest): (Var, i32)) -> Strided {
        let (first, strides) = self.making.draw.pick(&[
            (0, [columns, 1]),
            (0, [1, rows]),
            ((rows - 1) * columns, [-columns, 1]),
            (columns - 1, [columns, -1]),
        ]);
        let span = self.making.span();
        let offset = self.exactly(lowest + first);
        let strides = strides.map(|stride| self.exactly(stride)).into();
        Strided { span, block: Exp::Var(block), offset, strides }
    }

    /// A block is not used again, and neither is what may be a part of it.
    fn free(&mut self) {
        let freed = self.making.draw.pick(&self.blocks);
        if freed.is_view() {
            return;
        }
        self.blocks.retain(|it| !it.meets(&freed));
        if self.blocks.is_empty() {
            self.blocks.push(freed);
            return;
        }
        self.say(Host::Free(Exp::Var(freed.block)));
    }

    /// Another name: for one of two blocks, or for a block from some element on.
    fn view(&mut self) {
        let from = self.making.draw.pick(&self.blocks);
        if from.is_view() {
            return;
        }
        let of = || Exp::Var(from.block);
        let fits = |it: &&Owned| it.element == from.element && !it.is_view();
        let others: Vec<Owned> = self.blocks.iter().filter(fits).copied().collect();
        let (exp, length, other) = if self.making.draw.chance(50) {
            let other = self.making.draw.pick(&others);
            let cond = self.condition();
            let exp = Exp::select(cond, of(), Exp::Var(other.block));
            (exp, from.length.min(other.length), other)
        } else {
            let first = self.making.draw.below(from.length as usize) as u32;
            let words = Exp::u32(first * from.element.words());
            let base = Exp::bin(BinOp::Add, Exp::Base(Box::new(of())), words);
            let length = Exp::bin(BinOp::Sub, Exp::Length(Box::new(of())), Exp::u32(first));
            let exp = Exp::block(from.element, base, length);
            (exp, from.length - first, from)
        };
        let block = self.making.fresh('m');
        self.say(Host::Let(block, Ty::Block(from.element), exp));
        let of = [from.block, other.block];
        self.blocks.push(Owned { block, element: from.element, length, of });
    }

    /// A check that holds.
    fn check(&mut self) {
        let (var, _) = self.making.draw.pick(&self.ints);
        let small = Exp::bin(BinOp::And, Exp::Var(var), Exp::i32(7));
        let (cause, operands) = match self.making.draw.below(3) {
            0 => (Cause::NegativeSize, vec![small]),
            1 => (Cause::OutsideBlock, vec![small, Exp::u32(8)]),
            _ => (Cause::DivisionByZero, vec![small, Exp::i64(-1)]),
        };
        let span = self.making.span();
        let site = self.making.program.sites.len() as u32;
        self.making.program.sites.push(Site { span, cause });
        let kind = Host::Check(Check { site, operands, path: Vec::new(), order: None });
        self.stms.push(Stm { span, kind });
    }

    /// A condition, of bool.
    pub(super) fn condition(&mut self) -> Exp {
        let (var, _) = self.making.draw.pick(&self.ints);
        let op = self.making.draw.pick(&[BinOp::Gt, BinOp::Ne, BinOp::Le]);
        let than = self.making.draw.between(-3, 9) as i32;
        Exp::bin(op, Exp::Var(var), Exp::i32(than))
    }

    /// A scalar argument.
    pub(super) fn scalar(&mut self, sc: Sc) -> Exp {
        let (var, known) = self.making.draw.pick(&self.ints);
        let kept = self.others.iter().filter(|other| other.kept && other.sc == sc);
        let kept: Vec<Var> = kept.map(|other| other.var).collect();
        if !kept.is_empty() && self.making.draw.chance(50) {
            return Exp::Var(self.making.draw.pick(&kept));
        }
        match sc {
            // Any number could be too large.
            Sc::F32 if known.is_none() => self.making.literal(sc),
            _ if self.making.draw.chance(40) => self.making.literal(sc),
            Sc::I32 => Exp::Var(var),
            _ => Exp::Cast(sc, Box::new(Exp::Var(var))),
        }
    }

    /// An access beyond a block, or a block of negative size.
    fn get_stuck(&mut self) {
        self.making.trouble = false;
        let owned = self.making.draw.pick(&self.blocks);
        let Owned { block, element, length, .. } = owned;
        let from = Exp::Var(block);
        let offset = Exp::i32(if self.making.draw.chance(50) { -1 } else { 100_000 });
        match self.making.draw.below(5) {
            0 => {
                let value = match self.making.draw.chance(40) {
                    // What is written is evaluated before it is asked whether the element is there.
                    true => {
                        let (var, _) = self.making.draw.pick(&self.ints);
                        let quotient = Exp::bin(BinOp::Div, Exp::Var(var), Exp::i32(0));
                        Exp::Cast(element.sc(), Box::new(quotient))
                    }
                    false => self.making.literal(element.sc()),
                };
                self.say(Host::Write { block: from, offset, value });
            }
            1 => {
                let block = self.making.fresh('m');
                self.say(Host::Alloc { block, element, size: Exp::i32(-3) });
            }
            2 | 3 => {
                let to = Exp::Var(self.block(element, 1, &[owned]).block);
                let less = self.making.draw.chance(50);
                let count = if less { Exp::i32(-1) } else { Exp::i32(length as i32) };
                self.copy(count, (from, offset), (to, Exp::i32(0)));
            }
            _ => {
                let into = self.making.fresh('e');
                self.say(Host::Read { into, block: from, offset });
            }
        }
    }
}
