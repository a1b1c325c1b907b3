//! Functions and their blocks: every block has a terminator, every id is defined once, and its definition
//! dominates its uses; only blocks of a loop branch back to its header.

use super::words::{self, Operand};
use super::{Read, Reader};
use crate::spirv::rules::Rule;
use rspirv::spirv::{Op as Opcode, Word};
use smallvec::SmallVec;
use std::cell::OnceCell;

/// A block of a function.
pub(super) struct RawBlock {
    pub(super) label: Word,
    /// Its instructions, without the label.
    pub(super) range: std::ops::Range<usize>,
    /// Blocks that it may go to.
    pub(super) next: SmallVec<[usize; 2]>,
    pub(super) reachable: bool,
    /// Does this block, or one after it, branch to it?
    again: bool,
    /// The instruction at which the next loop after the block begins, or the function ends. Up to there
    /// instructions are executed in the order of the module.
    pub(super) stretch: usize,
}

/// A function.
pub(super) struct RawFunction {
    pub(super) id: Word,
    pub(super) at: usize,
    pub(super) params: Vec<usize>,
    pub(super) blocks: Vec<RawBlock>,
    /// Can each block that is reachable be reached over blocks that stand before it? Then what dominates
    /// it, which is on every way there, does so too.
    ascends: bool,
}

impl RawFunction {
    /// The block that an instruction stands in, its labels aside.
    fn block_of(&self, at: usize) -> Option<usize> {
        let number = self.blocks.partition_point(|block| block.range.start <= at).checked_sub(1)?;
        self.blocks[number].range.contains(&at).then_some(number)
    }

    /// Is this instruction the label of one of its blocks?
    fn is_labelled(&self, at: usize) -> bool {
        self.blocks.binary_search_by_key(&(at + 1), |block| block.range.start).is_ok()
    }

    /// Says of each block whether it is reachable and whether a loop begins there. One walk over the blocks
    /// finds all, unless one of them is reached from behind only.
    fn reach(&mut self) {
        self.ascends = true;
        self.blocks[0].reachable = true;
        for number in 0..self.blocks.len() {
            let reachable = self.blocks[number].reachable;
            for n in 0..self.blocks[number].next.len() {
                let next = self.blocks[number].next[n];
                let block = &mut self.blocks[next];
                block.again |= next <= number;
                self.ascends &= !reachable || block.reachable || next > number;
                block.reachable |= reachable;
            }
        }
        if !self.ascends {
            for number in self.reverse_postorder() {
                self.blocks[number].reachable = true;
            }
        }
    }

    /// Says of each block how far its stretch goes. Where blocks stand before one that dominates them,
    /// which they must not, none goes further than its block.
    fn stretch(&mut self, dominators: &OnceCell<Dominators>) {
        if !self.ascends && !dominators.get_or_init(|| Dominators::of(self)).in_order() {
            return;
        }
        for number in (1..self.blocks.len()).rev() {
            if !self.blocks[number].again {
                self.blocks[number - 1].stretch = self.blocks[number].stretch;
            }
        }
    }

    /// The blocks that are reachable: none before what is on every way to it.
    #[cold]
    fn reverse_postorder(&self) -> Vec<usize> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.blocks.len()];
        let mut stack = vec![(0, 0)];
        seen[0] = true;
        while let Some((block, child)) = stack.pop() {
            match self.blocks[block].next.get(child) {
                Some(&next) => {
                    stack.push((block, child + 1));
                    if !std::mem::replace(&mut seen[next], true) {
                        stack.push((next, 0));
                    }
                }
                None => order.push(block),
            }
        }
        order.reverse();
        order
    }
}

/// What an instruction asks for.
struct Asked<'s> {
    /// Its operands, but the labels of a branch.
    operands: &'s [Operand],
    /// Is it a phi?
    phi: bool,
    /// How many of the first ones it does not use: that a pointer is loaded or stored through is no use,
    /// but for a store to a global variable.
    unused: usize,
    /// Up to where it uses the others.
    until: u32,
}

/// Does the instruction end a block?
pub(super) fn ends_block(opcode: Opcode) -> bool {
    use Opcode as O;
    matches!(
        opcode,
        O::Branch
            | O::BranchConditional
            | O::Switch
            | O::Return
            | O::ReturnValue
            | O::Unreachable
            | O::Kill
            | O::TerminateInvocation
    )
}

impl<'s> Reader<'s> {
    /// The functions of the module.
    pub(super) fn structure(&mut self) -> Read<Vec<RawFunction>> {
        let end = self.source.instructions.len();
        let instructions = self.source.instructions.iter().enumerate();
        for (at, instruction) in instructions.skip(self.first_function) {
            self.define(at, instruction)?;
        }
        let mut functions = Vec::with_capacity(2);
        let mut at = self.first_function;
        while at < end {
            let function = self.function(&mut at)?;
            functions.push(function);
        }
        for function in &mut functions {
            self.function = function.id;
            self.connect(function)?;
            let dominators = OnceCell::new();
            self.uses(function, &dominators)?;
            function.stretch(&dominators);
            if !function.blocks.iter().all(|block| block.reachable) {
                self.check_continues(function)?;
            }
        }
        self.function = 0;
        Ok(functions)
    }

    fn opcode(&self, at: usize) -> Option<Opcode> {
        self.source.opcode(at)
    }

    fn function(&mut self, at: &mut usize) -> Read<RawFunction> {
        let start = *at;
        if self.opcode(start) != Some(Opcode::Function) {
            return Err(self.invalid(start, Rule::Blocks, "label", "it stands in no function"));
        }
        let id = self.source.instructions[start].result_id.unwrap_or(0);
        self.function = id;
        let mut function = RawFunction {
            id,
            at: start,
            params: Vec::new(),
            blocks: Vec::with_capacity(8),
            ascends: true,
        };
        *at += 1;
        while self.opcode(*at) == Some(Opcode::FunctionParameter) {
            function.params.push(*at);
            *at += 1;
        }
        loop {
            match self.opcode(*at) {
                Some(Opcode::FunctionEnd) => break,
                Some(Opcode::Label) => {
                    let block = self.block(at)?;
                    if let Some(known) = self.ids.get_mut(block.label as usize) {
                        known.block = function.blocks.len() as u32;
                    }
                    function.blocks.push(block);
                }
                Some(_) => {
                    let text = "it stands in no block";
                    return Err(self.invalid(*at, Rule::Blocks, "label", text));
                }
                None => {
                    let text = "the function has no end";
                    return Err(self.invalid(start, Rule::Blocks, "terminator", text));
                }
            }
        }
        *at += 1;
        if function.blocks.is_empty() {
            return Err(self.unsupported(start, "a function without a body"));
        }
        Ok(function)
    }

    fn block(&mut self, at: &mut usize) -> Read<RawBlock> {
        let label = *at;
        *at += 1;
        loop {
            match self.opcode(*at) {
                Some(opcode) if ends_block(opcode) => break,
                Some(Opcode::Label | Opcode::FunctionEnd | Opcode::Function) | None => {
                    let text = "the block does not end in a branch or a return";
                    return Err(self.invalid(label, Rule::Blocks, "terminator", text));
                }
                Some(opcode) => {
                    self.phis |= opcode == Opcode::Phi;
                    *at += 1;
                }
            }
        }
        *at += 1;
        Ok(RawBlock {
            label: self.source.instructions[label].result_id.unwrap_or(0),
            range: label + 1..*at,
            next: SmallVec::new(),
            reachable: false,
            again: false,
            stretch: *at,
        })
    }

    /// The labels to which the instruction at the end of a block may go.
    fn targets(&self, at: usize) -> impl Iterator<Item = Word> {
        let from = match self.source.instructions[at].opcode {
            Opcode::Branch => 0,
            Opcode::BranchConditional | Opcode::Switch => 1,
            _ => usize::MAX,
        };
        let operands = self.source.operands(at);
        operands[from.min(operands.len())..].iter().filter_map(|operand| match operand {
            Operand::IdRef(id) => Some(*id),
            _ => None,
        })
    }

    /// The block of the function with this label.
    fn labelled(&self, function: &RawFunction, label: Word) -> Option<usize> {
        let number = self.ids.get(label as usize)?.block as usize;
        // Else it is the label of another function, or none.
        (function.blocks.get(number)?.label == label).then_some(number)
    }

    /// Follows the branches.
    fn connect(&self, function: &mut RawFunction) -> Read<()> {
        for number in 0..function.blocks.len() {
            let last = function.blocks[number].range.end - 1;
            let mut next = SmallVec::new();
            for label in self.targets(last) {
                match self.labelled(function, label) {
                    Some(target) => next.push(target),
                    None => {
                        let text = format!("{} is no block of the function", self.called(label));
                        return Err(self.invalid(last, Rule::Blocks, "label", &text));
                    }
                }
            }
            function.blocks[number].next = next;
        }
        function.reach();
        Ok(())
    }

    /// The labels that the merge instruction of a block names: where what it begins ends, and of a
    /// loop where its rounds end.
    fn merges(&self, block: &RawBlock) -> (Option<Word>, Option<Word>) {
        let Some(at) = block.range.end.checked_sub(2).filter(|at| block.range.contains(at)) else {
            return (None, None);
        };
        let id = |n| self.source.id(at, n);
        match self.source.instructions[at].opcode {
            Opcode::SelectionMerge => (id(0), None),
            Opcode::LoopMerge => (id(0), id(1)),
            _ => (None, None),
        }
    }

    /// Branches to the continue target of a loop come from blocks of the loop. A block to which
    /// nothing leads, neither a branch nor a merge instruction, is in none.
    fn check_continues(&self, function: &RawFunction) -> Read<()> {
        let mut reached = vec![false; function.blocks.len()];
        let mut continues = Vec::new();
        let mut open = Vec::with_capacity(function.blocks.len());
        open.push(0);
        while let Some(number) = open.pop() {
            if std::mem::replace(&mut reached[number], true) {
                continue;
            }
            let block = &function.blocks[number];
            let (merge, again) = self.merges(block);
            let named =
                |label: Option<Word>| label.and_then(|label| self.labelled(function, label));
            open.extend(block.next.iter().copied().chain(named(merge)).chain(named(again)));
            continues.extend(named(again));
        }
        for (block, _) in function.blocks.iter().zip(reached).filter(|(_, reached)| !reached) {
            if let Some(target) = block.next.iter().find(|next| continues.contains(next)) {
                let label = function.blocks[*target].label;
                let text = format!("it goes on with a loop that it is not in, at %{label}");
                return Err(self.invalid(block.range.end - 1, Rule::Continue, "contained", &text));
            }
        }
        Ok(())
    }

    /// Every use of an id is dominated by its definition, which also stands before it.
    ///
    /// Goes from the end on and notes the last uses, for uses stand behind what they use: what is another
    /// name of an operand is used as long as that name. Only phis ask for what stands behind them, where
    /// control comes from, so they come first.
    fn uses(&mut self, function: &RawFunction, dominators: &OnceCell<Dominators>) -> Read<()> {
        if self.phis {
            self.note_phis(function);
        }
        let first = function.at..function.blocks[0].range.end;
        for (number, block) in function.blocks.iter().enumerate().rev() {
            for at in block.range.clone().rev() {
                let Asked { operands, phi, unused, until } = self.asked(at);
                for (n, operand) in operands.iter().enumerate() {
                    let Some(id) = words::id(operand) else { continue };
                    let definition = match self.ids.get_mut(id as usize) {
                        Some(known) if !known.is_new() => {
                            if n >= unused {
                                known.last_use = known.last_use.max(until);
                            }
                            known.defined as usize
                        }
                        _ => return self.first_use_that_is_wrong(function, dominators),
                    };
                    // Most often it stands before it in the same block, before all functions, or in
                    // the first block, which dominates all others.
                    let before = block.range.start <= definition && definition < at
                        || definition < self.first_function
                        || number > 0 && first.contains(&definition);
                    if (phi || !before)
                        && self.check_use(function, dominators, (number, at, n)).is_err()
                    {
                        return self.first_use_that_is_wrong(function, dominators);
                    }
                }
            }
        }
        Ok(())
    }

    /// What phis use is used to the end.
    #[cold]
    fn note_phis(&mut self, function: &RawFunction) {
        for at in function.blocks.iter().flat_map(|block| block.range.clone()) {
            if self.opcode(at) == Some(Opcode::Phi) {
                for id in self.source.operands(at).iter().filter_map(words::id) {
                    if let Some(known) = self.ids.get_mut(id as usize) {
                        known.last_use = u32::MAX;
                    }
                }
            }
        }
    }

    /// The last use of each id, by the number of the instruction; 0 if there is none.
    pub(super) fn last_use(&self, id: Word) -> u32 {
        self.ids.get(id as usize).map_or(u32::MAX, |known| known.last_use)
    }

    /// What an instruction asks for.
    #[inline]
    fn asked(&self, at: usize) -> Asked<'s> {
        let instruction = &self.source.instructions[at];
        let operands = self.source.operands_of(instruction);
        let all = Asked { operands, phi: false, unused: 0, until: at as u32 };
        match instruction.opcode {
            // Where it goes has been followed.
            Opcode::Branch => Asked { operands: &[], ..all },
            Opcode::BranchConditional | Opcode::Switch => {
                Asked { operands: operands.get(..1).unwrap_or_default(), ..all }
            }
            Opcode::Load => Asked { unused: usize::MAX, ..all },
            Opcode::Phi => Asked { phi: true, unused: usize::MAX, ..all },
            Opcode::Store => {
                let pointer = operands.first().and_then(words::id);
                let global = pointer.is_some_and(|id| self.address(id).is_some());
                Asked { unused: usize::from(!global), ..all }
            }
            Opcode::CompositeExtract
            | Opcode::CopyObject
            | Opcode::CopyLogical
            | Opcode::Bitcast
            | Opcode::AccessChain
            | Opcode::InBoundsAccessChain => {
                let named = instruction.result_id.map_or(0, |id| self.last_use(id));
                Asked { until: named.max(all.until), ..all }
            }
            _ => all,
        }
    }

    /// What is wrong with the first use in a function that is wrong.
    #[cold]
    fn first_use_that_is_wrong(
        &self,
        function: &RawFunction,
        dominators: &OnceCell<Dominators>,
    ) -> Read<()> {
        for (number, block) in function.blocks.iter().enumerate() {
            for at in block.range.clone() {
                for n in 0..self.asked(at).operands.len() {
                    self.check_use(function, dominators, (number, at, n))?;
                }
            }
        }
        Ok(())
    }

    /// Operand `n` of an instruction, which stands in the block with this number.
    #[inline(never)]
    fn check_use(
        &self,
        function: &RawFunction,
        dominators: &OnceCell<Dominators>,
        (number, at, n): (usize, usize, usize),
    ) -> Read<()> {
        let Some(id) = self.source.id(at, n) else { return Ok(()) };
        let definition = match self.ids.get(id as usize) {
            Some(known) if !known.is_new() => known.defined as usize,
            _ => return Err(self.unknown(at, id)),
        };
        if !function.blocks[number].reachable {
            return Ok(());
        }
        let place = match self.opcode(at) {
            // A phi uses its operand at the end of the block that it comes from.
            Some(Opcode::Phi) if n % 2 == 0 => match self.parent(function, at, n)? {
                Some(parent) => (parent, usize::MAX),
                None => return Ok(()),
            },
            Some(Opcode::Phi) => return Ok(()),
            _ => (number, at),
        };
        if self.reaches(function, dominators, definition, place) {
            return Ok(());
        }
        let text = format!("the definition of %{id} does not dominate its use");
        Err(self.invalid(at, Rule::Dominance, "dominates", &text))
    }

    /// The block that operand `n` of a phi comes from, if it is reachable.
    fn parent(&self, function: &RawFunction, at: usize, n: usize) -> Read<Option<usize>> {
        let label = self.id(at, n + 1)?;
        match self.labelled(function, label) {
            Some(parent) => Ok(function.blocks[parent].reachable.then_some(parent)),
            None => {
                let text = format!("{} is no block of the function", self.called(label));
                Err(self.invalid(at, Rule::Blocks, "label", &text))
            }
        }
    }

    /// Does the definition dominate a use in this block at this place?
    fn reaches(
        &self,
        function: &RawFunction,
        dominators: &OnceCell<Dominators>,
        definition: usize,
        (used_in, used_at): (usize, usize),
    ) -> bool {
        if definition < self.first_function || function.params.contains(&definition) {
            return true;
        }
        match self.opcode(definition) {
            Some(Opcode::Function) => true,
            // What names a label and is no branch is a merge.
            Some(Opcode::Label) => function.is_labelled(definition),
            _ => match function.block_of(definition) {
                None => false,
                Some(defined_in) if defined_in == used_in => definition < used_at,
                Some(defined_in) => {
                    let dominators = || dominators.get_or_init(|| Dominators::of(function));
                    definition < used_at && dominators().dominates(defined_in, used_in)
                }
            },
        }
    }
}

/// The immediate dominator of each reachable block, by the algorithm of Cooper, Harvey and
/// Kennedy.
struct Dominators {
    /// By block; `usize::MAX` if it is not reachable.
    immediate: Vec<usize>,
    /// Number by block in an order in which a block comes behind those that dominate it.
    order: Vec<usize>,
    /// By block, the numbers of the blocks that it dominates, in an order in which these are side by side, its own
    /// first. Code without loops may have as many blocks below one another as it is long, so no use goes up their tree.
    dominated: Vec<std::ops::Range<usize>>,
}

impl Dominators {
    fn of(function: &RawFunction) -> Self {
        let count = function.blocks.len();
        let blocks = match function.ascends {
            true => (0..count).filter(|block| function.blocks[*block].reachable).collect(),
            false => function.reverse_postorder(),
        };
        let mut order = vec![usize::MAX; count];
        blocks.iter().enumerate().for_each(|(number, block)| order[*block] = number);
        let mut immediate = vec![usize::MAX; count];
        immediate[0] = 0;
        let mut dominators = Self { immediate, order, dominated: Vec::new() };
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &block in &blocks {
                for &next in &function.blocks[block].next {
                    let known = dominators.immediate[next];
                    let new = match known {
                        usize::MAX => block,
                        _ => dominators.meet(known, block),
                    };
                    dominators.immediate[next] = new;
                    // What comes behind the block has not been asked yet for what dominates it.
                    let back = dominators.order[next] <= dominators.order[block];
                    changed |= back && new != known;
                }
            }
        }
        dominators.number(&blocks);
        dominators
    }

    /// Numbers the blocks, which come in the order, as a walk over the tree of dominators meets them.
    fn number(&mut self, blocks: &[usize]) {
        let mut sizes = vec![1; self.immediate.len()];
        for &block in blocks.iter().skip(1).rev() {
            sizes[self.immediate[block]] += sizes[block];
        }
        self.dominated = vec![0..0; self.immediate.len()];
        // Where the next block below one is put.
        let mut next = vec![1; self.immediate.len()];
        self.dominated[0] = 0..sizes[0];
        for &block in blocks.iter().skip(1) {
            let start = next[self.immediate[block]];
            next[self.immediate[block]] += sizes[block];
            next[block] = start + 1;
            self.dominated[block] = start..start + sizes[block];
        }
    }

    /// Does no block stand before the one that dominates it?
    fn in_order(&self) -> bool {
        let mut blocks = self.immediate.iter().enumerate();
        blocks.all(|(block, immediate)| *immediate == usize::MAX || *immediate <= block)
    }

    fn meet(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            while self.order[a] > self.order[b] {
                a = self.immediate[a];
            }
            while self.order[b] > self.order[a] {
                b = self.immediate[b];
            }
        }
        a
    }

    /// Is one block on every way to another one, which is reachable?
    fn dominates(&self, a: usize, b: usize) -> bool {
        self.dominated[a].contains(&self.dominated[b].start)
    }
}
