//! From terms to text, in lines of moderate length.

use super::index::{Atom, Index};
use super::syntax::{Head, Kind, Name, Place, Program, Term};
use crate::kit::scalar::Notation;

/// The text of a program, as the parser reads it back.
pub fn program(program: &Program) -> String {
    let mut text = String::new();
    if !program.params.is_empty() {
        text.push_str("param");
        for param in &program.params {
            let kind = match &param.kind {
                Kind::Int(None) => "int".to_owned(),
                Kind::Int(Some(k)) => format!("int = {k}"),
                Kind::Array(sizes) => sizes.iter().map(|size| format!("[{size}]")).collect(),
            };
            text.push_str(&format!(" ({} : {kind})", param.name));
        }
        text.push('\n');
    }
    text.push_str(&term(&program.term));
    text.push('\n');
    text
}

/// The text of a term.
pub fn term(term: &Term) -> String {
    let mut text = String::new();
    lines(term, 0, &mut text);
    text
}

/// How wide a line may be before its last arguments get lines of their own.
const WIDTH: usize = 80;

fn lines(term: &Term, indent: usize, to: &mut String) {
    let line = on_one_line(term);
    if indent + line.len() <= WIDTH || term.args.is_empty() {
        return to.push_str(&line);
    }
    to.push('(');
    let word = term.head.word();
    to.push_str(word.unwrap_or_default());
    for (nth, arg) in term.args.iter().enumerate() {
        if arg.args.is_empty() {
            if nth > 0 || word.is_some() {
                to.push(' ');
            }
            to.push_str(&on_one_line(arg));
        } else {
            to.push('\n');
            to.push_str(&" ".repeat(indent + 2));
            lines(arg, indent + 2, to);
        }
    }
    to.push(')');
}

fn on_one_line(term: &Term) -> String {
    if term.args.is_empty() && is_leaf(&term.head) {
        return leaf(&term.head);
    }
    let args = term.args.iter().map(on_one_line);
    let words = term.head.word().map(str::to_owned);
    format!("({})", words.into_iter().chain(args).collect::<Vec<_>>().join(" "))
}

fn is_leaf(head: &Head) -> bool {
    head.word().is_none() && *head != Head::Apply
}

/// The text of a leaf.
pub(super) fn leaf(head: &Head) -> String {
    match head {
        Head::Const(k) => k.to_string(),
        Head::Index(of) => match of.as_axis() {
            Some(axis) => axis.to_string(),
            None => format!("{{{}}}", index(of)),
        },
        Head::Scalar(name)
        | Head::Array(name)
        | Head::Axis(name)
        | Head::State(name)
        | Head::Hole(name) => name.to_string(),
        Head::Size(n) => n.to_string(),
        Head::Op(op) => match op.notation() {
            Notation::Infix(symbol, _) => symbol.to_owned(),
            Notation::Call(name) => name.to_owned(),
        },
        Head::Level(level) => level.word().to_owned(),
        Head::Place(Place::Group { pad }) if *pad > 0 => format!("group+{pad}"),
        Head::Place(place) => place.word().to_owned(),
        _ => String::new(),
    }
}

/// `32*i + j + 1`
pub fn index(of: &Index) -> String {
    index_of(of, &|axis| axis.to_string())
}

/// The same with other words for the axes, each a primary expression.
pub fn index_of(of: &Index, call: &impl Fn(&Name) -> String) -> String {
    let mut text = String::new();
    for (part, factor) in of.parts() {
        let atom = match part {
            Atom::Axis(name) => call(name),
            Atom::Div(of, by) => format!("({})/{by}", index_of(of, call)),
            Atom::Rem(of, by) => format!("({})%{by}", index_of(of, call)),
        };
        let sign = match (text.is_empty(), factor < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        let factor = match factor.unsigned_abs() {
            1 => String::new(),
            factor => format!("{factor}*"),
        };
        // `2*(i)/3` would be read as `(2*i)/3`.
        let is_axis = matches!(part, Atom::Axis(_));
        let atom = if factor.is_empty() || is_axis { atom } else { format!("({atom})") };
        text.push_str(&format!("{sign}{factor}{atom}"));
    }
    match of.offset() {
        0 if !text.is_empty() => text,
        k if text.is_empty() => k.to_string(),
        k if k < 0 => format!("{text} - {}", k.unsigned_abs()),
        k => format!("{text} + {k}"),
    }
}

impl std::fmt::Debug for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&term(self))
    }
}
