//! `inline_calls`: functions that may fail stand where they are called.
//!
//! | | |
//! |---|---|
//! | before | any program that the validator accepts |
//! | after | a function that is still called has no loop, no check, no access of a block, and nothing in it can get stuck |
//! | stuck | the same site |
//!
//! A failed check ends what its invocation does, wherever the check stands; only in the kernel
//! itself is there a way to do so.

use super::types::Types;
use super::walk::{any_stm, change_block, change_exp, partial, partial_place};
use reference::device::syntax::{Block, Exp, Function, Kind, Place, Program, Stm};
use reference::device::visit;
use reference::kit::decisions::Decisions;
use reference::kit::names::{Names, Var, Wish};
use reference::kit::text::{Refused, Span};
use rustc_hash::FxHashMap;

/// Most names of a program: functions that call each other twice double with each.
const MOST_NAMES: usize = 1 << 18;

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
    inline.host(&mut program.host);
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
        Kind::Call { args, .. } => args.iter().any(|arg| partial(arg, types)),
        Kind::Atomic { .. }
        | Kind::Loop(_)
        | Kind::Check(_)
        | Kind::Barrier(_)
        | Kind::UniformLoad { .. }
        | Kind::Par(_) => true,
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
    fn host(&mut self, body: &mut reference::device::syntax::HostBlock) {
        use reference::device::syntax::Host;
        for stm in body {
            match &mut stm.kind {
                Host::Par(par) => par.body = self.block(std::mem::take(&mut par.body)),
                Host::If(branch) => {
                    self.host(&mut branch.then);
                    self.host(&mut branch.orelse);
                }
                Host::Loop(rounds) => self.host(&mut rounds.body),
                _ => {}
            }
        }
    }

    fn block(&mut self, body: Block) -> Block {
        let mut out = Vec::with_capacity(body.len());
        for Stm { span, kind } in body {
            let kind = match kind {
                Kind::Call { into, function, args } if self.is_inlined(function) => {
                    self.call(into, function, args, &mut out, span);
                    continue;
                }
                Kind::If(mut branch) => {
                    branch.then = self.block(branch.then);
                    branch.orelse = self.block(branch.orelse);
                    Kind::If(branch)
                }
                Kind::Loop(mut rounds) => {
                    rounds.body = self.block(rounds.body);
                    Kind::Loop(rounds)
                }
                Kind::Par(mut par) => {
                    par.body = self.block(par.body);
                    Kind::Par(par)
                }
                other => other,
            };
            out.push(Stm { span, kind });
        }
        out
    }

    /// Shall the function stand where it is called? One that may fail must, any other may.
    fn is_inlined(&mut self, function: u32) -> bool {
        let Function { name, .. } = &self.functions[function as usize];
        if self.fallible[function as usize] {
            self.decisions.note(|| format!("`{name}` stands where it is called: it may fail"));
            return true;
        }
        let is_small = self.names.len() < MOST_NAMES / 2;
        is_small
            && self
                .decisions
                .consider(|| format!("`{name}` stands where it is called, though it cannot fail"))
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
        let mut renamed = FxHashMap::default();
        for ((param, ty), arg) in function.params.iter().zip(args) {
            let var = self.rename(*param, &mut renamed);
            out.push(Stm { span, kind: Kind::Let(var, ty.clone(), arg) });
        }
        let mut body = function.body.clone();
        self.rebind(&mut body, &mut renamed);
        change_block(&mut body, &mut |exp| rename_exp(exp, &renamed));
        rename_places(&mut body, &renamed);
        out.extend(body);
        if let Some((ty, result)) = &function.result {
            let mut result = result.clone();
            change_exp(&mut result, &mut |exp| rename_exp(exp, &renamed));
            // It may be unused, but it is evaluated, and what gets stuck in it does so where the
            // function stands.
            let into = into.unwrap_or_else(|| self.names.fresh("unused"));
            out.push(Stm { span: function.span, kind: Kind::Let(into, ty.clone(), result) });
        }
    }

    fn rename(&mut self, var: Var, renamed: &mut FxHashMap<Var, Var>) -> Var {
        let fresh = self.names.fresh(Wish::Like(var));
        renamed.insert(var, fresh);
        fresh
    }

    /// New names for everything that `body` binds.
    fn rebind(&mut self, body: &mut Block, renamed: &mut FxHashMap<Var, Var>) {
        for stm in body {
            match &mut stm.kind {
                Kind::Let(var, _, _) | Kind::Var(var, _, _) => *var = self.rename(*var, renamed),
                Kind::Atomic { into: Some(var), .. } | Kind::Call { into: Some(var), .. } => {
                    *var = self.rename(*var, renamed);
                }
                Kind::If(branch) => {
                    self.rebind(&mut branch.then, renamed);
                    self.rebind(&mut branch.orelse, renamed);
                }
                Kind::Loop(rounds) => {
                    for carried in &mut rounds.carried {
                        carried.var = self.rename(carried.var, renamed);
                    }
                    self.rebind(&mut rounds.body, renamed);
                }
                Kind::Par(par) => {
                    par.var = self.rename(par.var, renamed);
                    self.rebind(&mut par.body, renamed);
                }
                _ => {}
            }
        }
    }
}

fn rename_exp(exp: &mut Exp, renamed: &FxHashMap<Var, Var>) {
    match exp {
        Exp::Var(var) => *var = *renamed.get(var).unwrap_or(var),
        Exp::Load(place) | Exp::Ref(place) => rename_place(place, renamed),
        _ => {}
    }
}

/// The variable at the root of a place.
fn rename_place(place: &mut Place, renamed: &FxHashMap<Var, Var>) {
    match place {
        Place::Var(var) => *var = *renamed.get(var).unwrap_or(var),
        Place::At(place, _) | Place::Field(place, _) => rename_place(place, renamed),
        Place::Deref(_) | Place::Element(..) => {}
    }
}

fn rename_places(body: &mut Block, renamed: &FxHashMap<Var, Var>) {
    for stm in body {
        match &mut stm.kind {
            Kind::Store(place, _) | Kind::Atomic { place, .. } => rename_place(place, renamed),
            Kind::If(branch) => {
                rename_places(&mut branch.then, renamed);
                rename_places(&mut branch.orelse, renamed);
            }
            Kind::Loop(rounds) => rename_places(&mut rounds.body, renamed),
            Kind::Par(par) => rename_places(&mut par.body, renamed),
            _ => {}
        }
    }
}
