//! The rule on both sides of each of its numbers.

use super::*;

const MIB: u64 = 1 << 20;
const LIMIT_BYTES: u64 = 1000 * MIB;
/// The margin below that limit.
const MARGIN_BYTES: u64 = 20 * MIB;

fn end(used_mib: u64) -> EpochEnd {
    EpochEnd { used: used_mib * MIB, limit: LIMIT_BYTES, ..EpochEnd::default() }
}

/// The judgement of the last of these ends of epochs, in MiB, without a reserve.
fn last(ends: &[u64]) -> Judgement {
    let mut history = History::default();
    ends.iter().map(|used| history.epoch_ended(end(*used), 0)).last().unwrap_or_default()
}

fn acts(ends: &[u64]) -> bool {
    last(ends).acts
}

/// The first end, counted from 1, at which the rule acts.
fn first(ends: impl IntoIterator<Item = u64>) -> Option<usize> {
    let mut history = History::default();
    ends.into_iter().position(|used| history.epoch_ended(end(used), 0).acts).map(|at| at + 1)
}

#[test]
fn it_acts_where_one_more_epoch_would_not_fit() {
    // 880 + 100 + 20 is the limit to the byte.
    assert!(!acts(&[680, 780, 880]));
    assert!(acts(&[681, 781, 881]));
    let judged = last(&[681, 781, 881]);
    assert_eq!((judged.growth, judged.margin, judged.room()), (100 * MIB, MARGIN_BYTES, -i128::from(MIB)));
}

#[test]
fn reserve_and_peak_count() {
    let judge = |reserve: u64, above: u64| {
        let mut history = History::default();
        for used in [500, 600] {
            history.epoch_ended(EpochEnd { above: Some(above * MIB), ..end(used) }, reserve * MIB);
        }
        history.epoch_ended(end(700), reserve * MIB).acts
    };
    // 700 + 100 + 20: 180 are left.
    assert!(!judge(180, 0) && !judge(0, 180) && !judge(100, 80));
    assert!(judge(181, 0) && judge(0, 181) && judge(100, 81));
}

#[test]
fn one_rise_is_no_growth_and_two_are() {
    assert!(!acts(&[400, 970]));
    assert!(!acts(&[400, 400, 400, 970, 970]));
    assert!(acts(&[400, 700, 970]));
}

#[test]
fn memory_that_stands_still_is_never_acted_on() {
    assert_eq!(first([990; 100]), None);
    // Full of what it needs, with a noise of a megabyte.
    assert_eq!(first((0..200).map(|epoch| 990 + epoch % 2)), None);
}

#[test]
fn a_rise_is_more_than_a_megabyte_and_a_part_of_the_limit() {
    let judge = |step: u64, limit: u64| {
        let mut history = History::default();
        let ends =
            (0..4).map(|epoch| EpochEnd { used: limit - MIB + epoch * step, limit, ..EpochEnd::default() });
        ends.map(|end| history.epoch_ended(end, 0)).last().unwrap_or_default().acts
    };
    assert!(!judge(MIB, LIMIT_BYTES) && judge(MIB + 1, LIMIT_BYTES));
    let large = 8192 * MIB;
    assert!(!judge(4 * MIB, large) && judge(4 * MIB + 1, large));
}

#[test]
fn slow_growth_adds_up_to_rises() {
    // 300 KiB an epoch: a rise is seen in every fourth.
    let mut history = History::default();
    let acted = (0_u64..500).find(|epoch| {
        let used = 900 * MIB + epoch * 300 * 1024;
        history.epoch_ended(EpochEnd { used, limit: LIMIT_BYTES, ..EpochEnd::default() }, 0).acts
    });
    let at = acted.map(|epoch| 900 + epoch * 300 / 1024);
    assert!(at.is_some_and(|mib| (970..980).contains(&mib)), "{at:?}");
}

#[test]
fn growth_that_is_over_is_forgotten_and_growth_that_rests_is_not() {
    // A cache fills, then stands: one epoch without a rise is as long as ever, two are longer.
    assert!(acts(&[300, 600, 900, 900]));
    assert!(!acts(&[300, 600, 900, 900, 900]));
    // In every fourth epoch.
    let rests = [300, 500, 500, 500, 500, 700, 700, 700, 700, 880];
    assert!(acts(&rests));
    let mut later = rests.to_vec();
    later.extend([880; 4]);
    assert!(acts(&later));
    later.push(880);
    assert!(!acts(&later));
}

#[test]
fn a_step_that_comes_once_counts_for_twice_the_usual_at_most() {
    assert_eq!(last(&[100, 110, 400, 410]).growth, 20 * MIB);
    // Growth that gets faster is within that.
    assert_eq!(last(&[100, 110, 130, 170]).growth, 40 * MIB);
}

#[test]
fn garbage_that_is_collected_is_no_growth() {
    // Ten epochs of garbage, then a collection: only the first tooth can be taken for growth.
    let teeth = (0..60).map(|epoch| 500 + 30 * (epoch % 10));
    assert_eq!(first(teeth), None);
}

#[test]
fn spikes_inside_of_epochs_are_no_growth() {
    let mut history = History::default();
    for _ in 0..50 {
        assert!(!history.epoch_ended(EpochEnd { above: Some(600 * MIB), ..end(500) }, 0).acts);
    }
}

#[test]
fn pressure_decides_from_four_fifths_on_where_memory_grows() {
    let judge = |ends: [u64; 3]| {
        let mut history = History::default();
        let ends = ends.map(|used| history.epoch_ended(EpochEnd { pressed: true, ..end(used) }, 0));
        ends[2].acts
    };
    assert!(!judge([779, 789, 799]) && judge([780, 790, 800]));
    assert!(!judge([900, 900, 900]));
}

#[test]
fn a_limit_that_was_met_is_not_forgotten_by_the_second_look() {
    let mut history = History::default();
    for used in [780, 790, 800] {
        history.epoch_ended(EpochEnd { ran_out: true, ..end(used) }, 0);
    }
    // The second look has no epoch behind it in which the limit could be met.
    assert!(history.again(end(800), 0).acts);
    assert!(!history.again(end(799), 0).acts);
    history.epoch_ended(end(810), 0);
    assert!(!history.again(end(810), 0).acts);
}

#[test]
fn what_was_given_back_is_judged_again() {
    let mut history = History::default();
    for used in [500, 700, 900] {
        history.epoch_ended(end(used), 0);
    }
    assert!(history.again(end(900), 0).acts);
    assert!(!history.again(end(500), 0).acts);
}

/// An end of 900 MiB is judged again at `low`; the next one is 902, judged again at `then`. Growth is 10.
fn after_a_collection(low: u64, then: u64, reserve: u64) -> bool {
    let mut history = History::default();
    for used in [880, 890, 900] {
        history.epoch_ended(end(used), reserve * MIB);
    }
    assert!(!history.again(end(low), reserve * MIB).acts);
    assert!(history.epoch_ended(end(902), reserve * MIB).acts);
    history.again(end(then), reserve * MIB).acts
}

#[test]
fn what_was_given_back_and_came_back_is_needed() {
    // 102 MiB came back. 800 + 102 + 78 + 20 is the limit to the byte; growth alone would leave room.
    assert!(!after_a_collection(800, 800, 78) && after_a_collection(800, 800, 79));
    assert!(after_a_collection(400, 800, 75) && !after_a_collection(890, 800, 75));
}

#[test]
fn what_was_given_back_and_stays_away_is_room() {
    let mut history = History::default();
    for used in [880, 890, 900] {
        history.epoch_ended(end(used), 75 * MIB);
    }
    // The highest ends still rise, and each time 80 MiB go and 20 come back.
    for used in [904, 908, 912, 916, 920] {
        history.epoch_ended(end(used), 75 * MIB);
        assert!(!history.again(end(used - 80), 75 * MIB).acts);
        assert!(!history.epoch_ended(end(used - 60), 75 * MIB).acts);
    }
}

#[test]
fn the_margin_has_bounds() {
    let margin = |limit_mib: u64| margin(limit_mib * MIB) / MIB;
    assert_eq!(
        [margin(100), margin(400), margin(500), margin(12_800), margin(100_000)],
        [8, 8, 10, 256, 256]
    );
}

#[test]
fn only_the_last_eight_rises_count() {
    let mut ends = vec![10, 110, 210];
    ends.extend((1..=8).map(|epoch| 210 + 5 * epoch));
    assert_eq!(last(&ends).growth, 5 * MIB);
    ends.pop();
    assert_eq!(last(&ends).growth, 10 * MIB);
}
