//! Where a name is used for the last time. The value semantics copies arrays; where nothing will
//! look at the old one, moving it gives the same values for less.

use crate::fun::syntax::{Atom, Body, Dim, Exp, Fun, Program, Se};
use crate::kit::names::Var;

/// What is known of each name, by slot.
pub(super) struct Uses {
    /// How deep the body stands that binds the name.
    home: Vec<u32>,
    /// The name is a result of its own body exactly once.
    once: Vec<bool>,
    /// Of the name that an update binds: the updated array is not used any more.
    in_place: Vec<bool>,
}

impl Uses {
    /// The uses in a program.
    pub(super) fn of(program: &Program<Fun>) -> Self {
        let names = program.names.len();
        let mut walk = Walk {
            uses: Uses { home: vec![0; names], once: vec![false; names], in_place: Vec::new() },
            depth: 0,
            repeated: 0,
            repeatedly: vec![(0, 0); names],
            position: 0,
            region: 0,
            regions: 0,
            of: vec![0; names],
            last: vec![0; names],
            updates: Vec::new(),
        };
        for param in &program.params {
            walk.bind(param.var);
        }
        walk.body(&program.body);
        let Walk { mut uses, of, last, updates, .. } = walk;
        uses.in_place = vec![false; names];
        for Update { result, array, position, region } in updates {
            uses.in_place[result.slot()] =
                last[array.slot()] == position && of[array.slot()] == region;
        }
        uses
    }

    /// As a result of a body at `depth`, may the value of `var` be moved?
    #[inline]
    pub(super) fn moves(&self, var: Var, depth: u32) -> bool {
        self.home[var.slot()] == depth && self.once[var.slot()]
    }

    /// May the update that binds `var` take its operand's elements?
    pub(super) fn in_place(&self, var: Var) -> bool {
        self.in_place[var.slot()]
    }
}

struct Update {
    result: Var,
    array: Var,
    position: u32,
    region: u32,
}

struct Walk {
    uses: Uses,
    depth: u32,
    repeated: u32,
    /// In which list of results the name was seen last, and how often.
    repeatedly: Vec<(u32, u32)>,
    /// Counts statements and results.
    position: u32,
    /// The body of a kernel or loop that is being walked, and how many there were: a use in it
    /// may come again after the last statement of it.
    region: u32,
    regions: u32,
    /// The region that binds a name.
    of: Vec<u32>,
    /// The last use of a name.
    last: Vec<u32>,
    updates: Vec<Update>,
}

impl Walk {
    fn bind(&mut self, var: Var) {
        self.uses.home[var.slot()] = self.depth;
        self.of[var.slot()] = self.region;
    }

    fn atom(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.last[var.slot()] = self.position;
        }
    }

    fn scalar(&mut self, se: &Se) {
        match se {
            Se::Atom(atom) => self.atom(*atom),
            Se::Bin(_, ab) => ab.iter().for_each(|operand| self.scalar(operand)),
        }
    }

    fn slice(&mut self, slice: &[Dim]) {
        for dim in slice {
            self.atom(dim.offset);
            self.atom(dim.size);
            self.atom(dim.stride);
        }
    }

    fn body(&mut self, body: &Body<Fun>) {
        for stm in &body.stms {
            self.position += 1;
            self.exp(&stm.exp, stm.pattern.first().map(|binding| binding.var));
            for binding in &stm.pattern {
                self.bind(binding.var);
            }
        }
        self.position += 1;
        self.repeated += 1;
        for result in &body.results {
            self.atom(*result);
            if let Atom::Var(var) = *result {
                let (list, count) = &mut self.repeatedly[var.slot()];
                *count = if *list == self.repeated { *count + 1 } else { 1 };
                *list = self.repeated;
                if self.uses.home[var.slot()] == self.depth {
                    self.uses.once[var.slot()] = *count == 1;
                }
            }
        }
    }

    fn region(&mut self, bind: impl FnOnce(&mut Self), body: &Body<Fun>) {
        let outer = self.region;
        self.regions += 1;
        self.region = self.regions;
        self.depth += 1;
        bind(self);
        self.body(body);
        self.depth -= 1;
        self.region = outer;
    }

    fn exp(&mut self, exp: &Exp<Fun>, first: Option<Var>) {
        match exp {
            Exp::Scalar(se) => self.scalar(se),
            Exp::Index { array, index } => {
                self.atom((*array).into());
                index.iter().for_each(|atom| self.atom(*atom));
            }
            Exp::Slice { array, slice } => {
                self.atom((*array).into());
                self.slice(slice);
            }
            Exp::Transpose(array) => self.atom((*array).into()),
            Exp::If { cond, then, orelse } => {
                self.atom(*cond);
                for branch in [then, orelse] {
                    self.depth += 1;
                    self.body(branch);
                    self.depth -= 1;
                }
            }
            Exp::Kernel { thread, count, body } => {
                self.atom(*count);
                self.region(|walk| walk.bind(*thread), body);
            }
            Exp::Loop { carried, counter, count, body } => {
                carried.iter().for_each(|(_, init)| self.atom(*init));
                self.atom(*count);
                self.region(
                    |walk| {
                        walk.bind(*counter);
                        carried.iter().for_each(|(binding, _)| walk.bind(binding.var));
                    },
                    body,
                );
            }
            Exp::Update { array, slice, value } => {
                self.atom((*array).into());
                self.slice(slice);
                self.atom(*value);
                if let Some(result) = first {
                    let (position, region) = (self.position, self.region);
                    self.updates.push(Update { result, array: *array, position, region });
                }
            }
            Exp::Extra(never) => match *never {},
        }
    }
}
