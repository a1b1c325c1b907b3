//! Where text goes. Parts of a line are put one behind the other at the end of what is *held*, and the line
//! is written when all of them are there: what has to be bound before it becomes a line of its own first.

use super::terse::{add_dense, is_operator, is_word};
use super::{MAX_TEXT, Writer};
use reference::device::syntax::Ty;
use reference::kit::names::Var;

/// Text of no line yet.
pub(super) struct Held {
    text: String,
    /// Is it written without the blanks that keep nothing apart?
    pub(super) dense: bool,
    /// How many of them there would be: whether an expression is long must not depend on it.
    left_out: isize,
}

/// A place in what is held.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    at: usize,
    left_out: isize,
}

impl Held {
    /// Nothing, with room for a line.
    pub(super) fn new() -> Self {
        Self { text: String::with_capacity(2 * MAX_TEXT), dense: false, left_out: 0 }
    }

    /// The end.
    pub(super) fn mark(&self) -> Mark {
        Mark { at: self.text.len(), left_out: self.left_out }
    }

    /// What was put since then.
    pub(super) fn since(&self, from: Mark) -> &str {
        &self.text[from.at..]
    }

    /// Characters that were put since then, with all blanks.
    pub(super) fn length_since(&self, from: Mark) -> usize {
        (self.text.len() - from.at).saturating_add_signed(self.left_out - from.left_out)
    }

    /// Takes back what was put since then.
    pub(super) fn rewind(&mut self, to: Mark) {
        self.text.truncate(to.at);
        self.left_out = to.left_out;
    }

    /// The same, and hands it out.
    pub(super) fn take(&mut self, from: Mark) -> String {
        self.left_out = from.left_out;
        self.text.split_off(from.at)
    }

    /// Puts text without blanks that begins with no operator.
    pub(super) fn put(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Puts text that may have blanks.
    pub(super) fn put_spaced(&mut self, text: &str) {
        if self.dense {
            self.left_out += add_dense(&mut self.text, text);
        } else {
            self.text.push_str(text);
        }
    }

    /// Puts a sign between operands, which has a blank on either side.
    pub(super) fn put_sign(&mut self, spaced: &'static str) {
        if self.dense {
            self.text.push_str(&spaced[1..spaced.len() - 1]);
            self.left_out += 2;
        } else {
            self.text.push_str(spaced);
        }
    }

    /// Puts a comma and a blank.
    pub(super) fn put_comma(&mut self) {
        self.text.push(',');
        if self.dense {
            self.left_out += 1;
        } else {
            self.text.push(' ');
        }
    }

    /// Puts the first character of an operand, an operator. It does not grow together with one before it.
    pub(super) fn put_operator(&mut self, operator: char) {
        if self.dense && self.text.bytes().last().is_some_and(is_operator) {
            self.text.push(' ');
            self.left_out -= 1;
        }
        self.text.push(operator);
    }

    /// Puts a number in decimal digits.
    pub(super) fn put_number(&mut self, number: u32) {
        push_number(&mut self.text, number);
    }

    /// Gives the text to who has more to put there without blanks.
    pub(super) fn end(&mut self) -> &mut String {
        &mut self.text
    }

    /// Puts once more what stands from one place to another.
    pub(super) fn put_again(&mut self, from: Mark, to: Mark) {
        let first = self.text.as_bytes()[from.at];
        if self.dense && is_operator(first) && self.text.bytes().last().is_some_and(is_operator) {
            self.text.push(' ');
            self.left_out -= 1;
        }
        self.text.extend_from_within(from.at..to.at);
        self.left_out += to.left_out - from.left_out;
    }

    /// Takes out what stands from one place to another.
    pub(super) fn take_out(&mut self, from: Mark, to: Mark) {
        self.text.drain(from.at..to.at);
        self.left_out -= to.left_out - from.left_out;
    }

    /// Takes off the brackets around all that was put since then, if there are any.
    pub(super) fn unbracket(&mut self, from: Mark) {
        if !is_bracketed(&self.text[from.at..]) {
            return;
        }
        self.text.pop();
        let (before, inside) =
            (self.text[..from.at].bytes().last(), self.text.as_bytes()[from.at + 1]);
        if self.dense && before.is_some_and(is_operator) && is_operator(inside) {
            self.text.replace_range(from.at..=from.at, " ");
            self.left_out -= 1;
        } else {
            self.text.remove(from.at);
        }
    }
}

/// Do brackets stand around all of it?
pub(super) fn is_bracketed(text: &str) -> bool {
    if !text.starts_with('(') || !text.ends_with(')') {
        return false;
    }
    let mut open = 0;
    let closes = text.bytes().position(|byte| {
        open += i32::from(byte == b'(') - i32::from(byte == b')');
        open == 0
    });
    closes == Some(text.len() - 1)
}

/// Puts a number in decimal digits behind a text.
pub(super) fn push_number(text: &mut String, number: u32) {
    if number >= 10 {
        push_number(text, number / 10);
    }
    text.push(char::from(b'0' + (number % 10) as u8));
}

impl Writer<'_> {
    /// A line.
    pub(super) fn line(&mut self, line: &str) {
        self.indent();
        if self.terse {
            add_dense(&mut self.text, line);
        } else {
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// What stands in front of a line.
    fn indent(&mut self) {
        if !self.terse {
            (0..self.depth).for_each(|_| self.text.push_str("    "));
        }
    }

    /// The line that was put since then, with this at its end.
    pub(super) fn held_line(&mut self, from: Mark, end: &str) {
        self.indent();
        self.text.push_str(self.held.since(from));
        self.text.push_str(end);
        self.text.push('\n');
        self.held.rewind(from);
    }

    /// The line that has this word in front of what was put since then, of which it may be a name, and this
    /// behind it.
    pub(super) fn worded_line(&mut self, word: &str, from: Mark, end: [&str; 2]) {
        self.indent();
        self.text.push_str(word);
        let held = self.held.since(from);
        if !self.terse || held.bytes().next().is_some_and(is_word) {
            self.text.push(' ');
        }
        self.text.push_str(held);
        self.text.push_str(end[usize::from(self.terse)]);
        self.text.push('\n');
        self.held.rewind(from);
    }

    /// The line that binds a name to a value: of what is held the value comes first, up to `to`, then the
    /// name.
    pub(super) fn binding(&mut self, word: &str, (from, to): (Mark, Mark), ty: &str) {
        self.indent();
        self.text.push_str(word);
        self.text.push_str(self.held.since(to));
        let value = &self.held.since(from)[..to.at - from.at];
        if !self.terse {
            self.text.extend([ty, " = ", value, ";\n"]);
        } else if self.held.dense && ty.is_empty() {
            let value = value.strip_prefix(' ').unwrap_or(value);
            let apart = value.bytes().next().is_some_and(is_operator);
            self.text.extend([if apart { "= " } else { "=" }, value, ";\n"]);
        } else {
            add_dense(&mut self.text, &[ty, " = ", value, ";\n"].concat());
        }
        self.held.rewind(from);
    }

    /// Binds a variable of the program to the value that was put since then.
    pub(super) fn bind(&mut self, word: &str, (var, ty): (Var, &Ty), from: Mark) {
        let to = self.held.mark();
        self.put_ident(var);
        let ty = self.annotated(ty);
        self.binding(word, (from, to), &ty);
    }

    /// Puts a new name in the place of the value that was put since then, which is bound to it.
    pub(super) fn bind_temporary(&mut self, word: &str, from: Mark) {
        let to = self.held.mark();
        self.temporaries += 1;
        self.held.put("t");
        self.held.put_number(self.temporaries);
        self.binding(word, (from, to), "");
        self.held.put("t");
        self.held.put_number(self.temporaries);
    }
}

#[cfg(test)]
mod tests {
    use super::Held;

    fn dense() -> Held {
        Held { dense: true, ..Held::new() }
    }

    /// However it is written, it is as long.
    #[test]
    fn blanks_that_are_left_out_count() {
        for dense in [false, true] {
            let mut held = Held { dense, ..Held::new() };
            let from = held.mark();
            held.put("a");
            held.put_sign(" - ");
            let right = held.mark();
            held.put_operator('-');
            held.put_number(4_294_967_295);
            held.put("i");
            assert_eq!(held.length_since(right), "-4294967295i".len());
            held.put_comma();
            held.put_spaced("(i64(b) & 7li)");
            let text = "a - -4294967295i, (i64(b) & 7li)";
            assert_eq!(held.length_since(from), text.len());
            let short = "a- -4294967295i,(i64(b)&7li)";
            assert_eq!(held.take(from), if dense { short } else { text });
            assert_eq!(held.length_since(from), 0);
        }
    }

    #[test]
    fn only_brackets_around_all_of_it_go() {
        for (text, left) in [("(a+b)", "a+b"), ("(a)+(b)", "(a)+(b)"), ("((a))", "(a)"), ("a", "a")]
        {
            let mut held = dense();
            let from = held.mark();
            held.put(text);
            held.unbracket(from);
            assert_eq!(held.since(from), left);
        }
        let mut held = dense();
        let from = held.mark();
        held.put("a");
        held.put_sign(" - ");
        let right = held.mark();
        held.put("(-5li)");
        held.unbracket(right);
        assert_eq!((held.since(from), held.length_since(from)), ("a- -5li", "a - -5li".len()));
    }

    /// What comes last may be put first.
    #[test]
    fn what_is_put_again_does_not_grow_together_with_what_stands_before() {
        let mut held = dense();
        let from = held.mark();
        held.put_operator('-');
        held.put("i");
        let end = held.mark();
        held.put("w");
        held.put_sign(" = ");
        held.put_again(from, end);
        held.take_out(from, end);
        assert_eq!((held.since(from), held.length_since(from)), ("w= -i", "w = -i".len()));
    }
}
