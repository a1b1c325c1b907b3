//! The types of a program that has some.

use super::MAX_TYPE;
use super::instances::Poly;
use super::show::Show;
use super::terms::{Arena, Gamma, Kind, Node, Ty};
use crate::fcl::syntax::{Level, Type};
use crate::kit::names::{Names, Var};

/// A parameter of a program. There are no variables in its type.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// The name.
    pub var: Var,
    /// A base type, or a pull array of one.
    pub ty: Type,
}

/// The types of a program. What is not known is int, and an array of a level that is not known is at grid level.
#[derive(Clone, Debug)]
pub struct Typed {
    pub(super) arena: Arena,
    /// The scheme of each definition, in their order.
    pub(super) schemes: Vec<(Var, Poly)>,
    /// The types of the expressions of `main`, in preorder.
    pub(super) exps: Vec<Ty>,
    /// The parameters of the program.
    pub params: Vec<Param>,
    /// The base type of the elements of its result.
    pub element: Type,
    /// The level of its result.
    pub level: u32,
}

impl Typed {
    /// The type of an expression of `main`, which counts as [`Exp::walk`](super::super::syntax::Exp::walk) goes
    /// over its body. There is none of a function of a level, or of a type of more than [`MAX_TYPE`] parts.
    pub fn exp(&self, number: usize) -> Option<Type> {
        written(&self.arena, *self.exps.get(number)?, &mut { MAX_TYPE })
    }

    /// The type of `main`.
    pub fn main(&self) -> Type {
        let result = Type::Push(Box::new(self.element.clone()), Level::number(self.level));
        let arrow = |to, param: &Param| Type::Fn(Box::new([param.ty.clone(), to]));
        self.params.iter().rev().fold(result, arrow)
    }

    /// How many expressions `main` has.
    pub fn count(&self) -> usize {
        self.exps.len()
    }

    /// `f : forall <l> ('a : BT). τ` for each definition, with those of the prelude.
    pub fn schemes(&self, names: &Names) -> Vec<(Var, String)> {
        self.schemes.iter().map(|(var, poly)| (*var, scheme(&self.arena, names, poly))).collect()
    }
}

/// `forall <l> ('a : BT) 'b. τ`; a variable without a kind is of kind TYP.
pub(super) fn scheme(arena: &Arena, names: &Names, poly: &Poly) -> String {
    let show = Show::of_scheme(arena, names);
    let levels: Vec<String> = poly.levels.iter().map(|var| show.level_name(*var)).collect();
    let mut text =
        if levels.is_empty() { String::new() } else { format!(" <{}>", levels.join(", ")) };
    for var in &poly.types {
        let letter = show.letter(arena.find(*var));
        match arena.node(*var) {
            Node::Var { kind, .. } if kind < Kind::Typ => {
                text.push_str(&format!(" ({letter} : {})", kind.name()));
            }
            _ => text.push_str(&format!(" {letter}")),
        }
    }
    let forall = if text.is_empty() { text } else { format!("forall{text}. ") };
    forall + &show.up_to(poly.ty, MAX_TYPE)
}

/// The type as programs write it, without variables; none of a function of a level, or if it has more parts
/// than are left.
pub(super) fn written(arena: &Arena, ty: Ty, left: &mut usize) -> Option<Type> {
    *left = left.checked_sub(1)?;
    let mut part = |ty| written(arena, ty, left);
    Some(match arena.node(ty) {
        Node::Int | Node::Var { .. } | Node::Same(_) => Type::Int,
        Node::Double => Type::Double,
        Node::Bool => Type::Bool,
        Node::Pair(a, b) => Type::Pair(Box::new([part(a)?, part(b)?])),
        Node::Fn(a, b) => Type::Fn(Box::new([part(a)?, part(b)?])),
        Node::LevelFn(..) => return None,
        Node::Pull(element) => Type::Pull(Box::new(part(element)?)),
        Node::Push(element, level) => {
            Type::Push(Box::new(part(element)?), Level::number(number(arena, level)))
        }
    })
}

/// The number of a level: one that is not known is grid, or as near to it as it may be.
pub(super) fn number(arena: &Arena, level: Gamma) -> u32 {
    let level = arena.level(level);
    match level.var {
        None => level.succs,
        Some(_) => level.succs.max(Level::GRID.succs),
    }
}
