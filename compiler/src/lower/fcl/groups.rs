//! Launches of work groups: a group for each chunk of a grid, or one for a program below it.

use super::code::{Item, Items};
use super::force::{Into, base, elements};
use super::group::{Group, is_first};
use super::memory::{Sharer, Slab};
use super::places::{Places, Plan};
use super::telling::Telling;
use super::value::{Push, Stored};
use super::{Context, Failing, Lower, Lowered, NOWHERE, Space, code, fold, refused};
use reference::device::syntax::{
    Block, Builtin, Check, Element, Exp, Host, Kernel, Kind, Launch, MAX_GROUP, Place, Sc, Ty, U32,
};
use reference::device::visit_mut::change_block;
use reference::kit::names::{Var, Wish};
use reference::kit::scalar::BinOp;
use reference::kit::text::Span;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Work groups that are launched.
pub(super) struct Groups {
    /// How many.
    pub(super) count: Exp,
    /// Threads of the location that each is.
    pub(super) threads: u32,
    /// The level of the location that each is.
    pub(super) level: u32,
    /// Is each for a chunk, which is told where one fails?
    pub(super) of_chunks: bool,
}

/// A work group has a multiple of so many invocations, those beyond the threads of the location included, and elements
/// are dealt to all of them. On no GPU do fewer invocations run faster. lavapipe runs this many together, and runs loops
/// for those beyond the group too: their rounds count towards the 65,535 after which it stops all loops.
const TOGETHER: u32 = 8;

/// What is told of failures: the lowest chunk that has one, and a record of each.
const OF_TOLD: [Element; 2] = [Element::Atomic(Sc::U32), Element::Plain(Sc::I32)];

/// A kernel that is written and not launched yet.
struct Written<T> {
    made: T,
    /// What is declared before the launch.
    declared: Items,
    body: Items,
    group: Group,
    slabs: Vec<Slab>,
    /// Blocks for what failed.
    told: [Var; 2],
}

impl<'p> Lower<'p> {
    /// A launch of work groups, each of which does this. What it says with the result is declared before.
    pub(super) fn grouped<T>(
        &mut self,
        span: Span,
        groups: &Groups,
        write: impl Fn(&mut Self) -> Lowered<(T, Items)>,
    ) -> Lowered<T> {
        if groups.threads > MAX_GROUP {
            let reason =
                format!("{} threads, and a work group has at most {MAX_GROUP}", groups.threads);
            return Err(refused(span, "a location", reason));
        }
        let (before, notes) = ((self.code.written, self.steps), self.notes.len());
        let again = |to: &mut Self| {
            (to.code.written, to.steps) = before;
            to.notes.truncate(notes);
        };
        let mut telling = self.by_checks(groups);
        let mut written = self.written(span, groups, &write, (None, telling.clone()))?;
        if written.group.telling.is_wrong() {
            again(self);
            telling = Telling::Memory;
            written = self.written(span, groups, &write, (None, telling.clone()))?;
        }
        if let Some(better) = written.group.places.better() {
            again(self);
            written = self.written(span, groups, &write, (Some(better), telling))?;
        }
        self.launched(span, groups, written)
    }

    /// Telling by checks of chunks: those above the grid that the host is at, and those of the groups.
    fn by_checks(&self, groups: &Groups) -> Telling {
        let mut path = self.path_of_host();
        if groups.of_chunks {
            let chunk = fold::cast(Sc::I32, Exp::Builtin(Builtin::GroupId));
            path.push(Exp::bin(BinOp::Add, chunk, Exp::i32(1)));
        }
        Telling::by_checks(path)
    }

    /// A kernel of work groups, with its arrays where a plan puts them.
    fn written<T>(
        &mut self,
        span: Span,
        groups: &Groups,
        write: impl Fn(&mut Self) -> Lowered<(T, Items)>,
        (plan, telling): (Option<Plan>, Telling),
    ) -> Lowered<Written<T>> {
        let (around, fails) = (std::mem::take(&mut self.slabs), self.fails);
        let size = groups.threads.max(1).next_multiple_of(TOGETHER);
        let group = Group::new(size, self.places(plan), telling, &mut self.names);
        let outer = self.group.replace(group);
        let told = [self.names.fresh("first_failure"), self.names.fresh("failures")];
        for (var, element) in told.into_iter().zip(OF_TOLD) {
            self.host.insert(var, Ty::Block(element));
        }
        let context = Context {
            memory: Space::Kernel,
            level: groups.level,
            failing: Failing::Group(Vec::new()),
            invocation: match groups.level {
                0 => fold::cast(Sc::I32, Exp::Builtin(Builtin::GroupId)),
                _ => fold::cast(Sc::I32, Exp::Builtin(Builtin::GlobalId)),
            },
            warp: None,
        };
        let made = self.inside(context, |to| {
            let (made, body) = to.scope(write)?;
            match groups.level {
                // One invocation is the thread.
                0 => to.emit(span, Item::If(is_first(), body, Items::new())),
                _ => body.into_iter().for_each(|(span, item)| to.emit(span, item)),
            }
            if !to.group().failures.is_empty() {
                to.write_down(span, told);
            }
            Ok(made)
        });
        let group = std::mem::replace(&mut self.group, outer);
        let slabs = std::mem::replace(&mut self.slabs, around);
        self.fails = fails;
        let group = group.expect("it was put there");
        let ((made, declared), body) = made?;
        Ok(Written { made, declared, body, group, slabs, told })
    }

    /// The memory of a work group, before it has arrays.
    pub(super) fn places(&self, plan: Option<Plan>) -> Places {
        Places::new(self.group_words(), plan)
    }

    /// The launch of a kernel.
    fn launched<T>(&mut self, span: Span, groups: &Groups, written: Written<T>) -> Lowered<T> {
        let Written { made, declared, body, group, slabs, told } = written;
        declared.into_iter().for_each(|(span, item)| self.emit(span, item));
        let count = groups.count.clone();
        let fails = !group.failures.is_empty();
        let wide = fold::cast(Sc::I64, count.clone());
        let times = |k: u32| Exp::bin(BinOp::Mul, wide.clone(), Exp::i64(k.into()));
        let invocations = if groups.level == 0 { count.clone() } else { times(group.size) };
        self.allocate(span, slabs, [count, invocations]);
        if fails {
            let sizes = [Exp::i64(1), times(group.stride())];
            for ((block, element), size) in told.into_iter().zip(OF_TOLD).zip(sizes) {
                self.emit(span, Item::Host(Host::Alloc { block, element, size }));
            }
        }
        let launch = self.kernel(span, &group, code::kernel(body), times(group.size));
        self.emit(span, Item::Host(Host::Launch(launch)));
        if fails {
            self.tell(span, &group, groups.of_chunks, told);
        }
        Ok(made)
    }

    /// A program of a level below the grid: one group evaluates all of it.
    pub(super) fn whole(
        &mut self,
        level: u32,
        eval: impl Fn(&mut Self) -> Lowered<Rc<Push<'p>>>,
    ) -> Lowered<Stored> {
        let threads = match level {
            0 => 1,
            1 => self.target.machine.warp,
            _ => self.target.machine.threads_of_block(),
        };
        let groups = Groups { count: Exp::i32(1), threads, level, of_chunks: false };
        let measured = self.names.fresh("measured");
        let element = Element::Plain(Sc::I32);
        self.host.insert(measured, Ty::Block(element));
        let alloc = Host::Alloc { block: measured, element, size: Exp::i64(1) };
        self.emit(NOWHERE, Item::Host(alloc));
        let made = self.grouped(NOWHERE, &groups, |to| {
            let push = eval(to)?;
            let length = to.length_to_force(NOWHERE, &push)?;
            let length = to.named(NOWHERE, "n", Sc::I32, length);
            let Some(room) = to.at_most(&length) else {
                let reason = "the length of the result depends on what a kernel computes";
                return Err(refused(NOWHERE, "a program", reason));
            };
            let store =
                Kind::Store(Place::Element(Exp::Var(measured), Exp::i32(0)), length.clone());
            let told = vec![(NOWHERE, Item::Kernel(store))];
            to.emit(NOWHERE, Item::If(is_first(), told, Items::new()));
            let dealt = elements(&push).filter(|_| level > 0);
            let Some(pull) = dealt else {
                let shape = to.shape_of(NOWHERE, &push)?;
                let mut made = to.room(NOWHERE, 3, &shape, &room, 1)?;
                to.force(NOWHERE, &push, Into::There(made.stored.clone()))?;
                return Ok((made.stored, std::mem::take(&mut made.declared)));
            };
            let made = to.deal(NOWHERE, &length, |to, index| {
                let value = to.element(NOWHERE, &pull, index.clone())?;
                let (shape, leaves) = base(NOWHERE, &value)?;
                let room = to.room(NOWHERE, 3, &shape, &room, 1)?;
                to.store(NOWHERE, &room.stored, index, leaves);
                Ok(room)
            })?;
            Ok((made.stored, made.declared))
        })?;
        let length = self.host_read(NOWHERE, Exp::Var(measured), Exp::i32(0), code::ty(Sc::I32));
        Ok(Stored { length, ..made })
    }

    /// Blocks with a share for each of so many groups and invocations.
    pub(super) fn allocate(
        &mut self,
        span: Span,
        slabs: Vec<Slab>,
        [groups, invocations]: [Exp; 2],
    ) {
        let warps = Exp::i64(self.target.machine.block.into());
        for Slab { block, element, share, copies, whose } in slabs {
            let count = match whose {
                Sharer::Invocation => &invocations,
                Sharer::Group | Sharer::Warp => &groups,
            };
            let [count, share] = [count.clone(), share].map(|exp| fold::cast(Sc::I64, exp));
            let count = match whose {
                Sharer::Warp => Exp::bin(BinOp::Mul, count, warps.clone()),
                Sharer::Group | Sharer::Invocation => count,
            };
            let share = Exp::bin(BinOp::Mul, share, Exp::i64(copies.into()));
            let size = Exp::bin(BinOp::Mul, count, share);
            self.emit(span, Item::Host(Host::Alloc { block, element, size }));
        }
    }

    /// The numbers of the chunks above the grid that the host is at.
    pub(super) fn path_of_host(&self) -> Vec<Exp> {
        match &self.context.failing {
            Failing::Native(path) => path.clone(),
            Failing::Group(_) => Vec::new(),
        }
    }

    /// The host tells the failure of the lowest chunk.
    fn tell(&mut self, span: Span, group: &Group, of_chunks: bool, [first, records]: [Var; 2]) {
        let header = self.host_read(span, Exp::Var(first), Exp::i32(0), U32);
        self.code.open();
        let chunk = Exp::bin(BinOp::Sub, Exp::u32(u32::MAX), header.clone());
        let chunk = self.named(span, "chunk", Sc::I32, fold::cast(Sc::I32, chunk));
        let stride = group.stride();
        let words = (0..stride).map(|word| {
            let record = Exp::bin(BinOp::Mul, chunk.clone(), Exp::i32(stride as i32));
            let offset = Exp::bin(BinOp::Add, record, Exp::i32(word as i32));
            self.host_read(span, Exp::Var(records), offset, code::ty(Sc::I32))
        });
        let words: Vec<Exp> = words.collect();
        for (&(site, elements), number) in group.failures.iter().zip(1..) {
            let operands = self.sites[site as usize].cause.operands().len();
            let operands = words[1..][..operands].to_vec();
            let mut path = self.path_of_host();
            path.extend(of_chunks.then(|| Exp::bin(BinOp::Add, chunk.clone(), Exp::i32(1))));
            path.extend_from_slice(&words[3..][..elements]);
            let failed = words[0].clone();
            let check = Item::Check(Check { site, operands, path, order: None });
            let is = Exp::bin(BinOp::Eq, failed, Exp::i32(number));
            self.emit(span, Item::If(is, vec![(span, check)], Vec::new()));
        }
        let told = self.code.close();
        self.emit(span, Item::If(Exp::bin(BinOp::Ne, header, Exp::u32(0)), told, Vec::new()));
    }

    /// A kernel with this body, and its launch. Variables of the host become parameters.
    fn kernel(&mut self, span: Span, group: &Group, mut body: Block, count: Exp) -> Launch {
        let mut params: FxHashMap<Var, Var> = FxHashMap::default();
        let (mut typed, mut args) = (Vec::new(), Vec::new());
        let Self { names, host, .. } = self;
        change_block(&mut body, &mut |exp| {
            if let Exp::Var(var) = exp
                && let Some(ty) = host.get(var)
            {
                let param = *params.entry(*var).or_insert_with(|| {
                    let param = names.fresh(Wish::Like(*var));
                    typed.push((param, ty.clone()));
                    args.push(Exp::Var(*var));
                    param
                });
                *var = param;
            }
        });
        let number = self.kernels.len() as u32;
        self.kernels.push(Kernel {
            name: format!("groups_{}", number + 1),
            params: typed,
            group: group.size,
            workgroup: group.variables(),
            private: group.private(),
            body,
            record: None,
            span,
        });
        Launch { kernel: number, count, args, record: None }
    }
}
