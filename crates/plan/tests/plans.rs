//! Answers and refusals from what three runs told.
#![allow(clippy::unwrap_used, reason = "tests")]

use nilometer_plan::{Answer, Fit, Limit, Plan, Told, fits_surely};

const MIB: u64 = 1 << 20;

fn fit(batch: u64, peak: u64) -> Fit {
    Fit {
        own: Some(256),
        batch: Some(batch),
        samples: Some(10_000),
        batched: None,
        making: 500 * MIB,
        peak: peak * MIB,
        files: 200 * MIB,
        steps: 3,
        gpu: false,
        backend: "tensorflow".to_owned(),
        weights: 10 * MIB,
        gradients: 10 * MIB,
        slots: 20 * MIB,
        copies: 40 * MIB,
    }
}

fn runs(peaks: [u64; 3], change: impl Fn(&mut Fit)) -> Vec<Told> {
    let of = |(batch, peak)| {
        let mut fit = fit(batch, peak);
        change(&mut fit);
        Told { fits: vec![fit], outside: Some(400 * MIB), blurred: false }
    };
    [32, 64, 128].into_iter().zip(peaks).map(of).collect()
}

fn planned(told: &[Told], limit: u64, asked: Option<u64>) -> Plan {
    let limit = Limit { bytes: limit * MIB, source: "--limit" };
    Plan::new(Vec::new(), Some(limit), String::new()).conclude(told, asked, false)
}

const STRAIGHT: [u64; 3] = [864, 928, 1056];

#[test]
fn the_parts_sum_up_to_the_peak() {
    let plan = planned(&runs(STRAIGHT, |_| ()), 4096, None);
    assert_eq!((plan.answer, plan.batch, plan.largest_batch), (Answer::Fits, Some(256), Some(256)));
    let peak = plan.peak.unwrap();
    assert_eq!(peak.estimate, 1312 * MIB);
    assert_eq!(plan.parts.iter().map(|part| part.bytes).sum::<u64>(), peak.estimate);
    let activations = plan.parts.iter().find(|part| part.per_sample.is_some()).unwrap();
    assert_eq!((activations.bytes, activations.per_sample), (512 * MIB, Some(2 * MIB)));
}

#[test]
fn the_whole_interval_is_compared_with_the_limit() {
    let told = runs(STRAIGHT, |_| ());
    let peak = planned(&told, 4096, None).peak.unwrap();
    let answer = |bytes: u64| {
        let limit = Limit { bytes, source: "--limit" };
        Plan::new(Vec::new(), Some(limit), String::new()).conclude(&told, None, false).answer
    };
    assert_eq!(answer(peak.high), Answer::Fits);
    assert_eq!(answer(peak.high - 1), Answer::Undecided);
    assert_eq!(answer(peak.low), Answer::Undecided);
    assert_eq!(answer(peak.low - 1), Answer::DoesNotFit);
}

#[test]
fn the_largest_batch_that_fits_is_surely_below_the_limit() {
    let plan = planned(&runs(STRAIGHT, |_| ()), 1000, None);
    let largest = plan.largest_batch.unwrap();
    assert!((64..128).contains(&largest), "{largest}");
    assert_eq!(planned(&runs(STRAIGHT, |_| ()), 700, None).largest_batch, None);
}

/// The three runs, and one at the whole batch.
fn with_whole(peaks: [u64; 3], whole: u64, change: impl Fn(&mut Fit)) -> Vec<Told> {
    let mut told = runs(peaks, &change);
    let mut fit = fit(256, whole);
    change(&mut fit);
    told.push(Told { fits: vec![fit], outside: Some(400 * MIB), blurred: false });
    told
}

#[test]
fn a_run_at_the_whole_batch_counts_whatever_line_the_others_draw() {
    for peaks in [STRAIGHT, [864, 1100, 1056]] {
        let plan = planned(&with_whole(peaks, 1200, |_| ()), 4096, None);
        let peak = plan.peak.unwrap();
        assert_eq!((plan.answer, plan.largest_batch, peak.estimate), (Answer::Fits, Some(256), 1200 * MIB));
        assert!((60 * MIB..75 * MIB).contains(&(peak.high - peak.estimate)), "{peak:?}");
        assert_eq!(plan.parts.iter().map(|part| part.bytes).sum::<u64>(), peak.estimate);
        let activations = plan.parts.iter().find(|part| part.per_sample.is_some()).unwrap();
        assert_eq!(activations.per_sample, Some(1200 * MIB / 224 - 864 * MIB / 224));
    }
    let high_before = planned(&with_whole(STRAIGHT, 1200, |fit| fit.making = 1500 * MIB), 4096, None);
    assert_eq!(high_before.peak.unwrap().estimate, 1500 * MIB);
}

#[test]
fn where_the_whole_batch_may_not_fit_the_largest_run_that_surely_does_is_told() {
    // Half of the batch had 480 MiB, so that the whole one was run: it came near the limit.
    let told = with_whole([440, 450, 480], 950, |fit| fit.making = 100 * MIB);
    let plan = planned(&told, 1000, None);
    assert_eq!((plan.answer, plan.largest_batch), (Answer::Undecided, Some(128)));
    assert!(plan.sentence.ends_with("a batch of 128 does"), "{}", plan.sentence);
}

#[test]
fn a_whole_run_that_did_not_come_to_the_programs_end_says_so() {
    let mut told = with_whole(STRAIGHT, 1200, |_| ());
    told.last_mut().unwrap().outside = None;
    assert_eq!(planned(&told, 4096, None).warnings.len(), 1);
}

#[test]
fn the_whole_batch_is_run_only_where_twice_the_memory_is_there() {
    let told = runs(STRAIGHT, |_| ());
    assert!(fits_surely(&told, 2 * 1056 * MIB));
    assert!(!fits_surely(&told, 2 * 1056 * MIB - 1));
    assert!(!fits_surely(&[], u64::MAX));
    let high_after = Told { outside: Some(3000 * MIB), ..told.last().unwrap().clone() };
    assert!(!fits_surely(&[high_after], 5999 * MIB));
}

#[test]
fn a_run_at_another_batch_than_the_one_asked_for_is_not_taken_for_it() {
    let plan = planned(&with_whole(STRAIGHT, 1200, |_| ()), 4096, Some(512));
    assert_ne!(plan.peak.unwrap().estimate, 1200 * MIB);
}

#[test]
fn what_takes_more_than_training_counts() {
    let told = runs(STRAIGHT, |fit| fit.making = 2000 * MIB);
    assert_eq!(planned(&told, 4096, None).peak.unwrap().estimate, 2000 * MIB);
    let mut told = runs(STRAIGHT, |_| ());
    for told in &mut told {
        told.outside = Some(3000 * MIB);
    }
    assert_eq!(planned(&told, 4096, None).peak.unwrap().estimate, 3000 * MIB);
}

#[test]
fn what_was_not_seen_after_fit_is_said() {
    let mut told = runs(STRAIGHT, |_| ());
    for told in &mut told {
        told.outside = None;
    }
    let plan = planned(&told, 4096, None);
    assert_eq!(plan.answer, Answer::Fits);
    assert_eq!(
        plan.warnings,
        ["not every run came to the program's end, so the plan leaves out its memory outside of `fit`"]
    );
}

#[test]
fn there_is_no_number_without_a_line() {
    let refused = |told: &[Told], asked: Option<u64>| {
        let plan = planned(told, 4096, asked);
        assert_eq!((plan.answer, plan.peak, plan.largest_batch), (Answer::Refused, None, None));
        assert!(plan.parts.iter().all(|part| part.exact));
        plan.sentence
    };
    let crooked = runs([864, 1100, 1056], |_| ());
    assert!(refused(&crooked, None).starts_with("the peaks do not lie on a line: 864 MiB at batch 32, "));
    let batched = runs(STRAIGHT, |fit| fit.batched = Some("a generator".to_owned()));
    assert!(refused(&batched, None).contains("from a generator"));
    assert!(refused(&runs(STRAIGHT, |_| ()), Some(4)).contains("less than one sample"));
    assert!(refused(&runs(STRAIGHT, |_| ()), Some(20_000)).contains("10000 samples"));
    let mut two = runs(STRAIGHT, |_| ());
    two.pop();
    assert!(refused(&two, None).starts_with("the peaks do not lie on a line"));
    let mut other = runs(STRAIGHT, |_| ());
    other.first_mut().unwrap().fits.first_mut().unwrap().weights = MIB;
    assert!(refused(&other, None).contains("other models"));
    let mut blurred = runs(STRAIGHT, |_| ());
    for told in &mut blurred {
        told.blurred = true;
    }
    assert!(refused(&blurred, None).contains("clear_refs"));
    assert!(refused(&[Told::default()], None).contains("no `fit`"));
}

#[test]
fn fits_of_several_batches_need_a_word() {
    let mut told = runs(STRAIGHT, |_| ());
    for told in &mut told {
        let mut small = told.fits.first().unwrap().clone();
        (small.own, small.peak) = (Some(64), 100 * MIB);
        told.fits.push(small);
    }
    let plan = planned(&told, 4096, None);
    assert_eq!(plan.refusal.unwrap().advice, "name the batch to plan for: --batch 256");
    assert_eq!(planned(&told, 4096, Some(256)).answer, Answer::Fits);
}

#[test]
fn an_interval_that_is_too_wide_is_refused() {
    // Nothing but what grows: a twentieth of it at each point is more than a fifth in the end.
    let told = runs([64, 80, 112], |fit| (fit.making, fit.files) = (0, 0));
    let mut told = told;
    for told in &mut told {
        told.outside = Some(0);
    }
    assert!(planned(&told, 4096, None).sentence.contains("±20 %"));
}
