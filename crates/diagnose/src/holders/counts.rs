//! How many elements a holder has, and how many more with each cycle. What a scan tells as new came since the scan before it,
//! which may be one cycle or a hundred.
//!
//! In: the rises of containers, a holder as the report tells it. Out: the same with its counts. What must not happen here: a count of
//! another container, or of an array, whose length is told in bytes.

use nilometer_model::HolderPath;

use super::HolderEvidence;
use super::scans::{Pace, cycle_at};
use crate::cycles::Point;
use crate::report::{Finding, Holder, HolderBytes};

/// Cycles that must lie between the first scan and the last.
const MIN_CYCLES_BETWEEN: u64 = 4;
/// A count from before this share of the run is told with its cycle.
const RECENT_RATIO: f64 = 0.9;

impl HolderEvidence<'_> {
    /// Adds the counts to all holders of the report.
    pub(crate) fn count(&self, findings: &mut [Finding], table: &mut [HolderBytes], points: &[Point]) {
        let of_findings = findings.iter_mut().flat_map(|f| f.holder.iter_mut().chain(&mut f.also_held_by));
        for holder in of_findings.chain(table.iter_mut().map(|row| &mut row.holder)) {
            self.count_one(holder, points);
        }
    }

    fn count_one(&self, holder: &mut Holder, points: &[Point]) {
        let container = HolderPath::of(&holder.path);
        let is_same = |id: u64| {
            let known = self.holder(id);
            known.is_some_and(|one| {
                let is_it = HolderPath::of(&one.path).has_container_of(container);
                is_counted(&one.elements)
                    && (is_it || self.is_attribute_of_self(one, container, &holder.owner))
            })
        };
        let rises = self.rises.iter().filter(|(id, _)| is_same(**id)).map(|(_, rises)| rises);
        let Some(rises) = rises.max_by_key(|rises| rises.last().map(|rise| rise.at_ns)) else { return };
        let last = rises.last();
        holder.length = last.map(|rise| rise.grown.length);
        let ended = last.and_then(|rise| cycle_at(points, rise.at_ns)).zip(points.last());
        let is_old = |(then, last): &(f64, &Point)| *then < RECENT_RATIO * last.ordinal as f64;
        holder.counted_at = ended.filter(is_old).map(|(then, _)| then.floor() as u64);
        let pace = Pace::of(rises, &self.scans, points);
        let known = pace.filter(|pace| pace.cycles >= MIN_CYCLES_BETWEEN && pace.lengthened > 0.0);
        holder.per_cycle = known.map(|pace| elements_per_cycle(pace.lengthened, pace.cycles));
    }
}

/// A scan comes anywhere inside a cycle, so the pace is wrong by up to one cycle in all that were watched. A whole number
/// within that error is told as such: loops add whole elements.
fn elements_per_cycle(pace: f64, cycles: u64) -> f64 {
    let (whole, error) = (pace.round(), pace / cycles.max(1) as f64);
    if whole >= 1.0 && (pace - whole).abs() <= error { whole } else { (pace * 100.0).round() / 100.0 }
}

/// `9 x ndarray (2000, 500) float64` and not the `ndarray (7000, 8) float64` of an array that was joined with the next.
fn is_counted(elements: &str) -> bool {
    elements.is_empty() || elements.starts_with(|first: char| first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_elements_within_the_error_of_a_scans_place() {
        for (pace, cycles, told) in [
            (1.1, 9, "1"),
            (1.1, 20, "1.1"),
            (0.93, 12, "1"),
            (0.5, 40, "0.5"),
            (0.125, 4, "0.13"),
            (63.2, 40, "63"),
            (1.5, 8, "1.5"),
        ] {
            assert_eq!(elements_per_cycle(pace, cycles).to_string(), told, "{pace} in {cycles} cycles");
        }
    }
}
