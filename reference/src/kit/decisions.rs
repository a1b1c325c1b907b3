//! What a pass may do and need not: decisions. They are counted, drawn by chance if that is asked for, end after
//! a number of them, and are reported in words.
//!
//! A pass asks before each thing that it may also leave undone ([`Decisions::decide`]), or where it may do a
//! thing in several ways ([`Decisions::choose`]). What must be done for a program to be compiled at all is
//! done without asking. So a program is right whatever the answers are, and two compilations that differ in one
//! answer tell which decision is at fault.

use super::dice::Dice;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How decisions are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Policy {
    /// The seed that answers are drawn from; without one a pass does what it holds for best.
    pub chaos: Option<u64>,
    /// After so many decisions nothing more is done that need not be; without it all of them are made.
    pub limit: Option<u64>,
}

/// What became of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// It was made.
    Made,
    /// Chance was against it.
    Drawn,
    /// It came after the last that may be made.
    Limit,
    /// There was nothing to decide: what was done, or could not be done.
    Note,
}

/// A decision, or a remark of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The tag of the step, as stages are named.
    pub stage: &'static str,
    /// Which of the decisions that were made it is, counted from 1 over all steps.
    pub number: Option<u64>,
    /// What became of it.
    pub answer: Answer,
    /// What is done, and why it may be.
    pub text: String,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Decision { stage, text, .. } = self;
        match (self.answer, self.number) {
            (Answer::Made, Some(number)) => write!(f, "{stage}: {number}. {text}"),
            (Answer::Drawn, _) => write!(f, "{stage}: not drawn: {text}"),
            (Answer::Limit, _) => write!(f, "{stage}: past the last decision: {text}"),
            (Answer::Made | Answer::Note, _) => write!(f, "{stage}: {text}"),
        }
    }
}

/// The decisions of one compilation.
#[derive(Clone, Debug)]
pub struct Decisions {
    policy: Policy,
    /// Neither chance nor a limit nor a report: every answer is yes.
    plain: bool,
    /// How many were made.
    made: u64,
    stage: &'static str,
    /// How many questions the step has asked.
    asked: u64,
    /// Of the drawn answers of the step so many in eight are yes.
    share: u64,
    report: Option<Vec<Decision>>,
}

impl Decisions {
    /// Answers as `policy` says, without a report.
    pub fn new(policy: Policy) -> Self {
        let plain = policy == Policy::default();
        Self { policy, plain, made: 0, stage: "", asked: 0, share: 8, report: None }
    }

    /// The same with a report.
    pub fn reported(policy: Policy) -> Self {
        Self { plain: false, report: Some(Vec::new()), ..Self::new(policy) }
    }

    /// A step begins. What is drawn in it depends on its tag and not on the steps before.
    pub fn begin(&mut self, stage: &'static str) {
        self.stage = stage;
        self.asked = 0;
        if self.policy.chaos.is_some() {
            self.share = self.draw(u64::MAX) % 9;
        }
    }

    /// Shall a pass do what it holds for better? `what` says what, and why it may be done.
    #[inline]
    pub fn decide(&mut self, what: impl FnOnce() -> String) -> bool {
        if self.plain {
            self.made += 1;
            return true;
        }
        self.answer(true, what)
    }

    /// Shall a pass do what it may, but does not hold for better? Only chance says yes.
    #[inline]
    pub fn consider(&mut self, what: impl FnOnce() -> String) -> bool {
        !self.plain && self.policy.chaos.is_some() && self.answer(true, what)
    }

    /// Which of several ways? `basic` needs no decision and is taken when no more are made, `best` is the
    /// one of the pass; `all` has both. `what` says what is done.
    pub fn choose<T: Copy + PartialEq>(
        &mut self,
        basic: T,
        best: T,
        all: &[T],
        what: impl Fn(T) -> String,
    ) -> T {
        let drawn = match self.policy.chaos {
            Some(_) if !all.is_empty() => {
                self.asked += 1;
                all[(self.draw(self.asked) % all.len() as u64) as usize]
            }
            _ => best,
        };
        if drawn == basic {
            self.note(|| what(basic));
            return basic;
        }
        if self.answer(false, || what(drawn)) { drawn } else { basic }
    }

    /// Says what was done without a choice, or why something could not be done.
    pub fn note(&mut self, what: impl FnOnce() -> String) {
        self.tell(Answer::Note, None, what);
    }

    /// How many were made.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// What was reported so far; empty where no report was asked for.
    pub fn report(&self) -> &[Decision] {
        self.report.as_deref().unwrap_or_default()
    }

    fn answer(&mut self, by_chance: bool, what: impl FnOnce() -> String) -> bool {
        self.asked += u64::from(by_chance);
        if by_chance && self.policy.chaos.is_some() && self.draw(self.asked) % 8 >= self.share {
            self.tell(Answer::Drawn, None, what);
            return false;
        }
        if self.policy.limit.is_some_and(|limit| self.made >= limit) {
            self.tell(Answer::Limit, None, what);
            return false;
        }
        self.made += 1;
        self.tell(Answer::Made, Some(self.made), what);
        true
    }

    fn tell(&mut self, answer: Answer, number: Option<u64>, what: impl FnOnce() -> String) {
        if let Some(report) = &mut self.report {
            report.push(Decision { stage: self.stage, number, answer, text: what() });
        }
    }

    /// A number from the seed, the step and the number of the question.
    fn draw(&self, number: u64) -> u64 {
        let stage = self.stage.bytes().fold(0xcbf2_9ce4_8422_2325, |digest: u64, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let seed = self.policy.chaos.unwrap_or_default();
        Dice::at(seed ^ stage, number)
    }
}

impl Default for Decisions {
    fn default() -> Self {
        Self::new(Policy::default())
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, Decisions, Policy};

    fn answers(mut decisions: Decisions, stage: &'static str) -> Vec<bool> {
        decisions.begin(stage);
        (0..64).map(|_| decisions.decide(String::new)).collect()
    }

    #[test]
    fn the_usual_answer_is_yes() {
        assert_eq!(answers(Decisions::default(), "a"), [true; 64]);
        let mut usual = Decisions::default();
        assert!(!usual.consider(String::new));
        assert_eq!(usual.choose(1, 2, &[1, 2, 3], |_| String::new()), 2);
        assert_eq!(usual.made(), 1);
    }

    #[test]
    fn after_the_last_decision_nothing_is_done() {
        let mut few = Decisions::reported(Policy { limit: Some(2), ..Policy::default() });
        few.begin("a");
        assert!(few.decide(|| "one".to_owned()));
        few.begin("b");
        assert_eq!(few.choose(1, 2, &[1, 2], |way| format!("way {way}")), 2);
        assert!(!few.decide(|| "three".to_owned()));
        assert_eq!(few.choose(1, 2, &[1, 2], |way| format!("way {way}")), 1);
        assert_eq!(few.made(), 2);
        let told: Vec<String> = few.report().iter().map(ToString::to_string).collect();
        let past = "b: past the last decision: ";
        let wanted = ["a: 1. one".to_owned(), "b: 2. way 2".to_owned()];
        assert_eq!(told[..2], wanted);
        assert_eq!(told[2..], [format!("{past}three"), format!("{past}way 2")]);
    }

    /// Chance says yes and no, the same each time, and for a step whatever came before it.
    #[test]
    fn answers_are_drawn() {
        let chaos = |seed| Decisions::new(Policy { chaos: Some(seed), limit: None });
        let mut seen = [0; 2];
        for seed in 0..32 {
            let drawn = answers(chaos(seed), "a");
            assert_eq!(drawn, answers(chaos(seed), "a"));
            let mut later = chaos(seed);
            later.begin("b");
            later.decide(String::new);
            assert_eq!(drawn, answers(later, "a"));
            drawn.iter().for_each(|yes| seen[usize::from(*yes)] += 1);
        }
        assert!(seen.iter().all(|times| *times > 400), "{seen:?}");
        let mut ways = [0; 3];
        for seed in 0..32 {
            let mut chaos = chaos(seed);
            (0..8).for_each(|_| ways[chaos.choose(0, 2, &[0, 1, 2], |_| String::new())] += 1);
        }
        assert!(ways.iter().all(|times| *times > 50), "{ways:?}");
        let considered = (0..32).filter(|seed| chaos(*seed).consider(String::new)).count();
        assert!(considered > 0);
    }

    #[test]
    fn what_is_not_drawn_is_reported() {
        let told = |seed| {
            let mut chaos = Decisions::reported(Policy { chaos: Some(seed), limit: None });
            chaos.begin("a");
            (0..8).for_each(|_| _ = chaos.decide(|| "it".to_owned()));
            chaos.report().iter().map(|decision| decision.answer).collect::<Vec<_>>()
        };
        assert!((0..8).any(|seed| told(seed).contains(&Answer::Drawn)));
    }
}
