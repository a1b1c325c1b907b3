//! Operations of a stage, counted: what a pass is for is pinned by them.

use crate::engine::Artifact;
use crate::language;
use reference::fun::syntax::{Body, Dialect, Exp, Never};
use reference::funmem::syntax::MemExp;
use reference::imp::syntax::{Kind, Stm};

/// How often the operation occurs: its name, and `in kernel` or `in loop` for those inside of
/// one. Words are those of the language's printer.
///
/// # Errors
/// The language has no such operation.
pub fn count(program: &Artifact, operation: &str) -> Result<u64, String> {
    let (name, inside) = match operation.split_once(" in ") {
        Some((name, inside)) => (name, Some(inside)),
        None => (operation, None),
    };
    if !matches!(inside, None | Some("kernel" | "loop")) {
        return Err(format!("`{operation}`: in kernel, or in loop"));
    }
    let lang = program.lang();
    let words: &[&str] = match program {
        Artifact::Fun(_) => &FUN[2..],
        Artifact::FunMem(_) => &FUN,
        Artifact::Imp(_) => &IMP,
        Artifact::Device(_) => &DEVICE,
    };
    if !words.contains(&name) {
        return Err(format!("{lang} has no operation `{name}`; it has {}", words.join(", ")));
    }
    let wanted = Wanted { name, inside };
    Ok(match program {
        Artifact::Fun(program) => body(&program.body, &wanted, Around::default()),
        Artifact::FunMem(program) => body(&program.body, &wanted, Around::default()),
        Artifact::Imp(program) => statements(&program.body, &wanted, Around::default()),
        Artifact::Device(_) => {
            let words = |line: &&str| line.trim_start().split([' ', '(']).next() == Some(name);
            language::print(program).lines().filter(words).count() as u64
        }
    })
}

const FUN: [&str; 10] =
    ["alloc", "copy", "scalar", "index", "slice", "transpose", "if", "kernel", "loop", "with"];
const IMP: [&str; 7] = ["alloc", "read", "write", "if", "kernel", "for", "check"];
const DEVICE: [&str; 3] = ["kernel", "launch", "check"];

struct Wanted<'a> {
    name: &'a str,
    inside: Option<&'a str>,
}

/// What stands around a statement.
#[derive(Clone, Copy, Default)]
struct Around {
    kernel: bool,
    repeat: bool,
}

impl Wanted<'_> {
    fn counts(&self, name: &str, around: Around) -> u64 {
        let inside = match self.inside {
            None => true,
            Some("kernel") => around.kernel,
            Some(_) => around.repeat,
        };
        u64::from(inside && name == self.name)
    }
}

/// The name of what only one dialect has.
trait Named {
    fn name(&self) -> &'static str;
}

impl Named for Never {
    fn name(&self) -> &'static str {
        match *self {}
    }
}

impl Named for MemExp {
    fn name(&self) -> &'static str {
        match self {
            MemExp::Alloc(_) => "alloc",
            MemExp::Copy(_) => "copy",
        }
    }
}

fn body<D: Dialect<Extra: Named>>(of: &Body<D>, wanted: &Wanted<'_>, around: Around) -> u64 {
    let mut found = 0;
    for stm in &of.stms {
        let (name, within) = match &stm.exp {
            Exp::Scalar(_) => ("scalar", around),
            Exp::Index { .. } => ("index", around),
            Exp::Slice { .. } => ("slice", around),
            Exp::Transpose(_) => ("transpose", around),
            Exp::If { .. } => ("if", around),
            Exp::Kernel { .. } => ("kernel", Around { kernel: true, ..around }),
            Exp::Loop { .. } => ("loop", Around { repeat: true, ..around }),
            Exp::Update { .. } => ("with", around),
            Exp::Extra(extra) => (extra.name(), around),
        };
        found += wanted.counts(name, around);
        found += stm.exp.bodies().into_iter().map(|b| body(b, wanted, within)).sum::<u64>();
    }
    found
}

fn statements(of: &[Stm], wanted: &Wanted<'_>, around: Around) -> u64 {
    let mut found = 0;
    for stm in of {
        let (name, bodies, within): (_, [&[Stm]; 2], _) = match &stm.kind {
            Kind::Alloc(..) => ("alloc", [&[], &[]], around),
            Kind::Read { .. } => ("read", [&[], &[]], around),
            Kind::Write { .. } => ("write", [&[], &[]], around),
            Kind::Check { .. } => ("check", [&[], &[]], around),
            Kind::If { then, orelse, .. } => ("if", [then, orelse], around),
            Kind::Kernel { body, .. } => ("kernel", [body, &[]], Around { kernel: true, ..around }),
            Kind::For { body, .. } => ("for", [body, &[]], Around { repeat: true, ..around }),
            _ => continue,
        };
        found += wanted.counts(name, around);
        found += bodies.into_iter().map(|b| statements(b, wanted, within)).sum::<u64>();
    }
    found
}
