//! Every program of the corpus does what its header says, in every variant of its language, and
//! together the programs of a language fire each rule of its roll and fail each premise. The
//! translations of FUN's programs do the same as these.

use reference::fun::Fun;
use reference::funmem::FunMem;
use reference::imp::{self, Imp};
use reference::kit::coverage::Coverage;
use reference::kit::derivation::{RACEFREE, Recorder};
use reference::kit::faults::Planted;
use reference::kit::header::{self, Case, Header};
use reference::kit::language::{How, Judged, Language, Settings};
use reference::kit::memory::Memory;
use reference::kit::outcome::{Budget, Ending, Outcome, Stuck};
use reference::kit::rules::Roll;
use reference::kit::same::same;
use reference::kit::text::Rejected;
use reference::kit::value::agree_all;
use reference::kit::verdict::Verdict;
use reference::{languages, translate};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

macro_rules! programs_of {
    ($($(#[$meta:meta])* $name:ident = $room:ident;)*) => {
        mod programs_of {
            $($(#[$meta])* #[test] fn $room() { super::check::<reference::$room::$name>(); })*
        }
    };
}

languages!(programs_of);

/// The seeds that variants which draw an order are run with.
const SCHEDULES: [u64; 2] = [7, 1 << 40];

/// A program of the corpus.
struct File {
    /// Folder and name.
    name: String,
    header: Header,
    source: String,
}

/// The programs of a verdict, none where the language has no such folder.
fn files<L: Language>(verdict: Verdict) -> Vec<File> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let path = corpus.join(L::NAME).join(verdict.folder());
    let Ok(files) = fs::read_dir(&path) else { return Vec::new() };
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it is listed").path()).collect();
    files.sort();
    let read = |path: PathBuf| {
        assert_eq!(path.extension(), Some(L::EXTENSION.as_ref()), "{}", path.display());
        let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
        let source = fs::read_to_string(&path).expect("a program is text");
        let header =
            header::parse(&source, L::OPTIONS).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(!header.about.is_empty(), "{name} does not say what it shows");
        File { name: format!("{}/{name}", verdict.folder()), header, source }
    };
    files.into_iter().map(read).collect()
}

/// Judges all programs of a language.
fn check<L: Language>() {
    let mut coverage = Coverage::new::<L::Rule>();
    let mut wrong = Vec::new();
    let mut count = 0;
    for verdict in Verdict::ALL {
        for file in files::<L>(verdict) {
            count += 1;
            let mut recorder = Recorder::counting();
            let found = differences::<L>(verdict, &file, &mut recorder, &mut coverage);
            wrong.extend(found.into_iter().map(|text| format!("{}: {text}", file.name)));
            coverage.add(recorder.coverage());
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let missing = coverage.missing();
    assert!(missing.is_empty(), "none of {count} programs shows {}", missing.join(", "));
}

/// All that differs between a program and what its header says. `early` is credited with what the
/// parser rejects by a rule.
fn differences<L: Language>(
    verdict: Verdict,
    File { header, source, .. }: &File,
    recorder: &mut Recorder<L::Rule>,
    early: &mut Coverage,
) -> Vec<String> {
    let mut wrong: Vec<String> = verdict.holds(header).err().into_iter().collect();
    let settings = &header.settings(L::OPTIONS);
    match (accepted::<L>(source, settings, recorder), &header.rejects) {
        (Ok(program), None) => {
            for case in &header.cases {
                let found = case_differences::<L>(&program, case, settings, recorder);
                wrong.extend(found.map(|text| format!("line {}: {text}", case.line)));
            }
        }
        (Ok(_), Some(_)) => wrong.push("it is not rejected".to_owned()),
        (Err(error), said) => {
            early.rejected(&error);
            let as_said = error.rule.zip(said.as_ref()).is_some_and(|((rule, premise), said)| {
                said.rule == rule && said.premise.as_deref().is_none_or(|said| said == premise)
            });
            if !as_said {
                wrong.push(format!("{error:?}"));
            }
        }
    }
    for rule in &header.fires {
        if !recorder.coverage().lines().any(|(info, fired, _)| info.name == rule && fired > 0) {
            wrong.push(format!("{rule} does not fire"));
        }
    }
    wrong
}

/// The program, if parser and types accept it. Its print parses to the same program.
fn accepted<L: Language>(
    source: &str,
    settings: &Settings,
    recorder: &mut Recorder<L::Rule>,
) -> Result<L::Program, Rejected> {
    let program = L::under(L::parse(source)?, settings);
    let text = L::print(&program);
    let again = L::parse(&text).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    assert!(same(&program, &again), "{text}");
    L::check(&program, recorder)?;
    Ok(program)
}

/// The first difference between the runs of one case and what the header says of it.
fn case_differences<L: Language>(
    program: &L::Program,
    case: &Case,
    settings: &Settings,
    recorder: &mut Recorder<L::Rule>,
) -> Option<String> {
    if let Some(rule) = case.race.as_ref().filter(|rule| !L::has_rule(rule)) {
        return Some(format!("there is no rule {rule}"));
    }
    let before = case.race.as_ref().and_then(|rule| races_at(rule, recorder));
    let Judged { outcome: first, validity } = match L::fit(program, case.input.clone()) {
        Ok(input) => {
            L::judge(program, &input, how::<L>(0, 0, settings, &mut Memory::default()), recorder)
        }
        Err(error) => return Some(error.message),
    };
    let shown = |variant: &str, outcome: &Outcome| {
        let ending: String = format!("{:?}", outcome.ending).chars().take(400).collect();
        format!("{variant} {ending}, races {:?}", outcome.races)
    };
    // Where atomics decide who does what, one order may race or get stuck and another not.
    let open = L::is_open_to_order(program);
    let mut in_some_order = |shown: &dyn Fn(&Outcome) -> bool| {
        open && in_some_order::<L>(program, case, settings, recorder, shown)
    };
    let races = case.race.is_some() && in_some_order(&|outcome| !outcome.races.is_empty());
    let is_stuck =
        case.stuck.is_some() && in_some_order(&|outcome| is_stuck_as_said(case, outcome));
    if !as_said(case, &first) && !races && !is_stuck {
        return Some(shown("", &first));
    }
    if let Some(rule) = &case.race
        && before.is_some()
        && before == races_at(rule, recorder)
    {
        return Some(format!("the race is not seen at {rule}"));
    }
    if races {
        return None;
    }
    let Some(validity) = validity else {
        // The other variants are orders of the same threads.
        return (1..L::VARIANTS.len()).find_map(|variant| {
            SCHEDULES.into_iter().find_map(|schedule| {
                let outcome = run::<L>(program, case, (variant, schedule), settings, recorder);
                let name = L::VARIANTS[variant].name;
                (!agrees(case, &first, &outcome, open)).then(|| shown(name, &outcome))
            })
        });
    };
    // A race, and getting stuck for want of memory, say enough.
    let as_said = match &case.invalid {
        Some(said) => validity.as_ref().is_err_and(|why| why.text.contains(said)),
        None => validity.is_ok() || case.race.is_some() || case.stuck.is_some(),
    };
    (!as_said).then(|| format!("validity: {validity:?}"))
}

/// Does a run in some order show this?
fn in_some_order<L: Language>(
    program: &L::Program,
    case: &Case,
    settings: &Settings,
    recorder: &mut Recorder<L::Rule>,
    shown: &dyn Fn(&Outcome) -> bool,
) -> bool {
    // The orders that decide may be rare.
    (0..L::VARIANTS.len()).any(|variant| {
        SCHEDULES.into_iter().chain(0..48).any(|schedule| {
            shown(&run::<L>(program, case, (variant, schedule), settings, recorder))
        })
    })
}

/// Is a thread stuck where the header says it?
fn is_stuck_as_said(case: &Case, outcome: &Outcome) -> bool {
    let (Ending::Stuck(Stuck { rule, site, .. }), Some(said)) = (&outcome.ending, &case.stuck)
    else {
        return false;
    };
    let premise = said.premise.as_deref();
    *rule == said.rule && premise.is_none_or(|premise| premise == site.cause.name())
}

/// Is the outcome what the header says? After a race, and in an invalid program, it need not say
/// how the program ends.
fn as_said(case: &Case, outcome: &Outcome) -> bool {
    if let (Some(open), Ending::Value(values)) = (&case.any_order, &outcome.ending) {
        let all = open.len() == values.len();
        return all
            && outcome.races.is_empty()
            && open.iter().zip(values).all(|(o, v)| o.admits(v));
    }
    let ending = match (&outcome.ending, &case.result, &case.stuck) {
        (Ending::Value(values), Some(result), None) => {
            agree_all(result, values, [&[], &outcome.tolerances]).is_ok()
        }
        (Ending::Stuck(_), None, Some(_)) => is_stuck_as_said(case, outcome),
        (Ending::Unknown(_), None, None) => case.unknown.is_some(),
        (_, None, None) => case.race.is_some() || case.invalid.is_some(),
        _ => false,
    };
    ending && outcome.races.is_empty() == case.race.is_none()
}

/// Does another order end as the first? After a race it may end in any way. If the order can be told (`open`), whether a
/// thread is stuck may depend on it.
fn agrees(case: &Case, first: &Outcome, other: &Outcome, open: bool) -> bool {
    match (&case.race, &case.any_order) {
        (Some(_), _) => !other.races.is_empty(),
        (None, Some(_)) => as_said(case, other),
        (None, None) if open && case.stuck.is_some() => {
            let ends_well = matches!(other.ending, Ending::Value(_));
            (ends_well || is_stuck_as_said(case, other)) && other.races.is_empty()
        }
        (None, None) => alike(&first.ending, &other.ending) && other.races.is_empty(),
    }
}

/// Do the endings agree? Stuck agrees by the site, never by the name of a rule.
fn alike(one: &Ending, other: &Ending) -> bool {
    match (one, other) {
        (Ending::Stuck(one), Ending::Stuck(other)) => one.agrees(other),
        (one, other) => one == other,
    }
}

/// How often the rule saw a race, if that is one of its premises; IMP observes races beside its
/// rules, and a language that is run as another one by the rules of that.
fn races_at<R: Roll>(rule: &str, recorder: &Recorder<R>) -> Option<u64> {
    let mut lines = recorder.coverage().lines().filter(|(info, ..)| info.name == rule);
    let (info, _, failed) = lines.next()?;
    let at = info.premises().iter().position(|premise| *premise == RACEFREE);
    at.map(|at| failed[at])
}

fn how<'a, L: Language>(
    variant: usize,
    schedule: u64,
    settings: &'a Settings,
    memory: &'a mut Memory,
) -> How<'a> {
    static BUDGET: LazyLock<Budget> = LazyLock::new(Budget::default);
    How {
        variant: L::VARIANTS[variant].name,
        schedule,
        budget: &BUDGET,
        settings,
        planted: Planted::NONE,
        memory,
    }
}

/// Runs a case whose input fits.
fn run<L: Language>(
    program: &L::Program,
    case: &Case,
    (variant, schedule): (usize, u64),
    settings: &Settings,
    recorder: &mut Recorder<L::Rule>,
) -> Outcome {
    let input = L::fit(program, case.input.clone()).expect("the input fits");
    L::run(program, &input, how::<L>(variant, schedule, settings, &mut Memory::default()), recorder)
}

/// The same case in another language: typed, run, as the header says but for the rule's name.
fn later<L: Language>(program: &L::Program, case: &Case, first: &Outcome) -> Result<(), String> {
    let mut recorder = Recorder::counting();
    L::check(program, &mut recorder).map_err(|error| format!("{error:?}"))?;
    let outcome = run::<L>(program, case, (0, 0), &Settings::default(), &mut recorder);
    if alike(&first.ending, &outcome.ending) && outcome.races.is_empty() {
        return Ok(());
    }
    let shown = format!("{:?} {:?}\n{}", outcome.ending, outcome.races, L::print(program));
    Err(shown.chars().take(4000).collect())
}

#[test]
fn translations_agree_on_programs_of_fun() {
    let mut wrong = Vec::new();
    for File { name, header, source } in
        [Verdict::Pass, Verdict::Stuck].into_iter().flat_map(files::<Fun>)
    {
        let program = Fun::parse(&source).expect("the other test parses it too");
        let memory = translate::fun_to_funmem::transform_program(&program, Planted::NONE);
        let code = translate::funmem_to_imp::translate(&memory, Planted::NONE);
        for case in &header.cases {
            let settings = Settings::default();
            let first = run::<Fun>(&program, case, (0, 0), &settings, &mut Recorder::counting());
            let stages = [
                ("funmem", later::<FunMem>(&memory, case, &first)),
                ("imp", later::<Imp>(&code, case, &first)),
            ];
            for (stage, verdict) in stages {
                if let Err(shown) = verdict {
                    wrong.push(format!("{name}:{} {stage}: {shown}", case.line));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// In order the small steps of IMP equal the big step, with what they count.
#[test]
fn small_steps_in_order_equal_the_big_step() {
    for File { name, header, source } in
        [Verdict::Pass, Verdict::Stuck, Verdict::Race].into_iter().flat_map(files::<Imp>)
    {
        let program = Imp::parse(&source).expect("the other test parses it too");
        for case in &header.cases {
            let input = Imp::fit(&program, case.input.clone()).expect("the input fits");
            let law = imp::laws::steps_equal_the_big_step(&program, &input, &Budget::default());
            assert!(law.is_ok(), "{name}: {law:?}");
        }
    }
}
