//! `map_levels`: parallel loops become launches and loops.
//!
//! | | |
//! |---|---|
//! | before | `par` on the host, in kernels, and nested in itself; none in functions that are called |
//! | after | no `par`: one of the host is a kernel and a launch of as many invocations as it has iterations, with what it captures as parameters; any other is a loop |
//! | stuck | the same site |

use super::types::Types;
use super::walk::change_block;
use reference::device::levels;
use reference::device::syntax::{
    Block, Builtin, Carried, Exp, Host, HostBlock, I32, If, Kernel, Kind, Launch, Loop, Par,
    Program, Sc, Stm, U32,
};
use reference::kit::names::{Names, Wish};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

/// The pass; work groups are of `group` invocations.
pub fn map_levels(mut program: Program, group: u32) -> Program {
    let types = Types::of(&program);
    let mut map = Map {
        names: std::mem::take(&mut program.names),
        kernels: std::mem::take(&mut program.kernels),
        types,
        group,
    };
    for at in 0..map.kernels.len() {
        let body = std::mem::take(&mut map.kernels[at].body);
        map.kernels[at].body = map.block(body);
    }
    map.host(&mut program.host);
    program.names = map.names;
    program.kernels = map.kernels;
    program
}

struct Map {
    names: Names,
    kernels: Vec<Kernel>,
    types: Types,
    group: u32,
}

impl Map {
    fn host(&mut self, body: &mut HostBlock) {
        for stm in body {
            match &mut stm.kind {
                Host::If(branch) => {
                    self.host(&mut branch.then);
                    self.host(&mut branch.orelse);
                }
                Host::Loop(rounds) => self.host(&mut rounds.body),
                Host::Par(par) => stm.kind = Host::Launch(self.launch(stm.span, par)),
                _ => {}
            }
        }
    }

    fn launch(&mut self, span: Span, par: &mut Par) -> Launch {
        let captured = levels::captured(par);
        let mut params = Vec::new();
        for var in &captured {
            params.push((self.names.fresh(Wish::Like(*var)), self.types.var(*var).clone()));
        }
        let mut body = self.block(std::mem::take(&mut par.body));
        change_block(&mut body, &mut |exp| {
            if let Exp::Var(var) = exp
                && let Ok(at) = captured.binary_search(var)
            {
                *var = params[at].0;
            }
        });
        // The last work group has more invocations than there are iterations.
        let id = Exp::Builtin(Builtin::GlobalId);
        let thread = Kind::Let(par.var, I32, from_zero(id.clone()));
        body.insert(0, Stm { span, kind: thread });
        let cond = Exp::bin(BinOp::Lt, id, Exp::Builtin(Builtin::Invocations));
        let guarded = Kind::If(If { cond, then: body, orelse: Vec::new() });
        let number = self.kernels.len();
        self.kernels.push(Kernel {
            name: format!("kernel_{}", number + 1),
            params,
            group: self.group,
            workgroup: Vec::new(),
            private: Vec::new(),
            body: vec![Stm { span, kind: guarded }],
            record: None,
            span,
        });
        let args = captured.into_iter().map(Exp::Var).collect();
        let count = std::mem::replace(&mut par.count, Exp::i32(0));
        Launch { kernel: number as u32, count, args, record: None }
    }

    fn block(&mut self, body: Block) -> Block {
        let mut out = Vec::with_capacity(body.len());
        for Stm { span, kind } in body {
            let kind = match kind {
                Kind::If(mut branch) => {
                    branch.then = self.block(branch.then);
                    branch.orelse = self.block(branch.orelse);
                    Kind::If(branch)
                }
                Kind::Loop(mut rounds) => {
                    rounds.body = self.block(rounds.body);
                    Kind::Loop(rounds)
                }
                Kind::Par(par) => self.nested(span, par, &mut out),
                other => other,
            };
            out.push(Stm { span, kind });
        }
        out
    }

    /// `n` rounds; a round number below `n` never wraps.
    fn nested(&mut self, span: Span, par: Par, out: &mut Block) -> Kind {
        let count = self.names.fresh("n");
        let positive = Exp::bin(BinOp::Max, par.count, Exp::i32(0));
        let value = Exp::Cast(Sc::U32, Box::new(positive));
        out.push(Stm { span, kind: Kind::Let(count, U32, value) });
        let rounds = self.names.fresh("rounds");
        let thread = Kind::Let(par.var, I32, from_zero(Exp::Var(rounds)));
        let mut body = vec![Stm { span, kind: thread }];
        body.extend(self.block(par.body));
        Kind::Loop(Loop {
            carried: vec![Carried { var: rounds, ty: U32, init: Exp::u32(0) }],
            cond: Exp::bin(BinOp::Lt, Exp::Var(rounds), Exp::Var(count)),
            fuel: None,
            body,
            next: vec![Exp::bin(BinOp::Add, Exp::Var(rounds), Exp::u32(1))],
        })
    }
}

/// The iteration, from 1, that a number from 0 stands for.
fn from_zero(number: Exp) -> Exp {
    Exp::bin(BinOp::Add, Exp::Cast(Sc::I32, Box::new(number)), Exp::i32(1))
}
