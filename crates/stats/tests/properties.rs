//! Properties of every series: units, offsets and order do not change the meaning of the answer.
#![allow(clippy::unwrap_used, reason = "a test that panics fails")]

use nilometer_stats::{changepoint, cycles_needed, growth, mann_kendall, shape, theil_sen, warm_up};
use proptest::prelude::*;

/// Cycles with gaps of 1 to 5, and noise, trend and up to three jumps in bytes.
fn series() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let points = prop::collection::vec((1_u32..=5, -100_000_i32..100_000), 4..60);
    let jumps = prop::collection::vec((0_usize..60, -20_000_000_i32..20_000_000), 0..3);
    (points, jumps, -1_000_000_i32..1_000_000).prop_map(|(points, jumps, slope)| {
        let mut at = 0.0;
        let mut x = Vec::new();
        let mut y = Vec::new();
        for (i, (gap, noise)) in points.into_iter().enumerate() {
            at += f64::from(gap);
            let jumped: f64 = jumps.iter().filter(|j| j.0 <= i).map(|j| f64::from(j.1)).sum();
            x.push(at);
            y.push(2e8 + f64::from(slope) * at + f64::from(noise) + jumped);
        }
        (x, y)
    })
}

fn close(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= 1e-6 * (a.abs().max(b.abs()) + scale)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn the_estimate_lies_in_its_interval((x, y) in series()) {
        let g = growth(&x, &y).unwrap();
        prop_assert!(g.low <= g.estimate && g.estimate <= g.high, "{g:?}");
        prop_assert!(g.low.is_finite() && g.high.is_finite());
    }

    #[test]
    fn a_shift_in_bytes_changes_nothing((x, y) in series(), shift in -1e9..1e12) {
        let moved: Vec<f64> = y.iter().map(|v| v + shift).collect();
        let (a, b) = (growth(&x, &y).unwrap(), growth(&x, &moved).unwrap());
        let scale = a.high - a.low;
        prop_assert!(close(a.low, b.low, 1.0 + scale) && close(a.high, b.high, 1.0 + scale), "{a:?} {b:?}");
    }

    #[test]
    fn a_unit_scales_the_answer((x, y) in series(), power in -10_i32..20) {
        let unit = 2.0_f64.powi(power);
        let scaled: Vec<f64> = y.iter().map(|v| v * unit).collect();
        let (a, b) = (growth(&x, &y).unwrap(), growth(&x, &scaled).unwrap());
        let scale = (a.high - a.low) * unit;
        prop_assert!(close(a.low * unit, b.low, scale) && close(a.high * unit, b.high, scale), "{a:?} {b:?}");
    }

    #[test]
    fn more_leak_is_more_growth((x, y) in series(), more in 0.0..1e6) {
        let steeper: Vec<f64> = x.iter().zip(&y).map(|(x, v)| v + more * x).collect();
        prop_assert!(theil_sen(&x, &steeper).unwrap() >= theil_sen(&x, &y).unwrap() - 1e-3);
        let (a, b) = (growth(&x, &y).unwrap(), growth(&x, &steeper).unwrap());
        // Not exact where a jump no longer stands out against the steeper trend, so only the overlap is
        // claimed.
        prop_assert!(b.high >= a.low, "{a:?} {b:?}");
    }

    #[test]
    fn time_backwards_turns_the_sign((x, y) in series()) {
        let back: Vec<f64> = y.iter().rev().copied().collect();
        let xb: Vec<f64> = x.iter().rev().map(|v| x[x.len() - 1] - v).collect();
        let (a, b) = (theil_sen(&x, &y).unwrap(), theil_sen(&xb, &back).unwrap());
        prop_assert!(close(a, -b, 1.0), "{a} {b}");
        if let (Some(a), Some(b)) = (mann_kendall(&y), mann_kendall(&back)) {
            prop_assert!(close(a.s, -b.s, 0.0) && close(a.p, b.p, 1e-3));
        }
    }

    #[test]
    fn where_an_isolated_drop_happened_matters_little(
        n in 20_usize..40, first in 3_usize..17, second in 3_usize..17, size in 1e6..1e8,
    ) {
        let at = |drop: usize| -> Vec<f64> {
            (0..n)
                .map(|i| 1e4 * i as f64 + 900.0 * (i as f64 * 2.1).sin() - if i >= drop { size } else { 0.0 })
                .collect()
        };
        let x: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let (a, b) = (growth(&x, &at(first)).unwrap(), growth(&x, &at(second)).unwrap());
        prop_assert!(a.contains(1e4) && b.contains(1e4), "{a:?} {b:?}");
        prop_assert!(a.contains(1e4 - size / (n - 1) as f64) && b.contains(b.estimate), "{a:?} {b:?}");
    }

    #[test]
    fn nothing_panics(x in prop::collection::vec(-1e3..1e3, 0..30), y in prop::collection::vec(-1e13..1e13, 0..30)) {
        let _ = (growth(&x, &y), theil_sen(&x, &y), mann_kendall(&y), shape(&x, &y), changepoint(&x, &y));
        let _ = (cycles_needed(&x, &y, 8192.0), warm_up(&y));
    }

    #[test]
    fn warm_up_leaves_enough(y in prop::collection::vec(-1e9..1e9, 0..80)) {
        let w = warm_up(&y);
        prop_assert!(y.len() < 4 && w == 0 || y.len() - w >= 4 && w <= (y.len() / 2).max(2), "{w}");
    }
}
