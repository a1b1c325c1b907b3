//! Statements, and the bodies that hold them.

use super::super::range::Range;
use super::scope::{Block, Builder, sum};
use reference::fun::syntax::{Atom, Se};
use reference::imp::syntax::{Kind, Stm, Ty};
use reference::kit::names::{Var, Wish};
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use std::collections::BTreeMap;

/// How often a statement may be executed.
const MOST_TIMES: i64 = 2_000;

/// Percentage of kernels and loops whose body assigns its own index.
const ASSIGNED: u32 = 6;

impl Builder<'_, '_> {
    /// The body of the program: a kernel is among its statements.
    pub(super) fn top(&mut self, most: usize) -> Vec<Stm> {
        let mut body = Vec::new();
        self.statements(most, &mut body);
        let outside = self.trouble_outside || self.trouble_in_results;
        if self.trouble > 0 && self.trouble_outside {
            self.get_stuck(&mut body);
        }
        if !body.iter().any(|stm| matches!(stm.kind, Kind::Kernel { .. }))
            || self.trouble > 0 && !outside
        {
            self.kernel(&mut body);
        }
        body
    }

    /// Adds up to `most` statements, each with those that it needs.
    fn statements(&mut self, most: usize, to: &mut Vec<Stm>) {
        for _ in 0..most {
            if self.left <= 0 || self.draw.is_spent() {
                break;
            }
            self.statement(to);
        }
    }

    fn statement(&mut self, to: &mut Vec<Stm>) {
        self.left -= 1;
        let inside = !self.threads.is_empty();
        let or0 = |weight: u32, fits: bool| if fits { weight } else { 0 };
        let roomy = self.times < MOST_TIMES / 2 && self.nested < 4;
        let kernel = [24, 9, 4, 0][self.threads.len().min(3)];
        let kinds = [
            16,
            18,
            22,
            or0(10, !inside),
            or0(kernel, roomy),
            or0(10, roomy),
            or0(11, roomy),
            7,
            or0(5, !self.blocks.is_empty()),
            1,
        ];
        match self.draw.weighed(&kinds) {
            1 => self.read(to),
            2 => self.write(to),
            3 => drop(self.allocate(to)),
            4 => self.kernel(to),
            5 => self.repeat(to),
            6 => self.branch(to),
            7 => self.check(to),
            8 => self.assign_block(to),
            9 => to.push(self.stm(Kind::Skip)),
            _ => self.assign(to),
        }
    }

    /// An int that may be anything: one in scope or a new one.
    fn some_wild(&mut self, to: &mut Vec<Stm>) -> Var {
        if !self.wild.is_empty() && self.draw.chance(60) {
            return self.draw.pick(&self.wild.clone());
        }
        let var = self.wild('x');
        let declared = self.stm(Kind::Var(var, Ty::Int));
        to.push(declared);
        var
    }

    fn assign(&mut self, to: &mut Vec<Stm>) {
        let value = self.value(2);
        let var = self.some_wild(to);
        let assigned = self.stm(Kind::Assign(var, value));
        to.push(assigned);
    }

    /// A block with an element that may be touched, and written if so wanted.
    fn some_block(&mut self, write: bool) -> Option<Block> {
        let fits = |block: &&Block| block.width > 0 && (block.writable || !write);
        let blocks: Vec<&Block> = self.blocks.iter().filter(fits).collect();
        let at = self.draw.below(blocks.len());
        // The latest one first, since nothing has used it yet.
        blocks.into_iter().rev().nth(at).cloned()
    }

    fn read(&mut self, to: &mut Vec<Stm>) {
        let Some(block) = self.some_block(false) else { return self.assign(to) };
        let offset = self.offset(&block);
        let into = self.some_wild(to);
        let read = self.stm(Kind::Read { into, block: block.var, offset });
        to.push(read);
    }

    fn write(&mut self, to: &mut Vec<Stm>) {
        let block = match self.some_block(true) {
            Some(block) => block,
            None if self.threads.is_empty() => self.allocate(to),
            None => return self.assign(to),
        };
        if block.width == 0 {
            return self.assign(to);
        }
        let (offset, value) = (self.offset(&block), self.value(2));
        let write = self.stm(Kind::Write { block: block.var, offset, value });
        to.push(write);
    }

    /// A fresh block, of one or two sizes multiplied.
    fn allocate(&mut self, to: &mut Vec<Stm>) -> Block {
        let (mut size, mut length) = {
            let (size, length) = self.size();
            (Se::from(size), length)
        };
        if self.draw.chance(30) {
            let (by, times) = self.size();
            if length * times <= 400 {
                (size, length) = (Se::bin(BinOp::Mul, size, by), length * times);
            }
        }
        self.fresh_block(size, length, to)
    }

    fn fresh_block(&mut self, size: Se, length: i64, to: &mut Vec<Stm>) -> Block {
        let var = self.names.fresh(Wish::Numbered('m'));
        let declared = self.stm(Kind::Var(var, Ty::Mem));
        let made = self.stm(Kind::Alloc(var, size));
        to.extend([declared, made]);
        let group = self.fresh_group();
        let block = Block::whole(var, length, group, self.threads.len());
        self.blocks.push(block.clone());
        block
    }

    /// A kernel with something to write. Each group of blocks is either written, each thread its own part,
    /// or only read.
    pub(super) fn kernel(&mut self, to: &mut Vec<Stm>) {
        let (count, threads) = self.count(400);
        let part = 1 + self.draw.weighed(&[6, 2, 1]) as i64;
        let has_room = self.blocks.iter().any(|block| block.writable && block.width >= threads);
        if self.threads.is_empty() && (!has_room || self.draw.chance(50)) && threads >= 0 {
            let size = match part {
                1 => Se::from(count),
                part => Se::bin(BinOp::Mul, count, part as i32),
            };
            self.fresh_block(size, threads * part, to);
        }
        let mut wanted: BTreeMap<u32, Option<i64>> = BTreeMap::new();
        for block in self.blocks.clone() {
            if block.writable && !wanted.contains_key(&block.group) {
                let most = block.width / threads.max(1);
                let written = most > 0 && self.draw.chance(70);
                wanted.insert(block.group, written.then(|| self.draw.between(1, most.min(4))));
            }
        }
        let outer = (self.times, self.nested);
        self.times *= threads.max(1);
        self.nested += 1;
        let (thread, body) = self.scoped(|builder| {
            let mut body = Vec::new();
            let (thread, index) =
                builder.index('t', Range { lo: 1, hi: threads.max(1) }, &mut body);
            for block in &mut builder.blocks {
                match wanted.get(&block.group).copied().flatten() {
                    Some(part) if block.writable => {
                        let index = Se::bin(BinOp::Sub, index, 1);
                        let own = match part {
                            1 => index,
                            part => Se::bin(BinOp::Mul, index, part as i32),
                        };
                        block.base = sum(block.base.clone(), own);
                        block.width = part;
                    }
                    _ => block.writable = false,
                }
            }
            builder.threads.push((index, threads));
            let most = 1 + builder.draw.below(5);
            builder.statements(most, &mut body);
            let here = builder.trouble > 0 && !builder.trouble_outside && threads > 0;
            if here
                && !builder.trouble_in_results
                && (builder.threads.len() > 1 || builder.draw.chance(85))
            {
                builder.get_stuck(&mut body);
            }
            builder.write(&mut body);
            builder.threads.pop();
            (thread, body)
        });
        (self.times, self.nested) = outer;
        let kernel = self.stm(Kind::Kernel { thread, count: count.into(), body });
        to.push(kernel);
    }

    /// The thread of a kernel or the counter of a loop, and what has its number in the body. Mostly it is the same; else
    /// the body assigns it, and starts with a copy.
    fn index(&mut self, letter: char, range: Range, to: &mut Vec<Stm>) -> (Var, Var) {
        if !self.draw.chance(ASSIGNED) {
            let index = self.fixed(letter, range);
            return (index, index);
        }
        let index = self.wild(letter);
        let copy = self.fixed('j', range);
        let declared = self.stm(Kind::Var(copy, Ty::Int));
        let copied = self.stm(Kind::Assign(copy, index.into()));
        let value = self.value(2);
        let assigned = self.stm(Kind::Assign(index, value));
        to.extend([declared, copied, assigned]);
        (index, copy)
    }

    /// How often something is done here, with the most that it may be.
    fn count(&mut self, most: i64) -> (Atom, i64) {
        let most = most.min(MOST_TIMES / self.times.max(1));
        let fits = |range: &Range| (0..=most).contains(&range.hi) && range.lo == range.hi;
        let counts: Vec<(Var, i64)> = self
            .fixed
            .iter()
            .filter(|(_, range)| fits(range))
            .map(|(var, range)| (*var, range.hi))
            .collect();
        if !counts.is_empty() && self.draw.chance(80) {
            let (var, hi) = self.draw.pick(&counts);
            return (var.into(), hi);
        }
        let k = self.draw.between(1, most.clamp(1, 6));
        (Atom::Const(k as i32), k)
    }

    /// A loop. Its rounds may let two blocks change places.
    fn repeat(&mut self, to: &mut Vec<Stm>) {
        let (mut count, mut rounds) = self.count(9);
        // As many rounds as the number of a thread or of a round around.
        let inner: Vec<(Var, i64)> = self
            .fixed
            .iter()
            .filter(|(_, range)| range.lo == 1 && range.hi > 1 && range.hi <= 9)
            .map(|(var, range)| (*var, range.hi))
            .collect();
        if !inner.is_empty() && self.draw.chance(30) {
            let (var, hi) = self.draw.pick(&inner);
            (count, rounds) = (var.into(), hi);
        }
        let outer = (self.times, self.nested);
        self.times *= rounds.max(1);
        self.nested += 1;
        let (counter, body) = self.scoped(|builder| {
            let mut body = Vec::new();
            let (counter, _) = builder.index('k', Range { lo: 1, hi: rounds.max(1) }, &mut body);
            let most = 1 + builder.draw.below(4);
            builder.statements(most, &mut body);
            if builder.draw.chance(30) {
                builder.change_places(&mut body);
            }
            if body.is_empty() {
                builder.assign(&mut body);
            }
            (counter, body)
        });
        (self.times, self.nested) = outer;
        let repeat = self.stm(Kind::For { counter, count: count.into(), body });
        to.push(repeat);
    }

    fn branch(&mut self, to: &mut Vec<Stm>) {
        let cond = if self.draw.chance(50) || self.wild.is_empty() {
            let value = self.value(1);
            let var = self.wild('c');
            let declared = self.stm(Kind::Var(var, Ty::Int));
            let assigned = self.stm(Kind::Assign(var, value));
            to.extend([declared, assigned]);
            var.into()
        } else {
            self.leaf()
        };
        self.nested += 1;
        let [then, orelse] = [3, 2].map(|most| {
            self.scoped(|builder| {
                let mut body = Vec::new();
                let most = builder.draw.below(most + 1);
                builder.statements(most, &mut body);
                body
            })
        });
        self.nested -= 1;
        let branch = self.stm(Kind::If { cond, then, orelse });
        to.push(branch);
    }

    /// A check that holds.
    fn check(&mut self, to: &mut Vec<Stm>) {
        let (size, extent) = self.size();
        let inside: Vec<(Var, Range)> = self
            .fixed
            .iter()
            .copied()
            .filter(|(_, range)| range.lo >= 1 && range.hi <= extent)
            .collect();
        let index = match inside.is_empty() {
            true => None,
            false => Some(self.draw.pick(&inside).0),
        };
        let (cause, operands) = match (self.draw.below(6), index) {
            (0 | 1, Some(index)) => (Cause::Index, vec![index.into(), size.into()]),
            (2, Some(index)) => {
                (Cause::OutsideBlock, vec![Se::bin(BinOp::Sub, index, 1), size.into()])
            }
            (3, Some(index)) => (Cause::Slice, vec![index.into(), 1.into(), 0.into(), size.into()]),
            (4, _) => {
                let divisor = Se::bin(BinOp::Or, self.leaf(), 1);
                (Cause::DivisionByZero, vec![self.value(1), divisor])
            }
            (5, _) => (Cause::NegativeCount, vec![size.into()]),
            _ => (Cause::NegativeSize, vec![size.into()]),
        };
        let check = self.stm(Kind::Check { cause, operands });
        to.push(check);
    }

    /// Another name of a block, or two blocks change places.
    fn assign_block(&mut self, to: &mut Vec<Stm>) {
        if self.draw.chance(40) {
            return self.change_places(to);
        }
        let block = self.draw.pick(&self.blocks.iter().collect::<Vec<_>>()).clone();
        let var = self.names.fresh(Wish::Numbered('b'));
        let declared = self.stm(Kind::Var(var, Ty::Mem));
        let assigned = self.stm(Kind::AssignMem(var, block.var));
        to.extend([declared, assigned]);
        self.blocks.push(Block { var, level: self.threads.len(), ..block });
    }

    /// Two blocks of the same length that were made here change places, if there are two.
    fn change_places(&mut self, to: &mut Vec<Stm>) {
        let level = self.threads.len();
        // With another name in scope the kernels of a loop would not know which block it names.
        let alone = |block: &Block| {
            self.blocks.iter().filter(|other| other.group == block.group).count() == 1
        };
        let own = |block: &&Block| block.level == level && block.writable && alone(block);
        let here: Vec<Block> = self.blocks.iter().filter(own).cloned().collect();
        let twins = |a: &Block| {
            let same = |b: &&Block| a.group != b.group && b.width == a.width && b.base == a.base;
            here.iter().find(same).map(|b| (a.var, b.var))
        };
        let pairs: Vec<(Var, Var)> =
            here.iter().filter(|a| a.base == Se::from(0)).filter_map(twins).collect();
        if pairs.is_empty() {
            return;
        }
        let (a, b) = self.draw.pick(&pairs);
        let between = self.names.fresh(Wish::Numbered('b'));
        for kind in [
            Kind::Var(between, Ty::Mem),
            Kind::AssignMem(between, a),
            Kind::AssignMem(a, b),
            Kind::AssignMem(b, between),
        ] {
            let stm = self.stm(kind);
            to.push(stm);
        }
    }
}
