//! `bound_loops`: no invocation has more loop rounds than it is given, so no launch hangs.
//!
//! | | |
//! |---|---|
//! | before | any kernel without `par`; conditions of loops cannot get stuck; no function that is called has a loop |
//! | after | all loops of an invocation together have at most so many rounds, but for those on which barriers depend, which have as many by themselves, nested ones together; one that would have more gives up, cause `fuel` |
//! | stuck | the same site, or `fuel` |
//!
//! A loop with a barrier in it must have as many rounds in every invocation of the work group, and so
//! must one that [steers](super::steering) which barriers are come to: such a loop has a limit of its
//! own, of which those nested in each other have a root each. An adapter that is trusted with so many iterations only
//! ([`Limit::iterations`]) is not given these.

use super::steering::Steering;
use super::walk::{any_outer, any_stm};
use reference::device::record::Layout;
use reference::device::syntax::{
    Block, Check, Exp, If, Kernel, Kind, Loop, Place, Program, Site, Stm, U32,
};
use reference::kit::names::{Names, Var};
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::{Refused, Span};

/// What an invocation is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Loop rounds, at least 1.
    pub rounds: u32,
    /// Rounds, with the last look at the condition of each loop that is entered, which a driver
    /// may count too.
    pub iterations: Option<u32>,
}

impl Limit {
    /// The rounds of a kernel with so many loops in its text. Between two rounds each loop is
    /// looked at for the last time once at most, so `r` rounds are at most `r + loops * (r + 1)`
    /// iterations. At the end come those of who writes down what failed, one for each of `told` words.
    fn of(self, loops: u32, told: u32) -> u32 {
        let most = self.iterations.map_or(self.rounds, |most| {
            let most = most.saturating_sub(told.saturating_add(1));
            self.rounds.min(most.saturating_sub(loops) / loops.saturating_add(1))
        });
        most.max(1)
    }
}

/// The pass.
///
/// # Errors
/// A loop with a limit of its own, where iterations are limited.
pub fn bound_loops(mut program: Program, limit: Limit) -> Result<Program, Refused> {
    if limit.iterations.is_some() {
        no_other_limits(&program)?;
    }
    let mut bound = Bound {
        names: std::mem::take(&mut program.names),
        sites: std::mem::take(&mut program.sites),
        rounds: limit.rounds.max(1),
        left: None,
        steering: Steering::default(),
        steered: limit.rounds.max(1),
    };
    let told = |kernel: &Kernel| Layout::of(&program, &kernel.body).words_told();
    let told: Vec<u32> = match limit.iterations {
        Some(_) => program.kernels.iter().map(told).collect(),
        None => vec![0; program.kernels.len()],
    };
    for (kernel, told) in program.kernels.iter_mut().zip(told) {
        let loops = loops(&kernel.body);
        if loops > 0 {
            bound.rounds = limit.of(loops, told);
            bound.steering = Steering::of(&kernel.body);
            bound.steered = root(limit.rounds.max(1), bound.steering.depth(&kernel.body));
            let left = bound.names.fresh("rounds_left");
            bound.left = Some(left);
            bound.block(&mut kernel.body);
            let init = Some(Exp::u32(bound.rounds));
            kernel.body.insert(0, Stm { span: kernel.span, kind: Kind::Var(left, U32, init) });
        }
    }
    // A function has no way to its caller's count: each of its loops has the whole.
    bound.left = None;
    bound.steering = Steering::default();
    bound.steered = limit.rounds.max(1);
    bound.rounds = limit.rounds.max(1);
    for function in &mut program.functions {
        bound.block(&mut function.body);
    }
    program.names = bound.names;
    program.sites = bound.sites;
    Ok(program)
}

/// The largest number whose power of `depth` is at most `rounds`.
fn root(rounds: u32, depth: u32) -> u32 {
    let depth = depth.max(1);
    let fits = |root: u64| root.checked_pow(depth).is_some_and(|all| all <= rounds.into());
    let estimate = f64::from(rounds).powf(1.0 / f64::from(depth)) as u64;
    let found = (estimate.saturating_sub(1)..=estimate + 1).rev().find(|root| fits(*root));
    found.and_then(|root| u32::try_from(root).ok()).unwrap_or(1).max(1)
}

/// Loops in the text of a body.
fn loops(body: &Block) -> u32 {
    let mut loops = 0;
    any_stm(body, &mut |kind| {
        loops += u32::from(matches!(kind, Kind::Loop(_)));
        false
    });
    loops
}

/// Does every loop count down what its kernel is given? Functions that are called have none.
fn no_other_limits(program: &Program) -> Result<(), Refused> {
    let found = program.kernels.iter().find(|kernel| {
        let steering = Steering::of(&kernel.body);
        any_stm(
            &kernel.body,
            &mut |kind| matches!(kind, Kind::Loop(rounds) if steering.by_rounds(rounds)),
        )
    });
    match found {
        None => Ok(()),
        Some(kernel) => Err(Refused {
            span: kernel.span,
            statement: kernel.name.clone(),
            reason:
                "the rounds of a loop on which barriers depend are not counted with the others, and \
                     this adapter is trusted with so many only"
                    .to_owned(),
        }),
    }
}

struct Bound {
    names: Names,
    sites: Vec<Site>,
    rounds: u32,
    /// The variable that counts what is left.
    left: Option<Var>,
    /// What says which barriers of the kernel are come to.
    steering: Steering,
    /// The rounds of a loop with a limit of its own.
    steered: u32,
}

impl Bound {
    fn block(&mut self, body: &mut Block) {
        if !any_outer(body, |kind| matches!(kind, Kind::Loop(_))) {
            return body.iter_mut().for_each(|stm| self.branches(&mut stm.kind));
        }
        let mut out = Vec::with_capacity(body.len() + 1);
        for Stm { span, mut kind } in std::mem::take(body) {
            self.branches(&mut kind);
            match kind {
                Kind::Loop(rounds) => self.rounds(span, rounds, &mut out),
                kind => out.push(Stm { span, kind }),
            }
        }
        *body = out;
    }

    fn branches(&mut self, stm: &mut Kind) {
        if let Kind::If(branch) = stm {
            self.block(&mut branch.then);
            self.block(&mut branch.orelse);
        }
    }

    fn rounds(&mut self, span: Span, mut rounds: Box<Loop<Kind>>, out: &mut Block) {
        let shared = self.left.filter(|_| !self.steering.by_rounds(&rounds));
        self.block(&mut rounds.body);
        // The loop was cut short if it could go on and nothing is left.
        let could_go_on = rounds.cond.clone();
        let spent = match shared {
            Some(left) => {
                let left_now = || Exp::load(Place::Var(left));
                let any = Exp::bin(BinOp::Gt, left_now(), Exp::u32(0));
                rounds.cond = Exp::bin(BinOp::And, rounds.cond, any);
                let one_less = Exp::bin(BinOp::Sub, left_now(), Exp::u32(1));
                let spend = Kind::Store(Place::Var(left), one_less);
                rounds.body.insert(0, Stm { span, kind: spend });
                Some(Exp::bin(BinOp::Eq, left_now(), Exp::u32(0)))
            }
            None => {
                let most = Exp::u32(self.steered);
                let own = rounds.fuel.take().map(|fuel| {
                    let own = self.names.fresh("fuel");
                    out.push(Stm { span, kind: Kind::Let(own, U32, fuel) });
                    Exp::Var(own)
                });
                rounds.fuel = Some(match &own {
                    Some(own) => Exp::bin(BinOp::Min, own.clone(), most.clone()),
                    None => most.clone(),
                });
                own.map(|own| Exp::bin(BinOp::Gt, own, most))
            }
        };
        out.push(Stm { span, kind: Kind::Loop(rounds) });
        let cond = match spent {
            Some(spent) => Exp::bin(BinOp::And, could_go_on, spent),
            None => could_go_on,
        };
        let then = vec![Stm { span, kind: Kind::Check(self.give_up(span)) }];
        out.push(Stm { span, kind: Kind::If(If { cond, then, orelse: Vec::new() }) });
    }

    fn give_up(&mut self, span: Span) -> Check {
        let site = Site { span, cause: Cause::Fuel };
        let number = self.sites.iter().position(|known| *known == site).unwrap_or_else(|| {
            self.sites.push(site);
            self.sites.len() - 1
        });
        Check { site: number as u32, operands: Vec::new(), path: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::root;

    /// Loops in loops have together what one has alone, and each at least one round.
    #[test]
    fn nested_loops_share_their_rounds() {
        assert_eq!([0, 1, 2, 3].map(|depth| root(1 << 24, depth)), [1 << 24, 1 << 24, 4096, 256]);
        assert_eq!([1, 2, 40].map(|depth| root(u32::MAX, depth)), [u32::MAX, 65_535, 1]);
        assert_eq!([1, 2, 5].map(|depth| root(1, depth)), [1, 1, 1]);
    }
}
