//! Increments measured in real training jobs (KiB per epoch), and the required answers.
#![allow(clippy::unwrap_used, reason = "a test that panics fails")]

use nilometer_stats::{Interval, Shape, cycles_needed, growth, shape, warm_up};

const KIB: f64 = 1024.0;

fn levels(steps: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let mut at = 180e6;
    let y: Vec<f64> = std::iter::once(at).chain(steps.iter().map(move |s| (at += s * KIB, at).1)).collect();
    ((0..y.len()).map(|i| i as f64 + 1.0).collect(), y)
}

/// Growth in KiB per epoch after warm-up.
fn settled(steps: &[f64]) -> Interval {
    let (x, y) = levels(steps);
    let w = warm_up(&y);
    let g = growth(&x[w..], &y[w..]).unwrap();
    Interval { estimate: g.estimate / KIB, low: g.low / KIB, high: g.high / KIB }
}

#[test]
fn a_healthy_perceptron_is_no_leak_of_eight() {
    let g = settled(&[
        41., 60., 26., 14., 10., 11., 17., 12., 9., 9., 8., 11., 10., 5., 11., 10., -126., 1., 10.,
    ]);
    assert!(g.low < 8.0 && g.high < 16.0, "{g:?}");
}

#[test]
fn a_callback_that_keeps_predictions_is_a_leak() {
    let g = settled(&[4148., 4122., 4107., 4071., 4066., 4069., 4104., 4069.]);
    assert!(g.low > 4000.0 && g.high < 4150.0, "{g:?}");
}

#[test]
fn a_collection_in_between_does_not_hide_it() {
    let mut steps = vec![4148., 4122.];
    steps.extend((0..30).map(|i| if i % 12 == 7 { 2700. } else { 4069. + f64::from(i % 5) }));
    let g = settled(&steps);
    assert!(g.low > 3500.0 && g.contains(3960.0), "{g:?}");
}

#[test]
fn predictions_per_epoch_are_a_sawtooth() {
    let mut steps = vec![290., 214., 208., 167., 160., 156.];
    for _ in 0..3 {
        steps.extend([155., 154., 156., -1332., 154., 155., 155., 156., 154., 155.]);
    }
    let g = settled(&steps);
    assert!(g.low < 8.0, "{g:?}");
}

#[test]
fn one_collection_may_have_taken_all_back() {
    let mut steps = vec![160.; 9];
    steps.push(-1440.);
    steps.extend([157.; 9]);
    let g = settled(&steps);
    assert!(g.contains(8.0), "{g:?}");
}

#[test]
fn models_in_a_loop() {
    let steps: Vec<f64> =
        (1..48).map(|i| if i % 8 == 0 { -22497. } else { 8200. + f64::from(i % 3) }).collect();
    let g = settled(&steps);
    assert!(g.low > 8.0 && g.contains(4360.0), "{g:?}");
}

#[test]
fn a_batch_in_flight_or_not_is_flat() {
    let flight = [0., 1., 1., 0., 1., 0., 0., 1., 0., 1., 1., 1., 0., 0., 1., 0., 1., 0., 0., 1.];
    let y: Vec<f64> = flight.iter().map(|f| 3e8 + f * 2000.0 * KIB).collect();
    let x: Vec<f64> = (0..y.len()).map(|i| i as f64).collect();
    let g = growth(&x, &y).unwrap();
    assert!(g.contains(0.0), "{g:?}");
    assert_eq!(shape(&x, &y), Shape::Flat);
    assert!(cycles_needed(&x, &y, 8.0 * KIB) > 0);
}

#[test]
fn a_checkpoint_is_not_growth() {
    let steps: Vec<f64> = (0..16).map(|i| if i == 6 { 9000. } else { f64::from(i % 3) - 1.0 }).collect();
    let g = settled(&steps);
    assert!(g.contains(0.0) && g.high < 8.0, "{g:?}");
}

#[test]
fn three_epochs_prove_nothing() {
    let (x, y) = levels(&[4000., 4000.]);
    assert_eq!(growth(&x, &y), None);
}

#[test]
fn five_thousand_cycles() {
    let x: Vec<f64> = (0..5000).map(f64::from).collect();
    let y: Vec<f64> = x.iter().map(|v| 1e12 + 10_000.0 * v + 1e6 * (v * 1.3).sin()).collect();
    let g = growth(&x, &y).unwrap();
    assert!(g.contains(10_000.0) && g.high - g.low < 1000.0, "{g:?}");
}
