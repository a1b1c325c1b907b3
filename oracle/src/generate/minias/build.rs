//! What programs are built of: types, expressions, and what is in scope.

use super::{Draw, Written};
use reference::kit::names::{Names, Var};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use reference::minias::syntax::{
    Builtin, Exp, Kind, Op, Space, SpaceAt, Stmt, StmtKind, Type, UnOp, Written as Way,
};

/// What is in scope.
#[derive(Clone, Default)]
pub(super) struct Scope {
    /// Ints that may be assigned to.
    pub(super) ints: Vec<Var>,
    /// Ints of loops, which may not.
    pub(super) counters: Vec<Var>,
    /// Pointers to the first cell of a region.
    pub(super) written: Vec<Written>,
    /// Pointers that are written and stand anywhere in a region: results of casts.
    pub(super) cast: Vec<Written>,
    /// Pointers whose space is elided.
    pub(super) elided: Vec<Var>,
    /// Arrays of two such pointers.
    pub(super) arrays: Vec<Var>,
}

/// A program that is being built.
pub(super) struct Build<'u, 'b> {
    pub(super) draw: Draw<'u, 'b>,
    pub(super) names: Names,
    pub(super) scope: Scope,
    outer: Vec<Scope>,
    /// The functions so far, and whether their results are pointers.
    pub(super) functions: Vec<(Var, bool)>,
    /// Arrays of four ints in constant memory.
    pub(super) constants: Vec<Var>,
    spans: u32,
}

fn at(span: Span, written: Way) -> SpaceAt {
    SpaceAt { span, written }
}

/// `int`
pub(super) fn int(span: Span) -> Type {
    Type { span, void: false, stars: Vec::new(), lies: at(span, Way::Elided) }
}

/// `constant int`
pub(super) fn constant_int(span: Span) -> Type {
    Type { lies: at(span, Way::Name(Space::Constant)), ..int(span) }
}

/// `int *`
pub(super) fn elided_pointer(span: Span) -> Type {
    Type { stars: vec![at(span, Way::Elided)], ..int(span) }
}

/// `global int *`
pub(super) fn pointer_to(span: Span, space: Space) -> Type {
    Type { stars: vec![at(span, Way::Name(space))], ..int(span) }
}

const OPS: [BinOp; 9] = [
    BinOp::Add,
    BinOp::Sub,
    BinOp::Mul,
    BinOp::And,
    BinOp::Or,
    BinOp::Xor,
    BinOp::Lt,
    BinOp::Eq,
    BinOp::Ge,
];

impl<'u, 'b> Build<'u, 'b> {
    pub(super) fn new(draw: Draw<'u, 'b>) -> Self {
        Build {
            draw,
            names: Names::new(),
            scope: Scope::default(),
            outer: Vec::new(),
            functions: Vec::new(),
            constants: Vec::new(),
            spans: 0,
        }
    }

    /// The place of the next statement.
    pub(super) fn span(&mut self) -> Span {
        self.spans += 1;
        Span::nth(self.spans)
    }

    pub(super) fn stmt(&mut self, kind: StmtKind) -> Stmt {
        Stmt { span: self.span(), kind }
    }

    /// Opens a block.
    pub(super) fn enter(&mut self) {
        self.outer.push(self.scope.clone());
    }

    /// Closes it.
    pub(super) fn leave(&mut self) {
        self.scope = self.outer.pop().unwrap_or_default();
    }

    pub(super) fn exp(&mut self, kind: Kind) -> Exp {
        Exp { span: Span::nth(self.spans), kind }
    }

    pub(super) fn number(&mut self, k: i32) -> Exp {
        self.exp(Kind::Int(k))
    }

    pub(super) fn var(&mut self, var: Var) -> Exp {
        self.exp(Kind::Var(var))
    }

    pub(super) fn both(&mut self, op: BinOp, one: Exp, other: Exp) -> Exp {
        self.exp(Kind::Binary(Op::Scalar(op), Box::new(one), Box::new(other)))
    }

    /// An index of one of the first cells, `count` of them, a power of two.
    pub(super) fn index(&mut self, height: usize, count: i32) -> Exp {
        if height == 0 || self.draw.chance(50) {
            let k = self.draw.below(count as usize) as i32;
            return self.number(k);
        }
        let index = self.int(height - 1);
        let mask = self.number(count - 1);
        self.both(BinOp::And, index, mask)
    }

    /// An int.
    pub(super) fn int(&mut self, height: usize) -> Exp {
        if height == 0 || self.draw.is_spent() {
            return self.leaf();
        }
        match self.draw.weighed(&[20, 25, 25, 6, 6, 8, 10, 4]) {
            0 => self.leaf(),
            1 => {
                let (one, other) = (self.int(height - 1), self.int(height - 1));
                let op = self.draw.pick(&OPS);
                self.both(op, one, other)
            }
            2 => {
                let pointer = match self.constants.first() {
                    Some(array) if self.draw.chance(30) => {
                        Exp { span: Span::nth(self.spans), kind: Kind::Var(*array) }
                    }
                    _ => self.pointer(height - 1),
                };
                let index = self.index(height - 1, 4);
                let sum = self.both(BinOp::Add, pointer, index);
                self.exp(Kind::Load(Box::new(sum)))
            }
            3 => {
                let part = self.int(height - 1);
                let op = self.draw.pick(&[UnOp::Neg, UnOp::Not, UnOp::Flip]);
                self.exp(Kind::Unary(op, Box::new(part)))
            }
            4 => {
                let (one, k) = (self.int(height - 1), 1 + self.draw.below(7) as i32);
                let k = self.number(k);
                let op = self.draw.pick(&[BinOp::Div, BinOp::Rem]);
                self.both(op, one, k)
            }
            5 => match self.scope.elided.is_empty() {
                true => self.leaf(),
                false => {
                    let one = self.draw.pick(&self.scope.elided.clone());
                    let (one, other) = (self.var(one), self.pointer(height - 1));
                    let op = self.draw.pick(&[BinOp::Eq, BinOp::Ne]);
                    self.both(op, one, other)
                }
            },
            6 => self.call(false, height).unwrap_or_else(|| self.number(1)),
            _ => {
                let (one, other) = (self.int(height - 1), self.int(height - 1));
                let op = self.draw.pick(&[Op::And, Op::Or]);
                self.exp(Kind::Binary(op, Box::new(one), Box::new(other)))
            }
        }
    }

    fn leaf(&mut self) -> Exp {
        let ints: Vec<Var> = self.scope.ints.iter().chain(&self.scope.counters).copied().collect();
        match self.draw.weighed(&[40, 40, 20]) {
            1 if !ints.is_empty() => {
                let var = self.draw.pick(&ints);
                self.var(var)
            }
            2 => {
                let builtin = self.draw.pick(&Builtin::ALL);
                self.exp(Kind::Builtin(builtin))
            }
            _ => {
                let k = self.draw.between(-4, 20) as i32;
                self.number(k)
            }
        }
    }

    /// A pointer to one of the first four cells of a region.
    pub(super) fn pointer(&mut self, height: usize) -> Exp {
        let Scope { written, cast, elided, arrays, .. } = self.scope.clone();
        let fits = |some: bool, weight: u32| if some { weight } else { 0 };
        let weights = [
            fits(!written.is_empty(), 30),
            fits(!elided.is_empty(), 40),
            fits(!cast.is_empty(), 10),
            fits(!arrays.is_empty(), 25),
            fits(height > 0, 8),
            fits(height > 0 && self.functions.iter().any(|(_, pointer)| *pointer), 14),
        ];
        match self.draw.weighed(&weights) {
            1 if !elided.is_empty() => {
                let var = self.draw.pick(&elided);
                self.var(var)
            }
            2 => {
                let (var, _) = self.draw.pick(&cast);
                self.var(var)
            }
            3 => {
                let (array, index) = (self.draw.pick(&arrays), self.index(height.min(1), 2));
                let array = self.var(array);
                let sum = self.both(BinOp::Add, array, index);
                self.exp(Kind::Load(Box::new(sum)))
            }
            4 => {
                let condition = self.int(height - 1);
                let (one, other) = (self.pointer(height - 1), self.pointer(height - 1));
                self.exp(Kind::Cond(Box::new([condition, one, other])))
            }
            5 => self.call(true, height).expect("there is such a function"),
            _ if written.is_empty() => {
                let var = self.draw.pick(&elided);
                self.var(var)
            }
            _ => {
                let (var, _) = self.draw.pick(&written);
                let base = self.var(var);
                if self.draw.chance(50) {
                    let index = self.index(height.min(1), 4);
                    return self.both(BinOp::Add, base, index);
                }
                base
            }
        }
    }

    /// A call of a function whose result is a pointer, or an int.
    pub(super) fn call(&mut self, pointer: bool, height: usize) -> Option<Exp> {
        let functions: Vec<Var> =
            self.functions.iter().filter(|(_, is)| *is == pointer).map(|(name, _)| *name).collect();
        if functions.is_empty() {
            return None;
        }
        let name = self.draw.pick(&functions);
        let height = height.saturating_sub(1);
        let args = vec![self.pointer(height), self.pointer(height), self.int(height)];
        Some(self.exp(Kind::Call(name, args)))
    }
}
