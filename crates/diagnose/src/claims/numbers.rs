//! Numbers that a program notes: the loss of every batch in a list. They stay for good, and are too little to matter.
//!
//! In: a growth and who explains it, what scans and samples saw. Out: a limit, where numbers carry the growth and all of it is within what an
//! epoch may keep. What must not happen here: a leak that is excused for numbers beside it.
//!
//! A callback that notes 1,500 losses per epoch keeps 47 KiB, three times the floor; live memory of 300 MiB doubles in 6,000 epochs by it.

use crate::numbers::{LONG_FLOOR_BYTES, MOST, PART, THIRD, TOLERANCE_RATIO};
use nilometer_stats::Interval;

use super::{ClaimReason, Limit};
use crate::counted::{Counted, State};
use crate::cycles::Cycles;
use crate::holders::{HolderEvidence, are_numbers};
use crate::report::Finding;
use crate::sites::{Setting, Sites};
use crate::unit::Unit;

/// The places of a list that grows, beside each number: 8 bytes, and a ninth in reserve.
const WITH_PLACE_RATIO: f64 = 1.0 + THIRD;
/// Something else beside them counts from this share of the floor on, as a line of the user's does.
const MIN_OTHER_RATIO: f64 = PART;
/// Numbers carry the growth from this share of it on: scans and samples are sure to a third.
const MIN_CARRIED_RATIO: f64 = MOST;

/// Says that numbers carry a growth, and that all of it is too little to matter.
pub(super) fn limit(
    (rate, findings): (Interval, &[Finding]),
    is_sure: bool,
    setting: &Setting,
    held: &HolderEvidence,
    sites: Option<&Sites>,
) -> Option<Limit> {
    let (counted, cycles) = (setting.counted, setting.cycles);
    let least = MIN_OTHER_RATIO * cycles.floor();
    let (sampled, beside) = sites.map_or((0.0, false), |sites| sites.numbers(least));
    let noted = held.numbers(&cycles.ends).max(WITH_PLACE_RATIO * sampled);
    let is_other = |finding: &Finding| {
        let holder = finding.holder.as_ref().filter(|holder| !are_numbers(&holder.elements));
        holder.is_some() && finding.bytes_per_cycle.low as f64 > least
    };
    // Numbers or garbage: neither matters, if all that live memory may grow by is as little.
    let high = if is_sure { rate.high } else { counted.at_most.max(rate.high) };
    let speaks = is_sure || counted.state == State::MayBeGarbage;
    if !speaks || beside || findings.iter().any(is_other) || !are_too_little(rate, high, noted, cycles) {
        return None;
    }
    let reason = ClaimReason::Numbers { grows: rate.estimate };
    Some(Limit { rate, filling: counted.filling, reason })
}

/// Whether so many bytes of numbers per cycle are no proof of a leak: they are too few to matter, and what was counted may be far more.
pub(super) fn prove_nothing(bytes: f64, counted: &Counted, cycles: &Cycles) -> bool {
    let may_be_more = counted.rate.is_none_or(|rate| rate.high > most(cycles));
    counted.state != State::Grows && bytes <= most(cycles) && may_be_more
}

/// Whether a growth is nothing but so many bytes of numbers per cycle, and within what a cycle may keep.
fn are_too_little(rate: Interval, high: f64, noted: f64, cycles: &Cycles) -> bool {
    let rest = cycles.floor().max(MIN_OTHER_RATIO * LONG_FLOOR_BYTES);
    let carry = noted >= MIN_CARRIED_RATIO * rate.estimate && rate.estimate - noted <= rest;
    carry && high <= most(cycles)
}

/// Bytes of numbers that a cycle may keep. Of requests, calls and steps there are many to the hour: they may keep no more than others.
fn most(cycles: &Cycles) -> f64 {
    let level = cycles.points.last().map_or(0.0, |point| point.level);
    match cycles.unit {
        unit if unit.floor() >= LONG_FLOOR_BYTES => (TOLERANCE_RATIO * level).max(2.0 * unit.floor()),
        // A round that is found has no name that tells; who notes a loss per step prints a line per hundred.
        Unit::Found { .. } => LONG_FLOOR_BYTES,
        Unit::Marked(_) | Unit::Window { .. } => 0.0,
    }
}
