//! The quiet form of a kernel: it only tells whether a check failed.
//!
//! | | |
//! |---|---|
//! | before | a kernel as `poison_checks` made it |
//! | after | if no check fails the same results and an empty record; else the header of the record is set, and no word of the blocks counts |
//!
//! Most launches have no failed check, and a driver takes most of its time to compile what
//! remembers one and writes it down. So the quiet kernel is launched first. If it tells of a
//! failure, the words from before come back and the kernel itself is launched, which tells which.
//! The quiet one may therefore take a check for failed that would hold, and it does so with the
//! tests of offsets beyond 32 bits, of which only the rough one is left. Of all tests [`prove`]
//! takes away what follows from others, and what follows from what the host knows of the launch:
//! the form that is made for one serves no launch of which something else is known.
//!
//! A poisoned invocation still stores nothing to blocks, and its loops end. But it may go on to
//! read and to compute: whatever it reads, wherever that is, does not count. So reads need not
//! stand under `if alive`, where each would be a variable and a branch. A kernel with a barrier
//! or with variables of the work group keeps all its guards: there the poisoned compute what the
//! others see.

mod bare;
mod facts;
mod forward;
mod held;
mod intervals;
mod names;
mod prove;
#[cfg(test)]
mod tests;
mod trim;

use super::bind_once::bind_once;
use super::fold::fold;
use super::poison_checks::may_grow;
use super::simplify::is_constant;
use super::types::Types;
use super::walk::{change_block, has_barrier};
use reference::device::record::SITE;
use reference::device::syntax::{
    BOOL, Block, Exp, If, Kernel, Kind, Lit, Loop, Place, Site, Stm, UnOp,
};
use reference::kit::names::Var;
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

pub(crate) use bare::bare;
pub(crate) use facts::Facts;

/// A kernel whose failed checks are told of only.
#[derive(Clone, Debug)]
pub(crate) struct Quietened {
    /// It serves every launch.
    kernel: Kernel,
    alive: Var,
    /// Does nobody see what a poisoned invocation computes?
    alone: bool,
}

impl Quietened {
    /// Of a kernel that `poison_checks` made; `None` of any other.
    pub(crate) fn of(kernel: &Kernel, sites: &[Site], types: &Types) -> Option<Self> {
        kernel.record?;
        let record = kernel.params.last()?.0;
        let Kind::Var(alive, BOOL, Some(Exp::Lit(Lit::Bool(true)))) = kernel.body.first()?.kind
        else {
            return None;
        };
        let alone = !has_barrier(&kernel.body) && kernel.workgroup.is_empty();
        let quiet = Quiet { alive, sites, alone };
        let (told, rest) = kernel.body.split_last()?;
        let told = quiet.header_of(told, record)?;
        let mut body = vec![kernel.body[0].clone()];
        // Behind it stands what would be remembered.
        quiet.block(rest.get(2..)?, &mut body);
        body.push(told);
        bind_once(&mut body);
        change_block(&mut body, &mut |exp| fold(exp, types));
        Once { alive, known: Vec::new() }.block(&mut body);
        // What is told needs one block; all else of the kernel is as it was.
        let kernel = with_body(kernel, body);
        Some(Self { kernel, alive, alone })
    }

    /// The form for launches of which this is known.
    pub(crate) fn form(&self, types: &Types, facts: &Facts) -> Kernel {
        if !self.alone {
            return self.kernel.clone();
        }
        let mut body = prove::prove(&self.kernel, self.alive, types, facts);
        trim::trim(&mut body, self.alive, types);
        with_body(&self.kernel, body)
    }
}

/// All of a kernel but its body.
fn with_body(kernel: &Kernel, body: Block) -> Kernel {
    Kernel {
        name: kernel.name.clone(),
        params: kernel.params.clone(),
        workgroup: kernel.workgroup.clone(),
        private: kernel.private.clone(),
        body,
        ..*kernel
    }
}

struct Quiet<'p> {
    alive: Var,
    sites: &'p [Site],
    /// Does nobody see what a poisoned invocation computes?
    alone: bool,
}

impl Quiet<'_> {
    fn is_alive(&self, exp: &Exp) -> bool {
        matches!(exp, Exp::Load(place) if **place == Place::Var(self.alive))
    }

    /// What writes the record down, with nothing left of it but the header.
    fn header_of(&self, told: &Stm<Kind>, record: Var) -> Option<Stm<Kind>> {
        let Kind::If(branch) = &told.kind else { return None };
        let Exp::Un(UnOp::Not, alive) = &branch.cond else { return None };
        let header = Place::Element(Exp::Var(record), Exp::u32(0));
        // That somebody died is all that it tells, not in which group.
        let set = |stm: &Stm<Kind>| match &stm.kind {
            Kind::Atomic { op, place, .. } if *place == header => {
                let (op, place, operands) = (*op, place.clone(), vec![Exp::u32(1)]);
                Some(Stm { span: stm.span, kind: Kind::Atomic { into: None, op, place, operands } })
            }
            _ => None,
        };
        let then: Block = branch.then.iter().filter_map(set).collect();
        let found = self.is_alive(alive) && !then.is_empty();
        let kind = Kind::If(If { cond: branch.cond.clone(), then, orelse: Vec::new() });
        found.then_some(Stm { span: told.span, kind })
    }

    fn block(&self, body: &[Stm<Kind>], out: &mut Block) {
        for stm in body {
            self.stm(stm, out);
        }
    }

    fn inner(&self, body: &Block) -> Block {
        let mut out = Vec::with_capacity(body.len());
        self.block(body, &mut out);
        out
    }

    fn stm(&self, stm: &Stm<Kind>, out: &mut Block) {
        let kind = match &stm.kind {
            Kind::If(branch) => match self.must_hold(branch) {
                Some(holds) => self.stay_alive(holds),
                None if self.is_alive(&branch.cond) && branch.orelse.is_empty() => {
                    return self.guarded(stm.span, branch, out);
                }
                None => Kind::If(If {
                    cond: branch.cond.clone(),
                    then: self.inner(&branch.then),
                    orelse: self.inner(&branch.orelse),
                }),
            },
            Kind::Loop(rounds) => {
                let body = self.inner(&rounds.body);
                Kind::Loop(Box::new(Loop {
                    carried: rounds.carried.clone(),
                    cond: rounds.cond.clone(),
                    fuel: rounds.fuel.clone(),
                    body,
                    next: rounds.next.clone(),
                }))
            }
            other => other.clone(),
        };
        out.push(Stm { span: stm.span, kind });
    }

    /// `alive = alive & holds`
    fn stay_alive(&self, holds: Exp) -> Kind {
        let alive = Exp::load(Place::Var(self.alive));
        let still = match holds {
            Exp::Lit(Lit::Bool(false)) => holds,
            holds => Exp::bin(BinOp::And, alive, holds),
        };
        Kind::Store(Place::Var(self.alive), still)
    }

    /// What must hold for nobody to be poisoned in `branch`, if it is a check and nothing else.
    fn must_hold(&self, branch: &If<Kind>) -> Option<Exp> {
        if !branch.orelse.is_empty() {
            return None;
        }
        if self.site(&branch.then).is_some() {
            return match &branch.cond {
                cond if self.is_alive(cond) => Some(Exp::Lit(Lit::Bool(false))),
                Exp::Bin(BinOp::And, ab) if self.is_alive(&ab[0]) => Some(not(&ab[1])),
                _ => None,
            };
        }
        // Of offsets: `if rough { let …; if alive & fails { remember } }`.
        let (Stm { kind: Kind::If(inner), .. }, before) = branch.then.split_last()? else {
            return None;
        };
        let names = before.iter().all(|stm| matches!(stm.kind, Kind::Let(..)));
        (names && self.is_of_width(inner)).then(|| not(&branch.cond))
    }

    /// `if alive & fails { remember }`, where what fails is the test of an offset.
    fn is_of_width(&self, branch: &If<Kind>) -> bool {
        let Exp::Bin(BinOp::And, ab) = &branch.cond else { return false };
        let site = self.site(&branch.then).and_then(|site| self.sites.get(site as usize));
        let of_width = site.is_some_and(|site| site.cause == Cause::Width);
        of_width && self.is_alive(&ab[0]) && branch.orelse.is_empty()
    }

    /// The site, if all that `body` does is to remember that its check failed.
    fn site(&self, body: &Block) -> Option<u32> {
        match body.as_slice() {
            [
                Stm { kind: Kind::Store(Place::Var(var), Exp::Lit(Lit::Bool(false))), .. },
                Stm { kind: Kind::Store(_, Exp::Make(remembered)), .. },
            ] if *var == self.alive => match remembered.1.get(SITE as usize) {
                Some(Exp::Lit(Lit::U32(site))) => Some(*site),
                _ => None,
            },
            _ => None,
        }
    }

    /// What only the living execute. Of it what nobody else sees is left to all.
    fn guarded(&self, span: Span, branch: &If<Kind>, out: &mut Block) {
        let binds = |stm: &Stm<Kind>| !matches!(stm.kind, Kind::Store(..) | Kind::If(_));
        let together = !self.alone || branch.then.iter().any(binds);
        for stm in &branch.then {
            let own = matches!(&stm.kind, Kind::Store(Place::Var(_), _) | Kind::If(_));
            if own && !together {
                self.stm(stm, out);
                continue;
            }
            match out.last_mut() {
                Some(Stm { kind: Kind::If(last), .. })
                    if self.is_alive(&last.cond) && may_grow(last, self.alive) =>
                {
                    self.stm(stm, &mut last.then);
                }
                _ => {
                    let mut then = Vec::new();
                    self.stm(stm, &mut then);
                    let cond = Exp::load(Place::Var(self.alive));
                    out.push(Stm { span, kind: Kind::If(If { cond, then, orelse: Vec::new() }) });
                }
            }
        }
    }
}

fn not(exp: &Exp) -> Exp {
    match exp {
        Exp::Un(UnOp::Not, inner) => (**inner).clone(),
        other => Exp::Un(UnOp::Not, Box::new(other.clone())),
    }
}

/// Takes away the tests that were made before on the same way, and those that always hold.
struct Once {
    alive: Var,
    known: Vec<Exp>,
}

impl Once {
    fn block(&mut self, body: &mut Block) {
        let known = self.known.len();
        body.retain_mut(|stm| match &mut stm.kind {
            Kind::Store(Place::Var(var), still) if *var == self.alive => self.is_new(still),
            Kind::If(branch) => {
                self.block(&mut branch.then);
                self.block(&mut branch.orelse);
                true
            }
            Kind::Loop(rounds) => {
                self.block(&mut rounds.body);
                true
            }
            _ => true,
        });
        self.known.truncate(known);
    }

    /// Is the test in `alive & test` to be made?
    fn is_new(&mut self, still: &Exp) -> bool {
        match still {
            // `alive & true`
            Exp::Load(_) => false,
            Exp::Bin(BinOp::And, ab) if is_constant(&ab[1]) => {
                let [_, test] = &**ab;
                let new = !self.known.contains(test);
                if new {
                    self.known.push(test.clone());
                }
                new
            }
            _ => true,
        }
    }
}
