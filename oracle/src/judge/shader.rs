//! From what a judge is given to a module that can be executed.

use super::contents::{Contents, PlaceName};
use super::made_up::MadeUp;
use super::{Judge, Source};
use crate::panics::catch;
use compiler::emit::foreign::{Element, Foreign, Resource, Translated};
use compiler::emit::refused::Refused;
use reference::kit::derivation::Recorder;
use reference::spirv::bindings::Binding;
use reference::spirv::parse::outline::entries;
use reference::spirv::parse::{Floats, specialized};
use reference::spirv::syntax::Module;
use reference::spirv::types::Numbers;
use reference::spirv::validate::validate;
use reference::spirv::values::{Finding, LoadError};
use std::error::Error;
use std::fmt;
use std::ops::Range;

/// Why there is nothing to judge.
#[derive(Clone, Debug, PartialEq)]
pub enum NoShader {
    /// What is asked cannot be done: why, and what might help.
    Asked(String, Option<String>),
    /// naga refuses the text, and says where.
    Refused(Box<Refused>),
    /// Its module is not valid.
    Invalid(Box<Finding>),
    /// naga makes a module of it that is not valid.
    Mistranslated(Box<Finding>),
    /// It uses what the executor does not have.
    NotModelled(String),
}

impl fmt::Display for NoShader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoShader::Asked(why, None) => write!(f, "{why}"),
            NoShader::Asked(why, Some(help)) => write!(f, "{why} ({help})"),
            NoShader::Refused(why) => write!(f, "naga refuses the shader: {}", why.message),
            NoShader::Invalid(finding) => write!(f, "{}", finding.text),
            NoShader::Mistranslated(finding) => {
                write!(f, "naga made an invalid module: {}", finding.text)
            }
            NoShader::NotModelled(why) => write!(f, "not modelled: {why}"),
        }
    }
}

impl Error for NoShader {}

/// A shader that can be run.
pub struct Loaded {
    /// Its entry point.
    pub entry: String,
    /// Its module.
    pub module: Module,
    /// The buffers that it binds.
    pub resources: Vec<Resource>,
    /// The text that its lines are of, if there is one.
    pub text: Option<String>,
    /// Bytes of its work-group variables, where they are known.
    pub group_bytes: u32,
    /// What its memory is called, where that is known.
    pub(super) translated: Option<Translated>,
}

impl Loaded {
    /// Is it a module of SPIR-V, and no shader in WGSL?
    pub(super) fn is_spirv(&self) -> bool {
        self.translated.is_none()
    }
}

pub(super) fn asked<T>(why: impl Into<String>, help: Option<String>) -> Result<T, NoShader> {
    Err(NoShader::Asked(why.into(), help))
}

/// Makes a module of the shader.
///
/// # Errors
/// Why there is none.
pub fn load(judge: &Judge) -> Result<Loaded, NoShader> {
    let loaded = catch(|| match &judge.source {
        Source::Wgsl(text) => of_text(judge, text),
        Source::Spirv { words, text } => of_words(judge, words, text.clone()),
    });
    loaded.unwrap_or_else(|text| {
        Err(NoShader::NotModelled(format!("naga panics on the shader: {text}")))
    })
}

fn of_text(judge: &Judge, text: &str) -> Result<Loaded, NoShader> {
    let foreign = Foreign::read(text).map_err(|no| refused(text, no))?;
    let entry = entry(judge, &foreign)?;
    constants(judge, &foreign)?;
    let translated = foreign.translate(&entry, &judge.constants).map_err(|no| refused(text, no))?;
    let module = loaded(&translated.words, &entry).map_err(|no| match no {
        NoShader::Invalid(finding) => NoShader::Mistranslated(finding),
        NoShader::NotModelled(why) => NoShader::NotModelled(texture(text, &why).unwrap_or(why)),
        no => no,
    })?;
    Ok(Loaded {
        entry,
        module,
        resources: translated.resources.clone(),
        text: Some(text.to_owned()),
        group_bytes: translated.group_bytes,
        translated: Some(translated),
    })
}

fn entry(judge: &Judge, foreign: &Foreign) -> Result<String, NoShader> {
    let entries: Vec<String> = foreign.entries().into_iter().map(|entry| entry.name).collect();
    chosen(judge, &entries, "shader")
}

/// The entry point that is asked for, of these.
fn chosen(judge: &Judge, entries: &[String], what: &str) -> Result<String, NoShader> {
    match (&judge.entry, entries) {
        (_, []) => asked(format!("the {what} has no compute entry point"), None),
        (None, [only]) => Ok(only.clone()),
        (None, _) => asked(
            format!("the {what} has {} compute entry points", entries.len()),
            Some(format!("choose one: --entry {}", entries.join(", --entry "))),
        ),
        (Some(name), known) if known.contains(name) => Ok(name.clone()),
        (Some(name), _) => asked(
            format!("the {what} has no compute entry point `{name}`"),
            Some(format!("it has {}", entries.join(", "))),
        ),
    }
}

fn constants(judge: &Judge, foreign: &Foreign) -> Result<(), NoShader> {
    let known = foreign.constants();
    for (key, value) in &judge.constants {
        let constant = known.iter().find(|constant| constant.key == *key);
        if let Some(constant) = constant.filter(|constant| !constant.takes(*value)) {
            return asked(
                format!("the constant `{key}` is of {}, which has no {value}", constant.ty),
                None,
            );
        }
        if constant.is_none() {
            let keys: Vec<_> = known.iter().map(|constant| constant.key.as_str()).collect();
            let help = match keys.as_slice() {
                [] => "it has none".to_owned(),
                keys => format!("it has {}", keys.join(", ")),
            };
            return asked(format!("the shader has no constant `{key}`"), Some(help));
        }
    }
    let given = |key: &str| judge.constants.iter().any(|(given, _)| given == key);
    let missing = known.iter().find(|constant| constant.needed && !given(&constant.key));
    match missing {
        Some(constant) => asked(
            format!("the constant `{}` has no value", constant.key),
            Some(format!("give one: --constant {}=1", constant.key)),
        ),
        None => Ok(()),
    }
}

fn of_words(judge: &Judge, words: &[u32], text: Option<String>) -> Result<Loaded, NoShader> {
    let mut constants = Vec::new();
    for (key, value) in &judge.constants {
        let Ok(id) = key.parse() else {
            return asked(format!("`{key}` is no SpecId: constants of modules have numbers"), None);
        };
        constants.push((id, bits(*value)));
    }
    validate(words, &mut Recorder::counting()).map_err(NoShader::Invalid)?;
    let entries = entries(words);
    // What is no module has none; why is said where it is read.
    let entry = match entries.is_empty() {
        true => judge.entry.clone().unwrap_or_else(|| "main".to_owned()),
        false => chosen(judge, &entries, "module")?,
    };
    let module = read(words, &entry, &constants).or_else(|no| match no {
        NoShader::NotModelled(_) if entries.is_empty() => {
            chosen(judge, &entries, "module").and(Err(no))
        }
        no => Err(no),
    })?;
    let resource = |bound: Binding| Resource {
        name: bound.name.unwrap_or_default(),
        group: bound.set,
        binding: bound.binding,
        written: bound.written,
        uniform: bound.uniform,
        least: bound.extent.least.div_ceil(4),
        step: bound.extent.step.map(|step| step.div_ceil(4)),
        element: match bound.numbers {
            Numbers::Unsigned => Element::Unsigned,
            Numbers::Signed => Element::Signed,
            Numbers::Float => Element::Float,
            Numbers::Half => Element::Half,
        },
    };
    let resources = module.bindings().into_iter().map(resource).collect();
    Ok(Loaded { entry, module, resources, text, group_bytes: 0, translated: None })
}

/// What naga refuses; of a function that WGSL has and naga has not, that.
fn refused(text: &str, why: Refused) -> NoShader {
    let place = why.places.first().map(|(place, _)| place.clone());
    let unknown = why.message.starts_with("no definition in scope");
    match place.filter(|place| unknown && text.get(place.clone()) == Some("subgroupElect")) {
        Some(place) => NoShader::NotModelled(format!(
            "naga lacks `subgroupElect`, line {}",
            line_of(text, &place)
        )),
        None => NoShader::Refused(Box::new(why)),
    }
}

/// The number of the line in which the place begins.
fn line_of(text: &str, place: &Range<usize>) -> usize {
    1 + text.bytes().take(place.start).filter(|byte| *byte == b'\n').count()
}

/// Of a reason that is a type of textures, which has no place in the text: the first function of textures that is called.
fn texture(text: &str, why: &str) -> Option<String> {
    if !["OpTypeImage", "OpTypeSampler", "OpTypeSampledImage"].iter().any(|op| why.contains(op)) {
        return None;
    }
    text.lines().zip(1..).find_map(|(line, number)| {
        let code = line.split("//").next()?;
        let mut words = code.match_indices("texture").map(|(at, _)| &code[at..]);
        words.find_map(|word| {
            let (name, _) = word.split_once('(')?;
            name.chars()
                .all(char::is_alphanumeric)
                .then(|| format!("textures: `{name}`, line {number}"))
        })
    })
}

/// A constant as `VkSpecializationInfo` has it: an integer by its 32 bits, or else an `f32`.
fn bits(value: f64) -> u64 {
    match value.fract() == 0.0 && value.abs() <= f64::from(u32::MAX) {
        true => u64::from(value as i64 as u32),
        false => u64::from((value as f32).to_bits()),
    }
}

fn loaded(words: &[u32], entry: &str) -> Result<Module, NoShader> {
    validate(words, &mut Recorder::counting()).map_err(NoShader::Invalid)?;
    read(words, entry, &[])
}

fn read(words: &[u32], entry: &str, constants: &[(u32, u64)]) -> Result<Module, NoShader> {
    let floats = Floats::Open;
    specialized(words, entry, constants, floats, &mut Recorder::counting()).map_err(|error| {
        match error {
            LoadError::Invalid(finding) => NoShader::Invalid(finding),
            LoadError::Unsupported(text) => NoShader::NotModelled(text),
        }
    })
}

/// What each buffer holds before the first dispatch, and which contents were made up.
///
/// # Errors
/// A buffer that there is not, that is given twice, or that is too short for its type.
pub(super) fn contents(
    judge: &Judge,
    loaded: &Loaded,
) -> Result<(Vec<Contents>, MadeUp), NoShader> {
    places(judge, loaded)?;
    let invocations = |groups: &[u32; 3]| groups.iter().fold(1u32, |all, n| all.saturating_mul(*n));
    let groups = judge.dispatches.iter().map(invocations).max().unwrap_or(1);
    let size: u32 = loaded.module.group_size().iter().product();
    let mut made_up = MadeUp::with(groups.saturating_mul(size));
    let mut contents = Vec::new();
    for (number, resource) in loaded.resources.iter().enumerate() {
        let mut given = judge.buffers.iter().filter(|(place, _)| place.names(resource));
        let (first, second) = (given.next(), given.next());
        if second.is_some() {
            return asked(format!("the buffer `{}` is given twice", called(resource)), None);
        }
        let Some((_, given)) = first else {
            contents.push(Contents::made_up(resource, made_up.elements));
            made_up.buffers.push(number);
            continue;
        };
        let (has, least) = (given.words.len() as u64, u64::from(resource.least));
        if has < least {
            return asked(
                format!(
                    "the buffer `{}` has {has} words, and its type takes {least}",
                    called(resource)
                ),
                Some(format!("--buffer {}=zero:{least}", called(resource))),
            );
        }
        contents.push(given.clone());
    }
    Ok((contents, made_up))
}

/// Every place that is named is a buffer of the shader, though the entry point may not use it.
fn places(judge: &Judge, loaded: &Loaded) -> Result<(), NoShader> {
    let resources = &loaded.resources;
    let declared = |place: &PlaceName| {
        loaded.translated.as_ref().is_some_and(|translated| translated.declares(&place.0))
    };
    let said = judge.buffers.iter().chain(&judge.expected).map(|(place, _)| place);
    for place in said.chain(&judge.any_order) {
        if !resources.iter().any(|resource| place.names(resource)) && !declared(place) {
            let known: Vec<_> = resources.iter().map(called).collect();
            let help = match known.as_slice() {
                [] => "its entry point uses none".to_owned(),
                known => format!("its entry point uses {}", known.join(", ")),
            };
            return asked(format!("the shader has no buffer `{}`", place.0), Some(help));
        }
    }
    Ok(())
}

/// What a buffer is called: by the name of its variable, or else its place.
pub(super) fn called(resource: &Resource) -> String {
    match resource.name.as_str() {
        "" => format!("{}.{}", resource.group, resource.binding),
        name => name.to_owned(),
    }
}

impl PlaceName {
    /// The number of the buffer that it names.
    pub(super) fn of(&self, resources: &[Resource]) -> Option<usize> {
        resources.iter().position(|resource| self.names(resource))
    }
}
