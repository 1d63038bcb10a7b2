//! Two units that both fit: the fine one is judged first, and a coarser one is told where it sees more, or says better what grows.
//!
//! In: the reports by both. Out: which of them is told. What must not happen here: a leak by the coarser unit that the finer one rules
//! out. 8 kB per epoch are 80 bytes per step, too little to matter; 8 MB per epoch would show in the steps.

use crate::numbers::{EXCESS, HALF};
use crate::report::{Cycles, OtherCycles, Report, Verdict};

/// What comes with fewer than so many of the fine unit's cycles is the coarse unit's.
const MAX_SELDOM_RATIO: f64 = HALF;
/// Growth per coarse unit may exceed what the fine one leaves room for by this ratio: both are estimates.
const MAX_EXCESS_RATIO: f64 = EXCESS;

/// Whether a coarser unit is worth a look: nothing was found by the finer one, or it comes seldom.
pub(crate) fn is_asked(fine: &Report) -> bool {
    fine.verdict != Verdict::Leak || is_seldom(fine)
}

/// Whether the container that keeps most gets an element in fewer than half of the cycles: `1 more per 8 updates`.
fn is_seldom(fine: &Report) -> bool {
    let holder = fine.findings.first().and_then(|finding| finding.holder.as_ref());
    holder.and_then(|holder| holder.per_cycle).is_some_and(|more| more > 0.0 && more < MAX_SELDOM_RATIO)
}

/// Whether the coarser unit decides what the finer one does not, or tells better what both see.
pub(crate) fn decides(fine: &Report, coarse: &Report) -> bool {
    match (fine.verdict, coarse.verdict) {
        (Verdict::Leak, Verdict::Leak) => is_seldom(fine),
        (Verdict::Undecided, Verdict::Leak | Verdict::NoLeak) => true,
        (Verdict::NoLeak, Verdict::Leak) => leaves_room(fine, coarse),
        _ => false,
    }
}

/// Whether what the fine unit may grow by, times its number per coarse one, reaches what the coarse one surely grows by.
fn leaves_room(fine: &Report, coarse: &Report) -> bool {
    let (Some(room), Some(growth)) = (&fine.growth, &coarse.growth) else { return false };
    let ratio = fine.cycles.count as f64 / coarse.cycles.count.max(1) as f64;
    growth.bytes_per_cycle.low as f64 <= MAX_EXCESS_RATIO * ratio * room.bytes_per_cycle.high.max(0) as f64
}

/// Whether this is not the unit that was judged.
pub(crate) fn is_another(judged: &Cycles, other: &OtherCycles) -> bool {
    (judged.kind, judged.count, &judged.found_by) != (other.kind, other.count, &other.found_by)
}
