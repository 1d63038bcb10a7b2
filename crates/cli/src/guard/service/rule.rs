//! Whether a worker must make room now, and which. Pure: figures in, a choice out.
//!
//! In: the limit's judgement of the last seconds, the states of the workers. Out: who is asked to end. What must not happen here: a worker
//! that is chosen where its growth is not known to be kept; `docs/design/guard.md` argues each number.

use std::time::Duration;

use nilometer_diagnose::Verdict;
use nilometer_report::Status;

use crate::guard::rule::Judgement;

/// Between two looks at the limit.
pub(super) const LOOK_INTERVAL: Duration = Duration::from_secs(2);
/// A replacement is begun so long before the limit would be met, or twice as long as the longest one took.
const MIN_AHEAD: Duration = Duration::from_secs(6);
/// Whose end gives back less is not worth one.
const MIN_KEPT_BYTES: f64 = 1024.0 * 1024.0;

/// How far ahead one must look, by the longest replacement that was seen.
pub(super) fn ahead(longest: Duration) -> Duration {
    MIN_AHEAD.max(longest * 2)
}

/// What the next so many seconds may add.
pub(super) fn growth_in(judgement: &Judgement, ahead: Duration) -> u64 {
    (judgement.growth as f64 * (ahead.as_secs_f64() / LOOK_INTERVAL.as_secs_f64())) as u64
}

/// Whether the limit comes so near meanwhile that somebody must make room.
pub(super) fn is_near(judgement: &Judgement, ahead: Duration) -> bool {
    let need = judgement.used.saturating_add(growth_in(judgement, ahead)).saturating_add(judgement.margin);
    judgement.acts || judgement.growth > 0 && need > judgement.limit
}

/// Whether memory grows and has met half of its limit: from then on the workers are judged now and then.
pub(super) fn is_half_full(judgement: &Judgement) -> bool {
    judgement.growth > 0 && judgement.used >= judgement.limit / 2
}

/// What a worker has kept by what its capture says, in bytes.
pub(super) fn kept(status: &Status) -> f64 {
    status.growth.map_or(0.0, |growth| growth.estimate as f64 * status.cycles as f64)
}

/// The worker that leaks by its own capture and has kept most.
pub(super) fn choose<'s>(statuses: &'s [Status], workers: &[u32]) -> Option<&'s Status> {
    let is_worker = |status: &Status| {
        status.pid.and_then(|pid| u32::try_from(pid).ok()).is_some_and(|pid| workers.contains(&pid))
    };
    let leaks = |status: &Status| {
        status.running
            && status.verdict == Some(Verdict::Leak)
            && status.growth.is_some_and(|growth| growth.low > 0)
            && kept(status) >= MIN_KEPT_BYTES
    };
    statuses
        .iter()
        .filter(|status| is_worker(status) && leaks(status))
        .max_by(|a, b| kept(a).total_cmp(&kept(b)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use nilometer_diagnose::Bytes;

    const MIB: u64 = 1 << 20;

    fn judgement(used: u64, growth: u64) -> Judgement {
        Judgement {
            used: used * MIB,
            limit: 400 * MIB,
            growth: growth * MIB,
            margin: 8 * MIB,
            ..Judgement::default()
        }
    }

    fn worker(pid: u64, verdict: Verdict, bytes: i64, cycles: u64) -> Status {
        let growth = Bytes { estimate: bytes, low: bytes, high: bytes };
        Status {
            pid: Some(pid),
            running: true,
            verdict: Some(verdict),
            growth: Some(growth),
            cycles,
            ..Status::default()
        }
    }

    #[test]
    fn near_is_what_the_growth_of_the_next_seconds_meets() {
        let ahead = ahead(Duration::ZERO);
        // Six seconds are three looks: 386 + 6 + 8 is the limit to the byte.
        assert!(!is_near(&judgement(386, 2), ahead));
        assert!(is_near(&judgement(387, 2), ahead));
        assert!(!is_near(&judgement(399, 0), ahead), "it stands still");
        assert!(is_near(&Judgement { acts: true, ..judgement(330, 1) }, ahead));
    }

    #[test]
    fn a_slow_replacement_is_begun_sooner() {
        assert_eq!(ahead(Duration::from_secs(3)), MIN_AHEAD);
        assert_eq!(ahead(Duration::from_secs(20)), Duration::from_secs(40));
    }

    #[test]
    fn who_has_kept_most_is_chosen_of_those_that_leak() {
        let all = [
            worker(1, Verdict::NoLeak, 900_000, 9000),
            worker(2, Verdict::Leak, 10_000, 4000),
            worker(3, Verdict::Leak, 9_000, 9000),
            worker(4, Verdict::Undecided, 900_000, 9000),
            worker(5, Verdict::Leak, 900_000, 9000),
        ];
        let chosen = |workers: &[u32]| choose(&all, workers).and_then(|status| status.pid);
        assert_eq!(chosen(&[1, 2, 3, 4]), Some(3), "5 is no worker");
        assert_eq!(chosen(&[1, 2, 4]), Some(2));
        assert_eq!(chosen(&[1, 4]), None);
        assert_eq!(choose(&[worker(6, Verdict::Leak, 900, 100)], &[6]), None, "too little to be worth it");
        assert_eq!(choose(&[Status { running: false, ..worker(5, Verdict::Leak, 9000, 9000) }], &[5]), None);
    }
}
