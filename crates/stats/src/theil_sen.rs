//! The median of the slopes of all pairs of points.
//!
//! Robust to any 29 % of wild points. It gives no interval; [`crate::growth`] does.

use crate::order::median_in_place;

/// Longer series use evenly spaced points only: two million slopes are enough for a median.
const MAX_SLOPE_POINTS: usize = 2000;

/// The Theil-Sen slope in bytes per cycle.
///
/// Pairs with equal `x` are left out. `None` when the lengths differ or no pair is left.
pub fn theil_sen(x: &[f64], y: &[f64]) -> Option<f64> {
    if x.len() != y.len() {
        return None;
    }
    let stride = x.len().div_ceil(MAX_SLOPE_POINTS).max(1);
    let points: Vec<(f64, f64)> = x.iter().copied().zip(y.iter().copied()).step_by(stride).collect();
    let mut slopes = Vec::with_capacity(points.len() * points.len().saturating_sub(1) / 2);
    for (i, &(xa, ya)) in points.iter().enumerate() {
        slopes.extend(
            points[i + 1..]
                .iter()
                .filter(|p| !p.0.total_cmp(&xa).is_eq())
                .map(|&(xb, yb)| (yb - ya) / (xb - xa)),
        );
    }
    median_in_place(&mut slopes)
}

#[cfg(test)]
mod tests {
    use super::theil_sen;

    #[test]
    fn a_line_with_wild_points_keeps_its_slope() {
        let x: Vec<f64> = (0..21).map(f64::from).collect();
        let mut y: Vec<f64> = x.iter().map(|v| 1e12 + 3.0 * v).collect();
        for wild in [2, 9, 15, 20] {
            y[wild] += 1e9;
        }
        let slope = theil_sen(&x, &y).unwrap_or(f64::NAN);
        assert!((slope - 3.0).abs() < 1e-3, "{slope}");
    }

    #[test]
    fn nothing_to_compare() {
        assert_eq!(theil_sen(&[], &[]), None);
        assert_eq!(theil_sen(&[1.0], &[1.0]), None);
        assert_eq!(theil_sen(&[1.0, 1.0], &[1.0, 2.0]), None);
        assert_eq!(theil_sen(&[1.0, 2.0], &[1.0]), None);
    }

    #[test]
    fn a_long_series_is_bounded() {
        let x: Vec<f64> = (0..50_000).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|v| 2.0 * v).collect();
        assert_eq!(theil_sen(&x, &y), Some(2.0));
    }
}
