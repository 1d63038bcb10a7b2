//! How many more cycles a narrow answer needs.
//!
//! In: the series so far and the tolerated width. Out: a number of cycles, by the noise seen; the forecast is
//! as good as that noise is typical.

use crate::growth::{MIN_POINTS, growth, narrow_after, slope};

/// Cycles that are asked for before the noise is known.
const FIRST_REQUEST_CYCLES: usize = 8;
/// Nobody waits longer; more than this counts as never.
const MAX_NEEDED_CYCLES: u64 = 10_000;

/// How many more cycles until the half width of [`growth`] is at most `tolerance` bytes per cycle.
///
/// 0 if it is already. With too few points to know the noise: enough for a first estimate. At most 10 000,
/// which means "not by waiting".
pub fn cycles_needed(x: &[f64], y: &[f64], tolerance: f64) -> u64 {
    let n = y.len();
    let Some(now) = growth(x, y) else {
        return FIRST_REQUEST_CYCLES.saturating_sub(n).max(MIN_POINTS) as u64;
    };
    let width = now.half_width();
    if width <= tolerance {
        return 0;
    }
    // The effect of isolated jumps on the width is taken to stay proportional.
    let Some(plain) = slope(x, y, 0) else { return MAX_NEEDED_CYCLES };
    let wish = tolerance * plain.half_width() / width;
    // The median over the noise models: under half of the weight the answer will be narrow by then.
    let enough = |more: u64| narrow_after(x, y, more as usize, wish).is_some_and(|weight| weight >= 0.5);
    let gap = (x[n - 1] - x[0]) / (n - 1) as f64;
    if !enough(MAX_NEEDED_CYCLES) {
        return MAX_NEEDED_CYCLES;
    }
    let mut high = 1;
    while !enough(high) {
        high *= 2;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low.midpoint(high);
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    ((high as f64 * gap).ceil() as u64).min(MAX_NEEDED_CYCLES)
}

#[cfg(test)]
mod tests {
    use super::cycles_needed;

    fn noisy(n: u32) -> (Vec<f64>, Vec<f64>) {
        let x: Vec<f64> = (0..n).map(f64::from).collect();
        let y = x.iter().map(|v| 1e6 * ((v * 12.9).sin() * 43_758.5).fract()).collect();
        (x, y)
    }

    #[test]
    fn a_narrow_answer_needs_nothing() {
        let x: Vec<f64> = (0..9).map(f64::from).collect();
        assert_eq!(cycles_needed(&x, &x, 1.0), 0);
    }

    #[test]
    fn a_tighter_wish_takes_longer() {
        let (x, y) = noisy(20);
        let wishes = [1e5, 3e4, 1e4, 1e3].map(|t| cycles_needed(&x, &y, t));
        assert!(wishes.is_sorted() && wishes[0] < wishes[3], "{wishes:?}");
        assert!(wishes[2] < 2000, "{wishes:?}");
    }

    #[test]
    fn too_few_points_ask_for_a_first_look() {
        assert_eq!(cycles_needed(&[], &[], 1.0), 8);
        assert_eq!(cycles_needed(&[1.0, 2.0, 3.0], &[1.0, 5.0, 3.0], 1.0), 5);
    }

    #[test]
    fn an_impossible_wish_is_bounded() {
        let (x, y) = noisy(12);
        assert_eq!(cycles_needed(&x, &y, 0.0), 10_000);
    }
}
