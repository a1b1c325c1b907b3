//! A program in the making: what is in scope, the body that statements are added to, and how much of
//! it may still be made and run.

use super::super::draw::Draw;
use super::orders::Ordered;
use super::records::{Recording, numbered};
use reference::device::syntax::{
    AtomicOp, Block, Element, Exp, Kind, Lit, Place, Program, Sc, Space, Stm, Ty,
};
use reference::kit::names::{Names, Var, Wish};
use reference::kit::text::Span;

/// A value in scope.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) var: Var,
    pub(super) ty: Ty,
    /// Does it differ between the invocations of a work group, as far as the validator can tell?
    pub(super) varies: bool,
}

/// A variable of one invocation, or what a pointer points to.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) place: Place,
    pub(super) ty: Ty,
    pub(super) space: Space,
    /// The variable that it is or is in; two pointers into one are not passed to a function.
    pub(super) root: Var,
}

/// An atomic operation that leaves the same whatever order the invocations come in, as long as nobody
/// looks at what was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Update {
    pub(super) op: AtomicOp,
    /// Operands that have to be the same for all, where they have to.
    pub(super) same: Option<[Lit; 2]>,
}

/// Which invocations may access what a work group shares, and how, until the next barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Each invocation reads and writes its own part; what has one part is that of one invocation.
    Own,
    /// All read all of it.
    Read,
    /// All update any part of it.
    Update(Update),
}

/// What the invocations of a work group share.
#[derive(Clone, Debug)]
pub(super) struct Shared {
    pub(super) what: What,
    pub(super) phase: Phase,
}

/// A kind of what they share.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// A work-group array with a slot for each invocation.
    Slots(Var, Ty),
    /// A work-group variable, and the number in the group of the invocation that writes it.
    One(Var, Ty, u32),
    /// A work-group atomic, or an array of so many.
    Counters(Var, Sc, Option<u32>),
    /// A block with an element for each invocation, padding included.
    Block(Var, Sc),
}

/// How the invocations of a launch use a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// All read all of it.
    Input,
    /// Each invocation that the launch asked for has so many elements, counted from the last one if
    /// reversed.
    Own {
        /// Elements of each.
        each: u32,
        /// Has the last invocation the first of them?
        reversed: bool,
        /// Are they atomics?
        atomic: bool,
    },
    /// Each has one, and padding has too.
    Padded,
    /// All update any of it, of atomics.
    Update(Update),
}

impl Mode {
    /// The elements of a block that is used so, if they are numbers of this type.
    pub(super) fn element(self, sc: Sc) -> Element {
        match self {
            Mode::Update(_) | Mode::Own { atomic: true, .. } => Element::Atomic(sc),
            _ => Element::Plain(sc),
        }
    }
}

/// A block that a kernel or a function is given, or a name for it.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) block: Var,
    pub(super) element: Sc,
    pub(super) mode: Mode,
    /// Is the name that of a variable, which is loaded?
    pub(super) variable: bool,
}

impl Held {
    /// The block.
    pub(super) fn exp(&self) -> Exp {
        match self.variable {
            true => Exp::load(Place::Var(self.block)),
            false => Exp::Var(self.block),
        }
    }
}

/// What a pointer into memory that is shared may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Into {
    /// It points into this one of what the work group shares: into the invocation's own part, if `own`.
    Shared { at: usize, own: bool },
    /// It points into an element that is the invocation's own for the launch.
    Own,
    /// It points into such an element, an atomic.
    OwnAtomic,
    /// It points into an element that all read.
    Input,
    /// It points into an atomic of a block that all update.
    Update(Update),
}

/// A pointer into memory that is shared. No function takes one.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) var: Var,
    /// What it points to.
    pub(super) ty: Ty,
    pub(super) into: Into,
}

/// An invocation among those that a launch asked for.
#[derive(Clone, Debug)]
pub(super) struct Numbered {
    /// Its number, from 0.
    pub(super) number: Exp,
    /// How many there are.
    pub(super) of: Exp,
    /// The type of both, i32 or u32.
    pub(super) sc: Sc,
}

/// Where statements are being made.
#[derive(Clone, Debug, Default)]
pub(super) struct Here {
    /// Invocations of a work group; `None` where there are no builtins and no barriers.
    pub(super) group: Option<u32>,
    /// Do all invocations of a work group come here, or none?
    pub(super) uniform: bool,
    /// Which invocation this is, where it is one that the launch asked for.
    pub(super) one: Option<Numbered>,
    /// The work-group variable that this invocation has for its own.
    pub(super) leads: Option<Var>,
    /// Iterations of the parallel loops around.
    pub(super) path: Vec<Var>,
    /// Bodies around.
    pub(super) depth: u32,
}

/// A program in the making.
pub(super) struct Making<'u, 'b> {
    pub(super) draw: Draw<'u, 'b>,
    pub(super) names: Names,
    pub(super) program: Program,
    spans: u32,
    /// How many more statements may be made.
    pub(super) left: i64,
    /// How many more one invocation may execute.
    pub(super) room: i64,
    /// How often the body that is being made runs, at most.
    pub(super) times: i64,
    pub(super) values: Vec<Known>,
    pub(super) variables: Vec<Variable>,
    pub(super) pointers: Vec<Pointer>,
    pub(super) shared: Vec<Shared>,
    pub(super) held: Vec<Held>,
    /// Private variables of the kernel at hand.
    pub(super) private: Vec<(Var, Ty)>,
    /// Statements of the body at hand.
    pub(super) stms: Block,
    pub(super) here: Here,
    /// May there be f32, i64 and f64? Not every adapter has the last two.
    pub(super) floats: bool,
    pub(super) wide: bool,
    pub(super) doubles: bool,
    /// Has something that varies been read since this was last set back?
    pub(super) varies: bool,
    /// Nothing that varies may be read now.
    pub(super) same_for_all: bool,
    /// How many indices are being made, one inside of another.
    pub(super) indices: u32,
    /// Is each block written whole where it is allocated? Else much of what is read is memory that nothing wrote.
    pub(super) initialises: bool,
    /// Is something still to get stuck?
    pub(super) trouble: bool,
    /// Are barriers forgotten?
    pub(super) forgetful: bool,
    /// May results depend on the order of invocations?
    pub(super) orders: bool,
    /// What makes them do so in the kernel at hand.
    pub(super) ordered: Option<Ordered>,
    /// Is a kernel still to write a record of a failure?
    pub(super) records: bool,
    /// What the kernel at hand writes.
    pub(super) recording: Option<Recording>,
}

impl<'u, 'b> Making<'u, 'b> {
    pub(super) fn new(mut draw: Draw<'u, 'b>) -> Self {
        let floats = draw.chance(40);
        let wide = draw.chance(15);
        let doubles = floats && wide && draw.chance(50);
        let initialises = draw.chance(50);
        Self {
            draw,
            names: Names::with_capacity(64),
            program: Program::default(),
            spans: 0,
            left: 60,
            room: 0,
            times: 1,
            values: Vec::new(),
            variables: Vec::new(),
            pointers: Vec::new(),
            shared: Vec::new(),
            held: Vec::new(),
            private: Vec::new(),
            stms: Vec::new(),
            here: Here::default(),
            floats,
            wide,
            doubles,
            varies: false,
            same_for_all: false,
            indices: 0,
            initialises,
            trouble: false,
            forgetful: false,
            orders: false,
            ordered: None,
            records: false,
            recording: None,
        }
    }

    /// The program.
    pub(super) fn finished(self) -> Program {
        let program = Program { names: self.names, ..self.program };
        match program.kernels.iter().any(|kernel| kernel.record.is_some()) {
            true => numbered(&program),
            false => program,
        }
    }

    /// A new name that starts with `letter`.
    pub(super) fn fresh(&mut self, letter: char) -> Var {
        self.names.fresh(Wish::Numbered(letter))
    }

    pub(super) fn span(&mut self) -> Span {
        self.spans += 1;
        Span::nth(self.spans - 1)
    }

    /// Adds a statement.
    pub(super) fn emit(&mut self, kind: Kind) {
        let span = self.span();
        self.emit_at(span, kind);
    }

    /// Adds a statement whose place was numbered before its bodies were made.
    pub(super) fn emit_at(&mut self, span: Span, kind: Kind) {
        self.left -= 1;
        self.room -= self.times;
        self.stms.push(Stm { span, kind });
    }

    /// Is there room for a statement here, executed as often as the body that is being made?
    pub(super) fn is_roomy(&self, statements: i64) -> bool {
        self.left > 0 && self.room / self.times.max(1) >= statements && !self.draw.is_spent()
    }

    /// A value that is in scope from now on.
    pub(super) fn know(&mut self, var: Var, ty: Ty, varies: bool) {
        self.values.push(Known { var, ty, varies });
    }

    /// Makes a body that runs up to `times` as often as the one at hand. What it binds is out of scope
    /// afterwards.
    pub(super) fn body<T>(
        &mut self,
        times: i64,
        here: Here,
        make: impl FnOnce(&mut Self) -> T,
    ) -> (Block, T) {
        let outer = std::mem::take(&mut self.stms);
        let (values, variables, held) = (self.values.len(), self.variables.len(), self.held.len());
        let pointers = self.pointers.len();
        let around = std::mem::replace(&mut self.here, here);
        let inside = self.times.saturating_mul(times.max(1));
        let times = std::mem::replace(&mut self.times, inside);
        self.here.depth = around.depth + 1;
        let rest = make(self);
        self.times = times;
        self.here = around;
        self.values.truncate(values);
        self.variables.truncate(variables);
        self.pointers.truncate(pointers);
        self.held.truncate(held);
        (std::mem::replace(&mut self.stms, outer), rest)
    }

    /// Forgets all that is in scope: another function or kernel is made next, which may execute so
    /// many statements.
    pub(super) fn leave(&mut self, room: i64) {
        self.values.clear();
        self.variables.clear();
        self.pointers.clear();
        self.shared.clear();
        self.held.clear();
        self.here = Here::default();
        self.room = room;
        self.times = 1;
    }

    /// Makes something of values that are the same in all invocations of a work group.
    pub(super) fn for_all<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.same_for_all, true);
        let made = make(self);
        self.same_for_all = before;
        made
    }

    /// Makes an expression, and tells whether it varies.
    pub(super) fn watched<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> (T, bool) {
        let before = std::mem::replace(&mut self.varies, false);
        let made = make(self);
        let varies = std::mem::replace(&mut self.varies, before);
        self.varies |= varies;
        (made, varies)
    }
}
