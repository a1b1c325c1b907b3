//! The types of the operators: figure 3, and those of scalars.

use super::Infer;
use super::instances::Poly;
use super::terms::{GENERIC, Gamma, Kind, LevelNode, Node, Ty};
use crate::fcl::syntax::Op;
use std::rc::Rc;

impl Infer<'_, '_> {
    /// The scheme of an operator.
    pub(super) fn operator(&mut self, op: Op) -> Rc<Poly> {
        if let Some(poly) = &self.figure[op as usize] {
            return Rc::clone(poly);
        }
        let poly = Rc::new(self.made(op));
        self.figure[op as usize] = Some(Rc::clone(&poly));
        poly
    }

    fn made(&mut self, op: Op) -> Poly {
        let [int, double, bool] =
            [Node::Int, Node::Double, Node::Bool].map(|it| self.arena.add(it));
        match op {
            Op::Add | Op::Sub | Op::Mul | Op::Div | Op::Mod | Op::Min | Op::Max => {
                self.scalars(&[int, int], int)
            }
            Op::And | Op::Or | Op::Xor | Op::Sll | Op::Srl => self.scalars(&[int, int], int),
            Op::Eq | Op::Neq | Op::Lt | Op::Le | Op::Gt | Op::Ge => self.scalars(&[int, int], bool),
            Op::Neg | Op::Abs | Op::Sign | Op::Clz => self.scalars(&[int], int),
            Op::AddD | Op::SubD | Op::MulD | Op::DivD | Op::MinD | Op::MaxD => {
                self.scalars(&[double, double], double)
            }
            Op::NegD | Op::AbsD => self.scalars(&[double], double),
            Op::EqD | Op::LtD | Op::LeD => self.scalars(&[double, double], bool),
            Op::I2d => self.scalars(&[int], double),
            Op::D2i => self.scalars(&[double], int),
            Op::B2i => self.scalars(&[bool], int),
            Op::Not => self.scalars(&[bool], bool),
            Op::BlockSize | Op::WarpSize => self.scalars(&[], int),
            Op::Fst | Op::Snd => self.pairs(op),
            Op::Generate | Op::Index | Op::LengthPull | Op::MapPull => self.pulls(op, int),
            _ => self.pushes(op, int, bool),
        }
    }

    /// `τ -> … -> τ`
    fn function(&mut self, from: &[Ty], to: Ty) -> Ty {
        from.iter().rfold(to, |to, from| self.arena.add(Node::Fn(*from, to)))
    }

    fn scalars(&mut self, from: &[Ty], to: Ty) -> Poly {
        Poly { ty: self.function(from, to), types: Vec::new(), levels: Vec::new() }
    }

    fn generic(&mut self, kind: Kind) -> Ty {
        self.arena.add(Node::Var { kind, origin: None, rank: GENERIC, rigid: None })
    }

    /// `fst : (α, β) -> α`, `snd : (α, β) -> β`
    fn pairs(&mut self, op: Op) -> Poly {
        let types = vec![self.generic(Kind::Typ), self.generic(Kind::Typ)];
        let pair = self.arena.add(Node::Pair(types[0], types[1]));
        let part = if op == Op::Fst { types[0] } else { types[1] };
        Poly { ty: self.function(&[pair], part), types, levels: Vec::new() }
    }

    /// ```text
    /// lengthPull : [α] -> int              generate : int -> (int -> α) -> [α]
    /// mapPull : (α -> β) -> [α] -> [β]     index : [α] -> int -> α
    /// ```
    /// with `α`, `β` : GT
    fn pulls(&mut self, op: Op, int: Ty) -> Poly {
        let a = self.generic(Kind::Gt);
        let pull = self.arena.add(Node::Pull(a));
        let mut types = vec![a];
        let ty = match op {
            Op::LengthPull => self.function(&[pull], int),
            Op::Generate => {
                let f = self.function(&[int], a);
                self.function(&[int, f], pull)
            }
            Op::Index => self.function(&[pull, int], a),
            _ => {
                let b = self.generic(Kind::Gt);
                types.push(b);
                let (f, mapped) = (self.function(&[a], b), self.arena.add(Node::Pull(b)));
                self.function(&[f, pull], mapped)
            }
        };
        Poly { ty, types, levels: Vec::new() }
    }

    /// ```text
    /// lengthPush : [α]<l> -> int           mapPush : (α -> β) -> [α]<l> -> [β]<l>
    /// push : <l> -> [α] -> [α]<l>          force : [α]<l> -> [α]
    /// while : ([α] -> bool) -> ([α] -> [α]<l>) -> [α]<l> -> [α]
    /// concat : int -> [[α]<l>] -> [α]<1+l>
    /// interleave : int -> ((int, int) -> int) -> [[α]<l>] -> [α]<1+l>
    /// ```
    /// with `α`, `β` : BT
    fn pushes(&mut self, op: Op, int: Ty, bool: Ty) -> Poly {
        let bound = op == Op::Push;
        let level = if bound { LevelNode::Bound } else { LevelNode::Free { rank: GENERIC } };
        let level = self.arena.add_level(level);
        let (mut types, levels) = (vec![self.generic(Kind::Bt)], vec![level; usize::from(!bound)]);
        let at = Gamma::of(level);
        let pull = self.arena.add(Node::Pull(types[0]));
        let push = self.arena.add(Node::Push(types[0], at));
        let ty = match op {
            Op::LengthPush => self.function(&[push], int),
            Op::MapPush => {
                types.push(self.generic(Kind::Bt));
                let f = self.function(&types[..1], types[1]);
                let mapped = self.arena.add(Node::Push(types[1], at));
                self.function(&[f, push], mapped)
            }
            Op::Push => {
                let pushed = self.function(&[pull], push);
                self.arena.add(Node::LevelFn(level, pushed))
            }
            Op::Force => self.function(&[push], pull),
            Op::While => {
                let (cond, step) = (self.function(&[pull], bool), self.function(&[pull], push));
                self.function(&[cond, step, push], pull)
            }
            _ => {
                let chunks = self.arena.add(Node::Pull(push));
                let all = self.arena.add(Node::Push(types[0], at.above()));
                if op == Op::Concat {
                    self.function(&[int, chunks], all)
                } else {
                    let place = self.arena.add(Node::Pair(int, int));
                    let order = self.function(&[place], int);
                    self.function(&[int, order, chunks], all)
                }
            }
        };
        Poly { ty, types, levels }
    }
}
