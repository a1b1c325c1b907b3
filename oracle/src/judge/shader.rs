//! From what a judge is given to a module that can be executed.

use super::contents::{Contents, PlaceName};
use super::made_up::MadeUp;
use super::specialized::{of_module, overrides};
use super::unfit::Unfit;
use super::{Judge, Source};
use crate::panics::catch;
use compiler::emit::foreign::{Element, Foreign, Resource, Translated};
use compiler::emit::refused::Refused;
use reference::kit::derivation::Recorder;
use reference::spirv::bindings::Binding;
use reference::spirv::parse::outline::{Entry, entry_points};
use reference::spirv::parse::shared::group_bytes;
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
    /// What is asked cannot be done.
    Asked(Box<Unfit>),
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
            NoShader::Asked(unfit) => write!(f, "{unfit}"),
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
    /// The words of that.
    pub words: Vec<u32>,
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

/// What is asked cannot be done.
pub(super) fn asked<T>(unfit: Unfit) -> Result<T, NoShader> {
    Err(NoShader::Asked(Box::new(unfit)))
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
    let entry = entry(judge, &foreign, text)?;
    overrides(judge, &foreign)?;
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
        words: translated.words.clone(),
        text: Some(text.to_owned()),
        group_bytes: translated.group_bytes,
        translated: Some(translated),
    })
}

fn entry(judge: &Judge, foreign: &Foreign, text: &str) -> Result<String, NoShader> {
    let stage = |stage: &str| format!("an entry point of the {stage} stage");
    let compute = foreign.entries().into_iter();
    let compute = compute.map(|entry| Point { at: function(text, &entry.name), name: entry.name });
    let others = foreign.others().into_iter();
    let others = others.map(|(name, of)| (Point { at: function(text, &name), name }, stage(&of)));
    let form = "one is written `@compute @workgroup_size(64) fn main() { }`";
    chosen(judge, &compute.collect::<Vec<_>>(), &others.collect::<Vec<_>>(), ("shader", form))
}

/// An entry point, and where it is declared.
struct Point {
    name: String,
    at: Option<Range<usize>>,
}

/// The entry point that is asked for, of these of the compute stage, beside others with their stages.
fn chosen(
    judge: &Judge,
    entries: &[Point],
    others: &[(Point, String)],
    (what, form): (&str, &str),
) -> Result<String, NoShader> {
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let staged = others.iter().map(|(Point { at, .. }, stage)| (at.clone(), stage.as_str()));
    let unfit = match (&judge.entry, entries) {
        (_, []) => {
            let unfit = Unfit::new(format!("the {what} has no compute entry point")).help(form);
            staged.fold(unfit, |unfit, (at, stage)| unfit.at(at, stage))
        }
        (None, [only]) => return Ok(only.name.clone()),
        (Some(name), _) if names.contains(&name.as_str()) => return Ok(name.clone()),
        (None, _) => {
            let why = format!("the {what} has {} compute entry points", entries.len());
            let help = format!("choose one: --entry {}", names.join(", --entry "));
            let places = entries.iter().map(|entry| entry.at.clone());
            places.fold(Unfit::new(why).help(help), |unfit, at| unfit.at(at, "an entry point"))
        }
        (Some(name), _) => {
            let why = format!("the {what} has no compute entry point `{name}`");
            let unfit = Unfit::new(why).help(format!("it has {}", names.join(", ")));
            let other = others.iter().find(|(point, _)| point.name == *name);
            let unfit = unfit.said("entry", name);
            other.into_iter().fold(unfit, |unfit, (point, stage)| unfit.at(point.at.clone(), stage))
        }
    };
    asked(unfit)
}

/// Where a text of WGSL names the function that it declares.
fn function(text: &str, name: &str) -> Option<Range<usize>> {
    let declared = |(at, _): &(usize, &str)| {
        let (before, behind) = (&text[..*at], &text[at + name.len()..]);
        let trimmed = before.trim_end();
        let ends = behind.trim_start().starts_with('(') && trimmed.len() < before.len();
        ends && trimmed.ends_with("fn")
    };
    let (at, _) = text.match_indices(name).filter(|_| !name.is_empty()).find(declared)?;
    Some(at..at + name.len())
}

/// The line with this number, without the blanks around it.
fn line(text: Option<&str>, number: u32) -> Option<Range<usize>> {
    let mut lines = text?.split_inclusive('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line))
    });
    let (start, line) = lines.nth((number as usize).checked_sub(1)?)?;
    let indent = line.len() - line.trim_start().len();
    Some(start + indent..start + line.trim_end().len().max(indent))
}

fn of_words(judge: &Judge, words: &[u32], text: Option<String>) -> Result<Loaded, NoShader> {
    validate(words, &mut Recorder::counting()).map_err(NoShader::Invalid)?;
    let point = |it: Entry| Point {
        at: it.line.and_then(|number| line(text.as_deref(), number)),
        name: it.name,
    };
    let (compute, others): (Vec<Entry>, _) =
        entry_points(words).into_iter().partition(|entry| entry.stage == "GLCompute");
    let entries: Vec<Point> = compute.into_iter().map(point).collect();
    let staged = |it: Entry| (format!("an entry point of the stage {}", it.stage), point(it));
    let others: Vec<_> = others.into_iter().map(staged).map(|(of, it)| (it, of)).collect();
    let form = "one is written `OpEntryPoint GLCompute %main \"main\"`";
    let chosen = || chosen(judge, &entries, &others, ("module", form));
    // What is no module has none; why is said where it is read.
    let entry = match entries.is_empty() {
        true => judge.entry.clone().unwrap_or_else(|| "main".to_owned()),
        false => chosen()?,
    };
    let constants = of_module(judge, words)?;
    let module = read(words, &entry, &constants).or_else(|no| match no {
        NoShader::NotModelled(_) if entries.is_empty() => chosen().and(Err(no)),
        no => Err(no),
    })?;
    let group_bytes = group_bytes(words, &entry, &constants).min(u32::MAX.into()) as u32;
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
    let words = words.to_vec();
    Ok(Loaded { entry, module, words, resources, text, group_bytes, translated: None })
}

/// What naga refuses; of a function that WGSL has and naga has not, that.
fn refused(text: &str, mut why: Refused) -> NoShader {
    let place = why.places.first().map(|(place, _)| place.clone());
    let unknown = why.message.starts_with("no definition in scope");
    if let Some(place) =
        place.filter(|place| unknown && text.get(place.clone()) == Some("subgroupElect"))
    {
        let line = line_of(text, &place);
        return NoShader::NotModelled(format!("naga lacks `subgroupElect`, line {line}"));
    }
    // What naga tells without a place.
    if why.places.is_empty() {
        let said = why.help.clone().unwrap_or_default();
        let mut words = said.split(' ').skip_while(|word| *word != "point");
        if said.contains("recursion limit") {
            "it nests too deeply for naga".clone_into(&mut why.message);
            why.help = Some("give the inner parts names, by `let` or `alias`".to_owned());
            why.places.extend(deepest(text).map(|place| (place, "the deepest one".to_owned())));
        } else if let Some(place) = words.nth(1).and_then(|name| function(text, name)) {
            why.places.push((place, "its entry point".to_owned()));
        }
    }
    NoShader::Refused(Box::new(why))
}

/// The bracket that stands in most others; where few nest, of those that enclose types.
fn deepest(text: &str) -> Option<Range<usize>> {
    let most = |open: &[u8], close: &[u8]| {
        let (mut depth, mut most) = (0usize, (0, 0));
        for (at, byte) in text.bytes().enumerate() {
            depth = match byte {
                byte if open.contains(&byte) => depth + 1,
                byte if close.contains(&byte) => depth.saturating_sub(1),
                _ => depth,
            };
            most = if depth > most.0 { (depth, at) } else { most };
        }
        most
    };
    let (depth, at) = match most(b"([{", b")]}") {
        (depth, _) if depth < FEW => most(b"<", b">"),
        most => most,
    };
    (depth > 0).then_some(at..at + 1)
}

/// Fewer brackets than these are not too many for naga.
const FEW: usize = 64;

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
        if let Some((place, _)) = second {
            return asked(twice("buffer", "is given twice", place, resource));
        }
        let Some((place, given)) = first else {
            contents.push(Contents::made_up(resource, made_up.elements));
            made_up.buffers.push(number);
            continue;
        };
        let (has, least) = (given.words.len() as u64, u64::from(resource.least));
        if has < least {
            let name = called(resource);
            let why = format!("the buffer `{name}` has {has} words, and its type takes {least}");
            let help = format!("--buffer {name}=zero:{least}");
            return asked(Unfit::new(why).help(help).said("buffer", &place.0));
        }
        contents.push(given.clone());
    }
    for (number, (resource, contents)) in loaded.resources.iter().zip(&contents).enumerate() {
        let has = contents.words.len();
        let ranges = judge.shown.iter().filter(|(place, _)| place.names(resource));
        for (place, start, end) in ranges.filter_map(|(it, range)| range.map(|(a, b)| (it, a, b))) {
            if end > has {
                let why = format!("`{}` has {has} words, so none of {start}..{end}", place.0);
                let help = format!("{}[0..{has}] are all of them", place.0);
                return asked(Unfit::new(why).help(help).said("dump", &place.0));
            }
        }
        let mut said = judge.expected.iter().filter(|(place, _)| place.names(resource));
        let (Some((place, wanted)), second) = (said.next(), said.next()) else { continue };
        if let Some((place, _)) = second {
            return asked(twice("expect", "has two expectations", place, resource));
        }
        let asks = wanted.words.len();
        if has != asks {
            let name = called(resource);
            let why = format!("the buffer `{name}` has {has} words, and {asks} are expected");
            let help = match made_up.buffers.contains(&number) {
                true => format!("its contents are made up: --buffer {name}=zero:{asks} says them"),
                false => "a run does not change how many words a buffer has".to_owned(),
            };
            return asked(Unfit::new(why).help(help).said("expect", &place.0));
        }
    }
    Ok((contents, made_up))
}

/// Of a buffer that is named twice, perhaps once by its name and once by its place.
fn twice(option: &'static str, what: &str, place: &PlaceName, resource: &Resource) -> Unfit {
    let Resource { group, binding, .. } = resource;
    let why = format!("the buffer `{}` {what}", called(resource));
    let help =
        format!("`{}` and `{group}.{binding}` are one buffer: name it once", called(resource));
    Unfit::new(why).help(help).said(option, &place.0)
}

/// Every place that is named is a buffer of the shader. What the entry point does not use may have contents; nothing comes
/// of them.
fn places(judge: &Judge, loaded: &Loaded) -> Result<(), NoShader> {
    let declared = |place: &PlaceName| {
        loaded.translated.as_ref().is_some_and(|translated| translated.declares(&place.0))
    };
    let given = judge.buffers.iter().map(|(place, _)| ("buffer", place));
    let expected = judge.expected.iter().map(|(place, _)| ("expect", place));
    let any_order = judge.any_order.iter().map(|place| ("any-order", place));
    let shown = judge.shown.iter().map(|(place, _)| ("dump", place));
    for (option, place) in given.chain(expected).chain(any_order).chain(shown) {
        let is_used = loaded.resources.iter().any(|resource| place.names(resource));
        if is_used || option == "buffer" && declared(place) {
            continue;
        }
        let known: Vec<_> = loaded.resources.iter().map(called).collect();
        let help = match known.as_slice() {
            [] => "its entry point uses none".to_owned(),
            known => format!("its entry point uses {}", known.join(", ")),
        };
        let why = match declared(place) {
            true => format!("the entry point `{}` does not use `{}`", loaded.entry, place.0),
            false => format!("the shader has no buffer `{}`", place.0),
        };
        return asked(Unfit::new(why).help(help).said(option, &place.0));
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
