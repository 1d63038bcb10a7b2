//! The capture of an attached program: where it is written, and where it ends up.
//!
//! In: what was asked for, and the program's view of files. Out: a capture that the program can write into. Where its view is not
//! ours the capture lies with the program as long as the recording lasts, and is then brought to the place asked for.
//! What must not happen here: a capture left behind with nothing in it, or one that is lost on its way.

use std::fs;
use std::path::PathBuf;

use nilometer_capture::{CreateError, Writer};

use super::about::About;
use super::errand::give;
use super::options::AttachOptions;
use super::view::View;
use crate::capture_path::{self, Templates};
use crate::messages::{self, Failure};
use crate::words::{attach as words, system};

/// A new capture, which goes again if nothing comes into it.
pub(crate) struct Recording {
    pub(crate) writer: Writer,
    pub(crate) path: PathBuf,
    /// Where it is wanted, if that is elsewhere.
    home: Option<PathBuf>,
    keep: bool,
}

impl Recording {
    pub(crate) fn make(options: &AttachOptions, about: &About, view: &View) -> Result<Self, Failure> {
        let templates = Templates::new(options.output.as_deref(), &about.program);
        let wanted = capture_path::with_pid(&templates.first, about.pid);
        let own = view.own_folder().and_then(|folder| Some(folder.join(wanted.file_name()?)));
        let (path, home) = match own {
            Some(path) => (path, Some(wanted)),
            None => (wanted, None),
        };
        if let Some(home) = home.as_ref().filter(|home| !options.force && home.exists()) {
            return Err(words::exists(home));
        }
        // A file of an earlier attach, in a folder of our own.
        let force = options.force || home.is_some();
        let writer = Writer::create(&path, force).map_err(|error| match error {
            CreateError::Exists { .. } => words::exists(&path),
            error => error.into(),
        })?;
        let recording = Self { writer, path, home, keep: false };
        give(&recording.path, about.pid).map_err(|error| words::not_given(&recording.path, &error))?;
        Ok(recording)
    }

    pub(crate) fn kept(mut self) -> Self {
        self.keep = true;
        self
    }

    /// Brings a complete capture to where it is wanted; its path. One that cannot be brought stays where it is.
    pub(crate) fn bring_home(&self) -> PathBuf {
        let Some(home) = &self.home else { return self.path.clone() };
        match fs::copy(&self.path, home) {
            Ok(_) => {
                fs::remove_file(&self.path).unwrap_or_default();
                home.clone()
            }
            Err(error) => {
                let reached = fs::canonicalize(&self.path).unwrap_or_else(|_error| self.path.clone());
                messages::warning(system::not_written(home, &error));
                messages::hint(words::stays(&reached));
                self.path.clone()
            }
        }
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        if !self.keep {
            fs::remove_file(&self.path).unwrap_or_default();
        }
    }
}
