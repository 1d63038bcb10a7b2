//! The program to be proved: its words, where it starts, which folders are its own.
//!
//! In: words of the command line, or a capture that says them. Out: absolute paths.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use nilometer_capture::Record;
use nilometer_model::CodeFolders;

use crate::messages::Failure;
use crate::words::{program, prove as said};

/// What is to be run.
pub(crate) struct Program {
    /// The script or `-m`, `-c`, and what follows.
    pub(crate) words: Vec<OsString>,
    /// Where it is started.
    pub(crate) folder: PathBuf,
    /// The script, absolute; none for `-m` and `-c`.
    pub(crate) script: Option<PathBuf>,
    /// What to run in the script's place, absolute.
    pub(crate) patched: Option<PathBuf>,
    /// Installed packages that its capture names as the user's own.
    pub(crate) own: Vec<String>,
}

impl Program {
    pub(crate) fn of(words: &[OsString], patched: Option<&Path>) -> Result<Self, Failure> {
        let Some(first) = words.first() else {
            return Err(program::none("prove"));
        };
        let here = std::env::current_dir().map_err(|error| said::no_current_folder(&error))?;
        let (words, folder, own) = if Path::new(first).extension().is_some_and(|ending| ending == "nilo") {
            from_capture(Path::new(first), here)?
        } else {
            (words.to_vec(), here, Vec::new())
        };
        let first = words.first().cloned().unwrap_or_default();
        if first == "-" {
            return Err(said::from_stdin());
        }
        let is_script = !first.to_string_lossy().starts_with('-');
        let script = is_script.then(|| folder.join(&first));
        if let Some(script) = script.as_ref().filter(|script| !script.exists()) {
            return Err(program::no_file(script));
        }
        let patched = patched.map(|file| std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf()));
        match &patched {
            Some(file) if !file.is_file() => Err(program::no_file(file)),
            Some(_) if script.is_none() => Err(said::nothing_to_replace()),
            _ => Ok(Self { words, folder, script, patched, own }),
        }
    }

    /// What to call it.
    pub(crate) fn name(&self) -> String {
        crate::capture_path::program_name(&self.words)
    }
}

/// The words and the folder that a capture was made with, and the packages that were the user's own.
fn from_capture(path: &Path, here: PathBuf) -> Result<(Vec<OsString>, PathBuf, Vec<String>), Failure> {
    let capture = crate::report::open(path)?;
    let facts = || {
        capture.records.iter().filter_map(|stamped| match &stamped.record {
            Record::Fact { key, value } => Some((key.as_str(), value.as_str())),
            _ => None,
        })
    };
    let fact = |wanted: &str| facts().find(|(key, _)| *key == wanted).map(|(_, value)| value.to_owned());
    let words: Option<Vec<String>> = fact("argv").and_then(|list| serde_json::from_str(&list).ok());
    let words = words.filter(|words| !words.is_empty()).ok_or_else(|| said::nameless(path))?;
    let folder = fact("cwd").map(PathBuf::from).filter(|folder| folder.is_dir()).unwrap_or(here);
    let own = CodeFolders::of_facts(facts()).own;
    Ok((words.into_iter().map(OsString::from).collect(), folder, own))
}
