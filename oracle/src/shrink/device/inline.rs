//! Statements with blocks, calls and names, replaced by what is in them.

use super::super::Shrinking;
use super::code::{Code, Path, block_at, paths, scope, stm, stm_at};
use super::dead_code::uses;
use super::measure::weight_of;
use super::placeholder::{substitute, substitute_in};
use reference::device::syntax::{
    Block, Carried, Case, Exp, Function, Host, If, Kind, Lit, Loop, Program, Stm, Switch,
};
use reference::device::visit_mut::{self, Visitor};
use reference::kit::names::{Names, Var, Wish};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use std::collections::HashMap;

/// What stands in the place of a statement, and what stands for names.
type Plainer<C> = (Vec<Stm<C>>, HashMap<Var, Exp>);

/// Statements that hold others.
pub(super) trait Plain: Code {
    /// What may stand in the place of the statement, the plainest first. New names are made in
    /// `names`.
    fn plainer(&self, span: Span, names: &mut Names, program: &Program) -> Vec<Plainer<Self>>;
}

impl Plain for Host {
    fn plainer(&self, span: Span, names: &mut Names, _: &Program) -> Vec<Plainer<Self>> {
        match self {
            Host::If(branch) => branches(&branch.then, &branch.orelse),
            Host::Loop(rounds) => unrolled(rounds, span, names),
            _ => Vec::new(),
        }
    }
}

impl Plain for Kind {
    fn plainer(&self, span: Span, names: &mut Names, program: &Program) -> Vec<Plainer<Self>> {
        match self {
            Kind::If(branch) => branches(&branch.then, &branch.orelse),
            Kind::Switch(switch) => plainer_switches(switch, span),
            Kind::Loop(rounds) => unrolled(rounds, span, names),
            Kind::Par(par) => {
                vec![(par.body.clone(), HashMap::from([(par.var, Exp::i32(1))]))]
            }
            Kind::Call { into, function, args } => program
                .functions
                .get(*function as usize)
                .map(|function| called(function, *into, args, span, names))
                .into_iter()
                .collect(),
            _ => Vec::new(),
        }
    }
}

fn branches<C: Code>(then: &[Stm<C>], orelse: &[Stm<C>]) -> Vec<Plainer<C>> {
    [then, orelse].map(|branch| (branch.to_vec(), HashMap::new())).into()
}

/// The block of a case, a switch of one case as a branch, a switch with a case less, literals that count from 0.
fn plainer_switches(switch: &Switch, span: Span) -> Vec<Plainer<Kind>> {
    let blocks = switch.cases.iter().map(|case| &case.body).chain([&switch.orelse]);
    let mut plainer: Vec<Block> = blocks.cloned().collect();
    let mut instead = |kind: Kind| plainer.push(vec![stm(span, kind)]);
    if let [Case { literal, body }] = &switch.cases[..] {
        let cond = Exp::bin(BinOp::Eq, switch.value.clone(), Exp::Lit(*literal));
        let (then, orelse) = (body.clone(), switch.orelse.clone());
        instead(Kind::If(If { cond, then, orelse }));
    }
    for at in 0..switch.cases.len() {
        let mut less = switch.clone();
        less.cases.remove(at);
        instead(Kind::Switch(less));
    }
    let mut counted = switch.clone();
    for (number, case) in counted.cases.iter_mut().enumerate() {
        case.literal = match case.literal {
            Lit::U32(_) => Lit::U32(number as u32),
            _ => Lit::I32(number as i32),
        };
    }
    if counted != *switch {
        instead(Kind::Switch(counted));
    }
    plainer.into_iter().map(|stms| (stms, HashMap::new())).collect()
}

/// No round of a loop; one, after which what it carries is not used; one.
fn unrolled<C: Code>(rounds: &Loop<C>, span: Span, names: &mut Names) -> Vec<Plainer<C>> {
    let inits = rounds.carried.iter().map(|carried| (carried.var, carried.init.clone()));
    let none: HashMap<Var, Exp> = inits.collect();
    let once = |names: &[Var]| {
        let carried = rounds.carried.iter().zip(names);
        let lets = carried.map(|(Carried { ty, init, .. }, var)| {
            stm(span, C::bind(*var, ty.clone(), init.clone()))
        });
        lets.chain(rounds.body.iter().cloned()).collect::<Vec<_>>()
    };
    let vars: Vec<Var> = rounds.carried.iter().map(|carried| carried.var).collect();
    let fresh: Vec<Var> = vars.iter().map(|var| names.fresh(Wish::Like(*var))).collect();
    // In the round the variables have other names than after it.
    let inside: HashMap<Var, Var> = vars.iter().copied().zip(fresh.iter().copied()).collect();
    let mut round = once(&fresh);
    visit_mut::block(&mut round, &mut Renamed(&inside));
    let mut after = HashMap::new();
    for (var, next) in vars.iter().zip(&rounds.next) {
        let mut next = next.clone();
        visit_mut::exp(&mut next, &mut Renamed(&inside));
        after.insert(*var, next);
    }
    vec![(Vec::new(), none), (once(&vars), HashMap::new()), (round, after)]
}

/// The body of a function with names of its own and arguments for its parameters.
fn called(
    function: &Function,
    into: Option<Var>,
    args: &[Exp],
    span: Span,
    names: &mut Names,
) -> Plainer<Kind> {
    struct Bound<'n>(&'n mut Names, HashMap<Var, Var>);
    impl Visitor for Bound<'_> {
        fn binds(&mut self, var: &mut Var) {
            let fresh = self.0.fresh(Wish::Like(*var));
            self.1.insert(*var, fresh);
        }
    }
    let mut body = function.body.clone();
    let mut bound = Bound(names, HashMap::new());
    visit_mut::block(&mut body, &mut bound);
    // Parameters too have names of their own, for the function may be called elsewhere.
    function.params.iter().for_each(|(param, _)| bound.binds(&mut param.clone()));
    let renamed = bound.1;
    visit_mut::block(&mut body, &mut Renamed(&renamed));
    let params = function.params.iter().zip(args);
    let mut with: HashMap<Var, Exp> =
        params.map(|((param, _), arg)| (renamed[param], arg.clone())).collect();
    if let (Some(into), Some((ty, result))) = (into, &function.result) {
        let mut result = result.clone();
        visit_mut::exp(&mut result, &mut Renamed(&renamed));
        // Where nothing is done the result may stand where it is used.
        match body.is_empty() {
            true => {
                substitute_in(&mut result, &with);
                with.insert(into, result);
            }
            false => body.push(stm(span, Kind::Let(into, ty.clone(), result))),
        }
    }
    (body, with)
}

struct Renamed<'r>(&'r HashMap<Var, Var>);

impl Visitor for Renamed<'_> {
    fn uses(&mut self, var: &mut Var) {
        *var = *self.0.get(var).unwrap_or(var);
    }

    fn binds(&mut self, var: &mut Var) {
        self.uses(var);
    }
}

impl Shrinking<'_, Program> {
    /// Branches, one round of a loop or none, one iteration, the body of a function, in the place
    /// of the whole.
    pub(super) fn inline<C: Plain>(&mut self) {
        self.at_each::<C>(&mut |shrinking, path, at| {
            let mut tries = 0;
            while tries < 8 && shrinking.inline_one::<C>(path, at) {
                tries += 1;
            }
        });
    }

    /// Goes to each statement, outer ones first.
    pub(super) fn at_each<C: Code>(&mut self, visit: &mut dyn FnMut(&mut Self, &Path, usize)) {
        let mut which = 0;
        loop {
            let paths = paths::<C>(&self.program);
            let Some(path) = paths.get(which) else { break };
            let mut at = 0;
            while stm_at::<C>(&self.program, path, at).is_some() {
                visit(self, path, at);
                at += 1;
            }
            which += 1;
        }
    }

    fn inline_one<C: Plain>(&mut self, path: &Path, at: usize) -> bool {
        let Some(Stm { span, kind }) = stm_at::<C>(&self.program, path, at) else { return false };
        let mut names = self.program.names.clone();
        let plainer = kind.plainer(*span, &mut names, &self.program);
        plainer.into_iter().any(|(stms, with)| {
            let mut program = Program { names: names.clone(), ..self.program.clone() };
            let Some(body) = block_at::<C>(&mut program, path) else { return false };
            body.splice(at..=at, stms);
            substitute(&mut program, with);
            self.attempt(program, self.input.clone())
        })
    }

    /// Loops that carry less: what they started from, or something plain, in its place.
    pub(super) fn cut_carried<C: Code>(&mut self) {
        self.at_each::<C>(&mut |shrinking, path, at| {
            let carried = |program: &Program| {
                let stm = stm_at::<C>(program, path, at);
                stm.filter(|stm| !stm.kind.blocks().is_empty())
                    .map_or(0, |stm| stm.kind.after().len())
            };
            let mut entry = carried(&shrinking.program);
            while entry > 0 {
                entry -= 1;
                if entry < carried(&shrinking.program) {
                    shrinking.cut_one_carried::<C>(path, at, entry);
                }
            }
        });
    }

    fn cut_one_carried<C: Code>(&mut self, path: &Path, at: usize, entry: usize) -> bool {
        let mut plain = self.program.clone();
        let Some(body) = block_at::<C>(&mut plain, path) else { return false };
        let Some((carried, next)) = body.get_mut(at).and_then(|stm| stm.kind.carried_mut()) else {
            return false;
        };
        let Carried { var, init, .. } = carried.remove(entry);
        next.remove(entry);
        let mut program = plain.clone();
        substitute(&mut program, HashMap::from([(var, init)]));
        if self.attempt(program, self.input.clone()) {
            return true;
        }
        let scope = scope::<C>(&plain, path, at);
        self.attempt_stands(&plain, &[var], &scope, self.input.clone())
    }

    /// Puts what a name is bound to in the place of the name, where it is used once or small.
    pub(super) fn inline_lets<C: Code>(&mut self) {
        self.at_each::<C>(&mut |shrinking, path, at| {
            while shrinking.inline_let::<C>(path, at) {}
        });
    }

    fn inline_let<C: Code>(&mut self, path: &Path, at: usize) -> bool {
        let Some(stm) = stm_at::<C>(&self.program, path, at) else { return false };
        let Some((var, exp)) = stm.kind.bound() else { return false };
        let exp = exp.clone();
        let mut program = self.program.clone();
        let uses = u64::from(uses(&mut program)[var.slot()]);
        let weight = weight_of(&exp);
        if uses > 1 && weight > SMALL || weight > LARGE {
            return false;
        }
        let Some(body) = block_at::<C>(&mut program, path) else { return false };
        body.remove(at);
        substitute(&mut program, HashMap::from([(var, exp)]));
        self.attempt(program, self.input.clone())
    }
}

/// What an expression weighs that may stand at several places.
const SMALL: u64 = 20;

/// What an expression weighs that keeps its name, so that lines stay short.
const LARGE: u64 = 120;
