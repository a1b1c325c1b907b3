//! The translations by evidence (section 5, fig. 9, reading M16): from a program with types to the [`target`].
//!
//! A pointer of a closed row of one name is an address alone, any other a pair of a tag and an address. Memory that pointers
//! may point to holds pairs only, since a function that is passed such a pointer need not know the row of what it points to.
//!
//! A function is passed evidence of the predicates of its type, and the row tables of those of its row variables at which it
//! asks for a space. In a component of functions that call each other it may ask for rows of the types of the others: then it
//! is passed these too. A caller outside of the component passes what the empty row has.

mod exps;
mod stmts;

use super::evidence::{self, Evidence, Reading, evidence};
use super::rows::{Row, RowVar, Ty};
use super::rules::Rule;
use super::syntax::{self, Function, Item, Space, Stmt, StmtKind};
use super::target::{At, Exp, Kind, Number, Program, Table};
use super::types::{More, Note, Scheme, Typed};
use crate::kit::derivation::Recorder;
use crate::kit::faults::{Fault, Planted, WrongMinias};
use crate::kit::names::Var;
use crate::kit::text::Span;
use std::collections::{HashMap, HashSet};

/// The translation of a program by one of the readings.
///
/// # Panics
/// If the types are not those of the program.
pub fn translate(
    program: &syntax::Program,
    typed: &Typed,
    reading: Reading,
    to: &mut Recorder<Rule>,
) -> Program {
    with_planted(program, typed, reading, Planted::NONE, to)
}

/// The same, with a fault.
///
/// # Panics
/// If the types are not those of the program.
pub fn with_planted(
    program: &syntax::Program,
    typed: &Typed,
    reading: Reading,
    planted: Planted,
    to: &mut Recorder<Rule>,
) -> Program {
    let schemes: HashMap<Var, &Scheme> =
        typed.schemes.iter().map(|(name, scheme)| (*name, scheme)).collect();
    let passed = typed.schemes.iter().map(|(name, scheme)| (*name, Passed::of(scheme)));
    let mut translation = Translation {
        reading,
        planted,
        schemes,
        types: typed.variables.iter().map(|(var, ty)| (*var, ty)).collect(),
        arrays: HashSet::new(),
        passed: passed.collect(),
        addressed: HashSet::new(),
        grown: false,
        notes: [].iter(),
        function: Var(0),
        to,
    };
    translation
        .arrays
        .extend(program.constants().filter(|constant| constant.extent.is_some()).map(|it| it.var));
    let definitions: HashMap<Var, &Function> = program
        .functions()
        .filter(|function| function.body.is_some())
        .map(|function| (function.name, function))
        .collect();
    // What a function is passed may grow while its callers are translated; callees come first, so mostly it does not.
    let mut bodies = loop {
        translation.grown = false;
        let translated = typed
            .bodies
            .iter()
            .map(|(name, notes)| (*name, translation.body(definitions[name], notes)));
        let translated: HashMap<Var, Vec<Stmt<Exp>>> = translated.collect();
        if !translation.grown {
            break translated;
        }
    };
    let items = program.items.iter().map(|item| match item {
        Item::Constant(decl) => Item::Constant(decl.clone()),
        Item::Function(function) => Item::Function(Function {
            span: function.span,
            name: function.name,
            kernel: function.kernel,
            result: function.result.clone(),
            params: function.params.clone(),
            body: function.body.as_ref().and_then(|_| bodies.remove(&function.name)),
        }),
    });
    let items = items.collect();
    let counts = |passed: &Passed| (passed.numbers.len(), passed.tables.len());
    let passed = translation.passed.iter().map(|(name, passed)| (*name, counts(passed))).collect();
    let (names, options) = (program.names.clone(), program.options.clone());
    Program { program: syntax::Program { names, items, options }, passed }
}

/// What a function is passed: evidence of these predicates, and the tables of these rows.
#[derive(Clone, Debug)]
struct Passed {
    numbers: Vec<(RowVar, Space)>,
    tables: Vec<RowVar>,
}

impl Passed {
    /// What the type of the function asks for. Nothing is passed for `r\constant`.
    fn of(scheme: &Scheme) -> Self {
        let numbers = scheme.lacks.iter().filter(|(_, space, _)| *space != Space::Constant);
        Passed {
            numbers: numbers.map(|(row, space, _)| (*row, *space)).collect(),
            tables: Vec::new(),
        }
    }
}

struct Translation<'t, 'r> {
    reading: Reading,
    planted: Planted,
    schemes: HashMap<Var, &'t Scheme>,
    types: HashMap<Var, &'t Ty>,
    arrays: HashSet<Var>,
    passed: HashMap<Var, Passed>,
    /// The variables whose address is taken: they hold pairs.
    addressed: HashSet<Var>,
    /// Did one of the last two grow?
    grown: bool,
    /// What is inferred of the expressions that are left.
    notes: std::slice::Iter<'t, Note>,
    /// The function that is translated.
    function: Var,
    to: &'r mut Recorder<Rule>,
}

/// Is a pointer of this row an address alone?
fn is_thin(row: Row) -> bool {
    row.end.is_none() && row.names.len() == 1
}

/// The row without a name.
fn without(row: Row, space: Space) -> Row {
    Row { names: row.names.without(space), end: row.end }
}

impl<'t> Translation<'t, '_> {
    /// `C=>I`: the function takes evidence of its predicates. Parameters whose address is taken become pairs.
    fn body(&mut self, function: &Function, notes: &'t [Note]) -> Vec<Stmt<Exp>> {
        self.function = function.name;
        self.notes = notes.iter();
        for _ in 0..self.passed[&function.name].numbers.len() {
            self.fires(Rule::CIntro);
        }
        let body = function.body.as_deref().expect("it is a definition");
        let translated = self.stmts(body);
        assert!(self.notes.next().is_none(), "the notes are those of this body");
        let mut stmts = Vec::new();
        for param in &function.params {
            let var = param.var.expect("a definition names its parameters");
            let ty = self.types[&var];
            if self.addressed.contains(&var) && ty.row().is_some_and(is_thin) {
                let span = param.span;
                let read = Exp { span, kind: Kind::Var(var) };
                let pair = self.flow(read.clone(), ty, ty, true);
                stmts.push(Stmt { span, kind: StmtKind::Assign(read, pair) });
            }
        }
        stmts.extend(translated);
        stmts
    }

    fn fires(&mut self, rule: Rule) {
        self.to.enter(rule, String::new);
        self.to.leave(String::new);
    }

    /// `P ⊨ e : ρ\a`, in terms of what the function is passed.
    fn evidence(&mut self, row: Row, space: Space) -> Number {
        let found = evidence(row, space, self.reading, self.to);
        let mut found = found.expect("typing promised that the row lacks the name");
        if self.is_wrong(WrongMinias::PlacesSwapped) && self.reading == Reading::Places {
            found.plus = row.names.iter().filter(|other| *other > space).count() as u32;
        }
        self.number(found)
    }

    /// Is this the fault that is planted?
    fn is_wrong(&self, wrong: WrongMinias) -> bool {
        self.planted.is(Fault::Minias(wrong))
    }

    fn number(&mut self, evidence: Evidence) -> Number {
        let of = evidence.of.map(|wanted| {
            let known = &mut self.passed.get_mut(&self.function).expect("it is typed").numbers;
            known.iter().position(|it| *it == wanted).unwrap_or_else(|| {
                self.grown = true;
                known.push(wanted);
                known.len() - 1
            })
        });
        Number { of, plus: evidence.plus }
    }

    /// `C-TABLE`: the row table of a row, in terms of what the function is passed.
    fn table(&mut self, row: Row) -> Table {
        self.fires(Rule::CTable);
        let table = evidence::table(row, self.to);
        let mut ids: Vec<(Number, u32)> =
            table.ids.into_iter().map(|(at, id)| (self.number(at), id)).collect();
        if self.is_wrong(WrongMinias::TableUnsorted) {
            ids.iter_mut().for_each(|(at, _)| *at = Number { of: None, plus: 0 });
        }
        let of = table.end.map(|end| {
            let known = &mut self.passed.get_mut(&self.function).expect("it is typed").tables;
            known.iter().position(|it| *it == end).unwrap_or_else(|| {
                self.grown = true;
                known.push(end);
                known.len() - 1
            })
        });
        Table { of, ids }
    }

    /// How a pointer of the row leads to its space.
    fn at(&mut self, row: Row) -> At {
        match (row.names.first(), self.reading) {
            (Some(space), _) if is_thin(row) => At::Space(space),
            (_, Reading::Fixed) => At::Tag,
            (_, Reading::Places) => At::Table(self.table(row)),
        }
    }

    /// `C-OPEN`
    ///
    /// ```text
    /// P|Γ ⊢ e ⇝ e' : {a, …}·τ      P ⊨ vᵢ : {a, … | r} - aᵢ \ aᵢ
    /// ─────────────────────────
    /// P|Γ ⊢ e ⇝ <v₁, e'> : {a | r}·τ       retag([v₁, …], e') : {a, … | r}·τ
    /// ```
    ///
    /// By fixed ids a tag stays what it is. A value of the type `from` flows where `to` is wanted: into a place that holds
    /// pairs, or one that holds what its type says.
    fn flow(&mut self, exp: Exp, from: &Ty, to: &Ty, pairs: bool) -> Exp {
        let (Some(from), Some(to)) = (from.row(), to.row()) else { return exp };
        let span = exp.span;
        let kind = match from.names.first() {
            Some(space) if is_thin(from) => {
                if is_thin(to) && !pairs {
                    return exp;
                }
                self.fires(Rule::COpen);
                Kind::Pair(self.evidence(without(to, space), space), Box::new(exp))
            }
            _ if from == to || self.reading == Reading::Fixed => return exp,
            _ if self.is_wrong(WrongMinias::NoRetag) => return exp,
            _ => {
                self.fires(Rule::COpen);
                let tags = from.names.iter();
                let tags = tags.map(|space| self.evidence(without(to, space), space)).collect();
                Kind::Retag(tags, Box::new(exp))
            }
        };
        Exp { span, kind }
    }

    /// The value that is read where pairs are kept, or comes out of a function whose type knows less of the row.
    fn unpaired(&mut self, span: Span, kind: Kind, ty: &Ty) -> Exp {
        let exp = Exp { span, kind };
        match ty.row() {
            Some(row) if is_thin(row) => Exp { span, kind: Kind::Thin(Box::new(exp)) },
            _ => exp,
        }
    }

    /// What the row variable of another function is here.
    fn here(more: &More, var: RowVar) -> Row {
        match more {
            More::Instance(rows) => {
                let known = rows.iter().find(|(other, _)| *other == var);
                known.map_or(Row::closed(syntax::Spaces::NONE), |(_, row)| *row)
            }
            _ => Row::var(var),
        }
    }
}
