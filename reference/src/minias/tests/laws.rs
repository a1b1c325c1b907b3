//! Theorem 4.2 by all guesses.

use crate::kit::derivation::Recorder;
use crate::kit::dice::Dice;
use crate::minias::rows::{Row, RowVar, Ty};
use crate::minias::syntax::{Space, Spaces};
use crate::minias::types::{Mode, Scheme};
use crate::minias::{infer, parse};
use std::collections::HashMap;

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
