//! Findings together are no more than the growth that they are parts of, and it is no less than what they are sure of.
//!
//! In: findings, each with the interval of its samples; the growth that was counted. Out: the same, with estimates that add up to no
//! more than the growth that is told; a lower end of the growth. What must not happen here: an estimate below its own interval; a finding that was
//! weighed made to pay for one that was guessed.

use nilometer_stats::Interval;

use crate::numbers::COUNT_ERROR_RATIO;
use crate::report::Finding;

/// Takes what is beyond the growth from the estimates, from each in proportion to its variance: the least squares' answer to
/// measurements that must meet a sum. Returns the share of the growth that they explain then, or nothing where nothing was taken.
pub(crate) fn add_up(findings: &mut [Finding], rate: &Interval) -> Option<f64> {
    let sum = |findings: &[Finding]| findings.iter().map(|f| f.bytes_per_cycle.estimate as f64).sum::<f64>();
    let before = sum(findings);
    // Each round but the last takes at least one finding down to the lower end of its interval.
    for _ in 0..findings.len() {
        let beyond = sum(findings) - rate.estimate;
        let slack: f64 = findings.iter().map(|f| below(f).powi(2)).sum();
        if beyond < 1.0 || slack <= 0.0 {
            break;
        }
        for finding in findings.iter_mut() {
            let room = below(finding);
            let less = (beyond * room.powi(2) / slack).min(room);
            take(finding, less.round() as i64);
        }
    }
    let after = sum(findings);
    (after < before && rate.estimate > 0.0).then(|| after / rate.estimate)
}

/// The growth with the lower end that its findings are sure of: what a scan or a look saw below a root is no garbage, and does not fill.
/// Where much of what was counted may be either, the counters alone say little of the rest. Findings that are sure of more than was counted
/// tell the same memory twice: then the largest of them alone counts.
pub(crate) fn at_least(rate: Interval, findings: &[Finding]) -> Interval {
    let sure = findings.iter().map(|f| kept_share(f) * f.bytes_per_cycle.low.max(0) as f64);
    let all: f64 = sure.clone().sum();
    let low = if all <= rate.estimate { all } else { sure.fold(0.0, f64::max).min(rate.estimate) };
    Interval { low: rate.low.max(low), ..rate }
}

/// The share of a finding that is kept for sure: all of one that is certain; of others the part that looks met below a root, whoever's it is.
fn kept_share(finding: &Finding) -> f64 {
    if finding.confidence == "certain" {
        return 1.0;
    }
    let holders = finding.holder.iter().chain(&finding.also_held_by);
    holders.filter_map(|holder| holder.share).sum::<f64>().min(1.0)
}

/// The interval of a leak as it is told. Counters see what an allocator hands out, which is more than was asked for.
pub(crate) fn with_count_error(rate: Interval) -> Interval {
    let error = COUNT_ERROR_RATIO * rate.estimate.abs();
    Interval { low: rate.low - error, high: rate.high + error, ..rate }
}

/// How far the estimate lies above the lower end of its interval.
fn below(finding: &Finding) -> f64 {
    (finding.bytes_per_cycle.estimate - finding.bytes_per_cycle.low).max(0) as f64
}

fn take(finding: &mut Finding, less: i64) {
    let was = finding.bytes_per_cycle.estimate.max(1);
    finding.bytes_per_cycle.estimate -= less;
    let share = finding.bytes_per_cycle.estimate as f64 / was as f64;
    for site in &mut finding.sites {
        site.bytes_per_cycle = (site.bytes_per_cycle as f64 * share).round() as i64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Bytes, Finding, Holder};

    /// What is left of estimates with their lower ends, where the growth is told as so much.
    fn left(growth: f64, parts: &[(i64, i64)]) -> Vec<i64> {
        let rate = Interval { estimate: growth, low: 0.8 * growth, high: 1.2 * growth };
        let mut findings: Vec<Finding> = parts
            .iter()
            .map(|(estimate, low)| Finding {
                bytes_per_cycle: Bytes { estimate: *estimate, low: *low, high: *estimate },
                ..Finding::default()
            })
            .collect();
        add_up(&mut findings, &rate);
        findings.iter().map(|f| f.bytes_per_cycle.estimate).collect()
    }

    #[test]
    fn who_is_unsure_pays() {
        assert_eq!(left(1280.0, &[(1200, 640), (590, 590)]), [690, 590]);
        assert_eq!(left(1000.0, &[(700, 500), (500, 400)]), [540, 460], "by their variances");
    }

    #[test]
    fn none_goes_below_its_interval() {
        assert_eq!(left(1000.0, &[(900, 850), (600, 0)]), [897, 103]);
        assert_eq!(
            left(1000.0, &[(900, 850), (900, 850)]),
            [850, 850],
            "both are sure; who is wrong is not known"
        );
        assert_eq!(left(1000.0, &[(900, 900), (900, 900)]), [900, 900]);
    }

    #[test]
    fn what_fits_is_left() {
        assert_eq!(left(1000.0, &[(600, 100), (400, 100)]), [600, 400]);
        assert_eq!(left(1000.0, &[(200, 100)]), [200], "what is unexplained is nobody's");
        assert!(left(1000.0, &[]).is_empty());
    }

    #[test]
    fn a_leak_counted_to_the_byte_may_still_be_a_hundredth_off() {
        let told = with_count_error(Interval { estimate: 1000.0, low: 1000.0, high: 1004.0 });
        assert!(told.contains(990.0) && told.contains(1014.0));
        assert!(!told.contains(989.0) && !told.contains(1015.0));
        assert!((told.estimate - 1000.0).abs() < f64::EPSILON);
    }

    /// The lower end of a growth of 90 (34 to 128) beside findings with these lower ends.
    fn lower_end(parts: &[(i64, &'static str)]) -> i64 {
        let rate = Interval { estimate: 90.0, low: 34.0, high: 128.0 };
        let finding = |(low, confidence): &(i64, &'static str)| Finding {
            bytes_per_cycle: Bytes { estimate: 90, low: *low, high: 110 },
            confidence,
            ..Finding::default()
        };
        at_least(rate, &parts.iter().map(finding).collect::<Vec<_>>()).low.round() as i64
    }

    #[test]
    fn memory_that_looks_met_below_a_root_is_no_garbage() {
        let held = |share| Holder { share, ..Holder::default() };
        let rate = Interval { estimate: 90.0, low: 34.0, high: 128.0 };
        let low = |shares: &[Option<f64>]| {
            let mut holders = shares.iter().map(|share| held(*share));
            let bytes_per_cycle = Bytes { estimate: 90, low: 80, high: 110 };
            let finding = Finding {
                bytes_per_cycle,
                confidence: "likely",
                holder: holders.next(),
                also_held_by: holders.collect(),
                ..Finding::default()
            };
            at_least(rate, &[finding]).low.round() as i64
        };
        assert_eq!(low(&[Some(0.5), Some(0.4)]), 72, "by two ways");
        assert_eq!(low(&[Some(0.25)]), 34, "the counters are surer");
        assert_eq!(low(&[None]), 34, "only a scan named it");
        assert_eq!(low(&[]), 34);
    }

    #[test]
    fn growth_is_at_least_what_findings_are_sure_of() {
        assert_eq!(lower_end(&[(72, "certain")]), 72, "garbage it is not");
        assert_eq!(lower_end(&[(40, "certain"), (30, "certain"), (90, "likely")]), 70);
        assert_eq!(lower_end(&[(20, "certain")]), 34);
        assert_eq!(lower_end(&[(70, "certain"), (65, "certain")]), 70, "one holds the other");
        assert_eq!(lower_end(&[(95, "certain")]), 90, "never above the estimate");
        assert_eq!(lower_end(&[(-5, "certain")]), 34);
    }
}
