//! Programs as the evaluator reads them: a table of expressions, in which a variable is a number of
//! steps outwards and a definition the place of its body.

use crate::fcl::doubles::{Double, Format, Open};
use crate::fcl::syntax::{Exp, Kind, Level, Op, Program};
use crate::fcl::values::Id;
use crate::kit::names::Var;
use crate::kit::text::Span;

/// An expression.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Node {
    Int(i32),
    Bool(bool),
    Double(Result<Double, Open>),
    /// A variable that so many others are inside of.
    Local(u32),
    /// A definition: its body.
    Def(Id),
    Op(Op),
    /// So many expressions of the table of parts, from a place on.
    Array(u32, u32),
    Pair(Id, Id),
    Fn(Id),
    LevelFn(Id),
    App(Id, Id),
    LevelApp(Id, At),
    Let(Id, Id),
    If(Id, Id, Id),
    /// An operator with all of its arguments, which stand in the table of parts from a place on.
    Apply(Op, u32),
}

/// A level: so often `1 +` before `Z`, or before a variable that so many others are inside of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) succs: u32,
    pub(crate) var: Option<u32>,
}

/// A program.
pub(crate) struct Code<'p> {
    nodes: Vec<Node>,
    /// Beside each node, where it comes from.
    sources: Vec<&'p Exp>,
    parts: Vec<Id>,
    format: Format,
    /// The bodies of the definitions, by slot.
    defs: Vec<Option<Id>>,
    /// Variables in scope, the innermost last.
    scope: Vec<Var>,
}

impl<'p> Code<'p> {
    /// The code of a program, and the body of the definition that the program is.
    ///
    /// # Panics
    /// If the program has no definition, or a variable is not bound.
    pub(crate) fn of(program: &'p Program, format: Format) -> (Self, Id) {
        let mut code = Code {
            nodes: Vec::new(),
            sources: Vec::new(),
            parts: Vec::new(),
            format,
            defs: vec![None; program.names.len()],
            scope: Vec::new(),
        };
        for def in &program.defs {
            let body = code.exp(&def.body);
            code.defs[def.name.slot()] = Some(body);
        }
        let main = program.main().expect("T-MAIN: a program has a definition");
        let main = code.defs[main.name.slot()].expect("all definitions have code");
        (code, main)
    }

    #[inline]
    pub(crate) fn node(&self, id: Id) -> Node {
        self.nodes[id as usize]
    }

    pub(crate) fn source(&self, id: Id) -> &'p Exp {
        self.sources[id as usize]
    }

    #[inline]
    pub(crate) fn span(&self, id: Id) -> Span {
        self.sources[id as usize].span
    }

    /// The definition that has this body.
    pub(crate) fn name_of(&self, body: Id) -> Var {
        let slot = self.defs.iter().position(|def| *def == Some(body));
        Var(slot.expect("it is the body of a definition") as u32)
    }

    /// The expression at this place of the table of parts.
    #[inline]
    pub(crate) fn part(&self, at: u32) -> Id {
        self.parts[at as usize]
    }

    /// Is it a base value as it stands?
    pub(crate) fn is_base(&self, id: Id) -> bool {
        match self.node(id) {
            Node::Int(_) | Node::Bool(_) | Node::Double(_) => true,
            Node::Pair(a, b) => self.is_base(a) && self.is_base(b),
            _ => false,
        }
    }

    fn exp(&mut self, exp: &'p Exp) -> Id {
        let node = match &exp.kind {
            Kind::Int(k) => Node::Int(*k),
            Kind::Bool(b) => Node::Bool(*b),
            Kind::Double(d) => Node::Double(self.format.of(d.get())),
            Kind::Var(var) => self.var(*var),
            Kind::Op(op) => Node::Op(*op),
            Kind::Array(elements) => {
                let first = self.all(elements.iter());
                Node::Array(first, elements.len() as u32)
            }
            Kind::Pair(parts) => Node::Pair(self.exp(&parts[0]), self.exp(&parts[1])),
            Kind::Fn(var, body) => Node::Fn(self.inside(*var, body)),
            Kind::LevelFn(var, body) => Node::LevelFn(self.inside(*var, body)),
            Kind::App(parts) => match exp.as_op() {
                Some((op, None, args)) if args.len() == op.arity() => {
                    Node::Apply(op, self.all(args.into_iter()))
                }
                _ => Node::App(self.exp(&parts[0]), self.exp(&parts[1])),
            },
            Kind::LevelApp(f, level) => Node::LevelApp(self.exp(f), self.level(*level)),
            Kind::Let(bind) => Node::Let(self.exp(&bind.bound), self.inside(bind.var, &bind.body)),
            Kind::If(parts) => {
                let [cond, then, orelse] = &**parts;
                Node::If(self.exp(cond), self.exp(then), self.exp(orelse))
            }
        };
        self.nodes.push(node);
        self.sources.push(exp);
        self.nodes.len() as Id - 1
    }

    fn all(&mut self, exps: impl Iterator<Item = &'p Exp>) -> u32 {
        let ids: Vec<Id> = exps.map(|exp| self.exp(exp)).collect();
        self.parts.extend(&ids);
        (self.parts.len() - ids.len()) as u32
    }

    fn inside(&mut self, var: Var, body: &'p Exp) -> Id {
        self.scope.push(var);
        let body = self.exp(body);
        self.scope.pop();
        body
    }

    fn place(&self, var: Var) -> Option<u32> {
        self.scope.iter().rev().position(|bound| *bound == var).map(|at| at as u32)
    }

    fn var(&self, var: Var) -> Node {
        match (self.place(var), self.defs[var.slot()]) {
            (Some(at), _) => Node::Local(at),
            (None, Some(body)) => Node::Def(body),
            (None, None) => panic!("T-VAR: a variable is bound"),
        }
    }

    fn level(&self, level: Level) -> At {
        let place = |var| self.place(var).expect("K-VAR: a level variable is bound");
        At { succs: level.succs, var: level.var.map(place) }
    }
}
