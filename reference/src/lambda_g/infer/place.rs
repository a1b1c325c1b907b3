//! Where regions are bound: around the smallest expression outside of which no type names them. Effects follow from
//! that, since a function does not have the regions in its effect that are bound in its body, and has `host` for them; and
//! where regions are bound follows from effects, since those are in types. So both are found in turns, until neither
//! changes. A region is bound further out in each turn, or where it was.

use super::arena::{Arena, Ev, Mu, Rv, Shape, Tv};
use super::walk::{Found, Frame, Node};
use crate::lambda_g::syntax::R0;
use std::collections::{BTreeMap, BTreeSet};

/// The most turns, so that no program takes for ever.
const TURNS: usize = 1000;

/// The solution of an effect.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Effect {
    pub(super) regions: BTreeSet<Rv>,
    pub(super) host: bool,
}

/// Why there is no solution.
pub(super) enum Failed {
    /// A type is within itself. The expression.
    Cyclic(u32),
    /// It takes too many turns.
    Turns,
}

/// Where regions are bound and what effects are.
pub(super) struct Places {
    pub(super) found: Found,
    /// By the root of the effect.
    pub(super) effects: Vec<Effect>,
    /// The expression around which a region is bound, by the root of the region, if any type names it.
    pub(super) binds: Vec<Option<u32>>,
    /// The effects that cannot have `host`, by root.
    no_host: Vec<bool>,
    /// The regions that an `on` uses.
    pub(super) on_device: BTreeSet<Rv>,
    /// All types, each before its parts.
    order: Vec<Tv>,
}

/// Finds both.
///
/// # Errors
/// A type within itself, or too many turns.
pub(super) fn solve(found: Found) -> Result<Places, Failed> {
    let order = order(&found)?;
    let effects = vec![Effect::default(); found.arena.effects()];
    let binds = vec![None; found.arena.regions()];
    let no_host = vec![false; found.arena.effects()];
    let on_device = BTreeSet::new();
    let mut places = Places { found, effects, binds, no_host, on_device, order };
    places.without_host();
    places.settle();
    for _ in 0..TURNS {
        places.solve_effects();
        let (confined, settled) = (places.confine(), places.settle());
        if !confined && !settled {
            places.merge();
            places.solve_effects();
            places.on_device = places.used_by_on();
            return Ok(places);
        }
    }
    Err(Failed::Turns)
}

/// All types of expressions, each before its parts.
fn order(found: &Found) -> Result<Vec<Tv>, Failed> {
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        Not,
        Open,
        Done,
    }
    let arena = &found.arena;
    let mut seen = vec![Seen::Not; arena.types()];
    let mut order = Vec::new();
    for (number, node) in found.nodes.iter().enumerate() {
        let mut stack = vec![(arena.root(node.ty), false)];
        while let Some((ty, done)) = stack.pop() {
            let state = &mut seen[ty.0 as usize];
            match (done, *state) {
                (true, _) => {
                    *state = Seen::Done;
                    order.push(ty);
                }
                (false, Seen::Not) => {
                    *state = Seen::Open;
                    stack.push((ty, true));
                    stack.extend(parts(arena, ty).map(|part| (arena.root(part), false)));
                }
                (false, Seen::Open) => return Err(Failed::Cyclic(number as u32)),
                (false, Seen::Done) => {}
            }
        }
    }
    order.reverse();
    Ok(order)
}

/// The types in a type.
fn parts(arena: &Arena, ty: Tv) -> impl Iterator<Item = Tv> + use<> {
    let parts = match arena.shape(ty) {
        Shape::Boxed(Mu::Vec(of) | Mu::Pi(_, _, _, of), _) => [Some(of), None],
        Shape::Boxed(Mu::Pair(a, b) | Mu::Fn(a, _, b), _) => [Some(a), Some(b)],
        _ => [None, None],
    };
    parts.into_iter().flatten()
}

/// The smallest expression that both are in.
fn around(nodes: &[Node], mut one: u32, other: u32) -> u32 {
    while !(one <= other && other < nodes[one as usize].end) {
        one = nodes[one as usize].around;
    }
    one
}

impl Places {
    fn root(&self, effect: Ev) -> usize {
        self.found.arena.root_effect(effect).0 as usize
    }

    /// Where a region is bound.
    pub(super) fn bind(&self, region: Rv) -> Option<u32> {
        self.binds[self.found.arena.root_region(region).0 as usize]
    }

    /// Is the region bound in the body of this?
    fn is_within(&self, region: Rv, frame: &Frame) -> bool {
        let end = self.found.nodes[frame.node as usize].end;
        self.bind(region).is_some_and(|bind| frame.node < bind && bind < end)
    }

    /// The effects that cannot have `host`: those that are written without it, those of the device, and those of what is
    /// applied by what cannot.
    fn without_host(&mut self) {
        let arena = &self.found.arena;
        for number in 0..arena.effects() as u32 {
            let written = arena.known(Ev(number)).written.as_ref();
            if written.is_some_and(|written| !written.host) {
                self.no_host[arena.root_effect(Ev(number)).0 as usize] = true;
            }
        }
        for frame in self.found.frames.iter().filter(|frame| frame.device) {
            self.no_host[arena.root_effect(frame.effect).0 as usize] = true;
        }
        loop {
            let mut more = Vec::new();
            for frame in &self.found.frames {
                if self.no_host[self.root(frame.effect)] {
                    more.extend(frame.applies.iter().map(|applied| self.root(*applied)));
                }
            }
            for number in 0..self.found.arena.effects() as u32 {
                if self.no_host[self.root(Ev(number))] {
                    let copies = &self.found.arena.known(Ev(number)).copies;
                    more.extend(copies.iter().map(|(from, ..)| self.root(*from)));
                }
            }
            let before = self.no_host.iter().filter(|no| **no).count();
            more.into_iter().for_each(|effect| self.no_host[effect] = true);
            if self.no_host.iter().filter(|no| **no).count() == before {
                return;
            }
        }
    }

    /// The least effects, for where regions are bound so far.
    fn solve_effects(&mut self) {
        let arena = &self.found.arena;
        let root = |region: Rv| arena.root_region(region);
        let mut effects = vec![Effect::default(); arena.effects()];
        for number in 0..arena.effects() as u32 {
            if let Some(written) = &arena.known(Ev(number)).written {
                let regions = written.regions.iter().map(|region| root(*region)).collect();
                effects[arena.root_effect(Ev(number)).0 as usize] =
                    Effect { regions, host: written.host };
            }
        }
        for (region, number) in &self.found.bound {
            self.binds[root(*region).0 as usize] = Some(*number);
        }
        let mut hosts: Vec<bool> = self.found.frames.iter().map(|frame| frame.host).collect();
        for (number, bind) in self.binds.iter().enumerate() {
            let region = Rv(number as u32);
            if let Some(bind @ 1..) = bind
                && root(region) == region
                && arena.name(region).is_none()
            {
                hosts[self.found.nodes[*bind as usize].frame as usize] = true;
            }
        }
        self.effects = effects;
        while self.grow(&hosts) {}
    }

    /// Effects take in what their bodies and copies say, and what the copies of them do. Did any grow?
    fn grow(&mut self, hosts: &[bool]) -> bool {
        let arena = &self.found.arena;
        let mut grew = false;
        for (frame, host) in self.found.frames.iter().zip(hosts) {
            if arena.known(frame.effect).written.is_some() {
                continue;
            }
            let at = self.root(frame.effect);
            let mut effect = std::mem::take(&mut self.effects[at]);
            let before = (effect.regions.len(), effect.host);
            effect.host |= *host;
            let uses = frame.uses.iter().map(|region| arena.root_region(*region));
            let seen =
                |region: &Rv| self.bind(*region).is_some() && !self.is_within(*region, frame);
            effect.regions.extend(uses.filter(seen));
            for applied in &frame.applies {
                let applied = &self.effects[self.root(*applied)];
                effect.host |= applied.host;
                effect.regions.extend(applied.regions.iter().copied().filter(seen));
            }
            grew |= before != (effect.regions.len(), effect.host);
            self.effects[at] = effect;
        }
        for number in 0..arena.effects() as u32 {
            let (effect, known) = (Ev(number), arena.known(Ev(number)));
            if arena.root_effect(effect) != effect || known.written.is_some() {
                continue;
            }
            for (from, p, with) in &known.copies {
                let at = self.root(*from);
                let Effect { regions, host } = self.effects[at].clone();
                let open = |region| if arena.name(region) == Some(*p) { *with } else { region };
                let opened: BTreeSet<Rv> =
                    regions.into_iter().map(|region| arena.root_region(open(region))).collect();
                let to = &mut self.effects[number as usize];
                let before = (to.regions.len(), to.host);
                to.host |= host;
                to.regions.extend(&opened);
                grew |= before != (to.regions.len(), to.host);
                if arena.known(*from).written.is_some() {
                    continue;
                }
                // Effects are equal, so what the copy has besides the other one has too.
                let (more, host) = (&to.regions - &opened, to.host);
                let from = &mut self.effects[at];
                let before = (from.regions.len(), from.host);
                from.host |= host;
                from.regions.extend(more);
                grew |= before != (from.regions.len(), from.host);
            }
        }
        grew
    }

    /// What a body with a written effect does to a region that is not in it, it does to one that is: the region is that
    /// one, which is in scope wherever the region was, if any is. Was there such a region?
    fn confine(&mut self) -> bool {
        let mut wanted: BTreeMap<Rv, Vec<Vec<Rv>>> = BTreeMap::new();
        let arena = &self.found.arena;
        for frame in &self.found.frames {
            let Some(written) = &arena.known(frame.effect).written else { continue };
            let applied = frame
                .applies
                .iter()
                .flat_map(|applied| self.effects[self.root(*applied)].regions.iter().copied());
            let uses = frame.uses.iter().map(|region| arena.root_region(*region));
            let covered: Vec<Rv> =
                written.regions.iter().map(|region| arena.root_region(*region)).collect();
            let outside: BTreeSet<Rv> = applied
                .chain(uses)
                .filter(|region| {
                    arena.name(*region).is_none()
                        && self.bind(*region).is_some()
                        && !self.is_within(*region, frame)
                })
                .collect();
            for region in outside {
                wanted.entry(region).or_default().push(covered.clone());
            }
        }
        let any = !wanted.is_empty();
        let r0 = self.found.arena.named(R0);
        for (region, written) in wanted {
            let in_scope = |one: &&Rv| self.is_around(**one, region);
            let in_all = |one: &&Rv| written.iter().all(|all| all.contains(one));
            let mut all = written[0].iter().filter(in_all);
            let one = all.clone().find(in_scope).or(all.next()).copied().unwrap_or(r0);
            self.found.arena.unify_regions(one, region);
        }
        any
    }

    /// Is the first region bound around where the other one is?
    fn is_around(&self, region: Rv, other: Rv) -> bool {
        match (self.bind(region), self.bind(other)) {
            (Some(bind), Some(inner)) => {
                bind <= inner && inner < self.found.nodes[bind as usize].end
            }
            _ => false,
        }
    }

    /// Binds each region around the expressions whose types name it. Is one bound further out than before?
    fn settle(&mut self) -> bool {
        let points = self.points();
        let mut changed = false;
        for (number, point) in points.into_iter().enumerate() {
            let region = Rv(number as u32);
            let arena = &self.found.arena;
            let (Some(point), true) = (point, arena.root_region(region) == region) else {
                continue;
            };
            if arena.name(region).is_some() {
                continue;
            }
            let before = self.binds[number];
            let bind = before.map_or(point, |bind| around(&self.found.nodes, bind, point));
            let bind = self.allowed(bind);
            self.binds[number] = Some(bind);
            changed |= before != Some(bind);
            if bind == 0 {
                let r0 = self.found.arena.named(R0);
                self.found.arena.unify_regions(r0, region);
            }
        }
        changed
    }

    /// The smallest expression around this one that a `letregion` may stand around.
    fn allowed(&self, mut bind: u32) -> u32 {
        while bind != 0 {
            let node = &self.found.nodes[bind as usize];
            let frame = &self.found.frames[node.frame as usize];
            bind = match node.on {
                _ if node.fixed => node.around,
                0 if frame.node == 0 || !self.no_host[self.root(frame.effect)] => break,
                0 => frame.node,
                on => on,
            };
        }
        bind
    }

    /// The smallest expression around all those whose types name a region, by the root of the region.
    fn points(&self) -> Vec<Option<u32>> {
        let Found { arena, nodes, .. } = &self.found;
        let join = |to: &mut Option<u32>, point: Option<u32>| {
            *to = match (*to, point) {
                (Some(one), Some(other)) => Some(around(nodes, one, other)),
                (one, other) => one.or(other),
            };
        };
        let mut types = vec![None; arena.types()];
        for node in &nodes[1..] {
            join(&mut types[arena.root(node.ty).0 as usize], Some(node.around));
        }
        let mut regions = vec![None; arena.regions()];
        let mut effects = vec![None; arena.effects()];
        for ty in &self.order {
            let point = types[ty.0 as usize];
            for part in parts(arena, *ty) {
                join(&mut types[arena.root(part).0 as usize], point);
            }
            let Shape::Boxed(mu, at) = arena.shape(*ty) else { continue };
            join(&mut regions[arena.root_region(at).0 as usize], point);
            let (Mu::Fn(_, latent, _) | Mu::Pi(_, _, latent, _)) = mu else { continue };
            join(&mut effects[self.root(latent)], point);
        }
        for (effect, point) in self.effects.iter().zip(effects) {
            for region in &effect.regions {
                join(&mut regions[arena.root_region(*region).0 as usize], point);
            }
        }
        regions
    }

    /// Regions that are bound around one expression are one region.
    fn merge(&mut self) {
        let mut first: BTreeMap<u32, Rv> = BTreeMap::new();
        for number in 0..self.binds.len() {
            let region = Rv(number as u32);
            let arena = &mut self.found.arena;
            if arena.root_region(region) != region || arena.name(region).is_some() {
                continue;
            }
            if let Some(bind) = self.binds[number] {
                arena.unify_regions(*first.entry(bind).or_insert(region), region);
            }
        }
    }

    /// The regions that an `on` uses.
    fn used_by_on(&self) -> BTreeSet<Rv> {
        let on = self.found.frames.iter().filter(|frame| frame.is_on);
        on.flat_map(|frame| self.effect(frame.effect).regions.iter().copied()).collect()
    }

    /// What an effect is.
    pub(super) fn effect(&self, effect: Ev) -> &Effect {
        &self.effects[self.root(effect)]
    }
}
