//! A kernel, or a part of the host: what stands around the statements that fill an array.

use super::super::{NoPlan, merged, no};
use super::{Array, Destination, Env, FLAT, Host, MOST_LANES, MOST_WORDS, builds, called};
use reference::axes::syntax::{Head, Level, Name, Place, Term};
use reference::axes::types::Scope;
use std::collections::BTreeMap;

/// Which invocations of a work group come here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// All, and all do the same.
    Together,
    /// All, and each has its own part.
    Apart,
    /// Perhaps not all.
    Some,
}

/// A kernel that is being written, or statements of the host.
pub(super) struct Kernel<'h> {
    pub(super) scope: &'h Scope,
    /// Blocks that are there, by the text of their terms.
    pub(super) blocks: &'h BTreeMap<String, Array>,
    names: &'h mut usize,
    text: String,
    indent: usize,
    /// Are these statements of the host?
    on_host: bool,
    /// Invocations of a work group.
    pub(super) lanes: u64,
    /// Parameters with their types.
    params: BTreeMap<String, &'static str>,
    /// Arrays of the work group and of the invocation, with their words.
    shared: Vec<(String, u64)>,
    private: Vec<(String, u64)>,
    /// Stores that are filled here, by the text of their terms.
    pub(super) stored: BTreeMap<String, Array>,
    pub(super) flow: Flow,
    /// Was an array of the work group filled in this round?
    pub(super) filled: bool,
}

/// How many invocations a work group for a tensor may have, the best number first: as many as its
/// longest nest of lanes has rounds; or as that of the tensor itself has, so that stores in loops are
/// reached by all of them.
pub(super) fn groups_of(of: &Term) -> Vec<u64> {
    let mut in_stores = 1;
    let longest = lanes(of, &mut in_stores);
    let sizes = [longest.max(in_stores), longest].map(|lanes| lanes.clamp(1, MOST_LANES));
    let mut sizes = sizes.to_vec();
    sizes.dedup();
    sizes
}

/// The rounds of the longest nest of lanes. Each array of the group has nests of its own: `in_stores` becomes
/// the longest of them, if it is longer.
fn lanes(of: &Term, in_stores: &mut u64) -> u64 {
    if of.head == Head::Store {
        if of.args[0].head != Head::Place(Place::Glob) {
            let nest = lanes(&of.args[1], in_stores);
            *in_stores = nest.max(*in_stores);
        }
        return 1;
    }
    let own = match of.binds() {
        Some((_, size)) if builds(of, Level::Lane) => u64::from(size.max(1)),
        _ => 1,
    };
    let inner = of.args.iter().map(|arg| lanes(arg, in_stores)).max().unwrap_or(1);
    own.saturating_mul(inner)
}

/// Is there nothing for the device in a tensor, but in arrays that are made before it?
pub(super) fn is_for_host(of: &Term) -> bool {
    match (&of.head, of.args.first().map(|arg| &arg.head)) {
        (Head::Build, Some(Head::Level(level))) if !matches!(level, Level::Seq | Level::Vec) => {
            false
        }
        (Head::Store, Some(Head::Place(place))) => *place == Place::Glob,
        _ => of.args.iter().all(is_for_host),
    }
}

/// Is there something that a work group does together?
fn is_grouped(of: &Term) -> bool {
    let here = match (&of.head, of.args.first().map(|arg| &arg.head)) {
        (Head::Build, Some(Head::Level(level))) => matches!(level, Level::Group | Level::Lane),
        (Head::Store, Some(Head::Place(Place::Glob))) => return false,
        (Head::Store, Some(Head::Place(Place::Group { .. }))) => true,
        _ => false,
    };
    here || of.args.iter().any(is_grouped)
}

impl<'h> Kernel<'h> {
    fn empty(
        scope: &'h Scope,
        blocks: &'h BTreeMap<String, Array>,
        names: &'h mut usize,
        lanes: u64,
    ) -> Self {
        Kernel {
            scope,
            blocks,
            names,
            text: String::new(),
            indent: 1,
            on_host: false,
            lanes,
            params: BTreeMap::new(),
            shared: Vec::new(),
            private: Vec::new(),
            stored: BTreeMap::new(),
            flow: Flow::Together,
            filled: false,
        }
    }

    /// Writes statements of the host.
    pub(super) fn on_host<R>(
        host: &'h mut Host<'_>,
        write: impl FnOnce(&mut Self) -> Result<R, NoPlan>,
    ) -> Result<R, NoPlan> {
        let Host { scope, statements, names, stored, .. } = host;
        let empty = Kernel::empty(scope, stored, names, 1);
        let mut own = Kernel { indent: 0, on_host: true, ..empty };
        let written = write(&mut own)?;
        statements.push_str(&own.text);
        Ok(written)
    }

    /// Writes a kernel that fills an array with a tensor, by groups of so many invocations, and its launch.
    pub(super) fn written(
        host: &'h mut Host<'_>,
        of: &Term,
        to: &Destination,
        lanes: u64,
    ) -> Result<(), NoPlan> {
        let Host { scope, kernels, statements, names, stored } = host;
        let mut kernel = Kernel::empty(scope, stored, names, lanes);
        let invocations = kernel.body(of, to)?;
        kernel.params.insert(to.array.name.clone(), "block[i32]");
        let words: u64 = kernel.shared.iter().map(|(_, words)| words).sum();
        if words > MOST_WORDS {
            return no(format!("{words} words are too many for the memory of a work group"));
        }
        let name = kernel.fresh("nest");
        let params: Vec<String> =
            kernel.params.iter().map(|(name, ty)| format!("{name} : {ty}")).collect();
        let args: Vec<&str> = kernel.params.keys().map(String::as_str).collect();
        let variables = |space: &str, list: &[(String, u64)]| -> String {
            let line = |(name, words): &(String, u64)| {
                format!("  {space} {name} : array[i32, {}];\n", (*words).max(1))
            };
            list.iter().map(line).collect()
        };
        kernels.push_str(&format!(
            "kernel {name}({}) group {} {{\n{}{}{}}}\n",
            params.join(", "),
            kernel.lanes,
            variables("workgroup", &kernel.shared),
            variables("private", &kernel.private),
            kernel.text
        ));
        statements.push_str(&format!("launch {name}({}) for {invocations};\n", args.join(", ")));
        Ok(())
    }

    /// The statements, and how many invocations are launched.
    fn body(&mut self, of: &Term, to: &Destination) -> Result<u64, NoPlan> {
        let grouped = is_grouped(of);
        let mut axes: Vec<(Name, u32)> = Vec::new();
        let mut to = to.clone();
        let mut of = of;
        loop {
            match of.head {
                Head::Build if builds(of, Level::Grid) || builds(of, Level::Group) => {
                    let (axis, size) = of.binds().expect("the term was checked");
                    axes.push((axis.clone(), size));
                    of = &of.args[3];
                }
                Head::Merge => (of, to.offset) = merged(of, &to.offset, self.scope)?,
                Head::Keep => of = &of.args[0],
                _ => break,
            }
        }
        let count = axes.iter().try_fold(1_u64, |n, (_, size)| n.checked_mul(u64::from(*size)));
        let fits = |n: &u64| i32::try_from(*n).is_ok();
        let count = count
            .and_then(|count| count.checked_mul(if grouped { self.lanes } else { 1 }).filter(fits));
        let Some(count) = count else { return no("a launch has too many invocations") };
        let mut env = Env::new();
        if grouped {
            self.counted(&axes, "i32(group_id)", &mut env);
            self.prepare(of, &env)?;
            self.tensor(of, &to, &env)?;
            return Ok(count);
        }
        self.lanes = if axes.is_empty() { 1 } else { FLAT };
        self.flow = Flow::Some;
        if axes.is_empty() {
            // An array of an invocation, which the host has not.
            self.prepare(of, &env)?;
            self.tensor(of, &to, &env)?;
            return Ok(1);
        }
        self.within("if global_id < invocations {", "}", |kernel| {
            kernel.counted(&axes, "i32(global_id)", &mut env);
            kernel.prepare(of, &env)?;
            kernel.tensor(of, &to, &env)
        })?;
        Ok(count)
    }

    /// Names the axes that a number counts through, the last one fastest.
    pub(super) fn counted(&mut self, axes: &[(Name, u32)], number: &str, env: &mut Env) {
        let mut below = 1_u64;
        for (nth, (axis, size)) in axes.iter().enumerate().rev() {
            let name = self.fresh("i");
            let mut index = number.to_owned();
            if below > 1 {
                index = format!("{index} / {below}");
            }
            if nth > 0 {
                index = format!("{index} % {}", (*size).max(1));
            }
            self.line(&format!("let {name} : i32 = {index};"));
            env.insert(axis.clone(), name);
            below = below.saturating_mul(u64::from((*size).max(1)));
        }
    }

    pub(super) fn fresh(&mut self, stem: &str) -> String {
        *self.names += 1;
        format!("{stem}_{}", self.names)
    }

    pub(super) fn line(&mut self, line: &str) {
        self.text.push_str(&"  ".repeat(self.indent));
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// A value with a name.
    pub(super) fn named(&mut self, value: &str) -> String {
        let name = self.fresh("x");
        self.line(&format!("let {name} : i32 = {value};"));
        name
    }

    /// A variable that is assigned.
    pub(super) fn variable(&mut self, start: &str) -> String {
        let name = self.fresh("x");
        let word = if self.on_host { "let" } else { "var" };
        self.line(&format!("{word} {name} : i32 = {start};"));
        name
    }

    /// An element of an array.
    pub(super) fn loaded(&mut self, array: &Array, offset: &str) -> String {
        let element = array.element(offset);
        if !self.on_host {
            return self.named(&element);
        }
        let name = self.fresh("x");
        self.line(&format!("let {name} = read {element};"));
        name
    }

    /// Writes an element of an array.
    pub(super) fn store(&mut self, array: &Array, offset: &str, value: &str) {
        let word = if self.on_host { "write " } else { "" };
        self.line(&format!("{word}{} = {value};", array.element(offset)));
    }

    /// A block of statements between two lines.
    pub(super) fn within<R>(
        &mut self,
        open: &str,
        close: &str,
        inside: impl FnOnce(&mut Self) -> Result<R, NoPlan>,
    ) -> Result<R, NoPlan> {
        self.line(open);
        self.indent += 1;
        let result = inside(self)?;
        self.indent -= 1;
        self.line(close);
        Ok(result)
    }

    /// An array of the work group.
    pub(super) fn share(&mut self, words: u64) -> String {
        let name = self.fresh("s");
        self.shared.push((name.clone(), words));
        name
    }

    /// An array of the invocation.
    pub(super) fn keep(&mut self, words: u64) -> String {
        let name = self.fresh("v");
        self.private.push((name.clone(), words));
        name
    }

    /// A parameter of the program as one of the kernel.
    pub(super) fn param(&mut self, name: &Name, ty: &'static str) -> String {
        let name = called(name);
        self.params.insert(name.clone(), ty);
        name
    }

    /// A block as a parameter of the kernel.
    pub(super) fn block(&mut self, name: &str) {
        self.params.insert(name.to_owned(), "block[i32]");
    }
}
