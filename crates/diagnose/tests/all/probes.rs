//! Counts of a framework's own things, and functions that are traced again and again.

use crate::world::{World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{Observation, Record, Trace};
use nilometer_diagnose::{Probe, Report, Retraced};

const TRAIN: &str = "/job/train.py";
const KERAS: &str = "/v/lib/python3.11/site-packages/keras/src/trainers/data_adapters/array_data_adapter.py";

fn counts(world: &mut World, name: &str, value: u64) {
    world.say(&Record::Observation(Observation::Probe { name: name.to_owned(), value }));
}

fn traced(world: &mut World, file: &str, nth: u64, why: &str) {
    world.say(&Record::Observation(Observation::Trace(Trace {
        function: "step".to_owned(),
        file: file.to_owned(),
        line: 10,
        nth,
        why: why.to_owned(),
        caller_file: TRAIN.to_owned(),
        caller_line: 42,
    })));
}

/// So many epochs; `count` says the value of the probe at the end of each.
fn counted(epochs: u64, count: impl Fn(u64) -> u64) -> Probe {
    let mut w = started();
    let mut before = 0;
    for epoch in 1..=epochs {
        w.cycle(Epoch);
        if count(epoch) != before {
            before = count(epoch);
            counts(&mut w, "func_graphs", before);
        }
    }
    w.ends(0);
    let report = w.report();
    let [probe] = report.probes.as_slice() else { panic!("{:?}", report.probes) };
    assert_eq!(probe.name, "func_graphs");
    probe.clone()
}

#[test]
fn a_count_that_grows_every_cycle() {
    let probe = counted(12, |epoch| 7 + 2 * epoch);
    assert_eq!((probe.first, probe.last, probe.per_cycle), (9, 31, Some(2.0)));
}

/// Ten epochs with readings, then 40 that went by too fast for one; a count is said at every fourth of them.
fn counted_without_readings(count: impl Fn(u64) -> u64) -> Probe {
    let mut w = started();
    let mut before = 0;
    let mut say = |w: &mut World, epoch| {
        if count(epoch) != before {
            before = count(epoch);
            counts(w, "iterators", before);
        }
    };
    for epoch in 1..=10 {
        w.cycle(Epoch);
        say(&mut w, epoch);
    }
    for turn in 1..=10 {
        w.unread_cycles(Epoch, 4);
        say(&mut w, 10 + 4 * turn);
    }
    w.ends(0);
    w.report().probes.remove(0)
}

#[test]
fn a_count_goes_on_growing_in_cycles_without_readings() {
    // Nothing of it in the cycles that were read.
    let probe = counted_without_readings(|epoch| epoch.max(8));
    assert!(probe.per_cycle.is_some_and(|rate| (0.5..1.5).contains(&rate)), "{probe:?}");
    let probe = counted_without_readings(|epoch| epoch.min(25));
    assert_eq!((probe.last, probe.per_cycle), (25, Some(0.0)));
}

#[test]
fn a_count_that_levels_off_does_not_grow() {
    assert_eq!(counted(18, |epoch| epoch.min(10)).per_cycle, Some(0.0));
}

#[test]
fn a_count_that_collections_take_back_does_not_grow() {
    assert_eq!(counted(30, |epoch| 5 + epoch % 3).per_cycle, Some(0.0));
}

#[test]
fn garbage_above_a_growth_does_not_hide_it() {
    let grows = counted(30, |epoch| 2 * epoch + 9 * (epoch % 4)).per_cycle.unwrap();
    assert!((1.0..=3.0).contains(&grows), "{grows}");
}

#[test]
fn two_cycles_are_too_few() {
    assert_eq!(counted(2, |epoch| epoch).per_cycle, None);
}

#[test]
fn what_was_said_late_was_nothing_before() {
    let probe = counted(12, |epoch| epoch.saturating_sub(6));
    assert_eq!((probe.first, probe.last), (0, 6));
    assert_eq!(counted(12, |epoch| u64::from(epoch > 6)).per_cycle, Some(0.0));
}

/// Twelve epochs; what `says` says is before the end of each.
fn traces(says: impl Fn(&mut World, u64)) -> Report {
    let mut w = started();
    w.fact("cwd", "/job");
    for epoch in 1..=12 {
        says(&mut w, epoch);
        w.cycle(Epoch);
    }
    w.ends(0);
    w.report()
}

#[test]
fn a_function_that_every_epoch_traces() {
    let report = traces(|w, epoch| {
        for nth in [2 * epoch - 1, 2 * epoch] {
            let why = format!("argument 'step' was {nth}, before {} (a Python int)", nth - 1);
            traced(w, TRAIN, nth, if nth == 1 { "" } else { &why });
        }
    });
    assert_eq!(
        report.retraced,
        [Retraced {
            function: "step".to_owned(),
            file: "train.py".to_owned(),
            line: 10,
            caller_file: "train.py".to_owned(),
            caller_line: 42,
            traces: 24,
            per_cycle: 2.0,
            why: "argument 'step' was 24, before 23 (a Python int)".to_owned(),
        }]
    );
}

#[test]
fn shapes_that_have_all_been_seen_are_no_matter() {
    let why = "argument 'x' had shape (9, 4), before (8, 4)";
    let report = traces(|w, epoch| {
        if epoch <= 8 {
            traced(w, TRAIN, epoch, why);
        }
    });
    assert_eq!(report.retraced, []);
}

#[test]
fn a_few_traces_are_no_matter() {
    let report = traces(|w, epoch| {
        if epoch > 7 {
            traced(w, TRAIN, epoch - 7, "a new lambda each time");
        }
    });
    assert_eq!(report.retraced, []);
}

#[test]
fn a_library_makes_functions_anew_for_itself_but_arguments_are_the_programs() {
    let anew = traces(|w, epoch| traced(w, KERAS, epoch, "a new function object each time"));
    assert_eq!(anew.retraced, []);
    let by_argument =
        traces(|w, epoch| traced(w, KERAS, epoch, "argument 'iterator' had shape (9,), before (8,)"));
    assert_eq!(by_argument.retraced.len(), 1);
    assert_eq!(by_argument.retraced[0].file, "keras/src/trainers/data_adapters/array_data_adapter.py");
}
