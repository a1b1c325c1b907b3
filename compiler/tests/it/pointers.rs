//! What shaders pass to functions: naga takes each shader that is made of the corpus, and none meets the faults of compilers
//! of WGSL about pointers.
//!
//! - naga takes two pointers into one variable, or into one that the function names, though one of them is written through.
//!   WGSL forbids it, and Tint refuses it.
//! - naga takes a pointer to a part of a variable, and its writer of SPIR-V panics.
//! - A pointer to work-group or storage memory is an extension of WGSL, which naga does not have.

use compiler::emit::spirv::Series;
use compiler::pipeline::{self, CHECKED, ROUTES, Stage};
use compiler::route::{Artifact, PassCx, Plan};
use compiler::run::forms::Forms;
use naga::{
    AddressSpace, Block, Expression, Function, GlobalVariable, Handle, Module, Statement, TypeInner,
};
use reference::device::syntax::Program;
use reference::kit::header;
use reference::languages::{Lang, Rolls};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

/// The variable that a pointer leads into, in a function.
#[derive(Clone, Copy, PartialEq)]
enum Root {
    Global(Handle<GlobalVariable>),
    Local(Handle<naga::LocalVariable>),
    Parameter(u32),
}

/// The variable that a pointer leads into, and whether it leads to the whole of it.
fn root(function: &Function, mut pointer: Handle<Expression>) -> (Root, bool) {
    let mut whole = true;
    loop {
        match function.expressions[pointer] {
            Expression::GlobalVariable(global) => return (Root::Global(global), whole),
            Expression::LocalVariable(local) => return (Root::Local(local), whole),
            Expression::FunctionArgument(at) => return (Root::Parameter(at), whole),
            Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => {
                (pointer, whole) = (base, false);
            }
            ref other => panic!("{other:?} leads to no variable"),
        }
    }
}

/// The calls of a block: the function and its arguments.
fn calls<'m>(block: &'m Block, found: &mut Vec<(Handle<Function>, &'m [Handle<Expression>])>) {
    for statement in block {
        match statement {
            Statement::Call { function, arguments, .. } => found.push((*function, arguments)),
            Statement::Block(block) => calls(block, found),
            Statement::If { accept, reject, .. } => {
                calls(accept, found);
                calls(reject, found);
            }
            Statement::Switch { cases, .. } => {
                cases.iter().for_each(|case| calls(&case.body, found));
            }
            Statement::Loop { body, continuing, .. } => {
                calls(body, found);
                calls(continuing, found);
            }
            _ => {}
        }
    }
}

fn calls_of(function: &Function) -> Vec<(Handle<Function>, &[Handle<Expression>])> {
    let mut found = Vec::new();
    calls(&function.body, &mut found);
    found
}

/// The variables of the module that a function names, itself or by what it calls.
fn named(module: &Module, function: &Function) -> BTreeSet<Handle<GlobalVariable>> {
    let globals = function.expressions.iter().filter_map(|(_, exp)| match exp {
        Expression::GlobalVariable(global) => Some(*global),
        _ => None,
    });
    let mut found: BTreeSet<_> = globals.collect();
    for (callee, _) in calls_of(function) {
        found.extend(named(module, &module.functions[callee]));
    }
    found
}

/// What is wrong with the pointers that functions of a shader are passed, and how many there are.
fn passed(wgsl: &str) -> (Vec<&'static str>, usize) {
    let module = naga::front::wgsl::parse_str(wgsl);
    let module = module.unwrap_or_else(|no| panic!("{}", no.emit_to_string(wgsl)));
    let (mut wrong, mut pointers) = (Vec::new(), 0);
    let entries = module.entry_points.iter().map(|entry| &entry.function);
    for function in module.functions.iter().map(|(_, function)| function).chain(entries) {
        for (callee, arguments) in calls_of(function) {
            let callee = &module.functions[callee];
            let names = named(&module, callee);
            let mut roots = Vec::new();
            for (parameter, argument) in callee.arguments.iter().zip(arguments) {
                let (TypeInner::Pointer { space, .. } | TypeInner::ValuePointer { space, .. }) =
                    module.types[parameter.ty].inner
                else {
                    continue;
                };
                pointers += 1;
                let (root, whole) = root(function, *argument);
                if !matches!(space, AddressSpace::Function | AddressSpace::Private) {
                    wrong.push("a pointer to memory of others");
                }
                if !whole {
                    wrong.push("a pointer to a part");
                }
                if roots.contains(&root) {
                    wrong.push("two pointers into one variable");
                }
                if matches!(root, Root::Global(global) if names.contains(&global)) {
                    wrong.push("a pointer into a variable that the function names");
                }
                roots.push(root);
            }
        }
    }
    (wrong, pointers)
}

/// Shaders with each of the faults, and one with none.
#[test]
fn the_faults_are_seen() {
    let shader = |functions: &str, body: &str| {
        format!(
            "struct Pair {{ a: i32, b: array<i32, 2> }}
             var<private> kept: i32; var<workgroup> group: i32;
             @group(0) @binding(0) var<storage, read_write> data: array<i32>;
             fn add(to: ptr<function, i32>, by: ptr<function, i32>) {{ *to = *to + *by; }}
             fn fill(to: ptr<private, i32>) {{ *to = 1; }}
             {functions}
             @compute @workgroup_size(1) fn main() {{
               var x = data[0]; var y = 2; var pair = Pair(1, array<i32, 2>(2, 3));
               {body}
               data[0] = x + y + pair.a + kept + group;
             }}"
        )
    };
    let names = "fn inner(to: ptr<private, i32>) { *to = kept; } fn outer(to: ptr<private, i32>) { inner(to); }";
    let group = "fn put(to: ptr<workgroup, i32>) { *to = 1; }";
    for (functions, body, wanted) in [
        ("", "add(&x, &y); fill(&kept); if (x > 1) { add(&y, &x); }", &[][..]),
        ("", "add(&x, &x);", &["two pointers into one variable"]),
        ("", "loop { if (x > 9) { break; } add(&pair.b[x], &y); }", &["a pointer to a part"]),
        (
            "",
            "add(&pair.a, &pair.b[1]);",
            &["a pointer to a part", "a pointer to a part", "two pointers into one variable"],
        ),
        (names, "outer(&kept);", &["a pointer into a variable that the function names"]),
        (group, "put(&group);", &["a pointer to memory of others"]),
    ] {
        let text = shader(functions, body);
        let mut found = passed(&text).0;
        // The call in `outer` passes a parameter, of which is not known where it leads.
        found.sort_unstable();
        assert_eq!(found, wanted, "{body}");
    }
}

/// The shaders of a program: the full form of each kernel, and the fast one.
fn shaders(program: &Program, plan: Plan) -> Vec<String> {
    let forms = Forms::of(program, plan.kernels());
    let both = |number: usize| {
        let group = program.kernels[number].group;
        [forms.fast_for_all(number, group), forms.full(number, group)]
    };
    let made = (0..program.kernels.len()).flat_map(both);
    made.map(|form| form.expect("what is checked is flat").form.wgsl.clone()).collect()
}

/// What forms of kernels are made of, of a program that compiles.
fn checked(program: Artifact, plan: Plan) -> (Option<Program>, Vec<Stage>) {
    let stages = pipeline::stages(program, &plan).stages;
    let checked = stages.iter().find(|stage| stage.by() == CHECKED);
    let program = checked.and_then(|stage| match &stage.artifact {
        Artifact::Device(program) => Some(program.clone()),
        _ => None,
    });
    (program, stages)
}

/// What forms of kernels are made of, by the routes beside that of a program, or of one that it becomes on its way.
fn beside(stages: Vec<Stage>, plan: Plan) -> Vec<Program> {
    let (mut made, mut from) = (Vec::new(), Vec::new());
    for Stage { artifact, .. } in stages {
        let lang = artifact.lang();
        if from.contains(&lang) {
            continue;
        }
        from.push(lang);
        for at in ROUTES.beside(lang) {
            let program = pipeline::alone(at, Cow::Borrowed(&artifact), &mut PassCx::new(plan));
            made.extend(program.ok().and_then(|program| checked(program, plan).0));
        }
    }
    made
}

/// The files of a folder and of the folders in it, in order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().expect("the folder can be listed");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it is listed").path()).collect();
    paths.sort();
    let deep = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    paths.into_iter().flat_map(deep).collect()
}

/// What was looked at of a language.
#[derive(Debug, Default)]
struct Seen {
    shaders: usize,
    /// Those that only a route beside the usual one makes.
    beside: usize,
    pointers: usize,
}

#[test]
fn shaders_of_the_corpus_meet_no_known_fault() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let (plan, mut naga) = (Plan::default(), Series::default());
    let mut all: BTreeMap<&str, Seen> = BTreeMap::new();
    let mut known = HashSet::new();
    for path in files(&corpus) {
        let lang = path.extension().and_then(|extension| Lang::of_extension(extension.to_str()?));
        let Some(lang) = lang else { continue };
        let text = std::fs::read_to_string(&path).expect("the corpus is text");
        let Ok(header) = header::parse(&text, lang.options()) else { continue };
        let settings = header.settings(lang.options());
        let Ok(program) = lang.read_under(&text, &settings, &mut Rolls::default()) else {
            continue;
        };
        let (program, stages) = checked(program.into(), plan);
        let usual = program.into_iter().map(|program| (program, false));
        let others = beside(stages, plan).into_iter().map(|program| (program, true));
        for (program, is_beside) in usual.chain(others) {
            for shader in shaders(&program, plan) {
                if !known.insert(shader.clone()) {
                    continue;
                }
                let told = || format!("{}\n{shader}", path.display());
                naga.for_vulkan(&shader).unwrap_or_else(|no| panic!("{no}\n{}", told()));
                let (wrong, pointers) = passed(&shader);
                assert!(wrong.is_empty(), "{wrong:?} in {}", told());
                let seen = all.entry(lang.name()).or_default();
                seen.shaders += 1;
                seen.beside += usize::from(is_beside);
                seen.pointers += pointers;
            }
        }
    }
    for (lang, shaders, beside) in [
        ("minias", 80, 15),
        ("sycl", 80, 20),
        ("fcl", 200, 0),
        ("fun", 200, 0),
        ("lambda_g", 80, 0),
    ] {
        let seen = all.get(lang).is_some_and(|of| of.shaders > shaders && of.beside >= beside);
        assert!(seen, "{lang} of {all:?}");
    }
    let pointers: usize = all.values().map(|of| of.pointers).sum();
    assert!(pointers > 10, "{all:?}");
}
