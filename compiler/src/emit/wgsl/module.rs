//! A module: its declarations, the functions that its kernel calls, and the kernel as entry point.

use super::text::{MAX_DEPTH, Writer, scalar};
use super::uses::Uses;
use super::{Writing, shapes};
use crate::pass::padding::{is_of_launch, needs_no_guard};
use crate::pass::types::{Types, words};
use crate::target::{Needs, Shape};
use reference::device::globals::Globals;
use reference::device::syntax::{
    Block, Element, Exp, Function, Kernel, Kind, Program, Sc, Stm, Ty, U32,
};
use reference::device::visit;
use reference::kit::text::Refused;

/// A module for a kernel; its entry point is `main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The text.
    pub wgsl: String,
    /// Does the shader set the failure flag, the only word of its record, if a check fails?
    pub sets_flag: bool,
    /// Invocations in a work group.
    pub group: u32,
    /// Does it need 64-bit integers? What computes with 64-bit floats does.
    pub i64: bool,
    /// Does it need 64-bit floats?
    pub f64: bool,
    /// Its shapes that some driver compiles wrongly.
    pub shapes: Vec<Shape>,
    /// Bytes of work-group memory, at least.
    pub group_memory: u64,
}

impl Form {
    /// What it needs of an adapter.
    pub fn needs(&self) -> Needs<'_> {
        Needs {
            group_memory: self.group_memory,
            i64: self.i64,
            f64: self.f64,
            shapes: &self.shapes,
        }
    }
}

/// The grids of work groups that a module is launched in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grid {
    /// Of one dimension.
    Flat,
    /// Of one or two dimensions. Groups beyond those of the launch may fill up the last row.
    Folded,
}

/// The word of a launch that holds the number of invocations.
const INVOCATIONS: usize = 0;
/// The word of a launch that holds the number of work groups.
const GROUPS: usize = 1;
/// The private variable that says whether a check failed in a function. No variable of a program is named so ([`Writer::ident`]).
pub(super) const FAILED: &str = "failed";
/// The first word of a launch that is one of its arguments.
const ARGUMENTS: usize = 2;

/// A module for each kernel of a program, for every launch.
///
/// # Errors
/// A kernel whose blocks nest too deeply.
pub fn shaders(program: &Program, writing: Writing) -> Result<Vec<Form>, Refused> {
    let types = Types::of(program);
    let kernels = program.kernels.iter();
    kernels.map(|kernel| module(program, kernel, &types, writing, Grid::Folded)).collect()
}

/// The module of a kernel.
///
/// # Errors
/// The kernel, if its blocks nest too deeply.
pub(crate) fn module(
    program: &Program,
    kernel: &Kernel,
    types: &Types,
    writing: Writing,
    grid: Grid,
) -> Result<Form, Refused> {
    let kernel = &*Globals::of(program).kernel(kernel);
    let record = record_parameter(kernel);
    let uses = Uses::of(program, kernel, record.map(|at| kernel.params[at].0), types);
    let mut writer = Writer::new(program, kernel, types, writing, &uses);
    for number in &uses.functions {
        writer.function(*number, &program.functions[*number]);
    }
    writer.entry_point(kernel, grid);
    if writer.deepest() > MAX_DEPTH {
        return Err(Refused {
            span: kernel.span,
            statement: kernel.name.clone(),
            reason: format!("its blocks nest deeper than {MAX_DEPTH}"),
            second: None,
        });
    }
    // The declarations come first in the text, but some are made while the rest is written.
    let rest = writer.take_lines();
    writer.declarations(kernel);
    let wgsl = writer.take_lines() + &writer.styled.declarations() + &rest;
    let group_memory = kernel.workgroup.iter().map(|(_, ty)| writer.bytes(ty)).sum::<u64>()
        + writer.styled.shared_bytes();
    let shapes = shapes::of(program, kernel, &uses.functions, types);
    let (sets_flag, group, i64, f64) = (uses.checks, kernel.group, uses.i64, uses.f64);
    Ok(Form { wgsl, sets_flag, group, i64, f64, shapes, group_memory })
}

impl Writer<'_> {
    /// Everything in front of the functions.
    fn declarations(&mut self, kernel: &Kernel) {
        self.line("@group(0) @binding(0) var<storage, read_write> arena: array<u32>;");
        // Its length is known, so that no access to it needs a bounds check.
        let length = ARGUMENTS + kernel.params.iter().map(|(_, ty)| words(ty)).sum::<usize>();
        self.line(&format!(
            "@group(0) @binding(1) var<storage, read> launch: array<u32, {length}>;"
        ));
        if self.uses.record {
            self.line(
                "@group(0) @binding(2) var<storage, read_write> records: array<atomic<u32>>;",
            );
        }
        if self.uses.atomics {
            self.line(
                "@group(0) @binding(3) var<storage, read_write> atomics: array<atomic<u32>>;",
            );
        }
        for (number, declared) in self.program.structs.iter().enumerate() {
            let fields = declared.fields.iter().enumerate();
            let fields: Vec<String> =
                fields.map(|(i, (_, ty))| format!("m{i}: {}", self.ty(ty))).collect();
            self.line(&format!("struct S{number} {{ {} }}", fields.join(", ")));
        }
        self.declare_shared_structs();
        for (var, ty) in &kernel.workgroup {
            self.line(&format!("var<workgroup> {}: {};", self.ident(*var), self.shared_ty(ty)));
        }
        for (var, ty) in &kernel.private {
            self.line(&format!("var<private> {}: {};", self.ident(*var), self.ty(ty)));
        }
        for (name, ty) in std::mem::take(&mut self.copies) {
            self.line(&format!("var<private> {name}: {};", self.ty(&ty)));
        }
        if !self.uses.failing.is_empty() {
            self.line(&format!("var<private> {FAILED}: bool;"));
        }
    }

    /// A function, named by its number: `f_32`, since `f32` is a type. No variable is named so ([`Writer::ident`]).
    fn function(&mut self, number: usize, function: &Function) {
        let params: Vec<String> = function
            .params
            .iter()
            .map(|(var, ty)| format!("{}: {}", self.ident(*var), self.ty(ty)))
            .collect();
        let result = match &function.result {
            Some((ty, _)) => format!(" -> {}", self.ty(ty)),
            None => String::new(),
        };
        self.in_function = true;
        self.leaves = match &function.result {
            Some((ty, _)) => format!("return {}();", self.ty(ty)),
            None => "return;".to_owned(),
        };
        self.braced(&format!("fn f_{number}({}){result}", params.join(", ")), |to| {
            // Its callers may call it from loops.
            to.round(&function.body);
            if let Some((_, result)) = &function.result {
                let result = to.value(result);
                to.line(&format!("return {result};"));
            }
        });
    }

    /// The entry point: the kernel, behind the numbers and arguments that it uses.
    fn entry_point(&mut self, kernel: &Kernel, grid: Grid) {
        self.in_function = false;
        self.leaves = "return;".to_owned();
        self.line(&format!("@compute @workgroup_size({})", kernel.group));
        // Constructs of styles use the number of an invocation in its group.
        let by_group = grid == Grid::Folded || self.uses.group || !self.is_plain();
        if by_group {
            self.line("fn main(");
            self.line("    @builtin(workgroup_id) group: vec3<u32>,");
            self.line("    @builtin(num_workgroups) groups: vec3<u32>,");
            self.line("    @builtin(local_invocation_index) local_id: u32,");
            self.line(") {");
        } else {
            self.line("fn main(@builtin(global_invocation_id) global: vec3<u32>) {");
        }
        self.indented(|to| {
            if by_group {
                to.line("let group_id = group.x + group.y * groups.x;");
                to.line(&format!("let global_id = group_id * {}u + local_id;", kernel.group));
            } else {
                to.line("let global_id = global.x;");
            }
            if to.uses.invocations {
                let zero = to
                    .unwritten_zero(kernel)
                    .map_or(String::new(), |zero| " + ".to_owned() + &zero);
                to.line(&format!("let invocations = launch[{INVOCATIONS}]{zero};"));
            }
            // An early `return` of the other groups would do too, but drivers compile it slowly.
            if grid == Grid::Folded && !needs_no_guard(&kernel.body) {
                let head = format!("if group_id < launch[{GROUPS}]");
                to.braced(&head, |to| to.body_with_arguments(kernel));
            } else {
                to.body_with_arguments(kernel);
            }
        });
        self.line("}");
    }

    /// The body of a kernel, behind the arguments that it uses. In plain text, if only the block of the
    /// invocations of the launch uses arguments, they are bound in there: padding invocations need none.
    fn body_with_arguments(&mut self, kernel: &Kernel) {
        match self.is_plain().then(|| only_user_of_arguments(kernel, self.uses)).flatten() {
            Some(at) => {
                self.body(&kernel.body[..at]);
                let Kind::If(branch) = &kernel.body[at].kind else {
                    unreachable!("it is a branch")
                };
                let cond = self.value(&branch.cond);
                self.braced(&format!("if {cond}"), |to| {
                    to.arguments(kernel);
                    to.body(&branch.then);
                });
                self.body(&kernel.body[at + 1..]);
            }
            None => {
                self.arguments(kernel);
                self.kernel_body(&kernel.body);
            }
        }
    }

    /// Binds the arguments that are used: of a block its base and its length, each if it is used.
    fn arguments(&mut self, kernel: &Kernel) {
        let mut bound = Vec::new();
        let mut at = ARGUMENTS;
        for (var, ty) in &kernel.params {
            let (uses, name) = (self.uses.param(*var), self.ident(*var));
            if let Ty::Block(_) = ty {
                let parts = [("base", at, uses.base), ("length", at + 1, uses.length)];
                for (part, at, _) in parts.into_iter().filter(|(.., used)| *used) {
                    bound.push((format!("{name}{part}"), U32, format!("launch[{at}]")));
                }
            } else if uses.whole {
                bound.push((name, ty.clone(), self.word_argument(ty, at)));
            }
            at += words(ty);
        }
        self.bind_arguments(kernel, bound);
    }

    /// The scalar argument that starts at this word of the launch.
    fn word_argument(&mut self, ty: &Ty, at: usize) -> String {
        let word = format!("launch[{at}]");
        match ty {
            Ty::Scalar(Sc::Bool) => format!("launch[{at}] != 0u"),
            Ty::Scalar(Sc::I32) => self.same_bits(Sc::I32, &word),
            Ty::Scalar(Sc::F32) => format!("bitcast<{}>({word})", scalar(Sc::F32)),
            Ty::Scalar(Sc::F64) => {
                let high = format!("u64(launch[{}])", at + 1);
                format!("bitcast<f64>(({high} << 32u) | u64({word}))")
            }
            Ty::Scalar(Sc::I64) => {
                let (low, high) = (self.widened(&word), format!("launch[{}]", at + 1));
                format!("(i64(bitcast<i32>({high})) << 32u) | {low}")
            }
            _ => word,
        }
    }
}

/// The index of the statement `if global_id < invocations { .. }` of a kernel, if there is one such statement
/// and no other statement uses an argument.
fn only_user_of_arguments(kernel: &Kernel, uses: &Uses) -> Option<usize> {
    let of_launch = is_of_launch();
    let is_block = |stm: &Stm<Kind>| match &stm.kind {
        Kind::If(branch) => branch.cond == of_launch && branch.orelse.is_empty(),
        _ => false,
    };
    let uses_argument = |stm: &Stm<Kind>| {
        let mut found = false;
        visit::kind(&stm.kind, &mut |exp| {
            found |= matches!(exp, Exp::Var(var) if uses.is_argument(*var));
        });
        found
    };
    let at = kernel.body.iter().position(is_block)?;
    let mut others = kernel.body.iter().enumerate().filter(|(other, _)| *other != at);
    (!others.any(|(_, stm)| is_block(stm) || uses_argument(stm))).then_some(at)
}

/// The index of the parameter that is a kernel's failure record, as the pass `poison_checks` adds it: only
/// atomic operations use it.
fn record_parameter(kernel: &Kernel) -> Option<usize> {
    kernel.record?;
    let last = kernel.params.len().checked_sub(1)?;
    let (var, ty) = &kernel.params[last];
    let (uses, atomics) = uses_of_record(&kernel.body, *var);
    (*ty == Ty::Block(Element::Atomic(Sc::U32)) && uses == atomics).then_some(last)
}

/// How often a variable is used, and how often as the block that an atomic operation works on.
fn uses_of_record(body: &Block, record: reference::kit::names::Var) -> (usize, usize) {
    use reference::device::syntax::Place;
    let (mut uses, mut atomics) = (0, 0);
    visit::block(body, &mut |exp| uses += usize::from(*exp == Exp::Var(record)));
    visit::any_stm(body, &mut |kind| {
        if let Kind::Atomic { place: Place::Element(Exp::Var(block), _), .. } = kind {
            atomics += usize::from(*block == record);
        }
        false
    });
    (uses, atomics)
}
