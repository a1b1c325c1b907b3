//! Scalars: the elements of a term as expressions of λG. Each is one in brackets, or a name.

use super::{Env, Part, Said, Writer, no};
use reference::axes::index::{Atom, Index};
use reference::axes::print;
use reference::axes::syntax::{Head, Name, Term, identity};
use reference::kit::scalar::BinOp;

impl Writer<'_> {
    /// The scalar that a tensor has where its axes are at `at`; with the indices of axes that have none yet, and what those of
    /// loops are called.
    fn inside<'t>(&mut self, mut of: &'t Term, at: &Env, env: &Env) -> Said<(&'t Term, Env, Env)> {
        let (mut at, mut env) = (at.clone(), env.clone());
        loop {
            of = match &of.head {
                Head::Build => {
                    if let Some((axis, _)) = of.binds()
                        && let Some(index) = at.remove(axis)
                    {
                        env.insert(axis.clone(), index);
                    }
                    self.hoist(&of.args[3], &env)?;
                    &of.args[3]
                }
                Head::Merge => {
                    let name = |nth: usize| of.args[nth].as_axis().expect("the term was checked");
                    let index = at.remove(name(0)).unwrap_or_default();
                    // An axis of size 0 has no index, and nothing divides by it.
                    let by = self.scope.size(name(2)).unwrap_or(1).max(1).to_string();
                    let by = self.number(&by);
                    let parts = ["/", "%"].map(|op| self.binary(op, &index, &by));
                    let [outer, inner] = parts.map(|is| self.bind("i", is));
                    at.insert(name(1).clone(), outer);
                    at.insert(name(2).clone(), inner);
                    &of.args[3]
                }
                Head::Keep => &of.args[0],
                _ => return Ok((of, at, env)),
            };
        }
    }

    /// The element of a tensor where its axes are at `at`, with those of loops as `env` calls them.
    pub(super) fn element(&mut self, of: &Term, at: &Env, env: &Env) -> Said {
        let (of, at, env) = &self.inside(of, at, env)?;
        match &of.head {
            Head::Red => {
                let op = of.args[0].as_op().expect("the term was checked");
                let (axis, size) = of.binds().expect("the term was checked");
                let start = self.number(&identity(op).unwrap_or(0).to_string());
                self.rounds(size, &start, &mut |to, round, sum| {
                    let mut env = env.clone();
                    env.insert(axis.clone(), round);
                    to.hoist(&of.args[3], &env)?;
                    let next = to.element(&of.args[3], at, &env)?;
                    to.applied(op, &sum, &next)
                })
            }
            Head::Seq => {
                let Head::State(state) = &of.args[0].head else { unreachable!("it was checked") };
                let (axis, size) = of.binds().expect("the term was checked");
                let start = self.element(&of.args[3], at, env)?;
                self.rounds(size, &start, &mut |to, round, sum| {
                    let mut env = env.clone();
                    env.insert(axis.clone(), round);
                    env.insert(state.clone(), sum);
                    to.hoist(&of.args[4], &env)?;
                    to.element(&of.args[4], at, &env)
                })
            }
            Head::If => {
                let cond = self.condition(&of.args[0], at, env)?;
                let [yes, not] =
                    [1, 2].map(|nth| self.within(|to| to.element(&of.args[nth], at, env)));
                Ok(format!("(if {cond} then ({}) else ({}))", yes?, not?))
            }
            Head::Apply => {
                let op = of.args[0].as_op().expect("the term was checked");
                if is_truth(op) {
                    return self.truth(of, at, env);
                }
                let a = self.element(&of.args[1], at, env)?;
                let b = match (op, &of.args[2].head) {
                    (BinOp::Shl, Head::Const(k)) => {
                        let factor = self.number(&1_i32.wrapping_shl(*k as u32 & 31).to_string());
                        return Ok(self.binary("*", &a, &factor));
                    }
                    _ => self.element(&of.args[2], at, env)?,
                };
                match op {
                    BinOp::And | BinOp::Or | BinOp::Xor if is_condition(of) => {
                        self.truth(of, at, env)
                    }
                    _ => self.applied(op, &a, &b),
                }
            }
            Head::Get => self.get(of, at, env),
            Head::Const(k) => Ok(self.number(&k.to_string())),
            Head::Index(index) => self.index(index, at, env),
            Head::Scalar(name) => match env.get(name) {
                Some(text) => Ok(text.clone()),
                None => self.given(name, &[]),
            },
            _ => unreachable!("the term was checked"),
        }
    }

    /// Whether a scalar is not 0, as a bool.
    pub(super) fn condition(&mut self, of: &Term, at: &Env, env: &Env) -> Said {
        let (of, at, env) = &self.inside(of, at, env)?;
        if let Head::Apply = of.head {
            let op = of.args[0].as_op().expect("the term was checked");
            let (a, b) = (&of.args[1], &of.args[2]);
            let comparison = match op {
                BinOp::Eq => Some(("==", a, b)),
                BinOp::Ne => Some(("!=", a, b)),
                BinOp::Lt => Some(("<", a, b)),
                BinOp::Le => Some(("<=", a, b)),
                BinOp::Gt => Some(("<", b, a)),
                BinOp::Ge => Some(("<=", b, a)),
                _ => None,
            };
            if let Some((word, a, b)) = comparison {
                let a = self.element(a, at, env)?;
                let b = self.element(b, at, env)?;
                return Ok(format!("({a} {word} {b})"));
            }
            if is_condition(of) {
                let a = self.condition(a, at, env)?;
                let b = self.condition(b, at, env)?;
                return Ok(match op {
                    BinOp::And => format!("(if {a} then {b} else false)"),
                    BinOp::Or => format!("(if {a} then true else {b})"),
                    _ => format!("(if {a} then (if {b} then false else true) else {b})"),
                });
            }
        }
        let scalar = self.element(of, at, env)?;
        let zero = self.number("0");
        Ok(format!("({scalar} != {zero})"))
    }

    /// A condition as 0 or 1.
    fn truth(&mut self, of: &Term, at: &Env, env: &Env) -> Said {
        let cond = self.condition(of, at, env)?;
        let [one, zero] = ["1", "0"].map(|k| self.number(k));
        Ok(format!("(if {cond} then {one} else {zero})"))
    }

    /// `next` of each round and the state, from a start on: what the state is in the end.
    fn rounds(
        &mut self,
        size: u32,
        start: &str,
        next: &mut dyn FnMut(&mut Self, String, String) -> Said,
    ) -> Said {
        let [f, pair, round, state] = ["f", "p", "k", "x"].map(|stem| self.fresh(stem));
        let zero = self.number("0");
        let size = self.number(&size.to_string());
        let body = self.within(|to| {
            let next = next(to, round.clone(), state.clone())?;
            let one = to.number("1");
            let (counted, at) = (to.binary("+", &round, &one), to.at());
            Ok(format!("{f} (({counted}, {next}){at})"))
        })?;
        let at = self.at();
        let is = format!(
            "(let {f} = fix {f} . fn {pair} => (let {round} = fst {pair} in let {state} = snd {pair} in \
             if {round} < {size} then ({body}) else {state}){at} in {f} (({zero}, {start}){at}))"
        );
        Ok(self.bind("r", is))
    }

    /// An element of an array.
    fn get(&mut self, of: &Term, at: &Env, env: &Env) -> Said {
        let array = &of.args[0];
        let indices = of.args[1..].iter().map(|index| self.element(index, at, env));
        let indices = indices.collect::<Said<Vec<String>>>()?;
        if let Head::Array(name) = &array.head {
            return self.given(name, &indices);
        }
        let (name, by_device) = match self.stored.get(&print::term(array)) {
            Some(stored) => (stored.name.clone(), stored.by_device),
            None => {
                let (is, by_device) = self.store(array, env)?;
                (self.bind("s", is), by_device)
            }
        };
        let read = indices.iter().fold(name, |of, index| format!("({of} ! {index})"));
        Ok(self.read(read, by_device != self.on_device))
    }

    /// A component of a parameter, at these indices.
    fn given(&mut self, name: &Name, indices: &[String]) -> Said {
        let Some(given) = self.given.get(name) else {
            return no(format!("{name} is no parameter of the program"));
        };
        let mut indices = indices.iter();
        let is_bool = given.is_bool;
        let read = given.path.iter().fold(given.param.clone(), |of, part| match part {
            Part::First => format!("(fst {of})"),
            Part::Second => format!("(snd {of})"),
            Part::Element => match indices.next() {
                Some(index) => format!("({of} ! {index})"),
                None => of,
            },
        });
        if is_bool {
            let [one, zero] = ["1", "0"].map(|k| self.number(k));
            return Ok(format!("(if {read} then {one} else {zero})"));
        }
        let elsewhere = self.on_device;
        Ok(self.read(read, elsewhere))
    }

    /// What was read, made again if it lies in another region than what is computed from it.
    fn read(&self, read: String, elsewhere: bool) -> String {
        match elsewhere {
            true => self.binary("+", &read, &self.number("0")),
            false => read,
        }
    }

    fn number(&self, k: &str) -> String {
        let at = self.at();
        if at.is_empty() && !k.starts_with('-') { k.to_owned() } else { format!("({k}{at})") }
    }

    fn binary(&self, op: &str, a: &str, b: &str) -> String {
        format!("({a} {op} {b}{})", self.at())
    }

    fn applied(&self, op: BinOp, a: &str, b: &str) -> Said {
        let word = match op {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::Min => "min",
            BinOp::Max => "max",
            _ => return no(format!("λG has no operator {op:?} on ints")),
        };
        Ok(self.binary(word, a, b))
    }

    /// An index with its axes as they are called.
    fn index(&self, index: &Index, at: &Env, env: &Env) -> Said {
        let mut sum: Option<String> = None;
        let parts = index.parts().map(|(atom, factor)| {
            let is = match atom {
                Atom::Axis(name) => match env.get(name).or_else(|| at.get(name)) {
                    Some(text) => text.clone(),
                    None => return no(format!("axis {name} has no index")),
                },
                Atom::Div(of, by) | Atom::Rem(of, by) => {
                    let op = if matches!(atom, Atom::Div(..)) { "/" } else { "%" };
                    let of = self.index(of, at, env)?;
                    self.binary(op, &of, &self.number(&by.to_string()))
                }
            };
            Ok(match factor {
                1 => is,
                factor => self.binary("*", &is, &self.number(&factor.to_string())),
            })
        });
        let offset = (index.offset() != 0).then(|| Ok(self.number(&index.offset().to_string())));
        for part in parts.chain(offset).collect::<Vec<_>>() {
            let part = part?;
            sum = Some(match sum {
                Some(sum) => self.binary("+", &sum, &part),
                None => part,
            });
        }
        Ok(sum.unwrap_or_else(|| self.number("0")))
    }
}

/// Does an operator give 0 or 1?
fn is_truth(op: BinOp) -> bool {
    matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge)
}

/// Is a scalar a comparison, or 0, 1 and comparisons combined?
fn is_condition(of: &Term) -> bool {
    match (&of.head, of.args.first().and_then(Term::as_op)) {
        (Head::Const(k), _) => matches!(k, 0 | 1),
        (Head::Apply, Some(op)) => {
            let combined = matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
            is_truth(op) || combined && of.args[1..].iter().all(is_condition)
        }
        _ => false,
    }
}
