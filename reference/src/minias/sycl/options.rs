//! What the paper leaves open, each question an option (reading Y3). The first value is the default.

use crate::kit::language::{Choice, Settings, Values};
use crate::minias::launch::LAUNCH;
use crate::minias::types::Mode;
use serde::{Deserialize, Serialize};

/// An option of two values.
const fn choice(name: &'static str, values: &'static [&'static str]) -> Choice {
    Choice { name, values: Values::OneOf(values), default: values[0] }
}

/// What the options that are not set are: `written`, the first values, or `deduced`, where types carry spaces.
pub const PRESET: Choice = choice("preset", &["written", "deduced"]);

/// May the generic space be used?
pub const SPACE: Choice = choice("space", &["inferred", "generic"]);

/// The questions, in the order of the paper: those that decide a verdict beside [`SPACE`].
pub const QUESTIONS: [Choice; 9] = [
    choice("capture", &["rebuilt", "fixed"]),
    choice("decltype", &["written", "deduced"]),
    choice("call", &["duplicated", "fixed"]),
    choice("field", &["fixed", "initialiser"]),
    choice("template", &["written", "deduced"]),
    choice("is_same", &["distinct", "same"]),
    choice("param", &["int", "space"]),
    choice("private", &["same", "distinct"]),
    choice("late", &["private", "infer"]),
];

/// Those that the preset `deduced` gives their second value.
const DEDUCED: [&str; 4] = ["decltype", "template", "param", "private"];

/// All options of the language.
pub const ALL: &[Choice] = &[
    LAUNCH,
    PRESET,
    SPACE,
    QUESTIONS[0],
    QUESTIONS[1],
    QUESTIONS[2],
    QUESTIONS[3],
    QUESTIONS[4],
    QUESTIONS[5],
    QUESTIONS[6],
    QUESTIONS[7],
    QUESTIONS[8],
];

/// An answer to each question: is it the second value?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// The generic space may be used.
    pub generic_space: bool,
    /// A captured pointer has the type `int *`, whose space is private.
    pub capture_fixed: bool,
    /// The space is in `decltype(i)`.
    pub decltype_deduced: bool,
    /// The parameters of a lambda are not deduced by its calls.
    pub call_fixed: bool,
    /// A field has the space of what it starts with.
    pub field_initialiser: bool,
    /// Arguments of templates keep their spaces.
    pub template_deduced: bool,
    /// `global int *` is `int *`.
    pub all_same: bool,
    /// T of a parameter `T *` has the space.
    pub param_space: bool,
    /// `private int *` is not `int *`.
    pub private_distinct: bool,
    /// The space of a pointer that starts with nothing is inferred later.
    pub late_infer: bool,
}

impl Answers {
    /// The answers that are set.
    pub fn of(settings: &Settings) -> Self {
        let deduced = settings.get(&PRESET) == "deduced";
        let second = |name: &str| {
            let set = settings.iter().find(|(set, _)| *set == name);
            let question = QUESTIONS.iter().chain([&SPACE]).find(|question| question.name == name);
            match (set, question) {
                (Some((_, value)), Some(question)) => value != question.default,
                _ => deduced && DEDUCED.contains(&name),
            }
        };
        Answers {
            generic_space: second("space"),
            capture_fixed: second("capture"),
            decltype_deduced: second("decltype"),
            call_fixed: second("call"),
            field_initialiser: second("field"),
            template_deduced: second("template"),
            all_same: second("is_same"),
            param_space: second("param"),
            private_distinct: second("private"),
            late_infer: second("late"),
        }
    }

    /// The options that say it.
    pub fn settings(self) -> Settings {
        let second = [
            ("space", self.generic_space),
            ("capture", self.capture_fixed),
            ("decltype", self.decltype_deduced),
            ("call", self.call_fixed),
            ("field", self.field_initialiser),
            ("template", self.template_deduced),
            ("is_same", self.all_same),
            ("param", self.param_space),
            ("private", self.private_distinct),
            ("late", self.late_infer),
        ];
        let mut settings = Settings::default();
        for (question, (name, is_second)) in [SPACE].iter().chain(&QUESTIONS).zip(second) {
            assert_eq!(question.name, name, "the questions stand in their order");
            let value = question.values.listed()[usize::from(is_second)];
            let set = settings.set(ALL, name, value);
            set.unwrap_or_else(|told| unreachable!("an answer is one of two: {told}"));
        }
        settings
    }

    /// The mode of MiniAS in which an elided space is what it is here.
    pub fn mode(self) -> Mode {
        if self.generic_space { Mode::Generic } else { Mode::Single }
    }

    /// Do types carry the spaces that are deduced? Then what depends on them is elaborated for each.
    pub(super) fn types_carry_spaces(self) -> bool {
        !self.generic_space && (self.decltype_deduced || self.template_deduced || self.param_space)
    }
}
