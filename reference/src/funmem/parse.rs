//! From text to the core of FUNMEM. Grammar and elaboration are FUN's.

use super::syntax::{ArrayTy, FunMem, Lmad, LmadDim, MemExp, MemTy};
use crate::fun::elaborate::{Elaborator, Front, Shape};
use crate::fun::surface::{self, Expr, LmadText, TypeKind};
use crate::fun::syntax::{Exp, Program};
use crate::kit::names::Var;
use crate::kit::text::{Rejected, Span};

/// The program that `source` writes.
///
/// # Errors
/// As [`fun::parse::program`](crate::fun::parse::program); and arrays without an annotation of
/// their memory.
pub fn program(source: &str) -> Result<Program<FunMem>, Rejected> {
    crate::fun::parse::parse(source)
}

impl Front for FunMem {
    fn ty<'s>(
        front: &mut Elaborator<'s, Self>,
        ty: &surface::Type<'s>,
    ) -> Result<(MemTy, Shape), Rejected> {
        match &ty.kind {
            TypeKind::Int => Ok((MemTy::Int, Shape::Int)),
            TypeKind::Mem => Ok((MemTy::Mem, Shape::Mem)),
            TypeKind::Array { memory: None, .. } => {
                let message = "an array without memory";
                Err(Rejected::new(ty.span, message, "no block and no index function")
                    .help("write `[n] @ x_mem -> R(n)`"))
            }
            TypeKind::Array { sizes, memory: Some((block, lmad)) } => {
                let shape = front.atoms(sizes)?;
                let block = front.lookup(*block)?;
                let lmad = index_function(front, lmad)?;
                let array = ArrayTy { shape: shape.clone(), block, lmad };
                Ok((array.into(), Shape::Array(shape)))
            }
        }
    }

    fn unwritten(shape: &Shape, span: Span) -> Result<MemTy, Rejected> {
        match shape {
            Shape::Int => Ok(MemTy::Int),
            Shape::Mem => Ok(MemTy::Mem),
            Shape::Array(_) => {
                let message = "an array that no annotation gives memory";
                Err(Rejected::new(span, message, "has no name and so no block")
                    .help("bind it with a `let` of its own, with its block and index function"))
            }
        }
    }

    fn copy(
        front: &mut Elaborator<'_, Self>,
        array: Var,
        _: Span,
    ) -> Result<(Exp<Self>, Shape), Rejected> {
        Ok((Exp::Extra(MemExp::Copy(array)), front.shape_of(array)))
    }

    fn alloc<'s>(
        front: &mut Elaborator<'s, Self>,
        size: &Expr<'s>,
        _: Span,
    ) -> Result<Exp<Self>, Rejected> {
        Ok(Exp::Extra(MemExp::Alloc(front.scalar(size)?)))
    }
}

fn index_function<'s>(
    front: &mut Elaborator<'s, FunMem>,
    lmad: &LmadText<'s>,
) -> Result<Lmad, Rejected> {
    match lmad {
        LmadText::RowMajor(sizes) => Ok(Lmad::row_major(&front.atoms(sizes)?)),
        LmadText::Strided { offset, dims } => {
            let offset = front.scalar(offset)?;
            let dims = dims.iter().map(|(extent, stride)| {
                let extent = front.atom(extent)?;
                Ok(LmadDim { extent, stride: front.scalar(stride)? })
            });
            Ok(Lmad { offset, dims: dims.collect::<Result<_, Rejected>>()? })
        }
    }
}

#[cfg(test)]
mod tests;
