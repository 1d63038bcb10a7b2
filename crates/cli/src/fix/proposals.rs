//! Patches for what a report says, from the package's Python, which reads the program's source.
//!
//! In: a report, the program. Out: attempts in the order in which they are worth trying, and why there are no more.
//! What must not happen here: code of the program run; only its text is read.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::env;
use crate::messages::Failure;
use crate::prove::program::Program;
use crate::prove::results::Result as Ran;
use crate::words::fix::no_proposals;
use crate::words::program::no_package;

/// A patch that might be the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// The fixes in it, by name.
    pub(crate) fixes: Vec<String>,
    /// What each does, for people.
    pub(crate) sentences: Vec<String>,
    pub(crate) files: Vec<Patched>,
    /// As `diff -u` has it.
    pub(crate) diff: String,
}

/// A file, as it was read and as it would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Patched {
    pub(crate) path: PathBuf,
    pub(crate) shown: String,
    pub(crate) before: String,
    pub(crate) after: String,
}

/// A finding without a mechanical change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) cause: String,
    /// What happens.
    pub(crate) finding: String,
    /// Why there is no change.
    pub(crate) why: String,
}

/// What to try.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Proposals {
    pub(crate) attempts: Vec<Attempt>,
    pub(crate) refused: Vec<Refused>,
}

/// Asks for them.
pub(crate) fn ask(python: &str, program: &Program, ran: &Ran) -> Result<Proposals, Failure> {
    let package = env::get(env::PACKAGE).map(PathBuf::from);
    let entry = package.map(|package| package.join("fixes").join("__main__.py"));
    let entry = entry.ok_or_else(no_package)?;
    // The run was made in a copy: its paths are those of the copy.
    let mut report = serde_json::to_string(&ran.report).unwrap_or_default();
    for (folder, copy) in &ran.pairs {
        report = report.replace(&*copy.to_string_lossy(), &folder.to_string_lossy());
    }
    let report: Value = serde_json::from_str(&report).unwrap_or_default();
    let words: Vec<_> = program.words.iter().map(|word| word.to_string_lossy()).collect();
    let asked = json!({ "folder": program.folder.to_string_lossy(), "words": words, "report": report });
    let mut command = Command::new(python);
    command.arg("-I").arg(entry).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| no_proposals(&error))?;
    if let Some(mut to) = child.stdin.take() {
        // It reads all before it says anything; should it end early, its words say why.
        to.write_all(asked.to_string().as_bytes()).unwrap_or_default();
    }
    let done = child.wait_with_output().map_err(|error| no_proposals(&error))?;
    let said: Option<Value> = serde_json::from_slice(&done.stdout).ok();
    said.map(|said| read(&said)).ok_or_else(|| {
        let words =
            String::from_utf8_lossy(&done.stderr).trim_end().lines().last().unwrap_or_default().to_owned();
        no_proposals(&words)
    })
}

fn read(said: &Value) -> Proposals {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let file = |file: &Value| Patched {
        path: PathBuf::from(text(&file["path"])),
        shown: text(&file["shown"]),
        before: text(&file["before"]),
        after: text(&file["after"]),
    };
    let attempt = |one: &Value| Attempt {
        fixes: list(&one["fixes"]).iter().map(text).collect(),
        sentences: list(&one["sentences"]).iter().map(text).collect(),
        files: list(&one["files"]).iter().map(file).collect(),
        diff: text(&one["diff"]),
    };
    let refused = |one: &Value| Refused {
        cause: text(&one["cause"]),
        finding: text(&one["finding"]),
        why: text(&one["why"]),
    };
    Proposals {
        attempts: list(&said["attempts"]).iter().map(attempt).collect(),
        refused: list(&said["refused"]).iter().map(refused).collect(),
    }
}
