//! How far a container is from the size that it cannot grow past: a deque's `maxlen`, an `lru_cache`'s `maxsize`.
//!
//! In: the lengths that scans told, the series of cycles. Out: the cycles until it is full. What must not happen here: an end
//! that is guessed; without two lengths nobody knows the pace.

use crate::numbers::FAR_RATIO;
use nilometer_capture::Holder;
use nilometer_model::{HolderPath, Step};

use super::HolderEvidence;
use super::join::name;
use super::scans::{Rise, cycle_at, cycle_of};
use crate::cycles::{Cycles, Point};
use crate::told::words::finding as told;

/// What a container has left.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Capacity {
    /// How a person would call it.
    pub(crate) name: String,
    /// Elements with which it is full.
    pub(crate) bound: u64,
    /// Cycles until then, from the last one of the run.
    pub(crate) cycles: f64,
    /// The cycle in which it was full by its pace, if the run went beyond.
    pub(crate) full_at: Option<f64>,
    /// Cycles from the first look that met it full to the last look.
    pub(crate) full_for: f64,
}

/// A bound so many times the run away is none.
const MAX_RUNS_TO_BOUND: f64 = FAR_RATIO;

impl Capacity {
    /// Whether a run of so many cycles may well get there.
    pub(crate) fn is_near(&self, cycles: u64) -> bool {
        Self::is_so_near(self.cycles, cycles)
    }

    /// The same of so many more cycles.
    pub(crate) fn is_so_near(more: f64, cycles: u64) -> bool {
        more <= MAX_RUNS_TO_BOUND * cycles as f64
    }
}

impl HolderEvidence<'_> {
    /// Of the container at this path; `None` where it has no bound or nobody knows how fast it fills.
    pub(crate) fn room(&self, path: &str, cycles: &Cycles) -> Option<Capacity> {
        self.rises_at(path).find_map(|(holder, rises)| self.left(holder, holder.bound?, rises, cycles))
    }

    /// The same where the program itself keeps it at so many elements; `None` also where it has more, as the bound is none then.
    pub(crate) fn room_below(&self, path: &str, bound: u64, cycles: &Cycles) -> Option<Capacity> {
        let holds = |rises: &[Rise]| rises.last().is_some_and(|last| last.grown.length <= bound);
        let of_list = |(holder, rises): (&Holder, &[Rise])| {
            if holds(rises) { self.left(holder, bound, rises, cycles) } else { None }
        };
        self.rises_at(path).find_map(of_list)
    }

    /// The most elements that it was seen to have.
    pub(crate) fn length(&self, path: &str) -> Option<u64> {
        self.rises_at(path).filter_map(|(_, rises)| Some(rises.last()?.grown.length)).max()
    }

    /// Numbers and `None` among the attributes of the object that has the container.
    pub(crate) fn numbers_beside(&self, path: &str) -> &[(String, Option<u64>)] {
        self.rises_at(path).map(|(holder, _)| holder.numbers.as_slice()).next().unwrap_or_default()
    }

    fn left(&self, holder: &Holder, bound: u64, rises: &[Rise], cycles: &Cycles) -> Option<Capacity> {
        let left = cycles_left(bound, rises, &cycles.ends, cycles.count)?;
        let is_there_at_exit = !HolderPath::of(&holder.path).is_local();
        let closing = self.closing_scan.filter(|_| is_there_at_exit);
        let full_for = full_for(bound, rises, closing.or(self.scans.last().copied()), &cycles.ends);
        let full_at = (left <= 0.0).then_some(cycles.count as f64 + left);
        Some(Capacity { name: called(holder), bound, cycles: left.max(0.0), full_at, full_for })
    }

    fn rises_at(&self, path: &str) -> impl Iterator<Item = (&Holder, &[Rise])> {
        let path = HolderPath::of(path);
        let is_it = move |one: &str| {
            let one = HolderPath::of(one);
            one.has_container_of(path) || path.is_element_of(one)
        };
        self.rises.iter().filter_map(move |(id, rises)| {
            let holder = self.holder(*id).filter(|holder| is_it(&holder.path))?;
            Some((holder, rises.as_slice()))
        })
    }
}

/// An `lru_cache` has the name of its function, which itself is not what fills.
fn called(holder: &Holder) -> String {
    let name = name(holder);
    let is_cache = HolderPath::of(&holder.path).steps().any(|step| step == Step::LruCache);
    if is_cache { told::lru_cache(&name) } else { name }
}

/// Cycles until it is full, by its pace; below 0 where the run went beyond that.
fn cycles_left(bound: u64, rises: &[Rise], points: &[Point], count: u64) -> Option<f64> {
    let [first, .., last] = rises else { return None };
    let (from, to) = (cycle_of(points, first)?, cycle_of(points, last)?);
    let per_cycle = last.grown.length.checked_sub(first.grown.length)? as f64 / (to - from);
    let since = (count as f64 - to).max(0.0);
    let left = bound as f64 - last.grown.length as f64;
    (to > from && per_cycle > 0.0).then(|| left / per_cycle - since)
}

/// Cycles from the first rise that filled it to the last scan; a later scan tells of it again if it grew any further.
fn full_for(bound: u64, rises: &[Rise], last_scan: Option<u64>, points: &[Point]) -> f64 {
    let full = rises.iter().find(|rise| rise.grown.length >= bound);
    let ends = full.and_then(|rise| Some((cycle_of(points, rise)?, cycle_at(points, last_scan?)?)));
    ends.map_or(0.0, |(from, to)| (to - from).max(0.0))
}

#[cfg(test)]
mod tests {
    use nilometer_capture::Grown;

    use super::*;

    /// Twenty cycles, one per second.
    fn found(bound: u64, lengths: &[(u64, u64)]) -> Option<f64> {
        let points: Vec<Point> =
            (1..=20).map(|n| Point { ordinal: n, at_ns: n * 1000, level: 0.0, reading: 0 }).collect();
        let grown: Vec<Grown> =
            lengths.iter().map(|(_, length)| Grown { length: *length, ..Grown::default() }).collect();
        let rises: Vec<Rise> =
            lengths.iter().zip(grown).map(|((at_ns, _), grown)| Rise { at_ns: *at_ns, grown }).collect();
        cycles_left(bound, &rises, &points, 20)
    }

    #[test]
    fn the_end_is_where_the_pace_leads() {
        // Two per cycle, 36 at the 18th: 40 at the 20th, 60 in ten more.
        assert_eq!(found(60, &[(8000, 16), (18_000, 36)]), Some(10.0));
        assert_eq!(found(38, &[(8000, 16), (18_000, 36)]), Some(-1.0), "full since a cycle");
    }

    #[test]
    fn it_is_full_from_the_rise_that_filled_it_to_the_last_scan() {
        let points: Vec<Point> =
            (1..=20).map(|n| Point { ordinal: n, at_ns: n * 1000, level: 0.0, reading: 0 }).collect();
        let rise =
            |at_ns, length| Rise { at_ns, grown: Grown { length, cycle: at_ns / 1000, ..Grown::default() } };
        let rises = [rise(4000, 8), rise(9000, 12)];
        let full_for = |bound, last_scan| full_for(bound, &rises, Some(last_scan), &points).round() as u64;
        assert_eq!(full_for(12, 19_000), 10);
        assert_eq!(full_for(12, 9000), 0, "no scan since");
        assert_eq!(full_for(13, 19_000), 0, "no scan has met it full");
    }

    #[test]
    fn one_length_tells_no_pace() {
        assert_eq!(found(60, &[(8000, 16)]), None);
        assert_eq!(found(60, &[(8000, 16), (8000, 17)]), None);
        assert_eq!(found(60, &[(8000, 16), (18_000, 16)]), None);
    }
}
