//! A leak whose line was sampled closely from some cycle on, beside what was sampled coarsely.

use crate::world::{KIB, Noise, World, started};
use nilometer_capture::CycleUnit::Epoch;
use nilometer_capture::{Record, Sampling, SamplingCount};
use nilometer_diagnose::{Report, Verdict};

const FIT: &str = "/job/train.py:60 <module>";
const KERAS: &str = "/v/lib/python3.11/site-packages/keras/src/trainer.py:300 Trainer.fit";
const CALLBACK: &str = "/job/train.py:30 Keep.on_epoch_end";
const SIZE: u64 = 8000;
/// Of a size that is watched, nearly all are samples; of others one stands for half a megabyte.
const CLOSE: u64 = SIZE / 5;
const COARSE: u64 = 512 << 10;

/// Twenty epochs which keep 8 kB each, and breathe by more than that.
fn report(mut epoch: impl FnMut(&mut World, u64, u64)) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").records(CLOSE, 3);
    let stack = w.stack(&[FIT, KERAS, CALLBACK]);
    let mut noise = Noise(5);
    for number in 1..=20 {
        epoch(&mut w, stack, number);
        let breath = noise.bytes(120 * KIB);
        w.takes(breath).objects(100).cycle(Epoch).takes(-breath);
    }
    w.ends(0);
    w.report()
}

fn is_told(report: &Report) {
    assert_eq!(report.verdict, Verdict::Leak, "{}", report.reason);
    assert_eq!(report.findings[0].sites[0].line, 30);
    let rate = report.findings[0].bytes_per_cycle;
    assert!(rate.low <= 8000 && 8000 <= rate.high, "{rate:?}");
}

#[test]
fn what_one_coarse_sample_stood_for_did_not_go_with_it() {
    let mut other = None;
    is_told(&report(|w, stack, number| {
        w.makes(stack, SIZE, 1);
        if number == 1 {
            // Small things, of which some are sampled and stand for much more than they are.
            let library = w.stack(&[FIT, KERAS]);
            w.recorder.mean = COARSE;
            let made = w.makes(library, 64, 16_000);
            assert!(!made.ids.is_empty());
            w.takes(-made.bytes);
            other = Some(made);
            w.recorder.mean = CLOSE;
        }
        if number == 11 {
            let made = other.take().unwrap();
            let bytes = made.bytes;
            w.gives_back(made).takes(bytes);
        }
    }));
}

#[test]
fn a_line_that_no_sample_met_at_first_did_not_begin_late() {
    is_told(&report(|w, stack, number| {
        w.recorder.mean = if number < 6 { 1 << 40 } else { CLOSE };
        w.makes(stack, SIZE, 1);
    }));
}

#[test]
fn one_coarse_sample_at_first_does_not_hide_what_close_ones_see() {
    is_told(&report(|w, stack, number| {
        w.recorder.mean = if number < 6 { 64 << 10 } else { CLOSE };
        let mut made = w.makes(stack, SIZE, 1);
        while number == 5 && made.ids.is_empty() {
            w.gives_back(made);
            made = w.makes(stack, SIZE, 1);
        }
    }));
}

#[test]
fn what_was_seen_closely_in_a_few_cycles_alone_is_no_leak() {
    let report = report(|w, stack, number| {
        w.recorder.mean = if number < 14 { 1 << 40 } else { CLOSE };
        w.makes(stack, SIZE, 1);
    });
    assert_ne!(report.verdict, Verdict::Leak, "{}", report.reason);
}

/// Sixty epochs which keep 128 kB each; samples show them up to the fortieth. The recorder tells this mean at the end.
fn seen_up_to_the_fortieth(coarsest_mean: u64) -> Report {
    let mut w = started();
    w.fact("cwd", "/job").records(CLOSE, 3);
    let stack = w.stack(&[FIT, KERAS, CALLBACK]);
    for number in 1..=60 {
        w.recorder.mean = if number <= 40 { CLOSE } else { 1 << 40 };
        w.makes(stack, SIZE, 16);
        w.objects(100).cycle(Epoch);
    }
    let count = SamplingCount { coarsest_mean: Some(coarsest_mean), ..SamplingCount::default() };
    w.say(&Record::Sampling(Sampling::Count(Box::new(count)))).ends(0);
    w.report()
}

#[test]
fn coarse_sampling_that_misses_the_last_cycles_does_not_end_a_growth() {
    let coarse = seen_up_to_the_fortieth(COARSE);
    assert_eq!(coarse.verdict, Verdict::Leak, "{}", coarse.reason);
    let close = seen_up_to_the_fortieth(CLOSE);
    assert_eq!(close.verdict, Verdict::Undecided, "{}", close.reason);
    assert!(close.reason.contains("may be over"), "{}", close.reason);
}
