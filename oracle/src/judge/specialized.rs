//! Constants of the pipeline, held against those that the shader has.

use super::Judge;
use super::shader::{NoShader, asked};
use super::unfit::Unfit;
use compiler::emit::foreign::{Constant, Foreign};
use reference::spirv::half;
use reference::spirv::parse::outline::{Specialized, specializations};

/// The option by which they are given.
const OPTION: &str = "constant";

/// Has the shader these constants, and no other that has no value?
pub(super) fn overrides(judge: &Judge, foreign: &Foreign) -> Result<(), NoShader> {
    let known = foreign.constants();
    once(judge.constants.iter().map(|(key, _)| (key.as_str(), key)))?;
    for (key, value) in &judge.constants {
        match known.iter().find(|constant| constant.key == *key) {
            Some(constant) if !constant.takes(*value) => {
                let why =
                    format!("the constant `{key}` is of {}, which has no {value}", constant.ty);
                let unfit = Unfit::new(why).help(range(constant.ty)).said(OPTION, key);
                return asked(unfit.at(constant.place.clone(), "it is declared here"));
            }
            Some(_) => {}
            None => return asked(no_override(key, &known)),
        }
    }
    let given = |key: &str| judge.constants.iter().any(|(given, _)| given == key);
    match known.iter().find(|constant| constant.needed && !given(&constant.key)) {
        Some(Constant { key, name, place, .. }) => {
            let why = match key == name {
                true => format!("the constant `{key}` has no value"),
                false => format!("the constant `{name}` has no value, and `@id({key})`"),
            };
            let unfit = Unfit::new(why).help(format!("give one: --constant {key}=1"));
            asked(unfit.at(place.clone(), "it is declared here"))
        }
        None => Ok(()),
    }
}

/// Each constant is given once.
fn once<'k, K: PartialEq>(keys: impl Iterator<Item = (K, &'k String)>) -> Result<(), NoShader> {
    let mut seen: Vec<K> = Vec::new();
    for (key, written) in keys {
        if seen.contains(&key) {
            let unfit = Unfit::new(format!("the constant `{written}` is given twice"));
            let help = "a pipeline gives a constant one value: leave out one of both";
            return asked(unfit.help(help).said(OPTION, written));
        }
        seen.push(key);
    }
    Ok(())
}

fn no_override(key: &str, known: &[Constant]) -> Unfit {
    if let Some(Constant { key: id, place, .. }) = known.iter().find(|it| it.name == key) {
        let why = format!("the constant `{key}` has `@id({id})`, and is given by that");
        let unfit = Unfit::new(why).help(format!("--constant {id}=..")).said(OPTION, key);
        return unfit.at(place.clone(), "it is declared here");
    }
    let keys: Vec<_> = known.iter().map(|constant| constant.key.as_str()).collect();
    let help = match keys.as_slice() {
        [] => "it has none: an `override` declares one".to_owned(),
        keys => format!("it has {}", keys.join(", ")),
    };
    Unfit::new(format!("the shader has no constant `{key}`")).help(help).said(OPTION, key)
}

fn range(ty: &str) -> String {
    match ty {
        "bool" => "true or false".to_owned(),
        "i32" => format!("{} to {}", i32::MIN, i32::MAX),
        "u32" => format!("0 to {}", u32::MAX),
        _ => "a finite number that is no larger than the type holds".to_owned(),
    }
}

/// The constants of a module, each by its `SpecId` and its bits.
pub(super) fn of_module(judge: &Judge, words: &[u32]) -> Result<Vec<(u32, u64)>, NoShader> {
    if judge.constants.is_empty() {
        return Ok(Vec::new());
    }
    let known = specializations(words);
    let has = || match known.as_slice() {
        [] => "it has none".to_owned(),
        known => {
            let known: Vec<_> = known.iter().map(|(id, _)| id.to_string()).collect();
            format!("it has {}", known.join(", "))
        }
    };
    let mut given = Vec::new();
    for (key, value) in &judge.constants {
        let Ok(id) = key.parse::<u32>() else {
            let unfit =
                Unfit::new(format!("`{key}` is no SpecId: constants of modules have numbers"));
            return asked(unfit.help(has()).said(OPTION, key));
        };
        let Some((_, ty)) = known.iter().find(|(known, _)| *known == id) else {
            let unfit = Unfit::new(format!("the module has no constant with the SpecId {id}"));
            return asked(unfit.help(has()).said(OPTION, key));
        };
        let Some(bits) = bits(*value, *ty) else {
            let (ty, help) = named(*ty);
            let unfit = Unfit::new(format!("the constant {id} is {ty}, which has no {value}"));
            return asked(unfit.help(help).said(OPTION, key));
        };
        given.push((id, bits));
    }
    once(given.iter().zip(&judge.constants).map(|((id, _), (key, _))| (*id, key)))?;
    Ok(given)
}

/// The bits of a value of this type, if it is one.
fn bits(value: f64, ty: Specialized) -> Option<u64> {
    match ty {
        Specialized::Bool => (value == 0.0 || value == 1.0).then_some(u64::from(value == 1.0)),
        Specialized::Int { width, signed } => {
            let (least, most) = limits(width, signed);
            let whole = value.fract() == 0.0 && (-2f64.powi(63)..2f64.powi(64)).contains(&value);
            let number = value as i128;
            let mask = u64::MAX >> (64 - width.clamp(1, 64));
            (whole && (least..=most).contains(&number)).then_some(number as u64 & mask)
        }
        Specialized::Float(16) => {
            let bits = half::to_bits(value);
            half::from_bits(bits).is_finite().then_some(u64::from(bits))
        }
        Specialized::Float(64) => value.is_finite().then_some(value.to_bits()),
        Specialized::Float(_) => {
            (value as f32).is_finite().then_some(u64::from((value as f32).to_bits()))
        }
    }
}

/// The least and the greatest integer.
fn limits(width: u32, signed: bool) -> (i128, i128) {
    let width = width.clamp(1, 64);
    match signed {
        true => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => (0, (1 << width) - 1),
    }
}

/// What a type is called, and its values.
fn named(ty: Specialized) -> (String, String) {
    match ty {
        Specialized::Bool => ("a truth value".to_owned(), "true or false".to_owned()),
        Specialized::Int { width, signed } => {
            let (least, most) = limits(width, signed);
            let sign = if signed { "with" } else { "without" };
            (format!("an integer of {width} bits {sign} sign"), format!("{least} to {most}"))
        }
        Specialized::Float(width) => (
            format!("a float of {width} bits"),
            "a finite number that is no larger than the type holds".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::bits;
    use reference::spirv::parse::outline::Specialized::{Bool, Float, Int};

    #[test]
    fn values_are_those_of_their_types() {
        let (i8, u32) = (Int { width: 8, signed: true }, Int { width: 32, signed: false });
        for (value, ty, expected) in [
            (1.0, Bool, Some(1)),
            (2.0, Bool, None),
            (-1.0, i8, Some(255)),
            (128.0, i8, None),
            (4294967295.0, u32, Some(4294967295)),
            (-1.0, u32, None),
            (1.5, u32, None),
            (f64::NAN, u32, None),
            (3.0, Float(32), Some(0x4040_0000)),
            (1e39, Float(32), None),
            (0.5, Float(16), Some(0x3800)),
            (70000.0, Float(16), None),
            (0.5, Float(64), Some(0x3fe0_0000_0000_0000)),
            (-9.3e18, Int { width: 64, signed: true }, None),
        ] {
            assert_eq!(bits(value, ty), expected, "{value} {ty:?}");
        }
    }
}
