//! Lines that make memory beside holders that were seen to keep it: which line fills which holder.
//!
//! In: findings with a holder, and findings by line that nobody is known to hold. Out: both as one list, each line told once. What must
//! not happen here: a line given to a holder that another line may fill as well; bytes told with their holder and with their line again.

use crate::numbers::{COUNT_ERROR_RATIO, HALF, PART};
use nilometer_stats::Interval;

use crate::holders::{NATIVE, adds_elsewhere, adds_to};
use crate::report::{Finding, Site};

/// The role of a place that makes memory.
const MADE_AT: &str = "made_at";
/// A line makes what a holder keeps if their bytes differ by no more than this share.
const MAX_DIFFERENCE_RATIO: f64 = PART;
/// A line fills a holder of native things if it makes this share of what the holder is credited with.
const MIN_NATIVE_RATIO: f64 = HALF;
/// Where holders account for all of a growth, a place without one may still be told with this share of it.
const MAX_UNHELD_RATIO: f64 = PART;
/// Beside holders, a place without one is told if it makes more than a count may be wrong by. A line that made 2 KiB of 1.9 MiB was a
/// second finding.
const MIN_UNHELD_RATIO: f64 = COUNT_ERROR_RATIO;
/// As much as native code is said to keep: within this share.
const NATIVE_ALIKE: f64 = 0.4;

/// A container of arrays that was seen to grow by as much as native code is said to keep is who keeps it: a look that went over the
/// heap just before the arrays were put there finds nothing that leads to them.
pub(crate) fn take_from_native(told: &mut Vec<Finding>) {
    let is_native = |f: &Finding| f.holder.as_ref().is_some_and(|h| h.kind == NATIVE);
    let Some(at) = told.iter().position(is_native) else { return };
    let bytes = told[at].bytes_per_cycle.estimate as f64;
    let holds = |f: &Finding| {
        let of_arrays = f.holder.as_ref().is_some_and(|h| h.kind != NATIVE && h.elements.contains("ndarray"));
        of_arrays && (f.bytes_per_cycle.estimate as f64 - bytes).abs() <= NATIVE_ALIKE * bytes
    };
    if !told.iter().any(holds) {
        return;
    }
    let native = told.remove(at);
    if let Some(known) = told.iter_mut().find(|f| holds(f)) {
        known.sites.extend(native.sites);
        known.stack = native.stack;
        known.part = native.part;
    }
}

/// Places that nobody is known to hold, beside holders that were seen: memory that Python keeps for reuse has the stack of
/// its first use, so that a line may seem to make what another one did. What holders account for needs no such line.
pub(crate) fn beside(mut told: Vec<Finding>, mut unheld: Vec<Finding>, rate: &Interval) -> Vec<Finding> {
    let held: i64 = told.iter().map(|f| f.bytes_per_cycle.estimate).sum();
    let room = rate.high - held as f64;
    for holder in told.iter_mut().filter(|f| f.sites.iter().all(|site| site.role != MADE_AT)) {
        adopt(holder, &mut unheld, room);
    }
    let held: i64 = told.iter().map(|f| f.bytes_per_cycle.estimate).sum();
    let left = (rate.estimate - held as f64).max(MAX_UNHELD_RATIO * rate.estimate);
    let least = MIN_UNHELD_RATIO * rate.estimate;
    let fits = |f: &Finding| {
        (least..=(1.0 + MAX_DIFFERENCE_RATIO) * left).contains(&(f.bytes_per_cycle.estimate as f64))
    };
    told.extend(unheld.into_iter().filter(|f| held == 0 || fits(f)));
    told.sort_by_key(|f| std::cmp::Reverse(f.bytes_per_cycle.estimate));
    told
}

/// The one line that surely makes as much as this holder keeps is where it is made. `room`: what the growth leaves beside all holders.
fn adopt(holder: &mut Finding, unheld: &mut Vec<Finding>, room: f64) {
    let keeps = holder.bytes_per_cycle.estimate as f64;
    let path = holder.holder.as_ref().map(|h| h.path.clone());
    // The line that makes it may put it there as well.
    let kept = holder.sites.pop();
    let is_kept_there = |f: &Finding| {
        let place = |site: &Site| (site.file.clone(), site.line);
        // Where several lines might fill it, the one that makes so much is the one.
        let fills = |made: &Site| path.as_ref().is_some_and(|path| adds_to(made, path));
        let is_there =
            |made: &Site| kept.as_ref().map_or_else(|| fills(made), |kept| place(made) == place(kept));
        f.sites.iter().any(is_there)
    };
    if let Some(at) = unheld.iter().position(is_kept_there) {
        let site = unheld.remove(at);
        holder.confidence = if site.confidence == "certain" { "certain" } else { holder.confidence };
        take_place(holder, site);
        return;
    }
    holder.sites.extend(kept);
    // A line that fills another container says so itself.
    let elsewhere =
        |f: &Finding| path.as_ref().is_some_and(|path| f.sites.iter().any(|made| adds_elsewhere(made, path)));
    let alike = |f: &Finding| {
        f.confidence == "certain"
            && !elsewhere(f)
            && (f.bytes_per_cycle.estimate as f64 - keeps).abs() <= MAX_DIFFERENCE_RATIO * keeps
    };
    let mut found = (0..unheld.len()).filter(|at| unheld.get(*at).is_some_and(alike));
    if let (Some(at), None) = (found.next(), found.next()) {
        let site = unheld.remove(at);
        take_place(holder, site);
        return;
    }
    // What a holder of native things keeps cannot be weighed; the line that makes most of so much is the one that fills it, where there is
    // no room for both. What it makes is a part of what the holder is credited with then, and is not told a second time.
    let makes_most = |f: &Finding| {
        let makes = f.bytes_per_cycle.estimate as f64;
        !elsewhere(f) && makes >= MIN_NATIVE_RATIO * keeps && makes > room
    };
    if holder.confidence == "likely" && unheld.first().is_some_and(makes_most) {
        let site = unheld.remove(0);
        holder.sites.extend(site.sites);
        holder.stack = site.stack;
        holder.phase = site.phase;
    }
}

/// The holder's memory is made there.
fn take_place(holder: &mut Finding, site: Finding) {
    holder.sites.extend(site.sites);
    holder.stack = site.stack;
    holder.phase = site.phase;
    holder.part = site.part;
    holder.bytes_per_cycle = site.bytes_per_cycle;
    holder.cycles_seen = holder.cycles_seen.max(site.cycles_seen);
}
