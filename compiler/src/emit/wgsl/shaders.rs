//! The shaders of a program, each form of each kernel written when it is first asked for: most
//! kernels are launched in a quiet form only.

use super::Writing;
use super::module::{Form, Grid, module, record_parameter};
use crate::pass::quiet::{Facts, Quietened};
use crate::pass::types::{Types, words};
use reference::device::syntax::{Kernel, Program};
use reference::kit::names::Names;
use reference::kit::text::Refused;
use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// A kernel in WGSL, in all its forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shader {
    /// The kernel itself.
    pub full: Form,
    /// Of a kernel that keeps a record the form that only tells that some check failed, not which
    /// (the pass `quiet`), for launches of which nothing is known.
    pub quiet: Option<Form>,
}

impl Shader {
    /// The texts of its modules, the kernel itself first.
    pub fn forms(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.full).chain(&self.quiet).map(|form| form.wgsl.as_str())
    }
}

/// How many quiet forms of a kernel are made for launches of their own: one that is launched in a
/// loop is launched with ever other arguments.
pub(super) const MOST_FORMS: usize = 4;

/// Work groups that every adapter takes in one dimension of a grid.
const LEAST_GROUPS: u32 = 65_535;

/// The kernels of a program.
pub struct Shaders<'p> {
    program: Cow<'p, Program>,
    types: Types,
    writing: Writing,
    kernels: Vec<Written>,
}

/// What was written of a kernel.
#[derive(Default)]
struct Written {
    full: OnceCell<Result<Rc<Form>, Refused>>,
    /// The number of the parameter that is its record.
    record: OnceCell<Option<usize>>,
    /// What its quiet forms are made of, if it has them.
    quietened: OnceCell<Option<Quietened>>,
    quiet: OnceCell<Result<Rc<Form>, Refused>>,
    /// Quiet forms by what they take for granted.
    special: RefCell<Vec<(Facts, Rc<Form>)>>,
}

impl<'p> Shaders<'p> {
    /// Of a program of which the passes have made kernels and launches. Nothing is written yet.
    pub fn of(program: &'p Program, writing: Writing) -> Self {
        Self::made_of(Cow::Borrowed(program), writing)
    }

    /// The same, of a program that nobody else needs.
    pub(super) fn owning(program: Program, writing: Writing) -> Self {
        Self::made_of(Cow::Owned(program), writing)
    }

    fn made_of(program: Cow<'p, Program>, writing: Writing) -> Self {
        let kernels = program.kernels.iter().map(|_| Written::default()).collect();
        Self { types: Types::of(&program), program, writing, kernels }
    }

    /// What the variables of the program are called.
    pub fn names(&self) -> &Names {
        &self.program.names
    }

    /// Invocations in a work group of the kernel with this number.
    pub fn group(&self, number: usize) -> u32 {
        self.program.kernels[number].group
    }

    /// The first word, among the arguments, of base and length of the block that a kernel's record
    /// goes to, if it keeps one.
    pub fn record(&self, number: usize) -> Option<usize> {
        self.record_parameter(number).map(|at| first_word(&self.program.kernels[number], at))
    }

    /// The kernel with this number.
    ///
    /// # Errors
    /// Its blocks nest too deeply.
    pub fn full(&self, number: usize) -> Result<Rc<Form>, Refused> {
        let write = || self.write(number, &self.program.kernels[number], Grid::Folded);
        self.kernels[number].full.get_or_init(write).clone()
    }

    /// The quiet form of the kernel for a launch of so many invocations with these words of its
    /// arguments, if it has one.
    ///
    /// # Errors
    /// Its blocks nest too deeply.
    pub fn quiet(
        &self,
        number: usize,
        invocations: u32,
        args: &[u32],
    ) -> Result<Option<Rc<Form>>, Refused> {
        let Some(quietened) = self.quietened(number) else { return Ok(None) };
        let facts = Facts::of(&self.program.kernels[number], invocations, args);
        let mut special = self.kernels[number].special.borrow_mut();
        if let Some((_, form)) = special.iter().find(|(known, _)| *known == facts) {
            return Ok(Some(Rc::clone(form)));
        }
        if special.len() == MOST_FORMS {
            return self.quiet_for_all(number);
        }
        let quiet = quietened.form(&self.types, &facts);
        let form = self.write(number, &quiet, grid(&self.program.kernels[number], invocations))?;
        special.push((facts, Rc::clone(&form)));
        Ok(Some(form))
    }

    /// The quiet form of the kernel for every launch, if it has one.
    ///
    /// # Errors
    /// Its blocks nest too deeply.
    pub fn quiet_for_all(&self, number: usize) -> Result<Option<Rc<Form>>, Refused> {
        let Some(quietened) = self.quietened(number) else { return Ok(None) };
        let form = || quietened.form(&self.types, &Facts::default());
        let write = || self.write(number, &form(), Grid::Folded);
        self.kernels[number].quiet.get_or_init(write).clone().map(Some)
    }

    fn record_parameter(&self, number: usize) -> Option<usize> {
        let find = || record_parameter(&self.program.kernels[number]);
        *self.kernels[number].record.get_or_init(find)
    }

    fn quietened(&self, number: usize) -> Option<&Quietened> {
        let kernel = &self.program.kernels[number];
        let make = || {
            self.record_parameter(number)?;
            Quietened::of(kernel, &self.program.sites, &self.types)
        };
        self.kernels[number].quietened.get_or_init(make).as_ref()
    }

    /// A form of the kernel with this number.
    fn write(&self, number: usize, form: &Kernel, grid: Grid) -> Result<Rc<Form>, Refused> {
        let form = (form, self.record_parameter(number));
        module(&self.program, form, &self.types, self.writing, grid).map(Rc::new)
    }

    /// All of them.
    ///
    /// # Errors
    /// Blocks that nest too deeply.
    pub fn all(&self) -> Result<Vec<Shader>, Refused> {
        let owned = |form: Rc<Form>| Rc::unwrap_or_clone(form);
        let shader = |number| {
            let (full, quiet) = (self.full(number)?, self.quiet_for_all(number)?);
            Ok(Shader { full: owned(full), quiet: quiet.map(owned) })
        };
        (0..self.program.kernels.len()).map(shader).collect()
    }
}

/// The grids that serve a launch of so many invocations.
pub(super) fn grid(kernel: &Kernel, invocations: u32) -> Grid {
    let is_flat = invocations.div_ceil(kernel.group) <= LEAST_GROUPS;
    if is_flat { Grid::Flat } else { Grid::Folded }
}

/// The first word of a parameter among the words of the arguments.
fn first_word(kernel: &Kernel, number: usize) -> usize {
    kernel.params[..number].iter().map(|(_, ty)| words(ty)).sum()
}

#[cfg(test)]
mod tests {
    use super::{LEAST_GROUPS, Shaders, Writing};
    use crate::pipeline::{self, Artifact, Plan};
    use reference::device::parse;

    /// A loop, so that the kernel has a record, and a store in every invocation that there is.
    const ALL_STORE: &str = "kernel k(xs : block[i32], n : i32) group 4 {
          var left : i32 = 3;
          loop () while left > n { left = left - 1; } next ();
          xs.[0] = left;
        }
        param xs : [1];
        param n : i32;
        launch k(xs, n) for 4;
        result xs : [1] at 0 strides (1);";

    /// Groups that only fold a grid up do nothing: a form asks which they are where it may be launched
    /// in such a grid and does not ask whether its invocation is one of the launch.
    #[test]
    fn only_what_is_folded_asks_for_its_group() {
        let program = parse::program(ALL_STORE).expect("the program parses");
        let stages = pipeline::stages(Artifact::Device(program), &Plan::default());
        let program = stages.device().expect("it compiles");
        let shaders = Shaders::of(program, Writing::default());
        let asks = |wgsl: &str| wgsl.contains("if group_id < launch[1]");
        assert!(asks(&shaders.full(0).expect("it is written").wgsl));
        // Base and length of `xs`, `n`, base and length of the record.
        let args = [7, 1, 0, 20, 9];
        for (groups, folded) in [(1, false), (LEAST_GROUPS, false), (LEAST_GROUPS + 1, true)] {
            let form = shaders.quiet(0, 4 * groups, &args).expect("it is written");
            let form = form.expect("it has a quiet form");
            assert_eq!(asks(&form.wgsl), folded, "{groups} groups: {}", form.wgsl);
        }
        let unknown = shaders.quiet_for_all(0).expect("it is written");
        assert!(asks(&unknown.expect("it has a quiet form").wgsl));
    }

    /// The kernels of IMP ask whether their invocation is one of the launch.
    #[test]
    fn what_guards_itself_does_not_ask() {
        let source = "param (n : int)
            var out : mem;
            out <- alloc n;
            kernel i <= n do out[i - 1] <- i done
            results (out : [n] @ 0 + {(n : 1)})";
        let program = reference::imp::parse::program(source).expect("the program parses");
        let stages = pipeline::stages(Artifact::Imp(program), &Plan::default());
        let shaders = Shaders::of(stages.device().expect("it compiles"), Writing::default());
        let full = shaders.full(0).expect("it is written");
        assert!(!full.wgsl.contains("launch[1]"), "{}", full.wgsl);
    }
}
