//! What goes in and comes out.
//!
//! Ints and bools, and vectors of these, are what they are. Any other value is a vector of words: of an int or a bool one,
//! of a pair those of both, of a vector its length and those of its elements; a function has none.

use super::code::{Item, WORDS, add, max, mul};
use super::machine::{Machine, Reg, USED};
use super::{DEPTH, MOST_WORDS, ROOM};
use reference::device::syntax::{Exp, Host, I32, Output, Param, Sc, Shown};
use reference::kit::outcome::{Cells, Scalar, Value};
use reference::kit::scalar::BinOp;
use reference::kit::value::ScalarType;
use reference::lambda_g::syntax::{Program, R0};
use reference::lambda_g::types::Shape;

/// How the input and the result of a program are told.
#[derive(Clone, Debug)]
pub struct Border {
    params: Vec<Shape>,
    result: Shape,
}

/// How a value is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    /// As it is.
    Scalar(Sc),
    /// As an array of these.
    Array(Sc),
    /// As words.
    Words,
    /// Not at all.
    Nothing,
}

fn told(shape: &Shape) -> Told {
    match shape {
        Shape::Int => Told::Scalar(Sc::I32),
        Shape::Bool => Told::Scalar(Sc::Bool),
        Shape::Function => Told::Nothing,
        Shape::Vector(of) => match told(of) {
            Told::Scalar(sc) => Told::Array(sc),
            _ => Told::Words,
        },
        Shape::Pair(_) => Told::Words,
    }
}

impl Border {
    pub(super) fn new(params: Vec<Shape>, result: Shape) -> Self {
        Self { params, result }
    }

    /// The input of the program in the device language, for one that fits.
    pub fn input(&self, values: &[Value]) -> Vec<Value> {
        let values = values.iter().zip(&self.params);
        let input = values.map(|(value, shape)| match told(shape) {
            Told::Scalar(_) | Told::Array(_) => value.clone(),
            Told::Words | Told::Nothing => {
                let mut words = Vec::new();
                write(value, &mut words);
                Value::ints(vec![words.len()], words)
            }
        });
        input.collect()
    }

    /// The result of the program, for those of the one in the device language.
    ///
    /// # Panics
    /// If they are none of it.
    pub fn results(&self, values: &[Value]) -> Vec<Value> {
        vec![match (told(&self.result), values) {
            (Told::Scalar(_) | Told::Array(_), [value]) => value.clone(),
            (Told::Words, [Value::Array { cells: Cells::I32(words), .. }]) => {
                read(&self.result, &mut words.iter().copied())
            }
            (Told::Nothing, []) => Value::Opaque("closure".to_owned()),
            (_, values) => panic!("{values:?} are no results of the program"),
        }]
    }
}

fn write(value: &Value, words: &mut Vec<i32>) {
    let scalar = |scalar| match scalar {
        Scalar::Bool(value) => i32::from(value),
        Scalar::I32(k) => k,
        _ => unreachable!("the input fits"),
    };
    match value {
        Value::Scalar(value) => words.push(scalar(*value)),
        Value::Array { cells, .. } => {
            words.push(cells.len() as i32);
            words.extend(cells.iter().map(scalar));
        }
        Value::List(parts) => {
            words.push(parts.len() as i32);
            parts.iter().for_each(|part| write(part, words));
        }
        Value::Tuple(parts) => parts.iter().for_each(|part| write(part, words)),
        Value::Opaque(_) => unreachable!("the input fits"),
    }
}

fn read(shape: &Shape, words: &mut impl Iterator<Item = i32>) -> Value {
    let mut word = || words.next().expect("all words of a value are told");
    match shape {
        Shape::Int => word().into(),
        Shape::Bool => (word() != 0).into(),
        Shape::Function => Value::Opaque("closure".to_owned()),
        Shape::Pair(parts) => Value::Tuple(parts.iter().map(|part| read(part, words)).collect()),
        Shape::Vector(of) => {
            let length = word() as usize;
            let values: Vec<Value> = (0..length).map(|_| read(of, words)).collect();
            let sc = match **of {
                Shape::Int => ScalarType::I32,
                Shape::Bool => ScalarType::Bool,
                _ => return Value::List(values),
            };
            let mut cells = Cells::none(sc);
            for value in &values {
                let Value::Scalar(scalar) = value else { unreachable!("they are scalars") };
                cells.push(*scalar).expect("they are of one type");
            }
            Value::Array { shape: vec![length], cells }
        }
    }
}

/// The number of the region of the parameters.
const PARAMETERS: Exp = Exp::Lit(reference::device::syntax::Lit::I32(0));

impl<'p> Machine<'_, 'p> {
    /// Puts the parameters into `r0`, elements before their container. The region is then twice as large as what is used,
    /// and `BSIZE` more (L61).
    pub(super) fn takes(&mut self, program: &Program, shapes: &[Shape]) -> Vec<Param> {
        let mut params = Vec::new();
        for (param, shape) in program.params.iter().zip(shapes) {
            let (sc, is_array) = match told(shape) {
                Told::Scalar(sc) => (sc, false),
                Told::Array(sc) => (sc, true),
                Told::Words | Told::Nothing => (Sc::I32, true),
            };
            let var = self.lower.names.fresh(program.names.written(param.var).to_owned());
            let own = Exp::Length(Box::new(Exp::Var(var)));
            params.push(Param { var, sc, shape: is_array.then(|| vec![own]) });
        }
        let mut most = Exp::i32(1);
        for (param, shape) in params.iter().zip(shapes) {
            most = add(most, self.most(param, shape));
        }
        let most = self.named("most", most);
        self.begins(most);
        self.bind(R0, PARAMETERS);
        for ((param, shape), source) in params.iter().zip(shapes).zip(&program.params) {
            let value = self.given(param, shape);
            self.bind(source.var, value);
        }
        let used = self.kept(&PARAMETERS, USED);
        let base = Exp::i32(self.lower.limits.base as i32);
        self.grows(&PARAMETERS, add(mul(used, Exp::i32(2)), base));
        params
    }

    /// The most words that a parameter takes.
    fn most(&mut self, param: &Param, shape: &Shape) -> Exp {
        let per_word = match told(shape) {
            Told::Scalar(_) => return Exp::i32(1),
            Told::Array(_) => 2,
            // A word is an int or a bool, or the length of a vector, in at most a pair and a vector.
            Told::Words | Told::Nothing => 8,
        };
        let length = self.named("length", length(param));
        let fits = Exp::bin(BinOp::Le, length.clone(), Exp::i32(MOST_WORDS / 16));
        self.require(fits, ROOM, &[]);
        add(mul(length, Exp::i32(per_word)), Exp::i32(1))
    }

    fn given(&mut self, param: &Param, shape: &Shape) -> Exp {
        let given = Exp::Var(param.var);
        match told(shape) {
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
            Told::Words | Told::Nothing => {
                let cursor = self.global("cursor", I32, Exp::i32(0));
                self.parsed(shape, &given, &cursor)
            }
        }
    }

    fn boxed(&mut self, value: Exp) -> Exp {
        let location = self.allocate(&PARAMETERS, Exp::i32(1));
        self.put(&location, &[value]);
        location
    }

    /// The value that is told from there on, where the cursor is.
    fn parsed(&mut self, shape: &Shape, given: &Exp, cursor: &Exp) -> Exp {
        match shape {
            Shape::Bool => self.next_word(given, cursor),
            Shape::Int => {
                let word = self.next_word(given, cursor);
                self.boxed(word)
            }
            Shape::Pair(parts) => {
                let [a, b] = [0, 1].map(|at| self.parsed(&parts[at], given, cursor));
                let pair = self.allocate(&PARAMETERS, Exp::i32(2));
                self.put(&pair, &[a, b]);
                pair
            }
            Shape::Vector(of) => {
                let count = self.next_word(given, cursor);
                let start = self.get(Reg::Stack);
                let stack = self.stack.clone();
                self.each(count.clone(), |to, _| {
                    let value = to.parsed(of, given, cursor);
                    let sp = to.get(Reg::Stack);
                    let fits = Exp::bin(BinOp::Lt, sp.clone(), to.limit.clone());
                    to.require(fits, DEPTH, &[]);
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
            Shape::Function => unreachable!("T-PROGRAM: no input is a function"),
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
    pub(super) fn shows(&mut self, shape: &Shape) -> Vec<Output> {
        let value = self.get(Reg::Acc);
        let shown = match told(shape) {
            Told::Nothing => return Vec::new(),
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
                self.tells_value(shape, &value, &count, None);
                let block = self.result_block(count.clone());
                let cursor = self.global("cursor", I32, Exp::i32(0));
                self.tells_value(shape, &value, &cursor, Some(&block));
                array(Sc::I32, block, count)
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
    fn tells_value(&mut self, shape: &Shape, value: &Exp, cursor: &Exp, into: Option<&Exp>) {
        match shape {
            Shape::Function => {}
            Shape::Bool => self.tells_word(|_| value.clone(), cursor, into),
            Shape::Int => self.tells_word(|to| to.first_word(value), cursor, into),
            Shape::Pair(parts) => {
                let place = self.place(value);
                for (at, part) in parts.iter().enumerate() {
                    let value = self.word(&place, Exp::i32(at as i32));
                    self.tells_value(part, &value, cursor, into);
                }
            }
            Shape::Vector(of) => {
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
