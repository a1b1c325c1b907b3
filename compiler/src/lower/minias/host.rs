//! The kernel, and what the host does: it writes constants, and launches the kernel on its arguments.

use super::memory::{LOCAL_CELLS, Memory};
use super::value::{INTS, Pointer, Val, no_block, tag};
use super::{Lower, Lowered, fold};
use reference::device::syntax::{
    self as device, Carried, Check, Element, Exp, Host, I32, Kernel, Launch, Loop, Param, Program,
    Sc, Shown, Stm,
};
use reference::kit::names::{Var, Wish};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use reference::minias::syntax::{Function, Init, Kind, Space};

/// What the host passes to the kernel.
#[derive(Default)]
struct Passed {
    params: Vec<Param>,
    host: device::HostBlock,
    args: Vec<Exp>,
    results: Vec<device::Output>,
    kernel: Vec<(Var, device::Ty)>,
    /// The sizes of the arrays of local pointers.
    sizes: Vec<Exp>,
}

impl<'p> Lower<'p> {
    /// The whole program: its kernel is this instance.
    pub(super) fn program(mut self, kernel: &'p Function, instance: usize) -> Lowered<Program> {
        self.code.forget();
        self.around = super::Around { instance, ..super::Around::default() };
        let mut passed = Passed::default();
        self.constants(kernel.span, instance, &mut passed);
        self.code.open();
        self.homes();
        self.params(kernel, &mut passed);
        self.room(kernel.span, &mut passed);
        self.body(kernel)?;
        let body = self.code.close();
        let made = Kernel {
            name: format!("kernel_{}", self.program.names.written(kernel.name)),
            params: passed.kernel,
            group: self.launch.size,
            workgroup: Vec::new(),
            private: Vec::new(),
            body,
            record: None,
            span: kernel.span,
        };
        self.is_uniform(kernel, &made)?;
        let count = Exp::i32(self.launch.items as i32);
        let launch = Launch { kernel: 0, count, args: passed.args, record: None };
        passed.host.push(Stm { span: kernel.span, kind: Host::Launch(launch) });
        let kept = self.memory.kept.into_iter().flatten().map(|var| (var, I32));
        Ok(Program {
            structs: self.structs(),
            workgroup: Memory::declared(self.memory.local).collect(),
            private: Memory::declared(self.memory.private).chain(kept).collect(),
            names: self.names,
            functions: self.functions,
            kernels: vec![made],
            sites: self.sites,
            params: passed.params,
            host: passed.host,
            results: passed.results,
            ..Program::default()
        })
    }

    /// The constants that the kernel and its functions name: blocks that the host writes.
    fn constants(&mut self, span: Span, instance: usize, passed: &mut Passed) {
        let body = self.graph.instances[instance].body;
        let named = self.graph.constants[body].clone();
        for decl in self.program.constants().filter(|decl| named.contains(&decl.var)) {
            let block = self.names.fresh(Wish::Like(decl.var));
            let size = Exp::i32(decl.extent.unwrap_or(1) as i32);
            let alloc = Host::Alloc { block, element: Element::Plain(Sc::I32), size };
            passed.host.push(Stm { span, kind: alloc });
            let mut given = 0;
            for exp in decl.init.iter().flat_map(Init::exps) {
                let Kind::Int(k) = exp.kind else { unreachable!("a constant is a literal") };
                let (offset, value) = (Exp::i32(given), Exp::i32(k));
                let kind = Host::Write { block: Exp::Var(block), offset, value };
                passed.host.push(Stm { span, kind });
                given += 1;
            }
            passed.host.extend(self.rest(span, block, given, decl.extent.unwrap_or(1) as i32));
            let param = self.names.fresh(Wish::Like(decl.var));
            passed.args.push(Exp::Var(block));
            passed.kernel.push((param, INTS));
            self.around.constants.insert(decl.var, Exp::Var(param));
        }
    }

    /// The cells of a constant behind those that are given are 0, and are written too.
    fn rest(&mut self, span: Span, block: Var, given: i32, extent: i32) -> Option<Stm<Host>> {
        if given >= extent {
            return None;
        }
        let var = self.names.fresh("cell");
        let (offset, value) = (Exp::Var(var), Exp::i32(0));
        let rounds = Loop {
            carried: vec![Carried { var, ty: I32, init: Exp::i32(given) }],
            cond: Exp::bin(BinOp::Lt, Exp::Var(var), Exp::i32(extent)),
            fuel: None,
            body: vec![Stm { span, kind: Host::Write { block: Exp::Var(block), offset, value } }],
            next: vec![Exp::bin(BinOp::Add, Exp::Var(var), Exp::i32(1))],
        };
        Some(Stm { span, kind: Host::Loop(Box::new(rounds)) })
    }

    /// Ints, blocks, and the sizes of arrays in local memory, which come one after the other.
    fn params(&mut self, kernel: &'p Function, passed: &mut Passed) {
        let first = self.program.constants().count() as i32 + 1;
        let mut start = Exp::i32(self.memory.params[0] as i32);
        for (number, param) in kernel.params.iter().enumerate() {
            let var = param.var.expect("a kernel names its parameters");
            let points_to = param.ty.points_to();
            let is_block = matches!(points_to, Some(Space::Global | Space::Constant));
            let make = if is_block { Param::of_any_length } else { Param::scalar };
            passed.params.push(make(var, Sc::I32));
            passed.args.push(Exp::Var(var));
            let to = self.names.fresh(Wish::Like(var));
            self.code.binds(to);
            passed.kernel.push((to, if is_block { INTS } else { I32 }));
            let val = match points_to {
                None => Val::Int(Exp::Var(to)),
                Some(Space::Local) => {
                    passed.sizes.push(Exp::Var(var));
                    let own = start.clone();
                    let cells = Exp::bin(BinOp::Max, Exp::Var(to), Exp::i32(1));
                    let next = fold::bin(BinOp::Add, start, cells);
                    start = self.named(param.span, "start", I32, next);
                    Val::Pointer(Pointer {
                        tag: tag(Space::Local),
                        block: no_block(),
                        start: own,
                        size: Exp::Var(to),
                        offset: Exp::i32(0),
                        is_some: true,
                    })
                }
                Some(space) => {
                    if space == Space::Global {
                        passed.results.push(whole(var));
                    }
                    Val::Pointer(Pointer {
                        tag: tag(space),
                        block: Exp::Var(to),
                        start: Exp::i32(first + number as i32),
                        size: Exp::i32(0),
                        offset: Exp::i32(0),
                        is_some: true,
                    })
                }
            };
            self.sets(param.span, var, val);
        }
    }

    /// The host gives up if the arrays of local pointers do not fit where there is room for them.
    fn room(&mut self, span: Span, passed: &mut Passed) {
        let wide = |exp: &Exp| Exp::Cast(Sc::I64, Box::new(exp.clone()));
        let cells = passed.sizes.iter().map(|size| Exp::bin(BinOp::Max, wide(size), Exp::i64(1)));
        let Some(sum) = cells.reduce(|a, b| Exp::bin(BinOp::Add, a, b)) else { return };
        let there = Exp::i64(self.memory.params[1].into());
        let cond = Exp::bin(BinOp::Gt, sum.clone(), there.clone());
        let site = self.site(span, LOCAL_CELLS);
        let check = Check { site, operands: vec![sum, there], path: Vec::new(), order: None };
        let then = vec![Stm { span, kind: Host::Check(check) }];
        let kind = Host::If(device::If { cond, then, orelse: Vec::new() });
        passed.host.push(Stm { span, kind });
    }
}

/// A whole block.
fn whole(block: Var) -> device::Output {
    let length = Exp::Cast(Sc::I32, Box::new(Exp::Length(Box::new(Exp::Var(block)))));
    let (block, offset, strides) = (Exp::Var(block), Exp::i32(0), vec![Exp::i32(1)]);
    Shown::Array { sc: Sc::I32, block, shape: vec![length], offset, strides }.into()
}
