//! Requests and tasks that ended, by what they were of.
//!
//! In: a unit and a name, or what was asked for. Out: the cycle, and the endpoint's totals before each reading. What must not happen here: a
//! cycle for a health check.

use nilometer_capture::{CycleUnit, Observation};
use pyo3::Python;

use super::Session;
use crate::endpoints::name::{is_health_check, of_path, of_route, of_word};

impl Session {
    /// A request of this method, by its route or by the path that was asked for, was served.
    pub(crate) fn served(&self, py: Python<'_>, method: &str, place: &str, is_route: bool) {
        if is_health_check(method, place) {
            return;
        }
        let name = if is_route { of_route(method, place) } else { of_path(method, place) };
        self.ended(py, CycleUnit::Served, &name);
    }

    /// A cycle of something that has a name.
    pub(crate) fn cycle_of(&self, py: Python<'_>, unit: CycleUnit, word: &str) {
        self.ended(py, unit, &of_word(word));
    }

    fn ended(&self, py: Python<'_>, unit: CycleUnit, name: &str) {
        if let Some(new) = self.endpoints.count(unit, name) {
            self.see(Observation::Endpoint { id: new.id, unit, name: new.name });
        }
        self.cycle(py, unit);
    }

    /// Says how many have ended, where that changed.
    pub(super) fn tell_ended(&self, at_ns: u64) {
        let totals = self.endpoints.changed();
        if !totals.is_empty() {
            let ended = Observation::Ended { totals };
            self.writer.append_at(at_ns, &nilometer_capture::Record::Observation(ended));
        }
    }
}
