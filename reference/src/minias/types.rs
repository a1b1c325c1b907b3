//! Modes, type schemes, and what inference tells of a program.

use super::rows::{Row, RowVar, Ty};
use super::syntax::Space;
use crate::kit::language::{Choice, Values};
use crate::kit::names::{Names, Var};
use crate::kit::text::Span;
use serde::{Deserialize, Serialize};

/// What an elided space means, and `generic` (reading M6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Mode {
    /// A row variable.
    #[default]
    Infer,
    /// A row variable, of at most one name.
    Single,
    /// The written row `{global, local, private}`, as in OpenCL 2.0.
    Generic,
    /// The written row `{private}`, as in OpenCL 1.x; there is no `generic`.
    Private,
}

/// The mode, as an option of the language.
pub const MODE: Choice = Choice {
    name: "mode",
    values: Values::OneOf(&["infer", "single", "generic", "private"]),
    default: "infer",
};

impl Mode {
    /// All of them.
    pub const ALL: [Mode; 4] = [Mode::Infer, Mode::Single, Mode::Generic, Mode::Private];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Infer => "infer",
            Mode::Single => "single",
            Mode::Generic => "generic",
            Mode::Private => "private",
        }
    }

    /// The mode of this name, one of the values of [`MODE`].
    pub fn named(name: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// `∀r…. P ⇒ τ, … → τ`
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// The quantified variables, in the order in which the type has them.
    pub rows: Vec<RowVar>,
    /// The predicates of each.
    pub lacks: Vec<(RowVar, Space, super::rows::Origin)>,
    /// The types of the parameters.
    pub params: Vec<Ty>,
    /// The type of the result.
    pub result: Ty,
}

/// What is inferred of a program.
#[derive(Debug)]
pub struct Typed {
    /// The principal type of each function, prototype and kernel, in the order in which they are first declared.
    pub schemes: Vec<(Var, Scheme)>,
    /// The types of parameters and variables, in the order in which they are bound. Of an array it is that of its name.
    pub variables: Vec<(Var, Ty)>,
    /// Of each function with a body its expressions, each before its parts and these in the order of the text: the typed
    /// tree. What an assignment, a declaration or `&` names is none of them, nor is `*` behind `&`. Callees come
    /// first.
    pub bodies: Vec<(Var, Vec<Note>)>,
}

/// What is inferred of an expression.
#[derive(Clone, Debug)]
pub struct Note {
    /// The place of the expression.
    pub span: Span,
    /// Its type, before it flows anywhere.
    pub ty: Ty,
    /// What its kind needs besides.
    pub more: More,
}

/// What is inferred of some expressions besides.
#[derive(Clone, Debug)]
pub enum More {
    /// Nothing.
    Nothing,
    /// A call in the component of the function: the row variables are those of the caller.
    Same,
    /// A call of a function with a scheme: what each of its row variables is here.
    Instance(Vec<(RowVar, Row)>),
    /// The type of the operand of a `dynamic_cast`, where it is opened.
    Opened(Ty),
}

/// The names of row variables in a text: `r`, `s`, and so on, by when they are met.
#[derive(Default)]
pub struct RowNames(Vec<RowVar>);

impl RowNames {
    fn name(&mut self, var: RowVar) -> String {
        let known = self.0.iter().position(|known| *known == var);
        let at = known.unwrap_or_else(|| {
            self.0.push(var);
            self.0.len() - 1
        });
        match u8::try_from(at) {
            Ok(at @ ..9) => char::from(b'r' + at).to_string(),
            _ => format!("r{}", at - 8),
        }
    }

    /// `{global, local | r}`
    pub fn row(&mut self, row: Row) -> String {
        let names = row.names.text();
        match row.end {
            None => format!("{{{names}}}"),
            Some(end) if names.is_empty() => format!("{{| {}}}", self.name(end)),
            Some(end) => format!("{{{names} | {}}}", self.name(end)),
        }
    }

    /// `{global} int * {private} *`
    pub fn ty(&mut self, ty: &Ty) -> String {
        let (mut rows, mut inner) = (Vec::new(), ty);
        while let Ty::Pointer(pointer) = inner {
            rows.push(pointer.row);
            inner = &pointer.to;
        }
        let base = match inner {
            Ty::Void => "void",
            _ => "int",
        };
        let mut text = String::new();
        for (at, row) in rows.into_iter().rev().enumerate() {
            let row = self.row(row);
            text += &if at == 0 { format!("{row} {base} *") } else { format!(" {row} *") };
        }
        if text.is_empty() { base.to_owned() } else { text }
    }
}

impl Scheme {
    /// `forall r. r\global => {global | r} int * -> int`
    pub fn text(&self) -> String {
        let mut names = RowNames::default();
        let quantified: Vec<String> = self.rows.iter().map(|row| names.name(*row)).collect();
        let predicates =
            self.lacks.iter().map(|(row, space, _)| format!("{}\\{space}", names.name(*row)));
        let predicates = predicates.collect::<Vec<_>>().join(", ");
        let params: Vec<String> = self.params.iter().map(|param| names.ty(param)).collect();
        let params = if params.is_empty() { "()".to_owned() } else { params.join(", ") };
        let result = names.ty(&self.result);
        let forall = match quantified.is_empty() {
            true => String::new(),
            false => format!("forall {}. ", quantified.join(" ")),
        };
        let qualified =
            if predicates.is_empty() { String::new() } else { format!("{predicates} => ") };
        format!("{forall}{qualified}{params} -> {result}")
    }
}

impl Typed {
    /// The principal types, one line each.
    pub fn lines(&self, names: &Names) -> Vec<String> {
        let line = |(name, scheme): &(Var, Scheme)| {
            format!("{} : {}", names.written(*name), scheme.text())
        };
        self.schemes.iter().map(line).collect()
    }

    /// The type of the variable of this name that is bound last, with row variables named as they are met.
    pub fn variable(&self, names: &Names, name: &str) -> Option<String> {
        let mut called = self.variables.iter().rev().filter(|(var, _)| names.written(*var) == name);
        called.next().map(|(_, ty)| RowNames::default().ty(ty))
    }
}
