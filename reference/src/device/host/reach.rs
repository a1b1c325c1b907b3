//! Which blocks the host frees at the end of a round of a loop: those that no variable reaches.

use super::values::{Env, Value};
use crate::device::arena::Region;
use crate::device::parts::Statement;
use crate::device::syntax::{Exp, Host, HostBlock, Lit, Program, Ty};
use crate::device::visit;
use crate::kit::names::Var;
use crate::kit::scalar::BinOp;

/// The variables of the host that may hold blocks, in a program whose blocks are reached by variables
/// only.
pub(super) struct Reach {
    holders: Vec<Var>,
}

impl Reach {
    /// Of a program in which a loop of the host allocates; `records` hold the records of launches.
    ///
    /// `None` if no loop does, or if it could be observed that blocks are freed:
    ///
    /// - The program frees a block other than a record. A variable may hold that block still, and it depends
    ///   on the places of later blocks what it stands for then.
    /// - A number keeps the base of a block, or a block is made of numbers. A base may only be compared with
    ///   0, or be where a part of the block starts: `block(T, base(b) + e, e')`.
    pub(super) fn of(program: &Program, records: &[Var]) -> Option<Self> {
        let mut seen =
            Seen { records, loops: 0, allocates: false, frees: false, holders: Vec::new() };
        seen.host(&program.host);
        if !seen.allocates || seen.frees || keeps_bases(program) {
            return None;
        }
        let params = program.params.iter().filter(|param| param.is_block());
        seen.holders.extend(params.map(|param| param.var));
        Some(Self { holders: seen.holders })
    }

    /// The addresses of the blocks that variables hold, and of the parts of blocks, in order.
    pub(super) fn addresses(&self, env: &Env) -> Vec<u32> {
        let address = |var: &Var| match env.bound(*var)? {
            Value::Block(element, base, _) => Some(Region::of(element).address(base)),
            Value::Scalar(..) => None,
        };
        let mut all: Vec<u32> = self.holders.iter().filter_map(address).collect();
        all.sort_unstable();
        all
    }
}

/// What was seen of the host so far.
struct Seen<'r> {
    records: &'r [Var],
    /// Loops around the statement at hand.
    loops: u32,
    /// Is there an allocation in a loop?
    allocates: bool,
    /// Is a block freed that is no record?
    frees: bool,
    holders: Vec<Var>,
}

impl Seen<'_> {
    fn host(&mut self, body: &HostBlock) {
        for stm in body {
            match &stm.kind {
                Host::Let(var, Ty::Block(_), _) => self.holders.push(*var),
                Host::Alloc { block, .. } => {
                    self.allocates |= self.loops > 0 && !self.records.contains(block);
                    self.holders.push(*block);
                }
                Host::Free(Exp::Var(var)) => self.frees |= !self.records.contains(var),
                Host::Free(_) => self.frees = true,
                Host::Loop(rounds) => {
                    let blocks = rounds.carried.iter();
                    let blocks = blocks.filter(|carried| matches!(carried.ty, Ty::Block(_)));
                    self.holders.extend(blocks.map(|carried| carried.var));
                }
                _ => {}
            }
            let rounds = u32::from(matches!(stm.kind, Host::Loop(_)));
            self.loops += rounds;
            stm.kind.blocks().into_iter().for_each(|inner| self.host(inner));
            self.loops -= rounds;
        }
    }
}

/// May a number keep the base of a block, or a block be made of numbers?
fn keeps_bases(program: &Program) -> bool {
    // Each base has one expression around it at most, so it is enough to count.
    let (mut bases, mut harmless, mut made) = (0, 0, false);
    let zero = Exp::Lit(Lit::U32(0));
    visit::program(program, &mut |exp| match exp {
        Exp::Base(_) => bases += 1,
        Exp::Bin(BinOp::Eq | BinOp::Ne, parts) => {
            let [a, b] = &**parts;
            let compared = matches!(a, Exp::Base(_)) && *b == zero;
            harmless += i32::from(compared || matches!(b, Exp::Base(_)) && *a == zero);
        }
        Exp::Block(_, parts) => match &parts[0] {
            Exp::Base(_) => harmless += 1,
            Exp::Bin(BinOp::Add, sum) if matches!(sum[0], Exp::Base(_)) => harmless += 1,
            base => made |= *base != zero,
        },
        _ => {}
    });
    made || bases != harmless
}
