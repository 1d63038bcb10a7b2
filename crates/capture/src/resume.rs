//! Another run in the capture of an earlier one, whose processes are gone.
//!
//! In: a capture that nobody writes to. Out: a writer whose records come after all others, with counts that begin at nought. What must
//! not happen here: time that runs backwards, whatever became of the clocks between the runs; a capture that is still in use.
//!
//! Records count from the start of the capture on a clock that begins anew with the machine. So the start is moved: the new run begins
//! behind the last record, as long after it as the wall clock says, but by a second at least and a day at most. A wall clock that was set
//! makes the pause between two runs look wrong, and nothing else.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::compact::{CompactError, Compactor};
use crate::error::JoinError;
use crate::layout::at;
use crate::mapping::monotonic_ns;
use crate::record::Record;
use crate::thin::RUN_BEGINS;
use crate::writer::Writer;

const SECOND: u64 = 1_000_000_000;
/// The pause between two runs, at least and at most.
const MIN_PAUSE_NS: u64 = SECOND;
const MAX_PAUSE_NS: u64 = 24 * 3600 * SECOND;

/// Why a run does not go on in the capture of an earlier one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    /// Another process records into it.
    #[error("another run is being recorded into {0}")]
    InUse(std::path::PathBuf),
    /// It cannot be written to, or is none.
    #[error(transparent)]
    Join(#[from] JoinError),
    /// It cannot be read or written.
    #[error("{0} cannot be gone on with ({1})")]
    Other(std::path::PathBuf, CompactError),
}

impl Writer {
    /// Goes on in a capture of an earlier run. `new` are processes of this run: in a container they may have the numbers that
    /// those of the earlier one had.
    ///
    /// # Errors
    /// Each of [`ResumeError`] says why not.
    pub fn resume(path: &Path, new: &[u32]) -> Result<Self, ResumeError> {
        let other = |error| ResumeError::Other(path.to_owned(), error);
        drop(Self::join(path)?);
        let compactor = match Compactor::open(path) {
            Err(CompactError::ByAnother) => return Err(ResumeError::InUse(path.to_owned())),
            opened => opened.map_err(other)?,
        };
        compactor.close_all(new).map_err(|error| other(error.into()))?;
        let earlier = compactor.earlier();
        let unix_ns = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        let begins_ns = begins(compactor.read(at::START_UNIX_NS), earlier.last_ns, unix_ns);
        compactor.store(at::START_UNIX_NS, unix_ns.saturating_sub(begins_ns));
        compactor.store(at::START_MONO_NS, monotonic_ns().wrapping_sub(begins_ns));
        for offset in (at::LOST..at::GENERATION).step_by(8) {
            compactor.store(offset, 0);
        }
        let writer = Self::join(path)?;
        let run = (earlier.runs + 1).to_string();
        writer.append(&Record::Fact { key: RUN_BEGINS.to_owned(), value: run });
        Ok(writer)
    }
}

/// When a run begins, in nanoseconds since the start of the capture.
fn begins(start_unix_ns: u64, last_ns: u64, unix_ns: u64) -> u64 {
    let pause = unix_ns.saturating_sub(start_unix_ns.saturating_add(last_ns));
    last_ns.saturating_add(pause.clamp(MIN_PAUSE_NS, MAX_PAUSE_NS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_begins_behind_the_last_record_whatever_the_clock_says() {
        let start = 1_000_000 * SECOND;
        assert_eq!(begins(start, 100 * SECOND, start + 160 * SECOND), 160 * SECOND);
        assert_eq!(begins(start, 100 * SECOND, start - 9 * SECOND), 101 * SECOND, "set back");
        assert_eq!(
            begins(start, SECOND, start + 999 * MAX_PAUSE_NS),
            SECOND + MAX_PAUSE_NS,
            "set far forward"
        );
    }
}
