//! Runs on the nodes of a Ray cluster: the package's Python takes one there, follows it, and brings its capture back.
//!
//! In: the line that would run here. Out: a process that stands for the run, with its words, its exit code, and an ear for
//! signals. What must not happen here: a cluster that is started; it is there, or there is an error.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use super::options::On;
use super::scratch::Place;
use super::trial::Line;
use crate::env;
use crate::messages::{self, Failure};
use crate::words::{program, prove as words, system};

/// A cluster that answered.
pub(crate) struct Cluster {
    python: String,
    script: PathBuf,
}

/// A run for a node: paths in it are those of this machine, and change there.
pub(crate) struct Job<'a> {
    pub(crate) line: &'a Line,
    pub(crate) place: &'a Place,
    /// Where the capture goes.
    pub(crate) capture: &'a Path,
    /// The package's entry.
    pub(crate) entry: &'a Path,
    /// What the run may take, in bytes.
    pub(crate) memory: Option<u64>,
}

impl Cluster {
    /// The cluster that was asked for; none if runs take place here.
    pub(crate) fn find(on: On, python: &str) -> Result<Option<Self>, Failure> {
        if on == On::Here {
            return Ok(None);
        }
        let package = env::get(env::PACKAGE).map(PathBuf::from);
        let script = package.map(|package| package.join("cluster").join("__main__.py"));
        let script = script.ok_or_else(program::no_package)?;
        let cluster = Self { python: python.to_owned(), script };
        let done = cluster.command("check").stdin(Stdio::null()).output();
        let done = done.map_err(|error| system::cannot_start(python, &error))?;
        let last = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes).trim_end().lines().last().unwrap_or_default().to_owned()
        };
        if !done.status.success() {
            let said = last(&done.stderr);
            return Err(match said.rsplit_once("; ") {
                Some((what, hint)) => Failure::new(what).hint(hint),
                None => words::no_cluster(&said),
            });
        }
        messages::to_stderr(&words::on(&last(&done.stdout)));
        Ok(Some(cluster))
    }

    /// The process that follows what a file says on a node.
    pub(crate) fn follow(&self, file: &Path) -> Command {
        let mut command = self.command("run");
        command.arg(file);
        command
    }

    fn command(&self, word: &str) -> Command {
        let mut command = Command::new(&self.python);
        command.arg(&self.script).arg(word);
        command
    }
}

impl Job<'_> {
    /// As the package's Python reads it.
    pub(crate) fn text(&self, cluster: &Cluster) -> String {
        let words: Vec<_> = self.line.words.iter().map(|word| word.to_string_lossy()).collect();
        let environment: serde_json::Map<_, _> = self
            .line
            .environment
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.to_string_lossy().into()))
            .collect();
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "own": self.place.own.to_string_lossy(),
            "folder": self.place.folder.to_string_lossy(),
            "python": cluster.python,
            "entry": self.entry.to_string_lossy(),
            "capture": self.capture.to_string_lossy(),
            "command": words,
            "environment": environment,
            "memory": self.memory,
        })
        .to_string()
    }
}
