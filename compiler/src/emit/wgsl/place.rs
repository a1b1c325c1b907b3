//! Places in WGSL: what is read, written and pointed to.

use super::Writer;
use super::bits::is_sum_of_bits;
use reference::device::syntax::{Exp, Place, Sc};

/// A place, as text that may be evaluated again.
#[derive(Clone, Debug)]
pub(super) enum Alias {
    /// A reference of WGSL: a variable or a part of one. `whole` if it is all of a variable, or
    /// what a parameter points to.
    Reference { text: String, whole: bool },
    /// An element of a block: the word of the arena that it starts at.
    Element { address: String, sc: Sc },
    /// A word of the record.
    Record(String),
}

/// A part of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The word of the arena that it starts at.
    Base,
    /// Its elements.
    Length,
}

impl Writer<'_> {
    /// A part of a block. Of a parameter each part has a name of its own, so that what nobody looks
    /// at is not bound.
    pub(super) fn part_of(&mut self, block: &Exp, part: Part) -> String {
        let component = if part == Part::Base { 'x' } else { 'y' };
        if self.styled.is_plain()
            && let Exp::Var(var) = block
            && let Some(asked) = self.asked.get_mut(var)
        {
            if asked.once {
                let at = asked.at + usize::from(part == Part::Length);
                return self.brought(at);
            }
            match part {
                Part::Base => asked.base = true,
                Part::Length => asked.length = true,
            }
            let mut name = self.ident(*var);
            name.push(component);
            return name;
        }
        format!("{}.{component}", self.exp(block))
    }

    pub(super) fn place(&mut self, place: &Place) -> Alias {
        match place {
            Place::Var(var) => Alias::Reference { text: self.ident(*var), whole: true },
            Place::Deref(Exp::Ref(place)) => self.place(place),
            Place::Deref(pointer) => {
                if let Exp::Var(var) = pointer
                    && let Some(alias) = self.aliases.get(var)
                {
                    return alias.clone();
                }
                let pointer = self.exp(pointer);
                Alias::Reference { text: format!("(*{pointer})"), whole: true }
            }
            Place::Element(block, index) => self.element(block, index),
            Place::At(array, index) => {
                let ty = self.types.place(array);
                let array = self.place(array);
                let array = self.reference(&array);
                let index = self.index(&ty, index);
                Alias::Reference { text: format!("{array}[{index}]"), whole: false }
            }
            Place::Field(value, field) => {
                let value = self.place(value);
                let value = self.reference(&value);
                Alias::Reference { text: format!("{value}.m{field}"), whole: false }
            }
        }
    }

    /// The reference that a place is.
    pub(super) fn reference(&self, place: &Alias) -> String {
        match place {
            Alias::Reference { text, .. } => text.clone(),
            Alias::Element { address, .. } => format!("{}[{address}]", self.arena()),
            Alias::Record(word) => format!("records[{word}]"),
        }
    }

    fn element(&mut self, block: &Exp, index: &Exp) -> Alias {
        let sc = self.types.element(block);
        let is_sum = is_sum_of_bits(index);
        let index = match self.types.sc(index) {
            Some(Sc::I32) => self.bits(index),
            Some(Sc::U32) => self.exp(index),
            _ => self.exp(&Exp::Cast(Sc::U32, Box::new(index.clone()))),
        };
        if matches!(block, Exp::Var(var) if Some(*var) == self.record) {
            self.records = true;
            return Alias::Record(self.unbracketed(index));
        }
        let base = self.part_of(block, Part::Base);
        let address = match sc.words() {
            // Of words that wrap, so no bracket is needed.
            1 if is_sum => [&base, " + ", &self.unbracketed(index)].concat(),
            1 => [&base, " + ", &index].concat(),
            words => {
                let name = self.temporary();
                self.line(&format!("let {name} = {base} + {words}u * {index};"));
                name
            }
        };
        Alias::Element { address, sc }
    }

    /// The value in a place.
    pub(super) fn read(&mut self, place: &Alias) -> String {
        match place {
            Alias::Reference { text, .. } => text.clone(),
            Alias::Record(word) => format!("atomicLoad(&records[{word}])"),
            Alias::Element { address, sc } => {
                let low = self.word(address);
                match sc {
                    Sc::I32 if self.signed => low,
                    Sc::I32 => self.same_bits(Sc::I32, &low),
                    Sc::F32 => format!("bitcast<f32>({low})"),
                    Sc::I64 => {
                        let high = self.word(&format!("{address} + 1u"));
                        let low = self.widened(&low);
                        format!("((i64(bitcast<i32>({high})) << 32u) | {low})")
                    }
                    Sc::U32 | Sc::Bool => low,
                }
            }
        }
    }

    fn word(&self, address: &str) -> String {
        if self.atomic_arena {
            format!("atomicLoad(&{}[{address}])", self.arena())
        } else {
            [self.arena(), "[", address, "]"].concat()
        }
    }

    /// Writes `value` to a place.
    pub(super) fn write(&mut self, place: &Alias, value: &str) {
        match place {
            Alias::Reference { text, .. } => self.line_of(&[text, " = ", value, ";"]),
            Alias::Record(word) => self.line(&format!("atomicStore(&records[{word}], {value});")),
            Alias::Element { address, sc } => match sc {
                Sc::I32 if self.signed => self.write_word(address, value),
                Sc::I32 => self.write_word(address, &self.same_bits(Sc::U32, value)),
                Sc::F32 => self.write_word(address, &format!("bitcast<u32>({value})")),
                Sc::I64 => {
                    let name = self.temporary();
                    self.line(&format!("let {name} = {value};"));
                    self.write_word(address, &format!("u32({name} & 4294967295li)"));
                    let high = format!("u32(({name} >> 32u) & 4294967295li)");
                    self.write_word(&format!("{address} + 1u"), &high);
                }
                Sc::U32 | Sc::Bool => self.write_word(address, value),
            },
        }
    }

    fn write_word(&mut self, address: &str, value: &str) {
        if self.atomic_arena {
            let arena = self.arena();
            self.line(&format!("atomicStore(&{arena}[{address}], {value});"));
        } else {
            self.line_of(&[self.arena(), "[", address, "] = ", value, ";"]);
        }
    }
}
