//! `map_levels`: parallel loops become launches and loops.
//!
//! | | |
//! |---|---|
//! | before | `par` on the host, in kernels and functions, and nested in itself; none in functions that are called |
//! | after | no `par`: one of the host is a kernel and a launch of as many invocations as it has iterations, with what it captures as parameters; any other is a loop |
//! | stuck | the same site |

use super::padding::is_of_launch;
use super::types::Types;
use reference::device::parts::Statement;
use reference::device::syntax::{
    Block, Builtin, Carried, Exp, Host, HostBlock, I32, If, Kernel, Kind, Launch, Loop, Par,
    Program, Sc, Stm, U32,
};
use reference::device::visit_mut::{self, change_block};
use reference::kit::names::{Names, Var, Wish};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;

/// The pass; work groups are of `group` invocations.
pub fn map_levels(mut program: Program, group: u32) -> Program {
    let types = Types::of_host(&program);
    let params = vec![None; program.names.len()];
    let mut map = Map {
        names: std::mem::take(&mut program.names),
        kernels: std::mem::take(&mut program.kernels),
        types,
        group,
        params,
    };
    for at in 0..map.kernels.len() {
        let mut body = std::mem::take(&mut map.kernels[at].body);
        map.block(&mut body);
        map.kernels[at].body = body;
    }
    program.functions.iter_mut().for_each(|function| map.block(&mut function.body));
    map.host(&mut program.host);
    program.names = map.names;
    program.kernels = map.kernels;
    program
}

struct Map {
    names: Names,
    kernels: Vec<Kernel>,
    /// Of the host.
    types: Types,
    group: u32,
    /// The parameter that stands for a variable of the host, by slot, in the kernel at hand.
    params: Vec<Option<Var>>,
}

impl Map {
    fn host(&mut self, body: &mut HostBlock) {
        visit_mut::stms(body, &mut |stm| {
            if let Host::Par(par) = &mut stm.kind {
                stm.kind = Host::Launch(self.launch(stm.span, par));
            }
        });
    }

    fn launch(&mut self, span: Span, par: &mut Par) -> Launch {
        // The last work group has more invocations than there are iterations.
        let thread = Kind::Let(par.var, I32, from_zero(Exp::Builtin(Builtin::GlobalId)));
        let mut body = std::mem::take(&mut par.body);
        self.block(&mut body);
        let captured = self.capture(&mut body);
        let typed = |&(var, param)| (param, self.types.var(var).clone());
        let params = captured.iter().map(typed).collect();
        body.insert(0, Stm { span, kind: thread });
        let guarded = Kind::If(If { cond: is_of_launch(), then: body, orelse: Vec::new() });
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
        let args = captured.into_iter().map(|(var, _)| Exp::Var(var)).collect();
        let count = std::mem::replace(&mut par.count, Exp::i32(0));
        Launch { kernel: number as u32, count, args, record: None }
    }

    /// Puts parameters where variables of the host stand, which are all that a kernel uses and does not
    /// bind. Gives the variables with the parameters, in the order in which the evaluator of parallel loops
    /// has them too ([`captured`](reference::device::levels::captured)).
    fn capture(&mut self, body: &mut Block) -> Vec<(Var, Var)> {
        let Self { names, types, params, .. } = self;
        let mut captured = Vec::new();
        change_block(body, &mut |exp| {
            if let Exp::Var(var) = exp
                && types.has(*var)
            {
                let param = *params[var.slot()].get_or_insert_with(|| {
                    let param = names.fresh(Wish::Like(*var));
                    captured.push((*var, param));
                    param
                });
                *var = param;
            }
        });
        captured.iter().for_each(|(var, _)| params[var.slot()] = None);
        captured.sort_unstable();
        captured
    }

    fn block(&mut self, body: &mut Block) {
        for inner in body.iter_mut().flat_map(|stm| stm.kind.blocks_mut()) {
            self.block(inner);
        }
        if !body.iter().any(|stm| matches!(stm.kind, Kind::Par(_))) {
            return;
        }
        let mut out = Vec::with_capacity(body.len() + 1);
        for Stm { span, mut kind } in std::mem::take(body) {
            if let Kind::Par(par) = kind {
                kind = self.nested(span, par, &mut out);
            }
            out.push(Stm { span, kind });
        }
        *body = out;
    }

    /// `n` rounds; a round number below `n` never wraps.
    fn nested(&mut self, span: Span, mut par: Par, out: &mut Block) -> Kind {
        let count = self.names.fresh("n");
        let positive = Exp::bin(BinOp::Max, par.count, Exp::i32(0));
        let value = Exp::Cast(Sc::U32, Box::new(positive));
        out.push(Stm { span, kind: Kind::Let(count, U32, value) });
        let rounds = self.names.fresh("rounds");
        let thread = Kind::Let(par.var, I32, from_zero(Exp::Var(rounds)));
        par.body.insert(0, Stm { span, kind: thread });
        Kind::Loop(Box::new(Loop {
            carried: vec![Carried { var: rounds, ty: U32, init: Exp::u32(0) }],
            cond: Exp::bin(BinOp::Lt, Exp::Var(rounds), Exp::Var(count)),
            fuel: None,
            body: par.body,
            next: vec![Exp::bin(BinOp::Add, Exp::Var(rounds), Exp::u32(1))],
        }))
    }
}

/// The iteration, from 1, that a number from 0 stands for.
fn from_zero(number: Exp) -> Exp {
    Exp::bin(BinOp::Add, Exp::Cast(Sc::I32, Box::new(number)), Exp::i32(1))
}

#[cfg(test)]
mod tests {
    use super::map_levels;
    use reference::device::syntax::{Exp, Host};
    use reference::device::{levels, parse, validate};
    use reference::kit::derivation::Recorder;

    /// Each kernel has parameters of its own, for what `captured` says, in its order.
    #[test]
    fn what_is_captured_are_the_arguments() {
        let source = "param n : i32;\nparam m : i32;\nparam xs : [8];\nparam ys : [8];\n\
             par i <= n { ys.[i - 1] = xs.[i - 1] + m; xs.[i - 1] = n; }\n\
             par j <= n { xs.[j - 1] = m; ys.[j - 1] = n; }\n\
             result xs : [8] at 0 strides (1);";
        let program = parse::program(source).unwrap_or_else(|error| panic!("{error}"));
        let captured: Vec<_> =
            levels::pars(&program).into_iter().map(|(_, par)| levels::captured(par)).collect();
        let mapped = map_levels(program, 4);
        validate::check(&mapped, &mut Recorder::counting()).expect("it is valid");
        let args: Vec<_> = mapped
            .host
            .iter()
            .filter_map(|stm| match &stm.kind {
                Host::Launch(launch) => Some(launch.args.clone()),
                _ => None,
            })
            .collect();
        let expected: Vec<Vec<Exp>> =
            captured.into_iter().map(|vars| vars.into_iter().map(Exp::Var).collect()).collect();
        assert_eq!(args, expected);
        assert_eq!(expected.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4]);
    }
}
