//! The program to be proved: its words, where it starts, which folders are its own.
//!
//! In: words of the command line, or a capture that says them. Out: absolute paths.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use nilometer_capture::Record;
use nilometer_model::CodeFolders;

use crate::messages::Failure;

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
            return Err(Failure::new("there is no program to prove").hint("nilometer prove train.py"));
        };
        let here = std::env::current_dir()
            .map_err(|error| Failure::new(format!("the current folder is not to be had ({error})")))?;
        let (words, folder, own) = if Path::new(first).extension().is_some_and(|ending| ending == "nilo") {
            from_capture(Path::new(first), here)?
        } else {
            (words.to_vec(), here, Vec::new())
        };
        let first = words.first().cloned().unwrap_or_default();
        if first == "-" {
            return Err(Failure::new("a script from stdin can be read once only").hint("save it to a file"));
        }
        let is_script = !first.to_string_lossy().starts_with('-');
        let script = is_script.then(|| folder.join(&first));
        if let Some(script) = script.as_ref().filter(|script| !script.exists()) {
            return Err(Failure::new(format!("there is no {}", script.display())));
        }
        let patched = patched.map(|file| std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf()));
        match &patched {
            Some(file) if !file.is_file() => Err(Failure::new(format!("there is no {}", file.display()))),
            Some(_) if script.is_none() => {
                Err(Failure::new("--with takes the place of a script, and there is none"))
            }
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
    let words = words.filter(|words| !words.is_empty()).ok_or_else(|| {
        Failure::new(format!("{} does not say which program it is of", path.display()))
            .hint("name the program: nilometer prove train.py")
    })?;
    let folder = fact("cwd").map(PathBuf::from).filter(|folder| folder.is_dir()).unwrap_or(here);
    let own = CodeFolders::of_facts(facts()).own;
    Ok((words.into_iter().map(OsString::from).collect(), folder, own))
}
