//! A growth that the counters leave open, proven by who holds it: what hangs below a path of the user's is no garbage, and is there
//! however much all other memory moves.
//!
//! In: what scans said of containers, a judgement that is no leak yet, its series. Out: the growth
//! that is certain then. What must not happen here: proof from a container that may have stopped, that has a bound in reach, that a
//! library fills (weak dictionaries shrink with the next collection), that shares its elements (a list of the samples that were drawn keeps nothing), that
//! slows (a dict of what was met last of each class), or that carries too little of the growth.

use std::collections::BTreeMap;

use nilometer_stats::Interval;

use super::Held;
use super::scans::{Pace, Weighed};
use super::weighed::WEIGHED;
use crate::cycles::Cycles;
use crate::judge::Judgement;
use crate::report::Verdict;
use crate::sampled::origin::Origin;
use crate::sizes::size;

/// It must carry this share of what live memory grows by, half of it where that passes for garbage; where it is less than half, or less than
/// nearly all of it although all that hangs below its elements was weighed, only what it carries is certain, ...
const SHARE: f64 = 0.3;
const HALF: f64 = 0.5;
/// ... and no more than so many times as much: else the two do not speak of the same.
const MOST: f64 = 1.5;
/// Times that a scan told of it, and where the counters show no growth.
const TOLD: usize = 2;
const TOLD_ALONE: usize = 3;
/// It was still growing in this last part of the judged cycles, ...
const LATE: f64 = 2.0 / 3.0;
/// ... and was watched for this share of them; or it was watched for so many cycles, and grew just as live memory does all the
/// while: scans of a big heap lie far apart.
const WATCHED: f64 = 0.25;
const ENOUGH: u64 = 6;
const AGREES: f64 = 0.2;
/// What grows evenly counts from this share of the floor on: 6.4 KiB per epoch, so that one array of 8 kB does.
const OWN_FLOOR: f64 = 0.4;
/// Each of its elements keeps so many bytes: the losses of all batches, which many note as numbers, are as even and harm nobody.
const HEAVY: f64 = 1024.0;
/// New elements per cycle that native memory hangs below: however little Python can see of them. Where the counters do not show the growth, each must
/// have so many bytes that Python does see: a tensor of one number has 200, a summary writer 900.
const UNSEEN_EACH: f64 = 0.9;
const UNSEEN_HEAVY: f64 = 512.0;

/// The judgement with what a container proves: a leak, if the growth might be garbage and one does; more of a leak, if some of that was
/// taken for garbage.
pub(crate) fn prove(held: &Held, judgement: Judgement, cycles: &Cycles) -> Judgement {
    if judgement.verdict == Verdict::Leak {
        let seen = together(&paces(held, &judgement, cycles)).unwrap_or(0.0);
        let rate = judgement.rate.map(|rate| at_least(rate, seen));
        return Judgement { rate, ..judgement };
    }
    let paces = paces(held, &judgement, cycles);
    let whole = paces.iter().all(|one| one.pace.weighed == Weighed::All);
    let carried = together(&paces).map(|bytes| Carried { bytes, whole });
    let rate = carried.and_then(|carried| proven(carried, cycles.unit.floor(), &judgement, cycles));
    let Some((carried, rate)) = carried.zip(rate) else { return by_unseen(&paces, judgement, cycles) };
    let all = judgement.rate.map_or(rate.estimate, |all| all.estimate);
    let reason = if !is_open(&judgement) {
        unseen_by_counters(&rate, cycles)
    } else if rate.estimate < all {
        format!(
            "live memory grows by {} per {}; some of it may be garbage, but what the program's own containers keep grows by {}",
            size(all),
            cycles.unit.word(),
            size(carried.bytes)
        )
    } else {
        format!(
            "live memory grows by {} per {}, and what the program's own containers keep grows by as much: it is no garbage",
            size(rate.estimate),
            cycles.unit.word()
        )
    };
    Judgement { verdict: Verdict::Leak, reason, needed: None, rate: Some(rate), ..judgement }
}

/// A leak that neither counters nor samples show: containers that get as many heavy elements with each cycle. They count from a
/// smaller growth on than others do, as samples below the user's own holders do: a framework's residue is not there.
pub(crate) fn prove_evenly(held: &Held, judgement: &Judgement, cycles: &Cycles) -> Option<Judgement> {
    if judgement.verdict != Verdict::NoLeak || is_open(judgement) {
        return None;
    }
    let paces = paces(held, judgement, cycles);
    let heavy = |pace: &Pace| pace.weighed == Weighed::All && pace.bytes >= HEAVY * pace.elements;
    let even = paces.iter().filter(|one| one.pace.even && heavy(&one.pace));
    let carried = Carried { bytes: together(even)?, whole: true };
    let rate = proven(carried, OWN_FLOOR * cycles.unit.floor(), judgement, cycles)?;
    let reason = unseen_by_counters(&rate, cycles);
    Some(Judgement { verdict: Verdict::Leak, reason, needed: None, rate: Some(rate), ..judgement.clone() })
}

fn unseen_by_counters(rate: &Interval, cycles: &Cycles) -> String {
    format!(
        "what the program's own containers keep grows by {} per {}, though live memory as a whole moves too much to show it",
        size(rate.estimate),
        cycles.unit.word()
    )
}

/// A growth that is at least what a container grows by, if it may be so much, and if the container tells it more exactly.
fn at_least(rate: Interval, bytes: f64) -> Interval {
    let low = bytes * (1.0 - WEIGHED);
    if bytes <= rate.estimate || bytes > rate.high || low <= rate.low {
        return rate;
    }
    Interval { estimate: bytes, low, high: rate.high }
}

/// Whether the growth is seen, and it is not known what it is.
fn is_open(judgement: &Judgement) -> bool {
    judgement.verdict != Verdict::NoLeak || judgement.rests_on_garbage
}

/// A container that may prove something.
struct Seen {
    /// When the scan ended that told of it last.
    told_by: u64,
    pace: Pace,
}

/// What the containers that one scan told of grow by per cycle together, the most of all scans. Each has its own share of what is new: a
/// scan counts no element twice, and a container once, where another scan may call it differently.
fn together<'s>(seen: impl IntoIterator<Item = &'s Seen>) -> Option<f64> {
    let mut by_scan: BTreeMap<u64, f64> = BTreeMap::new();
    for one in seen {
        *by_scan.entry(one.told_by).or_default() += one.pace.bytes;
    }
    by_scan.into_values().max_by(f64::total_cmp)
}

/// The judgement with what a container proves whose elements keep native memory each, which Python cannot see: that they are no garbage is
/// certain, how much they keep is not.
fn by_unseen(seen: &[Seen], judgement: Judgement, cycles: &Cycles) -> Judgement {
    let (open, floor) = (is_open(&judgement), cycles.unit.floor());
    let heavy = |pace: &Pace| open || pace.bytes >= UNSEEN_HEAVY * pace.elements;
    let unseen = |pace: &&Pace| {
        pace.weighed == Weighed::AllButNative && !pace.slows && pace.elements >= UNSEEN_EACH && heavy(pace)
    };
    let pace = seen.iter().map(|one| &one.pace).filter(unseen).max_by(|a, b| a.bytes.total_cmp(&b.bytes));
    let marked = cycles.unit.repeats();
    let has_room = |rate: &Interval| if open { rate.high > floor } else { marked && rate.estimate > floor };
    let room = judgement.rate.filter(has_room);
    let Some((pace, rate)) = pace.zip(room).filter(|(pace, rate)| pace.bytes < rate.high) else {
        return judgement;
    };
    let moves = if open {
        "some of what live memory grows by may be garbage"
    } else {
        "live memory as a whole moves too much to show a growth"
    };
    let reason = format!(
        "{moves}, but a container that the program holds gets {} more per {}, and native code keeps memory for each",
        pace.elements.round(),
        cycles.unit.word()
    );
    let rate =
        Interval { estimate: rate.estimate.max(pace.bytes), low: pace.bytes.max(rate.low), high: rate.high };
    Judgement { verdict: Verdict::Leak, reason, needed: None, rate: Some(rate), ..judgement }
}

/// How the containers grow that may prove something.
fn paces(held: &Held, judgement: &Judgement, cycles: &Cycles) -> Vec<Seen> {
    let open = is_open(judgement);
    let points = &cycles.points;
    let span = points.get(judgement.since).zip(points.first()).zip(points.last());
    let rate = judgement.rate.filter(|_| judgement.filling.is_none());
    let Some((rate, ((first, begin), last))) = rate.zip(span) else { return Vec::new() };
    let late_ns = first.at_ns as f64 + LATE * last.at_ns.saturating_sub(first.at_ns) as f64;
    let half_ns = f64::midpoint(begin.at_ns as f64, last.at_ns as f64);
    // Scans of a quiet heap lie ever further apart: the last one must have seen it grow. It ends after what it tells.
    let is_newest =
        |at_ns: u64| held.scans.iter().filter(|scan| (at_ns..=last.at_ns).contains(*scan)).count() <= 1;
    let enough = WATCHED * last.ordinal.saturating_sub(first.ordinal) as f64;
    let speaks = |(id, rises): (&u64, &Vec<super::Rise>)| {
        let holder = held.holder(*id)?;
        let ends = holder.bound.is_some()
            && held.room(&holder.path, cycles).is_none_or(|room| room.is_near(cycles.count));
        let users = !ends && Origin::is_users(&holder.file);
        let newest = rises.last()?.at_ns;
        let often = rises.len() >= TOLD_ALONE;
        let late = newest as f64 >= late_ns || often && newest as f64 >= half_ns && is_newest(newest);
        let pace = Pace::of(rises, &held.scans, points).filter(|pace| !pace.shared)?;
        let agrees = (pace.bytes - rate.estimate).abs() <= AGREES * rate.estimate;
        let long = (open && pace.bytes >= HALF * rate.estimate) || pace.cycles >= ENOUGH;
        let watched = late && long && pace.cycles as f64 >= enough || agrees && pace.cycles >= ENOUGH;
        let told = if open { TOLD } else { TOLD_ALONE };
        // What fills is told by the counters where they show a growth.
        let users = users && (open || !pace.slows);
        let told_by = held.scans.iter().copied().find(|ended| *ended >= newest).unwrap_or(u64::MAX);
        (users && watched && rises.len() >= told).then_some(Seen { told_by, pace })
    };
    held.rises.iter().filter_map(speaks).collect()
}

/// What containers keep more of per cycle.
#[derive(Clone, Copy)]
struct Carried {
    bytes: f64,
    /// No more hangs below their elements than was weighed.
    whole: bool,
}

/// The growth per cycle, if containers that grow by so many bytes prove it: by more than the floor.
fn proven(carried: Carried, floor: f64, judgement: &Judgement, cycles: &Cycles) -> Option<Interval> {
    let (rate, Carried { bytes, whole }) = (judgement.rate?, carried);
    if !is_open(judgement) {
        // The counters must leave room for all of it.
        let (low, high) = (bytes * (1.0 - WEIGHED), bytes * (1.0 + WEIGHED));
        let marked = cycles.unit.repeats();
        let fits = marked && bytes > floor && bytes <= judgement.at_most;
        return fits.then_some(Interval { estimate: bytes, low, high });
    }
    let share = if judgement.rests_on_garbage { HALF } else { SHARE };
    let is_enough = bytes > floor && bytes >= share * rate.estimate && bytes <= MOST * rate.high;
    // Of what it does not carry nobody knows, but what a full collection has left.
    let nearly_all = if whole { 1.0 - WEIGHED } else { HALF };
    let left = if bytes < nearly_all * rate.estimate { judgement.outlived } else { f64::INFINITY };
    let estimate = bytes.max(rate.estimate.min(left));
    is_enough.then(|| Interval {
        estimate,
        low: (bytes * (1.0 - WEIGHED)).max(rate.low),
        high: rate.high.max(bytes * (1.0 + WEIGHED)),
    })
}
