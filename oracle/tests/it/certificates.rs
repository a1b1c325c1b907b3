//! Certificates of drawn programs: each replays, and of changed ones none is taken whose terms end otherwise than the
//! program on an input that was drawn for it.

use compiler::rewrite::chaos::member;
use compiler::rewrite::explain::{Link, links};
use compiler::rewrite::search::{Limits, search_explained};
use oracle::generate::{Weights, case};
use oracle::language::{Lang, Listed};
use oracle::optimize::certificate::Certificate;
use oracle::optimize::replay::Replay;
use reference::axes::laws::BOOK;
use reference::axes::syntax::Program;
use reference::axes::{Axes, Meant, parse, types};
use reference::kit::derivation::Recorder;
use reference::kit::dice::Dice;
use reference::kit::faults::Planted;
use reference::kit::language::{How, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Value};
use std::time::Duration;

/// A program, its input, and the steps to a member of its class.
struct Drawn {
    program: Program,
    input: Vec<Value>,
    chain: Vec<Link>,
}

/// What a program gives on an input; `None` if it is stuck or has no answer.
fn results(program: &Program, input: &[Value]) -> Option<Vec<Value>> {
    let meant = Meant::of(program.clone()).ok()?;
    let how = How {
        variant: "",
        schedule: 0,
        budget: &Budget::default(),
        settings: &Settings::default(),
        planted: Planted::NONE,
        memory: &mut Memory::default(),
    };
    match Axes::run(&meant, input, how, &mut Recorder::counting()).ending {
        Ending::Value(values) => Some(values),
        _ => None,
    }
}

/// Program `number` of a campaign with a chain, if it gives results and a member is found.
fn drawn(number: u64) -> Option<Drawn> {
    let weights = Weights::of(Lang::named("axes"));
    let material = case(20, number, &weights);
    let program = Axes::of(&material.program)?.program().clone();
    let input = material.input;
    results(&program, &input)?;
    let mut dice = Dice::new(number);
    let without = BOOK.iter().filter(|_| dice.below(2) == 0).map(|law| law.name.to_owned());
    let limits = Limits {
        nodes: 300,
        time: Duration::from_secs(60),
        rounds: 4,
        budget: 60,
        tiles: vec![2, 3],
        without: without.collect(),
        ..Limits::default()
    };
    let mut searched = search_explained(&program, &limits).ok()?;
    let member = (0..4).find_map(|seed| {
        member(&searched, Dice::at(number, seed + 1)).filter(|member| *member != program)
    })?;
    let chain = links(&mut searched, &member).expect("each step has a law");
    // A term on the way may bind a name twice: then there is no certificate, and `chain` says so.
    let is_term = |link: &Link| {
        let program = Program { params: program.params.clone(), term: link.term.clone() };
        types::check(&program).is_ok()
    };
    if !chain.iter().all(is_term) {
        return None;
    }
    Some(Drawn { program, input, chain })
}

/// A certificate with one thing changed.
fn changed(of: &Certificate, kind: usize, dice: &mut Dice) -> Option<Certificate> {
    let mut certificate = of.clone();
    let nth = dice.below(of.steps.len() as u64) as usize;
    let step = &mut certificate.steps.get_mut(nth)?.step;
    match kind {
        0 => step.law = BOOK[dice.below(BOOK.len() as u64) as usize].name.to_owned(),
        1 => step.back = !step.back,
        2 => match step.position.last_mut() {
            Some(last) => *last = (*last + 1) % 4,
            None => step.position.push(0),
        },
        3 => step.parameter = [0, 2, 3, 4][dice.below(4) as usize],
        // A size in the text of the term behind it.
        4 => {
            let term = &mut certificate.steps[nth].term;
            let at = term.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at);
            let at: Vec<usize> = at.collect();
            let at = *at.get(dice.below(at.len().max(1) as u64) as usize)?;
            let digit = term.as_bytes()[at] - b'0';
            term.replace_range(at..=at, &((digit + 1) % 10).to_string());
        }
        5 => drop(certificate.steps.remove(nth)),
        6 => certificate.goal = format!("{:016x}", dice.below(u64::MAX)),
        _ => certificate.steps.insert(nth, certificate.steps[nth].clone()),
    }
    (certificate != *of).then_some(certificate)
}

/// Do all terms of a certificate that was taken give on this input what the program gives?
fn all_alike(certificate: &Certificate, program: &Program, input: &[Value]) -> bool {
    let head: String = {
        let lines = certificate.program.lines().take_while(|line| line.starts_with("param"));
        lines.map(|line| format!("{line}\n")).collect()
    };
    let wanted = results(program, input);
    certificate.steps.iter().all(|certified| {
        let after = parse::program(&format!("{head}{}", certified.term)).expect("it was taken");
        results(&after, input) == wanted
    })
}

#[test]
fn certificates_of_drawn_programs_replay_and_wrong_ones_do_not() {
    let by = Replay::default();
    let (mut chains, mut steps, mut refused, mut taken, mut unanswered) = (0, 0, 0, 0, 0);
    for number in 0..200 {
        let Some(Drawn { program, input, chain }) = drawn(number) else { continue };
        let certificate = Certificate::of(&program, &chain);
        if let Err(no) = certificate.replay(&by) {
            panic!("program {number}, step {}: {}\n{certificate:#?}", no.step, no.why);
        }
        // A run without an answer is told apart from a wrong one.
        let little = Budget { fuel: 1, ..by.budget };
        let replayed = certificate.replay(&Replay { budget: little, ..by });
        let replayed = replayed.unwrap_or_else(|no| panic!("program {number}: {}", no.why));
        unanswered += usize::from(replayed.not_run.is_some());
        chains += 1;
        steps += chain.len();
        let mut dice = Dice::new(number);
        // Without its last step it names another goal.
        let mut shorter = certificate.clone();
        shorter.steps.pop();
        let no = shorter.replay(&by).err().map(|no| no.why);
        assert!(no.is_some_and(|why| why.contains("the goal that it names")), "{shorter:#?}");
        for kind in 0..8 {
            let Some(wrong) = changed(&certificate, kind, &mut dice) else { continue };
            match wrong.replay(&by) {
                Err(_) => refused += 1,
                Ok(_) => {
                    taken += 1;
                    assert!(all_alike(&wrong, &program, &input), "{number}, {kind}: {wrong:#?}");
                }
            }
        }
    }
    assert!(2 * unanswered > chains, "{unanswered} of {chains} have no answer");
    assert!(chains >= 60 && steps > chains, "{chains} chains, {steps} steps");
    assert!(refused >= 4 * chains, "{refused} refused, {taken} taken, of {chains} chains");
}
