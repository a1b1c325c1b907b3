//! `inline_calls`: functions that may fail and have loops stand where they are called.
//!
//! | | |
//! |---|---|
//! | before | any program that the validator accepts |
//! | after | a function that is still called has no loop; one that is called in a nested parallel loop, directly or not, is *total* |
//! | stuck | the same site |
//!
//! A function is *total* if nothing in it can get stuck, and it changes no memory that others see. Any other is *failing*: what
//! it does, and what its caller does behind the call, depends on whether its invocation has failed.
//!
//! - The loops of a failing function count towards the rounds that its invocation is given, and only the kernel counts these.
//! - What fails in a nested parallel loop is told with the iterations around it, and only the caller has these.
//!
//! The calls of other failing functions stay. [`inline_failing`](super::inline_failing) puts them in place where a form of the
//! kernel needs that.

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
/// Calls that would make the program too large where all failing functions stand where they are called.
pub fn inline_calls(mut program: Program, decisions: &mut Decisions) -> Result<Program, Refused> {
    if program.functions.is_empty() {
        return Ok(program);
    }
    let failing = failing(&program);
    fits(&program, &failing)?;
    let must = must_be_inlined(&program, &failing);
    let mut functions: Vec<Function> = Vec::new();
    let mut names = std::mem::take(&mut program.names);
    let mut shall = |function: &Function, number: usize, names: &Names| {
        let name = &function.name;
        if must[number] {
            decisions
                .note(|| format!("`{name}` is inlined: it may fail, and has a loop or is in one"));
            return true;
        }
        let what = if failing[number] { "which may fail" } else { "which cannot fail" };
        names.len() < MOST_NAMES / 2 && decisions.consider(|| format!("inline `{name}`, {what}"))
    };
    for mut function in std::mem::take(&mut program.functions) {
        let mut inline = Inline { names, functions: &functions };
        function.body = inline.block(std::mem::take(&mut function.body), &mut shall);
        names = inline.names;
        functions.push(function);
    }
    let mut inline = Inline { names, functions: &functions };
    for kernel in &mut program.kernels {
        kernel.body = inline.block(std::mem::take(&mut kernel.body), &mut shall);
    }
    visit_mut::stms(&mut program.host, &mut |stm| {
        if let Host::Par(par) = &mut stm.kind {
            par.body = inline.block(std::mem::take(&mut par.body), &mut shall);
        }
    });
    program.names = inline.names;
    program.functions = functions;
    Ok(program)
}

/// Which functions are failing.
pub(super) fn failing(program: &Program) -> Vec<bool> {
    let types = Types::of(program);
    let mut failing: Vec<bool> = Vec::with_capacity(program.functions.len());
    for function in &program.functions {
        let fails =
            any_stm(&function.body, &mut |kind| match kind {
                Kind::Call { function, .. } if failing[*function as usize] => true,
                Kind::Store(place, _) if is_shared(place, &program.workgroup, &types) => true,
                kind => may_fail(kind, &types),
            }) || function.result.as_ref().is_some_and(|(_, result)| partial(result, &types))
                || makes_up_blocks(function);
        failing.push(fails);
    }
    failing
}

/// Which of the failing functions cannot be called: those that have loops, themselves or by what they call, and those that a
/// nested parallel loop calls.
fn must_be_inlined(program: &Program, failing: &[bool]) -> Vec<bool> {
    let mut loops: Vec<bool> = Vec::with_capacity(program.functions.len());
    for function in &program.functions {
        let has_loop = any_stm(&function.body, &mut |kind| match kind {
            Kind::Call { function, .. } => loops[*function as usize],
            kind => matches!(kind, Kind::Loop(_) | Kind::Par(_)),
        });
        loops.push(has_loop);
    }
    let mut nested = vec![false; program.functions.len()];
    bodies(program, &mut |body| {
        any_stm(body, &mut |kind| {
            if let Kind::Par(par) = kind {
                calls(&par.body, &mut |number, _| nested[number] = true);
            }
            false
        });
    });
    // Callees stand in front of their callers.
    for (number, function) in program.functions.iter().enumerate().rev() {
        if nested[number] {
            calls(&function.body, &mut |callee, _| nested[callee] = true);
        }
    }
    let must = |number: usize| failing[number] && (loops[number] || nested[number]);
    (0..program.functions.len()).map(must).collect()
}

/// Names are counted up to here, to tell how many there would be.
const MOST_COUNTED: usize = 1_000_000_000;

/// Is there room for the names of a program in which all failing functions stand where they are called?
fn fits(program: &Program, failing: &[bool]) -> Result<(), Refused> {
    let mut all = program.names.len();
    let mut sizes: Vec<usize> = Vec::with_capacity(program.functions.len());
    let mut first = None;
    let mut at = 0;
    bodies(program, &mut |body| {
        let mut own = 0;
        visit::stms(body, &mut |stm| own += stm.kind.binds().len());
        calls(body, &mut |callee, span| {
            if !failing[callee] {
                return;
            }
            if all > MOST_NAMES && first.is_none() {
                first = Some((span, callee));
            }
            own = own.saturating_add(sizes[callee]);
            all = all.saturating_add(sizes[callee]);
        });
        // The bodies of functions come first.
        if let Some(function) = program.functions.get(at) {
            sizes.push(own.saturating_add(function.params.len()));
        }
        at += 1;
    });
    let Some((span, callee)) = first else { return Ok(()) };
    let more = if all > MOST_COUNTED { "more than " } else { "" };
    let reason = format!(
        "calls of calls make the program too large: with all of them in place it has {more}{} names, and at most \
         {MOST_NAMES} are taken",
        all.min(MOST_COUNTED)
    );
    let statement = format!("call {}", program.functions[callee].name);
    Err(Refused { span, statement, reason, second: None })
}

/// Visits the bodies of functions, kernels and parallel loops of the host, in this order.
fn bodies<'p>(program: &'p Program, visit: &mut impl FnMut(&'p Block)) {
    program.functions.iter().for_each(|function| visit(&function.body));
    program.kernels.iter().for_each(|kernel| visit(&kernel.body));
    visit::stms(&program.host, &mut |stm| {
        if let Host::Par(par) = &stm.kind {
            visit(&par.body);
        }
    });
}

/// Visits the calls in a body, by the numbers of the functions.
pub(super) fn calls(body: &Block, visit: &mut impl FnMut(usize, Span)) {
    visit::stms(body, &mut |stm| {
        if let Kind::Call { function, .. } = &stm.kind {
            visit(*function as usize, stm.span);
        }
    });
}

/// A statement that no total function has.
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

/// Puts functions where they are called.
pub(super) struct Inline<'p> {
    pub(super) names: Names,
    pub(super) functions: &'p [Function],
}

impl Inline<'_> {
    /// A body with the functions that `shall` stand where they are called. It is told of each function, its number, and the names so
    /// far.
    pub(super) fn block(
        &mut self,
        body: Block,
        shall: &mut impl FnMut(&Function, usize, &Names) -> bool,
    ) -> Block {
        let mut out = Vec::with_capacity(body.len());
        for Stm { span, mut kind } in body {
            match kind {
                Kind::Call { into, function, args } if self.is_inlined(function, shall) => {
                    self.call(into, function, args, &mut out, span);
                    continue;
                }
                ref mut other => {
                    for inner in other.blocks_mut() {
                        *inner = self.block(std::mem::take(inner), shall);
                    }
                }
            }
            out.push(Stm { span, kind });
        }
        out
    }

    fn is_inlined(
        &self,
        number: u32,
        shall: &mut impl FnMut(&Function, usize, &Names) -> bool,
    ) -> bool {
        let number = number as usize;
        shall(&self.functions[number], number, &self.names)
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

#[cfg(test)]
mod tests {
    use super::inline_calls;
    use crate::pass::inline_failing::inline_failing;
    use crate::pass::poison_checks::Detail;
    use reference::device::syntax::Program;
    use reference::device::{parse, print, validate};
    use reference::kit::decisions::Decisions;
    use reference::kit::derivation::Recorder;

    /// `get` may fail, `all` has a loop and calls it, and `of` does so in what it calls; `twice` is total.
    const FUNCTIONS: &str = "fn twice(i : i32) -> i32 { return i + i; }
        fn get(b : block[i32], i : i32) -> i32 { return b.[i]; }
        fn all(b : block[i32]) -> i32 {
          loop (i : i32 = 0, sum : i32 = 0) while i < 3 { let x = call get(b, i); } next (i + 1, sum + x);
          return sum;
        }
        fn of(b : block[i32], i : i32) -> i32 { let x = call get(b, i); return x; }";

    fn inlined(body: &str) -> Program {
        let source = format!(
            "{FUNCTIONS} kernel k(xs : block[i32]) group 2 {{ {body} }}
             let xs = alloc i32(3); launch k(xs) for 2;"
        );
        let program = parse::program(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let program = inline_calls(program, &mut Decisions::default()).expect("it is small");
        validate::check(&program, &mut Recorder::counting()).expect("it is valid");
        program
    }

    /// The functions that the kernel calls.
    fn called(program: &Program) -> Vec<String> {
        let text = print::program(program);
        let (_, kernel) = text.split_once("kernel").expect("there is one");
        let calls = kernel.split("call ").skip(1).filter_map(|call| call.split('(').next());
        calls.map(str::to_owned).collect()
    }

    #[test]
    fn what_has_a_loop_or_is_in_one_stands_where_it_is_called() {
        let x = |function: &str, args: &str| format!("let x = call {function}({args});");
        assert_eq!(called(&inlined(&x("get", "xs, 1"))), ["get"]);
        assert_eq!(called(&inlined(&x("of", "xs, 1"))), ["of"]);
        assert_eq!(called(&inlined(&x("all", "xs"))), ["get"]);
        let nested = format!("par i <= 3 {{ {} }} {}", x("of", "xs, i"), "let y = call twice(1);");
        assert_eq!(called(&inlined(&nested)), ["twice"]);
    }

    /// All forms have the same names, but for those that inlining makes.
    #[test]
    fn only_invocations_that_end_call_what_may_fail() {
        let body = "let x = call of(xs, 1); let y = call twice(x);";
        let program = inlined(body);
        let placed = |program: &Program, detail| {
            inline_failing(program.clone(), detail, &mut Decisions::default())
        };
        assert_eq!(placed(&program, Detail::Flag), program);
        let site = placed(&program, Detail::Site);
        assert_eq!(called(&site), ["twice"]);
        validate::check(&site, &mut Recorder::counting()).expect("it is valid");
        let waits = inlined(&format!("{body} barrier workgroup;"));
        let both = [Detail::Flag, Detail::Site].map(|detail| placed(&waits, detail));
        assert_eq!(called(&both[0]), ["twice"]);
        assert_eq!(both[0], both[1]);
    }
}
