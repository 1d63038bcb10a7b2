//! Samples that were lost, by cause.
//!
//! In: the recorder's counts. Out: a row for each cause that came. What must not happen here: a count that is told twice, or a cause
//! that a capture of an earlier version does not give.

use nilometer_capture::{Loss, SamplingCount};

use crate::report::LostSamples;
use crate::told::words::lost::words;

/// Where one cause took less of all samples than this, the report rests on the others as well, and only `--verbose` tells it.
const MIN_NOTABLE_SHARE: f64 = 0.01;

/// The cause in captures of earlier versions, which give none.
const UNKNOWN: &str = "unknown";

/// What was lost of how many samples, in the recorder's order.
pub(crate) fn lost(count: &SamplingCount) -> Vec<LostSamples> {
    let rows = Loss::ALL.iter().map(|loss| (Some(*loss), count.lost(*loss)));
    let is_dropped = |loss: &Loss| !loss.keeps_sample();
    let known: u64 = Loss::ALL.iter().copied().filter(is_dropped).filter_map(|loss| count.lost(loss)).sum();
    let unknown = (None, count.dropped.map(|dropped| dropped.saturating_sub(known)));
    let all = count.samples.unwrap_or(0) + count.dropped.unwrap_or(0);
    let row = |(cause, count): (Option<Loss>, Option<u64>)| {
        let count = count.filter(|count| *count > 0)?;
        let is_notable = count as f64 >= MIN_NOTABLE_SHARE * all as f64;
        let (what, change) = words(cause);
        Some(LostSamples { cause: cause.map_or(UNKNOWN, Loss::name), count, what, change, is_notable })
    };
    rows.chain([unknown]).filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(count: &SamplingCount) -> Vec<(&'static str, u64, bool)> {
        lost(count).into_iter().map(|row| (row.cause, row.count, row.is_notable)).collect()
    }

    #[test]
    fn a_cause_is_notable_from_a_hundredth_of_all_samples_on() {
        let of = |table_full| SamplingCount {
            samples: Some(1000 - table_full),
            dropped: Some(table_full),
            table_full: Some(table_full),
            ..SamplingCount::default()
        };
        assert_eq!(told(&of(9)), [("table_full", 9, false)]);
        assert_eq!(told(&of(10)), [("table_full", 10, true)]);
        assert!(told(&of(0)).is_empty());
    }

    #[test]
    fn a_capture_of_an_earlier_version_gives_no_cause() {
        let old = SamplingCount { samples: Some(100), dropped: Some(5), ..SamplingCount::default() };
        assert_eq!(told(&old), [("unknown", 5, true)]);
    }

    #[test]
    fn samples_without_a_stack_are_told_and_are_not_among_the_dropped() {
        let count = SamplingCount {
            samples: Some(100),
            dropped: Some(2),
            stacks_full: Some(40),
            filter_busy: Some(2),
            ..SamplingCount::default()
        };
        assert_eq!(told(&count), [("stacks_full", 40, true), ("filter_busy", 2, true)]);
    }

    #[test]
    fn lost_ends_do_not_stand_for_samples_that_were_dropped() {
        let count = SamplingCount {
            samples: Some(100),
            dropped: Some(3),
            deaths_pending: Some(4),
            ..SamplingCount::default()
        };
        assert_eq!(told(&count), [("deaths_pending", 4, true), ("unknown", 3, true)]);
    }

    #[test]
    fn each_cause_has_one_short_sentence() {
        let all = SamplingCount::from_numbers(&[Some(1); SamplingCount::NAMES.len()]);
        let all = SamplingCount { dropped: Some(8), ..all };
        let rows = lost(&all);
        assert_eq!(rows.len(), 11);
        for row in rows {
            assert!(row.sentence().split(' ').count() <= 25, "{}", row.sentence());
        }
    }
}
