//! Places in WGSL: what is read, written and pointed to.

use super::Writer;
use super::bits::is_sum_of_bits;
use super::scalars::bitcast_to;
use reference::device::syntax::{Exp, Place, Sc, Ty};

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
    /// Puts a part of a block. Of a parameter each part has a name of its own, so that what nobody looks
    /// at is not bound.
    pub(super) fn put_part(&mut self, block: &Exp, part: Part) {
        if self.is_plain()
            && let Exp::Var(var) = block
            && let Some(asked) = self.asked_mut(*var)
        {
            match part {
                Part::Base => asked.base = true,
                Part::Length => asked.length = true,
            }
            let asked = *asked;
            let at = asked.at + usize::from(part == Part::Length);
            if self.terse && !asked.often {
                return self.put_brought(at);
            }
            self.put_ident(*var);
        } else {
            self.put(block);
            self.held.put(".");
        }
        self.held.put(if part == Part::Base { "x" } else { "y" });
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
        let address = self.text_of(|to| to.put_word_of(block, index, sc));
        match self.is_record(block) {
            true => Alias::Record(address),
            false => Alias::Element { address, sc },
        }
    }

    fn is_record(&self, block: &Exp) -> bool {
        matches!(block, Exp::Var(var) if Some(*var) == self.record)
    }

    /// Puts which word of the arena an element of type `sc` is, or begins with; of the record which of its
    /// words.
    fn put_word_of(&mut self, block: &Exp, index: &Exp, sc: Sc) {
        let from = self.held.mark();
        let is_record = self.is_record(block);
        // It is added to other words, which wrap, so no bracket is needed.
        let bare = is_record || sc.words() == 1 && is_sum_of_bits(index);
        match self.types.sc(index) {
            Some(Sc::I32) if bare => self.put_bits_alone(index),
            Some(Sc::I32) => self.put_bits(index),
            Some(Sc::U32) if bare => self.put_alone(index),
            Some(Sc::U32) => self.put(index),
            _ => {
                self.put(&Exp::Cast(Sc::U32, Box::new(index.clone())));
                if bare {
                    self.unbracket(from);
                }
            }
        }
        if is_record {
            self.records = true;
            return;
        }
        // The index is computed first, and stands last.
        let base = self.held.mark();
        self.put_part(block, Part::Base);
        self.held.put_sign(" + ");
        if sc.words() > 1 {
            self.held.put_number(sc.words());
            self.held.put("u");
            self.held.put_sign(" * ");
        }
        self.held.put_again(from, base);
        self.held.take_out(from, base);
        if sc.words() > 1 {
            self.bind_temporary("let ", from);
        }
    }

    /// Puts the value in a place.
    pub(super) fn put_load(&mut self, place: &Place) {
        match place {
            Place::Var(var) if self.bits.of(*var) => {
                self.held.put(self.conversion(Sc::I32));
                self.put_ident(*var);
                self.held.put(")");
            }
            Place::Var(var) => self.put_ident(*var),
            Place::Element(block, index) if self.types.element(block).words() == 1 => {
                let sc = self.types.element(block);
                if self.is_record(block) {
                    self.held.put("atomicLoad(&records[");
                    self.put_word_of(block, index, sc);
                    return self.held.put("])");
                }
                let converted = self.converted(sc);
                converted.iter().for_each(|begin| self.held.put(begin));
                self.put_word(|to| to.put_word_of(block, index, sc));
                converted.iter().for_each(|_| self.held.put(")"));
            }
            _ => {
                self.i64 |= self.types.place(place) == Ty::Scalar(Sc::I64);
                let place = self.place(place);
                let text = self.read(&place);
                self.held.put_spaced(&text);
            }
        }
    }

    /// Puts the bits in a place that holds those of an i32.
    pub(super) fn put_load_of_bits(&mut self, place: &Place) {
        match place {
            Place::Element(block, index) => {
                let from = self.held.mark();
                self.put_word(|to| to.put_word_of(block, index, Sc::I32));
                self.shorten(from, 0);
            }
            Place::Var(var) => self.put_ident(*var),
            _ => unreachable!("no other place holds the bits of an i32"),
        }
    }

    /// How the value of one word of the arena becomes one of this type, if it is of another.
    fn converted(&self, sc: Sc) -> Option<&'static str> {
        match sc {
            Sc::I32 if !self.signed => Some(self.conversion(Sc::I32)),
            Sc::F32 => Some(bitcast_to(Sc::F32)),
            _ => None,
        }
    }

    /// The value in a place.
    fn read(&mut self, place: &Alias) -> String {
        match place {
            Alias::Reference { text, .. } => text.clone(),
            Alias::Record(word) => format!("atomicLoad(&records[{word}])"),
            Alias::Element { address, sc } => {
                let low = self.word(address);
                match (sc, self.converted(*sc)) {
                    (Sc::I64, _) => {
                        let high = self.word(&format!("{address} + 1u"));
                        let low = self.widened(&low);
                        format!("((i64(bitcast<i32>({high})) << 32u) | {low})")
                    }
                    (_, Some(begin)) => format!("{begin}{low})"),
                    (_, None) => low,
                }
            }
        }
    }

    fn word(&mut self, address: &str) -> String {
        self.text_of(|to| to.put_word(|to| to.held.put_spaced(address)))
    }

    /// Puts a word of the arena, of which this puts which.
    fn put_word(&mut self, put_address: impl FnOnce(&mut Self)) {
        let (begin, end) = if self.atomic_arena { ("atomicLoad(&", "])") } else { ("", "]") };
        self.held.put(begin);
        self.held.put(self.arena());
        self.held.put("[");
        put_address(self);
        self.held.put(end);
    }

    /// Writes the line that stores a value in a place.
    pub(super) fn store(&mut self, place: &Place, value: &Exp) {
        let from = self.held.mark();
        let end = match place {
            Place::Var(var) => {
                self.put_ident(*var);
                self.held.put_sign(" = ");
                self.put_for(*var, value);
                return self.held_line(from, ";");
            }
            Place::Element(block, index)
                if self.types.element(block).words() == 1 && !self.is_record(block) =>
            {
                let sc = self.types.element(block);
                self.held.put(if self.atomic_arena { "atomicStore(&" } else { "" });
                self.held.put(self.arena());
                self.held.put("[");
                self.put_word_of(block, index, sc);
                self.held.put("]");
                if self.atomic_arena {
                    self.held.put_comma()
                } else {
                    self.held.put_sign(" = ")
                }
                if self.terse && sc == Sc::I32 {
                    self.put_bits_alone(value);
                    return self.held_line(from, if self.atomic_arena { ");" } else { ";" });
                }
                let converted = match sc {
                    Sc::I32 if !self.signed => Some(self.conversion(Sc::U32)),
                    Sc::F32 => Some(bitcast_to(Sc::U32)),
                    _ => None,
                };
                converted.iter().for_each(|begin| self.held.put(begin));
                match (self.atomic_arena, converted) {
                    (false, None) => ";",
                    (true, None) | (false, Some(_)) => ");",
                    (true, Some(_)) => "));",
                }
            }
            _ => {
                let place = self.place(place);
                let value = self.alone(value);
                return self.write(&place, &value);
            }
        };
        self.put_alone(value);
        self.held_line(from, end);
    }

    /// Writes `value` to a place.
    fn write(&mut self, place: &Alias, value: &str) {
        match place {
            Alias::Reference { text, .. } => self.line(&format!("{text} = {value};")),
            Alias::Record(word) => self.line(&format!("atomicStore(&records[{word}], {value});")),
            Alias::Element { address, sc } => match sc {
                Sc::I32 if self.signed => self.write_word(address, value),
                Sc::I32 => {
                    let converted = [self.conversion(Sc::U32), value, ")"].concat();
                    self.write_word(address, &converted);
                }
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
            self.line(&format!("{}[{address}] = {value};", self.arena()));
        }
    }
}
