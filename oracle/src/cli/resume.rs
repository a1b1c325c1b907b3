//! `lockstep fuzz --resume`: the campaign that goes on, and its options.

use super::fuzz::Args;
use super::options::{self, Deciding, WorkAround};
use super::problem::Problem;
use crate::VERSION;
use crate::campaign::Settings;
use crate::campaign::state::{FILE, Options, State, Unusable};
use crate::language::Lang;
use compiler::emit::workarounds::Workarounds;
use reference::kit::decisions::Policy;
use std::path::{Path, PathBuf};

/// Has the folder a campaign?
pub(super) fn has_campaign(folder: &Path) -> bool {
    folder.join(FILE).exists()
}

/// Is there a campaign to go on with? If not, no empty folder is made.
pub(super) fn is_there(folder: &Path) -> Result<(), Problem> {
    if has_campaign(folder) { Ok(()) } else { Err(unusable(folder, &Unusable::Missing)) }
}

/// The campaign that goes on. What the command line does not say it takes from there.
pub(super) fn campaign(args: &mut Args) -> Result<State, Problem> {
    let state = State::read(&args.findings).map_err(|error| unusable(&args.findings, &error))?;
    let kept = &state.options;
    let folder = args.findings.clone();
    let differs = |option: &str, said: &str, kept: &str| differs(&folder, option, said, kept);
    match args.seed.replace(kept.seed) {
        Some(said) if said != kept.seed => {
            return Err(differs("--seed", &said.to_string(), &kept.seed.to_string()));
        }
        _ => {}
    }
    let first = state.position.first;
    match args.first.replace(first) {
        Some(said) if said != first => {
            return Err(differs("--first", &said.to_string(), &first.to_string()));
        }
        _ => {}
    }
    let said = std::mem::replace(&mut args.adapters.engines, kept.engines.clone());
    if !said.is_empty() && said != kept.engines {
        return Err(differs("--engines", &said.join(","), &kept.engines.join(",")));
    }
    let said = std::mem::replace(&mut args.language, kept.language);
    if let Some(said) = said.filter(|said| Some(*said) != kept.language) {
        let kept = kept.language.map(Lang::name).unwrap_or_default();
        return Err(differs("--language", said.name(), kept));
    }
    let options: Vec<String> =
        kept.settings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let said = std::mem::replace(&mut args.set, options);
    if !said.is_empty() && said != args.set {
        return Err(differs("--set", &said.join(" "), &args.set.join(" ")));
    }
    let damaged = |text: String| unusable(&folder, &Unusable::Damaged(text));
    let kept_sources = &kept.sources;
    let named = |paths: &[PathBuf]| {
        paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" ")
    };
    let said = std::mem::replace(&mut args.files, kept_sources.files.clone());
    if !said.is_empty() && said != kept_sources.files {
        return Err(differs("the files", &named(&said), &named(&kept_sources.files)));
    }
    let said = std::mem::replace(&mut args.seeds, kept_sources.folders.clone());
    if !said.is_empty() && said != kept_sources.folders {
        return Err(differs("--seeds", &named(&said), &named(&kept_sources.folders)));
    }
    args.mutate = kept_sources.mutate;
    let share = (args.files.is_empty()).then_some(kept_sources.share);
    if let Some(said) =
        std::mem::replace(&mut args.mutants, share).filter(|said| Some(*said) != share)
    {
        return Err(differs("--mutants", &said.to_string(), &kept_sources.share.to_string()));
    }
    let optimize = Some(kept.optimize);
    if let Some(said) =
        std::mem::replace(&mut args.optimize, optimize).filter(|said| Some(*said) != optimize)
    {
        return Err(differs("--optimize", &said.to_string(), &kept.optimize.to_string()));
    }
    let style = kept.style.as_deref().map(options::style).transpose().map_err(damaged)?;
    if let Some(said) = args.style.filter(|said| Some(*said) != style) {
        let kept = kept.style.as_deref().unwrap_or_default();
        return Err(differs("--style", &said.to_string(), kept));
    }
    args.style = style;
    let workarounds = Workarounds::named(&kept.workarounds)
        .ok_or_else(|| damaged(format!("`{}` are no workarounds", kept.workarounds)))?;
    let said: Option<Workarounds> = args.workarounds.map(Into::into);
    if let Some(said) = said.filter(|said| *said != workarounds) {
        return Err(differs("--workarounds", said.name(), workarounds.name()));
    }
    args.workarounds = Some(WorkAround::from(workarounds));
    let kept = Policy { chaos: kept.chaos, limit: kept.decisions };
    let said = std::mem::replace(
        &mut args.deciding,
        Deciding { chaos: kept.chaos, decisions: kept.limit },
    );
    let both = [("--chaos", said.chaos, kept.chaos), ("--decisions", said.decisions, kept.limit)];
    for (option, said, kept) in both {
        if let Some(said) = said.filter(|said| Some(*said) != kept) {
            let kept = kept.map(|kept| kept.to_string()).unwrap_or_default();
            return Err(differs(option, &said.to_string(), &kept));
        }
    }
    Ok(state)
}

/// The programs that mutants are made of are those of the campaign that goes on.
pub(super) fn same_sources(settings: &Settings, state: &State) -> Result<(), Problem> {
    let (here, kept) = (settings.sources.origins(), &state.options.sources);
    if here.digest == kept.digest {
        return Ok(());
    }
    let told = |digest: u64| format!("programs of digest {digest:016x}");
    Err(differs(
        &settings.findings,
        "what mutants are made of",
        &told(here.digest),
        &told(kept.digest),
    ))
}

/// The adapters at hand are those of the campaign that goes on: what it counts of them is theirs.
pub(super) fn same_adapters(settings: &Settings, state: &State) -> Result<(), Problem> {
    let here = Options::of(settings).adapters;
    let kept = &state.options.adapters;
    if here == *kept {
        return Ok(());
    }
    let list = |adapters: &[String]| match adapters {
        [] => "none".to_owned(),
        adapters => adapters.join(", "),
    };
    Err(differs(&settings.findings, "the adapters", &list(&here), &list(kept)))
}

fn differs(folder: &Path, option: &str, said: &str, kept: &str) -> Problem {
    let or_none = |text: &str| if text.is_empty() { "none".to_owned() } else { text.to_owned() };
    Problem::new(format!(
        "{} is of a campaign with other options: {option}: {} there, {} here",
        folder.join(FILE).display(),
        or_none(kept),
        or_none(said)
    ))
    .help("with --restart a campaign starts anew; --findings names another folder for it")
}

fn unusable(folder: &Path, error: &Unusable) -> Problem {
    let problem = Problem::new(format!(
        "there is no campaign in {} that could go on: {FILE}: {error}",
        folder.display()
    ));
    match error {
        Unusable::Missing | Unusable::Unreadable(_) => {
            problem.help("`lockstep fuzz` starts one; --findings names the folder of another")
        }
        Unusable::Damaged(_) => problem.help(
            "the findings beside it are whole; with --restart a campaign starts anew, and \
             --seed and --first let it start where this one may have been",
        ),
        Unusable::Version(_) => problem.help(format!(
            "programs of a number differ between versions; with --restart a campaign of {VERSION} \
             starts anew"
        )),
        Unusable::Draws => problem.help(
            "programs of a number differ between builds whose generators do; with --restart a \
             campaign of this one starts anew",
        ),
    }
}
