//! What gets stuck on purpose.

use super::super::range::Range;
use super::builder::{Base, Builder, Place};
use reference::fcl::syntax::{Exp, Kind, Level, Op};

/// A premise that is to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trouble {
    /// A zero divisor.
    Division,
    /// An index outside of its array.
    Inside,
    /// An array or a chunk of negative size.
    Size,
    /// An array that is forced at a location of another level.
    Level,
    /// A chunk of another length than is said.
    Length,
    /// A loop whose array grows.
    Growth,
    /// A place outside of the array that `interleave` makes.
    Target,
    /// A place that `interleave` gives twice.
    Taken,
}

impl Trouble {
    /// All of them.
    pub(super) const ALL: [Trouble; 8] = [
        Trouble::Division,
        Trouble::Inside,
        Trouble::Size,
        Trouble::Level,
        Trouble::Length,
        Trouble::Growth,
        Trouble::Target,
        Trouble::Taken,
    ];
}

impl Builder<'_, '_> {
    /// What gets stuck by the trouble that is still to be made, an int.
    pub(super) fn stuck(&mut self, place: Place) -> Option<Exp> {
        let trouble = self.trouble.take()?;
        let at = place.level();
        Some(match trouble {
            Trouble::Division if at > 0 && self.draw.chance(60) => self.zero_from_an_element_on(at),
            Trouble::Division if self.draw.chance(25) => self.zero_by_itself(),
            Trouble::Division => {
                let op = self.draw.pick(&[Op::Div, Op::Mod]);
                let (dividend, divisor) = (self.any_int(1), self.size(0));
                self.call2(op, dividend, divisor)
            }
            Trouble::Inside => {
                let len = self.draw.below(4) as i64;
                let ones = self.draw.between(-1, 1);
                let at = if ones < 0 { -1 } else { len + ones };
                let (of, at) = (self.counting(len), self.int(at));
                self.call2(Op::Index, of, at)
            }
            Trouble::Size if at > 0 && self.draw.chance(60) => {
                // A chunk of negative size, seen by `force` or by `lengthPush`.
                let size = self.negative();
                let chunks = self.draw.between(0, 3);
                let delayed = self.delayed(size, chunks, 2, at, None);
                if self.draw.chance(40) {
                    self.call1(Op::LengthPush, delayed)
                } else {
                    self.forced_length(delayed)
                }
            }
            Trouble::Size => {
                let size = self.negative();
                let f = self.function(&Base::Int, &Base::Int, 1);
                let made = self.call2(Op::Generate, size, f);
                self.call1(Op::LengthPull, made)
            }
            Trouble::Level => {
                let other = self.draw.below(3) as u32;
                let level = if other >= at { other + 1 } else { other };
                let array = match level > 0 && self.draw.chance(50) {
                    true => {
                        let size = self.int(2);
                        let order = self.draw.chance(50).then_some(Order::Right);
                        self.delayed(size, 2, 2, level, order)
                    }
                    false => {
                        let of = self.counting(2);
                        self.push_at(Level::number(level), of)
                    }
                };
                // The body of a function has a turnstile of its own: elsewhere chunks are of the level at hand.
                let (forced, unused, zero) =
                    (self.forced_length(array), self.fresh('x'), self.int(0));
                let f = self.lambda(unused, forced);
                self.app(f, zero)
            }
            Trouble::Length | Trouble::Target | Trouble::Taken if at == 0 => {
                // A thread has no chunks.
                let (one, zero) = (self.int(1), self.int(0));
                self.call2(Op::Div, one, zero)
            }
            Trouble::Length => {
                let (size, order) = (self.int(3), self.draw.chance(50).then_some(Order::Right));
                let delayed = self.delayed(size, 2, 2, at, order);
                self.forced_length(delayed)
            }
            Trouble::Target => {
                let size = self.int(2);
                let delayed = self.delayed(size, 3, 2, at, Some(Order::Outside));
                self.forced_length(delayed)
            }
            Trouble::Taken => {
                let size = self.int(2);
                let delayed = self.delayed(size, 3, 2, at, Some(Order::Twice));
                self.forced_length(delayed)
            }
            Trouble::Growth => self.growing(at),
        })
    }

    /// An array in which all elements from one on divide by 0, of more elements than a group has threads: who computes
    /// the first of those need not be the first thread that fails.
    fn zero_from_an_element_on(&mut self, level: u32) -> Exp {
        let len = self.draw.pick(&[70, 130, 100]);
        let first = self.draw.between(1, 62);
        let (size, i) = (self.int(len), self.fresh('i'));
        let (zero, first, at) = (self.int(0), self.int(first), self.var(i));
        let left = self.call2(Op::Sub, first, at);
        let divisor = self.call2(Op::Max, zero, left);
        let one = self.int(1);
        let body = self.call2(Op::Div, one, divisor);
        let f = self.lambda(i, body);
        let made = self.call2(Op::Generate, size, f);
        let pushed = self.push_at(Level::number(level), made);
        self.forced_length(pushed)
    }

    fn negative(&mut self) -> Exp {
        let (nothing, by) = (self.size(0), self.draw.between(1, 4));
        let by = self.int(by);
        self.call2(Op::Sub, nothing, by)
    }

    /// `generate len (fn i => i)`
    fn counting(&mut self, len: i64) -> Exp {
        let size = self.int(len);
        let f = self.over(Range { lo: 0, hi: (len - 1).max(0) }, len, |builder, i| builder.var(i));
        self.call2(Op::Generate, size, f)
    }

    /// The length of a push array that is not forced.
    pub(super) fn unforced_length(&mut self) -> Exp {
        let level = self.draw.below(3) as u32;
        let array = match level > 0 && self.draw.chance(60) {
            true => {
                let size = self.int(2);
                self.delayed(size, 3, 2, level, None)
            }
            false => {
                let of = self.counting(3);
                self.push_at(Level::number(level), of)
            }
        };
        let (length, unused, zero) =
            (self.call1(Op::LengthPush, array), self.fresh('x'), self.int(0));
        // The body of a function has a turnstile of its own.
        let f = self.lambda(unused, length);
        self.app(f, zero)
    }

    /// `lengthPull (force xs)`
    fn forced_length(&mut self, array: Exp) -> Exp {
        let forced = self.call1(Op::Force, array);
        self.call1(Op::LengthPull, forced)
    }

    /// Chunks of so many elements, of which it is said that they have `size`.
    fn delayed(
        &mut self,
        size: Exp,
        chunks: i64,
        elements: i64,
        level: u32,
        order: Option<Order>,
    ) -> Exp {
        let range = Range { lo: 0, hi: (chunks - 1).max(0) };
        let made = self.over(range, chunks, |builder, _| {
            let of = builder.counting(elements);
            builder.push_at(Level::number(level - 1), of)
        });
        let count = self.int(chunks);
        let made = self.call2(Op::Generate, count, made);
        let Some(order) = order else { return self.call2(Op::Concat, size, made) };
        let p = self.fresh('p');
        let body = match order {
            Order::Right => {
                let (i, j) = (self.part_of(p, Op::Fst), self.part_of(p, Op::Snd));
                let by = self.int(elements);
                let row = self.call2(Op::Mul, i, by);
                self.call2(Op::Add, row, j)
            }
            Order::Outside => {
                let (i, j) = (self.part_of(p, Op::Fst), self.part_of(p, Op::Snd));
                let by = self.int(elements + 1);
                let row = self.call2(Op::Mul, i, by);
                self.call2(Op::Add, row, j)
            }
            Order::Twice => {
                let (i, j) = (self.part_of(p, Op::Fst), self.part_of(p, Op::Snd));
                self.call2(Op::Add, i, j)
            }
        };
        let order = self.lambda(p, body);
        self.call3(Op::Interleave, size, order, made)
    }

    fn part_of(&mut self, pair: reference::kit::names::Var, part: Op) -> Exp {
        let pair = self.var(pair);
        self.call1(part, pair)
    }

    /// A loop that adds an element each round; it ends by its length, later.
    fn growing(&mut self, level: u32) -> Exp {
        let len = self.draw.between(0, 5);
        let (a, b) = (self.fresh('a'), self.fresh('a'));
        let of = self.var(a);
        let (length, most) = (self.call1(Op::LengthPull, of), self.int(len + 3));
        let cond = self.call2(Op::Lt, length, most);
        let cond = self.lambda(a, cond);
        let of = self.var(b);
        let (length, one) = (self.call1(Op::LengthPull, of), self.int(1));
        let longer = self.call2(Op::Add, length, one);
        let f = self.exp_fn_of_index();
        let made = self.call2(Op::Generate, longer, f);
        let pushed = self.push_at(Level::number(level), made);
        let step = self.lambda(b, pushed);
        let first = self.counting(len);
        let first = self.push_at(Level::number(level), first);
        let made = self.call3(Op::While, cond, step, first);
        self.call1(Op::LengthPull, made)
    }

    fn exp_fn_of_index(&mut self) -> Exp {
        let var = self.fresh('i');
        let body = self.exp(Kind::Var(var));
        self.lambda(var, body)
    }
}

/// Where the elements of chunks go.
#[derive(Clone, Copy)]
enum Order {
    /// One behind the other.
    Right,
    /// Further apart than there is room.
    Outside,
    /// Some to the same place.
    Twice,
}
