//! What a run consists of (readings M17 and M19).

use super::syntax::{
    Cond, Decl, Exp, Function, Kind, Program, Space, Stmt, StmtKind, Type, Written,
};
use crate::kit::names::Var;
use std::ops::Range;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// `k`
    Int(i32),
    /// NULL
    Null,
    /// `ptr(space, block, offset)`
    Pointer(Pointer),
    /// In the target: an address, of a space that the program knows.
    Thin(Address),
    /// In the target: the tag of a space, and an address.
    Pair(u32, Address),
}

/// A pointer. Its offset is exact, and tested at each access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    pub(super) space: Space,
    /// A number in the memory of the space.
    pub(super) block: u32,
    pub(super) offset: i64,
}

/// A place in a memory that it does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) block: u32,
    pub(super) offset: i64,
}

impl Address {
    /// The place so many cells on.
    pub(super) fn moved(self, by: i64) -> Address {
        Address { offset: self.offset.saturating_add(by), ..self }
    }

    /// The place in the memory of this space.
    pub(super) fn in_space(self, space: Space) -> Word {
        Word::Pointer(Pointer { space, block: self.block, offset: self.offset })
    }
}

impl Word {
    /// The int that it is.
    pub(super) fn int(self) -> i32 {
        match self {
            Word::Int(k) => k,
            other => panic!("typing promised an int, and there is {other:?}"),
        }
    }

    /// Is it neither 0 nor NULL?
    pub(super) fn holds(self) -> bool {
        !matches!(self, Word::Int(0) | Word::Null)
    }
}

/// What a memory of one space holds: blocks side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    pub(super) cells: Vec<Word>,
    /// Of each block where it starts, how long it is, and what it is called.
    blocks: Vec<(usize, usize, Var)>,
}

impl Store {
    /// A new block of these cells.
    pub(super) fn block(&mut self, name: Var, cells: impl IntoIterator<Item = Word>) -> u32 {
        let start = self.cells.len();
        self.cells.extend(cells);
        self.blocks.push((start, self.cells.len() - start, name));
        self.blocks.len() as u32 - 1
    }

    /// How many cells a block has.
    pub(super) fn len(&self, block: u32) -> usize {
        self.blocks[block as usize].1
    }

    /// What a block is called.
    pub(super) fn name(&self, block: u32) -> Var {
        self.blocks[block as usize].2
    }

    /// The place of an offset, which is inside.
    pub(super) fn place(&self, block: u32, offset: i64) -> usize {
        self.blocks[block as usize].0 + offset as usize
    }

    /// The cells of a block.
    pub(super) fn range(&self, block: u32) -> Range<usize> {
        let (start, length, _) = self.blocks[block as usize];
        start..start + length
    }

    /// How many blocks there are.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Forgets the blocks from this one on.
    pub(super) fn truncate(&mut self, blocks: usize) {
        if let Some((start, ..)) = self.blocks.get(blocks) {
            self.cells.truncate(*start);
            self.blocks.truncate(blocks);
        }
    }

    /// The same, with all cells as they start.
    pub(super) fn clear(&mut self) {
        self.truncate(0);
    }
}

/// A variable of a function or a kernel: its block in an activation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) var: Var,
    pub(super) lies: Space,
    pub(super) extent: Option<u32>,
    /// What its cells start with.
    pub(super) zero: Word,
}

/// What is known of a function before a run.
pub(super) struct Layout<'p, E> {
    pub(super) function: &'p Function<E>,
    /// The private variables, in the order of their blocks: first the parameters.
    pub(super) private: Vec<Slot>,
    /// The local variables of a kernel.
    pub(super) local: Vec<Slot>,
    /// May a pointer to a private variable outlive the activation?
    pub(super) escapes: bool,
}

/// Where a variable is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Home {
    pub(super) lies: Space,
    /// Its number among the private variables of its function, the local ones of its kernel, or the constants.
    pub(super) at: u32,
    pub(super) array: bool,
}

/// All functions, and where all variables are.
pub(super) struct Code<'p, E> {
    pub(super) layouts: Vec<Layout<'p, E>>,
    /// By slot: the number of the function with a body.
    pub(super) functions: Vec<Option<usize>>,
    /// By slot.
    pub(super) homes: Vec<Option<Home>>,
}

impl<'p, E: Expression> Code<'p, E> {
    pub(super) fn new(program: &'p Program<E>) -> Self {
        let len = program.names.len();
        let mut code =
            Code { layouts: Vec::new(), functions: vec![None; len], homes: vec![None; len] };
        for (at, constant) in program.constants().enumerate() {
            let (lies, array) = (Space::Constant, constant.extent.is_some());
            code.homes[constant.var.slot()] = Some(Home { lies, at: at as u32, array });
        }
        for function in program.functions().filter(|function| function.body.is_some()) {
            code.functions[function.name.slot()] = Some(code.layouts.len());
            let mut layout =
                Layout { function, private: Vec::new(), local: Vec::new(), escapes: false };
            for param in &function.params {
                let var = param.var.expect("a function with a body names its parameters");
                let slot = Slot { var, lies: Space::Private, extent: None, zero: zero(&param.ty) };
                code.slot(&mut layout, slot);
            }
            function.body.iter().flatten().for_each(|stmt| code.stmt(stmt, &mut layout));
            code.layouts.push(layout);
        }
        code
    }

    fn slot(&mut self, layout: &mut Layout<'p, E>, slot: Slot) {
        let slots = if slot.lies == Space::Local { &mut layout.local } else { &mut layout.private };
        let home = Home { lies: slot.lies, at: slots.len() as u32, array: slot.extent.is_some() };
        self.homes[slot.var.slot()] = Some(home);
        slots.push(slot);
        layout.escapes |= slot.extent.is_some();
    }

    fn decl(&mut self, decl: &Decl<E>, layout: &mut Layout<'p, E>) {
        let local = decl.ty.lies.written == Written::Name(Space::Local);
        let lies = if local { Space::Local } else { Space::Private };
        self.slot(layout, Slot { var: decl.var, lies, extent: decl.extent, zero: zero(&decl.ty) });
        layout.escapes |=
            decl.init.iter().flat_map(|init| init.exps()).any(Expression::takes_address);
    }

    fn stmt(&mut self, stmt: &Stmt<E>, layout: &mut Layout<'p, E>) {
        match &stmt.kind {
            StmtKind::Decl(decl) => self.decl(decl, layout),
            StmtKind::Exp(exp) => layout.escapes |= exp.takes_address(),
            StmtKind::Assign(place, value) => {
                layout.escapes |= place.takes_address() || value.takes_address()
            }
            StmtKind::Return(exp) => {
                layout.escapes |= exp.as_ref().is_some_and(Expression::takes_address)
            }
            StmtKind::Block(body) => body.iter().for_each(|stmt| self.stmt(stmt, layout)),
            StmtKind::If(cond, then, otherwise) => {
                match cond {
                    Cond::Exp(exp) => layout.escapes |= exp.takes_address(),
                    Cond::Decl(decl) => self.decl(decl, layout),
                }
                self.stmt(then, layout);
                otherwise.iter().for_each(|stmt| self.stmt(stmt, layout));
            }
            StmtKind::While(exp, body) => {
                layout.escapes |= exp.takes_address();
                self.stmt(body, layout);
            }
            StmtKind::For(parts) => {
                layout.escapes |= parts.while_.takes_address();
                for stmt in parts.first.iter().chain(&parts.next).chain([&parts.body]) {
                    self.stmt(stmt, layout);
                }
            }
            StmtKind::Empty | StmtKind::Barrier(_) => {}
        }
    }
}

/// What a variable of the type starts with.
fn zero(ty: &Type) -> Word {
    if ty.stars.is_empty() { Word::Int(0) } else { Word::Null }
}

/// Expressions of MiniAS, or of the target of its translations.
pub(super) trait Expression {
    /// Is the address of a variable taken in it?
    fn takes_address(&self) -> bool;
}

impl Expression for Exp {
    fn takes_address(&self) -> bool {
        match &self.kind {
            Kind::Int(_) | Kind::Null | Kind::Var(_) | Kind::Builtin(_) => false,
            Kind::Address(place) => matches!(place.kind, Kind::Var(_)) || place.takes_address(),
            Kind::Unary(_, part)
            | Kind::Load(part)
            | Kind::Cast(_, part)
            | Kind::Dynamic(_, part) => part.takes_address(),
            Kind::Binary(_, left, right) => left.takes_address() || right.takes_address(),
            Kind::Cond(parts) => parts.iter().any(Exp::takes_address),
            Kind::Call(_, args) => args.iter().any(Exp::takes_address),
        }
    }
}
