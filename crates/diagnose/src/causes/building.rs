//! Whether models go on being built.
//!
//! In: phases and the cycles that are judged. Out: yes or no. What must not happen here: the many builds at the beginning taken for more.

use nilometer_capture::{Capture, Edge, Record};

use crate::cycles::Cycles;

/// Whether models are still built in the second half of the cycles, one for every second cycle at least. A model that is built
/// once is many builds at the beginning, one for each layer.
pub(crate) fn goes_on_building(capture: &Capture, cycles: &Cycles) -> bool {
    let half = cycles.points.len() / 2;
    let Some(from) = cycles.points.get(half) else { return false };
    let is_build =
        |record: &Record| matches!(record, Record::Phase { name, edge: Edge::Begin, .. } if name == "build");
    let late = capture.records.iter().filter(|r| r.at_ns > from.at_ns && is_build(&r.record)).count();
    late > 0 && 2 * (late + 1) >= cycles.points.len() - half
}
