//! Bytes of a finding, by the scans that weighed its container, where samples are too few to say them well.
//!
//! In: findings by holder, each with the interval of its samples; what scans weighed of their containers; the growth that was
//! counted. Out: the same findings, some with better numbers, some with wider bounds. What must not happen here: a number below what the samples
//! are sure of, or that does not bring the findings nearer to the growth; bounds that leave out what was seen to be held.

use crate::numbers::{ALIKE, SEVERAL, TENTH};
use nilometer_model::HolderPath;
use nilometer_stats::Interval;

use super::HolderEvidence;
use super::lines_of_weighed::take_in_lines;
use super::scans::{Pace, Weighed};
use crate::cycles::Point;
use crate::report::{Bytes, Finding};

/// A container must have been watched for so many cycles: a scan strikes anywhere inside of one.
pub(super) const MIN_WATCHED_CYCLES: u64 = SEVERAL;
/// With the number of the scans all findings together are so near the growth, as a share of it.
const MAX_TOTAL_ERROR_RATIO: f64 = TENTH;
/// What was weighed is right within this share.
pub(crate) const SCAN_ERROR_RATIO: f64 = ALIKE;

impl HolderEvidence<'_> {
    /// Gives findings the bytes that scans weighed, where samples, scans and counters agree.
    pub(crate) fn weigh(&self, findings: &mut Vec<Finding>, rate: &Interval, points: &[Point]) {
        self.take_in_lines(findings, rate, points);
        weigh(findings, rate, |path| self.pace_at(path, points));
    }

    /// Tells lines that nobody is known to hold with the container that was weighed to keep what they make.
    pub(crate) fn take_in_lines(&self, findings: &mut Vec<Finding>, rate: &Interval, points: &[Point]) {
        let path = |f: &Finding| f.holder.as_ref().map(|holder| holder.path.clone());
        take_in_lines(findings, rate, |f| path(f).and_then(|path| self.pace_at(&path, points)));
    }

    /// How the container at this path grew, by the scans.
    fn pace_at(&self, path: &str, points: &[Point]) -> Option<Pace> {
        let path = HolderPath::of(path);
        let is_same =
            |id: u64| self.holder(id).is_some_and(|one| HolderPath::of(&one.path).has_container_of(path));
        let mut same = self.rises.iter().filter(|(id, _)| is_same(**id)).map(|(_, rises)| rises);
        // Two names for one place, or two places of one name, are two numbers.
        let only = same.next().filter(|_| same.next().is_none());
        only.and_then(|rises| Pace::of(rises, &self.scans, points))
    }
}

impl HolderEvidence<'_> {
    /// Widens the bounds of a finding that alone tells of a container, where scans weighed more in it than the samples of its lines
    /// account for: what of it was sampled where, or passes for garbage there, is not all that it keeps. The whole growth is not said to be
    /// less than such parts then.
    pub(crate) fn widen(&self, findings: &mut [Finding], rate: Interval, points: &[Point]) -> Interval {
        let paths: Vec<Option<String>> =
            findings.iter().map(|f| f.holder.as_ref().map(|holder| holder.path.clone())).collect();
        let mut widened = false;
        for (id, rises) in &self.rises {
            let Some(container) = self.holder(*id) else { continue };
            let container = HolderPath::of(&container.path);
            let tells = |path: &Option<String>| {
                path.as_ref().is_some_and(|path| HolderPath::of(path).is_within(container))
            };
            let mut telling = (0..paths.len()).filter(|at| paths.get(*at).is_some_and(tells));
            let (Some(at), None) = (telling.next(), telling.next()) else { continue };
            let pace = Pace::of(rises, &self.scans, points);
            let surely = |pace: &Pace| !pace.shared && pace.cycles >= MIN_WATCHED_CYCLES;
            if let Some(pace) = pace.filter(surely) {
                widened |= widen(findings, at, pace.bytes, &rate);
            }
        }
        let told: i64 = findings.iter().map(|f| f.bytes_per_cycle.estimate).sum();
        let parts = if widened { (told as f64).min(rate.high) } else { 0.0 };
        Interval { estimate: rate.estimate.max(parts), ..rate }
    }
}

/// Of the finding at this place its container was weighed to keep at least `weighed`; whether it was told to be less.
fn widen(findings: &mut [Finding], at: usize, weighed: f64, rate: &Interval) -> bool {
    let others: i64 = findings.iter().map(|f| f.bytes_per_cycle.low.max(0)).sum();
    let Some(finding) = findings.get_mut(at) else { return false };
    let bytes = &mut finding.bytes_per_cycle;
    let others = others - bytes.low.max(0);
    let most = (rate.high.round() as i64 - others).max(bytes.high);
    let is_more = weighed * (1.0 - SCAN_ERROR_RATIO) > bytes.high as f64;
    if is_more {
        bytes.high = most;
        bytes.estimate = bytes.estimate.max((weighed.round() as i64).min(most));
    }
    is_more
}

fn weigh(findings: &mut [Finding], rate: &Interval, pace: impl Fn(&str) -> Option<Pace>) {
    let mut sum: f64 = findings.iter().map(|f| f.bytes_per_cycle.estimate as f64).sum();
    for finding in findings {
        let Bytes { estimate, low, high } = finding.bytes_per_cycle;
        let Some(pace) = finding.holder.as_ref().and_then(|holder| pace(&holder.path)) else { continue };
        let told = pace.bytes.round() as i64;
        let with = sum - estimate as f64 + pace.bytes;
        let off = |sum: f64| (sum - rate.estimate).abs();
        let agrees = off(with) <= MAX_TOTAL_ERROR_RATIO * rate.estimate && off(with) < off(sum);
        if pace.weighed != Weighed::All || pace.cycles < MIN_WATCHED_CYCLES || told < low || !agrees {
            continue;
        }
        let about = |share: f64| (pace.bytes * share).round() as i64;
        // More than the samples say: memory that one line frees and another takes anew, as small objects' is, was sampled elsewhere.
        let most = if told > high { i64::MAX } else { high };
        let (low, high) = (low.max(about(1.0 - SCAN_ERROR_RATIO)), most.min(about(1.0 + SCAN_ERROR_RATIO)));
        finding.bytes_per_cycle = Bytes { estimate: told, low, high };
        for site in &mut finding.sites {
            let share = site.bytes_per_cycle as f64 / estimate.max(1) as f64;
            site.bytes_per_cycle = about(share);
        }
        sum = with;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Holder, Site};

    fn finding(path: &str, estimate: i64, low: i64, high: i64) -> Finding {
        let holder = Holder { path: path.to_owned(), ..Holder::default() };
        let site = Site {
            role: "made_at",
            file: "train.py".to_owned(),
            line: 3,
            function: "run".to_owned(),
            bytes_per_cycle: estimate,
            text: None,
            inside: None,
        };
        let bytes_per_cycle = Bytes { estimate, low, high };
        Finding { holder: Some(holder), sites: vec![site], bytes_per_cycle, ..Finding::default() }
    }

    fn weighed(rate: f64, bytes: f64, cycles: u64, native: bool) -> (i64, i64, i64, i64) {
        let rate = Interval { estimate: rate, low: 0.5 * rate, high: 1.5 * rate };
        let mut findings =
            [finding("run(): kept[*]", 630, 290, 690), Finding { holder: None, ..finding("", 20, 10, 30) }];
        let weighed = if native { Weighed::AllButNative } else { Weighed::All };
        let pace = Pace {
            bytes,
            elements: 1.0,
            lengthened: 1.0,
            cycles,
            weighed,
            shared: false,
            slows: false,
            even: false,
        };
        weigh(&mut findings, &rate, |path| (path == "run(): kept[*]").then_some(pace));
        assert_eq!(findings[1].bytes_per_cycle.estimate, 20);
        let Bytes { estimate, low, high } = findings[0].bytes_per_cycle;
        (estimate, low, high, findings[0].sites[0].bytes_per_cycle)
    }

    #[test]
    fn scans_that_agree_with_the_growth_say_the_bytes() {
        assert_eq!(weighed(530.0, 512.0, 8, false), (512, 410, 614, 512));
        assert_eq!(
            weighed(960.0, 920.0, 8, false),
            (920, 736, 1104, 920),
            "more than was sampled at its lines"
        );
    }

    #[test]
    fn what_was_weighed_lies_within_the_bounds() {
        let widened = |weighed: f64| {
            let rate = Interval { estimate: 630.0, low: 630.0, high: 2700.0 };
            let mut findings = [finding("figs[*]", 630, 620, 640), finding("kept[*]", 100, 80, 120)];
            assert_eq!(widen(&mut findings, 0, weighed, &rate), weighed > 1000.0);
            assert_eq!(findings[1].bytes_per_cycle, Bytes { estimate: 100, low: 80, high: 120 });
            let Bytes { estimate, low, high } = findings[0].bytes_per_cycle;
            (estimate, low, high)
        };
        assert_eq!(widened(1600.0), (1600, 620, 2620), "what is left beside the other is possible");
        assert_eq!(widened(9000.0), (2620, 620, 2620), "no more than the growth");
        assert_eq!(widened(700.0), (630, 620, 640), "as much, within what weighing is right by");
        assert_eq!(widened(90.0), (630, 620, 640), "Python cannot see all of it");
    }

    #[test]
    fn others_do_not() {
        let as_it_was = (630, 290, 690, 630);
        assert_eq!(weighed(650.0, 512.0, 8, false), as_it_was, "the samples are nearer");
        assert_eq!(weighed(530.0, 512.0, 2, false), as_it_was, "too short a time");
        assert_eq!(weighed(530.0, 512.0, 8, true), as_it_was, "native code keeps more");
        assert_eq!(weighed(300.0, 280.0, 8, false), as_it_was, "the samples are sure of more");
        assert_eq!(weighed(400.0, 512.0, 8, false), as_it_was, "better, and wrong all the same");
    }
}
