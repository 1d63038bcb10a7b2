//! When in the course of cycles something happened.
//!
//! In: the marks of the judged unit. Out: stretches of one cycle each, or of several where there are very many: what
//! matters is that memory lived through a few of them, and three hundred thousand steps tell no more than sixty bins.

use crate::cycles::Cycles;
use crate::timeline::Timeline;

/// Bins at most.
const MAX_BINS: usize = 64;

/// Consecutive stretches of cycles; the first begins with the program.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Bins {
    /// When each ends.
    ends: Vec<u64>,
    /// The last cycle in each.
    ordinals: Vec<u64>,
}

impl Bins {
    pub(crate) fn of(timeline: &Timeline, cycles: &Cycles) -> Self {
        let mut marks: Vec<(u64, u64)> = Vec::new();
        let mut add = |ordinal: u64, at_ns: u64| {
            if marks.last().is_none_or(|(last, _)| ordinal > *last) {
                marks.push((ordinal, at_ns));
            }
        };
        match cycles.unit.marks() {
            Some(_) if cycles.is_by_mix => cycles.ends.iter().for_each(|p| add(p.ordinal, p.at_ns)),
            Some(unit) => {
                timeline.marks.iter().filter(|m| m.unit == unit).for_each(|m| add(m.ordinal, m.at_ns));
            }
            None => (1..).zip(&cycles.window_ends).for_each(|(n, end)| add(n, *end)),
        }
        let every = marks.len().div_ceil(MAX_BINS).max(1);
        // Counted from the end: the last bin is as long as the others.
        let kept = marks.iter().rev().step_by(every).rev();
        let (ordinals, ends) = kept.copied().unzip();
        Self { ends, ordinals }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bin of a moment; `len()` after the last mark.
    pub(crate) fn at(&self, at_ns: u64) -> usize {
        self.ends.partition_point(|end| *end < at_ns)
    }

    /// When a bin ends.
    pub(crate) fn end(&self, bin: usize) -> Option<u64> {
        self.ends.get(bin).copied()
    }

    /// The last cycle in a bin.
    pub(crate) fn ordinal(&self, bin: usize) -> u64 {
        self.ordinals.get(bin).copied().unwrap_or(0)
    }

    /// Cycles in a bin.
    pub(crate) fn width(&self, bin: usize) -> f64 {
        let before = bin.checked_sub(1).map_or(0, |b| self.ordinal(b));
        self.ordinal(bin).saturating_sub(before) as f64
    }

    /// The bin that a cycle is in.
    pub(crate) fn of_ordinal(&self, ordinal: u64) -> usize {
        self.ordinals.partition_point(|o| *o < ordinal)
    }
}
