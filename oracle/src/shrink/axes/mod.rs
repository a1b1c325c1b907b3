//! The shrinker of terms over named axes: parts go, axes go, sizes and numbers become less.

mod candidates;

use super::{Effort, Shrink, Shrinking, Shrunk, Size, Subject, Test, data};
use candidates::{Candidates, axes_less, numbers_less, parts_less, sizes_less};
use reference::axes::syntax::{Head, Kind, Level, Name, Place, Program};
use reference::axes::{Axes, Meant, print};
use reference::kit::outcome::Value;
use reference::kit::value::ScalarType;
use std::collections::BTreeSet;

impl Shrink for Axes {
    fn shrink(
        program: &Meant,
        input: &[Value],
        test: &mut Test<'_, Meant>,
        effort: Effort,
    ) -> Shrunk<Meant> {
        let mut shrinking = Shrinking::of(program, input, test, effort);
        loop {
            let before = shrinking.size;
            shrinking.remove_unused();
            for candidates in [parts_less, axes_less, sizes_less, numbers_less] {
                shrinking.take_any(candidates);
            }
            shrinking.reduce_scalars();
            shrinking.simplify_data();
            if shrinking.size == before || shrinking.is_spent() {
                break;
            }
        }
        shrinking.shrunk(|program| program)
    }

    fn resize(program: &Meant, input: &mut Vec<Value>) -> Option<()> {
        resize(program.program(), input)
    }

    fn statements(program: &Meant) -> usize {
        inner(program.program())
    }
}

impl Shrinking<'_, Meant> {
    /// Takes candidates as long as one still shows it.
    fn take_any(&mut self, candidates: Candidates) {
        'again: while !self.is_spent() {
            for program in candidates(self.program.program()) {
                let Ok(program) = Meant::of(program) else {
                    self.candidates += 1;
                    continue;
                };
                if self.attempt(program, self.input.clone()) {
                    continue 'again;
                }
            }
            return;
        }
    }
}

/// Nodes that are no leaves.
fn inner(program: &Program) -> usize {
    let mut count = 0;
    program.term.walk(&mut |term| count += usize::from(!term.args.is_empty()));
    count
}

impl Subject for Meant {
    fn size(&self) -> Size {
        let program = self.program();
        let mut weight = print::program(program).len() as u64;
        program.term.walk(&mut |term| {
            weight += match &term.head {
                Head::Size(n) => u64::from(*n),
                Head::Index(_) => 4,
                Head::Level(level) => u64::from(*level != Level::Seq),
                Head::Place(place) => u64::from(*place != Place::Glob),
                _ => 0,
            };
        });
        for param in &program.params {
            weight += match &param.kind {
                Kind::Int(_) => 1,
                Kind::Array(sizes) => sizes.iter().map(|size| u64::from(*size)).sum(),
            };
        }
        Size { statements: inner(program), weight }
    }

    fn is_valid(&self) -> bool {
        true
    }

    fn fit(&mut self, input: &mut Vec<Value>) -> Option<()> {
        resize(self.program(), input)
    }

    fn without_unused(&self, input: &[Value]) -> Vec<(Self, Vec<Value>)> {
        let mut used: BTreeSet<&Name> = BTreeSet::new();
        self.program().term.walk(&mut |term| {
            if let Head::Scalar(name) | Head::Array(name) = &term.head {
                used.insert(name);
            }
        });
        let params = &self.program().params;
        let is_used: Vec<bool> = params.iter().map(|param| used.contains(&param.name)).collect();
        if is_used.iter().all(|used| *used) || input.len() != params.len() {
            return Vec::new();
        }
        let keep = |nth: &usize| is_used[*nth];
        let kept = Program {
            params: (0..params.len()).filter(keep).map(|nth| params[nth].clone()).collect(),
            term: self.program().term.clone(),
        };
        let input = (0..input.len()).filter(keep).map(|nth| input[nth].clone()).collect();
        Meant::of(kept).ok().map(|program| (program, input)).into_iter().collect()
    }
}

/// Brings each array of the input to the sizes of its parameter, and each number to the one that is known.
fn resize(program: &Program, input: &mut Vec<Value>) -> Option<()> {
    for (at, param) in program.params.iter().enumerate() {
        match &param.kind {
            Kind::Int(Some(k)) => *input.get_mut(at)? = Value::from(*k),
            Kind::Int(None) => {}
            Kind::Array(sizes) => {
                let sizes = sizes.iter().map(|size| *size as usize).collect();
                data::resize(input, at, ScalarType::I32, sizes)?;
            }
        }
    }
    Some(())
}
