//! The job's verdict where its workers did the work, and the program itself ran too short to be judged by time.
//!
//! In: what the captures of workers say, live memory of the program meanwhile. Out: that nothing leaks, or nothing. What must not happen
//! here: a word where one worker is not sure, or where the program rose by more than any process does.

use super::{Family, Reason};
use crate::report::Verdict;
use crate::timeline::{Basis, Timeline};
use crate::unit::Unit;

/// Why there is no leak though the program alone is undecided. Requests are the cycle of such a job, and its workers had enough of them.
pub(super) fn reason(family: &Family, timeline: &Timeline, basis: Basis) -> Option<Reason> {
    let Unit::Window { .. } = family.unit else { return None };
    let workers: Vec<_> = family.outside.served().collect();
    let kinds: Vec<String> = workers.iter().map(|(pid, ..)| family.kind(*pid)).collect();
    // Of one that nobody looked into nothing is known, if it is a worker like these.
    let is_clean = |pid: u64| match family.outside.said(pid) {
        Some(said) => said.verdict == Verdict::NoLeak,
        None => !kinds.contains(&family.kind(pid)),
    };
    let are_clean = workers.iter().all(|(_, said, _)| said.verdict == Verdict::NoLeak)
        && family.children.lives().iter().all(|life| is_clean(life.pid));
    let unit = workers.first().map(|(.., lived)| lived.unit)?;
    let served =
        workers.iter().filter(|(.., lived)| lived.unit == unit).map(|(.., lived)| lived.cycles).sum();
    let from = workers.iter().map(|(.., lived)| lived.recorded.0).min()?;
    let levels = timeline.readings.iter().filter(|reading| family.outside.mono_ns(reading.at_ns) >= from);
    let levels: Vec<f64> = levels.filter_map(|reading| reading.level(basis)).collect();
    let (begin, most) = (*levels.first()?, levels.iter().copied().fold(f64::NEG_INFINITY, f64::max));
    let rose = most - begin;
    let is_flat = levels.len() > 1 && rose <= family.unit.min_rise();
    let (unit, count) = (Unit::Marked(unit).word(), workers.len() as u64);
    let reason = || Reason::Served { workers: count, served, unit, rose };
    (are_clean && is_flat).then(reason)
}
