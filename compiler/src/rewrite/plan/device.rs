//! A term read as work groups: its plan in the device language.
//!
//! - An array in which there are builds for the device is a launch. The outermost `grid` and `group` builds
//!   count its work groups; if there is nothing for a group to do together, they count its invocations.
//! - Any other array or number is the host's, as in a plan in IMP.
//! - The `lane` builds that follow on each other are dealt to the invocations of a group. If there are
//!   more rounds than invocations, an invocation takes every so-manieth.
//! - What stands outside of them is done by all invocations, and written by the first.
//! - A `group` store is an array of the work group: as soon as the axes that it depends on are there, the
//!   group fills it, and a barrier follows. In a loop another one stands at the end of the round.
//! - A `priv` store is an array of the invocation.
//!
//! A plan computes what the term means if the term is total.

mod kernel;
mod nest;
mod scalars;

use super::{NoPlan, no, plus, strides};
use kernel::{Kernel, groups_of, is_for_host};
use reference::axes::index::Index;
use reference::axes::syntax::{Head, Kind, Level, Name, Place, Program, Term};
use reference::axes::types::{self, Scope};
use reference::axes::{levels, print, total};
use reference::device::Device;
use reference::device::syntax as device;
use reference::kit::derivation::Recorder;
use reference::kit::language::Language;
use reference::kit::scalar::BinOp;
use std::collections::BTreeMap;

/// The most invocations of a work group: the least that WebGPU promises.
const MOST_LANES: u64 = 256;

/// Words of work-group memory: the least that WebGPU promises.
const MOST_WORDS: u64 = 4096;

/// Invocations of a work group where they have nothing to do together.
const FLAT: u64 = 64;

/// The plan of a program.
///
/// # Errors
/// The program is no term, may get stuck, has a level or place where it may not stand, or cannot be
/// run as work groups.
pub fn plan(program: &Program) -> Result<device::Program, NoPlan> {
    let text = text(program)?;
    let wrong = |message: String| NoPlan(format!("{message}: {text}"));
    let plan = reference::device::parse::program(&text).map_err(|no| wrong(no.message))?;
    Device::check(&plan, &mut Recorder::counting()).map_err(|no| wrong(no.message))?;
    Ok(plan)
}

/// The text of the plan.
///
/// # Errors
/// As [`plan`].
pub fn text(program: &Program) -> Result<String, NoPlan> {
    let scope = types::check(program).map_err(|wrong| NoPlan(wrong.message))?;
    levels::check(program, &scope).map_err(|wrong| NoPlan(wrong.message))?;
    if !total::is_total(&program.term, &scope) {
        return no("the term may get stuck");
    }
    if types::merges_bound(&program.term) {
        return no("an axis that is bound around is merged");
    }
    let mut host = Host {
        scope: &scope,
        kernels: String::new(),
        statements: String::new(),
        names: 0,
        stored: BTreeMap::new(),
    };
    host.stores(&program.term)?;
    let outs = match program.term.head {
        Head::Results => &program.term.args[..],
        _ => std::slice::from_ref(&program.term),
    };
    let results: Vec<String> = outs.iter().map(|out| host.out(out)).collect::<Result<_, _>>()?;
    let params: String = program
        .params
        .iter()
        .map(|param| {
            let kind = match &param.kind {
                Kind::Int(_) => "i32".to_owned(),
                Kind::Array(sizes) => brackets(sizes),
            };
            format!("param {} : {kind};\n", called(&param.name))
        })
        .collect();
    Ok(format!("{}{params}{}{}", host.kernels, host.statements, results.concat()))
}

/// What a parameter is called. The prefix keeps it apart from words of the language.
fn called(name: &Name) -> String {
    format!("p_{name}")
}

fn brackets(sizes: &[u32]) -> String {
    sizes.iter().map(|size| format!("[{size}]")).collect()
}

/// What axes and states are called in a kernel.
type Env = BTreeMap<Name, String>;

/// Which memory an array is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    /// A block, which the host sees.
    Block,
    /// A variable of a work group or of an invocation.
    Variable,
}

/// An array in memory.
#[derive(Clone, Debug)]
struct Array {
    name: String,
    memory: Memory,
    strides: Vec<i64>,
}

impl Array {
    /// Its element at an offset, as text.
    fn element(&self, offset: &str) -> String {
        match self.memory {
            Memory::Block => format!("{}.[{offset}]", self.name),
            Memory::Variable => format!("{}[{offset}]", self.name),
        }
    }

    /// Where the elements of a tensor with these axes, in the order of the layout, go.
    fn filled(self, axes: &[&Name]) -> Result<Destination, NoPlan> {
        let mut offset = Index::number(0);
        for (axis, stride) in axes.iter().zip(&self.strides) {
            offset = plus(&offset, &Index::axis(axis), *stride)?;
        }
        Ok(Destination { array: self, offset, mode: Mode::Write })
    }
}

/// What becomes of the elements of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// They are written.
    Write,
    /// They are combined with what is there.
    Combine(BinOp),
    /// This number is written in their place.
    Fill(i32),
}

/// Where the elements of a tensor go.
#[derive(Clone, Debug)]
struct Destination {
    array: Array,
    /// The offset of the element, computed from the axes of the tensor.
    offset: Index,
    mode: Mode,
}

/// The strides of a layout whose rows have `pad` words more than elements, and how many words it takes.
fn padded(sizes: &[u32], pad: u32) -> (Vec<i64>, u64) {
    let mut lengths = sizes.to_vec();
    if let Some(row) = lengths.last_mut() {
        *row = row.saturating_add(pad);
    }
    (strides(&lengths), lengths.iter().map(|size| u64::from(*size)).product())
}

/// What is written of the host.
struct Host<'s> {
    scope: &'s Scope,
    kernels: String,
    statements: String,
    names: usize,
    /// Blocks of stores, by the text of their terms.
    stored: BTreeMap<String, Array>,
}

impl Host<'_> {
    fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}_{}", self.names)
    }

    fn line(&mut self, line: &str) {
        self.statements.push_str(line);
        self.statements.push('\n');
    }

    /// Makes the arrays that all threads see, inner ones first.
    fn stores(&mut self, term: &Term) -> Result<(), NoPlan> {
        term.args.iter().try_for_each(|arg| self.stores(arg))?;
        let place = term.args.first().map(|arg| &arg.head);
        if term.head != Head::Store || place != Some(&Head::Place(Place::Glob)) {
            return Ok(());
        }
        let key = print::term(term);
        if !self.stored.contains_key(&key) {
            let (array, _) = self.launch(&term.args[1], &term.args[2..])?;
            self.stored.insert(key, array);
        }
        Ok(())
    }

    /// A result.
    fn out(&mut self, out: &Term) -> Result<String, NoPlan> {
        if out.args.len() == 1 && is_for_host(&out.args[0]) {
            let value = Kernel::on_host(self, |host| host.scalar(&out.args[0], &Env::new()))?;
            let name = self.fresh("out");
            self.line(&format!("let {name} : i32 = {value};"));
            return Ok(format!("result {name};\n"));
        }
        let (array, sizes) = self.launch(&out.args[0], &out.args[1..])?;
        if sizes.is_empty() {
            let name = self.fresh("out");
            self.line(&format!("let {name} = read {};", array.element("0")));
            return Ok(format!("result {name};\n"));
        }
        let strides: Vec<String> = array.strides.iter().map(ToString::to_string).collect();
        Ok(format!(
            "result {} : {} at 0 strides ({});\n",
            array.name,
            brackets(&sizes),
            strides.join(", ")
        ))
    }

    /// A block that a launch or the host fills with a tensor, laid out in the order of these axes; and its
    /// sizes.
    fn launch(&mut self, of: &Term, layout: &[Term]) -> Result<(Array, Vec<u32>), NoPlan> {
        let axes: Vec<&Name> = layout.iter().filter_map(Term::as_axis).collect();
        let sizes: Vec<u32> = axes.iter().filter_map(|axis| self.scope.size(axis)).collect();
        let length: u64 = sizes.iter().map(|size| u64::from(*size)).product();
        let array =
            Array { name: self.fresh("a"), memory: Memory::Block, strides: strides(&sizes) };
        self.line(&format!("let {} = alloc i32({length});", array.name));
        let to = array.clone().filled(&axes)?;
        if is_for_host(of) {
            Kernel::on_host(self, |host| host.tensor(of, &to, &Env::new()))?;
            return Ok((array, sizes));
        }
        let mut why = NoPlan(String::new());
        for lanes in groups_of(of) {
            match Kernel::written(self, of, &to, lanes) {
                Ok(()) => return Ok((array, sizes)),
                Err(no) => why = no,
            }
        }
        Err(why)
    }
}

/// Is it a build of this level?
fn builds(of: &Term, level: Level) -> bool {
    of.head == Head::Build && of.args[0].head == Head::Level(level)
}
