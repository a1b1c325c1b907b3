//! Directives of WGSL that naga 30 refuses, though it has what they enable.

/// The text without `subgroups` among the extensions that it enables. Places stay as they are.
pub fn without_enable(text: &str) -> String {
    let mut known = text.to_owned();
    let mut at = 0;
    while let Some((word, start)) = word(text, at) {
        let Some(end) = text[start..].find(';').map(|end| start + end) else { break };
        match word {
            "enable" => without_subgroups(&mut known, start + word.len(), end),
            "requires" | "diagnostic" => {}
            _ => break,
        }
        at = end + 1;
    }
    known
}

/// The next word behind blanks, comments and semicolons, and where it begins.
fn word(text: &str, mut at: usize) -> Option<(&str, usize)> {
    loop {
        let rest = &text[at..];
        let blank =
            rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || c == ';').len();
        let skipped = match &rest[blank..] {
            line if line.starts_with("//") => line.find('\n').unwrap_or(line.len()),
            block if block.starts_with("/*") => block.find("*/").map_or(block.len(), |end| end + 2),
            "" => return None,
            word => {
                let end = word.find(|c: char| !c.is_alphanumeric() && c != '_');
                return Some((&word[..end.unwrap_or(word.len())], at + blank));
            }
        };
        at += blank + skipped;
    }
}

/// Blanks `subgroups` in the list that stands there; the whole directive, if nothing else does.
fn without_subgroups(text: &mut String, start: usize, end: usize) {
    let names: Vec<_> =
        text[start..end].split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    if !names.contains(&"subgroups") {
        return;
    }
    let others: Vec<_> = names.into_iter().filter(|name| *name != "subgroups").collect();
    let (from, to, kept) = match others.is_empty() {
        true => (start - "enable".len(), end + 1, String::new()),
        false => (start, end, format!(" {}", others.join(","))),
    };
    // Line breaks stay where they are, if there are any.
    let behind = text.as_bytes()[from..to].iter().skip(kept.len());
    let blanks = behind.map(|byte| if *byte == b'\n' { '\n' } else { ' ' });
    let replaced: String = kept.chars().chain(blanks).collect();
    text.replace_range(from..to, &replaced);
}

#[cfg(test)]
mod tests {
    use super::without_enable;

    #[test]
    fn subgroups_alone_are_blanked() {
        for (text, known) in [
            ("enable subgroups;\nfn f() {}", "                 \nfn f() {}"),
            ("enable f16, subgroups;x", "enable f16           ;x"),
            (
                "enable subgroups, f16; // enable subgroups;",
                "enable f16           ; // enable subgroups;",
            ),
            (
                "// enable subgroups;\nenable\nsubgroups ; enable f16;",
                "// enable subgroups;\n      \n            enable f16;",
            ),
            ("fn f() {} enable subgroups;", "fn f() {} enable subgroups;"),
            ("enable subgroups", "enable subgroups"),
        ] {
            let without = without_enable(text);
            assert_eq!(without, known);
            assert_eq!(without.len(), text.len());
        }
    }
}
