//! Units that no hook knows: kinds of printed lines, and loops.
//!
//! In: each line and each turn, with the GIL. Out: cycles of the units they are, and a fact that describes each unit. What must not
//! happen here: a lock held while a reading is taken; more readings than [`Asker::Cycle`] of a found unit is allowed.

use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::{CycleUnit, FoundKind, Record};
use pyo3::Python;

use super::Session;
use crate::found::Came;
use crate::skeleton::Line;

/// Turns of found units are an age of samples when they are so far apart.
const BEAT_NS: u64 = 20_000_000;

impl Session {
    /// A line was printed.
    pub(crate) fn printed(&self, py: Python<'_>, line: &Line) {
        self.came(py, FoundKind::Line, line.hash, || line.words().to_owned());
    }

    /// So many more lines of a kind were printed, in no time.
    pub(crate) fn flooded(&self, hash: u64, count: u32) {
        let Ok(mut kinds) = self.kinds.try_lock() else { return };
        if let Came::Again(unit) = kinds.came(FoundKind::Line, hash) {
            self.writer.board().count_cycles(CycleUnit::Found(unit), count.into());
        }
    }

    /// A loop turned: `key` tells it from others, `place` says where it stands.
    pub(crate) fn turned(&self, py: Python<'_>, key: u64, place: impl FnOnce() -> String) {
        self.came(py, FoundKind::Loop, key, place);
    }

    fn came(&self, py: Python<'_>, kind: FoundKind, hash: u64, text: impl FnOnce() -> String) {
        let came = match self.kinds.try_lock() {
            Ok(mut kinds) => kinds.came(kind, hash),
            Err(_) => return,
        };
        let unit = match came {
            Came::Unknown => return,
            Came::Begins(unit, before) => {
                let value = format!("{}:{}", kind.word(), text());
                self.writer.append(&Record::Fact { key: unit.fact(), value });
                for _ in 1..before {
                    self.writer.board().count_cycle(CycleUnit::Found(unit));
                }
                unit
            }
            Came::Again(unit) => unit,
        };
        let now = self.writer.now();
        if now.saturating_sub(self.last_beat.load(Relaxed)) >= BEAT_NS {
            self.last_beat.store(now, Relaxed);
            self.writer.board().count_beat();
        }
        self.cycle(py, CycleUnit::Found(unit));
    }
}
