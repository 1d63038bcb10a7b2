//! Writes patched files in the places of the old ones.
//!
//! In: files as they were read and as they are to be. Out: all of them changed. What must not happen here: a file that is
//! half written, one that has changed since it was read, or one with other permissions than before.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};

use super::proposals::Patched;
use crate::messages::Failure;
use crate::words::fix as words;

/// Writes all, or none if one of them cannot be.
pub(crate) fn write(files: &[Patched]) -> Result<(), Failure> {
    let mut ready = Vec::new();
    for file in files {
        let prepared = prepare(file);
        match prepared {
            Ok(pair) => ready.push((pair, file)),
            Err(failure) => {
                drop_all(&ready);
                return Err(failure);
            }
        }
    }
    let changed =
        ready.iter().find(|(_, file)| fs::read(&file.path).ok().as_deref() != Some(file.before.as_bytes()));
    if let Some((_, file)) = changed {
        let shown = file.shown.clone();
        drop_all(&ready);
        return Err(words::changed_meanwhile(&shown));
    }
    for ((new, target), file) in &ready {
        fs::rename(new, target).map_err(|error| words::cannot_write(&file.shown, &error))?;
    }
    Ok(())
}

/// A file beside the old one with the new text; and where it is to go: to what a link leads to, not in the link's place.
fn prepare(file: &Patched) -> Result<(PathBuf, PathBuf), Failure> {
    let failed = |error: io::Error| words::cannot_write(&file.shown, &error);
    let target = file.path.canonicalize().map_err(failed)?;
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let new = target.with_file_name(format!(".{name}.nilometer-{}", std::process::id()));
    fill(&new, &target, file.after.as_bytes()).map_err(|error| {
        fs::remove_file(&new).unwrap_or_default();
        failed(error)
    })?;
    Ok((new, target))
}

fn fill(new: &Path, target: &Path, text: &[u8]) -> io::Result<()> {
    let old = fs::metadata(target)?;
    if old.permissions().readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, words::READ_ONLY));
    }
    let mut file = File::options().write(true).create_new(true).open(new)?;
    file.write_all(text)?;
    let made = file.metadata()?;
    if (made.uid(), made.gid()) != (old.uid(), old.gid()) {
        chown(new, Some(old.uid()), Some(old.gid()))?;
    }
    file.set_permissions(old.permissions())?;
    file.sync_all()
}

fn drop_all(ready: &[((PathBuf, PathBuf), &Patched)]) {
    for ((new, _), _) in ready {
        fs::remove_file(new).unwrap_or_default();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn patched(path: &Path) -> Patched {
        let text = |text: &str| text.to_owned();
        Patched { path: path.to_path_buf(), shown: text("a.py"), before: text("old\n"), after: text("new\n") }
    }

    #[test]
    fn permissions_and_links_stay() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.py"), folder.path().join("link.py"));
        fs::write(&path, "old\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        assert!(write(&[patched(&link)]).is_ok());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_file_that_changed_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("a.py"), folder.path().join("b.py"));
        fs::write(&one, "old\n").unwrap();
        fs::write(&two, "mine\n").unwrap();
        assert!(write(&[patched(&one), patched(&two)]).is_err());
        assert_eq!(fs::read_to_string(&one).unwrap(), "old\n");
        assert_eq!(fs::read_to_string(&two).unwrap(), "mine\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
