//! What is not used: names, declarations, parameters with their arguments, and sites.

use super::code::retain;
use reference::device::syntax::{AtomicOp, Host, Kind, Launch, Program, Ty};
use reference::device::visit_mut::{self, Visitor};
use reference::kit::names::{Names, Var, stem};
use reference::kit::outcome::Value;

/// What is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dead {
    /// Only what has no expression.
    Declared,
    /// Arguments too, with their parameters, and results.
    Passed,
    /// Statements too that bind what is not used.
    All,
}

/// Takes out what is not used, until all is used. Was there anything?
pub(super) fn remove_dead(program: &mut Program, input: &mut Vec<Value>, what: Dead) -> bool {
    let mut any = false;
    loop {
        let used = uses(program);
        let used = |var: Var| used[var.slot()] > 0;
        let mut changed = variables(program, &used);
        changed |= what >= Dead::All && statements(program, &used);
        changed |= what >= Dead::Passed && arguments(program, &used);
        changed |= what >= Dead::Passed && results(program);
        changed |= params(program, input, &used);
        changed |= declarations(program);
        any |= changed;
        if !changed {
            return any;
        }
    }
}

/// How often each name is used, by slot.
pub(super) fn uses(program: &mut Program) -> Vec<u32> {
    struct Uses(Vec<u32>);
    impl Visitor for Uses {
        fn uses(&mut self, var: &mut Var) {
            self.0[var.slot()] += 1;
        }
    }
    let mut uses = Uses(vec![0; program.names.len()]);
    visit_mut::program(program, &mut uses);
    uses.0
}

/// Statements that only bind what is not used, and results without a use.
fn statements(program: &mut Program, used: &impl Fn(Var) -> bool) -> bool {
    let mut changed = false;
    retain::<Kind>(program, &mut |kind| {
        let keep = match kind {
            Kind::Let(var, ..) | Kind::Var(var, ..) => used(*var),
            Kind::Atomic { into, op: AtomicOp::Load, .. } => into.is_some_and(used),
            Kind::Atomic { into, .. } | Kind::Call { into, .. } => {
                changed |= into.take_if(|var| !used(*var)).is_some();
                true
            }
            _ => true,
        };
        changed |= !keep;
        keep
    });
    retain::<Host>(program, &mut |host| {
        let keep = match host {
            Host::Let(var, ..) | Host::Alloc { block: var, .. } | Host::Read { into: var, .. } => {
                used(*var)
            }
            _ => true,
        };
        changed |= !keep;
        keep
    });
    changed
}

/// Variables of kernels and of the program.
fn variables(program: &mut Program, used: &impl Fn(Var) -> bool) -> bool {
    let mut changed = false;
    for variables in [&mut program.workgroup, &mut program.private] {
        let before = variables.len();
        variables.retain(|(var, _)| used(*var));
        changed |= variables.len() < before;
    }
    for kernel in &mut program.kernels {
        for variables in [&mut kernel.workgroup, &mut kernel.private] {
            let before = variables.len();
            variables.retain(|(var, _)| used(*var));
            changed |= variables.len() < before;
        }
    }
    changed
}

/// Parameters of kernels and functions, with their arguments.
fn arguments(program: &mut Program, used: &impl Fn(Var) -> bool) -> bool {
    let unused = |params: &[(Var, Ty)]| params.iter().position(|(var, _)| !used(*var));
    let mut changed = false;
    for number in 0..program.kernels.len() {
        while let Some(at) = unused(&program.kernels[number].params) {
            drop_of_kernel(program, number, at);
            changed = true;
        }
    }
    for number in 0..program.functions.len() {
        while let Some(at) = unused(&program.functions[number].params) {
            drop_of_function(program, number, at);
            changed = true;
        }
    }
    changed
}

/// Takes a parameter of a kernel out of it and of its launches.
pub(super) fn drop_of_kernel(program: &mut Program, number: usize, at: usize) -> (Var, Ty) {
    retain::<Host>(program, &mut |host| {
        if let Host::Launch(Launch { kernel, args, .. }) = host
            && *kernel as usize == number
        {
            args.remove(at);
        }
        true
    });
    program.kernels[number].params.remove(at)
}

/// Takes a parameter of a function out of it and of its calls.
pub(super) fn drop_of_function(program: &mut Program, number: usize, at: usize) -> (Var, Ty) {
    retain::<Kind>(program, &mut |kind| {
        if let Kind::Call { function, args, .. } = kind
            && *function as usize == number
        {
            args.remove(at);
        }
        true
    });
    program.functions[number].params.remove(at)
}

/// Results of functions that no call gives a name.
fn results(program: &mut Program) -> bool {
    let mut named = vec![false; program.functions.len()];
    retain::<Kind>(program, &mut |kind| {
        if let Kind::Call { into: Some(_), function, .. } = kind {
            named[*function as usize] = true;
        }
        true
    });
    let mut changed = false;
    for (function, named) in program.functions.iter_mut().zip(named) {
        changed |= !named && function.result.take().is_some();
    }
    changed
}

/// Parameters of the program, with their values.
fn params(program: &mut Program, input: &mut Vec<Value>, used: &impl Fn(Var) -> bool) -> bool {
    let mut changed = false;
    let mut at = program.params.len();
    while at > 0 {
        at -= 1;
        if !used(program.params[at].var) {
            program.params.remove(at);
            if at < input.len() {
                input.remove(at);
            }
            changed = true;
        }
    }
    changed
}

/// Kernels, functions and structures, and sites.
fn declarations(program: &mut Program) -> bool {
    let used = used_declarations(program);
    if used.all().all(|used| *used) {
        return sites(program);
    }
    retain_declarations(program, &used);
    true
}

/// Which declarations there are, each by its number: those that are used, or those that stay.
#[derive(Clone)]
pub(super) struct Declared {
    pub(super) kernels: Vec<bool>,
    pub(super) functions: Vec<bool>,
    pub(super) structs: Vec<bool>,
}

impl Declared {
    fn all(&self) -> impl Iterator<Item = &bool> {
        self.kernels.iter().chain(&self.functions).chain(&self.structs)
    }
}

/// Kernels that are launched, functions that are called, structures that are named.
pub(super) fn used_declarations(program: &mut Program) -> Declared {
    let mut kernels = vec![false; program.kernels.len()];
    retain::<Host>(program, &mut |host| {
        if let Host::Launch(launch) = host {
            kernels[launch.kernel as usize] = true;
        }
        true
    });
    let mut functions = vec![false; program.functions.len()];
    each_call(program, &mut |function| functions[*function as usize] = true);
    let mut structs = Structs(vec![None; program.structs.len()]);
    visit_mut::program(program, &mut structs);
    // A structure that only its own declaration and later ones name is used as far as this goes.
    let structs = structs.0.iter().map(Option::is_some).collect();
    Declared { kernels, functions, structs }
}

/// Leaves these declarations, with new numbers, and the sites of what stays. Nothing that stays may use
/// one that goes.
pub(super) fn retain_declarations(program: &mut Program, kept: &Declared) {
    let kernels_to = renumbered(&kept.kernels);
    let functions_to = renumbered(&kept.functions);
    let structs_to = renumbered(&kept.structs);
    retain_numbered(&mut program.kernels, &kept.kernels);
    retain_numbered(&mut program.functions, &kept.functions);
    retain_numbered(&mut program.structs, &kept.structs);
    retain::<Host>(program, &mut |host| {
        if let Host::Launch(launch) = host {
            launch.kernel = kernels_to[launch.kernel as usize];
        }
        true
    });
    each_call(program, &mut |function| {
        // One that is not called any more is called by one that goes as well.
        *function = functions_to[*function as usize];
    });
    visit_mut::program(program, &mut Structs(structs_to.into_iter().map(Some).collect()));
    sites(program);
}

/// Sites without a check. Was there one?
pub(super) fn sites(program: &mut Program) -> bool {
    let mut checked = vec![false; program.sites.len()];
    each_check(program, &mut |site| checked[*site as usize] = true);
    let number = renumbered(&checked);
    retain_numbered(&mut program.sites, &checked);
    each_check(program, &mut |site| *site = number[*site as usize]);
    checked.iter().any(|checked| !checked)
}

/// Renumbers structures, and marks those that are named where there is no number yet.
struct Structs(Vec<Option<u32>>);

impl Visitor for Structs {
    fn ty(&mut self, ty: &mut Ty) {
        if let Ty::Struct(number) = ty {
            let known = &mut self.0[*number as usize];
            *number = *known.get_or_insert(*number);
        }
    }
}

fn each_check(program: &mut Program, visit: &mut impl FnMut(&mut u32)) {
    retain::<Kind>(program, &mut |kind| {
        if let Kind::Check(check) = kind {
            visit(&mut check.site);
        }
        true
    });
    retain::<Host>(program, &mut |host| {
        if let Host::Check(check) = host {
            visit(&mut check.site);
        }
        true
    });
}

fn each_call(program: &mut Program, visit: &mut impl FnMut(&mut u32)) {
    retain::<Kind>(program, &mut |kind| {
        if let Kind::Call { function, .. } = kind {
            visit(function);
        }
        true
    });
}

fn retain_numbered<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| kept.next().copied().unwrap_or(true));
}

/// The new number of each that stays.
fn renumbered(kept: &[bool]) -> Vec<u32> {
    let mut next = 0;
    let number = |kept: &bool| {
        let here = next;
        next += u32::from(*kept);
        here
    };
    kept.iter().map(number).collect()
}

/// The same program with only the names that it binds, in the order in which it binds them.
pub(super) fn compact(mut program: Program) -> Program {
    struct Binders(Vec<Var>);
    impl Visitor for Binders {
        fn binds(&mut self, var: &mut Var) {
            self.0.push(*var);
        }
    }
    struct Moved(Vec<Option<Var>>);
    impl Visitor for Moved {
        fn binds(&mut self, var: &mut Var) {
            // A name that is bound nowhere cannot be in a valid program.
            *var = self.0[var.slot()].unwrap_or(*var);
        }
        fn uses(&mut self, var: &mut Var) {
            self.binds(var);
        }
    }
    let mut order = Binders(Vec::new());
    visit_mut::program(&mut program, &mut order);
    let mut place = vec![None; program.names.len()];
    let mut names = Names::with_capacity(order.0.len());
    for var in order.0 {
        // Of `x`, `x_3` and `x_7` two may be left, `x` and `x_1`.
        place[var.slot()] = Some(names.fresh(stem(program.names.text(var)).to_owned()));
    }
    visit_mut::program(&mut program, &mut Moved(place));
    program.names = names;
    program.declared.clear();
    program
}
