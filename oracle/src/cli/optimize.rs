//! `lockstep optimize`

mod emit;
mod json;
mod lambda_g;
mod story;
mod timed;

use super::cost;
use super::options::{Adapters, Programs};
use super::out::Out;
use super::problem::Problem;
use super::rewriting::{Certificates, certificates, found};
use super::run::Named;
use super::sizes;
use super::values::Input;
use super::{Answer, Status};
use crate::check::{Depth, Verdict};
use crate::engine::Case;
use crate::optimize::certificate::Certificate;
use crate::optimize::lambda_g::said::Said;
use crate::optimize::said::Unsaid;
use crate::optimize::subject::Subject;
use crate::optimize::{Optimized, Request, Segment};
use crate::pricing::Sample;
use compiler::rewrite::groups;
use compiler::rewrite::search::{ASKED_FOR, Limits};
use compiler::rewrite::sketch::Sketch;
use emit::tell_in_fcl;
use lambda_g::Rewritten;
use reference::axes::laws::Class;
use reference::axes::print;
use reference::cost::Mode;
use reference::kit::outcome::{Budget, Ending, Value};
use reference::lambda_g::LambdaG;
use reference::languages::place;
use reference::languages::{Artifact, Listed};
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(clap::Args)]
#[command(
    after_help = "Example: lockstep optimize corpus/fun/pass/matrix_product.fun --size n=64,m=64,l=64\n         \
    lockstep optimize corpus/fun/pass/sum.fun --size n=1024 --emit imp\n         \
    lockstep optimize corpus/fun/pass/sum.fun --size n=1024 --run imp:in-order"
)]
pub(super) struct Args {
    #[command(flatten)]
    pub(super) programs: Programs,
    /// Sizes for the integer parameters, such as n=64,m=8; arrays hold made-up numbers. Without sizes or values the
    /// first input of the header counts
    #[arg(long, value_name = "NAME=SIZE,...", value_delimiter = ',', value_parser = sizes::size)]
    #[arg(conflicts_with_all = ["values", "file"])]
    size: Vec<(String, i32)>,
    #[command(flatten)]
    input: Input,
    /// The cost model by which plans are compared
    #[arg(long, default_value = "umm", value_parser = mode)]
    mode: Mode,
    /// A machine as JSON; what it does not say is as in the default one (docs/cost.md), or `paper`, `integrated`, `discrete`
    /// or `software`
    #[arg(long, value_name = "FILE")]
    machine: Option<PathBuf>,
    /// Which laws are applied: exact ones, also those of operators that combine in any order, also those
    /// that a search tries only where it is asked to, or those that make work groups
    #[arg(long, default_value = "assoc")]
    laws: Laws,
    /// Sizes of tiles
    #[arg(long, value_name = "SIZE,...", value_delimiter = ',', default_values_t = [4, 32])]
    #[arg(value_parser = clap::value_parser!(u32).range(2..=1 << 16))]
    tiles: Vec<u32>,
    /// What plans shall be like: a term in which `_` stands for anything, found anywhere in a program (docs/optimize.md).
    /// Of several, the search is led from one to the next
    #[arg(long, value_name = "TEXT")]
    sketch: Vec<String>,
    /// Take a random program that was found, whatever it costs, instead of the cheapest
    #[arg(long, value_name = "SEED", conflicts_with = "sketch")]
    chaos: Option<u64>,
    /// Nodes of the e-graph
    #[arg(long, default_value_t = 50_000, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    /// MiB that an e-graph may take, as it is estimated: that of the search, and those that its certificate is made
    /// from. A run has a budget of its own, 2048 MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    memory: u64,
    /// Seconds that the search of a segment may take; making its certificate may take as many again, and no run of the
    /// replay is begun after as many. A search that the time ends may give another plan next time
    #[arg(long, default_value = "60", value_parser = some_seconds)]
    seconds: Duration,
    /// The seed of the arrays that the certificate is replayed on
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How many plans are priced
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1 << 10))]
    plans: u32,
    /// How many programs are priced that the laws from lambda_g to lambda_g lead to
    #[arg(long = "programs", value_name = "N", default_value_t = 1000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    most_programs: u32,
    /// Show all plans that nothing is better than in each part of the cost
    #[arg(long)]
    front: bool,
    /// Print this of the cheapest plan, and nothing else
    #[arg(long, conflicts_with_all = ["json", "front", "run"])]
    emit: Option<Emit>,
    /// Run the cheapest plans and the original in turns on this engine, and tell the median times; `wgpu` is the first
    /// adapter that is no processor, if any
    #[arg(long, value_name = "ENGINE")]
    run: Option<Named>,
    #[command(flatten)]
    adapters: Adapters,
    /// Statements that a run may execute
    #[arg(long, default_value_t = 10 * Budget::default().fuel, value_parser = clap::value_parser!(u64).range(1..))]
    fuel: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Laws {
    /// Equal bit by bit
    Exact,
    /// Those too that need an operator to be associative and commutative; on ints they are exact
    Assoc,
    /// Every law of the book
    All,
    /// Those of `assoc` that lead to plans of work groups, and the laws of these
    Groups,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Emit {
    /// The FUN program that the term means
    Fun,
    /// The program with the plan: it tests the sizes, and runs the original for others. A plan of work groups is
    /// none
    Imp,
    /// The same in the device language, or a plan of work groups
    Dev,
    /// Its shaders
    Wgsl,
    /// The plan as a program of FCL, where FCL can say it
    Fcl,
    /// The program of λG that costs least by the cost graph
    Lg,
    /// The term
    Axes,
    /// The steps that lead to it, as `certify` takes them
    Certificate,
}

fn mode(text: &str) -> Result<Mode, String> {
    let found = Mode::ALL.into_iter().find(|mode| mode.name() == text);
    let names = Mode::ALL.map(Mode::name).join(", ");
    found.ok_or_else(|| format!("there is no mode `{text}`; there are {names}"))
}

/// A time in which something can be done.
fn some_seconds(text: &str) -> Result<Duration, String> {
    match super::options::seconds(text)? {
        Duration::ZERO => Err("nothing is searched in no time".to_owned()),
        time => Ok(time),
    }
}

pub(super) fn run(args: &Args, out: &mut Out) -> Answer {
    if args.emit.is_some() && args.programs.files().len() > 1 {
        return Err(Problem::new("--emit takes one program"));
    }
    let given = args.input.read(&args.programs.paths)?;
    let mut worst = Status::Clean;
    for path in args.programs.files() {
        let ended = one(args, &path, given.as_deref(), out);
        worst = worst.max(out.status(ended));
    }
    Ok(worst)
}

fn request(args: &Args) -> Result<Request, Problem> {
    let classes = Class::ALL.into_iter();
    let classes =
        classes.filter(|class| args.laws != Laws::Exact || *class != Class::Assoc).collect();
    let without = match args.laws {
        Laws::All => Vec::new(),
        Laws::Exact | Laws::Assoc | Laws::Groups => ASKED_FOR.map(str::to_owned).to_vec(),
    };
    let limits = Limits {
        nodes: args.nodes as usize,
        bytes: args.memory << 20,
        time: args.seconds,
        tiles: args.tiles.clone(),
        classes,
        without,
        ..Limits::default()
    };
    let limits = if args.laws == Laws::Groups { groups::limits(&limits) } else { limits };
    let sketches = args
        .sketch
        .iter()
        .map(|text| Sketch::read(text).map_err(|wrong| Problem::rejected(wrong, "--sketch", text)));
    let usual = Request::default();
    Ok(Request {
        sketches: sketches.collect::<Result<_, _>>()?,
        chaos: args.chaos,
        mode: args.mode,
        machine: cost::machine(args.machine.as_deref(), None)?,
        limits,
        plans: args.plans as usize,
        sample: Sample::Auto,
        shorten: args.seconds.min(usual.shorten),
        budget: Budget { fuel: args.fuel, ..Budget::default() },
        ..usual
    })
}

/// A program that was optimized, with all that is told of it.
struct Told<'a> {
    args: &'a Args,
    name: String,
    text: &'a str,
    program: Subject,
    found: Optimized,
    /// Of each segment whose plan is used.
    certificates: Vec<Option<Certificate>>,
    /// Why not all of their terms were run.
    not_run: Option<String>,
    /// What came of the laws from λG to λG, if it is of λG.
    in_lambda_g: Option<Rewritten>,
}

fn one(args: &Args, path: &Path, given: Option<&[Value]>, out: &mut Out) -> Answer {
    let source = args.programs.open(path)?;
    let request = request(args)?;
    let input = sizes::input(&args.size, &source, given)?;
    let case = source.case(input, request.budget)?;
    let name = source.name();
    let source = source.meant();
    let case = Case { program: source.program.clone(), ..case };
    let in_lambda_g = match in_lambda_g(args, &case, &request, &name, out)? {
        Ok(in_lambda_g) => in_lambda_g,
        Err(status) => return Ok(status),
    };
    let found = match (found(&source, &name, &case.input, &request), &in_lambda_g) {
        (Err(no), Some(rewritten)) => match args.emit {
            None => return rewritten.alone(args, &name, &no, out),
            Some(Emit::Lg) => return rewritten.emit(&name, None, out),
            Some(Emit::Certificate) => {
                return emit::certificates(rewritten.certificate(), &[], out);
            }
            Some(_) => return Err(no),
        },
        (found, _) => found?,
    };
    if let Some((wrong, blamed)) = found.wrong_plan(&request) {
        let wrong = print::program(&wrong.program);
        out.line(format!("{name}: a plan gives other results; {}\n{wrong}", blamed.text));
        return Ok(Status::Wrong);
    }
    if let Some(wrong) = &found.wrong {
        let why = "the program with its plans gives other results";
        out.line(format!("{name}: {why}\n{}", wrong.print()));
        return Ok(Status::Wrong);
    }
    let subject = Subject::of(&source.program, source.settings());
    let Some(program) = subject else { return Ok(Status::Unusable) };
    let certificates = certificates(&found, &source, &case.input, &request, args.seed)?;
    let certificates = match certificates {
        Ok(certificates) => certificates,
        Err(refused) => {
            out.line(format!("{name}: {}", refused.text()));
            return Ok(Status::Wrong);
        }
    };
    let Certificates { of_segments: certificates, not_run } = certificates;
    let text = &source.text;
    let told = Told { args, name, text, program, found, certificates, not_run, in_lambda_g };
    let in_lambda_g = told.plan_in_lambda_g(&case);
    if let Some(Err(Unsaid::Wrong(why))) = &in_lambda_g {
        out.line(format!("{}: the plan as a program of λG is wrong: {why}", told.name));
        return Ok(Status::Wrong);
    }
    let in_lambda_g = in_lambda_g.as_ref();
    match (&told.found.best, args.emit) {
        (_, Some(Emit::Lg)) => told.emit_lambda_g(in_lambda_g, out),
        (None, emit) => told.nothing_cheaper(emit, out),
        (Some(_), Some(Emit::Fcl)) => told.emit_fcl(&case, out),
        (Some(best), Some(emit)) => told.emit(best, emit, out),
        (Some(best), None) => {
            let engines = match told.found.compared {
                true => engines(args, &told.program, &best.program, &case)?,
                false => Ok(Vec::new()),
            };
            let same_on = match engines {
                Ok(same_on) => same_on,
                Err(wrong) => {
                    out.line(format!("{}: the plan is compiled wrongly: {wrong}", told.name));
                    return Ok(Status::Wrong);
                }
            };
            let timed = match &args.run {
                Some(named) => Some(timed::timed(&told, &named.engine()?, &case)?),
                None => None,
            };
            let in_fcl = told.in_fcl(&case);
            if let Some(Err(Unsaid::Wrong(why))) = &in_fcl {
                return Ok(told.wrong_in_fcl(why, out));
            }
            match args.programs.json {
                true => {
                    out.json(&told.line(same_on, timed, in_fcl.map(json::InFcl::of), in_lambda_g))
                }
                false => {
                    story::tell(&told, best, &same_on, timed.as_deref(), out);
                    if let Some(said) = in_fcl {
                        tell_in_fcl(said, out);
                    }
                    told.tell_in_lambda_g(in_lambda_g, out);
                }
            }
            Ok(Status::Clean)
        }
    }
}

/// What the laws from λG to λG make of a program of λG. They are not asked where a plan is asked for by its form.
fn in_lambda_g(
    args: &Args,
    case: &Case,
    request: &Request,
    name: &str,
    out: &mut Out,
) -> Result<Result<Option<Rewritten>, Status>, Problem> {
    let Some(program) = LambdaG::of(&case.program) else { return Ok(Ok(None)) };
    if !args.sketch.is_empty() || args.chaos.is_some() {
        return Ok(Ok(None));
    }
    let request = lambda_g::request(args, request.machine.clone());
    match lambda_g::rewritten(args, program, case, &request)? {
        Err(wrong) => {
            out.line(format!("{name}: {wrong}"));
            Ok(Err(Status::Wrong))
        }
        Ok(Ok(rewritten)) => Ok(Ok(Some(rewritten))),
        Ok(Err(why)) => {
            out.message(&format!("{name}: as a program of λG it has no price: {why}"));
            Ok(Ok(None))
        }
    }
}

/// Holds a plan against every engine at hand, and names those that gave its results, the semantics of the program first;
/// or says what is wrong.
fn engines(
    args: &Args,
    source: &Subject,
    plan: &Artifact,
    case: &Case,
) -> Result<Result<Vec<String>, String>, Problem> {
    let mut tester = args.adapters.tester()?;
    let (program, input) = (plan.clone(), source.given(&case.input));
    let plan = Case { program, input, ..case.clone() };
    let seen = tester.examine(&plan, Depth::Whole);
    if let Verdict::Finding(finding) = &seen.verdict {
        return Ok(Err(finding.text.clone()));
    }
    let values = seen.sides.iter().filter(|side| matches!(side.outcome.ending, Ending::Value(_)));
    let mut names = Vec::new();
    match source {
        // The results of its term were compared with those of the program.
        Subject::Fun(_) => names.push(source.artifact().lang().to_string()),
        Subject::Fcl(..) | Subject::LambdaG(_) => {
            let ending = match source.run(&case.input, &case.budget) {
                Ending::Value(results) => match source.as_of_plans(results) {
                    Some(results) => Ending::Value(results),
                    None => return Ok(Err("the program gives what no term gives".to_owned())),
                },
                other => other,
            };
            let other = values.clone().find(|side| side.outcome.ending != ending);
            match (&ending, other) {
                (Ending::Unknown(_), _) => {}
                (_, None) => names.push(source.artifact().lang().to_string()),
                (_, Some(side)) => {
                    let engine = &side.engine;
                    return Ok(Err(format!("{engine} gives other results than the program")));
                }
            }
        }
    }
    for side in values {
        let name = side.engine.to_string();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(Ok(names))
}

impl Told<'_> {
    /// Why nothing is printed but this.
    fn nothing_cheaper(&self, emit: Option<Emit>, out: &mut Out) -> Answer {
        if self.args.programs.json {
            out.json(&self.line(Vec::new(), None, None, None));
            return Ok(Status::Clean);
        }
        let stops = self.found.segments.iter().map(Segment::ended);
        let mut stops: Vec<String> = stops.collect();
        stops.dedup();
        let name = &self.name;
        out.message(&format!("{name}: nothing that costs less was found; {}", stops.join("; ")));
        for outside in &self.found.outside {
            let place = place(self.text, outside.span.start);
            out.message(&format!("{name}:{place}: stays as it is: {}", outside.reason));
        }
        match emit {
            None => {
                if self.args.front {
                    story::front(self, out);
                }
                self.tell_in_lambda_g(None, out);
            }
            // What costs least is the program as it is.
            Some(Emit::Imp | Emit::Dev | Emit::Wgsl) => {
                return self.emit(&self.found.original, emit.unwrap_or(Emit::Imp), out);
            }
            Some(Emit::Certificate) => {
                let own = self.in_lambda_g.as_ref().and_then(Rewritten::certificate);
                return emit::certificates(own, &[], out);
            }
            Some(Emit::Fun | Emit::Fcl | Emit::Lg | Emit::Axes) => {}
        }
        Ok(Status::Clean)
    }

    /// Tells what there is to tell of a program of λG as another one, and of its plan as one.
    fn tell_in_lambda_g(&self, plan: Option<&Result<Said, Unsaid>>, out: &mut Out) {
        if let Some(rewritten) = &self.in_lambda_g {
            rewritten.tell(self.args.mode, out);
        }
        if let Some(plan) = plan {
            lambda_g::tell_plan(plan, self.args.mode, out);
        }
    }

    /// The segments whose plans are used.
    fn used(&self) -> impl Iterator<Item = &Segment> {
        self.found.segments.iter().filter(|segment| self.found.is_used(segment, self.args.mode))
    }

    /// Where a segment stands.
    fn place(&self, segment: &Segment) -> String {
        place(self.text, segment.region.span.start)
    }
}
