//! What mutants are made of: programs with inputs.

use super::corpus;
use super::sorts::Sorts;
use crate::generate::digest;
use crate::language::{Artifact, Lang};
use crate::rolls::Rolls;
use reference::kit::header;
use reference::kit::outcome::Value;
use serde::{Deserialize, Serialize};
use serde_json::Value as Tree;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// A program with an input, and its text.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// Where it comes from.
    pub(super) name: String,
    /// Its text, without its header.
    pub(super) text: String,
    /// The same as it is printed.
    pub(super) printed: String,
    /// The program, which is well typed.
    pub(super) program: Artifact,
    /// An input for each case of its header, or what fits.
    pub(super) inputs: Vec<Vec<Value>>,
}

/// The programs of one language.
#[derive(Debug, Default)]
pub(super) struct Pool {
    pub(super) sources: Vec<Source>,
    /// What may stand in the place of what.
    pub(super) sorts: Sorts,
}

/// Programs that a campaign starts from.
#[derive(Debug)]
pub struct Sources {
    pub(super) pools: BTreeMap<Lang, Pool>,
    pub(super) origins: Origins,
}

/// Where the programs come from that mutants are made of, and how they are made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origins {
    /// Folders, beside the corpus.
    pub folders: Vec<PathBuf>,
    /// Files, from which alone all programs are made.
    pub files: Vec<PathBuf>,
    /// Is a text changed, or an input alone?
    pub mutate: bool,
    /// Percentage of a campaign's programs that are made of these.
    pub share: u32,
    /// What the programs are: others make other mutants.
    pub digest: u64,
}

/// Why there is nothing to start from.
#[derive(Debug)]
pub enum NoSource {
    /// The folder or file cannot be read.
    Unreadable(PathBuf, std::io::Error),
    /// No file below the folder is a program that can be used.
    Nothing(PathBuf),
    /// The file is no program that can be used.
    Unusable(PathBuf, String),
}

impl fmt::Display for NoSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSource::Unreadable(path, error) => {
                write!(f, "{} cannot be read: {error}", path.display())
            }
            NoSource::Nothing(path) => {
                write!(f, "no file below {} is a well-typed program", path.display())
            }
            NoSource::Unusable(path, told) => write!(f, "{}: {told}", path.display()),
        }
    }
}

impl Sources {
    /// The percentage of a campaign's programs that are mutants, where it is not told.
    pub const SHARE: u32 = 25;

    /// None: all programs are generated.
    pub fn none() -> Self {
        Self { pools: BTreeMap::new(), origins: Origins::default() }
    }

    /// The corpus of this binary and the programs below these folders, in one language or all, for so many
    /// percent of a campaign's programs.
    ///
    /// # Errors
    /// A folder that cannot be read, or has no program.
    pub fn of(folders: &[PathBuf], language: Option<Lang>, share: u32) -> Result<Self, NoSource> {
        let mut sources = Self::none();
        if share == 0 && folders.is_empty() {
            return Ok(sources);
        }
        sources.origins.folders = folders.to_vec();
        sources.origins.share = share;
        sources.origins.mutate = true;
        for (name, text) in corpus::files() {
            sources.add(&name, &text);
        }
        for folder in folders {
            std::fs::read_dir(folder)
                .map_err(|error| NoSource::Unreadable(folder.clone(), error))?;
            let before = sources.len();
            for (name, text) in corpus::below(folder) {
                let name = folder.join(name).display().to_string();
                sources.add(&name, &text);
            }
            if sources.len() == before {
                return Err(NoSource::Nothing(folder.clone()));
            }
        }
        sources.pools.retain(|lang, _| language.is_none_or(|language| *lang == language));
        Ok(sources.sorted())
    }

    /// These files alone, and other inputs for them; other texts too, if so wanted. All programs of the
    /// campaign are made of them.
    ///
    /// # Errors
    /// A file that cannot be read, or is no well-typed program with an input.
    pub fn only(files: &[PathBuf], mutate: bool) -> Result<Self, NoSource> {
        let mut sources = Self::none();
        sources.origins =
            Origins { files: files.to_vec(), mutate, share: 100, ..Origins::default() };
        for file in files {
            let text = std::fs::read_to_string(file)
                .map_err(|error| NoSource::Unreadable(file.clone(), error))?;
            let told = |text: String| NoSource::Unusable(file.clone(), text);
            let lang = language_of(file)
                .ok_or_else(|| told("its name ends in no language's extension".to_owned()))?;
            let source = source(lang, &file.display().to_string(), &text).map_err(told)?;
            sources.take(lang, source, &text);
        }
        Ok(sources.sorted())
    }

    /// Where they come from.
    pub fn origins(&self) -> &Origins {
        &self.origins
    }

    /// The languages of its programs.
    pub fn languages(&self) -> impl Iterator<Item = Lang> {
        self.pools.keys().copied()
    }

    /// How many programs there are.
    pub fn len(&self) -> usize {
        self.pools.values().map(|pool| pool.sources.len()).sum()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a file, if it is a program that can be used.
    fn add(&mut self, name: &str, text: &str) {
        let Some(lang) = language_of(Path::new(name)) else { return };
        if let Ok(source) = source(lang, name, text) {
            self.take(lang, source, text);
        }
    }

    fn take(&mut self, lang: Lang, source: Source, text: &str) {
        let all = format!("{:x} {}\n{text}", self.origins.digest, source.name);
        self.origins.digest = digest(&all);
        self.pools.entry(lang).or_default().sources.push(source);
    }

    /// Knows what may stand in the place of what.
    fn sorted(mut self) -> Self {
        for pool in self.pools.values_mut() {
            let trees: Vec<Tree> =
                pool.sources.iter().map(|source| tree(&source.program)).collect();
            pool.sorts = Sorts::of(&trees);
        }
        self
    }
}

fn language_of(path: &Path) -> Option<Lang> {
    Lang::of_extension(path.extension()?.to_str()?)
}

/// The program, as a tree of objects, arrays and scalars.
pub(super) fn tree(program: &Artifact) -> Tree {
    reference::with!(program, |L, program| serde_json::to_value(program)).unwrap_or_default()
}

/// A file as a source.
fn source(lang: Lang, name: &str, text: &str) -> Result<Source, String> {
    let header = header::parse(text, lang.options()).map_err(|error| error.message)?;
    if header.cases.iter().any(|case| case.unknown.is_some()) {
        return Err("it has no end".to_owned());
    }
    let program = lang.read(text, &mut Rolls::default()).map_err(|error| error.message)?;
    let given = header.cases.into_iter().map(|case| case.input);
    let mut inputs: Vec<Vec<Value>> = given.filter_map(|input| program.fit(input).ok()).collect();
    if inputs.is_empty() {
        let input = program.fit(Vec::new()).map_err(|error| {
            format!("its header has no `-- input:` that fits: {}", error.message)
        })?;
        inputs.push(input);
    }
    let lines = text.lines().skip_while(|line| {
        let line = line.trim();
        line.is_empty() || line.starts_with("--")
    });
    let text = lines.flat_map(|line| [line, "\n"]).collect();
    Ok(Source { name: name.to_owned(), text, printed: program.print(), program, inputs })
}
