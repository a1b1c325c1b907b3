//! Launches: their arguments, and the branches and loops that they stand in.

use super::host::{Hosting, Other, Owned};
use super::orders::Ordered;
use super::scope::{Held, Here, Known, Making, Mode, Numbered, What};
use reference::device::syntax::{
    Carried, Element, Exp, Host, HostBlock, I32, If, Kernel, Kind, Launch, Loop, Par, Sc, Stm, Ty,
};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

/// Most invocations of a launch.
const MOST_INVOCATIONS: u32 = 160;

/// Most of a kernel that depends on their order. Of few invocations the orders that the tester runs show what is open;
/// which of many is the 28th, say, they do not.
const MOST_IN_ORDER: u32 = 8;

impl Hosting<'_, '_, '_> {
    /// Launches a kernel once, or in a branch, or some times.
    pub(super) fn launch(&mut self, number: usize) {
        let group = self.making.program.kernels[number].group;
        let count = match self.making.draw.below(8) {
            0 => group,
            1 => 2 * group,
            2 => group + 1,
            3 => (3 * group).saturating_sub(1),
            4 => 1,
            5 => self.making.draw.below(4) as u32,
            _ => 1 + self.making.draw.below(40) as u32,
        };
        let most = if self.making.orders { MOST_IN_ORDER } else { MOST_INVOCATIONS };
        let count = count.min(most);
        match self.making.draw.below(9) {
            0 | 1 => self.some_times(number, count),
            2 => self.perhaps(number, count),
            3 => self.in_rounds(number, count),
            _ => self.once(number, count),
        }
    }

    /// One launch.
    fn once(&mut self, number: usize, count: u32) {
        let (launch, _) = self.launch_of(number, count);
        self.say(Host::Launch(launch));
    }

    /// A launch whose blocks are there, and those that it writes.
    fn launch_of(&mut self, number: usize, count: u32) -> (Launch, Vec<Owned>) {
        let (args, written) = self.arguments(number, count);
        let record = self.making.recording.and_then(|recording| {
            let params = &self.making.program.kernels[number].params;
            let at = params.iter().position(|(var, _)| *var == recording.block());
            at.map(|at| args[at].clone())
        });
        let count = self.exactly(count as i32);
        (Launch { kernel: number as u32, count, args, record }, written)
    }

    /// Arguments for so many invocations, and the blocks that they write.
    fn arguments(&mut self, number: usize, count: u32) -> (Vec<Exp>, Vec<Owned>) {
        let Kernel { params, group, .. } = &self.making.program.kernels[number];
        let (params, group) = (params.clone(), *group);
        let padded = count.div_ceil(group) * group;
        let modes = self.making.modes();
        let mut args: Vec<Option<Exp>> = vec![None; params.len()];
        let (mut taken, mut written): (Vec<Owned>, Vec<Owned>) = Default::default();
        if let Some(recording) = self.making.recording
            && let Some(at) = params.iter().position(|(var, _)| *var == recording.block())
        {
            args[at] = Some(self.record_block(recording, padded / group));
        }
        // What is only read can be anything that is not written.
        for inputs in [false, true] {
            for (at, (var, ty)) in params.iter().enumerate() {
                let Ty::Block(element) = ty else { continue };
                if args[at].is_some() {
                    continue;
                }
                let mode = modes.iter().find(|(of, _)| of == var).map_or(Mode::Input, |it| it.1);
                if (mode == Mode::Input) != inputs {
                    continue;
                }
                let length = match mode {
                    Mode::Own { each, .. } => count * each,
                    Mode::Padded => padded,
                    Mode::Input | Mode::Update(_) => 1,
                };
                let owned = self.block(*element, length, &taken);
                if !inputs {
                    taken.push(owned);
                    written.push(Owned { length, ..owned });
                }
                args[at] = Some(Exp::Var(owned.block));
            }
        }
        let args = args.into_iter().zip(&params).map(|(arg, (_, ty))| match (arg, ty) {
            (Some(arg), _) => arg,
            (None, Ty::Scalar(sc)) => self.scalar(*sc),
            (None, _) => unreachable!("a kernel has scalars and blocks"),
        });
        let args = args.collect();
        (args, written)
    }

    /// A loop of launches, between which two blocks may swap: by an assignment, or because the loop carries
    /// them.
    fn some_times(&mut self, number: usize, count: u32) {
        let rounds = self.making.draw.below(4) as i32;
        let (var, span) = (self.making.fresh('t'), self.making.span());
        let (mut launch, written) = self.launch_of(number, count);
        let swap = self.swap(&launch, &written);
        let mut assigned = None;
        let (mut carried, mut next) = (Vec::new(), Vec::new());
        match swap {
            Some((a, b)) if self.making.draw.chance(50) => {
                let ty = Ty::Block(a.element);
                let [p, q] = [a, b].map(|_| self.making.fresh('m'));
                carried.extend([(p, a), (q, b)].map(|(var, from)| Carried {
                    var,
                    ty: ty.clone(),
                    init: Exp::Var(from.block),
                }));
                next.extend([Exp::Var(q), Exp::Var(p)]);
                let stand = |exp: &mut Exp| match exp {
                    Exp::Var(var) if *var == a.block => *var = p,
                    Exp::Var(var) if *var == b.block => *var = q,
                    _ => {}
                };
                launch.args.iter_mut().for_each(stand);
            }
            Some((a, b)) => {
                let (a, b) = (a.block, b.block);
                assigned = Some(Host::Assign(vec![(a, Exp::Var(b)), (b, Exp::Var(a))]));
                self.swapped(a, b);
            }
            None => {}
        }
        let body = self.body(|host| {
            host.say(Host::Launch(launch));
            assigned.into_iter().for_each(|kind| host.say(kind));
        });
        self.loop_of((var, span), rounds, (carried, next), body);
    }

    /// A loop of so many rounds, which `var` counts, that carries this besides.
    pub(super) fn loop_of(
        &mut self,
        (var, span): (Var, Span),
        rounds: i32,
        (also, then): (Vec<Carried>, Vec<Exp>),
        body: HostBlock,
    ) {
        let counter = Carried { var, ty: I32, init: Exp::i32(0) };
        let carried = std::iter::once(counter).chain(also).collect();
        let step = Exp::bin(BinOp::Add, Exp::Var(var), Exp::i32(1));
        let next = std::iter::once(step).chain(then).collect();
        let cond = Exp::bin(BinOp::Lt, Exp::Var(var), self.exactly(rounds));
        let kind = Host::Loop(Box::new(Loop { carried, cond, fuel: None, body, next }));
        self.stms.push(Stm { span, kind });
    }

    /// Two blocks that may swap after this launch, which writes these.
    fn swap(&mut self, launch: &Launch, written: &[Owned]) -> Option<(Owned, Owned)> {
        // Another name stays with what it was a name for.
        let is_arg = |it: &&Owned| launch.args.contains(&Exp::Var(it.block));
        if self.blocks.iter().filter(is_arg).any(Owned::is_view) {
            return None;
        }
        let whole = |of: &Owned| self.blocks.iter().find(|it| it.block == of.block).copied();
        let needed = |b: Var| written.iter().find(|it| it.block == b).map_or(1, |it| it.length);
        let mut pairs = Vec::new();
        for a in written {
            let Some(all_of_a) = whole(a) else { continue };
            // `written` has the lengths that are wanted.
            let fits = |b: &&Owned| {
                let other = a.block != b.block && a.element == b.element && !b.is_view();
                other && b.length >= a.length && all_of_a.length >= needed(b.block)
            };
            pairs.extend(self.blocks.iter().filter(fits).map(|b| (all_of_a, *b)));
        }
        (!pairs.is_empty() && self.making.draw.chance(60)).then(|| self.making.draw.pick(&pairs))
    }

    /// Each of the two may stand for either block from here on, and what may be a part of one is no more
    /// looked at.
    fn swapped(&mut self, a: Var, b: Var) {
        self.blocks.retain(|it| !it.is_view() || !it.may_be_of(a) && !it.may_be_of(b));
        let either = |it: &Owned| [a, b].contains(&it.block);
        let least = self.blocks.iter().filter(|it| either(it)).map(|it| it.length).min();
        for owned in self.blocks.iter_mut().filter(|it| either(it)) {
            owned.length = least.unwrap_or(1);
        }
    }

    /// A loop with a body of its own: blocks that are new in each round, and launches.
    fn in_rounds(&mut self, number: usize, count: u32) {
        let rounds = self.making.draw.below(4) as i32;
        let (var, span) = (self.making.fresh('t'), self.making.span());
        let body = self.body(|host| {
            host.ints.push((var, None));
            host.between();
            host.once(number, count);
            if host.making.draw.chance(50) {
                host.between();
            }
        });
        self.loop_of((var, span), rounds, Default::default(), body);
    }

    /// A launch in one branch, and perhaps another in the other.
    fn perhaps(&mut self, number: usize, count: u32) {
        let (cond, span) = (self.condition(), self.making.span());
        let then = self.body(|host| host.once(number, count));
        let orelse = self.body(|host| {
            if host.making.draw.chance(40) {
                host.between();
                host.once(number, count);
            }
        });
        self.stms.push(Stm { span, kind: Host::If(If { cond, then, orelse }) });
    }

    /// `par i <= n { … }` over the blocks that are there.
    pub(super) fn parallel(&mut self) {
        let count = 1 + self.making.draw.below(24) as u32;
        let each = 1 + self.making.draw.below(2) as u32;
        let element = self.making.element();
        let own = self.block(Element::Plain(element), count * each, &[]);
        let reversed = self.making.draw.chance(25);
        self.making.leave(40);
        self.making.left = self.making.left.max(10);
        self.making.know_globals();
        for it in &self.blocks {
            let mode = match it.block == own.block {
                true => Mode::Own { each, reversed, atomic: false },
                false if it.meets(&own) => continue,
                false => Mode::Input,
            };
            // Its iterations do nothing to atomics.
            let Owned { block, element: Element::Plain(element), .. } = *it else { continue };
            self.making.held.push(Held { block, element, mode, variable: false });
        }
        for (var, _) in &self.ints {
            self.making.values.push(Known { var: *var, ty: I32, varies: true });
        }
        for Other { var, sc, .. } in self.others.iter().filter(|other| other.kept) {
            self.making.values.push(Known { var: *var, ty: Ty::Scalar(*sc), varies: true });
        }
        let var = self.making.fresh('i');
        let of = self.exactly(count as i32);
        let number = Exp::bin(BinOp::Sub, Exp::Var(var), Exp::i32(1));
        let one = Some(Numbered { number, of: of.clone(), sc: Sc::I32 });
        let span = self.making.span();
        let size = 2 + self.making.draw.below(5);
        let (body, ()) = self.making.body(1, Here { one, ..Here::default() }, |making| {
            making.know(var, I32, true);
            making.statements(size);
            if making.trouble && making.draw.chance(60) {
                making.get_stuck();
            }
            let exp = making.scalar(element, 2);
            let mode = Mode::Own { each, reversed, atomic: false };
            let held = Held { block: own.block, element, mode, variable: false };
            let place = making.held_place(&held);
            making.emit(Kind::Store(place, exp));
        });
        let kind = Host::Par(Par { var, count: of, body });
        self.stms.push(Stm { span, kind });
    }
}

impl Making<'_, '_> {
    /// How the kernel that was made last uses its blocks.
    fn modes(&self) -> Vec<(Var, Mode)> {
        let held = self.held.iter().map(|held| (held.block, held.mode));
        let padded = self.shared.iter().filter_map(|shared| match shared.what {
            What::Block(block, _) => Some((block, Mode::Padded)),
            _ => None,
        });
        let ordered = self.ordered.iter().flat_map(Ordered::modes);
        held.chain(padded).chain(ordered).collect()
    }
}
