//! `lockstep judge --load-only`: which entry points can be executed.

use super::super::out::Out;
use super::super::problem::plain;
use super::super::{Answer, Status};
use super::flags::{flags, set};
use super::words::Words;
use super::{Args, source};
use crate::judge::{Judge, NoShader, Source, load};
use compiler::emit::foreign::Foreign;
use compiler::emit::refused::Refused;
use reference::spirv::parse::outline::entries;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Of files that are refused before their entry points are known.
pub(super) const REFUSED: &str = "the file or its options, as said above";

/// Of entry points that can be executed.
pub(super) const RUNS: &str = "";

#[derive(Serialize)]
struct Load<'l> {
    file: &'l str,
    entry: &'l str,
    /// What keeps it from being executed.
    stops: Option<&'l str>,
}

/// Which entry points of a file can be executed.
pub(super) fn loaded(
    args: &Args,
    file: &Path,
    loads: &mut BTreeMap<String, usize>,
    out: &mut Out,
) -> Answer {
    let (source, text) = source(file)?;
    let name = file.display().to_string();
    let words = Words::of(&text, &name);
    let flags = flags(args, &words, &text, &name)?;
    let all = match (&flags.entry, &source) {
        (Some(entry), _) => vec![entry.clone()],
        (None, Source::Spirv { words, .. }) => match entries(words) {
            // Why it has none is said where it is read.
            none if none.is_empty() => vec!["main".to_owned()],
            entries => entries,
        },
        (None, Source::Wgsl(text)) => {
            let read = crate::panics::catch(|| Foreign::read(text));
            let read = read.map_err(|text| format!("naga panics: {text}"));
            match read.and_then(|read| read.map_err(|no| in_line(&no, text))) {
                Ok(foreign) => foreign.entries().into_iter().map(|entry| entry.name).collect(),
                Err(why) => return Ok(stopped(args, (&name, ""), Some(&why), loads, out)),
            }
        }
    };
    for entry in all {
        let mut asked = Judge {
            entry: Some(entry.clone()),
            ..set(source.clone(), &flags, (&args.flags, &words))?
        };
        // Any value does, where only loading is asked.
        if let Source::Wgsl(text) = &source
            && let Ok(Ok(foreign)) = crate::panics::catch(|| Foreign::read(text))
        {
            let given = |key: &str| flags.constant.iter().any(|(given, _)| given == key);
            let needed = foreign.constants().into_iter().filter(|it| it.needed && !given(&it.key));
            asked.constants.extend(needed.map(|constant| (constant.key, 1.0)));
        }
        let why = load(&asked).err().map(|no| match no {
            NoShader::Asked(unfit) => unfit.why,
            NoShader::NotModelled(why) => why,
            NoShader::Refused(why) => in_line(&why, &text),
            NoShader::Invalid(finding) => format!("invalid: {finding}"),
            NoShader::Mistranslated(finding) => {
                format!("naga made an invalid module: {finding}")
            }
        });
        stopped(args, (&name, &entry), why.as_deref(), loads, out);
    }
    Ok(Status::Clean)
}

/// A reason without what is of one module only: of an instruction, which stands between backquotes, its opcode; no ids, and no
/// lines.
fn kind(why: &str) -> String {
    let why = why.split(" at Op").next().unwrap_or(why);
    let why = match why.rsplit_once(", line ") {
        Some((before, line)) if line.bytes().all(|byte| byte.is_ascii_digit()) => before,
        _ => why,
    };
    let mut parts = why.splitn(3, '`');
    let kind = match (parts.next(), parts.next(), parts.next()) {
        (Some(before), Some(quoted), Some(behind)) if quoted.contains("Op") => {
            let opcode = quoted.split_whitespace().find(|word| word.starts_with("Op"));
            format!("{before}`{}`{behind}", opcode.unwrap_or(quoted))
        }
        _ => why.to_owned(),
    };
    let words = kind.split(' ').map(|word| if word.starts_with('%') { "%" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// What naga says against a text, with the line.
fn in_line(why: &Refused, text: &str) -> String {
    let reason = why.message.lines().next().unwrap_or_default();
    let Some((place, _)) = why.places.first() else { return reason.to_owned() };
    let line = 1 + text.bytes().take(place.start).filter(|byte| *byte == b'\n').count();
    format!("{reason}, line {line}")
}

fn stopped(
    args: &Args,
    (file, entry): (&str, &str),
    stops: Option<&str>,
    loads: &mut BTreeMap<String, usize>,
    out: &mut Out,
) -> Status {
    *loads.entry(stops.map_or(RUNS.to_owned(), kind)).or_default() += 1;
    match (args.json, stops) {
        (true, stops) => out.json(&Load { file, entry, stops }),
        (false, Some(why)) if entry.is_empty() => out.line(plain(&format!("{file}: {why}"))),
        (false, Some(why)) => out.line(plain(&format!("{file}: {entry}: {why}"))),
        (false, None) => {}
    }
    Status::Clean
}
