//! Well-typed FCL programs with their inputs, by construction.
//!
//! The inputs are drawn first, so the length of every array is known. An expression is made for a place
//! ([`Place`]): the spine of a level, where arrays of this level may be forced, or an element, which
//! a thread computes. An index stays within its array, a chunk has the length that is said, so a program
//! does not get stuck unless it is made to.

mod arrays;
mod builder;
mod loops;
pub(crate) mod near;
mod scalars;
mod stuck;

use super::draw::Draw;
use super::range::Range;
use super::{Generate, Generator, Intent, Made, Weights};
use arbitrary::Unstructured;
use builder::{Array, Base, Builder, Place, Scalar, Wanted};
use reference::fcl::Fcl;
use reference::fcl::doubles::DOUBLES;
use reference::fcl::syntax::{Def, Exp, Kind, Level, Op, Program, Scheme, Type};
use reference::kit::dice::Dice;
use reference::kit::fit::{self, Param};
use reference::kit::language::{Language, Settings};
use reference::kit::names::Var;
use reference::kit::outcome::{Cells, Value};
use reference::kit::text::Span;
use reference::kit::value::ScalarType;
use stuck::Trouble;

impl Generate for Fcl {
    const GENERATOR: Generator<Fcl> = program;
    const SHARE: u32 = 4;

    /// Few adapters have doubles of 64 bits, so most programs with doubles have them rounded to f32.
    fn settings(program: &Program, dice: &mut Dice) -> Settings {
        let mut settings = Settings::default();
        if has_doubles(program) && dice.below(IN_64_BITS) > 0 {
            let set = settings.set(Self::OPTIONS, DOUBLES.name, "f32");
            set.unwrap_or_else(|told| unreachable!("it is a value of the option: {told}"));
        }
        settings
    }
}

/// Of so many programs with doubles one has them in 64 bits.
const IN_64_BITS: u64 = 12;

/// Numbers of chunks and of their elements.
const FACTORS: [i64; 10] = [4, 2, 3, 5, 1, 8, 7, 6, 16, 12];
/// Lengths of chunks of a group of 64 threads, and of warps of 32, that are no multiple of it.
const MANY: [i64; 6] = [65, 70, 100, 130, 33, 97];

/// Percentage of programs in which a type, a kind, a level or a turnstile is to be changed; not each has such a change
/// that leaves it well typed.
const NEAR_MISSES: u32 = 11;

/// Makes a program from bytes. Few bytes make a small program, none the smallest.
pub fn program(bytes: &mut Unstructured<'_>, weights: &Weights) -> Made<Program> {
    let mut builder = Builder::new(Draw::new(bytes));
    builder.plan();
    let stuck = builder.draw.chance(weights.stuck);
    let (params, input) = builder.parameters(weights);
    if builder.wanted.uses > 0 || builder.draw.chance(10) {
        builder.definition();
    }
    if stuck {
        builder.trouble = Some(builder.draw.pick(&Trouble::ALL));
    }
    let (body, result) = builder.main_body(weights);
    let main = params.iter().rev().fold(body, |body, (var, _)| builder.lambda(*var, body));
    builder.define("main", main);
    // Of a parameter that is not used nothing else tells the type.
    let arrow = |to, (_, from): (Var, Type)| Type::Fn(Box::new([from, to]));
    let ty = params.into_iter().rev().fold(result, arrow);
    if let Some(main) = builder.defs.last_mut() {
        main.sig = Some(Scheme { span: Span::default(), vars: Vec::new(), ty });
    }
    let near_miss = !stuck && builder.draw.chance(NEAR_MISSES);
    let Builder { names, defs, mut draw, .. } = builder;
    let program = Program { names, defs };
    let (program, missed) =
        if near_miss { near::miss(&mut draw, program) } else { (program, false) };
    let intent = match (stuck, missed) {
        (true, _) => Intent::Stuck,
        (_, true) => Intent::Anything,
        _ => Intent::Runs,
    };
    Made { program, input, intent }
}

impl Builder<'_, '_> {
    /// What the program is to have, and which types.
    fn plan(&mut self) {
        let draw = &mut self.draw;
        let repeat = draw.chance(13);
        let neighbours = repeat && draw.chance(48);
        self.wanted = Wanted {
            two_levels: draw.chance(26),
            order: draw.chance(12),
            force_below: draw.chance(22),
            repeat,
            grid_loop: repeat && draw.chance(38),
            by_content: repeat && !neighbours && draw.chance(60),
            neighbours,
            warps: draw.chance(8),
            uses: if draw.chance(12) { 2 } else { 0 },
            single: draw.chance(15),
            many: draw.chance(16),
            map_delayed: draw.chance(7),
        };
        if draw.chance(16) {
            self.types.push(Base::Bool);
        }
        if draw.chance(26) {
            self.types.push(Base::Double);
            self.inexact = draw.chance(65);
        }
        if draw.chance(20) {
            let of = |at: usize| self.types[at % self.types.len()].clone();
            let pair = [of(draw.below(3)), of(draw.below(3))];
            self.types.push(Base::Pair(Box::new(pair)));
        }
        self.runtime = draw.chance(30);
    }

    /// The parameters with their values, in scope from here on.
    fn parameters(&mut self, weights: &Weights) -> (Vec<(Var, Type)>, Vec<Value>) {
        let (mut params, mut input) = (Vec::new(), Vec::new());
        let ints = self.draw.below(3) + usize::from(self.runtime);
        for _ in 0..ints {
            let value = self.draw.pick(&FACTORS);
            let var = self.fresh('n');
            self.scalars.push(Scalar { var, ty: Base::Int, range: Some(Range::exactly(value)) });
            params.push((var, Type::Int));
            input.push(Value::from(value as i32));
        }
        let empty = self.draw.chance(weights.empty / 2);
        for nth in 0..1 + self.draw.below(3) {
            let len = match empty && nth == 0 {
                true => 0,
                false => self.draw.pick(&FACTORS) * self.draw.pick(&FACTORS),
            };
            let simple: Vec<Base> =
                self.types.iter().filter(|ty| !matches!(ty, Base::Pair(_))).cloned().collect();
            let ty = simple[self.draw.below(simple.len())].clone();
            let var = self.fresh('p');
            input.push(self.data(&ty, len as usize));
            params.push((var, Type::Pull(Box::new(written(&ty)))));
            self.arrays.push(Array { var, ty, len, cost: 0 });
        }
        if self.types.contains(&Base::Bool) && self.draw.chance(30) {
            let var = self.fresh('b');
            self.scalars.push(Scalar { var, ty: Base::Bool, range: None });
            params.push((var, Type::Bool));
            input.push(Value::from(self.draw.chance(50)));
        }
        (params, input)
    }

    fn data(&mut self, ty: &Base, len: usize) -> Value {
        let seed = self.draw.word();
        let small = self.draw.chance(40);
        let hash = |at: usize| {
            let x = (seed ^ (at as u32 + 1)).wrapping_mul(0x9e37_79b1);
            (x ^ (x >> 15)).wrapping_mul(0x85eb_ca6b) as i32
        };
        let ints = (0..len).map(|at| if small { hash(at).rem_euclid(7) } else { hash(at) });
        let cells = match ty {
            Base::Int | Base::Pair(_) => Cells::I32(ints.collect()),
            Base::Bool => Cells::Bool(ints.map(|k| k & 1 == 1).collect()),
            Base::Double => Cells::F64(ints.map(|k| (f64::from(k % 1024) / 2.0).into()).collect()),
        };
        Value::Array { shape: vec![len], cells }
    }

    /// `fun f <l> xs = push <l> (mapPull (fn x => e) xs)`
    fn definition(&mut self) {
        let (from, to) = (self.base(), self.base());
        let (level, xs) = (self.fresh('l'), self.fresh('s'));
        // A definition sees no parameter.
        let outside = (std::mem::take(&mut self.scalars), std::mem::take(&mut self.arrays));
        let f = self.function(&from, &to, 64);
        (self.scalars, self.arrays) = outside;
        let of = self.var(xs);
        let mapped = self.call2(Op::MapPull, f, of);
        let pushed = self.push_at(Level::var(level), mapped);
        let body = self.lambda(xs, pushed);
        let body = self.exp(Kind::LevelFn(level, Box::new(body)));
        let name = self.define("f", body);
        self.poly = Some((name, from, to));
    }

    fn define(&mut self, name: &'static str, body: Exp) -> Var {
        let name = self.names.fresh(name);
        self.defs.push(Def { span: body.span, name, prelude: false, sig: None, body });
        name
    }

    /// What the program is: a push array, mostly of the grid.
    fn main_body(&mut self, weights: &Weights) -> (Exp, Type) {
        let wants_grid = self.wanted.grid_loop || self.wanted.two_levels || self.wanted.uses > 0;
        let level = match wants_grid {
            true => 3,
            false => [3, 2, 1, 0, 4][self.draw.weighed(&[60, 25, 6, 6, 2])],
        };
        self.wanted.warps |= level == 1;
        let len = self.length(level, weights);
        let inexact = self.inexact && self.draw.chance(80);
        let ty = if inexact { Base::Double } else { self.base() };
        let depth = 2 + self.draw.below(3);
        let body = self.spine(&ty, len, level, depth);
        let result = Type::Push(Box::new(written(&ty)), Level::number(level));
        let body = match self.stuck(Place::Spine(level)) {
            // Nothing has got stuck so far: the first thing does.
            Some(bad) => {
                let var = self.fresh('x');
                self.bind(var, bad, body)
            }
            None => body,
        };
        (body, result)
    }

    fn length(&mut self, level: u32, weights: &Weights) -> i64 {
        if self.draw.chance(weights.empty / 4) {
            return 0;
        }
        if self.draw.chance(weights.wide * 2) && level > 0 {
            let many = self.draw.pick(&MANY);
            return if level == 3 { many * self.draw.between(1, 3) } else { many };
        }
        let mut len = self.draw.pick(&FACTORS) * self.draw.pick(&FACTORS);
        if self.wanted.two_levels || self.draw.chance(20) {
            len *= self.draw.pick(&[2, 3, 4]);
        }
        len.min(400)
    }
}

/// Has the program doubles? They are written, made of ints, or given.
fn has_doubles(program: &Program) -> bool {
    let mut found = false;
    for def in &program.defs {
        def.body.walk(&mut |exp| {
            found |= matches!(exp.kind, Kind::Double(_) | Kind::Op(Op::I2d));
        });
    }
    let takes = Fcl::takes(program);
    let is_double = |param: &Param| match &param.ty {
        fit::Type::Scalar(ty) | fit::Type::Array(ty, _) => *ty == ScalarType::F64,
        _ => false,
    };
    found || takes.params.iter().any(is_double)
}

/// A base type as programs write it.
fn written(ty: &Base) -> Type {
    match ty {
        Base::Int => Type::Int,
        Base::Bool => Type::Bool,
        Base::Double => Type::Double,
        Base::Pair(parts) => Type::Pair(Box::new([written(&parts[0]), written(&parts[1])])),
    }
}
