//! What goes in and comes out: ints and bools and arrays of these as they are, all other values as
//! [words](reference::kit::nested).

use super::code::{Item, WORDS, add, max, mul};
use super::machine::{Machine, Reg, USED};
use super::{MOST_WORDS, ROOM};
use reference::device::syntax::{Exp, Given, Host, I32, Output, Param, Sc, Shown};
use reference::kit::nested::Nested;
use reference::kit::scalar::BinOp;
use reference::lambda_g::syntax::{Program, R0};

/// How a value is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// As it is.
    Scalar(Sc),
    /// As an array of these.
    Array(Sc),
    /// As words.
    Words,
}

fn told(nested: &Nested) -> Told {
    match nested {
        Nested::Int => Told::Scalar(Sc::I32),
        Nested::Bool => Told::Scalar(Sc::Bool),
        Nested::Vector(of) => match told(of) {
            Told::Scalar(sc) => Told::Array(sc),
            _ => Told::Words,
        },
        Nested::Pair(_) | Nested::Function => Told::Words,
    }
}

/// The number of the region of the parameters.
const PARAMETERS: Exp = Exp::Lit(reference::device::syntax::Lit::I32(0));

impl<'p> Machine<'_, 'p> {
    /// Puts the parameters into `r0`, elements before their container. The region is then twice as large as what is used,
    /// and `BSIZE` more (L61).
    pub(super) fn takes(&mut self, program: &Program, types: &[Nested]) -> Vec<Param> {
        let mut params = Vec::new();
        for (param, nested) in program.params.iter().zip(types) {
            let var = self.lower.names.fresh(program.names.written(param.var).to_owned());
            params.push(match told(nested) {
                Told::Scalar(sc) => Param::scalar(var, sc),
                Told::Array(sc) => Param::of_any_length(var, sc),
                Told::Words => Param { var, given: Given::Words(nested.clone()) },
            });
        }
        let mut most = Exp::i32(1);
        for (param, nested) in params.iter().zip(types) {
            most = add(most, self.most(param, nested));
        }
        let most = self.named("most", most);
        self.begins(most);
        self.bind(R0, PARAMETERS);
        for ((param, nested), source) in params.iter().zip(types).zip(&program.params) {
            let value = self.given(param, nested);
            self.bind(source.var, value);
        }
        let used = self.kept(&PARAMETERS, USED);
        let base = Exp::i32(self.lower.limits.base as i32);
        self.grows(&PARAMETERS, add(mul(used, Exp::i32(2)), base));
        params
    }

    /// The most words that a parameter takes.
    fn most(&mut self, param: &Param, nested: &Nested) -> Exp {
        let per_word = match told(nested) {
            Told::Scalar(_) => return Exp::i32(1),
            Told::Array(_) => 2,
            // A word is an int or a bool, or the length of a vector, in at most a pair and a vector.
            Told::Words => 8,
        };
        let length = self.named("length", length(param));
        let fits = Exp::bin(BinOp::Le, length.clone(), Exp::i32(MOST_WORDS / 16));
        self.require(fits, ROOM, &[]);
        add(mul(length, Exp::i32(per_word)), Exp::i32(1))
    }

    fn given(&mut self, param: &Param, nested: &Nested) -> Exp {
        let given = Exp::Var(param.var);
        match told(nested) {
            Told::Scalar(Sc::Bool) => given,
            Told::Scalar(_) => self.boxed(given),
            Told::Array(sc) => {
                let count = self.named("n", length(param));
                let (words, one) = (max(Exp::i32(1), count.clone()), sc == Sc::I32);
                let all = if one { add(count.clone(), words) } else { words };
                let all = self.named("words", all);
                let first = self.allocate(&PARAMETERS, all);
                let ahead = if one { count.clone() } else { Exp::i32(0) };
                let vector = self.named("v", add(first.clone(), ahead));
                let (block, at) = self.place(&vector);
                self.write(&block, add(at.clone(), Exp::i32(1)), count.clone());
                let (_, at_first) = self.place(&first);
                self.each(count, |to, k| {
                    let (cell, value) = (to.cell(k.clone()), to.read(&given, k.clone()));
                    if one {
                        to.write(&block, add(at_first, cell.clone()), value);
                        to.write(&block, add(at, cell), add(first, k));
                    } else {
                        to.write(&block, add(at, cell), value);
                    }
                });
                vector
            }
            Told::Words => {
                let cursor = self.global("cursor", I32, Exp::i32(0));
                self.parsed(nested, &given, &cursor)
            }
        }
    }

    fn boxed(&mut self, value: Exp) -> Exp {
        let location = self.allocate(&PARAMETERS, Exp::i32(1));
        self.put(&location, &[value]);
        location
    }

    /// The value that is told from there on, where the cursor is.
    fn parsed(&mut self, nested: &Nested, given: &Exp, cursor: &Exp) -> Exp {
        match nested {
            Nested::Bool => self.next_word(given, cursor),
            Nested::Int => {
                let word = self.next_word(given, cursor);
                self.boxed(word)
            }
            Nested::Pair(parts) => {
                let [a, b] = [0, 1].map(|at| self.parsed(&parts[at], given, cursor));
                let pair = self.allocate(&PARAMETERS, Exp::i32(2));
                self.put(&pair, &[a, b]);
                pair
            }
            Nested::Vector(of) => {
                let count = self.next_word(given, cursor);
                let start = self.get(Reg::Stack);
                let stack = self.stack.clone();
                self.each(count.clone(), |to, _| {
                    let value = to.parsed(of, given, cursor);
                    let sp = to.get(Reg::Stack);
                    to.is_deep_enough(add(sp.clone(), Exp::i32(1)));
                    to.write(&stack, sp.clone(), value);
                    to.set(Reg::Stack, add(sp, Exp::i32(1)));
                });
                let words = self.named("n", max(Exp::i32(1), count.clone()));
                let vector = self.allocate(&PARAMETERS, words);
                let (block, first) = self.place(&vector);
                self.write(&block, add(first.clone(), Exp::i32(1)), count.clone());
                self.set(Reg::Stack, start.clone());
                self.each(count, |to, k| {
                    let value = to.read(&stack, add(start, k.clone()));
                    let cell = to.cell(k);
                    to.write(&block, add(first, cell), value);
                });
                vector
            }
            Nested::Function => unreachable!("T-PROGRAM: no input is a function"),
        }
    }

    fn next_word(&mut self, given: &Exp, cursor: &Exp) -> Exp {
        let word = self.read(given, cursor.clone());
        self.moves(cursor);
        word
    }

    fn moves(&mut self, cursor: &Exp) {
        let Exp::Var(var) = cursor else { unreachable!("the cursor is a variable") };
        self.emit(Item::Set(*var, add(cursor.clone(), Exp::i32(1))));
    }

    /// The result, as it is observed.
    pub(super) fn shows(&mut self, nested: &Nested) -> Vec<Output> {
        let value = self.get(Reg::Acc);
        let shown = match told(nested) {
            Told::Scalar(Sc::Bool) => Shown::Scalar(Sc::Bool, value),
            Told::Scalar(sc) => Shown::Scalar(sc, self.first_word(&value)),
            Told::Array(sc) => {
                let count = self.length(&value);
                let block = self.result_block(count.clone());
                self.each(count.clone(), |to, k| {
                    let mut element = to.element(&value, &k);
                    if sc == Sc::I32 {
                        element = to.first_word(&element);
                    }
                    to.write(&block, k, element);
                });
                array(sc, block, count)
            }
            Told::Words => {
                let count = self.global("count", I32, Exp::i32(0));
                self.tells_value(nested, &value, &count, None);
                let block = self.result_block(count.clone());
                let cursor = self.global("cursor", I32, Exp::i32(0));
                self.tells_value(nested, &value, &cursor, Some(&block));
                Shown::Words(nested.clone(), block)
            }
        };
        vec![shown.into()]
    }

    fn result_block(&mut self, size: Exp) -> Exp {
        let block = self.fresh("result");
        self.emit(Item::Host(Host::Alloc { block, element: WORDS, size }));
        Exp::Var(block)
    }

    /// Tells a value into a block, or counts its words.
    fn tells_value(&mut self, nested: &Nested, value: &Exp, cursor: &Exp, into: Option<&Exp>) {
        match nested {
            Nested::Function => {}
            Nested::Bool => self.tells_word(|_| value.clone(), cursor, into),
            Nested::Int => self.tells_word(|to| to.first_word(value), cursor, into),
            Nested::Pair(parts) => {
                let place = self.place(value);
                for (at, part) in parts.iter().enumerate() {
                    let value = self.word(&place, Exp::i32(at as i32));
                    self.tells_value(part, &value, cursor, into);
                }
            }
            Nested::Vector(of) => {
                let count = self.length(value);
                self.tells_word(|_| count.clone(), cursor, into);
                self.each(count.clone(), |to, k| {
                    let element = to.element(value, &k);
                    to.tells_value(of, &element, cursor, into);
                });
            }
        }
    }

    fn tells_word(
        &mut self,
        word: impl FnOnce(&mut Self) -> Exp,
        cursor: &Exp,
        into: Option<&Exp>,
    ) {
        if let Some(block) = into {
            let word = word(self);
            self.write(block, cursor.clone(), word);
        }
        self.moves(cursor);
    }
}

fn length(param: &Param) -> Exp {
    Exp::Cast(Sc::I32, Box::new(Exp::Length(Box::new(Exp::Var(param.var)))))
}

fn array(sc: Sc, block: Exp, count: Exp) -> Shown {
    let (offset, strides) = (Exp::i32(0), vec![Exp::i32(1)]);
    Shown::Array { sc, block, shape: vec![count], offset, strides }
}
