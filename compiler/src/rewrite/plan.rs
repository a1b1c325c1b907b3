//! A term read as loops: its plan in IMP.
//!
//! - The outermost `grid` builds that follow on each other are one kernel, whose thread counts
//!   through their axes, the last one fastest. A `grid` further in is a loop of its thread.
//! - A `red` over a tensor accumulates in the destination.
//! - A `store` is an allocation and a nest of its own, before everything that reads it.
//!
//! A plan computes what the term means if the term is total.

pub mod device;
mod form;

pub use form::Plan;

use reference::axes::index::Index;
use reference::axes::syntax::{Head, Kind, Level, Name, Param, Program, Term, identity};
use reference::axes::types::{self, Scope};
use reference::axes::{print, total};
use reference::imp;
use reference::kit::scalar::{BinOp, Notation};
use std::collections::{BTreeMap, BTreeSet};

/// Why a term has no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoPlan(pub String);

fn no<T>(why: impl Into<String>) -> Result<T, NoPlan> {
    Err(NoPlan(why.into()))
}

/// The plan of a program.
///
/// # Errors
/// The program is no term, may get stuck, merges an axis that is bound around, or stores something inside of a loop.
pub fn plan(program: &Program) -> Result<imp::syntax::Program, NoPlan> {
    let text = text(program)?;
    imp::parse::program(&text).map_err(|wrong| NoPlan(format!("{}: {text}", wrong.message)))
}

/// The text of the plan.
///
/// # Errors
/// As [`plan`].
pub fn text(program: &Program) -> Result<String, NoPlan> {
    let scope = types::check(program).map_err(|wrong| NoPlan(wrong.message))?;
    if !total::is_total(&program.term, &scope) {
        return no("the term may get stuck");
    }
    if types::merges_bound(&program.term) {
        return no("an axis that is bound around is merged");
    }
    let called = called(&program.params);
    let mut to = Writer {
        scope: &scope,
        text: String::new(),
        indent: 0,
        names: 0,
        called,
        stored: BTreeMap::new(),
        in_kernel: false,
    };
    let mut params = String::new();
    for param in &program.params {
        let kind = match &param.kind {
            Kind::Int(_) => "int".to_owned(),
            Kind::Array(sizes) => format!("mem {}", brackets(sizes)),
        };
        params.push_str(&format!(" ({} : {kind})", to.called[&param.name]));
    }
    to.stores(&program.term)?;
    let outs = match program.term.head {
        Head::Results => &program.term.args[..],
        _ => std::slice::from_ref(&program.term),
    };
    let results: Vec<String> = outs.iter().map(|out| to.out(out)).collect::<Result<_, _>>()?;
    let front = if params.is_empty() { String::new() } else { format!("param{params}\n") };
    let body = to.text.trim_end().trim_end_matches(';');
    let body = if body.is_empty() { "skip" } else { body };
    Ok(format!("{front}{body}\nresults {}\n", results.join(" ")))
}

/// The words of IMP that a parameter cannot be called by.
const WORDS: [&str; 18] = [
    "param", "results", "var", "int", "mem", "skip", "alloc", "check", "if", "then", "else", "fi",
    "kernel", "for", "do", "done", "min", "max",
];

/// What the parameters are called, each by another name: a word of IMP gets lines behind it.
fn called(params: &[Param]) -> BTreeMap<Name, String> {
    let mut taken: BTreeSet<String> =
        params.iter().map(|param| param.name.text().to_owned()).collect();
    let call = |param: &Param| {
        let mut name = param.name.text().to_owned();
        if WORDS.contains(&param.name.text()) {
            while WORDS.contains(&name.as_str()) || !taken.insert(name.clone()) {
                name.push('_');
            }
        }
        (param.name.clone(), name)
    };
    params.iter().map(call).collect()
}

fn brackets(sizes: &[u32]) -> String {
    sizes.iter().map(|size| format!("[{size}]")).collect()
}

/// What axes and states are called here.
type Env = BTreeMap<Name, String>;

/// What becomes of the elements of a tensor.
#[derive(Clone, Copy)]
enum Mode {
    /// They are written.
    Write,
    /// They are combined with what is there.
    Combine(BinOp),
    /// This number is written in their place.
    Fill(i32),
}

/// Where the elements of a tensor go.
#[derive(Clone)]
struct Destination {
    block: String,
    /// The offset of the element, computed from the axes of the tensor.
    offset: Index,
    mode: Mode,
}

/// The tensor that a `merge` renames the axes of, and the offset of its elements.
fn merged<'t>(of: &'t Term, offset: &Index, scope: &Scope) -> Result<(&'t Term, Index), NoPlan> {
    let name = |nth: usize| of.args[nth].as_axis().expect("the term was checked");
    let inner = scope.size(name(2)).unwrap_or(1);
    let both = plus(&Index::axis(name(2)), &Index::axis(name(1)), i64::from(inner))?;
    let offset = offset.substituted(name(0), &both, &scope.sizes);
    let offset = offset.ok_or_else(|| NoPlan("an offset is too large".to_owned()))?;
    Ok((&of.args[3], offset))
}

/// An offset without its axes of size 1, whose factors may be beyond an int.
fn without_single(of: &Index, scope: &Scope) -> Result<Index, NoPlan> {
    let mut single = Vec::new();
    of.axes(&mut |axis| {
        if scope.size(axis).is_some_and(|size| size <= 1) {
            single.push(axis.clone());
        }
    });
    let zero = Index::number(0);
    let of =
        single.iter().try_fold(of.clone(), |of, axis| of.substituted(axis, &zero, &scope.sizes));
    of.ok_or_else(|| NoPlan("an offset is too large".to_owned()))
}

struct Writer<'s> {
    scope: &'s Scope,
    text: String,
    indent: usize,
    names: usize,
    /// What the parameters are called.
    called: BTreeMap<Name, String>,
    /// The blocks of stores, by the text of their terms.
    stored: BTreeMap<String, String>,
    in_kernel: bool,
}

impl Writer<'_> {
    fn line(&mut self, line: &str) {
        self.text.push_str(&"  ".repeat(self.indent));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn fresh(&mut self, stem: &str) -> String {
        loop {
            self.names += 1;
            let name = format!("{stem}_{}", self.names);
            if !self.called.values().any(|taken| *taken == name) {
                return name;
            }
        }
    }

    /// A block of statements between two lines. The last of them has no semicolon.
    fn between<R>(
        &mut self,
        open: &str,
        close: &str,
        within: impl FnOnce(&mut Self) -> Result<R, NoPlan>,
    ) -> Result<R, NoPlan> {
        self.line(open);
        self.indent += 1;
        let start = self.text.len();
        let result = within(self)?;
        self.ended(start);
        self.indent -= 1;
        self.line(close);
        Ok(result)
    }

    /// Ends a sequence that began at `start`.
    fn ended(&mut self, start: usize) {
        match self.text.ends_with(";\n") {
            true => self.text.truncate(self.text.len() - 2),
            false if self.text.len() == start => self.line("skip"),
            false => return,
        }
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Makes the arrays of a term, inner ones first.
    fn stores(&mut self, term: &Term) -> Result<(), NoPlan> {
        term.args.iter().try_for_each(|arg| self.stores(arg))?;
        if term.head != Head::Store {
            return Ok(());
        }
        let key = print::term(term);
        if self.stored.contains_key(&key) {
            return Ok(());
        }
        if types::free(term).iter().any(|name| !self.scope.params.contains_key(name)) {
            return no("an array is stored inside of a loop");
        }
        let (block, _) = self.array(&term.args[1], &term.args[2..])?;
        self.stored.insert(key, block);
        Ok(())
    }

    /// A result.
    fn out(&mut self, out: &Term) -> Result<String, NoPlan> {
        if out.args.len() == 1 {
            let value = self.scalar(&out.args[0], &Env::new())?;
            let name = self.fresh("out");
            self.line(&format!("var {name} : int;"));
            self.line(&format!("{name} <- {value};"));
            return Ok(format!("({name})"));
        }
        let (block, sizes) = self.array(&out.args[0], &out.args[1..])?;
        let dims: String = sizes
            .iter()
            .zip(strides(&sizes))
            .map(|(size, stride)| format!("({size} : {stride})"))
            .collect();
        Ok(format!("({block} : {} @ 0 + {{{dims}}})", brackets(&sizes)))
    }

    /// A block with a tensor laid out in the order of these axes, and its sizes.
    fn array(&mut self, of: &Term, axes: &[Term]) -> Result<(String, Vec<u32>), NoPlan> {
        let axes: Vec<&Name> = axes.iter().filter_map(Term::as_axis).collect();
        let sizes: Vec<u32> = axes.iter().filter_map(|axis| self.scope.size(axis)).collect();
        let block = self.fresh("a");
        let length: u64 = sizes.iter().map(|size| u64::from(*size)).product();
        self.line(&format!("var {block} : mem;"));
        self.line(&format!("{block} <- alloc {length};"));
        let mut offset = Index::number(0);
        for (axis, stride) in axes.iter().zip(strides(&sizes)) {
            offset = plus(&offset, &Index::axis(axis), stride)?;
        }
        let to = Destination { block: block.clone(), offset, mode: Mode::Write };
        self.tensor(of, &to, &Env::new())?;
        Ok((block, sizes))
    }

    fn tensor(&mut self, of: &Term, to: &Destination, env: &Env) -> Result<(), NoPlan> {
        let level = of.args.first().map(|arg| &arg.head);
        match (&of.head, level) {
            (Head::Build, Some(Head::Level(Level::Grid))) if !self.in_kernel => {
                self.kernel(of, to, env)
            }
            (Head::Build, _) => {
                let (axis, size) = of.binds().expect("the term was checked");
                self.rounds(axis, size, env, |to_here, env| to_here.tensor(&of.args[3], to, env))
            }
            (Head::Merge, _) => {
                let (inner, offset) = merged(of, &to.offset, self.scope)?;
                let to = Destination { offset, ..to.clone() };
                self.tensor(inner, &to, env)
            }
            (Head::Keep, _) => self.tensor(&of.args[0], to, env),
            (Head::If, _) if !types::axes(of).is_empty() => self.sides(of, to, env),
            (Head::Red, _) if !types::axes(of).is_empty() => self.accumulate(of, to, env),
            _ => self.element(of, to, env),
        }
    }

    /// The loop of an axis.
    fn rounds(
        &mut self,
        axis: &Name,
        size: u32,
        env: &Env,
        body: impl FnOnce(&mut Self, &Env) -> Result<(), NoPlan>,
    ) -> Result<(), NoPlan> {
        let round = self.fresh("k");
        let mut env = env.clone();
        env.insert(axis.clone(), format!("({round} - 1)"));
        self.between(&format!("for {round} <= {size} do"), "done;", |to| body(to, &env))
    }

    /// The builds from here on that follow on each other, as one launch.
    fn kernel(&mut self, of: &Term, to: &Destination, env: &Env) -> Result<(), NoPlan> {
        let mut axes: Vec<(Name, u32)> = Vec::new();
        let mut to = to.clone();
        let mut of = of;
        loop {
            match (&of.head, of.args.first().map(|arg| &arg.head)) {
                (Head::Build, Some(Head::Level(Level::Grid))) => {
                    let (axis, size) = of.binds().expect("the term was checked");
                    axes.push((axis.clone(), size));
                    of = &of.args[3];
                }
                (Head::Merge, _) => {
                    (of, to.offset) = merged(of, &to.offset, self.scope)?;
                }
                (Head::Keep, _) => of = &of.args[0],
                _ => break,
            }
        }
        let threads =
            axes.iter().try_fold(1_i32, |n, (_, size)| n.checked_mul(i32::try_from(*size).ok()?));
        let Some(threads) = threads else { return no("a launch has too many threads") };
        let thread = self.fresh("t");
        let mut env = env.clone();
        self.between(&format!("kernel {thread} <= {threads} do"), "done;", |to_here| {
            let mut below = 1_u32;
            for (nth, (axis, size)) in axes.iter().enumerate().rev() {
                let name = to_here.fresh("i");
                let mut index = format!("({thread} - 1)");
                if below > 1 {
                    index = format!("{index} / {below}");
                }
                if nth > 0 {
                    index = format!("{index} % {}", (*size).max(1));
                }
                to_here.line(&format!("var {name} : int;"));
                to_here.line(&format!("{name} <- {index};"));
                env.insert(axis.clone(), name);
                below = below.saturating_mul((*size).max(1));
            }
            to_here.in_kernel = true;
            let done = to_here.tensor(of, &to, &env);
            to_here.in_kernel = false;
            done
        })
    }

    fn sides(&mut self, of: &Term, to: &Destination, env: &Env) -> Result<(), NoPlan> {
        if let Mode::Fill(_) = to.mode {
            return self.tensor(&of.args[1], to, env);
        }
        let cond = self.named(&of.args[0], env)?;
        self.line(&format!("if {cond} then"));
        for (nth, end) in [(1, "else"), (2, "fi;")] {
            self.indent += 1;
            let start = self.text.len();
            self.tensor(&of.args[nth], to, env)?;
            self.ended(start);
            self.indent -= 1;
            self.line(end);
        }
        Ok(())
    }

    /// A reduction over a tensor.
    fn accumulate(&mut self, of: &Term, to: &Destination, env: &Env) -> Result<(), NoPlan> {
        let op = of.args[0].as_op().expect("the term was checked");
        let (axis, size) = of.binds().expect("the term was checked");
        let body = &of.args[3];
        match to.mode {
            Mode::Fill(_) => return self.tensor(body, to, env),
            Mode::Write => {
                let fill = Mode::Fill(identity(op).unwrap_or(0));
                self.tensor(body, &Destination { mode: fill, ..to.clone() }, env)?;
            }
            Mode::Combine(outer) if outer == op => {}
            Mode::Combine(_) => return no("a reduction over arrays in one by another operator"),
        }
        let to = Destination { mode: Mode::Combine(op), ..to.clone() };
        self.rounds(axis, size, env, |to_here, env| to_here.tensor(body, &to, env))
    }

    fn element(&mut self, of: &Term, to: &Destination, env: &Env) -> Result<(), NoPlan> {
        let Destination { block, offset, mode } = to;
        let value = match mode {
            Mode::Fill(k) => number(*k),
            _ => self.scalar(of, env)?,
        };
        let offset = index(&without_single(offset, self.scope)?, env);
        match mode {
            Mode::Write | Mode::Fill(_) => self.line(&format!("{block}[{offset}] <- {value};")),
            Mode::Combine(op) => {
                let before = self.fresh("x");
                self.line(&format!("var {before} : int;"));
                self.line(&format!("{before} <- {block}[{offset}];"));
                let sum = apply(*op, &before, &value);
                self.line(&format!("{block}[{offset}] <- {sum};"));
            }
        }
        Ok(())
    }

    /// A scalar that has a name, or is a number.
    fn named(&mut self, of: &Term, env: &Env) -> Result<String, NoPlan> {
        let value = self.scalar(of, env)?;
        let name = self.fresh("x");
        self.line(&format!("var {name} : int;"));
        self.line(&format!("{name} <- {value};"));
        Ok(name)
    }

    /// The expression of a scalar, behind the statements that it needs.
    fn scalar(&mut self, of: &Term, env: &Env) -> Result<String, NoPlan> {
        match &of.head {
            Head::Const(k) => Ok(number(*k)),
            Head::Index(of) => Ok(format!("({})", index(of, env))),
            Head::Scalar(name) => {
                Ok(env.get(name).or_else(|| self.called.get(name)).cloned().expect("it is bound"))
            }
            Head::Keep => self.scalar(&of.args[0], env),
            Head::Apply => {
                let op = of.args[0].as_op().expect("the term was checked");
                let a = self.scalar(&of.args[1], env)?;
                let b = self.scalar(&of.args[2], env)?;
                Ok(apply(op, &a, &b))
            }
            Head::Get => {
                let (block, sizes) = self.read(&of.args[0])?;
                let mut offset = Index::number(0);
                let mut rest = Vec::new();
                for (at, stride) in of.args[1..].iter().zip(strides(&sizes)) {
                    match at.as_index() {
                        Some(at) => offset = plus(&offset, &at, stride)?,
                        // Offsets are computed exactly, and an int that is an index wraps.
                        None => {
                            let at = self.named(at, env)?;
                            rest.push(format!("{at} * {stride}"));
                        }
                    }
                }
                let offset = rest
                    .into_iter()
                    .fold(index(&without_single(&offset, self.scope)?, env), |sum, part| {
                        format!("{sum} + {part}")
                    });
                let name = self.fresh("x");
                self.line(&format!("var {name} : int;"));
                self.line(&format!("{name} <- {block}[{offset}];"));
                Ok(name)
            }
            Head::If => {
                let cond = self.named(&of.args[0], env)?;
                let name = self.fresh("x");
                self.line(&format!("var {name} : int;"));
                self.line(&format!("if {cond} then"));
                for (nth, end) in [(1, "else"), (2, "fi;")] {
                    self.indent += 1;
                    let start = self.text.len();
                    let value = self.scalar(&of.args[nth], env)?;
                    self.line(&format!("{name} <- {value};"));
                    self.ended(start);
                    self.indent -= 1;
                    self.line(end);
                }
                Ok(name)
            }
            Head::Red => {
                let op = of.args[0].as_op().expect("the term was checked");
                let (axis, size) = of.binds().expect("the term was checked");
                let sum = self.fresh("s");
                self.line(&format!("var {sum} : int;"));
                self.line(&format!("{sum} <- {};", number(identity(op).unwrap_or(0))));
                self.rounds(axis, size, env, |to, env| {
                    let next = to.scalar(&of.args[3], env)?;
                    to.line(&format!("{sum} <- {};", apply(op, &sum, &next)));
                    Ok(())
                })?;
                Ok(sum)
            }
            Head::Seq => {
                let Head::State(state) = &of.args[0].head else { return no("no state") };
                let (axis, size) = of.binds().expect("the term was checked");
                let start = self.scalar(&of.args[3], env)?;
                let sum = self.fresh("s");
                self.line(&format!("var {sum} : int;"));
                self.line(&format!("{sum} <- {start};"));
                let mut env = env.clone();
                env.insert(state.clone(), sum.clone());
                self.rounds(axis, size, &env, |to, env| {
                    let next = to.scalar(&of.args[4], env)?;
                    to.line(&format!("{sum} <- {next};"));
                    Ok(())
                })?;
                Ok(sum)
            }
            _ => no("a tensor stands where a scalar is wanted"),
        }
    }

    /// The block of an array that is read, and its sizes.
    fn read(&self, array: &Term) -> Result<(String, Vec<u32>), NoPlan> {
        match &array.head {
            Head::Array(name) => match self.scope.params.get(name) {
                Some(Kind::Array(sizes)) => Ok((self.called[name].clone(), sizes.clone())),
                _ => no(format!("{name} is no array")),
            },
            _ => {
                let block = self.stored.get(&print::term(array)).cloned();
                let block = block.ok_or_else(|| NoPlan("an array is not stored".to_owned()))?;
                let axes = array.args[2..].iter().filter_map(Term::as_axis);
                Ok((block, axes.filter_map(|axis| self.scope.size(axis)).collect()))
            }
        }
    }
}

/// The strides of a row-major layout.
pub(super) fn strides(sizes: &[u32]) -> Vec<i64> {
    let mut strides = vec![1; sizes.len()];
    for nth in (1..sizes.len()).rev() {
        strides[nth - 1] = strides[nth] * i64::from(sizes[nth]);
    }
    strides
}

fn plus(sum: &Index, other: &Index, factor: i64) -> Result<Index, NoPlan> {
    sum.plus(other, factor).ok_or_else(|| NoPlan("an offset is too large".to_owned()))
}

fn number(k: i32) -> String {
    if k < 0 { format!("({k})") } else { k.to_string() }
}

fn apply(op: BinOp, a: &str, b: &str) -> String {
    match op.notation() {
        Notation::Infix(symbol, _) => format!("({a} {symbol} {b})"),
        Notation::Call(name) => format!("{name}({a}, {b})"),
    }
}

fn index(of: &Index, env: &Env) -> String {
    print::index_of(of, &|axis| env.get(axis).cloned().unwrap_or_else(|| axis.to_string()))
}
