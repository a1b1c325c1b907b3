//! Variables that are given one value become names for it, and others start from the first value
//! that they are given.
//!
//! `var x : t; … x = e; …` is `… let x : t = e; …` where both stand in one sequence of statements,
//! nothing between them looks at `x`, nothing else stores to it, and nothing takes its address or a
//! part of it. In a loop the variable is made anew each round, and so is the name. Where other
//! stores follow, it is `… var x : t = e; …`.

use reference::device::parts::Statement;
use reference::device::syntax::{Block, Exp, Kind, Place, Ty};
use reference::device::visit;
use reference::kit::names::Var;

/// What is known of the variables of the function space while a pass goes through the statements in
/// order.
#[derive(Default)]
pub(crate) struct Once {
    /// By slot. A name is bound once, so one table does for all kernels of a program.
    uses: Vec<Use>,
    /// Is anything stored, in the body that was noted last, to a variable that is declared in the same
    /// sequence of statements? Else none becomes a name, nor starts from another value.
    any: bool,
    /// Sequences of statements so far.
    sequences: u32,
}

/// How a variable is used.
#[derive(Clone, Copy, Default)]
struct Use {
    /// Stores to all of it.
    stores: u32,
    /// Is it used other than by storing or loading all of it?
    otherwise: bool,
    /// Is it a name now?
    is_name: bool,
    /// The sequence of statements that declares it.
    declared: u32,
    /// If it was declared and not looked at since: in which sequence of statements, and where in it.
    untouched: Option<(u32, u32)>,
}

/// What becomes of a store.
pub(crate) enum Stored {
    /// It stays.
    Stays,
    /// The declaration at this place is gone, and its variable is a name.
    Binds(usize),
    /// The declaration at this place is gone, and the variable starts here.
    Starts(usize),
}

impl Once {
    /// Notes how a body uses its variables, and the result behind it. Most give none of theirs another value where they
    /// declare it.
    pub(crate) fn note(&mut self, body: &Block, result: Option<&Exp>) {
        self.any = false;
        self.stored(body);
        if self.any {
            let mut uses = |exp: &Exp| match exp {
                Exp::Ref(place) => self.part(place),
                Exp::Load(place) if !matches!(**place, Place::Var(_)) => self.part(place),
                _ => {}
            };
            visit::block(body, &mut uses);
            result.iter().for_each(|result| visit::exp(result, &mut uses));
        }
    }

    fn stored(&mut self, body: &Block) {
        let here = self.begins();
        for stm in body {
            match &stm.kind {
                Kind::Var(var, ..) => self.of(*var).declared = here,
                Kind::Store(Place::Var(var), _) => {
                    let known = self.of(*var);
                    known.stores += 1;
                    self.any |= known.declared == here;
                }
                Kind::Store(place, _)
                | Kind::Atomic { place, .. }
                | Kind::UniformLoad { place, .. } => self.part(place),
                _ => {}
            }
            stm.kind.blocks().into_iter().for_each(|inner| self.stored(inner));
        }
    }

    /// The variable at the root of a place is used otherwise.
    fn part(&mut self, place: &Place) {
        match place {
            Place::Var(var) => self.of(*var).otherwise = true,
            Place::At(place, _) | Place::Field(place, _) => self.part(place),
            Place::Deref(_) | Place::Element(..) => {}
        }
    }

    fn of(&mut self, var: Var) -> &mut Use {
        if self.uses.len() <= var.slot() {
            self.uses.resize(var.slot() + 1, Use::default());
        }
        &mut self.uses[var.slot()]
    }

    /// A sequence of statements begins; its number.
    pub(crate) fn begins(&mut self) -> u32 {
        self.sequences += 1;
        self.sequences
    }

    /// The variable is looked at. Is it a name now?
    #[inline]
    pub(crate) fn looks(&mut self, var: Var) -> bool {
        self.uses.get_mut(var.slot()).is_some_and(|known| {
            known.untouched = None;
            known.is_name
        })
    }

    /// The statement at this place of a sequence declares the variable.
    pub(crate) fn declares(&mut self, var: Var, ty: &Ty, sequence: u32, at: usize) {
        let plain = matches!(ty, Ty::Scalar(_) | Ty::Vector(..) | Ty::Block(_));
        if let Some(known) = self.uses.get_mut(var.slot())
            && plain
            && known.stores > 0
            && !known.otherwise
        {
            known.untouched = Some((sequence, at as u32));
        }
    }

    /// A statement of a sequence stores to all of the variable.
    pub(crate) fn stores(&mut self, var: Var, sequence: u32) -> Stored {
        let known = self.of(var);
        match known.untouched.take() {
            Some((declared, at)) if declared == sequence => {
                known.is_name = known.stores == 1;
                let at = at as usize;
                if known.is_name { Stored::Binds(at) } else { Stored::Starts(at) }
            }
            _ => Stored::Stays,
        }
    }

    /// The variable stays one, though it is stored to only once.
    pub(crate) fn keeps(&mut self, var: Var) {
        self.of(var).is_name = false;
    }
}

/// The type of a declaration that is gone.
///
/// # Panics
/// If it is none.
pub(crate) fn declared_type(stm: &mut Kind) -> Ty {
    match stm {
        Kind::Var(_, ty, _) => std::mem::replace(ty, Ty::Struct(0)),
        other => panic!("{other:?} declares no variable"),
    }
}

/// Takes statements out of a sequence.
pub(crate) fn remove(body: &mut Block, mut gone: Vec<usize>) {
    if gone.is_empty() {
        return;
    }
    gone.sort_unstable();
    let mut at = 0;
    let mut gone = gone.into_iter().peekable();
    body.retain(|_| {
        at += 1;
        gone.next_if_eq(&(at - 1)).is_none()
    });
}

#[cfg(test)]
mod tests {
    use crate::pass::simplify::simplify;
    use reference::device::{parse, print, validate};
    use reference::kit::decisions::Decisions;
    use reference::kit::derivation::Recorder;

    /// The body of a kernel behind `body`, which stores to `x` and looks at it.
    fn bound(body: &str) -> String {
        let source = format!(
            "kernel k(xs : block[i32]) group 1 {{\n  var x : i32 = 7;\n{body}  xs.[0] = x;\n}}\n\
             param xs : [1];\nlaunch k(xs) for 1;\nresult xs : [1] at 0 strides (1);\n"
        );
        let program = parse::program(&source).expect("the program parses");
        let program = simplify(program, &mut Decisions::default());
        validate::check(&program, &mut Recorder::counting()).expect("it is valid");
        let text = print::program(&program);
        let (_, kernel) = text.split_once("{\n").expect("it has a body");
        let (kernel, _) = kernel.split_once("\n}").expect("it ends");
        let lines = kernel.lines().map(str::trim);
        lines.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_variable_of_one_value_is_a_name() {
        assert_eq!(bound("  x = xs.[1];\n"), "let x : i32 = xs.[1]; xs.[0] = x;");
    }

    /// What it starts with is dead where it is stored to before anything looks at it.
    #[test]
    fn a_variable_starts_from_its_first_value() {
        let two = bound("  x = 1;\n  x = x + 2;\n");
        assert_eq!(two, "var x : i32 = 1; x = x + 2; xs.[0] = x;");
    }

    #[test]
    fn what_is_looked_at_before_starts_as_it_did() {
        for body in [
            "  x = x + 1;\n",
            "  xs.[0] = x;\n  x = 1;\n",
            "  if length(xs) == u32 1 { x = 1; }\n",
            "",
        ] {
            let kept = bound(body);
            assert!(kept.starts_with("var x : i32 = 7;"), "{kept}");
        }
    }
}
