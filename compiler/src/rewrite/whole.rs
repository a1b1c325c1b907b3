//! A whole program of plans: it tests the sizes that they were made for, and runs the original for
//! others.
//!
//! - Where only a part of a program could be rewritten, the other parts are FUN programs of their
//!   own ([`cut`]), which somebody compiles to IMP. All are put one behind the other.
//! - Between two parts no two arrays that live share a block, and each is row-major: as a parameter
//!   of a program is. A part whose result is otherwise has it copied.
//! - The results stand behind the choice, so what differs in the two branches is a variable.

pub mod cut;
mod graft;

use graft::{Given, Grafted, each, graft};
use reference::fun::syntax::{self as fun, Atom, Fun, Se};
use reference::imp::syntax::{Kind, Output, Program, Stm, Ty};
use reference::kit::names::{Names, Var};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// A part of a FUN program in IMP.
pub struct Piece {
    /// The part.
    pub program: Program,
    /// What its parameters are in the FUN program, in their order.
    pub inputs: Vec<Var>,
    /// What its results are, in their order; `None` for one that nobody uses.
    pub outputs: Vec<Option<Var>>,
    /// Where it stands, if its statements have no places in the FUN program.
    pub span: Option<Span>,
    /// The arrays of the FUN program that something behind it uses.
    pub alive: FxHashSet<Var>,
}

/// The program that runs the `pieces`, one behind the other, if the parameters in `fixed` have these
/// numbers, and `original` else. It takes what `original` takes: a parameter for each of `source`.
///
/// # Errors
/// A piece takes what no piece before it gives, which is a mistake of who made it.
pub fn whole(
    source: &fun::Program<Fun>,
    pieces: &[Piece],
    original: &Program,
    fixed: &[(String, i32)],
) -> Result<Program, String> {
    let mut names = original.names.clone();
    let numbers = numbers(source, original, fixed);
    let span = original.body.first().map(|stm| stm.span).unwrap_or_default();
    let mut to = Writer { source, names: &mut names, numbers: &numbers, body: Vec::new(), span };
    let mut env = Env::default();
    for (param, own) in source.params.iter().zip(&original.params) {
        let value = match &own.shape {
            None => Val::Int(own.var.into()),
            Some(shape) => Val::Array { block: own.var, shape: shape.clone() },
        };
        env.insert(param.var, value);
    }
    for piece in pieces {
        to.piece(piece, &mut env)?;
    }
    let then = to.results(&env)?;
    let planned = std::mem::take(&mut to.body);
    let tests: Vec<Se> = numbers.iter().map(|(var, k)| Se::bin(BinOp::Eq, *var, *k)).collect();
    let Some(test) = tests.into_iter().reduce(|a, b| Se::bin(BinOp::And, a, b)) else {
        let params = original.params.clone();
        return Ok(Program { names, params, body: planned, results: then });
    };
    let (results, front, ends) = to.join(&then, &original.results);
    let same = to.names.fresh("same");
    let mut body = front;
    body.push(Stm { span, kind: Kind::Var(same, Ty::Int) });
    body.push(Stm { span, kind: Kind::Assign(same, test) });
    let [then, orelse] = ends;
    let then = planned.into_iter().chain(then).collect();
    let orelse = original.body.iter().cloned().chain(orelse).collect();
    body.push(Stm { span, kind: Kind::If { cond: same.into(), then, orelse } });
    Ok(Program { names, params: original.params.clone(), body, results })
}

/// The parameters that have these numbers.
fn numbers(
    source: &fun::Program<Fun>,
    original: &Program,
    fixed: &[(String, i32)],
) -> Vec<(Var, i32)> {
    let both = source.params.iter().zip(&original.params);
    let known = both.filter_map(|(param, own)| {
        let written = source.names.written(param.var);
        let (_, k) = fixed.iter().find(|(name, _)| name == written)?;
        Some((own.var, *k))
    });
    known.collect()
}

/// What a variable of the FUN program is here.
#[derive(Clone, Debug)]
enum Val {
    Int(Atom),
    /// A row-major array at the start of a block of its own.
    Array {
        block: Var,
        shape: Vec<Atom>,
    },
}

type Env = FxHashMap<Var, Val>;

struct Writer<'a> {
    source: &'a fun::Program<Fun>,
    names: &'a mut Names,
    /// Parameters whose numbers are known.
    numbers: &'a [(Var, i32)],
    body: Vec<Stm>,
    span: Span,
}

impl Writer<'_> {
    fn push(&mut self, kind: Kind) {
        self.body.push(Stm { span: self.span, kind });
    }

    fn declare(&mut self, wish: &'static str, ty: Ty) -> Var {
        let var = self.names.fresh(wish);
        self.push(Kind::Var(var, ty));
        var
    }

    /// The number that a scalar has when the parameters have theirs.
    fn number(&self, se: &Se) -> Option<i32> {
        match se {
            Se::Atom(Atom::Const(k)) => Some(*k),
            Se::Atom(Atom::Var(var)) => {
                self.numbers.iter().find(|(of, _)| of == var).map(|(_, k)| *k)
            }
            Se::Bin(op, operands) => {
                op.checked(self.number(&operands[0])?, self.number(&operands[1])?)
            }
        }
    }

    fn equal(&self, a: &Se, b: &Se) -> bool {
        a == b || self.number(a).is_some_and(|k| self.number(b) == Some(k))
    }

    fn piece(&mut self, piece: &Piece, env: &mut Env) -> Result<(), String> {
        let given: Vec<Given> =
            piece.inputs.iter().map(|var| self.given(*var, env)).collect::<Result<_, _>>()?;
        self.span =
            piece.span.or_else(|| Some(piece.program.body.first()?.span)).unwrap_or(self.span);
        let Grafted { body, results } = graft(&piece.program, &given, piece.span, self.names);
        self.body.extend(body);
        let alive = |var: &Var| match env.get(var) {
            Some(Val::Array { block, .. }) => Some(*block),
            _ => None,
        };
        // Blocks that stay somebody else's.
        let mut taken: FxHashSet<Var> = piece.alive.iter().filter_map(alive).collect();
        let sources = Sources::of(&self.body);
        for (output, result) in piece.outputs.iter().zip(results) {
            let Some(var) = output else { continue };
            let value = match result {
                Output::Int(atom) => Val::Int(atom),
                Output::Array { block, shape, offset, strides } => {
                    let from = sources.blocks(block);
                    let shared = from.iter().any(|block| taken.contains(block));
                    let block = match shared || !self.is_row_major(&shape, &offset, &strides) {
                        true => self.copied(block, &shape, &offset, &strides),
                        false => block,
                    };
                    taken.insert(block);
                    taken.extend(from);
                    Val::Array { block, shape }
                }
            };
            env.insert(*var, value);
        }
        Ok(())
    }

    fn given(&self, var: Var, env: &Env) -> Result<Given, String> {
        match env.get(&var) {
            Some(Val::Int(atom)) => Ok(Given::Int(*atom)),
            Some(Val::Array { block, .. }) => Ok(Given::Block(*block)),
            None => match self.as_size(var, env) {
                Some(size) => Ok(Given::Int(size)),
                None => Err(format!("{} is not computed", self.source.names.written(var))),
            },
        }
    }

    /// An int that no part gives, but that is a size of an array that one gives.
    fn as_size(&self, var: Var, env: &Env) -> Option<Atom> {
        let arrays = cut::bound(self.source).into_iter().filter_map(|(array, ty)| match ty {
            fun::Ty::Array(sizes) => Some((array, sizes)),
            fun::Ty::Int => None,
        });
        let mut found = arrays.filter_map(|(array, sizes)| match env.get(&array)? {
            Val::Array { shape, .. } => {
                let at = sizes.iter().position(|size| size.var() == Some(var))?;
                shape.get(at).copied()
            }
            Val::Int(_) => None,
        });
        found.next()
    }

    fn is_row_major(&self, shape: &[Atom], offset: &Se, strides: &[Se]) -> bool {
        let mut below = Se::from(1);
        let rows = shape.iter().zip(strides).rev().all(|(size, stride)| {
            let same = self.equal(stride, &below);
            below = match self.number(&below) {
                Some(1) => Se::from(*size),
                _ => Se::bin(BinOp::Mul, *size, below.clone()),
            };
            same
        });
        rows && self.number(offset) == Some(0)
    }

    /// A block of its own with the elements of an array, row-major.
    fn copied(&mut self, from: Var, shape: &[Atom], offset: &Se, strides: &[Se]) -> Var {
        let to = self.declare("copy", Ty::Mem);
        let length = shape.iter().fold(Se::from(1), |n, size| Se::bin(BinOp::Mul, n, *size));
        self.push(Kind::Alloc(to, length));
        let rounds: Vec<Var> = shape.iter().map(|_| self.names.fresh("i")).collect();
        let (mut source, mut target) = (offset.clone(), Se::from(0));
        for ((round, stride), size) in rounds.iter().zip(strides).zip(shape) {
            let at = Se::bin(BinOp::Sub, *round, 1);
            source = Se::bin(BinOp::Add, source, Se::bin(BinOp::Mul, at.clone(), stride.clone()));
            target = Se::bin(BinOp::Add, Se::bin(BinOp::Mul, target, *size), at);
        }
        let span = self.span;
        let element = self.names.fresh("x");
        let at = |kind| Stm { span, kind };
        let mut body = vec![
            at(Kind::Var(element, Ty::Int)),
            at(Kind::Read { into: element, block: from, offset: source }),
            at(Kind::Write { block: to, offset: target, value: element.into() }),
        ];
        for (nth, (round, size)) in rounds.iter().zip(shape).enumerate().rev() {
            let (round, count) = (*round, Se::from(*size));
            let kind = match nth {
                0 => Kind::Kernel { thread: round, count, body },
                _ => Kind::For { counter: round, count, body },
            };
            body = vec![at(kind)];
        }
        self.body.extend(body);
        to
    }

    /// The results of the FUN program.
    fn results(&self, env: &Env) -> Result<Vec<Output>, String> {
        let result = |atom: &Atom| match atom.var() {
            None => Ok(Output::Int(*atom)),
            Some(var) => match env.get(&var) {
                Some(Val::Int(atom)) => Ok(Output::Int(*atom)),
                Some(Val::Array { block, shape }) => {
                    let mut strides = vec![Se::from(1); shape.len()];
                    for nth in (1..shape.len()).rev() {
                        strides[nth - 1] = match self.number(&strides[nth]) {
                            Some(1) => Se::from(shape[nth]),
                            _ => Se::bin(BinOp::Mul, shape[nth], strides[nth].clone()),
                        };
                    }
                    let (block, shape) = (*block, shape.clone());
                    Ok(Output::Array { block, shape, offset: Se::from(0), strides })
                }
                None => match self.as_size(var, env) {
                    Some(size) => Ok(Output::Int(size)),
                    None => Err(format!("{} is not computed", self.source.names.written(var))),
                },
            },
        };
        self.source.body.results.iter().map(result).collect()
    }

    /// The results behind a choice between two ways to have them, the declarations that they need, and
    /// the assignments at the end of each.
    fn join(
        &mut self,
        then: &[Output],
        orelse: &[Output],
    ) -> (Vec<Output>, Vec<Stm>, [Vec<Stm>; 2]) {
        let mut ends = [Vec::new(), Vec::new()];
        let mut results = Vec::new();
        for (a, b) in then.iter().zip(orelse) {
            results.push(match (a, b) {
                (Output::Int(a), Output::Int(b)) => {
                    let [a, b] = [*a, *b].map(Se::from);
                    Output::Int(self.either("out", a, b, &mut ends))
                }
                (
                    Output::Array { block, shape, offset, strides },
                    Output::Array {
                        block: b,
                        shape: shape_b,
                        offset: offset_b,
                        strides: strides_b,
                    },
                ) => {
                    let out = self.declare("out_mem", Ty::Mem);
                    for (end, block) in ends.iter_mut().zip([*block, *b]) {
                        end.push(Stm { span: self.span, kind: Kind::AssignMem(out, block) });
                    }
                    let sizes = shape.iter().zip(shape_b);
                    let sizes = sizes
                        .map(|(a, b)| self.either("size", Se::from(*a), Se::from(*b), &mut ends));
                    let shape = sizes.collect();
                    let offset =
                        self.either("offset", offset.clone(), offset_b.clone(), &mut ends).into();
                    let both = strides.iter().zip(strides_b);
                    let strides = both.map(|(a, b)| {
                        self.either("stride", a.clone(), b.clone(), &mut ends).into()
                    });
                    let strides = strides.collect();
                    Output::Array { block: out, shape, offset, strides }
                }
                (a, _) => a.clone(),
            });
        }
        (results, std::mem::take(&mut self.body), ends)
    }

    /// What is the one scalar in the one branch, and the other in the other one.
    fn either(&mut self, wish: &'static str, a: Se, b: Se, ends: &mut [Vec<Stm>; 2]) -> Atom {
        if let Se::Atom(atom) = &b
            && self.number(&b).is_some()
            && self.equal(&a, &b)
        {
            return *atom;
        }
        let out = self.declare(wish, Ty::Int);
        for (end, se) in ends.iter_mut().zip([a, b]) {
            end.push(Stm { span: self.span, kind: Kind::Assign(out, se) });
        }
        out.into()
    }
}

/// From which blocks a block variable may come.
struct Sources(FxHashMap<Var, Vec<Var>>);

impl Sources {
    fn of(stms: &[Stm]) -> Self {
        let mut from: FxHashMap<Var, Vec<Var>> = FxHashMap::default();
        each(stms, &mut |kind| {
            if let Kind::AssignMem(x, y) = kind {
                from.entry(*x).or_default().push(*y);
            }
        });
        Sources(from)
    }

    /// The variables whose block it may be.
    fn blocks(&self, block: Var) -> FxHashSet<Var> {
        let mut all = FxHashSet::from_iter([block]);
        let mut open = vec![block];
        while let Some(next) = open.pop() {
            let from = self.0.get(&next).into_iter().flatten();
            open.extend(from.filter(|of| all.insert(**of)));
        }
        all
    }
}
