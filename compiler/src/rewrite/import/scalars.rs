//! Scalars of FUN.

use super::{Enters, Importer, Value, bounded, out};
use reference::axes::syntax::Term;
use reference::fun::syntax::{Atom, Se};
use reference::kit::text::Span;

impl Importer<'_> {
    pub(super) fn atom(&self, atom: Atom, span: Span) -> Enters<Term> {
        match self.value(atom, span)? {
            Value::Scalar(term) => Ok(term),
            _ => out(span, "an array stands where an int is wanted"),
        }
    }

    pub(super) fn scalar(&self, se: &Se, span: Span) -> Enters<Term> {
        match se {
            Se::Atom(atom) => self.atom(*atom, span),
            Se::Bin(op, operands) => {
                let [a, b] = &**operands;
                let (a, b) = (self.scalar(a, span)?, self.scalar(b, span)?);
                if op.is_partial() {
                    let (least, largest) = self.terms.range(&b);
                    if least <= 0 && largest >= 0 {
                        return out(span, "a divisor is not shown to be other than 0");
                    }
                }
                bounded(self.terms.apply(*op, a, b), span)
            }
        }
    }
}
