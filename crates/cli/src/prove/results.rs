//! What a run left: its capture, judged, and its words; and the folder where they are kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nilometer_capture::{BoardCounts, Capture, Record};
use nilometer_diagnose::Report;
use nilometer_prove::Intervention;

use super::program::Program;
use super::scratch::Patch;
use crate::lookup::Files;
use crate::messages::Failure;
use crate::words::{prove, system};

/// A run that has ended.
pub(crate) struct Result {
    pub(crate) name: String,
    pub(crate) set: Vec<Intervention>,
    pub(crate) patches: Vec<Patch>,
    /// Folders of the program, and where their copies were.
    pub(crate) pairs: Vec<(PathBuf, PathBuf)>,
    pub(crate) report: Report,
    pub(crate) facts: BTreeMap<String, String>,
    pub(crate) board: BoardCounts,
    pub(crate) took: Duration,
    /// None if a signal ended it.
    pub(crate) exit_code: Option<i32>,
    /// Its time was over.
    pub(crate) cut: bool,
    pub(crate) capture: PathBuf,
    pub(crate) log: PathBuf,
}

impl Result {
    /// What it wrote to stdout, where that was kept apart.
    pub(crate) fn printed(&self) -> Vec<u8> {
        std::fs::read(self.log.with_extension("out")).unwrap_or_default()
    }

    /// The capture's name in its folder.
    pub(crate) fn capture_name(&self) -> String {
        self.capture.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// All that a capture says.
pub(crate) struct Read {
    pub(crate) report: Report,
    pub(crate) facts: BTreeMap<String, String>,
    pub(crate) board: BoardCounts,
}

impl Read {
    pub(crate) fn of(path: &Path) -> std::result::Result<Self, Failure> {
        let capture = Capture::open_streamed(path)?;
        Ok(Self {
            facts: stated(&capture),
            report: nilometer_diagnose::diagnose_with(&capture, &mut Files::default()),
            board: capture.board,
        })
    }
}

/// The facts of a capture.
pub(crate) fn facts(path: &Path) -> std::result::Result<BTreeMap<String, String>, Failure> {
    Capture::open_streamed(path).map(|capture| stated(&capture)).map_err(Failure::from)
}

fn stated(capture: &Capture) -> BTreeMap<String, String> {
    let facts = capture.records.iter().filter_map(|stamped| match &stamped.record {
        Record::Fact { key, value } => Some((key.clone(), value.clone())),
        _ => None,
    });
    facts.collect()
}

/// Where captures and the program's words are kept.
pub(crate) struct Folder {
    path: PathBuf,
    given: PathBuf,
}

impl Folder {
    pub(crate) fn make(
        what: &str,
        output: Option<&Path>,
        program: &Program,
    ) -> std::result::Result<Self, Failure> {
        let given = output.map_or_else(
            || PathBuf::from(format!("nilometer-{what}-{}.{}", program.name(), std::process::id())),
            Path::to_path_buf,
        );
        let failed = |error: std::io::Error| prove::no_folder(&given, &error);
        std::fs::create_dir_all(&given).map_err(failed)?;
        let path = given.canonicalize().map_err(failed)?;
        Ok(Self { path, given })
    }

    /// As it was asked for.
    pub(crate) fn shown(&self) -> String {
        self.given.display().to_string()
    }

    /// The files of a run: its capture and its words.
    pub(crate) fn files(&self, number: usize, name: &str) -> (PathBuf, PathBuf) {
        let plain: String = name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' })
            .take(60)
            .collect();
        let stem = format!("{number}-{plain}");
        (self.path.join(format!("{stem}.nilo")), self.path.join(format!("{stem}.log")))
    }

    /// A file beside the captures.
    pub(crate) fn add(&self, name: &str, text: &str) -> std::result::Result<(), Failure> {
        let path = self.path.join(name);
        std::fs::write(&path, text).map_err(|error| system::cannot_write(&path, &error))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}
