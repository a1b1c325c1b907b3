//! Executes the operations of one invocation, up to its end or to a barrier.

use super::memory::{misplaced, place_of};
use super::{Failure, Invocation, Return, Running};
use crate::kit::faults::WrongJudge;
use crate::kit::schedule::Step;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, Call, NONE, Op};
use crate::spirv::values::{Remark, Slot};

/// Why an invocation stopped for now.
pub(super) enum Stopped {
    /// It has returned.
    Done,
    /// It waits at the barrier that is this operation.
    Waiting(usize),
    /// The schedule leaves it behind an atomic operation. It can go on.
    Left,
}

/// The most operations whose premises failed that are kept for a report and for the coverage.
const MAX_PARTIAL: usize = 64;

/// The worse of two: undefined if one of them is.
#[inline]
fn both(a: Slot, b: Slot) -> u32 {
    a.origin.max(b.origin)
}

pub(super) fn fail(
    rule: Rule,
    premise: &'static str,
    at: usize,
    text: impl Into<String>,
    origin: u32,
) -> Box<Failure> {
    Box::new(Failure { rule, premise, at, text: text.into(), origin })
}

impl Invocation {
    /// `OpReturnValue`: the value goes to the frame of the caller, which goes on where this says.
    fn returned(&mut self, to: &Return, from: At, count: u32) -> usize {
        let from = self.frame + from as usize;
        self.registers.copy_within(from..from + count as usize, to.frame + to.to as usize);
        (self.frame, self.memory, self.function) = (to.frame, to.memory, to.function);
        to.next
    }
}

impl Running<'_> {
    /// `OpLoopMerge`
    ///
    /// ```text
    /// the launch has fuel for the instructions of the block  (fuel)
    /// ──────────────────────────────────────────────────────────────
    /// the block is entered
    /// ```
    ///
    /// Where all that it does is to go on to another one, so is that.
    #[inline(always)]
    fn enter(&mut self, mut block: u32, mut at: usize) -> Result<usize, Box<Failure>> {
        loop {
            let entered = &mut self.blocks[block as usize];
            let Some(left) = self.fuel.checked_sub(u64::from(entered.cost)) else {
                self.stopped = block;
                return Err(out_of_fuel(at));
            };
            self.fuel = left;
            entered.count += 1;
            let start = entered.start as usize;
            if entered.onward == NONE {
                return Ok(start);
            }
            (block, at) = (entered.onward, start);
        }
    }

    /// Runs an invocation until it is done or waits.
    ///
    /// Rare operations are in a function of their own ([`Running::cold`]), so that the compiler keeps what
    /// the others need in registers. For the same reason the index of an operation is computed from what is
    /// left of the code, where it is needed.
    pub(super) fn run(&mut self, invocation: &mut Invocation) -> Result<Stopped, Box<Failure>> {
        let module = self.module;
        if invocation.next == NONE as usize {
            let entry = &module.functions[module.entry as usize];
            invocation.next = self.enter(entry.entry, module.code.len())?;
        }
        let code = module.code.as_slice();
        // What is behind the operation at hand, up to the end of the code.
        let mut ops = code[invocation.next..].iter();
        // From the frame on: what operations name is a place in it.
        let mut registers = &mut invocation.registers[invocation.frame..];
        macro_rules! at {
            () => {
                code.len() - ops.len() - 1
            };
        }
        macro_rules! slot {
            ($at:expr) => {
                registers[$at as usize]
            };
        }
        macro_rules! total {
            ($to:expr, $a:expr, $b:expr, |$x:ident, $y:ident| $f:expr) => {{
                let (a, b) = (slot!($a), slot!($b));
                let ($x, $y) = (a.bits, b.bits);
                slot!($to) = Slot { bits: u64::from($f), origin: both(a, b) };
            }};
        }
        while let Some(op) = ops.next() {
            match *op {
                Op::Binary { f, to, a, b } => {
                    let (a, b) = (slot!(a), slot!(b));
                    slot!(to) = Slot { bits: f(a.bits, b.bits), origin: both(a, b) };
                }
                Op::Add { to, a, b } => total!(to, a, b, |a, b| a.wrapping_add(b) as u32),
                Op::Subtract { to, a, b } => total!(to, a, b, |a, b| a.wrapping_sub(b) as u32),
                Op::Multiply { to, a, b } => total!(to, a, b, |a, b| a.wrapping_mul(b) as u32),
                Op::Equal { to, a, b } => total!(to, a, b, |a, b| a == b),
                Op::Less { to, a, b } => total!(to, a, b, |a, b| a < b),
                Op::NotLess { to, a, b } => total!(to, a, b, |a, b| a >= b),
                Op::Unary { f, to, a } => {
                    let a = slot!(a);
                    slot!(to) = Slot { bits: f(a.bits), origin: a.origin };
                }
                Op::And { to, a, b } => {
                    slot!(to) = absorbing(slot!(a), slot!(b), 0, |a, b| a & b);
                }
                Op::Copy { to, from, count: 1 } => slot!(to) = slot!(from),
                Op::Copy { to, from, count } => {
                    for i in 0..count {
                        slot!(to + i) = slot!(from + i);
                    }
                }
                Op::Select { to, condition, a, b, count, each } => {
                    for i in 0..count {
                        let condition = slot!(condition + i * u32::from(each));
                        let chosen = if condition.bits != 0 { slot!(a + i) } else { slot!(b + i) };
                        let clean = self.wrong(WrongJudge::SelectCleans);
                        let origin = if clean { 0 } else { both(condition, chosen) };
                        slot!(to + i) = Slot { origin, ..chosen };
                    }
                }
                Op::Offset { to, base, by } => {
                    let base = slot!(base);
                    slot!(to) = Slot { bits: base.bits + u64::from(by), ..base };
                }
                Op::RuntimeElement { to, base, index, stride } => {
                    let (base, index) = (slot!(base), slot!(index));
                    let words = index.bits.saturating_mul(u64::from(stride));
                    let inside = self.has_words(base, words, stride);
                    slot!(to) = if index.origin > 0 || !inside {
                        self.no_runtime_element(base, index, stride, at!())?
                    } else {
                        further(base, words)
                    };
                }
                Op::LoadWord { to, pointer } => {
                    slot!(to) = self.read_word(slot!(pointer), 0, at!())?;
                }
                Op::StoreWord { pointer, from } => {
                    self.write_word(slot!(pointer), 0, slot!(from), at!())?;
                }
                Op::LoadOwn { to, pointer, count } => {
                    let Some(from) = place_of(slot!(pointer), count, &invocation.own) else {
                        let value = self.misread(slot!(pointer), invocation.own.len(), at!())?;
                        (to..to + count).for_each(|to| slot!(to) = value);
                        continue;
                    };
                    for (i, value) in (0..).zip(&invocation.own[from]) {
                        slot!(to + i) = match value.origin {
                            u32::MAX => self.unwritten(at!())?,
                            _ => *value,
                        };
                    }
                }
                Op::StoreOwn { pointer, from, count } => {
                    let Some(to) = place_of(slot!(pointer), count, &invocation.own) else {
                        return Err(misplaced(
                            Rule::Store,
                            slot!(pointer),
                            invocation.own.len(),
                            at!(),
                        ));
                    };
                    for (i, slot) in (0..).zip(&mut invocation.own[to]) {
                        *slot = slot!(from + i);
                    }
                }
                Op::Jump { block } => ops = code[self.enter(block, at!())?..].iter(),
                Op::Branch { condition, yes, no } => {
                    let condition = slot!(condition);
                    if condition.origin > 0 {
                        self.hangs(Rule::Branch, "condition", condition, at!())?;
                    }
                    let block = if condition.bits != 0 { yes } else { no };
                    ops = code[self.enter(block, at!())?..].iter();
                }
                Op::Switch(number) => {
                    let switch = &module.switches[number as usize];
                    let selector = slot!(switch.selector);
                    if selector.origin > 0 {
                        self.hangs(Rule::Switch, "selector", selector, at!())?;
                    }
                    let case = switch.cases.iter().find(|(k, _)| *k == selector.bits);
                    let block = case.map_or(switch.default, |(_, block)| *block);
                    ops = code[self.enter(block, at!())?..].iter();
                }
                Op::Call(number) => {
                    let next = self.call(invocation, &module.calls[number as usize], at!())?;
                    ops = code[next..].iter();
                    registers = &mut invocation.registers[invocation.frame..];
                }
                Op::Return { from, count } => {
                    let Some(to) = invocation.calls.pop() else { return Ok(Stopped::Done) };
                    ops = code[invocation.returned(&to, from, count)..].iter();
                    registers = &mut invocation.registers[invocation.frame..];
                }
                Op::Barrier { .. } | Op::Subgroup(_) => {
                    let at = at!();
                    invocation.next = at + 1;
                    return Ok(Stopped::Waiting(at));
                }
                Op::Unreachable => {
                    let text = "an invocation reaches what it must not reach";
                    return Err(fail(Rule::Unreachable, "reached", at!(), text, 0));
                }
                Op::Or { .. }
                | Op::Partial(_)
                | Op::Rounding(_)
                | Op::Undefine { .. }
                | Op::Extract { .. }
                | Op::Insert { .. }
                | Op::Variable { .. }
                | Op::Element { .. }
                | Op::ByteElement { .. }
                | Op::Length { .. }
                | Op::LoadGroup { .. }
                | Op::StoreGroup { .. }
                | Op::StoreComponent { .. }
                | Op::RewriteBuffer { .. }
                | Op::LoadLaid { .. }
                | Op::StoreLaid { .. }
                | Op::Atomic(_) => {
                    let changed = self.changed;
                    self.cold(op, invocation, at!())?;
                    if self.preempts && matches!(op, Op::Atomic(_)) {
                        let step = Step::Atomic { changes: self.changed != changed };
                        if !self.schedule.stays(step) {
                            invocation.next = at!() + 1;
                            return Ok(Stopped::Left);
                        }
                    }
                    registers = &mut invocation.registers[invocation.frame..];
                }
            }
        }
        unreachable!("a block ends in a branch or a return")
    }

    /// There is no such element of an array that ends with its buffer, or the index is none that every device has.
    #[cold]
    fn no_runtime_element(
        &mut self,
        base: Slot,
        index: Slot,
        stride: u32,
        at: usize,
    ) -> Result<Slot, Box<Failure>> {
        if base.is_undefined() {
            return Ok(base);
        }
        let count = self.elements(base, 0, stride);
        if self.element(index, count.into(), "length", at)? {
            return Ok(further(base, index.bits.saturating_mul(u64::from(stride))));
        }
        Ok(nowhere(base, at))
    }

    /// Is there an element of this index? `OpAccessChain`
    ///
    /// ```text
    /// the index is defined  (defined)      0 ≤ index < elements  (bounds)
    /// ───────────────────────────────────────────────────────────────────
    /// a pointer to the element
    /// ```
    ///
    /// The second premise is called `length` where the array ends with its buffer. Where a run goes on behind bad reads,
    /// there is none, and the pointer is undefined.
    #[cold]
    pub(super) fn element(
        &mut self,
        index: Slot,
        count: u64,
        premise: &'static str,
        at: usize,
    ) -> Result<bool, Box<Failure>> {
        if index.origin > 0 {
            self.hangs(Rule::AccessChain, "index", index, at)?;
        }
        if index.bits < count {
            return Ok(true);
        }
        let number = index.bits as u32 as i32;
        if !self.strictness.goes_on() || self.wrong(WrongJudge::ReadsEndRuns) {
            let text = format!("index {number} of an array of {count}");
            return Err(fail(Rule::AccessChain, premise, at, text, 0));
        }
        self.undefined(at, Rule::AccessChain, if premise == "bounds" { 2 } else { 3 });
        self.outside(at, number, count);
        Ok(false)
    }

    /// What is read by a pointer that names no memory: undefined, where a run goes on behind that.
    #[cold]
    pub(super) fn misread(
        &mut self,
        pointer: Slot,
        slots: usize,
        at: usize,
    ) -> Result<Slot, Box<Failure>> {
        if self.strictness.goes_on() && pointer.is_undefined() {
            return Ok(Slot { bits: 0, ..pointer });
        }
        Err(misplaced(Rule::Load, pointer, slots, at))
    }

    /// `OpLoad` of what nothing wrote.
    #[cold]
    pub(super) fn unwritten(&self, at: usize) -> Result<Slot, Box<Failure>> {
        if self.wrong(WrongJudge::UnwrittenIsZero) {
            return Ok(Slot::new(0));
        }
        Err(fail(Rule::Load, "written", at, "nothing wrote the memory that is read", 0))
    }

    /// Something hangs on a value that is open, or on one that is undefined.
    #[cold]
    pub(super) fn hangs(
        &mut self,
        rule: Rule,
        what: &str,
        slot: Slot,
        at: usize,
    ) -> Result<(), Box<Failure>> {
        if slot.is_undefined() {
            return Err(undefined(rule, what, slot, at));
        }
        let (remark, why) = match slot.is_unbounded() {
            true => (Remark::NotFinite, "need not be finite"),
            false => (Remark::Rounding, "is open"),
        };
        let text = format!("the {what} hangs on a value that {why}");
        self.note(remark, at, slot.origin, text);
        Ok(())
    }

    /// A premise of arithmetic failed: its result is undefined, which need not matter.
    #[cold]
    pub(super) fn undefined(&mut self, at: usize, rule: Rule, premise: u8) {
        let failed = (at, rule, premise);
        if self.partial.len() < MAX_PARTIAL && !self.partial.contains(&failed) {
            self.partial.push(failed);
        }
    }

    /// `OpFunctionCall`: a frame behind the caller's, with constants and arguments.
    #[inline(never)]
    fn call(
        &mut self,
        invocation: &mut Invocation,
        call: &Call,
        at: usize,
    ) -> Result<usize, Box<Failure>> {
        let module = self.module;
        let caller = &module.functions[invocation.function as usize];
        let callee = &module.functions[call.function as usize];
        invocation.calls.push(Return {
            next: at + 1,
            frame: invocation.frame,
            function: invocation.function,
            memory: invocation.memory,
            to: call.to,
        });
        let frame = invocation.frame + caller.frame.len();
        invocation.registers[frame..frame + callee.frame.len()].copy_from_slice(&callee.frame);
        for ((from, count), to) in call.arguments.iter().zip(&callee.params) {
            let from = invocation.frame + *from as usize;
            let range = from..from + *count as usize;
            invocation.registers.copy_within(range, frame + *to as usize);
        }
        invocation.memory += caller.memory as usize;
        invocation.frame = frame;
        invocation.function = call.function;
        self.enter(callee.entry, at)
    }
}

#[cold]
fn out_of_fuel(at: usize) -> Box<Failure> {
    fail(Rule::Loop, "fuel", at, "the launch does not end within its fuel", 0)
}

/// An operator of which one operand decides: whatever the other is, if this one is `absorbing`.
#[inline]
pub(super) fn absorbing(a: Slot, b: Slot, absorbing: u64, f: fn(u64, u64) -> u64) -> Slot {
    if both(a, b) == 0 {
        return Slot::new(f(a.bits, b.bits));
    }
    let decides = |slot: Slot| slot.origin == 0 && slot.bits == absorbing;
    if decides(a) || decides(b) {
        return Slot::new(absorbing);
    }
    Slot { bits: f(a.bits, b.bits), origin: both(a, b) }
}

/// A pointer so many words further, in the same buffer.
#[inline]
fn further(base: Slot, words: u64) -> Slot {
    let word = u64::from(base.bits as u32).saturating_add(words).min(u32::MAX.into());
    Slot { bits: base.bits >> 32 << 32 | word, ..base }
}

/// A pointer to an element that there is not. In a buffer it names a word that no buffer has.
pub(super) fn nowhere(base: Slot, at: usize) -> Slot {
    Slot { bits: base.bits >> 32 << 32 | 1 << 31, ..Slot::undefined_at(at) }
}

#[cold]
pub(super) fn undefined(rule: Rule, what: &str, slot: Slot, at: usize) -> Box<Failure> {
    fail(rule, "defined", at, format!("the {what} is undefined"), slot.origin)
}
