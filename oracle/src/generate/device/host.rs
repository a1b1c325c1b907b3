//! The host: parameters with their values, blocks, launches, results.

use super::scope::{Held, Here, Known, Making, Mode, Numbered, What};
use reference::device::syntax::{
    Builtin, Carried, Copy, Exp, Host, HostBlock, I32, If, Kernel, Kind, Launch, Level, Loop,
    Output, Par, Param, Place, Sc, Stm, Ty,
};
use reference::kit::names::Var;
use reference::kit::outcome::Value;
use reference::kit::scalar::BinOp;

/// Most invocations of a launch.
const MOST_INVOCATIONS: u32 = 160;

/// Most results.
const MOST_RESULTS: usize = 4;

/// A block of the host and how many elements it has at least.
#[derive(Clone, Copy, Debug)]
struct Owned {
    block: Var,
    element: Sc,
    length: u32,
}

/// The host in the making.
struct Hosting<'m, 'u, 'b> {
    making: &'m mut Making<'u, 'b>,
    stms: HostBlock,
    blocks: Vec<Owned>,
    /// Host variables of i32, with their values where these are known.
    ints: Vec<(Var, Option<i32>)>,
    input: Vec<Value>,
}

impl Making<'_, '_> {
    /// Makes kernels, the host that launches them, and the input that it starts from.
    pub(super) fn host(&mut self) -> Vec<Value> {
        let kernels = 1 + self.draw.weighed(&[5, 4, 2]);
        let mut host = Hosting {
            making: self,
            stms: Vec::new(),
            blocks: Vec::new(),
            ints: Vec::new(),
            input: Vec::new(),
        };
        host.parameters();
        for number in 0..kernels {
            host.making.kernel();
            for _ in 0..host.making.draw.weighed(&[0, 6, 2]) {
                host.between();
                host.launch(number);
            }
        }
        if host.making.draw.chance(25) {
            host.parallel();
        }
        if host.making.trouble {
            host.get_stuck();
        }
        host.results();
        let Hosting { stms, input, .. } = host;
        self.program.host = stms;
        input
    }
}

impl Hosting<'_, '_, '_> {
    fn say(&mut self, kind: Host) {
        let span = self.making.span();
        self.stms.push(Stm { span, kind });
    }

    fn parameters(&mut self) {
        for _ in 0..1 + self.making.draw.below(2) {
            let var = self.making.fresh('n');
            let value = self.making.draw.pick(&[3, 1, 4, 7, 8, 13, 16, 2]);
            self.making.program.params.push(Param { var, shape: None });
            self.input.push(Value::Int(value));
            self.ints.push((var, Some(value)));
        }
        for _ in 0..1 + self.making.draw.below(2) {
            let rank = 1 + self.making.draw.below(2);
            let (mut shape, mut extents) = (Vec::new(), Vec::new());
            for _ in 0..rank {
                let of_int = self.making.draw.chance(60);
                let extent = match of_int {
                    true => self.making.draw.pick(&self.ints),
                    false => (Var(0), Some(1 + self.making.draw.below(9) as i32)),
                };
                let value = extent.1.unwrap_or(1);
                shape.push(if of_int { Exp::Var(extent.0) } else { Exp::i32(value) });
                extents.push(value as usize);
            }
            let elements: usize = extents.iter().product();
            let data = self.data(elements);
            let block = self.making.fresh('a');
            self.making.program.params.push(Param { var: block, shape: Some(shape) });
            self.input.push(Value::Array { shape: extents, data });
            self.blocks.push(Owned { block, element: Sc::I32, length: elements as u32 });
        }
    }

    /// So many elements: hashes, or small numbers.
    fn data(&mut self, elements: usize) -> Vec<i32> {
        let seed = self.making.draw.word();
        let small = self.making.draw.chance(40);
        let hash = |at: usize| {
            let x = seed.wrapping_add(at as u32 + 1).wrapping_mul(0x9e37_79b9);
            (x ^ x >> 15).wrapping_mul(0x85eb_ca6b)
        };
        let of = |at| if small { (hash(at) >> 28) as i32 - 4 } else { hash(at) as i32 };
        (0..elements).map(of).collect()
    }

    /// An i32 of this value.
    fn exactly(&mut self, value: i32) -> Exp {
        let known = self.ints.iter().filter_map(|(var, k)| k.map(|k| (*var, k)));
        let known: Vec<(Var, i32)> = known.collect();
        if known.is_empty() || self.making.draw.chance(50) {
            return Exp::i32(value);
        }
        let (var, k) = self.making.draw.pick(&known);
        if value == k {
            return Exp::Var(var);
        }
        match k != 0 && value % k == 0 {
            true => Exp::bin(BinOp::Mul, Exp::Var(var), Exp::i32(value / k)),
            false => Exp::bin(BinOp::Add, Exp::Var(var), Exp::i32(value.wrapping_sub(k))),
        }
    }

    /// A block of at least so many elements that is none of those that are taken.
    fn block(&mut self, element: Sc, length: u32, taken: &[Var]) -> Owned {
        let length = length.max(1);
        let fits = |it: &&Owned| {
            it.element == element && it.length >= length && !taken.contains(&it.block)
        };
        let fitting: Vec<Owned> = self.blocks.iter().filter(fits).copied().collect();
        if !fitting.is_empty() && self.making.draw.chance(65) {
            return self.making.draw.pick(&fitting);
        }
        let length = length + self.making.draw.below(3) as u32;
        let size = self.exactly(length as i32);
        let block = self.making.fresh('m');
        self.say(Host::Alloc { block, element, size });
        let owned = Owned { block, element, length };
        self.blocks.push(owned);
        owned
    }

    /// Something between two launches.
    fn between(&mut self) {
        match self.making.draw.below(8) {
            0 => {
                let Owned { block, element, length } = self.making.draw.pick(&self.blocks);
                let offset = self.making.draw.below(length as usize) as i32;
                let value = self.making.literal(element);
                let offset = self.exactly(offset);
                self.say(Host::Write { block: Exp::Var(block), offset, value });
            }
            1 => {
                let Owned { block, element, length } = self.making.draw.pick(&self.blocks);
                let offset = self.making.draw.below(length as usize) as i32;
                let offset = self.exactly(offset);
                let into = self.making.fresh('e');
                self.say(Host::Read { into, block: Exp::Var(block), offset });
                if element == Sc::I32 {
                    self.ints.push((into, None));
                }
            }
            2 => {
                let from = self.making.draw.pick(&self.blocks);
                let count = 1 + self.making.draw.below(from.length.min(20) as usize) as u32;
                let to = self.block(from.element, count, &[from.block]);
                let offsets = [from, to]
                    .map(|it| self.making.draw.below((it.length - count + 1) as usize) as i32);
                let [from_offset, to_offset] = offsets.map(|offset| self.exactly(offset));
                let count = self.exactly(count as i32);
                let (from, to) = (Exp::Var(from.block), Exp::Var(to.block));
                self.say(Host::Copy(Copy { from, from_offset, to, to_offset, count }));
            }
            4 if self.blocks.len() > 2 => {
                let at = self.making.draw.below(self.blocks.len());
                let freed = self.blocks.remove(at);
                self.say(Host::Free(Exp::Var(freed.block)));
            }
            3 => {
                let (var, _) = self.making.draw.pick(&self.ints);
                let exp = Exp::bin(BinOp::Mul, Exp::Var(var), Exp::i32(-7));
                let new = self.making.fresh('e');
                self.say(Host::Let(new, I32, exp));
                self.ints.push((new, None));
            }
            _ => {}
        }
    }

    /// A scalar argument.
    fn scalar(&mut self, sc: Sc) -> Exp {
        let (var, known) = self.making.draw.pick(&self.ints);
        match sc {
            // Any number could be too large.
            Sc::F32 if known.is_none() => self.making.literal(sc),
            _ if self.making.draw.chance(40) => self.making.literal(sc),
            Sc::I32 => Exp::Var(var),
            _ => Exp::Cast(sc, Box::new(Exp::Var(var))),
        }
    }

    /// Launches a kernel once, or in a branch, or some times.
    fn launch(&mut self, number: usize) {
        let group = self.making.program.kernels[number].group;
        let count = match self.making.draw.below(8) {
            0 => group,
            1 => 2 * group,
            2 => group + 1,
            3 => (3 * group).saturating_sub(1),
            4 => 1,
            5 => self.making.draw.below(4) as u32,
            _ => 1 + self.making.draw.below(40) as u32,
        };
        let count = count.min(MOST_INVOCATIONS);
        let (args, written) = self.arguments(number, count);
        let count = self.exactly(count as i32);
        let launch = Launch { kernel: number as u32, count, args, record: None };
        match self.making.draw.below(6) {
            0 => self.some_times(launch, &written),
            1 => self.perhaps(launch),
            _ => self.say(Host::Launch(launch)),
        }
    }

    /// Arguments for so many invocations, and the blocks that they write.
    fn arguments(&mut self, number: usize, count: u32) -> (Vec<Exp>, Vec<Owned>) {
        let Kernel { params, group, .. } = &self.making.program.kernels[number];
        let (params, padded) = (params.clone(), count.div_ceil(*group) * group);
        let modes = self.making.modes();
        let mut args: Vec<Option<Exp>> = vec![None; params.len()];
        let (mut taken, mut written) = (Vec::new(), Vec::new());
        // What is only read can be anything that is not written.
        for inputs in [false, true] {
            for (at, (var, ty)) in params.iter().enumerate() {
                let Ty::Block(element) = ty else { continue };
                let mode = modes.iter().find(|(of, _)| of == var).map_or(Mode::Input, |it| it.1);
                if (mode == Mode::Input) != inputs {
                    continue;
                }
                let length = match mode {
                    Mode::Own { each, .. } => count * each,
                    Mode::Padded => padded,
                    Mode::Input | Mode::Update(_) => 1,
                };
                let owned = self.block(*element, length, &taken);
                if !inputs {
                    taken.push(owned.block);
                    written.push(Owned { length, ..owned });
                }
                args[at] = Some(Exp::Var(owned.block));
            }
        }
        let args = args.into_iter().zip(&params).map(|(arg, (_, ty))| match (arg, ty) {
            (Some(arg), _) => arg,
            (None, Ty::Scalar(sc)) => self.scalar(*sc),
            (None, _) => unreachable!("a kernel has scalars and blocks"),
        });
        let args = args.collect();
        (args, written)
    }

    /// A loop of launches, between which two blocks may swap.
    fn some_times(&mut self, launch: Launch, written: &[Owned]) {
        let rounds = self.making.draw.below(4) as i32;
        let var = self.making.fresh('t');
        let span = self.making.span();
        let outer = std::mem::take(&mut self.stms);
        let fits = |a: &Owned, b: &Owned| {
            // `written` has the lengths that are wanted.
            a.block != b.block && a.element == b.element && b.length >= a.length
        };
        let whole = |of: &Owned| self.blocks.iter().find(|it| it.block == of.block).copied();
        let pairs = written.iter().flat_map(|a| {
            let (whole, blocks) = (whole(a), &self.blocks);
            blocks.iter().filter_map(move |b| {
                let needed =
                    written.iter().find(|it| it.block == b.block).map_or(1, |it| it.length);
                let back = whole.is_some_and(|whole| whole.length >= needed);
                (fits(a, b) && back).then_some((a.block, b.block))
            })
        });
        let pairs: Vec<(Var, Var)> = pairs.collect();
        self.say(Host::Launch(launch));
        if !pairs.is_empty() && self.making.draw.chance(60) {
            let (a, b) = self.making.draw.pick(&pairs);
            self.say(Host::Assign(vec![(a, Exp::Var(b)), (b, Exp::Var(a))]));
            let lengths = [a, b].map(|of| self.length(of));
            for owned in self.blocks.iter_mut().filter(|it| [a, b].contains(&it.block)) {
                owned.length = lengths[0].min(lengths[1]);
            }
        }
        let body = std::mem::replace(&mut self.stms, outer);
        let bound = self.exactly(rounds);
        let carried = vec![Carried { var, ty: I32, init: Exp::i32(0) }];
        let cond = Exp::bin(BinOp::Lt, Exp::Var(var), bound);
        let next = vec![Exp::bin(BinOp::Add, Exp::Var(var), Exp::i32(1))];
        let kind = Host::Loop(Loop { carried, cond, fuel: None, body, next });
        self.stms.push(Stm { span, kind });
    }

    fn length(&self, of: Var) -> u32 {
        self.blocks.iter().find(|it| it.block == of).map_or(1, |it| it.length)
    }

    fn perhaps(&mut self, launch: Launch) {
        let (var, _) = self.making.draw.pick(&self.ints);
        let op = self.making.draw.pick(&[BinOp::Gt, BinOp::Ne, BinOp::Le]);
        let than = self.making.draw.between(-3, 9) as i32;
        let cond = Exp::bin(op, Exp::Var(var), Exp::i32(than));
        let span = self.making.span();
        let within = self.making.span();
        let then = vec![Stm { span: within, kind: Host::Launch(launch) }];
        self.stms.push(Stm { span, kind: Host::If(If { cond, then, orelse: Vec::new() }) });
    }

    /// `par grid i <= n { … }` over the blocks that are there.
    fn parallel(&mut self) {
        let count = 1 + self.making.draw.below(24) as u32;
        let each = 1 + self.making.draw.below(2) as u32;
        let element = self.making.element();
        let own = self.block(element, count * each, &[]);
        let reversed = self.making.draw.chance(25);
        self.making.leave(40);
        self.making.left = self.making.left.max(10);
        for it in &self.blocks {
            let mode = match it.block == own.block {
                true => Mode::Own { each, reversed },
                false => Mode::Input,
            };
            let Owned { block, element, .. } = *it;
            self.making.held.push(Held { block, element, mode, variable: false });
        }
        for (var, _) in &self.ints {
            self.making.values.push(Known { var: *var, ty: I32, varies: true });
        }
        let var = self.making.fresh('i');
        let of = self.exactly(count as i32);
        let number = Exp::bin(BinOp::Sub, Exp::Var(var), Exp::i32(1));
        let one = Some(Numbered { number, of: of.clone(), sc: Sc::I32 });
        let span = self.making.span();
        let size = 2 + self.making.draw.below(5);
        let (body, ()) = self.making.body(1, Here { one, ..Here::default() }, |making| {
            making.know(var, I32, true);
            making.statements(size);
            if making.trouble && making.draw.chance(60) {
                making.get_stuck();
            }
            let exp = making.scalar(element, 2);
            let mode = Mode::Own { each, reversed };
            let held = Held { block: own.block, element, mode, variable: false };
            let place = making.held_place(&held);
            making.emit(Kind::Store(place, exp));
        });
        let kind = Host::Par(Par { level: Level::Grid, var, count: of, body });
        self.stms.push(Stm { span, kind });
    }

    /// An access beyond a block, or a block of negative size.
    fn get_stuck(&mut self) {
        self.making.trouble = false;
        let Owned { block, element, length } = self.making.draw.pick(&self.blocks);
        let from = Exp::Var(block);
        let offset = Exp::i32(if self.making.draw.chance(50) { -1 } else { 100_000 });
        match self.making.draw.below(5) {
            0 => {
                let value = self.making.literal(element);
                self.say(Host::Write { block: from, offset, value });
            }
            1 => {
                let block = self.making.fresh('m');
                self.say(Host::Alloc { block, element, size: Exp::i32(-3) });
            }
            2 | 3 => {
                let to = Exp::Var(self.block(element, 1, &[block]).block);
                let less = self.making.draw.chance(50);
                let count = if less { Exp::i32(-1) } else { Exp::i32(length as i32) };
                let copy = Copy { from, from_offset: offset, to, to_offset: Exp::i32(0), count };
                self.say(Host::Copy(copy));
            }
            _ => {
                let into = self.making.fresh('e');
                self.say(Host::Read { into, block: from, offset });
            }
        }
    }

    /// What can be seen of the blocks, the latest first.
    fn results(&mut self) {
        let blocks: Vec<Owned> = self.blocks.iter().rev().take(MOST_RESULTS).copied().collect();
        for owned in blocks {
            let Owned { block, length, .. } = self.as_i32(owned);
            let length = length as i32;
            let output = match self.making.draw.below(4) {
                0 => Output::Array {
                    block: Exp::Var(block),
                    shape: vec![Exp::i32(length)],
                    offset: Exp::i32(length - 1),
                    strides: vec![Exp::i32(-1)],
                },
                1 if length % 2 == 0 => Output::Array {
                    block: Exp::Var(block),
                    shape: vec![Exp::i32(2), Exp::i32(length / 2)],
                    offset: Exp::i32(0),
                    strides: vec![Exp::i32(1), Exp::i32(2)],
                },
                _ => Output::Array {
                    block: Exp::Var(block),
                    shape: vec![Exp::i32(length)],
                    offset: Exp::i32(0),
                    strides: vec![Exp::i32(1)],
                },
            };
            self.making.program.results.push(output);
        }
        if let Some((var, None)) = self.ints.last() {
            self.making.program.results.push(Output::Int(Exp::Var(*var)));
        }
    }

    /// The elements as i32, by a kernel of their own.
    fn as_i32(&mut self, owned: Owned) -> Owned {
        let Owned { block, element, length } = owned;
        if element == Sc::I32 {
            return owned;
        }
        let number = self.showing(element);
        let shown = self.making.fresh('m');
        let size = Exp::i32(length as i32);
        self.say(Host::Alloc { block: shown, element: Sc::I32, size: size.clone() });
        let args = vec![Exp::Var(block), Exp::Var(shown)];
        self.say(Host::Launch(Launch { kernel: number, count: size, args, record: None }));
        Owned { block: shown, element: Sc::I32, length }
    }

    /// The number of the kernel that shows elements of this type.
    fn showing(&mut self, element: Sc) -> u32 {
        let name = format!("show_{}", format!("{element:?}").to_lowercase());
        let kernels = &self.making.program.kernels;
        if let Some(number) = kernels.iter().position(|kernel| kernel.name == name) {
            return number as u32;
        }
        let (from, to, x) =
            (self.making.fresh('b'), self.making.fresh('b'), self.making.fresh('v'));
        let id = Exp::Builtin(Builtin::GlobalId);
        let whole = |exp| Exp::Cast(Sc::I32, Box::new(exp));
        let shown = match element {
            Sc::I64 => {
                let high = Exp::bin(BinOp::Shr, Exp::Var(x), Exp::i64(32));
                Exp::bin(BinOp::Xor, whole(Exp::Var(x)), whole(high))
            }
            _ => whole(Exp::Var(x)),
        };
        let read = Exp::load(Place::Element(Exp::Var(from), id.clone()));
        let then = vec![
            Stm { span: self.making.span(), kind: Kind::Let(x, Ty::Scalar(element), read) },
            Stm {
                span: self.making.span(),
                kind: Kind::Store(Place::Element(Exp::Var(to), id.clone()), shown),
            },
        ];
        let cond = Exp::bin(BinOp::Lt, id, Exp::Builtin(Builtin::Invocations));
        let branch = Kind::If(If { cond, then, orelse: Vec::new() });
        let body = vec![Stm { span: self.making.span(), kind: branch }];
        let span = self.making.span();
        self.making.program.kernels.push(Kernel {
            name,
            params: vec![(from, Ty::Block(element)), (to, Ty::Block(Sc::I32))],
            group: 8,
            workgroup: Vec::new(),
            private: Vec::new(),
            body,
            record: None,
            span,
        });
        self.making.program.kernels.len() as u32 - 1
    }
}

impl Making<'_, '_> {
    /// How the kernel that was made last uses its blocks.
    fn modes(&self) -> Vec<(Var, Mode)> {
        let held = self.held.iter().map(|held| (held.block, held.mode));
        let padded = self.shared.iter().filter_map(|shared| match shared.what {
            What::Block(block, _) => Some((block, Mode::Padded)),
            _ => None,
        });
        held.chain(padded).collect()
    }
}
