//! From the core to text that parses to the same core, up to the numbering of names and to spans.
//! What has a shorter form is written in it: infix operators, `.`, `&&`, `||`, patterns of pairs.

use super::syntax::{Def, Exp, Kind, Let, Level, Op, Program, Scheme, Type};
use crate::kit::names::{Names, Var};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The text of `program`, without the definitions of the prelude.
pub fn program(program: &Program) -> String {
    let defs = program.defs.iter().filter(|def| !def.prelude);
    let texts = defs.map(|def| {
        let mut to = Printer::new(&program.names, &def.body, false);
        to.def(def);
        to.text + "\n"
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// The expression on one line.
pub fn exp(names: &Names, exp: &Exp) -> String {
    let mut to = Printer::new(names, exp, true);
    to.exp(exp, EXP);
    to.text
}

/// `σ`
pub fn scheme(names: &Names, scheme: &Scheme) -> String {
    let mut to = Printer::of_types(names);
    to.scheme(scheme);
    to.text
}

/// `τ`
pub fn ty(names: &Names, ty: &Type) -> String {
    let mut to = Printer::of_types(names);
    to.ty(ty);
    to.text
}

/// `γ`
pub fn level(names: &Names, level: Level) -> String {
    let mut to = Printer::of_types(names);
    to.level(level);
    to.text
}

/// How tightly what stands at a place has to bind, to stand there without brackets.
type Strength = u8;

/// `fn`, `let`, `if` and negative numbers too.
const EXP: Strength = 0;
const OR: Strength = 2;
const AND: Strength = 3;
const COMPARISON: Strength = 4;
const COMPOSITION: Strength = 8;
const APP: Strength = 9;
const TERM: Strength = 10;

/// How an operator is written between its operands.
fn infix(op: Op) -> Option<(&'static str, Strength)> {
    Some(match op {
        Op::Eq => ("==", COMPARISON),
        Op::Neq => ("!=", COMPARISON),
        Op::Lt => ("<", COMPARISON),
        Op::Le => ("<=", COMPARISON),
        Op::Gt => (">", COMPARISON),
        Op::Ge => (">=", COMPARISON),
        Op::Sll => ("<<", 5),
        Op::Srl => (">>", 5),
        Op::And => ("&", 5),
        Op::Add => ("+", 6),
        Op::Sub => ("-", 6),
        Op::Mul => ("*", 7),
        Op::Div => ("/", 7),
        Op::Mod => ("%", 7),
        _ => return None,
    })
}

/// The operator and its operands, where it is written between them.
fn operation(exp: &Exp) -> Option<(&'static str, Strength, &Exp, &Exp)> {
    let Kind::App(outer) = &exp.kind else { return None };
    let Kind::App(inner) = &outer[0].kind else { return None };
    let Kind::Op(op) = inner[0].kind else { return None };
    infix(op).map(|(symbol, strength)| (symbol, strength, &inner[1], &outer[1]))
}

struct Printer<'a> {
    names: &'a Names,
    /// How often each variable is used.
    uses: FxHashMap<Var, u32>,
    text: String,
    /// On one line.
    flat: bool,
    /// The column of the binding or body that is written.
    indent: usize,
}

/// What a parameter is written as.
enum Pattern {
    Name(Var),
    Pair(Box<[Pattern; 2]>),
}

impl<'a> Printer<'a> {
    fn of_types(names: &'a Names) -> Self {
        Self { names, uses: FxHashMap::default(), text: String::new(), flat: true, indent: 0 }
    }

    fn new(names: &'a Names, exp: &Exp, flat: bool) -> Self {
        let mut to = Self { flat, ..Self::of_types(names) };
        to.count(exp);
        to
    }

    fn count(&mut self, exp: &Exp) {
        let mut exp = exp;
        while let Kind::Let(parts) = &exp.kind {
            self.count(&parts.bound);
            exp = &parts.body;
        }
        match &exp.kind {
            Kind::Var(var) => *self.uses.entry(*var).or_default() += 1,
            Kind::Fn(_, body) | Kind::LevelFn(_, body) => self.count(body),
            Kind::Array(parts) => parts.iter().for_each(|part| self.count(part)),
            Kind::Pair(parts) | Kind::App(parts) => {
                parts.iter().for_each(|part| self.count(part));
            }
            Kind::If(parts) => parts.iter().for_each(|part| self.count(part)),
            Kind::LevelApp(head, _) => self.count(head),
            Kind::Int(_) | Kind::Double(_) | Kind::Bool(_) | Kind::Op(_) | Kind::Let(_) => {}
        }
    }

    fn word(&mut self, word: &str) {
        self.text.push_str(word);
    }

    fn name(&mut self, var: Var) {
        self.text.push_str(self.names.text(var));
    }

    /// The next line, up to a column.
    fn line(&mut self, column: usize) {
        if self.flat {
            return self.word(" ");
        }
        self.word("\n");
        self.text.extend(std::iter::repeat_n(' ', column));
    }

    /// Where a `let` begins: on a line of its own, behind what it is a part of.
    fn begins_let(&mut self) -> usize {
        const FURTHEST: usize = 60;
        let line = self.text.rfind('\n').map_or(0, |at| at + 1);
        if self.flat || self.text[line..].bytes().all(|byte| byte == b' ') {
            return self.text.len() - line;
        }
        let column = (self.indent + 2).min(FURTHEST);
        self.text.truncate(self.text.trim_end_matches(' ').len());
        self.line(column);
        column
    }

    fn def(&mut self, def: &Def) {
        if let Some(sig) = &def.sig {
            self.word("sig ");
            self.name(def.name);
            self.word(" : ");
            self.scheme(sig);
            self.line(0);
        }
        let (levels, inner) = level_params(&def.body);
        let added = def.sig.as_ref().map_or(0, |sig| begins_with(&sig.ty));
        // The parser gives a function the levels that its `sig` begins with.
        let function = matches!(inner.kind, Kind::Fn(..)) && added <= levels.len();
        self.word(if function { "fun " } else { "val " });
        self.name(def.name);
        self.levels(&levels);
        let body = if function { self.params(inner) } else { inner };
        self.word(" =");
        self.line(2);
        self.indent = 2;
        self.exp(body, EXP);
    }

    /// ` <α, …>`
    fn levels(&mut self, levels: &[Var]) {
        for (nth, var) in levels.iter().enumerate() {
            self.word(if nth == 0 { " <" } else { ", " });
            self.name(*var);
        }
        if !levels.is_empty() {
            self.word(">");
        }
    }

    /// ` pat …` of a function; answers with what is left of its body.
    fn params<'e>(&mut self, exp: &'e Exp) -> &'e Exp {
        let (mut params, mut body) = (Vec::new(), exp);
        while let Kind::Fn(var, inner) = &body.kind {
            params.push(*var);
            body = inner;
        }
        for var in params {
            let pattern = self.pattern(var, &mut body);
            self.word(" ");
            self.write_pattern(&pattern);
        }
        body
    }

    /// What the variable of a parameter is written as: a pair if all that the body does with it is to take it
    /// apart at once.
    fn pattern(&self, var: Var, body: &mut &Exp) -> Pattern {
        let Some((first, rest)) = self.part(var, Op::Fst, body) else {
            return Pattern::Name(var);
        };
        let Some((second, rest)) = self.part(var, Op::Snd, rest) else { return Pattern::Name(var) };
        if self.uses.get(&var) != Some(&2) {
            return Pattern::Name(var);
        }
        *body = rest;
        let parts = [first, second].map(|part| self.pattern(part, body));
        Pattern::Pair(Box::new(parts))
    }

    /// `let x = fst p in e`
    fn part<'e>(&self, pair: Var, op: Op, exp: &'e Exp) -> Option<(Var, &'e Exp)> {
        let Kind::Let(parts) = &exp.kind else { return None };
        let Kind::App(app) = &parts.bound.kind else { return None };
        let of = app[0].kind == Kind::Op(op) && app[1].kind == Kind::Var(pair);
        (of && parts.sig.is_none()).then_some((parts.var, &parts.body))
    }

    fn write_pattern(&mut self, pattern: &Pattern) {
        match pattern {
            Pattern::Name(var) => self.name(*var),
            Pattern::Pair(parts) => {
                self.word("(");
                self.write_pattern(&parts[0]);
                self.word(", ");
                self.write_pattern(&parts[1]);
                self.word(")");
            }
        }
    }

    /// The expression, in brackets if it binds less tightly than `least`.
    fn exp(&mut self, exp: &Exp, least: Strength) {
        let own = self.strength(exp);
        if own < least {
            self.word("(");
            self.bare(exp, own);
            self.word(")");
        } else {
            self.bare(exp, own);
        }
    }

    fn strength(&self, exp: &Exp) -> Strength {
        match &exp.kind {
            Kind::Int(k) if *k < 0 => EXP,
            Kind::Double(d) if d.get().is_sign_negative() => EXP,
            Kind::Fn(..) if self.composed(exp).is_some() => COMPOSITION,
            Kind::If(parts) => match connective(parts) {
                Some((_, strength, ..)) => strength,
                None => EXP,
            },
            Kind::Fn(..) | Kind::LevelFn(..) | Kind::Let(_) => EXP,
            Kind::App(_) => operation(exp).map_or(APP, |(_, strength, ..)| strength),
            Kind::LevelApp(..) => APP,
            _ => TERM,
        }
    }

    /// The parts of `fn x => f (g x)`, which is `f . g`.
    fn composed<'e>(&self, exp: &'e Exp) -> Option<(&'e Exp, &'e Exp)> {
        let Kind::Fn(x, body) = &exp.kind else { return None };
        let Kind::App(outer) = &body.kind else { return None };
        let Kind::App(inner) = &outer[1].kind else { return None };
        let once = self.uses.get(x) == Some(&1) && inner[1].kind == Kind::Var(*x);
        let plain = operation(body).is_none() && operation(&outer[1]).is_none();
        (once && plain).then_some((&outer[0], &inner[0]))
    }

    fn bare(&mut self, exp: &Exp, own: Strength) {
        match &exp.kind {
            Kind::Int(k) => write!(self.text, "{k}").expect("a string takes all text"),
            Kind::Double(d) => self.double(d.get()),
            Kind::Bool(b) => self.word(if *b { "true" } else { "false" }),
            Kind::Var(var) => self.name(*var),
            Kind::Op(op) => self.word(op.name()),
            Kind::Array(parts) => {
                self.word("[");
                self.list(parts);
                self.word("]");
            }
            Kind::Pair(parts) => {
                self.word("(");
                self.list(parts.as_slice());
                self.word(")");
            }
            Kind::Fn(..) => match self.composed(exp) {
                Some((f, g)) => {
                    self.exp(f, APP);
                    self.word(" . ");
                    self.exp(g, COMPOSITION);
                }
                None => {
                    self.word("fn");
                    let body = self.params(exp);
                    self.word(" => ");
                    self.exp(body, EXP);
                }
            },
            Kind::LevelFn(..) => {
                let (levels, body) = level_params(exp);
                self.word("fn");
                self.levels(&levels);
                self.word(" => ");
                self.exp(body, EXP);
            }
            Kind::App(parts) => match operation(exp) {
                Some((symbol, _, left, right)) => self.between(symbol, own, left, right),
                None => {
                    self.exp(&parts[0], APP);
                    self.word(" ");
                    self.exp(&parts[1], TERM);
                }
            },
            Kind::LevelApp(head, level) => {
                self.exp(head, APP);
                self.word(" <");
                self.level(*level);
                self.word(">");
            }
            Kind::Let(parts) => self.lets(parts),
            Kind::If(parts) => match connective(parts) {
                Some((symbol, _, left, right)) => self.between(symbol, own, left, right),
                None => {
                    for (word, part) in ["if ", " then ", " else "].iter().zip(parts.iter()) {
                        self.word(word);
                        self.exp(part, EXP);
                    }
                }
            },
        }
    }

    /// `e ⊕ e`, which groups to the left unless it compares.
    fn between(&mut self, symbol: &str, own: Strength, left: &Exp, right: &Exp) {
        self.exp(left, if own == COMPARISON { own + 1 } else { own });
        self.word(" ");
        self.word(symbol);
        self.word(" ");
        self.exp(right, own + 1);
    }

    /// `let x = e … in e`, all that follow one another as one.
    fn lets(&mut self, parts: &Let) {
        let (column, mut parts) = (self.begins_let(), parts);
        let around = std::mem::replace(&mut self.indent, column + 4);
        self.word("let ");
        self.bind(parts);
        while let Kind::Let(next) = &parts.body.kind {
            let (levels, _) = level_params(&next.bound);
            // A name begins the next binding only if `=` follows.
            if next.sig.is_some() || !levels.is_empty() {
                self.word(";");
            }
            self.line(column + 4);
            self.bind(next);
            parts = next;
        }
        self.line(column);
        self.indent = column;
        self.word("in ");
        self.exp(&parts.body, EXP);
        self.indent = around;
    }

    fn bind(&mut self, parts: &Let) {
        self.name(parts.var);
        let mut bound = &parts.bound;
        match &parts.sig {
            Some(sig) => {
                self.word(" : ");
                self.scheme(sig);
            }
            None => {
                let (levels, inner) = level_params(bound);
                self.levels(&levels);
                bound = inner;
            }
        }
        self.word(" = ");
        self.exp(bound, EXP);
    }

    /// Expressions with commas between them. `a < b, c > d` would be `a` at two levels, then `d`.
    fn list(&mut self, parts: &[Exp]) {
        for (nth, part) in parts.iter().enumerate() {
            if nth > 0 {
                self.word(", ");
            }
            let start = self.text.len();
            self.exp(part, EXP);
            let level = |c: char| c.is_ascii_alphanumeric() || "_#'+ ".contains(c);
            let compares = self.text[start..].rsplit_once(" < ");
            let last = nth + 1 == parts.len();
            if !last && compares.is_some_and(|(_, right)| right.chars().all(level)) {
                self.text.insert(start, '(');
                self.word(")");
            }
        }
    }

    /// The lexer wants a digit on both sides of the point.
    fn double(&mut self, d: f64) {
        let text = format!("{d:?}");
        match text.split_once('e') {
            Some((mantissa, exponent)) if !mantissa.contains('.') => {
                self.word(&format!("{mantissa}.0e{exponent}"));
            }
            _ => self.word(&text),
        }
    }

    fn scheme(&mut self, scheme: &Scheme) {
        let (mut levels, mut free, mut bound) = (Vec::new(), Vec::new(), Vec::new());
        free_variables(&scheme.ty, &mut bound, &mut free, &mut levels);
        // Without `forall` the variables are those of the type, in order.
        if free.iter().filter(|var| scheme.vars.contains(var)).ne(&scheme.vars) {
            self.word("forall");
            let is_level = |var: &&Var| levels.contains(*var);
            self.levels(&scheme.vars.iter().filter(is_level).copied().collect::<Vec<_>>());
            for var in scheme.vars.iter().filter(|var| !is_level(var)) {
                self.word(" ");
                self.type_var(*var);
            }
            self.word(". ");
        }
        self.ty(&scheme.ty);
    }

    fn type_var(&mut self, var: Var) {
        if !self.names.text(var).starts_with('\'') {
            self.word("'");
        }
        self.name(var);
    }

    fn ty(&mut self, ty: &Type) {
        match ty {
            Type::Fn(parts) => {
                let bracket = matches!(parts[0], Type::Fn(_) | Type::LevelFn(..));
                self.word(if bracket { "(" } else { "" });
                self.ty(&parts[0]);
                self.word(if bracket { ") -> " } else { " -> " });
                self.ty(&parts[1]);
            }
            Type::LevelFn(var, inner) => {
                self.word("<");
                self.name(*var);
                self.word("> -> ");
                self.ty(inner);
            }
            Type::Int => self.word("int"),
            Type::Double => self.word("double"),
            Type::Bool => self.word("bool"),
            Type::Var(var) => self.type_var(*var),
            Type::Pair(parts) => {
                self.word("(");
                self.ty(&parts[0]);
                self.word(", ");
                self.ty(&parts[1]);
                self.word(")");
            }
            Type::Pull(element) | Type::Push(element, _) => {
                self.word("[");
                self.ty(element);
                self.word("]");
                if let Type::Push(_, level) = ty {
                    self.word("<");
                    self.level(*level);
                    self.word(">");
                }
            }
        }
    }

    fn level(&mut self, level: Level) {
        match level.var {
            None => self.word(&Level::written(level.succs)),
            Some(var) => {
                (0..level.succs).for_each(|_| self.word("1+"));
                self.name(var);
            }
        }
    }
}

/// The operands of `&&` or `||`, which `if` stands for.
fn connective(parts: &[Exp; 3]) -> Option<(&'static str, Strength, &Exp, &Exp)> {
    let [cond, then, orelse] = parts;
    match (&then.kind, &orelse.kind) {
        (Kind::Bool(_), Kind::Bool(_)) => None,
        (Kind::Bool(true), _) => Some(("||", OR, cond, orelse)),
        (_, Kind::Bool(false)) => Some(("&&", AND, cond, then)),
        _ => None,
    }
}

/// The levels that an expression is a function of, and its body.
fn level_params(exp: &Exp) -> (Vec<Var>, &Exp) {
    let (mut levels, mut body) = (Vec::new(), exp);
    while let Kind::LevelFn(var, inner) = &body.kind {
        levels.push(*var);
        body = inner;
    }
    (levels, body)
}

/// How many levels a type begins with.
fn begins_with(ty: &Type) -> usize {
    match ty {
        Type::LevelFn(_, inner) => 1 + begins_with(inner),
        _ => 0,
    }
}

/// The variables that no `<α> ->` in a type binds, in order; `levels` has those that are levels.
fn free_variables(ty: &Type, bound: &mut Vec<Var>, free: &mut Vec<Var>, levels: &mut Vec<Var>) {
    match ty {
        Type::Int | Type::Double | Type::Bool => {}
        Type::Var(var) if free.contains(var) => {}
        Type::Var(var) => free.push(*var),
        Type::Pair(parts) | Type::Fn(parts) => {
            parts.iter().for_each(|part| free_variables(part, bound, free, levels));
        }
        Type::LevelFn(var, inner) => {
            bound.push(*var);
            free_variables(inner, bound, free, levels);
            bound.pop();
        }
        Type::Pull(element) => free_variables(element, bound, free, levels),
        Type::Push(element, level) => {
            free_variables(element, bound, free, levels);
            if let Some(var) = level.var
                && !bound.contains(&var)
                && !free.contains(&var)
            {
                free.push(var);
                levels.push(var);
            }
        }
    }
}
