//! Growth that is proven by who holds it: memory below a path of the user's is no garbage, however much all other memory moves.
//!
//! In: what scans said of containers, what was counted. Out: claims. What must not happen here: proof from a container that may have
//! stopped, that has a bound in reach, that a library fills (weak dictionaries shrink with the next collection), that shares its elements
//! (a list of the samples that were drawn keeps nothing), that slows (a dict of what was met last of each class), that carries too
//! little of the growth, or that notes numbers, no more than a cycle may.

use crate::numbers::{
    AGAIN, ALIKE, EVEN_FLOOR_RATIO, EXCESS, HALF, HEAVY_BYTES, MIN_POINTS, MOST, NEARLY_ALL, PART, SEVERAL,
    THIRD,
};
use std::collections::BTreeMap;

use nilometer_stats::Interval;

use super::{Claim, ClaimReason, Instrument, carries, numbers};
use crate::counted::{Counted, State};
use crate::cycles::Cycles;
use crate::holders::{HolderEvidence, Pace, Rise, SCAN_ERROR_RATIO, Weighed, are_numbers};

/// Containers must carry this share of a growth that was counted; half of it where that passes for garbage.
const MIN_CARRIED_RATIO: f64 = THIRD;
const MIN_CARRIED_OF_GARBAGE_RATIO: f64 = HALF;
/// They carry no more than so many times as much: else the two do not speak of the same.
const MAX_CARRIED_RATIO: f64 = EXCESS;
/// Times that a scan told of it, and where the counters show no growth.
const MIN_TOLD: usize = AGAIN;
const MIN_TOLD_ALONE: usize = SEVERAL as usize;
/// It was still growing in this last part of the judged cycles, ...
const LATE_RATIO: f64 = MOST;
/// ... and was watched for this share of them; or it was watched for so many cycles, and grew just as live memory does all the
/// while: scans of a big heap lie far apart.
const MIN_WATCHED_RATIO: f64 = PART;
const MIN_WATCHED_CYCLES: u64 = MIN_POINTS as u64;
const AGREES_RATIO: f64 = ALIKE;
/// Each of its elements keeps so many bytes: the losses of all batches, which many note as numbers, are as even and harm nobody.
const MIN_HEAVY_BYTES: f64 = HEAVY_BYTES;
/// New elements per cycle that native memory hangs below: however little Python can see of them. Where the counters do not show the growth, each
/// must have so many bytes that Python does see: a tensor of one number has 200, a summary writer 900.
const MIN_NATIVE_ELEMENTS: f64 = NEARLY_ALL;
const MIN_NATIVE_BYTES: f64 = MIN_HEAVY_BYTES / 2.0;

/// The containers that may prove something, and what was counted beside them.
pub(super) struct Containers<'a> {
    counted: &'a Counted,
    cycles: &'a Cycles,
    seen: Vec<Seen>,
}

impl<'a> Containers<'a> {
    pub(super) fn of(held: &HolderEvidence, counted: &'a Counted, cycles: &'a Cycles) -> Self {
        Self { counted, cycles, seen: seen(held, counted, cycles) }
    }

    /// What the containers carry, if they carry enough of what was counted. Of a growth that the counters are sure of it says how much at least.
    pub(super) fn claim(&self) -> Option<Claim> {
        let Self { counted, cycles, seen } = self;
        let bytes = together(seen).map(|bytes| within(bytes, counted))?;
        let is_whole = seen.iter().all(|one| one.pace.weighed == Weighed::All);
        let rate = counted.rate?;
        let are_numbers = seen.iter().all(|one| one.are_numbers);
        if are_numbers && numbers::prove_nothing(bytes, counted, cycles) {
            return None;
        }
        if counted.state != State::Grows && !is_proof(bytes, cycles.floor(), counted, cycles) {
            return None;
        }
        let reason = if !counted.is_open() {
            ClaimReason::ContainersAlone { kept: bytes }
        } else if carries(bytes, is_whole, rate.estimate) {
            ClaimReason::ContainersKeepAll { grows: rate.estimate.max(bytes) }
        } else {
            ClaimReason::ContainersKeepPart { grows: rate.estimate, kept: bytes }
        };
        Some(say(Instrument::Containers, bytes, is_whole, counted, reason))
    }

    /// A leak that neither counters nor samples show: containers that get as many heavy elements with each cycle. They count from a
    /// smaller growth on than others do, as samples below the user's own holders do: a framework's residue is not there.
    pub(super) fn evenly(&self) -> Option<Claim> {
        let Self { counted, cycles, seen } = self;
        if counted.state != State::Bounded {
            return None;
        }
        let heavy =
            |pace: &Pace| pace.weighed == Weighed::All && pace.bytes >= MIN_HEAVY_BYTES * pace.elements;
        let even = seen.iter().filter(|one| one.pace.even && heavy(&one.pace));
        let bytes = together(even).map(|bytes| within(bytes, counted))?;
        let floor = EVEN_FLOOR_RATIO * cycles.floor();
        let reason = ClaimReason::ContainersAlone { kept: bytes };
        is_proof(bytes, floor, counted, cycles)
            .then(|| say(Instrument::EvenContainers, bytes, true, counted, reason))
    }

    /// A container whose elements keep native memory each, which Python cannot see: that they are no garbage is certain, how much they keep is not.
    pub(super) fn by_native(&self) -> Option<Claim> {
        let Self { counted, cycles, seen } = self;
        let (is_open, floor) = (counted.is_open(), cycles.floor());
        let heavy = |pace: &Pace| is_open || pace.bytes >= MIN_NATIVE_BYTES * pace.elements;
        let unseen = |pace: &Pace| {
            let native = pace.weighed == Weighed::AllButNative;
            native && !pace.slows && pace.elements >= MIN_NATIVE_ELEMENTS && heavy(pace)
        };
        let pace =
            seen.iter().map(|one| one.pace).filter(unseen).max_by(|a, b| a.bytes.total_cmp(&b.bytes))?;
        let leaves_room = |rate: &Interval| {
            if is_open { rate.high > floor } else { cycles.unit.repeats() && rate.estimate > floor }
        };
        let rate = counted.rate.filter(leaves_room).filter(|rate| pace.bytes < rate.high)?;
        let reason = ClaimReason::NativeElements { elements: pace.elements, may_be_garbage: is_open };
        let kept = Interval {
            estimate: rate.estimate.max(pace.bytes),
            low: pace.bytes.max(rate.low),
            high: rate.high,
        };
        let by = Instrument::NativeElements;
        Some(Claim { by, kept, is_whole: true, since: counted.since, reason })
    }
}

fn say(by: Instrument, bytes: f64, is_whole: bool, counted: &Counted, reason: ClaimReason) -> Claim {
    let kept = Interval {
        estimate: bytes,
        low: bytes * (1.0 - SCAN_ERROR_RATIO),
        high: bytes * (1.0 + SCAN_ERROR_RATIO),
    };
    Claim { by, kept, is_whole, since: counted.since, reason }
}

/// What scans tell of containers is right within an error. Where the counters leave room for a little less than that, it is this much.
fn within(bytes: f64, counted: &Counted) -> f64 {
    let may_be = counted.state == State::Bounded && bytes * (1.0 - SCAN_ERROR_RATIO) <= counted.at_most;
    if may_be { bytes.min(counted.at_most) } else { bytes }
}

/// Whether containers that grow by so many bytes prove a growth: by more than the floor, and by as much as the counters see, or leave room for.
fn is_proof(bytes: f64, floor: f64, counted: &Counted, cycles: &Cycles) -> bool {
    let Some(rate) = counted.rate.filter(|_| bytes > floor) else { return false };
    match counted.state {
        State::Bounded => cycles.unit.repeats() && bytes <= counted.at_most,
        State::BoundedIfGarbage => {
            bytes >= MIN_CARRIED_OF_GARBAGE_RATIO * rate.estimate && bytes <= MAX_CARRIED_RATIO * rate.high
        }
        _ => bytes >= MIN_CARRIED_RATIO * rate.estimate && bytes <= MAX_CARRIED_RATIO * rate.high,
    }
}

/// A container that may prove something.
struct Seen {
    /// When the scan ended that told of it last.
    told_by: u64,
    pace: Pace,
    are_numbers: bool,
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

/// How the containers grow that may prove something.
fn seen(held: &HolderEvidence, counted: &Counted, cycles: &Cycles) -> Vec<Seen> {
    let open = counted.is_open();
    let points = &cycles.points;
    let span = points.get(counted.since).zip(points.first()).zip(points.last());
    let rate = counted.rate.filter(|_| counted.filling.is_none());
    let Some((rate, ((first, begin), last))) = rate.zip(span) else { return Vec::new() };
    let late_ns = first.at_ns as f64 + LATE_RATIO * last.at_ns.saturating_sub(first.at_ns) as f64;
    let half_ns = f64::midpoint(begin.at_ns as f64, last.at_ns as f64);
    // Scans of a quiet heap lie ever further apart: the last one must have seen it grow. It ends after what it tells.
    let is_newest =
        |at_ns: u64| held.scans.iter().filter(|scan| (at_ns..=last.at_ns).contains(*scan)).count() <= 1;
    let enough = MIN_WATCHED_RATIO * last.ordinal.saturating_sub(first.ordinal) as f64;
    let speaks = |(id, rises): (&u64, &Vec<Rise>)| {
        let holder = held.holder(*id)?;
        let ends = holder.bound.is_some()
            && held.room(&holder.path, cycles).is_none_or(|room| room.is_near(cycles.count));
        let users = !ends && held.folders.is_users(&holder.file);
        let newest = rises.last()?.at_ns;
        let often = rises.len() >= MIN_TOLD_ALONE;
        let late = newest as f64 >= late_ns || often && newest as f64 >= half_ns && is_newest(newest);
        let pace = Pace::of(rises, &held.scans, &cycles.ends).filter(|pace| !pace.shared)?;
        let agrees = (pace.bytes - rate.estimate).abs() <= AGREES_RATIO * rate.estimate;
        let long = (open && pace.bytes >= MIN_CARRIED_OF_GARBAGE_RATIO * rate.estimate)
            || pace.cycles >= MIN_WATCHED_CYCLES;
        let watched =
            late && long && pace.cycles as f64 >= enough || agrees && pace.cycles >= MIN_WATCHED_CYCLES;
        let told = if open { MIN_TOLD } else { MIN_TOLD_ALONE };
        // A vocabulary that meets fewer new words with each document fills; its mean pace is none that goes on.
        let users = users && !pace.slows;
        let told_by = held.scans.iter().copied().find(|ended| *ended >= newest).unwrap_or(u64::MAX);
        let are_numbers = are_numbers(&holder.elements);
        (users && watched && rises.len() >= told).then_some(Seen { told_by, pace, are_numbers })
    };
    held.rises.iter().filter_map(speaks).collect()
}
