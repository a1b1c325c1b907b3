//! `specialise`: what is known of an FCL program when it is compiled is computed.
//!
//! | | |
//! |---|---|
//! | before | a well-typed program |
//! | after | one definition, in which functions are arguments of operators and parameters of the program only, levels are constant, and every step that is left has a name |
//! | stuck | the same site, thread and operands |
//!
//! Definitions are unfolded, functions and levels applied, and operators on literals evaluated where they are not
//! stuck. Everything else stays where it is evaluated: each application that is left is bound by a `let`, in the order of
//! evaluation, so nothing is computed twice that the program computes once. Elements of arrays and
//! the arguments of `concat` and `interleave` stay unevaluated, each with the bindings that are its own.
//!
//! `mapPull` of an array that `generate` or `mapPull` made becomes one array, since who uses an element evaluates it
//! each time; lengths that are known are put in their places; bindings that cannot get stuck and are not used
//! go.

mod apply;
mod residual;

use reference::fcl::syntax::{self as fcl, Def, Exp, Kind, Level, Op, Program, Scheme};
use reference::fcl::types;
use reference::kit::derivation::Recorder;
use reference::kit::names::{Names, Var};
use reference::kit::text::{Refused, Rejected, Span};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The most expressions of a specialised program.
pub const MOST_EXPRESSIONS: usize = 20_000;

/// The most expressions that are evaluated.
const MOST_STEPS: usize = 1_000_000;

/// The most bindings one after the other, and evaluations in one another.
const MOST_DEPTH: usize = 400;

/// The pass.
///
/// # Errors
/// The specialised program would have more than [`MOST_EXPRESSIONS`] expressions or too large types, or an `if` chooses a
/// function by a branch that computes.
pub fn specialise(program: &Program) -> Result<Program, Refused> {
    let special = specialised(program, false)?;
    if is_well_typed(&special)? {
        return Ok(special);
    }
    // Functions are unfolded, and what they put together has the turnstile of what is around them then.
    let special = specialised(program, true)?;
    is_well_typed(&special)?;
    Ok(special)
}

/// Is a specialised program well typed?
///
/// # Errors
/// Its types are too large: levels are written out in it, and a level may be as high as the program makes it.
fn is_well_typed(special: &Program) -> Result<bool, Refused> {
    match types::infer(special, &mut Recorder::counting()) {
        Err(Rejected { limit: Some(_), span, message, .. }) => Err(too_large(span, message)),
        found => Ok(found.is_ok()),
    }
}

/// The program, in which chunks are put together in functions of their own where they are to have turnstiles of their own.
fn specialised(program: &Program, own_turnstiles: bool) -> Result<Program, Refused> {
    let Some(main) = program.main() else { return Ok(program.clone()) };
    let mut env = Env::default();
    for def in program.defs.iter().take_while(|def| def.name != main.name) {
        env = env.with(def.name, Binding::Def(env.clone(), &def.body));
    }
    let mut to = Specialise {
        names: program.names.clone(),
        scopes: Vec::new(),
        known: FxHashMap::default(),
        own_turnstiles,
        made: 0,
        depth: 0,
        steps: 0,
    };
    let body = to.scope(main.body.span, |to| to.eval(&main.body, &env))?;
    let body = residual::without_unused(body);
    let name = main.name;
    // What the program made of a parameter may be gone, and that it is an array with it.
    let typed = types::infer(program, &mut Recorder::counting());
    let ty = typed.expect("only well-typed programs are compiled").main();
    let sig = Some(Scheme { span: main.span, vars: Vec::new(), ty });
    let def = Def { span: main.span, name, prelude: false, sig, body };
    Ok(Program { names: to.names, defs: vec![def] })
}

type Made<T> = Result<T, Refused>;

/// What an expression is while the program is specialised.
#[derive(Clone)]
enum Val<'p> {
    /// An expression that takes no step: a literal, a variable, an operator without arguments.
    Atom(Exp),
    /// `(v, v)`
    Pair(Rc<[Val<'p>; 2]>),
    /// `fn x => e`
    Fn(Env<'p>, Var, &'p Exp),
    /// `fn <α> => e`
    LevelFn(Env<'p>, Var, &'p Exp),
    /// An operator, the place of its name, and what it was given so far.
    Op(Op, Span, Option<u32>, Rc<Vec<Val<'p>>>),
    /// An argument that stays unevaluated.
    Lazy(Env<'p>, &'p Exp),
    /// The first if the atom is true, else the second.
    Either(Exp, Rc<[Val<'p>; 2]>),
}

/// What is known of an array that is bound.
#[derive(Clone)]
enum Known<'p> {
    /// An array with so many elements.
    Literal(usize),
    /// `generate n f`, applied there.
    Generate(Exp, Val<'p>, Span),
    /// `mapPull f a`, applied there.
    Map(Val<'p>, Exp, Span),
}

struct Specialise<'p> {
    names: Names,
    /// The bindings of the scopes that are open.
    scopes: Vec<Vec<(Var, Exp)>>,
    known: FxHashMap<Var, Known<'p>>,
    /// Does `concat m a` become `(fn x => concat m a) 0`, whose body has a turnstile of its own by `T-FN`?
    own_turnstiles: bool,
    /// How many expressions were made.
    made: usize,
    depth: usize,
    /// How many expressions were evaluated.
    steps: usize,
}

/// What variables stand for.
#[derive(Clone, Default)]
struct Env<'p>(Option<Rc<Bound<'p>>>);

struct Bound<'p> {
    var: Var,
    is: Binding<'p>,
    outer: Env<'p>,
}

#[derive(Clone)]
enum Binding<'p> {
    Val(Val<'p>),
    Level(u32),
    /// What a definition says, in the scope of those before it.
    Def(Env<'p>, &'p Exp),
}

impl<'p> Env<'p> {
    fn with(&self, var: Var, is: Binding<'p>) -> Self {
        Env(Some(Rc::new(Bound { var, is, outer: self.clone() })))
    }

    /// # Panics
    /// If the variable is not bound: the program is well typed.
    fn get(&self, var: Var) -> &Binding<'p> {
        let mut at = self;
        loop {
            let bound = at.0.as_ref().expect("T-VAR: a variable is bound");
            if bound.var == var {
                return &bound.is;
            }
            at = &bound.outer;
        }
    }

    fn level(&self, level: Level) -> u32 {
        let base = level.var.map_or(0, |var| match self.get(var) {
            Binding::Level(base) => *base,
            _ => unreachable!("K-VAR: a level variable stands for a level"),
        });
        base + level.succs
    }
}

impl Drop for Bound<'_> {
    /// Long lists of bindings are dropped one by one, not each inside of the one before it.
    fn drop(&mut self) {
        let mut outer = self.outer.0.take();
        while let Some(mut bound) = outer.and_then(Rc::into_inner) {
            outer = bound.outer.0.take();
        }
    }
}

impl<'p> Specialise<'p> {
    /// `e ⇓ v`
    fn eval(&mut self, exp: &'p Exp, env: &Env<'p>) -> Made<Val<'p>> {
        if self.depth > MOST_DEPTH {
            return Err(too_large(exp.span, format!("evaluations more than {MOST_DEPTH} deep")));
        }
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return Err(too_large(exp.span, format!("more than {MOST_STEPS} evaluations")));
        }
        self.depth += 1;
        let (mut exp, mut env) = (exp, env.clone());
        while let Kind::Let(binding) = &exp.kind {
            let bound = self.eval(&binding.bound, &env)?;
            env = env.with(binding.var, Binding::Val(bound));
            exp = &binding.body;
        }
        let value = self.eval_kind(exp, &env);
        self.depth -= 1;
        value
    }

    fn eval_kind(&mut self, exp: &'p Exp, env: &Env<'p>) -> Made<Val<'p>> {
        let span = exp.span;
        Ok(match &exp.kind {
            Kind::Int(_) | Kind::Double(_) | Kind::Bool(_) => Val::Atom(exp.clone()),
            Kind::Var(var) => match env.get(*var) {
                Binding::Val(val) => val.clone(),
                Binding::Def(outer, body) => {
                    let (outer, body) = (outer.clone(), *body);
                    return self.eval(body, &outer);
                }
                Binding::Level(_) => unreachable!("T-VAR: a level is no value"),
            },
            Kind::Op(op) if op.arity() == 0 => Val::Atom(exp.clone()),
            Kind::Op(op) => Val::Op(*op, span, None, Rc::default()),
            Kind::Array(elements) => {
                let made = elements
                    .iter()
                    .map(|element| self.scope(element.span, |to| to.eval(element, env)));
                let made = made.collect::<Made<Vec<_>>>()?;
                let known = Known::Literal(made.len());
                self.bind(Exp::new(span, Kind::Array(made)), Some(known))?
            }
            Kind::Pair(parts) => {
                let first = self.eval(&parts[0], env)?;
                Val::Pair(Rc::new([first, self.eval(&parts[1], env)?]))
            }
            Kind::Fn(var, body) => Val::Fn(env.clone(), *var, body),
            Kind::LevelFn(var, body) => Val::LevelFn(env.clone(), *var, body),
            Kind::App(parts) => {
                let function = self.eval(&parts[0], env)?;
                let lazy = matches!(function, Val::Op(Op::Concat | Op::Interleave, ..));
                let argument = match lazy {
                    true => Val::Lazy(env.clone(), &parts[1]),
                    false => self.eval(&parts[1], env)?,
                };
                return self.apply(function, argument, span);
            }
            Kind::LevelApp(inner, level) => {
                let level = env.level(*level);
                let function = self.eval(inner, env)?;
                return self.apply_level(function, level, span);
            }
            Kind::Let(_) => unreachable!("bindings come before"),
            Kind::If(parts) => {
                let cond = self.eval(&parts[0], env)?;
                let [_, then, orelse] = &**parts;
                let Val::Atom(cond) = cond else { unreachable!("T-IF: a condition is a bool") };
                return self.branch(span, cond, |to| to.eval(then, env), |to| to.eval(orelse, env));
            }
        })
    }

    /// `if c then v else v`; only the branch that is taken is evaluated.
    fn branch(
        &mut self,
        span: Span,
        cond: Exp,
        then: impl FnOnce(&mut Self) -> Made<Val<'p>>,
        orelse: impl FnOnce(&mut Self) -> Made<Val<'p>>,
    ) -> Made<Val<'p>> {
        if let Kind::Bool(known) = cond.kind {
            return if known { then(self) } else { orelse(self) };
        }
        self.scopes.push(Vec::new());
        let first = then(self);
        let of_first = self.scopes.pop().unwrap_or_default();
        self.scopes.push(Vec::new());
        let second = first.and_then(|first| Ok((first, orelse(self)?)));
        let of_second = self.scopes.pop().unwrap_or_default();
        let (first, second) = second?;
        if has_function(&first) || has_function(&second) {
            if !of_first.is_empty() || !of_second.is_empty() {
                let reason = "a function is chosen by a branch that computes";
                let statement = "an `if`".to_owned();
                return Err(Refused { span, statement, reason: reason.to_owned(), second: None });
            }
            return Ok(Val::Either(cond, Rc::new([first, second])));
        }
        let first = self.reify(&first, span)?;
        let second = self.reify(&second, span)?;
        let sides = [cond, residual::within(of_first, first), residual::within(of_second, second)];
        self.bind(Exp::new(span, Kind::If(Box::new(sides))), None)
    }

    /// A name for a step that is left.
    fn bind(&mut self, exp: Exp, known: Option<Known<'p>>) -> Made<Val<'p>> {
        self.makes(exp.span, 2)?;
        let span = exp.span;
        let var = self.names.fresh("x");
        if let Some(known) = known {
            self.known.insert(var, known);
        }
        let scope = self.scopes.last_mut().expect("a scope is open");
        scope.push((var, exp));
        if scope.len() > MOST_DEPTH {
            let reason = format!("more than {MOST_DEPTH} steps one after the other");
            return Err(too_large(span, reason));
        }
        Ok(Val::Atom(Exp::new(span, Kind::Var(var))))
    }

    /// What is evaluated in a scope of its own, as an expression.
    fn scope(&mut self, span: Span, eval: impl FnOnce(&mut Self) -> Made<Val<'p>>) -> Made<Exp> {
        self.scopes.push(Vec::new());
        let value = eval(self).and_then(|value| self.reify(&value, span));
        let bindings = self.scopes.pop().unwrap_or_default();
        Ok(residual::within(bindings, value?))
    }

    /// So many expressions are made.
    fn makes(&mut self, span: Span, expressions: usize) -> Made<()> {
        self.made += expressions;
        if self.made > MOST_EXPRESSIONS {
            let reason = format!("more than {MOST_EXPRESSIONS} expressions");
            return Err(too_large(span, reason));
        }
        Ok(())
    }
}

/// Is there a function in it?
fn has_function(val: &Val<'_>) -> bool {
    match val {
        Val::Atom(_) => false,
        Val::Pair(parts) => parts.iter().any(has_function),
        _ => true,
    }
}

fn too_large(span: Span, reason: String) -> Refused {
    Refused { span, statement: "a specialised program".to_owned(), reason, second: None }
}

/// A variable as an expression.
fn variable(span: Span, var: Var) -> Exp {
    Exp::new(span, Kind::Var(var))
}

/// The int that an atom is.
fn int(exp: &Exp) -> Option<i32> {
    match exp.kind {
        fcl::Kind::Int(k) => Some(k),
        _ => None,
    }
}
