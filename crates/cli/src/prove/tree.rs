//! A copy of a folder for a program to run in.
//!
//! In: a folder, what to leave out, how much is too much. Out: a copy, in which big files and foreign environments are
//! links where nothing can be written through them. What must not happen here: a byte written to the folder itself.

use std::fs::{self, FileType};
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Files of this size are linked instead of copied, where that is safe.
const MIN_LINKED_BYTES: u64 = 8 << 20;
/// Bytes that are copied without being asked.
const MAX_COPIED_BYTES: u64 = 1 << 30;
/// Files that are copied without being asked.
const MAX_COPIED_FILES: u64 = 50_000;
/// Folders that a program has no business to change.
const FOREIGN: [&str; 5] = [".git", ".hg", "node_modules", ".venv", "venv"];
/// What nobody needs a copy of.
const SKIPPED_FOLDERS: [&str; 4] = ["__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache"];

/// Folders of earlier commands.
const OURS: [&str; 2] = ["nilometer-prove-", "nilometer-plan-"];

/// How to copy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct How {
    /// Nothing can be written through a link: the kernel sees to it.
    pub(crate) links: bool,
    /// Any amount.
    pub(crate) all: bool,
}

/// Why there is no copy.
#[derive(Debug)]
pub(crate) enum NoCopy {
    TooMuch,
    Failed(PathBuf, io::Error),
}

/// Copies the folder `from` to `to`, which must not be there yet; without `except`.
pub(crate) fn copy(from: &Path, to: &Path, except: &[&Path], how: How) -> Result<(), NoCopy> {
    let mut copier = Copier { how, except, bytes: 0, files: 0 };
    copier.folder(from, to)
}

/// Folders above a copied one that are there for its program too.
const LINKED_PARENTS: usize = 2;
/// Entries of such a folder that are linked at most.
const MAX_LINKS: usize = 2000;

/// Where the copy of `folder` goes below `root`: as deep as it takes for `..` and `../..` to be there, with links to what
/// is in them. The folders above the copy are made, the copy is not.
pub(crate) fn with_neighbours(folder: &Path, root: &Path, how: How) -> io::Result<PathBuf> {
    let mut names = Vec::new();
    let mut at = folder;
    for _ in 0..=LINKED_PARENTS {
        let (Some(name), Some(above)) = (at.file_name(), at.parent()) else { break };
        names.push((name.to_owned(), above));
        at = above;
    }
    let mut to = root.to_path_buf();
    fs::create_dir_all(&to)?;
    let Some((own, _)) = names.first().cloned() else { return Ok(to.join("root")) };
    // The outermost name stands for itself only: its neighbours are beyond what is mirrored.
    for (i, (name, above)) in names.iter().enumerate().rev() {
        if i < LINKED_PARENTS && how.links {
            link_all(above, &to, name)?;
        }
        to.push(name);
        if i > 0 {
            fs::create_dir_all(&to)?;
        }
    }
    debug_assert_eq!(to.file_name(), Some(own.as_os_str()));
    Ok(to)
}

/// Links to all that is in a folder but one.
fn link_all(from: &Path, to: &Path, except: &std::ffi::OsStr) -> io::Result<()> {
    // What cannot be listed cannot be reached by the program either, but by a name it knows; that is rare.
    let Ok(entries) = fs::read_dir(from) else { return Ok(()) };
    for entry in entries.flatten().take(MAX_LINKS).filter(|entry| entry.file_name() != except) {
        symlink(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

struct Copier<'a> {
    how: How,
    except: &'a [&'a Path],
    bytes: u64,
    files: u64,
}

impl Copier<'_> {
    fn folder(&mut self, from: &Path, to: &Path) -> Result<(), NoCopy> {
        let failed = |error| NoCopy::Failed(from.to_path_buf(), error);
        fs::create_dir(to).map_err(failed)?;
        for entry in fs::read_dir(from).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            self.entry(&entry.path(), kind, &to.join(entry.file_name()))?;
        }
        Ok(())
    }

    fn entry(&mut self, from: &Path, kind: FileType, to: &Path) -> Result<(), NoCopy> {
        let failed = |error| NoCopy::Failed(from.to_path_buf(), error);
        let name = from.file_name().unwrap_or_default().to_string_lossy();
        if self.except.contains(&from)
            || SKIPPED_FOLDERS.contains(&name.as_ref())
            || OURS.iter().any(|ours| name.starts_with(ours))
        {
            return Ok(());
        }
        if kind.is_symlink() {
            let target = fs::read_link(from).map_err(failed)?;
            return symlink(target, to).map_err(failed);
        }
        if kind.is_dir() {
            if FOREIGN.contains(&name.as_ref()) || from.join("pyvenv.cfg").exists() {
                return if self.how.links { symlink(from, to).map_err(failed) } else { Ok(()) };
            }
            return self.folder(from, to);
        }
        if !kind.is_file() || name.ends_with(".nilo") {
            return Ok(()); // a socket or a pipe: of another process
        }
        let bytes = from.metadata().map_err(failed)?.len();
        if self.how.links && bytes >= MIN_LINKED_BYTES {
            return symlink(from, to).map_err(failed);
        }
        self.bytes += bytes;
        self.files += 1;
        if !self.how.all && (self.bytes > MAX_COPIED_BYTES || self.files > MAX_COPIED_FILES) {
            return Err(NoCopy::TooMuch);
        }
        match fs::copy(from, to) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()), // the program cannot read it either
            other => other.map(|_| ()).map_err(failed),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn made(big: bool) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir_all(path.join("from/src")).unwrap();
        fs::create_dir_all(path.join("from/.git")).unwrap();
        fs::create_dir_all(path.join("from/mine")).unwrap();
        fs::write(path.join("from/mine/pyvenv.cfg"), "").unwrap();
        fs::write(path.join("from/src/a.py"), "a").unwrap();
        fs::write(path.join("from/old.nilo"), "x").unwrap();
        symlink("src/a.py", path.join("from/link.py")).unwrap();
        if big {
            fs::File::create(path.join("from/big")).unwrap().set_len(MIN_LINKED_BYTES).unwrap();
        }
        folder
    }

    #[test]
    fn what_is_the_programs_is_copied_and_the_rest_is_linked() {
        let folder = made(true);
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        copy(&from, &to, &[], How { links: true, all: false }).unwrap();
        assert_eq!(fs::read_to_string(to.join("link.py")).unwrap(), "a");
        assert!(!to.join("src/a.py").is_symlink() && !to.join("old.nilo").exists());
        for linked in [".git", "mine", "big"] {
            assert_eq!(fs::read_link(to.join(linked)).unwrap(), from.join(linked), "{linked}");
        }
    }

    #[test]
    fn what_lies_beside_the_folder_can_be_read_from_the_copy() {
        let folder = made(false);
        let from = folder.path().join("from/src");
        fs::create_dir(folder.path().join("data")).unwrap();
        fs::write(folder.path().join("data/x"), "far").unwrap();
        let how = How { links: true, all: false };
        let root = folder.path().join("root");
        let to = with_neighbours(&from, &root, how).unwrap();
        copy(&from, &to, &[], how).unwrap();
        assert_eq!(fs::read_to_string(to.join("../../data/x")).unwrap(), "far");
        assert_eq!(fs::read_to_string(to.join("../link.py")).unwrap(), "a");
        assert_eq!(fs::read_to_string(to.join("a.py")).unwrap(), "a");
        assert!(!to.join("..").join("src").is_symlink());
    }

    #[test]
    fn folders_near_the_root_have_fewer_neighbours() {
        let root = tempfile::tempdir().unwrap();
        let how = How { links: true, all: false };
        let to = with_neighbours(Path::new("/etc"), &root.path().join("tree"), how).unwrap();
        assert_eq!(to, root.path().join("tree/etc"));
        assert_eq!(fs::read_link(root.path().join("tree/usr")).unwrap(), Path::new("/usr"));
        let to = with_neighbours(Path::new("/"), &root.path().join("whole"), how).unwrap();
        assert_eq!(to, root.path().join("whole/root"));
        fs::create_dir(to).unwrap();
    }

    #[test]
    fn without_a_fence_nothing_leads_back() {
        let folder = made(true);
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        copy(&from, &to, &[&from.join("src")], How { links: false, all: false }).unwrap();
        assert!(!to.join("big").is_symlink() && to.join("big").exists());
        assert!(!to.join(".git").exists() && !to.join("src").exists());
    }

    #[test]
    fn too_much_is_refused_unless_asked_for() {
        let folder = made(false);
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::File::create(from.join("sparse")).unwrap().set_len(MAX_COPIED_BYTES + 1).unwrap();
        let how = How { links: false, all: false };
        assert!(matches!(copy(&from, &to, &[], how), Err(NoCopy::TooMuch)));
    }
}
