//! Who takes back memory that gathers over several cycles and goes again: Python's collector, or the program.
//!
//! In: the judged points, and how often the collector had looked at older objects at each reading. Out: a sentence. What must not happen
//! here: a buffer that the program empties told as garbage, or garbage told as a buffer.
//!
//! What gathered over several cycles is no young garbage: only a collection of the middle generation or of the old one takes it back. So memory that
//! goes between two readings without such a collection was given back by the program. The other way round says less: where collections
//! come in most cycles anyway, one is always near.

use crate::cycles::Point;
use crate::timeline::Timeline;

/// A fall is told from noise by this share of the greatest one.
const MIN_FALL_RATIO: f64 = 0.5;
/// Who takes back this share of what falls takes it back.
const MIN_TAKEN_BACK_RATIO: f64 = 0.75;
/// Where more than this share of all steps has a collection in it, one beside a fall says nothing.
const MAX_COLLECTIONS_RATIO: f64 = 0.5;

const BY_COLLECTOR: &str = "garbage that waits for Python's collector, which takes it back";
const BY_PROGRAM: &str =
    "memory that builds up and that the program itself frees: no garbage collection lies where it goes";
const BY_EITHER: &str =
    "memory that builds up and is freed again, by Python's collector or by the program itself";

/// What is said of it.
pub(crate) fn sentence(timeline: &Timeline, points: &[Point]) -> &'static str {
    let older = |p: &Point| {
        let counters = &timeline.readings.get(p.reading)?.counters;
        Some(counters.gc1? + counters.gc2?)
    };
    let step = |pair: &[Point]| match pair {
        [a, b] => Some((a.level - b.level, older(b)? > older(a)?)),
        _ => None,
    };
    let Some(steps) = points.windows(2).map(step).collect::<Option<Vec<_>>>() else { return BY_EITHER };
    said(&steps)
}

/// Of steps: by how much memory fell, and whether the collector looked at older objects meanwhile.
fn said(steps: &[(f64, bool)]) -> &'static str {
    let greatest = steps.iter().map(|(fall, _)| *fall).fold(0.0, f64::max);
    let falls = || steps.iter().filter(|(fall, _)| *fall > 0.0 && *fall >= MIN_FALL_RATIO * greatest);
    let all: f64 = falls().map(|(fall, _)| fall).sum();
    let collected: f64 = falls().filter(|(_, collected)| *collected).map(|(fall, _)| fall).sum();
    let often = steps.iter().filter(|(_, collected)| *collected).count() as f64
        > MAX_COLLECTIONS_RATIO * steps.len() as f64;
    match () {
        () if all <= 0.0 => BY_EITHER,
        () if all - collected >= MIN_TAKEN_BACK_RATIO * all => BY_PROGRAM,
        () if collected >= MIN_TAKEN_BACK_RATIO * all && !often => BY_COLLECTOR,
        () => BY_EITHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty cycles that rise by one and fall by ten every tenth; with a collection in every so many of them, from the first of these on.
    fn of(first: usize, every: usize) -> &'static str {
        let step = |at: usize| {
            let fall = if at % 10 == 9 { 10.0 } else { -1.0 };
            (fall, at >= first && (at - first).is_multiple_of(every))
        };
        said(&(0..40).map(step).collect::<Vec<_>>())
    }

    #[test]
    fn a_fall_without_a_collection_is_the_programs() {
        assert_eq!(of(4, 10), BY_PROGRAM);
        assert_eq!(of(100, 1), BY_PROGRAM, "no collection at all");
    }

    #[test]
    fn a_fall_with_a_collection_is_the_collectors_where_few_have_one() {
        assert_eq!(of(9, 10), BY_COLLECTOR);
        assert_eq!(of(0, 1), BY_EITHER, "every step has one");
        assert_eq!(of(9, 20), BY_EITHER, "two of four");
    }

    #[test]
    fn what_did_not_fall_was_not_taken_back() {
        assert_eq!(said(&[(-1.0, false), (-1.0, true)]), BY_EITHER);
        assert_eq!(said(&[]), BY_EITHER);
    }
}
