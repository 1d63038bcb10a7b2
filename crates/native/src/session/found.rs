//! Units that no hook knows: kinds of printed lines, and loops.
//!
//! In: each line and each turn, with the GIL. Out: cycles of the units they are, and a fact that describes each unit. What must not
//! happen here: a lock held while a reading is taken; more readings than [`Asker::Cycle`] of a found unit is allowed.

use std::sync::atomic::Ordering::Relaxed;

use nilometer_capture::{CycleUnit, Found, FoundKind, Record};
use pyo3::Python;

use super::Session;
use crate::found::Came;
use crate::skeleton::Line;

/// Turns of found units are an age of samples when they are so far apart.
const BEAT_NS: u64 = 20_000_000;

impl Session {
    /// A line was printed.
    pub(crate) fn printed(&self, py: Python<'_>, line: &Line) {
        let step = self.came(py, FoundKind::Line, line.hash, line.number, || line.words().to_owned());
        if let Some((unit, step)) = step {
            self.writer.append(&Record::Fact { key: unit.step_fact(), value: step.to_string() });
        }
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
        self.came(py, FoundKind::Loop, key, None, place);
    }

    /// So many turns of a loop are over since it was looked at last. The reading of this tick is of them.
    pub(crate) fn turned_often(&self, key: u64, count: u32, place: impl FnOnce() -> String) {
        let count = u64::from(count);
        let came = match self.kinds.try_lock() {
            Ok(mut kinds) => kinds.came_often(FoundKind::Loop, key, count),
            Err(_) => return,
        };
        let (unit, count) = match came {
            Came::Unknown => return,
            Came::Begins(unit, all) => {
                self.describe(FoundKind::Loop, unit, &place());
                (unit, all)
            }
            Came::Again(unit) => (unit, count),
        };
        self.beat();
        let board = self.writer.board();
        let unit = CycleUnit::Found(unit);
        board.count_cycles(unit, count);
        let ordinal = board.cycles(unit);
        self.writer.append(&Record::Cycle { unit, ordinal });
        if let Ok(mut turned) = self.turned.try_lock() {
            *turned = Some((unit, ordinal));
        }
    }

    fn describe(&self, kind: FoundKind, unit: Found, text: &str) {
        let value = format!("{}:{text}", kind.word());
        self.writer.append(&Record::Fact { key: unit.fact(), value });
    }

    fn beat(&self) {
        let now = self.writer.now();
        if now.saturating_sub(self.last_beat.load(Relaxed)) >= BEAT_NS {
            self.last_beat.store(now, Relaxed);
            self.writer.board().count_beat();
        }
    }

    /// Counts one more; by how much the number in a line rises, once that is known to be more than one.
    fn came(
        &self,
        py: Python<'_>,
        kind: FoundKind,
        hash: u64,
        number: Option<u64>,
        text: impl FnOnce() -> String,
    ) -> Option<(Found, u64)> {
        let (came, step) = {
            let mut kinds = self.kinds.try_lock().ok()?;
            (kinds.came(kind, hash), number.and_then(|number| kinds.numbered(hash, number)))
        };
        let unit = match came {
            Came::Unknown => return None,
            Came::Begins(unit, before) => {
                self.describe(kind, unit, &text());
                for _ in 1..before {
                    self.writer.board().count_cycle(CycleUnit::Found(unit));
                }
                unit
            }
            Came::Again(unit) => unit,
        };
        self.beat();
        self.cycle(py, CycleUnit::Found(unit));
        step
    }
}
