//! No import circle leads through a folder.
//!
//! A crate is a tree of folders and files. An import from one file to another is an arrow between the two
//! parts, folders or files, that they lie in below the innermost folder that holds both. Within each folder
//! these arrows may form no circle through a folder. That files of one folder import each other, and a folder
//! and its own `mod.rs`, is not looked at: one reads them together.

use super::{files, none, without_tests};
use std::collections::{BTreeMap, BTreeSet};

/// A module: the names of its folders and its own.
type Module = Vec<String>;

/// An import out of a part of a folder into another part of it.
#[derive(Debug, PartialEq)]
struct Import {
    file: String,
    folder: Module,
    from: String,
    to: String,
}

/// `oracle/src/check/agree.rs` is the module `check::agree`, `oracle/src/check/mod.rs` is `check`.
fn module(name: &str) -> Option<Module> {
    let (_, path) = name.split_once("/src/")?;
    let mut module: Module = path.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| last == "mod" || last == "lib") {
        module.pop();
    }
    let is_code = !module.iter().any(|part| part == "bin" || part == "tests");
    is_code.then_some(module)
}

/// The paths that begin with `crate::` or `super::` in code, the ones in braces apart.
fn paths(code: &str) -> Vec<Vec<&str>> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if !before.is_some_and(|c| c == ':' || c == '_' || c.is_alphanumeric()) {
                expand(&code[at..], &mut Vec::new(), &mut found);
            }
        }
    }
    found
}

/// Adds the paths of a text that begins with one; what is behind its end.
fn expand<'c>(
    mut text: &'c str,
    before: &mut Vec<&'c str>,
    found: &mut Vec<Vec<&'c str>>,
) -> &'c str {
    let depth = before.len();
    loop {
        text = text.trim_start();
        if let Some(mut items) = text.strip_prefix('{') {
            loop {
                items = items.trim_start().trim_start_matches(',').trim_start();
                if let Some(rest) = items.strip_prefix('}') {
                    text = rest;
                    break;
                }
                let rest = expand(items, before, found);
                if rest.len() == items.len() {
                    // It is no list of paths.
                    text = "";
                    break;
                }
                items = rest;
            }
            before.truncate(depth);
            return text;
        }
        let end = text.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(text.len());
        before.push(&text[..end]);
        text = &text[end..];
        match text.strip_prefix("::") {
            Some(rest) => text = rest,
            None => break,
        }
    }
    found.push(before.clone());
    before.truncate(depth);
    // `as name`, `*`
    text.find([',', '}', ';', '(', ')', '<', '\n']).map_or("", |end| &text[end..])
}

/// The imports of a crate that lead from one part of a folder to another.
fn imports(code: &[(String, String)]) -> Vec<Import> {
    let modules: BTreeMap<Module, &str> =
        code.iter().filter_map(|(name, _)| Some((module(name)?, name.as_str()))).collect();
    let mut found = Vec::new();
    for (name, text) in code {
        let Some(here) = module(name) else { continue };
        let text = without_tests(text);
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        let text = lines.collect::<Vec<_>>().join("\n");
        for path in paths(&text) {
            let mut there = here.clone();
            for part in path {
                match part {
                    "crate" => there.clear(),
                    "super" => drop(there.pop()),
                    part => {
                        there.push(part.to_owned());
                        if !modules.contains_key(&there) {
                            there.pop();
                            break;
                        }
                    }
                }
            }
            let common = here.iter().zip(&there).take_while(|(here, there)| here == there).count();
            if let (Some(from), Some(to)) = (here.get(common), there.get(common)) {
                let (from, to) = (from.clone(), to.clone());
                let folder = here[..common].to_vec();
                found.push(Import { file: name.clone(), folder, from, to });
            }
        }
    }
    found
}

/// The parts of a folder that imports lead to from one of them.
fn reached<'i>(imports: &'i [Import], folder: &Module, start: &'i String) -> BTreeSet<&'i String> {
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(part) = open.pop() {
        let arrows = imports.iter().filter(|it| it.folder == *folder && it.from == *part);
        open.extend(arrows.map(|it| &it.to).filter(|to| reached.insert(*to)));
    }
    reached
}

/// The imports that are part of a circle through a folder.
fn circles(imports: &[Import], code: &[(String, String)]) -> Vec<String> {
    let is_folder = |folder: &[String], part: &String| {
        let inside = |name: &String| {
            let module = module(name).unwrap_or_default();
            module.len() > folder.len() + 1
                && module.starts_with(folder)
                && module[folder.len()] == *part
        };
        code.iter().any(|(name, _)| inside(name))
    };
    let mut broken = BTreeSet::new();
    for Import { file, folder, from, to } in imports {
        let back = reached(imports, folder, to);
        let circle = |part: &&&String| reached(imports, folder, part).contains(from);
        if back.contains(from) && back.iter().filter(circle).any(|part| is_folder(folder, part)) {
            broken.insert(format!("{file}: `{to}` leads back to `{from}`"));
        }
    }
    broken.into_iter().collect()
}

#[test]
fn no_circle_leads_through_a_folder() {
    let parts = ["reference", "compiler", "oracle"].into_iter();
    let broken = parts.flat_map(|part| {
        let code = files(&format!("{part}/src"), "rs");
        circles(&imports(&code), &code)
    });
    none(&broken.collect::<Vec<_>>());
}

/// The test is not blind: it sees a circle, in whatever way its imports are written.
#[test]
fn circles_are_seen() {
    let seen = |a: &str, b: &str| {
        let code = [("x/src/a/mod.rs", "mod one;"), ("x/src/a/one.rs", a), ("x/src/b.rs", b)];
        let code = code.map(|(name, text)| (name.to_owned(), text.to_owned()));
        circles(&imports(&code), &code)
    };
    let back = "use crate::{c, a::{self, one}};";
    assert_eq!(seen("use crate::b::B;", back).len(), 2);
    assert_eq!(seen("fn f() { super::super::b::f(); }", back).len(), 2);
    assert_eq!(seen("use crate::{std, b::{\n  c,\n},\n};", "use super::a::one as two;").len(), 2);
    assert_eq!(seen("// crate::b", back), Vec::<String>::new());
    assert_eq!(seen("use crate::c;", back), Vec::<String>::new());
    assert_eq!(seen("#[cfg(test)]\nmod tests {\nuse crate::b;\n}", back), Vec::<String>::new());
    assert_eq!(paths("use crate::{a::{b, c::*}, d as e};").len(), 3);
}
