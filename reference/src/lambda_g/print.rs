//! The printer, the inverse of the parser. Where a placeholder stands for what is left out, nothing is printed.

use super::hole;
use super::syntax::{
    Binder, Boxed, Effect, Exp, Item, Kind, Lambda, Over, Program, Region, Type, World,
};
use super::visit;
use crate::kit::names::{Names, Var};
use std::fmt::Write;

/// The program as the parser reads it back.
pub fn program(program: &Program) -> String {
    let mut printer = Printer { names: &program.names, text: String::new(), indent: Some(0) };
    for param in &program.params {
        printer.word("param ");
        printer.var(param.var);
        printer.word(" : ");
        printer.ty(&param.ty);
        printer.word(";\n");
    }
    printer.exp(&program.body, Level::Exp);
    printer.text.push('\n');
    printer.text
}

/// An expression in one line.
pub fn exp(names: &Names, exp: &Exp) -> String {
    let mut printer = Printer { names, text: String::new(), indent: None };
    printer.exp(exp, Level::Exp);
    printer.text
}

/// A type.
pub fn ty(names: &Names, ty: &Type) -> String {
    let mut printer = Printer { names, text: String::new(), indent: None };
    printer.ty(ty);
    printer.text
}

/// How tightly an expression holds together, from the loosest.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Level {
    Exp,
    Comparison,
    Arithmetic,
    Index,
    App,
    Atom,
}

struct Printer<'p> {
    names: &'p Names,
    text: String,
    /// How far lines begin to the right; all in one line without.
    indent: Option<usize>,
}

impl Printer<'_> {
    fn word(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn var(&mut self, var: Var) {
        let names = self.names;
        self.word(names.text(var));
    }

    fn number(&mut self, number: impl std::fmt::Display) {
        write!(self.text, "{number}").expect("a text takes any text");
    }

    /// A new line, or a blank.
    fn line(&mut self) {
        match self.indent {
            Some(indent) => {
                self.text.push('\n');
                self.text.extend(std::iter::repeat_n(' ', indent));
            }
            None => self.text.push(' '),
        }
    }

    /// What is printed further to the right.
    fn indented(&mut self, print: impl FnOnce(&mut Self)) {
        self.indent = self.indent.map(|indent| indent + 2);
        self.line();
        print(self);
        self.indent = self.indent.map(|indent| indent - 2);
    }

    fn world(&mut self, world: Option<World>) {
        if let Some(world) = world {
            write!(self.text, "@{world}").expect("a text takes any text");
        }
    }

    fn region(&mut self, region: Region) {
        self.var(region.var);
        self.world(region.world);
    }

    fn binder(&mut self, binder: Binder) {
        self.var(binder.var);
        self.world(binder.world);
    }

    fn at(&mut self, region: Region) {
        if !hole::no_region(region) {
            self.word(" at ");
            self.region(region);
        }
    }

    /// What stands last before an `at`: in brackets if it would take the `at` for its own.
    fn last(&mut self, exp: &Exp, least: Level, at: Region) {
        if hole::no_region(at) || !takes_at(exp) {
            return self.exp(exp, least);
        }
        self.word("(");
        self.bare(exp);
        self.word(")");
    }

    fn effect(&mut self, effect: &Effect) {
        self.word("{");
        for (number, item) in effect.items.iter().enumerate() {
            if number > 0 {
                self.word(", ");
            }
            match item {
                Item::Region(region) => self.region(*region),
                Item::Host { .. } => self.word("host"),
            }
        }
        self.word("}");
    }

    /// ` ! φ`
    fn latent(&mut self, latent: &Effect) {
        if hole::no_effect(latent).is_none() {
            self.word(" ! ");
            self.effect(latent);
        }
    }

    /// `ρ >= φ' ! φ`
    fn bounded(&mut self, region: Binder, bound: &Effect, latent: &Effect) {
        self.binder(region);
        self.word(" >= ");
        self.effect(bound);
        self.latent(latent);
    }

    fn ty(&mut self, ty: &Type) {
        let Type::Boxed { of, region, .. } = ty else { return self.word("bool") };
        if matches!(**of, Boxed::Int) && hole::no_region(*region) {
            return self.word("int");
        }
        self.word("(");
        match &**of {
            Boxed::Int => self.word("int"),
            Boxed::Vec(element) => {
                self.word("Vec ");
                self.ty(element);
            }
            Boxed::Pair(first, second) => {
                self.ty(first);
                self.word(" * ");
                self.ty(second);
            }
            Boxed::Fn(from, latent, to) => {
                self.ty(from);
                self.word(" -> ");
                if hole::no_effect(latent).is_none() {
                    self.effect(latent);
                    self.word(" ");
                }
                self.ty(to);
            }
            Boxed::Pi(binder, bound, latent, ty) => {
                self.word("Pi ");
                self.bounded(*binder, bound, latent);
                self.word(" . ");
                self.ty(ty);
            }
        }
        if !hole::no_region(*region) {
            self.word(", ");
            self.region(*region);
        }
        self.word(")");
    }

    /// An expression where one of this level at least is read.
    fn exp(&mut self, exp: &Exp, least: Level) {
        if level(exp) >= least {
            return self.bare(exp);
        }
        self.word("(");
        self.bare(exp);
        self.word(")");
    }

    fn bare(&mut self, exp: &Exp) {
        match &exp.kind {
            Kind::Int(k, at) => {
                self.number(k);
                self.at(*at);
            }
            Kind::Bool(value) => self.word(if *value { "true" } else { "false" }),
            Kind::Var(var) => self.var(*var),
            Kind::Binary(op, parts, at) => {
                self.infix_at(op.text(), parts, [Level::Arithmetic, Level::Index], *at);
            }
            Kind::Compare(op, parts) => self.infix(op.text(), parts, [Level::Arithmetic; 2]),
            Kind::Index(parts) => self.infix("!", parts, [Level::Index, Level::App]),
            Kind::Par(parts, at) => self.infix_at("||", parts, [Level::Comparison; 2], *at),
            Kind::App(parts) => {
                self.head(&parts[0]);
                self.word(" ");
                self.argument(&parts[1]);
            }
            Kind::Instance(head, region) => {
                self.head(head);
                self.word(" [");
                self.region(*region);
                self.word("]");
            }
            Kind::Pair(parts, at) => {
                self.word("(");
                self.list(&**parts);
                self.word(")");
                self.at(*at);
            }
            Kind::Vector(elements, at) => {
                self.word("[");
                self.list(elements);
                self.word("]");
                self.at(*at);
            }
            Kind::Fst(of) => self.prefix("fst ", of),
            Kind::Snd(of) => self.prefix("snd ", of),
            Kind::Length(of, at) => self.prefix_at("length ", of, *at),
            Kind::Iota(of, at) => self.prefix_at("iota ", of, *at),
            Kind::ParMap(f, over, at) => self.parmap(f, over, *at),
            _ => self.binding(exp),
        }
    }

    /// The forms that extend to the right.
    fn binding(&mut self, exp: &Exp) {
        match &exp.kind {
            Kind::If(parts) => {
                self.word("if ");
                self.exp(&parts[0], Level::Exp);
                self.indented(|printer| {
                    printer.word("then ");
                    printer.exp(&parts[1], Level::Exp);
                });
                self.indented(|printer| {
                    printer.word("else ");
                    printer.exp(&parts[2], Level::Exp);
                });
            }
            Kind::Let(var, parts) => {
                self.word("let ");
                self.var(*var);
                self.word(" = ");
                self.exp(&parts[0], Level::Exp);
                self.word(" in");
                self.line();
                self.exp(&parts[1], Level::Exp);
            }
            Kind::LetRegion(region, size, body) => {
                self.word("letregion ");
                self.binder(*region);
                if let Some(size) = size {
                    self.word(" of ");
                    self.number(size);
                }
                self.word(" in");
                self.line();
                self.exp(body, Level::Exp);
            }
            Kind::Fn(lambda) => {
                self.word("fn ");
                self.parameter(lambda);
                self.latent(&lambda.latent);
                self.word(" =>");
                self.indented(|printer| printer.last(&lambda.body, Level::Exp, lambda.at));
                self.at(lambda.at);
            }
            Kind::RegionFn(lambda) => {
                self.word("rfn ");
                self.bounded(lambda.region, &lambda.bound, &lambda.latent);
                self.word(" =>");
                self.indented(|printer| printer.last(&lambda.body, Level::Exp, lambda.at));
                self.at(lambda.at);
            }
            Kind::Fix(var, ty, body) => {
                self.word("fix ");
                self.var(*var);
                if hole::no_type(ty).is_none() {
                    self.word(" : ");
                    self.ty(ty);
                }
                self.word(" .");
                self.indented(|printer| printer.exp(body, Level::Exp));
            }
            Kind::On(body, at) => {
                self.word("on");
                self.indented(|printer| printer.last(body, Level::Exp, *at));
                self.at(*at);
            }
            _ => unreachable!("it is printed by another function"),
        }
    }

    /// `(x : τ)`, or `x`
    fn parameter(&mut self, lambda: &Lambda) {
        if hole::no_type(&lambda.ty).is_some() {
            return self.var(lambda.param);
        }
        self.word("(");
        self.var(lambda.param);
        self.word(" : ");
        self.ty(&lambda.ty);
        self.word(")");
    }

    fn infix_at(&mut self, op: &str, parts: &[Exp; 2], least: [Level; 2], at: Region) {
        self.exp(&parts[0], least[0]);
        self.word(" ");
        self.word(op);
        self.word(" ");
        self.last(&parts[1], least[1], at);
        self.at(at);
    }

    fn prefix_at(&mut self, word: &str, of: &Exp, at: Region) {
        self.word(word);
        self.last(of, Level::Atom, at);
        self.at(at);
    }

    fn infix(&mut self, op: &str, parts: &[Exp; 2], least: [Level; 2]) {
        self.exp(&parts[0], least[0]);
        self.word(" ");
        self.word(op);
        self.word(" ");
        self.exp(&parts[1], least[1]);
    }

    fn prefix(&mut self, word: &str, of: &Exp) {
        self.word(word);
        self.exp(of, Level::Atom);
    }

    /// What is applied: applications group to the left.
    fn head(&mut self, head: &Exp) {
        let applied = matches!(head.kind, Kind::App(_) | Kind::Instance(..));
        self.exp(head, if applied { Level::App } else { Level::Atom });
    }

    /// An argument of an application: one that begins with `-` is in brackets.
    fn argument(&mut self, argument: &Exp) {
        if matches!(argument.kind, Kind::Int(..0, _)) {
            self.word("(");
            self.bare(argument);
            self.word(")");
        } else {
            self.exp(argument, Level::Atom);
        }
    }

    fn list(&mut self, exps: &[Exp]) {
        for (number, exp) in exps.iter().enumerate() {
            if number > 0 {
                self.word(", ");
            }
            self.exp(exp, Level::Exp);
        }
    }

    fn parmap(&mut self, f: &Exp, over: &Over, at: Region) {
        self.word("parmap ");
        self.mapped(f);
        self.word(" ");
        match over {
            Over::Elements(elements) => {
                self.word("[");
                self.list(elements);
                self.word("]");
            }
            // Brackets right behind the function are fig. 6's literal.
            Over::Vector(vector) if matches!(vector.kind, Kind::Vector(..)) => {
                self.word("(");
                self.bare(vector);
                self.word(")");
            }
            Over::Vector(vector) => self.last(vector, Level::Atom, at),
        }
        self.at(at);
    }

    /// The function of a `parmap`: an atom, and the regions that it is given.
    fn mapped(&mut self, f: &Exp) {
        let Kind::Instance(head, region) = &f.kind else { return self.exp(f, Level::Atom) };
        self.mapped(head);
        self.word(" [");
        self.region(*region);
        self.word("]");
    }
}

/// Does the text of an expression end where an `at` may follow, which is left out?
fn takes_at(exp: &Exp) -> bool {
    match &exp.kind {
        Kind::Int(_, at)
        | Kind::Binary(_, _, at)
        | Kind::Pair(_, at)
        | Kind::Par(_, at)
        | Kind::Vector(_, at)
        | Kind::ParMap(_, _, at)
        | Kind::On(_, at)
        | Kind::Length(_, at)
        | Kind::Iota(_, at) => hole::no_region(*at),
        Kind::Fn(lambda) => hole::no_region(lambda.at),
        Kind::RegionFn(lambda) => hole::no_region(lambda.at),
        Kind::Bool(_) | Kind::Var(_) | Kind::Instance(..) => false,
        _ => visit::parts(exp).pop().is_some_and(takes_at),
    }
}

fn level(exp: &Exp) -> Level {
    match exp.kind {
        Kind::Int(..) | Kind::Bool(_) | Kind::Var(_) | Kind::Pair(..) | Kind::Vector(..) => {
            Level::Atom
        }
        Kind::App(_)
        | Kind::Instance(..)
        | Kind::Fst(_)
        | Kind::Snd(_)
        | Kind::Length(..)
        | Kind::Iota(..)
        | Kind::ParMap(..) => Level::App,
        Kind::Index(_) => Level::Index,
        Kind::Binary(..) => Level::Arithmetic,
        Kind::Compare(..) => Level::Comparison,
        Kind::If(_)
        | Kind::Let(..)
        | Kind::Fn(_)
        | Kind::RegionFn(_)
        | Kind::LetRegion(..)
        | Kind::Fix(..)
        | Kind::Par(..)
        | Kind::On(..) => Level::Exp,
    }
}
