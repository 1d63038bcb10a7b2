//! A leak that is sure one cycle before the counters alone may call it: three instruments say the same.
//!
//! In: the even rise of a run that is one cycle too short, the sites that seem to grow, who holds what they made, what stays of each cycle in
//! the user's own containers. Out: a claim, or nothing. What must not happen here: a claim on the counters' word alone, on what a library or
//! native code holds, or on a container that ends where its bound is.

use nilometer_capture::Holder;

use crate::numbers::{AGAIN, ALIKE, EXCESS, MOST};
use nilometer_stats::Sampled;

use super::sites::likely;
use super::{Claim, ClaimReason, Instrument};
use crate::counted::Counted;
use crate::cycles::Cycles;
use crate::holders::HolderEvidence;
use crate::sites::{GrowingSite, Sites};

/// What the user's own holders keep is this share of the rise at least, and at most.
const HELD_RATIO: (f64, f64) = (MOST, EXCESS);
/// Samples tell of a cycle where they are unsure by this share at most.
const MAX_SAMPLING_ERROR_RATIO: f64 = ALIKE;
/// Cycles that must be told of.
const MIN_TOLD_CYCLES: usize = AGAIN;

/// The even rise, if it is what the user's own containers keep of the likely sites, or of each cycle, whoever made it.
pub(super) fn claim(
    sites: &Sites,
    counted: &Counted,
    cycles: &Cycles,
    held: &HolderEvidence,
) -> Option<Claim> {
    let rate = counted.even_rise?;
    let users = |site: &GrowingSite| {
        let keeps = held.keeps(&site.survivors);
        let is_users = |holder: &Holder| held.folders.is_users(&holder.file) && holder.bound.is_none();
        let own = keeps.iter().find(|keeps| is_users(keeps.holder))?;
        Some(site.growing.rate.estimate * own.share)
    };
    let kept: f64 = likely(sites, counted, cycles).filter_map(users).sum();
    if !is_all(kept, rate.estimate) && !each_is_all(&sites.of_users, rate.estimate) {
        return None;
    }
    let reason = ClaimReason::FirstCycles { grows: rate.estimate };
    let since = counted.since;
    Some(Claim { by: Instrument::FirstCycles, kept: rate, is_whole: true, since, reason })
}

fn is_all(kept: f64, rise: f64) -> bool {
    let (least, most) = HELD_RATIO;
    (least * rise..=most * rise).contains(&kept)
}

/// Whether in several cycles as much stays as live memory rose by with each. Few samples of each site are many together. Where sampling
/// was coarse, as in the first cycles, they are few all the same, and big blocks alone are met there: less than the rise says nothing.
fn each_is_all(cycles: &[Sampled], rise: f64) -> bool {
    let (_, most) = HELD_RATIO;
    let tells = |one: &&Sampled| {
        one.variance.sqrt() + one.missed <= MAX_SAMPLING_ERROR_RATIO * one.bytes.max(one.cycles * rise)
    };
    let kept: Vec<f64> = cycles.iter().filter(tells).map(|one| one.bytes / one.cycles).collect();
    kept.iter().filter(|kept| is_all(**kept, rise)).count() >= MIN_TOLD_CYCLES
        && kept.iter().all(|kept| *kept <= most * rise)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_of_each_cycle_is_the_rise() {
        // So many samples of small objects, each for 64 KiB; a block of 1 MiB that is met for sure.
        let fine = |samples: usize| {
            let mut one = Sampled { cycles: 1.0, ..Sampled::default() };
            (0..samples).for_each(|_| one.add(65_536.0, 0.01));
            one.add(1_048_576.0, 1.0);
            one
        };
        let coarse = |kib: f64| Sampled { cycles: 1.0, bytes: kib * 1024.0, variance: 1e13, missed: 4e6 };
        let rise = 3.0 * 1_048_576.0;
        assert!(each_is_all(&[fine(30), fine(34)], rise));
        assert!(each_is_all(&[coarse(9000.0), fine(30), fine(34)], rise), "coarse ones tell nothing");
        assert!(each_is_all(&[fine(0), fine(30), fine(34)], rise), "nor does a block beside what was missed");
        assert!(!each_is_all(&[coarse(3072.0), coarse(3072.0), fine(30)], rise), "one cycle is none");
        assert!(!each_is_all(&[fine(2), fine(3), fine(2)], rise), "something else rises");
        assert!(
            !each_is_all(&[fine(30), fine(34), fine(80)], rise),
            "more than memory rose by is no part of it"
        );
    }
}
