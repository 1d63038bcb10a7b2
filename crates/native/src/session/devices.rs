//! What frameworks have in use on devices, written down with the moment at which they were asked.
//!
//! In: the ends of cycles, ticks, the end of the program, with the GIL. Out: one record for each allocator that answers. What must not
//! happen here: a lock held while Python or a framework is called.

use nilometer_capture::{CycleUnit, Moment, Observation};
use pyo3::Python;

use super::Session;
use crate::devices::Answer;
use crate::thread;
use crate::words;

impl Session {
    /// Asks them, if it is time to.
    pub(super) fn ask_devices(&self, py: Python<'_>, moment: Moment) {
        let unit = match moment {
            Moment::Cycle { unit, .. } => Some(unit),
            _ => None,
        };
        // Lines that callbacks of a device print come on a thread of its own, in the middle of what the device does.
        if matches!(unit, Some(CycleUnit::Found(_))) && thread::number() != 0 {
            return;
        }
        let began = self.writer.now();
        let comes_once = matches!(moment, Moment::BeforeExit | Moment::AfterExitCollection);
        if !comes_once && !self.devices.is_due(unit, began) {
            return;
        }
        for answer in self.devices.ask(py) {
            match answer {
                Answer::Counts(allocator, counts) => {
                    self.see(Observation::Device { allocator, moment, counts });
                }
                Answer::Fact(key, value) => self.fact(key, value),
                Answer::GivenUp(framework) => self.lost(&words::unknown_devices(framework)),
            }
        }
        let ended = self.writer.now();
        self.devices.note(unit, ended, ended.saturating_sub(began));
    }
}
