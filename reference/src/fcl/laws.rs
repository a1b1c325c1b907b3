//! Properties of FCL's semantics, for tests and campaigns.

use super::eval::{Setting, Signature, run_as, watched};
use super::location::Machine;
use super::rules::Rule;
use super::syntax::{Kind, Op, Program, Type};
use super::{print, types};
use crate::kit::derivation::Recorder;
use crate::kit::faults::Planted;
use crate::kit::outcome::{Outcome, Value};

/// Propositions 1 and 2, as reading 8 has them: each term that the program steps to has its type, and steps or is a
/// value, unless a premise that the roll names fails. Looks at every `every`th term, and gives how many these are. The
/// rules of types carry `planted`.
///
/// # Errors
/// A term that has another type, or none.
pub fn preservation(
    program: &Program,
    signature: &Signature,
    input: &[Value],
    setting: &Setting,
    every: usize,
    planted: Planted,
) -> Result<u64, String> {
    let (mut seen, mut wrong) = (0, Ok(()));
    let mut look = |term: &Program| {
        if wrong.is_ok() {
            seen += 1;
            wrong = has_type(term, signature, planted);
        }
    };
    watched(program, signature, input, setting, every, &mut look);
    wrong.map(|()| seen)
}

/// Has the program no parameters, and this result?
fn has_type(term: &Program, signature: &Signature, planted: Planted) -> Result<(), String> {
    let told = |what: String| format!("{what}\n{}", print::program(term));
    match types::infer_with(term, planted, &mut Recorder::<Rule>::counting()) {
        // Beyond a limit of the rules nothing is said of it.
        Err(refused) if refused.limit.is_some() => Ok(()),
        Err(refused) => Err(told(format!("{refused:?}"))),
        Ok(typed) if typed.level != signature.level => Err(told(format!("level {}", typed.level))),
        // What an array without elements may have is not known any more, and int.
        Ok(typed) if typed.element != signature.element && typed.element != Type::Int => {
            Err(told(format!("{:?}", typed.element)))
        }
        Ok(_) => Ok(()),
    }
}

/// Does the program ask how large the groups of the machine are? If not, it ends alike on all machines
/// (reading 10).
pub fn asks_for_sizes(program: &Program) -> bool {
    let mut asks = false;
    for def in &program.defs {
        def.body.walk(&mut |exp| {
            asks |= matches!(exp.kind, Kind::Op(Op::BlockSize | Op::WarpSize));
        });
    }
    asks
}

/// The endings on two machines, if they differ though the program does not ask for sizes.
///
/// # Errors
/// Both outcomes.
pub fn same_everywhere(
    program: &Program,
    signature: &Signature,
    input: &[Value],
    setting: &Setting,
    other: Machine,
) -> Result<(), Box<[Outcome; 2]>> {
    let outcomes = [setting.machine, other].map(|machine| {
        let setting = Setting { machine, ..*setting };
        run_as(program, signature, input, &setting, &mut Recorder::counting())
    });
    let [one, two] = &outcomes;
    let alike = one.ending == two.ending && one.tolerances == two.tolerances;
    if alike || asks_for_sizes(program) { Ok(()) } else { Err(Box::new(outcomes)) }
}
