//! Elaboration of MiniSYCL to MiniAS (reading Y2): what kernels reach, forward, by statement. A raw pointer has an elided
//! space, a reference is a pointer, a struct its fields, a lambda a function that is passed what it captures. Templates are
//! made once for each list of types. Functions are duplicated by the generalisation of MiniAS; where types carry spaces, so
//! that the space of an argument decides what a type in the body is, they are made once for each list of spaces too.
//!
//! Places are those of the C++.

mod calls;
mod convert;
mod exps;
mod free;
mod height;
mod stmts;
mod structs;
mod templates;
mod types;

use super::options::Answers;
use super::rules::Rule;
use super::syntax::{self as cpp, Function, Item, Program, Struct};
use crate::kit::derivation::Recorder;
use crate::kit::names::{Names, Var};
use crate::kit::text::{Limit, MAX_NESTING, Rejected, Span};
use crate::minias::launch::Launch;
use crate::minias::lex::KEYWORDS;
use crate::minias::syntax::{self as mas, Builtin};
use calls::{Key, Made, Waiting};
use std::collections::HashMap;
use structs::MadeStruct;
use types::{Ty, Types};

type Elaborated<T> = Result<T, Rejected>;

/// Instances of functions, structs and lambdas that a program may have.
const MOST_INSTANCES: usize = 10_000;

/// Expressions that a program may become.
const MOST_EXPRESSIONS: usize = 1 << 20;

/// Instances of templates and lambdas that may be made within one another.
const MOST_OPEN: usize = 64;

/// Expressions and statements that may be elaborated within one another: those of a function whose result is not said are
/// elaborated within its call.
const MOST_DEPTH: usize = 16 * MAX_NESTING;

/// Variables that a variable of one type may become.
const MOST_PARTS: usize = 1 << 10;

/// The program of MiniAS that a program is.
///
/// # Errors
/// What it is refused by, and where.
pub fn elaborate(
    program: &Program,
    answers: Answers,
    launch: &Launch,
    to: &mut Recorder<Rule>,
) -> Result<mas::Program, Rejected> {
    with_bools(program, answers, launch, to).map(|(made, _)| made)
}

/// The same, with the parameters of kernels that point to bools.
///
/// # Errors
/// What it is refused by, and where.
pub(super) fn with_bools(
    program: &Program,
    answers: Answers,
    launch: &Launch,
    to: &mut Recorder<Rule>,
) -> Result<(mas::Program, Vec<Var>), Rejected> {
    let builtins = Builtin::ALL.into_iter().map(Builtin::name);
    let mut elaborator = Elaborator {
        answers,
        to,
        names: Names::avoiding(KEYWORDS.into_iter().chain(builtins)),
        functions: HashMap::new(),
        structs: HashMap::new(),
        made: HashMap::new(),
        waiting: Vec::new(),
        made_structs: Vec::new(),
        struct_numbers: HashMap::new(),
        closures: Vec::new(),
        asked: 0,
        items: Vec::new(),
        function: Context::default(),
        open: 0,
        depth: 0,
        expressions: 0,
        bools: Vec::new(),
    };
    elaborator.program(program)?;
    let items = elaborator.items.into_iter().map(mas::Item::Function).collect();
    let options = mas::Options { mode: answers.mode(), launch: launch.clone() };
    let made = mas::Program { names: elaborator.names, items, options };
    height::check(&made)?;
    Ok((made, elaborator.bools))
}

/// What a name stands for.
#[derive(Clone, Debug)]
struct Variable {
    ty: Ty,
    /// The variables of MiniAS that it became, or what it captured.
    leaves: Vec<mas::Exp>,
    /// Is it an array? Then the leaf is the pointer to its first element.
    array: bool,
    /// Of a copy that a lambda made: is what it copied const? The copy is.
    copied_const: Option<bool>,
    span: Span,
}

/// A lambda that was evaluated.
struct Closure<'p> {
    lambda: &'p cpp::Lambda,
    span: Span,
    /// What it captures: references if it captures by reference.
    captures: Vec<(&'p str, Ty)>,
    /// The types of its parameters; none where they are `auto`.
    params: Vec<Option<Ty>>,
    /// What the parameters of the template around it stand for.
    types: Types<'p>,
    /// How many ints and pointers it captures.
    parts: usize,
    /// Is it called?
    called: bool,
    /// Of the function around it, see [`Context`].
    within: usize,
    /// What is around it and its body names in `decltype`. That is not captured, and has only a type there.
    outside: HashMap<&'p str, Variable>,
}

/// The function that is elaborated.
#[derive(Default)]
struct Context<'p> {
    types: Types<'p>,
    /// The open blocks, the innermost last.
    blocks: Vec<HashMap<&'p str, Variable>>,
    /// The type of its result, once it is known.
    result: Option<Ty>,
    /// Is the type of its result that of what it returns first?
    deduces_result: bool,
    /// In how many instances it was called for the first time.
    within: usize,
    /// Which instance it is.
    key: Option<Key<'p>>,
    /// Of a lambda, see [`Closure`].
    outside: HashMap<&'p str, Variable>,
    /// In how many `decltype` within one another what is elaborated stands.
    unevaluated: usize,
}

struct Elaborator<'p, 'r> {
    answers: Answers,
    to: &'r mut Recorder<Rule>,
    names: Names,
    functions: HashMap<&'p str, &'p Function>,
    structs: HashMap<&'p str, &'p Struct>,
    /// The instances of functions and lambdas.
    made: HashMap<Key<'p>, Made>,
    /// Instances whose bodies are still to be elaborated.
    waiting: Vec<Waiting<'p>>,
    made_structs: Vec<MadeStruct<'p>>,
    struct_numbers: HashMap<(&'p str, String), Option<usize>>,
    closures: Vec<Closure<'p>>,
    /// So many lambdas were asked whether they are called.
    asked: usize,
    items: Vec<mas::Function>,
    function: Context<'p>,
    /// Types that are being made within one another.
    open: usize,
    /// Expressions and statements that are being elaborated within one another.
    depth: usize,
    expressions: usize,
    /// The parameters of kernels that point to bools.
    bools: Vec<Var>,
}

impl<'p> Elaborator<'p, '_> {
    /// `Y-PROGRAM`: no two functions or structs have one name (once), and there is a kernel (kernel). What kernels reach is
    /// elaborated.
    fn program(&mut self, program: &'p Program) -> Elaborated<()> {
        self.to.enter(Rule::YProgram, || "the program".to_owned());
        let mut spans: HashMap<&str, Span> = HashMap::new();
        for item in &program.items {
            let name = match item {
                Item::Struct(item) => {
                    self.structs.insert(&item.name.text, item);
                    &item.name
                }
                Item::Function(item) => {
                    self.functions.insert(&item.name.text, item);
                    &item.name
                }
            };
            if let Some(before) = spans.insert(&name.text, name.span) {
                let message = format!("`{}` is declared twice", name.text);
                let refused = Rejected::new(name.span, message, "the second time")
                    .with(before, "the first time")
                    .help("MiniSYCL has no overloads");
                return self.refuse(Rule::YProgram, "once", refused);
            }
        }
        let kernels = program.items.iter().filter_map(|item| match item {
            Item::Function(function) if function.kernel => Some(function),
            _ => None,
        });
        let mut any = false;
        for kernel in kernels {
            any = true;
            self.kernel(kernel)?;
        }
        if !any {
            let message = "there is no kernel, so nothing is compiled";
            let refused = Rejected::new(Span::default(), message, "in this program")
                .help("only what a kernel reaches is elaborated; write `kernel void k(…) { … }`");
            return self.refuse(Rule::YProgram, "kernel", refused);
        }
        self.to.leave(String::new);
        Ok(())
    }

    /// A premise of the rule fails.
    fn refuse<T>(&mut self, rule: Rule, premise: &'static str, refused: Rejected) -> Elaborated<T> {
        self.to.fail(rule, premise);
        Err(rule.refuses(premise, refused))
    }

    /// An expression of MiniAS.
    fn made(&mut self, span: Span, kind: mas::Kind) -> Elaborated<mas::Exp> {
        self.count(1, span)?;
        Ok(mas::Exp { span, kind })
    }

    /// So many expressions more.
    fn count(&mut self, expressions: usize, span: Span) -> Elaborated<()> {
        self.expressions = self.expressions.saturating_add(expressions);
        if self.expressions > MOST_EXPRESSIONS {
            let message = format!("the program becomes more than {MOST_EXPRESSIONS} expressions");
            let refused = Rejected::new(span, message, "one too many").by_limit(Limit::Length);
            return Err(refused.help("templates and captures copy what they are made of"));
        }
        Ok(())
    }

    /// One more expression or statement within others.
    fn descends(&mut self, span: Span) -> Elaborated<()> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            let message =
                format!("more than {MOST_DEPTH} expressions and statements within one another");
            let refused = Rejected::new(span, message, "one too many").by_limit(Limit::Nesting);
            let help =
                "the body of a function is within its call where it decides the type of the result";
            return Err(refused.help(help));
        }
        Ok(())
    }

    /// A new variable of MiniAS.
    fn fresh(&mut self, name: &str) -> Var {
        self.names.fresh(name.to_owned())
    }

    /// `Y-NAME`: what a name stands for (scope).
    fn find(&mut self, name: &str, span: Span) -> Elaborated<&Variable> {
        self.to.enter(Rule::YName, || name.to_owned());
        let Context { blocks, outside, unevaluated, .. } = &self.function;
        let Some(at) = blocks.iter().rposition(|block| block.contains_key(name)) else {
            if *unevaluated > 0 && outside.contains_key(name) {
                self.to.leave(String::new);
                return Ok(&self.function.outside[name]);
            }
            let message = format!("`{name}` is not in scope");
            let refused = Rejected::new(span, message, "not declared, or not captured, here");
            return self.refuse(Rule::YName, "scope", refused);
        };
        self.to.leave(String::new);
        Ok(&self.function.blocks[at][name])
    }

    /// Binds a name in the innermost block (once).
    fn bind(&mut self, name: &'p cpp::Name, variable: Variable) -> Elaborated<()> {
        let span = name.span;
        let block = self.function.blocks.last_mut().expect("a block is open");
        let Some(before) = block.insert(&name.text, variable) else { return Ok(()) };
        let message = format!("`{}` is declared twice in one block", name.text);
        let refused =
            Rejected::new(span, message, "the second time").with(before.span, "the first time");
        self.refuse(Rule::YDecl, "once", refused)
    }
}
