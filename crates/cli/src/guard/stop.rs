//! What a guarded program left when it was stopped: `guard.json` in the folder of its checkpoint.
//!
//! In: the folder. Out: where training stopped, and why. `python/nilometer/guard/store.py` writes it. What must not happen
//! here: a file removed that the guard did not make.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// The file that names the checkpoint; it is put in place last.
const NAME: &str = "guard.json";
/// What folders of checkpoints are called.
const PREFIX: &str = "stop-";

/// Where a training stopped; a later place is a greater one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    /// In a loop of the program's own, at its so-many-th stop.
    Loop(u64),
    /// In the so-many-th fit, after so many epochs.
    Fit(u64, u64),
}

/// A stop.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    /// The attempt that wrote it.
    pub(super) attempt: String,
    pub(super) place: Place,
    /// Of the fit, if it has a number of epochs.
    epochs: Option<u64>,
    /// Why, in words.
    pub(super) why: String,
    /// The checkpoint, and its size in bytes.
    pub(super) checkpoint: PathBuf,
    pub(super) bytes: u64,
}

impl Stop {
    /// What the folder holds; none if it holds no checkpoint.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        Self::parse(&fs::read(folder.join(NAME)).ok()?, folder)
    }

    fn parse(text: &[u8], folder: &Path) -> Option<Self> {
        let value: Value = serde_json::from_slice(text).ok()?;
        let number = |name: &str| value.get(name).and_then(Value::as_u64);
        let word = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let place = match word("kind")?.as_str() {
            "fit" => Place::Fit(number("fit")?, number("epoch")?),
            "loop" => Place::Loop(number("stops")?),
            _ => return None,
        };
        let name = word("checkpoint").filter(|name| name.starts_with(PREFIX) && !name.contains('/'))?;
        Some(Self {
            attempt: word("attempt")?,
            place,
            epochs: number("epochs"),
            why: word("why").unwrap_or_default(),
            checkpoint: folder.join(name),
            bytes: number("bytes").unwrap_or(0),
        })
    }

    /// Where, in words: `after epoch 13 of 60`.
    pub(super) fn words(&self) -> String {
        crate::words::guard::place(self.place, self.epochs)
    }

    /// Removes the checkpoint, and the folder if nothing else is in it.
    pub(super) fn remove(&self, folder: &Path) {
        // First the file that names it: half a checkpoint must not be found.
        let gone = fs::remove_file(folder.join(NAME)).and_then(|()| fs::remove_dir_all(&self.checkpoint));
        gone.and_then(|()| fs::remove_dir(folder)).unwrap_or_default();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"format": 1, "attempt": "7", "kind": "fit", "fit": 2, "epoch": 13, "epochs": 60,
        "checkpoint": "stop-1", "bytes": 9, "why": "because"}"#;

    #[test]
    fn a_stop_is_read_and_told() {
        let stop = Stop::parse(TEXT.as_bytes(), Path::new("/d")).unwrap();
        assert_eq!(stop.place, Place::Fit(2, 13));
        assert_eq!(stop.words(), "after epoch 13 of 60, in fit 2 of the program");
        assert_eq!(stop.checkpoint, Path::new("/d/stop-1"));
    }

    #[test]
    fn later_places_are_greater() {
        assert!(Place::Fit(2, 1) > Place::Fit(1, 30) && Place::Fit(1, 31) > Place::Fit(1, 30));
        assert!(Place::Loop(2) > Place::Loop(1));
    }

    #[test]
    fn a_checkpoint_elsewhere_is_not_ours() {
        for other in ["../stop-1", "stop-1/../../x", "data"] {
            assert!(Stop::parse(TEXT.replace("stop-1", other).as_bytes(), Path::new("/d")).is_none());
        }
        assert!(Stop::parse(b"", Path::new("/d")).is_none());
    }

    #[test]
    fn what_others_put_into_the_folder_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir(path.join("stop-1")).unwrap();
        fs::write(path.join("stop-1/weights"), "x").unwrap();
        fs::write(path.join(NAME), TEXT).unwrap();
        fs::write(path.join("mine"), "x").unwrap();
        Stop::read(path).unwrap().remove(path);
        assert!(path.join("mine").exists() && !path.join("stop-1").exists() && !path.join(NAME).exists());
        assert!(Stop::read(path).is_none());
    }
}
