//! One IMP program as statements of another.

use reference::fun::syntax::{Atom, Se};
use reference::imp::syntax::{Kind, Output, Program, Stm, Ty};
use reference::kit::names::{Names, Var};
use reference::kit::text::Span;
use rustc_hash::FxHashSet;

/// What a parameter of the grafted program is where it is put.
#[derive(Clone, Copy, Debug)]
pub(super) enum Given {
    /// An int.
    Int(Atom),
    /// A block that holds its array, row-major.
    Block(Var),
}

/// What the grafted program becomes.
pub(super) struct Grafted {
    /// Its statements. What they declare is in scope behind them.
    pub(super) body: Vec<Stm>,
    /// Its results.
    pub(super) results: Vec<Output>,
}

/// Puts a program where its parameters are `given`. Each of its variables gets a name of its own.
/// `span` is where its statements stand, if they do not stand where they say.
pub(super) fn graft(
    program: &Program,
    given: &[Given],
    span: Option<Span>,
    names: &mut Names,
) -> Grafted {
    let mut to = Graft { of: program, names, vars: vec![None; program.names.len()], span };
    let assigned = assigned(&program.body);
    let mut body = Vec::new();
    for (param, given) in program.params.iter().zip(given) {
        let place = span.unwrap_or_default();
        match *given {
            Given::Int(Atom::Var(var)) | Given::Block(var) if !assigned.contains(&param.var) => {
                to.vars[param.var.slot()] = Some(var);
            }
            Given::Int(atom) => {
                let own = to.var(param.var);
                body.push(Stm { span: place, kind: Kind::Var(own, Ty::Int) });
                body.push(Stm { span: place, kind: Kind::Assign(own, atom.into()) });
            }
            Given::Block(block) => {
                let own = to.var(param.var);
                body.push(Stm { span: place, kind: Kind::Var(own, Ty::Mem) });
                body.push(Stm { span: place, kind: Kind::AssignMem(own, block) });
            }
        }
    }
    body.extend(to.stms(&program.body));
    let results = program.results.iter().map(|result| to.output(result)).collect();
    Grafted { body, results }
}

/// The variables that statements assign to.
fn assigned(stms: &[Stm]) -> FxHashSet<Var> {
    let mut to = FxHashSet::default();
    each(stms, &mut |kind| {
        if let Kind::Assign(x, _) | Kind::AssignMem(x, _) | Kind::Alloc(x, _) = kind {
            to.insert(*x);
        }
        if let Kind::Read { into, .. } = kind {
            to.insert(*into);
        }
    });
    to
}

/// Visits each statement.
pub(super) fn each(stms: &[Stm], visit: &mut impl FnMut(&Kind)) {
    for stm in stms {
        visit(&stm.kind);
        match &stm.kind {
            Kind::If { then, orelse, .. } => {
                each(then, visit);
                each(orelse, visit);
            }
            Kind::Kernel { body, .. } | Kind::For { body, .. } => each(body, visit),
            _ => {}
        }
    }
}

struct Graft<'a> {
    of: &'a Program,
    names: &'a mut Names,
    /// By slot of the grafted program.
    vars: Vec<Option<Var>>,
    span: Option<Span>,
}

impl Graft<'_> {
    fn var(&mut self, var: Var) -> Var {
        if let Some(own) = self.vars[var.slot()] {
            return own;
        }
        let own = self.names.fresh(self.of.names.text(var).to_owned());
        self.vars[var.slot()] = Some(own);
        own
    }

    fn atom(&mut self, atom: Atom) -> Atom {
        match atom {
            Atom::Var(var) => Atom::Var(self.var(var)),
            Atom::Const(_) => atom,
        }
    }

    fn se(&mut self, se: &Se) -> Se {
        match se {
            Se::Atom(atom) => Se::Atom(self.atom(*atom)),
            Se::Bin(op, operands) => {
                let (a, b) = (self.se(&operands[0]), self.se(&operands[1]));
                Se::bin(*op, a, b)
            }
        }
    }

    fn stms(&mut self, stms: &[Stm]) -> Vec<Stm> {
        stms.iter().map(|stm| self.stm(stm)).collect()
    }

    fn stm(&mut self, stm: &Stm) -> Stm {
        let kind = match &stm.kind {
            Kind::Skip => Kind::Skip,
            Kind::Var(x, ty) => Kind::Var(self.var(*x), *ty),
            Kind::Assign(x, se) => Kind::Assign(self.var(*x), self.se(se)),
            Kind::AssignMem(x, y) => Kind::AssignMem(self.var(*x), self.var(*y)),
            Kind::Alloc(x, size) => Kind::Alloc(self.var(*x), self.se(size)),
            Kind::Read { into, block, offset } => Kind::Read {
                into: self.var(*into),
                block: self.var(*block),
                offset: self.se(offset),
            },
            Kind::Write { block, offset, value } => Kind::Write {
                block: self.var(*block),
                offset: self.se(offset),
                value: self.se(value),
            },
            Kind::If { cond, then, orelse } => Kind::If {
                cond: self.atom(*cond),
                then: self.stms(then),
                orelse: self.stms(orelse),
            },
            Kind::Kernel { thread, count, body } => Kind::Kernel {
                thread: self.var(*thread),
                count: self.se(count),
                body: self.stms(body),
            },
            Kind::For { counter, count, body } => Kind::For {
                counter: self.var(*counter),
                count: self.se(count),
                body: self.stms(body),
            },
            Kind::Check { cause, operands } => Kind::Check {
                cause: *cause,
                operands: operands.iter().map(|operand| self.se(operand)).collect(),
            },
        };
        Stm { span: self.span.unwrap_or(stm.span), kind }
    }

    fn output(&mut self, output: &Output) -> Output {
        match output {
            Output::Int(atom) => Output::Int(self.atom(*atom)),
            Output::Array { block, shape, offset, strides } => Output::Array {
                block: self.var(*block),
                shape: shape.iter().map(|size| self.atom(*size)).collect(),
                offset: self.se(offset),
                strides: strides.iter().map(|stride| self.se(stride)).collect(),
            },
        }
    }
}
