//! Where `on` may stand in a program: the same program with `on` taken away, or put around other expressions of it.

use super::syntax::{Exp, Kind, Program, R0, Region};
use super::types;
use super::visit::{parts, parts_mut};
use crate::kit::derivation::Recorder;
use crate::kit::names::Var;
use crate::kit::text::Span;

/// The most expressions of a program that are tried.
pub const MOST_TRIED: usize = 4096;

/// An expression that an `on` may stand around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The `on` that is written there, or the expression.
    pub span: Span,
    /// `ρ` of `on e at ρ`
    pub at: Region,
    /// Is it written there?
    pub written: bool,
    /// The number of the expression in the program without any `on`, and behind it that of the first one that is not in it.
    number: usize,
    end: usize,
}

impl Spot {
    /// May both have an `on`? It does not stand in another one.
    pub fn is_beside(&self, other: &Spot) -> bool {
        self.end <= other.number || other.end <= self.number
    }
}

/// A program and the expressions of it that an `on` may stand around.
#[derive(Clone, Debug)]
pub struct Spots {
    /// The program without any `on`.
    program: Program,
    /// The places, by where the expressions begin in the sequential order; what is around another comes before it.
    pub all: Vec<Spot>,
    /// Were all expressions tried?
    pub whole: bool,
}

impl Spots {
    /// Those of a program that has a type. An expression is one if the program has a type with an `on` around it and
    /// nowhere else. Other variables than those that are written with one are left out: nothing would be done on the device. So are expressions of which the `at` of an
    /// `on` says a world that they would not be in.
    pub fn of(program: &Program) -> Self {
        let mut host = program.clone();
        let mut numbered = Numbered::default();
        numbered.taken(&mut host.body);
        let Numbered { written, .. } = numbered;
        let mut found = Vec::new();
        scoped(&host.body, &mut 0, &mut vec![R0], &mut |e, number, end, regions| {
            let is_written = written.iter().any(|(at, ..)| *at == number);
            if is_written || !matches!(e.kind, Kind::Var(_) | Kind::Bool(_) | Kind::LetRegion(..)) {
                found.push((number, end, e.span, regions.to_vec()));
            }
        });
        found.sort_by_key(|(number, ..)| *number);
        let whole = found.len() <= MOST_TRIED;
        found.truncate(MOST_TRIED);
        let mut spots = Spots { program: host, all: Vec::new(), whole };
        for (number, end, span, regions) in found {
            let of = written.iter().find(|(at, ..)| *at == number);
            let tried = match of {
                Some((_, _, at)) => vec![*at],
                None => regions
                    .iter()
                    .rev()
                    .map(|var| Region { span, var: *var, world: None })
                    .collect(),
            };
            let span = of.map_or(span, |(_, span, _)| *span);
            let mut tried =
                tried.into_iter().map(|at| Spot { span, at, written: of.is_some(), number, end });
            let fits = |spot: &Spot| spots.placed(&[*spot]).is_some();
            if let Some(spot) = tried.find(fits) {
                spots.all.push(spot);
            }
        }
        spots
    }

    /// The program with an `on` in each of these places, none of which is in another, if it has a type.
    pub fn placed(&self, on: &[Spot]) -> Option<Program> {
        let mut program = self.program.clone();
        put(&mut program.body, &mut 0, on);
        types::check(&program, &mut Recorder::counting()).is_ok().then_some(program)
    }
}

/// Expressions by their numbers: each before what is in it, left before right.
#[derive(Default)]
struct Numbered {
    next: usize,
    /// Each `on` that is taken away: the number of what is in it, its place, its `at`.
    written: Vec<(usize, Span, Region)>,
}

impl Numbered {
    fn taken(&mut self, e: &mut Exp) {
        while let Kind::On(inner, at) = &mut e.kind {
            self.written.push((self.next, e.span, *at));
            let hollow = Exp { span: e.span, kind: Kind::Bool(true) };
            *e = std::mem::replace(&mut **inner, hollow);
        }
        self.next += 1;
        parts_mut(e).into_iter().for_each(|part| self.taken(part));
    }
}

/// Puts an `on` in each of these places.
fn put(e: &mut Exp, next: &mut usize, on: &[Spot]) {
    let number = *next;
    *next += 1;
    parts_mut(e).into_iter().for_each(|part| put(part, next, on));
    if let Some(spot) = on.iter().find(|spot| spot.number == number) {
        let hollow = Exp { span: e.span, kind: Kind::Bool(true) };
        let inner = std::mem::replace(e, hollow);
        *e = Exp { span: spot.span, kind: Kind::On(Box::new(inner), spot.at) };
    }
}

/// Tells each expression with its number, the one behind it, and the regions in scope, the oldest first.
fn scoped(
    e: &Exp,
    next: &mut usize,
    regions: &mut Vec<Var>,
    tell: &mut impl FnMut(&Exp, usize, usize, &[Var]),
) {
    let number = *next;
    *next += 1;
    let binds = match &e.kind {
        Kind::LetRegion(binder, ..) => Some(binder.var),
        Kind::RegionFn(lambda) => Some(lambda.region.var),
        _ => None,
    };
    let around = regions.len();
    regions.extend(binds);
    for part in parts(e) {
        scoped(part, next, regions, tell);
    }
    regions.truncate(around);
    tell(e, number, *next, regions);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lambda_g::tests::programs;
    use crate::lambda_g::{parse, print};

    fn spots(source: &str) -> Vec<String> {
        let program = parse::program(source).unwrap_or_else(|no| panic!("{source}: {no:?}"));
        let spots = Spots::of(&program);
        let shown = spots.all.iter().map(|spot| {
            let mark = if spot.written { "written " } else { "" };
            let text = &source[spot.span.start as usize..spot.span.end as usize];
            format!("{mark}{text} at {}", program.names.written(spot.at.var))
        });
        shown.collect()
    }

    const PRODUCTS: &str =
        "fn (p : ((int, r0) * (int, r0), r0)) ! {r0} => fst p * snd p at r0 at r0";

    /// In the body of a function without `host` nothing may run on the device, nor may what makes a region.
    #[test]
    fn on_stands_where_the_types_allow_it() {
        let params = "param arrs : (Vec ((int, r0) * (int, r0), r0), r0); ";
        let host = format!("parmap ({PRODUCTS}) arrs at r0");
        assert_eq!(
            spots(&format!("{params}{host}")),
            [format!("{host} at r0"), format!("{PRODUCTS} at r0")]
        );
        let device = format!("on {host} at r0");
        assert_eq!(
            spots(&format!("{params}{device}")),
            [format!("written {device} at r0"), format!("{PRODUCTS} at r0")]
        );
        // A result in `q`, and an `int` of a function that may use the device; that function itself is not made there.
        let source = "letregion q in let x = 1 at q in let f = fn (y : (int, q)) ! {q, r0, host} => y + y at r0 at q in f x";
        assert_eq!(spots(source), ["1 at q at q", "y + y at r0 at r0"]);
        let marked = "letregion q in let x = 1 at q@C in 2 at r0";
        assert_eq!(spots(marked), ["2 at r0 at r0"]);
    }

    /// With every `on` where it was written a program is as it was, and one with any other is read back with a type.
    #[test]
    fn programs_with_on_elsewhere_are_programs() {
        for (name, _, source) in programs("pass") {
            let program = parse::program(&source).expect("it is read");
            let spots = Spots::of(&program);
            assert!(spots.whole, "{name}");
            let written: Vec<Spot> =
                spots.all.iter().copied().filter(|spot| spot.written).collect();
            assert_eq!(spots.placed(&written).as_ref(), Some(&program), "{name}");
            assert!(spots.placed(&[]).is_some(), "{name}");
            for spot in &spots.all {
                let placed = spots.placed(&[*spot]).expect("it has a type");
                let text = print::program(&placed);
                let again = parse::program(&text).unwrap_or_else(|no| panic!("{text}: {no:?}"));
                assert_eq!(print::program(&again), text, "{name}");
                assert!(types::check(&again, &mut Recorder::counting()).is_ok(), "{text}");
            }
        }
    }
}
