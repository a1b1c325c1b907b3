//! FCL to the device language, by evaluation: what is known when a program is compiled is computed, what is
//! left of it are statements.
//!
//! | | |
//! |---|---|
//! | before | a well-typed program |
//! | after | what a grid and levels above it compute is the host's; a push array of a grid is a launch of an invocation for each element, and chunks are work groups |
//! | stuck | the same site, with the same thread and operands |
//!
//! - [`value`] says what an expression is while it is lowered. Arrays that are not in memory and functions are
//!   what they are made of, and nothing is left of them where they are used: so `mapPull` of `generate` is
//!   one loop.
//! - [`eval`] evaluates expressions, in the order of the semantics; what may get stuck stands behind a
//!   [`check`], and what is computed once has a name.
//! - [`force`] writes arrays: by a launch, by the invocations of a work group, or by a loop.
//! - [`chunks`] makes chunks below the grid, and above it; [`warps`] those of the warps of a group, and [`masks`] has
//!   what these do where they differ.
//! - [`orders`] has where the elements of chunks go, and [`tiles`] which orders go to each place once.
//! - [`group`] has what a kernel of work groups needs: barriers, control flow that is uniform, and who tells
//!   which check failed first.
//!
//! In a kernel of work groups a `check` has an order: without one it would tell the lowest invocation, but FCL tells
//! chunk and element, and the first array of a chunk that could not be made. A kernel with a loop of the whole group, or
//! with anything else that must not go on behind a failure, has no such checks: it writes the failure of each chunk down,
//! and the host tells the one of the lowest chunk ([`telling::Telling`]).

mod arrays;
mod bounds;
mod check;
mod chunks;
mod code;
mod empty;
mod eval;
mod fold;
mod force;
mod group;
mod groups;
mod hoist;
mod launch;
mod loops;
mod masks;
mod memory;
mod orders;
mod places;
mod telling;
mod tiles;
mod value;
mod warps;
mod wrong;

use crate::target::Fcl;
use code::{Code, Item};
use group::Group;
use reference::device::syntax::{
    Element, Exp, Kernel, Output, Param, Place, Program, Sc, Shown, Site, Ty,
};
use reference::fcl::doubles::Format;
use reference::fcl::eval::Signature;
use reference::fcl::syntax::{self as fcl, Type};
use reference::kit::decisions::Decisions;
use reference::kit::faults::{Fault, Planted, WrongFcl};
use reference::kit::names::{Names, Var};
use reference::kit::text::{Refused, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use value::{Binding, Env, Memory, Part, Pull, Shape, Stored, Val};

/// Where a stop stands that no application of the program is at.
const NOWHERE: Span = Span { start: 0, end: 0 };

/// More statements make no program that anybody wants to run.
const MOST_STATEMENTS: usize = 100_000;

/// The most expressions that are evaluated.
const MOST_STEPS: usize = 1_000_000;

/// How deep evaluations may be nested.
const MOST_DEPTH: usize = 400;

/// `program` of this signature in the device language.
///
/// # Errors
/// What is not lowered, and why.
pub fn lower<'p>(
    program: &'p fcl::Program,
    signature: &Signature,
    target: Fcl,
    planted: Planted,
    decisions: &'p mut Decisions,
) -> Result<Program, Refused> {
    let mut lower = Lower {
        source: program,
        target,
        planted,
        names: Names::new(),
        sites: Vec::new(),
        numbers: FxHashMap::default(),
        kernels: Vec::new(),
        code: Code::default(),
        context: Context {
            memory: Space::Host,
            level: 3,
            failing: Failing::Native(Vec::new()),
            invocation: Exp::i32(0),
            warp: None,
        },
        places: FxHashSet::default(),
        host: FxHashMap::default(),
        ranges: FxHashMap::default(),
        learnt: Vec::new(),
        below: FxHashMap::default(),
        limits: FxHashMap::default(),
        definitions: FxHashMap::default(),
        group: None,
        slabs: Vec::new(),
        notes: Vec::new(),
        elements: empty::elements(program),
        fails: 0,
        depth: 0,
        steps: 0,
        rounds_left: loops::MOST_ROUNDS,
        written_out: FxHashMap::default(),
        decisions,
    };
    lower.code.open();
    let (params, results) = lower.program(signature)?;
    lower.notes.into_iter().for_each(|note| lower.decisions.note(|| note));
    let host = code::host(lower.code.close());
    Ok(Program {
        names: lower.names,
        sites: lower.sites,
        kernels: lower.kernels,
        params,
        host,
        results,
        ..Program::default()
    })
}

/// The same, of a program whose types are not known yet.
///
/// # Errors
/// What is not lowered, and why.
pub(crate) fn lower_typed(
    program: &fcl::Program,
    target: Fcl,
    planted: Planted,
    decisions: &mut Decisions,
) -> Result<Program, Refused> {
    use reference::kit::derivation::Recorder;
    let typed = reference::fcl::types::infer(program, &mut Recorder::counting());
    let typed = typed.expect("only well-typed programs are compiled");
    let params = typed.params.into_iter().map(|param| param.ty).collect();
    let signature = Signature { params, element: typed.element, level: typed.level };
    lower(program, &signature, target, planted, decisions)
}

type Lowered<T = ()> = Result<T, Refused>;

/// Whose statements are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Space {
    /// The host's.
    Host,
    /// Those of a kernel.
    Kernel,
}

/// What a failed check does.
#[derive(Clone, Debug)]
enum Failing {
    /// It is one of the device language, whose path ends with these.
    Native(Vec<Exp>),
    /// The invocation remembers it, as one of this element of what the group makes, and of one in it; of the spine
    /// without an element.
    Group(Vec<Exp>),
}

/// Where statements stand.
#[derive(Clone, Debug)]
struct Context {
    memory: Space,
    /// The level of the location.
    level: u32,
    failing: Failing,
    /// The number of the invocation in its launch, from 0.
    invocation: Exp,
    /// The warp of the group that makes the chunk at hand, if one does.
    warp: Option<warps::Warp>,
}

impl Context {
    /// Do all invocations of a work group, or of a warp of it, do the same here?
    fn is_spine(&self) -> bool {
        let outer = usize::from(self.warp.is_some());
        self.level > 0 && matches!(&self.failing, Failing::Group(path) if path.len() == outer)
    }

    /// The warp whose invocations do the same here, if not all of the group do.
    fn warp(&self) -> Option<&warps::Warp> {
        self.warp.as_ref().filter(|_| self.level > 0)
    }

    /// In an element, from 0, of what a thread makes.
    fn within(&self, index: &Exp) -> Self {
        let mut context = self.clone();
        let (Failing::Native(path) | Failing::Group(path)) = &mut context.failing;
        path.push(fold::bin(reference::kit::scalar::BinOp::Add, index.clone(), Exp::i32(1)));
        context
    }
}

struct Lower<'p> {
    source: &'p fcl::Program,
    target: Fcl,
    /// The fault that it carries, if any.
    planted: Planted,
    names: Names,
    sites: Vec<Site>,
    /// Numbers of the sites.
    numbers: FxHashMap<Site, u32>,
    kernels: Vec<Kernel>,
    code: Code,
    context: Context,
    /// Variables of kernels that are places.
    places: FxHashSet<Var>,
    /// Variables of the host, with their types.
    host: FxHashMap<Var, Ty>,
    /// What values of variables lie in.
    ranges: FxHashMap<Var, bounds::Range>,
    /// What ranges were before more was learnt, in the scopes that are open.
    learnt: Vec<(Var, Option<bounds::Range>)>,
    /// What numbers of chunks and elements are below.
    below: FxHashMap<Var, Exp>,
    /// What lengths of arrays of loops are no more than.
    limits: FxHashMap<Var, Exp>,
    /// What values are bound to.
    definitions: FxHashMap<Var, Exp>,
    /// The kernel of work groups that is written.
    group: Option<Group>,
    /// Blocks that the kernel at hand has a share of for each of its groups or invocations.
    slabs: Vec<memory::Slab>,
    /// What is told of arrays that are shares of blocks.
    notes: Vec<String>,
    /// What elements of arrays would be that are written without.
    elements: empty::Elements,
    /// How many tests were written whose failure the invocation remembers.
    fails: usize,
    depth: usize,
    /// How many expressions were evaluated.
    steps: usize,
    /// How many rounds of a loop may be written out, inside of those that are; 0 where loops are tried.
    rounds_left: usize,
    /// Is the loop there written out?
    written_out: FxHashMap<Span, bool>,
    decisions: &'p mut Decisions,
}

impl<'p> Lower<'p> {
    /// Parameters, statements of the host, and results.
    fn program(&mut self, signature: &Signature) -> Lowered<(Vec<Param>, Vec<Output>)> {
        let program = self.source;
        let Some(main) = program.main() else {
            return Err(refused(Span::default(), "a program", "nothing is defined"));
        };
        let mut env = Env::default();
        for def in program.defs.iter().take_while(|def| def.name != main.name) {
            env = env.with(def.name, Binding::Def(env.clone(), &def.body));
        }
        let mut params = Vec::new();
        let (mut body, mut types) = (&main.body, signature.params.iter());
        // The parameters are called as the program calls them.
        while let fcl::Kind::Fn(var, next) = &body.kind {
            let Some(ty) = types.next() else { break };
            let called = program.names.written(*var).to_owned();
            let value = self.param(&called, ty, body.span, &mut params)?;
            env = env.with(*var, Binding::Value(value));
            body = next;
        }
        let others = types.map(|ty| self.param("argument", ty, body.span, &mut params));
        let others = others.collect::<Lowered<Vec<_>>>()?;
        let eval = |to: &mut Self| {
            let mut value = to.eval(body, &env)?;
            for argument in &others {
                value = to.apply(value, argument.clone(), NOWHERE)?;
            }
            Ok(value.as_push())
        };
        let made = match signature.level {
            0..=2 => self.whole(signature.level, eval)?,
            level => {
                self.context.level = level;
                let push = eval(self)?;
                if force::elements(&push).is_some_and(|pull| pull.is_without_elements()) {
                    let shape = self.shape(&signature.element, body.span)?;
                    let room = self.room(NOWHERE, 3, &shape, &Exp::i32(0), 1)?;
                    room.declared.into_iter().for_each(|(span, item)| self.emit(span, item));
                    return Ok((params, results(&room.stored, body.span)));
                }
                self.force(NOWHERE, &push, force::Into::Fresh(1))?.stored
            }
        };
        Ok((params, results(&made, body.span)))
    }

    /// A parameter, with one of the device program for each component.
    fn param(
        &mut self,
        called: &str,
        ty: &Type,
        span: Span,
        params: &mut Vec<Param>,
    ) -> Lowered<Val<'p>> {
        if let Type::Pull(element) = ty {
            let shape = self.shape(element, span)?;
            let mut blocks = Vec::new();
            for sc in shape.leaves() {
                let var = self.names.fresh(called.to_owned());
                params.push(Param::of_any_length(var, sc));
                self.host.insert(var, Ty::Block(Element::Plain(sc.inside())));
                blocks.push(Exp::Var(var));
            }
            let length = fold::cast(Sc::I32, Exp::Length(Box::new(blocks[0].clone())));
            let length = self.named(span, "length", Sc::I32, length);
            self.ranges_of(&length, bounds::LENGTH);
            let part = |block| Part { memory: Memory::Block(block), offset: Exp::i32(0) };
            let parts = Rc::new(blocks.into_iter().map(part).collect());
            return Ok(Val::pull(Pull::Stored(Stored { shape, length, parts, shared: None })));
        }
        let shape = self.shape(ty, span)?;
        let mut values = Vec::new();
        for sc in shape.leaves() {
            let var = self.names.fresh(called.to_owned());
            params.push(Param::scalar(var, sc));
            self.host.insert(var, Ty::Scalar(sc.inside()));
            values.push(code::restored(sc, Exp::Var(var)));
        }
        Ok(shape.value(&mut values.into_iter()))
    }

    /// The shape of a base type.
    fn shape(&self, ty: &Type, span: Span) -> Lowered<Shape> {
        Ok(match ty {
            Type::Int => Shape::Scalar(Sc::I32),
            Type::Bool => Shape::Scalar(Sc::Bool),
            Type::Double => Shape::Scalar(self.double()),
            Type::Pair(parts) => {
                let first = self.shape(&parts[0], span)?;
                Shape::Pair(Rc::new([first, self.shape(&parts[1], span)?]))
            }
            _ => {
                let reason = "its type is none of scalars and arrays of them";
                return Err(refused(span, "a parameter", reason));
            }
        })
    }

    /// The type that doubles have.
    fn double(&self) -> Sc {
        match self.target.doubles {
            Format::F32 => Sc::F32,
            Format::F64 => Sc::F64,
        }
    }

    /// Appends a statement.
    fn emit(&mut self, span: Span, item: Item) {
        if self.context.memory == Space::Host {
            match &item {
                Item::Let(var, ty, _) | Item::Var(var, ty, _) => {
                    self.host.insert(*var, ty.clone());
                }
                _ => {}
            }
        }
        self.code.emit(span, item);
    }

    /// A name for a value, if it is more than one.
    fn named(&mut self, span: Span, wish: &'static str, sc: Sc, exp: Exp) -> Exp {
        if fold::is_atom(&exp) {
            return exp;
        }
        let var = self.names.fresh(wish);
        if let Some(range) = self.range(&exp) {
            self.ranges.insert(var, range);
        }
        if self.context.memory == Space::Kernel && self.is_uniform(&exp) {
            self.mark_uniform(var);
        }
        self.definitions.insert(var, exp.clone());
        self.emit(span, Item::Let(var, code::ty(sc), exp));
        Exp::Var(var)
    }

    /// A variable that can be assigned to.
    fn variable(&mut self, span: Span, wish: &'static str, ty: Ty, exp: Exp) -> Var {
        let var = self.names.fresh(wish);
        if self.context.memory == Space::Kernel {
            self.places.insert(var);
        }
        self.emit(span, Item::Var(var, ty, exp));
        var
    }

    /// What is in a variable.
    fn read(&self, var: Var) -> Exp {
        if self.places.contains(&var) { Exp::load(Place::Var(var)) } else { Exp::Var(var) }
    }

    /// Writes statements in a block of their own.
    fn scope<T>(
        &mut self,
        write: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<(T, code::Items)> {
        let learnt = self.learnt.len();
        self.code.open();
        let made = write(self);
        let items = self.code.close();
        self.forget(learnt);
        Ok((made?, items))
    }

    /// The same in another context.
    fn inside<T>(
        &mut self,
        context: Context,
        write: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<(T, code::Items)> {
        let around = std::mem::replace(&mut self.context, context);
        let made = self.scope(write);
        self.context = around;
        made
    }

    /// Is this the fault that is planted?
    fn has(&self, fault: WrongFcl) -> bool {
        self.planted.is(Fault::Fcl(fault))
    }

    fn site(&mut self, site: Site) -> u32 {
        let next = self.sites.len() as u32;
        let number = *self.numbers.entry(site).or_insert(next);
        if number == next {
            self.sites.push(site);
        }
        number
    }
}

/// What an array is shown as: one result a component.
fn results(made: &Stored, span: Span) -> Vec<Output> {
    let shown = |(part, sc): (&Part, Sc)| match &part.memory {
        Memory::Block(block) => Output {
            shown: Shown::Array {
                sc,
                block: block.clone(),
                shape: vec![made.length.clone()],
                offset: part.offset.clone(),
                strides: vec![Exp::i32(1)],
            },
            span,
        },
        Memory::Group { .. } | Memory::Private(_) => unreachable!("the host has blocks only"),
    };
    made.parts.iter().zip(made.shape.leaves()).map(shown).collect()
}

/// What is not lowered, and why.
fn refused(span: Span, what: impl Into<String>, reason: impl Into<String>) -> Refused {
    Refused { span, statement: what.into(), reason: reason.into(), second: None }
}
