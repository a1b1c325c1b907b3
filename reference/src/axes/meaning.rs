//! What a term means: the FUN program that it prints to. Each array is one nest of kernels, each
//! element computed from its indices; levels and places mean nothing. So every engine that runs
//! FUN judges a law.

use super::index::{Atom, Index};
use super::syntax::{Head, Kind, Name, Program, Term, identity};
use super::types::{self, Scope};
use crate::fun;
use crate::fun::syntax::{Body, Fun};
use crate::kit::scalar::{BinOp, Notation};
use crate::kit::text::{Rejected, Span};
use std::collections::{BTreeMap, HashMap};

/// A program of FUN.
pub type Meaning = fun::syntax::Program<Fun>;

/// The FUN program of a program.
///
/// # Errors
/// It is larger or nested more deeply than a FUN program may be.
pub fn program(program: &Program) -> Result<Meaning, Rejected> {
    fun::parse::program(&text(program))
}

/// The same, where each statement stands where the node of the term stands that it is of. `places` are those
/// of the nodes, outer ones first.
///
/// # Errors
/// As of [`program`].
pub fn placed(program: &Program, places: &[Span]) -> Result<Meaning, Rejected> {
    let (text, lines) = written(program);
    let whole = places.first().copied().unwrap_or_default();
    let mut meaning = fun::parse::program(&text).map_err(|no| Rejected { span: whole, ..no })?;
    // A node that stands in several places is the first of them.
    let mut nodes = HashMap::new();
    let mut number = 0;
    program.term.walk(&mut |term| {
        nodes.entry(std::ptr::from_ref(term)).or_insert(number);
        number += 1;
    });
    let place = |span: Span| {
        let line = lines.partition_point(|(start, _)| *start <= span.start as usize);
        let of = line.checked_sub(1).and_then(|line| nodes.get(&lines[line].1));
        of.and_then(|number| places.get(*number)).copied().unwrap_or(whole)
    };
    place_all(&mut meaning.body, &place);
    Ok(meaning)
}

fn place_all(body: &mut Body<Fun>, place: &impl Fn(Span) -> Span) {
    body.span = place(body.span);
    for stm in &mut body.stms {
        stm.span = place(stm.span);
        stm.exp.bodies_mut().into_iter().for_each(|body| place_all(body, place));
    }
}

/// The text of the FUN program.
pub fn text(program: &Program) -> String {
    written(program).0
}

/// The text of the FUN program; where each line of it starts that a node of the term is told by, and that
/// node.
fn written(program: &Program) -> (String, Vec<(usize, *const Term)>) {
    let scope = Scope::of(program).unwrap_or_default();
    let mut to = Writer {
        scope: &scope,
        text: String::new(),
        lines: Vec::new(),
        indent: 0,
        names: 0,
        stored: BTreeMap::new(),
    };
    if !program.params.is_empty() {
        to.text.push_str("param");
        for param in &program.params {
            let kind = match &param.kind {
                Kind::Int(_) => "int".to_owned(),
                Kind::Array(sizes) => sizes.iter().map(|size| format!("[{size}]")).collect(),
            };
            to.text.push_str(&format!(" (p_{} : {kind})", param.name));
        }
        to.text.push('\n');
    }
    to.hoist(&program.term, &Env::new());
    let outs = match program.term.head {
        Head::Results => &program.term.args[..],
        _ => std::slice::from_ref(&program.term),
    };
    let results: Vec<String> = outs.iter().map(|out| to.out(out)).collect();
    to.line(&program.term, &format!("in ({})", results.join(", ")));
    (to.text, to.lines)
}

/// What the names of axes and states are called in the text.
type Env = BTreeMap<Name, String>;

struct Writer<'s> {
    scope: &'s Scope,
    text: String,
    lines: Vec<(usize, *const Term)>,
    indent: usize,
    names: usize,
    /// The arrays that have names here, by the text of their terms.
    stored: BTreeMap<String, String>,
}

impl Writer<'_> {
    /// A line that this term makes.
    fn line(&mut self, of: &Term, line: &str) {
        self.lines.push((self.text.len(), std::ptr::from_ref(of)));
        self.text.push_str(&"  ".repeat(self.indent));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}_{}", self.names)
    }

    /// Names the arrays that depend on nothing but what `env` names, inner ones first, before whoever
    /// reads them in a loop. One that may get stuck stays where it is.
    fn hoist(&mut self, term: &Term, env: &Env) {
        term.args.iter().for_each(|arg| self.hoist(arg, env));
        let known = |name: &Name| env.contains_key(name) || self.scope.params.contains_key(name);
        let here = term.head == Head::Store
            && types::free(term).iter().all(known)
            && (env.is_empty() || !is_plain(term));
        let key = if here { super::print::term(term) } else { return };
        if !self.stored.contains_key(&key) && super::total::is_total(term, self.scope) {
            let name = self.store(term, env);
            self.stored.insert(key, name);
        }
    }

    /// The element of a tensor below a binder, whose arrays are named before.
    fn bound(&mut self, of: &Term, at: &Env, env: &Env) -> String {
        let stored = self.stored.clone();
        self.hoist(of, env);
        let element = self.element(of, at, env);
        self.stored = stored;
        element
    }

    fn out(&mut self, out: &Term) -> String {
        let axes: Vec<&Name> = out.args[1..].iter().filter_map(Term::as_axis).collect();
        self.nest(&out.args[0], &axes, &Env::new())
    }

    /// The name of an array that a `store` makes.
    fn store(&mut self, store: &Term, env: &Env) -> String {
        let axes: Vec<&Name> = store.args[2..].iter().filter_map(Term::as_axis).collect();
        self.nest(&store.args[1], &axes, env)
    }

    /// The tensor as an array with its axes in this order, or as a scalar.
    fn nest(&mut self, of: &Term, axes: &[&Name], env: &Env) -> String {
        let at = Env::new();
        self.nested(of, axes, env, &at)
    }

    fn nested(&mut self, of: &Term, axes: &[&Name], env: &Env, at: &Env) -> String {
        let Some((axis, rest)) = axes.split_first() else {
            return self.element(of, at, env);
        };
        let sizes: Vec<u32> = axes.iter().filter_map(|axis| self.scope.size(axis)).collect();
        let shape: String = sizes.iter().map(|size| format!("[{size}]")).collect();
        let array = self.fresh("a");
        let thread = self.fresh("t");
        self.line(of, &format!("let ({array} : {shape}) = kernel {thread} <= {} do", sizes[0]));
        self.indent += 1;
        let mut at = at.clone();
        at.insert((*axis).clone(), format!("({thread} - 1)"));
        let inner = self.nested(of, rest, env, &at);
        self.line(of, &format!("in ({inner})"));
        self.indent -= 1;
        array
    }

    /// The element of a tensor where its axes are at `at`.
    fn element(&mut self, of: &Term, at: &Env, env: &Env) -> String {
        match &of.head {
            Head::Build => {
                let mut env = env.clone();
                let mut at = at.clone();
                if let Some((axis, _)) = of.binds()
                    && let Some(index) = at.remove(axis)
                {
                    env.insert(axis.clone(), index);
                }
                self.bound(&of.args[3], &at, &env)
            }
            Head::Merge => {
                let name = |nth: usize| of.args[nth].as_axis().expect("the term was checked");
                let mut at = at.clone();
                let index = at.remove(name(0)).unwrap_or_default();
                let inner = self.scope.size(name(2)).unwrap_or(1);
                // An axis of size 0 has no index, and nothing divides by it.
                let inner = inner.max(1);
                at.insert(name(1).clone(), format!("({index} / {inner})"));
                at.insert(name(2).clone(), format!("({index} % {inner})"));
                self.element(&of.args[3], &at, env)
            }
            Head::Keep => self.element(&of.args[0], at, env),
            Head::Red => {
                let op = of.args[0].as_op().expect("the term was checked");
                let (axis, size) = of.binds().expect("the term was checked");
                let start = number(identity(op).unwrap_or(0));
                let (name, sum, round) = (self.fresh("r"), self.fresh("s"), self.fresh("k"));
                self.line(
                    of,
                    &format!(
                        "let ({name} : int) = loop ({sum} : int = {start}) for {round} <= {size} do"
                    ),
                );
                self.indent += 1;
                let mut env = env.clone();
                env.insert(axis.clone(), format!("({round} - 1)"));
                let next = self.bound(&of.args[3], at, &env);
                self.line(of, &format!("in ({})", apply(op, &sum, &next)));
                self.indent -= 1;
                name
            }
            Head::Seq => {
                let Head::State(state) = &of.args[0].head else { unreachable!("it was checked") };
                let (axis, size) = of.binds().expect("the term was checked");
                let start = self.element(&of.args[3], at, env);
                let (name, sum, round) = (self.fresh("r"), self.fresh("s"), self.fresh("k"));
                self.line(
                    of,
                    &format!(
                        "let ({name} : int) = loop ({sum} : int = {start}) for {round} <= {size} do"
                    ),
                );
                self.indent += 1;
                let mut env = env.clone();
                env.insert(axis.clone(), format!("({round} - 1)"));
                env.insert(state.clone(), sum);
                let next = self.bound(&of.args[4], at, &env);
                self.line(of, &format!("in ({next})"));
                self.indent -= 1;
                name
            }
            Head::If => {
                let cond = self.element(&of.args[0], at, env);
                let name = self.fresh("v");
                self.line(of, &format!("let ({name} : int) = if {cond} then"));
                for (nth, end) in [(1, "else"), (2, "")] {
                    self.indent += 1;
                    let side = self.element(&of.args[nth], at, env);
                    self.line(of, &format!("in ({side})"));
                    self.indent -= 1;
                    if !end.is_empty() {
                        self.line(of, end);
                    }
                }
                name
            }
            Head::Apply => {
                let op = of.args[0].as_op().expect("the term was checked");
                let a = self.element(&of.args[1], at, env);
                let b = self.element(&of.args[2], at, env);
                // What may get stuck is evaluated where it stands, and a name keeps it from being
                // evaluated twice.
                apply(op, &a, &b)
            }
            Head::Get if self.is_read_through(of) => {
                let axes = of.args[0].args[2..].iter().filter_map(Term::as_axis);
                let mut inside = Env::new();
                for (axis, index) in axes.zip(&of.args[1..]) {
                    let index = self.element(index, at, env);
                    inside.insert(axis.clone(), index);
                }
                self.element(&of.args[0].args[1], &inside, env)
            }
            Head::Get => {
                let array = self.array(&of.args[0], env);
                let indices: Vec<String> = of.args[1..]
                    .iter()
                    .map(|index| format!("{} + 1", self.element(index, at, env)))
                    .collect();
                match indices.is_empty() {
                    true => array,
                    false => format!("{array}[{}]", indices.join(", ")),
                }
            }
            Head::Const(k) => number(*k),
            Head::Index(index) => sum(index, env),
            Head::Scalar(name) => match env.get(name) {
                Some(text) => text.clone(),
                None => format!("p_{name}"),
            },
            _ => unreachable!("the term was checked"),
        }
    }

    /// Is what is read an element of an array in a loop that is simple enough to be computed where it
    /// is read? A work group may store for its invocations what each element of a result reads alone.
    fn is_read_through(&self, get: &Term) -> bool {
        let store = &get.args[0];
        let local = store.head == Head::Store
            && types::free(store).iter().any(|name| !self.scope.params.contains_key(name));
        local && is_plain(store) && super::total::is_total(get, self.scope)
    }

    fn array(&mut self, array: &Term, env: &Env) -> String {
        match &array.head {
            Head::Array(name) => format!("p_{name}"),
            _ => match self.stored.get(&super::print::term(array)) {
                Some(name) => name.clone(),
                None => self.store(array, env),
            },
        }
    }
}

/// Is there no loop in an array but those of its axes, and no other array?
fn is_plain(store: &Term) -> bool {
    let mut plain = true;
    let mut stores = 0;
    store.walk(&mut |term| {
        stores += usize::from(term.head == Head::Store);
        plain &= !matches!(term.head, Head::Red | Head::Seq);
    });
    plain && stores == 1
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

/// An index with its axes called as `env` says.
fn sum(index: &Index, env: &Env) -> String {
    let mut parts = Vec::new();
    for (atom, factor) in index.parts() {
        let atom = match atom {
            Atom::Axis(name) => env.get(name).cloned().unwrap_or_default(),
            Atom::Div(of, by) => format!("({} / {by})", sum(of, env)),
            Atom::Rem(of, by) => format!("({} % {by})", sum(of, env)),
        };
        parts.push(match factor {
            1 => atom,
            factor => format!("({factor}) * {atom}"),
        });
    }
    if index.offset() != 0 || parts.is_empty() {
        parts.push(format!("({})", index.offset()));
    }
    format!("({})", parts.join(" + "))
}
