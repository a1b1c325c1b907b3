//! Types while they are inferred: nodes in an arena, with variables that stand for what is not known yet.
//!
//! A variable has a *rank*: how many `let`s, definitions and `fn <α>` it is inside of. Where a `let` ends,
//! the variables of a higher rank are in no assumption outside, so its type is generalised over them. A
//! *rigid* variable is one that a signature or `fn <α>` binds: it is equal to itself only, and its rank says
//! how far out it may be known.
//!
//! Nothing here is recursive but for copies, whose depth is limited, and each walk pays for its steps, so that
//! no program makes inference slow: types may grow exponentially with a program.

use crate::fcl::rules::Rule;
use crate::fcl::syntax::MAX_LEVEL;
use crate::kit::faults::{Fault, Planted, WrongFcl};
use crate::kit::names::Var;
use crate::kit::text::Span;

/// A type: its node in the [`Arena`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Ty(u32);

/// A level variable: its cell in the [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LevelVar(u32);

/// A level `γ`: so often `1 +` before `Z` or a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gamma {
    pub(super) succs: u32,
    pub(super) var: Option<LevelVar>,
}

/// Kinds `κ` of types, from the narrowest: base types, ground types, all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Bt,
    Gt,
    Typ,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Bt => "BT",
            Kind::Gt => "GT",
            Kind::Typ => "TYP",
        }
    }
}

/// Why a variable is of a kind below TYP: whose premise fails if it is not.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) rule: Rule,
    pub(super) premise: &'static str,
    pub(super) span: Span,
}

/// An [`Origin`]: its place in the [`Arena`].
#[derive(Clone, Copy, Debug)]
pub(super) struct OriginId(u32);

#[derive(Clone, Copy, Debug)]
pub(super) enum Node {
    Int,
    Double,
    Bool,
    Pair(Ty, Ty),
    Fn(Ty, Ty),
    LevelFn(LevelVar, Ty),
    Pull(Ty),
    Push(Ty, Gamma),
    Var {
        kind: Kind,
        origin: Option<OriginId>,
        rank: u32,
        rigid: Option<Var>,
    },
    /// The same as another one.
    Same(Ty),
}

/// A level variable.
#[derive(Clone, Copy, Debug)]
pub(super) enum LevelNode {
    Free {
        rank: u32,
    },
    /// Bound by a signature, or by `fn <α>`.
    Rigid {
        rank: u32,
        name: Option<Var>,
        of_function: bool,
    },
    /// Bound by a `<α> ->` around.
    Bound,
    Same(Gamma),
}

/// The rank of what a scheme is generalised over.
pub(super) const GENERIC: u32 = u32::MAX;

/// Why two types are not the same, or one is not of a kind.
#[derive(Clone, Copy, Debug)]
pub(super) enum Clash {
    /// Two types of different form.
    Differ(Ty, Ty),
    Levels(Gamma, Gamma),
    /// A variable that would be in itself.
    Infinite(Ty, Ty),
    InfiniteLevel(Gamma, Gamma),
    /// A type that is not of a kind.
    Kind(Ty, Kind, Option<OriginId>),
    /// A rigid variable that would be known outside of where it is bound.
    Escapes(Ty),
    LevelEscapes(LevelVar),
    /// Types are too large.
    Large,
}

/// The most nodes.
const MAX_NODES: usize = 1 << 22;

/// The most steps of all walks.
const MAX_STEPS: u64 = 1 << 27;

/// The deepest copy.
const MAX_COPY: u32 = 512;

#[derive(Clone, Debug)]
struct Cell {
    node: Node,
    /// A kind that it is known to be of.
    known: Kind,
    /// The walk that met it last, and what that made of it.
    walk: u32,
    image: Ty,
}

#[derive(Clone, Debug)]
struct LevelCell {
    node: LevelNode,
    walk: u32,
    image: Gamma,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Arena {
    cells: Vec<Cell>,
    levels: Vec<LevelCell>,
    origins: Vec<Origin>,
    walk: u32,
    steps: u64,
    /// The fault that unification carries, if any.
    planted: Planted,
}

impl Gamma {
    pub(super) const fn number(succs: u32) -> Self {
        Self { succs, var: None }
    }

    pub(super) fn of(var: LevelVar) -> Self {
        Self { succs: 0, var: Some(var) }
    }

    /// `1 + γ`
    pub(super) fn above(self) -> Self {
        Self { succs: self.succs + 1, ..self }
    }
}

impl Arena {
    pub(super) fn with(planted: Planted) -> Self {
        Self { planted, ..Self::default() }
    }

    pub(super) fn add(&mut self, node: Node) -> Ty {
        let ty = Ty(self.cells.len() as u32);
        self.cells.push(Cell { node, known: Kind::Typ, walk: 0, image: ty });
        ty
    }

    /// Is there room for no more?
    pub(super) fn is_full(&self) -> bool {
        self.cells.len() > MAX_NODES || self.levels.len() > MAX_NODES || self.steps > MAX_STEPS
    }

    pub(super) fn add_origin(&mut self, origin: Origin) -> OriginId {
        self.origins.push(origin);
        OriginId(self.origins.len() as u32 - 1)
    }

    pub(super) fn origin(&self, id: OriginId) -> Origin {
        self.origins[id.0 as usize]
    }

    /// A type that is not known.
    pub(super) fn fresh(&mut self, rank: u32) -> Ty {
        self.add(Node::Var { kind: Kind::Typ, origin: None, rank, rigid: None })
    }

    pub(super) fn add_level(&mut self, node: LevelNode) -> LevelVar {
        self.levels.push(LevelCell { node, walk: 0, image: Gamma::number(0) });
        LevelVar(self.levels.len() as u32 - 1)
    }

    /// A level that is not known.
    pub(super) fn fresh_level(&mut self, rank: u32) -> Gamma {
        Gamma::of(self.add_level(LevelNode::Free { rank }))
    }

    /// The type that stands for this one.
    pub(super) fn find(&self, mut ty: Ty) -> Ty {
        while let Node::Same(other) = self.cells[ty.0 as usize].node {
            ty = other;
        }
        ty
    }

    /// As [`Arena::find`], and remembers it.
    fn find_mut(&mut self, ty: Ty) -> Ty {
        let found = self.find(ty);
        let mut at = ty;
        while let Node::Same(next) = self.cells[at.0 as usize].node {
            self.cells[at.0 as usize].node = Node::Same(found);
            at = next;
        }
        found
    }

    /// What a type is.
    pub(super) fn node(&self, ty: Ty) -> Node {
        self.cells[self.find(ty).0 as usize].node
    }

    pub(super) fn set(&mut self, ty: Ty, node: Node) {
        self.cells[ty.0 as usize].node = node;
    }

    /// What a level is, as far as it is known.
    pub(super) fn level(&self, mut level: Gamma) -> Gamma {
        while let Some(var) = level.var
            && let LevelNode::Same(inner) = self.levels[var.0 as usize].node
        {
            level = Gamma { succs: level.succs.saturating_add(inner.succs), var: inner.var };
        }
        level
    }

    pub(super) fn level_node(&self, var: LevelVar) -> LevelNode {
        self.levels[var.0 as usize].node
    }

    pub(super) fn set_level(&mut self, var: LevelVar, node: LevelNode) {
        self.levels[var.0 as usize].node = node;
    }

    fn step(&mut self) -> Result<(), Clash> {
        self.steps += 1;
        if self.is_full() { Err(Clash::Large) } else { Ok(()) }
    }

    /// Has a walk met this type already? Notes that it has.
    fn meets(&mut self, ty: Ty, walk: u32) -> bool {
        std::mem::replace(&mut self.cells[ty.0 as usize].walk, walk) == walk
    }

    fn new_walk(&mut self) -> u32 {
        self.walk += 1;
        self.walk
    }

    /// `τ = τ'`. Where that fails, both are seen as they were.
    pub(super) fn unify(&mut self, one: Ty, other: Ty, rank: u32) -> Result<(), Clash> {
        let mut merged = Vec::new();
        let result = self.unify_parts(one, other, rank, &mut merged);
        if result.is_err() {
            for (ty, node) in merged.into_iter().rev() {
                self.set(ty, node);
            }
        }
        result
    }

    fn unify_parts(
        &mut self,
        one: Ty,
        other: Ty,
        rank: u32,
        merged: &mut Vec<(Ty, Node)>,
    ) -> Result<(), Clash> {
        let mut open = vec![(one, other)];
        while let Some((one, other)) = open.pop() {
            self.step()?;
            let (one, other) = (self.find(one), self.find(other));
            if one == other {
                continue;
            }
            let (node, other_node) = (self.node(one), self.node(other));
            match (node, other_node) {
                (Node::Var { rigid: None, .. }, _) => {
                    self.bind(one, other)?;
                    continue;
                }
                (_, Node::Var { rigid: None, .. }) => {
                    self.bind(other, one)?;
                    continue;
                }
                (Node::Int, Node::Int)
                | (Node::Double, Node::Double)
                | (Node::Bool, Node::Bool) => {}
                (Node::Pair(a, b), Node::Pair(c, d)) | (Node::Fn(a, b), Node::Fn(c, d)) => {
                    open.extend([(b, d), (a, c)]);
                }
                (Node::Pull(a), Node::Pull(b)) => open.push((a, b)),
                (Node::Push(a, level), Node::Push(b, other_level)) => {
                    self.unify_levels(level, other_level)?;
                    open.push((a, b));
                }
                (Node::LevelFn(x, a), Node::LevelFn(y, b)) => {
                    let rigid = LevelNode::Rigid { rank: rank + 1, name: None, of_function: true };
                    let level = Gamma::of(self.add_level(rigid));
                    open.push((self.substitute(a, x, level)?, self.substitute(b, y, level)?));
                }
                _ => return Err(Clash::Differ(one, other)),
            }
            merged.push((one, node));
            self.set(one, Node::Same(other));
        }
        Ok(())
    }

    /// A variable becomes a type.
    fn bind(&mut self, var: Ty, ty: Ty) -> Result<(), Clash> {
        let Node::Var { kind, origin, rank, .. } = self.node(var) else {
            unreachable!("only variables are bound")
        };
        self.lower(ty, rank, Some(var))?;
        self.be(ty, kind, origin)?;
        self.set(var, Node::Same(ty));
        Ok(())
    }

    /// All variables of a type have this rank at most from now on, and `var` is none of them.
    pub(super) fn lower(&mut self, ty: Ty, most: u32, var: Option<Ty>) -> Result<(), Clash> {
        let walk = self.new_walk();
        let mut open = vec![ty];
        while let Some(part) = open.pop() {
            self.step()?;
            let part = self.find_mut(part);
            if Some(part) == var {
                return Err(Clash::Infinite(part, ty));
            }
            if self.meets(part, walk) {
                continue;
            }
            match self.node(part) {
                Node::Var { rank, rigid: Some(_), .. } if rank > most => {
                    return Err(Clash::Escapes(part));
                }
                Node::Var { kind, origin, rank, rigid } => {
                    self.set(part, Node::Var { kind, origin, rank: rank.min(most), rigid });
                }
                Node::Push(element, level) => {
                    self.lower_level(level, most)?;
                    open.push(element);
                }
                node => children(node, &mut open),
            }
        }
        Ok(())
    }

    fn lower_level(&mut self, level: Gamma, most: u32) -> Result<(), Clash> {
        let Some(var) = self.level(level).var else { return Ok(()) };
        match self.level_node(var) {
            LevelNode::Rigid { rank, .. } if rank > most => Err(Clash::LevelEscapes(var)),
            LevelNode::Free { rank } if rank > most => {
                self.set_level(var, LevelNode::Free { rank: most });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// `Δ ⊢ τ : κ`: variables become of that kind.
    pub(super) fn be(&mut self, ty: Ty, kind: Kind, why: Option<OriginId>) -> Result<(), Clash> {
        if kind == Kind::Typ {
            return Ok(());
        }
        let mut open = vec![ty];
        while let Some(part) = open.pop() {
            self.step()?;
            let part = self.find_mut(part);
            if self.cells[part.0 as usize].known <= kind {
                continue;
            }
            match self.node(part) {
                Node::Int | Node::Double | Node::Bool => {}
                Node::Var { kind: has, origin, rank, rigid } => {
                    let origin = if has > kind { why } else { origin };
                    self.set(part, Node::Var { kind: has.min(kind), origin, rank, rigid });
                    continue;
                }
                Node::Pair(a, b) => open.extend([b, a]),
                Node::Pull(_) | Node::Push(..) if kind == Kind::Gt => {}
                _ => return Err(Clash::Kind(part, kind, why)),
            }
            self.cells[part.0 as usize].known = kind;
        }
        Ok(())
    }

    /// `γ = γ'`
    pub(super) fn unify_levels(&mut self, one: Gamma, other: Gamma) -> Result<(), Clash> {
        let (a, b) = (self.level(one), self.level(other));
        if a == b {
            return Ok(());
        }
        let fault = self.planted.is(Fault::Fcl(WrongFcl::LevelsWithoutSuccessor));
        if fault && a.var == b.var {
            return Ok(());
        }
        if a.var == b.var {
            return Err(match a.var {
                Some(_) => Clash::InfiniteLevel(a, b),
                None => Clash::Levels(a, b),
            });
        }
        let less = a.succs.min(b.succs);
        let (x, y) = (Gamma { succs: a.succs - less, ..a }, Gamma { succs: b.succs - less, ..b });
        for (var, rest) in [(x, y), (y, x)] {
            let Gamma { succs: 0, var: Some(var) } = var else { continue };
            if let LevelNode::Free { rank } = self.level_node(var) {
                if rest.succs > MAX_LEVEL {
                    return Err(Clash::Large);
                }
                self.lower_level(rest, rank)?;
                self.set_level(var, LevelNode::Same(rest));
                return Ok(());
            }
        }
        Err(Clash::Levels(a, b))
    }

    /// `τ[α ↦ γ]`
    pub(super) fn substitute(&mut self, ty: Ty, var: LevelVar, by: Gamma) -> Result<Ty, Clash> {
        self.copy([], [(var, by)], ty)
    }

    /// The type with others in the place of some of its variables. Levels that it binds are bound anew.
    pub(super) fn copy(
        &mut self,
        types: impl IntoIterator<Item = (Ty, Ty)>,
        levels: impl IntoIterator<Item = (LevelVar, Gamma)>,
        ty: Ty,
    ) -> Result<Ty, Clash> {
        let walk = self.new_walk();
        for (var, image) in types {
            let cell = &mut self.cells[var.0 as usize];
            (cell.walk, cell.image) = (walk, image);
        }
        for (var, image) in levels {
            let cell = &mut self.levels[var.0 as usize];
            (cell.walk, cell.image) = (walk, image);
        }
        self.copied(ty, walk, 0)
    }

    fn copied(&mut self, ty: Ty, walk: u32, depth: u32) -> Result<Ty, Clash> {
        self.step()?;
        if depth > MAX_COPY {
            return Err(Clash::Large);
        }
        let ty = self.find_mut(ty);
        if self.cells[ty.0 as usize].walk == walk {
            return Ok(self.cells[ty.0 as usize].image);
        }
        let part = |arena: &mut Self, part| arena.copied(part, walk, depth + 1);
        let image = match self.node(ty) {
            Node::Int | Node::Double | Node::Bool | Node::Var { .. } | Node::Same(_) => ty,
            Node::Pair(a, b) => {
                let (c, d) = (part(self, a)?, part(self, b)?);
                self.changed(ty, (a, b) != (c, d), Node::Pair(c, d))
            }
            Node::Fn(a, b) => {
                let (c, d) = (part(self, a)?, part(self, b)?);
                self.changed(ty, (a, b) != (c, d), Node::Fn(c, d))
            }
            Node::Pull(a) => {
                let b = part(self, a)?;
                self.changed(ty, a != b, Node::Pull(b))
            }
            Node::Push(a, level) => {
                let (b, level) = (part(self, a)?, self.level(level));
                let image = level.var.map(|var| &self.levels[var.0 as usize]);
                match image.filter(|cell| cell.walk == walk).map(|cell| cell.image) {
                    None => self.changed(ty, a != b, Node::Push(b, level)),
                    Some(image) => {
                        let succs = level.succs + image.succs;
                        if succs > MAX_LEVEL {
                            return Err(Clash::Large);
                        }
                        self.changed(ty, true, Node::Push(b, Gamma { succs, ..image }))
                    }
                }
            }
            Node::LevelFn(var, a) => {
                let anew = self.add_level(LevelNode::Bound);
                let cell = &mut self.levels[var.0 as usize];
                (cell.walk, cell.image) = (walk, Gamma::of(anew));
                let b = part(self, a)?;
                self.changed(ty, true, Node::LevelFn(anew, b))
            }
        };
        let cell = &mut self.cells[ty.0 as usize];
        (cell.walk, cell.image) = (walk, image);
        Ok(image)
    }

    fn changed(&mut self, ty: Ty, changed: bool, node: Node) -> Ty {
        if changed { self.add(node) } else { ty }
    }

    /// `<α> -> τ`, of a rigid `α` that is bound by it from now on.
    pub(super) fn level_function(&mut self, var: LevelVar, body: Ty) -> Ty {
        self.set_level(var, LevelNode::Bound);
        self.add(Node::LevelFn(var, body))
    }
}

/// The types that a type is made of, but for its levels.
pub(super) fn children(node: Node, to: &mut Vec<Ty>) {
    match node {
        Node::Int | Node::Double | Node::Bool | Node::Var { .. } => {}
        Node::Pair(a, b) | Node::Fn(a, b) => to.extend([b, a]),
        Node::LevelFn(_, a) | Node::Pull(a) | Node::Push(a, _) | Node::Same(a) => to.push(a),
    }
}
