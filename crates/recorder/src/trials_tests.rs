//! Addresses that come and go, and what is left of them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Mutex;

use crate::alloc_class::AllocClass;
use crate::filter::FILTER;
use crate::trials::{BUCKETS, MAX_TRIAL_BYTES, Trial, Trials};

/// The filter is that of the process: tests that ask what is in it take turns.
static TURN: Mutex<()> = Mutex::new(());

const TRIAL: Trial =
    Trial { key: AllocClass { place: 1023, size: 67_104_768 }, generation: 255, bytes: MAX_TRIAL_BYTES };

#[test]
fn words_hold_what_they_are_given() {
    for trial in [TRIAL, Trial { key: AllocClass { place: 5, size: 8000 }, generation: 7, bytes: 9251 }] {
        assert_eq!(Trial::unpack(trial.pack()), trial);
    }
}

#[test]
#[cfg_attr(miri, ignore = "thousands of addresses are slow there")]
fn those_that_stay_are_shown_and_the_others_are_not() {
    let _turn = TURN.lock().unwrap();
    let trials = Trials::new().unwrap();
    for n in 1..100_u64 {
        trials.insert(n << 20 | 16, TRIAL);
        assert!(FILTER.may_hold((n << 20 | 16) as usize));
    }
    (1..100_u64).filter(|n| n % 3 != 0).for_each(|n| trials.remove(n << 20 | 16));
    let mut shown = 0;
    trials.each(|trial| {
        assert_eq!(trial, TRIAL);
        shown += 1;
        shown % 2 == 0
    });
    // Some may have lost their places.
    assert!((25..=33).contains(&shown), "{shown}");
    let mut kept = 0;
    trials.each(|_| {
        kept += 1;
        false
    });
    assert_eq!(kept, shown / 2);
    trials.each(|_| unreachable!("all are forgotten"));
    assert!(!(1..100).any(|n| FILTER.may_hold(n << 20 | 16)), "and nothing of them is in the filter");
}

#[test]
#[cfg_attr(miri, ignore = "thousands of addresses are slow there")]
fn who_comes_late_takes_a_place_from_another() {
    let _turn = TURN.lock().unwrap();
    let trials = Trials::new().unwrap();
    (1..50_000_u64).for_each(|n| trials.insert(n << 4, TRIAL));
    let mut count = 0;
    trials.each(|_| {
        count += 1;
        false
    });
    assert!(count > BUCKETS * 3 && count <= BUCKETS * 4, "{count}");
    assert!(!(1..50_000).any(|n: usize| FILTER.may_hold(n << 4)));
}

#[test]
#[cfg_attr(miri, ignore = "thousands of addresses are slow there")]
fn threads_that_crowd_each_other_leave_nothing_in_the_filter() {
    let _turn = TURN.lock().unwrap();
    let trials = Trials::new().unwrap();
    std::thread::scope(|scope| {
        for thread in 1..=4_u64 {
            let trials = &trials;
            scope.spawn(move || {
                for round in 0..20_000_u64 {
                    let address = thread << 32 | (round % 3000) << 4;
                    trials.insert(address, TRIAL);
                    if round % 2 == 0 {
                        trials.remove(address);
                    }
                    if round % 1000 == 0 {
                        trials.each(|_| round % 3000 == 0);
                    }
                }
            });
        }
    });
    trials.each(|_| false);
    let addresses = (1..=4_usize).flat_map(|thread| (0..3000).map(move |n| thread << 32 | n << 4));
    assert!(!addresses.into_iter().any(|address| FILTER.may_hold(address)));
}
