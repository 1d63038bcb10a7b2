//! The captures that are served: one file, or those of a folder.
//!
//! In: what was named on the command line. Out: names and paths. What must not happen here: a path that was not in the
//! folder's own listing, whatever an address says.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use nilometer_report::{Shelf as Listed, ShelfItem};

use crate::serve::request::key;

/// What is served.
pub(super) enum CaptureList {
    /// One capture.
    One(PathBuf),
    /// A folder.
    Folder(PathBuf),
}

/// By what a file is known to be another, or to have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    /// Device and number: which file it is.
    pub(super) file: (u64, u64),
    bytes: u64,
    modified: (i64, i64),
}

impl Stamp {
    pub(crate) fn of(path: &Path) -> Option<Self> {
        path.metadata().ok().map(|about| Self {
            file: (about.dev(), about.ino()),
            bytes: about.len(),
            modified: (about.mtime(), about.mtime_nsec()),
        })
    }
}

impl CaptureList {
    pub(super) fn of(what: &Path) -> Self {
        if what.is_dir() { Self::Folder(what.to_owned()) } else { Self::One(what.to_owned()) }
    }

    /// The name of the one capture, where there is only one.
    pub(super) fn only(&self) -> Option<&OsStr> {
        match self {
            Self::One(path) => Some(path.file_name().unwrap_or(path.as_os_str())),
            Self::Folder(_) => None,
        }
    }

    /// The path of a capture with this name.
    pub(super) fn path(&self, name: &OsStr) -> Option<PathBuf> {
        match self {
            Self::One(path) => (self.only() == Some(name)).then(|| path.clone()),
            Self::Folder(folder) => {
                files(folder).into_iter().find(|(known, _)| known == name).map(|(name, _)| folder.join(name))
            }
        }
    }

    /// The list, the newest first.
    pub(super) fn listed(&self) -> Listed {
        let folder = match self {
            Self::One(path) => path.parent().unwrap_or(path),
            Self::Folder(folder) => folder,
        };
        let mut all = files(folder);
        all.retain(|(name, _)| self.only().is_none_or(|only| only == name));
        all.sort_by_key(|(name, about)| (std::cmp::Reverse(about.modified().ok()), name.clone()));
        let item = |(name, about): (OsString, Metadata)| ShelfItem {
            key: key(&name),
            name: name.to_string_lossy().into_owned(),
            bytes: about.len(),
            modified: about
                .modified()
                .ok()
                .and_then(|at| Some(at.duration_since(UNIX_EPOCH).ok()?.as_secs())),
        };
        Listed { folder: folder.display().to_string(), items: all.into_iter().map(item).collect() }
    }
}

/// Files that end as captures do; a folder that cannot be read has none.
pub(crate) fn files(folder: &Path) -> Vec<(OsString, Metadata)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named =
        entries.filter(|entry| Path::new(&entry.file_name()).extension().is_some_and(|e| e == "nilo"));
    named
        .filter_map(|entry| Some((entry.file_name(), entry.path().metadata().ok()?)))
        .filter(|(_, about)| about.is_file())
        .collect()
}
