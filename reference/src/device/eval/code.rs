//! What is launched, with its names resolved: each variable has its place in the cells of an
//! invocation, or in those of its work group, before the first step is made.

use super::layout::Layout;
use crate::device::levels::captured;
use crate::device::parts::Statement;
use crate::device::syntax::{Block, Function, Kernel, Kind, Par, Space, Ty};
use crate::device::types::Bound;
use crate::device::visit;
use crate::kit::names::Var;
use crate::kit::text::Span;

/// Invocations of a group when a parallel loop of the host runs as it is.
const PAR_GROUP: u32 = 64;

/// Where a variable stands, and what it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot<'p> {
    /// A value or a place, with its type.
    pub(super) bound: Bound<'p>,
    /// Its first cell.
    pub(super) at: u32,
}

/// A kernel or a parallel loop of the host.
pub(super) struct Code<'p> {
    pub(super) body: &'p Block,
    /// By the slot of the variable.
    slots: Vec<Option<Slot<'p>>>,
    /// The parameters, in order.
    pub(super) params: Vec<Var>,
    /// For a parallel loop of the host, the variable of its iteration. Only as many invocations
    /// run as there are iterations.
    pub(super) iteration: Option<Var>,
    /// Cells of the variables of an invocation.
    pub(super) cells: u32,
    /// Private variables: the first cell and how many.
    pub(super) private: (u32, u32),
    /// Cells of the variables of a work group.
    pub(super) workgroup: u32,
    /// The variables of a work group with their first cells.
    pub(super) variables: Vec<(u32, Var)>,
    /// Invocations in a group.
    pub(super) group: u32,
    /// Do the invocations of a group wait for each other?
    pub(super) barriers: bool,
    /// The kernel, as races name it.
    pub(super) span: Span,
}

impl<'p> Code<'p> {
    fn new(layout: &Layout<'p>, body: &'p Block, group: u32, span: Span) -> Self {
        Self {
            body,
            slots: vec![None; layout.program().names.len()],
            params: Vec::new(),
            iteration: None,
            cells: 0,
            private: (0, 0),
            workgroup: 0,
            variables: Vec::new(),
            group,
            barriers: false,
            span,
        }
    }

    /// A kernel.
    pub(super) fn kernel(layout: &Layout<'p>, kernel: &'p Kernel) -> Self {
        let mut code = Self::new(layout, &kernel.body, kernel.group, kernel.span);
        let mut scopes = Scopes { layout, code: &mut code, top: 0, called: Vec::new() };
        for (var, _) in &kernel.params {
            scopes.bind(*var);
            scopes.code.params.push(*var);
        }
        let all = layout.globals.kernel(kernel);
        for (var, _) in &all.workgroup {
            scopes.bind(*var);
        }
        scopes.private(&all.private);
        scopes.functions(&kernel.body);
        scopes.block(&kernel.body);
        code
    }

    /// A parallel loop of the host; its parameters are what it captures.
    pub(super) fn par(layout: &Layout<'p>, par: &'p Par, span: Span) -> Self {
        let mut code = Self::new(layout, &par.body, PAR_GROUP, span);
        let mut scopes = Scopes { layout, code: &mut code, top: 0, called: Vec::new() };
        for var in captured(par) {
            scopes.bind(var);
            scopes.code.params.push(var);
        }
        scopes.bind(par.var);
        scopes.code.iteration = Some(par.var);
        scopes.private(&layout.globals.private_of_par(par));
        scopes.functions(&par.body);
        scopes.block(&par.body);
        code
    }

    /// Where a variable stands.
    #[inline]
    pub(super) fn slot(&self, var: Var) -> Slot<'p> {
        self.slots[var.slot()].expect("validated: a variable is bound before it is used")
    }
}

/// Gives variables their cells: variables of scopes that exclude each other share theirs.
struct Scopes<'c, 'p> {
    layout: &'c Layout<'p>,
    code: &'c mut Code<'p>,
    /// The first free cell.
    top: u32,
    /// Functions that have their cells.
    called: Vec<u32>,
}

impl<'p> Scopes<'_, 'p> {
    fn bind(&mut self, var: Var) {
        let bound = self.layout.types.bound(var);
        let bound = bound.expect("validated: every variable has a binder");
        let (Bound::Value(ty) | Bound::Place(_, ty)) = bound;
        let cells = self.layout.cells(ty);
        let at = match bound {
            Bound::Place(Space::Workgroup, _) => {
                let at = self.code.workgroup;
                self.code.variables.push((at, var));
                self.code.workgroup += cells;
                at
            }
            _ => {
                let at = self.top;
                self.top += cells;
                self.code.cells = self.code.cells.max(self.top);
                at
            }
        };
        self.code.slots[var.slot()] = Some(Slot { bound, at });
    }

    fn private(&mut self, variables: &[(Var, Ty)]) {
        let first = self.top;
        for (var, _) in variables {
            self.bind(*var);
        }
        self.code.private = (first, self.top - first);
    }

    /// The functions that a body calls, and those that they call. No function is active twice at
    /// once, since none calls itself, so each has cells that nothing else has.
    fn functions(&mut self, body: &'p Block) {
        visit::stms(body, &mut |stm| {
            if let Kind::Call { function, .. } = &stm.kind
                && !self.called.contains(function)
            {
                self.called.push(*function);
                let Function { params, body, .. } =
                    &self.layout.program().functions[*function as usize];
                self.functions(body);
                params.iter().for_each(|(var, _): &(Var, Ty)| self.bind(*var));
                let highest = std::mem::replace(&mut self.code.cells, self.top);
                self.block(body);
                self.top = self.code.cells;
                self.code.cells = self.code.cells.max(highest);
            }
        });
    }

    fn block(&mut self, body: &'p Block) {
        let bottom = self.top;
        for stm in body {
            self.code.barriers |= matches!(stm.kind, Kind::Barrier(_) | Kind::UniformLoad { .. });
            stm.kind.binds().into_iter().for_each(|var| self.bind(var));
            stm.kind.blocks().into_iter().for_each(|inner| self.block(inner));
        }
        self.top = bottom;
    }
}
