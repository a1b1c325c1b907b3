//! What a program of the device language is measured by.

use super::super::{Size, numbers};
use super::code::Code;
use reference::device::parts::Statement;
use reference::device::syntax::{Exp, Host, Kind, Lit, Place, Program, Shown, Stm, Ty, Wide};
use reference::device::visit_mut::{self, Visitor};

/// The size of a program. Whatever is declared counts as a statement: kernels, functions,
/// structures, variables of kernels, and what loops carry.
pub(super) fn size(program: &Program) -> Size {
    let declared = program.kernels.iter().map(|kernel| {
        1 + kernel.workgroup.len() + kernel.private.len() + usize::from(kernel.record.is_some())
    });
    // What all may name counts more than what is one kernel's.
    let of_program = 2 * (program.workgroup.len() + program.private.len());
    let declared = declared.sum::<usize>() + of_program;
    let declared = declared + program.functions.len() + program.structs.len();
    Size {
        statements: declared + count::<Host>(program) + count::<Kind>(program),
        weight: weight(program),
    }
}

fn count<C: Code>(program: &Program) -> usize {
    fn go<C: Code>(body: &[Stm<C>]) -> usize {
        let one = |stm: &Stm<C>| {
            let inner = stm.kind.blocks();
            // Only loops bind something and have blocks: what they carry.
            let carried = if inner.is_empty() { 0 } else { stm.kind.after().len() };
            1 + carried + inner.into_iter().map(|body| go(body)).sum::<usize>()
        };
        body.iter().map(one).sum()
    }
    C::roots(program).into_iter().map(|root| go(root)).sum()
}

fn weight(program: &Program) -> u64 {
    let mut weight = Weight(0);
    // Only the walk that may change something goes everywhere; a copy costs little.
    visit_mut::program(&mut program.clone(), &mut weight);
    let params = program.functions.iter().map(|function| &function.params);
    let params = params.chain(program.kernels.iter().map(|kernel| &kernel.params));
    let params = params.map(Vec::len).sum::<usize>() + program.params.len() + program.sites.len();
    let results = program.functions.iter().filter(|function| function.result.is_some()).count();
    let groups = program.kernels.iter().map(|kernel| numbers::digits(kernel.group.into()));
    let fields = program.structs.iter().map(|declared| declared.fields.len()).sum::<usize>();
    let shapes = program.results.iter().map(|output| match &output.shown {
        Shown::Scalar(..) | Shown::Words(..) => 4,
        Shown::Array { shape, .. } => 4 + 2 * shape.len(),
    });
    let named = params + results + fields + shapes.sum::<usize>();
    weight.0 + 4 * named as u64 + groups.sum::<u64>() + kinds(program)
}

/// What statements weigh besides their expressions: a result with a name is more than one without,
/// and an atomic operation more than a store.
fn kinds(program: &Program) -> u64 {
    fn go(body: &[Stm<Kind>]) -> u64 {
        let one = |stm: &Stm<Kind>| {
            let own = match &stm.kind {
                Kind::Atomic { into, .. } => 1 + u64::from(into.is_some()),
                Kind::Call { into, .. } => u64::from(into.is_some()),
                Kind::UniformLoad { .. } => 2,
                // More than the branches that it could be.
                Kind::Switch(switch) => {
                    let literals = switch.cases.iter().map(|case| match case.literal {
                        Lit::I32(k) => numbers::digits(k.into()),
                        Lit::U32(k) => numbers::digits(k.into()),
                        _ => 0,
                    });
                    16 + literals.map(|digits| 8 + digits).sum::<u64>()
                }
                _ => 0,
            };
            own + stm.kind.blocks().into_iter().map(|body| go(body)).sum::<u64>()
        };
        body.iter().map(one).sum()
    }
    Kind::roots(program).into_iter().map(|root| go(root)).sum()
}

/// How much an expression weighs.
pub(super) fn weight_of(exp: &Exp) -> u64 {
    let mut weight = Weight(0);
    visit_mut::exp(&mut exp.clone(), &mut weight);
    weight.0
}

struct Weight(u64);

impl Visitor for Weight {
    fn exp(&mut self, exp: &mut Exp) -> bool {
        self.0 += match exp {
            Exp::Lit(lit) => 1 + literal(*lit),
            Exp::Var(_) | Exp::Builtin(_) => 12,
            Exp::Select(..) | Exp::Block(..) | Exp::Make(_) | Exp::Load(_) | Exp::Ref(_) => 4,
            _ => 3,
        };
        true
    }

    fn place(&mut self, place: &mut Place) -> bool {
        self.0 += match place {
            Place::Var(_) => 10,
            _ => 2,
        };
        true
    }

    fn ty(&mut self, ty: &mut Ty) {
        self.0 += match ty {
            Ty::Scalar(_) => 1,
            Ty::Array(_, n) => 3 + numbers::digits((*n).into()),
            Ty::Vector(_, n) => 1 + u64::from(*n),
            _ => 3,
        };
    }
}

/// How much a literal weighs.
fn literal(lit: Lit) -> u64 {
    match lit {
        Lit::Bool(b) => u64::from(!b),
        Lit::I32(k) => numbers::digits(k.into()),
        Lit::U32(k) => numbers::digits(k.into()),
        Lit::I64(Wide(k)) => numbers::digits(k),
        Lit::F32(bits) => {
            let x = f32::from_bits(bits);
            match x as i64 {
                k if k as f32 == x && bits != (-0.0_f32).to_bits() => numbers::digits(k).min(39),
                _ => 40,
            }
        }
        Lit::F64(Wide(bits)) => {
            let x = f64::from_bits(bits as u64);
            match x as i64 {
                k if k as f64 == x && x.to_bits() != (-0.0_f64).to_bits() => {
                    numbers::digits(k).min(39)
                }
                _ => 40,
            }
        }
    }
}
