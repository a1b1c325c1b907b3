//! Statements of the host or of a kernel that are being written, in numbered blocks: a block may be written to after a
//! branch that it stands in was left.

use reference::device::syntax::{
    self as device, Block, Carried, Case, Element, Exp, Host, HostBlock, I32, If, Kind, Lit, Loop,
    Place, Sc, Stm, Switch, Ty,
};
use reference::kit::names::Var;
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

/// A statement.
pub(super) enum Item {
    /// A value.
    Let(Var, Ty, Exp),
    /// A register is set.
    Set(Var, Exp),
    /// `x = block[i]`
    Load(Var, Exp, Exp),
    /// `block[i] = e`
    Store(Exp, Exp, Exp),
    /// A branch, of two blocks.
    If(Exp, usize, usize),
    /// The block is done for each number from 0 on that is below another one.
    For(Var, Exp, usize),
    /// The block is done once, and again while something holds after it; the variable has no other use.
    Again(Var, usize, Exp),
    /// Of the host only.
    Host(Host),
    /// Of a kernel only.
    Kernel(Kind),
}

/// The blocks.
#[derive(Default)]
pub(super) struct Code(Vec<Vec<(Span, Item)>>);

/// A state of a machine: its number and its block.
pub(super) type State = (i32, usize);

impl Code {
    /// A new block.
    pub(super) fn block(&mut self) -> usize {
        self.0.push(Vec::new());
        self.0.len() - 1
    }

    /// Appends a statement.
    pub(super) fn emit(&mut self, at: usize, span: Span, item: Item) {
        self.0[at].push((span, item));
    }

    /// The block as one of the host.
    pub(super) fn host(&mut self, at: usize) -> HostBlock {
        let items = std::mem::take(&mut self.0[at]);
        let stm = |(span, item)| {
            let kind = match item {
                Item::Let(var, ty, exp) => Host::Let(var, ty, exp),
                Item::Set(var, exp) => Host::Assign(vec![(var, exp)]),
                Item::Load(into, block, offset) => Host::Read { into, block, offset },
                Item::Store(block, offset, value) => Host::Write { block, offset, value },
                Item::If(cond, then, orelse) => {
                    Host::If(If { cond, then: self.host(then), orelse: self.host(orelse) })
                }
                Item::For(var, count, body) => {
                    Host::Loop(Box::new(counted(var, count, self.host(body))))
                }
                Item::Again(var, body, next) => {
                    Host::Loop(Box::new(repeated(var, next, self.host(body))))
                }
                Item::Host(kind) => kind,
                Item::Kernel(kind) => unreachable!("{kind:?} on the host"),
            };
            Stm { span, kind }
        };
        items.into_iter().map(stm).collect()
    }

    /// The block as one of a kernel.
    pub(super) fn kernel(&mut self, at: usize) -> Block {
        let items = std::mem::take(&mut self.0[at]);
        let stm = |(span, item)| {
            let kind = match item {
                Item::Let(var, ty, exp) => Kind::Let(var, ty, exp),
                Item::Set(var, exp) => Kind::Store(Place::Var(var), exp),
                Item::Load(into, block, offset) => {
                    Kind::Let(into, I32, Exp::load(Place::Element(block, offset)))
                }
                Item::Store(block, offset, value) => {
                    Kind::Store(Place::Element(block, offset), value)
                }
                Item::If(cond, then, orelse) => {
                    Kind::If(If { cond, then: self.kernel(then), orelse: self.kernel(orelse) })
                }
                Item::For(var, count, body) => {
                    Kind::Loop(Box::new(counted(var, count, self.kernel(body))))
                }
                Item::Again(var, body, next) => {
                    Kind::Loop(Box::new(repeated(var, next, self.kernel(body))))
                }
                Item::Kernel(kind) => kind,
                Item::Host(kind) => unreachable!("{kind:?} in a kernel"),
            };
            Stm { span, kind }
        };
        items.into_iter().map(stm).collect()
    }

    /// Goes on with the state of this number, on the host: by halves.
    pub(super) fn dispatch(&mut self, pc: Var, states: &[State]) -> HostBlock {
        match states {
            [] => Vec::new(),
            [(_, block)] => self.host(*block),
            _ => {
                let (low, high) = states.split_at(states.len() / 2);
                let cond = lt(Exp::Var(pc), Exp::i32(high[0].0));
                let (then, orelse) = (self.dispatch(pc, low), self.dispatch(pc, high));
                vec![Stm { span: Span::default(), kind: Host::If(If { cond, then, orelse }) }]
            }
        }
    }

    /// The same, in a kernel.
    pub(super) fn switch(&mut self, pc: Exp, states: &[State]) -> Kind {
        let case = |(number, block): &State| Case {
            literal: Lit::I32(*number),
            body: self.kernel(*block),
        };
        let cases = states.iter().map(case).collect();
        Kind::Switch(Switch { value: pc, cases, orelse: Vec::new() })
    }
}

fn counted<K>(var: Var, count: Exp, body: Vec<Stm<K>>) -> Loop<K> {
    let carried = vec![Carried { var, ty: I32, init: Exp::i32(0) }];
    let next = vec![add(Exp::Var(var), Exp::i32(1))];
    Loop { carried, cond: lt(Exp::Var(var), count), fuel: None, body, next }
}

fn repeated<K>(var: Var, next: Exp, body: Vec<Stm<K>>) -> Loop<K> {
    let carried = vec![Carried { var, ty: device::BOOL, init: Exp::Lit(Lit::Bool(true)) }];
    Loop { carried, cond: Exp::Var(var), fuel: None, body, next: vec![next] }
}

pub(super) fn add(a: Exp, b: Exp) -> Exp {
    match (a, b) {
        (a, Exp::Lit(Lit::I32(0))) => a,
        (Exp::Lit(Lit::I32(0)), b) => b,
        (Exp::Lit(Lit::I32(a)), Exp::Lit(Lit::I32(b))) => Exp::i32(a.wrapping_add(b)),
        (a, b) => Exp::bin(BinOp::Add, a, b),
    }
}

pub(super) fn sub(a: Exp, b: Exp) -> Exp {
    Exp::bin(BinOp::Sub, a, b)
}

pub(super) fn mul(a: Exp, b: Exp) -> Exp {
    match (a, b) {
        (Exp::Lit(Lit::I32(a)), Exp::Lit(Lit::I32(b))) => Exp::i32(a.wrapping_mul(b)),
        (a, b) => Exp::bin(BinOp::Mul, a, b),
    }
}

pub(super) fn lt(a: Exp, b: Exp) -> Exp {
    Exp::bin(BinOp::Lt, a, b)
}

pub(super) fn eq(a: Exp, b: Exp) -> Exp {
    Exp::bin(BinOp::Eq, a, b)
}

pub(super) fn ne(a: Exp, b: Exp) -> Exp {
    Exp::bin(BinOp::Ne, a, b)
}

pub(super) fn max(a: Exp, b: Exp) -> Exp {
    Exp::bin(BinOp::Max, a, b)
}

pub(super) fn and(a: Exp, b: Exp) -> Exp {
    Exp::bin(BinOp::And, a, b)
}

pub(super) fn or(a: Exp, b: Exp) -> Exp {
    Exp::bin(BinOp::Or, a, b)
}

/// A block of i32 that is put together.
pub(super) fn view(base: Exp, length: Exp) -> Exp {
    let unsigned = |exp| Exp::Cast(Sc::U32, Box::new(exp));
    Exp::block(WORDS, unsigned(base), unsigned(length))
}

/// Elements of blocks of words.
pub(super) const WORDS: Element = Element::Plain(Sc::I32);

/// Those that threads count with.
pub(super) const COUNTS: Element = Element::Atomic(Sc::I32);

/// Is it a variable or a literal?
pub(super) fn is_atom(exp: &Exp) -> bool {
    matches!(exp, Exp::Var(_) | Exp::Lit(_))
}

/// `<=`
pub(super) const LE: BinOp = BinOp::Le;
