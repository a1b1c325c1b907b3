//! MemoryExpand (section 5): allocations move out of kernels, each thread getting a share of one
//! large block, and the hoisting of allocations out of `if` and `loop` that it needs.
//!
//! An allocation leaves one construct after the other, innermost first, until it stands outside
//! every kernel. Its name stays, so what changes is the index function of each array in the
//! block; where such an array flows into an `if` or `loop`, its supporting results follow
//! ([`support`]). The size is computed again in front of the construct ([`size`]).
//!
//! What blocks hold at first is never seen: an array is in a block only once a kernel or copy
//! has written all of it. So a block may be used again and need not be zeros.
//!
//! | out of | when the block | becomes |
//! |---|---|---|
//! | `if` | | the same block |
//! | `loop` | is not a result of the body | the same block in every round |
//! | `loop` | is a result, and the next round does not pass it on | two blocks in turn |
//! | `loop` | may live for more rounds | one block for each round |
//! | `kernel` | | one block for each thread, one after the other or interleaved |

mod bounds;
mod hoist;
mod size;
mod support;
mod supporting;

use super::symbolic;
use crate::fun::syntax::{Atom, Se};
use crate::funmem::print;
use crate::funmem::syntax::{
    ArrayTy, Binding, Body, Exp, FunMem, Lmad, LmadDim, MemExp, MemTy, Program, Stm,
};
use crate::kit::decisions::Decisions;
use crate::kit::faults::{Fault, Planted};
use crate::kit::names::{Names, Var, Wish};
use crate::kit::text::{Refused, Span};
use std::sync::Arc;

/// How the threads of a kernel share a block (reading FUNMEM 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// As the paper prints it: the share of a thread is contiguous. Thread x has
    /// `(x - 1) * se` added to its offsets.
    Paper,
    /// Shares are interleaved, so that neighbouring threads access neighbouring cells: cell a of
    /// thread x of y becomes cell `a * y + (x - 1)`.
    Coalesced,
}

impl Form {
    /// Both.
    pub const ALL: [Form; 2] = [Form::Paper, Form::Coalesced];

    /// Its name, as headers and the command line write it.
    pub fn name(self) -> &'static str {
        match self {
            Form::Paper => "paper",
            Form::Coalesced => "coalesced",
        }
    }

    /// The form of that name.
    pub fn named(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }
}

/// Moves allocations out of `if` and `loop` inside kernels, as far as that can be done and is decided. Programs
/// keep their values and where they get stuck.
pub fn hoist_allocations(program: Program<FunMem>, decisions: &mut Decisions) -> Program<FunMem> {
    if !hoist::has_work(&program.body, false) {
        return program;
    }
    let as_it_is = program.clone();
    match Expansion::new(&program, None, Planted::NONE, decisions).program(program) {
        Ok(hoisted) => hoisted,
        Err(refused) => {
            decisions.note(|| format!("nothing is moved: {}", refused.reason));
            as_it_is
        }
    }
}

/// Moves every allocation out of every kernel. How the threads of a kernel share a block is decided for each
/// block: best by `form`; the paper's form needs no decision.
///
/// # Errors
/// The statement whose block cannot be expanded, and the reason.
pub fn expand(
    program: Program<FunMem>,
    form: Form,
    planted: Planted,
    decisions: &mut Decisions,
) -> Result<Program<FunMem>, Refused> {
    if !allocates(&program.body, false) {
        return Ok(program);
    }
    Expansion::new(&program, Some(form), planted, decisions).program(program)
}

/// Does a kernel allocate in `body`, or `body` itself, which is inside a kernel or not?
fn allocates(body: &Body<FunMem>, inside: bool) -> bool {
    body.stms.iter().any(|stm| match &stm.exp {
        Exp::Extra(MemExp::Alloc(_)) => inside,
        Exp::If { then, orelse, .. } => allocates(then, inside) || allocates(orelse, inside),
        Exp::Loop { body, .. } => allocates(body, inside),
        Exp::Kernel { body, .. } => allocates(body, true),
        _ => false,
    })
}

/// The state of one expansion.
struct Expansion<'d> {
    names: Names,
    /// Which blocks move that need not, and how threads share those that must.
    decisions: &'d mut Decisions,
    /// What is known of each name, by slot.
    noted: Vec<Noted>,
    /// Does a block that a kernel allocates flow into an `if` or a `loop`? Else nothing is asked of a
    /// name that is needed only to follow it out.
    flows: bool,
    /// Were the arrays in some block moved?
    moves: bool,
    /// The names that are known not to be negative, in the order in which they became known.
    known: Vec<Var>,
    /// `None` to hoist only.
    form: Option<Form>,
    planted: Planted,
    /// How many nodes may still be made.
    room: usize,
}

/// What is known of a name.
#[derive(Clone, Debug)]
struct Noted {
    /// `Γ`: index functions change here, patterns follow at the end.
    ty: MemTy,
    /// How often it is used, if blocks [flow](Expansion::flows).
    uses: u32,
    /// Of a block: the first array in it. They are linked in ascending order.
    first: Option<Var>,
    /// Of an array: the next one in its block.
    next: Option<Var>,
    /// It is a block that is allocated in a kernel.
    in_kernel: bool,
    /// It is a result of an `if` or `loop`, or what a `loop` starts from.
    escapes: bool,
    /// It is a view of another array, in its block, if blocks [flow](Expansion::flows).
    view: bool,
    /// It is a block in which the arrays have been moved; at the end also one that comes out of an `if` or a
    /// `loop` as such a block.
    moved: bool,
    /// It is a moved block where that comes out of an `if` or a `loop`, or where a loop carries it.
    handed_on: bool,
    /// It is known not to be negative where the traversal stands.
    not_negative: bool,
    /// It is a number of rounds that was made here, which is not negative.
    rounds: bool,
}

impl Noted {
    /// A name of which nothing is known but its type.
    fn of(ty: MemTy) -> Self {
        Self {
            ty,
            uses: 0,
            first: None,
            next: None,
            in_kernel: false,
            escapes: false,
            view: false,
            moved: false,
            handed_on: false,
            not_negative: false,
            rounds: false,
        }
    }
}

/// How many nodes an expansion makes at most: names, operators and statements that were not in the
/// program. A size is computed again outside of each construct, and so is what computed it there,
/// so a program of many kernels in one another could become as large as it likes.
const ROOM: usize = 100_000;

/// What is said of a statement at which there is no more room.
const NO_ROOM: &str = "the program would become too large, for sizes are computed again in front \
                       of each kernel, branch and loop";

/// A construct that an allocation leaves.
#[derive(Clone, Copy)]
enum Header<'a> {
    If,
    Kernel { thread: Var, count: Atom },
    Loop { carried: &'a [(Binding<FunMem>, Atom)], counter: Var, count: Atom, results: &'a [Atom] },
}

impl<'d> Expansion<'d> {
    fn new(
        program: &Program<FunMem>,
        form: Option<Form>,
        planted: Planted,
        decisions: &'d mut Decisions,
    ) -> Self {
        let mut expansion = Expansion {
            names: Names::new(),
            decisions,
            noted: vec![Noted::of(MemTy::Int); program.names.len()],
            flows: false,
            moves: false,
            known: Vec::new(),
            form,
            planted,
            room: ROOM,
        };
        expansion.note_program(program);
        expansion
    }

    fn program(mut self, program: Program<FunMem>) -> Result<Program<FunMem>, Refused> {
        let Program { names, mut params, mut body } = program;
        self.names = names;
        for param in &params {
            self.learn_binding(param);
        }
        self.body(&mut body, false)?;
        if self.moves {
            self.retype(&mut params);
            if self.flows && self.follow(&body) {
                self.confined(&body)?;
                self.settle(&mut body)?;
            } else {
                self.retype_body(&mut body);
            }
        }
        Ok(Program { names: self.names, params, body })
    }

    fn fresh(&mut self, wish: impl Into<Wish>, ty: MemTy) -> Var {
        self.noted.push(Noted::of(ty));
        self.names.fresh(wish)
    }

    fn of(&self, var: Var) -> &Noted {
        &self.noted[var.slot()]
    }

    fn of_mut(&mut self, var: Var) -> &mut Noted {
        &mut self.noted[var.slot()]
    }

    /// So many nodes are made.
    fn makes(&mut self, nodes: usize) -> Result<(), String> {
        self.room = self.room.checked_sub(nodes).ok_or(NO_ROOM)?;
        Ok(())
    }

    /// `let x = se`, for a fresh int `x` called after `of`.
    fn name(
        &mut self,
        span: Span,
        of: Var,
        what: &'static str,
        se: Se,
        out: &mut Vec<Stm<FunMem>>,
    ) -> Var {
        let var = self.fresh(Wish::Of(of, what), MemTy::Int);
        out.push(let_int(span, var, Exp::Scalar(se)));
        var
    }

    /// An atom with the value of `se`.
    fn atom(&mut self, span: Span, of: Var, se: &Se, out: &mut Vec<Stm<FunMem>>) -> Atom {
        match se {
            Se::Atom(atom) => *atom,
            Se::Bin(..) => self.name(span, of, "size", se.clone(), out).into(),
        }
    }

    fn refuse(&self, stm: &Stm<FunMem>, reason: impl Into<String>) -> Refused {
        let statement = print::statement(&self.names, stm);
        Refused { span: stm.span, statement, reason: reason.into(), second: None }
    }

    /// Moves the allocations of a body, which is inside a kernel or not, as far out as they go
    /// within it: afterwards those that are left inside a kernel are statements of its body.
    fn body(&mut self, body: &mut Body<FunMem>, inside: bool) -> Result<(), Refused> {
        let outer = self.known.len();
        // In most bodies nothing goes in front of a statement, so they stay where they are.
        let mut out = Vec::new();
        let mut places = Vec::new();
        for (at, stm) in body.stms.iter_mut().enumerate() {
            self.stm(stm, inside, &mut out)?;
            places.resize(out.len(), at);
        }
        put_between(&mut body.stms, out, places);
        self.forget(outer);
        Ok(())
    }

    /// The same for a statement; what goes in front of it is put into `out`.
    fn stm(
        &mut self,
        stm: &mut Stm<FunMem>,
        inside: bool,
        out: &mut Vec<Stm<FunMem>>,
    ) -> Result<(), Refused> {
        if let (true, Exp::Extra(MemExp::Alloc(se))) = (inside, &stm.exp)
            && self.form.is_some()
        {
            if !self.total(se) {
                return Err(self.refuse(stm, "its size may divide by zero"));
            }
            if !self.never_negative(se) {
                return Err(self.refuse(stm, "its size may be negative"));
            }
        }
        let pattern = &stm.pattern;
        match &mut stm.exp {
            Exp::If { then, orelse, .. } => {
                self.body(then, inside)?;
                self.body(orelse, inside)?;
                if inside {
                    self.leave_if(then, out)?;
                    self.leave_if(orelse, out)?;
                }
            }
            Exp::Loop { carried, counter, count, body } => {
                let outer = self.known.len();
                self.learn(*count);
                self.learn((*counter).into());
                carried.iter().for_each(|(binding, _)| self.learn_binding(binding));
                self.body(body, inside)?;
                self.forget(outer);
                self.learn(*count);
                if inside {
                    let results = &body.results.clone();
                    let (counter, count) = (*counter, *count);
                    let header = Header::Loop { carried, counter, count, results };
                    self.leave_loop(header, body, out)?;
                }
            }
            Exp::Kernel { thread, count, body } => {
                // The kernel tests its count and its sizes before a thread runs.
                pattern.iter().for_each(|binding| self.learn_binding(binding));
                self.learn(*count);
                let outer = self.known.len();
                self.learn((*thread).into());
                self.body(body, true)?;
                self.forget(outer);
                if let Some(form) = self.form {
                    self.leave_kernel(form, *thread, *count, body, out)?;
                }
            }
            Exp::Scalar(se) if self.wraps_not_negative(se) => {
                self.learn(pattern[0].var.into());
            }
            _ => {}
        }
        pattern.iter().for_each(|binding| self.learn_binding(binding));
        Ok(())
    }

    /// `MemoryExpand` for the allocations at the top of a kernel's body:
    ///
    /// ```text
    /// let p̄ = kernel x ≤ y do let z = alloc se b
    ///     becomes
    /// let z = alloc (se · y) let p̄ = kernel x ≤ y do b'
    /// ```
    ///
    /// where b' is b with each index function over z as [`Form`] says.
    fn leave_kernel(
        &mut self,
        form: Form,
        thread: Var,
        count: Atom,
        body: &mut Body<FunMem>,
        out: &mut Vec<Stm<FunMem>>,
    ) -> Result<(), Refused> {
        let header = Header::Kernel { thread, count };
        let mut first = Vec::new();
        let mut sizes = Vec::new();
        let mut at = 0;
        while at < body.stms.len() {
            let Some((z, se)) = allocation(&body.stms[at]) else {
                at += 1;
                continue;
            };
            let alloc = &body.stms[at];
            let span = alloc.span;
            let size = self
                .size_outside(&se, span, z, &body.stms, at, header, &mut sizes, out)
                .map_err(|reason| self.refuse(alloc, reason))?;
            let all = symbolic::mul(
                symbolic::at_least_zero(size.clone()),
                symbolic::at_least_zero(count.into()),
            );
            let before = symbolic::sub(thread.into(), 1.into());
            let form = self.shares(form, z, thread);
            let share = match form {
                Form::Paper => {
                    let size = self.atom(span, z, &size, out);
                    let share = symbolic::mul(before, size.into());
                    self.name(span, z, "share", share, &mut first).into()
                }
                Form::Coalesced => before,
            };
            let share = if self.planted.is(Fault::X1) { Se::from(0) } else { share };
            let made = self.makes(symbolic::size(&all)).and_then(|()| {
                self.move_residents(z, |lmad| match form {
                    Form::Paper => shifted(lmad, &share),
                    Form::Coalesced => shifted(&scaled(lmad, count), &share),
                })
            });
            made.map_err(|reason| self.refuse(&body.stms[at], reason))?;
            let mut alloc = body.stms.remove(at);
            alloc.exp = Exp::Extra(MemExp::Alloc(all));
            out.push(alloc);
        }
        body.stms.splice(0..0, first);
        Ok(())
    }

    /// How the threads of a kernel share the block.
    fn shares(&mut self, best: Form, block: Var, thread: Var) -> Form {
        let names = &self.names;
        self.decisions.choose(Form::Paper, best, &Form::ALL, |form| {
            let (block, thread) = (names.text(block), names.text(thread));
            let how = match form {
                Form::Paper => "one after the other",
                Form::Coalesced => "interleaved, so that neighbours access neighbouring cells",
            };
            format!("`{block}` leaves the kernel of `{thread}`; the shares of threads lie {how}")
        })
    }

    /// Each array in the block gets another index function.
    fn move_residents(&mut self, block: Var, to: impl Fn(&Lmad) -> Lmad) -> Result<(), String> {
        self.moves = true;
        self.of_mut(block).moved = true;
        let mut next = self.of(block).first;
        while let Some(array) = next {
            let noted = &mut self.noted[array.slot()];
            next = noted.next;
            if let MemTy::Array(ty) = &mut noted.ty {
                let lmad = to(&ty.lmad);
                self.room = self.room.checked_sub(nodes(&lmad)).ok_or(NO_ROOM)?;
                *ty = Arc::new(ArrayTy { shape: ty.shape.clone(), block, lmad });
            }
        }
        Ok(())
    }

    /// The arrays in the block.
    fn residents(&self, block: Var) -> impl Iterator<Item = Var> {
        std::iter::successors(self.of(block).first, |array| self.of(*array).next)
    }
}

/// Each statement of `more` goes in front of the one of `stms` that `places` says, in ascending order.
fn put_between(stms: &mut Vec<Stm<FunMem>>, more: Vec<Stm<FunMem>>, places: Vec<usize>) {
    if more.is_empty() {
        return;
    }
    let mut more = places.into_iter().zip(more).peekable();
    let mut all = Vec::with_capacity(stms.len() + more.len());
    for (at, stm) in stms.drain(..).enumerate() {
        while let Some((_, before)) = more.next_if(|(place, _)| *place == at) {
            all.push(before);
        }
        all.push(stm);
    }
    *stms = all;
}

/// How many operators and operands the index function has.
fn nodes(lmad: &Lmad) -> usize {
    let strides = lmad.dims.iter().map(|dim| symbolic::size(&dim.stride));
    symbolic::size(&lmad.offset) + strides.sum::<usize>()
}

/// The block and the size of an `alloc`.
fn allocation(stm: &Stm<FunMem>) -> Option<(Var, Se)> {
    match &stm.exp {
        Exp::Extra(MemExp::Alloc(se)) => Some((stm.pattern[0].var, se.clone())),
        _ => None,
    }
}

/// `let (x : int) = e`
fn let_int(span: Span, var: Var, exp: Exp<FunMem>) -> Stm<FunMem> {
    Stm { span, pattern: vec![Binding { var, ty: MemTy::Int }], exp }
}

/// `share` is added to the offset.
fn shifted(lmad: &Lmad, share: &Se) -> Lmad {
    let offset = symbolic::add(lmad.offset.clone(), share.clone());
    Lmad { offset, dims: lmad.dims.clone() }
}

/// Offset and strides times `by`.
fn scaled(lmad: &Lmad, by: Atom) -> Lmad {
    let times = |se: &Se| symbolic::mul(se.clone(), by.into());
    let dims = lmad.dims.iter();
    let dims = dims.map(|dim| LmadDim { extent: dim.extent, stride: times(&dim.stride) });
    Lmad { offset: times(&lmad.offset), dims: dims.collect() }
}
