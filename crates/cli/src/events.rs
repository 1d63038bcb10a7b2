//! An event file for `TensorBoard` that grows while the program runs.
//!
//! In: the capture, read again and again. Out: the cycles that ended since, and at the end the report. What must not happen
//! here: more than a small share of the supervisor's time, an end of the run for a disk that is full, or a file beside
//! those of the program's own training, which `TensorBoard` would then pass over.

use std::fs::{File, OpenOptions, create_dir_all};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nilometer_capture::Capture;
use nilometer_diagnose::{CycleRow, cycle_table, diagnose};
use nilometer_report::{tensorboard_cycles, tensorboard_end, tensorboard_restart, tensorboard_start};

use crate::format::Format;
use crate::messages::{self, Failure};
use crate::report::Read;
use crate::words::{report as words, system};

const MIN_INTERVAL: Duration = Duration::from_secs(2);
/// Reading the capture may take one part in this many of the time.
const READ_TIME_DIVISOR: u32 = 200;
/// The run's name in `TensorBoard`.
const RUN: &str = "nilometer";
/// What is counted where the program has no cycles: stretches of time, which get longer as the run does.
const WINDOW_UNIT: &str = "window";

/// Makes the folder, while a mistake in its name can still be said.
///
/// # Errors
/// If it cannot be made.
pub(crate) fn folder(logs: &Path) -> Result<PathBuf, Failure> {
    let folder = std::path::absolute(logs).unwrap_or_else(|_| logs.to_owned()).join(RUN);
    create_dir_all(&folder).map_err(|error| system::cannot_make(&folder, &error))?;
    Ok(folder)
}

/// The event file of one run.
pub(crate) struct Events {
    capture: PathBuf,
    folder: PathBuf,
    open: Option<Open>,
    next: Instant,
    /// What went wrong; nothing is written after that.
    failed: Option<String>,
}

/// What is written.
struct Open {
    file: File,
    /// What is counted, and the last of it in the file.
    unit: &'static str,
    last: u64,
}

impl Events {
    /// Of this capture, into this folder.
    pub(crate) fn new(capture: &Path, folder: PathBuf) -> Self {
        let next = Instant::now() + MIN_INTERVAL;
        Self { capture: capture.to_owned(), folder, open: None, next, failed: None }
    }

    /// Adds the cycles that have ended, if it is time.
    pub(crate) fn tick(&mut self) {
        if self.failed.is_some() || Instant::now() < self.next {
            return;
        }
        let began = Instant::now();
        if let Ok(capture) = Capture::open_streamed(&self.capture) {
            let unit = diagnose(&capture, nilometer_frameworks::DIAGNOSE).cycles.unit;
            if unit != WINDOW_UNIT {
                self.add(seconds(&capture), unit, &cycle_table(&capture));
            }
        }
        self.next = began + MIN_INTERVAL.max(began.elapsed() * READ_TIME_DIVISOR);
    }

    /// Adds what is missing, and the report.
    pub(crate) fn end(mut self) {
        let Ok(read) = Read::of(&self.capture, false) else { return };
        let material = read.material();
        self.add(material.began, material.report.cycles.unit, material.cycles);
        self.write(material.began, &tensorboard_end(&material));
        // Only now: before, the terminal was the program's.
        if let Some(failed) = self.failed {
            messages::warning(failed);
        }
    }

    fn add(&mut self, began: f64, unit: &'static str, rows: &[CycleRow]) {
        let (before, last) = self.open.as_ref().map_or((unit, 0), |open| (open.unit, open.last));
        let (mut bytes, last) =
            if before == unit { (Vec::new(), last) } else { (tensorboard_restart(began), 0) };
        let new = rows.get(rows.partition_point(|row| row.cycle <= last)..).unwrap_or_default();
        bytes.extend(tensorboard_cycles(began, new));
        self.write(began, &bytes);
        if let Some(open) = &mut self.open {
            (open.unit, open.last) = (unit, new.last().map_or(last, |row| row.cycle));
        }
    }

    /// Writes at the end of the file, which is made now if it is not there.
    fn write(&mut self, began: f64, bytes: &[u8]) {
        if self.failed.is_some() || bytes.is_empty() {
            return;
        }
        if let Err((path, error)) = self.try_write(began, bytes) {
            self.failed = Some(words::events_ended(&path, &error));
        }
    }

    fn try_write(&mut self, began: f64, bytes: &[u8]) -> Result<(), (PathBuf, std::io::Error)> {
        let path = self.folder.join(Format::Tensorboard.name(&self.capture, began as u64));
        let failed = |error| (path.clone(), error);
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let mut file =
                    OpenOptions::new().write(true).create(true).truncate(true).open(&path).map_err(failed)?;
                file.write_all(&tensorboard_start(began)).map_err(failed)?;
                none.insert(Open { file, unit: WINDOW_UNIT, last: 0 })
            }
        };
        open.file.write_all(bytes).map_err(failed)
    }
}

fn seconds(capture: &Capture) -> f64 {
    capture.header.start_unix_ns as f64 / 1e9
}
