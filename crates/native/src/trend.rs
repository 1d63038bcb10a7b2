//! Does live memory rise from cycle to cycle? A quick question, asked in the program, before anything dear is done.
//!
//! In: live bytes at the ends of cycles of one unit. Out: yes or no. Pure, in constant memory. What must not happen here:
//! a verdict; this only says when a look at who holds the memory is worth its price.

/// Points that are kept; when there are more, every second one goes.
const POINTS: usize = 64;
/// Cycles that belong to the start.
const START: u64 = 2;
/// Points needed to see a rise.
const MIN_POINTS: usize = 4;
/// Bytes that it must have risen by as a whole.
const WHOLE: u64 = 96 << 10;

/// Live bytes by cycle.
#[derive(Debug)]
pub(crate) struct Trend {
    points: [(u64, u64); POINTS],
    count: usize,
    /// Cycles between two points that are kept.
    stride: u64,
}

impl Default for Trend {
    fn default() -> Self {
        Self { points: [(0, 0); POINTS], count: 0, stride: 1 }
    }
}

impl Trend {
    /// Live bytes at the end of this cycle.
    pub(crate) fn note(&mut self, ordinal: u64, live: u64) {
        let last = self.count.checked_sub(1).and_then(|at| self.points.get(at)).map_or(START, |p| p.0);
        if ordinal <= START || ordinal < last + self.stride {
            return;
        }
        if self.count == POINTS {
            for at in 0..POINTS / 2 {
                if let Some(kept) = self.points.get(2 * at).copied()
                    && let Some(place) = self.points.get_mut(at)
                {
                    *place = kept;
                }
            }
            self.count = POINTS / 2;
            self.stride *= 2;
        }
        if let Some(place) = self.points.get_mut(self.count) {
            *place = (ordinal, live);
            self.count += 1;
        }
    }

    /// How many points there are, at most [`POINTS`].
    pub(crate) fn points(&self) -> usize {
        self.count
    }

    /// Bytes from the first third to the last, if most steps lead up and it is more than a residue, `per_cycle`; else 0.
    pub(crate) fn risen(&self, per_cycle: u64) -> u64 {
        let points = self.points.get(..self.count).unwrap_or_default();
        let third = (points.len() / 3).max(1);
        let (Some(first), Some(last)) =
            (points.get(..third), points.get(points.len().saturating_sub(third)..))
        else {
            return 0;
        };
        let (Some(from), Some(to)) = (middle(first), middle(last)) else { return 0 };
        let up = points.windows(2).filter(|pair| matches!(pair, [a, b] if b.1 > a.1)).count();
        let risen = to.1.saturating_sub(from.1);
        let is_rise = points.len() >= MIN_POINTS
            && risen >= WHOLE
            && risen >= per_cycle.saturating_mul(to.0.saturating_sub(from.0))
            && 2 * up > points.len() - 1;
        if is_rise { risen } else { 0 }
    }

    /// Whether it still rises by that much per cycle, from the second third to the last: what slows as a healthy training does
    /// will not have been a leak.
    pub(crate) fn goes_on(&self, per_cycle: u64) -> bool {
        let points = self.points.get(..self.count).unwrap_or_default();
        let third = (points.len() / 3).max(1);
        let from_the_end = |thirds: usize| points.len().saturating_sub(third * thirds);
        let (Some(second), Some(last)) =
            (points.get(from_the_end(2)..from_the_end(1)), points.get(from_the_end(1)..))
        else {
            return false;
        };
        let (Some(from), Some(to)) = (middle(second), middle(last)) else { return false };
        to.1.saturating_sub(from.1) >= per_cycle.saturating_mul(to.0.saturating_sub(from.0)).max(1)
    }
}

/// The point with the middle level.
fn middle(points: &[(u64, u64)]) -> Option<(u64, u64)> {
    let mut sorted = [(0, 0); POINTS];
    let sorted = sorted.get_mut(..points.len())?;
    sorted.copy_from_slice(points);
    sorted.sort_unstable_by_key(|point| point.1);
    sorted.get(points.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(levels: impl IntoIterator<Item = u64>) -> bool {
        let mut rise = Trend::default();
        for (at, live) in levels.into_iter().enumerate() {
            rise.note(at as u64 + 1, live);
        }
        rise.risen(2 << 10) > 0
    }

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_leak_is_seen_by_its_sixth_cycle_and_not_before() {
        let leak = |n: u64| seen((0..n).map(|i| 100 * MIB + i * MIB));
        assert!(!leak(5));
        assert!(leak(6));
        assert!(leak(5000));
    }

    #[test]
    fn a_small_leak_is_seen_later() {
        let leak = |n: u64| seen((0..n).map(|i| 100 * MIB + i * (8 << 10)));
        assert!(!leak(8));
        assert!(leak(30));
    }

    #[test]
    fn a_rise_that_slows_does_not_go_on_and_a_leak_does() {
        let goes_on = |levels: &mut dyn Iterator<Item = u64>| {
            let mut rise = Trend::default();
            for (at, live) in levels.enumerate() {
                rise.note(at as u64 + 1, live);
            }
            (rise.risen(2 << 10) > 0, rise.goes_on(8 << 10))
        };
        // 32 KiB in each of the first twelve cycles, 2 KiB in those that follow.
        let slows = |n: u64| 100 * MIB + n.min(12) * (32 << 10) + n.saturating_sub(12) * (2 << 10);
        assert_eq!(goes_on(&mut (0..12).map(slows)), (true, true));
        assert_eq!(goes_on(&mut (0..30).map(slows)), (true, false));
        for cycles in [12, 100, 1000] {
            let leak = |n: u64| 100 * MIB + n * (16 << 10) + n * 7 % 5 * (4 << 10);
            assert_eq!(goes_on(&mut (0..cycles).map(leak)), (true, true), "{cycles}");
        }
        assert!(!Trend::default().goes_on(0));
    }

    #[test]
    fn start_up_noise_and_a_residue_are_not_a_rise() {
        assert!(!seen([1, 50, 100, 100, 100, 100, 100, 100, 100].map(|mib| mib * MIB)));
        assert!(!seen((0..200).map(|i| 100 * MIB + (i % 2) * 5 * MIB)));
        assert!(!seen((0..80).map(|i| 100 * MIB + i * 1700)));
        assert!(!seen((0..100).map(|i| 100 * MIB + if i > 50 { 4 * MIB } else { 0 })));
        assert!(!seen([]));
    }

    #[test]
    fn garbage_that_is_collected_now_and_then_is_not_a_rise() {
        assert!(!seen((0..90).map(|i| 100 * MIB + (i % 10) * MIB)));
    }
}
