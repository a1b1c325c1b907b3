//! `expose_checks`: whatever can get stuck in a kernel gets a `check` of its own.
//!
//! | | |
//! |---|---|
//! | before | any program that the validator accepts |
//! | after | in kernels, parallel loops and functions, every division whose divisor is no literal and every access of a block or an array stands behind a check of its operands; conditions of loops cannot get stuck |
//! | stuck | the same site |
//!
//! Nothing could check that a block which a kernel makes up (`block(T, base, length)`) lies inside
//! of another, so but for the empty one only a part of a block is taken, as `block(T, base(b) + k,
//! length(b) - l)`, where elements of `T` are no larger than those of `b` and nothing in it can get
//! stuck: unless `l` elements are there, and take `k` words at least, the kernel gives up. Any other is
//! refused. No language that is lowered to the device language makes any but the empty one.
//!
//! A kernel that keeps a record names sites by number. A check that is new would give a meaning to numbers that had
//! none, so a program with such a kernel is refused if it needs one.
//!
//! A pointer into a block stands for its place from here on: an invocation that goes on behind a failed check has no such
//! pointer to make.
//!
//! The checks stand in the order of evaluation, before the statement. Operands that are more
//! than a name are bound first, so that they are evaluated once.

use super::control_dependence::{self, ControlDependence};
use super::stuck::{extent, is_nonzero, may_stick, partial, place_may_stick};
use super::take;
use super::types::Types;
use reference::device::arena::Region;
use reference::device::parts::Statement;
use reference::device::syntax::{
    BOOL, Block, Carried, Check, Element, Exp, Host, HostBlock, I32, If, Kind, Loop, Place,
    Program, Site, Space, Stm, Switch, Ty, U32,
};
use reference::device::visit::{self, any_exp};
use reference::device::visit_mut::{self, change_exp};
use reference::kit::names::{Names, Var};
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;
use reference::kit::text::{Refused, Span};
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The pass.
///
/// # Errors
/// A kernel that makes up a block, or that keeps a record where checks are added.
pub fn expose_checks(mut program: Program) -> Result<Program, Refused> {
    let mut expose = Expose {
        types: Types::of_host(&program),
        names: std::mem::take(&mut program.names),
        numbers: numbers_of(&program.sites),
        sites: std::mem::take(&mut program.sites),
        path: Vec::new(),
        span: Span::default(),
        refused: None,
        elements: FxHashMap::default(),
        control: ControlDependence::default(),
    };
    let before = expose.sites.len();
    for function in &mut program.functions {
        expose.types.enter_all(&function.params);
        function.body = expose.block(std::mem::take(&mut function.body));
        if let Some((_, result)) = &mut function.result {
            expose.span = function.span;
            let value = std::mem::replace(result, Exp::u32(0));
            *result = expose.exp(value, &mut function.body);
        }
    }
    for kernel in &mut program.kernels {
        expose.types.enter_kernel(kernel);
        expose.control = ControlDependence::of(&kernel.body);
        kernel.body = expose.block(std::mem::take(&mut kernel.body));
    }
    expose.host(&mut program.host);
    program.names = expose.names;
    let recorded = program.kernels.iter().find(|kernel| kernel.record.is_some());
    if let Some(kernel) = recorded.filter(|_| expose.sites.len() > before) {
        expose.refused.get_or_insert(Refused {
            span: kernel.span,
            statement: format!("kernel {}", kernel.name),
            reason: "a kernel that keeps a record names sites by number, and checks are added"
                .to_owned(),
            second: None,
        });
    }
    program.sites = expose.sites;
    expose.refused.map_or(Ok(program), Err)
}

/// The number of each site: of the first, where two are the same.
fn numbers_of(sites: &[Site]) -> FxHashMap<Site, u32> {
    // About as many are added.
    let mut numbers = FxHashMap::with_capacity_and_hasher(2 * sites.len(), FxBuildHasher);
    numbers.extend(sites.iter().enumerate().rev().map(|(number, site)| (*site, number as u32)));
    numbers
}

struct Expose {
    /// Of the variables that are bound so far.
    types: Types,
    names: Names,
    sites: Vec<Site>,
    /// Numbers of the sites.
    numbers: FxHashMap<Site, u32>,
    /// Iterations of the nested parallel loops around.
    path: Vec<Var>,
    /// The statement at hand.
    span: Span,
    /// The first statement that is refused.
    refused: Option<Refused>,
    /// What pointers into blocks point to: an element, found by names.
    elements: FxHashMap<Var, Place>,
    /// What says which barriers of the kernel at hand are come to.
    control: ControlDependence,
}

impl Expose {
    fn host(&mut self, body: &mut HostBlock) {
        visit_mut::stms(body, &mut |stm| {
            if let Host::Par(par) = &mut stm.kind {
                self.types.enter(par.var, &I32);
                par.body = self.block(std::mem::take(&mut par.body));
            }
        });
    }

    fn block(&mut self, body: Block) -> Block {
        // A third of the statements come with a name and a check.
        let mut out = Vec::with_capacity(2 * body.len());
        for mut stm in body {
            self.span = stm.span;
            self.types.binds(&stm.kind);
            if let Kind::Let(var, Ty::Ptr(Space::Storage, _), pointer) = &mut stm.kind {
                let place = self.element(take(pointer), &mut out);
                self.elements.insert(*var, place);
                continue;
            }
            self.stm(&mut stm.kind, &mut out);
            out.push(stm);
        }
        out
    }

    /// The element that a pointer into a block points to.
    fn element(&mut self, pointer: Exp, out: &mut Block) -> Place {
        match pointer {
            Exp::Ref(place) => self.place(*place, out),
            pointer => self.place(Place::Deref(pointer), out),
        }
    }

    fn stm(&mut self, kind: &mut Kind, out: &mut Block) {
        match kind {
            Kind::Let(_, _, exp) => self.expose(exp, out),
            Kind::Var(_, _, init) => init.iter_mut().for_each(|exp| self.expose(exp, out)),
            Kind::Store(place, exp) => {
                let access = self.expose_place(place, out);
                self.expose(exp, out);
                self.accessed(access, out);
            }
            Kind::Atomic { place, operands, .. } => {
                let access = self.expose_place(place, out);
                operands.iter_mut().for_each(|exp| self.expose(exp, out));
                self.accessed(access, out);
            }
            Kind::If(If { cond: value, .. }) | Kind::Switch(Switch { value, .. }) => {
                self.expose(value, out);
                for inner in kind.blocks_mut() {
                    *inner = self.block(std::mem::take(inner));
                }
            }
            Kind::Loop(rounds) => self.rounds(self.span, rounds, out),
            Kind::Call { args, .. } => args.iter_mut().for_each(|exp| self.expose(exp, out)),
            Kind::Check(check) => {
                let exps = check.operands.iter_mut().chain(&mut check.path);
                exps.for_each(|exp| self.expose(exp, out));
                check.components_mut().iter_mut().for_each(|exp| self.expose(exp, out));
            }
            Kind::Barrier(_) | Kind::UniformLoad { .. } => {}
            Kind::Par(par) => {
                self.expose(&mut par.count, out);
                self.path.push(par.var);
                par.body = self.block(std::mem::take(&mut par.body));
                self.path.pop();
            }
        }
    }

    fn rounds(&mut self, span: Span, rounds: &mut Loop<Kind>, out: &mut Block) {
        for carried in &mut rounds.carried {
            self.expose(&mut carried.init, out);
        }
        rounds.fuel.iter_mut().for_each(|fuel| self.expose(fuel, out));
        // A condition that can get stuck is evaluated with its checks before the first round
        // and at the end of each, and carried as a bool.
        self.follow_pointers(&mut rounds.cond);
        let sticks = partial(&rounds.cond, &self.types) || makes_up(&rounds.cond);
        let condition = sticks.then(|| rounds.cond.clone());
        // Without fuel the condition is not looked at, so that what is left of it is carried too.
        let fuel = rounds.fuel.take_if(|_| condition.is_some());
        let left = fuel.map(|fuel| self.counts_down(fuel, rounds, out));
        let ends = Ends { left, steers: self.control.by_rounds(rounds) };
        if let Some(cond) = &condition {
            let inits: Vec<Exp> = rounds.carried.iter().map(|c| c.init.clone()).collect();
            let (inits, first) = self.condition(cond, ends, &rounds.carried, inits, out);
            for (carried, init) in rounds.carried.iter_mut().zip(inits) {
                carried.init = init;
            }
            let go = self.names.fresh("go");
            self.types.enter(go, &BOOL);
            rounds.carried.push(Carried { var: go, ty: BOOL, init: first });
            rounds.cond = Exp::Var(go);
        }
        rounds.body = self.block(std::mem::take(&mut rounds.body));
        self.span = span;
        let next = std::mem::take(&mut rounds.next);
        rounds.next = next.into_iter().map(|exp| self.exp(exp, &mut rounds.body)).collect();
        rounds.next.extend(left.map(|left| Exp::bin(BinOp::Sub, Exp::Var(left), Exp::u32(1))));
        if let Some(cond) = &condition {
            let next = std::mem::take(&mut rounds.next);
            let carried = &rounds.carried;
            let (mut next, go) = self.condition(cond, ends, carried, next, &mut rounds.body);
            next.push(go);
            rounds.next = next;
        }
    }

    /// Lets a loop carry how much fuel is left, by that name.
    fn counts_down(&mut self, fuel: Exp, rounds: &mut Loop<Kind>, out: &mut Block) -> Var {
        let left = self.names.fresh("left");
        self.types.enter(left, &U32);
        let init = self.bind(fuel, "fuel", out);
        rounds.carried.push(Carried { var: left, ty: U32, init });
        left
    }

    /// The condition of a loop where the carried variables have these values; values and
    /// condition are bound in `out`. It is false where nothing is left. Where it controls barriers
    /// poisoned invocations compute it too. There it is false if it has no value, or they would go round until the
    /// fuel is used up.
    fn condition(
        &mut self,
        cond: &Exp,
        Ends { left, steers }: Ends,
        carried: &[Carried],
        values: Vec<Exp>,
        out: &mut Block,
    ) -> (Vec<Exp>, Exp) {
        let values: Vec<Exp> =
            values.into_iter().map(|value| self.bind(value, "next", out)).collect();
        let mut cond = cond.clone();
        change_exp(&mut cond, &mut |exp| {
            if let Exp::Var(var) = exp
                && let Some(at) = carried.iter().position(|c| c.var == *var)
            {
                *exp = values[at].clone();
            }
        });
        let left = left.and_then(|left| carried.iter().position(|c| c.var == left));
        let any_left = left.map(|at| Exp::bin(BinOp::Gt, values[at].clone(), Exp::u32(0)));
        let span = self.span;
        if steers {
            // Poisoned invocations compute it too, so it does not stand in the branch with its checks.
            let mut checks = Vec::new();
            self.exp(cond.clone(), &mut checks);
            let has_value = control_dependence::has_value(&cond, &self.types);
            let mut go =
                Exp::bin(BinOp::And, has_value, control_dependence::total(cond, &self.types));
            match any_left {
                Some(any_left) => {
                    go = Exp::bin(BinOp::And, any_left.clone(), go);
                    let branch = If { cond: any_left, then: checks, orelse: Vec::new() };
                    out.push(Stm { span, kind: Kind::If(branch) });
                }
                None => out.append(&mut checks),
            }
            return (values, self.bind(go, "go", out));
        }
        let Some(any_left) = any_left else {
            let cond = self.exp(cond, out);
            return (values, self.bind(cond, "go", out));
        };
        let mut then = Vec::new();
        let holds = self.exp(cond, &mut then);
        let go = self.names.fresh("goes_on");
        self.types.enter(go, &BOOL);
        then.push(Stm { span, kind: Kind::Store(Place::Var(go), holds) });
        out.push(Stm { span, kind: Kind::Var(go, BOOL, None) });
        out.push(Stm { span, kind: Kind::If(If { cond: any_left, then, orelse: Vec::new() }) });
        (values, self.bind(Exp::load(Place::Var(go)), "go", out))
    }

    /// A name for the value of `exp`.
    fn bind(&mut self, exp: Exp, wish: &'static str, out: &mut Block) -> Exp {
        if matches!(exp, Exp::Var(_) | Exp::Lit(_)) {
            return exp;
        }
        let var = self.names.fresh(wish);
        let ty = self.types.exp(&exp);
        self.types.enter(var, &ty);
        out.push(Stm { span: self.span, kind: Kind::Let(var, ty, exp) });
        Exp::Var(var)
    }

    fn check(&mut self, cause: Cause, operands: Vec<Exp>, out: &mut Block) {
        let site = Site { span: self.span, cause };
        let next = self.sites.len() as u32;
        let number = *self.numbers.entry(site).or_insert(next);
        if number == next {
            self.sites.push(site);
        }
        let path = self.path.iter().map(|var| Exp::Var(*var)).collect();
        let check = Check { site: number, operands, path, order: None };
        out.push(Stm { span: self.span, kind: Kind::Check(check) });
    }

    /// Looks at the blocks that `exp` makes up: one that is not a part of another is refused,
    /// one that is gets a test that there is such a part.
    fn made_up(&mut self, exp: &Exp, out: &mut Block) {
        let mut outside = Vec::new();
        let mut refused = false;
        visit::exp(exp, &mut |part| {
            if let Exp::Block(element, parts) = part {
                match self.rest(*element, parts) {
                    Some(Rest::None) => {}
                    Some(Rest::Outside(cond)) => outside.push(cond),
                    None => refused = true,
                }
            }
        });
        if refused && self.refused.is_none() {
            self.refused = Some(Refused {
                span: self.span,
                statement: "block(…)".to_owned(),
                reason: "a block that a kernel makes up".to_owned(),
                second: None,
            });
        }
        for cond in outside {
            let mut give_up = Vec::new();
            self.check(Cause::Width, Vec::new(), &mut give_up);
            let kind = Kind::If(If { cond, then: give_up, orelse: Vec::new() });
            out.push(Stm { span: self.span, kind });
        }
    }

    /// `block(T, 0, 0)`, or `block(T, base(b) + k, length(b) - l)`.
    fn rest(&self, element: Element, parts: &[Exp; 2]) -> Option<Rest> {
        let [Exp::Bin(BinOp::Add, start), Exp::Bin(BinOp::Sub, end)] = parts else {
            return (*parts == [Exp::u32(0), Exp::u32(0)]).then_some(Rest::None);
        };
        let ([base, from], [length, less]) = (&**start, &**end);
        let (Exp::Base(block), Exp::Length(same)) = (base, length) else { return None };
        let Ty::Block(of) = self.types.exp(block) else { return None };
        let total = |exp: &Exp| !partial(exp, &self.types);
        if block != same
            || Region::of(element) != Region::of(of)
            || element.words() > of.words()
            || !total(block)
            || !total(from)
            || !total(less)
        {
            return None;
        }
        let beyond = Exp::bin(BinOp::Lt, length.clone(), less.clone());
        if from == less || *from == Exp::u32(0) {
            return Some(Rest::Outside(beyond));
        }
        // Where this wraps, there are not so many elements.
        let words = Exp::bin(BinOp::Mul, less.clone(), Exp::u32(element.words()));
        let before = Exp::bin(BinOp::Lt, words, from.clone());
        Some(Rest::Outside(Exp::bin(BinOp::Or, beyond, before)))
    }

    /// Puts the elements that pointers into blocks point to where these stand.
    fn follow_pointers(&self, exp: &mut Exp) {
        if self.elements.is_empty() {
            return;
        }
        change_exp(exp, &mut |part| {
            if let Exp::Load(place) | Exp::Ref(place) = part
                && let Place::Deref(Exp::Var(pointer)) = &**place
                && let Some(element) = self.elements.get(pointer)
            {
                **place = element.clone();
            }
        });
    }

    fn exp(&mut self, mut exp: Exp, out: &mut Block) -> Exp {
        self.expose(&mut exp, out);
        exp
    }

    /// Puts the checks of an expression in front of it.
    fn expose(&mut self, exp: &mut Exp, out: &mut Block) {
        if matches!(exp, Exp::Lit(_) | Exp::Var(_)) {
            return;
        }
        self.follow_pointers(exp);
        let (mut sticks, mut makes_up) = (false, false);
        visit::exp(exp, &mut |part| {
            sticks |= may_stick(part, &self.types);
            makes_up |= matches!(part, Exp::Block(..));
        });
        if makes_up {
            self.made_up(exp, out);
        }
        if sticks {
            *exp = self.exposed(take(exp), out);
        }
    }

    /// Puts the checks of the place that a statement writes to in front of it. If it is an element of a block, the
    /// check that it is inside belongs to the access: its operands are for [`accessed`](Self::accessed).
    fn expose_place(&mut self, place: &mut Place, out: &mut Block) -> Option<Vec<Exp>> {
        if let Place::Var(_) = place {
            return None;
        }
        let nowhere = Place::Deref(Exp::u32(0));
        match std::mem::replace(place, nowhere) {
            Place::Element(block, index) => {
                let (block, index) = self.element_of(block, index, out);
                let length = Exp::Length(Box::new(block.clone()));
                let operands = vec![index.clone(), length];
                *place = Place::Element(block, index);
                Some(operands)
            }
            other => {
                *place = self.place(other, out);
                None
            }
        }
    }

    /// The check of an access, behind those of all that its statement evaluates.
    fn accessed(&mut self, access: Option<Vec<Exp>>, out: &mut Block) {
        if let Some(operands) = access {
            self.check(Cause::OutsideBlock, operands, out);
        }
    }

    /// A block and an index in it, both names or literals.
    fn element_of(&mut self, block: Exp, index: Exp, out: &mut Block) -> (Exp, Exp) {
        let block = self.exp(block, out);
        let block = self.bind(block, "block", out);
        let index = self.exp(index, out);
        (block, self.bind(index, "index", out))
    }

    fn part(&mut self, exp: Exp, out: &mut Block) -> Exp {
        if partial(&exp, &self.types) { self.exposed(exp, out) } else { exp }
    }

    /// The same with its checks in front, of what can get stuck.
    fn exposed(&mut self, exp: Exp, out: &mut Block) -> Exp {
        let mut inner = |part: Box<Exp>| Box::new(self.part(*part, out));
        match exp {
            Exp::Lit(_) | Exp::Var(_) | Exp::Builtin(_) => exp,
            Exp::Un(op, a) => Exp::Un(op, inner(a)),
            Exp::Bin(op, ab) => {
                let [a, b] = ab.map(|part| self.part(part, out));
                self.division(op, a, b, out)
            }
            Exp::Select(parts) => Exp::Select(Box::new(parts.map(|part| self.part(part, out)))),
            Exp::Cast(sc, a) => Exp::Cast(sc, inner(a)),
            Exp::Bitcast(sc, a) => Exp::Bitcast(sc, inner(a)),
            Exp::Make(made) => {
                let (ty, parts) = *made;
                Exp::make(ty, parts.into_iter().map(|part| self.part(part, out)).collect())
            }
            Exp::At(parts) => {
                let [array, index] = parts.map(|part| self.part(part, out));
                let ty = self.types.exp(&array);
                Exp::at(array, self.index(&ty, index, out))
            }
            Exp::Field(value, field) => Exp::Field(inner(value), field),
            Exp::Load(place) => Exp::Load(Box::new(self.place(*place, out))),
            Exp::Ref(place) => Exp::Ref(Box::new(self.place(*place, out))),
            Exp::Length(a) => Exp::Length(inner(a)),
            Exp::Base(a) => Exp::Base(inner(a)),
            Exp::Block(element, parts) => {
                Exp::Block(element, Box::new(parts.map(|part| self.part(part, out))))
            }
        }
    }

    fn division(&mut self, op: BinOp, a: Exp, b: Exp, out: &mut Block) -> Exp {
        let whole = Exp::bin(op, a, b);
        if !may_stick(&whole, &self.types) {
            return whole;
        }
        let Exp::Bin(op, ab) = whole else { unreachable!("it was just made") };
        let [a, b] = *ab;
        let (a, b) = (self.bind(a, "dividend", out), self.bind(b, "divisor", out));
        if !is_nonzero(&b) {
            self.check(Cause::DivisionByZero, vec![a.clone(), b.clone()], out);
        }
        Exp::bin(op, a, b)
    }

    /// An index of an array or vector of type `ty`.
    fn index(&mut self, ty: &Ty, index: Exp, out: &mut Block) -> Exp {
        let Some(extent) = extent(ty) else { return index };
        let index = self.bind(index, "index", out);
        self.check(Cause::OutsideBlock, vec![index.clone(), Exp::u32(extent)], out);
        index
    }

    fn place(&mut self, place: Place, out: &mut Block) -> Place {
        let sticks = place_may_stick(&place, &self.types);
        match place {
            Place::Var(_) => place,
            Place::Deref(Exp::Var(pointer)) if self.elements.contains_key(&pointer) => {
                self.elements[&pointer].clone()
            }
            Place::Deref(pointer) => Place::Deref(self.exp(pointer, out)),
            Place::Element(block, index) => {
                let (block, index) = self.element_of(block, index, out);
                let length = Exp::Length(Box::new(block.clone()));
                self.check(Cause::OutsideBlock, vec![index.clone(), length], out);
                Place::Element(block, index)
            }
            Place::At(array, index) => {
                let ty = self.types.place(&array);
                let array = self.place(*array, out);
                let mut index = self.exp(index, out);
                let here = Place::At(Box::new(array), index.clone());
                if sticks && place_may_stick(&here, &self.types) {
                    index = self.index(&ty, index, out);
                }
                let Place::At(array, _) = here else { unreachable!("it was just made") };
                Place::At(array, index)
            }
            Place::Field(value, field) => Place::Field(Box::new(self.place(*value, out)), field),
        }
    }
}

/// How a loop ends besides by its condition.
#[derive(Clone, Copy)]
struct Ends {
    /// The carried variable that says how much fuel is left, if it has any.
    left: Option<Var>,
    /// Does how often it goes round say which barriers are come to?
    steers: bool,
}

/// Does it make up a block?
fn makes_up(exp: &Exp) -> bool {
    any_exp(exp, &mut |part| matches!(part, Exp::Block(..)))
}

/// A block that is made up.
enum Rest {
    /// No block.
    None,
    /// A part of a block, but where this holds.
    Outside(Exp),
}
