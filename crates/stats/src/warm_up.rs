//! How many of the first points are warm-up, and no evidence.
//!
//! In: live bytes. Out: a number of points. Graphs, kernels, thread pools and caches are set up in the first
//! cycles. Their increments are larger than later ones and shrink from cycle to cycle.

use crate::growth::MIN_POINTS;
use crate::order::{median, median_in_place};

/// Points that are always dropped if enough remain.
const MIN_DROPPED_POINTS: usize = 2;

/// The number of warm-up points: at least 2 if 4 points remain after them, at most half.
pub fn warm_up(y: &[f64]) -> usize {
    let n = y.len();
    let min_dropped = MIN_DROPPED_POINTS.min(n.saturating_sub(MIN_POINTS));
    let max_dropped = (n / 2).min(n.saturating_sub(MIN_POINTS)).max(min_dropped);
    let steps: Vec<f64> = y.windows(2).map(|w| w[1] - w[0]).collect();
    let settled = &steps[steps.len() / 2..];
    let Some(usual) = median(settled) else { return min_dropped };
    let off =
        median_in_place(&mut settled.iter().map(|v| (v - usual).abs()).collect::<Vec<_>>()).unwrap_or(0.0);
    let limit = usual + (4.0 * 1.4826 * off).max(0.1 * usual.abs());
    let busy = steps.iter().take_while(|v| **v > limit).count();
    busy.clamp(min_dropped, max_dropped)
}

#[cfg(test)]
mod tests {
    use super::warm_up;

    fn levels(steps: &[f64]) -> Vec<f64> {
        let mut at = 1e8;
        std::iter::once(at).chain(steps.iter().map(move |s| (at += s * 1024.0, at).1)).collect()
    }

    #[test]
    fn decaying_start_up_is_dropped() {
        let healthy =
            [41., 60., 26., 14., 10., 11., 17., 12., 9., 9., 8., 11., 10., 5., 11., 10., -126., 1., 10.];
        let w = warm_up(&levels(&healthy));
        assert!((3..=5).contains(&w), "{w}");
    }

    #[test]
    fn a_steady_leak_has_none_beyond_the_least() {
        let leak = [4148., 4122., 4107., 4071., 4066., 4069., 4104., 4069.];
        assert_eq!(warm_up(&levels(&leak)), 2);
    }

    #[test]
    fn short_series_keep_what_little_they_have() {
        assert_eq!(warm_up(&[]), 0);
        assert_eq!(warm_up(&levels(&[1.0, 2.0, 3.0])), 0);
        assert_eq!(warm_up(&levels(&[1.0; 4])), 1);
        assert_eq!(warm_up(&levels(&[1.0; 5])), 2);
    }

    #[test]
    fn never_more_than_half() {
        let shrinking: Vec<f64> = (0..40).map(|i| 1e6 * 0.8_f64.powi(i)).collect();
        assert!(warm_up(&levels(&shrinking)) <= 20);
    }
}
