//! The script that a program is sent, and the answer that it writes: files in a folder of their own.
//!
//! In: the process, and what is to be done in it. Out: its answer. What must not happen here: a folder that others can write
//! to, or one that stays.

use std::fs::{self, DirBuilder};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::view::View;
use crate::messages::Failure;
use crate::supervisor::kernel;
use crate::words::attach as words;

/// More of an answer nobody reads.
const MAX_ANSWER_BYTES: u64 = 4096;

/// The script's name in its folder.
const SCRIPT: &str = "script.py";

/// A script on its way, in its folder.
pub(crate) struct Errand {
    folder: PathBuf,
    /// The script, as the program names it.
    script_there: PathBuf,
}

impl Errand {
    /// Writes the script for a process: `view` says where its files lie, `call` is its last line, in which `{answer}` stands for
    /// the file that it answers with.
    pub(crate) fn new(pid: u32, view: &View, call: &str) -> Result<Self, Failure> {
        let failed = |what: &Path, error: std::io::Error| words::no_place(what, &error);
        let source = view.package.join("_boot/late.py");
        let text = fs::read_to_string(&source).map_err(|error| words::no_script(&source, &error))?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let folder = view.folder.join(format!("nilometer-attach-{pid}-{since:x}"));
        DirBuilder::new().mode(0o700).create(&folder).map_err(|error| failed(&folder, error))?;
        let script = folder.join(SCRIPT);
        let errand = Self { script_there: view.there(&script), folder };
        let call = call.replace("{answer}", &literal(&view.there(&errand.answer_path()).to_string_lossy()));
        fs::write(&script, format!("{text}\n\n{call}\n")).map_err(|error| failed(&script, error))?;
        // The program reads and answers as its own user.
        give(&script, pid).map_err(|error| failed(&script, error))?;
        give(&errand.folder, pid).map_err(|error| failed(&errand.folder, error))?;
        Ok(errand)
    }

    /// The script's file, as the program names it.
    pub(crate) fn script(&self) -> &Path {
        &self.script_there
    }

    fn answer_path(&self) -> PathBuf {
        self.folder.join("answer")
    }

    /// What the program answered, once it has: `ok` or why not.
    pub(crate) fn answer(&self) -> Option<String> {
        let options =
            fs::OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).to_owned();
        let file = match options.open(self.answer_path()) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => return Some(error.to_string()),
        };
        let mut bytes = Vec::new();
        match file.take(MAX_ANSWER_BYTES).read_to_end(&mut bytes) {
            Ok(_) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Err(error) => Some(error.to_string()),
        }
    }
}

impl Drop for Errand {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).unwrap_or_default();
    }
}

/// Makes a file the property of a process' user, where that is another one than ours.
pub(crate) fn give(path: &Path, pid: u32) -> std::io::Result<()> {
    let owner = fs::metadata(format!("/proc/{pid}"))?;
    if (owner.uid(), owner.gid()) == kernel::effective_ids() {
        return Ok(());
    }
    chown(path, Some(owner.uid()), Some(owner.gid()))
}

/// A text as Python writes it.
pub(crate) fn literal(text: &str) -> String {
    let mut quoted = String::from("'");
    for letter in text.chars() {
        match letter {
            '\'' | '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => quoted.push_str(&format!("\\x{:02x}", u32::from(letter))),
            letter => quoted.push(letter),
        }
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    fn view(package: &tempfile::TempDir) -> View {
        View::of(std::process::id(), true, package.path().to_path_buf()).unwrap()
    }

    fn package() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("_boot")).unwrap();
        fs::write(folder.path().join("_boot/late.py"), "pass\n").unwrap();
        folder
    }

    #[test]
    fn a_script_waits_for_its_answer_and_goes() {
        let package = package();
        let errand = Errand::new(std::process::id(), &view(&package), "_end({answer})").unwrap();
        let text = fs::read_to_string(errand.script()).unwrap();
        assert!(text.starts_with("pass\n") && text.contains("_end('/"));
        assert_eq!(errand.answer(), None);
        fs::write(errand.answer_path(), "ok").unwrap();
        assert_eq!(errand.answer().as_deref(), Some("ok"));
        let folder = errand.folder.clone();
        drop(errand);
        assert!(!folder.exists());
    }

    #[test]
    fn nobody_else_can_look_into_its_folder() {
        let package = package();
        let errand = Errand::new(std::process::id(), &view(&package), "").unwrap();
        assert_eq!(fs::metadata(&errand.folder).unwrap().mode() & 0o777, 0o700);
        // A link in the answer's place is not followed.
        std::os::unix::fs::symlink("/etc/passwd", errand.answer_path()).unwrap();
        assert!(!errand.answer().unwrap().contains("root"));
    }

    #[test]
    fn texts_are_written_as_python_reads_them() {
        assert_eq!(literal("a'b\\c\nü"), "'a\\'b\\\\c\\x0aü'");
    }

    #[test]
    fn a_package_without_the_script_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let failure = Errand::new(1, &view(&folder), "").err().unwrap();
        assert!(failure.words().contains("late.py"));
    }
}
