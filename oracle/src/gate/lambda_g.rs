//! The gate of the laws of λG: programs are drawn, a left side is found or made in each, and both sides run. A law passes if
//! the right side has the type of the left one, and both come to equal values or both get stuck. Where a region is full on
//! one side there is no answer: which values are in it is what the laws change.

use crate::generate::lambda_g::program as draw;
use crate::generate::{Made, Weights, bytes_of, digest};
use arbitrary::Unstructured;
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::kit::names::Var;
use reference::kit::outcome::{Budget, Cause, Ending, Value};
use reference::kit::text::Span;
use reference::lambda_g::eval::{Setting, run};
use reference::lambda_g::rewriting::{Law, regions_at, regions_of, with_region};
use reference::lambda_g::syntax::{
    Binder, Boxed, Exp, Kind, Lambda, Op, Over, Program, R0, Region, Type, World,
};
use reference::lambda_g::visit::{all, nth_mut, regions_mut};
use reference::lambda_g::{LambdaG, print, types};

/// What a run of a side may use.
const BUDGET: Budget = Budget { fuel: 100_000, memory: 32 << 20 };

/// The bytes of a program, and of what is changed in it.
const BYTES: usize = 1024;

/// Programs that are drawn for an instance, and at least, before the gate gives up.
const DRAWN: u64 = 60;
const DRAWN_AT_LEAST: u64 = 2_000;

/// Instances that refute a twin among which the shortest is told.
const TWINS: u32 = 20;

/// An instance whose sides differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Refuted {
    /// The program with the left side.
    pub left: String,
    /// The program with the right side.
    pub right: String,
    /// The number of the left side among the expressions, outer ones before what is in them.
    pub position: usize,
    /// One value for each parameter.
    pub input: Vec<Value>,
    /// What is not equal.
    pub text: String,
}

/// What the gate says of a law.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// Instances whose sides are equal.
    pub held: u64,
    /// Programs that were drawn for them.
    pub drawn: u64,
    /// An instance whose sides differ: the law is wrong.
    pub refuted: Option<Refuted>,
    /// A short instance that refutes the twin of a law with a guard.
    pub twin: Option<Refuted>,
}

impl Passed {
    /// Did the law pass: instances held, none differed, and its twin is refuted if it has a guard?
    pub fn is_right(&self, law: &Law, instances: u64) -> bool {
        self.held >= instances
            && self.refuted.is_none()
            && (law.guard.is_empty() || self.twin.is_some())
    }
}

/// Draws instances of a law until so many hold. The same seed draws the same ones.
pub fn judge(law: &Law, instances: u64, seed: u64) -> Passed {
    let mut passed = Passed::default();
    let most = (instances * DRAWN).max(DRAWN_AT_LEAST);
    let mut twins = if law.guard.is_empty() { TWINS } else { 0 };
    while passed.drawn < most && (passed.held < instances || twins < TWINS) {
        let bytes = bytes_of(seed ^ digest(law.name), passed.drawn, 2, BYTES);
        passed.drawn += 1;
        let (first, second) = bytes.split_at(BYTES / 2);
        let Made { program, input, .. } = draw(&mut Unstructured::new(first), &Weights::default());
        let mut change = Change { law: law.name, bytes: Unstructured::new(second), program };
        let Some((left, position)) = change.instance(law) else { continue };
        let region = change.region_of(law, &left, position);
        let right = law.applied(&left, position, region);
        let is_guarded = right.is_none();
        let unguarded = || law.unguarded(&left, position, region);
        let Some(right) = right.or_else(unguarded) else { continue };
        let Ok(input) = LambdaG::fit(&left, input) else { continue };
        let refuted = differ(&left, &right, &input).map(|text| {
            text.map(|text| Refuted {
                left: print::program(&left),
                right: print::program(&right),
                position,
                input: input.clone(),
                text,
            })
        });
        match (refuted, is_guarded) {
            (Some(None), false) => passed.held += 1,
            (Some(Some(refuted)), false) => {
                passed.refuted = Some(refuted);
                return passed;
            }
            (Some(Some(refuted)), true) => {
                twins += 1;
                let shorter = |of: &Refuted| refuted.left.len() < of.left.len();
                if passed.twin.as_ref().is_none_or(shorter) {
                    passed.twin = Some(refuted);
                }
            }
            (Some(None) | None, _) => {}
        }
    }
    passed
}

/// What of both sides is not equal; `None` where a side has no answer.
fn differ(left: &Program, right: &Program, input: &[Value]) -> Option<Option<String>> {
    let typed = |program: &Program| types::check(program, &mut Recorder::counting());
    let wanted = typed(left).ok()?;
    match typed(right) {
        Err(no) => return Some(Some(format!("the right side has no type: {}", no.message))),
        Ok(found) if found != wanted => {
            return Some(Some(format!("left: of type {wanted}; right: of type {found}")));
        }
        Ok(_) => {}
    }
    let ends = |program: &Program| {
        let mut to = Recorder::counting();
        run(program, input, &Setting::default(), &BUDGET, &mut to).ending
    };
    let full = |ending: &Ending| match ending {
        Ending::Value(_) => false,
        Ending::Stuck(stuck) => stuck.site.cause == Cause::RegionFull,
        Ending::Unknown(_) => true,
        Ending::Broken(_) => false,
    };
    let (one, other) = (ends(left), ends(right));
    if full(&one) || full(&other) {
        return None;
    }
    let same = match (&one, &other) {
        (Ending::Value(one), Ending::Value(other)) => one == other,
        (Ending::Stuck(_), Ending::Stuck(_)) => true,
        _ => false,
    };
    Some((!same).then(|| format!("left: {}; right: {}", told(&one), told(&other))))
}

fn told(ending: &Ending) -> String {
    match ending {
        Ending::Value(values) => {
            values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        }
        Ending::Stuck(stuck) => format!("stuck: {}", stuck.sentence()),
        Ending::Unknown(_) | Ending::Broken(_) => format!("{ending:?}"),
    }
}

/// Places that are tried for an instance.
const TRIED: usize = 12;

/// A drawn program, in which a left side is looked for.
struct Change<'b> {
    law: &'static str,
    bytes: Unstructured<'b>,
    program: Program,
}

impl Change<'_> {
    fn below(&mut self, most: usize) -> usize {
        self.bytes.int_in_range(0..=most.saturating_sub(1)).unwrap_or(0)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A program that has a type, and the number of a left side in it: one that was drawn, or one that is made there.
    fn instance(&mut self, law: &Law) -> Option<(Program, usize)> {
        let mut count = 0;
        all(&self.program.body, &mut |_| count += 1);
        for _ in 0..TRIED {
            let number = self.below(count);
            let mut program = self.program.clone();
            let exp = nth_mut(&mut program.body, number)?;
            let Some(left) = self.left(exp.clone(), &mut program) else { continue };
            *nth_mut(&mut program.body, number)? = left;
            let region = law.takes_region().then_some(R0);
            let is_left = |number: &usize| {
                law.applied(&program, *number, region).is_some()
                    || law.unguarded(&program, *number, region).is_some()
            };
            let number = (number..number + 2).find(is_left);
            if let Some(number) = number
                && types::check(&program, &mut Recorder::counting()).is_ok()
            {
                // As its text is read, so that each expression has a place of its own.
                let read = LambdaG::parse(&print::program(&program)).ok()?;
                return Some((read, number));
            }
        }
        None
    }

    /// A region in scope there, if the law takes one.
    fn region_of(&mut self, law: &Law, program: &Program, number: usize) -> Option<Var> {
        let regions = law.takes_region().then(|| regions_at(program, number))?;
        regions.get(self.below(regions.len())).copied()
    }

    /// A left side in the place of an expression, if there may be one.
    fn left(&mut self, e: Exp, program: &mut Program) -> Option<Exp> {
        let at = |region: Var| Region { span: e.span, var: region, world: None };
        match (self.law, &e.kind) {
            ("on-drop", Kind::On(..)) => {
                let mut e = e;
                if self.chance(30) {
                    let Kind::On(of, _) = &mut e.kind else { return None };
                    let bound = bound_in(of);
                    regions_mut(of, &mut |region| {
                        if !bound.contains(&region.var) {
                            region.world = Some(World::G);
                        }
                    });
                }
                Some(e)
            }
            ("on-join", Kind::On(of, q)) => {
                let Kind::Let(x, parts) = &of.kind else { return None };
                let regions: Vec<Var> = regions_of(&program.body).into_iter().collect();
                let r = regions.get(self.below(regions.len())).copied().unwrap_or(R0);
                let on = |e: &Exp, at: Region| Exp {
                    span: e.span,
                    kind: Kind::On(Box::new(e.clone()), at),
                };
                let both = [on(&parts[0], at(r)), on(&parts[1], *q)];
                Some(Exp { span: e.span, kind: Kind::Let(*x, Box::new(both)) })
            }
            ("on-put", Kind::On(of, _)) => Some(Exp::clone(of)),
            ("on-put", _) if self.chance(10) => Some(e),
            ("on-join", Kind::Let(..)) | ("par-seq", Kind::Par(..) | Kind::Pair(..)) => Some(e),
            ("parmap-fuse", Kind::ParMap(f, over, r)) => {
                let Kind::Fn(lambda) = &f.kind else { return None };
                let first = self.first(lambda, program);
                let first = Exp { span: e.span, kind: Kind::Fn(Box::new(first)) };
                let made = Kind::ParMap(Box::new(first), over.clone(), *r);
                let made = Over::Vector(Exp { span: e.span, kind: made });
                Some(Exp { span: e.span, kind: Kind::ParMap(f.clone(), Box::new(made), *r) })
            }
            ("region-float", Kind::Let(x, parts)) => {
                let [a, b] = &**parts;
                let (q, bound) = self.region(program, a);
                let a = let_region(q, bound);
                Some(Exp { span: e.span, kind: Kind::Let(*x, Box::new([a, b.clone()])) })
            }
            ("region-sink", Kind::Let(x, parts)) => {
                let [a, b] = &**parts;
                let in_first = self.chance(60);
                let (q, used) = self.region(program, if in_first { a } else { b });
                let both = if in_first { [used, b.clone()] } else { [a.clone(), used] };
                let of = Exp { span: e.span, kind: Kind::Let(*x, Box::new(both)) };
                Some(let_region(q, of))
            }
            ("apply" | "let-once" | "let-drop" | "pair-part" | "constant" | "if-known", _) => {
                self.of_values(e, program)
            }
            ("region-merge", Kind::LetRegion(_, size, _)) if self.chance(50) => {
                let size = *size;
                let (s, mut of) = self.region(program, &e);
                // The new one is inside: the other one is around all.
                let Kind::Let(_, parts) = &mut of.kind else { return None };
                let Kind::LetRegion(q, _, body) = &parts[1].kind else { return None };
                let (q, body) = (*q, Exp::clone(body));
                parts[1] = body;
                let size_of_s = if self.chance(80) { size } else { None };
                let inner = Kind::LetRegion(s, size_of_s, Box::new(of));
                let inner = Exp { span: e.span, kind: inner };
                Some(Exp { span: e.span, kind: Kind::LetRegion(q, size, Box::new(inner)) })
            }
            ("region-merge", Kind::LetRegion(..)) => Some(e),
            ("region-merge", _) => {
                let (s, of) = self.region(program, &e);
                let (q, of) = self.region(program, &of);
                Some(let_region(q, let_region(s, of)))
            }
            _ => None,
        }
    }

    /// A left side of a law about values.
    fn of_values(&mut self, e: Exp, program: &mut Program) -> Option<Exp> {
        let at = Region { span: e.span, var: R0, world: None };
        let exp = |kind: Kind| Exp { span: e.span, kind };
        match (self.law, &e.kind) {
            ("apply", Kind::App(both)) => {
                let Kind::Var(f) = both[0].kind else { return Some(e) };
                let mut function = None;
                all(&program.body, &mut |part| match &part.kind {
                    Kind::Let(x, parts) if *x == f && matches!(parts[0].kind, Kind::Fn(_)) => {
                        function = Some(parts[0].clone());
                    }
                    _ => {}
                });
                Some(exp(Kind::App(Box::new([function?, both[1].clone()]))))
            }
            ("let-once", Kind::Let(..)) => Some(e),
            ("let-drop", _) => {
                let a = self.unread(at);
                let unread = program.names.fresh("u");
                Some(exp(Kind::Let(unread, Box::new([a, e.clone()]))))
            }
            ("pair-part", _) => {
                let other = self.unread(at);
                let pair = |both: [Exp; 2]| Box::new(exp(Kind::Pair(Box::new(both), at)));
                Some(exp(match self.chance(50) {
                    true => Kind::Fst(pair([e.clone(), other])),
                    false => Kind::Snd(pair([other, e.clone()])),
                }))
            }
            ("constant", Kind::Int(_, at)) => Some(self.computed(*at, e.span)),
            ("if-known", _) => {
                let truth = exp(Kind::Bool(self.chance(50)));
                Some(exp(Kind::If(Box::new([truth, e.clone(), e.clone()]))))
            }
            _ => None,
        }
    }

    /// A number, or a quotient by 0.
    fn unread(&mut self, at: Region) -> Exp {
        match self.chance(50) {
            true => Exp { span: at.span, kind: Kind::Int(7, at) },
            false => computed(Op::Div, [7, 0], at, at.span),
        }
    }

    /// What is computed from two numbers, often a quotient by 0.
    fn computed(&mut self, at: Region, span: Span) -> Exp {
        if self.chance(40) {
            return computed(Op::Mod, [7, 0], at, span);
        }
        let op = Op::ALL[self.below(Op::ALL.len())];
        let both = [self.below(9) as i32 - 4, self.below(4) as i32 - 1];
        computed(op, both, at, span)
    }

    /// A new region, and an expression in which a value lies there that nothing reads.
    fn region(&mut self, program: &mut Program, e: &Exp) -> (Binder, Exp) {
        let var = program.names.fresh("q");
        let binder = Binder { span: e.span, var, world: None };
        let at = Region { span: e.span, var, world: None };
        let k = self.below(10) as i32;
        let value = Exp { span: e.span, kind: Kind::Int(k, at) };
        let unread = program.names.fresh("u");
        let kind = Kind::Let(unread, Box::new([value, e.clone()]));
        (binder, Exp { span: e.span, kind })
    }

    /// A function from what another one takes to that.
    fn first(&mut self, next: &Lambda, program: &mut Program) -> Lambda {
        let param = program.names.fresh("x");
        let span = next.body.span;
        let variable = Exp { span, kind: Kind::Var(param) };
        let (mut latent, mut body) = (next.latent.clone(), variable.clone());
        if let Type::Boxed { of, region, .. } = &next.ty {
            let kind = match &**of {
                Boxed::Int => {
                    let k = Exp { span, kind: Kind::Int(self.below(9) as i32, *region) };
                    let op = Op::ALL[self.below(Op::ALL.len())];
                    Some(Kind::Binary(op, Box::new([variable, k]), *region))
                }
                Boxed::Pair(..) => {
                    let parts =
                        [Kind::Fst(Box::new(variable.clone())), Kind::Snd(Box::new(variable))];
                    let parts = parts.map(|kind| Exp { span, kind });
                    Some(Kind::Pair(Box::new(parts), *region))
                }
                _ => None,
            };
            if let Some(kind) = kind {
                latent = with_region(&latent, Region { world: None, ..*region });
                body = Exp { span, kind };
            }
        }
        Lambda { param, ty: next.ty.clone(), latent, body, at: next.at }
    }
}

fn computed(op: Op, both: [i32; 2], at: Region, span: Span) -> Exp {
    let both = both.map(|k| Exp { span, kind: Kind::Int(k, at) });
    Exp { span, kind: Kind::Binary(op, Box::new(both), at) }
}

fn let_region(q: Binder, of: Exp) -> Exp {
    Exp { span: of.span, kind: Kind::LetRegion(q, None, Box::new(of)) }
}

/// The regions that an expression binds, in types too: these are marked where they are bound.
fn bound_in(e: &Exp) -> Vec<Var> {
    let mut bound = Vec::new();
    all(e, &mut |part| match &part.kind {
        Kind::RegionFn(lambda) => bound.push(lambda.region.var),
        Kind::LetRegion(binder, ..) => bound.push(binder.var),
        _ => {}
    });
    bound
}
