//! Types, as users read them.

use super::terms::{Arena, Gamma, LevelNode, LevelVar, Node, Ty};
use crate::fcl::syntax::Level;
use crate::kit::names::{Names, Var};
use std::cell::{Cell, RefCell};

/// Writes types. A variable that is not known has a letter of its own.
pub(super) struct Show<'a> {
    arena: &'a Arena,
    names: &'a Names,
    /// Are variables of signatures written with the names that they have there?
    rigid: bool,
    types: RefCell<Vec<Ty>>,
    levels: RefCell<Vec<LevelVar>>,
    /// How many parts may still be written.
    left: Cell<usize>,
}

/// As many parts of a type are shown in a message.
const SHOWN: usize = 60;

impl<'a> Show<'a> {
    pub(super) fn new(arena: &'a Arena, names: &'a Names) -> Self {
        Self {
            arena,
            names,
            rigid: true,
            types: RefCell::default(),
            levels: RefCell::default(),
            left: Cell::new(0),
        }
    }

    /// Writes all variables as letters.
    pub(super) fn of_scheme(arena: &'a Arena, names: &'a Names) -> Self {
        Self { rigid: false, ..Self::new(arena, names) }
    }

    pub(super) fn node(&self, ty: Ty) -> Node {
        self.arena.node(ty)
    }

    /// What a variable is called.
    pub(super) fn written(&self, var: Var) -> &str {
        self.names.written(var)
    }

    /// `τ`
    pub(super) fn ty(&self, ty: Ty) -> String {
        self.up_to(ty, SHOWN)
    }

    /// `τ`, or as much of it as has so many parts.
    pub(super) fn up_to(&self, ty: Ty, parts: usize) -> String {
        self.left.set(parts);
        let mut text = String::new();
        self.write(ty, &mut text);
        text
    }

    /// Not deeper than parts are left.
    fn write(&self, ty: Ty, to: &mut String) {
        let Some(left) = self.left.get().checked_sub(1) else { return to.push('…') };
        self.left.set(left);
        match self.arena.node(ty) {
            Node::Int => to.push_str("int"),
            Node::Double => to.push_str("double"),
            Node::Bool => to.push_str("bool"),
            Node::Var { rigid: Some(var), .. } if self.rigid => to.push_str(&self.type_name(var)),
            Node::Var { .. } | Node::Same(_) => to.push_str(&self.letter(self.arena.find(ty))),
            Node::Pair(a, b) => {
                to.push('(');
                self.write(a, to);
                to.push_str(", ");
                self.write(b, to);
                to.push(')');
            }
            Node::Fn(a, b) => {
                let bracket = matches!(self.arena.node(a), Node::Fn(..) | Node::LevelFn(..));
                to.push_str(if bracket { "(" } else { "" });
                self.write(a, to);
                to.push_str(if bracket { ") -> " } else { " -> " });
                self.write(b, to);
            }
            Node::LevelFn(var, inner) => {
                to.push_str(&format!("<{}> -> ", self.level(Gamma::of(var))));
                self.write(inner, to);
            }
            Node::Pull(element) => {
                to.push('[');
                self.write(element, to);
                to.push(']');
            }
            Node::Push(element, level) => {
                to.push('[');
                self.write(element, to);
                to.push_str(&format!("]<{}>", self.level(level)));
            }
        }
    }

    fn type_name(&self, var: Var) -> String {
        let name = self.names.written(var);
        if name.starts_with('\'') { name.to_owned() } else { format!("'{name}") }
    }

    /// A letter for a variable; behind those of signatures where these are written too.
    pub(super) fn letter(&self, ty: Ty) -> String {
        let mut types = self.types.borrow_mut();
        let at = types.iter().position(|known| *known == ty).unwrap_or_else(|| {
            types.push(ty);
            types.len() - 1
        });
        let first = if self.rigid { b't' } else { b'a' };
        let (letter, round) = letter(at, first);
        format!("'{letter}{round}")
    }

    /// `γ`
    pub(super) fn level(&self, level: Gamma) -> String {
        let level = self.arena.level(level);
        match level.var {
            None => Level::written(level.succs),
            Some(var) => "1+".repeat(level.succs as usize) + &self.level_name(var),
        }
    }

    pub(super) fn level_name(&self, var: LevelVar) -> String {
        if let LevelNode::Rigid { name: Some(name), .. } = self.arena.level_node(var)
            && self.rigid
        {
            return self.names.written(name).to_owned();
        }
        let mut levels = self.levels.borrow_mut();
        let at = levels.iter().position(|known| *known == var).unwrap_or_else(|| {
            levels.push(var);
            levels.len() - 1
        });
        let (letter, round) = letter(at, if self.rigid { b'u' } else { b'l' });
        format!("{letter}{round}")
    }
}

/// The letter of the variable with this number, and what tells it from others of this letter.
fn letter(at: usize, first: u8) -> (char, String) {
    let letters = usize::from(b'z' - first) + 1;
    let round = at / letters;
    let letter = char::from(first + (at % letters) as u8);
    (letter, if round == 0 { String::new() } else { round.to_string() })
}
