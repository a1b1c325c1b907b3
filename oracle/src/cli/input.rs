//! Reading programs: files and folders, the language, the header, the input.

use super::problem::Problem;
use crate::check::Kind;
use crate::corpus::schedule;
use crate::engine::{Artifact, Case, Origin, StageId};
use crate::language::{self, Lang, parameters_in};
use crate::panics;
use crate::rolls::Rolls;
use reference::axes::Axes;
use reference::fun::Fun;
use reference::kit::header::{self, Header};
use reference::kit::language::{Settings, Values};
use reference::kit::outcome::{Budget, Value};
use reference::kit::text::{MAX_SOURCE, Rejected};
use reference::languages::Listed;
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The extensions of programs, as a list to be read.
fn extensions() -> String {
    let all: Vec<String> = Lang::ALL.iter().map(|lang| format!(".{}", lang.extension())).collect();
    all.join(", ")
}

/// The language that the extension of a file tells.
pub(super) fn told_language(path: &Path) -> Result<Lang, Problem> {
    language::of(path).ok_or_else(|| {
        let no = format!("the language of {} cannot be told by its extension", path.display());
        Problem::new(no).help(format!("programs end in {}", extensions()))
    })
}

/// Does a path of the command line mean standard input?
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// What a file is called in messages and in JSON.
pub(super) fn name_of(path: &Path) -> String {
    if is_standard(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// The language of a program: what the command line says, else what its extension tells.
pub(super) fn language_of(path: &Path, said: Option<Lang>) -> Result<Lang, Problem> {
    match said {
        Some(lang) => Ok(lang),
        None if is_standard(path) => {
            let no = "a program on standard input has no extension that tells its language";
            Err(Problem::new(no).help("say it with --language"))
        }
        None => told_language(path)
            .map_err(|problem| problem.help(format!("use {} or --language", extensions()))),
    }
}

/// The bytes of a file, or of standard input; one more than a text may have where it is too long: a longer
/// one is not read whole.
fn bytes_of(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = MAX_SOURCE as u64 + 1;
    if is_standard(path) {
        io::stdin().lock().take(most).read_to_end(&mut bytes)?;
    } else {
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The text of a file, or of standard input. A byte order mark before it is no part of it.
pub(super) fn text_of(path: &Path, meant: &str) -> Result<String, Problem> {
    let shown = name_of(path);
    let mut bytes =
        bytes_of(path).map_err(|error| Problem::new(format!("{shown} cannot be read: {error}")))?;
    if bytes.len() > MAX_SOURCE {
        return Err(Problem::new(format!(
            "{shown} is too long for {meant}: more than {} MiB",
            MAX_SOURCE >> 20
        )));
    }
    const MARK: &[u8] = "\u{FEFF}".as_bytes();
    if bytes.starts_with(MARK) {
        bytes.drain(..MARK.len());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        Problem::new(format!("{shown} is no text: byte {at}, on line {line}, is not UTF-8"))
    })
}

/// The text of a file that is meant to be a program.
pub(super) fn read(path: &Path) -> Result<String, Problem> {
    if is_standard(path) {
        return not_empty(path, text_of(path, "a program")?);
    }
    let shown = path.display();
    let no = |error: std::io::Error| Problem::new(format!("{shown} cannot be read: {error}"));
    let about = fs::metadata(path).map_err(no)?;
    if about.is_dir() {
        return Err(match in_folder(path) {
            Err(unread) => unread,
            Ok(held) if held.is_empty() => Problem::new(format!("{shown} holds no program"))
                .help(format!("programs end in {}", extensions())),
            Ok(_) => Problem::new(format!("{shown} is a folder, not a program"))
                .help("name a file in it, or give the folder to `lockstep test`"),
        });
    }
    not_empty(path, text_of(path, "a program")?)
}

fn not_empty(path: &Path, text: String) -> Result<String, Problem> {
    if text.trim().is_empty() {
        return Err(Problem::new(format!("{} is empty", name_of(path))));
    }
    Ok(text)
}

/// Bytes of the longest note that is read: a style that names each construct has some hundred.
const LONGEST_NOTE: usize = 1000;

/// A header and the text that it stands in.
pub(super) struct Headed<'s> {
    /// What the file is called.
    pub(super) name: &'s str,
    /// Its text.
    pub(super) text: &'s str,
    /// What it says of itself.
    pub(super) header: &'s Header,
}

impl Headed<'_> {
    /// What `read` makes of the note under this key, if there is one. What is wrong with it is shown
    /// at its place.
    pub(super) fn noted<T>(
        &self,
        key: &str,
        read: impl FnOnce(&str) -> Result<T, Problem>,
    ) -> Result<Option<T>, Problem> {
        let Some(note) = self.header.noted(key) else { return Ok(None) };
        let made = match note.text.len() {
            0..=LONGEST_NOTE => read(&note.text),
            long => Err(Problem::new(format!("a {key} of {long} bytes"))),
        };
        made.map(Some).map_err(|problem| problem.at(note.span, self.name, self.text))
    }
}

/// Options of a language as the command line says them, `NAME=VALUE`.
pub(super) fn split_options(set: &[String]) -> Result<Vec<(String, String)>, Problem> {
    let split = |said: &String| {
        let (name, value) = said.split_once('=')?;
        Some((name.to_owned(), value.to_owned()))
    };
    let no = |said: &String| Problem::new(format!("--set wants NAME=VALUE, not `{said}`"));
    set.iter().map(|said| split(said).ok_or_else(|| no(said))).collect()
}

/// Sets options of a language as the command line says it, `NAME=VALUE`.
pub(super) fn set_options(
    settings: &mut Settings,
    lang: Lang,
    set: &[String],
) -> Result<(), Problem> {
    for said in set {
        let Some((name, value)) = said.split_once('=') else {
            let no = format!("--set wants NAME=VALUE, not `{said}`");
            return Err(Problem::new(no).help(options_of(lang)));
        };
        settings.set(lang.options(), name, value).map_err(|error| {
            Problem::new(format!("--set {said}: {error}")).help(options_of(lang))
        })?;
    }
    Ok(())
}

/// The options of a language with their values.
fn options_of(lang: Lang) -> String {
    let options = lang.options().iter().map(|option| {
        let (values, form) = match option.values {
            Values::OneOf(values) => (values.join("|"), String::new()),
            Values::Form { form, .. } => ("VALUE".to_owned(), format!(", which is {form}")),
        };
        let otherwise = match option.default {
            "" => String::new(),
            default => format!(" (else {default})"),
        };
        format!("--set {}={values}{otherwise}{form}", option.name)
    });
    let options: Vec<String> = options.collect();
    match options[..] {
        [] => format!("programs of {lang} have no options"),
        _ => format!("programs of {lang} have {}", options.join(", ")),
    }
}

/// A program that was read and is well typed.
#[derive(Clone)]
pub(super) struct Source {
    /// The file.
    pub(super) path: PathBuf,
    /// Its text.
    pub(super) text: String,
    /// What it says of itself.
    pub(super) header: Header,
    /// The program.
    pub(super) program: Artifact,
    /// The options of its language that are set.
    settings: Settings,
    /// Is it a finding whose program is not well typed? Then nothing asks whether its input fits.
    is_ill_typed: bool,
}

impl Source {
    /// Reads a program and holds it against the type rules. `set` are options as the command line
    /// sets them, `NAME=VALUE`; the others are those of the header.
    pub(super) fn open(
        path: &Path,
        language: Option<Lang>,
        set: &[String],
    ) -> Result<Source, Problem> {
        let source = Self::unchecked(path, language, set)?;
        source.check()?;
        Ok(source)
    }

    /// The same of a finding, which may be that the type rules refuse its program or break on it.
    pub(super) fn open_finding(
        path: &Path,
        language: Option<Lang>,
        set: &[String],
    ) -> Result<Source, Problem> {
        let mut source = Self::unchecked(path, language, set)?;
        let of = source
            .header
            .note("kind")
            .filter(|_| source.header.note("stage") == Some(StageId::SOURCE.0));
        if !of.is_some_and(|kind| [Kind::Types, Kind::Panic].map(Kind::name).contains(&kind)) {
            source.check()?;
        } else if !matches!(panics::catch(|| source.check()), Ok(Ok(()))) {
            source.is_ill_typed = true;
        }
        Ok(source)
    }

    fn check(&self) -> Result<(), Problem> {
        let checked = self.program.check(&mut Rolls::default());
        checked.map_err(|error| Problem::rejected(error, &self.name(), &self.text))
    }

    /// Reads a program with its options.
    fn unchecked(path: &Path, language: Option<Lang>, set: &[String]) -> Result<Source, Problem> {
        let mut source = Self::parse(path, language)?;
        set_options(&mut source.settings, source.program.lang(), set)?;
        source.program = source.program.under(&source.settings);
        Ok(source)
    }

    /// Reads a program.
    pub(super) fn parse(path: &Path, language: Option<Lang>) -> Result<Source, Problem> {
        // A folder or a file that is missing is the better thing to say.
        let text = read(path)?;
        let lang = language_of(path, language)?;
        let name = name_of(path);
        let rejected = |error| Problem::rejected(error, &name, &text);
        let header = header::parse(&text, lang.options()).map_err(rejected)?;
        let settings = header.settings(lang.options());
        let program = lang.parse(&text).map_err(rejected)?.under(&settings);
        let path = path.to_owned();
        Ok(Source { path, text, header, program, settings, is_ill_typed: false })
    }

    /// Its header, in the file of this name.
    pub(super) fn headed<'s>(&'s self, name: &'s str) -> Headed<'s> {
        Headed { name, text: &self.text, header: &self.header }
    }

    /// What is set of the options of its language.
    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What the file is called.
    pub(super) fn name(&self) -> String {
        name_of(&self.path)
    }

    /// A term as the FUN program that it means, whose statements stand where the nodes of the term do; another program
    /// as it is.
    pub(super) fn meant(self) -> Source {
        match Axes::of(&self.program) {
            Some(term) => Source { program: Fun::artifact(term.meaning().clone()), ..self },
            None => self,
        }
    }

    /// The text of the program in its language: its own, or what is printed of the meaning of a term.
    pub(super) fn of_language(&self) -> Cow<'_, str> {
        match self.program.lang().parse(&self.text) {
            Ok(_) => Cow::Borrowed(&self.text),
            Err(_) => Cow::Owned(self.program.print()),
        }
    }

    /// The cases to run: the input that is given, or those of the header, or the empty one.
    pub(super) fn cases(
        &self,
        given: Option<&[Value]>,
        budget: Budget,
    ) -> Result<Vec<Case>, Problem> {
        let inputs: Vec<Vec<Value>> = match given {
            Some(values) => vec![values.to_vec()],
            None if self.header.cases.is_empty() => vec![Vec::new()],
            None => self.header.cases.iter().map(|case| case.input.clone()).collect(),
        };
        let unsaid = given.is_none() && self.header.cases.is_empty();
        let cases = inputs.into_iter().map(|input| self.case(input, budget)).collect();
        match cases {
            Err(problem) if unsaid && !self.program.parameters().is_empty() => Err(Problem::help(
                problem,
                "say them with --input or --input-file, or in a line `-- input: VALUES` at the top of the program",
            )),
            cases => cases,
        }
    }

    /// Points at the parameter that the message names, or at all of them, and calls it as the
    /// text does: a name that stands there twice has two in the program.
    fn at_parameter(&self, error: &mut Rejected) {
        let parameters = self.program.parameters();
        let mut places = parameters_in(&self.text);
        places.truncate(parameters.len());
        let quoted = |name: &str| format!("`{name}`");
        let named = parameters.iter().position(|name| error.message.contains(&quoted(name)));
        let place = match named {
            Some(at) => places.get(at).copied(),
            None => places.first().zip(places.last()).map(|(first, last)| first.to(*last)),
        };
        error.span = place.unwrap_or(error.span);
        if let (Some(at), Some(place)) = (named, place) {
            let written = &self.text[place.start as usize..place.end as usize];
            error.message = error.message.replace(&quoted(&parameters[at]), &quoted(written));
        }
    }

    /// The program on an input that fits it.
    pub(super) fn case(&self, input: Vec<Value>, budget: Budget) -> Result<Case, Problem> {
        let input = match self.is_ill_typed {
            true => input,
            false => self.program.fit(input).map_err(|mut error| {
                self.at_parameter(&mut error);
                Problem::rejected(error, &self.name(), &self.text)
            })?,
        };
        let name = self.name();
        let schedule =
            self.headed(&name).noted("schedule", |text| schedule(text).map_err(Problem::new))?;
        let (schedule, origin) = (schedule.unwrap_or(1), Origin::File(name));
        Ok(Case {
            program: self.program.clone(),
            input,
            schedule,
            settings: self.settings.clone(),
            budget,
            origin,
        })
    }
}

/// The programs that are meant: files as they are, folders with all programs in them, sorted. What is
/// not there, or holds none, is told where it would be read: the others are there.
pub(super) fn programs(paths: &[PathBuf]) -> Vec<PathBuf> {
    let meant = |path: &PathBuf| match in_folder(path) {
        Ok(held) if path.is_dir() && !held.is_empty() => held,
        _ => vec![path.clone()],
    };
    paths.iter().flat_map(meant).collect()
}

/// All programs in a folder, sorted; a file is in no folder but by itself.
fn in_folder(path: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut held = Vec::new();
    // A link is what it leads to.
    for entry in WalkDir::new(path).follow_links(true).sort_by_file_name() {
        let entry = match entry {
            Ok(entry) => entry,
            // What a link back leads to is listed already.
            Err(error) if error.loop_ancestor().is_some() => continue,
            Err(error) => match error.path().filter(|path| language::of(path).is_some()) {
                // A link to nothing is told where it would be read.
                Some(link) => {
                    held.push(link.to_owned());
                    continue;
                }
                None => {
                    let no = format!("{} cannot be read: {error}", path.display());
                    return Err(Problem::new(no));
                }
            },
        };
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if entry.file_type().is_file() && !hidden && language::of(entry.path()).is_some() {
            held.push(entry.into_path());
        }
    }
    Ok(held)
}
