//! Print and parse are inverse: what the printer writes, the parser reads as the same core.
//!
//! Spans and numbers of names may differ: what is read is compared by [`same`]. What a pass makes may go
//! beyond what a parser takes ([`Limit`]): that is no fault, and is counted as not compared.

use super::examine::Examination;
use super::verdict::{Finding, Kind};
use crate::engine::{Artifact, Case, EngineId, Origin, Stage};
use crate::language::{Lang, Listed};
use crate::panics::catch;
use crate::rolls::Rolls;
use reference::device::Device;
use reference::kit::same::same;
use reference::kit::text::{Limit, Rejected};

/// Prints a stage, reads it back, and holds it against the type rules.
///
/// # Errors
/// What is not the same.
pub fn check(stage: &Stage, engine: EngineId, seen: &mut Examination) -> Result<(), Box<Finding>> {
    let outcome = catch(|| keeps(&stage.artifact, &stage.artifact.print()));
    let (kind, text) = match outcome {
        Ok(Ok(())) => return Ok(()),
        Ok(Err(Lost::Beyond(limit))) => {
            let reason = format!("printed, it is beyond the parser's limit of {}", limit.name());
            seen.skip(stage.id, engine, reason);
            return Ok(());
        }
        Ok(Err(Lost::Wrong(text))) => (Kind::RoundTrip, text),
        Err(text) => (Kind::Panic, text),
    };
    Err(Box::new(Finding::of(stage.id, engine, kind, text)))
}

/// Is the device program of this number among the stages tried? Of a file all are; of a generated program
/// one, by its schedule: a pass leaves most of what it is given as it is, and to print and read what each
/// makes takes as long as everything else that is done with the program.
pub fn is_tried(case: &Case, stages: &[Stage], number: usize) -> bool {
    let of_device = |stage: &&Stage| stage.artifact.lang() == Device::LANG;
    let devices = |stages: &[Stage]| stages.iter().filter(of_device).count();
    match case.origin {
        Origin::File(_) => true,
        // The high bits: a campaign looks at programs in turns, which go with the low ones.
        Origin::Generated { .. } | Origin::Mutated { .. } => {
            (case.schedule >> 32) as usize % devices(stages) == devices(&stages[..number])
        }
    }
}

/// Why a printed program does not come back.
#[derive(Debug, PartialEq, Eq)]
enum Lost {
    /// It is beyond what is read at all.
    Beyond(Limit),
    /// It is another program, or none.
    Wrong(String),
}

impl Lost {
    fn of(error: &Rejected, what: &str) -> Self {
        match error.limit {
            Some(limit) => Lost::Beyond(limit),
            None => Lost::Wrong(format!("{what}: {}", error.message)),
        }
    }
}

/// Is `printed` read as the program, and well typed?
fn keeps(program: &Artifact, printed: &str) -> Result<(), Lost> {
    let lang = program.lang();
    let refused = format!("the parser of {lang} refuses what its printer wrote");
    let read = lang.parse(printed).map_err(|error| Lost::of(&error, &refused))?;
    let read = read.under(&program.options());
    let wrong = format!("what the printer of {lang} wrote is not well typed");
    read.check(&mut Rolls::default()).map_err(|error| Lost::of(&error, &wrong))?;
    match differs(program, &read, printed) {
        None => Ok(()),
        Some(text) => Err(Lost::Wrong(text)),
    }
}

/// How what was read of `printed` is not the program.
fn differs(program: &Artifact, read: &Artifact, printed: &str) -> Option<String> {
    let lang = program.lang();
    let again = read.print();
    match printed.lines().zip(again.lines()).find(|(one, two)| one != two) {
        Some((one, two)) => Some(format!("`{one}` is read and printed as `{two}`")),
        None if printed.lines().count() != again.lines().count() => {
            Some("lines are lost".to_owned())
        }
        None if !same(program, read) => {
            Some(format!("the printer of {lang} wrote another program: parentheses are lost"))
        }
        None => None,
    }
}

/// Reads a text and, if it is a program, prints it and reads it again.
///
/// # Errors
/// What differs. A text that is no program, or that is too large as it is printed, is no difference.
pub fn text(lang: Lang, text: &str) -> Result<(), String> {
    let Ok(program) = lang.parse(text) else { return Ok(()) };
    let printed = program.print();
    match lang.parse(&printed) {
        Ok(again) if same(&program, &again) => Ok(()),
        Ok(_) => Err(format!("{lang} reads what it printed as another program:\n{printed}")),
        Err(error) if error.limit.is_some() => Ok(()),
        Err(error) => {
            Err(format!("{lang} cannot read what it printed: {}\n{printed}", error.message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Lost, is_tried, keeps, text};
    use crate::engine::{Case, Origin, Stage};
    use crate::language::Lang;
    use crate::stages::{Plan, Stages};
    use reference::kit::language::Settings;
    use reference::kit::outcome::Budget;
    use reference::kit::text::Limit;

    /// A printer that drops parentheses, in each language: what it writes is well typed, and is
    /// printed as it was read.
    #[test]
    fn lost_parentheses_are_seen() {
        let programs = [
            (Lang::Fun, "param (x : int)\nin (x - (x - 1))\n"),
            (Lang::FunMem, "param (x : int)\nin (x - (x - 1))\n"),
            (Lang::Imp, "param (x : int)\nvar y : int;\ny <- x - (x - 1)\nresults (y)\n"),
            (Lang::Device, "param x : i32;\nlet y : i32 = x - (x - 1);\nresult y;\n"),
        ];
        for (lang, source) in programs {
            let program = lang.parse(source).expect("it is a program");
            let right = program.print();
            assert_eq!(keeps(&program, &right), Ok(()), "{lang}");
            let wrong = right.replace("(x - 1)", "x - 1");
            assert_ne!(right, wrong, "{lang}");
            let error = keeps(&program, &wrong).expect_err("the text is of another program");
            let Lost::Wrong(error) = error else { panic!("{lang}: {error:?}") };
            assert!(error.contains("parentheses are lost"), "{lang}: {error}");
        }
    }

    /// Of a file every device program is tried, of a generated program one, and every one of some.
    #[test]
    fn device_programs_are_tried_in_turn() {
        let program = Lang::Fun.parse("let (xs : [2]) = kernel i <= 2 do in (i)\nin (xs)\n");
        let program = program.expect("it is a program");
        let stages = Stages::of(&program, Plan::default()).list;
        let of_device = |stage: &Stage| stage.artifact.lang() == Lang::Device;
        let devices: Vec<usize> = (0..stages.len()).filter(|at| of_device(&stages[*at])).collect();
        assert!(devices.len() > 4);
        let tried = |schedule: u64, origin: &Origin| {
            let (program, origin) = (program.clone(), origin.clone());
            let case = Case {
                program,
                input: vec![],
                schedule,
                settings: Settings::default(),
                budget: Budget::default(),
                origin,
            };
            devices.iter().copied().filter(|at| is_tried(&case, &stages, *at)).collect::<Vec<_>>()
        };
        assert_eq!(tried(5, &Origin::File(String::new())), devices);
        let drawn = Origin::Generated { seed: 0, number: 0 };
        let by_turns = (0..devices.len() as u64).flat_map(|nth| tried(nth << 32, &drawn));
        assert_eq!(by_turns.collect::<Vec<_>>(), devices);
    }

    /// What is longer, deeper or taller than a parser takes is told from what is wrong.
    #[test]
    fn limits_are_no_faults() {
        let program = Lang::Fun.parse("param (x : int)\nin (x)\n").expect("it is a program");
        let beyond = [
            (Limit::Length, format!("{}in (1)", " ".repeat(5 << 20))),
            (Limit::Nesting, format!("in ({}1{})", "(".repeat(300), ")".repeat(300))),
            (Limit::Operators, format!("param (x : int)\nin (x{})", " + x".repeat(300))),
        ];
        for (limit, printed) in beyond {
            assert_eq!(keeps(&program, &printed), Err(Lost::Beyond(limit)));
            assert_eq!(text(Lang::Fun, &printed), Ok(()));
        }
        assert!(matches!(keeps(&program, "in ("), Err(Lost::Wrong(_))));
    }
}
