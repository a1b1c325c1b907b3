//! Nested values at the border: one that is given as words, or one that the host makes of the elements of a block.

use super::border::Of;
use super::host::{Hosting, Owned};
use reference::device::syntax::{Copy, Element, Exp, Given, Host, Param, Sc, Shown};
use reference::kit::nested::Nested;
use reference::kit::outcome::{Cells, Value};

/// Most elements of a vector.
const MOST: u32 = 20;

/// Values of which a vector has some ints or bools.
struct Form {
    nested: Nested,
    /// Words before them.
    before: Vec<i32>,
    /// Words behind them.
    after: Vec<i32>,
    /// How many of the elements at hand it takes.
    elements: u32,
}

impl Hosting<'_, '_, '_> {
    /// In some programs one result more.
    pub(super) fn nested(&mut self) {
        if !self.making.draw.chance(14) {
            return;
        }
        let ints = self.blocks.iter().filter(|owned| owned.element.sc() == Sc::I32);
        let ints: Vec<Owned> = ints.copied().collect();
        if ints.is_empty() || self.making.draw.chance(50) {
            return self.given();
        }
        let from = self.making.draw.pick(&ints);
        let Form { nested, before, after, elements } = self.form(from.length.min(MOST), true);
        let block = self.making.fresh('w');
        let words = before.len() + elements as usize + after.len();
        let size = Exp::i32(words as i32);
        self.say(Host::Alloc { block, element: Element::Plain(Sc::I32), size });
        let behind = before.len() + elements as usize;
        let known = before.iter().enumerate();
        let known = known.chain(after.iter().enumerate().map(|(at, k)| (behind + at, k)));
        for (at, k) in known {
            let (offset, value) = (Exp::i32(at as i32), Exp::i32(*k));
            self.say(Host::Write { block: Exp::Var(block), offset, value });
        }
        let from = (Exp::Var(from.block), Exp::i32(0));
        let to = (Exp::Var(block), Exp::i32(before.len() as i32));
        let span = self.making.span();
        let copy = Copy::in_a_row(span, Exp::i32(elements as i32), from, to);
        self.say(Host::Copy(Box::new(copy)));
        self.making.program.results.push(Shown::Words(nested, Exp::Var(block)).into());
    }

    /// A parameter that is shown as it is.
    fn given(&mut self) {
        let elements = self.making.draw.below(9) as u32;
        let Form { nested, elements, .. } = self.form(elements, false);
        let count = elements as usize;
        let ints = self.data(Sc::I32, Of::Kernels, count);
        let bools = self.data(Sc::Bool, Of::Kernels, count);
        let var = self.making.fresh('w');
        self.input.push(value(&nested, &mut Values { ints: &ints, bools: &bools, at: 0, count }));
        self.making.program.params.push(Param { var, given: Given::Words(nested.clone()) });
        self.making.program.results.push(Shown::Words(nested, Exp::Var(var)).into());
    }

    fn form(&mut self, count: u32, functions: bool) -> Form {
        let mut scalar = || if self.making.draw.chance(35) { Nested::Bool } else { Nested::Int };
        let (a, b) = (scalar(), scalar());
        let vector = |of| Nested::Vector(Box::new(of));
        let pair = |a, b| Nested::Pair(Box::new([a, b]));
        let n = count as i32;
        let (nested, before, after, elements) = match self.making.draw.below(4) {
            0 => (vector(a), vec![n], vec![], count),
            1 => (vector(pair(a, b)), vec![n / 2], vec![], count / 2 * 2),
            2 => (vector(vector(a)), vec![2, n], vec![0], count),
            _ if functions => {
                (pair(Nested::Function, pair(a, vector(b))), vec![-7, n], vec![], count)
            }
            _ => (pair(a, vector(b)), vec![-7, n], vec![], count),
        };
        Form { nested, before, after, elements }
    }
}

/// What values are made of.
struct Values<'c> {
    ints: &'c Cells,
    bools: &'c Cells,
    at: usize,
    count: usize,
}

impl Values<'_> {
    fn scalar(&mut self, nested: &Nested) -> Value {
        let cells = if *nested == Nested::Bool { self.bools } else { self.ints };
        let at = self.at;
        self.at += 1;
        cells
            .get(at)
            .map_or(if *nested == Nested::Bool { true.into() } else { 5.into() }, Value::Scalar)
    }
}

fn value(nested: &Nested, from: &mut Values<'_>) -> Value {
    match nested {
        Nested::Int | Nested::Bool => from.scalar(nested),
        Nested::Pair(parts) => Value::Tuple(parts.iter().map(|part| value(part, from)).collect()),
        Nested::Vector(of) => {
            let mut values = Vec::new();
            while from.at < from.count {
                values.push(value(of, from));
            }
            of.vector(values)
        }
        Nested::Function => unreachable!("no parameter is a function"),
    }
}
