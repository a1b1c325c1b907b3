//! MiniAS to the device language: one launch of one kernel.
//!
//! | | |
//! |---|---|
//! | before | a program with types, and a launch of it |
//! | after | one kernel, whose groups are those of the launch; functions for the rows that they are called with |
//! | stuck | the same site, with the same item and operands |
//!
//! A pointer is a tag, a block, a start, a size and an offset ([`value`]); what its row says of these is known, and neither
//! passed nor carried. So a pointer to one space is accessed there, and one of several spaces by a `switch` over its tag: the
//! jump table of section 2.2. [`Form`] says whether functions are made for each row that they are called with, or once,
//! and are passed evidence (fig. 9, by fixed ids) when they run.
//!
//! - [`scan`] and [`graph`] find the instances of functions, and what each needs in private memory.
//! - [`memory`] has one array for each of local and private memory and each kind of cell, and the loads and stores.
//! - [`parting`] says which assignment a barrier in control flow that is not uniform is refused for.
//! - [`exps`] and [`stmts`] follow the rules of evaluation, from left to right. Variables whose address is not taken are
//!   values; [`code`] says which, and joins them behind branches. `return` and `?:` become flags and branches.

mod branches;
mod calls;
mod code;
mod exps;
mod fold;
mod graph;
mod host;
mod loops;
mod memory;
mod parting;
mod scan;
mod stmts;
mod value;

use code::Code;
use graph::{Graph, Rows};
use memory::{Home, Memory};
use parting::Why;
use reference::device::syntax::{self as device, Check, Exp, Kind, Program, Site, Ty as DeviceTy};
use reference::device::validate;
use reference::kit::cause::Cause;
use reference::kit::faults::{Fault, Planted, WrongMinias};
use reference::kit::names::{Names, Var};
use reference::kit::text::{Refused, Span};
use reference::minias::launch::Launch;
use reference::minias::print;
use reference::minias::rows::{Row, RowVar, Ty};
use reference::minias::syntax::{self, Space, Spaces};
use reference::minias::types::{Scheme, Typed};
use rustc_hash::FxHashMap;
use value::{POINTER, Part};

pub use graph::MOST_INSTANCES;

/// The most statements of a program.
const MOST_STATEMENTS: usize = 100_000;

/// How deep blocks are nested at most.
const MOST_DEPTH: usize = 100;

/// How functions know the spaces of their pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// There is one for the rows of each call.
    Specialised,
    /// There is one for all calls, which pass evidence.
    Evidence,
}

type Lowered<T = ()> = Result<T, Refused>;

/// The launch of a program with these types, in the device language.
///
/// # Errors
/// What is not lowered, and why: recursion, too many instances, a barrier in control flow that is not uniform.
///
/// # Panics
/// If the types are not those of the program, or the launch is of no kernel of it.
pub fn lower(
    program: &syntax::Program,
    typed: &Typed,
    launch: &Launch,
    form: Form,
    planted: Planted,
) -> Lowered<Program> {
    let kernel = launch.kernel(program).expect("the input was made to fit this launch");
    if launch.size > device::MAX_GROUP {
        let reason = format!(
            "its groups are of {} items, and at most {} are run",
            launch.size,
            device::MAX_GROUP
        );
        let name = program.names.written(kernel.name);
        return Err(refused(kernel.span, &format!("kernel {name}"), reason));
    }
    let graph = Graph::of(program, typed, kernel, (form, planted))?;
    let mut names = program.names.clone();
    let memory = Memory::new(program, kernel, &graph, (launch, planted), &mut names)?;
    let (returned, result) = (names.fresh("returned"), names.fresh("result"));
    let mut lower = Lower {
        program,
        form,
        planted,
        launch,
        types: typed.variables.iter().map(|(var, ty)| (*var, ty)).collect(),
        schemes: typed.schemes.iter().map(|(name, scheme)| (*name, scheme)).collect(),
        graph,
        memory,
        names,
        sites: Vec::new(),
        numbers: FxHashMap::default(),
        functions: Vec::new(),
        code: Code::default(),
        around: Around::default(),
        returned,
        result,
    };
    let kernel_number = lower.graph.instances.len() - 1;
    for instance in 0..kernel_number {
        lower.function(instance)?;
    }
    lower.program(kernel, kernel_number)
}

fn refused(span: Span, statement: &str, reason: impl Into<String>) -> Refused {
    Refused::new(span, statement, reason)
}

struct Lower<'p> {
    program: &'p syntax::Program,
    form: Form,
    planted: Planted,
    launch: &'p Launch,
    types: FxHashMap<Var, &'p Ty>,
    schemes: FxHashMap<Var, &'p Scheme>,
    graph: Graph<'p>,
    memory: Memory,
    names: Names,
    sites: Vec<Site>,
    /// Numbers of the sites.
    numbers: FxHashMap<Site, u32>,
    /// One for each instance so far.
    functions: Vec<device::Function>,
    code: Code,
    around: Around,
    /// What is known of whether the function returned, and of what, is kept with its variables by these names.
    returned: Var,
    result: Var,
}

/// The instance that is lowered.
#[derive(Default)]
struct Around {
    instance: usize,
    rows: Rows,
    /// Where variables are that are in memory.
    homes: FxHashMap<Var, Home>,
    /// The number of the item, if it is passed.
    item: Option<Exp>,
    /// The blocks of constants that are passed.
    constants: FxHashMap<Var, Exp>,
    /// The evidence that is passed.
    evidence: Vec<((RowVar, Space), Exp)>,
}

impl<'p> Lower<'p> {
    /// The type, where row variables stand for what they do in this instance.
    fn here(&self, ty: &Ty) -> Ty {
        ty.under(&self.around.rows)
    }

    /// The spaces that a pointer of the type may point to.
    fn spaces(&self, ty: &Ty) -> Spaces {
        let row = self.here(ty).row().unwrap_or(Row::closed(Spaces::NONE));
        self.graph.spaces(row)
    }

    /// Is this the fault that is planted?
    fn is_wrong(&self, wrong: WrongMinias) -> bool {
        self.planted.is(Fault::Minias(wrong))
    }

    fn is_pointer(ty: &Ty) -> bool {
        matches!(ty, Ty::Pointer(_))
    }

    fn emit(&mut self, span: Span, kind: Kind) {
        self.code.emit(span, kind);
    }

    /// A name for a value, if it is more than one.
    fn named(&mut self, span: Span, wish: &'static str, ty: DeviceTy, exp: Exp) -> Exp {
        if exp.is_leaf() || exp == value::no_block() {
            return exp;
        }
        self.bound(span, wish, ty, exp)
    }

    /// A name for a value, whatever it is.
    fn bound(&mut self, span: Span, wish: &'static str, ty: DeviceTy, exp: Exp) -> Exp {
        let var = self.names.fresh(wish);
        self.code.defines(var, &exp);
        self.emit(span, Kind::Let(var, ty, exp));
        Exp::Var(var)
    }

    fn site(&mut self, span: Span, cause: Cause) -> u32 {
        let site = Site { span, cause };
        let next = self.sites.len() as u32;
        let number = *self.numbers.entry(site).or_insert(next);
        if number == next {
            self.sites.push(site);
        }
        number
    }

    /// A premise, over operands.
    fn check(&mut self, span: Span, cause: Cause, operands: Vec<Exp>) {
        let site = self.site(span, cause);
        self.emit(span, Kind::Check(Check { site, operands, path: Vec::new(), order: None }));
    }

    /// A premise that fails where this holds.
    fn fails_if(&mut self, span: Span, fails: Exp, cause: Cause, operands: Vec<Exp>) {
        match fold::truth(&fails) {
            Some(false) => {}
            Some(true) => self.check(span, cause, operands),
            None => {
                self.code.open();
                self.check(span, cause, operands);
                let then = self.code.close();
                self.emit(span, Kind::If(device::If { cond: fails, then, orelse: Vec::new() }));
            }
        }
    }

    /// The structure of pointers.
    fn structs(&self) -> Vec<device::Struct> {
        let fields = Part::ALL.into_iter().map(|part| (part.name().to_owned(), part.ty()));
        vec![device::Struct {
            name: "Pointer".to_owned(),
            fields: fields.collect(),
            span: Span::default(),
        }]
    }

    /// The kernel is refused if a barrier of it is in control flow that is not uniform: with the place of the barrier, that
    /// of the statement around it in which items part, and that of what makes them part there if it stands elsewhere.
    fn is_uniform(&self, source: &syntax::Function, kernel: &device::Kernel) -> Lowered {
        let parted = match validate::uniform(kernel, self.names.len()) {
            Ok(_) => return Ok(()),
            Err(parted) => parted,
        };
        let text = |span: Span| {
            let stmt = scan::at(source, span);
            stmt.map(|stmt| print::statement(&self.program.names, stmt)).unwrap_or_default()
        };
        let (barrier, control) = (text(parted.barrier), text(parted.control));
        let why = parting::why(source, parted.control);
        let by = match why {
            Some(Why::Assigned(_, at)) => ("what is set in ", text(at)),
            Some(Why::Returns(at)) => ("", text(at)),
            None => ("", String::new()),
        };
        let by = match by {
            (_, text) if text.is_empty() => text,
            (what, text) => format!(", by {what}`{text}`"),
        };
        let reason = format!("the items of a group may part there{by}");
        let refused = refused(parted.barrier, &format!("{barrier} behind {control}"), reason)
            .with(parted.control, "the items of a group may part here");
        let name = |var: Var| self.program.names.written(var);
        Err(match why {
            Some(Why::Assigned(var, at)) => {
                refused.with(at, format!("`{}` gets a value that may differ among them", name(var)))
            }
            Some(Why::Returns(at)) => refused.with(at, "some of them may return"),
            None => refused,
        })
    }
}

/// The type of the structure of pointers.
fn pointer_type() -> DeviceTy {
    DeviceTy::Struct(POINTER)
}
