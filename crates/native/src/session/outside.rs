//! What the machine says about this process, read in it where no supervisor does.
//!
//! In: the clock. Out: the process' memory, the machine's and the cgroup's, now and then. What must not happen here: a descriptor
//! that stays open, memory of ours taken for the program's, a wait.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::{Record, Writer};
use nilometer_cli::{process_reading, surroundings};
use nilometer_host::cgroup::Cgroup;
use nilometer_host::memory::Machine;
use nilometer_host::process::Process;

use super::SECOND_NS;
use crate::recorder::Ours;

/// Between two readings, in nanoseconds: files are opened anew for each.
const READING_INTERVAL_NS: u64 = 2 * SECOND_NS;

/// When it was read.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    last_ns: AtomicU64,
}

impl Outside {
    /// Reads, if the last time is long ago.
    pub(super) fn read_if_due(&self, writer: &Writer) {
        if writer.now().saturating_sub(self.last_ns.load(Relaxed)) >= READING_INTERVAL_NS {
            self.read(writer);
        }
    }

    /// Reads now.
    pub(super) fn read(&self, writer: &Writer) {
        let _ours = Ours::begin();
        self.last_ns.store(writer.now(), Relaxed);
        let mut buffer = Vec::new();
        let process = Process::open(std::process::id());
        if let Some(reading) = process.and_then(|process| process_reading(&process, &mut buffer)) {
            writer.append(&Record::Process(Box::new(reading)));
        }
        let mut group = Cgroup::of(std::process::id());
        let said = surroundings(&Machine::open(), group.as_mut(), true, &mut buffer);
        writer.append(&Record::Surroundings(said));
    }
}
