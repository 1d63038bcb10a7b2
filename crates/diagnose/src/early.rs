//! A leak that is sure one cycle before the counters alone may call it: three instruments say the same.
//!
//! In: the points of a run that is one cycle too short for a verdict, the sites that seem to grow, who holds what they made, what stays of
//! each cycle in the user's own containers. Out: a leak, or nothing. What must not happen here: "no leak", for which so few cycles never suffice; a leak on the counters' word alone, on
//! what a library or native code holds, or on a container that ends where its bound is.

use nilometer_stats::{Interval, Sampled};

use crate::collector::rising;
use crate::cycles::{Cycles, LEAST_RISE, Point};
use crate::held::Held;
use crate::judge::Judgement;
use crate::report::Verdict;
use crate::sampled::GrowingSite;
use crate::sampled::origin::Origin;
use crate::sizes::size;

/// Points after start-up that suffice.
const ENOUGH: usize = 5;
/// Each step between them is the usual one within this share.
const EVEN: f64 = 0.3;
/// What the user's own holders keep is this share of the rise at least, and at most.
const HELD: (f64, f64) = (0.6, 1.5);
/// Samples tell of a cycle where they are unsure by this share at most.
const TELLS: f64 = 0.2;
/// Cycles that must be told of.
const SEVERAL: usize = 2;

/// The rise per cycle that is in every step of these points after start-up, if they are just enough.
pub(crate) fn even_rise(cycles: &Cycles, points: &[Point]) -> Option<Interval> {
    if points.len() < ENOUGH || !cycles.unit.repeats() {
        return None;
    }
    let steps = points
        .windows(2)
        .map(|w| (w[1].level - w[0].level) / w[1].ordinal.saturating_sub(w[0].ordinal).max(1) as f64);
    let usual = rising(points);
    let (low, high) =
        steps.fold((f64::INFINITY, 0.0_f64), |(low, high), step| (low.min(step), high.max(step)));
    let (first, last) = (points.first()?, points.last()?);
    let rise = last.level - first.level;
    let estimate = rise / last.ordinal.saturating_sub(first.ordinal).max(1) as f64;
    let even = low >= (1.0 - EVEN) * usual && high <= (1.0 + EVEN) * usual;
    (even && low > cycles.unit.floor() && rise > LEAST_RISE).then_some(Interval { estimate, low, high })
}

/// The judgement, if that rise is what the user's own containers keep of these sites, or `of_users`: of each cycle, whoever made it.
pub(crate) fn proven(
    judgement: &Judgement,
    cycles: &Cycles,
    sites: &[&GrowingSite],
    of_users: &[Sampled],
    held: &Held,
) -> Option<Judgement> {
    let rate = judgement.even_rise?;
    let users = |site: &&GrowingSite| {
        let keeps = held.keeps(&site.survivors);
        let own = keeps.iter().find(|keeps| {
            !keeps.holder.file.is_empty()
                && Origin::of(&keeps.holder.file) == Origin::User
                && keeps.holder.bound.is_none()
        })?;
        Some(site.growing.rate.estimate * own.share)
    };
    let kept: f64 = sites.iter().filter_map(users).sum();
    if !is_all(kept, rate.estimate) && !each_is_all(of_users, rate.estimate) {
        return None;
    }
    let unit = cycles.unit.word();
    let reason = format!(
        "live memory grows by {} with each {unit} after the first, and what the program itself holds grows by as much",
        size(rate.estimate)
    );
    let (verdict, rate, at_most) = (Verdict::Leak, Some(rate), rate.high);
    Some(Judgement { verdict, reason, needed: None, rate, at_most, ..judgement.clone() })
}

fn is_all(kept: f64, rise: f64) -> bool {
    let (least, most) = HELD;
    (least * rise..=most * rise).contains(&kept)
}

/// Whether in several cycles as much stays as live memory rose by with each. Few samples of each site are many together. Where sampling
/// was coarse, as in the first cycles, they are few all the same, and big blocks alone are met there: less than the rise says nothing.
fn each_is_all(cycles: &[Sampled], rise: f64) -> bool {
    let (_, most) = HELD;
    let tells = |one: &&Sampled| one.variance.sqrt() + one.missed <= TELLS * one.bytes.max(one.cycles * rise);
    let kept: Vec<f64> = cycles.iter().filter(tells).map(|one| one.bytes / one.cycles).collect();
    kept.iter().filter(|kept| is_all(**kept, rise)).count() >= SEVERAL
        && kept.iter().all(|kept| *kept <= most * rise)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Unit;
    use nilometer_capture::CycleUnit;

    fn rise(steps: &[f64]) -> Option<Interval> {
        let mut level = 1e8;
        let point = |(at, step): (usize, &f64)| {
            level += step * 1024.0;
            Point { ordinal: at as u64 + 3, at_ns: at as u64, level, reading: at }
        };
        let points: Vec<Point> = std::iter::once(&0.0).chain(steps).enumerate().map(point).collect();
        let cycles = Cycles {
            unit: Unit::Marked(CycleUnit::Epoch),
            count: points.len() as u64 + 2,
            points: Vec::new(),
            seconds: None,
            window_ends: Vec::new(),
            how: String::new(),
            unread: None,
        };
        even_rise(&cycles, &points)
    }

    #[test]
    fn four_like_steps_are_a_rise() {
        let found = rise(&[1000.0, 1010.0, 990.0, 1004.0]).map(|rate| rate.estimate.round());
        assert_eq!(found, Some(1001.0 * 1024.0));
    }

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

    #[test]
    fn what_slows_pauses_or_is_short_is_none() {
        assert_eq!(rise(&[1000.0, 1000.0, 1000.0]), None);
        assert_eq!(rise(&[1000.0, 1000.0, 1000.0, 0.0]), None);
        assert_eq!(rise(&[1000.0, 800.0, 600.0, 400.0]), None);
        assert_eq!(rise(&[10.0, 10.0, 10.0, 10.0]), None);
    }
}
