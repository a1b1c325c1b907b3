//! Variables that are given one value become names for it, and others start from the first value
//! that they are given.
//!
//! `var x : t; … x = e; …` is `… let x : t = e; …` where both stand in one sequence of statements,
//! nothing between them looks at `x`, nothing else stores to it, and nothing takes its address or a
//! part of it. In a loop the variable is made anew each round, and so is the name. Where other
//! stores follow, it is `… var x : t = e; …`.

use super::walk::{change_block, take};
use reference::device::syntax::{Block, Exp, Kind, Place, Ty};
use reference::device::visit;
use reference::kit::names::Var;
use rustc_hash::{FxHashMap, FxHashSet};

/// Variables that are names.
#[derive(Default)]
pub(crate) struct Bound(FxHashSet<Var>);

impl Bound {
    pub(crate) fn has(&self, var: Var) -> bool {
        self.0.contains(&var)
    }
}

/// Does so everywhere in the body of a kernel.
pub(crate) fn bind_once(body: &mut Block) {
    let bound = bind(body);
    if bound.0.is_empty() {
        return;
    }
    change_block(body, &mut |exp| {
        if let Exp::Load(place) = exp
            && let Place::Var(var) = **place
            && bound.has(var)
        {
            *exp = Exp::Var(var);
        }
    });
}

/// The same, but for the loads of variables that are names now: who asks makes names of these.
pub(crate) fn bind(body: &mut Block) -> Bound {
    let mut uses = Uses::default();
    uses.stored(body);
    if uses.stores.is_empty() {
        return Bound::default();
    }
    uses.block(body);
    let mut bind = Bind {
        uses: &uses,
        untouched: FxHashMap::default(),
        sequences: 0,
        bound: FxHashSet::default(),
    };
    bind.sequence(body);
    Bound(bind.bound)
}

/// How variables of the function space are used.
#[derive(Default)]
struct Uses {
    /// Stores to the whole variable.
    stores: FxHashMap<Var, u32>,
    /// Uses other than to store or load the whole variable.
    others: FxHashSet<Var>,
}

impl Uses {
    fn block(&mut self, body: &Block) {
        visit::block(body, &mut |exp| match exp {
            Exp::Ref(place) => self.part(place),
            Exp::Load(place) if !matches!(**place, Place::Var(_)) => self.part(place),
            _ => {}
        });
    }

    fn stored(&mut self, body: &Block) {
        for stm in body {
            match &stm.kind {
                Kind::Store(Place::Var(var), _) => *self.stores.entry(*var).or_default() += 1,
                Kind::Store(place, _) | Kind::Atomic { place, .. } => self.part(place),
                Kind::If(branch) => {
                    self.stored(&branch.then);
                    self.stored(&branch.orelse);
                }
                Kind::Loop(rounds) => self.stored(&rounds.body),
                Kind::Par(par) => self.stored(&par.body),
                _ => {}
            }
        }
    }

    /// The variable at the root of a place is used otherwise.
    fn part(&mut self, place: &Place) {
        match place {
            Place::Var(var) => {
                self.others.insert(*var);
            }
            Place::At(place, _) | Place::Field(place, _) => self.part(place),
            Place::Deref(_) | Place::Element(..) => {}
        }
    }
}

/// Goes through a body once.
struct Bind<'u> {
    uses: &'u Uses,
    /// Variables that were declared and not looked at since: in which sequence of statements, where
    /// in it, and their types. A name is bound once, so one table does for all sequences.
    untouched: FxHashMap<Var, (u32, usize, Ty)>,
    /// Sequences so far.
    sequences: u32,
    /// Variables that are names now.
    bound: FxHashSet<Var>,
}

impl Bind<'_> {
    fn sequence(&mut self, body: &mut Block) {
        self.sequences += 1;
        let here = self.sequences;
        let mut gone = Vec::new();
        for (at, stm) in body.iter_mut().enumerate() {
            match &mut stm.kind {
                Kind::If(branch) => {
                    self.look(&branch.cond);
                    self.sequence(&mut branch.then);
                    self.sequence(&mut branch.orelse);
                    continue;
                }
                Kind::Loop(rounds) => {
                    let inits = rounds.carried.iter().map(|carried| &carried.init);
                    inits.chain(&rounds.fuel).chain([&rounds.cond]).for_each(|exp| self.look(exp));
                    self.sequence(&mut rounds.body);
                    rounds.next.iter().for_each(|exp| self.look(exp));
                    continue;
                }
                Kind::Par(par) => {
                    self.look(&par.count);
                    self.sequence(&mut par.body);
                    continue;
                }
                simple => visit::kind(simple, &mut |exp| self.loads(exp)),
            }
            match &mut stm.kind {
                Kind::Var(var, ty @ (Ty::Scalar(_) | Ty::Vector(..) | Ty::Block(_)), _)
                    if self.uses.stores.contains_key(var) && !self.uses.others.contains(var) =>
                {
                    self.untouched.insert(*var, (here, at, ty.clone()));
                }
                Kind::Store(Place::Var(var), exp) => {
                    let Some((sequence, declared, ty)) = self.untouched.remove(var) else {
                        continue;
                    };
                    if sequence != here {
                        continue;
                    }
                    gone.push(declared);
                    let (var, value) = (*var, take(exp));
                    if self.uses.stores.get(&var) == Some(&1) {
                        self.bound.insert(var);
                        stm.kind = Kind::Let(var, ty, value);
                    } else {
                        stm.kind = Kind::Var(var, ty, Some(value));
                    }
                }
                _ => {}
            }
        }
        if gone.is_empty() {
            return;
        }
        gone.sort_unstable();
        let mut at = 0;
        body.retain(|_| {
            at += 1;
            gone.binary_search(&(at - 1)).is_err()
        });
    }

    /// The variables that an expression loads are looked at.
    fn look(&mut self, exp: &Exp) {
        visit::exp(exp, &mut |part| self.loads(part));
    }

    fn loads(&mut self, exp: &Exp) {
        if let Exp::Load(place) = exp
            && let Place::Var(var) = **place
            && !self.untouched.is_empty()
        {
            self.untouched.remove(&var);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::bind_once;
    use reference::device::{parse, print, validate};
    use reference::kit::derivation::Recorder;

    /// The body of a kernel behind `body`, which stores to `x` and looks at it.
    fn bound(body: &str) -> String {
        let source = format!(
            "kernel k(xs : block[i32]) group 1 {{\n  var x : i32 = 7;\n{body}  xs.[0] = x;\n}}\n\
             param xs : [1];\nlaunch k(xs) for 1;\nresult xs : [1] at 0 strides (1);\n"
        );
        let mut program = parse::program(&source).expect("the program parses");
        bind_once(&mut program.kernels[0].body);
        validate::check(&program, &mut Recorder::counting()).expect("it is valid");
        let text = print::program(&program);
        let (_, kernel) = text.split_once("{\n").expect("it has a body");
        let (kernel, _) = kernel.split_once("\n}").expect("it ends");
        let lines = kernel.lines().map(str::trim);
        lines.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_variable_of_one_value_is_a_name() {
        assert_eq!(bound("  x = 1;\n"), "let x : i32 = 1; xs.[0] = x;");
    }

    /// What it starts with is dead where it is stored to before anything looks at it.
    #[test]
    fn a_variable_starts_from_its_first_value() {
        let two = bound("  x = 1;\n  x = x + 2;\n");
        assert_eq!(two, "var x : i32 = 1; x = x + 2; xs.[0] = x;");
    }

    #[test]
    fn what_is_looked_at_before_starts_as_it_did() {
        for body in ["  x = x + 1;\n", "  xs.[0] = x;\n  x = 1;\n", "  if true { x = 1; }\n", ""] {
            let kept = bound(body);
            assert!(kept.starts_with("var x : i32 = 7;"), "{kept}");
        }
    }
}
