//! Data flow from the contents of buffers to branches and indices.
//!
//! ```text
//! an operation has an operand that hangs on the buffers, or loads from memory that holds such a value
//! ───────────────────────────────────────────────────────────────────────────────────────────────────
//! its result hangs on the buffers
//! ```
//!
//! Each variable is one piece of memory here. If no branch and no index hangs on the buffers, invocations go the same way and
//! access the same memory whatever the buffers hold.

use rspirv::dr::{Instruction, Module, Operand, load_words};
use rspirv::spirv::{Decoration, Op, Word};
use rustc_hash::{FxHashMap, FxHashSet};

/// Does what the buffers at these sets and bindings hold, or how long they are, decide a branch or an index anywhere in the
/// module? If nothing is known of the module, it does.
pub fn decides(words: &[u32], buffers: &[(u32, u32)]) -> bool {
    load_words(words).map_or(true, |module| Hanging::of(&module, buffers).decide(&module))
}

/// The ids that hang on the buffers.
struct Hanging {
    /// Values; variables and parameters that hold such; functions that return such.
    ids: FxHashSet<Word>,
    /// The variable or the parameter that a pointer points into.
    roots: FxHashMap<Word, Word>,
    /// The parameters of each function.
    params: FxHashMap<Word, Vec<Word>>,
}

fn id(operand: Option<&Operand>) -> Word {
    operand.and_then(Operand::id_ref_any).unwrap_or(0)
}

impl Hanging {
    fn of(module: &Module, buffers: &[(u32, u32)]) -> Self {
        let mut places: FxHashMap<Word, [Option<u32>; 2]> = FxHashMap::default();
        for it in module.annotations.iter().filter(|it| it.class.opcode == Op::Decorate) {
            let [target, Operand::Decoration(decoration), Operand::LiteralBit32(number)] =
                it.operands.as_slice()
            else {
                continue;
            };
            let place = places.entry(id(Some(target))).or_default();
            match decoration {
                Decoration::DescriptorSet => place[0] = Some(*number),
                Decoration::Binding => place[1] = Some(*number),
                _ => {}
            }
        }
        let is_one = |place: &[Option<u32>; 2]| {
            let place = (place[0].unwrap_or(0), place[1].unwrap_or(0));
            buffers.contains(&place)
        };
        let variables = places.iter().filter(|(_, place)| is_one(place));
        let mut hanging = Self {
            ids: variables.map(|(variable, _)| *variable).collect(),
            roots: FxHashMap::default(),
            params: FxHashMap::default(),
        };
        for function in &module.functions {
            let params = function.parameters.iter().filter_map(|param| param.result_id);
            hanging.params.insert(function.def_id().unwrap_or(0), params.collect());
        }
        for it in module.all_inst_iter() {
            let into = match it.class.opcode {
                Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::CopyObject => {
                    hanging.root(id(it.operands.first()))
                }
                _ => continue,
            };
            hanging.roots.insert(it.result_id.unwrap_or(0), into);
        }
        let mut known = usize::MAX;
        while known != hanging.ids.len() {
            known = hanging.ids.len();
            for function in &module.functions {
                let name = function.def_id().unwrap_or(0);
                function.all_inst_iter().for_each(|it| hanging.spread(it, name));
            }
        }
        hanging
    }

    fn root(&self, pointer: Word) -> Word {
        self.roots.get(&pointer).copied().unwrap_or(pointer)
    }

    /// Does the value, or what the pointer points into, hang on the buffers?
    fn has(&self, id: Word) -> bool {
        self.ids.contains(&id) || self.ids.contains(&self.root(id))
    }

    /// Does an operand?
    fn any(&self, it: &Instruction) -> bool {
        it.operands.iter().filter_map(Operand::id_ref_any).any(|id| self.has(id))
    }

    /// Notes what hangs on the buffers by an instruction of this function.
    fn spread(&mut self, it: &Instruction, function: Word) {
        let first = self.root(id(it.operands.first()));
        let mut new = Vec::new();
        match it.class.opcode {
            Op::Store | Op::CopyMemory | Op::AtomicStore if self.any(it) => new.push(first),
            Op::ReturnValue if self.any(it) => new.push(function),
            Op::FunctionCall => {
                new.extend(it.result_id.filter(|_| self.ids.contains(&first)));
                let params = self.params.get(&first).cloned().unwrap_or_default();
                for (param, arg) in params.into_iter().zip(&it.operands[1..]) {
                    let arg = id(Some(arg));
                    new.extend(self.has(arg).then_some(param));
                    new.extend(self.has(param).then(|| self.root(arg)));
                }
            }
            // The pointer does not, whatever is there.
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain => {}
            opcode if self.any(it) => {
                new.extend(it.result_id);
                if format!("{opcode:?}").starts_with("Atomic") {
                    new.push(first);
                }
            }
            _ => {}
        }
        self.ids.extend(new);
    }

    fn decide(&self, module: &Module) -> bool {
        module.all_inst_iter().any(|it| {
            let of = |operands: &[Operand]| {
                operands.iter().filter_map(Operand::id_ref_any).any(|id| self.ids.contains(&id))
            };
            match it.class.opcode {
                Op::BranchConditional | Op::Switch => of(&it.operands[..1]),
                Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain => {
                    of(&it.operands[1..])
                }
                Op::VectorExtractDynamic => of(&it.operands[1..]),
                Op::VectorInsertDynamic => of(&it.operands[2..]),
                _ => false,
            }
        })
    }
}
