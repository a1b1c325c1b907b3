//! Routes: which steps lead from one language to the next. What a step takes, makes and is told stands here; the
//! [pipeline](crate::pipeline) lists the routes and takes them.
//!
//! A route is a list of steps, a step is a pass and a tag. A place on a route is known by its position, so a
//! pass may stand on it more than once; the tag is unique among all routes and names the stage in findings,
//! in headers of the corpus and on the command line. A program enters the route that starts at its language
//! and goes on from route to route until no route starts at the language reached.

mod artifact;
mod pass;
mod plan;

pub use artifact::Artifact;
pub use pass::Pass;
pub(crate) use pass::run;
pub use plan::{KernelOptions, PassCx, Plan};

use reference::kit::language::Language;
use reference::languages;

macro_rules! table {
    ($($(#[$meta:meta])* $name:ident = $room:ident;)*) => {
        /// The languages that routes connect: those of the table, and the shaders.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Lang {
            $($(#[$meta])* #[doc = concat!("That of `reference::", stringify!($room), "`.")] $name,)*
            /// WGSL, a shader for each kernel.
            Shaders,
        }

        impl From<languages::Lang> for Lang {
            fn from(lang: languages::Lang) -> Self {
                match lang {
                    $($(#[$meta])* languages::Lang::$name => Lang::$name,)*
                }
            }
        }
    };
}

languages!(table);

/// The language that all others are lowered to.
pub const TRUNK: Lang = Lang::Device;

/// A language that is compiled.
pub trait Compiled: Language {
    /// Where its programs go.
    const ROUTE: Route;
    /// Other routes of its programs. What is asked of a program is answered on the first one; the tester
    /// takes these beside it.
    const BESIDE: &'static [Route] = &[];
}

/// A pass on a route.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The pass.
    pub pass: &'static Pass,
    /// The name of the stage that it makes here, unique among all routes.
    pub tag: &'static str,
}

impl Step {
    /// A pass that stands on the routes only once, or for the first time: its tag is its name.
    pub const fn of(pass: &'static Pass) -> Self {
        Self { pass, tag: pass.name }
    }

    /// A pass that stands on a route before this; its stage needs a tag of its own.
    pub const fn again(pass: &'static Pass, tag: &'static str) -> Self {
        Self { pass, tag }
    }
}

/// The steps from one language to another.
#[derive(Debug)]
pub struct Route {
    /// The language of the programs that enter.
    pub from: Lang,
    /// The language that the last step makes.
    pub to: Lang,
    /// The steps, in order.
    pub steps: &'static [Step],
}

/// A list of routes with at most one from each language, and those beside them.
#[derive(Clone, Copy, Debug)]
pub struct Routes {
    /// The routes that programs take.
    pub first: &'static [Route],
    /// The others, by language.
    pub beside: &'static [&'static [Route]],
}

/// A place on a route: the stage behind one of its steps.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    route: &'static Route,
    step: usize,
}

impl Position {
    /// The step that leads here.
    pub fn step(self) -> &'static Step {
        &self.route.steps[self.step]
    }

    /// The tag of the step that leads here.
    pub fn tag(self) -> &'static str {
        self.step().tag
    }

    /// The language of the stage.
    pub fn lang(self) -> Lang {
        self.step().pass.to
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.tag() == other.tag()
    }
}

impl Eq for Position {}

impl Routes {
    /// Where the first step from a program of this language leads. `None` if no route starts there.
    pub fn first(self, lang: Lang) -> Option<Position> {
        let route = self.first.iter().find(|route| route.from == lang)?;
        Some(Position { route, step: 0 })
    }

    /// Where the first steps of the other routes from this language lead.
    pub fn beside(self, lang: Lang) -> impl Iterator<Item = Position> {
        let routes = self.beside.iter().copied().flatten();
        let routes = routes.filter(move |route| route.from == lang);
        routes.map(|route| Position { route, step: 0 })
    }

    /// Where a program of this language begins that is to come to the stage with this tag: on another route if
    /// one has it, else on the first.
    pub fn towards(self, tag: &str, lang: Lang) -> Option<Position> {
        let has = |at: &Position| at.route.steps.iter().any(|step| step.tag == tag);
        self.beside(lang).find(has).or_else(|| self.first(lang))
    }

    /// Where the next step leads. `None` behind the last step of the last route.
    pub fn next(self, at: Position) -> Option<Position> {
        if at.step + 1 < at.route.steps.len() {
            return Some(Position { step: at.step + 1, ..at });
        }
        self.first(at.route.to)
    }

    /// Every place that a program of this language comes to on the first route, in order.
    pub fn road(self, lang: Lang) -> impl Iterator<Item = Position> {
        std::iter::successors(self.first(lang), move |at| self.next(*at))
    }

    /// Every place of every route.
    pub fn places(self) -> impl Iterator<Item = Position> {
        let steps = |route: &'static Route| {
            (0..route.steps.len()).map(move |step| Position { route, step })
        };
        self.first.iter().chain(self.beside.iter().copied().flatten()).flat_map(steps)
    }

    /// The place with this tag.
    pub fn tagged(self, tag: &str) -> Option<Position> {
        self.places().find(|at| at.tag() == tag)
    }

    /// Is it the last stage of its language? Then the next step, if there is one, leads out of it.
    pub fn is_last_of_language(self, at: Position) -> bool {
        self.next(at).is_none_or(|next| next.lang() != at.lang())
    }

    /// The last stage in a language on the road from another. `None` if no step on that road makes one.
    pub fn last_in(self, lang: Lang, from: Lang) -> Option<Position> {
        self.road(from).filter(|at| at.lang() == lang).last()
    }
}
