//! λG to the device language.
//!
//! | | |
//! |---|---|
//! | before | a program that has a type |
//! | after | what the host evaluates is statements of the host, an `on` is launches of two kernels |
//! | stuck | the same site, with the same thread and operands; where a region is full, of its cause only (L64) |
//!
//! Functions are values and call themselves, and neither language has that. So a program becomes states of a machine
//! with a program counter and a stack: a function is the state of its number, what follows a call that is no tail call is a
//! state whose variables wait on the stack. Closures are defunctionalised: one holds the number of its state, and its
//! environment. A function that applies itself last is thus a loop, any other takes of the stack, whose depth is stated in
//! [`Limits`]; where it is deeper, compiled code gives up.
//!
//! There are three machines, each with a state for each function that may be applied in it:
//!
//! - [`Mode::Host`] evaluates at C. `||` and `parmap` go one after the other.
//! - [`Mode::Serial`] is a kernel of one invocation: what an `on` does outside of `||` and `parmap`. At one of these it
//!   stops, the host launches the threads, and it goes on with what they came to.
//! - [`Mode::Thread`] is a kernel of an invocation for each branch. What is nested in it goes one after the other.
//!
//! A value is a word: a bool, or a location: the number of a region and an offset in words, as the semantics counts them
//! (L6). Of a region that holds so many words, each is a *cell* of several words of memory, so many that two hold the widest
//! closure with its environment; the second word of a vector's first cell is its length. An `on` copies the regions that it
//! uses to blocks of its own, allocates there by atomics, and copies what is new back.
//!
//! - [`closures`] has the functions and what their closures know, [`code`] the statements that are written.
//! - [`machine`] has states, registers, stack and memory; [`exps`] expressions, [`parallel`] branches.
//! - [`host`] and [`on`] have what only the host does, [`kernels`] the two kernels.
//! - [`border`] has what goes in and comes out.

mod border;
mod closures;
mod code;
mod exps;
mod host;
mod kernels;
mod machine;
mod on;
mod parallel;

use closures::Lambdas;
use machine::Machine;
use reference::device::syntax::{Exp, Program, Site};
use reference::kit::faults::{Fault, Planted, WrongLambdaG};
use reference::kit::names::{Names, Var};
use reference::kit::text::Refused;
use reference::lambda_g::syntax as lambda_g;
use reference::lambda_g::types::{Facts, facts};
use rustc_hash::FxHashMap;

reference::causes! {
    /// The stack of a machine is not deep enough.
    pub DEPTH = "depth", [], never, "a stack that is too deep",
        gives_up "calls in one another that take more of the stack than a thread of compiled code is given";
    /// A region has no room for more words, or there are too many regions.
    pub ROOM = "room", [], never, "a region that is too large",
        gives_up "regions that are larger, or more of them, than compiled code has numbers for";
}

/// Offsets of a region have so many bits; its number is above them.
const OFFSET: i32 = 24;

/// The most words of a region.
const MOST_WORDS: i32 = (1 << OFFSET) - 1;

/// The most regions at a time.
const MOST_REGIONS: i32 = 127;

/// The most types in one another of a result, which a text of the device language can have.
const MOST_NESTED: usize = 200;

/// What a program is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `BSIZE`: the words of a new region, and the least by which one grows.
    pub base: u32,
    /// The most words of the stack of the host, which grows.
    pub host_stack: u32,
    /// Words of the stack of each thread, and of what it keeps beside it.
    pub device_stack: u32,
    /// The most states of a machine that a thread goes through in one launch. One that is not done then goes on in the
    /// next launch.
    pub rounds: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { base: 1024, host_stack: 1 << 16, device_stack: 1024, rounds: 1 << 14 }
    }
}

type Lowering<T = ()> = Result<T, Refused>;

/// The machine that states are written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Host,
    Serial,
    Thread,
}

/// What another machine starts with: an expression whose variables lie on the stack of the machine that asks for it.
struct Start<'p> {
    task: Task<'p>,
    /// Where variables lie.
    scope: FxHashMap<Var, usize>,
    /// What lies there, of which some was known.
    live: Vec<Exp>,
}

/// What is started.
#[derive(Clone, Copy)]
enum Task<'p> {
    /// The body of an `on`.
    On(&'p lambda_g::Exp),
    /// The branches of a `||`.
    Par(&'p [lambda_g::Exp; 2]),
    /// The branches of a `parmap`; over a vector if that is the last of what lies there.
    ParMap(&'p lambda_g::Exp, &'p lambda_g::Over),
}

/// What is known of the whole program.
struct Lower<'p> {
    facts: &'p Facts,
    lambdas: Lambdas<'p>,
    limits: Limits,
    planted: Planted,
    /// The words of a cell.
    width: i32,
    names: Names,
    sites: Vec<Site>,
    numbers: FxHashMap<Site, u32>,
    /// What the serial kernel starts with.
    ons: Vec<Start<'p>>,
    /// What threads start with.
    threads: Vec<Start<'p>>,
    /// Are there any?
    has_threads: bool,
    /// The functions of each `parmap` that is all that threads do.
    nested: Vec<*const lambda_g::Exp>,
}

/// `program` in the device language, with a fault if one is planted.
///
/// # Errors
/// That it has no type, or that its result is of types that are nested too deeply for a text.
pub fn lower(program: &lambda_g::Program, limits: Limits, planted: Planted) -> Lowering<Program> {
    let facts = facts(program).map_err(|no| Refused {
        span: program.body.span,
        statement: "the program".to_owned(),
        reason: no.message,
        second: None,
    })?;
    if facts.result.depth() > MOST_NESTED {
        let reason = format!("the result has more than {MOST_NESTED} types in one another");
        return Err(Refused {
            span: program.body.span,
            statement: "the result".to_owned(),
            reason,
            second: None,
        });
    }
    let lambdas = Lambdas::of(&program.body, &facts);
    let width = (lambdas.widest() as i32 + 2) / 2;
    let mut lower = Lower {
        facts: &facts,
        lambdas,
        limits,
        planted,
        width: width.max(2),
        names: Names::new(),
        sites: Vec::new(),
        numbers: FxHashMap::default(),
        ons: Vec::new(),
        threads: Vec::new(),
        has_threads: false,
        nested: Vec::new(),
    };
    Ok(lower.program(program))
}

impl<'p> Lower<'p> {
    fn program(&mut self, program: &'p lambda_g::Program) -> Program {
        let facts = self.facts;
        let mut host = Machine::new(self, Mode::Host);
        let params = host.begins_run(program, facts);
        let kernels = host.whole(&program.body);
        let results = host.shows(&facts.result);
        let host = host.code.host(0);
        Program {
            names: std::mem::take(&mut self.names),
            sites: std::mem::take(&mut self.sites),
            kernels,
            params,
            host,
            results,
            ..Program::default()
        }
    }

    /// Is this the fault that is planted?
    fn has(&self, wrong: WrongLambdaG) -> bool {
        self.planted.is(Fault::LambdaG(wrong))
    }

    /// The number of a `parmap`, by its function, whose branches may be told of with the thread around.
    fn nested_number(&self, f: &lambda_g::Exp) -> Option<i32> {
        let at = self.nested.iter().position(|other| std::ptr::eq(*other, f))?;
        Some(at as i32 + 1)
    }
}
