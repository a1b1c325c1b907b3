//! Statements that are being written, of the host or of a kernel: one form for both, and a stack of open
//! blocks.
//!
//! What follows a test whose failure ends the work at hand stands in a block that [`Code::guard`] opens,
//! and that is closed with the scope around it.

use super::fold;
use reference::device::syntax::{
    self as device, Block, Carried, Check, Exp, Host, HostBlock, If, Kind, Loop, Place, Sc, Stm, Ty,
};
use reference::device::{visit, visit_mut};
use reference::kit::names::Var;
use reference::kit::text::Span;
use rustc_hash::FxHashMap;

/// How many parts an expression has at most in which values stand in the place of their names.
const MOST_PARTS: usize = 64;

/// A statement of the host or of a kernel.
pub(super) enum Item {
    /// A value.
    Let(Var, Ty, Exp),
    /// What can be assigned to.
    Var(Var, Ty, Exp),
    /// All at once.
    Set(Vec<(Var, Exp)>),
    /// A branch.
    If(Exp, Items, Items),
    /// A loop.
    Loop {
        /// What it carries.
        carried: Vec<Carried>,
        /// Goes on while this holds.
        cond: Exp,
        /// What it does.
        body: Items,
        /// What is carried on.
        next: Vec<Exp>,
    },
    /// A check.
    Check(Check),
    /// Of a kernel only.
    Kernel(Kind),
    /// Of the host only.
    Host(Host),
}

/// Statements with their places.
pub(super) type Items = Vec<(Span, Item)>;

/// A block that is open.
struct Open {
    /// The condition of the branch that the block is, if it is one of a scope that goes on in it.
    guard: Option<(Span, Exp)>,
    items: Items,
}

/// The statements that are being written.
#[derive(Default)]
pub(super) struct Code {
    open: Vec<Open>,
    /// How many were written.
    pub(super) written: usize,
}

impl Code {
    /// Appends a statement.
    pub(super) fn emit(&mut self, span: Span, item: Item) {
        self.written += 1;
        if let Some(open) = self.open.last_mut() {
            open.items.push((span, item));
        }
    }

    /// Opens the block of a scope.
    pub(super) fn open(&mut self) {
        self.open.push(Open { guard: None, items: Vec::new() });
    }

    /// What follows in this scope stands in a branch.
    pub(super) fn guard(&mut self, span: Span, cond: Exp) {
        self.open.push(Open { guard: Some((span, cond)), items: Vec::new() });
    }

    /// Is nothing written in the scope yet?
    pub(super) fn is_quiet(&self) -> bool {
        self.open.last().is_none_or(|open| open.guard.is_none() && open.items.is_empty())
    }

    /// Closes the block of the scope, with the branches that were opened in it.
    pub(super) fn close(&mut self) -> Items {
        while let Some(Open { guard, items }) = self.open.pop() {
            match guard {
                Some((span, cond)) => self.emit(span, Item::If(cond, items, Vec::new())),
                None => return items,
            }
        }
        Vec::new()
    }
}

/// The statements as a body of the host.
pub(super) fn host(items: Items) -> HostBlock {
    let stm = |(span, item)| {
        let kind = match item {
            Item::Let(var, ty, exp) | Item::Var(var, ty, exp) => Host::Let(var, ty, exp),
            Item::Set(pairs) => Host::Assign(pairs),
            Item::If(cond, then, orelse) => {
                Host::If(If { cond, then: host(then), orelse: host(orelse) })
            }
            Item::Loop { carried, cond, body, next } => {
                Host::Loop(Box::new(Loop { carried, cond, fuel: None, body: host(body), next }))
            }
            Item::Check(check) => Host::Check(check),
            Item::Host(kind) => kind,
            Item::Kernel(kind) => unreachable!("{kind:?} on the host"),
        };
        Stm { span, kind }
    };
    items.into_iter().map(stm).collect()
}

/// The statements as a body of a kernel.
pub(super) fn kernel(items: Items) -> Block {
    let mut out = Vec::with_capacity(items.len());
    for (span, item) in items {
        let kind = match item {
            Item::Let(var, ty, exp) => Kind::Let(var, ty, exp),
            Item::Var(var, ty, exp) => Kind::Var(var, ty, Some(exp)),
            Item::Set(pairs) => {
                let stores = pairs.into_iter().map(|(var, exp)| Kind::Store(Place::Var(var), exp));
                out.extend(stores.map(|kind| Stm { span, kind }));
                continue;
            }
            Item::If(cond, then, orelse) => {
                Kind::If(If { cond, then: kernel(then), orelse: kernel(orelse) })
            }
            Item::Loop { carried, cond, body, next } => {
                Kind::Loop(Box::new(Loop { carried, cond, fuel: None, body: kernel(body), next }))
            }
            Item::Check(check) => Kind::Check(check),
            Item::Kernel(kind) => kind,
            Item::Host(kind) => unreachable!("{kind:?} in a kernel"),
        };
        out.push(Stm { span, kind });
    }
    out
}

/// The expression with the values of variables substituted, so that it needs none of the statements. A branch becomes a
/// `select`. `None` if a statement has another effect, or an expression has more than [`MOST_PARTS`] parts.
pub(super) fn without_statements(mut exp: Exp, items: Items) -> Option<Exp> {
    let mut values = FxHashMap::default();
    gives(items, &mut values)?;
    put_back(&mut exp, &values)?;
    Some(exp)
}

/// Collects the values that variables have after the statements.
fn gives(items: Items, values: &mut FxHashMap<Var, Exp>) -> Option<()> {
    for (_, item) in items {
        match item {
            Item::Let(var, _, mut exp) | Item::Var(var, _, mut exp) => {
                put_back(&mut exp, values)?;
                values.insert(var, exp);
            }
            Item::Set(mut pairs) => {
                if !pairs.iter().all(|(var, _)| values.contains_key(var)) {
                    return None;
                }
                pairs.iter_mut().try_for_each(|(_, exp)| put_back(exp, values))?;
                values.extend(pairs);
            }
            Item::If(mut cond, then, orelse) => {
                put_back(&mut cond, values)?;
                let (mut one, mut other) = (values.clone(), values.clone());
                gives(then, &mut one)?;
                gives(orelse, &mut other)?;
                for (var, value) in &mut *values {
                    if let Some((one, other)) = one.remove(var).zip(other.remove(var)) {
                        *value = fold::select(cond.clone(), one, other);
                    }
                }
            }
            _ => return None,
        }
    }
    Some(())
}

/// Substitutes values for variables. `None` if the expression becomes too long.
fn put_back(exp: &mut Exp, values: &FxHashMap<Var, Exp>) -> Option<()> {
    visit_mut::change_exp(exp, &mut |part| {
        let var = match part {
            Exp::Var(var) => *var,
            Exp::Load(at) if let Place::Var(var) = **at => var,
            _ => return,
        };
        if let Some(value) = values.get(&var) {
            *part = value.clone();
        }
    });
    let mut parts = 0;
    visit::exp(exp, &mut |_| parts += 1);
    (parts <= MOST_PARTS).then_some(())
}

/// Scalars of this type, as the type of a variable.
pub(super) fn ty(sc: Sc) -> Ty {
    Ty::Scalar(sc)
}

/// The scalar as it is stored: a bool as an i32.
pub(super) fn stored(sc: Sc, exp: Exp) -> Exp {
    if sc == Sc::Bool { fold::cast(Sc::I32, exp) } else { exp }
}

/// What was stored, as the scalar that it is.
pub(super) fn restored(sc: Sc, exp: Exp) -> Exp {
    if sc == Sc::Bool { device::Exp::Cast(Sc::Bool, Box::new(exp)) } else { exp }
}
