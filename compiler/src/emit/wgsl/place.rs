//! Places: what is read, written and pointed to.

use super::expr::Text;
use super::{Writer, scalar};
use reference::device::syntax::{Element, Exp, Place, Sc};

/// Where a place is, as text that may be used more than once.
#[derive(Clone, Debug)]
pub(super) enum Location {
    /// A variable or a part of one, as a reference of WGSL.
    Variable {
        /// The reference.
        text: String,
        /// Is it all of a variable, or all that a parameter points to?
        whole: bool,
    },
    /// A plain element of a block, by the first of its words in the arena.
    Element {
        /// The index of that word.
        address: String,
        /// The type of the element.
        sc: Sc,
    },
    /// An atomic element of a block, or a word of the failure record.
    Atomic {
        /// The array that it is an element of.
        array: &'static str,
        /// Its index there.
        index: String,
    },
}

impl Location {
    /// The reference of WGSL to it.
    pub(super) fn reference(&self) -> String {
        match self {
            Location::Variable { text, .. } => text.clone(),
            Location::Element { address, .. } => format!("arena[{address}]"),
            Location::Atomic { array, index } => format!("{array}[{index}]"),
        }
    }
}

impl Writer<'_> {
    /// Where a place is.
    pub(super) fn location(&mut self, place: &Place) -> Location {
        match place {
            Place::Var(var) => Location::Variable { text: self.ident(*var), whole: true },
            Place::Deref(pointer) => self.pointee(pointer),
            Place::Element(block, index) => self.element(block, index),
            Place::At(array, index) => {
                let ty = self.types.place(array);
                let array = self.location(array).reference();
                let index = self.index(&ty, index);
                Location::Variable { text: format!("{array}[{index}]"), whole: false }
            }
            Place::Field(value, field) => {
                let value = self.location(value).reference();
                Location::Variable { text: format!("{value}.m{field}"), whole: false }
            }
        }
    }

    /// What a pointer points to.
    pub(super) fn pointee(&mut self, pointer: &Exp) -> Location {
        match pointer {
            Exp::Ref(place) => self.location(place),
            Exp::Var(var) if self.pointers.contains_key(var) => self.pointers[var].clone(),
            other => {
                let pointer = self.operand(other);
                Location::Variable { text: format!("(*{pointer})"), whole: true }
            }
        }
    }

    /// What a pointer points to. Indices are evaluated here, so that later assignments do not change the place.
    pub(super) fn bound_pointee(&mut self, pointer: &Exp) -> Location {
        if !matches!(pointer, Exp::Ref(_)) {
            return self.pointee(pointer);
        }
        match self.pointee(pointer) {
            Location::Element { address, sc } => {
                Location::Element { address: self.bound(&address), sc }
            }
            Location::Atomic { array, index } => {
                Location::Atomic { array, index: self.bound(&index) }
            }
            Location::Variable { text, whole: false } => {
                let pointer = self.bound(&format!("&{text}"));
                Location::Variable { text: format!("(*{pointer})"), whole: false }
            }
            other => other,
        }
    }

    /// An element of a block. It starts at `base + index` in its region, or at `base + 2 * index` if it takes
    /// two words. The address wraps around, as all u32 do.
    fn element(&mut self, block: &Exp, index: &Exp) -> Location {
        let element = self.types.element(block);
        let index = self.index_word(index);
        if matches!(block, Exp::Var(var) if Some(*var) == self.uses.record_parameter) {
            return Location::Atomic { array: "records", index: self.operand_of(index) };
        }
        let index = self.operand_of(index);
        let base = self.part(block, "base", "x");
        let Element::Plain(sc) = element else {
            return Location::Atomic { array: "atomics", index: format!("{base} + {index}") };
        };
        if sc.words() == 1 {
            return Location::Element { address: format!("{base} + {index}"), sc };
        }
        let address = self.bound(&format!("{base} + {}u * {index}", sc.words()));
        Location::Element { address, sc }
    }

    /// The value in a place.
    pub(super) fn load(&mut self, place: &Place) -> Text {
        match self.location(place) {
            Location::Variable { text, .. } => match self.ty_of_shared_bools(place) {
                Some(ty) => self.value_of_shared(&ty, &text),
                None => Text::closed(text),
            },
            Location::Atomic { .. } => unreachable!("validated: no atomic is loaded"),
            Location::Element { address, sc } => {
                let word = format!("arena[{address}]");
                Text::closed(match sc {
                    Sc::Bool | Sc::U32 => word,
                    Sc::I32 => self.same_bits(Sc::I32, &word),
                    Sc::F32 => format!("bitcast<{}>({word})", scalar(Sc::F32)),
                    Sc::F64 => {
                        let (low, high) =
                            (format!("u64({word})"), format!("u64(arena[{address} + 1u])"));
                        format!("bitcast<f64>(({high} << 32u) | {low})")
                    }
                    Sc::I64 => {
                        let (low, high) = (self.widened(&word), format!("arena[{address} + 1u]"));
                        format!("((i64(bitcast<i32>({high})) << 32u) | {low})")
                    }
                })
            }
        }
    }

    /// The line that stores a value in a place.
    pub(super) fn store(&mut self, place: &Place, value: &Exp) {
        match self.location(place) {
            Location::Variable { text, .. } => {
                let value = self.value(value);
                let value = match self.ty_of_shared_bools(place) {
                    Some(ty) => self.shared_of_value(&ty, &value),
                    None => value,
                };
                self.line(&format!("{text} = {value};"));
            }
            Location::Atomic { .. } => unreachable!("validated: no atomic is stored to"),
            Location::Element { address, sc } => {
                let value = self.argument(value);
                let word = match sc {
                    Sc::Bool | Sc::U32 => value,
                    Sc::I32 => self.same_bits(Sc::U32, &value),
                    Sc::F32 => format!("bitcast<u32>({value})"),
                    Sc::F64 => {
                        let value = self.bound(&format!("bitcast<u64>({value})"));
                        let high = format!("u32({value} >> 32u)");
                        self.line(&format!("arena[{address} + 1u] = {high};"));
                        format!("u32({value} & 4294967295lu)")
                    }
                    Sc::I64 => {
                        let value = self.bound(&value);
                        let high = format!("u32(({value} >> 32u) & 4294967295li)");
                        self.line(&format!("arena[{address} + 1u] = {high};"));
                        format!("u32({value} & 4294967295li)")
                    }
                };
                self.line(&format!("arena[{address}] = {word};"));
            }
        }
    }
}
