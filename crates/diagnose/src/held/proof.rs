//! A growth that the collector's counters leave open, proven by who holds it: what hangs below a path of the user's is no garbage.
//!
//! In: what scans said of containers, a judgement that is undecided or takes the growth for garbage, its series. Out: the growth
//! that is certain then. What must not happen here: proof from a container that may have stopped, that has a bound in reach, that a
//! library fills (weak dictionaries shrink with the next collection), or that carries too little of the growth.

use nilometer_stats::Interval;

use super::Held;
use super::scans::Pace;
use crate::cycles::Cycles;
use crate::judge::Judgement;
use crate::report::Verdict;
use crate::sampled::origin::Origin;
use crate::sizes::size;

/// It must carry this share of what live memory grows by, half of it where that passes for garbage; where it is less than half, only
/// what it carries is certain, ...
const SHARE: f64 = 0.3;
const HALF: f64 = 0.5;
/// ... and no more than so many times as much: else the two do not speak of the same.
const MOST: f64 = 1.5;
/// Times that a scan told of it.
const TOLD: usize = 2;
/// It was still growing in this last part of the judged cycles, ...
const LATE: f64 = 2.0 / 3.0;
/// ... and was watched for this share of them; or it was watched for so many cycles, and grew just as live memory does all the
/// while: scans of a big heap lie far apart.
const WATCHED: f64 = 0.25;
const ENOUGH: u64 = 6;
const AGREES: f64 = 0.2;
/// What was weighed is right within this share.
const WEIGHED: f64 = 0.2;

/// The judgement with what a container proves: a leak, if the growth might be garbage and one does.
pub(crate) fn prove(held: &Held, judgement: Judgement, cycles: &Cycles) -> Judgement {
    let Some(rate) = proven(held, &judgement, cycles) else { return judgement };
    let all = judgement.rate.map_or(rate.estimate, |all| all.estimate);
    let reason = if rate.estimate < HALF * all {
        format!(
            "live memory grows by {} per {}; some of it may be garbage, but a container that the program holds grows by {}",
            size(all),
            cycles.unit.word(),
            size(rate.estimate)
        )
    } else {
        format!(
            "live memory grows by {} per {}, and a container that the program holds grows by as much: it is no garbage",
            size(rate.estimate),
            cycles.unit.word()
        )
    };
    Judgement { verdict: Verdict::Leak, reason, needed: None, rate: Some(rate), ..judgement }
}

/// The growth per cycle, if a container proves it.
fn proven(held: &Held, judgement: &Judgement, cycles: &Cycles) -> Option<Interval> {
    let open = judgement.verdict == Verdict::Undecided || judgement.rests_on_garbage;
    let rate = judgement.rate.filter(|_| open && judgement.filling.is_none())?;
    let points = &cycles.points;
    let (first, last) = (points.get(judgement.since)?, points.last()?);
    let late_ns = first.at_ns as f64 + LATE * last.at_ns.saturating_sub(first.at_ns) as f64;
    let enough = WATCHED * last.ordinal.saturating_sub(first.ordinal) as f64;
    let speaks = |(id, rises): (&u64, &Vec<super::Rise>)| {
        let holder = held.holder(*id)?;
        let ends = holder.bound.is_some()
            && held.room(&holder.path, cycles).is_none_or(|room| room.is_near(cycles.count));
        let users = !ends && Origin::of(&holder.file) == Origin::User && !holder.file.is_empty();
        let late = rises.last().is_some_and(|rise| rise.at_ns as f64 >= late_ns);
        let pace = Pace::of(rises, &held.scans, points)?;
        let agrees = (pace.bytes - rate.estimate).abs() <= AGREES * rate.estimate;
        let long = pace.bytes >= HALF * rate.estimate || pace.cycles >= ENOUGH;
        let watched = late && long && pace.cycles as f64 >= enough || agrees && pace.cycles >= ENOUGH;
        (users && watched && rises.len() >= TOLD).then_some(pace.bytes)
    };
    let bytes = held.rises.iter().filter_map(speaks).fold(0.0, f64::max);
    let share = if judgement.rests_on_garbage { HALF } else { SHARE };
    let carries = bytes > cycles.unit.floor() && bytes >= share * rate.estimate && bytes <= MOST * rate.high;
    // Of what it does not carry nobody knows.
    let estimate = if bytes < HALF * rate.estimate { bytes } else { rate.estimate.max(bytes) };
    carries.then(|| Interval {
        estimate,
        low: (bytes * (1.0 - WEIGHED)).max(rate.low),
        high: rate.high.max(bytes * (1.0 + WEIGHED)),
    })
}
