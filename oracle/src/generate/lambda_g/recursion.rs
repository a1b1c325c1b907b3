//! Functions that apply themselves: to less each time, and to few numbers only, so that they come to an end.

use super::build::{Build, Known};
use super::types::{Mu, Phi, Ty};
use reference::kit::names::Var;
use reference::lambda_g::syntax::{Comparison, Exp, Kind, Op, R0};

/// The most that a function applies itself to.
const MOST: i32 = 6;

/// A function: what it takes, what it does, what it comes to, and where its closure lies.
pub(super) type Function<'t> = (&'t Ty, &'t Phi, &'t Ty, Var);

impl Build<'_, '_> {
    /// A function that applies itself, if such a one has the type.
    pub(super) fn recursive(&mut self, function: Function<'_>, depth: usize) -> Exp {
        let (from, latent, to, at) = function;
        let itself = self.covers(latent, at);
        match from.mu() {
            Some(Mu::Int) if itself && self.is_open(from, latent) => self.counting(function, depth),
            Some(Mu::Pair(count, rest))
                if itself
                    && rest == to
                    && matches!(count.mu(), Some(Mu::Int))
                    && self.is_open(from, latent)
                    && self.is_makeable(from, latent) =>
            {
                self.looping(function, depth)
            }
            _ => self.lambda((from, latent, at), |b, _| b.exp(to, depth)),
        }
    }

    fn is_open(&self, ty: &Ty, phi: &Phi) -> bool {
        ty.at().is_none_or(|at| self.covers(phi, at))
    }

    /// `if i <= 0 then true else MOST < i`
    fn ends(&mut self, count: Exp, again: Exp, at: Var) -> Exp {
        let zero = self.int(0, at);
        let low = self.compare(Comparison::Le, count, zero);
        let yes = self.e(Kind::Bool(true));
        let most = self.int(MOST, at);
        let high = self.compare(Comparison::Lt, most, again);
        self.if_(low, yes, high)
    }

    /// `fix f : τ . fn (i : (int, ρ)) ! φ => if … then e else let rest = f (i - 1) in e'`
    fn counting(&mut self, function: Function<'_>, depth: usize) -> Exp {
        let (from, latent, to, at) = function;
        let f = self.names.fresh("f");
        let whole = Ty::function(from.clone(), latent.clone(), to.clone(), at);
        let written = self.written(&whole);
        let body = self.lambda((from, latent, at), |b, i| {
            b.step(
                i,
                from,
                |b, less| {
                    let f = b.var(f);
                    b.app(f, less)
                },
                to,
                depth,
            )
        });
        self.e(Kind::Fix(f, written, Box::new(body)))
    }

    /// The body of a function of an int `i`; `again` applies the function to less.
    fn step(
        &mut self,
        i: Var,
        from: &Ty,
        again: impl Fn(&mut Self, Exp) -> Exp,
        to: &Ty,
        depth: usize,
    ) -> Exp {
        let at = from.at().unwrap_or(R0);
        let (count, same) = (self.var(i), self.var(i));
        let ends = self.ends(count, same, at);
        let base = self.exp(to, depth.min(1));
        let less = self.less(i, 1, at);
        let rest = again(self, less);
        let twice = self.draw.chance(10);
        let rest_of = self.names.fresh("rest");
        let known = Known { var: rest_of, ty: to.clone(), least: 0 };
        let inner = self.knowing(known, |b| {
            if !twice {
                return b.constructor(to, depth);
            }
            let less = b.less(i, 2, at);
            let other = again(b, less);
            b.bind(to.clone(), other, 0, |b| b.constructor(to, depth))
        });
        let inner = self.let_(rest_of, rest, inner);
        self.if_(ends, base, inner)
    }

    fn less(&mut self, i: Var, by: i32, at: Var) -> Exp {
        let (i, by) = (self.var(i), self.int(by, at));
        self.binary(Op::Sub, i, by, at)
    }

    /// `fix f : τ . fn (p : ((int, ρ) * τ', ρ')) ! φ => if … then snd p else f (fst p - 1, e)`
    fn looping(&mut self, function: Function<'_>, depth: usize) -> Exp {
        let (from, latent, to, at) = function;
        let Some(Mu::Pair(count, _)) = from.mu() else { unreachable!("it takes a pair") };
        let (place, of_count) = (from.at().unwrap_or(R0), count.at().unwrap_or(R0));
        let f = self.names.fresh("f");
        let whole = Ty::function(from.clone(), latent.clone(), to.clone(), at);
        let written = self.written(&whole);
        let body = self.lambda((from, latent, at), |b, p| {
            let counts = [(); 3].map(|()| {
                let p = b.var(p);
                b.fst(p)
            });
            let [one, two, three] = counts;
            let ends = b.ends(one, two, of_count);
            let last = b.var(p);
            let last = b.snd(last);
            let by = b.int(1, of_count);
            let less = b.binary(Op::Sub, three, by, of_count);
            let so_far = b.var(p);
            let so_far = b.snd(so_far);
            let next = b.bind(to.clone(), so_far, 0, |b| b.constructor(to, depth));
            let argument = b.pair(less, next, place);
            let f = b.var(f);
            let again = b.app(f, argument);
            b.if_(ends, last, again)
        });
        self.e(Kind::Fix(f, written, Box::new(body)))
    }

    /// `fix f : (Pi p >= {r0} ! {r0} . …) . rfn p >= {r0} ! {r0} => fn (i : (int, p)) ! {p} => …`, which is given its region at
    /// each application anew; and its type.
    pub(super) fn recursive_abstraction(&mut self, depth: usize) -> (Exp, Ty) {
        let (f, p) = (self.names.fresh("f"), self.names.fresh("p"));
        let (bound, latent) = (Phi::of([R0]), Phi::of([p]));
        let int = Ty::int(p);
        let inner = Ty::function(int.clone(), latent.clone(), int.clone(), R0);
        let whole = Ty::boxed(Mu::Pi(p, bound.clone(), bound.clone(), inner), R0);
        let written = self.written(&whole);
        let body = self.abstraction(p, (&bound, &bound, R0), |b| {
            b.lambda((&int, &latent, R0), |b, i| {
                let again = |b: &mut Self, less: Exp| {
                    let (of, with) = (b.var(f), b.region(p));
                    let of = b.e(Kind::Instance(Box::new(of), with));
                    b.app(of, less)
                };
                b.step(i, &int, again, &int, depth)
            })
        });
        (self.e(Kind::Fix(f, written, Box::new(body))), whole)
    }
}
