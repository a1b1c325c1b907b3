//! Ill-typed programs of MiniSYCL: a program that is accepted, with one premise of elaboration broken, or one of MiniAS that
//! what it becomes must keep. Where it can be, a part of the kernel's statements is what breaks it.

use super::walk::{At, Bound, edited};
use crate::generate::ill_typed::{Broken, of_bytes};
use reference::kit::dice::Dice;
use reference::kit::language::Language;
use reference::sycl::Sycl;
use reference::sycl::syntax::{
    Base, Behind, Captures, Decl, Exp, Function, Init, Item, Kind, Name, Place, Program, Stmt,
    StmtKind, Type,
};

/// A way to break a premise: rule, premise, and what changes.
type Way = (&'static str, &'static str, At);

const WAYS: &[Way] = &[
    ("Y-PROGRAM", "once", At::Item(item_twice)),
    ("Y-PROGRAM", "kernel", At::Program(no_kernel)),
    ("Y-FUNCTION", "result", At::Put(|_| Put::with(RESULT, "zed();"))),
    ("Y-FUNCTION", "cycle", At::Put(|_| Put::with(CYCLE, "zed(2);"))),
    ("Y-TEMPLATE", "deduce", At::Put(|_| Put::with(NOT_DEDUCED, "zed(2);"))),
    ("Y-LAMBDA", "capture", At::Exp(capture_of_nothing)),
    ("Y-CALL", "function", At::Exp(call_of_nothing)),
    ("Y-CALL", "arity", At::Exp(argument_too_many)),
    ("Y-NAME", "scope", At::Exp(unknown_name)),
    ("Y-TYPE", "arguments", At::Decl(types_too_many)),
    ("Y-TYPE", "auto", At::Decl(auto_of_nothing)),
    ("Y-TYPE", "value", At::Decl(void_variable)),
    ("Y-DECL", "once", At::Put(variable_twice)),
    ("Y-DECL", "initialiser", At::Decl(two_values)),
    ("Y-STRUCT", "itself", At::Put(|_| Put::with("struct Zed { int a; Zed z; };", "Zed zed;"))),
    ("Y-MEMBER", "field", At::Exp(unknown_field)),
    ("Y-CONVERT", "type", At::Put(|_| Put::with(STRUCT, "Zed zed; int zod = zed;"))),
    ("Y-CONVERT", "const", At::Put(|_| Put::with("", "const int zed = 1; int *zod = &zed;"))),
    ("Y-REFERENCE", "place", At::Exp(address_of_a_value)),
    ("Y-REFERENCE", "place", At::Decl(reference_to_a_value)),
    ("Y-ASSIGN", "place", At::Stmt(assignment_to_a_value)),
    ("Y-ASSIGN", "const", At::Put(|_| Put::with("", "const int zed = 1; zed = 2;"))),
    ("Y-CAST", "pointer", At::Exp(space_of_an_int)),
    ("Y-ASSERT", "same", At::Stmt(other_types)),
    ("T-KERNEL", "parameter", At::Item(raw_parameter)),
    ("T-ASSIGN", "unify", At::Put(late_pointer)),
    ("=>E", "single", At::Put(second_space)),
];

const STRUCT: &str = "struct Zed { int a; int b; };";
const RESULT: &str = "struct Zed { int a; int b; };\nZed zed() { Zed s = {1, 2}; return s; }";
const CYCLE: &str = "auto zed(int n) { if (n) { return zed(n - 1); } return 0; }";
const NOT_DEDUCED: &str = "template<typename T> int zed(int a) { T t = a; return t; }";

/// The rules and premises that can be broken.
pub fn premises() -> impl Iterator<Item = (&'static str, &'static str)> {
    WAYS.iter().map(|(rule, premise, _)| (*rule, *premise))
}

/// Makes an ill-typed program from bytes.
pub fn ill_typed(bytes: &[u8]) -> Broken {
    of_bytes::<Sycl>(bytes, broken)
}

/// A program that is accepted under the default answers, with a premise broken that the number chooses. Nothing of one with
/// other answers, under which other premises fail.
pub fn broken(program: &Program, seed: u64) -> Option<Broken> {
    let mut dice = Dice::new(seed);
    let (first, place) = (dice.below(WAYS.len() as u64) as usize, dice.roll());
    if program.options.answers != Default::default() {
        return None;
    }
    let settings = Sycl::options_of(program);
    // Where a program has no place for a way, the next one is taken.
    let mut ways = WAYS.iter().cycle().skip(first).take(WAYS.len());
    ways.find_map(|(rule, premise, at)| {
        let text = edited(program, at, place)?;
        Some(Broken { text, settings: settings.clone(), rule, premise })
    })
}

/// Items that come first in a program, and statements that come between two others.
pub(super) struct Put {
    pub(super) front: Vec<Item>,
    pub(super) stmts: Vec<Stmt>,
}

impl Put {
    /// These, by their texts.
    fn with(front: &str, stmts: &str) -> Option<Self> {
        let text = format!("{front}\nkernel void zzz() {{ {stmts} }}");
        let mut front = Sycl::parse(&text).unwrap_or_else(|no| panic!("{no:?}\n{text}")).items;
        match front.pop() {
            Some(Item::Function(Function { body, .. })) => Some(Self { front, stmts: body }),
            _ => unreachable!("the kernel is the last item"),
        }
    }
}

fn item_twice(item: &mut Item, other: &mut Option<Item>) -> bool {
    *other = Some(item.clone());
    true
}

/// Each kernel is a function that nothing calls.
fn no_kernel(program: &mut Program) {
    for item in &mut program.items {
        if let Item::Function(function) = item {
            function.kernel = false;
        }
    }
}

/// A pointer without a space where the kernel takes one with a space.
fn raw_parameter(item: &mut Item, _: &mut Option<Item>) -> bool {
    let Item::Function(function) = item else { return false };
    let pointer = |base: &Base| matches!(base, Base::Pointer(Place::Named(_), _));
    let found = function.params.iter_mut().find(|param| pointer(&param.ty.base));
    let Some(param) = found.filter(|_| function.kernel) else { return false };
    param.ty.base = Base::Int;
    param.ty.behind = vec![Behind::Star];
    true
}

/// Is the type that of an int, or of what starts with one value?
fn is_plain(ty: &Type) -> bool {
    ty.behind.is_empty() && matches!(ty.base, Base::Int | Base::Bool | Base::Auto)
}

fn name(span: reference::kit::text::Span, text: &str) -> Name {
    Name { text: text.to_owned(), span }
}

fn capture_of_nothing(exp: &mut Exp) -> bool {
    let span = exp.span;
    match &mut exp.kind {
        Kind::Lambda(lambda) => lambda.captures = Captures::Names(vec![name(span, "zed")]),
        _ => return false,
    }
    true
}

fn call_of_nothing(exp: &mut Exp) -> bool {
    match &mut exp.kind {
        Kind::Call(function, types, _) => {
            function.text = "zed".to_owned();
            types.clear();
        }
        _ => return false,
    }
    true
}

fn argument_too_many(exp: &mut Exp) -> bool {
    let one = Exp { span: exp.span, kind: Kind::Int(1) };
    match &mut exp.kind {
        Kind::Call(_, _, args) => args.push(one),
        _ => return false,
    }
    true
}

fn unknown_name(exp: &mut Exp) -> bool {
    exp.kind = Kind::Name("zed".to_owned());
    true
}

fn unknown_field(exp: &mut Exp) -> bool {
    match &mut exp.kind {
        Kind::Member(_, field) => field.text = "zed".to_owned(),
        _ => return false,
    }
    true
}

/// An int that is no place, by its form.
fn is_value(exp: &Exp) -> bool {
    matches!(exp.kind, Kind::Int(_) | Kind::Builtin(_))
}

fn around(exp: &mut Exp, kind: impl FnOnce(Box<Exp>) -> Kind) -> bool {
    let span = exp.span;
    let part = std::mem::replace(exp, Exp { span, kind: Kind::Null });
    exp.kind = kind(Box::new(part));
    true
}

fn address_of_a_value(exp: &mut Exp) -> bool {
    is_value(exp) && around(exp, Kind::Address)
}

fn space_of_an_int(exp: &mut Exp) -> bool {
    let to = Place::Named(reference::minias::syntax::Space::Local);
    is_value(exp) && around(exp, |of| Kind::SpaceCast { dynamic: false, to, of })
}

fn types_too_many(decl: &mut Decl) -> bool {
    let int = Type { base: Base::Int, behind: Vec::new(), is_const: false, ..decl.ty.clone() };
    match &mut decl.ty.base {
        Base::Named(_, types) if !types.is_empty() => types.push(int),
        _ => return false,
    }
    true
}

fn auto_of_nothing(decl: &mut Decl) -> bool {
    decl.ty.base == Base::Auto && decl.init.take().is_some()
}

fn void_variable(decl: &mut Decl) -> bool {
    let plain = is_plain(&decl.ty) && decl.extent.is_none();
    if plain {
        decl.ty.base = Base::Void;
        decl.init = None;
    }
    plain
}

fn two_values(decl: &mut Decl) -> bool {
    if decl.ty.behind.last() == Some(&Behind::Reference) {
        return decl.ty.base != Base::Auto && decl.init.take().is_some();
    }
    match decl.init.take() {
        Some(Init::One(exp)) if is_plain(&decl.ty) && decl.extent.is_none() => {
            decl.init = Some(Init::Many(vec![exp.clone(), exp]));
            true
        }
        _ => false,
    }
}

fn reference_to_a_value(decl: &mut Decl) -> bool {
    let refers = decl.ty.behind == [Behind::Reference] && !decl.ty.is_const;
    if refers && decl.ty.base == Base::Int {
        decl.init = Some(Init::One(Exp { span: decl.span, kind: Kind::Int(4) }));
        return true;
    }
    false
}

fn assignment_to_a_value(stmt: &mut Stmt) -> bool {
    match &mut stmt.kind {
        StmtKind::Assign(place, _) => place.kind = Kind::Int(3),
        _ => return false,
    }
    true
}

fn other_types(stmt: &mut Stmt) -> bool {
    let StmtKind::Assert(assert) = &mut stmt.kind else { return false };
    let [one, other] = &mut assert.types;
    *other = one.clone();
    other.behind.push(Behind::Star);
    true
}

/// A variable with the name of one that the block has.
fn variable_twice(bound: &Bound) -> Option<Put> {
    let name = bound.here.last()?;
    Put::with("", &format!("int {name};"))
}

/// A pointer that starts with nothing is private, and gets another space.
fn late_pointer(bound: &Bound) -> Option<Put> {
    let (pointer, _) = bound.pointers.first()?;
    Put::with("", &format!("int *zed; zed = {pointer};"))
}

/// A pointer that has a space, and gets another one.
fn second_space(bound: &Bound) -> Option<Put> {
    let (first, space) = bound.pointers.first()?;
    let (second, _) = bound.pointers.iter().find(|(_, other)| other != space)?;
    Put::with("", &format!("int *zed = {first}; int *zod = {second}; zed = zod;"))
}
