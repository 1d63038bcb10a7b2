//! How a program names the files that it shares with this command: as we do, or in a view of its own.
//!
//! A container, a service with a private `/tmp` and a changed root see other files under the same names. In: the process and
//! our package. Out: [`View`], which says each path in both ways. Where the views differ, the package is copied into the
//! program's `/tmp`, where it stays: the program loads modules from it as long as it lives.
//! What must not happen here: a path of the program's that we follow into our own files, or a file of ours that others may
//! change before the program runs it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::messages::Failure;
use crate::words::attach as words;

/// The folder in the program's `/tmp`; a number follows.
const NAME: &str = "nilometer-attach-";
/// The package's name in it.
const PACKAGE: &str = "nilometer";
/// Held by descriptor, as a program that ends takes `/proc/PID/root` with it. A link is not followed: it would lead to our files.
const FOLDER: i32 = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW;

/// The files of one program.
pub(crate) struct View {
    /// Our package, by the path that we use.
    pub(crate) package: PathBuf,
    /// Where scripts and answers go, by the path that we use.
    pub(crate) folder: PathBuf,
    carried: Option<Carried>,
}

/// A folder in the program's view.
struct Carried {
    pid: u32,
    /// The program's `/tmp`, and the folder in it.
    tmp: File,
    name: String,
    _folder: File,
    /// How we name it, and how the program does.
    here: PathBuf,
    there: PathBuf,
}

impl View {
    /// The view of a program; our package is copied into it where it is not ours.
    pub(crate) fn of(pid: u32, is_ours: bool, package: PathBuf) -> Result<Self, Failure> {
        if is_ours {
            return Ok(Self { package, folder: std::env::temp_dir(), carried: None });
        }
        let carried = Carried::of(pid, &package).map_err(|error| words::other_files(pid, &error))?;
        let here = carried.here.clone();
        Ok(Self { package: here.join(PACKAGE), folder: here, carried: Some(carried) })
    }

    /// How the program names a file that we name like this.
    pub(crate) fn there(&self, here: &Path) -> PathBuf {
        let Some(carried) = &self.carried else { return here.to_path_buf() };
        here.strip_prefix(&carried.here)
            .map_or_else(|_outside| here.to_path_buf(), |rest| carried.there.join(rest))
    }

    /// The folder in which the program can write a capture, if it cannot write where we can.
    pub(crate) fn own_folder(&self) -> Option<&Path> {
        self.carried.as_ref().map(|carried| carried.here.as_path())
    }
}

impl Carried {
    /// The folder of an earlier attach to this process, or a new one.
    fn of(pid: u32, package: &Path) -> io::Result<Self> {
        let tmp = folder(Path::new(&format!("/proc/{pid}/root/tmp")))?;
        let inside = PathBuf::from(format!("/proc/self/fd/{}", tmp.as_raw_fd()));
        let earlier = loaded_from(pid).filter(|name| inside.join(name).join(PACKAGE).is_dir());
        let name = earlier.map_or_else(|| carry(package, &inside), Ok)?;
        let folder = folder(&inside.join(&name))?;
        let about = folder.metadata()?;
        if about.uid() != crate::supervisor::kernel::effective_ids().0 || about.mode() & 0o022 != 0 {
            return Err(io::Error::other(words::NOT_OURS));
        }
        let here = PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()));
        let there = Path::new("/tmp").join(&name);
        Ok(Self { pid, tmp, name, _folder: folder, here, there })
    }
}

/// Opens a folder, and nothing that leads to one.
fn folder(path: &Path) -> io::Result<File> {
    File::options().read(true).custom_flags(FOLDER).open(path)
}

/// Copies the package into a new folder of this one; the folder's name.
fn carry(package: &Path, into: &Path) -> io::Result<String> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let name = format!("{NAME}{since:x}");
    let folder = into.join(&name);
    // Closed until it is whole.
    DirBuilder::new().mode(0o700).create(&folder)?;
    copy(package, &folder.join(PACKAGE))?;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))?;
    Ok(name)
}

/// The folder from which this process has loaded our package, if it came from an earlier attach.
fn loaded_from(pid: u32) -> Option<String> {
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).ok()?;
    let at = maps.find(&format!("/{NAME}"))? + 1;
    maps.get(at..)?.split('/').next().map(str::to_owned)
}

/// Copies a folder with all that is in it but byte code; links are left out.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o755))?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (kind, name) = (entry.file_type()?, entry.file_name());
        if kind.is_dir() && name != "__pycache__" {
            copy(&entry.path(), &to.join(name))?;
        } else if kind.is_file() {
            let mut target = OpenOptions::new().write(true).create_new(true).open(to.join(name))?;
            io::copy(&mut File::open(entry.path())?, &mut target)?;
            // Whatever our umask is: the program may be another user's.
            target.set_permissions(fs::Permissions::from_mode(0o644))?;
        }
    }
    Ok(())
}

impl Drop for Carried {
    /// A program that has loaded our package goes on to use it; else the folder goes.
    fn drop(&mut self) {
        if loaded_from(self.pid).as_ref() != Some(&self.name) {
            let folder = format!("/proc/self/fd/{}/{}", self.tmp.as_raw_fd(), self.name);
            fs::remove_dir_all(folder).unwrap_or_default();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    #[test]
    fn a_view_like_ours_changes_no_path() {
        let view = View::of(std::process::id(), true, PathBuf::from("/p")).unwrap();
        assert_eq!(view.there(Path::new("/a/b")), Path::new("/a/b"));
        assert_eq!((view.package.as_path(), view.own_folder()), (Path::new("/p"), None));
    }

    #[test]
    fn a_link_in_the_place_of_tmp_is_not_followed() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink("elsewhere", root.path().join("tmp")).unwrap();
        assert!(folder(&root.path().join("elsewhere")).is_ok());
        assert!(folder(&root.path().join("tmp")).is_err());
    }

    #[test]
    fn a_package_is_carried_and_goes_where_nobody_loaded_it() {
        let source = tempfile::tempdir().unwrap();
        fs::create_dir_all(source.path().join("a/__pycache__")).unwrap();
        fs::write(source.path().join("a/b.py"), "1").unwrap();
        std::os::unix::fs::symlink("/etc/passwd", source.path().join("link")).unwrap();
        let view = View::of(std::process::id(), false, source.path().to_path_buf()).unwrap();
        let there = view.there(&view.package);
        assert!(there.starts_with("/tmp") && there.ends_with(PACKAGE));
        assert_eq!(fs::read_to_string(there.join("a/b.py")).unwrap(), "1");
        assert!(!there.join("a/__pycache__").exists() && !there.join("link").exists());
        assert_eq!(fs::metadata(there.join("a/b.py")).unwrap().mode() & 0o777, 0o644);
        drop(view);
        assert!(!there.exists());
    }
}
