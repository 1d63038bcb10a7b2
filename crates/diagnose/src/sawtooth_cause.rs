//! Who takes back memory that gathers over several cycles and goes again: Python's collector, or the program.
//!
//! In: the judged points, and how often the collector had looked at older objects at each reading. Out: who it is. What must not happen
//! here: a buffer that the program empties told as garbage, or garbage told as a buffer.
//!
//! What gathered over several cycles is no young garbage: only a collection of the middle generation or of the old one takes it back. So memory that
//! goes between two readings without such a collection was given back by the program. The other way round says less: where collections
//! come in most cycles anyway, one is always near.

use crate::cycles::Point;
use crate::timeline::Timeline;
use crate::told::words::parts::TakenBack;

/// A fall is told from noise by this share of the greatest one.
const MIN_FALL_RATIO: f64 = 0.5;
/// Who takes back this share of what falls takes it back.
const MIN_TAKEN_BACK_RATIO: f64 = 0.75;
/// Where more than this share of all steps has a collection in it, one beside a fall says nothing.
const MAX_COLLECTIONS_RATIO: f64 = 0.5;

/// Who takes back what gathers between these points.
pub(crate) fn by(timeline: &Timeline, points: &[Point]) -> TakenBack {
    let older = |p: &Point| {
        let counters = &timeline.readings.get(p.reading)?.counters;
        Some(counters.gc1? + counters.gc2?)
    };
    let step = |pair: &[Point]| match pair {
        [a, b] => Some((a.level - b.level, older(b)? > older(a)?)),
        _ => None,
    };
    let Some(steps) = points.windows(2).map(step).collect::<Option<Vec<_>>>() else {
        return TakenBack::Either;
    };
    of_steps(&steps)
}

/// Of steps: by how much memory fell, and whether the collector looked at older objects meanwhile.
fn of_steps(steps: &[(f64, bool)]) -> TakenBack {
    let greatest = steps.iter().map(|(fall, _)| *fall).fold(0.0, f64::max);
    let falls = || steps.iter().filter(|(fall, _)| *fall > 0.0 && *fall >= MIN_FALL_RATIO * greatest);
    let all: f64 = falls().map(|(fall, _)| fall).sum();
    let collected: f64 = falls().filter(|(_, collected)| *collected).map(|(fall, _)| fall).sum();
    let often = steps.iter().filter(|(_, collected)| *collected).count() as f64
        > MAX_COLLECTIONS_RATIO * steps.len() as f64;
    match () {
        () if all <= 0.0 => TakenBack::Either,
        () if all - collected >= MIN_TAKEN_BACK_RATIO * all => TakenBack::Program,
        () if collected >= MIN_TAKEN_BACK_RATIO * all && !often => TakenBack::Collector,
        () => TakenBack::Either,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty cycles that rise by one and fall by ten every tenth; with a collection in every so many of them, from the first of these on.
    fn of(first: usize, every: usize) -> TakenBack {
        let step = |at: usize| {
            let fall = if at % 10 == 9 { 10.0 } else { -1.0 };
            (fall, at >= first && (at - first).is_multiple_of(every))
        };
        of_steps(&(0..40).map(step).collect::<Vec<_>>())
    }

    #[test]
    fn a_fall_without_a_collection_is_the_programs() {
        assert_eq!(of(4, 10), TakenBack::Program);
        assert_eq!(of(100, 1), TakenBack::Program, "no collection at all");
    }

    #[test]
    fn a_fall_with_a_collection_is_the_collectors_where_few_have_one() {
        assert_eq!(of(9, 10), TakenBack::Collector);
        assert_eq!(of(0, 1), TakenBack::Either, "every step has one");
        assert_eq!(of(9, 20), TakenBack::Either, "two of four");
    }

    #[test]
    fn what_did_not_fall_was_not_taken_back() {
        assert_eq!(of_steps(&[(-1.0, false), (-1.0, true)]), TakenBack::Either);
        assert_eq!(of_steps(&[]), TakenBack::Either);
    }
}
