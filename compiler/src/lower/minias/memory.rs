//! Memory: one array for the local and one for the private memory of a kernel, of each kind of cell; blocks for the rest.
//! Cell 0 of an array is in no block, since blocks start at 1.

use super::graph::Graph;
use super::value::{Part, Pointer, Val, no_block, tag};
use super::{Lower, Lowered, fold, pointer_type, refused};
use reference::device::syntax::{
    Block, Carried, Case, Exp, I32, Kind, Lit, Loop, Place, Stm, Switch, Ty as DeviceTy,
};
use reference::device::types::MAX_CELLS;
use reference::kit::cause::Cause;
use reference::kit::faults::{Fault, Planted, WrongMinias};
use reference::kit::names::{Names, Var};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use reference::minias::launch::Launch;
use reference::minias::rows::Ty;
use reference::minias::syntax::{Function, Program, Space, Spaces, Written};

/// Cells that local pointers of a kernel's parameters may point to, at least.
const LEAST_ROOM: u32 = 256;

reference::causes! {
    /// There is too little local memory for what local pointers of the kernel point to.
    pub(super) LOCAL_CELLS = "local_cells", [needed, there], (needed <= there),
        "its local pointers need {needed} cells, and {there} are there",
        gives_up "more local memory than compiled code has" with operands;
    /// There is too little private memory for what calls in loops keep.
    PRIVATE_CELLS = "private_cells", [needed, there], (needed <= there),
        "variables whose address calls keep need {needed} cells, and {there} are there",
        gives_up "more private memory than compiled code has" with operands;
}

/// An array of cells.
#[derive(Clone, Copy)]
pub(super) struct Cells {
    pub(super) var: Var,
    pub(super) length: u32,
}

/// Where a variable is that is in memory.
#[derive(Clone)]
pub(super) struct Home {
    space: Space,
    holds_pointers: bool,
    start: Exp,
    pub(super) extent: Option<u32>,
}

/// The memory of a kernel.
pub(super) struct Memory {
    /// Of ints and of pointers.
    pub(super) local: [Option<Cells>; 2],
    pub(super) private: [Option<Cells>; 2],
    /// How many cells calls have kept, of ints and of pointers.
    pub(super) kept: [Option<Var>; 2],
    /// The local variables of the kernel.
    locals: Vec<(Var, Home)>,
    /// Where the arrays of parameters start in local memory, and how many cells there are for them.
    pub(super) params: [u32; 2],
}

impl Memory {
    pub(super) fn new(
        program: &Program,
        kernel: &Function,
        graph: &Graph<'_>,
        (launch, planted): (&Launch, Planted),
        names: &mut Names,
    ) -> Lowered<Self> {
        let mut lengths = [1u32; 2];
        let mut locals = Vec::new();
        let body = &graph.bodies[graph.instances[graph.instances.len() - 1].body];
        for decl in &body.decls {
            if decl.ty.lies.written != Written::Name(Space::Local) {
                continue;
            }
            let holds_pointers = !decl.ty.stars.is_empty();
            let length = &mut lengths[usize::from(holds_pointers)];
            let start = Exp::i32(*length as i32);
            if !planted.is(Fault::Minias(WrongMinias::LocalOverlaps)) {
                *length = length.saturating_add(decl.extent.unwrap_or(1).max(1));
            }
            let home = Home { space: Space::Local, holds_pointers, start, extent: decl.extent };
            locals.push((decl.var, home));
        }
        let first = lengths[0];
        let is_local =
            |param: &&reference::minias::syntax::Param| param.ty.points_to() == Some(Space::Local);
        let params = kernel.params.iter().filter(is_local).count();
        let room = if params == 0 { 0 } else { LEAST_ROOM.max(launch.size.saturating_mul(2)) };
        lengths[0] = lengths[0].saturating_add(room);
        let private = graph.cells.map(|cells| cells.saturating_add(1));
        for (space, lengths) in [("local", lengths), ("private", private)] {
            let pointers = u64::from(lengths[1]) * Part::ALL.len() as u64;
            let words = u64::from(lengths[0]) + pointers;
            if words > MAX_CELLS {
                let name = program.names.written(kernel.name);
                let reason = format!(
                    "it takes {words} words of {space} memory, and at most {MAX_CELLS} are there"
                );
                return Err(refused(kernel.span, &format!("kernel {name}"), reason));
            }
        }
        let mut cells = |wish: &'static str, length: u32| {
            (length > 1).then(|| Cells { var: names.fresh(wish), length })
        };
        let local = [cells("local_ints", lengths[0]), cells("local_pointers", lengths[1])];
        let private = [cells("private_ints", private[0]), cells("private_pointers", private[1])];
        let mut kept = [None; 2];
        for (at, wish) in ["kept_ints", "kept_pointers"].into_iter().enumerate() {
            if graph.cells[at] > graph.fixed[at] {
                kept[at] = Some(names.fresh(wish));
            }
        }
        Ok(Memory { local, private, kept, locals, params: [first, room] })
    }

    /// The type of the arrays.
    pub(super) fn declared(cells: [Option<Cells>; 2]) -> impl Iterator<Item = (Var, DeviceTy)> {
        let types = [I32, pointer_type()];
        cells.into_iter().zip(types).filter_map(|(cells, ty)| {
            cells.map(|cells| (cells.var, DeviceTy::Array(Box::new(ty), cells.length)))
        })
    }

    fn cells(&self, space: Space, holds_pointers: bool) -> Option<Cells> {
        let of = if space == Space::Local { &self.local } else { &self.private };
        of[usize::from(holds_pointers)]
    }
}

/// What is read or written through a pointer.
struct Access<'a> {
    span: Span,
    pointer: &'a Pointer,
    holds_pointers: bool,
}

impl<'p> Lower<'p> {
    /// The variables of the instance that are in memory, and the cells that it keeps.
    pub(super) fn homes(&mut self) {
        let instance = &self.graph.instances[self.around.instance];
        let body = &self.graph.bodies[instance.body];
        let (frame, keeps, span) = (instance.frame, instance.keeps, body.function.span);
        let mut starts = instance.base.map(|base| Exp::i32(base as i32 + 1));
        let mut at = [0; 2];
        let params = body.function.params.iter().map(|param| (param.var, &param.ty, None));
        let decls = body.decls.iter().map(|decl| (Some(decl.var), &decl.ty, decl.extent));
        let mut found = Vec::new();
        for (var, ty, extent) in params.chain(decls) {
            let Some(var) = var.filter(|var| extent.is_some() || body.addressed.contains(var))
            else {
                continue;
            };
            if ty.lies.written != Written::Name(Space::Local) {
                let holds_pointers = !ty.stars.is_empty();
                let cells = &mut at[usize::from(holds_pointers)];
                found.push((var, holds_pointers, *cells, extent));
                let overlaps = self.is_wrong(WrongMinias::PrivateOverlaps);
                *cells += if overlaps { 1 } else { extent.unwrap_or(1) };
            }
        }
        if keeps {
            for part in 0..2 {
                if frame[part] > 0 {
                    starts[part] = self.keep(span, part, frame[part]);
                }
            }
        }
        for (var, holds_pointers, offset, extent) in found {
            let start = starts[usize::from(holds_pointers)].clone();
            let start = fold::bin(BinOp::Add, start, Exp::i32(offset as i32));
            let start = self.named(span, "start", I32, start);
            self.around
                .homes
                .insert(var, Home { space: Space::Private, holds_pointers, start, extent });
        }
        if self.around.instance + 1 == self.graph.instances.len() {
            self.around.homes.extend(self.memory.locals.iter().cloned());
        }
    }

    /// Where cells of a call start that stay when it has returned.
    fn keep(&mut self, span: Span, part: usize, cells: u32) -> Exp {
        let kept = self.memory.kept[part].expect("there is room for what calls keep");
        let before = self.bound(span, "kept", I32, Exp::load(Place::Var(kept)));
        let after = fold::bin(BinOp::Add, before.clone(), Exp::i32(cells as i32));
        let after = self.bound(span, "kept", I32, after);
        if self.graph.short[part] {
            let room = self.graph.cells[part] - self.graph.fixed[part];
            let fails = Exp::bin(BinOp::Gt, after.clone(), Exp::i32(room as i32));
            let operands = vec![after.clone(), Exp::i32(room as i32)];
            self.fails_if(span, fails, PRIVATE_CELLS, operands);
        }
        self.emit(span, Kind::Store(Place::Var(kept), after));
        let first = Exp::i32(self.graph.fixed[part] as i32 + 1);
        let start = fold::bin(BinOp::Add, before, first);
        self.bound(span, "start", I32, start)
    }

    /// The address of a variable that is in memory.
    pub(super) fn address(home: &Home) -> Pointer {
        Pointer {
            tag: tag(home.space),
            block: no_block(),
            start: home.start.clone(),
            size: Exp::i32(home.extent.unwrap_or(1) as i32),
            offset: Exp::i32(0),
            is_some: true,
        }
    }

    /// `τ` that nothing was assigned to.
    pub(super) fn zero(&self, ty: &Ty) -> Val {
        match ty {
            Ty::Int => Val::Int(Exp::i32(0)),
            Ty::Pointer(_) => Val::Pointer(Pointer::null(self.spaces(ty))),
            Ty::Void | Ty::Var(_) => Val::Nothing,
        }
    }

    /// What a cell holds.
    fn cell(val: Val) -> Exp {
        match val {
            Val::Pointer(pointer) => pointer.stored(),
            val => val.int(),
        }
    }

    /// The value of a variable that is in memory.
    pub(super) fn variable(&mut self, span: Span, home: &Home, ty: &Ty) -> Val {
        let loaded = self.load_in(
            home.space,
            &Access { span, pointer: &Self::address(home), holds_pointers: home.holds_pointers },
        );
        self.value_of(loaded, ty)
    }

    /// Sets a cell of a variable that is in memory.
    pub(super) fn set_cell(&mut self, span: Span, home: &Home, at: u32, val: Val) {
        let pointer = Pointer { offset: Exp::i32(at as i32), ..Self::address(home) };
        let access = Access { span, pointer: &pointer, holds_pointers: home.holds_pointers };
        self.store_in(home.space, &access, Self::cell(val));
    }

    /// Sets the cells from one on to what they start with.
    pub(super) fn clear(&mut self, span: Span, home: &Home, from: u32, ty: &Ty) {
        const FEW: u32 = 4;
        let extent = home.extent.unwrap_or(1);
        if extent - from <= FEW {
            for at in from..extent {
                let zero = self.zero(ty);
                self.set_cell(span, home, at, zero);
            }
            return;
        }
        let cells = self.memory.cells(home.space, home.holds_pointers).expect("it has cells");
        let first = fold::bin(BinOp::Add, home.start.clone(), Exp::i32(from as i32));
        let end = fold::bin(BinOp::Add, home.start.clone(), Exp::i32(extent as i32));
        let var = self.names.fresh("cell");
        let zero = Self::cell(self.zero(ty));
        let place = Place::At(Box::new(Place::Var(cells.var)), Exp::Var(var));
        let rounds = Loop {
            carried: vec![Carried { var, ty: I32, init: first }],
            cond: Exp::bin(BinOp::Lt, Exp::Var(var), end),
            fuel: None,
            body: vec![Stm { span, kind: Kind::Store(place, zero) }],
            next: vec![Exp::bin(BinOp::Add, Exp::Var(var), Exp::i32(1))],
        };
        self.emit(span, Kind::Loop(Box::new(rounds)));
    }

    /// What was loaded, as a value of the type.
    pub(super) fn value_of(&mut self, loaded: Exp, ty: &Ty) -> Val {
        if !Self::is_pointer(ty) {
            return Val::Int(loaded);
        }
        let field = |part: Part| Exp::Field(Box::new(loaded.clone()), part as u32);
        Val::Pointer(Pointer::of(self.spaces(ty), field))
    }

    /// `*p`: the pointer is not NULL (null), and its offset is in its block (inside).
    pub(super) fn load(&mut self, span: Span, pointer: &Pointer, from: &Ty, to: &Ty) -> Val {
        let holds_pointers = Self::is_pointer(to);
        let access = Access { span, pointer, holds_pointers };
        let spaces = self.accessed(&access, from);
        if spaces.len() <= 1 {
            let Some(space) = spaces.first() else { return self.zero(to) };
            let loaded = self.load_in(space, &access);
            return self.value_of(loaded, to);
        }
        let ty = if holds_pointers { pointer_type() } else { I32 };
        let var = self.names.fresh("loaded");
        self.emit(span, Kind::Var(var, ty.clone(), None));
        self.by_space(&access, spaces, &mut |lower, space| {
            let loaded = lower.load_in(space, &access);
            lower.emit(span, Kind::Store(Place::Var(var), loaded));
        });
        let loaded = self.bound(span, "loaded", ty, Exp::load(Place::Var(var)));
        self.value_of(loaded, to)
    }

    /// `*p = e`, likewise.
    pub(super) fn store(&mut self, span: Span, pointer: &Pointer, from: &Ty, val: Val) {
        let holds_pointers = matches!(val, Val::Pointer(_));
        let access = Access { span, pointer, holds_pointers };
        let spaces = self.accessed(&access, from).without(Space::Constant);
        let cell = Self::cell(val);
        match spaces.first() {
            None => {}
            Some(space) if spaces.len() == 1 => self.store_in(space, &access, cell),
            Some(_) => self.by_space(&access, spaces, &mut |lower, space| {
                lower.store_in(space, &access, cell.clone());
            }),
        }
    }

    /// The spaces in which the pointer can be accessed behind the test that it is not NULL.
    fn accessed(&mut self, access: &Access<'_>, from: &Ty) -> Spaces {
        let is_null = access.pointer.is_null();
        let known = fold::literal(&access.pointer.tag)
            .and_then(|tag| Space::ALL.into_iter().find(|space| *space as i32 == tag));
        let mut spaces = self.spaces(from);
        if let Some(space) = known {
            spaces = spaces.and(Spaces::one(space));
        }
        if access.holds_pointers {
            // Global and constant memory hold ints only.
            spaces = spaces.without(Space::Global).without(Space::Constant);
        }
        for space in [Space::Local, Space::Private] {
            if self.memory.cells(space, access.holds_pointers).is_none() {
                spaces = spaces.without(space);
            }
        }
        let is_null = if spaces.is_empty() { fold::bool(true) } else { is_null };
        let never = fold::truth(&is_null) == Some(true);
        self.fails_if(access.span, is_null, Cause::Null, Vec::new());
        if never { Spaces::NONE } else { spaces }
    }

    /// The jump table: what is done in each space.
    fn by_space(
        &mut self,
        access: &Access<'_>,
        spaces: Spaces,
        write: &mut dyn FnMut(&mut Self, Space),
    ) {
        let mut cases: Vec<(Space, Block)> = Vec::new();
        for space in spaces.iter() {
            self.code.open();
            write(self, space);
            cases.push((space, self.code.close()));
        }
        if self.is_wrong(WrongMinias::SwitchFalls) {
            cases.remove(0);
        }
        let (_, orelse) = cases.pop().expect("there are several spaces");
        let cases = cases.into_iter();
        let cases = cases.map(|(space, body)| Case { literal: Lit::I32(space as i32), body });
        let value = access.pointer.tag.clone();
        self.emit(access.span, Kind::Switch(Switch { value, cases: cases.collect(), orelse }));
    }

    /// The place of a pointer to this space. That its offset is in a block of global memory is tested at the access.
    fn place(&mut self, space: Space, access: &Access<'_>) -> Place {
        let Pointer { block, start, size, offset, .. } = access.pointer;
        if let Space::Global | Space::Constant = space {
            return Place::Element(block.clone(), offset.clone());
        }
        let known = fold::literal(offset).zip(fold::literal(size));
        if known.is_none_or(|(offset, size)| !(0..size).contains(&offset)) {
            self.check(access.span, Cause::OutsideBlock, vec![offset.clone(), size.clone()]);
        }
        let at = fold::bin(BinOp::Add, start.clone(), offset.clone());
        let cells = self.memory.cells(space, access.holds_pointers);
        let cells = cells.expect("what is pointed to is in memory");
        Place::At(Box::new(Place::Var(cells.var)), at)
    }

    fn load_in(&mut self, space: Space, access: &Access<'_>) -> Exp {
        let place = self.place(space, access);
        let ty = if access.holds_pointers { pointer_type() } else { I32 };
        self.bound(access.span, "loaded", ty, Exp::load(place))
    }

    fn store_in(&mut self, space: Space, access: &Access<'_>, cell: Exp) {
        let place = self.place(space, access);
        self.emit(access.span, Kind::Store(place, cell));
    }
}
