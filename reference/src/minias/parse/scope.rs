//! What names stand for while a program is read.

use super::Parsed;
use crate::kit::names::{Names, Var};
use crate::kit::text::{Rejected, Span};
use crate::minias::lex::KEYWORDS;
use crate::minias::rules::Rule;
use crate::minias::syntax::Builtin;
use rustc_hash::FxHashMap;

/// Names in scope.
pub(super) struct Scope<'s> {
    pub(super) names: Names,
    /// The functions and constants of the program.
    outermost: FxHashMap<&'s str, Outermost>,
    /// The variables of each name, the innermost last, with the block of each.
    inner: FxHashMap<&'s str, Vec<Bound>>,
    /// What the open blocks bind.
    blocks: Vec<Vec<&'s str>>,
    /// The row variables of the function that is read.
    rows: FxHashMap<&'s str, Var>,
}

#[derive(Clone, Copy)]
struct Bound {
    var: Var,
    block: usize,
    span: Span,
}

/// A function or a constant.
struct Outermost {
    var: Var,
    prototype: Option<Span>,
    /// The constant, or the function with its body.
    definition: Option<Span>,
}

/// How a name is bound outermost.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum As {
    Prototype,
    Definition,
}

impl<'s> Scope<'s> {
    pub(super) fn new() -> Self {
        let builtins = Builtin::ALL.into_iter().map(Builtin::name);
        Self {
            names: Names::avoiding(KEYWORDS.into_iter().chain(builtins)),
            outermost: FxHashMap::default(),
            inner: FxHashMap::default(),
            blocks: Vec::new(),
            rows: FxHashMap::default(),
        }
    }

    /// A function or a constant of this name comes somewhere in the program.
    pub(super) fn announce(&mut self, name: &'s str) {
        let names = &mut self.names;
        self.outermost.entry(name).or_insert_with(|| Outermost {
            var: names.fresh(name.to_owned()),
            prototype: None,
            definition: None,
        });
    }

    /// The function or constant of this name begins at `span`.
    pub(super) fn define(&mut self, name: &'s str, span: Span, how: As) -> Parsed<Var> {
        reserved(name, span)?;
        self.rows.clear();
        self.announce(name);
        let known = self.outermost.get_mut(name).expect("it was announced");
        let slot = match how {
            As::Prototype => &mut known.prototype,
            As::Definition => &mut known.definition,
        };
        if let Some(before) = slot.replace(span) {
            let message = format!("`{name}` is declared twice");
            let refused = Rejected::new(span, message, "the second time")
                .with(before, "the first time")
                .help("a name has at most one prototype and one definition");
            return Err(Rule::TProgram.refuses("once", refused));
        }
        Ok(known.var)
    }

    /// Opens a block.
    pub(super) fn open(&mut self) {
        self.blocks.push(Vec::new());
    }

    /// Closes the innermost block.
    pub(super) fn close(&mut self) {
        for name in self.blocks.pop().expect("a block is open") {
            self.inner.get_mut(name).expect("it is bound").pop();
        }
    }

    /// Binds a variable in the innermost block; `rule` refuses one that is bound there already.
    pub(super) fn bind(&mut self, name: &'s str, span: Span, rule: Rule) -> Parsed<Var> {
        reserved(name, span)?;
        let block = self.blocks.len();
        let bound = self.inner.entry(name).or_default();
        if let Some(before) = bound.last().filter(|before| before.block == block) {
            let message = format!("`{name}` is declared twice in one block");
            let refused =
                Rejected::new(span, message, "the second time").with(before.span, "the first time");
            return Err(rule.refuses("once", refused));
        }
        let var = self.names.fresh(name.to_owned());
        bound.push(Bound { var, block, span });
        self.blocks.last_mut().expect("a block is open").push(name);
        Ok(var)
    }

    /// What the name stands for.
    pub(super) fn find(&self, name: &str) -> Option<Var> {
        let inner = self.inner.get(name).and_then(|bound| bound.last());
        let outermost = || self.outermost.get(name).map(|known| known.var);
        inner.map(|bound| bound.var).or_else(outermost)
    }

    /// The row variable of this name, shared within a function.
    pub(super) fn row(&mut self, name: &'s str) -> Var {
        let names = &mut self.names;
        *self.rows.entry(name).or_insert_with(|| names.fresh(name.to_owned()))
    }

    /// The name is in no scope.
    pub(super) fn unknown(&self, name: &str, span: Span, rule: Rule) -> Rejected {
        let premise = if rule == Rule::TApp { "function" } else { "scope" };
        let message = format!("`{name}` is not in scope");
        let refused = Rejected::new(span, message, "not declared here");
        let known = self.inner.iter().filter(|(_, bound)| !bound.is_empty()).map(|(name, _)| *name);
        let near = known
            .chain(self.outermost.keys().copied())
            .map(|known| (strsim::osa_distance(known, name), known))
            .filter(|(distance, known)| *distance <= known.len() / 3)
            .min();
        let refused = match near {
            Some((_, known)) => refused.help(format!("there is `{known}`")),
            None => refused,
        };
        rule.refuses(premise, refused)
    }
}

/// The names of builtins are not bound.
fn reserved(name: &str, span: Span) -> Parsed<()> {
    match Builtin::ALL.iter().find(|builtin| builtin.name() == name) {
        None => Ok(()),
        Some(_) => {
            let message = format!("`{name}` is built in");
            Err(Rejected::new(span, message, "declared here").help("call it otherwise"))
        }
    }
}
