//! Records of failed checks that a program writes by hand. Most are right, and then the launch is stuck as the check
//! that they tell; the others are none, and then it is stuck itself.

use super::host::Hosting;
use super::scope::{Here, Making};
use reference::device::parse;
use reference::device::print;
use reference::device::record::{HIGHEST_KEY, Layout, header};
use reference::device::syntax::{
    AtomicOp, Builtin, Check, Element, Exp, Host, If, Kernel, Kind, Lit, MAX_GROUP, Place, Program,
    Sc, Ty, U32,
};
use reference::kit::names::Var;
use reference::kit::outcome::Cause;
use reference::kit::scalar::BinOp;

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrong {
    Nothing,
    /// Nobody writes it.
    Absent,
    /// The launch has no such work group.
    Group,
    /// The work group has none.
    Empty,
    /// The check that it tells holds.
    Holds,
    /// There is no such site.
    Site,
    /// It tells a longer path than its layout has room for.
    Path,
    /// Its layout has not enough room for the operands.
    Operands,
}

/// A kernel that writes a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recording {
    wrong: Wrong,
    /// The block that it writes.
    block: Var,
    layout: Layout,
    cause: Cause,
    operands: [i32; 2],
    /// Is it asked whether a word lies inside the block before it is written?
    asks: bool,
    /// How many words the block lacks.
    lacks: u32,
}

impl Making<'_, '_> {
    /// Lets a kernel write a record.
    pub(super) fn record(&mut self, params: &mut Vec<(Var, Ty)>) -> Recording {
        let wrong = match self.draw.weighed(&[10, 3, 2, 2, 2, 2, 2, 2]) {
            0 => Wrong::Nothing,
            1 => Wrong::Absent,
            2 => Wrong::Group,
            3 => Wrong::Empty,
            4 => Wrong::Holds,
            5 => Wrong::Site,
            6 => Wrong::Path,
            _ => Wrong::Operands,
        };
        let size = 1 + self.draw.below(9) as i32;
        let beyond = self.draw.pick(&[-1, size + 1, i32::MIN, 70_000]);
        let (cause, fails, holds) = match self.draw.below(4) {
            0 => (Cause::Index, [beyond, size], [size, size]),
            1 => (Cause::OutsideBlock, [beyond, size], [0, size]),
            2 => (Cause::DivisionByZero, [beyond, 0], [beyond, -1]),
            _ => (Cause::NegativeSize, [-size, 0], [size, 0]),
        };
        let operands = cause.operands().len() as u32;
        let layout = Layout {
            path: self.draw.below(3) as u32,
            operands: match wrong {
                Wrong::Operands => operands - 1,
                _ => operands + self.draw.below(2) as u32,
            },
            narrow: self.draw.chance(60),
        };
        let block = self.fresh('r');
        params.push((block, Ty::Block(Element::Atomic(Sc::U32))));
        let operands = if wrong == Wrong::Holds { holds } else { fails };
        let lacks = if self.draw.chance(20) { 1 + self.draw.below(12) as u32 } else { 0 };
        Recording { wrong, block, layout, cause, operands, asks: self.draw.chance(60), lacks }
    }

    /// Ends the body of a kernel: some invocations write its record. The first two statements are for [`numbered`].
    pub(super) fn write_record(&mut self, recording: Recording) {
        let Recording { wrong, layout, cause, operands, .. } = recording;
        // A check that nobody comes to, which makes the site.
        let span = self.span();
        let nobody = Exp::bin(BinOp::Ge, Exp::Builtin(Builtin::LocalId), Exp::u32(MAX_GROUP));
        let here = Here { uniform: false, ..self.here.clone() };
        let told = operands[..cause.operands().len()].iter().map(|k| Exp::i32(*k)).collect();
        let (then, ()) = self.body(1, here.clone(), |making| making.check_of(cause, told));
        self.emit_at(span, Kind::If(If { cond: nobody, then, orelse: Vec::new() }));
        let site = self.fresh('s');
        let number = if wrong == Wrong::Site { 4_000 } else { 0 };
        self.emit(Kind::Let(site, U32, Exp::u32(number)));
        let span = self.span();
        let cond = match wrong {
            Wrong::Absent => {
                let invocations = Exp::Builtin(Builtin::Invocations);
                Exp::bin(BinOp::Ge, invocations, Exp::u32(u32::MAX))
            }
            _ => {
                let id = self.draw.pick(&[Builtin::LocalId, Builtin::GlobalId]);
                let op = self.draw.pick(&[BinOp::Ge, BinOp::Eq]);
                Exp::bin(op, Exp::Builtin(id), Exp::u32(self.draw.below(4) as u32))
            }
        };
        let (then, ()) = self.body(1, here, |making| {
            if wrong != Wrong::Empty {
                making.words(recording, site);
            }
            let group = Exp::Builtin(Builtin::GroupId);
            let lowest = match wrong {
                Wrong::Group => header(1_000_000),
                _ => header(0),
            };
            let told = Exp::bin(BinOp::Sub, Exp::u32(lowest), group);
            making.word(recording, Exp::u32(0), told);
        });
        self.emit_at(span, Kind::If(If { cond, then, orelse: Vec::new() }));
        debug_assert!(layout.is_small());
    }

    /// The words of the record of a work group, each half with the key of the invocation.
    fn words(&mut self, recording: Recording, site: Var) {
        let Recording { wrong, layout, cause, operands, .. } = recording;
        let [key, first] = [(); 2].map(|()| self.fresh('k'));
        let id = Exp::Builtin(Builtin::LocalId);
        let lowest_first = Exp::bin(BinOp::Sub, Exp::u32(HIGHEST_KEY), id);
        self.emit(Kind::Let(key, U32, Exp::bin(BinOp::Shl, lowest_first, Exp::u32(16))));
        let group = Exp::Builtin(Builtin::GroupId);
        let before = Exp::bin(BinOp::Mul, group, Exp::u32(layout.stride()));
        self.emit(Kind::Let(first, U32, Exp::bin(BinOp::Add, before, Exp::u32(1))));
        let path = match wrong {
            Wrong::Path => layout.path + 1,
            _ => self.draw.below(layout.path as usize + 1) as u32,
        };
        let mut words = vec![(0, Exp::Var(site)), (1, Exp::Builtin(Builtin::GlobalId))];
        words.push((2, Exp::u32(path)));
        words.extend((0..path.min(layout.path)).map(|step| (3 + step, Exp::u32(step + 1))));
        let told = cause.operands().len().min(layout.operands as usize);
        for (number, operand) in operands[..told].iter().enumerate() {
            let at = layout.operand(number as u32);
            words.push((at, Exp::u32(*operand as u32)));
            if !layout.narrow && *operand < 0 {
                words.push((at + 1, Exp::u32(u32::MAX)));
            }
        }
        for (at, word) in words {
            let low = Exp::bin(BinOp::And, word.clone(), Exp::u32(0xffff));
            let high = Exp::bin(BinOp::Shr, word.clone(), Exp::u32(16));
            for (half, value) in [(0, low), (1, high)] {
                // A half that is 0 need not be written.
                let zero = matches!(word, Exp::Lit(Lit::U32(k)) if k >> (16 * half) & 0xffff == 0);
                if !zero {
                    let at = Exp::bin(BinOp::Add, Exp::Var(first), Exp::u32(2 * at + half));
                    self.word(recording, at, Exp::bin(BinOp::Or, Exp::Var(key), value));
                }
            }
        }
    }

    /// `atomic max(b[e], e')`
    fn word(&mut self, recording: Recording, at: Exp, value: Exp) {
        let block = Exp::Var(recording.block);
        let inside = Exp::bin(BinOp::Lt, at.clone(), Exp::Length(Box::new(block.clone())));
        let place = Place::Element(block, at);
        let write = Kind::Atomic { into: None, op: AtomicOp::Max, place, operands: vec![value] };
        if !recording.asks || recording.lacks == 0 {
            return self.emit(write);
        }
        let span = self.span();
        let here = self.here.clone();
        let (then, ()) = self.body(1, here, |making| making.emit(write));
        self.emit_at(span, Kind::If(If { cond: inside, then, orelse: Vec::new() }));
    }
}

impl Recording {
    /// The block of the record.
    pub(super) fn block(&self) -> Var {
        self.block
    }

    /// Its layout.
    pub(super) fn layout(&self) -> Layout {
        self.layout
    }
}

impl Hosting<'_, '_, '_> {
    /// A block for the record of a launch of so many invocations.
    pub(super) fn record_block(&mut self, recording: Recording, groups: u32) -> Exp {
        let words = recording.layout.words(groups.into()) as u32;
        let size = self.exactly(words.saturating_sub(recording.lacks) as i32);
        let block = self.making.fresh('m');
        self.say(Host::Alloc { block, element: Element::Atomic(Sc::U32), size });
        Exp::Var(block)
    }
}

/// The program as it is read: sites have numbers in the order of the text, and a record tells the number of its site.
///
/// # Panics
/// If what is printed is no program.
pub(super) fn numbered(program: &Program) -> Program {
    let mut read = parse::program(&print::program(program)).expect("what is printed parses");
    let recorded = |kernel: &&mut Kernel| kernel.record.is_some();
    for Kernel { body, .. } in read.kernels.iter_mut().filter(recorded) {
        let at = body.len() - 3;
        let [check, site, _] = &mut body[at..] else { continue };
        let (Kind::If(If { then, .. }), Kind::Let(_, _, number)) = (&check.kind, &mut site.kind)
        else {
            continue;
        };
        if let [stm] = then.as_slice()
            && let Kind::Check(Check { site, .. }) = stm.kind
            && *number == Exp::u32(0)
        {
            *number = Exp::u32(site);
        }
    }
    read
}
