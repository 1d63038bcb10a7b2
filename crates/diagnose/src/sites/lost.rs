//! Samples that were lost, by cause: what happened, what it does to the report, and what to do about it.
//!
//! In: the recorder's counts. Out: a row for each cause that came. What must not happen here: a count that is told twice, or a cause
//! that a capture of an earlier version does not give.

use nilometer_capture::SamplingCount;

use crate::report::LostSamples;

/// Where one cause took less of all samples than this, the report rests on the others as well, and only `--verbose` tells it.
const MIN_NOTABLE_SHARE: f64 = 0.01;

const SAMPLE_LESS: &str = "sample less often: `--sample 4M`";
const MORE_DISK: &str = "free some disk space, or put the capture elsewhere: `-o FILE`";
const NOTHING: &str = "nothing: which samples it meets is chance";

/// Cause, count, what happened (behind the count), what to do.
type Row = (&'static str, Option<u64>, &'static str, &'static str);

/// What was lost of how many samples, in the recorder's order.
pub(crate) fn lost(count: &SamplingCount) -> Vec<LostSamples> {
    let rows: [Row; 10] = [
        ("scratch_full", count.scratch_full, "dropped: 64 threads were sampled at once", SAMPLE_LESS),
        (
            "stacks_busy",
            count.stacks_busy,
            "dropped: threads waited for each other to write stacks",
            SAMPLE_LESS,
        ),
        (
            "stacks_full",
            count.stacks_full,
            "without a line: there were too many different stacks",
            SAMPLE_LESS,
        ),
        ("table_full", count.table_full, "dropped: too many were alive to follow another", SAMPLE_LESS),
        ("filter_busy", count.filter_busy, "dropped: the address could not be followed just then", NOTHING),
        ("mappings_full", count.mappings_full, "dropped: 1,024 mappings are followed at most", SAMPLE_LESS),
        ("reentrant", count.reentrant, "dropped: the recorder was at work on that thread", NOTHING),
        ("capture_refused", count.capture_refused, "dropped: the capture could not grow", MORE_DISK),
        (
            "deaths_refused",
            count.deaths_refused,
            "counted as living, though ended: the capture could not grow",
            MORE_DISK,
        ),
        (
            "deaths_pending",
            count.deaths_pending,
            "counted as living, though ended: too many ended in signal handlers",
            "free less memory in signal handlers",
        ),
    ];
    let known: u64 = rows.iter().filter(|row| row.0 != "stacks_full").filter_map(|row| row.1).sum();
    let unknown = count.dropped.map(|dropped| dropped.saturating_sub(known));
    let unknown: Row = (
        "unknown",
        unknown,
        "dropped: an earlier version made this capture and gave no cause",
        "record again with this version",
    );
    let all = count.samples.unwrap_or(0) + count.dropped.unwrap_or(0);
    let row = |(cause, count, what, change): Row| {
        let count = count.filter(|count| *count > 0)?;
        let is_notable = count as f64 >= MIN_NOTABLE_SHARE * all as f64;
        Some(LostSamples { cause, count, what, change, is_notable })
    };
    rows.into_iter().chain([unknown]).filter_map(row).collect()
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
    fn each_cause_has_one_short_sentence() {
        let all = SamplingCount::from_numbers(&[Some(1); SamplingCount::NAMES.len()]);
        let all = SamplingCount { dropped: Some(10), ..all };
        let rows = lost(&all);
        assert_eq!(rows.len(), 11);
        for row in rows {
            assert!(row.sentence().split(' ').count() <= 25, "{}", row.sentence());
        }
    }
}
