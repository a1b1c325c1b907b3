//! Files that are there whole or not at all, whatever happens to this process, and the folder that
//! they stand in.

use same_file::Handle;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What the names of unfinished files start and end with: they are left out where programs are looked for.
const UNFINISHED: (&str, &str) = (".", ".unfinished");

/// The file whose lock says that a campaign has the folder.
const LOCK: &str = ".lock";

/// The folder beside the findings that holds flakes, and what was not looked for alone yet.
pub(super) const ASIDE: &str = "flaky";

/// Writes a file into a folder, which is made if it is not there, in the place of what had its
/// name.
///
/// # Errors
/// The folder or file cannot be written.
pub fn write(folder: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    make(folder)?;
    let path = folder.join(name);
    replace(&path, text)?;
    Ok(path)
}

/// Writes a file in the place of what had its name: under another one, to the disk, and then under
/// its own.
///
/// # Errors
/// It cannot be written.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = unfinished(path);
    let written = File::create(&unfinished).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&unfinished, path)
    });
    if let Err(error) = written {
        let _ = fs::remove_file(&unfinished);
        return Err(error);
    }
    path.parent().into_iter().for_each(sync);
    Ok(())
}

/// Where the text of a file stands until it is whole.
fn unfinished(path: &Path) -> PathBuf {
    let (before, behind) = UNFINISHED;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{before}{name}.{}{behind}", std::process::id()))
}

/// Can [`replace`] write this file? Leaves everything as it is.
///
/// # Errors
/// It cannot.
pub fn attempt(path: &Path) -> io::Result<()> {
    let unfinished = unfinished(path);
    File::create(&unfinished)?;
    fs::remove_file(&unfinished)
}

/// Takes a file away.
///
/// # Errors
/// It cannot be taken away; that it is not there is none.
pub fn remove(folder: &Path, name: &str) -> io::Result<()> {
    match fs::remove_file(folder.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => {
            sync(folder);
            Ok(())
        }
    }
}

fn make(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    folder.parent().into_iter().for_each(sync);
    Ok(())
}

/// A name is on the disk when its folder is. Not every system opens a folder.
fn sync(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// A folder that no other campaign writes to as long as this is there. The system takes the lock
/// back with the process, however that ends.
#[derive(Debug)]
pub struct Claim {
    _lock: Option<File>,
    /// The file of the lock, and where it lies.
    handle: Handle,
    path: PathBuf,
}

/// Why a folder cannot be claimed.
#[derive(Debug, thiserror::Error)]
pub enum Unclaimed {
    /// Another campaign has it.
    #[error("another campaign writes to it")]
    Taken,
    /// It cannot be written.
    #[error(transparent)]
    Unwritable(#[from] io::Error),
}

impl Claim {
    /// Claims a folder, which is made if it is not there, and takes away what a campaign that was
    /// killed left unfinished in it.
    ///
    /// # Errors
    /// Another campaign has it, or it takes no files.
    pub fn of(folder: &Path) -> Result<Claim, Unclaimed> {
        make(folder)?;
        let path = folder.join(LOCK);
        let lock = File::options().write(true).create(true).truncate(false).open(&path)?;
        let handle = Handle::from_file(lock.try_clone()?)?;
        let lock = match lock.try_lock() {
            Ok(()) => Some(lock),
            Err(TryLockError::WouldBlock) => return Err(Unclaimed::Taken),
            // Some file systems have no locks: there two campaigns on one folder are not told apart.
            Err(TryLockError::Error(_)) => None,
        };
        // A lock may be had where nothing can be written.
        write(folder, ".attempt", "")?;
        remove(folder, ".attempt")?;
        clean(folder)?;
        let aside = folder.join(ASIDE);
        if aside.is_dir() {
            clean(&aside)?;
        }
        Ok(Claim { _lock: lock, handle, path })
    }

    /// Is the folder still the one that was claimed? Somebody may have removed it, and another campaign may have
    /// made it again.
    pub fn is_held(&self) -> bool {
        Handle::from_path(&self.path).is_ok_and(|handle| handle == self.handle)
    }
}

/// Takes unfinished files away. Folders in it may be those of other campaigns.
fn clean(folder: &Path) -> io::Result<()> {
    let (before, behind) = UNFINISHED;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !entry.file_type()?.is_dir() && name.starts_with(before) && name.ends_with(behind) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Claim, Unclaimed, remove, write};
    use std::fs;
    use tempfile::TempDir;

    #[test]
    fn a_file_takes_the_place_of_another() {
        let folder = TempDir::new().expect("a folder");
        let inner = folder.path().join("a/b");
        for text in ["one", "two"] {
            let path = write(&inner, "x.fun", text).expect("it can be written");
            assert_eq!(fs::read_to_string(path).expect("it is there"), text);
        }
        assert_eq!(fs::read_dir(&inner).expect("it is there").count(), 1);
        remove(&inner, "x.fun").expect("it is there");
        remove(&inner, "x.fun").expect("that it is gone is no error");
    }

    #[test]
    fn one_campaign_has_a_folder_at_a_time_and_cleans_it() {
        let folder = TempDir::new().expect("a folder");
        let flaky = folder.path().join("flaky");
        let other = folder.path().join("other/flaky");
        for folder in [&flaky, &other] {
            fs::create_dir_all(folder).expect("it can be made");
        }
        let left =
            [folder.path().join(".value.fun.1.unfinished"), flaky.join(".value.fun.1.unfinished")];
        let kept = [
            folder.path().join("value.fun"),
            folder.path().join(".gitignore"),
            // Another campaign may be writing these.
            folder.path().join("other/.value.fun.1.unfinished"),
            other.join(".value.fun.1.unfinished"),
        ];
        for path in left.iter().chain(&kept) {
            fs::write(path, "half").expect("it can be written");
        }
        let claim = Claim::of(folder.path()).expect("nobody has it");
        assert!(left.iter().all(|path| !path.exists()) && kept.iter().all(|path| path.exists()));
        assert!(matches!(Claim::of(folder.path()), Err(Unclaimed::Taken)));
        assert!(claim.is_held());
        drop(claim);
        let claim = Claim::of(folder.path()).expect("nobody has it any more");
        fs::remove_dir_all(folder.path()).expect("it is there");
        assert!(!claim.is_held(), "it is gone");
        let second = Claim::of(folder.path()).expect("nobody has the new one");
        assert!(second.is_held() && !claim.is_held(), "it is another one");
    }
}
