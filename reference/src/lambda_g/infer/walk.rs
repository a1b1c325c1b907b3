//! What must be equal: a walk over the program with the rules of types, which unifies types where values meet, and notes
//! what each function reads, writes and applies.

use super::arena::{Arena, Ev, Known, Mu, Rv, Shape, Tv, Written};
use crate::kit::names::Var;
use crate::lambda_g::hole;
use crate::lambda_g::syntax::{
    Boxed, Effect, Exp, Item, Kind, Lambda, Over, Param, Program, R0, Region, RegionLambda, Type,
};
use rustc_hash::FxHashMap;

/// An expression. They are numbered from 1, each before what is in it, left before right; 0 is around the program.
pub(super) struct Node {
    /// The expression around it.
    pub(super) around: u32,
    /// The number of the first one behind it that is not in it.
    pub(super) end: u32,
    pub(super) ty: Tv,
    /// The function in whose body it is.
    pub(super) frame: u32,
    /// The `on` around it, or 0.
    pub(super) on: u32,
    /// Is it what a `fix` takes? That is a function, so no `letregion` stands there.
    pub(super) fixed: bool,
}

/// What has an effect of its own: a function, a region abstraction, an `on`; the first one is the program.
pub(super) struct Frame {
    /// The expression.
    pub(super) node: u32,
    pub(super) effect: Ev,
    /// The regions that its body reads and writes.
    pub(super) uses: Vec<Rv>,
    /// The effects of what its body applies.
    pub(super) applies: Vec<Ev>,
    /// Is a `letregion` or an `on` written in it?
    pub(super) host: bool,
    /// Is it on the device?
    pub(super) device: bool,
    /// Is it an `on`?
    pub(super) is_on: bool,
}

/// What the walk finds.
pub(super) struct Found {
    pub(super) arena: Arena,
    pub(super) nodes: Vec<Node>,
    pub(super) frames: Vec<Frame>,
    /// Where the regions with names are bound, by expression.
    pub(super) bound: Vec<(Rv, u32)>,
    /// What stands for a region that is left out, by its placeholder.
    pub(super) regions: FxHashMap<Var, Rv>,
    /// The same for effects.
    pub(super) effects: FxHashMap<Var, Ev>,
    /// The same for types.
    pub(super) types: FxHashMap<Var, Tv>,
}

struct Walk {
    found: Found,
    /// `Γ`, by variable.
    gamma: Vec<Option<Tv>>,
    frame: u32,
    on: u32,
    around: u32,
}

/// Walks over a program.
pub(super) fn walk(program: &Program) -> Found {
    let mut arena = Arena::default();
    let r0 = arena.named(R0);
    let effect = arena.effect(Known {
        written: Some(Written { regions: vec![r0], host: true }),
        ..Known::default()
    });
    let ty = arena.unknown();
    let found = Found {
        arena,
        nodes: vec![Node { around: 0, end: u32::MAX, ty, frame: 0, on: 0, fixed: false }],
        frames: Vec::new(),
        bound: vec![(r0, 0)],
        regions: FxHashMap::default(),
        effects: FxHashMap::default(),
        types: FxHashMap::default(),
    };
    let gamma = vec![None; program.names.len()];
    let mut walk = Walk { found, gamma, frame: 0, on: 0, around: 0 };
    walk.frame(0, effect, false);
    for Param { var, ty, .. } in &program.params {
        let ty = walk.written(ty);
        walk.gamma[var.slot()] = Some(ty);
    }
    let left_out: Vec<Rv> = walk.found.regions.values().copied().collect();
    left_out.into_iter().for_each(|region| walk.found.arena.unify_regions(r0, region));
    walk.exp(&program.body);
    walk.found
}

impl Walk {
    fn frame(&mut self, node: u32, effect: Ev, is_on: bool) -> u32 {
        let device = self.on != 0 || is_on;
        let (uses, applies) = (Vec::new(), Vec::new());
        self.found.frames.push(Frame { node, effect, uses, applies, host: false, device, is_on });
        self.found.frames.len() as u32 - 1
    }

    fn here(&mut self) -> &mut Frame {
        &mut self.found.frames[self.frame as usize]
    }

    fn arena(&mut self) -> &mut Arena {
        &mut self.found.arena
    }

    fn region(&mut self, region: Region) -> Rv {
        if hole::missing(region.var).is_none() {
            return self.arena().named(region.var);
        }
        let fresh = self.arena().region();
        self.found.regions.insert(region.var, fresh);
        fresh
    }

    fn effect(&mut self, effect: &Effect) -> Ev {
        if let Some(var) = hole::no_effect(effect) {
            let fresh = self.arena().effect(Known::default());
            self.found.effects.insert(var, fresh);
            return fresh;
        }
        let mut written = Written::default();
        for item in &effect.items {
            match item {
                Item::Region(region) => written.regions.push(self.arena().named(region.var)),
                Item::Host { .. } => written.host = true,
            }
        }
        self.arena().effect(Known { written: Some(written), ..Known::default() })
    }

    /// A type that is written, or left out in part or whole.
    fn written(&mut self, ty: &Type) -> Tv {
        if let Some(var) = hole::no_type(ty) {
            let fresh = self.arena().unknown();
            self.found.types.insert(var, fresh);
            return fresh;
        }
        let Type::Boxed { of, region, .. } = ty else { return self.arena().ty(Shape::Bool) };
        let mu = match &**of {
            Boxed::Int => Mu::Int,
            Boxed::Vec(of) => Mu::Vec(self.written(of)),
            Boxed::Pair(a, b) => Mu::Pair(self.written(a), self.written(b)),
            Boxed::Fn(from, latent, to) => {
                Mu::Fn(self.written(from), self.effect(latent), self.written(to))
            }
            Boxed::Pi(binder, bound, latent, of) => {
                Mu::Pi(binder.var, self.effect(bound), self.effect(latent), self.written(of))
            }
        };
        let region = self.region(*region);
        self.arena().boxed(mu, region)
    }

    /// The body reads or writes a region.
    fn uses(&mut self, region: Rv) {
        self.here().uses.push(region);
    }

    /// The type of what is written to a region.
    fn made(&mut self, mu: Mu, at: Region) -> Tv {
        let region = self.region(at);
        self.uses(region);
        self.arena().boxed(mu, region)
    }

    /// What is read is of this form.
    fn read(&mut self, ty: Tv, mu: Mu) {
        let region = self.arena().region();
        let wanted = self.arena().boxed(mu, region);
        self.arena().unify(ty, wanted);
        self.uses(region);
    }

    fn int(&mut self, e: &Exp) {
        let ty = self.exp(e);
        self.read(ty, Mu::Int);
    }

    /// The type of the elements of a vector.
    fn elements(&mut self, e: &Exp) -> Tv {
        let ty = self.exp(e);
        let element = self.arena().unknown();
        self.read(ty, Mu::Vec(element));
        element
    }

    /// A function that is applied: what it takes and comes to.
    fn function(&mut self, e: &Exp) -> (Tv, Tv) {
        let ty = self.exp(e);
        let (from, to) = (self.arena().unknown(), self.arena().unknown());
        let latent = self.arena().effect(Known::default());
        self.read(ty, Mu::Fn(from, latent, to));
        self.here().applies.push(latent);
        (from, to)
    }

    fn exp(&mut self, e: &Exp) -> Tv {
        let number = self.found.nodes.len() as u32;
        let (around, frame, on) = (self.around, self.frame, self.on);
        // The type is known behind what is in it.
        self.found.nodes.push(Node { around, end: 0, ty: Tv(0), frame, on, fixed: false });
        self.around = number;
        let ty = self.form(e, number);
        self.around = around;
        let end = self.found.nodes.len() as u32;
        let node = &mut self.found.nodes[number as usize];
        (node.ty, node.end) = (ty, end);
        ty
    }

    fn form(&mut self, e: &Exp, number: u32) -> Tv {
        match &e.kind {
            Kind::Int(_, at) => self.made(Mu::Int, *at),
            Kind::Bool(_) => self.arena().ty(Shape::Bool),
            Kind::Var(var) => match self.gamma[var.slot()] {
                Some(ty) => ty,
                None => unreachable!("T-VAR: it is bound"),
            },
            Kind::Binary(_, parts, at) => {
                parts.iter().for_each(|part| self.int(part));
                self.made(Mu::Int, *at)
            }
            Kind::Compare(_, parts) => {
                parts.iter().for_each(|part| self.int(part));
                self.arena().ty(Shape::Bool)
            }
            Kind::If(parts) => self.conditional(parts),
            Kind::Let(var, parts) => {
                let bound = self.exp(&parts[0]);
                self.gamma[var.slot()] = Some(bound);
                self.exp(&parts[1])
            }
            Kind::Fn(lambda) => self.lambda(lambda, number),
            Kind::RegionFn(lambda) => self.region_lambda(lambda, number),
            Kind::App(parts) => {
                let (from, to) = self.function(&parts[0]);
                let argument = self.exp(&parts[1]);
                self.arena().unify(from, argument);
                to
            }
            Kind::Instance(of, region) => self.instance(of, *region),
            Kind::Pair(parts, at) | Kind::Par(parts, at) => {
                let mu = Mu::Pair(self.exp(&parts[0]), self.exp(&parts[1]));
                self.made(mu, *at)
            }
            Kind::Fst(of) => self.pair(of).0,
            Kind::Snd(of) => self.pair(of).1,
            Kind::LetRegion(binder, _, body) => {
                self.here().host = true;
                let region = self.arena().named(binder.var);
                self.found.bound.push((region, number));
                self.exp(body)
            }
            Kind::Fix(var, ty, body) => {
                let ty = self.written(ty);
                self.gamma[var.slot()] = Some(ty);
                let found = self.exp(body);
                self.found.nodes[number as usize + 1].fixed = true;
                self.arena().unify(ty, found);
                ty
            }
            Kind::Vector(elements, at) => {
                let element = self.arena().unknown();
                for e in elements {
                    let ty = self.exp(e);
                    self.arena().unify(element, ty);
                }
                self.made(Mu::Vec(element), *at)
            }
            Kind::ParMap(f, over, at) => self.parmap(f, over, *at),
            Kind::On(body, at) => self.on(body, *at, number),
            Kind::Index(parts) => {
                let element = self.elements(&parts[0]);
                self.int(&parts[1]);
                element
            }
            Kind::Length(of, at) => {
                self.elements(of);
                self.made(Mu::Int, *at)
            }
            Kind::Iota(of, at) => {
                self.int(of);
                let region = self.region(*at);
                self.uses(region);
                let element = self.arena().boxed(Mu::Int, region);
                self.arena().boxed(Mu::Vec(element), region)
            }
        }
    }

    fn conditional(&mut self, parts: &[Exp; 3]) -> Tv {
        let condition = self.exp(&parts[0]);
        let bool = self.arena().ty(Shape::Bool);
        self.arena().unify(condition, bool);
        let (then, orelse) = (self.exp(&parts[1]), self.exp(&parts[2]));
        self.arena().unify(then, orelse);
        then
    }

    fn pair(&mut self, e: &Exp) -> (Tv, Tv) {
        let ty = self.exp(e);
        let parts = (self.arena().unknown(), self.arena().unknown());
        self.read(ty, Mu::Pair(parts.0, parts.1));
        parts
    }

    /// The body of what has an effect of its own.
    fn body(&mut self, number: u32, effect: Ev, body: &Exp) -> Tv {
        let frame = self.frame(number, effect, false);
        let outer = std::mem::replace(&mut self.frame, frame);
        let ty = self.exp(body);
        self.frame = outer;
        ty
    }

    fn lambda(&mut self, lambda: &Lambda, number: u32) -> Tv {
        let from = self.written(&lambda.ty);
        let latent = self.effect(&lambda.latent);
        self.gamma[lambda.param.slot()] = Some(from);
        let to = self.body(number, latent, &lambda.body);
        self.made(Mu::Fn(from, latent, to), lambda.at)
    }

    fn region_lambda(&mut self, lambda: &RegionLambda, number: u32) -> Tv {
        let bound = self.effect(&lambda.bound);
        let var = lambda.region.var;
        let region = self.arena().named(var);
        self.found.bound.push((region, number));
        let latent = self.effect(&lambda.latent);
        let of = self.body(number, latent, &lambda.body);
        self.made(Mu::Pi(var, bound, latent, of), lambda.at)
    }

    /// What a region abstraction is for a region. That it is an abstraction has to be known.
    fn instance(&mut self, of: &Exp, with: Region) -> Tv {
        let ty = self.exp(of);
        let with = self.region(with);
        match self.arena().shape(ty) {
            Shape::Boxed(Mu::Pi(p, _, latent, of), at) => {
                self.uses(at);
                let latent = self.arena().opened_effect(latent, p, with);
                self.here().applies.push(latent);
                self.arena().opened(of, p, with)
            }
            _ => {
                self.arena().differ = true;
                self.arena().unknown()
            }
        }
    }

    fn parmap(&mut self, f: &Exp, over: &Over, at: Region) -> Tv {
        let (from, to) = self.function(f);
        match over {
            Over::Elements(elements) => {
                for e in elements {
                    let ty = self.exp(e);
                    self.arena().unify(from, ty);
                }
            }
            Over::Vector(vector) => {
                let element = self.elements(vector);
                self.arena().unify(from, element);
            }
        }
        self.made(Mu::Vec(to), at)
    }

    fn on(&mut self, body: &Exp, at: Region, number: u32) -> Tv {
        self.here().host = true;
        let region = self.region(at);
        self.uses(region);
        let effect = self.arena().effect(Known::default());
        self.here().applies.push(effect);
        let frame = self.frame(number, effect, true);
        let outer = (self.frame, self.on);
        (self.frame, self.on) = (frame, number);
        let found = self.exp(body);
        (self.frame, self.on) = outer;
        let ty = self.arena().boxed(Mu::Unknown, region);
        self.arena().unify(ty, found);
        ty
    }
}
