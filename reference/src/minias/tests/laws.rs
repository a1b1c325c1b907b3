//! Theorem 4.2 by all guesses, and what writing the inferred rows changes: nothing.

use crate::kit::derivation::Recorder;
use crate::kit::dice::Dice;
use crate::kit::header;
use crate::kit::outcome::Budget;
use crate::kit::schedule::Order;
use crate::minias::infer;
use crate::minias::launch::{LAUNCH, Launch};
use crate::minias::rows::{Row, RowVar, Ty};
use crate::minias::syntax::{Cond, Decl, Item, Program, Space, Spaces, Stmt, StmtKind, Written};
use crate::minias::types::{MODE, Mode, Scheme};
use crate::minias::{eval, parse};
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// A function whose first three parameters have elided rows, with a few drawn statements.
fn drawn(dice: &mut Dice) -> String {
    const POINTERS: [&str; 7] = ["x", "y", "z", "g", "l", "p", "c"];
    let mut source = String::from(
        "void f(int *x, int *y, int *z, global int *g, local int *l, private int *p, constant int *c, int n) {\n",
    );
    let pick = |dice: &mut Dice, among: usize| POINTERS[dice.below(among as u64) as usize];
    for _ in 0..=dice.below(4) {
        let to = pick(dice, 3);
        let (one, other) = (pick(dice, 7), pick(dice, 7));
        let space = ["global", "local", "private"][dice.below(3) as usize];
        source += &match dice.below(8) {
            0..3 => format!("{to} = {one};\n"),
            3 => format!("{to} = n ? {one} : {other};\n"),
            4 => format!("*{to} = *{one};\n"),
            5 => format!("n = dynamic_cast<{space} int *>({to}) != NULL;\n"),
            6 => format!("n = *({space} int *) {to};\n"),
            _ => format!("n = {to} == {one};\n"),
        };
    }
    source + "}\n"
}

/// Closed rows: sets of three names, and constant alone.
fn rows() -> Vec<Spaces> {
    let names = [Space::Global, Space::Local, Space::Private];
    let sets = (0..8_u8).map(|bits| {
        let chosen = names.into_iter().enumerate().filter(|(at, _)| bits >> at & 1 == 1);
        chosen.fold(Spaces::NONE, |all, (_, name)| all.with(name))
    });
    sets.chain([Spaces::one(Space::Constant)]).collect()
}

/// Are the guessed rows of the first parameters an instance of the scheme?
fn is_instance(scheme: &Scheme, guess: [Spaces; 3]) -> bool {
    let mut values: HashMap<RowVar, Spaces> = HashMap::new();
    let matches = |(param, wanted): (&Ty, Spaces)| {
        let Ty::Pointer(pointer) = param else { panic!("the parameter is a pointer") };
        let Row { names, end } = pointer.row;
        if names.and(wanted) != names {
            return false;
        }
        let rest = wanted.minus(names);
        match end {
            None => rest.is_empty(),
            Some(end) => *values.entry(end).or_insert(rest) == rest,
        }
    };
    let fits = scheme.params.iter().zip(guess).all(matches);
    fits && scheme
        .lacks
        .iter()
        .all(|(var, space, _)| values.get(var).is_none_or(|value| !value.has(*space)))
}

/// A program with its elided rows replaced by closed ones that are not written has types exactly if these are an instance of
/// what W finds (theorem 4.2).
#[test]
fn guesses_have_types_if_they_are_instances() {
    let mut dice = Dice::new(42);
    let (mut accepted, mut refused, mut without) = (0, 0, 0);
    for _ in 0..300 {
        let source = drawn(&mut dice);
        let program = parse::program(&source).expect("it is read");
        let typed = infer::infer(&program, Mode::Infer, &mut Recorder::counting()).ok();
        without += usize::from(typed.is_none());
        for x in rows() {
            for y in rows() {
                for z in rows() {
                    let holds = infer::holds_of(&program, &[x, y, z]);
                    let instance = typed
                        .as_ref()
                        .is_some_and(|typed| is_instance(&typed.schemes[0].1, [x, y, z]));
                    let found = typed.as_ref().map(|typed| typed.lines(&program.names));
                    assert_eq!(holds, instance, "{source}{x:?} {y:?} {z:?} {found:?}");
                    *(if holds { &mut accepted } else { &mut refused }) += 1;
                }
            }
        }
    }
    assert!(accepted > 5_000 && refused > 50_000 && without > 10, "{accepted} {refused} {without}");
}

/// Writes the inferred rows of variables down, where they are closed; how many.
fn write_down(program: &mut Program, types: &HashMap<crate::kit::names::Var, Ty>) -> usize {
    fn decl(decl: &mut Decl, types: &HashMap<crate::kit::names::Var, Ty>) -> usize {
        let mut ty = types[&decl.var].clone();
        if decl.extent.is_some() {
            let Ty::Pointer(array) = &ty else { panic!("the name of an array is a pointer") };
            ty = array.to.clone();
        }
        let mut count = 0;
        for star in decl.ty.stars.iter_mut().rev() {
            let Ty::Pointer(pointer) = ty else { panic!("as many stars as pointers") };
            if star.written == Written::Elided && pointer.row.end.is_none() {
                star.written = Written::Row { names: pointer.row.names, twice: None, end: None };
                count += 1;
            }
            ty = pointer.to.clone();
        }
        count
    }
    fn stmt(of: &mut Stmt, types: &HashMap<crate::kit::names::Var, Ty>) -> usize {
        match &mut of.kind {
            StmtKind::Decl(inner) => decl(inner, types),
            StmtKind::Block(body) => body.iter_mut().map(|inner| stmt(inner, types)).sum(),
            StmtKind::If(cond, then, otherwise) => {
                let declared = match cond {
                    Cond::Decl(inner) => decl(inner, types),
                    Cond::Exp(_) => 0,
                };
                let otherwise = otherwise.as_mut().map_or(0, |inner| stmt(inner, types));
                declared + stmt(then, types) + otherwise
            }
            StmtKind::While(_, body) => stmt(body, types),
            StmtKind::For(parts) => {
                parts.first.as_mut().map_or(0, |first| stmt(first, types))
                    + stmt(&mut parts.body, types)
            }
            _ => 0,
        }
    }
    let mut count = 0;
    for item in &mut program.items {
        if let Item::Function(function) = item {
            count +=
                function.body.iter_mut().flatten().map(|inner| stmt(inner, types)).sum::<usize>();
        }
    }
    count
}

/// Comparisons of pointers across spaces aside: those of two written rows are refused.
#[test]
fn writing_the_inferred_rows_down_changes_nothing() {
    let mut written = 0;
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/minias");
    for folder in ["pass", "stuck", "race"] {
        for file in fs::read_dir(corpus.join(folder)).expect("the folder is there") {
            let path = file.expect("it is listed").path();
            let source = fs::read_to_string(&path).expect("a program is text");
            let header = header::parse(&source, &[MODE, LAUNCH]).expect("it has a header");
            let settings = header.settings(&[MODE, LAUNCH]);
            if settings.get(&MODE) != "infer" {
                continue;
            }
            let launch = Launch::read(settings.get(&LAUNCH)).expect("it is a launch");
            let program = parse::program(&source).expect("it is read");
            let inferred =
                |program: &Program| infer::infer(program, Mode::Infer, &mut Recorder::counting());
            let typed = inferred(&program).expect("it has types");
            let mut other = program.clone();
            written += write_down(&mut other, &typed.variables.iter().cloned().collect());
            if let Err(no) = inferred(&other) {
                let compares = matches!(no.rule, Some(("T-COMPARE" | "T-DIFF", "overlap")));
                assert!(compares, "{}: {no:?}", path.display());
                continue;
            }
            for case in &header.cases {
                let input = launch.fit(&program, case.input.clone()).expect("it fits");
                let [one, two] = [&program, &other].map(|program| {
                    let budget = Budget::default();
                    eval::run(
                        program,
                        &launch,
                        &input,
                        Order::InOrder,
                        &budget,
                        &mut Recorder::counting(),
                    )
                });
                assert_eq!(one, two, "{}", path.display());
            }
        }
    }
    assert!(written >= 12, "{written}");
}
