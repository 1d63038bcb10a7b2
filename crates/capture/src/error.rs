//! What can go wrong when a capture is made, joined or opened; each says what, and which file; `hint` says what to do next.

use std::io;
use std::path::{Path, PathBuf};

use crate::layout::{FORMAT_MAJOR, HeaderProblem};

/// Why no capture could be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateError {
    /// Something stands there, and overwriting was not asked for.
    #[error("{} exists already", path.display())]
    Exists {
        /// Which.
        path: PathBuf,
    },
    /// A folder stands there.
    #[error("{} is a folder", path.display())]
    IsFolder {
        /// Which.
        path: PathBuf,
    },
    /// Overwriting was asked for, but what stands there was not made by nilometer.
    #[error("{} exists and is not a capture, so it is not overwritten", path.display())]
    NotOurs {
        /// Which.
        path: PathBuf,
    },
    /// The folder does not exist.
    #[error("the folder {} does not exist", folder.display())]
    NoFolder {
        /// Which.
        folder: PathBuf,
    },
    /// The folder, or its file system, may not be written.
    #[error("the folder {} cannot be written to ({source})", folder.display())]
    ReadOnly {
        /// Which.
        folder: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The disk or the quota is full.
    #[error("no space is left for {}", path.display())]
    NoSpace {
        /// Which.
        path: PathBuf,
    },
    /// The limit on file sizes is too low for any capture.
    #[error("the limit on file sizes is too low for {}", path.display())]
    FileSizeLimit {
        /// Which.
        path: PathBuf,
    },
    /// Anything else.
    #[error("{} cannot be made ({source})", path.display())]
    Other {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Why a running program could not join the capture made for it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// There is none.
    #[error("there is no capture at {}", path.display())]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// It was made by another version.
    #[error("the capture {} was made by another version of nilometer", path.display())]
    OtherVersion {
        /// Which.
        path: PathBuf,
    },
    /// What stands there is not a capture, or a damaged one.
    #[error("{} is not a whole capture", path.display())]
    NotACapture {
        /// Which.
        path: PathBuf,
    },
    /// Anything else.
    #[error("the capture {} cannot be joined ({source})", path.display())]
    Other {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// Why a capture could not be opened for reading.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such file.
    #[error("there is no file {}", path.display())]
    Missing {
        /// Which.
        path: PathBuf,
    },
    /// A folder stands there.
    #[error("{} is a folder", path.display())]
    IsFolder {
        /// Which.
        path: PathBuf,
    },
    /// It may not be read.
    #[error("you may not read {}", path.display())]
    NotPermitted {
        /// Which.
        path: PathBuf,
    },
    /// It holds nothing.
    #[error("{} is empty, so there is nothing to read", path.display())]
    Empty {
        /// Which.
        path: PathBuf,
    },
    /// It begins like no capture.
    #[error("{} is not a nilometer capture", path.display())]
    NotACapture {
        /// Which.
        path: PathBuf,
    },
    /// It ends inside its header.
    #[error("{} was cut: it ends after {bytes} bytes, inside its header", path.display())]
    Truncated {
        /// Which.
        path: PathBuf,
        /// How long it is.
        bytes: usize,
    },
    /// Its major version is above ours.
    #[error("{} was made by a newer nilometer (format {major}.{minor}, this one reads {FORMAT_MAJOR}.x)", path.display())]
    Newer {
        /// Which.
        path: PathBuf,
        /// Its major version.
        major: u16,
        /// Its minor version.
        minor: u16,
    },
    /// Its header says what cannot be.
    #[error("the header of {} is damaged", path.display())]
    Damaged {
        /// Which.
        path: PathBuf,
    },
    /// Anything else.
    #[error("{} cannot be read ({source})", path.display())]
    Other {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl OpenError {
    pub(crate) fn of_header(problem: HeaderProblem, path: &Path) -> Self {
        let path = path.to_owned();
        match problem {
            HeaderProblem::Empty => Self::Empty { path },
            HeaderProblem::NotACapture => Self::NotACapture { path },
            HeaderProblem::Truncated { bytes } => Self::Truncated { path, bytes },
            HeaderProblem::Newer { major, minor } => Self::Newer { path, major, minor },
            HeaderProblem::Damaged => Self::Damaged { path },
        }
    }

    pub(crate) fn of_io(source: io::Error, path: &Path) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing { path },
            io::ErrorKind::IsADirectory => Self::IsFolder { path },
            io::ErrorKind::PermissionDenied => Self::NotPermitted { path },
            _ => Self::Other { path, source },
        }
    }
}

impl JoinError {
    pub(crate) fn of_io(source: io::Error, path: &Path) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::NotFound => Self::Missing { path },
            _ => Self::Other { path, source },
        }
    }
}
