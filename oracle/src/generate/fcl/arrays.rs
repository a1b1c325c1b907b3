//! Pull arrays, push arrays, and what stands around them on the spine of a level.

use super::super::range::Range;
use super::builder::{Array, Base, Builder, Place};
use reference::fcl::syntax::{Exp, Kind, Level, Op};
use reference::kit::names::Var;

/// How often the elements of all arrays may be evaluated.
const MOST_TIMES: i64 = 3_000;

/// A pull array, and how much it costs to read an element.
pub(super) type Pull = (Exp, i64);

impl Builder<'_, '_> {
    /// A push array of a level, made on its spine: arrays and scalars are bound first.
    pub(super) fn spine(&mut self, ty: &Base, len: i64, level: u32, depth: usize) -> Exp {
        self.left -= 1;
        let place = Place::Spine(level);
        if self.trouble.is_some()
            && self.draw.chance(35)
            && let Some(bad) = self.stuck(place)
        {
            return self.named(Base::Int, bad, |builder| builder.spine(ty, len, level, depth));
        }
        if let Some(bound) = self.wanted_here(level) {
            return self.with_array(bound, |builder| builder.spine(ty, len, level, depth));
        }
        if self.is_full() || depth == 0 || self.times * len.max(1) > MOST_TIMES {
            return self.push(ty, len, level, depth);
        }
        match self.draw.weighed(&[30, 12, 7, 6, 5]) {
            1 => {
                let bound = self.forced(level, depth - 1);
                self.with_array(bound, |builder| builder.spine(ty, len, level, depth - 1))
            }
            2 => {
                let (ty_bound, size) = (self.base(), self.some_length());
                let (exp, cost) = self.pull(&ty_bound, size, place, depth - 1);
                let bound = (exp, ty_bound, size, cost);
                self.with_array(bound, |builder| builder.spine(ty, len, level, depth - 1))
            }
            3 => {
                let ty_bound = self.base();
                let bound = self.scalar(&ty_bound, 2);
                self.named(ty_bound, bound, |builder| builder.spine(ty, len, level, depth - 1))
            }
            4 => {
                let cond = self.truth(1);
                let then = self.push(ty, len, level, depth - 1);
                let orelse = self.push(ty, len, level, depth / 2);
                self.branch(cond, then, orelse)
            }
            _ => self.push(ty, len, level, depth),
        }
    }

    /// What has to be bound at this level, because the program is to have it.
    fn wanted_here(&mut self, level: u32) -> Option<(Exp, Base, i64, i64)> {
        let below = self.times > 1 || level < 3;
        if self.wanted.grid_loop && level == 3 {
            self.wanted.grid_loop = false;
            self.wanted.repeat = false;
            return Some(self.repeat(level, 2));
        }
        if self.wanted.repeat && !self.wanted.grid_loop && (below || self.draw.chance(20)) {
            self.wanted.repeat = false;
            return Some(self.repeat(level, 2));
        }
        if self.wanted.force_below && self.times > 1 {
            self.wanted.force_below = false;
            return Some(self.forced(level, 2));
        }
        if self.wanted.uses == if self.times > 1 { 1 } else { 2 }
            && let Some((_, _, to)) = self.poly.clone()
        {
            self.wanted.uses -= 1;
            let len = self.some_length();
            let used = self.by_definition(len, level, 1)?;
            return Some((self.call1(Op::Force, used), to, len, 0));
        }
        if self.wanted.many && level > 0 && self.times <= 8 {
            self.wanted.many = false;
            return Some(self.many(level));
        }
        if self.wanted.single && (below || self.draw.chance(30)) {
            self.wanted.single = false;
            let e = self.any_int(2);
            let one = self.exp(Kind::Array(vec![e]));
            let pushed = self.push_at(Level::number(level), one);
            let forced = self.call1(Op::Force, pushed);
            return Some((forced, Base::Int, 1, 0));
        }
        None
    }

    /// An array of more elements than the level has threads.
    fn many(&mut self, level: u32) -> (Exp, Base, i64, i64) {
        let len = match level {
            1 => 33,
            2 => self.draw.pick(&[65, 600, 70, 130, 520]),
            _ => 300,
        };
        let size = self.int(len);
        let f = self.over(Range { lo: 0, hi: len - 1 }, len, |builder, _| builder.any_int(1));
        let made = self.call2(Op::Generate, size, f);
        let pushed = self.push_at(Level::number(level), made);
        (self.call1(Op::Force, pushed), Base::Int, len, 0)
    }

    /// `f <level> xs`, of the definition that takes a level.
    fn by_definition(&mut self, len: i64, level: u32, depth: usize) -> Option<Exp> {
        let (f, from, _) = self.poly.clone()?;
        let (of, _) = self.pull(&from, len, Place::Spine(level), depth.saturating_sub(1));
        let f = self.var(f);
        let at = self.exp(Kind::LevelApp(Box::new(f), Level::number(level)));
        Some(self.app(at, of))
    }

    /// `let x = bound in body`, of an array.
    fn with_array(
        &mut self,
        (bound, ty, len, cost): (Exp, Base, i64, i64),
        body: impl FnOnce(&mut Self) -> Exp,
    ) -> Exp {
        let var = self.fresh('s');
        let mark = self.mark();
        self.arrays.push(Array { var, ty, len, cost });
        let body = body(self);
        self.reset(mark);
        self.bind(var, bound, body)
    }

    /// An array of this level in memory: `force` of a push array, or a loop.
    fn forced(&mut self, level: u32, depth: usize) -> (Exp, Base, i64, i64) {
        let (ty, len) = (self.base(), self.some_length());
        if level < 4 && self.draw.chance(6) {
            return self.repeat(level, depth);
        }
        let pushed = self.push(&ty, len, level, depth);
        (self.call1(Op::Force, pushed), ty, len, 0)
    }

    /// How long an array may be that is made on the side.
    fn some_length(&mut self) -> i64 {
        let longest = (MOST_TIMES / self.times.max(1)).clamp(1, 130) as usize;
        let of_array = self.arrays.get(self.draw.below(self.arrays.len())).map(|array| array.len);
        match of_array {
            Some(len) if len <= longest as i64 && self.draw.chance(50) => len,
            _ => {
                let len = self.draw.pick(&[4, 8, 1, 3, 6, 7, 16, 12, 33, 2, 70, 100]);
                len.min(longest as i64)
            }
        }
    }

    /// A push array.
    pub(super) fn push(&mut self, ty: &Base, len: i64, level: u32, depth: usize) -> Exp {
        self.left -= 1;
        let wants_chunks = self.wanted.two_levels
            || self.wanted.force_below
            || self.wanted.order
            || self.wanted.map_delayed
            || self.wanted.uses == 1
            || self.wanted.warps && level > 1;
        let chunks = level > 0 && (wants_chunks || depth > 0 && self.draw.chance(55));
        if let Some((_, _, to)) = &self.poly
            && to == ty
            && self.draw.chance(40)
            && let Some(used) = self.by_definition(len, level, depth)
        {
            return used;
        }
        if chunks {
            let mapped = self.wanted.map_delayed || self.draw.chance(8);
            self.wanted.map_delayed = false;
            if mapped {
                let from = self.base();
                let f = self.function(&from, ty, len);
                let of = self.chunks(&from, len, level, depth.saturating_sub(1));
                return self.call2(Op::MapPush, f, of);
            }
            return self.chunks(ty, len, level, depth.saturating_sub(1));
        }
        if depth > 0 && self.draw.chance(8) {
            let from = self.base();
            let f = self.function(&from, ty, len);
            let of = self.push(&from, len, level, depth - 1);
            return self.call2(Op::MapPush, f, of);
        }
        if level == 1 {
            self.wanted.warps = false;
        }
        let (of, _) = self.pull(ty, len, Place::Spine(level), depth.min(3));
        self.push_at(Level::number(level), of)
    }

    /// `concat` or `interleave` of chunks one level further down.
    fn chunks(&mut self, ty: &Base, len: i64, level: u32, depth: usize) -> Exp {
        let (count, size) = self.factors(len);
        let ordered = self.wanted.order || self.draw.chance(35);
        if self.wanted.two_levels && self.times > 1 {
            self.wanted.two_levels = false;
        }
        let m = self.size(size);
        let order = ordered.then(|| self.order(count, size));
        let made = self.chunk_array(ty, count, size, level - 1, depth);
        match order {
            Some(order) => self.call3(Op::Interleave, m, order, made),
            None => self.call2(Op::Concat, m, made),
        }
    }

    /// How many chunks of how many elements: `len` in all.
    fn factors(&mut self, len: i64) -> (i64, i64) {
        if len == 0 {
            let other = self.draw.between(0, 3);
            return if self.draw.chance(50) { (0, other) } else { (other, 0) };
        }
        let divisors: Vec<i64> = (1..=len.min(64)).filter(|k| len % k == 0).collect();
        let proper: Vec<i64> =
            divisors.iter().copied().filter(|k| *k > 1 && *k < len && *k <= 16).collect();
        let count = match proper.is_empty() || self.draw.chance(10) {
            true => self.draw.pick(&divisors),
            false => self.draw.pick(&proper),
        };
        (count, len / count)
    }

    /// The array of the chunks.
    fn chunk_array(&mut self, ty: &Base, count: i64, size: i64, level: u32, depth: usize) -> Exp {
        let range = Range { lo: 0, hi: (count - 1).max(0) };
        match self.draw.weighed(&[10, 5, 3]) {
            1 => self.mapped_chunks(ty, count, size, level, depth),
            2 if (1..4).contains(&count) => {
                let one = |builder: &mut Self| {
                    builder.scoped(count, |builder| builder.spine(ty, size, level, depth / 2))
                };
                let chunks = (0..count).map(|_| one(self)).collect();
                self.exp(Kind::Array(chunks))
            }
            _ => {
                let n = self.size(count);
                let f = self.over(range, count, |builder, _| builder.spine(ty, size, level, depth));
                self.call2(Op::Generate, n, f)
            }
        }
    }

    /// `mapPull (fn c => …)` over an array that is split up.
    fn mapped_chunks(&mut self, ty: &Base, count: i64, size: i64, level: u32, depth: usize) -> Exp {
        let found: Vec<Array> = self
            .arrays
            .iter()
            .filter(|array| array.len >= count * size && array.cost < 40)
            .cloned()
            .collect();
        let Some(array) = found.get(self.draw.below(found.len())).cloned() else {
            let n = self.size(count);
            let range = Range { lo: 0, hi: (count - 1).max(0) };
            let f = self.over(range, count, |builder, _| builder.spine(ty, size, level, depth));
            return self.call2(Op::Generate, n, f);
        };
        let c = self.fresh('c');
        let f = self.scoped(count, |builder| {
            let (ty_of, cost) = (array.ty.clone(), array.cost + 4);
            builder.arrays.push(Array { var: c, ty: ty_of, len: size, cost });
            let body = builder.spine(ty, size, level, depth);
            builder.lambda(c, body)
        });
        let (n, m) = (self.size(count), self.size(size));
        let (i, j) = (self.fresh('i'), self.fresh('j'));
        let (row, by, column, of) = (self.var(i), self.int(size), self.var(j), self.var(array.var));
        let row = self.call2(Op::Mul, row, by);
        let at = self.call2(Op::Add, row, column);
        let element = self.call2(Op::Index, of, at);
        let inner = self.lambda(j, element);
        let inner = self.call2(Op::Generate, m, inner);
        let outer = self.lambda(i, inner);
        let split = self.call2(Op::Generate, n, outer);
        self.call2(Op::MapPull, f, split)
    }

    /// Where the elements go: a permutation of all of them.
    fn order(&mut self, count: i64, size: i64) -> Exp {
        let p = self.fresh('p');
        let kind = match self.wanted.order {
            true => 1 + self.draw.below(4),
            false => self.draw.below(5),
        };
        self.wanted.order = false;
        let (pair, other) = (self.var(p), self.var(p));
        let (i, j) = (self.call1(Op::Fst, pair), self.call1(Op::Snd, other));
        let body = match kind {
            // Column by column.
            1 => {
                let by = self.size(count);
                let column = self.call2(Op::Mul, j, by);
                self.call2(Op::Add, column, i)
            }
            // All from behind.
            2 => {
                let (by, last) = (self.size(size), self.int(count * size - 1));
                let row = self.call2(Op::Mul, i, by);
                let at = self.call2(Op::Add, row, j);
                self.call2(Op::Sub, last, at)
            }
            // The chunks from behind.
            3 => {
                let (by, last) = (self.size(size), self.int(count - 1));
                let from_behind = self.call2(Op::Sub, last, i);
                let row = self.call2(Op::Mul, from_behind, by);
                self.call2(Op::Add, row, j)
            }
            // Turned round by some.
            4 => {
                let (by, all) = (self.size(size), self.int((count * size).max(1)));
                let some = self.draw.between(1, 9);
                let row = self.call2(Op::Mul, i, by);
                let at = self.call2(Op::Add, row, j);
                let some = self.int(some);
                let at = self.call2(Op::Add, at, some);
                self.call2(Op::Mod, at, all)
            }
            // As `concat` has it.
            _ => {
                let by = self.size(size);
                let row = self.call2(Op::Mul, i, by);
                self.call2(Op::Add, row, j)
            }
        };
        self.lambda(p, body)
    }

    /// A pull array.
    pub(super) fn pull(&mut self, ty: &Base, len: i64, place: Place, depth: usize) -> Pull {
        self.left -= 1;
        if depth == 0 || self.is_full() {
            return match self.array_in_scope(ty, len) {
                Some(pull) if self.draw.chance(60) => pull,
                _ => self.generated(ty, len, 1),
            };
        }
        match self.draw.weighed(&[20, 14, 10, 4, 8, 6, 4]) {
            1 => self.array_in_scope(ty, len).unwrap_or_else(|| self.generated(ty, len, 2)),
            2 => {
                let from = self.base();
                let f = self.function(&from, ty, len);
                let (of, cost) = self.pull(&from, len, place, depth - 1);
                (self.call2(Op::MapPull, f, of), cost + 6)
            }
            3 if len <= 4 => {
                let elements = (0..len).map(|_| self.scoped(1, |b| b.scalar(ty, 1))).collect();
                (self.exp(Kind::Array(elements)), 4)
            }
            4 if self.is_cheap(place, len) && len <= 300 => {
                let level = place.level();
                let pushed = self.push(ty, len, level, depth - 1);
                (self.call1(Op::Force, pushed), 0)
            }
            5 => self.viewed(ty, len).unwrap_or_else(|| self.generated(ty, len, 2)),
            6 => self.zipped(ty, len, place, depth),
            _ => self.generated(ty, len, 1 + depth.min(2)),
        }
    }

    fn array_in_scope(&mut self, ty: &Base, len: i64) -> Option<Pull> {
        let fits = |array: &&Array| array.ty == *ty && array.len == len;
        let found: Vec<(Var, i64)> =
            self.arrays.iter().filter(fits).map(|array| (array.var, array.cost)).collect();
        let (var, cost) = *found.get(self.draw.below(found.len()))?;
        Some((self.var(var), cost))
    }

    /// `generate len (fn i => e)`
    fn generated(&mut self, ty: &Base, len: i64, depth: usize) -> Pull {
        let size = self.size(len);
        let range = Range { lo: 0, hi: (len - 1).max(0) };
        let before = self.left;
        let around = std::mem::take(&mut self.private);
        let f = self.over(range, len, |builder, var| {
            // An element may hold an array of its own.
            if depth > 1 && builder.draw.chance(10) && builder.times < 600 {
                return builder.with_private(ty);
            }
            let body = builder.scalar(ty, depth);
            if *ty != Base::Int || builder.draw.chance(50) {
                return body;
            }
            let at = builder.var(var);
            builder.call2(Op::Add, body, at)
        });
        // What costs so much is pushed as a whole and not read by index.
        let cost = if self.private { MOST_TIMES * 4 } else { 2 + 2 * (before - self.left).max(0) };
        self.private = around;
        (self.call2(Op::Generate, size, f), cost)
    }

    /// An element that is computed by an array of its thread.
    fn with_private(&mut self, ty: &Base) -> Exp {
        let bound = match self.draw.chance(30) {
            true => self.repeat(0, 0),
            false => {
                let (own, len) = (self.base(), 1 + self.draw.below(5) as i64);
                let (of, _) = self.generated(&own, len, 1);
                let pushed = self.push_at(Level::THREAD, of);
                (self.call1(Op::Force, pushed), own, len, 0)
            }
        };
        self.private = true;
        self.with_array(bound, |builder| builder.scalar(ty, 1))
    }

    /// Another order of an array: from behind, a part, every second one.
    fn viewed(&mut self, ty: &Base, len: i64) -> Option<Pull> {
        let fits = |array: &&Array| array.ty == *ty && array.len >= len && array.cost < 40;
        let found: Vec<Array> = self.arrays.iter().filter(fits).cloned().collect();
        let array = found.get(self.draw.below(found.len()))?.clone();
        let size = self.size(len);
        let range = Range { lo: 0, hi: (len - 1).max(0) };
        let f = self.over(range, len, |builder, var| {
            let (last, at) = (builder.int(array.len - 1), builder.var(var));
            let at = builder.call2(Op::Sub, last, at);
            let of = builder.var(array.var);
            builder.call2(Op::Index, of, at)
        });
        Some((self.call2(Op::Generate, size, f), array.cost + 3))
    }

    /// Two arrays, element by element.
    fn zipped(&mut self, ty: &Base, len: i64, place: Place, depth: usize) -> Pull {
        let (a, cost_a) = self.pull(ty, len, place, depth - 1);
        let (b, cost_b) = self.pull(ty, len, place, depth / 2);
        let (x, y) = (self.fresh('s'), self.fresh('s'));
        let combination = self.combination(ty);
        let size = self.size(len);
        let i = self.fresh('i');
        let (first, at) = (self.var(x), self.var(i));
        let first = self.call2(Op::Index, first, at);
        let (second, at) = (self.var(y), self.var(i));
        let second = self.call2(Op::Index, second, at);
        let applied = self.app(combination, first);
        let applied = self.app(applied, second);
        let f = self.lambda(i, applied);
        let made = self.call2(Op::Generate, size, f);
        let made = self.bind(y, b, made);
        (self.bind(x, a, made), cost_a + cost_b + 6)
    }
}
