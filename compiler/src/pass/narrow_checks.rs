//! `narrow_checks`: whether a number of 64 bits is one of 32 is asked in floating point, for not every
//! adapter has i64.
//!
//! | | |
//! |---|---|
//! | before | kernels and functions in which whatever can get stuck stands behind a check |
//! | after | no `check width` of a sum or product of integers of 32 bits |
//! | stuck | the same site; a kernel may give up where it did not have to |
//!
//! What `+ - *` give in 32 bits is right modulo 2³², so it is exact as soon as it is less than 2³²
//! away from the true value, and for that floating point is good enough: beside the value go an
//! *approximation* and a *magnitude*,
//!
//! ```text
//! ~k = f32(k)           |k|     = the constant, made positive
//! ~x = f32(x)           |x|     = max(f32(x), -f32(x))
//! ~(a ⊕ b) = ~a ⊕ ~b    |a ± b| = |a| + |b|      |a * b| = |a| * |b|
//! ```
//!
//! and `|x ± c|` is that of its approximation for a variable and a small constant.
//! Each conversion and each operation rounds by at most 2⁻²³ of its result, so in whatever order
//! a device sums, the approximation of an expression of `n` of them is at most `2n · 2⁻²³ · |e|`
//! away from the true value ([`Rounding`]; twice, for the magnitude is rounded too). The value is
//! exact if
//!
//! ```text
//! |~e - f32(e)| + rounding · |e| < 2³¹
//! ```
//!
//! A rough test comes first, `|e| < 2³⁰`, which takes less to compute and leaves next to nothing to the
//! other.

use super::fold::fold;
use super::types::Types;
use reference::device::parts::Statement;
use reference::device::syntax::{
    Block, Check, Exp, F32, If, Kind, Lit, Program, Sc, Site, Stm, UnOp,
};
use reference::device::visit_mut::change_exp;
use reference::kit::names::Names;
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

/// How far off an approximation may be: 2³¹, where 2³² would do.
const LIMIT: f32 = 2_147_483_648.0;

/// Below this magnitude a value is exact, if the magnitude is off by less than itself.
const SMALL: f32 = LIMIT / 2.0;

/// An interval that says nothing.
const ANYTHING: (i64, i64) = (i64::MIN, i64::MAX);

/// The pass.
pub fn narrow_checks(mut program: Program) -> Program {
    let types = Types::of(&program);
    let names = std::mem::take(&mut program.names);
    let mut narrow = Narrow { types, sites: &program.sites, names };
    for kernel in &mut program.kernels {
        narrow.block(&mut kernel.body);
    }
    for function in &mut program.functions {
        narrow.block(&mut function.body);
    }
    program.names = narrow.names;
    program
}

struct Narrow<'p> {
    types: Types,
    sites: &'p [Site],
    names: Names,
}

impl Narrow<'_> {
    fn block(&mut self, body: &mut Block) {
        if !body.iter().any(|stm| self.changes(&stm.kind)) {
            return;
        }
        let mut out = Vec::with_capacity(body.len() + 1);
        for mut stm in body.drain(..) {
            if let Kind::Check(check) = &stm.kind
                && let Some(term) = self.number(check)
            {
                let check = Check { operands: Vec::new(), ..check.clone() };
                self.test(stm.span, term, check, &mut out);
                continue;
            }
            stm.kind.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            out.push(stm);
        }
        *body = out;
    }

    /// May the statement be another behind the pass?
    fn changes(&self, kind: &Kind) -> bool {
        match kind {
            Kind::Check(check) => self.is_of_width(check),
            other => !other.blocks().is_empty(),
        }
    }

    fn is_of_width(&self, check: &Check) -> bool {
        self.sites[check.site as usize].cause == Cause::Width && !check.operands.is_empty()
    }

    /// The number that a check asks of whether it is one of 32 bits, if it is made of such.
    fn number(&self, check: &Check) -> Option<Term> {
        if !self.is_of_width(check) {
            return None;
        }
        let [number] = check.operands.as_slice() else { return None };
        self.term(number)
    }

    /// Of an i64, or a u32.
    fn term(&self, exp: &Exp) -> Option<Term> {
        match exp {
            Exp::Lit(Lit::I64(k)) => {
                let k = k.0;
                let value = k as f32;
                Some(Term {
                    value: Exp::i32(k as i32),
                    approximation: float(value),
                    magnitude: float(value.abs()),
                    interval: (k, k),
                    steps: 1,
                })
            }
            Exp::Cast(Sc::I64, word) => match self.types.sc(word)? {
                Sc::I32 => {
                    Some(Term::of((**word).clone(), word, (i32::MIN.into(), i32::MAX.into())))
                }
                Sc::U32 => {
                    let value = Exp::Cast(Sc::I32, word.clone());
                    Some(Term::of(value, word, (0, u32::MAX.into())))
                }
                _ => None,
            },
            Exp::Bin(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), ab) => {
                let [a, b] = &**ab;
                Some(ring(*op, self.term(a)?, self.term(b)?))
            }
            Exp::Select(parts) => {
                let [cond, a, b] = &**parts;
                Some(select(cond, self.term(a)?, self.term(b)?))
            }
            _ => None,
        }
    }

    /// Gives up where the value of the term may not be its true one.
    fn test(&mut self, span: Span, term: Term, check: Check, out: &mut Block) {
        let Term { value, approximation, magnitude, steps, .. } = term;
        let rounding = Rounding::of(steps);
        let value = Exp::Cast(Sc::F32, Box::new(value));
        let off = Exp::bin(BinOp::Sub, approximation, value);
        let magnitude = self.name(span, magnitude, "magnitude", out);
        let mut far = Vec::new();
        let off = self.name(span, off, "off", &mut far);
        let test = rounding.test(&magnitude, &off);
        unless(span, test, vec![Stm { span, kind: Kind::Check(check) }], &mut far);
        match rounding.rough(magnitude) {
            Some(rough) => unless(span, rough, far, out),
            None => out.append(&mut far),
        }
    }

    /// A name for an f32.
    fn name(&mut self, span: Span, mut value: Exp, wish: &'static str, out: &mut Block) -> Exp {
        change_exp(&mut value, &mut |part| fold(part, &self.types));
        let var = self.names.fresh(wish);
        self.types.enter(var, &F32);
        out.push(Stm { span, kind: Kind::Let(var, F32, value) });
        Exp::Var(var)
    }
}

/// Appends `if !holds { then }`.
fn unless(span: Span, holds: Exp, then: Block, out: &mut Block) {
    let cond = Exp::Un(UnOp::Not, Box::new(holds));
    out.push(Stm { span, kind: Kind::If(If { cond, then, orelse: Vec::new() }) });
}

/// The share of its magnitude that an approximation may be off.
#[derive(Clone, Copy)]
struct Rounding(f32);

impl Rounding {
    /// Of so many steps, and three of the test itself.
    fn of(steps: u32) -> Self {
        Self((steps.saturating_add(3)) as f32 * 2.0 * f32::EPSILON)
    }

    /// A bool that takes less to compute and is true only where [`Rounding::test`] is, if there is
    /// one.
    fn rough(self, magnitude: Exp) -> Option<Exp> {
        (self.0 < 1.0).then(|| Exp::bin(BinOp::Lt, magnitude, float(SMALL)))
    }

    /// Is the approximation near, as it is off by so much? Like the rough test it is false also where
    /// something is infinite or not a number.
    fn test(self, magnitude: &Exp, off: &Exp) -> Exp {
        let rounded = Exp::bin(BinOp::Mul, magnitude.clone(), float(self.0));
        Exp::bin(BinOp::Lt, Exp::bin(BinOp::Add, positive(off), rounded), float(LIMIT))
    }
}

/// A subexpression.
struct Term {
    /// Its value modulo 2³², an i32.
    value: Exp,
    /// Nearly its true value, an f32.
    approximation: Exp,
    /// At least what any part of the approximation can be, an f32.
    magnitude: Exp,
    /// What its true value lies in, of a word and of one with a small literal.
    interval: (i64, i64),
    /// Conversions and operations in the approximation.
    steps: u32,
}

impl Term {
    /// A value that is exact: that of a word.
    fn of(value: Exp, word: &Exp, interval: (i64, i64)) -> Self {
        let approximation = Exp::Cast(Sc::F32, Box::new(word.clone()));
        let magnitude = made_positive(&approximation, interval);
        Self { value, approximation, magnitude, interval, steps: 1 }
    }

    /// A literal so small that `x - c` has a magnitude of its own: where the conversion of `x`
    /// rounds at all, `x` is at least 2²⁴, and `|x - c|` nearly as large. So `(i - 1) * s` is known
    /// to be small where `i` is 1, whatever `s` is.
    fn is_near_zero(&self) -> bool {
        let (low, high) = self.interval;
        self.steps == 1 && low == high && low.saturating_abs() <= 1 << 12
    }
}

/// `a ± b`, `a * b`.
fn ring(op: BinOp, a: Term, b: Term) -> Term {
    let of_magnitudes = if op == BinOp::Mul { BinOp::Mul } else { BinOp::Add };
    let shifted = op != BinOp::Mul && a.steps == 1 && b.is_near_zero();
    let (low, high) = b.interval;
    let interval = match op {
        BinOp::Add if shifted => {
            (a.interval.0.saturating_add(low), a.interval.1.saturating_add(high))
        }
        _ if shifted => (a.interval.0.saturating_sub(high), a.interval.1.saturating_sub(low)),
        _ => ANYTHING,
    };
    let approximation = Exp::bin(op, a.approximation, b.approximation);
    let magnitude = if shifted {
        made_positive(&approximation, interval)
    } else {
        Exp::bin(of_magnitudes, a.magnitude, b.magnitude)
    };
    Term {
        value: Exp::bin(op, a.value, b.value),
        approximation,
        magnitude,
        interval,
        steps: a.steps.saturating_add(b.steps).saturating_add(1),
    }
}

fn select(cond: &Exp, a: Term, b: Term) -> Term {
    let one = |a: Exp, b: Exp| Exp::select(cond.clone(), a, b);
    Term {
        value: one(a.value, b.value),
        approximation: one(a.approximation, b.approximation),
        magnitude: one(a.magnitude, b.magnitude),
        interval: ANYTHING,
        // So it is no literal.
        steps: a.steps.max(b.steps).saturating_add(1),
    }
}

/// `|float|`; as it is if what it is near to is not negative.
fn made_positive(exp: &Exp, (low, _): (i64, i64)) -> Exp {
    if low >= 0 { exp.clone() } else { positive(exp) }
}

/// `|float|`
fn positive(exp: &Exp) -> Exp {
    let negative = Exp::Un(UnOp::Neg, Box::new(exp.clone()));
    Exp::bin(BinOp::Max, exp.clone(), negative)
}

fn float(x: f32) -> Exp {
    Exp::Lit(Lit::F32(x.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::narrow_checks;
    use reference::device::eval::{Order, run};
    use reference::device::syntax::Program;
    use reference::device::{parse, print, validate};
    use reference::kit::derivation::Recorder;
    use reference::kit::outcome::{Budget, Cause, Ending, Value};

    fn program(number: &str) -> Program {
        let source = format!(
            "kernel k(x : i32, y : i32, z : i32) group 1 {{ check width({number}); }}\n\
             param x : i32;\nparam y : i32;\nparam z : i32;\nlaunch k(x, y, z) for 1;\nresult x;"
        );
        parse::program(&source).unwrap_or_else(|error| panic!("{error}\n{source}"))
    }

    fn gives_up(program: &Program, [x, y, z]: [i32; 3]) -> bool {
        let input = [x, y, z].map(Value::from);
        let outcome =
            run(program, &input, Order::InOrder, &Budget::default(), &mut Recorder::counting());
        match outcome.ending {
            Ending::Value(_) => false,
            ending => {
                assert_eq!(Some(ending), Cause::Width.gives_up().map(Ending::Unknown));
                true
            }
        }
    }

    const NUMBERS: [&str; 6] = [
        "i64(x) + i64(y)",
        "i64(x) - i64 1",
        "i64(x) + (i64(y) - i64 1) * i64(z)",
        "i64(u32(x)) * i64(y) - i64(u32(z))",
        "select(x == 0, i64 0, i64(y) * i64(z))",
        "i64(x) * i64(u32 1 << u32(y & 31))",
    ];

    /// No kernel goes on with a number that is beyond 32 bits, and with small ones each does.
    #[test]
    fn what_is_beyond_32_bits_is_seen() {
        fn property(x: i32, y: i32, z: i32, shifts: (u8, u8, u8)) -> bool {
            let (a, b, c) = (shifts.0 % 32, shifts.1 % 32, shifts.2 % 32);
            let input = [x >> a, y >> b, z >> c];
            NUMBERS.into_iter().all(|number| {
                let before = program(number);
                let (wide, narrow) =
                    (gives_up(&before, input), gives_up(&narrow_checks(before), input));
                let is_small = a.min(b).min(c) >= 18 && !number.contains("u32");
                (narrow || !wide) && !(is_small && narrow)
            })
        }
        quickcheck::QuickCheck::new()
            .tests(1_000)
            .quickcheck(property as fn(i32, i32, i32, (u8, u8, u8)) -> bool);
    }

    #[test]
    fn no_number_of_64_bits_is_left() {
        for number in NUMBERS {
            let after = narrow_checks(program(number));
            validate::check(&after, &mut Recorder::counting()).expect("it is valid");
            let text = print::program(&after);
            assert!(!text.contains("i64") && text.contains("check width()"), "{text}");
        }
    }

    /// Where a factor is 0 the other may be anything, and huge terms may cancel out.
    #[test]
    fn what_fits_in_the_end_fits() {
        let fits = |number: &str, input| {
            let before = program(number);
            !gives_up(&before, input) && !gives_up(&narrow_checks(before.clone()), input)
        };
        assert!(fits("select(x == 0, i64 0, i64(y) * i64(z))", [0, i32::MAX, i32::MAX]));
        assert!(fits("i64(x) + (i64(y) - i64 1) * i64(z)", [7, 1, i32::MIN]));
        let large = 2_000_000_000;
        assert!(fits("i64(x) + i64(y) * i64(z)", [large, -1, large]));
        assert!(fits("i64(x) * i64(y) - i64(x) * i64(z)", [large, 2, 2]));
    }

    /// What is no number of 32-bit integers stays what it is.
    #[test]
    fn a_quotient_is_left() {
        let before = program("i64(x) / i64 3");
        assert_eq!(narrow_checks(before.clone()), before);
    }
}
