//! Expressions: those whose value is wanted where they stand, and those in tail position.

use super::code::{add, and, max, mul, ne};
use super::machine::{Machine, Reg, truth, word_of};
use reference::device::syntax::Exp;
use reference::kit::cause::Cause;
use reference::kit::faults::WrongLambdaG;
use reference::kit::scalar::BinOp;
use reference::lambda_g::syntax::{Comparison, Exp as Source, Kind, Op, Region};

impl<'p> Machine<'_, 'p> {
    /// The value of an expression, whatever states it takes.
    pub(super) fn value(&mut self, e: &'p Source) -> Exp {
        let outer = std::mem::replace(&mut self.span, e.span);
        self.breathes();
        let value = self.value_of(e);
        self.span = outer;
        value
    }

    fn value_of(&mut self, e: &'p Source) -> Exp {
        match &e.kind {
            Kind::Int(k, at) => {
                let location = self.made(*at, 1);
                self.put(&location, &[Exp::i32(*k)]);
                location
            }
            Kind::Bool(value) => truth(*value),
            Kind::Var(var) => self.variable(*var),
            Kind::Binary(op, parts, at) => self.binary(*op, parts, *at),
            Kind::Compare(op, parts) => self.compare(*op, parts),
            Kind::If(parts) if parts[1..].iter().all(is_known) => {
                let cond = self.value(&parts[0]);
                let [then, orelse] = [&parts[1], &parts[2]].map(|part| self.value(part));
                self.named("x", Exp::select(ne(cond, Exp::i32(0)), then, orelse))
            }
            Kind::If(_) | Kind::App(_) | Kind::Instance(..) => self.called(e),
            Kind::Let(var, parts) => {
                let bound = self.value(&parts[0]);
                self.bind(*var, bound);
                let value = self.value(&parts[1]);
                self.take();
                value
            }
            Kind::Fn(lambda) => self.closure(e, lambda.at),
            Kind::RegionFn(lambda) => self.closure(e, lambda.at),
            Kind::Fix(_, _, of) => self.value(of),
            Kind::Pair(parts, at) => {
                let [a, b] = self.two(parts);
                let location = self.made(*at, 2);
                self.put(&location, &[a, b]);
                location
            }
            Kind::Fst(of) => self.part(of, 0),
            Kind::Snd(of) => self.part(of, 1),
            Kind::Vector(elements, at) => self.elements(elements, *at),
            Kind::Index(parts) => self.index(parts),
            Kind::Length(of, at) => {
                let vector = self.value(of);
                let length = self.length(&vector);
                let location = self.made(*at, 1);
                self.put(&location, &[length]);
                location
            }
            Kind::Iota(of, at) => self.iota(of, *at),
            Kind::Par(parts, at) => self.par(parts, *at),
            Kind::ParMap(f, over, at) => self.parmap(f, over, *at),
            Kind::LetRegion(binder, said, body) => self.letregion(e, (binder.var, *said), body),
            Kind::On(body, at) => self.on(e, body, *at),
        }
    }

    /// Ends the state with the value of an expression in tail position.
    pub(super) fn tail(&mut self, e: &'p Source) {
        let outer = std::mem::replace(&mut self.span, e.span);
        self.breathes();
        match &e.kind {
            Kind::If(parts) => {
                let cond = self.value(&parts[0]);
                self.either(ne(cond, Exp::i32(0)), |to, first| {
                    to.tail(&parts[if first { 1 } else { 2 }]);
                });
            }
            Kind::Let(var, parts) => {
                let bound = self.value(&parts[0]);
                self.bind(*var, bound);
                self.tail(&parts[1]);
            }
            Kind::App(parts) => {
                let [f, argument] = self.two(parts);
                self.applies(f, argument);
            }
            Kind::Instance(of, region) => {
                let f = self.value(of);
                let with = self.region(*region);
                self.applies(f, with);
            }
            _ => {
                let value = self.value_of(e);
                self.returns(value);
            }
        }
        self.span = outer;
    }

    /// Ends the state in one of two ways: `write` is told if it is the first one.
    pub(super) fn either(&mut self, cond: Exp, mut write: impl FnMut(&mut Self, bool)) {
        let (then, orelse) = self.branch(cond);
        let live = self.live.clone();
        self.at = then;
        write(self, true);
        self.live = live;
        self.at = orelse;
        write(self, false);
    }

    /// The value of an expression that ends the state: what is alive waits on the stack.
    fn called(&mut self, e: &'p Source) -> Exp {
        let state = self.state();
        match &e.kind {
            Kind::If(parts) => {
                let cond = self.value(&parts[0]);
                self.saves(&[Exp::i32(state)]);
                let live = self.live.clone();
                self.either(ne(cond, Exp::i32(0)), |to, first| {
                    to.tail(&parts[if first { 1 } else { 2 }]);
                });
                self.live = live;
            }
            Kind::App(parts) => {
                let [f, argument] = self.two(parts);
                self.saves(&[Exp::i32(state)]);
                self.applies(f, argument);
            }
            Kind::Instance(of, region) => {
                let f = self.value(of);
                let with = self.region(*region);
                self.saves(&[Exp::i32(state)]);
                self.applies(f, with);
            }
            _ => unreachable!("only these are called"),
        }
        self.starts(state);
        self.get(Reg::Acc)
    }

    /// Ends the state: goes on with a function.
    pub(super) fn applies(&mut self, f: Exp, argument: Exp) {
        let pc = self.first_word(&f);
        self.set(Reg::Closure, f);
        self.set(Reg::Acc, argument);
        self.set(Reg::Pc, pc);
    }

    /// The values of two expressions.
    pub(super) fn two(&mut self, parts: &'p [Source; 2]) -> [Exp; 2] {
        let first = self.value(&parts[0]);
        self.hold(first);
        let second = self.value(&parts[1]);
        [self.take(), second]
    }

    /// The location of a value of so many words.
    fn made(&mut self, at: Region, words: i32) -> Exp {
        let region = self.region(at);
        self.allocate(&region, Exp::i32(words))
    }

    /// The ints at two locations.
    fn ints(&mut self, parts: &'p [Source; 2]) -> [Exp; 2] {
        let [a, b] = self.two(parts);
        [self.first_word(&a), self.first_word(&b)]
    }

    fn binary(&mut self, op: Op, parts: &'p [Source; 2], at: Region) -> Exp {
        let [a, b] = self.ints(parts);
        let op = match op {
            Op::Add => BinOp::Add,
            Op::Sub => BinOp::Sub,
            Op::Mul => BinOp::Mul,
            Op::Div => BinOp::Div,
            Op::Mod => BinOp::Rem,
            Op::Min => BinOp::Min,
            Op::Max => BinOp::Max,
        };
        if op.is_partial() {
            let divides = ne(b.clone(), Exp::i32(0));
            self.require(divides, Cause::DivisionByZero, &[a.clone(), b.clone()]);
        }
        let value = self.named("x", Exp::bin(op, a, b));
        let location = self.made(at, 1);
        self.put(&location, &[value]);
        location
    }

    fn compare(&mut self, op: Comparison, parts: &'p [Source; 2]) -> Exp {
        let [a, b] = self.ints(parts);
        let op = match op {
            Comparison::Lt => BinOp::Lt,
            Comparison::Le => BinOp::Le,
            Comparison::Eq => BinOp::Eq,
            Comparison::Ne => BinOp::Ne,
        };
        self.named("x", word_of(Exp::bin(op, a, b)))
    }

    /// A closure: its state, and what it knows.
    fn closure(&mut self, e: &'p Source, at: Region) -> Exp {
        let number = self.lower.lambdas.number(e);
        let free = self.lower.lambdas.get(e).free.clone();
        let known = free.into_iter().map(|var| self.variable(var));
        let words: Vec<Exp> = [Exp::i32(number)].into_iter().chain(known).collect();
        let location = self.made(at, 2);
        self.put(&location, &words);
        location
    }

    fn part(&mut self, of: &'p Source, word: i32) -> Exp {
        let pair = self.value(of);
        let place = self.place(&pair);
        self.word(&place, Exp::i32(word))
    }

    fn elements(&mut self, elements: &'p [Source], at: Region) -> Exp {
        for element in elements {
            let value = self.value(element);
            self.hold(value);
        }
        let mut values: Vec<Exp> = elements.iter().map(|_| self.take()).collect();
        values.reverse();
        let length = Exp::i32(values.len() as i32);
        let vector = self.vector(at, &length);
        let (block, first) = self.place(&vector);
        for (nth, value) in values.into_iter().enumerate() {
            let cell = self.cell(Exp::i32(nth as i32));
            self.write(&block, add(first.clone(), cell), value);
        }
        vector
    }

    /// A vector of so many elements, which are not there yet.
    pub(super) fn vector(&mut self, at: Region, length: &Exp) -> Exp {
        let region = self.region(at);
        let words = self.named("n", max(Exp::i32(1), length.clone()));
        let vector = self.allocate(&region, words);
        let (block, first) = self.place(&vector);
        self.write(&block, add(first, Exp::i32(1)), length.clone());
        vector
    }

    /// The number of elements of a vector.
    pub(super) fn length(&mut self, vector: &Exp) -> Exp {
        let place = self.place(vector);
        self.word(&place, Exp::i32(1))
    }

    /// An element of a vector.
    pub(super) fn element(&mut self, vector: &Exp, index: &Exp) -> Exp {
        let place = self.place(vector);
        let cell = self.cell(index.clone());
        self.word(&place, cell)
    }

    fn index(&mut self, parts: &'p [Source; 2]) -> Exp {
        let [vector, index] = self.two(parts);
        let index = self.first_word(&index);
        let length = self.length(&vector);
        let inside = and(
            Exp::bin(BinOp::Le, Exp::i32(0), index.clone()),
            Exp::bin(BinOp::Lt, index.clone(), length.clone()),
        );
        if !self.lower.has(WrongLambdaG::IndexUnchecked) {
            self.require(inside, Cause::OutsideBlock, &[index.clone(), length]);
        }
        self.element(&vector, &index)
    }

    fn iota(&mut self, of: &'p Source, at: Region) -> Exp {
        let count = self.value(of);
        let count = self.first_word(&count);
        let count = self.named("n", max(Exp::i32(0), count));
        self.is_room(&count);
        let region = self.region(at);
        let words = add(count.clone(), max(Exp::i32(1), count.clone()));
        let words = self.named("words", words);
        let ints = self.allocate(&region, words);
        let vector = self.named("v", add(ints.clone(), count.clone()));
        let (block, first) = self.place(&vector);
        self.write(&block, add(first.clone(), Exp::i32(1)), count.clone());
        let (_, at_ints) = self.place(&ints);
        let width = self.lower.width;
        self.each(count, |to, k| {
            let cell = mul(k.clone(), Exp::i32(width));
            to.write(&block, add(at_ints, cell.clone()), k.clone());
            to.write(&block, add(first, cell), add(ints, k));
        });
        vector
    }

    /// Where a branch of so many begins: goes on with the one of a number.
    pub(super) fn chooses(
        &mut self,
        number: &Exp,
        count: usize,
        write: &mut dyn FnMut(&mut Self, usize),
    ) {
        self.chooses_from(number, 0, count, write);
    }

    fn chooses_from(
        &mut self,
        number: &Exp,
        first: usize,
        count: usize,
        write: &mut dyn FnMut(&mut Self, usize),
    ) {
        if count <= 1 {
            return write(self, first);
        }
        let low = count / 2;
        let cond = Exp::bin(BinOp::Lt, number.clone(), Exp::i32((first + low) as i32));
        let scope = self.scope.clone();
        self.either(cond, |to, is_low| {
            to.scope.clone_from(&scope);
            match is_low {
                true => to.chooses_from(number, first, low, write),
                false => to.chooses_from(number, first + low, count - low, write),
            }
        });
    }
}

/// Is the value of an expression there without doing anything?
fn is_known(e: &Source) -> bool {
    matches!(e.kind, Kind::Var(_) | Kind::Bool(_))
}
