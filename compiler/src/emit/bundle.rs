//! All kernels of a program in one module, each as an entry point of its own.
//!
//! A device gets one module for each kernel, but `lockstep compile` writes one file. A binding that is declared
//! alike in several modules is declared once; every other name gets the number of its kernel behind it. Two
//! variables may share a binding, since no entry point uses both.

use super::spirv::{Rejection, validate};
use super::wgsl::Form;
use std::collections::{HashMap, HashSet};

/// One module with the entry points `main_1`, `main_2` and so on, in the order of the kernels; of
/// one kernel its own module, entry point `main`.
///
/// # Errors
/// What naga says against a kernel.
pub fn bundle(shaders: &[Form]) -> Result<String, Rejection> {
    if let [shader] = shaders {
        return Ok(shader.wgsl.clone());
    }
    let mut module = String::new();
    // Lines that declare a binding, and the names they are known by.
    let mut bindings: HashMap<String, String> = HashMap::new();
    for (number, shader) in shaders.iter().enumerate() {
        let number = number + 1;
        let declared = declared(&shader.wgsl)?;
        let mut names: HashMap<&str, String> =
            declared.iter().map(|name| (name.as_str(), format!("{name}_{number}"))).collect();
        let mut known = HashSet::new();
        for line in shader.wgsl.lines().filter(|line| line.starts_with("@group")) {
            let Some(name) = words(line).find(|word| names.contains_key(word)) else { continue };
            if let Some(shared) = bindings.get(line) {
                known.insert(line);
                names.insert(name, shared.clone());
            } else if !bindings.values().any(|taken| taken == name) {
                bindings.insert(line.to_owned(), name.to_owned());
                names.insert(name, name.to_owned());
            }
        }
        if number > 1 {
            module.push('\n');
        }
        module.push_str(&format!("// kernel {number}\n"));
        for line in shader.wgsl.lines().filter(|line| !known.contains(line)) {
            module.push_str(&renamed(line, &names));
            module.push('\n');
        }
    }
    Ok(module)
}

/// The names that a module declares at its top.
fn declared(wgsl: &str) -> Result<HashSet<String>, Rejection> {
    let (module, _) = validate(wgsl)?;
    let types = module.types.iter().filter_map(|(_, ty)| ty.name.clone());
    let variables = module.global_variables.iter().filter_map(|(_, var)| var.name.clone());
    let constants = module.constants.iter().filter_map(|(_, constant)| constant.name.clone());
    let functions = module.functions.iter().filter_map(|(_, function)| function.name.clone());
    let entries = module.entry_points.iter().map(|entry| entry.name.clone());
    Ok(types.chain(variables).chain(constants).chain(functions).chain(entries).collect())
}

fn of_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c| !of_word(c)).filter(|word| !word.is_empty())
}

/// The line with other names for some words. No local variable has the name of what is declared
/// at the top of a module, so a word is a use of it.
fn renamed(line: &str, names: &HashMap<&str, String>) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find(of_word) {
        let (before, word) = rest.split_at(start);
        let end = word.find(|c| !of_word(c)).unwrap_or(word.len());
        let (word, after) = word.split_at(end);
        text.push_str(before);
        text.push_str(names.get(word).map_or(word, String::as_str));
        rest = after;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::bundle;
    use crate::emit::spirv::{for_vulkan, validate};
    use crate::pipeline::stages;
    use crate::route::{Artifact, Plan};

    fn module(source: &str) -> String {
        let program = reference::device::parse::program(source).expect("the program parses");
        let stages = stages(Artifact::Device(program), &Plan::default());
        assert_eq!(stages.stop, None);
        let Some(Artifact::Shaders(shaders)) = stages.stages.last().map(|last| &last.artifact)
        else {
            panic!("no shader is emitted");
        };
        bundle(shaders).expect("naga takes each")
    }

    fn entries(wgsl: &str) -> Vec<String> {
        let (module, _) = validate(wgsl).unwrap_or_else(|error| panic!("{error}\n{wgsl}"));
        for_vulkan(wgsl).expect("it becomes SPIR-V");
        module.entry_points.into_iter().map(|entry| entry.name).collect()
    }

    /// The second kernel has a binding more than the first one, and both have a function of the same
    /// name.
    #[test]
    fn kernels_that_declare_the_same_names_otherwise_share_a_module() {
        let wgsl = module(
            "fn twice(x : i32) -> i32 {
               return x * 2;
             }
             kernel a(b : block[i32]) group 4 {
               let x = call twice(b.[0]);
               b.[0] = x;
             }
             kernel c(b : block[atomic[i32]]) group 4 {
               workgroup sum : atomic[i32];
               let x = call twice(1);
               atomic add(sum, x);
               atomic add(b.[0], x);
             }
             let b = alloc i32(10);
             launch a(b) for 1;
             let c = alloc atomic[i32](10);
             launch c(c) for 1;",
        );
        assert_eq!(entries(&wgsl), ["main_1", "main_2"]);
    }

    #[test]
    fn one_kernel_is_its_own_module() {
        let wgsl = module("kernel a() group 4 { }\nlaunch a() for 1;");
        assert_eq!(entries(&wgsl), ["main"]);
    }
}
