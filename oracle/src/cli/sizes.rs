//! Sizes of inputs, from the command line.

use super::input::Source;
use super::problem::Problem;
use reference::kit::outcome::Value;

/// `NAME=SIZE`
pub(super) fn size(text: &str) -> Result<(String, i32), String> {
    let (name, size) = text.split_once('=').ok_or("a size is said as NAME=SIZE")?;
    let size = size.trim().parse().map_err(|_| format!("`{}` is no size", size.trim()))?;
    Ok((name.trim().to_owned(), size))
}

/// `NAME=SIZE` or `NAME=FROM..TO`, with both ends
pub(super) fn range(text: &str) -> Result<(String, i32, i32), String> {
    let Some((name, (from, to))) =
        text.split_once('=').and_then(|(name, size)| Some((name, size.split_once("..")?)))
    else {
        return size(text).map(|(name, size)| (name, size, size));
    };
    let of = |end: &str| end.trim().parse().map_err(|_| format!("`{}` is no size", end.trim()));
    let (from, to): (i32, i32) = (of(from)?, of(to)?);
    if from < 0 || from > to {
        return Err(format!("{from} to {to} are no sizes"));
    }
    Ok((name.trim().to_owned(), from, to))
}

/// What `--size` says of what is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// The size of a parameter.
    Named(String, i32),
    /// A number of elements.
    Elements(u32),
}

impl Size {
    /// `NAME=SIZE` or `SIZE`
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        if text.contains('=') {
            return size(text).map(|(name, size)| Self::Named(name, size));
        }
        let elements = text.trim().parse();
        elements.map(Self::Elements).map_err(|_| format!("`{}` is no size", text.trim()))
    }
}

/// The values of the parameters: what is said, else the first input of the header.
pub(super) fn input(
    size: &[(String, i32)],
    source: &Source,
    given: Option<&[Value]>,
) -> Result<Vec<Value>, Problem> {
    let twice = size
        .iter()
        .enumerate()
        .find(|(at, (name, _))| size[..*at].iter().any(|(other, _)| other == name));
    if let Some((_, (name, _))) = twice {
        let no = Problem::new(format!("the size of `{name}` is given twice"));
        return Err(no.help("--size takes each name once"));
    }
    if !size.is_empty() {
        return source
            .program
            .sized(size)
            .map_err(|no| Problem::rejected(no, &source.name(), &source.text));
    }
    let first = || source.header.cases.first().map(|case| case.input.clone());
    let input = given.map(<[Value]>::to_vec).or_else(first);
    if input.is_none() && !source.program.parameters().is_empty() {
        let names = source.program.parameters().join(", ");
        let no = Problem::new(format!("{} takes {names}, and no size is given", source.name()));
        return Err(no.help("--size NAME=SIZE,... gives sizes, --input values"));
    }
    Ok(input.unwrap_or_default())
}
