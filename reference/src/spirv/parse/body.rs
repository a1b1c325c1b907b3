//! Bodies of functions: from instructions to operations over a frame.

use super::memory::Pointers;
use super::structure::{RawBlock, RawFunction};
use super::variables::Whereabouts;
use super::words::{self, Instruction, Operand};
use super::{MAX_SLOTS, Read, Reader, Refusal};
use crate::kit::rules::Roll;
use crate::spirv::ids::Id;
use crate::spirv::rules::Rule;
use crate::spirv::syntax::{At, Block, Function, Module, NONE, Op, Site};
use crate::spirv::types::Type;
use crate::spirv::values::{LoadError, Slot};
use rspirv::spirv::{Op as Opcode, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// An operand: its slots and its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub(super) at: At,
    pub(super) ty: Word,
}

/// An instruction of a body.
#[derive(Clone, Copy)]
pub(super) struct Here<'s> {
    /// Its number among those of the module.
    pub(super) number: usize,
    pub(super) instruction: &'s Instruction,
    /// Besides its result and its type.
    pub(super) operands: &'s [Operand],
}

/// The function that is being translated.
#[derive(Default)]
struct Current {
    number: u32,
    frame: Vec<Slot>,
    /// The constants and global variables that stand in its frame: they have slots for as long as it
    /// is translated.
    constants: Vec<Word>,
    memory: u32,
    /// Its variables that stand in the frame.
    variables: Vec<Word>,
    /// The label of the block at hand.
    label: Word,
    /// Is that executed once, before all others of the entry point?
    first: bool,
    /// How far the stretch of the block at hand goes.
    stretch: usize,
    /// Edges to blocks that begin with phis: number of the edge's block, from, to.
    edges: Vec<(u32, Word, Word)>,
    /// The phis of blocks, by label.
    phis: FxHashMap<Word, Vec<usize>>,
    pointers: Pointers,
    result: Word,
}

/// Translates bodies.
pub(super) struct Body<'s> {
    pub(super) reader: Reader<'s>,
    pub(super) module: Module,
    /// Instructions that the functions begin with, by number.
    functions: Vec<usize>,
    pub(super) inputs: Vec<Whereabouts>,
    /// Rules that the block at hand applies, and of all rules how often it does.
    rules: Vec<Rule>,
    applied: [u32; Rule::ALL.len()],
    /// How large the terms were that numbers of 64 bits are sums of, in the instruction at hand.
    pub(super) sizes: FxHashMap<At, At>,
    /// The first instruction that does something.
    first: Option<Site>,
    current: Current,
}

/// The module of the functions that the entry point reaches.
pub(super) fn module(mut reader: Reader<'_>, functions: Vec<RawFunction>) -> Read<Module> {
    let module = Module {
        code: Vec::with_capacity(reader.source.instructions.len()),
        sites: Vec::with_capacity(reader.source.instructions.len()),
        blocks: Vec::with_capacity(functions.iter().map(|function| function.blocks.len()).sum()),
        // Most blocks apply four to six.
        rules: Vec::with_capacity(64),
        functions: Vec::with_capacity(functions.len()),
        size: reader.size,
        bound: std::mem::take(&mut reader.bound),
        cells: reader.cells,
        own: std::mem::take(&mut reader.own),
        group: std::mem::take(&mut reader.group),
        group_variables: std::mem::take(&mut reader.group_variables),
        names: reader.source.names.clone(),
        function_ids: functions.iter().map(|f| f.id).collect(),
        ..Module::default()
    };
    let mut body = Body {
        reader,
        module,
        functions: functions.iter().map(|function| function.at).collect(),
        inputs: Vec::new(),
        rules: Vec::with_capacity(16),
        applied: [0; Rule::ALL.len()],
        sizes: FxHashMap::default(),
        first: None,
        current: Current::default(),
    };
    // Most ids have a slot.
    body.current.frame.reserve(body.reader.ids.len());
    body.current.constants.reserve(32);
    body.inputs.resize(body.reader.inputs.len(), Whereabouts::default());
    for function in &functions {
        body.function(function)?;
    }
    body.entry(&functions)?;
    Ok(body.module)
}

impl Current {
    /// What has the number comes next, in the memory that those before it had.
    fn begin(&mut self, number: u32) {
        let Self { mut frame, mut constants, mut variables, mut edges, .. } = std::mem::take(self);
        frame.clear();
        constants.clear();
        variables.clear();
        edges.clear();
        *self = Self { number, frame, constants, variables, edges, ..Self::default() };
    }
}

impl Here<'_> {
    pub(super) fn opcode(&self) -> Opcode {
        self.instruction.opcode
    }

    /// The id of the result; 0 if it has none.
    pub(super) fn result(&self) -> Word {
        self.instruction.result_id.unwrap_or(0)
    }

    /// The type of the result.
    pub(super) fn ty(&self) -> Word {
        self.instruction.result_type.unwrap_or(0)
    }

    /// The id that is operand number `n`.
    pub(super) fn id(&self, n: usize) -> Option<Word> {
        self.operands.get(n).and_then(words::id)
    }
}

impl<'s> Body<'s> {
    fn entry(&mut self, functions: &[RawFunction]) -> Read<()> {
        let id = self.reader.entry;
        let Some(entry) = self.function_number(id) else {
            return Err(Refusal::new(LoadError::Unsupported(format!(
                "entry point %{id} is no function"
            ))));
        };
        self.module.entry = entry;
        let first = functions[entry as usize].blocks[0].range.start;
        self.module.phis_at_entry = self.reader.source.opcode(first) == Some(Opcode::Phi);
        self.module.depth = self.depth(functions)?;
        self.place_inputs();
        // A block that begins with a jump does nothing else.
        for entered in &mut self.module.blocks {
            if let Some(Op::Jump { block }) = self.module.code.get(entered.start as usize) {
                entered.onward = *block;
            }
        }
        self.module.sites.extend(self.first);
        let own = self.module.own.len() + self.module.depth.1 as usize;
        self.module.own.resize(own, Slot::UNWRITTEN);
        Ok(())
    }

    /// Slots of frames and of variables at the deepest call. Functions that call themselves are
    /// refused.
    fn depth(&self, functions: &[RawFunction]) -> Read<(u32, u32)> {
        let nested = (!self.module.calls.is_empty()).then(|| self.depths());
        let depth = |number: usize| match &nested {
            Some(depths) => depths[number],
            None => Some(self.module.functions[number].size()),
        };
        for (number, function) in functions.iter().enumerate() {
            match depth(number) {
                None => {
                    let text = "the function may call itself";
                    return Err(self.reader.invalid(function.at, Rule::Calls, "recursion", text));
                }
                Some((frames, memory)) if frames.max(memory) > MAX_SLOTS => {
                    return Err(self.reader.unsupported(function.at, "its frames are too large"));
                }
                Some(_) => {}
            }
        }
        Ok(depth(self.module.entry as usize).unwrap_or((0, 0)))
    }

    /// The same of each function; `None` of one that may call itself.
    fn depths(&self) -> Vec<Option<(u32, u32)>> {
        let functions = &self.module.functions;
        let mut callees = vec![SmallVec::<[usize; 2]>::new(); functions.len()];
        for (at, op) in self.module.code.iter().enumerate() {
            if let Op::Call(call) = op {
                let callee = self.module.calls[*call as usize].function;
                callees[self.module.sites[at].function as usize].push(callee as usize);
            }
        }
        // Depth of a function once all that it calls has one: as many rounds as calls nest.
        let mut depth: Vec<Option<(u32, u32)>> = vec![None; functions.len()];
        let mut more = true;
        while std::mem::take(&mut more) {
            for (number, function) in functions.iter().enumerate() {
                let below =
                    callees[number].iter().try_fold((0, 0), |deepest: (u32, u32), callee| {
                        let (frames, memory) = depth[*callee]?;
                        Some((deepest.0.max(frames), deepest.1.max(memory)))
                    });
                if let (None, Some((frames, memory))) = (depth[number], below) {
                    let (frame, own) = function.size();
                    depth[number] =
                        Some((frames.saturating_add(frame), memory.saturating_add(own)));
                    more = true;
                }
            }
        }
        depth
    }

    fn function(&mut self, function: &RawFunction) -> Read<()> {
        let number = self.module.functions.len() as u32;
        self.reader.function = function.id;
        self.current.begin(number);
        let (result, types) = self.signature(function)?;
        self.current.result = result;
        let mut params = Vec::new();
        for (&at, ty) in function.params.iter().zip(types) {
            let at = self.here(at);
            if at.instruction.result_type != Some(ty) {
                return Err(self.reader.ill_typed(at.number, "a parameter of another type"));
            }
            params.push(self.define(&at)?);
        }
        if self.reader.phis {
            self.phis(function)?;
        }
        for block in &function.blocks {
            let number = if block.reachable { self.new_block() } else { NONE };
            self.reader.ids[block.label as usize].block = number;
            if self.reader.phis && block.reachable {
                let phis = block.range.clone().take_while(|at| self.is_phi(*at));
                let phis: Vec<usize> = phis.collect();
                if !phis.is_empty() {
                    self.current.phis.insert(block.label, phis);
                }
            }
        }
        let entry = self.reader.ids[function.blocks[0].label as usize].block;
        let entered_once = function.blocks.iter().all(|block| !block.next.contains(&0));
        for (n, block) in function.blocks.iter().enumerate().filter(|(_, b)| b.reachable) {
            self.block(block, n == 0 && entered_once)?;
        }
        self.edges()?;
        if self.current.frame.len() > MAX_SLOTS as usize {
            return Err(self.reader.unsupported(function.at, "its frame is too large"));
        }
        for id in self.current.constants.drain(..) {
            self.reader.ids[id as usize].slots = NONE;
        }
        let frame = self.current.frame.as_slice().to_vec();
        let memory = self.current.memory;
        self.module.functions.push(Function { entry, frame, memory, params });
        Ok(())
    }

    /// Types of the result and of the parameters.
    fn signature(&self, function: &RawFunction) -> Read<(Word, Vec<Word>)> {
        let id = self.reader.id(function.at, 1)?;
        let declared = self.reader.source.instructions[function.at].result_type;
        match self.reader.types.get(id) {
            Some(Type::Function { result, params })
                if params.len() == function.params.len() && declared == Some(*result) =>
            {
                Ok((*result, params.clone()))
            }
            _ => Err(self.reader.ill_typed(function.at, "its type does not fit")),
        }
    }

    pub(super) fn result_type(&self) -> Word {
        self.current.result
    }

    pub(super) fn pointers(&mut self) -> &mut Pointers {
        &mut self.current.pointers
    }

    pub(super) fn current_variables(&mut self) -> &mut Vec<Word> {
        &mut self.current.variables
    }

    pub(super) fn in_first_block(&self) -> bool {
        self.current.first
    }

    pub(super) fn stretch(&self) -> usize {
        self.current.stretch
    }

    pub(super) fn is_phi(&self, at: usize) -> bool {
        self.reader.source.opcode(at) == Some(Opcode::Phi)
    }

    pub(super) fn here(&self, number: usize) -> Here<'s> {
        let source = self.reader.source;
        let instruction = &source.instructions[number];
        Here { number, instruction, operands: source.operands_of(instruction) }
    }

    fn new_block(&mut self) -> u32 {
        self.module.blocks.push(Block { start: 0, cost: 0, onward: NONE, rules: 0..0 });
        self.module.blocks.len() as u32 - 1
    }

    fn block(&mut self, block: &RawBlock, first: bool) -> Read<()> {
        let number = self.reader.ids[block.label as usize].block;
        self.current.label = block.label;
        self.current.stretch = block.stretch;
        self.current.first = first && self.reader.function == self.reader.entry;
        self.start(number, block.range.len() as u32);
        let mut early = true;
        for at in block.range.clone() {
            let at = &self.here(at);
            let phi = at.opcode() == Opcode::Phi;
            if phi && !early {
                let text = "a phi behind other instructions";
                return Err(self.reader.invalid(at.number, Rule::Blocks, "label", text));
            }
            early &= phi || at.opcode() == Opcode::Variable;
            self.translate(at)?;
        }
        let start = self.module.rules.len() as u32;
        for rule in self.rules.drain(..) {
            let count = std::mem::take(&mut self.applied[rule as usize]);
            self.module.rules.push((rule, count));
        }
        self.module.blocks[number as usize].rules = start..self.module.rules.len() as u32;
        Ok(())
    }

    fn start(&mut self, number: u32, cost: u32) {
        let start = self.module.code.len() as u32;
        let block = &mut self.module.blocks[number as usize];
        (block.start, block.cost) = (start, cost);
    }

    /// Notes that the block at hand applies the rule.
    pub(super) fn rule(&mut self, rule: Rule) {
        let count = &mut self.applied[rule as usize];
        if *count == 0 {
            self.rules.push(rule);
        }
        *count += 1;
    }

    /// Adds an operation of instruction `at`.
    pub(super) fn emit(&mut self, at: &Here<'_>, op: Op) {
        let site = self.site(at);
        if self.first.is_none() {
            self.first = Some(site);
        }
        self.module.writes_own |= matches!(op, Op::Variable { .. } | Op::StoreOwn { .. });
        self.module.code.push(op);
        self.module.sites.push(site);
    }

    /// Instruction `at` needs no operation.
    pub(super) fn leave_out(&mut self, at: &Here<'_>) {
        if self.first.is_none() {
            self.first = Some(self.site(at));
        }
    }

    fn site(&self, at: &Here<'_>) -> Site {
        let Instruction { opcode, result_id, line, .. } = *at.instruction;
        let result = result_id.or_else(|| at.id(0)).unwrap_or(0);
        Site { opcode, result, line, function: self.current.number }
    }

    /// So many new slots of the frame.
    pub(super) fn slots(&mut self, count: u32) -> At {
        let at = self.current.frame.len() as At;
        let length = self.current.frame.len() + count as usize;
        self.current.frame.resize(length, Slot::UNDEFINED);
        at
    }

    /// A slot that always holds this.
    pub(super) fn constant_slot(&mut self, slot: Slot) -> At {
        self.current.frame.push(slot);
        self.current.frame.len() as At - 1
    }

    /// So many slots of the variables of the function.
    pub(super) fn reserve(&mut self, count: u32) -> u32 {
        let at = self.current.memory;
        self.current.memory = at.saturating_add(count);
        at
    }

    /// Slots of a value of the type.
    pub(super) fn size(&self, at: &Here<'_>, ty: Word) -> Read<u32> {
        let slots = self.reader.types.slots(ty);
        slots.ok_or_else(|| self.reader.ill_typed(at.number, "a value of no size"))
    }

    /// Slots for the result of an instruction.
    pub(super) fn define(&mut self, at: &Here<'_>) -> Read<At> {
        let (Some(id), Some(ty)) = (at.instruction.result_id, at.instruction.result_type) else {
            return Err(self.reader.ill_typed(at.number, "it has no result"));
        };
        let known = self.slot_of(id);
        if known != NONE {
            return Ok(known);
        }
        let count = self.size(at, ty)?;
        let to = self.slots(count);
        self.reader.ids[id as usize].slots = to;
        Ok(to)
    }

    /// The result of an instruction is what stands in these slots already. Nothing writes them
    /// again before the instruction is executed again: what it takes apart dominates it.
    pub(super) fn alias(&mut self, at: &Here<'_>, to: At) {
        self.reader.ids[at.result() as usize].slots = to;
    }

    /// The id that is operand number `n`.
    #[inline]
    pub(super) fn id(&self, at: &Here<'_>, n: usize) -> Read<Word> {
        at.id(n).ok_or_else(|| self.reader.missing(at.number))
    }

    /// The number that is operand number `n`.
    pub(super) fn literal(&self, at: &Here<'_>, n: usize) -> Read<u32> {
        self.reader.literal(at.number, n)
    }

    /// The value of an id.
    #[inline(always)] // Every operand comes here.
    pub(super) fn value(&mut self, at: &Here<'_>, id: Word) -> Read<Value> {
        // What has slots is a value.
        match self.reader.ids.get(id as usize) {
            Some(&Id { slots: at, ty, .. }) if at != NONE && ty != 0 => Ok(Value { at, ty }),
            _ => self.constant(at, id),
        }
    }

    /// A constant or a global variable that the frame does not have yet.
    #[inline(never)]
    fn constant(&mut self, at: &Here<'_>, id: Word) -> Read<Value> {
        let ty = self.reader.ids.get(id as usize).map_or(0, |known| known.ty);
        if ty == 0 || self.opcode_of(id) == Some(Opcode::Function) {
            return Err(self.reader.no_value(at.number, id));
        }
        let place = self.current.frame.len() as At;
        if let Some(address) = self.reader.address(id) {
            self.current.frame.push(Slot::new(address));
        } else if let Some(value) = self.reader.known_value(id) {
            self.current.frame.extend_from_slice(value);
        } else {
            return Err(self.reader.no_value(at.number, id));
        }
        self.current.constants.push(id);
        self.reader.ids[id as usize].slots = place;
        Ok(Value { at: place, ty })
    }

    /// Its slots; [`NONE`] if it has none.
    pub(super) fn slot_of(&self, id: Word) -> At {
        self.reader.ids[id as usize].slots
    }

    /// The number of the last instruction that uses it.
    pub(super) fn last_use(&self, id: Word) -> u32 {
        self.reader.last_use(id)
    }

    /// The number of the function with this id.
    pub(super) fn function_number(&self, id: Word) -> Option<u32> {
        let at = self.reader.ids.get(id as usize)?.defined as usize;
        self.functions.binary_search(&at).ok().map(|number| number as u32)
    }

    fn opcode_of(&self, id: Word) -> Option<Opcode> {
        let at = self.reader.ids.get(id as usize)?.defined;
        self.reader.source.opcode(at as usize)
    }

    /// The value that is operand `n`.
    #[inline(always)]
    pub(super) fn operand(&mut self, at: &Here<'_>, n: usize) -> Read<Value> {
        let id = self.id(at, n)?;
        self.value(at, id)
    }

    /// The same, which must be of this type.
    pub(super) fn typed(&mut self, at: &Here<'_>, n: usize, ty: Word) -> Read<At> {
        let value = self.operand(at, n)?;
        if value.ty == ty {
            return Ok(value.at);
        }
        Err(self.other_type(at, n))
    }

    #[cold]
    pub(super) fn other_type(&self, at: &Here<'_>, n: usize) -> Refusal {
        self.reader.ill_typed(at.number, &format!("operand {} is of another type", n + 1))
    }

    /// The block to go to for a label, or the edge to it.
    pub(super) fn target(&mut self, at: &Here<'_>, label: Word) -> Read<u32> {
        let block = self.reader.ids.get(label as usize).map_or(NONE, |known| known.block);
        if block == NONE {
            let text = format!("{} is no block of the function", self.reader.called(label));
            return Err(self.reader.invalid(at.number, Rule::Blocks, "label", &text));
        }
        if !self.current.phis.contains_key(&label) {
            return Ok(block);
        }
        let from = self.current.label;
        let known = self.current.edges.iter().find(|edge| (edge.1, edge.2) == (from, label));
        if let Some((edge, ..)) = known {
            return Ok(*edge);
        }
        let edge = self.new_block();
        self.current.edges.push((edge, from, label));
        Ok(edge)
    }

    /// The copies that phis ask for, each where it is an edge between two blocks.
    fn edges(&mut self) -> Read<()> {
        for (edge, from, label) in std::mem::take(&mut self.current.edges) {
            self.start(edge, 0);
            let phis = self.current.phis[&label].clone();
            let phis: Vec<Here> = phis.into_iter().map(|at| self.here(at)).collect();
            let mut copies = Vec::new();
            for at in &phis {
                let (to, ty) = (self.define(at)?, at.ty());
                let count = self.size(at, ty)?;
                let n = self.incoming(at, from)?;
                copies.push((at, to, self.typed(at, n, ty)?, count));
            }
            // All at once: what a phi reads may be what another one writes.
            let apart = copies.iter().all(|(_, to, _, count)| {
                copies
                    .iter()
                    .all(|(_, _, source, other)| source + other <= *to || to + count <= *source)
            });
            if !apart {
                for (at, _, source, count) in &mut copies {
                    let to = self.slots(*count);
                    self.emit(at, Op::Copy { to, from: *source, count: *count });
                    *source = to;
                }
            }
            for (at, to, source, count) in copies {
                self.emit(at, Op::Copy { to, from: source, count });
            }
            let block = self.reader.ids[label as usize].block;
            self.emit(&phis[0], Op::Jump { block });
        }
        Ok(())
    }

    /// Which operand of a phi comes from this block.
    fn incoming(&self, at: &Here<'_>, from: Word) -> Read<usize> {
        let count = at.operands.len();
        for n in (0..count).step_by(2) {
            if self.id(at, n + 1)? == from {
                return Ok(n);
            }
        }
        unreachable!("a phi has an operand for each block that leads to its own")
    }
}
