//! Loops: by length, of halves or of neighbours, and by what the array holds.

use super::super::range::Range;
use super::builder::{Base, Builder};
use reference::fcl::syntax::{Exp, Level, Op};
use reference::kit::names::Var;

impl Builder<'_, '_> {
    /// A loop over an array of this level: the array that it ends with, which is in memory, with its type, its
    /// length and the cost of an element.
    pub(super) fn repeat(&mut self, level: u32, depth: usize) -> (Exp, Base, i64, i64) {
        let by_content = self.wanted.by_content || self.draw.chance(35);
        let neighbours = self.wanted.neighbours || self.draw.chance(30);
        (self.wanted.by_content, self.wanted.neighbours) = (false, false);
        let longest = (600 / self.times.max(1)).clamp(1, 70);
        let sizes = [4, 8, 5, 16, 7, 2, 1, 33, 64, 70, 12];
        let len = self.draw.pick(&sizes).min(longest);
        match by_content {
            true => (self.by_content(level, len), Base::Int, len, 0),
            false => {
                let ty = self.base();
                (self.by_length(&ty, level, len, neighbours, depth), ty, 1, 0)
            }
        }
    }

    /// `while (fn a => 1 != lengthPull a) step xs`: each round combines two elements.
    fn by_length(
        &mut self,
        ty: &Base,
        level: u32,
        len: i64,
        neighbours: bool,
        depth: usize,
    ) -> Exp {
        let a = self.fresh('a');
        let (one, of) = (self.int(1), self.var(a));
        let length = self.call1(Op::LengthPull, of);
        let cond = match self.draw.chance(50) {
            true => self.call2(Op::Neq, one, length),
            false => self.call2(Op::Lt, one, length),
        };
        let cond = self.lambda(a, cond);
        let step = self.halving(ty, level, neighbours);
        let first = self.push(ty, len, level, depth.min(1));
        self.call3(Op::While, cond, step, first)
    }

    /// `fn a => let h = lengthPull a div 2 in push <level> (generate h (fn i => …))`
    fn halving(&mut self, ty: &Base, level: u32, neighbours: bool) -> Exp {
        let (a, h, i) = (self.fresh('a'), self.fresh('h'), self.fresh('i'));
        let combination = self.combination(ty);
        let (first, second) = match neighbours {
            true => {
                let (two, at) = (self.int(2), self.var(i));
                let first = self.call2(Op::Mul, two, at);
                let (two, at, one) = (self.int(2), self.var(i), self.int(1));
                let second = self.call2(Op::Mul, two, at);
                (first, self.call2(Op::Add, second, one))
            }
            false => {
                let first = self.var(i);
                let (at, half) = (self.var(i), self.var(h));
                (first, self.call2(Op::Add, at, half))
            }
        };
        let (x, y) = (self.at(a, first), self.at(a, second));
        let applied = self.app(combination, x);
        let applied = self.app(applied, y);
        let f = self.lambda(i, applied);
        let half = self.var(h);
        let made = self.call2(Op::Generate, half, f);
        let pushed = self.push_at(Level::number(level), made);
        let (of, two) = (self.var(a), self.int(2));
        let length = self.call1(Op::LengthPull, of);
        let half = self.call2(Op::Div, length, two);
        let body = self.bind(h, half, pushed);
        self.lambda(a, body)
    }

    /// `while (fn a => index a 0 < k) …`: the first element counts the rounds, the others mix. What `k` is may stand in
    /// an array from before the loop, whose rounds have arrays of their own.
    fn by_content(&mut self, level: u32, len: i64) -> Exp {
        let rounds = self.draw.between(0, 4);
        if level == 4 || !self.draw.chance(65) {
            let most = self.rounds(level, rounds);
            return self.counted(level, len, most, false);
        }
        let (s, i) = (self.fresh('s'), self.fresh('i'));
        let (by, size) = (self.rounds(level, rounds), self.size(len));
        let at = self.var(i);
        let element = self.call2(Op::Add, at, by);
        let f = self.lambda(i, element);
        let made = self.call2(Op::Generate, size, f);
        let pushed = self.push_at(Level::number(level), made);
        let forced = self.call1(Op::Force, pushed);
        let zero = self.int(0);
        let most = self.at(s, zero);
        let repeated = self.counted(level, len, most, true);
        self.bind(s, forced, repeated)
    }

    /// How often a loop by content goes round: those of warps differ.
    fn rounds(&mut self, level: u32, about: i64) -> Exp {
        let rounds = self.int(about);
        if level != 1 {
            return rounds;
        }
        let (of, three) = (self.any_int(0), self.int(3));
        let by = self.call2(Op::Mod, of, three);
        self.call2(Op::Add, rounds, by)
    }

    /// `while (fn a => index a 0 < most) …`; a round may copy the array first.
    fn counted(&mut self, level: u32, len: i64, most: Exp, copies: bool) -> Exp {
        let a = self.fresh('a');
        let zero = self.int(0);
        let count = self.at(a, zero);
        let cond = self.call2(Op::Lt, count, most);
        let cond = self.lambda(a, cond);
        let mut step = self.mixing(level, len);
        if copies {
            let b = self.fresh('a');
            let of = self.var(b);
            let pushed = self.push_at(Level::number(level), of);
            let copied = self.call1(Op::Force, pushed);
            let mixed = self.app(step, copied);
            step = self.lambda(b, mixed);
        }
        let f = self.over(Range { lo: 0, hi: (len - 1).max(0) }, len, |builder, i| {
            let (at, zero) = (builder.var(i), builder.int(0));
            let first = builder.call2(Op::Eq, at, zero);
            let (start, other) = (builder.int(0), builder.any_int(1));
            builder.branch(first, start, other)
        });
        let size = self.size(len);
        let made = self.call2(Op::Generate, size, f);
        let first = self.push_at(Level::number(level), made);
        self.call3(Op::While, cond, step, first)
    }

    /// A round of the loop by content: at the grid in chunks.
    fn mixing(&mut self, level: u32, len: i64) -> Exp {
        let a = self.fresh('a');
        let count = match len % 2 {
            0 if level > 0 && self.draw.chance(50) => 2,
            _ => 1,
        };
        let size = len / count;
        if count == 1 {
            let i = self.fresh('i');
            let at = self.var(i);
            let body = self.mixed(a, at, i, len);
            let f = self.lambda(i, body);
            let of = self.var(a);
            let n = self.call1(Op::LengthPull, of);
            let made = self.call2(Op::Generate, n, f);
            let pushed = self.push_at(Level::number(level), made);
            return self.lambda(a, pushed);
        }
        let (c, j, i) = (self.fresh('c'), self.fresh('j'), self.fresh('i'));
        let (chunk, by, at) = (self.var(c), self.int(size), self.var(j));
        let row = self.call2(Op::Mul, chunk, by);
        let at = self.call2(Op::Add, row, at);
        let again = self.var(i);
        let body = self.mixed(a, again, i, len);
        let body = self.bind(i, at, body);
        let f = self.lambda(j, body);
        let m = self.int(size);
        let made = self.call2(Op::Generate, m, f);
        let pushed = self.push_at(Level::number(level - 1), made);
        let f = self.lambda(c, pushed);
        let n = self.int(count);
        let chunks = self.call2(Op::Generate, n, f);
        let m = self.int(size);
        let all = self.call2(Op::Concat, m, chunks);
        self.lambda(a, all)
    }

    /// `if i == 0 then index a 0 + 1 else index a i + index a ((i + 1) % len)`
    fn mixed(&mut self, a: Var, at: Exp, i: Var, len: i64) -> Exp {
        let zero = self.int(0);
        let first = self.call2(Op::Eq, at, zero);
        let zero = self.int(0);
        let (count, one) = (self.at(a, zero), self.int(1));
        let counted = self.call2(Op::Add, count, one);
        let at = self.var(i);
        let own = self.at(a, at);
        let (at, one, len) = (self.var(i), self.int(1), self.int(len));
        let next = self.call2(Op::Add, at, one);
        let next = self.call2(Op::Mod, next, len);
        let next = self.at(a, next);
        let op = self.draw.pick(&[Op::Add, Op::Xor, Op::Sub]);
        let mixed = self.call2(op, own, next);
        self.branch(first, counted, mixed)
    }

    /// `index a at`
    fn at(&mut self, array: Var, at: Exp) -> Exp {
        let of = self.var(array);
        self.call2(Op::Index, of, at)
    }
}
