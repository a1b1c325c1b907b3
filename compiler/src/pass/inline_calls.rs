//! `inline_calls`: functions that may fail stand where they are called.
//!
//! | | |
//! |---|---|
//! | before | any program that the validator accepts |
//! | after | a function that is still called has no loop, no check, no access of a block, stores to no work-group variable, and nothing in it can get stuck |
//! | stuck | the same site |
//!
//! A failed check ends what its invocation does, wherever the check stands; only in the kernel
//! itself is there a way to do so. What invocations do that failed must not be seen by others, so it must be
//! seen in the kernel what is stored to their work group.

use super::stuck::{partial, partial_place};
use super::types::Types;
use reference::device::parts::Statement;
use reference::device::syntax::{Block, Exp, Function, Host, Kind, Place, Program, Space, Stm, Ty};
use reference::device::visit::{self, any_stm};
use reference::device::visit_mut::{self, Visitor};
use reference::kit::decisions::Decisions;
use reference::kit::names::{Names, Var, Wish};
use reference::kit::text::{Refused, Span};
use rustc_hash::FxHashMap;

/// Most names of a program: functions that call each other twice double with each.
const MOST_NAMES: usize = 1 << 16;

/// The pass.
///
/// # Errors
/// Calls that would make the program too large.
pub fn inline_calls(mut program: Program, decisions: &mut Decisions) -> Result<Program, Refused> {
    if program.functions.is_empty() {
        return Ok(program);
    }
    let types = Types::of(&program);
    let mut functions: Vec<Function> = Vec::new();
    let mut fallible: Vec<bool> = Vec::new();
    let mut names = std::mem::take(&mut program.names);
    let mut refused = None;
    for mut function in std::mem::take(&mut program.functions) {
        // What is put in place of a call has names of its own, whose types are not known here.
        let fails =
            any_stm(&function.body, &mut |kind| match kind {
                Kind::Call { function, .. } if fallible[*function as usize] => true,
                Kind::Store(place, _) if is_shared(place, &program.workgroup, &types) => true,
                kind => may_fail(kind, &types),
            }) || function.result.as_ref().is_some_and(|(_, result)| partial(result, &types))
                || makes_up_blocks(&function);
        let mut inline =
            Inline { names, functions: &functions, fallible: &fallible, refused, decisions };
        function.body = inline.block(std::mem::take(&mut function.body));
        Inline { names, refused, .. } = inline;
        functions.push(function);
        fallible.push(fails);
    }
    let mut inline =
        Inline { names, functions: &functions, fallible: &fallible, refused, decisions };
    for kernel in &mut program.kernels {
        kernel.body = inline.block(std::mem::take(&mut kernel.body));
    }
    visit_mut::stms(&mut program.host, &mut |stm| {
        if let Host::Par(par) = &mut stm.kind {
            par.body = inline.block(std::mem::take(&mut par.body));
        }
    });
    let Inline { names, refused, .. } = inline;
    program.names = names;
    program.functions = functions;
    refused.map_or(Ok(program), Err)
}

/// A statement that must not stand in a function.
fn may_fail(kind: &Kind, types: &Types) -> bool {
    match kind {
        Kind::Let(_, _, exp) => partial(exp, types),
        Kind::Var(_, _, init) => init.as_ref().is_some_and(|exp| partial(exp, types)),
        Kind::Store(place, exp) => partial(exp, types) || partial_place(place, types),
        Kind::If(branch) => partial(&branch.cond, types),
        Kind::Switch(switch) => partial(&switch.value, types),
        Kind::Call { args, .. } => args.iter().any(|arg| partial(arg, types)),
        Kind::Atomic { .. }
        | Kind::Loop(_)
        | Kind::Check(_)
        | Kind::Barrier(_)
        | Kind::UniformLoad { .. }
        | Kind::Par(_) => true,
    }
}

/// Is it of a work group?
fn is_shared(place: &Place, shared: &[(Var, Ty)], types: &Types) -> bool {
    match place {
        Place::Var(var) => shared.iter().any(|(other, _)| other == var),
        Place::Deref(pointer) => matches!(types.exp(pointer), Ty::Ptr(Space::Workgroup, _)),
        Place::Element(..) => false,
        Place::At(inner, _) | Place::Field(inner, _) => is_shared(inner, shared, types),
    }
}

/// Does a function make up a block, which is tested later?
fn makes_up_blocks(function: &Function) -> bool {
    let mut found = false;
    let mut look = |exp: &Exp| found |= matches!(exp, Exp::Block(..));
    visit::block(&function.body, &mut look);
    function.result.iter().for_each(|(_, exp)| visit::exp(exp, &mut look));
    found
}

struct Inline<'p> {
    names: Names,
    decisions: &'p mut Decisions,
    functions: &'p [Function],
    fallible: &'p [bool],
    /// The first call that is refused; nothing is put in place of the others.
    refused: Option<Refused>,
}

impl Inline<'_> {
    fn block(&mut self, body: Block) -> Block {
        let mut out = Vec::with_capacity(body.len());
        for Stm { span, mut kind } in body {
            match kind {
                Kind::Call { into, function, args } if self.is_inlined(function) => {
                    self.call(into, function, args, &mut out, span);
                    continue;
                }
                ref mut other => {
                    for inner in other.blocks_mut() {
                        *inner = self.block(std::mem::take(inner));
                    }
                }
            }
            out.push(Stm { span, kind });
        }
        out
    }

    /// Shall the function stand where it is called? One that may fail must, any other may.
    fn is_inlined(&mut self, function: u32) -> bool {
        let Function { name, .. } = &self.functions[function as usize];
        if self.fallible[function as usize] {
            self.decisions.note(|| format!("`{name}` is inlined: it may fail"));
            return true;
        }
        let is_small = self.names.len() < MOST_NAMES / 2;
        is_small && self.decisions.consider(|| format!("inline `{name}`, which cannot fail"))
    }

    /// The function's body with names of its own; parameters are bound to the arguments.
    fn call(
        &mut self,
        into: Option<Var>,
        number: u32,
        args: Vec<Exp>,
        out: &mut Block,
        span: Span,
    ) {
        let function = &self.functions[number as usize];
        if self.names.len() > MOST_NAMES && self.refused.is_none() {
            self.refused = Some(Refused {
                span,
                statement: format!("call {}", function.name),
                reason: "calls of calls that make the program too large".to_owned(),
            });
        }
        if self.refused.is_some() {
            return;
        }
        let mut renaming = Renaming { names: &mut self.names, fresh: FxHashMap::default() };
        for ((param, ty), arg) in function.params.iter().zip(args) {
            let mut var = *param;
            renaming.binds(&mut var);
            out.push(Stm { span, kind: Kind::Let(var, ty.clone(), arg) });
        }
        let mut body = function.body.clone();
        visit_mut::block(&mut body, &mut renaming);
        out.extend(body);
        if let Some((ty, result)) = &function.result {
            let mut result = result.clone();
            visit_mut::exp(&mut result, &mut renaming);
            // It may be unused, but it is evaluated, and what gets stuck in it does so where the
            // function stands.
            let into = into.unwrap_or_else(|| self.names.fresh("unused"));
            out.push(Stm { span: function.span, kind: Kind::Let(into, ty.clone(), result) });
        }
    }
}

/// Gives what is bound a name of its own, and uses it from there on.
struct Renaming<'n> {
    names: &'n mut Names,
    /// The new names.
    fresh: FxHashMap<Var, Var>,
}

impl Visitor for Renaming<'_> {
    fn uses(&mut self, var: &mut Var) {
        *var = *self.fresh.get(var).unwrap_or(var);
    }

    fn binds(&mut self, var: &mut Var) {
        let fresh = self.names.fresh(Wish::Like(*var));
        self.fresh.insert(*var, fresh);
        *var = fresh;
    }
}
