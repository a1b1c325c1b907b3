//! What names stand for, and the variables of a program.

use super::Parsed;
use super::prelude::Prelude;
use crate::fcl::syntax::{Def, Kind, Op, Program};
use crate::kit::names::{Names, Var};
use crate::kit::text::{Rejected, Span};
use rustc_hash::FxHashMap;

/// Names in scope. While a program is read, a variable is a place in `texts`; [`Scope::program`] numbers
/// them anew, those first whose text must be kept.
pub(in crate::fcl) struct Scope<'s> {
    texts: Vec<Text<'s>>,
    /// The variables of each name, the innermost last.
    values: FxHashMap<&'s str, Vec<Var>>,
    levels: FxHashMap<&'s str, Vec<Var>>,
    /// The definitions so far.
    defs: FxHashMap<&'s str, Var>,
    order: Vec<Var>,
    /// The names of all definitions, for messages.
    pub(super) later: Vec<&'s str>,
    prelude: Option<&'static Prelude>,
    /// Of the prelude: the variable of each definition that is used, by its number there.
    used: FxHashMap<usize, Var>,
}

/// What a variable is called.
#[derive(Clone, Copy)]
struct Text<'s> {
    text: &'s str,
    /// Is it a type variable? Those are told from values by a `'`.
    quoted: bool,
    /// Does the source write it? If not, what it is called must not keep others from their names.
    written: bool,
}

impl Text<'_> {
    fn owned(self) -> String {
        if self.quoted { format!("'{}", self.text) } else { self.text.to_owned() }
    }
}

/// Which namespace a name is of.
#[derive(Clone, Copy)]
pub(super) enum Space {
    Value,
    Level,
}

impl<'s> Scope<'s> {
    pub(super) fn new(prelude: Option<&'static Prelude>) -> Self {
        Self {
            texts: Vec::new(),
            values: FxHashMap::default(),
            levels: FxHashMap::default(),
            defs: FxHashMap::default(),
            order: Vec::new(),
            later: Vec::new(),
            prelude,
            used: FxHashMap::default(),
        }
    }

    /// A variable that is called so.
    pub(super) fn fresh(&mut self, text: &'s str) -> Var {
        self.add(Text { text, quoted: false, written: true })
    }

    /// A variable that no name in the source stands for, to be called so.
    pub(super) fn unnamed(&mut self, text: &'static str) -> Var {
        self.add(Text { text, quoted: false, written: false })
    }

    /// A type variable that is called so.
    pub(super) fn fresh_type(&mut self, text: &'s str) -> Var {
        self.add(Text { text, quoted: true, written: true })
    }

    fn add(&mut self, text: Text<'s>) -> Var {
        self.texts.push(text);
        Var(self.texts.len() as u32 - 1)
    }

    /// What a variable is called in the source.
    pub(super) fn text(&self, var: Var) -> &'s str {
        self.texts[var.slot()].text
    }

    fn space(&mut self, space: Space) -> &mut FxHashMap<&'s str, Vec<Var>> {
        match space {
            Space::Value => &mut self.values,
            Space::Level => &mut self.levels,
        }
    }

    /// Brings a name into scope.
    pub(super) fn bind(&mut self, space: Space, text: &'s str) -> Var {
        let var = self.fresh(text);
        self.space(space).entry(text).or_default().push(var);
        var
    }

    /// Takes a name out of scope.
    pub(super) fn leave(&mut self, space: Space, text: &str) {
        self.space(space).get_mut(text).and_then(Vec::pop);
    }

    /// The innermost level variable of this name.
    pub(super) fn level(&self, text: &str) -> Option<Var> {
        self.levels.get(text).and_then(|vars| vars.last()).copied()
    }

    /// A name is about to be defined.
    pub(super) fn defines(&self, text: &str, span: Span) -> Parsed<()> {
        if self.defs.contains_key(text) {
            return Err(Rejected::new(span, format!("`{text}` is defined twice"), "again")
                .help("names of definitions differ; a `let` may shadow one"));
        }
        Ok(())
    }

    /// A name is defined.
    pub(super) fn define(&mut self, text: &'s str) -> Var {
        let var = self.fresh(text);
        self.defs.insert(text, var);
        self.order.push(var);
        var
    }

    /// What a name stands for in an expression: `T-VAR` and its premise.
    pub(super) fn value(&mut self, text: &'s str, span: Span) -> Parsed<Kind> {
        if let Some(var) = self.values.get(text).and_then(|vars| vars.last()) {
            return Ok(Kind::Var(*var));
        }
        if let Some(var) = self.defs.get(text) {
            return Ok(Kind::Var(*var));
        }
        if let Some(op) = operator(text) {
            return Ok(Kind::Op(op));
        }
        let number = self.prelude.and_then(|prelude| prelude.number(text));
        match number {
            Some(number) => {
                if let Some(var) = self.used.get(&number) {
                    return Ok(Kind::Var(*var));
                }
                let var = self.fresh(text);
                self.used.insert(number, var);
                Ok(Kind::Var(var))
            }
            None => Err(self.unbound(text, span)),
        }
    }

    fn unbound(&self, text: &str, span: Span) -> Rejected {
        let message = format!("`{text}` is not in scope");
        let refused = Rejected::new(span, message, "not bound").by_rule("T-VAR", "scope");
        if self.later.contains(&text) {
            return refused.help(
                "a definition sees those before it, and not itself; what is repeated is a `while`",
            );
        }
        const PAPERS: [(&str, &str); 10] = [
            ("generatePull", "generate"),
            ("pushM", "push"),
            ("forceM", "force"),
            ("return", "push"),
            ("bind", "let"),
            ("power", "while"),
            ("negatei", "negi"),
            ("negated", "negd"),
            ("#push", "push"),
            ("#generate", "generate"),
        ];
        if let Some((_, ours)) = PAPERS.iter().find(|(theirs, _)| *theirs == text) {
            return refused.help(format!("another version of FCL has it; here it is `{ours}`"));
        }
        match self.near(text) {
            Some(near) => refused.help(format!("there is `{near}`")),
            None => refused,
        }
    }

    /// The name in scope that is most like `text`, if one is.
    fn near(&self, text: &str) -> Option<String> {
        let local = self.values.iter().filter(|(_, vars)| !vars.is_empty()).map(|(name, _)| *name);
        let ops = Op::ALL.iter().map(|op| op.name()).chain(["map", "length"]);
        let prelude = self.prelude.into_iter().flat_map(Prelude::names);
        let names = local.chain(self.defs.keys().copied()).chain(ops).chain(prelude);
        let likeness = |name: &str| strsim::jaro_winkler(name, text);
        let nearest = names.map(|name| (likeness(name), name)).filter(|(like, _)| *like > 0.8);
        let order = |a: &(f64, &str), b: &(f64, &str)| a.0.total_cmp(&b.0).then(b.1.cmp(a.1));
        nearest.max_by(order).map(|(_, name)| name.to_owned())
    }

    /// The program of these definitions.
    ///
    /// Definitions keep their names: those of the prelude are printed where they are used, and `main` is found
    /// by its name. Names of operators are taken.
    pub(in crate::fcl) fn program(self, defs: Vec<Def>) -> Program {
        let mut names = Names::avoiding(Op::ALL.iter().map(|op| op.name()));
        let mut slots = vec![None; self.texts.len()];
        let used = match self.prelude {
            Some(prelude) => prelude.used(self.used.keys().copied(), &mut names),
            None => Vec::new(),
        };
        for (number, var) in &used {
            if let Some(here) = self.used.get(number) {
                slots[here.slot()] = Some(*var);
            }
        }
        for var in &self.order {
            slots[var.slot()] = Some(names.fresh(self.texts[var.slot()].owned()));
        }
        for written in [true, false] {
            let texts = slots.iter_mut().zip(&self.texts);
            for (slot, text) in texts.filter(|(_, text)| text.written == written) {
                slot.get_or_insert_with(|| names.fresh(text.owned()));
            }
        }
        let mut all = match self.prelude {
            Some(prelude) => prelude.copies(&used, &mut names),
            None => Vec::new(),
        };
        all.extend(defs.into_iter().map(|mut def| {
            def.vars_mut(&mut |var| *var = slots[var.slot()].unwrap_or(*var));
            def
        }));
        Program { names, defs: all }
    }
}

/// The operator of this name, or that is another one's too.
fn operator(text: &str) -> Option<Op> {
    match text {
        "map" => Some(Op::MapPull),
        "length" => Some(Op::LengthPull),
        _ => Op::named(text),
    }
}
