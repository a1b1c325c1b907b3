//! MiniAS, lowered: a launch ends as the semantics says, at every stage down to the shaders.

use crate::common::run_from;
use compiler::emit::spirv;
use compiler::lower::minias::{Form, lower};
use compiler::pipeline;
use compiler::route::{Artifact, Plan};
use reference::device::eval::{self as device, Order};
use reference::device::syntax::Program as Device;
use reference::kit::derivation::Recorder;
use reference::kit::faults::Planted;
use reference::kit::header::{self, Header};
use reference::kit::outcome::{Budget, Ending, Outcome, Stuck, Value};
use reference::kit::text::{Refused, Second, Span};
use reference::minias::launch::{LAUNCH, Launch};
use reference::minias::syntax::Program;
use reference::minias::types::{MODE, Mode, Typed};
use reference::minias::{eval, infer, parse};
use std::collections::BTreeSet;
use std::path::Path;

const FORMS: [Form; 2] = [Form::Specialised, Form::Evidence];

/// A program with its launch and inputs, as its header says.
struct Case {
    source: String,
    header: Header,
    program: Program,
    typed: Typed,
    launch: Launch,
}

impl Case {
    fn of(source: &str) -> Self {
        let header = header::parse(source, &[MODE, LAUNCH]).expect("it has a header");
        let settings = header.settings(&[MODE, LAUNCH]);
        let mode = Mode::named(settings.get(&MODE)).expect("it is one of the values");
        let launch = Launch::read(settings.get(&LAUNCH)).expect("it is of the form");
        let program = parse::program(source).unwrap_or_else(|no| panic!("{source}\n{no:?}"));
        let typed = infer::infer(&program, mode, &mut Recorder::counting());
        let typed = typed.unwrap_or_else(|no| panic!("{source}\n{no:?}"));
        Self { source: source.to_owned(), header, program, typed, launch }
    }

    fn lowered(&self, form: Form) -> Result<Device, Refused> {
        lower(&self.program, &self.typed, &self.launch, form, Planted::NONE)
    }

    fn inputs(&self) -> Vec<Vec<Value>> {
        let input = |case: &header::Case| {
            self.launch.fit(&self.program, case.input.clone()).expect("the input fits")
        };
        self.header.cases.iter().map(input).collect()
    }

    fn by_semantics(&self, input: &[Value]) -> Outcome {
        let budget = Budget::default();
        let to = &mut Recorder::counting();
        eval::run(&self.program, &self.launch, input, Order::InOrder, &budget, to)
    }

    /// It ends as the semantics says, in several orders, and after each pass.
    fn agrees(&self, form: Form) -> Result<(), Refused> {
        let lowered = self.lowered(form)?;
        let text = reference::device::print::program(&lowered);
        let shown = format!("{}\n{form:?}\n{text}", self.source);
        let read = reference::device::parse::program(&text);
        let read = read.unwrap_or_else(|no| panic!("{shown}\n{no:?}"));
        assert_eq!(reference::device::print::program(&read), text);
        let stages = pipeline::stages(Artifact::Device(lowered.clone()), &Plan::default());
        assert_eq!(stages.stop, None, "{shown}");
        if let Some(Artifact::Shaders(shaders)) = stages.stages.last().map(|stage| &stage.artifact)
        {
            for shader in shaders {
                spirv::validate(&shader.wgsl).unwrap_or_else(|no| panic!("{shown}\n{no:?}"));
            }
        }
        for input in self.inputs() {
            let wanted = self.by_semantics(&input);
            let races = !wanted.races.is_empty();
            for order in [Order::Reversed, Order::Shuffled(7), Order::Interleaved(3)] {
                let budget = Budget::default();
                let ran = device::run(&lowered, &input, order, &budget, &mut Recorder::counting());
                assert_eq!(!ran.races.is_empty(), races, "{shown}\nwith {input:?}, {order:?}");
                if !races {
                    let what = format!("{shown}\nwith {input:?}, {order:?}");
                    assert_eq!(end(&ran.ending), end(&wanted.ending), "{what}");
                }
            }
            if races {
                continue;
            }
            let written = self.written(&input);
            run_from(&stages, &Plan::default(), pipeline::SOURCE, &written, |stage, outcome| {
                let what = format!("{shown}\nwith {input:?}, after {stage}");
                assert_eq!(outcome.races, [], "{what}");
                assert_eq!(end(&outcome.ending), end(&wanted.ending), "{what}");
            });
        }
        Ok(())
    }

    fn written(&self, input: &[Value]) -> String {
        input.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// The end of a run, without the name of a rule.
fn end(ending: &Ending) -> String {
    match ending {
        Ending::Stuck(Stuck { site, thread, operands, .. }) => {
            format!("stuck: {} of {operands:?} at {:?} in {thread:?}", site.cause.name(), site.span)
        }
        other => format!("{other:?}"),
    }
}

fn agrees(source: &str) {
    let case = Case::of(source);
    for form in FORMS {
        case.agrees(form).unwrap_or_else(|no| panic!("{source}\n{no:?}"));
    }
}

#[test]
fn one_pointer() {
    agrees(
        "-- launch: k 4 2
         -- input: [1, 2, 3, 4]
         kernel void k(global int *g) { int i = get_global_id(0); g[i] = g[i] * 2 + i; }",
    );
}

fn refused(source: &str) -> String {
    let case = Case::of(source);
    let no = FORMS.map(|form| match case.lowered(form) {
        Ok(_) => panic!("{source}"),
        Err(no) => format!("{no} at {}", &source[no.span.start as usize..no.span.end as usize]),
    });
    let [one, other] = no;
    assert_eq!(one, other, "{source}");
    one
}

#[test]
fn recursion_is_refused_with_its_cycle() {
    let source = "int f(int n); int g(int n) { return f(n) + 1; } int h(int n) { return g(n); }
         int f(int n) { if (n) { return h(n - 1); } return 0; }
         kernel void k(global int *g) { *g = h(3); }";
    let no = refused(source);
    assert_eq!(
        no,
        "`h(…)` is refused: it is recursive: `h` calls `g` calls `f` calls `h` at h(n - 1)"
    );
    let no = refused("int f(int n); kernel void k(global int *g) { *g = f(1); }");
    assert_eq!(no, "`f(…)` is refused: the prototype has no body at f(1)");
    let no = refused("int f(int n) { return f(n); } kernel void k(global int *g) { *g = f(1); }");
    assert_eq!(no, "`f(…)` is refused: it is recursive: `f` calls `f` at f(n)");
    // What no kernel reaches is not compiled.
    agrees("-- input: [1]\nint f(int n) { return f(n); } kernel void k(global int *g) { *g = 2; }");
}

#[test]
fn barriers_where_items_part_are_refused_with_both_places() {
    let part = |body: &str| {
        refused(&format!(
            "-- launch: k 2 2\nkernel void k(global int *g, local int *l) {{ {body} }}"
        ))
    };
    assert_eq!(
        part("if (g[0]) { if (get_group_id(0)) { barrier(global); } }"),
        "`barrier(global); behind if (g[0]) …` is refused: the items of a group may part there at barrier(global);"
    );
    assert_eq!(
        part("for (int i = 0; i < get_local_id(0); i = i + 1) { barrier(local); }"),
        "`barrier(local); behind for (…; i < get_local_id(0); …) …` is refused: the items of a group may part there at barrier(local);"
    );
    assert_eq!(
        part("while (1) { if (g[0]) { return; } barrier(local); }"),
        "`barrier(local); behind while (1) …` is refused: the items of a group may part there, by `return;` at barrier(local);"
    );
    assert_eq!(
        part("int n = 0; if (g[0]) { n = 4 / g[1]; } while (n > 0) { barrier(local); n = n - 1; }"),
        "`barrier(local); behind while (n > 0) …` is refused: the items of a group may part there, by what is set in `n = 4 / g[1];` at barrier(local);"
    );
    assert_eq!(
        part("if (l[0]) { return; } g[0] = 1; barrier(local);"),
        "`barrier(local); behind if (l[0]) …` is refused: the items of a group may part there at barrier(local);"
    );
}

/// The texts of the places that are told, of a program that is refused.
#[track_caller]
fn places(body: &str, wanted: &[&str]) {
    let source = format!(
        "-- launch: k 2 2\nkernel void k(global int *g, local int *l) {{ {body} g[0] = 1; }}"
    );
    let case = Case::of(&source);
    let text = |span: Span| &source[span.start as usize..span.end as usize];
    for form in FORMS {
        let no = case.lowered(form).expect_err("it is refused");
        let others = Second::all(no.second.as_deref()).map(|other| other.span);
        let found: Vec<&str> = [no.span].into_iter().chain(others).map(text).collect();
        assert_eq!(found, wanted, "{no:?}");
    }
}

#[test]
fn barriers_where_items_part_have_their_places() {
    let twice = "if (g[0]) { g[1] = 2; } if (g[0]) { barrier(local); }";
    places(twice, &["barrier(local);", "if (g[0]) { barrier(local); }"]);
    // The variable has become a select.
    let selected = "int n = 0; if (get_local_id(0)) { n = 1; } if (n == 0) { barrier(local); }";
    places(selected, &["barrier(local);", "if (n == 0) { barrier(local); }", "n = 1;"]);
    let stored = "int n = 0; if (g[0]) { n = 4 / g[1]; } if (n > 0) { barrier(local); }";
    places(stored, &["barrier(local);", "if (n > 0) { barrier(local); }", "n = 4 / g[1];"]);
    let declared = "int n = g[0]; int m = n + 1; if (m) { barrier(local); }";
    places(declared, &["barrier(local);", "if (m) { barrier(local); }", "int m = n + 1;"]);
    let returned = "while (1) { if (g[0]) { return; } barrier(local); }";
    places(returned, &["barrier(local);", returned, "return;"]);
}

/// Control flow of ints that all items have alike.
#[test]
fn barriers_in_uniform_control_flow() {
    agrees(
        "-- launch: k 8 4
         -- input: [1, 2, 3, 4, 5, 6, 7, 8], 3
         -- input: [1, 2, 3, 4, 5, 6, 7, 8], 0
         kernel void k(global int *g, int n) {
           local int t[4];
           int i = get_local_id(0); int at = get_global_id(0);
           int rounds = 1;
           if (get_group_id(0)) { rounds = n + 1; }
           int sum = 0;
           for (int r = 0; r < rounds; r = r + 1) {
             t[i] = g[at];
             barrier(local);
             sum = sum + t[(i + 1) % 4] * (r + 1);
             barrier(local);
             if (n == 0) { return; }
           }
           barrier(global);
           g[at] = sum;
         }",
    );
}

/// What is computed in a branch that does something else besides.
#[test]
fn uniform_values_of_branches() {
    agrees(
        "-- launch: k 4 2
         -- input: [1, 2, 3, 4], 2
         -- input: [1, 2, 3, 4], 0
         kernel void k(global int *g, int n) {
           local int t[2];
           int i = get_local_id(0); int at = get_global_id(0);
           int rounds = 1; int from = 0;
           if (n) { t[i] = g[at]; rounds = n * 2 + 1; from = rounds - 3; }
           for (int r = from; r < rounds; r = r + 1) {
             barrier(local);
             t[1 - i] = t[1 - i] + r;
           }
           barrier(local);
           g[at] = t[i];
         }",
    );
}

#[test]
fn what_is_known_to_be_wrong() {
    agrees("-- input: [1]\nkernel void k(global int *g) { g[0] = 1 / 0; }");
    agrees("-- input: [1]\nkernel void k(global int *g) { int a[2]; g[0] = a[2] + *a; }");
    agrees(
        "-- input: [1]\nkernel void k(global int *g) { int *p = NULL; if (g[0]) { *p = 1; } g[0] = p - g; }",
    );
    let mut source = "int f0(int *p) { return *p; }".to_owned();
    for at in 1..30 {
        source += &format!("int f{at}(int *p) {{ return f{0}(p) + f{0}(p); }}", at - 1);
    }
    let case = Case::of(&format!("{source} kernel void k(global int *g) {{ *g = f29(g); }}"));
    for form in FORMS {
        let lowered = case.lowered(form).expect("there is one function of each");
        let stages = pipeline::stages(Artifact::Device(lowered), &Plan::default());
        let Some(pipeline::Stop::Refused("inline_calls", no)) = stages.stop else {
            panic!("{:?}", stages.stop)
        };
        // Each function has the names of the one before it twice.
        let reason = "calls of calls make the program too large: with all of them in place it has more than \
             1000000000 names, and at most 65536 are taken";
        assert_eq!(no.reason, reason);
    }
}

/// Names that are words of the device language, and those of functions made for rows.
#[test]
fn names() {
    agrees(
        "-- input: [1, 2], 3
         int loop(int *let, int *var) { return *let + *var; }
         int f(int *p) { return *p; }
         int f_g(int p) { return p * 2; }
         kernel void launch(global int *block, int struct) {
           int fn = struct; int i32 = 4; int as_f = f(block); int array[2] = {7};
           block[0] = loop(block + 1, array) + fn + i32 + as_f + f_g(as_f);
         }",
    );
}

/// A function has an instance for each row that it is called with, or is passed evidence.
#[test]
fn instances() {
    let source = "-- input: [4, 5], 1
         int ld(int *p) { return *p; }
         int twice(int *p, int *q) { return ld(p) + ld(q); }
         kernel void k(global int *g, local int *l) {
           int x = 7; *l = 30;
           int *t = l; if (g[1]) { t = g; }
           g[0] = twice(g, l) + twice(&x, t) + twice(t, t);
         }";
    agrees(source);
    let case = Case::of(source);
    let [specialised, evidence] = FORMS.map(|form| case.lowered(form).expect("it is lowered"));
    let names = |program: &Device| -> Vec<String> {
        program.functions.iter().map(|function| function.name.clone()).collect()
    };
    assert_eq!(names(&evidence), ["as_ld", "as_twice"]);
    assert_eq!(
        names(&specialised),
        [
            "as_ld_g",
            "as_ld_l",
            "as_ld_p",
            "as_ld_gl",
            "as_twice_g_l",
            "as_twice_p_gl",
            "as_twice_gl_gl"
        ]
    );
}

#[test]
fn too_many_instances_are_refused_with_their_number() {
    // Each function calls the next one with its last pointer moved on to another space.
    let mut source = "int f0(int *a, int *b, int *c, int *d, int *e, int *f) { return *a + *b + *c + *d + *e + *f; }".to_owned();
    for at in 1..8 {
        source += &format!(
            "int f{at}(int *a, int *b, int *c, int *d, int *e, int *f) {{ int x; return f{b}(f, a, b, c, d, e) + f{b}(&x, a, b, c, d, e) + f{b}(a, b, c, d, e, f) + f{b}(b, a, &x, d, f, e); }}",
            b = at - 1
        );
    }
    source += "kernel void k(global int *g, local int *l) { *g = f7(g, l, g, l, l, g) + f7(g, g, g, g, l, l) + f7(l, g, l, g, l, g); }";
    let case = Case::of(&source);
    let found = case.lowered(Form::Specialised).map(|made| made.functions.len());
    let reason =
        "it needs 1852 functions, one for the rows of each call, and at most 1000 are made"
            .to_owned();
    assert_eq!(found.map_err(|no| no.reason), Err(reason));
    assert_eq!(case.lowered(Form::Evidence).map(|made| made.functions.len()), Ok(8));
}

/// Private memory: what is kept lives on, what is not has its cells again.
#[test]
fn private_memory() {
    agrees(
        "-- input: [0, 0, 0]
         int *keep(int n) { int x = n; int y[2] = {n, n + 1}; if (n % 2) { return y + 1; } return &x; }
         void put(int **to, int *p) { int z = *p; *to = &z; }
         int own(int n) { int a[6] = {1, 2}; a[n] = a[n] + n; int s = 0; for (int i = 0; i < 6; i = i + 1) { s = s * 3 + a[i]; } return s; }
         kernel void k(global int *g) {
           int *ps[4];
           for (int i = 0; i < 4; i = i + 1) { ps[i] = keep(i); }
           int *q = NULL;
           int **pq = &q;
           put(pq, ps[3]);
           g[0] = *ps[0] + *ps[1] * 10 + *ps[2] * 100 + *ps[3] * 1000 + *q * 10000;
           g[1] = own(4) * 100 + own(1);
           g[2] = (ps[0] == ps[2]) + 2 * (ps[1] != q) + 4 * (&q == pq);
         }",
    );
}

/// Blocks in functions of several pointers, `?:`, `&&` and `||`, which do not evaluate what they need not.
#[test]
fn lazy_and_nested() {
    agrees(
        "-- launch: k 4 2
         -- input: [1, 0, 3, 4], [9], 2
         -- input: [1, 0, 3, 4], [0], 1
         int *pick(int n, int *p, int *q) { return n ? p : q; }
         int at(int *p, int i) { return p == NULL ? -1 : p[i]; }
         kernel void k(global int *g, constant int *c, local int *l) {
           int i = get_global_id(0);
           l[0] = 5;
           int x = 3;
           int *n = NULL;
           int *t = pick(i % 2, &x, i < 2 ? n : l);
           int ok = t != NULL && *t > 2 || *c && g[i] / *c;
           g[i] = at(t, 0) * 100 + ok * 10 + !t + (-i | ~i);
         }",
    );
}

#[test]
fn casts() {
    agrees(
        "-- launch: k 3 1
         -- input: [1, 2, 3], 1
         int which(int *p) {
           if ((global int *g = dynamic_cast<global int *>(p)) != NULL) { return 1 + *g; }
           local int *l = dynamic_cast<local int *>(p);
           private int *q = dynamic_cast<private int *>(p);
           if (l == NULL && q == NULL) { return 40; }
           return l != NULL ? 20 + *(local int *) p : 30 + *q;
         }
         kernel void k(global int *g, local int *l) {
           int x = 7; *l = 8;
           int i = get_global_id(0);
           int *p = NULL;
           if (i == 0) { p = g; }
           if (i == 1) { p = l; }
           if (i == 2) { p = &x; }
           int *none = NULL;
           g[i] = which(p) * 100 + which(none);
         }",
    );
    for at in 0..3 {
        agrees(&format!(
            "-- launch: k 3 1
             -- input: [1, 2, 3], 1
             int down(int *p) {{ return *(global int *) p; }}
             kernel void k(global int *g, local int *l) {{
               int x = 7; int *p = NULL;
               if (get_global_id(0) == {at}) {{ p = l; }} else {{ p = g; }}
               if (get_global_id(0) > {at}) {{ p = &x; }}
               g[get_global_id(0)] = down(p);
             }}"
        ));
    }
}

/// The programs of the corpus.
#[test]
fn the_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/minias");
    let (mut compared, mut refused) = (0, BTreeSet::new());
    for folder in ["pass", "stuck", "race"] {
        for entry in corpus.join(folder).read_dir().expect("the corpus has the folder") {
            let path = entry.expect("it can be listed").path();
            let case = Case::of(&std::fs::read_to_string(&path).expect("it can be read"));
            for form in FORMS {
                match case.agrees(form) {
                    Ok(()) => compared += 1,
                    Err(no) => {
                        let name = path.file_stem().unwrap_or_default().display().to_string();
                        refused.insert(format!("{name}: {}", no.reason));
                    }
                }
            }
        }
    }
    let refused: Vec<String> = refused.into_iter().collect();
    assert_eq!(
        refused,
        [
            "barrier_of_some: the items of a group may part there",
            "recursion: it is recursive: `odd` calls `even` calls `odd`",
            "two_barriers: the items of a group may part there",
        ]
    );
    assert!(compared > 60, "{compared} programs");
}
