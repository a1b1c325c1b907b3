//! From the core of FUNMEM to text. All but memory prints as in FUN.

use super::syntax::{FunMem, Lmad, MemExp, MemTy};
use crate::fun::print::{Print, Printer, head, print};
use crate::fun::syntax::{Program, Stm};
use crate::kit::names::Names;

/// How tightly `se + {…}` binds.
const SUM: u8 = 6;

/// The text of `program`.
pub fn program(program: &Program<FunMem>) -> String {
    print(program)
}

/// The statement without the bodies in it, as a diagnostic or a derivation shows it.
pub fn statement(names: &Names, stm: &Stm<FunMem>) -> String {
    head(names, stm)
}

impl Print for FunMem {
    fn ty(to: &mut Printer<'_>, ty: &MemTy) {
        match ty {
            MemTy::Int => to.word("int"),
            MemTy::Mem => to.word("mem"),
            MemTy::Array(array) => {
                to.sizes(&array.shape);
                to.word(" @ ");
                to.name(array.block);
                to.word(" -> ");
                if array.lmad == Lmad::row_major(&array.shape) {
                    to.word("R(");
                    to.list(&array.shape, |to, size| to.atom(*size));
                    to.word(")");
                } else {
                    lmad(to, &array.lmad);
                }
            }
        }
    }

    fn extra(to: &mut Printer<'_>, extra: &MemExp) {
        match extra {
            MemExp::Alloc(size) => {
                to.word("alloc ");
                to.scalar(size);
            }
            MemExp::Copy(array) => {
                to.word("copy ");
                to.name(*array);
            }
        }
    }
}

/// `se + {(x : se) ⋯}`
fn lmad(to: &mut Printer<'_>, lmad: &Lmad) {
    to.tight(&lmad.offset, SUM - 1);
    to.word(" + {");
    for (nth, dim) in lmad.dims.iter().enumerate() {
        to.word(if nth > 0 { " (" } else { "(" });
        to.atom(dim.extent);
        to.word(" : ");
        to.scalar(&dim.stride);
        to.word(")");
    }
    to.word("}");
}
