//! Forward substitution in a bare form: a value that is used once stands where it is used.
//!
//! naga takes as long for a name as for two operators. A value only goes to where as
//! many rounds come as to where it was bound, and what it reads nothing changes on the way.

use crate::pass::slots::Slots;
use crate::pass::walk::{any_exp, change_exp, change_own};
use reference::device::syntax::{Block, Exp, Kind, Place, Sc, Stm, Ty};
use reference::device::visit;
use reference::kit::names::Var;

/// Operators and operands up to which a value goes elsewhere, so that none nests deeply.
const MOST: usize = 24;

/// Puts what is used once where it is used, in a body that uses its names that often. How often what is
/// bound nowhere in the body is used stays as it was.
pub(super) fn substitute(body: &mut Block, uses: &Uses) {
    Forward { uses, rounds: 0, waiting: Vec::new() }.block(body);
}

/// How often a name is used, and inside of how many loops that which was counted last.
#[derive(Default)]
pub(crate) struct Uses(Slots<(u32, u32)>);

impl Uses {
    /// In a body.
    pub(super) fn of(body: &Block) -> Self {
        let mut uses = Self::default();
        uses.block(body, 0);
        uses
    }

    /// Is it used?
    pub(super) fn any(&self, var: Var) -> bool {
        self.0.of(var).0 > 0
    }

    /// Is it used once, inside of so many loops?
    pub(crate) fn is_once(&self, var: Var, rounds: u32) -> bool {
        self.0.of(var) == (1, rounds)
    }

    fn block(&mut self, body: &Block, rounds: u32) {
        for stm in body {
            match &stm.kind {
                Kind::If(branch) => {
                    self.exp(&branch.cond, rounds);
                    self.block(&branch.then, rounds);
                    self.block(&branch.orelse, rounds);
                }
                Kind::Loop(inner) => {
                    inner.carried.iter().for_each(|carried| self.exp(&carried.init, rounds));
                    inner.fuel.iter().for_each(|fuel| self.exp(fuel, rounds));
                    let each = inner.next.iter().chain([&inner.cond]);
                    each.for_each(|exp| self.exp(exp, rounds + 1));
                    self.block(&inner.body, rounds + 1);
                }
                other => visit::kind(other, &mut |exp| self.note(exp, rounds)),
            }
        }
    }

    /// Counts those in an expression.
    pub(super) fn exp(&mut self, exp: &Exp, rounds: u32) {
        visit::exp(exp, &mut |part| self.note(part, rounds));
    }

    /// Counts an expression itself.
    pub(super) fn note(&mut self, exp: &Exp, rounds: u32) {
        if let Exp::Var(var) = exp {
            let (times, inside) = self.0.of_mut(*var);
            *times += 1;
            *inside = rounds;
        }
    }
}

/// A value that is bound where it is used.
struct Waiting {
    var: Var,
    binding: Stm<Kind>,
    reads: Touches,
}

/// Whether variables are read or written, and elements of blocks.
#[derive(Clone, Copy, Default)]
struct Touches {
    variables: bool,
    elements: bool,
}

impl Touches {
    const ALL: Self = Self { variables: true, elements: true };

    /// By an access of the place itself.
    fn of(place: &Place) -> Self {
        match place {
            Place::Var(_) => Self { variables: true, elements: false },
            Place::Element(..) => Self { variables: false, elements: true },
            Place::Deref(_) => Self::ALL,
            Place::At(inner, _) | Place::Field(inner, _) => Self::of(inner),
        }
    }

    fn and(self, other: Self) -> Self {
        let Self { variables, elements } = self;
        Self { variables: variables | other.variables, elements: elements | other.elements }
    }

    fn meet(self, other: Self) -> bool {
        self.variables && other.variables || self.elements && other.elements
    }
}

struct Forward<'u> {
    uses: &'u Uses,
    /// Loops around.
    rounds: u32,
    waiting: Vec<Waiting>,
}

impl Forward<'_> {
    fn block(&mut self, body: &mut Block) {
        let mut out = Vec::with_capacity(body.len());
        for mut stm in std::mem::take(body) {
            self.put(&mut stm.kind);
            match &mut stm.kind {
                // A float may be looked at several times, where it becomes an integer.
                Kind::Let(var, Ty::Scalar(sc), value)
                    if *sc != Sc::F32 && self.uses.is_once(*var, self.rounds) =>
                {
                    let var = *var;
                    if let Some(reads) = reads_of_small(value) {
                        self.waiting.push(Waiting { var, binding: stm, reads });
                        continue;
                    }
                }
                Kind::Let(..) | Kind::Var(..) | Kind::Check(_) => {}
                Kind::Store(place, _) => {
                    let written = Touches::of(place);
                    self.bind(&mut out, |waiting| waiting.reads.meet(written));
                }
                Kind::If(branch) => {
                    self.bind(&mut out, |_| true);
                    self.block(&mut branch.then);
                    self.block(&mut branch.orelse);
                }
                Kind::Loop(inner) => {
                    self.bind(&mut out, |_| true);
                    self.rounds += 1;
                    self.block(&mut inner.body);
                    self.rounds -= 1;
                }
                _ => self.bind(&mut out, |_| true),
            }
            out.push(stm);
        }
        self.bind(&mut out, |_| true);
        *body = out;
    }

    /// Puts what waits where a statement uses it, as far as that is evaluated before all that stands in
    /// it, and once.
    fn put(&mut self, stm: &mut Kind) {
        let waiting = &mut self.waiting;
        if waiting.is_empty() {
            return;
        }
        let mut put = |part: &mut Exp| {
            if let Exp::Var(var) = part
                && let Some(at) = waiting.iter().position(|waiting| waiting.var == *var)
                && let Kind::Let(_, _, value) = waiting.remove(at).binding.kind
            {
                *part = value;
            }
        };
        match stm {
            Kind::Loop(inner) => {
                let inits = inner.carried.iter_mut().map(|carried| &mut carried.init);
                inits.chain(&mut inner.fuel).for_each(|exp| change_exp(exp, &mut put));
            }
            // Written as several operations, some of them in a loop.
            Kind::Atomic { .. } => {}
            other => change_own(other, &mut put),
        }
    }

    /// Binds what can wait no longer.
    fn bind(&mut self, out: &mut Block, mut cannot: impl FnMut(&Waiting) -> bool) {
        out.extend(self.waiting.extract_if(.., |waiting| cannot(waiting)).map(|it| it.binding));
    }
}

/// What a value reads, if it is small.
fn reads_of_small(value: &Exp) -> Option<Touches> {
    let (mut size, mut reads) = (0, Touches::default());
    let is_large = any_exp(value, &mut |part| {
        size += 1;
        if let Exp::Load(place) = part {
            reads = reads.and(Touches::of(place));
        }
        size > MOST
    });
    (!is_large).then_some(reads)
}

#[cfg(test)]
mod tests {
    use super::{Uses, substitute};
    use reference::device::{parse, print, validate};
    use reference::kit::derivation::Recorder;

    /// What becomes of a kernel with this body.
    fn made(body: &str) -> String {
        let source = format!(
            "kernel k(xs : block[i32], ys : block[i32], n : i32) group 1 {{ {body} }}
             param a : [8];\nparam b : [8];\nparam n : i32;\nlaunch k(a, b, n) for 1;"
        );
        let mut program =
            parse::program(&source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let body = &mut program.kernels[0].body;
        let uses = Uses::of(body);
        substitute(body, &uses);
        validate::check(&program, &mut Recorder::counting()).expect("it stays valid");
        let text = print::program(&program);
        let from = text.find('{').expect("a body begins");
        let to = text.find("\n}").expect("it ends");
        text[from + 1..to].split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[track_caller]
    fn becomes(body: &str, wanted: &str) {
        assert_eq!(made(body), wanted);
    }

    #[track_caller]
    fn stays(body: &str) {
        becomes(body, body);
    }

    #[test]
    fn what_is_used_once_stands_where_it_is_used() {
        becomes(
            "let i : i32 = n + 1; let x : i32 = xs.[i]; let y : i32 = x * 3; xs.[n] = y;",
            "xs.[n] = xs.[n + 1] * 3;",
        );
        stays("let i : i32 = n + 1; xs.[i] = i;");
        becomes("let i : i32 = n + 1; if i < 3 { xs.[0] = n; }", "if n + 1 < 3 { xs.[0] = n; }");
        becomes(
            "let i : i32 = n + 1; var x : i32 = i; xs.[0] = x;",
            "var x : i32 = n + 1; xs.[0] = x;",
        );
    }

    /// What is read is what stood there, not what was written since.
    #[test]
    fn nothing_is_read_behind_what_writes_it() {
        stays("let x : i32 = xs.[0]; xs.[1] = n; xs.[2] = x;");
        stays("var v : i32 = n; let x : i32 = v; v = 3; xs.[2] = x;");
        let behind = "let y : i32 = n * 2; let x : i32 = xs.[y]; xs.[1] = n; xs.[2] = x;";
        becomes(behind, "let x : i32 = xs.[n * 2]; xs.[1] = n; xs.[2] = x;");
        stays("var a : array[i32, 2]; let x : i32 = a[0]; a[n] = 3; xs.[0] = x;");
        let counted = "let x : i32 = xs.[0]; atomic add(ys.[0], 1); xs.[1] = x;";
        stays(counted);
        // What an atomic operation is given it looks at several times.
        stays("let x : i32 = n * 3; atomic add(ys.[x], x);");
        stays("let i : i32 = n * 3; let x : i32 = xs.[0]; atomic add(ys.[i], x);");
        // What writes something else, or reads only, is not in the way.
        becomes(
            "var v : i32; let x : i32 = xs.[0]; v = 3; xs.[v] = x;",
            "var v : i32; v = 3; xs.[v] = xs.[0];",
        );
        becomes("let x : i32 = n + 1; xs.[1] = n; xs.[2] = x;", "xs.[1] = n; xs.[2] = n + 1;");
        stays(
            "var v : i32 = n; let p : ptr[function, i32] = &v; let x : i32 = xs.[0]; *p = 2; xs.[v] = x;",
        );
    }

    /// What becomes of a float where it is no integer is asked of it several times.
    #[test]
    fn a_float_keeps_its_name() {
        stays("let f : f32 = f32(n) * 2.0; xs.[0] = i32(f);");
    }

    /// What is computed once is not computed in each round, nor before a test of it.
    #[test]
    fn nothing_goes_into_a_loop_or_a_branch() {
        stays("let x : i32 = n * 7; if n < 3 { xs.[0] = x; }");
        stays(
            "let x : i32 = n * 7; loop (r : u32 = u32 0) while r < u32 3 { xs.[0] = x; } next (r + u32 1);",
        );
        stays(
            "let m : u32 = u32(n) * u32 3; loop (r : u32 = u32 0) while r < m { xs.[0] = n; } next (r + u32 1);",
        );
        becomes(
            "let m : u32 = u32(n); loop (r : u32 = m) while r < u32 3 { let y : i32 = n + 1; xs.[0] = y; } next (r + u32 1);",
            "loop (r : u32 = u32(n)) while r < u32 3 { xs.[0] = n + 1; } next (r + u32 1);",
        );
        // What a round changes it reads before.
        stays(
            "var v : i32 = n; loop (r : u32 = u32 0) while r < u32 3 { let x : i32 = v; v = n; xs.[0] = x; } next (r + u32 1);",
        );
        stays(
            "loop (r : u32 = u32 0) while r < u32 3 { xs.[0] = n; let x : u32 = r + u32 1; } next (x);",
        );
    }

    /// A chain of values does not become one expression.
    #[test]
    fn what_is_large_keeps_its_name() {
        let mut body = "let x0 : i32 = n;".to_owned();
        for k in 0..40 {
            body += &format!(" let x{} : i32 = x{k} * 3 + n;", k + 1);
        }
        let made = made(&format!("{body} xs.[0] = x40;"));
        assert!((5..20).contains(&made.matches("let").count()), "{made}");
    }
}
