//! `lockstep judge --load-only`: which entry points can be executed.

use super::super::out::Out;
use super::super::problem::plain;
use super::super::{Answer, Status};
use super::flags::set;
use super::{Args, source};
use crate::judge::{Judge, NoShader, Source, load};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

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
    let (source, _) = source(file)?;
    let name = file.display().to_string();
    let entries = match (&args.flags.entry, &source) {
        (Some(entry), _) => vec![entry.clone()],
        (None, Source::Spirv(_)) => vec!["main".to_owned()],
        (None, Source::Wgsl(text)) => {
            let read = crate::panics::catch(|| compiler::emit::foreign::Foreign::read(text));
            let read = read.map_err(|text| format!("naga panics: {text}"));
            match read.and_then(|read| read.map_err(|no| first_line(&no.0))) {
                Ok(foreign) => foreign.entries().into_iter().map(|entry| entry.name).collect(),
                Err(why) => return Ok(stopped(args, (&name, ""), Some(&why), loads, out)),
            }
        }
    };
    for entry in entries {
        let asked = Judge { entry: Some(entry.clone()), ..set(source.clone(), &args.flags) };
        let why = load(&asked).err().map(|no| match no {
            NoShader::Asked(why, _) | NoShader::NotModelled(why) => why,
            NoShader::Refused(why) => first_line(&why),
            NoShader::Invalid(finding) => format!("invalid: {finding}"),
        });
        stopped(args, (&name, &entry), why.as_deref(), loads, out);
    }
    Ok(Status::Clean)
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

fn stopped(
    args: &Args,
    (file, entry): (&str, &str),
    stops: Option<&str>,
    loads: &mut BTreeMap<String, usize>,
    out: &mut Out,
) -> Status {
    *loads.entry(stops.unwrap_or(RUNS).to_owned()).or_default() += 1;
    match (args.json, stops) {
        (true, stops) => out.json(&Load { file, entry, stops }),
        (false, Some(why)) => out.line(plain(&format!("{file}: {entry}: {why}"))),
        (false, None) => {}
    }
    Status::Clean
}
