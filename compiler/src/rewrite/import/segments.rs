//! The runs of outermost statements that can enter, where the whole program cannot.

use super::{Enters, Importer, StaysOut, Value, checked};
use reference::axes::syntax::{Head, Kind, Name, Program, Term};
use reference::fun::syntax::{Atom, Body, Exp, Fun, Program as Source, Se, Stm, Ty};
use reference::kit::names::Var;
use std::collections::BTreeSet;
use std::ops::Range;

/// A run of outermost statements.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Which of the program's outermost statements, from 0.
    pub statements: Range<usize>,
    /// What it uses of what is bound before: the parameters of its term, in their order. None for a
    /// statement that stays out, and none that is a known number.
    pub inputs: Vec<Var>,
    /// What it binds and something behind it uses: the results of its term, in their order. None for
    /// a statement that stays out.
    pub outputs: Vec<Var>,
    /// Its term; or, of a single statement, why it stays out. The term of a run that nothing uses
    /// has no results.
    pub content: Result<Program, StaysOut>,
}

/// Cuts the program into the longest runs of outermost statements that can enter, from the first
/// one on, and the statements between them. A program that [enters](super::import) is one run.
///
/// # Errors
/// What is wrong with sizes or parameters, as of [`import`](super::import).
pub fn segments(program: &Source<Fun>, sizes: &[(String, i32)]) -> Result<Vec<Segment>, StaysOut> {
    let mut importer = Importer::new(program, sizes)?;
    let last_uses = last_uses(program);
    let stms = &program.body.stms;
    let mut segments = Vec::new();
    let mut start = 0;
    for (nth, stm) in stms.iter().enumerate() {
        let Err(reason) = importer.stm(stm) else { continue };
        importer.restart();
        segments.extend(importer.run(start..nth, &last_uses));
        importer.stays_outside(stm);
        segments.push(Segment {
            statements: nth..nth + 1,
            inputs: Vec::new(),
            outputs: Vec::new(),
            content: Err(reason),
        });
        start = nth + 1;
    }
    segments.extend(importer.run(start..stms.len(), &last_uses));
    Ok(segments)
}

impl Importer<'_> {
    /// Forgets what a statement that failed half way left behind.
    fn restart(&mut self) {
        self.terms.around.clear();
        self.terms.given.clear();
        self.terms.home = 0;
    }

    /// The segment of a run; what it binds is outside of the next one.
    fn run(&mut self, statements: Range<usize>, last_uses: &[usize]) -> Option<Segment> {
        let stms = self.program.body.stms.get(statements.clone())?;
        let span = stms.first()?.span.to(stms.last()?.span);
        let bound = stms.iter().flat_map(|stm| &stm.pattern).map(|binding| binding.var);
        let outputs: Vec<Var> =
            bound.filter(|var| last_uses[var.slot()] >= statements.end).collect();
        let outs = outputs.iter().map(|var| {
            let value = self.value((*var).into(), span)?;
            self.terms.out(&value, span)
        });
        let outs: Enters<Vec<Term>> = outs.collect();
        let content = outs.map(|mut outs| match outs.len() {
            1 => outs.remove(0),
            _ => Term::new(Head::Results, outs),
        });
        let used = content.as_ref().map(parameters).unwrap_or_default();
        let inputs = self.bound_before(statements.start);
        let inputs = inputs.into_iter().filter(|var| {
            let name = self.terms.naming.of(*var, &self.program.names);
            used.contains(&name)
        });
        let inputs: Vec<Var> = inputs.collect();
        let params = inputs.iter().map(|var| self.param(*var)).collect();
        let content = content.and_then(|term| checked(Program { params, term }, span));
        stms.iter().for_each(|stm| self.stays_outside(stm));
        Some(Segment { statements, inputs, outputs, content })
    }

    /// Parameters, and what outermost statements before this one bind.
    fn bound_before(&self, nth: usize) -> Vec<Var> {
        let program = self.program;
        let params = program.params.iter().map(|param| param.var);
        let stms = program.body.stms[..nth].iter().flat_map(|stm| &stm.pattern);
        params.chain(stms.map(|binding| binding.var)).collect()
    }

    /// What the statement binds is a parameter from here on, but for numbers that are known.
    fn stays_outside(&mut self, stm: &Stm<Fun>) {
        for binding in &stm.pattern {
            let known = match &self.env[binding.var.slot()] {
                Some(Value::Scalar(Term { head: Head::Const(_), .. })) => continue,
                Some(Value::Array(array)) => Some(array.sizes.clone()),
                _ => None,
            };
            let name = self.terms.naming.of(binding.var, &self.program.names);
            let (kind, value) = match (known, &binding.ty) {
                (Some(sizes), _) => self.given_array(&name, sizes),
                (None, Ty::Int) => {
                    (Kind::Int(None), Value::Scalar(Term::leaf(Head::Scalar(name.clone()))))
                }
                (None, Ty::Array(sizes)) => {
                    let sizes = sizes.iter().map(|size| self.size(*size, "a size", stm.span));
                    let sizes: Enters<Vec<u32>> = sizes.collect();
                    match sizes.and_then(|sizes| self.terms.fits(&sizes, stm.span).map(|()| sizes))
                    {
                        Ok(sizes) => self.given_array(&name, sizes),
                        Err(_) => {
                            self.bind(binding.var, Value::Unsized);
                            continue;
                        }
                    }
                }
            };
            self.terms.scope.params.insert(name, kind);
            self.bind(binding.var, value);
        }
    }

    fn given_array(&self, name: &Name, sizes: Vec<u32>) -> (Kind, Value) {
        let view = super::View::Param(name.clone());
        (Kind::Array(sizes.clone()), Value::Array(super::Array { sizes, view }))
    }
}

/// The parameters that a term mentions.
fn parameters(term: &Term) -> BTreeSet<Name> {
    let mut names = BTreeSet::new();
    term.walk(&mut |term| {
        if let Head::Scalar(name) | Head::Array(name) = &term.head {
            names.insert(name.clone());
        }
    });
    names
}

/// The `int` parameters on which sizes of arrays, counts of kernels and loops, or strides depend: of
/// these the numbers must be known. By their names in the text, in their order.
pub fn size_params(program: &Source<Fun>) -> Vec<String> {
    let mut needed = BTreeSet::new();
    let types = program.params.iter().filter_map(|param| match &param.ty {
        Ty::Array(sizes) => Some(sizes),
        Ty::Int => None,
    });
    needed.extend(types.flatten().filter_map(|size| size.var()));
    sizes_in(&program.body, &mut needed);
    loop {
        let before = needed.len();
        depends(&program.body, &mut needed);
        if needed.len() == before {
            break;
        }
    }
    let params = program.params.iter().filter(|param| needed.contains(&param.var));
    params.map(|param| program.names.written(param.var).to_owned()).collect()
}

fn sizes_in(body: &Body<Fun>, needed: &mut BTreeSet<Var>) {
    for stm in &body.stms {
        match &stm.exp {
            Exp::Kernel { count, .. } | Exp::Loop { count, .. } => needed.extend(count.var()),
            Exp::Slice { slice, .. } | Exp::Update { slice, .. } => {
                let atoms = slice.iter().flat_map(|dim| [dim.size, dim.stride]);
                needed.extend(atoms.filter_map(Atom::var));
            }
            _ => {}
        }
        stm.exp.bodies().into_iter().for_each(|body| sizes_in(body, needed));
    }
}

/// Adds what the needed variables are computed from.
fn depends(body: &Body<Fun>, needed: &mut BTreeSet<Var>) {
    for stm in body.stms.iter().rev() {
        let places: Vec<usize> =
            (0..stm.pattern.len()).filter(|nth| needed.contains(&stm.pattern[*nth].var)).collect();
        if let (Exp::Scalar(se), [_, ..]) = (&stm.exp, places.as_slice()) {
            variables(se, &mut |var| {
                needed.insert(var);
            });
        }
        if let (Exp::If { cond, .. }, [_, ..]) = (&stm.exp, places.as_slice()) {
            needed.extend(cond.var());
        }
        for nth in places {
            if let Exp::Loop { carried, .. } = &stm.exp {
                needed.extend(carried[nth].1.var());
            }
            let results = stm.exp.bodies().into_iter().filter_map(|body| body.results.get(nth));
            needed.extend(results.filter_map(|result| result.var()));
        }
        stm.exp.bodies().into_iter().for_each(|body| depends(body, needed));
    }
}

fn variables(se: &Se, visit: &mut impl FnMut(Var)) {
    match se {
        Se::Atom(atom) => atom.var().into_iter().for_each(visit),
        Se::Bin(_, operands) => operands.iter().for_each(|se| variables(se, visit)),
    }
}

/// For each variable the last outermost statement that mentions it; results count as one behind
/// all others.
fn last_uses(program: &Source<Fun>) -> Vec<usize> {
    let mut last = vec![0; program.names.len()];
    for (nth, stm) in program.body.stms.iter().enumerate() {
        uses(stm, &mut |var| last[var.slot()] = nth);
    }
    let behind = program.body.stms.len();
    let results = program.body.results.iter().filter_map(|result| result.var());
    results.for_each(|var| last[var.slot()] = behind);
    last
}

/// Visits each variable that a statement mentions, those that it binds itself included.
pub(in super::super) fn uses(stm: &Stm<Fun>, visit: &mut dyn FnMut(Var)) {
    let mut atoms: Vec<Atom> = Vec::new();
    let dims = |slice: &[reference::fun::syntax::Dim]| -> Vec<Atom> {
        slice.iter().flat_map(|dim| [dim.offset, dim.size, dim.stride]).collect()
    };
    match &stm.exp {
        Exp::Scalar(se) => variables(se, &mut |var| atoms.push(var.into())),
        Exp::Index { array, index } => {
            atoms.push((*array).into());
            atoms.extend(index);
        }
        Exp::Slice { array, slice } => {
            atoms.push((*array).into());
            atoms.extend(dims(slice));
        }
        Exp::Transpose(array) => atoms.push((*array).into()),
        Exp::If { cond, .. } => atoms.push(*cond),
        Exp::Kernel { count, .. } => atoms.push(*count),
        Exp::Loop { carried, count, .. } => {
            atoms.push(*count);
            atoms.extend(carried.iter().map(|(_, start)| *start));
        }
        Exp::Update { array, slice, value } => {
            atoms.extend([(*array).into(), *value]);
            atoms.extend(dims(slice));
        }
        Exp::Extra(never) => match *never {},
    }
    let carried = match &stm.exp {
        Exp::Loop { carried, .. } => carried.iter().map(|(binding, _)| binding).collect(),
        _ => Vec::new(),
    };
    for binding in stm.pattern.iter().chain(carried) {
        if let Ty::Array(sizes) = &binding.ty {
            atoms.extend(sizes);
        }
    }
    atoms.into_iter().filter_map(Atom::var).for_each(&mut *visit);
    for body in stm.exp.bodies() {
        body.stms.iter().for_each(|stm| uses(stm, visit));
        body.results.iter().filter_map(|result| result.var()).for_each(&mut *visit);
    }
}
